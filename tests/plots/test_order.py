"""Hasse diagrams draw the edges of the order, winners above losers."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD
from bayescompare.plots._drawing import INK, PURPLE
from bayescompare.plots.order import draw_order
from bayescompare.plots.order_layout import broken
from tests.methods.gsd.cases import ask
from tests.plots.drawn import (
    apart,
    arrows,
    boxes,
    dominance_of,
    fresh,
    laid_out,
    nodes,
    texts,
    title,
)


@pytest.mark.parametrize("options", [{"fdr": 0.001}, {"fdr": 0.2}, {"fdr": 0.5}, {"level": 0.55}])
def test_the_transitive_reduction_is_drawn_downwards(pairs: bc.Pairwise, options: Any) -> None:
    ax = plots.plot_order(pairs, ax=fresh(), **options)
    graph, place = pairs.order(**options), nodes(ax)
    assert nx.is_directed_acyclic_graph(graph)
    assert arrows(ax) == set(nx.transitive_reduction(graph).edges)
    assert set(place) == set(pairs.results.algorithms)
    for winner, loser in arrows(ax):
        pieces = [text for text in ax.texts if text.get_label() == f"{winner}>{loser}"]
        # A long arrow passes a row in pieces, each beginning where the last one ended.
        assert pieces[0].get_position() == place[winner]
        assert pieces[-1].xy == place[loser]
        for one, other in itertools.pairwise(pieces):
            assert one.xy == other.get_position()
        assert place[winner][1] > place[loser][1]
    if options == {"level": 0.55}:
        # Rows are longest paths.
        for name in graph:
            above = nx.subgraph(graph, {*nx.ancestors(graph, name), name})
            assert -place[name][1] == nx.dag_longest_path_length(above, weight=None)


@pytest.mark.parametrize("fdr", [0.001, 0.2])
def test_nodes_do_not_overlap(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_order(pairs, fdr=fdr)
    laid_out(ax)
    assert apart(boxes(ax))


def test_algorithms_that_nothing_orders_have_their_own_row(tested: bc.Pairwise) -> None:
    ax = plots.plot_order(tested, ax=fresh())
    loose = [name for name, degree in tested.order().degree if not degree]
    height = {name: y for name, (_, y) in nodes(ax).items()}
    assert loose
    assert "not ordered" in texts(ax)
    assert len({height.pop(name) for name in loose}) == 1
    assert min(height.values()) > max(nodes(ax)[name][1] for name in loose)


def test_no_order_at_all() -> None:
    ax = plots.plot_order(bc.pairwise(bc.load_example("pnn"), n_jobs=1), ax=fresh())
    assert arrows(ax) == set()
    assert "0 of 1 pair " in title(ax)


def test_a_circle_is_one_box(pairs: bc.Pairwise, monkeypatch: pytest.MonkeyPatch) -> None:
    # B, C and D beat each other in a circle; A beats them all, and they beat E.
    edges = [("B", "C"), ("C", "D"), ("D", "B"), ("A", "B"), ("A", "E"), ("D", "E"), ("A", "D")]
    graph: nx.DiGraph[str] = nx.DiGraph(edges, mixed=[])
    monkeypatch.setattr(type(pairs), "ordered", lambda self, rule: graph)
    ax = plots.plot_order(pairs, ax=fresh())
    circle, place = "B\nC\nD\n(in a circle)", nodes(ax)
    assert set(place) == {"A", circle, "E"}
    assert place["A"][1] > place[circle][1] > place["E"][1]
    labels = {text.get_label() for text in ax.texts if text.get_label()}
    assert labels == {"A>B\nC\nD", "B\nC\nD>E"}  # A over E follows from these
    assert "in a circle" in title(ax)


def ring(names: list[str]) -> nx.DiGraph[str]:
    return nx.DiGraph([*itertools.pairwise(names), (names[-1], names[0])])


def test_what_a_circle_lists() -> None:
    names = [f"a{k}" for k in range(9)]
    (text,) = nodes(draw_order(ring(names), fresh()))
    assert text.splitlines() == [*names[:5], "and 4 more", "(in a circle)"]
    # A comma parts long names.
    (text,) = nodes(
        draw_order(ring([f"lab-{k}/multilingual-encoder-large" for k in range(2)]), fresh())
    )
    own = [[f"lab-{k}/multilingual-", "encoder-large,"] for k in range(2)]
    assert text.splitlines() == [*own[0], *own[1], "(in a circle)"]


def test_trade_offs_are_dashed_in_their_own_colour() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("A", "C")], mixed=[("A", "B", "A>B|B>A")])
    graph.add_nodes_from("AB")
    graph.graph["mixed"].append(("B", "C", "B=C|B=C"))  # no trade-off
    ax = draw_order(graph, fresh())
    dashed = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    colours = [to_hex(text.arrow_patch.get_edgecolor()).upper() for text in dashed]
    assert colours.count(PURPLE) == 1


def test_names_lose_what_they_all_begin_with() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("lab/net-one", "lab/net-two")], mixed=[])
    assert set(nodes(draw_order(graph, fresh()))) == {"one", "two"}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a name of twenty-six chars", ["a name of twenty-six chars"]),
        ("lab/multilingual-encoder-large-v2", ["lab/multilingual-", "encoder-large-v2"]),
        ("a name with some words to be broken", ["a name with some", "words to be broken"]),
        ("x" * 40, ["x" * 20, "x" * 20]),
        # No sign leaves both lines short enough.
        ("a-" + "x" * 38, ["a-" + "x" * 18, "x" * 20]),
    ],
)
def test_long_names_are_broken_between_words(name: str, lines: list[str]) -> None:
    assert broken(name) == lines


def test_sixty_names_of_forty_letters_are_whole_and_do_not_overlap() -> None:
    names = [f"lab-{k % 7}/multilingual-encoder-large-v{k:04d}-x" for k in range(60)]
    assert {len(name) for name in names} == {40}
    # Five rows of ten, a circle, and some that nothing orders.
    rows = [names[10 * k : 10 * k + 10] for k in range(5)]
    graph: nx.DiGraph[str] = nx.DiGraph(
        edge
        for above, below in itertools.pairwise(rows)
        for edge in itertools.product(above, below)
    )
    graph.add_edges_from(ring(names[50:53]).edges)
    graph.add_nodes_from(names)
    ax = draw_order(graph, None)
    written = "\n".join(nodes(ax)).replace("\n", "")
    assert all(name in written for name in names)
    for text in ax.texts:  # measuring hundreds of arrows takes long
        if text.get_label():
            text.set_visible(False)
    edge, found = laid_out(ax).bbox, boxes(ax)
    assert len(found) == 58
    assert apart(found)
    assert all(edge.x0 <= b.x0 and b.x1 <= edge.x1 and b.y0 >= edge.y0 for b in found)


def test_many_arrows_are_pale() -> None:
    def colours(n: int) -> set[str]:
        names = [f"a{k}" for k in range(2 * n)]
        graph: nx.DiGraph[str] = nx.DiGraph(itertools.product(names[:n], names[n:]))
        shown = [t for t in draw_order(graph, fresh()).texts if t.get_label()]
        return {to_hex(arrow.arrow_patch.get_edgecolor()).upper() for arrow in shown}

    assert colours(7) == {INK}
    assert colours(8) == {"#999999"}


@pytest.mark.slow
def test_two_hundred_names_of_an_order_do_not_overlap() -> None:
    names = [f"algorithm {k:03d}" for k in range(200)]
    star: nx.DiGraph[str] = nx.DiGraph((names[0], name) for name in names[1:])
    # A chain of a dozen, and many arrows that pass all its rows.
    chain: nx.DiGraph[str] = nx.DiGraph(itertools.pairwise(names[:12]))
    chain.add_edges_from((names[0], name) for name in names[12:150])
    chain.add_edges_from((name, names[11]) for name in names[12:150])
    chain.add_nodes_from(names)
    for graph in (star, chain):
        ax = draw_order(graph, None)
        assert laid_out(ax).get_size_inches().max() < 60
        assert len(boxes(ax)) == 200
        assert apart(boxes(ax))


# dominance in the data ----------------------------------------------------------------------------


def test_the_diagram_of_dominance_has_the_edges_of_the_order(whole: Any) -> None:
    ax = whole.plot(ax=fresh())
    assert arrows(ax) == set(whole.order().edges) == arrows(plots.plot_relation(whole, ax=fresh()))
    height = {name: y for name, (_, y) in nodes(ax).items()}
    assert set(whole.results.algorithms) == set(height)
    assert all(height[a] > height[b] for a, b in whole.order().edges)
    assert whole.headline() in title(ax)
    assert all(f"{a} and {b}" in title(ax) for a, b in whole.incomparable)
    # A sentence of its own: "each of the other 7 is" has its own end.
    assert "\nIncomparable pairs: " in ax.get_title(loc="left")


def test_the_diagram_of_an_order_without_order() -> None:
    cells = np.array([[[9, 1], [1, 9], [5, 5]], [[8, 1], [1, 8], [5, 4]]], dtype=float)
    ax = dominance_of(cells, delta=0).plot(ax=fresh())
    assert arrows(ax) == set()
    assert "no algorithm is dominated by another" in title(ax)


def test_a_pair_can_be_drawn_as_a_diagram_too(uci: bc.Results) -> None:
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=["GBM", "CART"])
    assert arrows(c.plot("relation", ax=fresh())) == {("GBM", "CART")}
