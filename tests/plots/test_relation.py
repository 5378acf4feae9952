"""The Hasse diagram of dominance has the edges of the order."""

from __future__ import annotations

import numpy as np

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD
from bayescompare.methods.gsd.comparison import GsdComparison
from tests.methods.gsd.cases import ask
from tests.plots.dominated import arrows
from tests.plots.drawn import fresh, title
from tests.tables import table


def test_incomparable_pairs_begin_a_sentence_of_their_own(
    whole: GsdComparison,
) -> None:
    shown = whole.plot("relation", ax=fresh(9, 7)).get_title(loc="left")
    # "each of the other 7 is" has its own end.
    assert "\nIncomparable pairs: " in shown


def test_the_hasse_diagram_has_the_edges_of_the_order(whole: GsdComparison) -> None:
    ax = whole.plot(ax=fresh())
    assert arrows(ax) == {f"{a}>{b}" for a, b in whole.order().edges}
    shown = [text.get_text() for text in ax.texts if text.get_text()]
    assert set(whole.results.algorithms) <= set(shown)
    assert whole.headline() in title(ax)
    for a, b in whole.incomparable:
        assert f"{a} and {b}" in title(ax)
    again = plots.plot_relation(whole, ax=fresh())
    assert arrows(again) == arrows(ax)


def test_better_ones_stand_higher(whole: GsdComparison) -> None:
    ax = whole.plot(ax=fresh())
    height = {
        t.get_text(): t.get_position()[1]
        for t in ax.texts
        if t.get_text() in whole.results.algorithms
    }
    for a, b in whole.order().edges:
        assert height[a] > height[b]


def test_the_diagram_of_an_order_without_order() -> None:
    cells = np.array([[[9, 1], [1, 9], [5, 5]], [[8, 1], [1, 8], [5, 4]]], dtype=float)
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    c = ask(table(cells, measures=measures), GSD(delta=0))
    ax = c.plot(ax=fresh())
    assert arrows(ax) == set()
    assert "no algorithm is dominated by another" in title(ax)


def test_pairs_can_be_drawn_as_a_diagram_too(uci: bc.Results) -> None:
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=["GBM", "CART"])
    assert arrows(c.plot("relation", ax=fresh())) == {"GBM>CART"}
