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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, expit, log_expit, logit

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import composite_legendre

#: The golden section, whose multiples are spread evenly over the unit interval.
_GOLDEN = 0.6180339887498949
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
    # A recursion over datasets is correct in any order; where small and large values mix, the final
    # cells do not underflow on the way.
    mixed = np.sort(p)[np.argsort(np.arange(len(p)) * _GOLDEN % 1.0, kind="stable")]
    counts, log_evidence = _urn(mixed, float(b), rest)
    return counts, float(log_evidence)


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


def context(
    p: ArrayLike, b: float = 1.0, other: float | None = None, *, joint: bool = False
) -> float:
    r"""P(the first is better in the context), by the paper's formula or in the joint model.

    .. math:: \sum_\kappa \Pr(\kappa)\, I_{½}(N - \kappa + b',\; \kappa + b)

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset.
    b, other : float
        Parameters of the Beta prior of r; 1 is uniform, and `other` is b by default.
    joint : bool
        Whether κ has the posterior of the joint model, or is a sum of independent d.

    Examples
    --------
    >>> p = [0.9, 0.8, 0.95, 0.4]
    >>> round(context(p), 6), round(context(p, joint=True), 6)
    (0.785469, 0.879953)
    """
    other = b if other is None else other
    counts = poisson_binomial_counts(p, b, other)[0] if joint else poisson_binomial_masses(p)
    wins = np.arange(float(len(counts)))
    above = betainc(wins[::-1] + other, wins + b, 0.5)
    return min(float(counts @ above), 1.0)


# any prior of r ----------------------------------------------------------------------------------

#: The log density of t = logit r.
LogPrior = Callable[[FloatArray], FloatArray]

#: Density below e^−45 of the largest is left out.
_LOG_TAIL = 45.0
#: A panel whose integral changes by no more than this share of the whole is not halved again,
#: and none is when all changes together are no more than the second.
_CHANGE, _CHANGES = 1e-14, 1e-12
_MOST_HALVINGS, _MOST_PANELS = 64, 4096
#: Beyond this logit neither r nor 1 − r is a float. Panels begin between points dense around 0.
_FAR = 700.0
_GRID = _FAR * np.sinh(np.linspace(-7.24, 7.24, 193)) / math.sinh(7.24)
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
    weight : float
        The power that the density of t is raised to.
    """

    log_density: LogPrior
    hints: FloatArray
    weight: float = 1.0

    #: What users call that which makes it weaker or stronger.
    weighed_by: ClassVar[str] = "power"

    @classmethod
    def of_rate(cls, log_density: LogPrior, rates: ArrayLike) -> RatePrior:
        """Take a prior by its log density of r, and some values of r that it may have."""

        def of_logit(t: FloatArray) -> FloatArray:
            rate = expit(t)
            # What floats cannot tell from 0 or 1 is lost, and missing in `log_total`.
            between = (rate > 0.0) & (rate < 1.0)
            logs = log_density(np.where(between, rate, 0.5)) + log_expit(t) + log_expit(-t)
            return np.where(between, logs, -np.inf)

        t = np.unique(logit(np.clip(np.asarray(rates, np.float64), 1e-300, 1.0 - 2.0**-53)))
        # Points ever further away on both sides, for tails that these do not reach.
        steps = (np.ptp(t) or 1e-3) * 2.0 ** np.arange(-4, 12)
        around = np.concatenate([t.min() - steps, t, t.max() + steps])
        return cls(of_logit, np.unique(np.clip(around, -_FAR, _FAR)))

    @classmethod
    def beta(cls, first: float, second: float) -> RatePrior:
        """Take Beta(first, second), exact up to both ends.

        Examples
        --------
        >>> abs(RatePrior.beta(2.0, 5.0).log_total) < 1e-12
        True
        """
        norm = betaln(first, second)

        def log_density(t: FloatArray) -> FloatArray:
            return np.asarray(first * log_expit(t) + second * log_expit(-t) - norm)

        return cls(log_density, np.array([math.log(first / second)]))

    @cached_property
    def log_total(self) -> float:
        """Log of the integral of the density to the power: 0 of a density that is normalised."""
        edges, _ = _settled_panels(lambda t: self.powered(t)[None], self.hints)
        t, weight = composite_legendre(edges)
        logs = self.powered(t)
        return float(logs.max() + math.log(float(weight @ np.exp(logs - logs.max()))))

    def powered(self, t: FloatArray) -> FloatArray:
        """Return the log density to the power."""
        logs = self.log_density(t)
        # Outside the support 0 times −inf would be NaN.
        return np.where(logs == -np.inf, -np.inf, self.weight * logs)

    def mirrored(self) -> RatePrior:
        """Return the prior of 1 − r."""
        return replace(self, log_density=lambda t: self.log_density(-t), hints=-self.hints)


@dataclass(frozen=True)
class RatePosterior:
    r"""Posterior of r and of every dataset in the joint model, under any prior.

    Attributes
    ----------
    first, second : float
        P(r > ½ | k) and P(r < ½ | k).
    mean, sd : float
        Of r | k. The mean is also P(the first is better) on a dataset not yet seen.
    log_evidence : float
        :math:`\log\int \pi(r) \prod_i (r p_i + (1 - r)(1 - p_i))\,dr`. The evidence of the counts
        themselves has the factor :math:`2 m_i` more for every dataset, with :math:`m_i` from
        `error_rates.error_rate_log_marginal`.
    wins : array (N,)
        Pr(d_i = 1 | k), given all datasets.
    log_predictive : array (N,)
        Log evidence minus that of the other datasets; the same factors apply.
    error : float
        Largest change of a total at the last halving.
    edges : array
        Of panels of logit r, and its log density there, not normalised.
    """

    first: float
    second: float
    mean: float
    sd: float
    log_evidence: float
    wins: FloatArray
    log_predictive: FloatArray
    error: float
    edges: FloatArray
    log_density: LogPrior

    @classmethod
    def of(cls, p: ArrayLike, prior: RatePrior) -> RatePosterior:
        """Integrate over logit r, O(N) for each node.

        Parameters
        ----------
        p : array (N,)
            P(the first is better) on each dataset, given its own counts only.
        prior : RatePrior

        Examples
        --------
        A doubtful dataset is pulled towards the others:

        >>> posterior = RatePosterior.of([0.99, 0.98, 0.97, 0.5], RatePrior.beta(1.0, 1.0))
        >>> round(posterior.first, 6), round(posterior.mean, 6), posterior.wins.round(3).tolist()
        (0.932245, 0.795834, [0.997, 0.993, 0.99, 0.796])
        """
        p = np.ascontiguousarray(p, dtype=np.float64)
        extremes = np.array([p.min(initial=0.5), p.max(initial=0.5)])[:, None]

        def log_density(t: FloatArray) -> FloatArray:
            return prior.powered(t) + _log_likelihood(p, expit(t), expit(-t))

        def logs(t: FloatArray) -> FloatArray:
            """Of all, and over the smallest factor: the mass without its dataset."""
            whole = log_density(t)
            factors = expit(t) * extremes + expit(-t) * (1.0 - extremes)
            return np.stack([whole, whole - np.log(factors.min(axis=0))])

        edges, error = _settled_panels(logs, prior.hints)
        t, weight = composite_legendre(edges)
        density = log_density(t)
        top = float(density.max())
        mass = weight * np.exp(density - top)
        total = float(mass.sum())
        mass /= total
        rate = expit(t)
        mean = float(mass @ rate)
        wins, inverse = _by_dataset(p, rate, expit(-t), mass)
        return cls(
            first=float(mass[t > 0.0].sum()),
            second=float(mass[t < 0.0].sum()),
            mean=mean,
            sd=math.sqrt(float(mass @ (rate - mean) ** 2)),
            log_evidence=top + math.log(total) - prior.log_total,
            wins=wins,
            log_predictive=-np.log(inverse),
            error=error,
            edges=edges,
            log_density=log_density,
        )

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cells in t, the mass below each of their edges, and the density at the edges."""
        steps = np.arange(_CELLS) / _CELLS
        cells = (self.edges[:-1, None] + np.diff(self.edges)[:, None] * steps).ravel()
        cells = np.append(cells, self.edges[-1])
        t, weight = composite_legendre(cells)
        log_density = self.log_density(t)
        top = float(log_density.max())
        mass = (weight * np.exp(log_density - top)).reshape(len(cells) - 1, -1).sum(axis=1)
        with np.errstate(over="ignore"):
            ends = np.exp(self.log_density(cells) - top)
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

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw r by inverting its distribution function."""
        return self.quantile(rng.random(draws))


def _settled_panels(logs: LogPrior, hints: FloatArray) -> tuple[FloatArray, float]:
    """Halve panels until the integrals of densities (rows) over t do not change; and by how much.

    They begin where a density is not negligible, dense around 0 and where the prior is.
    """
    grid = np.unique(np.concatenate([_GRID, [0.0], hints]))
    on_grid = logs(grid)
    top = on_grid.max(axis=1, keepdims=True)
    if not np.isfinite(top).all():
        raise ArithmeticError("the density of logit r is zero or infinite wherever it is tried")
    inside = np.flatnonzero((on_grid > top - _LOG_TAIL).any(axis=0))
    edges = grid[max(inside[0] - 1, 0) : inside[-1] + 2]

    def integrals(edges: FloatArray, top: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Integral over each panel of each density over e^top, by default its maximum."""
        t, weight = composite_legendre(edges)
        values = logs(t)
        top = values.max(axis=1, keepdims=True) if top is None else top
        mass = weight * np.exp(values - top)
        return top, mass.reshape(len(mass), len(edges) - 1, -1).sum(axis=2)

    for _ in range(_MOST_HALVINGS):
        middle = 0.5 * (edges[:-1] + edges[1:])
        top, coarse = integrals(edges, None)
        _, halves = integrals(np.insert(edges, np.arange(1, len(edges)), middle), top)
        both = halves.reshape(len(halves), -1, 2).sum(axis=2)
        # Shares of one total: with each its own, one panel that changes would change them all.
        change = (np.abs(both - coarse) / both.sum(axis=1, keepdims=True)).max(axis=0)
        error = float(change.sum())
        again = np.flatnonzero((change > _CHANGE) & (middle > edges[:-1]))
        # The logarithms of very many datasets have no more digits.
        if (
            error <= max(_CHANGES, 4e-16 * float(np.abs(top).max()))
            or len(change) > _MOST_PANELS
            or not len(again)
        ):
            break
        edges = np.insert(edges, again + 1, middle[again])
    return edges, error


@jit()
def _log_likelihood(p: FloatArray, rate: FloatArray, rest: FloatArray) -> FloatArray:
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
