r"""Graphs drawn from their posterior: independently, or by a chain where there are too many.

**Layers.** The first layer of a DAG are its roots; a measure of a later layer has all its parents
in earlier ones, and at least one in the layer before its own. Every DAG has one layering.

**Independent samples.** Let U be the union of the layers so far, L the last of them, and Q(U) and
:math:`A_j(U)` as in `graphs`. The next layer is N with a probability in proportion to

.. math:: \prod_{j \in N} \frac{A_j(U) - A_j(U \setminus L)}{A_j(U)}
          \sum_{X \supseteq N} (-1)^{|X \setminus N|}\, Q(U \cup X) \prod_{j \in X} A_j(U).

Given the layers, every measure draws its parents by itself. Q costs 3^m once; the inner sums are
one Möbius transform, m 2^m for a pair (L, U), kept for the next sample that meets it.

**A chain** walks over layerings, whose posterior is the product over the measures of
:math:`\sum_P e^{score(j, P)}`, P over the sets of at most k parents that the layering allows. No
DAG counts more than once, as it would in a walk over orders. A step moves one measure to another
layer or to one of its own, or exchanges two. After some of these a DAG is drawn given its layering,
and walks within its equivalence class: an edge i → j is covered if j has the parents of i and i
alone, and turning it round changes (almost) nothing, so directions mix fast. Its layering is where
the chain goes on. Edge probabilities are averaged given the layering.

References
----------
Talvitie, Vuoksenmaa & Koivisto (2019), Exact sampling of directed acyclic graphs from modular
distributions; Kuipers & Moffa (2017), Partition MCMC for inference on acyclic digraphs; Chickering
(1995), A transformational characterization of equivalent Bayesian network structures.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.graphs import Graph, attached, log_attachments, parent_sums
from bayescompare.kernels.network.scores import ParentSets, mask_with_gap, mask_without_gap
from bayescompare.kernels.numerics.jit import jit

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


# independent samples ------------------------------------------------------------------------------


def sample_dags(local: FloatArray, size: int, rng: np.random.Generator) -> list[Graph]:
    """Draw DAGs from the posterior exactly and independently, as parents' bit masks.

    Parameters
    ----------
    local : array (m, 2^(m−1))
        Scores of every child and set of parents.
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
        self._sums = parent_sums(local)
        self._log_q = log_attachments(self._sums)
        self._layers: dict[tuple[int, int], tuple[IntArray, FloatArray]] = {}
        self._parents: dict[tuple[int, int, int], tuple[IntArray, FloatArray]] = {}

    def draw(self, rng: np.random.Generator) -> Graph:
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
            sets, weights = _layer_weights(self._sums, self._log_q, last, union)
            self._layers[last, union] = sets, np.cumsum(weights)
        sets, cumulated = self._layers[last, union]
        return int(sets[_pick(cumulated, rng)])

    def _parents_of(self, child: int, last: int, union: int, rng: np.random.Generator) -> int:
        key = (child, last, union)
        if key not in self._parents:
            sets = (mask_without_gap(mask, child) for mask in (last, union))
            weights = _parent_weights(self._local[child], *sets)
            (possible,) = np.nonzero(weights)
            self._parents[key] = possible, np.cumsum(weights[possible])
        possible, cumulated = self._parents[key]
        return int(mask_with_gap(int(possible[_pick(cumulated, rng)]), child))


def _pick(cumulated: FloatArray, rng: np.random.Generator) -> int:
    """Draw an index by cumulated weights."""
    at = rng.random() * cumulated[-1]
    return min(int(np.searchsorted(cumulated, at, side="right")), len(cumulated) - 1)


@jit()
def _layer_weights(
    sums: FloatArray, log_q: FloatArray, last: int, union: int
) -> tuple[IntArray, FloatArray]:
    """Every set of measures not in `union`, and its weight as the next layer, scaled by Q(U).

    Rounding may leave an impossible layer a weight of either sign, about 1e-16 of the whole.
    """
    m = len(sums)
    every, products = np.empty(1 << m, dtype=np.int64), np.empty(1 << m)
    number = attached(sums, union, every, products)
    sets, weights = every[:number].copy(), products[:number].copy()
    for t in range(number):
        weights[t] = math.exp(weights[t] + log_q[union | sets[t]] - log_q[union])
    # Möbius transform over supersets, one bit after the other.
    bit = 1
    while bit < number:
        for t in range(number):
            if not t & bit:
                weights[t] -= weights[t | bit]
        bit *= 2
    weights[0] = 0.0
    for t in range(number):
        weights[t] = max(weights[t], 0.0)
    bit = 1
    for j in range(m):
        if union == 0 or union >> j & 1:
            continue
        own = sums[j, mask_without_gap(union, j)]
        before = sums[j, mask_without_gap(union ^ last, j)]
        linked = -math.expm1(before - own) if own > -np.inf else 0.0
        for t in range(number):
            if t & bit:
                weights[t] *= linked
        bit *= 2
    return sets, weights


@jit()
def _parent_weights(local: FloatArray, last: int, union: int) -> FloatArray:
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


# a chain ------------------------------------------------------------------------------------------


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

    >>> from bayescompare.kernels.network.scores import CellPrior
    >>> none = np.zeros((1, 2), dtype=np.int64), np.zeros(1)
    >>> sets = ParentSets.score(*none, [2, 2], CellPrior(), 1)
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
        self._layers = _random_layers(len(sets.masks), rng)

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
            _walk(self._falling, self._sorted, self._layers, moves, parents, turns, part)
        return out


def _random_layers(m: int, rng: np.random.Generator) -> IntArray:
    """A random layering: bit masks of the layers, then zeros."""
    layers = np.zeros(m + 1, dtype=np.int64)
    last = 0
    for k, v in enumerate(rng.permutation(m).tolist()):
        last += int(k > 0 and rng.random() < 0.5)
        layers[last] |= 1 << v
    return layers


@jit()
def _walk(
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
        _look_around(layers, below, beside)
        for v in range(m):
            value[v] = _log_sum(falling, v, below[v], beside[v])
        for u in moves[d]:
            _try_move(falling, layers, below, beside, value, u)
        for v in range(m):
            graph[v] = _draw_parents(
                falling, v, below[v], beside[v], value[v], parents[d, v], out[d, :, v]
            )
        for u in turns[d]:
            turn_covered_edge(*by_mask, graph, u)
        write_layers(graph, layers)


@jit()
def _look_around(layers: IntArray, below: IntArray, beside: IntArray) -> None:
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
def _allows(mask: int, below: int, beside: int) -> bool:
    """Whether a measure may have these parents; one in the first layer has none."""
    return mask & ~below == 0 and (mask & beside != 0 or beside == 0)


@jit()
def _log_sum(falling: _Falling, v: int, below: int, beside: int) -> float:
    """Log of the sum over the sets of parents that the layering allows, the best first."""
    masks, scores, weights, tails, sums = falling
    if sums.shape[1] > 0:
        whole = sums[v, mask_without_gap(below, v)]
        total = whole - sums[v, mask_without_gap(below & ~beside, v)] if beside else whole
        if total > _CANCELLED * whole and total > _SMALLEST:
            return float(scores[v, 0] + math.log(total))
    total = 0.0
    for i in range(masks.shape[1]):
        if tails[v, i] < _NEGLIGIBLE * total:
            break
        if _allows(masks[v, i], below, beside):
            total += weights[v, i]
    if total > _SMALLEST:
        return float(scores[v, 0] + math.log(total))
    # All of them are hundreds of nats below the best set; the first is the largest.
    top, total = -np.inf, 0.0
    for i in range(masks.shape[1]):
        if _allows(masks[v, i], below, beside):
            top = max(top, scores[v, i])
            total += math.exp(scores[v, i] - top)
    return top + math.log(total)


@jit()
def _try_move(
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
    proposed = _exchanged(layers, v, int(u[2] * m)) if exchange else _moved(layers, v, u[2])
    new_below, new_beside, new_value = below.copy(), beside.copy(), value.copy()
    _look_around(proposed, new_below, new_beside)
    gain = 0.0
    for j in range(m):
        if new_below[j] != below[j] or new_beside[j] != beside[j]:
            new_value[j] = _log_sum(falling, j, new_below[j], new_beside[j])
            gain += new_value[j] - value[j]
    if u[3] < math.exp(min(gain, 0.0)):
        layers[:], below[:], beside[:], value[:] = proposed, new_below, new_beside, new_value


@jit()
def _exchanged(layers: IntArray, v: int, w: int) -> IntArray:
    out = layers.copy()
    for t in range(len(out)):
        if (out[t] >> v & 1) != (out[t] >> w & 1):
            out[t] ^= (1 << v) | (1 << w)
    return out


@jit()
def _moved(layers: IntArray, v: int, u: float) -> IntArray:
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
def _draw_parents(
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
        if not _allows(mask, below, beside):
            continue
        p = math.exp(scores[v, i] - value)
        u -= p
        best = mask if best < 0 else best
        chosen = mask if chosen < 0 and u < 0.0 else chosen
        for k in range(len(share)):
            if mask >> k & 1:
                share[k] += p
    return chosen if chosen >= 0 else best


@jit()
def _covered(graph: IntArray, edges: IntArray) -> int:
    """List the edges i → j whose ends have all other parents in common; return their number."""
    count = 0
    for j in range(len(graph)):
        for i in range(len(graph)):
            if graph[j] >> i & 1 and graph[j] ^ (1 << i) == graph[i]:
                edges[count, 0], edges[count, 1] = i, j
                count += 1
    return count


@jit()
def turn_covered_edge(masks: IntArray, scores: FloatArray, graph: IntArray, u: FloatArray) -> None:
    """Try to turn a covered edge round; the way back is one of as many as are covered then."""
    edges = np.empty((len(graph) ** 2, 2), dtype=np.int64)
    count = _covered(graph, edges)
    if count == 0:
        return
    i, j = edges[int(u[0] * count)]
    common, both = graph[i], graph[j]
    turned = common | (1 << j)
    gain = _score_of(masks[j], scores[j], common) + _score_of(masks[i], scores[i], turned)
    gain -= _score_of(masks[i], scores[i], common) + _score_of(masks[j], scores[j], both)
    graph[i], graph[j] = turned, common
    back = _covered(graph, edges)
    if u[1] * back >= count * math.exp(min(gain, 700.0)):
        graph[i], graph[j] = common, both


@jit()
def _score_of(masks: IntArray, scores: FloatArray, mask: int) -> float:
    """The score of one set, from those sorted by mask."""
    return float(scores[np.searchsorted(masks, mask)])


@jit()
def write_layers(graph: IntArray, layers: IntArray) -> None:
    """Write the layering of a graph."""
    layers[:] = 0
    left, t = (1 << len(graph)) - 1, 0
    while left:
        for v in range(len(graph)):
            if left >> v & 1 and graph[v] & left == 0:
                layers[t] |= 1 << v
        left &= ~layers[t]
        t += 1
