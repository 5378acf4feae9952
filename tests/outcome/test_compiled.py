"""Models that are kept: few, for tables of one shape only, and without changing a draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods import Dirichlet
from bayescompare.outcome import compiled
from bayescompare.outcome.compiled import (
    MOST_KEPT,
    borrowed_compiled_models,
    forget_compiled_models,
    model_with_compiled_memory,
)
from bayescompare.table.results import Results
from tests.tables import table

QUICK: dict[str, Any] = {"chains": 2, "tune": 50, "cores": 1, "progressbar": False}


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    forget_compiled_models()
    yield
    forget_compiled_models()


def tables(number: int, n: int = 12, measures: int = 2) -> list[Results]:
    """Tables of one shape whose datasets and measures have different names."""
    rng = np.random.default_rng(1)
    return [
        table(
            rng.integers(0, 4, (n, 2, measures)),
            datasets=[f"t{k}-{i}" for i in range(n)],
            measures={f"m{k}{j}": "max" for j in range(measures)},
        )
        for k in range(number)
    ]


def test_tables_of_one_shape_share_a_model() -> None:
    one, other = tables(2)
    with borrowed_compiled_models(Dirichlet(), one) as first:
        pass
    with borrowed_compiled_models(Dirichlet(), other) as second:
        assert second.sampled is first.sampled
        assert second.through is first.through
        weights = second.sampled["weight"].get_value()
    np.testing.assert_array_equal(weights, Dirichlet().listing(other).weights)
    assert list(second.coords["dataset"]) == list(other.datasets)


def test_what_differs_has_a_model_of_its_own() -> None:
    base, longer, wider = tables(1)[0], tables(1, n=13)[0], tables(1, measures=3)[0]
    asked = [
        (Dirichlet(), base),
        (Dirichlet(prior="uniform"), base),
        (Dirichlet(prior={"A>B|A>B": 2.0, "*": 0.5}), base),
        (Dirichlet(), longer),
        (Dirichlet(), wider),
        (Dirichlet(), table(np.random.default_rng(0).random((12, 2, 2)), rope=0.1)),
        (Dirichlet(), table(np.random.default_rng(0).random((12, 3, 1)))),
    ]
    keys = [method.reusable(results) for method, results in asked]
    assert all(key is not None for key in keys)
    assert len({key.key for key in keys if key is not None}) == len(asked)


def test_priors_that_are_objects_are_never_shared() -> None:
    import pymc as pm

    (results,) = tables(1)
    for method in (
        Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 1.0)}),
        bc.methods.Network(search=[]),
        bc.methods.ModelFile("dirichlet_hyperprior"),
    ):
        assert method.reusable(results) is None
    learned = Dirichlet().learn(
        [bc.load_example("jansen-uci").sel(algorithms=list(p), measures=["auc"]) for p in PAIRS]
    )
    assert learned.reusable(results) is None


PAIRS = (("BDS", "CART"), ("BDS", "GBM"), ("CART", "GBM"))


def test_few_models_are_kept_and_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_KEPT < 20
    monkeypatch.setattr(compiled, "MOST_KEPT", 2)
    (results,) = tables(1)
    asked = [Dirichlet(prior=float(k + 1)) for k in range(4)]
    for method in asked:
        with borrowed_compiled_models(method, results):
            pass
    assert len(compiled._KEPT) == 2
    kept = {method.reusable(results).key for method in asked[2:]}  # type: ignore[union-attr]
    assert set(compiled._KEPT) == kept


def test_a_model_in_use_is_not_given_to_another() -> None:
    one, other = tables(2)
    with (
        borrowed_compiled_models(Dirichlet(), one) as first,
        borrowed_compiled_models(Dirichlet(), other) as second,
    ):
        assert first.sampled is not second.sampled


def test_a_model_that_failed_is_dropped() -> None:
    (results,) = tables(1)
    with pytest.raises(ZeroDivisionError), borrowed_compiled_models(Dirichlet(), results):
        raise ZeroDivisionError
    assert not compiled._KEPT


def test_an_edited_model_is_taken_as_it_is() -> None:
    (results,) = tables(1)
    edited = Dirichlet().model(results)
    with borrowed_compiled_models(Dirichlet(), results, edited=edited) as models:
        assert models.sampled is edited
        assert models.through is None
    assert not compiled._KEPT


def test_a_model_that_cannot_be_frozen_is_used_as_it_is() -> None:
    import pymc as pm

    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, initval=x + 1.0)
    assert model_with_compiled_memory(model) is model


def same(one: xr.DataTree, other: xr.DataTree) -> None:
    assert set(one.children) == set(other.children)
    for group in one.children:
        if group != "sample_stats":  # which holds times
            xr.testing.assert_identical(
                one[group].to_dataset().drop_attrs(), other[group].to_dataset().drop_attrs()
            )


@pytest.mark.slow
def test_draws_are_the_same_with_and_without_what_was_kept() -> None:
    """Every group, the labels included, for a table that met the model of another one."""
    one, other = tables(2)
    c = bc.compare(other)
    forget_compiled_models()
    fresh = c.sample(60, rng=3, **QUICK)
    forget_compiled_models()
    bc.compare(one).sample(60, rng=1, **QUICK)
    (key,) = compiled._KEPT
    met = compiled._KEPT[key].sampled
    again = c.sample(60, rng=3, **QUICK)
    assert compiled._KEPT[key].sampled is met
    same(fresh, again)
    assert again["log_likelihood"]["dataset"].values.tolist() == list(other.datasets)


@pytest.mark.slow
def test_the_posterior_is_that_of_the_table_asked_about() -> None:
    """After the model of quite another table the draws agree with the closed form."""
    _, other = tables(2)
    turned = table(-other.oriented(), datasets=other.datasets, measures=dict(other.spec))
    bc.compare(turned).sample(100, rng=1, **QUICK)
    c = bc.compare(other)
    tree = c.sample(1000, rng=2, chains=4, cores=1, progressbar=False)
    theta = tree["posterior"]["theta"]
    import arviz as az

    mean, error = theta.mean(("chain", "draw")), az.mcse(theta)
    expected = c.summary()["theta_mean"].reindex(theta["statement"].values)
    assert (abs(mean.values - expected.to_numpy()) < 4.0 * np.asarray(error) + 1e-12).all()
    assert c.diagnose(tree).ok
