r"""The multinomial-Dirichlet test of datasets with weights: a power likelihood.

.. math:: p(\theta \mid \text{data}) \propto \mathrm{Dir}(\theta; \alpha)
          \prod_i \Bigl(\prod_k \theta_k^{w_{ik}}\Bigr)^{v_i}

with the weights scaled to sum to the effective number of datasets, :math:`(\sum v)^2 / \sum v^2`.
It is conjugate; but a likelihood raised to a power is no probability of data, so there is neither
evidence nor leave-one-out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from bayescompare._errors import BayescompareError
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Method, Sampling
from bayescompare.methods._shared.power import NO_EVIDENCE, NO_LOO, power_words
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.results.results import Results

__all__ = ["WeightedDirichlet", "weighted_dirichlet"]


@dataclass(frozen=True, kw_only=True)
class WeightedDirichlet(Dirichlet):
    """`Dirichlet` of a table whose datasets have weights."""

    lacks: ClassVar[Mapping[str, str]] = {"evidence": NO_EVIDENCE, "loo": NO_LOO}

    def for_table(self, results: Results) -> Method:
        """Return itself: it is the test for weights."""
        return self

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) from weighted counts; without evidence, which a power likelihood has not."""
        return replace(super().answer(results, sampling), log_evidence=None)

    def no_evidence(self) -> str:
        """Say why there is no log evidence."""
        return f"is not there. {NO_EVIDENCE}"

    def refuses(self, quantity: str) -> str:
        """Say what a power likelihood does not have."""
        return f"loo: {NO_LOO}" if quantity == "loo" else super().refuses(quantity)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the weights."""
        return (
            f"{super().methods_text(answer)} The likelihood of each dataset was raised to the "
            "power of its weight, the weights scaled to sum to the effective number of datasets."
        )

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and what the weights did."""
        sentences = super().sentences(results, answer, decision)
        plain = ", and every dataset counts the same."
        return [*(s.replace(plain, ".") for s in sentences), power_words(results)]


def weighted_dirichlet(method: Dirichlet) -> WeightedDirichlet:
    """Return the test with the same options for a table with weights."""
    if method.prior == "learned":
        raise BayescompareError(
            "prior='learned' weighs pairs by their evidence, which a table with weight= does not "
            "have: choose another prior ('symmetric' is the papers')."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    weighted = WeightedDirichlet(**options)
    object.__setattr__(weighted, "learns", method.learns)
    return weighted
