"""The Poisson binomial test in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.methods.context.words import context_words, rate_words
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.context.poisson_binomial import PoissonBinomial

__all__ = ["poisson_binomial_words"]


def poisson_binomial_words(
    method: PoissonBinomial, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say who is better on most datasets, and how the datasets were put together."""
    sentences = [*context_words(results, answer, decision), rate_words(answer, decision)]
    if method.priors:
        sentences.append(f"You chose the prior of {join_names(list(method.priors))}.")
    if method.joint:
        sentences.append(
            "The datasets inform each other: one in doubt is drawn to what the others say."
        )
    else:
        sentences.append(
            "This is the paper's formula, which judges every dataset by its own errors alone "
            "and so is mostly nearer to ½; the full model of the same story is joint=True."
        )
    sentences.append(
        "Only who has the smaller risk on a dataset counts, not by how much, and every dataset "
        "counts the same."
    )
    return sentences
