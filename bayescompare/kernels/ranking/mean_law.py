r"""The exact law of a mean under the Bayesian bootstrap, without a draw.

With :math:`g_i \sim \mathrm{Gamma}(a)` independent and importances v,

.. math:: S = \frac{\sum_i v_i g_i x_i}{\sum_i v_i g_i}, \qquad
          P(S > c) = P\Bigl(\sum_i b_i g_i > 0\Bigr), \quad b_i = v_i (x_i - c) ,

and the characteristic function of that sum is known. By Gil-Pelaez, with :math:`u = e^t`,

.. math:: P(S > c) = \tfrac12 + \frac1\pi \int_{-\infty}^{\infty}
          \frac{\sin\bigl(a \sum_i \arctan(b_i e^t)\bigr)}
               {\prod_i (1 + b_i^2 e^{2t})^{a/2}}\,\mathrm{d}t .

The integrand is analytic and decays exponentially on both sides, so that the trapezoidal rule
converges faster than any power of its step.

References
----------
Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38; Imhof (1961), Computing the
distribution of quadratic forms in normal variables, Biometrika 48.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.kernels.ranking.bootstrap import effective_ranking_number, ranking_concentration

__all__ = ["MOST_EXACT_UNITS", "mean_above", "mean_quantile"]

#: Units up to which the integral is quick; beyond, draws do as well.
MOST_EXACT_UNITS = 500

#: Two successive rules must agree this closely.
_AGREE = 1e-12
#: The integrand is left out where it is below e^-40.
_TAIL = 40.0
_BLOCK = 4_000_000


def mean_above(
    values: FloatArray, importance: FloatArray, threshold: float = 0.0, *, noise: float = 0.0
) -> float:
    """P(the resampled mean is above a threshold), under the widened bootstrap.

    Parameters
    ----------
    values, importance : array (n,)
        n effective units, more than four.
    threshold : float
    noise : float
        Values this close to the threshold are equal to it.

    Examples
    --------
    By symmetry, and where every value is on one side:

    >>> mean_above(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.ones(5))
    0.5
    >>> mean_above(np.array([1.0, 2.0, 1.0, 1.0, 3.0]), np.ones(5))
    1.0
    """
    apart = values - threshold
    b = importance * np.where(np.abs(apart) <= noise, 0.0, apart)
    b = b[b != 0.0]
    if not len(b) or (b < 0.0).all():
        return 0.0
    if (b > 0.0).all():
        return 1.0
    shape = ranking_concentration(effective_ranking_number(importance))
    b = b / np.abs(b).max()
    return float(as_probability(0.5 + _mean_law_integral(b, shape) / math.pi))


def _mean_law_integral(b: FloatArray, shape: float) -> float:
    """Halve the step of the trapezoidal rule until two successive ones agree."""
    low = math.log(1e-17 / (shape * float(np.abs(b).sum())))
    high = 1.0
    while _mean_law_log_modulus(b, shape, np.array([high]))[0] < _TAIL:
        high += 0.25 * high + 1.0
    step = 0.25
    total = step * float(_mean_law_integrand(b, shape, np.arange(low, high, step)).sum())
    while step > 1e-4:
        middle = np.arange(low + 0.5 * step, high, step)
        finer = 0.5 * total + 0.5 * step * float(_mean_law_integrand(b, shape, middle).sum())
        if abs(finer - total) <= _AGREE:
            return finer
        total, step = finer, 0.5 * step
    return total


def _mean_law_integrand(b: FloatArray, shape: float, t: FloatArray) -> FloatArray:
    size = max(1, _BLOCK // len(b))
    parts = []
    for start in range(0, len(t), size):
        part = t[start : start + size]
        angle = shape * np.arctan(b[:, None] * np.exp(part)).sum(axis=0)
        parts.append(np.sin(angle) * np.exp(-_mean_law_log_modulus(b, shape, part)))
    return np.concatenate(parts)


def _mean_law_log_modulus(b: FloatArray, shape: float, t: FloatArray) -> FloatArray:
    """Log of the denominator; log1p(e^x) by logaddexp, since e^t may overflow."""
    logs = 2.0 * (np.log(np.abs(b))[:, None] + t)
    return np.asarray(0.5 * shape * np.logaddexp(0.0, logs).sum(axis=0))


def mean_quantile(values: FloatArray, importance: FloatArray, p: float) -> float:
    """Return the value that the resampled mean is below with probability p.

    Examples
    --------
    >>> x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> round(mean_quantile(x, np.ones(5), 0.5), 9)
    0.0
    >>> round(mean_quantile(x, np.ones(5), 0.05) + mean_quantile(x, np.ones(5), 0.95), 9)
    0.0
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low

    def excess(c: float) -> float:
        return 1.0 - mean_above(values, importance, c) - p

    # To the digits that `mean_above` has, wherever the last step falls.
    return float(brentq(excess, low, high, xtol=1e-14 * (high - low)))
