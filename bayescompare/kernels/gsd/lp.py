r"""The linear programme over a pool of rows, in dual form, by HiGHS.

With rows :math:`A u \ge \delta\,[\text{strict}]` over the points, :math:`u(\text{least}) = 0` and
:math:`u(\text{greatest}) = 1`,

.. math:: \min_u\, w \cdot u = \max_{y \ge 0}\, \delta \sum_{\text{strict}} y_i
          + (w - A^\top y)_{\text{greatest}}
          \quad\text{such that}\quad (w - A^\top y)_j = 0 \text{ for every other point } j .

New rows are new columns, so the primal simplex continues from the last basis. The utilities are
the duals of the model. Its last row holds :math:`\sum_{\text{strict}} y`, free unless δ itself is
maximised. For many objectives in a row `simplex` is faster; this module computes δ_max, and the
optima of objectives on which `simplex` fails.

References
----------
Huangfu & Hall (2018), Parallelizing the dual revised simplex method (HiGHS).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array
from bayescompare.kernels.gsd.system import GREATEST

if TYPE_CHECKING:
    import highspy

__all__ = ["GsdPoolModel", "GsdPoolOptimum", "GsdSolverError", "gsd_lp_lower_bound"]


#: Utilities are multiplied by this inside the model: HiGHS's smallest tolerance, 1e-10, then means
#: 1e-13 for them.
_SCALE = 1024.0


class GsdPoolOptimum(NamedTuple):
    """Utilities of all points, the multipliers of the rows, and δ if it was maximised."""

    u: FloatArray
    y: FloatArray
    delta: float


class GsdSolverError(ArithmeticError):
    """HiGHS did not report an optimum."""


class GsdPoolModel:
    """A pool of rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and the model over them.

    Parameters
    ----------
    size : int
        Number of points, three or more.
    delta : float

    Examples
    --------
    >>> model = GsdPoolModel(3, 0.0)
    >>> model.add(np.array([[2, 0, 0, 0], [1, 2, 2, 2]], dtype=np.int32), np.zeros(2, dtype=bool))
    >>> model.optimum(np.array([0.0, 0.0, -1.0])).u.tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, size: int, delta: float) -> None:
        self.size = size
        self.delta = delta
        self.rows = np.empty((0, 4), dtype=np.int32)
        self.equal = np.empty(0, dtype=np.bool_)
        self._indices = np.arange(size - 1, dtype=np.int32)
        self._highs = self._fresh()

    # ------------------------------------------------------------------------------------- rows

    def add(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows to the pool."""
        if len(rows) == 0:
            return
        self.rows = np.concatenate([self.rows, rows])
        self.equal = np.concatenate([self.equal, equal])
        starts, indices, values = _gsd_lp_columns(rows, equal, self.size)
        lower = np.where(equal, -np.inf, 0.0)
        upper = np.full(len(rows), np.inf)
        top = (rows == GREATEST) @ np.array([1.0, -1.0, -1.0, 1.0])
        costs = _SCALE * (top - self.delta * ~equal)
        args = (len(rows), costs, lower, upper, len(indices), starts, indices, values)
        _check_gsd_lp_status(self._highs.addCols(*args))

    # ---------------------------------------------------------------------------------- solving

    def optimum(self, w: FloatArray) -> GsdPoolOptimum:
        """Minimise w·u over the pool's rows."""
        bounds = np.append(w[2:], 0.0)
        lower, upper = bounds.copy(), bounds
        lower[-1], upper[-1] = -np.inf, np.inf
        return self._run(lower, upper)

    def largest_delta(self) -> GsdPoolOptimum:
        """Maximise δ over the pool's rows; the model's own δ must be 0."""
        bounds = np.zeros(self.size - 1)
        bounds[-1] = 1.0
        return self._run(bounds, bounds)

    def _run(self, lower: FloatArray, upper: FloatArray) -> GsdPoolOptimum:
        import highspy

        highs = self._highs
        _check_gsd_lp_status(highs.changeRowsBounds(len(lower), self._indices, lower, upper))  # type: ignore[attr-defined]
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise GsdSolverError(highs.modelStatusToString(highs.getModelStatus()))
        solution = highs.getSolution()
        duals = np.array(solution.row_dual) / -_SCALE
        u = np.empty(self.size)
        u[0], u[1], u[2:] = 0.0, 1.0, duals[:-1]
        return GsdPoolOptimum(u, np.array(solution.col_value), float(-duals[-1]))

    # ---------------------------------------------------------------------------- the HiGHS model

    def _fresh(self) -> highspy.Highs:
        import highspy

        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.silent()
        for name, value in _OPTIONS.items():
            _check_gsd_lp_status(highs.setOptionValue(name, value))
        rows = self.size - 1
        free = np.full(rows, np.inf)
        none = np.empty(0, dtype=np.int32)
        starts = np.zeros(rows, dtype=np.int32)
        _check_gsd_lp_status(highs.addRows(rows, -free, free, 0, starts, none, np.empty(0)))
        return highs


_OPTIONS: dict[str, str | float | int] = {
    "presolve": "off",
    "parallel": "off",
    "solver": "simplex",
    "simplex_strategy": 4,  # primal: new columns leave the last basis feasible
    "simplex_scale_strategy": 0,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


def _check_gsd_lp_status(status: object) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise GsdSolverError("HiGHS refused a change of the model")


def _gsd_lp_columns(
    rows: Int32Array, equal: BoolArray, size: int
) -> tuple[Int32Array, Int32Array, FloatArray]:
    """Return the model's columns as starts, row indices and values; equal points are added up."""
    count = len(rows)
    owner = np.repeat(np.arange(count), 4)
    point = rows.ravel().astype(np.int64)
    sign = np.tile([1.0, -1.0, -1.0, 1.0], count)
    # The model's last row counts the strict rows.
    owner = np.concatenate([owner, np.flatnonzero(~equal)])
    point = np.concatenate([point, np.full(int((~equal).sum()), size)])
    sign = np.concatenate([sign, np.ones(int((~equal).sum()))])
    inner = point > GREATEST
    place = owner[inner] * (size + 1) + point[inner]
    where, back = np.unique(place, return_inverse=True)
    value = np.bincount(back, weights=sign[inner], minlength=len(where))
    where, value = where[value != 0.0], value[value != 0.0]
    starts = np.searchsorted(where // (size + 1), np.arange(count))
    return starts.astype(np.int32), (where % (size + 1) - 2).astype(np.int32), value


def gsd_lp_lower_bound(
    w: FloatArray, rows: Int32Array, equal: BoolArray, y: FloatArray, delta: float
) -> float:
    r"""Return a lower bound of w·u for u in N^δ, valid for any y.

    .. math:: \delta \sum_{\text{strict}} y_i^+ + r_{\text{greatest}} + \sum_j \min(r_j, 0),
              \qquad r = w - A^\top y ,

    the sum being over the points between least and greatest, for which 0 ≤ u ≤ 1.

    Examples
    --------
    >>> rows, w = np.array([[2, 0, 0, 0]], dtype=np.int32), np.array([-1.0, 0.0, 1.0])
    >>> gsd_lp_lower_bound(w, rows, np.array([False]), np.array([1.0]), 0.1)
    0.1
    """
    multiplier = np.where(equal, y, np.maximum(y, 0.0))
    used = multiplier != 0.0
    multiplier, points = multiplier[used], rows[used]
    rest = w.copy()
    for column, sign in enumerate((-1.0, 1.0, 1.0, -1.0)):
        rest += sign * np.bincount(points[:, column], weights=multiplier, minlength=len(w))
    strict = float(multiplier[~equal[used]].sum())
    return delta * strict + float(rest[GREATEST]) + float(np.minimum(rest[2:], 0.0).sum())
