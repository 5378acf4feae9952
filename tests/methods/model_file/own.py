"""Models of a user's own, as functions and as a file, and a sampler for a quick look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from scipy.stats import dirichlet
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.methods import ModelFile
from bayescompare.methods.model_file.densities import bounded_prior
from bayescompare.modelling import prior, statement_table
from bayescompare.outcome.comparison import comparison_of
from bayescompare.outcome.method import Sampling
from tests.tables import table

#: Compiling takes longer than these few draws.
QUICK: dict[str, Any] = {
    "draws": 40,
    "tune": 20,
    "chains": 2,
    "cores": 1,
    "progressbar": False,
    "compile_kwargs": {"mode": "FAST_COMPILE"},
}


def by_measure(results: bc.Results) -> pm.Model:
    """One win or loss for each dataset *and* measure."""
    values = results.oriented()
    coords = {
        "dataset": results.datasets,
        "measure": results.measures,
        "algorithm": results.algorithms,
    }
    with pm.Model(coords=coords) as model:
        s = pm.Normal("s", 0, 1, dims="measure")
        pm.Deterministic("strength", pm.math.stack([s, -s]), dims=("algorithm", "measure"))
        won = (values[:, 0] > values[:, 1]).astype(int)
        pm.Bernoulli("win", logit_p=2 * s, observed=won, dims=("dataset", "measure"))
    return model


def multinomial(results: bc.Results, **priors: Any) -> pm.Model:
    """Signed as the documentation writes it: ``build(results, **priors)``."""
    seen = statement_table(results)
    with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
        alpha = prior("concentration", priors.get("concentration", 1.0))
        theta = pm.Dirichlet("theta", alpha * np.ones(len(seen.labels)), dims="statement")
        weights = seen.weights.astype(int)
        pm.Multinomial("outcome", 1, theta, observed=weights, dims=("dataset", "statement"))
    return model


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stderr


WHOLE = """
import numpy as np, pymc as pm
from bayescompare.modelling import statement_table

def build(results):
    table = statement_table(results)
    coords = {"statement": table.labels, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        theta = pm.Dirichlet("theta", [1.0] * len(table.labels), dims="statement")
        seen = table.weights.astype(int)
        pm.Multinomial("outcome", 1, theta, observed=seen, dims=("dataset", "statement"))
    return model
"""


def two(m: int = 1, n: int = 9, rope: float | None = None) -> bc.Results:
    return table(np.round(np.random.default_rng(m).normal(size=(n, 2, m)), 1), rope=rope)


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
