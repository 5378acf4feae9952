"""A model's own probability(posterior), constants on functions, and edited models' trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods.model_file.answer import (
    hooked_probability,
    read_probability,
    read_quantity,
)
from tests.methods.model_file import simulated
from tests.methods.model_file.own import QUICK
from tests.tables import table

LABELS = ["A>B", "B>A"]


def chains(seed: int, draws: int = 900, stay: float = 0.9, n: int = 4) -> xr.Dataset:
    """Autocorrelated draws of a normal advantage, as a poor sampler gives them."""
    rng = np.random.default_rng(seed)
    x = np.empty((n, draws))
    x[:, 0] = rng.normal(size=n)
    for t in range(1, draws):
        x[:, t] = stay * x[:, t - 1] + np.sqrt(1 - stay**2) * rng.normal(size=n)
    return xr.Dataset({"x": (("chain", "draw"), x + 0.3)})


def ahead(posterior: xr.Dataset) -> xr.DataArray:
    """P over statements, as a mean over the draws."""
    p = float((posterior["x"] > 0).mean())
    return xr.DataArray([p, 1 - p], {"statement": LABELS}, ("statement",))


def by_draw(posterior: xr.Dataset) -> xr.DataArray:
    first = posterior["x"] > 0
    each = xr.concat([first, ~first], "statement").astype(float)
    return each.assign_coords(statement=LABELS)


@pytest.mark.slow
@pytest.mark.parametrize("hook", [ahead, by_draw])
def test_the_error_of_a_hook_is_that_of_its_own_draws(hook):
    """Against the spread of P over many posteriors; 1000 independent draws would have 0.015."""
    found = [hooked_probability(hook, chains(seed)) for seed in range(40)]
    true = np.std([p[0] for _, p, _ in found], ddof=1)
    told = np.sqrt(np.mean([mcse[0] ** 2 for *_, mcse in found]))
    assert true > 0.02
    assert 0.7 * true < told < 1.3 * true


def test_a_certain_hook_has_an_unknown_error_not_none():
    posterior = chains(3) + 100.0
    for hook in (ahead, by_draw):
        _, p, mcse = hooked_probability(hook, posterior)
        assert p.tolist() == [1.0, 0.0]
        assert (mcse > 0).all()


def constant(values: Any, labels: list[str] = LABELS) -> Any:
    return lambda posterior: xr.DataArray(values, {"statement": labels}, ("statement",))


def whole_only(posterior: xr.Dataset) -> xr.DataArray:
    assert posterior.sizes["chain"] == 4
    return ahead(posterior)


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        (constant([0.9, 0.8]), r"sum to 1\.7"),
        (constant([1.2, -0.2]), r"gave 1\.2, −0\.2: each must lie between 0 and 1"),
        (constant([np.nan, 0.5]), "each must lie between 0 and 1"),
        (constant([0.5, 0.5], ["A>B", "A>B"]), "names A>B twice"),
        (constant([], []), "names no statement"),
        (lambda posterior: 0.5, "must return a DataArray over 'statement'"),
        (lambda posterior: posterior["x"], "must return a DataArray over 'statement'"),
        (lambda posterior: posterior["y"], r"probability\(\) failed: KeyError"),
        (lambda posterior: by_draw(posterior) * 2, "each must lie between 0 and 1"),
        (lambda posterior: by_draw(posterior) * 0 + 0.7, r"sum to 1\.4"),
        (whole_only, "on some of the draws"),
    ],
)
def test_what_a_hook_may_not_give_is_told(hook, words):
    with pytest.raises(bc.BayescompareError, match=words):
        hooked_probability(hook, chains(0, draws=100))


def test_what_a_hook_leaves_out_leads_nobody():
    results = table(np.random.default_rng(0).normal(size=(6, 2, 1)))
    answer = read_probability(results, constant([0.5, 0.2]), chains(0, draws=100))
    assert answer.none_leads == pytest.approx(0.3)
    whole = read_probability(results, constant([0.7, 0.3]), chains(0, draws=100))
    assert whole.none_leads == 0.0


# what is read off -----------------------------------------------------------------------------


def test_theta_off_the_simplex_is_refused():
    results = table(np.random.default_rng(0).normal(size=(6, 2, 1)))
    theta = np.random.default_rng(1).dirichlet([1.0, 1.0], size=(2, 50))
    dims, coords = ("chain", "draw", "statement"), {"statement": LABELS}
    read_quantity(results, xr.DataArray(theta, coords, dims, name="theta"))
    for wrong in (2.0 * theta, theta - 0.5, 0.9 * theta):
        with pytest.raises(bc.BayescompareError, match="theta is off the simplex"):
            read_quantity(results, xr.DataArray(wrong, coords, dims, name="theta"))


def test_better_off_its_range_is_refused():
    results = table(np.random.default_rng(0).normal(size=(6, 2, 1)))
    better = np.random.default_rng(1).normal(size=(2, 50, 2, 2))
    coords = {"algorithm": ["A", "B"], "opponent": ["A", "B"]}
    dims = ("chain", "draw", "algorithm", "opponent")
    with pytest.raises(bc.BayescompareError, match=r"better has values outside \[0, 1\]"):
        read_quantity(results, xr.DataArray(better, coords, dims, name="better"))
    good = np.clip(better, 0, 1)
    good[..., [0, 1], [0, 1]] = np.nan  # nobody's probability
    read_quantity(results, xr.DataArray(good, coords, dims, name="better"))


# constants on a function ----------------------------------------------------------------------


def build(results: bc.Results, scale: float = 1.0) -> pm.Model:
    """A model of one advantage."""
    coords = {"dataset": results.datasets}
    gap = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    with pm.Model(coords=coords) as model:
        x = pm.Normal("x", 0, scale)
        pm.Normal("gap", x, 1.0, observed=gap, dims="dataset")
    return model


def with_constants() -> Any:
    def made(results: bc.Results, scale: float = 1.0) -> pm.Model:
        return build(results, scale)

    made.QUANTITY = "x"  # type: ignore[attr-defined]
    made.REPLICATES = True  # type: ignore[attr-defined]
    made.probability = ahead  # type: ignore[attr-defined]
    return made


def test_replicates_may_be_optional():
    """The model gets them where the table has them, and cells where it has none."""
    seen: list[int | None] = []

    def noted(results: bc.Results) -> pm.Model:
        seen.append(results.n_replicates)
        raise ValueError("that is all.")

    noted.REPLICATES = "optional"  # type: ignore[attr-defined]
    single = table(np.random.default_rng(0).normal(size=(6, 2, 1)))
    for results in (simulated.folds(np.array([0.02, -0.01, 0.05]), 5, 0.02, 0), single):
        with pytest.raises(bc.BayescompareError, match="that is all"):
            bc.compare(results, method=noted)
    assert seen == [5, None]


def test_a_function_with_a_hook_of_its_own_answers():
    made = with_constants()
    made.REPLICATES = False
    values = np.random.default_rng(0).normal(size=(6, 2, 1))
    values[:, 0] += 0.6
    results = table(values)
    c = bc.compare(results, method=made, rng=1, sampler=QUICK)
    expected = float((c.tree["posterior"]["x"] > 0).mean())
    assert float(c.probability.sel(statement="A>B")) == pytest.approx(expected)
    gap = results.oriented()[:, 0, 0] - results.oriented()[:, 1, 0]
    assert c.loo().n_data_points == len(gap)


# edited models, and likelihoods that cannot be ----------------------------------------------------


@pytest.fixture(scope="module")
def edited() -> tuple[bc.Comparison, xr.DataTree]:
    c = bc.compare(bc.load_example("pnn"))
    model = c.model()
    with model:
        pm.Potential("sceptic", -((model["theta"][0] - 0.25) ** 2))
    tree = c.sample(20, chains=2, model=model, rng=1, tune=10, cores=1, progressbar=False)
    return c, tree


def test_a_tree_of_an_edited_model_is_signed_and_says_so(edited, tmp_path):
    c, tree = edited
    assert tree.attrs["model"] == "edited"
    assert "edited model" in c.diagnose(tree).verdict
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few draws have a poor k-hat
        found = c.loo(tree)
    assert "edited model" in str(found)
    assert found.kind == "loo"
    assert found.elpd_i.attrs["model"] == "edited"
    tree.to_netcdf(tmp_path / "tree.nc", engine="h5netcdf")
    with xr.open_datatree(tmp_path / "tree.nc", engine="h5netcdf") as back:
        assert "edited model" in c.diagnose(back.load()).verdict


@pytest.mark.parametrize("data", ["whole numbers", "weights"])
def test_a_likelihood_above_one_of_discrete_data_is_refused(data):
    c = bc.compare(bc.load_example("benavoli-example1"))
    tree = c.draws(100, rng=1)
    observed = tree["observed_data"].to_dataset()
    if data == "whole numbers":
        observed = observed.astype(int)
    tree["observed_data"] = xr.DataTree(observed)
    tree["log_likelihood"] = xr.DataTree(tree["log_likelihood"].to_dataset() + 5.0)
    with pytest.raises(bc.BayescompareError, match=r"loo: the log likelihood of 'outcome' reaches"):
        c.loo(tree)
