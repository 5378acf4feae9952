r"""Exact probability that one cell of a Dirichlet vector is the largest, by quadrature.

With :math:`\theta_k = G_k/\sum G` and :math:`G_k \sim \mathrm{Gamma}(a_k)`,

.. math:: P_i = \int_0^\infty f(x; a_i) \prod_{j \ne i} F(x; a_j)\,dx .

Cells with equal :math:`a` share one distribution function, so they are grouped; the unobserved
statements are one group of a size that may exceed any float.

The integral is taken by the trapezoidal rule in s, with :math:`\log x = c + s + 1 - e^{-s}`; see
`substitution`. A rule is accepted only if the one of twice the step agrees with it for every cell:
P may sum to one while the errors of its parts cancel.

References
----------
de Campos & Benavoli (2016), Section 4, where the same probability is estimated by Monte Carlo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammainccinv, gammaincinv

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.substitution import bend_by_substitution, unbend_substitution
from bayescompare.kernels.numerics.gammas import (
    TINY,
    density_of_log_gamma,
    log_cdf,
    log_minus_log_cdf,
)
from bayescompare.kernels.numerics.intervals import as_probability

__all__ = ["TAIL", "probability_of_maximum"]


#: Mass that may be left outside the range of integration.
TAIL = 1e-17
_LOG_TAIL = math.log(TAIL)
_GRID = 17
#: Intervals of the first rule; each further rule halves them.
_COARSEST = 32
_FINEST = 8192
#: Two successive rules agree when no group's probability differs by more.
_AGREEMENT = 1e-11
#: Evaluations of F held at once, which bounds the memory if there are very many distinct counts.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class _MaximumGroups:
    """Distinct shapes, in increasing order, and the number of cells that share each."""

    a: FloatArray
    log_a: FloatArray
    size: FloatArray
    #: The logarithms of shape and number of the cells in each lump.
    lumps: tuple[tuple[float, float], ...]
    #: The largest shape: `t` is measured from its logarithm to keep digits near a peak.
    reference: float

    @property
    def knee(self) -> float:
        """Where in `t` the substitution bends: at the reference, or at x = 1 if that is higher."""
        return max(0.0, -math.log(self.reference))


def probability_of_maximum(cells: DirichletCells) -> tuple[FloatArray, float]:
    """Return P(θ_i is the largest) for every listed cell, and for the lump together.

    Parameters
    ----------
    cells : DirichletCells
        Cells with posterior parameter zero can never be the largest and get probability 0.

    Returns
    -------
    array (S,), float
        Two successive quadrature rules agree on each of them within 1e-11 (the finer one is
        returned, whose error is about the square of that), and they sum to one within 1e-11.

    Raises
    ------
    ArithmeticError
        If no two rules agree.

    Examples
    --------
    Example 3 of the paper, where 150,000 Monte Carlo draws gave 0.796:

    >>> n = np.array([1.0, 2.0, 3.0, 6.0])
    >>> p, rest = probability_of_maximum(DirichletCells(np.full(4, np.log(0.25)), n))
    >>> p.round(12).tolist(), rest
    ([0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235], 0.0)
    """
    groups, member = _group_dirichlet_cells(cells)
    each = as_probability(_integrate_dirichlet_maximum(groups))
    return each[member], float(each[-1])


def _group_dirichlet_cells(cells: DirichletCells) -> tuple[_MaximumGroups, IntArray]:
    """Collect equal shapes; `member` is each listed cell's group.

    Impossible cells, whose log α is −inf, are a group like any other: its F is 1 and its f is 0.
    """
    shape = cells.shape
    # A positive count dominates the shape, and α may have underflowed.
    log_shape = np.where(cells.counts > 0, np.log(np.maximum(shape, TINY)), cells.log_alpha)
    # Sums of 1/2 and 1/6 in different orders differ in the last bit but are the same shape.
    key = np.round(log_shape, 12)
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    new = np.append(True, ranked[1:] != ranked[:-1])
    member = np.empty(len(key), dtype=np.int64)
    member[order] = np.cumsum(new) - 1
    first, size = order[new], np.bincount(member)
    lump = math.exp(min(max((a for a, _ in cells.lumps), default=-math.inf), 690.0))
    groups = _MaximumGroups(
        a=shape[first],
        log_a=log_shape[first],
        size=size.astype(np.float64),
        lumps=cells.lumps,
        reference=max(float(shape[first[-1]]), lump),
    )
    return groups, member


def _dirichlet_maximum_limits(groups: _MaximumGroups) -> tuple[float, float]:
    """Limits of `s` beyond which the maximum has less than 1e-17, from single cells' tails.

    With many groups the lower limit may be far too low; `_narrow_dirichlet_maximum` corrects that.
    """
    top = groups.reference
    # The maximum is below x only if the cell of largest shape is: F(x; a) <= x^a/Γ(a + 1).
    least = float(gammaincinv(top, TAIL))
    low = math.log(least / top) if least > 0.0 else -math.inf
    low = max(low, (_LOG_TAIL + math.lgamma(top + 1.0)) / top - math.log(top))
    # Every other cell's upper tail is below that of the largest shape.
    tail = TAIL / float(groups.size.sum() + 1.0)
    most = float(gammainccinv(top, tail))
    # The quantile underflows only where 1 − F(x; a) is −a log x.
    high = math.log(most / top) if most > 0.0 else -tail / top - math.log(top)
    if groups.lumps:
        spread = 45.0 + max(0.0, *(size + min(log_a, 0.0) for log_a, size in groups.lumps))
        high = max(high, math.log1p((spread + math.sqrt(2.0 * top * spread)) / top))
    return unbend_substitution(low - groups.knee), unbend_substitution(high - groups.knee)


def _dirichlet_maximum_log_x(groups: _MaximumGroups, s: FloatArray) -> FloatArray:
    """`t`, the logarithm of x over the reference shape, exact to the last digit around s = 0."""
    return groups.knee + bend_by_substitution(s)


def _narrow_dirichlet_maximum(
    groups: _MaximumGroups, low: float, high: float
) -> tuple[float, float]:
    """Close in on where the maximum's distribution function leaves 0 and reaches 1."""
    for _ in range(200):
        s = np.linspace(low, high, _GRID)
        total = _log_cdf_of_maximum(groups, _dirichlet_maximum_log_x(groups, s))
        inside = (total > _LOG_TAIL) & (-np.expm1(total) > TAIL)
        where = np.flatnonzero(inside)
        if len(where) == 0:
            # All the change happens within one step of the grid.
            step = int(np.searchsorted(total, _LOG_TAIL))
            low, high = s[max(step - 1, 0)], s[min(step, _GRID - 1)]
            continue
        low, high = s[max(where[0] - 1, 0)], s[min(where[-1] + 1, _GRID - 1)]
        if len(where) > _GRID // 2:
            break
    return float(low), float(high)


def _integrate_dirichlet_maximum(groups: _MaximumGroups) -> FloatArray:
    """Return P of one cell of each group and, last, of the whole lump."""
    limits = _dirichlet_maximum_limits(groups)
    rules = _MaximumRules(groups, *limits)
    if not rules.agree:
        rules = _MaximumRules(groups, *_narrow_dirichlet_maximum(groups, *limits))
    while not rules.agree:
        rules.halve()
    return rules.fine


class _MaximumRules:
    """Two successive trapezoidal rules: P of one cell of each group, last of the whole lump."""

    def __init__(self, groups: _MaximumGroups, low: float, high: float) -> None:
        self._groups, self._low = groups, low
        self._intervals = 2 * _COARSEST
        self._step = (high - low) / self._intervals
        even, odd = _dirichlet_maximum_sums(groups, np.linspace(low, high, self._intervals + 1))
        self._total = even + odd
        self.coarse, self.fine = 2.0 * self._step * even, self._step * self._total

    def halve(self) -> None:
        """Continue with the rule of half the step."""
        if self._intervals >= _FINEST:
            raise ArithmeticError(
                f"P(max) is known only within {self.error:.1g}: please report this"
            )
        middle = self._low + self._step * (np.arange(self._intervals, dtype=np.float64) + 0.5)
        even, odd = _dirichlet_maximum_sums(self._groups, middle)
        self._total = self._total + even + odd
        self._intervals, self._step = 2 * self._intervals, 0.5 * self._step
        self.coarse, self.fine = self.fine, self._step * self._total

    @property
    def error(self) -> float:
        """Largest change of any group's probability, or distance of the finer rule's sum from one.

        Two rules may agree because both missed a narrow peak; the sum reveals that.
        """
        size = self._groups.size
        change = np.abs(self.fine - self.coarse)
        defect = abs(float(size @ self.fine[:-1] + self.fine[-1]) - 1.0)
        return max(float((size * change[:-1]).max(initial=change[-1])), defect)

    @property
    def agree(self) -> bool:
        return self.error <= _AGREEMENT


def _dirichlet_maximum_sums(groups: _MaximumGroups, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the integrands over every other node from the first, and over the rest."""
    t = _dirichlet_maximum_log_x(groups, s)
    blocks = _dirichlet_maximum_blocks(len(groups.a), len(t))
    cdfs = (
        [_dirichlet_group_cdfs(groups, t, block) for block in blocks] if len(blocks) == 1 else None
    )
    lumps = _dirichlet_lump_cdf_logs(groups, t)
    # log Π F dt/ds: times f/F of a cell it is that cell's integrand.
    total = _log_cdf_of_maximum(groups, t, cdfs, lumps) + np.log1p(np.exp(-s))
    even, odd = np.zeros(len(groups.a) + 1), np.zeros(len(groups.a) + 1)
    for k, block in enumerate(blocks):
        a, log_a = groups.a[block, None], groups.log_a[block, None]
        density = density_of_log_gamma(t, groups.reference, a, log_a)
        cdf = _dirichlet_group_cdfs(groups, t, block) if cdfs is None else cdfs[k]
        value = np.exp(total + density - cdf)
        even[block], odd[block] = value[:, ::2].sum(axis=1), value[:, 1::2].sum(axis=1)
    for lump, minus_log_cdf in zip(groups.lumps, lumps, strict=True):
        value = np.exp(total + _dirichlet_lump_log_hazard(groups, lump, t, minus_log_cdf))
        even[-1] += value[::2].sum()
        odd[-1] += value[1::2].sum()
    return even, odd


def _dirichlet_lump_cdf_logs(groups: _MaximumGroups, t: FloatArray) -> list[FloatArray]:
    """log(−log F) of one cell of each lump."""
    return [log_minus_log_cdf(t, groups.reference, log_a) for log_a, _ in groups.lumps]


def _dirichlet_lump_log_hazard(
    groups: _MaximumGroups, lump: tuple[float, float], t: FloatArray, minus_log_cdf: FloatArray
) -> FloatArray:
    """log of M f/F for a lump: added to log Π F it gives the lump's integrand."""
    log_a = np.full((1, 1), lump[0])
    log_f = density_of_log_gamma(t, groups.reference, np.exp(log_a), log_a)[0]
    return np.asarray(lump[1] + log_f + np.exp(minus_log_cdf))


def _log_cdf_of_maximum(
    groups: _MaximumGroups,
    t: FloatArray,
    cdfs: list[FloatArray] | None = None,
    lumps: list[FloatArray] | None = None,
) -> FloatArray:
    """Log Π F over all cells; `cdfs` and `lumps` are those of the groups, if already computed."""
    total = np.zeros(len(t))
    for k, block in enumerate(_dirichlet_maximum_blocks(len(groups.a), len(t))):
        cdf = _dirichlet_group_cdfs(groups, t, block) if cdfs is None else cdfs[k]
        total += groups.size[block] @ cdf
    logs = _dirichlet_lump_cdf_logs(groups, t) if lumps is None else lumps
    for (_, log_size), minus_log_cdf in zip(groups.lumps, logs, strict=True):
        with np.errstate(over="ignore"):
            total -= np.exp(log_size + minus_log_cdf)
    return total


def _dirichlet_group_cdfs(groups: _MaximumGroups, t: FloatArray, block: slice) -> FloatArray:
    return log_cdf(t, groups.reference, groups.a[block, None])


def _dirichlet_maximum_blocks(groups: int, nodes: int) -> list[slice]:
    step = max(1, _BLOCK // nodes)
    return [slice(i, min(i + step, groups)) for i in range(0, groups, step)]
