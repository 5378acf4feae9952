"""Weights that are not known: uniform within their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.ranking.leaderboard import box_weights, simplex_weights


def drawn(low: list[float], high: list[float], draws: int = 20_000) -> np.ndarray | None:
    return simplex_weights(np.array(low), np.array(high), draws, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ([0.2, 0.0, 0.1], [1.0, 0.5, 0.6]),
        ([0.0, 0.0, 0.0], [0.4, 0.5, 0.6]),
        ([0.3, 0.3, 0.0], [1.0, 1.0, 1.0]),
    ],
)
def test_they_are_those_of_the_simplex_that_lie_within(low: list[float], high: list[float]) -> None:
    """Against plain rejection from the whole simplex: the same means and spreads."""
    weights = drawn(low, high)
    assert weights is not None
    every = np.random.default_rng(1).dirichlet(np.ones(3), 400_000)
    kept = every[((every >= low) & (every <= high)).all(axis=1)]
    assert len(kept) > 5000
    error = np.sqrt(kept.var(axis=0) * (1 / len(kept) + 1 / len(weights)))
    assert (np.abs(weights.mean(axis=0) - kept.mean(axis=0)) < 4 * error).all()
    np.testing.assert_allclose(weights.std(axis=0), kept.std(axis=0), rtol=0.05)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=5), st.floats(0.05, 0.5))
def test_they_sum_to_one_within_their_bounds(middle: list[float], width: float) -> None:
    centre = np.array(middle) + 0.01
    centre /= centre.sum()
    low, high = np.maximum(centre - width, 0.0), centre + width
    weights = simplex_weights(low, high, 20, np.random.default_rng(0))
    assert weights is not None
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert (weights >= low - 1e-9).all()
    assert (weights <= high + 1e-9).all()


def test_some_weights_may_be_fixed() -> None:
    weights = drawn([0.5, 0.0, 0.0], [0.5, 1.0, 0.0], 10)
    np.testing.assert_allclose(weights, [[0.5, 0.5, 0.0]] * 10)
    np.testing.assert_allclose(drawn([0.4, 0.6], [0.4, 0.6], 3), [[0.4, 0.6]] * 3)


@pytest.mark.parametrize(
    ("low", "high"),
    [([0.0, 0.0], [0.2, 0.2]), ([0.6, 0.6], [1.0, 1.0]), ([0.4, 0.4], [0.4, 0.4])],
)
def test_bounds_may_leave_none(low: list[float], high: list[float]) -> None:
    assert drawn(low, high) is None


def test_a_box_has_every_weight_between_its_bounds() -> None:
    weights = box_weights(
        np.array([0.0, 2.0]), np.array([1.0, 2.0]), 1000, np.random.default_rng(0)
    )
    assert (weights[:, 1] == 2.0).all()
    assert weights[:, 0].mean() == pytest.approx(0.5, abs=0.04)
