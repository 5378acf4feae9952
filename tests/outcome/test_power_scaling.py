"""Priors raised to a power by reweighting draws, against the exact answer under that prior."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.methods import Dirichlet, PoissonBinomial
from bayescompare.methods.model_file.answer import hooked_leads
from tests.methods.model_file.own import conjugate_file
from tests.oracles.context import counts_of

PAIRS = [(2, 5), (4, 3), (1, 6), (5, 2), (3, 3)]


@pytest.fixture(scope="module")
def drawn() -> bc.Comparison:
    """An answer that comes with draws, whose prior to a power is known: Beta(γ, γ)."""
    c = bc.compare(counts_of(PAIRS), method=PoissonBinomial(joint=True))
    tree = c.draws(4000, chains=4, rng=1)
    r = tree["posterior"]["r"].values
    probability = np.array([(r > 0.5).mean(), (r < 0.5).mean()])
    return replace(c, answer=replace(c.answer, tree=tree, probability=probability))


def test_powers_are_priors_of_other_weight(drawn: bc.Comparison) -> None:
    values = [0.5, 0.8, 1.0, 1.5, 2.0]
    found = drawn.sensitivity(values)
    assert found.index.name == "power"
    assert found.index.tolist() == values
    exact = bc.compare(drawn.results, method=PoissonBinomial(joint=True)).sensitivity(values)
    for row, error in zip(values, found.attrs["mcse"], strict=True):
        assert 0 < error < 0.02
        assert (np.abs(found.loc[row] - exact.loc[row]) < 4 * error).all()
    np.testing.assert_allclose(found.loc[1.0], drawn.answer.probability, atol=1e-12)
    assert max(found.attrs["khat"]) < 0.7
    assert found.attrs["khat"][2] == 0.0
    assert "leads throughout" in bc.plots.plot_sensitivity(found, ax=Figure().subplots()).get_title(
        loc="left"
    )


def test_what_draws_cannot_reach_is_refused(drawn: bc.Comparison) -> None:
    with pytest.raises(
        bc.BayescompareError,
        match=r"power 50000000 .*k-hat is .*are worth [1-9] of 16,000 draws.*nearer to 1",
    ):
        drawn.sensitivity([1.0, 5e7])


def test_only_the_top_of_a_hierarchy_is_scaled(drawn: bc.Comparison) -> None:
    tree = drawn.tree.copy(deep=True)
    extra = np.random.default_rng(0).normal(size=tree["posterior"]["r"].shape)
    group = tree["log_prior"].to_dataset()
    group["latent"] = (("chain", "draw"), extra)
    group.attrs["top_level"] = ["r"]
    tree["log_prior"] = xr.DataTree(group)
    same = replace(drawn, answer=replace(drawn.answer, tree=tree)).sensitivity([0.8])
    np.testing.assert_array_equal(same, drawn.sensitivity([0.8]))


def test_a_tree_without_a_prior_is_refused(drawn: bc.Comparison) -> None:
    tree = drawn.tree.copy(deep=True)
    del tree["log_prior"]
    with pytest.raises(bc.BayescompareError, match="no group log_prior"):
        replace(drawn, answer=replace(drawn.answer, tree=tree)).sensitivity()


def test_draws_that_say_something_else_are_refused(drawn: bc.Comparison) -> None:
    other = replace(drawn.answer, probability=np.array([0.1, 0.9]))
    with pytest.raises(bc.BayescompareError, match="do not say what it says"):
        replace(drawn, answer=other).sensitivity()


def test_a_model_of_the_users_own(own: bc.Comparison, tmp_path: Path) -> None:
    found = own.sensitivity()
    assert found.columns.tolist() == list(own.answer.labels)
    assert 1.0 in found.index
    np.testing.assert_allclose(found.loc[1.0], own.answer.probability, atol=1e-12)
    assert own.tree["log_prior"].attrs["top_level"] == ["s"]
    own.to_netcdf(tmp_path / "own.nc")
    back = bc.load_comparison(tmp_path / "own.nc")
    np.testing.assert_allclose(back.sensitivity([0.9]), own.sensitivity([0.9]))
    own.to_json(tmp_path / "own.json")
    with pytest.raises(bc.BayescompareError, match="were not saved"):
        bc.load_comparison(tmp_path / "own.json").sensitivity()


def test_a_model_file_is_scaled_as_the_exact_method(results: bc.Results) -> None:
    """θ ~ Dirichlet(α) to the power γ is Dirichlet(γα): the strength γ of ``dirichlet``."""
    values = [0.6, 1.0, 4.0]
    found = conjugate_file(results).sensitivity(values)
    exact = bc.compare(results).sensitivity(values)[found.columns]
    # The curve moves by far more than the error of each point.
    assert np.ptp(exact[exact.columns[-1]]) > 6 * max(found.attrs["mcse"])
    assert found.attrs["how"] == "power scaling"
    for power, error in zip(values, found.attrs["mcse"], strict=True):
        assert 0 < error < 0.02
        assert (found.loc[power] - exact.loc[power]).abs().max() < 4 * error


def test_a_hook_must_speak_of_each_draw() -> None:
    theta = xr.DataArray(
        np.random.default_rng(0).dirichlet([1.0, 1.0], size=(2, 30)),
        {"statement": ["A>B", "B>A"]},
        ("chain", "draw", "statement"),
    )

    def each(posterior: xr.Dataset) -> xr.DataArray:
        return (posterior["theta"] == posterior["theta"].max("statement")).astype(float)

    found = hooked_leads(each, theta.to_dataset(name="theta"), ["B>A", "A>B", "A=B"])
    np.testing.assert_array_equal(found[..., 0], theta.values[..., 1] > 0.5)
    np.testing.assert_array_equal(found[..., 2], 0.0)
    with pytest.raises(bc.BayescompareError, match="for each chain and draw"):
        hooked_leads(
            lambda posterior: each(posterior).mean(("chain", "draw")),
            theta.to_dataset(name="theta"),
            ["A>B"],
        )


@pytest.mark.slow
def test_nuts_under_the_powered_prior_agrees(results: bc.Results) -> None:
    """Gamma(2, 1) to the power 2 is Gamma(3, 2)."""
    options = {"draws": 2000, "chains": 4, "cores": 1, "progressbar": False}
    one, two = (
        bc.compare(results, method=Dirichlet(priors={"strength": value}), rng=seed, sampler=options)
        for seed, value in enumerate((pm.Gamma.dist(2.0, 1.0), pm.Gamma.dist(3.0, 2.0)))
    )
    found = one.sensitivity([2.0])
    assert found.attrs["khat"][0] < 0.7
    assert one.tree["log_prior"].attrs["top_level"] == ["strength"]
    error = np.hypot(found.attrs["mcse"][0], np.asarray(two.mcse))
    assert (np.abs(found.loc[2.0].to_numpy() - two.probability.values) < 4 * error).all()
