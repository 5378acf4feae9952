r"""The linear programme over given rows: its certificate, and two ways to solve it.

With rows :math:`A u \ge \delta\,[\text{strict}]` over the points, :math:`u(\text{least}) = 0` and
:math:`u(\text{greatest}) = 1`,

.. math:: \min_u\, w \cdot u = \max_{y \ge 0}\, \delta \sum_{\text{strict}} y_i
          + (w - A^\top y)_{\text{greatest}}
          \quad\text{such that}\quad (w - A^\top y)_j = 0 \text{ for every other point } j .

`HotSimplex` solves the right-hand side (y free for rows of equality) for one objective after the
other: one column for each row of the pool, one equation for each point between least and greatest.
A column has four entries ±1, so the inverse of the basis is kept dense and everything else is a few
passes over short arrays: some microseconds an iteration, where a general solver's bookkeeping takes
tens. With HiGHS in its place, warm-started and never forked, Table 3 takes 2.7 times as long, 30
datasets 1.5 and 50 datasets 1.3 times: 0.4 ms a solve within HiGHS itself, 10,000 of them. A new
objective leaves the utilities feasible for the pool (dual simplex, steepest edge with exact
weights, which the update of the inverse gives for free); new rows leave y feasible (primal
simplex). If neither holds, violated rows are relaxed, the dual simplex runs, the rows are put back
and the primal simplex finishes.

`HighsProgramme` solves it by HiGHS: new rows are new columns, so the primal simplex continues from
the last basis, and the utilities are the duals. It computes δ_max, and the optima of objectives on
which `HotSimplex` fails. `lower_bounds` is what an answer of either is held against.

References
----------
Koberstein (2005), The dual simplex method, techniques for a fast and stable implementation;
Huangfu & Hall (2018), Parallelizing the dual revised simplex method (HiGHS).
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.system import GREATEST, MOST_BYTES, SIGNS
from bayescompare.kernels.numerics.jit import jit

#: Utilities are multiplied by this inside HiGHS: its smallest tolerance, 1e-10, then means 1e-13.
_SCALE = 1024.0
#: Number of pivots after which the inverse is recomputed.
_FRESH = 2000
#: Entries of a pivot column or row below this are rounding.
_TINY = 1e-10
#: Utilities may violate a row of the pool by this much, and multipliers be this far below zero.
_SLACK, _Y = 5e-14, 1e-13


class Solution(NamedTuple):
    """Utilities of all points, the multipliers of the rows, and δ if it was maximised."""

    u: FloatArray
    y: FloatArray
    delta: float


class SolverError(ArithmeticError):
    """A solver did not report an optimum."""


def right_hand_sides(rows: Int32Array, equal: BoolArray, delta: float) -> FloatArray:
    """Return what a row's other points must reach: δ minus the share of the greatest element."""
    return np.asarray(delta * ~equal - (rows == GREATEST) @ SIGNS)


@jit()
def lower_bounds(
    rows: Int32Array,
    equal: BoolArray,
    y: FloatArray,
    w: FloatArray,
    delta: float,
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    r"""Return lower bounds of w·u over N^δ, one for each column of w, valid for any y.

    .. math:: \delta \sum_{\text{strict}} y_i^+ + r_{\text{greatest}}
              + \sum_j \min_{l_j \le u_j \le h_j} r_j u_j, \qquad r = w - A^\top y ,

    the sum being over the points between least and greatest, if the box [l, h] holds all of N^δ.

    Examples
    --------
    >>> rows, w = np.array([[2, 0, 0, 0]], dtype=np.int32), np.array([[-1.0], [0.0], [1.0]])
    >>> y, box = np.array([[1.0]]), (np.zeros(3), np.ones(3))
    >>> lower_bounds(rows, np.array([False]), y, w, 0.1, *box).tolist()
    [0.1]
    """
    rest, bound = w.copy(), np.zeros(w.shape[1])
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        for j in range(len(bound)):
            multiplier = y[i, j] if equal[i] else max(y[i, j], 0.0)
            if multiplier != 0.0:
                rest[a, j] -= multiplier
                rest[b, j] += multiplier
                rest[c, j] += multiplier
                rest[d, j] -= multiplier
                if not equal[i]:
                    bound[j] += delta * multiplier
    bound += rest[GREATEST]
    for point in range(2, len(rest)):
        for j in range(len(bound)):
            r = rest[point, j]
            bound[j] += r * (low[point] if r > 0.0 else high[point])
    return bound


# ------------------------------------------------------------------------------------------- HiGHS


class HighsProgramme:
    r"""Rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and HiGHS's model over them.

    The model's last row holds :math:`\sum_{\text{strict}} y`, free unless δ itself is maximised.

    Parameters
    ----------
    size : int
        Number of points, three or more.
    delta : float

    Examples
    --------
    >>> programme, rows = HighsProgramme(3, 0.0), np.array([[2, 0, 0, 0], [1, 2, 2, 2]])
    >>> programme.add(rows.astype(np.int32), np.zeros(2, dtype=bool))
    >>> programme.optimum(np.array([0.0, 0.0, -1.0])).u.tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, size: int, delta: float, *, primal: bool = True) -> None:
        import highspy

        self.size, self.delta = size, delta
        self.count = 0
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.silent()
        # By the primal simplex method new columns leave the last basis feasible.
        for name, value in (_OPTIONS | {"simplex_strategy": 4 if primal else 1}).items():
            _check_status(self._highs.setOptionValue(name, value))
        free = np.full(size - 1, np.inf)
        starts, none = np.zeros(size - 1, dtype=np.int32), np.empty(0, dtype=np.int32)
        _check_status(self._highs.addRows(size - 1, -free, free, 0, starts, none, np.empty(0)))

    def add(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows."""
        if len(rows) == 0:
            return
        self.count += len(rows)
        costs = -_SCALE * right_hand_sides(rows, equal, self.delta)
        lower, upper = np.where(equal, -np.inf, 0.0), np.full(len(rows), np.inf)
        starts, indices, values = _columns(rows, equal, self.size)
        _check_status(
            self._highs.addCols(
                len(rows), costs, lower, upper, len(indices), starts, indices, values
            )
        )

    def optimum(self, w: FloatArray) -> Solution:
        """Minimise w·u over the rows."""
        return self._run(np.append(w[2:], -np.inf), np.append(w[2:], np.inf))

    def largest_delta(self) -> Solution:
        """Maximise δ over the rows; the model's own δ must be 0."""
        bounds = np.zeros(self.size - 1)
        bounds[-1] = 1.0
        return self._run(bounds, bounds)

    def _run(self, lower: FloatArray, upper: FloatArray) -> Solution:
        import highspy

        highs, indices = self._highs, np.arange(self.size - 1, dtype=np.int32)
        _check_status(highs.changeRowsBounds(len(lower), indices, lower, upper))  # type: ignore[attr-defined]
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise SolverError(highs.modelStatusToString(highs.getModelStatus()))
        solution = highs.getSolution()
        duals = np.array(solution.row_dual) / -_SCALE
        u = np.concatenate([[0.0, 1.0], duals[:-1]])
        return Solution(u, np.array(solution.col_value), float(-duals[-1]))


_OPTIONS: dict[str, str | float | int] = {
    "presolve": "off",
    "parallel": "off",
    "solver": "simplex",
    "simplex_scale_strategy": 0,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


def _check_status(status: object) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise SolverError("HiGHS refused a change of the model")


def _columns(
    rows: Int32Array, equal: BoolArray, size: int
) -> tuple[Int32Array, Int32Array, FloatArray]:
    """Return the model's columns as starts, row indices and values; equal points are added up."""
    count, strict = len(rows), np.flatnonzero(~equal)
    # The model's last row counts the strict rows.
    point = np.concatenate([rows.ravel(), np.full(len(strict), size)])
    column = np.concatenate([np.repeat(np.arange(count), 4), strict])
    value = np.concatenate([np.tile(SIGNS, count), np.ones(len(strict))])
    inner = point > GREATEST
    places = point[inner] - 2, column[inner]
    matrix = csc_array((value[inner], places), shape=(size - 1, count))
    matrix.eliminate_zeros()
    return matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32), matrix.data


# ------------------------------------------------------------------------- warm simplex method


class HotSimplex:
    """A pool of rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and the last optimal basis.

    Parameters
    ----------
    size : int
        Number of points, three or more.
    rows : array (r, 4)
        The first rows of the pool, beginning with the points' own bounds, as `cover_rows` has them.
    delta : float

    Examples
    --------
    >>> rows = np.array([[2, 0, 0, 0], [1, 2, 2, 2]], dtype=np.int32)
    >>> HotSimplex(3, rows, 0.0).optimum(np.array([0.0, 0.0, -1.0])).u.tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, size: int, rows: Int32Array, delta: float) -> None:
        if 16.0 * size**2 > MOST_BYTES:
            raise BayescompareError(
                f"{size} distinct quality vectors: the linear programme needs "
                f"{16.0 * size**2 / 1e9:.1f} GB of the {MOST_BYTES / 1e9:.1f} GB allowed. Compare "
                "on fewer datasets, round the values, or, with ordinal measures only, use delta=0."
            )
        self.size = size
        self.delta = delta
        self.rows = np.ascontiguousarray(rows)
        self.equal = np.zeros(len(rows), dtype=np.bool_)
        # Without a last objective the first optimum starts from the bounds of the points.
        self._cold = True
        self._basis, self._inverse = np.arange(size - 2), np.eye(size - 2)
        self._pivots = 0

    def fork(self) -> HotSimplex:
        """Return a copy whose basis moves by itself; rows are never written to in place."""
        other = copy.copy(self)
        other._basis, other._inverse = self._basis.copy(), self._inverse.copy()
        return other

    def add(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows to the pool."""
        self.rows = np.concatenate([self.rows, rows])
        self.equal = np.concatenate([self.equal, equal])

    def drop(self, gone: IntArray) -> BoolArray:
        """Remove rows by their numbers, but none of the basis or bounds; return which were kept."""
        keep = np.ones(len(self.rows), dtype=np.bool_)
        keep[gone] = False
        keep[self._basis] = True
        keep[: 2 * (self.size - 2)] = True
        self._basis = (np.cumsum(keep) - 1)[self._basis]
        self.rows, self.equal = self.rows[keep], self.equal[keep]
        return keep

    def optimum(self, w: FloatArray) -> Solution:
        """Minimise w·u over the pool's rows.

        Raises
        ------
        SolverError
            If the method does not converge.
        """
        inner = np.ascontiguousarray(w[2:])
        if self._cold:
            # y = |w| on the bounds is feasible whatever w is.
            below = inner < 0.0
            self._basis = np.arange(self.size - 2) + below * (self.size - 2)
            self._inverse = np.diag(np.where(below, -1.0, 1.0))
            self._cold = False
        costs = right_hand_sides(self.rows, self.equal, self.delta)
        for _ in range(3):
            if self._pivots > _FRESH:
                self._refresh()
            u, y, pivots, done = _solve(
                self.rows, self.equal, costs, inner, self._basis, self._inverse
            )
            self._pivots += pivots
            if done:
                return Solution(u, y, self.delta)
            self._refresh()
        self._cold = True
        raise SolverError("the simplex method did not converge")

    def _refresh(self) -> None:
        """Compute the inverse of the basis from its columns."""
        matrix = np.zeros((self.size, len(self._basis)))
        columns = np.arange(len(self._basis))
        for place, sign in enumerate(SIGNS):
            np.add.at(matrix, (self.rows[self._basis, place], columns), sign)
        self._pivots = 0
        try:
            self._inverse = np.ascontiguousarray(np.linalg.inv(matrix[2:]))
        except np.linalg.LinAlgError:
            self._cold = True
            raise SolverError("the basis is singular") from None


# ------------------------------------------------------------------------------------------ pivots


class _Tableau(NamedTuple):
    """What the pivots read and, from `basis` on, change in place.

    With ρ a row of the inverse, padded by two zeros for least and greatest, which have no
    equations, row (a, b, c, d) of the pool has the entry ρ_a − ρ_b − ρ_c + ρ_d in the pivot row:
    four look-ups.

    Attributes
    ----------
    rows, equal, costs : array (r, 4), (r,), (r,)
        The pool, and what its rows must reach.
    basis : array (n,)
        The row in each place of the basis.
    basic : array (r,)
        Whether a row is in the basis.
    inverse : array (n, n)
        Of the basis' columns; `norms` (n,) are the squares of its rows.
    y : array (n,)
        Multipliers of the basis.
    u : array (n + 2,)
        Utilities at which the rows of the basis hold with equality; `slack` (r,) of all rows.
    """

    rows: Int32Array
    equal: BoolArray
    costs: FloatArray
    basis: IntArray
    basic: BoolArray
    inverse: FloatArray
    norms: FloatArray
    y: FloatArray
    u: FloatArray
    slack: FloatArray


@jit()
def _solve(
    rows: Int32Array,
    equal: BoolArray,
    costs: FloatArray,
    w: FloatArray,
    basis: IntArray,
    inverse: FloatArray,
) -> tuple[FloatArray, FloatArray, int, bool]:
    """Return utilities, multipliers, number of pivots, and whether the pool's optimum is reached.

    The basis and its inverse are changed in place.
    """
    n, count = len(basis), len(rows)
    basic, norms = np.zeros(count, dtype=np.bool_), np.empty(n)
    for i in range(n):
        basic[basis[i]] = True
        norms[i] = np.square(inverse[i]).sum()
    u, slack, y = np.zeros(n + 2), np.empty(count), np.empty(n)
    t = _Tableau(rows, equal, costs, basis, basic, inverse, norms, y, u, slack)
    _compute_multipliers(t, w)
    _compute_utilities(t)
    limit = 100 * n + 2000
    pivots = 0
    done = False
    for _ in range(6):
        short = False
        for i in range(n):
            if y[i] < -_Y and not equal[basis[i]]:
                short = True
        if short:
            for j in range(count):
                if basic[j] or slack[j] < 0.0 or equal[j]:
                    slack[j] = 0.0
            pivots += _dual_pivots(t, limit - pivots)
            _compute_utilities(t)
        pivots += _primal_pivots(t, limit - pivots)
        # Both are recomputed, to reveal the rounding errors that the updates accumulated.
        _compute_multipliers(t, w)
        _compute_utilities(t)
        done = _is_optimal(t)
        if done or pivots >= limit:
            break
    every = np.zeros(count)
    for i in range(n):
        every[basis[i]] = y[i] if equal[basis[i]] else max(y[i], 0.0)
    return u, every, pivots, done


@jit()
def _compute_multipliers(t: _Tableau, w: FloatArray) -> None:
    """Multipliers of the basis that add up to w, with one step of refinement."""
    t.y[:] = _times(t.inverse, w)
    rest = np.zeros(len(w) + 2)
    rest[2:] = w
    for i in range(len(t.basis)):
        a, b, c, d = t.rows[t.basis[i]]
        rest[a] -= t.y[i]
        rest[b] += t.y[i]
        rest[c] += t.y[i]
        rest[d] -= t.y[i]
    t.y[:] += _times(t.inverse, rest[2:])


@jit(fastmath={"reassoc", "contract"})
def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Multiply without starting the threads of a BLAS library."""
    out = np.zeros(len(matrix))
    for i in range(len(matrix)):
        total = 0.0
        for j in range(len(vector)):
            total += matrix[i, j] * vector[j]
        out[i] = total
    return out


@jit()
def _compute_utilities(t: _Tableau) -> None:
    """Utilities at which the rows of the basis hold with equality, and the slack of all rows."""
    n, u = len(t.basis), t.u
    u[:] = 0.0
    for _ in range(2):
        # The second pass is a step of refinement, which removes rounding errors.
        for i in range(n):
            a, b, c, d = t.rows[t.basis[i]]
            t.slack[t.basis[i]] = t.costs[t.basis[i]] - (u[a] - u[b] - u[c] + u[d])
        for i in range(n):
            rest = t.slack[t.basis[i]]
            if rest != 0.0:
                for j in range(n):
                    u[j + 2] += rest * t.inverse[i, j]
    _price(t.rows, u, t.slack)
    t.slack[:] -= t.costs
    u[1] = 1.0


@jit()
def _is_optimal(t: _Tableau) -> bool:
    """Whether the last basis is optimal, to the tolerances that a certificate needs."""
    # Asked so that what is not a number is not optimal.
    for i in range(len(t.basis)):
        if not (t.y[i] >= -1e-12 or (t.equal[t.basis[i]] and np.isfinite(t.y[i]))):
            return False
    for j in range(len(t.rows)):
        tight = t.basic[j] or t.equal[j]
        if not -1e-13 <= t.slack[j] <= (1e-13 if tight else np.inf):
            return False
    return True


@jit()
def _dual_pivots(t: _Tableau, limit: int) -> int:
    """Pivot until no multiplier is negative; every slack stays at least zero."""
    n, count, equal, slack = len(t.basis), len(t.rows), t.equal, t.slack
    rho, alpha = np.zeros(n + 2), np.empty(count)
    still = 0
    for pivots in range(limit):
        r, worst = -1, 0.0
        for i in range(n):
            if t.y[i] < -_Y and not equal[t.basis[i]]:
                size = t.y[i] * t.y[i] / t.norms[i]
                if size > worst:
                    r, worst = i, size
        if r < 0:
            return pivots
        rho[2:] = t.inverse[r]
        _price(t.rows, rho, alpha)
        q, best, size = -1, np.inf, 0.0
        for j in range(count):
            a = alpha[j]
            if not (a < -_TINY or (equal[j] and a > _TINY)):
                continue
            # Most are ruled out without the division.
            if slack[j] <= abs(a) * (best + 1e-15) and not t.basic[j]:
                ratio = slack[j] / abs(a)
                if ratio < best - 1e-15 or (ratio <= best + 1e-15 and abs(a) > size):
                    q, best, size = j, ratio, abs(a)
        if q < 0:
            return pivots
        step = -slack[q] / alpha[q]
        for j in range(count):
            slack[j] = max(slack[j] + step * alpha[j], 0.0)
        still = still + 1 if abs(step) < 1e-12 else 0
        if still > n:
            _perturb(t)
            still = 0
        leaving = t.basis[r]
        _pivot(t, r, q)
        slack[leaving], slack[q] = max(step, 0.0), 0.0
    return limit


@jit()
def _perturb(t: _Tableau) -> None:
    """Move apart the rows that meet in a vertex the pivots do not leave; they return later."""
    for j in range(len(t.slack)):
        if not t.basic[j] and t.slack[j] < 1e-9 and not t.equal[j]:
            t.slack[j] += 1e-9 * (0.5 + (j * 0.6180339887498949) % 1.0)


@jit()
def _primal_pivots(t: _Tableau, limit: int) -> int:
    """Pivot until no row is violated; every multiplier stays at least zero."""
    n, count, equal, slack = len(t.basis), len(t.rows), t.equal, t.slack
    rho, alpha = np.zeros(n + 2), np.empty(count)
    for pivots in range(limit):
        q, worst = -1, _SLACK
        for j in range(count):
            if not t.basic[j]:
                broken = abs(slack[j]) if equal[j] else -slack[j]
                if broken > worst:
                    q, worst = j, broken
        if q < 0:
            return pivots
        sign = 1.0 if slack[q] < 0.0 else -1.0
        column = _column(t, q)
        r, best, size = -1, np.inf, 0.0
        for i in range(n):
            a = sign * column[i]
            if a > _TINY and not equal[t.basis[i]]:
                ratio = max(t.y[i], 0.0) / a
                if ratio < best - 1e-14 or (ratio <= best + 1e-14 and a > size):
                    r, best, size = i, ratio, a
        if r < 0:
            return pivots
        rho[2:] = t.inverse[r]
        step = -slack[q] / column[r]
        _price(t.rows, rho, alpha)
        for j in range(count):
            slack[j] += step * alpha[j]
        leaving = t.basis[r]
        _pivot(t, r, q)
        slack[leaving], slack[q] = step, 0.0
    return limit


@jit()
def _column(t: _Tableau, q: int) -> FloatArray:
    """The inverse times column q."""
    n = len(t.inverse)
    column = np.zeros(n)
    for place in range(4):
        point = t.rows[q, place] - 2
        if point >= 0:
            sign = 1.0 if place == 0 or place == 3 else -1.0
            for i in range(n):
                column[i] += sign * t.inverse[i, point]
    return column


@jit()
def _price(rows: Int32Array, values: FloatArray, out: FloatArray) -> None:
    """Left-hand sides of all rows, for utilities or for a row of the inverse."""
    for j in range(len(rows)):
        # Unsigned indices need no check for numbers below zero.
        a, b = np.uint32(rows[j, 0]), np.uint32(rows[j, 1])
        c, d = np.uint32(rows[j, 2]), np.uint32(rows[j, 3])
        out[j] = values[a] - values[b] - values[c] + values[d]


@jit()
def _pivot(t: _Tableau, r: int, q: int) -> None:
    """Put column q in place r of the basis."""
    column = _column(t, q)
    pivot, own = column[r], t.inverse[r]
    for j in range(len(own)):
        own[j] /= pivot
    t.y[r] /= pivot
    t.norms[r] /= pivot * pivot
    for i in range(len(own)):
        factor = column[i]
        if i == r or abs(factor) < 1e-13:
            continue
        t.norms[i] = _eliminate(t.inverse[i], own, factor)
        t.y[i] -= factor * t.y[r]
    t.basic[t.basis[r]], t.basic[q] = False, True
    t.basis[r] = q


@jit(fastmath={"reassoc", "contract"})
def _eliminate(other: FloatArray, own: FloatArray, factor: float) -> float:
    """Subtract a multiple of one row of the inverse from another; return its new square norm."""
    total = 0.0
    for j in range(len(own)):
        value = other[j] - factor * own[j]
        other[j] = value
        total += value * value
    return total
