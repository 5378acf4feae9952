"""What is asked of any answer whose posterior is a `DirichletMixture`, written once.

Its figures; the level that it would have with other datasets; how it grows with datasets drawn from
its predictive distribution; and what weaker and stronger priors make of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.dirichlet.pmax import imprecise_bounds
from bayescompare.kernels.leading import parts_of_orders
from bayescompare.kernels.orders import WeightTable
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.codec import name_in_file
from bayescompare.outcome.columns import ALONE, PROBABILITY, theta_columns
from bayescompare.outcome.decision import SETTLED, decide
from bayescompare.outcome.facts import FourQuestions
from bayescompare.posterior.board import Board
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import POWER, WEIGHT
from bayescompare.statements import DENSE, Statements

#: From a tenth of a prior's weight to ten times it.
FACTORS = np.geomspace(0.1, 10.0, 21)
#: Numbers of a posterior that an answer holds on to; a larger one is worked out again.
_MOST_HELD = 1 << 18


def posterior_answer(
    posterior: DirichletMixture,
    *,
    leaning: Statements | None = None,
    only: FloatArray | None = None,
    alpha_of: Callable[[str], float] | None = None,
    parts: FloatArray | None = None,
    **more: Any,
) -> Answer:
    """Return P(max), shares, parts and the four questions.

    Parameters
    ----------
    posterior : DirichletMixture
    leaning : Statements, optional
        The same statements with the datasets that lean to each, where none shows one for sure.
    only : array (S,), optional
        P of each statement on the only dataset there is, which the answer is then about.
    alpha_of : callable, optional
        Gives the α of a statement that is not listed, where these are not all alike.
    parts : array (S, m), optional
        How sure parts are, where the posterior cannot say so.
    **more
        Further fields of the answer.
    """
    evidence, alone = posterior.evidence, posterior.alone
    listed = listed_in_answer(evidence)
    several = len(evidence.statements.measures) > 1
    every, mcse, log_evidence = posterior.p_max(), posterior.mcse(), posterior.log_evidence
    own = None if alone is None else alone.p_max()[:-1]
    sure: dict[str, FloatArray] = {}
    if several:
        sure[PROBABILITY] = posterior.parts() if parts is None else parts
        if alone is not None:
            sure[ALONE] = alone.parts()
    if only is not None:
        every, mcse, log_evidence = np.append(only, 0.0), None, None
        own = None if alone is None else alone.evidence.each_alone(alone.version)[0]
        states = evidence.statements.table.states
        sure = {name: parts_of_orders(only, states) for name in sure}
    columns = theta_columns(posterior.mean()[listed], *posterior.intervals()[:, listed])
    if own is not None:
        columns = {ALONE: own[listed], **columns}
    unobserved = float(every[:-1][~evidence.possible].sum() + every[-1])
    more.setdefault("facts", FourQuestions())
    answer = Answer.over(
        _listing(evidence.statements, listed) if leaning is None else leaning,
        probability=every[:-1][listed],
        mcse=None if mcse is None else mcse[:-1][listed],
        unobserved=unobserved if leaning is None else None,
        log_evidence=log_evidence,
        per_statement=columns,
        parts={name: figures[listed] for name, figures in sure.items()},
        posterior=posterior if posterior.counts.size <= _MOST_HELD else None,
        **more,
    )
    return replace(answer, facts=answer.facts.told(_questions(posterior, answer, alpha_of)))


def listed_in_answer(evidence: Evidence) -> IntArray:
    """Return which statements an answer lists: all, or of very many the possible ones."""
    size = evidence.statements.n_listed
    if size <= DENSE or not len(evidence.uncounted):
        return np.arange(size)
    return np.flatnonzero(evidence.possible)


def least_of_posterior(posterior: DirichletMixture) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts: what a verdict rests on.

    Parts are left out where α differ among the unlisted, whose sums are no Dirichlet.
    """
    probability = posterior.p_max()[:-1]
    is_alike = len(posterior.components[0].lumps) <= 1
    if len(posterior.evidence.statements.measures) == 1 or not is_alike:
        return probability
    return np.minimum(probability, posterior.parts().min(axis=1))


def level_with_more(
    posterior: DirichletMixture, best: int, other: int
) -> Callable[[int, int], float]:
    """Return a function that gives the least of P and its parts for other counts.

    It takes how many datasets more support a statement, and how many of its own went to another
    instead. Under both priors, where one was learned.
    """

    def level(more: int, moved: int) -> float:
        change = np.zeros(posterior.counts.shape[1])
        change[best] += more - moved
        change[other] += moved
        level, alone = 1.0, posterior.alone
        if alone is not None:
            # Where the pair's own prior alone leaves it open, that is all one needs to know.
            level = float(least_of_posterior(alone.with_more(change))[best])
            if level < SETTLED:
                return level
        return min(level, float(least_of_posterior(posterior.with_more(change))[best]))

    return level


def pvalue_with_more(
    level_given: Callable[[FloatArray, int], float],
    counts: FloatArray,
    best: int,
    other: int | None,
) -> Callable[[int, int], float]:
    """Return the same of a test: its p-value for other counts."""

    def level(more: int, moved: int) -> float:
        after = counts.copy()
        after[best] += more - moved
        if other is not None:
            after[other] += moved
        return level_given(after, best)

    return level


def grown(
    posterior: DirichletMixture,
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds datasets drawn from the predictive, and answers again.

    It gives the least P that a verdict rests on, so that a simulated verdict is settled when
    `decide` would call it so.
    """
    listed, alone = listed_in_answer(posterior.evidence), posterior.alone

    def simulate(more: int, rng: np.random.Generator) -> FloatArray:
        if posterior.components[0].lumps:
            return _least_of_grown(posterior, more, rng)
        theta = np.exp(posterior.draw(1, rng)[0, :-1])
        counts = rng.multinomial(more, theta / theta.sum()).astype(np.float64)
        least = least_of_posterior(posterior.with_more(counts))
        if alone is not None:
            least = np.minimum(least, least_of_posterior(alone.with_more(counts)))
        return least[listed]

    return simulate


def _least_of_grown(posterior: DirichletMixture, more: int, rng: np.random.Generator) -> FloatArray:
    """The least P that a verdict rests on, with more datasets, some perhaps not listed before.

    The parts of statements that are listed later than the others are not known, and left out.
    """
    component = int(rng.choice(len(posterior.components), p=posterior.weight[:, 0]))
    (counts,) = posterior.counts
    after, new = posterior.components[component].grown(counts, more, rng)
    size = len(counts)
    least = np.ones(len(new))
    for each in (posterior, posterior.alone or posterior):
        if len(new) == size:
            least = np.minimum(least, least_of_posterior(each.with_more(new - counts)))
        else:
            drawn = posterior.components[component]
            grown = tuple(
                after if a is drawn else a.listing_more(len(new) - size) for a in each.components
            )
            board = Board.of(replace(each.prior, components=grown), new[None])
            least = np.minimum(least, board.p_max()[0, :-1])
    return least


def grown_by_resemblance(
    posterior: DirichletMixture,
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return what adds datasets that resemble those seen, and gives the least P of a verdict."""
    rows, each = posterior.evidence.rows, posterior.per_dataset()

    def simulate(more: int, rng: np.random.Generator) -> FloatArray:
        theta = np.exp(posterior.draw(1, rng)[0, :-1])
        new = resembling(rows, each, theta, more, rng)
        return least_of_rows(posterior, np.concatenate([rows, new], axis=1), rng)

    return simulate


def resembling(
    rows: FloatArray, each: FloatArray, theta: FloatArray, more: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the evidence of so many new datasets, (R, more, S).

    Each has a statement drawn from θ, and the evidence of one of the datasets seen (R, n, S), by
    the probability that this one shows the same statement, `each` (n, S). So new datasets are as
    informative as the old ones; certain, where none shows it.
    """
    ends = np.cumsum(each, axis=0)
    shown = rng.choice(len(theta), p=theta / theta.sum(), size=more)
    at = rng.random(more) * ends[-1, shown]
    like = np.minimum((at >= ends[:, shown]).sum(axis=0), len(ends) - 1)
    new = rows[:, like].copy()
    unlike = ends[-1, shown] <= 0.0
    new[:, unlike] = -np.inf
    new[:, unlike, shown[unlike]] = 0.0
    return new


def least_of_rows(
    posterior: DirichletMixture, rows: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """The least P that a verdict rests on, of other rows of evidence, under both priors."""
    evidence = replace(posterior.evidence, rows=rows, uncounted=np.arange(rows.shape[1]))
    try:
        after = DirichletMixture.of(evidence, posterior.prior, joint=posterior.joint)
    except TooManyVectors:
        if posterior.prior.own is not None:
            raise BayescompareError(
                "prior='learned': with these replicates there are too many count vectors; give "
                "prior='symmetric'."
            ) from None
        after = DrawnMixture.sampled(evidence, posterior.prior, rng, joint=posterior.joint)
    least = least_of_posterior(after)
    if after.alone is None:
        return least
    return np.asarray(np.minimum(least, least_of_posterior(after.alone)))


def under_other_priors(
    posterior: DirichletMixture, best: int, values: FloatArray | None = None
) -> pd.DataFrame:
    """Tabulate P of every statement by the weight of the prior.

    The attributes hold the bounds of one statement over all prior means of each weight, where
    every dataset was counted and the prior has a weight in datasets.
    """
    evidence, prior = posterior.evidence, posterior.prior
    listed = listed_in_answer(evidence)
    labels = [evidence.statements.labels[s] for s in listed.tolist()]
    # Beliefs are tried around their own weight.
    usual = FACTORS * (prior.weight if prior.weighed_by == WEIGHT else 1.0)
    at = usual if values is None else values
    after = [posterior.with_power(value / prior.weight) for value in at.tolist()]
    rows = [each.p_max()[:-1][listed] for each in after]
    table = pd.DataFrame(rows, index=pd.Index(at, name=prior.weighed_by), columns=labels)
    if prior.weighed_by != POWER and not len(evidence.uncounted):
        unlisted = bool(prior.components[0].lumps)
        bounds = [imprecise_bounds(evidence.counts, v, unlisted=unlisted) for v in at]
        table.attrs["lower"] = [float(lower[best]) for lower, _ in bounds]
        table.attrs["upper"] = [float(upper[best]) for _, upper in bounds]
    return table


def _listing(statements: Statements, listed: IntArray) -> Statements:
    """Some of the statements by themselves."""
    if len(listed) == statements.n_listed:
        return statements
    own = statements.table
    place = np.full(statements.n_listed, -1)
    place[listed] = np.arange(len(listed))
    table = WeightTable(
        own.states[listed], own.counts[listed], own.dataset, place[own.statement], own.weight
    )
    return replace(statements, table=table)


def _questions(
    posterior: DirichletMixture, answer: Answer, alpha_of: Callable[[str], float] | None
) -> FourQuestions:
    """Four different questions about the best statement, each in closed form."""
    statements = posterior.evidence.statements
    best = decide(answer).statement
    opposite = statements.opposite(best)
    s, other = statements.find(best), statements.find(opposite)
    assert s is not None
    assert answer.probability is not None
    alpha = None if alpha_of is None or other is not None else alpha_of(opposite)
    return FourQuestions(
        most_probable=float(answer.probability[answer.labels.index(best)]),
        # Equivalent on every measure is its own opposite.
        beats_opposite=None if opposite == best else posterior.order(s, other, alpha),
        majority=posterior.majority(s),
        expected=float(posterior.mean()[s]),
    )


class Questions:
    """The four questions about the best statement, for every method about θ."""

    answer: Answer

    @property
    def questions(self) -> pd.Series[float]:
        """Four different questions about `best`: they have different answers.

        "most probable": P(its θ is the largest); "beats opposite": P(its θ exceeds that of the
        statement with every ordering reversed); "majority": P(its θ > ½); "expected": E θ, the
        probability that it holds on a new dataset.
        """
        asked = [name_in_file(each) for each in fields(FourQuestions)]
        figures = FourQuestions.of(self.answer).figures()
        best = decide(self.answer).statement
        return pd.Series({name: figures[name] for name in asked}, name=best, dtype=float)
