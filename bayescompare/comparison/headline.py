"""The verdict on one comparison in one line."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import claim_in_quotes
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Method
from bayescompare.results.results import Results
from bayescompare.text.numbers import (
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


def _headline_significance(decision: Decision) -> str:
    words = {"settled": "significant", "tied": "tied, nothing to single out"}
    return words.get(decision.verdict, "not significant")


def _headline_certainty(decision: Decision) -> str:
    return {
        "settled": "settled",
        "likely": "likely, not settled",
        "open": "open",
        "tied": f"tied with {plural(len(decision.rivals), 'other')}",
    }[decision.verdict]


def _headline_precision(answer: Answer, decision: Decision) -> str:
    """Say how the probability is known, and what the pair's own prior says."""
    precision = "exact"
    if answer.mcse is not None:
        mcse = float(answer.mcse[answer.labels.index(decision.statement)])
        precision = f"MCSE {standard_error_text(mcse)}"
    if decision.alone is not None:
        precision += f"; {probability_equation(decision.alone)} under the pair's own prior"
    if decision.lowest is not None:
        precision += f"; at least {format_probability(decision.lowest)} whatever is missing"
    return precision
