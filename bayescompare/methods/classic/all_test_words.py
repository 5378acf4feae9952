"""The all-test in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import SIGNIFICANT, Decision
from bayescompare.methods.classic.words import (
    NOT_A_PROBABILITY,
    classic_own_level_words,
    classic_test_favours,
    classic_words_on_each,
)
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    format_pvalue,
    percent_setting,
    pvalue_equation,
    setting_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.classic.all_test import AllTest

__all__ = ["all_test_headline", "all_test_words"]


def all_test_headline(results: Results, answer: Answer, decision: Decision) -> str:
    """Who is better on every measure, or which measures favour whom, in one line."""
    favoured, m = classic_test_favours(answer), len(results.measures)
    where = "every measure" if m > 1 else results.measures[0]
    largest = f"{'largest ' if m > 1 else ''}{pvalue_equation(decision.level)}"
    for name, measures in favoured.items():
        if name is not None and len(measures) == m:
            if decision.verdict == "settled":
                return f"{name} is better on {where} ({largest}, significant)"
            return f"{name} is ahead on {where} ({largest}, not significant)"
    if set(favoured) == {None}:
        return "no measure favours either algorithm (p = 1, not significant)"
    sides = [f"{name or 'neither'} on {join_names(on)}" for name, on in favoured.items()]
    return f"the measures do not agree: {', '.join(sides)} (p = 1, not significant)"


def all_test_words(
    method: AllTest, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say what each measure says, and that together they are a conservative test."""
    m, favoured = len(results.measures), classic_test_favours(answer)
    ahead = next((name for name, measures in favoured.items() if len(measures) == m), None)
    level = percent_setting(SIGNIFICANT)
    if decision.verdict == "settled":
        finding = (
            f"{ahead} is significantly better on every measure at the {level} level: the "
            f"largest p-value is {format_pvalue(decision.level)}."
        )
    elif ahead is not None:
        finding = (
            f"Every measure favours {ahead}, but not every one significantly: the largest "
            f"p-value is {format_pvalue(decision.level)}, above "
            f"{setting_number_text(SIGNIFICANT)}. That is "
            "not evidence that the algorithms are equal."
        )
    else:
        finding = (
            "The measures do not all favour the same algorithm, so neither is better on every "
            "measure by this test: p = 1. That is not evidence that the algorithms are equal."
        )
    limits = (
        "Asking significance of every measure makes the test conservative: its error rate is "
        "often far below the level of the single tests, and its power low."
    )
    return [
        classic_words_on_each(method.test, results, answer),
        finding,
        *classic_own_level_words(decision, method.alpha),
        limits,
        NOT_A_PROBABILITY,
    ]
