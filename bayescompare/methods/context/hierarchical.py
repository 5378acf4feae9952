r"""Partial pooling: the datasets' error shares come from one distribution, which is learned.

Story: of dataset i's discordant examples a share :math:`z_i` are errors of the first algorithm,

.. math:: \mu \sim \mathrm{Beta}(1, 1), \quad
          \rho = \frac{1}{1 + \varphi} \sim \mathrm{Uniform}(0, 1), \quad
          z_i \sim \mathrm{Beta}(\mu\varphi, (1 - \mu)\varphi), \quad
          k_{h,i} \sim \mathrm{Binomial}(n_i, z_i),

so that the first is better on a share :math:`q = I_{½}(\mu\varphi, (1 - \mu)\varphi)` of the
datasets of the context. The question is Pr(q > ½ | k), which is Pr(μ < ½ | k): a Beta has its
median below ½ exactly where its mean is. Unlike the Poisson-binomial test this one learns how much
the datasets differ, and a dataset with few errors borrows from the others.

References
----------
Gelman et al. (2013), Bayesian Data Analysis, Section 5.3, for the model; Lacoste, Laviolette &
Marchand (2012) for the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.kernels.context.beta_binomial import (
    beta_binomial_left_out,
    beta_binomial_predictive,
    beta_binomial_share_interval,
    pool_beta_binomial,
    shrunken_beta_binomial,
)
from bayescompare.kernels.context.error_rates import first_error_rate_better
from bayescompare.methods._shared.new_datasets import share_labels
from bayescompare.methods._shared.pair_answer import pair_answer, pair_counts, pair_leanings
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_priors,
    prior_options,
)
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.details import HierarchicalDetails, OfPooledCounts
from bayescompare.methods.context.hierarchical_words import hierarchical_words
from bayescompare.methods.context.methods_text import hierarchical_methods_text
from bayescompare.methods.context.scalars import PooledScalars
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.details import Details, Scalars
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Method,
    Parameter,
    Phrases,
    Replicate,
    Sampling,
    Scope,
)
from bayescompare.outcome.posterior import Posterior, by_prior_weight
from bayescompare.outcome.registry import title_in_registry
from bayescompare.prior import POWER
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

__all__ = ["Hierarchical"]


#: A prior that jumps is integrated less exactly; beyond this error NUTS takes over.
_EXACT = 1e-6

#: Powers of the prior that `sensitivity` tries; the double integral takes a while for each.
USUAL_POWERS = tuple(np.geomspace(0.25, 4.0, 9).tolist())

_PARAMETERS = (
    Parameter(
        "mu", (), "Beta(1, 1)", "mean share of discordant errors that are the first's", high=1.0
    ),
    Parameter(
        "rho", (), "Uniform(0, 1)", "1/(1 + φ), the correlation of errors on one dataset", high=1.0
    ),
    Parameter("phi", (), "(from rho)", "φ, how alike the datasets are; in place of rho"),
)


class HierarchicalPosterior(Posterior):
    """The hyper-parameters after the data: by quadrature, or by the draws of the answer."""

    method: Hierarchical

    draws_are: ClassVar[str] = "exact"

    @property
    def densities(self) -> dict[str, Any]:
        """Log densities of the priors of μ and ρ."""
        assert self.method.densities is not None, "a sampled answer has no quadrature"
        return self.method.densities

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, by quadrature."""
        if self.method.densities is None:
            raise self.method.unavailable("exact loo with a prior that needs NUTS")
        counts = pair_counts(self.results)
        without, _ = beta_binomial_left_out(*counts, **self.densities)
        return without, beta_binomial_predictive(
            *counts, pool_beta_binomial(*counts, **self.densities).grid
        )

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Raise the priors of logit μ and of logit ρ, or of φ, to powers."""
        if self.method.densities is None or self.answer.tree is not None:
            return None
        from bayescompare.methods.context.hierarchical_power import power_probabilities

        counts, of_phi = pair_counts(self.results), "phi" in (self.method.priors or {})

        def both(power: float) -> tuple[float, float]:
            return power_probabilities(*counts, self.densities, power, of_phi=of_phi)

        at = np.asarray(USUAL_POWERS if values is None else values, dtype=np.float64)
        return by_prior_weight(POWER, at, self.answer.labels, both)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what adds predicted datasets, as large as those seen, and answers again."""
        from bayescompare.methods.context.hierarchical_plan import plan_pooled

        return plan_pooled(self.results, self.densities)

    def likelihood_of_more(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets from one draw, and weigh every draw by them."""
        from bayescompare.methods.context.hierarchical_plan import weigh_hierarchical_plan

        assert self.answer.tree is not None
        return weigh_hierarchical_plan(self.results, self.answer.tree)

    def leads(self) -> FloatArray:
        """Whether μ is below ½, and whether above, in each draw."""
        from bayescompare.methods.context.hierarchical_posterior import hierarchical_mean_leads

        assert self.answer.tree is not None
        return hierarchical_mean_leads(self.answer.tree)

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the hyper-parameters from the quadrature's cells, and every z given them."""
        from bayescompare.methods.context.hierarchical_posterior import hierarchical_exact_tree

        if self.method.densities is None:
            raise BayescompareError(
                "draws() are exact, and this prior has no exact formula: use sample(), or "
                "the posterior kept as c.tree."
            )
        return hierarchical_exact_tree(self.method, self.results, draws, chains, rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Draw every z back, given NUTS's hyper-parameters."""
        from bayescompare.methods.context.hierarchical_posterior import finish_hierarchical

        return finish_hierarchical(self.results, tree, rng)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the hyper-parameters, and who is better on new datasets."""
        return share_labels(self, number, draws, rng)

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw the hyper-parameters from the prior, and errors on each dataset."""
        from bayescompare.methods.context.prediction import simulated

        if self.method.needs_mcmc:
            tree = nuts.draw_prior_as_nuts(self.method.model(self.results), rng)
            return simulated(self.results, tree)
        return simulated(self.results, self.draws(1, 1, rng))


@dataclass(frozen=True, kw_only=True)
class Hierarchical(Method):
    """Is the first algorithm better on most datasets, when what they have in common is learned?

    Parameters
    ----------
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("hierarchical")``. A distribution
        without random parameters keeps the answer exact; a number and all else switch it to NUTS,
        and it says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("lacoste-svm-parzen"), method="hierarchical")
    >>> c.best, round(float(c.probability.max()), 6)
    ('svm>parzen', 0.997883)
    """

    name: ClassVar[str] = "hierarchical"
    title: ClassVar[str] = title_in_registry("hierarchical")
    citations: ClassVar[tuple[str, ...]] = (
        "gelman2013bda",
        "lacoste2012bayesian",
    )
    posterior_type: ClassVar[type[Posterior]] = HierarchicalPosterior
    comparison_type: ClassVar[type[Comparison] | None] = ContextComparison
    details_type: ClassVar[type[Details]] = HierarchicalDetails
    scalars_type: ClassVar[type[Scalars]] = PooledScalars
    phrases: ClassVar[Phrases] = Phrases(
        reference="Gelman et al. (2013), Section 5.3; Lacoste et al. (2012)",
        levers="more examples on the datasets in doubt (see per_dataset), or more datasets",
        verdict="holds on most datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(judges="counts")
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "per_dataset",
            "rate",
            "pooling",
            "plan",
            "sensitivity",
            "predict",
            "simulate",
        }
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    priors: Priors | None = None

    def __post_init__(self) -> None:
        check_priors(self.priors, self.parameters)
        priors = self.priors or {}
        if "rho" in priors and "phi" in priors:
            raise BayescompareError("priors names rho and phi: each determines the other.")
        if is_number(priors.get("mu")):
            raise BayescompareError(
                "priors['mu'] is a number: the test asks whether it is below ½."
            )
        rho = priors.get("rho")
        if is_number(rho) and not rho < 1:
            raise BayescompareError(f"priors['rho']={rho!r}: a correlation must be below 1.")

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return {"priors": prior_options(self.priors)}

    @cached_property
    def densities(self) -> dict[str, Any] | None:
        """Log densities of μ and ρ for the quadrature; None where NUTS is needed."""
        if not self.priors:
            return {"log_prior_mu": None, "log_prior_rho": None}
        from bayescompare.methods.context.hierarchical_posterior import hierarchical_densities_of

        return hierarchical_densities_of(self.priors)

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's needs NUTS."""
        return self.densities is None

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Pr(q > ½) by quadrature over both hyper-parameters, or from NUTS."""
        from bayescompare.methods.context.hierarchical_posterior import hierarchical_sampled_answer

        check_prior_ranges(self.priors, self.parameters)
        if self.densities is None:
            return hierarchical_sampled_answer(self, results, sampling)
        counts = pair_counts(results)
        posterior = pool_beta_binomial(*counts, **self.densities)
        each = shrunken_beta_binomial(*counts, **self.densities)
        if max(posterior.error, each.error) > _EXACT:
            return hierarchical_sampled_answer(self, results, sampling)
        low, high = beta_binomial_share_interval(posterior.grid)
        figures = PooledScalars(
            rate_mean=posterior.mean_q,
            rate_sd=posterior.sd_q,
            rate_lower=low,
            rate_upper=high,
            mu_mean=posterior.mean_mu,
            mu_sd=posterior.sd_mu,
            rho_mean=posterior.mean_rho,
            rho_sd=posterior.sd_rho,
        )
        both, evidence = [posterior.first, posterior.second], posterior.log_evidence
        return self.finished(results, both, figures, each.first, each.mean, log_evidence=evidence)

    def finished(
        self,
        results: Results,
        both: Any,
        figures: PooledScalars,
        better: FloatArray,
        share: FloatArray,
        **more: Any,
    ) -> Answer:
        """Put figures about the context and about every dataset into an answer."""
        k_h, k_g = pair_counts(results)
        alone = first_error_rate_better(k_h, k_g)
        columns = {
            "first_wrong": k_h,
            "second_wrong": k_g,
            "alone": alone,
            "probability": better,
            # Under the uniform prior, as P(first better) alone is.
            "share_alone": (k_h + 1.0) / (k_h + k_g + 2.0),
            "share": share,
        }
        return pair_answer(
            results,
            pair_leanings(alone),
            probability=np.asarray(both, dtype=np.float64),
            scalars=figures,
            per_statement=figures.both,
            details=HierarchicalDetails(OfPooledCounts.from_arrays(**columns)),
            **more,
        )

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model, every z marginalised."""
        from bayescompare.methods.context.hierarchical_posterior import build

        return build(self, results)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.context.calibration import simulate_context_pooled

        return simulate_context_pooled

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return hierarchical_methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, and how alike the datasets are."""
        return hierarchical_words(*found)
