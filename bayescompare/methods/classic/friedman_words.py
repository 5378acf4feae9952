"""The Friedman test in plain words."""

from __future__ import annotations

import math

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.methods.classic.details import RankDetails
from bayescompare.methods.classic.words import classic_finding_words
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    plural,
    pvalue_equation,
    rank_number_text,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

__all__ = ["friedman_headline", "friedman_methods_text", "friedman_words"]


def friedman_headline(answer: Answer, decision: Decision) -> str:
    """Whether the algorithms differ, which is what was tested, and who has the best mean rank."""
    mean = RankDetails.of(answer).ranks
    # Mean ranks are halves of whole numbers over n: equal ones are equal.
    best = [str(name) for name in mean.index[mean == mean.min()]]
    ahead = (
        f"best mean rank: {join_names(best)}"
        if len(best) < len(mean)
        else "all mean ranks are equal"
    )
    differ = "the algorithms differ"
    if decision.verdict != "settled":
        differ = "the algorithms do not differ significantly"
    return f"{differ}, {pvalue_equation(decision.level)}; {ahead}"


def friedman_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the mean ranks, what was tested about them, and which pairs differ."""
    details = RankDetails.of(answer)
    mean = details.ranks
    shown = [
        f"{name} {rank_number_text(value)}"
        for name, value in mean.sort_values(kind="stable").items()
    ]
    ranks = (
        f"On {plural(len(results.datasets), 'dataset')} the mean ranks on "
        f"{results.measures[0]} (1 is best) are {join_names(shown, most=12)}."
    )
    tested = classic_finding_words(decision, "every ordering of the algorithms is equally likely")
    limits = (
        "What is tested is whether the algorithms differ, not whether this is their order, and "
        "a p-value is not the probability of a hypothesis. A mean rank depends on which other "
        "algorithms are compared: a verdict on a pair can change when a third one comes or "
        "goes (Benavoli et al. 2016). For a pair by itself use pairwise() with "
        "method='wilcoxon', or 'dirichlet' for a probability."
    )
    return [
        ranks,
        tested,
        _friedman_statistic_words(details),
        *_friedman_pair_words(details, decision),
        limits,
    ]


def _friedman_statistic_words(details: RankDetails) -> str:
    chi2 = (
        f"Friedman's chi-square is {statistic_number_text(details.chi2)} "
        f"({pvalue_equation(details.chi2_pvalue)})"
    )
    if details.f_statistic is None:
        return (
            "All datasets agree on the ranks, so that Iman and Davenport's F is infinite; the "
            f"p-value is how often datasets would agree so under the hypothesis, exactly. {chi2}."
        )
    first, second = details.degrees_of_freedom
    return (
        "That p-value is of Iman and Davenport's F = "
        f"{statistic_number_text(details.f_statistic)} on {first} "
        f"and {second} degrees of freedom, an approximation for many datasets; {chi2}."
    )


def _friedman_pair_words(details: RankDetails, decision: Decision) -> list[str]:
    if decision.verdict != "settled":
        return ["So no pair is singled out."]
    mean, pvalues, alpha = details.ranks, details.nemenyi, details.alpha
    names = details.algorithms
    apart = [
        f"{a} over {b}"
        for a in names
        for b in names
        if mean[a] < mean[b] and float(pvalues.loc[a, b]) <= alpha  # type: ignore[arg-type]
    ]
    pairs = join_names(apart, most=12) if apart else "none are"
    sentences = [
        f"By Nemenyi's test at the level {setting_number_text(alpha)} mean ranks differ when "
        "they are "
        f"{rank_number_text(details.critical_difference)} apart: {pairs}."
    ]
    if len(apart) < math.comb(len(names), 2):
        sentences.append("A pair that does not differ by this test is not shown to be equal.")
    return sentences


def friedman_methods_text(alpha: float) -> str:
    """Describe the test for a methods section."""
    level = setting_number_text(alpha)
    return f"by the Friedman test and Nemenyi's test of pairs at the level {level} ({{aside}})."
