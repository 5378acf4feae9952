r"""Graphs over measures: the best of all, sums over all, and what equivalent ones share.

A graph is a tuple with one bit mask of parents per measure.

**The best graph** comes from dynamic programming over subsets: the best set has a best sink.

**Sums over all graphs.** Let U be closed under parents and Q(U) the sum over all ways to attach the
other measures to it. By inclusion–exclusion over sets T of measures whose parents are all in U,

.. math:: Q(U) = \sum_{\emptyset \ne T} (-1)^{|T|+1}\, Q(U \cup T) \prod_{j \in T} A_j(U), \qquad
          A_j(U) = \sum_{P \subseteq U} e^{score(j, P)},

which costs 3^m, all in logarithms. Q(∅) is the sum over all graphs. Its derivative in log A gives
the probability of every set of parents, hence of every edge, in one pass the other way. The
same Q samples graphs (`sampling`).

**Forests.** With at most one parent each, fix a child j. Given that j has no parent, Wilson's
algorithm builds the rest by random walks, each from a measure to a parent, in proportion to its
weight, until "no parent" or j is met. With :math:`h_i` the probability that the walk from i ends
without meeting j, i may become the parent of j without closing a cycle, so

.. math:: P(i \to j) = \frac{w_{ij} h_i}{1 + \sum_k w_{kj} h_k}, \qquad
          w_{ij} = e^{score(j, \{i\}) - score(j, \emptyset)} .

The :math:`h_i` come from eliminating one measure after the other with additions, products and
quotients only: nothing cancels, however far the scores are apart. It costs m⁴, for any m.

References
----------
Silander & Myllymäki (2006), A simple approach for finding the globally optimal Bayesian network
structure; Tian & He (2009), Computing posterior probabilities of structural features in Bayesian
networks; Wilson (1996), Generating random spanning trees more quickly than the cover time;
Grassmann, Taksar & Heyman (1985), Regenerative analysis and steady state distributions for Markov
chains.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import FloatArray
from bayescompare.kernels.network.scores import local_bdeu_scores, mask_without_gap
from bayescompare.kernels.numerics.jit import jit

Graph = tuple[int, ...]

#: Scores that differ by less are equal: equivalent graphs differ only by rounding.
SAME_SCORE = 1e-9
#: Edges up to which every orientation of a graph is tried.
MOST_EDGES = 14


# one graph ----------------------------------------------------------------------------------------


def is_acyclic(parents: Sequence[int]) -> bool:
    """Whether the graph with these parents has an ordering."""
    left = (1 << len(parents)) - 1
    while left:
        roots = [j for j, mask in enumerate(parents) if left >> j & 1 and not mask & left]
        if not roots:
            return False
        for j in roots:
            left ^= 1 << j
    return True


def ancestors(parents: Sequence[int], members: int) -> int:
    """Some measures and all above them, as bit masks."""
    above, new = 0, members
    while new & ~above:
        above |= new
        for j, mask in enumerate(parents):
            if above >> j & 1:
                new |= mask
    return above


def components(parents: Sequence[int]) -> list[list[int]]:
    """Split the measures into the connected components of the graph, in listing order.

    Examples
    --------
    >>> components([0, 0b1, 0])
    [[0, 1], [2]]
    """
    m = len(parents)
    joined = [
        mask | sum(1 << i for i in range(m) if parents[i] >> j & 1)
        for j, mask in enumerate(parents)
    ]
    left, found = (1 << m) - 1, []
    while left:
        block = ancestors(joined, left & -left)
        found.append([j for j in range(m) if block >> j & 1])
        left &= ~block
    return found


def is_complete(parents: Sequence[int], members: Sequence[int]) -> bool:
    """Whether every two members are joined: then the component is a plain multinomial."""
    edges = sum(int(parents[j]).bit_count() for j in members)
    return edges == len(members) * (len(members) - 1) // 2


def class_pattern(
    graph: Sequence[int],
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int, int]]]:
    """What identifies a graph's equivalence class: who is joined, and which parents are unmarried.

    Equivalent graphs have the same score, and under BDeu the same distribution of θ.
    """
    above = [[i for i in range(len(graph)) if mask >> i & 1] for mask in graph]
    joined = frozenset((min(i, j), max(i, j)) for j, own in enumerate(above) for i in own)
    colliders = frozenset(
        (i, k, j)
        for j, own in enumerate(above)
        for i, k in itertools.combinations(own, 2)
        if (i, k) not in joined
    )
    return joined, colliders


def may_be_root(graph: Sequence[int], j: int) -> bool:
    """Whether a measure has no parents in some equivalent graph.

    It surely has none where no two parents of j or of its ancestors are unjoined: these can be
    turned to hang on j.
    """
    above = ancestors(graph, 1 << j)
    return not any(above >> child & 1 for _, _, child in class_pattern(graph)[1])


def closed_graph(graph: Graph, kept: int, *, equivalent: bool) -> Graph | None:
    """Return a graph in which the measures kept have no parent outside; None if none is found.

    The graph itself or, where `equivalent` ones will do, one of its class.
    """

    def is_closed(parents: Sequence[int]) -> bool:
        return all(not mask & ~kept for j, mask in enumerate(parents) if kept >> j & 1)

    if is_closed(graph):
        return graph
    pattern = class_pattern(graph)
    joined = sorted(pattern[0])
    if not equivalent or len(joined) > MOST_EDGES:
        return None
    for turned in itertools.product((False, True), repeat=len(joined)):
        parents = [0] * len(graph)
        for (i, j), turn in zip(joined, turned, strict=True):
            child, parent = (i, j) if turn else (j, i)
            parents[child] |= 1 << parent
        if is_closed(parents) and is_acyclic(parents) and class_pattern(parents) == pattern:
            return tuple(parents)
    return None


def dags(m: int, max_parents: int) -> Iterator[Graph]:
    """Yield every DAG on m nodes: 1, 3, 25, 543, 29281, … of them.

    Examples
    --------
    >>> sum(1 for _ in dags(3, 2))
    25
    """
    allowed = [
        [p for p in range(1 << m) if not p >> j & 1 and p.bit_count() <= max_parents]
        for j in range(m)
    ]
    return filter(is_acyclic, itertools.product(*allowed))


# the best of all ----------------------------------------------------------------------------------


def search_bytes(m: int) -> int:
    """Memory that the search needs for m measures, local scores included."""
    return int(8 * (m + 3) * 2**m)


def best_dag(local: FloatArray, max_parents: int) -> Graph:
    """Return the graph of the best score.

    Parameters
    ----------
    local : array (m, 2^(m−1))
        From `local_scores`; it is overwritten, as a second table of its size takes longer to
        allocate than to fill.
    max_parents : int

    Notes
    -----
    Ties between scores are broken by a fixed rule, never by rounding: the last measure in listing
    order is the sink, and the fewest, then first, parents are taken.
    """
    _maximise_within(local)
    m = len(local)
    sinks = _best_sinks(local)
    parents, left = [0] * m, (1 << m) - 1
    while left:
        child = int(sinks[left])
        left ^= 1 << child
        wanted = local[child, mask_without_gap(left, child)] - SAME_SCORE
        members = [1 << j for j in range(m) if left >> j & 1]
        sets = (
            sum(chosen)
            for size in range(max_parents + 1)
            for chosen in itertools.combinations(members, size)
        )
        # The first set within which the best score is found has it: smaller ones come before.
        parents[child] = next(
            mask for mask in sets if local[child, mask_without_gap(mask, child)] >= wanted
        )
    return tuple(parents)


@jit()
def _maximise_within(local: FloatArray) -> None:
    """Replace the score of each set of parents by the best of all its subsets."""
    m, half = local.shape
    for child in range(m):
        for index in range(half):
            value, rest = local[child, index], index
            while rest:
                low = rest & -rest
                rest ^= low
                value = max(value, local[child, index ^ low])
            local[child, index] = value


@jit()
def _best_sinks(best: FloatArray) -> NDArray[np.int8]:
    """Return the best sink of every set; a set's best score is the sum of its sinks' scores."""
    m = len(best)
    total = np.empty(1 << m)
    sinks = np.empty(1 << m, dtype=np.int8)
    total[0] = 0.0
    for members in range(1, 1 << m):
        value, sink = -np.inf, -1
        for child in range(m):
            if members >> child & 1:
                rest = members ^ (1 << child)
                candidate = total[rest] + best[child, mask_without_gap(rest, child)]
                # The later measure wins ties, so that parents are listed before children.
                if sink < 0 or candidate > value - SAME_SCORE:
                    value, sink = max(value, candidate), child
        total[members], sinks[members] = value, sink
    return sinks


# sums over all ------------------------------------------------------------------------------------


def log_sum_over_dags(local: FloatArray) -> float:
    """Log of the sum of e^score over all DAGs."""
    return float(log_attachments(parent_sums(local))[0])


@cache
def log_number_of_dags(m: int, max_parents: int) -> float:
    """Log of the number of DAGs on m nodes with at most `max_parents` parents each.

    Examples
    --------
    >>> round(math.exp(log_number_of_dags(4, 3)))
    543
    """
    return log_sum_over_dags(local_bdeu_scores(np.zeros(1 << m), m, max_parents))


def edge_probabilities(local: FloatArray) -> FloatArray:
    """P(i → j) under the posterior over all DAGs, as an (m, m) array."""
    sums = parent_sums(local)
    derivative = _derivative(sums, log_attachments(sums))
    return np.clip(_edges_from_derivative(sums, derivative), 0.0, 1.0)


@jit()
def log_add(a: float, b: float) -> float:
    """log(e^a + e^b)."""
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + math.log1p(math.exp(b - a))


@jit()
def parent_sums(local: FloatArray) -> FloatArray:
    """log A_j(U): sums over all subsets of parents, one bit after the other."""
    m, half = local.shape
    sums = local.copy()
    for child in range(m):
        for bit in range(m - 1):
            for index in range(half):
                if index >> bit & 1:
                    lower = sums[child, index ^ (1 << bit)]
                    sums[child, index] = log_add(sums[child, index], lower)
    return sums


@jit()
def attached(sums: FloatArray, union: int, sets: NDArray[np.int64], products: FloatArray) -> int:
    """List every set T of measures not in U, with Σ_{j in T} log A_j(U); return their number."""
    number = 1
    sets[0], products[0] = 0, 0.0
    for j in range(len(sums)):
        if not union >> j & 1:
            value = sums[j, mask_without_gap(union, j)]
            for t in range(number):
                sets[number + t] = sets[t] | 1 << j
                products[number + t] = products[t] + value
            number *= 2
    return number


@jit()
def _signs(size: int) -> FloatArray:
    """+1 for sets of an odd number of members, −1 for others."""
    signs = np.full(size, -1.0)
    for t in range(1, size):
        signs[t] = -signs[t & (t - 1)]
    return signs


@jit()
def log_attachments(sums: FloatArray) -> FloatArray:
    """log Q(U) for every U, each sum scaled by its largest term."""
    size = 1 << len(sums)
    log_q = np.full(size, -np.inf)
    log_q[size - 1] = 0.0
    signs, sets, products = _signs(size), np.empty(size, dtype=np.int64), np.empty(size)
    for union in range(size - 2, -1, -1):
        number = attached(sums, union, sets, products)
        top = -np.inf
        for t in range(1, number):
            products[t] += log_q[union | sets[t]]
            top = max(top, products[t])
        if top == -np.inf:
            continue
        total = 0.0
        for t in range(1, number):
            total += signs[t] * math.exp(products[t] - top)
        if total > 0.0:
            log_q[union] = top + math.log(total)
    return log_q


@jit()
def _derivative(sums: FloatArray, log_q: FloatArray) -> FloatArray:
    """Derivative of log Q(∅) in log A_j(U), for every j and U."""
    m, size = len(sums), len(log_q)
    flow = np.zeros(size)
    flow[0] = 1.0
    out = np.zeros_like(sums)
    signs, sets, products = _signs(size), np.empty(size, dtype=np.int64), np.empty(size)
    for union in range(size - 1):
        if flow[union] == 0.0 or log_q[union] == -np.inf:
            continue
        number = attached(sums, union, sets, products)
        for t in range(1, number):
            reached = union | sets[t]
            term = math.exp(log_q[reached] + products[t] - log_q[union])
            term *= signs[t] * flow[union]
            flow[reached] += term
            for j in range(m):
                if sets[t] >> j & 1:
                    out[j, mask_without_gap(union, j)] += term
    return out


@jit()
def _edges_from_derivative(sums: FloatArray, derivative: FloatArray) -> FloatArray:
    """P(i → j): the share of A_j(U) that has i among the parents, weighted by the derivative."""
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


# forests ------------------------------------------------------------------------------------------


def forest_edge_probabilities(log_weight: FloatArray) -> FloatArray:
    """P(i → j) over all graphs with at most one parent each.

    Parameters
    ----------
    log_weight : array (m, m)
        Log weight of the edge i → j relative to "j has no parent"; the diagonal is not read.

    Examples
    --------
    Two measures without data: three graphs, of which one has each edge.

    >>> forest_edge_probabilities(np.zeros((2, 2))).round(9)
    array([[0.        , 0.33333333],
           [0.33333333, 0.        ]])
    """
    return _forest_edges(np.ascontiguousarray(log_weight.T))


@jit()
def _forest_edges(step: FloatArray) -> FloatArray:
    """All in logarithms: `step[v, u]` from v to its parent u, 0 to none."""
    m = len(step)
    out = np.zeros((m, m))
    for child in range(m):
        free = _ends_elsewhere(step, child)
        total = 0.0
        for i in range(m):
            if i != child:
                total = log_add(total, step[child, i] + free[i])
        for i in range(m):
            if i != child:
                out[i, child] = math.exp(step[child, i] + free[i] - total)
    return out


@jit()
def _ends_elsewhere(step: FloatArray, child: int) -> FloatArray:
    """Log probability that a walk from each measure ends without meeting `child`."""
    m = len(step)
    rate, end, total = step.copy(), np.zeros(m), np.zeros(m)
    for v in range(m - 1, -1, -1):
        if v == child:
            continue
        # What is left: the measures before v, the child, and the end.
        total[v] = log_add(end[v], rate[v, child])
        for u in range(v):
            if u != child:
                total[v] = log_add(total[v], rate[v, u])
        for u in range(v):
            if u == child:
                continue
            share = rate[u, v] - total[v]
            end[u] = log_add(end[u], share + end[v])
            rate[u, child] = log_add(rate[u, child], share + rate[v, child])
            for x in range(v):
                if x not in (u, child):
                    rate[u, x] = log_add(rate[u, x], share + rate[v, x])
    free = np.zeros(m)
    for v in range(m):
        if v != child:
            free[v] = end[v]
            for u in range(v):
                if u != child:
                    free[v] = log_add(free[v], rate[v, u] + free[u])
            free[v] -= total[v]
    return free
