"""The item response model: scores, their density along rays and on the circle, discriminations."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
import xarray as xr
from scipy import integrate, stats

from bayescompare.methods import ModelFile
from tests.methods.model_file import simulated
from tests.methods.model_file.test_bundled import FAST, correlated_strengths, evaluate, function_of
from tests.oracles import models as oracle
from tests.tables import table


@cache
def compiled(l: int) -> Any:
    score, strength, tau = pt.tensor3("score"), pt.matrix("strength", shape=(l, 1)), pt.dscalar()
    found = function_of("item_response", "logp")(score, strength, tau)
    return pytensor.function([score, strength, tau], found, mode=FAST)


def log_density(score: np.ndarray, strength: np.ndarray, tau: float) -> np.ndarray:
    """Of scores (dataset, algorithm, 1) under strengths (algorithm, 1)."""
    return np.asarray(compiled(len(strength))(score, strength, tau))


def scores(values: np.ndarray) -> np.ndarray:
    return np.asarray(function_of("item_response", "scores")(values))


@pytest.mark.parametrize(("l", "tau"), [(2, 0.4), (3, 0.3), (5, 0.8)])
def test_a_score_has_the_density_along_its_ray(l: int, tau: float) -> None:
    rng = np.random.default_rng(l)
    ability = rng.normal(size=l)
    ability -= ability.mean()
    seen = scores(rng.normal(size=(3, l, 1)))
    expected = [oracle.score_density(row[:, 0], ability, tau) for row in seen]
    np.testing.assert_allclose(
        np.exp(log_density(seen, ability[:, None], tau)), expected, rtol=5e-5
    )


def test_values_of_any_location_and_scale_follow_the_density() -> None:
    """Three algorithms: scores are on a circle, simulated as the docstring has the story."""
    ability, tau, n = np.array([1.2, -0.5, -0.7]), 0.5, 40_000
    axes = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]]) / np.sqrt([[2.0], [6.0]])
    angle = np.linspace(-np.pi, np.pi, 401)
    around = np.cos(angle)[:, None] * axes[0] + np.sin(angle)[:, None] * axes[1]
    density = np.exp(log_density(around[..., None], ability[:, None], tau))
    below = integrate.cumulative_simpson(density, x=angle, initial=0)
    assert below[-1] == pytest.approx(1.0, abs=1e-7)
    rng = np.random.default_rng(0)
    location, scale = rng.normal(size=(n, 1)) * 50, np.exp(3 * rng.normal(size=(n, 1)))
    noise = rng.normal(size=(n, 3)) / np.exp(tau * rng.normal(size=(n, 1)))
    seen = scores((location + scale * (ability + noise))[..., None])[..., 0]
    found = np.arctan2(seen @ axes[1], seen @ axes[0])
    assert stats.kstest(found, lambda x: np.interp(x, angle, below)).pvalue > 0.001


def test_two_algorithms_make_a_probit() -> None:
    s, tau = 0.6, 0.3
    seen = scores(np.array([[[2.0], [1.0]], [[0.0], [5.0]]]))
    found = np.exp(log_density(seen, np.array([[s], [-s]]), tau))

    def ahead(z: float) -> float:
        return float(stats.norm.pdf(z) * stats.norm.cdf(math.exp(tau * z) * 2 * s / math.sqrt(2)))

    expected, _ = integrate.quad(ahead, -8, 8)
    np.testing.assert_allclose(found, [expected, 1 - expected], rtol=1e-6)


@pytest.mark.parametrize("q", [1, 4])
def test_extreme_discriminations_keep_their_digits(q: int) -> None:
    """Far out, a Gamma integral on one side and a normal one on the other."""
    low, high = function_of("item_response", "log_radial")(np.array([-1e8, 1e5]), float(q), np)
    assert low == pytest.approx(math.lgamma(q) - q * math.log(1e8), abs=2e-6)
    assert high - 0.5e10 == pytest.approx(
        (q - 1) * math.log(1e5) + 0.5 * math.log(2 * math.pi), abs=5e-6
    )


def test_item_response_is_its_formula_and_equal_values_tell_nothing() -> None:
    results = simulated.with_ties(0)
    priors = {"tau": pm.Uniform.dist(0.3, 0.5)}
    v, prior, likelihood = evaluate(ModelFile("item_response", priors=priors).model(results))
    expected = stats.beta.logpdf(v["partial"], 2, 2).sum() + correlated_strengths(v)
    assert prior == pytest.approx(float(expected + math.log(5)))
    np.testing.assert_allclose(v["strength"].sum(axis=0), 0, atol=1e-12)
    seen = scores(results.oriented())
    assert (seen[0] == 0).all(), "the first dataset is tied"
    # The surface of the sphere in three dimensions, for both measures.
    assert likelihood[0] == pytest.approx(-2 * math.log(4 * math.pi))
    by_measure = [
        math.log(oracle.score_density(seen[2, :, j], v["strength"][:, j], float(v["tau"])))
        for j in range(2)
    ]
    assert likelihood[2] == pytest.approx(sum(by_measure), rel=1e-5)


def test_units_of_a_dataset_do_not_matter() -> None:
    values = np.random.default_rng(0).normal(size=(5, 3, 2))
    other = values.copy()
    other[2] = 100 + 0.001 * other[2]
    np.testing.assert_allclose(scores(values), scores(other), atol=1e-9)


@pytest.mark.slow
def test_discriminations_are_those_of_their_posterior() -> None:
    """By Bayes on a grid of log δ, for a dataset that agrees with the abilities and another."""
    ability, tau = np.array([1.5, 0.0, -1.5]), 0.7
    values = np.stack([ability, [-0.5, 1.0, -0.2]])[..., None]
    results = table(values)
    draws = 4_000
    posterior = xr.Dataset(
        {
            "strength": (
                ("chain", "draw", "algorithm", "measure"),
                np.broadcast_to(ability[:, None], (1, draws, 3, 1)),
            ),
            "tau": (("chain", "draw"), np.full((1, draws), tau)),
        }
    )
    found = function_of("item_response", "discrimination")(posterior, results, rng=1)
    assert found.dims == ("chain", "draw", "dataset", "measure")
    z = np.linspace(-5, 5, 101)
    for i, row in enumerate(scores(values)[..., 0]):
        weight = oracle.direction_density(row, ability, np.exp(tau * z)) * stats.norm.pdf(z)
        mean = (weight * z).sum() / weight.sum() * tau
        seen = np.log(found.values[0, :, i, 0])
        assert seen.mean() == pytest.approx(mean, abs=4 * seen.std() / math.sqrt(draws) + 2e-3)
