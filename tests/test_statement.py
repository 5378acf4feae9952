"""One statement: read from a label, written as one, turned round, and said in words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.outcome.decision import Decision
from bayescompare.statements import State, Statement, Statements

# No algorithm may be called by a name with ">", "|" or "=" in it.
NAMES = st.text(st.characters(exclude_characters=">|=~", exclude_categories=["C"]), min_size=1)
TILDE_NAMES = st.text(st.sampled_from("ab~ "), min_size=1)


@st.composite
def statements(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> Statement:
    algorithms = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    orders = st.permutations(algorithms).map(lambda order: State.order(*order))
    others = st.sampled_from([State.equal(*algorithms), State.apart(*algorithms)])
    return Statement.of(*draw(st.lists(orders | others, min_size=1, max_size=4)))


@st.composite
def pair_statements(draw: st.DrawFn) -> tuple[Statement, str, str]:
    first, second = draw(st.lists(NAMES, min_size=2, max_size=2, unique=True))
    order = State.order(first, second)
    kinds = [order, order.reversed(), State.equal(first, second)]
    return (
        Statement.of(*draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))),
        first,
        second,
    )


# ------------------------------------------------------------------------------- there and back


@given(statements())
def test_a_written_statement_is_read_back(statement: Statement) -> None:
    assert Statement.parse(str(statement)) == statement


@given(st.data())
def test_with_the_algorithms_names_may_hold_a_tilde(data: st.DataObject) -> None:
    algorithms = data.draw(st.lists(TILDE_NAMES, min_size=2, max_size=3, unique=True))
    order = State.order(*data.draw(st.permutations(algorithms)))
    states = [order, State.equal(*algorithms), State.apart(*algorithms)]
    for state in states:
        assert State.parse(str(state), algorithms) == state


@given(st.text())
def test_any_text_is_written_as_it_was_read(label: str) -> None:
    assert str(Statement.parse(label)) == label


@pytest.mark.parametrize("label", ["(other)", "A, B", "*"])
def test_what_is_no_statement_claims_nothing(label: str) -> None:
    statement = Statement.parse(label)
    assert statement.leaders == (None,)
    assert statement.relations == frozenset()
    assert statement.winner is None
    assert not statement.is_trade_off


@given(statements())
def test_reversed_twice_is_the_statement(statement: Statement) -> None:
    assert statement.reversed().reversed() == statement


@given(statements())
def test_canonical_does_not_depend_on_the_listing(statement: Statement) -> None:
    for name in statement.states[0].names:
        assert statement.seen_from(name).canonical() == statement.canonical()
        for state in statement.seen_from(name).states:
            assert state.relation == ">" or state.names[0] == name


# ----------------------------------------------------------------------------------- who is ahead


@given(pair_statements())
def test_the_winner_changes_sides_with_the_names(drawn: tuple[Statement, str, str]) -> None:
    statement, first, second = drawn
    swap = {first: second, second: first, None: None}
    assert statement.renamed(lambda name: str(swap[name])).winner == swap[statement.winner]
    assert statement.reversed().winner == swap[statement.winner]
    assert statement.reversed().is_trade_off == statement.is_trade_off


@given(pair_statements())
def test_winner_and_trade_off_by_counting(drawn: tuple[Statement, str, str]) -> None:
    statement, first, second = drawn
    ahead = [sum(leader == name for leader in statement.leaders) for name in (first, second)]
    won = [
        name for name, n in zip((first, second), ahead, strict=True) if n == len(statement.states)
    ]
    assert statement.winner == (won[0] if won else None)
    assert statement.is_dominance == bool(won)
    assert statement.is_trade_off == (min(ahead) > 0)


@pytest.mark.parametrize(
    ("label", "winner", "trade_off", "leaders"),
    [
        ("B>A|B>A", "B", False, ("B", "B")),
        ("B>A|A>B", None, True, ("B", "A")),
        ("B>A|A=B", None, False, ("B", None)),
        ("A=B|A=B", None, False, (None, None)),
        ("A~B", None, False, (None,)),
        ("A>B>C|A>B>C", None, False, ("A", "A")),
        ("A>B>C|A>C>B", None, True, ("A", "A")),
    ],
)
def test_by_hand(
    label: str, winner: str | None, trade_off: bool, leaders: tuple[str | None, ...]
) -> None:
    statement = Statement.parse(label)
    assert (statement.winner, statement.is_trade_off, statement.leaders) == (
        winner,
        trade_off,
        leaders,
    )


def test_what_it_says_on_some_measures() -> None:
    assert str(Statement.parse("B>A|A>B|A=B").on([0, 2])) == "B>A|A=B"


# --------------------------------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("label", "measures", "words"),
    [
        ("B>A|B>A", ["accuracy", "time"], "B is better than A on accuracy and time"),
        (
            "B>A|A>B|B>A",
            ["accuracy", "time", "auc"],
            "B is better than A on accuracy and auc, and A is better than B on time",
        ),
        ("A=B", ["accuracy"], "A and B are equivalent on accuracy"),
        ("A>B>C", ["accuracy"], "the order is A > B > C on accuracy"),
        # One question about all measures names none of them.
        ("A~B", ["accuracy", "time"], "A and B are incomparable"),
        ("A>B", ["accuracy", "time"], "A is better than B"),
    ],
)
def test_words(label: str, measures: list[str], words: str) -> None:
    assert Statement.parse(label).words(measures) == words
    assert Decision(label, 0.9, "likely", (), None).claim(measures) == words


@given(statements())
def test_words_name_every_measure_once(statement: Statement) -> None:
    assume(len(statement.states) > 1)
    measures = [f"measure {k}" for k in range(len(statement.states))]
    held = statement.by_state(measures)
    assert sorted(itertools.chain.from_iterable(held.values())) == measures
    assert statement.words(measures).count("measure") >= len(measures)


# ------------------------------------------------------------------------- with those of a table


def test_statements_of_a_table_are_read_by_the_same_rules() -> None:
    found = Statements.from_results(bc.load_example("benavoli-example1"))
    for k, label in enumerate(found.labels):
        statement = Statement.parse(label)
        assert [str(state) for state in statement.states] == [names[k] for names in found.states]
        assert found.opposite(label) == str(statement.reversed())
        assert (label == found.dominance("B")) == (statement.winner == "B")
