r"""Partial pooling: the datasets' discordance probabilities come from one Beta distribution.

Of dataset i's :math:`n_i = k_{h,i} + k_{g,i}` discordant examples the first algorithm has
:math:`k_{h,i}` wrong,

.. math:: k_{h,i} \mid n_i \sim \mathrm{BetaBinomial}(\mu\varphi, (1 - \mu)\varphi), \qquad
          \rho = 1/(1 + \varphi),

μ being the mean and ρ the correlation of two examples of one dataset. The first is better on a
share :math:`q = I_{½}(\mu\varphi, (1 - \mu)\varphi)` of the context's datasets, which plays r of
the Poisson-binomial test. As q > ½ exactly where μ < ½, whatever φ, the two have one probability.

All by quadrature over logit ρ and, within it, logit μ. Times ρ, the likelihood is

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
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, expit, gammaln, log_expit, ndtr

__all__ = [
    "Grid",
    "LogPrior",
    "Pooled",
    "Shrunken",
    "better_share",
    "draw_hyper",
    "draw_shares",
    "leave_one_out",
    "pooled",
    "shrunken",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LogPrior = Callable[[FloatArray], FloatArray]
_Density = Callable[[FloatArray, FloatArray], FloatArray]

_DIRECT = 16
_NODES = 16
#: Where 1 − μ and 1 − ρ still have digits; ρ itself may be far smaller.
_TOP, _BOTTOM = 36.0, -90.0
_LOG_TAIL = 36.0
#: Panels of logit ρ, and of each segment of logit μ, in turn.
_LEVELS = ((4, 2), (6, 2), (8, 3), (12, 4), (16, 6), (24, 8), (32, 12), (48, 16))
#: Nodes of less mass than this are not asked for their betainc.
_FAINT = 1e-17
#: A Beta of this size is normal to 1e-12, and beyond what betainc can do.
_NORMAL = 1e12


class Grid(NamedTuple):
    """Quadrature nodes with the posterior mass of each, and the cell around it.

    Attributes
    ----------
    u, v : arrays (M,)
        Logit μ and logit ρ.
    mass : array (M,)
        Sums to one.
    log_density : array (M,)
        Unnormalised, with respect to u and v.
    u_cell, v_cell : arrays (M, 2)
        Lower end and width. The cells are disjoint and their areas the nodes' weights.
    """

    u: FloatArray
    v: FloatArray
    mass: FloatArray
    log_density: FloatArray
    u_cell: FloatArray
    v_cell: FloatArray


class Pooled(NamedTuple):
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
    grid: Grid


class Shrunken(NamedTuple):
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


def pooled(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> Pooled:
    """Posterior of μ, ρ and q, and the evidence.

    Parameters
    ----------
    k_h, k_g : arrays (N,)
        Examples that only the first, and only the second, has wrong.
    log_prior_mu, log_prior_rho : callables, optional
        Log densities of μ and ρ on (0, 1), normalised if the evidence is to be; uniform unless
        given. A density that jumps inside (0, 1) is integrated less exactly: see `error`.
    tolerance : float
        Refine until nothing changes by more.

    Examples
    --------
    >>> found = pooled([2, 1, 4, 0, 3], [5, 6, 4, 3, 9])
    >>> round(found.first, 6), round(found.mean_mu, 6), found.error < 1e-9
    (0.962786, 0.303106, True)
    """
    density = _posterior(k_h, k_g, log_prior_mu, log_prior_rho)
    support = _support(density)
    before = _moments(_grid(density, support, _LEVELS[0]))
    for level in _LEVELS[1:]:
        now = _moments(_grid(density, support, level))
        error = max(abs(x - y) for x, y in zip(now[:9], before[:9], strict=True))
        if error <= tolerance:
            break
        before = now
    # The coarser of the two that agree: what the finer one says of it is its error.
    return before._replace(error=error)


def _moments(found: tuple[Grid, float]) -> Pooled:
    grid, log_total = found
    matters = grid.mass > _FAINT
    mu, rho, mass = expit(grid.u[matters]), expit(grid.v[matters]), grid.mass[matters]
    q = better_share(mu, rho)
    means = [float(mass @ x) for x in (mu, rho, q)]
    sds = [
        math.sqrt(float(mass @ (x - mean) ** 2))
        for x, mean in zip((mu, rho, q), means, strict=True)
    ]
    return Pooled(
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


def better_share(
    mu: FloatArray, rho: FloatArray, k_h: float | FloatArray = 0.0, k_g: float | FloatArray = 0.0
) -> FloatArray:
    r"""P(a dataset's probability < ½): the first is better, given μ, ρ and the dataset's counts.

    .. math:: q = I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Examples
    --------
    >>> better_share(np.array([0.5, 0.3, 0.3]), np.array([0.2, 0.2, 1e-20])).round(6).tolist()
    [0.5, 0.818015, 1.0]
    """
    phi = (1.0 - rho) / rho
    first, second = mu * phi + k_h, (1.0 - mu) * phi + k_g
    large = first + second > _NORMAL
    exact = betainc(np.where(large, 1.0, first), np.where(large, 1.0, second), 0.5)
    # 1 − 2μ before the product with φ, which would leave no digits of the difference.
    excess = (1.0 - 2.0 * mu) * phi + (k_g - k_h)
    return np.asarray(np.where(large, ndtr(excess / np.sqrt(first + second)), exact))


def shrunken(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> Shrunken:
    r"""Posterior of every dataset's own discordance probability.

    .. math:: \mathrm{E}\,\frac{\mu\varphi + k_h}{\varphi + n} \quad\text{and}\quad
              \mathrm{E}\, I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    The second is a step in μ where φ is large, which the nodes are close enough for: they lie
    around μ = ½, where it is unless the prior insists on a φ that the counts rule out.

    Examples
    --------
    Twelve of twelve, and none of none, among datasets that favour the second a little:

    >>> found = shrunken([6, 7, 6, 12, 0], [4, 5, 4, 0, 0])
    >>> found.mean.round(3).tolist(), found.first.round(3).tolist()
    ([0.622, 0.608, 0.622, 0.921, 0.665], [0.181, 0.196, 0.181, 0.0, 0.25])
    """
    density = _posterior(k_h, k_g, log_prior_mu, log_prior_rho)
    support = _support(density)
    pairs, _, which = _distinct(k_h, k_g)
    before = _each_dataset(_grid(density, support, _LEVELS[0])[0], pairs)
    for level in _LEVELS[1:]:
        now = _each_dataset(_grid(density, support, level)[0], pairs)
        error = float(np.abs(now - before).max(initial=0.0))
        if error <= tolerance:
            break
        before = now
    mean, first_better = before[which].T
    return Shrunken(mean, first_better, error)


def _distinct(k_h: ArrayLike, k_g: ArrayLike) -> tuple[FloatArray, IntArray, IntArray]:
    """Different datasets, where each is first seen, and which of them every dataset is."""
    counts = np.stack([np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)], axis=-1)
    pairs, seen, which = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    return pairs, seen, which.reshape(-1)


def _each_dataset(grid: Grid, pairs: FloatArray) -> FloatArray:
    """Mean and P(< ½) of the probability of each different dataset, (D, 2)."""
    matters = grid.mass > _FAINT
    mu, rho, mass = expit(grid.u[matters]), expit(grid.v[matters]), grid.mass[matters]
    rest = expit(-grid.v[matters])
    figures = np.empty((len(pairs), 2))
    for row, (k_h, k_g) in enumerate(pairs):
        # The ratio of φ μ + k_h to φ + n, times ρ.
        mean = (mu * rest + rho * k_h) / (rest + rho * (k_h + k_g))
        figures[row] = (mass * mean).sum(), (mass * better_share(mu, rho, k_h, k_g)).sum()
    return figures


def leave_one_out(
    k_h: ArrayLike,
    k_g: ArrayLike,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
    tolerance: float = 1e-9,
) -> tuple[FloatArray, float]:
    r"""Log predictive probability of each dataset given the others.

    .. math:: \log p(k_i \mid k_{-i}, n) = \log Z - \log Z_{-i}

    Without a dataset like the others the posterior is nearly that of all and its nodes serve; a
    dataset much larger than the others leaves one far away, which gets nodes of its own.

    Returns
    -------
    array (N,), float
        And the error of the worst.

    Examples
    --------
    >>> found, _ = leave_one_out([1, 2, 1, 9], [9, 8, 9, 1])
    >>> np.exp(found).round(4).tolist()
    [0.0957, 0.0804, 0.0957, 0.016]
    """
    first, second = np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)
    density = _posterior(first, second, log_prior_mu, log_prior_rho)
    support = _support(density)
    pairs, seen, which = _distinct(first, second)
    level, error = _enough(density, support, tolerance)
    (coarse, whole), (fine, _) = (_grid(density, support, _LEVELS[level + up]) for up in (0, 1))
    border = _border(support)
    height = density(*border)
    value = np.empty(len(pairs))
    for row, (one, other) in enumerate(pairs):
        single = _likelihood(np.array([one]), np.array([other]))
        value[row], peak = _log_predictive(coarse, single)
        change = abs(_log_predictive(fine, single)[0] - value[row])
        # Where much of what is left lies outside the nodes, it is still high on their border.
        if change > tolerance or float((height - single(*border)).max()) > peak - 25.0:
            rest = [np.delete(counts, seen[row]) for counts in (first, second)]
            without = _posterior(rest[0], rest[1], log_prior_mu, log_prior_rho)
            own = _support(without)
            needed, change = _enough(without, own, tolerance)
            value[row] = whole - _grid(without, own, _LEVELS[needed])[1]
        error = max(error, change)
    return value[which], error


def _log_predictive(grid: Grid, single: _Density) -> tuple[float, float]:
    """Minus log E[1/likelihood] of one dataset, and the peak of the density without it."""
    # Far below what can matter unless the border is high too.
    matters = grid.mass > 1e-24
    inverse = -single(grid.u[matters], grid.v[matters])
    top = float(inverse.max())
    # No dot product: BLAS would start threads for it.
    log_mean = top + math.log(float((grid.mass[matters] * np.exp(inverse - top)).sum()))
    return -log_mean, float((grid.log_density[matters] + inverse).max())


def _enough(density: _Density, support: _Support, tolerance: float) -> tuple[int, float]:
    """The first level whose log evidence the next one confirms, and the difference."""
    before = _grid(density, support, _LEVELS[0])[1]
    for level in range(len(_LEVELS) - 1):
        now = _grid(density, support, _LEVELS[level + 1])[1]
        error = abs(now - before)
        if error <= tolerance:
            break
        before = now
    return level, error


# -------------------------------------------------------------------------------------------- draws


def draw_hyper(
    k_h: ArrayLike,
    k_g: ArrayLike,
    grid: Grid,
    draws: int,
    rng: np.random.Generator,
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Draw μ and ρ, independently, from the posterior that `grid` was made for.

    A node is drawn by its mass and a point of its cell uniformly. The density at the point over
    that at the node, which is near one, is made up for by ten independent Metropolis proposals.

    Returns
    -------
    mu, rho : arrays (draws,)

    Examples
    --------
    >>> first, second = [2, 1, 4, 0, 3], [5, 6, 4, 3, 9]
    >>> found = pooled(first, second)
    >>> mu, _ = draw_hyper(first, second, found.grid, 4000, np.random.default_rng(1))
    >>> bool(abs(mu.mean() - found.mean_mu) < 4 * found.sd_mu / 4000**0.5)
    True
    """
    density = _posterior(k_h, k_g, log_prior_mu, log_prior_rho)
    u, v, excess = _propose(density, grid, draws, rng)
    for _ in range(10):
        new_u, new_v, new_excess = _propose(density, grid, draws, rng)
        taken = -rng.standard_exponential(draws) < new_excess - excess
        u, v = np.where(taken, new_u, u), np.where(taken, new_v, v)
        excess = np.where(taken, new_excess, excess)
    return expit(u), expit(v)


def _propose(
    density: _Density, grid: Grid, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points in cells chosen by mass, and the log density there over that of the node."""
    node = rng.choice(len(grid.mass), size=draws, p=grid.mass / grid.mass.sum())
    u = grid.u_cell[node, 0] + grid.u_cell[node, 1] * rng.random(draws)
    v = grid.v_cell[node, 0] + grid.v_cell[node, 1] * rng.random(draws)
    return u, v, density(u, v) - grid.log_density[node]


def draw_shares(
    k_h: ArrayLike, k_g: ArrayLike, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> FloatArray:
    r"""Draw every dataset's discordance probability, conjugate given μ and ρ.

    .. math:: z_i \sim \mathrm{Beta}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_shares([3], [9], np.array([0.25]), np.array([1e-30]), rng).round(9).tolist()
    [[0.25]]
    """
    phi = ((1.0 - rho) / rho)[:, None]
    first = mu[:, None] * phi + np.asarray(k_h, dtype=np.float64)
    second = (1.0 - mu)[:, None] * phi + np.asarray(k_g, dtype=np.float64)
    return np.asarray(rng.beta(first, second))


# -------------------------------------------------------------------------------------- the density


class _Tally(NamedTuple):
    """Counts, as exponents of x + jρ: one for each j < 16, and larger counts one by one."""

    below: FloatArray
    beyond: FloatArray
    times: FloatArray


def _tally(counts: FloatArray) -> _Tally:
    below = (counts[:, None] > np.arange(_DIRECT)).sum(axis=0).astype(np.float64)
    beyond, times = np.unique(counts[counts > _DIRECT], return_counts=True)
    return _Tally(below, beyond - _DIRECT, times.astype(np.float64))


def _posterior(
    k_h: ArrayLike,
    k_g: ArrayLike,
    log_prior_mu: LogPrior | None,
    log_prior_rho: LogPrior | None,
) -> _Density:
    """Return the log of evidence times posterior density of (logit μ, logit ρ), as a function."""
    likelihood = _likelihood(np.asarray(k_h, np.float64), np.asarray(k_g, np.float64))

    def density(u: FloatArray, v: FloatArray) -> FloatArray:
        value = likelihood(u, v) + log_expit(u) + log_expit(-u) + log_expit(v) + log_expit(-v)
        if log_prior_mu is not None:
            value = value + log_prior_mu(expit(u))
        if log_prior_rho is not None:
            value = value + log_prior_rho(expit(v))
        return np.asarray(value)

    return density


def _likelihood(first: FloatArray, second: FloatArray) -> _Density:
    """Return the log likelihood of (logit μ, logit ρ), as a function."""
    n = first + second
    splits = float((gammaln(n + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)).sum())
    tallies = (*_tally(first), *_tally(second), *_tally(n))

    def likelihood(u: FloatArray, v: FloatArray) -> FloatArray:
        rates = expit(u), expit(-u), expit(v), expit(-v)
        return np.asarray(splits + _log_likelihood(*rates, *tallies))

    return likelihood


@njit(cache=True)
def _log_likelihood(
    mu: FloatArray,
    not_mu: FloatArray,
    rho: FloatArray,
    not_rho: FloatArray,
    first_below: FloatArray,
    first_beyond: FloatArray,
    first_times: FloatArray,
    second_below: FloatArray,
    second_beyond: FloatArray,
    second_times: FloatArray,
    all_below: FloatArray,
    all_beyond: FloatArray,
    all_times: FloatArray,
) -> FloatArray:
    out = np.empty(len(mu))
    for m in range(len(mu)):
        r = rho[m]
        out[m] = (
            _log_rising(mu[m] * not_rho[m], r, first_below, first_beyond, first_times)
            + _log_rising(not_mu[m] * not_rho[m], r, second_below, second_beyond, second_times)
            - _log_rising(not_rho[m], r, all_below, all_beyond, all_times)
        )
    return out


@njit(cache=True)
def _log_rising(
    x: float, rho: float, below: FloatArray, beyond: FloatArray, times: FloatArray
) -> float:
    """Sum over datasets of Σ_{j<c} log(x + jρ); by Stirling's series from j = 16 on."""
    total = 0.0
    for j in range(_DIRECT):
        if below[j] > 0.0:
            total += below[j] * math.log(x + j * rho)
    if len(beyond) > 0:
        y = x + _DIRECT * rho
        for c in range(len(beyond)):
            total += times[c] * _log_long_product(y, rho, beyond[c])
    return total


@njit(cache=True)
def _log_long_product(y: float, rho: float, m: float) -> float:
    """Sum of log(y + jρ) over j < m, where y is at least 16 ρ."""
    a = y / rho
    share = m / a
    if share < 1e-3:
        # a log(1 + m/a) − m, without the difference of near equals.
        series = 1 / 2 - share * (1 / 3 - share * (1 / 4 - share * (1 / 5 - share / 6)))
        leading = -m * share * series
    else:
        leading = a * math.log1p(share) - m
    leading += m * math.log(y + m * rho) - 0.5 * math.log1p(share)
    return leading + _stirling(a + m) - _stirling(a)


@njit(cache=True)
def _stirling(x: float) -> float:
    """log Γ(x) − (x − ½) log x + x − ½ log 2π, for x >= 16."""
    w = 1.0 / (x * x)
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / x


# ---------------------------------------------------------------------------------------- the nodes


class _Support(NamedTuple):
    """Where the posterior is: the limits of logit μ at a number of logit ρ, to interpolate."""

    v: FloatArray
    low: FloatArray
    high: FloatArray


def _grid(density: _Density, support: _Support, level: tuple[int, int]) -> tuple[Grid, float]:
    """Nodes with their masses, and the log of the whole integral."""
    rho_edges = np.linspace(support.v[0], support.v[-1], level[0] + 1)
    v, v_weight, v_low = (x[0] for x in _panels(rho_edges[None, :]))
    low, high = np.interp(v, support.v, support.low), np.interp(v, support.v, support.high)
    edges = _mu_edges(v, low, high, level[1])
    u, u_weight, u_low = _panels(edges)
    slice_, node = np.nonzero(u_weight > 0.0)
    u, u_weight, u_low = u[slice_, node], u_weight[slice_, node], u_low[slice_, node]
    value = density(u, v[slice_])
    top = float(value.max())
    mass = u_weight * v_weight[slice_] * np.exp(value - top)
    total = float(mass.sum())
    grid = Grid(
        u=u,
        v=v[slice_],
        mass=mass / total,
        log_density=value,
        u_cell=np.stack([u_low, u_weight], axis=-1),
        v_cell=np.stack([v_low[slice_], v_weight[slice_]], axis=-1),
    )
    return grid, top + math.log(total)


def _mu_edges(v: FloatArray, low: FloatArray, high: FloatArray, panels: int) -> FloatArray:
    """Edges of four segments of logit μ for each logit ρ: beside q's step at 0, and further out."""
    width = 16.0 / np.sqrt(1.0 + np.exp(-v))  # eight standard deviations
    corners = np.stack([low, -width, np.zeros(len(v)), width, high], axis=-1)
    corners = np.clip(corners, low[:, None], high[:, None])
    part = np.linspace(0.0, 1.0, panels + 1)[:-1]
    inner = corners[:, :-1, None] + np.diff(corners)[:, :, None] * part
    return np.concatenate([inner.reshape(len(v), -1), corners[:, -1:]], axis=1)


def _panels(edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss–Legendre nodes, weights, and lower ends of the cells that the weights lay out.

    Every node lies inside its cell (Chebyshev, Markov, Stieltjes).
    """
    node, weight, start = _legendre()
    half = 0.5 * np.diff(edges)[..., None]
    low = edges[..., :-1, None]
    shape = (len(edges), -1)
    return (
        (low + half * (1.0 + node)).reshape(shape),
        (half * weight).reshape(shape),
        (low + half * start).reshape(shape),
    )


@cache
def _legendre() -> tuple[FloatArray, FloatArray, FloatArray]:
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight, np.concatenate([[0.0], np.cumsum(weight)[:-1]])


def _border(support: _Support) -> tuple[FloatArray, FloatArray]:
    """Points all around the support."""
    part = np.linspace(0.0, 1.0, 33)
    sides = [support.low[i] + (support.high[i] - support.low[i]) * part for i in (0, -1)]
    u = np.concatenate([support.low, support.high, *sides])
    v = np.concatenate([support.v, support.v, np.repeat(support.v[[0, -1]], 33)])
    return u, v


def _support(density: _Density) -> _Support:
    """Close in on the logit ρ and, for each, the logit μ that are within e^{-36} of the peak."""
    bottom, top = _BOTTOM, _TOP
    for _ in range(20):
        v = np.linspace(bottom, top, 65)
        low, high, height = _mu_limits(density, v)
        area = height + np.log(high - low)
        inside = np.flatnonzero(area > area.max() - _LOG_TAIL)
        start, stop = max(inside[0] - 1, 0), min(inside[-1] + 1, 64)
        if stop - start > 32:
            break
        bottom, top = float(v[start]), float(v[stop])
    kept = slice(start, stop + 1)
    return _Support(v[kept], low[kept], high[kept])


def _mu_limits(density: _Density, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Limits of logit μ and the highest log density, for each logit ρ."""
    low, high = np.full(len(v), -_TOP), np.full(len(v), _TOP)
    rows, points = np.arange(len(v)), np.linspace(0.0, 1.0, 33)
    for _ in range(20):
        u = low[:, None] + (high - low)[:, None] * points
        value = density(u.ravel(), np.repeat(v, 33)).reshape(u.shape)
        height = value.max(axis=1)
        inside = value > height[:, None] - _LOG_TAIL
        start, stop = inside.argmax(axis=1), 32 - inside[:, ::-1].argmax(axis=1)
        low, high = u[rows, np.maximum(start - 1, 0)], u[rows, np.minimum(stop + 1, 32)]
        if np.all(stop - start > 16):
            break
    return low, high, height
