"""Graphs: the order of the verdicts, dominance, and the network of measures."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, as_rule
from bayescompare.plots._drawing import clip, finish, prefix_words, statement_words
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pairs import ranked_measure, verdicts_words
from bayescompare.plots.pen import PHONE, WIDE, Pen, fit, width, wrapped
from bayescompare.statements import Statement
from bayescompare.text.names import short_names
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
    import networkx as nx
    import xarray as xr
    from matplotlib.axes import Axes

    from bayescompare.methods.network.posterior import Component

__all__ = ["plot_network", "plot_order", "plot_relation"]


@plot_of(Pairwise, "order")
def plot_order(
    p: Pairwise,
    *,
    measure: str | None = None,
    level: float | None = None,
    fdr: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line from each algorithm to the next ones that it is better than.

    Lines that follow from others are left out (transitive reduction). Algorithms that beat each
    other in a circle share one box, for there is no order within it. Those that are not separated
    from anybody stand below.

    Parameters
    ----------
    p : Pairwise
    measure : str, optional
        The order on this measure by itself; by default on every measure at once.
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
    >>> [text.get_text() for text in ax.texts][:3]
    ['on every measure', 'GBM', 'RF']
    """
    rule = as_rule(level=level, fdr=fdr)
    if measure is not None:
        measure = ranked_measure(p, measure)
    graph = order_graph(p, PairVerdicts(p, rule), measure)
    one = measure or (p.results.measures[0] if len(p.results.measures) == 1 else "every measure")
    pen = order_pen(graph, f"on {one}")
    words = verdicts_words(p, p.decided(rule), rule)
    return finish(pen.onto(ax), words, *prefix_words(list(graph)))


def order_graph(p: Pairwise, verdicts: PairVerdicts, measure: str | None = None) -> nx.DiGraph[str]:
    """Return who is better than whom on a measure, or on every measure at once."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(verdicts.names)
    if measure is None or not len(verdicts.parts):
        beats = verdicts.beats.items()
        graph.add_edges_from((winner, loser) for winner, losers in beats for loser in losers)
        return graph
    rows = verdicts.parts.xs(measure, level="measure")
    for (first, second), who, word in zip(rows.index, rows["ahead"], rows["word"], strict=True):
        if word == "better":
            graph.add_edge(who, second if who == first else first)
    return graph


#: A node of the picture: an algorithm, those of a circle, or a bend of a line.
type _Node = tuple[str, ...] | tuple[int, int]


def order_pen(
    graph: nx.DiGraph[str],
    title: str,
    w: float = WIDE,
    *,
    reduced: bool = True,
    apart: str = "not separated from anybody:",
) -> Pen:
    """Draw an order from left to right, or from top to bottom where it is too deep for that.

    Lines that follow from others are left out where it is `reduced`; else each is an arrow, with
    what the graph has as its ``words``. Nodes without a line stand below the words `apart`.
    """
    short = short_names(list(graph))
    size, row = (13.0, 30.0) if w >= PHONE else (11.5, 27.0)
    columns, chains, alone = _layers(graph, reduced=reduced)
    pen = Pen(w, f"Order {title}")
    pen.text(0, 14, title, size, bold=True)
    top = 26.0 if title else 6.0

    def ends(chain: Sequence[_Node]) -> tuple[str, str]:
        return str(chain[0][0]), str(chain[-1][0])

    def label(node: _Node) -> str:
        return ", ".join(short[str(name)] for name in node)

    def long(node: _Node) -> float:
        return width(label(node), size) + 18 if isinstance(node[0], str) else 10.0

    tall = max(map(len, columns), default=0)
    wide = [max(map(long, column)) for column in columns]
    # Figures on arrows need room between columns, and beside each other.
    between, beside = (26, 12) if reduced else (78, 60)
    across = [sum(map(long, column)) + beside * (len(column) - 1) for column in columns]
    down = sum(wide) + between * (len(columns) - 1) > w and max(across, default=0) <= w
    places: dict[_Node, tuple[float, float, float]] = {}
    x = 0.0
    if not down and columns:
        wide = [min(one, (w - 24 * (len(columns) - 1)) / len(columns)) for one in wide]
        space = min((w - sum(wide)) / max(len(columns) - 1, 1), 130.0)
    for i, column in enumerate(columns):
        if down:
            x = (w - across[i]) / 2
        for k, node in enumerate(column):
            if down:
                places[node] = (x, top + (i + 0.45) * 1.9 * row, long(node))
                x += long(node) + beside
            else:
                places[node] = (x, top + (k + 0.5) * row * tall / len(column), wide[i])
        if not down:
            x += wide[i] + space
    said: list[tuple[float, float, float, str]] = []
    for chain in chains:
        points = _bent([places[node] for node in chain], row, down=down)
        pen.line(*points, stroke="gray", sw=1.3, curved=True)
        if not reduced:
            x, y = points[-1]
            head = [(x - 4, y - 7), (x + 4, y - 7)] if down else [(x - 7, y - 4), (x - 7, y + 4)]
            pen.shape([(x, y), *head], "gray")
            # In the middle of the last bend, and below what stands there already.
            (one, two), words = points[-4], graph.edges[ends(chain)].get("words", "")
            x, y, room = (one + x) / 2, (two + y) / 2 + 4, width(words, 10) + 4
            while any(abs(x - a) < (room + b) / 2 and abs(y - c) < 12 for a, c, b, _ in said):
                y += 12
            said += [(x, y, room, words)] if words else []
    for x, y, room, words in said:
        pen.rect(x - room / 2, y - 10, room, 13, "paper", r=2)
        pen.text(x, y, words, 10, "middle", "mute")
    for node, (left, y, room) in places.items():
        if isinstance(node[0], str):
            colour = "b" if len(node) > 1 else "a" if node in columns[0] else "gray"
            tip = label(node)
            pen.rect(left, y - 0.39 * row, room, 0.78 * row, "paper", colour, 5, tip)
            pen.text(left + 9, y + 0.36 * size, fit(label(node), size, room - 12), size)
    y = top + (len(columns) * 1.9 * row - 0.5 * row if down else tall * row)
    pen.h = y
    if alone:
        y += 16
        pen.text(0, y, apart, size - 1.5, fill="mute")
        y, x = y + 8, 0.0
        for node in alone:
            room = min(long(node), w)
            if x + room > w:
                x, y = 0.0, y + row
            pen.rect(x, y + 0.11 * row, room, 0.78 * row, "", "gray", 5, label(node))
            words = fit(label(node), size, room - 12)
            pen.text(x + 9, y + row / 2 + 0.36 * size, words, size, fill="mute")
            x += room + 8
    return pen


def _layers(
    graph: nx.DiGraph[str], *, reduced: bool
) -> tuple[list[list[_Node]], list[list[_Node]], list[_Node]]:
    """Put nodes and the bends of long lines into columns, so that few lines cross.

    Returns the columns, the nodes of each line from start to end, and the nodes without a line.
    """
    import networkx as nx

    at = {name: k for k, name in enumerate(graph)}
    circles = nx.condensation(graph)
    names = {k: tuple(sorted(some, key=at.__getitem__)) for k, some in circles.nodes("members")}
    whole: nx.DiGraph[Any] = nx.relabel_nodes(circles, names)
    if reduced and not graph.graph.get("intransitive"):
        whole = nx.transitive_reduction(whole)
    alone = list(nx.isolates(whole))
    whole.remove_nodes_from(alone)
    columns = [sorted(some, key=lambda k: at[k[0]]) for some in nx.topological_generations(whole)]
    level = {node: i for i, column in enumerate(columns) for node in column}
    steps: nx.DiGraph[Any] = nx.DiGraph()
    chains: list[list[_Node]] = []
    for number, (one, other) in enumerate(whole.edges):
        bends = [(number, i) for i in range(level[one] + 1, level[other])]
        for bend in bends:
            columns[bend[1]].append(bend)
        chains.append([one, *bends, other])
        nx.add_path(steps, chains[-1])
    # Each column by the mean place of its neighbours in the one before, forwards and back.
    for near in (steps.predecessors, steps.successors) * 2:
        known: dict[_Node, float] = {}
        for column in columns if near == steps.predecessors else reversed(columns):

            def middle(node: _Node, near: Any = near, known: Any = known) -> float:
                return float(np.mean([known[k] for k in near(node) if k in known] or [0.5]))

            column.sort(key=middle)
            known = {node: k / max(len(column) - 1, 1) for k, node in enumerate(column)}
    return columns, chains, alone


def _bent(
    places: Sequence[tuple[float, float, float]], row: float, *, down: bool
) -> list[tuple[float, float]]:
    """Return the Bézier points of a line through these boxes."""
    half, points = 0.39 * row, []
    last = len(places) - 1
    for k, ((xu, yu, wu), (xv, yv, wv)) in enumerate(itertools.pairwise(places)):
        if down:
            start, end = (xu + wu / 2, yu + half), (xv + wv / 2, yv - half)
            middle = (start[1] + end[1]) / 2
            bend = [(start[0], middle), (end[0], middle), end]
            through = [(start[0], yu - half / 3), (start[0], yu + half / 3), start]
        else:
            start, end = (xu + wu, yu), (xv, yv)
            middle = (start[0] + end[0]) / 2
            bend = [(middle, start[1]), (middle, end[1]), end]
            through = [(xu + wu / 3, yu), (xu + 2 * wu / 3, yu), start]
        # A bend of the line has no box: the line goes on through it.
        points += (through if k else [start]) + bend
    assert len(points) == 1 + 3 * (2 * last - 1)
    return points


@plot_of(Comparison, "relation", needs="relation")
def plot_relation(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw a line from each algorithm to those that it dominates directly.

    Lines that follow from others are left out.

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
    >>> [text.get_text() for text in ax.texts]
    ['dominance', 'GBM', 'RF', 'CART']
    """
    graph, lines = c.order(), [c.headline()]
    if c.incomparable:
        apart = join_names([f"{a} and {b}" for a, b in c.incomparable], most=8)
        lines.append(f"Incomparable pairs: {apart}")
    if triples := graph.graph["intransitive"]:
        a, b, c_ = triples[0]
        lines.append(f"Not transitive: each line is one pair, and {a} → {b} → {c_} says nothing")
    return finish(order_pen(graph, "dominance").onto(ax), *lines)


# a network of measures --------------------------------------------------------------------------

#: Longest name in the answer of a group.
_NAME = 24


@plot_of(Comparison, "network", needs="network")
def plot_network(c: Comparison, *, least: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the learned graph from left to right, measures without a link below it.

    Each arrow is labelled with the probability of that arrow and, after the stroke, that of a link
    in either direction, both over all graphs. A direction is often undecided (about half of the
    link's probability) even if the link itself is sure. Below are the answer of each independent
    group, and the links that are probable but not in the graph.

    Parameters
    ----------
    c : Comparison
        A comparison by the method "network".
    least : float
        Links outside the graph are named if they are at least this probable.
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
    >>> [text.get_text() for text in ax.texts if "/" in text.get_text()][:2]
    ['0.28 / 0.56', '0.28 / 0.56']
    """
    return finish(network_pen(c, least=least).onto(ax), *_title(c))


def network_pen(c: Comparison, w: float = WIDE, *, least: float = 0.05) -> Pen:
    """Draw the graph from left to right, the other links in words, and the answer of each group."""
    import networkx as nx

    facts: Any = c.answer.facts
    p, _ = links_of(c, least)
    drawn: nx.DiGraph[str] = nx.DiGraph()
    drawn.add_nodes_from(c.results.measures)
    drawn.add_edges_from(facts.edges)
    if p is not None:
        for parent, child in facts.edges:
            there = float(p.sel(parent=parent, child=child))
            both = there + float(p.sel(parent=child, child=parent))
            words = f"{narrow_probability(there)} / {narrow_probability(both)}"
            drawn.edges[parent, child]["words"] = words
    pen = order_pen(drawn, "", w, reduced=False, apart="without a link in the graph:")
    pen.label = "The graph of measures that win together"
    y = pen.h + 12
    for text in [*map(_answer_words, facts.components), *key_of_links(c, least)]:
        for k, line in enumerate(wrapped(text, 12, w - 14)):
            y += 17
            pen.text(14 * (k > 0), y, line, 12, fill="ink" if text.startswith("P ") else "mute")
    return pen


def links_of(
    c: Comparison, least: float
) -> tuple[xr.DataArray | None, dict[tuple[str, str], float]]:
    """Return `c.edges`, and the links outside the graph that are at least so probable.

    Without edges where graphs would have to be sampled for them and were not yet.
    """
    from bayescompare.posterior.graphs import are_summed

    if not is_number(least) or not 0 <= least <= 1:
        raise BayescompareError(f"least={least!r}: must be a probability, from 0 to 1.")
    facts: Any = c.answer.facts
    names = c.results.measures
    if not are_summed(len(names), facts.max_parents) and "edges" not in vars(c.posterior):
        return None, {}
    drawn, linked = set(map(frozenset, facts.edges)), c.edges.to_numpy()
    return c.edges, {
        (names[i], names[j]): float(linked[i, j] + linked[j, i])
        for i, j in itertools.combinations(range(len(names)), 2)
        if linked[i, j] + linked[j, i] >= least and frozenset((names[i], names[j])) not in drawn
    }


def _title(c: Comparison) -> list[str]:
    facts: Any = c.answer.facts
    options = c.method.options()
    fixed = not isinstance(options["search"], str)
    which = "graph given" if fixed else "best graph" if options["average"] else "learned graph"
    groups = "all measures linked"
    if len(facts.components) > 1:
        groups = f"{len(facts.components)} independent groups"
    limit = "" if fixed else f"at most {plural(facts.max_parents, 'parent')} each, "
    arrows = plural(len(facts.edges), "arrow") if facts.edges else "no arrows"
    return [
        f"{which}: {arrows}, {groups}",
        f"{limit}log BDeu = {log_evidence_text(facts.log_bdeu)}",
    ]


def _answer_words(group: Component) -> str:
    held = Statement.parse(group.best).abridged().by_state(group.measures)
    words = "; ".join(
        f"{statement_words(str(state), 60)} on {join_names([clip(name, _NAME) for name in names])}"
        for state, names in held.items()
    )
    drawn = "" if group.exact else " (Monte Carlo)"
    return f"{probability_equation(group.probability)}{drawn}: {words}"


def key_of_links(c: Comparison, least: float) -> list[str]:
    """Say what the figures on arrows are, and which other links are probable."""
    edges, others = links_of(c, least)
    if edges is None:
        return ["No probabilities: too many measures to sum over all graphs; c.edges samples them."]
    sentences = []
    facts: Any = c.answer.facts
    if facts.edges:
        sentences.append("On arrows: P(this arrow) / P(a link either way), over all graphs.")
    if others:
        links = [f"{a} – {b} {narrow_probability(p)}" for (a, b), p in others.items()]
        most = join_names(links, most=40)
        sentences.append(f"Not in the graph, but P(a link) ≥ {setting_number_text(least)}: {most}.")
    sentences = sentences or [f"No link has P ≥ {setting_number_text(least)} over all graphs."]
    if not edges.attrs["exact"]:
        error = standard_error_text(edges.attrs["mcse"])
        sentences.append(f"Graphs were sampled: standard errors are at most {error}.")
    return sentences
