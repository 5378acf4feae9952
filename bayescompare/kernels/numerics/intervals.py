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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    log_expit,
)

from bayescompare._typing import FloatArray

IntervalKind = Literal["eti", "hdi"]

#: Where the shortest interval is looked for first, and how often more closely.
_POINTS, _ZOOMS = 41, 9
#: Logits beyond which floats are 0 or 1, and how closely two logs of a quantile's level agree.
_FAR, _CLOSE = 750.0, 1e-12
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
    weight: FloatArray,
    first: FloatArray,
    second: FloatArray,
    level: ArrayLike,
    scale: FloatArray | None = None,
) -> FloatArray:
    r"""Return quantiles of mixtures of Betas, as many digits of them in the tails as elsewhere.

    With :math:`t = \operatorname{logit} x` they solve :math:`\log F(t) = \log q` up to the median
    and :math:`\log(1 - F(t)) = \log(1 - q)` above it, by Newton's steps; a step that would leave
    the bracket halves it. The search ends where both logs agree to 1e-12 and the step is below
    1e-11, or where neighbouring floats bracket q: at an atom, or where the density is high.

    Parameters
    ----------
    weight : array (C,)
    first, second : array (C,) or (C, K)
        Parameters of the Betas; 0 leaves all the mass at one end.
    level : float or array (K,)
    scale : array (C,), optional
        At most 1: each Beta lies between 0 and its scale.

    Examples
    --------
    >>> weight, one = np.array([0.5, 0.5]), np.array([1.0, 1.0])
    >>> beta_mixture_quantile(weight, one, 2.0 * one, 0.75).round(12).tolist()
    [0.5]
    >>> [f"{x:.10g}" for x in beta_mixture_quantile(weight, 0.5 * one, one, [0.0, 1e-20, 1.0])]
    ['0', '1e-40', '1']
    """
    q = np.atleast_1d(np.asarray(level, dtype=np.float64))
    kept = weight > 1e-20 * np.minimum(q, 1.0 - q).min()
    a, b = (np.maximum(part[kept].reshape(kept.sum(), -1), 1e-300) for part in (first, second))
    a, b, _ = np.broadcast_arrays(a, b, q)
    weight = weight[kept] / weight[kept].sum()
    size = None if scale is None or (scale[kept] == 1.0).all() else scale[kept][:, None]
    lower, small, log_beta = q <= 0.5, np.minimum(q, 1.0 - q) < 1e-3, betaln(a, b)
    sign = np.where(lower, 1.0, -1.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        goal = np.where(lower, np.log(q), np.log1p(-q))
        # A start from the Betas that weigh: inverses are slow.
        some = weight > 0.05 * weight.max()
        x, y = betaincinv(a[some], b[some], q), betainccinv(b[some], a[some], q)
        if size is not None:
            x = x * size[some]
            y = 1.0 - x
        each = np.where(x <= 0.5, np.log(x) - np.log1p(-x), np.log1p(-y) - np.log(y))
        t = weight[some] / weight[some].sum() @ np.clip(np.nan_to_num(each), -_FAR, _FAR)
        low, high, unsolved = np.full_like(t, -_FAR), np.full_like(t, _FAR), np.isfinite(t)
        while unsolved.any():
            if size is None:
                # The tail on the side of q, from the end that t is near: no digit is lost.
                left, z = t <= 0.0, _from_logit(-np.abs(t))
                near, far = np.where(left, a, b), np.where(left, b, a)
                tail = betainc(near, far, z)
                tail = np.where(left == lower, tail, 1.0 - tail)
                # Thirty times slower, and needed only for what is left of 1 in a small tail.
                rest = np.broadcast_to((left != lower) & small, tail.shape)
                tail[rest] = betaincc(near[rest], far[rest], np.broadcast_to(z, tail.shape)[rest])
                density = np.exp(a * log_expit(t) + b * log_expit(-t) - log_beta)
            else:
                u = np.minimum(_from_logit(t) / size, 1.0)
                v = np.maximum(1.0 - u, 0.0)
                tail = np.where(lower, betainc(a, b, u), betainc(b, a, v))
                density = np.exp(a * np.log(u) + b * np.log(v) - log_beta + log_expit(-t)) / v
                density = np.where(v > 0.0, density, 0.0)
            mass = weight @ tail
            slope = weight @ density / mass
            excess = sign * (np.log(mass) - goal)
            low, high = np.where(excess < 0.0, t, low), np.where(excess < 0.0, high, t)
            after, middle = t - excess / slope, 0.5 * (low + high)
            close = (np.abs(excess) <= _CLOSE) & (np.abs(after - t) <= 10.0 * _CLOSE)
            after = np.where((after > low) & (after < high), after, np.where(close, t, middle))
            if size is not None:
                # Above an atom, not just below it.
                after = np.where(close | (low < middle) & (middle < high), after, high)
            t = np.where(unsolved, after, t)
            unsolved &= ~close & (low < middle) & (middle < high)
            unsolved &= np.nextafter(_from_logit(low), 1.0) < _from_logit(high)
    found = _from_logit(t)
    return np.where(found > 5e-324, found, 0.0)


@dataclass(frozen=True, eq=False)
class Betas:
    """A share θ_s as a mixture of scaled Betas: X = scale · Beta(first, second) with `weight`.

    second = 0 is an atom at scale.
    """

    weight: FloatArray
    scale: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def mixed(cls, several: Sequence[Betas]) -> Betas:
        """Put mixtures together, without what has no weight."""
        fields = ("weight", "scale", "first", "second")
        weight, *rest = (np.concatenate([getattr(b, name) for b in several]) for name in fields)
        kept = weight > 1e-20
        return cls(weight[kept] / weight[kept].sum(), *(each[kept] for each in rest))

    def above(self, x: float) -> float:
        """P(X > x); equality counts half."""
        left = 1.0 - x / self.scale
        tail = betainc(self.second, self.first, np.maximum(left, 0.0))
        return float(self.weight @ np.where(self.second > 0.0, tail, np.heaviside(left, 0.5)))

    @property
    def sd(self) -> float:
        """Standard deviation of X."""
        total = self.first + self.second
        mean = self.scale * self.first / total
        square = mean * self.scale * (self.first + 1.0) / (total + 1.0)
        # An atom has no spread of its own.
        square = np.where(self.second > 0.0, square, self.scale**2)
        mean = np.where(self.second > 0.0, mean, self.scale)
        return math.sqrt(max(float(self.weight @ square - (self.weight @ mean) ** 2), 0.0))

    def quantile(self, level: FloatArray) -> FloatArray:
        """Return the least x with P(X ≤ x) ≥ level, for every level."""
        return beta_mixture_quantile(self.weight, self.first, self.second, level, self.scale)


def _from_logit(t: FloatArray) -> FloatArray:
    """Return x, to the last digit near 1 too."""
    z = np.exp(-np.abs(t)) / (1.0 + np.exp(-np.abs(t)))
    return np.asarray(np.where(t <= 0.0, z, 1.0 - z))


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
