"""P(max) of very many pairs under a learned prior, on quadrature nodes that all pairs share.

For one strength A every pair's cells have parameters Aφ_s + c with few distinct (s, c), so their
distribution functions are tabulated once on common nodes; a pair's integrals are then sums over
rows of that table. `maximum.probability_of_maximum` gives the same for one pair by itself.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betainc, gammainccinv, gammaincinv

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.dirichlet.learned import STRENGTHS, PairCounts, distinct
from bayescompare.kernels.dirichlet.maximum import TAIL
from bayescompare.kernels.numerics.gammas import log_cdf, log_density

__all__ = ["maxima_of_pairs", "mixed_maximum", "panels"]


#: Nodes in every panel; two successive rules must agree on every cell.
_RULES = (12, 16, 24, 32, 48)
_AGREE = 1e-11
#: Numbers held at once in the products over pairs.
_BLOCK = 1 << 22


def mixed_maximum(counts: PairCounts, log_base: FloatArray, weights: FloatArray) -> FloatArray:
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

    >>> three_of_four = PairCounts(np.array([0, 0]), np.array([0, 1]), np.array([3.0, 1.0]), 1)
    >>> only = np.eye(16)[[4]]
    >>> mixed_maximum(three_of_four, np.log([0.5, 0.5]), only).round(6).tolist()
    [[0.834561, 0.165439]]
    """
    out = np.zeros((counts.n_pairs, len(log_base)))
    for k, strength in enumerate(STRENGTHS):
        chosen = weights[:, k] > 0.0
        if chosen.any():
            some = _only(counts, chosen)
            out[chosen] += weights[chosen, k, None] * maxima_of_pairs(
                some, log_base + math.log(strength)
            )
    return out


def _only(counts: PairCounts, chosen: BoolArray) -> PairCounts:
    """Return the counts of the chosen pairs, renumbered."""
    number, keep = np.cumsum(chosen) - 1, chosen[counts.pair]
    return PairCounts(
        number[counts.pair[keep]], counts.cell[keep], counts.count[keep], int(chosen.sum())
    )


def maxima_of_pairs(counts: PairCounts, log_alpha: FloatArray) -> FloatArray:
    """P(max) of every pair under one Dirichlet prior, (pairs, S).

    Examples
    --------
    >>> twelve = PairCounts(np.zeros(4, int), np.arange(4), np.array([1.0, 2, 3, 6]), 1)
    >>> maxima_of_pairs(twelve, np.full(4, np.log(0.25))).round(6).tolist()
    [[0.012363, 0.051923, 0.1375, 0.798214]]
    """
    alpha = np.exp(log_alpha)
    if len(alpha) == 2:
        shape = np.tile(alpha, (counts.n_pairs, 1))
        np.add.at(shape, (counts.pair, counts.cell), counts.count)
        # I_½ of the swapped pair: each tail keeps its own digits.
        return np.stack([betainc(shape[:, 1 - s], shape[:, s], 0.5) for s in (0, 1)], axis=1)
    low, high = _limits(counts, alpha)
    before = _by_rule(counts, log_alpha, low, high, _RULES[0])
    for nodes in _RULES[1:]:
        now = _by_rule(counts, log_alpha, low, high, nodes)
        if float(np.abs(now - before).max()) < _AGREE:
            return now
        before = now
    raise ArithmeticError("P(max) of the pairs did not settle to 1e-11: please report this")


def _limits(counts: PairCounts, alpha: FloatArray) -> tuple[float, float]:
    """Logarithms of x between which every pair's maximum has all but 1e-17 of its mass."""
    top = np.full(counts.n_pairs, float(alpha.max()))
    np.maximum.at(top, counts.pair, alpha[counts.cell] + counts.count)
    least, most = float(top.min()), float(top.max())
    # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
    low = (math.log(TAIL) + math.lgamma(least + 1.0)) / least
    point = float(gammaincinv(least, TAIL))
    low = max(low, math.log(point)) if point > 0.0 else low
    return low, math.log(float(gammainccinv(most, TAIL / (len(alpha) + 1.0))))


def panels(low: float, high: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre in t = log x, in panels as wide as the features there.

    Above x = 1 a Gamma near x has standard deviation 1/√x in log x. Below it F(x; a) is e^{at},
    and shapes with a|t| beyond 40 no longer matter, so features widen with |t|.
    """
    edges = [high]
    while edges[-1] > low:
        t = edges[-1]
        edges.append(t - (min(1.0, 3.0 * math.exp(-0.5 * t)) if t > 0.0 else max(1.0, -t / 4.0)))
    edge = np.array(edges[::-1])
    abscissa, weight = _gauss(nodes)
    half = 0.5 * np.diff(edge)[:, None]
    return (edge[:-1, None] + half * (1.0 + abscissa)).ravel(), np.log(half * weight).ravel()


@cache
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of one panel from −1 to 1."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    return node, weight


def _by_rule(
    counts: PairCounts, log_alpha: FloatArray, low: float, high: float, nodes: int
) -> FloatArray:
    """Compute all integrals with `nodes` nodes in every panel."""
    t, log_weight = panels(low, high, nodes)
    # Statements with the same φ, such as all those never observed, share a row.
    level, where = np.unique(log_alpha, return_inverse=True)
    nothing, hazard_of_nothing = _rows(t, level)
    cells, entry = distinct(replace(counts, cell=where[counts.cell]))
    some, hazard = _rows(t, np.log(np.exp(level[cells.cell]) + cells.count))
    whole = log_weight + np.bincount(where).astype(np.float64) @ nothing
    shift = some - nothing[cells.cell]
    order = np.argsort(counts.pair, kind="stable")
    pair, cell, entry = counts.pair[order], counts.cell[order], entry[order]
    starts = np.searchsorted(pair, np.arange(counts.n_pairs + 1))
    rows = csr_array((np.ones(len(entry)), entry, starts), shape=(counts.n_pairs, len(cells.cell)))
    out = np.empty((counts.n_pairs, len(log_alpha)))
    step = max(1, _BLOCK // (len(t) * len(log_alpha)))
    for first in range(0, counts.n_pairs, step):
        last = min(first + step, counts.n_pairs)
        density = np.exp(whole + rows[first:last] @ shift)
        out[first:last] = (density @ hazard_of_nothing.T)[:, where]
        own = slice(starts[first], starts[last])
        out[pair[own], cell[own]] = np.einsum(
            "et,et->e", density[pair[own] - first], hazard[entry[own]]
        )
    return out


def _rows(t: FloatArray, log_shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log F at the nodes for each shape, and f/F, which replaces one factor F by f."""
    shape = np.exp(log_shape)[:, None]
    cdf = log_cdf(t, 1.0, shape)
    return cdf, np.exp(log_density(t, 1.0, shape, log_shape[:, None]) - cdf)
