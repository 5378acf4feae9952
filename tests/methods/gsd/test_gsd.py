"""Generalised stochastic dominance as users see it: order, tests, robustness, bootstrap, words.

What is not from the paper is checked against `tests.oracles.gsd`: every row of the definition, one
cold LP each, on small tables of integers.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.kernels.gsd.system import build_system
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.methods.gsd.comparison import GsdComparison
from bayescompare.studies import DOMINANCES, false_alarms, simulated_classifiers
from bayescompare.text.numbers import pvalue_equation, statistic
from tests.oracles import gsd as oracle
from tests.tables import table

M = bc.Measure
NAMES = ("BDS", "CART", "EN", "GBM", "GLM", "LASSO", "RF", "RIDGE")

#: The paper, Section 6.2: what δ = 0 leaves incomparable.
APART = {
    ("BDS", "RF"),
    ("EN", "LASSO"),
    ("GLM", "RIDGE"),
    ("EN", "GLM"),
    ("GLM", "LASSO"),
    ("LASSO", "RIDGE"),
    ("EN", "RIDGE"),
}

#: Scales, directions and bounds; values are whole numbers from 0 to 4.
KINDS: dict[str, dict[str, bc.Measure]] = {
    "metric": {"a": M("max", bounds=(0, 5)), "b": M("max", bounds=(-1, 4))},
    "min": {"a": M("min", bounds=(0, 5)), "b": M("max", bounds=(0, 5))},
    "ordinal": {
        "a": M("max", bounds=(0, 5), scale="ordinal"),
        "b": M("min", bounds=(0, 5), scale="ordinal"),
    },
    "mixed": {"a": M("max", bounds=(0, 5)), "b": M("min", bounds=(0, 5), scale="ordinal")},
    "half-open": {"a": M("min", bounds=(0, None)), "b": M("max", bounds=(None, 6))},
    "no bounds": {"a": M("max"), "b": M("min")},
    "ordinal, no bounds": {"a": M("max", scale="ordinal"), "b": M("min", scale="ordinal")},
    "mixed, no bounds": {"a": M("min"), "b": M("max", scale="ordinal")},
    "one metric": {"a": M("min", bounds=(0, None))},
}


def ask(results: bc.Results, method: Any = "gsd", **how: Any) -> GsdComparison:
    c = bc.compare(results, method=method, **how)
    assert isinstance(c, GsdComparison)
    return c


def made(kind: str, seed: int, *, datasets: int = 4, algorithms: int = 2) -> bc.Results:
    spec, rng = KINDS[kind], np.random.default_rng(seed)
    while True:
        values = rng.integers(0, 5, (datasets, algorithms, len(spec)))
        # Nothing constant, in no pair: what that does is tested by itself.
        if all(
            np.ptp(values[:, pair], axis=(0, 1)).all()
            for pair in itertools.combinations(range(algorithms), 2)
        ):
            return table(values, measures=dict(spec))


class Naive:
    """Two algorithms' preference system written out, and what can be asked of it."""

    def __init__(self, results: bc.Results, first: str, second: str, rule: str = "interval"):
        spec = [results[name] for name in results.measures]
        sign = np.array([1 if m.direction == "max" else -1 for m in spec])
        cells = results.data.to_array().transpose("dataset", "algorithm", "variable")
        x, y = (
            np.rint(cells.sel(algorithm=name).values * sign).astype(int) for name in (first, second)
        )
        both = np.vstack([x, y])
        low, high = both.min(axis=0), both.max(axis=0)
        for j, m in enumerate(spec):
            for end, bound in zip(
                ("low", "high") if m.direction == "max" else ("high", "low"),
                m.bounds or (None, None),
                strict=True,
            ):
                if bound is not None:
                    (low if end == "low" else high)[j] = round(sign[j] * bound)
        self.x, self.y = x, y
        metric = np.array([m.scale == "metric" for m in spec])
        self.rows = oracle.naive_rows(x, y, low, high, metric, rule)

    def largest(self) -> float:
        return oracle.largest_delta(self.rows)

    def opt(self, x: np.ndarray, y: np.ndarray, delta: float) -> float:
        w = oracle.objective(self.rows.points, x, y)
        return oracle.solve_rows(self.rows, w, delta)[0]

    def both(self, delta: float) -> tuple[float, float]:
        return self.opt(self.x, self.y, delta), self.opt(self.y, self.x, delta)

    def weighted(self, weights: np.ndarray, delta: float) -> tuple[float, float]:
        number = {tuple(row): i for i, row in enumerate(self.rows.points.tolist())}
        w = np.zeros(len(self.rows.points))
        for x, y, p in zip(self.x.tolist(), self.y.tolist(), weights, strict=True):
            w[number[tuple(x)]] += p
            w[number[tuple(y)]] -= p
        return tuple(oracle.solve_rows(self.rows, sign * w, delta)[0] for sign in (1, -1))

    def resampled(self, scheme: str, delta: float) -> np.ndarray:
        """opt of the first over the second, of every resample there is."""
        s, found = len(self.x), []
        if scheme == "paired":
            for swap in itertools.product((False, True), repeat=s):
                kept = np.array(swap)[:, None]
                found.append((np.where(kept, self.y, self.x), np.where(kept, self.x, self.y)))
        else:
            pool = np.vstack([self.x, self.y])
            for chosen in itertools.combinations(range(2 * s), s):
                rest = [k for k in range(2 * s) if k not in chosen]
                found.append((pool[list(chosen)], pool[rest]))
        return np.array([self.opt(x, y, delta) for x, y in found])


# ----------------------------------------------------------------------------------- the published


@pytest.fixture(scope="module")
def uci() -> bc.Results:
    return bc.load_example("jansen-uci")


@pytest.fixture(scope="module")
def uci_ordinal(uci: bc.Results) -> bc.Results:
    spec = {m: M(uci[m].direction, scale="ordinal", bounds=uci[m].bounds) for m in uci.measures}
    return bc.Results(uci.data, spec)


@pytest.fixture(scope="module")
def whole(uci: bc.Results) -> GsdComparison:
    return ask(uci, GSD(delta=0))


@pytest.fixture(scope="module")
def everything(uci: bc.Results) -> bc.pairs.Pairwise:
    return bc.pairwise(uci, method=GSD(permutations=1000), rng=1, n_jobs=1)


def test_figure_5_at_delta_0(whole: GsdComparison) -> None:
    held = whole.relation
    assert held.dims == ("algorithm", "opponent")
    assert held.dtype == bool
    assert held["algorithm"].values.tolist() == list(NAMES)
    assert np.diag(held.values).all()
    assert int(held.sum()) - 8 == 21
    assert set(whole.incomparable) == APART
    middle = ("EN", "GLM", "LASSO", "RIDGE")
    expected = {("GBM", "BDS"), ("GBM", "RF")}
    expected |= {(top, low) for top in ("BDS", "RF") for low in middle}
    expected |= {(low, "CART") for low in middle}
    graph = whole.order()
    assert set(graph.edges) == expected
    assert set(graph.nodes) == set(NAMES)
    assert set(graph.graph["incomparable"]) == APART
    assert whole.front == ("GBM",)
    assert whole.best == "GBM"


def test_figure_5_as_delta_grows(whole: GsdComparison) -> None:
    # δ = 0.004 makes RIDGE dominate EN and LASSO, and GLM none of the three yet; δ_max does.
    at = whole.relation_at(0.004)
    for loser in ("EN", "LASSO"):
        assert at.sel(algorithm="RIDGE", opponent=loser)
    for loser in ("EN", "LASSO", "RIDGE"):
        assert not at.sel(algorithm="GLM", opponent=loser)
        assert whole.relation_at(0.0077).sel(algorithm="GLM", opponent=loser)
    # The paper's footnote 10: the orders of δ = 0 and of 1e-5 coincide.
    assert (whole.relation_at(1e-5) == whole.relation).all()


def test_figure_6_all_ordinal(uci_ordinal: bc.Results) -> None:
    c = ask(uci_ordinal, GSD(delta=0))
    held = c.relation.values & ~np.eye(8, dtype=bool)
    found = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(held)}
    assert found == {("BDS", "CART"), ("GBM", "CART")}
    assert set(c.order().edges) == found
    assert len(c.incomparable) == 26
    # RF and GBM are incomparable whatever δ, and neither is below any other.
    for first, second in (("RF", "GBM"), ("GBM", "RF")):
        assert np.isinf(c.thresholds.sel(algorithm=first, opponent=second))
    assert (
        not c.relation_at(0.06).sel(opponent=["RF", "GBM"]).drop_sel(algorithm=["RF", "GBM"]).any()
    )


def test_delta_max_of_the_bundled_table(whole: GsdComparison) -> None:
    largest = whole.delta_max.values
    assert np.isnan(np.diag(largest)).all()
    assert (np.tril(largest, -1) == np.triu(largest, 1).T).all()
    assert np.nanmax(largest) == pytest.approx(0.0066, abs=5e-5)
    assert np.nanmin(largest) == pytest.approx(0.0024, abs=5e-5)


#: Published and obtained share strictly below, δ = 1e-5, N = 1000 (obtained with rng=1, and with
#: 20,000 resamples): those of 1.000 come out as such. The paper had unrounded data.
TABLE_3 = [
    ("BDS", "CART", 1.000),
    ("EN", "CART", 0.998),
    ("GBM", "BDS", 0.998),
    ("GBM", "CART", 1.000),
    ("GBM", "EN", 0.998),  # obtained 0.990 to 0.995
    ("GBM", "RIDGE", 0.997),
    ("LASSO", "CART", 0.997),
    ("BDS", "EN", 0.976),  # obtained 0.97
    ("BDS", "RIDGE", 0.951),  # obtained 0.944 to 0.95
    ("RF", "EN", 0.953),  # obtained 0.934 to 0.94
]


#: All cells that the paper prints: the others were below 0.95.
PRINTED = {(winner, loser) for winner, loser, _ in TABLE_3} | {
    ("BDS", "LASSO"),
    ("GBM", "LASSO"),
    ("GLM", "CART"),
    ("RF", "CART"),
    ("RIDGE", "CART"),
}


@pytest.mark.parametrize(("winner", "loser", "published"), TABLE_3)
def test_table_3(everything: bc.pairs.Pairwise, winner: str, loser: str, published: float) -> None:
    c = everything[winner, loser]
    assert c.best == f"{winner}>{loser}"
    obtained = c.share_below
    # Two Monte Carlo errors of N = 1000, and 0.005 for data rounded to three digits.
    p = min(published, 0.999)
    room = 4 * math.sqrt(2 * p * (1 - p) / 1000) + 0.005
    assert obtained == pytest.approx(published, abs=room), f"{published} / {obtained}"


def test_table_3_has_its_empty_cells(everything: bc.pairs.Pairwise) -> None:
    found = set()
    for c in everything.comparisons:
        for k, label in enumerate(c.answer.labels):
            if c.answer.extra["share_below"][k] >= 0.95:
                found.add(tuple(label.split(">")))
    # SPEC 6: all but RF > EN (0.94), and one extra; two printed ones are within 0.01 of the line.
    near = {("RF", "EN"), ("BDS", "RIDGE"), ("BDS", "LASSO")}
    assert PRINTED - found <= near
    assert len(found - PRINTED) <= 2


def test_nothing_is_significant_after_correction_at_delta_0(uci: bc.Results) -> None:
    # The paper: "under any correction procedure no significant ordering structure".
    some = ["GBM", "BDS", "CART"]
    p = bc.pairwise(uci, method=GSD(delta=0, permutations=999), algorithms=some, rng=1, n_jobs=1)
    assert not p.decide()["asserted"].any()


# ------------------------------------------------------------------------- against the definition


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_the_relation_is_that_of_the_definition(kind: str, seed: int) -> None:
    results = made(kind, seed, algorithms=3)
    system = {pair: Naive(results, *pair) for pair in itertools.combinations("ABC", 2)}
    limit = {pair: naive.largest() for pair, naive in system.items()}
    for choices in ({"delta": 0}, {"delta": 0.01}, {"epsilon": 0.5}):
        c = ask(results, GSD(**choices))
        for first, second in system:
            naive, largest = system[first, second], limit[first, second]
            assert float(c.delta_max.sel(algorithm=first, opponent=second)) == pytest.approx(
                largest, abs=1e-8
            )
            delta = choices.get("epsilon", 0) * largest + choices.get("delta", 0)
            expected = naive.both(min(delta, largest))
            row = c.summary().loc[f"{first}, {second}"]
            found = row["opt first over second"], row["opt second over first"]
            assert found == pytest.approx(expected, abs=1e-8)
            assert [
                bool(c.relation.sel(algorithm=a, opponent=b))
                for a, b in ((first, second), (second, first))
            ] == [e >= -1e-9 for e in expected]
            alone = ask(results, GSD(**choices), algorithms=[first, second])
            assert alone.delta_max == pytest.approx(largest, abs=1e-8)
            assert alone.summary().loc[f"{first}>{second}", "opt"] == pytest.approx(
                expected[0], abs=1e-8
            )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule", ["interval", "jansen2022"])
def test_both_rules_of_mixed_scales(rule: Any, seed: int) -> None:
    results = made("mixed", seed, datasets=5)
    naive = Naive(results, "A", "B", rule)
    for delta in (0, 0.02):
        c = ask(results, GSD(delta=delta, rule=rule))
        assert c.delta_max == pytest.approx(naive.largest(), abs=1e-8)
        expected = naive.both(min(delta, naive.largest()))
        assert c.summary().loc[["A>B", "B>A"], "opt"].tolist() == pytest.approx(expected, abs=1e-8)
        if rule == "interval":
            default = ask(results, GSD(delta=delta))
            assert default.summary().equals(c.summary())


def test_the_rules_differ_only_where_scales_are_mixed() -> None:
    for kind in ("metric", "ordinal"):
        results = made(kind, 3, datasets=5)
        one, two = (ask(results, GSD(rule=rule)).summary() for rule in ("interval", "jansen2022"))
        pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed", "no bounds"])
def test_thresholds_are_where_the_definition_puts_them(kind: str) -> None:
    checked = 0
    for seed in range(6):
        results = made(kind, 100 + seed)
        naive = Naive(results, "A", "B")
        largest = naive.largest()
        c = ask(results, GSD(delta=0))
        for k, (first, second) in enumerate((("A", "B"), ("B", "A"))):
            at = float(c.thresholds.sel(algorithm=first, opponent=second))
            if at == 0:
                assert naive.both(0.0)[k] >= -1e-9
            elif math.isinf(at):
                assert naive.both(largest * (1 - 1e-7))[k] < 0
                assert not c.relation_at(0.999).sel(algorithm=first, opponent=second)
            else:
                checked += 1
                assert naive.both(at - 1e-6)[k] < 0
                if at + 1e-6 < largest:
                    assert naive.both(at + 1e-6)[k] > 0
                for delta, expected in ((at - 1e-6, False), (at, True), (0.999, True)):
                    held = c.relation_at(delta).sel(algorithm=first, opponent=second)
                    assert bool(held) is expected
    assert checked


def test_thresholds_against_bisection_on_the_bundled_table(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=pair)
    low, high = 0.0, c.delta_max
    for _ in range(18):
        middle = (low + high) / 2
        d = ask(uci, GSD(delta=middle, permutations=1), algorithms=pair)
        low, high = (low, middle) if d.relation.values[0, 1] else (middle, high)
    assert float(c.thresholds[0, 1]) == pytest.approx(high, abs=2 * (high - low))
    assert np.isinf(c.thresholds[1, 0])
    assert np.isnan(np.diag(c.thresholds.values)).all()


def test_relation_at_is_what_another_delta_gives(uci: bc.Results, whole: GsdComparison) -> None:
    some = ["GLM", "RIDGE", "EN"]
    c = ask(uci, GSD(delta=0), algorithms=some)
    for delta in (0.0, 0.0021, 0.003, 0.0065, 0.5):
        again = ask(uci, GSD(delta=delta), algorithms=some)
        assert (c.relation_at(delta) == again.relation).all()
        assert (again.relation_at(0.0) == c.relation).all()
        assert (whole.relation_at(delta).sel(algorithm=some, opponent=some) == again.relation).all()


def test_the_order_only_grows(whole: GsdComparison) -> None:
    before = whole.relation_at(0.0).values
    for delta in np.linspace(0.0005, 0.008, 12):
        after = whole.relation_at(float(delta)).values
        assert (after >= before).all()
        before = after


# ------------------------------------------------------------------------------------- the p-value


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", ["metric", "min", "ordinal", "mixed", "no bounds"])
def test_enumeration_is_brute_force(kind: str, scheme: Any) -> None:
    for seed in range(2):
        results = made(kind, 20 + seed, datasets=4 if scheme == "paired" else 3)
        naive = Naive(results, "A", "B")
        for delta in (0, 0.01):
            used = min(delta, naive.largest())
            c = ask(results, GSD(delta=delta, scheme=scheme))
            optima, summary = naive.resampled(scheme, used), c.summary()
            for label, observed in zip(("A>B", "B>A"), naive.both(used), strict=True):
                # The mirror image of every resample is a resample.
                below = (optima < observed - 1e-8).mean()
                assert summary.loc[label, "share_below"] == pytest.approx(below, abs=1e-12)
                assert summary.loc[label, "pvalue"] == pytest.approx(1 - below, abs=1e-12)
            assert c.pvalue == min(1.0, 2 * summary["pvalue"].min())
            assert c.statistic == summary.loc[c.best, "opt"]
            assert c.share_below == summary.loc[c.best, "share_below"]
            assert c.answer.details["enumerated"]


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_sampled_p_values_count_the_data_themselves(uci: bc.Results, scheme: Any) -> None:
    n = 199
    c = ask(uci, GSD(permutations=n, scheme=scheme), algorithms=["BDS", "EN"], rng=5)
    s = c.summary()
    reached = n * (1 - s["share_below"])
    np.testing.assert_allclose(s["pvalue"], (reached + 1) / (n + 1))
    assert s["pvalue"].min() >= 1 / (n + 1)
    assert s["pvalue"].max() <= 1


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_samples_come_near_the_enumeration(scheme: Any) -> None:
    results = made("metric", 5, datasets=8 if scheme == "paired" else 6)
    everything = ask(results, GSD(permutations=2000, scheme=scheme))
    assert everything.answer.details["enumerated"]
    sampled = ask(results, GSD(permutations=200, scheme=scheme), rng=1)
    assert not sampled.answer.details["enumerated"]
    one, two = (c.summary().loc[["A>B", "B>A"], "pvalue"] for c in (everything, sampled))
    assert np.abs(one - two).max() < 4 * math.sqrt(0.25 / 200) + 1 / 201


def test_the_two_schemes_are_two_tests(uci: bc.Results) -> None:
    pair = ["GBM", "EN"]
    one, two = (
        ask(uci, GSD(permutations=300, scheme=s), algorithms=pair, rng=1)
        for s in ("paired", "pooled")
    )
    assert one.statistic == two.statistic
    assert one.pvalue < two.pvalue


def test_stopping_early(uci: bc.Results) -> None:
    pair, n = ["BDS", "RF"], 400
    full = ask(uci, GSD(permutations=n), algorithms=pair, rng=2)
    short = ask(uci, GSD(permutations=n, stop_after=10), algorithms=pair, rng=2)
    never = ask(uci, GSD(permutations=n, stop_after=n + 1), algorithms=pair, rng=2)
    pd.testing.assert_frame_equal(never.summary(), full.summary())
    for k, looked in enumerate(short.answer.details["resamples"]):
        assert looked < n
        # h at or above among n looked at, the last of them being the h-th: p = h/n.
        assert short.answer.extra["pvalue"][k] == pytest.approx(10 / looked)
        below = short.answer.extra["share_below"][k] * looked
        assert below == pytest.approx(looked - 10)
        assert short.answer.extra["pvalue"][k] == pytest.approx(
            full.answer.extra["pvalue"][k], abs=4 * math.sqrt(0.1) * 0.5
        )
    clear = ask(uci, GSD(permutations=n, stop_after=10), algorithms=["GBM", "CART"], rng=2)
    assert clear.pvalue == 2 / (n + 1)
    assert clear.answer.details["resamples"][0] == n


def test_false_alarms_are_as_rare_as_stated() -> None:
    for method in (GSD(permutations=99), GSD(permutations=99, stop_after=5)):
        found = false_alarms(simulations=40, datasets=7, method=method, rng=3)
        # 40 draws at 5 %: more than seven would happen less than once in a thousand times.
        assert (found <= 0.05).sum().max() <= 7
        assert (found > 0).all(axis=None)


@pytest.mark.slow
def test_the_level_is_kept() -> None:
    for method in (GSD(permutations=199), GSD(permutations=199, stop_after=10)):
        found = false_alarms(simulations=1000, datasets=9, method=method, rng=4)
        assert (found <= 0.05).mean().max() < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


def test_the_same_seed_the_same_answer(uci: bc.Results) -> None:
    pair = ["BDS", "EN"]
    one, two, other = (ask(uci, GSD(permutations=150), algorithms=pair, rng=r) for r in (7, 7, 8))
    pd.testing.assert_frame_equal(one.summary(), two.summary())
    assert not one.summary().equals(other.summary())
    generated = ask(uci, GSD(permutations=150), algorithms=pair, rng=np.random.default_rng(7))
    pd.testing.assert_frame_equal(one.summary(), generated.summary())


@pytest.mark.parametrize("method", [GSD(permutations=60), GSDBootstrap(resamples=60)])
def test_the_same_answer_for_any_number_of_jobs(uci: bc.Results, method: Any) -> None:
    some = ["BDS", "EN", "GLM", "RF"]
    one, two = (
        bc.pairwise(uci, method=method, algorithms=some, rng=3, n_jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.matrix.values, two.matrix.values)
    pd.testing.assert_frame_equal(one.decide(), two.decide())


# ----------------------------------------------------------------------------------- symmetries


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed", "half-open"])
def test_swapping_the_algorithms_mirrors_everything(kind: str, scheme: Any) -> None:
    results = made(kind, 9, datasets=5)
    one, two = (ask(results, GSD(scheme=scheme), algorithms=list(n)) for n in ("AB", "BA"))
    assert one.best == two.best
    assert one.pvalue == two.pvalue
    assert one.share_below == two.share_below
    assert one.statistic == pytest.approx(two.statistic, abs=1e-10)
    pd.testing.assert_frame_equal(one.summary().sort_index(), two.summary().sort_index())
    assert one.delta_max == pytest.approx(two.delta_max, abs=1e-10)
    np.testing.assert_array_equal(one.relation.values, two.relation.values.T)
    np.testing.assert_allclose(one.thresholds.values, two.thresholds.values.T, atol=1e-9)


def test_swapping_leaves_sampled_p_values_within_their_error(uci: bc.Results) -> None:
    one, two = (
        ask(uci, GSD(permutations=400), algorithms=pair, rng=3)
        for pair in (["BDS", "RF"], ["RF", "BDS"])
    )
    assert one.statistic == pytest.approx(two.statistic, abs=1e-12)
    for label in ("BDS>RF", "RF>BDS"):
        p, q = (c.summary().loc[label, "pvalue"] for c in (one, two))
        assert abs(p - q) < 4 * math.sqrt(2 * 0.25 / 400)


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed"])
def test_datasets_measures_and_names_do_not_matter(kind: str, scheme: Any) -> None:
    results = made(kind, 31, datasets=5, algorithms=2)
    spec = {name: results[name] for name in results.measures}
    base = ask(results, GSD(scheme=scheme)).summary()
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    order = np.random.default_rng(1).permutation(5)
    moved = table(cells[order], measures=spec)
    named = table(cells, measures=spec, names=["x y", "ß"], datasets=list("vwxyz"))
    turned = table(cells[..., ::-1], measures=dict(reversed(spec.items())))
    for other in (moved, named, turned):
        s = ask(other, GSD(scheme=scheme)).summary()
        s.index = [label.replace("x y", "A").replace("ß", "B") for label in s.index]
        pd.testing.assert_frame_equal(s.sort_index(), base.sort_index(), check_names=False)


@pytest.mark.parametrize("factor", [1e-6, 0.37, 3.0, 1e9])
@pytest.mark.parametrize("kind", ["metric", "mixed", "no bounds"])
def test_the_unit_of_a_measure_does_not_matter(kind: str, factor: float) -> None:
    results = made(kind, 12, datasets=5)
    spec = {name: results[name] for name in results.measures}
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    old = spec["a"]
    bounds = None if old.bounds is None else tuple(factor * b for b in old.bounds)  # type: ignore[operator]
    scaled = table(
        cells * [factor, 1.0],
        measures={"a": M(old.direction, bounds=bounds), "b": spec["b"]},  # type: ignore[arg-type]
    )
    one, two = ask(results), ask(scaled)
    pd.testing.assert_frame_equal(one.summary(), two.summary())
    np.testing.assert_array_equal(one.relation.values, two.relation.values)
    np.testing.assert_allclose(one.thresholds.values, two.thresholds.values, atol=1e-9)


def test_only_the_order_of_an_ordinal_measure_matters() -> None:
    results = made("ordinal, no bounds", 2, datasets=5)
    spec = {name: results[name] for name in results.measures}
    cells = np.stack([results.data[m].values for m in spec], axis=-1)
    bent = table(np.exp(cells) * 7 - 3, measures=spec)
    pd.testing.assert_frame_equal(ask(results).summary(), ask(bent).summary())


def test_a_min_measure_is_a_max_measure_turned_round() -> None:
    results = made("min", 4, datasets=5)
    cells = np.stack([results.data[m].values for m in results.measures], axis=-1)
    turned = table(
        cells * [-1, 1], measures={"a": M("max", bounds=(-5, 0)), "b": M("max", bounds=(0, 5))}
    )
    pd.testing.assert_frame_equal(ask(results).summary(), ask(turned).summary())


def test_an_added_algorithm_changes_no_pair(uci: bc.Results, whole: GsdComparison) -> None:
    some = ["RF", "EN", "BDS"]
    c = ask(uci, GSD(delta=0), algorithms=some)
    assert (c.relation == whole.relation.sel(algorithm=some, opponent=some)).all()
    assert c.incomparable == [("RF", "BDS")]


def test_bounds_are_part_of_the_question() -> None:
    cells = np.array([[[1.0], [2.0]], [[3.0], [2.0]], [[2.0], [1.0]]])
    tight = ask(table(cells, measures={"m": M("max")}), GSD(delta=0))
    wide = ask(table(cells, measures={"m": M("max", bounds=(0, 100))}), GSD(delta=0))
    assert tight.delta_max > wide.delta_max
    assert "came without both bounds" in tight.explain()
    assert "bounds" not in wide.explain()


# ----------------------------------------------------------------------------------- every pair


def test_the_matrix_is_directed(everything: bc.pairs.Pairwise) -> None:
    matrix = everything.matrix
    assert np.isnan(np.diag(matrix.values)).all()
    for c in everything.comparisons:
        for k, label in enumerate(c.answer.labels):
            winner, loser = label.split(">")
            held = float(matrix.sel(algorithm=winner, opponent=loser))
            assert held == c.answer.extra["pvalue"][k]
    assert float(matrix.sel(algorithm="GBM", opponent="CART")) < 0.01
    assert float(matrix.sel(algorithm="CART", opponent="GBM")) > 0.9
    assert everything.best.sel(algorithm="CART", opponent="GBM") == "GBM>CART"


def test_holm_over_both_directions_of_every_pair(everything: bc.pairs.Pairwise) -> None:
    decided = everything.decide()
    least = {
        frozenset(c.results.algorithms): min(c.answer.extra["pvalue"])
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


def test_words_about_too_few_resamples(uci: bc.Results, everything: bc.pairs.Pairwise) -> None:
    said = everything.explain()
    assert "With 1,000 resamples no two-sided p-value is below 2/1,001" in said
    assert "for 28 tests" in said
    wanted = int(re.search(r"permutations=(\d+) or more", said)[1])  # type: ignore[index]
    assert 28 * 2 / (wanted + 1) <= 0.05
    assert not everything.decide()["asserted"].any()
    few = bc.pairwise(
        uci, method=GSD(permutations=499), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    assert "resamples no" not in few.explain()
    assert few.decide()["asserted"].sum() == 2


def test_enumerated_tests_do_not_ask_for_more_resamples() -> None:
    p = bc.pairwise(made("metric", 1, algorithms=4), method="gsd", n_jobs=1)
    assert "resamples no" not in p.explain()


def test_the_asserted_order(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=999), algorithms=["GBM", "CART", "RF", "BDS"], rng=1, n_jobs=1
    )
    decided = p.decide()
    graph = p.order()
    asserted = {tuple(s.split(">")) for s in decided.loc[decided["asserted"], "statement"]}
    assert set(graph.edges) == asserted
    assert {("GBM", "CART"), ("RF", "CART"), ("BDS", "CART")} <= asserted
    assert nx.is_directed_acyclic_graph(graph)


def test_pairwise_words_say_dominance(uci: bc.Results) -> None:
    # To dominate is not to be better on every measure.
    p = bc.pairwise(
        uci, method=GSD(permutations=499), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    assert p.decide()["asserted"].any()
    assert "better on every measure" not in p.explain()


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


# ----------------------------------------------------------------------------------- robustness


def test_no_contamination_is_the_test_itself(uci: bc.Results) -> None:
    for choices in ({}, {"epsilon": 0.5}, {"scheme": "pooled"}):
        method = GSD(permutations=200, **choices)
        c = ask(uci, method, algorithms=["BDS", "EN"], rng=4)
        curve = c.robustness([0.0], rng=4)
        assert curve["pvalue"].tolist() == [c.pvalue]
        other = ask(uci, method, algorithms=["EN", "BDS"], rng=4)
        assert other.robustness([0.0], rng=4)["pvalue"].tolist() == [other.pvalue]


def test_more_contamination_a_larger_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=300), algorithms=["GBM", "CART"], rng=1)
    curve = c.robustness(rng=1)
    assert curve.columns.tolist() == ["gamma", "pvalue", "corrupted"]
    assert curve["gamma"].is_monotonic_increasing
    assert curve["pvalue"].is_monotonic_increasing
    assert curve["pvalue"].iloc[0] == c.pvalue
    assert curve["pvalue"].iloc[-1] > 0.05
    held = curve.loc[curve["pvalue"] <= 0.05, "gamma"]
    assert 0 < curve.attrs["robust_up_to"] == held.max()
    np.testing.assert_allclose(curve["corrupted"], 16 * curve["gamma"])
    nothing = ask(uci, GSD(permutations=100), algorithms=["BDS", "RF"], rng=1).robustness(rng=1)
    assert nothing.attrs["robust_up_to"] is None


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_contamination_by_brute_force(scheme: Any) -> None:
    gammas = np.array([0.0, 0.013, 0.061, 0.117, 0.23, 0.61])
    for seed in range(3):
        results = made("metric", 50 + seed, datasets=4 if scheme == "paired" else 3)
        naive = Naive(results, "A", "B")
        c = ask(results, GSD(delta=0, scheme=scheme))
        optima = naive.resampled(scheme, 0.0)
        observed = naive.both(0.0)[0 if c.best == "A>B" else 1]
        for gamma, p in c.robustness(gammas)[["gamma", "pvalue"]].to_numpy():
            # The worst case of both: (1 − γ) opt − γ against (1 − γ) opt_I + γ.
            reached = (1 - gamma) * optima + gamma >= (1 - gamma) * observed - gamma - 1e-8
            assert p == pytest.approx(min(1.0, 2 * reached.mean()), abs=1e-12)


def test_gammas_are_checked(uci: bc.Results) -> None:
    c = ask(made("metric", 0))
    for bad in ([], [1.0], [-0.1], [math.nan], 0.1):
        with pytest.raises(bc.BayescompareError, match="gammas="):
            c.robustness(bad)  # type: ignore[arg-type]


def test_gammas_that_are_no_numbers() -> None:
    with pytest.raises(bc.BayescompareError, match="gammas="):
        ask(made("metric", 0)).robustness(["a"])  # type: ignore[list-item]


# ------------------------------------------------------------------------------------- the front


def test_the_front_is_what_no_other_dominates(whole: GsdComparison, uci: bc.Results) -> None:
    for c in (whole, ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN", "GLM"])):
        names, held = c.results.algorithms, c.relation.values
        expected = [
            b
            for j, b in enumerate(names)
            if not any(held[i, j] and not held[j, i] for i in range(len(names)))
        ]
        assert list(c.front) == expected
    assert c.front == ("RF", "BDS")


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_the_front_test_by_brute_force(scheme: Any) -> None:
    results = made("metric", 71, datasets=4 if scheme == "paired" else 3, algorithms=3)
    c = ask(results, GSD(delta=0, scheme=scheme))
    found = c.front_test()
    assert found.index.tolist() == ["A", "B", "C"]
    for name in "ABC":
        each = {}
        for other in sorted(set("ABC") - {name}):
            naive = Naive(results, other, name)
            optima = naive.resampled(scheme, 0.0)
            each[other] = float((optima <= naive.both(0.0)[0] + 1e-8).mean())
        assert found.loc[name, "pvalue"] == pytest.approx(max(each.values()), abs=1e-12)
        assert each[str(found.loc[name, "closest"])] == pytest.approx(max(each.values()))
        assert found.loc[name, "front"] == (name in c.front)


def test_the_front_test_on_the_bundled_table(uci: bc.Results) -> None:
    some = ["GBM", "RF", "CART"]
    c = ask(uci, GSD(permutations=200), algorithms=some)
    one, two = (c.front_test(rng=1) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert one["front"].tolist() == [True, False, False]
    assert one.loc["CART", "pvalue"] > 0.9
    assert one.loc["CART", "closest"] in ("GBM", "RF")


# ---------------------------------------------------------------------- Hasse diagram and witness


@pytest.mark.parametrize("seed", range(4))
def test_the_diagram_is_the_transitive_reduction(seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 6, (4, 7, 1))
    c = ask(table(cells, measures={"m": M("max", bounds=(0, 6))}), GSD(delta=0))
    held = c.relation.values
    above = held & ~held.T
    graph = c.order()
    names = c.results.algorithms
    closure = nx.transitive_closure(graph)
    assert set(closure.edges) == {(names[i], names[j]) for i, j in np.argwhere(above)}
    for edge in graph.edges:
        fewer = graph.copy()
        fewer.remove_edge(*edge)
        assert not nx.has_path(fewer, *edge)
    assert c.incomparable == [
        (names[i], names[j])
        for i, j in itertools.combinations(range(7), 2)
        if not held[i, j] and not held[j, i]
    ]


def check_witness(c: GsdComparison, delta: float) -> None:
    first, second = c.results.algorithms
    shown, measures = c.witness, list(c.results.measures)
    signs = [c.results[m].sign for m in measures]
    points = shown[measures].to_numpy() * signs
    n = len(c.results.datasets)
    has = {name: shown[f"datasets of {name}"] for name in (first, second)}
    assert has[first].sum() == has[second].sum() == n
    for hero, other in ((first, second), (second, first)):
        u = shown[f"utility for {hero}"].to_numpy()
        assert u.min() == pytest.approx(0, abs=1e-9)
        assert u.max() == pytest.approx(1, abs=1e-9)
        gain = float(u @ (has[hero] - has[other])) / n
        # It is the worst one for the other.
        assert gain == pytest.approx(-c.summary().loc[f"{other}>{hero}", "opt"], abs=1e-8)
        if (first, second) in c.incomparable:
            assert gain > 1e-9
        better = (points[:, None] >= points[None]).all(axis=2)
        strictly = better & ~better.T
        assert (u[:, None] - u[None])[strictly].min() >= delta - 1e-9


def test_a_witness_prefers_the_other_and_respects_the_order(uci: bc.Results) -> None:
    for pair in APART:
        check_witness(ask(uci, GSD(delta=0, permutations=1), algorithms=list(pair)), 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_witnesses_of_small_tables(kind: str) -> None:
    for seed in range(3):
        c = ask(made(kind, seed), GSD(delta=0.01))
        check_witness(c, c.answer.details["delta"])


def test_a_witness_shows_every_vector_even_of_a_measure_named_like_an_algorithm() -> None:
    results = table(
        [[[1, 2], [2, 1]], [[3, 2], [2, 2]]], names=["a", "B"], measures={"a": "max", "b": "max"}
    )
    shown = ask(results).witness
    # Two columns are wanted: the measure's values and the algorithm's counts.
    assert sorted(map(str, shown.columns)).count("a") == 2 or shown.shape[1] == 6


@pytest.mark.parametrize("name", ["witness", "robustness", "draws"])
def test_what_is_about_two_says_so(whole: GsdComparison, name: str) -> None:
    with pytest.raises(bc.BayescompareError, match=r"two"):
        whole.witness if name == "witness" else getattr(whole, name)()


@pytest.mark.parametrize("name", ["pvalue", "statistic", "share_below"])
def test_the_test_of_two_is_missing_from_many_and_says_so(whole: GsdComparison, name: str) -> None:
    # That method 'gsd' has none would be wrong: it has, of two.
    with pytest.raises(bc.BayescompareError, match=r"two|pair"):
        getattr(whole, name)


# ------------------------------------------------------------------------------------- bootstrap


@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed", "half-open"])
def test_the_bootstrap_by_brute_force(kind: str) -> None:
    n = 24
    for seed, delta in ((0, 0), (1, 0.01)):
        results = made(kind, 60 + seed)
        c = ask(results, GSDBootstrap(delta=delta, resamples=n), rng=seed)
        tree = c.draws(n // 2, chains=2, rng=seed)
        weights = tree["posterior"]["weight"].values.reshape(n, -1)
        assert weights.sum(axis=1) == pytest.approx(1)
        naive = Naive(results, "A", "B")
        used = min(delta, naive.largest())
        expected = np.array([naive.weighted(w, used) for w in weights])
        found = tree["posterior"]["opt"].values.reshape(n, 2)
        np.testing.assert_allclose(found, expected, atol=1e-8)
        first, second = expected[:, 0] >= -1e-9, expected[:, 1] >= -1e-9
        shares = {
            "A>B": first & ~second,
            "A~B": ~first & ~second,
            "B>A": second & ~first,
            "A=B": first & second,
        }
        for label in c.probability["statement"].values:
            # The same seed draws the same weights.
            assert float(c.probability.sel(statement=label)) == shares[label].mean()
        assert float(c.probability.sum()) == pytest.approx(1, abs=1e-12)


def test_bootstrap_errors_are_those_of_shares(uci: bc.Results) -> None:
    n = 300
    c = ask(uci, GSDBootstrap(delta=0, resamples=n), algorithms=["BDS", "RF"], rng=1)
    p, mcse = c.probability.values, c.mcse.values  # type: ignore[union-attr]
    assert not c.exact
    inside = (p > 0) & (p < 1)
    assert inside.any()
    np.testing.assert_allclose(mcse[inside], np.sqrt(p * (1 - p) / n)[inside], rtol=0.02)
    assert (mcse > 0).all()


def test_bootstrap_errors_of_two_outcomes_are_the_same(uci: bc.Results) -> None:
    # Of two relations with all the probability the errors are equal: p (1 − p) is one number.
    for seed in range(6):
        c = ask(uci, GSDBootstrap(delta=0, resamples=60), algorithms=["GBM", "EN"], rng=seed)
        p, mcse = c.probability.values, c.mcse.values  # type: ignore[union-attr]
        if ((p > 0) & (p < 1)).sum() == 2:
            one, two = mcse[p > 0]
            assert one == pytest.approx(two)
            return
    pytest.fail("no seed gave two outcomes")


def test_draws_have_shapes_names_and_the_observed(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    for method in (GSD(delta=0, permutations=1), GSDBootstrap(delta=0, resamples=5)):
        c = ask(uci, method, algorithms=pair)
        tree = c.draws(30, chains=3, rng=1)
        opt = tree["posterior"]["opt"]
        assert opt.sizes == {"chain": 3, "draw": 30, "direction": 2}
        assert opt["direction"].values.tolist() == ["RF>BDS", "BDS>RF"]
        assert tree["posterior"]["weight"].sizes == {"chain": 3, "draw": 30, "dataset": 16}
        assert tree["posterior"]["weight"]["dataset"].values.tolist() == list(uci.datasets)
        observed = tree["observed_data"]["observed_opt"].values
        test = ask(uci, GSD(delta=0, permutations=1), algorithms=pair).summary()
        np.testing.assert_allclose(observed, test.loc[["RF>BDS", "BDS>RF"], "opt"], atol=1e-9)
        again = c.draws(30, chains=3, rng=1)
        np.testing.assert_array_equal(again["posterior"]["opt"], opt)
        # opt_ij + opt_ji ≤ 0, since both are minima over the same utilities.
        assert float(opt.sum("direction").max()) <= 1e-9


def test_identical_algorithms_are_equivalent() -> None:
    cells = np.random.default_rng(0).random((6, 1, 2)).repeat(2, axis=1)
    c = ask(table(cells), GSDBootstrap(resamples=100), rng=1)
    assert c.best == "A=B"
    assert float(c.probability.sel(statement="A=B")) == 1.0
    assert "A and B are equivalent" in c.explain()
    d = ask(table(cells))
    assert d.pvalue == 1.0
    assert d.relation.values.all()
    assert d.incomparable == []
    assert d.front == ("A", "B")
    assert d.order().number_of_edges() == 0


def test_arviz_reads_the_tree(uci: bc.Results) -> None:
    import arviz as az

    c = ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=["RF", "BDS"], rng=1)
    tree = c.draws(60, chains=4, rng=1)
    shown = az.summary(tree, var_names=["opt"])
    assert shown.index.tolist() == ["opt[RF>BDS]", "opt[BDS>RF]"]
    mean = tree["posterior"]["opt"].mean(("chain", "draw")).values
    np.testing.assert_allclose(shown["mean"].astype(float), mean, atol=2e-3)
    assert "standard error" in str(c.diagnose())
    assert c.diagnose(tree) is not None


def test_the_bootstrap_says_what_it_lacks(uci: bc.Results) -> None:
    c = ask(uci, GSDBootstrap(delta=0, resamples=20), algorithms=["RF", "BDS"], rng=1)
    for name in ("pvalue", "statistic", "share_below"):
        with pytest.raises(bc.BayescompareError, match=f"'{name}'.*'gsd-bootstrap'.*gsd"):
            getattr(c, name)
    with pytest.raises(bc.BayescompareError, match=r"'loo'.*dirichlet"):
        c.loo()
    with pytest.raises(bc.BayescompareError, match="robustness"):
        c.robustness()
    assert c.front == ("RF", "BDS")
    assert c.incomparable == [("RF", "BDS")]
    assert c.order().number_of_edges() == 0
    with pytest.raises(bc.BayescompareError, match="compares two algorithms"):
        bc.compare(uci, method="gsd-bootstrap")


def test_the_bootstrap_has_no_front_test_and_says_that(uci: bc.Results) -> None:
    c = ask(uci, GSDBootstrap(delta=0, resamples=20), algorithms=["RF", "BDS"], rng=1)
    with pytest.raises(bc.BayescompareError, match="front_test"):
        c.front_test()


@pytest.mark.parametrize("name", ["front_test", "incomparable", "relation_at", "witness"])
def test_other_methods_name_the_ones_with_an_order(name: str) -> None:
    c = bc.compare(bc.load_example("pnn"))
    with pytest.raises(AttributeError, match=f"{name}.*gsd") as caught:
        getattr(c, name)
    assert isinstance(caught.value, bc.BayescompareError)


def test_pairwise_probabilities(uci: bc.Results) -> None:
    some = ["RF", "BDS", "CART"]
    p = bc.pairwise(
        uci, method=GSDBootstrap(delta=0, resamples=150), algorithms=some, rng=1, n_jobs=1
    )
    for a, b in itertools.permutations(some, 2):
        c = p[a, b]
        held = float(c.probability.sel(statement=f"{a}>{b}"))
        assert float(p.matrix.sel(algorithm=a, opponent=b)) == held
    assert p.best.sel(algorithm="RF", opponent="BDS") == "RF~BDS"
    assert p.best.sel(algorithm="BDS", opponent="RF") == "BDS~RF"
    assert ("RF", "CART") in p.order(fdr=0.2).edges
    assert "RF and BDS" not in [tuple(e) for e in p.order(fdr=0.2).edges]


# ---------------------------------------------------------------------------- choices and bad input


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"delta": -0.1}, r"delta=-0\.1.*\[0, 1\)"),
        ({"delta": 1}, r"delta=1\b.*\[0, 1\)"),
        ({"delta": 1.5}, r"delta=1\.5"),
        ({"delta": math.nan}, "delta=nan"),
        ({"delta": "0"}, "delta='0'"),
        ({"delta": None}, "delta=None"),
        ({"delta": True}, "delta=True"),
        ({"epsilon": 1.5}, r"epsilon=1\.5"),
        ({"epsilon": -0.1}, r"epsilon=-0\.1"),
        ({"delta": 0.1, "epsilon": 0.5}, r"delta=0\.1 and epsilon=0\.5"),
        ({"delta": 0, "epsilon": 0.5}, r"delta=0 and epsilon=0\.5"),
        ({"rule": "intervall"}, "rule='intervall'.*Did you mean 'interval'"),
    ],
)
@pytest.mark.parametrize("method", [GSD, GSDBootstrap])
def test_choices_are_checked(method: Any, choices: dict[str, Any], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        method(**choices)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"permutations": 0}, "permutations=0"),
        ({"permutations": 10.5}, r"permutations=10\.5"),
        ({"permutations": True}, "permutations=True"),
        ({"stop_after": 0}, "stop_after=0"),
        ({"scheme": "pair"}, "scheme='pair'.*Did you mean 'paired'"),
    ],
)
def test_choices_of_the_test_are_checked(choices: dict[str, Any], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        GSD(**choices)


def test_resamples_are_checked() -> None:
    with pytest.raises(bc.BayescompareError, match="resamples=0"):
        GSDBootstrap(resamples=0)
    with pytest.raises(TypeError):
        GSD(0.1, 0.2, bogus=1)  # type: ignore[call-arg]


def test_relation_at_is_checked() -> None:
    c = ask(made("metric", 0))
    for bad in (-0.1, 1.0, math.nan):
        with pytest.raises(bc.BayescompareError, match="delta="):
            c.relation_at(bad)


def test_relation_at_wants_a_number() -> None:
    with pytest.raises(bc.BayescompareError, match="delta='x'"):
        ask(made("metric", 0)).relation_at("x")  # type: ignore[arg-type]


def test_epsilon_is_a_share_of_each_pairs_delta_max() -> None:
    results = made("metric", 8, datasets=5)
    largest = ask(results).delta_max
    assert isinstance(largest, float)
    for epsilon in (0, 0.3, 1):
        one = ask(results, GSD(epsilon=epsilon))
        two = ask(results, GSD(delta=epsilon * largest))
        assert one.answer.details["delta"] == pytest.approx(epsilon * largest, abs=1e-12)
        np.testing.assert_allclose(one.summary(), two.summary(), atol=1e-9)


def test_delta_above_delta_max_is_cut_and_says_so() -> None:
    results = made("metric", 8, datasets=5)
    c = ask(results, GSD(delta=0.9))
    assert c.answer.details["delta"] == c.delta_max
    assert "δ = 0.9 is above what this pair allows" in c.explain()
    one = ask(results, GSD(epsilon=1)).summary()
    np.testing.assert_allclose(c.summary(), one, atol=1e-9)
    assert "above what" not in ask(results, GSD(delta=0)).explain()


def test_one_dataset_is_refused() -> None:
    cells = np.arange(4.0).reshape(1, 2, 2)
    for method in ("gsd", "gsd-bootstrap"):
        with pytest.raises(bc.BayescompareError, match="only one dataset"):
            bc.compare(table(cells), method=method)


def test_two_datasets_are_enough() -> None:
    c = ask(table([[[3.0], [1.0]], [[4.0], [2.0]]]))
    assert c.summary()["pvalue"].tolist() == [0.25, 1.0]
    assert c.pvalue == 0.5
    assert c.relation.values.tolist() == [[True, True], [False, True]]


def test_all_vectors_equal() -> None:
    with pytest.raises(bc.BayescompareError, match=r"'m0' is 0\.5 in every cell"):
        bc.compare(table(np.full((4, 2, 2), 0.5)), method="gsd")
    # A rope lets a constant measure pass, but no utility tells one vector from itself.
    with pytest.raises(bc.BayescompareError, match="bounds"):
        bc.compare(table(np.full((4, 2, 2), 0.5), rope=0.1), method="gsd")


@pytest.mark.parametrize("method", ["gsd", "gsd-bootstrap"])
def test_a_pair_with_one_vector_is_named(method: str) -> None:
    cells = np.full((4, 3, 2), 0.5)
    cells[:, 2] = np.random.default_rng(0).random((4, 2))
    with pytest.raises(bc.BayescompareError, match=r"A.*B"):
        bc.pairwise(table(cells), method=method, n_jobs=1)
    if method == "gsd":
        with pytest.raises(bc.BayescompareError, match=r"'?A'?.*'?B'?"):
            bc.compare(table(cells), method="gsd")


def test_a_measure_constant_in_the_pair_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 6, (5, 3, 2)).astype(float)
    cells[:, :2, 1] = 2.0
    with_it = ask(table(cells), algorithms=["A", "B"])
    without = ask(table(cells), algorithms=["A", "B"], measures=["m0"])
    pd.testing.assert_frame_equal(with_it.summary(), without.summary())


def test_the_letter_of_the_paper_may_leave_no_utility() -> None:
    # The metric measure ties throughout the pair: equation (2) makes all gains equal, and so zero.
    cells = np.zeros((4, 3, 2))
    cells[:, :, 1] = np.random.default_rng(1).integers(0, 5, (4, 3))
    cells[:, 2, 0] = np.arange(4)
    results = table(cells, measures={"a": M("max"), "b": M("max", scale="ordinal")})
    with pytest.raises(bc.BayescompareError, match=r"jansen2022|interval"):
        bc.compare(results, method=GSD(rule="jansen2022", delta=0), algorithms=["A", "B"])
    assert ask(results, GSD(delta=0), algorithms=["A", "B"]).delta_max > 0


def words_frame(grades: Any) -> pd.DataFrame:
    return pd.DataFrame({"dataset": list("aabb"), "algorithm": list("ABAB"), "grade": grades})


def test_ordinal_words_are_refused_with_a_remedy() -> None:
    frame = words_frame(["good", "bad", "bad", "good"])
    with pytest.raises(bc.BayescompareError, match="'grade' must be numbers") as caught:
        bc.Results.from_frame(frame, measures={"grade": M("max", scale="ordinal")})
    # What would help: number the grades in their order.
    assert re.search(r"order|rank|code|map", str(caught.value))


def test_bounds_violated() -> None:
    with pytest.raises(bc.BayescompareError, match=r"bounds=\(0\.0, 3\.0\) of 'a'.*is 4"):
        table([[[4.0], [1.0]], [[2.0], [0.0]]], measures={"a": M("max", bounds=(0, 3))})


@pytest.mark.parametrize("direction", ["max", "min"])
def test_an_infinite_bound_is_no_number_to_compute_with(direction: Any) -> None:
    cells = made("metric", 0).data.to_array().transpose("dataset", "algorithm", "variable").values
    spec = {"a": M(direction, bounds=(0, math.inf)), "b": M("max", bounds=(-1, 4))}
    open_end = {"a": M(direction, bounds=(0, None)), "b": M("max", bounds=(-1, 4))}
    try:
        found = ask(table(cells, measures=spec)).summary()  # type: ignore[arg-type]
    except bc.BayescompareError as error:
        assert "bounds" in str(error)  # noqa: PT017
    else:
        expected = ask(table(cells, measures=open_end)).summary()  # type: ignore[arg-type]
        pd.testing.assert_frame_equal(found, expected)


def test_too_many_vectors_say_how_many_and_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_system.__kwdefaults__ is not None
    monkeypatch.setitem(build_system.__kwdefaults__, "memory", 1e5)
    cells = np.random.default_rng(0).random((40, 2, 1))
    results = table(cells, measures={"m": M("max", bounds=(0, 1))})
    with pytest.raises(
        bc.BayescompareError, match=r"82 distinct quality vectors.*3321 ordered pairs"
    ):
        bc.compare(results, method="gsd")
    with pytest.raises(bc.BayescompareError, match="fewer datasets, round the values, or treat"):
        bc.compare(results, method="gsd-bootstrap")
    # Rounded or ordinal, as it says, it goes.
    assert ask(table(cells.round(1), measures={"m": M("max", bounds=(0, 1))})).pvalue > 0
    ordinal = table(cells, measures={"m": M("max", scale="ordinal")})
    assert ask(ordinal, GSD(delta=0, permutations=20), rng=1).pvalue > 0


@pytest.mark.slow
def test_too_many_vectors_for_real() -> None:
    cells = np.random.default_rng(0).random((3200, 2, 1))
    with pytest.raises(bc.BayescompareError, match=r"6400 distinct.*GB"):
        bc.compare(table(cells), method="gsd")


def test_a_rope_changes_nothing_and_the_words_say_so() -> None:
    results = made("metric", 4, datasets=5)
    spec = {m: M("max", rope=1.0, bounds=results[m].bounds) for m in results.measures}
    roped = bc.Results(results.data, spec)
    for method in (GSD(), GSDBootstrap(resamples=30)):
        one, two = ask(results, method, rng=1), ask(roped, method, rng=1)
        pd.testing.assert_frame_equal(one.summary(), two.summary())
        assert "rope plays no part" in two.explain()
        assert "rope" not in one.explain()


def test_replicates_are_averaged() -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 50, (5, 2, 2, 3)).astype(float)
    rows = [
        (f"d{d}", "AB"[a], r, *cells[d, a, :, r])
        for d in range(5)
        for a in range(2)
        for r in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "m0", "m1"])
    folds = bc.Results.from_frame(frame, replicate="fold", measures={"m0": "max", "m1": "max"})
    one, two = ask(folds), ask(table(cells.mean(axis=3)))
    pd.testing.assert_frame_equal(one.summary(), two.summary())


def test_missing_cells() -> None:
    cells = np.random.default_rng(1).random((6, 3, 2))
    holes = cells.copy()
    holes[0, 0, 0] = np.nan
    with pytest.raises(bc.BayescompareError, match="d0"):
        bc.compare(table(holes), method="gsd")
    one = ask(table(holes), missing="drop", algorithms=["A", "B"])
    assert one.results.datasets == ("d1", "d2", "d3", "d4", "d5")
    # A hole elsewhere does not matter.
    assert len(ask(table(holes), algorithms=["B", "C"]).results.datasets) == 6


# ---------------------------------------------------------------------------------------- words


def test_words_never_contradict_the_numbers() -> None:
    seen = set()
    for seed in range(40):
        kind = list(KINDS)[seed % len(KINDS)]
        results = made(kind, 500 + seed, datasets=6)
        c = ask(results, GSD(epsilon=(0, 0.3, 0.9)[seed % 3]))
        said, (first, second) = c.explain(), c.relation.values[~np.eye(2, dtype=bool)]
        seen.add((bool(first), bool(second), c.pvalue <= 0.05))
        assert ("A dominates B." in said) == (first and not second)
        assert ("B dominates A." in said) == (second and not first)
        assert ("neither of A and B dominates" in said) == (not first and not second)
        assert ("is rejected in favour of" in said) == (c.pvalue <= 0.05)
        assert ("is not rejected" in said) == (c.pvalue > 0.05)
        assert pvalue_equation(c.pvalue, "two-sided p") in said
        winner, loser = c.best.split(">")
        # What is less is not called an advantage.
        more = "more" if c.statistic > 0 else "less"
        worth = f"worth {statistic(abs(c.statistic))} {more} than {loser}"
        if abs(c.statistic) > 1e-9:
            assert f"least favourable to {winner}, {winner} is on average {worth}" in said
        assert "advantage" not in said
        head = c.headline()
        assert ("A dominates B" in head) == (first and not second)
        assert ("B dominates A" in head) == (second and not first)
        assert ("neither of A and B dominates" in head) == (not first and not second)
        assert ("not significant" in head) == (c.pvalue > 0.05)
        assert head in repr(c)
    assert len(seen) >= 4


def test_words_about_equivalence_stand_by_it() -> None:
    cells = np.random.default_rng(0).integers(0, 5, (5, 1, 2)).repeat(2, axis=1)
    said = ask(table(cells)).explain()
    assert "A and B are equivalent" in said
    # They were just said to be equal.
    assert "does not show the two to be equal" not in said


def test_words_about_the_order_name_the_equivalent() -> None:
    cells = np.random.default_rng(0).integers(0, 5, (5, 3, 2))
    cells[:, 1] = cells[:, 0]
    c = ask(table(cells), GSD(delta=0))
    assert c.summary().loc["A, B", "relation"] == "equivalent"
    assert "equivalent" in c.explain()


def test_words_about_the_order(whole: GsdComparison) -> None:
    said = whole.explain()
    assert "21 of 28 pairs of algorithms are ordered" in said
    for a, b in APART:
        assert f"{a} and {b}" in said
    assert "No other dominates GBM" in said
    assert whole.headline() == "GBM: dominated by no other; each of the other 7 is"
    assert "chance" in said
    assert whole.headline() in repr(whole)


def test_headlines_of_many_are_grammatical() -> None:
    # A and B each best somewhere, C below both.
    cells = np.array([[[9, 1], [1, 9], [0, 0]], [[8, 1], [1, 8], [0, 1]]], dtype=float)
    c = ask(table(cells, measures={m: M("max", bounds=(0, 10)) for m in "pq"}), GSD(delta=0))
    assert c.front == ("A", "B")
    assert c.best == "A, B"
    assert "other 1 is" not in c.headline()


def test_nothing_dominates() -> None:
    cells = np.array([[[9, 1], [1, 9], [5, 5]], [[8, 1], [1, 8], [5, 4]]], dtype=float)
    c = ask(table(cells, measures={m: M("max", bounds=(0, 10)) for m in "pq"}), GSD(delta=0))
    assert c.front == ("A", "B", "C")
    assert c.headline() == "no algorithm is dominated by another"
    assert "none dominates another" in c.explain()
    assert "No algorithm is dominated by another" in c.explain()


def test_the_order_of_many_is_not_called_settled(whole: GsdComparison) -> None:
    # Nothing was tested.
    document = json.loads(whole.to_json())
    assert document["pvalue"] is None
    assert document["verdict"] != "settled"


def test_a_sampled_p_value_is_not_called_exact(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=100), algorithms=["BDS", "EN"], rng=1)
    other = ask(uci, GSD(permutations=100), algorithms=["BDS", "EN"], rng=2)
    assert c.pvalue != other.pvalue
    assert c.attrs["exactness"] != "exact"
    assert "no sampling was done" not in str(c.diagnose())


def test_an_enumerated_p_value_is_exact() -> None:
    c = ask(made("metric", 0))
    assert c.exact
    assert c.mcse is None
    assert c.answer.seed is None
    assert "exact" in str(c.diagnose())


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
        assert c.headline().startswith(f"{c.best} is the most probable relation with P")


def test_the_many_names_are_words_too(whole: GsdComparison) -> None:
    # "A and B and B and C" is no list of pairs.
    assert not re.search(r"\b\w+ and (\w+) and \w+ and \w+\.", whole.explain())


def test_methods_are_listed() -> None:
    assert {"gsd", "gsd-bootstrap"} <= set(bc.methods.names())
    assert bc.methods.get("gsd") is GSD
    assert bc.methods.get("gsd-bootstrap") is GSDBootstrap


# ---------------------------------------------------------------------------------------- files


def kinds_of_answer(uci: bc.Results) -> dict[str, GsdComparison]:
    pair = ["RF", "BDS"]
    return {
        "pair": ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        "enumerated": ask(made("mixed", 1), GSD(rule="jansen2022", epsilon=0.5)),
        "many": ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        "bootstrap": ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
    }


@pytest.mark.parametrize("kind", ["pair", "enumerated", "many", "bootstrap"])
@pytest.mark.parametrize("ending", ["json", "nc"])
def test_round_trips(uci: bc.Results, tmp_path: Path, kind: str, ending: str) -> None:
    c = kinds_of_answer(uci)[kind]
    path = tmp_path / f"c.{ending}"
    if ending == "json":
        c.to_json(path)
    else:
        c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert isinstance(again, GsdComparison)
    assert again.method == c.method
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    assert again.explain() == c.explain()
    assert repr(again) == repr(c)
    assert (again.relation == c.relation).all()
    assert again.front == c.front
    assert again.incomparable == c.incomparable
    assert set(again.order().edges) == set(c.order().edges)
    np.testing.assert_allclose(np.asarray(again.delta_max), np.asarray(c.delta_max))
    np.testing.assert_allclose(again.thresholds.values, c.thresholds.values)
    if kind in ("pair", "enumerated"):
        assert again.pvalue == c.pvalue
        assert again.share_below == c.share_below
        pd.testing.assert_frame_equal(again.robustness(rng=1), c.robustness(rng=1))
    if kind == "bootstrap":
        np.testing.assert_array_equal(again.probability, c.probability)
        np.testing.assert_array_equal(again.mcse, c.mcse)
    if kind != "many":
        pd.testing.assert_frame_equal(again.witness, c.witness)


def test_pairwise_json(everything: bc.pairs.Pairwise) -> None:
    document = json.loads(everything.to_json())
    assert document["method"] == "gsd"
    assert len(document["comparisons"]) == 28
    first = document["comparisons"][0]
    assert {"opt", "share_below", "pvalue"} <= set(first["statements"][0])
    assert first["details"]["delta"] == 1e-5


# ---------------------------------------------------------------------------------- command line


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def file(uci: bc.Results, tmp_path: Path) -> tuple[Any, ...]:
    path = tmp_path / "uci.csv"
    frame = uci.data.to_dataframe().reset_index()
    frame.to_csv(path, index=False)
    spec = [f"--measure={m}:{uci[m].direction}:bounds=0..1" for m in uci.measures]
    return (path, *spec)


def test_compare_on_the_command_line(uci: bc.Results, file: tuple[Any, ...]) -> None:
    told = json.loads(
        run(
            "compare",
            *file,
            "--algorithms",
            "GBM,CART",
            "--method",
            "gsd",
            "--set",
            "delta=0",
            "--set",
            "permutations=99",
            "--seed",
            1,
            "--json",
        )
    )
    c = ask(uci, GSD(delta=0, permutations=99), algorithms=["GBM", "CART"], rng=1)
    assert told["pvalue"] == c.pvalue
    assert told["best"] == "GBM>CART"
    assert told["details"]["dominates"] == [True, False]
    assert told["explanation"] == c.explain()


def test_compare_many_on_the_command_line(file: tuple[Any, ...]) -> None:
    flags = ("--algorithms", "GBM,RF,BDS", "--method", "gsd", "--set", "delta=0")
    told = json.loads(run("compare", *file, *flags, "--json"))
    assert told["best"] == "GBM"
    shown = run("compare", *file, *flags)
    assert "GBM: dominated by no other" in shown
    assert "incomparable" in shown


def test_pairwise_on_the_command_line(file: tuple[Any, ...], tmp_path: Path) -> None:
    flags = ("--algorithms", "GBM,RF,CART", "--method", "gsd", "--set", "delta=0")
    flags += ("--set", "permutations=99")
    page = tmp_path / "report.html"
    told = json.loads(run("pairwise", *file, *flags, "--seed", 1, "--json"))
    assert len(told["comparisons"]) == 3
    shown = run("pairwise", *file, *flags, "--seed", 1, "--report", page)
    assert "GBM>CART" in shown
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_bad_choices_on_the_command_line(file: tuple[Any, ...]) -> None:
    assert "delta=2" in run("compare", *file, "--method", "gsd", "--set", "delta=2", code=2)
    said = run("compare", *file, "--method", "gsd", "--set", "dleta=0", code=2)
    assert "dleta" in said
    assert "delta" in said.replace("dleta", "")


# --------------------------------------------------------------------------------------- studies


def test_the_papers_design() -> None:
    assert len(DOMINANCES) == 10
    results = simulated_classifiers(eta=0.2, datasets=15, noise=0.001, rng=1)
    c = ask(results, GSD(delta=0))
    names = results.algorithms
    held = {
        (a, b)
        for a, b in itertools.permutations(names, 2)
        if c.relation.sel(algorithm=a, opponent=b)
    }
    assert held == set(DOMINANCES)


def test_studies_refuse_nonsense() -> None:
    with pytest.raises(bc.BayescompareError, match="noise=0"):
        simulated_classifiers(noise=0)
    with pytest.raises(bc.BayescompareError, match="dataset"):
        simulated_classifiers(datasets=0)


@pytest.mark.parametrize("choices", [{"datasets": -1}, {"datasets": 2.5}, {"eta": "x"}])
def test_a_study_names_the_argument(choices: dict[str, Any]) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(choices))):
        simulated_classifiers(**choices)


@pytest.mark.parametrize("simulations", [0, -1])
def test_a_study_of_no_simulations_is_refused(simulations: int) -> None:
    with pytest.raises(bc.BayescompareError, match="simulations="):
        false_alarms(simulations=simulations)
