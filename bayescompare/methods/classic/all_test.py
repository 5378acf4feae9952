r"""The all-test: is one algorithm significantly better on every measure?

A heuristic over one two-sided test per measure, with p-values :math:`p_j`: where all measures
favour the same algorithm :math:`p = \max_j p_j`, else :math:`p = 1`. "Significant on each measure"
is then :math:`p \le \alpha`, for every α at once. It is conservative: to be wrong it must be wrong
on every measure.

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
from bayescompare.comparison.registry import title_in_registry
from bayescompare.methods.classic.all_test_words import all_test_headline, all_test_words
from bayescompare.methods.classic.comparison import PerMeasureComparison
from bayescompare.methods.classic.pair_tests import PairTest
from bayescompare.methods.classic.per_measure import (
    CombinedPerMeasure,
    FavouredPerMeasure,
    PerMeasure,
)
from bayescompare.methods.classic.words import classic_by_measure_text
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results

__all__ = ["AllTest"]


@dataclass(frozen=True, kw_only=True)
class AllTest(PerMeasure):
    """Is one algorithm significantly better on every measure by itself?

    Parameters
    ----------
    test : {"wilcoxon", "sign"}
        The two-sided test of each measure.
    alpha : float
        The level that the words speak of; the p-value does not depend on it.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from bayescompare.methods.classic.all_test import AllTest
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=AllTest(test="sign"))
    >>> c.best, round(c.pvalue, 6)
    ('B>A|B>A', 0.387695)
    """

    name: ClassVar[str] = "all-test"
    title: ClassVar[str] = title_in_registry("all-test")
    citations: ClassVar[tuple[str, ...]] = ("jansen2022gsd",)
    comparison_type: ClassVar[type[Comparison] | None] = PerMeasureComparison
    levers: ClassVar[str] = "other measures, another test of each (test=), or more datasets"

    def combine(
        self, favoured: FavouredPerMeasure, tests: Sequence[PairTest]
    ) -> CombinedPerMeasure:
        """Take the largest p-value where all measures agree."""
        first, second = favoured.pvalues
        votes = -len(first), -len(second)
        lead = favoured.first_by(votes, (favoured.least(0), favoured.least(1)))
        number = len(favoured.pvalues[lead])
        if number < len(tests):
            return CombinedPerMeasure(None, 1.0, number)
        return CombinedPerMeasure(lead, max(favoured.pvalues[lead]), number)

    def labels(self, names: Sequence[str], measures: int) -> tuple[str, str]:
        """Better on every measure."""
        first = Statement.of(State.order(*names), measures=measures)
        return str(first), str(first.reversed())

    def neither(
        self, names: Sequence[str], tests: Sequence[PairTest], signs: FloatArray
    ) -> tuple[str, BoolArray]:
        """What each measure favours; "=" where it favours neither."""
        first, second = names
        states = {
            0: State.order(first, second),
            1: State.order(second, first),
            None: State.equal(first, second),
        }
        favoured = np.array([{0: 1.0, 1: -1.0, None: 0.0}[tested.favours] for tested in tests])
        statement = Statement.of(*(states[tested.favours] for tested in tests))
        return str(statement), np.asarray((signs == favoured).all(axis=1))

    def supports(self, signs: FloatArray) -> BoolArray:
        """Better on every measure."""
        return np.asarray((signs > 0).all(axis=1))

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return classic_by_measure_text("every", self.test, self.alpha)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say what each measure says, and that together they are a conservative test."""
        return all_test_words(self, results, answer, decision)

    def headline(self, results: Results, answer: Answer, decision: Decision) -> str:
        """Say whether one is better on every measure, or on which measures each is."""
        return all_test_headline(results, answer, decision)
