"""Diagnosis of draws, leave-one-dataset-out, and words that warn of a poor posterior."""

from __future__ import annotations

import arviz as az
import numpy as np
import pytest
import xarray as xr

import bayescompare as bc

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def test_a_dataset_is_left_out_whole(own: bc.Comparison) -> None:
    """A likelihood over datasets *and* measures still leaves out datasets, not cells."""
    loo = own.loo()
    assert loo.elpd_i.dims == ("dataset",)
    assert loo.n_data_points == len(own.results.datasets)
    summed = own.tree.copy()
    summed["log_likelihood"] = xr.DataTree(own.tree["log_likelihood"].to_dataset().sum("measure"))
    assert float(loo.elpd) == pytest.approx(float(az.loo(summed).elpd))


def test_draws_of_the_cut_model_are_no_way_to_its_loo(counts: bc.Results) -> None:
    """Its draws are not of likelihood times prior, so that importance weights mean nothing."""
    c = bc.compare(counts.sel(datasets=list(counts.datasets[3:9])), method="poisson-binomial")
    tree = c.draws(4000, rng=1)
    with pytest.raises(bc.BayescompareError, match="PSIS cannot weight them"):
        c.loo(tree)


@pytest.mark.slow
def test_exact_draws_are_not_called_untrustworthy(results: bc.Results) -> None:
    """They are independent: R-hat above 1.01 is chance, and no chain can disagree with another."""
    c = bc.compare(results)
    for seed in range(8):
        found = c.diagnose(c.draws(60, chains=4, rng=seed))
        assert "chains disagree" not in found.verdict, found


def test_chains_that_disagree_are_told(results: bc.Results) -> None:
    """One chain of four a little off: an R-hat of about 1.1, with plenty of draws."""
    c = bc.compare(results)
    tree = c.draws(1000, rng=1)
    theta = tree["posterior"]["theta"]
    shift = 0.8 * theta.std() * (theta["chain"] == 0)
    tree["posterior"] = xr.DataTree(xr.Dataset({"theta": theta + shift}))
    tree.attrs["sampler"] = "nuts"
    found = c.diagnose(tree)
    assert 1.02 < found.figures["greatest R-hat"] < 1.4
    assert not found.ok
    assert "chains disagree" in found.verdict


def test_a_sampler_without_divergences_is_diagnosed(results: bc.Results) -> None:
    """Metropolis and Gibbs steps, which discrete parameters get, report no divergence."""
    c = bc.compare(results)
    tree = c.draws(500, rng=1)
    tree["sample_stats"] = xr.DataTree(
        xr.Dataset({"accepted": (("chain", "draw"), np.ones((4, 500)))})
    )
    found = c.diagnose(tree)
    assert "divergences" not in found.figures
    assert found.figures["least ESS"] > 100


def test_what_is_no_tree_is_refused(results: bc.Results) -> None:
    c = bc.compare(results)
    for ask in (c.diagnose, c.loo, c.check):
        with pytest.raises(bc.BayescompareError, match="tree"):
            ask(5)  # type: ignore[operator]


@pytest.mark.parametrize(("draws", "chains"), [(1, 1), (3, 1), (2, 4)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_a_handful_of_draws_is_not_called_trustworthy(draws: int, chains: int) -> None:
    c = bc.compare(bc.load_example("pnn"))
    assert not c.diagnose(c.draws(draws, chains=chains, rng=0)).ok
