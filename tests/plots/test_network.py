"""The drawing of a network: arrows, links in words and the answers of groups are the answer's."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots.network import network_pen
from bayescompare.text import numbers
from tests.plots.drawn import fresh, grouped, inside, network_of, texts, title


def linked(c: Any, a: str, b: str) -> str:
    both = float(c.edges.sel(parent=a, child=b) + c.edges.sel(parent=b, child=a))
    return numbers.narrow_probability(both)


def test_arrows_have_the_edges_probabilities(network: Any) -> None:
    shown = texts(network.plot("network", ax=fresh()))
    wanted = [
        f"{numbers.narrow_probability(float(network.edges.sel(parent=parent, child=child)))} / "
        f"{linked(network, parent, child)}"
        for parent, child in network.answer.facts.edges
    ]
    assert sorted(text for text in shown if " / " in text and "P(" not in text) == sorted(wanted)
    assert set(network.results.measures) <= set(shown)
    heads = re.findall(r"<path [^>]*Z\"", network_pen(network).svg())
    assert len(heads) == len(wanted)


@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 1.0])
def test_probable_links_outside_the_graph_are_named(network: Any, least: float) -> None:
    said = " ".join(texts(plots.plot_network(network, least=least, ax=fresh())))
    drawn = {frozenset(edge) for edge in network.answer.facts.edges}
    for a, b in itertools.combinations(network.results.measures, 2):
        values = network.edges.sel(parent=[a, b], child=[a, b]).values
        named = values.sum() >= least and frozenset((a, b)) not in drawn
        assert (f"{a} – {b} {linked(network, a, b)}" in said) == named


def test_answers_of_groups_are_the_components(network: Any) -> None:
    said = texts(plots.plot_network(network, ax=fresh()))
    for part in network.components.to_dict("records"):
        sure = numbers.probability_equation(part["probability"])
        (caption,) = (
            text
            for text in said
            if text.startswith("P ") and all(name in text for name in part["measures"])
        )
        assert caption.startswith(sure)
        assert ("Monte Carlo" in caption) == (not part["exact"])
        assert "B better on " in caption


def test_mixed_statements_are_told_by_measure() -> None:
    frame = grouped(2).to_frame()
    frame["q1"] = -frame["q1"]
    turned = bc.Results.from_frame(frame, measures={"q0": "max", "q1": "max"})
    ax = bc.compare(turned, method="network").plot("network", ax=fresh())
    assert any(text.endswith("B better on q0; A better on q1") for text in texts(ax))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2,), (1, 1), (1,) * 9, (6, 4, 2), (12,)])
def test_names_have_room(sizes: tuple[int, ...]) -> None:
    c = network_of(*sizes)
    assert inside(c.plot("network"))
    for wide in (720.0, 358.0):
        boxes = [v for kind, v in network_pen(c, wide).items if kind == "rect" and v["r"] == 5]
        assert len(boxes) == sum(sizes)
        assert all(v["x"] >= 0 and v["x"] + v["w"] <= wide for v in boxes)


@pytest.mark.parametrize(
    ("options", "said", "words"),
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
def test_the_title_says_what_graph_it_is(options: Any, said: str, words: str) -> None:
    ax = network_of(*options.pop("sizes"), **options).plot("network", ax=fresh())
    assert title(ax).startswith(said)
    assert words in " ".join(texts(ax))


def test_a_saved_network_gives_the_same_picture(network: Any, tmp_path: Path) -> None:
    for name in ("c.json", "c.nc"):
        path = tmp_path / name
        (network.to_json if name.endswith("json") else network.to_netcdf)(path)
        again = bc.load_comparison(path).plot("network", ax=fresh())
        assert texts(again) == texts(network.plot("network", ax=fresh()))


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan"), "all", None, True])
def test_least_is_checked(network: Any, least: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="least="):
        plots.plot_network(network, least=least, ax=fresh())
