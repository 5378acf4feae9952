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
from numpy.typing import NDArray

from bayescompare.methods.base import Answer
from bayescompare.methods.classic_measures import Combined, Favoured, PerMeasure
from bayescompare.methods.classic_pairs import PairTest
from bayescompare.methods.classic_words import NOT_A_PROBABILITY, own_level
from bayescompare.methods.decision import SETTLED, Decision
from bayescompare.methods.words import many, plural
from bayescompare.results import Results

__all__ = ["OneTest"]


@dataclass(frozen=True)
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
    >>> from bayescompare.methods.one_test import OneTest
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=OneTest(test="sign"))
    >>> c.best, round(c.pvalue, 6)
    ('B>A|B>A', 0.145996)
    """

    keeps_level: ClassVar[bool] = False
    name: ClassVar[str] = "one-test"
    title: ClassVar[str] = "one-test: significantly better on some measure, worse on none?"
    leading: ClassVar[str] = 'is tested as "better on some measure, worse on none"'

    def combine(self, favoured: Favoured, tests: Sequence[PairTest]) -> Combined:
        """Take the smallest p-value unless the other algorithm has a significant one too."""
        least = favoured.least(0), favoured.least(1)
        votes = -len(favoured.pvalues[0]), -len(favoured.pvalues[1])
        lead = favoured.first_by(least, votes)
        opposed = least[1 - lead] <= self.alpha
        counted = sum(p <= self.alpha for p in favoured.pvalues[lead])
        return Combined(lead, 1.0 if opposed else least[lead], counted)

    def supports(self, signs: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Better on some measure, worse on none."""
        return np.asarray((signs >= 0).all(axis=1) & (signs > 0).any(axis=1))

    def words(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say what each measure says, and that together they are no test of their level."""
        assert answer.lead is not None
        ahead, behind = results.algorithms[answer.lead], results.algorithms[1 - answer.lead]
        said = self._finding(answer, decision, ahead, behind)
        limits = (
            f"This is not a test of level {self.alpha:g}: it takes the smallest of "
            f"{plural(len(results.measures), 'p-value')} without correction, and the more measures "
            "there are the more often it finds a difference where there is none."
        )
        return [
            self.each(results, answer),
            said,
            *own_level(decision, self.alpha),
            *([limits] if len(results.measures) > 1 else []),
            NOT_A_PROBABILITY,
        ]

    def _finding(self, answer: Answer, decision: Decision, ahead: str, behind: str) -> str:
        rows = answer.details["per_measure"]
        against = [r["measure"] for r in rows if _counts(r, behind, self.alpha)]
        level = 1 - SETTLED
        if against:
            return (
                f"Each algorithm is significantly better on some measure at the level "
                f"{self.alpha:g} ({behind} on {many(against)}), so neither is called better: p = 1."
            )
        if decision.verdict == "settled":
            on = [r["measure"] for r in rows if _counts(r, ahead, level)]
            return (
                f"{ahead} is significantly better on {many(on)} at the {level:.0%} level, and "
                f"{behind} on no measure at the level {self.alpha:g}: the rule calls {ahead} "
                f"better (p = {decision.level:.3g})."
            )
        return (
            f"Neither algorithm is significantly better on any measure at the {level:.0%} level "
            f"(p = {decision.level:.3g}). That is not evidence that they are equal."
        )


def _counts(row: dict[str, object], name: str, level: float) -> bool:
    return row["better"] == name and float(row["pvalue"]) <= level  # type: ignore[arg-type]
