r"""Sums over all networks at once: evidence and edge probabilities.

Every DAG on a set S has sinks. By inclusion–exclusion over sets T of sinks,

.. math:: R(S) = \sum_{\emptyset \ne T \subseteq S} (-1)^{|T|+1}\, R(S \setminus T)
          \prod_{j \in T} A_j(S \setminus T), \qquad A_j(C) = \sum_{P \subseteq C} e^{score(j, P)},

which costs 3^m. The derivative of log R in log A gives the probability of every parent set, hence
of every edge, in one backward pass. All in logarithms.

References
----------
Tian & He (2009), Computing posterior probabilities of structural features in Bayesian networks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.dag_search import _dag_mask_with_gap, _dag_mask_without_gap
from bayescompare.kernels.numerics.jit import jit

__all__ = [
    "all_dags",
    "edge_probabilities_of_dags",
    "local_scores",
    "log_number_of_dags",
    "log_sum_over_dags",
]


def local_scores(scores: FloatArray, m: int, max_parents: int) -> FloatArray:
    """Return the local score of every (child, parents); −inf where there are too many parents.

    Parents are indexed by their bit mask with the child's own bit taken out.
    """
    return _dag_local_scores(scores, m, max_parents)


def log_sum_over_dags(local: FloatArray) -> float:
    """Log of the sum of e^score over all DAGs."""
    return float(_dag_forward_sums(_dag_subset_sums(local))[-1])


def log_number_of_dags(m: int, max_parents: int) -> float:
    """Log of the number of DAGs on m nodes with at most `max_parents` parents each.

    Examples
    --------
    >>> round(math.exp(log_number_of_dags(4, 3)))
    543
    """
    flat = local_scores(np.zeros(1 << m), m, max_parents)
    return log_sum_over_dags(flat)


def edge_probabilities_of_dags(local: FloatArray) -> FloatArray:
    """P(i → j) under the posterior over all DAGs, as an (m, m) array."""
    sums = _dag_subset_sums(local)
    return np.clip(
        _dag_edge_probabilities(sums, _dag_backward_derivative(sums, _dag_forward_sums(sums))),
        0.0,
        1.0,
    )


def all_dags(m: int, max_parents: int) -> Iterator[tuple[int, ...]]:
    """Yield every DAG on m nodes, as parents' bit masks: 1, 3, 25, 543, 29281, … of them.

    Examples
    --------
    >>> sum(1 for _ in all_dags(3, 2))
    25
    """
    allowed = [
        [p for p in range(1 << m) if not p >> j & 1 and p.bit_count() <= max_parents]
        for j in range(m)
    ]
    for parents in itertools.product(*allowed):
        if is_acyclic(parents):
            yield parents


def is_acyclic(parents: tuple[int, ...]) -> bool:
    """Whether the graph with these parents has an ordering."""
    left = (1 << len(parents)) - 1
    while left:
        roots = [j for j, mask in enumerate(parents) if left >> j & 1 and not mask & left]
        if not roots:
            return False
        for j in roots:
            left ^= 1 << j
    return True


@jit()
def _dag_local_scores(scores: FloatArray, m: int, max_parents: int) -> FloatArray:
    half = 1 << (m - 1)
    local = np.full((m, half), -np.inf)
    for child in range(m):
        for index in range(half):
            size, rest = 0, index
            while rest:
                rest &= rest - 1
                size += 1
            if size <= max_parents:
                mask = _dag_mask_with_gap(index, child)
                local[child, index] = scores[mask | (1 << child)] - scores[mask]
    return local


@jit()
def _dag_logaddexp(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + math.log1p(math.exp(b - a))


@jit()
def _dag_subset_sums(local: FloatArray) -> FloatArray:
    """log A_j(C): sums over all subsets of parents, one bit after the other."""
    m, half = local.shape
    sums = local.copy()
    for child in range(m):
        for bit in range(m - 1):
            for index in range(half):
                if index >> bit & 1:
                    lower = sums[child, index ^ (1 << bit)]
                    sums[child, index] = _dag_logaddexp(sums[child, index], lower)
    return sums


@jit()
def _dag_subset_products(sums: FloatArray, rest: int, members: IntArray, out: FloatArray) -> int:
    """Compute Σ_{j in T} log A_j(rest) for every subset T of the measures not in `rest`."""
    m = len(sums)
    count = 0
    for j in range(m):
        if not rest >> j & 1:
            members[count] = j
            count += 1
    out[0] = 0.0
    for k in range(count):
        value = sums[members[k], _dag_mask_without_gap(rest, members[k])]
        for t in range(1 << k):
            out[t | (1 << k)] = out[t] + value
    return count


@jit()
def _spread_dag_subset(t: int, members: IntArray) -> tuple[int, int]:
    """Return the set that the compressed subset `t` stands for, and its size."""
    mask, size, k = 0, 0, 0
    while t:
        if t & 1:
            mask |= 1 << members[k]
            size += 1
        t >>= 1
        k += 1
    return mask, size


@jit()
def _dag_forward_sums(sums: FloatArray) -> FloatArray:
    """log R(S) for every S; positive and negative terms are summed apart, each scaled."""
    m = len(sums)
    size = 1 << m
    top = np.full((2, size), -np.inf)
    total = np.zeros((2, size))
    log_r = np.full(size, -np.inf)
    log_r[0] = 0.0
    members = np.empty(m, dtype=np.int64)
    products = np.empty(size)
    for rest in range(size):
        if rest > 0:
            high = max(top[0, rest], top[1, rest])
            if high > -np.inf:
                value = 0.0
                for sign in range(2):
                    if top[sign, rest] > -np.inf:
                        part = total[sign, rest] * math.exp(top[sign, rest] - high)
                        value += part if sign == 0 else -part
                log_r[rest] = high + math.log(value) if value > 0.0 else -np.inf
        if log_r[rest] == -np.inf:
            continue
        count = _dag_subset_products(sums, rest, members, products)
        for t in range(1, 1 << count):
            term = log_r[rest] + products[t]
            if term == -np.inf:
                continue
            mask, number = _spread_dag_subset(t, members)
            sign = (number + 1) % 2
            s = rest | mask
            if term > top[sign, s]:
                total[sign, s] = total[sign, s] * math.exp(top[sign, s] - term) + 1.0
                top[sign, s] = term
            else:
                total[sign, s] += math.exp(term - top[sign, s])
    return log_r


@jit()
def _dag_backward_derivative(sums: FloatArray, log_r: FloatArray) -> FloatArray:
    """Derivative of log R(all) in log A_j(C), for every j and C."""
    m = len(sums)
    size = 1 << m
    flow = np.zeros(size)
    flow[size - 1] = 1.0
    out = np.zeros_like(sums)
    members = np.empty(m, dtype=np.int64)
    products = np.empty(size)
    for rest in range(size - 2, -1, -1):
        if log_r[rest] == -np.inf:
            continue
        count = _dag_subset_products(sums, rest, members, products)
        for t in range(1, 1 << count):
            mask, number = _spread_dag_subset(t, members)
            s = rest | mask
            if flow[s] == 0.0 or products[t] == -np.inf:
                continue
            term = flow[s] * math.exp(log_r[rest] + products[t] - log_r[s])
            if number % 2 == 0:
                term = -term
            flow[rest] += term
            for k in range(count):
                if t >> k & 1:
                    out[members[k], _dag_mask_without_gap(rest, members[k])] += term
    return out


@jit()
def _dag_edge_probabilities(sums: FloatArray, derivative: FloatArray) -> FloatArray:
    """P(i → j): the share of A_j(C) that has i among the parents, weighted by the derivative."""
    m, half = sums.shape
    out = np.zeros((m, m))
    for j in range(m):
        for bit in range(m - 1):
            i = bit if bit < j else bit + 1
            for index in range(half):
                if index >> bit & 1 and derivative[j, index] != 0.0:
                    lower = sums[j, index ^ (1 << bit)]
                    share = -math.expm1(lower - sums[j, index])
                    out[i, j] += derivative[j, index] * share
    return out
