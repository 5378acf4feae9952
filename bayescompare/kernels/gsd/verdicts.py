r"""Is the optimum of each of many objectives below a threshold? Mostly decided without finding it.

For objective w and threshold T, with a tolerance for rounding:

- any known utility u of N^δ with :math:`w \cdot u < T` settles *below*: one matrix product settles
  most objectives at once, and every feasible utility found on the way is tried on the others;
- the pool's optimum bounds the optimum from below: if it is at least T, that settles *not below*
  without a search for violated rows;
- many objectives over many points are screened by operator splitting, which yields bounds and
  utilities of both kinds and leaves the few whose optimum is close to T;
- for these rows are added until one of the first two holds, at the latest at the optimum.

A verdict depends on the objective only, not on the others or on their order. What is left by the
screen is settled in chunks of neighbours, each by a copy of what was known before the first of
them. So chunks may be settled in any order or at the same time, in other processes too.

**Operator splitting.** For rows :math:`A u \ge b` the alternating direction method of
multipliers repeats

.. math:: u = (A^\top A)^{-1} (A^\top (b + |s|) - w / \rho), \qquad
          s \leftarrow \alpha (A u - b) + (1 - \alpha) s^+ - s^- ,

where :math:`s^+` is the slack and :math:`y = \rho s^-` are multipliers. One matrix serves every
objective w, so a block of objectives costs one matrix product and one pass over the rows in each
step, and no pivots. It does not end in a vertex, and it need not: *any* y ≥ 0 gives a bound
(`lower_bounds`), which settles *not below*, and the utilities come close to the optima. Rows that
they violate are added to the pool; moved towards the centre of N^δ until it is feasible, such a
utility settles *below*. What remains are objectives whose optimum is close to the threshold.

The bound needs a box that holds N^δ. It comes from the same bound with :math:`w = \pm e_j`,
beginning with [0, 1]: it is narrow, because R2 leaves little besides weighted sums of the measures,
and then a few dozen steps decide most objectives.

References
----------
Boyd, Parikh, Chu, Peleato & Eckstein (2011), Distributed optimization and statistical learning via
the alternating direction method of multipliers, sections 3.4.3 and 5.2.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.optimum import (
    FEASIBLE,
    GAP,
    ROUNDS,
    TOLERANCE,
    Solver,
    nearest_order,
)
from bayescompare.kernels.gsd.programme import lower_bounds, right_hand_sides
from bayescompare.kernels.gsd.system import GREATEST, SIGNS, linear_utilities
from bayescompare.kernels.numerics.jit import jit

#: Calls a function with each of several tuples of arguments, and yields what it returns, in order.
Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterable[Any]]

#: Objectives that are settled one after the other, each with what was learned from those before.
_CHUNK = 128
#: Undecided objectives from which a screening of all of them is worth its preparation.
_MANY = 16
#: Points from which it is, some 20 datasets: over fewer the simplex method is done sooner.
_LARGE = 44
#: Over-relaxation α, and ρ for objectives with Σ|w| = 2.
_RELAXATION, _PENALTY = 1.6, 0.03
#: Objectives that are treated together: their slacks should stay in the cache.
_BLOCK = 64
#: Steps of each round of a block: for all objectives, then for those that are left.
_FIRST, _THEN = (25,) * 5, (50,) * 24
#: The round from which a block is given up if no bound gains on its limit.
_PATIENT = 5
#: Points for each round: over few points the simplex method settles the rest sooner.
_POINTS = 20
#: Utilities of a block whose rows are searched in a round; rows that a round may add and rows that
#: the pool may have, for each point.
_SEARCHED, _ADDED, _MOST = 12, 1, 30


def one_after_the_other(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """Call the function with each of the tasks, here and now."""
    for task in tasks:
        yield function(*task)


@dataclass(eq=False)
class Questions:
    """Objectives, the limits that their optima may be below, and what is known of the optima.

    Attributes
    ----------
    objectives : array (n, d)
    limits : array (t,)
    floor, best : array (n,)
        Every optimum is at least `floor` and at most `best`.

    Examples
    --------
    >>> w, limits = np.array([[0.0, 0.0, 1.0]]), np.array([0.1, 0.5])
    >>> questions = Questions(w, limits, np.array([0.2]), np.array([0.9]))
    >>> questions.between().tolist()
    [[False, True]]
    >>> questions.use(np.array([0.0, 1.0, 0.3]))
    >>> questions.between().tolist()
    [[False, False]]
    """

    objectives: FloatArray
    limits: FloatArray
    floor: FloatArray
    best: FloatArray

    def between(self, part: Any = slice(None)) -> BoolArray:
        """Which limits lie between the bounds of each objective, or of some: they are open."""
        floor, best = self.floor[part][..., None], self.best[part][..., None]
        return np.asarray((floor < self.limits) & (self.limits <= best))

    def largest(self, part: IntArray) -> FloatArray:
        """Return the largest open limit of some objectives, −∞ if there is none."""
        return np.asarray(np.where(self.between(part), self.limits, -np.inf).max(axis=-1))

    def use(self, u: FloatArray) -> None:
        """Lower `best` by a utility of N^δ."""
        np.minimum(self.best, self.objectives @ u, out=self.best)

    def part(self, some: IntArray) -> Questions:
        """Return the questions about some objectives, with bounds of their own."""
        return Questions(self.objectives[some], self.limits, self.floor[some], self.best[some])


class Verdicts:
    """Verdicts on objectives over one system at one δ.

    Parameters
    ----------
    solver : Solver
    delta : float
    known : array (m, d), optional
        Utilities of N^δ, such as the witnesses of the observed optima.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> x, y = [[0.9, 0.4], [0.8, 0.5]], [[0.6, 0.5], [0.7, 0.6]]
    >>> system = build_system(x, y, [0, 0], [1, 1], [True, True])
    >>> w = system.objective()
    >>> verdicts = Verdicts(Solver(system), 0.0)
    >>> verdicts.below(np.stack([w, -w]), np.array([-0.5, -0.2])).tolist()
    [[False, True], [False, True]]
    """

    def __init__(self, solver: Solver, delta: float, known: FloatArray | None = None) -> None:
        self.solver = solver
        self.delta = solver.clip(delta)
        ready = solver.feasible_utilities(delta)
        self._known = ready if known is None else np.vstack([ready, known])

    def below(
        self,
        objectives: FloatArray,
        thresholds: FloatArray,
        floors: FloatArray | None = None,
        *,
        spread: Spread = one_after_the_other,
    ) -> BoolArray:
        """Return whether the optimum of each objective is below each threshold.

        Parameters
        ----------
        objectives : array (n, d)
        thresholds : array (t,)
        floors : array (n,), optional
            Known lower bounds of the optima.
        spread : callable, optional
            How chunks of objectives are settled, in order or at the same time.

        Returns
        -------
        array (n, t)
        """
        best = (objectives @ self._known.T).min(axis=1)
        floor = np.full(len(objectives), -np.inf) if floors is None else floors.copy()
        questions = Questions(objectives, thresholds - TOLERANCE, floor, best)
        order = np.flatnonzero(questions.between().any(axis=1))
        if len(order) >= _MANY and self._screen is not None:
            self._screen.settle(questions, self._known)
            order = np.flatnonzero(questions.between().any(axis=1))
        order = order[nearest_order(objectives[order])]
        chunks = np.array_split(order, max(1, round(len(order) / _CHUNK)))
        if len(chunks) == 1:
            # What is learned here stays, for the objectives of the next call.
            best[order] = self.lowest(questions.part(order))
        else:
            tasks = [(self, questions.part(own)) for own in chunks]
            for own, lowest in zip(chunks, spread(_lowest_by_a_copy, tasks), strict=True):
                best[own] = lowest
        return np.asarray(best[:, None] < questions.limits)

    def lowest(self, questions: Questions) -> FloatArray:
        """Return the least known value of each objective, low enough to settle every limit."""
        for n, w in enumerate(questions.objectives):
            limits = questions.limits[questions.between(n)]
            u = self._settle(w, limits) if len(limits) else None
            if u is not None:
                questions.use(u)
        return questions.best

    def bound(self, w: FloatArray) -> float:
        """Return a lower bound of the optimum of w, from the pool alone."""
        return self.solver.relaxed(w, self.delta).bound

    def prepare(self) -> None:
        """Do at once what solvers over this system can share: δ_max, and bounds of utilities."""
        _ = self.solver.delta_max, self._screen

    def fork(self) -> Verdicts:
        """Return a copy that learns by itself."""
        other = copy.copy(self)
        other.solver = self.solver.fork()
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the screen, which is large, and which a chunk no longer needs."""
        return {name: value for name, value in self.__dict__.items() if name != "_screen"}

    @cached_property
    def _screen(self) -> Screen | None:
        """None if the system is small, or needs no simplex method at all."""
        system = self.solver.system
        worth = system.size >= _LARGE and len(system.keys) > 0
        return Screen(self.solver, self.delta) if worth else None

    def _settle(self, w: FloatArray, limits: FloatArray) -> FloatArray | None:
        """Return a utility below every limit that the optimum is below, or None if there is none.

        No known utility is below any of the limits.
        """
        solver = self.solver
        if solver.system.all_ordinal and self.delta <= 0.0:
            best = solver.optimum(w, self.delta)
            return best.u if (best.value < limits).any() else None
        solver.purge()
        for _ in range(ROUNDS):
            relaxed = solver.relaxed(w, self.delta)
            missed = limits[limits > relaxed.bound]
            if len(missed) == 0:
                return None
            excess = solver.tighten(relaxed.u, self.delta)
            if excess <= FEASIBLE:
                break
            repaired = solver.repaired(relaxed.u, self.delta, w, float(missed.min()), excess)
            if repaired is not None:
                return repaired
        u = np.clip(relaxed.u, 0.0, 1.0)
        if excess > FEASIBLE or abs(float(w @ u) - relaxed.bound) > GAP:
            # No certificate: `optimum` solves from scratch, and raises if that fails too.
            best = solver.optimum(w, self.delta)
            return best.u if (best.value < limits).any() else None
        return u


def _lowest_by_a_copy(verdicts: Verdicts, questions: Questions) -> FloatArray:
    """Settle one chunk; a worker's copy and the process's own begin alike."""
    return verdicts.fork().lowest(questions)


# ------------------------------------------------------------------------------ operator splitting


class Screen:
    """Bounds and utilities for verdicts over one system at one δ.

    Parameters
    ----------
    solver : Solver
        Rows that the screening adds are passed on to its pool.
    delta : float
        At most δ_max.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> x, y = [[0.9, 0.4], [0.8, 0.5]], [[0.6, 0.5], [0.7, 0.6]]
    >>> system = build_system(x, y, [0, 0], [1, 1], [True, True])
    >>> w = system.objective()[None]
    >>> questions = Questions(w, np.array([-0.6]), np.array([-1.0]), np.array([1.0]))
    >>> Screen(Solver(system), 0.0).settle(questions, np.ones((1, system.size)))
    >>> bool(-0.6 <= questions.floor[0] <= -0.5), bool(questions.between().any())
    (True, False)
    """

    def __init__(self, solver: Solver, delta: float) -> None:
        self.solver, self.delta = solver, delta
        if solver.narrowed is None or solver.narrowed[0] != delta:
            self.pool = Pool(solver.system.size, *solver.pool_rows, delta)
            self._passed_on = len(self.pool.rows)
            self._narrow_box()
            solver.narrowed = delta, self._passed_on, copy.copy(self.pool)
        _, self._passed_on, pool = solver.narrowed
        self.pool = copy.copy(pool)

    def settle(self, questions: Questions, known: FloatArray) -> None:
        """Raise `floor` and lower `best` until few limits are between them.

        Parameters
        ----------
        questions : Questions
        known : array (k, d)
            Utilities to start from: each objective from the one that is best for it.
        """
        rounds = self.solver.system.size // _POINTS
        for steps, by_utilities in ((_FIRST, False), (_THEN[:rounds], True)):
            rest = np.flatnonzero(questions.between().any(axis=1))
            for first in range(0, len(rest), _BLOCK):
                part = rest[first : first + _BLOCK]
                part = part[questions.between(part).any(axis=1)]
                self._settle_part(questions, part, known, steps, by_utilities)
        if questions.between().any():
            new = slice(self._passed_on, None)
            self.solver.add_rows(self.pool.rows[new], self.pool.equal[new])
            self._passed_on = len(self.pool.rows)

    def _settle_part(
        self,
        questions: Questions,
        part: IntArray,
        known: FloatArray,
        rounds: tuple[int, ...],
        by_utilities: bool,
    ) -> None:
        """Settle some objectives, in rounds of steps; *below* only where asked for."""
        w = questions.objectives[part]
        block = Block(self.pool, w, known[np.argmin(w @ known.T, axis=1)])
        for number, steps in enumerate(rounds):
            if len(part) == 0:
                return
            missing = questions.largest(part) - questions.floor[part]
            block.step(steps)
            questions.floor[part] = np.maximum(questions.floor[part], block.bounds())
            utilities = block.utilities
            if by_utilities:
                self._try_feasible(questions, part, utilities)
            left = questions.between(part).any(axis=1)
            if left.all() and number >= _PATIENT:
                if (questions.largest(part) - questions.floor[part] > 0.98 * missing).all():
                    return
            elif not left.all():
                part, utilities = part[left], utilities[left]
                block.keep(left)
            self._tighten(utilities)

    def _try_feasible(self, questions: Questions, part: IntArray, utilities: FloatArray) -> None:
        """Settle *below* by utilities of a block, moved until they are feasible."""
        for n, u in zip(part, utilities, strict=True):
            w, limit = questions.objectives[n], float(questions.largest(n))
            if float(w @ u) < limit:
                near = self.solver.violations(u, self.delta).worst
                feasible = self.solver.repaired(u, self.delta, w, limit, near)
                if feasible is not None:
                    questions.use(feasible)

    def _tighten(self, utilities: FloatArray) -> None:
        """Add rows that some of the utilities violate, the worst first."""
        size = self.solver.system.size
        if len(utilities) == 0 or len(self.pool.rows) > _MOST * size:
            return
        chosen = utilities[:: -(-len(utilities) // _SEARCHED)]
        found = zip(*(self.solver.violations(u, self.delta) for u in chosen), strict=True)
        rows, equal, amount = (np.concatenate(parts) for parts in found)
        worst = np.argsort(-amount, kind="stable")
        self.pool.add(rows[worst], equal[worst], _ADDED * size)

    def _narrow_box(self) -> None:
        """Bound every point's utility, beginning with the bounds 0 and 1."""
        pool, size = self.pool, self.solver.system.size
        linear = linear_utilities(self.solver.system)
        for first in range(2, size, _BLOCK // 2):
            points = np.arange(first, min(first + _BLOCK // 2, size))
            lowest, highest = linear[:, points].argmin(axis=0), linear[:, points].argmax(axis=0)
            own = np.eye(size)[points]
            start = np.vstack([linear[lowest], linear[highest]])
            block = Block(pool, np.vstack([own, -own]), start)
            block.step(_FIRST[0])
            if first < size // 2:
                self._tighten(block.utilities)
            block.step(_FIRST[1])
            for _ in range(2):  # the box that the first bounds give makes the second ones sharper
                low, high = np.split(block.bounds(), 2)
                pool.low[points] = np.maximum(pool.low[points], low)
                pool.high[points] = np.minimum(pool.high[points], -high)


class Pool:
    """The rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, and what every objective shares.

    Parameters
    ----------
    size : int
        Number of points.
    rows : array (r, 4)
        Among them rows that bound every point, so that AᵀA is regular.
    equal : array (r,)
    delta : float
    """

    def __init__(self, size: int, rows: Int32Array, equal: BoolArray, delta: float) -> None:
        self.size, self.delta = size, delta
        self.low, self.high = np.zeros(size), np.ones(size)
        self._hold(rows, equal)

    def _hold(self, rows: Int32Array, equal: BoolArray) -> None:
        self.rows, self.equal = rows, equal
        self.offset = right_hand_sides(rows, equal, self.delta)
        normal = np.zeros((self.size, self.size))
        np.add.at(normal, (rows[:, :, None], rows[:, None, :]), np.outer(SIGNS, SIGNS))
        self.inverse = np.linalg.inv(normal[2:, 2:])

    def add(self, rows: Int32Array, equal: BoolArray, most: int) -> None:
        """Add the first `most` rows that are not there yet."""
        radix = self.size ** np.arange(4)
        code = rows @ radix
        once = np.sort(np.unique(code, return_index=True)[1])
        new = once[~np.isin(code[once], self.rows @ radix)][:most]
        if len(new):
            self._hold(
                np.concatenate([self.rows, rows[new]]), np.concatenate([self.equal, equal[new]])
            )


class Block:
    """Some objectives over one pool, each with its utility u and its s.

    Parameters
    ----------
    pool : Pool
        Rows that are added to it later are taken up at the next step.
    objectives : array (n, d)
    start : array (n, d)
        Utilities to start from.

    Examples
    --------
    >>> rows = np.array([[2, 0, 0, 0], [1, 2, 2, 2]], dtype=np.int32)
    >>> pool = Pool(3, rows, np.zeros(2, dtype=bool), 0.1)
    >>> w = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    >>> block = Block(pool, w, np.array([[0.0, 1.0, 0.5]] * 2))
    >>> block.step(200)
    >>> block.bounds().round(6).tolist()
    [0.1, -0.9]
    """

    def __init__(self, pool: Pool, objectives: FloatArray, start: FloatArray) -> None:
        self._pool = pool
        self._w = np.ascontiguousarray(objectives.T)
        self._penalty = _PENALTY * np.maximum(np.abs(self._w).sum(axis=0), 1e-300) / 2.0
        self._u = np.ascontiguousarray(start.T)
        self._u[:2] = 0.0
        self._s = np.empty((0, len(objectives)))
        self._side = np.zeros_like(self._u)

    def step(self, count: int) -> None:
        """Take `count` steps."""
        pool, known = self._pool, len(self._s)
        if known < len(pool.rows):
            rows, equal, offset = pool.rows[known:], pool.equal[known:], pool.offset[known:]
            fresh = _take_up(rows, equal, offset, self._u, self._side)
            self._s = np.concatenate([self._s, fresh])
        pull = self._w / self._penalty
        for _ in range(count):
            self._u[2:] = pool.inverse @ (self._side - pull)[2:]
            _step(pool.rows, pool.equal, pool.offset, self._u, self._s, self._side)

    def bounds(self) -> FloatArray:
        """Return lower bounds of the optima over N^δ, which the multipliers ρ s⁻ prove."""
        pool, count = self._pool, len(self._s)
        rows, equal, y = pool.rows[:count], pool.equal[:count], -self._penalty * self._s
        return np.asarray(lower_bounds(rows, equal, y, self._w, pool.delta, pool.low, pool.high))

    @property
    def utilities(self) -> FloatArray:
        """Utilities close to the optima, (n, d); they may violate rows, also of the pool."""
        u = self._u.T.copy()
        u[:, GREATEST] = 1.0
        return np.clip(u, 0.0, 1.0, out=u)

    def keep(self, which: BoolArray) -> None:
        """Drop all other objectives."""
        self._penalty = self._penalty[which]
        every = self._w, self._u, self._s, self._side
        self._w, self._u, self._s, self._side = (
            np.ascontiguousarray(of_all[:, which]) for of_all in every
        )


@jit()
def _take_up(
    rows: Int32Array, equal: BoolArray, offset: FloatArray, u: FloatArray, side: FloatArray
) -> FloatArray:
    """Return the slacks of new rows, at least zero, and add their share to the side, in place."""
    s = np.empty((len(rows), u.shape[1]))
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        for j in range(u.shape[1]):
            s[i, j] = max(u[a, j] - u[b, j] - u[c, j] + u[d, j] - offset[i], 0.0)
            t = offset[i] + (-s[i, j] if equal[i] else s[i, j])
            side[a, j] += t
            side[b, j] -= t
            side[c, j] -= t
            side[d, j] += t
    return s


@jit(fastmath={"reassoc", "contract", "nsz"})
def _step(
    rows: Int32Array,
    equal: BoolArray,
    offset: FloatArray,
    u: FloatArray,
    s: FloatArray,
    side: FloatArray,
) -> None:
    """One step of s, and the next side Aᵀ(b + |s|), of equalities Aᵀ(b − s); both in place."""
    side[:] = 0.0
    count = u.shape[1]
    t = np.empty(count)
    for i in range(len(rows)):
        a, b, c, d = rows[i]
        ua, ub, uc, ud = u[a], u[b], u[c], u[d]
        si, o = s[i], offset[i]
        if equal[i]:
            for j in range(count):
                si[j] += _RELAXATION * (ua[j] - ub[j] - uc[j] + ud[j] - o)
                t[j] = o - si[j]
        else:
            for j in range(count):
                v = ua[j] - ub[j] - uc[j] + ud[j] - o
                x = si[j]
                x = _RELAXATION * v + (x if x < 0.0 else (1.0 - _RELAXATION) * x)
                si[j] = x
                t[j] = o + abs(x)
        sa, sb, sc, sd = side[a], side[b], side[c], side[d]
        for j in range(count):
            sa[j] += t[j]
        for j in range(count):
            sb[j] -= t[j]
        for j in range(count):
            sc[j] -= t[j]
        for j in range(count):
            sd[j] += t[j]
