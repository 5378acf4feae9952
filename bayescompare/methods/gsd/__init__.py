r"""Generalised stochastic dominance: better for every utility that respects what the scales mean.

Story: a dataset's quality vectors are draws from each algorithm's distribution of quality. One
algorithm dominates another when its expected utility is at least as high for *every* utility that
ranks a vector above one it is nowhere worse than (R1), and a gain above one that is nowhere smaller
on the metric measures (R2), by at least δ each:

.. math:: \mathrm{opt}_{ij} = \min_{u \in N^\delta} \mathrm{E}_i u - \mathrm{E}_j u \ge 0 .

The statistic opt is a linear programme. The null hypothesis that labels do not matter is tested by
permutation: labels are swapped within datasets (``paired``), or vectors dealt anew (``pooled``).

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Statistical comparisons of classifiers by generalized
stochastic dominance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from bayescompare._checks import check_count, check_word, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.permutation import Scheme, permutation_test
from bayescompare.kernels.gsd.system import PairRule
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.methods.gsd.comparison import Dominance, DominanceTest
from bayescompare.methods.gsd.problem import (
    DominanceProblem,
    OrderDetails,
    PermutationDetails,
    Square,
    front_of,
    over_pairs,
    strict_order,
)
from bayescompare.methods.gsd.words import (
    methods_text_of_test,
    order_words,
    pair_words,
    resolution_words,
)
from bayescompare.outcome.answer import OPT, PVALUE, SHARE_BELOW, Answer, Found, TestResult
from bayescompare.outcome.method import Accepts, Method, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results

Alternative = Literal["two-sided", "first", "second"]


@dataclass(frozen=True, kw_only=True)
class GsdMethod(Method):
    """What both forms of the test share: δ, and the meaning of ordinal measures."""

    posterior_type: ClassVar[type[Posterior]] = Dominance
    scope: ClassVar[Scope] = Scope(question=True)

    delta: float = 1e-5
    epsilon: float | None = None
    rule: PairRule | None = None
    system: Literal["pair", "all"] = "pair"
    prefers: Callable[..., bool] | str | None = None
    prefers_more: Callable[..., bool] | str | None = None
    #: That of all algorithms, whose vectors share one system; files do not hold it.
    shared: DominanceProblem | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_share("delta", self.delta, "0 for the order itself, 1e-5 to tell ties apart")
        if self.epsilon is not None:
            _check_share("epsilon", self.epsilon, "a share of each pair's δ_max", closed=True)
            if self.delta != type(self).delta:
                raise BayescompareError(
                    f"delta={self.delta!r} and epsilon={self.epsilon!r}: δ = ε·δ_max; pass one."
                )
        if self.rule is not None:
            check_word("rule", self.rule, ("interval", "jansen2022"))
        check_word("system", self.system, ("pair", "all"))
        for name in ("prefers", "prefers_more"):
            given: object = getattr(self, name)
            # A file holds the name of what was a function.
            if not (given is None or callable(given) or isinstance(given, str)):
                raise BayescompareError(
                    f"{name}={given!r}: give a function of vectors, which says yes or no."
                )
            if given is not None and self.rule is not None:
                raise BayescompareError(
                    f"{name} and rule={self.rule!r}: the rule is of gains that {name} has its own "
                    "say about; pass one."
                )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; functions by theirs."""
        options = super().options()
        del options["shared"]
        for name in ("prefers", "prefers_more"):
            options[name] = getattr(options[name], "__name__", options[name])
        return options

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Self:
        """Return the test; that of a pair shares the system of all where that is asked."""
        if pair is None or self.system == "pair":
            return self
        made: DominanceProblem | None = self.__dict__.get("_made")  # of the last table
        if made is None or made.results is not results:
            made = self.__dict__["_made"] = DominanceProblem(self, results)
            Verdicts(made.solver, made.used_delta).prepare()
        return replace(self, shared=made)

    def pair(self, results: Results) -> DominanceProblem:
        """Set up the linear programmes of two algorithms."""
        return DominanceProblem(self, results, self.shared)

    def pairs(self, results: Results) -> dict[tuple[str, str], DominanceProblem]:
        """Set them up for every pair."""
        return {
            two: self.for_table(results, two).pair(results.sel(algorithms=two))
            for two in itertools.combinations(results.algorithms, 2)
        }

    def weight_alpha(self, results: Results) -> FloatArray:
        """Parameters of the datasets' weights, whose posterior is a Dirichlet: Rubin's are 1."""
        return np.ones(len(results.datasets))


@dataclass(frozen=True, kw_only=True)
class GSD(GsdMethod):
    """Does one algorithm dominate another, whatever utility one has?

    Two algorithms are tested by permutation; of more the whole order is computed, and tested by
    `pairwise`.

    Parameters
    ----------
    delta : float
        By how much a better vector and a larger gain must at least be better. 0 is the order of
        the paper's Section 6.2; a small δ makes dominances of different extent comparable and so
        gives the test power. Above a pair's δ_max the pair is judged at δ_max.
    epsilon : float, optional
        δ as a share of each pair's δ_max, in place of `delta`.
    rule : {"interval", "jansen2022"}, optional
        What ordinal measures mean for gains, where metric ones are there too: gains are compared
        only where one ordinal interval holds the other (the default), or the paper's equation (2)
        to the letter.
    system : {"pair", "all"}
        Which vectors utilities range over: those of the two algorithms, as in the paper's tables,
        or those of all that are compared. Under "pair" a verdict does not depend on who else is in
        the table, but A over B and B over C need not give A over C; under "all" dominance is a
        pre-order.
    prefers : callable, optional
        ``prefers(a, b)``: whether the vector a is at least as good as b, in place of "nowhere
        worse". Vectors are arrays of the measures' values, in their order.
    prefers_more : callable, optional
        ``prefers_more(a, b, c, d)``: whether going from b to a is worth at least as much as going
        from d to c, where a is preferred to b and c to d; in place of what the scales say. With
        `prefers` alone gains are not compared.
    permutations : int
        Resamples of the test; all there are if these are not more.
    scheme : {"paired", "pooled"}
        Swap labels within datasets, or deal all vectors anew.
    stop_after : int, optional
        Stop a direction when so many resamples reached the statistic (Besag & Clifford); the
        p-value stays valid and only unsuspicious pairs get a coarser one.
    alternative : {"two-sided", "first", "second"}
        Which direction the p-value is about. Two-sided, twice the smaller of the two one-sided
        p-values, unless the direction was named before looking at the data: the first listed
        algorithm dominates the second, or the second the first. In `pairwise` that is the one of
        each pair that is listed first.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci")
    >>> c = bc.compare(results, method=bc.methods.GSD(delta=0), algorithms=["GBM", "CART"], rng=1)
    >>> c.best, bool(c.relation.sel(algorithm="GBM", opponent="CART"))
    ('GBM>CART', True)
    """

    name: ClassVar[str] = "gsd"
    title: ClassVar[str] = title_in_registry("gsd")
    citations: ClassVar[tuple[str, ...]] = ("jansen2022gsd",)
    phrases: ClassVar[Phrases] = Phrases(
        reference="Jansen, Nalenz, Schollmeyer & Augustin (2022)",
        levers=(
            "another δ (see thresholds), a measure taken as ordinal or metric, or more datasets"
        ),
        verdict="is tested as dominance for every utility",
    )
    accepts: ClassVar[Accepts] = Accepts(weights=True)
    posterior_type: ClassVar[type[Posterior]] = DominanceTest

    permutations: int = 1000
    scheme: Scheme = "paired"
    stop_after: int | None = None
    alternative: Alternative = "two-sided"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(permutations=self.permutations)
        if self.stop_after is not None:
            check_count(stop_after=self.stop_after)
        check_word("scheme", self.scheme, ("paired", "pooled"))
        check_word("alternative", self.alternative, ("two-sided", "first", "second"))

    @property
    def sides(self) -> int:
        """How many directions the p-value allows for."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def least_pvalue(self) -> float:
        """The smallest p-value that so many resamples can give."""
        return self.sides / (self.permutations + 1)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Test two algorithms, or order more of them."""
        if self.scheme == "pooled" and results.weights is not None:
            raise BayescompareError(
                "scheme='pooled' deals vectors over all datasets, and weight= gives datasets "
                "weights of their own: use scheme='paired', or make the table without weight=."
            )
        if len(results.algorithms) > 2:
            return _order_answer(self, results)
        pair = self.pair(results)
        test = permutation_test(
            pair.solver,
            pair.used_delta,
            sampling.rng,
            permutations=self.permutations,
            scheme=self.scheme,
            stop_after=self.stop_after,
            spread=sampling.spread("judging resamples"),
        )
        # The name decides last, so that the order in which the two are listed does not.
        surest = min(
            (0, 1),
            key=lambda k: (
                test.pvalue[k],
                -round(float(test.statistic[k]), 9),
                results.algorithms[k],
            ),
        )
        lead = {"two-sided": surest, "first": 0, "second": 1}[self.alternative]
        support = _support(results)
        found = TestResult(
            pvalue=self.headline_pvalue(test.pvalue, lead),
            statistic=float(test.statistic[lead]),
            statement=list(support)[lead],
            support=support,
            columns={OPT: test.statistic, SHARE_BELOW: test.share_below, PVALUE: test.pvalue},
            resampled=not test.exact,
            facts=PermutationDetails(
                delta=pair.used_delta,
                delta_max=pair.delta_max,
                resamples=tuple(test.resamples.tolist()),
                enumerated=test.exact,
                dominates=pair.dominates,
            ),
        )
        seed = None if test.exact else sampling.seed
        return replace(found.answer(results, question=True), seed=seed)

    def headline_pvalue(self, directions: FloatArray, lead: int) -> float:
        """Return the p-value of the test asked for, from the one-sided ones."""
        return min(1.0, self.sides * float(directions[lead]))

    def restored(self, answer: Answer, options: Mapping[str, Any]) -> Answer:
        """Files from before `alternative` hold the smaller one-sided p-value: double it."""
        if "alternative" in options or answer.tested is None:
            return answer
        pvalue = self.headline_pvalue(answer.per_statement[PVALUE], answer.tested)
        return replace(answer, pvalue=pvalue)

    def resolution_words(self, answers: Sequence[Answer], alpha: float) -> str:
        """Say where resamples are too few for any p-value to pass the correction."""
        if all(PermutationDetails.of(answer).enumerated for answer in answers):
            return ""
        return resolution_words(self, len(answers), alpha)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text_of_test(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say who dominates whom, what was tested and what that leaves open."""
        results, answer, decision = found
        if len(results.algorithms) > 2:
            return order_words(self, results, answer)
        return pair_words(self, results, answer, decision)


def _support(results: Results) -> dict[Statement, float]:
    """On how many datasets each is nowhere worse, and better somewhere: one question in all."""
    first, values = State.order(*results.algorithms), results.oriented()
    ahead, behind = values[:, 0] > values[:, 1], values[:, 0] < values[:, 1]
    return {
        Statement.of(state): float((won.any(axis=1) & ~lost.any(axis=1)).sum())
        for state, won, lost in ((first, ahead, behind), (first.reversed(), behind, ahead))
    }


def _order_answer(method: GsdMethod, results: Results) -> Answer:
    """Compute who dominates whom, for every pair; nothing is tested."""
    pairs, names = method.pairs(results), results.algorithms
    opt = over_pairs(pairs, names, lambda pair: pair.opt)
    relation = ~(opt < 0.0)  # also on the diagonal
    front = front_of(relation, names)
    return Answer(
        labels=(", ".join(front),),
        states=(),
        counts=np.array([float(strict_order(relation).sum())]),
        n_statements=1,
        n_observed=1,
        facts=OrderDetails(
            relation=tuple(map(tuple, relation.tolist())),
            opt=_square(opt),
            delta_max=_square(over_pairs(pairs, names, lambda pair: (pair.delta_max,) * 2)),
            front=front,
        ),
    )


def _square(values: FloatArray) -> Square:
    return tuple(tuple(None if math.isnan(v) else v for v in row) for row in values.tolist())


def _check_share(name: str, value: object, hint: str, *, closed: bool = False) -> None:
    if not (is_number(value) and 0.0 <= value <= 1.0 and (closed or value < 1.0)):
        ends = "[0, 1]" if closed else "[0, 1)"
        raise BayescompareError(f"{name}={value!r}: must be a number in {ends}: {hint}.")
