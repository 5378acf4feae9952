"""The analyst's bench: criticism, model comparison, planning, calibration, models by command."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import arviz as az
import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from matplotlib.figure import Figure
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.comparison.planning import next_cells
from bayescompare.kernels.dirichlet.cells import Cells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.modelling import ranks, statement_table
from bayescompare.studies.sbc import _MODELS, SBC, sbc


@pytest.fixture(scope="module")
def results() -> bc.Results:
    return bc.load_example("benavoli-example1")


@pytest.fixture(scope="module")
def counts() -> bc.Results:
    return bc.load_example("lacoste-svm-parzen")


# ------------------------------------------------------------------------------ model comparison


def test_models_beside_each_other(results: bc.Results) -> None:
    asked = [
        bc.compare(results),
        bc.compare(results, method=bc.methods.Dirichlet(prior="uniform")),
        bc.compare(results, method=bc.methods.Network(search=[])),
    ]
    found = bc.compare_models(asked, names=["symmetric", "uniform", "independent"])
    table = found.table
    assert sorted(table.index) == ["independent", "symmetric", "uniform"]
    for name, c in zip(["symmetric", "uniform", "independent"], asked, strict=True):
        assert table.loc[name, "log_evidence"] == c.log_evidence
        assert table.loc[name, "elpd"] == pytest.approx(float(c.loo().elpd))
    best = table["log_evidence"].max()
    np.testing.assert_allclose(table["bayes_factor"], np.exp(table["log_evidence"] - best))
    assert table["elpd"].is_monotonic_decreasing
    assert table["difference"].iloc[0] == 0.0
    np.testing.assert_allclose(table["difference"], table["elpd"].max() - table["elpd"])
    # By hand: the standard error of a difference is that of the sum of differences.
    one, other = (asked[k].loo().elpd_i.values for k in (2, 1))
    assert table.loc["uniform", "dse"] == pytest.approx(
        math.sqrt(len(one) * np.var(one - other)), rel=1e-6
    )
    assert table["weight"].sum() == pytest.approx(1.0)
    assert found.best in found.explain()
    assert (table["how"] == "exact").all()


def test_same_names_are_told_apart(results: bc.Results) -> None:
    asked = [bc.compare(results), bc.compare(results, method=bc.methods.Dirichlet(strength=2))]
    assert sorted(bc.compare_models(asked).table.index) == ["dirichlet", "dirichlet 2"]


def test_models_of_different_data_are_refused(results: bc.Results, counts: bc.Results) -> None:
    c = bc.compare(results)
    fewer = bc.compare(results.sel(datasets=results.datasets[:6]))
    one = bc.compare(results, measures=["time"])
    changed = results.to_frame()
    changed.loc[0, "accuracy"] += 1.0
    other = bc.Results.from_frame(changed, measures=dict(results.spec))
    for wrong, why in [
        ([c, fewer], "datasets"),
        ([c, one], "measures"),
        ([c, bc.compare(other)], "other values"),
        ([c], "at least two"),
        (c, "at least two"),
        ([c, results], "holds a Results"),
        ([c, bc.compare(results, method="glrt")], "glrt"),
        (
            [bc.compare(counts, method="dirichlet"), bc.compare(counts, method="hierarchical")],
            "predict different things",
        ),
    ]:
        with pytest.raises(bc.BayescompareError, match=why):
            bc.compare_models(wrong)  # type: ignore[arg-type]
    with pytest.raises(bc.BayescompareError, match="names"):
        bc.compare_models([c, c], names=["one"])


# --------------------------------------------------------------------------------------- criticism


def test_predictive_checks_of_statements(results: bc.Results) -> None:
    c = bc.compare(results)
    tree = c.draws(2000, chains=2, rng=1)
    table = c.check(tree)
    assert table.loc["distinct statements", "observed"] == 4
    assert table.loc["largest count", "observed"] == 6
    assert table.loc["A best on accuracy", "observed"] == 3
    drawn = tree["posterior_predictive"]["outcome"].values
    distinct = (drawn.sum(axis=2) > 0).sum(axis=-1)
    assert table.loc["distinct statements", "predicted"] == pytest.approx(distinct.mean())
    # E wins on a measure is n times the posterior mean of its marginal.
    marginal = tree["posterior"]["marginal"].sel(measure="time").mean().item()
    assert table.loc["A best on time", "predicted"] == pytest.approx(12 * marginal, abs=0.15)
    assert ((table["p"] > 0) & (table["p"] < 1)).all()
    before = c.check(tree, prior=True)
    assert not before.equals(table)


def test_a_misfit_shows(results: bc.Results) -> None:
    """Under a prior that insists on one statement, data of four are surprising."""
    labels = statement_table(results).labels
    sure = bc.methods.Dirichlet(prior={labels[0]: 500.0, "*": 0.01})
    table = bc.compare(results, method=sure).check(rng=1)
    assert table.loc["distinct statements", "p"] < 0.01
    assert table.loc["A best on accuracy", "p"] > 0.99


def test_predictive_checks_of_counts(counts: bc.Results) -> None:
    for method in (bc.methods.PoissonBinomial(joint=True), bc.methods.Hierarchical()):
        table = bc.compare(counts, method=method).check(rng=1)
        assert table.loc["datasets with fewer errors of the first", "observed"] == 17
        assert table["p"].between(0.02, 0.98).all()


def test_a_tree_without_predictions_is_refused(results: bc.Results) -> None:
    c = bc.compare(results)
    with pytest.raises(bc.BayescompareError, match="posterior_predictive"):
        c.check(xr.DataTree())


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


# ---------------------------------------------------------------------------------------- planning


def test_one_more_dataset_by_enumeration(results: bc.Results) -> None:
    """The urn against summing over where one further dataset falls."""
    c = bc.compare(results)
    shape = c.answer.counts + 0.25
    expected = 0.0
    for k in range(4):
        counts = c.answer.counts.copy()
        counts[k] += 1
        p, _ = probability_of_maximum(Cells(np.full(4, math.log(0.25)), counts))
        expected += shape[k] / shape.sum() * (p.max() >= 0.8)
    found = c.plan([1], threshold=0.8, simulations=2000, rng=1)
    assert 0 < expected < 1
    assert found.loc[1, "settled"] == pytest.approx(expected, abs=4 * found.loc[1, "mcse"])


def test_the_urn_is_exchangeable_and_lists_new_statements() -> None:
    """Two datasets fall into the same unlisted statement as often as Pólya says."""
    size = 1000.0
    cells = Cells(
        np.array([math.log(1 / size)]), np.array([0.0]), -math.log(size), math.log(size - 1)
    )
    rng = np.random.default_rng(0)
    lengths = [len(next_cells(cells, 2, rng)) for _ in range(3000)]
    # Both in one statement: (1 + 1/1000)/(1 + 1), whichever it is.
    same = np.mean([n == 2 for n in lengths]) + np.mean([n == 1 for n in lengths])
    assert same == pytest.approx((1 + 1 / size) / 2, abs=0.04)


def test_more_datasets_settle_more(counts: bc.Results) -> None:
    few = counts.sel(datasets=list(counts.datasets[3:9]))
    for joint in (False, True):
        plan = bc.compare(few, method=bc.methods.PoissonBinomial(joint=joint)).plan(
            [5, 60], simulations=200, rng=1
        )
        assert plan.loc[60, "settled"] > plan.loc[5, "settled"]
        assert (plan["settled_on_best"] <= plan["settled"]).all()
    same = [
        bc.compare(few, method="poisson-binomial").plan([5], simulations=50, rng=7) for _ in "ab"
    ]
    pd.testing.assert_frame_equal(*same)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"more": []}, "more"),
        ({"more": [0]}, "more"),
        ({"more": "ten"}, "more"),
        ({"more": [5], "threshold": 0.4}, "threshold"),
        ({"more": [5], "simulations": 0}, "simulations"),
    ],
)
def test_bad_plans(results: bc.Results, arguments: dict, why: str) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        bc.compare(results).plan(**arguments)
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        bc.compare(results, method="glrt").plan([5])


# ------------------------------------------------------------------------------------- calibration


@pytest.mark.parametrize(
    ("model", "simulations"), [("dirichlet", 1500), ("poisson-binomial", 1500)]
)
def test_ranks_are_uniform(model: str, simulations: int) -> None:
    found = sbc(model, simulations=simulations, rng=3)
    assert found.ok, found
    assert ((found.ranks >= 0) & (found.ranks <= 99)).all().all()


def test_ranks_of_network_and_pooled_models_are_uniform() -> None:
    assert sbc("network", simulations=600, rng=3).ok
    assert sbc("hierarchical", simulations=60, rng=3).ok


def test_a_wrong_posterior_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too narrow a posterior must not pass."""

    def narrow(simulations: int, draws: int, rng: np.random.Generator):
        for _ in range(simulations):
            truth = rng.normal()
            seen = truth + rng.normal()
            yield {"mean": (truth, rng.normal(seen / 2, 0.5 * math.sqrt(0.5), draws))}

    monkeypatch.setitem(_MODELS, "narrow", narrow)
    assert not sbc("narrow", simulations=800, rng=0).ok


def test_the_picture_of_ranks() -> None:
    found = SBC("model", pd.DataFrame({"x": np.arange(100)}), 99)
    ax = found.plot(ax=Figure().subplots())
    (line,) = ax.get_lines()
    assert np.abs(line.get_ydata()).max() < 0.011
    with pytest.raises(bc.BayescompareError, match="model='nothing': must be one of dirichlet"):
        sbc("nothing")
    with pytest.raises(bc.BayescompareError, match="simulations=0"):
        sbc("dirichlet", simulations=0)


# ------------------------------------------------------------------------------------------ arviz


@pytest.mark.parametrize("which", ["dirichlet", "network", "joint", "hierarchical"])
def test_stock_arviz_takes_the_trees(which: str, results: bc.Results, counts: bc.Results) -> None:
    c, names = {
        "dirichlet": lambda: (bc.compare(results), ["theta"]),
        "network": lambda: (bc.compare(results, method="network"), ["theta"]),
        "joint": lambda: (bc.compare(counts, method=bc.methods.PoissonBinomial(joint=True)), ["r"]),
        "hierarchical": lambda: (bc.compare(counts, method="hierarchical"), ["mu", "rho"]),
    }[which]()
    tree = c.draws(100, chains=4, rng=1)
    summary = az.summary(tree, var_names=names)
    assert len(summary) == {"dirichlet": 4, "network": 4, "joint": 1, "hierarchical": 2}[which]
    sensitivity = az.psense_summary(tree, var_names=names)
    assert np.isfinite(sensitivity[["prior", "likelihood"]].to_numpy(dtype=float)).all()


# ------------------------------------------------------------------------------- modelling, models


def test_ranks_share_ties() -> None:
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": list("ABC"), "time": [2.0, 1.0, 2.0], "auc": [0.1, 0.2, 0.3]}
    )
    both = bc.Results.from_frame(frame, measures={"time": "min", "auc": "max"})
    assert ranks(both)[0].tolist() == [[2.5, 3.0], [1.0, 2.0], [2.5, 1.0]]


def test_the_statement_table_is_that_of_the_test() -> None:
    table = statement_table(bc.load_example("pnn"))
    assert table.weights.sum(axis=0).tolist() == [3.0, 1.0, 0.0, 0.0]
    np.testing.assert_allclose(table.weights.sum(axis=1), 1.0)
    assert [tuple(s) for s in table.states] == list(itertools.product((0, 1), repeat=2))
    with pytest.raises(bc.BayescompareError, match="too many"):
        statement_table(bc.load_example("jansen-uci"))


def test_models_are_listed_shown_and_copied(tmp_path: Path) -> None:
    run = CliRunner()
    listed = run.invoke(app, ["models", "list"])
    assert "dirichlet_hyperprior" in listed.stdout
    shown = run.invoke(app, ["models", "show", "dirichlet_hyperprior"])
    assert "def build(results" in shown.stdout
    target = tmp_path / "mine.py"
    assert run.invoke(app, ["models", "copy", "dirichlet_hyperprior", str(target)]).exit_code == 0
    assert target.read_text() == shown.stdout
    again = run.invoke(app, ["models", "copy", "dirichlet_hyperprior", str(target)])
    assert (again.exit_code, again.stderr.count("\n")) == (2, 1)
    assert run.invoke(app, ["models", "show", "dirichlet_hyperpriors"]).exit_code == 2
    found = bc.methods.describe(str(target))
    assert found.loc["concentration", "default"] == "Gamma(2.0, 1.0)"


def test_calibrate_on_the_command_line(tmp_path: Path) -> None:
    picture = tmp_path / "ranks.png"
    done = CliRunner().invoke(
        app,
        ["calibrate", "dirichlet", "--simulations", "300", "--seed", "1", "--plot", str(picture)],
    )
    assert done.exit_code == 0, done.stderr
    assert "ranks are uniform" in done.stdout
    assert picture.stat().st_size > 1000


def test_a_saved_model_is_not_run(tmp_path: Path, results: bc.Results) -> None:
    """Reading a comparison must run no code, whatever file it names."""
    method = bc.methods.ModelFile("dirichlet_hyperprior")
    kept = bc.methods.ModelFile(**method.options())
    with pytest.raises(bc.BayescompareError, match="name it yourself"):
        kept.model(results)


def test_a_wrong_name_says_what_there_is(results: bc.Results) -> None:
    for method in ("nothing.py", "dirichlet_hyperpriors"):
        with pytest.raises(bc.BayescompareError, match=r"no such model|unknown"):
            bc.compare(results, method=method)
    with pytest.raises(bc.BayescompareError, match="takes no such argument"):
        bc.compare(
            results, method=bc.methods.ModelFile("dirichlet_hyperprior", priors={"beta": 1.0})
        )


@pytest.mark.filterwarnings("ignore:Numba will use object mode")
def test_the_bundled_models_log_density(results: bc.Results) -> None:
    model = bc.methods.ModelFile("dirichlet_hyperprior").model(results)
    value = model.compile_logp()(
        {"concentration_log__": math.log(0.7), "theta_simplex__": np.array([0.1, -0.2, 0.3])}
    )
    assert np.isfinite(value)
    with model:
        drawn = pm.draw(model["outcome"], 3, random_seed=1)
    assert drawn.sum(axis=-1).tolist() == [[1.0] * 12] * 3
