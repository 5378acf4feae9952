"""The bundled models against formulas written anew, and the input that they refuse."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import pytest
from pytensor.compile.mode import Mode
from scipy import integrate, stats
from scipy.special import gammaln, xlogy

import bayescompare as bc
from bayescompare.methods import ModelFile
from bayescompare.methods.model_file.source import bundled
from bayescompare.modelling import ranks, statement_table
from tests.cases import few_quick
from tests.methods.model_file import simulated
from tests.methods.model_file.own import two
from tests.tables import table

#: Nothing is worth compiling for one call.
FAST = Mode(linker="py", optimizer=None)

MODELS = (
    "bradley_terry",
    "covariates",
    "dirichlet_hyperprior",
    "hierarchical_t",
    "item_response",
    "logistic_normal",
    "multivariate_normal",
    "plackett_luce",
    "spike_and_slab",
    "thurstone",
)

Point = Mapping[str, np.ndarray]


def several() -> bc.Results:
    """Three algorithms, one measure, some within the rope."""
    return table(np.random.default_rng(4).normal(size=(6, 3, 1)), rope=0.3)


def crossvalidated(rope: float | None = 0.01) -> bc.Results:
    return simulated.folds(np.array([0.02, -0.01, 0.05, 0.0]), 5, 0.02, 0, rope=rope)


def constant_gap() -> bc.Results:
    """Two algorithms, of which the first is always better by ½ on the second measure."""
    values = np.round(np.random.default_rng(4).normal(size=(6, 2, 2)))
    values[:, 0, 1] = values[:, 1, 1] + 0.5
    return table(values)


COVARIATES = {"size": {f"d{i}": float(i**2) for i in range(9)}}

SUITABLE: dict[str, tuple[Callable[[], bc.Results], dict[str, Any]]] = {
    "bradley_terry": (several, {}),
    "covariates": (two, {"covariates": COVARIATES}),
    "dirichlet_hyperprior": (lambda: two(2), {}),
    "hierarchical_t": (crossvalidated, {}),
    "item_response": (simulated.with_ties, {}),
    "logistic_normal": (lambda: two(2), {}),
    "multivariate_normal": (lambda: simulated.gaps(np.zeros(2), np.eye(2), 5, 0, k=4), {}),
    "plackett_luce": (simulated.with_ties, {}),
    "spike_and_slab": (lambda: two(2), {}),
    "thurstone": (simulated.with_ties, {}),
}


def built(name: str, **priors: Any) -> tuple[bc.Results, pm.Model]:
    make, given = SUITABLE[name]
    results = make()
    return results, ModelFile(name, priors={**given, **priors}).model(results)


def evaluate(model: pm.Model, seed: int = 0) -> tuple[Point, float, np.ndarray]:
    """At a random point: every variable, the log prior, and the log likelihood by dataset."""
    rng = np.random.default_rng(seed)
    point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
    variables = [*model.free_RVs, *model.deterministics]
    prior = model.logp(vars=model.free_RVs, jacobian=False)
    (likelihood,) = model.logp(vars=model.observed_RVs, sum=False)
    values = model.replace_rvs_by_values(variables)
    f = model.compile_fn([*values, prior, likelihood], point_fn=True, mode=FAST)
    *found, log_prior, log_likelihood = f(point)
    named = {v.name: x for v, x in zip(variables, found, strict=True)}
    return named, float(log_prior), log_likelihood


def function_of(name: str, function: str) -> Callable[..., Any]:
    """One of the functions that a model file is made of."""
    return ModelFile(name).function(function)


def zero_sum_normal(z: np.ndarray) -> float:
    """Density of standard normals given that they sum to zero, over the last axis."""
    free = z.size - z.size // z.shape[-1]
    return float(-0.5 * (z**2).sum() - 0.5 * free * math.log(2 * math.pi))


def correlated_strengths(v: dict[str, np.ndarray]) -> float:
    """Density of strengths (algorithm, measure) with correlation Ω, given that they sum to zero.

    Coordinates in an orthonormal basis of what sums to zero have the same density as the strengths.
    """
    strength, omega = v["strength"], v["omega"]
    l, m = strength.shape
    square = np.trace(strength @ np.linalg.solve(omega, strength.T))
    log_det = np.linalg.slogdet(2 * np.pi * omega)[1]
    np.testing.assert_allclose(strength.sum(axis=0), np.zeros(m), atol=1e-12)
    np.testing.assert_allclose((v["contrast"] ** 2).sum(), (strength**2).sum())
    return float(-0.5 * square - 0.5 * (l - 1) * log_det)


def test_every_model_has_its_formula_tested():
    # That of judged items has a file of its own, for it has data of two kinds.
    assert sorted(bundled()) == sorted([*MODELS, "judged_items"])
    assert sorted(MODELS) == sorted(SUITABLE)


def test_dirichlet_hyperprior_is_its_formula():
    results, model = built("dirichlet_hyperprior")
    v, prior, likelihood = evaluate(model)
    weights = statement_table(results).weights
    alpha = v["concentration"]
    expected = stats.gamma.logpdf(alpha, 2)
    expected += stats.dirichlet.logpdf(v["theta"] / v["theta"].sum(), np.full(4, alpha))
    assert prior == pytest.approx(float(expected))
    np.testing.assert_allclose(likelihood, weights @ np.log(v["theta"]))


@pytest.mark.parametrize("rope", [None, 0.4])
def test_logistic_normal_is_its_formula(rope):
    results = two(2, rope=rope)
    priors = {"sigma": pm.HalfNormal.dist(2.0)}
    model = ModelFile("logistic_normal", priors=priors).model(results)
    v, prior, likelihood = evaluate(model)
    table_ = statement_table(results)
    expected = stats.halfnorm.logpdf(v["sigma"], scale=2) + stats.beta.logpdf(v["rho"], 2, 2)
    assert prior == pytest.approx(expected + stats.norm.logpdf(v["z"]).sum())
    theta = np.exp(v["eta"]) / np.exp(v["eta"]).sum()
    np.testing.assert_allclose(v["theta"], theta)
    np.testing.assert_allclose(likelihood, xlogy(table_.weights, theta).sum(axis=1))
    # η is linear in z, with the kernel's covariance.
    labels = [label.split("|") for label in table_.labels]
    kernel = [
        [v["rho"] ** sum(a != b for a, b in zip(x, y, strict=True)) for y in labels] for x in labels
    ]
    np.testing.assert_allclose(
        v["eta"], v["sigma"] * np.linalg.cholesky(kernel) @ v["z"], rtol=1e-5, atol=1e-6
    )


def orders_of(rank: np.ndarray) -> list[tuple[int, ...]]:
    """Every order, best to worst, that a tied ranking allows."""
    groups = [np.flatnonzero(rank == r) for r in np.unique(rank)]
    parts = itertools.product(*(itertools.permutations(g.tolist()) for g in groups))
    return [tuple(itertools.chain(*part)) for part in parts]


def plackett_luce(order: tuple[int, ...], s: np.ndarray) -> float:
    w = np.exp(s[list(order)])
    return float(np.prod(w / np.cumsum(w[::-1])[::-1]))


@pytest.mark.parametrize("seed", [0, 1])
def test_plackett_luce_averages_over_the_orders_that_ties_allow(seed):
    results = simulated.with_ties(seed)
    v, _, likelihood = evaluate(ModelFile("plackett_luce").model(results), seed)
    rank = ranks(results)
    sizes = {len(orders_of(rank[i, :, j])) for i in range(7) for j in range(2)}
    assert {1, 2, 6, 24} & sizes >= {2, 6, 24}, "the table must have such ties"
    expected = [
        sum(
            math.log(np.mean([plackett_luce(o, v["strength"][:, j]) for o in orders_of(r[:, j])]))
            for j in range(2)
        )
        for r in rank
    ]
    np.testing.assert_allclose(likelihood, expected, rtol=0, atol=1e-7)


def test_plackett_luce_keeps_its_digits_when_the_weak_tie_ahead_of_the_strong():
    strength = np.array([-9.0, -8.0, -7.0, 24.0])
    rank = np.array([[2.0], [2.0], [2.0], [4.0]])
    logp = function_of("plackett_luce", "logp")
    found = logp(pt.constant(rank), pt.constant(strength[:, None])).eval(mode=FAST)
    orders = itertools.permutations(range(3))
    expected = math.log(np.mean([plackett_luce((*order, 3), strength) for order in orders]))
    assert float(found) == pytest.approx(expected, rel=1e-8)


def test_plackett_luce_has_no_factorial_in_it():
    rank = np.array([[10.5]] * 20 + [[21.0]])
    logp = function_of("plackett_luce", "logp")
    found = float(logp(pt.constant(rank), pt.zeros((21, 1))).eval(mode=FAST))
    # The last of 21 equals is last with probability 1/21, and the twenty in any of 20! orders.
    assert found == pytest.approx(-math.log(21) - gammaln(21), rel=1e-4)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_plackett_luce_strengths_have_the_prior_of_the_docstring(m):
    results = table(np.random.default_rng(m).normal(size=(4, 4, m)))
    priors = {"kappa": 2.5, "sigma": pm.HalfNormal.dist(1.5)}
    v, prior, _ = evaluate(ModelFile("plackett_luce", priors=priors).model(results), m)
    s, freedom = v["strength"], m - 1 + 2.5
    np.testing.assert_allclose(s.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(s.T @ s, v["contrast"].T @ v["contrast"])
    # By Bayes: p(s) = p(s | Σ) p(Σ) / p(Σ | s), at any Σ; three of the four vectors are free.
    psi = v["sigma"] ** 2 * np.eye(m)
    covariance = np.atleast_2d(stats.wishart.rvs(m + 2, np.eye(m), random_state=1))
    _, log_det = np.linalg.slogdet(covariance)
    square = np.trace(np.linalg.inv(covariance) @ s.T @ s)
    expected = -0.5 * square - 1.5 * (m * math.log(2 * math.pi) + log_det)
    expected += stats.invwishart.logpdf(covariance, freedom, psi)
    expected -= stats.invwishart.logpdf(covariance, freedom + 3, psi + s.T @ s)
    assert prior == pytest.approx(float(expected + stats.halfnorm.logpdf(v["sigma"], scale=1.5)))
    mean = psi + s.T @ s
    spread = np.sqrt(np.diag(mean))
    np.testing.assert_allclose(v["omega"], mean / np.outer(spread, spread))


def test_plackett_luce_draws_its_strengths_from_that_prior():
    draw = function_of("plackett_luce", "draw_matrix_t")
    scale = np.array([[1.0, 2.0]] * 3)
    drawn = draw(scale, np.array(9.0), rng=np.random.default_rng(0), size=(40_000,))
    covariance = stats.invwishart.rvs(9, np.diag([1.0, 4.0]), 40_000, random_state=1)
    by_hand = np.random.default_rng(2).normal(size=(40_000, 3, 2))
    by_hand = by_hand @ np.linalg.cholesky(covariance).mT
    for statistic in (
        lambda x: x[:, 0, 0],
        lambda x: x[:, 2, 1],
        lambda x: (x[:, :, 0] * x[:, :, 1]).sum(axis=1),
        lambda x: (x**2).sum(axis=(1, 2)),
    ):
        assert stats.ks_2samp(statistic(drawn), statistic(by_hand)).pvalue > 0.01


def test_bradley_terry_is_its_formula_and_the_rope_makes_the_ties():
    results, model = built("bradley_terry", sigma=pm.HalfNormal.dist(1.5))
    v, prior, likelihood = evaluate(model)
    expected = stats.halfnorm.logpdf(v["sigma"], scale=1.5)
    expected += stats.lognorm.logpdf(v["nu"], 1.5) + zero_sum_normal(v["z"])
    assert prior == pytest.approx(float(expected))
    strength, nu = np.exp(v["sigma"] * v["z"]), v["nu"]
    values = results.values()[:, :, 0]
    by_hand, ties = np.zeros(6), 0
    for a, b in itertools.combinations(range(3), 2):
        tie = nu * math.sqrt(strength[a] * strength[b])
        whole = strength[a] + strength[b] + tie
        assert v["better"][a, b] == pytest.approx(strength[a] / whole)
        assert v["better"][b, a] == pytest.approx(strength[b] / whole)
        for i in range(6):
            gap = values[i, a] - values[i, b]
            ties += abs(gap) <= 0.3
            won = tie if abs(gap) <= 0.3 else strength[a] if gap > 0 else strength[b]
            by_hand[i] += math.log(won / whole)
    assert ties, "the table must have differences within the rope"
    np.testing.assert_allclose(likelihood, by_hand)


def test_bradley_terry_ties_exactly_at_the_rope_and_without_one():
    for rope, values in ((0.1, [0.3, 0.2]), (None, [0.5, 0.5]), (0.0, [0.5, 0.5])):
        results = table(np.array([[[values[0]], [values[1]]], [[1.0], [0.0]]]), rope=rope)
        model = ModelFile("bradley_terry").model(results)
        assert model.rvs_to_values[model["outcome"]].eval().tolist() == [[1], [0]]


@pytest.mark.parametrize("rope", [None, 0.01])
def test_hierarchical_t_is_its_formula(rope):
    results = crossvalidated(rope)
    model = ModelFile("hierarchical_t").model(results)
    v, prior, likelihood = evaluate(model)
    cells = results.data["accuracy"].transpose("dataset", "algorithm", "replicate").values
    x = cells[:, 0] - cells[:, 1]
    mean, k, rho = x.mean(axis=1), 5, 1 / 5
    error = x.std(axis=1, ddof=1) * math.sqrt(1 / k + rho / (1 - rho))
    unit = math.sqrt((mean**2).mean())
    expected = stats.norm.logpdf(v["delta0"], 0, 2) + stats.halfnorm.logpdf(v["sigma0"], scale=2)
    expected += stats.gamma.logpdf(v["nu_minus_one"], 2, scale=10)
    expected += stats.gamma.logpdf(v["u"], 2, scale=1 / 2).sum()
    assert prior == pytest.approx(float(expected))
    np.testing.assert_allclose(
        likelihood,
        [
            log_t_plus_normal(v, unit, m, e)
            for m, e in zip(mean, error / v["u"] ** 0.5, strict=True)
        ],
        rtol=1e-6,
    )
    population = stats.t(v["nu"], unit * v["delta0"], unit * v["sigma0"])
    edge = rope or 0.0
    theta = [population.sf(edge), population.cdf(edge) - population.cdf(-edge)]
    theta = [*theta, population.cdf(-edge)] if rope else [theta[0], population.cdf(0.0)]
    np.testing.assert_allclose(v["theta"], theta, rtol=1e-6)
    labels = ("A>B", "A=B", "B>A") if rope else ("A>B", "B>A")
    assert model.coords["statement"] == labels


def log_t_plus_normal(v: Point, unit: float, x: float, error: float) -> float:
    """Log density of Student-t plus normal noise, by integrating over the first."""
    population = stats.t(v["nu"], unit * v["delta0"], unit * v["sigma0"])
    points = sorted([float(unit * v["delta0"]), float(x)])
    found, _ = integrate.quad(
        lambda delta: population.pdf(delta) * stats.norm.pdf(x, delta, error),
        x - 12 * error,
        x + 12 * error,
        points=points,
        epsabs=0.0,
        epsrel=1e-10,
        limit=400,
    )
    return math.log(found)


@pytest.mark.slow
@pytest.mark.parametrize("nu", [1.1, 4.0, 30.0, 150.0, 600.0])
def test_hierarchical_t_integrates_well_over_all_tails(nu):
    mixture = function_of("hierarchical_t", "mixture")
    v = {"nu": nu, "delta0": np.array(0.3), "sigma0": np.array(1.0)}
    for x in (0.3, 2.0, -6.0):
        for error in (1e-3, 0.5, 20.0):
            at = (np.array(y) for y in (x, 0.3, 1.0, nu, error))
            found = np.logaddexp.reduce(mixture(*at))
            assert found == pytest.approx(log_t_plus_normal(v, 1.0, x, error), abs=1e-7)
    # Forty scales away, where light tails have nothing.
    at = (np.array(y) for y in (-40.0, 0.3, 1.0, nu, 0.5))
    expected = log_t_plus_normal(v, 1.0, -40.0, 0.5)
    assert np.logaddexp.reduce(mixture(*at)) == pytest.approx(expected, abs=1e-3)


def test_hierarchical_t_takes_folds_of_repeated_cross_validation_and_unequal_replicates():
    results = crossvalidated()
    frame = results.to_frame()
    frame = frame[~((frame["dataset"] == "d0") & (frame["replicate"] == "4"))]
    fewer = bc.Results.from_frame(frame, replicate="replicate", measures=results.spec)
    model = ModelFile("hierarchical_t", priors={"folds": 10}).model(fewer)
    v, _, likelihood = evaluate(model)
    assert np.isfinite(likelihood).all()
    cells = fewer.data["accuracy"].transpose("dataset", "algorithm", "replicate").values
    x = (cells[0, 0] - cells[0, 1])[:4]
    whole = cells[:, 0] - cells[:, 1]
    unit = math.sqrt((np.nanmean(whole, axis=1) ** 2).mean())
    error = x.std(ddof=1) * math.sqrt((1 / 4 + 0.1 / 0.9) / v["u"][0])
    assert likelihood[0] == pytest.approx(log_t_plus_normal(v, unit, x.mean(), error))


def test_covariates_is_its_formula():
    results, model = built("covariates")
    v, prior, likelihood = evaluate(model)
    expected = stats.norm.logpdf(v["intercept"], 0, 1.5) + stats.halfnorm.logpdf(v["tau"])
    assert prior == pytest.approx(float(expected + stats.norm.logpdf(v["z"]).sum()))
    x = np.arange(9.0) ** 2
    logit = v["intercept"] + v["tau"] * v["z"][0] * (x - x.mean()) / x.std()
    p = 1 / (1 + np.exp(-logit))
    np.testing.assert_allclose(v["p"], p)
    first, second = results.values()[:, :, 0].T
    won = np.where(first == second, 0.5, first > second)
    np.testing.assert_allclose(likelihood, won * np.log(p) + (1 - won) * np.log(1 - p))
    average = 1 / (1 + math.exp(-v["intercept"]))
    np.testing.assert_allclose(v["better"], [[0.5, average], [1 - average, 0.5]])


def test_a_tie_is_half_a_win_and_no_covariate_a_sign_test():
    results = table(np.array([[[1.0], [0.9]], [[0.0], [0.5]], [[2.0], [1.0]]]), rope=0.1)
    model = ModelFile("covariates").model(results)
    assert model.rvs_to_values[model["win"]].eval().tolist() == [0.5, 0.0, 1.0]
    assert [rv.name for rv in model.free_RVs] == ["intercept"]


@pytest.mark.parametrize("name", few_quick(MODELS, 5))
def test_one_number_per_dataset_and_predictions_like_the_data(name):
    results, model = built(name)
    (outcome,) = model.observed_RVs
    assert evaluate(model)[2].shape == (len(results.datasets),)
    observed = model.rvs_to_values[outcome].eval()
    drawn = pm.draw(outcome, draws=40, random_seed=1, mode=FAST)
    assert drawn.shape == (40, *observed.shape)
    assert drawn.dtype == observed.dtype
    assert len(np.unique(drawn.reshape(40, -1), axis=0)) > 20, "draws must differ"
    if name in ("dirichlet_hyperprior", "logistic_normal"):
        assert set(np.unique(drawn)) <= {0, 1, 2, 3}
    if name in ("plackett_luce", "thurstone"):
        np.testing.assert_array_equal(np.sort(drawn, axis=2)[..., 0], [[[1, 2, 3, 4]] * 7] * 40)
    if name == "bradley_terry":
        assert set(np.unique(drawn)) == {0, 1, 2}
    if name == "covariates":
        assert set(np.unique(drawn)) == {0.0, 1.0}


def test_draws_follow_the_likelihood():
    """Frequencies of simulated outcomes are the exponentiated densities."""
    rng, n = np.random.default_rng(2), 40_000
    cases = [
        ("plackett_luce", np.array([[0.5], [0.0], [-1.0]])),
        ("bradley_terry", np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])),
        ("covariates", np.array(0.7)),
    ]
    for name, parameter in cases:
        drawn = function_of(name, "draw")(parameter, rng=rng, size=(n,))
        outcomes, counts = np.unique(drawn, axis=0, return_counts=True)
        logp = function_of(name, "logp")
        density = [
            float(logp(pt.constant(y), pt.constant(parameter)).eval(mode=FAST)) for y in outcomes
        ]
        np.testing.assert_allclose(np.exp(density).sum(), 1.0, err_msg=name)
        np.testing.assert_allclose(counts / n, np.exp(density), atol=0.01, err_msg=name)


@pytest.mark.parametrize("name", few_quick(MODELS, 5))
def test_a_number_is_a_prior_of_every_parameter(name):
    """Known parameters: nothing of them is left to learn, and the model is built all the same."""
    taken = bc.methods.describe(name)["default"]
    known = dict.fromkeys(taken[taken != ""].index, 0.5)
    assert known
    _, model = built(name, **known)
    assert not {rv.name for rv in model.free_RVs} & known.keys()
    assert np.isfinite(evaluate(model)[2]).all()


def test_a_prior_by_measure_gives_each_its_own_spread():
    spread = {"sigma": lambda name, dims: pm.HalfNormal(name, 1.0, dims=dims)}
    _, model = built("plackett_luce", **spread)
    assert model.named_vars_to_dims["sigma"] == ("measure",)
    v, _, _ = evaluate(model)
    mean = np.diag(v["sigma"] ** 2) + v["strength"].T @ v["strength"]
    assert v["omega"][0, 1] == pytest.approx(mean[0, 1] / math.sqrt(mean[0, 0] * mean[1, 1]))


BAD: list[tuple[str, Callable[[], bc.Results], dict[str, Any], str]] = [
    ("bradley_terry", lambda: two(2), {}, "one measure is judged here, not 2"),
    ("covariates", several, {}, "two algorithms and one measure are compared here, not 3 and 1"),
    ("covariates", lambda: two(2), {}, "not 2 and 2"),
    ("covariates", two, {"covariates": {"x": {"d0": 1.0}}}, "no row for d1, d2"),
    (
        "covariates",
        two,
        {"covariates": {"x": dict.fromkeys((f"d{i}" for i in range(9)), 1.0)}},
        "covariate 'x' is missing somewhere, infinite or constant",
    ),
    ("hierarchical_t", crossvalidated, {"folds": 1}, "folds=1: there are at least two"),
    ("plackett_luce", several, {}, "a rope makes no order of many algorithms"),
    ("plackett_luce", two, {"sgima": 1.0}, "Did you mean 'sigma'"),
    ("thurstone", several, {}, "a rope makes no order of many algorithms"),
    ("item_response", several, {}, "abilities have no rope"),
    ("multivariate_normal", several, {}, "two algorithms are compared here, not 3"),
    ("multivariate_normal", constant_gap, {}, "'m1': the difference is 0.5 on every dataset"),
    ("spike_and_slab", several, {}, "two algorithms are compared here, not 3"),
    ("spike_and_slab", constant_gap, {}, "'m1': the difference is 0.5 on every dataset"),
    ("logistic_normal", two, {"sigma": -1.0}, "must be finite and > 0"),
]


@pytest.mark.parametrize(("name", "make", "priors", "words"), BAD)
def test_bad_input_is_told(name, make, priors, words):
    with pytest.raises(bc.BayescompareError) as caught:
        bc.compare(make(), method=ModelFile(name, priors=priors))
    assert words in str(caught.value)
    if "must be" not in words:
        assert f"{name}.py" in str(caught.value)


def test_three_algorithms_to_the_hierarchical_t_is_told():
    results = crossvalidated()
    frame = results.to_frame()
    third = frame[frame["algorithm"] == "A"].assign(algorithm="C")
    three = bc.Results.from_frame(
        pd.concat([frame, third]), replicate="replicate", measures=results.spec
    )
    with pytest.raises(bc.BayescompareError, match=r"hierarchical_t\.py, line \d+: .*not 3 and 1"):
        bc.compare(three, method="hierarchical_t")
    with pytest.raises(bc.BayescompareError, match="needs replicates"):
        bc.compare(two(), method="hierarchical_t")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_says_what_its_parameters_mean(name):
    """And over which dims they are: those that a function f(name, dims) receives."""
    described = bc.methods.describe(name)
    assert described.columns.tolist() == ["dims", "default", "meaning"]
    assert all(text.endswith(".") for text in described["meaning"]), described["meaning"]
    received: dict[str, str] = {}

    def asked(parameter: str, dims: tuple[str, ...]) -> Any:
        received[parameter] = ", ".join(dims)
        return pm.Beta(parameter, 2.0, 2.0)

    learned = described[described["default"] != ""]
    built(name, **dict.fromkeys(learned.index, asked))
    assert received == learned["dims"].to_dict()
