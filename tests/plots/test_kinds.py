"""What all plots share: the Axes, kinds, titles, sizes, orders, and settings left untouched."""

from __future__ import annotations

import re
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import fresh, laid_out, texts, ticks, title

BY_PLACE = ["GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]


@pytest.mark.parametrize("kind", ["statements", "simplex", "matrix", "order", "critical", "places"])
def test_axes_given_are_used_and_without_them_one_figure_is_opened(
    kind: Any, three_states: bc.Comparison, pairs: bc.Pairwise, ranking: bc.Ranking
) -> None:
    thing: Any = {"matrix": pairs, "order": pairs, "critical": pairs, "places": ranking}.get(
        kind, three_states
    )
    options: Any = {"measure": "auc"} if kind == "critical" else {}
    before, settings = plt.get_fignums(), dict(mpl.rcParams)
    left, _ = Figure(figsize=(9, 5), layout="constrained").subfigures(1, 2)
    for ax in (fresh(), left.subplots()):
        assert thing.plot(kind, ax=ax, **options) is ax
        laid_out(ax)
    assert plt.get_fignums() == before
    made: Any = thing.plot(kind, **options).get_figure()
    assert set(plt.get_fignums()) - set(before) == {made.number}
    assert dict(mpl.rcParams) == settings


def test_a_figure_becomes_as_large_as_the_content_needs(pairs: bc.Pairwise) -> None:
    figure: Any = Figure(layout="constrained")
    ax = plots.plot_dominance(pairs, ax=figure)
    assert figure.axes == [ax]
    alone: Any = plots.plot_dominance(pairs).get_figure()
    assert figure.get_size_inches().tolist() == alone.get_size_inches().tolist()


@pytest.mark.parametrize("kind", ["order", "dominance", "critical"])
def test_the_rule_reaches_the_picture(pairs: bc.Pairwise, kind: Any) -> None:
    options: Any = {"measure": "auc"} if kind == "critical" else {}
    draw: Any = getattr(plots, f"plot_{kind}")
    one = pairs.plot(kind, fdr=0.2, ax=fresh(), **options)
    other = draw(pairs, fdr=0.2, ax=fresh(), **options)
    assert texts(one) == texts(other)
    assert title(one) == title(other) != title(pairs.plot(kind, ax=fresh(), **options))
    # The matrix shows no verdicts.
    assert len(plots.plot_pairwise(pairs, kind="matrix", fdr=0.2, ax=fresh()).images) == 1
    for fdr in (0.0, 1.0, -0.1, float("nan"), "0.05", True):
        with pytest.raises(bc.BayescompareError, match="fdr="):
            draw(pairs, fdr=fdr, ax=fresh(), **options)


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("dominance", None, "p is a NoneType: this plot shows the result of pairwise"),
        ("critical", [1, 2], "p is a list: this plot shows the result of pairwise"),
        ("matrix", bc.Measure("max"), "p is a Measure: this plot shows the result of pairwise"),
        ("statements", "pnn", "c is a str: this plot shows the result of compare"),
        ("places", 3, "r is a int: this plot shows the result of rank"),
        ("gate", {}, "g is a dict: this plot shows the result of gate"),
    ],
)
def test_each_plot_is_of_one_result(name: str, thing: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        getattr(plots, f"plot_{name}")(thing, ax=fresh())


def test_what_a_result_has_nothing_for_says_who_has_it(
    example1: bc.Comparison, uci: bc.Results
) -> None:
    three = bc.compare(uci, algorithms=["GBM", "RF", "CART"])
    who = {
        "network": "network",
        "shrinkage": r"per_dataset.*poisson-binomial",
        "ranks": r"ranks.*friedman",
        "relation": r"relation.*gsd",
        "growth": r"thresholds.*gsd",
        "robustness": r"robustness.*gsd",
    }
    for kind, message in who.items():
        for c in (example1, three):
            with pytest.raises(bc.BayescompareError, match=f"{message}.* Here set kind= to"):
                c.plot(kind, ax=fresh())
    with pytest.raises(bc.BayescompareError, match="sensitivity"):
        bc.compare(bc.load_example("pnn"), method="glrt").plot("sensitivity", ax=fresh())


def test_unknown_kinds_are_refused(example1: bc.Comparison, pairs: bc.Pairwise) -> None:
    for thing, kind, message in (
        (
            example1,
            "simplx",
            r"Unknown plot 'simplx': set kind= (?!.*network).*Did you mean 'simplex'",
        ),
        (pairs, "heat", r"Unknown plot 'heat': set kind= .*matrix"),
        (pairs, 3, "Unknown plot 3"),
    ):
        draw: Any = thing.plot
        with pytest.raises(bc.BayescompareError, match=message):
            draw(kind)


def test_titles_and_sizes(pairs: bc.Pairwise, example1: bc.Comparison, ranking: bc.Ranking) -> None:
    for thing, kind in ((pairs, "matrix"), (example1, "statements"), (ranking, "places")):
        draw: Any = thing.plot
        ax = draw(kind, title="One and another", figsize=(5, 3))
        assert title(ax) == "One and another"
        assert ax.figure.get_size_inches().tolist() == [5.0, 3.0]
        assert title(draw(kind, title="", ax=fresh())) == ""
        assert title(draw(kind, ax=fresh())) != ""


@pytest.mark.parametrize(("kind", "read"), [("matrix", ticks), ("dominance", texts)])
def test_pairs_in_another_order(pairs: bc.Pairwise, kind: Any, read: Any) -> None:
    rows = read(pairs.plot(kind, order="place", ax=fresh()))[:8]
    assert rows == BY_PLACE[: len(rows)]
    assert read(pairs.plot(kind, order=BY_PLACE[::-1], ax=fresh()))[:2] == ["CART", "EN"]
    assert read(pairs.plot(kind, ax=fresh()))[:2] == ["BDS", "CART"]


def test_places_in_another_order(ranking: bc.Ranking) -> None:
    drawn = [
        [text for text in texts(ax) if text in BY_PLACE]
        for ax in (ranking.plot(ax=fresh()), ranking.plot(order=BY_PLACE[::-1], ax=fresh()))
    ]
    assert drawn[0][0] == "GBM"
    assert drawn[1] == BY_PLACE[::-1]
    with pytest.raises(bc.BayescompareError, match="order= is for the plot 'places'"):
        ranking.plot("front", order=BY_PLACE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": 3}, "title=3: give a string"),
        ({"figsize": 3}, "figsize=3: give a width and a height"),
        ({"figsize": (3, -1)}, "give a width and a height"),
        ({"figsize": (3, 3), "ax": 1}, "figsize= is for a new figure, and ax="),
        ({"ax": 3}, "ax is a int"),
        ({"order": "name"}, "order='name': give 'place', or a list"),
        ({"order": ["GBM"]}, "order names 1 of 8 algorithms"),
        ({"order": ["GMB"]}, "no algorithm called 'GMB' here"),
    ],
)
def test_wrong_options_are_refused(pairs: bc.Pairwise, options: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=re.escape(message)):
        pairs.plot("matrix", **options)
