"""The Bayesian bootstrap as draws: weights of the datasets, and both optima under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.gsd.batch import optima
from bayescompare.methods._shared.bootstrap import DRAWN, WEIGHT
from bayescompare.methods._shared.trees import constants, make_tree, ratio_prior
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.results.results import Results
from bayescompare.statements import State

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.gsd.base import GsdMethod

__all__ = ["OPTIMUM", "bootstrap_tree", "directions", "draw_weights", "finish"]

#: The name of the optima under the datasets' weights.
OPTIMUM = "opt"

_SAMPLE = ("chain", "draw")


def bootstrap_tree(
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
    weights = draw_weights(alpha, chains * draws, rng).reshape(chains, draws, -1)
    before = alpha - 1.0
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {WEIGHT: weights},
        "posterior_predictive": {DRAWN: _draw_datasets(weights, rng)},
        "log_likelihood": {DRAWN: _log(weights)},
        "observed_data": {DRAWN: np.arange(len(alpha))},
    }
    if (before > 0.0).all():
        prior = draw_weights(before, draws, rng)[None]
        groups["prior"] = {WEIGHT: prior}
        groups["prior_predictive"] = {DRAWN: _draw_datasets(prior, rng)}
    tree = make_tree(groups, dict.fromkeys((WEIGHT, DRAWN), ("dataset",)), _coords(results))
    # Of a vector, but one number for each. The constant of an improper prior is arbitrary.
    norm = gammaln(before.sum()) - gammaln(before).sum() if (before > 0.0).all() else 0.0
    logs = norm + _log(weights) @ (before - 1.0)
    sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
    tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
    return finish(method.pair(results), tree)


def finish(pair: DominanceProblem, tree: xr.DataTree) -> xr.DataTree:
    """Add both optima to a tree of weights, where they are not in it, and the observed ones."""
    import xarray as xr

    results = pair.results
    for group in ("posterior", "prior"):
        if group in tree and OPTIMUM not in tree[group]:
            data = tree[group].to_dataset().assign_coords(_coords(results))
            weights = data[WEIGHT].transpose(*_SAMPLE, "dataset").values
            objectives = pair.weighted(weights.reshape(-1, weights.shape[-1]))
            found = optima(pair.solver, objectives, pair.used_delta)
            data[OPTIMUM] = ((*_SAMPLE, "direction"), found.reshape(*weights.shape[:2], 2))
            data = data.assign_coords(direction=directions(results))
            tree[group] = xr.DataTree(data)
    observed = tree["observed_data"].to_dataset().assign_coords(_coords(results))
    observed["observed_opt"] = ("direction", np.array(pair.optimum()))
    tree["observed_data"] = xr.DataTree(observed.assign_coords(direction=directions(results)))
    share = np.full(len(results.datasets), 1.0 / len(results.datasets))
    return constants(ratio_prior(tree, [WEIGHT]), {"share": share}, results.datasets)


def draw_weights(alpha: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw from Dirichlet(alpha), (draws, n)."""
    return rng.dirichlet(alpha, size=draws)


def directions(results: Results) -> list[str]:
    """Name both directions: the first over the second, and the reverse."""
    first = State.order(*results.algorithms)
    return [str(first), str(first.reversed())]


def _draw_datasets(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions in their list."""
    ends = np.cumsum(weights, axis=-1)
    at = rng.random(weights.shape) * ends[..., -1:]
    drawn = [
        np.searchsorted(e, a, side="right") for e, a in zip(_rows(ends), _rows(at), strict=True)
    ]
    chosen = np.array(drawn, dtype=np.int64).reshape(weights.shape)
    return np.asarray(np.minimum(chosen, weights.shape[-1] - 1))


def _rows(values: FloatArray) -> FloatArray:
    return values.reshape(-1, values.shape[-1])


def _log(weights: FloatArray) -> FloatArray:
    return np.log(np.maximum(weights, np.finfo(np.float64).tiny))


def _coords(results: Results) -> dict[str, list[str]]:
    return {"dataset": list(results.datasets)}
