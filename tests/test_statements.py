"""Statements with names on them: labels, counts, listings, and what is refused."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.io import load_example
from bayescompare.statements import DENSE, Statements
from bayescompare.table.measure import Measure
from bayescompare.text import numbers
from tests.oracles.statements import every_label, statement_counts, statement_weights
from tests.tables import table


def counts_of(statements: Statements) -> dict[str, float]:
    return dict(zip(statements.labels, statements.table.counts.tolist(), strict=True))


# ----------------------------------------------------------------------------------- the published


def test_pnn_both_ways_round() -> None:
    # The paper's n = [0, 0, 1, 3] lists the state of the art first; complexity is to be low.
    results = load_example("pnn")
    listed = Statements.from_results(results.sel(algorithms=["State of art", "New"]))
    assert listed.table.counts.tolist() == [0, 0, 1, 3]
    mirrored = Statements.from_results(results.sel(algorithms=["New", "State of art"]))
    assert mirrored.table.counts.tolist() == [3, 1, 0, 0]
    assert counts_of(mirrored) == counts_of(listed)


# --------------------------------------------------------------------------------- the independent


def arrays(l: st.SearchStrategy[int], m: st.SearchStrategy[int]) -> st.SearchStrategy[np.ndarray]:
    shape = st.tuples(st.integers(1, 4), l, m)
    return shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 3).map(float)))


@given(arrays(st.integers(2, 4), st.integers(1, 3)))
@settings(max_examples=60)
def test_counts_and_weights_by_enumeration(values: np.ndarray) -> None:
    n, l, m = values.shape
    s = Statements.from_results(table(values))
    names = s.algorithms
    expected = statement_counts(values, names)
    found = counts_of(s)
    assert s.size == math.factorial(l) ** m
    assert s.n_observed == len(expected)
    if s.size <= DENSE:
        assert s.labels == tuple(every_label(names, m))
    else:
        assert list(found) == [label for label in every_label(names, m) if label in expected]
    for label, count in found.items():
        assert count == pytest.approx(float(expected.get(label, Fraction(0))), abs=1e-12)
    per_dataset: list[dict[str, float]] = [{} for _ in range(n)]
    t = s.table
    for i, k, w in zip(t.dataset, t.statement, t.weight, strict=True):
        per_dataset[i][s.labels[k]] = w
    for found_weights, exact in zip(per_dataset, statement_weights(values, names), strict=True):
        assert found_weights == pytest.approx({k: float(v) for k, v in exact.items()})
        assert sum(found_weights.values()) == pytest.approx(1.0)


@given(arrays(st.integers(2, 3), st.integers(1, 2)), st.randoms(use_true_random=False))
def test_listing_order_changes_no_count(values: np.ndarray, random: object) -> None:
    results = table(values)
    order = list(results.algorithms)
    random.shuffle(order)  # type: ignore[attr-defined]
    s = Statements.from_results(results)
    again = Statements.from_results(results.sel(algorithms=order))
    assert counts_of(again) == pytest.approx(counts_of(s))


# --------------------------------------------------------------------------------- labels and order


def test_states_are_lexicographic_with_the_first_measure_most_significant() -> None:
    values = np.arange(12.0).reshape(2, 3, 2)
    s = Statements.from_results(table(values, names=["x", "y", "z"]))
    orders = ["x>y>z", "x>z>y", "y>x>z", "y>z>x", "z>x>y", "z>y>x"]
    assert s.labels == tuple(f"{a}|{b}" for a, b in itertools.product(orders, repeat=2))
    assert s.states[0] == tuple(a for a in orders for _ in orders)
    assert s.states[1] == tuple(orders * 6)


def test_the_listing_and_not_the_alphabet_orders_the_states() -> None:
    s = Statements.from_results(table([[[1.0], [2.0]]], names=["zebra", "ant"]))
    assert s.labels == ("zebra>ant", "ant>zebra")
    assert s.table.counts.tolist() == [0.0, 1.0]


def test_rope_labels_counts_and_arity() -> None:
    values = [[[1.0, 5.0], [1.05, 5.0]], [[2.0, 5.0], [1.0, 6.0]], [[1.0, 7.0], [3.0, 6.0]]]
    measures = {"a": Measure("max", rope=0.1), "b": "max"}
    s = Statements.from_results(table(values, measures=measures))
    assert s.arities == (3, 2)
    assert s.size == 6
    assert s.labels == ("A>B|A>B", "A>B|B>A", "A=B|A>B", "A=B|B>A", "B>A|A>B", "B>A|B>A")
    # The first dataset is equivalent on a and tied on b.
    assert s.table.counts.tolist() == [0, 1, 0.5, 0.5, 1, 0]
    swapped = Statements.from_results(table(values, measures=measures).sel(algorithms=["B", "A"]))
    assert swapped.labels[2] == "B=A|B>A"
    assert swapped.table.counts.tolist() == [0, 1, 0.5, 0.5, 1, 0]


def test_rope_none_splits_and_rope_zero_keeps() -> None:
    values = [[[1.0], [1.0]], [[2.0], [1.0]]]
    assert Statements.from_results(table(values)).table.counts.tolist() == [1.5, 0.5]
    s = Statements.from_results(table(values, rope=0.0))
    assert s.table.counts.tolist() == [1, 1, 0]


def test_rope_with_a_measure_to_be_low() -> None:
    values = [[[1.0], [2.0]], [[1.0], [1.2]], [[2.0], [1.0]]]
    s = Statements.from_results(table(values, measures={"loss": Measure("min", rope=0.5)}))
    assert counts_of(s) == {"A>B": 1, "A=B": 1, "B>A": 1}


# -------------------------------------------------------------------------------------- many states


def test_up_to_256_all_are_listed_and_beyond_only_the_observed() -> None:
    rng = np.random.default_rng(0)
    eight = Statements.from_results(table(rng.random((5, 2, 8))))
    assert (eight.size, eight.n_listed, eight.log_unlisted) == (256, 256, -math.inf)
    nine = Statements.from_results(table(rng.random((5, 2, 9))))
    assert (nine.size, nine.n_listed, nine.n_observed) == (512, 5, 5)
    assert nine.log_unlisted == pytest.approx(math.log(507))
    assert np.all(nine.table.counts > 0)


def test_eight_algorithms_six_measures() -> None:
    s = Statements.from_results(table(np.random.default_rng(0).random((50, 8, 6))))
    assert s.size == math.factorial(8) ** 6
    assert s.n_listed == 50
    assert s.log_size == pytest.approx(6 * math.log(40320))


def test_the_uci_table_expands_as_counted_by_hand() -> None:
    s = Statements.from_results(load_example("jansen-uci"))
    assert s.size == math.factorial(8) ** 3
    assert s.table.counts.sum() == pytest.approx(16.0)
    # One dataset is tied almost everywhere: see the specification.
    assert len(s.table.weight) == 41_472


def test_an_expansion_beyond_a_million_is_refused_with_names() -> None:
    values = np.random.default_rng(0).random((3, 10, 2))
    values[1] = 0.5
    results = table(values, datasets=["fine", "hopeless", "good"])
    with pytest.raises(BayescompareError, match="'hopeless'") as caught:
        Statements.from_results(results)
    said = str(caught.value)
    assert "fine" not in said
    assert "1,000,000" in said
    assert "pairwise()" in said


def test_the_limit_itself_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((2, 4, 1))
    values[0] = 0.5
    monkeypatch.setattr("bayescompare.statements.MOST_STATES", 25)
    assert len(Statements.from_results(table(values)).table.weight) == 24 + 1
    monkeypatch.setattr("bayescompare.statements.MOST_STATES", 24)
    with pytest.raises(BayescompareError, match="ties allow 25 statements, above the limit of 24"):
        Statements.from_results(table(values))


def test_a_rope_in_a_joint_test_names_pairwise() -> None:
    with pytest.raises(BayescompareError, match="pairwise"):
        Statements.from_results(table(np.random.default_rng(0).random((3, 3, 1)), rope=0.1))


# -------------------------------------------------------------------------------- single statements


def test_opposite() -> None:
    s = Statements.from_results(table([[[1.0, 2.0], [0.0, 3.0], [2.0, 1.0]]]))
    assert s.opposite("A>B>C|B>C>A") == "C>B>A|A>C>B"
    for label in s.labels:
        assert s.opposite(s.opposite(label)) == label
    roped = Statements.from_results(table([[[1.0, 2.0], [0.0, 3.0]]], rope=0.5))
    assert roped.opposite("A=B|A>B") == "A=B|B>A"
    assert roped.opposite("A=B|A=B") == "A=B|A=B"


def test_find_dominance_and_leading() -> None:
    s = Statements.from_results(load_example("benavoli-example1"))
    assert s.find("B>A|A>B") == 2
    assert s.find("nonsense") is None
    assert s.dominance("B") == "B>A|B>A"
    assert s.leading(2).tolist() == [2, 3]
    assert s.leading(99).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("A>B", "1 part"),
        ("A>B|A>B|A>B", "3 part"),
        ("A>B|A>C", "'A>C' is not an ordering"),
        ("A>B|A", "'A' is not an ordering"),
        ("A>B|A>A", "'A>A' is not an ordering"),
        ("A>B|A=B", "'A=B' is not an ordering"),
        ("", "1 part"),
    ],
)
def test_labels_that_cannot_be_read(label: str, said: str) -> None:
    s = Statements.from_results(load_example("benavoli-example1"))
    with pytest.raises(BayescompareError, match="statement") as caught:
        s.orders(label)
    assert said in str(caught.value)


@given(st.lists(st.sampled_from(every_label("AB", 9)), max_size=6), st.booleans())
def test_with_labels_lists_more_and_moves_nothing(labels: list[str], tie: bool) -> None:
    values = np.random.default_rng(0).random((5, 2, 9))
    if tie:
        values[2, :, 3] = 0.5
    s = Statements.from_results(table(values))
    longer = s.with_labels(labels)
    assert set(longer.labels) == set(s.labels) | set(labels)
    before, after = counts_of(s), counts_of(longer)
    assert {k: v for k, v in after.items() if v > 0} == before
    assert longer.n_observed == s.n_observed
    positions = [every_label("AB", 9).index(label) for label in longer.labels]
    assert positions == sorted(positions)

    def weights(which: Statements) -> list[tuple[int, str, float]]:
        t = which.table
        return sorted(
            (int(i), which.labels[k], float(w))
            for i, k, w in zip(t.dataset, t.statement, t.weight, strict=True)
        )

    assert weights(longer) == weights(s)


def test_with_labels_for_three_algorithms_and_for_a_rope() -> None:
    rng = np.random.default_rng(0)
    s = Statements.from_results(table(rng.random((4, 3, 4))))
    new = "|".join(["C>B>A"] * 4)
    assert new not in s.labels
    longer = s.with_labels([new, s.labels[1]])
    assert set(longer.labels) == {*s.labels, new}
    assert counts_of(longer)[new] == 0.0
    roped = Statements.from_results(table(rng.random((4, 2, 6)), rope=0.1))
    equal = "|".join(["A=B"] * 6)
    assert equal in roped.with_labels([equal]).labels


def test_with_labels_refuses_what_it_cannot_read() -> None:
    s = Statements.from_results(table(np.random.default_rng(0).random((4, 2, 9))))
    with pytest.raises(BayescompareError, match="not an ordering"):
        s.with_labels(["|".join(["A>B"] * 8 + ["A>X"])])


# ---------------------------------------------------------------------------------------- made once


def test_the_counts_of_an_answer_cannot_be_changed() -> None:
    c = bc.compare(load_example("benavoli-example1"))
    with pytest.raises(ValueError, match="read-only"):
        c.answer.counts[0] = 100.0


# -------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "1"),
        (9_999_999, "9,999,999"),
        (10_000_000, "about 1.0e7"),
        (99_960_000, "about 1.0e8"),
        (math.factorial(8) ** 6, "about 4.3e27"),
        (2**1200, "about 1.7e361"),
    ],
)
def test_counts_of_statements(n: int, words: str) -> None:
    assert numbers.count(n) == words
