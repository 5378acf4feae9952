"""Patterns of orderings against listing every permutation."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare._errors import BayescompareError
from bayescompare.kernels.orders import MIDDLE
from bayescompare.methods.dirichlet.patterns import (
    StatePattern,
    dirichlet_patterns_overlap,
    read_pattern,
)
from bayescompare.statements import State, Statements
from tests.tables import table

EVERY = {l: np.array(list(itertools.permutations(range(l)))) for l in (2, 3, 4)}
ROPED = np.array([[0, 1], [MIDDLE, MIDDLE], [1, 0]])


@st.composite
def patterns(draw: Any, l: int) -> StatePattern:
    names = draw(st.permutations(range(l)))
    return StatePattern(tuple(names[: draw(st.sampled_from([0, *range(2, l + 1)]))]))


def matched(pattern: StatePattern, l: int) -> list[tuple[int, ...]]:
    """The orderings in which the algorithms named follow each other."""
    kept = []
    for order in itertools.permutations(range(l)):
        places = [order.index(name) for name in pattern.order]
        if places == sorted(places):
            kept.append(order)
    return kept


@given(
    st.sampled_from([2, 3, 4]).flatmap(lambda l: st.tuples(st.just(l), patterns(l), patterns(l)))
)
def test_against_every_permutation(case: tuple[int, StatePattern, StatePattern]) -> None:
    l, one, other = case
    known = matched(one, l)
    found = EVERY[l][one.matches(EVERY[l])]
    assert sorted(map(tuple, found.tolist())) == known
    assert one.size(l, math.factorial(l)) == len(known)
    for name in range(l):
        led = sum(order[0] == name for order in known)
        assert one.led_by(name, l, math.factorial(l)) == led
    assert dirichlet_patterns_overlap(one, other) == bool(set(known) & set(matched(other, l)))


def test_states_with_a_rope() -> None:
    first, equal, anything = StatePattern((0, 1)), StatePattern(equal=True), StatePattern()
    assert first.matches(ROPED).tolist() == [True, False, False]
    assert equal.matches(ROPED).tolist() == [False, True, False]
    assert anything.matches(ROPED).all()
    assert [p.size(2, 3) for p in (first, equal, anything)] == [1, 1, 3]
    assert [p.led_by(0, 2, 3) for p in (first, equal, anything)] == [1, 0, 1]
    assert dirichlet_patterns_overlap(equal, anything)
    assert dirichlet_patterns_overlap(equal, equal)
    assert not dirichlet_patterns_overlap(equal, first)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A>Bx", r"here: 'Bx' is not one of the algorithms compared \(A, B, C\)"),
        ("A", "here: 'A' is not an order of algorithms such as 'A>B'"),
        ("A>B>A", "is not an order"),
        ("A=B", "'=' needs a rope"),
        ("A~B", "is not an order"),
    ],
)
def test_what_is_no_pattern_is_refused(text: str, words: str) -> None:
    statements = Statements.of(table(np.random.default_rng(0).random((3, 3, 1))))
    with pytest.raises(BayescompareError, match=words):
        read_pattern(State.parse(text), statements, 0, "here")
