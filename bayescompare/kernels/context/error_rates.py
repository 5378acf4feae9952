r"""Errors on one test set: which of two classifiers has the smaller risk, and how large a risk is.

Only the first classifier got :math:`k_h` examples wrong, and only the second :math:`k_g`. With
:math:`z = p_h/(p_h + p_g)` and prior parameters :math:`\alpha'_h = a` and :math:`\alpha'_g = a'`,

.. math:: z \mid k \sim \mathrm{Beta}(a + k_h, a' + k_g), \qquad
          \Pr(p_h < p_g \mid k) = \Pr(z < ½) = I_{½}(a + k_h, a' + k_g),

whatever the examples on which they agree (Theorem 4.1). In what follows `other` is a', which is a
by default. Everything is vectorised over datasets.

References
----------
Lacoste, Laviolette & Marchand (2012), Sections 3 and 4. Langford (2005), Theorem 3.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    expit,
    gammaln,
    log_expit,
)

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.legendre import composite_legendre

#: Where a logit may lie, what is left out of a density of it, and panels of what is left.
_FAR_LOGIT, _LOG_TAIL, _PANELS = 60.0, 45.0, 16
#: Below this a tail is drawn by rejection: floats can no longer represent its inverse.
_FAINT = 1e-250


def first_error_rate_better(
    k_h: ArrayLike, k_g: ArrayLike, a: float = 1.0, other: float | None = None
) -> FloatArray:
    r"""Probability that the first classifier has the smaller risk (Theorem 4.1).

    .. math:: \Pr(p_h < p_g \mid k) = I_{½}(a + k_h, a' + k_g)

    Parameters
    ----------
    k_h, k_g : arrays
        Examples that only the first, and only the second, got wrong. Both may be 0.
    a, other : float
        Prior parameters; 1 is uniform.

    Examples
    --------
    The classifier with fewer such errors is the better one; without discordant examples both are
    equally likely to be:

    >>> first_error_rate_better([2, 0, 9], [9, 0, 2]).round(6).tolist()
    [0.980713, 0.5, 0.019287]
    """
    second = np.asarray(k_g) + (a if other is None else other)
    return np.asarray(betainc(np.asarray(k_h) + a, second, 0.5), dtype=np.float64)


def smaller_independent_rate(
    k_h: ArrayLike,
    k_g: ArrayLike,
    n: ArrayLike,
    prior: tuple[float, float] = (1.0, 1.0),
    other: tuple[float, float] = (1.0, 1.0),
) -> FloatArray:
    r"""P(the first classifier has the smaller risk) where each had a test set of its own.

    .. math:: \Pr(R_h < R_g) = \int \mathrm{Beta}(x; \alpha' + k_h, \beta' + n - k_h)\,
              \Pr(R_g > x)\, dx

    By quadrature over logit x where the integrand is, which keeps the digits of small ones.

    Parameters
    ----------
    k_h, k_g, n : arrays (N,)
        All errors of each, and the size of either test set.
    prior, other : pairs of float
        α' and β' of the Beta prior of the first risk, and of the second.

    Examples
    --------
    >>> smaller_independent_rate([3, 5], [9, 5], [50, 20]).round(6).tolist()
    [0.964141, 0.5]
    """
    first, second, size = np.broadcast_arrays(k_h, k_g, n)
    shapes = *error_rate_posterior(first, size, prior), *error_rate_posterior(second, size, other)
    return np.array([_smaller_rate(*each) for each in zip(*shapes, strict=True)], dtype=np.float64)


def _smaller_rate(a: float, b: float, c: float, d: float) -> float:
    """P(X < Y) of independent Beta(a, b) and Beta(c, d)."""

    def log_density(t: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            tail = np.log(betaincc(c, d, expit(t)))
        return np.asarray(a * log_expit(t) + b * log_expit(-t) - betaln(a, b) + tail)

    low, high = -_FAR_LOGIT, _FAR_LOGIT
    for _ in range(40):
        t = np.linspace(low, high, 65)
        logs = log_density(t)
        inside = np.flatnonzero(logs > logs.max() - _LOG_TAIL)
        low, high = float(t[max(inside[0] - 1, 0)]), float(t[min(inside[-1] + 1, 64)])
        if inside[-1] - inside[0] > 32:
            break
    t, weight = composite_legendre(np.linspace(low, high, _PANELS + 1))
    return float(weight @ np.exp(log_density(t)))


def error_rate_log_marginal(
    k_h: ArrayLike, k_g: ArrayLike, a: float = 1.0, other: float | None = None
) -> FloatArray:
    r"""Log probability of k_h among the k_h + k_g discordant examples, z integrated out.

    .. math:: \log\binom{k_h + k_g}{k_h} + \log\frac{B(a + k_h, a' + k_g)}{B(a, a')}

    Examples
    --------
    Under the uniform prior all splits of ten are equally likely:

    >>> np.exp(error_rate_log_marginal([0, 3, 10], [10, 7, 0])).round(12).tolist()
    [0.090909090909, 0.090909090909, 0.090909090909]
    """
    first, second = np.asarray(k_h, dtype=np.float64), np.asarray(k_g, dtype=np.float64)
    splits = gammaln(first + second + 1.0) - gammaln(first + 1.0) - gammaln(second + 1.0)
    other = a if other is None else other
    return np.asarray(splits + betaln(first + a, second + other) - betaln(a, other))


def error_rate_posterior(
    k: ArrayLike, n: ArrayLike, prior: tuple[float, float] = (1.0, 1.0)
) -> tuple[FloatArray, FloatArray]:
    r"""Parameters of the Beta posterior of a risk after k errors on n examples (Section 3).

    .. math:: R \mid k \sim \mathrm{Beta}(\alpha' + k,\; \beta' + n - k)

    Examples
    --------
    >>> [float(shape) for shape in error_rate_posterior(3, 10)]
    [4.0, 8.0]
    """
    errors = np.asarray(k, dtype=np.float64)
    return errors + prior[0], np.asarray(n, dtype=np.float64) - errors + prior[1]


def error_rate_bound(
    k: ArrayLike, n: ArrayLike, delta: float = 0.05, prior: tuple[float, float] = (1.0, 1.0)
) -> FloatArray:
    r"""Upper bound that the risk exceeds with posterior probability δ, Equation (3).

    .. math:: B_c^{-1}(1 - \delta;\; \alpha' + k,\; \beta' + n - k)

    Examples
    --------
    No error on 100 examples: 1 − 0.05^{1/101}.

    >>> float(error_rate_bound(0, 100).round(9))
    0.029225154
    """
    # The complement keeps its digits when δ is tiny.
    return np.asarray(betainccinv(*error_rate_posterior(k, n, prior), delta), dtype=np.float64)


def langford_error_rate_bound(k: ArrayLike, n: ArrayLike, delta: float = 0.05) -> FloatArray:
    r"""Langford's test-set bound: the limit α' = 1, β' → 0 of `error_rate_bound`.

    .. math:: B_c^{-1}(1 - \delta;\; k + 1,\; n - k), \quad\text{and 1 at } k = n

    It is the largest risk at which k errors or fewer still have probability δ, by Equation (4).

    Examples
    --------
    >>> langford_error_rate_bound([0, 5, 10], 10).round(6).tolist()
    [0.258866, 0.777559, 1.0]
    """
    errors, size = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    some_right = errors < size
    bound = betainccinv(errors + 1.0, np.where(some_right, size - errors, 1.0), delta)
    return np.asarray(np.where(some_right, bound, 1.0))


def draw_error_rate_shares(
    k_h: ArrayLike,
    k_g: ArrayLike,
    first_better: ArrayLike,
    rng: np.random.Generator,
    a: float = 1.0,
    other: float | None = None,
) -> FloatArray:
    r"""Draw z = p_h/(p_h + p_g), given for every dataset which classifier is better.

    .. math:: z \sim \mathrm{Beta}(a + k_h, a' + k_g) \text{ on } z < ½ \text{ where the first is
              better, on } z > ½ \text{ elsewhere}

    By the inverse of the distribution function; far out in a tail, by exact rejection.

    Parameters
    ----------
    k_h, k_g : arrays (N,)
    first_better : array (..., N) of bool
        Leading axes are draws.
    rng : Generator
    a, other : float
        Prior parameters.

    Returns
    -------
    array (..., N)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> z = draw_error_rate_shares([2, 9], [9, 2], [[True, True], [False, True]], rng)
    >>> (z < 0.5).tolist()
    [[True, True], [False, True]]
    """
    better = np.asarray(first_better, dtype=bool)
    h = np.broadcast_to(np.asarray(k_h, dtype=np.float64) + a, better.shape)
    prior = a if other is None else other
    g = np.broadcast_to(np.asarray(k_g, dtype=np.float64) + prior, better.shape)
    # The share of the smaller of p_h and p_g is a Beta whose first shape is the better one's.
    own, rest = np.where(better, h, g), np.where(better, g, h)
    mass = betainc(own, rest, 0.5)
    uniform = 1.0 - rng.random(better.shape)
    share = np.minimum(betaincinv(own, rest, uniform * mass), 0.5)
    faint = mass < _FAINT
    share[faint] = _draw_error_rate_tail(own[faint], rest[faint], rng)
    return np.asarray(np.where(better, share, 1.0 - share))


def _draw_error_rate_tail(
    own: FloatArray, other: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw Beta(own, other) on (0, ½) when own is so large that the mass sits just below ½.

    The log density is concave there and so below its tangent at ½: an exponential is proposed.
    """
    share = np.full(own.shape, np.nan)
    waiting = np.arange(len(own))
    while len(waiting):
        x, y = own[waiting] - 1.0, other[waiting] - 1.0
        slope = 2.0 * (x - y)
        step = rng.standard_exponential(len(waiting)) / slope
        inside = step < 0.5
        z = np.where(inside, 2.0 * step, 0.0)
        gap = x * np.log1p(-z) + y * np.log1p(z) + slope * step
        kept = inside & (-rng.standard_exponential(len(waiting)) < gap)
        share[waiting[kept]] = 0.5 - step[kept]
        waiting = waiting[~kept]
    return share


def draw_error_rate_outcomes(
    share: FloatArray,
    discordant: ArrayLike,
    concordant: ArrayLike,
    rng: np.random.Generator,
    a: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> FloatArray:
    r"""Draw (p_h, p_g, p) given z, under Dirichlet(α'_h, α'_g, α').

    .. math:: p_h + p_g \sim \mathrm{Beta}(\alpha'_h + \alpha'_g + k_h + k_g,\; \alpha' + k), \quad
              p_h = z\,(p_h + p_g), \quad\text{independently of } z

    Parameters
    ----------
    share : array (..., N)
        z, from `draw_error_rate_shares`.
    discordant, concordant : arrays (N,)
        k_h + k_g, and k.
    rng : Generator
    a : triple of float
        Prior parameters of the outcomes.

    Returns
    -------
    array (..., N, 3)

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_error_rate_outcomes(np.array([0.25]), [10], [90], rng).sum(axis=-1).round(12).tolist()
    [1.0]
    """
    differ = rng.beta(
        np.asarray(discordant, dtype=np.float64) + a[0] + a[1],
        np.asarray(concordant, dtype=np.float64) + a[2],
        size=share.shape,
    )
    return np.stack([share * differ, (1.0 - share) * differ, 1.0 - differ], axis=-1)
