"""The graph of a network comparison: which measures depend on each other, and how surely."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.plots._drawing import (
    BLUE,
    GLUE,
    GREEN,
    INK,
    ORANGE,
    SKY,
    VERMILION,
    clip,
    finish,
    inches_of,
    moved,
    new_axes,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.statements import Statement
from bayescompare.text.numbers import (
    log_evidence_text,
    narrow_probability,
    plural,
    probability_equation,
    setting_number_text,
    standard_error_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from bayescompare.methods.network.posterior import Component, NetworkDetails

__all__ = ["plot_network"]

type Edge = tuple[str, str]
type Places = Mapping[str, tuple[float, float]]

#: Radius of a node in points; from its middle to its name.
_NODE, _TO_NAME = 7.0, 14.0

#: Longest name beside a node, inches per character and line of it; longest name in a caption.
_NAME, _LETTER, _LINE, _SHORT_NAME = 24, 0.087, 0.17, 18

#: Inches per line and per character of a caption, and of a figure's title.
_CAPTION_LINE, _CAPTION_LETTER, _FOR_TITLE = 0.165, 0.072, 0.5

#: Up to so many groups the captions are one column.
_ONE_COLUMN = 6

#: Up to this many links all have their figures; beyond, only those in the graph.
_ALL_FIGURES = 14

#: Where along a link its figure may stand, the best place first.
_PLACES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78)

#: Room between groups on the circle, in nodes.
_GAP = 0.75

#: Okabe & Ito's colours; neighbours differ, and the eighth group starts over.
_FILLS = (ORANGE, SKY, GREEN, "#F0E442", BLUE, "#CC79A7", VERMILION)


@dataclass(frozen=True)
class Graph:
    """What is known of the graph of a comparison.

    Attributes
    ----------
    details : NetworkDetails
        The graph that was learned, and the answer of each independent group.
    probability : DataArray or None
        `c.edges`, None if graphs would have to be sampled for it and were not yet.
    others : list of (str, str)
        Links that are not in the graph but probable enough.
    """

    details: NetworkDetails
    probability: xr.DataArray | None
    others: list[Edge]

    @property
    def groups(self) -> list[list[str]]:
        """The measures of each group."""
        return [list(group.measures) for group in self.details.components]


@dataclass(frozen=True)
class Caption:
    """Lines of small print, with the colour of their group."""

    lines: Sequence[str]
    fill: str | None
    column: int
    row: int


@plot_of(Comparison, "network", needs="network")
def plot_network(c: Comparison, *, least: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the learned graph: measures on a circle, with gaps between independent groups.

    Solid arrows are in the graph; each is labelled with the probability of that arrow and, after
    the stroke, that of a link in either direction, both over all graphs. A direction is often
    undecided (about half of the link's probability) even if the link itself is sure. Dashed
    lines are links outside the graph. The wider a line, the more probable its link. The answer
    of each group is below the circle.

    Parameters
    ----------
    c : Comparison
        A comparison by the method "network".
    least : float
        Links outside the graph are drawn if they are at least this probable.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Notes
    -----
    Beyond 16 measures there are no probabilities, and only the graph is drawn.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.load_example("jansen-uci")
    >>> c = bc.compare(r, algorithms=["GBM", "CART"], method="network")
    >>> ax = plot_network(c, ax=Figure().subplots())
    >>> [arrow.get_label() for arrow in ax.texts if arrow.get_label()]
    ['auc→accuracy', 'auc→brier', 'accuracy–brier']
    """
    graph = graph_of(c, least)
    wanted = _size(c)
    width, height = wanted[0] - 0.1, wanted[1] - _FOR_TITLE
    existing, ax = ax is not None, new_axes(ax, wanted)
    if existing:
        width, height = inches_of(ax)
    captions = _captions(graph, _key(graph, least), width)
    # The circle keeps a third of the Axes, however small they are.
    below = min(_CAPTION_LINE * _height(captions) + 0.1, height * 2 / 3)
    groups = [_uncrossed(group, graph) for group in graph.groups]
    place = _places(groups)
    radius = _radius(place, width, height - below)
    ax.set_xlim(-width / 2 / radius, width / 2 / radius)
    ax.set_ylim(-(height + below) / 2 / radius, (height - below) / 2 / radius)
    ax.set_axis_off()
    _draw_groups(ax, groups, place)
    _draw_links(ax, graph, place, radius)
    for name, (x, y) in place.items():
        ax.text(
            x,
            y,
            clip(name, _NAME),
            transform=moved(ax, ax.transData, _TO_NAME * x, _TO_NAME * y),
            ha=_alignment(x),
            va="bottom" if y > 0.8 else "top" if y < -0.8 else "center",
            color=INK,
            zorder=6,
        )
    _draw_captions(ax, captions)
    return finish(ax, *_title(c, graph))


def graph_of(c: Comparison, least: float) -> Graph:
    """Return the graph, and the links outside it that are at least so probable."""
    from bayescompare.posterior.graphs import are_summed

    if not is_number(least) or not 0 <= least <= 1:
        raise BayescompareError(f"least={least!r}: must be a probability, from 0 to 1.")
    details = cast("NetworkDetails", c.answer.facts)
    names = c.results.measures
    summed = are_summed(len(names), details.max_parents)
    probability = c.edges if summed or "edges" in vars(c.posterior) else None
    others: list[Edge] = []
    if probability is not None:
        drawn, linked = set(map(frozenset, details.edges)), link_probability(probability)
        others = [
            (names[i], names[j])
            for i, j in itertools.combinations(range(len(names)), 2)
            if linked[i, j] >= least and frozenset((names[i], names[j])) not in drawn
        ]
    return Graph(details, probability, others)


def link_probability(edges: xr.DataArray) -> FloatArray:
    """P(two measures are linked in either direction): an edge never goes both ways."""
    values: FloatArray = edges.to_numpy()
    return values + values.T


def _title(c: Comparison, graph: Graph) -> list[str]:
    details, options = graph.details, c.method.options()
    fixed = not isinstance(options["search"], str)
    which = "graph given" if fixed else "best graph" if options["average"] else "learned graph"
    groups = "all measures linked"
    if len(details.components) > 1:
        groups = f"{len(details.components)} independent groups"
    limit = "" if fixed else f"at most {plural(details.max_parents, 'parent')} each, "
    arrows = plural(len(details.edges), "arrow") if details.edges else "no arrows"
    return [
        f"{which}: {arrows}, {groups}",
        f"{limit}log BDeu = {log_evidence_text(details.log_bdeu)}",
    ]


# layout -------------------------------------------------------------------------------------------


def _size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches of a new figure."""
    names = c.results.measures
    radius = _wanted_radius(len(names))
    widest = _LETTER * max(len(clip(name, _NAME)) for name in names) + 0.25
    width = max(6.0, 2 * radius + 2 * widest)
    plain = Graph(cast("NetworkDetails", c.answer.facts), None, [])
    lines = _height(_captions(plain, _key(plain, 0.0), width)) + 1
    tall = 0.3 if len(names) == 2 else 2 * radius
    return width, tall + 2 * _LINE + 0.5 + _CAPTION_LINE * lines + _FOR_TITLE


def _wanted_radius(measures: int) -> float:
    """Return the radius in inches that leaves room for the figures on the links."""
    return 1.25 + 0.11 * measures


def _radius(place: Places, width: float, height: float) -> float:
    """Return the largest radius in inches at which all names stay within width and height."""
    limits = [1.5 * _wanted_radius(len(place))]
    for name, (x, y) in place.items():
        long = _LETTER * len(clip(name, _NAME))
        beside = long / 2 if _alignment(x) == "center" else long + _TO_NAME / 72
        if abs(x) > 0.06:
            limits.append((width / 2 - beside) / abs(x))
        if abs(y) > 0.06:
            limits.append((height / 2 - _TO_NAME / 72 - _LINE) / abs(y))
    return max(min(limits), 0.35)


def _places(groups: Sequence[Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Place the measures on the unit circle, clockwise, with gaps between groups."""
    gap = _GAP if len(groups) > 1 else 0.0
    slots = sum(len(group) + gap for group in groups)
    # Two measures are side by side; more start at the top.
    start = math.pi if sum(map(len, groups)) == 2 else math.pi / 2
    place, at = {}, 0.0
    for group in groups:
        for name in group:
            angle = start - 2 * math.pi * at / slots
            place[name] = (math.cos(angle), math.sin(angle))
            at += 1
        at += gap
    return place


def _alignment(x: float) -> str:
    """Return the alignment that puts a name outside its node."""
    return "center" if abs(x) < 0.06 else "left" if x > 0 else "right"


def _uncrossed(group: Sequence[str], graph: Graph) -> list[str]:
    """Order a group on the circle so that few of its links cross and the links are short.

    In depth-first order a tree has no crossings; swaps then reduce those of other graphs.
    """
    import networkx as nx

    members = set(group)
    inside = [edge for edge in graph.details.edges if set(edge) <= members]
    faint = [edge for edge in graph.others if set(edge) <= members]
    tree: nx.Graph[str] = nx.Graph()
    tree.add_nodes_from(group)
    tree.add_edges_from(inside)
    order = list(nx.dfs_preorder_nodes(tree, group[0]))
    if len(order) < 4:
        return order
    pairs = np.array([[order.index(a), order.index(b)] for a, b in [*inside, *faint]])
    weight = np.array([1.0] * len(inside) + [0.1] * len(faint))
    at = np.arange(len(order))
    best = _tangle(at[pairs], weight, len(order))
    for _ in range(3):
        before = best
        for i, j in itertools.combinations(range(len(order)), 2):
            at[[i, j]] = at[[j, i]]
            tangle = _tangle(at[pairs], weight, len(order))
            if tangle < best - 1e-9:
                best = tangle
            else:
                at[[i, j]] = at[[j, i]]
        if best == before:
            break
    return [order[k] for k in np.argsort(at)]


def _tangle(pairs: IntArray, weight: FloatArray, size: int) -> float:
    """Return the weighted crossings plus the chords' lengths, which break ties."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    begins = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    crossings = (begins * weight[:, None] * weight).sum()
    length = np.sin(np.pi * (high - low) / size)
    return float(crossings + 0.05 * (weight * length).sum())


# nodes and links ----------------------------------------------------------------------------------


def _draw_groups(ax: Axes, groups: Sequence[Sequence[str]], place: Places) -> None:
    """Draw the nodes: each group in one colour and, if there are several groups, on one band."""
    for group, fill in zip(groups, itertools.cycle(_FILLS), strict=False):
        points = np.array([place[name] for name in group])
        if len(groups) > 1:
            angles = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
            along = np.linspace(angles[0], angles[-1], 2 + 12 * (len(group) - 1))
            band: dict[str, Any] = {"alpha": 0.22, "linewidth": 3.2 * _NODE, "zorder": 1}
            ax.plot(np.cos(along), np.sin(along), color=fill, solid_capstyle="round", **band)
        x, y = points.T
        ax.scatter(x, y, (2 * _NODE) ** 2, fill, edgecolors=INK, linewidths=1.0, zorder=4)


def _draw_links(ax: Axes, graph: Graph, place: Places, radius: float) -> None:
    """Draw arrows of the graph and dashed lines outside it, each with its probability."""
    every = len(graph.details.edges) + len(graph.others) <= _ALL_FIGURES
    taken = [(radius * x, radius * y, _NODE / 72) for x, y in place.values()]
    for inside, links in ((True, graph.details.edges), (False, graph.others)):
        for parent, child in links:
            both, words = 0.4, ""
            if graph.probability is not None:
                there = float(graph.probability.sel(parent=parent, child=child))
                both = there + float(graph.probability.sel(parent=child, child=parent))
                words = narrow_probability(both)
                if inside:
                    words = f"{narrow_probability(there)} / {words}"
            arrow = ax.annotate(
                "",
                xy=place[child],
                xytext=place[parent],
                arrowprops={
                    "arrowstyle": "-|>" if inside else "-",
                    "linestyle": "solid" if inside else (0, (4, 3)),
                    "color": INK if inside else f"{0.8 - 0.4 * both:.2f}",
                    "linewidth": 0.8 + 2.0 * both if inside else 0.4 + 1.0 * both,
                    "shrinkA": _NODE + 1,
                    "shrinkB": _NODE + 1,
                    "mutation_scale": 13,
                },
                zorder=3 if inside else 2,
                annotation_clip=False,
            )
            arrow.set_in_layout(False)
            arrow.set_label(f"{parent}{'→' if inside else '–'}{child}")
            if words and (inside or every):
                ends = np.array([place[parent], place[child]])
                x, y = (_free_place(words, radius * ends, taken) / radius).tolist()
                ax.text(
                    x,
                    y,
                    words,
                    ha="center",
                    va="center",
                    fontsize="x-small",
                    color=INK if inside else "0.4",
                    bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
                    zorder=5,
                )


def _free_place(
    words: str, ends: FloatArray, taken: list[tuple[float, float, float]]
) -> FloatArray:
    """Return the place for a link's figure, as near to its middle as the others allow."""
    half = 0.036 * len(words)

    def at(share: float) -> FloatArray:
        return np.asarray(ends[0] + share * (ends[1] - ends[0]))

    def clash(share: float) -> float:
        x, y = map(float, at(share))
        return sum(
            max(0.0, half + other - abs(x - a)) * max(0.0, 0.17 - abs(y - b))
            for a, b, other in taken
        )

    best = at(min(_PLACES, key=clash))
    taken.append((float(best[0]), float(best[1]), half))
    return best


# captions -----------------------------------------------------------------------------------------


def _captions(graph: Graph, key: str, width: float) -> list[Caption]:
    """Return the answer of each group, in one column or two, and the key below them."""
    groups = graph.details.components
    columns = 1 if len(groups) <= _ONE_COLUMN else 2
    each = max(24, int((width / columns - 0.3) / _CAPTION_LETTER))
    captions: list[Caption] = []
    rows = [0] * columns
    for k, (group, fill) in enumerate(zip(groups, itertools.cycle(_FILLS), strict=False)):
        column = k * columns // len(groups)
        wrapped = textwrap.wrap(_answer_words(group), each, subsequent_indent="   ")
        lines = [line.replace(GLUE, " ") for line in wrapped]
        captions.append(Caption(lines, fill, column, rows[column]))
        rows[column] += len(lines)
    lines = textwrap.wrap(key, max(24, int(width / _CAPTION_LETTER)))
    return [*captions, Caption(lines, None, 0, max(rows))]


def _height(captions: Sequence[Caption]) -> int:
    """Return the number of lines of the captions."""
    return max(caption.row + len(caption.lines) for caption in captions)


def _answer_words(group: Component) -> str:
    held = Statement.parse(group.best).abridged().by_state(group.measures)
    words = "; ".join(
        f"{state} on {join_names([clip(name, _SHORT_NAME) for name in names])}"
        for state, names in held.items()
    )
    drawn = "" if group.exact else " (Monte Carlo)"
    return f"{probability_equation(group.probability).replace(' ', GLUE)}{drawn}: {words}"


def _key(graph: Graph, least: float) -> str:
    if graph.probability is None:
        return "No probabilities: too many measures to sum over all graphs; c.edges samples them."
    sentences = []
    if graph.details.edges:
        sentences.append("On arrows: P(this arrow) / P(a link either way), over all graphs.")
    if graph.others:
        sentences.append(f"Dashed: not in the graph, but P(a link) ≥ {setting_number_text(least)}.")
    sentences = sentences or [f"No link has P ≥ {setting_number_text(least)} over all graphs."]
    if not graph.probability.attrs["exact"]:
        most = standard_error_text(graph.probability.attrs["mcse"])
        sentences.append(f"Graphs were sampled: standard errors are at most {most}.")
    return " ".join(sentences)


def _draw_captions(ax: Axes, captions: Sequence[Caption]) -> None:
    """Print the captions, the last line at the lower edge of the Axes."""
    columns = max(caption.column for caption in captions) + 1
    for caption in captions:
        x = caption.column / columns
        up = 72 * _CAPTION_LINE * (_height(captions) - caption.row)
        indent, colour = 0, "0.35"
        if caption.fill is not None:
            indent, colour = 14, INK
            dot = moved(ax, ax.transAxes, 5, up - 4.5)
            style: dict[str, Any] = {"marker": "o", "markersize": 7, "markeredgewidth": 0.7}
            style |= {"markerfacecolor": caption.fill, "markeredgecolor": INK}
            ax.plot(x, 0.0, transform=dot, clip_on=False, **style)
        ax.text(
            x,
            0.0,
            "\n".join(caption.lines),
            transform=moved(ax, ax.transAxes, indent, up),
            ha="left",
            va="top",
            fontsize="small",
            linespacing=1.2,
            color=colour,
        )
