r"""Evidence of binary items: right or wrong, for each algorithm, item and measure.

On each measure an item is won by the first algorithm only, by neither or both, or by the second
only; over m measures there are :math:`3^m` patterns, with a Dirichlet prior of
:math:`3^{1-m}` each, so that every measure's three outcomes have the uniform prior. The first is
better on measure j if :math:`\Delta_j = P(\text{first only}) - P(\text{second only}) > 0`. For one
measure that is the incomplete beta function of the Poisson-binomial test,
:math:`I_{1/2}(1 + k_g, 1 + k_h)`, with a rope one integral over the share of items on which they
differ; for more measures it is estimated from draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, expit

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.effects import (
    Ropes,
    cell_of,
    numbers_of_states,
    state_edges,
)

#: Draws of the patterns' probabilities, and how many numbers are drawn at once.
_DRAWS = 40_000
_BLOCK = 4_000_000
#: Steps of the integral over the share of items that differ, and half its range.
_STEPS, _RANGE = 400, 3.4


def one_measure_items(first_only: FloatArray, second_only: FloatArray) -> FloatArray:
    """P(first better), P(second better) from numbers of items that only one got right, (n, 2).

    Examples
    --------
    >>> one_measure_items(np.array([8.0]), np.array([2.0])).round(6).tolist()
    [[0.967285, 0.032715]]
    """
    a, b = 1.0 + np.asarray(first_only), 1.0 + np.asarray(second_only)
    return np.stack([betainc(b, a, 0.5), betainc(a, b, 0.5)], axis=1)


def roped_items(counts: FloatArray, rope: float) -> FloatArray:
    r"""Evidence for "first", "equal" and "second" from counts of one measure's outcomes, (n, 3).

    With q the share of items that differ and u the first's share of these,

    .. math:: P(\Delta > r) = \int_r^1 P\bigl(u > \tfrac12 (1 + r/q)\bigr)\, p(q)\, dq ,

    divided by the region's mass before any item, :math:`(1 - r)^2/2`, and scaled to sum to one.

    Parameters
    ----------
    counts : array (n, 3)
        Items that only the first got right, both or neither, only the second.
    rope : float

    Examples
    --------
    Nothing seen says nothing:

    >>> roped_items(np.zeros((1, 3)), 0.1).round(9).tolist()
    [[0.333333333, 0.333333333, 0.333333333]]
    """
    if rope >= 1.0:  # no difference of two shares is outside it
        return np.tile([0.0, 1.0, 0.0], (len(counts), 1))
    nodes, weights = _nodes()
    a, b, c = 1.0 + np.asarray(counts, dtype=np.float64).T
    below = betainc(a + c, b, rope)[:, None]
    # Over the distribution function of q, in which the integrand has no peak, only steep ends.
    level = below + (1.0 - below) * nodes
    q = np.maximum(betaincinv((a + c)[:, None], b[:, None], level), rope)
    edge = 0.5 * (1.0 + rope / q)
    first = (1.0 - below[:, 0]) * (betaincc(a[:, None], c[:, None], edge) @ weights)
    second = (1.0 - below[:, 0]) * (betaincc(c[:, None], a[:, None], edge) @ weights)
    mass = 0.5 * (1.0 - rope) ** 2
    share = np.stack([first, np.maximum(1.0 - first - second, 0.0), second], axis=1)
    share = share / [mass, 1.0 - 2.0 * mass, mass]
    return np.asarray(share / share.sum(axis=1, keepdims=True))


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights from 0 to 1 that crowd at the ends (Takahasi & Mori 1974)."""
    t, step = np.linspace(-_RANGE, _RANGE, _STEPS + 1, retstep=True)
    inner = 0.5 * np.pi * np.sinh(t)
    weights = 0.25 * np.pi * float(step) * np.cosh(t) / np.cosh(inner) ** 2
    return expit(2.0 * inner), weights / weights.sum()


def item_patterns(outcome: IntArray) -> FloatArray:
    """Count the patterns of items: 1, 0 or −1 for each measure, (k, m) to (3^m,).

    The first measure is the most significant; "first only" comes first.

    Examples
    --------
    >>> item_patterns(np.array([[1, 0], [-1, -1], [1, 0]])).tolist()
    [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    m = outcome.shape[1]
    code = (1 - outcome) @ (3 ** np.arange(m - 1, -1, -1))
    return np.bincount(code, minlength=3**m).astype(np.float64)


def item_margins(counts: FloatArray, m: int) -> FloatArray:
    """Counts of each measure's three outcomes, from those of the patterns, (m, 3).

    Examples
    --------
    >>> item_margins(np.array([0.0, 2, 0, 0, 0, 0, 0, 0, 1]), 2).tolist()
    [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]]
    """
    cube = counts.reshape([3] * m)
    return np.stack([cube.sum(axis=tuple(k for k in range(m) if k != j)) for j in range(m)])


def discordant_items(counts: FloatArray, m: int) -> float:
    """Fewest items on which the two differ, over the measures.

    Examples
    --------
    >>> discordant_items(np.array([0.0, 2, 0, 0, 0, 0, 0, 0, 1]), 2)
    1.0
    """
    return float(item_margins(counts, m)[:, [0, 2]].sum(axis=1).min())


def pattern_evidence(
    counts: FloatArray, ropes: Ropes, rng: np.random.Generator
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
    >>> p, error = pattern_evidence(
    ...     np.array([8.0, 5, 2]), (None,), np.random.default_rng(0)
    ... )
    >>> bool(abs(p[0] - 0.967285) < 4 * error[0])
    True
    """
    share = _shares(counts, ropes, rng)
    relative = (1.0 - share) / (share * _DRAWS)
    if any(rope is not None for rope in ropes):
        prior = pattern_masses(ropes, rng)
        relative = relative + (1.0 - prior) / (prior * _DRAWS)
        share = share / prior
    p = share / share.sum()
    # The delta method: p_i moves with every share, by p_i (δ_ik − p_k) relatively.
    each = (np.eye(len(p)) - p) ** 2 @ relative
    return p, p * np.sqrt(each)


def item_rows(
    counts: Sequence[FloatArray], ropes: Ropes, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Log evidence of several datasets from their patterns, (n, K), and the largest standard error.

    One measure is exact.

    Examples
    --------
    >>> rows, error = item_rows(
    ...     [np.array([8.0, 5, 2])], (None,), np.random.default_rng(0)
    ... )
    >>> np.exp(rows).round(6).tolist(), error
    ([[0.967285, 0.032715]], 0.0)
    """
    if len(ropes) == 1:
        table = np.stack(counts)
        (rope,) = ropes
        exact = (
            one_measure_items(table[:, 0], table[:, 2])
            if rope is None
            else roped_items(table, rope)
        )
        with np.errstate(divide="ignore"):
            return np.log(exact), 0.0
    rows = [pattern_evidence(own, ropes, rng) for own in counts]
    return np.log([p for p, _ in rows]), max(float(error.max()) for _, error in rows)


def pattern_masses(ropes: Ropes, rng: np.random.Generator) -> FloatArray:
    """Prior probability of every statement, from draws; ones without ropes."""
    if all(rope is None for rope in ropes):
        return np.ones(math.prod(numbers_of_states(ropes)))
    return _shares(np.zeros(3 ** len(ropes)), ropes, rng)


def _shares(counts: FloatArray, ropes: Ropes, rng: np.random.Generator) -> FloatArray:
    """Share of draws of the patterns' probabilities that show each statement."""
    m, size = len(ropes), math.prod(numbers_of_states(ropes))
    seen = np.zeros(size)
    block = max(1, _BLOCK // 3**m)
    for start in range(0, _DRAWS, block):
        theta = rng.dirichlet(counts + 3.0 ** (1 - m), size=min(block, _DRAWS - start))
        seen += np.bincount(statement_of_items(theta, ropes), minlength=size)
    # A statement that no draw shows is improbable, not impossible.
    return (seen + 1.0 / size) / (_DRAWS + 1.0)


def statement_of_items(theta: FloatArray, ropes: Ropes) -> IntArray:
    """Number of the statement that each draw of the patterns' probabilities makes true."""
    m, draws = len(ropes), len(theta)
    cube = theta.reshape(draws, *[3] * m)
    margins = [cube.sum(axis=tuple(k + 1 for k in range(m) if k != j)) for j in range(m)]
    gaps = np.stack([margin[:, 0] - margin[:, 2] for margin in margins], axis=1)
    return np.asarray(cell_of(gaps[None], tuple(map(state_edges, ropes)))[0])
