"""The pooled model with its priors raised to a power, for `sensitivity`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial import LogPrior, pool_beta_binomial

__all__ = ["power_probabilities"]


def power_probabilities(
    k_h: FloatArray,
    k_g: FloatArray,
    densities: Mapping[str, Any],
    power: float,
    *,
    of_phi: bool,
) -> tuple[float, float]:
    """P(the first is better on most datasets) and P(the second is).

    The density of logit μ is raised to the power, and that of logit ρ, or of φ where the prior is
    on φ; so uniform priors become Beta(γ, γ). What is lost of their total cancels.
    """
    scaled = {
        "log_prior_mu": _powered(densities["log_prior_mu"], power),
        "log_prior_rho": _powered(densities["log_prior_rho"], power, of_phi=of_phi),
    }
    found = pool_beta_binomial(k_h, k_g, **scaled, tolerance=1e-7)
    return found.first, found.second


def _powered(log_prior: LogPrior | None, power: float, *, of_phi: bool = False) -> LogPrior:
    """The density of a share, given that of its logit (or of φ) to a power."""

    def density(share: FloatArray) -> FloatArray:
        own = np.zeros_like(share) if log_prior is None else log_prior(share)
        logit = np.log(share) + np.log1p(-share)
        # dφ/dρ is 1/ρ², dt/dρ is 1/(ρ(1 − ρ)).
        jacobian = 2.0 * np.log(share) if of_phi else logit
        with np.errstate(invalid="ignore"):
            scaled = power * (own + jacobian) - jacobian
        return np.where(own == -np.inf, -np.inf, scaled)

    return density
