"""Intervals of known distributions and of draws: against mpmath, ArviZ, and what they must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import arviz_stats
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaincinv

from bayescompare.kernels.numerics.intervals import (
    beta_mixture_quantile,
    draws_interval,
    quantile_interval,
)


def halved(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where a function that falls crosses zero."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def highest(a: float, b: float, mass: float) -> tuple[float, float]:
    """Where the Beta density is above a level, and the level such that the mass is right."""

    def density(x: Any) -> Any:
        return x ** (a - 1) * (1 - x) ** (b - 1)

    mode = mpmath.mpf(a - 1) / (a + b - 2)

    def ends(level: Any) -> tuple[Any, Any]:
        low = halved(lambda x: level - density(x), mpmath.mpf(0), mode)
        return low, halved(lambda x: density(x) - level, mode, mpmath.mpf(1))

    def excess(level: Any) -> Any:
        return mpmath.betainc(a, b, *ends(level), regularized=True) - mass

    with mpmath.workdps(30):
        low, high = ends(halved(excess, mpmath.mpf(0), density(mode)))
    return float(low), float(high)


@pytest.mark.parametrize(("a", "b", "mass"), [(2, 5, 0.5), (6.25, 6.75, 0.89), (30, 3, 0.95)])
def test_the_shortest_interval_is_where_the_density_is_highest(
    a: float, b: float, mass: float
) -> None:
    found = quantile_interval(lambda q: betaincinv(a, b, q), mass, "hdi")
    # The width is flat at its least, so that the ends are known to the root of its precision.
    assert found == pytest.approx(highest(a, b, mass), abs=1e-6)


@pytest.mark.parametrize(("a", "b"), [(0.25, 4.75), (1.0, 3.0)])
def test_a_density_that_only_falls_starts_at_zero(a: float, b: float) -> None:
    low, high = quantile_interval(lambda q: betaincinv(a, b, q), 0.89, "hdi")
    assert low == 0.0
    assert high == pytest.approx(stats.beta.ppf(0.89, a, b), rel=1e-12)


@given(st.integers(0, 2**31 - 1), st.sampled_from(["eti", "hdi"]), st.floats(0.05, 0.99))
@settings(max_examples=30, deadline=None)
def test_intervals_of_mixtures(seed: int, kind: str, mass: float) -> None:
    """They have their mass, mirror with the distribution, and the shortest is no longer."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))
    weight, first, second = rng.dirichlet(np.ones(size)), *rng.gamma(2.0, 4.0, size=(2, size))

    def interval(a: np.ndarray, b: np.ndarray, kind: str) -> tuple[float, float]:
        return quantile_interval(
            lambda q: beta_mixture_quantile(weight, a, b, q),
            mass,
            kind,  # type: ignore[arg-type]
        )

    low, high = interval(first, second, kind)
    inside = weight @ (stats.beta.cdf(high, first, second) - stats.beta.cdf(low, first, second))
    assert inside == pytest.approx(mass, abs=1e-9)
    assert high - low <= np.subtract(*interval(first, second, "eti")[::-1]) + 1e-9
    if kind == "eti":
        assert (1 - high, 1 - low) == pytest.approx(interval(second, first, kind), abs=1e-9)


def beta_cdf(a: float, b: float, x: Any) -> Any:
    """P(Beta(a, b) ≤ x) by its series of positive terms; a parameter of 0 leaves an atom."""
    if a == 0.0 or x >= 1:
        return mpmath.mpf(1)
    if b == 0.0 or x <= 0:
        return mpmath.mpf(0)
    if x * (a + b) > a:
        return 1 - beta_cdf(b, a, 1 - x)
    term = total = mpmath.mpf(1)
    n = 0
    while term > total * mpmath.eps:
        term *= x * (a + b + n) / (a + 1 + n)
        total, n = total + term, n + 1
    return total * x**a * (1 - x) ** b / (a * mpmath.beta(a, b))


#: Weights (their sum is 1 in floats) and both parameters.
MIXTURES = {
    "one": ([1.0], [2.5], [4.0]),
    "tiny and huge": ([0.25, 0.75], [1e-3, 1e6], [2.0, 1e6]),
    "both ends": ([0.5, 0.5], [0.05, 30.0], [30.0, 0.05]),
    "far apart": ([0.5, 0.5], [1e5, 2e3], [2e3, 1e5]),
    "atoms": ([0.125, 0.75, 0.125], [0.0, 0.3, 4.0], [5.0, 0.7, 0.0]),
}


@pytest.mark.parametrize("level", [1e-20, 1e-9, 0.025, 0.4, 0.975, 1 - 1e-9, 1 - 1e-15])
@pytest.mark.parametrize("name", MIXTURES)
def test_quantiles_of_mixtures_by_mpmath(name: str, level: float) -> None:
    """F(x) is the level to 1e-12 and ten digits of its tail, or neighbouring floats enclose it."""
    weight, first, second = MIXTURES[name]
    (x,) = beta_mixture_quantile(
        np.array(weight), np.array(first), np.array(second), np.array([level])
    )

    def below(at: float) -> Any:
        each = (beta_cdf(a, b, mpmath.mpf(at)) for a, b in zip(first, second, strict=True))
        return sum(w * p for w, p in zip(weight, each, strict=True)) if at >= 0.0 else 0

    with mpmath.workdps(40):
        q = mpmath.mpf(level)
        near = min(mpmath.mpf(1e-12), mpmath.mpf(1e-10) * min(q, 1 - q))
        if abs(below(float(x)) - q) > near:
            assert below(np.nextafter(x, -1.0)) <= q <= below(np.nextafter(x, 2.0))


@given(st.integers(0, 2**31 - 1), st.floats(1e-20, 0.5), st.floats(1e-20, 0.5))
def test_quantiles_of_mixtures_rise_and_mirror(seed: int, one: float, other: float) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    weight, shapes = rng.dirichlet(np.ones(size)), 10.0 ** rng.uniform(-3.0, 6.0, (2, size))
    levels = np.sort([one, other, 1.0 - one, 1.0 - other])
    found = beta_mixture_quantile(weight, *shapes, levels)
    apart = np.diff(levels) > 1e-9 * np.minimum(levels, 1.0 - levels)[1:]
    assert (np.diff(found)[apart] >= 0.0).all()
    mirrored = beta_mixture_quantile(weight, *shapes[::-1], 1.0 - levels)
    np.testing.assert_allclose(mirrored[2:], 1.0 - found[2:], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("mass", [0.5, 0.89, 0.95])
def test_intervals_of_draws_are_those_of_arviz(mass: float) -> None:
    draws = np.random.default_rng(3).gamma(1.5, size=(4, 250, 3))
    flat = draws.reshape(-1, 3)
    for kind in ("eti", "hdi"):
        theirs = getattr(arviz_stats, kind)(draws[..., 0], prob=mass, axis=(0, 1))
        np.testing.assert_allclose(draws_interval(flat, mass, kind)[:, 0], theirs)
