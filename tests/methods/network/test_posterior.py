"""NUTS against the conjugate draws of a network, and a prior on its parameters.

The slow set fixes seed and sampler.
"""

from __future__ import annotations

import math
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Network
from bayescompare.table.results import Results
from tests.methods.network.cases import ask as ask_exactly
from tests.oracles import network as no
from tests.tables import table

QUIET: dict[str, Any] = {"progressbar": False, "cores": 2, "target_accept": 0.9}


def ask(results: Results, **choices: Any) -> NetworkComparison:
    c = bc.compare(results, method=Network(**choices), rng=4, sampler={"draws": 2000, **QUIET})
    assert isinstance(c, NetworkComparison)
    return c


def same_shape(one: xr.DataTree, two: xr.DataTree) -> None:
    """Groups, variables, dims and coords of conjugate draws and of NUTS."""
    assert set(two.children) == set(one.children) | {"sample_stats"}
    for group in one.children:
        a, b = one[group].to_dataset(), two[group].to_dataset()
        assert set(a.data_vars) == set(b.data_vars), group
        for name in a.data_vars:
            assert set(a[name].dims) == set(b[name].dims), (group, name)
            for dim in set(a[name].dims) - {"chain", "draw"}:
                assert a[dim].values.tolist() == b[dim].values.tolist(), (group, name, dim)


def close(one: xr.DataArray, two: xr.DataArray, beyond: int = 0) -> None:
    """Means of two sets of draws within four combined standard errors, but for so many."""
    two = two.transpose(*one.dims)
    means = [x.mean(("chain", "draw")).values for x in (one, two)]
    errors = [az.mcse(x, method="mean").values for x in (one, two)]
    assert (np.abs(means[0] - means[1]) > 4 * np.hypot(*errors) + 1e-12).sum() <= beyond


def sound(c: NetworkComparison, tree: xr.DataTree) -> None:
    figures = c.diagnose(tree).figures
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chain", "collider, a rope", "nine measures"])
def test_nuts_conjugate_draws_and_theory_agree(name: str) -> None:
    """With nine measures, K = 512, what is not listed is observed through its cells."""
    values = no.linked(40, 9, seed=7) if name[0] == "n" else no.linked(24, 3, seed=5)
    search = {"ch": no.CHAIN, "co": no.COLLIDER, "ni": "exact"}[name[:2]]
    c = ask(table(values, rope=0.5 if "rope" in name else None), search=search, mcse=0.01)
    conjugate = c.draws(4000, chains=4, rng=11)
    nuts = c.sample(1000, chains=4, rng=11, **QUIET)
    same_shape(conjugate, nuts)
    sound(c, nuts)
    for variable in conjugate["posterior"].data_vars:
        # Of hundreds of figures the largest may pass four errors.
        close(conjugate["posterior"][variable], nuts["posterior"][variable], name[0] == "n")
    close(conjugate["log_likelihood"]["outcome"], nuts["log_likelihood"]["outcome"])
    theta = nuts["posterior"]["theta"]
    exact = c.summary()["theta_mean"].reindex(theta["statement"].values).dropna()
    own = theta.sel(statement=exact.index)
    gap = np.abs(own.mean(("chain", "draw")).values - exact.to_numpy())
    assert (gap > 4 * az.mcse(own, method="mean").values + 1e-12).sum() <= (name[0] == "n")


def grid_posterior(logs: np.ndarray, grid: np.ndarray, prior: Any) -> np.ndarray:
    """p(x | data) ∝ p(x) · evidence(x), where the grid is even in log x."""
    logs = logs + prior.logpdf(grid) + np.log(grid)
    p = np.exp(logs - logs.max())
    return p / p.sum()


def drawn_by(draws: xr.DataArray, p: np.ndarray, grid: np.ndarray) -> None:
    for figure in (lambda x: x, np.log):
        error = float(az.mcse(figure(draws), method="mean"))
        assert abs(float(figure(draws).mean()) - float(p @ figure(grid))) < 4 * error


@pytest.mark.slow
def test_a_hyperprior_gives_the_posterior_of_the_closed_form() -> None:
    """p(ess | data) ∝ p(ess) · BDeu(ess) on a fine grid; θ given ess is drawn by hand."""
    values = no.linked(24, 3, seed=5)
    results = table(values)
    c = ask(results, search=no.COLLIDER, priors={"ess": pm.Gamma.dist(2.0, 0.3)})
    assert not c.exact
    sound(c, c.tree)
    counts, graph = no.counts_of(values, results), no.masks(no.COLLIDER, results.measures)
    states, grid = no.joint_states([2] * 3), np.exp(np.linspace(-9.0, 5.0, 2001))
    logs = [
        sum(no.textbook_bdeu(states, counts, [2] * 3, s, j, g) for j, g in enumerate(graph))
        for s in grid.tolist()
    ]
    p = grid_posterior(np.array(logs), grid, stats.gamma(2.0, scale=1 / 0.3))
    drawn_by(c.tree["posterior"]["ess"], p, grid)
    rng, rows, per = np.random.default_rng(0), 400, 250
    led = np.zeros((rows, 8))
    for row, s in zip(led, rng.choice(grid, rows, p=p).tolist(), strict=True):
        drawn = no.log_theta_draws(counts, [2] * 3, graph, s, per, rng)
        row += np.bincount(drawn.argmax(axis=1), minlength=8) / per
    error = np.hypot(c.mcse.values, led.std(axis=0) / math.sqrt(rows))
    np.testing.assert_array_less(np.abs(c.probability.values - led.mean(axis=0)), 4 * error + 1e-4)
    for asked, words in ((lambda: c.log_evidence, "closed form"), (lambda: c.draws(9), "sample")):
        with pytest.raises(BayescompareError, match=words):
            asked()
    for asked in (lambda: c.network, lambda: c.on(["m0"])):
        with pytest.raises(BayescompareError, match="fixed ess"):
            asked()


@pytest.mark.slow
def test_a_measure_may_be_called_like_a_latent() -> None:
    name = "exponential"
    results = table(
        np.random.default_rng(3).random((12, 2, 2)), measures={name: "max", "other": "min"}
    )
    c = ask(results, search=[(name, "other")])
    tree = c.sample(3, chains=1, tune=3, rng=0, progressbar=False, cores=1)
    assert set(tree["posterior"].data_vars) == set(c.draws(3, rng=0)["posterior"].data_vars)


@pytest.mark.slow
def test_a_distribution_of_alpha_is_sampled() -> None:
    """One α for each measure: p(α | data) ∝ p(α) · BD(α) on a grid."""
    values = no.linked(24, 3, seed=5)
    results = table(values)
    c = ask(results, search=no.CHAIN, priors={"alpha": pm.Gamma.dist(2.0, 1.0, shape=3)})
    sound(c, c.tree)
    counts, states = no.counts_of(values, results), no.joint_states([2] * 3)
    grid = np.exp(np.linspace(-8.0, 4.0, 1500))
    for j, mask in enumerate(no.masks(no.CHAIN, results.measures)):
        logs = [no.textbook_bd(states, counts, [a, a], [2] * 3, j, mask) for a in grid.tolist()]
        p = grid_posterior(np.array(logs), grid, stats.gamma(2.0))
        drawn_by(c.tree["posterior"]["alpha"].isel(measure=j), p, grid)


def test_a_number_as_prior_is_the_option() -> None:
    results = table(no.linked(24, 3, seed=5))
    same, fixed = (
        ask_exactly(results, search=no.CHAIN, **choices)
        for choices in ({"priors": {"ess": 3.0}}, {"ess": 3.0})
    )
    np.testing.assert_array_equal(same.probability.values, fixed.probability.values)
