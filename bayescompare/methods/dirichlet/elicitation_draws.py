"""Draws from a prior alone, and from what it predicts, as a tree for ArviZ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._version import __version__
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.trees import make_tree, statement_each
from bayescompare.posterior.component import Component
from bayescompare.statements import OUTCOME, Statements

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["elicitation_prior_tree"]


def elicitation_prior_tree(
    statements: Statements,
    cells: Component,
    draws: int,
    datasets: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw θ, who leads each measure, and which statement each of some datasets supports."""
    listing = LumpedStatements.from_cells(statements, cells)
    log_alpha = listing.log_alpha
    drawn = draw_dirichlet_latents(log_alpha, np.zeros_like(log_alpha), (1, draws), rng)
    theta = np.exp(dirichlet_log_theta(log_alpha, *drawn))
    two = len(statements.algorithms) == 2
    marginal_dims = ("measure",) if two else ("measure", "algorithm")
    dims = {
        "theta": ("statement",),
        "marginal": marginal_dims,
        OUTCOME: ("dataset", "statement"),
    }
    coords = {
        "statement": list(listing.labels),
        "measure": list(statements.measures),
        "algorithm": list(statements.algorithms),
        "dataset": [f"new {i + 1}" for i in range(datasets)],
    }
    groups = {
        "prior": {"theta": theta, "marginal": listing.marginal(theta, rng, prior=True)},
        "prior_predictive": {OUTCOME: statement_each(theta, datasets, rng)},
    }
    tree = make_tree(groups, dims, coords)
    tree.attrs.update(inference_package="bayescompare", version=__version__)
    return tree
