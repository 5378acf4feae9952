"""The Bayesian bootstrap as draws: weights of the datasets, and both optima under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.gsd.optimum import both_optima
from bayescompare.methods._shared.simplex import DRAWN, WEIGHT
from bayescompare.methods._shared.trees import (
    add_constants,
    make_tree,
    ratio_prior,
)
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.statements import State
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.gsd import GsdMethod


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
    weights = rng.dirichlet(alpha, size=chains * draws).reshape(chains, draws, -1)
    before = alpha - 1.0
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {WEIGHT: weights},
        "posterior_predictive": {DRAWN: _datasets_drawn(weights, rng)},
        "log_likelihood": {DRAWN: _log_weights(weights)},
        "observed_data": {DRAWN: np.arange(len(alpha))},
    }
    if (before > 0.0).all():
        prior = rng.dirichlet(before, size=draws)[None]
        groups["prior"] = {WEIGHT: prior}
        groups["prior_predictive"] = {DRAWN: _datasets_drawn(prior, rng)}
    tree = make_tree(
        groups, dict.fromkeys((WEIGHT, DRAWN), ("dataset",)), {"dataset": list(results.datasets)}
    )
    # Of a vector, but one number for each. The constant of an improper prior is arbitrary.
    norm = gammaln(before.sum()) - gammaln(before).sum() if (before > 0.0).all() else 0.0
    logs = norm + _log_weights(weights) @ (before - 1.0)
    sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
    tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
    return with_optima(method.pair(results), tree)


def with_optima(pair: DominanceProblem, tree: xr.DataTree) -> xr.DataTree:
    """Add both optima to a tree of weights, where they are not in it, and the observed ones."""
    import xarray as xr

    results = pair.results
    for group in ("posterior", "prior"):
        if group in tree and OPTIMUM not in tree[group]:
            data = tree[group].to_dataset().assign_coords({"dataset": list(results.datasets)})
            weights = data[WEIGHT].transpose(*_SAMPLE, "dataset").values
            objectives = pair.system.objective(weights.reshape(-1, weights.shape[-1]))
            found = both_optima(pair.solver, objectives, pair.used_delta)
            data[OPTIMUM] = ((*_SAMPLE, "direction"), found.reshape(*weights.shape[:2], 2))
            data = data.assign_coords(direction=directions(results))
            tree[group] = xr.DataTree(data)
    observed = tree["observed_data"].to_dataset().assign_coords({"dataset": list(results.datasets)})
    observed["observed_opt"] = ("direction", np.array(pair.optimum()))
    tree["observed_data"] = xr.DataTree(observed.assign_coords(direction=directions(results)))
    share = np.full(len(results.datasets), 1.0 / len(results.datasets))
    return add_constants(ratio_prior(tree, [WEIGHT]), {"share": share}, results.datasets)


def directions(results: Results) -> list[str]:
    """Name both directions: the first over the second, and the reverse."""
    first = State.order(*results.algorithms)
    return [str(first), str(first.reversed())]


def _datasets_drawn(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions in their list."""
    n = weights.shape[-1]
    ends = np.cumsum(weights, axis=-1)
    at = rng.random(weights.shape) * ends[..., -1:]
    rows = zip(ends.reshape(-1, n), at.reshape(-1, n), strict=True)
    chosen = np.array([np.searchsorted(end, a, side="right") for end, a in rows])
    return np.asarray(np.minimum(chosen, n - 1).reshape(weights.shape))


def _log_weights(weights: FloatArray) -> FloatArray:
    return np.log(np.maximum(weights, np.finfo(np.float64).tiny))
