"""Which direction GSD tests, and every pair at once: both directions, Holm's correction, words."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from reproduction.dominance import false_alarms
from tests.cases import few_quick
from tests.methods.gsd.cases import ask
from tests.tables import table

SIDES = ("two-sided", "first", "second")


def noise(seed: int, *, datasets: int = 7, algorithms: int = 2) -> bc.Results:
    return table(np.random.default_rng(seed).normal(size=(datasets, algorithms, 2)))


# -------------------------------------------------------------------------------- the p-value


@pytest.mark.parametrize("seed", few_quick(range(8), 2))
def test_the_default_is_two_sided(seed: int) -> None:
    c = ask(noise(seed))
    first, second = c.answer.per_statement["pvalue"]
    assert GSD().alternative == "two-sided"
    assert c.pvalue == pytest.approx(min(1.0, 2 * min(first, second)), abs=0)
    assert c.decision.level == c.pvalue
    assert c.best == ("A>B" if first < second else "B>A")


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_one_side_is_the_one_named_whatever_the_data_say(seed: int) -> None:
    results = noise(seed)
    for k, side in enumerate(("first", "second")):
        c = ask(results, GSD(alternative=side))
        assert c.best == ("A>B", "B>A")[k]
        assert c.pvalue == c.answer.per_statement["pvalue"][k]
        assert c.statistic == c.answer.per_statement["opt"][k]
        assert c.share_below == c.answer.per_statement["share_below"][k]
        # Listed the other way round, the other word names the same direction.
        other = ask(results, GSD(alternative=SIDES[2 - k]), algorithms=["B", "A"])
        assert (other.best, other.pvalue) == (c.best, c.pvalue)


def test_equal_algorithms_have_a_p_value_of_one() -> None:
    cells = np.random.default_rng(0).integers(0, 5, (5, 1, 2)).repeat(2, axis=1)
    for side in SIDES:
        assert ask(table(cells), GSD(alternative=side)).pvalue == 1.0


def test_no_contamination_is_the_test_itself_on_every_side(uci: bc.Results) -> None:
    for side in SIDES:
        method = GSD(permutations=100, alternative=side)
        c = ask(uci, method, algorithms=["BDS", "EN"], rng=4)
        assert c.robustness([0.0])["pvalue"].tolist() == [c.pvalue]


# ---------------------------------------------------------------------------------- the level


@pytest.mark.slow
@pytest.mark.parametrize("stop_after", [None, 10])
def test_false_alarms_are_as_rare_as_stated(stop_after: int | None) -> None:
    n = 600
    method = GSD(permutations=199, stop_after=stop_after)
    found = false_alarms(simulations=n, datasets=12, method=method, rng=5)
    error = math.sqrt(0.05 * 0.95 / n)
    # Within the error from both sides: as rare as stated, and not much rarer.
    for column in ("pvalue", "first", "second"):
        assert (found[column] <= 0.05).mean() == pytest.approx(0.05, abs=3 * error), column
    # The headline as it was once, the smaller of the two: the simulation can tell.
    smaller = found[["first", "second"]].min(axis=1)
    assert (smaller <= 0.05).mean() > 0.05 + 3 * error


# ---------------------------------------------------------------------------------- every pair


SOME = ["GBM", "RF", "BDS", "CART"]


@pytest.mark.parametrize("side", SIDES)
def test_the_matrix_keeps_each_direction_and_decisions_the_headline(
    uci: bc.Results, side: Any
) -> None:
    p = bc.pairwise(uci, method=GSD(permutations=60, alternative=side), algorithms=SOME, rng=1)
    assert np.isnan(np.diag(p.matrix.values)).all()
    for c in p.comparisons:
        first, second = c.results.algorithms
        for k, (a, b) in enumerate([(first, second), (second, first)]):
            held = float(p.matrix.sel(algorithm=a, opponent=b))
            assert held == c.answer.per_statement["pvalue"][k]
    # One test a pair: the two directions are in the p-value, and not counted again.
    expected = sorted(c.pvalue for c in p.comparisons)
    np.testing.assert_allclose(p.decide()["pvalue"], expected)


@pytest.mark.parametrize(("side", "enough"), [("two-sided", 239), ("first", 119)])
def test_the_words_about_too_few_resamples_are_true_at_the_edge(
    uci: bc.Results, side: Any, enough: int
) -> None:
    # Six pairs: from so many resamples on the least p-value passes Holm at 5 %.
    sides = 2 if side == "two-sided" else 1
    assert 6 * sides / (enough + 1) <= 0.05 < 6 * sides / enough
    for n in (enough - 1, enough):
        method = GSD(permutations=n, stop_after=1, alternative=side)
        said = bc.pairwise(uci, method=method, algorithms=SOME, rng=1).explain()
        assert (f"With {n} resamples no" in said) == (n < enough)
        if n < enough:
            assert f"-sided p-value is below {sides}/{n + 1}" in said
            wanted = int(re.search(r"permutations=(\d+) or more", said)[1])  # type: ignore[index]
            assert 6 * sides / (wanted + 1) <= 0.05


# ------------------------------------------------------------------------------------- the front


def test_the_front_test_corrects_for_all_but_not_for_one(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=60), algorithms=SOME)
    whole = c.front_test(rng=1)
    assert whole.columns.tolist() == ["front", "pvalue", "holm", "closest"]
    ordered = np.sort(whole["pvalue"]) * [4, 3, 2, 1]
    np.testing.assert_allclose(
        np.sort(whole["holm"]), np.maximum.accumulate(np.minimum(ordered, 1.0))
    )
    for name in ("GBM", "BDS"):
        one = c.front_test(algorithm=name, rng=1)
        assert one.index.tolist() == [name]
        assert one.loc[name, "holm"] == one.loc[name, "pvalue"] == whole.loc[name, "pvalue"]
        assert one.loc[name, "closest"] == whole.loc[name, "closest"]
        assert one.loc[name, "front"] == whole.loc[name, "front"]
    with pytest.raises(bc.BayescompareError, match=r"algorithm='GMB'.*GBM"):
        c.front_test(algorithm="GMB")


# --------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("ending", ["json", "nc"])
def test_a_file_from_before_gets_the_two_sided_p_value(tmp_path: Path, ending: str) -> None:
    c = ask(noise(3))
    path = tmp_path / f"c.{ending}"
    old = min(c.answer.per_statement["pvalue"])
    assert c.pvalue > old
    if ending == "json":
        told = json.loads(c.to_json())
        del told["method"]["options"]["alternative"]
        told["pvalue"] = old
        path.write_text(json.dumps(told), encoding="utf-8")
    else:
        c.to_netcdf(path)
        tree = xr.open_datatree(path, engine="h5netcdf").load()
        tree.close()
        options, scalars = (json.loads(tree.attrs[name]) for name in ("options", "scalars"))
        del options["alternative"]
        scalars["pvalue"] = old
        tree.attrs |= {"options": json.dumps(options), "scalars": json.dumps(scalars)}
        path.unlink()
        tree.to_netcdf(path, engine="h5netcdf")
    again = bc.load_comparison(path)
    assert again.pvalue == c.pvalue
    assert again.explain() == c.explain()
    assert again.headline() == c.headline()


def test_holm_over_both_directions_of_every_pair(everything: bc.pairs.Pairwise) -> None:
    decided = everything.decide()
    least = {
        frozenset(c.results.algorithms): min(c.answer.per_statement["pvalue"])
        for c in everything.comparisons
    }
    # Each pair's hypothesis is one, tested twice: Bonferroni within, Holm between.
    ordered, level, expected = sorted(least.values()), 0.0, []
    for k, p in enumerate(ordered):
        level = max(level, min(1.0, 2 * p * (len(ordered) - k)))
        expected.append(level)
    np.testing.assert_allclose(decided["adjusted"], expected)
    np.testing.assert_allclose(decided["pvalue"], np.minimum(1.0, 2 * np.array(ordered)))
    assert (decided["asserted"] == (decided["adjusted"] <= 0.05)).all()


@pytest.fixture(scope="module")
def few(uci: bc.Results) -> bc.pairs.Pairwise:
    return bc.pairwise(
        uci, method=GSD(permutations=499), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )


def test_the_asserted_order(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=399), algorithms=["GBM", "CART", "RF", "BDS"], rng=1, n_jobs=1
    )
    decided = p.decide()
    graph = p.order()
    asserted = {tuple(s.split(">")) for s in decided.loc[decided["asserted"], "statement"]}
    assert set(graph.edges) == asserted
    assert {("GBM", "CART"), ("RF", "CART"), ("BDS", "CART")} <= asserted
    assert nx.is_directed_acyclic_graph(graph)


def test_pairwise_words_say_dominance(few: bc.pairs.Pairwise) -> None:
    # To dominate is not to be better on every measure.
    assert few.decide()["asserted"].any()
    assert "better on every measure" not in few.explain()


def test_a_reference(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci,
        method=GSD(permutations=50),
        algorithms=["GBM", "CART", "RF"],
        reference="RF",
        rng=1,
        n_jobs=1,
    )
    assert np.isfinite(p.matrix.values).sum() == 4
    with pytest.raises(bc.BayescompareError, match="no comparison"):
        p["GBM", "CART"]


def test_a_tilde_in_a_name_is_no_incomparability() -> None:
    cells = np.array([[[9.0], [1.0 + k % 3]] for k in range(9)])
    names = ["svm~rbf", "B"]
    c = ask(table(cells, names=names), GSDBootstrap(resamples=50), rng=1)
    assert c.best == "svm~rbf>B"
    assert "svm~rbf dominates B is over 0.999" in c.explain()


def test_a_tilde_in_a_name_costs_no_edge() -> None:
    cells = np.array([[[9.0], [1.0 + k % 3]] for k in range(9)])
    for method in ("gsd", "dirichlet"):
        p = bc.pairwise(table(cells, names=["svm~rbf", "B"]), method=method, n_jobs=1)
        assert p.decide()["asserted"].all()
        assert list(p.order().edges) == [("svm~rbf", "B")]
