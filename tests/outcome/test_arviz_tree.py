"""Statement indices, counts and attributes in trees, and ArviZ's predictive plots of them."""

from __future__ import annotations

from typing import Any

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.outcome.tree import arviz_tree
from tests.tables import table

PREDICTED = ("posterior_predictive", "prior_predictive")


@pytest.fixture(scope="module")
def example() -> Any:
    return bc.compare(bc.load_example("benavoli-example1"))


@pytest.fixture(scope="module")
def tree(example: Any) -> xr.DataTree:
    drawn: xr.DataTree = example.draws(200, rng=1)
    return drawn


def test_the_index_is_the_place_of_the_statement(tree: xr.DataTree) -> None:
    for group in ("observed_data", *PREDICTED):
        data = tree[group].to_dataset()
        one_hot = np.eye(4)[data["statement_index"].values]
        np.testing.assert_array_equal(one_hot, data["outcome"].values)
        np.testing.assert_array_equal(data["count"].values, one_hot.sum(axis=-2))
        assert data["statement_index"].attrs["statements"] == list(data["statement"].values)
    assert tree["posterior_predictive"]["count"].dims == ("chain", "draw", "statement")


def test_a_split_tie_has_a_count_but_no_index() -> None:
    values = np.random.default_rng(0).normal(size=(6, 2, 2))
    values[0, :, 0] = 1.0
    data = bc.compare(table(values)).draws(5, rng=1)["observed_data"].to_dataset()
    assert "statement_index" not in data
    assert sorted(data["count"].values % 1)[-1] == 0.5


def test_uncertain_statements_have_neither() -> None:
    values = np.random.default_rng(0).normal(size=(4, 2, 1, 3))
    frame = xr.DataArray(
        values,
        coords={"algorithm": ["A", "B"], "measure": ["m"]},
        dims=("dataset", "algorithm", "measure", "fold"),
    ).to_series()
    long = frame.rename("value").reset_index().rename(columns={"value": "score"})
    results = bc.Results.from_frame(
        long.drop(columns="measure"), replicate="fold", measures={"score": "max"}
    )
    method = bc.methods.CorrelatedT(joint=True)
    drawn = bc.compare(results, method=method).draws(5, rng=1)
    assert not {"statement_index", "count"} & set(drawn["observed_data"].data_vars)


@pytest.mark.parametrize("method", ["dirichlet", "network", "gsd-bootstrap"])
def test_attributes_that_arviz_writes(method: str) -> None:
    c: Any = bc.compare(bc.load_example("benavoli-example1"), method=method)
    drawn = c.draws(5, rng=1)
    written = set(az.from_dict({"posterior": {"x": np.zeros((1, 2))}})["posterior"].attrs)
    for node in (drawn, *drawn.children.values()):
        assert written - {"sample_dims"} <= set(node.attrs)
        assert node.attrs["inference_library"] == "bayescompare"
        assert node.attrs["inference_library_version"] == bc.__version__


def test_what_is_there_already_stays(tree: xr.DataTree) -> None:
    mine = tree.copy()
    mine["posterior"].attrs["inference_library"] = "mine"
    again = arviz_tree(mine, sampled=True)
    assert again["posterior"].attrs["inference_library"] == "mine"
    xr.testing.assert_equal(again["observed_data"].to_dataset(), tree["observed_data"].to_dataset())


@pytest.mark.filterwarnings("ignore:Estimated shape parameter")
def test_other_groups_are_as_they_were(example: Any) -> None:
    """ArviZ finds one log likelihood, so that loo and compare need no name of it."""
    drawn = example.draws(1000, rng=3)
    assert list(drawn["log_likelihood"].data_vars) == ["outcome"]
    assert az.loo(drawn).n_data_points == 12


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (az.plot_ppc_rootogram, "statement_index"),
        (az.plot_ppc_interval, "count"),
        (az.plot_ppc_tstat, "count"),
        (az.plot_ppc_pit, "statement_index"),
    ],
)
def test_predictive_plots(tree: xr.DataTree, draw: Any, name: str) -> None:
    draw(tree, var_names=name)
    plt.close("all")


def test_loo_pit(tree: xr.DataTree) -> None:
    """It wants a log likelihood of the same name."""
    renamed = tree.copy()
    likelihood = tree["log_likelihood"].to_dataset().rename(outcome="statement_index")
    renamed["log_likelihood"] = xr.DataTree(likelihood)
    pit = az.loo_pit(renamed, var_names="statement_index")["statement_index"]
    assert pit.sizes == {"dataset": 12}
    assert ((pit >= 0) & (pit <= 1)).all()
    az.plot_loo_pit(renamed, var_names="statement_index")
    plt.close("all")
