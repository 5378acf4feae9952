"""Conditional tables: counts, draws, the largest statement, new statements, and sums of θ."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.network.tables import NetworkTables, joint_states
from tests.kernels.network.cases import random_graph
from tests.oracles import network as no

seeds = st.integers(0, 2**32 - 1)


def some(
    seed: int, most: int = 4
) -> tuple[NetworkTables, np.ndarray, np.ndarray, list[int], list[int]]:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, most + 1))
    arities = rng.choice([2, 3, 4], m).tolist()
    graph = random_graph(rng, m, float(rng.choice([0.0, 0.5, 1.0])))
    states, counts = no.random_table(rng, arities, 20, 0.4)
    return (
        NetworkTables.count(states, counts, arities, graph, range(m), CellPrior(1.5)),
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
    tables = NetworkTables.count(states, np.ones(2), [2, 2], [0, 1], [0, 1], CellPrior(1e-8))
    logs = tables.log_draws(1000, np.random.default_rng(0))
    assert not np.isnan(logs).any()
    assert (logs <= 1e-12).all()


def test_members_may_be_one_component_of_more() -> None:
    rng = np.random.default_rng(2)
    states, counts = no.random_table(rng, [2, 3, 2, 2], 30, 0.5)
    graph = [0, 0, 0b1000, 0]
    part = NetworkTables.count(states, counts, [2, 3, 2, 2], graph, [2, 3], CellPrior())
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
    found = tables.largest(logs)
    assert found.shape == (30, len(arities))
    np.testing.assert_array_equal(found, every[theta.argmax(axis=1)][:, list(tables.members)])


def test_the_largest_of_posterior_draws_at_sixteen_measures() -> None:
    """A chain of sixteen: Viterbi's recursion is the other witness."""
    m, rng = 16, np.random.default_rng(6)
    states = (rng.random((50, 1)) < 0.6) ^ (rng.random((50, m)) < 0.2)
    rows, place = np.unique(states.astype(np.int64), axis=0, return_inverse=True)
    counts = np.bincount(place.ravel()).astype(float)
    graph = [0, *(1 << j for j in range(m - 1))]
    tables = NetworkTables.count(rows, counts, [2] * m, graph, range(m), CellPrior())
    logs = tables.log_draws(200, rng)
    found = tables.largest(logs)
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


@given(seeds)
def test_sums_over_the_other_measures(seed: int) -> None:
    tables, _, _, arities, graph = some(seed)
    rng = np.random.default_rng(seed)
    logs = tables.log_draws((2, 3), rng)
    every = no.joint_states(arities)
    np.testing.assert_array_equal(joint_states(arities), every)
    theta = np.exp(logs[..., tables.cells(every)].sum(axis=-1))
    asked = sorted(rng.choice(len(arities), int(rng.integers(1, len(arities) + 1)), replace=False))
    states, found = tables.summed(asked, logs)
    for row, share in zip(states, np.moveaxis(found, -1, 0), strict=True):
        here = (every[:, asked] == row).all(axis=1)
        np.testing.assert_allclose(share, theta[..., here].sum(axis=-1), rtol=1e-10)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0, rtol=1e-10)
    above = {tables.members[k] for k in tables.above(asked)}
    assert above == set(asked) | {i for j in above for i in no.bits(graph[j])}


def test_draws_from_the_prior_know_no_counts() -> None:
    tables, *_ = some(12)
    drawn = np.exp(tables.log_draws(40_000, np.random.default_rng(0), prior=True))
    for k in range(len(tables.members)):
        rows = tables.rows(drawn, k)
        expected = 1.0 / rows.shape[-1]
        error = rows.std(axis=0) / math.sqrt(len(rows))
        np.testing.assert_array_less(np.abs(rows.mean(axis=0) - expected), 4.5 * error)


# --------------------------------------------------------------------------------- new statements

ARITIES = (2, 3, 2)
#: The third measure depends on the first, the second on both.
PARENTS = (0, 0b101, 0b001)


def three_tables() -> NetworkTables:
    states = joint_states(ARITIES)
    weights = np.random.default_rng(4).random(len(states))
    return NetworkTables.count(states, weights, ARITIES, PARENTS, range(3), CellPrior())


def test_every_statement_is_as_frequent_as_its_cells_say() -> None:
    drawn, number = three_tables(), 60_000
    logs = drawn.log_draws(2, np.random.default_rng(5))
    found = drawn.new_states(logs, number, np.random.default_rng(6))
    assert found.shape == (2, number, 3)
    every = joint_states(ARITIES)
    theta = np.exp(logs[:, drawn.cells(every)].sum(axis=-1))
    np.testing.assert_allclose(theta.sum(axis=1), 1.0)
    for one, expected in zip(found, theta, strict=True):
        code = np.ravel_multi_index(tuple(one.T), ARITIES)
        shares = np.bincount(code, minlength=len(every)) / number
        assert (np.abs(shares - expected) <= 4 * np.sqrt(expected / number) + 1e-9).all()


def test_a_certain_row_is_always_drawn() -> None:
    drawn = three_tables()
    with np.errstate(divide="ignore"):
        logs = drawn.normalised(np.where(np.arange(len(drawn.alpha)) % 2 == 0, 0.0, -1e9)[None])
    states = drawn.new_states(logs, 5, np.random.default_rng(0))
    assert np.exp(logs[0, drawn.cells(states[0])]).min() > 0.0


# ------------------------------------------------------------------------ parameters of the cells


def of_prior(prior: CellPrior, graph: list[int], arities: list[int]) -> NetworkTables:
    states = no.joint_states(arities)
    return NetworkTables.count(
        states, np.ones(len(states)), arities, graph, range(len(graph)), prior
    )


def test_consistent_parameters_are_one_dirichlet_and_others_are_not() -> None:
    fits, fails = (CellPrior(alpha=((0.7, 0.7), (0.5, last))) for last in (0.2, 0.3))
    one = of_prior(fits, [0, 0b01], [2, 2]).joint_alpha()
    np.testing.assert_allclose(one, [0.5, 0.2, 0.5, 0.2])
    assert of_prior(fails, [0, 0b01], [2, 2]).joint_alpha() is None
    # The other way round the rows would have to sum to 0.5 and to 0.2.
    assert of_prior(fits, [0b10, 0], [2, 2]).joint_alpha() is None


def test_a_chain_is_no_dirichlet() -> None:
    assert of_prior(CellPrior(), [0, 0b001, 0b010], [2, 2, 2]).joint_alpha() is None
