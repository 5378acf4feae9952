"""Truths from the model of replicated evidence, and draws from their posteriors.

What the model calls known is known here too: the correlation of the noise, the degrees of freedom
of the deviations that means are divided by, and the typical size of the effects. The deviations,
the scale, the statements and θ are drawn from their priors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import softmax

from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.replicated.learned_effects import SCALES, learned_effects_at_scales
from bayescompare.kernels.replicated.recursion import recursion_for_counts
from bayescompare.kernels.replicated.rows import EvidenceRows
from bayescompare.outcome.method import Replicate

__all__ = ["simulate_replicated"]


#: Correlation of the noise of any two measures.
_CORRELATION = 0.3


def simulate_replicated(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    measures: int = 2,
    datasets: int = 12,
    noise: float = 0.5,
    strength: float = 1.0,
    dof: float = 8.0,
) -> Iterator[Replicate]:
    """θ, its evenness, the datasets that show the first statement, and the scale of effects."""
    k = 2**measures
    log_alpha = np.full(k, math.log(strength / k))
    square = noise**2 * ((1.0 - _CORRELATION) * np.eye(measures) + _CORRELATION)
    for _ in range(simulations):
        theta = np.exp(
            dirichlet_log_theta(
                log_alpha, *draw_dirichlet_latents(log_alpha, np.zeros(k), (1,), rng)
            )
        )[0]
        z = rng.choice(k, size=datasets, p=theta / theta.sum())
        scale = float(rng.choice(SCALES))
        sign = 1 - 2 * (z[:, None] >> np.arange(measures)[::-1] & 1)
        effect = sign * np.abs(rng.normal(0.0, scale, (datasets, measures)))
        y = rng.multivariate_normal(np.zeros(measures), square, datasets) + effect
        # Divided by an estimate of the deviation, whose square has a χ².
        y = y / np.sqrt(rng.chisquare(dof, (datasets, 1)) / dof)
        scales, counts, drawn = _replicated_calibration_draws(y, square, dof, log_alpha, draws, rng)
        yield {
            "theta": (float(theta[0]), drawn[:, 0]),
            "largest": (float(theta.max()), drawn.max(axis=1)),
            "sum of squares": (float((theta**2).sum()), (drawn**2).sum(axis=1)),
            "count": (float((z == 0).sum()), counts[:, 0]),
            "scale": (scale, scales),
        }


def _replicated_calibration_draws(
    y: FloatArray,
    square: FloatArray,
    dof: float,
    log_alpha: FloatArray,
    draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Scales, counts of the statements and θ from their posterior."""
    n, m = y.shape
    effects = np.tile(SCALES[:, None] ** 2, (1, m))
    edges = (np.zeros((n, 1)),) * m
    noise, each = np.tile(square, (n, 1, 1)), np.full(n, dof)
    logs, _, _ = learned_effects_at_scales(y, noise, effects, edges, rng, dof=each)
    rows = EvidenceRows.from_logs(logs, np.exp(log_alpha))
    found = recursion_for_counts(rows)
    assert found is not None, "so few datasets have few count vectors"
    version = rng.choice(len(SCALES), size=draws, p=softmax(found.log_evidence))
    vector = np.empty(draws, dtype=np.int64)
    for r in np.unique(version):
        own = version == r
        vector[own] = rng.choice(len(found.codes), size=int(own.sum()), p=found.weight[:, r])
    counts = np.tile(rows.fixed, (draws, 1))
    for place, s in enumerate(rows.tracked):
        counts[:, s] += found.digits(place)[vector]
    theta = np.exp(
        dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, counts, (draws,), rng))
    )
    return SCALES[version], counts, theta
