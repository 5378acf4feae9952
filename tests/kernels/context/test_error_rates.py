"""One test set: the paper's theorem and bounds against quadrature, binomial sums and draws."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bayescompare.kernels.context import error_rates as er

counts = st.integers(0, 400)


def test_langford_is_the_limit_of_the_posterior_bound() -> None:
    k, n = np.array([0, 3, 9]), np.array([10, 40, 10])
    near = er.error_rate_bound(k, n, 0.05, (1.0, 1e-9))
    np.testing.assert_allclose(near, er.langford_error_rate_bound(k, n, 0.05), atol=1e-7)
    assert er.langford_error_rate_bound([10, 0], [10, 0]).tolist() == [1.0, 1.0]


# ----------------------------------------------------------------------------------- the published


# --------------------------------------------------------------------------------- the independent


@pytest.mark.parametrize(("k_h", "k_g", "k"), [(0, 0, 3), (2, 5, 4), (6, 1, 20), (3, 3, 0)])
@pytest.mark.parametrize("prior", [(1.0, 1.0), (2.5, 0.7)])
def test_theorem_4_1_by_quadrature(k_h: int, k_g: int, k: int, prior: tuple[float, float]) -> None:
    """Integrate the Dirichlet over p_h < p_g; neither k nor its prior parameter may matter."""
    a, other = prior
    shapes = np.array([a + k_h, a + k_g, other + k])
    log_norm = mp.loggamma(shapes.sum()) - sum(mp.loggamma(x) for x in shapes)

    def density(h: float, g: float) -> float:
        rest = max(1.0 - h - g, 1e-300)
        logs = np.log([max(h, 1e-300), max(g, 1e-300), rest])
        return float(np.exp(float(log_norm) + (shapes - 1.0) @ logs))

    # p_h from 0 to ½, and p_g from p_h to 1 − p_h.
    found, _ = integrate.dblquad(
        lambda g, h: density(h, g), 0.0, 0.5, lambda h: h, lambda h: 1.0 - h, epsabs=1e-9
    )
    assert found == pytest.approx(float(er.first_error_rate_better(k_h, k_g, a)), abs=2e-6)


def test_log_marginal_by_integration() -> None:
    for k_h, k_g, a in [(3, 8, 1.0), (0, 0, 2.0), (7, 2, 0.5)]:
        exact = mp.quad(
            lambda z, h=k_h, g=k_g, a=a: (
                mp.binomial(h + g, h) * z ** (h + a - 1) * (1 - z) ** (g + a - 1) / mp.beta(a, a)
            ),
            [0, 0.5, 1],
        )
        assert np.exp(er.error_rate_log_marginal(k_h, k_g, a)) == pytest.approx(
            float(exact), rel=1e-6
        )


@pytest.mark.parametrize("delta", [0.05, 1e-3, 1e-12])
def test_bounds_are_where_the_tail_is_delta(delta: float) -> None:
    k, n = np.array([0, 1, 30, 60]), np.array([50, 20, 400, 100])
    # Langford: the largest risk at which k or fewer errors still have probability δ.
    bound = er.langford_error_rate_bound(k, n, delta)
    np.testing.assert_allclose(stats.binom.cdf(k, n, bound), delta, rtol=1e-6)
    posterior = er.error_rate_posterior(k, n, (1.0, 1.0))
    np.testing.assert_allclose(
        stats.beta.sf(er.error_rate_bound(k, n, delta), *posterior), delta, rtol=1e-6
    )


def test_shares_are_the_two_halves_of_the_posterior() -> None:
    rng = np.random.default_rng(3)
    k_h, k_g, a = np.array([2, 9, 40, 0]), np.array([6, 1, 35, 0]), 1.0
    better = np.tile(np.array([[True], [False]]), (4000, 4))
    shares = er.draw_error_rate_shares(k_h, k_g, better, rng, a)
    assert np.array_equal(shares < 0.5, better)
    for i in range(4):
        posterior = stats.beta(a + k_h[i], a + k_g[i])
        below = posterior.cdf(0.5)
        low, high = shares[better[:, i], i], shares[~better[:, i], i]
        assert stats.kstest(posterior.cdf(low) / below, "uniform").pvalue > 1e-4
        assert stats.kstest((posterior.cdf(high) - below) / (1 - below), "uniform").pvalue > 1e-4


def test_shares_in_a_tail_beyond_floats() -> None:
    """P(z < ½) is 1e-600: the draws lie just below ½, as the local exponential says."""
    rng = np.random.default_rng(4)
    k_h, k_g = np.array([2000]), np.array([3])
    assert er.first_error_rate_better(k_h, k_g) < 1e-250
    draws = er.draw_error_rate_shares(k_h, k_g, np.ones((20_000, 1), dtype=bool), rng)
    with mp.workdps(30):
        a, b = mp.mpf(2001), mp.mpf(4)
        points = [mp.mpf(1) / 2 - mp.mpf(j) / 2000 for j in range(21)][::-1]
        mass = mp.quad(lambda z: z ** (a - 1) * (1 - z) ** (b - 1), points)
        mean = mp.quad(lambda z: z**a * (1 - z) ** (b - 1), points) / mass
    error = draws.std() / np.sqrt(len(draws))
    assert abs(draws.mean() - float(mean)) < 4 * error
    # On the other side nothing is faint.
    other = er.draw_error_rate_shares(k_h, k_g, np.zeros((10, 1), dtype=bool), rng)
    assert np.all(other > 0.9)


@pytest.mark.parametrize(("own", "other"), [(6.0, 2.0), (40.0, 25.0), (3.5, 1.0)])
def test_the_tail_below_one_half_where_rejection_matters(own: float, other: float) -> None:
    """Here the density is far from the exponential that is proposed."""
    size = 20_000
    draws = er._draw_error_rate_tail(
        np.full(size, own), np.full(size, other), np.random.default_rng(5)
    )
    posterior = stats.beta(own, other)
    assert draws.max() <= 0.5
    assert stats.kstest(posterior.cdf(draws) / posterior.cdf(0.5), "uniform").pvalue > 1e-4


def test_outcomes_are_dirichlet() -> None:
    rng = np.random.default_rng(5)
    n = 40_000
    better = rng.random((n, 1)) < er.first_error_rate_better([3], [7])
    share = er.draw_error_rate_shares([3], [7], better, rng)
    found = er.draw_error_rate_outcomes(share, [10], [30], rng)[:, 0]
    exact = stats.dirichlet([4.0, 8.0, 31.0])
    np.testing.assert_allclose(found.mean(axis=0), exact.mean(), atol=4 * 0.07 / np.sqrt(n))
    np.testing.assert_allclose(found.var(axis=0), exact.var(), rtol=0.05)


# ------------------------------------------------------------------------------------ the property


@given(counts, counts, st.floats(0.1, 5.0))
def test_swap_mirrors(k_h: int, k_g: int, a: float) -> None:
    both = er.first_error_rate_better(k_h, k_g, a) + er.first_error_rate_better(k_g, k_h, a)
    assert both == pytest.approx(1.0, abs=1e-13)
    assert er.error_rate_log_marginal(k_h, k_g, a) == pytest.approx(
        float(er.error_rate_log_marginal(k_g, k_h, a))
    )


@given(st.integers(1, 300), st.data(), st.floats(1e-6, 0.5))
@settings(max_examples=50)
def test_bounds_are_above_the_rate_and_langford_above_the_posterior(
    n: int, data: st.DataObject, delta: float
) -> None:
    k = data.draw(st.integers(0, n))
    bound, langford = er.error_rate_bound(k, n, delta), er.langford_error_rate_bound(k, n, delta)
    # A prior on the worst is worse.
    assert bound <= langford + 1e-12
    assert 0.0 < bound <= 1.0
    assert langford >= k / n - 1e-12


@pytest.mark.parametrize(
    ("k", "l", "n"), [(3, 9, 50), (0, 40, 60), (40, 0, 60), (0, 0, 3), (900, 300, 2000)]
)
def test_independent_risks_by_the_finite_sum(k: int, l: int, n: int) -> None:
    """Of whole parameters P(X < Y) is a sum of Beta functions, here with forty digits."""
    with mp.workdps(40):
        a, b, c, d = k + 1, n - k + 1, l + 1, n - l + 1
        terms = (
            mp.beta(a + i, b + d) / ((d + i) * mp.beta(1 + i, d) * mp.beta(a, b)) for i in range(c)
        )
        exact = float(sum(terms))
    assert er.smaller_independent_rate([k], [l], [n])[0] == pytest.approx(exact, rel=1e-11)
