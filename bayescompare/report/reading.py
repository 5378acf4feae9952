"""How to read a page: its terms, each in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.text.numbers import percent_setting, setting_number_text

if TYPE_CHECKING:
    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["reading_words"]


def reading_words(p: Pairwise, rule: Rule) -> list[str]:
    """Say what the terms of the page of all pairs mean."""
    several = len(p.results.measures) > 1
    return [
        "Place: the position by mean rank over the datasets, 1 is the best. Places alone show no "
        "difference; verdicts do.",
        _verdict(p, rule),
        *(
            [
                "Beats: better on every measure. Leads: the most frequent outcome, of which not "
                "every measure is sure by itself; that is no verdict. Trade-off: each is better on "
                "some measures, so which one to use depends on what matters to you."
            ]
            if several and not p.method.scope.question
            else []
        ),
        "Open: the datasets do not separate the two. That does not make them equal.",
        _figure(p),
        "Winning on most datasets is not transitive: three algorithms may beat each other in a "
        "circle. The diagram draws these as one box.",
    ]


def _verdict(p: Pairwise, rule: Rule) -> str:
    several = len(p.results.measures) > 1 and not p.method.scope.question
    if not p.bayesian:
        return (
            "Verdict: the p-value, corrected for the number of pairs (Holm), is at most "
            f"{setting_number_text(rule.alpha)}."
        )
    if rule.level is not None:
        level = setting_number_text(rule.level)
        each = ", and so has what it says of each measure by itself" if several else ""
        return f"Verdict: the statement about the pair has P of at least {level}{each}."
    return (
        "Verdict: one of the surest pairs, so many that at most "
        f"{percent_setting(rule.alpha)} of them are expected to be false."
    )


def _figure(p: Pairwise) -> str:
    if not p.bayesian:
        return "p-value: how often data without any difference would look at least like this."
    if p.method.scope.question:
        return "P: the probability that the one dominates the other."
    return (
        "P: the probability that this statement is the most probable one on a dataset like these; "
        "the others share the rest."
    )
