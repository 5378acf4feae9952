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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, expit, gammaln, log_expit, ndtr

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import gauss_legendre

LogPrior = Callable[[FloatArray], FloatArray]
Density = Callable[[FloatArray, FloatArray], FloatArray]

_DIRECT = 16
#: Logits within which 1 − μ and 1 − ρ are still accurate; ρ itself may be far smaller.
_TOP, _BOTTOM = 36.0, -90.0
_LOG_TAIL = 36.0
#: Panels of logit ρ, and of each segment of logit μ, in turn.
_PANELS = ((4, 2), (6, 2), (8, 3), (12, 4), (16, 6), (24, 8), (32, 12), (48, 16))
#: Number of datasets on which the nodes of `Pool.each` are tested.
_HARDEST = 8
#: For nodes of less mass than this betainc is not evaluated.
_FAINT = 1e-17
#: A Beta of this size is normal to 1e-12, and beyond the range of betainc.
_NORMAL = 1e12
#: Nodes that must be left with new datasets, and how close an integral anew is.
_LEAST_NODES, _CLOSE = 12.0, 1e-4
#: Nodes of less mass do not matter to what data that the posterior predicts will say; panels are
#: finer than the posterior itself needs, for with more datasets it is narrower.
_LEAST_MASS, _GROWING = 1e-13, 2


# the likelihood ----------------------------------------------------------------------------------


def logit_likelihood(first: FloatArray, second: FloatArray) -> Density:
    """Return the log likelihood of (logit μ, logit ρ), as a function."""
    n = first + second
    splits = float((gammaln(n + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)).sum())
    tallies = (*_tally(first), *_tally(second), *_tally(n))

    def likelihood(u: FloatArray, v: FloatArray) -> FloatArray:
        rates = expit(u), expit(-u), expit(v), expit(-v)
        return np.asarray(splits + _log_likelihood(*rates, *tallies))

    return likelihood


def _tally(counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Counts, as exponents of x + jρ: one for each j < 16, and larger counts one by one."""
    below = (counts[:, None] > np.arange(_DIRECT)).sum(axis=0).astype(np.float64)
    beyond, times = np.unique(counts[counts > _DIRECT], return_counts=True)
    return below, beyond - _DIRECT, times.astype(np.float64)


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


def better_share(
    mu: FloatArray, rho: FloatArray, k_h: float | FloatArray = 0.0, k_g: float | FloatArray = 0.0
) -> FloatArray:
    r"""P(a dataset's probability < ½): the first is better, given μ, ρ and the dataset's counts.

    .. math:: q = I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Examples
    --------
    >>> mu, rho = np.array([0.5, 0.3, 0.3]), np.array([0.2, 0.2, 1e-20])
    >>> better_share(mu, rho).round(6).tolist()
    [0.5, 0.818015, 1.0]
    """
    phi = (1.0 - rho) / rho
    first, second = mu * phi + k_h, (1.0 - mu) * phi + k_g
    large = first + second > _NORMAL
    exact = betainc(np.where(large, 1.0, first), np.where(large, 1.0, second), 0.5)
    # 1 − 2μ before the product with φ, which would cost all digits of the difference.
    excess = (1.0 - 2.0 * mu) * phi + (k_g - k_h)
    return np.asarray(np.where(large, ndtr(excess / np.sqrt(first + second)), exact))


def draw_shares(
    k_h: FloatArray, k_g: FloatArray, mu: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> FloatArray:
    r"""Draw every dataset's discordance probability, conjugate given μ and ρ.

    .. math:: z_i \sim \mathrm{Beta}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> h, g = np.array([3.0]), np.array([9.0])
    >>> draw_shares(h, g, np.array([0.25]), np.array([1e-30]), rng).round(9).tolist()
    [[0.25]]
    """
    phi = ((1.0 - rho) / rho)[:, None]
    first = mu[:, None] * phi + k_h
    second = (1.0 - mu)[:, None] * phi + k_g
    return np.asarray(rng.beta(first, second))


# nodes -------------------------------------------------------------------------------------------


class Points(NamedTuple):
    """Points that stand for the posterior, nodes or draws: logit μ, logit ρ and their masses."""

    u: FloatArray
    v: FloatArray
    mass: FloatArray

    @property
    def that_matter(self) -> Points:
        """Those of more than negligible mass."""
        some = self.mass > _FAINT
        return Points(self.u[some], self.v[some], self.mass[some])

    def by_dataset(self, pairs: FloatArray) -> FloatArray:
        """Return mean and P(< ½) of the probability of each dataset (D, 2), also (D, 2)."""
        u, v, mass = self.that_matter
        mu, rho, rest = expit(u), expit(v), expit(-v)
        figures = np.empty((len(pairs), 2))
        for row, (k_h, k_g) in enumerate(pairs):
            # The ratio of φ μ + k_h to φ + n, times ρ.
            mean = (mu * rest + rho * k_h) / (rest + rho * (k_h + k_g))
            better = better_share(mu, rho, k_h, k_g)
            figures[row] = (mass * mean).sum(), (mass * better).sum()
        return figures


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
    log_total : float
        Log of the whole integral.
    """

    u: FloatArray
    v: FloatArray
    mass: FloatArray
    log_density: FloatArray
    u_cell: FloatArray
    v_cell: FloatArray
    log_total: float

    @property
    def points(self) -> Points:
        """The nodes by themselves."""
        return Points(self.u, self.v, self.mass)


class _Support(NamedTuple):
    """Region of the posterior: limits of logit μ at several logit ρ, to be interpolated."""

    v: FloatArray
    low: FloatArray
    high: FloatArray


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
    node, weight = gauss_legendre()
    start = np.concatenate([[0.0], np.cumsum(weight)[:-1]])
    half = 0.5 * np.diff(edges)[..., None]
    low = edges[..., :-1, None]
    shape = (len(edges), -1)
    return (
        (low + half * (1.0 + node)).reshape(shape),
        (half * weight).reshape(shape),
        (low + half * start).reshape(shape),
    )


def _border_of(support: _Support) -> tuple[FloatArray, FloatArray]:
    """Return points all around the support."""
    part = np.linspace(0.0, 1.0, 33)
    sides = [support.low[i] + (support.high[i] - support.low[i]) * part for i in (0, -1)]
    u = np.concatenate([support.low, support.high, *sides])
    v = np.concatenate([support.v, support.v, np.repeat(support.v[[0, -1]], 33)])
    return u, v


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


# the posterior -----------------------------------------------------------------------------------


class Hyper(NamedTuple):
    """Figures of the two hyper-parameters.

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

    @classmethod
    def of(cls, points: Points, log_total: float = math.nan) -> Hyper:
        """Sum over points; draws do not know the evidence."""
        u, v, mass = points.that_matter
        mu, rho = expit(u), expit(v)
        moments = []
        for x in (mu, rho, better_share(mu, rho)):
            mean = float(mass @ x)
            moments += [mean, math.sqrt(float(mass @ (x - mean) ** 2))]
        sides = (float(points.mass[side].sum()) for side in (points.u < 0.0, points.u > 0.0))
        return cls(log_total, *sides, *moments)


def flat(share: FloatArray) -> FloatArray:
    """Log density of a uniform share."""
    return np.zeros_like(share)


@dataclass(frozen=True, eq=False)
class Pool:
    """The posterior of μ, ρ and q, and what it says of every dataset.

    Attributes
    ----------
    k_h, k_g : arrays (N,)
        Examples that only the first, and only the second, got wrong.
    log_prior_mu, log_prior_rho : callables
        Log densities of μ and ρ on (0, 1), uniform by default; they must be normalised if the
        evidence is used. A density that jumps inside (0, 1) is integrated less exactly: see
        `error`.
    tolerance : float
        Nodes are refined until nothing changes by more.

    Examples
    --------
    >>> pool = Pool(np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9]))
    >>> round(pool.hyper.first, 6), round(pool.hyper.mean_mu, 6), pool.error < 1e-9
    (0.962786, 0.303106, True)
    """

    k_h: FloatArray
    k_g: FloatArray
    log_prior_mu: LogPrior = flat
    log_prior_rho: LogPrior = flat
    tolerance: float = 1e-9

    @cached_property
    def _likelihood(self) -> Density:
        return logit_likelihood(self.k_h, self.k_g)

    def _density(self, u: FloatArray, v: FloatArray) -> FloatArray:
        """Log of evidence times posterior density of (logit μ, logit ρ)."""
        value = self._likelihood(u, v) + log_expit(u) + log_expit(-u) + log_expit(v) + log_expit(-v)
        return np.asarray(value + self.log_prior_mu(expit(u)) + self.log_prior_rho(expit(v)))

    @cached_property
    def _support(self) -> _Support:
        """Close in on the logit ρ and, for each, the logit μ within e^{-36} of the peak."""
        bottom, top = _BOTTOM, _TOP
        for _ in range(20):
            v = np.linspace(bottom, top, 65)
            low, high, height = _mu_limits(self._density, v)
            area = height + np.log(high - low)
            inside = np.flatnonzero(area > area.max() - _LOG_TAIL)
            start, stop = max(inside[0] - 1, 0), min(inside[-1] + 1, 64)
            if stop - start > 32:
                break
            bottom, top = float(v[start]), float(v[stop])
        kept = slice(start, stop + 1)
        return _Support(v[kept], low[kept], high[kept])

    @cached_property
    def _grids(self) -> dict[int, Grid]:
        return {}

    def grid(self, level: int) -> Grid:
        """Return nodes with their masses."""
        if level not in self._grids:
            self._grids[level] = self._grid(*_PANELS[level])
        return self._grids[level]

    def _grid(self, rho_panels: int, mu_panels: int) -> Grid:
        support = self._support
        rho_edges = np.linspace(support.v[0], support.v[-1], rho_panels + 1)
        v, v_weight, v_low = (x[0] for x in _panels(rho_edges[None, :]))
        low, high = (np.interp(v, support.v, ends) for ends in support[1:])
        u, u_weight, u_low = _panels(_mu_edges(v, low, high, mu_panels))
        slice_, node = np.nonzero(u_weight > 0.0)
        u, u_weight, u_low = u[slice_, node], u_weight[slice_, node], u_low[slice_, node]
        value = self._density(u, v[slice_])
        top = float(value.max())
        mass = u_weight * v_weight[slice_] * np.exp(value - top)
        total = float(mass.sum())
        u_cell = np.stack([u_low, u_weight], axis=-1)
        v_cell = np.stack([v_low[slice_], v_weight[slice_]], axis=-1)
        log_total = top + math.log(total)
        return Grid(u, v[slice_], mass / total, value, u_cell, v_cell, log_total)

    def _settled(self, figures: Callable[[Grid], FloatArray]) -> tuple[int, float]:
        """Return the first level whose figures the next one confirms, and the largest change."""
        before = figures(self.grid(0))
        for level in range(len(_PANELS) - 1):
            now = figures(self.grid(level + 1))
            error = float(np.abs(now - before).max(initial=0.0))
            if error <= self.tolerance:
                break
            before = now
        return level, error

    @cached_property
    def _hyper(self) -> tuple[int, float]:
        return self._settled(lambda grid: np.array(Hyper.of(grid.points, grid.log_total)))

    @property
    def nodes(self) -> Grid:
        """Those that settle the hyper-parameters."""
        return self.grid(self._hyper[0])

    @cached_property
    def hyper(self) -> Hyper:
        """Figures of μ, ρ and q."""
        return Hyper.of(self.nodes.points, self.nodes.log_total)

    @property
    def error(self) -> float:
        """Largest change of any figure of `hyper` at the next refinement."""
        return self._hyper[1]

    def each(self) -> tuple[FloatArray, FloatArray, float]:
        r"""Every dataset's own discordance probability: its mean, P(it is < ½), and the error.

        .. math:: \mathrm{E}\,\frac{\mu\varphi + k_h}{\varphi + n} \quad\text{and}\quad
                  \mathrm{E}\, I_{½}(\mu\varphi + k_h, (1 - \mu)\varphi + k_g)

        The second is a step in μ where φ is large. The nodes are close enough to resolve it: they
        lie around μ = ½, where the step is unless the prior insists on a φ that the counts rule
        out.

        Examples
        --------
        Twelve of twelve, and none of none, among datasets that favour the second a little:

        >>> pool = Pool(np.array([6.0, 7, 6, 12, 0]), np.array([4.0, 5, 4, 0, 0]))
        >>> mean, first, _ = pool.each()
        >>> mean.round(3).tolist(), first.round(3).tolist()
        ([0.622, 0.608, 0.622, 0.921, 0.665], [0.181, 0.196, 0.181, 0.0, 0.25])
        """
        pairs, _, which = self._distinct
        # The largest datasets have the sharpest steps: nodes that suffice for them suffice for all.
        hard = pairs[np.argsort(pairs.sum(axis=1))[-_HARDEST:]]
        level, error = self._settled(lambda grid: grid.points.by_dataset(hard))
        mean, first = self.grid(level).points.by_dataset(pairs)[which].T
        return mean, first, error

    @cached_property
    def _distinct(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The distinct datasets, where each first occurs, and the index of every dataset."""
        counts = np.stack([self.k_h, self.k_g], axis=-1)
        pairs, seen, which = np.unique(counts, axis=0, return_index=True, return_inverse=True)
        return pairs, seen, which.reshape(-1)

    def left_out(self) -> tuple[FloatArray, float]:
        r"""Log predictive probability of each dataset given the others, and the largest error.

        .. math:: \log p(k_i \mid k_{-i}, n) = \log Z - \log Z_{-i}

        Without a typical dataset the posterior is nearly that of all, and its nodes serve; without
        a dataset much larger than the others it lies far away and needs separate nodes.

        Examples
        --------
        >>> log_density, _ = Pool(np.array([1.0, 2, 1, 9]), np.array([9.0, 8, 9, 1])).left_out()
        >>> np.exp(log_density).round(4).tolist()
        [0.0957, 0.0804, 0.0957, 0.016]
        """
        level, error = self._settled(_log_total)
        coarse, fine = self.grid(level), self.grid(level + 1)
        border = _border_of(self._support)
        height = self._density(*border)
        pairs, seen, which = self._distinct
        value = np.empty(len(pairs))
        for row, pair in enumerate(pairs):
            single = logit_likelihood(pair[:1], pair[1:])
            value[row], peak = _log_predictive(coarse, single)
            change = abs(_log_predictive(fine, single)[0] - value[row])
            outside = float((height - single(*border)).max())
            # If much of the remaining mass lies outside the nodes, the density is high there.
            if change > self.tolerance or outside > peak - 25.0:
                rest = [np.delete(counts, seen[row]) for counts in (self.k_h, self.k_g)]
                without = replace(self, k_h=rest[0], k_g=rest[1])
                needed, change = without._settled(_log_total)
                value[row] = coarse.log_total - without.grid(needed).log_total
            error = max(error, change)
        return value[which], error

    def predictive(self) -> FloatArray:
        r"""Log predictive probability of each dataset given all of them, itself included.

        .. math:: \log \mathrm{E}\, p(k_i \mid n_i, \mu, \varphi)

        Examples
        --------
        >>> pool = Pool(np.array([1.0, 2, 1, 9]), np.array([9.0, 8, 9, 1]))
        >>> np.exp(pool.predictive()).round(4).tolist()
        [0.1135, 0.0947, 0.1135, 0.0584]
        """
        grid, (pairs, _, which) = self.nodes, self._distinct
        *at, mass = grid.points.that_matter
        each = [np.exp(logit_likelihood(pair[:1], pair[1:])(*at)) for pair in pairs]
        return np.log([float((mass * density).sum()) for density in each])[which]

    def share_interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Central interval of q, read off the nodes: to about 0.002.

        Examples
        --------
        >>> pool = Pool(np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9]))
        >>> [round(end, 2) for end in pool.share_interval()]
        [0.46, 1.0]
        """
        grid = self.nodes
        q = better_share(expit(grid.u), expit(grid.v))
        order = np.argsort(q)
        middle = np.cumsum(grid.mass[order]) - 0.5 * grid.mass[order]
        low, high = np.interp([(1.0 - mass) / 2.0, (1.0 + mass) / 2.0], middle, q[order])
        return float(low), float(high)

    def draw(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw μ and ρ, (draws,) each, independently.

        A node is drawn by its mass and a point of its cell uniformly. The density at the point over
        that at the node is near one; ten independent Metropolis proposals correct for it.

        Examples
        --------
        >>> pool = Pool(np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9]))
        >>> mu, _ = pool.draw(4000, np.random.default_rng(1))
        >>> bool(abs(mu.mean() - pool.hyper.mean_mu) < 4 * pool.hyper.sd_mu / 4000**0.5)
        True
        """
        u, v, excess = self._propose(draws, rng)
        for _ in range(10):
            new_u, new_v, new_excess = self._propose(draws, rng)
            taken = -rng.standard_exponential(draws) < new_excess - excess
            u, v = np.where(taken, new_u, u), np.where(taken, new_v, v)
            excess = np.where(taken, new_excess, excess)
        return expit(u), expit(v)

    def _propose(
        self, draws: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points in cells chosen by mass, and the log density there over that of the node."""
        grid = self.nodes
        node = rng.choice(len(grid.mass), size=draws, p=grid.mass / grid.mass.sum())
        u = grid.u_cell[node, 0] + grid.u_cell[node, 1] * rng.random(draws)
        v = grid.v_cell[node, 0] + grid.v_cell[node, 1] * rng.random(draws)
        return u, v, self._density(u, v) - grid.log_density[node]

    def grown(self, k_h: FloatArray, k_g: FloatArray) -> tuple[float, float]:
        r"""P(μ < ½) and P(μ > ½) with new datasets.

        Their likelihood multiplies the mass of every node (u, v) of the posterior:

        .. math:: P(\mu < ½ \mid k, k') = \frac{\sum_{u_m < 0} w_m\, p(k' \mid u_m, v_m)}
                  {\sum_m w_m\, p(k' \mid u_m, v_m)} .

        Where few nodes are left with any mass, the posterior is integrated anew.

        Examples
        --------
        >>> first, second = np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9])
        >>> whole = Pool(np.append(first, 2.0), np.append(second, 5.0)).hyper.first
        >>> found = Pool(first, second).grown(np.array([2.0]), np.array([5.0]))[0]
        >>> round(found, 6), round(whole, 6)
        (0.979276, 0.979276)
        """
        grid = self.grid(_GROWING)
        kept = np.flatnonzero(grid.mass > _LEAST_MASS)
        u, v = grid.u[kept], grid.v[kept]
        logs = np.log(grid.mass[kept]) + logit_likelihood(k_h, k_g)(u, v)
        mass = np.exp(logs - logs.max())
        mass /= mass.sum()
        if 1.0 / float((mass**2).sum()) < _LEAST_NODES:
            both = np.append(self.k_h, k_h), np.append(self.k_g, k_g)
            found = replace(self, k_h=both[0], k_g=both[1], tolerance=_CLOSE).hyper
            return found.first, found.second
        return float(mass[u < 0.0].sum()), float(mass[u > 0.0].sum())


def _log_total(grid: Grid) -> FloatArray:
    return np.array([grid.log_total])


def _log_predictive(grid: Grid, single: Density) -> tuple[float, float]:
    """Minus log E[1/likelihood] of one dataset, and the peak of the density without it."""
    # Nodes below this matter only if the border is high too.
    matters = grid.mass > 1e-24
    inverse = -single(grid.u[matters], grid.v[matters])
    top = float(inverse.max())
    # No dot product: BLAS would start threads for it.
    log_mean = top + math.log(float((grid.mass[matters] * np.exp(inverse - top)).sum()))
    return -log_mean, float((grid.log_density[matters] + inverse).max())
