r"""The sign test: who is better on more datasets?

Story: a dataset that is no tie favours the first algorithm with probability q, and the null
hypothesis is q = ½. With κ⁺ wins against κ⁻,

.. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(\kappa^+, \kappa^-)}
              \binom{\kappa^+ + \kappa^-}{i} 2^{-(\kappa^+ + \kappa^-)}\Bigr) .

Ties, and differences within the measure's rope, are left out.

References
----------
Demšar (2006), Section 3.1.4; Lacoste, Laviolette & Marchand (2012), Section 6.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from scipy.stats import binomtest

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Accepts, Kind, Method, Sampling, Scope
from bayescompare.comparison.posterior import Posterior
from bayescompare.comparison.registry import title_in_registry
from bayescompare.methods._shared.pair_answer import pair_answer
from bayescompare.methods.classic.details import SignDetails
from bayescompare.methods.classic.pair_tests import run_pair_test
from bayescompare.methods.classic.sign_words import sign_words
from bayescompare.table.results import Results

__all__ = ["Sign"]


class SignResult(Posterior):
    """A test has no posterior; its p-value follows from other wins, too."""

    def level_given(self, decision: Decision) -> Callable[[int, int], float]:
        """Return the p-value of other wins."""
        counts = self.answer.counts
        won = int(counts[self.answer.labels.index(decision.statement)])
        lost = int(counts.sum()) - won

        def level(more: int, moved: int) -> float:
            wins, losses = won + more - moved, lost + moved
            return float(binomtest(wins, wins + losses).pvalue) if wins > losses else 1.0

        return level


@dataclass(frozen=True, kw_only=True)
class Sign(Method):
    """Is one algorithm better on significantly more datasets than the other?

    Two-sided and exact (`scipy.stats.binomtest`); `statistic` is the number of datasets on which
    the first algorithm is better.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from bayescompare.methods.classic.sign import Sign
    >>> results = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
    >>> c = bc.compare(results, method=Sign())
    >>> c.best, c.statistic, round(c.pvalue, 6)
    ('B>A', 3.0, 0.145996)
    """

    name: ClassVar[str] = "sign"
    title: ClassVar[str] = title_in_registry("sign")
    citations: ClassVar[tuple[str, ...]] = ("demsar2006statistical",)
    posterior_type: ClassVar[type[Posterior]] = SignResult
    kind: ClassVar[Kind] = "frequentist"
    reference: ClassVar[str] = "Demšar (2006), Section 3.1.4"
    provides: ClassVar[frozenset[str]] = frozenset({"pvalue", "statistic"})
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    details_type: ClassVar[type[Details]] = SignDetails
    verdict_phrase: ClassVar[str] = "holds on more datasets"

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Count the wins of each and test them against a fair coin."""
        test = run_pair_test(results, results.measures[0], "sign")
        ties = len(results.datasets) - sum(test.wins)
        return pair_answer(
            results,
            test.wins,
            pvalue=test.pvalue,
            statistic=test.sums[0],
            details=SignDetails(test.wins, ties),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return "by the sign test, two-sided ({aside})."

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say who won how often, and that only wins count."""
        return sign_words(results, answer, decision)
