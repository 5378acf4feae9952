"""The drawing of a network: arrows, dashed links, groups and captions are the answer's."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import bayescompare as bc
from bayescompare import plots
from bayescompare.text import numbers
from tests.plots.drawn import apart, fresh, grouped, inside, network_of, texts, title

SOLID = ("-", "solid")


def links(ax: Axes, sign: str) -> dict[tuple[str, ...], Any]:
    """The arrows ("→") or the dashed lines ("–"), by their ends."""
    found: Any = {str(text.get_label()): text for text in ax.texts if text.get_label()}
    return {
        tuple(label.split(sign)): text.arrow_patch for label, text in found.items() if sign in label
    }


def dots(ax: Axes, c: Any) -> dict[str, tuple[float, float]]:
    """Where each measure's node is: its name is written from there."""
    names = {text.get_text(): text.get_position() for text in ax.texts}
    return {name: names[name] for name in c.results.measures}


def linked(c: Any, a: str, b: str) -> float:
    return float(c.edges.sel(parent=a, child=b) + c.edges.sel(parent=b, child=a))


def test_arrows_are_the_graph_s(network: Any) -> None:
    ax = network.plot("network", ax=fresh())
    edges = set(network.answer.facts.edges)
    drawn = links(ax, "→")
    assert set(drawn) == edges
    place = dots(ax, network)
    for (parent, child), arrow in drawn.items():
        assert arrow.get_linestyle() in SOLID
        (text,) = (text for text in ax.texts if text.get_label() == f"{parent}→{child}")
        assert (text.get_position(), text.xy) == (place[parent], place[child])


@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 1.0])
def test_dashed_lines_are_probable_links_outside_the_graph(network: Any, least: float) -> None:
    ax = plots.plot_network(network, least=least, ax=fresh())
    edges = {frozenset(edge) for edge in network.answer.facts.edges}
    pairs = set(itertools.combinations(network.results.measures, 2))
    wanted = {pair for pair in pairs if linked(network, *pair) >= least} - {
        pair for pair in pairs if frozenset(pair) in edges
    }
    drawn = links(ax, "–")
    assert set(drawn) == wanted
    assert all(line.get_linestyle() not in SOLID for line in drawn.values())


def test_widths_follow_the_probability(network: Any) -> None:
    ax = plots.plot_network(network, least=0.0, ax=fresh())
    for sign in "→–":
        drawn = sorted((linked(network, *pair), arrow) for pair, arrow in links(ax, sign).items())
        thickness = [arrow.get_linewidth() for _, arrow in drawn]
        assert thickness == sorted(thickness)
        assert thickness[0] < thickness[-1]
    thinnest = min(arrow.get_linewidth() for arrow in links(ax, "→").values())
    assert max(line.get_linewidth() for line in links(ax, "–").values()) < thinnest


def test_figures_are_the_edges_probabilities(network: Any) -> None:
    ax = plots.plot_network(network, ax=fresh())
    boxed = [text for text in ax.texts if text.get_bbox_patch() is not None]
    place = dots(ax, network)
    for parent, child in network.answer.facts.edges:
        one = numbers.narrow_probability(float(network.edges.sel(parent=parent, child=child)))
        both = numbers.narrow_probability(linked(network, parent, child))
        (x, y), (u, v) = place[parent], place[child]
        on_it = []
        for text in boxed:
            a, b = text.get_position()
            if abs((u - x) * (b - y) - (v - y) * (a - x)) < 1e-9:
                on_it.append(text.get_text())
        assert f"{one} / {both}" in on_it


def test_groups_have_colours_of_their_own_and_stand_apart(network: Any) -> None:
    ax = plots.plot_network(network, ax=fresh())
    place = dots(ax, network)
    fills = {}
    for points in ax.collections:
        fill = tuple(points.get_facecolor()[0])
        for x, y in np.asarray(points.get_offsets()):
            (name,) = (q for q, at in place.items() if np.allclose(at, (x, y)))
            fills[name] = fill
    groups = [tuple(part) for part in network.components["measures"]]
    assert {frozenset(q for q in fills if fills[q] == fill) for fill in set(fills.values())} == {
        frozenset(group) for group in groups
    }
    # On the circle neighbours in a group are nearer than neighbours of different groups.
    around = sorted(place, key=lambda q: np.arctan2(place[q][1], place[q][0]))
    within, across = [], []
    for a, b in itertools.pairwise([*around, around[0]]):
        gap = np.linalg.norm(np.subtract(place[a], place[b]))
        (within if fills[a] == fills[b] else across).append(gap)
    assert len(across) == len(groups)
    assert max(within) < min(across)


def test_captions_are_the_components_answers(network: Any) -> None:
    shown = [" ".join(text.split()) for text in texts(plots.plot_network(network, ax=fresh()))]
    for part in network.components.to_dict("records"):
        sure = numbers.probability_equation(part["probability"])
        (caption,) = (
            text
            for text in shown
            if text.startswith("P ") and all(name in text for name in part["measures"])
        )
        assert caption.startswith(sure)
        assert ("Monte Carlo" in caption) == (not part["exact"])
        assert "B>A on " in caption


def test_mixed_statements_are_told_by_measure() -> None:
    results = grouped(2)
    frame = results.to_frame()
    frame["q1"] = -frame["q1"]
    turned = bc.Results.from_frame(frame, measures={"q0": "max", "q1": "max"})
    ax = bc.compare(turned, method="network").plot("network", ax=fresh())
    assert any(text.endswith("B>A on q0; A>B on q1") for text in texts(ax))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2,), (1, 1), (3,), (1,) * 9, (6, 4, 2), (12,), (6, 5, 3)])
def test_names_and_figures_have_room(sizes: tuple[int, ...]) -> None:
    c = network_of(*sizes)
    ax = c.plot("network")
    assert inside(ax)
    plain = [text for text in ax.texts if not text.get_label()]
    named = [text.get_window_extent() for text in plain if text.get_text() in c.results.measures]
    printed = [text.get_window_extent() for text in plain if text.get_text().startswith("P ")]
    assert len(named) == sum(sizes)
    assert apart([*named, *printed])
    discs = [ax.transData.transform(at) for at in dots(ax, c).values()]
    for text in plain:
        if text.get_bbox_patch() is not None:
            box = text.get_window_extent()
            assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in discs)


def test_a_tree_is_drawn_without_crossings() -> None:
    rng = np.random.default_rng(0)
    names = [f"q{j}" for j in range(12)]
    tree = [(names[rng.integers(j)], names[j]) for j in range(1, 12)]
    c = network_of(12, search=tree)
    place = dots(plots.plot_network(c, ax=fresh()), c)
    turn = {q: np.arctan2(y, x) for q, (x, y) in place.items()}
    for (a, b), (u, v) in itertools.combinations(tree, 2):
        low, high = sorted((turn[a], turn[b]))
        apart = {a, b}.isdisjoint({u, v})
        assert not (apart and (low < turn[u] < high) != (low < turn[v] < high))


def test_beyond_sixteen_measures_the_graph_is_drawn_alone() -> None:
    c = network_of(10, 10, max_parents=2, search=[("q0", "q1"), ("q1", "q2")])
    ax = plots.plot_network(c, ax=fresh())
    assert set(links(ax, "→")) == set(c.answer.facts.edges)
    assert links(ax, "–") == {}
    assert not any(text.get_bbox_patch() for text in ax.texts)
    assert any("No probabilities" in text for text in texts(ax))


def test_no_links_at_all() -> None:
    c = network_of(1, 1, 1, max_parents=0)
    ax = plots.plot_network(c, ax=fresh())
    assert (links(ax, "→"), links(ax, "–")) == ({}, {})
    assert "no arrows, 3 independent groups" in title(ax)
    assert any("No link has P ≥ 0.05" in text for text in texts(ax))


def test_title_says_what_graph_it_is() -> None:
    def shown(**options: Any) -> str:
        return title(network_of(3, **options).plot("network", ax=fresh()))

    learned = shown(max_parents=2)
    assert learned.startswith("learned graph: 2 arrows, all measures linked")
    assert "at most 2 parents each, log BDeu = −" in learned
    assert shown(search=[("q0", "q1")]).startswith("graph given: 1 arrow, 2 independent groups")
    assert shown(average=True).startswith("best graph: ")


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
