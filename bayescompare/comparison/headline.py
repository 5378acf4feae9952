"""The verdict on one comparison in one line."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import claim_in_quotes, short_parts_words
from bayescompare.comparison.columns import LOWER
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Method
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    format_probability,
    plural,
    probability_equation,
    pvalue_equation,
    standard_error_text,
)

__all__ = ["headline"]


def headline(method: Method, results: Results, answer: Answer, decision: Decision) -> str:
    """Return the verdict in one line, in the method's own words where it has some."""
    special = method.headline(results, answer, decision)
    if special is not None:
        return special
    if decision.state == "leads":
        return _leading_headline(method, results, answer, decision)
    claim = f"{claim_in_quotes(method.claim(results, decision.statement))} {method.verdict_phrase}"
    if answer.pvalue is not None:
        return f"{claim}, {pvalue_equation(decision.level)}: {_headline_significance(decision)}"
    verdict = (
        f"{claim} with {probability_equation(decision.level)} "
        f"({_headline_precision(answer, decision)}): {_headline_certainty(decision)}"
    )
    none = answer.none_leads
    if none > decision.level:
        # What is more probable comes first.
        return f"no statement leads with {probability_equation(none)}; next, {verdict}"
    return f"{verdict}; none leads with {probability_equation(none)}" if none else verdict


def _leading_headline(method: Method, results: Results, answer: Answer, decision: Decision) -> str:
    """Say what is most frequent, and on which measures that is no verdict."""
    support = float(answer.counts[answer.labels.index(decision.statement)])
    sure = (
        pvalue_equation(decision.probability)
        if decision.pvalue
        else f"{probability_equation(decision.probability)} "
        f"({_headline_precision(answer, decision)})"
    )
    return (
        f"The most frequent outcome ({count(support)} of "
        f"{plural(len(results.datasets), 'dataset')}) is that "
        f"{method.claim(results, decision.statement)}, {sure}; {short_parts_words(decision)}"
    )


def _headline_significance(decision: Decision) -> str:
    words = {"settled": "significant", "tied": "tied, nothing to single out"}
    return words.get(decision.verdict, "not significant")


def _headline_certainty(decision: Decision) -> str:
    if decision.state == "tied":
        return f"tied with {plural(len(decision.rivals), 'other')}"
    return {"settled": "settled", "likely": "likely, not settled"}.get(decision.verdict, "open")


def _headline_precision(answer: Answer, decision: Decision) -> str:
    """Say how the probability is known, and what the pair's own prior says."""
    precision = "exact"
    if answer.mcse is not None:
        mcse = float(answer.mcse[answer.labels.index(decision.statement)])
        precision = f"MCSE {standard_error_text(mcse)}"
    if decision.alone is not None:
        precision += f"; {probability_equation(decision.alone)} under the pair's own prior"
    if decision.lowest is not None:
        over = "for any prior mean" if LOWER in answer.per_statement else "whatever is missing"
        precision += f"; at least {format_probability(decision.lowest)} {over}"
    return precision
