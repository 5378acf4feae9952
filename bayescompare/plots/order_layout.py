"""Where the nodes and arrows of a Hasse diagram go."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescompare.plots._drawing import shown_names

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "Node",
    "OrderLayout",
    "break_drawn_name",
    "edge_stations",
    "layout_size",
    "node_places",
    "order_layout",
]

#: Inches between rows and per character of a name, and the largest width of a figure.
_ROW, _CHARACTER, _WIDEST = 1.0, 0.095, 30.0

#: Letters of the longest name, and of the longest line of a name.
_NAME, _LETTERS = 40, 26

#: Names break after these.
_BREAKS = re.compile(r"[/\-_.: ]")

#: Rows of unordered algorithms hold at least this many.
_LEAST_IN_ROW = 6

#: Distance, in rows, between names of one row that are staggered and between rows of unordered
#: algorithms; and what each further line of a name adds to it.
_STEP, _LINE = 0.45, 0.2

#: Names that the box of a circle lists.
_MOST_CIRCLED = 5

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
    members : dict of str to list of str
        The algorithms of each node: one, or those that beat each other in a circle.
    lines : dict of str to list of str
        What is written in each node.
    room : float
        How many names fit side by side.
    """

    rows: list[list[Node]]
    edges: list[tuple[str, str]]
    loose: list[list[str]]
    members: dict[str, list[str]]
    lines: dict[str, list[str]]
    room: float

    @property
    def cyclic(self) -> bool:
        """Whether there is a circle, so that no order exists within it."""
        return any(len(names) > 1 for names in self.members.values())

    @property
    def extra_height(self) -> float:
        """How much further apart rows are, in rows, where a node has several lines."""
        return _LINE * (max(map(len, self.lines.values())) - 1)

    def step(self, row: Sequence[Node]) -> float:
        """How far staggered names of a row are apart, in rows."""
        most = max((len(self.lines[node]) for node in row if isinstance(node, str)), default=1)
        return _STEP + _LINE * (most - 1)

    def node_of(self) -> dict[str, str]:
        """Return the node in which each algorithm is drawn."""
        return {name: node for node, names in self.members.items() for name in names}


def order_layout(graph: nx.DiGraph[str]) -> OrderLayout:
    """Lay out a graph of winners and losers."""
    merged, members = _merged(graph)
    depth = _depths(merged)
    edges = _needed(merged)
    ordered = [name for name in merged if merged.degree(name) or len(members[name]) > 1]
    rows: list[list[Node]] = [[] for _ in range(max((depth[n] for n in ordered), default=-1) + 1)]
    for name in ordered:
        rows[depth[name]].append(name)
    for winner, loser in edges:
        for row in range(depth[winner] + 1, depth[loser]):
            rows[row].append((winner, loser, row))
    loose = [name for name in merged if name not in set(ordered)]
    shown = shown_names(list(graph), _NAME)
    lines = {node: _node_lines([shown[name] for name in own]) for node, own in members.items()}
    room = (_WIDEST - 0.4) / _unit(lines) - 0.5
    width = max([_LEAST_IN_ROW, *(int(_length(row, room)) for row in rows)])
    batches = [list(batch) for batch in itertools.batched(loose, width)]
    return OrderLayout(_uncrossed(rows, edges, depth), edges, batches, members, lines, room)


def _merged(graph: nx.DiGraph[str]) -> tuple[nx.DiGraph[str], dict[str, list[str]]]:
    """Return the graph with one node for each circle, and the algorithms of each node."""
    import networkx as nx

    at = {name: k for k, name in enumerate(graph)}
    groups = [
        sorted(group, key=at.__getitem__) for group in nx.strongly_connected_components(graph)
    ]
    groups.sort(key=lambda group: at[group[0]])
    # No name has a line break in it, so these are distinct.
    members = {"\n".join(group): group for group in groups}
    node = {name: key for key, group in members.items() for name in group}
    merged: nx.DiGraph[str] = nx.DiGraph()
    merged.add_nodes_from(members)
    merged.add_edges_from(
        (node[winner], node[loser]) for winner, loser in graph.edges if node[winner] != node[loser]
    )
    return merged, members


def _needed(merged: nx.DiGraph[str]) -> list[tuple[str, str]]:
    """Return the edges that do not follow from others."""
    import networkx as nx

    kept = nx.transitive_reduction(merged)
    return [edge for edge in merged.edges if kept.has_edge(*edge)]


def _depths(merged: nx.DiGraph[str]) -> dict[str, int]:
    """Return the longest path down to each node."""
    import networkx as nx

    depth: dict[str, int] = {}
    for node in nx.topological_sort(merged):
        depth[node] = 1 + max((depth[above] for above in merged.predecessors(node)), default=-1)
    return depth


def _uncrossed(
    rows: list[list[Node]], edges: list[tuple[str, str]], depth: dict[str, int]
) -> list[list[Node]]:
    """Sort each row by the positions of its neighbours, down and up, so that fewer edges cross."""
    linked: dict[Node, list[Node]] = {}
    for edge in edges:
        for one, other in itertools.pairwise(edge_stations(*edge, depth)):
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


def edge_stations(winner: str, loser: str, depth: dict[str, int]) -> list[Node]:
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


def _unit(lines: Mapping[str, Sequence[str]]) -> float:
    """Return the width of the longest line in inches."""
    return 0.45 + _CHARACTER * max(len(line) for own in lines.values() for line in own)


def _node_lines(names: Sequence[str]) -> list[str]:
    """Return what is written in a node: a name, or those of a circle."""
    broken = [break_drawn_name(name) for name in names[:_MOST_CIRCLED]]
    if len(names) == 1:
        return broken[0]
    if any(len(lines) > 1 for lines in broken):  # a comma tells where a name ends
        broken = [[*start, f"{end},"] for *start, end in broken]
    rest = len(names) - _MOST_CIRCLED
    more = [f"and {rest} more"] if rest > 0 else []
    return [*itertools.chain.from_iterable(broken), *more, "(in a circle)"]


def break_drawn_name(name: str) -> list[str]:
    """Break a long name into two lines of similar length, after a sign that divides words.

    Examples
    --------
    >>> break_drawn_name("random forest"), break_drawn_name("lab/multilingual-encoder-large")
    (['random forest'], ['lab/multilingual-', 'encoder-large'])
    """
    if len(name) <= _LETTERS:
        return [name]
    cuts = [match.end() for match in _BREAKS.finditer(name)]
    fit = [cut for cut in cuts if max(cut, len(name) - cut) <= _LETTERS]
    middle = len(name) / 2
    cut = min(fit, key=lambda place: abs(place - middle), default=math.ceil(middle))
    return [name[:cut].rstrip(), name[cut:]]


def node_places(layout: OrderLayout) -> dict[Node, tuple[float, float]]:
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
            place[node] = (left + slot / 2, y - layout.step(row) * (named % lines))
            left += slot
            named += isinstance(node, str)
        step, ordered = layout.step(row), k < len(layout.rows)
        y -= step * (lines - 1) + (1.0 + layout.extra_height if ordered else step)
    return place


def layout_size(layout: OrderLayout) -> tuple[float, float]:
    """Return the width and height in inches that a layout needs."""
    rows: list[list[Node]] = [*layout.rows]
    rows += [list(row) for row in layout.loose]
    width = _unit(layout.lines) * (max(_length(row, layout.room) for row in rows) + 0.5) + 0.4
    # Rows of unordered algorithms need no room for arrows, only a margin after the last.
    high = (
        len(layout.rows) * (1.0 + layout.extra_height)
        + sum(layout.step(row) for row in layout.loose)
        + (0.55 if layout.loose else 0.0)
    )
    high += sum(layout.step(row) * (_lines(row, layout.room) - 1) for row in rows)
    return min(max(width, 6.0), _WIDEST), _ROW * high + 0.5
