r"""Bridge sampling: the log normalising constant of a density that is known up to a factor.

With draws from the density :math:`p^*` = p/z and from a proposal g,

.. math:: z = \frac{\mathrm{E}_g[\,h\,p\,]}{\mathrm{E}_{p^*}[\,h\,g\,]}, \qquad
          h = \frac{1}{s_1\, p / z + s_2\, g}

for the function h of least error, which depends on z itself: one root in log z.

References
----------
Meng & Wong (1996), Statistica Sinica 6, 831–860; Frühwirth-Schnatter (2004), Econometrics Journal
7, 143–167, for the error; Gronau et al. (2017), Journal of Mathematical Psychology 81, 80–97.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from bayescompare._typing import FloatArray

__all__ = ["Bridge", "bridge_autocorrelation_time", "bridge_constant"]


@dataclass(frozen=True)
class Bridge:
    """A log normalising constant with its relative standard error.

    Attributes
    ----------
    log_constant : float
    error : float
        Root of the relative mean squared error of the constant, the standard error of its log.
    overlap : float
        From 0 to 1: the mean probability that a draw is taken for one of the other kind, over
        what it would be if draws and proposals were alike. Near 0 the error is not to be trusted.
    """

    log_constant: float
    error: float
    overlap: float


def bridge_constant(drawn: FloatArray, proposed: FloatArray) -> Bridge:
    r"""Estimate log z by the optimal bridge, with its relative error.

    .. math:: \mathrm{RE}^2 = \frac{1}{N_2} \frac{\mathrm{Var}_g f_1}{\mathrm{E}_g^2 f_1}
              + \frac{\tau}{N_1} \frac{\mathrm{Var}_{p^*} f_2}{\mathrm{E}_{p^*}^2 f_2},
              \quad f_1 = h\,p^*,\ f_2 = h\,g,

    where τ is the autocorrelation time of f₂ along the chains.

    Parameters
    ----------
    drawn : array (chains, draws)
        log p − log g at draws from p, finite.
    proposed : array (N,)
        The same at independent draws from g; −∞ where p vanishes.

    Returns
    -------
    Bridge

    Examples
    --------
    The density e^(−x²/2) has the constant √(2π), whose log is 0.919; here with a wider proposal.

    >>> from scipy.stats import norm
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.normal(size=(4, 2000)), rng.normal(size=8000) * 1.2
    >>> ratio = lambda v: -v**2 / 2 - norm.logpdf(v, scale=1.2)
    >>> found = bridge_constant(ratio(x), ratio(y))
    >>> round(found.log_constant, 2), found.error < 0.01
    (0.92, True)
    """
    chained = np.atleast_2d(drawn)
    own = chained.ravel()
    # Chains are worth fewer independent draws.
    effective = own.size / bridge_autocorrelation_time(chained)
    first = math.log(effective / (effective + proposed.size))
    second = math.log(proposed.size / (effective + proposed.size))

    def excess(log_z: float) -> float:
        above = logsumexp(proposed - np.logaddexp(first + proposed, second + log_z))
        below = logsumexp(-np.logaddexp(first + own, second + log_z))
        return float(above - math.log(proposed.size) - below + math.log(own.size) - log_z)

    log_z = _bridge_root(excess, float(np.median(own)))
    f1 = np.exp(proposed - log_z - np.logaddexp(first + proposed - log_z, second))
    f2 = np.exp(-np.logaddexp(first + chained - log_z, second))
    time = bridge_autocorrelation_time(f2)
    squared = (
        _bridge_relative_variance(f1) / f1.size + time * _bridge_relative_variance(f2) / f2.size
    )
    # Both are 1 if draws and proposals are alike.
    overlap = 0.5 * (float(f1.mean()) + float(f2.mean()))
    return Bridge(log_z, math.sqrt(squared), min(overlap, 1.0))


def _bridge_root(excess: object, start: float) -> float:
    """The root of a function that decreases; the bracket grows until it holds it."""
    assert callable(excess)
    low, high, step = start - 1.0, start + 1.0, 1.0
    while excess(low) < 0.0:
        low, step = low - step, 2.0 * step
    step = 1.0
    while excess(high) > 0.0:
        high, step = high + step, 2.0 * step
    return float(brentq(excess, low, high, xtol=1e-12))


def _bridge_relative_variance(values: FloatArray) -> float:
    mean = float(values.mean())
    return float(values.var()) / mean**2 if mean > 0.0 else math.inf


def bridge_autocorrelation_time(values: FloatArray) -> float:
    r"""Draws of chains that are worth one independent draw, for the mean of `values`.

    τ = 1 + 2 Σ ρ_t, summed while sums of neighbours are positive and decreasing (Geyer 1992), with
    ρ_t against the variance within and between chains (Vehtari et al. 2021). At least 1.

    Parameters
    ----------
    values : array (chains, draws)

    Examples
    --------
    >>> steps = np.random.default_rng(1).normal(size=(4, 20_000))
    >>> chain = np.empty_like(steps)
    >>> chain[:, 0] = steps[:, 0]
    >>> for t in range(1, 20_000):
    ...     chain[:, t] = 0.5 * chain[:, t - 1] + steps[:, t]
    >>> abs(bridge_autocorrelation_time(chain) - 3.0) < 0.3  # (1 + ½)/(1 − ½)
    True
    """
    chains, n = values.shape
    if n < 4 or not np.ptp(values) > 0.0:
        return 1.0
    covariance = _bridge_autocovariance(values)
    within = float(covariance[:, 0].mean()) * n / (n - 1)
    between = float(values.mean(axis=1).var(ddof=1)) if chains > 1 else 0.0
    total = within * (n - 1) / n + between
    if not total > 0.0:
        return 1.0
    rho = 1.0 - (within - covariance.mean(axis=0) * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    positive = int(np.argmax(pairs <= 0.0)) if (pairs <= 0.0).any() else pairs.size
    return max(1.0, float(2.0 * np.minimum.accumulate(pairs[:positive]).sum() - 1.0))


def _bridge_autocovariance(values: FloatArray) -> FloatArray:
    """Autocovariance of each chain at every lag, by Fourier transform."""
    n = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    size = 2 ** math.ceil(math.log2(2 * n))
    spectrum = np.fft.rfft(centred, size, axis=1)
    whole = np.fft.irfft(spectrum * np.conj(spectrum), size, axis=1)[:, :n]
    return np.asarray(whole / n)
