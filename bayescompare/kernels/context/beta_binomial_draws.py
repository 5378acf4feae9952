"""Draws from the posterior of the pooled Beta-binomial model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial_density import (
    Density,
    LogPrior,
    posterior_density,
)
from bayescompare.kernels.context.beta_binomial_nodes import BetaBinomialGrid

__all__ = ["draw_hyper", "draw_pooled_shares"]


def draw_hyper(
    k_h: ArrayLike,
    k_g: ArrayLike,
    grid: BetaBinomialGrid,
    draws: int,
    rng: np.random.Generator,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Draw μ and ρ, independently, from the posterior that `grid` was computed for.

    A node is drawn by its mass and a point of its cell uniformly. The density at the point over
    that at the node is near one; ten independent Metropolis proposals correct for it.

    Returns
    -------
    mu, rho : arrays (draws,)

    Examples
    --------
    >>> from bayescompare.kernels.context.beta_binomial import pool_beta_binomial
    >>> first, second = [2, 1, 4, 0, 3], [5, 6, 4, 3, 9]
    >>> posterior = pool_beta_binomial(first, second)
    >>> mu, _ = draw_hyper(first, second, posterior.grid, 4000, np.random.default_rng(1))
    >>> bool(abs(mu.mean() - posterior.mean_mu) < 4 * posterior.sd_mu / 4000**0.5)
    True
    """
    density = posterior_density(k_h, k_g, log_prior_mu, log_prior_rho)
    u, v, excess = _propose_beta_binomial_draws(density, grid, draws, rng)
    for _ in range(10):
        new_u, new_v, new_excess = _propose_beta_binomial_draws(density, grid, draws, rng)
        taken = -rng.standard_exponential(draws) < new_excess - excess
        u, v = np.where(taken, new_u, u), np.where(taken, new_v, v)
        excess = np.where(taken, new_excess, excess)
    return expit(u), expit(v)


def _propose_beta_binomial_draws(
    density: Density, grid: BetaBinomialGrid, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points in cells chosen by mass, and the log density there over that of the node."""
    node = rng.choice(len(grid.mass), size=draws, p=grid.mass / grid.mass.sum())
    u = grid.u_cell[node, 0] + grid.u_cell[node, 1] * rng.random(draws)
    v = grid.v_cell[node, 0] + grid.v_cell[node, 1] * rng.random(draws)
    return u, v, density(u, v) - grid.log_density[node]


def draw_pooled_shares(
    k_h: ArrayLike, k_g: ArrayLike, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> FloatArray:
    r"""Draw every dataset's discordance probability, conjugate given μ and ρ.

    .. math:: z_i \sim \mathrm{Beta}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_pooled_shares([3], [9], np.array([0.25]), np.array([1e-30]), rng).round(9).tolist()
    [[0.25]]
    """
    phi = ((1.0 - rho) / rho)[:, None]
    first = mu[:, None] * phi + np.asarray(k_h, dtype=np.float64)
    second = (1.0 - mu)[:, None] * phi + np.asarray(k_g, dtype=np.float64)
    return np.asarray(rng.beta(first, second))
