r"""Where algorithms stand by how often they win, with cells that may be missing.

.. math:: s_a = \frac{1}{l - 1} \sum_{b \ne a} \frac{\sum_i w_i\,[x_{ia} > x_{ib}]}{\sum_i w_i} ,

ties counting half, each pair over the datasets that have both. Without missing cells this is
(l − mean rank)/(l − 1), so the order is that of the mean ranks.
"""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

__all__ = ["win_shares"]


def win_shares(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean share of datasets on which each algorithm wins against each other.

    Parameters
    ----------
    values : array (n, l)
        Higher is better; NaN is missing.
    weights : array (n,)
        How much each dataset counts.

    Returns
    -------
    array (l,)
        NaN for an algorithm that shares no dataset with any other.

    Examples
    --------
    >>> win_shares(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 1.0]]), np.ones(2)).round(3).tolist()
    [1.0, 0.375, 0.125]
    """
    l = values.shape[1]
    shares = np.full(l, np.nan)
    for a in range(l):
        own = values[:, a, None]
        difference = own - values
        near = RELATIVE_TOLERANCE * np.maximum(np.abs(own), np.abs(values))
        there = ~np.isnan(difference)
        won = np.where(np.abs(difference) <= near, 0.5, difference > 0.0)
        total = weights @ there
        total[a] = 0.0
        met = total > 0.0
        if met.any():
            shares[a] = float(((weights @ (won * there))[met] / total[met]).mean())
    return shares
