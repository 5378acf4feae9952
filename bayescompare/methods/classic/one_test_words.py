"""The one-test in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import SIGNIFICANT, Decision
from bayescompare.methods.classic.words import (
    NOT_A_PROBABILITY,
    classic_ahead_and_behind,
    classic_own_level_words,
    classic_test_favours,
    classic_words_on_each,
)
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent_setting, plural, pvalue_equation, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.classic.one_test import OneTest

__all__ = ["one_test_headline", "one_test_words"]


def one_test_headline(method: OneTest, results: Results, answer: Answer, decision: Decision) -> str:
    """Who is significantly better on what, and whether the other is on anything, in one line."""
    p = pvalue_equation(decision.level)
    smallest = p if len(results.measures) == 1 else f"smallest {p}"
    if opposed := _one_test_opposed_words(method, results, answer):
        return f"each is significantly better on some measure: {opposed} ({p}, not significant)"
    if set(classic_test_favours(answer)) == {None}:
        return f"no measure favours either algorithm ({p}, not significant)"
    if decision.verdict == "settled":
        return f"{_one_test_better_words(method, results, answer)} ({smallest}, significant)"
    return f"neither is significantly better on any measure ({smallest}, not significant)"


def one_test_words(
    method: OneTest, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say what each measure says, and that together they are no test of their level."""
    limits = (
        f"This is not a test of level {setting_number_text(method.alpha)}: it takes the smallest "
        "of "
        f"{plural(len(results.measures), 'p-value')} without correction, and the more measures "
        "there are the more often it finds a difference where there is none."
    )
    return [
        classic_words_on_each(method.test, results, answer),
        _one_test_finding_words(method, results, answer, decision),
        *classic_own_level_words(decision, method.alpha),
        *([limits] if len(results.measures) > 1 else []),
        NOT_A_PROBABILITY,
    ]


def _one_test_finding_words(
    method: OneTest, results: Results, answer: Answer, decision: Decision
) -> str:
    level, own = percent_setting(SIGNIFICANT), setting_number_text(method.alpha)
    p = pvalue_equation(decision.level)
    if opposed := _one_test_opposed_words(method, results, answer):
        return (
            f"Each algorithm is significantly better on some measure at the level {own} "
            f"({opposed}), so neither is called better: p = 1."
        )
    if decision.verdict == "settled":
        ahead, behind = classic_ahead_and_behind(results, answer)
        return (
            f"{ahead} is significantly better on "
            f"{join_names(classic_test_favours(answer, SIGNIFICANT)[ahead])} "
            f"at the {level} level, and {behind} on no measure at the level {own}: the rule calls "
            f"{ahead} better ({p})."
        )
    return (
        f"Neither algorithm is significantly better on any measure at the {level} level ({p}). "
        "That is not evidence that they are equal."
    )


def _one_test_opposed_words(method: OneTest, results: Results, answer: Answer) -> str:
    """On which measures each is significantly better, if each is on some."""
    favoured = classic_test_favours(answer, method.alpha)
    if not all(name in favoured for name in results.algorithms):
        return ""
    return ", ".join(f"{name} on {join_names(favoured[name])}" for name in results.algorithms)


def _one_test_better_words(method: OneTest, results: Results, answer: Answer) -> str:
    ahead, behind = classic_ahead_and_behind(results, answer)
    on = join_names(classic_test_favours(answer, SIGNIFICANT)[ahead])
    if len(results.measures) == 1:
        return f"{ahead} is significantly better on {on}"
    # The other may still be so at a level above the method's own.
    level = (
        "" if method.alpha == SIGNIFICANT else f" at the level {setting_number_text(method.alpha)}"
    )
    return f"{ahead} is significantly better on {on}, {behind} on none{level}"
