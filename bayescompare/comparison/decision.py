"""`Decision`: the verdict on an answer, decided once; all words and plots use it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import ALONE, ALONE_LOWEST, LOWEST
from bayescompare.statements import Statement

__all__ = [
    "LIKELY",
    "SETTLED",
    "SIGNIFICANT",
    "Decision",
    "Verdict",
    "decide",
    "decide_verdict_at_level",
    "first_named_in_decision",
    "same_decision_score",
]

#: Probabilities from which a statement is called settled, or likely. Used nowhere else.
SETTLED = 0.95
LIKELY = 0.75
#: The p-value up to which a test is significant: 1 − SETTLED, without the error of floats.
SIGNIFICANT = 0.05

#: Probabilities this close are the same probability.
_SAME = 1e-9

Verdict = Literal["settled", "likely", "open", "tied"]


@dataclass(frozen=True)
class Decision:
    """The verdict on one comparison.

    Attributes
    ----------
    statement : str
        The most probable statement (frequentist: the most frequent one).
    level : float
        Its probability, or the p-value.
    verdict : {"settled", "likely", "open", "tied"}
        Settled: P ≥ 0.95, or p ≤ 0.05. Likely: P ≥ 0.75. Tied: another statement has the same
        probability (frequentist: the same count). With a learned prior both P must reach it, and
        where missing cells were bounded the lowest P.
    rivals : tuple of str
        The statements tied with it.
    runner_up : tuple of (str, float), optional
        The next statement and its probability (frequentist: its count).
    alone : float, optional
        Its probability under the pair's own prior, where `level` is under one learned from all
        pairs.
    lowest : float, optional
        The lowest probability that it has for any values of the missing cells, where these were
        bounded (under the learned and under the pair's own prior).
    """

    statement: str
    level: float
    verdict: Verdict
    rivals: tuple[str, ...]
    runner_up: tuple[str, float] | None
    _: KW_ONLY
    alone: float | None = None
    lowest: float | None = None

    def claim(self, measures: Sequence[str]) -> str:
        """Say the statement in words: "B is better than A on accuracy and time"."""
        return Statement.parse(self.statement).words(measures)


def decide(answer: Answer) -> Decision:
    """Decide what an answer shows.

    Ties are broken by count and then by label, so that listing the algorithms in another order
    names the same statement.
    """
    if answer.probability is None and answer.pvalue is None:
        # Something was computed and nothing judged.
        return Decision(answer.labels[0], math.nan, "open", (), None)
    score = answer.counts if answer.probability is None else answer.probability
    if answer.tested is not None:
        return _decision_about_pvalue(answer, answer.tested)
    tied = np.flatnonzero(same_decision_score(score))
    chosen = first_named_in_decision(tied, answer.counts, answer.labels)
    # Where nothing ever leads, no two lead alike.
    nothing = answer.pvalue is None and not score.any()
    rivals = () if nothing else tuple(answer.labels[k] for k in tied if k != chosen)
    others = np.delete(np.arange(len(score)), chosen)
    runner = None
    if len(others):
        runner = first_named_in_decision(
            others[same_decision_score(score[others])], answer.counts, answer.labels
        )
    level = float(score[chosen]) if answer.pvalue is None else answer.pvalue
    own = answer.per_statement.get(ALONE)
    alone = None if own is None else float(own[chosen])
    bounds = [answer.per_statement.get(column) for column in (LOWEST, ALONE_LOWEST)]
    lowest = min((float(bound[chosen]) for bound in bounds if bound is not None), default=None)
    least = min([level, *(figure for figure in (alone, lowest) if figure is not None)])
    return Decision(
        statement=answer.labels[chosen],
        level=level,
        verdict=decide_verdict_at_level(least, pvalue=answer.pvalue is not None, tied=bool(rivals)),
        rivals=rivals,
        runner_up=None if runner is None else (answer.labels[runner], float(score[runner])),
        alone=alone,
        lowest=lowest,
    )


def same_decision_score(score: FloatArray) -> BoolArray:
    """Which have the largest score, along the last axis, but for rounding."""
    top = score.max(axis=-1, keepdims=True)
    return np.asarray(score >= top - _SAME * np.maximum(1.0, np.abs(top)))


def first_named_in_decision(
    among: NDArray[np.intp], counts: FloatArray, labels: Sequence[str]
) -> int:
    """Return which of statements with the same score is named.

    That with more datasets, then by label.
    """
    if len(among) == 1:
        return int(among[0])
    return int(
        min(
            among, key=lambda k: (-round(float(counts[k]), 9), _canonical_decision_label(labels[k]))
        )
    )


def _decision_about_pvalue(answer: Answer, lead: int) -> Decision:
    """The decision on the statement that a p-value is about."""
    assert answer.pvalue is not None
    verdict = decide_verdict_at_level(answer.pvalue, pvalue=True, tied=False)
    return Decision(answer.labels[lead], answer.pvalue, verdict, (), None)


def _canonical_decision_label(label: str) -> str:
    """A label that does not depend on the order in which the algorithms are listed."""
    return str(Statement.parse(label).canonical())


def decide_verdict_at_level(level: float, *, pvalue: bool, tied: bool) -> Verdict:
    """Return the verdict at a level: the least P that counts, or the p-value."""
    if tied:
        return "tied"
    if pvalue:
        return "settled" if level <= SIGNIFICANT else "open"
    return "settled" if level >= SETTLED else "likely" if level >= LIKELY else "open"
