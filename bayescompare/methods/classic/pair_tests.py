r"""Two algorithms on one measure: who wins more often, and who wins by more?

**The sign test.** Story: a dataset that is no tie favours the first algorithm with probability q,
and the null hypothesis is q = ½. With κ⁺ wins against κ⁻,

.. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(\kappa^+, \kappa^-)}
              \binom{\kappa^+ + \kappa^-}{i} 2^{-(\kappa^+ + \kappa^-)}\Bigr) .

**Wilcoxon's signed-rank test.** Story: the differences on the datasets are independent and
symmetric about one median, and the null hypothesis is that this median is zero: given their sizes,
every sign is then a fair coin. The statistic :math:`W^+` is the sum of the ranks, by size, of the
differences in favour of the first. Equal sizes share their average rank, and sizes that differ by
float noise only (1e-12 of the values subtracted) are equal. The p-value is exact for up to 1000
differences, ties or not: `bayescompare.kernels.classic.wilcoxon`.

Both leave out ties, and differences within the measure's rope.

References
----------
Wilcoxon (1945); Demšar (2006), Sections 3.1.3 and 3.1.4; Lacoste, Laviolette & Marchand (2012),
Sections 6.1 and 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from scipy import stats

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.classic import wilcoxon
from bayescompare.methods.classic.words import NOT_A_PROBABILITY, finding, ties_left_out
from bayescompare.outcome.answer import Answer, Found, TestResult
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.method import Accepts, Method, Phrases, Scope
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural

WhichTest = Literal["sign", "wilcoxon"]


@dataclass(frozen=True)
class SignDetails(Facts):
    """Datasets on which each algorithm is better, and ties, which are left out."""

    wins: tuple[int, int]
    ties: int


@dataclass(frozen=True)
class WilcoxonDetails(Facts):
    """Rank sum of each algorithm, ties, and whether the p-value is exact."""

    rank_sums: tuple[float, float]
    ties: int
    exact: bool


class SignResult(Tested):
    """What the test can be asked; it tells its counts, too."""

    facts_type: ClassVar[type[Facts]] = SignDetails


@dataclass(frozen=True, kw_only=True)
class Sign(Method):
    """Is one algorithm better on significantly more datasets than the other?

    Two-sided and exact (`scipy.stats.binomtest`); `statistic` is the number of datasets on which
    the first algorithm is better.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
    >>> c = bc.compare(results, method=bc.methods.Sign())
    >>> c.best, c.statistic, round(c.pvalue, 6)
    ('B>A', 3.0, 0.145996)
    """

    name: ClassVar[str] = "sign"
    title: ClassVar[str] = title_in_registry("sign")
    citations: ClassVar[tuple[str, ...]] = ("demsar2006statistical",)
    posterior_type: ClassVar[type[Posterior]] = SignResult
    phrases: ClassVar[Phrases] = Phrases(
        reference="Demšar (2006), Section 3.1.4", verdict="holds on more datasets"
    )
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Count the wins of each and test them against a fair coin."""
        test = run_pair_test(results, results.measures[0], "sign")
        return TestResult(
            pvalue=test.pvalue,
            statistic=test.sums[0],
            support=pair_support(results, test.wins),
            level_given=_sign_pvalue,
            facts=SignDetails(test.wins, test.ties),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return "by the sign test, two-sided ({aside})."

    def sentences(self, found: Found) -> list[str]:
        """Say who won how often, and that only wins count."""
        results, answer, decision = found
        n = plural(len(results.datasets), "dataset")
        left = ties_left_out(SignDetails.of(answer).ties)
        limits = (
            "The test counts on how many datasets an algorithm is better and ignores by how much."
        )
        if decision.state == "tied":
            wins = (
                f"Of {n} each algorithm is better on {count(float(answer.counts[0]))}, and {left}: "
                "p = 1. That does not show that they are equal."
            )
            return [wins, limits, NOT_A_PROBABILITY]
        won = float(answer.counts[answer.labels.index(decision.statement)])
        wins = (
            f"Of {n}, {count(won)} say that {decision.claim(results.measures)} and "
            f"{count(answer.counts.sum() - won)} the reverse; {left}."
        )
        fair = "either algorithm is as likely as the other to be the better one on a dataset"
        return [wins, finding(decision, fair), limits, NOT_A_PROBABILITY]


class WilcoxonResult(Tested):
    """What the test can be asked; it tells its counts, too."""

    facts_type: ClassVar[type[Facts]] = WilcoxonDetails


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(Method):
    """Do the differences between two algorithms lie significantly to one side of zero?

    Two-sided; `statistic` is the rank sum W⁺ of the first algorithm.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
    >>> c = bc.compare(results, method=bc.methods.Wilcoxon())
    >>> c.best, c.statistic, round(c.pvalue, 6)
    ('B>A', 19.5, 0.145996)
    """

    name: ClassVar[str] = "wilcoxon"
    title: ClassVar[str] = title_in_registry("wilcoxon")
    citations: ClassVar[tuple[str, ...]] = ("wilcoxon1945individual", "demsar2006statistical")
    posterior_type: ClassVar[type[Posterior]] = WilcoxonResult
    phrases: ClassVar[Phrases] = Phrases(
        reference="Wilcoxon (1945); Demšar (2006), Section 3.1.3",
        levers="more datasets, or differences measured on another scale",
        verdict="has the larger sum of ranks",
    )
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Rank the differences and test the rank sums."""
        test = run_pair_test(results, results.measures[0], "wilcoxon")
        support = pair_support(results, test.wins)
        return TestResult(
            pvalue=test.pvalue,
            statistic=test.sums[0],
            statement=None if test.favours is None else list(support)[test.favours],
            support=support,
            approximate=not test.exact,
            facts=WilcoxonDetails(test.sums, test.ties, test.exact),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return "by Wilcoxon's signed-rank test, two-sided ({aside})."

    def sentences(self, found: Found) -> list[str]:
        """Say the rank sums, how the p-value was computed, and what the test assumes."""
        results, answer, decision = found
        details, ahead = WilcoxonDetails.of(answer), answer.tested
        sums, left = details.rank_sums, ties_left_out(details.ties)
        start = f"On {plural(len(results.datasets), 'dataset')} the ranks of the differences sum to"
        limits = (
            "The test assumes that differences are comparable between datasets and symmetric about "
            "their median; where they are not, use method='sign'."
        )
        if ahead is None:
            ranks = (
                f"{start} {count(sums[0])} for either algorithm, and {left}: p = 1. That does not "
                "show that they are equal."
            )
            return [ranks, limits, NOT_A_PROBABILITY]
        ranks = (
            f"{start} {count(sums[ahead])} for the claim that {decision.claim(results.measures)} "
            f"and to {count(sums[1 - ahead])} against it; {left}."
        )
        if answer.counts[ahead] < answer.counts[1 - ahead]:
            ranks += " The reverse holds on more datasets, but by smaller differences on the whole."
        how = (
            "The p-value is exact: it counts the patterns of signs."
            if details.exact
            else f"The p-value is not exact: above {wilcoxon.MOST_EXACT} differences it is the "
            "normal approximation."
        )
        tested = finding(decision, "the differences are symmetric about zero")
        if isinstance(results, ErrorCounts) and bool(results.counts["n"].isnull().any()):
            limits += (
                " The sizes of the test sets are not known here, so that counts of errors were "
                "ranked and not rates, and a large test set weighs more: give n."
            )
        return [ranks, tested, how, limits, NOT_A_PROBABILITY]


# ------------------------------------------------------------------------ either test, of a measure


class PairTest(NamedTuple):
    """What a test found on one measure.

    `sums` are what it weighs for each algorithm, wins or rank sums; `wins` and `ties` count
    datasets.
    """

    sums: tuple[float, float]
    wins: tuple[int, int]
    ties: int
    pvalue: float
    exact: bool

    @property
    def favours(self) -> int | None:
        """Which of the two has the larger sum, or None."""
        first, second = self.sums
        return None if first == second else int(second > first)


def run_pair_test(results: Results, measure: str, test: WhichTest) -> PairTest:
    """Test one measure of two algorithms, two-sided; ties and the rope are left out.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> run_pair_test(load_example("benavoli-example1"), "accuracy", "sign")
    PairTest(sums=(3.0, 9.0), wins=(3, 9), ties=0, pvalue=0.14599609375, exact=True)
    """
    difference = pair_differences(results, measure)
    wins = int((difference > 0).sum()), int((difference < 0).sum())
    ties = len(difference) - sum(wins)
    if test == "sign":
        p = float(stats.binomtest(wins[0], sum(wins)).pvalue) if any(wins) else 1.0
        p = min(max(p, wilcoxon.SMALLEST), 1.0)
        return PairTest((float(wins[0]), float(wins[1])), wins, ties, p, True)
    if results[measure].scale == "ordinal":
        raise BayescompareError(
            f"measure {measure!r} is ordinal, and the Wilcoxon test ranks differences, which such "
            "a measure does not have: use the sign test ('sign', or test='sign')."
        )
    scale = np.abs(_columns(results, measure)).max(axis=1)
    ranks = wilcoxon.signed_rank_test(wilcoxon.doubled_ranks(difference, scale))
    return PairTest((ranks.plus, ranks.minus), wins, ties, ranks.pvalue, ranks.exact)


def pair_support(results: Results, wins: tuple[int, int]) -> dict[Statement, float]:
    """Return how many datasets show that each of the two is better."""
    order = State.order(*results.algorithms)
    return {
        Statement.of(state): won for state, won in zip((order, order.reversed()), wins, strict=True)
    }


def _sign_pvalue(counts: FloatArray, best: int) -> float:
    """The p-value of other wins; 1 where they no longer lead."""
    wins, losses = int(counts[best]), int(counts[1 - best])
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins > losses else 1.0


def pair_differences(results: Results, measure: str) -> FloatArray:
    """Differences on one measure, first less second, oriented; a tie is exactly zero."""
    return wilcoxon.differences(_columns(results, measure), results[measure].rope)


def _columns(results: Results, measure: str) -> FloatArray:
    return results.oriented()[:, :, results.measures.index(measure)]
