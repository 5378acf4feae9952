"""Generalised likelihood-ratio test that the most frequent statement is the most probable.

References
----------
de Campos & Benavoli (2016), equations (4)–(6), Theorem 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfc, xlogy

from bayescompare._typing import FloatArray, IntArray

__all__ = ["glrt", "part_pvalues"]


def glrt(largest: float, second: float) -> tuple[float, float]:
    r"""Return −2 log λ and its p-value from the two largest counts.

    .. math:: -2\log\lambda = 2\,[a\ln a + b\ln b - (a+b)\ln\tfrac{a+b}{2}]

    Under the null hypothesis this is χ² with one degree of freedom. The counts may be
    fractional (ties).

    Examples
    --------
    Example 2 of the paper, λ = 0.600677 and p = 0.312663:

    >>> statistic, pvalue = glrt(6, 3)
    >>> round(pvalue, 6)
    0.312663
    """
    total = float(largest) + float(second)
    if total == 0.0:
        return 0.0, 1.0
    d = abs(float(largest) - float(second)) / total
    if d < 0.5:
        # (1 + d) log(1 + d) + (1 − d) log(1 − d), without the terms in d that cancel: for nearly
        # equal counts of a million the plain form has no digits left.
        logs = math.log1p(-d * d) + 2.0 * d * math.atanh(d)
    else:
        logs = float(xlogy(1.0 + d, 1.0 + d) + xlogy(1.0 - d, 1.0 - d))
    statistic = total * logs
    return statistic, float(erfc((statistic / 2.0) ** 0.5))


def part_pvalues(counts: FloatArray, states: IntArray) -> FloatArray:
    """Return the p-value of the likelihood-ratio test on each measure; 1 for a state behind."""
    out = np.ones(states.shape)
    for j in range(states.shape[1]):
        _, place = np.unique(states[:, j], return_inverse=True)
        summed = np.bincount(place, counts)
        top = int(summed.argmax())
        second = float(np.delete(summed, top).max(initial=0.0))
        out[place == top, j] = glrt(float(summed[top]), second)[1]
    return out
