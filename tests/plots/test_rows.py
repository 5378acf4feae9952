"""Rows of dots and bars: places, datasets, priors and gates show the figures of their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots.pen import LIGHT, NARROW, WIDE, Pen
from bayescompare.plots.rows import gate_pen, places_pen, shrinkage_pen
from tests.plots.drawn import board, folds, fresh, seeds, texts, title, words
from tests.tables import table


def across(found: list[float], *wanted: Any) -> bool:
    """Whether places in a picture are figures, on one linear scale."""
    figures = np.concatenate([np.atleast_1d(one) for one in wanted])
    slope, start = np.polyfit(figures, found, 1)
    return slope > 0 and np.allclose(found, slope * figures + start, atol=1e-6)


def dots(pen: Pen) -> list[float]:
    """Places of the dots, those of the key left out."""
    return [v["x"] for kind, v in pen.items if kind == "dot" and v["r"] != 4]


def marks(pen: Pen) -> list[float]:
    """Places of the marks beside the dots, that of the key left out."""
    ink = [v["points"] for kind, v in pen.items if kind == "line" and v["stroke"] == "ink"]
    return [a[0] for a, b in ink if b[1] - a[1] < 10]


def bars(pen: Pen, height: float) -> list[tuple[float, float]]:
    found = [v for kind, v in pen.items if kind == "rect" and v["h"] == height]
    return [(v["x"], v["x"] + v["w"]) for v in found]


def names(pen: Pen) -> list[str]:
    return [v["tip"] for kind, v in pen.items if kind == "text" and v["x"] == 0 and v["tip"]]


# places -------------------------------------------------------------------------------------------


def test_places_and_intervals_are_those_of_the_ranking(ranking: bc.Ranking) -> None:
    said = " ".join(v["tip"] for _, v in places_pen(ranking).items if v.get("tip"))
    for measure, arrow in zip(ranking.results.measures, "↑↑↓", strict=True):
        for name, row in ranking.places.loc[measure].iterrows():
            place, low, up = (row[c] for c in ("place", "lower", "upper"))
            assert f"{name}, {measure} {arrow}: place {place:g}, {low:g} to {up:g}" in said
    blue = [v for kind, v in places_pen(ranking).items if kind == "dot" and v["fill"] == "a"]
    first = {v["tip"].split(",")[0] for v in blue if v["tip"]}
    assert first == {str(name) for _, name in ranking.tiers.index[ranking.tiers["at_best"] == 1]}


def test_few_datasets_have_no_intervals() -> None:
    r = bc.rank(table(np.random.default_rng(0).random((3, 4, 2))), rng=0)
    assert not any(kind == "rect" for kind, _ in places_pen(r).items)


def test_one_measure_has_p_best_and_tiers() -> None:
    r = bc.rank(board(8), measures=["m0"], draws=200, rng=0)
    shown = words(places_pen(r))
    assert "P(best)" in shown
    order = [text for text in shown if text in r.overall.index]
    assert sorted(order) == sorted(r.overall.index)
    tiers = [int(text[5:]) for text in shown if text.startswith("Tier ")]
    assert tiers == sorted(set(r.tiers["tier"]))
    assert [r.tiers["tier"][name] for name in order] == sorted(r.tiers["tier"])
    assert "and 5 further back, not shown" in words(places_pen(r, most=3))


# every dataset ------------------------------------------------------------------------------------


def test_every_dataset_by_itself_and_given_all(counts: bc.ErrorCounts) -> None:
    c = bc.compare(counts, method="hierarchical")
    pen, rows = shrinkage_pen(c), c.per_dataset.loc[[*names(shrinkage_pen(c))]]
    assert rows["share_alone"].is_monotonic_decreasing
    own, given = rows["share_alone"].to_numpy(), rows["share"].to_numpy()
    assert across([*marks(pen), *dots(pen)], own, given)
    assert all(a < x < b for (a, b), x in zip(bars(pen, 6.0), marks(pen), strict=True))
    # Pooling draws from what was seen towards the common mean, and not beyond.
    seen = rows["first_wrong"] / (rows["first_wrong"] + rows["second_wrong"])
    ends = pd.DataFrame({"seen": seen, "mean": c.pooling.loc["mu", "mean"]})
    assert (rows["share"] > ends.min(axis=1) - 0.01).all()
    assert (rows["share"] < ends.max(axis=1) + 0.01).all()


def test_the_joint_model_moves_datasets_and_the_formula_does_not(counts: bc.ErrorCounts) -> None:
    c = bc.compare(counts, method=bc.methods.PoissonBinomial(joint=True))
    pen, rows = shrinkage_pen(c), c.per_dataset.sort_values("alone", kind="stable")[::-1]
    assert across([*marks(pen), *dots(pen)], rows["alone"], rows["probability"])
    cut = bc.compare(counts, method="poisson-binomial")
    assert marks(shrinkage_pen(cut)) == []
    assert across(dots(shrinkage_pen(cut)), np.sort(cut.per_dataset["probability"])[::-1])


def test_the_mean_advantage_of_folds_with_its_rope() -> None:
    c = bc.compare(folds(0.01), method="correlated-t")
    pen = shrinkage_pen(c)
    left, right = zip(*bars(pen, 20.0), strict=True)
    advantage = np.sort(c.per_dataset["advantage"])[::-1]
    assert across([*dots(pen), left[0], right[0]], advantage, -0.01, 0.01)
    assert len(bars(pen, 7.0)) == 5


def test_many_datasets_are_cut_to_the_clearest() -> None:
    errors = np.random.default_rng(0).integers(0, 9, (200, 2))
    frame = pd.DataFrame(errors, columns=["a", "b"]).assign(dataset=range(200))
    many = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
    pen = shrinkage_pen(bc.compare(many, method="poisson-binomial"), most=10)
    assert len(dots(pen)) == len(names(pen)) == 10
    assert "190 datasets nearer to undecided not shown" in words(pen)


@pytest.fixture(scope="module")
def noisy() -> bc.Comparison:
    return bc.compare(seeds(), method="replicated")


def test_statements_have_a_strip_each(noisy: bc.Comparison) -> None:
    pen, leading = shrinkage_pen(noisy), [str(label) for label in noisy.summary().index]
    order = noisy.evidence.sel(statement=leading[0]).to_pandas().sort_values().index[::-1]
    assert names(pen) == list(order)
    own = noisy.evidence.sel(statement=leading).to_pandas().loc[order].to_numpy()
    given = noisy.per_dataset.loc[order, leading].to_numpy()
    drawn = np.reshape(dots(pen), given.shape), np.reshape(marks(pen), own.shape)
    for k in range(4):
        assert across([*drawn[0][:, k], *drawn[1][:, k]], given[:, k], own[:, k])
    assert "P(the statement on q0, q1 holds on this dataset)" in words(pen)
    assert len(dots(shrinkage_pen(noisy, NARROW))) == 2 * len(order)


def test_strips_are_four_and_rows_those_that_move_most() -> None:
    c = bc.compare(seeds(9, 3), method="replicated")
    pen, leading = shrinkage_pen(c, most=4), [str(label) for label in c.summary().index[:4]]
    assert "4 less probable statements not shown" in words(pen)
    assert "5 datasets that move less not shown" in words(pen)
    moved = np.abs(c.evidence.sel(statement=leading).values - c.per_dataset[leading].to_numpy())
    far = np.argsort(-moved.max(axis=1))[:4]
    assert set(names(pen)) == {c.results.datasets[i] for i in far}


def test_datasets_judged_by_themselves_do_not_move(noisy: bc.Comparison) -> None:
    c = bc.compare(noisy.results, method=bc.methods.Replicated(joint=False))
    assert marks(shrinkage_pen(c)) == []
    assert "given all datasets" not in words(shrinkage_pen(c))
    assert len(names(shrinkage_pen(bc.compare(seeds(1), method="replicated")))) == 1


def test_the_report_shows_datasets_with_whole_names(tmp_path: Path) -> None:
    name = "a dataset whose name is much too long to be written out, number {}"
    c = bc.compare(seeds(4, name=name), method="replicated")
    text = c.report(tmp_path / "r.html").read_text("utf-8")
    assert "by itself" in text
    assert name.format(2) in text


# priors -------------------------------------------------------------------------------------------


def test_a_prior_shows_its_table_and_what_it_expects() -> None:
    belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy", "time"])
    shown = texts(plots.plot_prior(e, ax=fresh()))
    assert [text for text in shown if "better" in text] == [
        "B better · A better", "B better", "A better", "A better · B better"
    ]  # fmt: skip
    assert shown.count("0.401") == 2
    ax = plots.plot_prior_predictive(e, n=12, ax=fresh())
    mass = e.predict(12).sort_values("mean", ascending=False, kind="stable")[list(range(13))]
    found: Any = ax.patches
    soft = [p.get_height() for p in found if p.get_facecolor() == to_rgba(LIGHT["asoft"])]
    columns = np.reshape(soft, (4, 13))
    np.testing.assert_allclose(columns / columns.max(), mass / mass.to_numpy().max(), atol=1e-6)


# a gate -------------------------------------------------------------------------------------------


def gated(n: int = 12) -> bc.Gate:
    advantage = np.random.default_rng(0).normal([0.0, 3.0, -3.0], 1.0, (n, 3))
    values = np.stack([advantage, np.zeros_like(advantage)], axis=1)
    measures: Any = {"a": bc.Measure("max", rope=1.0), "b": "max", "$c_1$": "max"}
    results = table(values, names=["new", "old"], measures=measures)
    return bc.gate(results, candidate="new", baseline="old")


@pytest.mark.parametrize("w", [WIDE, NARROW])
def test_bars_are_the_bounds_each_on_a_scale_of_its_own(w: float) -> None:
    g = gated()
    pen = gate_pen(g, w)
    assert names(pen) == ["a", "b", "$c_1$"]
    (middle,) = (v["points"][0][0] for kind, v in pen.items if kind == "line")
    ((_, end),) = bars(pen, 20.0)
    assert end == pytest.approx(middle)
    for bar, dot, (_, row) in zip(bars(pen, 7.0), dots(pen), g.table.iterrows(), strict=True):
        # Both ends and the mean lie in the same proportions as their figures.
        scale = (dot - middle) / row["difference"]
        ends = (bar[0] - middle) / scale, (bar[1] - middle) / scale
        assert ends == pytest.approx((row["lower"], row["upper"]))
    assert g.table["verdict"].tolist() == ["not worse", "superior", "worse"]
    assert [text for text in words(pen) if text in set(g.table["verdict"])] == [
        "not worse", "superior", "worse"
    ]  # fmt: skip


def test_too_few_datasets_have_no_bounds() -> None:
    assert bars(gate_pen(gated(3)), 7.0) == []
    assert "too few" in title(gated(3).plot(ax=fresh()))
