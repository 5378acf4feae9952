"""The Hasse diagram of winners and losers over all pairs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    LITERAL,
    PURPLE,
    VERMILION,
    moved_in_drawing,
    new_axes,
    prefix_words,
    set_title,
)
from bayescompare.plots._pairs import (
    plotted_datasets_words,
    plotted_no_winner_words,
    rule_of_plotted_pairs,
)
from bayescompare.plots.order_layout import (
    Node,
    OrderLayout,
    edge_stations,
    layout_size,
    node_places,
    order_layout,
)
from bayescompare.statements import State, Statement
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["MOST_TRADES", "draw_order_graph", "drawn_order_size", "order_size", "plot_order"]

#: Half the height of a node in points: arrows begin and end there.
_HALF_NODE = 11.0

#: Half the height of each further line of a node, in points.
_HALF_LINE = 7.0

#: Trade-offs are drawn while there are at most this many.
MOST_TRADES = 20

#: More arrows than this cannot be followed one by one: they are fine and pale, behind the names.
_MOST_ARROWS = 60


def plot_order(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw winners above losers: an arrow from each algorithm to the next ones it is better than.

    Arrows that follow from others are left out (transitive reduction). Algorithms that beat each
    other in a circle share one box, for there is no order within it. Dashed lines are trade-offs.
    Unordered algorithms have their own row.

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
    rule = rule_of_plotted_pairs(p, level, fdr)
    graph = p.ordered(rule)
    ax = draw_order_graph(graph, ax)
    set_title(
        ax, *_order_plot_title(p, graph, order_layout(graph), rule), *prefix_words(list(graph))
    )
    return ax


def order_size(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None
) -> tuple[float, float]:
    """Return the width and height in inches that `plot_order` needs."""
    return drawn_order_size(p.order(level=level, fdr=fdr))


def draw_order_graph(graph: nx.DiGraph[str], ax: Axes | None) -> Axes:
    """Draw a graph of winners and losers, best on top."""
    layout = order_layout(graph)
    ax = new_axes(ax, layout_size(layout))
    place = node_places(layout)
    _draw_trade_offs(ax, graph, layout, place)
    _draw_order_plot_edges(ax, layout, place)
    _draw_order_plot_nodes(ax, layout, place)
    across = [x for x, _ in place.values()]
    ax.set_xlim(min(across) - 0.75, max(across) + 0.75)
    margin = 0.35 + layout.extra_height / 2
    ax.set_ylim(min(y for _, y in place.values()) - margin, margin)
    ax.set_axis_off()
    return ax


def drawn_order_size(graph: nx.DiGraph[str]) -> tuple[float, float]:
    """Return the width and height in inches that `draw_order_graph` needs."""
    return layout_size(order_layout(graph))


# drawing -----------------------------------------------------------------------------------------


def _draw_order_plot_edges(
    ax: Axes, layout: OrderLayout, place: dict[Node, tuple[float, float]]
) -> None:
    depth = {n: k for k, row in enumerate(layout.rows) for n in row if isinstance(n, str)}
    half = {
        node: _HALF_NODE + _HALF_LINE * (len(lines) - 1) for node, lines in layout.lines.items()
    }
    arrival = _order_plot_arrivals(layout, place, depth)
    many = len(layout.edges) > _MOST_ARROWS
    look = {"color": "0.6", "linewidth": 0.5} if many else {"color": INK, "linewidth": 1.1}
    for winner, loser in layout.edges:
        stations = edge_stations(winner, loser, depth)
        below = moved_in_drawing(ax, ax.transData, 0.0, -half[winner])
        tip = moved_in_drawing(ax, ax.transData, arrival[winner, loser], half[loser])
        pieces = list(itertools.pairwise(stations))
        for k, (start, end) in enumerate(pieces):
            last = k == len(pieces) - 1
            arrow = ax.annotate(
                "",
                xy=place[end],
                xycoords=tip if last else ax.transData,
                xytext=place[start],
                textcoords=below if k == 0 else ax.transData,
                arrowprops={
                    "arrowstyle": "-|>" if last else "-",
                    "shrinkA": 0,
                    "shrinkB": 0,
                    **look,
                },
                annotation_clip=False,
            )
            # Arrows are within the Axes by construction; measuring a thousand takes long.
            arrow.set_in_layout(False)
            arrow.set_label(str(State.order(winner, loser)))


def _order_plot_arrivals(
    layout: OrderLayout, place: dict[Node, tuple[float, float]], depth: dict[str, int]
) -> dict[tuple[str, str], float]:
    """Return where each arrow ends on the loser's upper edge, in points from its middle."""
    coming: dict[str, list[tuple[float, str]]] = {}
    for winner, loser in layout.edges:
        before = edge_stations(winner, loser, depth)[-2]
        coming.setdefault(loser, []).append((place[before][0], winner))
    ends = {}
    for loser, sources in coming.items():
        longest = max(len(line) for line in layout.lines[loser])
        reach = min(7.0 * (len(sources) - 1), 3.0 * longest)
        steps = np.linspace(-reach, reach, len(sources)) if len(sources) > 1 else [0.0]
        for (_, winner), step in zip(sorted(sources), steps, strict=True):
            ends[winner, loser] = float(step)
    return ends


def _draw_trade_offs(
    ax: Axes, graph: nx.DiGraph[str], layout: OrderLayout, place: dict[Node, tuple[float, float]]
) -> None:
    """Join the pairs of a trade-off by dashed lines, behind the names."""
    node_of = layout.node_of()
    for first, second, _ in _trade_offs(graph):
        one, other = sorted((place[node_of[first]], place[node_of[second]]))
        if one == other:
            continue
        # Neighbours are joined straight; a line along a row bends around those between.
        near = abs(one[1] - other[1]) > 0.1 or other[0] - one[0] < 1.1
        line = ax.annotate(
            "",
            xy=other,
            xytext=one,
            arrowprops={
                "arrowstyle": "-",
                "color": PURPLE,
                "linewidth": 1.6,
                "linestyle": (0, (4, 2)),
                "shrinkA": 0,
                "shrinkB": 0,
                "connectionstyle": f"arc3,rad={0.0 if near else 0.18}",
            },
            annotation_clip=False,
            zorder=1,
        )
        line.set_in_layout(False)


def _trade_offs(graph: nx.DiGraph[str]) -> list[tuple[str, str, str]]:
    """Return the trade-offs, or none if they are too many to be told apart."""
    mixed = graph.graph.get("mixed", [])
    trades = [pair for pair in mixed if Statement.parse(pair[2], pair[:2]).is_trade_off]
    return trades if len(trades) <= MOST_TRADES else []


def _draw_order_plot_nodes(
    ax: Axes, layout: OrderLayout, place: dict[Node, tuple[float, float]]
) -> None:
    loose = {name for row in layout.loose for name in row}
    for node, (x, y) in place.items():
        if not isinstance(node, str):
            continue
        circle = len(layout.members[node]) > 1
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": "white",
            "edgecolor": VERMILION if circle else GREY if node in loose else BLUE,
            "linewidth": 1.2,
        }
        text = "\n".join(layout.lines[node])
        ax.text(x, y, text, ha="center", va="center", bbox=box, zorder=4, **LITERAL)
    if layout.loose:
        x, y = place[layout.loose[0][0]]
        y += layout.step(layout.loose[0]) - 0.15
        ax.text(x - 0.5, y, "not ordered", fontsize="small", style="italic", color="0.35")


def _order_plot_title(
    p: Pairwise, graph: nx.DiGraph[str], layout: OrderLayout, rule: Rule
) -> list[str]:
    pairs = plural(len(p.comparisons) + len(p.skipped), "pair")
    mixed = len(graph.graph["mixed"])
    decided = graph.number_of_edges() + mixed
    name = rule.name(bayesian=p.bayesian)
    verdicts = f"a verdict for {decided} of {pairs} ({name}){plotted_datasets_words(p)}"
    lines = [f"winners above losers: {verdicts}"]
    if mixed:
        dashed = "; dashed lines: trade-offs" if _trade_offs(graph) else ""
        lines.append(f"{plotted_no_winner_words(mixed)}{dashed}")
    if layout.cyclic:
        lines.append("those in one box beat each other in a circle, so there is no order within it")
    return lines
