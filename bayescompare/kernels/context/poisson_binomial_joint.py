r"""The Poisson-binomial test as a full model, in which r, every d_i and the counts are joint.

In the paper's formula (`poisson_binomial.context`) no dataset learns from the others about the
share r of datasets on which the first algorithm is better. Here

.. math:: \Pr(\kappa \mid k) \propto \mathrm{PB}(\kappa; p)\, B(b + \kappa, b + N - \kappa), \qquad
          p(r \mid k) \propto r^{b-1}(1 - r)^{b-1} \prod_i \bigl(r p_i + (1 - r)(1 - p_i)\bigr) .

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, whose formula is the cut of this model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, log_expit

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import DUST, poisson_binomial_above_half
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.numerics.legendre import composite_legendre

__all__ = [
    "Joint",
    "joint",
    "joint_context",
    "poisson_binomial_counts",
    "poisson_binomial_likelihood",
    "poisson_binomial_order",
    "summarise_poisson_binomial",
]


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
    limits = _poisson_binomial_rate_limits(p, b)
    before = _joint(p, b, limits, 4)
    for panels in (8, 16, 32, 64, 128, 256, 512):
        now = _joint(p, b, limits, panels)
        error = _poisson_binomial_change(now, before)
        if error < 1e-12 - 4e-16 * now.log_evidence:
            break
        before = now
    return now._replace(error=error)


def _poisson_binomial_change(now: Joint, before: Joint) -> float:
    """Largest difference in any figure."""
    new, old = (
        np.hstack([x.first, x.second, x.mean, x.sd, x.log_evidence, x.wins, x.log_predictive])
        for x in (now, before)
    )
    return float(np.abs(new - old).max())


def _joint(p: FloatArray, b: float, limits: tuple[float, float], panels: int) -> Joint:
    """All the integrals at one resolution."""
    t, weight = _poisson_binomial_rate_nodes(*limits, panels)
    return summarise_poisson_binomial(
        p, t, weight, _poisson_binomial_log_density(t, p, b), float(betaln(b, b))
    )


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
    wins, inverse = _poisson_binomial_by_dataset(p, rate, expit(-t), mass)
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


def _poisson_binomial_log_density(t: FloatArray, p: FloatArray, b: float) -> FloatArray:
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
def _poisson_binomial_by_dataset(
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


def _poisson_binomial_rate_limits(p: FloatArray, b: float) -> tuple[float, float]:
    """Return limits that hold all but 1e-19 of logit r, whichever dataset is left out.

    Without dataset i the density is that of all over its factor; the smallest factor at a given
    r belongs to the smallest or to the largest p.
    """
    extremes = np.array([p.min(initial=0.5), p.max(initial=0.5)])
    high = min(_LOG_TAIL / b + 5.0, 700.0)
    low = -high
    for _ in range(60):
        t = np.linspace(low, high, 65)
        density = _poisson_binomial_log_density(t, p, b)
        factors = expit(t) * extremes[:, None] + expit(-t) * (1.0 - extremes[:, None])
        inside = np.flatnonzero(density - np.log(factors.min(axis=0)) > density.max() - _LOG_TAIL)
        low, high = float(t[max(inside[0] - 1, 0)]), float(t[min(inside[-1] + 1, 64)])
        if inside[-1] - inside[0] > 32:
            break
    return low, high


def _poisson_binomial_rate_nodes(
    low: float, high: float, panels: int
) -> tuple[FloatArray, FloatArray]:
    """Gauss–Legendre nodes and weights on [low, high], with an edge at 0 where that is inside."""
    inside = low < 0.0 < high
    edges = np.linspace(low, high, 2 * panels + 1)
    if inside:
        edges = np.append(np.linspace(low, 0.0, panels + 1), np.linspace(0.0, high, panels + 1)[1:])
    return composite_legendre(edges)


def poisson_binomial_counts(p: ArrayLike, b: float = 1.0) -> tuple[FloatArray, float]:
    r"""Pr(κ | k) in the joint model, and the log evidence.

    .. math:: \Pr(\kappa \mid k) \propto \mathrm{PB}(\kappa; p)\, B(b + \kappa, b + N - \kappa)

    The product, not its factors, is carried through the recursion, as in Pólya's urn: either
    factor leaves the float range long before their product does.

    .. math:: w_i(\kappa) = \frac{p_i\,(b + \kappa - 1)\,w_{i-1}(\kappa - 1)
              + (1 - p_i)\,(b + i - 1 - \kappa)\,w_{i-1}(\kappa)}{2b + i - 1}

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
    counts, log_evidence = _poisson_binomial_urn(p[poisson_binomial_order(p)], b)
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
def _poisson_binomial_urn(p: FloatArray, b: float) -> tuple[FloatArray, float]:
    """Filter κ forward, rescaled to a sum of one; the product of the scales is the evidence."""
    n = len(p)
    old, new = np.zeros(n + 1), np.zeros(n + 1)
    # An array, because converting integers would keep the inner loop from being vectorised.
    ball = b + np.arange(n + 1)
    old[0] = 1.0
    low, high, total, log_evidence = 0, 0, 1.0, 0.0
    for i in range(n):
        scale = 1.0 / ((2.0 * b + i) * total)
        win, loss, all_balls = p[i] * scale, (1.0 - p[i]) * scale, 2.0 * b + i
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


def joint_context(p: ArrayLike, b: float = 1.0) -> float:
    r"""P(the first is better in the context) in the joint model, by the sum over κ.

    .. math:: \sum_\kappa \Pr(\kappa \mid k)\, I_{½}(N - \kappa + b,\; \kappa + b)

    The same as ``joint(p, b).first``, by another route.

    Examples
    --------
    >>> round(joint_context([0.9, 0.8, 0.95, 0.4]), 6)
    0.879953
    """
    counts, _ = poisson_binomial_counts(p, b)
    return min(float(counts @ poisson_binomial_above_half(len(counts) - 1, b)), 1.0)
