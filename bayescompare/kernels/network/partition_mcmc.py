r"""Graphs sampled from their posterior where there are too many to sum over.

A DAG has layers: its roots, then the measures whose parents are all in earlier layers, with at
least one in the layer before. The chain walks over layerings, whose posterior is the product over
the measures of

.. math:: \sum_P e^{score(j, P)} ,

P over the sets of at most k parents that the layering allows. Every DAG has one layering, so no DAG
counts more than once, as it would in a walk over orders. A step moves one measure to another layer
or to one of its own, or exchanges two. After some of these a DAG is drawn given its layering, and
walks within its equivalence class: an edge i → j is covered if j has the parents of i and i alone,
and turning it round changes (almost) nothing, so directions mix fast. Its layering is where the
chain goes on. Edge probabilities are averaged given the layering.

References
----------
Kuipers & Moffa (2017), Partition MCMC for inference on acyclic digraphs; Chickering (1995), A
transformational characterization of equivalent Bayesian network structures, for covered edges.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.covered_edges import turn_covered_edge, write_dag_layers
from bayescompare.kernels.network.dag_search import _dag_mask_without_gap
from bayescompare.kernels.network.parent_sets import ParentSets
from bayescompare.kernels.numerics.jit import jit

__all__ = ["PartitionChain"]

#: Steps over layerings, and covered edges tried, between two samples; for each measure.
_MOVES = 8
_TURNS = 4
#: Of four moves one exchanges two measures.
_EXCHANGE = 0.25
#: Sets of parents that add less than this to a sum are left out.
_NEGLIGIBLE = 1e-12
#: Sums of weights below this are computed anew, from their own largest term.
_SMALLEST = 1e-290
#: Differences smaller than this part of what they are taken from are summed up instead.
_CANCELLED = 1e-6
#: Samples for which random numbers are drawn at a time.
_BLOCK = 256

#: Sets, the best first: masks, scores, weights relative to the best, what is left of them from each
#: on; and sums of weights over subsets.
_Falling = tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]


class PartitionChain:
    """One chain over layerings, from a random start.

    Parameters
    ----------
    sets : ParentSets
    sums : array
        Their `subset_sums`, which several chains share.
    rng : numpy.random.Generator

    Examples
    --------
    Two measures without data: each edge is in one of three graphs.

    >>> none = np.zeros((1, 2), dtype=np.int64), np.zeros(1)
    >>> sets = ParentSets.score(*none, [2, 2], 1.0, 1)
    >>> rng = np.random.default_rng(0)
    >>> edges = PartitionChain(sets, sets.subset_sums(), rng).sample(2000, rng)
    >>> bool(abs(edges.mean(axis=0)[0, 1] - 1 / 3) < 0.05)
    True
    """

    def __init__(self, sets: ParentSets, sums: FloatArray, rng: np.random.Generator) -> None:
        weights = sets.weights()
        tails = np.ascontiguousarray(np.cumsum(weights[:, ::-1], axis=1)[:, ::-1])
        by_mask = np.argsort(sets.masks, axis=1)
        self._falling = sets.masks, sets.scores, weights, tails, sums
        self._sorted = (
            np.take_along_axis(sets.masks, by_mask, 1),
            np.take_along_axis(sets.scores, by_mask, 1),
        )
        self._layers = _random_partition_layers(len(sets.masks), rng)

    def sample(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Walk on and return P(i → j given the layering) at every sample: (draws, m, m)."""
        m = len(self._sorted[0])
        out = np.zeros((draws, m, m))
        for start in range(0, draws, _BLOCK):
            part = out[start : start + _BLOCK]
            size = len(part)
            moves = rng.random((size, _MOVES * m, 4))
            parents = rng.random((size, m))
            turns = rng.random((size, _TURNS * m, 2))
            _walk_over_partitions(
                self._falling, self._sorted, self._layers, moves, parents, turns, part
            )
        return out


def _random_partition_layers(m: int, rng: np.random.Generator) -> IntArray:
    """A random layering: bit masks of the layers, then zeros."""
    layers = np.zeros(m + 1, dtype=np.int64)
    last = 0
    for k, v in enumerate(rng.permutation(m).tolist()):
        last += int(k > 0 and rng.random() < 0.5)
        layers[last] |= 1 << v
    return layers


@jit()
def _walk_over_partitions(
    falling: _Falling,
    by_mask: tuple[IntArray, FloatArray],
    layers: IntArray,
    moves: FloatArray,
    parents: FloatArray,
    turns: FloatArray,
    out: FloatArray,
) -> None:
    m = out.shape[1]
    graph = np.zeros(m, dtype=np.int64)
    # For each measure: what is below it, the layer next to it, and the log sum of its sets.
    below, beside, value = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m)
    for d in range(len(out)):
        _look_around_partition(layers, below, beside)
        for v in range(m):
            value[v] = _partition_log_sum(falling, v, below[v], beside[v])
        for u in moves[d]:
            _try_partition_move(falling, layers, below, beside, value, u)
        for v in range(m):
            graph[v] = _draw_partition_parents(
                falling, v, below[v], beside[v], value[v], parents[d, v], out[d, :, v]
            )
        for u in turns[d]:
            turn_covered_edge(*by_mask, graph, u)
        write_dag_layers(graph, layers)


@jit()
def _look_around_partition(layers: IntArray, below: IntArray, beside: IntArray) -> None:
    """For each measure, all measures in earlier layers, and those in the layer before."""
    union, last = 0, 0
    for layer in layers:
        if layer == 0:
            break
        for v in range(len(below)):
            if layer >> v & 1:
                below[v], beside[v] = union, last
        union |= layer
        last = layer


@jit()
def _partition_allows_parents(mask: int, below: int, beside: int) -> bool:
    """Whether a measure may have these parents; one in the first layer has none."""
    return mask & ~below == 0 and (mask & beside != 0 or beside == 0)


@jit()
def _partition_log_sum(falling: _Falling, v: int, below: int, beside: int) -> float:
    """Log of the sum over the sets of parents that the layering allows, the best first."""
    masks, scores, weights, tails, sums = falling
    if sums.shape[1] > 0:
        whole = sums[v, _dag_mask_without_gap(below, v)]
        total = whole - sums[v, _dag_mask_without_gap(below & ~beside, v)] if beside else whole
        if total > _CANCELLED * whole and total > _SMALLEST:
            return float(scores[v, 0] + math.log(total))
    total = 0.0
    for i in range(masks.shape[1]):
        if tails[v, i] < _NEGLIGIBLE * total:
            break
        if _partition_allows_parents(masks[v, i], below, beside):
            total += weights[v, i]
    if total > _SMALLEST:
        return float(scores[v, 0] + math.log(total))
    # All of them are hundreds of nats below the best set; the first is the largest.
    top, total = -np.inf, 0.0
    for i in range(masks.shape[1]):
        if _partition_allows_parents(masks[v, i], below, beside):
            top = max(top, scores[v, i])
            total += math.exp(scores[v, i] - top)
    return top + math.log(total)


@jit()
def _try_partition_move(
    falling: _Falling,
    layers: IntArray,
    below: IntArray,
    beside: IntArray,
    value: FloatArray,
    u: FloatArray,
) -> None:
    """Try another layering; both kinds of proposals are as probable as their way back."""
    m = len(below)
    v, exchange = int(u[1] * m), u[0] < _EXCHANGE
    proposed = (
        _exchange_in_partition(layers, v, int(u[2] * m))
        if exchange
        else _move_in_partition(layers, v, u[2])
    )
    new_below, new_beside, new_value = below.copy(), beside.copy(), value.copy()
    _look_around_partition(proposed, new_below, new_beside)
    gain = 0.0
    for j in range(m):
        if new_below[j] != below[j] or new_beside[j] != beside[j]:
            new_value[j] = _partition_log_sum(falling, j, new_below[j], new_beside[j])
            gain += new_value[j] - value[j]
    if u[3] < math.exp(min(gain, 0.0)):
        layers[:], below[:], beside[:], value[:] = proposed, new_below, new_beside, new_value


@jit()
def _exchange_in_partition(layers: IntArray, v: int, w: int) -> IntArray:
    out = layers.copy()
    for t in range(len(out)):
        if (out[t] >> v & 1) != (out[t] >> w & 1):
            out[t] ^= (1 << v) | (1 << w)
    return out


@jit()
def _move_in_partition(layers: IntArray, v: int, u: float) -> IntArray:
    """Put a measure into one of the other layers, or between two of them, with equal chances."""
    out = np.zeros_like(layers)
    left = 0
    for layer in layers:
        rest = layer & ~(1 << v)
        if rest:
            out[left] = rest
            left += 1
    place = int(u * (2 * left + 1))
    if place < left:
        out[place] |= 1 << v
        return out
    gap = place - left
    for t in range(left, gap, -1):
        out[t] = out[t - 1]
    out[gap] = 1 << v
    return out


@jit()
def _draw_partition_parents(
    falling: _Falling,
    v: int,
    below: int,
    beside: int,
    value: float,
    u: float,
    share: FloatArray,
) -> int:
    """Draw the parents of a measure given the layering; add each measure's probability to be one.

    The best set takes what rounding leaves of the last 1e-12.
    """
    masks, scores, _, tails, _ = falling
    least = _NEGLIGIBLE * math.exp(min(value - scores[v, 0], 0.0))
    best, chosen = -1, -1
    for i in range(masks.shape[1]):
        if best >= 0 and tails[v, i] < least:
            break
        mask = masks[v, i]
        if not _partition_allows_parents(mask, below, beside):
            continue
        p = math.exp(scores[v, i] - value)
        u -= p
        best = mask if best < 0 else best
        chosen = mask if chosen < 0 and u < 0.0 else chosen
        for k in range(len(share)):
            if mask >> k & 1:
                share[k] += p
    return chosen if chosen >= 0 else best
