"""Correlated t-test: baycomp, the generative model by quadrature, point masses, symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.context import correlated_t as ct

finite = st.floats(-5.0, 5.0, allow_subnormal=False)


def student(x: np.ndarray, rho: float) -> tuple[np.ndarray, ...]:
    return ct.correlated_t_from_moments(x.mean(axis=-1), x.var(axis=-1, ddof=1), x.shape[-1], rho)


def regions(differences: np.ndarray, rho: float, rope: float = 0.0) -> np.ndarray:
    return ct.correlated_t_regions(*student(differences, rho), rope)


# ----------------------------------------------------------------------------------- the published


# --------------------------------------------------------------------------------- the independent


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.5])
def test_generative_model_by_quadrature(rho: float) -> None:
    """x ~ N(μ1, σ²((1 − ρ)I + ρ11ᵀ)) with p(μ, σ²) ∝ 1/σ², on a grid of μ and log σ."""
    x = np.array([0.03, -0.01, 0.05, 0.02, 0.04, 0.0])
    rope = 0.01
    correlation = (1 - rho) * np.eye(len(x)) + rho * np.ones((len(x), len(x)))
    precision = np.linalg.inv(correlation)
    log_sigma = np.linspace(-9.0, 4.0, 600)

    def marginal(mu: np.ndarray) -> np.ndarray:
        away = x - mu[:, None]
        square = np.einsum("mi,ij,mj->m", away, precision, away)
        log_p = -len(x) * log_sigma - 0.5 * square[:, None] * np.exp(-2 * log_sigma)
        return np.exp(log_p - 20.0).sum(axis=1)

    def mass(low: float, high: float) -> float:
        node, weight = np.polynomial.legendre.leggauss(60)
        edges = np.linspace(np.arcsinh(low / 0.01), np.arcsinh(high / 0.01), 21)
        half = np.diff(edges) / 2
        t = (edges[:-1, None] + half[:, None] * (1 + node)).ravel()
        w = (half[:, None] * weight).ravel() * 0.01 * np.cosh(t)
        return float(w @ marginal(0.01 * np.sinh(t)))

    parts = np.array([mass(-100.0, -rope), mass(-rope, rope), mass(rope, 100.0)])
    np.testing.assert_allclose(regions(x, rho, rope), parts / parts.sum(), atol=1e-9)


def test_far_tails_keep_their_digits() -> None:
    left, rope, right = ct.correlated_t_regions(30.0, 1.0, 0.01, 0.1)
    assert left == pytest.approx(stats.t.sf(110.0, 30), rel=1e-10)
    assert rope == pytest.approx(stats.t.sf(90.0, 30) - stats.t.sf(110.0, 30), rel=1e-9)
    assert right == 1.0


# ------------------------------------------------------------------------------------- point masses


def test_equal_replicates_are_a_point_mass() -> None:
    x = np.full(4, 0.25)
    _, location, scale = student(x, 0.1)
    assert (location, scale) == (0.25, 0.0)
    assert regions(x, 0.1).tolist() == [0.0, 0.0, 1.0]
    assert regions(x, 0.1, rope=0.25).tolist() == [0.0, 1.0, 0.0]
    assert regions(np.zeros(4), 0.1).tolist() == [0.5, 0.0, 0.5]


# ------------------------------------------------------------------------------------ the property


@given(st.lists(finite, min_size=2, max_size=12), st.floats(0.0, 0.95), st.floats(0.0, 1.0))
def test_sum_mirror_and_order(x: list[float], rho: float, rope: float) -> None:
    found = regions(np.array(x), rho, rope)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all((found >= 0.0) & (found <= 1.0))
    np.testing.assert_allclose(regions(-np.array(x), rho, rope), found[::-1], atol=1e-12)
    # Sums in another order differ in the last bits, as do the moments of near equal numbers.
    if np.ptp(x) > 1e-6:
        np.testing.assert_allclose(regions(np.array(x[::-1]), rho, rope), found, atol=1e-6)


# -------------------------------------------------------------------- draws of what a dataset is


@pytest.mark.parametrize("rope", [0.0, 0.5])
@pytest.mark.parametrize("location", [0.2, -3.0, 40.0])
def test_means_within_a_region_are_a_truncated_t(rope: float, location: float) -> None:
    """Also where the region is far in a tail, of which 40 scales away 1e-8 is left."""
    t, one, rng = stats.t(5, location, 1.0), np.ones(1), np.random.default_rng(3)
    ends = {0: (-np.inf, -rope), 1: (-rope, rope), 2: (rope, np.inf)}
    for region, (low, high) in ends.items():
        if low == high:
            continue
        drawn = ct.draw_correlated_t_within(
            5 * one, location * one, one, np.full((4000, 1), region), rope, rng
        )[:, 0]
        assert drawn.min() >= low
        assert drawn.max() <= high
        # From the nearer tail, as the whole may be 1 to the last digit.
        if low > location:
            uniform = (t.sf(drawn) - t.sf(high)) / (t.sf(low) - t.sf(high))
        else:
            uniform = (t.cdf(drawn) - t.cdf(low)) / (t.cdf(high) - t.cdf(low))
        assert stats.kstest(uniform, stats.uniform.cdf).pvalue > 1e-4


def test_a_region_without_mass_gives_its_nearer_end() -> None:
    """Of a normal 60 scales away floats have nothing left."""
    many = np.full(1, 1e6)
    drawn = ct.draw_correlated_t_within(
        many,
        np.array([60.0]),
        np.ones(1),
        np.zeros((3, 1), dtype=int),
        0.0,
        np.random.default_rng(1),
    )
    assert np.isfinite(drawn).all()
    assert (drawn <= 0.0).all()


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.6])
def test_means_and_spreads_have_the_joint_posterior(rho: float) -> None:
    """By weighing a grid of μ and log σ with the multivariate normal density itself."""
    x = np.array([0.1, 0.3, -0.1, 0.25, 0.2])
    dof, location, scale = (np.array([v]) for v in student(x, rho))
    rng = np.random.default_rng(4)
    means = location + scale * rng.standard_t(dof, size=(40_000, 1))
    spreads = ct.draw_correlated_t_spreads(means, dof, location, scale, np.array([rho]), rng)
    covariance = (1 - rho) * np.eye(5) + rho
    apart = x - means
    q = np.einsum("nj,jk,nk->n", apart, np.linalg.inv(covariance), apart)
    assert stats.kstest(q / spreads[:, 0] ** 2, stats.chi2(5).cdf).pvalue > 1e-4
    # Marginally S (k − 1)/((1 − ρ) σ²) is a χ² with k − 1 degrees of freedom.
    pivot = x.var(ddof=1) * 4 / ((1 - rho) * spreads[:, 0] ** 2)
    assert stats.kstest(pivot, stats.chi2(4).cdf).pvalue > 1e-4


@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_drawn_replicates_have_their_covariance(rho: float) -> None:
    rng = np.random.default_rng(5)
    x = ct.draw_correlated_t_differences(np.full(50_000, 0.5), np.full(50_000, 2.0), rho, 3, rng)
    expected = 4.0 * ((1 - rho) * np.eye(3) + rho)
    np.testing.assert_allclose(np.cov(x.T), expected, atol=0.15)
    np.testing.assert_allclose(x.mean(axis=0), 0.5, atol=0.04)
    assert stats.kstest((x[:, 0] - 0.5) / 2.0, stats.norm.cdf).pvalue > 1e-4
