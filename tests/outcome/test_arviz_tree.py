"""Statement indices, counts and attributes in trees, and ArviZ's predictive plots of them."""

from __future__ import annotations

from typing import Any

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.outcome.diagnosis import arviz_tree
from tests.tables import table

PREDICTED = ("posterior_predictive", "prior_predictive")


@pytest.fixture(scope="module")
def example() -> Any:
    return bc.compare(bc.load_example("benavoli-example1"))


@pytest.fixture(scope="module")
def tree(example: Any) -> xr.DataTree:
    drawn: xr.DataTree = example.draws(200, rng=1)
    return drawn


@pytest.mark.parametrize("method", ["dirichlet", "network"])
def test_the_outcome_is_the_place_of_the_statement(example: Any, method: str) -> None:
    tree = bc.compare(example.results, method=method).draws(50, rng=1)
    for group in ("observed_data", *PREDICTED):
        assert set(tree[group].data_vars) == {"outcome"}
        assert set(np.unique(tree[group]["outcome"])) == {0, 1, 2, 3}
    assert tree["constant_data"]["count"].values.tolist() == [1, 2, 3, 6]


def test_a_vector_of_statements_has_an_index(tree: xr.DataTree) -> None:
    """As in trees of earlier versions, and of models that observe vectors."""
    labels = tree["constant_data"]["statement"]
    vectors = {}
    for group in ("observed_data", *PREDICTED):
        place = tree[group].to_dataset()["outcome"]
        vectors[group] = (place == xr.DataArray(range(4), {"statement": labels})).astype(float)
    made = xr.DataTree.from_dict({k: v.to_dataset(name="outcome") for k, v in vectors.items()})
    for group, data in arviz_tree(made, sampled=False).children.items():
        one_hot = np.eye(4)[data["statement_index"].values]
        np.testing.assert_array_equal(one_hot, vectors[group].values)
        assert data["statement_index"].attrs["statements"] == labels.values.tolist()


def test_a_split_tie_is_a_further_row() -> None:
    values = np.random.default_rng(0).normal(size=(6, 2, 2))
    values[0, :, 0] = 1.0
    drawn = bc.compare(table(values)).draws(5, rng=1)
    assert int(drawn["observed_data"]["outcome"][0]) == 4
    assert sorted(drawn["constant_data"]["split"].values[4]) == [0.0, 0.0, 0.5, 0.5]
    assert sorted(drawn["constant_data"]["count"].values % 1)[-1] == 0.5


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


@pytest.mark.parametrize(
    ("draw", "options"),
    [
        (az.plot_ppc_rootogram, {}),
        (az.plot_ppc_interval, {}),
        (az.plot_ppc_tstat, {}),
        (az.plot_ppc_pit, {}),
        (az.plot_ppc_pava, {"data_type": "categorical"}),
        (az.plot_loo_pit, {}),
    ],
)
def test_predictive_plots(tree: xr.DataTree, draw: Any, options: dict[str, Any]) -> None:
    draw(tree, **options)
    plt.close("all")


def test_loo_pit(tree: xr.DataTree) -> None:
    pit = az.loo_pit(tree)["outcome"]
    assert pit.sizes == {"dataset": 12}
    assert ((pit >= 0) & (pit <= 1)).all()


def test_prior_and_likelihood_are_scaled_by_power(tree: xr.DataTree) -> None:
    assert set(az.psense_summary(tree, var_names="theta").columns) >= {"prior", "likelihood"}
