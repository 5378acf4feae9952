"""The tables of a learned graph in a report: its groups, its links and its score."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.plots.network_layout import all_probabilities, details_of, link_probability
from bayescompare.report.tables import Table, probability_cell
from bayescompare.text.numbers import error, log_evidence, setting
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["component_table", "edge_table", "graph_words"]

#: Links outside the graph are listed if they are at least this probable.
_LEAST = 0.05


def component_table(c: Comparison) -> Table:
    """Return each independent group of measures with its best statement."""
    rows = [
        [
            join_names(part.measures, most=20),
            part.best,
            "exact" if part.exact else "Monte Carlo",
            probability_cell(part.probability),
        ]
        for part in details_of(c).components
    ]
    heads = ["group", "statement", "computed", "P(most probable)"]
    return Table("Independent groups of measures, each by itself", heads, rows, text=3)


def edge_table(c: Comparison, most: int) -> list[Table]:
    """Return the links in the graph and probable ones outside it, the most probable first."""
    names = list(c.results.measures)
    arrows = {(names.index(a), names.index(b)) for a, b in details_of(c).edges}
    directed = all_probabilities(c)
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
            *(probability_cell(float(p)) for p in (linked[i, j], values[i, j], values[j, i])),
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
    title = (
        f"Links over all graphs: those in the graph, and others with P(linked) ≥ {setting(_LEAST)}"
    )
    if not directed.attrs["exact"]:
        title += f" (graphs sampled, standard error at most {error(directed.attrs['mcse'])})"
    more, marked = max(0, len(listed) - most), [pair in arrows for pair in listed[:most]]
    return [Table(title, heads, rows, 3, more, marked)]


def graph_words(c: Comparison) -> dict[str, str]:
    """Return the score of the graph and the limit on parents, for the provenance section."""
    details = details_of(c)
    return {
        "graph": f"log BDeu = {log_evidence(details.log_bdeu)}",
        "max_parents": f"at most {details.max_parents} per measure",
    }
