"""Tiers of a ranking and verdicts for a whole table: scores and signs, words, files, bad input."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.kernels.ranking.tiers import separated, tier_places
from tests.kernels.ranking.test_tiers import all_flips, ranks
from tests.tables import table


def spread(n: int = 9, l: int = 4, m: int = 1, step: float = 1.5, seed: int = 0) -> bc.Results:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, l, m)) - step * np.arange(l)[:, None]
    return table(values)


def expected(scores: np.ndarray, level: float = 0.95) -> np.ndarray:
    above = separated(scores, level, np.random.default_rng(0))
    return np.stack([np.stack(tier_places(each), axis=-1) for each in above])


def test_tiers_are_those_of_ranks_values_or_the_utility() -> None:
    results = spread(m=2)
    values = results.oriented()
    each = np.concatenate([ranks(values[:, :, j]) for j in range(2)], axis=2)
    tiers = bc.rank(results, draws=200).tiers
    assert list(tiers) == ["tier", "at_best", "at_worst"]
    for j, name in enumerate(results.measures):
        np.testing.assert_array_equal(tiers.loc[name].sort_index(), expected(each)[j])
        assert tiers.loc[name]["tier"].is_monotonic_increasing
    utility = bc.rank(results, draws=200, utility={"m0": 3, "m1": 1}).tiers
    one = 0.75 * each[:, :, :1] + 0.25 * each[:, :, 1:]
    np.testing.assert_array_equal(utility.sort_index(), expected(one)[0])
    worth = bc.rank(results, by="value", draws=200, utility={"m0": 2, "m1": 1}).tiers
    by_value = 2.0 * values[:, :, :1] + values[:, :, 1:]
    np.testing.assert_array_equal(worth.sort_index(), expected(by_value)[0])
    assert tiers["tier"].max() > 1


def test_units_are_the_top_level_and_count_by_their_weight() -> None:
    results = spread(n=12)
    long = results.to_frame().assign(
        group=lambda f: f["dataset"].map(lambda d: f"g{int(d[1:]) % 7}")
    )
    grouped = bc.Results.from_frame(long, measures={"m0": "max"}, group="group")
    scores = ranks(results.oriented()[:, :, 0])
    means = np.stack([scores[np.arange(12) % 7 == g].mean(axis=0) for g in range(7)])
    found = bc.rank(grouped, draws=200).tiers
    np.testing.assert_array_equal(found.sort_index(), expected(means)[0])
    weights = np.arange(1.0, 13.0)
    long = results.to_frame().assign(w=lambda f: f["dataset"].map(lambda d: 1.0 + int(d[1:])))
    weighted = bc.Results.from_frame(long, measures={"m0": "max"}, weight="w")
    found = bc.rank(weighted, draws=200).tiers
    np.testing.assert_array_equal(found.sort_index(), expected(scores * weights[:, None, None])[0])


def test_few_datasets_separate_nobody_and_words_say_so() -> None:
    r = bc.rank(spread(n=5, step=9.0), draws=200)
    assert (r.tiers["tier"] == 1).all()
    assert (r.tiers[["at_best", "at_worst"]] == [1, 4]).all(axis=None)
    assert "5 datasets are too few to separate any two for the whole table." in r.explain()
    p = bc.pairwise(spread(n=5, step=9.0), n_jobs=1)
    assert not p.decide(family=0.5)["asserted"].any()
    with pytest.raises(bc.BayescompareError, match="a ranking needs at least two"):
        bc.rank(spread(), algorithms=["A"])


def test_files_keep_the_tiers_and_older_ones_get_them(tmp_path: Path) -> None:
    r = bc.rank(spread(n=14, m=2), draws=200)
    path = tmp_path / "r.json"
    document = json.loads(r.to_json(path))
    assert set(document["tiers"][0]) == {"tier", "at_best", "at_worst"}
    pd.testing.assert_frame_equal(bc.load_ranking(path).tiers, r.tiers)
    document["tiers"][1]["at_best"][0] = 9
    path.write_text(json.dumps(document))
    with pytest.raises(bc.BayescompareError, match="tiers is 9: it must lie between 1 and 4"):
        bc.load_ranking(path)
    del document["tiers"]
    path.write_text(json.dumps({**document, "schema_version": 1}))
    pd.testing.assert_frame_equal(bc.load_ranking(path).tiers, r.tiers)


# pairs --------------------------------------------------------------------------------------------


def test_a_family_of_pairs_is_judged_by_signs() -> None:
    """Against all flips written out, with a rope, a missing cell and two measures."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(9, 3, 2)) - 2.0 * np.arange(3)[:, None]
    values[4, 2, 1] = np.nan
    rope = 0.5
    measures = {"m0": "max", "m1": bc.Measure("min", rope=rope)}
    p = bc.pairwise(table(values, measures=measures), missing="ignore", n_jobs=1)
    pairs, columns = list(combinations(range(3), 2)), []
    for a, b in pairs:
        gap = values[:, a] - values[:, b]
        gap[:, 1] = np.where(np.abs(gap[:, 1]) <= rope, 0.0, -gap[:, 1])
        columns += list(np.nan_to_num(np.sign(gap)).T)
    pvalues = all_flips(np.array(columns).T).reshape(3, 2)
    decided = p.decide(family=0.3).set_index(["first", "second"])
    for (a, b), own in zip(pairs, pvalues, strict=True):
        row = decided.loc[("ABC"[a], "ABC"[b])]
        assert row["adjusted"] == pytest.approx(own.max(), abs=1e-12)
        assert row["separated"] == tuple(np.array(["m0", "m1"])[own <= 0.3])
        assert row["asserted"] == (own <= 0.3).all()
        assert row["n"] == 9
    row = decided.loc[("A", "C")]
    assert (row["statement"], row["decision"]) == ("A>C|C>A", "trade-off")
    assert decided["adjusted"].is_monotonic_increasing


@pytest.mark.parametrize("family", [0.0, 0.7, -1, "a", True, float("nan")])
def test_a_rate_that_is_none_is_refused(family: Any) -> None:
    p = bc.pairwise(spread(), n_jobs=1)
    with pytest.raises(bc.BayescompareError, match=r"above 0, at most 0\.5\.$") as error:
        p.decide(family=family)
    assert "\n" not in str(error.value)
    with pytest.raises(bc.BayescompareError, match="is a rule by itself"):
        p.decide(family=0.05, level=0.9)


def test_equal_algorithms_are_never_separated() -> None:
    values = np.repeat(np.random.default_rng(0).random((20, 1, 1)), 3, axis=1)
    decided = bc.pairwise(table(values), n_jobs=1).decide(family=0.5)
    assert not decided["asserted"].any()
    assert set(decided["statement"]) == {""}
