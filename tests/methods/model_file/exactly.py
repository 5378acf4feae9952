"""A model file whose posterior is known: its answer comes from independent, exact draws."""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy.stats import dirichlet

import bayescompare as bc
from bayescompare.methods import ModelFile
from bayescompare.methods.model_file.densities import bounded_prior
from bayescompare.outcome.comparison import comparison_of
from bayescompare.outcome.method import Sampling
from tests.methods.model_file.own import multinomial


def conjugate_file(results: bc.Results, *, draws: int = 2000, rng: int = 1) -> bc.Comparison:
    """θ ~ Dirichlet(¼, ¼, ¼, ¼) in a model file: what ``compare(results)`` answers exactly."""
    method = ModelFile(multinomial, priors={"concentration": 0.25})
    model = method.model(results)
    labels = list(model.coords["statement"])
    counts = bc.compare(results).probability["count"].sel(statement=labels).values
    generator = np.random.default_rng(rng)
    theta = generator.dirichlet(0.25 + counts, size=(4, draws))
    flat = np.maximum(theta.reshape(-1, 4), 1e-300).T
    density = dirichlet.logpdf(flat / flat.sum(axis=0), np.full(4, 0.25)).reshape(4, draws)
    coords = {"chain": range(4), "draw": range(draws), "statement": labels}
    sample = ("chain", "draw")
    posterior = xr.Dataset({"theta": ((*sample, "statement"), theta)}, coords)
    log_prior = xr.Dataset({"theta": (sample, density)}, attrs={"top_level": ["theta"]})
    tree = xr.DataTree.from_dict({"posterior": posterior, "log_prior": log_prior})
    sampling = Sampling(generator, seed=rng)
    answer = method._read(results, model, bounded_prior(tree, model), sampling)
    return comparison_of(results, method, answer)
