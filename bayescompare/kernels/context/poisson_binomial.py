r"""The Poisson-binomial test: is the first algorithm better in a context of many datasets?

The first is better on dataset i (:math:`d_i = 1`) with probability :math:`p_i`, given that
dataset's own counts. A share r of the context's datasets favours it, :math:`r \sim
\mathrm{Beta}(b, b)`, and the question is :math:`\Pr(r > ½)`. With :math:`\kappa = \sum_i d_i`,

.. math:: \Pr(\kappa) = \mathrm{PB}(\kappa; p), \qquad
          \Pr(r > ½ \mid \kappa) = I_{½}(N - \kappa + b,\; \kappa + b) .

The paper averages the second over the first (`context`), a *cut* model: no :math:`d_i` uses what
the other datasets say about r. The full model is in `poisson_binomial_joint`.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.numerics.intervals import beta_mixture_quantile
from bayescompare.kernels.numerics.jit import jit

__all__ = [
    "DUST",
    "context",
    "context_beta_mixture_interval",
    "draw_poisson_binomial_rates",
    "draw_poisson_binomial_wins",
    "poisson_binomial_above_half",
    "poisson_binomial_interval",
    "poisson_binomial_masses",
]


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
    return _poisson_binomial_pmf(np.ascontiguousarray(p, dtype=np.float64))


@jit()
def _poisson_binomial_pmf(p: FloatArray) -> FloatArray:
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


def poisson_binomial_above_half(datasets: int, b: float = 1.0) -> FloatArray:
    r"""P(r > ½) for every number of datasets on which the first is better.

    .. math:: \Pr(r > ½ \mid \kappa) = I_{½}(N - \kappa + b,\; \kappa + b)

    Returns
    -------
    array (datasets + 1,)

    Examples
    --------
    >>> poisson_binomial_above_half(2).tolist()
    [0.125, 0.5, 0.875]
    """
    wins = np.arange(datasets + 1, dtype=np.float64)
    return np.asarray(betainc(datasets - wins + b, wins + b, 0.5), dtype=np.float64)


def context(p: ArrayLike, b: float = 1.0) -> float:
    r"""P(the first is better in the context), by the paper's formula (the cut model).

    .. math:: \sum_\kappa \mathrm{PB}(\kappa; p)\, I_{½}(N - \kappa + b,\; \kappa + b)

    Parameters
    ----------
    p : array (N,)
        P(the first is better) on each dataset.
    b : float
        Prior parameter of r; 1 is uniform.

    Examples
    --------
    >>> round(context([0.9, 0.8, 0.95, 0.4]), 6)
    0.785469
    """
    counts = poisson_binomial_masses(p)
    return min(float(counts @ poisson_binomial_above_half(len(counts) - 1, b)), 1.0)


def poisson_binomial_interval(
    counts: FloatArray, b: float = 1.0, other: float | None = None, mass: float = 0.95
) -> tuple[float, float]:
    r"""Central interval of r, whose distribution is a mixture of Betas.

    .. math:: r \sim \sum_\kappa \Pr(\kappa)\, \mathrm{Beta}(b + \kappa,\; b' + N - \kappa)

    Parameters
    ----------
    counts : array (N + 1,)
        `pmf(p)` for the cut model, `count_posterior(p, b)[0]` for the joint one.
    b, other : float
        Prior parameters b and b', which is b by default; 2b for one of three regions.
    mass : float

    Examples
    --------
    >>> [round(end, 6) for end in poisson_binomial_interval(np.array([1.0]))]
    [0.025, 0.975]
    """
    wins = np.arange(len(counts), dtype=np.float64)
    rest = b if other is None else other
    return context_beta_mixture_interval(counts, b + wins, rest + (len(counts) - 1.0 - wins), mass)


def context_beta_mixture_interval(
    weight: FloatArray, first: FloatArray, second: FloatArray, mass: float = 0.95
) -> tuple[float, float]:
    """Central interval of a mixture of Beta(first, second).

    Examples
    --------
    >>> one = np.ones(1)
    >>> [round(end, 6) for end in context_beta_mixture_interval(one, one, one)]
    [0.025, 0.975]
    """
    tails = np.array([1.0 - mass, 1.0 + mass]) / 2.0
    low, high = beta_mixture_quantile(weight, first, second, tails)
    return float(low), float(high)


def draw_poisson_binomial_rates(
    counts: FloatArray, draws: int, rng: np.random.Generator, b: float = 1.0
) -> FloatArray:
    """Draw r: κ from its posterior, then Beta(b + κ, b + N − κ).

    Parameters
    ----------
    counts : array (N + 1,)
        `pmf(p)` for the cut model, `count_posterior(p, b)[0]` for the joint one.
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


def draw_poisson_binomial_wins(
    p: ArrayLike, rates: FloatArray, rng: np.random.Generator
) -> BoolArray:
    r"""Draw every d_i of the joint model given k and r.

    .. math:: \Pr(d_i = 1 \mid k, r) = \frac{r p_i}{r p_i + (1 - r)(1 - p_i)}

    Then `error_rates.draw_shares` draws the discordance probabilities given k and d. In the cut
    model d is drawn first instead, as ``rng.random(...) < p``.

    Parameters
    ----------
    p : array (N,)
    rates : array (draws,)
        Draws of r.
    rng : Generator

    Returns
    -------
    array (draws, N)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_poisson_binomial_wins([0.0, 1.0], np.array([0.3, 0.7]), rng).tolist()
    [[False, True], [False, True]]
    """
    p = np.asarray(p, dtype=np.float64)
    first, second = rates[:, None] * p, (1.0 - rates)[:, None] * (1.0 - p)
    # Multiplied out: r may be 0 or 1 to the last bit, and p too.
    return np.asarray(rng.random(first.shape) * (first + second) < first)
