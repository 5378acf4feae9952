r"""Exact probability that one cell of a Dirichlet vector is the largest, by quadrature.

With :math:`\theta_k = G_k/\sum G` and :math:`G_k \sim \mathrm{Gamma}(a_k)`,

.. math:: P_i = \int_0^\infty f(x; a_i) \prod_{j \ne i} F(x; a_j)\,dx .

Cells with equal :math:`a` share one distribution function, so they are grouped; the unobserved
statements are one group of a size that may exceed any float. The integral is taken in
:math:`t = \log x`, where tiny :math:`a` leave no singularity, between the points where the
maximum's tails fall below 1e-17, by Gauss–Legendre.

References
----------
Benavoli & de Campos (2016), Section 4, where the same probability is estimated by Monte Carlo.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv

from bayescompare.kernels.cells import Cells
from bayescompare.kernels.gammas import TINY, log_cdf, log_density, log_minus_log_cdf

__all__ = ["probability_of_maximum"]

FloatArray = NDArray[np.float64]

_TAIL = 1e-17
_LOG_TAIL = math.log(_TAIL)
_GRID = 17
_NODES = (60, 64, 64, 128, 256, 512, 1024)
#: Evaluations of F held at once: bounds memory when there are very many distinct counts.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class _Groups:
    """Distinct shapes, in increasing order, with how many cells share each."""

    a: FloatArray
    log_a: FloatArray
    size: FloatArray
    lump_log_a: float
    lump_log_size: float
    #: The largest shape: `t` is measured from its logarithm to keep digits near a peak.
    reference: float


def probability_of_maximum(cells: Cells) -> tuple[FloatArray, float]:
    """Return P(θ_i is the largest) for every listed cell, and for the lump together.

    Parameters
    ----------
    cells : Cells
        Cells with posterior parameter zero can never be the largest and get probability 0.

    Returns
    -------
    array (S,), float
        They sum to one within 1e-12.

    Examples
    --------
    Example 3 of the paper, where 150,000 Monte Carlo draws gave 0.796:

    >>> n = np.array([1.0, 2.0, 3.0, 6.0])
    >>> p, rest = probability_of_maximum(Cells(np.full(4, np.log(0.25)), n))
    >>> p.round(12).tolist(), rest
    ([0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235], 0.0)
    """
    groups, member = _group(cells)
    low, high = _tail_limits(groups)
    for attempt, nodes in enumerate(_NODES):
        if attempt == 1:
            low, high = _narrowed(groups, low, high)
        edges = [low, high] if attempt < 2 else _graded(low, high)
        each, lump = _integrate(groups, edges[0], edges[1], nodes)
        for panel in itertools.pairwise(edges[1:]):
            more, more_lump = _integrate(groups, *panel, nodes)
            each, lump = each + more, lump + more_lump
        # The whole is the integral of the maximum's density, so it is one exactly when the
        # nodes resolve every feature of the parts.
        if abs(float(each @ groups.size) + lump - 1.0) < 1e-12:
            break
    else:
        defect = abs(float(each @ groups.size) + lump - 1.0)
        if defect > 1e-9:
            raise ArithmeticError(f"P(max) sums to 1 only within {defect:.1g}: please report this")
    listed = each[member] if member.min(initial=0) >= 0 else np.append(each, 0.0)[member]
    return listed, min(lump, 1.0)


def _graded(low: float, high: float) -> list[float]:
    """Panels that halve towards the upper end.

    With hardly any data the maximum's density is e^{At} over hundreds of units and then drops
    within a few.
    """
    panels = max(1, math.ceil(math.log2(max(high - low, 1.0) / 4.0)))
    return [high - (high - low) * 0.5**k for k in range(panels + 1)] + [high]


def _group(cells: Cells) -> tuple[_Groups, NDArray[np.int64]]:
    """Collect equal shapes; `member` is each listed cell's group, −1 for impossible cells."""
    shape = cells.shape
    # Where a count is there it carries the shape, and α may have underflowed.
    log_shape = np.where(cells.counts > 0, np.log(np.maximum(shape, TINY)), cells.log_alpha)
    # Sums of 1/2 and 1/6 in another order differ in the last bit: they are the same shape.
    key = np.round(log_shape, 12)
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    if ranked[0] == -math.inf:
        order = order[np.searchsorted(ranked, -math.inf, side="right") :]
        ranked = key[order]
    new = np.empty(len(ranked), dtype=np.bool_)
    new[:1], new[1:] = True, ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(new)
    member = np.full(len(key), -1, dtype=np.int64)
    member[order] = np.cumsum(new) - 1
    first, size = order[starts], np.bincount(member[order], minlength=len(starts))
    lump_log_size = cells.rest_log_size if cells.rest_log_alpha > -math.inf else -math.inf
    lump = math.exp(min(cells.rest_log_alpha, 690.0)) if lump_log_size > -math.inf else 0.0
    largest = float(shape[first[-1]]) if len(first) else 0.0
    groups = _Groups(
        a=shape[first],
        log_a=log_shape[first],
        size=size.astype(np.float64),
        lump_log_a=cells.rest_log_alpha,
        lump_log_size=lump_log_size,
        reference=max(largest, lump),
    )
    return groups, member


def _tail_limits(groups: _Groups) -> tuple[float, float]:
    """Limits of `t` beyond which the maximum has less than 1e-17, from single cells' tails.

    `t` is the logarithm of x over the reference shape. Many groups together may leave the
    lower limit far too low; `_narrowed` mends that where it matters.
    """
    top = groups.reference
    # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
    least = float(gammaincinv(top, _TAIL))
    low = math.log(least / top) if least > 0.0 else -math.inf
    low = max(low, (_LOG_TAIL + math.lgamma(top + 1.0)) / top - math.log(top))
    # Every other cell's upper tail is below that of the largest shape.
    most = float(gammainccinv(top, _TAIL / float(groups.size.sum() + 1.0)))
    high = math.log(most / top)
    if groups.lump_log_size > -math.inf:
        spread = 45.0 + max(0.0, groups.lump_log_size + min(groups.lump_log_a, 0.0))
        high = max(high, math.log1p((spread + math.sqrt(2.0 * top * spread)) / top))
    return low, high


def _narrowed(groups: _Groups, low: float, high: float) -> tuple[float, float]:
    """Close in on where the maximum's distribution function leaves 0 and reaches 1."""
    for _ in range(200):
        t = np.linspace(low, high, _GRID)
        total = _log_cdf_of_maximum(groups, t)
        inside = (total > _LOG_TAIL) & (-np.expm1(total) > _TAIL)
        where = np.flatnonzero(inside)
        if len(where) == 0:
            # All the change happens within one step of the grid.
            step = int(np.searchsorted(total, _LOG_TAIL))
            low, high = t[max(step - 1, 0)], t[min(step, _GRID - 1)]
            continue
        low, high = t[max(where[0] - 1, 0)], t[min(where[-1] + 1, _GRID - 1)]
        if len(where) > _GRID // 2:
            break
    return float(low), float(high)


def _integrate(groups: _Groups, low: float, high: float, nodes: int) -> tuple[FloatArray, float]:
    """Return P of one cell of each group, and of the whole lump."""
    abscissa, log_weight = _legendre(nodes)
    half = 0.5 * (high - low)
    t, log_weight = half * abscissa + 0.5 * (high + low), log_weight + math.log(half)
    blocks = _blocks(len(groups.a), nodes)
    cdfs = [_cdfs(groups, t, block) for block in blocks] if len(blocks) == 1 else None
    total = log_weight + _log_cdf_of_maximum(groups, t, cdfs)
    each = np.empty(len(groups.a))
    for k, block in enumerate(blocks):
        a, log_a = groups.a[block, None], groups.log_a[block, None]
        density = log_density(t, groups.reference, a, log_a)
        cdf = _cdfs(groups, t, block) if cdfs is None else cdfs[k]
        each[block] = np.exp(total + density - cdf).sum(axis=1)
    if groups.lump_log_size == -math.inf:
        return each, 0.0
    return each, float(np.exp(total + _lump_log_hazard(groups, t)).sum())


def _lump_log_hazard(groups: _Groups, t: FloatArray) -> FloatArray:
    """log of M f/F for the lump: added to log Π F it gives the lump's own integrand."""
    log_a = np.full((1, 1), groups.lump_log_a)
    log_f = log_density(t, groups.reference, np.exp(log_a), log_a)[0]
    minus_log_cdf = np.exp(log_minus_log_cdf(t, groups.reference, groups.lump_log_a))
    return np.asarray(groups.lump_log_size + log_f + minus_log_cdf)


def _log_cdf_of_maximum(
    groups: _Groups, t: FloatArray, cdfs: list[FloatArray] | None = None
) -> FloatArray:
    """Log Π F over all cells; `cdfs` are the groups' own, where they are at hand."""
    total = np.zeros(len(t))
    for k, block in enumerate(_blocks(len(groups.a), len(t))):
        cdf = _cdfs(groups, t, block) if cdfs is None else cdfs[k]
        total += groups.size[block] @ cdf
    if groups.lump_log_size > -math.inf:
        logs = log_minus_log_cdf(t, groups.reference, groups.lump_log_a)
        with np.errstate(over="ignore"):
            total -= np.exp(groups.lump_log_size + logs)
    return total


def _cdfs(groups: _Groups, t: FloatArray, block: slice) -> FloatArray:
    return log_cdf(t, groups.reference, groups.a[block, None])


def _blocks(groups: int, nodes: int) -> list[slice]:
    step = max(1, _BLOCK // nodes)
    return [slice(i, min(i + step, groups)) for i in range(0, groups, step)]


@cache
def _legendre(nodes: int) -> tuple[FloatArray, FloatArray]:
    abscissa, weight = np.polynomial.legendre.leggauss(nodes)
    return abscissa, np.log(weight)
