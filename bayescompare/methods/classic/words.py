"""Sentences that the classical tests share; each is read off the `Decision`."""

from __future__ import annotations

from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import SIGNIFICANT, Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent_setting, plural, pvalue_equation

NOT_A_PROBABILITY = (
    "A p-value is not the probability of a hypothesis; for a probability use method='dirichlet'."
)


def finding(decision: Decision, hypothesis: str) -> str:
    """Say whether the null hypothesis is rejected; a large p-value never speaks for it.

    Examples
    --------
    >>> finding(Decision("A>B", 0.3, "open", (), None), "both are equal")
    'The hypothesis that both are equal cannot be rejected (p = 0.300); that is not ...
    """
    p = pvalue_equation(decision.probability)
    if decision.settled or decision.state == "leads":
        level = percent_setting(SIGNIFICANT)
        return f"The hypothesis that {hypothesis} is rejected at the {level} level ({p})."
    return (
        f"The hypothesis that {hypothesis} cannot be rejected ({p}); that is not evidence that it "
        "is true."
    )


def ties_left_out(ties: int) -> str:
    """Say how many ties were dropped.

    Examples
    --------
    >>> ties_left_out(0), ties_left_out(1), ties_left_out(3)
    ('no dataset is a tie', '1 dataset is a tie and left out', '3 datasets are ties and left out')
    """
    if ties == 0:
        return "no dataset is a tie"
    return f"{plural(ties, 'dataset')} {'is a tie' if ties == 1 else 'are ties'} and left out"


def ahead_and_behind(results: Results, answer: Answer) -> tuple[str, str]:
    """The two algorithms in the direction that the p-value is about."""
    first, second = results.algorithms
    return (second, first) if answer.tested else (first, second)
