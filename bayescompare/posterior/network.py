r"""`NetworkPosterior`: θ as a product of conditional tables, of one graph or averaged over graphs.

.. math:: p(\theta \mid \text{data}) = \sum_G w_G \prod_{j, c}
          \mathrm{Dir}(\theta_{j \mid c};\, \alpha_{jc} + n_{jc}), \qquad
          \theta(x) = \prod_j \theta_{j \mid pa_j(x)}(x_j), \qquad w_G \propto e^{score(G)}

One graph has the weight one. Independent groups of measures multiply, and each has its P(max) in
closed form where it is a plain Dirichlet or a tree of binary measures; else its tables are drawn.
Sums of θ over measures are networks again where the measures kept have no parents outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.network.graphs import (
    Graph,
    ancestors,
    closed_graph,
    components,
    is_complete,
    may_be_root,
)
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.network.tables import NetworkTables, joint_states
from bayescompare.kernels.network.trees import is_binary_tree, tree_maximum
from bayescompare.kernels.orders import WeightTable
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.graphs import (
    MOST_ENUMERATED,
    SAMPLED_GRAPHS,
    GraphPrior,
    GraphScores,
    graph_weights,
)
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, Statements
from bayescompare.text.numbers import count

#: Joint states up to which a complete component with parameters of its own is not drawn.
MOST_JOINT = 4096
#: Joint states of a measure and its ancestors up to which θ is summed over them.
MOST_ANCESTORS = 4096
#: Cells of tables that are drawn in all: very wide tables get fewer draws.
MOST_DRAWN = 200_000_000
#: Most graphs that are drawn for an average.
MOST_SAMPLED = 20_000
#: Draws behind what has no closed form under a network: parts, intervals, orders.
_DRAWS = 20_000
_PILOT = 4_000
#: The largest standard error that so many draws have.
_PILOT_ERROR = 0.5 / math.sqrt(_PILOT)
#: Numbers held at once.
_BLOCK = 4_000_000
_BLOCK_OF_SUMS = 2_000_000


class MonteCarlo(NamedTuple):
    """How P(max) is drawn where it has no closed form.

    Attributes
    ----------
    error : float
        Standard error to reach.
    rng : numpy.random.Generator
    is_rough : bool
        Whether to draw just enough to tell on which side of a threshold P is, as plans need.
    """

    error: float
    rng: np.random.Generator
    is_rough: bool = False

    @property
    def draws(self) -> int:
        """Draws of a part that has no closed form."""
        return _PILOT if self.is_rough else _DRAWS


class Learned(NamedTuple):
    """What the data say of graphs: scores, the graph found or given, and the weight of each."""

    scores: GraphScores
    graph: Graph
    weights: dict[Graph, float]


class Maximum(NamedTuple):
    """P(each listed statement is the most probable), with its squared error (0: exact)."""

    probability: FloatArray
    variance: FloatArray

    @classmethod
    def certain(cls, probability: FloatArray) -> Maximum:
        """One without an error."""
        return cls(probability, np.zeros_like(probability))

    @property
    def exact(self) -> bool:
        """Whether nothing was drawn."""
        return not self.variance.any()


class DrawnSums(NamedTuple):
    """Sums of θ over the other measures, drawn: (D, K), for all joint states (K, m) of some.

    With the statements about these measures that are listed.
    """

    statements: Statements
    states: IntArray
    theta: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkPosterior:
    """A posterior of θ over the listed statements, its tables independent Dirichlets.

    Attributes
    ----------
    evidence : Evidence
        What it is the posterior of: every dataset counted.
    prior : GraphPrior
    monte_carlo : MonteCarlo
    """

    evidence: Evidence
    prior: GraphPrior
    monte_carlo: MonteCarlo

    #: P(no statement leads, because several are equal): none, as θ has a density.
    none_leads: ClassVar[float] = 0.0

    @property
    def _statements(self) -> Statements:
        return self.evidence.statements

    @property
    def _rows(self) -> IntArray:
        """States of the listed statements, (S, m)."""
        return self._statements.table.states

    @cached_property
    def learned(self) -> Learned:
        """Scores, the graph, and the weights that θ is averaged with."""
        scores = self.prior.scores(self._statements)
        graph = self.prior.find(scores)
        if not self.prior.is_averaged:
            return Learned(scores, graph, {graph: 1.0})
        size = 100 if self.monte_carlo.is_rough else SAMPLED_GRAPHS
        return Learned(scores, graph, graph_weights(scores, self.monte_carlo.rng, size))

    # the most probable statement ------------------------------------------------------------------

    @cached_property
    def _maximum(self) -> Maximum:
        """P(θ_s is the largest) of each listed statement, with its squared error."""
        error, rng, is_rough = self.monte_carlo
        scores, graph, weights = self.learned
        if not self.prior.is_averaged:
            return _product([part for _, part in self.components])
        if is_rough:
            return self._shared_draws(rng)
        if len(graph) <= MOST_ENUMERATED:
            return self._averaged(weights, error, rng)[0]
        # As many graphs as the error asked for needs, a pilot telling how much they differ: half
        # of the squared error is for the graphs, half for the draws under each.
        _, between = self._averaged(weights, error, rng, exact=False)
        wanted = math.ceil(2.0 * float(between.max()) / error**2)
        size = min(max(SAMPLED_GRAPHS, wanted), MOST_SAMPLED)
        weights = graph_weights(scores, rng, size)
        own, between = self._averaged(weights, error / math.sqrt(2.0), rng, exact=False)
        # Graphs never drawn may have a probability of about one in so many.
        return Maximum(own.probability, own.variance + between / size + 1.0 / size**2)

    @cached_property
    def components(self) -> list[tuple[list[int], Maximum]]:
        """The independent groups of measures of the graph, each with P(max) by itself."""
        scores, graph, _ = self.learned
        error = 0.01 if self.monte_carlo.is_rough else self.monte_carlo.error
        rng = self.monte_carlo.rng
        return [
            (members, _component_maximum(scores, graph, members, error, rng))
            for members in components(graph)
        ]

    def _averaged(
        self,
        weights: dict[Graph, float],
        error: float,
        rng: np.random.Generator,
        *,
        exact: bool = True,
    ) -> tuple[Maximum, FloatArray]:
        """Average over classes of graphs, and the variance of P between them."""
        probability, variance, square = (np.zeros(len(self._rows)) for _ in range(3))
        for graph, weight in weights.items():
            # Each class may err by error/√weight: weighted, the squares add up to error².
            own = error / math.sqrt(weight)
            each = _product(
                [
                    _component_maximum(self.learned.scores, graph, members, own, rng, exact=exact)
                    for members in components(graph)
                ]
            )
            probability += weight * each.probability
            square += weight * each.probability**2
            variance += weight**2 * each.variance
        return Maximum(probability, variance), np.maximum(square - probability**2, 0.0)

    def _shared_draws(self, rng: np.random.Generator) -> Maximum:
        """Average over graphs, each with its share of the draws."""
        probability, draws = np.zeros(len(self._rows)), self.monte_carlo.draws
        for graph, weight in self.learned.weights.items():
            tables = self.learned.scores.tables(graph)
            own = self._rows[:, list(tables.members)]
            leaders = tables.largest(tables.log_draws(math.ceil(weight * draws), rng))
            probability += weight * (leaders[:, None] == own).all(axis=-1).mean(axis=0)
        return Maximum(probability, probability * (1.0 - probability) / draws)

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each listed statement, and last of all others together."""
        p = self._maximum.probability
        rest = 1.0 - float(p.sum()) if self._statements.size > len(p) else 0.0
        return np.append(p, max(0.0, rest))

    def mcse(self) -> FloatArray | None:
        """Standard error of `p_max`; None where it is exact."""
        variance = self._maximum.variance
        return None if self._maximum.exact else np.sqrt(np.append(variance, variance.sum()))

    # θ itself -------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> DirichletMixture | None:
        """The same where the graph is complete under BDeu: a Dirichlet over statements."""
        scores, graph, _ = self.learned
        everything = range(len(graph))
        is_plain = not self.prior.is_averaged and scores.prior.equivalent
        if not is_plain or not is_complete(graph, everything):
            return None
        component, _, _ = _bdeu(scores, list(everything))
        return DirichletMixture.of(self.evidence, DirichletPrior.of(component))

    def _drawn(self, states: AnyArray) -> FloatArray:
        """θ of some statements, (D, Q), in draws that are the same at every call."""
        fixed, each = np.random.default_rng(0), []
        for graph, weight in self.learned.weights.items():
            tables = self.learned.scores.tables(graph)
            cells, size = tables.cells(states), len(tables.alpha)
            draws = max(1, round(weight * min(_DRAWS, max(1000, MOST_DRAWN // size))))
            step = max(1, _BLOCK // size)
            for start in range(0, draws, step):
                logs = tables.log_draws(min(step, draws - start), fixed)
                each.append(logs[:, cells].sum(axis=-1))
        return np.asarray(np.exp(np.concatenate(each)))

    def mean(self) -> FloatArray:
        """E θ of each listed statement: P(it holds on a new dataset)."""
        mean = np.zeros(len(self._rows))
        for graph, weight in self.learned.weights.items():
            tables = self.learned.scores.tables(graph)
            mean += weight * np.exp(tables.log_mean()[tables.cells(self._rows)].sum(axis=-1))
        return mean

    def shares(self, s: int) -> tuple[FloatArray, float | None, float]:
        """Central 95 % intervals of the listed statements; P(θ_s > its opposite's), P(θ_s > ½).

        The intervals, (2, S), are NaN beyond the 255 most frequent. The opposite, with every
        ordering reversed, need not be listed; there is none where it is s itself or names an order
        that nobody saw.
        """
        rows, opposite = self._rows, self._statements.opposite_states(s)
        if self._plain is not None:
            beats = None
            if opposite is not None:
                place = np.flatnonzero((rows == opposite).all(axis=1))
                beats = self._plain.order(s, int(place[0]) if len(place) else None)
            return self._plain.intervals(), beats, self._plain.majority(s)
        many = self._statements.size > DENSE
        shown = self._statements.leading(DENSE - 1) if many else np.arange(len(rows))
        other = rows[:0] if opposite is None else np.array([opposite])
        theta, out = self._drawn(np.concatenate([rows[shown], rows[[s]], other])), len(shown)
        intervals = np.full((2, len(rows)), np.nan)
        intervals[:, shown] = np.quantile(theta[:, :out], (0.025, 0.975), axis=0)
        own = theta[:, out]
        ahead = None if opposite is None else float((own > theta[:, -1]).mean())
        return intervals, ahead, float((own > 0.5).mean())

    # sums of θ ------------------------------------------------------------------------------------

    def events(
        self, measures: Sequence[str], draws: int, rng: np.random.Generator
    ) -> NetworkPosterior | DrawnSums:
        """Sum θ over all but some measures.

        It is a network again where these have no parents outside, in the graph or in an equivalent
        one; else (a common child without its parents) no network equals it, and it is drawn.
        """
        scores, graph, _ = self.learned
        columns = [self._statements.measures.index(name) for name in measures]
        kept, place = sum(1 << j for j in columns), {j: k for k, j in enumerate(columns)}
        statements = _projected(self._statements, columns)
        closed = closed_graph(graph, kept, equivalent=scores.prior.equivalent)
        if closed is None:
            drawn = self._sums(graph, columns, draws, rng)
            if drawn is None:
                raise BayescompareError(
                    f"on({list(measures)}): these measures and those they depend on have more "
                    f"than {count(MOST_ANCESTORS)} joint states; ask about more of them together, "
                    "or compare on the subset anew."
                )
            return DrawnSums(statements, *drawn)
        smaller = tuple(sum(1 << place[i] for i in columns if closed[j] >> i & 1) for j in columns)
        alpha = scores.prior.alpha
        cells = CellPrior(
            scores.prior.ess, None if alpha is None else tuple(alpha[j] for j in columns)
        )
        prior = GraphPrior(cells, scores.max_parents, lambda _: smaller, is_learned=False)
        return replace(self, evidence=Evidence.counted(statements), prior=prior)

    def parts(self) -> FloatArray:
        """P of what each statement says of each measure by itself, (S, m); NaN where unknown.

        A measure that may be a root of an equivalent graph has a Dirichlet of its own; of others
        the sum over their ancestors is drawn, the same at every call.
        """
        fixed = self.monte_carlo.rng if self.monte_carlo.is_rough else np.random.default_rng(0)
        prior, out = self.prior.cells, np.zeros(self._rows.shape)
        for j in range(out.shape[1]):
            for graph, weight in self.learned.weights.items():
                if not graph[j] or (prior.equivalent and may_be_root(graph, j)):
                    root = [0] * len(graph)
                    own = _complete_maximum(self.learned.scores, root, [j])
                    assert own is not None
                    out[:, j] += weight * own
                    continue
                size = max(100, round(weight * self.monte_carlo.draws))
                drawn = self._sums(graph, [j], size, fixed)
                if drawn is None:
                    out[:, j] = np.nan
                    break
                # The states are sorted, and all of them there.
                out[:, j] += weight * sole_leader(drawn[1]).mean(axis=0)[self._rows[:, j]]
        return out

    def _sums(
        self, graph: Graph, columns: Sequence[int], draws: int, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray] | None:
        """Draw sums over all other measures: joint states (K, m') and θ (draws, K).

        None where too many states of their ancestors would have to be summed over.
        """
        above = ancestors(graph, sum(1 << j for j in columns))
        members = [j for j in range(len(graph)) if above >> j & 1]
        size = math.prod(self._statements.arities[j] for j in members)
        if size > MOST_ANCESTORS:
            return None
        tables = self.learned.scores.tables(graph, members)
        step = max(1, _BLOCK_OF_SUMS // size)
        blocks = [
            tables.summed(columns, tables.log_draws(min(step, draws - start), rng))
            for start in range(0, draws, step)
        ]
        return blocks[0][0], np.concatenate([theta for _, theta in blocks])

    # the data and other data ----------------------------------------------------------------------

    def _log_evidence(self, scores: GraphScores, graph: Graph) -> float:
        return scores.log_mean if self.prior.is_averaged else scores.graph(graph)

    @property
    def log_evidence(self) -> float:
        """Log evidence of the data: of the graph, or averaged over all graphs."""
        return self._log_evidence(self.learned.scores, self.learned.graph)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, (n,) each.

        Differences of log evidences. What was learned is learned anew without the dataset: a graph
        that all data chose would have seen the dataset that it predicts.
        """
        scores, graph, _ = self.learned
        table, n = self._statements.table, len(self._statements.datasets)
        whole, without, within = self.log_evidence, np.empty(n), np.empty(n)
        relearns = self.prior.is_learned and not self.prior.is_averaged
        for i in range(n):
            mine = table.dataset == i
            own = np.bincount(table.statement[mine], table.weight[mine], len(table.counts))
            # Counts that a left-out dataset empties must be exactly zero.
            less = np.where(table.counts - own < 1e-9, 0.0, table.counts - own)
            rest, more = scores.with_counts(less), scores.with_counts(table.counts + own)
            within[i] = self._log_evidence(more, graph) - whole
            if relearns:
                rest = self.prior.scores(rest.statements, n - 1)
                chosen = self.prior.find(rest)
                without[i] = scores.graph(chosen) - rest.graph(chosen)
            else:
                without[i] = whole - self._log_evidence(rest, graph)
        return without, within

    def predict(self, number: int, size: int, rng: np.random.Generator) -> IntArray:
        """Draw so many new datasets, (size, number, m): the state of each measure."""
        states = np.empty((size, number, len(self._statements.measures)), dtype=np.int64)
        for here, tables in self._chosen(size, number, rng):
            states[here] = tables.new_states(tables.log_draws(len(here), rng), number, rng)
        return states

    def _chosen(
        self, size: int, number: int, rng: np.random.Generator
    ) -> Iterator[tuple[IntArray, NetworkTables]]:
        """Choose a graph for each draw: which draws have it, in blocks, and its tables."""
        graphs, shares = zip(*self.learned.weights.items(), strict=True)
        chosen = rng.choice(len(graphs), size=size, p=shares)
        for g in np.unique(chosen).tolist():
            tables, here = self.learned.scores.tables(graphs[g]), np.flatnonzero(chosen == g)
            step = max(1, _BLOCK // max(len(tables.alpha), number * int(tables.arities.max())))
            for start in range(0, len(here), step):
                yield here[start : start + step], tables

    def with_more(self, states: IntArray, monte_carlo: MonteCarlo) -> NetworkPosterior:
        """Return the posterior after further datasets, as `predict` gives them, (number, m).

        The graph is learned anew. Statements that were not listed are listed last.
        """
        statements, table = self._statements, self._statements.table
        place = {tuple(row): k for k, row in enumerate(table.states.tolist())}
        rows = [tuple(row) for row in states.tolist()]
        for row in rows:
            place.setdefault(row, len(place))
        counts = np.zeros(len(place))
        counts[: len(table.counts)] = table.counts
        np.add.at(counts, [place[row] for row in rows], 1.0)
        every = np.array(list(place), dtype=np.int64).reshape(len(place), -1)
        more: Statements = replace(
            statements,
            datasets=(*statements.datasets, *(f"+{k}" for k in range(len(rows)))),
            table=replace(table, states=every, counts=counts),
        )
        return replace(self, evidence=Evidence.counted(more), monte_carlo=monte_carlo)


# components ---------------------------------------------------------------------------------------


def _component_maximum(
    scores: GraphScores,
    graph: Graph,
    members: list[int],
    error: float,
    rng: np.random.Generator,
    *,
    exact: bool = True,
) -> Maximum:
    """P(max) of one component: exactly where it can be, else drawn to this error.

    ``exact=False`` also draws trees, where the few draws of a pilot, which take less time than
    messages, reach the error.
    """
    if is_complete(graph, members):
        p = _complete_maximum(scores, graph, members)
        if p is not None:
            return Maximum.certain(p)
    tables = scores.tables(graph, members)
    own = scores.statements.table.states[:, list(tables.members)]
    states, place = np.unique(own, axis=0, return_inverse=True)
    place = place.ravel()
    if (exact or error < _PILOT_ERROR) and is_binary_tree(tables):
        p = tree_maximum(tables, states)
        if p is not None:
            return Maximum.certain(p[place])
    hits, draws = _hits(tables, states, _PILOT, rng), _PILOT
    p = (hits + 1.0) / (_PILOT + 2.0)
    needed = math.ceil((p * (1.0 - p)).max() / error**2)
    if needed > _PILOT:
        # The pilot chose the number of draws, so it is not counted among them.
        hits, draws = _hits(tables, states, needed, rng), needed
    # Laplace's rule where a statement never, or always, led: its error is not zero but unknown.
    safe = (hits + 1.0) / (draws + 2.0)
    return Maximum((hits / draws)[place], (safe * (1.0 - safe) / draws)[place])


def _complete_maximum(
    scores: GraphScores, graph: Sequence[int], members: list[int]
) -> FloatArray | None:
    """P(max) of a complete component, if it is one Dirichlet over the joint states."""
    if scores.prior.equivalent:
        component, counts, place = _bdeu(scores, members)
    else:
        tables = scores.tables(tuple(graph), members)
        alpha = tables.joint_alpha()
        if alpha is None or len(alpha) > MOST_JOINT:
            return None
        table = scores.statements.table
        own = table.states[:, list(tables.members)]
        place = np.ravel_multi_index(tuple(own.T), tuple(tables.arities.tolist()))
        component = Component.listed(np.log(alpha))
        counts = np.bincount(place, table.counts, len(alpha))
    return np.asarray(component.p_max(counts[None])[0][place])


def _bdeu(scores: GraphScores, members: list[int]) -> tuple[Component, FloatArray, IntArray]:
    """The multinomial over the members' states: those observed, and the rest as one lump.

    With the place of each statement among them.
    """
    statements = scores.statements
    own, place = np.unique(statements.table.states[:, members], axis=0, return_inverse=True)
    counts = np.bincount(place.ravel(), statements.table.counts, len(own))
    size = math.prod(statements.arities[j] for j in members)
    log_alpha = math.log(scores.prior.ess) - math.log(size)
    rest = math.log(size - len(own)) if size > len(own) else -math.inf
    component = Component.listed(np.full(len(own), log_alpha), (log_alpha, rest))
    return component, counts, place.ravel()


def _hits(
    tables: NetworkTables, states: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """How often each of `states` is the largest in so many draws of the tables."""
    index = {tuple(row): k for k, row in enumerate(states.tolist())}
    hits = np.zeros(len(states))
    step = max(1, _BLOCK // len(tables.alpha))
    for start in range(0, draws, step):
        largest = tables.largest(tables.log_draws(min(step, draws - start), rng))
        leaders, times = np.unique(largest, axis=0, return_counts=True)
        for row, number in zip(leaders.tolist(), times, strict=True):
            if tuple(row) in index:
                hits[index[tuple(row)]] += number
    return hits


def _product(parts: Sequence[Maximum]) -> Maximum:
    """Independent components: probabilities multiply, relative squared errors add."""
    every = np.array([part.probability for part in parts])
    variance = np.zeros(every.shape[1])
    for k, part in enumerate(parts):
        variance += np.delete(every, k, axis=0).prod(axis=0) ** 2 * part.variance
    return Maximum(every.prod(axis=0), variance)


def _projected(statements: Statements, columns: list[int]) -> Statements:
    """The statements about some measures, with what each dataset says of them."""
    table = statements.table
    own, place = np.unique(table.states[:, columns], axis=0, return_inverse=True)
    keys = table.dataset * len(own) + place.ravel()[table.statement]
    keys, entry = np.unique(keys, return_inverse=True)
    dataset, statement = np.divmod(keys, len(own))
    weight = np.bincount(entry.ravel(), table.weight)
    counts = np.bincount(place.ravel(), table.counts, len(own))
    levels = tuple(statements.levels[j] for j in columns)
    arities = tuple(statements.arities[j] for j in columns)
    smaller = replace(
        statements,
        measures=tuple(statements.measures[j] for j in columns),
        arities=arities,
        levels=levels,
        table=WeightTable(own, counts, dataset, statement, weight),
    )
    dense = math.prod(arities) <= DENSE
    return smaller.listing(joint_states([*map(len, levels)])) if dense else smaller
