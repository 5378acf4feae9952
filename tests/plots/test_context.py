"""The pictures, tables and reports of the tests about a context and of the classics."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots.ranks import joined
from bayescompare.report import render
from bayescompare.studies import calibration, calibration_curve


def fresh() -> Axes:
    return Figure(figsize=(8, 6)).subplots()


def folds(rope: float | None = None) -> bc.Results:
    rng = np.random.default_rng(2)
    rows = [
        (f"d{d}", a, f, 0.8 + 0.02 * (a == "B") + rng.normal(0, 0.02))
        for d in range(5)
        for a in "AB"
        for f in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    measure = bc.Measure("max", rope=rope)
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": measure})


@pytest.fixture(scope="module")
def counts() -> bc.ErrorCounts:
    found = bc.load_example("lacoste-svm-parzen")
    assert isinstance(found, bc.ErrorCounts)
    return found


def points(ax: Axes, which: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    drawn = [c for c in ax.collections if hasattr(c, "get_sizes") and len(c.get_offsets()) > 1]
    return np.asarray(drawn[which].get_offsets())


def test_shrinkage_shows_every_datasets_own_and_pooled_share(counts: bc.ErrorCounts) -> None:
    c = bc.compare(counts, method="hierarchical")
    ax = plots.plot_shrinkage(c, ax=fresh())
    table = c.per_dataset.sort_values("share_alone", kind="stable")
    assert [label.get_text() for label in ax.get_yticklabels()] == [str(k) for k in table.index]
    np.testing.assert_allclose(points(ax, 0)[:, 0], table["share_alone"])
    np.testing.assert_allclose(points(ax, 1)[:, 0], table["share"])
    # Pooling draws from what was seen towards the common mean, and not beyond.
    seen = table["first_wrong"] / (table["first_wrong"] + table["second_wrong"])
    ends = pd.DataFrame({"seen": seen, "mean": c.pooling.loc["mu", "mean"]})
    assert (table["share"] > ends.min(axis=1) - 0.01).all()
    assert (table["share"] < ends.max(axis=1) + 0.01).all()


def test_shrinkage_of_the_joint_model_and_of_the_formula(counts: bc.ErrorCounts) -> None:
    c = bc.compare(counts, method=bc.methods.PoissonBinomial(joint=True))
    ax = c.plot("shrinkage", ax=fresh())
    table = c.per_dataset.sort_values("alone", kind="stable")
    np.testing.assert_allclose(points(ax, 0)[:, 0], table["alone"])
    np.testing.assert_allclose(points(ax, 1)[:, 0], table["probability"])
    cut = bc.compare(counts, method="poisson-binomial")
    ax = cut.plot("shrinkage", ax=fresh())
    np.testing.assert_allclose(points(ax, 0)[:, 0], np.sort(cut.per_dataset["probability"]))


def test_the_mean_advantage_of_folds_with_its_rope() -> None:
    c = bc.compare(folds(0.01), method="correlated-t")
    ax = c.plot("shrinkage", ax=fresh())
    np.testing.assert_allclose(points(ax, 0)[:, 0], np.sort(c.per_dataset["advantage"]))
    (band,) = ax.patches
    assert band.get_extents().width > 0
    low, high = ax.collections[0].get_segments()[0][:, 0]
    first = c.per_dataset.sort_values("advantage").iloc[0]
    assert low < first["advantage"] < high


def test_many_datasets_are_cut_to_the_clearest() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"dataset": range(200), "a": rng.integers(0, 9, 200), "b": rng.integers(0, 9, 200)}
    )
    many = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
    c = bc.compare(many, method="poisson-binomial")
    ax = plots.plot_shrinkage(c, most=10, ax=fresh())
    assert len(ax.get_yticklabels()) == 10
    assert "190 nearer" in ax.get_ylabel()


def test_a_method_without_datasets_of_its_own_says_so() -> None:
    c = bc.compare(bc.load_example("pnn"))
    with pytest.raises(bc.BayescompareError, match=r"per_dataset.*poisson-binomial"):
        c.plot("shrinkage", ax=fresh())
    with pytest.raises(bc.BayescompareError, match=r"ranks.*friedman"):
        c.plot("ranks", ax=fresh())


def test_the_critical_difference_diagram() -> None:
    c = bc.compare(bc.load_example("jansen-uci"), measures=["auc"], method="friedman")
    ax = c.plot(ax=fresh())
    shown = [text.get_text() for text in ax.texts]
    for name, rank in c.ranks.items():
        assert f"{name} {rank:.2f}" in shown
    assert f"critical difference {c.critical_difference:.2f}" in shown


@pytest.mark.parametrize("seed", range(20))
def test_bars_join_exactly_the_pairs_that_do_not_differ(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, apart = np.sort(rng.uniform(1, 9, 9)), float(rng.uniform(0.2, 5))
    bars = joined(ranks, apart)
    for i in range(9):
        for j in range(i + 1, 9):
            together = any(start <= i and j <= stop for start, stop in bars)
            assert together == (ranks[j] - ranks[i] < apart)


def test_every_method_has_a_report_with_its_tables(counts: bc.ErrorCounts) -> None:
    results = bc.load_example("jansen-uci")
    asked = [
        bc.compare(counts, method="poisson-binomial"),
        bc.compare(counts, method="hierarchical"),
        bc.compare(folds(), method="correlated-t"),
        bc.compare(folds(0.01), method="correlated-t"),
        bc.compare(counts, method="wilcoxon"),
        bc.compare(counts, method="sign"),
        bc.compare(results, method="friedman", measures=["brier"]),
        bc.compare(results, method="all-test", algorithms=["GBM", "CART"]),
        bc.compare(results, method="one-test", algorithms=["GBM", "CART"]),
    ]
    for c in asked:
        page = render(c)
        assert str(escape(c.headline())) in page
        for title, table in c.tables.items():
            assert str(escape(title)) in page
            assert all(str(escape(label)) in page for label in table.index)


def test_pairwise_reports_name_the_question(counts: bc.ErrorCounts) -> None:
    p = bc.pairwise(counts, method="poisson-binomial")
    assert "P(row better than column on most datasets)" in render(p)
    ax = p.plot(ax=fresh())
    assert "holds on most datasets" in ax.get_title(loc="left").replace("\n", " ")


def test_the_full_model_is_calibrated_and_the_formula_cautious() -> None:
    simulated = calibration(simulations=4000, datasets=15, discordant=8, rng=5)
    joint = calibration_curve(simulated["joint"], simulated["truth"], bins=5)
    spread = np.sqrt(joint["stated"] * (1 - joint["stated"]) / joint["n"])
    assert (abs(joint["true"] - joint["stated"]) < 4 * spread).all()
    cut = calibration_curve(simulated["cut"], simulated["truth"], bins=5)
    # Surely more often true than stated above ½, and less often below.
    assert cut["true"].iloc[-2] > cut["stated"].iloc[-2] + 2 * spread.iloc[-2]
    assert cut["true"].iloc[1] < cut["stated"].iloc[1] - 2 * spread.iloc[1]


def test_a_study_of_nothing_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="datasets=0"):
        calibration(datasets=0)
