"""Would more replicates of the same datasets settle it? Simulated from the posterior predictive."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import softmax

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.replicated.count_posterior import CountPosterior
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
from bayescompare.methods.replicated.differences import replicated_pair_moments
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated

__all__ = ["ReplicatedPlanRefinement", "more_replicates"]

#: Seed of the lattice that four and more measures need, and of prior masses.
_SEED = 20161


def more_replicates(
    method: Replicated, results: Results
) -> Callable[[float, np.random.Generator], FloatArray]:
    """Return a function that multiplies every dataset's replicates and answers again.

    The scale of effects and θ are drawn from the exact posterior, the true differences of every
    dataset given them, and the means of more replicates given those. The units of the measures and
    their typical differences are held.
    """
    table = method.table_evidence(results)
    refinement = ReplicatedPlanRefinement.of(method, results, table)
    one = len(results.datasets) == 1
    posterior = method.count_posterior(results, table, np.random.default_rng(0))
    again = method.answer_again(results)
    size = table.evidence.log.shape[2]

    def simulate(factor: float, rng: np.random.Generator) -> FloatArray:
        theta, version = _draw_for_replicated_planning(posterior, rng)
        if one or not method.joint:
            # Every dataset is judged by itself.
            theta = np.full(size, 1.0 / size)
        logs = refinement.evidence(factor, theta, version, rng)
        return softmax(logs[0, 0]) if one else again(logs, rng)

    return simulate


def _draw_for_replicated_planning(
    posterior: CountPosterior | MixedCounts, rng: np.random.Generator
) -> tuple[FloatArray, int]:
    """Draw θ, and the number of the scale of effects."""
    parts = posterior.parts
    part = parts[int(rng.choice(len(parts), p=[weight for weight, _ in parts]))][1]
    version = int(rng.choice(len(part.version), p=part.version))
    weight = part.weight[:, version]
    vector = part.vectors[int(rng.choice(len(weight), p=weight / weight.sum()))]
    return rng.dirichlet(part.alpha + vector), version


class ReplicatedPlanRefinement(NamedTuple):
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
    def of(
        cls, method: Replicated, results: Results, table: TableEvidence
    ) -> ReplicatedPlanRefinement:
        """Collect what the evidence of a table was computed from."""
        n = len(results.datasets)
        counted = np.zeros(n, dtype=bool) if table.counted is None else table.counted
        ropes = tuple(results[name].rope for name in results.measures)
        patterns = (
            replicated_pair_moments(method, results).patterns if counted.any() else [None] * n
        )
        kept = [c for c, here in zip(patterns, counted, strict=True) if here and c is not None]
        return cls(
            Moments(*(field[~counted] for field in table.moments)),
            kept,
            counted,
            ropes,
            refinement_pattern_masses(ropes, np.random.default_rng(_SEED)) if kept else np.ones(1),
            table.evidence.scales,
            table.effects == "learned",
        )

    def evidence(
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
                _further_replicates_in_planning(factor, counts.sum()),
                rng,
            )
            for counts in self.patterns
        ]
        return replicated_item_rows(finer, self.ropes, np.random.default_rng(_SEED))[0]

    def _by_means(
        self, factor: float, theta: FloatArray, version: int, rng: np.random.Generator
    ) -> FloatArray:
        number = self.moments.dof + 1.0
        more = np.array([_further_replicates_in_planning(factor, k) for k in number.tolist()])
        lattice = np.random.default_rng(_SEED)
        if not self.learned:
            finer = refined_moments(self.moments, self.ropes, theta, more, rng)
            return flat_replicated_evidence(finer, self.ropes, lattice).log
        scale = float(self.scales[version])
        data = standardise_learned_effects(self.moments, self.ropes)
        evidence = learned_effects_evidence(refined_effects(data, scale, theta, more, rng), lattice)
        assert evidence is not None  # the scales are those that the table has
        return evidence.log


def _further_replicates_in_planning(factor: float, number: float) -> int:
    """Return how many replicates more make `factor` times as many, as a whole number."""
    return round(factor * number) - round(number)
