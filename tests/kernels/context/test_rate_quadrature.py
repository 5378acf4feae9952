"""The Poisson-binomial model under any prior of r: against mpmath, and against its closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.context.poisson_binomial import (
    RatePrior,
    beta_prior_for_quadrature,
    joint,
    rate_posterior,
)
from tests.cases import few_quick
from tests.oracles.context import RateByMpmath

P = [0.99, 0.7, 0.55, 0.5, 0.02]


def of(distribution: Any) -> RatePrior:
    hints = distribution.ppf(np.linspace(0.005, 0.995, 50))
    return RatePrior.of_rate(distribution.logpdf, hints)


def uniform(low: float, high: float) -> Callable[[mp.mpf], mp.mpf]:
    return lambda r: 1 / (mp.mpf(high) - mp.mpf(low))


def beta(a: float, b: float) -> Callable[[mp.mpf], mp.mpf]:
    return lambda r: r ** (mp.mpf(a) - 1) * (1 - r) ** (mp.mpf(b) - 1) / mp.beta(a, b)


def triangle(r: mp.mpf) -> mp.mpf:
    return 2 * r / mp.mpf(0.25) if r < mp.mpf(0.25) else 2 * (1 - r) / mp.mpf(0.75)


CASES = {
    "beta": (beta_prior_for_quadrature(2.0, 5.0), beta(2.0, 5.0), (0.0, 1.0)),
    "beta by its density": (of(stats.beta(2.0, 5.0)), beta(2.0, 5.0), (0.0, 1.0)),
    "jeffreys": (beta_prior_for_quadrature(0.5, 0.5), beta(0.5, 0.5), (0.0, 1.0)),
    "jumps": (of(stats.uniform(0.3, 0.4)), uniform(0.3, 0.7), (0.3, 0.7)),
    "above a half": (of(stats.uniform(0.6, 0.3)), uniform(0.6, 0.9), (0.6, 0.9)),
    "bent": (of(stats.triang(0.25)), triangle, (0.0, 0.25, 1.0)),
}


@pytest.mark.parametrize("name", few_quick(CASES, 3))
def test_all_figures_against_mpmath(name: str) -> None:
    prior, density, edges = CASES[name]
    oracle = RateByMpmath(P, density, edges)
    posterior = rate_posterior(P, prior)
    found = posterior.joint
    assert prior.log_total == pytest.approx(0.0, abs=1e-11)
    for figure, expected in oracle.figures().items():
        assert getattr(found, figure) == pytest.approx(expected, abs=2e-11), figure
    assert found.first + found.second == pytest.approx(1.0, abs=1e-13)
    for i in (0, 4):
        assert found.log_predictive[i] == pytest.approx(oracle.left_out(i), abs=1e-10)
    for share, r in zip((0.025, 0.7), posterior.quantile([0.025, 0.7]), strict=True):
        assert oracle.cdf(float(r)) == pytest.approx(share, abs=1e-6)
    assert found.error < 1e-11


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12),
    st.floats(0.15, 20.0),
)
def test_a_symmetric_beta_is_the_closed_form(p: list[float], b: float) -> None:
    found, known = rate_posterior(p, beta_prior_for_quadrature(b, b)).joint, joint(p, b)
    for figure in ("first", "second", "mean", "sd", "log_evidence"):
        assert getattr(found, figure) == pytest.approx(getattr(known, figure), abs=1e-10)
    np.testing.assert_allclose(found.wins, known.wins, atol=1e-10)
    np.testing.assert_allclose(found.log_predictive, known.log_predictive, atol=1e-9)


@given(
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8),
    st.floats(0.3, 9.0),
    st.floats(0.3, 9.0),
    st.floats(0.3, 3.0),
)
def test_mirrored_and_scaled(p: list[float], a: float, b: float, power: float) -> None:
    """Swapping the algorithms mirrors; a Beta to a power of its logit is Beta(γa, γb)."""
    one, other = beta_prior_for_quadrature(a, b), beta_prior_for_quadrature(b, a)
    found = rate_posterior(p, one).joint
    mirrored = rate_posterior([1.0 - x for x in p], other).joint
    assert mirrored.second == pytest.approx(found.first, abs=1e-11)
    assert mirrored.mean == pytest.approx(1.0 - found.mean, abs=1e-11)
    scaled = RatePrior(one.log_density, one.hints, power)
    strong = rate_posterior(p, scaled).joint
    known = rate_posterior(p, beta_prior_for_quadrature(power * a, power * b)).joint
    assert strong.first == pytest.approx(known.first, abs=1e-10)
    assert strong.log_evidence == pytest.approx(known.log_evidence, abs=1e-10)


def test_lacoste_by_a_uniform_prior(counts: Any) -> None:
    """The figure of the full model, 0.998807, by a prior that is given as a density."""
    from bayescompare.methods import PoissonBinomial

    p = PoissonBinomial().evidence(counts).each_alone(np.ones(1))[:, 0]
    assert rate_posterior(p, of(stats.uniform())).joint.first == pytest.approx(0.998807, abs=1e-6)


@pytest.mark.parametrize(
    "distribution",
    [stats.norm(0.6, 1e-6), stats.truncnorm(-20, 30, 0.4, 0.02), stats.beta(400.0, 20.0)],
    ids=["needle", "narrow", "far"],
)
def test_narrow_priors_are_found(distribution: Any) -> None:
    prior = of(distribution)
    posterior = rate_posterior(np.full(30, 0.8), prior)
    assert prior.log_total == pytest.approx(0.0, abs=1e-9)
    low, high = distribution.ppf([1e-12, 1 - 1e-12])
    assert low < posterior.joint.mean < high
    drawn = posterior.draw(4000, np.random.default_rng(0))
    assert abs(drawn.mean() - posterior.joint.mean) < 4 * posterior.joint.sd / math.sqrt(4000)


@pytest.mark.parametrize("name", ["beta", "jumps"])
def test_draws_are_from_the_posterior(name: str) -> None:
    prior, density, edges = CASES[name]
    posterior = rate_posterior(P, prior)
    drawn = np.sort(posterior.draw(20_000, np.random.default_rng(1)))
    assert edges[0] <= drawn[0]
    assert drawn[-1] <= edges[-1]
    oracle = RateByMpmath(P, density, edges)
    for k in (200, 10_000, 19_800):
        share = k / len(drawn)
        sd = math.sqrt(share * (1 - share) / len(drawn))
        assert abs(oracle.cdf(float(drawn[k])) - share) < 4 * sd


def test_no_data_leave_the_prior() -> None:
    found = rate_posterior([], beta_prior_for_quadrature(3.0, 1.5))
    assert found.joint.log_evidence == pytest.approx(0.0, abs=1e-12)
    assert found.quantile(0.3) == pytest.approx(stats.beta(3.0, 1.5).ppf(0.3), abs=1e-6)


def test_no_density_anywhere_is_an_error() -> None:
    nothing = RatePrior.of_rate(lambda r: np.full_like(r, -np.inf), [0.5])
    with pytest.raises(ArithmeticError, match="zero or infinite"):
        _ = nothing.log_total
