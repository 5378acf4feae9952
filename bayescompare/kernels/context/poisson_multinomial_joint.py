r"""Three regions as a full model: shares, every dataset's region and the data are joint.

With :math:`\ell_i(s)` what dataset i says for region s, :math:`\theta \sim \mathrm{Dirichlet}(b, b,
b)` and :math:`z_i \sim \mathrm{Categorical}(\theta)`,

.. math:: p(\theta \mid x) \propto \mathrm{Dir}(\theta)\,\prod_i \sum_s \theta_s\,\ell_i(s) ,
          \qquad \Pr(c \mid x) \propto \Bigl(\sum_{z:\,\mathrm{counts}\,c} \prod_i
          \ell_i(z_i)\Bigr)\, \mathrm{DirMult}(c; b) .

Given the counts c of datasets in each region, θ is Dirichlet(b + c), so that every figure is a sum
over count vectors. `poisson_multinomial` is the cut of this model, and `poisson_binomial_joint` is
the same with two outcomes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_binomial import DUST
from bayescompare.kernels.context.poisson_binomial_joint import poisson_binomial_order
from bayescompare.kernels.context.poisson_multinomial import poisson_multinomial_leaders
from bayescompare.kernels.numerics.jit import jit

__all__ = [
    "JointRegions",
    "draw_poisson_multinomial_regions",
    "draw_poisson_multinomial_shares",
    "joint_context_regions",
    "poisson_multinomial_joint_regions",
    "poisson_multinomial_margins",
    "poisson_multinomial_posterior",
]


class JointRegions(NamedTuple):
    r"""Posterior of the shares and of every dataset in the joint model of three regions.

    Attributes
    ----------
    probability : array (3,)
        P(each region is the most frequent in the context).
    mean : array (3,)
        Of the shares θ: also P(each region) on a dataset not yet seen.
    counts : array (N + 1, N + 1)
        Pr(numbers of datasets on the left and on the right); the others are in the rope.
    each : array (N, 3)
        P(region of dataset i), given all datasets.
    log_evidence : float
        :math:`\log\int \mathrm{Dir}(\theta) \prod_i \sum_s \theta_s \ell_i(s)\,d\theta`.
    log_predictive : array (N,)
        Log evidence minus that of the other datasets.
    """

    probability: FloatArray
    mean: FloatArray
    counts: FloatArray
    each: FloatArray
    log_evidence: float
    log_predictive: FloatArray


def poisson_multinomial_joint_regions(triples: FloatArray, b: float = 1.0) -> JointRegions:
    """Return every figure of the joint model, exactly.

    O(N³) for the counts and O(N³ log N) for what each dataset is by the others: seconds at 1000
    datasets.

    Parameters
    ----------
    triples : array (N, 3)
        What each dataset says for left, rope and right, by its own data; rows sum to one.
    b : float
        Prior parameter of the shares.

    Examples
    --------
    A dataset in doubt is drawn to where the others are:

    >>> triples = np.array([[0.01, 0.04, 0.95], [0.02, 0.08, 0.9], [0.3, 0.4, 0.3]])
    >>> found = poisson_multinomial_joint_regions(triples)
    >>> found.probability.round(6).tolist(), found.each[2].round(3).tolist()
    ([0.111216, 0.14271, 0.746074], [0.19, 0.266, 0.544])
    """
    triples = np.ascontiguousarray(triples, dtype=np.float64)
    counts, log_evidence = poisson_multinomial_posterior(triples, b)
    others = _poisson_multinomial_loo_means(triples, b)
    within = triples * others
    predictive = within.sum(axis=1)
    return JointRegions(
        probability=poisson_multinomial_leaders(counts, (b, b, b)),
        mean=_poisson_multinomial_mean_shares(counts, b),
        counts=counts,
        each=within / predictive[:, None],
        log_evidence=log_evidence,
        log_predictive=np.log(predictive),
    )


def joint_context_regions(triples: FloatArray, b: float = 1.0) -> FloatArray:
    """P(each of three regions is the most frequent in the context) in the joint model.

    Examples
    --------
    >>> joint_context_regions(np.array([[0.1, 0.1, 0.8], [0.0, 0.3, 0.7]])).round(6).tolist()
    [0.131668, 0.203471, 0.664861]
    """
    return poisson_multinomial_leaders(poisson_multinomial_posterior(triples, b)[0], (b, b, b))


def poisson_multinomial_posterior(triples: FloatArray, b: float = 1.0) -> tuple[FloatArray, float]:
    r"""Pr(c | x) in the joint model, and the log evidence.

    As in Pólya's urn the product of both factors is carried through the recursion, since either
    leaves the float range long before their product does:

    .. math:: w_i(c) = \sum_s \ell_i(s)\,\frac{b + c_s - 1}{3b + i - 1}\, w_{i-1}(c - e_s) .

    Returns
    -------
    array (N + 1, N + 1), float
        Pr(numbers of datasets on the left and on the right), and the log evidence.

    Examples
    --------
    Uninformative datasets leave the counts as the prior has them:

    >>> counts, _ = poisson_multinomial_posterior(np.full((2, 3), 1 / 3))
    >>> counts.round(6).tolist()
    [[0.166667, 0.166667, 0.166667], [0.166667, 0.166667, 0.0], [0.166667, 0.0, 0.0]]
    """
    triples = np.ascontiguousarray(triples, dtype=np.float64)
    counts, log_evidence = _poisson_multinomial_urn(triples[_poisson_multinomial_order(triples)], b)
    return counts, float(log_evidence)


def poisson_multinomial_margins(counts: FloatArray) -> FloatArray:
    """Distribution of the number of datasets in each region, (3, N + 1).

    Examples
    --------
    >>> counts, _ = poisson_multinomial_posterior(np.array([[0.0, 0.5, 0.5]]))
    >>> poisson_multinomial_margins(counts).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]]
    """
    n = len(counts) - 1
    # Datasets in the rope are what is left: anti-diagonals, as diagonals of the mirrored table.
    rope = [np.trace(counts[::-1], offset=-k) for k in range(n + 1)]
    return np.stack([counts.sum(axis=1), np.array(rope), counts.sum(axis=0)])


def draw_poisson_multinomial_shares(
    counts: FloatArray, draws: int, rng: np.random.Generator, b: float = 1.0
) -> FloatArray:
    """Draw θ: counts from their posterior, then Dirichlet(b + counts), (draws, 3).

    Examples
    --------
    >>> counts, _ = poisson_multinomial_posterior(np.tile([0.0, 0.02, 0.98], (40, 1)))
    >>> bool(
    ...     draw_poisson_multinomial_shares(counts, 1000, np.random.default_rng(1))[:, 2].mean()
    ...     > 0.9
    ... )
    True
    """
    n = len(counts) - 1
    chosen = rng.choice(counts.size, size=draws, p=counts.ravel() / counts.sum())
    left, right = np.divmod(chosen, n + 1)
    gammas = rng.standard_gamma(b + np.stack([left, n - left - right, right], axis=-1))
    return np.asarray(gammas / gammas.sum(axis=-1, keepdims=True))


def draw_poisson_multinomial_regions(
    triples: FloatArray, shares: FloatArray, rng: np.random.Generator
) -> IntArray:
    r"""Draw every dataset's region given the shares.

    .. math:: \Pr(z_i = s \mid x, \theta) \propto \theta_s\,\ell_i(s)

    Parameters
    ----------
    triples : array (N, 3)
    shares : array (draws, 3)
        Draws of θ.
    rng : Generator

    Returns
    -------
    array (draws, N)
        0 for left, 1 for the rope, 2 for right.

    Examples
    --------
    >>> triples = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> draw_poisson_multinomial_regions(
    ...     triples, np.full((1, 3), 1 / 3), np.random.default_rng(1)
    ... ).tolist()
    [[0, 2]]
    """
    edges = np.cumsum(shares[:, None, :] * triples, axis=-1)
    at = rng.random(edges.shape[:2]) * edges[..., -1]
    return np.asarray((at[..., None] >= edges[..., :-1]).sum(axis=-1), dtype=np.int64)


# recursions --------------------------------------------------------------------------------------


def _poisson_multinomial_order(triples: FloatArray) -> IntArray:
    """An order of the datasets that mixes those for the left and those for the right."""
    return poisson_binomial_order(triples[:, 2] - triples[:, 0])


def _poisson_multinomial_mean_shares(counts: FloatArray, b: float) -> FloatArray:
    n = len(counts) - 1
    means = poisson_multinomial_margins(counts) @ np.arange(n + 1.0)
    return np.asarray((b + means) / (3.0 * b + n))


def _poisson_multinomial_loo_means(triples: FloatArray, b: float) -> FloatArray:
    """E θ given all datasets but one, for each of them, (N, 3)."""
    order = _poisson_multinomial_order(triples)
    means = np.empty_like(triples)
    means[order] = _poisson_multinomial_left_out(triples[order], b)
    return means


@jit()
def _poisson_multinomial_urn(triples: FloatArray, b: float) -> tuple[FloatArray, float]:
    """Add every dataset to an empty table."""
    n = len(triples)
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    log_evidence = _add_to_poisson_multinomial(table, 0, triples, b)
    return table, log_evidence


@jit()
def _add_to_poisson_multinomial(
    table: FloatArray, seen: int, triples: FloatArray, b: float
) -> float:
    """Add datasets to a table of `seen`, which stays normalised; return the log of its scales."""
    # An array, because converting integers would keep the inner loop from being vectorised.
    ball = b + np.arange(float(len(table)))
    row, log_scale = np.empty(len(table)), 0.0
    for i in range(len(triples)):
        n = seen + i
        scale = 1.0 / (3.0 * b + n)
        left, rope, right = scale * triples[i, 0], scale * triples[i, 1], scale * triples[i, 2]
        for a in range(n + 1, -1, -1):
            size = n + 2 - a
            _add_to_poisson_multinomial_row(
                table[a, :size], row[:size], ball[:size], rope, right, b + n - a
            )
            if a > 0:
                lower, won, here = table[a - 1, :size], left * ball[a - 1], table[a, :size]
                for c in range(size):
                    here[c] += won * lower[c]
        # One step takes a factor of 1/N at worst, so a few may share a scale.
        if i % 8 == 7 or i == len(triples) - 1:
            log_scale += math.log(_normalise_poisson_multinomial(table[: n + 2, : n + 2]))
    return log_scale


@jit()
def _add_to_poisson_multinomial_row(
    here: FloatArray, old: FloatArray, ball: FloatArray, rope: float, right: float, most: float
) -> None:
    """Add a dataset in the rope or on the right to the counts with one number on the left."""
    for c in range(len(here)):
        old[c] = here[c]
    # The last cell had no dataset in the rope, and its old weight is zero.
    here[0] = rope * most * old[0]
    offset = most + ball[0]
    for c in range(1, len(here)):
        here[c] = rope * (offset - ball[c]) * old[c] + right * ball[c - 1] * old[c - 1]


@jit()
def _normalise_poisson_multinomial(table: FloatArray) -> float:
    """Divide by the sum, which is returned; what is negligible becomes zero."""
    total = table.sum()
    for row in table:
        for c in range(len(row)):
            value = row[c] / total
            row[c] = value if value > DUST else 0.0
    return float(total)


@jit()
def _poisson_multinomial_left_out(triples: FloatArray, b: float) -> FloatArray:
    """E θ without each dataset, by halves: a half is left out by adding the other one.

    A division of the whole table by one dataset would lose all digits; this only adds.
    """
    n = len(triples)
    levels = 1
    while (1 << (levels - 1)) < n:
        levels += 1
    tables = np.zeros((levels, n + 1, n + 1))
    tables[0, 0, 0] = 1.0
    # Of what is left out: from, to, level; and what its table has beyond that of the level before.
    todo = [(0, n, 0, 0, 0)]
    means = np.empty((n, 3))
    while len(todo) > 0:
        low, high, level, start, stop = todo.pop()
        if level > 0:
            tables[level] = tables[level - 1]
            outside = n - (high - low) - (stop - start)
            _add_to_poisson_multinomial(tables[level], outside, triples[start:stop], b)
        if high - low > 1:
            half = (low + high) // 2
            todo.append((half, high, level + 1, low, half))
            todo.append((low, half, level + 1, half, high))
            continue
        means[low] = _poisson_multinomial_mean_without(tables[level], n - 1, b)
    return means


@jit()
def _poisson_multinomial_mean_without(table: FloatArray, n: int, b: float) -> FloatArray:
    left, right = 0.0, 0.0
    for a in range(n + 1):
        for c in range(n + 1 - a):
            left += a * table[a, c]
            right += c * table[a, c]
    return np.array([b + left, b + n - left - right, b + right]) / (3.0 * b + n)
