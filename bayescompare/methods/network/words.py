"""The network test in plain words."""

from __future__ import annotations

from typing import Literal

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import claim_words
from bayescompare.comparison.decision import Decision
from bayescompare.methods.dirichlet.words import lead_words, size_words
from bayescompare.methods.network.details import NetworkDetails
from bayescompare.table.results import Results
from bayescompare.text.numbers import plural, probability_words
from bayescompare.text.phrases import join_names

__all__ = ["NOT_EQUIVALENT", "GraphKind", "network_words", "summed_words"]

GraphKind = Literal["learned", "given", "averaged"]

#: What is lost where the tables' prior is not BDeu's.
NOT_EQUIVALENT = (
    "With your alpha, graphs that express the same independences may have different scores, so the "
    "direction of an arrow depends on it."
)


def network_words(
    graph: GraphKind, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the verdict, which measures depend on each other, which decide it, and cautions."""
    sentences = [
        *lead_words(results, answer, decision),
        _network_graph_words(graph, answer),
        *_network_carrier_words(results, answer, decision),
        "The graph shows which measures win together, not what causes what.",
        f"{size_words(results)}.",
    ]
    return [sentence for sentence in sentences if sentence]


def summed_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, and that it is a sum over measures left out."""
    return [
        *lead_words(results, answer, decision),
        "The other measures of the network were summed over, by random draws, because these depend "
        "on them.",
    ]


def _network_graph_words(kind: GraphKind, answer: Answer) -> str:
    details = NetworkDetails.of(answer)
    start = {
        "averaged": "Averaged over all graphs; in the best one, ",
        "learned": "In the learned graph, ",
        "given": "In your graph, ",
    }[kind]
    limit = plural(details.max_parents, "parent")
    end = "" if kind == "given" else f" (at most {limit} each)"
    if not details.edges:
        return f"{start}no measure depends on another{end}."
    joined = join_names([f"{parent}–{child}" for parent, child in details.edges])
    return f"{start}these measures depend on each other: {joined}{end}."


def _network_carrier_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say what each independent group of measures shows, and which measures are sure."""
    parts = NetworkDetails.of(answer).components
    if len(parts) < 2:
        return []
    claims = [
        f"{claim_words(part.best, results.algorithms, part.measures)} with "
        f"{probability_words(part.probability)}"
        for part in sorted(parts, key=lambda p: -p.probability)
    ]
    sentences = [f"Each independent group of measures by itself: {'; '.join(claims)}."]
    sure = {part.measure: part.word in ("better", "equal") for part in decision.measured}
    firm, loose = ([m for m, holds in sure.items() if holds is kind] for kind in (True, False))
    if firm and loose:
        are = "is" if len(firm) == 1 else "are"
        left = "is" if len(loose) == 1 else "are"
        one = f"{join_names(firm)} {are} sure, {join_names(loose)} {left} open"
        sentences.append(f"Measure by measure, {one}.")
    else:
        which = "Every measure is sure" if firm else "No measure is sure"
        sentences.append(f"{which} by itself.")
    return sentences
