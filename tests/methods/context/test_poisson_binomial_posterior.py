"""Exact draws of the Poisson-binomial test, and its PyMC model."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

from tests.methods.context.cases import alone, ask
from tests.oracles.context import PAIRS, EveryD, better, counts_of, log_split, near, shares_near

# -------------------------------------------------------------------------------------------- draws


GROUPS = {
    "posterior",
    "prior",
    "posterior_predictive",
    "prior_predictive",
    "observed_data",
    "constant_data",
    "log_likelihood",
    "log_prior",
}


@pytest.fixture(scope="module", params=[False, True], ids=["cut", "joint"])
def drawn(request: pytest.FixtureRequest) -> tuple[Any, xr.DataTree]:
    c = ask(counts_of(PAIRS, n=80), joint=request.param, a=1.5, b=2.0)
    return c, c.draws(5000, chains=4, rng=1)


def test_groups_variables_and_shapes(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    assert set(tree.children) == GROUPS
    sample = ("chain", "draw")
    over = (*sample, "dataset")
    parameters = {"r": sample, "d": over, "h": over, "z": over, "p": (*over, "outcome")}
    parameters["theta"] = (*sample, "statement")
    for group, variables in {
        "posterior": parameters,
        "prior": parameters,
        "posterior_predictive": {"first_wrong": over},
        "prior_predictive": {"first_wrong": over},
        "log_likelihood": {"first_wrong": over},
        "log_prior": {"r": sample},
        "observed_data": {"first_wrong": ("dataset",)},
    }.items():
        data = tree[group].to_dataset()
        assert {str(k): v.dims for k, v in data.data_vars.items()} == variables, group
    posterior = tree["posterior"].to_dataset()
    assert dict(posterior.sizes) == {
        "chain": 4,
        "draw": 5000,
        "dataset": 6,
        "outcome": 3,
        "statement": 2,
    }
    assert posterior["dataset"].values.tolist() == list(c.results.datasets)
    assert tree["observed_data"]["first_wrong"].values.tolist() == [h for h, _ in PAIRS]
    assert "p" not in ask(PAIRS).draws(2, chains=1, rng=0)["posterior"]


def test_draws_have_the_exact_moments(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    posterior = tree["posterior"].to_dataset()
    r, d, z = (posterior[name].values for name in "rdz")
    assert shares_near(r > 0.5, float(c.probability[0]))
    assert near(r, c.rate["mean"])
    assert near((r - c.rate["mean"]) ** 2, c.rate["sd"] ** 2)
    for i, (h, g) in enumerate(PAIRS):
        p = c.per_dataset["probability"].iloc[i]
        assert shares_near(d[..., i] == 1, p)
        # Given its side z is a Beta cut at ½; the two sides weigh as P(d).
        low = special.betainc(2.5 + h, 1.5 + g, 0.5) / special.betainc(1.5 + h, 1.5 + g, 0.5)
        high = special.betaincc(2.5 + h, 1.5 + g, 0.5) / special.betaincc(1.5 + h, 1.5 + g, 0.5)
        mean = (1.5 + h) / (3 + h + g)
        assert near(z[..., i], mean * (p * low + (1 - p) * high))


def test_p_is_a_distribution_over_what_can_happen(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        np.testing.assert_allclose(data["p"].sum("outcome"), 1.0, atol=1e-12)
        assert bool((data["p"] >= 0).all())
        shares = data["p"].isel(outcome=0) / data["p"].isel(outcome=[0, 1]).sum("outcome")
        np.testing.assert_allclose(shares, data["z"], atol=1e-9)
    assert data["outcome"].values.tolist() == ["only A wrong", "only B wrong", "neither alone"]
    # What neither alone got wrong is Beta by Theorem 4.1's Dirichlet, whatever z.
    for i, (h, g) in enumerate(PAIRS):
        rest = tree["posterior"]["p"].values[..., i, 2]
        assert near(rest, (1.5 + 80 - h - g) / (4.5 + 80))
    del c


def test_draws_of_d_are_as_correlated_as_the_model_says(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    oracle = EveryD(alone(PAIRS, 1.5), 2.0, joint=c.method.joint)
    d = tree["posterior"]["d"].values.reshape(-1, len(PAIRS))
    for i, j in itertools.combinations(range(len(PAIRS)), 2):
        together = float(oracle.weight @ (oracle.d[:, i] * oracle.d[:, j]))
        assert shares_near((d[:, i] & d[:, j]) == 1, together)
    r = tree["posterior"]["r"].values.ravel()
    for i in range(len(PAIRS)):
        both = oracle.weight @ (oracle.d[:, i] * oracle.alpha / (oracle.alpha + oracle.beta))
        assert near(r * d[:, i], float(both))


def test_the_log_likelihood_is_that_of_the_splits(drawn: tuple[Any, xr.DataTree]) -> None:
    _, tree = drawn
    r = tree["posterior"]["r"].values[0, :50]
    found = tree["log_likelihood"]["first_wrong"].values[0, :50]
    for i, (h, g) in enumerate(PAIRS):
        p = better(h, g, 1.5)
        expected = math.log(2) + log_split(h, g, 1.5) + np.log(r * p + (1 - r) * (1 - p))
        np.testing.assert_allclose(found[:, i], expected, atol=1e-8)
    log_prior = tree["log_prior"]["r"].values[0, :50]
    # Of logit r: raising it to γ means Beta(2γ, 2γ).
    of_logit = stats.beta.logpdf(r, 2, 2) + np.log(r) + np.log1p(-r)
    np.testing.assert_allclose(log_prior, of_logit, atol=1e-10)


def test_prior_draws_and_predictions(drawn: tuple[Any, xr.DataTree]) -> None:
    c, tree = drawn
    prior = tree["prior"].to_dataset()
    r = prior["r"].values
    assert near(r, 0.5)
    assert near((r - 0.5) ** 2, 1 / 20)
    predicted = tree["prior_predictive"]["first_wrong"].values
    for i, (h, g) in enumerate(PAIRS):
        assert shares_near(prior["d"].values[..., i] == 1, 0.5)
        assert near(prior["z"].values[..., i], 0.5)
        assert near(predicted[..., i].astype(float), (h + g) / 2)
        assert predicted[..., i].max() <= h + g
    # A new dataset: the first is better with probability r, then z on that side.
    after = tree["posterior_predictive"]["first_wrong"].values
    side = 2.0 * special.betainc(2.5, 1.5, 0.5) / 2.0
    rate = c.rate["mean"]
    for i, (h, g) in enumerate(PAIRS):
        expected = (h + g) * (rate * side + (1 - rate) * (1 - side))
        assert near(after[..., i].astype(float), expected)


# ---------------------------------------------------------------------------------------- the model
