"""A prior of r of the user's, as a density for the quadrature over r."""

from __future__ import annotations

from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare.kernels.context.rate_quadrature import RatePrior, beta_prior_for_quadrature
from bayescompare.methods._shared.priors import constant_beta, draws_of_prior, log_density_of

__all__ = ["rate_prior_of"]

#: A prior whose integral is further from 1 has mass that the quadrature does not see.
_EXACT = 1e-6
#: Draws that show where the prior is.
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
        return beta_prior_for_quadrature(*shape)
    density = log_density_of("r", value)
    if density is None:
        return None
    try:
        prior = RatePrior.of_rate(density, draws_of_prior("r", value, _HINTS))
        return prior if abs(prior.log_total) <= _EXACT else None
    except (ArithmeticError, BayescompareError):
        # No density anywhere, or no draws: the prior is all atoms, or improper.
        return None
