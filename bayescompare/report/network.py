"""The tables of a learned graph in a report: its groups, its links and its score."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots.network import graph_of, link_probability
from bayescompare.report.tables import Table, report_probability_cell
from bayescompare.text.numbers import log_evidence_text, setting_number_text, standard_error_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["report_component_table", "report_edge_table", "report_graph_words"]

#: Links outside the graph are listed if they are at least this probable.
_LEAST = 0.05


def report_component_table(c: Comparison) -> Table:
    """Return each independent group of measures with its best statement."""
    rows = [
        [
            join_names(part.measures, most=20),
            part.best,
            "exact" if part.exact else "Monte Carlo",
            report_probability_cell(part.probability),
        ]
        for part in graph_of(c, _LEAST).details.components
    ]
    heads = ["group", "statement", "computed", "P(most probable)"]
    return Table("Independent groups of measures, each by itself", heads, rows, text=3)


def report_edge_table(c: Comparison, most: int) -> list[Table]:
    """Return the links in the graph and probable ones outside it, the most probable first."""
    names = list(c.results.measures)
    arrows = {(names.index(a), names.index(b)) for a, b in graph_of(c, _LEAST).details.edges}
    directed = graph_of(c, _LEAST).probability
    if directed is None:
        rows = [[names[i], "→", names[j]] for i, j in sorted(arrows)]
        title = "Arrows of the graph (without probabilities: too many measures)"
        return [Table(title, ["measure", "", "measure"], rows, text=3)] if rows else []
    values, linked = directed.to_numpy(), link_probability(directed)
    # Each pair has the direction of its arrow or, without one, the more probable direction.
    pairs = [
        (j, i)
        if (j, i) in arrows or ((i, j) not in arrows and values[j, i] > values[i, j])
        else (i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    listed = [pair for pair in pairs if pair in arrows or linked[pair] >= _LEAST]
    listed.sort(key=lambda pair: -float(np.round(linked[pair], 12)))
    rows = [
        [
            names[i],
            "→" if (i, j) in arrows else "",
            names[j],
            *(
                report_probability_cell(float(p))
                for p in (linked[i, j], values[i, j], values[j, i])
            ),
        ]
        for i, j in listed[:most]
    ]
    heads = [
        "first",
        "in the graph",
        "second",
        "P(linked)",
        "P(first → second)",
        "P(second → first)",
    ]
    least = setting_number_text(_LEAST)
    title = f"Links over all graphs: those in the graph, and others with P(linked) ≥ {least}"
    if not directed.attrs["exact"]:
        error = standard_error_text(directed.attrs["mcse"])
        title += f" (graphs sampled, standard error at most {error})"
    more, marked = max(0, len(listed) - most), [pair in arrows for pair in listed[:most]]
    return [Table(title, heads, rows, 3, more, marked)]


def report_graph_words(c: Comparison) -> dict[str, str]:
    """Return the score of the graph and the limit on parents, for the provenance section."""
    details = graph_of(c, _LEAST).details
    return {
        "graph": f"log BDeu = {log_evidence_text(details.log_bdeu)}",
        "max_parents": f"at most {details.max_parents} per measure",
    }
