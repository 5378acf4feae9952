"""Covered edges, which can be turned round within an equivalence class, and layers of a graph.

An edge i → j is covered if the parents of j are those of i, and i. Turned round, the graph
expresses the same independences; all graphs that do can be reached by such turns.

References
----------
Chickering (1995), A transformational characterization of equivalent Bayesian network structures.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["turn_covered_edge", "write_dag_layers"]


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
    gain = _covered_edge_score(masks[j], scores[j], common) + _covered_edge_score(
        masks[i], scores[i], turned
    )
    gain -= _covered_edge_score(masks[i], scores[i], common) + _covered_edge_score(
        masks[j], scores[j], both
    )
    graph[i], graph[j] = turned, common
    back = _covered(graph, edges)
    if u[1] * back >= count * math.exp(min(gain, 700.0)):
        graph[i], graph[j] = common, both


@jit()
def _covered_edge_score(masks: IntArray, scores: FloatArray, mask: int) -> float:
    """The score of one set, from those sorted by mask."""
    return float(scores[np.searchsorted(masks, mask)])


@jit()
def write_dag_layers(graph: IntArray, layers: IntArray) -> None:
    """Write the layering of a graph."""
    layers[:] = 0
    left, t = (1 << len(graph)) - 1, 0
    while left:
        for v in range(len(graph)):
            if left >> v & 1 and graph[v] & left == 0:
                layers[t] |= 1 << v
        left &= ~layers[t]
        t += 1
