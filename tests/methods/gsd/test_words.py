"""The words about dominance never contradict the numbers."""

from __future__ import annotations

import json

import numpy as np

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.text.numbers import pvalue_equation, statistic_number_text
from tests.methods.gsd.cases import APART, KINDS, M, ask, made
from tests.tables import table


def test_words_never_contradict_the_numbers() -> None:
    seen = set()
    for seed in range(27):
        kind = list(KINDS)[seed % len(KINDS)]
        results = made(kind, 500 + seed, datasets=6)
        c = ask(results, GSD(epsilon=(0, 0.3, 0.9)[seed % 3]))
        said, (first, second) = c.explain(), c.relation.values[~np.eye(2, dtype=bool)]
        seen.add((bool(first), bool(second), c.pvalue <= 0.05))
        assert ("A dominates B." in said) == (first and not second)
        assert ("B dominates A." in said) == (second and not first)
        assert ("neither A nor B dominates" in said) == (not first and not second)
        assert ("is rejected in favour of" in said) == (c.pvalue <= 0.05)
        assert ("is not rejected" in said) == (c.pvalue > 0.05)
        assert pvalue_equation(c.pvalue, "two-sided p") in said
        winner, loser = c.best.split(">")
        # What is less is not called an advantage.
        more = "more" if c.statistic > 0 else "less"
        worth = f"worth {statistic_number_text(abs(c.statistic))} {more} than {loser}"
        if abs(c.statistic) > 1e-9:
            assert f"least favourable to {winner}, {winner} is on average {worth}" in said
        assert "advantage" not in said
        head = c.headline()
        assert ("A dominates B" in head) == (first and not second)
        assert ("B dominates A" in head) == (second and not first)
        assert ("Neither A nor B dominates" in head) == (not first and not second)
        assert ("not significant" in head) == (c.pvalue > 0.05)
        assert head in repr(c)
    assert len(seen) >= 4


def test_words_about_equivalence_stand_by_it() -> None:
    cells = np.random.default_rng(0).integers(0, 5, (5, 1, 2)).repeat(2, axis=1)
    said = ask(table(cells)).explain()
    assert "A and B are equivalent" in said
    # They were just said to be equal.
    assert "does not show that the two are equal" not in said


def test_words_about_the_order(whole: GsdComparison) -> None:
    said = whole.explain()
    assert "21 of 28 pairs of algorithms are ordered" in said
    for a, b in APART:
        assert f"{a} and {b}" in said
    assert "No other algorithm dominates GBM" in said
    assert whole.headline() == ("All but GBM are dominated by another algorithm.")
    assert "chance" in said
    assert whole.headline() in repr(whole)


def test_nothing_dominates() -> None:
    cells = np.array([[[9, 1], [1, 9], [5, 5]], [[8, 1], [1, 8], [5, 4]]], dtype=float)
    c = ask(table(cells, measures={m: M("max", bounds=(0, 10)) for m in "pq"}), GSD(delta=0))
    assert c.front == ("A", "B", "C")
    assert c.headline() == "No algorithm is dominated by another."
    assert "none dominates another" in c.explain()
    assert "No algorithm is dominated by another" in c.explain()


def test_the_order_of_many_is_not_called_settled(whole: GsdComparison) -> None:
    # Nothing was tested.
    document = json.loads(whole.to_json())
    assert document["pvalue"] is None
    assert document["verdict"] != "settled"


def test_bootstrap_words(uci: bc.Results) -> None:
    for pair in (["RF", "BDS"], ["GBM", "CART"], ["EN", "LASSO"]):
        c = ask(uci, GSDBootstrap(delta=0, resamples=200), algorithms=pair, rng=1)
        said, level = c.explain(), float(c.probability.sel(statement=c.best))
        assert level == float(c.probability.max())
        a, b = pair
        claim = {
            f"{a}>{b}": f"{a} dominates {b}",
            f"{b}>{a}": f"{b} dominates {a}",
            f"{a}~{b}": f"{a} and {b} are incomparable",
        }[c.best]
        assert f"the probability that {claim} is" in said
        assert ("settles it" in said) == (level >= 0.95)
        assert claim in c.headline()
        assert c.headline().startswith("No verdict") == (level < 0.95)
