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

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayescompare.kernels.cells import Cells
from bayescompare.kernels.gammas import log_cdf, log_density, log_minus_log_cdf

__all__ = ["probability_of_maximum"]

FloatArray = NDArray[np.float64]

_LOG_TAIL = math.log(1e-17)
_GRID = 17
_NODES = (64, 128, 256, 512, 1024)
#: Evaluations of F held at once: bounds memory when there are very many distinct counts.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class _Groups:
    """Distinct shapes with the logarithm of how many cells share each."""

    a: FloatArray
    log_a: FloatArray
    log_size: FloatArray
    lump_log_a: float
    lump_log_size: float

    @property
    def reference(self) -> float:
        """The largest shape: `t` is measured from its logarithm to keep digits near a peak."""
        lump = math.exp(min(self.lump_log_a, 690.0)) if self.lump_log_size > -math.inf else 0.0
        return max(float(self.a.max(initial=0.0)), lump)


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
    low, high = _limits(groups)
    for nodes in _NODES:
        each, lump = _integrate(groups, low, high, nodes)
        defect = abs(float(np.sum(each * np.exp(groups.log_size))) + lump - 1.0)
        # The whole is the integral of the maximum's density, so it is one exactly when the
        # nodes resolve every feature of the parts.
        if defect < 1e-12:
            break
    padded = np.append(each, 0.0)
    return padded[member], lump


def _group(cells: Cells) -> tuple[_Groups, NDArray[np.int64]]:
    """Collect equal shapes; `member` is each listed cell's group, −1 for impossible cells."""
    shape, log_shape = cells.shape, np.logaddexp(cells.log_alpha, _log(cells.counts))
    possible = log_shape > -math.inf
    # Sums of 1/2 and 1/6 in another order differ in the last bit: they are the same shape.
    key = np.round(log_shape[possible], 12)
    _, first, inverse, sizes = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    member = np.full(len(shape), -1, dtype=np.int64)
    member[possible] = inverse.ravel()
    groups = _Groups(
        a=shape[possible][first],
        log_a=log_shape[possible][first],
        log_size=np.log(sizes),
        lump_log_a=cells.rest_log_alpha,
        lump_log_size=cells.rest_log_size if cells.rest_log_alpha > -math.inf else -math.inf,
    )
    return groups, member


def _log(x: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _limits(groups: _Groups) -> tuple[float, float]:
    """Bracket the maximum: its distribution function passes 1e-17 and 1 − 1e-17 within.

    `t` is the logarithm of x over the reference shape.
    """
    top = groups.reference
    log_top = math.log(top)
    # F(x; a) <= x^a/Γ(a + 1), hence the left end; the right one bounds even the lump's tail.
    low = min(-1.0, (_LOG_TAIL + math.lgamma(top + 1.0)) / top - log_top)
    lump = max(0.0, groups.lump_log_size + min(groups.lump_log_a, 0.0))
    spread = 45.0 + lump + float(np.logaddexp.reduce(groups.log_size, initial=0.0))
    high = math.log1p((spread + math.sqrt(2.0 * top * spread)) / top)
    for _ in range(200):
        t = np.linspace(low, high, _GRID)
        total = _log_cdf_of_maximum(groups, t)
        inside = (total > _LOG_TAIL) & (np.log(-np.expm1(total) + 1e-300) > _LOG_TAIL)
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
    abscissa, weight = _legendre(nodes)
    t = 0.5 * (high - low) * abscissa + 0.5 * (high + low)
    log_weight = np.log(weight) + math.log(0.5 * (high - low))
    total = log_weight + _log_cdf_of_maximum(groups, t)
    each = np.empty(len(groups.a))
    for block in _blocks(len(groups.a), nodes):
        a, log_a = groups.a[block, None], groups.log_a[block, None]
        density = log_density(t, groups.reference, a, log_a)
        each[block] = np.exp(total + density - _cdfs(groups, t, block)).sum(axis=1)
    if groups.lump_log_size == -math.inf:
        return each, 0.0
    return each, float(np.exp(total + _lump_log_hazard(groups, t)).sum())


def _lump_log_hazard(groups: _Groups, t: FloatArray) -> FloatArray:
    """log of M f/F for the lump: added to log Π F it gives the lump's own integrand."""
    log_a = np.full((1, 1), groups.lump_log_a)
    log_f = log_density(t, groups.reference, np.exp(log_a), log_a)[0]
    minus_log_cdf = np.exp(log_minus_log_cdf(t, groups.reference, groups.lump_log_a))
    return np.asarray(groups.lump_log_size + log_f + minus_log_cdf)


def _log_cdf_of_maximum(groups: _Groups, t: FloatArray) -> FloatArray:
    total = np.zeros(len(t))
    for block in _blocks(len(groups.a), len(t)):
        total += np.exp(groups.log_size[block]) @ _cdfs(groups, t, block)
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
    return abscissa, weight
