"""The hierarchical Beta test in plain words."""

from __future__ import annotations

from bayescompare.methods._shared.pair_answer import pair_counts
from bayescompare.methods.context.scalars import PooledScalars
from bayescompare.methods.context.words import context_words, rate_words
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import statistic_number_text

__all__ = ["hierarchical_words"]


def hierarchical_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say who is better on most datasets, and how alike the datasets are."""
    k_h, k_g = pair_counts(results)
    # Without any discordant example only the prior would be speaking.
    alike = (
        [_hierarchical_alike_words(PooledScalars.of(answer).rho_mean)] if (k_h + k_g).any() else []
    )
    return [
        *context_words(results, answer, decision),
        rate_words(answer, decision),
        *alike,
        "Unlike counting datasets, this lets a dataset with few errors borrow from the others; "
        "it takes them to be of one kind, so that one unlike the rest is drawn to them.",
    ]


def _hierarchical_alike_words(rho: float) -> str:
    kind = "much alike" if rho < 0.05 else "moderately alike" if rho < 0.3 else "very different"
    return (
        f"The datasets are {kind} in this respect: the errors on one of them have an estimated "
        f"correlation of {statistic_number_text(rho, significant=2)}."
    )
