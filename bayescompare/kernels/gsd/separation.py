r"""The violated rows of R2, found without writing R2 down.

The class of equal keys c violates R2 when some class :math:`e \le c`, :math:`e \ne c`, has

.. math:: \max_{q \in e} (u(q_1) - u(q_2)) + \delta > \min_{p \in c} (u(p_1) - u(p_2)) .

The largest gain among all classes below c is a *dominance maximum*, found for all classes at once
by `Sweep` (keys of up to three coordinates) or by `KeyTree`.

Most violations occur between neighbours, so each class is first compared with the few classes
closest below it (`near_pairs`), which needs no search. These are covers of the key order, whose
rows imply all others: they are better rows than the worst violated ones, which are far apart.

References
----------
Bentley (1980), Multidimensional divide-and-conquer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.system import SIGNS, PreferenceSystem, cover_rows, is_at_most
from bayescompare.kernels.numerics.jit import jit

#: Covers kept for every class, and classes examined to find them.
_NEAR, _LOOK = 4, 4096
#: Blocks of a sweep, and leaves of a tree, of this size are compared pair by pair.
_BLOCK, _LEAF = 16, 8


class Violations(NamedTuple):
    """Rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, that u violates, the worst of each class.

    Attributes
    ----------
    rows : array (r, 4)
        The points a, b, c, d.
    equal : array (r,)
        Rows between pairs of equal keys.
    amount : array (r,)
        The size of each violation.
    """

    rows: Int32Array
    equal: BoolArray
    amount: FloatArray

    @property
    def worst(self) -> float:
        """The largest violation, 0 if there is none."""
        return float(self.amount.max(initial=0.0))


class Separator:
    """Finds the rows that a utility violates.

    Parameters
    ----------
    system : PreferenceSystem
        If all its measures are ordinal, the cover rows are all there is to violate; if R1 and R2
        are given, their rows are.

    Examples
    --------
    The same gain must not be worth less:

    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.5]], [[0.5]], [0.0], [1.0], [True])
    >>> violations = Separator(system).every(np.array([0, 1.0, 0.7]), 0.0, 1e-9)
    >>> violations.rows.tolist(), violations.equal.tolist(), violations.amount.round(3).tolist()
    ([[1, 2, 2, 0]], [True], [0.4])
    """

    def __init__(self, system: PreferenceSystem) -> None:
        self.system = system
        self._listed = system.given
        if system.all_ordinal:
            covers = cover_rows(system)
            self._listed = covers, np.zeros(len(covers), dtype=np.bool_)
        if self._listed is not None:
            return
        few = system.keys.shape[1] <= 3
        self._order = build_sweep(system.keys) if few else build_tree(system.keys)
        self._near = np.ascontiguousarray(near_pairs(system.keys).T, dtype=np.intp)

    def near(self, u: FloatArray, delta: float, tolerance: float) -> Violations:
        """Return violations of equality and of the rows between neighbours: some, not all."""
        if self._listed is not None:
            return self.every(u, delta, tolerance)
        gains = self._gains(u)
        least, most = gains[:2]
        above, below = self._near
        excess = most[below] + delta - least[above]
        violated = np.flatnonzero(excess > tolerance)
        return self._rows(gains, above[violated], below[violated], excess[violated], tolerance)

    def every(self, u: FloatArray, delta: float, tolerance: float) -> Violations:
        """Return for every class the row that u violates most; nothing if u is feasible."""
        if self._listed is not None:
            rows, equal = self._listed
            gap = u[rows] @ SIGNS
            excess = np.where(equal, np.abs(gap), delta - gap)
            broken = excess > tolerance
            return Violations(rows[broken], equal[broken], excess[broken])
        gains = self._gains(u)
        rival, amount = dominance_maxima(self._order, gains[0], gains[1], delta, tolerance)
        own = np.flatnonzero(rival >= 0)
        return self._rows(gains, own, rival[own], amount[own], tolerance)

    def _gains(self, u: FloatArray) -> tuple[FloatArray, FloatArray, Int32Array, Int32Array]:
        return _class_gains(u, self.system.upper, self.system.lower, self.system.starts)

    def _rows(
        self,
        gains: tuple[FloatArray, FloatArray, Int32Array, Int32Array],
        above: IntArray | Int32Array,
        below: IntArray | Int32Array,
        amount: FloatArray,
        tolerance: float,
    ) -> Violations:
        """Rows between classes, after those within classes."""
        least, most, low_pair, high_pair = gains
        spread = most - least
        tied = np.flatnonzero(spread > tolerance)
        p = np.concatenate([low_pair[tied], low_pair[above]])
        q = np.concatenate([high_pair[tied], high_pair[below]])
        upper, lower = self.system.upper, self.system.lower
        rows = np.stack([upper[p], lower[p], upper[q], lower[q]], axis=1)
        equal = np.arange(len(p)) < len(tied)
        return Violations(rows, equal, np.concatenate([spread[tied], amount]))


@jit()
def near_pairs(keys: Int32Array) -> Int32Array:
    """Return pairs (class, a class that it covers), up to four for each class, nearest first.

    Nearness is by the sum of the ranks: any class between two others is nearer to both.

    Examples
    --------
    >>> near_pairs(np.array([[0], [1], [2]], dtype=np.int32)).tolist()
    [[2, 1], [1, 0]]
    """
    count, m = keys.shape
    total = np.zeros(count, dtype=np.int64)
    for c in range(count):
        for i in range(m):
            total[c] -= keys[c, i]
    order = np.argsort(total)
    pairs = np.empty((_NEAR * count, 2), dtype=np.int32)
    count_pairs = 0
    for place in range(count):
        c, first = order[place], count_pairs
        for other in range(place + 1, min(count, place + _LOOK)):
            e = order[other]
            covered = is_at_most(keys, e, keys, c)
            for kept in range(first, count_pairs):
                if covered and is_at_most(keys, e, keys, pairs[kept, 1]):
                    covered = False
            if covered:
                pairs[count_pairs, 0], pairs[count_pairs, 1] = c, e
                count_pairs += 1
                if count_pairs == first + _NEAR:
                    break
    return pairs[:count_pairs].copy()


@jit()
def _class_gains(
    u: FloatArray, upper: Int32Array, lower: Int32Array, starts: Int32Array
) -> tuple[FloatArray, FloatArray, Int32Array, Int32Array]:
    """Least and largest gain of every class, and the pairs that have them."""
    count = len(starts) - 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    low_pair, high_pair = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    for c in range(count):
        for p in range(starts[c], starts[c + 1]):
            gain = u[upper[p]] - u[lower[p]]
            if gain < least[c]:
                least[c], low_pair[c] = gain, p
            if gain > most[c]:
                most[c], high_pair[c] = gain, p
    return least, most, low_pair, high_pair


# ------------------------------------------------------------------------------- dominance maxima


class Sweep(NamedTuple):
    """Divide and conquer over keys of up to three coordinates: O(C log² C) whatever the gains are.

    Classes are sorted lexicographically, so that whatever is below a class comes before it. In a
    block of the sorted classes, cut in the middle, the first coordinate of the left half is at most
    that of the right half; walking through the block by the second coordinate, a Fenwick tree over
    the third collects the largest gains of the left half and answers the queries of the right.
    Every pair meets in one block. The walks do not depend on the gains.

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


class KeyTree(NamedTuple):
    """A balanced kd-tree over keys of any number of coordinates, each node with its box.

    A query skips the nodes that have no larger gain or lie outside, and so depends on the gains.
    Node i has the children 2i + 1 and 2i + 2.

    Attributes
    ----------
    order : array (C,)
        Classes as the leaves hold them.
    keys : array (C, m)
        Their keys, in that order.
    bounds : array (nodes, 2)
        First and last + 1 place of every node.
    low, high : array (nodes, m)
        The box of every node.
    """

    order: Int32Array
    keys: Int32Array
    bounds: Int32Array
    low: Int32Array
    high: Int32Array


def dominance_maxima(
    order: Sweep | KeyTree, least: FloatArray, most: FloatArray, delta: float, tolerance: float
) -> tuple[Int32Array, FloatArray]:
    """Return for every class the class below it with the largest gain, and the violation.

    Parameters
    ----------
    order : Sweep or KeyTree
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
    >>> keys, gains = np.array([[3], [1], [2]], dtype=np.int32), np.array([0.1, 0.2, 0.3])
    >>> [
    ...     dominance_maxima(build(keys), gains, gains, 0.0, 0.0)[0].tolist()
    ...     for build in (build_sweep, build_tree)
    ... ]
    [[2, -1, -1], [2, -1, -1]]
    """
    low, high = least[order.order], most[order.order]
    best = low - delta + tolerance
    rival = np.full(len(low), -1, dtype=np.int32)
    if isinstance(order, Sweep):
        _sweep_block_by_block(order.keys, high, best, rival)
        for level in range(len(order.walks)):
            half = _BLOCK << level
            _sweep_halves(order.walks[level], order.ranks[level], half, high, best, rival)
    else:
        _search_tree(order, _node_maxima(high, order.bounds), high, best, rival)
    beaten = rival >= 0
    out, amount = np.full(len(low), -1, dtype=np.int32), np.zeros(len(low))
    out[order.order[beaten]] = order.order[rival[beaten]]
    amount[order.order[beaten]] = best[beaten] + delta - low[beaten]
    return out, amount


def build_sweep(keys: Int32Array) -> Sweep:
    """Return the walks through all blocks.

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
    walks, ranks, place = [], [], np.arange(count)
    width = 2 * _BLOCK
    while width < 2 * count:
        block = place // width
        # Of equal second coordinates the left half, which is first in `place`, comes first.
        walk = np.lexsort((place, ordered[:, 1], block))
        walks.append(walk)
        ranks.append(_ranks_in_blocks(ordered[:, 2], block)[walk])
        width *= 2
    shape = (len(walks), count)
    levels = (np.array(level, dtype=np.int32).reshape(shape) for level in (walks, ranks))
    return Sweep(order, ordered, *levels)


def _ranks_in_blocks(values: Int32Array, block: IntArray) -> IntArray:
    """Dense rank of each value within its block, from 1."""
    sort = np.lexsort((values, block))
    same_block = np.diff(block[sort], prepend=-1) == 0
    larger = np.diff(values[sort], prepend=0) > 0
    steps = np.cumsum(same_block & larger)
    first = np.maximum.accumulate(np.where(same_block, 0, np.arange(len(sort))))
    ranks = np.empty(len(sort), dtype=np.int64)
    ranks[sort] = steps - steps[first] + 1
    return ranks


@jit()
def _sweep_block_by_block(
    keys: Int32Array, high: FloatArray, best: FloatArray, rival: Int32Array
) -> None:
    """Compare every pair within the smallest blocks."""
    for start in range(0, len(keys), _BLOCK):
        for c in range(start, min(start + _BLOCK, len(keys))):
            for e in range(start, c):
                if high[e] > best[c] and keys[e, 1] <= keys[c, 1] and keys[e, 2] <= keys[c, 2]:
                    best[c], rival[c] = high[e], e


@jit()
def _sweep_halves(
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


def build_tree(keys: Int32Array) -> KeyTree:
    """Return the tree over the keys of all classes.

    Examples
    --------
    >>> build_tree(np.array([[3], [1], [2]], dtype=np.int32)).high.tolist()
    [[3]]
    """
    count = len(keys)
    depth = 0
    while count > _LEAF << depth:
        depth += 1
    order = np.arange(count, dtype=np.int32)
    nodes = (2 << depth) - 1
    bounds = np.zeros((nodes, 2), dtype=np.int32)
    bounds[0] = 0, count
    low = np.zeros((nodes, keys.shape[1]), dtype=np.int32)
    high = np.zeros_like(low)
    for node in range(nodes):
        start, stop = bounds[node]
        inside = keys[order[start:stop]]
        low[node], high[node] = inside.min(axis=0), inside.max(axis=0)
        if 2 * node + 2 < nodes:
            middle = (start + stop) // 2
            widest = int(np.argmax(high[node] - low[node]))
            part = np.argpartition(inside[:, widest], middle - start)
            order[start:stop] = order[start:stop][part]
            bounds[2 * node + 1] = start, middle
            bounds[2 * node + 2] = middle, stop
    return KeyTree(order, np.ascontiguousarray(keys[order]), bounds, low, high)


@jit()
def _node_maxima(most: FloatArray, bounds: Int32Array) -> FloatArray:
    """Largest gain in every node."""
    nodes = len(bounds)
    top = np.full(nodes, -np.inf)
    for node in range(nodes - 1, -1, -1):
        if 2 * node + 2 < nodes:
            top[node] = max(top[2 * node + 1], top[2 * node + 2])
        else:
            for place in range(bounds[node, 0], bounds[node, 1]):
                top[node] = max(top[node], most[place])
    return top


@jit()
def _search_tree(
    tree: KeyTree, top: FloatArray, high: FloatArray, best: FloatArray, rival: Int32Array
) -> None:
    """Find for every class the largest gain below it that is above `best`."""
    nodes = len(tree.bounds)
    stack = np.empty(128, dtype=np.int32)
    for c in range(len(tree.keys)):
        held = 1
        stack[0] = 0
        while held:
            held -= 1
            node = stack[held]
            if top[node] <= best[c] or not is_at_most(tree.low, node, tree.keys, c):
                continue
            if 2 * node + 2 < nodes:
                # The child with the larger gain is visited first: it may rule out the other.
                left, right = 2 * node + 1, 2 * node + 2
                if top[left] > top[right]:
                    left, right = right, left
                stack[held], stack[held + 1] = left, right
                held += 2
                continue
            for e in range(tree.bounds[node, 0], tree.bounds[node, 1]):
                if high[e] > best[c] and e != c and is_at_most(tree.keys, e, tree.keys, c):
                    best[c], rival[c] = high[e], e
