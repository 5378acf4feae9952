r"""The variable in which P(max) is integrated: :math:`\log x = c + s + 1 - e^{-s}`.

The maximum's distribution function falls off like :math:`x^A` to the left, over hundreds of units
of log x if there are hardly any data; in s it falls off doubly exponentially at both ends, and then
the trapezoidal rule converges so fast that halving the step doubles the number of correct digits.

References
----------
Takahasi & Mori (1974), Publ. RIMS 9, 721–741.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import wrightomega

from bayescompare._typing import FloatArray

__all__ = ["bend_by_substitution", "unbend_substitution"]


def bend_by_substitution(s: FloatArray) -> FloatArray:
    """Return s + 1 − e^{−s}, exact to the last digit around s = 0."""
    return np.asarray(s - np.expm1(-s))


def unbend_substitution(u: float) -> float:
    """Solve u = s + 1 − e^{−s} for s: e^{−s} is Wright's ω of 1 − u.

    Examples
    --------
    >>> round(float(bend_by_substitution(np.array(unbend_substitution(-5.0)))), 12)
    -5.0
    """
    return -math.log(float(wrightomega(1.0 - u)))
