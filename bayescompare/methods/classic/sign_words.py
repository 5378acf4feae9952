"""The sign test in plain words."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.methods.classic.details import SignDetails
from bayescompare.methods.classic.words import (
    NOT_A_PROBABILITY,
    classic_finding_words,
    classic_left_out_words,
)
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural

__all__ = ["sign_words"]


def sign_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say who won how often, and that only wins count."""
    n, ties = len(results.datasets), SignDetails.of(answer).ties
    limits = "The test counts on how many datasets an algorithm is better and ignores by how much."
    if decision.verdict == "tied":
        counts = (
            f"Of {plural(n, 'dataset')} each algorithm is better on "
            f"{count(float(answer.counts[0]))}, and {classic_left_out_words(ties)}: p = 1. That "
            "does not "
            "show that they are equal."
        )
        return [counts, limits, NOT_A_PROBABILITY]
    wins = float(answer.counts[answer.labels.index(decision.statement)])
    counts = (
        f"Of {plural(n, 'dataset')}, {count(wins)} say that "
        f"{decision.claim(results.measures)} and {count(answer.counts.sum() - wins)} the "
        f"reverse; {classic_left_out_words(ties)}."
    )
    hypothesis = "either algorithm is as likely as the other to be the better one on a dataset"
    return [counts, classic_finding_words(decision, hypothesis), limits, NOT_A_PROBABILITY]
