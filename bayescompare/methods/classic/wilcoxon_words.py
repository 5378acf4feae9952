"""Wilcoxon's signed-rank test in plain words."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.kernels.classic.wilcoxon import MOST_EXACT
from bayescompare.methods.classic.details import WilcoxonDetails
from bayescompare.methods.classic.words import (
    NOT_A_PROBABILITY,
    classic_finding_words,
    classic_left_out_words,
)
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural

__all__ = ["wilcoxon_words"]


def wilcoxon_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the rank sums, how the p-value was computed, and what the test assumes."""
    details = WilcoxonDetails.of(answer)
    sums, left = details.rank_sums, classic_left_out_words(details.ties)
    n = plural(len(results.datasets), "dataset")
    limits = (
        "The test assumes that differences are comparable between datasets and symmetric about "
        "their median; where they are not, use method='sign'."
    )
    if answer.tested is None:
        ranks = (
            f"On {n} the ranks of the differences sum to {count(sums[0])} for either algorithm, "
            f"and {left}: p = 1. That does not show that they are equal."
        )
        return [ranks, limits, NOT_A_PROBABILITY]
    ahead = answer.tested
    ranks = (
        f"On {n} the ranks of the differences sum to {count(sums[ahead])} for the claim that "
        f"{decision.claim(results.measures)} and to {count(sums[1 - ahead])} against it; {left}."
    )
    if answer.counts[ahead] < answer.counts[1 - ahead]:
        ranks += " The reverse holds on more datasets, but by smaller differences on the whole."
    tested = classic_finding_words(decision, "the differences are symmetric about zero")
    how = (
        "The p-value is exact: it counts the patterns of signs."
        if details.exact
        else f"The p-value is not exact: above {MOST_EXACT} differences it is the normal "
        "approximation."
    )
    return [ranks, tested, how, limits, NOT_A_PROBABILITY]
