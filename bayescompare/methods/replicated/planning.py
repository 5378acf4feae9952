"""Would more replicates of the same datasets settle it? Simulated from the posterior predictive."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.replicated.effects import flat_replicated_evidence
from bayescompare.kernels.replicated.items import replicated_item_rows
from bayescompare.kernels.replicated.learned_effects import (
    learned_effects_evidence,
    standardise_learned_effects,
)
from bayescompare.kernels.replicated.moments import Moments
from bayescompare.kernels.replicated.refinement import (
    refined_counts,
    refined_effects,
    refined_moments,
    refinement_pattern_masses,
)
from bayescompare.kernels.replicated.regions import Ropes
from bayescompare.methods.replicated.evidence import SEED, TableEvidence
from bayescompare.outcome.of_posterior import least_of_rows
from bayescompare.posterior.dirichlet import DirichletMixture

__all__ = ["Refinement", "more_replicates"]


def more_replicates(
    table: TableEvidence, posterior: DirichletMixture
) -> Callable[[float, np.random.Generator], FloatArray]:
    """Return a function that multiplies every dataset's replicates and answers again.

    The scale of effects and θ are drawn from the exact posterior, the true differences of every
    dataset given them, and the means of more replicates given those. The units of the measures and
    their typical differences are held.
    """
    refinement = Refinement.of(table)
    _, datasets, size = posterior.evidence.rows.shape

    def simulate(factor: float, rng: np.random.Generator) -> FloatArray:
        component, vector = posterior.draw_place(1, rng)
        version = int(posterior.draw_version(vector, rng)[0])
        theta = np.full(size, 1.0 / size)
        # Else every dataset is judged by itself.
        if datasets > 1 and posterior.joint:
            (k,) = component.tolist()
            drawn = posterior.components[k].draw(posterior.counts[vector], rng)
            theta = np.exp(drawn[0, :-1])
        rows = refinement.rows(factor, theta, version, rng)
        one = datasets == 1
        return softmax(rows[0, 0]) if one else least_of_rows(posterior, rows, rng)

    return simulate


class Refinement(NamedTuple):
    """The replicates of a table, ready to be multiplied.

    Attributes
    ----------
    moments : Moments
        Of the datasets judged by means.
    patterns : list of array
        Of the datasets judged by counts of right and wrong items.
    counted : array (n,)
        Which are judged by counts.
    masses : array (K,)
        Prior masses of the statements about items.
    scales : array (R,)
        Of the effects; NaN where their prior is flat.
    learned : bool
    """

    moments: Moments
    patterns: list[FloatArray]
    counted: BoolArray
    ropes: Ropes
    masses: FloatArray
    scales: FloatArray
    learned: bool

    @classmethod
    def of(cls, table: TableEvidence) -> Refinement:
        """Collect what the evidence of a table was computed from."""
        n = len(table.rho)
        counted = np.zeros(n, dtype=bool) if table.counted is None else table.counted
        every = zip(table.patterns, counted, strict=True)
        kept = [c for c, here in every if here and c is not None]
        masses = np.ones(1)
        if kept:
            masses = refinement_pattern_masses(table.ropes, np.random.default_rng(SEED))
        return cls(
            Moments(*(field[~counted] for field in table.moments)),
            kept,
            counted,
            table.ropes,
            masses,
            table.evidence.scales,
            table.effects == "learned",
        )

    def rows(
        self, factor: float, theta: FloatArray, version: int, rng: np.random.Generator
    ) -> FloatArray:
        """Log ℓ of `factor` times as many replicates, (R, n, K), given θ and the scale."""
        rows = np.empty((len(self.scales), len(self.counted), len(theta)))
        if self.patterns:
            rows[:, self.counted] = self._by_counts(factor, theta, rng)
        if len(self.moments.mean):
            rows[:, ~self.counted] = self._by_means(factor, theta, version, rng)
        return rows

    def _by_counts(self, factor: float, theta: FloatArray, rng: np.random.Generator) -> FloatArray:
        weight = theta / self.masses
        finer = [
            refined_counts(
                counts,
                self.ropes,
                weight,
                _further_replicates(factor, counts.sum()),
                rng,
            )
            for counts in self.patterns
        ]
        return replicated_item_rows(finer, self.ropes, np.random.default_rng(SEED))[0]

    def _by_means(
        self, factor: float, theta: FloatArray, version: int, rng: np.random.Generator
    ) -> FloatArray:
        number = self.moments.dof + 1.0
        more = np.array([_further_replicates(factor, k) for k in number.tolist()])
        lattice = np.random.default_rng(SEED)
        if not self.learned:
            finer = refined_moments(self.moments, self.ropes, theta, more, rng)
            return flat_replicated_evidence(finer, self.ropes, lattice).log
        scale = float(self.scales[version])
        data = standardise_learned_effects(self.moments, self.ropes)
        evidence = learned_effects_evidence(refined_effects(data, scale, theta, more, rng), lattice)
        assert evidence is not None  # the scales are those that the table has
        return evidence.log


def _further_replicates(factor: float, number: float) -> int:
    """Return how many replicates more make `factor` times as many, as a whole number."""
    return round(factor * number) - round(number)
