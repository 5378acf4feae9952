"""Effect sizes: scipy's own intervals, coverage of the median, mirrors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.effect_sizes import effect_sizes

VALUES = st.lists(st.integers(-30, 30).map(lambda k: k / 7), min_size=2, max_size=25)


@settings(max_examples=50, deadline=None)
@given(VALUES)
def test_by_scipy_and_by_loops(values: list[float]) -> None:
    d = np.array(values)
    found = effect_sizes(d, np.zeros(len(d)), 0.5)
    low, high = stats.ttest_1samp(d, 0.0).confidence_interval(0.95) if np.ptp(d) else (d[0], d[0])
    assert float(found.mean_lower) == pytest.approx(float(low), abs=1e-9)
    assert float(found.mean_upper) == pytest.approx(float(high), abs=1e-9)
    assert float(found.median) == np.median(d)
    assert float(found.won) == sum(x > 0.5 for x in values) / len(values)
    assert float(found.lost) == sum(x < -0.5 for x in values) / len(values)
    interval = stats.quantile_test(d, p=0.5).confidence_interval(0.95)
    if np.isfinite([interval.low, interval.high]).all() and len(d) > 5:
        # scipy's interval is by the same order statistics, or by the next ones inside.
        assert float(found.median_lower) <= interval.low + 1e-12
        assert float(found.median_upper) >= interval.high - 1e-12


@settings(max_examples=30, deadline=None)
@given(VALUES)
def test_swapping_mirrors(values: list[float]) -> None:
    d, noise = np.array(values), np.zeros(len(values))
    one, two = effect_sizes(d, noise), effect_sizes(-d, noise)
    np.testing.assert_allclose(one.mean, -two.mean, atol=1e-12)
    np.testing.assert_allclose(one.mean_lower, -two.mean_upper, atol=1e-12)
    np.testing.assert_allclose(one.median_lower, -two.median_upper, atol=1e-12)
    assert one.won == two.lost


@pytest.mark.parametrize("n", [6, 7, 10, 23, 60])
def test_the_median_is_covered(n: int) -> None:
    # P(d_(k) < median < d_(n+1-k)) is a binomial sum; k + 1 would cover too little.
    d = np.arange(n, dtype=float)
    found = effect_sizes(d, np.zeros(n))
    k = int(found.median_lower) + 1
    covered = 1 - 2 * stats.binom.cdf(k - 1, n, 0.5)
    assert covered >= 0.95
    assert 1 - 2 * stats.binom.cdf(k, n, 0.5) < 0.95
    assert float(found.median_upper) == n - k


def test_many_at_once_and_few_datasets() -> None:
    d = np.random.default_rng(0).normal(size=(3, 4, 9))
    found = effect_sizes(d, np.zeros(9))
    one = effect_sizes(d[1, 2], np.zeros(9))
    for many, alone in zip(found, one, strict=True):
        assert many.shape == (3, 4)
        np.testing.assert_allclose(many[1, 2], alone)
    few = effect_sizes(d[:, :, :5], np.zeros(5))
    assert np.isnan(few.median_lower).all()
    assert np.isfinite(few.mean_lower).all()
    assert np.isnan(effect_sizes(d[:, :, :1], np.zeros(1)).mean_lower).all()


def test_float_noise_is_a_tie() -> None:
    d = np.array([0.1 + 0.2 - 0.3, 0.81 - 0.8, 0.8 - 0.81])
    found = effect_sizes(d, np.full(3, 1e-12), 0.01)
    assert (float(found.won), float(found.lost)) == (0.0, 0.0)
