"""The one-test in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.methods.base import Answer
from bayescompare.methods.decision import SIGNIFICANT, Decision
from bayescompare.methods.words.classic import NOT_A_PROBABILITY, each, own_level
from bayescompare.methods.words.pieces import many
from bayescompare.results import Results
from bayescompare.text.numbers import percent_setting, plural, pvalue_equation, setting

if TYPE_CHECKING:
    from bayescompare.methods.one_test import OneTest

__all__ = ["one_test_words"]


def one_test_words(
    method: OneTest, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say what each measure says, and that together they are no test of their level."""
    assert answer.lead is not None
    ahead, behind = results.algorithms[answer.lead], results.algorithms[1 - answer.lead]
    said = _finding(method, answer, decision, ahead, behind)
    limits = (
        f"This is not a test of level {setting(method.alpha)}: it takes the smallest of "
        f"{plural(len(results.measures), 'p-value')} without correction, and the more measures "
        "there are the more often it finds a difference where there is none."
    )
    return [
        each(method.test, results, answer),
        said,
        *own_level(decision, method.alpha),
        *([limits] if len(results.measures) > 1 else []),
        NOT_A_PROBABILITY,
    ]


def _finding(method: OneTest, answer: Answer, decision: Decision, ahead: str, behind: str) -> str:
    rows = answer.details["per_measure"]
    against = [r["measure"] for r in rows if _counts(r, behind, method.alpha)]
    level, own = percent_setting(SIGNIFICANT), setting(method.alpha)
    if against:
        return (
            f"Each algorithm is significantly better on some measure at the level "
            f"{own} ({behind} on {many(against)}), so neither is called better: p = 1."
        )
    if decision.verdict == "settled":
        on = [r["measure"] for r in rows if _counts(r, ahead, SIGNIFICANT)]
        return (
            f"{ahead} is significantly better on {many(on)} at the {level} level, and "
            f"{behind} on no measure at the level {own}: the rule calls {ahead} "
            f"better ({pvalue_equation(decision.level)})."
        )
    return (
        f"Neither algorithm is significantly better on any measure at the {level} level "
        f"({pvalue_equation(decision.level)}). That is not evidence that they are equal."
    )


def _counts(row: dict[str, object], name: str, level: float) -> bool:
    return row["better"] == name and float(row["pvalue"]) <= level  # type: ignore[arg-type]
