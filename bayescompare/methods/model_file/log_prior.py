"""The log prior of a model's shares and probability vectors, on the scale that powers act on.

A uniform share and a flat Dirichlet have no density to raise to a power. That of the share's logit
and of the vector's log ratios has one, and to the power γ it means Beta(a, b) → Beta(γa, γb) and
Dirichlet(α) → Dirichlet(γα), as in the trees of the package's own methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.methods._shared.trees import shared_ratio_prior

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["bounded_prior"]


def bounded_prior(tree: xr.DataTree, model: pm.Model) -> xr.DataTree:
    """Take the log prior of what has two bounds as that of its logit, and of vectors as of ratios.

    Only priors at the top of the hierarchy, which are those that are scaled; a half-bounded
    parameter keeps the density that was written.
    """
    from pymc.logprob.transforms import SimplexTransform

    vectors = []
    for name in np.atleast_1d(tree["log_prior"].attrs["top_level"]).tolist():
        # An edited model may have other variables.
        if name not in model.named_vars:
            continue
        rv = model[name]
        transform = model.rvs_to_transforms.get(rv)
        if isinstance(transform, SimplexTransform):
            vectors.append(name)
        elif (bounds := _model_file_variable_bounds(rv, transform)) is not None:
            tree = _model_file_prior_logit_scaled(tree, name, *bounds)
    return shared_ratio_prior(tree, vectors)


def _model_file_variable_bounds(rv: Any, transform: Any) -> tuple[Any, Any] | None:
    """Both ends of where a variable lies; None where it has no two."""
    from pymc.logprob.transforms import IntervalTransform, LogOddsTransform

    if isinstance(transform, LogOddsTransform):
        return 0.0, 1.0
    if not isinstance(transform, IntervalTransform):
        return None
    low, high = transform.args_fn(*rv.owner.inputs)
    if low is None or high is None:
        return None
    # A variable at the top has bounds that are no random variables.
    return low.eval(), high.eval()


def _model_file_prior_logit_scaled(
    tree: xr.DataTree, name: str, low: Any, high: Any
) -> xr.DataTree:
    import xarray as xr

    prior, value = tree["log_prior"].to_dataset(), tree["posterior"][name]
    prior[name] = prior[name] + np.log(value - low) + np.log(high - value)
    tree["log_prior"] = xr.DataTree(prior)
    return tree
