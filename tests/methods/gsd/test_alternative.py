"""Which direction GSD tests: two-sided by default, one-sided only where the user names it."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD
from bayescompare.methods.gsd.words import resolution_words
from reproduction.dominance import false_alarms
from tests.cases import few_quick
from tests.tables import table

SIDES = ("two-sided", "first", "second")


@cache
def uci() -> bc.Results:
    return bc.load_example("jansen-uci")


def ask(results: bc.Results, method: Any = "gsd", **how: Any) -> GsdComparison:
    c = bc.compare(results, method=method, **how)
    assert isinstance(c, GsdComparison)
    return c


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


def test_no_contamination_is_the_test_itself_on_every_side() -> None:
    for side in SIDES:
        method = GSD(permutations=100, alternative=side)
        c = ask(uci(), method, algorithms=["BDS", "EN"], rng=4)
        assert c.robustness([0.0])["pvalue"].tolist() == [c.pvalue]


# ---------------------------------------------------------------------------------- the level


@pytest.mark.slow
@pytest.mark.parametrize("stop_after", [None, 10])
def test_the_headline_keeps_its_level(stop_after: int | None) -> None:
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


@cache
def fronted() -> Any:
    return ask(uci(), GSD(permutations=60), algorithms=["GBM", "RF", "BDS", "CART"])


@cache
def everything(side: Any = "two-sided") -> bc.pairs.Pairwise:
    method = GSD(permutations=60, alternative=side)
    return bc.pairwise(uci(), method=method, algorithms=["GBM", "RF", "BDS", "CART"], rng=1)


def holm(pvalues: list[float]) -> list[float]:
    """Holm by its definition: step down, never smaller than the one before."""
    found, level = [], 0.0
    for k, p in enumerate(sorted(pvalues)):
        level = max(level, min(1.0, p * (len(pvalues) - k)))
        found.append(level)
    return found


@pytest.mark.parametrize("side", SIDES)
def test_the_matrix_keeps_each_direction_and_decisions_the_headline(side: Any) -> None:
    p = everything(side)
    for c in p.comparisons:
        first, second = c.results.algorithms
        for k, (a, b) in enumerate([(first, second), (second, first)]):
            held = float(p.matrix.sel(algorithm=a, opponent=b))
            assert held == c.answer.per_statement["pvalue"][k]
    decided = p.decide()
    expected = sorted(c.pvalue for c in p.comparisons)
    np.testing.assert_allclose(decided["pvalue"], expected)
    # One test a pair: the two directions are in the p-value, and not counted again.
    np.testing.assert_allclose(decided["adjusted"], holm(expected))


def test_words_about_too_few_resamples_count_both_sides() -> None:
    # 28 pairs: 28 · 2/1001 is above 0.05 on two sides, 28/1001 is not on one.
    said = resolution_words(GSD(permutations=1000), 28, 0.05)
    assert "With 1,000 resamples no two-sided p-value is below 2/1,001" in said
    assert "for 28 tests asks for 0.05/28 or less" in said
    wanted = int(re.search(r"permutations=(\d+) or more", said)[1])  # type: ignore[index]
    assert 28 * 2 / (wanted + 1) <= 0.05
    assert resolution_words(GSD(permutations=wanted), 28, 0.05) == ""
    assert resolution_words(GSD(permutations=1000, alternative="first"), 28, 0.05) == ""
    few = resolution_words(GSD(permutations=500, alternative="first"), 28, 0.05)
    assert "no one-sided p-value is below 1/501" in few


def test_the_words_are_true_at_the_edge() -> None:
    # Six pairs: the least two-sided p-value passes Holm at 5 % from N = 239 on.
    some = ["GBM", "RF", "BDS", "CART"]
    for n, silent in ((238, False), (239, True)):
        p = bc.pairwise(uci(), method=GSD(permutations=n, stop_after=1), algorithms=some, rng=1)
        assert ("resamples no" not in p.explain()) == silent
        assert (6 * 2 / (n + 1) <= 0.05) == silent


# ------------------------------------------------------------------------------------- the front


def test_the_front_test_has_a_holm_column() -> None:
    found = fronted().front_test(rng=1)
    assert found.columns.tolist() == ["front", "pvalue", "holm", "closest"]
    ordered = found.sort_values("pvalue", kind="stable")
    np.testing.assert_allclose(ordered["holm"], holm(found["pvalue"].tolist()))


def test_the_front_test_of_one_is_its_row_uncorrected() -> None:
    c = fronted()
    whole = c.front_test(rng=1)
    for name in ("GBM", "BDS"):
        one = c.front_test(algorithm=name, rng=1)
        assert one.index.tolist() == [name]
        assert one.loc[name, "holm"] == one.loc[name, "pvalue"] == whole.loc[name, "pvalue"]
        assert one.loc[name, "closest"] == whole.loc[name, "closest"]
        assert one.loc[name, "front"] == whole.loc[name, "front"]


def test_the_front_test_of_an_unknown_one_is_refused() -> None:
    c = ask(uci(), GSD(permutations=10), algorithms=["GBM", "RF", "BDS"])
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


@pytest.mark.parametrize(
    ("ending", "side"),
    [*(("json", side) for side in SIDES), ("nc", "first")],
)
def test_the_alternative_is_kept(tmp_path: Path, ending: str, side: Any) -> None:
    c = ask(noise(3), GSD(alternative=side))
    path = tmp_path / f"c.{ending}"
    (c.to_json if ending == "json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    assert again.method == c.method
    assert again.pvalue == c.pvalue
    assert again.explain() == c.explain()


# ------------------------------------------------------------------------------- command line
