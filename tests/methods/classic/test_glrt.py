"""The likelihood-ratio test as users see it: p-value, symmetry, and words that keep it one."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bayescompare as bc
from bayescompare.outcome.comparison import Comparison
from bayescompare.table.results import Results
from bayescompare.text.numbers import pvalue_equation
from tests.oracles.statements import statement_counts
from tests.tables import table


def ask(results: Results) -> Comparison:
    return bc.compare(results, method="glrt")


def arrays(l: int = 2, m: int = 2) -> st.SearchStrategy[np.ndarray]:
    shape = st.tuples(st.integers(2, 8), st.just(l), st.just(m))
    made = shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 3).map(float)))
    return made.filter(lambda v: bool(np.all(np.ptp(v, axis=(0, 1)) > 0)))


def by_hand(values: np.ndarray, names: str) -> float:
    """The p-value from exact fractions of counts."""
    counts = sorted(statement_counts(values, names).values(), reverse=True)
    a, b = counts[0], counts[1] if len(counts) > 1 else 0
    if a == b:
        return 1.0
    logs = [float(n) * math.log(2 * n / (a + b)) for n in (a, b) if n > 0]
    return math.erfc(math.sqrt(max(0.0, math.fsum(logs))))


def test_example_2_of_the_paper() -> None:
    c = ask(bc.load_example("benavoli-example1"))
    assert round(math.exp(-c.statistic / 2), 6) == 0.600677
    assert round(c.pvalue, 6) == 0.312663
    assert c.pvalue == pytest.approx(0.31266274477969398898, abs=1e-12)
    assert c.best == "B>A|B>A"
    assert c.exact
    assert "p = 0.313" in c.explain()


def test_pnn() -> None:
    # Three datasets against one.
    c = ask(bc.load_example("pnn"))
    expected = math.erfc(math.sqrt(3 * math.log(1.5) + math.log(0.5)))
    assert c.pvalue == pytest.approx(expected, abs=1e-12)
    assert c.best == "New>State of art|New>State of art"


@pytest.mark.parametrize("l", [2, 3])
@given(data=st.data())
@settings(max_examples=40)
def test_by_enumeration(l: int, data: st.DataObject) -> None:
    values = data.draw(arrays(l, 3 - l // 2))
    c = ask(table(values))
    # Sums of sixths in floats are not sixths; a tie must be a tie all the same.
    assert c.pvalue == pytest.approx(by_hand(values, "ABC"[:l]), abs=1e-9)
    counts = statement_counts(values, "ABC"[:l])
    assert float(counts[c.best]) == pytest.approx(float(max(counts.values())))


def test_counts_that_tie_in_thirds_tie_exactly() -> None:
    # 1/3 + 1/3 + 1/3 against 1 and 0.1 + 0.2 against 0.3: equal counts have p = 1.
    tied = [[[1.0], [0.0], [0.0]], [[1.0], [1.0], [1.0]]] * 3
    c = ask(table(tied))
    assert c.decision.verdict == "tied"
    assert c.pvalue == 1.0


@given(arrays())
@settings(max_examples=30)
def test_relisting_changes_nothing_and_swapping_mirrors(values: np.ndarray) -> None:
    straight = ask(table(values))
    relisted = ask(table(values).sel(algorithms=["B", "A"]))
    swapped = ask(table(values[:, ::-1]))
    assert relisted.best == straight.best
    for other in (relisted, swapped):
        assert other.pvalue == pytest.approx(straight.pvalue, abs=1e-9)
        assert other.statistic == pytest.approx(straight.statistic, abs=1e-12)
        assert other.decision.verdict == straight.decision.verdict
    if straight.decision.verdict != "tied":
        assert swapped.best == straight.best.translate(str.maketrans("AB", "BA"))


@given(arrays(), st.randoms(use_true_random=False), st.floats(0.1, 50.0))
@settings(max_examples=20)
def test_what_must_not_matter_does_not(values: np.ndarray, random: object, factor: float) -> None:
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    changed = values[order] * factor
    changed[:, :, 1] = np.exp(values[order][:, :, 1])
    assert ask(table(changed)).pvalue == pytest.approx(ask(table(values)).pvalue, abs=1e-9)


def test_beyond_256_statements_and_beyond_float_range() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([np.tile(rng.random((1, 2, 200)), (7, 1, 1)), rng.random((2, 2, 200))])
    c = ask(table(values))
    expected = math.erfc(math.sqrt(7 * math.log(7 / 4) + math.log(1 / 4)))
    assert c.pvalue == pytest.approx(expected, abs=1e-12)
    one = ask(table(values[:7]))
    assert one.pvalue == pytest.approx(math.erfc(math.sqrt(7 * math.log(2))), abs=1e-12)


# ---------------------------------------------------------------------------- what it does not have


# ------------------------------------------------------------------------------------------- words


@given(st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=60)
def test_words_say_what_the_numbers_say(wins: int, losses: int) -> None:
    if wins + losses < 2:
        return
    values = np.array([[[1.0], [0.0]]] * wins + [[[0.0], [1.0]]] * losses)
    c = ask(table(values))
    said = c.explain()
    assert pvalue_equation(c.pvalue) in said
    assert ("is rejected" in said) == (c.pvalue <= 0.05 and wins != losses)
    # It is a p-value: never the probability of a hypothesis, of a statement, or of being right.
    claims = said.replace("A p-value is not the probability of either hypothesis", "")
    claims = claims.replace("for a probability use method='dirichlet'", "")
    assert "probability" not in claims
    assert "chance" not in claims
    assert "confiden" not in claims
    assert not re.search(r"\bP\s*[=<>]", said)
    assert "settle" not in said
    assert "settled" not in repr(c)
