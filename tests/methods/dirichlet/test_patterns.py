"""Patterns of orderings against listing every permutation; statements drawn by their α."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.orders import MIDDLE
from bayescompare.methods import Dirichlet
from bayescompare.methods.dirichlet.patterns import Pattern, PatternPrior
from bayescompare.statements import State, Statements
from tests.cases import few_quick
from tests.oracles.context import near
from tests.tables import normal_table, table

EVERY = {l: np.array(list(itertools.permutations(range(l)))) for l in (2, 3, 4)}
ROPED = np.array([[0, 1], [MIDDLE, MIDDLE], [1, 0]])


@st.composite
def patterns(draw: Any, l: int) -> Pattern:
    names = draw(st.permutations(range(l)))
    return Pattern(tuple(names[: draw(st.sampled_from([0, *range(2, l + 1)]))]))


def matched(pattern: Pattern, l: int) -> list[tuple[int, ...]]:
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
def test_against_every_permutation(case: tuple[int, Pattern, Pattern]) -> None:
    l, one, other = case
    known = matched(one, l)
    found = EVERY[l][one.matches(EVERY[l])]
    assert sorted(map(tuple, found.tolist())) == known
    assert one.size(l, math.factorial(l)) == len(known)
    for name in range(l):
        led = sum(order[0] == name for order in known)
        assert one.led_by(name, l, math.factorial(l)) == led
    assert one.overlaps(other) == bool(set(known) & set(matched(other, l)))


def test_states_with_a_rope() -> None:
    first, equal, anything = Pattern((0, 1)), Pattern(equal=True), Pattern()
    assert first.matches(ROPED).tolist() == [True, False, False]
    assert equal.matches(ROPED).tolist() == [False, True, False]
    assert anything.matches(ROPED).all()
    assert [p.size(2, 3) for p in (first, equal, anything)] == [1, 1, 3]
    assert [p.led_by(0, 2, 3) for p in (first, equal, anything)] == [1, 0, 1]
    assert equal.overlaps(anything)
    assert equal.overlaps(equal)
    assert not equal.overlaps(first)


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
        Pattern.read(State.parse(text), statements, 0, "here")


DRAWS = 4000

CASES: dict[str, tuple[list[str], dict[str, float | None], dict[str, Any]]] = {
    "beliefs": (["A", "B"], {"m0": None, "m1": 0.1}, {"m0": {"B>A": 0.7}, "m1": {"A=B": 0.2}}),
    "parts of orders": (["A", "B", "C"], {"m0": None}, {"m0": {"B>A": 0.6, "A>C>B": 0.1}}),
    "wildcards": (
        ["A", "B"],
        {"m0": None, "m1": 0.1},
        {"B>A|*": 3.0, "B>A|A=B": 0.5, "A>B|A>B": 0.7, "*": 0.4},
    ),
    "parts and the rest": (["A", "B", "C"], {"m0": None}, {"C>A": 2.0, "A>C>B": 1.0, "*": 0.3}),
}


@pytest.mark.parametrize("name", few_quick(CASES, 2))
def test_each_statement_is_drawn_by_its_alpha(name: str) -> None:
    algorithms, ropes, prior = CASES[name]
    statements = Statements.without_data(algorithms, ropes)
    patterns, rng = PatternPrior.read(prior, 1.0, statements), np.random.default_rng(1)
    seen = Counter(patterns.draw_statement(rng) for _ in range(DRAWS))
    alpha = np.exp(patterns.log_alpha)
    for label, share in zip(patterns.statements.labels, alpha / alpha.sum(), strict=True):
        assert abs(seen[label] / DRAWS - share) < 4 * np.sqrt(share * (1 - share) / DRAWS), label


def test_predictions_and_tables_beyond_256_statements() -> None:
    results = normal_table("AB", [f"m{j}" for j in range(12)], datasets=4)
    prior = {"m3": {"A>B": 0.8}, "weight": 400}
    c = bc.compare(results, method=Dirichlet(prior=prior))
    new = c.predict(3, draws=300, rng=1)
    first = np.vectorize(lambda label: label.split("|")[3] == "A>B")(new.values)
    expected = (320 + _wins(c)) / 404
    assert abs(first.mean() - expected) < 0.06
    table = c.simulate(rng=2)
    again = bc.compare(table, method=c.method)
    assert again.method == c.method
    marginal = float(table.truth["marginal"].sel(measure="m3"))
    assert 0.6 < marginal < 0.95
    assert near(c.draws(2000, chains=1, rng=3)["prior"]["marginal"].sel(measure="m3").values, 0.8)


def _wins(c: bc.Comparison) -> float:
    return sum(
        float(n)
        for label, n in zip(c.answer.labels, c.answer.counts, strict=True)
        if label.split("|")[3] == "A>B"
    )
