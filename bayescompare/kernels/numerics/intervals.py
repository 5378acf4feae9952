r"""Intervals of a distribution that is known by its quantiles, and of draws.

The equal-tailed interval of mass p lies between the quantiles at :math:`(1 - p)/2` and
:math:`(1 + p)/2`. The highest-density interval is the shortest one of that mass,

.. math:: [Q(t), Q(t + p)] \quad\text{with}\quad t = \arg\min_{0 \le t \le 1 - p} Q(t + p) - Q(t),

which for a density with one mode is where it is highest.

References
----------
Hyndman (1996), Computing and graphing highest density regions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.special import betainc, betaincinv

from bayescompare._typing import FloatArray

__all__ = [
    "IntervalKind",
    "as_probability",
    "beta_mixture_quantile",
    "draws_interval",
    "quantile_interval",
]

IntervalKind = Literal["eti", "hdi"]

#: Where the shortest interval is looked for first, and how often more closely.
_POINTS, _ZOOMS = 41, 9
#: Halvings of a bracket: to about 1e-15.
_HALVINGS = 52
#: What a probability may lie outside [0, 1] by.
_ROUNDING = 1e-12


def as_probability(p: FloatArray | float, *, foreign: bool = False) -> FloatArray:
    """Return probabilities within [0, 1]: what lies outside by rounding is moved to the end.

    Sums and products of floats that are one in theory come out as 1.0000000000000033. NaN stays.

    Parameters
    ----------
    p : array or float
    foreign : bool
        Whether they come from a file or from a method of the user's: then more is taken for
        rounding, 1e-6, and what lies further outside is left for the checks of these.

    Raises
    ------
    ArithmeticError
        If one lies outside by more than rounding, 1e-12: then it is no probability.

    Examples
    --------
    >>> as_probability(np.array([-1e-17, 0.5, 1.0 + 3e-15])).tolist()
    [0.0, 0.5, 1.0]
    """
    inside = np.clip(p, 0.0, 1.0)
    if foreign:
        return np.where(np.abs(p - inside) <= 1e-6, inside, p)
    if (np.abs(p - inside) > _ROUNDING).any():
        worst = float(np.nanmax(np.abs(p - inside)))
        raise ArithmeticError(
            f"a probability lies outside [0, 1] by {worst:.1g}: please report this"
        )
    return np.asarray(inside)


def quantile_interval(
    quantile: Callable[[FloatArray], FloatArray], mass: float, kind: IntervalKind
) -> tuple[float, float]:
    """Return the interval of a distribution with these quantiles.

    Parameters
    ----------
    quantile : callable
        From levels between 0 and 1 to quantiles, arrays of the same length.
    mass : float
        Between 0 and 1.
    kind : {"eti", "hdi"}

    Examples
    --------
    >>> [round(end, 6) for end in quantile_interval(lambda q: q**2, 0.5, "eti")]
    [0.0625, 0.5625]
    >>> [round(end, 6) for end in quantile_interval(lambda q: q**2, 0.5, "hdi")]
    [0.0, 0.25]
    """
    if kind == "eti":
        low, high = quantile(np.array([(1.0 - mass) / 2.0, (1.0 + mass) / 2.0]))
        return float(low), float(high)
    first, last = 0.0, 1.0 - mass
    for _ in range(_ZOOMS):
        levels = np.linspace(first, last, _POINTS)
        low, high = quantile(levels), quantile(np.minimum(levels + mass, 1.0))
        best = int(np.argmin(high - low))
        first, last = levels[max(best - 1, 0)], levels[min(best + 1, _POINTS - 1)]
        # Further in, only rounding errors differ.
        if last - first < 1e-12:
            break
    return float(low[best]), float(high[best])


def beta_mixture_quantile(
    weight: FloatArray, first: FloatArray, second: FloatArray, levels: FloatArray
) -> FloatArray:
    """Return quantiles of a mixture of Beta(first, second), by halving a bracket.

    Examples
    --------
    >>> one = np.ones(1)
    >>> beta_mixture_quantile(one, one, 2.0 * one, np.array([0.75])).round(6).tolist()
    [0.5]
    """
    kept = weight > 1e-20
    first, second = first[kept], second[kept]
    share = weight[kept] / weight[kept].sum()
    each = betaincinv(first, second, levels[:, None])
    low, high = each.min(axis=1), each.max(axis=1)
    if len(share) == 1:
        return np.asarray(low)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        below = betainc(first, second, middle[:, None]) @ share < levels
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(high)


def draws_interval(draws: FloatArray, mass: float, kind: IntervalKind) -> FloatArray:
    """Return the interval of each column of draws (S, K), as ArviZ does: (2, K).

    Examples
    --------
    >>> draws = np.arange(101.0)[:, None] ** 2
    >>> draws_interval(draws, 0.5, "eti")[:, 0].tolist()
    [625.0, 5625.0]
    >>> draws_interval(draws, 0.5, "hdi")[:, 0].tolist()
    [0.0, 2500.0]
    """
    if kind == "eti":
        return np.asarray(np.quantile(draws, [(1.0 - mass) / 2.0, (1.0 + mass) / 2.0], axis=0))
    values = np.sort(draws, axis=0)
    n = len(values)
    inside = min(int(np.floor(mass * n)), n - 1)
    start = np.argmin(values[inside:] - values[: n - inside], axis=0)
    columns = np.arange(values.shape[1])
    return np.stack([values[start, columns], values[start + inside, columns]])
