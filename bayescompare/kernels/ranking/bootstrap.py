r"""The Bayesian bootstrap over datasets, widened for small numbers of them.

A draw gives the datasets the weights

.. math:: w \sim \mathrm{Dirichlet}(a, \dots, a), \qquad a = (n - 4) / n, \qquad
          S = \sum_i w_i f_i .

With a = 1 (Rubin) the variance of S is that of a mean with known spread, and intervals from few
datasets are too narrow. The variance of S given f is s²·n / (n·(n·a + 1)), s² with divisor n; with
a = (n − 4)/n it is s²/(n − 3), which is the variance of Student's t with n − 1 degrees of freedom.
Up to four datasets that variance does not exist.

Datasets that count more than others have importances v, and w ∝ v·g with g independent
Gamma(a, 1), which is the Dirichlet distribution for equal v. Then n is the effective number
(Σv)²/Σv².

**The exact law of S**, without a draw. With :math:`g_i \sim \mathrm{Gamma}(a)` independent,

.. math:: S = \frac{\sum_i v_i g_i x_i}{\sum_i v_i g_i}, \qquad
          P(S > c) = P\Bigl(\sum_i b_i g_i > 0\Bigr), \quad b_i = v_i (x_i - c) ,

and the characteristic function of that sum is known. By Gil-Pelaez, with :math:`u = e^t`,

.. math:: P(S > c) = \tfrac12 + \frac1\pi \int_{-\infty}^{\infty}
          \frac{\sin\bigl(a \sum_i \arctan(b_i e^t)\bigr)}
               {\prod_i (1 + b_i^2 e^{2t})^{a/2}}\,\mathrm{d}t .

The integrand is analytic and decays exponentially on both sides, so that the trapezoidal rule
converges faster than any power of its step.

References
----------
Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9.
Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38; Imhof (1961), Computing the
distribution of quadratic forms in normal variables, Biometrika 48.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

#: Fewest units from which intervals can be had.
FEWEST = 5
#: Items on which two must differ before one is called better: of fewer, in simulations of items
#: that mostly tie, that was wrong in up to .25 of tables, and of ten and more in at most .06.
FEWEST_APART = 10

#: Weights that are held at a time: 64 MB.
_BLOCK = 8_000_000
#: Units up to which the integral is quick; beyond, draws do as well.
MOST_EXACT_UNITS = 500

#: Two successive rules must agree this closely.
_AGREE = 1e-12
#: The integrand is left out where it is below e^-40.
_TAIL = 40.0
#: Numbers of the integrand that are held at a time.
_PART = 4_000_000


def effective_number(importance: FloatArray) -> float:
    """Return (Σv)²/Σv²: n for equal importances, less for unequal ones.

    Examples
    --------
    >>> effective_number(np.ones(7)), effective_number(np.array([1.0, 1.0, 0.0]))
    (7.0, 2.0)
    """
    return float(importance.sum() ** 2 / (importance**2).sum())


def concentration_of(n: float) -> float:
    """Return a = (n − 4)/n, the parameter of every weight.

    Examples
    --------
    >>> concentration_of(5), concentration_of(20)
    (0.2, 0.8)
    """
    return (n - 4.0) / n


def bootstrap_weights(
    importance: FloatArray, draws: int, rng: np.random.Generator, times: AnyArray | None = None
) -> Iterator[FloatArray]:
    """Yield weights of the units in blocks (some draws, n); each row sums to one.

    The draws are the same whatever the size of the blocks. With `times`, a unit stands for so many
    like it, and its weight is the sum of theirs.
    """
    n = len(importance)
    every = importance if times is None else np.repeat(importance, times)
    shape = concentration_of(effective_number(every)) * (1 if times is None else times)
    step = max(1, _BLOCK // n)
    for start in range(0, draws, step):
        gammas = rng.standard_gamma(shape, (min(step, draws - start), n)) * importance
        yield gammas / gammas.sum(axis=1, keepdims=True)


def differing_number(scores: FloatArray, importance: FloatArray) -> float:
    """Return how many units of equal importance tell the algorithms apart.

    Units on which all tie say nothing of how the algorithms differ between units. Of several
    measures the one with the fewest counts, but for measures on which all tie everywhere.

    Parameters
    ----------
    scores : array (n, l, m)
    importance : array (n,)

    Examples
    --------
    >>> scores = np.array([[[1.0], [2.0]], [[2.0], [1.0]], [[1.5], [1.5]]])
    >>> differing_number(scores, np.ones(3))
    2.0
    """
    gaps = np.ptp(scores, axis=1)
    apart = gaps > RELATIVE_TOLERANCE * np.abs(scores).max(axis=1)
    counted = [effective_number(importance[own]) for own in apart.T if own.any()]
    return min(counted, default=effective_number(importance))


def resampled_means(
    units: FloatArray, importance: FloatArray, number: float, draws: int, rng: np.random.Generator
) -> FloatArray:
    r"""Return S for every draw: the weighted means of the units and of a pseudo-unit.

    .. math:: S = \frac{\sum_i v_i g_i f_i + v_k g_0 f_{k\pi}}{\sum_i v_i g_i + v_k g_0},

    with all g independent Gamma(a, 1), k a unit drawn at random and π a random permutation of the
    algorithms. The pseudo-unit stands for what the next one may look like: without it a place that
    all units agree on would be certain, however few they are.

    Parameters
    ----------
    units : array (n, l, m)
        What each unit (dataset, domain or item) says of each algorithm on each measure.
    importance : array (n,)
        How much each unit counts.
    number : float
        How many units the weights are widened for: a = (number − 4)/number.

    Returns
    -------
    array (m, draws, l)
    """
    n, l, m = units.shape
    means = np.empty((m, draws, l))
    # A stream each, so that the draws are the same whatever the size of the blocks.
    of_weights, of_unit, of_order = rng.spawn(3)
    shape, step = concentration_of(number), max(1, _BLOCK // max(n, l * m))
    for start in range(0, draws, step):
        stop = min(start + step, draws)
        gammas = of_weights.standard_gamma(shape, (stop - start, n + 1))
        chosen = of_unit.integers(n, size=stop - start)
        order = of_order.permuted(np.tile(np.arange(l), (stop - start, 1)), axis=1)
        gammas[:, :n] *= importance
        gammas[:, n] *= importance[chosen]
        gammas /= gammas.sum(axis=1, keepdims=True)
        for j in range(m):
            pseudo = units[chosen[:, None], order, j]
            means[j, start:stop] = gammas[:, :n] @ units[:, :, j] + gammas[:, n:] * pseudo
    return means


# -------------------------------------------------------------------------------- the law of a mean


def mean_above(
    values: FloatArray, importance: FloatArray, threshold: float = 0.0, *, noise: float = 0.0
) -> float:
    """P(the resampled mean is above a threshold), under the widened bootstrap.

    Parameters
    ----------
    values, importance : array (n,)
        n effective units, more than four.
    threshold : float
    noise : float
        Values this close to the threshold are equal to it.

    Examples
    --------
    By symmetry, and where every value is on one side:

    >>> mean_above(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.ones(5))
    0.5
    >>> mean_above(np.array([1.0, 2.0, 1.0, 1.0, 3.0]), np.ones(5))
    1.0
    """
    apart = values - threshold
    b = importance * np.where(np.abs(apart) <= noise, 0.0, apart)
    b = b[b != 0.0]
    if not len(b) or (b < 0.0).all():
        return 0.0
    if (b > 0.0).all():
        return 1.0
    shape = concentration_of(effective_number(importance))
    b = b / np.abs(b).max()
    return float(as_probability(0.5 + _integral(b, shape) / math.pi))


def _integral(b: FloatArray, shape: float) -> float:
    """Halve the step of the trapezoidal rule until two successive ones agree."""
    low = math.log(1e-17 / (shape * float(np.abs(b).sum())))
    high = 1.0
    while _log_modulus(b, shape, np.array([high]))[0] < _TAIL:
        high += 0.25 * high + 1.0
    step = 0.25
    total = step * float(_integrand(b, shape, np.arange(low, high, step)).sum())
    while step > 1e-4:
        middle = np.arange(low + 0.5 * step, high, step)
        finer = 0.5 * total + 0.5 * step * float(_integrand(b, shape, middle).sum())
        if abs(finer - total) <= _AGREE:
            return finer
        total, step = finer, 0.5 * step
    return total


def _integrand(b: FloatArray, shape: float, t: FloatArray) -> FloatArray:
    size = max(1, _PART // len(b))
    parts = []
    for start in range(0, len(t), size):
        part = t[start : start + size]
        angle = shape * np.arctan(b[:, None] * np.exp(part)).sum(axis=0)
        parts.append(np.sin(angle) * np.exp(-_log_modulus(b, shape, part)))
    return np.concatenate(parts)


def _log_modulus(b: FloatArray, shape: float, t: FloatArray) -> FloatArray:
    """Log of the denominator; log1p(e^x) by logaddexp, since e^t may overflow."""
    logs = 2.0 * (np.log(np.abs(b))[:, None] + t)
    return np.asarray(0.5 * shape * np.logaddexp(0.0, logs).sum(axis=0))


def mean_quantile(values: FloatArray, importance: FloatArray, p: float) -> float:
    """Return the value that the resampled mean is below with probability p.

    Examples
    --------
    >>> x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> round(mean_quantile(x, np.ones(5), 0.5), 9)
    0.0
    >>> round(mean_quantile(x, np.ones(5), 0.05) + mean_quantile(x, np.ones(5), 0.95), 9)
    0.0
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low

    def excess(c: float) -> float:
        return 1.0 - mean_above(values, importance, c) - p

    # To the digits that `mean_above` has, wherever the last step falls.
    return float(brentq(excess, low, high, xtol=1e-14 * (high - low)))
