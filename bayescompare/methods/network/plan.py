"""Would more datasets settle it? Predicted by the network, then learned and answered anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.network.ancestral import ancestral_states
from bayescompare.kernels.network.dag_sampling import DagSampler
from bayescompare.kernels.network.statements import network_states_of_largest
from bayescompare.methods.network.answer import (
    graph_maximum,
    graph_weights,
    network_part_maxima,
    network_tables_of,
)
from bayescompare.methods.network.graph import Graph, GraphScores, default_max_parents
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.network import Network

__all__ = ["plan_network"]


#: Draws behind each simulated answer of an average, graphs where they are sampled, and the error
#: asked for of one graph's answer: enough to tell on which side of a threshold it is.
_DRAWS = 4000
_GRAPHS = 100
_ERROR = 0.01


def plan_network(
    method: Network, results: Results
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds so many predicted datasets, and answers again.

    A graph is drawn where the answer is averaged over graphs, then its tables, then the datasets.
    With them the graph is searched for anew, or the average is taken anew.
    """
    scores = method.scores(results)
    m = len(results.measures)
    sampler = DagSampler(scores.local_table) if method.average else None
    found = method.graph(scores)

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        graph = found if sampler is None else sampler.draw(rng)
        tables = network_tables_of(scores.statements, graph, range(m), scores.prior)
        (states,) = ancestral_states(tables, tables.log_draws(1, rng), number, rng)
        after = _network_plan_with_states(scores, states, learn_limit=method.max_parents is None)
        if method.average:
            graphs = graph_weights(after, rng, _GRAPHS)
            probability = _network_plan_averaged(after, graphs, rng)
        else:
            graphs = {method.graph(after): 1.0}
            (again,) = graphs
            maximum, _ = graph_maximum(after.statements, again, after.prior, _ERROR, rng)
            probability = maximum.probability
        # A verdict rests on what is said of each measure, too.
        parts = network_part_maxima(after, graphs, rng, draws=_DRAWS)
        return np.fmin(probability, parts.min(axis=1))

    return simulate


def _network_plan_with_states(
    scores: GraphScores, states: IntArray, *, learn_limit: bool
) -> GraphScores:
    """Add datasets with these states (number, m); statements never seen are listed last."""
    statements, table = scores.statements, scores.statements.table
    place = {tuple(row): k for k, row in enumerate(table.states.tolist())}
    rows = states.tolist()
    new = list(dict.fromkeys(tuple(row) for row in rows if tuple(row) not in place))
    place.update((row, len(table.states) + k) for k, row in enumerate(new))
    counts = np.concatenate([table.counts, np.zeros(len(new))])
    np.add.at(counts, [place[tuple(row)] for row in rows], 1.0)
    every = np.concatenate(
        [table.states, np.array(new, dtype=np.int64).reshape(-1, states.shape[1])]
    )
    more: Statements = replace(
        statements,
        datasets=(*statements.datasets, *(f"+{k}" for k in range(len(rows)))),
        table=replace(table, states=every, counts=counts),
    )
    limit = default_max_parents(more) if learn_limit else scores.max_parents
    return replace(scores, statements=more, max_parents=limit)


def _network_plan_averaged(
    scores: GraphScores, graphs: Mapping[Graph, float], rng: np.random.Generator
) -> FloatArray:
    """P(max) over all graphs, each with its share of the draws."""
    rows = scores.statements.table.states
    probability = np.zeros(len(rows))
    for graph, weight in graphs.items():
        tables = network_tables_of(scores.statements, graph, range(len(graph)), scores.prior)
        own = rows[:, list(tables.members)]
        leaders = network_states_of_largest(
            tables, tables.log_draws(math.ceil(weight * _DRAWS), rng)
        )
        leads = (leaders[:, None] == own).all(axis=-1).mean(axis=0)
        probability += weight * leads
    return probability
