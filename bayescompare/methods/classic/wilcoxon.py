r"""Wilcoxon's signed-rank test: who is better, datasets weighted by the rank of the difference?

Story: the differences on the datasets are independent and symmetric about one median, and the null
hypothesis is that this median is zero: given their sizes, every sign is then a fair coin. The
statistic :math:`W^+` is the sum of the ranks, by size, of the differences in favour of the first.

Ties, and differences within the measure's rope, are left out; equal sizes share their average
rank, and sizes that differ by float noise only (1e-12 of the values subtracted) are equal. The
p-value is exact for up to 1000 differences, ties or not: `bayescompare.kernels.classic.wilcoxon`.

References
----------
Wilcoxon (1945); Demšar (2006), Section 3.1.3; Lacoste, Laviolette & Marchand (2012), Section 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Kind, Method, Sampling, Scope
from bayescompare.comparison.registry import title_in_registry
from bayescompare.methods._shared.pair_answer import pair_answer
from bayescompare.methods.classic.details import WilcoxonDetails
from bayescompare.methods.classic.pair_tests import run_pair_test
from bayescompare.methods.classic.wilcoxon_words import wilcoxon_words
from bayescompare.table.results import Results

__all__ = ["Wilcoxon"]


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(Method):
    """Do the differences between two algorithms lie significantly to one side of zero?

    Two-sided; `statistic` is the rank sum W⁺ of the first algorithm.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from bayescompare.methods.classic.wilcoxon import Wilcoxon
    >>> results = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
    >>> c = bc.compare(results, method=Wilcoxon())
    >>> c.best, c.statistic, round(c.pvalue, 6)
    ('B>A', 19.5, 0.145996)
    """

    name: ClassVar[str] = "wilcoxon"
    title: ClassVar[str] = title_in_registry("wilcoxon")
    citations: ClassVar[tuple[str, ...]] = (
        "wilcoxon1945individual",
        "demsar2006statistical",
    )
    levers: ClassVar[str] = "more datasets, or differences measured on another scale"
    kind: ClassVar[Kind] = "frequentist"
    reference: ClassVar[str] = "Wilcoxon (1945); Demšar (2006), Section 3.1.3"
    provides: ClassVar[frozenset[str]] = frozenset({"pvalue", "statistic"})
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    details_type: ClassVar[type[Details]] = WilcoxonDetails
    verdict_phrase: ClassVar[str] = "has the larger sum of ranks"

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Rank the differences and test the rank sums."""
        test = run_pair_test(results, results.measures[0], "wilcoxon")
        ties = len(results.datasets) - sum(test.wins)
        return pair_answer(
            results,
            test.wins,
            pvalue=test.pvalue,
            statistic=test.sums[0],
            tested=test.favours,
            details=WilcoxonDetails(test.sums, ties, test.exact),
        )

    def approximate(self, answer: Answer) -> bool:
        """Whether the p-value is that of a limiting distribution."""
        return not WilcoxonDetails.of(answer).exact

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return "by Wilcoxon's signed-rank test, two-sided ({aside})."

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the rank sums, how the p-value was computed, and what the test assumes."""
        return wilcoxon_words(results, answer, decision)
