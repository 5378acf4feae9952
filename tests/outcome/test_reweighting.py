"""Weights of draws: smoothed, checked, and with the error of what they average."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bayescompare.outcome.criticism import smoothed_reweighting

#: Log weights of four chains, as far apart as the draws of a posterior make them.
LOGS = hnp.arrays(np.float64, (4, 50), elements=st.floats(-30.0, 30.0))


@given(LOGS, st.floats(-500.0, 500.0))
def test_weights_sum_to_one_whatever_the_constant(logs: np.ndarray, constant: float) -> None:
    weights, moved = smoothed_reweighting(logs), smoothed_reweighting(logs + constant)
    assert weights.values.min() >= 0.0
    np.testing.assert_allclose(weights.values.sum(), 1.0)
    assert 1.0 - 1e-9 <= weights.effective <= logs.size + 1e-6
    np.testing.assert_allclose(moved.values, weights.values, atol=1e-6)


def test_weights_with_a_heavy_tail_fail() -> None:
    rng = np.random.default_rng(1)
    light = smoothed_reweighting(rng.normal(scale=0.3, size=(4, 500)))
    assert light.khat < 0.5
    assert light.hold
    heavy = smoothed_reweighting(4 * rng.exponential(size=(4, 500)))
    assert heavy.khat > 0.7
    assert not heavy.hold


def test_a_draw_that_makes_the_data_impossible_has_no_weight() -> None:
    logs = np.random.default_rng(2).normal(size=(2, 200))
    logs[0, :50] = -np.inf
    logs[1, 3] = np.nan
    weights = smoothed_reweighting(logs)
    np.testing.assert_array_equal(weights.values[0, :50], 0.0)
    assert weights.values[1, 3] == 0.0
    assert weights.hold


def test_the_error_is_that_of_repetitions() -> None:
    """x ~ N(0, 1) weighted to N(½, 1): P(x > 0) over independent sets of draws."""
    means, errors = [], []
    for seed in range(200):
        x = np.random.default_rng(seed).normal(size=(2, 250))
        weights, each = smoothed_reweighting(0.5 * x), (x > 0.0)[..., None].astype(float)
        means.append(weights.mean(each)[0])
        errors.append(weights.error(each)[0])
    assert abs(np.mean(means) - 0.691462) < 4 * np.std(means) / 200**0.5
    assert 0.8 < np.mean(errors) / np.std(means) < 1.2
