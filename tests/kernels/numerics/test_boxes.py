"""Φ₂ by Owen's T against mpmath, closed orthants and boxes by conditioning."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from bayescompare.kernels.numerics.boxes import bivariate_box, bivariate_cdf, quadrants


@pytest.mark.parametrize("rho", [-0.8, 0.0, 0.4])
@pytest.mark.parametrize(("h", "k"), [(0.3, -1.2), (0.0, 0.7), (-2.0, -1.0), (0.0, 0.0)])
def test_by_mpmath(h: float, k: float, rho: float) -> None:
    root = math.sqrt(1.0 - rho**2)
    expected = mpmath.quad(
        lambda x: mpmath.npdf(x) * mpmath.ncdf((k - rho * x) / root),
        [-mpmath.inf, -2, min(h, 0), h],
    )
    assert bivariate_cdf(h, k, rho) == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.parametrize("rho", [-1.0, -0.9999, -0.3, 0.0, 0.5, 0.999, 1.0])
def test_edges_and_zeros_by_conditioning(rho: float) -> None:
    values = [-np.inf, -9.0, -0.5, -1e-17, 0.0, 1e-300, 1e-9, 0.5, 3.0, np.inf]
    h, k = (g.ravel() for g in np.meshgrid(values, values))
    upper = np.stack([h, k], axis=1)
    expected = bivariate_box(np.full_like(upper, -np.inf), upper, np.full(len(h), rho))
    np.testing.assert_allclose(bivariate_cdf(h, k, np.full(len(h), rho)), expected, atol=3e-15)


@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-0.999, 0.999))
def test_symmetry_and_quadrants(h: float, k: float, rho: float) -> None:
    assert bivariate_cdf(h, k, rho) == pytest.approx(bivariate_cdf(k, h, rho), abs=1e-15)
    parts = quadrants(h, k, rho)
    assert parts.sum() == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(quadrants(-h, k, -rho)[[2, 3, 0, 1]], parts, atol=2e-15)


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.5, 0.8])
@pytest.mark.parametrize("mean", [(0.3, 0.7), (-0.4, 0.2), (1.5, -1.1), (-0.2, -2.0)])
def test_quadrants_against_scipy(mean: tuple[float, float], correlation: float) -> None:
    found = quadrants(*mean, correlation)
    covariance = [[1.0, correlation], [correlation, 1.0]]
    # P(X > 0, Y > 0) is P(−X < 0, −Y < 0).
    both = multivariate_normal.cdf([0, 0], [-mean[0], -mean[1]], covariance)
    neither = multivariate_normal.cdf([0, 0], mean, covariance)
    assert found[0] == pytest.approx(both, abs=1e-6)
    assert found[3] == pytest.approx(neither, abs=1e-6)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
