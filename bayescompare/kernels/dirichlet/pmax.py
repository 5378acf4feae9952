r"""P(one cell of a Dirichlet vector is the largest): many count vectors at once, by quadrature.

With :math:`\theta_k = G_k/\sum G` and :math:`G_k \sim \mathrm{Gamma}(a_k)`,

.. math:: P_i = \int_0^\infty f(x; a_i) \prod_{j \ne i} F(x; a_j)\,dx .

Few distinct shapes occur, however many vectors and cells there are. So log F and f/F of each are
tabulated on nodes that vectors of like size share, and an integral is a sum over rows of the table.
Cells that are not listed enter as lumps, F to a power that may exceed any float. The trapezoidal
rule in s, :math:`\log x = c + s + 1 - e^{-s}`, is accepted for a vector only if the rule of twice
the step agrees with it on every cell: P may sum to one while the errors of its parts cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betainc, gammainccinv, gammaincinv, softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.substitution import bend_by_substitution, unbend_substitution
from bayescompare.kernels.numerics.gammas import density_of_log_gamma, log_cdf, log_minus_log_cdf

__all__ = ["Lump", "Vectors", "p_max"]

#: Mass that may be left outside the range of integration.
TAIL = 1e-17
#: Intervals of the first rule and of the last; between them the step is halved.
_COARSEST, _FINEST = 64, 16_384
#: Two rules agree when no cell's P differs by more, nor their sum from one.
_AGREE = 1e-11
#: Numbers held at once.
_BLOCK = 1 << 20

#: Logarithms of α of one cell of a lump and of the number of its cells.
Lump = tuple[float, float]


@dataclass(frozen=True)
class Vectors:
    """Count vectors as a sparse table: the entries above zero, sorted by vector."""

    vector: IntArray
    cell: IntArray
    count: FloatArray
    number: int

    @classmethod
    def of(cls, counts: FloatArray) -> Vectors:
        """Take a dense table (M, S)."""
        vector, cell = np.nonzero(counts)
        return cls(vector, cell, counts[vector, cell], len(counts))

    def some(self, chosen: IntArray) -> Vectors:
        """Return some of them, by their numbers in increasing order."""
        place = np.full(self.number, -1)
        place[chosen] = np.arange(len(chosen))
        kept = place[self.vector] >= 0
        return Vectors(place[self.vector[kept]], self.cell[kept], self.count[kept], len(chosen))


def p_max(
    log_alpha: FloatArray,
    vectors: Vectors,
    lumps: Sequence[Lump] = (),
    log_size: FloatArray | None = None,
) -> FloatArray:
    """P(max) of each listed cell, and last of all lumps together, for every vector: (M, S + 1).

    Parameters
    ----------
    log_alpha : array (S,)
        Of the listed cells; −inf for a cell that has no prior weight.
    vectors : Vectors
    lumps : sequence of Lump
    log_size : array (S,), optional
        Logarithms of sizes, at least 0 and 0 for lumps: G/size is compared, not G.
    """
    alpha = np.exp(log_alpha)
    log_size = np.zeros(len(alpha)) if log_size is None else log_size
    if len(alpha) == 1 and not lumps:
        return np.tile([1.0, 0.0], (vectors.number, 1))
    if len(alpha) == 2 and not lumps:
        shape = np.tile(alpha, (vectors.number, 1))
        np.add.at(shape, (vectors.vector, vectors.cell), vectors.count)
        share = softmax(log_size)
        # I of the swapped pair: each tail keeps its own digits.
        both = [betainc(shape[:, 1 - s], shape[:, s], share[1 - s]) for s in (0, 1)]
        return np.stack([*both, np.zeros(vectors.number)], axis=1)
    heaviest = max([float(alpha.max(initial=0.0)), *(math.exp(min(a, 690.0)) for a, _ in lumps)])
    top = np.full(vectors.number, heaviest)
    np.maximum.at(top, vectors.vector, alpha[vectors.cell] + vectors.count)
    out = np.empty((vectors.number, len(alpha) + 1))
    # Vectors whose largest shapes are within a factor of two have their mass in the same place.
    octave = np.floor(np.log2(top))
    for value in np.unique(octave):
        alike = np.flatnonzero(octave == value)
        ends = float(top[alike].min()), float(top[alike].max())
        nodes = _Nodes.over(*ends, len(alpha), lumps, float(log_size.max()))
        out[alike] = _settled((log_alpha, log_size), vectors.some(alike), lumps, nodes)
    return out


@dataclass(frozen=True)
class _Nodes:
    """Where maxima have their mass; t is measured from the logarithm of a reference shape."""

    reference: float
    knee: float
    low: float
    high: float

    @classmethod
    def over(
        cls, least: float, most: float, cells: int, lumps: Sequence[Lump], log_size: float
    ) -> _Nodes:
        """Enclose the maxima of vectors whose largest shapes are from `least` to `most`.

        `log_size` is the largest by which a cell may be divided.
        """
        # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
        low = (math.log(TAIL) + math.lgamma(least + 1.0)) / least
        point = float(gammaincinv(least, TAIL))
        low = (max(low, math.log(point)) if point > 0.0 else low) - log_size
        tail = TAIL / (cells + 1.0)
        point = float(gammainccinv(most, tail))
        # The quantile underflows only where 1 − F(x; a) is −a log x.
        high = math.log(point) if point > 0.0 else -tail / most
        for log_alpha, log_cells in lumps:
            spread = 45.0 + max(0.0, log_cells + min(log_alpha, 0.0))
            high = max(high, math.log(most + spread + math.sqrt(2.0 * most * spread)))
            low = max(low, _least_of_lump(log_alpha, log_cells, math.log(most), low, high))
        knee = max(0.0, -math.log(most))
        ends = (unbend_substitution(end - math.log(most) - knee) for end in (low, high))
        return cls(most, knee, *ends)

    def rule(self, intervals: int) -> tuple[FloatArray, FloatArray]:
        """Return t at the nodes of a rule, and the logarithms of their weights."""
        s = np.linspace(self.low, self.high, intervals + 1)
        return self.knee + bend_by_substitution(s), np.log1p(np.exp(-s)) + math.log(s[1] - s[0])


def _least_of_lump(
    log_alpha: float, log_cells: float, reference: float, low: float, high: float
) -> float:
    """The log of x below which the largest cell of a lump has no mass, between `low` and `high`."""
    goal = math.log(-math.log(TAIL)) - log_cells
    for _ in range(50):
        middle = 0.5 * (low + high)
        at = np.array([middle - reference])
        is_below = float(log_minus_log_cdf(at, math.exp(reference), log_alpha)[0]) > goal
        low, high = (middle, high) if is_below else (low, middle)
    return low


def _settled(
    cells: tuple[FloatArray, FloatArray], vectors: Vectors, lumps: Sequence[Lump], nodes: _Nodes
) -> FloatArray:
    """Halve the step until it no longer matters to any vector; cells are (log α, log size)."""
    out = np.empty((vectors.number, len(cells[0]) + 1))
    left, intervals = np.arange(vectors.number), _COARSEST
    while len(left):
        if intervals > _FINEST:
            raise ArithmeticError("P(max) did not settle to 1e-11: please report this")
        rule = _one_by_rule if vectors.number == 1 else _by_rule
        fine, coarse = rule(cells, vectors.some(left), lumps, nodes, intervals)
        error = np.maximum(np.abs(fine - coarse).max(axis=1), np.abs(fine.sum(axis=1) - 1.0))
        agree = error <= _AGREE
        # What the two rules may differ by can lie beyond 0 or 1.
        out[left[agree]] = np.clip(fine[agree], 0.0, 1.0)
        left, intervals = left[~agree], 2 * intervals
    return out


def _by_rule(
    cells: tuple[FloatArray, FloatArray],
    vectors: Vectors,
    lumps: Sequence[Lump],
    nodes: _Nodes,
    intervals: int,
) -> tuple[FloatArray, FloatArray]:
    """All integrals by the rule of so many intervals, and by that of half as many."""
    t, log_weight = nodes.rule(intervals)
    # Cells of the same α and size share a row, and so do entries of the same count there.
    (level, log_size), where = np.unique(np.stack(cells), axis=1, return_inverse=True)
    where = where.ravel()
    empty, empty_hazard = _rows(t, nodes.reference, np.exp(level), level, log_size)
    count, place = np.unique(np.round(vectors.count, 9), return_inverse=True)
    keys = where[vectors.cell] * max(len(count), 1) + place
    _, distinct, entry = np.unique(keys, return_index=True, return_inverse=True)
    levels = where[vectors.cell[distinct]]
    shape = np.exp(level[levels]) + vectors.count[distinct]
    full, full_hazard = _rows(t, nodes.reference, shape, np.log(shape), log_size[levels])
    whole = log_weight + np.bincount(where, minlength=len(level)) @ empty
    whole, log_hazard = _with_lumps(whole, t, nodes.reference, lumps)
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


def _one_by_rule(
    cells: tuple[FloatArray, FloatArray],
    vectors: Vectors,
    lumps: Sequence[Lump],
    nodes: _Nodes,
    intervals: int,
) -> tuple[FloatArray, FloatArray]:
    """Do the same for a single vector, which needs no table of entries: four times as fast."""
    t, log_weight = nodes.rule(intervals)
    log_alpha, log_size = cells
    shape, log_shape = np.exp(log_alpha), log_alpha.copy()
    shape[vectors.cell] += vectors.count
    log_shape[vectors.cell] = np.log(shape[vectors.cell])
    # Sums of 1/2 and 1/6 in different orders differ in the last bit but are the same shape.
    keys = np.round(log_shape, 12) + (1j * log_size if log_size.any() else 0.0)
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    cdf, hazard = _rows(t, nodes.reference, shape[first], log_shape[first], log_size[first])
    whole = log_weight + np.bincount(where) @ cdf
    whole, log_hazard = _with_lumps(whole, t, nodes.reference, lumps)
    mass = np.exp(whole)
    in_lumps = np.exp(whole + log_hazard) if lumps else np.zeros(len(t))
    both = []
    for every in (1, 2):
        each = hazard[:, ::every] @ mass[::every]
        both.append(every * np.append(each[where], in_lumps[::every].sum())[None])
    return both[0], both[1]


def _with_lumps(
    log_mass: FloatArray, t: FloatArray, reference: float, lumps: Sequence[Lump]
) -> tuple[FloatArray, FloatArray]:
    """Multiply by F of all lumps, and return the log of f/F of these."""
    log_hazard = np.full(len(t), -np.inf)
    for log_a, log_cells in lumps:
        minus_log_f = log_minus_log_cdf(t, reference, log_a)
        row = np.full((1, 1), log_a)
        log_f = density_of_log_gamma(t, reference, np.exp(row), row)[0]
        with np.errstate(over="ignore"):
            log_mass = log_mass - np.exp(log_cells + minus_log_f)
            log_hazard = np.logaddexp(log_hazard, log_cells + log_f + np.exp(minus_log_f))
    return log_mass, log_hazard


def _rows(
    t: FloatArray, reference: float, shape: FloatArray, log_shape: FloatArray, log_size: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log F at the nodes for each shape, and f/F, which replaces one factor F by f."""
    if not log_size.any():
        cdf = log_cdf(t, reference, shape[:, None])
        density = density_of_log_gamma(t, reference, shape[:, None], log_shape[:, None])
        return cdf, np.exp(density - cdf)
    cdf, hazard = np.empty((2, len(shape), len(t)))
    for size in np.unique(log_size):
        own, at = log_size == size, t + size
        a, log_a = shape[own, None], log_shape[own, None]
        cdf[own] = log_cdf(at, reference, a)
        hazard[own] = np.exp(density_of_log_gamma(at, reference, a, log_a) - cdf[own])
    return cdf, hazard
