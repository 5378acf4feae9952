"""The network test in plain words, and what a paper says of it."""

from __future__ import annotations

from typing import Any

from bayescompare.methods._shared.words import option_as_given, own_priors_text
from bayescompare.methods.dirichlet.words import lead_words, size_words
from bayescompare.methods.network.posterior import NetworkDetails
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision, claim_words
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    plural,
    probability_words,
    setting_number_text,
    standard_error_text,
)
from bayescompare.text.phrases import join_names

#: What is lost where the tables' prior is not BDeu's.
NOT_EQUIVALENT = (
    "With your alpha, graphs that express the same independences may have different scores, so the "
    "direction of an arrow depends on it."
)


def words(method: Any, results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, which measures depend on each other, which decide it, and cautions."""
    alpha = "alpha" in (method.priors or {}) and not method.needs_mcmc
    return [
        *lead_words(results, answer, decision),
        _graph_words(method, answer),
        *_carrier_words(results, answer, decision),
        "The graph shows which measures win together, not what causes what.",
        size_words(results),
        *([NOT_EQUIVALENT] if alpha else []),
    ]


def summed_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, and that it is a sum over measures left out."""
    return [
        *lead_words(results, answer, decision),
        "The other measures of the network were summed over, by random draws, because these depend "
        "on them.",
    ]


def _graph_words(method: Any, answer: Answer) -> str:
    details = NetworkDetails.of(answer)
    limit = plural(details.max_parents, "parent")
    start, end = "In your graph, ", ""
    if isinstance(method.search, str):
        start, end = "In the learned graph, ", f" (at most {limit} each)"
    if method.average:
        start = "Averaged over all graphs; in the best one, "
    if not details.edges:
        return f"{start}no measure depends on another{end}."
    joined = join_names([f"{parent}–{child}" for parent, child in details.edges])
    return f"{start}these measures depend on each other: {joined}{end}."


def _carrier_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
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


def methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the test, its graph and what is reported."""
    limit = method.max_parents if answer is None else NetworkDetails.of(answer).max_parents
    edges = [
        f"{name} {join_names([f'{a}–{b}' for a, b in given])}"
        for name, given in (("required", method.required), ("forbidden", method.forbidden))
        if given
    ]
    choices = ["BDeu score", f"equivalent sample size {option_as_given(method.ess)}"]
    if method.priors:
        choices[1] = f"prior given by the user: {own_priors_text(method)}"
    if "alpha" in (method.priors or {}) and not method.needs_mcmc:
        choices[0] = "BD score"
    if isinstance(method.search, str):
        most = "as many parents as the datasets allow" if limit == "auto" else "any number of them"
        if isinstance(limit, int):
            most = plural(limit, "parent")
        choices.append(f"at most {most} each")
        choices += [f"edges {text}" for text in edges]
    graph = "of a graph given by the user"
    if method.average:
        graph = "averaged over all graphs within the limit on parents"
    elif isinstance(method.search, str):
        graph = "of the graph with the best score"
        choices.append(f"{method.search} search")
    return (
        "by the test of {cited} with the joint distribution factored by a Bayesian network over "
        f"the measures, {graph} ({', '.join(choices)}). Reported is the posterior "
        f"probability that a joint statement is the most probable one, computed "
        f"{_error_text(method, answer)}."
    )


def _error_text(method: Any, answer: Answer | None) -> str:
    if answer is not None and answer.mcse is not None:
        most = standard_error_text(float(answer.mcse.max()))
        return (
            f"by {'NUTS' if method.needs_mcmc else 'Monte Carlo'} (standard error at most {most})"
        )
    if answer is None and not method.needs_mcmc:
        wanted = setting_number_text(method.mcse)
        return f"exactly where it can be, else by Monte Carlo to a standard error of {wanted}"
    return "by NUTS in PyMC" if method.needs_mcmc else "exactly"
