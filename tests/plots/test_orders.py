"""Graphs: lines of an order are the verdicts; arrows, links and words of a network the answer's."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots.orders import network_pen, order_graph, order_pen
from bayescompare.plots.pen import NARROW, WIDE
from bayescompare.text import numbers
from tests.plots.drawn import fresh, grouped, network_of, pairs_of, texts, title, words


@pytest.mark.parametrize("l", [2, 5, 8, 30])
def test_lines_of_the_order_are_its_reduction(l: int) -> None:
    p = pairs_of(l)
    graph = order_graph(p, p.decision)
    pen = order_pen(graph, "on every measure")
    lines = [v for kind, v in pen.items if kind == "line" and v["curved"]]
    assert len(lines) == nx.transitive_reduction(graph).number_of_edges()
    assert set(p.results.algorithms) <= set(words(pen))
    assert set(graph.edges) == {(a, b) for a, some in p.decision.beats.items() for b in some}


def test_the_order_of_a_measure_rests_on_that_measure() -> None:
    p = pairs_of(8)
    graph = order_graph(p, p.decision, "m1")
    rows = p.parts.xs("m1", level="measure")
    better = rows[rows["word"] == "better"]
    assert {winner for winner, _ in graph.edges} == set(better["ahead"])
    assert graph.number_of_edges() == len(better)
    assert "on m1" in texts(p.plot("order", measure="m1", ax=Figure().subplots()))


def test_those_in_a_circle_share_a_box() -> None:
    ring: nx.DiGraph[str] = nx.DiGraph([("x", "y"), ("y", "z"), ("z", "x"), ("z", "w")])
    pen = order_pen(ring, "on m")
    assert "x, y, z" in words(pen)
    assert sum(kind == "line" for kind, _ in pen.items) == 1


def test_an_order_that_is_too_deep_goes_down() -> None:
    names = [f"algorithm-{k}" for k in range(10)]
    pen = order_pen(nx.DiGraph(itertools.pairwise(names)), "on m")
    boxes = [v for kind, v in pen.items if kind == "rect"]
    assert len({round(v["y"]) for v in boxes}) == 10
    assert max(v["x"] + v["w"] for v in boxes) <= WIDE


# a network of measures ----------------------------------------------------------------------------


def linked(c: Any, a: str, b: str) -> str:
    both = float(c.edges.sel(parent=a, child=b) + c.edges.sel(parent=b, child=a))
    return numbers.narrow_probability(both)


def test_arrows_have_the_edges_probabilities(network: Any) -> None:
    wanted = [
        f"{numbers.narrow_probability(float(network.edges.sel(parent=parent, child=child)))} / "
        f"{linked(network, parent, child)}"
        for parent, child in network.answer.facts.edges
    ]
    pen = network_pen(network)
    shown = [text for text in words(pen) if " / " in text and "P(" not in text]
    assert sorted(shown) == sorted(wanted)
    assert set(network.results.measures) <= set(words(pen))
    assert sum(kind == "shape" for kind, _ in pen.items) == len(wanted)


@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 1.0])
def test_probable_links_outside_the_graph_are_named(network: Any, least: float) -> None:
    said = " ".join(texts(plots.plot_network(network, least=least, ax=fresh())))
    drawn = {frozenset(edge) for edge in network.answer.facts.edges}
    for a, b in itertools.combinations(network.results.measures, 2):
        values = network.edges.sel(parent=[a, b], child=[a, b]).values
        named = values.sum() >= least and frozenset((a, b)) not in drawn
        assert (f"{a} – {b} {linked(network, a, b)}" in said) == named


def test_answers_of_groups_are_the_components(network: Any, tmp_path: Path) -> None:
    said = texts(plots.plot_network(network, ax=fresh()))
    for part in network.components.to_dict("records"):
        (caption,) = (
            text
            for text in said
            if text.startswith("P ") and all(name in text for name in part["measures"])
        )
        assert caption.startswith(numbers.probability_equation(part["probability"]))
        assert ("Monte Carlo" in caption) == (not part["exact"])
        assert "B better on " in caption
    network.to_json(tmp_path / "c.json")
    again = bc.load_comparison(tmp_path / "c.json").plot("network", ax=fresh())
    assert texts(again) == said


def test_mixed_statements_are_told_by_measure() -> None:
    frame = grouped(2).to_frame()
    frame["q1"] = -frame["q1"]
    turned = bc.Results.from_frame(frame, measures={"q0": "max", "q1": "max"})
    ax = bc.compare(turned, method="network").plot("network", ax=fresh())
    assert any(text.endswith("B better on q0; A better on q1") for text in texts(ax))


@pytest.mark.slow
def test_names_have_room() -> None:
    sizes = 6, 4, 2
    for wide in (WIDE, NARROW):
        items = network_pen(network_of(*sizes), wide).items
        boxes = [v for kind, v in items if kind == "rect" and v["r"] == 5]
        assert len(boxes) == sum(sizes)
        assert all(v["x"] >= 0 and v["x"] + v["w"] <= wide for v in boxes)


@pytest.mark.parametrize(
    ("options", "said", "below"),
    [
        ({"sizes": (3,), "max_parents": 2}, "learned graph: 2 arrows, all measures linked", ""),
        ({"sizes": (3,), "search": [("q0", "q1")]}, "graph given: 1 arrow, 2 independent", ""),
        ({"sizes": (3,), "average": True}, "best graph: ", ""),
        (
            {"sizes": (1, 1, 1), "max_parents": 0},
            "learned graph: no arrows, 3 independent groups",
            "No link has P ≥ 0.05",
        ),
        (
            {"sizes": (10, 10), "max_parents": 2, "search": [("q0", "q1"), ("q1", "q2")]},
            "graph given: 2 arrows",
            "No probabilities",
        ),
    ],
)
def test_the_title_says_what_graph_it_is(options: Any, said: str, below: str) -> None:
    ax = network_of(*options.pop("sizes"), **options).plot("network", ax=fresh())
    assert title(ax).startswith(said)
    assert below in " ".join(texts(ax))


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan"), "all", None, True])
def test_least_is_checked(network: Any, least: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="least="):
        plots.plot_network(network, least=least, ax=fresh())
