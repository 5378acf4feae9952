"""The posterior of the counts under a prior whose strength is itself uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import context_beta_mixture_interval
from bayescompare.kernels.replicated.count_posterior import CountPosterior, pooled_replicated_betas

__all__ = ["MixedCounts"]


@dataclass(frozen=True)
class MixedCounts:
    """A `CountPosterior` for each strength of the prior, and how probable each is.

    Attributes
    ----------
    parts : list of (weight, CountPosterior)
        The weights sum to one.
    strengths : array
        A of each part.
    log_evidence : float
        Of all datasets, the strength summed out.
    """

    parts: list[tuple[float, CountPosterior]]
    strengths: FloatArray
    log_evidence: float

    #: Every part is exact.
    mcse = None

    @property
    def weights(self) -> FloatArray:
        """P(strength | data) of each part."""
        return np.array([weight for weight, _ in self.parts])

    @property
    def probability(self) -> FloatArray:
        """P(max) of every statement."""
        return sum((w * part.probability for w, part in self.parts), np.zeros(1))

    @property
    def version(self) -> FloatArray:
        """Posterior weights of the versions."""
        return sum((w * part.version for w, part in self.parts), np.zeros(1))

    @property
    def per_dataset(self) -> FloatArray:
        """P(z_i = s | all data), (n, K)."""
        return sum((w * part.per_dataset for w, part in self.parts), np.zeros(1))

    @property
    def theta_mean(self) -> FloatArray:
        """E θ of every statement: P(it holds on a new dataset)."""
        return sum((w * part.theta_mean for w, part in self.parts), np.zeros(1))

    def betas(self, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights and both parameters of the Betas that θ_k is a mixture of."""
        return pooled_replicated_betas(self.parts, k)

    def theta_interval(self, k: int) -> tuple[float, float]:
        """Central 95 % interval of θ_k."""
        return context_beta_mixture_interval(*self.betas(k))

    def majority(self, k: int) -> float:
        """P(θ_k > ½)."""
        return float(sum(w * part.majority(k) for w, part in self.parts))

    def part_maxima(self, states: IntArray, arities: Sequence[int]) -> FloatArray:
        """P of what each statement says of each measure by itself, (K, m)."""
        each = (w * part.part_maxima(states, arities) for w, part in self.parts)
        return sum(each, np.zeros(1))

    def order(self, k: int, other: int) -> float:
        """P(θ_k > θ_other)."""
        return float(sum(w * part.order(k, other) for w, part in self.parts))
