"""What the plot of a network shows, and its layout on the circle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.methods._shared.priors import is_number
from bayescompare.plots._drawing import clip_drawn_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.methods.network.details import NetworkDetails

__all__ = [
    "NAME",
    "NAME_CHARACTER",
    "NAME_LINE",
    "TO_NAME",
    "Edge",
    "NetworkPicture",
    "picture_of_network",
    "places_in_network_layout",
    "plotted_edge_probabilities",
    "plotted_link_probability",
    "plotted_name_alignment",
    "plotted_network_details",
    "plotted_network_groups",
    "plotted_network_radius",
    "wanted_plot_radius",
]

Edge = tuple[str, str]

#: Longest name, inches per character and line of it, and points from a node's middle to it.
NAME, NAME_CHARACTER, NAME_LINE, TO_NAME = 24, 0.087, 0.17, 14.0

#: Room between groups on the circle, in nodes.
_GAP = 0.75


@dataclass(frozen=True)
class NetworkPicture:
    """The content of the plot.

    Attributes
    ----------
    groups : list of list of str
        The components, each in its order on the circle.
    edges : list of (str, str)
        Arrows of the graph, from parent to child.
    others : list of (str, str)
        Links that are not in the graph but probable enough.
    probability : DataArray or None
        `c.edges`, None if graphs would have to be sampled for it.
    """

    groups: list[list[str]]
    edges: list[Edge]
    others: list[Edge]
    probability: xr.DataArray | None


def plotted_edge_probabilities(c: Comparison) -> xr.DataArray | None:
    """Return `c.edges`, or None if graphs would have to be sampled for it and were not yet."""
    from bayescompare.methods.network.edges import are_graphs_summed

    summed = are_graphs_summed(len(c.results.measures), plotted_network_details(c).max_parents)
    return c.edges if summed or "edges" in vars(c) else None


def plotted_link_probability(edges: xr.DataArray) -> FloatArray:
    """P(two measures are linked in either direction): an edge never goes both ways."""
    values: FloatArray = edges.to_numpy()
    return values + values.T


def picture_of_network(c: Comparison, least: float) -> NetworkPicture:
    """Return the content of the plot of a comparison."""
    if "network" not in c.method.provides:
        raise c.method.unavailable("network")
    if not is_number(least) or not 0 <= least <= 1:
        raise BayescompareError(f"least={least!r}: must be a probability, from 0 to 1.")
    names = list(c.results.measures)
    edges = list(plotted_network_details(c).edges)
    probability = plotted_edge_probabilities(c)
    others: list[Edge] = []
    if probability is not None:
        drawn = {frozenset(edge) for edge in edges}
        linked = plotted_link_probability(probability)
        others = [
            (names[i], names[j])
            for i, j in itertools.combinations(range(len(names)), 2)
            if linked[i, j] >= least and {names[i], names[j]} not in drawn
        ]
    groups = [
        _uncross_network_plot_layout(group, edges, others) for group in plotted_network_groups(c)
    ]
    return NetworkPicture(groups, edges, others, probability)


def plotted_network_details(c: Comparison) -> NetworkDetails:
    """Return the graph that a comparison by the network test has learned."""
    return cast("NetworkDetails", c.answer.details)


def plotted_network_groups(c: Comparison) -> list[list[str]]:
    """Return the measures of each component."""
    return [list(group.measures) for group in plotted_network_details(c).components]


def _uncross_network_plot_layout(
    group: Sequence[str], edges: Sequence[Edge], others: Sequence[Edge]
) -> list[str]:
    """Order a group on the circle so that few of its links cross and the links are short.

    In depth-first order a tree has no crossings; swaps then reduce those of other graphs.
    """
    members = set(group)
    inside = [edge for edge in edges if set(edge) <= members]
    faint = [edge for edge in others if set(edge) <= members]
    order = _network_plot_depth_first(group, inside)
    if len(order) < 4:
        return order
    pairs = np.array([[order.index(a), order.index(b)] for a, b in [*inside, *faint]])
    weight = np.array([1.0] * len(inside) + [0.1] * len(faint))
    at = np.arange(len(order))
    best = _network_plot_layout_tangle(at[pairs], weight, len(order))
    for _ in range(3):
        before = best
        for i, j in itertools.combinations(range(len(order)), 2):
            at[[i, j]] = at[[j, i]]
            tangle = _network_plot_layout_tangle(at[pairs], weight, len(order))
            if tangle < best - 1e-9:
                best = tangle
            else:
                at[[i, j]] = at[[j, i]]
        if best == before:
            break
    return [order[k] for k in np.argsort(at)]


def _network_plot_depth_first(group: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(group)
    graph.add_edges_from(edges)
    return list(nx.dfs_preorder_nodes(graph, group[0]))


def _network_plot_layout_tangle(pairs: IntArray, weight: FloatArray, size: int) -> float:
    """Return the weighted crossings plus the chords' lengths, which break ties."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    begins = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    crossings = (begins * weight[:, None] * weight).sum()
    length = np.sin(np.pi * (high - low) / size)
    return float(crossings + 0.05 * (weight * length).sum())


# layout ------------------------------------------------------------------------------------------


def wanted_plot_radius(measures: int) -> float:
    """Return the radius in inches that leaves room for the figures on the links."""
    return 1.25 + 0.11 * measures


def places_in_network_layout(groups: Sequence[Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Place the measures on the unit circle, clockwise, with gaps between groups."""
    gap = _GAP if len(groups) > 1 else 0.0
    slots = sum(len(group) + gap for group in groups)
    count = sum(map(len, groups))
    # Two measures are side by side; more start at the top.
    start = math.pi if count == 2 else math.pi / 2
    place, at = {}, 0.0
    for group in groups:
        for name in group:
            angle = start - 2 * math.pi * at / slots
            place[name] = (math.cos(angle), math.sin(angle))
            at += 1
        at += gap
    return place


def plotted_name_alignment(x: float) -> str:
    """Return the alignment that puts a name outside its node."""
    return "center" if abs(x) < 0.06 else "left" if x > 0 else "right"


def plotted_network_radius(
    place: Mapping[str, tuple[float, float]], width: float, height: float
) -> float:
    """Return the largest radius in inches at which all names stay within width and height."""
    limits = [1.5 * wanted_plot_radius(len(place))]
    for name, (x, y) in place.items():
        long = NAME_CHARACTER * len(clip_drawn_text(name, NAME))
        beside = long / 2 if plotted_name_alignment(x) == "center" else long + TO_NAME / 72
        if abs(x) > 0.06:
            limits.append((width / 2 - beside) / abs(x))
        if abs(y) > 0.06:
            limits.append((height / 2 - TO_NAME / 72 - NAME_LINE) / abs(y))
    return max(min(limits), 0.35)
