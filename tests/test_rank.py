"""`rank()`: what it takes, what it refuses, and what its answer says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import betainc

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.text.names import spelled
from tests.tables import table


@pytest.fixture(scope="module")
def ranking(uci: bc.Results) -> bc.Ranking:
    return bc.rank(uci, rng=0)


def two(wins: int, n: int) -> bc.Results:
    return table([[[1.0 + (i < wins)], [1.5]] for i in range(n)])


# figures ------------------------------------------------------------------------------------------


def test_two_algorithms_by_rank_are_a_beta() -> None:
    """Exactly: the weight of A's wins is Beta(a·9, a·4) or Beta(a·8, a·5), a = (12 − 4)/12."""
    r = bc.rank(two(8, 12), rng=1)
    a = 8 / 12
    exact = 1.0 - 0.5 * (betainc(9 * a, 4 * a, 0.5) + betainc(8 * a, 5 * a, 0.5))
    p = r.overall.loc["A", "p_best"]
    assert abs(p - exact) < 4 * r.overall.loc["A", "mcse"]
    assert float(r.ahead.sel(algorithm="A", opponent="B")) == p
    assert r.front.loc["A", "p_front"] == p
    np.testing.assert_allclose(r.places.loc[("m0", "A"), "mean"], 1 + 4 / 12)


def test_tables_have_the_promised_shape(ranking: bc.Ranking, uci: bc.Results) -> None:
    assert ranking.places.index.names == ["measure", "algorithm"]
    assert list(ranking.places) == ["mean", "place", "lower", "upper", "p_best", "mcse"]
    assert list(ranking.front) == ["p_front", "mcse", "state"]
    assert ranking.ahead.dims == ("algorithm", "opponent")
    for measure in uci.measures:
        own = ranking.places.loc[measure]
        assert own["place"].is_monotonic_increasing
        assert own["p_best"].sum() == pytest.approx(1.0)
        assert (own["lower"] <= own["upper"]).all()
    assert ranking.places.loc[("auc", "GBM"), "mean"] == pytest.approx(3.40625)


def test_the_same_seed_gives_the_same_answer_and_a_utility_changes_nothing_else(
    ranking: bc.Ranking, uci: bc.Results
) -> None:
    again = bc.rank(uci, utility="unknown", rng=0)
    pd.testing.assert_frame_equal(again.places, ranking.places)
    pd.testing.assert_frame_equal(again.front, ranking.front)
    generator = np.random.default_rng(4)
    one = bc.rank(uci, rng=generator)
    other = bc.rank(uci, rng=one.options.seed)
    pd.testing.assert_frame_equal(one.places, other.places)


def test_the_top_is_the_smallest_set_with_the_level(uci: bc.Results) -> None:
    r = bc.rank(uci, measures=["auc"], level=0.8, rng=0)
    p = r.overall["p_best"]
    held = p[list(r.top)]
    assert held.sum() >= 0.9 > held.sum() - held.min()
    assert held.min() >= p.drop(list(r.top)).max()
    assert len(bc.rank(uci, measures=["auc"], level=0.99, rng=0).top) > len(r.top)


def test_without_a_utility_the_top_may_be_on_the_front(ranking: bc.Ranking) -> None:
    assert set(ranking.top) == set(ranking.front.index[ranking.front["p_front"] > 0.05])
    assert ranking.front.loc["CART", "state"] == "dominated"
    with pytest.raises(AttributeError, match="utility="):
        _ = ranking.overall


def test_a_constant_winner_is_first_all_but_certainly() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((20, 4, 2))
    values[:, 2] += 2
    r = bc.rank(table(values), rng=0)
    assert (r.places.xs("C", level="algorithm")["p_best"] > 0.999).all()
    # Of few datasets that agree the next may be another.
    few = bc.rank(table(values[:6]), rng=0).places.xs("C", level="algorithm")["p_best"]
    assert few.between(0.85, 0.99).all()
    assert r.top == ("C",)
    assert (r.front.loc[["A", "B", "D"], "state"] == "dominated").all()
    assert (r.front["mcse"] > 0).all()


def test_clones_share_place_and_probability() -> None:
    values = np.random.default_rng(3).random((10, 3, 1))
    values[:, 1] = values[:, 0]
    r = bc.rank(table(values), rng=0)
    same = ["place", "lower", "upper"]
    assert r.overall.loc["A", same].equals(r.overall.loc["B", same])
    one, other = r.overall.loc["A", "p_best"], r.overall.loc["B", "p_best"]
    assert one == pytest.approx(other, abs=6 * r.overall["mcse"].max())


def test_values_are_shown_in_their_own_unit_and_direction(uci: bc.Results) -> None:
    r = bc.rank(uci, by="value", rng=0)
    brier = r.places.loc["brier"]["mean"]
    mean = uci.data["brier"].mean("dataset").to_series()
    pd.testing.assert_series_equal(brier.sort_index(), mean.sort_index(), check_names=False)
    assert brier.round(5).is_monotonic_increasing
    own = r.scores.loc["brier"]
    assert (own["lower"] < own["mean"]).all()
    assert (own["mean"] < own["upper"]).all()


def test_strengths_agree_with_ranks_on_who_leads(uci: bc.Results) -> None:
    r = bc.rank(uci, by="strength", utility={"auc": 1, "brier": 1}, rng=0)
    assert r.overall.index[0] == "GBM"
    assert "CART" not in r.top
    assert "Plackett–Luce" in r.explain()
    np.testing.assert_allclose(r.places["mean"].groupby("measure").sum(), 0.0, atol=1e-9)
    assert r.draws()["posterior"]["score"].shape == (4, 2500, 3, 8)


# strengths ----------------------------------------------------------------------------------------


def test_strengths_of_items_are_refused() -> None:
    with pytest.raises(BayescompareError, match="by='strength' is a model of the ranks"):
        bc.rank(items("items"), by="strength")


@pytest.mark.slow
def test_strengths_agree_with_nuts(uci: bc.Results) -> None:
    """Means within a tenth of a posterior standard deviation, P(best) within 0.03."""
    four = uci.sel(algorithms=["GBM", "RF", "GLM", "CART"], measures=["auc"])
    r = bc.rank(four, by="strength", rng=0)
    sampler = {"draws": 2000, "tune": 1000, "chains": 2, "cores": 1, "progressbar": False}
    c = bc.compare(four, method="plackett_luce", rng=0, sampler=sampler)
    assert c.diagnose().ok
    nuts = c.tree["posterior"]["strength"].sel(measure="auc").stack(s=("chain", "draw"))
    own = r.draws()["posterior"]["score"].sel(measure="auc").stack(s=("chain", "draw"))
    gap = np.abs(nuts.mean("s") - own.mean("s")) / nuts.std("s")
    assert float(gap.max()) < 0.1
    np.testing.assert_allclose(own.std("s"), nuts.std("s"), rtol=0.1)
    names = np.array(four.algorithms)[nuts.transpose("s", "algorithm").values.argmax(axis=1)]
    for name in four.algorithms:
        assert abs((names == name).mean() - r.overall["p_best"].loc[name]) < 0.03


# utilities ----------------------------------------------------------------------------------------


def test_a_given_utility_of_values(uci: bc.Results) -> None:
    r = bc.rank(uci, by="value", utility={"auc": 2, "brier": -1}, rng=0)
    means = {name: uci.data[name].mean("dataset").to_series() for name in uci.measures}
    utility = (2 * means["auc"] - means["brier"]).round(9)
    order = utility.rank(ascending=False)
    pd.testing.assert_series_equal(
        r.overall["place"].sort_index(), order.sort_index(), check_names=False
    )
    assert r.overall["regret"].min() >= 0
    assert "share" not in r.overall


def test_weights_of_ranks_are_shares(uci: bc.Results) -> None:
    one = bc.rank(uci, utility={"auc": 1, "brier": 1}, rng=0)
    two = bc.rank(uci, utility={"auc": 7, "brier": 7, "accuracy": 0}, rng=0)
    pd.testing.assert_frame_equal(one.overall, two.overall)


def test_bounds_tend_to_what_they_enclose(uci: bc.Results) -> None:
    given = bc.rank(uci, utility={"auc": 0.6, "brier": 0.4}, rng=0)
    near = bc.rank(uci, utility={"auc": (0.5999, 0.6001), "brier": (0.3999, 0.4001)}, rng=0)
    np.testing.assert_allclose(
        near.overall["p_best"].sort_index(), given.overall["p_best"].sort_index(), atol=2e-3
    )
    assert near.overall["share"].max() == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"utility": {"acuracy": 1}}, "utility: no measure called 'acuracy'.*mean 'accuracy'"),
        ({"utility": {"auc": 0, "brier": 0}}, "every weight is 0"),
        ({"utility": {}}, "utility={}: give a mapping"),
        ({"utility": 3}, "utility=3: give a mapping"),
        ({"utility": {"auc": "high"}}, "'auc' has the weight 'high'; give a finite number"),
        ({"utility": {"auc": (1, 0)}}, "the lowest must not be above"),
        ({"utility": {"auc": -1}}, "by='rank' turns every measure.*by='value'"),
        ({"utility": {"brier": 1}, "by": "value"}, "'min', so lower is better.*negative or 0"),
        ({"utility": {"auc": -1}, "by": "value"}, "'max', so higher is better.*positive or 0"),
        ({"utility": {"auc": (0, 0.2), "brier": (0, 0.2)}}, "no weights that sum to one"),
        ({"by": "mean"}, "by='mean': must be"),
        ({"level": 1.0}, "level=1.0: must be a number from 0.5"),
        ({"level": "a"}, "level='a'"),
        ({"draws": 10}, "draws=10: must be at least 100"),
        ({"draws": 2.5}, "draws=2.5: must be an integer"),
        ({"algorithms": ["GBM"]}, "a ranking needs at least two"),
        ({"measures": ["roc"]}, "no measure called 'roc'"),
        ({"rng": -1}, "rng=-1"),
        ({"missing": "fill"}, "missing='fill'"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    uci: bc.Results, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BayescompareError, match=message) as error:
        bc.rank(uci, **options)
    assert "\n" not in str(error.value)


def test_scales_that_cannot_be_added_are_refused() -> None:
    values = np.random.default_rng(0).random((6, 3, 2)) * [1.0, 500.0]
    results = table(values, measures={"accuracy": "max", "time": "min"})
    with pytest.raises(BayescompareError, match=r"cannot be added, since 'time' spans.*by='rank'"):
        bc.rank(results, by="value", utility="unknown")
    bc.rank(results, by="value", utility={"accuracy": 1, "time": -0.01}, draws=100)
    bc.rank(results, utility="unknown", draws=100)
    units = table(
        values / [1, 500],
        measures={"accuracy": "max", "time": bc.Measure("min", unit="s")},
    )
    with pytest.raises(BayescompareError, match="units or bounds differ"):
        bc.rank(units, by="value", utility="unknown")
    ordinal = table(values, measures={"a": bc.Measure("max", scale="ordinal"), "b": "max"})
    with pytest.raises(BayescompareError, match=r"a has only an order.*by='rank'"):
        bc.rank(ordinal, by="value")


def test_more_draws_than_memory_holds_are_refused() -> None:
    values = np.random.default_rng(0).random((6, 60, 2))
    names = [f"a{k}" for k in range(60)]
    with pytest.raises(BayescompareError, match=r"draws=1000000: 60 algorithms on 2 measures"):
        bc.rank(table(values, names=names), draws=1_000_000)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(BayescompareError, match="results is a dict"):
        bc.rank({})


# few datasets, replicates, missing cells ----------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 4])
def test_four_datasets_give_places_and_no_verdict(n: int) -> None:
    values = np.random.default_rng(0).random((n, 3, 2))
    r = bc.rank(table(values), utility="unknown", rng=0)
    assert r.places["place"].notna().all()
    for name in ("lower", "upper", "p_best"):
        assert r.places[name].isna().all()
    assert r.front["p_front"].isna().all()
    assert set(r.front["state"]) == {"open"}
    assert r.top == ("A", "B", "C")
    assert f"Only {spelled(n)} dataset" in r.explain()
    assert "no verdict" in r.headline()
    with pytest.raises(BayescompareError, match="there are no draws"):
        r.draws()


def test_datasets_on_which_all_tie_do_not_count() -> None:
    values = np.random.default_rng(0).random((12, 3, 2)) + np.arange(3)[:, None]
    values[:6, :, 1] = 0.5
    r = bc.rank(table(values), rng=0)
    assert r.answer.effective == 6.0
    assert "On m1 all tie on 6 of 12 datasets" in r.explain()
    assert "all tie" not in bc.rank(table(values), measures=["m0"], rng=0).explain()
    values[:9, :, 1] = 0.5
    few = bc.rank(table(values), rng=0)
    assert few.places["p_best"].isna().all()
    assert "12 datasets are worth 3 of equal weight on which not all tie." in few.explain()


def test_tails_that_are_too_heavy_for_values_are_told() -> None:
    values = np.random.default_rng(0).normal(size=(12, 3, 1))
    assert "tails" not in bc.rank(table(values), by="value", rng=0).explain()
    values[3, 1] = 20.0
    told = bc.rank(table(values), by="value", rng=0).explain()
    assert "On m0 one dataset makes up most of the variation" in told
    assert "tails" not in bc.rank(table(values), rng=0).explain()


def items(kind: str, n: int = 30) -> bc.Results:
    rng = np.random.default_rng(0)
    rows = [
        ("squad", a, k, float(rng.random() < p))
        for a, p in (("A", 0.9), ("B", 0.5))
        for k in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "right"])
    return bc.Results.from_frame(
        frame,
        replicate="item",
        replicates=kind,
        measures={"right": "max"},  # type: ignore[arg-type]
    )


def test_the_items_of_one_dataset_are_resampled() -> None:
    r = bc.rank(items("items"), by="value", rng=0)
    assert (r.answer.noun, r.answer.n) == ("item", 30)
    assert r.overall.loc["A", "p_best"] > 0.95
    assert "nothing follows for other datasets" in r.explain()
    # Folds are correlated, so they are averaged and the one dataset says nothing of others.
    assert bc.rank(items("folds"), rng=0).answer.n == 1


def grouped(**columns: Any) -> bc.Results:
    values = np.random.default_rng(2).random((14, 3))
    frame = pd.DataFrame(values, columns=list("ABC")).assign(
        dataset=[f"d{i}" for i in range(14)], **columns
    )
    extra = {"group": "group"} if "group" in columns else {}
    extra |= {"weight": "weight"} if "weight" in columns else {}
    long = frame.melt(["dataset", *columns], var_name="algorithm", value_name="auc")
    return bc.Results.from_frame(long, measures={"auc": "max"}, **extra)


def test_domains_are_resampled_and_count_alike() -> None:
    """One large domain and six small ones, against the table of the domains' means."""
    names = ["big"] * 8 + [f"g{i}" for i in range(6)]
    results = grouped(group=names)
    r = bc.rank(results, by="value", rng=0)
    assert (r.answer.noun, r.answer.n) == ("domain", 7)
    cells = results.values()[:, :, 0]
    means = np.vstack([cells[:8].mean(axis=0), cells[8:]])
    alone = bc.rank(table(means[:, :, None]), by="value", rng=0)
    pd.testing.assert_frame_equal(r.overall, alone.overall)
    assert "domains like these 7" in r.explain()
    with pytest.raises(BayescompareError, match="by='strength' takes every dataset alike"):
        bc.rank(results, by="strength")


def test_weights_of_datasets_count() -> None:
    weights = [3.0] * 4 + [1.0] * 10
    results = grouped(weight=weights)
    r = bc.rank(results, by="value", rng=0)
    wanted = np.average(results.values()[:, :, 0], axis=0, weights=weights)
    np.testing.assert_allclose(r.places.loc["auc"]["mean"].sort_index(), wanted)
    assert r.answer.effective == pytest.approx(22**2 / 46)
    pd.testing.assert_frame_equal(
        bc.rank(grouped(weight=[5.0] * 14), rng=0).overall, bc.rank(grouped(), rng=0).overall
    )


def test_datasets_with_gaps_are_dropped_on_request() -> None:
    values = np.random.default_rng(0).random((8, 3, 1))
    values[2, 1, 0] = np.nan
    with pytest.raises(BayescompareError, match="1 missing cell"):
        bc.rank(table(values))
    r = bc.rank(table(values), missing="drop", rng=0)
    assert r.answer.n == 7
    assert "1 dataset with missing cells dropped: d2" in r.explain()


@pytest.mark.parametrize("by", ["rank", "strength"])
def test_a_failed_run_comes_behind_every_value(by: Any, tmp_path: Path) -> None:
    values = np.random.default_rng(0).random((8, 3, 2))
    values[[2, 5], 1, 0] = np.nan
    values[5, 2, 0] = np.nan
    r = bc.rank(table(values), by=by, missing="worst", rng=0)
    # A failed run is as good as any number below all others; two of them tie.
    low = bc.rank(table(np.nan_to_num(values, nan=-1.0)), by=by, rng=0)
    pd.testing.assert_frame_equal(r.places, low.places)
    pd.testing.assert_frame_equal(r.front, low.front)
    assert r.answer.n == 8
    assert "3 of 48 cells are missing, on 2 datasets" in r.explain()
    assert "failed run" in r.explain()
    r.to_json(tmp_path / "r.json")
    again = bc.load_ranking(tmp_path / "r.json")
    pd.testing.assert_frame_equal(again.places, r.places)
    xr.testing.assert_identical(again.draws()["posterior"], r.draws()["posterior"])


def test_gaps_that_a_ranking_cannot_use_are_refused() -> None:
    values = np.random.default_rng(0).random((8, 3, 1))
    values[2, 1, 0] = np.nan
    for missing in ("ignore", "bounds"):
        with pytest.raises(BayescompareError, match=r"ranks all algorithms or none.*pairwise\(\)"):
            bc.rank(table(values), missing=missing)  # type: ignore[arg-type]
    with pytest.raises(BayescompareError, match="a failed run has no value to average"):
        bc.rank(table(values), by="value", missing="worst")
    whole = table(np.nan_to_num(values))
    one, other = (bc.rank(whole, missing=m, rng=0) for m in ("raise", "worst"))  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(one.places, other.places)
    assert other.results.gaps is None


def test_three_hundred_algorithms() -> None:
    values = np.random.default_rng(0).normal(size=(12, 300, 2)) + np.linspace(0, 3, 300)[:, None]
    r = bc.rank(table(values, names=[f"a{k}" for k in range(300)]), draws=200, rng=0)
    assert len(r.places) == 600
    assert len(r.explain()) < 2000
