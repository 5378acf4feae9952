"""Statements drawn from a prior of patterns, against the α's of all of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.methods import Dirichlet
from bayescompare.methods.dirichlet.pattern_draws import draw_statement
from bayescompare.methods.dirichlet.prior import pattern_prior
from bayescompare.statements import Statements
from tests.cases import few_quick
from tests.oracles.context import near
from tests.tables import normal_table

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
    patterns = pattern_prior(prior, statements)
    assert patterns is not None
    draw, rng = draw_statement(patterns), np.random.default_rng(1)
    seen = Counter(draw(rng) for _ in range(DRAWS))
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
