r"""The one-test: is one algorithm significantly better on some measure, and the other on none?

A heuristic over one two-sided test per measure, with p-values :math:`p_j`. The algorithm with the
smallest :math:`p_j` leads. Where a measure is significant at α for the other, :math:`p = 1`, else p
is that smallest :math:`p_j`.

The smallest of several p-values is not a p-value: the more measures, the more often one of them is
significant by chance, so that this is *not* a test of level α.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Section 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Scope
from bayescompare.comparison.registry import title_in_registry
from bayescompare.methods.classic.comparison import PerMeasureComparison
from bayescompare.methods.classic.one_test_words import one_test_headline, one_test_words
from bayescompare.methods.classic.pair_tests import PairTest
from bayescompare.methods.classic.per_measure import (
    CombinedPerMeasure,
    FavouredPerMeasure,
    PerMeasure,
)
from bayescompare.methods.classic.words import classic_by_measure_text
from bayescompare.statements import State
from bayescompare.table.results import Results

__all__ = ["OneTest"]


@dataclass(frozen=True, kw_only=True)
class OneTest(PerMeasure):
    """Is one algorithm significantly better on some measure, and the other on none?

    Parameters
    ----------
    test : {"wilcoxon", "sign"}
        The two-sided test of each measure.
    alpha : float
        The level of each measure's test.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from bayescompare.methods.classic.one_test import OneTest
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=OneTest(test="sign"))
    >>> c.best, round(c.pvalue, 6)
    ('B>A', 0.145996)
    """

    valid_pvalue: ClassVar[bool] = False
    name: ClassVar[str] = "one-test"
    title: ClassVar[str] = title_in_registry("one-test")
    citations: ClassVar[tuple[str, ...]] = ("jansen2022gsd",)
    comparison_type: ClassVar[type[Comparison] | None] = PerMeasureComparison
    levers: ClassVar[str] = "other measures, another test of each (test=), or more datasets"
    scope: ClassVar[Scope] = Scope(pair=True, question=True)

    def combine(
        self, favoured: FavouredPerMeasure, tests: Sequence[PairTest]
    ) -> CombinedPerMeasure:
        """Take the smallest p-value unless the other algorithm has a significant one too."""
        least = favoured.least(0), favoured.least(1)
        votes = -len(favoured.pvalues[0]), -len(favoured.pvalues[1])
        lead = favoured.first_by(least, votes)
        counted = sum(p <= self.alpha for p in favoured.pvalues[lead])
        if least[1 - lead] <= self.alpha or not favoured.pvalues[lead]:
            return CombinedPerMeasure(None, 1.0, counted)
        return CombinedPerMeasure(lead, least[lead], counted)

    def labels(self, names: Sequence[str], measures: int) -> tuple[str, str]:
        """One question, whatever the measures: is it called better?"""
        first = State.order(*names)
        return str(first), str(first.reversed())

    def neither(
        self, names: Sequence[str], tests: Sequence[PairTest], signs: FloatArray
    ) -> tuple[str, BoolArray]:
        """Incomparable where each has a significant measure, equal where none favours either."""
        if all(tested.favours is None for tested in tests):
            return str(State.equal(*names)), np.asarray((signs == 0).all(axis=1))
        mixed = (signs > 0).any(axis=1) & (signs < 0).any(axis=1)
        return str(State.apart(*names)), np.asarray(mixed)

    def supports(self, signs: FloatArray) -> BoolArray:
        """Better on some measure, worse on none."""
        return np.asarray((signs >= 0).all(axis=1) & (signs > 0).any(axis=1))

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return classic_by_measure_text("some", self.test, self.alpha)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say what each measure says, and that together they are no test of their level."""
        return one_test_words(self, results, answer, decision)

    def headline(self, results: Results, answer: Answer, decision: Decision) -> str:
        """Say on which measures one is significantly better, and whether the other is on any."""
        return one_test_headline(self, results, answer, decision)
