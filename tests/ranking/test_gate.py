"""The gate: verdicts by the rule, mirrors, ropes, few datasets, items, words, files, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

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
    from bayescompare.kernels.ranking.mean_law import mean_above

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
    assert "domains like these 7 domains" in g.explain()
    weighted = bc.Results.from_frame(frame, measures={"m": "max"}, weight="weight")
    weights = 1.0 + np.arange(12) % 3
    h = bc.gate(weighted, **asked)
    assert h.table["difference"].item() == pytest.approx(np.average(advantage, weights=weights))
    assert "of equal weight" in h.explain()


def test_very_many_items_are_drawn_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import bayescompare.ranking.gate_answer as gate_answer

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


# words and files ----------------------------------------------------------------------------------


def test_words_follow_the_verdicts() -> None:
    uci = bc.load_example("jansen-uci").to_frame()
    measures = {"auc": bc.Measure("max", rope=0.02), "brier": "min", "accuracy": "max"}
    results = bc.Results.from_frame(uci, measures=measures)
    g = bc.gate(results, candidate="GLM", baseline="LASSO")
    assert g.headline() == (
        "Undecided: GLM is better on accuracy; not worse on auc; undecided on brier, compared with "
        "LASSO."
    )
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
    with pytest.raises(bc.BayescompareError, match="which way is better"):
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
