"""The Bayesian bootstrap of dominance as a PyMC model: weights, opt, predictions and priors."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import GSDBootstrap
from bayescompare.methods.gsd.model import WorstGains, optimum_of
from tests.methods.context.test_posterior import close, converged, same_shape, share_close
from tests.methods.gsd.cases import Naive, ask, made
from tests.oracles.context import near, shares_near

QUIET: dict[str, Any] = {"progressbar": False, "cores": 1}
QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}
PAIR = ["GBM", "GLM"]
pytestmark = pytest.mark.filterwarnings("ignore:Numba will use object mode")


@pytest.fixture(scope="module")
def answered(uci: bc.Results) -> Any:
    return ask(uci, GSDBootstrap(delta=0), algorithms=PAIR, rng=1)


# ------------------------------------------------------------------------------------------- opt


@pytest.mark.parametrize("kind", ["metric", "ordinal", "mixed"])
def test_opt_in_the_model_by_brute_force(kind: str) -> None:
    results, delta = made(kind, 61), 0.01
    model = GSDBootstrap(delta=delta).model(results)
    naive = Naive(results, "A", "B")
    weights = np.random.default_rng(1).dirichlet(np.ones(4), size=3)
    for weight in weights:
        opt = pm.draw(pm.do(model, {"weight": weight})["opt"], **QUICK)
        expected = naive.weighted(weight, min(delta, naive.largest()))
        np.testing.assert_allclose(opt, expected, atol=1e-8)


def test_the_derivative_of_opt(answered: Any) -> None:
    """opt is piecewise linear in the weights, and homogeneous: its gradient gives it back."""
    pair = answered.method.pair(answered.results)
    weight = pt.dvector("weight")
    opt = optimum_of(pair, weight)
    both = pytensor.function([weight], [opt, pt.grad(opt[0], weight)], **QUICK)
    rng = np.random.default_rng(2)
    for _ in range(5):
        at, step = rng.dirichlet(np.ones(16)), 1e-7 * rng.normal(size=16)
        (value, gradient), (ahead, _) = both(at), both(at + step)
        assert gradient @ at == pytest.approx(value[0], abs=1e-9)
        assert ahead[0] - value[0] == pytest.approx(gradient @ step, abs=1e-12)


def test_the_op_goes_to_another_process(answered: Any) -> None:
    op = WorstGains(answered.method.pair(answered.results))
    weight = np.full(16, 1 / 16)
    before = op(pt.as_tensor(weight)).eval(**QUICK)
    again = pickle.loads(pickle.dumps(op))
    np.testing.assert_allclose(again(pt.as_tensor(weight)).eval(**QUICK), before, atol=1e-9)


# ---------------------------------------------------------------------------------------- the model


@pytest.mark.parametrize("concentration", [0.5, 1.0, 3.0])
def test_prior_and_likelihood_make_a_dirichlet(uci: bc.Results, concentration: float) -> None:
    """Whatever the weights, the log density is that of Dirichlet(c) but for a constant."""
    results = uci.sel(algorithms=PAIR)
    model = GSDBootstrap(concentration=concentration).model(results, "nuts")
    (rv,) = model.free_RVs
    value, transform = model.rvs_to_values[rv], model.rvs_to_transforms[rv]
    density = model.compile_logp(jacobian=False, **QUICK)
    rng, apart = np.random.default_rng(1), []
    for _ in range(3):
        weight = rng.dirichlet(np.ones(16))
        point = transform.forward(pt.as_tensor(weight), *rv.owner.inputs).eval(**QUICK)
        expected = stats.dirichlet.logpdf(weight, np.full(16, concentration))
        apart.append(float(density({value.name: point})) - expected)
    np.testing.assert_allclose(apart, apart[0], atol=1e-8)


def test_trees_have_the_groups_of_the_others(uci: bc.Results) -> None:
    sample, over = ("chain", "draw"), ("chain", "draw", "dataset")
    for concentration in (1.0, 2.0):
        method = GSDBootstrap(delta=0, resamples=5, concentration=concentration)
        c = ask(uci, method, algorithms=PAIR, rng=0)
        tree = c.draws(40, chains=2, rng=1)
        weights = {"weight": over, "opt": (*sample, "direction")}
        groups: dict[str, dict[str, tuple[str, ...]]] = {
            "posterior": weights,
            "posterior_predictive": {"drawn": over},
            "log_likelihood": {"drawn": over},
            "log_prior": {"weight": sample},
            "observed_data": {"drawn": ("dataset",), "observed_opt": ("direction",)},
            "constant_data": {"share": ("dataset",)},
        }
        if concentration > 1:
            groups |= {"prior": weights, "prior_predictive": {"drawn": over}}
        assert set(tree.children) == set(groups)
        for group, variables in groups.items():
            data = tree[group].to_dataset()
            assert {str(k): v.dims for k, v in data.data_vars.items()} == variables, group
            assert data.get("dataset", xr.DataArray(list(uci.datasets))).values.tolist() == list(
                uci.datasets
            )
        weight = tree["posterior"]["weight"].values
        np.testing.assert_allclose(tree["log_likelihood"]["drawn"], np.log(weight))
        drawn = tree["posterior_predictive"]["drawn"].values
        assert drawn.min() >= 0
        assert drawn.max() <= 15


def test_datasets_are_drawn_by_the_weights(answered: Any) -> None:
    tree = answered.draws(150, chains=2, rng=3)
    weight = tree["posterior"]["weight"].values
    drawn = tree["posterior_predictive"]["drawn"].values
    for k in (0, 15):
        assert near((drawn == k).mean(axis=-1) - weight[..., k], 0.0)
    made_ = pm.sample_posterior_predictive(
        tree,
        model=answered.method.model(answered.results, "nuts"),
        random_seed=1,
        progressbar=False,
        compile_kwargs=QUICK,
    )["posterior_predictive"]["drawn"].values
    assert near((made_ == 3).mean(axis=-1) - weight[..., 3], 0.0)


def test_there_are_no_draws_from_haldanes_prior(answered: Any) -> None:
    for name in ("weight", "opt", "drawn"):
        with pytest.raises(BayescompareError, match=r"Haldane.*concentration"):
            pm.draw(answered.model()[name], random_seed=1, **QUICK)
    even = pm.do(answered.model(), {"weight": np.full(16, 1 / 16)})
    np.testing.assert_allclose(
        pm.draw(even["opt"], **QUICK),
        answered.draws(1, chains=1, rng=0)["observed_data"]["observed_opt"],
        atol=1e-9,
    )


def test_loo_and_evidence_are_impossible_and_it_is_said(answered: Any) -> None:
    with pytest.raises(BayescompareError, match="not seen has no weight") as refused:
        answered.loo()
    assert "dirichlet" in str(refused.value)
    with pytest.raises(BayescompareError, match="depends on their number alone"):
        _ = answered.log_evidence
    assert not {"loo", "log_evidence"} & set(dir(answered))
    assert {"model", "sample", "plan", "check", "sensitivity"} <= set(dir(answered))
    assert "greatest k-hat" not in answered.diagnose(answered.draws(100, rng=1)).figures


@pytest.mark.slow
def test_another_concentration_is_another_dirichlet(uci: bc.Results) -> None:
    shares = {}
    for concentration in (0.75, 1.0, 5.0):
        method = GSDBootstrap(delta=0, concentration=concentration, resamples=400)
        c = ask(uci, method, algorithms=PAIR, rng=1)
        tree = c.draws(100, chains=4, rng=1)
        weight = tree["posterior"]["weight"].values
        variance = (1 / 16) * (15 / 16) / (16 * concentration + 1)
        assert near((weight[..., 2] - 1 / 16) ** 2, variance)
        first = tree["posterior"]["opt"].values[..., 0] >= -1e-9
        shares[concentration] = float(c.probability[0])
        assert abs(first.mean() - shares[concentration]) < 4 * math.sqrt(0.25 / 400 + 0.25 / 400)
    # The narrower the weights around equal ones, the surer the order that the data have.
    assert shares[0.75] < shares[1.0] < shares[5.0]


# ------------------------------------------------------------------------------ weight of the prior


@pytest.mark.slow
def test_sensitivity_and_plan(uci: bc.Results) -> None:
    c = ask(uci, GSDBootstrap(delta=0, resamples=300), algorithms=PAIR, rng=1)
    table = c.sensitivity([0.5, 1.0, 4.0])
    assert table.index.name == "concentration"
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    assert table["GBM>GLM"].is_monotonic_increasing
    plan = c.plan([8, 80], simulations=8, rng=1)
    assert (plan["settled_on_best"] <= plan["settled"]).all()
    assert plan["settled"].iloc[1] >= plan["settled"].iloc[0] - 0.3
    again = c.plan([8, 80], simulations=8, rng=1)
    np.testing.assert_array_equal(plan, again)


def test_the_check_looks_at_opt_of_tables_drawn_again(answered: Any) -> None:
    tree = answered.draws(40, chains=2, rng=2)
    found = answered.check(tree)
    assert found.index.tolist() == ["opt of GBM>GLM", "opt of GLM>GBM"]
    np.testing.assert_allclose(found["observed"], tree["observed_data"]["observed_opt"])
    # By a cold solve: the mean over tables of sixteen datasets, drawn with replacement.
    pair = answered.method.pair(answered.results)
    drawn = tree["posterior_predictive"]["drawn"].values.reshape(-1, 16)
    times = np.array([np.bincount(row, minlength=16) for row in drawn]) / 16
    opt = [pair.solver.optimum(w, 0.0).value for w in pair.system.objective(times)]
    assert found["predicted"].iloc[0] == pytest.approx(np.mean(opt), abs=1e-9)
    with pytest.raises(BayescompareError, match="improper at concentration <= 1"):
        answered.check(tree, prior=True)


def test_swapping_mirrors_draws_and_model(uci: bc.Results) -> None:
    c, d = (
        ask(uci, GSDBootstrap(delta=0, resamples=300), algorithms=names, rng=1)
        for names in (PAIR, PAIR[::-1])
    )
    one, two = (x.draws(50, chains=2, rng=2)["posterior"]["opt"].values for x in (c, d))
    np.testing.assert_allclose(one, two[..., ::-1], atol=1e-9)
    held = [dict(zip(x.answer.labels, x.probability.values, strict=True)) for x in (c, d)]
    assert held[0]["GBM>GLM"] == held[1]["GBM>GLM"]
    assert held[0]["GBM~GLM"] == held[1]["GLM~GBM"]
    weight = np.random.default_rng(1).dirichlet(np.ones(16))
    opts = [pm.draw(pm.do(x.model(), {"weight": weight})["opt"], **QUICK) for x in (c, d)]
    np.testing.assert_allclose(opts[0], opts[1][::-1], atol=1e-9)


# ------------------------------------------------------------------------------------------ priors


@pytest.mark.parametrize(
    ("choices", "needed"),
    [
        ({"concentration": 0}, "concentration=0"),
        ({"concentration": -1.0}, "concentration=-1.0"),
        ({"concentration": "wide"}, "concentration='wide'"),
        ({"concentration": True}, "concentration=True"),
        ({"priors": {"weight": 0.5}}, "priors['weight'] is a number"),
        ({"priors": {"weights": pm.Dirichlet.dist(np.ones(16))}}, "no such parameter"),
        ({"priors": {"weight": np.ones(16)}}, "priors['weight']"),
        (
            {"priors": {"weight": pm.Dirichlet.dist(np.ones(16))}, "concentration": 2.0},
            "replaces concentration=2.0",
        ),
        ({"priors": {"weight": pm.Dirichlet.dist(np.ones(3))}}, "one parameter for each"),
        ({"priors": {"weight": pm.Beta.dist(1, 1)}}, "vector over the 16 datasets"),
        ({"priors": {"weight": pm.Normal.dist(0, 1, shape=16)}}, "priors['weight']"),
        ({"priors": {"weight": pm.Flat.dist(shape=16)}}, "priors['weight']"),
        (
            {"priors": {"weight": lambda name, dims: pm.Dirichlet(name, np.ones(5))}},
            "one element for each of the 16 datasets",
        ),
        ({"priors": {"weight": lambda name, dims: 0.5}}, "registered no variable"),
    ],
)
def test_bad_choices(uci: bc.Results, choices: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)) as refused:
        bc.compare(uci, method=GSDBootstrap(resamples=5, **choices), algorithms=PAIR, rng=0)
    assert "\n" not in str(refused.value)


def test_a_dirichlet_prior_of_the_weights_stays_conjugate(uci: bc.Results) -> None:
    alpha = np.linspace(0.2, 3.0, 16)
    method = GSDBootstrap(delta=0, resamples=50, priors={"weight": pm.Dirichlet.dist(alpha)})
    c = ask(uci, method, algorithms=PAIR, rng=1)
    tree = c.draws(120, chains=4, rng=1)
    weight = tree["posterior"]["weight"].values
    for k in (0, 9, 15):
        assert near(weight[..., k], (1 + alpha[k]) / (16 + alpha.sum()))
        assert near(tree["prior"]["weight"].values[..., k], alpha[k] / alpha.sum())
    even = GSDBootstrap(delta=0, resamples=50, priors={"weight": pm.Dirichlet.dist(np.ones(16))})
    same = ask(uci, GSDBootstrap(delta=0, resamples=50, concentration=2.0), algorithms=PAIR, rng=1)
    np.testing.assert_array_equal(
        ask(uci, even, algorithms=PAIR, rng=1).probability, same.probability
    )


def test_a_prior_for_nuts_says_what_it_lacks(uci: bc.Results) -> None:
    def logistic(name: str, dims: tuple[str, ...]) -> Any:
        return pm.Deterministic(name, pm.math.softmax(pm.Normal("z", shape=16)), dims=dims)

    method = GSDBootstrap(delta=0, priors={"weight": logistic})
    results = uci.sel(algorithms=PAIR)
    assert method.needs_mcmc
    unasked: Any = None
    asked = method.posterior_type(method, results, unasked)
    for call in (lambda: asked.draws(5, 1, np.random.default_rng(0)), asked.grown):
        with pytest.raises(BayescompareError, match=r"NUTS|sample"):
            call()


# --------------------------------------------------------------------------------------------- NUTS


@pytest.mark.slow
@pytest.mark.parametrize("concentration", [0.75, 1.0, 2.0])
def test_the_bootstrap_under_nuts(uci: bc.Results, concentration: float) -> None:
    method = GSDBootstrap(delta=0, concentration=concentration, resamples=20_000)
    c = ask(uci, method, algorithms=PAIR, rng=1)
    tree = c.sample(1500, chains=4, rng=2, **QUIET)
    converged(tree, ["weight", "opt"])
    same_shape(tree, c.draws(5, chains=1, rng=0))
    opt = tree["posterior"]["opt"].transpose("chain", "draw", "direction").values
    first, second = opt[..., 0] >= -1e-9, opt[..., 1] >= -1e-9
    held = {"GBM>GLM": first & ~second, "GBM~GLM": ~first & ~second, "GLM>GBM": second & ~first}
    for label, p in zip(c.answer.labels, c.probability.values, strict=True):
        if 0 < p < 1:
            share_close(held[label], float(p))
    exact = c.draws(5000, chains=4, rng=3)["posterior"]
    for k in range(2):
        close(opt[..., k], float(exact["opt"].values[..., k].mean()))
    weight = tree["posterior"]["weight"].transpose("chain", "draw", "dataset").values
    variance = (1 / 16) * (15 / 16) / (16 * concentration + 1)
    for k in range(16):
        close(weight[..., k], 1 / 16)
        close((weight[..., k] - 1 / 16) ** 2, variance)
    assert ("prior" in tree) == (concentration > 1)


@pytest.mark.slow
def test_a_prior_of_ones_own_under_nuts(uci: bc.Results) -> None:
    """Dirichlet(2) written as gammas over their sum: NUTS must find Dirichlet(3)."""

    def gammas(name: str, dims: tuple[str, ...]) -> Any:
        g = pm.Gamma("g", 2.0, 1.0, shape=16)
        return pm.Deterministic(name, g / g.sum(), dims=dims)

    sampler = {"draws": 1000, "chains": 4, **QUIET}
    c: Any = bc.compare(
        uci,
        method=GSDBootstrap(delta=0, priors={"weight": gammas}),
        algorithms=PAIR,
        rng=5,
        sampler=sampler,
    )
    exact = ask(
        uci, GSDBootstrap(delta=0, concentration=3.0, resamples=20_000), algorithms=PAIR, rng=1
    )
    gap = np.abs(c.probability.values - exact.probability.values)
    np.testing.assert_array_less(gap, 4 * (c.mcse.values + exact.mcse.values) + 1e-12)
    assert not c.exact
    rhat = az.rhat(c.tree["posterior"].to_dataset()[["weight", "opt"]])
    assert max(float(v.max()) for v in rhat.data_vars.values()) < 1.01
    assert {"prior", "prior_predictive", "posterior_predictive"} <= set(c.tree.children)
    assert shares_near(
        c.tree["prior"]["weight"].values[..., 0] > 1 / 16,
        float(stats.beta.sf(1 / 16, 2, 30)),
    )
