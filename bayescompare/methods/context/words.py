"""The tests about a context in plain words: who is better on most datasets of a kind."""

from __future__ import annotations

from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import certainty_words
from bayescompare.outcome.columns import THETA_LOWER, THETA_MEAN, THETA_UPPER
from bayescompare.outcome.decision import Decision
from bayescompare.statements import Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent, plural, probability_words
from bayescompare.text.phrases import exactness_phrase

__all__ = ["context_words", "rate_words"]


def context_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say who is better on most datasets of the kind, how sure that is, and what the data were."""
    first, second = results.algorithms
    (measure,) = results.measures
    n = plural(len(results.datasets), "dataset")
    if decision.verdict == "tied" and len(answer.labels) == 3:
        tied = [_context_claim_words(label) for label in (decision.statement, *decision.rivals)]
        return [
            f"On {n} no outcome on {measure} leads: that {' and that '.join(tied)} are equally "
            f"probable to be the most frequent on datasets of this kind "
            f"({probability_words(decision.level)} each)."
        ]
    if decision.verdict == "tied":
        return [
            f"On {n} neither {first} nor {second} leads on {measure}: each is as probable as the "
            f"other to be better on most datasets of this kind "
            f"({probability_words(decision.level)} each)."
        ]
    how = exactness_phrase(answer, decision.statement)
    # Of three outcomes the most frequent one need not be that of most datasets.
    often = "on most datasets of this kind"
    if len(answer.labels) == 3:
        often = "on datasets of this kind more often than either other outcome"
    start = (
        f"On {n} the probability that {_context_claim_words(decision.statement)} on {measure}, "
        f"{often}, is "
        f"{probability_words(decision.level)} ({how})"
    )
    return [
        f"{start}{certainty_words(decision)}.",
        _context_dataset_words(answer, decision),
    ]


def rate_words(answer: Answer, decision: Decision) -> str:
    """Say on what share of datasets the leading statement is expected to hold."""
    mean, low, high = (
        percent(answer.column_at(column, decision.statement))
        for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
    )
    return (
        f"It is expected that {_context_claim_words(decision.statement)} on {mean} of datasets "
        "of this "
        f"kind (95 % interval {low} to {high})."
    )


def _context_claim_words(statement: str) -> str:
    (state,) = Statement.parse(statement).states
    if state.relation == "=":
        return f"{' and '.join(state.names)} are practically equivalent"
    return state.words()


def _context_dataset_words(answer: Answer, decision: Decision) -> str:
    leaning = float(answer.counts[answer.labels.index(decision.statement)])
    total = float(answer.counts.sum())
    return f"Of the datasets seen, {count(leaning)} of {count(total)} lean that way."
