"""Partial pooling: plain quadrature in μ and ρ themselves, closed forms, draws, symmetries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaln, gammaln

from bayescompare.kernels.context import beta_binomial as bb
from bayescompare.kernels.context import error_rates as er
from bayescompare.kernels.context.beta_binomial import (
    beta_binomial_logit_likelihood,
    draw_hyper,
    draw_pooled_shares,
    growing_beta_binomial,
)

#: Lacoste et al., Table 5, less 10: k_h and k_g of svm and parzen.
SVM = np.array([1, 2, 0, 3, 21, 12, 17, 4, 7, 14, 139, 6, 9, 1, 69, 5, 0, 5, 1, 4, 36, 21])
PARZEN = np.array([4, 10, 6, 5, 7, 12, 25, 8, 15, 7, 230, 20, 4, 6, 117, 10, 1, 5, 19, 8, 54, 1009])

FIVE = np.array([2, 1, 4, 0, 3]), np.array([5, 6, 4, 3, 9])
LogPrior = Callable[[np.ndarray], np.ndarray]

# -------------------------------------------------------------------- plain, in μ and ρ itself


class Plain:
    """Gauss–Legendre over μ (from 0 to ½ to 1) and ρ, and scipy's beta-binomial."""

    def __init__(
        self,
        k_h: np.ndarray,
        k_g: np.ndarray,
        prior: tuple[LogPrior, LogPrior] | None = None,
        nodes: int = 120,
    ) -> None:
        x, w = np.polynomial.legendre.leggauss(nodes)
        x, w = (x + 1) / 2, w / 2
        # Smoothstep: the ends are approached slowly, for their singularities.
        x, w = x**3 * (10 - 15 * x + 6 * x * x), w * 30 * x**2 * (1 - x) ** 2
        mu, mu_weight = np.r_[x / 2, 0.5 + x / 2], np.r_[w / 2, w / 2]
        self.mu, self.rho = (v.ravel() for v in np.meshgrid(mu, x, indexing="ij"))
        self.phi = (1 - self.rho) / self.rho
        logs = self.log_likelihood(k_h, k_g)
        if prior is not None:
            logs = logs + prior[0](self.mu) + prior[1](self.rho)
        mass = np.outer(mu_weight, w).ravel() * np.exp(logs - logs.max())
        self.log_evidence = float(logs.max() + np.log(mass.sum()))
        self.mass = mass / mass.sum()

    def log_likelihood(self, k_h: np.ndarray, k_g: np.ndarray) -> np.ndarray:
        a, b = self.mu * self.phi, (1 - self.mu) * self.phi
        total = np.zeros(len(a))
        for h, g in zip(k_h, k_g, strict=True):
            total += stats.betabinom.logpmf(h, h + g, a, b)
        return total

    def share(self, h: float, g: float) -> float:
        first, second = self.mu * self.phi + h, (1 - self.mu) * self.phi + g
        return float(self.mass @ stats.beta.cdf(0.5, first, second))

    def mean(self, h: float, g: float) -> float:
        return float(self.mass @ ((self.mu * self.phi + h) / (self.phi + h + g)))


DATA = {
    "five": FIVE,
    "one-sided": (np.array([0, 0, 1, 0]), np.array([4, 9, 12, 3])),
    "far apart": (np.array([30, 0, 2, 11]), np.array([1, 40, 3, 0])),
}


@pytest.mark.parametrize("name", DATA)
def test_posterior_against_plain_quadrature(name: str) -> None:
    k_h, k_g = DATA[name]
    plain = Plain(k_h, k_g)
    found = bb.pool_beta_binomial(k_h, k_g)
    assert found.error <= 1e-9
    assert found.log_evidence == pytest.approx(plain.log_evidence, abs=2e-8)
    assert found.first == pytest.approx(plain.mass[plain.mu < 0.5].sum(), abs=2e-8)
    assert found.first + found.second == pytest.approx(1.0, abs=1e-12)
    assert found.mean_mu == pytest.approx(plain.mass @ plain.mu, abs=2e-8)
    assert found.mean_rho == pytest.approx(plain.mass @ plain.rho, abs=2e-8)
    assert found.sd_mu**2 == pytest.approx(
        plain.mass @ plain.mu**2 - (plain.mass @ plain.mu) ** 2, abs=2e-8
    )
    assert found.sd_rho**2 == pytest.approx(
        plain.mass @ plain.rho**2 - (plain.mass @ plain.rho) ** 2, abs=2e-8
    )
    assert found.mean_q == pytest.approx(plain.share(0, 0), abs=1e-6)
    each = bb.shrunken_beta_binomial(k_h, k_g)
    assert each.error <= 1e-9
    pairs = list(zip(k_h, k_g, strict=True))
    np.testing.assert_allclose(each.mean, [plain.mean(*pair) for pair in pairs], atol=2e-8)
    np.testing.assert_allclose(each.first, [plain.share(*pair) for pair in pairs], atol=1e-6)


@pytest.mark.parametrize("name", DATA)
def test_leave_one_out_against_plain_quadrature(name: str) -> None:
    k_h, k_g = DATA[name]
    found, error = bb.beta_binomial_left_out(k_h, k_g)
    assert error <= 1e-9
    whole = Plain(k_h, k_g).log_evidence
    without = [Plain(np.delete(k_h, i), np.delete(k_g, i)).log_evidence for i in range(len(k_h))]
    np.testing.assert_allclose(found, whole - np.array(without), atol=5e-8)


def test_other_priors() -> None:
    prior = (stats.beta(2.0, 3.5).logpdf, stats.beta(1.5, 4.0).logpdf)
    k_h, k_g = FIVE
    plain = Plain(k_h, k_g, prior)
    options = {"log_prior_mu": prior[0], "log_prior_rho": prior[1]}
    found = bb.pool_beta_binomial(k_h, k_g, **options)
    assert found.log_evidence == pytest.approx(plain.log_evidence, abs=1e-8)
    assert found.mean_rho == pytest.approx(plain.mass @ plain.rho, abs=1e-8)
    each = bb.shrunken_beta_binomial(k_h, k_g, **options)
    assert each.mean[1] == pytest.approx(plain.mean(1, 6), abs=1e-8)
    loo, _ = bb.beta_binomial_left_out(k_h, k_g, **options)
    without = Plain(k_h[1:], k_g[1:], prior).log_evidence
    assert loo[0] == pytest.approx(plain.log_evidence - without, abs=1e-8)


# -------------------------------------------------------------------- closed forms and limits


def test_nothing_seen_leaves_the_prior() -> None:
    for k in (np.array([]), np.zeros(3)):
        found = bb.pool_beta_binomial(k, k)
        assert found.log_evidence == pytest.approx(0.0, abs=1e-9)
        assert found.first == pytest.approx(0.5, abs=1e-12)
        assert (found.mean_mu, found.mean_rho) == pytest.approx((0.5, 0.5), abs=1e-9)
        assert (found.sd_mu, found.sd_rho) == pytest.approx((12**-0.5, 12**-0.5), abs=1e-9)
    assert bb.shrunken_beta_binomial(np.zeros(2), np.zeros(2)).first == pytest.approx(
        [0.5, 0.5], abs=1e-9
    )


def test_one_and_two_examples_in_closed_form() -> None:
    # One: E μ = ½. Two, both of the first's: E μ(μ(1 − ρ) + ρ) = ⅓·½ + ½·½ = 5/12.
    assert bb.pool_beta_binomial([1], [0]).log_evidence == pytest.approx(math.log(1 / 2), abs=1e-9)
    assert bb.pool_beta_binomial([2], [0]).log_evidence == pytest.approx(math.log(5 / 12), abs=1e-9)
    assert bb.pool_beta_binomial([1], [1]).log_evidence == pytest.approx(math.log(1 / 6), abs=1e-9)
    # In two datasets the examples are independent given μ: E μ² = ⅓.
    assert bb.pool_beta_binomial([1, 1], [0, 0]).log_evidence == pytest.approx(
        math.log(1 / 3), abs=1e-9
    )


@pytest.mark.slow
def test_evidence_sums_to_one_over_all_data() -> None:
    sizes = (2, 1)
    total = sum(
        math.exp(bb.pool_beta_binomial(k, np.array(sizes) - k).log_evidence)
        for k in map(np.array, itertools.product(*(range(n + 1) for n in sizes)))
    )
    assert total == pytest.approx(1.0, abs=1e-8)


def test_no_variation_is_one_binomial() -> None:
    """With ρ all but certainly 1e-9 the datasets are one, and μ's posterior a Beta."""
    tight = stats.gamma(50.0, scale=2e-11)
    found = bb.pool_beta_binomial(SVM, PARZEN, log_prior_rho=tight.logpdf)
    h, g = SVM.sum(), PARZEN.sum()
    splits = sum(
        gammaln(a + b + 1) - gammaln(a + 1) - gammaln(b + 1)
        for a, b in zip(SVM, PARZEN, strict=True)
    )
    exact = splits + betaln(h + 1, g + 1)
    assert found.log_evidence == pytest.approx(exact, abs=1e-3)
    assert found.mean_mu == pytest.approx((h + 1) / (h + g + 2), abs=1e-7)
    each = bb.shrunken_beta_binomial(SVM, PARZEN, log_prior_rho=tight.logpdf)
    np.testing.assert_allclose(each.mean, found.mean_mu, atol=1e-5)


def test_huge_counts_by_mpmath() -> None:
    """The likelihood, where Stirling's series is used, at ρ from nearly 0 to nearly 1."""
    k_h, k_g = np.array([100_000.0, 17.0, 16.0]), np.array([120_000.0, 40.0, 0.0])
    density = beta_binomial_logit_likelihood(k_h, k_g)
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
    for mean, corr, found in zip(mu, rho, bb.beta_binomial_better_share(mu, rho), strict=True):
        phi = (1 - corr) / corr
        sd = math.sqrt(mean * (1 - mean) / (phi + 1))
        assert found == pytest.approx(stats.norm.cdf((0.5 - mean) / sd), abs=1e-7)
    # Continuous across the change of formula.
    edge = np.array([0.99e-12, 1.01e-12])
    low, high = bb.beta_binomial_better_share(np.full(2, 0.5 - 4e-7), edge)
    assert low == pytest.approx(high, abs=5e-3)
    exact = stats.norm.cdf(8e-7 / np.sqrt(edge))
    assert (low, high) == pytest.approx(tuple(exact), abs=1e-9)


def test_pooling_draws_towards_the_mean() -> None:
    found, each = bb.pool_beta_binomial(SVM, PARZEN), bb.shrunken_beta_binomial(SVM, PARZEN)
    assert found.error <= 1e-9
    assert each.error <= 1e-9
    alone = (SVM + 1) / (SVM + PARZEN + 2)
    small = (SVM + PARZEN) < 20
    centre = found.mean_mu
    assert np.all(np.abs(each.mean - centre)[small] <= np.abs(alone - centre)[small] + 0.06)
    # A thousand examples are not impressed.
    assert each.mean[-1] == pytest.approx(alone[-1], abs=2e-3)
    # svm better, as by the Poisson-binomial test.
    assert found.first == pytest.approx(0.9978833628842, abs=1e-9)
    assert each.first[-1] == pytest.approx(float(er.first_error_rate_better(21, 1009)), abs=1e-6)


def test_a_dataset_that_is_most_of_the_data_can_be_left_out() -> None:
    k_h, k_g = np.array([60_000, 3, 2]), np.array([50_000, 2, 6])
    found, error = bb.beta_binomial_left_out(k_h, k_g)
    whole, rest = bb.pool_beta_binomial(k_h, k_g), bb.pool_beta_binomial(k_h[1:], k_g[1:])
    assert error < 1e-8
    assert found[0] == pytest.approx(whole.log_evidence - rest.log_evidence, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("k_h", "k_g"), [([400, 1], [10, 1]), ([0, 1], [400, 1])])
def test_what_is_left_may_lie_elsewhere(k_h: list[int], k_g: list[int]) -> None:
    """Nodes of the whole agree among themselves here, and are all in the wrong place."""
    whole = bb.pool_beta_binomial(k_h, k_g).log_evidence
    rest = [bb.pool_beta_binomial(k_h[i : i + 1], k_g[i : i + 1]).log_evidence for i in (1, 0)]
    for tolerance in (1e-3, 1e-9):
        found, _ = bb.beta_binomial_left_out(k_h, k_g, tolerance=tolerance)
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
    found = bb.shrunken_beta_binomial(k_h, k_g, log_prior_rho=log_prior)
    assert found.error <= 1e-9
    assert found.first[0] == pytest.approx(exact, abs=1e-8)
    assert found.first.sum() == pytest.approx(1.0, abs=1e-8)


# -------------------------------------------------------------------------------------------- draws


def test_draws_follow_the_posterior() -> None:
    k_h, k_g = FIVE
    n = 20_000
    rng = np.random.default_rng(1)
    found, each = bb.pool_beta_binomial(k_h, k_g), bb.shrunken_beta_binomial(k_h, k_g)
    mu, rho = draw_hyper(k_h, k_g, found.grid, n, rng)
    assert len(np.unique(mu)) > 0.99 * n  # not the nodes only
    for draws, mean, sd in ((mu, found.mean_mu, found.sd_mu), (rho, found.mean_rho, found.sd_rho)):
        assert abs(draws.mean() - mean) < 4 * sd / math.sqrt(n)
        assert draws.std() == pytest.approx(sd, rel=0.04)
    # Distribution functions on the way, not just moments.
    plain = Plain(k_h, k_g)
    for draws, nodes in ((mu, plain.mu), (rho, plain.rho)):
        for level in (0.05, 0.2, 0.3, 0.5, 0.7):
            exact = plain.mass[nodes < level].sum()
            assert abs((draws < level).mean() - exact) < 0.02
    shares = draw_pooled_shares(k_h, k_g, mu, rho, rng)
    assert shares.shape == (n, 5)
    error = shares.std(axis=0) / math.sqrt(n)
    assert np.all(np.abs(shares.mean(axis=0) - each.mean) < 4 * error)
    assert np.all(np.abs((shares < 0.5).mean(axis=0) - each.first) < 4 * 0.5 / math.sqrt(n))


def test_draws_do_not_depend_on_the_nodes() -> None:
    """The coarsest nodes have cells over which the density changes twofold."""
    k_h, k_g = FIVE
    n = 100_000
    exact, coarse = (
        bb.pool_beta_binomial(k_h, k_g),
        bb.pool_beta_binomial(k_h, k_g, tolerance=1.0).grid,
    )
    assert len(coarse.u) < len(exact.grid.u) / 2
    mu, rho = draw_hyper(k_h, k_g, coarse, n, np.random.default_rng(3))
    for draws, mean, sd in ((mu, exact.mean_mu, exact.sd_mu), (rho, exact.mean_rho, exact.sd_rho)):
        assert abs(draws.mean() - mean) < 4 * sd / math.sqrt(n)
        assert draws.std() == pytest.approx(sd, rel=0.012)


def test_q_and_mu_have_one_probability() -> None:
    """I_½(μφ, (1 − μ)φ) > ½ exactly where μ < ½: SPEC's two probabilities are one."""
    k_h, k_g = FIVE
    found = bb.pool_beta_binomial(k_h, k_g)
    rng = np.random.default_rng(2)
    mu, rho = draw_hyper(k_h, k_g, found.grid, 5000, rng)
    q = bb.beta_binomial_better_share(mu, rho)
    apart = np.abs(mu - 0.5) > 1e-9
    assert np.array_equal((q > 0.5)[apart], (mu < 0.5)[apart])
    assert abs((q > 0.5).mean() - found.first) < 4 * math.sqrt(found.first * found.second / 5000)
    assert abs(q.mean() - found.mean_q) < 4 * found.sd_q / math.sqrt(5000)


# ------------------------------------------------------------------------------------ the property

counts = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=6)


@given(counts)
@settings(max_examples=10, deadline=None)
def test_swap_mirrors_and_order_does_not_matter(data: list[tuple[int, int]]) -> None:
    k_h, k_g = np.array(data, dtype=float).T
    one = bb.pool_beta_binomial(k_h, k_g, tolerance=1e-7)
    other = bb.pool_beta_binomial(k_g[::-1], k_h[::-1], tolerance=1e-7)
    assert one.error <= 1e-7
    assert one.first == pytest.approx(other.second, abs=1e-7)
    assert one.mean_mu + other.mean_mu == pytest.approx(1.0, abs=1e-7)
    assert one.mean_q + other.mean_q == pytest.approx(1.0, abs=1e-7)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-7)
    assert one.mean_rho == pytest.approx(other.mean_rho, abs=1e-7)


@given(counts)
@settings(max_examples=3, deadline=None)
def test_datasets_mirror_too(data: list[tuple[int, int]]) -> None:
    k_h, k_g = np.array(data, dtype=float).T
    options = {"tolerance": 1e-6}
    one, other = (
        bb.shrunken_beta_binomial(k_h, k_g, **options),
        bb.shrunken_beta_binomial(k_g[::-1], k_h[::-1], **options),
    )
    np.testing.assert_allclose(one.mean + other.mean[::-1], 1.0, atol=3e-6)
    np.testing.assert_allclose(one.first + other.first[::-1], 1.0, atol=3e-6)
    loo, _ = bb.beta_binomial_left_out(k_h, k_g, **options)
    again, _ = bb.beta_binomial_left_out(k_g[::-1], k_h[::-1], **options)
    np.testing.assert_allclose(loo, again[::-1], atol=3e-6)
    assert np.all(loo <= 1e-6)


# ------------------------------------------------------------------------------------ more datasets


@settings(max_examples=8)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12))
def test_nodes_reweighted_are_an_integral_anew(new: list[tuple[int, int]]) -> None:
    seen, more = tuple(v.astype(float) for v in FIVE), np.array(new, dtype=float).T
    whole = bb.pool_beta_binomial(*np.concatenate([seen, more], axis=1))
    found = growing_beta_binomial(seen)[1](*more)
    np.testing.assert_allclose(found, (whole.first, whole.second), atol=2e-4)


@pytest.mark.parametrize("own", [{}, {"log_prior_mu": stats.beta(8, 8).logpdf}])
def test_far_from_the_nodes_it_integrates_anew(own: dict[str, LogPrior]) -> None:
    """Three hundred datasets leave too few of the old nodes; a prior of one's own is kept."""
    seen = tuple(v.astype(float) for v in FIVE)
    _, again = growing_beta_binomial(seen, **own)
    for new in (np.array([[4.0, 1], [9.0, 2]]), np.array([[14.0] * 300, [15.0] * 300])):
        whole = bb.pool_beta_binomial(*np.concatenate([seen, new], axis=1), **own)
        np.testing.assert_allclose(again(*new), (whole.first, whole.second), atol=1e-4)
