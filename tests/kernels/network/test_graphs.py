"""Graphs against every graph there is: the best, the sums over all, forests, and the pieces."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayescompare.kernels.network.graphs import (
    ancestors,
    best_dag,
    class_pattern,
    closed_graph,
    components,
    dags,
    edge_probabilities,
    forest_edge_probabilities,
    is_complete,
    log_number_of_dags,
    log_sum_over_dags,
    may_be_root,
    search_bytes,
)
from bayescompare.kernels.network.scores import CellPrior, local_scores, mask_without_gap
from tests.kernels.network.cases import random_graph, scored
from tests.oracles import network as no


def enumerated(local: np.ndarray) -> tuple[float, np.ndarray]:
    """Log of the sum over all DAGs and P(i → j), graph by graph."""
    m = len(local)
    dags = no.every_dag(m)
    scores = no.dag_scores(local, dags)
    total = float(logsumexp(scores))
    p = np.exp(scores - total)
    edges = np.array([[p[(dags[:, j] >> i & 1) == 1].sum() for j in range(m)] for i in range(m)])
    return total, edges


# ---------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("m", "number"), list(enumerate([1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343], 1))
)
def test_the_number_of_dags(m: int, number: int) -> None:
    """Robinson's numbers, OEIS A003024."""
    assert math.exp(log_number_of_dags(m, m - 1)) == pytest.approx(number, rel=1e-11)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_the_number_of_dags_with_few_parents(m: int) -> None:
    for most in range(m):
        number = len(no.dags_up_to(m, most))
        assert math.exp(log_number_of_dags(m, most)) == pytest.approx(number, rel=1e-12)
    # Forests of rooted trees, Cayley: (m + 1)^(m − 1).
    if m > 1:
        assert math.exp(log_number_of_dags(m, 1)) == pytest.approx((m + 1) ** (m - 1), rel=1e-12)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_all_dags_are_listed_once(m: int) -> None:
    for most in range(m):
        listed = list(dags(m, most))
        assert len(listed) == len(set(listed))
        assert set(listed) == set(map(tuple, no.dags_up_to(m, most).tolist()))


# ------------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("m", [2, 3, 4, 5])
@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_sums_and_edges_by_enumeration(m: int, strength: float) -> None:
    for most in range(m):
        mine, textbook = scored(17 * m + most, m, most, strength=strength)
        np.testing.assert_allclose(mine, no.squeezed(textbook), atol=1e-10)
        total, edges = enumerated(textbook)
        assert log_sum_over_dags(mine) == pytest.approx(total, abs=1e-10)
        np.testing.assert_allclose(edge_probabilities(mine), edges, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_any_scores_at_all(seed: int, m: int) -> None:
    """Scores spread over hundreds of nats, some parents forbidden."""
    rng = np.random.default_rng(seed)
    local = rng.normal(0.0, 10.0 ** rng.uniform(-1, 2.5), (m, 1 << m))
    forbidden = rng.random(local.shape) < 0.2
    local[forbidden & (np.arange(1 << m) > 0)] = -np.inf
    total, edges = enumerated(local)
    assert log_sum_over_dags(no.squeezed(local)) == pytest.approx(total, abs=1e-10)
    found = edge_probabilities(no.squeezed(local))
    np.testing.assert_allclose(found, edges, atol=1e-10)
    assert (np.diag(found) == 0).all()
    assert (found + found.T <= 1 + 1e-10).all()


@pytest.mark.parametrize("m", [8, 12])
def test_forests_by_kirchhoffs_determinant(m: int) -> None:
    """At most one parent each: rooted forests, whose weights a determinant sums."""
    log_w = np.random.default_rng(m).normal(-1.0, 3.0, (m, m))
    w = np.exp(log_w) * (1 - np.eye(m))
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    for j in range(m):
        for i in range(m):
            if i != j:
                local[j, 1 << i] = log_w[i, j]
    laplacian = np.diag(1.0 + w.sum(axis=0)) - w.T
    inverse = np.linalg.inv(laplacian)
    edges = w * (np.diag(inverse)[None, :] - inverse)
    squeezed = no.squeezed(local)
    total = float(np.linalg.slogdet(laplacian)[1])
    assert log_sum_over_dags(squeezed) == pytest.approx(total, abs=1e-10)
    np.testing.assert_allclose(edge_probabilities(squeezed), edges, atol=1e-10)


@pytest.mark.parametrize("penalty", [0.0, -2.0, -4.6, -12.0])
def test_ten_measures_that_hardly_depend(penalty: float) -> None:
    """The alternating sum cancels most where the empty graph leads.

    Over forests the sum is (1 + m w)^(m − 1), and P(i → j) = w/(1 + m w).
    """
    m, w = 10, math.exp(penalty)
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    local[:, [1 << i for i in range(m)]] = penalty
    squeezed = no.squeezed(local)
    exact = (m - 1) * math.log1p(m * w)
    assert log_sum_over_dags(squeezed) == pytest.approx(exact, abs=1e-10)
    found = edge_probabilities(squeezed)[~np.eye(m, dtype=bool)]
    np.testing.assert_allclose(found, w / (1 + m * w), atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_renaming_measures_moves_the_edges(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, [2] * m, 40, 0.5)
    most, order = int(rng.integers(1, m)), rng.permutation(m)

    def edges(rows: np.ndarray) -> np.ndarray:
        return edge_probabilities(local_scores(rows, counts, [2] * m, CellPrior(), most))

    np.testing.assert_allclose(
        edges(states[:, order]), edges(states)[np.ix_(order, order)], atol=1e-10
    )


# ---------------------------------------------------------------------------------- the best graph

BDEU = CellPrior()
TABLES = [(3, seed) for seed in range(20)] + [(4, seed) for seed in range(20)]
TABLES += [(5, seed) for seed in range(10)]


def searched(
    states: np.ndarray, counts: np.ndarray, arities: list[int], most: int, prior: CellPrior = BDEU
) -> tuple[list[int], float]:
    local = local_scores(states, counts, arities, prior, most)
    graph = best_dag(local.copy(), most)
    return list(graph), sum(
        float(local[j, mask_without_gap(mask, j)]) for j, mask in enumerate(graph)
    )


def is_dag(graph: list[int], m: int) -> bool:
    return bool((no.every_dag(m) == np.array(graph)).all(axis=1).any())


@pytest.mark.parametrize(("m", "seed"), TABLES)
def test_no_dag_of_all_has_a_higher_score(m: int, seed: int) -> None:
    """25, 543 and 29,281 graphs, scored by the textbook."""
    rng = np.random.default_rng(1000 * m + seed)
    arities = rng.choice([2, 2, 2, 3], m).tolist()
    n, strength = int(rng.integers(5, 120)), float(rng.choice([0.0, 0.3, 0.6, 0.9]))
    states, counts = no.random_table(rng, arities, n, strength)
    most = seed % m
    if seed % 5 == 4:
        alpha = tuple(tuple((10.0 ** rng.uniform(-2, 1.5, r)).tolist()) for r in arities)
        prior, local = CellPrior(alpha=alpha), np.full((m, 1 << m), -np.inf)
        for child, mask in itertools.product(range(m), range(1 << m)):
            if not mask >> child & 1 and mask.bit_count() <= most:
                own = no.textbook_bd(states, counts, alpha[child], arities, child, mask)
                local[child, mask] = own
    else:
        prior = CellPrior(float(rng.choice([0.5, 1.0, 4.0])))
        local = no.local_table(states, counts, arities, prior.ess, most)
    every = no.dag_scores(local, no.every_dag(m))
    graph, score = searched(states, counts, arities, most, prior)
    assert is_dag(graph, m)
    assert max(mask.bit_count() for mask in graph) <= most
    assert score == pytest.approx(every.max(), abs=1e-9)
    found = sum(local[j, mask] for j, mask in enumerate(graph))
    assert found == pytest.approx(every.max(), abs=1e-9), "the graph has the score it claims"


# ------------------------------------------------------------------------------------------- ties


def by_the_rule(local: np.ndarray) -> list[int]:
    """Of all best graphs: the last measure is the sink, with the fewest, then first, parents."""
    m = len(local)
    dags = no.every_dag(m)
    scores = no.dag_scores(local, dags)
    best, left, made = dags[scores >= scores.max() - 1e-8], list(range(m)), [0] * m
    while left:
        for child in reversed(left):
            others = [j for j in left if j != child]
            sink = ~((best[:, others] >> child & 1).any(axis=1))
            if sink.any():
                break
        best = best[sink]
        parents = {int(p) for p in best[:, child]}
        made[child] = min(parents, key=lambda p: (p.bit_count(), no.bits(p)))
        best = best[best[:, child] == made[child]]
        left.remove(child)
    return made


def tied_tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    coin = np.arange(16)
    fair = np.stack([coin >> k & 1 for k in range(4)], axis=1)
    twin = fair[:, [0, 0, 1, 1]]
    copies = fair[:, [0, 0, 0, 0]]
    rng = np.random.default_rng(3)
    noisy = (rng.random((60, 1)) < 0.5) ^ (rng.random((60, 4)) < 0.15)
    mirrored = np.concatenate([noisy, 1 - noisy, noisy[:, ::-1], 1 - noisy[:, ::-1]])
    return {
        name: (np.asarray(rows, dtype=np.int64), np.full(len(rows), 0.5))
        for name, rows in {
            "fair coins": fair,
            "two twins": np.concatenate([twin] * 3),
            "four copies": copies,
            "exchangeable": mirrored,
            # One dataset says nothing: every graph has the same score, the empty one is taken.
            "one dataset": np.zeros((2, 4)),
        }.items()
    }


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("name", list(tied_tables()))
def test_equal_scores_are_settled_by_the_rule(name: str, most: int) -> None:
    states, counts = tied_tables()[name]
    graph, _ = searched(states, counts, [2] * 4, most)
    local = no.local_table(states, counts, [2] * 4, 1.0, most)
    assert graph == by_the_rule(local)
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(len(states))
        # Other orders of summation round differently; they never decide.
        assert searched(states[order], counts[order], [2] * 4, most)[0] == graph
        relabelled = states ^ rng.integers(0, 2, 4)
        assert searched(relabelled, counts, [2] * 4, most)[0] == graph


def test_fair_coins_and_copies() -> None:
    states, counts = tied_tables()["fair coins"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0, 0, 0]
    states, counts = tied_tables()["one dataset"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0, 0, 0]
    states, counts = tied_tables()["two twins"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0b0001, 0, 0b0100]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_renaming_measures_keeps_score_and_class(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, [2] * m, 40, 0.6)
    most = int(rng.integers(0, m))
    _, score = searched(states, counts, [2] * m, most)
    order = rng.permutation(m)
    graph, moved = searched(states[:, order], counts, [2] * m, most)
    assert moved == pytest.approx(score, abs=1e-9)
    assert max(mask.bit_count() for mask in graph) <= most


def test_the_memory_named_is_enough() -> None:
    """Scores, best parents of every half, totals and sinks."""
    for m in (5, 15, 22, 30):
        needed = 8 * 2**m + 8 * m * 2 ** (m - 1) + 9 * 2**m
        assert needed <= search_bytes(m) < 3 * needed


# ------------------------------------------------------------------------------------------ forests


def test_forty_measures_by_kirchhoffs_determinant() -> None:
    m = 40
    log_weight = np.random.default_rng(0).normal(-1.0, 2.0, (m, m))
    w = np.exp(log_weight) * (1 - np.eye(m))
    inverse = np.linalg.inv(np.diag(1.0 + w.sum(axis=0)) - w.T)
    expected = w * (np.diag(inverse)[None, :] - inverse)
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-12)


@pytest.mark.parametrize("level", [30.0, 400.0, 2000.0])
def test_a_chain_of_certain_links_has_any_root(level: float) -> None:
    """Measures that copy each other: a path, whose root is each of them with equal probability.

    The determinant is singular here to double precision.
    """
    m = 6
    log_weight = np.full((m, m), -level)
    for i in range(m - 1):
        log_weight[i, i + 1] = log_weight[i + 1, i] = level
    expected = np.zeros((m, m))
    for i in range(m - 1):
        expected[i, i + 1], expected[i + 1, i] = (i + 1) / m, (m - 1 - i) / m
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-11)


def test_ten_measures_by_the_sink_recursion() -> None:
    m = 10
    log_weight = np.random.default_rng(3).normal(-1.0, 3.0, (m, m))
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    for j in range(m):
        local[j, [1 << i for i in range(m) if i != j]] = np.delete(log_weight[:, j], j)
    expected = edge_probabilities(no.squeezed(local))
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-11)


# -------------------------------------------------------------------------------- pieces of a graph

seeds = st.integers(0, 2**32 - 1)


def as_digraph(graph: list[int]) -> nx.DiGraph:
    made = nx.DiGraph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from((i, j) for j, mask in enumerate(graph) for i in no.bits(mask))
    return made


@given(seeds, st.integers(1, 8), st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_components_and_completeness_by_networkx(seed: int, m: int, density: float) -> None:
    graph = random_graph(np.random.default_rng(seed), m, density)
    whole = as_digraph(graph)
    expected = sorted(sorted(c) for c in nx.weakly_connected_components(whole))
    found = components(graph)
    assert found == expected
    for members in found:
        undirected = whole.subgraph(members).to_undirected()
        full = all(undirected.has_edge(i, j) for i, j in itertools.combinations(members, 2))
        assert is_complete(graph, members) == full


def test_roots_and_closed_sets_by_the_whole_class() -> None:
    """What some equivalent graph of four measures has: no parents of j, none outside a set."""
    every = [tuple(row) for row in no.every_dag(4).tolist()]
    classes: dict[object, list[tuple[int, ...]]] = {}
    for graph in every:
        pattern = class_pattern(graph)
        classes.setdefault(pattern, []).append(graph)
        assert ancestors(graph, 0b1000) == sum(
            1 << i for i in {3, *nx.ancestors(as_digraph(list(graph)), 3)}
        )
    assert len(classes) == len({no.markov_class(graph) for graph in every}) == 185
    for members in classes.values():
        graph = members[len(members) // 2]
        for j in range(4):
            assert may_be_root(graph, j) == any(not other[j] for other in members)
        for kept in range(1, 16):
            closed = {
                other for other in members if all(not other[j] & ~kept for j in no.bits(kept))
            }
            found = closed_graph(graph, kept, equivalent=True)
            assert found in closed if closed else found is None
            assert closed_graph(graph, kept, equivalent=False) in (
                {graph} if graph in closed else {None}
            )
