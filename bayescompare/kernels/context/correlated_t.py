r"""Bayesian correlated t-test: the mean difference of two algorithms from replicated results.

For differences :math:`x_1, \dots, x_k` over the folds of (repeated) cross-validation, every two of
them with correlation ρ, the prior matching the corrected t-test gives

.. math:: \mu \mid x \sim \mathrm{St}\left(k - 1,\; \bar x,\;
          \left(\tfrac1k + \tfrac{\rho}{1 - \rho}\right) \hat\sigma^2\right),

with :math:`\rho = 1/\text{folds}` by Nadeau & Bengio's heuristic, and 0 for independent
replicates. Replicates that do not vary at all are a point mass. Vectorised over datasets.

References
----------
Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on multiple
data sets. Nadeau & Bengio (2003).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from bayescompare._typing import FloatArray, IntArray


def correlated_t_from_moments(
    mean: ArrayLike, variance: ArrayLike, replicates: ArrayLike, rho: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Degrees of freedom, location and scale of the posterior of the mean difference.

    Parameters
    ----------
    mean, variance, replicates : arrays (...)
        Of each dataset's differences; the variance has the divisor k − 1, and k >= 2.
    rho : float or array (...)
        Correlation of two replicates, in [0, 1).

    Returns
    -------
    dof, location, scale : arrays (...)
        The scale is 0, exactly, where the variance is.

    Examples
    --------
    Datasets may have different numbers of replicates:

    >>> dof, _, scale = correlated_t_from_moments([0.1, 0.1], [0.04, 0.04], [10, 100], 0.1)
    >>> dof.tolist(), scale.round(6).tolist()
    ([9.0, 99.0], [0.091894, 0.069602])
    """
    k, r = np.asarray(replicates, dtype=np.float64), np.asarray(rho, dtype=np.float64)
    scale = np.sqrt((1.0 / k + r / (1.0 - r)) * np.asarray(variance, dtype=np.float64))
    location = np.asarray(mean, dtype=np.float64)
    shape = np.broadcast_shapes(k.shape, location.shape, scale.shape)
    dof, location, scale = (np.broadcast_to(v, shape).copy() for v in (k - 1.0, location, scale))
    return dof, location, scale


def correlated_t_regions(
    dof: ArrayLike, location: ArrayLike, scale: ArrayLike, rope: ArrayLike = 0.0
) -> FloatArray:
    r"""P(μ < −rope), P(−rope ≤ μ ≤ rope) and P(μ > rope) for every dataset.

    A point mass on the border of the rope is inside it; a point mass at 0 without a rope is half
    left and half right. With differences "first minus second" of a measure to maximise, the
    first is better on the right; `baycomp` takes "second minus first", so its left is our right.

    Parameters
    ----------
    dof, location, scale : arrays (...)
        From `correlated_t_from_moments`.
    rope : float or array (...)
        Half the width of the region of practical equivalence, >= 0.

    Returns
    -------
    array (..., 3)
        Left, rope, right.

    Examples
    --------
    >>> correlated_t_regions(9.0, 0.02, 0.01, rope=0.01).round(6).tolist()
    [0.007478, 0.16424, 0.828282]
    >>> correlated_t_regions(9.0, [0.0, 0.0, 0.3], 0.0, rope=[0.0, 0.1, 0.3]).tolist()
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    dof, location, scale, rope = np.broadcast_arrays(dof, location, scale, rope)
    point = scale == 0.0
    unit = np.where(point, 1.0, scale)
    low, high = (-rope - location) / unit, (rope - location) / unit
    left, right = stdtr(dof, low), stdtr(dof, -high)
    # Where the rope lies in a tail, a difference of tails keeps its digits.
    tail = np.where(low > 0.0, stdtr(dof, -low) - right, stdtr(dof, high) - left)
    middle = np.where(np.maximum(low, -high) > 0.0, tail, 1.0 - left - right)
    smooth = np.stack([left, np.where(rope > 0.0, np.maximum(middle, 0.0), 0.0), right], axis=-1)
    return np.where(point[..., None], _correlated_t_point_mass(location, rope), smooth)


def _correlated_t_point_mass(location: FloatArray, rope: FloatArray) -> FloatArray:
    left, right = (location < -rope).astype(np.float64), (location > rope).astype(np.float64)
    inside = 1.0 - left - right
    half = np.where(rope > 0.0, 0.0, 0.5 * inside)
    return np.stack([left + half, inside - 2.0 * half, right + half], axis=-1)


def draw_correlated_t_within(
    dof: FloatArray,
    location: FloatArray,
    scale: FloatArray,
    regions: IntArray,
    rope: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw the mean difference of every dataset within the region that it is known to be in.

    By the inverse distribution function, from the tail that is nearer, which keeps its digits.

    Parameters
    ----------
    dof, location, scale : arrays (N,)
        From `correlated_t_from_moments`.
    regions : array (draws, N)
        0 for left, 1 for the rope, 2 for right.
    rope : float
    rng : Generator

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> one, regions = np.ones(1), np.array([[0], [1], [2]])
    >>> means = draw_correlated_t_within(
    ...     9 * one, 0.02 * one, 0.01 * one, regions, 0.01, np.random.default_rng(1)
    ... )
    >>> bool(means[0, 0] < -0.01), bool(abs(means[1, 0]) <= 0.01), bool(means[2, 0] > 0.01)
    (True, True, True)
    """
    low = np.array([-np.inf, -rope, rope])[regions]
    high = np.array([-rope, rope, np.inf])[regions]
    unit = np.where(scale == 0.0, 1.0, scale)
    below, above = (low - location) / unit, (high - location) / unit
    # An interval above the centre is that of the mirrored distribution below it.
    mirrored = below > 0.0
    first, last = np.where(mirrored, -above, below), np.where(mirrored, -below, above)
    start, end = stdtr(dof, first), stdtr(dof, last)
    # Never 0, of which the quantile is infinite.
    standard = stdtrit(dof, start + (1.0 - rng.random(regions.shape)) * (end - start))
    drawn = location + unit * np.where(mirrored, -standard, standard)
    # Where the interval has no mass that floats can tell, its nearer end.
    drawn = np.where(np.isfinite(drawn), drawn, np.where(mirrored, low, high))
    return np.where(scale == 0.0, location, np.clip(drawn, low, high))


def draw_correlated_t_spreads(
    means: FloatArray,
    dof: FloatArray,
    location: FloatArray,
    scale: FloatArray,
    rho: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    r"""Draw the standard deviation of one replicate on every dataset, given its mean difference.

    .. math:: \sigma^2 \mid \mu, x \sim \mathrm{InvGamma}\left(\tfrac k2,\; \tfrac12
              \left[\tfrac{(k - 1)\,\hat\sigma^2}{1 - \rho}
              + \tfrac{(\bar x - \mu)^2}{\rho + (1 - \rho)/k}\right]\right)

    Parameters
    ----------
    means : array (draws, N)
    dof, location, scale, rho : arrays (N,)
        As from `correlated_t_from_moments`.
    rng : Generator

    Returns
    -------
    array (draws, N)
        0, exactly, where all replicates are equal.

    Examples
    --------
    >>> one = np.ones(1)
    >>> rng = np.random.default_rng(1)
    >>> drawn = draw_correlated_t_spreads(
    ...     np.zeros((1000, 1)), 9 * one, 0 * one, one, 0.1 * one, rng
    ... )
    >>> bool(1.5 < drawn.mean() < 3.0)
    True
    """
    k = dof + 1.0
    within = scale**2 / (1.0 / k + rho / (1.0 - rho)) * dof / (1.0 - rho)
    between = (means - location) ** 2 / (rho + (1.0 - rho) / k)
    drawn = np.sqrt((within + between) / (2.0 * rng.standard_gamma(k / 2.0, size=means.shape)))
    return np.where(scale == 0.0, 0.0, drawn)


def draw_correlated_t_differences(
    means: FloatArray,
    spreads: FloatArray,
    rho: ArrayLike,
    replicates: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw replicates, every two of one dataset with correlation ρ.

    Parameters
    ----------
    means, spreads, rho : arrays (...)
        Mean and standard deviation of a replicate, and the correlation; they broadcast.
    replicates : int
    rng : Generator

    Returns
    -------
    array (..., replicates)

    Examples
    --------
    >>> two = draw_correlated_t_differences(
    ...     np.zeros(5000), np.ones(5000), 0.5, 2, np.random.default_rng(1)
    ... )
    >>> bool(abs(np.corrcoef(two.T)[0, 1] - 0.5) < 0.05)
    True
    """
    means, spreads, rho = np.broadcast_arrays(means, spreads, rho)
    shared = rng.standard_normal((*means.shape, 1)) * np.sqrt(rho)[..., None]
    own = rng.standard_normal((*means.shape, replicates)) * np.sqrt(1.0 - rho)[..., None]
    return np.asarray(means[..., None] + spreads[..., None] * (shared + own))


def draw_statements(evidence: FloatArray, shares: FloatArray, rng: np.random.Generator) -> IntArray:
    r"""Draw every dataset's statement given the shares.

    .. math:: \Pr(z_i = s \mid x, \theta) \propto \theta_s\,\ell_i(s)

    Parameters
    ----------
    evidence : array (N, S)
    shares : array (draws, S)
        Draws of θ.
    rng : Generator

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> evidence = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> draw_statements(evidence, np.full((1, 3), 1 / 3), np.random.default_rng(1)).tolist()
    [[0, 2]]
    """
    edges = np.cumsum(shares[:, None, :] * evidence, axis=-1)
    at = rng.random(edges.shape[:2]) * edges[..., -1]
    return np.asarray((at[..., None] >= edges[..., :-1]).sum(axis=-1), dtype=np.int64)
