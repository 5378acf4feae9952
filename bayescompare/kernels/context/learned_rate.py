r"""The joint Poisson-binomial model with an unknown weight b: a mixture over a few values.

.. math:: r \mid b \sim \mathrm{Beta}(b, b), \qquad b \sim g

Given the datasets' probabilities p, the posterior of r and the evidence have a closed form for
every weight (`poisson_binomial_joint`), so that all figures are short sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.poisson_binomial import (
    context_beta_mixture_interval,
    draw_poisson_binomial_rates,
)
from bayescompare.kernels.context.poisson_binomial_joint import (
    Joint,
    joint,
    poisson_binomial_counts,
)
from bayescompare.kernels.dirichlet.learned import dirichlet_strength_weights

__all__ = ["RateMixture", "learned_rate_evidence"]


def learned_rate_evidence(p: ArrayLike, values: FloatArray) -> FloatArray:
    """Log evidence of the datasets' probabilities p under each weight b.

    Examples
    --------
    An uninformative dataset is equally probable under every weight:

    >>> learned_rate_evidence([0.5], np.array([0.1, 1.0, 10.0])).round(12).tolist()
    [-0.69314718056, -0.69314718056, -0.69314718056]
    """
    return np.array([poisson_binomial_counts(p, b)[1] for b in values.tolist()])


@dataclass(frozen=True)
class RateMixture:
    """The posterior of r when its prior's weight b comes from a learned distribution.

    Attributes
    ----------
    p : array (N,)
        P(the first is better) on each dataset, given its own data only.
    values, prior : arrays (C,)
        The values that b may take, and their prior weights g.
    """

    p: FloatArray
    values: FloatArray
    prior: FloatArray

    @cached_property
    def log_evidences(self) -> FloatArray:
        """Log evidence under each weight."""
        return learned_rate_evidence(self.p, self.values)

    @cached_property
    def weights(self) -> FloatArray:
        """Posterior weights of the values of b; those below 1e-9 are dropped."""
        return dirichlet_strength_weights(self.log_evidences, self.prior)

    @property
    def log_evidence(self) -> float:
        """Log evidence, g being held fixed."""
        return float(logsumexp(self.log_evidences, b=self.prior))

    @cached_property
    def joint(self) -> Joint:
        """All figures of `poisson_binomial_joint.joint`, averaged over b."""
        kept = np.flatnonzero(self.weights)
        each = [joint(self.p, float(self.values[k])) for k in kept]
        w = self.weights[kept]
        mean = float(w @ [one.mean for one in each])
        second = float(w @ [one.sd**2 + one.mean**2 for one in each])
        # p(all) / p(all but i) = p(all) / Σ g p_b(all) / p_b(i | rest)
        logs = (self.log_evidences + np.log(self.prior))[kept]
        without = logsumexp(logs[:, None] - [one.log_predictive for one in each], axis=0)
        return Joint(
            first=float(w @ [one.first for one in each]),
            second=float(w @ [one.second for one in each]),
            mean=mean,
            sd=math.sqrt(max(second - mean**2, 0.0)),
            log_evidence=self.log_evidence,
            wins=w @ np.stack([one.wins for one in each]),
            log_predictive=logsumexp(logs) - without,
            error=max(one.error for one in each),
        )

    def interval(self) -> tuple[float, float]:
        """Central 95 % interval of r."""
        parts = []
        for k in np.flatnonzero(self.weights):
            b = float(self.values[k])
            counts = poisson_binomial_counts(self.p, b)[0] * self.weights[k]
            wins = np.arange(len(counts))
            parts.append((counts, b + wins, b + (len(self.p) - wins)))
        weight, first, second = (np.concatenate(part) for part in zip(*parts, strict=True))
        return context_beta_mixture_interval(weight, first, second)

    def draw(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw b by its posterior weights, and r given it."""
        chosen = rng.choice(len(self.values), p=self.weights, size=draws)
        rates = np.empty(draws)
        for k in np.unique(chosen):
            own, b = chosen == k, float(self.values[k])
            rates[own] = draw_poisson_binomial_rates(
                poisson_binomial_counts(self.p, b)[0], int(own.sum()), rng, b
            )
        return rates, self.values[chosen]
