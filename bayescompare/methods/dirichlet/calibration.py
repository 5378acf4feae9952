"""Truths from the multinomial-Dirichlet model, and draws from their posteriors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.outcome.method import Replicate

__all__ = ["simulate"]


def simulate(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    statements: int = 4,
    datasets: int = 12,
    alpha: float = 0.25,
) -> Iterator[Replicate]:
    """θ over a few statements, sparse prior: one θ, the largest, and the evenness."""
    log_alpha = np.full(statements, np.log(alpha))
    nothing = np.zeros(statements)
    for _ in range(simulations):
        truth = np.exp(
            dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, nothing, (1,), rng))
        )[0]
        counts = rng.multinomial(datasets, truth / truth.sum()).astype(np.float64)
        drawn = np.exp(
            dirichlet_log_theta(
                log_alpha, *draw_dirichlet_latents(log_alpha, counts, (draws,), rng)
            )
        )
        yield {
            "theta": (float(truth[0]), drawn[:, 0]),
            "largest": (float(truth.max()), drawn.max(axis=1)),
            "sum of squares": (float((truth**2).sum()), (drawn**2).sum(axis=1)),
        }
