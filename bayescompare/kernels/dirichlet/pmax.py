r"""P(one cell of a Dirichlet vector is the largest): many count vectors at once, by quadrature.

With :math:`\theta_k = G_k/\sum G` and :math:`G_k \sim \mathrm{Gamma}(a_k)`,

.. math:: P_i = \int_0^\infty f(x; a_i) \prod_{j \ne i} F(x; a_j)\,dx .

Few distinct shapes occur, however many vectors and cells there are. So log F and f/F of each are
tabulated on nodes that vectors of like size share, and an integral is a sum over rows of the table.
Cells that are not listed enter as lumps, F to a power that may exceed any float. The trapezoidal
rule in s, :math:`\log x = c + s + 1 - e^{-s}`, is accepted for a vector only if the rule of twice
the step agrees with it on every cell: P may sum to one while the errors of its parts cancel.

To the left the maximum's distribution function falls off like :math:`x^A`, over hundreds of units
of log x if there are hardly any data; in s it falls off doubly exponentially at both ends, and then
the rule converges so fast that halving the step doubles the number of correct digits.

References
----------
de Campos & Benavoli (2016), Section 4, where the same probability is estimated by Monte Carlo.
Takahasi & Mori (1974), Publ. RIMS 9, 721–741, for the substitution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betainc, gammainccinv, gammaincinv, softmax, wrightomega

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import density_of_log_gamma, log_cdf, log_minus_log_cdf

__all__ = ["TAIL", "Lump", "beta_exceeds", "imprecise_bounds", "p_max"]

#: Mass that may be left outside the range of integration.
TAIL = 1e-17
#: Intervals of the first rule and of the last; between them the step is halved.
_COARSEST, _FINEST = 64, 16_384
#: Two rules agree when no cell's P differs by more, nor their sum from one.
_AGREE = 1e-11
_UNSETTLED = "P(max) did not settle to 1e-11: please report this"
#: Numbers held at once.
_BLOCK = 1 << 20

#: Logarithms of α of one cell of a lump and of the number of its cells.
Lump = tuple[float, float]


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
    heaviest = max([float(alpha.max(initial=0.0)), *(math.exp(min(a, 690.0)) for a, _ in lumps)])
    top = np.maximum((alpha + counts).max(axis=1, initial=0.0), heaviest)
    widest = float(log_size.max(initial=0.0))
    if number == 1:
        nodes = _Nodes.over(float(top[0]), float(top[0]), cells, lumps, widest)
        return _one_settled(log_alpha, counts[0], log_size, lumps, nodes)[None]
    vectors, out = _Vectors.of(counts), np.empty((number, cells + 1))
    # Vectors whose largest shapes are within a factor of two have their mass in the same place.
    octave = np.floor(np.log2(top))
    for value in np.unique(octave):
        alike = np.flatnonzero(octave == value)
        ends = float(top[alike].min()), float(top[alike].max())
        nodes = _Nodes.over(*ends, cells, lumps, widest)
        out[alike] = _settled((log_alpha, log_size), vectors.some(alike), lumps, nodes)
    return out


def beta_exceeds(first: FloatArray, second: FloatArray, share: float) -> FloatArray:
    """P(Beta(first, second) > 1 − share): of equal sizes at ½ that one cell exceeds another.

    A cell without weight has no chance; of two such neither leads, and each has half.
    """
    some = np.minimum(first, second) > 0.0
    # At a shape of zero betainc is NaN in scipy 1.15 and the limit in 1.18.
    out = np.where(first == second, 0.5, (first > second) * 1.0)
    out[some] = betainc(second[some], first[some], share)
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
        # e^{−s} is Wright's ω of 1 − u.
        ends = (
            -math.log(float(wrightomega(1.0 - (end - math.log(most) - knee))))
            for end in (low, high)
        )
        return cls(most, knee, *ends)

    def rule(self, intervals: int) -> tuple[FloatArray, FloatArray]:
        """Return t at the nodes of a rule, and the logarithms of their weights."""
        s = np.linspace(self.low, self.high, intervals + 1)
        # s + 1 − e^{−s} to the last digit around s = 0.
        return self.knee + s - np.expm1(-s), np.log1p(np.exp(-s)) + math.log(s[1] - s[0])


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
    cells: tuple[FloatArray, FloatArray], vectors: _Vectors, lumps: Sequence[Lump], nodes: _Nodes
) -> FloatArray:
    """Halve the step until it no longer matters to any vector; cells are (log α, log size)."""
    out = np.empty((vectors.number, len(cells[0]) + 1))
    left, intervals = np.arange(vectors.number), _COARSEST
    while len(left):
        if intervals > _FINEST:
            raise ArithmeticError(_UNSETTLED)
        fine, coarse = _by_rule(cells, vectors.some(left), lumps, nodes, intervals)
        error = np.maximum(np.abs(fine - coarse).max(axis=1), np.abs(fine.sum(axis=1) - 1.0))
        agree = error <= _AGREE
        # What the two rules may differ by can lie beyond 0 or 1.
        out[left[agree]] = np.clip(fine[agree], 0.0, 1.0)
        left, intervals = left[~agree], 2 * intervals
    return out


def _by_rule(
    cells: tuple[FloatArray, FloatArray],
    vectors: _Vectors,
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


def _one_settled(
    log_alpha: FloatArray,
    counts: FloatArray,
    log_size: FloatArray,
    lumps: Sequence[Lump],
    nodes: _Nodes,
) -> FloatArray:
    """Do the same for a single vector, which needs no table of entries: several times as fast."""
    shape = np.exp(log_alpha) + counts
    with np.errstate(divide="ignore"):
        log_shape = np.where(counts > 0.0, np.log(shape), log_alpha)
    # Sums of 1/2 and 1/6 in different orders differ in the last bit but are the same shape.
    keys = np.round(log_shape, 12) + (1j * log_size if log_size.any() else 0.0)
    _, first, where, number = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    distinct, intervals = (shape[first], log_shape[first], log_size[first]), _COARSEST
    while intervals <= _FINEST:
        t, log_weight = nodes.rule(intervals)
        cdf, hazard = _rows(t, nodes.reference, *distinct)
        log_mass, log_hazard = _with_lumps(log_weight + number @ cdf, t, nodes.reference, lumps)
        mass = np.exp(log_mass)
        fine, coarse = hazard @ mass, 2.0 * (hazard[:, ::2] @ mass[::2])
        if lumps:
            in_lumps = np.exp(log_mass + log_hazard)
            fine = np.append(fine, in_lumps.sum())
            coarse = np.append(coarse, 2.0 * in_lumps[::2].sum())
        total = float(number @ fine[: len(number)]) + (fine[-1] if lumps else 0.0)
        if max(float(np.abs(fine - coarse).max()), abs(total - 1.0)) <= _AGREE:
            # What the two rules may differ by can lie beyond 0 or 1.
            fine = np.minimum(np.maximum(fine, 0.0), 1.0)
            return np.append(fine[where.ravel()], fine[-1] if lumps else 0.0)
        intervals *= 2
    raise ArithmeticError(_UNSETTLED)


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
