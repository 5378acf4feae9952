"""What further datasets would say under the pooled model, exactly or at the draws of an answer.

A new dataset has as many discordant examples as one of those seen; μ and ρ are drawn from their
posterior, the dataset's own share given them, and its errors given that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logit

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial_density import (
    beta_binomial_logit_likelihood,
    posterior_density,
)
from bayescompare.kernels.context.beta_binomial_draws import draw_hyper, draw_pooled_shares
from bayescompare.kernels.context.beta_binomial_growth import grown_beta_binomial
from bayescompare.kernels.context.beta_binomial_nodes import (
    PANELS,
    BetaBinomialGrid,
    beta_binomial_grid_of,
    beta_binomial_support_of,
)
from bayescompare.methods._shared.pair_answer import pair_counts
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["plan_pooled", "weigh_hierarchical_plan"]

Counts = tuple[FloatArray, FloatArray]
#: Nodes of less mass do not matter to what data that the posterior predicts will say.
_FAINT = 1e-13
#: Finer than the posterior itself needs, for with more datasets it is narrower.
_PANELS = PANELS[2]


def plan_pooled(
    results: Results, densities: dict[str, Any]
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds so many predicted datasets, and integrates again."""
    counts = pair_counts(results)
    density = posterior_density(*counts, **densities)
    grid, _ = beta_binomial_grid_of(density, beta_binomial_support_of(density), _PANELS)
    kept = BetaBinomialGrid(*(column[grid.mass > _FAINT] for column in grid))

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        mu, rho = draw_hyper(*counts, grid, 1, rng, **densities)
        new = _hierarchical_plan_new_counts(counts, number, mu, rho, rng)
        return np.array(grown_beta_binomial(counts, new, kept, **densities))

    return simulate


def weigh_hierarchical_plan(
    results: Results, tree: xr.DataTree
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that predicts so many datasets from one draw, and weighs every draw.

    It returns the log likelihood of those datasets at every draw (chain, draw).
    """
    counts, posterior = pair_counts(results), tree["posterior"]
    mu, rho = (posterior[name].transpose("chain", "draw").values for name in ("mu", "rho"))
    u, v = logit(mu).ravel(), logit(rho).ravel()

    def likelihood(number: int, rng: np.random.Generator) -> FloatArray:
        one = [int(rng.integers(mu.size))]
        new = _hierarchical_plan_new_counts(counts, number, mu.ravel()[one], rho.ravel()[one], rng)
        return beta_binomial_logit_likelihood(*new)(u, v).reshape(mu.shape)

    return likelihood


def _hierarchical_plan_new_counts(
    counts: Counts, number: int, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> Counts:
    """Errors on new datasets, each of which is as large as one of those seen."""
    size = rng.choice(counts[0] + counts[1], size=number)
    nothing = np.zeros(number)
    (share,) = draw_pooled_shares(nothing, nothing, mu, rho, rng)
    first = rng.binomial(size.astype(np.int64), share).astype(np.float64)
    return first, size - first
