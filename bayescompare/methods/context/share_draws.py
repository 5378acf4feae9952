"""Draws of the shares of datasets, from their posterior and their prior, and their log prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln, logit, logsumexp

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.context.rate_quadrature import rate_posterior
from bayescompare.methods._shared.trees import (
    draw_given_component,
    logit_prior,
    ratio_prior,
)

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.context.shares import SharePosterior, ShareTest

__all__ = [
    "SHARE_DIMS",
    "Shares",
    "drawn_shares",
    "log_prior_of_shares",
    "with_learned_log_prior",
    "with_log_prior",
]

#: Of the variables that draws of shares have.
SHARE_DIMS: dict[str, tuple[str, ...]] = {
    "r": (),
    "strength": (),
    "component": (),
    "theta": ("statement",),
    "free": ("statement",),
}


class Shares(NamedTuple):
    """Variables by name: draws from the posterior, from the prior, and the log prior of these."""

    posterior: dict[str, AnyArray]
    prior: dict[str, AnyArray]
    log_prior: dict[str, AnyArray]


def drawn_shares(asked: SharePosterior, size: tuple[int, int], rng: np.random.Generator) -> Shares:
    """Draw independently from the posterior, and once as many from the prior.

    Of two statements the first has the share r. What pairs taught has three further variables; see
    `draw_given_component`.
    """
    method, before = asked.method, (1, size[1])
    posterior: dict[str, AnyArray]
    if method.rate_prior is not None:
        after = method.rate_after(asked.results).draw(size[0] * size[1], rng).reshape(size)
        first = rate_posterior([], method.rate_prior).draw(size[1], rng)[None]
        posterior, prior = ({"theta": np.stack([r, 1.0 - r], axis=-1)} for r in (after, first))
    else:
        theta = asked.theta
        assert theta is not None, "asked only where the answer is exact"
        log_base = method.log_base(theta.evidence.statements)
        component, vector = theta.draw_place(size, rng)
        counts = theta.counts[vector]
        posterior, _ = draw_given_component(log_base, method.learned, component, counts, rng)
        weights = np.exp(theta.prior.log_weight)
        chosen = rng.choice(len(weights), size=before, p=weights / weights.sum())
        nothing = np.zeros_like(log_base)
        prior, _ = draw_given_component(log_base, method.learned, chosen, nothing, rng)
    for variables in (posterior, prior):
        variables.pop("log_theta", None)
        if variables["theta"].shape[-1] == 2:
            variables["r"] = variables["theta"][..., 0]
    return Shares(posterior, prior, log_prior_by_name(method, posterior))


def log_prior_by_name(method: ShareTest, drawn: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Log prior of the draws, by the name of what has a density."""
    if "free" in drawn:
        return {"free": log_density_of_shares(method, drawn["free"])}
    return {"r" if "r" in drawn else "theta": log_density_of_shares(method, drawn["theta"])}


def log_density_of_shares(method: ShareTest, theta: AnyArray) -> FloatArray:
    """Log density of the shares, what was learned of their prior summed out.

    Where a pair may have no difference it is that of `free`, which has a density.
    """
    logs = np.log(np.maximum(theta, np.finfo(np.float64).tiny))
    if method.rate_prior is not None:
        log_density = method.rate_prior.log_density(logit(theta[..., 0]))
        return np.asarray(log_density - logs.sum(axis=-1))
    learned, size = method.learned, theta.shape[-1]
    if learned is None:
        alpha, weight = np.full((1, size), method.weight), np.ones(1)
    else:
        base = np.full(size, 1.0)
        if learned.folds:
            base = np.array(list(learned.shares.values()))
        alpha = np.array(learned.values)[:, None] * base
        weight = learned.strength_weights
    norm = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    return np.asarray(logsumexp(norm + logs @ (alpha - 1.0).T, b=weight, axis=-1))


def with_log_prior(tree: xr.DataTree, log_prior: Mapping[str, AnyArray]) -> xr.DataTree:
    """Add the log prior to a tree of draws: one number for each, of a vector too."""
    import xarray as xr

    order = ("chain", "draw")
    posterior = tree["posterior"].to_dataset()
    logs = {name: (order, values) for name, values in log_prior.items()}
    coords = {name: posterior[name].values for name in order}
    tree["log_prior"] = xr.DataTree(xr.Dataset(logs, coords, {"sample_dims": list(order)}))
    return tree


def with_learned_log_prior(method: ShareTest, tree: xr.DataTree) -> xr.DataTree:
    """Let the log prior of NUTS's draws be that of the shares, what was learned summed out."""
    if method.learned is None:
        return tree
    posterior = tree["posterior"].to_dataset()
    there = [name for name in ("free", "theta") if name in posterior]
    drawn = {n: posterior[n].transpose("chain", "draw", "statement").values for n in there}
    return with_log_prior(tree, log_prior_by_name(method, drawn))


def log_prior_of_shares(tree: xr.DataTree) -> xr.DataTree:
    """Take log priors as those of logits or log ratios, which may be raised to powers."""
    return ratio_prior(logit_prior(tree, ["r"]), ["theta", "free"])
