"""An edited model as a method: ``method=lambda results: edited`` has all that a comparison has."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pymc as pm
import pytest

import bayescompare as bc
from bayescompare.methods import model_file
from tests.methods.model_file.own import QUICK

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def edited(results: bc.Results) -> pm.Model:
    """Equal odds on the first measure, whichever way the second goes."""
    model = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform")).model()
    with model:
        theta = model["theta"]
        pm.Potential("even", pm.logp(pm.Normal.dist(0.0, 0.05), theta[0] + theta[1] - 0.5))
    return model


@pytest.fixture(scope="module")
def wrapped(results: bc.Results) -> bc.Comparison:
    model = edited(results)
    return bc.compare(results, method=lambda results: model, rng=1, sampler=QUICK)


@pytest.mark.slow
def test_the_edited_model_is_the_one_that_was_sampled(
    wrapped: bc.Comparison, results: bc.Results
) -> None:
    plain = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform")).draws(500, rng=1)
    first = [wrapped.tree, plain]
    away = [
        abs(t["posterior"]["theta"].isel(statement=[0, 1]).sum("statement") - 0.5) for t in first
    ]
    assert float(away[0].mean()) < 0.5 * float(away[1].mean())
    assert "even" not in wrapped.tree["posterior"]


@pytest.mark.slow
def test_it_has_what_every_comparison_has(wrapped: bc.Comparison, tmp_path: Path) -> None:
    assert wrapped.summary()["probability"].sum() == pytest.approx(1.0)
    assert wrapped.explain().startswith("By a model of your own on 12 datasets")
    assert "<lambda>" not in wrapped.explain() + repr(wrapped)
    assert wrapped.loo().elpd_i.dims == ("dataset",)
    assert wrapped.loo().n_data_points == 12
    assert wrapped.diagnose().figures["divergences"] >= 0
    assert set(wrapped.check().columns) >= {"observed", "predicted", "p"}
    wrapped.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "lambda" not in page
    assert "by a custom generative model" in page


@pytest.mark.slow
def test_reading_it_back_runs_no_code(
    wrapped: bc.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped.to_netcdf(tmp_path / "c.nc")

    def run(source: object) -> None:
        raise AssertionError(f"{source} was run")

    monkeypatch.setattr(model_file, "find_source", run)
    again = bc.load_comparison(tmp_path / "c.nc")
    np.testing.assert_array_equal(again.probability.values, wrapped.probability.values)
    assert again.explain() == wrapped.explain()
    assert again.loo().elpd == wrapped.loo().elpd
    again.report(tmp_path / "again.html")
    with pytest.raises(bc.BayescompareError, match=r"compare\(c\.results, method=build\)"):
        again.model()


def test_a_function_lends_its_name(results: bc.Results) -> None:
    for method in (edited, partial(edited)):
        assert bc.methods.ModelFile(method).options()["source"] == "edited"


def test_a_model_that_is_not_wrapped_is_told_how(results: bc.Results) -> None:
    with pytest.raises(bc.BayescompareError, match="method=lambda results: model"):
        bc.compare(results, method=pm.Model())  # type: ignore[arg-type]
