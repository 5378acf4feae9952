"""Partial pooling: plain quadrature in μ and ρ themselves, closed forms, draws, symmetries."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaln, gammaln

from bayescompare.kernels.context import error_rates as er
from bayescompare.kernels.context.beta_binomial import (
    Pool,
    better_share,
    logit_likelihood,
)

#: Lacoste et al., Table 5, less 10: k_h and k_g of svm and parzen.
SVM = np.array([1, 2, 0, 3, 21, 12, 17, 4, 7, 14, 139, 6, 9, 1, 69, 5, 0, 5, 1, 4, 36, 21])
PARZEN = np.array([4, 10, 6, 5, 7, 12, 25, 8, 15, 7, 230, 20, 4, 6, 117, 10, 1, 5, 19, 8, 54, 1009])

FIVE = np.array([2, 1, 4, 0, 3]), np.array([5, 6, 4, 3, 9])
LogPrior = Callable[[np.ndarray], np.ndarray]


def pool(k_h: object, k_g: object, **options: object) -> Pool:
    return Pool(np.asarray(k_h, np.float64), np.asarray(k_g, np.float64), **options)


# -------------------------------------------------------------------- plain, in μ and ρ itself


# -------------------------------------------------------------------- closed forms and limits


def test_nothing_seen_leaves_the_prior() -> None:
    for k in (np.array([]), np.zeros(3)):
        found = pool(k, k).hyper
        assert found.log_evidence == pytest.approx(0.0, abs=1e-9)
        assert found.first == pytest.approx(0.5, abs=1e-12)
        assert (found.mean_mu, found.mean_rho) == pytest.approx((0.5, 0.5), abs=1e-9)
        assert (found.sd_mu, found.sd_rho) == pytest.approx((12**-0.5, 12**-0.5), abs=1e-9)
    assert pool([0, 0], [0, 0]).each()[1] == pytest.approx([0.5, 0.5], abs=1e-9)


def test_no_variation_is_one_binomial() -> None:
    """With ρ all but certainly 1e-9 the datasets are one, and μ's posterior a Beta."""
    tight = stats.gamma(50.0, scale=2e-11)
    found = pool(SVM, PARZEN, log_prior_rho=tight.logpdf).hyper
    h, g = SVM.sum(), PARZEN.sum()
    splits = sum(
        gammaln(a + b + 1) - gammaln(a + 1) - gammaln(b + 1)
        for a, b in zip(SVM, PARZEN, strict=True)
    )
    exact = splits + betaln(h + 1, g + 1)
    assert found.log_evidence == pytest.approx(exact, abs=1e-3)
    assert found.mean_mu == pytest.approx((h + 1) / (h + g + 2), abs=1e-7)
    each, _, _ = pool(SVM, PARZEN, log_prior_rho=tight.logpdf).each()
    np.testing.assert_allclose(each, found.mean_mu, atol=1e-5)


def test_huge_counts_by_mpmath() -> None:
    """The likelihood, where Stirling's series is used, at ρ from nearly 0 to nearly 1."""
    k_h, k_g = np.array([100_000.0, 17.0, 16.0]), np.array([120_000.0, 40.0, 0.0])
    density = logit_likelihood(k_h, k_g)
    for u, v in [(0.3, -60.0), (-0.2, -12.0), (0.05, -3.0), (-2.0, 0.0), (1.0, 9.0), (-30.0, 30.0)]:
        with mp.workdps(60):
            mu, rho = (1 / (1 + mp.exp(-mp.mpf(x))) for x in (u, v))
            a, b = mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho
            exact = mp.mpf(0)
            for h, g in zip(k_h.tolist(), k_g.tolist(), strict=True):
                exact += mp.loggamma(h + g + 1) - mp.loggamma(h + 1) - mp.loggamma(g + 1)
                exact += mp.loggamma(a + h) + mp.loggamma(b + g) - mp.loggamma(a + b + h + g)
                exact += mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
        found = density(np.array([u]), np.array([v]))[0]
        # A sum of three terms of 2e5 ulps each.
        assert found == pytest.approx(float(exact), abs=1e-9, rel=1e-13)


def test_better_share_is_normal_where_betainc_ends() -> None:
    mu, rho = np.array([0.4999, 0.5, 0.50002]), np.array([1e-9, 1e-9, 1e-9])
    for mean, corr, found in zip(mu, rho, better_share(mu, rho), strict=True):
        phi = (1 - corr) / corr
        sd = math.sqrt(mean * (1 - mean) / (phi + 1))
        assert found == pytest.approx(stats.norm.cdf((0.5 - mean) / sd), abs=1e-7)
    # Continuous across the change of formula.
    edge = np.array([0.99e-12, 1.01e-12])
    low, high = better_share(np.full(2, 0.5 - 4e-7), edge)
    assert low == pytest.approx(high, abs=5e-3)
    exact = stats.norm.cdf(8e-7 / np.sqrt(edge))
    assert (low, high) == pytest.approx(tuple(exact), abs=1e-9)


def test_pooling_draws_towards_the_mean() -> None:
    posterior = pool(SVM, PARZEN)
    found, (each, better, error) = posterior.hyper, posterior.each()
    assert posterior.error <= 1e-9
    assert error <= 1e-9
    alone = (SVM + 1) / (SVM + PARZEN + 2)
    small = (SVM + PARZEN) < 20
    centre = found.mean_mu
    assert np.all(np.abs(each - centre)[small] <= np.abs(alone - centre)[small] + 0.06)
    # A thousand examples are not impressed.
    assert each[-1] == pytest.approx(alone[-1], abs=2e-3)
    # svm better, as by the Poisson-binomial test.
    assert found.first == pytest.approx(0.9978833628842, abs=1e-9)
    assert better[-1] == pytest.approx(float(er.first_error_rate_better(21, 1009)), abs=1e-6)


def test_a_dataset_that_is_most_of_the_data_can_be_left_out() -> None:
    k_h, k_g = np.array([60_000, 3, 2]), np.array([50_000, 2, 6])
    found, error = pool(k_h, k_g).left_out()
    whole, rest = pool(k_h, k_g).hyper, pool(k_h[1:], k_g[1:]).hyper
    assert error < 1e-8
    assert found[0] == pytest.approx(whole.log_evidence - rest.log_evidence, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("k_h", "k_g"), [([400, 1], [10, 1]), ([0, 1], [400, 1])])
def test_what_is_left_may_lie_elsewhere(k_h: list[int], k_g: list[int]) -> None:
    """Nodes of the whole agree among themselves here, and are all in the wrong place."""
    whole = pool(k_h, k_g).hyper.log_evidence
    rest = [pool(k_h[i : i + 1], k_g[i : i + 1]).hyper.log_evidence for i in (1, 0)]
    for tolerance in (1e-3, 1e-9):
        found, _ = pool(k_h, k_g, tolerance=tolerance).left_out()
        np.testing.assert_allclose(found, whole - np.array(rest), atol=3 * tolerance)


def test_a_step_away_from_the_others() -> None:
    """Two large datasets, told to be near alike: P(p_i < ½) is a narrow step in μ beside ½."""
    k_h, k_g = np.array([100.0, 1900.0]), np.array([1900.0, 100.0])

    def log_prior(rho: np.ndarray) -> np.ndarray:
        return -0.5 * ((np.log(rho) - math.log(2.5e-6)) / 0.001) ** 2 - np.log(rho)

    # Plain sums: the integrand is smooth and vanishes at the ends.
    rho = np.exp(math.log(2.5e-6) + 0.001 * np.linspace(-9.0, 12.0, 61))[:, None]
    mu = np.linspace(0.4, 0.6, 4001)
    a, b = mu * (1 - rho) / rho, (1 - mu) * (1 - rho) / rho
    logs = log_prior(rho) + np.log(rho) - 2 * betaln(a, b)
    logs = logs + betaln(a + 100, b + 1900) + betaln(a + 1900, b + 100)
    mass = np.exp(logs - logs.max())
    exact = (mass * stats.beta.cdf(0.5, a + 100, b + 1900)).sum() / mass.sum()
    _, better, error = pool(k_h, k_g, log_prior_rho=log_prior).each()
    assert error <= 1e-9
    assert better[0] == pytest.approx(exact, abs=1e-8)
    assert better.sum() == pytest.approx(1.0, abs=1e-8)


# -------------------------------------------------------------------------------------------- draws


def test_draws_do_not_depend_on_the_nodes() -> None:
    """The coarsest nodes have cells over which the density changes twofold."""
    k_h, k_g = FIVE
    n = 100_000
    fine, coarse = pool(k_h, k_g), pool(k_h, k_g, tolerance=1.0)
    exact = fine.hyper
    assert len(coarse.nodes.u) < len(fine.nodes.u) / 2
    mu, rho = coarse.draw(n, np.random.default_rng(3))
    for draws, mean, sd in ((mu, exact.mean_mu, exact.sd_mu), (rho, exact.mean_rho, exact.sd_rho)):
        assert abs(draws.mean() - mean) < 4 * sd / math.sqrt(n)
        assert draws.std() == pytest.approx(sd, rel=0.012)


# ------------------------------------------------------------------------------------ the property


# ------------------------------------------------------------------------------------ more datasets


@settings(max_examples=8)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12))
def test_nodes_reweighted_are_an_integral_anew(new: list[tuple[int, int]]) -> None:
    seen, more = tuple(v.astype(float) for v in FIVE), np.array(new, dtype=float).T
    whole = pool(*np.concatenate([seen, more], axis=1)).hyper
    found = Pool(*seen).grown(*more)
    np.testing.assert_allclose(found, (whole.first, whole.second), atol=2e-4)


@pytest.mark.parametrize("own", [{}, {"log_prior_mu": stats.beta(8, 8).logpdf}])
def test_far_from_the_nodes_it_integrates_anew(own: dict[str, LogPrior]) -> None:
    """Three hundred datasets leave too few of the old nodes; a prior of one's own is kept."""
    seen = tuple(v.astype(float) for v in FIVE)
    again = Pool(*seen, **own).grown
    for new in (np.array([[4.0, 1], [9.0, 2]]), np.array([[14.0] * 300, [15.0] * 300])):
        whole = pool(*np.concatenate([seen, new], axis=1), **own).hyper
        np.testing.assert_allclose(again(*new), (whole.first, whole.second), atol=1e-4)
