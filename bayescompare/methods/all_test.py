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
from numpy.typing import NDArray

from bayescompare.methods.base import Answer
from bayescompare.methods.classic_measures import Combined, Favoured, PerMeasure
from bayescompare.methods.classic_pairs import PairTest
from bayescompare.methods.decision import Decision
from bayescompare.methods.words.all_test import all_test_words
from bayescompare.results import Results

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
    >>> from bayescompare.methods.all_test import AllTest
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=AllTest(test="sign"))
    >>> c.best, round(c.pvalue, 6)
    ('B>A|B>A', 0.387695)
    """

    name: ClassVar[str] = "all-test"
    title: ClassVar[str] = "all-test: is one algorithm significantly better on every measure?"
    leading: ClassVar[str] = "is tested on every measure"

    def combine(self, favoured: Favoured, tests: Sequence[PairTest]) -> Combined:
        """Take the largest p-value where all measures agree."""
        first, second = favoured.pvalues
        votes = -len(first), -len(second)
        lead = favoured.first_by(votes, (favoured.least(0), favoured.least(1)))
        agree = len(favoured.pvalues[lead]) == len(tests)
        pvalue = max(favoured.pvalues[lead]) if agree else 1.0
        return Combined(lead, pvalue, len(favoured.pvalues[lead]))

    def supports(self, signs: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Better on every measure."""
        return np.asarray((signs > 0).all(axis=1))

    def words(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say what each measure says, and that together they are a conservative test."""
        return all_test_words(self, results, answer, decision)
