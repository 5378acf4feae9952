"""Pictures that a pen draws: nothing is cut off, and the grid of statements is the summary.

What is drawn is read back from the pen: every name and figure, marks that agree with the verdicts,
and nothing outside the picture, for 2 to 100 algorithms and names of 50 letters.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.plots.orders import order_graph, order_pen
from bayescompare.plots.pairs import staircase_pen
from bayescompare.plots.pen import NARROW, WIDE, Pen, width
from bayescompare.plots.rows import places_pen
from bayescompare.plots.statements import plot_statements, statements_pen
from tests.plots.drawn import pairs_of, ranking_of, words


def pens(l: int, long: bool, w: float) -> dict[str, Pen]:
    p = pairs_of(l, long)
    names = list(p.decision.names)
    return {
        "staircase": staircase_pen(p, p.decision, names, w),
        "order": order_pen(order_graph(p, p.decision), "on every measure", w),
        "places": places_pen(ranking_of(l, long), w),
        "statements": statements_pen(p[names[0], names[-1]], w),
    }


CASES = [(8, False), (8, True), (30, False), (30, True)]


@pytest.mark.parametrize("w", [WIDE, NARROW])
@pytest.mark.parametrize(("l", "long"), CASES)
def test_nothing_is_cut_off_and_nothing_is_a_code(l: int, long: bool, w: float) -> None:
    for name, pen in pens(l, long, w).items():
        for kind, v in pen.items:
            if kind != "text":
                continue
            room = width(v["words"], v["size"], v["bold"])
            left = v["x"] - {"start": 0.0, "middle": room / 2, "end": room}[v["at"]]
            assert left >= -4.0, (name, v)
            assert left + room <= w + 6.0, (name, v)
            assert 0 <= v["y"] <= pen.h + 1, (name, v)
            assert not re.search(r"\w[>|]\w", f"{v['words']} {v['tip']}"), (name, v)
        assert pen.w == w


@pytest.mark.slow
@pytest.mark.parametrize("w", [WIDE, NARROW])
def test_a_hundred_algorithms(w: float) -> None:
    p = pairs_of(100)
    pen = staircase_pen(p, p.decision, list(p.decision.names), w)
    most = 12 if w == NARROW else 30
    assert f"the first {most} by place; {100 - most} more" in words(pen)
    shown = words(places_pen(ranking_of(100), w, most=100))
    assert sum(re.fullmatch(r"\d{3}|x+", text) is not None for text in shown) >= 95


@pytest.mark.parametrize("name", ["staircase", "order", "places", "statements"])
def test_svg_and_axes_show_the_same_words(name: str) -> None:
    pen = pens(8, False, WIDE)[name]
    svg = pen.svg()
    assert svg.count("<text") == len(words(pen))
    assert re.findall(r"#[0-9a-f]{3,6}\b", svg) == []  # colours are the page's own
    assert len(re.findall("<(?:rect|circle|path|text)", svg)) == len(pen.items)
    ax = pen.onto(Figure().subplots())
    assert Counter(text.get_text() for text in ax.texts) == Counter(words(pen))
    assert 'role="img" aria-label="' in svg


def test_the_grid_is_the_summary() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"))
    pen = statements_pen(c)
    shown = words(pen)
    assert shown[:2] == ["A wins", "B wins"]
    for wanted in ("0.80", "0.14", "0.052", "0.012", "3 : 9", "4 : 8", "P 0.961", "P 0.876"):
        assert wanted in shown
    circles = [v for kind, v in pen.items if kind == "dot" and v["r"] == 7.5]
    squares = [v for kind, v in pen.items if kind == "rect" and v["w"] == pytest.approx(13.5)]
    letters = "".join(label.replace("|", "") for label in c.answer.labels)
    assert len(circles) == letters.count("A>B")
    assert len(squares) == letters.count("B>A")
    means = [v["x"] for kind, v in pen.items if kind == "dot" and v["r"] == 4.5]
    theta = c.summary()["theta_mean"].to_numpy()
    assert np.corrcoef(means, theta)[0, 1] == pytest.approx(1.0)


def test_bounds_stand_in_place_of_one_probability() -> None:
    c = bc.compare(bc.load_example("pnn"), method=bc.methods.Dirichlet(prior="imprecise"))
    low, high = c.summary().iloc[0][["lower", "upper"]]
    assert any("–" in text for text in words(statements_pen(c)))
    assert low < high


def test_more_statements_than_asked_for_share_a_row() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"))
    assert "2 others" in words(statements_pen(c, most=2))
    assert not any("other" in text for text in words(statements_pen(c, most=3)))
    for most in (0, -1, 2.0, True, "all"):
        wrong: Any = most
        with pytest.raises(bc.BayescompareError, match="most="):
            plot_statements(c, most=wrong)


def test_tests_have_counts_and_no_probability() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method="glrt")
    shown = words(statements_pen(c))
    assert "P leads" not in shown
    assert {"6", "3", "2", "1"} <= set(shown)


def test_orders_of_three_are_written_out() -> None:
    uci = bc.load_example("jansen-uci")
    c = bc.compare(uci, algorithms=["GBM", "RF", "CART"], measures=["auc", "brier"])
    shown = words(statements_pen(c))
    assert "GBM > RF > CART" in shown
    assert any(text.startswith("auc: ") for text in shown)


def test_equal_is_a_sign_of_its_own() -> None:
    frame = pd.DataFrame({"dataset": range(20), "A": [1.0] * 20, "B": [1.0] * 20})
    frame = frame.melt("dataset", var_name="algorithm", value_name="m")
    c = bc.compare(frame, measures={"m": bc.Measure("max", rope=0.1)})
    assert "=" in words(statements_pen(c))
