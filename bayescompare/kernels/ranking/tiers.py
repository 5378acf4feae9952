r"""Which differences hold for a whole table at once: sign flips of units, with step-down.

For hypothesis h (two algorithms on one measure) let :math:`x_{hi}` be the difference on unit i. If
the two are alike, x and −x are equally likely, so one common :math:`\varepsilon_i = \pm 1` for each
unit shows what all differences do together by chance:

.. math:: u_h = \frac{|\sum_i x_{hi}|}{\sqrt{\sum_i x_{hi}^2}}, \qquad
          p_{(k)} = \max_{j \le k} P_\varepsilon\Big(\max_{r \ge j} u_{(r)}(\varepsilon)
          \ge u_{(j)}\Big), \qquad u_{(1)} \ge u_{(2)} \ge \dots

The flips leave the root of the sum of squares as it is. Up to eleven units all of them are tried;
one of each two opposite ones, which have the same absolute values.

References
----------
Westfall & Young (1993), *Resampling-based multiple testing*, step-down maxT.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

#: Up to so many units every flip is tried.
MOST_ENUMERATED = 11
#: Random flips of more units.
FLIPS = 10_000
#: Up to so many units nothing can be told apart: the least p is 1/16.
TOO_FEW = 5
#: What rounding may do to a statistic; a flip that only rounding puts below the observed one ties.
_ROUNDING = 1e-9
#: Hypotheses whose differences are held at a time, and sums of flipped scores: 64 MB.
_BLOCK, _HELD = 1 << 14, 1 << 23


def sign_flips(units: int, rng: np.random.Generator) -> tuple[FloatArray, bool]:
    """Return sign flips (flips, units), and whether they are all that there are."""
    if units > MOST_ENUMERATED:
        return np.asarray(1.0 - 2.0 * rng.integers(0, 2, (FLIPS, units)), dtype=np.float64), False
    bits = np.arange(1 << (units - 1))[:, None] >> np.arange(units)
    return np.asarray(1.0 - 2.0 * (bits & 1), dtype=np.float64), True


def adjusted_pvalues(
    scores: FloatArray, first: IntArray, second: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Return a p-value of each difference of two scores that allows for all of them.

    Parameters
    ----------
    scores : array (units, c)
    first, second : array (hypotheses,)
        Columns of `scores`: the hypothesis is that the two are alike.

    Returns
    -------
    array (hypotheses,)
        At most α for any hypothesis that is true, with probability at most α.

    Examples
    --------
    >>> scores = np.array([[1.0, 1.0, 0.0]] * 6 + [[1.0, -1.0, 0.0]] * 2)
    >>> adjusted_pvalues(scores, np.array([0, 1]), np.array([2, 2]), np.random.default_rng(0))
    array([0.015625 , 0.2890625])
    """
    units = len(scores)
    observed, scale = _statistics(scores, first, second)
    order = np.argsort(-observed, kind="stable")
    first, second, scale = first[order], second[order], scale[order]
    threshold = observed[order] * (1.0 - _ROUNDING)
    flips, is_all = sign_flips(units, rng)
    reached = np.zeros(len(order), dtype=np.int64)
    step = max(1, _HELD // scores.shape[1])
    for row in range(0, len(flips), step):
        reached += _count_maxima(flips[row : row + step] @ scores, first, second, scale, threshold)
    share = reached / len(flips) if is_all else (reached + 1.0) / (len(flips) + 1.0)
    pvalues = np.empty(len(order))
    pvalues[order] = np.maximum.accumulate(share)
    return pvalues


def _statistics(
    scores: FloatArray, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return u of each hypothesis and one over its root of the sum of squares."""
    squares = np.empty(len(first))
    for h in range(0, len(first), _BLOCK):
        some = slice(h, h + _BLOCK)
        squares[some] = ((scores[:, first[some]] - scores[:, second[some]]) ** 2).sum(axis=0)
    # Decimal tables and means carry float noise, which is no difference.
    noise = len(scores) * (1e-12 * np.abs(scores).max(initial=0.0)) ** 2
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros(len(first)), where=squares > noise)
    sums = scores.sum(axis=0)
    return np.abs(sums[first] - sums[second]) * scale, scale


@jit()
def _count_maxima(
    sums: FloatArray, first: IntArray, second: IntArray, scale: FloatArray, threshold: FloatArray
) -> IntArray:
    """Count the flips in which the largest of a hypothesis and of all after it reaches it."""
    reached = np.zeros(len(first), dtype=np.int64)
    for row in range(sums.shape[0]):
        largest = 0.0
        for h in range(len(first) - 1, -1, -1):
            largest = max(largest, abs(sums[row, first[h]] - sums[row, second[h]]) * scale[h])
            reached[h] += largest >= threshold[h]
    return reached


def separated(scores: FloatArray, level: float, rng: np.random.Generator) -> BoolArray:
    """Return who is above whom on each scale, all of it true with probability `level`.

    Parameters
    ----------
    scores : array (units, l, m)
        Larger is better.
    level : float

    Returns
    -------
    array (m, l, l)
        Row above column.
    """
    units, l, m = scores.shape
    above = np.zeros((m, l, l), dtype=bool)
    if units <= TOO_FEW or l < 2:
        return above
    a, b = np.triu_indices(l, 1)
    scale = np.arange(m)[:, None]
    # A scale's size does not matter within a pair, but the noise of one must not hide another.
    size = np.abs(scores).max(axis=(0, 1))
    columns = (scores / np.where(size > 0.0, size, 1.0)).reshape(units, l * m)
    pvalues = adjusted_pvalues(columns, (a * m + scale).ravel(), (b * m + scale).ravel(), rng)
    sums = columns.sum(axis=0).reshape(l, m)
    ahead = np.sign(sums[a] - sums[b]).T * (pvalues.reshape(m, -1) <= 1.0 - level + _ROUNDING)
    for j in range(m):
        above[j, a, b], above[j, b, a] = ahead[j] > 0.0, ahead[j] < 0.0
    return above


def tier_places(above: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return tier, best place and worst place of each algorithm.

    A tier is one more than the longest chain of separations above; a place is one more than how
    many are above, and l less how many are below.

    Examples
    --------
    >>> above = np.zeros((3, 3), dtype=bool)
    >>> above[0, 2] = True
    >>> tier_places(above)
    (array([1, 1, 2]), array([1, 1, 2]), array([2, 3, 3]))
    """
    l = len(above)
    best, worst = 1 + above.sum(axis=0), l - above.sum(axis=1)
    tier = np.ones(l, dtype=np.int64)
    # Separations follow the order of the sums, so l rounds reach the end of every chain.
    for _ in range(l):
        longer = np.where(above, tier[:, None] + 1, 1).max(axis=0)
        if (longer == tier).all():
            break
        tier = longer
    return tier, best, worst
