"""Exact draws of tables and of graphs: moments, shapes, names, against sums over all graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods.network import trees
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.oracles.statements import every_label
from tests.tables import table


@pytest.fixture(scope="module")
def drawn(averaged: NetworkComparison) -> xr.DataTree:
    return averaged.draws(2000, chains=4, rng=3)


def stacked(values: xr.DataArray) -> np.ndarray:
    """All draws in one axis, the first."""
    return values.values.reshape(-1, *values.shape[2:])


def test_the_tree_has_edges_and_a_log_prior(
    averaged: NetworkComparison, drawn: xr.DataTree
) -> None:
    single = ask(averaged.results, search=no.CHAIN, mcse=0.02).draws(10, rng=0)
    assert set(drawn.children) == set(single.children)
    for group in ("posterior", "prior"):
        assert set(drawn[group].data_vars) == {"theta", "marginal", "edge"}
        for name in ("theta", "marginal"):
            assert drawn[group][name].dims == single[group][name].dims
    edge = drawn["posterior"]["edge"]
    assert edge.dims == ("chain", "draw", "parent", "child")
    assert edge["parent"].values.tolist() == edge["child"].values.tolist() == ["m0", "m1", "m2"]
    assert set(drawn["log_prior"].data_vars) == {"graph", "cpt_m0", "cpt_m1", "cpt_m2"}
    np.testing.assert_allclose(drawn["log_prior"]["graph"], -math.log(25))
    assert averaged.diagnose(drawn).ok
    one, two = (averaged.draws(20, chains=2, rng=3) for _ in range(2))
    np.testing.assert_array_equal(one["posterior"]["theta"], two["posterior"]["theta"])


def test_edges_and_theta_have_their_exact_means(
    averaged: NetworkComparison, drawn: xr.DataTree
) -> None:
    edge, theta = (stacked(drawn["posterior"][name]) for name in ("edge", "theta"))
    exact = averaged.edges.values
    error = np.sqrt(exact * (1 - exact) / len(edge))
    np.testing.assert_array_less(np.abs(edge.mean(axis=0) - exact), 4 * error + 1e-12)
    mean = averaged.summary()["theta_mean"].reindex(every_label("AB", 3))
    error = theta.std(axis=0) / math.sqrt(len(theta))
    np.testing.assert_array_less(np.abs(theta.mean(axis=0) - mean), 4 * error)
    # Before any data all 25 graphs are alike: each edge is in eight of them.
    before = stacked(drawn["prior"]["edge"]).mean(axis=0)
    error = math.sqrt(0.32 * 0.68 / 2000)
    np.testing.assert_allclose(before[~np.eye(3, dtype=bool)], 0.32, atol=4 * error)


def test_theta_is_that_of_its_own_graph(
    walk: tuple[np.ndarray, Results], drawn: xr.DataTree
) -> None:
    """A measure without neighbours is independent of the others in that draw, and only then."""
    edge, theta = (stacked(drawn["posterior"][name]) for name in ("edge", "theta"))
    cube = theta.reshape(-1, 2, 2, 2)
    for j in range(3):
        own = cube.sum(axis=tuple(k + 1 for k in range(3) if k != j))
        others = cube.sum(axis=j + 1)
        shape = [1 if k == j else 2 for k in range(3)]
        own_shape = [2 if k == j else 1 for k in range(3)]
        product = own.reshape(-1, *own_shape) * others.reshape(-1, *shape)
        gap = np.abs(product - cube).max(axis=(1, 2, 3))
        alone = (edge[:, j].sum(axis=1) + edge[:, :, j].sum(axis=1)) == 0
        assert alone.any()
        assert gap[alone].max() < 1e-12
        assert np.median(gap[~alone]) > 1e-3
    values, results = walk
    likelihood = np.log(theta) @ no.weights_of(values, results).T
    found = stacked(drawn["log_likelihood"]["outcome"])
    np.testing.assert_allclose(found, likelihood, rtol=1e-8)


def test_power_scaling_multiplies_the_ess_and_keeps_the_graphs_prior(
    averaged: NetworkComparison, drawn: xr.DataTree
) -> None:
    """Cov(f, log prior) = dE f/dγ at γ = 1, where γ multiplies the ESS of every table."""
    prior = sum(stacked(drawn["log_prior"][f"cpt_m{j}"]) for j in range(3))
    step = 1e-4
    exact = {
        sign: ask(averaged.results, average=True, max_parents=2, ess=1.0 + sign * step, mcse=0.05)
        for sign in (-1, 1)
    }
    labels = every_label("AB", 3)
    figures: list[tuple[np.ndarray, Any]] = [
        (stacked(drawn["posterior"]["edge"]), lambda c: c.edges.values),
        (
            stacked(drawn["posterior"]["theta"]),
            lambda c: c.summary()["theta_mean"].reindex(labels).to_numpy(),
        ),
    ]
    centred = prior - prior.mean()
    for values, of in figures:
        slope = (of(exact[1]) - of(exact[-1])) / (2 * step)
        terms = (values - values.mean(axis=0)) * centred.reshape(-1, *[1] * (values.ndim - 1))
        error = terms.std(axis=0) / math.sqrt(len(terms))
        np.testing.assert_array_less(np.abs(terms.mean(axis=0) - slope), 4 * error + 1e-6)
    assert np.abs(slope).max() > 0.005


@pytest.mark.slow
def test_nine_measures_and_five_hundred_statements() -> None:
    results = table(no.linked(30, 9, seed=2))
    c = ask(results, average=True, mcse=0.05)
    tree = c.draws(150, chains=2, rng=0)
    theta = tree["posterior"]["theta"]
    assert theta["statement"].values[-1] == "(other)"
    np.testing.assert_allclose(theta.sum("statement"), 1.0, rtol=1e-9)
    marginal = stacked(tree["posterior"]["marginal"])
    assert ((marginal >= 0) & (marginal <= 1)).all()
    share = stacked(tree["posterior"]["edge"]).mean(axis=0)
    exact = c.edges.values
    error = np.sqrt(exact * (1 - exact) / 300)
    np.testing.assert_array_less(np.abs(share - exact), 4.5 * error + 5 / 300)


def test_too_many_draws_are_refused(
    averaged: NetworkComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MOST_DRAWN", 1_000)
    with pytest.raises(
        BayescompareError, match=r"draws=1000, chains=4: .*cells.*at most \d+ draws"
    ):
        averaged.draws(1000, chains=4)


def test_what_an_average_needs_no_sampler_for(averaged: NetworkComparison) -> None:
    asked: list[tuple[Callable[[], object], str]] = [
        (averaged.model, "draw graphs and their tables exactly.*average=False"),
        (lambda: averaged.sample(10), r"draws\(\) are exact"),
        (averaged.estimate_evidence, "known exactly, see log_evidence"),
        (
            lambda: averaged.loo(averaged.draws(100, rng=0), refit=True, khat=-math.inf),
            r"loo\(\) are exact",
        ),
    ]
    for ask_for, message in asked:
        with pytest.raises(BayescompareError, match=message):
            ask_for()
    assert {"sample", "estimate_evidence"}.isdisjoint(dir(averaged))


def test_an_average_is_checked_and_left_out(averaged: NetworkComparison) -> None:
    assert np.isfinite(averaged.check(rng=0)["p"]).all()
    values = averaged.loo().elpd_i.values
    psis = averaged.loo(averaged.draws(2000, rng=1)).elpd_i.values
    np.testing.assert_allclose(values, psis, atol=0.05)


def test_leave_one_out_is_a_difference_of_averaged_evidences(
    walk: tuple[np.ndarray, Results], averaged: NetworkComparison
) -> None:
    values, results = walk
    states, dags = no.joint_states([2] * 3), no.every_dag(3)
    weights = no.weights_of(values, results)

    def evidence(counts: np.ndarray) -> float:
        local = no.local_table(states, counts, [2] * 3, 1.0, 2)
        return float(logsumexp(no.dag_scores(local, dags)))

    whole = evidence(weights.sum(axis=0))
    found = averaged.loo().elpd_i.values
    for i in (0, 7, 21):
        left = weights.sum(axis=0) - weights[i]
        assert found[i] == pytest.approx(whole - evidence(left), abs=1e-8)


def test_draws_are_the_tables_posterior(walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    c = ask(results, search=no.COLLIDER)
    tree = c.draws(1000, chains=4, rng=2)
    counts, graph = no.counts_of(values, results), no.masks(no.COLLIDER, results.measures)
    theta = tree["posterior"]["theta"].values.reshape(-1, 8)
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, rtol=1e-10)
    error = theta.std(axis=0) / math.sqrt(len(theta))
    expected = no.mean_theta(counts, [2] * 3, graph)
    np.testing.assert_array_less(np.abs(theta.mean(axis=0) - expected), 4 * error)
    prior = tree["prior"]["theta"].values.reshape(-1, 8)
    error = prior.std(axis=0) / math.sqrt(len(prior))
    np.testing.assert_array_less(np.abs(prior.mean(axis=0) - 1 / 8), 4 * error)
    # θ is the product of its tables, and the marginal its sum.
    post = tree["posterior"]
    a, b, given_ = (post[f"cpt_m{j}"].values for j in (0, 2, 1))
    assert post["cpt_m1"].dims[2:] == ("given_m1", "state_m1")
    joint = np.einsum("cdi,cdk,cdikj->cdijk", a[:, :, 0], b[:, :, 0], _as_grid(given_))
    np.testing.assert_allclose(joint.reshape(4, 1000, 8), post["theta"].values, rtol=1e-9)
    cube = post["theta"].values.reshape(4, 1000, 2, 2, 2)
    sums = np.stack(
        [cube[:, :, 0].sum((2, 3)), cube[:, :, :, 0].sum((2, 3)), cube[..., 0].sum((2, 3))], axis=-1
    )
    np.testing.assert_allclose(post["marginal"].values, sums, rtol=1e-9)
    likelihood = np.log(post["theta"].values) @ no.weights_of(values, results).T
    np.testing.assert_allclose(tree["log_likelihood"]["outcome"].values, likelihood, rtol=1e-8)
    assert c.diagnose(tree).ok


def _as_grid(table_: np.ndarray) -> np.ndarray:
    return table_.reshape(*table_.shape[:2], 2, 2, 2)


def test_draws_beyond_256_statements_keep_the_rest_together() -> None:
    results = table(no.linked(40, 9, seed=2))
    c = ask(results, mcse=0.02)
    tree = c.draws(500, chains=2, rng=0)
    theta = tree["posterior"]["theta"]
    assert theta["statement"].values[-1] == "(other)"
    np.testing.assert_allclose(theta.sum("statement"), 1.0, rtol=1e-10)
    shown = c.summary()["theta_mean"].reindex(theta["statement"].values[:-1])
    error = theta.std(("chain", "draw")).values[:-1] / math.sqrt(1000)
    found = theta.mean(("chain", "draw")).values[:-1]
    np.testing.assert_array_less(np.abs(found - shown), 4.5 * error + 1e-12)


@pytest.mark.parametrize("suffix", ["_given", "_state", "_gamma"])
def test_a_measures_name_may_continue_anothers(suffix: str) -> None:
    names = ["loss", f"loss{suffix}"]
    results = table(
        np.random.default_rng(3).random((12, 2, 2)), measures=dict.fromkeys(names, "max")
    )
    tree = ask(results, search=[tuple(names)]).draws(5, rng=0)
    assert f"cpt_loss{suffix}" in tree["posterior"]
