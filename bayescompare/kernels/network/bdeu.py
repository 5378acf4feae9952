r"""BDeu scores: how well each subset of the measures is explained jointly.

With :math:`g(S)` the log evidence of the joint of S under Dirichlet(ESS / Π r), the BDeu score of
measure i with parents P is :math:`g(P \cup \{i\}) - g(P)`: one number per subset gives them all.
Counts may be fractional (ties), and unobserved states cost nothing: they cancel in
:math:`\log\Gamma(\alpha + 0) - \log\Gamma(\alpha)`.

References
----------
Heckerman, Geiger & Chickering (1995); Benavoli & de Campos (2015), Section 5.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["bdeu_scores_of_subsets", "local_score"]


def local_score(scores: FloatArray, child: int, parents: int) -> float:
    """BDeu of `child` given the bit mask `parents`, from `bdeu_scores_of_subsets`."""
    return float(scores[parents | (1 << child)] - scores[parents])


def bdeu_scores_of_subsets(
    states: IntArray, counts: FloatArray, log_arities: FloatArray, ess: float, largest: int
) -> FloatArray:
    """Return g(S) for every subset S of the measures, as a bit mask, up to a size.

    Parameters
    ----------
    states : array (R, m)
        Distinct statements.
    counts : array (R,)
        Their weights, fractional where datasets are tied.
    log_arities : array (m,)
        Logarithm of each measure's number of states.
    ess : float
        Equivalent sample size.
    largest : int
        Size of the largest subset needed: one more than the number of parents allowed.

    Returns
    -------
    array (2^m,)
        NaN for subsets that are larger.

    Examples
    --------
    Two measures that always agree are explained better together:

    >>> states = np.array([[0, 0], [1, 1]])
    >>> g = bdeu_scores_of_subsets(states, np.array([5.0, 5.0]), np.log([2.0, 2.0]), 1.0, 2)
    >>> bool(g[3] > g[1] + g[2])
    True
    """
    seen = counts > 0
    return _bdeu_subset_scores(
        np.ascontiguousarray(states[seen], dtype=np.int64),
        np.ascontiguousarray(counts[seen], dtype=np.float64),
        np.ascontiguousarray(log_arities, dtype=np.float64),
        math.log(ess),
        largest,
    )


@jit()
def _bdeu_log_rising(log_a: float, n: float) -> float:
    """log Γ(a + n) − log Γ(a), with the singular part of small a kept in log a."""
    a = math.exp(log_a)
    return math.lgamma(a + n) + log_a - math.lgamma(1.0 + a)


@jit()
def _refine_bdeu_blocks(old: IntArray, column: IntArray, new: IntArray, work: IntArray) -> int:
    """Split the blocks of a partition of the rows by one more measure; return their number.

    `work` holds, per block, a chain of (state, new block, next) so far.
    """
    rows = len(old)
    head, state, link = work[0], work[1], work[2]
    for b in range(rows):
        head[b] = -1
    blocks = 0
    for i in range(rows):
        b = head[old[i]]
        while b >= 0 and state[b] != column[i]:
            b = link[b]
        if b < 0:
            b = blocks
            state[b], link[b] = column[i], head[old[i]]
            head[old[i]] = b
            blocks += 1
        new[i] = b
    return blocks


@jit()
def _bdeu_subset_scores(
    states: IntArray, counts: FloatArray, log_arities: FloatArray, log_ess: float, largest: int
) -> FloatArray:
    rows, m = states.shape
    columns = states.T.copy()
    scores = np.full(1 << m, np.nan)
    scores[0] = 0.0
    weight = 0.0
    for i in range(rows):
        weight += counts[i]
    whole = _bdeu_log_rising(log_ess, weight)
    blocks = np.zeros((largest + 1, rows), dtype=np.int64)
    work = np.empty((3, rows), dtype=np.int64)
    cell = np.empty(rows)
    chosen = np.full(largest + 1, -1, dtype=np.int64)
    log_alpha = np.empty(largest + 1)
    log_alpha[0] = log_ess
    # Depth first over subsets in increasing order of their members: each is one refinement of
    # its parent's partition of the rows.
    depth, mask = 0, 0
    while depth >= 0:
        chosen[depth] += 1
        j = chosen[depth]
        if j >= m or depth >= largest:
            depth -= 1
            if depth >= 0:
                mask ^= 1 << chosen[depth]
            continue
        parts = _refine_bdeu_blocks(blocks[depth], columns[j], blocks[depth + 1], work)
        for b in range(parts):
            cell[b] = 0.0
        for i in range(rows):
            cell[blocks[depth + 1, i]] += counts[i]
        log_alpha[depth + 1] = log_alpha[depth] - log_arities[j]
        total = -whole
        for b in range(parts):
            total += _bdeu_log_rising(log_alpha[depth + 1], cell[b])
        mask |= 1 << j
        scores[mask] = total
        if depth + 1 < largest:
            chosen[depth + 1] = j
            depth += 1
        else:
            mask ^= 1 << j
    return scores
