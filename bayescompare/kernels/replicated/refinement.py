r"""What more replicates of the same datasets would show, drawn from the posterior predictive.

Let c and c' be the factors of k and of k' > k replicates, :math:`c = 1/k + \rho/(1 - \rho)` and
:math:`c' = 1/k' + \rho/(1 - \rho)`. The mean of fewer is that of more with further noise, so

.. math:: \bar x' \mid \bar x, \mu \sim
          N\Bigl(\frac{(c - c')\mu + c' \bar x}{c},\; \frac{c'(c - c')}{c}\, \Sigma\Bigr) .

As k' grows c' approaches :math:`\rho/(1 - \rho)`: correlated replicates never show μ. Given θ the
effects μ of a dataset are its posterior reweighted by θ of the statement that μ makes true.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.replicated.effects import Moments, Ropes, cell_of, state_edges
from bayescompare.kernels.replicated.items import statement_of_items
from bayescompare.kernels.replicated.learned_effects import (
    StandardisedEffects,
    masses_of_regions,
    posterior_of_effects,
)

#: Effects drawn for each dataset, among which one is chosen by its weight.
_POOL = 1000
#: A probability below this is taken for it, so that logarithms stay finite.
_LEAST = 1e-300
#: Covariances are drawn this far towards their diagonal, so that they have a root.
_RIDGE = 1e-9


def refined_effects(
    data: StandardisedEffects,
    scale: float,
    theta: FloatArray,
    more: FloatArray,
    rng: np.random.Generator,
) -> StandardisedEffects:
    r"""Draw the means of more replicates under a learned scale of effects.

    μ is drawn from its Student-t, reweighted by θ, with λ, the square of s over the true standard
    deviation; then the new replicates, and with them
    :math:`s'^2/s^2 = (\nu + \chi^2_{more}/\lambda)/(\nu + more)`.

    Parameters
    ----------
    data : Standardised
    scale : float
        The scale t.
    theta : array (K,)
        Probabilities of the statements.
    more : array (n,)
        Further replicates of each dataset.
    rng : Generator

    Returns
    -------
    Standardised
        With other y, factors, degrees of freedom and units; typical sizes are held.
    """
    if not data.used:
        return data
    effects = (scale * data.typical) ** 2
    noise = data.factor[:, None, None] * data.correlation
    n, u = data.y.shape
    mean, square, _ = posterior_of_effects(data.y, noise, np.tile(effects, (n, 1)), data.dof)
    normal = rng.standard_normal((n, _POOL, u)) @ _covariance_root(square).transpose(0, 2, 1)
    known = np.isinf(data.dof)
    nu = np.where(known, 1.0, data.dof)
    gamma = rng.standard_gamma(np.broadcast_to(0.5 * (nu + u)[:, None], (n, _POOL)))
    # The precision of each draw, against that of the scale matrix.
    drawn = np.where(known[:, None], 1.0, gamma / (0.5 * (nu + u))[:, None])
    pool = mean[:, None] + normal / np.sqrt(drawn)[..., None]
    # θ of what the measures used say, the others' states being summed out.
    unused = tuple(j + 1 for j in range(len(data.sizes)) if j not in data.used)
    cube = (data.others * theta).reshape(n, *data.sizes)
    masses = masses_of_regions(effects[None], data.edges, dof=data.dof)[0]
    weight = cube.sum(axis=unused).reshape(n, -1) / masses
    both = np.concatenate([pool, drawn[..., None]], axis=2)
    chosen = _choose_draws(both, cell_of(pool, data.edges), weight, rng)
    distance = _distance(data.y, noise + np.diag(effects))
    precision = np.where(known, 1.0, chosen[:, u] * (nu + u) / (nu + distance))
    root = np.linalg.cholesky(data.correlation) / np.sqrt(precision)[:, None, None]
    less = 1.0 / data.replicates - 1.0 / (data.replicates + more)
    y = _draw_mean(data.y, chosen[:, :u], data.factor, less, root, rng)
    squares = 2.0 * rng.standard_gamma(0.5 * more) / precision
    unit = np.sqrt(np.where(known, 1.0, (nu + squares) / (nu + more)))[:, None]
    return data._replace(
        y=y / unit,
        edges=tuple(edge / unit for edge in data.edges),
        dof=data.dof + more,
        factor=data.factor - less,
        replicates=data.replicates + more,
    )


def refined_moments(
    moments: Moments, ropes: Ropes, theta: FloatArray, more: IntArray, rng: np.random.Generator
) -> Moments:
    r"""Draw the moments of more replicates under a flat prior on the mean differences.

    μ is drawn from its multivariate t, reweighted by θ, then
    :math:`\Sigma \mid \mu` from its inverse Wishart with k + m − 1 degrees of freedom and scale
    matrix :math:`(k - 1) S + (\mu - \bar x)(\mu - \bar x)^\top / c`, then the new replicates. Where
    there are no more replicates than measures, each measure by itself.

    Parameters
    ----------
    moments : Moments
    ropes : m floats or None
    theta : array (K,)
    more : array (n,)
        Further replicates of each dataset.
    rng : Generator

    Examples
    --------
    >>> moments = Moments(np.zeros((1, 1)), np.ones((1, 1, 1)), np.array([4.0]), np.array([0.2]))
    >>> half, rng = np.full(2, 0.5), np.random.default_rng(0)
    >>> finer = refined_moments(moments, (None,), half, np.array([20]), rng)
    >>> finer.dof.tolist(), finer.factor.round(9).tolist()
    ([24.0], [0.04])
    """
    n, m = moments.mean.shape
    spread = moments.variance > 0.0
    few = moments.dof < m
    tied = spread[:, :, None] & spread[:, None, :] & ~few[:, None, None] | np.eye(m, dtype=bool)
    square = np.where(tied, moments.covariance, 0.0)
    edges = tuple(state_edges(rope) for rope in ropes)
    pool = _student_pool(moments, square, few, rng)
    weight = np.tile(theta, (n, 1))
    mu = _choose_draws(pool, cell_of(pool, edges), weight, rng)
    root = _noise_root(moments, square, tied, mu, few, rng)
    k, k_new = moments.dof + 1.0, more.astype(np.float64)
    mean = _draw_mean(moments.mean, mu, moments.factor, 1 / k - 1 / (k + k_new), root, rng)
    shift = mean - moments.mean
    # Squares about the new mean: of the old replicates, of the new, and between the two.
    apart = np.where(more > 0, k * (k + k_new) / np.maximum(k_new, 1.0), 0.0)
    squares = moments.dof[:, None, None] * moments.covariance
    squares = squares + apart[:, None, None] * shift[:, :, None] * shift[:, None, :]
    new = root @ _bartlett_roots(
        np.maximum(k_new - 1.0, 0.0), tied, _measure_rank(spread, few), rng
    )
    squares = squares + new @ new.transpose(0, 2, 1)
    dof = moments.dof + k_new
    return Moments(
        mean, squares / dof[:, None, None], dof, moments.factor - (1 / k - 1 / (k + k_new))
    )


def refined_counts(
    counts: FloatArray, ropes: Ropes, weight: FloatArray, more: int, rng: np.random.Generator
) -> FloatArray:
    """Draw further right and wrong items of one dataset, and count the patterns of all.

    The patterns' probabilities come from their Dirichlet posterior, reweighted by the statement
    that they make true.

    Parameters
    ----------
    counts : array (3^m,)
    ropes : m floats or None
    weight : array (K,)
        θ, over the prior masses of the statements where there are ropes.
    more : int
        Further items.
    rng : Generator

    Examples
    --------
    >>> counts, half = np.array([8.0, 5.0, 2.0]), np.full(2, 0.5)
    >>> finer = refined_counts(counts, (None,), half, 15, np.random.default_rng(0))
    >>> float(finer.sum()), bool((finer >= counts).all())
    (30.0, True)
    """
    m = len(ropes)
    pool = rng.dirichlet(counts + 3.0 ** (1 - m), size=_POOL)
    cell = statement_of_items(pool, ropes)
    share = _choose_draws(pool[None], cell[None], weight[None], rng)[0]
    return np.asarray(counts + rng.multinomial(more, share / share.sum()))


# the parts ----------------------------------------------------------------------------------------


def _distance(y: FloatArray, square: FloatArray) -> FloatArray:
    """Squared distances of points from zero, in units of their covariances."""
    return np.asarray(np.einsum("ia,ia->i", y, np.linalg.solve(square, y[..., None])[..., 0]))


def _choose_draws(
    pool: FloatArray, cell: IntArray, weight: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Choose one of each dataset's draws (n, B, ·) by the weight of its cell."""
    logs = np.log(np.maximum(np.take_along_axis(weight, cell, axis=1), _LEAST))
    best = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
    return np.asarray(np.take_along_axis(pool, best[:, None, None], axis=1)[:, 0])


def _draw_mean(
    mean: FloatArray,
    mu: FloatArray,
    factor: FloatArray,
    less: FloatArray,
    root: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw the mean of more replicates given that of the fewer and μ; `root` is that of Σ."""
    share = (less / factor)[:, None]
    spread = np.sqrt((factor - less) * less / factor)[:, None]
    noise = np.einsum("iab,ib->ia", root, rng.standard_normal(mean.shape))
    return np.asarray(share * mu + (1.0 - share) * mean + spread * noise)


def _student_pool(
    moments: Moments, square: FloatArray, few: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Draw μ from its multivariate t, (n, B, m); its margins independently where there are few."""
    n, m = moments.mean.shape
    normal = rng.standard_normal((n, _POOL, m)) @ _covariance_root(square).transpose(0, 2, 1)
    dof = moments.dof[:, None, None]
    chi = 2.0 * rng.standard_gamma(np.broadcast_to(0.5 * dof, (n, _POOL, m)))
    chi = np.where(few[:, None, None], chi, chi[:, :, :1])
    scale = np.sqrt(moments.factor)[:, None, None]
    return np.asarray(moments.mean[:, None] + scale * normal * np.sqrt(dof / chi))


def _noise_root(
    moments: Moments,
    square: FloatArray,
    tied: BoolArray,
    mu: FloatArray,
    few: BoolArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw Σ given μ from its inverse Wishart; return a root of it, (n, m, m)."""
    off = mu - moments.mean
    outer = off[:, :, None] * off[:, None, :] / moments.factor[:, None, None]
    scale = moments.dof[:, None, None] * square + np.where(tied, outer, 0.0)
    spread = moments.variance > 0.0
    number = spread.sum(axis=1)
    dof = moments.dof + 1.0 + np.where(few, 0, number - 1)
    inner = _bartlett_roots(dof, tied, _measure_rank(spread, few), rng)
    root = _covariance_root(scale) @ np.linalg.inv(inner).transpose(0, 2, 1)
    return np.asarray(np.where(spread[:, :, None], root, 0.0))


def _measure_rank(spread: BoolArray, few: BoolArray) -> IntArray:
    """Number the measures that vary on each dataset; few replicates know only one at a time."""
    return np.asarray(np.where(few[:, None], 0, np.maximum(np.cumsum(spread, axis=1) - 1, 0)))


def _bartlett_roots(
    dof: FloatArray, tied: BoolArray, rank: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Lower-triangular roots A of standard Wisharts A Aᵀ, which may be of deficient rank."""
    n, m = len(dof), tied.shape[1]
    left = np.maximum(dof[:, None] - rank, 0.0)
    diagonal = np.sqrt(2.0 * rng.standard_gamma(np.broadcast_to(0.5 * left, (n, m))))
    below = np.tril(rng.standard_normal((n, m, m)), -1) * tied * (left[:, None, :] > 0.0)
    return np.asarray(below + diagonal[:, :, None] * np.eye(m))


def _covariance_root(square: FloatArray) -> FloatArray:
    """Lower roots of covariances; measures without spread have none."""
    size = np.diagonal(square, axis1=1, axis2=2)
    fixed = np.where(size > 0.0, 0.0, 1.0)
    ridge = np.where(size > 0.0, size * _RIDGE, 0.0) + fixed
    root = np.linalg.cholesky(square + ridge[:, :, None] * np.eye(square.shape[1]))
    return np.asarray(root * (1.0 - fixed)[:, :, None])
