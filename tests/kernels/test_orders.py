"""Orders, ties and weights against trying every permutation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bayescompare.kernels.orders import (
    allowed_orders,
    sizes_of_allowed_orders,
    tabulate_orders,
)
from tests.oracles import statements as oracles


def weights_of(values: np.ndarray) -> list[dict[tuple[tuple[int, ...], ...], float]]:
    """Each dataset's weights by orders, read off the kernel's table."""
    measures = [
        allowed_orders(values[:, :, j], None, complete=False) for j in range(values.shape[2])
    ]
    table = tabulate_orders(measures)
    found: list[dict[tuple[tuple[int, ...], ...], float]] = [{} for _ in values]
    for i, k, w in zip(table.dataset, table.statement, table.weight, strict=True):
        orders = tuple(tuple(measures[j].levels[s].tolist()) for j, s in enumerate(table.states[k]))
        assert orders not in found[i]
        found[i][orders] = w
    return found


def tables(most_algorithms: int = 4, most_measures: int = 3) -> st.SearchStrategy[np.ndarray]:
    """Small integers: ties of every kind."""
    shapes = st.tuples(
        st.integers(1, 4), st.integers(2, most_algorithms), st.integers(1, most_measures)
    )
    return shapes.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 3).map(float)))


@given(tables())
@settings(max_examples=80)
def test_ties_are_split_over_every_consistent_order(values: np.ndarray) -> None:
    for found, dataset in zip(weights_of(values), values, strict=True):
        per_measure = [oracles.consistent_orders(column) for column in dataset.T.tolist()]
        expected = set(itertools.product(*per_measure))
        assert set(found) == expected
        assert all(w == pytest.approx(1 / len(expected), rel=1e-15) for w in found.values())
        assert math.fsum(found.values()) == pytest.approx(1.0, abs=1e-12)


@given(tables(3, 2))
def test_no_weak_order_of_three_makes_a_cycle(values: np.ndarray) -> None:
    # Breaking tied pairs one by one would allow 1>2, 2>3, 3>1; here every state is an order that
    # agrees with all strict differences.
    for found, dataset in zip(weights_of(values), values, strict=True):
        for orders in found:
            for j, order in enumerate(orders):
                assert sorted(order) == list(range(values.shape[1]))
                assert np.all(np.diff(dataset[list(order), j]) <= 0)


@given(tables())
def test_counts_add_up_and_states_are_sorted(values: np.ndarray) -> None:
    measures = [
        allowed_orders(values[:, :, j], None, complete=False) for j in range(values.shape[2])
    ]
    table = tabulate_orders(measures)
    assert table.counts.sum() == pytest.approx(len(values), abs=1e-9)
    assert np.all(table.counts > 0)
    np.testing.assert_allclose(np.bincount(table.statement, table.weight), table.counts, atol=1e-12)
    rows = [tuple(row) for row in table.states.tolist()]
    assert rows == sorted(set(rows))
    for measure in measures:
        levels = [tuple(row) for row in measure.levels.tolist()]
        assert levels == sorted(set(levels))
    sizes = np.bincount(table.dataset)
    assert sizes.tolist() == sizes_of_allowed_orders(values, [None] * values.shape[2])


@given(tables(), st.randoms(use_true_random=False))
def test_permuting_datasets_and_relabelling_algorithms(values: np.ndarray, random: object) -> None:
    order = list(range(values.shape[1]))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = weights_of(values)
    back = weights_of(values[::-1])
    assert back == straight[::-1]
    # Algorithm order[i] of the old table is algorithm i of the new one.
    renamed = weights_of(values[:, order])
    for old, new in zip(straight, renamed, strict=True):
        there = {tuple(tuple(order[i] for i in o) for o in key): w for key, w in new.items()}
        assert there == pytest.approx(old)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_fully_tied_datasets(m: int) -> None:
    for l in (2, 3, 4):
        (found,) = weights_of(np.ones((1, l, m)))
        assert len(found) == math.factorial(l) ** m
        assert {Fraction(w).limit_denominator(20_000) for w in found.values()} == {
            Fraction(1, math.factorial(l) ** m)
        }


@pytest.mark.parametrize("complete", [False, True])
def test_levels_listed(complete: bool) -> None:
    values = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    levels = allowed_orders(values, None, complete=complete).levels
    every = [list(p) for p in itertools.permutations(range(3))]
    assert levels.tolist() == (every if complete else [every[0], every[-1]])


def test_float_noise_is_a_tie_and_a_real_difference_is_not() -> None:
    a = 0.1 + 0.2
    (found,) = weights_of(np.array([[[a], [0.3], [0.1]]]))
    assert len(found) == 2
    (found,) = weights_of(np.array([[[0.3 + 1e-9], [0.3], [0.1]]]))
    assert len(found) == 1
    (found,) = weights_of(np.array([[[1e15 + 100], [1e15]]]))
    assert len(found) == 2
    (found,) = weights_of(np.array([[[0.0], [1e-300]]]))
    assert len(found) == 1


# -------------------------------------------------------------------------------------------- rope


def states(a: float, b: float, rope: float | None) -> list[int]:
    c = allowed_orders(np.array([[a, b]]), rope, complete=False)
    return c.flat.tolist()


@pytest.mark.parametrize(
    ("a", "b", "rope", "expected"),
    [
        (2.0, 1.0, 0.5, [0]),
        (1.0, 2.0, 0.5, [2]),
        (1.5, 1.0, 0.5, [1]),
        (1.0, 1.5, 0.5, [1]),
        (0.3, 0.1, 0.2, [1]),  # 0.3 − 0.1 is 0.19999999999999998
        (0.8, 0.5, 0.3, [1]),  # 0.8 − 0.5 is 0.30000000000000004
        (1.0, 1.0, 0.0, [1]),
        (1.0 + 1e-9, 1.0, 0.0, [0]),
        (1.0, 1.0, None, [0, 1]),
        (2.0, 1.0, None, [0]),
        (1.0, 2.0, None, [1]),
    ],
)
def test_rope(a: float, b: float, rope: float | None, expected: list[int]) -> None:
    assert states(a, b, rope) == expected


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1e3))
def test_the_middle_is_what_it_says(a: float, b: float, rope: float) -> None:
    middle = abs(a - b) <= rope + 1e-12 * max(abs(a), abs(b))
    expected = 1 if middle else 0 if a > b else 2
    assert states(a, b, rope) == [expected]
    assert states(b, a, rope) == [2 - expected]


# -------------------------------------------------------------------------------------------- size


def test_expansion_sizes_of_any_size() -> None:
    assert sizes_of_allowed_orders(np.ones((1, 25, 3)), [None] * 3) == [math.factorial(25) ** 3]
    values = np.zeros((2, 4, 2))
    values[0, :, 0] = [1, 1, 0, 0]
    values[1] = np.arange(8).reshape(4, 2)
    assert sizes_of_allowed_orders(values, [None, None]) == [4 * 24, 1]


def test_many_measures_where_one_integer_cannot_hold_a_state() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((6, 2, 1200))
    values[3] = values[0]
    values[5, :, 7] = 1.0
    measures = [allowed_orders(values[:, :, j], None, complete=False) for j in range(1200)]
    table = tabulate_orders(measures)
    assert len(table.states) == 6
    assert sorted(table.counts.tolist()) == [0.5, 0.5, 1, 1, 1, 2]
    rows = [tuple(row) for row in table.states.tolist()]
    assert rows == sorted(rows)
