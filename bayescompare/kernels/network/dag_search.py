"""The globally best network by dynamic programming over subsets of the measures.

References
----------
Silander & Myllymäki (2006), A simple approach for finding the globally optimal Bayesian network
structure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import FloatArray
from bayescompare.kernels.network.bdeu import local_score
from bayescompare.kernels.numerics.jit import jit

__all__ = ["best_dag", "best_dag_of", "dag_score", "search_bytes"]


#: Scores that differ by less are equal: equivalent graphs differ only by rounding.
SAME_SCORE = 1e-9


def search_bytes(m: int) -> int:
    """Memory that `best_dag` needs for m measures."""
    return int(8 * (m + 3) * 2**m)


def best_dag(scores: FloatArray, m: int, max_parents: int) -> list[int]:
    """Return the best graph as one bit mask of parents per measure.

    Parameters
    ----------
    scores : array (2^m,)
        From `bdeu_scores_of_subsets`, up to subsets of size max_parents + 1.
    m : int
    max_parents : int

    Notes
    -----
    Ties between scores are broken by a fixed rule, never by rounding: the last measure in listing
    order is the sink, and the fewest, then first, parents are taken.
    """
    best = _best_dag_parent_scores(scores, m, max_parents)
    return _best_dag_by_sinks(
        best, lambda child, mask: local_score(scores, child, mask), max_parents
    )


def best_dag_of(local: FloatArray, max_parents: int) -> list[int]:
    """Return the best graph for any local scores, an array (m, 2^(m−1)) as of `bd_local_scores`."""
    return _best_dag_by_sinks(
        _best_dag_scores_within(local),
        lambda child, mask: float(local[child, _dag_mask_without_gap(mask, child)]),
        max_parents,
    )


def _best_dag_by_sinks(
    best: FloatArray, local: Callable[[int, int], float], max_parents: int
) -> list[int]:
    """Find the graph, sink by sink, from the best score of each measure within each set."""
    m = len(best)
    sinks = _best_dag_sinks(best, m)
    parents, left = [0] * m, (1 << m) - 1
    while left:
        child = int(sinks[left])
        left ^= 1 << child
        wanted = float(best[child, _dag_mask_without_gap(left, child)])
        parents[child] = _best_dag_parents(local, child, left, wanted, max_parents)
    return parents


def dag_score(scores: FloatArray, parents: list[int]) -> float:
    """BDeu of a graph given as one bit mask of parents per measure."""
    return sum(local_score(scores, child, mask) for child, mask in enumerate(parents))


def _best_dag_parents(
    local: Callable[[int, int], float], child: int, allowed: int, best: float, most: int
) -> int:
    """Return the fewest, then first, parents among `allowed` that reach the best score."""
    members = [j for j in range(allowed.bit_length()) if allowed >> j & 1]
    for size in range(most + 1):
        for chosen in itertools.combinations(members, size):
            mask = sum(1 << j for j in chosen)
            if local(child, mask) >= best - SAME_SCORE:
                return mask
    raise AssertionError("some set of parents has the best score")


@jit()
def _dag_mask_without_gap(mask: int, bit: int) -> int:
    """Close the gap that `bit`, which is not in the mask, leaves: half the memory."""
    low = mask & ((1 << bit) - 1)
    return low | ((mask >> (bit + 1)) << bit)


@jit()
def _dag_mask_with_gap(index: int, bit: int) -> int:
    low = index & ((1 << bit) - 1)
    return low | ((index >> bit) << (bit + 1))


@jit()
def _best_dag_parent_scores(scores: FloatArray, m: int, max_parents: int) -> FloatArray:
    """Return the best score of each measure with parents from each set of the others."""
    half = 1 << (m - 1)
    best = np.empty((m, half))
    for child in range(m):
        for index in range(half):
            allowed = _dag_mask_with_gap(index, child)
            size, rest = 0, index
            value = -np.inf
            while rest:
                low = rest & -rest
                rest ^= low
                size += 1
                value = max(value, best[child, index ^ low])
            if size <= max_parents:
                value = max(value, scores[allowed | (1 << child)] - scores[allowed])
            best[child, index] = value
    return best


@jit()
def _best_dag_scores_within(local: FloatArray) -> FloatArray:
    """The same from the local scores themselves."""
    m, half = local.shape
    best = local.copy()
    for child in range(m):
        for index in range(half):
            rest = index
            while rest:
                low = rest & -rest
                rest ^= low
                best[child, index] = max(best[child, index], best[child, index ^ low])
    return best


@jit()
def _best_dag_sinks(best: FloatArray, m: int) -> NDArray[np.int8]:
    """Return the best sink of every set; a set's best score is the sum of its sinks' scores."""
    total = np.empty(1 << m)
    sinks = np.empty(1 << m, dtype=np.int8)
    total[0] = 0.0
    for members in range(1, 1 << m):
        value, sink = -np.inf, -1
        for child in range(m):
            if members >> child & 1:
                rest = members ^ (1 << child)
                candidate = total[rest] + best[child, _dag_mask_without_gap(rest, child)]
                # The later measure wins ties, so that parents are listed before children.
                if sink < 0 or candidate > value - SAME_SCORE:
                    value, sink = max(value, candidate), child
        total[members], sinks[members] = value, sink
    return sinks
