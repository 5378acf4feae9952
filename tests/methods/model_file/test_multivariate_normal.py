"""The multivariate normal model: its density with replicates, the mass of statements, refusals."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.cases import few_quick
from tests.methods.model_file import simulated
from tests.methods.model_file.own import two
from tests.methods.model_file.test_bundled import FAST, evaluate, function_of
from tests.oracles import models as oracle
from tests.tables import table


def replicated(k: int = 4, rope: float | None = None, m: int = 2) -> bc.Results:
    root = 0.02 * np.linalg.cholesky(0.5 + 0.5 * np.eye(m))
    return simulated.gaps(np.full(m, 0.01), root, 5, 0, k=k, noise=0.02, rope=rope)


def without(results: bc.Results, dataset: str, replicate: str) -> bc.Results:
    """The table without one replicate of a dataset."""
    frame = results.to_frame()
    frame = frame[~((frame["dataset"] == dataset) & (frame["replicate"] == replicate))]
    return bc.Results.from_frame(frame, replicate="replicate", measures=results.spec)


def folds_of(results: bc.Results) -> np.ndarray:
    """Differences by dataset, replicate and measure."""
    cells = [
        results.data[name].transpose("dataset", "algorithm", "replicate").values
        for name in results.measures
    ]
    return np.stack([cell[:, 0] - cell[:, 1] for cell in cells], axis=-1)


def log_prior(v: Any, m: int = 2) -> float:
    expected = stats.norm.logpdf(v["mu"], 0, 2).sum()
    expected += stats.halfnorm.logpdf(v["sigma"], scale=2).sum()
    shape = 2 + 0.5 * (m - 2 - np.tril_indices(m, -1)[1])
    partial = stats.beta.logpdf(v["partial"], shape, shape).sum() if m > 1 else 0.0
    return float(expected + partial)


def covariance_of(v: Any, unit: np.ndarray) -> np.ndarray:
    spread = v["sigma"] * unit
    return np.asarray(v["omega"] * spread[:, None] * spread[None, :])


def test_without_replicates_it_is_a_normal() -> None:
    results = two(2)
    v, prior, likelihood = evaluate(ModelFile("multivariate_normal").model(results))
    d = results.oriented()[:, 0] - results.oriented()[:, 1]
    unit = np.sqrt((d**2).mean(axis=0))
    assert prior == pytest.approx(log_prior(v))
    np.testing.assert_allclose(v["difference"], v["mu"] * unit)
    normal = stats.multivariate_normal(v["difference"], covariance_of(v, unit))
    np.testing.assert_allclose(likelihood, normal.logpdf(d))
    above = stats.multivariate_normal(-v["difference"], covariance_of(v, unit)).cdf([0, 0])
    assert v["theta"][0] == pytest.approx(above, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "m"), [(4, 2), (2, 3)])
def test_with_replicates_it_is_a_normal_plus_a_student_t(k: int, m: int) -> None:
    results = replicated(k, m=m)
    v, prior, likelihood = evaluate(ModelFile("multivariate_normal").model(results))
    x = folds_of(results)
    mean, rho = x.mean(axis=1), 1 / k
    unit = np.sqrt((mean**2).mean(axis=0))
    assert prior == pytest.approx(log_prior(v, m))
    errors = [np.atleast_2d(np.cov(row.T)) * (1 / k + rho / (1 - rho)) for row in x]
    expected = [
        math.log(oracle.mean_density(row, v["difference"], covariance_of(v, unit), e, k - 1))
        for row, e in zip(mean, errors, strict=True)
    ]
    np.testing.assert_allclose(likelihood, expected, atol=1e-7)


def test_folds_of_repeated_cross_validation_and_unequal_replicates() -> None:
    results = replicated(4)
    fewer = without(results, "d0", "3")
    model = ModelFile("multivariate_normal", priors={"folds": 10}).model(fewer)
    v, _, likelihood = evaluate(model)
    x = folds_of(results)
    mean = np.stack([x[0, :3].mean(axis=0), *x[1:].mean(axis=1)])
    covariance = covariance_of(v, np.sqrt((mean**2).mean(axis=0)))
    error = np.cov(x[0, :3].T) * (1 / 3 + 0.1 / 0.9)
    expected = oracle.mean_density(mean[0], v["difference"], covariance, error, 2)
    assert likelihood[0] == pytest.approx(math.log(expected), abs=1e-7)
    seeds = ModelFile("multivariate_normal", priors={"folds": math.inf}).model(fewer)
    assert np.isfinite(evaluate(seeds)[2]).all()


@cache
def compiled(rope: tuple[float, ...]) -> Any:
    mu, factor = pt.vector("mu", shape=(len(rope),)), pt.matrix("factor", shape=(len(rope),) * 2)
    regions = function_of("multivariate_normal", "regions")
    return pytensor.function([mu, factor], regions(mu, factor, list(rope)), mode=FAST)


def theta(mu: np.ndarray, covariance: np.ndarray, rope: tuple[float, ...]) -> np.ndarray:
    return np.asarray(compiled(rope)(mu, np.linalg.cholesky(covariance)))


@pytest.mark.parametrize(
    ("m", "error"),
    few_quick([(1, 1e-12), (2, 1e-8), (3, 1e-6), (4, 1e-5), (6, 3e-4)], 3, several=True),
)
def test_theta_is_the_mass_of_orthants(m: int, error: float) -> None:
    rng = np.random.default_rng(m)
    root = rng.normal(size=(m, m))
    mu, covariance = 0.5 * rng.normal(size=m), root @ root.T + 0.1 * np.eye(m)
    found = theta(mu, covariance, (0.0,) * m)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    for index in {0, 2**m // 3, 2**m - 1}:
        side = np.array([1.0 if bit == "0" else -1.0 for bit in f"{index:0{m}b}"])
        expected = stats.multivariate_normal.cdf(
            np.zeros(m),
            -side * mu,
            side[:, None] * covariance * side[None, :],
            maxpts=10**6,
            abseps=error / 10,
            releps=0.0,
            rng=np.random.default_rng(0),
        )
        assert found[index] == pytest.approx(expected, abs=error)


def test_theta_of_uncorrelated_measures_is_a_product_with_ropes_too() -> None:
    mu, sd, rope = np.array([0.3, -0.1]), np.array([1.0, 0.5]), (0.2, 0.0)
    found = theta(mu, np.diag(sd**2), rope).reshape(3, 2)
    low, high = stats.norm.cdf((np.array([-0.2, 0.2]) - 0.3) / 1.0)
    below = stats.norm.cdf(0.1 / 0.5)
    expected = np.outer([1 - high, high - low, low], [1 - below, below])
    np.testing.assert_allclose(found, expected, atol=1e-8)


@given(st.floats(-0.95, 0.95), st.floats(-2, 2), st.floats(-2, 2))
@settings(max_examples=10, deadline=None)
def test_theta_turns_with_the_algorithms(rho: float, a: float, b: float) -> None:
    covariance = np.array([[1.0, rho], [rho, 1.0]])
    found = theta(np.array([a, b]), covariance, (0.1, 0.3))
    turned = theta(np.array([-a, -b]), covariance, (0.1, 0.3))
    np.testing.assert_allclose(found, turned[::-1], atol=1e-6)
    other = theta(np.array([b, a]), covariance, (0.3, 0.1)).reshape(3, 3)
    np.testing.assert_allclose(found.reshape(3, 3), other.T, atol=1e-6)


def test_statements_follow_the_ropes_and_directions() -> None:
    values = np.random.default_rng(0).normal(size=(6, 2, 2))
    measures = {"auc": bc.Measure("max", rope=0.1), "time": bc.Measure("min")}
    results = table(values, measures=measures)
    model = ModelFile("multivariate_normal").model(results)
    assert model.coords["statement"] == tuple(
        f"{first}|{second}" for first in ("A>B", "A=B", "B>A") for second in ("A>B", "B>A")
    )
    seen = model.rvs_to_values[model["gap"]].get_value()
    gap = values[:, 0] - values[:, 1]
    np.testing.assert_allclose(seen, gap * [1, -1])


def test_one_measure_has_no_correlation_to_learn() -> None:
    model = ModelFile("multivariate_normal").model(two())
    assert [rv.name for rv in model.free_RVs] == ["mu", "sigma"]


def test_replicates_are_drawn_with_their_errors() -> None:
    """Spread of predictions: Σ plus V times the mean of 1/u, which is f/(f − 2)."""
    draw = function_of("multivariate_normal", "draw")
    factor, root = np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([[0.5, 0.0], [-0.4, 0.3]])
    rng, mu, n = np.random.default_rng(0), np.array([1.0, -1.0]), 60_000
    drawn = draw(mu, factor, root[None], np.array([9.0]), rng=rng, size=(n,))
    expected = factor @ factor.T + root @ root.T * 9 / 7
    np.testing.assert_allclose(drawn.mean(axis=0), mu, atol=0.03)
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.05)


@pytest.mark.parametrize(
    ("priors", "make", "words"),
    [
        ({"folds": 1}, replicated, "folds=1: there are at least two"),
        ({"folds": 5}, lambda: two(2), "folds=5: there are no replicates"),
        ({}, lambda: replicated(25), "folds is missing: with 25 replicates"),
        ({}, lambda: two(9), "9 measures make 512 statements"),
        ({}, lambda: without(replicated(2), "d0", "1"), r"fewer than two replicates .*'d0'"),
    ],
)
def test_folds_are_checked(priors: dict[str, Any], make: Any, words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(make(), method=ModelFile("multivariate_normal", priors=priors))
