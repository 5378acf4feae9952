"""Draws of both optima by the Bayesian bootstrap: Dirichlet weights on the datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.gsd.batch import optima
from bayescompare.methods._shared.trees import constants, make_tree
from bayescompare.results.results import Results
from bayescompare.statements import State

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.gsd.base import GsdMethod

__all__ = ["bootstrap_tree", "draw_weights"]


def bootstrap_tree(
    method: GsdMethod, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw the datasets' weights and opt in both directions."""
    if len(results.algorithms) != 2:
        raise BayescompareError(
            f"draws() are of one pair, and there are {len(results.algorithms)} algorithms: compare "
            "two of them."
        )
    pair = method.pair(results)
    weights = draw_weights(len(results.datasets), chains * draws, rng)
    optimum = optima(pair.solver, pair.weighted(weights), pair.used_delta)
    first = State.order(*results.algorithms)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {
            "opt": optimum.reshape(chains, draws, 2),
            "weight": weights.reshape(chains, draws, -1),
        },
        "observed_data": {"observed_opt": np.array(pair.optimum())},
    }
    dims = {"opt": ("direction",), "weight": ("dataset",), "observed_opt": ("direction",)}
    coords = {
        "direction": [str(first), str(first.reversed())],
        "dataset": list(results.datasets),
    }
    used = np.full(len(results.datasets), 1.0 / len(results.datasets))
    return constants(make_tree(groups, dims, coords), {"share": used}, results.datasets)


def draw_weights(datasets: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw from Dirichlet(1, …, 1)."""
    return rng.dirichlet(np.ones(datasets), size=draws)
