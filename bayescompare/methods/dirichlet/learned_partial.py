"""A pair with missing cells under the prior that all pairs taught.

Base and strengths are learned from the datasets that the pairs have completely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import ALONE, ALONE_LOWEST, LOWEST, PROBABILITY
from bayescompare.comparison.method import Sampling
from bayescompare.kernels.dirichlet.completion_bounds import Maxima, dirichlet_vectors_as_pairs
from bayescompare.kernels.dirichlet.learned import (
    dirichlet_strength_evidence,
    dirichlet_strength_weights,
)
from bayescompare.kernels.dirichlet.learned_maximum import mixed_maximum
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.learned import LearnedDirichlet
from bayescompare.methods.dirichlet.learned_model import dirichlet_with_log_prior
from bayescompare.methods.dirichlet.partial import PartialDirichlet, PartlySeen
from bayescompare.partly_seen import PartialTable
from bayescompare.results.results import Results

__all__ = ["LearnedPartialDirichlet"]


@dataclass(frozen=True)
class LearnedPartialDirichlet(PartlySeen, LearnedDirichlet):
    """`Dirichlet` of a pair with missing cells, with the prior learned from all pairs."""

    def unlearned(self) -> Dirichlet:
        """Return the test with the pair's own prior, the papers'."""
        return PartialDirichlet(prior="symmetric")

    def strengths(self) -> FloatArray | None:
        """Return the values of A."""
        return np.array(self.learned.values)

    def _log_base(self, table: PartialTable) -> FloatArray:
        return self.cells_of(table.statements)[1].log_alpha

    def components(self, table: PartialTable) -> tuple[FloatArray, FloatArray]:
        """Return Dirichlet(A φ) for every A, and g."""
        base = np.exp(self._log_base(table))
        return np.outer(self.learned.values, base), np.array(self.learned.weights)

    def maxima(self, table: PartialTable, fold: FloatArray | None = None) -> Maxima:
        """P(max) averaged over the strengths that the counts leave probable."""
        log_base, prior = self._log_base(table), np.array(self.learned.weights)

        def maxima(vectors: FloatArray) -> FloatArray:
            counts = dirichlet_vectors_as_pairs(vectors)
            weights = dirichlet_strength_weights(
                dirichlet_strength_evidence(counts, log_base), prior
            )
            if fold is None:
                return mixed_maximum(counts, log_base, weights)
            summed = dirichlet_vectors_as_pairs(vectors @ fold)
            return mixed_maximum(summed, np.log(np.exp(log_base) @ fold), weights)

        return maxima

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) averaged over the strengths, and under the pair's own prior beside it."""
        answer = super().answer(results, sampling)
        own = self.unlearned().answer(results, sampling)
        assert own.probability is not None
        columns = {ALONE: own.probability, **answer.per_statement}
        if LOWEST in own.per_statement:
            columns[ALONE_LOWEST] = own.per_statement[LOWEST]
        parts = dict(answer.parts)
        if parts:
            parts[ALONE] = own.parts[PROBABILITY]
        if LOWEST in parts:
            parts[LOWEST] = np.minimum(parts[LOWEST], own.parts[LOWEST])
        return replace(answer, per_statement=columns, parts=parts)

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the strength, the statements of partly seen datasets, and θ given all."""
        tree = super().draws(results, draws, chains, rng)
        return dirichlet_with_log_prior(tree, self.listing(results), self.learned)
