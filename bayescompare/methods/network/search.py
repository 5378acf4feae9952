"""The graph of a network: found exactly, by one of pgmpy's searches, or given by the user."""

from __future__ import annotations

from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.dag_search import search_bytes
from bayescompare.methods.network.graph import MOST_SEARCHED, Graph, GraphScores, graph_of
from bayescompare.methods.network.to_pgmpy import search_by_pgmpy
from bayescompare.text.numbers import memory_size_text

__all__ = ["find_graph"]


def find_graph(scores: GraphScores, how: object) -> Graph:
    """Find the graph: exactly, by one of pgmpy's searches, or take the user's."""
    m = len(scores.statements.measures)
    if how == "exact":
        if m > MOST_SEARCHED:
            raise BayescompareError(
                f"search='exact' on {m} measures would need {memory_size_text(search_bytes(m))} "
                f"(limit: {MOST_SEARCHED} measures); use search='hill-climb'."
            )
        return scores.best()
    if isinstance(how, str):
        return search_by_pgmpy(scores, how)
    return graph_of(how, scores.statements.measures)
