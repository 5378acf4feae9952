r"""The signed-rank test, exact with ties: under the null every sign is a fair coin.

The non-zero differences are ranked by size, equal sizes sharing their average rank, and
:math:`W^+` is the sum of the ranks of the positive ones. Doubled ranks :math:`\rho_i` are integers
even with ties, so the number of sign patterns that reach a sum is counted one rank at a time,

.. math:: c_i(s) = c_{i-1}(s) + c_{i-1}(s - \rho_i), \qquad c_0(s) = [s = 0], \qquad
          p = \min\Bigl(1,\; 2 \sum_{s \le \min(2W^+, 2W^-)} c_n(s) / 2^n\Bigr) .

That is the permutation distribution itself. With ties `scipy.stats.wilcoxon` gives the same by
``PermutationMethod``, but not by ``method="exact"``, which is for distinct ranks.

References
----------
Wilcoxon (1945); Lacoste, Laviolette & Marchand (2012), Section 6.2 (its recursion, started at
w₀(0) = 1, is the case without ties).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

#: Up to this many differences the p-value is exact: it takes a second, and 2^1000 is still a float.
MOST_EXACT = 1000

#: No p-value is zero; one too small for a float is replaced by this.
SMALLEST = float(np.finfo(np.float64).tiny)


class RankSums(NamedTuple):
    """Both rank sums, the two-sided p-value, and whether it is exact."""

    plus: float
    minus: float
    pvalue: float
    exact: bool


def differences(values: FloatArray, rope: float | None = None) -> FloatArray:
    """Subtract the second column from the first; a tie is exactly zero.

    Parameters
    ----------
    values : array (n, 2)
        Higher is better.
    rope : float, optional
        Differences up to this size are ties, as are those within float noise, 1e-12 of the larger
        value.

    Examples
    --------
    >>> differences(np.array([[0.3, 0.1 + 0.2], [2.0, 1.0], [1.0, 1.5]])).tolist()
    [0.0, 1.0, -0.5]
    """
    difference = values[:, 0] - values[:, 1]
    noise = RELATIVE_TOLERANCE * np.abs(values).max(axis=1)
    return np.where(np.abs(difference) <= (rope or 0.0) + noise, 0.0, difference)


def doubled_ranks(difference: FloatArray, scale: FloatArray) -> IntArray:
    """Return twice the average rank of each difference's size, with its sign; zero for a zero.

    A difference inherits the float noise of its terms: 0.3 − 0.2 and 0.2 − 0.1 differ in the last
    digit and are tied. Each size stands for the interval of ± ½·1e-12 of its scale around it, and
    sizes whose intervals touch, directly or through others, are tied.

    Parameters
    ----------
    difference : array (n,)
        From `differences`, with ties exactly zero.
    scale : array (n,)
        The size of the larger of the two values of each difference.

    Examples
    --------
    >>> doubled_ranks(
    ...     np.array([0.3 - 0.2, 0.0, 0.1 - 0.2, 0.7]), np.array([0.3, 1, 0.2, 0.9])
    ... )
    array([ 3,  0, -3,  6])
    """
    kept = np.flatnonzero(difference)
    ranks = np.zeros(len(difference), dtype=np.int64)
    if len(kept) == 0:
        return ranks
    size, noise = np.abs(difference[kept]), 0.5 * RELATIVE_TOLERANCE * scale[kept]
    order = np.argsort(size - noise, kind="stable")
    low, reach = (size - noise)[order], np.maximum.accumulate((size + noise)[order])
    group = np.concatenate([[0], np.cumsum(low[1:] > reach[:-1])])
    last = np.cumsum(np.bincount(group))
    # A group on the places f, …, l has the average rank (f + l)/2.
    first = np.concatenate([[0], last[:-1]]) + 1
    ranks[kept[order]] = (first + last)[group]
    return ranks * np.sign(difference).astype(np.int64)


def signed_rank_test(ranks: IntArray) -> RankSums:
    """Test doubled signed ranks, exactly up to `MOST_EXACT` of them, else approximately.

    The normal approximation uses the variance of tied ranks and a continuity correction.

    Examples
    --------
    >>> signed_rank_test(np.array([2, 4, 6, 8, -10]))
    RankSums(plus=10.0, minus=5.0, pvalue=0.625, exact=True)
    """
    ranks = ranks[ranks != 0]
    plus, minus = int(ranks[ranks > 0].sum()), -int(ranks[ranks < 0].sum())
    exact = len(ranks) <= MOST_EXACT
    if plus == minus:
        pvalue = 1.0
    elif exact:
        pvalue = 2.0 * _lower_tail(np.abs(ranks), min(plus, minus))
    else:
        # Ranking the doubled ranks gives the same ranks, without the noise of the differences.
        test = stats.wilcoxon(ranks, method="asymptotic", correction=True)
        pvalue = float(test.pvalue)
    return RankSums(plus / 2, minus / 2, min(max(pvalue, SMALLEST), 1.0), exact)


def _lower_tail(ranks: IntArray, bound: int) -> float:
    """P(sum of the ranks whose fair coin shows heads ≤ bound)."""
    # Without ties all doubled ranks are even, so half the cells suffice.
    unit = int(np.gcd.reduce(ranks))
    bound //= unit
    patterns = np.zeros(bound + 1)
    patterns[0] = 1.0
    filled = 0
    for rank in np.sort(ranks // unit).tolist():
        filled = min(filled + rank, bound)
        # Empty where the rank is beyond the bound: it can then only show tails.
        patterns[rank : filled + 1] += patterns[: max(filled + 1 - rank, 0)]
    return math.ldexp(math.fsum(patterns.tolist()), -len(ranks))
