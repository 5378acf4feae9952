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
from bayescompare.outcome.pairwise import Pairwise


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
    assert {rv.name for rv in model.free_RVs} == {"h", "same", "f"}
    prior = pm.sample_prior_predictive(2000, model=model, random_seed=1)["prior"]
    weights = uci["CART", "GLM"].method.learned.weights  # type: ignore[attr-defined]
    for k, weight in enumerate(weights):
        here = (prior["h"] == k % 3) & (prior["same"] == k // 3)
        assert float(here.mean()) == pytest.approx(weight, abs=0.05)


def learned_of(c: Any) -> tuple[Any, Any, Any]:
    """The strengths and weights of a pair's prior, by component, and φ."""
    learned = c.method.learned
    return [*learned.values] * 2, learned.weights, learned.base.to_numpy()


def test_the_log_prior_is_that_of_the_mixture(uci: Pairwise) -> None:
    """Of f, which has the same Dirichlet whether the two differ or not."""
    c = uci["CART", "GLM"]
    values, weights, phi = learned_of(c)
    tree = c.draws(200, chains=2, rng=0)
    free = tree["posterior"]["f"].values
    assert tree["log_prior"]["f"].shape == (2, 200)
    inside = free.min(axis=-1) > 1e-200
    assert inside.sum() > 100
    by_hand = [
        logsumexp([dirichlet.logpdf(t / t.sum(), v * phi) for v in values], b=weights)
        for t in free[inside]
    ]
    np.testing.assert_allclose(tree["log_prior"]["f"].values[inside], by_hand, rtol=1e-6)


def test_theta_is_free_or_the_mean_with_its_reverse(uci: Pairwise) -> None:
    for group in ("posterior", "prior"):
        drawn = uci["BDS", "GBM"].draws(300, chains=2, rng=1)[group].to_dataset()
        free, same = drawn["f"].values, (drawn["same"] == 1).values
        assert 0.05 < same.mean() < 0.95
        expected = np.where(same[..., None], (free + free[..., ::-1]) / 2, free)
        np.testing.assert_allclose(drawn["theta"].values, expected, atol=1e-12)


def by_definition(z: Any, e: Any, alpha: Any, n: Any, *, differ: bool) -> Any:
    """Log density of latents and data given a component, with the Jacobian."""
    near = n if differ else (n + n[::-1]) / 2
    deviation = np.sqrt(polygamma(1, alpha + near + 1))
    log_gamma = digamma(alpha + near + 1) + deviation * z
    exponential = alpha / (alpha + near) * e
    x = log_gamma - exponential / alpha
    total = logsumexp(x, axis=-1, keepdims=True)
    density = gamma(alpha + 1).logpdf(np.exp(log_gamma)) + log_gamma + np.log(deviation)
    density = density + expon.logpdf(exponential) + np.log(alpha / (alpha + near))
    ancillary = n.sum() * total[..., 0] - gammaln(alpha.sum() + n.sum()) + gammaln(alpha.sum())
    free = x - total
    theta = free if differ else np.logaddexp(free, free[..., ::-1]) - math.log(2)
    return density.sum(-1) + ancillary + (n * theta).sum(-1)


def test_the_form_for_nuts_has_the_density_of_the_definition(uci: Pairwise) -> None:
    """G, E and θ as `place_dirichlet` has them, for each component, with the Jacobian."""
    c = uci["CART", "GLM"]
    values, weights, phi = learned_of(c)
    n = c.probability["count"].values
    logp = c.model(form="nuts").compile_logp(jacobian=False, mode="FAST_COMPILE")
    rng = np.random.default_rng(0)
    for _ in range(5):
        z, e = rng.normal(size=8), rng.exponential(size=8)
        logs = []
        for k, (strength, weight) in enumerate(zip(values, weights, strict=True)):
            logs.append(np.log(weight) + by_definition(z, e, strength * phi, n, differ=k < 3))
        assert float(logp(point(z, e))) == pytest.approx(logsumexp(logs), abs=1e-8)


def test_the_definition_integrates_to_the_evidence() -> None:
    """One measure: z over a grid, e by Gauss and Laguerre, against closed forms.

    That the model has the density of the definition is the test above.
    """
    c = bc.pairwise(bc.load_example("jansen-uci"), measures=["auc"], n_jobs=1)["CART", "GLM"]
    values, weights, phi = learned_of(c)
    n = c.probability["count"].values
    grid = np.linspace(-14.0, 9.0, 50)
    nodes, log_rule = np.polynomial.laguerre.laggauss(12)
    log_rule = np.log(np.outer(log_rule, log_rule).ravel())
    z = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    e = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(1, -1, 2)
    closed = []
    for k, (strength, weight) in enumerate(zip(values, weights, strict=True)):
        alpha = strength * phi
        logs = by_definition(z, e, alpha, n, differ=k < 3) + e.sum(-1) + log_rule
        found = logsumexp(logs) + 2 * math.log(grid[1] - grid[0])
        # Without a difference every dataset is a fair coin, and e is known less smoothly.
        same = -n.sum() * math.log(2)
        exact = betaln(*(alpha + n)) - betaln(*alpha) if k < 3 else same
        assert found == pytest.approx(exact, abs=1e-9 if k < 3 else 2e-3)
        closed.append(math.log(weight) + exact)
    assert logsumexp(closed) == pytest.approx(c.log_evidence, abs=1e-10)


@pytest.mark.slow
def test_nuts_agrees_under_a_learned_prior(uci: Pairwise) -> None:
    """Strengths and θ: the chains go as fast between strengths as within one."""
    c = uci["CART", "GLM"]
    tree = c.sample(1000, chains=4, rng=1, progressbar=False)
    assert set(tree["posterior"]) == {"theta", "marginal", "strength", "f", "same", "h"}
    assert not tree["sample_stats"]["diverging"].any()
    posterior = tree["posterior"].to_dataset()
    strength = np.log(posterior["strength"])
    assert float(az.ess(strength)) > 2000
    assert float(az.rhat(strength)) < 1.01
    weight = c.method.posterior(c.results).weight.sum(axis=1)  # type: ignore[attr-defined]
    exact = float(weight @ np.log(learned_of(c)[0]))
    error = float(az.mcse(strength, method="mean"))
    assert float(strength.mean()) == pytest.approx(exact, abs=4 * error)
    theta = posterior["theta"]
    error = az.mcse(theta, method="mean").values
    mean = c.summary()["theta_mean"].reindex(theta["statement"].values).to_numpy()
    np.testing.assert_array_less(np.abs(theta.mean(("chain", "draw")).values - mean), 4 * error)
    for statement, p in c.probability.to_series().items():
        led = (theta >= theta.max("statement") - 1e-12).astype(float)
        led = (led / led.sum("statement")).sel(statement=statement)
        ess = float(az.ess(led)) if led.values.any() else 1000.0
        error = 4 * math.sqrt(max(p * (1 - p), 1e-4) / min(ess, 4000))
        assert float(led.mean()) == pytest.approx(p, abs=error)
