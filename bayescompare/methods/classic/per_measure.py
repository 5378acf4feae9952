r"""The all-test and the one-test: heuristics over one two-sided test per measure.

The test of a measure is Demšar's: :math:`p_j = \max(p_{\text{Friedman}}, p_{\text{Nemenyi}})` on
mean ranks among *all* algorithms compared, which `pairwise` knows and which already holds for all
pairs at once. Two algorithms alone have no such ranks and are tested by Wilcoxon's test; that and
the sign test, of the pair alone, may be asked for, and so may normal tests of mean ranks.

**All-test.** Is one algorithm significantly better on every measure? With p-values :math:`p_j`:
where all measures favour the same algorithm :math:`p = \max_j p_j`, else :math:`p = 1`.
"Significant on each measure" is then :math:`p \le \alpha`, for every α at once. It is conservative:
to be wrong it must be wrong on every measure.

**One-test.** Is one algorithm significantly better on some measure, and the other on none? The
algorithm with the smallest :math:`p_j` leads. Where a measure is significant at α for the other,
:math:`p = 1`, else p is that smallest :math:`p_j`. The smallest of several p-values is not a
p-value: the more measures, the more often one of them is significant by chance, so that this is
*not* a test of level α.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Section 4.3.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from bayescompare._checks import check_level, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.classic.wilcoxon import differences
from bayescompare.methods.classic.friedman import pair_among_all
from bayescompare.methods.classic.hypotheses import NAMED, NOT_A_PROBABILITY, run_pair_test
from bayescompare.outcome.answer import Answer, Direction, Facts, Found, TestResult
from bayescompare.outcome.codec import read
from bayescompare.outcome.decision import SIGNIFICANT, Decision
from bayescompare.outcome.method import Method, Phrases, Scope
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    format_pvalue,
    percent_setting,
    plural,
    pvalue_equation,
    setting_number_text,
)
from bayescompare.text.phrases import join_names

#: The tests of one measure, as a methods section and as a sentence about findings name them.
_AMONG = "of mean ranks among all algorithms"
_NAMED = NAMED | {
    "nemenyi": (f"the tests of Friedman and Nemenyi {_AMONG}",),
    "ranks": (f"the normal test {_AMONG}",),
}
#: Tests of a pair by its ranks among all algorithms.
_RANKS = ("nemenyi", "ranks")

WhichRule = Literal["nemenyi", "ranks", "sign", "wilcoxon"]


@dataclass(frozen=True)
class PerMeasureDetails(Facts):
    """One test for each measure, at a level."""

    test: str
    alpha: float
    per_measure: tuple[Direction, ...]

    @property
    def table(self) -> pd.DataFrame:
        """Statistic (of the first), p-value and who is favoured, by measure.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("benavoli-example1"), method="all-test")
        >>> c.answer.facts.table.round(3)
                  statistic  pvalue better
        measure
        accuracy       19.5   0.146      B
        time           26.0   0.388      B
        """
        return pd.DataFrame([row.to_dict() for row in self.per_measure]).set_index("measure")

    def favours(self, level: float = 1.0) -> dict[str | None, list[str]]:
        """The measures that favour each algorithm, at a level; under None those that do neither."""
        measures: dict[str | None, list[str]] = {}
        for row in self.per_measure:
            if row.better is None or row.pvalue <= level:
                measures.setdefault(row.better, []).append(row.measure)
        return measures


class RuleResult(Tested):
    """What a rule over the tests of single measures can be asked: it has no posterior."""

    facts_type: ClassVar[type[Facts]] = PerMeasureDetails
    method: PerMeasure

    @property
    def per_measure(self) -> pd.DataFrame:
        """One row per measure: the statistic, the p-value and the better algorithm."""
        return PerMeasureDetails.of(self.answer).table

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every measure, headed to be printed."""
        heads = {"pvalue": "p-value", "better": "favours"}
        return {"Measures": self.per_measure.rename(columns=heads)}

    def headline(self, decision: Decision) -> str:
        """Say what the measures amount to, as the rule has it."""
        p = pvalue_equation(decision.probability)
        if set(PerMeasureDetails.of(self.answer).favours()) == {None}:
            return f"no measure favours either algorithm ({p}, not significant)"
        return self.method.headline(Found(self.results, self.answer, decision), p)


class OneTestResult(RuleResult):
    """The same of a p-value that is the smallest of several."""

    valid_pvalue: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True)
class PerMeasure(Method):
    """A rule over the p-values of one test per measure."""

    test: WhichRule = "nemenyi"
    alpha: float = 0.05
    correction: Literal["bonferroni"] | None = None
    #: What ranks among all algorithms of a table say of the pair, by measure.
    among: tuple[Direction, ...] | None = field(default=None, repr=False)

    posterior_type: ClassVar[type[Posterior]] = RuleResult
    phrases: ClassVar[Phrases] = Phrases(
        reference="Jansen et al. (2022), Section 4.3",
        levers="other measures, another test of each (test=), or more datasets",
    )
    citations: ClassVar[tuple[str, ...]] = ("jansen2022gsd",)
    scope: ClassVar[Scope] = Scope(pair=True)
    #: On which measures one must be better.
    which: ClassVar[str]

    def __post_init__(self) -> None:
        check_word("test", self.test, get_args(WhichRule))
        if self.correction is not None:
            check_word("correction", self.correction, ("bonferroni",))
            if self.test != "ranks":
                raise BayescompareError(
                    f"correction={self.correction!r}: only with test='ranks'; 'nemenyi' holds for "
                    "all pairs by itself."
                )
        if self.among is not None:  # as a file has it
            given: Any = self.among
            if isinstance(given, (list, tuple)):
                given = [row.to_dict() if isinstance(row, Direction) else row for row in given]
            object.__setattr__(self, "among", read(tuple[Direction, ...], given, "among"))
        check_level(alpha=self.alpha)

    @abstractmethod
    def combine(self, own: Mapping[str, list[float]], measures: int) -> tuple[str, float, int]:
        """Make one p-value of those of the measures that favour each.

        Returns who leads ("" where the rule has nothing to say, and the p-value is 1), the p-value
        and how many measures count for it.
        """

    @abstractmethod
    def neither(self, names: Sequence[str], rows: Sequence[Direction]) -> Statement:
        """The statement where nobody leads."""

    @abstractmethod
    def shows(self, statement: Statement, names: Sequence[str], signs: FloatArray) -> BoolArray:
        """Which datasets, by their signs (dataset, measure), show a statement."""

    @abstractmethod
    def headline(self, found: Found, p: str) -> str:
        """Say what the measures amount to, where some favours somebody."""

    @abstractmethod
    def finding(self, found: Found, p: str) -> str:
        """Say the same in a sentence."""

    @abstractmethod
    def limits(self, measures: int) -> list[str]:
        """Say what kind of test it is."""

    @property
    def simultaneous(self) -> bool:
        """Whether its p-values hold for all pairs of a table as they are."""
        return self.test in _RANKS

    def options(self) -> dict[str, Any]:
        """Return the choices by name, and what the ranks among all said."""
        found = super().options()
        del found["among"]
        if self.among is not None:
            found["among"] = [row.to_dict() for row in self.among]
        return found

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> PerMeasure:
        """Return the test with what ranks among all algorithms of the table say of this pair."""
        if pair is None or self.test not in _RANKS or len(results.algorithms) < 3:
            return self
        whole = results.average()
        if whole.absent().any():
            whole = whole.complete(missing="drop")
        rows, bonferroni = [], self.correction is not None
        for measure in whole.measures:
            apart, pvalue = pair_among_all(whole, pair, measure, self.test, bonferroni)
            better = None if apart == 0.0 else pair[int(apart < 0.0)]
            rows.append(Direction(measure, apart, pvalue, better))
        return replace(self, among=tuple(rows))

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Test every measure by itself, of the pair alone or among all algorithms; combine."""
        names, measures = results.algorithms, results.measures
        asked, rows = self.test, list[Direction]()
        if self.among is None:
            asked = "sign" if self.test == "sign" else "wilcoxon"
            for measure in measures:
                one = run_pair_test(results, measure, asked)
                better = None if one.favours is None else names[one.favours]
                rows.append(Direction(measure, one.sums[0], one.pvalue, better))
        else:
            known = {row.measure: row for row in self.among}
            if missing := [name for name in measures if name not in known]:
                raise BayescompareError(f"among: no ranks on {join_names(missing)}.")
            rows = [known[name] for name in measures]
        own = {name: [row.pvalue for row in rows if row.better == name] for name in names}
        lead, pvalue, statistic = self.combine(own, len(rows))
        values = results.oriented()
        signs = np.sign(
            [differences(values[:, :, j], results[m].rope) for j, m in enumerate(measures)]
        ).T
        order, wide = State.order(*names), 1 if self.scope.question else len(rows)
        both = [Statement.of(state, measures=wide) for state in (order, order.reversed())]
        statement = both[names.index(lead)] if lead else self.neither(names, rows)
        shown = dict.fromkeys([*both, statement])
        return TestResult(
            pvalue=pvalue,
            statistic=float(statistic),
            statement=statement,
            directions=tuple(rows),
            support={each: float(self.shows(each, names, signs).sum()) for each in shown},
            approximate=self.among is not None,
            facts=PerMeasureDetails(asked, self.alpha, tuple(rows)),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        by = self.test if answer is None else PerMeasureDetails.of(answer).test
        corrected = ", by Bonferroni's correction" if self.correction else ""
        return (
            f"by the rule that one must be significantly better on {self.which} measure, by "
            f"{_NAMED[by][0]}{corrected} at the level {setting_number_text(self.alpha)} "
            "({aside})."
        )

    def sentences(self, found: Found) -> list[str]:
        """Say what each measure says, what that amounts to, and what kind of test it is."""
        results, answer, decision = found
        details, own = PerMeasureDetails.of(answer), list[str]()
        favours = [
            f"{row.measure} {row.better or 'neither'} ({pvalue_equation(row.pvalue)})"
            for row in details.per_measure
        ]
        if self.test in _RANKS:
            own.append(
                "Ranks among two algorithms say too little, so each measure was tested on the pair "
                "alone."
                if self.among is None
                else "A mean rank depends on which other algorithms are compared; by these tests "
                "the p-values hold for all pairs at once."
                if self.test == "nemenyi" or self.correction
                else "A mean rank depends on which other algorithms are compared, and the p-values "
                "are not corrected for the number of pairs."
            )
        if self.alpha != SIGNIFICANT:
            verdict = "significant" if decision.probability <= self.alpha else "not significant"
            level = setting_number_text(self.alpha)
            own.append(f"At the level alpha = {level} asked for it is {verdict}.")
        by = _NAMED[details.test][-1].removeprefix("the ")
        return [
            f"By the {by} on {plural(len(results.datasets), 'dataset')}, the "
            f"measures favour: {join_names(favours)}.",
            self.finding(found, pvalue_equation(decision.probability)),
            *own,
            *self.limits(len(results.measures)),
            NOT_A_PROBABILITY,
        ]


@dataclass(frozen=True, kw_only=True)
class AllTest(PerMeasure):
    """Is one algorithm significantly better on every measure by itself?

    Parameters
    ----------
    test : {"nemenyi", "ranks", "wilcoxon", "sign"}
        The two-sided test of each measure: on mean ranks among all algorithms of the table that
        `pairwise` compares, or of the pair alone. Two algorithms have no such ranks, and
        Wilcoxon's test answers for "nemenyi" and "ranks".
    alpha : float
        The level that the words speak of; the p-value does not depend on it.
    correction : {None, "bonferroni"}
        With ``test="ranks"``, for the number of pairs.

    Examples
    --------
    >>> import bayescompare as bc
    >>> method = bc.methods.AllTest(test="sign")
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=method)
    >>> c.best, round(c.pvalue, 6)
    ('B>A|B>A', 0.387695)
    """

    name: ClassVar[str] = "all-test"
    title: ClassVar[str] = title_in_registry("all-test")
    which: ClassVar[str] = "every"

    def combine(self, own: Mapping[str, list[float]], measures: int) -> tuple[str, float, int]:
        """Take the largest p-value where all measures agree."""
        lead = min(own, key=lambda name: (-len(own[name]), min(own[name], default=1.0), name))
        agree = len(own[lead]) == measures
        return (lead, max(own[lead]), measures) if agree else ("", 1.0, len(own[lead]))

    def neither(self, names: Sequence[str], rows: Sequence[Direction]) -> Statement:
        """What each measure favours; "=" where it favours neither."""
        first = State.order(*names)
        said = {names[0]: first, names[1]: first.reversed(), None: State.equal(*names)}
        return Statement.of(*(said[row.better] for row in rows))

    def shows(self, statement: Statement, names: Sequence[str], signs: FloatArray) -> BoolArray:
        """Every measure says what the statement says of it."""
        said = [0 if name is None else 1 - 2 * names.index(name) for name in statement.leaders]
        return np.asarray((signs == said).all(axis=1))

    def headline(self, found: Found, p: str) -> str:
        """Say whether one is better on every measure, or on which measures each is."""
        details, decision = PerMeasureDetails.of(found.answer), found.decision
        favoured, (first, *more) = details.favours(), details.per_measure
        if len(favoured) == 1:
            where = f"on {'every measure' if more else first.measure}"
            largest = f"{'largest ' if more else ''}{p}"
            if decision.settled:
                return f"{first.better} is better {where} ({largest}, significant)"
            return f"{first.better} is ahead {where} ({largest}, not significant)"
        sides = [f"{name or 'neither'} on {join_names(on)}" for name, on in favoured.items()]
        return f"the measures do not agree: {', '.join(sides)} (p = 1, not significant)"

    def finding(self, found: Found, p: str) -> str:
        """Say whether every measure favours the same one, and every one significantly."""
        (ahead, *others) = PerMeasureDetails.of(found.answer).favours()
        p = format_pvalue(found.decision.probability)
        no_evidence = "That is not evidence that the algorithms are equal."
        if found.decision.settled:
            return (
                f"{ahead} is significantly better on every measure at the "
                f"{percent_setting(SIGNIFICANT)} level: the largest p-value is {p}."
            )
        if others or ahead is None:
            return (
                "The measures do not all favour the same algorithm, so neither is better on every "
                f"measure by this test: p = 1. {no_evidence}"
            )
        return (
            f"Every measure favours {ahead}, but not every one significantly: the largest p-value "
            f"is {p}, above {setting_number_text(SIGNIFICANT)}. {no_evidence}"
        )

    def limits(self, measures: int) -> list[str]:
        """Say that it is conservative."""
        return [
            "Asking significance of every measure makes the test conservative: its error rate is "
            "often far below the level of the single tests, and its power low."
        ]


@dataclass(frozen=True, kw_only=True)
class OneTest(PerMeasure):
    """Is one algorithm significantly better on some measure, and the other on none?

    Parameters
    ----------
    test, correction
        As for `AllTest`.
    alpha : float
        The level of each measure's test.

    Examples
    --------
    >>> import bayescompare as bc
    >>> method = bc.methods.OneTest(test="sign")
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=method)
    >>> c.best, round(c.pvalue, 6)
    ('B>A', 0.145996)
    """

    name: ClassVar[str] = "one-test"
    title: ClassVar[str] = title_in_registry("one-test")
    scope: ClassVar[Scope] = Scope(pair=True, question=True)
    posterior_type: ClassVar[type[Posterior]] = OneTestResult
    which: ClassVar[str] = "some"

    def combine(self, own: Mapping[str, list[float]], measures: int) -> tuple[str, float, int]:
        """Take the smallest p-value unless the other algorithm has a significant one too."""
        least = {name: min(pvalues, default=1.0) for name, pvalues in own.items()}
        lead, other = sorted(own, key=lambda name: (least[name], -len(own[name]), name))
        counted = sum(p <= self.alpha for p in own[lead])
        if least[other] <= self.alpha or not own[lead]:
            return "", 1.0, counted
        return lead, least[lead], counted

    def neither(self, names: Sequence[str], rows: Sequence[Direction]) -> Statement:
        """Incomparable where each has a significant measure, equal where none favours either."""
        nobody = all(row.better is None for row in rows)
        return Statement.of((State.equal if nobody else State.apart)(*names))

    def shows(self, statement: Statement, names: Sequence[str], signs: FloatArray) -> BoolArray:
        """Better on some measure and worse on none; or each on some, or neither on any."""
        (state,) = statement.states
        if state.leader is None:
            ahead, behind = ((sign * signs > 0).any(axis=1) for sign in (1, -1))
            return np.asarray(ahead & behind if state.relation == "~" else ~(ahead | behind))
        own = (1 - 2 * names.index(state.leader)) * signs
        return np.asarray((own >= 0).all(axis=1) & (own > 0).any(axis=1))

    def headline(self, found: Found, p: str) -> str:
        """Say on which measures one is significantly better, and whether the other is on any."""
        (opposed, better, _, behind), one = self._sides(found), len(found.results.measures) == 1
        smallest = p if one else f"smallest {p}"
        if opposed:
            return f"each is significantly better on some measure: {opposed} ({p}, not significant)"
        if not better:
            return f"neither is significantly better on any measure ({smallest}, not significant)"
        # The other may still be so at a level above the method's own.
        own = setting_number_text(self.alpha)
        level = "" if self.alpha == SIGNIFICANT else f" at the level {own}"
        none = "" if one else f", {behind} on none{level}"
        return f"{better}{none} ({smallest}, significant)"

    def finding(self, found: Found, p: str) -> str:
        """Say whether one is called better, each is on some measure, or neither on any."""
        level, own = percent_setting(SIGNIFICANT), setting_number_text(self.alpha)
        opposed, better, ahead, behind = self._sides(found)
        if opposed:
            return (
                f"Each algorithm is significantly better on some measure at the level {own} "
                f"({opposed}), so neither is called better: p = 1."
            )
        if better:
            return (
                f"{better} at the {level} level, and {behind} on no measure at the level {own}: "
                f"the rule calls {ahead} better ({p})."
            )
        return (
            f"Neither algorithm is significantly better on any measure at the {level} level ({p}). "
            "That is not evidence that they are equal."
        )

    def _sides(self, found: Found) -> tuple[str, str, str, str]:
        """On which measures each is significantly better, if each is; else who is, and who not."""
        details, names = PerMeasureDetails.of(found.answer), found.results.algorithms
        at_own = details.favours(self.alpha)
        if all(name in at_own for name in names):
            return ", ".join(f"{name} on {join_names(at_own[name])}" for name in names), "", "", ""
        if not found.decision.settled:
            return "", "", "", ""
        ahead, behind = names[:: -1 if found.answer.tested else 1]
        on = join_names(details.favours(SIGNIFICANT)[ahead])
        return "", f"{ahead} is significantly better on {on}", ahead, behind

    def limits(self, measures: int) -> list[str]:
        """Say that it is no test of its level."""
        if measures == 1:
            return []
        return [
            f"This is not a test of level {setting_number_text(self.alpha)}: it takes the smallest "
            f"of {plural(measures, 'p-value')} without correction, and the more measures there are "
            "the more often it finds a difference where there is none."
        ]
