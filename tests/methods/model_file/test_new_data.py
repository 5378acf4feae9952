"""New datasets go into a bundled model by ``pm.set_data``, and their predictions come out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.cases import few_quick
from tests.methods.model_file import simulated
from tests.tables import table

QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}
OLD, NEW = 6, 9
NAMES = [f"new{i}" for i in range(NEW)]


def values(n: int, l: int, m: int) -> bc.Results:
    return table(np.random.default_rng(n).normal(size=(n, l, m)))


def sizes(n: int) -> dict[str, dict[str, float]]:
    return {"log n": {f"d{i}": float(i) for i in range(n)}}


#: A table with so many datasets, by model; the rest of a model's data, by its options.
TABLES: dict[str, Any] = {
    "bradley_terry": lambda n: values(n, 3, 1),
    "covariates": lambda n: values(n, 2, 1),
    "dirichlet_hyperprior": lambda n: values(n, 2, 2),
    "hierarchical_t": lambda n: simulated.folds(np.linspace(-0.02, 0.03, n), 5, 0.02, n),
    "item_response": lambda n: values(n, 3, 2),
    "logistic_normal": lambda n: values(n, 2, 2),
    "multivariate_normal": lambda n: values(n, 2, 2),
    "plackett_luce": lambda n: values(n, 3, 2),
    "spike_and_slab": lambda n: values(n, 2, 2),
    "thurstone": lambda n: values(n, 3, 2),
}


#: Their units are those of the first data.
IN_UNITS = ("covariates", "hierarchical_t", "multivariate_normal", "spike_and_slab")


def built(name: str, n: int) -> pm.Model:
    priors = {"covariates": sizes(n)} if name == "covariates" else None
    return ModelFile(name, priors=priors).model(TABLES[name](n))


def data_of(model: pm.Model) -> dict[str, np.ndarray]:
    return {v.name: v.get_value() for v in model.data_vars}


@pytest.mark.parametrize("name", few_quick(TABLES, 5))
def test_new_datasets_are_predicted(name: str) -> None:
    model, new = built(name, OLD), data_of(built(name, NEW))
    assert new, "the model's data are no pm.Data"
    observed = model.observed_RVs[0].name
    with model:
        prior = pm.sample_prior_predictive(5, random_seed=1, compile_kwargs=QUICK)
        posterior = xr.DataTree.from_dict({"posterior": prior["prior"].to_dataset()})
        pm.set_data(new, coords={"dataset": NAMES})
        tree = pm.sample_posterior_predictive(
            posterior,
            # What each dataset has of its own is not that of other datasets.
            sample_vars=["u"] if name == "hierarchical_t" else None,
            var_names=[observed],
            predictions=True,
            progressbar=False,
            random_seed=1,
            compile_kwargs=QUICK,
        )
    found = tree["predictions"][observed]
    assert found.dims[:3] == ("chain", "draw", "dataset")
    assert found["dataset"].values.tolist() == NAMES
    assert np.isfinite(found.values).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TABLES if name not in IN_UNITS])
def test_new_data_have_the_likelihood_of_a_model_built_on_them(name: str) -> None:
    model, other = built(name, OLD), built(name, NEW)
    with model:
        pm.set_data(data_of(other), coords={"dataset": NAMES})
    point = other.initial_point(3)
    logs = [m.compile_logp(vars=m.observed_RVs, mode="FAST_COMPILE")(point) for m in (model, other)]
    assert logs[0] == pytest.approx(logs[1], rel=1e-12)


def test_new_covariates_are_scaled_as_the_old_ones() -> None:
    """p of a new dataset with an old one's covariate is p of the old one."""
    model = built("covariates", OLD)
    with model:
        prior = pm.sample_prior_predictive(5, random_seed=1, compile_kwargs=QUICK)
        posterior = xr.DataTree.from_dict({"posterior": prior["prior"].to_dataset()})
        new = {"covariates": np.array([[5.0], [2.0], [100.0]]), "seen": np.zeros(3)}
        pm.set_data(new, coords={"dataset": ["a", "b", "c"]})
        tree = pm.sample_posterior_predictive(
            posterior,
            var_names=["p", "win"],
            predictions=True,
            progressbar=False,
            random_seed=1,
            compile_kwargs=QUICK,
        )
    old, found = prior["prior"]["p"], tree["predictions"]["p"]
    assert tree["predictions"]["win"].sizes["dataset"] == 3
    for name, before in (("a", "d5"), ("b", "d2")):
        np.testing.assert_allclose(found.sel(dataset=name), old.sel(dataset=before), rtol=1e-12)


def test_a_frame_of_covariates_is_taken_in_any_order() -> None:
    frame = pd.DataFrame({"x": np.arange(OLD) ** 2.0}, index=[f"d{i}" for i in range(OLD)][::-1])
    model = ModelFile("covariates", priors={"covariates": frame}).model(values(OLD, 2, 1))
    np.testing.assert_allclose(data_of(model)["covariates"][:, 0], frame["x"].to_numpy()[::-1])
