"""Statements of very many pairs, counted at once: as the table of each pair counts them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.pair_states import count_pairs, every_state
from bayescompare.statements import Statements
from tests.tables import table


def by_hand(values: np.ndarray, rope: float | None, first: int, second: int) -> np.ndarray:
    """Counts of one pair, dataset by dataset and tie by tie."""
    m = values.shape[2]
    arity = 2 if rope is None else 3
    counts = np.zeros((arity,) * m)
    for one, other in zip(values[:, first], values[:, second], strict=True):
        if np.isnan(one).any() or np.isnan(other).any():
            continue
        allowed: list[list[int]] = []
        for a, b in zip(one, other, strict=True):
            if abs(a - b) <= (rope or 0.0) + 1e-12 * max(abs(a), abs(b)):
                allowed.append([0, 1] if rope is None else [1])
            else:
                allowed.append([0 if a > b else arity - 1])
        ways = list(itertools.product(*allowed))
        for way in ways:
            counts[way] += 1.0 / len(ways)
    return counts.ravel()


@given(
    st.integers(0, 2**32),
    st.integers(2, 7),
    st.integers(1, 4),
    st.sampled_from([None, 0.0, 0.15]),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_counts_are_those_by_hand(
    seed: int, n: int, m: int, rope: float | None, gaps: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 4, m)).round(1)
    if gaps:
        values[rng.random(values.shape) < 0.1] = np.nan
    first, second = np.array(list(itertools.combinations(range(4), 2))).T
    pair, statement, count = count_pairs(values, [rope] * m, first, second)
    found = np.zeros((len(first), (2 if rope is None else 3) ** m))
    found[pair, statement] = count
    for k, ends in enumerate(zip(first, second, strict=True)):
        np.testing.assert_allclose(found[k], by_hand(values, rope, *ends), atol=1e-12)


@pytest.mark.parametrize("rope", [None, 0.3])
def test_one_pair_counts_as_its_own_table(rope: float | None) -> None:
    values = np.random.default_rng(1).normal(size=(9, 2, 3)).round(1)
    whole = Statements.of(table(values, rope=rope))
    pair, statement, count = count_pairs(values, [rope] * 3, np.array([0]), np.array([1]))
    assert (pair == 0).all()
    assert (every_state(whole.arities) == whole.table.states).all()
    np.testing.assert_array_equal(statement, np.flatnonzero(whole.table.counts))
    np.testing.assert_array_equal(count, whole.table.counts[statement])


def test_blocks_of_pairs_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(size=(6, 8, 2)).round(1)
    ends = np.array(list(itertools.combinations(range(8), 2))).T
    whole = count_pairs(values, [None, 0.2], *ends)
    monkeypatch.setattr("bayescompare.kernels.pair_states._BLOCK", 20)
    for one, other in zip(whole, count_pairs(values, [None, 0.2], *ends), strict=True):
        np.testing.assert_array_equal(one, other)
