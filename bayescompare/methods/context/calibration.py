"""Truths from the models of error counts, and draws from their posteriors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayescompare.kernels.context.beta_binomial import pool_beta_binomial
from bayescompare.kernels.context.beta_binomial_draws import draw_hyper
from bayescompare.kernels.context.error_rates import first_error_rate_better
from bayescompare.kernels.context.poisson_binomial import draw_poisson_binomial_rates
from bayescompare.kernels.context.poisson_binomial_joint import poisson_binomial_counts
from bayescompare.outcome.method import Replicate

__all__ = ["simulate_context_counts", "simulate_context_pooled"]


def simulate_context_counts(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 15,
    discordant: int = 12,
    a: float = 1.0,
    b: float = 1.0,
) -> Iterator[Replicate]:
    """The full model: r."""
    for _ in range(simulations):
        rate = rng.beta(b, b)
        low = rng.beta(a, a, size=datasets)
        low = np.minimum(low, 1.0 - low)
        z = np.where(rng.random(datasets) < rate, low, 1.0 - low)
        wrong = rng.binomial(discordant, z)
        p = first_error_rate_better(wrong, discordant - wrong, a)
        yield {
            "r": (
                float(rate),
                draw_poisson_binomial_rates(poisson_binomial_counts(p, b)[0], draws, rng, b),
            )
        }


def simulate_context_pooled(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 8,
    discordant: int = 15,
) -> Iterator[Replicate]:
    """Partial pooling: μ and ρ."""
    for _ in range(simulations):
        mu, rho = rng.random(), rng.random()
        phi = (1.0 - rho) / rho
        z = rng.beta(mu * phi, (1.0 - mu) * phi, size=datasets)
        k_h = rng.binomial(discordant, z).astype(np.float64)
        k_g = discordant - k_h
        means, correlations = draw_hyper(k_h, k_g, pool_beta_binomial(k_h, k_g).grid, draws, rng)
        yield {"mu": (float(mu), means), "rho": (float(rho), correlations)}
