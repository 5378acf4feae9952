r"""Exact samples of graphs from their posterior, layer by layer from the roots.

The first layer of a DAG are its roots; a measure of a later layer has all its parents in earlier
ones, and at least one in the layer before its own. Let U be the union of the layers so far, L the
last of them, :math:`A_j(C) = \sum_{P \subseteq C} e^{score(j, P)}`, and Q(U) the sum over all ways
to attach the other measures to U. By inclusion–exclusion over sets T of measures that have all
their parents in U,

.. math:: Q(U) = \sum_{\emptyset \ne T} (-1)^{|T|+1}\, Q(U \cup T) \prod_{j \in T} A_j(U),

and the next layer is N with a probability in proportion to

.. math:: \prod_{j \in N} \frac{A_j(U) - A_j(U \setminus L)}{A_j(U)}
          \sum_{X \supseteq N} (-1)^{|X \setminus N|}\, Q(U \cup X) \prod_{j \in X} A_j(U).

Given the layers, every measure draws its parents by itself. Q costs 3^m once; the inner sums are
one Möbius transform, m 2^m for a pair (L, U), kept for the next sample that meets it.

References
----------
Talvitie, Vuoksenmaa & Koivisto (2019), Exact sampling of directed acyclic graphs from modular
distributions; Kuipers & Moffa (2017), Partition MCMC for inference on acyclic digraphs.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.dag_posterior import (
    _dag_subset_products,
    _dag_subset_sums,
    _spread_dag_subset,
)
from bayescompare.kernels.network.dag_search import _dag_mask_with_gap, _dag_mask_without_gap
from bayescompare.kernels.numerics.jit import jit

__all__ = ["DagSampler", "sample_dags"]


def sample_dags(local: FloatArray, size: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Draw DAGs from the posterior exactly and independently, as parents' bit masks.

    Parameters
    ----------
    local : array (m, 2^(m−1))
        From `local_scores`.
    size : int
    rng : numpy.random.Generator

    Examples
    --------
    >>> flat = np.zeros((2, 2))
    >>> sorted(set(sample_dags(flat, 50, np.random.default_rng(0))))
    [(0, 0), (0, 1), (2, 0)]
    """
    sampler = DagSampler(local)
    return [sampler.draw(rng) for _ in range(size)]


class DagSampler:
    """Draws graphs one by one, and keeps the distributions that it has met."""

    def __init__(self, local: FloatArray) -> None:
        self._local = local
        self._sums = _dag_subset_sums(local)
        self._log_q = _dag_attachments(self._sums)
        self._layers: dict[tuple[int, int], FloatArray] = {}
        self._parents: dict[tuple[int, int, int], tuple[IntArray, FloatArray]] = {}

    def draw(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Draw one graph."""
        m = len(self._local)
        everything = (1 << m) - 1
        parents = [0] * m
        last, union = 0, 0
        while union != everything:
            layer = self._next_layer(last, union, rng)
            for j in range(m):
                if layer >> j & 1 and union:
                    parents[j] = self._parents_of(j, last, union, rng)
            last, union = layer, union | layer
        return tuple(parents)

    def _next_layer(self, last: int, union: int, rng: np.random.Generator) -> int:
        if (last, union) not in self._layers:
            weights = _dag_layer_weights(self._sums, self._log_q, last, union)
            self._layers[last, union] = np.cumsum(weights)
        compressed = _pick_dag_index(self._layers[last, union], rng)
        free = [j for j in range(len(self._local)) if not union >> j & 1]
        return sum(1 << j for k, j in enumerate(free) if compressed >> k & 1)

    def _parents_of(self, child: int, last: int, union: int, rng: np.random.Generator) -> int:
        key = (child, last, union)
        if key not in self._parents:
            sets = (_dag_mask_without_gap(mask, child) for mask in (last, union))
            weights = _dag_parent_weights(self._local[child], *sets)
            (possible,) = np.nonzero(weights)
            self._parents[key] = possible, np.cumsum(weights[possible])
        possible, cumulated = self._parents[key]
        return int(_dag_mask_with_gap(int(possible[_pick_dag_index(cumulated, rng)]), child))


def _pick_dag_index(cumulated: FloatArray, rng: np.random.Generator) -> int:
    """Draw an index by cumulated weights."""
    at = rng.random() * cumulated[-1]
    return min(int(np.searchsorted(cumulated, at, side="right")), len(cumulated) - 1)


@jit()
def _dag_attachments(sums: FloatArray) -> FloatArray:
    """log Q(U) for every U; positive and negative terms are summed apart, each scaled."""
    m = len(sums)
    size = 1 << m
    log_q = np.full(size, -np.inf)
    log_q[size - 1] = 0.0
    members = np.empty(m, dtype=np.int64)
    products = np.empty(size)
    for union in range(size - 2, -1, -1):
        count = _dag_subset_products(sums, union, members, products)
        top = -np.inf
        for t in range(1, 1 << count):
            mask, _ = _spread_dag_subset(t, members)
            products[t] += log_q[union | mask]
            top = max(top, products[t])
        if top == -np.inf:
            continue
        total = 0.0
        for t in range(1, 1 << count):
            term = math.exp(products[t] - top)
            _, number = _spread_dag_subset(t, members)
            total += term if number % 2 == 1 else -term
        if total > 0.0:
            log_q[union] = top + math.log(total)
    return log_q


@jit()
def _dag_layer_weights(sums: FloatArray, log_q: FloatArray, last: int, union: int) -> FloatArray:
    """Weight of every next layer N, as a subset of the measures not in `union`; scaled by Q(U).

    Rounding may leave an impossible layer a weight of either sign, about 1e-16 of the whole.
    """
    m = len(sums)
    members = np.empty(m, dtype=np.int64)
    weights = np.empty(1 << m)
    count = _dag_subset_products(sums, union, members, weights)
    weights = weights[: 1 << count].copy()
    for t in range(1 << count):
        mask, _ = _spread_dag_subset(t, members)
        weights[t] = math.exp(weights[t] + log_q[union | mask] - log_q[union])
    # Möbius transform over supersets, one bit after the other.
    for k in range(count):
        for t in range(1 << count):
            if not t >> k & 1:
                weights[t] -= weights[t | 1 << k]
    linked = np.ones(count)
    if union:
        for k in range(count):
            j = members[k]
            own, before = (
                sums[j, _dag_mask_without_gap(union, j)],
                sums[j, _dag_mask_without_gap(union ^ last, j)],
            )
            linked[k] = -math.expm1(before - own) if own > -np.inf else 0.0
    weights[0] = 0.0
    for t in range(1, 1 << count):
        value = max(weights[t], 0.0)
        for k in range(count):
            if t >> k & 1:
                value *= linked[k]
        weights[t] = value
    return weights


@jit()
def _dag_parent_weights(local: FloatArray, last: int, union: int) -> FloatArray:
    """Weight of every set of parents within `union` that has one in `last`, the largest being 1."""
    weights = np.zeros(len(local))
    top = -np.inf
    for index in range(len(local)):
        if index & ~union == 0 and index & last:
            top = max(top, local[index])
    for index in range(len(local)):
        if index & ~union == 0 and index & last and local[index] > -np.inf:
            weights[index] = math.exp(local[index] - top)
    return weights
