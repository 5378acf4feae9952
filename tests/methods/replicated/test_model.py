"""The PyMC model's data: they decide its density, and others may take their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
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
        rows = np.zeros_like(observed)
        rows[..., s] = 1.0
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
    new = {name: other[name].get_value() for name in ("rows", "level")}
    pm.set_data(new, model=model, coords={"dataset": list(other.coords["dataset"])})
    for seed in range(3):
        point = near(other, seed)
        assert likelihood(model, point) == pytest.approx(likelihood(other, point), abs=1e-9)
        if form == "textbook":
            # For NUTS there is a total besides, of which neither θ nor the data know.
            found, whole = (m.compile_logp(**QUICK)(point) for m in (model, other))
            assert float(found) == pytest.approx(float(whole), abs=1e-9)


@EFFECTS
def test_the_density_is_that_of_the_evidence(effects: str) -> None:
    c = bc.compare(folds(n=5), method=Replicated(prior=1.5, effects=effects))
    model, evidence = c.model(), c.method.evidence(c.results)
    theta = np.array([0.4, 0.1, 0.2, 0.3])
    found = model.compile_logp(vars=model.observed_RVs, jacobian=False, **QUICK)
    (free,) = (rv for rv in model.free_RVs if rv.name == "theta")
    transform = model.rvs_to_transforms[free]
    point = {"theta_simplex__": transform.forward(theta, *free.owner.inputs).eval(**QUICK)}
    for r, rows in enumerate(evidence.rows):
        if len(evidence.rows) > 1:
            point["scale_index"] = np.array(r)
        expected = logsumexp(rows + np.log(theta), axis=1).sum()
        assert float(found(point)) == pytest.approx(expected, abs=1e-9)


@EFFECTS
def test_a_new_dataset_is_one_statement(effects: str) -> None:
    c = bc.compare(folds(n=5), method=Replicated(prior=PRIOR, effects=effects))
    model = pm.do(c.model(), {"theta": np.array([0.7, 0.0, 0.2, 0.1])})
    drawn = pm.draw(model["outcome"], 400, random_seed=1, **QUICK)
    at_one_scale = drawn if effects == "flat" else drawn[:, :, 0]
    assert (at_one_scale.sum(axis=-1) == 1.0).all()
    np.testing.assert_allclose(at_one_scale.mean(axis=(0, 1)), [0.7, 0.0, 0.2, 0.1], atol=0.04)
    if effects == "learned":
        assert (drawn == drawn[:, :, :1]).all()
