"""Where the nodes and arrows of a Hasse diagram go."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescompare.plots._drawing import shown_names

if TYPE_CHECKING:
    import networkx as nx

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
class Layout:
    """The positions of nodes and edges.

    Attributes
    ----------
    rows : list of list of Node
        Best on top; a tuple (winner, loser, row) is where a long edge passes a row.
    edges : list of (str, str)
        The arrows.
    depth : dict of str to int
        The row of each node that is ordered.
    loose : list of list of Node
        Rows of algorithms that are in no edge.
    members : dict of str to list of str
        The algorithms of each node: one, or those that beat each other in a circle.
    lines : dict of str to list of str
        What is written in each node.
    """

    rows: list[list[Node]]
    edges: list[tuple[str, str]]
    depth: dict[str, int]
    loose: list[list[Node]]
    members: dict[str, list[str]]
    lines: dict[str, list[str]]

    @property
    def cyclic(self) -> bool:
        """Whether there is a circle, so that no order exists within it."""
        return any(len(names) > 1 for names in self.members.values())

    @property
    def extra_height(self) -> float:
        """How much further apart rows are, in rows, where a node has several lines."""
        return _LINE * (max(map(len, self.lines.values())) - 1)

    @property
    def unit(self) -> float:
        """The width of the longest line in inches."""
        return 0.45 + _CHARACTER * max(len(line) for own in self.lines.values() for line in own)

    @property
    def room(self) -> float:
        """How many names fit side by side."""
        return (_WIDEST - 0.4) / self.unit - 0.5

    def step(self, row: Sequence[Node]) -> float:
        """How far staggered names of a row are apart, in rows."""
        most = max((len(self.lines[node]) for node in row if isinstance(node, str)), default=1)
        return _STEP + _LINE * (most - 1)

    def node_of(self) -> dict[str, str]:
        """Return the node in which each algorithm is drawn."""
        return {name: node for node, names in self.members.items() for name in names}

    def places(self) -> dict[Node, tuple[float, float]]:
        """Return the place of every node: rows one unit apart, each row centred."""
        place: dict[Node, tuple[float, float]] = {}
        room, y = self.room, 0.0
        for k, row in enumerate([*self.rows, *self.loose]):
            # A gap before the row of unordered algorithms.
            y -= 0.25 if k == len(self.rows) > 0 else 0.0
            slots, lines, step = _slots(row, room), _staggered(row, room), self.step(row)
            left, named = -sum(slots) / 2, 0
            for node, slot in zip(row, slots, strict=True):
                place[node] = (left + slot / 2, y - step * (named % lines))
                left += slot
                named += isinstance(node, str)
            ordered = k < len(self.rows)
            y -= step * (lines - 1) + (1.0 + self.extra_height if ordered else step)
        return place

    def size(self) -> tuple[float, float]:
        """Return the width and height of a new figure in inches."""
        rows, room = [*self.rows, *self.loose], self.room
        width = self.unit * (max(sum(_slots(row, room)) for row in rows) + 0.5) + 0.4
        # Rows of unordered algorithms need no room for arrows, only a margin after the last.
        high = (
            len(self.rows) * (1.0 + self.extra_height)
            + sum(map(self.step, self.loose))
            + (0.55 if self.loose else 0.0)
        )
        high += sum(self.step(row) * (_staggered(row, room) - 1) for row in rows)
        return min(max(width, 6.0), _WIDEST), _ROW * high + 0.5


def lay_out(graph: nx.DiGraph[str]) -> Layout:
    """Lay out a graph of winners and losers."""
    import networkx as nx

    merged, members = _merged(graph)
    longest: dict[str, int] = {}
    for node in nx.topological_sort(merged):
        longest[node] = 1 + max((longest[above] for above in merged.predecessors(node)), default=-1)
    # Edges that follow from others are left out, where any do.
    kept = merged if graph.graph.get("intransitive") else nx.transitive_reduction(merged)
    edges = [edge for edge in merged.edges if kept.has_edge(*edge)]
    depth = {n: longest[n] for n in merged if merged.degree(n) or len(members[n]) > 1}
    rows: list[list[Node]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name, row in depth.items():
        rows[row].append(name)
    for winner, loser in edges:
        for row in range(depth[winner] + 1, depth[loser]):
            rows[row].append((winner, loser, row))
    shown = shown_names(list(graph), _NAME)
    lines = {node: _node_lines([shown[name] for name in own]) for node, own in members.items()}
    layout = Layout(_uncrossed(rows, edges, depth), edges, depth, [], members, lines)
    width = max([_LEAST_IN_ROW, *(int(sum(_slots(row, layout.room))) for row in rows)])
    loose: list[Node] = [name for name in merged if name not in depth]
    layout.loose.extend(list(batch) for batch in itertools.batched(loose, width))
    return layout


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


def _uncrossed(
    rows: list[list[Node]], edges: list[tuple[str, str]], depth: dict[str, int]
) -> list[list[Node]]:
    """Sort each row by the positions of its neighbours, down and up, so that fewer edges cross."""
    linked: dict[Node, list[Node]] = {}
    for edge in edges:
        for one, other in itertools.pairwise(stations(*edge, depth)):
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


def stations(winner: str, loser: str, depth: dict[str, int]) -> list[Node]:
    """Return the nodes of an edge: its ends, and a place in every row between them."""
    between = range(depth[winner] + 1, depth[loser])
    return [winner, *((winner, loser, row) for row in between), loser]


def _staggered(row: Sequence[Node], room: float) -> int:
    """Return the number of lines over which the names of a row are staggered, to have room."""
    named = sum(isinstance(node, str) for node in row)
    # Passing edges need some of the room too.
    return math.ceil(named / (room if named == len(row) else 0.8 * room)) or 1


def _slots(row: Sequence[Node], room: float) -> list[float]:
    """Return the width of each node; passing edges share the room that the names leave."""
    own = 1.0 / _staggered(row, room)
    named = sum(isinstance(node, str) for node in row)
    passing = min(0.4, max((room - own * named) / max(len(row) - named, 1), 0.02))
    return [own if isinstance(node, str) else passing for node in row]


def _node_lines(names: Sequence[str]) -> list[str]:
    """Return what is written in a node: a name, or those of a circle."""
    own = [broken(name) for name in names[:_MOST_CIRCLED]]
    if len(names) == 1:
        return own[0]
    if any(len(lines) > 1 for lines in own):  # a comma tells where a name ends
        own = [[*start, f"{end},"] for *start, end in own]
    rest = len(names) - _MOST_CIRCLED
    more = [f"and {rest} more"] if rest > 0 else []
    return [*itertools.chain.from_iterable(own), *more, "(in a circle)"]


def broken(name: str) -> list[str]:
    """Break a long name into two lines of similar length, after a sign that divides words.

    Examples
    --------
    >>> broken("random forest"), broken("lab/multilingual-encoder-large")
    (['random forest'], ['lab/multilingual-', 'encoder-large'])
    """
    if len(name) <= _LETTERS:
        return [name]
    cuts = [match.end() for match in _BREAKS.finditer(name)]
    fit = [cut for cut in cuts if max(cut, len(name) - cut) <= _LETTERS]
    middle = len(name) / 2
    cut = min(fit, key=lambda place: abs(place - middle), default=math.ceil(middle))
    return [name[:cut].rstrip(), name[cut:]]
