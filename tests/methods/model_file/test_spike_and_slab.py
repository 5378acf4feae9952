"""The spike and the slab: prior, likelihood, Bayes factors against closed forms, refusals."""

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
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.methods.model_file.own import two
from tests.methods.model_file.test_bundled import FAST, evaluate, function_of
from tests.oracles import models as oracle
from tests.tables import table

#: Hours of sleep gained: Student's own data, which the R package BayesFactor takes as its example.
SLEEP = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])


def of_differences(d: np.ndarray, rope: float | None = None) -> bc.Results:
    """Results whose differences, first less second, are d by dataset[ and measure]."""
    d = d.reshape(len(d), -1)
    return table(np.stack([d, np.zeros_like(d)], axis=1), rope=rope)


def test_the_oracle_has_the_published_bayes_factor() -> None:
    """BayesFactor::ttestBF of the sleep data, paired: 17.25888."""
    t = SLEEP.mean() / (SLEEP.std(ddof=1) / math.sqrt(10))
    assert 1 / oracle.jzs_factor(t, 10) == pytest.approx(17.25888, abs=5e-6)
    # And the oracle of this model has it too, for a flat prior and no rope.
    flat = oracle.same_factor(SLEEP, 0.0, lambda log_sd: 0.0)
    assert 1 / flat == pytest.approx(17.25888, rel=1e-4)


@pytest.mark.parametrize("rope", [None, 0.3])
def test_spike_and_slab_is_its_formula(rope: float | None) -> None:
    results = two(2, rope=rope)
    model = ModelFile("spike_and_slab").model(results)
    for seed in (0, 3)[: 1 if rope else 2]:
        v, prior, likelihood = evaluate(model, seed)
        d = results.oriented()[:, 0] - results.oriented()[:, 1]
        np.testing.assert_allclose(v["sd"], v["sigma"] * np.sqrt((d**2).mean(axis=0)))
        covariance = v["omega"] * v["sd"][:, None] * v["sd"][None, :]
        expected = stats.multivariate_normal(v["difference"], covariance).logpdf(d)
        np.testing.assert_allclose(likelihood, expected)
        narrow = math.pi / 2 * math.sqrt(0.5) * 3.0  # nine datasets
        log_p = compiled()(v["position"], 0.5, narrow)[0].sum()
        log_p += stats.lognorm.logpdf(v["sigma"], 1.0).sum()
        assert prior == pytest.approx(float(log_p + stats.beta.logpdf(v["partial"], 2, 2)[0]))
        inside = np.abs(v["difference"]) <= (rope or 0.0)
        labels = np.where(inside, "A=B", np.where(v["difference"] > 0, "A>B", "B>A"))
        assert v["holds"].sum() == 1
        assert model.coords["statement"][int(v["holds"].argmax())] == "|".join(labels)


@cache
def compiled() -> Any:
    """Log density of positions, and the effects there."""
    at = pt.dvector(), pt.dscalar(), pt.dscalar()
    density = function_of("spike_and_slab", "position_logp")(*at)
    effect, _ = function_of("spike_and_slab", "stretched")(*at)
    return pytensor.function([*at], [density, effect], mode=FAST)


@given(st.floats(0.05, 0.95), st.floats(1.0, 12.0))
@settings(max_examples=15, deadline=None)
def test_the_plateau_has_its_mass_and_effects_are_cauchy(equal: float, narrow: float) -> None:
    edge, _ = function_of("spike_and_slab", "plateau")(equal, narrow)
    x = np.concatenate([[0.999 * edge], edge + np.array([1e-3, 0.1, 1.0, 30.0])])
    log_p, effect = compiled()(x, equal, narrow)
    assert effect[0] == 0.0
    assert 2 * edge * math.exp(log_p[0]) == pytest.approx(equal)
    # Beyond the plateau: slope by differences, which makes a Cauchy density of the effect.
    step = 1e-6 * x
    ends = [compiled()(x + side * step, equal, narrow)[1] for side in (1, -1)]
    slope = ((ends[0] - ends[1]) / (2 * step))[1:]
    expected = (1 - equal) * stats.cauchy.pdf(effect[1:]) * slope
    np.testing.assert_allclose(np.exp(log_p[1:]), expected, rtol=1e-5)


@pytest.mark.parametrize("narrow", [1.0, 6.0])
def test_positions_are_drawn_from_that_prior(narrow: float) -> None:
    drawn = function_of("spike_and_slab", "draw_position")(
        0.3, narrow, rng=np.random.default_rng(0), size=(20_000,)
    )
    edge, _ = function_of("spike_and_slab", "plateau")(0.3, narrow)
    on = np.abs(drawn) <= edge
    assert stats.binomtest(int(on.sum()), 20_000, 0.3).pvalue > 0.001
    assert stats.kstest(drawn[on], stats.uniform(-edge, 2 * edge).cdf).pvalue > 0.001
    effect = np.sign(drawn[~on]) * compiled()(drawn[~on], 0.3, narrow)[1]
    assert stats.kstest(effect, stats.cauchy.cdf).pvalue > 0.001


def posterior_of(delta: Any, sd: Any, omega: np.ndarray) -> xr.Dataset:
    """A posterior of one draw."""
    return xr.Dataset(
        {
            "difference": (("chain", "draw", "measure"), np.array(delta, float)[None, None]),
            "sd": (("chain", "draw", "measure"), np.array(sd, float)[None, None]),
            "omega": (("chain", "draw", "measure", "other_measure"), omega[None, None]),
        }
    )


@pytest.mark.parametrize("rope", [0.0, 0.2])
@pytest.mark.parametrize("mean", [0.0, 0.3, -1.0, 4.0])
def test_the_bayes_factor_given_the_deviation_is_that_of_a_z_test(rope: float, mean: float) -> None:
    n, sd, scale = 16, 1.3, 0.6
    d = np.linspace(-1, 1, n) + mean
    factor = function_of("spike_and_slab", "bayes_factor")(
        posterior_of([0.7], [sd], np.eye(1)), of_differences(d, rope or None), scale=scale
    )
    width = sd / math.sqrt(n)

    def likelihood(x: float) -> float:
        return float(stats.norm.pdf(d.mean(), x, width))

    same = likelihood(0.0)
    if rope:
        same = integrate.quad(likelihood, -rope, rope)[0] / (2 * rope)
    slab = stats.cauchy(scale=scale * sd)
    other, _ = integrate.quad(
        lambda x: likelihood(rope + x) * slab.pdf(x) + likelihood(-rope - x) * slab.pdf(x),
        0.0,
        60.0,
        points=[max(abs(mean) - rope, 0.0), 1.0],
        epsabs=0,
        limit=400,
    )
    assert factor.dims == ("measure",)
    # For as much evidence as mean=4 has, 1 in 10^30, and for as little as mean=0 has.
    assert float(factor[0]) == pytest.approx(same / other, rel=1e-6)


def test_the_bayes_factor_of_a_measure_uses_what_the_others_tell() -> None:
    """With correlation: against a normal in two dimensions, one integrated and one known."""
    rng = np.random.default_rng(1)
    d = rng.normal(size=(12, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) + [0.5, 0.2]
    omega, sd, known = np.array([[1.0, 0.8], [0.8, 1.0]]), np.array([1.1, 0.9]), 0.25
    found = function_of("spike_and_slab", "bayes_factor")(
        posterior_of([9.9, known], sd, omega), of_differences(d)
    )
    covariance = omega * np.outer(sd, sd) / 12

    def likelihood(x: float) -> float:
        return float(stats.multivariate_normal.pdf(d.mean(axis=0), [x, known], covariance))

    slab = stats.cauchy(scale=math.sqrt(0.5) * sd[0])
    other, _ = integrate.quad(lambda x: likelihood(x) * slab.pdf(x), -4, 4, points=[0.5])
    assert float(found[0]) == pytest.approx(likelihood(0.0) / other, rel=1e-5)


def test_learned_equality_is_part_of_the_odds() -> None:
    posterior = posterior_of([0.0], [1.0], np.eye(1)).assign(
        equal=(("chain", "draw"), np.array([[0.2]])), scale=(("chain", "draw"), np.array([[0.4]]))
    )
    results, function = of_differences(SLEEP), function_of("spike_and_slab", "bayes_factor")
    alone = function(posterior.drop_vars(["equal", "scale"]), results, scale=0.4)
    both = function(posterior, results, equal=0.5)
    assert float(both[0]) == pytest.approx(float(alone[0]) * 0.25)


def test_numbers_and_priors_are_checked() -> None:
    with pytest.raises(bc.BayescompareError, match=r"equal.*and > 0 and < 1"):
        ModelFile("spike_and_slab", priors={"equal": 1.0}).model(two())
    with pytest.raises(bc.BayescompareError, match="outside the range: equal lies between 0 and 1"):
        ModelFile("spike_and_slab", priors={"equal": pm.Normal.dist(0, 1)}).model(two())
