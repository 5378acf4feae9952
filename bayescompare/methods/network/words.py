"""The network test in plain words; all its English is here."""

from __future__ import annotations

from typing import Literal

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import SETTLED, Decision
from bayescompare.methods.dirichlet.words import lead_words, size_words
from bayescompare.methods.network.details import NetworkDetails
from bayescompare.results.results import Results
from bayescompare.text.numbers import plural, probability_words
from bayescompare.text.phrases import join_names, short_label

__all__ = ["GraphKind", "network_words", "summed_words"]

GraphKind = Literal["learned", "given", "averaged"]


def network_words(
    graph: GraphKind, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Sentences: verdict, what hangs together, what carries the verdict, cautions."""
    said = [
        *lead_words(results, answer, decision),
        _graph(graph, answer),
        *_carriers(answer, decision),
        "The graph is about which measures win together, not about causes.",
        f"{size_words(results)}.",
    ]
    return [sentence for sentence in said if sentence]


def summed_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, and that it is a sum over measures left out."""
    return [
        *lead_words(results, answer, decision),
        "The other measures of the network were summed over; since these depend on them, that sum "
        "was drawn.",
    ]


def _graph(kind: GraphKind, answer: Answer) -> str:
    details = NetworkDetails.of(answer)
    start = {
        "averaged": "Averaged over all graphs; in the best one, ",
        "learned": "In the learned graph, ",
        "given": "In the graph given, ",
    }[kind]
    limit = plural(details.max_parents, "parent")
    end = "" if kind == "given" else f" (at most {limit} each)"
    if not details.edges:
        return f"{start}no measure depends on another{end}."
    joined = join_names([f"{parent}–{child}" for parent, child in details.edges])
    return f"{start}these hang together: {joined}{end}."


def _carriers(answer: Answer, decision: Decision) -> list[str]:
    """Components answered separately, and which of them hold the joint verdict back."""
    parts = NetworkDetails.of(answer).components
    if len(parts) < 2:
        return []
    told = [
        f"{join_names(part.measures)}: {short_label(part.best)} with "
        f"{probability_words(part.probability)}"
        for part in sorted(parts, key=lambda p: -p.probability)
    ]
    said = [f"The independent groups of measures by themselves: {'; '.join(told)}."]
    firm = [m for p in parts if p.probability >= SETTLED for m in p.measures]
    loose = [m for p in parts if p.probability < SETTLED for m in p.measures]
    if firm and loose:
        said.append(
            f"The verdict is carried by {join_names(firm)} and left open by {join_names(loose)}."
        )
    elif firm:
        said.append("Every group is settled by itself.")
    else:
        said.append("No group is settled by itself.")
    return said
