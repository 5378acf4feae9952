"""Priors of the user's: every kind of value works or is told in one line; off the range is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import preliz as pz
import pymc as pm
import pytensor.tensor as pt
import pytest
from scipy import stats

import bayescompare as bc
from bayescompare.methods._shared.priors import (
    check_prior_support,
    check_priors,
    describe_prior,
    log_density_of,
    place_prior,
)
from bayescompare.modelling import observe_statements, prior, statement_table
from bayescompare.outcome.method import Parameter
from tests.tables import table

#: Nothing is worth compiling for one call.
QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}

LABELS = ("A>B|A>B", "A>B|B>A", "B>A|A>B", "B>A|B>A")


@pytest.fixture(scope="module")
def results() -> bc.Results:
    return bc.load_example("benavoli-example1")


def logp_of(value: Any, point: Any, dims: tuple[str, ...] = ()) -> float:
    """Log density of a placed prior at a point of its own scale."""
    with pm.Model(coords={"statement": LABELS}):
        placed = place_prior("x", value, dims)
    return float(np.sum(pm.logp(placed, point).eval(**QUICK)))


# kinds of values ----------------------------------------------------------------------------------


def test_a_mixture_is_one_distribution():
    value = pm.Mixture.dist([0.3, 0.7], [pm.Gamma.dist(2, 1), pm.Gamma.dist(9, 3)])
    expected = np.log(0.3 * stats.gamma.pdf(1.7, 2) + 0.7 * stats.gamma.pdf(1.7, 9, scale=1 / 3))
    assert logp_of(value, 1.7) == pytest.approx(expected)
    assert logp_of(value, 1.7) == pytest.approx(expected)  # the original stays free
    assert describe_prior(value).startswith("Mixture(")


def test_a_mixture_is_computed_in_double_precision():
    """Parameters typed as 2 or 5 would be taken for single precision, and their logs too."""
    points = np.linspace(0.05, 0.95, 7)
    value = pm.Mixture.dist([0.3, 0.7], [pm.Beta.dist(2, 2), pm.Beta.dist(5, 1)])
    density = log_density_of("mu", value)
    parts = 0.3 * stats.beta.pdf(points, 2, 2) + 0.7 * stats.beta.pdf(points, 5, 1)
    assert density(points) == pytest.approx(np.log(parts), rel=1e-13, abs=1e-13)


def _fails(name: str, dims: tuple[str, ...]) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pm.Gamma, r"priors\['alpha'\] is the class Gamma: .*pm\.Gamma\.dist\(2, 1\)"),
        (_fails, r"priors\['alpha'\]: the function failed as f\(name='alpha'.*RuntimeError: boom"),
        (lambda: 1.0, r"priors\['alpha'\]: the function failed .*TypeError"),
        (lambda name, dims: pm.Gamma(name, 2, 1, shape=3), r"priors\['alpha'\] has shape \(3,\)"),
        (pm.Gamma.dist(2, 1, shape=3), r"shape \(3,\): .*one element for each of the 4 statements"),
        (pm.Gamma.dist(-2, 1), r"priors\['alpha'\] is Gamma\(-2.*finite and above 0"),
        (pm.HalfNormal.dist(-1), r"priors\['alpha'\] is HalfNormal\(.*finite and above 0"),
        (pm.Gamma.dist(np.inf, 1), r"priors\['alpha'\] is Gamma\(inf.*finite and above 0"),
        (pm.HurdleGamma.dist(0.8, 2, 1), r"priors\['alpha'\] is Hurdle\(.*at a single value"),
    ],
)
def test_what_pymc_would_refuse_is_told_in_one_line(
    results: bc.Results, value: Any, words: str
) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(results, method=bc.methods.Dirichlet(priors={"alpha": value}))


def test_a_probability_vector_is_no_number() -> None:
    theta = Parameter("theta", ("statement",), "", "", high=1.0, simplex=True)
    with pm.Model() as model:
        pm.Beta("theta", 2, 2)
    with pytest.raises(bc.BayescompareError, match=r"one number at a time.*Dirichlet"):
        check_prior_support({"theta": pm.Beta.dist(2, 2)}, [theta], model)


@pytest.mark.parametrize("wrong", ["weights", "component"])
def test_a_mixture_with_something_random_inside_is_told(wrong):
    weights = pm.Dirichlet.dist([1.0, 1.0]) if wrong == "weights" else [0.5, 0.5]
    shape = pm.Gamma.dist(1, 1) if wrong == "component" else 2.0
    value = pm.Mixture.dist(weights, [pm.Gamma.dist(shape, 1), pm.Gamma.dist(9, 3)])
    with pytest.raises(bc.BayescompareError, match=r"with another distribution .*function f\(name"):
        logp_of(value, 1.0)


def test_a_mixture_of_mixtures_and_a_truncated_one():
    inner = pm.NormalMixture.dist([0.5, 0.5], [1.0, 2.0], 0.1)
    outer = pm.Mixture.dist([0.5, 0.5], [inner, pm.Normal.dist(0, 1)])
    expected = np.log(
        0.25 * (stats.norm.pdf(1.1, 1, 0.1) + stats.norm.pdf(1.1, 2, 0.1))
        + 0.5 * stats.norm.pdf(1.1)
    )
    assert logp_of(outer, 1.1) == pytest.approx(expected)
    cut = pm.Truncated.dist(pm.Gamma.dist(2, 1), upper=3)
    expected = stats.gamma.logpdf(1.5, 2) - stats.gamma.logcdf(3, 2)
    assert logp_of(cut, 1.5) == pytest.approx(expected)
    assert describe_prior(cut).startswith("Truncated")


def test_stick_breaking_weights_are_a_prior_of_theta(results):
    value = pm.StickBreakingWeights.dist(alpha=1.0, K=3)
    method = bc.methods.Dirichlet(priors={"theta": value})
    model = method.model(results)
    check_prior_support(method.nonconjugate_priors, method.parameters, model)
    assert "theta" in model.named_vars
    assert np.isfinite(model.compile_logp(**QUICK)(model.initial_point()))
    short = bc.methods.Dirichlet(priors={"theta": pm.StickBreakingWeights.dist(alpha=1.0, K=2)})
    with pytest.raises(bc.BayescompareError, match=r"priors\['theta'\].*4 statements"):
        bc.compare(results, method=short)


@pytest.mark.parametrize("name", ["theta", "alpha"])
def test_a_zero_sum_normal_is_refused_where_it_leaves_the_range(results, name):
    value = pm.ZeroSumNormal.dist(sigma=1.0, shape=4)
    method = bc.methods.Dirichlet(priors={name: value})
    with pytest.raises(bc.BayescompareError, match=rf"priors\['{name}'\].*outside the range"):
        bc.compare(results, method=method)


def test_a_zero_sum_normal_is_placed_where_a_location_is_asked_for():
    value = pm.ZeroSumNormal.dist(sigma=2.0, shape=4)
    with pm.Model(coords={"statement": LABELS}) as model:
        prior("shift", value, ["statement"], positive=False)
    assert model.named_vars_to_dims["shift"] == ("statement",)
    assert pm.draw(model["shift"], 5, random_seed=1).sum(axis=-1) == pytest.approx(0, abs=1e-9)


def test_a_frozen_dirichlet_of_preliz_stays_exact(results):
    alpha = [0.5, 1.0, 1.5, 2.0]
    c = bc.compare(results, method=bc.methods.Dirichlet(priors={"theta": pz.Dirichlet(alpha)}))
    same = bc.methods.Dirichlet(prior=dict(zip(LABELS, alpha, strict=True)))
    assert c.exact
    assert c.probability.values == pytest.approx(
        bc.compare(results, method=same).probability.values, abs=1e-12
    )
    assert describe_prior(pz.Dirichlet(alpha)) == "Dirichlet([0.5, 1.0, 1.5, 2.0])"
    assert describe_prior(pz.Gamma(2, 1)) == "Gamma(2.0, 1.0)"
    with pytest.raises(bc.BayescompareError, match=r"priors\['theta'\].*without parameters"):
        bc.compare(results, method=bc.methods.Dirichlet(priors={"theta": pz.Dirichlet()}))


@pytest.mark.parametrize("kind", [list, tuple, np.array, dict])
def test_a_vector_or_a_mapping_of_alpha_stays_exact(results, kind, tmp_path):
    alpha = [0.5, 1.0, 1.5, 2.0]
    given = dict(zip(LABELS, alpha, strict=True)) if kind is dict else kind(alpha)
    c = bc.compare(results, method=bc.methods.Dirichlet(priors={"alpha": given}))
    same = bc.methods.Dirichlet(prior=dict(zip(LABELS, alpha, strict=True)))
    expected = bc.compare(results, method=same)
    assert c.exact
    assert c.probability.values == pytest.approx(expected.probability.values, abs=1e-12)
    assert c.log_evidence == pytest.approx(expected.log_evidence)
    part = c.on(["accuracy"]).probability.values
    assert part == pytest.approx(expected.on(["accuracy"]).probability.values)
    c.to_json(tmp_path / "c.json")
    back = bc.load_comparison(tmp_path / "c.json")
    assert back.draws(10, rng=1)["posterior"]["theta"].values == pytest.approx(
        expected.draws(10, rng=1)["posterior"]["theta"].values
    )


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ({"alpha": [1.0, 2.0]}, r"priors: α has 2 parameter\(s\) for 4 statements"),
        ({"alpha": [1.0, -2.0, 1.0, 1.0]}, r"priors\['alpha'\]\[1\]=-2\.0: must be finite and > 0"),
        ({"alpha": {"A>B|A>B": 1.0}}, r"leaves 3 of 4 statements without α"),
        ({"alpha": {"A>B|A>B": 0.0, "*": 1.0}}, r"priors\['alpha'\]\['A>B\|A>B'\]=0\.0"),
        ({"alpha": []}, r"priors\['alpha'\]=\[\]: it is empty"),
        ({"strength": [1.0, 2.0]}, r"priors\['strength'\].*vector or mapping"),
        ({"theta": [0.1, 0.2, 0.3, 0.4]}, r"priors\['theta'\].*vector or mapping"),
        ({"strength": 0}, r"must be finite and > 0"),
        ({"strength": float("inf")}, r"must be finite and > 0"),
    ],
)
def test_wrong_vectors_and_numbers_are_told(results, priors, words):
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(results, method=bc.methods.Dirichlet(priors=priors))


# support ------------------------------------------------------------------------------------------


def unscaled(name: str, dims: tuple[str, ...]) -> Any:
    return pm.Deterministic(name, pm.Gamma("raw", 2, 1, shape=4), dims=dims)


def doubled(name: str, dims: tuple[str, ...]) -> Any:
    return pm.Deterministic(name, 0.5 * pm.Dirichlet("raw", np.ones(4)), dims=dims)


OFF = [
    ("Dirichlet", "theta", unscaled, "outside the range: theta lies between 0 and 1"),
    ("Dirichlet", "theta", doubled, r"not a probability vector: its sum is about 0\.5"),
    ("Dirichlet", "theta", pm.Uniform.dist(0, 1, shape=4), "not a probability vector"),
    ("Dirichlet", "alpha", pm.Normal.dist(1, 1), "alpha lies above 0"),
    ("Dirichlet", "strength", pm.Normal.dist(1, 1), "strength lies above 0"),
    ("Dirichlet", "strength", pm.Flat.dist(), "cannot be drawn from"),
    ("Network", "ess", pm.Normal.dist(0, 1), "ess lies above 0"),
]


@pytest.mark.parametrize(("method", "name", "value", "words"), OFF)
def test_a_prior_off_its_parameters_range_is_refused(results, method, name, value, words):
    with pytest.raises(bc.BayescompareError, match=rf"priors\['{name}'\].*{words}"):
        bc.compare(results, method=getattr(bc.methods, method)(priors={name: value}))


@pytest.mark.parametrize(
    ("method", "name", "value", "words"),
    [
        ("PoissonBinomial", "r", pm.Normal.dist(0.5, 1), "r lies between 0 and 1"),
        ("PoissonBinomial", "b", pm.Normal.dist(0, 1), "b lies above 0"),
        ("Hierarchical", "mu", pm.Uniform.dist(0, 2), "mu lies between 0 and 1"),
        ("Hierarchical", "phi", pm.Normal.dist(0, 1), "phi lies above 0"),
    ],
)
def test_so_is_one_of_a_context(method, name, value, words):
    options = {"joint": True} if method == "PoissonBinomial" else {}
    chosen = getattr(bc.methods, method)(priors={name: value}, **options)
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(bc.load_example("lacoste-svm-parzen"), method=chosen)


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        ("plackett_luce", "sigma", pm.Normal.dist(0, 1)),
        ("dirichlet_hyperprior", "concentration", pm.Normal.dist(0, 1)),
        ("logistic_normal", "rho", pm.Gamma.dist(2, 1)),
    ],
)
def test_so_is_one_of_a_bundled_model(results, model, name, value):
    method = bc.methods.ModelFile(model, priors={name: value})
    with pytest.raises(bc.BayescompareError, match=rf"priors\['{name}'\].*outside the range"):
        method.model(results)


def test_a_location_declares_its_range():
    shift = Parameter("shift", (), "Normal(0, 1)", "a location", low=-np.inf)
    check_priors({"shift": -2.0}, [shift])
    with pytest.raises(bc.BayescompareError, match=r"must be finite\."):
        check_priors({"shift": np.nan}, [shift])
    with pytest.raises(bc.BayescompareError, match="> 0"):
        check_priors({"scale": -2.0}, [Parameter("scale", (), "1", "a scale")])


def test_a_file_need_not_say_where_its_parameters_lie():
    """A location given as a distribution was always taken, and still is."""
    with pm.Model() as model:
        prior("shift", pm.Normal.dist(0, 1))
        with pytest.raises(bc.BayescompareError, match="scale lies above 0"):
            prior("scale", pm.Normal.dist(0, 1), positive=True)
    assert "shift" in model.named_vars


# split ties ---------------------------------------------------------------------------------------


def test_tied_datasets_are_observed_with_their_split_weights():
    values = np.array([[[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], [[0, 1.0], [1.0, 0]]])
    results = table(values)
    seen = statement_table(results)
    assert (seen.weights % 1 > 0).any()
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    coords = {"statement": seen.labels, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        observe_statements(pt.constant(theta), seen)
    outcome, place = model["outcome"], model["seen"].get_value()
    found = pm.logp(outcome, place).eval(**QUICK)
    assert found == pytest.approx(seen.weights @ np.log(theta))
    drawn = pm.draw(outcome, 4000, random_seed=1, **QUICK)
    shares = np.bincount(drawn.ravel(), minlength=4) / drawn.size
    assert shares == pytest.approx(theta, abs=4 * np.sqrt(0.25 / 12000))
    # A statement that nobody supports may have θ = 0.
    sure = np.array([1.0, 0.0, 0.0, 0.0])
    with pm.Model(coords=coords) as model:
        observe_statements(pt.constant(sure), seen)
    assert not np.isnan(pm.logp(model["outcome"], place).eval(**QUICK)).any()
    assert model.named_vars_to_dims["outcome"] == ("dataset",)


def test_no_recipe_rounds_split_weights():
    """Rounded down, a tied dataset's weights are all 0: no multinomial of one trial has that."""
    top = Path(__file__).parents[3]
    pages = [p for folder in ("docs", "models", "bayescompare") for p in (top / folder).rglob("*")]
    texts = [p.read_text(encoding="utf-8") for p in pages if p.suffix in (".md", ".py")]
    assert len(texts) > 100
    assert not [text for text in texts if "weights.astype(int)" in text]
