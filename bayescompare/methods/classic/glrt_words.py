"""The generalised likelihood-ratio test in plain words."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.claims import claim_in_quotes, claim_words, short_parts_words
from bayescompare.comparison.decision import SIGNIFICANT, Decision
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent_setting, plural, pvalue_equation
from bayescompare.text.phrases import join_names

__all__ = ["glrt_words"]


def glrt_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say which hypothesis was tested and what its p-value allows."""
    n = len(results.datasets)
    own = float(answer.counts[answer.labels.index(decision.statement)])
    best = _glrt_claim_words(results, decision.statement)
    if decision.verdict == "tied":
        tied = join_names(
            [
                claim_in_quotes(best),
                *(claim_in_quotes(_glrt_claim_words(results, rival)) for rival in decision.rivals),
            ],
            most=4,
        )
        return [
            f"On {plural(n, 'dataset')} the most frequent statements are tied ({tied}), so the "
            "test cannot single one out: p = 1."
        ]
    second = 0.0 if decision.runner_up is None else decision.runner_up[1]
    frequency = (
        f"On {plural(n, 'dataset')} the most frequent statement is that {best}. It has "
        f"{count(own)} of {n} datasets, the next one {count(second)}."
    )
    if decision.settled or decision.state == "leads":
        finding = (
            f"The hypothesis that it is not the most probable statement is rejected at the "
            f"{percent_setting(SIGNIFICANT)} level ({pvalue_equation(decision.level)})."
        )
        if decision.state == "leads":
            finding += (
                f" That is no verdict on every measure by itself: {short_parts_words(decision)}."
            )
    else:
        finding = (
            f"The hypothesis that it is not the most probable statement cannot be rejected "
            f"({pvalue_equation(decision.level)}); that is not evidence that it is true."
        )
    limits = (
        "A p-value is not the probability of either hypothesis, and the chi-square behind it "
        "is a large-sample approximation; for a probability use method='dirichlet'."
    )
    return [frequency, finding, limits]


def _glrt_claim_words(results: Results, label: str) -> str:
    return claim_words(label, results.algorithms, results.measures)
