"""The all-test in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.methods.base import Answer
from bayescompare.methods.decision import SIGNIFICANT, Decision
from bayescompare.methods.words.classic import NOT_A_PROBABILITY, each, own_level
from bayescompare.results import Results
from bayescompare.text.numbers import percent_setting, pvalue, setting

if TYPE_CHECKING:
    from bayescompare.methods.all_test import AllTest

__all__ = ["all_test_words"]


def all_test_words(
    method: AllTest, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say what each measure says, and that together they are a conservative test."""
    assert answer.lead is not None
    ahead, m = results.algorithms[answer.lead], len(results.measures)
    level = percent_setting(SIGNIFICANT)
    if decision.verdict == "settled":
        said = (
            f"{ahead} is significantly better on every measure at the {level} level: the "
            f"largest p-value is {pvalue(decision.level)}."
        )
    elif answer.statistic == m:
        said = (
            f"Every measure favours {ahead}, but not every one significantly: the largest "
            f"p-value is {pvalue(decision.level)}, above {setting(SIGNIFICANT)}. That is not "
            "evidence that the algorithms are equal."
        )
    else:
        said = (
            "The measures do not all favour the same algorithm, so neither is better on every "
            "measure by this test: p = 1. That is not evidence that the algorithms are equal."
        )
    limits = (
        "Asking significance of every measure makes the test conservative: its error rate is "
        "often far below the level of the single tests, and its power low."
    )
    return [
        each(method.test, results, answer),
        said,
        *own_level(decision, method.alpha),
        limits,
        NOT_A_PROBABILITY,
    ]
