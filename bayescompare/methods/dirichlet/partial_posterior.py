"""A table with missing cells in PyMC, and exact draws of its posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.posterior import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.replicated.partial import PartialPosterior
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import LATENTS, shared_weighted_logs
from bayescompare.methods._shared.trees import (
    finish_shared_tree,
    make_shared_tree,
    shared_latent_log_prior,
    shared_statement_coords,
    shared_statement_each,
)
from bayescompare.partly_seen import PartialTable
from bayescompare.statements import OUTCOME

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["observe_partial_dirichlet", "partial_tree"]


def observe_partial_dirichlet(table: PartialTable, log_theta: Any, weights: Any) -> None:
    """Observe every dataset: Σ w log θ where it is complete, else log Σ θ over what it leaves.

    A new dataset is one statement.
    """
    import pymc as pm
    import pytensor.tensor as pt

    n = len(table.gap)
    partly = np.zeros(n)
    partly[table.gap] = 1.0
    # What the ties among the values seen leave of each statement's weight.
    scale = np.zeros(n)
    scale[table.gap] = table.rows.max(axis=1)

    def logp(value: Any, log_p: Any, part: Any, log_scale: Any) -> Any:
        left = pt.switch(pt.gt(value, 0.0), log_p, -np.inf)
        together = log_scale + pm.math.logsumexp(left, axis=-1, keepdims=False)
        return pt.switch(pt.gt(part, 0.0), together, shared_weighted_logs(value, log_p))

    def dist(log_p: Any, part: Any, log_scale: Any, size: Any) -> Any:
        alike = 0.0 * (part + log_scale)[..., None]
        return pm.Multinomial.dist(1, pt.exp(log_p) + alike, size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        log_theta,
        partly,
        scale,
        logp=logp,
        dist=dist,
        observed=weights,
        dims=("dataset", "statement"),
        signature="(s),(),()->(s)",
    )


def partial_tree(
    table: PartialTable,
    listing: LumpedStatements,
    posterior: PartialPosterior,
    strengths: FloatArray | None,
    size: tuple[int, int],
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw a component of the prior, the statements of partly seen datasets, and θ."""
    draws = size[1]
    component, counts = posterior.draw(size, rng)
    before = rng.choice(len(posterior.prior), size=(1, draws), p=posterior.prior)
    alphas = [np.log(posterior.alpha)[drawn] for drawn in (component, before)]
    after = draw_dirichlet_latents(alphas[0], counts, size, rng)
    nothing = np.zeros_like(listing.counts)
    logs = dirichlet_log_theta(alphas[0], *after)
    prior = np.exp(
        dirichlet_log_theta(alphas[1], *draw_dirichlet_latents(alphas[1], nothing, (1, draws), rng))
    )
    theta, n = np.exp(logs), len(table.gap)
    likelihood = logs @ listing.weights.T
    likelihood[..., table.gap] = logsumexp(logs[:, :, None, :] + table.rows, axis=-1)
    groups: dict[str, dict[str, Any]] = {
        "posterior": {"theta": theta},
        "prior": {"theta": prior},
        "posterior_predictive": {OUTCOME: shared_statement_each(theta, n, rng)},
        "prior_predictive": {OUTCOME: shared_statement_each(prior, n, rng)},
        "log_likelihood": {OUTCOME: likelihood},
        "log_prior": shared_latent_log_prior("theta", np.exp(alphas[0]), *after),
        "observed_data": {OUTCOME: listing.weights},
    }
    if strengths is not None:
        groups["posterior"]["strength"] = strengths[component]
        groups["prior"]["strength"] = strengths[before]
    dims = {
        "strength": (),
        OUTCOME: ("dataset", "statement"),
        **dict.fromkeys(("theta", *(f"{prefix}theta" for prefix in LATENTS)), ("statement",)),
    }
    tree = make_shared_tree(groups, dims, shared_statement_coords(table.results, listing))
    return finish_shared_tree(tree, table.results, listing, rng)
