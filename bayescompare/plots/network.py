"""The graph of a network comparison: which measures depend on each other, and how surely."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.comparison import Comparison
from bayescompare.plots._drawing import clip, finish, statement_words
from bayescompare.plots.boards import WIDE, order_pen
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import Pen, wrapped
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

#: Longest name in the answer of a group.
_NAME = 24


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
    graph = graph_of(c, least)
    return finish(network_pen(c, least=least).onto(ax), *_title(c, graph))


def network_pen(c: Comparison, w: float = WIDE, *, least: float = 0.05) -> Pen:
    """Draw the graph from left to right, the other links in words, and the answer of each group."""
    import networkx as nx

    graph = graph_of(c, least)
    drawn: nx.DiGraph[str] = nx.DiGraph()
    drawn.add_nodes_from(c.results.measures)
    drawn.add_edges_from(graph.details.edges)
    if (p := graph.probability) is not None:
        for parent, child in graph.details.edges:
            there = float(p.sel(parent=parent, child=child))
            both = there + float(p.sel(parent=child, child=parent))
            words = f"{narrow_probability(there)} / {narrow_probability(both)}"
            drawn.edges[parent, child]["words"] = words
    pen = order_pen(drawn, "", w, reduced=False, apart="without a link in the graph:")
    pen.label = "The graph of measures that win together"
    y = pen.h + 12
    for text in [*map(_answer_words, graph.details.components), *_key(graph, least)]:
        for k, line in enumerate(wrapped(text, 12, w - 14)):
            y += 17
            pen.text(14 * (k > 0), y, line, 12, fill="ink" if text.startswith("P ") else "mute")
    return pen


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


def _answer_words(group: Component) -> str:
    held = Statement.parse(group.best).abridged().by_state(group.measures)
    words = "; ".join(
        f"{statement_words(str(state), 60)} on {join_names([clip(name, _NAME) for name in names])}"
        for state, names in held.items()
    )
    drawn = "" if group.exact else " (Monte Carlo)"
    return f"{probability_equation(group.probability)}{drawn}: {words}"


def _key(graph: Graph, least: float) -> list[str]:
    """Say what the figures on arrows are, and which other links are probable."""
    if graph.probability is None:
        return ["No probabilities: too many measures to sum over all graphs; c.edges samples them."]
    sentences = []
    if graph.details.edges:
        sentences.append("On arrows: P(this arrow) / P(a link either way), over all graphs.")
    linked = link_probability(graph.probability)
    names = graph.probability.parent.values.tolist()
    others = [
        f"{a} – {b} {narrow_probability(linked[names.index(a), names.index(b)])}"
        for a, b in graph.others
    ]
    if others:
        most = join_names(others, most=40)
        sentences.append(f"Not in the graph, but P(a link) ≥ {setting_number_text(least)}: {most}.")
    sentences = sentences or [f"No link has P ≥ {setting_number_text(least)} over all graphs."]
    if not graph.probability.attrs["exact"]:
        error = standard_error_text(graph.probability.attrs["mcse"])
        sentences.append(f"Graphs were sampled: standard errors are at most {error}.")
    return sentences
