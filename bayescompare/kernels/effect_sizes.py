r"""How large differences are: mean and median with intervals, and the share of datasets won.

The interval of the mean is Student's t, :math:`\bar d \pm t_{n-1} s/\sqrt n`: of normal differences
the central posterior interval under a flat prior. That of the median is between two order
statistics, :math:`[d_{(k)}, d_{(n+1-k)}]` with the largest k for which

.. math:: 2 \sum_{i < k} \binom{n}{i} 2^{-n} \le 1 - \text{level} ,

which covers the median of any distribution with at least that probability; five datasets or fewer
have none at 95 %.

References
----------
Conover (1999), Practical Nonparametric Statistics, Section 3.2, for the interval of the median.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, stdtrit

from bayescompare._typing import FloatArray


class EffectSizes(NamedTuple):
    """Figures over the leading axes; NaN where there are too few datasets.

    `won` and `lost` are shares of datasets on which the difference is above and below zero, beyond
    the rope if there is one; the rest are ties.
    """

    mean: FloatArray
    mean_lower: FloatArray
    mean_upper: FloatArray
    median: FloatArray
    median_lower: FloatArray
    median_upper: FloatArray
    won: FloatArray
    lost: FloatArray


def effect_sizes(
    difference: FloatArray, noise: FloatArray, rope: float | None = None, *, level: float = 0.95
) -> EffectSizes:
    """Summarise differences along the last axis, the datasets.

    Parameters
    ----------
    difference : array (…, n)
        Positive where the first is better.
    noise : array (…, n)
        Differences up to this size, or this much beyond the rope, are float noise.
    rope : float, optional
        Differences up to this size are ties.
    level : float
        Of the intervals.

    Examples
    --------
    >>> found = effect_sizes(np.array([1.0, 2.0, 3.0, 4.0, 5.0, -1.0]), np.zeros(6))
    >>> round(float(found.mean), 3), float(found.median), round(float(found.won), 3)
    (2.333, 2.5, 0.833)
    >>> float(found.median_lower), float(found.median_upper)
    (-1.0, 5.0)
    """
    n = difference.shape[-1]
    # By a power of two, which rounds nothing: the largest floats have neither sums nor squares.
    power = np.frexp(np.abs(difference).max(axis=-1, initial=0.0))[1]
    scaled = np.ldexp(difference, -power[..., None])
    mean = scaled.mean(axis=-1)
    half = np.full(mean.shape, np.nan)
    if n > 1:
        error = scaled.std(axis=-1, ddof=1) / np.sqrt(n)
        half = stdtrit(n - 1, 0.5 + 0.5 * level) * error
    ordered = np.sort(scaled, axis=-1)
    ends = _effect_size_order_statistics(ordered, level)
    sizes = np.stack([mean, mean - half, mean + half, np.median(ordered, axis=-1), *ends])
    with np.errstate(over="ignore"):
        sizes = finite_effect_sizes(np.ldexp(sizes, power))
    width = (rope or 0.0) + noise
    shares = (difference > width).mean(axis=-1), (difference < -width).mean(axis=-1)
    return EffectSizes._make([*sizes, *shares])


def finite_effect_sizes(sizes: FloatArray) -> FloatArray:
    """Take the largest float for what is beyond it."""
    largest = np.finfo(np.float64).max
    return np.clip(sizes, -largest, largest)


def _effect_size_order_statistics(
    ordered: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the two order statistics between which the median lies."""
    n = ordered.shape[-1]
    # The number of values below the median is Binomial(n, ½).
    tails = 2.0 * bdtr(np.arange((n + 1) // 2), n, 0.5)
    k = int((tails <= 1.0 - level).sum())
    if k == 0:
        missing = np.full(ordered.shape[:-1], np.nan)
        return missing, missing
    return ordered[..., k - 1], ordered[..., n - k]
