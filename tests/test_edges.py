"""Tables at the edge of a rule: one dataset too few, one draw off, a sum that meets its limit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from scipy import stats
from scipy.special import expit, gammaln

import bayescompare as bc
from bayescompare.outcome.words import say
from tests.tables import table

NAN = float("nan")

#: Few draws by NUTS, interpreted: to compile takes longer.
QUICK: dict[str, Any] = {
    "draws": 80,
    "tune": 40,
    "chains": 1,
    "cores": 1,
    "progressbar": False,
    "compile_kwargs": {"mode": "FAST_COMPILE"},
}


@pytest.mark.parametrize("n", [2, 5, 6, 8, 9])
def test_the_median_has_an_interval_from_six_datasets_on(n: int) -> None:
    """All n on one side of the median: 2/2^n, which is .0625 at five and .03125 at six."""
    difference = np.random.default_rng(n).permutation(np.linspace(-1.0, 2.0, n) ** 3)
    values = np.stack([difference, np.zeros(n)], axis=1)[:, :, None]
    effects = bc.compare(table(values)).effects.loc["m0"]
    ordered = np.sort(difference)
    # Of nine the second from either end: 2 (1 + 9)/512 is .039.
    k = {2: None, 5: None, 6: 1, 8: 1, 9: 2}[n]
    ends = (NAN, NAN) if k is None else (ordered[k - 1], ordered[-k])
    assert (effects["median_lower"], effects["median_upper"]) == pytest.approx(ends, nan_ok=True)
    assert effects["median"] == pytest.approx(np.median(difference))
    reach = stats.t.ppf(0.975, n - 1) * difference.std(ddof=1) / math.sqrt(n)
    assert effects["mean_lower"] == pytest.approx(difference.mean() - reach)
    assert effects["mean_upper"] == pytest.approx(difference.mean() + reach)
    assert effects["won"] == pytest.approx((difference > 0).mean())
    assert effects["lost"] == pytest.approx((difference < 0).mean())


# ------------------------------------------------------------------------------------ few datasets


def test_differences_that_only_rounding_puts_beyond_the_rope_are_ties() -> None:
    """0.81 less 0.8 is 0.010000000000000009, and 0.1 + 0.2 is above 0.3."""
    values = np.array([[0.81, 0.8], [0.8, 0.81], [0.1 + 0.2, 0.3], [0.9, 0.5]])[:, :, None]
    effects = bc.compare(table(values, rope=0.01)).effects.loc["m0"]
    assert (effects["won"], effects["lost"]) == (0.25, 0.0)
    plain = bc.compare(table(values[[1, 2, 3]])).effects.loc["m0"]
    assert (plain["won"], plain["lost"]) == pytest.approx((1 / 3, 1 / 3))


# ---------------------------------------------------------------------------------- leave one out


def log_evidence(counts: np.ndarray) -> float:
    """Of a Dirichlet of strength one over as many statements as there are counts."""
    alpha = np.full(len(counts), 1.0 / len(counts))
    whole = gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum())
    return float(whole + (gammaln(alpha + counts) - gammaln(alpha)).sum())


@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")
def test_a_refit_by_the_models_own_likelihood(own: bc.Comparison) -> None:
    """The model of `own` gives a win on each measure the logit 2s, s standard normal."""
    psis = own.loo()
    khat = psis.pareto_k.values
    limit = float(np.unique(khat)[-2:].mean())
    poor = khat > limit
    found = own.loo(refit=True, khat=limit, rng=2, **QUICK)
    names = [name for name, out in zip(own.results.datasets, poor, strict=True) if out]
    assert found.elpd_i.attrs["refitted"] == names
    won = own.results.oriented()[:, 0] > own.results.oriented()[:, 1]
    s = np.linspace(-8.0, 8.0, 4001)
    for name, k in zip(names, np.flatnonzero(poor), strict=True):
        expected = 0.0
        for wins in won.T:
            each = expit(2.0 * s[:, None] * np.where(wins, 1.0, -1.0))
            weight = stats.norm.pdf(s) * np.delete(each, k, axis=1).prod(axis=1)
            expected += math.log(weight @ each[:, k] / weight.sum())
        error = found.elpd_i.attrs["mcse"][name]
        assert 0.0 < error < 0.2
        assert abs(found.elpd_i.values[k] - expected) < 4.0 * error
    np.testing.assert_array_equal(found.elpd_i.values[~poor], psis.elpd_i.values[~poor])
    np.testing.assert_array_equal(found.pareto_k.values, np.where(poor, 0.0, khat))
    assert float(found.elpd) == pytest.approx(found.elpd_i.values.sum())
    # As ArviZ has it.
    spread = np.var(found.elpd_i.values, ddof=1)
    assert float(found.se) == pytest.approx(math.sqrt(len(won) * spread))
    assert float(found.p) == pytest.approx(float(psis.p + psis.elpd - found.elpd))


# ------------------------------------------------------------------------------------------- draws


def alternating(draws: int, chains: int) -> xr.DataTree:
    """A share that is one thing in every second draw: antithetic, so that tails decide.

    The greatest value is in half of the draws, so that no draw is beyond the upper quantile, and
    ArviZ takes such a tail for as many effective draws as there are draws.
    """
    own = np.tile(np.arange(draws) % 2, (chains, 1)).astype(float)
    never = np.zeros((chains, draws))  # constant, which is no fault of the chains
    posterior = xr.Dataset({"share": (("chain", "draw"), own), "never": (("chain", "draw"), never)})
    return xr.DataTree.from_dict({"posterior": posterior})


@pytest.mark.parametrize(("draws", "ok"), [(98, False), (100, True), (102, True)])
def test_a_hundred_effective_draws_for_each_chain_are_enough(draws: int, ok: bool) -> None:
    found = bc.compare(bc.load_example("pnn")).diagnose(alternating(draws, chains=4))
    assert found.figures["least ESS"] == pytest.approx(4 * draws)
    assert found.ok is ok
    assert ("too few effective draws" in found.verdict) is not ok


@pytest.mark.parametrize(("more", "less"), [(0.0, -0.1), (1.0, 1.0)])
def test_one_draw_off_the_simplex_is_refused(more: float, less: float) -> None:
    """Shares that but for a draw now and then are from 0 to 1 and sum to 1."""

    def off_once(results: bc.Results) -> pm.Model:
        with pm.Model(coords={"statement": ["A>B", "B>A"], "dataset": results.datasets}) as model:
            x = pm.Normal("x", 0.0, 1.0)
            share, rare = pm.math.sigmoid(x), abs(x) > 1.5
            theta = pm.math.stack([share + more * rare, 1.0 - share - less * rare])
            pm.Deterministic("theta", theta, dims="statement")
            pm.Normal("seen", x, 10.0, observed=np.zeros(len(results.datasets)), dims="dataset")
        return model

    with pytest.raises(bc.BayescompareError, match="theta is off the simplex"):
        bc.compare(table(np.arange(6.0).reshape(3, 2, 1)), method=off_once, rng=1, sampler=QUICK)


@pytest.mark.parametrize("more", [1, 2])
def test_a_plan_that_just_reaches_its_threshold_settles(more: int) -> None:
    """Three wins of three: all further ones are wins with Pólya's probability, 3.5/4 · 4.5/5."""
    won = np.tile([1.0, 0.0], (3, 1))[:, :, None]
    c = bc.compare(table(won))
    further = bc.compare(table(np.tile([1.0, 0.0], (3 + more, 1))[:, :, None]))
    threshold = float(further.probability.sel(statement="A>B"))
    plan = c.plan([more], threshold=threshold, simulations=400, rng=1).loc[more]
    expected = math.prod((3.5 + k) / (4.0 + k) for k in range(more))
    assert plan["settled"] == plan["settled_on_best"]
    assert plan["settled"] == pytest.approx(expected, abs=4 * plan["mcse"])
    above = c.plan([more], threshold=float(np.nextafter(threshold, 1.0)), simulations=50, rng=1)
    assert above["settled"].item() == 0.0


def test_intervals_from_draws_are_the_same_unless_a_seed_is_given() -> None:
    values = np.array([[1.0, 0.2], [0.8, 0.3], [0.1, 0.4]])[:, :, None]
    c = bc.compare(table(values), method=bc.methods.SignedRank(draws=500), rng=0)
    usual = c.intervals()
    assert not usual.attrs["exact"]
    assert usual.equals(c.intervals())
    assert not usual.equals(c.intervals(rng=1))
    assert c.intervals(rng=1).equals(c.intervals(rng=1))
    assert not c.intervals(rng=2).equals(c.intervals(rng=1))


def test_what_no_change_of_the_data_would_turn_is_not_said_to_turn() -> None:
    """A prior of a thousand wins: if every dataset said the opposite, it would still be settled."""
    won = np.tile([1.0, 0.0], (3, 1))[:, :, None]
    method = bc.methods.Dirichlet(prior={"A>B": 1000.0, "B>A": 1.0})
    assert "would have to turn" not in bc.compare(table(won), method=method).explain()
    assert "would have to turn" in bc.compare(table(np.tile(won, (3, 1, 1)))).explain()


def test_a_bridge_over_several_parameters(own: bc.Comparison) -> None:
    """The evidence of `own`, summed over a grid; a normal that nothing depends on adds nothing."""
    won = own.results.oriented()[:, 0] > own.results.oriented()[:, 1]
    s = np.linspace(-8.0, 8.0, 4001)
    expected = 0.0
    for wins in won.T:
        each = expit(2.0 * s[:, None] * np.where(wins, 1.0, -1.0)).prod(axis=1)
        expected += math.log(stats.norm.pdf(s) @ each * (s[1] - s[0]))
    edited = own.model()
    with edited:
        pm.Normal("idle", 0.0, 1.0)
    found = own.estimate_evidence(model=edited, rng=3, **{**QUICK, "draws": 100})
    assert 0.0 < found.se < 0.1
    assert abs(found.log_evidence - expected) < 4.0 * found.se


# ----------------------------------------------------------------------------------------- ranking


@pytest.mark.parametrize("seed", range(3))
def test_a_top_set_whose_shares_sum_to_the_level_is_large_enough(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(7, 4, 1)) + 0.2 * np.arange(4)[:, None]
    results = table(values)
    r = bc.rank(results, draws=200, rng=0)
    shares = r.overall["p_best"].sort_values(ascending=False, kind="stable")
    sums = np.cumsum(np.rint(shares.to_numpy() * 1200)) / 1200
    assert np.ptp(shares) > 0
    # The set is taken at half the way from the level to one.
    levels = [(k, 2.0 * float(s) - 1.0) for k, s in enumerate(sums, start=1) if 0.75 <= s < 0.999]
    assert levels
    for k, level in levels:
        assert bc.rank(results, draws=200, rng=0, level=level).top == tuple(shares.index[:k])
        above = bc.rank(results, draws=200, rng=0, level=min(level + 0.001, 0.9999))
        assert len(above.top) > k


def test_the_front_and_those_off_it_begin_at_the_level() -> None:
    values = np.random.default_rng(1).normal(size=(7, 5, 2)) + 0.5 * np.arange(5)[:, None]
    results = table(values)
    p = bc.rank(results, draws=200, rng=0).front["p_front"]
    tried = 0
    for share in p.unique():
        level = max(share, 1.0 - share)
        if not 0.5 < level < 1.0:
            continue
        tried += 1
        state = bc.rank(results, draws=200, rng=0, level=level).front["state"]
        for name, own in p.items():
            expected = "front" if own >= level else "dominated" if own <= 1.0 - level else "open"
            assert state[name] == expected, (name, own, level)
    assert tried > 1


def test_a_utility_within_narrow_bounds_is_drawn_from_them() -> None:
    """One in a thousand of the weights that sum to one lies within these bounds."""
    values = np.random.default_rng(2).normal(size=(6, 3, 5))
    narrow = (0.2, 0.215)
    bounds = {"m0": narrow, "m1": narrow, "m2": narrow, "m3": (0.0, 1.0), "m4": (0.0, 1.0)}
    r = bc.rank(table(values), utility=bounds, draws=100, rng=0)
    assert r.overall["p_best"].sum() == pytest.approx(1.0)
    with pytest.raises(bc.BayescompareError, match="next to none"):
        bc.rank(table(values), utility=dict.fromkeys(bounds, (0.3, 0.4)), draws=100, rng=0)


def test_the_end_of_a_weight_that_is_refused_is_named() -> None:
    measures = {"auc": "max", "time": "min"}
    results = table(np.random.default_rng(2).normal(size=(6, 3, 2)), measures=measures)
    with pytest.raises(bc.BayescompareError, match=r"'auc' has the weight .0\.25"):
        bc.rank(results, utility={"auc": (-0.25, 1.0), "time": 1.0})
    with pytest.raises(bc.BayescompareError, match=r"'time' has the weight 0\.5;"):
        bc.rank(results, by="value", utility={"auc": 1.0, "time": (-1.0, 0.5)})


@pytest.mark.parametrize("rope", [None, 0.3])
def test_a_gate_opens_at_the_level_itself(rope: float | None) -> None:
    difference = np.random.default_rng(5).normal(0.05, 0.3, 9)
    values = np.stack([difference, np.zeros(9)], axis=1)[:, :, None]
    results = table(values, rope=rope)

    def asked(level: float) -> bc.Gate:
        return bc.gate(results, candidate="A", baseline="B", level=level, rng=0)

    row = asked(0.95).table.loc["m0"]
    for column, verdict in (("p_better", "superior"), ("p_not_worse", "not worse")):
        level = float(row[column])
        if rope is None and column == "p_not_worse":
            continue
        assert 0.5 < level < 1.0
        assert asked(level).table.loc["m0", "verdict"] == verdict
        assert asked(level).passed is True
        assert asked(float(np.nextafter(level, 1.0))).table.loc["m0", "verdict"] != verdict


def test_four_datasets_have_places_alone() -> None:
    results = table(np.random.default_rng(3).normal(size=(4, 3, 2)))
    one = bc.rank(results, measures=["m0"], rng=0).overall
    assert one.drop(columns="place").isna().all(axis=None)
    assert "share" not in one
    assert "share" in bc.rank(results, utility="unknown", draws=100, rng=0).overall
    assert bc.rank(results, measures=["m0"], rng=0).top == results.algorithms
    five = table(np.random.default_rng(3).normal(size=(5, 3, 1)))
    assert bc.rank(five, draws=100, rng=0).overall.notna().all(axis=None)


@pytest.mark.parametrize("level", [0.49, 1.0])
def test_a_ranking_has_a_level_from_a_half_to_below_one(level: float) -> None:
    results = table(np.random.default_rng(3).normal(size=(5, 3, 1)))
    assert bc.rank(results, level=0.5, draws=100, rng=0).top
    with pytest.raises(bc.BayescompareError, match=f"level={level}"):
        bc.rank(results, level=level, draws=100, rng=0)


@pytest.mark.parametrize("place", [0.5, 3.5])
def test_a_saved_place_lies_among_the_algorithms(place: float, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    document = json.loads(
        bc.rank(table(np.random.default_rng(3).normal(size=(5, 3, 1))), draws=100, rng=0).to_json()
    )
    path.write_text(json.dumps(document), encoding="utf-8")
    assert bc.load_ranking(path).places["place"].max() == 3.0
    document["measures"]["m0"]["place"][1] = place
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(bc.BayescompareError, match="must lie between 1 and 3"):
        bc.load_ranking(path)


# ------------------------------------------------------------------------------ small whole numbers


def test_predictions_in_eight_bits_count_beyond_them() -> None:
    """Of 300 examples A gets 200 wrong that B gets right: more than an int8 can hold."""
    correct = {"A": [0] * 200 + [1] * 100, "B": [1] * 290 + [0] * 10}
    frame = pd.DataFrame(
        [("d", k, name, own[k]) for name, own in correct.items() for k in range(300)],
        columns=["dataset", "example", "algorithm", "correct"],
    )
    frame["y"] = (frame["example"] % 3 - 1).astype("int8")
    frame["guess"] = np.where(frame["correct"] == 1, frame["y"], frame["y"] + 1).astype("int8")
    for dtype in ("int8", "uint8", "int64"):
        counts = bc.ErrorCounts.from_predictions(
            frame.astype({"correct": dtype}), correct="correct"
        )
        assert [one.tolist() for one in counts.pair("A", "B")] == [[200.0], [10.0]]
        assert counts.counts["wrong"].values.tolist() == [[200.0, 10.0]]
        assert counts.counts["n"].values.tolist() == [300.0]
        assert counts.values()[0, :, 0].tolist() == pytest.approx([200 / 300, 10 / 300])
    by_label = bc.ErrorCounts.from_predictions(frame, y_true="y", y_pred="guess")
    assert [one.tolist() for one in by_label.pair("A", "B")] == [[200.0], [10.0]]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_items_in_eight_bits_are_right_or_wrong(dtype: str) -> None:
    right = np.zeros((2, 300), dtype=int)
    right[0, :200], right[1, 100:250] = 1, 1
    frame = pd.DataFrame(
        [("d", "AB"[j], str(k), right[j, k]) for j in range(2) for k in range(300)],
        columns=["dataset", "algorithm", "item", "right"],
    ).astype({"right": dtype})
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", measures={"right": "max"}
    )
    c = bc.compare(results, method="replicated", rng=0)
    # A alone is right on the first 100, B alone on 50 others.
    expected = 1.0 - stats.beta.cdf(0.5, 101, 51)
    assert c.probability.sel(statement="A>B").item() == pytest.approx(expected, abs=1e-9)


# --------------------------------------------------------------------------------------- replicates


def test_datasets_with_other_numbers_of_folds_have_their_own_correlation() -> None:
    """P(mean > 0) by a Student-t of k - 1 degrees of freedom with rho = 1/k, k of each dataset."""
    rng = np.random.default_rng(4)
    folds = {"a": 3, "b": 5, "c": 10}
    difference = {name: rng.normal(0.5, 1.0, k) for name, k in folds.items()}
    rows = [
        (name, algorithm, k, value if algorithm == "A" else 0.0)
        for name, own in difference.items()
        for algorithm in "AB"
        for k, value in enumerate(own)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    results = bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
    c: Any = bc.compare(results, method="correlated-t")
    for name, own in difference.items():
        k = len(own)
        rho = 1.0 / k
        scale = math.sqrt((1.0 / k + rho / (1.0 - rho)) * own.var(ddof=1))
        expected = stats.t.cdf(own.mean() / scale, k - 1)
        assert c.per_dataset["probability"][name] == pytest.approx(expected, abs=1e-12)
    means = {name: float(own.mean()) for name, own in difference.items()}
    assert c.effects["mean"].item() == pytest.approx(np.mean(list(means.values())))
    flat: Any = bc.compare(results, method=bc.methods.Replicated(effects="flat"), rng=0)
    for name in folds:
        assert flat.evidence.sel(dataset=name, statement="A>B").item() == pytest.approx(
            c.per_dataset["probability"][name], abs=1e-9
        )


def test_a_fold_that_one_lacks_is_left_out_for_its_pairs_alone() -> None:
    """C lacks the fold on which A fails: A and B are compared with it, A and C without."""
    scores = {"A": [0.0, 0.8, 0.9], "B": [0.5, 0.6, 0.7], "C": [NAN, 0.4, 0.5]}
    frame = pd.DataFrame(
        [(d, a, k, v) for d in "ab" for a, own in scores.items() for k, v in enumerate(own)],
        columns=["dataset", "algorithm", "fold", "auc"],
    )
    results = bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
    effects = bc.pairwise(results, n_jobs=1).effects.set_index(["first", "second"])["mean"]
    assert effects.to_dict() == pytest.approx(
        {("A", "B"): 1.7 / 3 - 0.6, ("A", "C"): 0.85 - 0.45, ("B", "C"): 0.65 - 0.45}
    )
    three = bc.compare(results)
    assert three.best == "A>B>C"


@pytest.mark.parametrize("keep_items", [True, False])
def test_two_algorithms_are_compared_on_the_items_that_both_have(keep_items: bool) -> None:
    """A alone has the last items, on which it does well, whether items or statistics are kept."""
    scores = {"A": [1.0, 2.0, 4.0, 9.0, 9.5], "B": [2.0, 2.5, 3.0], "C": [0.0, 1.0, 0.5, 2.0, 1.5]}
    rows = [
        (d, a, str(k), v + shift)
        for shift, d in ((0.0, "d0"), (0.25, "d1"))
        for a, own in scores.items()
        for k, v in enumerate(own)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "score"])
    results = bc.Results.from_frame(
        frame,
        replicate="item",
        replicates="items",
        measures={"score": "max"},
        keep_items=keep_items,
    )
    method = bc.methods.Replicated(effects="flat")
    for first, second, expected in (("A", "B", 7 / 3 - 2.5), ("A", "C", 5.1 - 1.0)):
        c = bc.compare(results, algorithms=[first, second], method=method, rng=0)
        assert c.effects["mean"].item() == pytest.approx(expected)
        assert c.best == (f"{first}>{second}" if expected > 0 else f"{second}>{first}")


# -------------------------------------------------------------------------------------- failed runs


@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_a_failed_run_loses_to_zero_where_all_values_are_zero(direction: Any, rope: float) -> None:
    values = np.zeros((6, 2, 1))
    values[0, 0] = values[1, 0] = values[2, 0] = values[3, 1] = NAN
    values[4] = NAN
    measures = {"m": bc.Measure(direction, rope=rope)}
    c = bc.compare(table(values, measures=measures), missing="worst")
    counts = dict(
        zip(c.probability["statement"].values, c.probability["count"].values, strict=True)
    )
    assert counts == {"A>B": 1.0, "A=B": 2.0, "B>A": 3.0}
    assert c.best == "B>A"


@pytest.mark.parametrize("direction", ["max", "min"])
def test_a_failed_run_loses_to_the_worst_value_however_far_out(direction: Any) -> None:
    """The numbers reach from one to a million on the bad side of zero."""
    sign = -1.0 if direction == "max" else 1.0
    values = sign * np.array([[NAN, 1e6], [NAN, 1.0], [2.0, NAN], [3.0, 4.0]])[:, :, None]
    c = bc.compare(table(values, measures={"m": direction}), missing="worst")
    assert c.probability["count"].sel(statement=["A>B", "B>A"]).values.tolist() == [2.0, 2.0]
    places = bc.rank(table(values, measures={"m": direction}), missing="worst", rng=0).places
    assert places["mean"].tolist() == pytest.approx([1.5, 1.5])


def test_failed_runs_take_the_last_places_where_all_values_are_zero() -> None:
    values = np.zeros((6, 3, 1))
    values[:, 2] = NAN
    r = bc.rank(table(values), missing="worst", draws=100, rng=0)
    assert r.overall["place"].to_dict() == {"A": 1.5, "B": 1.5, "C": 3.0}
    assert r.overall["p_best"].to_dict() == pytest.approx({"A": 0.5, "B": 0.5, "C": 0.0}, abs=0.15)


# ------------------------------------------------------------------------------------------ columns


def test_columns_of_a_measure_that_was_not_declared_are_no_algorithms() -> None:
    frame = pd.DataFrame(
        [("a", 0.9, 0.8, 3.0, 1.0), ("b", 0.7, 0.6, 2.0, 2.0)],
        columns=["dataset", "svm_accuracy", "forest_accuracy", "svm_time", "forest_time"],
    )
    with pytest.raises(bc.BayescompareError, match=r"'accuracy' and 'time'.*add the other one"):
        bc.compare(frame, measures={"accuracy": "max"})
    both = bc.compare(frame, measures={"accuracy": "max", "time": "min"})
    assert both.results.algorithms == ("svm", "forest")


def test_a_simulated_table_keeps_its_truth_while_it_asks_the_same(
    example1: bc.Comparison,
) -> None:
    simulated = example1.simulate(rng=0)
    assert simulated.truth is not None
    kept = simulated.sel(datasets=simulated.datasets[:3]).truth
    assert kept is not None
    assert kept.identical(simulated.truth)
    assert simulated.sel(measures=["time"]).truth is None
    assert simulated.sel(algorithms=["B", "A"]).truth is None


# -------------------------------------------------------------------------------------------- files


def test_figures_say_whether_they_are_exact(example1: bc.Comparison) -> None:
    assert example1.probability.attrs["exactness"] == "exact"
    one = bc.compare(example1.results, method="signed-rank", measures=["accuracy"], rng=0)
    assert "Monte Carlo" in one.probability.attrs["exactness"]


def test_a_posterior_with_a_flag_among_its_attributes_is_saved(
    own: bc.Comparison, tmp_path: Path
) -> None:
    """NetCDF knows neither True nor None, and a user may note either."""
    attrs = own.tree["posterior"].attrs
    attrs.update(looked_at=np.True_, why=None)
    try:
        own.to_netcdf(tmp_path / "c.nc")
    finally:
        del attrs["looked_at"], attrs["why"]
    found = bc.load_comparison(tmp_path / "c.nc").tree["posterior"].attrs
    assert found["looked_at"] == 1
    assert "why" not in found


# --------------------------------------------------------------------------- words at their border


@pytest.mark.parametrize("ropes", [(None, None), (0.1, None), (0.1, 0.1)])
def test_a_rope_is_advised_where_no_measure_has_one(ropes: tuple[float | None, ...]) -> None:
    values = np.random.default_rng(2).normal(size=(8, 3, 2))
    measures = {f"m{j}": bc.Measure("max", rope=rope) for j, rope in enumerate(ropes)}
    said = bc.pairwise(table(values, measures=measures), n_jobs=1).explain()
    assert (say("rope") in said) is (ropes == (None, None))


def test_how_many_pairs_are_ahead_is_counted_from_the_level_on() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=(12, 4, 2)) + np.array([0.0, 0.4, 1.5, 3.0])[:, None]
    results = table(values)
    ahead = bc.rank(results, draws=200, rng=0).ahead.values
    # A level that one pair has exactly.
    level = float(np.sort(ahead[np.isfinite(ahead) & (ahead > 0.5) & (ahead < 1.0)])[0])
    said = bc.rank(results, draws=200, rng=0, level=level).explain()
    assert f"in {np.sum(ahead >= level)} of 6 pairs" in said


@pytest.mark.parametrize("domains", [3, 4])
def test_three_domains_say_little_of_how_domains_vary(domains: int) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": f"{a}{i}", "algorithm": name, "group": f"g{i % domains}", "acc": rng.normal()}
        for a in "xy"
        for i in range(domains)
        for name in "AB"
    ]
    results = bc.Results.from_frame(pd.DataFrame(rows), measures={"acc": "max"}, group="group")
    c = bc.compare(results, sampler=QUICK, rng=0)
    assert any("there are only" in note for note in c.results.notes) is (domains < 4)


def test_a_gate_by_draws_that_all_agree_has_an_error() -> None:
    """Laplace's rule: 50,000 of 50,000 draws above zero are (R + 1)/(R + 2) of them."""
    difference = np.random.default_rng(1).normal(2.0, 0.1, 501)
    values = np.stack([difference, np.zeros(501)], axis=1)[:, :, None]
    g = bc.gate(table(values), candidate="A", baseline="B", rng=0)
    assert g.table.loc["m0", "p_better"] == 1.0
    p = 50_001 / 50_002
    assert json.loads(g.to_json())["mcse"] == pytest.approx(
        math.sqrt(p * (1.0 - p) / 50_000), rel=1e-12
    )
