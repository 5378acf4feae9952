"""The words of the multinomial-Dirichlet test say what its numbers say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bayescompare.comparisons import DirichletComparison
from bayescompare.outcome.words import comparison_block
from tests.methods.dirichlet.cases import arrays, ask, example_1, sample_table
from tests.tables import table

NUMBER = re.compile(
    r"The probability that it is the most probable one is ((?:over |under )?[0-9.]+) \(exact\)"
)


def check_share(text: str, p: float) -> None:
    """The number in the words is the number in the table."""
    if text.startswith("over "):
        assert p > float(text.removeprefix("over "))
    elif text.startswith("under "):
        assert p < float(text.removeprefix("under "))
    else:
        assert 0.0 < float(text) < 1.0
        assert float(text) == pytest.approx(p, abs=5.0001e-4)


def check_words(c: DirichletComparison) -> None:
    said, p = c.explain(), float(c.probability.sel(statement=c.best))
    assert p == pytest.approx(float(c.probability.max()), abs=1e-8)
    if c.decision.verdict == "tied":
        assert "no single statement leads" in said
        number = re.search(r"\(((?:over |under )?[0-9.]+) each\)", said)
        ties = np.sum(np.abs(c.probability.values - p) < 1e-9)
        assert ties > 1
    else:
        assert f"the most probable statement is that {c.posterior.claim(c.best)}." in said
        number = NUMBER.search(said)
        expects = re.search(r"expected to hold with probability ((?:over |under )?[0-9.]+)\.", said)
        assert expects is not None
        check_share(expects.group(1), c.questions["expected"])
    assert number is not None
    check_share(number.group(1), p)
    verdict, _, _ = said.partition("What would change it:")
    positive = verdict.replace("not settled", "").replace("no measure is settled", "")
    assert c.decision.settled <= (p >= 0.95)
    if not c.decision.settled:
        assert "settle" not in positive
        assert comparison_block(c).status not in ("settled", "trade-off")
    else:
        assert "which settles it" in said
        assert comparison_block(c).status in ("settled", "trade-off")


@given(arrays(l=2, m=st.integers(1, 3), most=12), st.sampled_from(["symmetric", "uniform"]))
@settings(max_examples=60)
def test_words_say_what_the_numbers_say(values: np.ndarray, prior: str) -> None:
    check_words(ask(table(values), prior=prior))


@given(st.integers(0, 80), st.integers(0, 40), st.sampled_from(["symmetric", "imprecise"]))
@settings(max_examples=80)
def test_words_from_open_to_settled(wins: int, losses: int, prior: str) -> None:
    assume(wins + losses >= 2)
    values = np.array([[[1.0], [0.0]]] * wins + [[[0.0], [1.0]]] * losses)
    check_words(ask(table(values), prior=prior))


@given(arrays(l=3, m=1, most=8))
@settings(max_examples=20)
def test_words_for_three_algorithms(values: np.ndarray) -> None:
    c = ask(table(values))
    check_words(c)
    said = c.explain()
    assert "joint test over whole orderings of 3 algorithms" in said
    assert "pairwise()" in said


@pytest.mark.parametrize("p", [0.9495, 0.9499, 0.94999, 0.95])
def test_a_figure_just_short_of_settled_does_not_read_as_settled(p: float) -> None:
    # "P is 0.950: likely, but short of 0.95" contradicts itself.
    from dataclasses import replace

    c = ask(table([[[1.0], [0.0]]] * 3))
    answer = replace(c.answer, probability=np.array([p, 1 - p]))
    moved = replace(c, answer=answer)
    number = NUMBER.search(moved.explain())
    assert number is not None
    shown = float(number.group(1))
    assert (shown >= 0.95) == (p >= 0.95)
    block = comparison_block(moved)
    assert (float(block.rows[0].figure) >= 0.95) == (p >= 0.95) == (block.status == "settled")


def test_nearly_tied_is_not_tied() -> None:
    values = [[[1.0], [0.0]]] * 3 + [[[0.0], [1.0]]] * 3
    tied = ask(table(values))
    assert tied.decision.verdict == "tied"
    c = ask(table(values), prior={"A>B": 0.5, "B>A": 0.5001})
    assert 0.5 < float(c.probability.sel(statement="B>A")) < 0.501
    assert c.best == "B>A"
    assert c.decision.verdict == "open"
    assert "no single statement leads" not in c.explain()


@pytest.mark.parametrize("n", [4, 14, 40, 400])
def test_nothing_reads_as_certain(n: int) -> None:
    c = ask(table([[[1.0], [0.0]]] * n))
    p = float(c.probability.max())
    assert p < 1.0 or n == 400
    for text in (c.explain(), repr(c)):
        assert "1.000" not in text
        assert "100%" not in text


def test_sparse_data_are_warned_about() -> None:
    assert "Caution" in ask(table(sample_table(4, 2, 6))).explain()
    assert "Caution" not in ask(example_1()).explain()


def test_imprecise_words() -> None:
    said = ask(example_1(), prior="imprecise").explain()
    numbers = re.search(r"lies between ([0-9.]+) and ([0-9.]+),", said)
    assert numbers is not None
    b = ask(example_1(), prior="imprecise").bounds.sel(statement="B>A|B>A").values
    assert [float(x) for x in numbers.groups()] == pytest.approx(b.tolist(), abs=5.1e-4)
    assert "it leads surely with none of them" in said
