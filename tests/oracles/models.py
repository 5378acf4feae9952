"""Likelihoods of the bundled models, slow and simple: orthants, rays and plain integrals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy import integrate, stats

FloatArray = NDArray[np.float64]


def order_probability(s: Sequence[float]) -> float:
    """P that independent N(s_k, 1) fall from the first to the last: an orthant in l − 1 dims."""
    q = len(s) - 1
    away = np.eye(q, q + 1, 1) - np.eye(q, q + 1)  # the next less this one must be below 0
    mean, covariance = away @ np.asarray(s), away @ away.T
    if q == 1:
        return float(stats.norm.sf(mean[0] / math.sqrt(2.0)))
    rng = np.random.default_rng(0)
    return float(stats.multivariate_normal.cdf(np.zeros(q), mean, covariance, rng=rng))


def order_probability_mp(s: Sequence[float]) -> float:
    """The same for three by adaptive quadrature over the middle one."""
    first, middle, last = (mpmath.mpf(x) for x in s)
    with mpmath.workdps(30):
        edges = sorted([middle - 12, first, middle, last, middle + 12])
        found = mpmath.quad(
            lambda y: mpmath.npdf(y, middle) * mpmath.ncdf(first - y) * mpmath.ncdf(y - last), edges
        )
    return float(found)


def orders_allowed(rank: FloatArray) -> list[tuple[int, ...]]:
    """Every order, best to worst, that a tied ranking allows."""
    groups = [np.flatnonzero(rank == r).tolist() for r in np.unique(rank)]
    parts = itertools.product(*map(itertools.permutations, groups))
    return [tuple(itertools.chain(*part)) for part in parts]


def direction_density(score: FloatArray, ability: FloatArray, delta: FloatArray) -> FloatArray:
    """Density of the direction of δ·ability + noise, for every δ: a plain sum along its ray.

    The noise is standard normal in the l − 1 dimensions of vectors that sum to zero.
    """
    q, delta = len(score) - 1, delta[:, None]
    r = np.maximum(delta * (score @ ability) - 12.0, 0.0) + np.linspace(0.0, 24.0, 801)
    square = r**2 - 2 * r * delta * (score @ ability) + delta**2 * (ability @ ability)
    along = r ** (q - 1) * np.exp(-0.5 * square) / (2 * np.pi) ** (q / 2)
    return np.asarray(integrate.simpson(along, x=r, axis=1))


def score_density(score: FloatArray, ability: FloatArray, tau: float) -> float:
    """The same over log δ ~ N(0, tau)."""
    z = np.linspace(-8.0, 8.0, 161)
    given = direction_density(score, ability, np.exp(tau * z))
    return float(integrate.simpson(given * stats.norm.pdf(z), x=z))


def mean_density(
    x: FloatArray, mu: FloatArray, covariance: FloatArray, error: FloatArray, freedom: float
) -> float:
    """Density of a mean of replicates: normal given the precision u of its error, over u."""
    t = np.linspace(-24.0, 6.0, 1201)
    whole = covariance + error * np.exp(-t)[:, None, None]
    away = np.broadcast_to((x - mu)[:, None], (len(t), len(x), 1))
    square = (away * np.linalg.solve(whole, away)).sum(axis=(1, 2))
    normal = np.exp(-0.5 * square) / np.sqrt(np.linalg.det(2 * np.pi * whole))
    gamma = stats.gamma.pdf(np.exp(t), freedom / 2, scale=2 / freedom) * np.exp(t)
    return float(integrate.simpson(normal * gamma, x=t))


def jzs_factor(t: float, n: int, scale: float = math.sqrt(0.5)) -> float:
    """Bayes factor of "no effect" in the t-test of Rouder et al. (2009), by the noncentral t."""

    def alternative(effect: float) -> float:
        density = stats.nct.pdf(t, n - 1, effect * math.sqrt(n))
        return float(density * stats.cauchy.pdf(effect, scale=scale))

    found, _ = integrate.quad(alternative, -np.inf, np.inf, limit=400)
    return float(stats.t.pdf(t, n - 1) / found)


def same_factor(
    d: FloatArray,
    rope: float,
    log_prior: Callable[[float], float],
    scale: float = math.sqrt(0.5),
) -> float:
    """Bayes factor of |Δ| ≤ rope against |Δ| > rope, with `log_prior` the prior of log sd."""
    n, mean, centre = len(d), float(d.mean()), math.log(float(np.sqrt((d**2).mean())))

    def weight(log_sd: float) -> float:
        sd = math.exp(log_sd)
        inner = -n * log_sd - 0.5 * float(((d - mean) ** 2).sum()) / sd**2
        return inner + log_prior(log_sd)

    def likelihood(delta: float, sd: float) -> float:
        return math.exp(-0.5 * n * (mean - delta) ** 2 / sd**2)

    def same(sd: float) -> float:
        if rope == 0.0:
            return likelihood(0.0, sd)
        return integrate.quad(likelihood, -rope, rope, args=(sd,), points=[mean])[0] / (2 * rope)

    def other(sd: float) -> float:
        def at(x: float) -> float:
            both = likelihood(rope + sd * x, sd) + likelihood(-rope - sd * x, sd)
            return 0.5 * both * stats.halfcauchy.pdf(x, scale=scale)

        peak = max(abs(mean) - rope, 0.0) / sd
        cuts = [0.0, peak, peak + 10 / math.sqrt(n), np.inf]
        parts = [integrate.quad(at, a, b, limit=200)[0] for a, b in itertools.pairwise(cuts)]
        return float(sum(parts))

    grid = centre + np.linspace(-4.0, 5.0, 91)
    logs = np.array([weight(x) for x in grid])
    kept = logs > logs.max() - 25.0
    weights, deviations = np.exp(logs[kept] - logs.max()), np.exp(grid[kept])
    top, bottom = (
        sum(w * f(s) for w, s in zip(weights, deviations, strict=True)) for f in (same, other)
    )
    return float(top / bottom)
