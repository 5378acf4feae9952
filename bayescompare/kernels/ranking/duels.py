"""Who is ahead of whom on every measure, and who is on the Pareto front, draw by draw."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["duels"]

#: Draws that are compared at a time, so that they stay in the fastest cache.
_BLOCK = 1024


def duels(places: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return P(ahead on every measure), and P(on the front).

    An algorithm is on the front if none is at least as good on every measure and better on one.

    Parameters
    ----------
    places : array (m, l, draws)
        Smaller is better, contiguous.

    Returns
    -------
    ahead : array (l, l)
        Row ahead of column; the diagonal is 0.
    front : array (l,)

    Examples
    --------
    >>> ahead, front = duels(np.array([[[1], [2], [3]], [[2], [1], [3]]]))
    >>> ahead.sum(axis=1), front
    (array([1., 1., 0.]), array([1., 1., 0.]))
    """
    draws = places.shape[2]
    ahead, dominated = _count_all_duels(places)
    return ahead / draws, (draws - dominated) / draws


@jit()
def _count_all_duels(places: AnyArray) -> tuple[IntArray, IntArray]:
    """Count the draws in which each is ahead of each, and in which each is dominated."""
    _, l, draws = places.shape
    ahead = np.zeros((l, l), dtype=np.int64)
    beaten = np.zeros(l, dtype=np.int64)
    for start in range(0, draws, _BLOCK):
        stop = min(start + _BLOCK, draws)
        size = stop - start
        dominated = np.zeros((l, size), dtype=np.bool_)
        for a in range(l):
            for b in range(a + 1, l):
                one, two = _duel(places, a, b, start, stop, dominated)
                ahead[a, b] += one
                ahead[b, a] += two
        for a in range(l):
            beaten[a] += dominated[a].sum()
    return ahead, beaten


@jit(inline="always")
def _duel(
    places: AnyArray, a: int, b: int, start: int, stop: int, dominated: AnyArray
) -> tuple[int, int]:
    """Compare two algorithms over a block of draws; plain loops, so that they are vectorised."""
    size = stop - start
    not_behind, not_ahead = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    first, second = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for j in range(places.shape[0]):
        mine, theirs = places[j, a, start:stop], places[j, b, start:stop]
        for r in range(size):
            not_behind[r] &= mine[r] <= theirs[r]
            not_ahead[r] &= mine[r] >= theirs[r]
            first[r] &= mine[r] < theirs[r]
            second[r] &= mine[r] > theirs[r]
    one = two = 0
    for r in range(size):
        one += first[r]
        two += second[r]
        dominated[b, r] |= not_behind[r] & ~not_ahead[r]
        dominated[a, r] |= not_ahead[r] & ~not_behind[r]
    return one, two
