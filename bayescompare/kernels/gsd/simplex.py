r"""A small simplex method for the pool of rows, warm-started from one objective to the next.

The programme is that of `lp`, in dual form: maximise :math:`c \cdot y` with :math:`A y = w`,
:math:`y \ge 0` (free for rows of equality), one column for each row of the pool and one equation
for each point between least and greatest. A column has four entries ±1, so the inverse of the
basis is kept dense and everything else is a few passes over short arrays: some microseconds an
iteration, where a general solver's bookkeeping takes tens.

A new objective leaves the utilities feasible for the pool (dual simplex, steepest edge with exact
weights, which the update of the inverse gives for free); new rows leave y feasible (primal
simplex). If neither holds, violated rows are relaxed, the dual simplex runs, the rows are put
back and the primal simplex finishes. `optimum` verifies every answer independently.

References
----------
Koberstein (2005), The dual simplex method, techniques for a fast and stable implementation.
"""

from __future__ import annotations

import copy

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.lp import GsdPoolOptimum, GsdSolverError
from bayescompare.kernels.gsd.pivots import invert_by_pivots, solve_by_pivots
from bayescompare.kernels.gsd.system import GREATEST, LEAST, MOST_BYTES

__all__ = ["HotSimplex"]


#: Number of pivots after which the inverse is recomputed.
_FRESH = 2000


class HotSimplex:
    """A pool of rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and the last optimal basis.

    Parameters
    ----------
    size : int
        Number of points, three or more.
    rows : array (r, 4)
        The first rows of the pool. The points' own bounds are put before them.
    delta : float

    Examples
    --------
    >>> hot = HotSimplex(3, np.empty((0, 4), dtype=np.int32), 0.0)
    >>> hot.optimum(np.array([0.0, 0.0, -1.0])).u.tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, size: int, rows: Int32Array, delta: float) -> None:
        if 16.0 * size**2 > MOST_BYTES:
            raise BayescompareError(
                f"{size} distinct quality vectors: the linear programme needs "
                f"{16.0 * size**2 / 1e9:.1f} GB of the {MOST_BYTES / 1e9:.1f} GB allowed. Compare "
                "on fewer datasets, round the values, or, with ordinal measures only, use delta=0."
            )
        inner = np.arange(2, size, dtype=np.int32)
        least, greatest = np.full_like(inner, LEAST), np.full_like(inner, GREATEST)
        ends = [np.stack([inner, *[least] * 3], 1), np.stack([greatest, *[inner] * 3], 1)]
        self.size = size
        self.delta = delta
        self.rows = np.ascontiguousarray(np.concatenate([*ends, rows]), dtype=np.int32)
        self.equal = np.zeros(len(self.rows), dtype=np.bool_)
        self.iterations = 0
        self.restart()

    @property
    def ends(self) -> int:
        """Number of rows at the start that must not be dropped."""
        return 2 * (self.size - 2)

    def fork(self) -> HotSimplex:
        """Return a copy whose basis moves by itself; rows are never written to in place."""
        other = copy.copy(self)
        other._basis, other._inverse = self._basis.copy(), self._inverse.copy()
        return other

    def restart(self) -> None:
        """Forget the basis: the next optimum starts from the bounds of the points."""
        self._basis = np.arange(self.size - 2)
        self._inverse = np.eye(self.size - 2)
        self._cold = True
        self._pivots = 0

    def add(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows to the pool."""
        self.rows = np.concatenate([self.rows, rows])
        self.equal = np.concatenate([self.equal, equal])

    def drop(self, gone: IntArray) -> BoolArray:
        """Remove rows by their numbers, except those of the basis; return which were kept."""
        keep = np.ones(len(self.rows), dtype=np.bool_)
        keep[gone] = False
        keep[self._basis] = True
        keep[: self.ends] = True
        self._basis = (np.cumsum(keep) - 1)[self._basis]
        self.rows, self.equal = self.rows[keep], self.equal[keep]
        return keep

    def optimum(self, w: FloatArray) -> GsdPoolOptimum:
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
        costs = _gsd_simplex_costs(self.rows, self.equal, self.delta)
        for _ in range(3):
            if self._pivots > _FRESH:
                self._refresh()
            u, y, pivots, done = solve_by_pivots(
                self.rows, self.equal, costs, inner, self._basis, self._inverse
            )
            self.iterations += pivots
            self._pivots += pivots
            if done:
                return GsdPoolOptimum(u, y, self.delta)
            self._refresh()
        self._cold = True
        raise GsdSolverError("the simplex method did not converge")

    def _refresh(self) -> None:
        """Compute the inverse of the basis from its columns."""
        matrix = np.zeros((self.size, len(self._basis)))
        columns = np.arange(len(self._basis))
        for place, sign in enumerate((1.0, -1.0, -1.0, 1.0)):
            np.add.at(matrix, (self.rows[self._basis, place], columns), sign)
        self._inverse, regular = invert_by_pivots(matrix[2:])
        self._pivots = 0
        if not regular:
            self._cold = True
            raise GsdSolverError("the basis is singular")


def _gsd_simplex_costs(rows: Int32Array, equal: BoolArray, delta: float) -> FloatArray:
    """Return what a row's other points must reach: δ minus the share of the greatest element."""
    top = (rows == GREATEST) @ np.array([1.0, -1.0, -1.0, 1.0])
    return np.asarray(delta * ~equal - top)
