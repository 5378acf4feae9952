r"""Dominance maxima for keys of up to three coordinates, by divide and conquer.

For every class this finds the class below it (no coordinate larger) with the largest gain. Classes
are sorted lexicographically, so that whatever is below a class comes before it. In a block of the
sorted classes, cut in the middle, the first coordinate of the left half is at most that of the
right half; walking through the block by the second coordinate, a Fenwick tree over the third
collects the largest gains of the left half and answers the queries of the right. Every pair meets
in one block: O(C log² C) time whatever the gains are, whereas a search in a tree of boxes (`tree`)
depends on them. The blocks' orders do not depend on the gains either and are computed once:
O(C log C) memory.

References
----------
Bentley (1980), Multidimensional divide-and-conquer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, Int32Array, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["Sweep", "build_sweep", "sweep_maxima"]


#: Blocks of this size are compared pair by pair.
_LEAF = 16


class Sweep(NamedTuple):
    """Orders of all blocks.

    Attributes
    ----------
    order : array (C,)
        The classes in lexicographic order.
    keys : array (C, 3)
        Their keys, in that order.
    walks, ranks : array (levels, C)
        At each level, block by block: places by the second coordinate, and each one's rank
        by the third within the block, from 1.
    """

    order: Int32Array
    keys: Int32Array
    walks: Int32Array
    ranks: Int32Array


def build_sweep(keys: Int32Array) -> Sweep:
    """Return the orders of all blocks.

    Examples
    --------
    >>> build_sweep(np.array([[3], [1], [2]], dtype=np.int32)).order.tolist()
    [1, 2, 0]
    """
    count = len(keys)
    padded = np.zeros((count, 3), dtype=np.int32)
    padded[:, : keys.shape[1]] = keys
    order = np.lexsort(padded.T[::-1]).astype(np.int32)
    ordered = np.ascontiguousarray(padded[order])
    levels, place = [], np.arange(count)
    width = 2 * _LEAF
    while width < 2 * count:
        block = place // width
        # Of equal second coordinates the left half, which is first in `place`, comes first.
        walk = np.lexsort((place, ordered[:, 1], block))
        levels.append((walk, _sweep_ranks_in_blocks(ordered[:, 2], block)[walk]))
        width *= 2
    shape = (len(levels), count)
    walks = np.array([w for w, _ in levels], dtype=np.int32).reshape(shape)
    ranks = np.array([r for _, r in levels], dtype=np.int32).reshape(shape)
    return Sweep(order, ordered, walks, ranks)


def _sweep_ranks_in_blocks(values: Int32Array, block: IntArray) -> IntArray:
    """Dense rank of each value within its block, from 1."""
    sort = np.lexsort((values, block))
    same_block = np.diff(block[sort], prepend=-1) == 0
    larger = np.diff(values[sort], prepend=0) > 0
    steps = np.cumsum(same_block & larger)
    first = np.maximum.accumulate(np.where(same_block, 0, np.arange(len(sort))))
    ranks = np.empty(len(sort), dtype=np.int64)
    ranks[sort] = steps - steps[first] + 1
    return ranks


def sweep_maxima(
    sweep: Sweep, least: FloatArray, most: FloatArray, delta: float, tolerance: float
) -> tuple[Int32Array, FloatArray]:
    """Return for every class the class below it with the largest gain, and the violation.

    Parameters
    ----------
    sweep : Sweep
    least, most : array (C,)
        Least and largest gain of every class.
    delta, tolerance : float
        Only gains above ``least - delta + tolerance`` count.

    Returns
    -------
    rival : array (C,)
        −1 where there is none.
    amount : array (C,)
        Its gain, plus δ, minus the least gain of the class.

    Examples
    --------
    >>> sweep = build_sweep(np.array([[3], [1], [2]], dtype=np.int32))
    >>> gains = np.array([0.1, 0.2, 0.3])
    >>> sweep_maxima(sweep, gains, gains, 0.0, 0.0)[0].tolist()
    [2, -1, -1]
    """
    low, high = least[sweep.order], most[sweep.order]
    best = low - delta + tolerance
    rival = np.full(len(low), -1, dtype=np.int32)
    _sweep_leaves(sweep.keys, high, best, rival)
    for level in range(len(sweep.walks)):
        _sweep_blocks(sweep.walks[level], sweep.ranks[level], _LEAF << level, high, best, rival)
    beaten = rival >= 0
    out = np.full(len(low), -1, dtype=np.int32)
    out[sweep.order[beaten]] = sweep.order[rival[beaten]]
    amount = np.zeros(len(low))
    amount[sweep.order[beaten]] = best[beaten] + delta - low[beaten]
    return out, amount


@jit()
def _sweep_leaves(keys: Int32Array, high: FloatArray, best: FloatArray, rival: Int32Array) -> None:
    """Compare every pair within the smallest blocks."""
    for start in range(0, len(keys), _LEAF):
        for c in range(start, min(start + _LEAF, len(keys))):
            for e in range(start, c):
                if high[e] > best[c] and keys[e, 1] <= keys[c, 1] and keys[e, 2] <= keys[c, 2]:
                    best[c], rival[c] = high[e], e


@jit()
def _sweep_blocks(
    walk: Int32Array,
    ranks: Int32Array,
    half: int,
    high: FloatArray,
    best: FloatArray,
    rival: Int32Array,
) -> None:
    """Compare left with right halves of all blocks of one level."""
    count = len(walk)
    tree = np.full(2 * half + 1, -np.inf)
    owner = np.full(2 * half + 1, -1, dtype=np.int32)
    for start in range(0, count, 2 * half):
        middle, stop = start + half, min(start + 2 * half, count)
        if middle >= stop:
            break
        size = stop - start
        tree[: size + 1] = -np.inf
        top = -np.inf
        for i in range(start, stop):
            place, rank = walk[i], ranks[i]
            if place < middle:
                gain = high[place]
                top = max(top, gain)
                while rank <= size and tree[rank] < gain:
                    tree[rank], owner[rank] = gain, place
                    rank += rank & -rank
            elif top > best[place]:
                while rank > 0:
                    if tree[rank] > best[place]:
                        best[place], rival[place] = tree[rank], owner[rank]
                    rank -= rank & -rank
