r"""Probabilities of the four quadrants of a bivariate normal, by Owen's T."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, owens_t

from bayescompare._typing import FloatArray

__all__ = ["quadrants"]


def quadrants(first: ArrayLike, second: ArrayLike, correlation: float) -> FloatArray:
    r"""P of (+, +), (+, −), (−, +) and (−, −) for X ~ N(mean, [[1, ρ], [ρ, 1]]).

    .. math:: \Phi_2(h, k; \rho) = \tfrac12\bigl(\Phi(h) + \Phi(k)\bigr) - T(h, a_h) - T(k, a_k)
              - \delta, \qquad a_h = \frac{k - \rho h}{h\sqrt{1 - \rho^2}}

    with δ = ½ where h and k have different signs.

    Parameters
    ----------
    first, second : arrays (...)
        The two means, in standard deviations and not zero.
    correlation : float
        ρ, between −1 and 1.

    Returns
    -------
    array (..., 4)

    References
    ----------
    Owen (1956), Annals of Mathematical Statistics 27, 1075–1090.

    Examples
    --------
    >>> quadrants(1e-9, 1e-9, 0.5).round(6).tolist()
    [0.333333, 0.166667, 0.166667, 0.333333]
    """
    h, k = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
    root = math.sqrt(1.0 - correlation**2)
    both = (
        0.5 * (ndtr(h) + ndtr(k))
        - owens_t(h, (k - correlation * h) / (h * root))
        - owens_t(k, (h - correlation * k) / (k * root))
        - np.where(h * k < 0.0, 0.5, 0.0)
    )
    plus, other = ndtr(h), ndtr(k)
    parts = [both, plus - both, other - both, 1.0 - plus - other + both]
    return np.maximum(np.stack(parts, axis=-1), 0.0)
