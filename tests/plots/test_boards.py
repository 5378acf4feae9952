"""Pictures that a pen draws: statements, places, the staircase of pairs and the order.

What is drawn is read back from the pen: every name and figure, marks that agree with the verdicts,
and nothing outside the picture, for 2 to 100 algorithms and names of 50 letters.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.plots.boards import (
    NARROW,
    WIDE,
    order_graph,
    order_pen,
    places_pen,
    staircase_pen,
    states_of_pairs,
)
from bayescompare.plots.pen import Pen, fit, width
from bayescompare.plots.statements import plot_statements, statements_pen
from tests.tables import table


@cache
def board(l: int, long: bool = False, n: int = 12, measures: int = 2) -> bc.Results:
    rng = np.random.default_rng(l)
    level = np.linspace(4.0, 0.0, l)[:, None] * np.array([1.0, 0.6, -0.4])[:measures]
    values = rng.normal(size=(n, l, measures)) + level
    names = [
        f"{'a-very-long-laboratory/encoder-' * long}{k:03d}{'x' * 16 * long}" for k in range(l)
    ]
    return table(values, names=names)


@cache
def pairs(l: int, long: bool = False) -> bc.Pairwise:
    return bc.pairwise(board(l, long), n_jobs=1)


@cache
def ranking(l: int, long: bool = False) -> bc.Ranking:
    return bc.rank(board(l, long), draws=200, rng=0)


def pens(l: int, long: bool, w: float) -> dict[str, Pen]:
    p = pairs(l, long)
    names = list(p.decision.names)
    return {
        "staircase": staircase_pen(p, p.decision, names, w),
        "order": order_pen(order_graph(p, p.decision), "on every measure", w),
        "places": places_pen(ranking(l, long), w),
        "statements": statements_pen(p[names[0], names[-1]], w),
    }


def words(pen: Pen) -> list[str]:
    return [v["words"] for kind, v in pen.items if kind == "text"]


def tips(pen: Pen) -> str:
    return " ".join(v["tip"] for _, v in pen.items if v.get("tip"))


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
    p = pairs(100)
    pen = staircase_pen(p, p.decision, list(p.decision.names), w)
    most = 12 if w == NARROW else 30
    assert f"the first {most} by place; {100 - most} more" in words(pen)
    shown = words(places_pen(ranking(100), w, most=100))
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


def test_a_text_that_does_not_fit_keeps_both_ends() -> None:
    short = fit("first-part-and-the-last", 12, 80)
    assert short.startswith("fir")
    assert short.endswith("t")
    assert width(short, 12) <= 80


# the staircase ------------------------------------------------------------------------------------


def test_marks_of_the_staircase_are_the_verdicts() -> None:
    p = pairs(8)
    decided = p.decide()
    states = states_of_pairs(p, p.decision)
    held = decided[decided["decision"] == "better"]
    wins = {pair for pair, (state, _) in states.items() if state == "wins"}
    assert wins == set(zip(held["first"], held["second"], strict=True))
    for (first, second), (state, side) in states.items():
        rows = p.parts.loc[(first, second)]
        better = set(rows.loc[rows["word"] == "better", "ahead"])
        if state == "wins":
            assert better == {(first, second)[side]}
        assert (state in ("open", "leads", "leadsplit", "tied")) == (not better)
    pen = staircase_pen(p, p.decision, list(p.decision.names))
    filled = [v for kind, v in pen.items if kind == "shape" and v["fill"] in "ab" and v["tip"]]
    assert len(filled) == len(wins)


def test_pairs_in_another_order_turn_their_signs() -> None:
    p = pairs(8)
    names = list(p.decision.names)

    def directions(order: list[str]) -> Counter[str]:
        pen = staircase_pen(p, p.decision, order)
        return Counter(
            v["fill"] for kind, v in pen.items if kind == "shape" and v["fill"] in "ab" and v["tip"]
        )

    forwards, backwards = directions(names), directions(names[::-1])
    assert (forwards["a"], forwards["b"]) == (backwards["b"], backwards["a"])


# the order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("l", [2, 5, 8, 30])
def test_lines_of_the_order_are_its_reduction(l: int) -> None:
    p = pairs(l)
    graph = order_graph(p, p.decision)
    pen = order_pen(graph, "on every measure")
    lines = [v for kind, v in pen.items if kind == "line" and v["curved"]]
    assert len(lines) == nx.transitive_reduction(graph).number_of_edges()
    assert set(p.results.algorithms) <= set(words(pen))
    assert set(graph.edges) == {(a, b) for a, some in p.decision.beats.items() for b in some}


def test_the_order_of_a_measure_rests_on_that_measure() -> None:
    p = pairs(8)
    graph = order_graph(p, p.decision, "m1")
    rows = p.parts.xs("m1", level="measure")
    better = rows[rows["word"] == "better"]
    assert {winner for winner, _ in graph.edges} == set(better["ahead"])
    assert graph.number_of_edges() == len(better)
    ax = p.plot("order", measure="m1", ax=Figure().subplots())
    assert "on m1" in [text.get_text() for text in ax.texts]


def test_those_in_a_circle_share_a_box() -> None:
    ring: nx.DiGraph[str] = nx.DiGraph([("x", "y"), ("y", "z"), ("z", "x"), ("z", "w")])
    pen = order_pen(ring, "on m")
    assert "x, y, z" in words(pen)
    assert sum(kind == "line" for kind, _ in pen.items) == 1


def test_an_order_that_is_too_deep_goes_down() -> None:
    chain: nx.DiGraph[str] = nx.DiGraph(
        [(f"algorithm-{k}", f"algorithm-{k + 1}") for k in range(9)]
    )
    pen = order_pen(chain, "on m")
    boxes = [v for kind, v in pen.items if kind == "rect"]
    assert len({round(v["y"]) for v in boxes}) == 10
    assert max(v["x"] + v["w"] for v in boxes) <= WIDE


# places and statements ----------------------------------------------------------------------------


def test_places_and_intervals_are_those_of_the_ranking() -> None:
    r = ranking(8)
    pen = places_pen(r)
    said = tips(pen)
    for measure in r.results.measures:
        for name, row in r.places.loc[measure].iterrows():
            place, low, up = (row[c] for c in ("place", "lower", "upper"))
            assert f"{name}, {measure} ↑: place {place:g}, {low:g} to {up:g}" in said
    first = {
        v["tip"].split(",")[0]
        for kind, v in pen.items
        if kind == "dot" and v["fill"] == "a" and v["tip"]
    }
    assert first == {str(name) for _, name in r.tiers.index[r.tiers["at_best"] == 1]}


def test_few_datasets_have_no_intervals() -> None:
    r = bc.rank(table(np.random.default_rng(0).random((3, 4, 2))), rng=0)
    assert not any(kind == "rect" for kind, _ in places_pen(r).items)


def test_one_measure_has_p_best() -> None:
    r = bc.rank(board(8), measures=["m0"], draws=200, rng=0)
    shown = words(places_pen(r))
    assert "P(best)" in shown
    order = [text for text in shown if text in r.overall.index]
    assert sorted(order) == sorted(r.overall.index)
    tiers = [int(text[5:]) for text in shown if text.startswith("Tier ")]
    assert tiers == sorted(set(r.tiers["tier"]))
    assert [r.tiers["tier"][name] for name in order] == sorted(r.tiers["tier"])


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
