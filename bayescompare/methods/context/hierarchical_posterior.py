"""The pooled model as draws and in PyMC, and priors of the user's as densities for quadrature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import is_number
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.context.beta_binomial import (
    LogPrior,
    beta_binomial_better_share,
    pool_beta_binomial,
)
from bayescompare.kernels.context.beta_binomial_density import beta_binomial_logit_likelihood
from bayescompare.kernels.context.beta_binomial_draws import draw_hyper, draw_pooled_shares
from bayescompare.methods._shared.pair_answer import WRONG, pair_counts
from bayescompare.methods._shared.priors import Priors, log_density_of, place_prior
from bayescompare.methods._shared.trees import (
    add_constants,
    logit_prior,
    make_tree,
)
from bayescompare.methods.context.scalars import PooledScalars
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import Sampling
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.context.hierarchical import Hierarchical

__all__ = [
    "build",
    "finish_hierarchical",
    "hierarchical_densities_of",
    "hierarchical_exact_tree",
    "hierarchical_mean_leads",
    "hierarchical_sampled_answer",
]


_DIMS = {
    **dict.fromkeys(("mu", "rho", "phi", "q"), ()),
    "z": ("dataset",),
    WRONG: ("dataset",),
}


# a prior of the user's ---------------------------------------------------------------------------


def hierarchical_densities_of(priors: Priors) -> dict[str, Any] | None:
    """Log densities of μ and ρ, or None where a prior has random parameters or is a number."""
    densities: dict[str, Any] = {"log_prior_mu": None, "log_prior_rho": None}
    for name, value in priors.items():
        density = None if is_number(value) else log_density_of(name, value)
        if density is None:
            return None
        if name == "phi":
            density = _hierarchical_density_of_rho(density)
        target = "mu" if name == "mu" else "rho"
        densities[f"log_prior_{target}"] = density
    return densities


def _hierarchical_density_of_rho(of_phi: LogPrior) -> LogPrior:
    """The density of ρ = 1/(1 + φ) from that of φ."""
    return lambda rho: np.asarray(of_phi((1.0 - rho) / rho) - 2.0 * np.log(rho))


# the model ---------------------------------------------------------------------------------------


def build(method: Hierarchical, results: Results) -> pm.Model:
    """Build the Beta-binomial model with the user's priors in it."""
    import pymc as pm

    k_h, k_g = pair_counts(results)
    with pm.Model(coords={"dataset": list(results.datasets)}) as model:
        mu, _, phi = _place_hierarchical_hyper(method.priors or {})
        pm.BetaBinomial(
            WRONG,
            n=(k_h + k_g).astype(np.int64),
            alpha=mu * phi,
            beta=(1.0 - mu) * phi,
            observed=k_h.astype(np.int64),
            dims="dataset",
        )
    return model


def _place_hierarchical_hyper(priors: Priors) -> tuple[Any, Any, Any]:
    """Place μ, ρ and φ in the model at hand."""
    import pymc as pm
    import pytensor.tensor as pt

    mu = place_prior("mu", priors["mu"], ()) if "mu" in priors else pm.Beta("mu", 1.0, 1.0)
    if "phi" in priors:
        phi = place_prior("phi", priors["phi"], ())
        if is_number(phi):
            # A plain 4.0 would be taken for single precision.
            phi = pm.Deterministic("phi", pt.as_tensor_variable(np.float64(phi)))
        return mu, pm.Deterministic("rho", 1.0 / (1.0 + phi)), phi
    rho = place_prior("rho", priors["rho"], ()) if "rho" in priors else pm.Uniform("rho", 0.0, 1.0)
    if is_number(rho):
        rho = pm.Deterministic("rho", pt.as_tensor_variable(np.float64(rho)))
    return mu, rho, pm.Deterministic("phi", (1.0 - rho) / rho)


def hierarchical_sampled_answer(
    method: Hierarchical, results: Results, sampling: Sampling
) -> Answer:
    """Answer from NUTS, with its Monte Carlo standard error."""
    tree = nuts.sample_nuts_as_asked(sampling, method.model(results))
    tree = finish_hierarchical(results, tree, sampling.rng)
    drawn = {
        name: tree["posterior"][name].transpose("chain", "draw").values
        for name in ("mu", "rho", "q")
    }
    each = hierarchical_mean_leads(tree)
    low, high = np.quantile(drawn["q"], (0.025, 0.975))
    mean, sd = ({name: float(of(v)) for name, v in drawn.items()} for of in (np.mean, np.std))
    figures = PooledScalars(
        rate_mean=mean["q"],
        rate_sd=sd["q"],
        rate_lower=float(low),
        rate_upper=float(high),
        mu_mean=mean["mu"],
        mu_sd=sd["mu"],
        rho_mean=mean["rho"],
        rho_sd=sd["rho"],
    )
    return method.finished(
        results,
        each.mean(axis=(0, 1)),
        figures,
        *_hierarchical_dataset_averages(results, drawn["mu"].ravel(), drawn["rho"].ravel()),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=float((drawn["mu"] == 0.5).mean()),
        tree=tree,
        seed=sampling.seed,
    )


def hierarchical_mean_leads(tree: xr.DataTree) -> FloatArray:
    """Whether μ is below ½, so that the first is better on most datasets, and whether above."""
    mu = tree["posterior"]["mu"].transpose("chain", "draw").values
    return np.stack([mu < 0.5, mu > 0.5], axis=-1).astype(np.float64)


def _hierarchical_dataset_averages(
    results: Results, mu: FloatArray, rho: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """P(better) and mean share of every dataset, averaged over draws of μ and ρ."""
    k_h, k_g = pair_counts(results)
    better, share = np.empty(len(k_h)), np.empty(len(k_h))
    for i, (h, g) in enumerate(zip(k_h, k_g, strict=True)):
        better[i] = beta_binomial_better_share(mu, rho, h, g).mean()
        share[i] = ((mu * (1.0 - rho) + rho * h) / (1.0 - rho + rho * (h + g))).mean()
    return better, share


# trees -------------------------------------------------------------------------------------------


def hierarchical_exact_tree(
    method: Hierarchical, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw independently from prior and posterior."""
    assert method.densities is not None
    counts, densities = pair_counts(results), method.densities
    grid = pool_beta_binomial(*counts, **densities).grid
    after = draw_hyper(*counts, grid, chains * draws, rng, **densities)
    mu, rho = (values.reshape(chains, draws) for values in after)
    before = _draw_hierarchical_prior(method, draws, rng)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {"mu": mu, "rho": rho},
        "prior": dict(zip(("mu", "rho"), before, strict=True)),
        "posterior_predictive": {WRONG: _hierarchical_predicted_errors(results, mu, rho, rng)},
        "prior_predictive": {WRONG: _hierarchical_predicted_errors(results, *before, rng)},
        "log_likelihood": {WRONG: _hierarchical_log_likelihood(results, mu, rho)},
        "log_prior": _hierarchical_log_prior(method, mu, rho),
        "observed_data": {WRONG: counts[0].astype(np.int64)},
    }
    return finish_hierarchical(
        results, make_tree(groups, _DIMS, {"dataset": list(results.datasets)}), rng
    )


def finish_hierarchical(
    results: Results, tree: xr.DataTree, rng: np.random.Generator
) -> xr.DataTree:
    """Add φ, q and every z to a tree of μ and ρ."""
    import xarray as xr

    counts = pair_counts(results)
    nothing = np.zeros_like(counts[0]), np.zeros_like(counts[1])
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset().assign_coords(dataset=list(results.datasets))
        mu, rho = (data[name].transpose("chain", "draw").values for name in ("mu", "rho"))
        known = counts if group == "posterior" else nothing
        z = draw_pooled_shares(*known, mu.ravel(), rho.ravel(), rng).reshape(*mu.shape, -1)
        sample = ("chain", "draw")
        data["phi"] = (sample, (1.0 - rho) / rho)
        data["q"] = (sample, beta_binomial_better_share(mu, rho))
        data["z"] = ((*sample, "dataset"), z)
        tree[group] = xr.DataTree(data)
    tree = logit_prior(tree, ["mu", "rho"])
    return add_constants(tree, {"discordant": counts[0] + counts[1]}, results.datasets)


def _draw_hierarchical_prior(
    method: Hierarchical, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    if not method.priors:
        return rng.random((1, draws)), rng.random((1, draws))
    import pymc as pm

    with pm.Model():
        mu, rho, _ = _place_hierarchical_hyper(method.priors)
        drawn = pm.draw([mu, rho], draws, random_seed=int(rng.integers(2**31 - 1)))
    first, second = (np.reshape(values, (1, draws)) for values in drawn)
    return first, second


def _hierarchical_predicted_errors(
    results: Results, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Errors on new datasets with as many discordant examples."""
    k_h, k_g = pair_counts(results)
    nothing = np.zeros_like(k_h)
    z = draw_pooled_shares(nothing, nothing, mu.ravel(), rho.ravel(), rng)
    return rng.binomial((k_h + k_g).astype(np.int64), z).reshape(*mu.shape, -1)


def _hierarchical_log_likelihood(results: Results, mu: FloatArray, rho: FloatArray) -> FloatArray:
    k_h, k_g = pair_counts(results)
    u, v = (np.log(x.ravel()) - np.log1p(-x.ravel()) for x in (mu, rho))
    each = [
        beta_binomial_logit_likelihood(np.array([h]), np.array([g]))(u, v)
        for h, g in zip(k_h, k_g, strict=True)
    ]
    return np.stack(each, axis=-1).reshape(*mu.shape, -1)


def _hierarchical_log_prior(
    method: Hierarchical, mu: FloatArray, rho: FloatArray
) -> dict[str, FloatArray]:
    """Log densities of the parameters that have a prior: φ in place of ρ where it was given."""
    assert method.densities is not None
    of_mu, of_rho = method.densities["log_prior_mu"], method.densities["log_prior_rho"]
    log_prior = {"mu": np.zeros_like(mu) if of_mu is None else of_mu(mu.ravel()).reshape(mu.shape)}
    second = np.zeros_like(rho) if of_rho is None else of_rho(rho.ravel()).reshape(rho.shape)
    if "phi" in (method.priors or {}):
        return {**log_prior, "phi": second + 2.0 * np.log(rho)}
    return {**log_prior, "rho": second}
