"""The PyMC model's data: they decide its density, and others may take their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pymc_extras as pmx
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.methods import Replicated
from tests.methods.replicated.test_replicated import folds

QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}
FORMS = pytest.mark.parametrize("form", ["textbook", "nuts"])
EFFECTS = pytest.mark.parametrize("effects", ["learned", "flat"])
PRIOR = "jeffreys"


def near(model: pm.Model, seed: int) -> dict[str, Any]:
    """A point near where the model starts; numbers of scales stay."""
    rng = np.random.default_rng(seed)
    start = model.initial_point()
    return {k: v + rng.normal(0, 0.3, v.shape) * (v.dtype.kind == "f") for k, v in start.items()}


def likelihood(model: pm.Model, point: dict[str, Any]) -> float:
    """Log p of the data given the point, the scale summed out in the form for NUTS."""
    summed = [potential for potential in model.potentials if potential.name == "summed_scale"]
    return float(model.compile_logp(vars=[*model.observed_RVs, *summed], **QUICK)(point))


@EFFECTS
@FORMS
def test_other_data_have_another_density(form: str, effects: str) -> None:
    """What is observed counts: all for the first, all for the second, and what was seen."""
    c = bc.compare(folds(n=6), method=Replicated(prior=PRIOR, effects=effects))
    model = c.model(form=form)
    observed, (outcome,) = model["rows"].get_value(), model.observed_RVs
    point = near(model, 0)
    each = [likelihood(model, point)]
    for s in (0, 3):
        rows = observed.copy()
        rows[4:] = np.eye(4)[s]
        pm.set_data({"rows": rows}, model=model)
        each.append(likelihood(model, point))
    assert len({round(value, 6) for value in each}) == 3
    assert outcome.name == "outcome"
    assert "UncertainStatement" in model.str_repr()


@EFFECTS
@FORMS
def test_data_that_are_set_are_a_new_comparison(form: str, effects: str) -> None:
    """Of more datasets, under the same prior and scales."""
    one, two = (
        bc.compare(folds(n=n, seed=n), method=Replicated(prior=PRIOR, effects=effects))
        for n in (5, 8)
    )
    model, other = one.model(form=form), two.model(form=form)
    new = {data.name: data.get_value() for data in other.data_vars}
    coords = {dim: list(other.coords[dim]) for dim in ("dataset", "pattern")}
    pm.set_data(new, model=model, coords=coords)
    for seed in range(3):
        point = near(other, seed)
        assert likelihood(model, point) == pytest.approx(likelihood(other, point), abs=1e-9)
        if form == "textbook":
            # For NUTS there is a total besides, of which neither θ nor the data know.
            found, whole = (m.compile_logp(**QUICK)(point) for m in (model, other))
            assert float(found) == pytest.approx(float(whole), abs=1e-9)


def log_evidence(c: Any, theta: np.ndarray, version: int) -> np.ndarray:
    """log Σ_s θ_s ℓ_i(s) of each dataset."""
    return logsumexp(c.method.evidence(c.results).rows[version] + np.log(theta), axis=1)


@EFFECTS
def test_statements_summed_out_are_the_evidence(effects: str) -> None:
    """By pymc-extras out of the textbook, and in the form for NUTS."""
    c = bc.compare(folds(n=5), method=Replicated(prior=1.5, effects=effects))
    theta = np.array([0.4, 0.1, 0.2, 0.3])
    model = pmx.marginalize(c.model(), ["z"])
    found = model.compile_logp(vars=model.observed_RVs, jacobian=False, **QUICK)
    (free,) = (rv for rv in model.free_RVs if rv.name == "theta")
    transform = model.rvs_to_transforms[free]
    point = {"theta_simplex__": transform.forward(theta, *free.owner.inputs).eval(**QUICK)}
    for r in range(len(c.method.evidence(c.results).rows)):
        if effects == "learned":
            point["scale_index"] = np.array(r)
        expected = log_evidence(c, theta, r).sum()
        assert float(found(point)) == pytest.approx(expected, abs=1e-9)


@EFFECTS
def test_draws_fit_the_model(effects: str) -> None:
    """Every free variable is drawn; z as often as it is probable; the log likelihood is PyMC's."""
    c = bc.compare(folds(n=6), method=Replicated(prior=PRIOR, effects=effects))
    tree = c.draws(4000, chains=2, rng=1)
    posterior = tree["posterior"].to_dataset()
    assert {rv.name for rv in c.model().free_RVs} <= set(posterior.data_vars)
    shown = posterior["z"].values.reshape(8000, -1)
    share = (shown[:, :, None] == np.arange(4)).mean(axis=0)
    np.testing.assert_allclose(share, c.per_dataset.values[:, :4], atol=0.025)
    ours = tree["log_likelihood"]["outcome"].values
    theta = posterior["theta"].transpose("chain", "draw", "statement").values
    version = posterior["scale_index"].values if effects == "learned" else np.zeros((2, 4000), int)
    for draw in (0, 7, 2000):
        expected = log_evidence(c, theta[0, draw], version[0, draw])
        np.testing.assert_allclose(ours[0, draw], expected, atol=1e-9)


@EFFECTS
def test_log_likelihood_of_pymc_is_ours(effects: str) -> None:
    """Under the form with every z summed out; the textbook's is of the statement drawn."""
    c = bc.compare(folds(n=6), method=Replicated(prior=PRIOR, effects=effects))
    tree = c.draws(20, chains=2, rng=1)
    quiet: dict[str, Any] = {"progressbar": False, "extend_inferencedata": False}
    summed = pmx.marginalize(c.model(), ["z"])
    found = pm.compute_log_likelihood(tree, model=summed, **quiet)["outcome"]
    np.testing.assert_allclose(found, tree["log_likelihood"]["outcome"], atol=1e-9)
    given = pm.compute_log_likelihood(tree, model=c.model(), **quiet)["outcome"].values[0, 3]
    drawn = tree["posterior"].to_dataset().isel(chain=0, draw=3)
    rows = c.method.evidence(c.results).rows
    own = rows[int(drawn["scale_index"]) if effects == "learned" else 0]
    np.testing.assert_allclose(given, own[np.arange(6), drawn["z"].values], atol=1e-9)


@EFFECTS
def test_a_new_dataset_is_one_statement(effects: str) -> None:
    c = bc.compare(folds(n=5), method=Replicated(prior=PRIOR, effects=effects))
    model = pm.do(c.model(), {"theta": np.array([0.7, 0.0, 0.2, 0.1])})
    drawn = pm.draw(model["outcome"], 400, random_seed=1, **QUICK)
    share = np.bincount(drawn.ravel(), minlength=4) / drawn.size
    np.testing.assert_allclose(share, [0.7, 0.0, 0.2, 0.1], atol=0.04)
