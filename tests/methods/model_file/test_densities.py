"""Densities of a model: the likelihood of many draws at once, and the prior that powers act on."""

from __future__ import annotations

import numpy as np
import pymc as pm
import xarray as xr
from scipy.stats import beta, dirichlet, gamma, norm, poisson

from bayescompare.methods.model_file.densities import (
    batched_likelihood,
    bounded_prior,
    flat_draws,
    observed_values,
)


def two_outcomes() -> pm.Model:
    """Two observed variables, and free ones: of several shapes, unsorted, one with a start."""
    coords = {"dataset": ["a", "b", "c"], "measure": ["x", "y"]}
    with pm.Model(coords=coords) as model:
        sigma = pm.HalfNormal("sigma", initval=2.0)
        mean = pm.Normal("mean", dims="measure")
        rate = pm.Exponential("rate", 1.0)
        seen = np.arange(6.0).reshape(3, 2)
        pm.Normal("value", mean, sigma, observed=seen, dims=("dataset", "measure"))
        pm.Poisson("count", rate, observed=[1, 0, 4], dims="dataset")
    return model


def test_all_draws_are_each_draw() -> None:
    model, rng = two_outcomes(), np.random.default_rng(1)
    sample = ("chain", "draw")
    posterior = xr.Dataset(
        {
            "rate": (sample, rng.exponential(size=(2, 5))),
            "sigma": (sample, rng.exponential(size=(2, 5))),
            "mean": ((*sample, "measure"), rng.normal(size=(2, 5, 2))),
        }
    )
    drawn = flat_draws(model, posterior)
    value, count = observed_values(model)
    found = batched_likelihood(model)(*drawn, value, count)
    assert found.shape == (10, 3)
    for k in range(10):
        sigma, mean, rate = (values[k] for values in drawn)
        expected = norm.logpdf(value, mean, sigma).sum(axis=1) + poisson.logpmf(count, rate)
        np.testing.assert_allclose(found[k], expected)
    other = batched_likelihood(model)(*drawn, value + 1.0, count)
    np.testing.assert_allclose(
        other - found,
        [
            (norm.logpdf(value + 1.0, m, s) - norm.logpdf(value, m, s)).sum(axis=1)
            for s, m in zip(drawn[0], drawn[1], strict=True)
        ],
    )


# the log prior ------------------------------------------------------------------------------------


def trees() -> tuple[pm.Model, xr.DataTree]:
    """A model with each kind of support, and draws of it with their densities."""
    with pm.Model(coords={"cell": list("abc")}) as model:
        pm.Beta("share", 2.0, 3.0)
        pm.Uniform("angle", -1.0, 3.0)
        pm.Gamma("scale", 2.0, 1.0)
        pm.Normal("mean", 0.0, 1.0)
        pm.Dirichlet("theta", np.ones(3), dims="cell")
    rng, shape = np.random.default_rng(1), (2, 5)
    drawn = {
        "share": rng.beta(2, 3, shape),
        "angle": rng.uniform(-1, 3, shape),
        "scale": rng.gamma(2, size=shape),
        "mean": rng.normal(size=shape),
    }
    theta = rng.dirichlet(np.ones(3), size=shape)
    sample = ("chain", "draw")
    posterior = xr.Dataset({name: (sample, values) for name, values in drawn.items()})
    posterior["theta"] = ((*sample, "cell"), theta)
    density = {
        "share": beta.logpdf(drawn["share"], 2, 3),
        "angle": np.full(shape, -np.log(4.0)),
        "scale": gamma.logpdf(drawn["scale"], 2),
        "mean": -0.5 * drawn["mean"] ** 2,
        "theta": np.full(shape, dirichlet.logpdf(np.ones(3) / 3, np.ones(3))),
    }
    log_prior = xr.Dataset({name: (sample, values) for name, values in density.items()})
    log_prior.attrs["top_level"] = list(density)
    return model, xr.DataTree.from_dict({"posterior": posterior, "log_prior": log_prior})


def flat(values: np.ndarray, expected: np.ndarray) -> None:
    """Equal up to a constant, which no power notices."""
    apart = np.asarray(values) - np.asarray(expected)
    np.testing.assert_allclose(apart, apart.flat[0], atol=1e-9)


def test_a_power_of_the_density_is_another_prior_of_the_family() -> None:
    """To the power 3: Beta(2, 3) → Beta(6, 9), Dirichlet(1) → Dirichlet(3), in their logits."""
    model, tree = trees()
    found = bounded_prior(tree.copy(deep=True), model)["log_prior"]
    drawn = tree["posterior"]
    x = drawn["share"].values
    jacobian = np.log(x) + np.log1p(-x)
    flat(3.0 * found["share"].values, beta.logpdf(x, 6, 9) + jacobian)
    y = (drawn["angle"].values + 1.0) / 4.0
    flat(3.0 * found["angle"].values, beta.logpdf(y, 3, 3) + np.log(y) + np.log1p(-y))
    theta = drawn["theta"].values
    dense = dirichlet.logpdf(theta.reshape(-1, 3).T, [3.0, 3.0, 3.0]).reshape(2, 5)
    flat(3.0 * found["theta"].values, dense + np.log(theta).sum(axis=-1))
    for name in ("scale", "mean"):
        np.testing.assert_array_equal(found[name], tree["log_prior"][name])


def test_a_variable_that_the_model_lacks_is_left_alone() -> None:
    model, tree = trees()
    with pm.Model() as other:
        pm.Normal("mean")
    found = bounded_prior(tree.copy(deep=True), other)["log_prior"]
    np.testing.assert_array_equal(found["share"], tree["log_prior"]["share"])
    assert "share" in model.named_vars
