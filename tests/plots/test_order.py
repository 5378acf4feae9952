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
from bayescompare.plots._drawing import INK, PURPLE
from bayescompare.plots.order import draw_order
from bayescompare.plots.order_layout import broken
from tests.plots.drawn import arrows, fresh, nodes, texts


@pytest.mark.parametrize("fdr", [0.001, 0.05, 0.2, 0.5])
def test_order_draws_the_transitive_reduction(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_order(pairs, fdr=fdr, ax=fresh())
    graph = pairs.order(fdr=fdr)
    assert nx.is_directed_acyclic_graph(graph)
    assert arrows(ax) == set(nx.transitive_reduction(graph).edges)
    assert set(nodes(ax)) == set(pairs.results.algorithms)


def test_order_arrows_lead_from_winner_down_to_loser(pairs: bc.Pairwise) -> None:
    ax = plots.plot_order(pairs, level=0.55, ax=fresh())
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
    place = nodes(plots.plot_order(pairs, level=0.55, ax=fresh()))
    graph = pairs.order(level=0.55)
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
    (text,) = nodes(draw_order(ring, fresh()))
    assert text.splitlines() == [*names[:5], "and 4 more", "(in a circle)"]


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


def test_a_comma_parts_the_long_names_of_a_circle() -> None:
    names = [f"lab-{k}/multilingual-encoder-large" for k in range(2)]
    ring: nx.DiGraph[str] = nx.DiGraph([(names[0], names[1]), (names[1], names[0])])
    (text,) = nodes(draw_order(ring, fresh()))
    own = [["lab-0/multilingual-", "encoder-large,"], ["lab-1/multilingual-", "encoder-large,"]]
    assert text.splitlines() == [*own[0], *own[1], "(in a circle)"]


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
    graph.add_edges_from([*itertools.pairwise(names[50:53]), (names[52], names[50])])
    graph.add_nodes_from(names)
    ax = draw_order(graph, None)
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    written = "\n".join(nodes(ax)).replace("\n", "")
    assert all(name in written for name in names)
    for text in ax.texts:  # measuring hundreds of arrows takes long
        if text.get_label():
            text.set_visible(False)
    figure.canvas.draw()
    boxes = [
        patch.get_window_extent() for t in ax.texts if (patch := t.get_bbox_patch()) is not None
    ]
    assert len(boxes) == 58
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    inside = figure.bbox
    assert all(inside.x0 <= b.x0 and b.x1 <= inside.x1 and b.y0 >= inside.y0 for b in boxes)
    plt.close(figure)


def test_many_arrows_are_pale() -> None:
    def colours(n: int) -> set[str]:
        names = [f"a{k}" for k in range(2 * n)]
        graph: nx.DiGraph[str] = nx.DiGraph(itertools.product(names[:n], names[n:]))
        arrows = [t for t in draw_order(graph, fresh()).texts if t.get_label()]
        return {to_hex(arrow.arrow_patch.get_edgecolor()).upper() for arrow in arrows}

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
