r"""Generalised stochastic dominance as a generative model: the Bayesian bootstrap over datasets.

Story: the datasets seen are the support of the population of datasets. Nothing is known of their
weights p beforehand, and each was drawn once: :math:`p \mid \text{data} \sim
\mathrm{Dirichlet}(1, \dots, 1)`. Each draw of weights makes one distribution of quality vectors for
every algorithm, of which it is known who dominates whom:

.. math:: \mathrm{opt}_{ij}(p) = \min_{u \in N^\delta} \sum_l p_l\,(u(x_l) - u(y_l)) .

So it has a probability that one dominates the other, and that they are incomparable. Only the
programme's objective changes from draw to draw.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022) for the order; Rubin (1981), The Bayesian bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._checks import check_count, check_positive, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.kernels.dirichlet.draws import draw_urn_cells, polya_urn
from bayescompare.kernels.gsd.optimum import both_optima
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.methods._shared.new_datasets import sampled_posterior, thinned_draws
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_support,
    check_priors,
    constant_dirichlet,
    prior_options,
)
from bayescompare.methods._shared.simplex import DRAWN, WEIGHT, weights_alpha
from bayescompare.methods.gsd import GsdMethod
from bayescompare.methods.gsd.comparison import OPTIMUM, Dominance, with_optima
from bayescompare.methods.gsd.problem import DominanceProblem, PairDetails
from bayescompare.methods.gsd.words import bootstrap_words, methods_text_of_bootstrap
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Facts, Found
from bayescompare.outcome.method import Accepts, Form, Parameter, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import Lack, Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: Draws of weights by which each simulated table of a plan is judged; P errs by at most 0.035.
_PLAN_DRAWS = 200

_LACKS = {
    "loo": Lack(
        "By the bootstrap a dataset that was not seen has no weight, so that each one left out is "
        "impossible given the others."
    ),
    "evidence": Lack(
        "The likelihood is that each dataset was drawn once, whatever its results, so that the "
        "evidence depends on their number alone."
    ),
    "simulate": Lack("The prior is of the weights of the datasets seen, and knows no others."),
    "psis": Lack("A dataset left out would have no weight."),
    "prior_predictive": Lack(
        "the prior of weight is improper at concentration <= 1 and predicts nothing: give a larger "
        "concentration, or priors={'weight': pm.Dirichlet.dist(np.ones(n))} for n datasets."
    ),
}


class BootstrapResult(Dominance):
    """The weights of the datasets after the data, and the relation under each."""

    facts_type: ClassVar[type[Facts]] = PairDetails

    method: GSDBootstrap

    weighed_by: ClassVar[str | None] = "concentration"
    lacks: ClassVar[Mapping[str, Lack]] = _LACKS

    @cached_property
    def problem(self) -> DominanceProblem:
        """The system of the two, which keeps what it learned."""
        return self.method.pair(self.results)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets of the kinds seen, drawn by the weights, and judge all again."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "plan() needs a posterior in closed form, and this prior needs NUTS."
            )
        alpha, problem = self.method.weight_alpha(self.results), self.problem

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            more = rng.multinomial(number, rng.dirichlet(alpha))
            held = problem.held(rng.dirichlet(alpha + more, size=_PLAN_DRAWS))
            return np.asarray(held.mean(axis=0))

        return simulate

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Compare both optima of the data with those of as many datasets drawn by the weights."""
        drawn = tree["prior_predictive" if prior else "posterior_predictive"][DRAWN]
        picked = drawn.transpose("chain", "draw", "dataset").values
        n = picked.shape[-1]
        times = np.stack([(picked == k).sum(axis=-1) for k in range(n)], axis=-1)
        pair, w = self.problem, self.problem.system.objective(times.reshape(-1, n) / n)
        found = both_optima(pair.solver, w, pair.used_delta)
        return {
            f"{OPTIMUM} of {label}": (found[:, k], pair.opt[k])
            for k, label in enumerate(pair.directions)
        }

    def leads(self) -> FloatArray:
        """Which relation holds under the weights of each draw."""
        assert self.answer.tree is not None
        held = _held_in_tree(self.problem, self.answer.tree)
        return held[..., [self.problem.relations.index(label) for label in self.answer.labels]]

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the weights, and opt in both directions."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and this prior has no posterior in closed form: use sample(), "
                "or the posterior kept as c.tree."
            )
        return super().draws(draws, chains, rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Add both optima under NUTS's weights."""
        return with_optima(self.problem, tree)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw new datasets among those seen, and how the two algorithms compare on each.

        On one dataset an algorithm dominates the other if it is at least as good on every measure
        and better on one: the order of two point masses.
        """
        first, second = self.results.oriented().transpose(1, 0, 2)
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
        ahead, behind = (first - second > noise).any(axis=1), (second - first > noise).any(axis=1)
        above, apart, below, equal = self.problem.relations
        on_each = np.array([equal, above, below, apart], dtype=np.str_)[ahead + 2 * behind]
        if self.method.needs_mcmc:
            weights = thinned_draws(sampled_posterior(self.answer)[WEIGHT], draws, rng)
            return np.asarray(on_each[draw_urn_cells(weights, number, rng)])
        alpha = self.method.weight_alpha(self.results)
        drawn = polya_urn(np.log(alpha), np.zeros_like(alpha), draws, number, rng)
        return np.asarray(on_each[np.take_along_axis(*drawn, axis=1)])


@dataclass(frozen=True, kw_only=True)
class GSDBootstrap(GsdMethod):
    """How probable is it that one algorithm dominates the other, or that neither does?

    Parameters
    ----------
    delta, epsilon, rule, system, prefers, prefers_more
        As for `GSD`.
    resamples : int
        Draws of the datasets' weights; the figures carry their Monte Carlo error.
    concentration : float
        Parameter c of the posterior Dirichlet(c, …, c) of the weights. 1 is Rubin's bootstrap; a
        smaller one widens it: (n − 4)/n with n datasets has the variance of Student's t.
    priors : mapping, optional
        ``{"weight": prior}``: a prior of the datasets' weights in place of Dirichlet(c − 1). A
        Dirichlet stays conjugate; with any other the answer comes from NUTS, and says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci")
    >>> method = bc.methods.GSDBootstrap(delta=0, resamples=200)
    >>> c = bc.compare(results, method=method, algorithms=["GBM", "CART"], rng=1)
    >>> c.best, bool(c.probability.max() > 0.9)
    ('GBM>CART', True)
    """

    name: ClassVar[str] = "gsd-bootstrap"
    title: ClassVar[str] = title_in_registry("gsd-bootstrap")
    citations: ClassVar[tuple[str, ...]] = (
        "jansen2022gsd",
        "rubin1981bootstrap",
    )
    posterior_type: ClassVar[type[Posterior]] = BootstrapResult
    phrases: ClassVar[Phrases] = Phrases(
        reference="Jansen et al. (2022); Rubin (1981)",
        levers="another δ, a measure taken as ordinal or metric, or more datasets",
        verdict="is the most probable relation",
    )
    accepts: ClassVar[Accepts] = Accepts(forms=("textbook", "nuts"), predicts="nuts")
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            WEIGHT,
            ("dataset",),
            "Dirichlet(c - 1), improper at c = 1",
            "share of each dataset's kind in the population",
            high=1.0,
            simplex=True,
        ),
    )
    scope: ClassVar[Scope] = Scope(pair=True, question=True)

    resamples: int = 2000
    concentration: float = 1.0
    priors: Priors | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(resamples=self.resamples)
        check_positive(concentration=self.concentration)
        check_priors(self.priors, self.parameters)
        if is_number((self.priors or {}).get(WEIGHT)):
            raise BayescompareError(
                "priors['weight'] is a number: give the concentration= of the weights, or a "
                "distribution such as pm.Dirichlet.dist(np.ones(16))."
            )
        if self.priors and self.concentration != 1.0:
            raise BayescompareError(
                f"priors={list(self.priors)} replaces concentration={self.concentration!r}: give "
                "one."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return {**super().options(), "priors": prior_options(self.priors)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is no Dirichlet, so that NUTS is needed."""
        return bool(self.priors) and constant_dirichlet((self.priors or {})[WEIGHT]) is None

    def weight_alpha(self, results: Results) -> FloatArray:
        """Parameters of the posterior of the weights: the prior's, and one for each dataset."""
        if self.priors:
            return weights_alpha(self.priors[WEIGHT], len(results.datasets), "dataset") + 1.0
        return np.full(len(results.datasets), float(self.concentration))

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Share of the drawn weights at which each relation holds, with its Monte Carlo error."""
        pair, tree = self.pair(results), None
        if self.needs_mcmc:
            model = self.model(results, "nuts")
            check_prior_support(self.priors or {}, self.parameters, model)
            tree = with_optima(pair, nuts.sample(sampling, model))
            each = _held_in_tree(pair, tree)
            share, mcse = each.mean(axis=(0, 1)), nuts.nuts_monte_carlo_error(each)
        else:
            weights = sampling.rng.dirichlet(self.weight_alpha(results), size=self.resamples)
            held, n = pair.held(weights), self.resamples
            # Where no draw or every draw has it the error is not zero but unknown: Laplace's rule.
            share, smooth = held.mean(axis=0), (held.sum(axis=0) + 1.0) / (n + 2.0)
            known = np.where((share > 0) & (share < 1), share, smooth)
            mcse = np.sqrt(known * (1.0 - known) / n)
        kept = [k for k in range(4) if k < 3 or share[k] > 0]
        first, second = pair.dominates
        now = [first and not second, not (first or second), second and not first, first and second]
        return Answer(
            labels=tuple(pair.relations[k] for k in kept),
            states=(),
            counts=np.array([float(len(results.datasets)) * now[k] for k in kept]),
            n_statements=len(kept),
            n_observed=1,
            probability=share[kept],
            mcse=mcse[kept],
            facts=PairDetails(pair.used_delta, pair.delta_max, pair.dominates),
            tree=tree,
            seed=sampling.seed,
        )

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model, with both optima as functions of the weights.

        In the form for NUTS without them: `sample` adds them for all draws at once.
        """
        from bayescompare.methods.gsd.model import build_bootstrap

        return build_bootstrap(self, results, optimum=form == "textbook")

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text_of_bootstrap(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say which relation is the most probable, and what the bootstrap takes for granted."""
        return bootstrap_words(self, *found)


def _held_in_tree(pair: DominanceProblem, tree: xr.DataTree) -> FloatArray:
    """Which of the four relations holds under the weights of each draw, (chain, draw, 4)."""
    weights = tree["posterior"][WEIGHT].transpose("chain", "draw", "dataset").values
    held = pair.held(weights.reshape(-1, weights.shape[-1])).astype(np.float64)
    return np.asarray(held.reshape(*weights.shape[:2], 4))
