r"""Dominance maxima for keys of any number of coordinates, by a kd-tree.

For every class this finds the class below it (no coordinate larger) with the largest gain. Each
node of the tree has its box and its largest gain. A query starts from the smallest gain that
counts, and skips the nodes that have no larger one or lie outside. For up to three coordinates
`sweep` is faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, Int32Array
from bayescompare.kernels.numerics.jit import jit

__all__ = ["KeyTree", "build_tree", "is_below_gsd_key", "tree_maxima"]


_LEAF = 8


class KeyTree(NamedTuple):
    """A balanced kd-tree: node i has the children 2i + 1 and 2i + 2.

    Attributes
    ----------
    order : array (C,)
        Classes as the leaves hold them.
    keys : array (C, m)
        Their keys, in that order.
    bounds : array (nodes + 1, 2)
        First and last + 1 place of every node.
    low, high : array (nodes, m)
        The box of every node.
    """

    order: Int32Array
    keys: Int32Array
    bounds: Int32Array
    low: Int32Array
    high: Int32Array


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


def tree_maxima(
    tree: KeyTree, least: FloatArray, most: FloatArray, delta: float, tolerance: float
) -> tuple[Int32Array, FloatArray]:
    """Return for every class the class below it with the largest gain, and the violation.

    The arguments are those of `sweep.sweep_maxima`.

    Examples
    --------
    >>> tree = build_tree(np.array([[3], [1], [2]], dtype=np.int32))
    >>> gains = np.array([0.1, 0.2, 0.3])
    >>> tree_maxima(tree, gains, gains, 0.0, 0.0)[0].tolist()
    [2, -1, -1]
    """
    low, high = least[tree.order], most[tree.order]
    top = _gsd_tree_node_tops(high, tree.bounds)
    rival, excess = _gsd_tree_worst(*tree[1:], top, low, high, delta, tolerance)
    beaten = rival >= 0
    out = np.full(len(low), -1, dtype=np.int32)
    out[tree.order[beaten]] = tree.order[rival[beaten]]
    amount = np.zeros(len(low))
    amount[tree.order] = excess
    return out, amount


@jit()
def is_below_gsd_key(keys: Int32Array, e: int, others: Int32Array, c: int) -> bool:
    """Whether key e is at most other key c in every coordinate."""
    below = True
    for i in range(keys.shape[1]):
        if keys[e, i] > others[c, i]:
            below = False
            break
    return below


@jit()
def _gsd_tree_node_tops(most: FloatArray, bounds: Int32Array) -> FloatArray:
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
def _gsd_tree_worst(
    keys: Int32Array,
    bounds: Int32Array,
    low: Int32Array,
    high: Int32Array,
    top: FloatArray,
    least: FloatArray,
    most: FloatArray,
    delta: float,
    tolerance: float,
) -> tuple[Int32Array, FloatArray]:
    """For every class the class below it with the largest gain, and the violation (0 if none)."""
    count, nodes = len(keys), len(bounds)
    rival = np.full(count, -1, dtype=np.int32)
    amount = np.zeros(count)
    stack = np.empty(128, dtype=np.int32)
    for c in range(count):
        best = least[c] - delta + tolerance
        held = 1
        stack[0] = 0
        while held:
            held -= 1
            node = stack[held]
            if top[node] <= best or not is_below_gsd_key(low, node, keys, c):
                continue
            if 2 * node + 2 < nodes:
                # The child with the larger gain is visited first: it may rule out the other.
                left, right = 2 * node + 1, 2 * node + 2
                if top[left] > top[right]:
                    left, right = right, left
                stack[held], stack[held + 1] = left, right
                held += 2
                continue
            for place in range(bounds[node, 0], bounds[node, 1]):
                if most[place] > best and place != c and is_below_gsd_key(keys, place, keys, c):
                    best = most[place]
                    rival[c] = place
        if rival[c] >= 0:
            amount[c] = best + delta - least[c]
    return rival, amount
