"""Curves show the tables that they are drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.plots._drawing import statement_words
from bayescompare.plots.curves import sensitivity_pen
from bayescompare.plots.pen import NARROW, WIDE
from bayescompare.studies import auc, success_curves, success_errors
from reproduction.contexts import success_study
from tests.methods.gsd.cases import ask
from tests.plots.drawn import apart, fresh, laid_out, legend, texts, title, with_a_twin

# how an order grows with δ ------------------------------------------------------------------------


def test_growth_counts_the_ordered_pairs(whole: Any) -> None:
    ax = whole.plot("growth")
    found = whole.thresholds.values
    least = np.fmin(found, found.T)[np.triu_indices(8, 1)]
    x, y = np.asarray(ax.lines[0].get_xdata()), np.asarray(ax.lines[0].get_ydata())
    assert y.tolist() == [(least <= delta).sum() for delta in x]
    first, *steps = texts(ax)
    assert first == "21 at δ = 0"
    names = whole.results.algorithms
    later = np.argwhere((found > 0) & np.isfinite(found)).tolist()
    assert sorted(steps) == sorted(f"{names[i]} over {names[j]}" for i, j in later)
    at_last = int(np.isfinite(least).sum())
    assert title(ax) == f"{at_last} of 28 pairs are ordered at some δ, {28 - at_last} at none"
    # The words stand beside the steps, and beside each other.
    laid_out(ax)
    across, up = ax.transData.transform(ax.lines[0].get_path().interpolated(1).vertices).T
    path = Path(np.stack([np.repeat(across, 2)[1:], np.repeat(up, 2)[:-1]], axis=1))
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(path.intersects_bbox(box, filled=False) for box in boxes)
    assert apart(boxes)


def test_growth_does_not_call_equivalent_pairs_ordered(uci: bc.Results) -> None:
    c = with_a_twin()
    assert c.summary().loc["A, B", "relation"] == "equivalent"
    ax = c.plot("growth", ax=fresh())
    assert "3 of 3 pairs are ordered" not in title(ax)
    assert texts(ax)[0] == "2 at δ = 0"
    pair = ask(uci, GSD(delta=0, permutations=1), algorithms=["BDS", "RF"])
    assert texts(pair.plot("growth", ax=fresh())) == ["0 at δ = 0", "RF over BDS"]


# contamination ------------------------------------------------------------------------------------


def test_the_robustness_curve_is_that_of_the_table(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=100), algorithms=["GBM", "CART"], rng=1)
    ax, curve = plots.plot_robustness(c, rng=3, ax=fresh()), c.robustness(rng=3)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curve["gamma"])
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve["pvalue"])
    assert f"significant up to γ = {curve.attrs['robust_up_to']:.3g}" in title(ax)
    assert title(ax).startswith("GBM dominates CART: ")


def test_the_robustness_curve_begins_at_the_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=60), algorithms=["BDS", "EN"], rng=1)
    ax = c.plot("robustness", ax=fresh())
    # Another seed gives another p-value, and perhaps another verdict, than the words beside it.
    assert float(np.asarray(ax.lines[0].get_ydata())[0]) == c.pvalue
    never = ask(uci, GSD(permutations=60), algorithms=["BDS", "RF"], rng=1)
    assert "not significant even without" in title(never.plot("robustness", ax=fresh()))


def test_robustness_is_of_a_test_of_two(uci: bc.Results, whole: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="two"):
        whole.plot("robustness", ax=fresh())
    boot = ask(uci, GSDBootstrap(resamples=10), algorithms=["BDS", "RF"], rng=1)
    with pytest.raises(bc.BayescompareError, match="robustness"):
        boot.plot("robustness", ax=fresh())


# priors, ropes and further datasets ---------------------------------------------------------------


@pytest.mark.parametrize("w", [WIDE, NARROW])
def test_the_pictures_of_sensitivity(example1: bc.Comparison, w: float) -> None:
    for table in (example1.sensitivity(), example1.rope_sensitivity("time")):
        pen = sensitivity_pen(table, w)
        leading = table.max().sort_values(ascending=False, kind="stable").index[:4]
        curves = [v["points"] for kind, v in pen.items if kind == "line" and v["stroke"] in "ab"]
        # Each curve is its column, on one scale for all.
        values = np.concatenate([table[label].to_numpy() for label in leading])
        heights = np.array([y for points in curves for _, y in points])
        np.testing.assert_allclose(np.polyval(np.polyfit(values, heights, 1), values), heights)
        assert heights[values.argmax()] == heights.min()
        words = [v["words"] for kind, v in pen.items if kind == "text"]
        assert words[-len(leading) :] == [statement_words(str(k), 90) for k in leading]
        assert table.index.name in words
        assert max(x for c in curves for x, _ in c) <= w
        # They differ without colour: by the shape of a mark, and whether it is filled.
        marks = [(k, v["fill"] == "paper") for k, v in pen.items if k in ("dot", "rect")]
        assert len(set(marks)) == len(leading)
        assert ("lower" in table.attrs) == any(kind == "shape" for kind, _ in pen.items)


def test_the_legend_of_a_plan_covers_no_curve() -> None:
    figures = {"settled": [0.2, 0.9], "settled_on_best": [0.1, 0.8], "mcse": [0.02] * 2}
    ax = plots.plot_plan(pd.DataFrame(figures, index=pd.Index([5, 10], name="more")))
    laid_out(ax)
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1  # type: ignore[union-attr]


# successes against errors -------------------------------------------------------------------------


def test_the_curves_drawn_are_the_curves_given() -> None:
    curves = success_curves(success_study(simulations=300, datasets=7, rng=2))
    ax = plots.plot_success(curves, ax=fresh())
    diagonal, *lines = ax.lines
    np.testing.assert_array_equal(diagonal.get_xydata(), [[0, 0], [1, 1]])
    assert legend(ax) == [f"{name}: AUC {auc(curve):.3f}" for name, curve in curves.items()]
    for line, curve in zip(lines, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), curve["error"])
        np.testing.assert_array_equal(line.get_ydata(), curve["success"])
    assert len({str(line._dash_pattern) for line in lines}) == len(lines)  # type: ignore[attr-defined]


def test_more_curves_than_styles_are_drawn_all_the_same() -> None:
    curve = success_errors([0.9, 0.8, 0.7], [True, False, True])
    ax = plots.plot_success({f"{'z' * 80}{k}": curve for k in range(20)}, ax=fresh())
    assert len(ax.lines) == 21
    assert max(map(len, legend(ax))) < 50


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "at least one"),
        (None, "at least one"),
        ([1, 2], "at least one"),
        ({"a": None}, r"curves\['a'\]"),
        ({"a": pd.DataFrame({"success": [0, 1]})}, r"curves\['a'\]"),
        ({"a": pd.DataFrame({"success": [0.0, np.nan], "error": [0, 1]})}, "shares"),
        ({"a": pd.DataFrame({"success": [0.0, 2.0], "error": [0, 1]})}, "shares"),
        ({"a": pd.DataFrame({"success": [0.0], "error": [0.0]})}, "shares"),
    ],
)
def test_bad_curves_are_refused(curves: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        plots.plot_success(curves, ax=fresh())
