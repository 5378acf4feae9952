"""Numbers about a context as a whole: the share of datasets on which the first is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.outcome.columns import theta_columns
from bayescompare.outcome.details import Scalars

__all__ = ["PooledScalars", "RateScalars", "rate_scalars"]


@dataclass(frozen=True, kw_only=True)
class RateScalars(Scalars):
    """Mean, sd and central 95 % interval of the share; with a rope there is no sd."""

    rate_mean: float
    rate_sd: float | None = None
    rate_lower: float
    rate_upper: float

    @property
    def rate(self) -> dict[str, float]:
        """The figures of the share, by what they are."""
        scalars = {
            "mean": self.rate_mean,
            "sd": self.rate_sd,
            "lower": self.rate_lower,
            "upper": self.rate_upper,
        }
        return {name: value for name, value in scalars.items() if value is not None}

    @property
    def both(self) -> dict[str, FloatArray]:
        """Mean and interval of the share of datasets on which each of the two is better."""
        mean, low, high = self.rate_mean, self.rate_lower, self.rate_upper
        return theta_columns(
            np.array([mean, 1.0 - mean]), np.array([low, 1.0 - high]), np.array([high, 1.0 - low])
        )


def rate_scalars(mean: float, sd: float, low: float, high: float) -> RateScalars:
    """Return the figures of the share as plain numbers."""
    return RateScalars(
        rate_mean=float(mean), rate_sd=float(sd), rate_lower=float(low), rate_upper=float(high)
    )


@dataclass(frozen=True, kw_only=True)
class PooledScalars(RateScalars):
    """Besides, mean and sd of μ, the mean error share, and of ρ, how little is in common."""

    mu_mean: float
    mu_sd: float
    rho_mean: float
    rho_sd: float

    @property
    def pooling(self) -> dict[str, dict[str, float]]:
        """The figures of μ and ρ, by what they are."""
        return {
            "mu": {"mean": self.mu_mean, "sd": self.mu_sd},
            "rho": {"mean": self.rho_mean, "sd": self.rho_sd},
        }
