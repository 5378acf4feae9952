r"""Distribution function and quadrants of a bivariate normal, by Owen's T.

.. math:: \Phi_2(h, k; \rho) = \tfrac12\bigl(\Phi(h) + \Phi(k)\bigr) - T(h, a_h) - T(k, a_k)
          - \delta, \qquad a_h = \frac{k - \rho h}{h\sqrt{1 - \rho^2}}

with δ = ½ where h and k have different signs.

References
----------
Owen (1956), Annals of Mathematical Statistics 27, 1075–1090.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, owens_t

from bayescompare._typing import FloatArray

__all__ = ["bivariate_cdf", "quadrants"]


#: A standard normal is nowhere else, to double precision.
_FAR = 38.0
#: Zero, for the formula, which divides by it: Φ₂ changes by less than its rounding.
_ZERO = 1e-200
#: Correlations this close to ±1 are taken for that.
_DEGENERATE = 1e-12


def bivariate_cdf(first: ArrayLike, second: ArrayLike, correlation: ArrayLike) -> FloatArray:
    """Φ₂(h, k; ρ), to 1e-15 absolutely; arrays of one shape.

    Examples
    --------
    An orthant has ¼ + arcsin(ρ)/2π:

    >>> bivariate_cdf([0.0, np.inf], [0.0, 0.0], [0.5, 0.5]).round(12).tolist()
    [0.333333333333, 0.5]
    """
    h, k = (
        _orthant_without_zero(np.clip(np.asarray(x, np.float64), -_FAR, _FAR))
        for x in (first, second)
    )
    rho = np.clip(np.asarray(correlation, np.float64), -1.0 + _DEGENERATE, 1.0 - _DEGENERATE)
    root = np.sqrt((1.0 - rho) * (1.0 + rho))
    with np.errstate(over="ignore"):
        slopes = (k / h - rho) / root, (h / k - rho) / root
    both = 0.5 * (ndtr(h) + ndtr(k)) - owens_t(h, slopes[0]) - owens_t(k, slopes[1])
    return np.asarray(np.clip(both - np.where((h < 0.0) != (k < 0.0), 0.5, 0.0), 0.0, 1.0))


def _orthant_without_zero(x: FloatArray) -> FloatArray:
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
