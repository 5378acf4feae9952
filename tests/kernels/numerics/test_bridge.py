"""Bridge sampling against closed constants, one-dimensional integrals and its own promises."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.signal import lfilter

from bayescompare.kernels.numerics.bridge import autocorrelation_time, bridge_constant


def autoregressive(
    phi: float, size: tuple[int, int], rng: np.random.Generator, burn: int = 200
) -> np.ndarray:
    """Chains with standard normal margins and correlation φ from draw to draw."""
    noise = rng.normal(size=(size[0], size[1] + burn)) * math.sqrt(1.0 - phi**2)
    return np.asarray(lfilter([1.0], [1.0, -phi], noise, axis=1)[:, burn:])


def test_the_published_example_of_gronau_et_al() -> None:
    """Section 2.1: 2 of 10 correct, uniform prior on the rate; the marginal likelihood is 1/11.

    Published: 0.0902 by bridge sampling with a normal proposal for the probit of the rate.
    """
    rng = np.random.default_rng(4)
    probit = stats.norm.ppf(rng.beta(3.0, 9.0, size=(4, 5000)))

    def log_density(z: np.ndarray) -> np.ndarray:
        rate = stats.norm.cdf(z)
        return stats.binom.logpmf(2, 10, rate) + stats.norm.logpdf(z)

    proposal = stats.norm(probit[:, :2500].mean(), probit[:, :2500].std())
    drawn = probit[:, 2500:]
    proposed = proposal.rvs(10_000, random_state=rng)
    found = bridge_constant(
        log_density(drawn) - proposal.logpdf(drawn),
        log_density(proposed) - proposal.logpdf(proposed),
    )
    assert math.exp(found.log_constant) == pytest.approx(1.0 / 11.0, abs=0.001)
    assert abs(found.log_constant - math.log(1.0 / 11.0)) < 4.0 * found.error
    assert found.error < 0.005
    assert found.overlap > 0.95


def test_a_constant_by_quadrature() -> None:
    """The density exp(−x⁴ + x), whose constant mpmath integrates."""
    exact = float(mp.log(mp.quad(lambda x: mp.exp(-(x**4) + x), [-mp.inf, 0, mp.inf])))
    grid = np.linspace(-3.0, 3.0, 20_001)
    mass = np.exp(-(grid**4) + grid)
    rng = np.random.default_rng(2)
    drawn = np.interp(rng.random((4, 4000)), mass.cumsum() / mass.sum(), grid)
    proposed = rng.normal(0.2, 0.6, size=16_000)

    def ratio(x: np.ndarray) -> np.ndarray:
        return -(x**4) + x - stats.norm.logpdf(x, 0.2, 0.6)

    found = bridge_constant(ratio(drawn), ratio(proposed))
    assert abs(found.log_constant - exact) < 4.0 * found.error
    assert found.error < 0.01


@pytest.mark.parametrize("phi", [0.0, 0.8])
def test_the_error_is_as_large_as_it_says(phi: float) -> None:
    """z-scores of many runs have variance one; without autocorrelation it would be 3 at φ = 0.8."""
    rng = np.random.default_rng(5)
    z = []
    for _ in range(120):
        x = autoregressive(phi, (4, 300), rng)
        y = 0.3 + 1.3 * rng.normal(size=1200)
        one, other = (-(v**2) / 2 - stats.norm.logpdf(v, 0.3, 1.3) for v in (x, y))
        found = bridge_constant(one, other)
        z.append((found.log_constant - 0.5 * math.log(2.0 * math.pi)) / found.error)
    # A χ² with 120 degrees of freedom divided by them has the sd 0.13.
    assert 0.5 < np.mean(np.square(z)) < 1.5
    assert abs(np.mean(z)) < 4.0 / math.sqrt(120)


def test_no_overlap_shows() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 500, 40)), 4.0 + rng.normal(size=(1000, 40))
    one, other = ((stats.norm.logpdf(v) - stats.norm.logpdf(v, 4.0)).sum(axis=-1) for v in (x, y))
    assert bridge_constant(one, other).overlap < 1e-6


@given(st.floats(-500.0, 500.0), st.integers(0, 2**32 - 1))
def test_a_factor_moves_the_constant_by_as_much(shift: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(3, 40)), rng.normal(-0.5, size=100)
    plain, moved = bridge_constant(one, other), bridge_constant(one + shift, other + shift)
    assert moved.log_constant - shift == pytest.approx(plain.log_constant, abs=1e-8)
    assert moved.error == pytest.approx(plain.error, rel=1e-6)
    assert 0.0 <= plain.overlap <= 1.0


def test_proposals_outside_the_support_count_as_nothing() -> None:
    """A half-normal, whose constant is half of the normal's."""
    rng = np.random.default_rng(7)
    x, y = np.abs(rng.normal(size=(4, 3000))), rng.normal(size=12_000)
    one = -(x**2) / 2 - stats.norm.logpdf(x)
    other = np.where(y > 0, -(y**2) / 2 - stats.norm.logpdf(y), -np.inf)
    found = bridge_constant(one, other)
    assert abs(found.log_constant - 0.5 * math.log(math.pi / 2)) < 4.0 * found.error


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_the_autocorrelation_time_of_a_known_process(phi: float) -> None:
    chains = autoregressive(phi, (4, 40_000), np.random.default_rng(8))
    assert autocorrelation_time(chains) == pytest.approx((1 + phi) / (1 - phi), rel=0.08)


def test_chains_that_disagree_are_worth_little() -> None:
    chains = np.random.default_rng(9).normal(size=(4, 1000)) + np.arange(4)[:, None]
    assert autocorrelation_time(chains) > 100


def test_constants_and_short_chains_have_time_one() -> None:
    assert autocorrelation_time(np.ones((4, 100))) == 1.0
    assert autocorrelation_time(np.arange(6.0).reshape(2, 3)) == 1.0
