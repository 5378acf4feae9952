"""Curves of successes against errors, as drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.studies import auc, success_curves, success_errors, success_study


def fresh() -> Axes:
    return Figure(figsize=(6, 6)).subplots()


@pytest.fixture(scope="module")
def curves() -> dict[str, pd.DataFrame]:
    return success_curves(success_study(simulations=600, datasets=7, rng=2))


def test_the_curves_drawn_are_the_curves_given(curves: dict[str, pd.DataFrame]) -> None:
    ax = plots.plot_success(curves, ax=fresh())
    diagonal, *lines = ax.lines
    np.testing.assert_array_equal(diagonal.get_xydata(), [[0, 0], [1, 1]])
    legend = ax.get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    assert words == [f"{name}: AUC {auc(curve):.3f}" for name, curve in curves.items()]
    for line, curve in zip(lines, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), curve["error"])
        np.testing.assert_array_equal(line.get_ydata(), curve["success"])


def test_lines_differ_without_colour(curves: dict[str, pd.DataFrame]) -> None:
    _, *lines = plots.plot_success(curves, ax=fresh()).lines
    dashes = {str(line._dash_pattern) for line in lines}
    assert len(dashes) == len(lines)


def test_more_curves_than_styles_are_drawn_all_the_same() -> None:
    curve = success_errors([0.9, 0.8, 0.7], [True, False, True])
    ax = plots.plot_success({f"m{k}": curve for k in range(20)}, ax=fresh())
    assert len(ax.lines) == 21


def test_odd_names_are_shown_as_they_are() -> None:
    curve = success_errors([0.9, 0.8, 0.7], [True, False, True])
    ax = plots.plot_success({"$x_1": curve, "<b>": curve, "z" * 80: curve}, ax=fresh())
    legend = ax.get_legend()
    assert legend is not None
    texts = legend.get_texts()
    assert texts[0].get_text().startswith("$x_1: AUC")
    assert not any(text.get_parse_math() for text in texts)
    assert max(len(text.get_text()) for text in texts) < 50
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("given_curves", "message"),
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
def test_bad_curves_are_refused(given_curves: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        plots.plot_success(given_curves, ax=fresh())
