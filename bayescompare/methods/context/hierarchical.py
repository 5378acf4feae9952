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

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import logit

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.context.beta_binomial import (
    Hyper,
    LogPrior,
    Points,
    Pool,
    better_share,
    draw_shares,
    logit_likelihood,
)
from bayescompare.kernels.context.error_rates import first_error_rate_better
from bayescompare.methods._shared.pair_answer import WRONG, leanings, pair_answer, pair_counts
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_priors,
    log_density_of,
    place_prior,
    prior_options,
)
from bayescompare.methods._shared.trees import add_constants, make_tree, ratio_prior
from bayescompare.methods._shared.words import text_on_sampling
from bayescompare.methods.context.comparison import (
    FIGURE,
    ContextDetails,
    CountsPosterior,
    by_dataset,
    context_words,
    drawn,
    rate_words,
)
from bayescompare.methods.context.shares import add_groups
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Facts, Found
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Method,
    Parameter,
    Phrases,
    Sampling,
    Scope,
)
from bayescompare.outcome.posterior import Posterior, by_prior_weight
from bayescompare.outcome.registry import title_in_registry, unavailable
from bayescompare.prior import POWER
from bayescompare.table.results import Results
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: Share and P(better) of each dataset, the hyper-parameters, the interval of q, and figures.
type _Found = tuple[tuple[FloatArray, FloatArray], Hyper, tuple[float, float], dict[str, Any]]

#: A prior that jumps is integrated less exactly; beyond this error NUTS takes over.
_EXACT = 1e-6
#: Powers of the prior that `sensitivity` tries; the double integral takes a while for each.
USUAL_POWERS = tuple(np.geomspace(0.25, 4.0, 9).tolist())
_DIMS = {
    **dict.fromkeys(("mu", "rho", "phi", "q"), ()),
    **dict.fromkeys(("z", WRONG), ("dataset",)),
}


@dataclass(frozen=True, kw_only=True)
class PooledDetails(ContextDetails):
    """Besides, mean and sd of μ, the mean error share, and of ρ, how little is in common."""

    mu_mean: float = field(metadata=FIGURE)
    mu_sd: float = field(metadata=FIGURE)
    rho_mean: float = field(metadata=FIGURE)
    rho_sd: float = field(metadata=FIGURE)


class HierarchicalPosterior(CountsPosterior):
    """The hyper-parameters after the data: by quadrature, or by the draws of the answer."""

    facts_type: ClassVar[type[Facts]] = PooledDetails

    method: Hierarchical

    draws_are: ClassVar[str] = "exact"

    @property
    def log_evidence(self) -> float | None:
        """The log evidence, by quadrature."""
        return self.answer.log_evidence

    @property
    def pooling(self) -> pd.DataFrame:
        """Hierarchical: mean and sd of μ, the mean error share, and ρ, how little is in common."""
        found = PooledDetails.of(self.answer).figures()
        rows = [[found[f"{of}_{name}"] for name in ("mean", "sd")] for of in ("mu", "rho")]
        return pd.DataFrame(rows, ["mu", "rho"], ["mean", "sd"])

    @cached_property
    def pool(self) -> Pool:
        """The hyper-parameters by quadrature."""
        pool = self.method.pool(self.results)
        assert pool is not None, "a sampled answer has no quadrature"
        return pool

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, by quadrature."""
        if self.method.needs_mcmc:
            raise unavailable(self.method, "exact loo with a prior that needs NUTS")
        return self.pool.left_out()[0], self.pool.predictive()

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Raise the priors of logit μ and of logit ρ, or of φ, to powers.

        So uniform priors become Beta(γ, γ). What is lost of their total cancels.
        """
        if self.method.needs_mcmc or self.answer.tree is not None:
            return None
        pool, of_phi = self.pool, "phi" in (self.method.priors or {})

        def both(power: float) -> tuple[float, float]:
            priors = (
                _powered(pool.log_prior_mu, power),
                _powered(pool.log_prior_rho, power, of_phi=of_phi),
            )
            found = Pool(pool.k_h, pool.k_g, *priors, tolerance=1e-7).hyper
            return found.first, found.second

        at = np.asarray(USUAL_POWERS if values is None else values, dtype=np.float64)
        return by_prior_weight(POWER, at, self.answer.labels, both)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return what adds predicted datasets, as large as those seen, and answers again."""

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            return np.array(
                self.pool.grown(*self._new_counts(number, *self.pool.draw(1, rng), rng))
            )

        return simulate

    def likelihood_of_more(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets from one draw, and weigh every draw by them."""
        assert self.answer.tree is not None
        mu, rho = drawn(self.answer.tree, "mu", "rho")
        u, v = logit(mu.ravel()), logit(rho.ravel())

        def likelihood(number: int, rng: np.random.Generator) -> FloatArray:
            one = [int(rng.integers(mu.size))]
            new = self._new_counts(number, mu.ravel()[one], rho.ravel()[one], rng)
            return logit_likelihood(*new)(u, v).reshape(mu.shape)

        return likelihood

    def _new_counts(
        self, number: int, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Errors on new datasets, each of which is as large as one of those seen."""
        size = rng.choice(np.add(*pair_counts(self.results)), size=number)
        (first,) = _errors_on_new_datasets(size, mu, rho, rng).astype(np.float64)
        return first, size - first

    def leads(self) -> FloatArray:
        """Whether μ is below ½, and whether above, in each draw."""
        assert self.answer.tree is not None
        return _mean_leads(self.answer.tree)

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the hyper-parameters from the quadrature's cells, and every z given them."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and this prior has no exact formula: use sample(), or "
                "the posterior kept as c.tree."
            )
        pool = self.pool
        k_h, k_g = pool.k_h, pool.k_g
        mu, rho = (values.reshape(chains, draws) for values in pool.draw(chains * draws, rng))
        before = self._prior_draws(draws, rng)
        at = logit(mu.ravel()), logit(rho.ravel())
        each = [logit_likelihood(*one)(*at) for one in np.stack([k_h, k_g], axis=1)[:, :, None]]
        groups: dict[str, dict[str, AnyArray]] = {
            "posterior": {"mu": mu, "rho": rho},
            "prior": dict(zip(("mu", "rho"), before, strict=True)),
            "posterior_predictive": {WRONG: _errors_on_new_datasets(k_h + k_g, mu, rho, rng)},
            "prior_predictive": {WRONG: _errors_on_new_datasets(k_h + k_g, *before, rng)},
            "log_likelihood": {WRONG: np.stack(each, axis=-1).reshape(*mu.shape, -1)},
            "log_prior": self._log_prior(mu, rho),
            "observed_data": {WRONG: k_h.astype(np.int64)},
        }
        tree = make_tree(groups, _DIMS, {"dataset": list(self.results.datasets)})
        return self.from_nuts(tree, rng)

    def _prior_draws(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        if not self.method.priors:
            return rng.random((1, draws)), rng.random((1, draws))
        import pymc as pm

        with pm.Model():
            mu, rho, _ = _place_hyper_parameters(self.method.priors)
            drawn = pm.draw([mu, rho], draws, random_seed=int(rng.integers(2**31 - 1)))
        first, second = (np.reshape(values, (1, draws)) for values in drawn)
        return first, second

    def _log_prior(self, mu: FloatArray, rho: FloatArray) -> dict[str, AnyArray]:
        """Log densities of the parameters that have a prior: φ in place of ρ where it was given."""
        of_mu = self.pool.log_prior_mu(mu.ravel()).reshape(mu.shape)
        of_rho = self.pool.log_prior_rho(rho.ravel()).reshape(rho.shape)
        if "phi" in (self.method.priors or {}):
            return {"mu": of_mu, "phi": of_rho + 2.0 * np.log(rho)}
        return {"mu": of_mu, "rho": of_rho}

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Add φ, q and every z to a tree of μ and ρ."""
        k_h, k_g = pair_counts(self.results)
        nothing = np.zeros_like(k_h)
        for group, known in (("posterior", (k_h, k_g)), ("prior", (nothing, nothing))):
            mu, rho = drawn(tree, "mu", "rho", group=group)
            z = draw_shares(*known, mu.ravel(), rho.ravel(), rng).reshape(*mu.shape, -1)
            q = better_share(mu, rho)
            found = {"phi": ((), (1.0 - rho) / rho), "q": ((), q), "z": (("dataset",), z)}
            tree = add_groups(tree, {group: found}, {"dataset": self.results.datasets})
        tree = ratio_prior(tree, ["mu", "rho"])
        return add_constants(tree, {"discordant": k_h + k_g}, self.results.datasets)


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
    citations: ClassVar[tuple[str, ...]] = ("gelman2013bda", "lacoste2012bayesian")
    posterior_type: ClassVar[type[Posterior]] = HierarchicalPosterior
    phrases: ClassVar[Phrases] = Phrases(
        reference="Gelman et al. (2013), Section 5.3; Lacoste et al. (2012)",
        levers="more examples on the datasets in doubt (see per_dataset), or more datasets",
        verdict="holds on most datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(
        judges="counts", forms=("textbook", "nuts"), predicts="nuts"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "mu",
            (),
            "Beta(1, 1)",
            "mean share of discordant errors that are the first's",
            high=1.0,
        ),
        Parameter(
            "rho",
            (),
            "Uniform(0, 1)",
            "1/(1 + φ), the correlation of errors on one dataset",
            high=1.0,
        ),
        Parameter("phi", (), "(from rho)", "φ, how alike the datasets are; in place of rho"),
    )
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

    def pool(self, results: Results) -> Pool | None:
        """Return the posterior for the quadrature; None where only NUTS can answer."""
        return None if self._densities is None else Pool(*pair_counts(results), **self._densities)

    @cached_property
    def _densities(self) -> dict[str, Any] | None:
        """Log densities of μ and ρ where these are given; None if one has none."""
        densities: dict[str, Any] = {}
        for name, value in (self.priors or {}).items():
            density = None if is_number(value) else log_density_of(name, value)
            if density is None:
                return None
            target = "mu" if name == "mu" else "rho"
            densities[f"log_prior_{target}"] = _of_rho(density) if name == "phi" else density
        return densities

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's needs NUTS."""
        return self._densities is None

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Pr(q > ½) by quadrature over both hyper-parameters, or from NUTS."""
        check_prior_ranges(self.priors, self.parameters)
        k_h, k_g = pair_counts(results)
        alone = np.stack([first_error_rate_better(*k) for k in ((k_h, k_g), (k_g, k_h))], axis=-1)
        found = self._integrated(results) or self._sampled(results, sampling)
        (share, better), hyper, (low, high), figures = found
        facts = PooledDetails(
            rate_mean=hyper.mean_q,
            rate_sd=hyper.sd_q,
            rate_lower=low,
            rate_upper=high,
            mu_mean=hyper.mean_mu,
            mu_sd=hyper.sd_mu,
            rho_mean=hyper.mean_rho,
            rho_sd=hyper.sd_rho,
            per_dataset=by_dataset(
                first_wrong=k_h,
                second_wrong=k_g,
                alone=alone[:, 0],
                probability=better,
                # Under the uniform prior, as P(first better) alone is.
                share_alone=(k_h + 1.0) / (k_h + k_g + 2.0),
                share=share,
            ),
        )
        figures |= {"facts": facts, "per_statement": facts.both}
        return pair_answer(results, leanings(alone), **figures)

    def _integrated(self, results: Results) -> _Found | None:
        """What the quadrature found; None where NUTS is needed."""
        if (pool := self.pool(results)) is None:
            return None
        share, better, error = pool.each()
        if max(pool.error, error) > _EXACT:
            return None
        probability = np.array([pool.hyper.first, pool.hyper.second])
        figures = {"probability": probability, "log_evidence": pool.hyper.log_evidence}
        return (share, better), pool.hyper, pool.share_interval(), figures

    def _sampled(self, results: Results, sampling: Sampling) -> _Found:
        """The same from NUTS, with its Monte Carlo standard error."""
        tree = nuts.sample(sampling, self.model(results, "nuts"))
        # There is no answer yet.
        asked = HierarchicalPosterior(self, results, None)  # type: ignore[arg-type]
        tree = asked.from_nuts(tree, sampling.rng)
        mu, rho, q = (values.ravel() for values in drawn(tree, "mu", "rho", "q"))
        points = Points(logit(mu), logit(rho), np.full(len(mu), 1.0 / len(mu)))
        low, high = np.quantile(q, (0.025, 0.975)).tolist()
        each = points.by_dataset(np.stack(pair_counts(results), axis=-1)).T
        figures = nuts.figures_of(tree, _mean_leads(tree), sampling)
        return (each[0], each[1]), Hyper.of(points), (low, high), figures

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model with the user's priors in it; for NUTS every z is summed out."""
        import pymc as pm

        k_h, k_g = (k.astype(np.int64) for k in pair_counts(results))
        with pm.Model(coords={"dataset": list(results.datasets)}) as model:
            k = pm.Data("seen", k_h, dims="dataset")
            n = pm.Data("n", k_h + k_g, dims="dataset")
            mu, _, phi = _place_hyper_parameters(self.priors or {})
            alpha, beta = mu * phi, (1.0 - mu) * phi
            if form == "nuts":
                pm.BetaBinomial(WRONG, n=n, alpha=alpha, beta=beta, observed=k, dims="dataset")
                return model
            z = pm.Beta("z", alpha, beta, dims="dataset")
            pm.Binomial(WRONG, n, z, observed=k, dims="dataset")
        return model

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return (
            "by a hierarchical Beta model of the counts of examples that only one of the two gets "
            "wrong (after {aside}), in which datasets learn from each "
            f"other{text_on_sampling(self)}. Reported is the posterior probability that one is "
            "better on most datasets of the context."
        )

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, and how alike the datasets are."""
        results, answer, decision = found
        sentences = [*context_words(found), rate_words(answer, decision)]
        # Without any discordant example only the prior would be speaking.
        if np.any(pair_counts(results)):
            rho = PooledDetails.of(answer).rho_mean
            some = "moderately alike" if rho < 0.3 else "very different"
            grade = "much alike" if rho < 0.05 else some
            sentences.append(
                f"The datasets are {grade} in this respect: the errors on one of them have an "
                f"estimated correlation of {statistic_number_text(rho, significant=2)}."
            )
        sentences.append(
            "Unlike counting datasets, this lets a dataset with few errors borrow from the others; "
            "it takes them to be of one kind, so that one unlike the rest is drawn to them."
        )
        return sentences


def _mean_leads(tree: xr.DataTree) -> FloatArray:
    """Whether μ is below ½, so that the first is better on most datasets, and whether above."""
    (mu,) = drawn(tree, "mu")
    return np.stack([mu < 0.5, mu > 0.5], axis=-1).astype(np.float64)


def _of_rho(of_phi: LogPrior) -> LogPrior:
    """The density of ρ = 1/(1 + φ) from that of φ."""
    return lambda rho: np.asarray(of_phi((1.0 - rho) / rho) - 2.0 * np.log(rho))


def _powered(log_prior: LogPrior, power: float, *, of_phi: bool = False) -> LogPrior:
    """The density of a share, given that of its logit (or of φ) to a power."""

    def density(share: FloatArray) -> FloatArray:
        own = log_prior(share)
        # dφ/dρ is 1/ρ², dt/dρ is 1/(ρ(1 − ρ)).
        jacobian = 2.0 * np.log(share) if of_phi else np.log(share) + np.log1p(-share)
        with np.errstate(invalid="ignore"):
            scaled = power * (own + jacobian) - jacobian
        return np.where(own == -np.inf, -np.inf, scaled)

    return density


def _place_hyper_parameters(priors: Priors) -> tuple[Any, Any, Any]:
    """Place μ, ρ and φ in the model at hand."""
    import pymc as pm
    import pytensor.tensor as pt

    def place(name: str) -> Any:
        value = place_prior(name, priors[name], ())
        # A plain 4.0 would be taken for single precision.
        number = is_number(value)
        return pm.Deterministic(name, pt.as_tensor(np.float64(value))) if number else value

    mu = place("mu") if "mu" in priors else pm.Beta("mu", 1.0, 1.0)
    if "phi" in priors:
        phi = place("phi")
        return mu, pm.Deterministic("rho", 1.0 / (1.0 + phi)), phi
    rho = place("rho") if "rho" in priors else pm.Uniform("rho", 0.0, 1.0)
    return mu, rho, pm.Deterministic("phi", (1.0 - rho) / rho)


def _errors_on_new_datasets(
    discordant: FloatArray, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Errors on new datasets with so many discordant examples, for each draw of μ and ρ."""
    nothing = np.zeros(len(discordant))
    z = draw_shares(nothing, nothing, mu.ravel(), rho.ravel(), rng)
    return np.asarray(rng.binomial(discordant.astype(np.int64), z).reshape(*mu.shape, -1))
