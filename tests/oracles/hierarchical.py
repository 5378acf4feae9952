"""The hierarchical t-test of Corani et al. (2017) by brute force: full matrices and plain grids.

Nothing here knows that a mean and a variance are enough: the folds enter as one vector each, with
their whole covariance matrix, and δ_i, σ_i and the population are summed over grids.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

FloatArray = NDArray[np.float64]


def log_fold_density(x: FloatArray, delta: FloatArray, sigma: FloatArray, rho: float) -> FloatArray:
    """Log density of one dataset's folds at every (delta, sigma), from the whole covariance."""
    k = len(x)
    matrix = np.full((k, k), rho) + (1.0 - rho) * np.eye(k)
    inverse, (_, log_det) = np.linalg.inv(matrix), np.linalg.slogdet(matrix)
    away = x - delta[..., None]
    square = np.einsum("...i,ij,...j->...", away, inverse, away)
    return np.asarray(
        -0.5 * k * np.log(2 * np.pi * sigma**2) - 0.5 * log_det - 0.5 * square / sigma**2
    )


def log_dataset_density(
    x: FloatArray, delta0: float, sigma0: float, nu: float, rho: float, widest: float
) -> float:
    """Log density of one dataset's folds: δ from the population, σ uniform up to `widest`."""
    scale = float(x.std(ddof=1))
    sigma = np.geomspace(scale / 30, min(widest, 3000 * scale), 1200)
    away = np.sinh(np.linspace(-11, 11, 1501)) * 1e-3
    delta = np.unique(np.concatenate([x.mean() + scale * away, delta0 + sigma0 * away]))
    inner = log_fold_density(x, delta[:, None], sigma[None, :], rho)
    top = inner.max()
    over_sigma = np.trapezoid(np.exp(inner - top), sigma, axis=1) / widest
    joint = over_sigma * stats.t.pdf(delta, nu, delta0, sigma0)
    return float(top + np.log(np.trapezoid(joint, delta)))


def region_probabilities(
    x: FloatArray,
    rho: float,
    rope: float,
    alpha: tuple[float, float],
    beta: tuple[float, float],
) -> FloatArray:
    """P(each region is the next dataset's most probable one), under the published priors.

    A sum over a grid of δ0, σ0 and ν. The grid of σ0 ends where nothing is left of the posterior,
    far below the bound of 1000 deviations.
    """
    among = x.mean(axis=1).std(ddof=1)
    delta0 = np.linspace(-1.0, 1.0, 101) * min(np.abs(x).max(), 8 * among)
    sigma0 = among * np.geomspace(0.003, 100.0, 80)
    nu = 1.0 + np.geomspace(0.005, 500.0, 50)
    log_joint = np.zeros((len(delta0), len(sigma0), len(nu)))
    for row in x:
        for i, d in enumerate(delta0):
            for j, s in enumerate(sigma0):
                log_joint[i, j] += _log_flat_density(row, d, s, nu, rho)
    log_joint += np.log([_gamma_mixture(v - 1.0, alpha, beta) for v in nu])
    mass = np.exp(log_joint - log_joint.max())
    mass *= np.gradient(sigma0)[:, None] * np.gradient(nu)
    population = stats.t(nu, delta0[:, None, None], sigma0[:, None])
    above, below = population.sf(rope), population.cdf(-rope)
    lead = np.stack([above, 1.0 - above - below, below]).argmax(axis=0)
    return np.array([mass[lead == region].sum() for region in range(3)]) / mass.sum()


def _log_flat_density(
    x: FloatArray, delta0: float, sigma0: float, nu: FloatArray, rho: float
) -> FloatArray:
    """Log density of one dataset's folds for every ν, up to a constant, with σ integrated out.

    ∫ σ^−k exp(−Q/2σ²) dσ ∝ Q^−(k−1)/2, with Q(δ) the folds' square in their covariance matrix.
    """
    k = len(x)
    matrix = np.full((k, k), rho) + (1.0 - rho) * np.eye(k)
    inverse = np.linalg.inv(matrix)
    one = np.ones(k)
    least = one @ inverse @ x / (one @ inverse @ one)
    floor = (x - least) @ inverse @ (x - least)
    scale = np.sqrt(floor / (one @ inverse @ one))
    nodes = np.sinh(np.linspace(-9.0, 9.0, 121)) * 0.05
    delta = np.sort(np.concatenate([least + scale * nodes, delta0 + sigma0 * nodes]))
    square = floor + (one @ inverse @ one) * (delta - least) ** 2
    density = (square / floor) ** (-(k - 1) / 2)
    t = (delta - delta0) / sigma0
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(sigma0)
    population = np.exp(constant[:, None] - (nu[:, None] + 1) / 2 * np.log1p(t**2 / nu[:, None]))
    return np.asarray(np.log(np.trapezoid(density * population, delta, axis=1)))


def _gamma_mixture(value: float, alpha: tuple[float, float], beta: tuple[float, float]) -> float:
    """Density of Gamma(α, β) with α and β uniform."""
    shape, rate = (np.linspace(*ends, 201) for ends in (alpha, beta))
    density = stats.gamma.pdf(value, shape[:, None], scale=1.0 / rate[None, :])
    return float(np.trapezoid(np.trapezoid(density, rate), shape) / np.ptp(shape) / np.ptp(rate))
