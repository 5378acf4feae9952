"""P-values of likelihood ratios of counts, and Holm's correction for the number of tests.

References
----------
de Campos & Benavoli (2016), equations (4)–(6), Theorem 1; Holm (1979).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfc, xlogy

from bayescompare._typing import FloatArray, IntArray


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


def holm(pvalues: ArrayLike) -> FloatArray:
    r"""Return Holm's adjusted p-values, in the order of the p-values.

    Of m p-values the k-th smallest is multiplied by m − k + 1, and none may fall below that of a
    smaller one:

    .. math:: \tilde p_{(k)} = \min\bigl(1, \max_{i \le k} (m - i + 1)\, p_{(i)}\bigr).

    If the hypotheses with :math:`\tilde p \le \alpha` are rejected, the probability of any false
    rejection is at most α, however the tests depend on each other.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.03]).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    values = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    left = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return adjusted
