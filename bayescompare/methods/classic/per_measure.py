"""What the all-test and the one-test share: one classical test per measure, and its table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Kind, Method, Sampling, Scope
from bayescompare.methods.classic.details import MeasureTest, PerMeasureDetails
from bayescompare.methods.classic.pair_tests import (
    PairTest,
    WhichTest,
    check_classic_alpha,
    check_test,
    classic_pair_differences,
    run_pair_test,
)
from bayescompare.statements import Statement
from bayescompare.table.results import Results

__all__ = ["CombinedPerMeasure", "FavouredPerMeasure", "PerMeasure"]


class CombinedPerMeasure(NamedTuple):
    """What the measures amount to: who leads, the p-value, and how many measures count for it.

    Nobody leads where the rule has nothing to say; the p-value is then 1.
    """

    lead: int | None
    pvalue: float
    statistic: int


@dataclass(frozen=True)
class FavouredPerMeasure:
    """The p-values of the measures that favour each algorithm, and the algorithms' names."""

    names: tuple[str, str]
    pvalues: tuple[list[float], list[float]]

    @classmethod
    def by(cls, names: Sequence[str], tests: Sequence[PairTest]) -> FavouredPerMeasure:
        """Sort the measures by the algorithm they favour; those that favour neither are out."""
        first, second = ([t.pvalue for t in tests if t.favours == side] for side in (0, 1))
        return cls((names[0], names[1]), (first, second))

    def least(self, side: int) -> float:
        """The smallest p-value of a measure that favours an algorithm, 1 if none does."""
        return min(self.pvalues[side], default=1.0)

    def first_by(self, *keys: Sequence[float]) -> int:
        """Which algorithm has the smaller key, the first key that differs deciding.

        The name decides last, so that the order in which the two are listed does not.
        """
        return min((0, 1), key=lambda side: (*(key[side] for key in keys), self.names[side]))


@dataclass(frozen=True, kw_only=True)
class PerMeasure(Method):
    """A rule over the p-values of one test per measure."""

    test: WhichTest = "wilcoxon"
    alpha: float = 0.05

    kind: ClassVar[Kind] = "frequentist"
    reference: ClassVar[str] = "Jansen et al. (2022), Section 4.3"
    provides: ClassVar[frozenset[str]] = frozenset({"pvalue", "statistic", "per_measure"})
    scope: ClassVar[Scope] = Scope(pair=True)
    details_type: ClassVar[type[Details]] = PerMeasureDetails

    def __post_init__(self) -> None:
        check_test(self.test)
        check_classic_alpha(self.alpha)

    @abstractmethod
    def combine(
        self, favoured: FavouredPerMeasure, tests: Sequence[PairTest]
    ) -> CombinedPerMeasure:
        """Make one p-value of several."""

    @abstractmethod
    def labels(self, names: Sequence[str], measures: int) -> tuple[str, str]:
        """The statements that the first, and that the second algorithm is the better one."""

    @abstractmethod
    def neither(
        self, names: Sequence[str], tests: Sequence[PairTest], signs: FloatArray
    ) -> tuple[str, BoolArray]:
        """The statement where nobody leads, and which datasets show it."""

    @abstractmethod
    def supports(self, signs: FloatArray) -> BoolArray:
        """Which datasets, by their signs (dataset, measure), show what is tested."""

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Test every measure by itself and combine."""
        names = results.algorithms
        tests = [run_pair_test(results, measure, self.test) for measure in results.measures]
        verdict = self.combine(FavouredPerMeasure.by(names, tests), tests)
        signs = np.sign(
            np.stack([classic_pair_differences(results, name) for name in results.measures], axis=1)
        )
        rows = tuple(
            MeasureTest(
                measure=measure,
                statistic=tested.sums[0],
                pvalue=tested.pvalue,
                better=None if tested.favours is None else names[tested.favours],
            )
            for measure, tested in zip(results.measures, tests, strict=True)
        )
        labels: tuple[str, ...] = self.labels(names, len(tests))
        support = [self.supports(signs), self.supports(-signs)]
        if verdict.lead is None:
            label, shown = self.neither(names, tests, signs)
            labels, support = (*labels, label), [*support, shown]
        counts = np.array([shown.sum() for shown in support], dtype=np.float64)
        return Answer(
            labels=labels,
            states=() if self.scope.question else _classic_states_per_measure(labels),
            counts=counts,
            n_statements=len(labels),
            n_observed=int((counts > 0).sum()),
            pvalue=verdict.pvalue,
            statistic=float(verdict.statistic),
            tested=2 if verdict.lead is None else verdict.lead,
            details=PerMeasureDetails(self.test, self.alpha, rows),
        )


def _classic_states_per_measure(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """For every measure, the ordering in each statement."""
    parsed = (Statement.parse(label).states for label in labels)
    return tuple(tuple(map(str, states)) for states in zip(*parsed, strict=True))
