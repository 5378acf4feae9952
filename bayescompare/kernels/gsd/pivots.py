r"""The pivots of `simplex`: compiled, on plain arrays, with a dense inverse of the basis.

The rows of the pool are (a, b, c, d) with coefficients +1, −1, −1, +1; the points 0 and 1, least
and greatest, have no equations. With :math:`\rho` a row of the inverse, padded by two zeros, a row
of the pool has the entry :math:`\rho_a - \rho_b - \rho_c + \rho_d` in the pivot row: four
look-ups.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["invert_by_pivots", "solve_by_pivots"]


#: Entries of a pivot column or row below this are rounding.
_TINY = 1e-10
#: Utilities may violate a row of the pool by this much, and multipliers be this far below zero.
_SLACK, _Y = 5e-14, 1e-13


@jit()
def solve_by_pivots(
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
    basic = np.zeros(count, dtype=np.bool_)
    for i in range(n):
        basic[basis[i]] = True
    norms = np.empty(n)
    for i in range(n):
        norms[i] = np.square(inverse[i]).sum()
    y_basic = _pivot_multipliers(rows, basis, inverse, w)
    u, slack = np.zeros(n + 2), np.empty(count)
    _pivot_utilities(rows, costs, basis, inverse, u, slack)
    limit = 100 * n + 2000
    pivots = 0
    done = False
    for _ in range(6):
        short = False
        for i in range(n):
            if y_basic[i] < -_Y and not equal[basis[i]]:
                short = True
        if short:
            for j in range(count):
                if basic[j] or slack[j] < 0.0 or equal[j]:
                    slack[j] = 0.0
            pivots += _dual_pivots(
                rows, equal, basis, basic, inverse, norms, y_basic, slack, limit - pivots
            )
            _pivot_utilities(rows, costs, basis, inverse, u, slack)
        pivots += _primal_pivots(
            rows, equal, basis, basic, inverse, norms, y_basic, slack, limit - pivots
        )
        # Both are recomputed, to reveal the rounding errors that the updates accumulated.
        y_basic = _pivot_multipliers(rows, basis, inverse, w)
        _pivot_utilities(rows, costs, basis, inverse, u, slack)
        done = _pivots_are_optimal(rows, equal, basis, basic, y_basic, slack)
        if done or pivots >= limit:
            break
    y = np.zeros(count)
    for i in range(n):
        y[basis[i]] = y_basic[i] if equal[basis[i]] else max(y_basic[i], 0.0)
    return u, y, pivots, done


@jit()
def _pivot_multipliers(
    rows: Int32Array, basis: IntArray, inverse: FloatArray, w: FloatArray
) -> FloatArray:
    """Multipliers of the basis that add up to w, with one step of refinement."""
    y = _pivot_matrix_times(inverse, w)
    rest = np.zeros(len(w) + 2)
    rest[2:] = w
    for i in range(len(basis)):
        b = basis[i]
        rest[rows[b, 0]] -= y[i]
        rest[rows[b, 1]] += y[i]
        rest[rows[b, 2]] += y[i]
        rest[rows[b, 3]] -= y[i]
    return y + _pivot_matrix_times(inverse, rest[2:])


@jit(fastmath={"reassoc", "contract"})
def _pivot_matrix_times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Multiply without starting the threads of a BLAS library."""
    out = np.zeros(len(matrix))
    for i in range(len(matrix)):
        total = 0.0
        for j in range(len(vector)):
            total += matrix[i, j] * vector[j]
        out[i] = total
    return out


@jit()
def _pivot_utilities(
    rows: Int32Array,
    costs: FloatArray,
    basis: IntArray,
    inverse: FloatArray,
    u: FloatArray,
    slack: FloatArray,
) -> None:
    """Utilities at which the rows of the basis hold with equality, and the slack of all rows."""
    u[:] = 0.0
    for _ in range(2):
        # The second pass is a step of refinement, which removes rounding errors.
        for i in range(len(basis)):
            b = basis[i]
            rest = costs[b] - (u[rows[b, 0]] - u[rows[b, 1]] - u[rows[b, 2]] + u[rows[b, 3]])
            slack[b] = rest
        for i in range(len(basis)):
            rest = slack[basis[i]]
            if rest != 0.0:
                for j in range(len(basis)):
                    u[j + 2] += rest * inverse[i, j]
    for j in range(len(rows)):
        slack[j] = u[rows[j, 0]] - u[rows[j, 1]] - u[rows[j, 2]] + u[rows[j, 3]] - costs[j]
    u[1] = 1.0


@jit()
def _pivots_are_optimal(
    rows: Int32Array,
    equal: BoolArray,
    basis: IntArray,
    basic: BoolArray,
    y_basic: FloatArray,
    slack: FloatArray,
) -> bool:
    """Whether the last basis is optimal, to the tolerances that a certificate needs."""
    for i in range(len(basis)):
        if y_basic[i] < -1e-12 and not equal[basis[i]]:
            return False
    for j in range(len(rows)):
        if slack[j] < -1e-13 or ((basic[j] or equal[j]) and slack[j] > 1e-13):
            return False
    return True


@jit()
def _dual_pivots(
    rows: Int32Array,
    equal: BoolArray,
    basis: IntArray,
    basic: BoolArray,
    inverse: FloatArray,
    norms: FloatArray,
    y_basic: FloatArray,
    slack: FloatArray,
    limit: int,
) -> int:
    """Pivot until no multiplier is negative; every slack stays at least zero."""
    n, count = len(basis), len(rows)
    rho, alpha = np.zeros(n + 2), np.empty(count)
    still = 0
    for pivots in range(limit):
        r, worst = -1, 0.0
        for i in range(n):
            if y_basic[i] < -_Y and not equal[basis[i]]:
                size = y_basic[i] * y_basic[i] / norms[i]
                if size > worst:
                    r, worst = i, size
        if r < 0:
            return pivots
        rho[2:] = inverse[r]
        _price_pivot_row(rows, rho, alpha)
        q, best, size = -1, np.inf, 0.0
        for j in range(count):
            a = alpha[j]
            if not (a < -_TINY or (equal[j] and a > _TINY)):
                continue
            # Most are ruled out without the division.
            if slack[j] <= abs(a) * (best + 1e-15) and not basic[j]:
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
            _perturb_pivots(equal, basic, slack)
            still = 0
        leaving = basis[r]
        _pivot(rows, basis, basic, inverse, norms, y_basic, r, q)
        slack[leaving], slack[q] = max(step, 0.0), 0.0
    return limit


@jit()
def _perturb_pivots(equal: BoolArray, basic: BoolArray, slack: FloatArray) -> None:
    """Move apart the rows that meet in a vertex the pivots do not leave; they return later."""
    for j in range(len(slack)):
        if not basic[j] and slack[j] < 1e-9 and not equal[j]:
            slack[j] += 1e-9 * (0.5 + (j * 0.6180339887498949) % 1.0)


@jit()
def _primal_pivots(
    rows: Int32Array,
    equal: BoolArray,
    basis: IntArray,
    basic: BoolArray,
    inverse: FloatArray,
    norms: FloatArray,
    y_basic: FloatArray,
    slack: FloatArray,
    limit: int,
) -> int:
    """Pivot until no row is violated; every multiplier stays at least zero."""
    n, count = len(basis), len(rows)
    rho, alpha = np.zeros(n + 2), np.empty(count)
    for pivots in range(limit):
        q, worst = -1, _SLACK
        for j in range(count):
            if not basic[j]:
                broken = abs(slack[j]) if equal[j] else -slack[j]
                if broken > worst:
                    q, worst = j, broken
        if q < 0:
            return pivots
        sign = 1.0 if slack[q] < 0.0 else -1.0
        column = _pivot_column(rows, inverse, q)
        r, best, size = -1, np.inf, 0.0
        for i in range(n):
            a = sign * column[i]
            if a > _TINY and not equal[basis[i]]:
                ratio = max(y_basic[i], 0.0) / a
                if ratio < best - 1e-14 or (ratio <= best + 1e-14 and a > size):
                    r, best, size = i, ratio, a
        if r < 0:
            return pivots
        rho[2:] = inverse[r]
        step = -slack[q] / column[r]
        _price_pivot_row(rows, rho, alpha)
        for j in range(count):
            slack[j] += step * alpha[j]
        leaving = basis[r]
        _pivot(rows, basis, basic, inverse, norms, y_basic, r, q)
        slack[leaving], slack[q] = step, 0.0
    return limit


@jit()
def _pivot_column(rows: Int32Array, inverse: FloatArray, q: int) -> FloatArray:
    """The inverse times column q."""
    n = len(inverse)
    column = np.zeros(n)
    for place in range(4):
        point = rows[q, place] - 2
        if point >= 0:
            if place == 0 or place == 3:
                for i in range(n):
                    column[i] += inverse[i, point]
            else:
                for i in range(n):
                    column[i] -= inverse[i, point]
    return column


@jit(fastmath={"reassoc", "contract"})
def _eliminate_in_pivot(other: FloatArray, own: FloatArray, factor: float) -> float:
    """Subtract a multiple of one row of the inverse from another; return its new square norm."""
    total = 0.0
    for j in range(len(own)):
        value = other[j] - factor * own[j]
        other[j] = value
        total += value * value
    return total


@jit()
def _price_pivot_row(rows: Int32Array, rho: FloatArray, alpha: FloatArray) -> None:
    """A row of the inverse times every column."""
    for j in range(len(rows)):
        # Unsigned indices need no check for numbers below zero.
        a, b = np.uint32(rows[j, 0]), np.uint32(rows[j, 1])
        c, d = np.uint32(rows[j, 2]), np.uint32(rows[j, 3])
        alpha[j] = rho[a] - rho[b] - rho[c] + rho[d]


@jit()
def _pivot(
    rows: Int32Array,
    basis: IntArray,
    basic: BoolArray,
    inverse: FloatArray,
    norms: FloatArray,
    y_basic: FloatArray,
    r: int,
    q: int,
) -> None:
    """Put column q in place r of the basis."""
    n = len(basis)
    column = _pivot_column(rows, inverse, q)
    pivot = column[r]
    own = inverse[r]
    for j in range(n):
        own[j] /= pivot
    y_basic[r] /= pivot
    norms[r] /= pivot * pivot
    for i in range(n):
        factor = column[i]
        if i == r or abs(factor) < 1e-13:
            continue
        norms[i] = _eliminate_in_pivot(inverse[i], own, factor)
        y_basic[i] -= factor * y_basic[r]
    basic[basis[r]], basic[q] = False, True
    basis[r] = q


@jit()
def invert_by_pivots(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """Invert by elimination with row pivots, for small sizes: BLAS would start threads."""
    n = len(matrix)
    left, right = matrix.copy(), np.eye(n)
    for k in range(n):
        best = k + int(np.argmax(np.abs(left[k:, k])))
        if abs(left[best, k]) < 1e-9:
            return right, False
        if best != k:
            for j in range(n):
                left[k, j], left[best, j] = left[best, j], left[k, j]
                right[k, j], right[best, j] = right[best, j], right[k, j]
        pivot = left[k, k]
        left[k] /= pivot
        right[k] /= pivot
        for i in range(n):
            factor = left[i, k]
            if i != k and factor != 0.0:
                _eliminate_in_pivot(left[i], left[k], factor)
                _eliminate_in_pivot(right[i], right[k], factor)
    return right, True
