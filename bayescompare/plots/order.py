"""Hasse diagrams: the verdicts on all pairs, and generalised stochastic dominance in the data."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import Rule, as_rule
from bayescompare.plots._drawing import (
    BLUE,
    GREY,
    INK,
    PURPLE,
    VERMILION,
    finish,
    moved,
    new_axes,
    prefix_words,
)
from bayescompare.plots._pairs import datasets_words, no_winner_words
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.order_layout import Layout, Node, lay_out, stations
from bayescompare.statements import State, Statement
from bayescompare.text.numbers import plural
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

__all__ = ["plot_order", "plot_relation"]

#: Half the height of a node in points, where arrows begin and end, and of each further line.
_HALF_NODE, _HALF_LINE = 11.0, 7.0

#: Trade-offs are drawn while there are at most this many.
MOST_TRADES = 20

#: More arrows than this cannot be followed one by one: they are fine and pale, behind the names.
_MOST_ARROWS = 60


@plot_of(Pairwise, "order")
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
    rule = as_rule(level=level, fdr=fdr)
    graph = p.ordered(rule)
    return finish(draw_order(graph, ax), *_title(p, graph, rule), *prefix_words(list(graph)))


@plot_of(Comparison, "relation", needs="relation")
def plot_relation(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw an arrow from each algorithm to those that it dominates directly.

    Arrows that follow from others are left out.

    Parameters
    ----------
    c : Comparison
        A comparison by ``"gsd"``.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> results = bc.load_example("jansen-uci")
    >>> c = bc.compare(results, method=bc.methods.GSD(delta=0), algorithms=["GBM", "RF", "CART"])
    >>> ax = plot_relation(c, ax=Figure().subplots())
    >>> sorted({arrow.get_label() for arrow in ax.texts if arrow.get_label()})
    ['GBM>RF', 'RF>CART']
    """
    graph, lines = c.order(), [c.headline()]
    if c.incomparable:
        apart = join_names([f"{a} and {b}" for a, b in c.incomparable], most=8)
        lines.append(f"Incomparable pairs: {apart}")
    if triples := graph.graph["intransitive"]:
        a, b, c_ = triples[0]
        lines.append(f"Not transitive: each arrow is one pair, and {a} → {b} → {c_} says nothing")
    # Half an inch more for the longer title.
    return finish(draw_order(graph, ax, more=0.5), *lines, *prefix_words(list(graph)))


def draw_order(graph: nx.DiGraph[str], ax: Axes | None, *, more: float = 0.0) -> Axes:
    """Draw a graph of winners and losers, best on top, in a new figure `more` inches taller."""
    layout = lay_out(graph)
    width, height = layout.size()
    ax = new_axes(ax, (width, height + more))
    place = layout.places()
    _draw_trade_offs(ax, graph, layout, place)
    _draw_arrows(ax, layout, place)
    _draw_nodes(ax, layout, place)
    across = [x for x, _ in place.values()]
    ax.set_xlim(min(across) - 0.75, max(across) + 0.75)
    margin = 0.35 + layout.extra_height / 2
    ax.set_ylim(min(y for _, y in place.values()) - margin, margin)
    ax.set_axis_off()
    return finish(ax)


def _draw_arrows(ax: Axes, layout: Layout, place: dict[Node, tuple[float, float]]) -> None:
    half = {
        node: _HALF_NODE + _HALF_LINE * (len(lines) - 1) for node, lines in layout.lines.items()
    }
    depth, arrival = layout.depth, _arrivals(layout, place)
    many = len(layout.edges) > _MOST_ARROWS
    look = {"color": "0.6", "linewidth": 0.5} if many else {"color": INK, "linewidth": 1.1}
    for winner, loser in layout.edges:
        below = moved(ax, ax.transData, 0.0, -half[winner])
        tip = moved(ax, ax.transData, arrival[winner, loser], half[loser])
        pieces = list(itertools.pairwise(stations(winner, loser, depth)))
        for k, (start, end) in enumerate(pieces):
            last = k == len(pieces) - 1
            arrow = _line(
                ax,
                place[start],
                place[end],
                {"arrowstyle": "-|>" if last else "-", **look},
                xycoords=tip if last else ax.transData,
                textcoords=below if k == 0 else ax.transData,
            )
            arrow.set_label(str(State.order(winner, loser)))


def _line(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    look: dict[str, Any],
    **where: Any,
) -> Any:
    """Draw a line or an arrow from point to point."""
    arrow = {"shrinkA": 0, "shrinkB": 0, **look}
    line = ax.annotate("", xy=end, xytext=start, arrowprops=arrow, annotation_clip=False, **where)
    # Lines are within the Axes by construction; measuring a thousand takes long.
    line.set_in_layout(False)
    return line


def _arrivals(
    layout: Layout, place: dict[Node, tuple[float, float]]
) -> dict[tuple[str, str], float]:
    """Return where each arrow ends on the loser's upper edge, in points from its middle."""
    coming: dict[str, list[tuple[float, str]]] = {}
    for winner, loser in layout.edges:
        before = stations(winner, loser, layout.depth)[-2]
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
    ax: Axes, graph: nx.DiGraph[str], layout: Layout, place: dict[Node, tuple[float, float]]
) -> None:
    """Join the pairs of a trade-off by dashed lines, behind the names."""
    node_of = layout.node_of()
    for first, second, _ in _trade_offs(graph):
        one, other = sorted((place[node_of[first]], place[node_of[second]]))
        if one == other:
            continue
        # Neighbours are joined straight; a line along a row bends around those between.
        near = abs(one[1] - other[1]) > 0.1 or other[0] - one[0] < 1.1
        look = {
            "arrowstyle": "-",
            "color": PURPLE,
            "linewidth": 1.6,
            "linestyle": (0, (4, 2)),
            "connectionstyle": f"arc3,rad={0.0 if near else 0.18}",
        }
        _line(ax, one, other, look, zorder=1)


def _trade_offs(graph: nx.DiGraph[str]) -> list[tuple[str, str, str]]:
    """Return the trade-offs, or none if they are too many to be told apart."""
    mixed = graph.graph.get("mixed", [])
    trades = [pair for pair in mixed if Statement.parse(pair[2], pair[:2]).is_trade_off]
    return trades if len(trades) <= MOST_TRADES else []


def _draw_nodes(ax: Axes, layout: Layout, place: dict[Node, tuple[float, float]]) -> None:
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
        ax.text(x, y, text, ha="center", va="center", bbox=box, zorder=4)
    if layout.loose:
        x, y = place[layout.loose[0][0]]
        y += layout.step(layout.loose[0]) - 0.15
        ax.text(x - 0.5, y, "not ordered", fontsize="small", style="italic", color="0.35")


def _title(p: Pairwise, graph: nx.DiGraph[str], rule: Rule) -> list[str]:
    pairs = plural(len(p.comparisons) + len(p.skipped), "pair")
    mixed = len(graph.graph["mixed"])
    decided = graph.number_of_edges() + mixed
    verdicts = f"a verdict for {decided} of {pairs} ({rule.name(bayesian=p.bayesian)})"
    lines = [f"winners above losers: {verdicts}{datasets_words(p)}"]
    if mixed:
        dashed = "; dashed lines: trade-offs" if _trade_offs(graph) else ""
        lines.append(f"{no_winner_words(mixed)}{dashed}")
    if lay_out(graph).cyclic:
        lines.append("those in one box beat each other in a circle, so there is no order within it")
    return lines
