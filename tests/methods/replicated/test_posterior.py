"""Replicates in PyMC: the form for NUTS has no discrete variable, and the right density."""

from __future__ import annotations

import math
from typing import Any

import arviz as az
import numpy as np
import pytest
from scipy.special import digamma, gammaln, logsumexp, polygamma
from scipy.stats import expon, gamma

import bayescompare as bc
from bayescompare.methods import Replicated
from tests.methods.replicated.test_replicated import folds

QUIET: dict[str, Any] = {"progressbar": False, "cores": 1}


@pytest.fixture(scope="module")
def learned() -> Any:
    table = folds(algorithms=("A", "B", "C"), n=7, noise=0.01)
    return bc.pairwise(table, method="replicated", n_jobs=1)["A", "B"]


@pytest.fixture(scope="module")
def own() -> Any:
    return bc.compare(folds(noise=0.01), method=Replicated(effects="learned"))


def latents(model: Any, rng: np.random.Generator, size: int) -> dict[str, Any]:
    """A point of the latents; the uniform ones are logits, which no density depends on."""
    point = model.initial_point(0)
    for name in point:
        if name.startswith("latent_exponential"):
            point[name] = np.log(rng.exponential(size=size))
        elif not name.endswith("interval__"):
            point[name] = rng.normal(size=size)
        else:
            point[name] = np.asarray(rng.normal())
    return dict(point)


def log_likelihood(c: Any, log_theta: np.ndarray) -> float:
    """log of the mean over scales of Π_i Σ_s θ_s ℓ_i(s)."""
    rows = c.method.table_evidence(c.results).evidence.log
    assert len(rows) > 1
    each = logsumexp(log_theta + rows, axis=-1).sum(axis=-1)
    return float(logsumexp(each) - math.log(len(rows)))


def test_no_variable_is_discrete(learned: Any, own: Any) -> None:
    for c in (learned, own):
        model = c.model(form="nuts")
        assert model.free_RVs
        assert set(model.value_vars) == set(model.continuous_value_vars)
        assert {"scale", "theta"} <= set(model.named_vars)
        assert any(v not in c.model().continuous_value_vars for v in c.model().value_vars)


def test_the_scale_is_summed_out(own: Any) -> None:
    """G and E as `place_dirichlet` has them, times the likelihood of all scales."""
    model = own.model(form="nuts")
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    alpha, n = np.exp(own.method.listing(own.results).log_alpha), len(own.results.datasets)
    rng = np.random.default_rng(1)
    for _ in range(3):
        point = latents(model, rng, len(alpha))
        # The gamma latents are positive, and so kept as logarithms.
        log_gamma = point["latent_gamma_theta_log__"]
        exponential = np.exp(point["latent_exponential_theta_log__"])
        x = log_gamma - exponential / alpha
        total = logsumexp(x)
        density = gamma(alpha + 1).logpdf(np.exp(log_gamma)).sum() + expon.logpdf(exponential).sum()
        ancillary = n * total - gammaln(alpha.sum() + n) + gammaln(alpha.sum())
        expected = density + ancillary + log_likelihood(own, x - total)
        assert float(logp(point)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
def test_scale_and_strength_are_summed_out(learned: Any) -> None:
    """The density of the definition for each strength, with the change of variables."""
    model, prior = learned.model(form="nuts"), learned.method.learned
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    listing = learned.method.listing(learned.results)
    phi = np.exp(listing.log_alpha)
    evidence = learned.method.evidence(learned.results)
    every = evidence.leanings(np.full(12, 1 / 12))
    rng = np.random.default_rng(2)
    for _ in range(3):
        point = latents(model, rng, len(phi))
        z, e = point["latent_gamma_theta"], np.exp(point["latent_exponential_theta_log__"])
        logs = []
        for k, weight in enumerate(prior.weights):
            # Of a pair without a difference θ is the mean over a statement and its reverse.
            differs, strength = k < 3, prior.values[k % 3]
            alpha, n = strength * phi, every if differs else (every + every[::-1]) / 2
            deviation = np.sqrt(polygamma(1, alpha + n + 1))
            log_gamma = digamma(alpha + n + 1) + deviation * z
            exponential = alpha / (alpha + n) * e
            x = log_gamma - exponential / alpha
            total = logsumexp(x)
            density = gamma(alpha + 1).logpdf(np.exp(log_gamma)) + log_gamma + np.log(deviation)
            density += expon.logpdf(exponential) + np.log(alpha / (alpha + n))
            ancillary = n.sum() * total - gammaln(strength + n.sum()) + gammaln(strength)
            free = x - total
            log_theta = free if differs else np.logaddexp(free, free[::-1]) - math.log(2)
            data = log_likelihood(learned, log_theta)
            logs.append(np.log(weight) + density.sum() + ancillary + data)
        assert float(logp(point)) == pytest.approx(logsumexp(logs), abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["learned", "own"])
def test_bridge_sampling_gives_the_closed_evidence(name: str, request: Any) -> None:
    c = request.getfixturevalue(name)
    found = c.estimate_evidence(rng=3, **QUIET)
    print(f"closed {c.log_evidence:.4f}, {found}")
    assert not found.note
    assert found.se < 0.1
    assert abs(found.log_evidence - c.log_evidence) < 4 * found.se


@pytest.mark.slow
def test_scale_and_strength_follow_their_exact_posterior(learned: Any) -> None:
    tree = learned.sample(1000, chains=4, rng=2, **QUIET)
    exact = learned.draws(4000, chains=4, rng=1)
    assert set(tree["posterior"]) == set(exact["posterior"])
    assert set(tree["log_prior"]) == set(exact["log_prior"])
    for name in ("scale", "strength"):
        mine, theirs = (np.log(t["posterior"][name]) for t in (tree, exact))
        error = np.hypot(*(float(az.mcse(x, method="mean")) for x in (mine, theirs)))
        assert float(mine.mean()) == pytest.approx(float(theirs.mean()), abs=4 * error)
        assert float(az.rhat(mine)) < 1.01
