"""The gate: verdicts by the rule, mirrors, ropes, few datasets, items, words, files, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescompare as bc
from tests.tables import table


def gated(
    advantage: Any, *, rope: float | None = None, direction: Any = "max", **options: Any
) -> Any:
    """A gate on one measure, with these advantages of "new" over "old"."""
    d = np.asarray(advantage, dtype=float)
    sign = 1.0 if direction == "max" else -1.0
    values = np.stack([5.0 + sign * d, np.full(len(d), 5.0)], axis=1)[:, :, None]
    measures = {"m": bc.Measure(direction, rope=rope)}
    results = table(values, names=["new", "old"], measures=measures)
    return bc.gate(results, candidate="new", baseline="old", **options)


SPREAD = np.array([-0.03, -0.02, -0.01, 0.0, 0.01, 0.02, 0.03, 0.0])


@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize(
    ("shift", "rope", "verdict", "passed"),
    [
        (0.05, None, "superior", True),
        (0.05, 0.01, "superior", True),
        (-0.05, None, "worse", False),
        (-0.05, 0.01, "worse", False),
        (0.0, None, "undecided", None),
        (0.0, 0.05, "not worse", True),
        (-0.005, 0.05, "not worse", True),
        (-0.02, 0.02, "undecided", None),
    ],
)
def test_the_first_verdict_that_holds(
    shift: float, rope: float | None, verdict: str, passed: bool | None, direction: str
) -> None:
    g = gated(SPREAD + shift, rope=rope, direction=direction)
    (row,) = g.table.itertuples()
    assert (row.verdict, g.passed) == (verdict, passed)
    assert row.difference == pytest.approx(shift, abs=1e-12)
    # The verdict can be read off the bounds.
    assert (row.lower > 0) == (verdict == "superior")
    if rope is not None:
        assert (row.lower > -rope) == (verdict in ("superior", "not worse"))
    assert (row.upper < -(rope or 0.0)) == (verdict == "worse")
    assert g.exact


def test_bounds_and_probabilities_say_the_same() -> None:
    from bayescompare.kernels.ranking.bootstrap import mean_above

    d = np.random.default_rng(0).normal(0.1, 1, 12)
    g = gated(d, rope=0.3, level=0.9)
    (row,) = g.table.itertuples()
    assert mean_above(d, np.ones(12), row.lower) == pytest.approx(0.9, abs=1e-7)
    assert mean_above(d, np.ones(12), row.upper) == pytest.approx(0.1, abs=1e-7)
    assert row.p_better == pytest.approx(mean_above(d, np.ones(12)), abs=1e-9)
    assert row.p_not_worse == pytest.approx(mean_above(d, np.ones(12), -0.3), abs=1e-9)


def test_swapping_the_two_mirrors_the_table() -> None:
    uci = bc.load_example("jansen-uci")
    one = bc.gate(uci, candidate="RF", baseline="GBM").table
    two = bc.gate(uci, candidate="GBM", baseline="RF").table
    np.testing.assert_allclose(one["difference"], -two["difference"])
    np.testing.assert_allclose(one["lower"], -two["upper"], atol=1e-9)
    np.testing.assert_allclose(one["p_better"], 1 - two["p_better"], atol=1e-9)


def test_several_measures_pass_together() -> None:
    uci = bc.load_example("jansen-uci")
    assert bc.gate(uci, candidate="GBM", baseline="CART").passed is True
    assert bc.gate(uci, candidate="CART", baseline="GBM").passed is False
    g = bc.gate(uci, candidate="RF", baseline="BDS", measures=["brier", "auc"])
    assert g.passed is None
    assert g.table.index.tolist() == ["brier", "auc"]
    assert list(g.table) == ["difference", "lower", "upper", "p_better", "p_not_worse", "verdict"]
    assert g.table["p_not_worse"].isna().all()


def test_one_that_is_worse_outweighs_what_is_undecided() -> None:
    d = np.stack([SPREAD, SPREAD - 0.1], axis=1)
    values = np.stack([5.0 + d, np.full_like(d, 5.0)], axis=1)
    g = bc.gate(table(values, names=["new", "old"]), candidate="new", baseline="old")
    assert g.table["verdict"].tolist() == ["undecided", "worse"]
    assert g.passed is False


def test_equal_algorithms_are_not_worse_with_any_rope() -> None:
    zero = np.zeros(6)
    assert gated(zero, rope=0.0).passed is True
    assert gated(zero, rope=0.01).table["verdict"].item() == "not worse"
    assert gated(zero).passed is None


def test_a_loss_of_exactly_the_rope_is_within_it() -> None:
    values = np.array([[[0.80], [0.81]]] * 6) + np.arange(6)[:, None, None] / 100
    g = bc.gate(table(values, names=["new", "old"], rope=0.01), candidate="new", baseline="old")
    assert g.table["verdict"].item() == "not worse"


def test_few_datasets_decide_nothing() -> None:
    g = gated([0.1, 0.2, 0.3, 0.4], rope=0.01)
    assert g.passed is None
    assert g.table["difference"].item() == pytest.approx(0.25)
    assert g.table[["lower", "upper", "p_better", "p_not_worse"]].isna().all(axis=None)
    assert "4 datasets are too few" in g.explain()
    assert gated([0.1, 0.2, 0.3, 0.4, 0.5]).passed is True
    assert "are few" in gated([0.1, 0.2, 0.3, 0.4, 0.5]).explain()
    assert "are few" not in gated(np.arange(1.0, 11.0)).explain()


def test_replicates_are_averaged_and_items_of_one_dataset_are_resampled() -> None:
    rng = np.random.default_rng(1)
    rows = [
        (d, a, k, rng.normal((a == "new") * 0.5, 1))
        for d in range(6)
        for a in ("old", "new")
        for k in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", "m"])
    options: dict[str, Any] = {"replicate": "seed", "measures": {"m": "max"}}
    results = bc.Results.from_frame(frame, replicates="seeds", **options)
    g = bc.gate(results, candidate="new", baseline="old")
    means = frame.groupby(["dataset", "algorithm"])["m"].mean().unstack()
    assert g.table["difference"].item() == pytest.approx((means["new"] - means["old"]).mean())
    assert (g.answer.n, g.answer.noun) == (6, "dataset")
    alone = bc.Results.from_frame(
        frame.assign(seed=frame["dataset"] * 4 + frame["seed"], dataset="one"),
        replicates="items",
        **options,
    )
    g = bc.gate(alone, candidate="new", baseline="old")
    assert (g.answer.n, g.answer.noun) == (24, "item")
    assert "24 items" in g.explain()


def test_domains_are_resampled_and_datasets_count_by_their_weights() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"d{i}", a, f"g{max(0, i - 5)}", 1.0 + (i % 3), rng.normal((a == "new") * 0.8, 1))
        for i in range(12)
        for a in ("new", "old")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "domain", "weight", "m"])
    asked: dict[str, Any] = {"candidate": "new", "baseline": "old"}
    advantage = frame.pivot(index="dataset", columns="algorithm", values="m")
    advantage = (advantage["new"] - advantage["old"])[[f"d{i}" for i in range(12)]].to_numpy()
    domains = bc.Results.from_frame(frame, measures={"m": "max"}, group="domain")
    g = bc.gate(domains, **asked)
    # Six datasets are one domain, whose mean counts as one of seven.
    means = np.array([advantage[:6].mean(), *advantage[6:]])
    alone = gated(means)
    assert (g.answer.noun, g.answer.n) == ("domain", 7)
    assert g.table["p_better"].item() == pytest.approx(alone.table["p_better"].item(), abs=1e-9)
    assert g.table["difference"].item() == pytest.approx(means.mean())
    assert "domains like these 7," in g.explain()
    weighted = bc.Results.from_frame(frame, measures={"m": "max"}, weight="weight")
    weights = 1.0 + np.arange(12) % 3
    h = bc.gate(weighted, **asked)
    assert h.table["difference"].item() == pytest.approx(np.average(advantage, weights=weights))
    assert "of equal weight" in h.explain()


def test_very_many_items_are_drawn_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import bayescompare.ranking.gate as gate_answer

    d = np.random.default_rng(2).normal(0.2, 1, 40)
    exact = gated(d, rope=0.05)
    monkeypatch.setattr(gate_answer, "MOST_EXACT_UNITS", 10)
    drawn = gated(d, rope=0.05, rng=1)
    assert not drawn.exact
    (mcse,) = (m.mcse for m in drawn.answer.measures)
    for column in ("p_better", "p_not_worse"):
        assert drawn.table[column].item() == pytest.approx(exact.table[column].item(), abs=4 * mcse)
    assert drawn.table["lower"].item() == pytest.approx(exact.table["lower"].item(), abs=0.01)
    assert "Monte Carlo standard error" in drawn.explain()
    assert json.loads(drawn.to_json())["seed"] == 1


# fixed benchmarks, whose items are resampled ------------------------------------------------------


def items(
    sizes: dict[str, int], *, per_cluster: int = 0, seed: int = 0, **options: Any
) -> tuple[bc.Results, dict[str, Any]]:
    """Two algorithms on paired items of some benchmarks, and the advantages by benchmark."""
    rng = np.random.default_rng(seed)
    rows, advantages = [], {}
    for benchmark, n in sizes.items():
        noise = np.repeat(rng.normal(0.0, 1.0, n), per_cluster or 1)[:n]
        advantages[benchmark] = d = 0.1 + noise + 0.1 * rng.normal(0.0, 1.0, n)
        for i in range(n):
            where = (benchmark, f"{benchmark}{i}", f"{benchmark}{i // (per_cluster or 1)}")
            rows += [(*where, "new", 5.0 + d[i]), (*where, "old", 5.0)]
    frame = pd.DataFrame(rows, columns=["dataset", "item", "passage", "algorithm", "m"])
    frame["domain"] = frame["dataset"].map({"a": "one"}).fillna("two")
    frame["weight"] = frame["dataset"].map({"a": 3.0}).fillna(1.0)
    given: dict[str, Any] = {"replicate": "item", "replicates": "items", **options}
    measures = {"m": bc.Measure("max", rope=0.05)}
    return bc.Results.from_frame(frame, measures=measures, **given), advantages


def by_hand(parts: list[tuple[Any, Any]], shares: Any) -> Any:
    """Draws of the mean over fixed benchmarks: a Dirichlet for each, (advantages, sizes)."""
    rng, means = np.random.default_rng(99), 0.0
    for (d, sizes), share in zip(parts, shares, strict=True):
        n = sizes.sum() ** 2 / (sizes**2).sum()
        weights = rng.gamma((n - 4.0) / n, size=(40_000, len(d))) * sizes
        means = means + share * ((weights * d).sum(axis=1) / weights.sum(axis=1))
    return means


ASKED: dict[str, Any] = {"candidate": "new", "baseline": "old", "over": "items"}


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, [1 / 3, 1 / 3, 1 / 3]),
        ({"group": "domain"}, [1 / 2, 1 / 4, 1 / 4]),
        ({"weight": "weight"}, [3 / 5, 1 / 5, 1 / 5]),
    ],
)
def test_items_of_fixed_benchmarks_are_resampled(options: Any, shares: Any) -> None:
    results, d = items({"a": 5, "b": 9, "c": 40}, **options)
    g = bc.gate(results, **ASKED)
    means = by_hand([(own, np.ones(len(own))) for own in d.values()], shares)
    (row,) = g.table.itertuples()
    assert row.difference == pytest.approx(shares @ np.array([own.mean() for own in d.values()]))
    assert row.p_better == pytest.approx((means > 0).mean(), abs=0.012)
    assert row.p_not_worse == pytest.approx((means > -0.05).mean(), abs=0.012)
    bounds = np.quantile(means, [0.05, 0.95])
    assert [row.lower, row.upper] == pytest.approx(bounds, abs=0.02)
    assert (g.over, g.answer.n, g.answer.benchmarks) == ("items", 54, (5, 9, 40))
    assert g.answer.measures[0].mcse > 0


def test_clusters_of_items_are_resampled_whole() -> None:
    results, d = items({"a": 60, "b": 30}, per_cluster=4, cluster="passage")
    g = bc.gate(results, **ASKED)
    parts = []
    for own in d.values():
        of = np.arange(len(own)) // 4
        sizes = np.bincount(of).astype(float)
        parts.append((np.bincount(of, own) / sizes, sizes))
    means = by_hand(parts, [0.5, 0.5])
    (row,) = g.table.itertuples()
    assert (g.answer.noun, g.answer.benchmarks) == ("cluster", (15, 8))
    assert [row.lower, row.upper] == pytest.approx(np.quantile(means, [0.05, 0.95]), abs=0.02)
    # Items of a passage are alike, so that taking them for independent would promise too much.
    plain = bc.gate(items({"a": 60, "b": 30}, per_cluster=4)[0], **ASKED).table.iloc[0]
    assert row.upper - row.lower > 1.5 * (plain["upper"] - plain["lower"])


def test_one_benchmark_is_judged_by_its_items_either_way_and_exactly() -> None:
    results, d = items({"a": 20})
    g = bc.gate(results, **ASKED)
    alone = gated(d["a"], rope=0.05)
    pd.testing.assert_frame_equal(g.table, alone.table, atol=1e-9)
    pd.testing.assert_frame_equal(
        g.table, bc.gate(results, candidate="new", baseline="old").table, atol=0
    )
    assert g.exact
    assert "nothing follows for other benchmarks" in g.explain()


def test_few_benchmarks_name_the_way_out_and_words_say_what_it_means() -> None:
    results, _ = items({"a": 30, "b": 30, "c": 30})
    asked = {"candidate": "new", "baseline": "old"}
    told = bc.gate(results, **asked).explain()
    assert told.startswith("Undecided: 3 datasets are too few")
    assert "over='items' (--over items)" in told
    assert "over=" not in gated([0.1, 0.2, 0.3]).explain()
    g = bc.gate(results, **ASKED)
    for said in (
        "the 3 benchmarks a, b and c themselves",
        "of equal weight",
        "nothing follows for other benchmarks",
        "90 items are resampled",
        "one-sided",
    ):
        assert said in g.explain()
    assert "over 90 items of 3 benchmarks" in repr(g)
    document = json.loads(g.to_json())
    assert document["over"] == "items"
    assert document["bounds"] == "one-sided"
    assert document["resampled"]["benchmarks"] == [30, 30, 30]
    assert document["seed"] == 0


def test_items_that_cannot_be_resampled_are_refused() -> None:
    few, _ = items({"a": 30, "b": 4})
    with pytest.raises(bc.BayescompareError, match=r"over='items': 'b' has 4 items .* needs 5"):
        bc.gate(few, **ASKED)
    bc.gate(items({"a": 30, "b": 5})[0], **ASKED)
    folds, _ = items({"a": 30, "b": 30}, replicates="folds")
    with pytest.raises(bc.BayescompareError, match="over='items': the replicates are folds"):
        bc.gate(folds, **ASKED)
    with pytest.raises(bc.BayescompareError, match="over='items': the table has one value in each"):
        bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="RF", over="items")
    with pytest.raises(bc.BayescompareError, match="over='item': must be 'datasets' or 'items'"):
        bc.gate(few, candidate="new", baseline="old", over="item")  # type: ignore[arg-type]


def test_items_that_one_of_them_lacks_are_left_out() -> None:
    results, d = items({"a": 12, "b": 12})
    frame = results.to_frame()
    frame = frame[~((frame["algorithm"] == "old") & (frame["replicate"] == "a3"))]
    options = {"replicate": "replicate", "replicates": "items", "measures": {"m": "max"}}
    g = bc.gate(bc.Results.from_frame(frame, **options), **ASKED)
    assert g.answer.benchmarks == (11, 12)
    without = np.delete(d["a"], 3).mean()
    assert g.table["difference"].item() == pytest.approx((without + d["b"].mean()) / 2)
    assert "left out" in g.explain()


def test_few_items_that_differ_are_cautioned_about() -> None:
    """Of 10 items that mostly tie, false verdicts were twice as frequent as stated, and more."""
    for tied, cautioned in ((8, True), (0, False)):
        d = np.r_[np.zeros(tied), np.ones(12 - tied)]
        words = bc.gate(
            {"new": 5.0 + np.stack([d, d]), "old": np.full((2, 12), 5.0)},
            measures={"m": "max"},
            replicates="items",
            **ASKED,
        ).explain()
        assert ("Caution: 4 items on which the two differ are few" in words) is cautioned


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_few_items_that_differ_name_nobody_better(sign: float) -> None:
    """Nine of thirty, all one way: P(better) is 1 or 0, and ten would do."""
    for apart, rope, verdict in (
        (9, None, "undecided"),
        (10, None, "superior" if sign > 0 else "worse"),
        (9, 0.5, "not worse"),
        (9, 0.01, "not worse" if sign > 0 else "undecided"),
    ):
        d = sign * np.r_[np.zeros(30 - apart), np.ones(apart)]
        g = bc.gate(
            {"new": 5.0 + d[None], "old": np.full((1, 30), 5.0)},
            measures={"m": bc.Measure("max", rope=rope)},
            replicates="items",
            **ASKED,
        )
        assert g.table["verdict"].item() == verdict
        assert ("they differ on 9 items" in g.explain()) is (verdict == "undecided")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(10, 0.2), (20, 0.2)])
def test_items_that_mostly_tie_seldom_name_a_better_one(n: int, share: float) -> None:
    """One benchmark: .22, .23, .10 and .04 before ten items had to differ."""
    rng, wrong = np.random.default_rng(n), 0
    for _ in range(400):
        d = np.where(rng.random((1, n)) < share, rng.choice([-1.0, 1.0], (1, n)), 0.0)
        g = bc.gate(
            {"new": 5.0 + d, "old": np.full((1, n), 5.0)},
            measures={"m": "max"},
            replicates="items",
            **ASKED,
        )
        wrong += g.passed is True
    assert wrong / 400 <= 0.05 + 3 * 0.011


@pytest.mark.slow
@pytest.mark.parametrize(("n", "tables"), [(10, 400), (270, 200)])
def test_false_verdicts_over_items_are_as_rare_as_stated(n: int, tables: int) -> None:
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(tables):
        # Of very many items, right or wrong ones: 15 % of them only by one of the two.
        rare = rng.choice([-1.0, 0.0, 1.0], (3, n), p=[0.075, 0.85, 0.075])
        advantage = rare if n > 50 else rng.normal(0.0, 1.0, (3, n))
        values = np.stack([advantage, np.zeros((3, n))], axis=1)
        data = xr.Dataset(
            {"m": (("dataset", "algorithm", "replicate"), values)},
            {"dataset": list("abc"), "algorithm": ["new", "old"], "replicate": range(n)},
        )
        results = bc.Results(data, {"m": bc.Measure("max")}, replicates="items")
        wrong += bc.gate(results, **ASKED).passed is True
    assert wrong / tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables)


# words and files ----------------------------------------------------------------------------------


def test_words_follow_the_verdicts() -> None:
    uci = bc.load_example("jansen-uci").to_frame()
    measures = {"auc": bc.Measure("max", rope=0.02), "brier": "min", "accuracy": "max"}
    results = bc.Results.from_frame(uci, measures=measures)
    g = bc.gate(results, candidate="GLM", baseline="LASSO")
    assert g.headline() == "Undecided: GLM may be better or worse than LASSO on brier."
    for said in ("brier and accuracy have no rope", "only superiority passes", "P ≥ 0.95", "exact"):
        assert said in g.explain()
    assert repr(g).startswith("Gate: GLM against LASSO on auc, brier, accuracy over 16 datasets")


def test_json_holds_the_table(tmp_path: Path) -> None:
    g = gated(SPREAD + 0.05, rope=0.01)
    text = g.to_json(tmp_path / "g.json")
    document = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert document == json.loads(text)
    assert document["schema"] == "bayescompare/gate"
    assert document["passed"] is True
    assert document["measures"][0]["p_better"] == g.table["p_better"].item()
    assert document["explanation"] == g.explain()
    with pytest.raises(bc.BayescompareError, match="exists"):
        g.to_json(tmp_path / "g.json")


# bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"candidate": "GBN"}, r"candidate='GBN'.*GBM"),
        ({"baseline": "none"}, "baseline='none'"),
        ({"candidate": 3}, "candidate=3"),
        ({"candidate": "CART"}, "is the baseline too"),
        ({"level": 0.5}, r"level=0\.5"),
        ({"level": 1}, "level=1"),
        ({"level": "high"}, "level='high'"),
        ({"missing": "worst"}, "failed run has no number"),
        ({"missing": "ignore"}, "missing='ignore'"),
        ({"measures": ["speed"]}, "speed"),
        ({"rng": -1}, "rng=-1"),
    ],
)
def test_bad_arguments_are_refused(options: dict[str, Any], said: str) -> None:
    asked = {"candidate": "GBM", "baseline": "CART", **options}
    with pytest.raises(bc.BayescompareError, match=said):
        bc.gate(bc.load_example("jansen-uci"), **asked)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="no rows"):
        bc.gate(pd.DataFrame(), candidate="a", baseline="b")
    frame = bc.load_example("jansen-uci").to_frame()
    ordinal = bc.Results.from_frame(frame, measures={"auc": bc.Measure("max", scale="ordinal")})
    with pytest.raises(bc.BayescompareError, match="only an order"):
        bc.gate(ordinal, candidate="GBM", baseline="CART")
    frame.loc[0, "auc"] = np.nan
    gap = bc.Results.from_frame(frame, measures={"auc": "max"})
    one, two = map(str, frame["algorithm"][:2])
    with pytest.raises(bc.BayescompareError, match="missing"):
        bc.gate(gap, candidate=one, baseline=two)
    kept = bc.gate(gap, candidate=one, baseline=two, missing="drop")
    assert kept.answer.n == 15
    assert "dropped" in kept.explain()
