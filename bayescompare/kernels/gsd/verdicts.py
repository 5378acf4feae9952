r"""Is the optimum of each of many objectives below a threshold? Mostly decided without finding it.

For objective w and threshold T, with a tolerance for rounding:

- any known utility u of N^δ with :math:`w \cdot u < T` settles *below*: one matrix product settles
  most objectives at once, and every feasible utility found on the way is tried on the others;
- the pool's optimum bounds the optimum from below: if it is at least T, that settles *not below*
  without a search for violated rows;
- many objectives over many points are screened by operator splitting (`screen`), which yields
  bounds and utilities of both kinds and leaves the few whose optimum is close to T;
- for these rows are added until one of the first two holds, at the latest at the optimum.

A verdict depends on the objective only, not on the others or on their order.

What is left is settled in chunks of neighbours, each by a copy of what was known before the
first of them. So chunks may be settled in any order or at the same time, in other processes too.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.gsd.optimum import (
    FEASIBLE,
    GAP,
    ROUNDS,
    TOLERANCE,
    Solver,
    nearest_order,
)
from bayescompare.kernels.gsd.screen import Questions, Screen

__all__ = ["Spread", "Verdicts", "one_after_the_other"]

#: Calls a function with each of several tuples of arguments, and yields what it returns, in order.
Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterable[Any]]

#: Objectives that are settled one after the other, each with what was learned from those before.
_CHUNK = 32
#: Undecided objectives from which a screening of all of them is worth its preparation.
_MANY = 16
#: Points from which it is, some 20 datasets: over fewer the simplex method is done sooner.
_LARGE = 44


def one_after_the_other(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """Call the function with each of the tasks, here and now."""
    for task in tasks:
        yield function(*task)


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
        worth = system.size >= _LARGE and not system.all_ordinal
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
