"""The Hasse diagram of winners and losers over all pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    clip,
    moved,
    new_axes,
    set_title,
)
from bayescompare.plots._pairs import datasets_words, no_winner_words, rule_of
from bayescompare.statements import State
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["draw_graph", "graph_size", "order_size", "plot_order"]

#: Inches between rows and per character of a name, and the largest width of a figure.
_ROW, _CHARACTER, _WIDEST = 1.0, 0.095, 30.0

_NAME = 24

#: Half the height of a node in points: arrows begin and end there.
_HALF_NODE = 11.0

#: Rows of unordered algorithms hold at least this many.
_LEAST_IN_ROW = 6

#: Distance, in rows, between the lines of one row and between rows of unordered algorithms.
_LINE = 0.45

type Node = str | tuple[str, str, int]


@dataclass(frozen=True)
class OrderLayout:
    """The positions of nodes and edges.

    Attributes
    ----------
    rows : list of list of Node
        Best on top; a tuple (winner, loser, row) is where a long edge passes a row.
    edges : list of (str, str)
        The arrows.
    loose : list of list of str
        Rows of algorithms that are in no edge.
    cyclic : bool
        Whether the edges contain a cycle, so that no order exists.
    room : float
        How many names fit side by side.
    """

    rows: list[list[Node]]
    edges: list[tuple[str, str]]
    loose: list[list[str]]
    cyclic: bool
    room: float


def plot_order(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw winners above losers: an arrow from each algorithm to the next ones it is better than.

    Arrows that follow from others are left out (transitive reduction); if the verdicts contain a
    cycle, every arrow on it is drawn. Unordered algorithms have their own row.

    Parameters
    ----------
    p : Pairwise
    level, fdr : float, optional
        As for `Pairwise.decide`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["CART", "GBM", "RF"], n_jobs=1)
    >>> ax = plot_order(p, ax=Figure().subplots())
    >>> sorted({arrow.get_label() for arrow in ax.texts if arrow.get_label()})
    ['GBM>CART', 'RF>CART']
    """
    rule = rule_of(p, level, fdr)
    graph = p.ordered(rule)
    ax = draw_graph(graph, ax)
    set_title(ax, *_title(p, graph, _layout(graph), rule))
    return ax


def order_size(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None
) -> tuple[float, float]:
    """Return the width and height in inches that `plot_order` needs."""
    return graph_size(p.order(level=level, fdr=fdr))


def draw_graph(graph: nx.DiGraph[str], ax: Axes | None) -> Axes:
    """Draw a graph of winners and losers, best on top."""
    layout = _layout(graph)
    ax = new_axes(ax, _size(layout))
    place = _places(layout)
    _draw_edges(ax, layout, place)
    _draw_nodes(ax, layout, place)
    across = [x for x, _ in place.values()]
    ax.set_xlim(min(across) - 0.75, max(across) + 0.75)
    ax.set_ylim(min(y for _, y in place.values()) - 0.35, 0.35)
    ax.set_axis_off()
    return ax


def graph_size(graph: nx.DiGraph[str]) -> tuple[float, float]:
    """Return the width and height in inches that `draw_graph` needs."""
    return _size(_layout(graph))


# layout ------------------------------------------------------------------------------------------


def _layout(graph: nx.DiGraph[str]) -> OrderLayout:
    import networkx as nx

    knots = nx.condensation(graph)
    depth = _depths(knots)
    edges = _needed(graph, knots)
    ordered = [name for name in graph if graph.degree(name)]
    rows: list[list[Node]] = [[] for _ in range(max((depth[n] for n in ordered), default=-1) + 1)]
    for name in ordered:
        rows[depth[name]].append(name)
    for winner, loser in edges:
        for row in range(depth[winner] + 1, depth[loser]):
            rows[row].append((winner, loser, row))
    loose = [name for name in graph if not graph.degree(name)]
    room = (_WIDEST - 0.4) / _unit(graph) - 0.5
    width = max([_LEAST_IN_ROW, *(int(_length(row, room)) for row in rows)])
    batches = [list(batch) for batch in itertools.batched(loose, width)]
    cyclic = knots.number_of_nodes() < graph.number_of_nodes()
    return OrderLayout(_uncrossed(rows, edges, depth), edges, batches, cyclic, room)


def _needed(graph: nx.DiGraph[str], knots: nx.DiGraph[int]) -> list[tuple[str, str]]:
    """Return the edges that do not follow from others, and all edges on a cycle (a knot)."""
    import networkx as nx

    kept, knot = nx.transitive_reduction(knots), knots.graph["mapping"]
    return [
        (winner, loser)
        for winner, loser in graph.edges
        if knot[winner] == knot[loser] or kept.has_edge(knot[winner], knot[loser])
    ]


def _depths(knots: nx.DiGraph[int]) -> dict[str, int]:
    """Return the longest path down to each algorithm; those on a cycle share a depth."""
    import networkx as nx

    depth: dict[int, int] = {}
    for knot in nx.topological_sort(knots):
        depth[knot] = 1 + max((depth[above] for above in knots.predecessors(knot)), default=-1)
    return {name: depth[knot] for name, knot in knots.graph["mapping"].items()}


def _uncrossed(
    rows: list[list[Node]], edges: list[tuple[str, str]], depth: dict[str, int]
) -> list[list[Node]]:
    """Sort each row by the positions of its neighbours, down and up, so that fewer edges cross."""
    linked: dict[Node, list[Node]] = {}
    for edge in edges:
        for one, other in itertools.pairwise(_stations(*edge, depth)):
            linked.setdefault(one, []).append(other)
            linked.setdefault(other, []).append(one)
    rows = [list(row) for row in rows]
    down = list(range(1, len(rows)))
    for k, step in [(k, -1) for k in down] + [(k - 1, 1) for k in reversed(down)]:
        at = {node: x - len(rows[k + step]) / 2 for x, node in enumerate(rows[k + step])}
        middle = {
            node: [at[other] for other in linked.get(node, []) if other in at] for node in rows[k]
        }
        rows[k].sort(key=lambda node: sum(middle[node]) / max(len(middle[node]), 1))
    return rows


def _stations(winner: str, loser: str, depth: dict[str, int]) -> list[Node]:
    """Return the nodes of an edge: its ends, and a place in every row between them."""
    between = range(depth[winner] + 1, depth[loser])
    return [winner, *((winner, loser, row) for row in between), loser]


def _lines(row: Sequence[Node], room: float) -> int:
    """Return the number of lines over which the names of a row are staggered, to have room."""
    named = sum(isinstance(node, str) for node in row)
    # Passing edges need some of the room too.
    return math.ceil(named / (room if named == len(row) else 0.8 * room)) or 1


def _slots(row: Sequence[Node], room: float) -> list[float]:
    """Return the width of each node; passing edges share the room that the names leave."""
    own = 1.0 / _lines(row, room)
    named = sum(isinstance(node, str) for node in row)
    passing = min(0.4, max((room - own * named) / max(len(row) - named, 1), 0.02))
    return [own if isinstance(node, str) else passing for node in row]


def _length(row: Sequence[Node], room: float) -> float:
    return sum(_slots(row, room))


def _unit(names: Iterable[str]) -> float:
    """Return the width of the longest name in inches."""
    return 0.45 + _CHARACTER * max(len(clip(name, _NAME)) for name in names)


def _places(layout: OrderLayout) -> dict[Node, tuple[float, float]]:
    """Return the place of every node: rows one unit apart, each row centred."""
    place: dict[Node, tuple[float, float]] = {}
    loose: list[list[Node]] = [list(row) for row in layout.loose]
    y = 0.0
    for k, row in enumerate([*layout.rows, *loose]):
        # A gap before the row of unordered algorithms.
        y -= 0.25 if k == len(layout.rows) > 0 else 0.0
        left, lines = -_length(row, layout.room) / 2, _lines(row, layout.room)
        named = 0
        for node, slot in zip(row, _slots(row, layout.room), strict=True):
            place[node] = (left + slot / 2, y - _LINE * (named % lines))
            left += slot
            named += isinstance(node, str)
        y -= _LINE * (lines - 1) + (1.0 if k < len(layout.rows) else _LINE)
    return place


def _size(layout: OrderLayout) -> tuple[float, float]:
    rows: list[list[Node]] = [*layout.rows]
    rows += [list(row) for row in layout.loose]
    unit = _unit(node for row in rows for node in row if isinstance(node, str))
    width = unit * (max(_length(row, layout.room) for row in rows) + 0.5) + 0.4
    # Rows of unordered algorithms need no room for arrows, only a margin after the last.
    high = len(layout.rows) + _LINE * len(layout.loose) + (0.55 if layout.loose else 0.0)
    high += sum(_LINE * (_lines(row, layout.room) - 1) for row in rows)
    return min(max(width, 6.0), _WIDEST), _ROW * high + 0.5


# drawing -----------------------------------------------------------------------------------------


def _draw_edges(ax: Axes, layout: OrderLayout, place: dict[Node, tuple[float, float]]) -> None:
    depth = {n: k for k, row in enumerate(layout.rows) for n in row if isinstance(n, str)}
    below = moved(ax, ax.transData, 0.0, -_HALF_NODE)
    above = moved(ax, ax.transData, 0.0, _HALF_NODE)
    arrival = _arrivals(layout, place, depth)
    for winner, loser in layout.edges:
        level = depth[winner] >= depth[loser]
        stations = _stations(winner, loser, depth)
        tip = moved(ax, ax.transData, arrival[winner, loser], _HALF_NODE)
        # Only the arrows of a cycle stay within a row; they pass over the names in arcs.
        bend = 0.0 if not level else 0.4 if place[winner] > place[loser] else -0.4
        pieces = list(itertools.pairwise(stations))
        for k, (start, end) in enumerate(pieces):
            last = k == len(pieces) - 1
            arrow = ax.annotate(
                "",
                xy=place[end],
                xycoords=tip if last else ax.transData,
                xytext=place[start],
                textcoords=(above if level else below) if k == 0 else ax.transData,
                arrowprops={
                    "arrowstyle": "-|>" if last else "-",
                    "color": INK,
                    "linewidth": 1.1,
                    "shrinkA": 0,
                    "shrinkB": 0,
                    "connectionstyle": f"arc3,rad={bend}",
                },
                annotation_clip=False,
            )
            # Arrows are within the Axes by construction; measuring a thousand takes long.
            arrow.set_in_layout(False)
            arrow.set_label(str(State.order(winner, loser)))


def _arrivals(
    layout: OrderLayout, place: dict[Node, tuple[float, float]], depth: dict[str, int]
) -> dict[tuple[str, str], float]:
    """Return where each arrow ends on the loser's upper edge, in points from its middle."""
    coming: dict[str, list[tuple[float, str]]] = {}
    for winner, loser in layout.edges:
        before = _stations(winner, loser, depth)[-2]
        coming.setdefault(loser, []).append((place[before][0], winner))
    ends = {}
    for loser, sources in coming.items():
        reach = min(7.0 * (len(sources) - 1), 3.0 * len(clip(loser, _NAME)))
        steps = np.linspace(-reach, reach, len(sources)) if len(sources) > 1 else [0.0]
        for (_, winner), step in zip(sorted(sources), steps, strict=True):
            ends[winner, loser] = float(step)
    return ends


def _draw_nodes(ax: Axes, layout: OrderLayout, place: dict[Node, tuple[float, float]]) -> None:
    loose = {name for row in layout.loose for name in row}
    for node, (x, y) in place.items():
        if not isinstance(node, str):
            continue
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": "white",
            "edgecolor": GREY if node in loose else BLUE,
            "linewidth": 1.2,
        }
        ax.text(x, y, clip(node, _NAME), ha="center", va="center", bbox=box, zorder=4, **LITERAL)
    if layout.loose:
        x, y = place[layout.loose[0][0]]
        ax.text(x - 0.5, y + 0.3, "not ordered", fontsize="small", style="italic", color="0.35")


def _title(p: Pairwise, graph: nx.DiGraph[str], layout: OrderLayout, rule: Rule) -> list[str]:
    pairs = plural(len(p.comparisons) + len(p.skipped), "pair")
    mixed = len(graph.graph["mixed"])
    decided = graph.number_of_edges() + mixed
    name = rule.name(bayesian=p.bayesian)
    verdicts = f"a verdict for {decided} of {pairs} ({name}){datasets_words(p)}"
    lines = [f"winners above losers: {verdicts}"]
    if mixed:
        lines.append(no_winner_words(mixed))
    if layout.cyclic:
        lines.append("the verdicts contain a cycle, so there is no order within it")
    return lines
