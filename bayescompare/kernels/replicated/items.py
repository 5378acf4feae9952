r"""Evidence of binary items: right or wrong, for each algorithm, item and measure.

On each measure an item is won by the first algorithm only, by neither or both, or by the second
only; over m measures there are :math:`3^m` patterns, with a Dirichlet prior of
:math:`3^{1-m}` each, so that every measure's three outcomes have the uniform prior. The first is
better on measure j if :math:`\Delta_j = P(\text{first only}) - P(\text{second only}) > 0`. For one
measure that is the incomplete beta function of the Poisson-binomial test,
:math:`I_{1/2}(1 + k_g, 1 + k_h)`; for more it is estimated from draws.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from bayescompare._typing import FloatArray, IntArray

__all__ = ["one_measure_items", "pattern_counts", "pattern_evidence"]


#: Draws of the patterns' probabilities.
_DRAWS = 40_000


def one_measure_items(first_only: FloatArray, second_only: FloatArray) -> FloatArray:
    """P(first better), P(second better) from numbers of items that only one got right, (n, 2).

    Examples
    --------
    >>> one_measure_items(np.array([8.0]), np.array([2.0])).round(6).tolist()
    [[0.967285, 0.032715]]
    """
    a, b = 1.0 + np.asarray(first_only), 1.0 + np.asarray(second_only)
    return np.stack([betainc(b, a, 0.5), betainc(a, b, 0.5)], axis=1)


def pattern_counts(outcome: IntArray) -> FloatArray:
    """Count the patterns of items: 1, 0 or −1 for each measure, (k, m) to (3^m,).

    The first measure is the most significant; "first only" comes first.

    Examples
    --------
    >>> pattern_counts(np.array([[1, 0], [-1, -1], [1, 0]])).tolist()
    [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    m = outcome.shape[1]
    code = (1 - outcome) @ (3 ** np.arange(m - 1, -1, -1))
    return np.bincount(code, minlength=3**m).astype(np.float64)


def pattern_evidence(
    counts: FloatArray, ropes: tuple[float | None, ...], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """P of every statement from the patterns of one dataset's items, and its standard error.

    With ropes each statement is divided by its prior mass, which is not the same for all.

    Parameters
    ----------
    counts : array (3^m,)
    ropes : m floats or None
    rng : Generator

    Returns
    -------
    array (K,), array (K,)

    Examples
    --------
    >>> p, error = pattern_evidence(np.array([8.0, 5, 2]), (None,), np.random.default_rng(0))
    >>> bool(abs(p[0] - 0.967285) < 4 * error[0])
    True
    """
    share = _shares(counts, ropes, rng)
    if any(rope is not None for rope in ropes):
        prior = _shares(np.zeros_like(counts), ropes, rng)
        share = share / np.maximum(prior, 0.5 / _DRAWS)
    total = share.sum()
    p = share / total
    return p, np.sqrt(p * (1.0 - p) / _DRAWS)


def _shares(
    counts: FloatArray, ropes: tuple[float | None, ...], rng: np.random.Generator
) -> FloatArray:
    """Share of draws of the patterns' probabilities that show each statement."""
    m = len(ropes)
    theta = rng.dirichlet(counts + 3.0 ** (1 - m), size=_DRAWS).reshape(_DRAWS, *([3] * m))
    cell = np.zeros(_DRAWS, dtype=np.int64)
    size = 1
    for j, rope in enumerate(ropes):
        margin = theta.sum(axis=tuple(k + 1 for k in range(m) if k != j))
        gap = margin[:, 0] - margin[:, 2]
        if rope is None:
            state, states = (gap < 0.0).astype(np.int64), 2
        else:
            state, states = np.where(np.abs(gap) <= rope, 1, np.where(gap > 0.0, 0, 2)), 3
        cell, size = cell * states + state, size * states
    return np.bincount(cell, minlength=size) / _DRAWS
