r"""The linear programme over given rows: its certificate, its solution from scratch, closed forms.

With rows :math:`A u \ge \delta\,[\text{strict}]` over the points, :math:`u(\text{least}) = 0` and
:math:`u(\text{greatest}) = 1`,

.. math:: \min_u\, w \cdot u = \max_{y \ge 0}\, \delta \sum_{\text{strict}} y_i
          + (w - A^\top y)_{\text{greatest}}
          \quad\text{such that}\quad (w - A^\top y)_j = 0 \text{ for every other point } j .

`HighsProgramme` solves the right-hand side by HiGHS: new rows are new columns, so the primal
simplex continues from the last basis, and the utilities are the duals. It computes δ_max, and the
optima of objectives on which the warm-started `simplex` fails. `lower_bounds` is what an answer of
either is held against.

Where R2 is empty, only the order of the points matters, and two cases need no programme. At δ = 0
the extreme utilities are indicators of upper sets (the greatest element in, the least one out), and
opt = min over them of :math:`\hat P_x(U) - \hat P_y(U)`: first-order stochastic dominance. With
:math:`X', Y'` the observations strictly between least and greatest,

.. math:: s \cdot \mathrm{opt} = \#x_{\text{greatest}} - \#y_{\text{greatest}} - |Y'| + M' ,

where :math:`M'` is a maximum matching of :math:`Y'` into :math:`X'` by :math:`y \le x` (Strassen,
Hall). Observations at the greatest element are in every upper set, those at the least in none.

With one measure the points are a chain, :math:`u_i - u_{i-1} \ge \delta` are all the rows, and with
:math:`S_i = \sum_{j \ge i} w_j`

.. math:: \mathrm{opt} = \delta \sum_{i=1}^{d-1} S_i + (1 - (d - 1) \delta) \min_{i \ge 1} S_i .

One *metric* measure has no such form: the order of the gains between all pairs of points matters.

References
----------
Huangfu & Hall (2018), Parallelizing the dual revised simplex method (HiGHS).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.system import (
    GREATEST,
    LEAST,
    MOST_BYTES,
    SIGNS,
    PreferenceSystem,
)
from bayescompare.kernels.numerics.jit import jit

if TYPE_CHECKING:
    pass

__all__ = [
    "HighsProgramme",
    "Solution",
    "SolverError",
    "chain_optimum",
    "lower_bounds",
    "matching_optimum",
    "right_hand_sides",
]

#: Utilities are multiplied by this inside HiGHS: its smallest tolerance, 1e-10, then means 1e-13.
_SCALE = 1024.0


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

    def __init__(self, size: int, delta: float) -> None:
        import highspy

        self.size, self.delta = size, delta
        self.count = 0
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.silent()
        for name, value in _OPTIONS.items():
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
    "simplex_strategy": 4,  # primal: new columns leave the last basis feasible
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


# ------------------------------------------------------------------------------------ closed forms


def chain_optimum(
    system: PreferenceSystem, w: FloatArray, delta: float
) -> tuple[float, FloatArray, float]:
    """Return the optimum, its utility and its derivative in δ for one ordinal measure.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2], [3]], [[1], [4]], [0], [5], [False])
    >>> value, u, slope = chain_optimum(system, system.objective(), 0.0)
    >>> value, u[system.y].tolist()
    (-0.5, [0.0, 1.0])
    """
    order = np.argsort(system.ranks[:, 0])
    tails = np.cumsum(w[order][::-1])[::-1][1:]
    jump = int(np.argmin(tails))
    gains = np.full(len(tails), delta)
    gains[jump] += 1.0 - len(tails) * delta
    u = np.empty(len(order))
    u[order] = np.concatenate([[0.0], np.cumsum(gains)])
    u[LEAST], u[GREATEST] = 0.0, 1.0
    slope = float(tails.sum() - len(tails) * tails[jump])
    return float(gains @ tails), u, slope


def matching_optimum(system: PreferenceSystem, counts: IntArray) -> tuple[int, FloatArray]:
    r"""Return the optimum of counts·u at δ = 0 and its utility, for ordinal measures.

    Parameters
    ----------
    system : PreferenceSystem
    counts : array (d,) of int
        Observations of x at each point minus those of y. The optimum depends only on these:
        observations of both at one point cancel.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2, 2], [3, 3]], [[1, 1], [4, 4]], [0] * 2, [5] * 2, [False] * 2)
    >>> counts = np.rint(2 * system.objective()).astype(int)
    >>> value, u = matching_optimum(system, counts)
    >>> value, u[system.y].tolist()
    (-1, [0.0, 1.0])
    """
    inner = counts.copy()
    inner[[LEAST, GREATEST]] = 0
    # A matrix of booleans, and the sparse one of those that are true.
    needed = 6.0 * np.maximum(inner, 0).sum() * np.maximum(-inner, 0).sum()
    if needed > MOST_BYTES:
        raise BayescompareError(
            f"{len(counts)} distinct quality vectors: the matching needs {needed / 1e9:.1f} GB of "
            f"the {MOST_BYTES / 1e9:.1f} GB allowed. Compare on fewer datasets."
        )
    x = np.repeat(np.arange(len(counts)), np.maximum(inner, 0))
    y = np.repeat(np.arange(len(counts)), np.maximum(-inner, 0))
    above = _above(system, y, x)
    partner = np.full(len(y), -1)
    if len(x) and len(y):
        partner = maximum_bipartite_matching(csr_array(above), perm_type="column")
    reached = _reached(above, partner)
    u = np.zeros(len(counts))
    if reached.any():
        worst = _above(system, np.unique(y[reached]), np.arange(len(counts))).any(axis=0)
        u[worst] = 1.0
    u[LEAST], u[GREATEST] = 0.0, 1.0
    return int(counts[GREATEST] - len(y) + np.count_nonzero(partner >= 0)), u


def _above(system: PreferenceSystem, lower: IntArray, upper: IntArray) -> BoolArray:
    """Whether each of the upper points (columns) is at least each of the lower (rows)."""
    above = np.ones((len(lower), len(upper)), dtype=np.bool_)
    for column in system.ranks.T:
        above &= column[upper][None, :] >= column[lower][:, None]
    return above


def _reached(above: BoolArray, partner: IntArray) -> BoolArray:
    """Return the observations of y on an alternating path from one without a partner.

    They are those of König's cover. The upper set that they generate contains only their partners
    of x, and so is the worst one.
    """
    owner = np.full(above.shape[1], -1)
    owner[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    reached = partner < 0
    new = reached
    while new.any():
        partners = owner[above[new].any(axis=0)]
        new = np.zeros_like(reached)
        new[partners[partners >= 0]] = True
        new &= ~reached
        reached = reached | new
    return reached
