r"""Three tests of a null hypothesis: the likelihood ratio of joint statements, sign and Wilcoxon.

**GLRT.** Story: every dataset falls into one of K statements with probabilities θ. The null
hypothesis is that the most frequent statement is *not* more probable than every other,

.. math:: H_0: \theta_{i^*} \le \max_{k \ne i^*} \theta_k, \qquad
          -2\log\lambda = 2\,[a\ln a + b\ln b - (a+b)\ln\tfrac{a+b}{2}] \sim \chi^2_1

with a, b the two largest counts.

**The sign test.** Story: a dataset that is no tie favours the first of two algorithms with
probability q, and the null hypothesis is q = ½. With κ⁺ wins against κ⁻,

.. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(\kappa^+, \kappa^-)}
              \binom{\kappa^+ + \kappa^-}{i} 2^{-(\kappa^+ + \kappa^-)}\Bigr) .

**Wilcoxon's signed-rank test.** Story: the differences on the datasets are independent and
symmetric about one median, and the null hypothesis is that this median is zero: given their sizes,
every sign is then a fair coin. The statistic :math:`W^+` is the sum of the ranks, by size, of the
differences in favour of the first. Equal sizes share their average rank, and sizes that differ by
float noise only (1e-12 of the values subtracted) are equal. The p-value is exact for up to 1000
differences, ties or not: `bayescompare.kernels.classic.wilcoxon`.

The last two leave out ties, and differences within the measure's rope. A p-value is never the
probability of anything.

References
----------
de Campos & Benavoli (2016), Section 3; Wilcoxon (1945); Demšar (2006), Sections 3.1.3 and 3.1.4;
Lacoste, Laviolette & Marchand (2012), Sections 6.1 and 6.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import stats

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic import wilcoxon
from bayescompare.kernels.classic.pvalues import glrt, part_pvalues
from bayescompare.outcome.answer import Answer, Facts, Found, TestResult
from bayescompare.outcome.decision import SIGNIFICANT, Decision, claim_in_quotes, claim_words
from bayescompare.outcome.method import Accepts, Method, Phrases, Scope
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement, Statements
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent_setting, plural, pvalue_equation
from bayescompare.text.phrases import join_names

NOT_A_PROBABILITY = (
    "A p-value is not the probability of a hypothesis; for a probability use method='dirichlet'."
)


def finding(decision: Decision, hypothesis: str) -> str:
    """Say whether the null hypothesis is rejected; a large p-value never speaks for it.

    Examples
    --------
    >>> finding(Decision("A>B", 0.3, "open", (), None), "both are equal")
    'The hypothesis that both are equal cannot be rejected (p = 0.300); that is not ...
    """
    p, said = pvalue_equation(decision.probability), f"The hypothesis that {hypothesis}"
    if decision.settled or decision.state == "leads":
        return f"{said} is rejected at the {percent_setting(SIGNIFICANT)} level ({p})."
    return f"{said} cannot be rejected ({p}); that is not evidence that it is true."


# ------------------------------------------------------------------------ the joint statements


@dataclass(frozen=True, kw_only=True)
class GLRT(Method):
    """Is the most frequent statement significantly more probable than every other?

    Examples
    --------
    Example 2 of the paper:

    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=bc.methods.GLRT())
    >>> round(c.pvalue, 6)
    0.312663
    """

    name: ClassVar[str] = "glrt"
    title: ClassVar[str] = title_in_registry("glrt")
    citations: ClassVar[tuple[str, ...]] = ("decampos2016joint", "benavoli2015joint")
    posterior_type: ClassVar[type[Posterior]] = Tested
    phrases: ClassVar[Phrases] = Phrases(
        reference="de Campos & Benavoli (2016), Section 3", verdict="is the most frequent statement"
    )
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Test the two largest counts against each other."""
        table = Statements.of(results).table
        second, first = np.sort(np.append(table.counts, 0.0))[-2:].tolist()
        statistic, pvalue = glrt(first, second)
        several = len(results.measures) > 1
        return TestResult(
            pvalue=pvalue,
            statistic=statistic,
            parts=part_pvalues(table.counts, table.states) if several else None,
            approximate=True,
            level_given=partial(_largest_pvalue, table.states),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return (
            "by the generalised likelihood-ratio test of {cited}: the hypothesis that the two most "
            "frequent joint statements are equally probable."
        )

    def sentences(self, found: Found) -> list[str]:
        """Say which hypothesis was tested and what its p-value allows."""
        results, answer, decision = found
        n = len(results.datasets)

        def claim(label: str) -> str:
            return claim_words(label, results.algorithms, results.measures)

        if decision.state == "tied":
            tied = [claim_in_quotes(claim(s)) for s in (decision.statement, *decision.rivals)]
            return [
                f"On {plural(n, 'dataset')} the most frequent statements are tied "
                f"({join_names(tied, most=4)}), so the test cannot single one out: p = 1."
            ]
        own = float(answer.counts[answer.labels.index(decision.statement)])
        second = 0.0 if decision.runner_up is None else decision.runner_up[1]
        tested = finding(decision, "it is not the most probable statement")
        if decision.state == "leads":
            tested += " That is no verdict on every measure by itself."
        return [
            f"On {plural(n, 'dataset')} the most frequent statement is that "
            f"{claim(decision.statement)}. It has {count(own)} of {n} datasets, the next one "
            f"{count(second)}.",
            tested,
            "A p-value is not the probability of either hypothesis, and the chi-square behind it "
            "is a large-sample approximation; for a probability use method='dirichlet'.",
        ]


def _largest_pvalue(states: IntArray, counts: FloatArray, best: int) -> float:
    """The p-value of a statement, or of a part of it if that is larger."""
    first, second = float(counts[best]), float(np.delete(counts, best).max(initial=0.0))
    if first <= second:
        return 1.0
    several = states.shape[1] > 1
    parts = part_pvalues(counts, states)[best] if several else np.zeros(1)
    return max(glrt(first, second)[1], float(parts.max()))


# ------------------------------------------------------------------------- a pair on one measure

#: The tests of a pair, as a methods section and as a sentence about findings name them.
NAMED = {
    "sign": ("the sign test", "sign test"),
    "wilcoxon": ("Wilcoxon's signed-rank test", "Wilcoxon signed-rank test"),
}


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


def run_pair_test(results: Results, measure: str, test: str) -> PairTest:
    """Test one measure of two algorithms, two-sided; ties and the rope are left out.

    Examples
    --------
    >>> from bayescompare.io import load_example
    >>> run_pair_test(load_example("benavoli-example1"), "accuracy", "sign")
    PairTest(sums=(3.0, 9.0), wins=(3, 9), ties=0, pvalue=0.14599609375, exact=True)
    """
    values = results.oriented()[:, :, results.measures.index(measure)]
    difference = wilcoxon.differences(values, results[measure].rope)
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
    ranks = wilcoxon.doubled_ranks(difference, np.abs(values).max(axis=1))
    found = wilcoxon.signed_rank_test(ranks)
    return PairTest((found.plus, found.minus), wins, ties, found.pvalue, found.exact)


@dataclass(frozen=True, kw_only=True)
class PairDetails(Facts):
    """What each algorithm has, wins or rank sums, and ties, which are left out.

    `exact` is whether the p-value of the rank sums is.
    """

    wins: tuple[int, int] | None = None
    rank_sums: tuple[float, float] | None = None
    ties: int
    exact: bool | None = None


class SignResult(Tested):
    """What the test can be asked; it tells its counts, too."""

    facts_type: ClassVar[type[Facts]] = PairDetails


class WilcoxonResult(SignResult):
    """What the test can be asked; it tells its rank sums, too."""

    @property
    def one_sided(self) -> float:
        """P-value of the one-sided test in the likelier direction; NaN where neither is.

        Since the data chose the direction, compare it with half of a level.
        """
        assert self.answer.pvalue is not None
        return math.nan if self.answer.tested is None else self.answer.pvalue / 2


class _Words(NamedTuple):
    """The sentences of a test of a pair: of a tie, of a lead, its hypothesis and its limits."""

    tied: str
    leads: str
    hypothesis: str
    limits: str


class _OfPair(Method):
    """A two-sided test of two algorithms on one measure."""

    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    words: ClassVar[_Words]

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Test the wins of each against a fair coin, or the rank sums of the differences."""
        test = run_pair_test(results, results.measures[0], self.name)
        order, by_ranks = State.order(*results.algorithms), self.name == "wilcoxon"
        both = Statement.of(order), Statement.of(order.reversed())
        facts = PairDetails(wins=test.wins, ties=test.ties)
        if by_ranks:
            facts = PairDetails(rank_sums=test.sums, ties=test.ties, exact=test.exact)
        return TestResult(
            pvalue=test.pvalue,
            statistic=test.sums[0],
            # Wins need not follow the rank sums.
            statement=both[test.favours] if by_ranks and test.favours is not None else None,
            support=dict(zip(both, test.wins, strict=True)),
            level_given=None if by_ranks else _sign_pvalue,
            approximate=not test.exact,
            facts=facts,
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return f"by {NAMED[self.name][0]}, two-sided ({{aside}})."

    def sentences(self, found: Found) -> list[str]:
        """Say what was counted for each, and what the test assumes or ignores."""
        results, answer, decision = found
        facts = PairDetails.of(answer)
        sums = facts.wins if facts.rank_sums is None else facts.rank_sums
        assert sums is not None
        tied = "are ties" if facts.ties != 1 else "is a tie"
        left = f"{plural(facts.ties, 'dataset')} {tied} and left out"
        said = {
            "n": plural(len(results.datasets), "dataset"),
            "left": left if facts.ties else "no dataset is a tie",
        }
        if decision.state == "tied":
            first = self.words.tied.format(own=count(sums[0]), **said)
            first = f"{first}: p = 1. That does not show that they are equal."
            return [first, self.words.limits, NOT_A_PROBABILITY]
        ahead = answer.labels.index(decision.statement)
        own, other, claim = sums[ahead], sums[1 - ahead], decision.claim(results.measures)
        first = self.words.leads.format(own=count(own), other=count(other), claim=claim, **said)
        tested, limits = [finding(decision, self.words.hypothesis)], self.words.limits
        if facts.exact is not None:
            if answer.counts[ahead] < answer.counts[1 - ahead]:
                first += (
                    " The reverse holds on more datasets, but by smaller differences on the whole."
                )
            tested.append(
                "The p-value is exact: it counts the patterns of signs."
                if facts.exact
                else f"The p-value is not exact: above {wilcoxon.MOST_EXACT} differences it is the "
                "normal approximation."
            )
            if isinstance(results, ErrorCounts) and bool(results.counts["n"].isnull().any()):
                limits += (
                    " The sizes of the test sets are not known here, so that counts of errors were "
                    "ranked and not rates, and a large test set weighs more: give n."
                )
        return [first, *tested, limits, NOT_A_PROBABILITY]


def _sign_pvalue(counts: FloatArray, best: int) -> float:
    """The p-value of other wins; 1 where they no longer lead."""
    wins, losses = int(counts[best]), int(counts[1 - best])
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins > losses else 1.0


@dataclass(frozen=True, kw_only=True)
class Sign(_OfPair):
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
    words: ClassVar[_Words] = _Words(
        "Of {n} each algorithm is better on {own}, and {left}",
        "Of {n}, {own} say that {claim} and {other} the reverse; {left}.",
        "either algorithm is as likely as the other to be the better one on a dataset",
        "The test counts on how many datasets an algorithm is better and ignores by how much.",
    )


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(_OfPair):
    """Do the differences between two algorithms lie significantly to one side of zero?

    Two-sided; `statistic` is the rank sum W⁺ of the first algorithm, and `one_sided` the p-value in
    the likelier direction.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
    >>> c = bc.compare(results, method=bc.methods.Wilcoxon())
    >>> c.best, c.statistic, round(c.pvalue, 6), round(c.one_sided, 6)
    ('B>A', 19.5, 0.145996, 0.072998)
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
    words: ClassVar[_Words] = _Words(
        "On {n} the ranks of the differences sum to {own} for either algorithm, and {left}",
        "On {n} the ranks of the differences sum to {own} for the claim that {claim} and to "
        "{other} against it; {left}.",
        "the differences are symmetric about zero",
        "The test assumes that differences are comparable between datasets and symmetric about "
        "their median; where they are not, use method='sign'.",
    )
