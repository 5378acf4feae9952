"""The PyMC model of replicates: densities by scipy, both forms under NUTS, PyMC's own tools.

Seeds and samplers are fixed. What is marked slow runs NUTS or SMC.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr
from scipy import stats
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import CorrelatedT
from bayescompare.methods.context.correlated_t import exchangeable_logp
from tests.methods.context.folds import ask, scores
from tests.methods.context.test_posterior import close, converged, same_shape, share_close
from tests.oracles.context import folds_frame

QUIET: dict[str, Any] = {"progressbar": False, "cores": 1}
#: Without compilation, for models that are evaluated once or twice.
QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}
ROPES = pytest.mark.parametrize("rope", [None, 0.01], ids=["two", "three"])
pytestmark = pytest.mark.filterwarnings("ignore:Numba will use object mode")


def asked(rope: float | None, **choices: Any) -> Any:
    return ask(scores(5, 6, seed=2), rope=rope, joint=True, **choices)


# ---------------------------------------------------------------------------------------- densities


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.7])
def test_replicates_are_normal_with_one_correlation(rho: float) -> None:
    rng = np.random.default_rng(1)
    x, mean, sigma = rng.normal(size=(3, 5)), rng.normal(size=3), np.array([0.5, 1.0, 2.0])
    present = np.ones((3, 5))
    present[1, 3:] = 0.0
    found = exchangeable_logp(
        *(pt.as_tensor(v) for v in (x, mean, sigma, np.full(3, rho), present))
    ).eval(**QUICK)
    for i, k in enumerate((5, 3, 5)):
        covariance = sigma[i] ** 2 * ((1 - rho) * np.eye(k) + rho)
        expected = stats.multivariate_normal.logpdf(x[i, :k], np.full(k, mean[i]), covariance)
        assert found[i] == pytest.approx(expected, abs=1e-10)


def test_integrating_means_and_spreads_out_leaves_the_evidence() -> None:
    """∫∫ N(x | μ, σ) dμ d log σ over each statement, by a sum over a grid, for every dataset."""
    c = asked(0.01)
    each = c.method.read(c.results)
    log_sigma = np.linspace(-7, 1, 161)
    for i in range(5):
        covariance = (1 - each.rho[i]) * np.eye(6) + each.rho[i]
        inverse, log_det = np.linalg.inv(covariance), np.linalg.slogdet(covariance)[1]
        _, location, scale = each.student
        mean = location[i] + scale[i] * np.sinh(np.linspace(-9, 9, 4001))
        apart = each.differences[i] - mean[:, None]
        q = np.einsum("mj,jk,mk->m", apart, inverse, apart)
        logs = -0.5 * (log_det + q[:, None] / np.exp(2 * log_sigma)) - 6 * log_sigma
        density = np.exp(logs - logs.max()).sum(axis=1) * np.gradient(mean)
        parts = [mean > 0.01, np.abs(mean) <= 0.01, mean < -0.01]
        shares = np.array([density[part].sum() for part in parts]) / density.sum()
        np.testing.assert_allclose(shares, each.evidence[i], atol=2e-3)


@ROPES
def test_the_marginal_form_is_prior_times_evidence(rope: float | None) -> None:
    c = asked(rope, b=1.5)
    model = c.model(form="nuts")
    theta = np.array([0.5, 0.2, 0.3] if rope else [0.8, 0.2])
    each = c.method.read(c.results)
    expected = stats.dirichlet.logpdf(theta, np.full(len(theta), 1.5))
    expected += np.log(each.evidence @ theta).sum()
    free = model["theta"] if rope else model["r"]
    at = theta if rope else theta[0]
    (value,) = (model.rvs_to_values[rv] for rv in model.free_RVs)
    point = model.rvs_to_transforms[free].forward(pt.as_tensor(at), *free.owner.inputs)
    found = model.compile_logp(jacobian=False, **QUICK)({value.name: point.eval(**QUICK)})
    assert float(found) == pytest.approx(expected, abs=1e-9)


def test_what_the_forms_have() -> None:
    """With a rope the model with means is none, and the form without them serves as both."""
    for rope, form, free, observed in (
        (None, "textbook", ["r", "advantage", "sigma"], "difference"),
        (None, "nuts", ["r"], "outcome"),
        (0.01, "textbook", ["theta"], "outcome"),
        (0.01, "nuts", ["theta"], "outcome"),
    ):
        model = asked(rope).model(form=form)
        assert [v.name for v in model.free_RVs] == free
        assert [v.name for v in model.observed_RVs] == [observed]
        assert model.named_vars_to_dims[observed][0] == "dataset"
        assert not model.potentials
    assert "ExchangeableNormal" in asked(None).model().str_repr()


# ---------------------------------------------------------------------------- PyMC's tools on them


def test_the_density_of_means_is_theirs_given_the_shares() -> None:
    """log p by scipy: r on one side and 1 − r on the other, flat in log σ, and the replicates."""
    c = asked(None)
    model, each = c.model(), c.method.read(c.results)
    advantage, sigma = np.array([0.01, -0.02, 0.03, 0.0004, -0.1]), np.linspace(0.01, 0.05, 5)
    given = {"r": np.array(0.7), "advantage": advantage, "sigma": sigma}
    point = {}
    for rv in model.free_RVs:
        value, transform = given[rv.name], model.rvs_to_transforms[rv]
        if transform is not None:
            value = transform.forward(pt.as_tensor(value), *rv.owner.inputs).eval(**QUICK)
        point[model.rvs_to_values[rv].name] = value
    found = model.compile_logp(jacobian=False, **QUICK)(point)
    mean, variance = each.moments
    top = 100.0 * np.abs(mean + each.student[2]).max()
    sd = np.sqrt(variance / (1 - each.rho))
    expected = np.log(np.where(advantage > 0, 0.7, 0.3) / top).sum()
    expected -= (np.log(sigma) + np.log(np.log(sd.max() / sd.min()) + 2 * np.log(1e6))).sum()
    for i in range(5):
        covariance = sigma[i] ** 2 * ((1 - each.rho[i]) * np.eye(6) + each.rho[i])
        mu = np.full(6, advantage[i])
        expected += stats.multivariate_normal.logpdf(each.differences[i], mu, covariance)
    assert float(found) == pytest.approx(expected, abs=1e-8)


def test_means_spreads_and_shares_can_be_set() -> None:
    set_ = {"advantage": np.arange(5.0), "sigma": np.full(5, 0.1)}
    drawn = pm.draw(pm.do(asked(None).model(), set_)["difference"], 400, random_seed=1, **QUICK)
    np.testing.assert_allclose(drawn.mean(axis=(0, 2)), np.arange(5.0), atol=0.02)
    np.testing.assert_allclose(drawn.std(axis=0), 0.1, atol=0.02)
    theta = np.array([0.7, 0.0, 0.3])
    even = pm.do(asked(0.01).model(form="nuts"), {"theta": theta})
    outcome = pm.draw(even["outcome"], 500, random_seed=1, **QUICK)
    np.testing.assert_allclose(outcome.mean(axis=(0, 1)), theta, atol=0.04)


def test_datasets_without_spread_are_refused_by_one_form_and_taken_by_the_other() -> None:
    frame = folds_frame([[0.1] * 4, [0.0] * 4, [0.1, 0.3, -0.1, 0.2]])
    c = ask(frame, joint=True)
    with pytest.raises(BayescompareError, match=r"equal on d0 and d1.*form='nuts'") as refused:
        c.model()
    assert "\n" not in str(refused.value)
    model = c.model(form="nuts")
    assert np.isfinite(model.compile_logp(**QUICK)(model.initial_point()))


def test_the_cut_has_no_model() -> None:
    c = ask(scores())
    for form in ("textbook", "nuts"):
        with pytest.raises(BayescompareError, match=r"joint=True.*draws\(\)"):
            c.model(form=form)
    with pytest.raises(BayescompareError, match=r"joint=True"):
        CorrelatedT().model(c.results, "nuts")


# ------------------------------------------------------------------------------------------- priors


@pytest.mark.parametrize(
    ("priors", "rope", "needed"),
    [
        ({"r": 0.5}, None, "priors['r'] is a number"),
        ({"theta": 0.5}, 0.01, "priors['theta'] is a number"),
        ({"b": -1.0}, None, "priors['b']=-1.0"),
        ({"b": [1.0, 2.0]}, None, "priors['b']"),
        ({"b": "wide"}, None, "priors['b']='wide'"),
        ({"s": 1.0}, None, "priors['s']: no such parameter"),
        ({"b": 1.0, "r": pm.Beta.dist(1, 1)}, None, "give one"),
        ({"r": pm.Beta.dist(2, 2)}, 0.01, "priors['theta']"),
        ({"theta": pm.Dirichlet.dist(np.ones(3))}, None, "priors['r']"),
        (
            {"theta": pm.Dirichlet.dist(np.ones(4))},
            0.01,
            "one element for each of the 3 statements",
        ),
        ({"theta": pm.Beta.dist(1, 1)}, 0.01, "vector over the 3 statements"),
        ({"theta": pm.Normal.dist(0, 1, shape=3)}, 0.01, "priors['theta']"),
        ({"r": pm.Normal.dist(0, 1)}, None, "outside"),
        ({"r": pm.Beta.dist(1, 1, shape=2)}, None, "priors['r']"),
        ({"b": lambda name, dims: 3.0}, None, "priors['b']"),
        ({"r": lambda name, dims: pm.Beta("other", 1, 1)}, None, "must use the name"),
        ({"b": pm.Normal.dist(0, 1)}, None, "outside"),
        ({"b": pm.Gamma.dist(1, 1, shape=2)}, None, "priors['b']"),
        ({"theta": lambda name, dims: pm.Dirichlet(name, np.ones(2))}, 0.01, "3 statements"),
    ],
)
def test_bad_priors_are_refused_in_one_line(
    priors: dict[str, Any], rope: float | None, needed: str
) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)) as refused:
        asked(rope, priors=priors)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("choices", "needed"),
    [
        ({"priors": {"b": pm.Gamma.dist(2, 1)}}, "joint=True"),
        ({"priors": {"r": pm.Beta.dist(2, 1)}}, "joint=True"),
        ({"priors": {"b": 2.0}, "b": 3.0}, "replaces b=3.0"),
        ({"b": "learned"}, "joint=True"),
        ({"priors": 3}, "priors=3"),
    ],
)
def test_priors_that_contradict_other_options(choices: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)):
        CorrelatedT(**choices)


def test_priors_for_nuts_say_what_they_lack() -> None:
    method = CorrelatedT(joint=True, priors={"b": pm.Gamma.dist(2, 1)})
    c = ask(scores(4, 5))
    asked = method.posterior_type(method, c.results, replace(c.answer, posterior=None))
    for call in (
        lambda: asked.draws(5, 1, np.random.default_rng(0)),
        asked.grown,
        asked.leave_one_out,
    ):
        with pytest.raises(BayescompareError):
            call()
    assert method.options()["priors"]["b"].startswith("Gamma(2")


# --------------------------------------------------------------------------------------------- NUTS


def leads(tree: xr.DataTree) -> np.ndarray:
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
    return np.eye(theta.shape[-1])[theta.argmax(axis=-1)]


def agrees(c: Any, tree: xr.DataTree) -> None:
    """P(max), shares and every dataset, within four Monte Carlo standard errors."""
    rope, posterior = c.results["score"].rope or 0.0, tree["posterior"]
    theta = posterior["theta"].transpose("chain", "draw", "statement").values
    for k, p in enumerate(c.probability.values):
        share_close(leads(tree)[..., k], float(p))
        close(theta[..., k], c.answer.per_statement["theta_mean"][k])
    advantage = posterior["advantage"].transpose("chain", "draw", "dataset").values
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        share_close(advantage[..., i] > rope, row["probability"])


@pytest.mark.slow
@ROPES
def test_the_closed_form_under_nuts(rope: float | None) -> None:
    c = asked(rope)
    tree = c.sample(1500, chains=4, rng=1, target_accept=0.9, **QUIET)
    converged(tree, ["theta"])
    same_shape(tree, c.draws(5, chains=1, rng=0))
    agrees(c, tree)
    np.testing.assert_allclose(c.loo(tree).elpd, c.loo().elpd, atol=0.1)
    exact = c.draws(4000, rng=2)["posterior"]["sigma"]
    for i in range(5):
        close(tree["posterior"]["sigma"].values[..., i], float(exact.values[..., i].mean()))


@pytest.mark.slow
def test_the_form_with_means_and_spreads_under_nuts() -> None:
    c = asked(None)
    tree = c.sample(1500, chains=4, model=c.model(), rng=3, target_accept=0.95, **QUIET)
    # The density jumps at 0, and a spread near zero far from its dataset's mean is a cliff. This is
    # why `sample` takes the form that has both integrated out.
    converged(tree, ["theta", "advantage", "sigma"], divergences=30)
    agrees(c, tree)
    assert tree.attrs["model"] == "edited"
    assert set(tree["posterior_predictive"].data_vars) == {"outcome", "difference"}


@pytest.mark.slow
def test_a_prior_of_the_weight_under_nuts() -> None:
    """b ~ Gamma(2, 1), integrated out on a grid by the closed evidences."""
    priors = {"b": pm.Gamma.dist(2.0, 1.0)}
    sampler = {"draws": 2000, "chains": 4, "target_accept": 0.95, **QUIET}
    for rope in (None, 0.01):
        fixed = asked(rope)
        grid = np.geomspace(0.02, 40, 120)
        weight = stats.gamma.pdf(grid, 2.0) * np.gradient(grid)
        # The closed quadrature of r takes b from a tenth on.
        grid = grid if rope else np.maximum(grid, 0.1)
        each: list[Any] = [CorrelatedT(joint=True, b=b).posterior(fixed.results) for b in grid]
        first = np.array([one.p_max()[0] for one in each])
        weight = weight * np.exp([one.log_evidence for one in each])
        method = CorrelatedT(joint=True, priors=priors)
        c: Any = bc.compare(fixed.results, method=method, rng=5, sampler=sampler)
        assert not c.exact
        expected = float(weight @ first / weight.sum())
        assert float(c.probability[0]) == pytest.approx(expected, abs=4 * float(c.mcse[0]) + 2e-3)
        names = ["b", "theta"]
        assert (
            max(float(v.max()) for v in az.rhat(c.tree["posterior"].to_dataset()[names]).values())
            < 1.01
        )
        assert np.isfinite(c.loo().elpd)
        assert c.check(rng=1)["p"].between(0, 1).all()
        assert "sampled by NUTS" in c.method.methods_text(c.answer)
        assert "You chose the prior of b" in c.explain()


@pytest.mark.slow
def test_priors_of_the_shares_under_nuts() -> None:
    """Dirichlet(2, 2, 2) given as a distribution is b = 2; a function with parts of its own too."""
    sampler = {"draws": 1500, "chains": 4, **QUIET}

    def own(name: str, dims: tuple[str, ...]) -> Any:
        return pm.Dirichlet(name, np.full(3, 2.0), dims=dims)

    for prior in (pm.Dirichlet.dist(np.full(3, 2.0)), own):
        method = CorrelatedT(joint=True, priors={"theta": prior})
        c: Any = bc.compare(asked(0.01).results, method=method, rng=5, sampler=sampler)
        exact = asked(0.01, b=2.0)
        np.testing.assert_array_less(
            np.abs(c.probability.values - exact.probability.values), 4 * c.mcse.values
        )
        np.testing.assert_allclose(
            c.per_dataset["probability"], exact.per_dataset["probability"], atol=0.02
        )


@pytest.mark.slow
@ROPES
def test_evidence_by_smc_is_the_kernels(rope: float | None) -> None:
    """Of what the datasets say: means and spreads, whose prior is flat, are integrated out."""
    c = asked(rope)
    found = pm.sample_smc(
        2000,
        model=c.model(form="nuts"),
        chains=4,
        cores=1,
        progressbar=False,
        random_seed=7,
        compute_convergence_checks=False,
    )
    stages = found["sample_stats"]["log_marginal_likelihood"].values
    logs = np.array([np.nanmax(np.hstack(list(np.ravel(s))).astype(float)) for s in stages])
    mean = float(logsumexp(logs) - math.log(len(logs)))
    error = float(logs.std(ddof=1) / math.sqrt(len(logs)))
    exact = c.method.posterior(c.results).log_evidence
    print(f"closed {exact:.4f}  SMC {mean:.4f} ± {error:.4f}")
    assert error < 0.1
    assert abs(mean - exact) < 4 * error
