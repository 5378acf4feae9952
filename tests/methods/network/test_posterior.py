"""NUTS against the conjugate draws of a network, and a prior on its equivalent sample size.

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
from tests.methods.network.cases import error_of
from tests.oracles import network as no
from tests.oracles.statements import every_label
from tests.tables import table

QUIET: dict[str, Any] = {"progressbar": False, "cores": 2}
GRAPHS = {"chain": no.CHAIN, "collider": no.COLLIDER}


def ask(results: Results, **choices: Any) -> NetworkComparison:
    sampler = {"draws": 2000, "target_accept": 0.9, **QUIET}
    c = bc.compare(results, method=Network(**choices), rng=4, sampler=sampler)
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


def close(one: xr.DataArray, two: xr.DataArray) -> None:
    """Means of two sets of draws within four combined standard errors."""
    two = two.transpose(*one.dims)
    means = [x.mean(("chain", "draw")).values for x in (one, two)]
    errors = [az.mcse(x, method="mean").values for x in (one, two)]
    np.testing.assert_array_less(np.abs(means[0] - means[1]), 4 * np.hypot(*errors) + 1e-12)


def sound(c: NetworkComparison, tree: xr.DataTree, name: str) -> None:
    figures = c.diagnose(tree).figures
    print(f"{name}: greatest R-hat {figures['greatest R-hat']:.4f}")
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.02


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GRAPHS))
def test_nuts_conjugate_draws_and_theory_agree(name: str) -> None:
    values = no.linked(24, 3, seed=5)
    results = table(values)
    c = ask(results, search=GRAPHS[name])
    conjugate = c.draws(4000, chains=4, rng=11)
    nuts = c.sample(2000, chains=4, rng=11, target_accept=0.9, **QUIET)
    same_shape(conjugate, nuts)
    sound(c, nuts, name)
    for variable in ("theta", "marginal", "cpt_m0", "cpt_m1", "cpt_m2"):
        close(conjugate["posterior"][variable], nuts["posterior"][variable])
    counts = no.counts_of(values, results)
    exact = no.mean_theta(counts, [2] * 3, no.masks(GRAPHS[name], results.measures))
    for tree in (conjugate, nuts):
        theta = tree["posterior"]["theta"]
        error = az.mcse(theta, method="mean").values
        found = theta.mean(("chain", "draw")).values
        np.testing.assert_array_less(np.abs(found - exact), 4 * error + 1e-12)
        largest = (theta == theta.max("statement")).astype(float)
        draws = theta.sizes["chain"] * theta.sizes["draw"]
        ess = az.ess(largest, method="mean").values
        ess = np.where(np.isfinite(ess), np.minimum(ess, draws), draws)
        p = c.probability.values
        safe = np.clip(p, 1 / draws, 1 - 1 / draws)
        error = np.hypot(error_of(c), np.sqrt(safe * (1 - safe) / ess))
        share = largest.mean(("chain", "draw")).values
        np.testing.assert_array_less(np.abs(share - p), 4 * error)
    close(conjugate["log_likelihood"]["outcome"], nuts["log_likelihood"]["outcome"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rope", "three algorithms"])
def test_nuts_with_three_and_six_states(kind: str) -> None:
    if kind == "rope":
        results = table(no.linked(30, 3, seed=6), rope=0.5)
        c = ask(results, search=no.CHAIN)
    else:
        results = table(no.linked(30, 2, seed=6, l=3))
        c = ask(results, search=[("m0", "m1")])
    conjugate = c.draws(2000, chains=4, rng=1)
    nuts = c.sample(1000, chains=4, rng=1, target_accept=0.95, **QUIET)
    same_shape(conjugate, nuts)
    sound(c, nuts, kind)
    for variable in ("theta", "marginal"):
        close(conjugate["posterior"][variable], nuts["posterior"][variable])


@pytest.mark.slow
def test_nuts_beyond_256_statements() -> None:
    """Nine measures, K = 512: the statements not listed are observed through their cells."""
    results = table(no.linked(40, 9, seed=7))
    c = ask(results, mcse=0.01)
    assert c.answer.n_statements == 512
    assert c.answer.facts.edges
    conjugate = c.draws(4000, chains=4, rng=3)
    nuts = c.sample(1000, chains=4, rng=3, target_accept=0.9, **QUIET)
    assert nuts["posterior"]["statement"].values[-1] == "(other)"
    same_shape(conjugate, nuts)
    sound(c, nuts, "nine measures")
    theta = [tree["posterior"]["theta"] for tree in (conjugate, nuts)]
    means = [x.mean(("chain", "draw")).values for x in theta]
    errors = [az.mcse(x, method="mean").values for x in theta]
    gap = np.abs(means[0] - means[1]) / np.hypot(*errors)
    # Two hundred figures: the largest of them may pass four.
    assert (gap > 4).sum() <= 1, gap.max()
    assert gap[-1] < 4, "(other)"
    close(conjugate["posterior"]["marginal"], nuts["posterior"]["marginal"])
    close(conjugate["log_likelihood"]["outcome"], nuts["log_likelihood"]["outcome"])


@pytest.mark.slow
# PyMC's first steps, before it has learned how narrow this prior is, run far out.
@pytest.mark.filterwarnings("ignore:overflow encountered in dot:RuntimeWarning")
def test_a_tight_prior_is_a_fixed_sample_size() -> None:
    results = table(no.linked(24, 3, seed=5))
    near = ask(results, search=no.CHAIN, priors={"ess": pm.Gamma.dist(mu=3.0, sigma=0.02)})
    fixed = ask(results, search=no.CHAIN, ess=3.0)
    same = ask(results, search=no.CHAIN, priors={"ess": 3.0})
    np.testing.assert_array_equal(same.probability.values, fixed.probability.values)
    assert not near.exact
    np.testing.assert_array_less(
        np.abs(near.probability.values - fixed.probability.values), 4 * near.mcse.values
    )
    theta = near.tree["posterior"]["theta"]
    mean = fixed.summary()["theta_mean"].reindex(every_label("AB", 3)).to_numpy()
    error = az.mcse(theta, method="mean").values
    np.testing.assert_array_less(
        np.abs(theta.mean(("chain", "draw")).values - mean), 4 * error + 1e-3
    )
    assert float(near.tree["posterior"]["ess"].mean()) == pytest.approx(3.0, abs=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(GRAPHS))
def test_a_hyperprior_gives_the_posterior_of_the_closed_form(name: str) -> None:
    """p(ess | data) ∝ p(ess) · BDeu(ess) on a fine grid; θ given ess is drawn by hand."""
    values = no.linked(24, 3, seed=5)
    results = table(values)
    c = ask(results, search=GRAPHS[name], priors={"ess": pm.Gamma.dist(2.0, 0.3)})
    assert not c.exact
    sound(c, c.tree, f"hyperprior, {name}")
    counts, graph = no.counts_of(values, results), no.masks(GRAPHS[name], results.measures)
    states = no.joint_states([2] * 3)
    grid = np.exp(np.linspace(-9.0, 5.0, 4001))
    logs = stats.gamma(2.0, scale=1 / 0.3).logpdf(grid) + np.log(grid)
    logs += [
        sum(
            no.textbook_bdeu(states, counts, [2] * 3, float(s), j, mask)
            for j, mask in enumerate(graph)
        )
        for s in grid
    ]
    p = np.exp(logs - logs.max())
    p /= p.sum()
    mine = c.tree["posterior"]["ess"]
    for figure in (lambda x: x, lambda x: x**2, np.log):
        error = float(az.mcse(figure(mine), method="mean"))
        assert abs(float(figure(mine).mean()) - float(p @ figure(grid))) < 4 * error
    rng, rows, per = np.random.default_rng(0), 400, 250
    drawn = np.concatenate(
        [
            no.log_theta_draws(counts, [2] * 3, graph, float(s), per, rng)
            for s in rng.choice(grid, rows, p=p)
        ]
    )
    led = np.eye(8)[drawn.argmax(axis=1)].reshape(rows, per, 8).mean(axis=1)
    error = np.hypot(c.mcse.values, led.std(axis=0) / math.sqrt(rows))
    np.testing.assert_array_less(np.abs(c.probability.values - led.mean(axis=0)), 4 * error + 1e-4)
    with pytest.raises(BayescompareError, match="closed form"):
        _ = c.log_evidence
    with pytest.raises(BayescompareError, match="sample"):
        c.draws(10)


@pytest.mark.slow
def test_a_subset_of_a_sampled_answer_is_not_that_of_another_prior() -> None:
    """As with the Dirichlet test, on() needs a conjugate prior; it must not fall back to ess=1."""
    results = table(no.linked(24, 3, seed=5))
    prior = {"ess": pm.Gamma.dist(mu=30.0, sigma=1.0)}
    c = ask(results, search=no.CHAIN, priors=prior)
    theta = c.tree["posterior"]["theta"].values.reshape(-1, 2, 2, 2)
    expected = theta.sum(axis=3).mean(axis=0).ravel()
    try:
        small = c.on(["m0", "m1"])
    except BayescompareError:
        return
    found = small.summary()["theta_mean"].reindex(every_label("AB", 2))
    np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.slow
def test_the_tables_of_a_sampled_answer_are_not_those_of_another_prior() -> None:
    results = table(no.linked(24, 3, seed=5))
    c = ask(results, search=no.CHAIN, priors={"ess": pm.Gamma.dist(mu=30.0, sigma=1.0)})
    try:
        found = c.network.get_cpds("m1").values
    except BayescompareError:
        return
    expected = c.tree["posterior"]["cpt_m1"].mean(("chain", "draw")).values
    np.testing.assert_allclose(found.T, expected, atol=0.01)


@pytest.mark.slow
def test_an_average_is_not_sampled_as_something_else() -> None:
    """draws() of an average is a mixture over graphs; sample() must agree with it or refuse."""
    results = table(no.linked(40, 3, seed=1))
    c = ask(results, average=True, max_parents=2)
    try:
        nuts = c.sample(1000, chains=4, rng=1, target_accept=0.9, **QUIET)
    except BayescompareError:
        return
    close(c.draws(4000, chains=4, rng=1)["posterior"]["theta"], nuts["posterior"]["theta"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gamma", "exponential"])
def test_a_measure_may_be_called_like_a_latent(name: str) -> None:
    results = table(
        np.random.default_rng(3).random((12, 2, 2)), measures={name: "max", "other": "min"}
    )
    c = ask(results, search=[(name, "other")])
    tree = c.sample(3, chains=1, tune=3, rng=0, progressbar=False, cores=1)
    assert set(tree["posterior"].data_vars) == set(c.draws(3, rng=0)["posterior"].data_vars)
