"""The log likelihood of any data by dataset, at many draws at once, compiled from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray
from bayescompare.comparison.nuts import nuts_starts_put_aside, quiet_nuts_warnings

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["batched_likelihood", "model_file_flat_draws", "model_file_observed_values"]


def batched_likelihood(model: pm.Model) -> Any:
    """Compile the log likelihood (draw, dataset) of the free variables' draws and of any data.

    The function takes the free variables, each with draws in front, then the data of each observed
    variable.
    """
    import pytensor.tensor as pt
    from pymc.model.transform.conditioning import remove_value_transforms
    from pymc.pytensorf import compile as compile_
    from pytensor.compile.mode import Mode
    from pytensor.graph.replace import graph_replace, vectorize_graph

    with nuts_starts_put_aside(model):
        plain = remove_value_transforms(model)
    # The copy may have its variables in another order.
    observed, free = (
        [plain[str(rv.name)] for rv in rvs] for rvs in (model.observed_RVs, model.free_RVs)
    )
    values = [plain.rvs_to_values[rv] for rv in observed]
    data = [pt.tensor(dtype=v.dtype, shape=(None,) * v.ndim) for v in values]
    with plain:
        terms = plain.logp(observed, sum=False)
    total: Any = sum(map(_model_file_term_by_dataset, [plain] * len(terms), observed, terms))
    replaced = graph_replace([total], dict(zip(values, data, strict=True)), strict=False)[0]
    places = [plain.rvs_to_values[rv] for rv in free]
    drawn = [pt.tensor(dtype=v.dtype, shape=(None, *v.type.shape)) for v in places]
    with quiet_nuts_warnings():
        every = vectorize_graph(replaced, dict(zip(places, drawn, strict=True)))
        # Numba would compile for many seconds, and fails on selections that are empty.
        mode = Mode("cvm", "fast_run")
        return compile_([*drawn, *data], every, on_unused_input="ignore", mode=mode)


def _model_file_term_by_dataset(model: pm.Model, rv: Any, term: Any) -> Any:
    dims = list(model.named_vars_to_dims.get(rv.name) or ())
    if "dataset" not in dims or dims.index("dataset") >= term.ndim:
        raise BayescompareError(
            f"the likelihood {rv.name!r} is not one for each dataset; give it the dim 'dataset'."
        )
    axis = dims.index("dataset")
    return term.sum(axis=[k for k in range(term.ndim) if k != axis])


def model_file_flat_draws(model: pm.Model, posterior: xr.Dataset) -> list[AnyArray]:
    """Draws of every free variable, (chain · draw, …)."""
    drawn = []
    for rv in model.free_RVs:
        values = posterior[str(rv.name)].transpose("chain", "draw", ...).values
        drawn.append(values.reshape(-1, *values.shape[2:]).astype(rv.dtype))
    return drawn


def model_file_observed_values(model: pm.Model) -> list[AnyArray]:
    """The data of every observed variable."""
    values = [model.rvs_to_values[rv] for rv in model.observed_RVs]
    return [_model_file_value(v) for v in values]


def _model_file_value(value: Any) -> AnyArray:
    """A constant, shared data, or shared data that PyMC has cast to the variable's type."""
    if hasattr(value, "data"):
        return np.asarray(value.data)
    if hasattr(value, "get_value"):
        return np.asarray(value.get_value())
    return np.asarray(value.eval(mode="FAST_COMPILE"))
