r"""Replicated evidence of datasets with weights: a power likelihood, sampled by NUTS.

.. math:: p(\theta \mid \text{data}) \propto \mathrm{Dir}(\theta; \alpha)
          \prod_i \Bigl(\sum_s \theta_s \ell_i(s)\Bigr)^{v_i}

with the weights scaled to sum to the effective number of datasets, :math:`(\sum v)^2 / \sum v^2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Method
from bayescompare.methods._shared.power import NO_EVIDENCE, NO_LOO, power_words
from bayescompare.methods.replicated import Replicated
from bayescompare.results.domains import effective_weights
from bayescompare.results.results import Results

__all__ = ["WeightedReplicated", "weighted_replicated"]


@dataclass(frozen=True, kw_only=True)
class WeightedReplicated(Replicated):
    """`Replicated` of a table whose datasets have weights."""

    lacks: ClassVar[Mapping[str, str]] = {
        **Replicated.lacks,
        "evidence": NO_EVIDENCE,
        "loo": NO_LOO,
    }

    def for_table(self, results: Results) -> Method:
        """Return itself: it is the test for weights."""
        return self

    @property
    def needs_mcmc(self) -> bool:
        """Whether NUTS is needed: always, for no recursion has powers."""
        return True

    def powers(self, results: Results) -> FloatArray | None:
        """Return the weights, scaled."""
        assert results.weights is not None
        return np.array(effective_weights(results.weights))

    def no_evidence(self) -> str:
        """Say why there is no log evidence."""
        return f"is not there. {NO_EVIDENCE}"

    def refuses(self, quantity: str) -> str:
        """Say what a power likelihood does not have."""
        if quantity == "loo":
            return f"loo: {NO_LOO}"
        if quantity in ("draws", "plan"):
            return (
                f"{quantity}: with weight= the answer is sampled by NUTS; use c.tree or sample()."
            )
        return super().refuses(quantity)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the weights."""
        return (
            f"{super().methods_text(answer)} The likelihood of each dataset was raised to the "
            "power of its weight, the weights scaled to sum to the effective number of datasets."
        )

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and what the weights did."""
        return [*super().sentences(results, answer, decision), power_words(results)]


def weighted_replicated(method: Replicated) -> WeightedReplicated:
    """Return the test with the same options for a table with weights."""
    if method.prior == "learned" or not method.joint:
        raise BayescompareError(
            "weight=: prior='learned' and joint=False are for tables without weights; choose "
            "another prior, and joint=True."
        )
    return WeightedReplicated(**{f.name: getattr(method, f.name) for f in fields(method) if f.init})
