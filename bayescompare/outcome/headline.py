"""The verdict on one comparison in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import claim_in_quotes, short_parts_words
from bayescompare.outcome.columns import LOWER
from bayescompare.outcome.decision import Decision
from bayescompare.text.numbers import (
    count,
    format_probability,
    plural,
    probability_equation,
    pvalue_equation,
    standard_error_text,
)

if TYPE_CHECKING:
    from bayescompare.outcome.posterior import Posterior

__all__ = ["headline"]


def headline(posterior: Posterior, decision: Decision) -> str:
    """Return the verdict in one line, in the words that most methods share."""
    answer, said = posterior.answer, posterior.claim(decision.statement)
    if decision.state == "leads":
        return _leading(posterior, decision)
    claim = f"{claim_in_quotes(said)} {posterior.method.phrases.verdict}"
    if answer.pvalue is not None:
        return f"{claim}, {pvalue_equation(decision.level)}: {_significance(decision)}"
    verdict = (
        f"{claim} with {probability_equation(decision.level)} "
        f"({_precision(answer, decision)}): {_certainty(decision)}"
    )
    none = answer.none_leads
    if none > decision.level:
        # What is more probable comes first.
        return f"no statement leads with {probability_equation(none)}; next, {verdict}"
    return f"{verdict}; none leads with {probability_equation(none)}" if none else verdict


def _leading(posterior: Posterior, decision: Decision) -> str:
    """Say what is most frequent, and on which measures that is no verdict."""
    answer = posterior.answer
    support = float(answer.counts[answer.labels.index(decision.statement)])
    sure = (
        pvalue_equation(decision.probability)
        if decision.pvalue
        else f"{probability_equation(decision.probability)} ({_precision(answer, decision)})"
    )
    return (
        f"The most frequent outcome ({count(support)} of "
        f"{plural(len(posterior.results.datasets), 'dataset')}) is that "
        f"{posterior.claim(decision.statement)}, {sure}; {short_parts_words(decision)}"
    )


def _significance(decision: Decision) -> str:
    words = {"settled": "significant", "tied": "tied, nothing to single out"}
    return words.get(decision.verdict, "not significant")


def _certainty(decision: Decision) -> str:
    if decision.state == "tied":
        return f"tied with {plural(len(decision.rivals), 'other')}"
    return {"settled": "settled", "likely": "likely, not settled"}.get(decision.verdict, "open")


def _precision(answer: Answer, decision: Decision) -> str:
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
