r"""P(max) under a tree of binary measures, exactly, by message passing.

The statement of largest θ is found by max-product: given its parent's state x, measure v passes up

.. math:: M_v(x) = \max_y \bigl[\log p_v(y \mid x) + \textstyle\sum_{c} M_c(y)\bigr]

over its children c. All that the parent needs of it is the log ratio
:math:`D_v = M_v(0) - M_v(1)`, one number, and whether the states chosen in the subtree, given the
parent's state in a statement s, are those of s. So what is passed up for s is the characteristic
function of :math:`D_v` on that event. Given the sum C of the children's ratios, the two rows of v's
table are independent. With :math:`A_0, A_1` of `log_cells` at the threshold −C, those of the row of
the other parent's state primed,

.. math:: E[e^{iωD_v};\, s_v = 0 \mid C, x = 0] =
          A_0(ω)\,\overline{A_0'(ω) + e^{-iωC} A_1'(ω)} :

given x the decision must be that of s; given the other state it is free, and only its value
matters. The other three cases are mirror images. Independent children multiply their
characteristic functions, and the expectation over C is a sum over a `RatioGrid`. Statements share
all that they have in common in a subtree.

References
----------
Dawid (1992), Applications of a general propagation algorithm for probabilistic expert systems, for
max-product; the laws of its messages are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, expit

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.network.log_cells import truncated_log_cells
from bayescompare.kernels.network.ratio_grid import (
    MOST_POINTS,
    RatioGrid,
    ratio_range,
    sum_ratio_ranges,
)
from bayescompare.kernels.network.statements import NetworkTables
from bayescompare.kernels.numerics.jit import jit

__all__ = ["binary_forest_maximum", "is_binary_forest"]

#: Rules of growing fineness: points of the grids relative to the estimate, nodes of a panel.
_RULES = ((0.8, 4), (0.95, 5), (1.3, 6), (2.0, 8), (3.0, 10))
#: Two successive rules must agree to this on every statement.
_TOLERANCE = 1e-10
#: Largest sum of the sizes of all transfer matrices, at 16 bytes an entry.
_MOST_ENTRIES = 8_000_000
#: Statements whose laws are in memory at a time.
_BLOCK = 4096


def is_binary_forest(tables: NetworkTables) -> bool:
    """Whether all measures have two states and at most one parent, and exactly one has none."""
    roots = sum(not above for above in tables.parents)
    single = all(len(above) <= 1 for above in tables.parents)
    return roots == 1 and single and bool((tables.arities == 2).all())


def binary_forest_maximum(tables: NetworkTables, states: IntArray) -> FloatArray | None:
    """P(each of the statements has the largest θ), to 1e-10.

    Parameters
    ----------
    tables : Tables
        Of a binary tree.
    states : array (R, k)
        Statements, in the order of the tables' members.

    Returns
    -------
    array (R,) or None
        None if no two successive rules agree, or they would take too much.

    Examples
    --------
    Two measures in a tree are a Dirichlet over four statements:

    >>> seen = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> counts = np.array([1.0, 2.0, 3.0, 6.0])
    >>> tables = NetworkTables.count(seen, counts, [2, 2], [0, 1], [0, 1], 1.0)
    >>> binary_forest_maximum(tables, seen).round(9)
    array([0.01236333, 0.05192299, 0.13750009, 0.79821359])
    """
    tree = _ForestTree.of(tables)
    blocks = [
        _ForestParts.list(tree, states[start : start + _BLOCK])
        for start in range(0, len(states), _BLOCK)
    ]
    before = None
    for scale, nodes in _RULES:
        grids = tree.grids(scale)
        if not _forest_affordable(tree, grids):
            return None
        now = _forest_probabilities(tree, grids, nodes, blocks)
        if before is not None and float(np.abs(now - before).max(initial=0.0)) <= _TOLERANCE:
            return np.clip(now, 0.0, 1.0)
        before = now
    return None


@dataclass(frozen=True)
class _ForestTree:
    """A tree of binary measures, parents before children.

    Attributes
    ----------
    parent : tuple of int
        Position of each measure's parent; −1 for the root, which is the first.
    children : tuple of tuple of int
    shapes : tuple of array (rows, 2)
        Parameters of the Betas; a row for each state of the parent.
    ratios : tuple of (float, float)
        Where each measure's log ratio lies.
    """

    parent: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    shapes: tuple[FloatArray, ...]
    ratios: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, tables: NetworkTables) -> _ForestTree:
        """Read the posterior tables."""
        parent = tuple(above[0] if above else -1 for above in tables.parents)
        size = len(parent)
        children = tuple(tuple(c for c in range(size) if parent[c] == v) for v in range(size))
        posterior = tables.alpha + tables.counts
        shapes = tuple(
            posterior[tables.offsets[v] : tables.offsets[v + 1]].reshape(-1, 2) for v in range(size)
        )
        ratios = [(0.0, 0.0)] * size
        for v in range(size - 1, 0, -1):
            ratios[v] = ratio_range(shapes[v], *sum_ratio_ranges(ratios[c] for c in children[v]))
        return cls(parent, children, shapes, tuple(ratios))

    def grids(self, scale: float) -> tuple[RatioGrid, ...]:
        """A grid over the children of every measure; `scale` is its fineness."""
        grids = []
        for kids, shapes in zip(self.children, self.shapes, strict=True):
            span = sum_ratio_ranges(self.ratios[c] for c in kids)
            counts = float(shapes.sum(axis=1).max())
            grids.append(RatioGrid.over(*span, counts, scale) if kids else RatioGrid(0.0, 1.0, 0))
        return tuple(grids)


@dataclass(frozen=True)
class _ForestParts:
    """The distinct parts of some statements at one measure and below it.

    Attributes
    ----------
    own : array (Q,)
        The measure's own state in each part.
    below : tuple of array (Q,)
        Which part of each child belongs to it.
    place : array (R,)
        The part that each statement has.
    """

    own: IntArray
    below: tuple[IntArray, ...]
    place: IntArray

    @classmethod
    def list(cls, tree: _ForestTree, states: IntArray) -> list[_ForestParts]:
        """List the parts of every measure."""
        parts: dict[int, _ForestParts] = {}
        for v in range(len(tree.parent) - 1, -1, -1):
            below = [parts[c].place for c in tree.children[v]]
            first, place = np.unique(states[:, v], return_index=True, return_inverse=True)[1:]
            for key in below:
                code = place * (int(key.max(initial=0)) + 1) + key
                first, place = np.unique(code, return_index=True, return_inverse=True)[1:]
            parts[v] = cls(states[first, v], tuple(key[first] for key in below), place)
        return [parts[v] for v in range(len(tree.parent))]


def _forest_affordable(tree: _ForestTree, grids: Sequence[RatioGrid]) -> bool:
    entries = sum(
        4 * max(grid.size, 1) * grids[above].count
        for grid, above in zip(grids[1:], tree.parent[1:], strict=True)
    )
    return max(grid.size for grid in grids) <= MOST_POINTS and entries <= _MOST_ENTRIES


def _forest_probabilities(
    tree: _ForestTree,
    grids: Sequence[RatioGrid],
    nodes: int,
    blocks: Sequence[Sequence[_ForestParts]],
) -> FloatArray:
    """P(max) of every statement by one rule."""
    transfers = [_forest_root_transfer(tree.shapes[0][0], grids[0])]
    for v in range(1, len(grids)):
        transfers.append(_forest_transfer(tree, grids, v, nodes))
    return np.concatenate([_pass_up_forest(tree, grids, transfers, parts) for parts in blocks])


def _forest_root_transfer(shape: FloatArray, grid: RatioGrid) -> AnyArray:
    """P(the root's state is the one chosen) given C, as (state, 1, points, 1)."""
    a, b = shape
    c = grid.points
    chosen = np.stack([betainc(b, a, expit(c)), betainc(a, b, expit(-c))])
    return (chosen * grid.window)[:, None, :, None].astype(np.complex128)


def _forest_transfer(tree: _ForestTree, grids: Sequence[RatioGrid], v: int, nodes: int) -> AnyArray:
    """Transforms of v's log ratio given C, as (own state, parent's state, points, frequencies).

    Measured from the centre of the ratio's interval, at the frequencies of the parent's grid.
    """
    grid, above = grids[v], grids[tree.parent[v]]
    c = grid.points
    # Thresholds are −C, so ascending ones are the points backwards.
    row, other = (
        truncated_log_cells(a, b, -c[::-1], above.step, above.count, nodes)
        for a, b in tree.shapes[v]
    )
    return _combine_forest_rows(row, other, c, grid.window, above.step, 0.5 * sum(tree.ratios[v]))


@jit(fastmath={"reassoc", "contract"})
def _combine_forest_rows(
    row: AnyArray, other: AnyArray, c: FloatArray, window: FloatArray, step: float, centre: float
) -> AnyArray:
    """Put both rows together at every point and frequency; e^{iωC} is multiplied up."""
    points, count = row.shape[1:]
    out = np.empty((2, 2, points, count), dtype=np.complex128)
    shift = np.exp(-1j * step * centre)
    for k in range(points):
        t = points - 1 - k
        turn = np.exp(1j * step * c[k])
        moved, turned = complex(window[k], 0.0), complex(1.0, 0.0)
        for j in range(count):
            a0, a1, b0, b1 = row[0, t, j], row[1, t, j], other[0, t, j], other[1, t, j]
            back = turned.conjugate()
            out[0, 0, k, j] = moved * a0 * (b0 + back * b1).conjugate()
            out[1, 0, k, j] = moved * a1 * (b1 + turned * b0).conjugate()
            # With the parent in state 1 the ratio has the other sign.
            out[0, 1, k, j] = moved * b0.conjugate() * (a0 + back * a1)
            out[1, 1, k, j] = moved * b1.conjugate() * (a1 + turned * a0)
            moved *= shift
            turned *= turn
    return out


def _pass_up_forest(
    tree: _ForestTree,
    grids: Sequence[RatioGrid],
    transfers: Sequence[AnyArray],
    parts: Sequence[_ForestParts],
) -> FloatArray:
    """Pass the laws up the tree, once for every distinct part of a statement."""
    law: list[AnyArray] = [np.empty(0)] * len(grids)
    for v in range(len(grids) - 1, -1, -1):
        own, below = parts[v].own, parts[v].below
        masses = np.ones((len(own), 1))
        if kids := tree.children[v]:
            # Given v's own state, which is its children's parent's, they are independent.
            product = law[kids[0]][own, below[0]]
            for c, part in zip(kids[1:], below[1:], strict=True):
                product *= law[c][own, part]
            masses = grids[v].masses(product)
        law[v] = _apply_forest_transfer(transfers[v], masses, own)
        for c in kids:
            law[c] = np.empty(0)
    return np.asarray(law[0][0, parts[0].place, 0].real)


def _apply_forest_transfer(transfer: AnyArray, masses: FloatArray, own: IntArray) -> AnyArray:
    """Average a transfer over C: (parent's state, parts, frequencies)."""
    out = np.empty((transfer.shape[1], len(masses), transfer.shape[3]), dtype=np.complex128)
    for state in (0, 1):
        here = own == state
        # Real weights on complex entries: one real product with their parts side by side.
        out[:, here] = (masses[here] @ transfer[state].view(np.float64)).view(np.complex128)
    return out
