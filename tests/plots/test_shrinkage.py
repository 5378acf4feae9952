"""The picture of what pooling does to each dataset."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import fresh
from tests.plots.folds import folds


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


# ------------------------------------------------------------------- a column for each statement


def seeds(n: int = 6, m: int = 2, *, long: bool = False) -> bc.Results:
    """Noisy replicates of two algorithms on some measures."""
    rng = np.random.default_rng(5)
    name = "a dataset whose name is much too long to be written out, number {}" if long else "d{}"
    rows = [
        (name.format(d), a, k, *(0.02 * (a == "B") + 0.03 * rng.normal(size=m)))
        for d in range(n)
        for a in "AB"
        for k in range(5)
    ]
    measures = [f"q{j}" for j in range(m)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", *measures])
    return bc.Results.from_frame(
        frame, replicate="seed", replicates="seeds", measures=dict.fromkeys(measures, "max")
    )


def test_statements_have_a_column_each_with_own_and_shrunk_probability() -> None:
    c = bc.compare(seeds(), method="replicated")
    ax = c.plot("shrinkage", ax=fresh())
    leading = [str(label) for label in c.summary().index]
    assert [text.get_text() for text in ax.texts] == leading
    order = c.evidence.sel(statement=leading[0]).to_pandas().sort_values().index
    assert [label.get_text() for label in ax.get_yticklabels()] == list(order)
    starts = list(ax.get_xticks()[::3])
    for k, (start, label) in enumerate(zip(starts, leading, strict=True)):
        own = c.evidence.sel(statement=label).to_pandas()[order]
        np.testing.assert_allclose(points(ax, 2 * k)[:, 0] - start, own)
        np.testing.assert_allclose(points(ax, 2 * k + 1)[:, 0] - start, c.per_dataset[label][order])
    assert "q0 | q1" in ax.get_xlabel()


def test_columns_are_four_and_rows_those_that_move_most() -> None:
    c = bc.compare(seeds(9, 3), method="replicated")
    ax = plots.plot_shrinkage(c, most=4, ax=fresh())
    assert len(ax.texts) == 4
    assert "4 less probable statements are not shown" in ax.get_xlabel()
    assert "5 that move less" in ax.get_ylabel()
    labels = [text.get_text() for text in ax.texts]
    moved = np.abs(c.evidence.sel(statement=labels).values - c.per_dataset[labels].to_numpy())
    far = np.argsort(-moved.max(axis=1))[:4]
    shown = {label.get_text() for label in ax.get_yticklabels()}
    assert shown == {c.results.datasets[i] for i in far}


def test_datasets_judged_by_themselves_do_not_move() -> None:
    c = bc.compare(seeds(), method=bc.methods.Replicated(joint=False))
    legend = c.plot("shrinkage", ax=fresh()).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["by itself"]
    one = bc.compare(seeds(1), method="replicated")
    assert len(one.plot("shrinkage", ax=fresh()).get_yticklabels()) == 1


def test_the_report_shows_them_with_whole_names(tmp_path: Path) -> None:
    c = bc.compare(seeds(4, long=True), method="replicated")
    text = c.report(tmp_path / "r.html").read_text("utf-8")
    assert "by itself" in text
    assert "<title>a dataset whose name is much too long to be written out, number 2: " in text
    assert all(
        len(tick.get_text()) <= 28 for tick in c.plot("shrinkage", ax=fresh()).get_yticklabels()
    )
