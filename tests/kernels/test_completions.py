"""What missing cells leave possible, against filling them in."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.completions import (
    cross_completions,
    states_of_completions,
    weights_of_completions,
)
from bayescompare.kernels.orders import allowed_orders
from tests.oracles.partial import enough_values, filled


def weights_of(values: np.ndarray, rope: float | None) -> np.ndarray:
    """The weights of the states of one complete row."""
    allowed = allowed_orders(values[None], rope, complete=True)
    row = np.zeros(len(allowed.levels))
    row[allowed.flat] = 1.0 / len(allowed.flat)
    return row


def every_filling(values: np.ndarray, rope: float | None) -> set[tuple[float, ...]]:
    choices = enough_values(values, max(1, int(np.isnan(values).sum())))
    if rope is not None and np.isfinite(values).any():
        seen = values[np.isfinite(values)][0]
        choices = np.array([seen - rope - 1.0, seen, seen + rope + 1.0])
    tables = filled(values[None, :, None], [choices])
    return {tuple(weights_of(table[0, :, 0], rope).round(12).tolist()) for table in tables}


@given(
    st.lists(st.sampled_from([1.0, 2.0, 3.0, math.nan]), min_size=2, max_size=4),
    st.sampled_from([None, 0.0, 0.5]),
)
def test_completions_are_all_fillings(row: list[float], rope: float | None) -> None:
    values = np.array(row)
    if len(row) > 2:
        rope = None
    found = {tuple(w.round(12).tolist()) for w in weights_of_completions(values, rope)}
    assert found == every_filling(values, rope)


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0, math.nan]), min_size=2, max_size=4))
def test_possible_states_are_those_of_strict_fillings(row: list[float]) -> None:
    values = np.array(row)
    states, weight = states_of_completions(values, None)
    some = {tuple(w > 0.0) for w in map(np.array, every_filling(values, None))}
    assert states.tolist() == np.any(list(some), axis=0).tolist()
    tied = [len(list(g)) for _, g in itertools.groupby(sorted(v for v in row if v == v))]
    assert weight == pytest.approx(1.0 / math.prod(map(math.factorial, tied)))


@pytest.mark.parametrize(
    ("row", "rope", "bounds", "states"),
    [
        ([1.0, math.nan], None, (0.0, 1.0), [[1, 0], [0.5, 0.5]]),
        ([0.0, math.nan], None, (0.0, 1.0), [[0.5, 0.5], [0, 1]]),
        ([0.95, math.nan], 0.1, (0.0, 1.0), [[1, 0, 0], [0, 1, 0]]),
        ([math.nan, math.nan], 0.1, (0.0, 0.05), [[0, 1, 0]]),
    ],
)
def test_bounds_of_a_measure_exclude_states(
    row: list[float], rope: float | None, bounds: tuple[float, float], states: list[list[float]]
) -> None:
    assert weights_of_completions(np.array(row), rope, bounds).tolist() == states


def test_bounds_with_three_algorithms() -> None:
    weights = weights_of_completions(np.array([1.0, 0.5, math.nan]), None, (0.0, 1.0))
    above = weights_of_completions(np.array([1.0, 0.5, math.nan]), None)
    # Order 4, "C > A > B", needs a value above one.
    assert weights[:, 4].max() == 0.5
    assert above[:, 4].max() == 1.0


def test_crossing_measures_keeps_unit_weight() -> None:
    either = weights_of_completions(np.array([1.0, math.nan]), None)
    crossed = cross_completions([either, either])
    assert crossed.shape == (9, 4)
    assert crossed.sum(axis=1) == pytest.approx(1.0)
