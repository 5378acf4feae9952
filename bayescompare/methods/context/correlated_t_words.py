"""The correlated t-test over datasets in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.methods.context.details import CorrelatedTDetails
from bayescompare.methods.context.words import context_words, rate_words
from bayescompare.results.results import Results
from bayescompare.text.numbers import count, setting, statistic
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
    sentences.append(_rho_words(method, answer))
    (measure,) = results.measures
    if rope := results[measure].rope:
        sentences.append(f"Differences of at most {setting(rope)} count as equivalent.")
    sentences.append(
        "Each dataset's differences are taken to be normal with one mean; how large a mean "
        "difference is does not count further, and every dataset counts the same."
    )
    return sentences


def _rho_words(method: CorrelatedT, answer: Answer) -> str:
    each = CorrelatedTDetails.of(answer).per_dataset
    correlations = sorted(set(each.rho))
    ends = dict.fromkeys([correlations[0], correlations[-1]])
    shown = " to ".join(statistic(rho, significant=3) for rho in ends)
    if method.rho is not None:
        return f"Replicates of one dataset were taken to have correlation {shown}, as given."
    if method.folds is not None:
        return f"Replicates were taken to have correlation {shown}, one over the folds."
    counts = sorted(set(each.replicates))
    many = count(counts[0]) if len(counts) == 1 else f"{count(counts[0])}–{count(counts[-1])}"
    return (
        f"Replicates were taken to be the {many} folds of one cross-validation, with correlation "
        f"{shown}; for repeated cross-validation give folds=, for independent seeds rho=0."
    )
