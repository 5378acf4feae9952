"""Patterns of states: "B>A" stands for every ordering in which B is better than A.

A prior may be about a few states of a measure, or about a few algorithms of many. A pattern says
which orderings it matches and how many there are, without listing them: there may be l! of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import BoolArray, IntArray
from bayescompare.kernels.orders import MIDDLE
from bayescompare.statements import State, Statements

__all__ = ["ANY", "StatePattern", "dirichlet_patterns_overlap", "read_pattern"]

#: The text of the pattern that matches every state.
ANY = "*"


@dataclass(frozen=True)
class StatePattern:
    """Some of the states of one measure.

    Attributes
    ----------
    order : tuple of int
        Places of algorithms, best first: it matches where they follow each other so, others
        between them or not. An empty one matches every state.
    equal : bool
        Whether it is the state "equivalent" of a measure with a rope.
    """

    order: tuple[int, ...] = ()
    equal: bool = False

    def matches(self, levels: IntArray) -> BoolArray:
        """Which of the states (P, l) it matches."""
        middle: BoolArray = levels[:, 0] == MIDDLE
        if self.equal:
            return middle
        matched = np.ones(len(levels), dtype=bool)
        if len(self.order) > 1:
            places = np.argsort(levels, axis=1)[:, self.order]
            matched = (np.diff(places, axis=1) > 0).all(axis=1) & ~middle
        return matched

    def holds(self, state: State, algorithms: Sequence[str]) -> bool:
        """Whether it matches one state."""
        if state.relation != ">":
            return self.equal or not self.order
        if self.equal:
            return False
        places = [state.names.index(algorithms[k]) for k in self.order]
        return places == sorted(places)

    def size(self, algorithms: int, arity: int) -> int:
        """How many of a measure's states it matches."""
        if self.equal:
            return 1
        if not self.order:
            return arity
        return math.factorial(algorithms) // math.factorial(len(self.order))

    def led_by(self, algorithm: int, algorithms: int, arity: int) -> int:
        """How many of these states have the algorithm in the first place."""
        if self.equal:
            return 0
        if not self.order:
            return 1 if algorithms == 2 else arity // algorithms
        others = math.factorial(algorithms - 1)
        if algorithm not in self.order:
            return others // math.factorial(len(self.order))
        return others // math.factorial(len(self.order) - 1) if algorithm == self.order[0] else 0


def read_pattern(state: State, statements: Statements, j: int, where: str) -> StatePattern:
    """Read one state of a measure, an order of some of the algorithms, or ``"*"``."""
    algorithms = statements.algorithms
    if state.names == (ANY,):
        return StatePattern()
    unknown = [name for name in state.names if name not in algorithms]
    if unknown:
        raise BayescompareError(
            f"{where}: {unknown[0]!r} is not one of the algorithms compared "
            f"({', '.join(algorithms)}).{did_you_mean(unknown[0], algorithms)}"
        )
    roped = statements.arities[j] == 3 and len(algorithms) == 2
    if state.relation == "=" and roped and set(state.names) == set(algorithms):
        return StatePattern(equal=True)
    if state.relation != ">" or not 1 < len(state.names) == len(set(state.names)):
        rope = "" if roped else "; '=' needs a rope on the measure"
        raise BayescompareError(
            f"{where}: {str(state)!r} is not an order of algorithms such as "
            f"{str(State.order(*algorithms[:2]))!r}{rope}."
        )
    return StatePattern(tuple(algorithms.index(name) for name in state.names))


def dirichlet_patterns_overlap(first: StatePattern, second: StatePattern) -> bool:
    """Whether some state matches both: whether their orders contradict each other nowhere.

    Examples
    --------
    >>> a_b, b_a, b_c = (StatePattern(order) for order in ((0, 1), (1, 0), (1, 2)))
    >>> dirichlet_patterns_overlap(a_b, b_a), dirichlet_patterns_overlap(a_b, b_c)
    (False, True)
    """
    if first.equal or second.equal:
        any_state = not (first.equal or first.order) or not (second.equal or second.order)
        return any_state or first.equal == second.equal
    return _has_order_of_patterns((first.order, second.order))


def _has_order_of_patterns(orders: Sequence[tuple[int, ...]]) -> bool:
    """Whether one ordering keeps all of these: take who has nobody before, again and again."""
    left = [list(order) for order in orders if order]
    while left:
        free = [o[0] for o in left if not any(o[0] in other[1:] for other in left)]
        if not free:
            return False
        left = [rest for o in left if (rest := [name for name in o if name != free[0]])]
    return True
