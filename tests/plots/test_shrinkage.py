"""The picture of what all datasets do to each of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import folds, fresh, legend, points, texts, ticks


def test_every_datasets_own_and_pooled_share_is_shown(counts: bc.ErrorCounts) -> None:
    c = bc.compare(counts, method="hierarchical")
    ax = plots.plot_shrinkage(c, ax=fresh())
    table = c.per_dataset.sort_values("share_alone", kind="stable")
    assert ticks(ax) == [str(k) for k in table.index]
    np.testing.assert_allclose(points(ax, 0)[:, 0], table["share_alone"])
    np.testing.assert_allclose(points(ax, 1)[:, 0], table["share"])
    # Pooling draws from what was seen towards the common mean, and not beyond.
    seen = table["first_wrong"] / (table["first_wrong"] + table["second_wrong"])
    ends = pd.DataFrame({"seen": seen, "mean": c.pooling.loc["mu", "mean"]})
    assert (table["share"] > ends.min(axis=1) - 0.01).all()
    assert (table["share"] < ends.max(axis=1) + 0.01).all()


def test_the_joint_model_moves_datasets_and_the_formula_does_not(counts: bc.ErrorCounts) -> None:
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
    low, high = ax.collections[0].get_segments()[0][:, 0]  # type: ignore[attr-defined]
    assert low < c.per_dataset["advantage"].min() < high


def test_many_datasets_are_cut_to_the_clearest() -> None:
    errors = np.random.default_rng(0).integers(0, 9, (200, 2))
    frame = pd.DataFrame(errors, columns=["a", "b"]).assign(dataset=range(200))
    many = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
    ax = plots.plot_shrinkage(bc.compare(many, method="poisson-binomial"), most=10, ax=fresh())
    assert len(ticks(ax)) == 10
    assert "190 nearer" in ax.get_ylabel()


# a column for each statement ----------------------------------------------------------------------


def seeds(n: int = 6, m: int = 2, name: str = "d{}") -> bc.Results:
    """Noisy replicates of two algorithms on some measures."""
    rng = np.random.default_rng(5)
    rows = [
        (name.format(d), a, k, *(0.02 * (a == "B") + 0.03 * rng.normal(size=m)))
        for d in range(n)
        for a in "AB"
        for k in range(5)
    ]
    measures = [f"q{j}" for j in range(m)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", *measures])
    options = {"replicate": "seed", "replicates": "seeds"}
    return bc.Results.from_frame(frame, measures=dict.fromkeys(measures, "max"), **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def noisy() -> bc.Comparison:
    return bc.compare(seeds(), method="replicated")


def test_statements_have_a_column_each_with_own_and_shrunk_probability(
    noisy: bc.Comparison,
) -> None:
    ax = noisy.plot("shrinkage", ax=fresh())
    leading = [str(label) for label in noisy.summary().index]
    assert texts(ax) == leading
    order = noisy.evidence.sel(statement=leading[0]).to_pandas().sort_values().index
    assert ticks(ax) == list(order)
    for k, (start, label) in enumerate(zip(ax.get_xticks()[::3], leading, strict=True)):
        own = noisy.evidence.sel(statement=label).to_pandas()[order]
        shrunk = noisy.per_dataset[label][order]
        np.testing.assert_allclose(points(ax, 2 * k)[:, 0] - start, own)
        np.testing.assert_allclose(points(ax, 2 * k + 1)[:, 0] - start, shrunk)
    assert "q0 | q1" in ax.get_xlabel()


def test_columns_are_four_and_rows_those_that_move_most() -> None:
    c = bc.compare(seeds(9, 3), method="replicated")
    ax = plots.plot_shrinkage(c, most=4, ax=fresh())
    assert len(ax.texts) == 4
    assert "4 less probable statements are not shown" in ax.get_xlabel()
    assert "5 that move less" in ax.get_ylabel()
    moved = np.abs(c.evidence.sel(statement=texts(ax)).values - c.per_dataset[texts(ax)].to_numpy())
    far = np.argsort(-moved.max(axis=1))[:4]
    assert set(ticks(ax)) == {c.results.datasets[i] for i in far}


def test_datasets_judged_by_themselves_do_not_move(noisy: bc.Comparison) -> None:
    c = bc.compare(noisy.results, method=bc.methods.Replicated(joint=False))
    assert legend(c.plot("shrinkage", ax=fresh())) == ["by itself"]
    one = bc.compare(seeds(1), method="replicated")
    assert len(ticks(one.plot("shrinkage", ax=fresh()))) == 1


def test_the_report_shows_them_with_whole_names(tmp_path: Path) -> None:
    name = "a dataset whose name is much too long to be written out, number {}"
    c = bc.compare(seeds(4, name=name), method="replicated")
    text = c.report(tmp_path / "r.html").read_text("utf-8")
    assert "by itself" in text
    assert name.format(2) in text
    assert max(map(len, ticks(c.plot("shrinkage", ax=fresh())))) <= 28
