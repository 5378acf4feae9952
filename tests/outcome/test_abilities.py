"""The table of abilities: no blank without a reason, and what is claimed works."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.outcome import registry
from bayescompare.outcome.comparison import QUANTITIES
from bayescompare.outcome.method import Method
from bayescompare.outcome.registry import (
    ABILITIES,
    FREQUENTIST,
    has_ability,
    has_quantity,
    options_for_ability,
    why_not,
)
from tests.methods.context.folds import frame_of, scores
from tests.methods.model_file.own import QUICK, by_measure, multinomial
from tests.tables import table

METHODS = {
    name: registry.saved_class_in_registry(name)
    for name in (*registry.names(), registry.MODEL_FILE)
}
CELLS = [(name, ability) for name in METHODS for ability in ABILITIES]

#: Abilities that run NUTS.
SAMPLED = {"sample"}

#: What a method's own prior may be replaced by, on a tiny table.
REPLACED = {
    "dirichlet": {"strength": 2.0},
    "network": {"ess": 2.0},
    "replicated": {"strength": 2.0},
    "poisson-binomial": {"b": 2.0},
    "hierarchical": {"mu": pm.Beta.dist(2.0, 2.0)},
    "correlated-t": {"b": 2.0},
    "gsd-bootstrap": {"weight": pm.Dirichlet.dist(np.ones(7))},
    "signed-rank": {"weight": pm.Dirichlet.dist(np.ones(8))},
}


# the table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ability"), CELLS)
def test_a_blank_has_a_reason(name: str, ability: str) -> None:
    method = METHODS[name]
    if has_ability(method, ability):
        lack = method.posterior_type.lacks.get(ability)
        assert lack is None or lack.unless
        return
    why = why_not(method, ability)
    assert why.endswith(".")
    assert why[0].isupper()
    assert len(why.split()) > 5


def test_what_is_declared_is_about_abilities() -> None:
    for method in METHODS.values():
        lacks = method.posterior_type.lacks
        assert set(lacks) <= set(ABILITIES) | QUANTITIES | {"psis", "prior_predictive"}
        for ability, lack in lacks.items():
            if lack.unless:
                asked = has_ability if ability in ABILITIES else has_quantity
                assert ability == "psis" or asked(method, ability)
                method(**lack.unless)


def test_the_table_is_what_the_classes_declare() -> None:
    found = bc.methods.abilities()
    assert found.index.tolist() == list(METHODS)
    assert found.columns.tolist() == list(ABILITIES)
    assert found.loc["poisson-binomial", ["draws", "model"]].tolist() == ["yes", "joint=True"]
    assert found.loc["glrt"].eq("").all()
    one = bc.methods.abilities("glrt")
    assert one["meaning"].eq(FREQUENTIST).all()
    pd.testing.assert_frame_equal(one, bc.methods.abilities(bc.methods.GLRT()))
    assert bc.methods.abilities("dirichlet").loc["loo", "meaning"] == ABILITIES["loo"]


@pytest.mark.parametrize("method", ["no-such", 3, int, None.__class__])
def test_an_unknown_method_is_refused(method: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="method="):
        bc.methods.abilities(method)


def test_an_unknown_ability_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="ability='fly'"):
        has_ability(bc.methods.GLRT, "fly")


# what is claimed works, what is not is refused ----------------------------------------------------


@cache
def tiny(kind: str, algorithms: int, measures: int) -> bc.Results:
    """A table of the kind that a method judges, as small as it may be."""
    if kind == "counts":
        errors = bc.load_example("lacoste-svm-parzen")
        return errors.sel(datasets=list(errors.datasets[3:8]))
    if kind == "replicates":
        return bc.Results.from_frame(
            frame_of(scores(n=4, k=4)), replicate="fold", measures={"score": "max"}
        )
    rng = np.random.default_rng(2)
    return table(rng.normal(size=(7, algorithms, measures)).round(1))


@cache
def answered(name: str, options: str) -> bc.Comparison:
    """A comparison by the method, with the options that an ability takes."""
    method: type[Method] = METHODS[name]
    if name == registry.MODEL_FILE:
        return bc.compare(tiny("cells", 2, 2), method=by_measure, rng=1, sampler=QUICK)
    chosen = next(
        (
            dict(lack.unless)
            for ability, lack in method.posterior_type.lacks.items()
            if lack.unless and options_for_ability(method, ability) == options
        ),
        {"resamples": 200} if name == "gsd-bootstrap" else {},
    )
    measures = 1 if method.scope.measure else 2
    results = tiny(str(method.accepts.judges), method.scope.algorithms, measures)
    return bc.compare(results, method=method(**chosen), rng=1)


def _priors(c: bc.Comparison) -> None:
    if c.method.name == registry.MODEL_FILE:
        model = bc.methods.ModelFile(multinomial, priors={"concentration": pm.Gamma.dist(2, 1)})
        assert "concentration" in model.model(c.results).named_vars
        return
    named = REPLACED[c.method.name]
    method = type(c.method)(priors=named)
    again = bc.compare(c.results, method=method, rng=1)
    assert again.method.options()["priors"]
    assert not np.allclose(again.probability, c.probability)


def _finite(figures: Any) -> None:
    assert np.isfinite(np.asarray(figures, dtype=float)).all()


def _model(c: bc.Comparison) -> None:
    assert "dataset" in c.model().coords


def _sample(c: bc.Comparison) -> None:
    tree = c.sample(50, chains=2, tune=100, cores=1, rng=1, progressbar=False)
    assert {"posterior", "sample_stats", "log_prior"} <= set(tree.children)


def _draws(c: bc.Comparison) -> None:
    tree = c.draws(20, chains=2, rng=1)
    assert isinstance(tree, xr.DataTree)
    assert dict(tree["posterior"].sizes)["draw"] == 20


def _loo(c: bc.Comparison) -> None:
    with warnings.catch_warnings():
        # So few draws, and so few datasets.
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        _finite(c.loo().elpd)


def _sensitivity(c: bc.Comparison) -> None:
    found = c.sensitivity([0.9, 1.0, 1.1])
    assert found.index.tolist() == [0.9, 1.0, 1.1]
    _finite(found)


def _plan(c: bc.Comparison) -> None:
    found = c.plan([2], simulations=5, rng=1)
    assert found["settled"].between(0.0, 1.0).all()


def _modelled(c: bc.Comparison) -> bc.Comparison:
    """The comparison, or one by a model file that says what a new dataset shows."""
    return c if c.method.name != registry.MODEL_FILE else multinomially()


@cache
def multinomially() -> bc.Comparison:
    return bc.compare(tiny("cells", 2, 2), method=multinomial, rng=1, sampler=QUICK)


def _predict(c: bc.Comparison) -> None:
    found = _modelled(c).predict(2, draws=5, rng=1)
    assert found.shape == (5, 2)


def _simulate(c: bc.Comparison) -> None:
    found = _modelled(c).simulate(rng=1)
    assert (found.datasets, found.algorithms) == (c.results.datasets, c.results.algorithms)
    assert found.truth is not None


def _evidence(c: bc.Comparison) -> None:
    if c.answer.log_evidence is not None or not has_quantity(type(c.method), "model"):
        _finite(c.log_evidence)
        return
    options: dict[str, Any] = {"cores": 1, "tune": 100, "progressbar": False}
    _finite(c.estimate_evidence(draws=100, chains=2, rng=1, **options))


TRIED: dict[str, Callable[[bc.Comparison], None]] = {
    "model": _model,
    "sample": _sample,
    "draws": _draws,
    "loo": _loo,
    "evidence": _evidence,
    "check": lambda c: _finite(c.check(rng=1)[["observed", "predicted"]]),
    "sensitivity": _sensitivity,
    "plan": _plan,
    "predict": _predict,
    "simulate": _simulate,
    "priors": _priors,
}

#: A model file is compiled anew for each of these.
COMPILED = {("model", "plan"), ("model", "predict"), ("model", "evidence")}
CLAIMED = [
    pytest.param(
        name,
        ability,
        marks=[pytest.mark.slow] if ability in SAMPLED or (name, ability) in COMPILED else [],
    )
    for name, ability in CELLS
    if has_ability(METHODS[name], ability)
]
REFUSED = [
    (name, ability)
    for name, ability in CELLS
    if not has_ability(METHODS[name], ability) and ability in TRIED and ability != "priors"
]


@pytest.mark.parametrize(("name", "ability"), CLAIMED)
def test_what_is_claimed_works(name: str, ability: str) -> None:
    TRIED[ability](answered(name, options_for_ability(METHODS[name], ability)))


@pytest.mark.parametrize(("name", "ability"), REFUSED)
def test_what_is_lacking_is_refused_in_one_line(name: str, ability: str) -> None:
    with pytest.raises(bc.BayescompareError, match=name):
        TRIED[ability](answered(name, ""))
