"""The correlated t-test as draws: shares of datasets, every mean advantage and spread.

Trees from exact draws and from NUTS are made the same way: shares first, then what each dataset is
given them. The flat prior of means and spreads has no draws, so that the group `prior` holds the
shares alone, and predicts statements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, logit, logsumexp

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.context.correlated_t import (
    draw_differences,
    draw_means,
    draw_means_within,
    draw_spreads,
)
from bayescompare.kernels.context.poisson_multinomial_joint import (
    draw_region_shares,
    draw_regions,
    region_count_posterior,
)
from bayescompare.kernels.context.rate_quadrature import rate_posterior
from bayescompare.methods._shared.trees import (
    constants,
    logit_prior,
    make_tree,
    one_byte,
    one_statement_each,
    ratio_prior,
)
from bayescompare.methods.context.correlated_t_model import ADVANTAGE, DIFFERENCE, SIGMA
from bayescompare.methods.context.learned_rate import weight_draws
from bayescompare.methods.context.replicates import Replicates
from bayescompare.results.results import Results
from bayescompare.statements import OUTCOME

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = ["exact_tree", "finish", "share_sampler"]

_SAMPLE = ("chain", "draw")
_DIMS = {
    "r": (),
    "theta": ("statement",),
    ADVANTAGE: ("dataset",),
    OUTCOME: ("dataset", "statement"),
}


def exact_tree(
    method: CorrelatedT, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw independently from the posterior, and the shares from their prior."""
    import xarray as xr

    each, total = method.each(results), chains * draws
    more: dict[str, AnyArray] = {}
    if method.joint:
        theta = share_sampler(method, each)(total, rng)
    else:
        # The cut: every mean by its own replicates, then the shares given the statements.
        theta, advantage = _cut_shares(method, each, total, rng)
        more[ADVANTAGE] = advantage.reshape(chains, draws, -1)
    theta = theta.reshape(chains, draws, -1)
    before = _prior_shares(method, len(each.labels), draws, rng)
    n = len(results.datasets)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {**_named(theta), **more},
        "prior": _named(before),
        "posterior_predictive": {OUTCOME: one_statement_each(theta, n, rng)},
        "prior_predictive": {OUTCOME: one_statement_each(before, n, rng)},
        "log_likelihood": {OUTCOME: np.log(theta @ each.evidence.T)},
        "log_prior": {"r": _log_prior(method, theta)},
        "observed_data": {OUTCOME: each.evidence},
    }
    coords = {"statement": each.labels, "dataset": list(results.datasets)}
    tree = make_tree(groups, _DIMS, coords)
    if each.rope:
        # Of a vector, but one number for each.
        tree["log_prior"] = xr.DataTree(tree["log_prior"].to_dataset().rename(r="theta"))
    return finish(method, results, tree, rng)


def share_sampler(
    method: CorrelatedT, each: Replicates
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return what draws θ from its posterior, (draws, S)."""
    b = method.weight
    if not method.joint:
        return lambda draws, rng: _cut_shares(method, each, draws, rng)[0]
    if each.rope:
        counts, _ = region_count_posterior(each.regions, b)
        return lambda draws, rng: draw_region_shares(counts, draws, rng, b)[:, ::-1]
    rates = method.rate_draws(each.regions[:, 2])
    return lambda draws, rng: _two(rates(draws, rng))


def _two(r: FloatArray) -> FloatArray:
    return np.stack([r, 1.0 - r], axis=-1)


def _cut_shares(
    method: CorrelatedT, each: Replicates, total: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw θ of the cut model, given how many datasets make each statement true, and their means.

    Returns
    -------
    array (total, S), array (total, N)
    """
    advantage = draw_means(each.dof, each.location, each.scale, total, rng)
    b, rope, n = method.weight, each.rope, advantage.shape[1]
    better, worse = (advantage > rope).sum(axis=1), (advantage < -rope).sum(axis=1)
    if rope:
        gammas = rng.standard_gamma(b + np.stack([better, n - better - worse, worse], axis=-1))
        return np.asarray(gammas / gammas.sum(axis=-1, keepdims=True)), advantage
    # A mean difference of exactly 0 favours either alike.
    better = better + rng.binomial(n - better - worse, 0.5)
    r = rng.beta(b + better, b + n - better)
    return _two(r), advantage


def _prior_shares(
    method: CorrelatedT, outcomes: int, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw θ from its prior, (1, draws, S)."""
    if method.rate_prior is not None:
        return _two(rate_posterior([], method.rate_prior).draw(draws, rng))[None]
    if method.learned is not None:
        b = weight_draws(method.learned, (1, draws), rng)
        return _two(rng.beta(b, b))
    return rng.dirichlet(np.full(outcomes, method.weight), size=(1, draws))


def _named(theta: FloatArray) -> dict[str, AnyArray]:
    """The shares by name: of two the first is r."""
    return {"r": theta[..., 0], "theta": theta} if theta.shape[-1] == 2 else {"theta": theta}


def _log_prior(method: CorrelatedT, theta: FloatArray) -> FloatArray:
    """Log density of the shares; where b was learned, averaged over it."""
    outcomes = theta.shape[-1]
    logs = np.log(np.maximum(theta, np.finfo(np.float64).tiny)).sum(axis=-1)
    if method.rate_prior is not None:
        return np.asarray(method.rate_prior.log_density(logit(theta[..., 0])) - logs)

    def symmetric(b: FloatArray) -> FloatArray:
        norm = gammaln(outcomes * b) - outcomes * gammaln(b)
        return np.asarray(norm + (b - 1.0) * logs[..., None])

    if method.learned is None:
        return symmetric(np.array([method.weight]))[..., 0]
    values, weights = np.array(method.learned.values), np.array(method.learned.weights)
    return np.asarray(logsumexp(symmetric(values), b=weights, axis=-1))


# what each dataset is, given the shares -----------------------------------------------------------


def finish(
    method: CorrelatedT, results: Results, tree: xr.DataTree, rng: np.random.Generator
) -> xr.DataTree:
    """Draw every mean, spread and new replicate back, exactly given the shares.

    A tree of the textbook's form has means and spreads already.
    """
    import xarray as xr

    each = method.each(results)
    posterior = tree["posterior"].to_dataset().assign_coords(dataset=list(results.datasets))
    theta = posterior["theta"].transpose(*_SAMPLE, "statement").values
    if ADVANTAGE not in posterior:
        advantage = _means_given(theta.reshape(-1, theta.shape[-1]), each, rng)
        posterior[ADVANTAGE] = ((*_SAMPLE, "dataset"), advantage.reshape(*theta.shape[:2], -1))
    means = posterior[ADVANTAGE].transpose(*_SAMPLE, "dataset").values
    if SIGMA not in posterior:
        sigma = draw_spreads(means, each.dof, each.location, each.scale, each.rho, rng)
        posterior[SIGMA] = ((*_SAMPLE, "dataset"), sigma)
    tree["posterior"] = xr.DataTree(posterior)
    _predict(tree, results, each, rng)
    tree["observed_data"] = xr.DataTree(_observed(results, each))
    # Of a flat prior there is no density to scale by a power.
    log_prior = tree["log_prior"].to_dataset()
    log_prior = log_prior.drop_vars([ADVANTAGE, SIGMA], errors="ignore")
    tree["log_prior"] = xr.DataTree(log_prior)
    facts = {
        "mean_difference": each.location,
        "scale": each.scale,
        "replicates": each.count,
        "rho": each.rho,
    }
    tree = one_byte(ratio_prior(logit_prior(tree, ["r"]), ["theta"]))
    return constants(tree, facts, results.datasets)


def _means_given(theta: FloatArray, each: Replicates, rng: np.random.Generator) -> FloatArray:
    """Draw the statement of every dataset given the shares, and its mean advantage within that."""
    statement = draw_regions(each.evidence, theta, rng)
    # Statements begin with the first better, regions with the left.
    region = 2 - statement if each.rope else 2 * (1 - statement)
    return draw_means_within(each.dof, each.location, each.scale, region, each.rope, rng)


def _predict(
    tree: xr.DataTree, results: Results, each: Replicates, rng: np.random.Generator
) -> None:
    """Add replicates again on the same datasets, and statements on new ones, where not there."""
    import xarray as xr

    posterior = tree["posterior"].to_dataset()
    key = "posterior_predictive"
    predicted = tree[key].to_dataset() if key in tree else xr.Dataset()
    if OUTCOME not in predicted:
        theta = posterior["theta"].transpose(*_SAMPLE, "statement")
        drawn = one_statement_each(theta.values, len(results.datasets), rng)
        dims = (*_SAMPLE, "dataset", "statement")
        predicted = predicted.assign(
            {OUTCOME: xr.DataArray(drawn, {**theta.coords, "dataset": _names(results)}, dims)}
        )
    if DIFFERENCE not in predicted:
        means, spreads = (
            posterior[name].transpose(*_SAMPLE, "dataset").values for name in (ADVANTAGE, SIGMA)
        )
        again = draw_differences(means, spreads, each.rho, len(each.names), rng)
        # Half the memory: a hundred replicates of each dataset are many.
        predicted[DIFFERENCE] = ((*_SAMPLE, "dataset", "replicate"), again.astype(np.float32))
    predicted = predicted.assign_coords(replicate=list(each.names), dataset=_names(results))
    present = xr.DataArray(each.present, dims=("dataset", "replicate"))
    predicted[DIFFERENCE] = predicted[DIFFERENCE].where(present)
    tree[key] = xr.DataTree(predicted[[OUTCOME, DIFFERENCE]])


def _observed(results: Results, each: Replicates) -> xr.Dataset:
    """What was seen: the differences, and what they say for every statement."""
    import xarray as xr

    return xr.Dataset(
        {
            OUTCOME: (("dataset", "statement"), each.evidence),
            DIFFERENCE: (("dataset", "replicate"), each.differences),
        },
        {
            "dataset": _names(results),
            "statement": list(each.labels),
            "replicate": list(each.names),
        },
        attrs={"sample_dims": []},
    )


def _names(results: Results) -> list[str]:
    return list(results.datasets)
