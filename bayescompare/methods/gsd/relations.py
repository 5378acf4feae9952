"""Which relation of two algorithms holds under each draw of the datasets' weights."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.statements import State

__all__ = ["Relations"]


class Relations:
    """Verdicts on draws of weights: the first dominates, neither does, the second does, both do.

    What was learned about one draw is kept for the next.

    Parameters
    ----------
    problem : DominanceProblem
    """

    def __init__(self, problem: DominanceProblem) -> None:
        self.problem = problem

    @cached_property
    def _verdicts(self) -> Verdicts:
        return Verdicts(self.problem.solver, self.problem.used_delta)

    @property
    def labels(self) -> tuple[str, ...]:
        """The four relations as statements."""
        names = self.problem.results.algorithms
        order = State.order(*names)
        states = (order, State.apart(*names), order.reversed(), State.equal(*names))
        return tuple(map(str, states))

    def hold(self, weights: FloatArray) -> BoolArray:
        """Return which of the four relations holds under each row of weights, (n, 4)."""
        objectives = self.problem.weighted(weights)
        zero = np.array([0.0])
        first, second = (
            ~self._verdicts.below(sign * objectives, zero)[:, 0] for sign in (1.0, -1.0)
        )
        return np.stack([first & ~second, ~first & ~second, second & ~first, first & second], -1)
