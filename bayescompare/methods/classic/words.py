"""Sentences that the classical tests share; each is read off the `Decision`."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import SIGNIFICANT, Decision
from bayescompare.methods.classic.details import PerMeasureDetails
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent_setting, plural, pvalue_equation, setting_number_text
from bayescompare.text.phrases import join_names

__all__ = [
    "NOT_A_PROBABILITY",
    "classic_ahead_and_behind",
    "classic_by_measure_text",
    "classic_finding_words",
    "classic_left_out_words",
    "classic_own_level_words",
    "classic_test_favours",
    "classic_words_on_each",
]

#: The tests of one measure, as a sentence about findings and as a methods section name them.
_FOUND_BY = {"sign": "sign test", "wilcoxon": "Wilcoxon signed-rank test"}
_TESTED_BY = {"sign": "the sign test", "wilcoxon": "Wilcoxon's signed-rank test"}

NOT_A_PROBABILITY = (
    "A p-value is not the probability of a hypothesis; for a probability use method='dirichlet'."
)


def classic_finding_words(decision: Decision, hypothesis: str) -> str:
    """Say whether the null hypothesis is rejected; a large p-value never speaks for it.

    Examples
    --------
    >>> classic_finding_words(Decision("A>B", 0.3, "open", (), None), "both are equal")
    'The hypothesis that both are equal cannot be rejected (p = 0.300); that is not ...
    """
    if decision.verdict == "settled":
        return (
            f"The hypothesis that {hypothesis} is rejected at the {percent_setting(SIGNIFICANT)} "
            f"level ({pvalue_equation(decision.level)})."
        )
    return (
        f"The hypothesis that {hypothesis} cannot be rejected "
        f"({pvalue_equation(decision.level)}); that is not evidence that it is true."
    )


def classic_left_out_words(ties: int) -> str:
    """Say how many ties were dropped.

    Examples
    --------
    >>> classic_left_out_words(0), classic_left_out_words(1), classic_left_out_words(3)
    ('no dataset is a tie', '1 dataset is a tie and left out', '3 datasets are ties and left out')
    """
    if ties == 0:
        return "no dataset is a tie"
    return f"{plural(ties, 'dataset')} {'is a tie' if ties == 1 else 'are ties'} and left out"


def classic_own_level_words(decision: Decision, alpha: float) -> list[str]:
    """Say the finding at the method's own level too, where that is another one.

    Examples
    --------
    >>> classic_own_level_words(Decision("A>B", 0.03, "better", (), None), 0.01)
    ['At the level alpha = 0.01 asked for it is not significant.']
    """
    if alpha == SIGNIFICANT:
        return []
    verdict = "significant" if decision.level <= alpha else "not significant"
    return [f"At the level alpha = {setting_number_text(alpha)} asked for it is {verdict}."]


def classic_ahead_and_behind(results: Results, answer: Answer) -> tuple[str, str]:
    """The two algorithms in the direction that the p-value is about."""
    first, second = results.algorithms
    return (second, first) if answer.tested else (first, second)


def classic_test_favours(answer: Answer, level: float = 1.0) -> dict[str | None, list[str]]:
    """The measures that favour each algorithm, at a level; under None those that favour neither."""
    measures: dict[str | None, list[str]] = {}
    for row in PerMeasureDetails.of(answer).per_measure:
        if row.better is None or row.pvalue <= level:
            measures.setdefault(row.better, []).append(row.measure)
    return measures


def classic_words_on_each(test: str, results: Results, answer: Answer) -> str:
    """Say what was found on each measure."""
    favours_words = [
        f"{row.measure} {row.better or 'neither'} ({pvalue_equation(row.pvalue)})"
        for row in PerMeasureDetails.of(answer).per_measure
    ]
    return (
        f"By the {_FOUND_BY[test]} on {plural(len(results.datasets), 'dataset')}, the "
        f"measures favour: {join_names(favours_words)}."
    )


def classic_by_measure_text(which: str, test: str, alpha: float) -> str:
    """Describe a rule about tests of each measure, for a methods section."""
    return (
        f"by the rule that one must be significantly better on {which} measure, by "
        f"{_TESTED_BY[test]} at the level {setting_number_text(alpha)} ({{aside}})."
    )
