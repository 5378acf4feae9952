"""The learned prior in PyMC: both forms by hand, and NUTS against the closed form."""

from __future__ import annotations

import math
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from scipy.special import betaln, digamma, gammaln, logsumexp, polygamma
from scipy.stats import dirichlet, expon, gamma

import bayescompare as bc
from bayescompare.comparison.pairwise import Pairwise


@pytest.fixture(scope="module")
def uci() -> Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)


def point(z: Any, e: Any, u: float = 0.5) -> dict[str, Any]:
    """Values of the latents, as PyMC transforms them: a logarithm, a logit."""
    return {
        "latent_gamma_theta": np.asarray(z, dtype=float),
        "latent_exponential_theta_log__": np.log(e),
        "latent_strength_interval__": math.log(u) - math.log1p(-u),
    }


@pytest.mark.slow
def test_the_textbook_form_draws_the_strength(uci: Pairwise) -> None:
    assert uci.learned is not None
    model = uci["CART", "GLM"].model()
    assert {"strength", "theta", "marginal"} <= set(model.named_vars)
    prior = pm.sample_prior_predictive(2000, model=model, random_seed=1)["prior"]
    share = float((prior["strength"] > 100).mean())
    expected = uci.learned.strengths.loc[lambda g: g.index > 100].sum()
    assert share == pytest.approx(expected, abs=0.05)


def test_the_log_prior_is_that_of_the_mixture(uci: Pairwise) -> None:
    assert uci.learned is not None
    phi, (a, g) = uci.learned.base.to_numpy(), (uci.learned.values, uci.learned.weights)
    tree = uci["CART", "GLM"].draws(200, chains=2, rng=0)
    theta = tree["posterior"]["theta"].values
    assert tree["log_prior"]["theta"].shape == (2, 200)
    inside = theta.min(axis=-1) > 1e-200
    assert inside.sum() > 100
    by_hand = [
        logsumexp([dirichlet.logpdf(t / t.sum(), v * phi) for v in a], b=g) for t in theta[inside]
    ]
    np.testing.assert_allclose(tree["log_prior"]["theta"].values[inside], by_hand, rtol=1e-6)


def test_the_form_for_nuts_has_the_density_of_the_definition(uci: Pairwise) -> None:
    """G, E and θ as `place_shared_dirichlet` has them, for each strength, with the Jacobian."""
    c = uci["CART", "GLM"]
    assert uci.learned is not None
    phi, n = uci.learned.base.to_numpy(), c.probability["count"].values
    logp = c.model(form="nuts").compile_logp(jacobian=False, mode="FAST_COMPILE")
    rng = np.random.default_rng(0)
    for _ in range(5):
        z, e = rng.normal(size=8), rng.exponential(size=8)
        logs = []
        for strength, weight in zip(uci.learned.values, uci.learned.weights, strict=True):
            alpha = strength * phi
            deviation = np.sqrt(polygamma(1, alpha + n + 1))
            log_gamma = digamma(alpha + n + 1) + deviation * z
            exponential = alpha / (alpha + n) * e
            x = log_gamma - exponential / alpha
            total = logsumexp(x)
            density = gamma(alpha + 1).logpdf(np.exp(log_gamma)) + log_gamma + np.log(deviation)
            density += expon.logpdf(exponential) + np.log(alpha / (alpha + n))
            ancillary = n.sum() * total - gammaln(strength + n.sum()) + gammaln(strength)
            logs.append(np.log(weight) + density.sum() + ancillary + n @ (x - total))
        assert float(logp(point(z, e))) == pytest.approx(logsumexp(logs), abs=1e-8)


@pytest.mark.slow
def test_the_form_for_nuts_integrates_to_the_evidence() -> None:
    """One measure: z over a grid, e in closed form, against Beta functions."""
    one = bc.pairwise(bc.load_example("jansen-uci"), measures=["auc"], n_jobs=1)
    c = one["CART", "GLM"]
    assert one.learned is not None
    n = c.probability["count"].values
    logp = c.model(form="nuts").compile_logp(jacobian=False, mode="FAST_COMPILE")
    grid = np.linspace(-14.0, 9.0, 70)
    step = grid[1] - grid[0]
    e = np.array([0.7, 1.3])
    logs = [float(logp(point([a, b], e))) + e.sum() for a in grid for b in grid]
    found = logsumexp(logs) + 2 * math.log(step)
    alpha = np.multiply.outer(one.learned.values, one.learned.base.to_numpy())
    closed = logsumexp(betaln(*(alpha + n).T) - betaln(*alpha.T), b=one.learned.weights)
    assert closed == pytest.approx(c.log_evidence, abs=1e-10)
    assert found == pytest.approx(closed, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [("CART", "RIDGE"), ("CART", "GLM")])
def test_nuts_agrees_under_a_learned_prior(uci: Pairwise, pair: tuple[str, str]) -> None:
    """Strengths and θ: the chains go as fast between strengths as within one."""
    c = uci[pair]
    tree = c.sample(1000, chains=4, rng=1, progressbar=False)
    assert set(tree["posterior"]) == {"theta", "marginal", "strength"}
    assert not tree["sample_stats"]["diverging"].any()
    posterior = tree["posterior"].to_dataset()
    strength = np.log(posterior["strength"])
    assert float(az.ess(strength)) > 2000
    assert float(az.rhat(strength)) < 1.01
    _, mixture = c.method.mixture(c.results)  # type: ignore[attr-defined]
    exact = float(mixture.weights @ np.log(mixture.strengths))
    error = float(az.mcse(strength, method="mean"))
    assert float(strength.mean()) == pytest.approx(exact, abs=4 * error)
    theta = posterior["theta"]
    error = az.mcse(theta, method="mean").values
    mean = c.summary()["theta_mean"].reindex(theta["statement"].values).to_numpy()
    np.testing.assert_array_less(np.abs(theta.mean(("chain", "draw")).values - mean), 4 * error)
    for statement, p in c.probability.to_series().items():
        led = (theta.sel(statement=statement) == theta.max("statement")).astype(float)
        ess = float(az.ess(led)) if led.values.any() else 1000.0
        error = 4 * math.sqrt(max(p * (1 - p), 1e-4) / min(ess, 4000))
        assert float(led.mean()) == pytest.approx(p, abs=error)
