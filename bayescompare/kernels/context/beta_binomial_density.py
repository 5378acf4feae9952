r"""The Beta-binomial likelihood of all datasets, without cancellation anywhere.

With :math:`\rho = 1/(1 + \varphi)`, and numerator and denominator times powers of ρ,

.. math:: \prod_i \binom{n_i}{k_i} \frac{\prod_{j<k_i} (\mu(1-\rho) + j\rho)
          \prod_{j<n_i-k_i} ((1-\mu)(1-\rho) + j\rho)}{\prod_{j<n_i} (1 - \rho + j\rho)} .
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, gammaln, log_expit

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["Density", "LogPrior", "beta_binomial_logit_likelihood", "posterior_density"]

LogPrior = Callable[[FloatArray], FloatArray]
Density = Callable[[FloatArray, FloatArray], FloatArray]

_DIRECT = 16


class _BetaBinomialTally(NamedTuple):
    """Counts, as exponents of x + jρ: one for each j < 16, and larger counts one by one."""

    below: FloatArray
    beyond: FloatArray
    times: FloatArray


def _tally_beta_binomial(counts: FloatArray) -> _BetaBinomialTally:
    below = (counts[:, None] > np.arange(_DIRECT)).sum(axis=0).astype(np.float64)
    beyond, times = np.unique(counts[counts > _DIRECT], return_counts=True)
    return _BetaBinomialTally(below, beyond - _DIRECT, times.astype(np.float64))


def posterior_density(
    k_h: ArrayLike,
    k_g: ArrayLike,
    log_prior_mu: LogPrior | None,
    log_prior_rho: LogPrior | None,
) -> Density:
    """Return the log of evidence times posterior density of (logit μ, logit ρ), as a function."""
    likelihood = beta_binomial_logit_likelihood(
        np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)
    )

    def density(u: FloatArray, v: FloatArray) -> FloatArray:
        value = likelihood(u, v) + log_expit(u) + log_expit(-u) + log_expit(v) + log_expit(-v)
        if log_prior_mu is not None:
            value = value + log_prior_mu(expit(u))
        if log_prior_rho is not None:
            value = value + log_prior_rho(expit(v))
        return np.asarray(value)

    return density


def beta_binomial_logit_likelihood(first: FloatArray, second: FloatArray) -> Density:
    """Return the log likelihood of (logit μ, logit ρ), as a function."""
    n = first + second
    splits = float((gammaln(n + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)).sum())
    tallies = (
        *_tally_beta_binomial(first),
        *_tally_beta_binomial(second),
        *_tally_beta_binomial(n),
    )

    def likelihood(u: FloatArray, v: FloatArray) -> FloatArray:
        rates = expit(u), expit(-u), expit(v), expit(-v)
        return np.asarray(splits + _beta_binomial_log_likelihood(*rates, *tallies))

    return likelihood


@jit()
def _beta_binomial_log_likelihood(
    mu: FloatArray,
    not_mu: FloatArray,
    rho: FloatArray,
    not_rho: FloatArray,
    first_below: FloatArray,
    first_beyond: FloatArray,
    first_times: FloatArray,
    second_below: FloatArray,
    second_beyond: FloatArray,
    second_times: FloatArray,
    all_below: FloatArray,
    all_beyond: FloatArray,
    all_times: FloatArray,
) -> FloatArray:
    out = np.empty(len(mu))
    for m in range(len(mu)):
        r = rho[m]
        out[m] = (
            _log_beta_binomial_rising(mu[m] * not_rho[m], r, first_below, first_beyond, first_times)
            + _log_beta_binomial_rising(
                not_mu[m] * not_rho[m], r, second_below, second_beyond, second_times
            )
            - _log_beta_binomial_rising(not_rho[m], r, all_below, all_beyond, all_times)
        )
    return out


@jit()
def _log_beta_binomial_rising(
    x: float, rho: float, below: FloatArray, beyond: FloatArray, times: FloatArray
) -> float:
    """Sum over datasets of Σ_{j<c} log(x + jρ); by Stirling's series from j = 16 on."""
    total = 0.0
    for j in range(_DIRECT):
        if below[j] > 0.0:
            total += below[j] * math.log(x + j * rho)
    if len(beyond) > 0:
        y = x + _DIRECT * rho
        for c in range(len(beyond)):
            total += times[c] * _log_beta_binomial_product(y, rho, beyond[c])
    return total


@jit()
def _log_beta_binomial_product(y: float, rho: float, m: float) -> float:
    """Sum of log(y + jρ) over j < m, where y is at least 16 ρ."""
    a = y / rho
    share = m / a
    if share < 1e-3:
        # a log(1 + m/a) − m, without the difference of near equals.
        series = 1 / 2 - share * (1 / 3 - share * (1 / 4 - share * (1 / 5 - share / 6)))
        leading = -m * share * series
    else:
        leading = a * math.log1p(share) - m
    leading += m * math.log(y + m * rho) - 0.5 * math.log1p(share)
    return leading + _beta_binomial_stirling(a + m) - _beta_binomial_stirling(a)


@jit()
def _beta_binomial_stirling(x: float) -> float:
    """log Γ(x) − (x − ½) log x + x − ½ log 2π, for x >= 16."""
    w = 1.0 / (x * x)
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / x
