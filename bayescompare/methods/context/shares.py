r"""What the tests about shares of datasets have in common: the law with a few statements.

.. math:: \theta \sim \mathrm{Dirichlet}(b, \dots, b), \qquad
          p(\text{dataset } i \mid \theta) \propto \sum_s \theta_s\, \ell_i(s) ,

with two statements, of which the first has the share r, or three with a rope. The prior may be
given by b, learned from all pairs (SPEC 8: b = A/2 of two statements), or be any density of r.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np

from bayescompare._checks import check_positive, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.context.rate_quadrature import RatePosterior, RatePrior, rate_posterior
from bayescompare.methods._shared.new_datasets import share_labels
from bayescompare.methods._shared.priors import Priors
from bayescompare.methods.context.scalars import RateScalars, rate_scalars
from bayescompare.methods.dirichlet.words import learned_pair_words
from bayescompare.outcome.columns import ALONE, theta_columns
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import LEAST_PAIRS, Method
from bayescompare.outcome.of_posterior import FACTORS
from bayescompare.outcome.posterior import Posterior, by_prior_weight
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.prior import POWER, DirichletPrior, Learned, LearnedPrior
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["SharePosterior", "ShareTest", "mixture_figures"]


class ShareTest(Method):
    """A test of the shares of datasets on which each statement about a pair holds."""

    joint: bool
    b: float | Literal["learned"]
    priors: Priors | None
    learned: LearnedPrior | None
    taught: Learned | None

    @abstractmethod
    def evidence(self, results: Results) -> Evidence:
        """Return what each dataset says for each statement."""

    # the prior ------------------------------------------------------------------------------------

    def check_weight(self) -> None:
        """Check b and what was learned, before anything is known of the data."""
        if isinstance(self.b, str) and self.b != "learned":
            raise BayescompareError(f"b={self.b!r}: must be a number > 0, or 'learned'.")
        if not isinstance(self.b, str):
            check_positive(b=self.b)
        elif not self.joint:
            raise BayescompareError(
                "b='learned' needs the full model, whose evidence is known: say joint=True too."
            )
        if self.learned is not None:
            if not isinstance(self.b, str):
                raise BayescompareError("learned= goes with b='learned'; pairwise() fills it in.")
            object.__setattr__(self, "learned", LearnedPrior.from_options(self.learned))

    @property
    def weight(self) -> float:
        """The parameter b that holds; where it was learned, 1 is the pair's own."""
        weight = (self.priors or {}).get("b", self.b)
        return float(weight) if is_number(weight) else 1.0

    @cached_property
    def rate_prior(self) -> RatePrior | None:
        """The user's prior of r, as a density for quadrature; None where there is none."""
        if "r" not in (self.priors or {}):
            return None
        from bayescompare.methods.context.rate_prior import rate_prior_of

        assert self.priors is not None
        return rate_prior_of(self.priors["r"])

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's makes the model one for NUTS."""
        own = any(not is_number(value) for value in (self.priors or {}).values())
        return own and self.rate_prior is None

    def log_base(self, statements: Statements) -> FloatArray:
        """Log α of each statement, or of what each learned strength multiplies."""
        if self.learned is None:
            return np.full(statements.size, np.log(self.weight))
        # Version 0.1.0 learned b itself.
        if not self.learned.folds:
            return np.zeros(statements.size)
        return self.learned.cells_of(statements)[1].log_alpha

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(b, …, b), or what the pairs of a table taught."""
        log_base = self.log_base(evidence.statements)
        base = Component.listed(log_base)
        if self.learned is None:
            prior = DirichletPrior.of(base)
            return replace(prior, weighed_by="b", weight=self.weight)
        own = replace(DirichletPrior.symmetric(1.0, len(log_base)), weighed_by="b")
        return replace(self.learned.prior_on(base), own=own)

    # what pairs teach each other ------------------------------------------------------------------

    @property
    def learns_from_pairs(self) -> bool:
        """Whether ``b="learned"``, and nothing was learned yet."""
        return self.b == "learned" and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each; of none, with the pair's own b = 1."""
        if not asked:
            test: Method = self
            return test if self.learned is None else replace(cast(Any, self), b=1.0, learned=None)
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
        test = replace(cast(Any, self), taught=taught)
        return test

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return the test with what others taught this pair."""
        if self.taught is None or pair is None:
            return self
        learned = self.taught.of_pair(pair)
        test: Method = replace(cast(Any, self), learned=learned, taught=None)
        return test

    def with_learned(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options with what was learned as JSON's own types, or without it."""
        rest = {k: v for k, v in options.items() if k not in ("learned", "taught")}
        return rest if self.learned is None else {**rest, "learned": self.learned.options()}

    # the posterior --------------------------------------------------------------------------------

    def posterior(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> DirichletMixture | None:
        """Return θ after the data; None where a prior of r of the user's makes it another kind."""
        if self.needs_mcmc or self.rate_prior is not None:
            return None
        if self.b == "learned" and self.learned is None:
            raise _nothing_taught()
        evidence = self.evidence(results)
        prior = self.prior_on(evidence)
        try:
            return DirichletMixture.of(evidence, prior, joint=self.joint)
        except TooManyVectors:
            if self.learned is not None:
                raise
            rng = np.random.default_rng(0) if rng is None else rng
            return DirichletMixture.sampled(evidence, prior, rng, joint=self.joint).refined(rng)

    def rate_after(self, results: Results) -> RatePosterior:
        """Return r after the data, under the user's prior of it."""
        assert self.rate_prior is not None
        return rate_posterior(self.alone(results), self.rate_prior)

    def alone(self, results: Results) -> FloatArray:
        """P(the first is better) on each dataset, by its own data."""
        return self.evidence(results).each_alone(np.ones(1))[:, 0]

    def share_draws(self, results: Results) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what draws θ from its posterior, (draws, S)."""
        if self.rate_prior is not None:
            rates = self.rate_after(results).draw
            return lambda draws, rng: _both(rates(draws, rng))
        posterior = self.posterior(results)
        assert posterior is not None
        return lambda draws, rng: np.exp(posterior.draw(draws, rng)[:, :-1])

    # words ----------------------------------------------------------------------------------------

    def say_learned(self, sentences: list[str], decision: Decision) -> list[str]:
        """Put in what was learned, after the verdict."""
        if self.learned is None:
            return sentences
        return [sentences[0], learned_pair_words(self.learned, decision), *sentences[1:]]


def mixture_figures(posterior: DirichletMixture) -> dict[str, Any]:
    """Return the figures of an answer: P(max), shares, and the rate of the first statement."""
    mean = posterior.mean()
    if len(mean) == 2:
        # Both shares sum to one.
        first = posterior.betas(0)
        low, high = first.quantile(np.array([0.025, 0.975]))
        rate = rate_scalars(mean[0], first.sd, low, high)
        columns = rate.both
    else:
        ends = posterior.intervals()
        columns = theta_columns(mean, *ends)
        low, high = map(float, ends[:, 0])
        rate = RateScalars(rate_mean=float(mean[0]), rate_lower=low, rate_upper=high)
    if posterior.alone is not None:
        columns = {ALONE: posterior.alone.p_max()[:-1], **columns}
    mcse = posterior.mcse()
    return {
        "probability": posterior.p_max()[:-1],
        "mcse": None if mcse is None else mcse[:-1],
        "log_evidence": posterior.log_evidence,
        "per_statement": columns,
        "scalars": rate,
        "posterior": posterior,
    }


def rate_figures(posterior: RatePosterior) -> dict[str, Any]:
    """Return the same of r under a prior of the user's."""
    found = posterior.joint
    rate = rate_scalars(found.mean, found.sd, *posterior.interval())
    return {
        "probability": np.array([found.first, found.second]),
        "log_evidence": found.log_evidence,
        "per_statement": rate.both,
        "scalars": rate,
    }


class SharePosterior(Posterior):
    """Shares of datasets after the data."""

    method: ShareTest

    weighed_by: ClassVar[str | None] = "b"
    draws_are: ClassVar[str] = "exact"

    def why_not(self, quantity: str) -> str:
        """Say what the formula leaves out, which cuts what the datasets would tell each other."""
        if quantity == "psis" and not self.method.joint:
            return "The formula is no likelihood times a prior."
        return super().why_not(quantity)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact predictive densities of each dataset; under the user's prior of r by quadrature."""
        if self.method.needs_mcmc:
            raise self.method.unavailable("exact loo with a custom prior")
        if self.method.rate_prior is None:
            return super().leave_one_out()
        found, evidence = self.method.rate_after(self.results).joint, self.method.evidence
        (rows,) = evidence(self.results).rows
        p = self.method.alone(self.results)
        each = np.logaddexp(*rows.T)
        within = found.mean * p + (1.0 - found.mean) * (1.0 - p)
        return each + found.log_predictive, each + np.log(within)

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Raise the user's prior of r to powers, exactly; b is varied otherwise."""
        prior = self.method.rate_prior
        if prior is None or self.answer.tree is not None:
            return super().under_other_priors(values)
        p = self.method.alone(self.results)

        def both(power: float) -> tuple[float, float]:
            found = rate_posterior(p, replace(prior, power=power)).joint
            return found.first, found.second

        at = FACTORS if values is None else values
        return by_prior_weight(POWER, at, self.answer.labels, both)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the shares of datasets, and who is better on new datasets."""
        return share_labels(self, number, draws, rng)

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw independently from the posterior, and from the prior where it has draws."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and a custom prior has no exact formula: use sample(), or the "
                "posterior kept as c.tree."
            )
        return self.exact_draws(draws, chains, rng)

    @abstractmethod
    def exact_draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw all that the model has."""

    def least_of(self, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The least P that a verdict rests on, of other rows of evidence, (1, n, S)."""
        from bayescompare.outcome.of_posterior import least_of_rows

        if self.method.rate_prior is not None:
            p = Evidence.from_rows(self._statements, rows).each_alone(np.ones(1))[:, 0]
            found = rate_posterior(p, self.method.rate_prior).joint
            return np.array([found.first, found.second])
        assert self.theta is not None
        return least_of_rows(self.theta, rows, rng)

    @property
    def _statements(self) -> Statements:
        return self.method.evidence(self.results).statements


def _both(r: FloatArray) -> FloatArray:
    return np.stack([r, 1.0 - r], axis=-1)


def _nothing_taught() -> BayescompareError:
    """Return the error of a weight that nothing has taught."""
    return BayescompareError(
        "b='learned' is learned from the pairs of a table, at least three: ask pairwise(), or "
        "give a number."
    )
