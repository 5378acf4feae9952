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
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, expit, gammaln, log_expit, ndtr

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import gauss_legendre

LogPrior = Callable[[FloatArray], FloatArray]
Density = Callable[[FloatArray, FloatArray], FloatArray]

_DIRECT = 16


class _Tally(NamedTuple):
    """Counts, as exponents of x + jρ: one for each j < 16, and larger counts one by one."""

    below: FloatArray
    beyond: FloatArray
    times: FloatArray


def _tally(counts: FloatArray) -> _Tally:
    below = (counts[:, None] > np.arange(_DIRECT)).sum(axis=0).astype(np.float64)
    beyond, times = np.unique(counts[counts > _DIRECT], return_counts=True)
    return _Tally(below, beyond - _DIRECT, times.astype(np.float64))


def posterior_density(
    k_h: ArrayLike,
    k_g: ArrayLike,
    log_prior_mu: LogPrior | None,
    log_prior_rho: LogPrior | None,
) -> Density:
    """Return the log of evidence times posterior density of (logit μ, logit ρ), as a function."""
    likelihood = beta_binomial_logit_likelihood(
        np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)
    )

    def density(u: FloatArray, v: FloatArray) -> FloatArray:
        value = likelihood(u, v) + log_expit(u) + log_expit(-u) + log_expit(v) + log_expit(-v)
        if log_prior_mu is not None:
            value = value + log_prior_mu(expit(u))
        if log_prior_rho is not None:
            value = value + log_prior_rho(expit(v))
        return np.asarray(value)

    return density


def beta_binomial_logit_likelihood(first: FloatArray, second: FloatArray) -> Density:
    """Return the log likelihood of (logit μ, logit ρ), as a function."""
    n = first + second
    splits = float((gammaln(n + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)).sum())
    tallies = (
        *_tally(first),
        *_tally(second),
        *_tally(n),
    )

    def likelihood(u: FloatArray, v: FloatArray) -> FloatArray:
        rates = expit(u), expit(-u), expit(v), expit(-v)
        return np.asarray(splits + _log_likelihood(*rates, *tallies))

    return likelihood


@jit()
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


@jit()
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
            total += times[c] * _log_product(y, rho, beyond[c])
    return total


@jit()
def _log_product(y: float, rho: float, m: float) -> float:
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


@jit()
def _stirling(x: float) -> float:
    """log Γ(x) − (x − ½) log x + x − ½ log 2π, for x >= 16."""
    w = 1.0 / (x * x)
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / x


# nodes -------------------------------------------------------------------------------------------

#: Logits within which 1 − μ and 1 − ρ are still accurate; ρ itself may be far smaller.
_TOP, _BOTTOM = 36.0, -90.0
_LOG_TAIL = 36.0
#: Panels of logit ρ, and of each segment of logit μ, in turn.
_PANELS = ((4, 2), (6, 2), (8, 3), (12, 4), (16, 6), (24, 8), (32, 12), (48, 16))


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


class _Support(NamedTuple):
    """Region of the posterior: limits of logit μ at several logit ρ, to be interpolated."""

    v: FloatArray
    low: FloatArray
    high: FloatArray


def _grid_of(density: Density, support: _Support, level: tuple[int, int]) -> tuple[Grid, float]:
    """Return nodes with their masses, and the log of the whole integral."""
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
    """Return edges of four segments of logit μ per logit ρ: beside q's step at 0, and beyond."""
    width = 16.0 / np.sqrt(1.0 + np.exp(-v))  # eight standard deviations
    corners = np.stack([low, -width, np.zeros(len(v)), width, high], axis=-1)
    corners = np.clip(corners, low[:, None], high[:, None])
    part = np.linspace(0.0, 1.0, panels + 1)[:-1]
    inner = corners[:, :-1, None] + np.diff(corners)[:, :, None] * part
    return np.concatenate([inner.reshape(len(v), -1), corners[:, -1:]], axis=1)


def _panels(edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Gauss–Legendre nodes and weights, and the lower ends of cells as wide as the weights.

    Every node lies inside its cell (Chebyshev, Markov, Stieltjes).
    """
    node, weight, start = _unit_panel()
    half = 0.5 * np.diff(edges)[..., None]
    low = edges[..., :-1, None]
    shape = (len(edges), -1)
    return (
        (low + half * (1.0 + node)).reshape(shape),
        (half * weight).reshape(shape),
        (low + half * start).reshape(shape),
    )


@cache
def _unit_panel() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights, and where the cell around each node begins."""
    node, weight = gauss_legendre()
    return node, weight, np.concatenate([[0.0], np.cumsum(weight)[:-1]])


def _border_of(support: _Support) -> tuple[FloatArray, FloatArray]:
    """Return points all around the support."""
    part = np.linspace(0.0, 1.0, 33)
    sides = [support.low[i] + (support.high[i] - support.low[i]) * part for i in (0, -1)]
    u = np.concatenate([support.low, support.high, *sides])
    v = np.concatenate([support.v, support.v, np.repeat(support.v[[0, -1]], 33)])
    return u, v


def _support_of(density: Density) -> _Support:
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


def _mu_limits(density: Density, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    grid: Grid


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


# the posterior -----------------------------------------------------------------------------------


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
    support = _support_of(density)
    before = _moments(*_grid_of(density, support, _PANELS[0]))
    for level in _PANELS[1:]:
        now = _moments(*_grid_of(density, support, level))
        error = max(abs(x - y) for x, y in zip(now[:9], before[:9], strict=True))
        if error <= tolerance:
            break
        before = now
    # The coarser of the two that agree is returned: the finer one gives its error.
    return before._replace(error=error)


def _moments(grid: Grid, log_total: float) -> PooledBetaBinomial:
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
    support = _support_of(density)
    pairs, _, which = _distinct(k_h, k_g)
    # The largest datasets have the sharpest steps: nodes that suffice for them suffice for all.
    hard = pairs[np.argsort(pairs.sum(axis=1))[-_HARDEST:]]
    grid = _grid_of(density, support, _PANELS[0])[0]
    before = _by_dataset(grid, hard)
    for level in _PANELS[1:]:
        finer = _grid_of(density, support, level)[0]
        now = _by_dataset(finer, hard)
        error = float(np.abs(now - before).max(initial=0.0))
        if error <= tolerance:
            break
        grid, before = finer, now
    mean, first_better = _by_dataset(grid, pairs)[which].T
    return ShrunkenBetaBinomial(mean, first_better, error)


def _distinct(k_h: ArrayLike, k_g: ArrayLike) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the distinct datasets, where each first occurs, and the index of every dataset."""
    counts = np.stack([np.asarray(k_h, np.float64), np.asarray(k_g, np.float64)], axis=-1)
    pairs, seen, which = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    return pairs, seen, which.reshape(-1)


def _by_dataset(grid: Grid, pairs: FloatArray) -> FloatArray:
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
    support = _support_of(density)
    pairs, seen, which = _distinct(first, second)
    level, error = _level(density, support, tolerance)
    (coarse, whole), (fine, _) = (_grid_of(density, support, _PANELS[level + up]) for up in (0, 1))
    border = _border_of(support)
    height = density(*border)
    value = np.empty(len(pairs))
    for row, (one, other) in enumerate(pairs):
        single = beta_binomial_logit_likelihood(np.array([one]), np.array([other]))
        value[row], peak = _log_predictive(coarse, single)
        change = abs(_log_predictive(fine, single)[0] - value[row])
        # If much of the remaining mass lies outside the nodes, the density is high on their border.
        if change > tolerance or float((height - single(*border)).max()) > peak - 25.0:
            rest = [np.delete(counts, seen[row]) for counts in (first, second)]
            without = posterior_density(rest[0], rest[1], log_prior_mu, log_prior_rho)
            own = _support_of(without)
            needed, change = _level(without, own, tolerance)
            value[row] = whole - _grid_of(without, own, _PANELS[needed])[1]
        error = max(error, change)
    return value[which], error


def beta_binomial_predictive(k_h: ArrayLike, k_g: ArrayLike, grid: Grid) -> FloatArray:
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
    pairs, _, which = _distinct(k_h, k_g)
    matters = grid.mass > _FAINT
    value = np.empty(len(pairs))
    for row, (one, other) in enumerate(pairs):
        single = beta_binomial_logit_likelihood(np.array([one]), np.array([other]))
        log_density = single(grid.u[matters], grid.v[matters])
        value[row] = math.log(float((grid.mass[matters] * np.exp(log_density)).sum()))
    return value[which]


def beta_binomial_share_interval(grid: Grid, mass: float = 0.95) -> tuple[float, float]:
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


def _log_predictive(grid: Grid, single: Density) -> tuple[float, float]:
    """Minus log E[1/likelihood] of one dataset, and the peak of the density without it."""
    # Nodes below this matter only if the border is high too.
    matters = grid.mass > 1e-24
    inverse = -single(grid.u[matters], grid.v[matters])
    top = float(inverse.max())
    # No dot product: BLAS would start threads for it.
    log_mean = top + math.log(float((grid.mass[matters] * np.exp(inverse - top)).sum()))
    return -log_mean, float((grid.log_density[matters] + inverse).max())


def _level(density: Density, support: _Support, tolerance: float) -> tuple[int, float]:
    """Return the first level whose log evidence the next one confirms, and the difference."""
    before = _grid_of(density, support, _PANELS[0])[1]
    for level in range(len(_PANELS) - 1):
        now = _grid_of(density, support, _PANELS[level + 1])[1]
        error = abs(now - before)
        if error <= tolerance:
            break
        before = now
    return level, error


# draws -------------------------------------------------------------------------------------------


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
    """Draw μ and ρ, independently, from the posterior that `grid` was computed for.

    A node is drawn by its mass and a point of its cell uniformly. The density at the point over
    that at the node is near one; ten independent Metropolis proposals correct for it.

    Returns
    -------
    mu, rho : arrays (draws,)

    Examples
    --------
    >>> first, second = [2, 1, 4, 0, 3], [5, 6, 4, 3, 9]
    >>> posterior = pool_beta_binomial(first, second)
    >>> mu, _ = draw_hyper(first, second, posterior.grid, 4000, np.random.default_rng(1))
    >>> bool(abs(mu.mean() - posterior.mean_mu) < 4 * posterior.sd_mu / 4000**0.5)
    True
    """
    density = posterior_density(k_h, k_g, log_prior_mu, log_prior_rho)
    u, v, excess = _propose(density, grid, draws, rng)
    for _ in range(10):
        new_u, new_v, new_excess = _propose(density, grid, draws, rng)
        taken = -rng.standard_exponential(draws) < new_excess - excess
        u, v = np.where(taken, new_u, u), np.where(taken, new_v, v)
        excess = np.where(taken, new_excess, excess)
    return expit(u), expit(v)


def _propose(
    density: Density, grid: Grid, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points in cells chosen by mass, and the log density there over that of the node."""
    node = rng.choice(len(grid.mass), size=draws, p=grid.mass / grid.mass.sum())
    u = grid.u_cell[node, 0] + grid.u_cell[node, 1] * rng.random(draws)
    v = grid.v_cell[node, 0] + grid.v_cell[node, 1] * rng.random(draws)
    return u, v, density(u, v) - grid.log_density[node]


def draw_pooled_shares(
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
    >>> draw_pooled_shares([3], [9], np.array([0.25]), np.array([1e-30]), rng).round(9).tolist()
    [[0.25]]
    """
    phi = ((1.0 - rho) / rho)[:, None]
    first = mu[:, None] * phi + np.asarray(k_h, dtype=np.float64)
    second = (1.0 - mu)[:, None] * phi + np.asarray(k_g, dtype=np.float64)
    return np.asarray(rng.beta(first, second))


# further datasets --------------------------------------------------------------------------------

#: Nodes that must be left, and how close an integral anew is.
_LEAST_NODES = 12.0
_CLOSE = 1e-4
#: Nodes of less mass do not matter to what data that the posterior predicts will say; panels are
#: finer than the posterior itself needs, for with more datasets it is narrower.
_LEAST_MASS, _GROWING = 1e-13, _PANELS[2]


def growing_beta_binomial(
    seen: tuple[FloatArray, FloatArray],
    *,
    log_prior_mu: LogPrior | None = None,
    log_prior_rho: LogPrior | None = None,
) -> tuple[Grid, Callable[[FloatArray, FloatArray], tuple[float, float]]]:
    r"""Return nodes of the posterior, and what gives P(μ < ½) and P(μ > ½) with new datasets.

    The likelihood of new datasets multiplies the mass of every node (u, v) of the posterior:

    .. math:: P(\mu < ½ \mid k, k') = \frac{\sum_{u_m < 0} w_m\, p(k' \mid u_m, v_m)}
              {\sum_m w_m\, p(k' \mid u_m, v_m)} .

    Where few nodes are left with any mass, the posterior is integrated anew.

    Examples
    --------
    >>> first, second = np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9])
    >>> _, again = growing_beta_binomial((first, second))
    >>> whole = pool_beta_binomial([2, 1, 4, 0, 3, 2], [5, 6, 4, 3, 9, 5])
    >>> round(again(np.array([2.0]), np.array([5.0]))[0], 6), round(whole.first, 6)
    (0.979276, 0.979276)
    """
    density = posterior_density(*seen, log_prior_mu, log_prior_rho)
    grid, _ = _grid_of(density, _support_of(density), _GROWING)
    kept = Grid(*(column[grid.mass > _LEAST_MASS] for column in grid))

    def again(k_h: FloatArray, k_g: FloatArray) -> tuple[float, float]:
        logs = np.log(kept.mass) + beta_binomial_logit_likelihood(k_h, k_g)(kept.u, kept.v)
        mass = np.exp(logs - logs.max())
        mass /= mass.sum()
        if 1.0 / float((mass**2).sum()) < _LEAST_NODES:
            both = (np.concatenate(columns) for columns in zip(seen, (k_h, k_g), strict=True))
            found = pool_beta_binomial(
                *both, log_prior_mu=log_prior_mu, log_prior_rho=log_prior_rho, tolerance=_CLOSE
            )
            return found.first, found.second
        return float(mass[kept.u < 0.0].sum()), float(mass[kept.u > 0.0].sum())

    return grid, again
