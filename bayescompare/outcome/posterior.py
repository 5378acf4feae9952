"""`Posterior`: what an answer can be asked beyond its figures, once for all methods.

Where the answer is a distribution of θ, the questions are answered here: its figures, the level
that it would have with other datasets, how it grows with datasets drawn from its predictive
distribution, and what weaker and stronger priors make of it. Families whose parameters are others
derive from `Posterior`; what they do not define, their answers do not have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare._version import __version__
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.dirichlet.pmax import imprecise_bounds
from bayescompare.kernels.leading import parts_of_orders, sole_leader
from bayescompare.kernels.numerics.intervals import Betas
from bayescompare.kernels.orders import WeightTable
from bayescompare.learned import Board
from bayescompare.outcome.answer import (
    ALONE,
    PROBABILITY,
    Answer,
    Facts,
    FourQuestions,
    TestResult,
    theta_columns,
)
from bayescompare.outcome.codec import name_in_file
from bayescompare.outcome.decision import SETTLED, Decision, claim_words, decide
from bayescompare.outcome.registry import unavailable
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import POWER, WEIGHT
from bayescompare.statements import DENSE, Statements

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayescompare.table.results import Results


#: From a tenth of a prior's weight to ten times it.
FACTORS = np.geomspace(0.1, 10.0, 21)
#: Numbers of a posterior that an answer holds on to; a larger one is worked out again.
_MOST_HELD = 1 << 18


@dataclass(frozen=True)
class Lack:
    """Why there is no such quantity, unless the method has certain options.

    Attributes
    ----------
    why : str
        A sentence.
    unless : mapping
        The options with which there is one; none where it is never there.
    """

    why: str
    _: KW_ONLY
    unless: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answer of a method to one table can be asked.

    A quantity exists where a type defines it: `draws`, `from_nuts` (what `sample` made),
    `leave_one_out`, `grown` or `likelihood_of_more` (for plans), `with_replicates`, `predict`,
    `simulate`, `under_other_priors`, `statistics` (for checks), and what users ask of one method.

    Attributes
    ----------
    method : Method
    results : Results
    answer : Answer
    """

    method: Any
    results: Results
    answer: Answer

    #: What only its answers tell, as files hold it.
    facts_type: ClassVar[type[Facts]] = Facts
    #: The option that weighs its prior, where there is one.
    weighed_by: ClassVar[str | None] = None
    #: What its answers lack that others have, and why.
    lacks: ClassVar[Mapping[str, Lack]] = MappingProxyType({})
    #: How `draws` are made; their tree records it.
    draws_are: ClassVar[str] = "conjugate"

    @property
    def data_scale(self) -> str | None:
        """What its likelihood of a dataset is the probability of, if other models may say that too.

        ``"statements"`` for the dataset's joint statement, whatever it is read from.
        """
        return None

    @cached_property
    def theta(self) -> DirichletMixture | None:
        """The distribution of θ, made again where a file gave the figures.

        None where the answer is of another kind, or came from draws (`Answer.tree`).
        """
        if self.answer.tree is not None or self.method.needs_mcmc:
            return None
        held = self.answer.posterior
        found = self.method.posterior(self.results) if held is None else held
        return None if isinstance(found, TestResult) else found

    def why_not(self, quantity: str) -> str:
        """Why this answer leaves out a quantity; empty where it does not."""
        lack = self.lacks.get(quantity)
        if lack is None:
            return ""
        options = [getattr(self.method, name) == value for name, value in lack.unless.items()]
        return "" if options and all(options) else lack.why

    def claim(self, statement: str) -> str:
        """Say a statement in words, as headlines do."""
        return claim_words(statement, self.results.algorithms, self.results.measures)

    def headline(self, decision: Decision) -> str:
        """Return the verdict where the question is not about a statement; else ""."""
        return ""

    @property
    def attrs(self) -> dict[str, Any]:
        """How the answer was made, for attributes of arrays and files."""
        answer, exactness = self.answer, "Monte Carlo, see mcse"
        if answer.exact or answer.resampled_pvalue:
            exactness = "exact" if answer.exact else "p-value from random resamples"
        attrs: dict[str, Any] = {
            "method": self.method.name,
            "options": str(self.method.options()),
            "exactness": exactness,
            "version": __version__,
        }
        return attrs if answer.seed is None else {**attrs, "seed": answer.seed}

    def over_statements(self, name: str, values: Any) -> xr.DataArray:
        """Return figures over "statement", with what each says of every measure."""
        import xarray as xr

        answer = self.answer
        coords: dict[str, Any] = {"statement": list(answer.labels)}
        # A question about all measures at once has no state for each.
        for measure, states in zip(self.results.measures, answer.states, strict=False):
            coords[measure] = ("statement", list(states))
        coords["count"] = ("statement", answer.counts)
        return xr.DataArray(np.array(values), coords, dims="statement", name=name, attrs=self.attrs)

    def leads(self) -> FloatArray:
        """P(each statement leads) given each draw of a sampled answer: (chain, draw, statement)."""
        assert self.answer.tree is not None, "only a sampled answer has draws"
        posterior = self.answer.tree["posterior"].to_dataset()
        if "theta" not in posterior or "statement" not in posterior["theta"].dims:
            raise BayescompareError(
                "the draws of this answer have no 'theta' over 'statement' from which to read who "
                "leads."
            )
        theta = posterior["theta"].transpose("chain", "draw", "statement")
        leads = sole_leader(theta.values).astype(np.float64)
        place = {str(label): k for k, label in enumerate(theta["statement"].values.tolist())}
        return np.asarray(leads[..., [place[label] for label in self.answer.labels]])

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the level for other data; None where that is slow.

        The function takes how many datasets more support the leading statement, and how many of
        its own went to the next one instead; it returns the statement's P, or the p-value.
        """
        return None

    def shares(self) -> list[Betas] | None:
        """Return each listed θ as a mixture of Betas; None where it has no such form."""
        return None

    def _best_and_next(self, decision: Decision) -> tuple[int, int | None]:
        """Places of the leading statement, and of the next one if there is any."""
        labels, runner_up = self.answer.labels, decision.runner_up
        after = None if runner_up is None else labels.index(runner_up[0])
        return labels.index(decision.statement), after


class ThetaPosterior(Posterior):
    """The posterior of θ as a mixture of Dirichlets, what it is asked written once for all."""

    @property
    def log_evidence(self) -> float | None:
        """The log evidence of its figures."""
        return self.answer.log_evidence

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset: given the others, and given all."""
        theta = self._known_for("exact loo with a custom prior")
        if theta.states is not None:
            raise BayescompareError(
                "loo: there are too many statements and datasets with gaps to leave each out "
                "exactly; pass tree=, from sample(), for PSIS."
            )
        return theta.leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return a function that adds datasets drawn from the predictive, and answers again.

        It gives the least P that a verdict rests on, so that a simulated verdict is settled when
        `decide` would call it so.
        """
        posterior = self._known_for("plan")
        listed = listed_in_answer(posterior.evidence)

        def simulate(more: int, rng: np.random.Generator) -> FloatArray:
            if posterior.components[0].lumps:
                return _least_of_grown(posterior, more, rng)
            theta = np.exp(posterior.draw(1, rng)[0, :-1])
            counts = rng.multinomial(more, theta / theta.sum()).astype(np.float64)
            return _least_of_both(posterior.with_more(counts))[listed]

        return simulate

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the least of P and its parts, under both priors."""
        posterior, (best, rival) = self.theta, self._best_and_next(decision)
        if posterior is None or rival is None or len(posterior.evidence.uncounted):
            return None

        def level(more: int, moved: int) -> float:
            change = np.zeros(posterior.counts.shape[1])
            change[best] += more - moved
            change[rival] += moved
            least, alone = 1.0, posterior.alone
            if alone is not None:
                # Where the pair's own prior alone leaves it open, that is all one needs to know.
                least = float(least_of_posterior(alone.with_more(change))[best])
                if least < SETTLED:
                    return least
            return min(least, float(least_of_posterior(posterior.with_more(change))[best]))

        return level

    def shares(self) -> list[Betas] | None:
        """Return each listed θ as a mixture of Betas; None where it has no such form."""
        if self.theta is None:
            return None
        return [self.theta.betas(s) for s in listed_in_answer(self.theta.evidence).tolist()]

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the weight of the prior; None where draws must be weighed for that.

        The attributes hold the bounds of the leading statement over all prior means of each
        weight, where every dataset was counted and the prior has a weight in datasets.
        """
        if self.theta is None:
            return None
        posterior = self.theta.alone or self.theta
        evidence, prior = posterior.evidence, posterior.prior
        listed = listed_in_answer(evidence)
        labels = [evidence.statements.labels[s] for s in listed.tolist()]
        # Beliefs are tried around their own weight.
        usual = FACTORS * (prior.weight if prior.weighed_by == WEIGHT else 1.0)
        at = usual if values is None else values

        def probabilities(value: float) -> FloatArray:
            return posterior.with_power(value / prior.weight).p_max()[:-1][listed]

        table = by_prior_weight(prior.weighed_by, at, labels, probabilities)
        if prior.weighed_by != POWER and not len(evidence.uncounted):
            best = self.answer.labels.index(decide(self.answer).statement)
            unlisted = bool(prior.components[0].lumps)
            bounds = [imprecise_bounds(evidence.counts, v, unlisted=unlisted) for v in at]
            table.attrs["lower"] = [float(lower[best]) for lower, _ in bounds]
            table.attrs["upper"] = [float(upper[best]) for _, upper in bounds]
        return table

    def _known_for(self, asked: str) -> DirichletMixture:
        if self.theta is None:
            raise unavailable(self.method, asked)
        return self.theta


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
        import pandas as pd

        asked = [name_in_file(each) for each in fields(FourQuestions)]
        figures = FourQuestions.of(self.answer).figures()
        best = decide(self.answer).statement
        return pd.Series({name: figures[name] for name in asked}, name=best, dtype=float)


class Tested(Posterior):
    """What a test can be asked: it has no posterior, and its p-value may follow for other data."""

    #: Whether its p-value is valid, so that corrections for many tests keep their promise.
    valid_pvalue: ClassVar[bool] = True

    @cached_property
    def test(self) -> TestResult | None:
        """What the test found, made again where a file gave the figures."""
        held = self.answer.posterior
        found = self.method.posterior(self.results) if held is None else held
        return found if isinstance(found, TestResult) else None

    @property
    def approximate(self) -> bool:
        """Whether its p-value is a large-sample approximation."""
        return self.test is not None and self.test.approximate

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """Return a function that gives the p-value for other data, as that of a posterior does."""
        given = None if self.test is None else self.test.level_given
        if given is None:
            return None
        best, rival = self._best_and_next(decision)

        def level(more: int, moved: int) -> float:
            after = self.answer.counts.copy()
            after[best] += more - moved
            if rival is not None:
                after[rival] += moved
            return given(after, best)

        return level


def likelihood_of(posterior: Posterior) -> Callable[[xr.Dataset], xr.DataArray] | None:
    """Return what gives the log likelihood by dataset; None where it is the PyMC model's own."""
    own = getattr(posterior, "pointwise", None)
    return None if own is None else own()


def by_prior_weight(
    name: str,
    values: FloatArray,
    labels: Sequence[str],
    probabilities: Callable[[float], Sequence[float] | FloatArray],
) -> pd.DataFrame:
    """Tabulate P of every statement by what weighs the prior."""
    import pandas as pd

    rows = [list(probabilities(value)) for value in values.tolist()]
    return pd.DataFrame(rows, index=pd.Index(values, name=name), columns=list(labels))


# the figures of an answer, read off θ ------------------------------------------------------------


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
    every, mcse, log_evidence = posterior.p_max(), posterior.mcse(), posterior.log_evidence
    own = None if alone is None else alone.p_max()[:-1]
    sure: dict[str, FloatArray] = {}
    if len(evidence.statements.measures) > 1:
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


# the least that a verdict rests on, of other data ------------------------------------------------


def least_of_posterior(posterior: DirichletMixture) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts: what a verdict rests on.

    Parts are left out where α differ among the unlisted, whose sums are no Dirichlet.
    """
    probability = posterior.p_max()[:-1]
    if len(posterior.evidence.statements.measures) == 1 or len(posterior.components[0].lumps) > 1:
        return probability
    return np.minimum(probability, posterior.parts().min(axis=1))


def _least_of_both(posterior: DirichletMixture) -> FloatArray:
    """The same under the learned prior and under the pair's own, where there are two."""
    least, alone = least_of_posterior(posterior), posterior.alone
    return least if alone is None else np.minimum(least, least_of_posterior(alone))


def _least_of_grown(posterior: DirichletMixture, more: int, rng: np.random.Generator) -> FloatArray:
    """The least P that a verdict rests on, with more datasets, some perhaps not listed before.

    The parts of statements that are listed later than the others are not known, and left out.
    """
    component = int(rng.choice(len(posterior.components), p=posterior.weight[:, 0]))
    drawn, (counts,) = posterior.components[component], posterior.counts
    after, new = grown_by_urn(drawn, counts, more, rng)
    added = len(new) - len(counts)
    if not added:
        return _least_of_both(posterior.with_more(new - counts))

    def listing_more(a: Component) -> Component:
        """List as many of the statements of its lump, which are alike."""
        ((log_alpha, log_size),) = a.lumps
        left = log_size + math.log1p(-added * math.exp(-log_size))
        return Component.listed(
            np.append(a.log_alpha, np.full(added, log_alpha)), (log_alpha, left)
        )

    least = np.ones(len(new))
    for each in (posterior, posterior.alone or posterior):
        grown = tuple(after if a is drawn else listing_more(a) for a in each.components)
        board = Board.of(replace(each.prior, components=grown), new[None])
        least = np.minimum(least, board.p_max()[0, :-1])
    return least


def grown_by_urn(
    component: Component, counts: FloatArray, number: int, rng: np.random.Generator
) -> tuple[Component, FloatArray]:
    """Add datasets one by one, as Pólya's urn does: θ is integrated out.

    One that falls among the statements of a lump lists a new one.
    """
    log_alpha, grown = list(component.log_alpha), list(counts)
    lumps = [list(lump) for lump in component.lumps]
    for _ in range(number):
        rest = [math.exp(a + size) if size > -math.inf else 0.0 for a, size in lumps]
        weights = np.append(np.exp(log_alpha) + grown, rest)
        ends = np.cumsum(weights)
        place = int(np.searchsorted(ends, rng.random() * weights.sum(), side="right"))
        if place < len(grown):
            grown[place] += 1.0
            continue
        lump = lumps[place - len(grown)]
        log_alpha.append(lump[0])
        grown.append(1.0)
        # Logarithm of one fewer: log(e^x − 1).
        left = -math.expm1(-lump[1]) if lump[1] > 0 else 0.0
        lump[1] = lump[1] + math.log(left) if left else -math.inf
    left_over = ((log_each, log_size) for log_each, log_size in lumps)
    return Component.listed(np.array(log_alpha), *left_over), np.array(grown)


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
        after = posterior.given(evidence)
    except TooManyVectors:
        if posterior.prior.own is not None:
            raise BayescompareError(
                "prior='learned': with these replicates there are too many count vectors; give "
                "prior='symmetric'."
            ) from None
        after = DrawnMixture.sampled(evidence, posterior.prior, rng, joint=posterior.joint)
    return _least_of_both(after)
