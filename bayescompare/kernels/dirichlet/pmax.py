r"""P(max) of many count vectors at once: tables that vectors of like size share.

Few distinct shapes occur, however many vectors and cells there are. So log F and f/F of each are
tabulated on nodes that vectors of like size share, and the integral of `integral` is a sum over
rows of the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet import integral
from bayescompare.kernels.dirichlet.integral import (
    Lump,
    Nodes,
    beta_exceeds,
    p_max_of_one,
    rows_of_shapes,
    with_lumps,
)

#: Numbers held at once.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class _Vectors:
    """Count vectors as a sparse table: the entries above zero, sorted by vector."""

    vector: IntArray
    cell: IntArray
    count: FloatArray
    number: int

    @classmethod
    def of(cls, counts: FloatArray) -> _Vectors:
        """Take a dense table (M, S)."""
        vector, cell = np.nonzero(counts)
        return cls(vector, cell, counts[vector, cell], len(counts))

    def some(self, chosen: IntArray) -> _Vectors:
        """Return some of them, by their numbers in increasing order."""
        place = np.full(self.number, -1)
        place[chosen] = np.arange(len(chosen))
        kept = place[self.vector] >= 0
        return _Vectors(place[self.vector[kept]], self.cell[kept], self.count[kept], len(chosen))


def p_max(
    log_alpha: FloatArray,
    counts: FloatArray,
    lumps: Sequence[Lump] = (),
    log_size: FloatArray | None = None,
) -> FloatArray:
    """P(max) of each listed cell, and last of all lumps together, for every vector: (M, S + 1).

    Parameters
    ----------
    log_alpha : array (S,)
        Of the listed cells; −inf for a cell that has no prior weight, which without a count can
        never be the largest.
    counts : array (M, S)
    lumps : sequence of Lump
    log_size : array (S,), optional
        Logarithms of sizes, at least 0 and 0 for lumps: G/size is compared, not G.

    Raises
    ------
    ArithmeticError
        If no two rules agree.

    Examples
    --------
    Example 3 of the paper, where 150,000 Monte Carlo draws gave 0.796:

    >>> p_max(np.full(4, np.log(0.25)), np.array([[1.0, 2.0, 3.0, 6.0]]))[0].round(9).tolist()
    [0.012363335, 0.051922986, 0.137500092, 0.798213587, 0.0]
    """
    number, cells = counts.shape
    if cells == 1 and not lumps:
        return np.tile([1.0, 0.0], (number, 1))
    alpha = np.exp(log_alpha)
    log_size = np.zeros(cells) if log_size is None else log_size
    if cells == 2 and not lumps:
        first, second = (alpha + counts).T
        share = softmax(log_size)
        # I of the swapped pair: each tail keeps its own digits.
        both = beta_exceeds(first, second, share[1]), beta_exceeds(second, first, share[0])
        return np.stack([*both, np.zeros(number)], axis=1)
    if number == 1:
        return p_max_of_one(log_alpha, counts[0], log_size, lumps)[None]
    heaviest = max([float(alpha.max(initial=0.0)), *(math.exp(min(a, 690.0)) for a, _ in lumps)])
    top = np.maximum((alpha + counts).max(axis=1, initial=0.0), heaviest)
    widest = float(log_size.max(initial=0.0))
    vectors, out = _Vectors.of(counts), np.empty((number, cells + 1))
    # Vectors whose largest shapes are within a factor of two have their mass in the same place.
    octave = np.floor(np.log2(top))
    for value in np.unique(octave):
        alike = np.flatnonzero(octave == value)
        ends = float(top[alike].min()), float(top[alike].max())
        nodes = Nodes.over(*ends, cells, lumps, widest)
        out[alike] = _settled((log_alpha, log_size), vectors.some(alike), lumps, nodes)
    return out


def imprecise_bounds(
    counts: FloatArray, strength: float, *, unlisted: bool
) -> tuple[FloatArray, FloatArray]:
    """Bound P(θ_i is the largest) over all prior means, at the vertices of their simplex.

    A vertex gives one cell the whole strength and the others nothing; a cell that then has
    posterior parameter zero cannot be the largest. Cells with equal counts share their vertices,
    so there is one evaluation per distinct count.

    Parameters
    ----------
    counts : array (S,)
        Counts of the listed cells.
    strength : float
        The prior's total parameter s.
    unlisted : bool
        Whether there are cells beyond the listed ones, one of which is then a vertex too.

    Returns
    -------
    lower, upper : arrays (S,)

    References
    ----------
    Walley (1996), for the imprecise Dirichlet model.
    """
    padded = np.append(counts, 0.0) if unlisted else counts
    lower, upper = np.ones(len(padded)), np.zeros(len(padded))
    keys = np.round(padded, 9)
    for key in np.unique(keys):
        equal = np.flatnonzero(keys == key)
        alpha = np.zeros(len(padded))
        alpha[equal[0]] = strength
        with np.errstate(divide="ignore"):
            p = p_max(np.log(alpha), padded[None])[0, :-1]
        upper[equal] = np.maximum(upper[equal], p[equal[0]])
        lower[equal] = np.minimum(lower[equal], p[equal[0]])
        others = np.flatnonzero(keys != key)
        for cells, value in ((others, p[others]), (equal, p[equal[-1]])):
            # If no other cell has this count, no equal cell can take the strength instead.
            if cells is others or len(equal) > 1:
                lower[cells] = np.minimum(lower[cells], value)
                upper[cells] = np.maximum(upper[cells], value)
    return lower[: len(counts)], upper[: len(counts)]


def _settled(
    cells: tuple[FloatArray, FloatArray], vectors: _Vectors, lumps: Sequence[Lump], nodes: Nodes
) -> FloatArray:
    """Halve the step until it no longer matters to any vector; cells are (log α, log size)."""
    out = np.empty((vectors.number, len(cells[0]) + 1))
    left, intervals = np.arange(vectors.number), integral.COARSEST
    while len(left):
        if intervals > integral.FINEST:
            raise ArithmeticError(integral.UNSETTLED)
        fine, coarse = _by_rule(cells, vectors.some(left), lumps, nodes, intervals)
        error = np.maximum(np.abs(fine - coarse).max(axis=1), np.abs(fine.sum(axis=1) - 1.0))
        agree = error <= integral.AGREE
        # What the two rules may differ by can lie beyond 0 or 1.
        out[left[agree]] = np.clip(fine[agree], 0.0, 1.0)
        left, intervals = left[~agree], 2 * intervals
    return out


def _by_rule(
    cells: tuple[FloatArray, FloatArray],
    vectors: _Vectors,
    lumps: Sequence[Lump],
    nodes: Nodes,
    intervals: int,
) -> tuple[FloatArray, FloatArray]:
    """All integrals by the rule of so many intervals, and by that of half as many."""
    t, log_weight = nodes.rule(intervals)
    # Cells of the same α and size share a row, and so do entries of the same count there.
    (level, log_size), where = np.unique(np.stack(cells), axis=1, return_inverse=True)
    where = where.ravel()
    empty, empty_hazard = rows_of_shapes(t, nodes.reference, np.exp(level), level, log_size)
    count, place = np.unique(np.round(vectors.count, 9), return_inverse=True)
    keys = where[vectors.cell] * max(len(count), 1) + place
    _, distinct, entry = np.unique(keys, return_index=True, return_inverse=True)
    levels = where[vectors.cell[distinct]]
    shape = np.exp(level[levels]) + vectors.count[distinct]
    full, full_hazard = rows_of_shapes(t, nodes.reference, shape, np.log(shape), log_size[levels])
    whole = log_weight + np.bincount(where, minlength=len(level)) @ empty
    whole, log_hazard = with_lumps(whole, t, nodes.reference, lumps)
    shift = full - empty[levels]
    starts = np.searchsorted(vectors.vector, np.arange(vectors.number + 1))
    rows = csr_array((np.ones(len(entry)), entry, starts), shape=(vectors.number, len(shape)))
    both = np.empty((2, vectors.number, len(where) + 1))
    step = max(1, _BLOCK // len(t))
    for first in range(0, vectors.number, step):
        block = slice(first, min(first + step, vectors.number))
        own = slice(starts[block.start], starts[block.stop])
        log_mass = whole + rows[block] @ shift
        mass = np.exp(log_mass)
        in_lumps = np.exp(log_mass + log_hazard) if lumps else np.zeros((1, len(t)))
        for out, every in zip(both, (1, 2), strict=True):
            part = np.ascontiguousarray(mass[:, ::every]) * every
            out[block, :-1] = (part @ empty_hazard[:, ::every].T)[:, where]
            out[block, -1] = in_lumps[:, ::every].sum(axis=1) * every
            out[vectors.vector[own], vectors.cell[own]] = np.einsum(
                "et,et->e", part[vectors.vector[own] - first], full_hazard[entry[own], ::every]
            )
    return both[0], both[1]
