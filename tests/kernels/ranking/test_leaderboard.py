"""Places, fronts and duels against plain loops, exact integrals and what must hold of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from bayescompare.kernels.ranking.bootstrap import (
    bootstrap_weights,
    concentration_of,
)
from bayescompare.kernels.ranking.leaderboard import (
    best_place_shares,
    doubled_places,
    duels,
    leaderboard,
    leaderboard_overall,
    share_error,
    standings,
)
from tests.oracles.ranking import best_of_three_patterns, loop


def board(units: np.ndarray, draws: int = 300, seed: int = 0, level: float = 0.95):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    weights = np.concatenate(list(bootstrap_weights(np.ones(len(units)), draws, rng)))
    scores = np.stack([weights @ units[:, :, j] for j in range(units.shape[2])])
    return scores, leaderboard(scores, units.mean(axis=0).T, level)


@pytest.mark.parametrize(("l", "m", "seed"), [(2, 1, 0), (4, 2, 1), (5, 3, 2)])
def test_everything_agrees_with_a_plain_loop(l: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Few distinct values, and a clone: ties in datasets and in every draw.
    units = rng.integers(0, 3, (7, l, m)).astype(float)
    units[:, 1] = units[:, 0]
    w = np.concatenate(list(bootstrap_weights(np.ones(7), 300, np.random.default_rng(0))))
    wanted = loop(units, w.tolist(), 0.9)
    _, found = board(units, level=0.9)
    np.testing.assert_allclose([row.best for row in found.standings], wanted["best"], atol=1e-12)
    np.testing.assert_array_equal([row.lower for row in found.standings], wanted["lower"])
    np.testing.assert_array_equal([row.upper for row in found.standings], wanted["upper"])
    np.testing.assert_allclose(found.ahead, wanted["ahead"], atol=1e-12)
    np.testing.assert_allclose(found.front, wanted["front"], atol=1e-12)


def test_the_best_of_three_against_an_integral() -> None:
    """Three patterns of ranks, each better for another algorithm: exact up to quadrature."""
    patterns = np.array([[3.0, 2.0, 1.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    counts = [4, 3, 2]
    exact = best_of_three_patterns(patterns, counts, concentration_of(9))
    assert exact.sum() == pytest.approx(1.0, abs=1e-6)
    units = np.repeat(patterns, counts, axis=0)[:, :, None]
    _, found = board(units, draws=100_000)
    gap = np.abs(found.standings[0].best - exact)
    assert (gap < 4 * share_error(exact, 100_000)).all()


def test_a_given_utility_is_a_weighted_mean_of_scores() -> None:
    rng = np.random.default_rng(3)
    units = rng.normal(size=(9, 4, 2))
    scores, found = board(units)
    utility = leaderboard_overall(scores, found.centre, np.array([[0.3, 0.7]]), 0.95)
    mixed = 0.3 * units[:, :, 0] + 0.7 * units[:, :, 1]
    _, alone = board(mixed[:, :, None])
    np.testing.assert_allclose(utility.standings.best, alone.standings[0].best)
    np.testing.assert_allclose(utility.standings.upper, alone.standings[0].upper)
    drawn = 0.3 * scores[0] + 0.7 * scores[1]
    losses = [[max(row) - one for one in row] for row in drawn.tolist()]
    np.testing.assert_allclose(utility.regret, np.mean(losses, axis=0))
    assert utility.share is None


def test_the_share_of_all_weights_is_a_length_on_the_line() -> None:
    """Two measures: A leads while λ₁·1 > λ₂·3, which is λ₁ > 3/4."""
    centre = np.array([[2.0, 1.0], [1.0, 4.0]])
    weights = np.random.default_rng(0).dirichlet([1.0, 1.0], 40_000)
    scores = np.repeat(centre[:, None, :], 40_000, axis=1)
    found = leaderboard_overall(scores, centre, weights, 0.95)
    assert found.share is not None
    np.testing.assert_allclose(found.share, [0.25, 0.75], atol=4 * 0.0022)
    np.testing.assert_allclose(found.standings.best, found.share)


# places -------------------------------------------------------------------------------------------

rows = st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=6).map(
    lambda rows: np.array(rows, dtype=float)
)


@given(rows)
def test_places_are_ranks_with_ties_shared(values: np.ndarray) -> None:
    np.testing.assert_array_equal(doubled_places(values) / 2, rankdata(-values, axis=1))
    assert best_place_shares(doubled_places(values)).sum() == pytest.approx(1.0)


def test_float_noise_decides_no_place() -> None:
    assert doubled_places(np.array([[0.3, 0.1 + 0.2, 0.2]])).tolist() == [[3, 3, 6]]
    many = doubled_places(np.arange(20_000.0)[None, :])
    assert (many.dtype, many[0, 0]) == (np.int32, 40_000)


@given(rows, st.permutations(range(4)))
def test_permuting_algorithms_permutes_the_answer(values: np.ndarray, order: list[int]) -> None:
    first, _ = standings(values, values.mean(axis=0), 0.9)
    second, _ = standings(values[:, order], values.mean(axis=0)[order], 0.9)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_allclose(one[order], two)


def test_a_measure_more_can_only_widen_the_front() -> None:
    units = np.random.default_rng(5).normal(size=(8, 6, 3))
    fronts = [board(units[:, :, : k + 1])[1].front for k in range(3)]
    assert (fronts[0] <= fronts[1]).all()
    assert (fronts[1] <= fronts[2]).all()
    aheads = [board(units[:, :, : k + 1])[1].ahead for k in range(3)]
    assert (aheads[0] >= aheads[1]).all()


# duels --------------------------------------------------------------------------------------------


def test_on_one_measure_the_front_is_the_best() -> None:
    _, found = board(np.random.default_rng(6).normal(size=(8, 5, 1)))
    np.testing.assert_allclose(found.front, found.standings[0].best)
    np.testing.assert_allclose(found.ahead + found.ahead.T + np.eye(5), 1.0)


def test_blocks_of_draws_change_nothing() -> None:
    """More draws than a block holds, against numpy over all draws at once."""
    places = np.random.default_rng(7).integers(1, 9, (2, 3, 2500)).astype(np.int16)
    ahead, front = duels(places)
    less = (places[:, :, None] < places[:, None, :]).all(axis=0)
    np.testing.assert_allclose(ahead, less.mean(axis=-1))
    beaten = (places[:, None, :] <= places[:, :, None]).all(axis=0)
    better = (places[:, None, :] < places[:, :, None]).any(axis=0)
    np.testing.assert_allclose(front, 1 - (beaten & better).any(axis=1).mean(axis=-1))
