"""The diagram of the order draws the edges that are asserted, winners above losers."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots._drawing import PURPLE
from bayescompare.plots.order import draw_order_graph
from tests.plots.drawn import arrows, fresh, nodes, texts


@pytest.mark.parametrize("fdr", [0.001, 0.05, 0.2, 0.5])
def test_order_draws_the_transitive_reduction(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_order(pairs, fdr=fdr, ax=fresh())
    graph = pairs.order(fdr=fdr)
    assert nx.is_directed_acyclic_graph(graph)
    assert arrows(ax) == set(nx.transitive_reduction(graph).edges)
    assert set(nodes(ax)) == set(pairs.results.algorithms)


def test_order_arrows_lead_from_winner_down_to_loser(pairs: bc.Pairwise) -> None:
    ax = plots.plot_order(pairs, fdr=0.2, ax=fresh())
    place = nodes(ax)
    for winner, loser in arrows(ax):
        pieces = [text for text in ax.texts if text.get_label() == f"{winner}>{loser}"]
        # A long arrow passes a row in pieces, each beginning where the last one ended.
        assert pieces[0].get_position() == place[winner]
        assert pieces[-1].xy == place[loser]
        for one, other in itertools.pairwise(pieces):
            assert one.xy == other.get_position()
        assert place[winner][1] > place[loser][1]


def test_order_rows_are_longest_paths(pairs: bc.Pairwise) -> None:
    place = nodes(plots.plot_order(pairs, fdr=0.2, ax=fresh()))
    graph = pairs.order(fdr=0.2)
    for name in graph:
        above = [nx.subgraph(graph, {*nx.ancestors(graph, name), name})]
        assert -place[name][1] == nx.dag_longest_path_length(above[0], weight=None)


def test_nodes_do_not_overlap(pairs: bc.Pairwise) -> None:
    for fdr in (0.001, 0.05, 0.2):
        ax = plots.plot_order(pairs, fdr=fdr)
        figure = ax.get_figure()
        assert isinstance(figure, Figure)
        figure.canvas.draw()
        boxes = [
            patch.get_window_extent() for t in ax.texts if (patch := t.get_bbox_patch()) is not None
        ]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        plt.close(figure)


def test_algorithms_that_nothing_orders_have_their_own_row(tested: bc.Pairwise) -> None:
    ax = plots.plot_order(tested, ax=fresh())
    loose = [name for name, degree in tested.order().degree if not degree]
    place = nodes(ax)
    assert loose
    assert "not ordered" in texts(ax)
    assert len({place[name][1] for name in loose}) == 1
    assert max(place[name][1] for name in loose) < min(
        place[name][1] for name in place if name not in loose
    )


def test_no_order_at_all() -> None:
    p = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    ax = plots.plot_order(p, ax=fresh())
    assert arrows(ax) == set()
    assert "0 of 1 pair " in ax.get_title(loc="left").replace("\n", " ")


def test_a_circle_is_one_box(pairs: bc.Pairwise, monkeypatch: pytest.MonkeyPatch) -> None:
    # B, C and D beat each other in a circle; A beats them all, and they beat E.
    edges = [("B", "C"), ("C", "D"), ("D", "B"), ("A", "B"), ("A", "E"), ("D", "E"), ("A", "D")]
    graph: nx.DiGraph[str] = nx.DiGraph(edges, mixed=[])
    monkeypatch.setattr(type(pairs), "ordered", lambda self, rule: graph)
    ax = plots.plot_order(pairs, ax=fresh())
    circle = "B\nC\nD\n(in a circle)"
    place = nodes(ax)
    assert set(place) == {"A", circle, "E"}
    assert place["A"][1] > place[circle][1] > place["E"][1]
    labels = {text.get_label() for text in ax.texts if text.get_label()}
    assert labels == {"A>B\nC\nD", "B\nC\nD>E"}  # A over E follows from these
    assert "in a circle" in ax.get_title(loc="left").replace("\n", " ")


def test_a_large_circle_is_counted() -> None:
    names = [f"a{k}" for k in range(9)]
    ring: nx.DiGraph[str] = nx.DiGraph([*itertools.pairwise(names), (names[-1], names[0])])
    (text,) = nodes(draw_order_graph(ring, fresh()))
    assert text.splitlines() == [*names[:5], "and 4 more", "(in a circle)"]


def test_trade_offs_are_dashed_in_their_own_colour() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("A", "C")], mixed=[("A", "B", "A>B|B>A")])
    graph.add_nodes_from("AB")
    graph.graph["mixed"].append(("B", "C", "B=C|B=C"))  # no trade-off
    ax = draw_order_graph(graph, fresh())
    dashed = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    colours = [to_hex(text.arrow_patch.get_edgecolor()).upper() for text in dashed]
    assert colours.count(PURPLE) == 1


def test_names_lose_what_they_all_begin_with() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("lab/net-one", "lab/net-two")], mixed=[])
    assert set(nodes(draw_order_graph(graph, fresh()))) == {"one", "two"}


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
        ax = draw_order_graph(graph, None)
        figure = ax.get_figure()
        assert isinstance(figure, Figure)
        assert figure.get_size_inches().max() < 60
        figure.canvas.draw()
        boxes = np.array(
            [
                patch.get_window_extent().extents
                for t in ax.texts
                if (patch := t.get_bbox_patch()) is not None
            ]
        )
        assert len(boxes) == 200
        x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
        apart = (x1[:, None] < x0) | (x1 < x0[:, None]) | (y1[:, None] < y0) | (y1 < y0[:, None])
        assert apart[~np.eye(200, dtype=bool)].all()
        plt.close(figure)
