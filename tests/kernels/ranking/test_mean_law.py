"""The exact law of a bootstrap mean: draws, a closed form, mpmath, mirrors."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.ranking.bootstrap import bootstrap_weights, mean_above, mean_quantile

VALUES = st.lists(st.integers(-20, 20).map(lambda k: k / 10), min_size=5, max_size=12)


def by_mpmath(values: np.ndarray, threshold: float) -> float:
    """Gil-Pelaez with 30 digits in u itself, by mpmath's own quadrature."""
    n = len(values)
    a = mp.mpf(n - 4) / n
    with mp.workdps(30):
        b = [mp.mpf(float(x)) - mp.mpf(threshold) for x in values]

        def integrand(u: mp.mpf) -> mp.mpf:
            angle = a * mp.fsum(mp.atan(x * u) for x in b)
            modulus = mp.fprod((1 + (x * u) ** 2) ** (a / 2) for x in b)
            return mp.sin(angle) / (u * modulus)

        points = [0, *(mp.mpf(10) ** k for k in range(-3, 9)), mp.inf]
        return float(mp.mpf("0.5") + mp.quad(integrand, points) / mp.pi)


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        pytest.param([0.01, 0.02, -0.5, 0.03, 0.04, 0.05, 0.02], 0.0, marks=pytest.mark.slow),
        ([5.0, 1.0, 1.0, -3.0, -0.1, -0.2], 0.4),
    ],
)
def test_by_mpmath(values: list[float], threshold: float) -> None:
    found = mean_above(np.array(values), np.ones(len(values)), threshold)
    assert found == pytest.approx(by_mpmath(np.array(values), threshold), abs=1e-11)


@pytest.mark.parametrize("positive", [1, 3, 6])
def test_two_values_are_a_beta(positive: int) -> None:
    # k values of 1 and n − k of −2: the mean is positive iff Beta(ka, (n − k)a) > 2/3.
    n = 8
    a = (n - 4) / n
    values = np.array([1.0] * positive + [-2.0] * (n - positive))
    expected = stats.beta.sf(2 / 3, positive * a, (n - positive) * a)
    assert mean_above(values, np.ones(n)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("importance", [np.ones(9), np.arange(1.0, 10.0)])
def test_by_draws(importance: np.ndarray) -> None:
    rng = np.random.default_rng(3)
    values = rng.standard_t(3, size=9)
    weights = np.concatenate(list(bootstrap_weights(importance, 60_000, rng)))
    means = weights @ values
    for threshold in (-0.5, 0.0, 0.4):
        p = mean_above(values, importance, threshold)
        assert (means > threshold).mean() == pytest.approx(p, abs=4 * np.sqrt(0.25 / 60_000))
    for p in (0.05, 0.5, 0.95):
        q = mean_quantile(values, importance, p)
        assert (means < q).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 60_000))


@settings(max_examples=40, deadline=None)
@given(VALUES, st.integers(-15, 15))
def test_mirrors_scales_and_orders(values: list[float], tenth: int) -> None:
    x, c, v = np.array(values), tenth / 10 + 0.05, np.ones(len(values))
    p = mean_above(x, v, c)
    assert 0.0 <= p <= 1.0
    assert mean_above(-x, v, -c) == pytest.approx(1.0 - p, abs=1e-10)
    assert mean_above(7.0 * x + 1.0, v, 7.0 * c + 1.0) == pytest.approx(p, abs=1e-10)
    assert mean_above(x[::-1], v, c) == pytest.approx(p, abs=1e-10)
    assert mean_above(x, v, c + 0.3) <= p + 1e-10


def test_what_is_equal_is_above_nothing() -> None:
    same = np.full(6, 0.3)
    assert mean_above(same, np.ones(6), 0.3) == 0.0
    assert mean_above(same, np.ones(6), 0.1 + 0.2, noise=1e-12) == 0.0
    assert mean_above(same, np.ones(6), 0.2) == 1.0
    assert mean_quantile(same, np.ones(6), 0.95) == 0.3


def test_values_of_very_different_size() -> None:
    x = np.array([1e-9, 1.0, -1.0, 2.0, -3.0, 1e6])
    p = mean_above(x, np.ones(6))
    assert p + mean_above(-x, np.ones(6)) == pytest.approx(1.0, abs=1e-11)
    assert p > 0.9
