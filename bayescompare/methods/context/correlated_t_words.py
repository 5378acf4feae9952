"""The correlated t-test over datasets in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.methods._shared.correlation import correlation_words
from bayescompare.methods.context.details import CorrelatedTDetails
from bayescompare.methods.context.words import context_words, rate_words
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = ["correlated_t_words"]


def correlated_t_words(
    method: CorrelatedT, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say who is better on most datasets, what ρ was taken and what is ignored."""
    sentences = [*context_words(results, answer, decision), rate_words(answer, decision)]
    if method.priors:
        sentences.append(f"You chose the prior of {join_names(list(method.priors))}.")
    if method.joint:
        sentences.append(
            "The datasets inform each other: one in doubt is drawn to what the others say."
        )
    sentences.append(_rho_words(method, results, answer))
    (measure,) = results.measures
    if rope := results[measure].rope:
        sentences.append(f"Differences of at most {setting_number_text(rope)} count as equivalent.")
    sentences.append(
        "Each dataset's differences are taken to be normal with one mean; how large a mean "
        "difference is does not count further, and every dataset counts the same."
    )
    return sentences


def _rho_words(method: CorrelatedT, results: Results, answer: Answer) -> str:
    each = CorrelatedTDetails.of(answer).per_dataset
    return correlation_words(results, each.rho, each.replicates, rho=method.rho, folds=method.folds)
