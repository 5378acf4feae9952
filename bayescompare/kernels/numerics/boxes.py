r"""Probabilities of boxes under a multivariate normal distribution.

One variable is conditioned on, the rest is a box of one dimension less:

.. math:: \Pr(a \le X \le b) = \int_{a_1}^{b_1} \varphi(x)\,
          \Pr\bigl(a_{2:} \le X_{2:} \le b_{2:} \mid X_1 = x\bigr)\, dx .

Every term is positive, so small probabilities keep their relative precision, which differences of
distribution functions would lose. Two variables take one Gauss–Legendre sum with panels around
the points where the inner probability bends. Three take Plackett's integral for the distribution
function, and the integral above where a box is so small that differences would lose its digits.

Two variables' distribution function and quadrants are had from Owen's T,

.. math:: \Phi_2(h, k; \rho) = \tfrac12\bigl(\Phi(h) + \Phi(k)\bigr) - T(h, a_h) - T(k, a_k)
          - \delta, \qquad a_h = \frac{k - \rho h}{h\sqrt{1 - \rho^2}}

with δ = ½ where h and k have different signs.

References
----------
Owen (1956), Annals of Mathematical Statistics 27, 1075–1090. Plackett (1954), Biometrika 41,
351–360. Genz (2004), Statistics and Computing 14, 251–260.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, owens_t

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.legendre import composite_legendre, gauss_legendre

#: A standard normal is nowhere else, to double precision.
_FAR = 38.0
#: Widths of the inner transition at which panels begin.
_BENDS = np.array([-8.0, -4.0, -1.5, 0.0, 1.5, 4.0, 8.0])
#: exp(−_DROP/2) is negligible beside 1.
_DROP = 80.0
#: Correlations this close to ±1 are taken for that.
_DEGENERATE = 1e-12
#: Beyond this correlation the inner probability bends more sharply than a few panels resolve.
_SHARP = 0.9
#: Boxes computed at once.
_ROWS = 4096
#: Zero, for Owen's formula, which divides by it: Φ₂ changes by less than its rounding.
_ZERO = 1e-200


def univariate_box(low: FloatArray, high: FloatArray) -> FloatArray:
    """Φ(high) − Φ(low), precise in both tails.

    Examples
    --------
    >>> float(univariate_box(np.array(10.0), np.array(11.0)))
    7.619...e-24
    """
    flip = low > 0.0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    return np.asarray(np.maximum(ndtr(b) - ndtr(a), 0.0))


def bivariate_box(low: FloatArray, high: FloatArray, rho: FloatArray) -> FloatArray:
    """P(low ≤ X ≤ high) for standard normals with correlation ρ; arrays (N, 2) and (N,).

    Examples
    --------
    An orthant has ¼ + arcsin(ρ)/2π:

    >>> low, high = np.zeros((1, 2)), np.full((1, 2), np.inf)
    >>> round(float(bivariate_box(low, high, np.array([0.5]))[0]), 12)
    0.333333333333
    """
    low, high = np.clip(low, -_FAR, _FAR), np.clip(high, -_FAR, _FAR)
    rho = np.clip(np.asarray(rho, np.float64), -1.0 + _DEGENERATE, 1.0 - _DEGENERATE)
    out = np.empty(len(rho))
    sharp = np.abs(rho) > _SHARP
    for which, bends in ((~sharp, _BENDS[:0]), (sharp, _BENDS)):
        rows = np.flatnonzero(which)
        for k in range(0, len(rows), _ROWS):
            part = rows[k : k + _ROWS]
            out[part] = _conditioned(low[part], high[part], rho[part], bends)
    return out


def _conditioned(
    low: FloatArray, high: FloatArray, rho: FloatArray, bends: FloatArray
) -> FloatArray:
    root = np.sqrt((1.0 - rho) * (1.0 + rho))[:, None]
    x, weight = _panels(low, high, rho, bends)
    given = rho[:, None] * x
    inner = univariate_box((low[:, 1:] - given) / root, (high[:, 1:] - given) / root)
    return np.asarray((weight * np.exp(-0.5 * x * x) * inner).sum(axis=1) / math.sqrt(2 * math.pi))


def _panels(
    low: FloatArray, high: FloatArray, rho: FloatArray, bends: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights in the first variable, (N, nodes), dense where the inner factor bends."""
    a, b = _bulk(low[:, 0], high[:, 0])
    safe = np.where(np.abs(rho) < 1e-8, 1e-8, rho)
    width = np.sqrt((1.0 - rho) * (1.0 + rho)) / np.abs(safe)
    edges = [a, b, *(a + (b - a) * f for f in (0.2, 0.35, 0.5, 0.65, 0.8))]
    for end in (low[:, 1], high[:, 1]):
        edges += [end / safe + width * bend for bend in bends]
    grid = np.sort(np.clip(np.stack(edges, axis=1), a[:, None], b[:, None]), axis=1)
    node, weight = gauss_legendre()
    half = 0.5 * np.diff(grid, axis=1)[..., None]
    x = grid[:, :-1, None] + half * (1.0 + node)
    return x.reshape(len(a), -1), (half * weight).reshape(len(a), -1)


def _bulk(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The part of each interval that has all but a negligible share of its mass."""
    near = np.clip(0.0, low, high)
    reach = np.sqrt(near * near + _DROP)
    return np.maximum(low, -reach), np.minimum(high, reach)


def trivariate_cdf(h: FloatArray, correlation: FloatArray) -> FloatArray:
    """Φ₃(h; R) for three standard normals, to 1e-14 absolutely; arrays (N, 3) and (N, 3, 3).

    Examples
    --------
    An orthant has ⅛ + (Σ arcsin ρ)/4π, which is ¼ where every ρ is ½:

    >>> half = np.full((1, 3, 3), 0.5) + 0.5 * np.eye(3)
    >>> round(float(trivariate_cdf(np.zeros((1, 3)), half)[0]), 12)
    0.25
    """
    h = np.clip(h, -_FAR, _FAR)
    out = np.empty(len(h))
    for k in range(0, len(h), _ROWS):
        part = slice(k, k + _ROWS)
        out[part] = _plackett(h[part], correlation[part])
    return out


def _plackett(h: FloatArray, correlation: FloatArray) -> FloatArray:
    """Φ₃(h; R) = Φ(h₁) Φ₂(h₂, h₃; ρ₂₃) + two integrals along the way from ρ₁₂ = ρ₁₃ = 0 to R."""
    h, r12, r13, r23 = _ordered(h, correlation)
    never = np.full(len(h), -_FAR)
    pair = bivariate_box(np.stack([never, never], 1), h[:, 1:], r23)
    total = ndtr(h[:, 0]) * pair
    # Panels halve towards the end, where a nearly singular R is sharpest.
    t, weight = composite_legendre(np.append(1.0 - 0.5 ** np.arange(8.0), 1.0))
    for (i, j), ra, rb in (((1, 2), r12, r13), ((2, 1), r13, r12)):
        total += _slope(h[:, 0], h[:, i], h[:, j], ra, rb, r23, t, weight)
    return np.clip(total, 0.0, 1.0)


def _ordered(
    h: FloatArray, correlation: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Number the variables so that the last two have the correlation nearest to ±1."""
    pairs = np.stack([np.abs(correlation[:, 1, 2]), np.abs(correlation[:, 0, 2]),
                      np.abs(correlation[:, 0, 1])], axis=1)  # fmt: skip
    first = pairs.argmax(axis=1)
    order = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])[first]
    rows = np.arange(len(h))[:, None]
    moved = correlation[rows[:, :, None], order[:, :, None], order[:, None, :]]
    return h[rows, order], moved[:, 0, 1], moved[:, 0, 2], moved[:, 1, 2]


def _slope(
    h1: FloatArray, h2: FloatArray, h3: FloatArray,
    ra: FloatArray, rb: FloatArray, r23: FloatArray,
    t: FloatArray, weight: FloatArray,
) -> FloatArray:  # fmt: skip
    """Integral of ∂Φ₃/∂ρ₁₂ along ρ₁₂ = ra·t and ρ₁₃ = rb·t."""
    h1, h2, h3, ra, rb, r23 = (v[:, None] for v in (h1, h2, h3, ra, rb, r23))
    a, b = ra * t, rb * t
    free = (1.0 - a) * (1.0 + a)
    density = np.exp(-0.5 * (h1 * h1 + h2 * h2 - 2.0 * a * h1 * h2) / free)
    determinant = np.maximum(free - b * b - r23 * r23 + 2.0 * a * b * r23, 1e-300)
    u = (h3 * free - h1 * (b - a * r23) - h2 * (r23 - a * b)) / np.sqrt(free * determinant)
    integrand = ra * density * ndtr(u) / np.sqrt(free)
    return np.asarray(integrand @ weight / (2.0 * math.pi))


def trivariate_box(low: FloatArray, high: FloatArray, correlation: FloatArray) -> FloatArray:
    """P(low ≤ X ≤ high) for three standard normals, precise where it is small, but slow.

    Examples
    --------
    >>> low, high = np.full((1, 3), 5.0), np.full((1, 3), np.inf)
    >>> round(float(trivariate_box(low, high, np.eye(3)[None])[0] / ndtr(-5.0) ** 3), 12)
    1.0
    """
    low, high = np.clip(low, -_FAR, _FAR), np.clip(high, -_FAR, _FAR)
    out = np.empty(len(low))
    for k in range(len(low)):
        r = correlation[k]
        a, b = _bulk(low[k, :1], high[k, :1])
        x, weight = composite_legendre(np.linspace(a[0], b[0], 13))
        spread = np.sqrt(np.maximum(1.0 - r[0, 1:] ** 2, _DEGENERATE))
        rho = (r[1, 2] - r[0, 1] * r[0, 2]) / (spread[0] * spread[1])
        given = x[:, None] * r[0, 1:]
        inner = bivariate_box(
            (low[k, 1:] - given) / spread, (high[k, 1:] - given) / spread, np.full(len(x), rho)
        )
        out[k] = weight @ (np.exp(-0.5 * x * x) * inner) / math.sqrt(2.0 * math.pi)
    return out


# ---------------------------------------------------------------------------------------- quadrants


def bivariate_cdf(first: ArrayLike, second: ArrayLike, correlation: ArrayLike) -> FloatArray:
    """Φ₂(h, k; ρ), to 1e-15 absolutely; arrays of one shape.

    Examples
    --------
    An orthant has ¼ + arcsin(ρ)/2π:

    >>> bivariate_cdf([0.0, np.inf], [0.0, 0.0], [0.5, 0.5]).round(12).tolist()
    [0.333333333333, 0.5]
    """
    h, k = (_without_zero(np.clip(np.asarray(x, np.float64), -_FAR, _FAR)) for x in (first, second))
    rho = np.clip(np.asarray(correlation, np.float64), -1.0 + _DEGENERATE, 1.0 - _DEGENERATE)
    root = np.sqrt((1.0 - rho) * (1.0 + rho))
    with np.errstate(over="ignore"):
        slopes = (k / h - rho) / root, (h / k - rho) / root
    both = 0.5 * (ndtr(h) + ndtr(k)) - owens_t(h, slopes[0]) - owens_t(k, slopes[1])
    return np.asarray(np.clip(both - np.where((h < 0.0) != (k < 0.0), 0.5, 0.0), 0.0, 1.0))


def _without_zero(x: FloatArray) -> FloatArray:
    return np.where(np.abs(x) < _ZERO, _ZERO, x)


def quadrants(first: ArrayLike, second: ArrayLike, correlation: float) -> FloatArray:
    """P of (+, +), (+, −), (−, +) and (−, −) for X ~ N(mean, [[1, ρ], [ρ, 1]]).

    Parameters
    ----------
    first, second : arrays (...)
        The two means, in standard deviations.
    correlation : float
        ρ, between −1 and 1.

    Returns
    -------
    array (..., 4)

    Examples
    --------
    >>> quadrants(1e-9, 1e-9, 0.5).round(6).tolist()
    [0.333333, 0.166667, 0.166667, 0.333333]
    """
    h, k = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
    both = bivariate_cdf(h, k, correlation)
    plus, other = ndtr(h), ndtr(k)
    parts = [both, plus - both, other - both, 1.0 - plus - other + both]
    return np.maximum(np.stack(parts, axis=-1), 0.0)
