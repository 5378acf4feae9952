r"""opt = min of :math:`w \cdot u` over :math:`N^\delta`, certified, for many objectives w.

Rows are generated: the pool's optimum is a relaxation, the rows of R2 that it violates are added,
and so on until it violates none. The pool and its basis are kept for the next objective.

Every optimum has a certificate: a utility that violates no row of R1 or R2, and multipliers whose
bound (`lower_bounds`) is that utility's value. If the warm-started simplex method fails to find
one, HiGHS solves the programme from scratch.

:math:`\mathrm{opt}(\delta) = \min\{w \cdot u : A u \ge \delta e\}` is non-decreasing, since the
utilities that remain become fewer, and convex: for u in N^δ and v in N^ε the mixture
:math:`(1 - t) u + t v` is in :math:`N^{(1-t)\delta + t\varepsilon}`, where it has the mixed value,
so the minimum there is no larger. It is piecewise linear, being the value of a linear programme.

Where R2 is empty, only the order of the points matters, and δ = 0 needs no programme: the extreme
utilities are indicators of upper sets (the greatest element in, the least one out), and
opt = min over them of :math:`\hat P_x(U) - \hat P_y(U)`: first-order stochastic dominance. With
:math:`X', Y'` the observations strictly between least and greatest,

.. math:: s \cdot \mathrm{opt} = \#x_{\text{greatest}} - \#y_{\text{greatest}} - |Y'| + M' ,

where :math:`M'` is a maximum matching of :math:`Y'` into :math:`X'` by :math:`y \le x` (Strassen,
Hall). Observations at the greatest element are in every upper set, those at the least in none.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Proposition 3.
"""

from __future__ import annotations

import copy
import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.programme import (
    HighsProgramme,
    HotSimplex,
    Solution,
    SolverError,
    lower_bounds,
)
from bayescompare.kernels.gsd.separation import Separator, Violations
from bayescompare.kernels.gsd.system import (
    GREATEST,
    LEAST,
    MOST_BYTES,
    SIGNS,
    PreferenceSystem,
    cover_rows,
    linear_utilities,
)

#: Largest distance between an optimum and its bound.
GAP = 1e-10
#: Optima that differ by less are equal.
TOLERANCE = 1e-9
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


class Relaxed(NamedTuple):
    """The optimum over the pool: a certified bound, and a utility that may violate other rows."""

    u: FloatArray
    bound: float
    slope: float


class Solver:
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
    >>> solver = Solver(system)
    >>> optimum = solver.optimum(system.objective(), 0.0)
    >>> round(optimum.value, 9), bool(optimum.value - optimum.bound < 1e-10)
    (-0.5, True)
    >>> round(solver.delta_max, 9)
    0.142857143
    """

    def __init__(self, system: PreferenceSystem) -> None:
        self.system = system
        self.cold_solves = 0
        self._box = np.zeros(system.size), np.ones(system.size)
        self._last_u = np.zeros(system.size)
        self._clock = 0
        #: What screenings at one δ begin with (`verdicts`): δ, known rows, rows and bounds.
        self.narrowed: tuple[float, int, Any] | None = None

    def fork(self, system: PreferenceSystem | None = None) -> Solver:
        """Return a copy that has learned the same, and learns on by itself.

        Of another `system` only the objective, two of the algorithms that share it, may differ.
        """
        other = copy.copy(self)
        other.system = system or self.system
        if "_pool" in self.__dict__:
            other.__dict__["_pool"] = self._pool.fork()
            other._last_used = self._last_used.copy()
        return other

    # Parts that not every optimum needs are built on first use.

    @cached_property
    def _separator(self) -> Separator:
        return Separator(self.system)

    @cached_property
    def _pool(self) -> HotSimplex:
        given = self.system.given
        bounds = cover_rows(self.system) if given is None else given[0][: 2 * self.system.size - 4]
        pool = HotSimplex(self.system.size, bounds, 0.0)
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
        s = len(self.system.x)
        counts = np.rint(w * s)
        # No whole counts under weights of the datasets.
        if self.system.all_ordinal and delta <= 0.0 and np.abs(w * s - counts).max() <= 1e-9:
            count, u = matching_optimum(self.system, counts.astype(np.int64))
            return Optimum(count / s, u, count / s, float("nan"))
        self.purge()
        for cold in (False, True):
            try:
                optimum = self._generate(w, delta, cold)
            except SolverError:
                continue
            if abs(optimum.value - optimum.bound) <= GAP:
                return optimum
        raise ArithmeticError(
            "the linear programme could not be solved to a certified optimum: "
            f"{self.system.size} points, delta={delta!r}"
        )

    def relaxed(self, w: FloatArray, delta: float, *, cold: bool = False) -> Relaxed:
        """Minimise w·u over the rows of the pool alone, whose bound holds for N^δ."""
        self._pool.delta = self.clip(delta)
        if not cold:
            try:
                return self._bounded(w, self._pool.optimum(w))
            except SolverError:
                pass
        self.cold_solves += 1
        programme = HighsProgramme(self.system.size, self._pool.delta)
        programme.add(*self.pool_rows)
        return self._bounded(w, programme.optimum(w))

    def tighten(self, u: FloatArray, delta: float) -> float:
        """Add rows that u violates to the pool; return the largest violation, 0 if there is none.

        Neighbours come first; the complete search runs only if u violates none of their rows.
        """
        for search in (self._separator.near, self._separator.every):
            violations = search(u, delta, FEASIBLE)
            if len(violations.amount):
                # The worst rows, about one for every two points.
                most = max(int(_ADDED * self.system.size), 16)
                worst = np.argsort(-violations.amount, kind="stable")[:most]
                self.add_rows(violations.rows[worst], violations.equal[worst])
                return violations.worst
        return 0.0

    def excess(self, u: FloatArray, delta: float) -> float:
        """Return the largest violation of u among all rows, 0 if there is none."""
        return self._separator.every(u, delta, FEASIBLE).worst

    def violations(self, u: FloatArray, delta: float) -> Violations:
        """Return rows between neighbours that u violates: some rows, not all."""
        return self._separator.near(u, delta, FEASIBLE)

    # ---------------------------------------------------------------------------- known utilities

    def feasible_utilities(self, delta: float) -> FloatArray:
        """Return utilities of N^δ that need no search: single measures, moved inwards.

        Under preferences of the user's own only the centre is known.

        N is convex, and δ enters it linearly: with u in N⁰ and v in N^δ_max the mixture
        (1 − t) u + t v lies in N^(t δ_max).
        """
        if self.system.given is not None:
            return self.center[None]
        ready = linear_utilities(self.system)
        if delta <= 0.0 or self.delta_max == 0.0:
            return ready
        t = self.clip(delta) / self.delta_max
        return np.vstack([(1.0 - t) * ready + t * self.center, self.center])

    def repaired(
        self, u: FloatArray, delta: float, w: FloatArray, limit: float, excess: float
    ) -> FloatArray | None:
        """Return a utility of N^δ between u and the centre, or None if w·u would reach the limit.

        The centre has the slack δ_max − δ in every strict row; rows of equality are generated
        later.

        Parameters
        ----------
        u : array (d,)
            A utility that almost belongs to N^δ.
        delta : float
            At most δ_max.
        w : array (d,)
        limit : float
        excess : float
            The largest violation of some of the rows.

        Examples
        --------
        A gain must not be worth less than a smaller one; nearer to the centre it is not.

        >>> from bayescompare.kernels.gsd.system import build_system
        >>> system = build_system([[0.2]], [[0.7]], [0.0], [1.0], [True])
        >>> u, solver = np.array([0.0, 1.0, 0.3, 0.5]), Solver(system)
        >>> v = solver.repaired(u, 0.0, system.objective(), 1.0, solver.excess(u, 0.0))
        >>> solver.excess(v, 0.0) < 1e-12
        True
        """
        slack = self.delta_max - delta
        if slack <= 0.0:
            return None
        for _ in range(2):
            share = excess / (excess + slack)
            moved = np.asarray((1.0 - share) * u + share * self.center)
            if float(w @ moved) >= limit:
                return None
            # Searching all rows is worth it only for a utility that stands a chance.
            excess = self.excess(u, delta)
        return moved if self.excess(moved, delta) <= FEASIBLE else None

    # ------------------------------------------------------------------------------------ the pool

    @property
    def pool_rows(self) -> tuple[Int32Array, BoolArray]:
        """The rows of the pool, and which of them are equalities."""
        return self._pool.rows, self._pool.equal

    def add_rows(self, rows: Int32Array, equal: BoolArray) -> None:
        """Add rows to the pool."""
        self._pool.add(rows, equal)
        fresh = np.full(len(rows), self._clock, dtype=np.int64)
        self._last_used = np.concatenate([self._last_used, fresh])

    def purge(self) -> None:
        """If there are too many rows, drop those that have been unused for longest."""
        pool, most = self._pool, max(_KEPT * self.system.size, 400)
        if len(pool.rows) <= most:
            return
        slack = self._last_u[pool.rows] @ SIGNS - pool.delta
        free = np.flatnonzero(~pool.equal & (slack > 1e-9))
        oldest = free[np.argsort(self._last_used[free], kind="stable")]
        self._last_used = self._last_used[pool.drop(oldest[: len(pool.rows) - 2 * most // 3])]

    def _generate(self, w: FloatArray, delta: float, cold: bool) -> Optimum:
        for _ in range(ROUNDS):
            relaxed = self.relaxed(w, delta, cold=cold)
            if self.tighten(relaxed.u, delta) <= FEASIBLE:
                u = np.clip(relaxed.u, 0.0, 1.0)
                return Optimum(float(w @ u), u, relaxed.bound, relaxed.slope)
        raise SolverError("rows of the pool are broken")

    def _bounded(self, w: FloatArray, solution: Solution) -> Relaxed:
        pool, y = self._pool, solution.y
        (bound,) = lower_bounds(
            pool.rows, pool.equal, y[:, None], w[:, None], pool.delta, *self._box
        )
        used = y != 0.0
        self._last_u = solution.u
        self._clock += 1
        self._last_used[used] = self._clock
        slope = float(np.maximum(y[used & ~pool.equal], 0.0).sum())
        return Relaxed(solution.u, float(bound), slope)

    # --------------------------------------------------------------------------------------- δ_max

    def _largest_delta(self) -> tuple[float, FloatArray]:
        r"""Return δ_max and a utility of N^δ_max, by the LP with δ as a variable.

        The bound: for multipliers with Σ y = 1 over strict rows, δ ≤ (Aᵀy)·u ≤ −`lower_bounds`.
        """
        if self.system.size == 2:
            return 1.0, np.array([0.0, 1.0])
        if self._contradictory():
            return 0.0, linear_utilities(self.system).mean(axis=0)
        for primal in (True, False):
            try:
                solution = self._delta_rounds(HighsProgramme(self.system.size, 0.0, primal=primal))
            except SolverError:
                continue
            pool, y = self._pool, solution.y
            strict = float(np.maximum(y[~pool.equal], 0.0).sum())
            zero = np.zeros((self.system.size, 1))
            (bound,) = lower_bounds(pool.rows, pool.equal, y[:, None], zero, 0.0, *self._box)
            if abs(-bound / strict - solution.delta) <= GAP:
                return max(solution.delta - MARGIN, 0.0), np.clip(solution.u, 0.0, 1.0)
        raise ArithmeticError(f"δ_max could not be certified: {self.system.size} points")

    def _delta_rounds(self, programme: HighsProgramme) -> Solution:
        """Maximise δ, adding violated rows to the pool and the programme until there are none."""
        for _ in range(ROUNDS):
            new = slice(programme.count, None)
            programme.add(self._pool.rows[new], self._pool.equal[new])
            solution = programme.largest_delta()
            if self.tighten(solution.u, solution.delta) <= FEASIBLE:
                return solution
        raise SolverError("rows of the pool are broken")

    def _contradictory(self) -> bool:
        """Whether R2 gives a strict pair of R1 no gain at all, so that only δ = 0 remains."""
        keys, starts = self.system.keys, self.system.starts
        return bool(len(keys)) and bool((np.diff(starts)[~keys.any(axis=1)] > 1).any())


# ----------------------------------------------------------- where only the order of points matters


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


# ---------------------------------------------------------------------------------- many questions


def both_optima(solver: Solver, objectives: FloatArray, delta: float) -> FloatArray:
    """Return the optima of many objectives and of their negatives: opt_xy and opt_yx.

    For the Bayesian bootstrap the objectives are ``system.objective(weights)`` with a row of
    Dirichlet(1, …, 1) weights over the datasets for every draw.

    Parameters
    ----------
    solver : Solver
    objectives : array (n, d)
    delta : float

    Returns
    -------
    array (n, 2)

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.9], [0.8]], [[0.6], [0.9]], [0.0], [1.0], [True])
    >>> weights = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> both_optima(Solver(system), system.objective(weights), 0.0).round(3).tolist()
    [[0.0, -0.375], [-0.125, 0.0]]
    """
    values = np.empty((len(objectives), 2))
    order = nearest_order(objectives)
    for direction, sign in enumerate((1.0, -1.0)):
        for n in order:
            values[n, direction] = solver.optimum(sign * objectives[n], delta).value
    return values


def nearest_order(objectives: FloatArray, most: int = 4096) -> IntArray:
    """Return an order in which each of up to `most` objectives is followed by the nearest one left.

    Examples
    --------
    >>> nearest_order(np.array([[0.0], [5.0], [1.0], [4.0]])).tolist()
    [0, 2, 3, 1]
    """
    count = len(objectives)
    if count > most:
        return np.arange(count)
    order = np.zeros(count, dtype=np.int64)
    left = np.arange(1, count)
    squares = (objectives**2).sum(axis=1)
    for place in range(1, count):
        last = order[place - 1]
        distance = squares[left] - 2.0 * (objectives[left] @ objectives[last])
        nearest = int(np.argmin(distance))
        order[place] = left[nearest]
        left = np.delete(left, nearest)
    return order


def delta_threshold(solver: Solver, w: FloatArray) -> float:
    """Return the smallest δ at which the optimum is at least zero.

    If opt(0) < 0 ≤ opt(δ_max) there is one root, and Newton's method from δ_max finds it exactly,
    in finitely many steps: a tangent lies below the convex function, so its root is not beyond the
    function's root, and every step leaves a linear piece for good.

    Returns
    -------
    float
        0 if that holds at δ = 0 already; infinity if the optimum is below zero even at δ_max.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[2], [3]], [[1], [3.5]], [0], [5], [False])
    >>> solver = Solver(system)
    >>> round(delta_threshold(solver, system.objective()), 9), round(solver.delta_max, 9)
    (0.2, 0.2)
    """
    if solver.optimum(w, 0.0).value >= -TOLERANCE:
        return 0.0
    delta = solver.delta_max
    optimum = solver.optimum(w, delta)
    if optimum.value < -TOLERANCE:
        return math.inf
    while optimum.value > 0.0 and optimum.slope > 0.0:
        step = optimum.value / optimum.slope
        if step <= 1e-13 * solver.delta_max:
            break
        delta -= step
        optimum = solver.optimum(w, delta)
    return delta
