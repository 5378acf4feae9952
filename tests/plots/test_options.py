"""Titles, sizes and orders that every picture takes."""

from __future__ import annotations

import re
from typing import Any

import matplotlib.pyplot as plt
import pytest

import bayescompare as bc
from tests.plots.drawn import fresh, ticks, title


@pytest.fixture(scope="module")
def ranking() -> bc.Ranking:
    return bc.rank(bc.load_example("jansen-uci"), draws=200, rng=0)


def test_titles_and_sizes(pairs: bc.Pairwise, example1: bc.Comparison, ranking: bc.Ranking) -> None:
    for thing, kind in ((pairs, "matrix"), (example1, "statements"), (ranking, "places")):
        draw: Any = thing.plot
        ax = draw(kind, title="One and another", figsize=(5, 3))
        assert title(ax) == "One and another"
        assert ax.figure.get_size_inches().tolist() == [5.0, 3.0]
        plt.close(ax.figure)
        assert title(draw(kind, title="", ax=fresh())) == ""
        assert title(draw(kind, ax=fresh())) != ""


BY_PLACE = ["GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]


@pytest.mark.parametrize("kind", ["matrix", "dominance"])
def test_pairs_in_another_order(pairs: bc.Pairwise, kind: Any) -> None:
    rows = ticks(pairs.plot(kind, order="place", ax=fresh()))
    assert rows == BY_PLACE[: len(rows)]
    assert ticks(pairs.plot(kind, order=BY_PLACE[::-1], ax=fresh()))[:2] == ["CART", "EN"]
    assert ticks(pairs.plot(kind, ax=fresh()))[:2] == ["BDS", "CART"]


def test_places_in_another_order(ranking: bc.Ranking) -> None:
    assert ticks(ranking.plot(ax=fresh()))[0] == "GBM"
    assert ticks(ranking.plot(order=BY_PLACE[::-1], ax=fresh())) == BY_PLACE[::-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": 3}, "title=3: give a string"),
        ({"figsize": 3}, "figsize=3: give a width and a height"),
        ({"figsize": (3, -1)}, "give a width and a height"),
        ({"figsize": (3, 3), "ax": 1}, "figsize= is for a new figure, and ax="),
        ({"order": "name"}, "order='name': give 'place', or a list"),
        ({"order": ["GBM"]}, "order names 1 of 8 algorithms"),
        ({"order": ["GMB"]}, "no algorithm called 'GMB' here"),
    ],
)
def test_wrong_options_are_refused(pairs: bc.Pairwise, options: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=re.escape(message)):
        pairs.plot("matrix", **options)


def test_order_is_for_places(ranking: bc.Ranking) -> None:
    with pytest.raises(bc.BayescompareError, match="order= is for the plot 'places'"):
        ranking.plot("front", order=BY_PLACE)


def test_a_p_value_has_no_sensitivity_to_a_prior() -> None:
    with pytest.raises(bc.BayescompareError):
        bc.compare(bc.load_example("pnn"), method="glrt").plot("sensitivity", ax=fresh())


@pytest.mark.parametrize("kind", ["sensitivity", "plan"])
def test_legends_cover_no_curve(example1: bc.Comparison, kind: Any) -> None:
    ax = example1.plot(kind, figsize=(7, 4))
    assert ax.get_xlabel() == {"sensitivity": "strength", "plan": "further datasets"}[kind]
    figure: Any = ax.figure
    figure.canvas.draw()
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_window_extent().x0 >= ax.get_window_extent().x1
    plt.close(figure)
