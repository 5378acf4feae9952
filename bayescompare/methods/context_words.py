"""The tests about a context in plain words: who is better on most datasets of a kind."""

from __future__ import annotations

from bayescompare.methods.base import Answer
from bayescompare.methods.decision import SETTLED, Decision
from bayescompare.methods.words import number, plural, share
from bayescompare.results import Results

__all__ = ["context_words", "rate_words"]


def context_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say who is better on most datasets of the kind, how sure that is, and what the data were."""
    first, second = results.algorithms
    (measure,) = results.measures
    n = plural(len(results.datasets), "dataset")
    if decision.verdict == "tied":
        return [
            f"On {n} neither {first} nor {second} leads on {measure}: each is as probable as the "
            f"other to be better on most datasets of this kind ({share(decision.level)} each)."
        ]
    how = "exact" if answer.exact else f"Monte Carlo standard error {_error(answer, decision):.1g}"
    start = (
        f"On {n} the probability that {_claim(decision.statement)} on {measure}, on most datasets "
        f"of this kind, is {share(decision.level)} ({how})"
    )
    return [
        {
            "settled": f"{start}, which settles it.",
            "likely": f"{start}: likely, but short of {SETTLED:.2f} and so not settled.",
            "open": f"{start}, which leaves the question open.",
        }[decision.verdict],
        _datasets(answer, decision),
    ]


def rate_words(results: Results, answer: Answer) -> str:
    """Say on what share of datasets the first is expected to be better."""
    first, second = results.algorithms
    rate = answer.figures
    return (
        f"{first} is expected to be better than {second} on {100 * rate['rate_mean']:.0f} % of "
        f"datasets of this kind (95 % interval {100 * rate['rate_lower']:.0f} to "
        f"{100 * rate['rate_upper']:.0f} %)."
    )


def _claim(statement: str) -> str:
    if "=" in statement:
        return " and ".join(statement.split("=")) + " are practically equivalent"
    winner, loser = statement.split(">")
    return f"{winner} is better than {loser}"


def _datasets(answer: Answer, decision: Decision) -> str:
    leaning = float(answer.counts[answer.labels.index(decision.statement)])
    total = float(answer.counts.sum())
    return f"Of the datasets seen, {number(leaning)} of {number(total)} lean that way."


def _error(answer: Answer, decision: Decision) -> float:
    assert answer.mcse is not None
    return float(answer.mcse[answer.labels.index(decision.statement)])
