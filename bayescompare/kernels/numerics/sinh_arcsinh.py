r"""A proposal for bridge and importance sampling: normal, but for skewness and tails.

Every coordinate is a sinh-arcsinh transform of a normal one,

.. math:: x = \xi + \eta \sinh\frac{\operatorname{arsinh} z + \epsilon}{\delta}, \qquad
          z \sim \mathrm{N}(0, R),

with its own location ξ, scale η, skewness ε and tails δ. A plain normal loses about 0.09 nats to
the log of an exponential variable, this one 0.005: in 128 dimensions, that is the difference
between no overlap and nearly all.

References
----------
Jones & Pewsey (2009), Biometrika 96, 761–780; Schäfer & Strimmer (2005), Statistical Applications
in Genetics and Molecular Biology 4, 32, for the shrinkage of R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from bayescompare._typing import FloatArray

__all__ = ["SinhArcsinh", "fit_sinh_arcsinh"]

#: Draws that the four parameters of a coordinate are fitted to, at most.
_MOST_FITTED = 4000
_STEPS = 40
#: Steps of the numerical second derivatives.
_STEP = 1e-5


@dataclass(frozen=True)
class SinhArcsinh:
    """A fitted distribution over d coordinates.

    Attributes
    ----------
    location, scale : arrays (d,)
        Of the draws that it was fitted to; the shape is in these units.
    shape : array (d, 4)
        ξ, log η, ε and log δ of every coordinate.
    factor : array (d, d)
        The lower triangular root of R.
    """

    location: FloatArray
    scale: FloatArray
    shape: FloatArray
    factor: FloatArray

    def log_density(self, points: FloatArray) -> FloatArray:
        """Log density at points (n, d)."""
        z, log_slope = _sinh_arcsinh_scores(self._standard(points), self.shape)
        white = solve_triangular(self.factor, z.T, lower=True)
        normal = -0.5 * (white**2).sum(axis=0) - 0.5 * len(self.scale) * math.log(2.0 * math.pi)
        constant = np.log(self.scale).sum() + np.log(np.diag(self.factor)).sum()
        return np.asarray(normal + log_slope.sum(axis=-1) - constant)

    def draw(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw points (size, d)."""
        z = rng.normal(size=(size, len(self.scale))) @ self.factor.T
        return self.location + self.scale * _sinh_arcsinh_inverse(z, self.shape)

    def _standard(self, points: FloatArray) -> FloatArray:
        return np.asarray((points - self.location) / self.scale)


def fit_sinh_arcsinh(draws: FloatArray) -> SinhArcsinh:
    """Fit the distribution to draws (n, d): each coordinate by maximum likelihood, then R.

    The correlations are shrunk towards zero as much as their own noise asks for.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = fit_sinh_arcsinh(np.log(rng.exponential(size=(2000, 1))))
    >>> points = np.linspace(-3.0, 1.5, 4)
    >>> exact = points - np.exp(points)
    >>> bool(np.abs(found.log_density(points[:, None]) - exact).max() < 0.25)
    True
    """
    location, scale = np.median(draws, axis=0), draws.std(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    standard = (draws - location) / scale
    step = -(-len(draws) // _MOST_FITTED)
    shape = _fit_sinh_arcsinh_shapes(standard[::step])
    z, _ = _sinh_arcsinh_scores(standard, shape)
    return SinhArcsinh(location, scale, shape, np.linalg.cholesky(_sinh_arcsinh_correlation(z)))


def _sinh_arcsinh_scores(x: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The normal scores z of x, and log dz/dx."""
    xi, log_eta, epsilon, log_delta = shape.T
    y = (x - xi) * np.exp(-log_eta)
    t = np.exp(log_delta) * np.arcsinh(y) - epsilon
    # log cosh t, which does not overflow.
    log_cosh = np.abs(t) + np.log1p(np.exp(-2.0 * np.abs(t))) - math.log(2.0)
    with np.errstate(over="ignore"):
        z = np.sinh(t)
    return z, log_cosh + log_delta - log_eta - 0.5 * np.log1p(y * y)


def _sinh_arcsinh_inverse(z: FloatArray, shape: FloatArray) -> FloatArray:
    xi, log_eta, epsilon, log_delta = shape.T
    with np.errstate(over="ignore"):
        turned = np.sinh((np.arcsinh(z) + epsilon) * np.exp(-log_delta))
    return np.asarray(xi + np.exp(log_eta) * turned)


def _fit_sinh_arcsinh_shapes(x: FloatArray) -> FloatArray:
    """Maximum likelihood of all coordinates at once, by damped Newton steps."""
    d = x.shape[1]
    shape, damping = np.zeros((d, 4)), np.full(d, 1e-3)
    loss, slope = _sinh_arcsinh_loss(x, shape)
    for _ in range(_STEPS):
        curvature = np.stack(
            [
                (_sinh_arcsinh_loss(x, shape + _STEP * axis)[1] - slope) / _STEP
                for axis in np.eye(4)
            ],
            axis=-1,
        )
        curvature = 0.5 * (curvature + curvature.transpose(0, 2, 1))
        # Positive definite, whatever the curvature is here.
        values, vectors = np.linalg.eigh(curvature)
        raised = np.maximum(np.abs(values), 1e-6) + damping[:, None]
        turned = np.einsum("dji,dj->di", vectors, slope)
        move = np.einsum("dij,dj->di", vectors, turned / raised)
        trial = shape - np.clip(move, -1.0, 1.0)
        new_loss, new_slope = _sinh_arcsinh_loss(x, trial)
        better = new_loss < loss
        change = np.where(better, loss - new_loss, 0.0)
        shape[better], loss[better], slope[better] = (
            trial[better],
            new_loss[better],
            new_slope[better],
        )
        damping = np.where(better, damping * 0.3, np.minimum(damping * 10.0, 1e6))
        if better.any() and change.max() < 1e-9:
            break
    return shape


def _sinh_arcsinh_loss(x: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean negative log likelihood of every coordinate, with its gradient.

    A weak penalty on skewness and tails keeps few draws from running away.
    """
    xi, log_eta, epsilon, log_delta = shape.T
    eta, delta = np.exp(log_eta), np.exp(log_delta)
    y = (x - xi) / eta
    root, arc = np.sqrt(1.0 + y * y), np.arcsinh(y)
    t = delta * arc - epsilon
    weight = 1.0 / len(x)
    with np.errstate(over="ignore", invalid="ignore"):
        z = np.sinh(t)
        fit = -0.5 * z * z + np.log(np.cosh(t)) + log_delta - np.log(root) - log_eta
        by_t = -z * np.cosh(t) + np.tanh(t)
        by_y = by_t * delta / root - y / root**2
        slope = np.stack(
            [
                -(by_y / eta).mean(axis=0),
                -(y * by_y).mean(axis=0) - 1.0,
                -by_t.mean(axis=0),
                (by_t * delta * arc).mean(axis=0) + 1.0,
            ],
            axis=-1,
        )
        loss = -fit.mean(axis=0) + weight * (epsilon**2 + log_delta**2)
    penalty = 2.0 * weight * np.stack([0 * xi, 0 * xi, epsilon, log_delta], axis=-1)
    return np.where(np.isfinite(loss), loss, math.inf), penalty - slope


def _sinh_arcsinh_correlation(z: FloatArray) -> FloatArray:
    """The correlation of scores, shrunk towards independence by what noise alone would show."""
    n, d = z.shape
    if d == 1:
        return np.ones((1, 1))
    # One wild draw must not decide.
    r: FloatArray = np.asarray(np.corrcoef(np.clip(z, -6.0, 6.0), rowvar=False))
    off = ~np.eye(d, dtype=bool)
    noise = float((((1.0 - r**2) ** 2)[off] / n).sum())
    share = min(1.0, noise / max(float((r[off] ** 2).sum()), 1e-300))
    shrunk = np.asarray((1.0 - share) * r)
    np.fill_diagonal(shrunk, 1.0)
    # A little more, for coordinates that are functions of each other.
    return np.asarray((1.0 - 1e-6) * shrunk + 1e-6 * np.eye(d))
