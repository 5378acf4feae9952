r"""opt = min of :math:`w \cdot u` over :math:`N^\delta`, certified, for many objectives w.

Rows are generated: the pool's optimum is a relaxation, the rows of R2 that it violates are added,
and so on until it violates none. The pool and its basis are kept for the next objective.

Every optimum has a certificate: a utility that violates no row of R1 or R2, and multipliers whose
bound (`gsd_lp_lower_bound`) is that utility's value. If the warm-started simplex method fails to
find one, HiGHS solves the programme from scratch.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Proposition 3.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array
from bayescompare.kernels.gsd.covers import cover_rows, linear_gsd_utilities
from bayescompare.kernels.gsd.lp import (
    GsdPoolModel,
    GsdPoolOptimum,
    GsdSolverError,
    gsd_lp_lower_bound,
)
from bayescompare.kernels.gsd.ordinal import chain_optimum, matching_optimum
from bayescompare.kernels.gsd.separation import GsdSeparator, GsdViolations
from bayescompare.kernels.gsd.simplex import HotSimplex
from bayescompare.kernels.gsd.system import PreferenceSystem

__all__ = ["FEASIBLE", "GAP", "ROUNDS", "GsdSolver", "Optimum", "RelaxedGsd"]


#: Largest distance between an optimum and its bound.
GAP = 1e-10
#: A smaller violation of a row is rounding.
FEASIBLE = 3e-13
#: δ_max is reduced by this, lest rounding leave no utility at all at δ_max.
MARGIN = 1e-12
#: After this many rounds of row generation something is wrong: added rows do not bind.
ROUNDS = 500
#: Rows for each point: added at a time, and kept before old ones are dropped.
_ADDED, _KEPT = 0.5, 20


class Optimum(NamedTuple):
    """A certified optimum.

    Attributes
    ----------
    value : float
        w·u.
    u : array (d,)
        A utility that attains it: the witness.
    bound : float
        No utility has less than this; at most 1e-10 below `value`.
    slope : float
        A derivative of the optimum in δ: the sum of the multipliers of strict rows. Not a number
        where a matching gave the optimum.
    """

    value: float
    u: FloatArray
    bound: float
    slope: float


class RelaxedGsd(NamedTuple):
    """The optimum over the pool: a certified bound, and a utility that may violate other rows."""

    u: FloatArray
    bound: float
    slope: float


class GsdSolver:
    """Optima over one preference system, for any objective and δ.

    Parameters
    ----------
    system : PreferenceSystem

    Examples
    --------
    The first is better on one measure and worse on the other: neither dominates.

    >>> from bayescompare.kernels.gsd.system import build_system
    >>> x, y = [[0.9, 0.4], [0.8, 0.5]], [[0.6, 0.5], [0.7, 0.6]]
    >>> system = build_system(x, y, [0, 0], [1, 1], [True, True])
    >>> solver = GsdSolver(system)
    >>> optimum = solver.optimum(system.objective(), 0.0)
    >>> round(optimum.value, 9), bool(optimum.value - optimum.bound < 1e-10)
    (-0.5, True)
    >>> round(solver.delta_max, 9)
    0.142857143
    """

    def __init__(self, system: PreferenceSystem) -> None:
        self.system = system
        self.cold_solves = 0
        self._last_u = np.zeros(system.size)
        self._clock = 0

    def fork(self) -> GsdSolver:
        """Return a copy that has learned the same, and learns on by itself."""
        other = copy.copy(self)
        if "_pool" in self.__dict__:
            other.__dict__["_pool"] = self._pool.fork()
            other._last_used = self._last_used.copy()
        return other

    # Parts that not every optimum needs are built on first use.

    @cached_property
    def _separator(self) -> GsdSeparator | None:
        """None if the pool already holds all rows."""
        return None if self.system.all_ordinal else GsdSeparator(self.system)

    @cached_property
    def _pool(self) -> HotSimplex:
        pool = HotSimplex(self.system.size, cover_rows(self.system), 0.0)
        self._last_used = np.zeros(len(pool.rows), dtype=np.int64)
        return pool

    @cached_property
    def _largest(self) -> tuple[float, FloatArray]:
        return self._largest_delta()

    @property
    def delta_max(self) -> float:
        """The largest δ for which N^δ is not empty."""
        return self._largest[0]

    @property
    def center(self) -> FloatArray:
        """A utility of N^δ_max."""
        return self._largest[1]

    # -------------------------------------------------------------------------------------- optima

    def clip(self, delta: float) -> float:
        """Return the smaller of δ and δ_max: a pair keeps the order it has at δ_max."""
        return delta if delta <= 0.0 else min(delta, self.delta_max)

    def optimum(self, w: FloatArray, delta: float) -> Optimum:
        """Minimise w·u over N^δ.

        Parameters
        ----------
        w : array (d,)
            Objective over the points, as from ``system.objective``.
        delta : float
            A value above δ_max is replaced by δ_max.
        """
        delta = self.clip(delta)
        if self.system.all_ordinal:
            closed_form = self._ordinal_optimum(w, delta)
            if closed_form is not None:
                return closed_form
        self.purge()
        for cold in (False, True):
            try:
                optimum = self._generate(w, delta, cold)
            except GsdSolverError:
                continue
            if abs(optimum.value - optimum.bound) <= GAP:
                return optimum
        raise ArithmeticError(
            "the linear programme could not be solved to a certified optimum: "
            f"{self.system.size} points, delta={delta!r}"
        )

    def relaxed(self, w: FloatArray, delta: float, *, cold: bool = False) -> RelaxedGsd:
        """Minimise w·u over the rows of the pool alone, whose bound holds for N^δ."""
        self._pool.delta = self.clip(delta)
        if not cold:
            try:
                return self._bounded(w, self._pool.optimum(w))
            except GsdSolverError:
                pass
        self.cold_solves += 1
        model = GsdPoolModel(self.system.size, self._pool.delta)
        model.add(self._pool.rows, self._pool.equal)
        return self._bounded(w, model.optimum(w))

    def tighten(self, u: FloatArray, delta: float) -> float:
        """Add rows that u violates to the pool; return the largest violation, 0 if there is none.

        Neighbours come first; the complete search runs only if u violates none of their rows.
        """
        if self._separator is None:
            return self.excess(u, delta)
        for search in (self._separator.near, self._separator.every):
            violations = search(u, delta, FEASIBLE)
            if len(violations.amount):
                self._add(violations)
                return float(violations.amount.max())
        return 0.0

    def excess(self, u: FloatArray, delta: float) -> float:
        """Return the largest violation of u among all rows, 0 if there is none."""
        if self._separator is None:
            return float((delta - self._values(u)).max(initial=0.0))
        violations = self._separator.every(u, delta, FEASIBLE)
        return float(violations.amount.max(initial=0.0))

    @property
    def pool_rows(self) -> tuple[Int32Array, BoolArray]:
        """The rows of the pool, and which of them are equalities."""
        return self._pool.rows, self._pool.equal

    def violations(self, u: FloatArray, delta: float) -> GsdViolations:
        """Return rows between neighbours that u violates: some rows, not all."""
        if self._separator is None:
            none = np.empty(0, dtype=np.int32)
            return GsdViolations(none.reshape(0, 4), none.astype(np.bool_), np.empty(0))
        return self._separator.near(u, delta, FEASIBLE)

    def feasible_utilities(self, delta: float) -> FloatArray:
        """Return utilities of N^δ that need no search: single measures, moved inwards.

        N is convex, and δ enters it linearly: with u in N⁰ and v in N^δ_max the mixture
        (1 − t) u + t v lies in N^(t δ_max).
        """
        ready = linear_gsd_utilities(self.system)
        if delta <= 0.0 or self.delta_max == 0.0:
            return ready
        t = self.clip(delta) / self.delta_max
        return np.vstack([(1.0 - t) * ready + t * self.center, self.center])

    # ------------------------------------------------------------------------------ row generation

    def _ordinal_optimum(self, w: FloatArray, delta: float) -> Optimum | None:
        """Return the optimum without a linear programme, or None where that is not possible."""
        if self.system.points.shape[1] == 1:
            value, u, slope = chain_optimum(self.system, w, delta)
            return Optimum(value, u, value, slope)
        s = len(self.system.x)
        counts = np.rint(w * s)
        if delta > 0.0 or np.abs(w * s - counts).max() > 1e-9:
            return None
        count, u = matching_optimum(self.system, counts.astype(np.int64))
        return Optimum(count / s, u, count / s, float("nan"))

    def _generate(self, w: FloatArray, delta: float, cold: bool) -> Optimum:
        for _ in range(ROUNDS):
            relaxed = self.relaxed(w, delta, cold=cold)
            if self.tighten(relaxed.u, delta) <= FEASIBLE:
                u = np.clip(relaxed.u, 0.0, 1.0)
                return Optimum(float(w @ u), u, relaxed.bound, relaxed.slope)
            if self._separator is None:
                break
        raise GsdSolverError("rows of the pool are broken")

    def _bounded(self, w: FloatArray, solution: GsdPoolOptimum) -> RelaxedGsd:
        pool = self._pool
        bound = gsd_lp_lower_bound(w, pool.rows, pool.equal, solution.y, pool.delta)
        used = solution.y != 0.0
        self._last_u = solution.u
        self._clock += 1
        self._last_used[used] = self._clock
        slope = float(np.maximum(solution.y[used & ~pool.equal], 0.0).sum())
        return RelaxedGsd(solution.u, bound, slope)

    def _values(self, u: FloatArray) -> FloatArray:
        """Left-hand sides of the pool's rows."""
        return np.asarray(u[self._pool.rows] @ np.array([1.0, -1.0, -1.0, 1.0]))

    def _add(self, violations: GsdViolations) -> None:
        """Add the worst rows, about one for every two points."""
        most = max(int(_ADDED * self.system.size), 16)
        worst = np.argsort(-violations.amount, kind="stable")[:most]
        self.add_rows(violations.rows[worst], violations.equal[worst])

    def add_rows(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows to the pool."""
        self._pool.add(rows, equal)
        fresh = np.full(len(rows), self._clock, dtype=np.int64)
        self._last_used = np.concatenate([self._last_used, fresh])

    def purge(self) -> None:
        """If there are too many rows, drop those that have been unused for longest."""
        most = max(_KEPT * self.system.size, 400)
        if self._separator is None or len(self._pool.rows) <= most:
            return
        pool = self._pool
        slack = self._values(self._last_u) - pool.delta
        free = np.flatnonzero(~pool.equal & (slack > 1e-9))
        oldest = free[np.argsort(self._last_used[free], kind="stable")]
        self._last_used = self._last_used[pool.drop(oldest[: len(pool.rows) - 2 * most // 3])]

    # --------------------------------------------------------------------------------------- δ_max

    def _largest_delta(self) -> tuple[float, FloatArray]:
        r"""Return δ_max and a utility of N^δ_max, by the LP with δ as a variable.

        The bound: for multipliers with Σ y = 1 over strict rows, δ ≤ (Aᵀy)·u ≤
        −`gsd_lp_lower_bound`.
        """
        if self.system.size == 2:
            return 1.0, np.array([0.0, 1.0])
        if self._contradictory():
            return 0.0, linear_gsd_utilities(self.system).mean(axis=0)
        for _ in range(2):
            try:
                solution = self._delta_rounds(GsdPoolModel(self.system.size, 0.0))
            except GsdSolverError:
                continue
            pool, zero = self._pool, np.zeros(self.system.size)
            strict = float(np.maximum(solution.y[~pool.equal], 0.0).sum())
            bound = -gsd_lp_lower_bound(zero, pool.rows, pool.equal, solution.y, 0.0) / strict
            if abs(bound - solution.delta) <= GAP:
                return max(solution.delta - MARGIN, 0.0), np.clip(solution.u, 0.0, 1.0)
        raise ArithmeticError(f"δ_max could not be certified: {self.system.size} points")

    def _delta_rounds(self, model: GsdPoolModel) -> GsdPoolOptimum:
        """Maximise δ, adding violated rows to the pool and the model until there are none."""
        for _ in range(ROUNDS):
            new = slice(len(model.rows), None)
            model.add(self._pool.rows[new], self._pool.equal[new])
            solution = model.largest_delta()
            if self.tighten(solution.u, solution.delta) <= FEASIBLE:
                return solution
        raise GsdSolverError("rows of the pool are broken")

    def _contradictory(self) -> bool:
        """Whether R2 gives a strict pair of R1 no gain at all, so that only δ = 0 remains."""
        keys, starts = self.system.keys, self.system.starts
        return not self.system.all_ordinal and bool((np.diff(starts)[~keys.any(axis=1)] > 1).any())
