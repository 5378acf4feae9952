r"""BD scores: how well parents explain a measure, with any parameters of the tables' rows.

.. math:: score(j, P) = \sum_c \Bigl[ \log\frac{\Gamma(A_j)}{\Gamma(A_j + N_c)}
          + \sum_k \log\frac{\Gamma(\alpha_{jk} + n_{ck})}{\Gamma(\alpha_{jk})} \Bigr], \qquad
          A_j = \sum_k \alpha_{jk},

over the configurations c of the parents; those unobserved cost nothing. α = 1 is the K2 score. No
differences :math:`g(P \cup \{j\}) - g(P)` give it as in `bdeu`, where α falls with the number of
rows.

References
----------
Cooper & Herskovits (1992), A Bayesian method for the induction of probabilistic networks from
data; Heckerman, Geiger & Chickering (1995).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.bdeu import _bdeu_log_rising, _refine_bdeu_blocks
from bayescompare.kernels.network.dag_search import _dag_mask_without_gap
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.numerics.jit import jit

__all__ = ["bd_local_score", "bd_local_scores"]


def bd_local_score(
    states: IntArray, counts: FloatArray, alpha: Sequence[float], child: int, parents: int
) -> float:
    """BD score of one measure given the bit mask of its parents.

    Examples
    --------
    One dataset, α = 1: either state has probability ½.

    >>> round(bd_local_score(np.array([[0, 1]]), np.array([1.0]), (1.0, 1.0), 1, 0b01), 12)
    -0.69314718056
    """
    above = [i for i in range(parents.bit_length()) if parents >> i & 1]
    rows, row = np.unique(states[:, above], axis=0, return_inverse=True)
    table = np.zeros((len(rows), len(alpha)))
    np.add.at(table, (row.ravel(), states[:, child]), counts)
    cells = log_rising_gamma(np.log(alpha), table).sum()
    return float(cells - log_rising_gamma(np.log(np.sum(alpha)), table.sum(axis=1)).sum())


def bd_local_scores(
    states: IntArray, counts: FloatArray, alpha: Sequence[Sequence[float]], max_parents: int
) -> FloatArray:
    """BD score of every (child, parents), as `local_scores` returns them for BDeu.

    Parameters
    ----------
    states : array (R, m)
        Distinct statements.
    counts : array (R,)
        Their weights, fractional where datasets are tied.
    alpha : sequence (m) of sequences
        α by measure and state.
    max_parents : int

    Returns
    -------
    array (m, 2^(m−1))
        −inf where there are too many parents.
    """
    seen = counts > 0
    log_alpha = np.zeros((len(alpha), max(map(len, alpha))))
    for j, own in enumerate(alpha):
        log_alpha[j, : len(own)] = np.log(own)
    return _bd_local_scores(
        np.ascontiguousarray(states[seen].T, dtype=np.int64),
        np.ascontiguousarray(counts[seen], dtype=np.float64),
        log_alpha,
        np.log([sum(own) for own in alpha]),
        max_parents,
    )


@jit()
def _bd_local_scores(
    columns: IntArray,
    counts: FloatArray,
    log_alpha: FloatArray,
    log_total: FloatArray,
    max_parents: int,
) -> FloatArray:
    m, rows = columns.shape
    local = np.full((m, 1 << (m - 1)), -np.inf)
    blocks = np.zeros((max_parents + 2, rows), dtype=np.int64)
    work = np.empty((3, rows), dtype=np.int64)
    weight = np.empty(rows)
    chosen = np.full(max_parents + 2, -1, dtype=np.int64)
    # Depth first over the sets of parents in increasing order of their members, as in `bdeu`.
    depth, mask = 0, 0
    _bd_score_children(columns, counts, log_alpha, log_total, 0, blocks, 0, work, weight, local)
    while depth >= 0:
        chosen[depth] += 1
        j = chosen[depth]
        if j >= m or depth >= max_parents:
            depth -= 1
            if depth >= 0:
                mask ^= 1 << chosen[depth]
            continue
        _refine_bdeu_blocks(blocks[depth], columns[j], blocks[depth + 1], work)
        mask |= 1 << j
        _bd_score_children(
            columns, counts, log_alpha, log_total, mask, blocks, depth + 1, work, weight, local
        )
        chosen[depth + 1] = j
        depth += 1
    return local


@jit()
def _bd_score_children(
    columns: IntArray,
    counts: FloatArray,
    log_alpha: FloatArray,
    log_total: FloatArray,
    parents: int,
    blocks: IntArray,
    depth: int,
    work: IntArray,
    weight: FloatArray,
    local: FloatArray,
) -> None:
    """Score every measure that is not among the parents, whose configurations are the blocks."""
    m, rows = columns.shape
    own = blocks[len(blocks) - 1]
    for child in range(m):
        if parents >> child & 1:
            continue
        weight[:] = 0.0
        for i in range(rows):
            weight[blocks[depth, i]] += counts[i]
        total = 0.0
        for b in range(rows):
            if weight[b] > 0.0:
                total -= _bdeu_log_rising(log_total[child], weight[b])
        parts = _refine_bdeu_blocks(blocks[depth], columns[child], own, work)
        weight[:] = 0.0
        for i in range(rows):
            weight[own[i]] += counts[i]
        for b in range(parts):
            total += _bdeu_log_rising(log_alpha[child, work[1, b]], weight[b])
        local[child, _dag_mask_without_gap(parents, child)] = total
