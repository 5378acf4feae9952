"""Gamma functions against mpmath, from 1e-300 to beyond float range."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.numerics import gammas
from bayescompare.kernels.numerics.gammas import (
    density_of_log_gamma,
    log_cdf,
    log_minus_log_cdf,
    log_rising_gamma,
    stirling_error,
)
from tests.cases import few_quick
from tests.oracles import dirichlet as oracles

SHAPES = [1e-300, 1e-30, 1e-3, 0.5, 3.0, 9.99, 10.0, 1e3, 99_999.0, 1e5, 1e7, 1e9]
#: In standard deviations of log G where a is large; as quantiles of x where it is not.
Z = np.array([-7.0, -4.5, -2.0, -0.3, 0.0, 0.3, 2.0, 4.5, 7.0])


def points(a: float) -> np.ndarray:
    """Where to look: t = log(x/a) over the bulk and both tails of Gamma(a)."""
    if a >= 10.0:
        return Z / math.sqrt(a)
    x = np.array([1e-8, 1e-3, 0.1, 0.7, 1.0, 2.5, 8.0, 20.0])
    return np.log(x)


def reference(a: float) -> float:
    return a if a >= 10.0 else 1.0


def mp_x(a: float, t: float) -> mp.mpf:
    return mp.mpf(reference(a)) * mp.exp(mp.mpf(float(t)))


@pytest.mark.parametrize("a", few_quick(SHAPES, 6))
def test_log_cdf(a: float) -> None:
    t = points(a)
    found = log_cdf(t, reference(a), np.full((1, 1), a))[0]
    with mp.workdps(40):
        pairs = [oracles.gamma_cdf(a, mp_x(a, v)) for v in t]
        expected = [float(mp.log1p(-q) if q < 0.5 else mp.log(p)) for p, q in pairs]
    # Absolute where F is near one matters for products of F; relative in the lower tail.
    np.testing.assert_allclose(found, expected, rtol=2e-10, atol=2e-13)


@pytest.mark.parametrize("a", few_quick([1e5, 1e9, 1e7], 2))
def test_log_cdf_is_accurate_in_absolute_terms_at_huge_shapes(a: float) -> None:
    t = points(a)
    found = np.exp(log_cdf(t, a, np.full((1, 1), a))[0])
    with mp.workdps(40):
        expected = [float(oracles.gamma_cdf(a, mp_x(a, v))[0]) for v in t]
    # P(max) must be right to 1e-10; what it is made of must be better than that.
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-12)


def test_temmes_coefficients() -> None:
    """C₀ = 1/(λ − 1) − 1/η, C_k = C'_{k−1}/η + γ_k/(λ − 1), η²/2 = λ − 1 − log λ, in fractions.

    γ_k are the coefficients of 1/Γ*(a) in 1/a: 1, −1/12, … (DLMF 8.12.12 and 8.12.15).
    """
    order = 12
    # λ − 1 = Σ m_j η^j from η dη = (1 − 1/λ) dλ, that is η λ = (λ − 1) λ'.
    m = [Fraction(0), Fraction(1)]
    for n in range(2, order):
        inner = sum(m[i] * m[n + 1 - i] * (n + 1 - i) for i in range(2, n))
        m.append((m[n - 1] - inner) / (n + 1))
    # η/(λ − 1), and from it the regular part of 1/(λ − 1).
    ratio = [Fraction(1)]
    for n in range(1, order - 1):
        ratio.append(-sum(m[i + 1] * ratio[n - i] for i in range(1, n + 1)))
    # At k = 0 the pole 1/η is taken away; later ones cancel.
    series = {j: ratio[j + 1] for j in range(order - 2)}
    for k, gamma in enumerate([Fraction(1), Fraction(-1, 12)]):
        if k:
            slope = {j - 2: j * c for j, c in series.items() if j}
            pole = {j: gamma * ratio[j + 1] for j in range(-1, order - 2)}
            series = {j: slope.get(j, 0) + pole[j] for j in range(-1, order - 5)}
            assert series.pop(-1) == 0
        ours = gammas._TEMME[k]
        assert list(ours) == [float(series[j]) for j in range(len(ours))]


def test_temmes_expansion_in_relative_terms() -> None:
    a = 1e5
    y = np.array([-8.0, -7.0, -4.0, -1.0, 0.0, 0.5, 3.0, 7.0, 8.0]) / math.sqrt(a)
    lower, upper = gammas._temme_gamma(y, np.full(len(y), a))
    with mp.workdps(40):
        pairs = [oracles.gamma_cdf(a, mp.mpf(a) * mp.exp(mp.mpf(float(v)))) for v in y]
    np.testing.assert_allclose(lower, [float(p) for p, _ in pairs], rtol=1e-12)
    np.testing.assert_allclose(upper, [float(q) for _, q in pairs], rtol=1e-12)


def test_log_cdf_does_not_jump_where_its_formula_changes() -> None:
    a = np.array([[np.nextafter(1e5, 0.0)], [1e5]])
    below, above = log_cdf(Z / math.sqrt(1e5), 1e5, a)
    np.testing.assert_allclose(below, above, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("a", SHAPES)
def test_log_density(a: float) -> None:
    t = points(a)
    shape = np.full((1, 1), a)
    found = density_of_log_gamma(t, reference(a), shape, np.log(shape))[0]
    with mp.workdps(40):
        expected = [float(oracles.log_gamma_density(a, mp_x(a, v))) for v in t]
    # At a = 1e9 the last bit of t = −4.5 σ is already 3e-12 of log density.
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=2e-12 if a < 1e8 else 5e-11)


@pytest.mark.parametrize(
    "log_a",
    [-2000.0, -700.0, -669.0, -667.0, -300.0, -70.0, -69.0, -40.0, -12.0, -5.0, -4.0, 0.0, 2.0],
)
def test_log_minus_log_cdf(log_a: float) -> None:
    x = np.array([1e-40, 1e-14, 1e-8, 1e-3, 0.1, 1.0, 5.0, 30.0])
    found = log_minus_log_cdf(np.log(x), 1.0, log_a)
    with mp.workdps(40):
        a = mp.exp(log_a)
        pairs = [oracles.gamma_cdf(a, v) for v in x]
        expected = [float(mp.log(-(mp.log1p(-q) if q < 0.5 else mp.log(p)))) for p, q in pairs]
    # The logarithm of the number of cells is added to it: only absolute error counts.
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-12)


def test_log_minus_log_cdf_where_x_underflows_and_where_the_tail_does() -> None:
    log_x = np.array([-5000.0, math.log(650.0), math.log(2000.0)])
    found = log_minus_log_cdf(log_x, 1.0, -800.0)
    with mp.workdps(40):
        expected = [float(-800 + mp.log(mp.e1(mp.exp(mp.mpf(float(v)))))) for v in log_x]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


# ------------------------------------------------------------------------------- rising factorials

RISING = [1e-300, 1e-200, 1e-30, 1e-3, 0.3, 1.0, 9.99, 10.0, 11.0, 1e3, 1e6, 1e9, 1e12, 1e15]
POWERS = [0.0, 1e-6, 1 / 3, 0.5, 1.0, 2.0, 30.0, 1e4, 1e9]


@pytest.mark.parametrize("a", RISING)
def test_log_rising(a: float) -> None:
    # log a cannot hold more digits of a than a float has: that is the error to be allowed.
    log_a = math.log(a)
    found = log_rising_gamma(log_a, np.array(POWERS))
    with mp.workdps(60):
        expected = [float(oracles.log_rising(mp.exp(mp.mpf(log_a)), mp.mpf(n))) for n in POWERS]
    np.testing.assert_allclose(found, expected, rtol=2e-13, atol=2e-13)


@pytest.mark.parametrize(
    "log_a", [-2000.0, -800.0, -700.0, 300.0, 354.0, 600.0, 689.0, 691.0, 2000.0]
)
@pytest.mark.parametrize("n", [0.0, 0.5, 1.0, 12.0, 1e6])
def test_log_rising_beyond_float_range(log_a: float, n: float) -> None:
    found = float(log_rising_gamma(log_a, n))
    # Γ(a+n)/Γ(a) is Γ(n)·a as a → 0 and aⁿ as a → ∞; loggamma of e^2000 itself is no help.
    if n == 0.0:
        expected = 0.0
    elif log_a < 0:
        expected = float(mp.loggamma(n)) + log_a
    else:
        expected = n * log_a
    assert found == pytest.approx(expected, rel=1e-12)


@given(st.floats(-690, 300), st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_rising_in_two_steps_is_rising_in_one(log_a: float, n: float, k: float) -> None:
    a = math.exp(log_a)
    if n > 0:
        two = float(log_rising_gamma(log_a, n) + log_rising_gamma(math.log(a + n), k))
        assert float(log_rising_gamma(log_a, n + k)) == pytest.approx(two, rel=1e-9, abs=1e-9)


@given(st.floats(-8, 12), st.floats(-3, 3), st.floats(0, 3))
def test_the_cdf_grows_and_the_density_is_its_slope(log_a: float, z: float, step: float) -> None:
    a = math.exp(log_a)
    shape = np.full((1, 1), a)
    t = np.array([z, z + step]) / max(1.0, math.sqrt(a))
    low, high = log_cdf(t, max(a, 1.0), shape)[0]
    assert low <= high <= 0.0


def test_stirling_error() -> None:
    with mp.workdps(40):
        for a in (10.0, 12.5, 100.0, 1e5):
            x = mp.mpf(a)
            rest = mp.loggamma(x) - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)
            assert float(stirling_error(np.array(a))) == pytest.approx(float(rest), abs=2e-16)
