"""The Bayesian bootstrap as draws: weights of the datasets, and both optima under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.gsd.optimum import both_optima
from bayescompare.methods._shared.bootstrap import DRAWN, WEIGHT
from bayescompare.methods._shared.trees import (
    add_shared_constants,
    make_shared_tree,
    shared_ratio_prior,
)
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.statements import State
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.gsd.base import GsdMethod

__all__ = ["OPTIMUM", "draw_gsd_weights", "finish_gsd_tree", "gsd_bootstrap_tree", "gsd_directions"]

#: The name of the optima under the datasets' weights.
OPTIMUM = "opt"

_SAMPLE = ("chain", "draw")


def gsd_bootstrap_tree(
    method: GsdMethod, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw the datasets' weights, and what follows from them."""
    import xarray as xr

    if len(results.algorithms) != 2:
        raise BayescompareError(
            f"draws() are of one pair, and there are {len(results.algorithms)} algorithms: compare "
            "two of them."
        )
    alpha = method.weight_alpha(results)
    weights = draw_gsd_weights(alpha, chains * draws, rng).reshape(chains, draws, -1)
    before = alpha - 1.0
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {WEIGHT: weights},
        "posterior_predictive": {DRAWN: _draw_gsd_posterior_datasets(weights, rng)},
        "log_likelihood": {DRAWN: _log_gsd_posterior_weights(weights)},
        "observed_data": {DRAWN: np.arange(len(alpha))},
    }
    if (before > 0.0).all():
        prior = draw_gsd_weights(before, draws, rng)[None]
        groups["prior"] = {WEIGHT: prior}
        groups["prior_predictive"] = {DRAWN: _draw_gsd_posterior_datasets(prior, rng)}
    tree = make_shared_tree(
        groups, dict.fromkeys((WEIGHT, DRAWN), ("dataset",)), _gsd_posterior_coords(results)
    )
    # Of a vector, but one number for each. The constant of an improper prior is arbitrary.
    norm = gammaln(before.sum()) - gammaln(before).sum() if (before > 0.0).all() else 0.0
    logs = norm + _log_gsd_posterior_weights(weights) @ (before - 1.0)
    sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
    tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
    return finish_gsd_tree(method.pair(results), tree)


def finish_gsd_tree(pair: DominanceProblem, tree: xr.DataTree) -> xr.DataTree:
    """Add both optima to a tree of weights, where they are not in it, and the observed ones."""
    import xarray as xr

    results = pair.results
    for group in ("posterior", "prior"):
        if group in tree and OPTIMUM not in tree[group]:
            data = tree[group].to_dataset().assign_coords(_gsd_posterior_coords(results))
            weights = data[WEIGHT].transpose(*_SAMPLE, "dataset").values
            objectives = pair.weighted(weights.reshape(-1, weights.shape[-1]))
            found = both_optima(pair.solver, objectives, pair.used_delta)
            data[OPTIMUM] = ((*_SAMPLE, "direction"), found.reshape(*weights.shape[:2], 2))
            data = data.assign_coords(direction=gsd_directions(results))
            tree[group] = xr.DataTree(data)
    observed = tree["observed_data"].to_dataset().assign_coords(_gsd_posterior_coords(results))
    observed["observed_opt"] = ("direction", np.array(pair.optimum()))
    tree["observed_data"] = xr.DataTree(observed.assign_coords(direction=gsd_directions(results)))
    share = np.full(len(results.datasets), 1.0 / len(results.datasets))
    return add_shared_constants(
        shared_ratio_prior(tree, [WEIGHT]), {"share": share}, results.datasets
    )


def draw_gsd_weights(alpha: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw from Dirichlet(alpha), (draws, n)."""
    return rng.dirichlet(alpha, size=draws)


def gsd_directions(results: Results) -> list[str]:
    """Name both directions: the first over the second, and the reverse."""
    first = State.order(*results.algorithms)
    return [str(first), str(first.reversed())]


def _draw_gsd_posterior_datasets(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions in their list."""
    ends = np.cumsum(weights, axis=-1)
    at = rng.random(weights.shape) * ends[..., -1:]
    drawn = [
        np.searchsorted(e, a, side="right")
        for e, a in zip(_gsd_posterior_rows(ends), _gsd_posterior_rows(at), strict=True)
    ]
    chosen = np.array(drawn, dtype=np.int64).reshape(weights.shape)
    return np.asarray(np.minimum(chosen, weights.shape[-1] - 1))


def _gsd_posterior_rows(values: FloatArray) -> FloatArray:
    return values.reshape(-1, values.shape[-1])


def _log_gsd_posterior_weights(weights: FloatArray) -> FloatArray:
    return np.log(np.maximum(weights, np.finfo(np.float64).tiny))


def _gsd_posterior_coords(results: Results) -> dict[str, list[str]]:
    return {"dataset": list(results.datasets)}
