"""Truths from a chain of three measures, and draws from their posteriors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.comparison.method import Replicate
from bayescompare.kernels.dirichlet.posterior import dirichlet_log_theta, draw_dirichlet_latents

__all__ = ["simulate"]


def simulate(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    datasets: int = 15,
    ess: float = 1.0,
) -> Iterator[Replicate]:
    """A chain of three measures: each table's rows are Dirichlets, θ is their product."""
    first, rest = np.full(2, np.log(ess / 2.0)), np.full(2, np.log(ess / 4.0))

    def rows(log_alpha: FloatArray, counts: FloatArray, size: int) -> FloatArray:
        return np.exp(
            dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, counts, (size,), rng))
        )

    def joint(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
        return a[..., :, None, None] * b[..., :, :, None] * c[..., None, :, :]

    for _ in range(simulations):
        zero = np.zeros(2)
        tables = [
            rows(first, zero, 1),
            *(np.stack([rows(rest, zero, 1)[0] for _ in "ab"])[None] for _ in "bc"),
        ]
        truth = joint(*tables)[0]
        outcomes = rng.choice(8, size=datasets, p=truth.ravel() / truth.sum())
        seen = np.bincount(outcomes, minlength=8).reshape(2, 2, 2).astype(np.float64)
        a = rows(first, seen.sum(axis=(1, 2)), draws)
        b = np.stack([rows(rest, seen.sum(axis=2)[i], draws) for i in (0, 1)], axis=1)
        c = np.stack([rows(rest, seen.sum(axis=0)[i], draws) for i in (0, 1)], axis=1)
        drawn = joint(a, b, c).reshape(draws, 8)
        yield {
            "theta": (float(truth.ravel()[0]), drawn[:, 0]),
            "largest": (float(truth.max()), drawn.max(axis=1)),
        }
