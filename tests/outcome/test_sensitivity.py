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
    assert "leads throughout" in ax.get_title(loc="left")


def test_sensitivity_of_other_methods(results: bc.Results, counts: bc.Results) -> None:
    network = bc.compare(results, method="network").sensitivity([0.5, 2.0])
    assert network.index.name == "ess"
    np.testing.assert_allclose(network.sum(axis=1), 1.0, atol=1e-9)
    context = bc.compare(counts, method="poisson-binomial").sensitivity([1.0])
    assert context.loc[1.0, "svm>parzen"] == pytest.approx(0.985346, abs=1e-6)


def test_within_so_wide_a_rope_everything_is_equivalent(results: bc.Results) -> None:
    c = bc.compare(results)
    table = c.rope_sensitivity("accuracy", ropes=[0.0, 1e9])
    assert table.loc[1e9, ["A=B|A>B", "A=B|B>A"]].sum() > 0.99
    assert table.index.name == "rope"
    assert len(c.rope_sensitivity("accuracy")) == 21


@pytest.mark.parametrize(
    ("prior", "alpha"),
    [
        ("jeffreys", [0.5] * 4),
        (2.0, [2.0] * 4),
        ({"A>B|A>B": 2.0, "*": 0.5}, [2.0, 0.5, 0.5, 0.5]),
        ({"B>A|*": 3.0, "*": 0.5}, [0.5, 0.5, 1.5, 1.5]),
    ],
)
def test_alphas_given_one_by_one_are_multiplied(
    results: bc.Results, prior: Any, alpha: list[float]
) -> None:
    c = bc.compare(results, method=bc.methods.Dirichlet(prior=prior))
    found = c.sensitivity([0.3, 1.0, 4.0])
    assert found.index.name == "power"
    for power in found.index:
        same = dict(zip(c.answer.labels, (power * np.array(alpha)).tolist(), strict=True))
        again = bc.compare(results, method=bc.methods.Dirichlet(prior=same)).probability
        np.testing.assert_allclose(found.loc[power, again["statement"].values], again.values)


def test_the_weight_of_beliefs_is_the_lever(results: bc.Results) -> None:
    belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    c = bc.compare(results, method=bc.methods.Dirichlet(prior=belief))
    found = c.sensitivity()
    assert found.index.name == "weight"
    assert (found.index.min(), found.index.max()) == pytest.approx((0.5, 50.0))
    for weight in (found.index[0], found.index[20]):
        again = bc.compare(
            results, method=bc.methods.Dirichlet(prior={**belief, "weight": weight})
        ).probability
        np.testing.assert_allclose(found.loc[weight, again["statement"].values], again.values)
    assert (np.array(found.attrs["lower"]) <= found[c.best] + 1e-12).all()
    assert (np.array(found.attrs["upper"]) >= found[c.best] - 1e-12).all()


@pytest.mark.slow
def test_powers_of_the_priors_of_a_pooled_model(counts: bc.Results) -> None:
    """A uniform prior of a share to the power γ is Beta(γ, γ); one of φ is scaled as it is."""
    few = counts.sel(datasets=list(counts.datasets[3:9]))
    found = bc.compare(few, method="hierarchical").sensitivity([0.5, 3.0])
    assert found.index.name == "power"
    for power in found.index:
        priors = {name: pm.Beta.dist(power, power) for name in ("mu", "rho")}
        again = bc.compare(few, method=bc.methods.Hierarchical(priors=priors)).probability
        np.testing.assert_allclose(found.loc[power], again.values, atol=1e-7)
    of_phi = bc.methods.Hierarchical(priors={"phi": pm.Gamma.dist(2.0, 0.5)})
    squared = {"phi": pm.Gamma.dist(3.0, 1.0), "mu": pm.Beta.dist(2.0, 2.0)}
    found = bc.compare(few, method=of_phi).sensitivity([2.0])
    again = bc.compare(few, method=bc.methods.Hierarchical(priors=squared)).probability
    np.testing.assert_allclose(found.loc[2.0], again.values, atol=1e-7)


def test_powers_of_a_prior_of_the_rate(counts: bc.Results) -> None:
    method = bc.methods.PoissonBinomial(joint=True, priors={"r": pm.Beta.dist(2.0, 3.0)})
    found = bc.compare(counts, method=method).sensitivity([0.5, 2.0])
    assert found.index.name == "power"
    for power in found.index:
        prior = {"r": pm.Beta.dist(2.0 * power, 3.0 * power)}
        same = bc.methods.PoissonBinomial(joint=True, priors=prior)
        again = bc.compare(counts, method=same).probability
        np.testing.assert_allclose(found.loc[power], again.values, atol=1e-9)


def test_a_prior_for_nuts_has_no_exact_curve(results: bc.Results) -> None:
    method = bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(2, 1)})
    exact = bc.compare(results)
    # As JSON gives it back: figures, and neither posterior nor chains.
    sampled = replace(exact, method=method, answer=replace(exact.answer, posterior=None))
    with pytest.raises(bc.BayescompareError, match="the chains of this answer were not saved"):
        sampled.sensitivity([1.0])
    with pytest.raises(bc.BayescompareError, match="NUTS"):
        sampled.rope_sensitivity("accuracy", ropes=[0.0])


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


@pytest.mark.parametrize("given", ["strength", "ess"])
def test_a_weight_given_as_a_prior_is_varied_as_the_option(results: bc.Results, given: str) -> None:
    method = bc.methods.Dirichlet if given == "strength" else bc.methods.Network
    found = bc.compare(results, method=method(priors={given: 2.0})).sensitivity([0.1, 1.0])
    assert found.index.name == given
    pd.testing.assert_frame_equal(
        found, bc.compare(results, method=method()).sensitivity([0.1, 1.0])
    )


#: Method, measures, values of the prior's weight, ropes of a measure, and what is told.
REFUSED: list[tuple[str, Any, Any, str]] = [
    *(("dirichlet", values, None, "values") for values in (["a"], "abc", [[1.0], [1.0, 2.0]])),
    ("dirichlet", [-1.0], None, "values"),
    ("glrt", None, None, "weight"),
    *(("dirichlet", None, ropes, "rope") for ropes in ([], ["a"], "abc", 5, [None])),
    *((name, None, [0.0, 1.0], name) for name in ("glrt", "wilcoxon", "sign", "gsd")),
]


@pytest.mark.parametrize(("method", "values", "ropes", "told"), REFUSED)
def test_what_has_no_curve_is_refused(
    results: bc.Results, method: str, values: Any, ropes: Any, told: str
) -> None:
    c = bc.compare(results, method=method, measures=["accuracy"])
    with pytest.raises(bc.BayescompareError, match=told):
        c.sensitivity(values) if ropes is None else c.rope_sensitivity("accuracy", ropes=ropes)


def test_ropes_are_of_two_algorithms_and_of_measures(
    results: bc.Results, counts: bc.Results, uci: bc.Results
) -> None:
    """A curve that is flat because the rope is not looked at shows no insensitivity."""
    with pytest.raises(bc.BayescompareError, match="acuracy"):
        bc.compare(results).rope_sensitivity("acuracy")
    with pytest.raises(bc.BayescompareError, match="two algorithms"):
        bc.compare(uci, algorithms=["GBM", "RF", "EN"]).rope_sensitivity("auc")
    for method in ("poisson-binomial", "hierarchical"):
        c = bc.compare(counts, method=method)
        with pytest.raises(bc.BayescompareError, match="rope"):
            c.rope_sensitivity(c.results.measures[0], ropes=[0.0, 10.0])
