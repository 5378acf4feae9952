"""Holm's correction of p-values for the number of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._typing import FloatArray

__all__ = ["holm"]


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
