r"""The learned prior of the multinomial-Dirichlet test in PyMC.

.. math:: p(\theta) = \sum_A g(A)\, \mathrm{Dirichlet}(\theta;\, A\,\varphi)

The textbook form has A as a variable. NUTS moves no discrete variable, so its form has θ from one
Dirichlet, of the strength that g favours, and a Potential that makes the sum of it; A is drawn
back given θ, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import gammaln, logsumexp

from bayescompare._typing import FloatArray
from bayescompare.comparison.method import Form
from bayescompare.methods._shared.learned_prior import LearnedPrior, place_learned
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import place_dirichlet

__all__ = ["place_mixture", "with_log_prior", "with_strengths"]


#: θ below this is this: its logarithm enters a density.
_LEAST = 1e-300


def place_mixture(form: Form, listing: LumpedStatements, learned: LearnedPrior) -> Any:
    """Add θ under the learned prior to the model in context; return log θ."""
    import pymc as pm

    base, total = np.exp(listing.log_alpha), float(listing.counts.sum())
    if form == "textbook":
        alpha = place_learned("strength", learned) * base
        return place_dirichlet(form, "theta", alpha, total, ("statement",))
    middle = learned.values[int(np.argmax(learned.weights))]
    log_theta = place_dirichlet(form, "theta", middle * base, total, ("statement",))
    constant, shape = _terms(listing, learned)
    own, own_shape = _dirichlet(middle, base)
    # Only differences from the one Dirichlet enter: θ^(α−1) itself may leave the float range.
    logs = constant - own + ((shape - own_shape) * log_theta).sum(axis=1)
    pm.Potential("learned_theta", pm.math.logsumexp(logs))
    return log_theta


def _dirichlet(strength: float, base: FloatArray) -> tuple[float, FloatArray]:
    """Log normaliser and exponents of Dirichlet(A φ)."""
    alpha = strength * base
    return float(gammaln(alpha.sum()) - gammaln(alpha).sum()), alpha - 1.0


def _terms(listing: LumpedStatements, learned: LearnedPrior) -> tuple[FloatArray, FloatArray]:
    """log g plus the log normaliser of every strength, and its exponents (C, S)."""
    base = np.exp(listing.log_alpha)
    parts = [_dirichlet(a, base) for a in learned.values]
    constants = np.array([constant for constant, _ in parts]) + np.log(learned.weights)
    return constants, np.stack([shape for _, shape in parts])


def _log_densities(
    theta: xr.DataArray, listing: LumpedStatements, learned: LearnedPrior
) -> FloatArray:
    """log g(A) Dirichlet(θ; A φ) for every draw and strength: (chain, draw, C)."""
    values = theta.transpose("chain", "draw", "statement").values
    constant, shape = _terms(listing, learned)
    return np.asarray(constant + np.log(np.maximum(values, _LEAST)) @ shape.T)


def with_strengths(
    tree: xr.DataTree, listing: LumpedStatements, learned: LearnedPrior, rng: np.random.Generator
) -> xr.DataTree:
    """Draw A given θ where NUTS summed it out, and leave out its index where it did not."""
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset().drop_vars("strength_index", errors="ignore")
        if "strength" not in data:
            logs = _log_densities(data["theta"], listing, learned)
            share = np.cumsum(np.exp(logs - logsumexp(logs, axis=-1, keepdims=True)), axis=-1)
            chosen = (rng.random((*share.shape[:2], 1)) >= share[..., :-1]).sum(axis=-1)
            data["strength"] = (("chain", "draw"), np.array(learned.values)[chosen])
        tree[group] = xr.DataTree(data)
    return tree


def with_log_prior(
    tree: xr.DataTree, listing: LumpedStatements, learned: LearnedPrior
) -> xr.DataTree:
    """Let the log prior be that of θ itself, A summed out, however the draws were made."""
    theta = tree["posterior"].to_dataset()["theta"]
    density = logsumexp(_log_densities(theta, listing, learned), axis=-1)
    variables = {"theta": (("chain", "draw"), density)}
    coords = {name: theta[name].values for name in ("chain", "draw")}
    tree["log_prior"] = xr.DataTree(xr.Dataset(variables, coords))
    return tree
