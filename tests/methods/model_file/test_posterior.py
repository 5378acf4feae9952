"""Every bundled model, sampled: known parameters come back, and all that a comparison offers works.

Seeds are fixed; the sampler's settings are those that a user has by default, but for `SAMPLERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.methods.model_file import simulated

pytestmark = pytest.mark.slow

QUIET = {"progressbar": False, "cores": 2}
THETA = np.array([0.05, 0.1, 0.05, 0.1, 0.05, 0.15, 0.1, 0.4])
STRENGTH = np.array([[1.2, 0.9], [0.4, 0.6], [0.0, -0.3], [-0.5, -0.2], [-1.1, -1.0]])
#: Datasets of the two models whose densities are integrals, of which each dataset needs many.
ITEMS = 30
Case = tuple[bc.Results, dict[str, Any], dict[str, Any]]


def strengths() -> Case:
    return simulated.from_strengths(STRENGTH, 60, 3), {}, {"strength": STRENGTH}


def davidson() -> Case:
    results = simulated.from_davidson(np.array([0.4, -0.4]), 0.6, 150, 5, 0.05)
    return results, {}, {"strength": np.array([0.4, -0.4]), "nu": np.array(0.6)}


def replicated() -> Case:
    delta = 0.02 + 0.015 * np.random.default_rng(7).standard_t(5, size=40)
    results = simulated.folds(delta, 10, 0.02, 8, rope=0.01)
    population = stats.t(5, 0.02, 0.015)
    above, below = population.sf(0.01), population.cdf(-0.01)
    theta = np.array([above, 1 - above - below, below])
    return results, {}, {"difference": np.array(0.02), "theta": theta}


def regression() -> Case:
    results, covariates = simulated.from_covariates(0.5, np.array([1.0, -0.6]), 150, 9)
    p = 1 / (1 + np.exp(-0.5))
    better = np.array([[0.5, p], [1 - p, 0.5]])
    truth = {"intercept": np.array(0.5), "beta": np.array([1.0, -0.6]), "better": better}
    return results, {"covariates": covariates}, truth


def differences() -> Case:
    """Two correlated measures in five folds, and the mass of a normal beyond a rope."""
    mean, root = np.array([0.5, -0.3]), np.array([[1.0, 0.0], [0.5, 0.6]])
    results = simulated.gaps(mean, root, 80, 12, k=5, noise=0.6, rope=0.2)
    edges = np.array([-np.inf, -0.2, 0.2, np.inf])
    population = stats.multivariate_normal(mean, root @ root.T)
    below = np.array([[population.cdf([a, b]) for b in edges] for a in edges])
    theta = np.diff(np.diff(below, axis=0), axis=1)[::-1, ::-1].ravel()
    return results, {}, {"difference": mean, "theta": theta}


def same_on_one() -> Case:
    mean, root = np.array([0.8, 0.0]), np.array([[1.0, 0.0], [0.5, 0.6]])
    results = simulated.gaps(mean, root, 60, 2)
    return results, {}, {"difference": mean, "sd": np.sqrt((root**2).sum(axis=1))}


CASES: dict[str, Callable[[], Case]] = {
    "bradley_terry": davidson,
    "covariates": regression,
    "dirichlet_hyperprior": lambda: (
        simulated.from_statements(THETA, 120, 1),
        {},
        {"theta": THETA},
    ),
    "hierarchical_t": replicated,
    "item_response": lambda: (
        simulated.from_items(STRENGTH, 0.4, ITEMS, 4),
        {},
        {"strength": STRENGTH, "tau": np.array(0.4)},
    ),
    "logistic_normal": lambda: (simulated.from_statements(THETA, 120, 1), {}, {"theta": THETA}),
    "multivariate_normal": differences,
    "plackett_luce": strengths,
    "spike_and_slab": same_on_one,
    "thurstone": lambda: (simulated.from_normal(STRENGTH, ITEMS, 5), {}, {"strength": STRENGTH}),
}

#: Its scale and its standardised slopes are a product that 150 datasets know well: a ridge along
#: which the chains need more and smaller steps.
SAMPLERS = {
    "covariates": {"draws": 3000, "tune": 2000, "target_accept": 0.97},
    # Their densities are thousands of integrals: fewer draws, of which most count.
    "item_response": {"draws": 500, "tune": 600},
    "thurstone": {"draws": 500, "tune": 600},
}


@cache
def sampled(name: str) -> tuple[bc.Comparison, dict[str, Any]]:
    results, priors, truth = CASES[name]()
    sampler = {**QUIET, **SAMPLERS.get(name, {})}
    c = bc.compare(results, method=ModelFile(name, priors=priors), rng=11, sampler=sampler)
    return c, truth


@pytest.mark.parametrize("name", CASES)
def test_known_parameters_come_back_from_clean_chains(name):
    """And the answer has all that a comparison has."""
    c, truth = sampled(name)
    found = c.diagnose()
    assert found.ok, str(found)
    assert found.figures["divergences"] == 0
    posterior = c.tree["posterior"]
    for variable, value in truth.items():
        drawn = posterior[variable]
        mean, sd = drawn.mean(("chain", "draw")).values, drawn.std(("chain", "draw")).values
        far = np.abs(mean - value) / np.where(sd > 0, sd, 1.0)
        assert far.max() < 4, f"{variable}: {mean} ± {sd}, made with {value}"
        # Not by being vague: the prior's spread has shrunk.
        prior = c.tree["prior"][variable].std(("chain", "draw")).values
        assert np.all((sd < 0.7 * prior) | (sd == 0)), f"{variable}: {sd} of {prior}"
    assert c.summary()["probability"].sum() == pytest.approx(1.0)
    assert name in c.explain()
    assert c.loo().n_data_points == len(c.results.datasets)
    (observed,) = set(c.tree["observed_data"].data_vars) - {"statement_index", "count"}
    seen = c.tree["observed_data"][observed]
    for group in ("posterior_predictive", "prior_predictive"):
        predicted = c.tree[group][observed]
        assert (predicted.dims[2:], predicted.shape[2:]) == (seen.dims, seen.shape)


def test_spike_and_slab_tells_the_same_from_the_different():
    """One measure with an effect and one without: the joint statement, and both Bayes factors."""
    c, _ = sampled("spike_and_slab")
    assert c.best == "A>B|A=B"
    assert c.none_leads == 0.0
    factor = ModelFile("spike_and_slab").function("bayes_factor")
    found = factor(c.tree["posterior"].to_dataset(), c.results).values
    assert found[0] < 1e-3
    assert found[1] > 3
    # Counting draws says the same, with more noise.
    counted = float(c.probability[c.probability["m1"] == "A=B"].sum())
    assert counted == pytest.approx(found[1] / (1 + found[1]), abs=4 * float(c.mcse.max()))


def test_strengths_agree_with_the_pairs_where_those_are_settled() -> None:
    """Eight algorithms, three measures and ties: one model, 21 strengths, no 8! statements."""
    results = bc.load_example("jansen-uci")
    sampler = {**QUIET, "draws": 500, "tune": 500}
    c = bc.compare(results, method="plackett_luce", rng=1, sampler=sampler)
    assert c.diagnose().ok, str(c.diagnose())
    pairs = bc.pairwise(results, method="dirichlet").matrix
    together = c.ahead.transpose(*pairs.dims).sel(algorithm=pairs["algorithm"])
    settled = pairs.values >= 0.95
    assert settled.sum() >= 4
    assert np.all(together.values[settled] > 0.95)
    # And where the one model is sure, the pairs do not lean the other way.
    assert np.all(pairs.values[together.values >= 0.95] > 0.8)
