"""Conditional tables by counting, the largest statement by trying all, and graphs' components."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.network.statements import (
    NetworkTables,
    is_complete_network_part,
    network_components,
    network_states_of_largest,
)
from tests.oracles import network as no

seeds = st.integers(0, 2**32 - 1)


def random_graph(rng: np.random.Generator, m: int, density: float) -> list[int]:
    """A DAG along a random order."""
    order, graph = rng.permutation(m).tolist(), [0] * m
    for a, b in itertools.combinations(order, 2):
        if rng.random() < density:
            graph[b] |= 1 << a
    return graph


def as_digraph(graph: list[int]) -> nx.DiGraph:
    made = nx.DiGraph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from((i, j) for j, mask in enumerate(graph) for i in no.bits(mask))
    return made


def some(
    seed: int, most: int = 4
) -> tuple[NetworkTables, np.ndarray, np.ndarray, list[int], list[int]]:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, most + 1))
    arities = rng.choice([2, 3, 4], m).tolist()
    graph = random_graph(rng, m, float(rng.choice([0.0, 0.5, 1.0])))
    states, counts = no.random_table(rng, arities, 20, 0.4)
    return (
        NetworkTables.count(states, counts, arities, graph, range(m), 1.5),
        states,
        counts,
        arities,
        graph,
    )


# ----------------------------------------------------------------------------------------- tables


@given(seeds)
def test_cells_are_the_counts_of_parents_and_child(seed: int) -> None:
    tables, states, counts, arities, graph = some(seed)
    assert sorted(tables.members) == list(range(len(arities)))
    every = no.joint_states(arities)
    cells = tables.cells(every)
    for k, j in enumerate(tables.members):
        above = no.bits(graph[j])
        assert {tables.members[p] for p in tables.parents[k]} == set(above)
        assert all(tables.members.index(i) < k for i in above), "parents come first"
        q = math.prod(arities[i] for i in above)
        assert tables.offsets[k + 1] - tables.offsets[k] == q * arities[j]
        place: dict[tuple[int, ...], int] = {}
        for state, cell in zip(every, cells[:, k].tolist(), strict=True):
            family = tuple(state[[*above, j]])
            assert place.setdefault(family, cell) == cell
            seen = (states[:, [*above, j]] == np.array(family)).all(axis=1)
            assert tables.counts[cell] == pytest.approx(counts[seen].sum(), abs=1e-12)
            assert tables.alpha[cell] == pytest.approx(1.5 / (q * arities[j]), rel=1e-14)
        assert len(set(place.values())) == q * arities[j], "no two families share a cell"
        # A row's cells stand together, in the order of the child's states.
        for (*given_, own), cell in place.items():
            assert cell == place[(*given_, 0)] + own


@given(seeds)
def test_mean_of_a_statement_is_the_product_of_its_tables_means(seed: int) -> None:
    tables, states, counts, arities, graph = some(seed)
    every = no.joint_states(arities)
    dense = np.array([counts[(states == row).all(axis=1)].sum() for row in every])
    found = np.exp(tables.log_mean()[tables.cells(every)].sum(axis=1))
    np.testing.assert_allclose(found, no.mean_theta(dense, arities, graph, 1.5), rtol=1e-11)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@given(seeds)
def test_rows_sum_to_one_whatever_they_were(seed: int) -> None:
    tables, *_ = some(seed)
    x = np.random.default_rng(seed).normal(0.0, 300.0, (2, 3, len(tables.alpha)))
    rows = tables.normalised(x)
    for k, r in enumerate(tables.arities):
        part = slice(tables.offsets[k], tables.offsets[k + 1])
        shape = (2, 3, -1, int(r))
        table, before = rows[..., part].reshape(shape), x[..., part].reshape(shape)
        np.testing.assert_allclose(np.exp(table).sum(axis=-1), 1.0, rtol=1e-12)
        np.testing.assert_allclose(
            table - table[..., :1], before - before[..., :1], rtol=1e-9, atol=1e-9
        )


def test_draws_have_the_dirichlets_moments() -> None:
    tables, *_ = some(12)
    draws = np.exp(tables.log_draws(40_000, np.random.default_rng(0)))
    for k, r in enumerate(tables.arities):
        part = slice(tables.offsets[k], tables.offsets[k + 1])
        shape = (tables.alpha + tables.counts)[part].reshape(-1, int(r))
        total = shape.sum(axis=1, keepdims=True)
        mean = (shape / total).ravel()
        square = (shape * (shape + 1) / (total * (total + 1))).ravel()
        for power, expected in ((1, mean), (2, square)):
            found = draws[:, part] ** power
            error = found.std(axis=0) / math.sqrt(len(found))
            np.testing.assert_array_less(np.abs(found.mean(axis=0) - expected), 4 * error + 1e-12)


def test_a_tiny_prior_leaves_no_nan() -> None:
    states = np.array([[0, 0], [1, 1]])
    tables = NetworkTables.count(states, np.ones(2), [2, 2], [0, 1], [0, 1], 1e-8)
    logs = tables.log_draws(1000, np.random.default_rng(0))
    assert not np.isnan(logs).any()
    assert (logs <= 1e-12).all()


def test_members_may_be_one_component_of_more() -> None:
    rng = np.random.default_rng(2)
    states, counts = no.random_table(rng, [2, 3, 2, 2], 30, 0.5)
    graph = [0, 0, 0b1000, 0]
    part = NetworkTables.count(states, counts, [2, 3, 2, 2], graph, [2, 3], 1.0)
    assert part.members == (3, 2)
    seen = [
        counts[(states[:, 3] == a) & (states[:, 2] == b)].sum() for a in range(2) for b in range(2)
    ]
    np.testing.assert_allclose(part.counts[2:], seen)


# ---------------------------------------------------------------------------------------- largest


@given(seeds, st.sampled_from([0.1, 1.0, 30.0]))
def test_the_largest_statement_by_trying_all(seed: int, spread: float) -> None:
    tables, _, _, arities, _ = some(seed, most=5)
    rng = np.random.default_rng(seed)
    logs = tables.normalised(rng.normal(0.0, spread, (30, len(tables.alpha))))
    every = no.joint_states(arities)
    theta = logs[:, tables.cells(every)].sum(axis=-1)
    found = network_states_of_largest(tables, logs)
    assert found.shape == (30, len(arities))
    np.testing.assert_array_equal(found, every[theta.argmax(axis=1)][:, list(tables.members)])


def test_the_largest_of_posterior_draws_at_sixteen_measures() -> None:
    """A chain of sixteen: Viterbi's recursion is the other witness."""
    m, rng = 16, np.random.default_rng(6)
    states = (rng.random((50, 1)) < 0.6) ^ (rng.random((50, m)) < 0.2)
    rows, place = np.unique(states.astype(np.int64), axis=0, return_inverse=True)
    counts = np.bincount(place.ravel()).astype(float)
    graph = [0, *(1 << j for j in range(m - 1))]
    tables = NetworkTables.count(rows, counts, [2] * m, graph, range(m), 1.0)
    logs = tables.log_draws(200, rng)
    found = network_states_of_largest(tables, logs)
    for draw, states_of_draw in zip(logs, found, strict=True):
        best = draw[:2]
        back = []
        for k in range(1, m):
            table = draw[tables.offsets[k] : tables.offsets[k + 1]].reshape(2, 2)
            reached = best[:, None] + table
            back.append(reached.argmax(axis=0))
            best = reached.max(axis=0)
        path = [int(best.argmax())]
        for step in reversed(back):
            path.append(int(step[path[-1]]))
        assert states_of_draw.tolist() == path[::-1]


# ----------------------------------------------------------------------------------------- graphs


@given(seeds, st.integers(1, 8), st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_components_and_completeness_by_networkx(seed: int, m: int, density: float) -> None:
    graph = random_graph(np.random.default_rng(seed), m, density)
    whole = as_digraph(graph)
    expected = sorted(sorted(c) for c in nx.weakly_connected_components(whole))
    found = network_components(graph)
    assert found == expected
    for members in found:
        undirected = whole.subgraph(members).to_undirected()
        full = all(undirected.has_edge(i, j) for i, j in itertools.combinations(members, 2))
        assert is_complete_network_part(graph, members) == full
