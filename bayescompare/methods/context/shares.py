r"""What the tests about shares of datasets have in common: the law with a few statements.

.. math:: \theta \sim \mathrm{Dirichlet}(b, \dots, b), \qquad
          p(\text{dataset } i \mid \theta) \propto \sum_s \theta_s\, \ell_i(s) ,

with two statements, of which the first has the share r, or three with a rope. The prior may be
given by b, learned from all pairs (SPEC 8: b = A/2 of two statements), or be any density of r.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from scipy.special import gammaln, logit, logsumexp

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.context.correlated_t import draw_statements
from bayescompare.kernels.context.poisson_binomial import (
    RatePosterior,
    RatePrior,
)
from bayescompare.kernels.leading import sole_leader
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.methods._shared.learned import place_learned_shares
from bayescompare.methods._shared.new_datasets import share_labels
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_prior_support,
    check_priors,
    constant_beta,
    draws_of_prior,
    log_density_of,
    place_prior,
    prior_options,
)
from bayescompare.methods._shared.trees import (
    draw_given_component,
    logit_prior,
    make_tree,
    ratio_prior,
)
from bayescompare.methods.context.comparison import (
    ContextDetails,
    ContextPosterior,
    context_words,
    rate_words,
)
from bayescompare.methods.context.probabilities import check_weight
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.columns import ALONE, theta_columns
from bayescompare.outcome.method import LEAST_PAIRS, Method, Sampling, Scope
from bayescompare.outcome.posterior import (
    FACTORS,
    ThetaPosterior,
    by_prior_weight,
    grown_by_resemblance,
    least_of_rows,
    resembling,
)
from bayescompare.outcome.registry import unavailable
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import POWER, DirichletPrior
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


_SAMPLE = ("chain", "draw")
#: Of the variables that draws of shares have.
_DIMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("r", "h", "same"), ()),
    **dict.fromkeys(("theta", "f"), ("statement",)),
}
#: A prior whose integral is further from 1 has mass that the quadrature does not see.
_EXACT = 1e-6
#: Draws that show where a prior is.
_HINTS = 200


@dataclass(frozen=True, kw_only=True)
class ShareTest(Method):
    """A test of the shares of datasets on which each statement about a pair holds."""

    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    #: Why the cut has no model.

    if TYPE_CHECKING:
        # Each test has them among its own options, in its own order.
        joint: bool
        b: float | tuple[float, float] | Literal["learned"]
        priors: Priors | None
    #: What `pairwise` learned for one pair, and for all, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)

    @abstractmethod
    def read(self, results: Results) -> Any:
        """Return what is taken from a table."""

    @abstractmethod
    def evidence_of(self, results: Results, seen: Any) -> Evidence:
        """Return what each dataset says for each statement, from what was read."""

    @abstractmethod
    def told(
        self, results: Results, seen: Any, given_all: FloatArray, figures: dict[str, Any]
    ) -> Answer:
        """Put figures, and P of each statement on each dataset (n, S), into an answer."""

    def evidence(self, results: Results) -> Evidence:
        """Return what each dataset says for each statement."""
        return self.evidence_of(results, self.read(results))

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
        for name in ("r", "theta"):
            if is_number(priors.get(name)):
                raise BayescompareError(f"priors[{name!r}] is a number: the test asks what it is.")
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
        if isinstance(weight, tuple):
            return weight
        return float(weight) if is_number(weight) else 1.0

    def alpha(self, size: int) -> FloatArray:
        """α of each statement, where nothing was learned."""
        if size == 3 and isinstance(self.weight, tuple):
            raise BayescompareError(
                f"b={self.b!r} is of two statements, and with a rope there are three: give one "
                "number, or priors={'theta': ...}."
            )
        return np.ones(size) * self.weight

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

    # the prior ------------------------------------------------------------------------------------

    def prior_components(self, size: int) -> tuple[FloatArray, FloatArray]:
        """Return α (A, S) of each component of the prior, and the weights of these."""
        if self.learned is None:
            return self.alpha(size)[None], np.ones(1)
        strength = np.array(self.learned.values)[:, None]
        return strength * np.exp(self.log_base(size)), self.learned.strength_weights

    def log_base(self, size: int) -> FloatArray:
        """Log α of each statement, or of what each learned strength multiplies."""
        if self.learned is None:
            return np.log(self.alpha(size))
        # Version 0.1.0 learned b itself.
        return np.log(list(self.learned.shares.values())) if self.learned.folds else np.zeros(size)

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(b, …, b), or what the pairs of a table taught."""
        size = evidence.statements.size
        base = Component.listed(self.log_base(size))
        if self.learned is None:
            prior = DirichletPrior.of(base)
            if isinstance(self.weight, tuple):
                return prior
            return replace(prior, weighed_by="b", weight=self.weight)
        own = replace(DirichletPrior.symmetric(1.0, size), weighed_by="b")
        return replace(self.learned.prior_on(base), own=own)

    def place_shares(self, statements: Statements) -> Any:
        """Place r, or with a rope θ, in the model in context; return θ over the statements."""
        import pymc as pm
        import pytensor.tensor as pt

        priors, size = self.priors or {}, statements.size
        if self.learned is not None:
            theta = place_learned_shares(self.learned, np.exp(self.log_base(size)))
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
            own = "b" in priors and self.needs_mcmc
            alpha = self.alpha(size)
            if own:
                alpha = _single("b", place_prior("b", priors["b"], ())) * alpha
            if size == 3:
                return pm.Dirichlet("theta", alpha, dims="statement")
            r = pm.Beta("r", alpha[0], alpha[1])
        return pt.stack([r, 1.0 - r])

    # what pairs teach each other ------------------------------------------------------------------

    @property
    def learns_from_pairs(self) -> bool:
        """Whether ``b="learned"``, and nothing was learned yet."""
        return self.b == "learned" and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each; of none, with the pair's own b = 1."""
        if not asked:
            return self if self.learned is None else replace(cast(Any, self), b=1.0, learned=None)
        if len(asked) < LEAST_PAIRS:
            raise _nothing_taught()
        own: ShareTest = replace(cast(Any, self), b=1.0)
        pairs = {}
        for results in asked:
            posterior = own.posterior(results)
            assert posterior is not None, "its prior is given by b"
            pairs[results.algorithms[0], results.algorithms[1]] = posterior
        taught = Learned.of(pairs)
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

    def posterior(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> DirichletMixture | None:
        """Return θ after the data; None where a prior of r of the user's makes it another kind."""
        if self.needs_mcmc or self.rate_prior is not None:
            return None
        return self.posterior_of(self.evidence(results), rng)

    def posterior_of(
        self, evidence: Evidence, rng: np.random.Generator | None = None
    ) -> DirichletMixture:
        """Return the same, where the evidence is known."""
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

    def rate_after(self, evidence: Evidence) -> RatePosterior:
        """Return r after the data, under the user's prior of it."""
        assert self.rate_prior is not None
        return RatePosterior.of(_alone(evidence)[:, 0], self.rate_prior)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(each statement is the most frequent): exactly, or from NUTS under a user's prior."""
        check_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
        seen = self.read(results)
        evidence = self.evidence_of(results, seen)
        if self.needs_mcmc:
            given_all, figures = self._sampled(results, evidence, sampling)
        elif self.rate_prior is not None:
            found = self.rate_after(evidence)
            given_all = _both(found.wins)
            rate = ContextDetails.of_rate(found.mean, found.sd, *found.quantile([0.025, 0.975]))
            figures = {
                "probability": np.array([found.first, found.second]),
                "log_evidence": found.log_evidence
                + float(logsumexp(evidence.rows[0], axis=1).sum()),
                "per_statement": rate.both,
                "facts": rate,
            }
        else:
            posterior = self.posterior_of(evidence, sampling.rng)
            given_all, figures = posterior.per_dataset(), _figures(posterior)
            if posterior.states is not None:
                figures["seed"] = sampling.seed
        return self.told(results, seen, given_all, figures)

    def _sampled(
        self, results: Results, evidence: Evidence, sampling: Sampling
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Figures from NUTS, with their Monte Carlo standard error."""
        model = self.model(results, "nuts")
        check_prior_support(self.priors or {}, self.parameters, model)
        # There is no answer yet.
        asked: Any = self.posterior_type(self, results, cast(Any, None))
        tree = asked.from_nuts(nuts.sample(sampling, model), sampling.rng)
        theta = shares_in(tree["posterior"].to_dataset())
        leads = sole_leader(theta).astype(np.float64)
        # Given the shares every dataset is known exactly.
        within = theta[..., None, :] * _alone(evidence)
        given_all = (within / within.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
        mean, (low, high) = theta.mean(axis=(0, 1)), np.quantile(theta, (0.025, 0.975), axis=(0, 1))
        sd = float(theta[..., 0].std()) if len(mean) == 2 else None
        rate = ContextDetails.of_rate(mean[0], sd, low[0], high[0])
        return given_all, {
            "probability": leads.mean(axis=(0, 1)),
            "mcse": nuts.nuts_monte_carlo_error(leads),
            "none_leads": 1.0 - float(leads.any(axis=-1).mean()),
            "per_statement": theta_columns(mean, low, high) if sd is None else rate.both,
            "facts": rate,
            "tree": tree,
            "seed": sampling.seed,
        }

    # words ----------------------------------------------------------------------------------------

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, what was learned, and what was assumed."""
        results, answer, decision = found
        verdict, *rest = context_words(results, answer, decision)
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


def rate_prior_of(value: Any) -> RatePrior | None:
    """Return the density of a prior of r; None where only NUTS can answer under it.

    Examples
    --------
    >>> import pymc as pm
    >>> round(rate_prior_of(pm.Uniform.dist(0.2, 0.6)).log_total, 12) == 0
    True
    """
    shape = constant_beta(value)
    if shape is not None and min(shape) > 0.0:
        return RatePrior.beta(*shape)
    density = log_density_of("r", value)
    if density is None:
        return None
    try:
        prior = RatePrior.of_rate(density, draws_of_prior("r", value, _HINTS))
        return prior if abs(prior.log_total) <= _EXACT else None
    except (ArithmeticError, BayescompareError):
        # No density anywhere, or no draws: the prior is all atoms, or improper.
        return None


def _figures(posterior: DirichletMixture) -> dict[str, Any]:
    """Return the figures of an answer: P(max), shares, and the rate of the first statement."""
    mean = posterior.mean()
    if len(mean) == 2:
        # Both shares sum to one.
        first = posterior.betas(0)
        rate = ContextDetails.of_rate(mean[0], first.sd, *first.quantile(np.array([0.025, 0.975])))
        columns = rate.both
    else:
        ends = posterior.intervals()
        columns = theta_columns(mean, *ends)
        rate = ContextDetails.of_rate(mean[0], None, *ends[:, 0])
    if posterior.alone is not None:
        columns = {ALONE: posterior.alone.p_max()[:-1], **columns}
    mcse = posterior.mcse()
    return {
        "probability": posterior.p_max()[:-1],
        "mcse": None if mcse is None else mcse[:-1],
        "log_evidence": posterior.log_evidence,
        "per_statement": columns,
        "facts": rate,
        "posterior": posterior,
    }


class SharePosterior(ContextPosterior, ThetaPosterior):
    """Shares of datasets after the data, and what each dataset is."""

    method: ShareTest

    weighed_by: ClassVar[str | None] = "b"
    draws_are: ClassVar[str] = "exact"

    @cached_property
    def seen(self) -> Evidence:
        """What each dataset says."""
        return self.method.evidence(self.results)

    def leads(self) -> FloatArray:
        """Whether each share is the largest, in each draw."""
        assert self.answer.tree is not None
        return sole_leader(shares_in(self.answer.tree["posterior"].to_dataset())).astype(np.float64)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact predictive densities of each dataset; under the user's prior of r by quadrature."""
        if self.method.needs_mcmc:
            raise unavailable(self.method, "exact loo with a custom prior")
        if self.method.rate_prior is None:
            return super().leave_one_out()
        found = self.method.rate_after(self.seen)
        each = np.logaddexp(*self.seen.rows[0].T)
        within = _alone(self.seen) @ [found.mean, 1.0 - found.mean]
        return each + found.log_predictive, each + np.log(within)

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Raise the user's prior of r to powers, exactly; b is varied otherwise."""
        prior = self.method.rate_prior
        if prior is None or self.answer.tree is not None:
            return super().under_other_priors(values)
        p = _alone(self.seen)[:, 0]

        def both(power: float) -> tuple[float, float]:
            found = RatePosterior.of(p, replace(prior, power=power))
            return found.first, found.second

        at = FACTORS if values is None else values
        return by_prior_weight(POWER, at, self.answer.labels, both)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the shares of datasets, and who is better on new datasets."""
        return share_labels(self, number, draws, rng)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets that resemble those seen, statement by statement."""
        if self.theta is not None:
            return grown_by_resemblance(self.theta)
        shares, rows = self.share_draws(), self.seen.rows
        wins = self.method.rate_after(self.seen).wins
        given_all = np.stack([wins, 1.0 - wins], axis=1)

        def simulate(more: int, rng: np.random.Generator) -> FloatArray:
            new = resembling(rows, given_all, shares(1, rng)[0], more, rng)
            return self.least_of(np.concatenate([rows, new], axis=1), rng)

        return simulate

    def share_draws(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what draws θ from its posterior, (draws, S)."""
        if self.method.needs_mcmc:
            raise BayescompareError("plan() needs the exact answer, and this prior needs NUTS.")
        if self.method.rate_prior is not None:
            rates = self.method.rate_after(self.seen).draw
            return lambda draws, rng: _both(rates(draws, rng))
        theta = self.theta
        assert theta is not None
        return lambda draws, rng: np.exp(theta.draw(draws, rng)[:, :-1])

    def least_of(self, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The least P that a verdict rests on, of other rows of evidence, (1, n, S)."""
        if self.method.rate_prior is not None:
            other = Evidence.from_rows(self.seen.statements, rows)
            found = self.method.rate_after(other)
            return np.array([found.first, found.second])
        assert self.theta is not None
        return least_of_rows(self.theta, rows, rng)

    @property
    def wins(self) -> pd.Series[float]:
        """P(the first is better on so many of the datasets seen): κ of Equation (5), exactly.

        Each dataset by itself in the formula; given all of them with ``joint=True``.
        """
        import pandas as pd

        theta = self.theta
        if theta is None or theta.states is not None:
            raise BayescompareError(
                "wins: their exact distribution is that of an answer by counts, under a prior b "
                "or a learned one; this answer came from another prior, or from draws."
            )
        number = len(self.results.datasets)
        weight = np.bincount(
            theta.counts[:, 0].astype(np.int64), theta.weight.sum(axis=0), number + 1
        )
        return pd.Series(weight, pd.RangeIndex(number + 1, name="wins"), name="probability")

    # draws ----------------------------------------------------------------------------------------

    @abstractmethod
    def complete(
        self, tree: xr.DataTree, statement: IntArray, rng: np.random.Generator
    ) -> xr.DataTree:
        """Draw what else the model has, given the shares and each dataset's statement."""

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw independently from the posterior, and from the prior where it has draws."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and a custom prior has no exact formula: use sample(), or the "
                "posterior kept as c.tree."
            )
        posterior, prior = self._drawn_shares((chains, draws), rng)
        statement = None
        if not self.method.joint:
            # The cut: each dataset's statement by its own data, and then the shares.
            alone = _alone(self.seen)
            size = alone.shape[1]
            statement = draw_statements(alone, np.ones((chains * draws, size)), rng)
            counts = (statement[:, :, None] == np.arange(size)).sum(axis=1)
            alpha = self.method.alpha(size)
            gammas = rng.standard_gamma(alpha + counts.reshape(chains, draws, size))
            posterior = {"theta": gammas / gammas.sum(axis=-1, keepdims=True)}
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
        return ratio_prior(logit_prior(tree, ["r"]), ["theta", "f"])

    def _drawn_shares(
        self, size: tuple[int, int], rng: np.random.Generator
    ) -> tuple[dict[str, AnyArray], dict[str, AnyArray]]:
        """Draw independently from the posterior, and once as many from the prior.

        What pairs taught has three further variables; see `draw_given_component`.
        """
        method, before = self.method, (1, size[1])
        if method.rate_prior is not None:
            after = method.rate_after(self.seen).draw(size[0] * size[1], rng).reshape(size)
            first = RatePosterior.of([], method.rate_prior).draw(size[1], rng)[None]
            return {"theta": _both(after)}, {"theta": _both(first)}
        theta = self.theta
        assert theta is not None, "asked only where the answer is exact"
        log_base = method.log_base(theta.evidence.statements.size)
        component, vector = theta.draw_place(size, rng)
        weights = np.exp(theta.prior.log_weight)
        chosen = rng.choice(len(weights), size=before, p=weights / weights.sum())
        both = (component, theta.counts[vector]), (chosen, np.zeros_like(log_base))
        posterior, prior = (
            dict(draw_given_component(log_base, method.learned, *drawn, rng)[0]) for drawn in both
        )
        return posterior, prior

    def _with_log_prior(self, tree: xr.DataTree) -> xr.DataTree:
        """Add the log prior of the shares, what was learned of their prior summed out.

        Where a pair may have no difference it is that of `f`, which has a density.
        """
        import xarray as xr

        posterior = tree["posterior"].to_dataset()
        name = "f" if "f" in posterior else "r" if "r" in posterior else "theta"
        if name == "f":
            theta = posterior["f"].transpose(*_SAMPLE, "statement").values
        else:
            theta = shares_in(posterior)
        logs = np.log(np.maximum(theta, np.finfo(np.float64).tiny))
        if self.method.rate_prior is not None:
            density = self.method.rate_prior.log_density(logit(theta[..., 0])) - logs.sum(axis=-1)
        else:
            alpha, weight = self.method.prior_components(theta.shape[-1])
            norm = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
            density = logsumexp(norm + logs @ (alpha - 1.0).T, b=weight, axis=-1)
        coords = {axis: posterior[axis].values for axis in _SAMPLE}
        found = xr.Dataset({name: (_SAMPLE, density)}, coords, {"sample_dims": list(_SAMPLE)})
        tree["log_prior"] = xr.DataTree(found)
        return tree


def shares_in(data: xr.Dataset) -> FloatArray:
    """Return the draws of θ (chain, draw, S): of two statements the first has the share r."""
    if "theta" in data:
        return np.asarray(data["theta"].transpose(*_SAMPLE, "statement").values)
    return _both(data["r"].transpose(*_SAMPLE).values)


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


def _both(r: FloatArray) -> FloatArray:
    return np.stack([r, 1.0 - r], axis=-1)


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
