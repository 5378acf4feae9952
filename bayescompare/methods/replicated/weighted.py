r"""Replicated evidence of datasets with weights: a power likelihood.

.. math:: p(\theta \mid \text{data}) \propto \mathrm{Dir}(\theta; \alpha)
          \prod_i \Bigl(\sum_s \theta_s \ell_i(s)\Bigr)^{v_i}

with the weights scaled to sum to the effective number of datasets, :math:`(\sum v)^2 / \sum v^2`.
It is exact where every dataset is certain of its statement: then weights are counts. Elsewhere NUTS
samples it, for the recursion over counts has no powers.
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
from bayescompare.kernels.replicated.count_posterior import (
    CountPosterior,
    are_replicates_certain,
    weighted_counts,
)
from bayescompare.methods._shared.power import NO_EVIDENCE, NO_LOO, power_words
from bayescompare.methods.replicated import Replicated
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.table.domains import effective_weights
from bayescompare.table.results import Results

__all__ = ["CertainReplicated", "WeightedReplicated", "weighted_replicated"]


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
        """Whether NUTS is needed: always, for some dataset is uncertain."""
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
        if quantity == "plan":
            return "plan: with weight= it is not known what new datasets would weigh."
        if quantity == "draws" and self.needs_mcmc:
            return "draws: with weight= the answer is sampled by NUTS; use c.tree or sample()."
        return super().refuses(quantity)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, and what the weights did."""
        return [*super().sentences(results, answer, decision), power_words(results)]


@dataclass(frozen=True, kw_only=True)
class CertainReplicated(WeightedReplicated):
    """`Replicated` of datasets with weights, each of which is certain of its statement."""

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is not a number."""
        return bool(self.nonconjugate_priors)

    def count_posterior(
        self, results: Results, table: TableEvidence, rng: np.random.Generator
    ) -> CountPosterior:
        """Return the one vector of counts, which are sums of weights."""
        powers = self.powers(results)
        assert powers is not None
        return weighted_counts(table.evidence.log, self.cells(results)[1].alpha, powers)


def weighted_replicated(method: Replicated, results: Results) -> WeightedReplicated:
    """Return the test with the same options for a table with weights."""
    if method.prior == "learned" or not method.joint:
        raise BayescompareError(
            "weight=: prior='learned' and joint=False are for tables without weights; choose "
            "another prior, and joint=True."
        )
    logs = method.table_evidence(results).evidence.log
    certain = are_replicates_certain(logs, method.cells(results)[1].alpha)
    variant = CertainReplicated if certain else WeightedReplicated
    return variant(**{f.name: getattr(method, f.name) for f in fields(method) if f.init})
