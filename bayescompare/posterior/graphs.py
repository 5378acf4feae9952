r"""Graphs over the measures, after the data: the best one, the weights of all, their edges.

The log evidence of a graph is the sum of its families' scores. Before the data all graphs with few
enough parents are alike probable, so

.. math:: P(G \mid \text{data}) \propto e^{score(G)} .
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray
from bayescompare.kernels.network.graphs import (
    Graph,
    best_dag,
    class_pattern,
    dags,
    edge_probabilities,
    forest_edge_probabilities,
    is_acyclic,
    log_number_of_dags,
    log_sum_over_dags,
)
from bayescompare.kernels.network.sampling import PartitionChain, sample_dags
from bayescompare.kernels.network.scores import (
    MOST_MEASURES,
    CellPrior,
    ParentSets,
    family_scores,
    local_scores,
    number_of_sets,
)
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.statements import Statements
from bayescompare.text.numbers import count, plural, statistic_number_text

if TYPE_CHECKING:
    import networkx as nx


#: Measures up to which all graphs can be summed over.
MOST_SUMMED = 16
#: Up to this many measures every graph is enumerated, beyond it graphs are sampled exactly.
MOST_ENUMERATED = 4
SAMPLED_GRAPHS = 400
#: Classes of graphs with less posterior probability than this are left to their total's bound.
NEGLIGIBLE = 1e-9
#: Cells of the conditional tables beyond which nothing is drawn.
MOST_CELLS = 1_000_000

CHAINS = 4
#: Samples of a chain that are thrown away, then kept at first and at most.
_WARMUP, _FIRST, _MOST = 500, 1000, 8000
#: Chains walk on until the largest standard error and R-hat are below these.
_ERROR, _RHAT = 0.01, 1.01
#: Chains that disagree more than this give no answer.
_MOST_RHAT = 1.05
#: Sets of parents, of all measures together, that are scored at most.
_MOST_SETS = 3_000_000
_NOTHING_GIVEN: tuple[tuple[int, ...], tuple[int, ...]] = (), ()
#: What a set of parents that there must not be loses: e to this is 0.
_RULED_OUT = 1e6
#: Edges whose probability varies less than this between samples are not asked for their R-hat.
_MOVING = 1e-3


def default_max_parents(statements: Statements, datasets: int | None = None) -> int:
    """max(1, min(m − 1, ⌊log_r(n/10)⌋)) with r the largest arity.

    With more configurations of the parents than data, BDeu at ESS 1 finds spurious dense graphs.
    """
    m = len(statements.measures)
    n = len(statements.datasets) if datasets is None else datasets
    # A whisker above, or n = 10 r^k falls one short by rounding.
    affordable = math.floor(math.log(max(n, 10) / 10) / math.log(max(statements.arities)) + 1e-12)
    return max(1, min(m - 1, affordable))


def edges_of(graph: Sequence[int], measures: Sequence[str]) -> list[tuple[str, str]]:
    """The edges (parent, child) by name."""
    return [
        (parent, child)
        for child, mask in zip(measures, graph, strict=True)
        for i, parent in enumerate(measures)
        if mask >> i & 1
    ]


def _check_measure(name: Any, measures: Sequence[str], option: str) -> None:
    if name not in measures:
        raise BayescompareError(
            f"{option} names measure {name!r}, which these results do not have "
            f"({', '.join(measures)}).{did_you_mean(str(name), measures)}"
        )


def graph_of(graph: Any, measures: Sequence[str], option: str = "search") -> Graph:
    """Read a user's graph: a pgmpy DAG, any networkx DiGraph, or pairs (parent, child)."""
    nodes, edges = _parts_of(graph)
    for name in nodes:
        _check_measure(name, measures, option)
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
        given = "search, your graph," if option == "search" else option
        raise BayescompareError(f"{given} has a cycle: {_cycle(parents, measures)}; it must not.")
    return tuple(parents)


def _parts_of(graph: Any) -> tuple[list[Any], list[tuple[Any, Any]]]:
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        if hasattr(graph, "is_directed") and not graph.is_directed():
            raise BayescompareError("search is an undirected graph: give a DiGraph or a DAG.")
        return list(graph.nodes()), [tuple(edge[:2]) for edge in graph.edges()]
    if isinstance(graph, Iterable):
        edges = [tuple(edge) for edge in graph if isinstance(edge, (tuple, list))]
        if len(edges) == len(list(graph)) and all(len(edge) == 2 for edge in edges):
            return [name for edge in edges for name in edge], edges
    raise BayescompareError(
        f"search={graph!r}: give one of exact, hill-climb, ges, a pgmpy DAG, a networkx DiGraph or "
        "pairs (parent, child)."
    )


def _cycle(parents: Sequence[int], measures: Sequence[str]) -> str:
    import networkx as nx

    whole: nx.DiGraph[str] = nx.DiGraph(edges_of(parents, measures))
    return " → ".join([*(edge[0] for edge in nx.find_cycle(whole)), nx.find_cycle(whole)[0][0]])


@dataclass(frozen=True, eq=False)
class GraphScores:
    """Scores of graphs on one table of statements, on demand or all at once."""

    statements: Statements
    prior: CellPrior
    max_parents: int
    #: Bit masks of the parents that each measure must have, and of those that it must not.
    required: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()

    def allows(self, child: int, parents: int) -> bool:
        """Whether a measure may have these parents."""
        if not self.required:
            return True
        return not (self.required[child] & ~parents or self.forbidden[child] & parents)

    def with_counts(self, counts: FloatArray) -> GraphScores:
        """Return those of other counts."""
        table = replace(self.statements.table, counts=counts)
        return replace(self, statements=replace(self.statements, table=table))

    @cached_property
    def _known(self) -> dict[tuple[int, int], float]:
        return {}

    def local(self, child: int, parents: int) -> float:
        """Score of a measure given its parents."""
        if not self.allows(child, parents):
            return -math.inf
        if (child, parents) not in self._known:
            table, arities = self.statements.table, self.statements.arities
            own = family_scores(table.states, table.counts, arities, self.prior, child, [parents])
            self._known[child, parents] = float(own[0])
        return self._known[child, parents]

    def graph(self, parents: Sequence[int]) -> float:
        """Score of a graph: log evidence of its tables."""
        return sum(self.local(child, mask) for child, mask in enumerate(parents))

    @property
    def most(self) -> int:
        """The most parents that a measure can have."""
        return min(self.max_parents, len(self.statements.measures) - 1)

    def _local_table(self) -> FloatArray:
        table, arities = self.statements.table, self.statements.arities
        local = local_scores(table.states, table.counts, arities, self.prior, self.most)
        if self.required:
            index = np.arange(local.shape[1])
            for child, (must, never) in enumerate(zip(self.required, self.forbidden, strict=True)):
                low = (1 << child) - 1
                parents = (index & low) | (index & ~low) << 1
                local[child, (parents & must != must) | (parents & never != 0)] = -np.inf
        return local

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

    @property
    def flat_table(self) -> FloatArray:
        """The same where the data say nothing: 0 for every set of parents that there may be."""
        return np.where(np.isfinite(self.local_table), 0.0, -np.inf)

    def best(self) -> Graph:
        """Find the graph of the best score, exactly."""
        return best_dag(self._local_table(), self.most)

    @property
    def log_graphs(self) -> float:
        """Logarithm of the number of graphs."""
        if self.required:
            return log_sum_over_dags(self.flat_table)
        return log_number_of_dags(len(self.statements.measures), self.most)

    @property
    def log_mean(self) -> float:
        """Log evidence of the data, averaged over all graphs."""
        return log_sum_over_dags(self.local_table) - self.log_graphs

    def tables(self, graph: Graph, members: Iterable[int] | None = None) -> NetworkTables:
        """Count the conditional tables of all measures or of some, if they fit."""
        statements = self.statements
        chosen = list(range(len(graph)) if members is None else members)
        cells = sum(
            math.prod(r for i, r in enumerate(statements.arities) if graph[j] >> i & 1 or i == j)
            for j in chosen
        )
        if cells > MOST_CELLS:
            raise BayescompareError(
                f"the conditional tables of {', '.join(statements.measures[j] for j in chosen)} "
                f"have {count(cells)} cells, above the limit of {count(MOST_CELLS)}: "
                "compare fewer algorithms, use pairwise(), or max_parents=0."
            )
        table, arities = statements.table, statements.arities
        return NetworkTables.count(table.states, table.counts, arities, graph, chosen, self.prior)


@dataclass(frozen=True, eq=False)
class GraphPrior:
    """What is believed before the data: α of the tables' cells, and which graphs there may be.

    Attributes
    ----------
    cells : CellPrior
    max_parents : int, "auto" or None
        Most parents of a measure; "auto": as many as the number of datasets affords; None: any.
    find : callable
        Finds the graph by its scores, or returns the one that was given.
    is_learned : bool
        Whether the graph depends on the data.
    is_averaged : bool
        Whether θ is averaged over all graphs; else it is that of the one found.
    required, forbidden : tuple of (str, str)
        Edges (parent, child) that every graph has, and that none has.
    """

    cells: CellPrior
    max_parents: int | str | None = "auto"
    find: Callable[[GraphScores], Graph] = GraphScores.best
    is_learned: bool = True
    is_averaged: bool = False
    required: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()

    def scores(self, statements: Statements, datasets: int | None = None) -> GraphScores:
        """Scores of graphs under this prior; so many `datasets` may limit the parents."""
        limit, masks = self.max_parents, _NOTHING_GIVEN
        if limit is None:
            limit = len(statements.measures) - 1
        most = default_max_parents(statements, datasets) if isinstance(limit, str) else limit
        if self.required or self.forbidden:
            masks = self._masks(statements.measures)
            most = max(most, *(mask.bit_count() for mask in masks[0]))
            if isinstance(limit, int) and most > limit:
                raise BayescompareError(
                    f"required gives a measure {most} parents, and max_parents={limit}: allow more."
                )
        return GraphScores(statements, self.cells, most, *masks)

    def _masks(self, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Parents that each measure must have, and must not."""
        must = graph_of(self.required, names, "required") if self.required else (0,) * len(names)
        never = [0] * len(names)
        for parent, child in self.forbidden:
            for name in (parent, child):
                _check_measure(name, names, "forbidden")
            never[names.index(child)] |= 1 << names.index(parent)
        both = edges_of([a & b for a, b in zip(must, never, strict=True)], names)
        if both:
            raise BayescompareError(
                f"required and forbidden both name the edge {' → '.join(both[0])}: choose one."
            )
        return tuple(must), tuple(never)


def graph_weights(
    scores: GraphScores,
    rng: np.random.Generator,
    size: int = SAMPLED_GRAPHS,
    *,
    prior: bool = False,
) -> dict[Graph, float]:
    """Probability of every class of graphs, by one of its members, after the data or before.

    Up to four measures all graphs are enumerated; beyond, so many graphs are drawn exactly.
    Equivalent graphs have one distribution of θ; where they have not, each is a class.
    """
    m = len(scores.statements.measures)
    if m <= MOST_ENUMERATED:
        graphs = [
            graph
            for graph in dags(m, scores.most)
            if all(scores.allows(j, mask) for j, mask in enumerate(graph))
        ]
        logs = np.array([0.0 if prior else scores.graph(graph) for graph in graphs])
        shares = np.exp(logs - logsumexp(logs)).tolist()
    else:
        graphs = sample_dags(scores.flat_table if prior else scores.local_table, size, rng)
        shares = [1.0 / size] * size
    chosen: dict[object, Graph] = {}
    weights: dict[Graph, float] = {}
    for graph, share in zip(graphs, shares, strict=True):
        pattern = class_pattern(graph) if scores.prior.equivalent else graph
        member = chosen.setdefault(pattern, graph)
        weights[member] = weights.get(member, 0.0) + share
    total = sum(w for w in weights.values() if w > NEGLIGIBLE)
    return {graph: w / total for graph, w in weights.items() if w > NEGLIGIBLE}


# edges --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Edges:
    """P(row → column) over all graphs.

    Attributes
    ----------
    probability : array (m, m)
    mcse : array (m, m), optional
        Monte Carlo standard error; None where all graphs were summed over.
    rhat : float, optional
        The greatest R-hat of the chains.
    """

    probability: FloatArray
    mcse: FloatArray | None = None
    rhat: float | None = None


def are_summed(m: int, max_parents: int) -> bool:
    """Whether all graphs of so many measures can be summed over."""
    return m <= MOST_SUMMED or max_parents <= 1


def edge_posterior(scores: GraphScores, rng: np.random.Generator) -> Edges:
    """P(one measure is a parent of another): summed exactly, or sampled.

    Up to sixteen measures all graphs are summed over, and with at most one parent each for any
    number of measures. Beyond that, chains walk over the graphs, until their standard error and
    R-hat are small enough.
    """
    m = len(scores.statements.measures)
    if m <= MOST_SUMMED:
        return Edges(edge_probabilities(scores.local_table))
    if scores.max_parents == 0:
        return Edges(np.zeros((m, m)))
    if scores.max_parents > 1 or any(scores.required):
        return _sampled_edges(scores, rng)
    alone = np.array([scores.local(j, 0) for j in range(m)])
    given = [[scores.local(j, 1 << i) if i != j else alone[j] for j in range(m)] for i in range(m)]
    return Edges(forest_edge_probabilities(np.array(given) - alone))


def _sampled_edges(scores: GraphScores, rng: np.random.Generator) -> Edges:
    sets = _parent_sets(scores)
    sums = sets.subset_sums()
    chains = [PartitionChain(sets, sums, rng) for _ in range(CHAINS)]
    for chain in chains:
        chain.sample(_WARMUP, rng)
    draws = np.stack([chain.sample(_FIRST, rng) for chain in chains])
    while True:
        found, error, rhat = _with_errors(draws)
        size = draws.shape[1]
        if (rhat <= _RHAT and float(error.max()) <= _ERROR) or size >= _MOST:
            break
        more = np.stack([chain.sample(size, rng) for chain in chains])
        draws = np.concatenate([draws, more], axis=1)
    if not rhat <= _MOST_RHAT:
        raise BayescompareError(
            f"edges: after {plural(size, 'sample')} each, {CHAINS} chains over the graphs of "
            f"{len(sets.masks)} measures still disagree (R-hat "
            f"{statistic_number_text(rhat, levels=[_MOST_RHAT])}); give a "
            "smaller max_parents, or compare on fewer measures."
        )
    return Edges(found, error, rhat)


def _parent_sets(scores: GraphScores) -> ParentSets:
    statements = scores.statements
    m = len(statements.measures)
    wanted = m * number_of_sets(m, scores.max_parents)
    if m > MOST_MEASURES:
        raise BayescompareError(
            f"edges: {m} measures, and graphs are sampled up to {MOST_MEASURES}; give "
            "max_parents=1, or compare on fewer measures."
        )
    if wanted > _MOST_SETS:
        raise BayescompareError(
            f"edges: {m} measures with at most {plural(scores.max_parents, 'parent')} have "
            f"{count(wanted)} sets of parents, above {count(_MOST_SETS)}; give a smaller "
            "max_parents, or compare on fewer measures."
        )
    table = statements.table
    sets = ParentSets.score(
        table.states, table.counts, statements.arities, scores.prior, scores.max_parents
    )
    if not scores.required:
        return sets
    # Far below the others, so that a chain that begins without required edges finds to them.
    allowed = np.array(
        [[scores.allows(j, mask) for mask in own] for j, own in enumerate(sets.masks.tolist())]
    )
    return sets.weighed(np.where(allowed, sets.scores, sets.scores - _RULED_OUT))


def _with_errors(draws: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Means of draws (chain, draw, m, m), their standard errors, and the greatest R-hat."""
    import arviz as az
    import xarray as xr

    mean, spread = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    moving = spread > _MOVING
    error = np.zeros_like(mean)
    rhat, ess = 1.0, float(draws.shape[0] * draws.shape[1])
    if moving.any():
        kept = xr.DataArray(draws[:, :, moving], dims=("chain", "draw", "edge"))
        with warnings.catch_warnings():
            # An edge that only one chain has met has no variance in the others.
            warnings.simplefilter("ignore", RuntimeWarning)
            each = az.mcse(kept, method="mean"), az.rhat(kept), az.ess(kept, method="mean")
        # A figure that cannot be computed is taken as the worst.
        error[moving], worst, sizes = (
            np.where(np.isfinite(figure), figure, bad)
            for figure, bad in zip(each, (1.0, np.inf, 1.0), strict=True)
        )
        rhat, ess = float(worst.max()), float(sizes.min())
    # Graphs never met may have a probability of about one in so many.
    return mean, np.hypot(error, 1.0 / max(ess, 1.0)), rhat
