r"""Friedman's test of mean ranks, with Iman & Davenport's statistic and Nemenyi's pairs.

Story: on each of n datasets the l algorithms are ranked, rank 1 the best, equal values sharing
their average rank; the null hypothesis is that on every dataset each ordering is as likely as any
other. From Friedman's :math:`\chi^2` (corrected for ties) Iman & Davenport's less conservative

.. math:: F = \frac{(n - 1)\,\chi^2}{n(l - 1) - \chi^2} \sim F_{l-1,\,(l-1)(n-1)}

is the statistic, and its tail the p-value. Two mean ranks differ by Nemenyi's test where they are
further apart than the critical difference

.. math:: \mathrm{CD} = \frac{q_{\alpha, l, \infty}}{\sqrt 2} \sqrt{\frac{l(l + 1)}{6n}}

with q the studentised range; it is not corrected for ties.

References
----------
Friedman (1937); Iman & Davenport (1980); Nemenyi (1963); Demšar (2006), Section 3.2.2.
Benavoli, Corani & Mangili (2016), "Should we really use post-hoc tests based on mean-ranks?".
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from bayescompare._checks import check_level
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.wilcoxon import SMALLEST
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.methods.classic.hypotheses import finding
from bayescompare.outcome.answer import Answer, Facts, Found, TestResult
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import Accepts, Method, Phrases, Scope
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    plural,
    pvalue_equation,
    rank_number_text,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names


@dataclass(frozen=True)
class RankDetails(Facts):
    """Friedman's and Iman & Davenport's statistics, and Nemenyi's test of pairs.

    Attributes
    ----------
    chi2, chi2_pvalue : float
        Friedman's statistic and its tail.
    f_statistic : float, optional
        Iman & Davenport's F; None where it is infinite.
    degrees_of_freedom : (int, int)
        Of F.
    algorithms : tuple of str
    mean_ranks : tuple of float
        Of each algorithm, 1 the best.
    alpha : float
        The level of the critical difference.
    critical_difference : float
        How far apart two mean ranks must be to differ at that level.
    pair_pvalues : tuple of tuple of float, optional
        Nemenyi's p-value of each pair; None on the diagonal.
    """

    chi2: float
    chi2_pvalue: float
    f_statistic: float | None = field(metadata={"name": "F"})
    degrees_of_freedom: tuple[int, int]
    algorithms: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    alpha: float
    critical_difference: float
    pair_pvalues: tuple[tuple[float | None, ...], ...] = field(metadata={"name": "nemenyi"})

    @property
    def ranks(self) -> pd.Series[float]:
        """Mean rank of each algorithm, 1 the best."""
        index = pd.Index(self.algorithms, name="algorithm")
        return pd.Series(self.mean_ranks, index, dtype=float, name="mean rank")

    @property
    def nemenyi(self) -> pd.DataFrame:
        """Nemenyi's p-value of each pair; the diagonal is NaN."""
        algorithm, opponent = (
            pd.Index(self.algorithms, name=name) for name in ("algorithm", "opponent")
        )
        return pd.DataFrame(self.pair_pvalues, algorithm, opponent, dtype=float)


class RankResult(Tested):
    """A test has no posterior; it is about whether the algorithms differ, not in which order."""

    facts_type: ClassVar[type[Facts]] = RankDetails

    @property
    def ranks(self) -> pd.Series[float]:
        """Mean rank of every algorithm, 1 being best."""
        return RankDetails.of(self.answer).ranks

    @property
    def nemenyi(self) -> pd.DataFrame:
        """P-values of all pairs by Nemenyi's test, which corrects for their number."""
        return RankDetails.of(self.answer).nemenyi

    @property
    def critical_difference(self) -> float:
        """How far apart two mean ranks must be to differ significantly."""
        return RankDetails.of(self.answer).critical_difference

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Mean ranks and pairs, headed to be printed."""
        mean, pvalues = self.ranks.sort_values(kind="stable"), self.nemenyi
        pairs = {
            f"{a}, {b}": (mean[b] - mean[a], pvalues.loc[a, b])
            for a, b in itertools.combinations(mean.index, 2)
        }
        heads = ["ranks apart", "p-value"]
        rows = pd.DataFrame.from_dict(pairs, orient="index", columns=heads).rename_axis("pair")
        apart = rank_number_text(self.critical_difference)
        return {
            f"Mean ranks; {apart} apart is significant": mean.to_frame(),
            "Pairs by Nemenyi's test": rows.sort_values("p-value", kind="stable"),
        }

    def headline(self, decision: Decision) -> str:
        """Say whether the algorithms differ, and who has the best mean rank."""
        # Mean ranks are halves of whole numbers over n: equal ones are equal.
        best = [str(name) for name in self.ranks.index[self.ranks == self.ranks.min()]]
        ahead = f"best mean rank: {join_names(best)}"
        if len(best) == len(self.ranks):
            ahead = "all mean ranks are equal"
        differ = "differ" if decision.settled else "do not differ significantly"
        return f"the algorithms {differ}, {pvalue_equation(decision.probability)}; {ahead}"


@dataclass(frozen=True, kw_only=True)
class Friedman(Method):
    """Do several algorithms differ significantly in their mean ranks?

    Parameters
    ----------
    alpha : float
        The level of the critical difference and of the pairs that the words name.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci").sel(measures=["auc"])
    >>> c = bc.compare(results, method=bc.methods.Friedman())
    >>> round(c.statistic, 3), c.pvalue < 0.001, round(c.critical_difference, 3)
    (6.389, True, 2.625)
    """

    alpha: float = 0.05

    scope: ClassVar[Scope] = Scope(algorithms=3, measure=True)
    name: ClassVar[str] = "friedman"
    title: ClassVar[str] = title_in_registry("friedman")
    citations: ClassVar[tuple[str, ...]] = ("demsar2006statistical",)
    posterior_type: ClassVar[type[Posterior]] = RankResult
    phrases: ClassVar[Phrases] = Phrases(
        reference="Demšar (2006), Section 3.2.2",
        levers="other algorithms beside these, which change every mean rank, or more datasets",
    )
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))

    def __post_init__(self) -> None:
        check_level(alpha=self.alpha)

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Rank the algorithms on every dataset and test the rank sums."""
        _refuse_rope(results)
        doubled = doubled_ranks(results.oriented()[:, :, 0])
        n, l = doubled.shape
        sums = doubled.sum(axis=0)
        # Sums of integers, so that equal mean ranks are equal; they stay in listing order.
        order = np.argsort(sums, kind="stable")
        statement = Statement.of(State.order(*(results.algorithms[i] for i in order)))
        chi2, statistic, pvalue = _iman_davenport(doubled)
        error = math.sqrt(l * (l + 1) / (6 * n))
        range_at = float(stats.studentized_range.ppf(1 - self.alpha, l, np.inf))
        # A dataset with ties shows several orderings, none of them exactly.
        count = int((np.diff(doubled[:, order], axis=1) > 0).all(axis=1).sum())
        return TestResult(
            pvalue=pvalue,
            statistic=statistic,
            statement=statement,
            support={statement: count},
            size=math.factorial(l),
            approximate=math.isfinite(statistic),
            facts=RankDetails(
                chi2=chi2,
                chi2_pvalue=float(stats.chi2.sf(chi2, l - 1)),
                f_statistic=statistic if math.isfinite(statistic) else None,
                degrees_of_freedom=(l - 1, (l - 1) * (n - 1)),
                algorithms=results.algorithms,
                mean_ranks=tuple((sums / (2 * n)).tolist()),
                alpha=self.alpha,
                critical_difference=range_at / math.sqrt(2) * error,
                pair_pvalues=_nemenyi(sums / (2 * n), error),
            ),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        level = setting_number_text(self.alpha)
        return f"by the Friedman test and Nemenyi's test of pairs at the level {level} ({{aside}})."

    def sentences(self, found: Found) -> list[str]:
        """Say the mean ranks, what was tested about them, and which pairs differ."""
        results, answer, decision = found
        details = RankDetails.of(answer)
        mean, n = details.ranks, plural(len(results.datasets), "dataset")
        shown = [
            f"{name} {rank_number_text(value)}"
            for name, value in mean.sort_values(kind="stable").items()
        ]
        chi2 = (
            f"Friedman's chi-square is {statistic_number_text(details.chi2)} "
            f"({pvalue_equation(details.chi2_pvalue)})"
        )
        first, second = details.degrees_of_freedom
        statistic = (
            "All datasets agree on the ranks, so that Iman and Davenport's F is infinite; the "
            f"p-value is how often datasets would agree so under the hypothesis, exactly. {chi2}."
            if details.f_statistic is None
            else "That p-value is of Iman and Davenport's F = "
            f"{statistic_number_text(details.f_statistic)} on {first} and {second} degrees of "
            f"freedom, an approximation for many datasets; {chi2}."
        )
        pairs = ["So no pair is singled out."]
        if decision.settled:
            apart = [
                f"{a} over {b}"
                for a, row in zip(mean.index, details.pair_pvalues, strict=True)
                for b, p in zip(mean.index, row, strict=True)
                if p is not None and p <= details.alpha and mean[a] < mean[b]
            ]
            pairs = [
                f"By Nemenyi's test at the level {setting_number_text(details.alpha)} mean ranks "
                f"differ when they are {rank_number_text(details.critical_difference)} apart: "
                f"{join_names(apart, most=12) if apart else 'none are'}."
            ]
            if len(apart) < math.comb(len(mean), 2):
                pairs.append("A pair that does not differ by this test is not shown to be equal.")
        return [
            f"On {n} the mean ranks on {results.measures[0]} (1 is best) are "
            f"{join_names(shown, most=12)}.",
            finding(decision, "every ordering of the algorithms is equally likely"),
            statistic,
            *pairs,
            "What is tested is whether the algorithms differ, not whether this is their order, and "
            "a p-value is not the probability of a hypothesis. A mean rank depends on which other "
            "algorithms are compared: a verdict on a pair can change when a third one comes or "
            "goes (Benavoli et al. 2016). For a pair by itself use pairwise() with "
            "method='wilcoxon', or 'dirichlet' for a probability.",
        ]


# -------------------------------------------------------------------------------------- the figures


def doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the rank of each algorithm on each dataset, integers even with ties.

    Values within 1e-12 of their size, directly or through others, are equal.

    Parameters
    ----------
    values : array (n, l)
        Higher is better.

    Examples
    --------
    >>> doubled_ranks(np.array([[0.1 + 0.2, 0.5, 0.3, 0.1]]))
    array([[5, 2, 5, 8]])
    """
    order = np.argsort(-values, axis=1, kind="stable")
    best_first = np.take_along_axis(values, order, axis=1)
    scale = np.maximum(np.abs(best_first[:, :-1]), np.abs(best_first[:, 1:]))
    with np.errstate(over="ignore"):  # a difference beyond all floats is no tie
        new = best_first[:, :-1] - best_first[:, 1:] > RELATIVE_TOLERANCE * scale
    groups = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(groups, order[:, 1:], np.cumsum(new, axis=1), axis=1)
    return np.asarray(np.rint(2 * stats.rankdata(groups, axis=1)), dtype=np.int64)


def _iman_davenport(doubled: IntArray) -> tuple[float, float, float]:
    """Friedman's χ², Iman & Davenport's F and the tail of F."""
    n, l = doubled.shape
    if (doubled == doubled[:, :1]).all():
        # Every dataset is one tie, and scipy divides zero by zero.
        return 0.0, 0.0, 1.0
    chi2 = float(stats.friedmanchisquare(*doubled.T).statistic)
    if (doubled == doubled[0]).all():
        # χ² is at its maximum, which floats only nearly reach. F's tail would be 0, which no data
        # can bear out; how often datasets agree so under the hypothesis is known exactly.
        return float(n * (l - 1)), math.inf, max(_chance_of_agreement(doubled), SMALLEST)
    statistic = (n - 1) * chi2 / (n * (l - 1) - chi2)
    tail = float(stats.f.sf(statistic, l - 1, (l - 1) * (n - 1)))
    return chi2, statistic, max(tail, SMALLEST)


def _nemenyi(mean: FloatArray, error: float) -> tuple[tuple[float | None, ...], ...]:
    """P-value of every pair by the studentised range; each distinct distance once."""
    l = len(mean)
    apart = np.abs(mean[:, None] - mean[None, :]).round(12)
    distinct, inverse = np.unique(apart, return_inverse=True)
    tails = stats.studentized_range.sf(distinct / error * math.sqrt(2), l, np.inf)
    square = np.clip(tails, 0.0, 1.0)[inverse.ravel()].reshape(l, l).tolist()
    return tuple(tuple(None if i == j else square[i][j] for j in range(l)) for i in range(l))


def _chance_of_agreement(doubled: IntArray) -> float:
    """P(all datasets have the same ranks) under the null, where they do; F is then infinite."""
    orderings = math.factorial(doubled.shape[1])
    for tied in np.unique(doubled[0], return_counts=True)[1].tolist():
        orderings //= math.factorial(tied)
    return math.exp(-(len(doubled) - 1) * math.log(orderings))


def pair_among_all(
    results: Results, pair: tuple[str, str], measure: str, test: str, bonferroni: bool
) -> tuple[float, float]:
    """Return by how much the first of a pair has the better mean rank among all, and the p-value.

    By "nemenyi" it is the larger of Friedman's and Nemenyi's; by "ranks", that of the difference of
    two mean ranks as a normal one, perhaps times the number of pairs.
    """
    asked = results.sel(measures=[measure])
    _refuse_rope(asked)
    doubled = doubled_ranks(asked.oriented()[:, :, 0])
    n, l = doubled.shape
    first, second = (doubled[:, results.algorithms.index(name)].sum() for name in pair)
    apart = float(second - first) / (2 * n)
    z = abs(apart) / math.sqrt(l * (l + 1) / (6 * n))
    if test == "nemenyi":
        tail = float(stats.studentized_range.sf(z * math.sqrt(2), l, np.inf))
        return apart, min(max(_iman_davenport(doubled)[2], tail), 1.0)
    tail = 2.0 * float(stats.norm.sf(z)) * (math.comb(l, 2) if bonferroni else 1)
    return apart, min(max(tail, SMALLEST), 1.0)


def _refuse_rope(results: Results) -> None:
    l, measure = len(results.algorithms), results.measures[0]
    if results[measure].rope is not None:
        raise BayescompareError(
            f"rope on {measure!r}: equivalence is not transitive, so {l} algorithms cannot be "
            "ranked with one; use pairwise(), or drop the rope."
        )
