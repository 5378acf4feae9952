r"""The grid on which a measure's log ratios are averaged, and the interval that it must cover.

The sum C of the log ratios of a measure's children lies in a bounded interval. A function h that is
analytic in C is averaged over the law of C by its characteristic function: h is faded out beyond
the interval by a Kaiser window, which makes it periodic without a kink, and

.. math:: E\,h(C) = \sum_k h(c_k)\,w(c_k)\,q_k, \qquad
          q_k = \frac1N \sum_{|j| < N/2} E[e^{iω_j C}]\,e^{-iω_j c_k}

is exact but for frequencies of h·w beyond ω_{N/2}.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import i0e

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.network.log_cells import log_odds_range

__all__ = ["MOST_POINTS", "RatioGrid", "ratio_range", "sum_ratio_ranges"]

#: Largest grid: beyond it drawing is faster.
MOST_POINTS = 1024
#: Shape of the Kaiser window: what it leaves out is e^−26.
_KAISER = 26.0
#: Intervals are not taken narrower than this.
_NARROWEST = 1e-9
#: Points at which the bounds of a log ratio are computed.
_TRIED = 65


@dataclass(frozen=True)
class RatioGrid:
    """An even grid over the sum C of the log ratios of a measure's children.

    Attributes
    ----------
    centre, reach : float
        C lies within `reach` of `centre`; the grid covers twice as much.
    size : int
        Number of points, even; 0 for a leaf, whose C is 0.
    """

    centre: float
    reach: float
    size: int

    @classmethod
    def over(cls, low: float, high: float, counts: float, scale: float) -> RatioGrid:
        """Make the grid for C between `low` and `high`.

        Its frequencies cover the window's, 2β/reach, and those of the densities of a row with so
        many counts: 10 for the logistic scale, and more as counts make it narrow.
        """
        reach = max(0.5 * (high - low), _NARROWEST)
        highest = 2.0 * _KAISER / reach + 10.0 + 3.0 * math.sqrt(counts)
        wanted = min(math.ceil(scale * highest * 2.0 * reach / math.pi), MOST_POINTS)
        return cls(0.5 * (low + high), reach, 2 * next_fast_len(wanted, real=True))

    @property
    def step(self) -> float:
        """Spacing of the frequencies."""
        return math.pi / (2.0 * self.reach)

    @property
    def count(self) -> int:
        """Number of frequencies, from 0 on."""
        return self.size // 2

    @property
    def points(self) -> FloatArray:
        """The values of C, ascending."""
        if not self.size:
            return np.zeros(1)
        return self.centre + 2.0 * self.reach * (2.0 * np.arange(self.size) / self.size - 1.0)

    @property
    def window(self) -> FloatArray:
        """Weights that fade out what lies beyond the interval."""
        return _ratio_grid_window(self.size) if self.size else np.ones(1)

    def masses(self, law: AnyArray) -> FloatArray:
        """Weights q of the points from characteristic functions of C − centre: (…, size)."""
        sign = np.where(np.arange(self.count) % 2, -1.0, 1.0)
        return np.fft.irfft(np.conj(law) * sign, self.size)


def sum_ratio_ranges(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Where a sum lies, given where its terms lie."""
    low, high = 0.0, 0.0
    for least, most in ranges:
        low, high = low + least, high + most
    return low, high


def ratio_range(rows: FloatArray, low: float, high: float) -> tuple[float, float]:
    """Where a measure's log ratio M(0) − M(1) lies if its children's sum is in [low, high].

    Relative to the children's part of state 1, a message is the larger of log p + C and log(1 − p).
    Over p its extremes are at the ends and where both are equal. In C it rises by at most 1 per 1,
    which bounds what happens between the points tried.

    Examples
    --------
    Without children no ratio exceeds log 2, as p ranges from 1/2 to 1:

    >>> [round(end, 4) for end in ratio_range(np.full((2, 2), 0.25), 0.0, 0.0)]
    [-0.6931, 0.6931]
    """
    c = np.linspace(low, high, _TRIED)
    least, most = [], []
    for a, b in rows:
        first, last = log_odds_range(a, b, 1.0 + max(abs(low), abs(high)))
        least.append(_ratio_grid_message(np.clip(-c, first, last), c))
        most.append(np.maximum(_ratio_grid_message(first, c), _ratio_grid_message(last, c)))
    slack = 0.5 * (high - low) / (_TRIED - 1)
    return (
        float((least[0] - most[1]).min()) - slack,
        float((most[0] - least[1]).max()) + slack,
    )


def _ratio_grid_message(log_odds: FloatArray | float, c: FloatArray) -> FloatArray:
    return np.maximum(c - np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds))


@cache
def _ratio_grid_window(size: int) -> FloatArray:
    """1 on the inner half of the grid, falling to 0 at its ends like the integral of Kaiser's."""
    place = 4.0 * np.abs(2.0 * np.arange(size) / size - 1.0) - 3.0
    node, weight = np.polynomial.legendre.leggauss(40)

    def above(start: FloatArray) -> FloatArray:
        half = 0.5 * (1.0 - start)[:, None]
        root = np.sqrt(np.maximum(1.0 - (start[:, None] + half * (1.0 + node)) ** 2, 0.0))
        bump = i0e(_KAISER * root) * np.exp(_KAISER * (root - 1.0))
        return np.asarray((half * bump) @ weight)

    window = np.ones(size)
    outer = place > -1.0
    window[outer] = above(place[outer]) / (2.0 * above(np.zeros(1)))
    window.flags.writeable = False
    return window
