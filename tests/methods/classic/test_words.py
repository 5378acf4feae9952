"""The words of sign, Wilcoxon, all-test and one-test say what their numbers say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings

import bayescompare as bc
from bayescompare.methods.classic.per_measure import AllTest, OneTest, PerMeasure
from bayescompare.outcome.method import Method
from bayescompare.outcome.words import comparison_block
from tests.methods.classic.cases import RULES, ask, either, pair
from tests.tables import table

# -------------------------------------------------------------------------------------------- words


@given(either)
@settings(max_examples=80)
def test_words_say_what_the_numbers_say(case: tuple[type[Method], np.ndarray]) -> None:
    method, values = case
    c = ask(table(values), method)
    said = c.explain()
    shown = [float(p.rstrip(".")) for p in re.findall(r"p(?:-value is| =) ([0-9][0-9.e-]*)", said)]
    assert any(p == pytest.approx(c.pvalue, rel=6e-3) for p in shown)
    significant = ("is rejected", "is significantly better on every measure", "the rule calls")
    assert any(words in said for words in significant) == (c.pvalue <= 0.05)
    block = comparison_block(c)
    assert (block.status == "settled") == (c.decision.verdict == "settled")
    assert block.headline.startswith("No verdict") <= (c.decision.verdict == "open")
    if c.pvalue > 0.05 and "Each algorithm is significantly" not in said:
        assert re.search(r"not evidence|does not show", said)
    # A p-value is never shown as the probability of anything, nor as a confidence.
    claims = said.replace("A p-value is not the probability of a hypothesis", "")
    claims = claims.replace("for a probability use method='dirichlet'", "")
    assert "probab" not in claims
    assert "confiden" not in claims
    assert not re.search(r"\bP\s*[=<>]", said)


@pytest.mark.parametrize("rule", RULES)
def test_another_level_is_spoken_of_beside_the_usual_one(rule: type[PerMeasure]) -> None:
    results = pair([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert ask(results, rule).pvalue == 2**-5
    assert "asked for" not in ask(results, rule).explain()
    assert (
        "alpha = 0.01 asked for it is not significant" in ask(results, rule(alpha=0.01)).explain()
    )
    assert "alpha = 0.1 asked for it is significant" in ask(results, rule(alpha=0.1)).explain()


def opposed(second: float = 1.0, *, names: str = "AB") -> bc.Results:
    """The first is better on m0 by far; on m1 the second is, or nobody is."""
    gain = np.arange(1.0, 9.0)
    values = np.tile(gain[:, None, None] ** 2, (1, 2, 2))
    values[:, 0, 0] += gain
    values[:, 1, 1] += second * gain
    return table(values, names=names)


def test_no_statement_that_a_measure_contradicts() -> None:
    every, some = (ask(opposed(), method) for method in RULES)
    assert every.pvalue == some.pvalue == 1.0
    assert every.best == "A>B|B>A"
    assert some.best == "A~B"
    assert every.summary().loc["A>B|B>A", "count"] == some.summary().loc["A~B", "count"] == 8
    assert every.headline() == (
        "The measures do not agree: A on m0, B on m1 (p = 1, not significant)."
    )
    assert some.headline() == (
        "Each is significantly better on some measure: A on m0, B on m1 (p = 1, not significant)."
    )
    half = ask(opposed(0.0), AllTest)
    assert half.best == "A>B|A=B"
    assert half.headline() == (
        "The measures do not agree: A on m0, neither on m1 (p = 1, not significant)."
    )
    alone = ask(opposed(0.0), OneTest)
    assert alone.best == "A>B"
    assert alone.headline() == (
        "A is significantly better on m0, B on none (smallest p = 0.008, significant)."
    )


@given(either.filter(lambda given: issubclass(given[0], PerMeasure)))
@settings(max_examples=80)
def test_headlines_say_what_the_measures_say(case: tuple[type[Method], np.ndarray]) -> None:
    rule, values = case
    c = ask(table(values), rule)
    rows = c.answer.facts.per_measure
    better = [r.better for r in rows]
    head = c.headline()
    assert head in repr(c)
    assert ("not significant" in head) == (c.pvalue > 0.05)
    if rule is AllTest:
        states = {"A": "A>B", "B": "B>A", None: "A=B"}
        assert c.best == "|".join(states[name] for name in better)
        assert ("every measure" in head or len(rows) == 1) or len(set(better)) > 1 or None in better
        return
    significant = {r.better for r in rows if r.pvalue <= 0.05}
    assert ("Each is significantly better" in head) == (significant == {"A", "B"})
    for name in "AB":
        called = head.startswith(f"{name} is significantly better on ")
        assert called == (significant == {name}) == (c.best[0] == name and c.pvalue <= 0.05)


def test_pairs_that_a_rule_leaves_alone_have_no_false_statement() -> None:
    p = bc.pairwise(opposed(), method="all-test", n_jobs=1)
    assert p.decide()["statement"].tolist() == ["A>B|B>A"]
    p = bc.pairwise(opposed(0.0), method="one-test", n_jobs=1)
    assert list(p.order().edges) == [("A", "B")]
    assert "better on every measure" not in p.explain()


# -------------------------------------------------------------------------------------------- files
