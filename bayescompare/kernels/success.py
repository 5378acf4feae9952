r"""How many right and wrong answers a test gives above each level of confidence.

With confidence :math:`\gamma_j` in answer j and threshold :math:`\tau`,

.. math:: s_\tau = \sum_j I(\gamma_j > \tau)\, I(\hat a_j = a), \qquad
          e_\tau = \sum_j I(\gamma_j > \tau)\, I(\hat a_j \ne a) .

References
----------
Lacoste, Laviolette & Marchand (2012), Section 6.3.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray

__all__ = [
    "area_under_roc",
    "area_under_success",
    "sign_success_confidence",
    "success_counts",
]


def success_counts(
    confidence: FloatArray, correct: BoolArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Count successes and errors above every confidence that occurs, and above 0.

    Answers of equal confidence are counted together, so that their order does not matter.

    Parameters
    ----------
    confidence : array (M,)
        From 0, which means no answer, to 1.
    correct : array (M,) of bool

    Returns
    -------
    threshold, successes, errors : arrays
        From the highest threshold, which no answer passes, down to 0.

    Examples
    --------
    >>> right = np.array([True, True, False, True])
    >>> [x.tolist() for x in success_counts(np.array([0.9, 0.7, 0.7, 0.0]), right)]
    [[0.9, 0.7, 0.0], [0, 1, 2], [0, 0, 1]]
    """
    answered = confidence > 0.0
    level, block = np.unique(-confidence[answered], return_inverse=True)
    right = np.bincount(block, weights=correct[answered], minlength=len(level)).astype(np.int64)
    every = np.bincount(block, minlength=len(level))
    # Above the highest level there is nothing; above the next one, the highest block; and so on.
    start = np.zeros(1, dtype=np.int64)
    successes = np.concatenate([start, np.cumsum(right)])
    errors = np.concatenate([start, np.cumsum(every - right)])
    return np.concatenate([-level, [0.0]]), successes, errors


def area_under_success(success: FloatArray, error: FloatArray) -> float:
    """Area under the curve of successes against errors, by the trapezoidal rule.

    Examples
    --------
    >>> area_under_success(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    1.0
    """
    return float(np.trapezoid(success, error))


def sign_success_confidence(datasets: int) -> FloatArray:
    r"""One minus the sign test's two-sided p-value, for every number of wins and of losses.

    .. math:: 1 - \min\Bigl(1,\; 2 \sum_{i=0}^{\min(\kappa^+, \kappa^-)}
              \binom{\kappa^+ + \kappa^-}{i} 2^{-(\kappa^+ + \kappa^-)}\Bigr)

    Computed in integers: for a p-value of 1 the confidence must be exactly 0, without float noise.

    Returns
    -------
    array (datasets + 1, datasets + 1)
        Zero where wins and losses together exceed `datasets`.

    Examples
    --------
    >>> sign_success_confidence(4)[[4, 3, 2], [0, 1, 2]].tolist()
    [0.875, 0.375, 0.0]
    """
    table = np.zeros((datasets + 1, datasets + 1))
    for n in range(1, datasets + 1):
        below = 0
        for fewer in range((n + 1) // 2):
            below += math.comb(n, fewer)
            left = max(2**n - 2 * below, 0) / 2**n
            table[fewer, n - fewer] = table[n - fewer, fewer] = left
    return table


def area_under_roc(positive: FloatArray, negative: FloatArray) -> tuple[float, float]:
    r"""Area under the ROC curve of two samples of scores, and its standard error.

    .. math:: \hat A = \overline{I(x > y) + \tfrac12 I(x = y)}, \qquad
              \hat\sigma^2 = s_{10}/n_x + s_{01}/n_y

    with :math:`s_{10}` the variance over x of the mean over y, and :math:`s_{01}` the reverse.
    Without scores of either kind both are NaN.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves.

    Examples
    --------
    >>> area, error = area_under_roc(np.array([0.9, 0.8, 0.3]), np.array([0.1, 0.8]))
    >>> round(area, 6), round(error, 6)
    (0.75, 0.288675)
    """
    if not (len(positive) and len(negative)):
        return math.nan, math.nan
    wins = _shares_below(np.sort(negative), positive)
    losses = 1.0 - _shares_below(np.sort(positive), negative)
    variance = sum(
        float(share.var(ddof=1)) / len(share) if len(share) > 1 else 0.25
        for share in (wins, losses)
    )
    return float(wins.mean()), math.sqrt(variance)


def _shares_below(ranked: FloatArray, values: FloatArray) -> FloatArray:
    """Share of the ranked numbers that are below each value, equal ones counted half."""
    below, reached = (np.searchsorted(ranked, values, side=side) for side in ("left", "right"))
    return np.asarray((below + reached) / (2.0 * len(ranked)))
