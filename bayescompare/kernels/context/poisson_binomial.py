r"""The Poisson-binomial test: is the first algorithm better in a context of many datasets?

The first is better on dataset i (:math:`d_i = 1`) with probability :math:`p_i`, given that
dataset's own counts. A share r of the context's datasets favours it, :math:`r \sim
\mathrm{Beta}(b, b)`, and the question is :math:`\Pr(r > ½)`. With :math:`\kappa = \sum_i d_i`,

.. math:: \Pr(\kappa) = \mathrm{PB}(\kappa; p), \qquad
          \Pr(r > ½ \mid \kappa) = I_{½}(N - \kappa + b,\; \kappa + b) .

The paper averages the second over the first, a *cut* model: no :math:`d_i` uses what the other
datasets say about r. In the full model r, every :math:`d_i` and the counts are joint:

.. math:: \Pr(\kappa \mid k) \propto \mathrm{PB}(\kappa; p)\, B(b + \kappa, b + N - \kappa), \qquad
          p(r \mid k) \propto \pi(r)^\gamma \prod_i \bigl(r p_i + (1 - r)(1 - p_i)\bigr) .

The second is integrated over t = logit r, where π stands for the density of t: Beta(b, b), or any
other. The power γ, 1 but for questions of sensitivity, weakens or strengthens the prior.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5; Kallioinen et al. (2023), Statistics and Computing
34, 57, for powers of a prior.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, expit, log_expit, logit

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import composite_legendre

#: Cells below this are dropped from a recursion: denormal numbers are slow and negligible.
DUST = 1e-305


def poisson_binomial_masses(p: ArrayLike) -> FloatArray:
    r"""Probability of every number of successes in independent trials with probabilities p.

    .. math:: q_i(\kappa) = p_i\,q_{i-1}(\kappa - 1) + (1 - p_i)\,q_{i-1}(\kappa)

    All terms are positive, so the tails are accurate down to 1e-290. Time O(N²) at worst, memory
    O(N).

    Parameters
    ----------
    p : array (N,)

    Returns
    -------
    array (N + 1,)

    Examples
    --------
    >>> poisson_binomial_masses([0.5, 0.5, 1.0]).tolist()
    [0.0, 0.25, 0.5, 0.25]
    """
    return _masses(np.ascontiguousarray(p, dtype=np.float64))


@jit()
def _masses(p: FloatArray) -> FloatArray:
    """Use two buffers and shifted views, so that the inner loop can be vectorised."""
    n = len(p)
    old, new = np.zeros(n + 1), np.zeros(n + 1)
    old[0] = 1.0
    low, high = 0, 0
    for i in range(n):
        win, loss = p[i], 1.0 - p[i]
        new[low] = loss * old[low]
        lower, same, out = old[low:high], old[low + 1 : high + 1], new[low + 1 : high + 1]
        for k in range(len(out)):
            out[k] = win * lower[k] + loss * same[k]
        new[high + 1] = win * old[high]
        high += 1
        while new[low] < DUST and low < high:
            new[low] = 0.0
            low += 1
        while new[high] < DUST and high > low:
            new[high] = 0.0
            high -= 1
        old, new = new, old
    # Old values of the buffer below and above the window are not part of the answer.
    old[:low] = 0.0
    old[high + 1 :] = 0.0
    return old


def poisson_binomial_above_half(
    datasets: int, b: float = 1.0, other: float | None = None
) -> FloatArray:
    r"""P(r > ½) for every number of datasets on which the first is better.

    .. math:: \Pr(r > ½ \mid \kappa) = I_{½}(N - \kappa + b',\; \kappa + b)

    `other` is b', which is b by default.

    Returns
    -------
    array (datasets + 1,)

    Examples
    --------
    >>> poisson_binomial_above_half(2).tolist()
    [0.125, 0.5, 0.875]
    """
    wins = np.arange(datasets + 1, dtype=np.float64)
    second = datasets - wins + (b if other is None else other)
    return np.asarray(betainc(second, wins + b, 0.5), dtype=np.float64)


def context(p: ArrayLike, b: float = 1.0, other: float | None = None) -> float:
    r"""P(the first is better in the context), by the paper's formula (the cut model).

    .. math:: \sum_\kappa \mathrm{PB}(\kappa; p)\, I_{½}(N - \kappa + b',\; \kappa + b)

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset.
    b, other : float
        Parameters of the Beta prior of r; 1 is uniform, and `other` is b by default.

    Examples
    --------
    >>> round(context([0.9, 0.8, 0.95, 0.4]), 6)
    0.785469
    """
    counts = poisson_binomial_masses(p)
    return min(float(counts @ poisson_binomial_above_half(len(counts) - 1, b, other)), 1.0)


def draw_poisson_binomial_rates(
    counts: FloatArray, draws: int, rng: np.random.Generator, b: float = 1.0
) -> FloatArray:
    """Draw r: κ from its posterior, then Beta(b + κ, b + N − κ).

    Parameters
    ----------
    counts : array (N + 1,)
        `poisson_binomial_masses(p)` for the cut model, `poisson_binomial_counts(p, b)[0]` for the
        joint one.
    draws : int
    rng : Generator
    b : float

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> bool(
    ...     draw_poisson_binomial_rates(poisson_binomial_masses([0.99] * 50), 1000, rng).mean()
    ...     > 0.9
    ... )
    True
    """
    wins = rng.choice(len(counts), size=draws, p=counts / counts.sum())
    return np.asarray(rng.beta(b + wins, b + (len(counts) - 1 - wins)))


# the joint model ---------------------------------------------------------------------------------

#: The golden section, whose multiples are spread evenly over the unit interval.
_GOLDEN = 0.6180339887498949
_LOG_TAIL = 45.0


class Joint(NamedTuple):
    r"""Posterior of r and of every dataset in the joint model.

    Attributes
    ----------
    first, second : float
        P(r > ½ | k) and P(r < ½ | k).
    mean, sd : float
        Of r | k. The mean is also P(the first is better) on a dataset not yet seen.
    log_evidence : float
        :math:`\log\int \mathrm{Beta}(r; b, b) \prod_i (r p_i + (1 - r)(1 - p_i))\,dr`. The
        evidence of the counts themselves has the factor :math:`2 m_i` more for every dataset, with
        :math:`m_i` from `error_rates.log_marginal`.
    wins : array (N,)
        Pr(d_i = 1 | k), given all datasets.
    log_predictive : array (N,)
        Log evidence minus that of the other datasets; the same factors apply.
    error : float
        Largest change of any of these at the last refinement.
    """

    first: float
    second: float
    mean: float
    sd: float
    log_evidence: float
    wins: FloatArray
    log_predictive: FloatArray
    error: float


def joint(p: ArrayLike, b: float = 1.0) -> Joint:
    """Return the posterior of r, of every d_i, the evidence and leave-one-out, all exactly.

    One-dimensional Gauss–Legendre in logit r, split at r = ½ and refined until nothing changes by
    more than 1e-12 (or the last digit of the log evidence, if that is more): O(N) for each of a
    few hundred nodes, whereas leave-one-out recursions over κ would take O(N²) and divisions.

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset, given its own counts only.
    b : float
        Prior parameter of r, 0.1 or more (the prior of a smaller one leaves the float range).

    Examples
    --------
    A doubtful dataset is pulled towards the others:

    >>> posterior = joint([0.99, 0.98, 0.97, 0.5])
    >>> round(posterior.first, 6), round(posterior.mean, 6), posterior.wins.round(3).tolist()
    (0.932245, 0.795834, [0.997, 0.993, 0.99, 0.796])
    """
    p = np.ascontiguousarray(p, dtype=np.float64)
    limits = _limits(p, b)
    before = _joint(p, b, limits, 4)
    for panels in (8, 16, 32, 64, 128, 256, 512):
        now = _joint(p, b, limits, panels)
        error = _change(now, before)
        if error < 1e-12 - 4e-16 * now.log_evidence:
            break
        before = now
    return now._replace(error=error)


def _change(now: Joint, before: Joint) -> float:
    """Largest difference in any figure."""
    new, old = (
        np.hstack([x.first, x.second, x.mean, x.sd, x.log_evidence, x.wins, x.log_predictive])
        for x in (now, before)
    )
    return float(np.abs(new - old).max())


def _joint(p: FloatArray, b: float, limits: tuple[float, float], panels: int) -> Joint:
    """All the integrals at one resolution."""
    t, weight = _nodes(*limits, panels)
    return summarise_poisson_binomial(p, t, weight, _log_density_of(t, p, b), float(betaln(b, b)))


def summarise_poisson_binomial(
    p: FloatArray,
    t: FloatArray,
    weight: FloatArray,
    log_density: FloatArray,
    log_prior_total: float,
) -> Joint:
    """All the integrals over t = logit r, at given nodes with given weights.

    Parameters
    ----------
    p : array (N,)
    t, weight : arrays (M,)
        None of the panels that the nodes are of has ½ inside.
    log_density : array (M,)
        Of prior times likelihood, as a density of t.
    log_prior_total : float
        Log of the integral of the prior alone, as it is taken here.
    """
    top = float(log_density.max())
    mass = weight * np.exp(log_density - top)
    total = float(mass.sum())
    mass /= total
    rate = expit(t)
    mean = float(mass @ rate)
    wins, inverse = _by_dataset(p, rate, expit(-t), mass)
    return Joint(
        first=float(mass[t > 0.0].sum()),
        second=float(mass[t < 0.0].sum()),
        mean=mean,
        sd=math.sqrt(float(mass @ (rate - mean) ** 2)),
        log_evidence=top + math.log(total) - log_prior_total,
        wins=wins,
        log_predictive=-np.log(inverse),
        error=0.0,
    )


def _log_density_of(t: FloatArray, p: FloatArray, b: float) -> FloatArray:
    """Log of r^b (1 − r)^b Π (r p_i + (1 − r)(1 − p_i)) at r = logistic(t)."""
    prior = b * (log_expit(t) + log_expit(-t))
    return np.asarray(prior + poisson_binomial_likelihood(p, expit(t), expit(-t)))


@jit()
def poisson_binomial_likelihood(p: FloatArray, rate: FloatArray, rest: FloatArray) -> FloatArray:
    """Sum of log(r p_i + (1 − r)(1 − p_i)) over i; logarithms are taken of products."""
    out = np.zeros(len(rate))
    for m in range(len(rate)):
        product, total = 1.0, 0.0
        for i in range(len(p)):
            product *= rate[m] * p[i] + rest[m] * (1.0 - p[i])
            if product < 1e-100:
                # One factor may be as small as e^{-t}, so two must not multiply without a log.
                total += math.log(product) if product > 0.0 else -math.inf
                product = 1.0
        out[m] = total + math.log(product)
    return out


@jit()
def _by_dataset(
    p: FloatArray, rate: FloatArray, rest: FloatArray, mass: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """E[Pr(d_i = 1 | r)] and E[1/(r p_i + (1 − r)(1 − p_i))] for every i."""
    wins, inverse = np.zeros(len(p)), np.zeros(len(p))
    for i in range(len(p)):
        for m in range(len(rate)):
            if mass[m] > 0.0:
                first = rate[m] * p[i]
                share = mass[m] / (first + rest[m] * (1.0 - p[i]))
                inverse[i] += share
                wins[i] += share * first
    return wins, inverse


def _limits(p: FloatArray, b: float) -> tuple[float, float]:
    """Return limits that hold all but 1e-19 of logit r, whichever dataset is left out.

    Without dataset i the density is that of all over its factor; the smallest factor at a given
    r belongs to the smallest or to the largest p.
    """
    extremes = np.array([p.min(initial=0.5), p.max(initial=0.5)])
    high = min(_LOG_TAIL / b + 5.0, 700.0)
    low = -high
    for _ in range(60):
        t = np.linspace(low, high, 65)
        density = _log_density_of(t, p, b)
        factors = expit(t) * extremes[:, None] + expit(-t) * (1.0 - extremes[:, None])
        inside = np.flatnonzero(density - np.log(factors.min(axis=0)) > density.max() - _LOG_TAIL)
        low, high = float(t[max(inside[0] - 1, 0)]), float(t[min(inside[-1] + 1, 64)])
        if inside[-1] - inside[0] > 32:
            break
    return low, high


def _nodes(low: float, high: float, panels: int) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes and weights on [low, high], with an edge at 0 where that is inside."""
    inside = low < 0.0 < high
    edges = np.linspace(low, high, 2 * panels + 1)
    if inside:
        edges = np.append(np.linspace(low, 0.0, panels + 1), np.linspace(0.0, high, panels + 1)[1:])
    return composite_legendre(edges)


def poisson_binomial_counts(
    p: ArrayLike, b: float = 1.0, other: float | None = None
) -> tuple[FloatArray, float]:
    r"""Pr(κ | k) in the joint model, and the log evidence.

    .. math:: \Pr(\kappa \mid k) \propto \mathrm{PB}(\kappa; p)\, B(b + \kappa, b' + N - \kappa)

    `other` is b', which is b by default. The product, not its factors, is carried through the
    recursion, as in Pólya's urn: either factor leaves the float range long before their product
    does.

    .. math:: w_i(\kappa) = \frac{p_i\,(b + \kappa - 1)\,w_{i-1}(\kappa - 1)
              + (1 - p_i)\,(b' + i - 1 - \kappa)\,w_{i-1}(\kappa)}{b + b' + i - 1}

    Returns
    -------
    array (N + 1,), float

    Examples
    --------
    Uninformative datasets leave κ as uniform as r:

    >>> poisson_binomial_counts([0.5] * 4)[0].round(12).tolist()
    [0.2, 0.2, 0.2, 0.2, 0.2]
    """
    p = np.asarray(p, dtype=np.float64)
    rest = float(b if other is None else other)
    counts, log_evidence = _urn(p[poisson_binomial_order(p)], float(b), rest)
    return counts, float(log_evidence)


def poisson_binomial_order(p: FloatArray) -> IntArray:
    """Return an order that mixes small and large values.

    A recursion over datasets is correct in any order; in this one the final cells do not underflow
    on the way.

    Examples
    --------
    >>> poisson_binomial_order(np.array([0.1, 0.2, 0.8, 0.9])).tolist()
    [0, 2, 1, 3]
    """
    mixed = np.argsort(np.arange(len(p)) * _GOLDEN % 1.0, kind="stable")
    return np.asarray(np.argsort(p, kind="stable")[mixed], dtype=np.int64)


@jit()
def _urn(p: FloatArray, b: float, other: float) -> tuple[FloatArray, float]:
    """Filter κ forward, rescaled to a sum of one; the product of the scales is the evidence."""
    n = len(p)
    old, new = np.zeros(n + 1), np.zeros(n + 1)
    # An array, because converting integers would keep the inner loop from being vectorised.
    ball = b + np.arange(n + 1)
    old[0] = 1.0
    low, high, total, log_evidence = 0, 0, 1.0, 0.0
    for i in range(n):
        scale = 1.0 / ((b + other + i) * total)
        win, loss, all_balls = p[i] * scale, (1.0 - p[i]) * scale, b + other + i
        new[low] = loss * (all_balls - ball[low]) * old[low]
        lower, same, out = old[low:high], old[low + 1 : high + 1], new[low + 1 : high + 1]
        won, drawn = ball[low:high], ball[low + 1 : high + 1]
        for k in range(len(out)):
            out[k] = win * won[k] * lower[k] + loss * (all_balls - drawn[k]) * same[k]
        new[high + 1] = win * ball[high] * old[high]
        high += 1
        while new[low] < DUST and low < high:
            new[low] = 0.0
            low += 1
        while new[high] < DUST and high > low:
            new[high] = 0.0
            high -= 1
        # One step takes a factor of 1/N at worst, so a few may share a scale.
        total = 1.0
        if i % 8 == 7 or i == n - 1:
            total = new[low : high + 1].sum()
            log_evidence += math.log(total)
        old, new = new, old
    old[:low] = 0.0
    old[high + 1 :] = 0.0
    return old / total, log_evidence


def joint_context(p: ArrayLike, b: float = 1.0, other: float | None = None) -> float:
    r"""P(the first is better in the context) in the joint model, by the sum over κ.

    .. math:: \sum_\kappa \Pr(\kappa \mid k)\, I_{½}(N - \kappa + b',\; \kappa + b)

    The same as ``joint(p, b).first``, by another route.

    Examples
    --------
    >>> round(joint_context([0.9, 0.8, 0.95, 0.4]), 6)
    0.879953
    """
    counts, _ = poisson_binomial_counts(p, b, other)
    return min(float(counts @ poisson_binomial_above_half(len(counts) - 1, b, other)), 1.0)


# any prior of r ----------------------------------------------------------------------------------

#: The log density of t = logit r.
LogPrior = Callable[[FloatArray], FloatArray]

#: Density below e^−45 of the largest is left out.
_LOG_TAIL = 45.0
#: A panel whose integral changes by no more than this share of the whole is not halved again,
#: and none is when all changes together are no more than the second.
_CHANGE, _CHANGES = 1e-14, 1e-12
_MOST_HALVINGS, _MOST_PANELS = 64, 4096
#: Beyond this logit neither r nor 1 − r is a float.
_FAR = 700.0
#: Cells of each panel in the table of the distribution function.
_CELLS = 16


@dataclass(frozen=True)
class RatePrior:
    """A prior of r.

    Attributes
    ----------
    log_density : callable
        Log density of t = logit r, normalised.
    hints : array
        Values of t where the prior has mass: panels begin there, so that no narrow prior is missed.
    power : float
        What the density of t is raised to.
    """

    log_density: LogPrior
    hints: FloatArray
    power: float = 1.0

    @classmethod
    def of_rate(cls, log_density: LogPrior, rates: ArrayLike) -> RatePrior:
        """Take a prior by its log density of r, and some values of r that it may have."""
        inside = np.clip(np.asarray(rates, dtype=np.float64), 1e-300, 1.0 - 2.0**-53)

        def of_logit(t: FloatArray) -> FloatArray:
            rate = expit(t)
            # What floats cannot tell from 0 or 1 is lost, and missing in `log_total`.
            between = (rate > 0.0) & (rate < 1.0)
            logs = log_density(np.where(between, rate, 0.5)) + log_expit(t) + log_expit(-t)
            return np.where(between, logs, -np.inf)

        return cls(of_logit, _around(np.unique(logit(inside))))

    @cached_property
    def log_total(self) -> float:
        """Log of the integral of the density to the power: 0 of a density that is normalised."""
        return _Panels(self._powered, self.hints).log_total

    def _powered(self, t: FloatArray) -> FloatArray:
        # Outside the support 0 times −inf would be NaN.
        log_density = self.log_density(t)
        return np.where(log_density == -np.inf, -np.inf, self.power * log_density)

    def times_likelihood(self, p: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the log density of the posterior, not normalised."""
        return lambda t: self._powered(t) + poisson_binomial_likelihood(p, expit(t), expit(-t))


def _around(t: FloatArray) -> FloatArray:
    """Add points ever further away on both sides, for tails that these do not reach."""
    steps = (np.ptp(t) or 1e-3) * 2.0 ** np.arange(-4, 12)
    return np.unique(np.clip(np.concatenate([t.min() - steps, t, t.max() + steps]), -_FAR, _FAR))


def beta_prior_for_quadrature(first: float, second: float) -> RatePrior:
    """Beta(first, second), exact up to both ends.

    Examples
    --------
    >>> prior = beta_prior_for_quadrature(2.0, 5.0)
    >>> abs(prior.log_total) < 1e-12
    True
    """

    def log_density(t: FloatArray) -> FloatArray:
        logs = first * log_expit(t) + second * log_expit(-t)
        return np.asarray(logs - betaln(first, second))

    return RatePrior(log_density, np.array([math.log(first / second)]))


@dataclass(frozen=True)
class RatePosterior:
    """The posterior of r: its figures, its quantiles, and draws from it.

    Attributes
    ----------
    joint : Joint
        As `joint` has them; `error` is the largest change of a total at the
        last halving.
    """

    joint: Joint
    _edges: FloatArray
    _log_density: Callable[[FloatArray], FloatArray]

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cells in t, the mass below each of their edges, and the density at the edges."""
        steps = np.arange(_CELLS) / _CELLS
        cells = (self._edges[:-1, None] + np.diff(self._edges)[:, None] * steps).ravel()
        cells = np.append(cells, self._edges[-1])
        t, weight = composite_legendre(cells)
        log_density = self._log_density(t)
        top = float(log_density.max())
        mass = (weight * np.exp(log_density - top)).reshape(len(cells) - 1, -1).sum(axis=1)
        with np.errstate(over="ignore"):
            ends = np.exp(self._log_density(cells) - top)
        below = np.concatenate([[0.0], np.cumsum(mass)])
        return cells, below / below[-1], ends / below[-1]

    def quantile(self, share: ArrayLike) -> FloatArray:
        """Quantiles of r: the density is taken as linear within each of many small cells."""
        cells, below, ends = self._table
        u = np.asarray(share, dtype=np.float64)
        # Cells without mass are never chosen.
        k = np.clip(np.searchsorted(below, u, side="right") - 1, 0, len(cells) - 2)
        width, mass = np.diff(cells)[k], np.diff(below)[k]
        with np.errstate(invalid="ignore", divide="ignore"):
            x = np.where(mass > 0.0, (u - below[k]) / mass, 0.0)
            first, last = ends[k], ends[k + 1]
            slope = np.where(np.isfinite(first + last), (last - first) / (last + first), 0.0)
            # Of (1 − s)x + s x² = u the root that is x itself where s = 0.
            root = np.sqrt((1.0 - slope) ** 2 + 4.0 * slope * x)
            bent = 2.0 * x / (1.0 - slope + root)
        return expit(cells[k] + width * np.clip(np.nan_to_num(bent), 0.0, 1.0))

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Central interval of r."""
        low, high = self.quantile([(1.0 - mass) / 2.0, (1.0 + mass) / 2.0])
        return float(low), float(high)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw r by inverting its distribution function."""
        return self.quantile(rng.random(draws))


def rate_posterior(p: ArrayLike, prior: RatePrior) -> RatePosterior:
    """Return the posterior of r under any prior, exactly.

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset, given its own counts only.
    prior : RatePrior

    Examples
    --------
    A symmetric Beta prior gives what `joint` gives:

    >>> p = [0.99, 0.98, 0.97, 0.5]
    >>> found, known = rate_posterior(p, beta_prior_for_quadrature(2.0, 2.0)).joint, joint(p, 2.0)
    >>> gaps = found.first - known.first, found.log_evidence - known.log_evidence
    >>> max(map(abs, gaps)) < 1e-11
    True
    """
    p = np.ascontiguousarray(p, dtype=np.float64)
    log_density = prior.times_likelihood(p)
    extremes = np.array([p.min(initial=0.5), p.max(initial=0.5)])[:, None]

    def least_factor(t: FloatArray) -> FloatArray:
        """Log of the smallest factor: without its dataset the density is the largest."""
        factors = expit(t) * extremes + expit(-t) * (1.0 - extremes)
        return np.asarray(np.log(factors.min(axis=0)))

    panels = _Panels(log_density, prior.hints, least_factor)
    figures = summarise_poisson_binomial(p, *panels.nodes, panels.log_density, prior.log_total)
    return RatePosterior(figures._replace(error=panels.error), panels.edges, log_density)


class _Panels:
    """Panels that are halved until the integral of a density over t does not change.

    With `least` the density is also integrated over e^least, whose mass may lie elsewhere.
    """

    def __init__(
        self,
        log_density: Callable[[FloatArray], FloatArray],
        hints: FloatArray,
        least: Callable[[FloatArray], FloatArray] | None = None,
    ) -> None:
        self._log_density, self._least = log_density, least
        self.edges = self._start(hints)
        self.error = math.inf
        for _ in range(_MOST_HALVINGS):
            if not self._halve():
                break
        self.nodes = composite_legendre(self.edges)
        self.log_density = log_density(self.nodes[0])

    def _logs(self, t: FloatArray) -> FloatArray:
        """The density, and the one over its least factor, as rows."""
        log_density = self._log_density(t)
        if self._least is None:
            return log_density[None]
        return np.stack([log_density, log_density - self._least(t)])

    def _start(self, hints: FloatArray) -> FloatArray:
        """Panels where the density is not negligible, dense around 0 and where the prior is."""
        far = _FAR * np.sinh(np.linspace(-7.24, 7.24, 193)) / math.sinh(7.24)
        grid = np.unique(np.concatenate([far, [0.0], hints]))
        logs = self._logs(grid)
        top = logs.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise ArithmeticError("the density of logit r is zero or infinite wherever it is tried")
        inside = np.flatnonzero((logs > top - _LOG_TAIL).any(axis=0))
        return grid[max(inside[0] - 1, 0) : inside[-1] + 2]

    def _halve(self) -> bool:
        """Halve the panels whose integrals change by it; return whether there were any."""
        middle = 0.5 * (self.edges[:-1] + self.edges[1:])
        fine = np.insert(self.edges, np.arange(1, len(self.edges)), middle)
        top, coarse = self._integrals(self.edges)
        _, halves = self._integrals(fine, top)
        both = halves.reshape(len(halves), -1, 2).sum(axis=2)
        # Shares of one total: with each its own, one panel that changes would change them all.
        change = (np.abs(both - coarse) / both.sum(axis=1, keepdims=True)).max(axis=0)
        self.error = float(change.sum())
        if self.error <= _CHANGES or len(change) > _MOST_PANELS:
            return False
        again = np.flatnonzero((change > _CHANGE) & (middle > self.edges[:-1]))
        self.edges = np.insert(self.edges, again + 1, middle[again])
        return bool(len(again))

    def _integrals(
        self, edges: FloatArray, top: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Integral over each panel of each density over e^top, by default its maximum."""
        t, weight = composite_legendre(edges)
        logs = self._logs(t)
        top = logs.max(axis=1, keepdims=True) if top is None else top
        mass = weight * np.exp(logs - top)
        return top, mass.reshape(len(mass), len(edges) - 1, -1).sum(axis=2)

    @property
    def log_total(self) -> float:
        """Log of the integral of the density."""
        top = float(self.log_density.max())
        return top + math.log(float(self.nodes[1] @ np.exp(self.log_density - top)))
