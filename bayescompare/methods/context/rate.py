"""A prior of the user's for the share r of datasets: any density, answered by quadrature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.context.poisson_binomial import RatePosterior, RatePrior
from bayescompare.kernels.numerics.gammas import log_sum
from bayescompare.methods._shared.priors import constant_beta, draws_of_prior, log_density_of

#: A prior whose integral is further from 1 has mass that the quadrature does not see.
_EXACT = 1e-6
#: Draws that show where a prior is.
_HINTS = 200


def rate_prior_of(value: Any) -> RatePrior | None:
    """Return the density of a prior of r; None where only NUTS can answer under it.

    Examples
    --------
    >>> import pymc as pm
    >>> round(rate_prior_of(pm.Uniform.dist(0.2, 0.6)).log_total, 12) == 0
    True
    """
    shape = constant_beta(value)
    if shape is not None and min(shape) > 0.0:
        return RatePrior.beta(*shape)
    density = log_density_of("r", value)
    if density is None:
        return None
    try:
        prior = RatePrior.of_rate(density, draws_of_prior("r", value, _HINTS))
        return prior if abs(prior.log_total) <= _EXACT else None
    except (ArithmeticError, BayescompareError):
        # No density anywhere, or no draws: the prior is all atoms, or improper.
        return None


def both(r: FloatArray | float) -> FloatArray:
    """θ of two statements, of which the first has the share r."""
    return np.stack([r, 1.0 - r], axis=-1)


@dataclass(frozen=True, eq=False)
class RateTheta:
    """θ = (r, 1 − r) after the data, asked as a `DirichletMixture` is.

    Attributes
    ----------
    evidence : Evidence
    prior : RatePrior
    """

    evidence: Evidence
    prior: RatePrior

    #: There is no second prior beside it, and no vectors were drawn.
    alone: ClassVar[None] = None
    states: ClassVar[None] = None

    @cached_property
    def found(self) -> RatePosterior:
        """The share r after the data."""
        return RatePosterior.of(self._first, self.prior)

    @property
    def _first(self) -> FloatArray:
        """P(the first is better) on each dataset by its own data."""
        return self.evidence.each_alone(np.ones(1))[:, 0]

    @property
    def _log_totals(self) -> FloatArray:
        """Log ℓ of each dataset, summed over the statements."""
        return log_sum(self.evidence.rows[0], axis=1)

    @property
    def log_evidence(self) -> float:
        """Log evidence of the rows."""
        return self.found.log_evidence + float(self._log_totals.sum())

    def p_max(self) -> FloatArray:
        """P(r > ½) and P(r < ½); no statement is left unlisted."""
        return np.array([self.found.first, self.found.second, 0.0])

    def mcse(self) -> None:
        """Return no error: it is exact."""

    def mean(self) -> FloatArray:
        """E θ."""
        return both(self.found.mean)

    def betas(self, s: int) -> RatePosterior:
        """Return θ_s: its sd and quantiles."""
        if s == 0:
            return self.found
        return RatePosterior.of(1.0 - self._first, self.prior.mirrored())

    def per_dataset(self) -> FloatArray:
        """P of either statement on each dataset, given all of them, (n, 2)."""
        return both(self.found.wins)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, (n,) each."""
        within = np.log(both(self._first) @ self.mean())
        return self._log_totals + self.found.log_predictive, self._log_totals + within

    def draw(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw log θ, (size, 3); last of what is not listed."""
        with np.errstate(divide="ignore"):
            return np.log(np.pad(both(self.found.draw(size, rng)), ((0, 0), (0, 1))))

    def with_power(self, power: float) -> RateTheta:
        """Return the same under the density of logit r to a power."""
        return RateTheta(self.evidence, replace(self.prior, weight=power * self.prior.weight))

    def given(self, evidence: Evidence) -> RateTheta:
        """Return the same after other data."""
        return RateTheta(evidence, self.prior)
