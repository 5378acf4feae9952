"""The likelihood of many draws at once is that of each draw by itself."""

from __future__ import annotations

import numpy as np
import pymc as pm
import xarray as xr
from scipy.stats import norm, poisson

from bayescompare.methods.model_file.densities import (
    batched_likelihood,
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
