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
    draw_correlated_t_differences,
    draw_correlated_t_means,
    draw_correlated_t_spreads,
    draw_correlated_t_within,
)
from bayescompare.kernels.context.poisson_multinomial_joint import (
    draw_poisson_multinomial_regions,
    draw_poisson_multinomial_shares,
    poisson_multinomial_posterior,
)
from bayescompare.kernels.context.rate_quadrature import rate_posterior
from bayescompare.methods._shared.trees import (
    add_shared_constants,
    make_shared_tree,
    shared_logit_prior,
    shared_ratio_prior,
    shared_statement_each,
    shrink_shared_predictions,
)
from bayescompare.methods.context.correlated_t_model import ADVANTAGE, DIFFERENCE, SIGMA
from bayescompare.methods.context.learned_rate import draw_learned_rate_weight
from bayescompare.methods.context.replicates import Replicates
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = ["correlated_t_exact_tree", "correlated_t_share_sampler", "finish_correlated_t"]

_SAMPLE = ("chain", "draw")
_DIMS = {
    "r": (),
    "theta": ("statement",),
    ADVANTAGE: ("dataset",),
    OUTCOME: ("dataset", "statement"),
}


def correlated_t_exact_tree(
    method: CorrelatedT, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw independently from the posterior, and the shares from their prior."""
    import xarray as xr

    each, total = method.each(results), chains * draws
    more: dict[str, AnyArray] = {}
    if method.joint:
        theta = correlated_t_share_sampler(method, each)(total, rng)
    else:
        # The cut: every mean by its own replicates, then the shares given the statements.
        theta, advantage = _correlated_t_test_cut_shares(method, each, total, rng)
        more[ADVANTAGE] = advantage.reshape(chains, draws, -1)
    theta = theta.reshape(chains, draws, -1)
    before = _correlated_t_test_prior_shares(method, len(each.labels), draws, rng)
    n = len(results.datasets)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {**_correlated_t_test_named_shares(theta), **more},
        "prior": _correlated_t_test_named_shares(before),
        "posterior_predictive": {OUTCOME: shared_statement_each(theta, n, rng)},
        "prior_predictive": {OUTCOME: shared_statement_each(before, n, rng)},
        "log_likelihood": {OUTCOME: np.log(theta @ each.evidence.T)},
        "log_prior": {"r": _correlated_t_test_log_prior(method, theta)},
        "observed_data": {OUTCOME: each.evidence},
    }
    coords = {"statement": each.labels, "dataset": list(results.datasets)}
    tree = make_shared_tree(groups, _DIMS, coords)
    if each.rope:
        # Of a vector, but one number for each.
        tree["log_prior"] = xr.DataTree(tree["log_prior"].to_dataset().rename(r="theta"))
    return finish_correlated_t(method, results, tree, rng)


def correlated_t_share_sampler(
    method: CorrelatedT, each: Replicates
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return what draws θ from its posterior, (draws, S)."""
    b = method.weight
    if not method.joint:
        return lambda draws, rng: _correlated_t_test_cut_shares(method, each, draws, rng)[0]
    if each.rope:
        counts, _ = poisson_multinomial_posterior(each.regions, b)
        return lambda draws, rng: draw_poisson_multinomial_shares(counts, draws, rng, b)[:, ::-1]
    rates = method.rate_draws(each.regions[:, 2])
    return lambda draws, rng: _correlated_t_test_two_shares(rates(draws, rng))


def _correlated_t_test_two_shares(r: FloatArray) -> FloatArray:
    return np.stack([r, 1.0 - r], axis=-1)


def _correlated_t_test_cut_shares(
    method: CorrelatedT, each: Replicates, total: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw θ of the cut model, given how many datasets make each statement true, and their means.

    Returns
    -------
    array (total, S), array (total, N)
    """
    advantage = draw_correlated_t_means(each.dof, each.location, each.scale, total, rng)
    b, rope, n = method.weight, each.rope, advantage.shape[1]
    better, worse = (advantage > rope).sum(axis=1), (advantage < -rope).sum(axis=1)
    if rope:
        gammas = rng.standard_gamma(b + np.stack([better, n - better - worse, worse], axis=-1))
        return np.asarray(gammas / gammas.sum(axis=-1, keepdims=True)), advantage
    # A mean difference of exactly 0 favours either alike.
    better = better + rng.binomial(n - better - worse, 0.5)
    r = rng.beta(b + better, b + n - better)
    return _correlated_t_test_two_shares(r), advantage


def _correlated_t_test_prior_shares(
    method: CorrelatedT, outcomes: int, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw θ from its prior, (1, draws, S)."""
    if method.rate_prior is not None:
        return _correlated_t_test_two_shares(
            rate_posterior([], method.rate_prior).draw(draws, rng)
        )[None]
    if method.learned is not None:
        b = draw_learned_rate_weight(method.learned, (1, draws), rng)
        return _correlated_t_test_two_shares(rng.beta(b, b))
    return rng.dirichlet(np.full(outcomes, method.weight), size=(1, draws))


def _correlated_t_test_named_shares(theta: FloatArray) -> dict[str, AnyArray]:
    """The shares by name: of two the first is r."""
    return {"r": theta[..., 0], "theta": theta} if theta.shape[-1] == 2 else {"theta": theta}


def _correlated_t_test_log_prior(method: CorrelatedT, theta: FloatArray) -> FloatArray:
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


def finish_correlated_t(
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
        advantage = _correlated_t_test_means_given(theta.reshape(-1, theta.shape[-1]), each, rng)
        posterior[ADVANTAGE] = ((*_SAMPLE, "dataset"), advantage.reshape(*theta.shape[:2], -1))
    means = posterior[ADVANTAGE].transpose(*_SAMPLE, "dataset").values
    if SIGMA not in posterior:
        sigma = draw_correlated_t_spreads(means, each.dof, each.location, each.scale, each.rho, rng)
        posterior[SIGMA] = ((*_SAMPLE, "dataset"), sigma)
    tree["posterior"] = xr.DataTree(posterior)
    _predict_correlated_t_test(tree, results, each, rng)
    tree["observed_data"] = xr.DataTree(_correlated_t_test_observed(results, each))
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
    tree = shrink_shared_predictions(shared_ratio_prior(shared_logit_prior(tree, ["r"]), ["theta"]))
    return add_shared_constants(tree, facts, results.datasets)


def _correlated_t_test_means_given(
    theta: FloatArray, each: Replicates, rng: np.random.Generator
) -> FloatArray:
    """Draw the statement of every dataset given the shares, and its mean advantage within that."""
    statement = draw_poisson_multinomial_regions(each.evidence, theta, rng)
    # Statements begin with the first better, regions with the left.
    region = 2 - statement if each.rope else 2 * (1 - statement)
    return draw_correlated_t_within(each.dof, each.location, each.scale, region, each.rope, rng)


def _predict_correlated_t_test(
    tree: xr.DataTree, results: Results, each: Replicates, rng: np.random.Generator
) -> None:
    """Add replicates again on the same datasets, and statements on new ones, where not there."""
    import xarray as xr

    posterior = tree["posterior"].to_dataset()
    key = "posterior_predictive"
    predicted = tree[key].to_dataset() if key in tree else xr.Dataset()
    if OUTCOME not in predicted:
        theta = posterior["theta"].transpose(*_SAMPLE, "statement")
        drawn = shared_statement_each(theta.values, len(results.datasets), rng)
        dims = (*_SAMPLE, "dataset", "statement")
        predicted = predicted.assign(
            {
                OUTCOME: xr.DataArray(
                    drawn,
                    {**theta.coords, "dataset": _correlated_t_test_dataset_names(results)},
                    dims,
                )
            }
        )
    if DIFFERENCE not in predicted:
        means, spreads = (
            posterior[name].transpose(*_SAMPLE, "dataset").values for name in (ADVANTAGE, SIGMA)
        )
        again = draw_correlated_t_differences(means, spreads, each.rho, len(each.names), rng)
        # Half the memory: a hundred replicates of each dataset are many.
        predicted[DIFFERENCE] = ((*_SAMPLE, "dataset", "replicate"), again.astype(np.float32))
    predicted = predicted.assign_coords(
        replicate=list(each.names), dataset=_correlated_t_test_dataset_names(results)
    )
    present = xr.DataArray(each.present, dims=("dataset", "replicate"))
    predicted[DIFFERENCE] = predicted[DIFFERENCE].where(present)
    tree[key] = xr.DataTree(predicted[[OUTCOME, DIFFERENCE]])


def _correlated_t_test_observed(results: Results, each: Replicates) -> xr.Dataset:
    """What was seen: the differences, and what they say for every statement."""
    import xarray as xr

    return xr.Dataset(
        {
            OUTCOME: (("dataset", "statement"), each.evidence),
            DIFFERENCE: (("dataset", "replicate"), each.differences),
        },
        {
            "dataset": _correlated_t_test_dataset_names(results),
            "statement": list(each.labels),
            "replicate": list(each.names),
        },
        attrs={"sample_dims": []},
    )


def _correlated_t_test_dataset_names(results: Results) -> list[str]:
    return list(results.datasets)
