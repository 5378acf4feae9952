"""How an answer depends on the weight of the prior and on the rope."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from tests.methods.model_file import simulated


def test_prior_sensitivity_is_the_question_asked_again(results: bc.Results) -> None:
    c = bc.compare(results)
    table = c.sensitivity([0.5, 1.0, 3.0])
    for s in table.index:
        again = bc.compare(results, method=bc.methods.Dirichlet(strength=s)).probability
        np.testing.assert_allclose(table.loc[s, again["statement"].values], again.values)
        bounds = bc.compare(
            results, method=bc.methods.Dirichlet(prior="imprecise", strength=s)
        ).bounds.sel(statement=c.best)
        k = table.index.get_loc(s)
        assert table.attrs["lower"][k] == pytest.approx(float(bounds.sel(bound="lower")))
        assert table.attrs["upper"][k] == pytest.approx(float(bounds.sel(bound="upper")))
    ax = bc.plots.plot_sensitivity(table, ax=Figure().subplots())
    drawn = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    np.testing.assert_allclose(drawn["B>A|B>A"], table["B>A|B>A"])
    assert "leads throughout" in ax.get_title(loc="left")


def test_sensitivity_of_other_methods(results: bc.Results, counts: bc.Results) -> None:
    network = bc.compare(results, method="network").sensitivity([0.5, 2.0])
    assert network.index.name == "ess"
    np.testing.assert_allclose(network.sum(axis=1), 1.0, atol=1e-9)
    context = bc.compare(counts, method="poisson-binomial").sensitivity([1.0])
    assert context.loc[1.0, "svm>parzen"] == pytest.approx(0.985346, abs=1e-6)
    for bad in (lambda: bc.compare(results, method="glrt").sensitivity(),):
        with pytest.raises(bc.BayescompareError, match="weight"):
            bad()
    with pytest.raises(bc.BayescompareError, match="values"):
        bc.compare(results).sensitivity([-1.0])


def test_rope_sensitivity(results: bc.Results) -> None:
    c = bc.compare(results)
    table = c.rope_sensitivity("accuracy", ropes=[0.0, 1e9])
    spec = {**results.spec, "accuracy": replace(results["accuracy"], rope=0.0)}
    again = bc.compare(bc.Results(results.data, spec)).probability
    np.testing.assert_allclose(table.loc[0.0, again["statement"].values], again.values)
    # Within so wide a rope everything is equivalent.
    assert table.loc[1e9, ["A=B|A>B", "A=B|B>A"]].sum() > 0.99
    assert table.index.name == "rope"
    assert len(c.rope_sensitivity("accuracy")) == 21
    with pytest.raises(bc.BayescompareError, match="acuracy"):
        c.rope_sensitivity("acuracy")
    with pytest.raises(bc.BayescompareError, match="two algorithms"):
        bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "RF", "EN"]).rope_sensitivity(
            "auc"
        )


def test_sensitivity_to_a_weight_given_as_a_prior(results: bc.Results) -> None:
    """Network(priors={"ess": 2}) is Network(ess=2): its weight varies like that."""
    plain = bc.compare(results, method="network").sensitivity([0.1, 10.0])
    given = bc.compare(results, method=bc.methods.Network(priors={"ess": 2.0}))
    found = given.sensitivity([0.1, 10.0])
    pd.testing.assert_frame_equal(found, plain)


@pytest.mark.parametrize(
    "method",
    [
        bc.methods.Dirichlet(prior="jeffreys"),
        bc.methods.Dirichlet(prior={"A>B|A>B": 2.0, "*": 0.5}),
        bc.methods.Dirichlet(priors={"strength": 2.0}),
    ],
)
def test_sensitivity_says_what_it_cannot_vary(results: bc.Results, method: Any) -> None:
    """Nobody gave a strength of 0.1, so that to complain of it explains nothing."""
    c = bc.compare(results, method=method)
    if method.priors is None:
        with pytest.raises(bc.BayescompareError, match="sensitivity"):
            c.sensitivity([0.1, 1.0])
    else:
        found = c.sensitivity([0.1, 1.0])
        assert found.index.tolist() == [0.1, 1.0]
        assert found.index.name == "strength"


def test_a_prior_for_nuts_has_no_exact_curve(results: bc.Results) -> None:
    method = bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(2, 1)})
    sampled = replace(bc.compare(results), method=method)
    with pytest.raises(bc.BayescompareError, match="sensitivity"):
        sampled.sensitivity([1.0])
    with pytest.raises(bc.BayescompareError, match="NUTS"):
        sampled.rope_sensitivity("accuracy", ropes=[0.0])


@pytest.mark.parametrize("values", [["a"], "abc", [[1.0], [1.0, 2.0]]])
def test_bad_prior_weights(results: bc.Results, values: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="values"):
        bc.compare(results).sensitivity(values)


@pytest.mark.parametrize("ropes", [[], ["a"], "abc", 5, [None]])
def test_bad_ropes(results: bc.Results, ropes: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="rope"):
        bc.compare(results).rope_sensitivity("accuracy", ropes=ropes)


@pytest.mark.parametrize("method", ["glrt", "wilcoxon", "sign", "gsd"])
def test_ropes_and_p_values(results: bc.Results, method: str) -> None:
    c = bc.compare(results, method=method, measures=["accuracy"])
    with pytest.raises(bc.BayescompareError, match=method):
        c.rope_sensitivity("accuracy", ropes=[0.0, 1.0])


@pytest.mark.parametrize("method", ["poisson-binomial", "hierarchical"])
def test_counts_of_errors_know_no_rope(counts: bc.Results, method: str) -> None:
    """A curve that is flat because the rope is not looked at shows no insensitivity."""
    c = bc.compare(counts, method=method)
    with pytest.raises(bc.BayescompareError, match="rope"):
        c.rope_sensitivity(c.results.measures[0], ropes=[0.0, 10.0])


def test_ropes_of_replicates_end_at_the_largest_difference() -> None:
    """Datasets far apart in level do not stretch the curve: only differences count."""
    folds = simulated.folds(np.array([0.02, -0.01, 0.05, 0.0]), 5, 0.02, 0)
    frame = folds.to_frame()
    frame["accuracy"] += 50.0 * (frame["dataset"] == "d0")
    apart = bc.Results.from_frame(frame, replicate="replicate", measures=dict(folds.spec))
    cells = apart.data["accuracy"].transpose("dataset", "algorithm", "replicate").values
    found = bc.compare(apart, method="correlated-t").rope_sensitivity("accuracy")
    assert found.index.max() <= np.abs(cells[:, 0] - cells[:, 1]).max() + 1e-9


def test_rope_sensitivity_is_the_question_asked_again(results: bc.Results) -> None:
    for method in ("dirichlet", "network"):
        c = bc.compare(results, method=method)
        differences = np.ptp(results.data["time"].values, axis=1)
        ropes = sorted({0.0, float(np.median(differences)), float(differences.max())})
        found = c.rope_sensitivity("time", ropes=ropes)
        for rope in ropes:
            spec = {**results.spec, "time": replace(results["time"], rope=rope)}
            again = bc.compare(bc.Results(results.data, spec), method=method).probability
            np.testing.assert_allclose(found.loc[rope, again["statement"].values], again.values)
