r"""Partial pooling: the datasets' discordance probabilities come from one Beta distribution.

Of dataset i's :math:`n_i = k_{h,i} + k_{g,i}` discordant examples the first algorithm has
:math:`k_{h,i}` wrong,

.. math:: k_{h,i} \mid n_i \sim \mathrm{BetaBinomial}(\mu\varphi, (1 - \mu)\varphi), \qquad
          \rho = 1/(1 + \varphi),

μ being the mean and ρ the correlation of two examples of one dataset. The first is better on a
share :math:`q = I_{½}(\mu\varphi, (1 - \mu)\varphi)` of the context's datasets, which plays r of
the Poisson-binomial test. As q > ½ exactly where μ < ½, whatever φ, both events have the same
probability.

All integrals are by quadrature over logit ρ and, within it, logit μ. Times ρ, the likelihood is

.. math:: \prod_i \binom{n_i}{k_i} \frac{\prod_{j<k_i} (\mu(1-\rho) + j\rho)
          \prod_{j<n_i-k_i} ((1-\mu)(1-\rho) + j\rho)}{\prod_{j<n_i} (1 - \rho + j\rho)},

which has no cancellation at either end, ρ → 0 (one binomial) or ρ → 1 (all or nothing).

References
----------
Lacoste, Laviolette & Marchand (2012) for the test; Gelman et al., Bayesian Data Analysis,
Section 5.3, for the model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, expit, ndtr

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.beta_binomial_density import (
    Density,
    LogPrior,
    beta_binomial_logit_likelihood,
    posterior_density,
)
from bayescompare.kernels.context.beta_binomial_nodes import (
    PANELS,
    BetaBinomialGrid,
    BetaBinomialSupport,
    beta_binomial_border_of,
    beta_binomial_grid_of,
    beta_binomial_support_of,
)

__all__ = [
    "BetaBinomialGrid",
    "LogPrior",
    "PooledBetaBinomial",
    "ShrunkenBetaBinomial",
    "beta_binomial_better_share",
    "beta_binomial_left_out",
    "beta_binomial_predictive",
    "beta_binomial_share_interval",
    "pool_beta_binomial",
    "shrunken_beta_binomial",
]


#: Number of datasets on which the nodes of `shrunken_beta_binomial` are tested.
_HARDEST = 8
#: For nodes of less mass than this betainc is not evaluated.
_FAINT = 1e-17
#: A Beta of this size is normal to 1e-12, and beyond the range of betainc.
_NORMAL = 1e12


class PooledBetaBinomial(NamedTuple):
    """Posterior of the two hyper-parameters.

    Attributes
    ----------
    log_evidence : float
        Of all k_h given all n, binomial coefficients included.
    first, second : float
        P(μ < ½), which is P(q > ½) (see above), and P(μ > ½).
    mean_mu, sd_mu, mean_rho, sd_rho : float
    mean_q, sd_q : float
        Of the share of datasets on which the first is better; the mean is also the probability
        that it is better on a dataset not yet seen.
    error : float
        Largest change of any of these at the next refinement.
    grid : Grid
    """

    log_evidence: float
    first: float
    second: float
    mean_mu: float
    sd_mu: float
    mean_rho: float
    sd_rho: float
    mean_q: float
    sd_q: float
    error: float
    grid: BetaBinomialGrid


class ShrunkenBetaBinomial(NamedTuple):
    """Each dataset's posterior, given all.

    Attributes
    ----------
    mean : array (N,)
        Of the probability that a discordant example is the first's error.
    first : array (N,)
        P(the first is better on this dataset): that this probability is below ½.
    error : float
        Largest change of any of these at the next refinement.
    """

    mean: FloatArray
    first: FloatArray
    error: float


# ------------------------------------------------------------------------------------ the posterior


def pool_beta_binomial(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> PooledBetaBinomial:
    """Posterior of μ, ρ and q, and the evidence.

    Parameters
    ----------
    k_h, k_g : arrays (N,)
        Examples that only the first, and only the second, got wrong.
    log_prior_mu, log_prior_rho : callables, optional
        Log densities of μ and ρ on (0, 1), uniform by default; they must be normalised if the
        evidence is used. A density that jumps inside (0, 1) is integrated less exactly: see
        `error`.
    tolerance : float
        Refine until nothing changes by more.

    Examples
    --------
    >>> posterior = pool_beta_binomial([2, 1, 4, 0, 3], [5, 6, 4, 3, 9])
    >>> round(posterior.first, 6), round(posterior.mean_mu, 6), posterior.error < 1e-9
    (0.962786, 0.303106, True)
    """
    density = posterior_density(k_h, k_g, log_prior_mu, log_prior_rho)
    support = beta_binomial_support_of(density)
    before = _beta_binomial_moments(*beta_binomial_grid_of(density, support, PANELS[0]))
    for level in PANELS[1:]:
        now = _beta_binomial_moments(*beta_binomial_grid_of(density, support, level))
        error = max(abs(x - y) for x, y in zip(now[:9], before[:9], strict=True))
        if error <= tolerance:
            break
        before = now
    # The coarser of the two that agree is returned: the finer one gives its error.
    return before._replace(error=error)


def _beta_binomial_moments(grid: BetaBinomialGrid, log_total: float) -> PooledBetaBinomial:
    matters = grid.mass > _FAINT
    mu, rho, mass = expit(grid.u[matters]), expit(grid.v[matters]), grid.mass[matters]
    q = beta_binomial_better_share(mu, rho)
    means = [float(mass @ x) for x in (mu, rho, q)]
    sds = [
        math.sqrt(float(mass @ (x - mean) ** 2))
        for x, mean in zip((mu, rho, q), means, strict=True)
    ]
    return PooledBetaBinomial(
        log_evidence=log_total,
        first=float(grid.mass[grid.u < 0.0].sum()),
        second=float(grid.mass[grid.u > 0.0].sum()),
        mean_mu=means[0],
        sd_mu=sds[0],
        mean_rho=means[1],
        sd_rho=sds[1],
        mean_q=means[2],
        sd_q=sds[2],
        error=math.inf,
        grid=grid,
    )


def beta_binomial_better_share(
    mu: FloatArray, rho: FloatArray, k_h: float | FloatArray = 0.0, k_g: float | FloatArray = 0.0
) -> FloatArray:
    r"""P(a dataset's probability < ½): the first is better, given μ, ρ and the dataset's counts.

    .. math:: q = I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Examples
    --------
    >>> beta_binomial_better_share(np.array([0.5, 0.3, 0.3]), np.array([0.2, 0.2, 1e-20])).round(
    ...     6
    ... ).tolist()
    [0.5, 0.818015, 1.0]
    """
    phi = (1.0 - rho) / rho
    first, second = mu * phi + k_h, (1.0 - mu) * phi + k_g
    large = first + second > _NORMAL
    exact = betainc(np.where(large, 1.0, first), np.where(large, 1.0, second), 0.5)
    # 1 − 2μ before the product with φ, which would cost all digits of the difference.
    excess = (1.0 - 2.0 * mu) * phi + (k_g - k_h)
    return np.asarray(np.where(large, ndtr(excess / np.sqrt(first + second)), exact))


def shrunken_beta_binomial(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> ShrunkenBetaBinomial:
    r"""Posterior of every dataset's own discordance probability.

    .. math:: \mathrm{E}\,\frac{\mu\varphi + k_h}{\varphi + n} \quad\text{and}\quad
              \mathrm{E}\, I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    The second is a step in μ where φ is large. The nodes are close enough to resolve it: they lie
    around μ = ½, where the step is unless the prior insists on a φ that the counts rule out.

    Examples
    --------
    Twelve of twelve, and none of none, among datasets that favour the second a little:

    >>> posterior = shrunken_beta_binomial([6, 7, 6, 12, 0], [4, 5, 4, 0, 0])
    >>> posterior.mean.round(3).tolist(), posterior.first.round(3).tolist()
    ([0.622, 0.608, 0.622, 0.921, 0.665], [0.181, 0.196, 0.181, 0.0, 0.25])
    """
    density = posterior_density(k_h, k_g, log_prior_mu, log_prior_rho)
    support = beta_binomial_support_of(density)
    pairs, _, which = _distinct_beta_binomial(k_h, k_g)
    # The largest datasets have the sharpest steps: nodes that suffice for them suffice for all.
    hard = pairs[np.argsort(pairs.sum(axis=1))[-_HARDEST:]]
    grid = beta_binomial_grid_of(density, support, PANELS[0])[0]
    before = _beta_binomial_by_dataset(grid, hard)
    for level in PANELS[1:]:
        finer = beta_binomial_grid_of(density, support, level)[0]
        now = _beta_binomial_by_dataset(finer, hard)
        error = float(np.abs(now - before).max(initial=0.0))
        if error <= tolerance:
            break
        grid, before = finer, now
    mean, first_better = _beta_binomial_by_dataset(grid, pairs)[which].T
    return ShrunkenBetaBinomial(mean, first_better, error)


def _distinct_beta_binomial(
    k_h: ArrayLike, k_g: ArrayLike
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the distinct datasets, where each first occurs, and the index of every dataset."""
    counts = np.stack([np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)], axis=-1)
    pairs, seen, which = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    return pairs, seen, which.reshape(-1)


def _beta_binomial_by_dataset(grid: BetaBinomialGrid, pairs: FloatArray) -> FloatArray:
    """Return mean and P(< ½) of the probability of each distinct dataset, (D, 2)."""
    matters = grid.mass > _FAINT
    mu, rho, mass = expit(grid.u[matters]), expit(grid.v[matters]), grid.mass[matters]
    rest = expit(-grid.v[matters])
    figures = np.empty((len(pairs), 2))
    for row, (k_h, k_g) in enumerate(pairs):
        # The ratio of φ μ + k_h to φ + n, times ρ.
        mean = (mu * rest + rho * k_h) / (rest + rho * (k_h + k_g))
        figures[row] = (
            (mass * mean).sum(),
            (mass * beta_binomial_better_share(mu, rho, k_h, k_g)).sum(),
        )
    return figures


def beta_binomial_left_out(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> tuple[FloatArray, float]:
    r"""Log predictive probability of each dataset given the others.

    .. math:: \log p(k_i \mid k_{-i}, n) = \log Z - \log Z_{-i}

    Without a typical dataset the posterior is nearly that of all, and its nodes serve; without a
    dataset much larger than the others it lies far away and needs separate nodes.

    Returns
    -------
    array (N,), float
        The densities and the largest error among them.

    Examples
    --------
    >>> log_density, _ = beta_binomial_left_out([1, 2, 1, 9], [9, 8, 9, 1])
    >>> np.exp(log_density).round(4).tolist()
    [0.0957, 0.0804, 0.0957, 0.016]
    """
    first, second = np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)
    density = posterior_density(first, second, log_prior_mu, log_prior_rho)
    support = beta_binomial_support_of(density)
    pairs, seen, which = _distinct_beta_binomial(first, second)
    level, error = _beta_binomial_level(density, support, tolerance)
    (coarse, whole), (fine, _) = (
        beta_binomial_grid_of(density, support, PANELS[level + up]) for up in (0, 1)
    )
    border = beta_binomial_border_of(support)
    height = density(*border)
    value = np.empty(len(pairs))
    for row, (one, other) in enumerate(pairs):
        single = beta_binomial_logit_likelihood(np.array([one]), np.array([other]))
        value[row], peak = _beta_binomial_log_predictive(coarse, single)
        change = abs(_beta_binomial_log_predictive(fine, single)[0] - value[row])
        # If much of the remaining mass lies outside the nodes, the density is high on their border.
        if change > tolerance or float((height - single(*border)).max()) > peak - 25.0:
            rest = [np.delete(counts, seen[row]) for counts in (first, second)]
            without = posterior_density(rest[0], rest[1], log_prior_mu, log_prior_rho)
            own = beta_binomial_support_of(without)
            needed, change = _beta_binomial_level(without, own, tolerance)
            value[row] = whole - beta_binomial_grid_of(without, own, PANELS[needed])[1]
        error = max(error, change)
    return value[which], error


def beta_binomial_predictive(k_h: ArrayLike, k_g: ArrayLike, grid: BetaBinomialGrid) -> FloatArray:
    r"""Log predictive probability of each dataset given all of them, itself included.

    .. math:: \log \mathrm{E}\, p(k_i \mid n_i, \mu, \varphi)

    Examples
    --------
    >>> first, second = [1, 2, 1, 9], [9, 8, 9, 1]
    >>> np.exp(
    ...     beta_binomial_predictive(first, second, pool_beta_binomial(first, second).grid)
    ... ).round(4).tolist()
    [0.1135, 0.0947, 0.1135, 0.0584]
    """
    pairs, _, which = _distinct_beta_binomial(k_h, k_g)
    matters = grid.mass > _FAINT
    value = np.empty(len(pairs))
    for row, (one, other) in enumerate(pairs):
        single = beta_binomial_logit_likelihood(np.array([one]), np.array([other]))
        log_density = single(grid.u[matters], grid.v[matters])
        value[row] = math.log(float((grid.mass[matters] * np.exp(log_density)).sum()))
    return value[which]


def beta_binomial_share_interval(grid: BetaBinomialGrid, mass: float = 0.95) -> tuple[float, float]:
    """Central interval of q, read off the nodes: to about 0.002.

    Examples
    --------
    >>> posterior = pool_beta_binomial([2, 1, 4, 0, 3], [5, 6, 4, 3, 9])
    >>> [round(end, 2) for end in beta_binomial_share_interval(posterior.grid)]
    [0.46, 1.0]
    """
    q = beta_binomial_better_share(expit(grid.u), expit(grid.v))
    order = np.argsort(q)
    middle = np.cumsum(grid.mass[order]) - 0.5 * grid.mass[order]
    low, high = np.interp([(1.0 - mass) / 2.0, (1.0 + mass) / 2.0], middle, q[order])
    return float(low), float(high)


def _beta_binomial_log_predictive(grid: BetaBinomialGrid, single: Density) -> tuple[float, float]:
    """Minus log E[1/likelihood] of one dataset, and the peak of the density without it."""
    # Nodes below this matter only if the border is high too.
    matters = grid.mass > 1e-24
    inverse = -single(grid.u[matters], grid.v[matters])
    top = float(inverse.max())
    # No dot product: BLAS would start threads for it.
    log_mean = top + math.log(float((grid.mass[matters] * np.exp(inverse - top)).sum()))
    return -log_mean, float((grid.log_density[matters] + inverse).max())


def _beta_binomial_level(
    density: Density, support: BetaBinomialSupport, tolerance: float
) -> tuple[int, float]:
    """Return the first level whose log evidence the next one confirms, and the difference."""
    before = beta_binomial_grid_of(density, support, PANELS[0])[1]
    for level in range(len(PANELS) - 1):
        now = beta_binomial_grid_of(density, support, PANELS[level + 1])[1]
        error = abs(now - before)
        if error <= tolerance:
            break
        before = now
    return level, error
