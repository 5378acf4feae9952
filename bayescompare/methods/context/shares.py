r"""What the tests about shares of datasets have in common: the law with a few statements.

.. math:: \theta \sim \mathrm{Dirichlet}(b, \dots, b), \qquad
          p(\text{dataset } i \mid \theta) \propto \sum_s \theta_s\, \ell_i(s) ,

with two statements, of which the first has the share r, or three with a rope. The prior may be
given by b, learned from all pairs (SPEC 8: b = A/2 of two statements), or be any density of r. A
test is what each dataset says by itself, `ShareTest.said`, and its own model and words.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import numpy as np
from scipy.special import gammaln, logit, logsumexp

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.context.correlated_t import draw_statements
from bayescompare.kernels.context.poisson_binomial import RatePosterior, RatePrior
from bayescompare.kernels.leading import sole_leader
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.methods._shared.pair_answer import leanings, pair_answer
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_prior_support,
    check_priors,
    place_prior,
    prior_options,
)
from bayescompare.methods._shared.simplex import place_learned_shares
from bayescompare.methods._shared.trees import (
    draw_given_component,
    make_tree,
    ratio_prior,
)
from bayescompare.methods.context.comparison import (
    ContextDetails,
    ContextPosterior,
    by_dataset,
    context_words,
    rate_words,
)
from bayescompare.methods.context.probabilities import check_weight
from bayescompare.methods.context.rate import RateTheta, both, rate_prior_of
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import ALONE, Answer, Found, theta_columns
from bayescompare.outcome.method import LEAST_PAIRS, Form, Method, Sampling, Scope
from bayescompare.outcome.posterior import Lack, ThetaPosterior, grown_by_resemblance
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import DirichletPrior
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr


_SAMPLE = ("chain", "draw")
#: Of the variables that draws of shares have.
_DIMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("r", "h", "same"), ()),
    **dict.fromkeys(("theta", "f"), ("statement",)),
}
_TAILS = np.array([0.025, 0.975])
#: Mean, ends of intervals, and the sd of the first of two.
type _Shares = tuple[FloatArray, FloatArray, float | None]
NO_MODEL = (
    "model() and sample() are of the full model, and this answer is by the formula that judges "
    "every dataset by its own data alone: say joint=True, or use draws(), which draws from the "
    "formula."
)
#: What the formula has not.
CUT_LACKS = {
    **dict.fromkeys(("model", "sample"), Lack(NO_MODEL, unless={"joint": True})),
    "psis": Lack("The formula is no likelihood times a prior.", unless={"joint": True}),
}


class Said(NamedTuple):
    """What each dataset says by itself.

    Attributes
    ----------
    rows : array (n, S)
        log ℓ of each statement.
    alone : array (n, S)
        P of each statement by the dataset's own data.
    columns : mapping
        What else is told of the datasets.
    """

    rows: FloatArray
    alone: FloatArray
    columns: dict[str, FloatArray]


@dataclass(frozen=True, kw_only=True)
class ShareTest(Method):
    """A test of the shares of datasets on which each statement about a pair holds."""

    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    if TYPE_CHECKING:
        # Each test has them among its own options, in its own order.
        joint: bool
        b: float | tuple[float, float] | Literal["learned"]
        priors: Priors | None
    #: What `pairwise` learned for one pair, and for all, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)

    @abstractmethod
    def said(self, results: Results) -> Said:
        """Return what each dataset says by itself."""

    @abstractmethod
    def build(self, results: Results, form: Form) -> pm.Model:
        """Build the full model."""

    @abstractmethod
    def own_words(self, results: Results, answer: Answer) -> list[str]:
        """Say what this test takes from each dataset, and what it ignores."""

    # choices --------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        check_flag(joint=self.joint)
        if isinstance(self.b, str) and self.b != "learned":
            raise BayescompareError(f"b={self.b!r}: must be a number > 0, or 'learned'.")
        if not isinstance(self.b, str):
            shape = check_weight(self.b)
            object.__setattr__(self, "b", self.b if is_number(self.b) else shape)
        elif not self.joint:
            raise BayescompareError(
                "b='learned' needs the full model, whose evidence is known: say joint=True too."
            )
        check_priors(self.priors, self.parameters)
        priors = self.priors or {}
        if len(priors) > 1:
            names = " and ".join(p.name for p in self.parameters if p.name in priors)
            raise BayescompareError(f"priors names {names}: each determines the others; give one.")
        if is_number(priors.get("r")):
            raise BayescompareError("priors['r'] is a number: the test asks what it is.")
        if priors and self.b != 1.0:
            raise BayescompareError(f"priors={list(priors)} replaces b={self.b!r}: give one.")
        if not (self.joint or all(map(is_number, priors.values()))):
            raise BayescompareError(
                f"priors={list(priors)}: the formula that judges each dataset by itself is not a "
                "model that takes a prior; use joint=True."
            )
        if self.learned is not None:
            if not isinstance(self.b, str):
                raise BayescompareError("learned= goes with b='learned'; pairwise() fills it in.")
            object.__setattr__(self, "learned", LearnedPrior.from_options(self.learned))

    def options(self) -> dict[str, Any]:
        """Return the choices by name, with what was learned; a prior that is an object is named."""
        options = {**super().options(), "priors": prior_options(self.priors)}
        del options["taught"], options["learned"]
        return options if self.learned is None else options | {"learned": self.learned.options()}

    @property
    def weight(self) -> float | tuple[float, float]:
        """The parameter b that holds; where it was learned, 1 is the pair's own."""
        weight = (self.priors or {}).get("b", self.b)
        return weight if isinstance(weight, tuple) or is_number(weight) else 1.0

    @cached_property
    def rate_prior(self) -> RatePrior | None:
        """The user's prior of r, as a density for quadrature; None where there is none."""
        given = (self.priors or {}).get("r")
        return None if given is None else rate_prior_of(given)

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's makes the model one for NUTS."""
        own = any(not is_number(value) for value in (self.priors or {}).values())
        return own and self.rate_prior is None

    # evidence, prior, posterior -------------------------------------------------------------------

    def evidence(self, results: Results) -> Evidence:
        """Return what each dataset says for each statement."""
        return self._evidence(results, self.said(results).rows)

    def _evidence(self, results: Results, rows: FloatArray) -> Evidence:
        (measure,) = results.measures
        rope = results[measure].rope or None
        statements = Statements.without_data(results.algorithms, {measure: rope})
        return Evidence.from_rows(replace(statements, datasets=results.datasets), rows)

    def alpha(self, size: int) -> FloatArray:
        """α of each statement, where nothing was learned."""
        if size == 3 and isinstance(self.weight, tuple):
            raise BayescompareError(
                f"b={self.b!r} is of two statements, and with a rope there are three: give one "
                "number, or priors={'theta': ...}."
            )
        return np.ones(size) * self.weight

    def base(self, size: int) -> FloatArray:
        """α of each statement, or what each learned strength multiplies."""
        if self.learned is None:
            return self.alpha(size)
        # Version 0.1.0 learned b itself.
        return np.array(list(self.learned.shares.values())) if self.learned.folds else np.ones(size)

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(b, …, b), or what the pairs of a table taught."""
        size = evidence.statements.size
        own = DirichletPrior.of(Component.listed(np.log(self.alpha(size))))
        if isinstance(self.weight, tuple):
            return own
        own = replace(own, weighed_by="b", weight=self.weight)
        if self.learned is None:
            return own
        return replace(self.learned.prior_on(Component.listed(np.log(self.base(size)))), own=own)

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> Any:
        """Return θ after the data; None where a prior of the user's needs NUTS."""
        return None if self.needs_mcmc else self._posterior(self.evidence(results), rng)

    def _posterior(
        self, evidence: Evidence, rng: np.random.Generator | None
    ) -> DirichletMixture | RateTheta:
        if self.rate_prior is not None:
            return RateTheta(evidence, self.rate_prior)
        if self.b == "learned" and self.learned is None:
            raise _nothing_taught()
        prior = self.prior_on(evidence)
        try:
            return DirichletMixture.of(evidence, prior, joint=self.joint)
        except TooManyVectors:
            if self.learned is not None:
                raise
            rng = np.random.default_rng(0) if rng is None else rng
            return DrawnMixture.sampled(evidence, prior, rng, joint=self.joint).refined(rng)

    # what pairs teach each other ------------------------------------------------------------------

    @property
    def learns_from_pairs(self) -> bool:
        """Whether ``b="learned"``, and nothing was learned yet."""
        return self.b == "learned" and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each; of none, with the pair's own b = 1."""
        own: ShareTest = replace(cast(Any, self), b=1.0, learned=None)
        if not asked:
            return self if self.learned is None else own
        if len(asked) < LEAST_PAIRS:
            raise _nothing_taught()
        taught = Learned.of({(r.algorithms[0], r.algorithms[1]): own.posterior(r) for r in asked})
        if taught is None:
            raise BayescompareError(
                "b='learned': there are too many datasets for the exact evidence, from which pairs "
                "teach each other; give b as a number."
            )
        return replace(self, taught=taught)

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return the test with what others taught this pair."""
        if self.taught is None or pair is None:
            return self
        return replace(self, learned=self.taught.of_pair(pair), taught=None)

    # the answer -----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(each statement is the most frequent): exactly, or from NUTS under a user's prior."""
        check_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
        said = self.said(results)
        evidence = self._evidence(results, said.rows)
        found = self._sampled if self.needs_mcmc else self._exact
        given_all, (mean, ends, sd), figures = found(results, evidence, sampling)
        columns = {**said.columns, "probability": given_all[:, 0]}
        if given_all.shape[1] == 3:
            columns |= {"equivalent": given_all[:, 1], "second_better": given_all[:, 2]}
        if self.joint:
            columns["alone"] = said.alone[:, 0]
        low, high = ends[:, 0].tolist()
        facts = ContextDetails(
            rate_mean=float(mean[0]),
            rate_sd=sd,
            rate_lower=low,
            rate_upper=high,
            per_dataset=by_dataset(**columns),
        )
        shares = facts.both if len(mean) == 2 else theta_columns(mean, *ends)
        figures["per_statement"] = figures.get("per_statement", {}) | shares
        return pair_answer(results, leanings(said.alone), facts=facts, **figures)

    def _exact(
        self, results: Results, evidence: Evidence, sampling: Sampling
    ) -> tuple[FloatArray, _Shares, dict[str, Any]]:
        """P of each statement on each dataset; mean, ends and sd of the shares; and figures.

        Of two shares, which sum to one, only the first is looked at.
        """
        posterior = self._posterior(evidence, sampling.rng)
        mean, mcse = posterior.mean(), posterior.mcse()
        shares: _Shares
        if isinstance(posterior, RateTheta) or len(mean) == 2:
            first = posterior.betas(0)
            shares = mean, first.quantile(_TAILS)[:, None], first.sd
        else:
            shares = mean, posterior.intervals(), None
        figures: dict[str, Any] = {
            "probability": posterior.p_max()[:-1],
            "mcse": None if mcse is None else mcse[:-1],
            "log_evidence": posterior.log_evidence,
            "posterior": posterior,
            "seed": None if posterior.states is None else sampling.seed,
        }
        if posterior.alone is not None:
            figures["per_statement"] = {ALONE: posterior.alone.p_max()[:-1]}
        return posterior.per_dataset(), shares, figures

    def _sampled(
        self, results: Results, evidence: Evidence, sampling: Sampling
    ) -> tuple[FloatArray, _Shares, dict[str, Any]]:
        """The same from NUTS, with the Monte Carlo standard error."""
        model = self.model(results, "nuts")
        check_prior_support(self.priors or {}, self.parameters, model)
        # There is no answer yet.
        asked: Any = self.posterior_type(self, results, cast(Any, None))
        tree = asked.from_nuts(nuts.sample(sampling, model), sampling.rng)
        theta = shares_in(tree["posterior"].to_dataset())
        # Given the shares every dataset is known exactly.
        within = theta[..., None, :] * _alone(evidence)
        given_all = (within / within.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
        ends = np.quantile(theta, _TAILS, axis=(0, 1))
        sd = float(theta[..., 0].std()) if theta.shape[-1] == 2 else None
        shares = theta.mean(axis=(0, 1)), ends, sd
        return given_all, shares, nuts.figures_of(tree, sole_leader(theta), sampling)

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the full model; the formula has none."""
        if not self.joint:
            raise BayescompareError(NO_MODEL)
        return self.build(results, form)

    def place_shares(self, statements: Statements) -> Any:
        """Place r, or with a rope θ, in the model in context; return θ over the statements."""
        import pymc as pm
        import pytensor.tensor as pt

        priors, size = self.priors or {}, statements.size
        if self.learned is not None:
            theta = place_learned_shares(self.learned, self.base(size))
            if size == 2:
                pm.Deterministic("r", theta[0])
            return theta
        if "theta" in priors:
            theta = place_prior("theta", priors["theta"], ("statement",))
            length = theta.type.shape[-1] if theta.ndim == 1 else None
            if theta.ndim != 1 or length not in (None, size):
                raise BayescompareError(
                    f"priors['theta'] must be a vector over the {size} statements "
                    f"{', '.join(statements.labels)}; its shape is {theta.type.shape}."
                )
            return theta
        if "r" in priors:
            r = _single("r", place_prior("r", priors["r"], ()))
        else:
            alpha = self.alpha(size)
            if self.needs_mcmc:
                alpha = _single("b", place_prior("b", priors["b"], ())) * alpha
            if size == 3:
                return pm.Dirichlet("theta", alpha, dims="statement")
            r = pm.Beta("r", alpha[0], alpha[1])
        return pt.stack([r, 1.0 - r])

    # words ----------------------------------------------------------------------------------------

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, what was learned, and what was assumed."""
        results, answer, decision = found
        verdict, *rest = context_words(found)
        learned = [] if self.learned is None else [learned_pair_words(self.learned, decision)]
        sentences = [verdict, *learned, *rest, rate_words(answer, decision)]
        if self.priors:
            sentences.append(f"You chose the prior of {join_names(list(self.priors))}.")
        if isinstance(self.b, tuple):
            favoured = results.algorithms[int(self.b[1] > self.b[0])]
            sentences.append(
                f"The prior of the share of datasets is Beta{self.b}, which favours {favoured} "
                "before any data."
            )
        if self.joint:
            sentences.append(
                "The datasets inform each other: one in doubt is drawn to what the others say."
            )
        return sentences + self.own_words(results, answer)


class SharePosterior(ContextPosterior, ThetaPosterior):
    """Shares of datasets after the data, and what each dataset is."""

    method: ShareTest

    weighed_by: ClassVar[str | None] = "b"
    draws_are: ClassVar[str] = "exact"
    lacks: ClassVar[Mapping[str, Lack]] = CUT_LACKS

    @cached_property
    def theta(self) -> Any:
        """The distribution of θ: a `DirichletMixture`, or a `RateTheta`."""
        return super().theta

    @cached_property
    def seen(self) -> Evidence:
        """What each dataset says."""
        return self.method.evidence(self.results)

    def leads(self) -> FloatArray:
        """Whether each share is the largest, in each draw."""
        assert self.answer.tree is not None
        return sole_leader(shares_in(self.answer.tree["posterior"].to_dataset())).astype(np.float64)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets that resemble those seen, statement by statement."""
        return grown_by_resemblance(self._known_for("plan"))

    @property
    def wins(self) -> pd.Series[float]:
        """P(the first is better on so many of the datasets seen): κ of Equation (5), exactly.

        Each dataset by itself in the formula; given all of them with ``joint=True``.
        """
        import pandas as pd

        theta = self.theta
        if not isinstance(theta, DirichletMixture) or theta.states is not None:
            raise BayescompareError(
                "wins: their exact distribution is that of an answer by counts, under a prior b "
                "or a learned one; this answer came from another prior, or from draws."
            )
        number = len(self.results.datasets)
        wins = theta.counts[:, 0].astype(np.int64)
        weight = np.bincount(wins, theta.weight.sum(axis=0), number + 1)
        return pd.Series(weight, pd.RangeIndex(number + 1, name="wins"), name="probability")

    # draws ----------------------------------------------------------------------------------------

    @abstractmethod
    def complete(
        self, tree: xr.DataTree, statement: IntArray, rng: np.random.Generator
    ) -> xr.DataTree:
        """Draw what else the model has, given the shares and each dataset's statement."""

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw independently from the posterior, and from the prior where it has draws."""
        if self.theta is None:
            raise BayescompareError(
                "draws() are exact, and a custom prior has no exact formula: use sample(), or the "
                "posterior kept as c.tree."
            )
        posterior, prior, statement = self._drawn_shares((chains, draws), rng)
        for variables in (posterior, prior):
            variables.pop("log_theta", None)
            if variables["theta"].shape[-1] == 2:
                variables["r"] = variables["theta"][..., 0]
        labels = list(self.seen.statements.labels)
        tree = make_tree({"posterior": posterior, "prior": prior}, _DIMS, {"statement": labels})
        return self._finished(self._with_log_prior(tree), statement, rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Draw what each dataset is back, given NUTS's shares."""
        tree = self._with_log_prior(tree) if self.method.learned is not None else tree
        return self._finished(tree, None, rng)

    def _finished(
        self, tree: xr.DataTree, statement: IntArray | None, rng: np.random.Generator
    ) -> xr.DataTree:
        if statement is None:
            theta = shares_in(tree["posterior"].to_dataset())
            flat = theta.reshape(-1, theta.shape[-1])
            statement = draw_statements(_alone(self.seen), flat, rng)
        tree = self.complete(tree, statement, rng)
        # As those of logits or of log ratios, which may be raised to powers.
        return ratio_prior(tree, ["r", "theta", "f"])

    def _drawn_shares(
        self, size: tuple[int, int], rng: np.random.Generator
    ) -> tuple[dict[str, AnyArray], dict[str, AnyArray], IntArray | None]:
        """Draw independently from the posterior, and once as many from the prior.

        What pairs taught has three further variables; see `draw_given_component`. In the cut each
        dataset's statement is drawn first, by its own data.
        """
        method, theta, (chains, draws) = self.method, self.theta, size
        if isinstance(theta, RateTheta):
            after = theta.found.draw(chains * draws, rng).reshape(size)
            before = RatePosterior.of([], theta.prior).draw(draws, rng)[None]
            return {"theta": both(after)}, {"theta": both(before)}, None
        component, vector = theta.draw_place(size, rng)
        counts, statement = theta.counts[vector], None
        states = np.arange(counts.shape[-1])
        if not method.joint:
            even = np.ones((chains * draws, len(states)))
            statement = draw_statements(_alone(self.seen), even, rng)
            counts = (statement[:, :, None] == states).sum(axis=1).reshape(counts.shape)
        weights = np.exp(theta.prior.log_weight)
        chosen = rng.choice(len(weights), size=(1, draws), p=weights / weights.sum())
        log_base = np.log(method.base(len(states)))
        posterior, prior = (
            dict(draw_given_component(log_base, method.learned, place, counted, rng)[0])
            for place, counted in ((component, counts), (chosen, np.zeros(len(states))))
        )
        return posterior, prior, statement

    def _with_log_prior(self, tree: xr.DataTree) -> xr.DataTree:
        """Add the log prior of the shares, what was learned of their prior summed out.

        Where a pair may have no difference it is that of `f`, which has a density.
        """
        import xarray as xr

        posterior, method = tree["posterior"].to_dataset(), self.method
        name = "f" if "f" in posterior else "r" if "r" in posterior else "theta"
        theta = shares_in(posterior.assign(theta=posterior["f"]) if name == "f" else posterior)
        logs = np.log(np.maximum(theta, np.finfo(np.float64).tiny))
        if method.rate_prior is not None:
            density = method.rate_prior.log_density(logit(theta[..., 0])) - logs.sum(axis=-1)
        else:
            learned, alpha, weight = method.learned, method.base(theta.shape[-1]), np.ones(1)
            if learned is not None:
                alpha, weight = np.outer(learned.values, alpha), learned.strength_weights
            norm = gammaln(alpha.sum(axis=-1)) - gammaln(alpha).sum(axis=-1)
            each = norm + logs @ (np.atleast_2d(alpha) - 1.0).T
            density = logsumexp(each, b=weight, axis=-1)
        coords = {axis: posterior[axis].values for axis in _SAMPLE}
        found = xr.Dataset({name: (_SAMPLE, density)}, coords, {"sample_dims": list(_SAMPLE)})
        tree["log_prior"] = xr.DataTree(found)
        return tree


def shares_in(data: xr.Dataset) -> FloatArray:
    """Return the draws of θ (chain, draw, S): of two statements the first has the share r."""
    if "theta" in data:
        return np.asarray(data["theta"].transpose(*_SAMPLE, "statement").values)
    return both(data["r"].transpose(*_SAMPLE).values)


def add_groups(
    tree: xr.DataTree,
    groups: Mapping[str, Mapping[str, tuple[tuple[str, ...], AnyArray]]],
    coords: Mapping[str, Sequence[Any]],
) -> xr.DataTree:
    """Add variables to the groups of a tree, with their dims after those of its draws.

    What is there already, because NUTS or a model of the user's drew it, stays as it is.
    """
    import xarray as xr

    for group, variables in groups.items():
        if group == "log_likelihood" and group in tree:
            continue
        data = tree[group].to_dataset() if group in tree else xr.Dataset()
        sample = () if group == "observed_data" else _SAMPLE
        for name, (dims, values) in variables.items():
            if name not in data:
                data[name] = ((*sample, *dims), values)
        there = {axis: np.arange(data.sizes[axis]) for axis in sample if axis not in data.coords}
        known = {axis: list(coords[axis]) for axis in coords if axis in data.dims}
        data.attrs.setdefault("sample_dims", list(sample))
        tree[group] = xr.DataTree(data.assign_coords({**there, **known}))
    return tree


def _alone(evidence: Evidence) -> FloatArray:
    """P of each statement on each dataset by its own data, (n, S)."""
    return evidence.each_alone(np.ones(1))


def _single(name: str, placed: Any) -> Any:
    if placed.ndim:
        raise BayescompareError(
            f"priors[{name!r}] has shape {placed.type.shape}: {name} is one number for all "
            "datasets; give a distribution of a single value."
        )
    return placed


def _nothing_taught() -> BayescompareError:
    """Return the error of a weight that nothing has taught."""
    return BayescompareError(
        "b='learned' is learned from the pairs of a table, at least three: ask pairwise(), or "
        "give a number."
    )
