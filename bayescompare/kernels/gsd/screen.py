r"""Most verdicts on many objectives, without a simplex method.

Operator splitting (`splitting`) gives for a block of objectives lower bounds of their optima, which
settle *not below*, and utilities close to the optima. Rows that these utilities violate are added
to the pool; moved towards the centre of N^δ until it is feasible, such a utility settles *below*.

What remains are objectives whose optimum is close to the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.gsd.covers import linear_gsd_utilities
from bayescompare.kernels.gsd.optimum import GsdSolver
from bayescompare.kernels.gsd.repair import repair_gsd_utility
from bayescompare.kernels.gsd.splitting import SplitBlock, SplitPool

__all__ = ["GsdQuestions", "GsdScreen"]


#: Objectives that are treated together: their slacks should stay in the cache.
_BLOCK = 64
#: Steps of each round of a block: for all objectives, then for those that are left.
_FIRST, _THEN = (25,) * 5, (50,) * 24
#: The round from which a block is given up if no bound gains on its limit.
_PATIENT = 5
#: Points for each round: over few points the simplex method settles the rest sooner.
_POINTS = 12
#: Utilities of a block whose rows are searched in a round; rows that a round may add and rows that
#: the pool may have, for each point.
_SEARCHED, _ADDED, _MOST = 12, 1, 30


@dataclass(eq=False)
class GsdQuestions:
    """Objectives, the limits that their optima may be below, and what is known of the optima.

    Attributes
    ----------
    objectives : array (n, d)
    limits : array (t,)
    floor, best : array (n,)
        Every optimum is at least `floor` and at most `best`.
    found : list of array (d,)
        Utilities of N^δ that lowered `best`.

    Examples
    --------
    >>> w, limits = np.array([[0.0, 0.0, 1.0]]), np.array([0.1, 0.5])
    >>> questions = GsdQuestions(w, limits, np.array([0.2]), np.array([0.9]))
    >>> questions.open.tolist()
    [[False, True]]
    >>> questions.use(np.array([0.0, 1.0, 0.3]))
    >>> questions.open.tolist()
    [[False, False]]
    """

    objectives: FloatArray
    limits: FloatArray
    floor: FloatArray
    best: FloatArray
    found: list[FloatArray] = field(default_factory=list)

    @property
    def open(self) -> BoolArray:
        """Which limits lie between the bounds, (n, t)."""
        return np.asarray((self.floor[:, None] < self.limits) & (self.limits <= self.best[:, None]))

    def missing(self, part: IntArray) -> FloatArray:
        """Return how far the bounds of some objectives are below their largest open limits."""
        return np.array([self.limit(n) - self.floor[n] for n in part])

    def limit(self, n: int) -> float:
        """Return the largest open limit of an objective, −∞ if there is none."""
        between = (self.floor[n] < self.limits) & (self.limits <= self.best[n])
        return float(self.limits[between].max(initial=-np.inf))

    def use(self, u: FloatArray) -> None:
        """Lower `best` by a utility of N^δ."""
        np.minimum(self.best, self.objectives @ u, out=self.best)
        self.found.append(u)


class GsdScreen:
    """Bounds and utilities for verdicts over one system at one δ.

    Parameters
    ----------
    solver : GsdSolver
        Rows that the screening adds are passed on to its pool.
    delta : float
        At most δ_max.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> x, y = [[0.9, 0.4], [0.8, 0.5]], [[0.6, 0.5], [0.7, 0.6]]
    >>> system = build_system(x, y, [0, 0], [1, 1], [True, True])
    >>> w = system.objective()[None]
    >>> questions = GsdQuestions(w, np.array([-0.6]), np.array([-1.0]), np.array([1.0]))
    >>> GsdScreen(GsdSolver(system), 0.0).settle(questions, np.ones((1, system.size)))
    >>> bool(-0.6 <= questions.floor[0] <= -0.5), bool(questions.open.any())
    (True, False)
    """

    def __init__(self, solver: GsdSolver, delta: float) -> None:
        self.solver, self.delta = solver, delta
        rows, equal = solver.pool_rows
        self._pool = SplitPool(solver.system.size, rows, equal, delta)
        self._passed_on = len(rows)
        self._narrow_box()

    def settle(self, questions: GsdQuestions, known: FloatArray) -> None:
        """Raise `floor` and lower `best` until few limits are between them.

        Parameters
        ----------
        questions : GsdQuestions
        known : array (k, d)
            Utilities to start from: each objective from the one that is best for it.
        """
        rounds = self.solver.system.size // _POINTS
        for steps, by_utilities in ((_FIRST, False), (_THEN[:rounds], True)):
            rest = np.flatnonzero(questions.open.any(axis=1))
            for first in range(0, len(rest), _BLOCK):
                part = rest[first : first + _BLOCK]
                part = part[questions.open[part].any(axis=1)]
                self._settle_part(questions, part, known, steps, by_utilities)
        if questions.open.any():
            new = slice(self._passed_on, None)
            self.solver.add_rows(self._pool.rows[new], self._pool.equal[new])
            self._passed_on = len(self._pool.rows)

    def _settle_part(
        self,
        questions: GsdQuestions,
        part: IntArray,
        known: FloatArray,
        rounds: tuple[int, ...],
        by_utilities: bool,
    ) -> None:
        """Settle some objectives, in rounds of steps; *below* only where asked for."""
        w = questions.objectives[part]
        block = SplitBlock(self._pool, w, known[np.argmin(w @ known.T, axis=1)])
        for number, steps in enumerate(rounds):
            if len(part) == 0:
                return
            missing = questions.missing(part)
            block.step(steps)
            questions.floor[part] = np.maximum(questions.floor[part], block.bounds())
            utilities = block.utilities
            if by_utilities:
                self._try_feasible(questions, part, utilities)
            left = questions.open[part].any(axis=1)
            if left.all() and number >= _PATIENT:
                if (questions.missing(part) > 0.98 * missing).all():
                    return
            elif not left.all():
                part, utilities = part[left], utilities[left]
                block.keep(left)
            self._tighten(utilities)

    def _try_feasible(self, questions: GsdQuestions, part: IntArray, utilities: FloatArray) -> None:
        """Settle *below* by utilities of a block, moved until they are feasible."""
        for n, u in zip(part, utilities, strict=True):
            w, limit = questions.objectives[n], questions.limit(n)
            if float(w @ u) >= limit:
                continue
            near = float(self.solver.violations(u, self.delta).amount.max(initial=0.0))
            feasible = repair_gsd_utility(self.solver, u, self.delta, w, limit, near)
            if feasible is not None:
                questions.use(feasible)

    def _tighten(self, utilities: FloatArray) -> None:
        """Add rows that some of the utilities violate, the worst first."""
        size = self.solver.system.size
        if len(utilities) == 0 or len(self._pool.rows) > _MOST * size:
            return
        chosen = utilities[:: -(-len(utilities) // _SEARCHED)]
        violations = [self.solver.violations(u, self.delta) for u in chosen]
        worst = np.argsort(-np.concatenate([v.amount for v in violations]), kind="stable")
        rows = np.concatenate([v.rows for v in violations])[worst]
        equal = np.concatenate([v.equal for v in violations])[worst]
        self._pool.add(rows, equal, _ADDED * size)

    def _narrow_box(self) -> None:
        """Bound every point's utility, beginning with the bounds 0 and 1."""
        pool, size = self._pool, self.solver.system.size
        linear = linear_gsd_utilities(self.solver.system)
        for first in range(2, size, _BLOCK // 2):
            points = np.arange(first, min(first + _BLOCK // 2, size))
            lowest, highest = linear[:, points].argmin(axis=0), linear[:, points].argmax(axis=0)
            own = np.eye(size)[points]
            start = np.vstack([linear[lowest], linear[highest]])
            block = SplitBlock(pool, np.vstack([own, -own]), start)
            block.step(_FIRST[0])
            if first < size // 2:
                self._tighten(block.utilities)
            block.step(_FIRST[1])
            for _ in range(2):  # the box that the first bounds give makes the second ones sharper
                low, high = np.split(block.bounds(), 2)
                pool.low[points] = np.maximum(pool.low[points], low)
                pool.high[points] = np.minimum(pool.high[points], -high)
