"""P(max) under a network, component by component, and averaged over all networks."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.dag_posterior import all_dags, local_scores
from bayescompare.kernels.network.dag_sampling import sample_dags
from bayescompare.kernels.network.forest import binary_forest_maximum, is_binary_forest
from bayescompare.kernels.network.statements import (
    NetworkTables,
    is_complete_network_part,
    network_components,
    network_states_of_largest,
)
from bayescompare.methods.network.graph import Graph, GraphScores, graph_class_pattern
from bayescompare.statements import Statements
from bayescompare.text import numbers

__all__ = [
    "MOST_ANCESTORS",
    "NetworkMaximum",
    "average_graph_maximum",
    "check_network_drawable",
    "graph_maximum",
    "graph_weights",
    "network_part_maxima",
    "network_tables_of",
    "prior_graph_weights",
    "summed_network_draws",
]


#: Cells of the conditional tables beyond which nothing is drawn.
MOST_CELLS = 1_000_000
#: Joint states up to which a complete component with parameters of its own is not drawn.
MOST_JOINT = 4096
#: Up to this many measures every graph is enumerated, beyond it graphs are sampled exactly.
MOST_ENUMERATED = 4
SAMPLED_GRAPHS = 400
MOST_SAMPLED = 20_000
#: Classes of graphs with less posterior probability than this are left to their total's bound.
NEGLIGIBLE = 1e-9
#: Equivalent sample size up to which drawn cells differ by more than rounding.
MOST_ESS = 1e15
#: Joint states of a measure and its ancestors up to which θ is summed over them.
MOST_ANCESTORS = 4096
#: Draws behind a part that has no closed form.
PART_DRAWS = 20_000
_PILOT = 4_000
#: The largest standard error that so many draws have.
_PILOT_ERROR = 0.5 / math.sqrt(_PILOT)
_BLOCK = 4_000_000


@dataclass(frozen=True)
class NetworkMaximum:
    """P(each listed statement is the most probable), with its squared error (0: exact)."""

    probability: FloatArray
    variance: FloatArray

    @property
    def exact(self) -> bool:
        """Whether nothing was drawn."""
        return not self.variance.any()


def network_tables_of(
    statements: Statements, graph: Graph, members: Iterable[int], prior: CellPrior
) -> NetworkTables:
    """Count the conditional tables of some measures, if they fit."""
    chosen = list(members)
    cells = sum(
        math.prod(r for i, r in enumerate(statements.arities) if graph[j] >> i & 1 or i == j)
        for j in chosen
    )
    if cells > MOST_CELLS:
        raise BayescompareError(
            f"the conditional tables of {', '.join(statements.measures[j] for j in chosen)} have "
            f"{numbers.count(cells)} cells, above the limit of {numbers.count(MOST_CELLS)}: "
            "compare fewer algorithms, use pairwise(), or max_parents=0."
        )
    table = statements.table
    return NetworkTables.count(table.states, table.counts, statements.arities, graph, chosen, prior)


def graph_maximum(
    statements: Statements,
    graph: Graph,
    prior: CellPrior,
    error: float,
    rng: np.random.Generator,
    *,
    exact: bool = True,
) -> tuple[NetworkMaximum, list[tuple[list[int], NetworkMaximum]]]:
    """P(max) of every listed statement under one graph, and of each component by itself.

    Parameters
    ----------
    error : float
        Monte Carlo standard error to reach in every component without an exact form.
    exact : bool
        Whether trees are exact even where the few draws of a pilot, which take less time, would
        reach that error.
    """
    parts = []
    for members in network_components(graph):
        maximum = _network_answer_of_complete(statements, graph, members, prior)
        if maximum is None and (exact or error < _PILOT_ERROR):
            maximum = _network_answer_of_tree(statements, graph, members, prior)
        if maximum is None:
            maximum = _network_answer_drawn(statements, graph, members, prior, error, rng)
        parts.append((members, maximum))
    return _network_answer_product([part for _, part in parts]), parts


def graph_weights(
    scores: GraphScores, rng: np.random.Generator, size: int | None = None
) -> dict[Graph, float]:
    """Posterior probability of every class of graphs, by one of its members.

    Up to four measures all graphs are enumerated; beyond, so many graphs are drawn exactly.
    """
    m = len(scores.statements.measures)
    return (
        _network_answer_all_graphs(scores)
        if m <= MOST_ENUMERATED
        else _network_answer_sampled_graphs(scores, rng, size)
    )


def prior_graph_weights(scores: GraphScores, rng: np.random.Generator) -> dict[Graph, float]:
    """The same before any data: every graph is as probable as another."""
    m = len(scores.statements.measures)
    most = min(scores.max_parents, m - 1)
    if m <= MOST_ENUMERATED:
        graphs = list(all_dags(m, most))
    else:
        graphs = sample_dags(local_scores(np.zeros(1 << m), m, most), SAMPLED_GRAPHS, rng)
    return _network_answer_graph_classes(
        ((graph, 1.0 / len(graphs)) for graph in graphs), scores.prior
    )


def average_graph_maximum(
    scores: GraphScores, error: float, rng: np.random.Generator
) -> NetworkMaximum:
    """P(max) averaged over the posterior of all graphs.

    Equivalent graphs have one answer, so classes are averaged. Up to four measures all graphs are
    enumerated; beyond, as many are drawn exactly from their posterior as the error asked for
    needs, a pilot telling how much graphs differ.
    """
    if len(scores.statements.measures) <= MOST_ENUMERATED:
        return _network_answer_mixture(scores, _network_answer_all_graphs(scores), error, rng)[0]
    _, between = _network_answer_mixture(
        scores, _network_answer_sampled_graphs(scores, rng), error, rng, exact=False
    )
    # Half of the squared error for the graphs, half for the draws under each.
    wanted = math.ceil(2.0 * float(between.max()) / error**2)
    size = min(max(SAMPLED_GRAPHS, wanted), MOST_SAMPLED)
    weights = _network_answer_sampled_graphs(scores, rng, size)
    mixture, between = _network_answer_mixture(
        scores, weights, error / math.sqrt(2.0), rng, exact=False
    )
    # Graphs never drawn may have a probability of about one in so many.
    unseen = 1.0 / size**2
    return NetworkMaximum(mixture.probability, mixture.variance + between / size + unseen)


def _network_answer_mixture(
    scores: GraphScores,
    weights: dict[Graph, float],
    error: float,
    rng: np.random.Generator,
    *,
    exact: bool = True,
) -> tuple[NetworkMaximum, FloatArray]:
    """Average over classes of graphs, and the variance of P between them."""
    statements = scores.statements
    probability, variance, square = (np.zeros(statements.n_listed) for _ in range(3))
    for graph, weight in weights.items():
        # Each class may err by error/√weight: weighted, the squares add up to error².
        own = error / math.sqrt(weight)
        maximum, _ = graph_maximum(statements, graph, scores.prior, own, rng, exact=exact)
        probability += weight * maximum.probability
        square += weight * maximum.probability**2
        variance += weight**2 * maximum.variance
    return NetworkMaximum(probability, variance), np.maximum(square - probability**2, 0.0)


def _network_answer_all_graphs(scores: GraphScores) -> dict[Graph, float]:
    m = len(scores.statements.measures)
    graphs = list(all_dags(m, min(scores.max_parents, m - 1)))
    logs = np.array([scores.graph(graph) for graph in graphs])
    return _network_answer_graph_classes(
        zip(graphs, np.exp(logs - logsumexp(logs)), strict=True), scores.prior
    )


def _network_answer_sampled_graphs(
    scores: GraphScores, rng: np.random.Generator, size: int | None = None
) -> dict[Graph, float]:
    drawn = sample_dags(scores.local_table, size or SAMPLED_GRAPHS, rng)
    return _network_answer_graph_classes(
        ((graph, 1.0 / len(drawn)) for graph in drawn), scores.prior
    )


def _network_answer_graph_classes(
    graphs: Iterable[tuple[Graph, float]], prior: CellPrior
) -> dict[Graph, float]:
    chosen: dict[object, Graph] = {}
    weights: dict[Graph, float] = {}
    for graph, weight in graphs:
        member = chosen.setdefault(graph_class_pattern(graph) if prior.equivalent else graph, graph)
        weights[member] = weights.get(member, 0.0) + weight
    total = sum(w for w in weights.values() if w > NEGLIGIBLE)
    return {graph: w / total for graph, w in weights.items() if w > NEGLIGIBLE}


def _network_answer_of_tree(
    statements: Statements, graph: Graph, members: list[int], prior: CellPrior
) -> NetworkMaximum | None:
    """A tree of binary measures by message passing: exact; else None."""
    if prior.ess > MOST_ESS:
        return None
    tables = network_tables_of(statements, graph, members, prior)
    if not is_binary_forest(tables):
        return None
    states, place = _network_answer_own_states(statements, tables)
    p = binary_forest_maximum(tables, states)
    return None if p is None else NetworkMaximum(p[place], np.zeros(statements.n_listed))


def _network_answer_own_states(
    statements: Statements, tables: NetworkTables
) -> tuple[IntArray, IntArray]:
    """The distinct states of a component's measures, and which of them each statement has."""
    own = statements.table.states[:, list(tables.members)]
    states, place = np.unique(own, axis=0, return_inverse=True)
    return states, place.ravel()


def _network_answer_of_complete(
    statements: Statements, graph: Graph, members: list[int], prior: CellPrior
) -> NetworkMaximum | None:
    """A complete component that is one Dirichlet over its own statements: exact; else None."""
    if not is_complete_network_part(graph, members):
        return None
    if prior.equivalent:
        cells, place = _network_answer_bdeu_cells(statements, members, prior.ess)
    else:
        tables = network_tables_of(statements, graph, members, prior)
        alpha = tables.joint_alpha()
        if alpha is None or len(alpha) > MOST_JOINT:
            return None
        own = statements.table.states[:, list(tables.members)]
        place = np.ravel_multi_index(tuple(own.T), tuple(tables.arities.tolist()))
        counts = np.bincount(place, weights=statements.table.counts, minlength=len(alpha))
        cells = DirichletCells(np.log(alpha), counts)
    p, _ = probability_of_maximum(cells)
    return NetworkMaximum(p[place], np.zeros(statements.n_listed))


def _network_answer_bdeu_cells(
    statements: Statements, members: list[int], ess: float
) -> tuple[DirichletCells, IntArray]:
    """The multinomial over the members' states: those observed, and the rest as one lump."""
    own, inverse = np.unique(statements.table.states[:, members], axis=0, return_inverse=True)
    counts = np.bincount(inverse.ravel(), weights=statements.table.counts, minlength=len(own))
    size = math.prod(statements.arities[j] for j in members)
    log_alpha = math.log(ess) - math.log(size)
    rest = math.log(size - len(own)) if size > len(own) else -math.inf
    cells = DirichletCells(np.full(len(own), log_alpha), counts, log_alpha, rest)
    return cells, inverse.ravel()


def _network_answer_drawn(
    statements: Statements,
    graph: Graph,
    members: list[int],
    prior: CellPrior,
    error: float,
    rng: np.random.Generator,
) -> NetworkMaximum:
    """Draw the tables until every probability of the component has the error asked for."""
    check_network_drawable(prior.ess)
    tables = network_tables_of(statements, graph, members, prior)
    states, place = _network_answer_own_states(statements, tables)
    hits = _network_answer_hits(tables, states, _PILOT, rng)
    p = (hits + 1.0) / (_PILOT + 2.0)
    needed = int(np.ceil((p * (1.0 - p)).max() / error**2))
    draws = max(_PILOT, needed)
    if draws > _PILOT:
        # The pilot chose the number of draws, so it is not counted among them.
        hits = _network_answer_hits(tables, states, draws, rng)
    p = hits / draws
    # Laplace's rule where a statement never, or always, led: its error is not zero but unknown.
    safe = (hits + 1.0) / (draws + 2.0)
    return NetworkMaximum(p[place], (safe * (1.0 - safe) / draws)[place])


def check_network_drawable(ess: float) -> None:
    """Reject a prior so firm that the cells drawn are all equal but for rounding.

    Which of them is largest would then be decided by the listing.
    """
    if ess > MOST_ESS:
        raise BayescompareError(
            f"ess={numbers.setting_number_text(ess)}: beyond "
            f"{numbers.setting_number_text(MOST_ESS)} the statements' "
            "probabilities are equal but for rounding, and draws cannot tell which is "
            "largest; give a smaller ess."
        )


def _network_answer_hits(
    tables: NetworkTables, states: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """How often each of `states` is the largest in so many draws of the tables."""
    index = {tuple(row): k for k, row in enumerate(states.tolist())}
    hits = np.zeros(len(states))
    step = max(1, _BLOCK // len(tables.alpha))
    for start in range(0, draws, step):
        logs = tables.log_draws(min(step, draws - start), rng)
        leaders, counts = np.unique(
            network_states_of_largest(tables, logs), axis=0, return_counts=True
        )
        for row, count in zip(leaders.tolist(), counts, strict=True):
            if tuple(row) in index:
                hits[index[tuple(row)]] += count
    return hits


def network_part_maxima(
    scores: GraphScores,
    graphs: Mapping[Graph, float],
    rng: np.random.Generator,
    *,
    draws: int = PART_DRAWS,
) -> FloatArray:
    """P of what each statement says of each measure by itself, (S, m); NaN where it is unknown.

    A measure that may be a root of an equivalent graph has a Dirichlet of its own; of others the
    sum over their ancestors is drawn.
    """
    statements, prior = scores.statements, scores.prior
    out = np.zeros(statements.table.states.shape)
    for j in range(out.shape[1]):
        for graph, weight in graphs.items():
            if _may_be_root(graph, j, equivalent=prior.equivalent):
                out[:, j] += weight * _network_answer_of_root(statements, graph, j, prior)
                continue
            size = max(100, round(weight * draws))
            drawn = summed_network_draws(statements, graph, prior, [j], size, rng)
            if drawn is None:
                out[:, j] = np.nan
                break
            # The states are sorted, and all of them there.
            leads = sole_leader(drawn[1]).mean(axis=0)
            out[:, j] += weight * leads[statements.table.states[:, j]]
    return out


def _network_answer_of_root(
    statements: Statements, graph: Graph, j: int, prior: CellPrior
) -> FloatArray:
    """P of the state that each statement names of a measure that depends on no other."""
    if prior.equivalent:
        cells, place = _network_answer_bdeu_cells(statements, [j], prior.ess)
    else:
        tables = network_tables_of(statements, graph, [j], prior)
        place = statements.table.states[:, j]
        counts = np.bincount(place, statements.table.counts, minlength=len(tables.alpha))
        cells = DirichletCells(np.log(tables.alpha), counts)
    return probability_of_maximum(cells)[0][place]


def _may_be_root(graph: Graph, j: int, *, equivalent: bool) -> bool:
    """Whether a measure has no parents, or an equivalent graph surely has it without any.

    Where no two parents of j or of its ancestors are unjoined, these can be turned to hang on j.
    """
    if not graph[j] or not equivalent:
        return not graph[j]
    above, new = 0, 1 << j
    while new & ~above:
        above |= new
        new = functools.reduce(
            operator.or_, (graph[i] for i in range(len(graph)) if above >> i & 1)
        )
    return all(
        graph[a] >> b & 1 or graph[b] >> a & 1
        for i in range(len(graph))
        if above >> i & 1
        for a, b in itertools.combinations([p for p in range(len(graph)) if graph[i] >> p & 1], 2)
    )


def summed_network_draws(
    statements: Statements,
    graph: Graph,
    prior: CellPrior,
    measures: list[int],
    draws: int,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray] | None:
    """Draw θ of some measures, summed over all others.

    Returns the joint states of these measures (K, m') and their θ (draws, K); None where too many
    states of their ancestors would have to be summed over.
    """
    above = set(measures)
    while more := {i for j in above for i in range(len(graph)) if graph[j] >> i & 1} - above:
        above |= more
    chosen = sorted(above)
    sizes = [statements.arities[j] for j in chosen]
    if math.prod(sizes) > MOST_ANCESTORS:
        return None
    states = np.zeros((math.prod(sizes), len(statements.measures)), dtype=np.int64)
    grid = np.meshgrid(*map(np.arange, sizes), indexing="ij")
    states[:, chosen] = np.stack(grid, axis=-1).reshape(-1, len(chosen))
    tables = network_tables_of(statements, graph, chosen, prior)
    cells = tables.cells(states)
    own, place = np.unique(states[:, measures], axis=0, return_inverse=True)
    theta = np.zeros((draws, len(own)))
    step = max(1, 2_000_000 // len(states))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        joint = np.exp(tables.log_draws(size, rng)[:, cells].sum(axis=-1))
        np.add.at(theta[start : start + size].T, place.ravel(), joint.T)
    return own, theta


def _network_answer_product(parts: list[NetworkMaximum]) -> NetworkMaximum:
    """Independent components: probabilities multiply, relative squared errors add."""
    probability = np.prod([part.probability for part in parts], axis=0)
    others = [
        np.prod([p.probability for p in parts if p is not part], axis=0) if len(parts) > 1 else 1.0
        for part in parts
    ]
    variance = sum(o**2 * part.variance for o, part in zip(others, parts, strict=True))
    return NetworkMaximum(probability, np.asarray(variance))
