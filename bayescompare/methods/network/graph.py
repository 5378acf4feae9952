"""Graphs over the measures: learned exactly, by pgmpy's searches, or given by the user.

A graph is a tuple with one bit mask of parents per measure, in the measures' order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray
from bayescompare.kernels.network.bd import bd_local_score, bd_local_scores
from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets
from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.dag_posterior import is_acyclic, local_scores
from bayescompare.kernels.network.dag_search import best_dag, best_dag_of
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.statements import Statements

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "SEARCHES",
    "Graph",
    "GraphScores",
    "default_max_parents",
    "edges_of",
    "graph_class_pattern",
    "graph_of",
]

Graph = tuple[int, ...]

SEARCHES = ("exact", "hill-climb", "ges")

#: Measures up to which all subsets fit into memory, and all DAGs can be summed over.
MOST_SEARCHED = 22
MOST_SUMMED = 16


def default_max_parents(statements: Statements) -> int:
    """max(1, min(m − 1, ⌊log_r(n/10)⌋)) with r the largest arity.

    With more configurations of the parents than data, BDeu at ESS 1 finds spurious dense graphs.
    """
    m, n = len(statements.measures), len(statements.datasets)
    widest = math.log(max(statements.arities))
    # A whisker above, or n = 10 r^k falls one short by rounding.
    affordable = math.floor(math.log(max(n, 10) / 10) / widest + 1e-12)
    return max(1, min(m - 1, affordable))


@dataclass(frozen=True)
class GraphScores:
    """Scores of graphs on one table of statements, on demand or all at once.

    BDeu, from g(S) of subsets of the measures; or BD, where `alpha` has the parameters of the
    tables' rows by measure and state.
    """

    statements: Statements
    ess: float
    max_parents: int
    alpha: tuple[tuple[float, ...], ...] | None = None

    @property
    def prior(self) -> CellPrior:
        """Prior parameters of the tables' cells."""
        return CellPrior(self.ess, self.alpha)

    @cached_property
    def _known(self) -> dict[int, float]:
        return {0: 0.0}

    @cached_property
    def _known_local(self) -> dict[tuple[int, int], float]:
        return {}

    def subset(self, mask: int) -> float:
        """g(S) of one subset of the measures, computed by itself."""
        if mask not in self._known:
            table = self.statements.table
            members = [j for j in range(mask.bit_length()) if mask >> j & 1]
            _, cell = np.unique(table.states[:, members], axis=0, return_inverse=True)
            counts = np.bincount(cell.ravel(), weights=table.counts)
            log_alpha = math.log(self.ess) - sum(
                math.log(self.statements.arities[j]) for j in members
            )
            whole = float(log_rising_gamma(math.log(self.ess), counts.sum()))
            self._known[mask] = float(log_rising_gamma(log_alpha, counts).sum()) - whole
        return self._known[mask]

    def local(self, child: int, parents: int) -> float:
        """Score of a measure given its parents."""
        if self.alpha is None:
            return self.subset(parents | 1 << child) - self.subset(parents)
        if (child, parents) not in self._known_local:
            table, own = self.statements.table, self.alpha[child]
            score = bd_local_score(table.states, table.counts, own, child, parents)
            self._known_local[child, parents] = score
        return self._known_local[child, parents]

    def graph(self, parents: Sequence[int]) -> float:
        """Score of a graph: log evidence of its tables."""
        return sum(self.local(child, mask) for child, mask in enumerate(parents))

    @cached_property
    def subsets(self) -> FloatArray:
        """g(S) of all subsets up to the size that the parents' limit needs."""
        table, m = self.statements.table, len(self.statements.measures)
        logs = np.array([math.log(r) for r in self.statements.arities])
        largest = min(self.max_parents, m - 1) + 1
        return bdeu_scores_of_subsets(table.states, table.counts, logs, self.ess, largest)

    @cached_property
    def local_table(self) -> FloatArray:
        """Local score of every child and set of parents, for sums over all graphs."""
        m = len(self.statements.measures)
        if m > MOST_SUMMED:
            raise BayescompareError(
                f"{m} measures: summing over all graphs costs 3^{m} steps and is offered up to "
                f"{MOST_SUMMED}; compare on fewer measures, or use average=False."
            )
        return self._local_table()

    def _local_table(self) -> FloatArray:
        table, m = self.statements.table, len(self.statements.measures)
        most = min(self.max_parents, m - 1)
        if self.alpha is None:
            return local_scores(self.subsets, m, most)
        return bd_local_scores(table.states, table.counts, self.alpha, most)

    def best(self) -> Graph:
        """Find the graph of the best score, exactly."""
        m = len(self.statements.measures)
        most = min(self.max_parents, m - 1)
        if self.alpha is None:
            return tuple(best_dag(self.subsets, m, most))
        return tuple(best_dag_of(self._local_table(), most))


def graph_of(graph: Any, measures: Sequence[str]) -> Graph:
    """Read a user's graph: a pgmpy DAG, any networkx DiGraph, or pairs (parent, child)."""
    nodes, edges = _network_test_graph_parts(graph)
    for name in nodes:
        if name not in measures:
            raise BayescompareError(
                f"search names measure {name!r}, which these results do not have "
                f"({', '.join(measures)}).{did_you_mean(str(name), measures)}"
            )
    missing = [name for name in measures if name not in nodes]
    if missing and hasattr(graph, "nodes"):
        raise BayescompareError(
            f"search, your graph, lacks the measure(s) {', '.join(missing)}: add them as nodes, "
            "without edges if they stand alone."
        )
    place = {name: j for j, name in enumerate(measures)}
    parents = [0] * len(measures)
    for parent, child in edges:
        parents[place[child]] |= 1 << place[parent]
    if any(mask >> j & 1 for j, mask in enumerate(parents)) or not is_acyclic(tuple(parents)):
        raise BayescompareError(
            f"search, your graph, has a cycle: {_network_test_graph_cycle(parents, measures)}; "
            "it must not."
        )
    return tuple(parents)


def edges_of(graph: Sequence[int], measures: Sequence[str]) -> list[tuple[str, str]]:
    """The edges (parent, child) by name."""
    return [
        (measures[i], child)
        for child, mask in zip(measures, graph, strict=True)
        for i in range(len(measures))
        if mask >> i & 1
    ]


def graph_class_pattern(
    graph: Graph,
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int, int]]]:
    """What identifies a graph's equivalence class: who is joined, and which parents are unmarried.

    Equivalent graphs have the same score, and under BDeu the same distribution of θ.
    """
    m = len(graph)
    joined = frozenset(
        (min(i, j), max(i, j)) for j in range(m) for i in range(m) if graph[j] >> i & 1
    )
    colliders = frozenset(
        (i, k, j)
        for j in range(m)
        for i in range(m)
        for k in range(i + 1, m)
        if graph[j] >> i & 1 and graph[j] >> k & 1 and (i, k) not in joined
    )
    return joined, colliders


def _network_test_graph_parts(graph: Any) -> tuple[list[Any], list[tuple[Any, Any]]]:
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        if hasattr(graph, "is_directed") and not graph.is_directed():
            raise BayescompareError("search is an undirected graph: give a DiGraph or a DAG.")
        return list(graph.nodes()), [tuple(edge[:2]) for edge in graph.edges()]
    if isinstance(graph, Iterable):
        edges = [tuple(edge) for edge in graph if isinstance(edge, (tuple, list))]
        if len(edges) == len(list(graph)) and all(len(edge) == 2 for edge in edges):
            return [name for edge in edges for name in edge], edges
    raise BayescompareError(
        f"search={graph!r}: give one of {', '.join(SEARCHES)}, a pgmpy DAG, a networkx DiGraph or "
        "pairs (parent, child)."
    )


def _network_test_graph_cycle(parents: Sequence[int], measures: Sequence[str]) -> str:
    import networkx as nx

    whole: nx.DiGraph[str] = nx.DiGraph(edges_of(parents, measures))
    return " → ".join([*(edge[0] for edge in nx.find_cycle(whole)), nx.find_cycle(whole)[0][0]])
