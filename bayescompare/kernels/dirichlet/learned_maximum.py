"""P(max) of very many pairs, on quadrature nodes that pairs of like size share.

For one strength A every pair's cells have parameters Aφ_s + c with few distinct (s, c), so their
distribution functions are tabulated once on common nodes; a pair's integrals are then sums over
rows of that table. `maximum.probability_of_maximum` gives the same for one pair by itself.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betainc, gammainccinv, gammaincinv

from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    DirichletPairCounts,
    distinct_dirichlet_counts,
)
from bayescompare.kernels.dirichlet.maximum import TAIL
from bayescompare.kernels.dirichlet.substitution import bend_by_substitution, unbend_substitution
from bayescompare.kernels.numerics.gammas import density_of_log_gamma, log_cdf
from bayescompare.kernels.numerics.intervals import as_probability

__all__ = ["dirichlet_maxima_of_pairs", "mixed_maximum"]


#: Intervals of the first trapezoidal rule; a pair on which the rule of twice the step disagrees
#: gets one of half the step.
_COARSEST, _FINEST = 96, 12_288
#: A pair's rules agree when no cell's P differs by more, nor their sum from one.
_AGREE = 1e-11
#: Numbers held at once in the products over pairs.
_BLOCK = 1 << 20


def mixed_maximum(
    counts: DirichletPairCounts, log_base: FloatArray, weights: FloatArray
) -> FloatArray:
    """P(θ_s is the largest) for every pair and statement, averaged over its strengths.

    Parameters
    ----------
    counts : PairCounts
    log_base : array (S,)
        For every possible statement.
    weights : array (pairs, strengths)
        Posterior weights of `STRENGTHS` for each pair.

    Returns
    -------
    array (pairs, S)

    Examples
    --------
    Two statements and one strength, 1.17: the closed form of a Beta.

    >>> three_of_four = DirichletPairCounts(
    ...     np.array([0, 0]), np.array([0, 1]), np.array([3.0, 1.0]), 1
    ... )
    >>> only = np.eye(16)[[4]]
    >>> mixed_maximum(three_of_four, np.log([0.5, 0.5]), only).round(6).tolist()
    [[0.834561, 0.165439]]
    """
    out = np.zeros((counts.n_pairs, len(log_base)))
    for k, strength in enumerate(STRENGTHS):
        chosen = np.flatnonzero(weights[:, k])
        if len(chosen):
            some = counts.of_pairs(chosen)
            out[chosen] += weights[chosen, k, None] * dirichlet_maxima_of_pairs(
                some, log_base + math.log(strength)
            )
    return as_probability(out)


def dirichlet_maxima_of_pairs(counts: DirichletPairCounts, log_alpha: FloatArray) -> FloatArray:
    """P(max) of every pair under one Dirichlet prior, (pairs, S).

    Two successive rules agree on each within 1e-11; the finer one is returned, whose error is
    about the square of that.

    Examples
    --------
    >>> twelve = DirichletPairCounts(np.zeros(4, int), np.arange(4), np.array([1.0, 2, 3, 6]), 1)
    >>> dirichlet_maxima_of_pairs(twelve, np.full(4, np.log(0.25))).round(6).tolist()
    [[0.012363, 0.051923, 0.1375, 0.798214]]
    """
    alpha = np.exp(log_alpha)
    if len(alpha) == 2:
        shape = np.tile(alpha, (counts.n_pairs, 1))
        np.add.at(shape, (counts.pair, counts.cell), counts.count)
        # I_½ of the swapped pair: each tail keeps its own digits.
        return np.stack([betainc(shape[:, 1 - s], shape[:, s], 0.5) for s in (0, 1)], axis=1)
    top = np.full(counts.n_pairs, float(alpha.max()))
    np.maximum.at(top, counts.pair, alpha[counts.cell] + counts.count)
    out = np.empty((counts.n_pairs, len(alpha)))
    # Pairs whose largest shapes are within a factor of two have their mass in the same place.
    octave = np.floor(np.log2(top))
    for value in np.unique(octave):
        alike = np.flatnonzero(octave == value)
        limits = _LearnedMaximumLimits(float(top[alike].min()), float(top[alike].max()), len(alpha))
        out[alike] = _settled_dirichlet_maxima(counts.of_pairs(alike), log_alpha, limits)
    return as_probability(out)


class _LearnedMaximumLimits:
    """Where the maxima of pairs with largest shapes from `least` to `most` have their mass."""

    def __init__(self, least: float, most: float, cells: int) -> None:
        # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
        low = (math.log(TAIL) + math.lgamma(least + 1.0)) / least
        point = float(gammaincinv(least, TAIL))
        low = max(low, math.log(point)) if point > 0.0 else low
        tail = TAIL / (cells + 1.0)
        point = float(gammainccinv(most, tail))
        # The quantile underflows only where 1 − F(x; a) is −a log x.
        high = math.log(point) if point > 0.0 else -tail / most
        #: `t` is measured from the logarithm of the largest shape, to keep digits near a peak.
        self.reference = most
        self._knee = max(0.0, -math.log(most))
        origin = math.log(most) + self._knee
        self._ends = unbend_substitution(low - origin), unbend_substitution(high - origin)

    def nodes(self, intervals: int) -> tuple[FloatArray, FloatArray]:
        """Return `t` at the nodes of a rule, and the logarithms of their weights."""
        s = np.linspace(*self._ends, intervals + 1)
        return self._knee + bend_by_substitution(s), np.log1p(np.exp(-s)) + math.log(s[1] - s[0])


def _settled_dirichlet_maxima(
    counts: DirichletPairCounts, log_alpha: FloatArray, limits: _LearnedMaximumLimits
) -> FloatArray:
    """Halve the step until it no longer matters to any pair."""
    out = np.empty((counts.n_pairs, len(log_alpha)))
    left, intervals = np.arange(counts.n_pairs), _COARSEST
    while len(left):
        if intervals > _FINEST:
            raise ArithmeticError("P(max) of the pairs did not settle to 1e-11: please report this")
        fine, coarse = _learned_maximum_by_rule(counts.of_pairs(left), log_alpha, limits, intervals)
        error = np.abs(fine - coarse).max(axis=1)
        agree = np.maximum(error, np.abs(fine.sum(axis=1) - 1.0)) <= _AGREE
        out[left[agree]] = fine[agree]
        left, intervals = left[~agree], 2 * intervals
    return out


def _learned_maximum_by_rule(
    counts: DirichletPairCounts,
    log_alpha: FloatArray,
    limits: _LearnedMaximumLimits,
    intervals: int,
) -> tuple[FloatArray, FloatArray]:
    """Compute all integrals by the rule of so many intervals, and by that of half as many."""
    t, log_weight = limits.nodes(intervals)
    # Statements with the same φ, such as all those never observed, share a row.
    level, where = np.unique(log_alpha, return_inverse=True)
    nothing, hazard_of_nothing = _learned_maximum_rows(t, limits.reference, level)
    cells, entry = distinct_dirichlet_counts(replace(counts, cell=where[counts.cell]))
    some, hazard = _learned_maximum_rows(
        t, limits.reference, np.log(np.exp(level[cells.cell]) + cells.count)
    )
    whole = log_weight + np.bincount(where).astype(np.float64) @ nothing
    shift = some - nothing[cells.cell]
    starts = np.searchsorted(counts.pair, np.arange(counts.n_pairs + 1))
    rows = csr_array((np.ones(len(entry)), entry, starts), shape=(counts.n_pairs, len(cells.cell)))
    fine = np.empty((counts.n_pairs, len(log_alpha)))
    coarse = np.empty_like(fine)
    step = max(1, _BLOCK // (len(t) * min(len(log_alpha), 16)))
    for first in range(0, counts.n_pairs, step):
        last = min(first + step, counts.n_pairs)
        density = np.exp(whole + rows[first:last] @ shift)
        own = slice(starts[first], starts[last])
        pair, cell, number = counts.pair[own], counts.cell[own], entry[own]
        for every, out in ((1, fine), (2, coarse)):
            part = np.ascontiguousarray(density[:, ::every]) * every
            out[first:last] = (part @ hazard_of_nothing[:, ::every].T)[:, where]
            out[pair, cell] = np.einsum("et,et->e", part[pair - first], hazard[number, ::every])
    return fine, coarse


def _learned_maximum_rows(
    t: FloatArray, reference: float, log_shape: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log F at the nodes for each shape, and f/F, which replaces one factor F by f."""
    shape = np.exp(log_shape)[:, None]
    cdf = log_cdf(t, reference, shape)
    return cdf, np.exp(density_of_log_gamma(t, reference, shape, log_shape[:, None]) - cdf)
