"""Exact draws of a network's tables: moments, shapes, names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


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
