"""A second look at the analyst's bench: numbers by other ways, and input that is wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import arviz as az
import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from matplotlib.figure import Figure
from scipy.optimize import minimize
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.modelling import prior, statement_table
from bayescompare.studies import sbc, sbc_model
from tests.methods.model_file import simulated
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")

ModelFile = bc.methods.ModelFile
QUICK: dict[str, Any] = {"draws": 60, "tune": 60, "chains": 2, "cores": 1, "progressbar": False}


@pytest.fixture(scope="module")
def results() -> bc.Results:
    return bc.load_example("benavoli-example1")


@pytest.fixture(scope="module")
def counts() -> bc.Results:
    return bc.load_example("lacoste-svm-parzen")


def by_measure(results: bc.Results) -> pm.Model:
    """One win or loss for each dataset *and* measure."""
    values = results.oriented()
    coords = {
        "dataset": results.datasets,
        "measure": results.measures,
        "algorithm": results.algorithms,
    }
    with pm.Model(coords=coords) as model:
        s = pm.Normal("s", 0, 1, dims="measure")
        pm.Deterministic("strength", pm.math.stack([s, -s]), dims=("algorithm", "measure"))
        won = (values[:, 0] > values[:, 1]).astype(int)
        pm.Bernoulli("win", logit_p=2 * s, observed=won, dims=("dataset", "measure"))
    return model


def multinomial(results: bc.Results, **priors: Any) -> pm.Model:
    """Signed as the documentation writes it: ``build(results, **priors)``."""
    seen = statement_table(results)
    with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
        alpha = prior("concentration", priors.get("concentration", 1.0))
        theta = pm.Dirichlet("theta", alpha * np.ones(len(seen.labels)), dims="statement")
        weights = seen.weights.astype(int)
        pm.Multinomial("outcome", 1, theta, observed=weights, dims=("dataset", "statement"))
    return model


@pytest.fixture(scope="module")
def own(results: bc.Results) -> bc.Comparison:
    """A model of the user's own whose observed variable is none of ours."""
    return bc.compare(results, method=by_measure, rng=1, sampler=QUICK)


# -------------------------------------------------------------------------------- model comparison


def independent_measures(seed: int, n: int = 14) -> bc.Results:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1)) * rng.choice([0.5, 1, 2])
    difference = common + rng.normal(size=(n, 3))
    return table(np.stack([difference, np.zeros_like(difference)], axis=1))


def test_a_graph_that_was_learned_is_learned_anew_without_the_dataset_left_out() -> None:
    """With the graph of all the data, the dataset left out has had its say in the prediction.

    Here the graph of all data has elpd -31.1, ahead of the full table's -35.4; learned anew each
    time the elpd is -38.0, behind it.
    """
    whole = independent_measures(4)
    quick = bc.methods.Network(mcse=0.05)  # the probabilities are not what is asked
    c = bc.compare(whole, method=quick)
    without = []
    for left_out in whole.datasets:
        rest = whole.sel(datasets=[name for name in whole.datasets if name != left_out])
        learned = bc.compare(rest, method=quick)
        details = learned.answer.details
        same = bc.methods.Network(
            search=[tuple(edge) for edge in details["edges"]],
            max_parents=details["max_parents"],
            mcse=0.05,
        )
        without.append(bc.compare(whole, method=same).log_evidence - learned.log_evidence)
    found = bc.compare_models([c, bc.compare(whole)], names=["network", "full"])
    assert found.table.loc["network", "how"] == "exact"
    np.testing.assert_allclose(c.loo().elpd_i.values, without, atol=1e-9)


def test_stacking_weights_are_the_best_mixture(results: bc.Results) -> None:
    asked = {
        "full": bc.compare(results),
        "independent": bc.compare(results, method=bc.methods.Network(search=[])),
        "odd": bc.compare(results, method=bc.methods.Dirichlet(prior={"A>B|A>B": 20.0, "*": 0.1})),
    }
    found = bc.compare_models(list(asked.values()), names=list(asked)).table
    density = np.exp(np.column_stack([asked[str(k)].loo().elpd_i.values for k in found.index]))

    def loss(z: np.ndarray) -> float:
        weight = np.exp(z - z.max())
        return -float(np.log(density @ (weight / weight.sum())).sum())

    best = min(
        minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000}).fun
        for start in np.random.default_rng(0).normal(size=(3, 3))
    )
    assert -np.log(density @ found["weight"].to_numpy()).sum() == pytest.approx(best, abs=1e-4)
    assert found["weight"].max() > 0.9
    for name, c in asked.items():
        each = c.loo().elpd_i.values
        assert found.loc[name, "se"] == pytest.approx(math.sqrt(len(each) * each.var()))
        assert found.loc[name, "p"] > 0


def test_the_words_about_models_follow_the_figures(results: bc.Results) -> None:
    """The network is ahead by about one; the model that insists on one statement by many."""
    odd = bc.methods.Dirichlet(prior={"A>B|A>B": 50.0, "*": 0.1})
    asked = [bc.compare(results), bc.compare(results, method=odd)]
    said = bc.compare_models(asked, names=["full", "odd"]).explain()
    assert "clearly ahead of odd" in said
    assert "times as probable as odd" in said
    same = bc.compare_models([asked[0], bc.compare(results)]).explain()
    assert "do not tell them apart" in same
    assert "evidence does not tell" in same


def test_a_bayes_factor_is_told_and_a_poor_k_hat_too(results: bc.Results) -> None:
    uniform = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform"))
    full = bc.compare(results)
    found = bc.compare_models([full, uniform], names=["full", "uniform"])
    factor = math.exp(uniform.log_evidence - full.log_evidence)
    assert f"uniform is {factor:.3g} times as probable as full" in found.explain()
    assert "PSIS" not in found.explain()
    poor = replace(found, table=found.table.assign(khat=[0.9, 0.2]))
    assert f"PSIS is unreliable for {found.table.index[0]} (" in poor.explain()


def test_the_evidence_of_a_chosen_graph_is_told_as_such(results: bc.Results) -> None:
    """The data chose the graph: its evidence is the greatest of all graphs', not the model's.

    4.9 against the full table, where over all graphs, which are equally probable, it is 2.3.
    """
    full, network = bc.compare(results), bc.compare(results, method="network")
    over_all = bc.compare(results, method=bc.methods.Network(average=True)).log_evidence
    found = bc.compare_models([full, network], names=["full", "network"])
    assert found.table.loc["network", "log_evidence"] > over_all
    assert "of the graph which the data chose" in found.explain()


def test_other_directions_are_other_data(results: bc.Results) -> None:
    flipped = bc.Results(results.data, {**results.spec, "time": bc.Measure("max")})
    with pytest.raises(bc.BayescompareError, match="predict different things"):
        bc.compare_models([bc.compare(results), bc.compare(flipped)])


def test_names_that_are_no_list_are_refused(results: bc.Results) -> None:
    c = bc.compare(results)
    with pytest.raises(bc.BayescompareError, match="names"):
        bc.compare_models([c, c], names=5)  # type: ignore[arg-type]


def test_a_sampled_answer_read_from_json_says_that_its_chains_are_gone(
    own: bc.Comparison, tmp_path: Path
) -> None:
    own.to_json(tmp_path / "own.json")
    kept = bc.load_comparison(tmp_path / "own.json")
    for ask in (lambda: bc.compare_models([kept, bc.compare(own.results)]), kept.check):
        with pytest.raises(bc.BayescompareError, match=r"chains|saved"):
            ask()


# --------------------------------------------------------------------------- leave-one-dataset-out


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
    with pytest.raises(bc.BayescompareError, match="cannot be weighed"):
        c.loo(tree)


# --------------------------------------------------------------------------------------- diagnosis


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


def test_two_likelihoods_are_diagnosed(results: bc.Results) -> None:
    """The model file's check lets several observed variables pass; the chains are there."""
    c = bc.compare(results)
    tree = c.draws(500, rng=1)
    tree["log_likelihood"]["more"] = 2.0 * tree["log_likelihood"]["outcome"]
    assert c.diagnose(tree).figures["least ESS"] > 100


def test_what_is_no_tree_is_refused(results: bc.Results) -> None:
    c = bc.compare(results)
    for ask in (c.diagnose, c.loo, c.check):
        with pytest.raises(bc.BayescompareError, match="tree"):
            ask(5)  # type: ignore[operator]


def test_the_words_warn_of_a_posterior_that_is_not_to_be_trusted(own: bc.Comparison) -> None:
    assert not own.diagnose().ok
    assert "not trustworthy" in own.explain()


# --------------------------------------------------------------------------------------- criticism


def test_predicted_statistics_by_enumeration(results: bc.Results) -> None:
    """Pólya's urn, every composition of twelve: mean, interval and p."""
    from itertools import product

    from scipy.special import gammaln

    shape = np.array([1.0, 2.0, 3.0, 6.0]) + 0.25
    outcomes = np.array([k for k in product(range(13), repeat=3) if sum(k) <= 12])
    outcomes = np.column_stack([outcomes, 12 - outcomes.sum(axis=1)])
    log_p = gammaln(13) - gammaln(outcomes + 1).sum(axis=1) + gammaln(shape.sum())
    log_p += (gammaln(outcomes + shape) - gammaln(shape)).sum(axis=1) - gammaln(shape.sum() + 12)
    p = np.exp(log_p)
    c = bc.compare(results)
    found = c.check(c.draws(5000, rng=1))
    for name, values, seen in (
        ("distinct statements", (outcomes > 0).sum(axis=1), 4),
        ("largest count", outcomes.max(axis=1), 6),
        ("A best on accuracy", outcomes[:, 0] + outcomes[:, 1], 3),
        ("A best on time", outcomes[:, 0] + outcomes[:, 2], 4),
    ):
        row = found.loc[name]
        assert row["observed"] == seen
        assert row["predicted"] == pytest.approx(p @ values, abs=0.08)
        assert row["p"] == pytest.approx(p @ ((values > seen) + 0.5 * (values == seen)), abs=0.02)
        order = np.argsort(values)
        cumulative = np.cumsum(p[order])
        for end, at in (("lower", 0.025), ("upper", 0.975)):
            expected = values[order][np.searchsorted(cumulative, at)]
            assert abs(row[end] - expected) <= 1


def test_tied_datasets_are_not_more_statements_than_datasets() -> None:
    """A tied dataset is one dataset; predictions hold one statement each, and so must it."""
    values = np.random.default_rng(0).normal(size=(6, 2, 2))
    values[0] = values[0, :1]  # tied on both measures: a quarter in each of four statements
    values[1:, 0] += 5.0
    found = bc.compare(table(values)).check(rng=1)
    assert found.loc["distinct statements", "observed"] <= 2
    assert found.loc["distinct statements", "p"] > 0.02


def test_statistics_of_error_counts_by_hand(counts: bc.Results) -> None:
    c = bc.compare(counts, method=bc.methods.PoissonBinomial(joint=True))
    tree = c.draws(50, rng=1)
    k = c.per_dataset["first_wrong"].to_numpy()
    n = k + c.per_dataset["second_wrong"].to_numpy()
    drawn = tree["posterior_predictive"]["first_wrong"].transpose(..., "dataset").values
    found = c.check(tree)
    for name, of in (
        ("datasets with fewer errors of the first", lambda x: (x < n / 2).sum(axis=-1)),
        ("share of errors that are the first's", lambda x: x.sum(axis=-1) / n.sum()),
        ("spread of that share over datasets", lambda x: (x / np.maximum(n, 1)).std(axis=-1)),
    ):
        assert found.loc[name, "observed"] == pytest.approx(of(k))
        assert found.loc[name, "predicted"] == pytest.approx(of(drawn).mean())


def test_ties_make_no_misfit() -> None:
    """Ten datasets on which all tie say nothing, so that no statistic of theirs is surprising.

    Weights split over statements, or ties counted as few statements as can be, are not what the
    predictions are: those hold one statement each.
    """
    values = np.repeat(np.random.default_rng(0).normal(size=(10, 1, 1)), 3, axis=1)
    values[0, 0] += 1.0  # one dataset has a winner
    found = bc.compare(table(values)).check(rng=1)
    assert found["p"].between(0.02, 0.98).all(), found


def test_what_is_lumped_is_not_told_as_one_statement() -> None:
    """Beyond 256 statements nobody knows who wins in "(other)", nor how many are there."""
    c = bc.compare(bc.load_example("jansen-uci").sel(algorithms=["GBM", "RF", "EN", "CART"]))
    assert c.answer.size > 256
    tree = c.draws(500, rng=1)
    assert c.check(tree).index.tolist() == ["largest count of a listed statement"]
    with pytest.raises(bc.BayescompareError, match="beyond 256 statements"):
        c.check(tree, prior=True)


def test_predictive_checks_of_a_model_of_ones_own(own: bc.Comparison) -> None:
    """Mean, spread and extremes of what it observes, against what its tree predicts."""
    found = own.check()
    seen = own.tree["observed_data"]["win"].values
    drawn = own.tree["posterior_predictive"]["win"].values
    assert found.loc["mean of win", "observed"] == pytest.approx(seen.mean())
    assert found.loc["mean of win", "predicted"] == pytest.approx(drawn.mean())
    assert found["p"].between(0, 1).all()


# ------------------------------------------------------------------------------------- sensitivity


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


def test_the_pictures_of_sensitivity(results: bc.Results) -> None:
    c = bc.compare(results)
    table_ = c.sensitivity()
    assert table_.index.min() == pytest.approx(0.1)
    assert table_.index.max() == pytest.approx(10.0)
    ax = bc.plots.plot_sensitivity(table_, ax=Figure().subplots())
    assert ax.get_xscale() == "log"
    (band,) = ax.collections
    drawn = band.get_paths()[0].vertices[:, 1]
    assert drawn.min() == pytest.approx(min(table_.attrs["lower"]))
    assert drawn.max() == pytest.approx(max(table_.attrs["upper"]))
    ropes = bc.plots.plot_sensitivity(c.rope_sensitivity("time"), ax=Figure().subplots())
    assert ropes.get_xscale() == "linear"


# ---------------------------------------------------------------------------------------- planning


def test_the_plan_by_enumeration(results: bc.Results) -> None:
    """Three more datasets: every composition, with Pólya's probabilities; which one leads, too."""
    from itertools import product

    method = bc.methods.Dirichlet(prior={"A>B|A>B": 3.0, "*": 0.2})
    c = bc.compare(results, method=method)
    place, threshold = c.answer.labels.index(c.best), 0.6
    alpha = np.array([3.0, 0.2, 0.2, 0.2])
    settled = best = 0.0
    answers: dict[tuple[int, ...], np.ndarray] = {}
    from bayescompare.kernels.dirichlet.cells import Cells
    from bayescompare.kernels.dirichlet.maximum import probability_of_maximum

    for path in product(range(4), repeat=3):
        shape, p = alpha + c.answer.counts, 1.0
        for k in path:
            p *= shape[k] / shape.sum()
            shape = shape + np.eye(4)[k]
        key = tuple(sorted(path))
        if key not in answers:
            counted = c.answer.counts + np.bincount(path, minlength=4)
            answers[key] = probability_of_maximum(Cells(np.log(alpha), counted))[0]
        settled += p * (answers[key].max() >= threshold)
        best += p * (answers[key][place] >= threshold)
    found = c.plan([3], threshold=threshold, simulations=2000, rng=1).loc[3]
    assert 0.1 < best <= settled < 0.9
    assert found["settled"] == pytest.approx(settled, abs=4 * found["mcse"])
    assert found["settled_on_best"] == pytest.approx(best, abs=4 * found["mcse"])
    assert found["mcse"] == pytest.approx(math.sqrt(settled * (1 - settled) / 2000), rel=0.1)


def test_the_plan_for_error_counts_by_simulation(counts: bc.Results) -> None:
    """Rate, errors and answer simulated anew; the question asked by `compare`."""
    few = counts.sel(datasets=list(counts.datasets[3:8]))
    method = bc.methods.PoissonBinomial(joint=True)
    c = bc.compare(few, method=method)
    k_h, k_g = (c.per_dataset[k].to_numpy() for k in ("first_wrong", "second_wrong"))
    rng = np.random.default_rng(3)
    rates = c.draws(150, chains=1, rng=5)["posterior"]["r"].values.ravel()
    hits = []
    for rate in rates:
        n = rng.choice(k_h + k_g, size=8).astype(int)
        z = rng.random(8)
        low = np.minimum(z, 1 - z)
        wrong = rng.binomial(n, np.where(rng.random(8) < rate, low, 1 - low))
        frame = pd.DataFrame(
            {
                "dataset": [f"d{i}" for i in range(13)],
                "h": np.append(k_h, wrong).astype(int),
                "g": np.append(k_g, n - wrong).astype(int),
            }
        )
        more = bc.ErrorCounts.from_frame(
            frame,
            dataset="dataset",
            first_wrong="h",
            second_wrong="g",
            algorithms=("svm", "parzen"),
        )
        hits.append(bc.compare(more, method=method).probability.values >= 0.8)
    found = c.plan([8], threshold=0.8, simulations=1000, rng=1).loc[8]
    place = c.answer.labels.index(c.best)
    assert found["settled"] == pytest.approx(np.any(hits, axis=1).mean(), abs=0.15)
    assert found["settled_on_best"] == pytest.approx(np.mean(hits, axis=0)[place], abs=0.1)


def test_the_urn_runs_out_of_new_statements() -> None:
    """Of three equal statements one is listed: there are two to come, and no more."""
    from bayescompare.comparison.planning import next_cells
    from bayescompare.kernels.dirichlet.cells import Cells

    cells = Cells(np.zeros(1), np.zeros(1), 0.0, math.log(2.0))
    rng = np.random.default_rng(0)
    assert {len(next_cells(cells, 12, rng)) for _ in range(60)} <= {2, 3}


def test_numbers_of_datasets_come_as_an_array_too(results: bc.Results) -> None:
    found = bc.compare(results).plan(np.array([2, 4]), simulations=10, rng=1)
    assert found.index.tolist() == [2, 4]


# ------------------------------------------------------------------------------------- calibration


@pytest.mark.parametrize("draws", [9, 30, 50])
def test_any_number_of_draws_calibrates(draws: int) -> None:
    """31 ranks do not fill 20 bins evenly, and ten ranks are no continuum."""
    found = sbc("dirichlet", simulations=1500, draws=draws, rng=1)
    assert found.ok, found


def test_many_simulations_calibrate() -> None:
    """Ranks that are exactly uniform, of very many simulations, are uniform."""
    from bayescompare.studies.sbc import SBC

    for draws in (9, 99):
        even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 200_000 // (draws + 1))})
        assert SBC("model", even, draws).ok


def test_equal_values_do_not_spoil_the_ranks() -> None:
    """Under a sparse prior θ is 0 or 1 to the last digit, in truth and draws alike."""
    assert sbc("dirichlet", simulations=800, alpha=0.01, rng=1).ok


@pytest.mark.parametrize("factor", [1.5, 3.0])
def test_a_posterior_of_another_prior_strength_is_found(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    module = sys.modules["bayescompare.studies.sbc"]
    latents, log_theta = module.latents, module.log_theta

    def other(log_alpha: Any, counted: Any, size: Any, rng: Any) -> Any:
        return latents(log_alpha + (math.log(factor) if counted.any() else 0), counted, size, rng)

    def other_theta(log_alpha: Any, gamma: Any, exponential: Any) -> Any:
        many = gamma.shape[0] > 1
        return log_theta(log_alpha + (math.log(factor) if many else 0), gamma, exponential)

    monkeypatch.setattr(module, "latents", other)
    monkeypatch.setattr(module, "log_theta", other_theta)
    assert not sbc("dirichlet", simulations=1000, rng=1).ok
    assert not sbc("network", simulations=500, rng=1).ok


@pytest.mark.parametrize(
    "options", [{"statement": 3}, {"alpha": -1.0}, {"datasets": -1}, {"statements": 0}]
)
def test_bad_sizes_of_a_calibration(options: dict[str, Any]) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(options))):
        sbc("dirichlet", simulations=5, **options)


@pytest.mark.parametrize("given", [{"simulations": 0}, {"simulations": 2.5}, {"draws": 0}])
def test_bad_numbers_for_the_calibration_of_a_model_file(
    results: bc.Results, given: dict[str, Any]
) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(given))):
        sbc_model(multinomial, results, **{"simulations": 1, "draws": 3, **given})


@pytest.mark.slow
def test_ranks_of_a_model_file_by_nuts(results: bc.Results) -> None:
    """A right model passes; one that counts every dataset three times does not."""

    def thrice(results: bc.Results) -> pm.Model:
        seen = statement_table(results)
        with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
            theta = pm.Dirichlet("theta", np.ones(4), dims="statement")
            pm.CustomDist(
                "outcome",
                theta,
                logp=lambda value, theta: 3 * (value * pm.math.log(theta)).sum(axis=-1),
                random=lambda theta, rng=None, size=None: rng.multinomial(
                    1, theta, size=size
                ).astype(float),
                signature="(k)->(k)",
                observed=seen.weights,
                dims=("dataset", "statement"),
            )
        return model

    right = sbc_model(multinomial, results, simulations=80, rng=1)
    assert right.ok, right
    assert 0.35 < float(right.table["mean"].min()) <= float(right.table["mean"].max()) < 0.65
    assert not sbc_model(thrice, results, simulations=80, rng=1).ok


@pytest.mark.parametrize("draws", [9, 99])
def test_the_picture_of_ranks_agrees_with_the_verdict(draws: int) -> None:
    """Ranks that are exactly uniform stay in the band, however few there can be."""
    from bayescompare.studies.sbc import SBC

    even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 2000 // (draws + 1))})
    found = SBC("model", even, draws)
    ax = found.plot(ax=Figure().subplots())
    (line,), (band,) = ax.get_lines(), ax.collections
    assert found.ok
    assert np.abs(line.get_ydata()).max() <= band.get_paths()[0].vertices[:, 1].max()


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stderr


def test_no_simulations_are_not_a_thousand() -> None:
    code, said = run("calibrate", "dirichlet", "--simulations", "0")
    assert code == 2
    assert "simulations" in said


def test_a_picture_of_an_unknown_kind_is_refused_before_the_work(tmp_path: Path) -> None:
    code, said = run("calibrate", "dirichlet", "--simulations", "5", "--plot", f"{tmp_path}/x.xyz")
    assert (code, said.count("\n")) == (2, 1)
    assert not (tmp_path / "x.xyz").exists()


def test_a_bundled_model_without_a_table_is_told_of_the_option() -> None:
    code, said = run("calibrate", "dirichlet_hyperprior")
    assert code == 2
    assert "--example" in said


def test_a_built_in_model_with_a_table_is_told_what_is_wrong() -> None:
    """Not that there is no such model: there is, and it takes no table."""
    code, said = run("calibrate", "dirichlet", "--example", "pnn", "--simulations", "5")
    assert code == 0 or "--example" in said


# ------------------------------------------------------------------------------------- model files

WHOLE = """
import numpy as np, pymc as pm
from bayescompare.modelling import statement_table

def build(results):
    table = statement_table(results)
    coords = {"statement": table.labels, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        theta = pm.Dirichlet("theta", [1.0] * len(table.labels), dims="statement")
        seen = table.weights.astype(int)
        pm.Multinomial("outcome", 1, theta, observed=seen, dims=("dataset", "statement"))
    return model
"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def build(results):\n    x = 1\n    return results.nothing\n", 3),
        ("def half(x):\n    return x / 0\ndef build(results):\n    return half(1)\n", 2),
        ("import numpy\nimport not_there_at_all\n", 2),
        ("x = 1\nx / 0\n", 2),
    ],
)
def test_the_line_is_named_of_a_file_by_a_relative_path_too(
    results: bc.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, line: int
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bc.BayescompareError, match=rf"mine\.py, line {line}\b"):
        bc.compare(results, method="models/mine.py")


def test_a_function_that_fails_is_told_with_file_and_line(results: bc.Results) -> None:
    def build(results: bc.Results) -> pm.Model:
        return results.nothing  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(bc.BayescompareError, match=r"test_analyst_more\.py, line \d+"):
        bc.compare(results, method=build)


#: Faults that show only once the model is run, or has been.
LATE: list[tuple[str, str, str]] = [
    (
        'theta = pm.Dirichlet("theta", [1.0] * len(table.labels), dims="statement")',
        'pm.Data("theta", np.full(4, 0.25), dims="statement")\n'
        '        theta = pm.Dirichlet("phi", np.ones(4), dims="statement")',
        "theta",
    ),
    (
        "    return model",
        "    return model\n\ndef probability(posterior):\n"
        '    return posterior["theta"].mean(("chain", "draw")) * float("nan")',
        "probability",
    ),
    (
        "    return model",
        "    return model\n\ndef probability(posterior):\n"
        '    return 7 * posterior["theta"].mean(("chain", "draw")) - 1',
        "probability",
    ),
    ("[1.0] * len(table.labels)", "[-1.0] * len(table.labels)", ""),
    ('"dataset": results.datasets', '"dataset": results.datasets[:5]', "dataset"),
]


@pytest.mark.parametrize(("old", "new", "words"), LATE)
def test_faults_that_show_late_are_told_with_the_file(
    results: bc.Results, tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert old in WHOLE
    path = tmp_path / "mine.py"
    path.write_text(WHOLE.replace(old, new))
    with pytest.raises(bc.BayescompareError, match=rf"mine\.py.*{words}"):
        bc.compare(results, method=path, rng=1, sampler=QUICK)


def test_a_model_that_cannot_start_ends_a_command_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WHOLE.replace("[1.0] *", "[-1.0] *"))
    done = CliRunner().invoke(
        app, ["compare", "--example", "benavoli-example1", "--method", str(path)]
    )
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.exception


def test_strengths_of_unknown_algorithms_are_refused(results: bc.Results) -> None:
    """An answer about x and y is none about A and B."""

    def build(results: bc.Results) -> pm.Model:
        coords = {"algorithm": ["x", "y"], "dataset": results.datasets}
        with pm.Model(coords=coords) as model:
            s = pm.Normal("strength", 0, 1, dims="algorithm")
            pm.Normal("gap", s[0] - s[1], 1, observed=np.ones(12), dims="dataset")
        return model

    with pytest.raises(bc.BayescompareError, match="algorithm"):
        bc.compare(results, method=build, rng=1, sampler=QUICK)


def test_strengths_are_read_off_the_draws(own: bc.Comparison) -> None:
    """Higher is better, measure by measure: by the draws themselves."""
    s = own.tree["posterior"]["s"].transpose(..., "measure").values
    for label, signs in {
        "A>B|A>B": (1, 1),
        "A>B|B>A": (1, -1),
        "B>A|A>B": (-1, 1),
        "B>A|B>A": (-1, -1),
    }.items():
        share = (np.sign(s) == signs).all(axis=-1).mean()
        assert float(own.probability.sel(statement=label)) == pytest.approx(share)
    assert own.best == "B>A|B>A"
    assert own.probability["count"].sel(statement="B>A|B>A") == 6


def test_who_beats_whom_is_read_by_rows() -> None:
    """better[a, b] is P(a beats b): the mean over the opponents orders the algorithms."""
    results = table(np.array([[[3.0], [1.0], [2.0]]] * 8))

    def build(results: bc.Results) -> pm.Model:
        names = results.algorithms
        coords = {"algorithm": names, "opponent": names, "dataset": results.datasets}
        with pm.Model(coords=coords) as model:
            p = pm.Beta("p", 1.0, 1.0)
            # The first beats everyone, the last beats the second.
            better = pm.math.stack([[0.5, p, p], [1 - p, 0.5, 1 - p], [1 - p, p, 0.5]])
            pm.Deterministic("better", better, dims=("algorithm", "opponent"))
            pm.Bernoulli("won", p, observed=np.ones(8, dtype=int), dims="dataset")
        return model

    c = bc.compare(results, method=build, rng=1, sampler=QUICK)
    a, b, last = results.algorithms
    assert c.best == f"{a}>{last}>{b}"
    assert float(c.probability.max()) > 0.9


def test_priors_reach_a_build_that_takes_any(results: bc.Results) -> None:
    """The protocol is written ``build(results, **priors)``, and so may be the function."""
    method = ModelFile(multinomial, priors={"concentration": pm.Gamma.dist(2, 1)})
    assert [rv.name for rv in method.model(results).free_RVs] == ["concentration", "theta"]


@pytest.mark.parametrize("priors", ["x", [1.0], 5])
def test_priors_that_are_no_mapping(results: bc.Results, priors: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="priors"):
        ModelFile(multinomial, priors=priors).model(results)


@pytest.mark.parametrize(
    "sampler", [{"draws": 0}, {"chains": 0}, {"draws": "many"}, {"random_seed": 3}, "fast"]
)
def test_bad_options_of_the_sampler(results: bc.Results, sampler: Any) -> None:
    given = {**QUICK, **sampler} if isinstance(sampler, dict) else sampler
    word = next(iter(sampler)) if isinstance(sampler, dict) else "sampler"
    with pytest.raises(bc.BayescompareError, match=word):
        bc.compare(results, method=multinomial, rng=1, sampler=given)


def test_a_prior_is_described_as_it_was_written() -> None:
    """PyMC keeps a Gamma's scale, where the user gave its rate."""
    from bayescompare.methods._shared.priors import describe_prior

    assert describe_prior(pm.Gamma.dist(2.0, 0.1)) == "Gamma(2.0, 0.1)"
    assert describe_prior(pm.Exponential.dist(0.25)) == "Exponential(0.25)"
    shown = bc.methods.describe("hierarchical_t")
    assert shown.loc["nu_minus_one", "default"] == "Gamma(2.0, 0.1)"


def test_a_function_is_described_like_a_file() -> None:
    """`compare` takes it, so that its priors can be asked for too."""

    def build(results: bc.Results, *, strength: float = 2.0) -> pm.Model:
        raise NotImplementedError

    assert bc.methods.describe(build).loc["strength", "default"] == "2"  # type: ignore[arg-type]


def test_a_bundled_model_is_no_unknown_method_to_the_command() -> None:
    """`compare --method` takes it: `methods NAME` describes it, or says where it is described."""
    code, said = run("methods", "dirichlet_hyperprior")
    assert code == 0 or "models show" in said


def test_a_mean_outside_its_interval_is_drawn(results: bc.Results) -> None:
    """A skewed θ has its mean above the 97.5 % point, and one that never moves beside it."""
    c = bc.compare(results)
    extra = {
        "theta_mean": np.array([0.1, 0.2, 0.3, 0.4]),
        "theta_lower": np.array([0.0, 0.2 + 1e-16, 0.1, 0.1]),
        "theta_upper": np.array([0.05, 0.2 - 1e-16, 0.5, 0.6]),
    }
    skewed = replace(c, answer=replace(c.answer, extra=extra))
    skewed.plot("statements", ax=Figure().subplots())


# ------------------------------------------------------------------------------------------- arviz


@pytest.fixture(scope="module")
def hyper(results: bc.Results) -> bc.Comparison:
    return bc.compare(results, method="dirichlet_hyperprior", rng=1, sampler=QUICK)


def test_power_scaling_is_drawn_of_a_bundled_model(hyper: bc.Comparison) -> None:
    """ArviZ has a dimension called alpha of its own: a variable of that name collides with it."""
    az.plot_psense_dist(hyper.tree, var_names=["theta"])
    plt.close("all")


@pytest.mark.xfail(reason="ArviZ's plot has a dimension alpha of its own", raises=ValueError)
def test_power_scaling_is_drawn_of_a_prior_on_alpha(results: bc.Results) -> None:
    """The same collision in a built-in method, whose parameter is called alpha by its docs."""
    method = bc.methods.Dirichlet(priors={"alpha": pm.Gamma.dist(2, 1)})
    c = bc.compare(results, method=method, rng=1, sampler=QUICK)
    az.plot_psense_dist(c.tree, var_names=["theta"])
    plt.close("all")


def test_the_bundled_model_is_its_integral(hyper: bc.Comparison, results: bc.Results) -> None:
    """P(max) and elpd by integrating over α, against NUTS and PSIS."""
    from scipy.special import gammaln, logsumexp
    from scipy.stats import gamma

    from bayescompare.kernels.dirichlet.cells import Cells
    from bayescompare.kernels.dirichlet.maximum import probability_of_maximum

    x, w = np.polynomial.legendre.leggauss(120)
    x, w = 12.0 * (x + 1), 12.0 * w
    prior_weight = np.log(w) + gamma.logpdf(x, 2)

    def log_evidence(n: np.ndarray) -> float:
        each = gammaln(x[:, None] + n) - gammaln(x[:, None])
        return float(
            logsumexp(prior_weight + each.sum(axis=1) + gammaln(4 * x) - gammaln(4 * x + n.sum()))
        )

    n = np.array([1.0, 2.0, 3.0, 6.0])
    each = (gammaln(x[:, None] + n) - gammaln(x[:, None])).sum(axis=1)
    weight = prior_weight + each + gammaln(4 * x) - gammaln(4 * x + 12)
    posterior = np.exp(weight - logsumexp(weight))
    expected = sum(
        p * probability_of_maximum(Cells(np.full(4, math.log(a)), n))[0]
        for a, p in zip(x, posterior, strict=True)
    )
    np.testing.assert_allclose(hyper.probability.values, expected, atol=0.15)
    elpd = sum(n[k] * (log_evidence(n) - log_evidence(n - np.eye(4)[k])) for k in range(4))
    assert float(hyper.loo().elpd) == pytest.approx(elpd, abs=0.6)
    both = bc.compare_models([bc.compare(results), hyper], names=["exact", "nuts"]).table
    assert both["how"].to_dict() == {"exact": "exact", "nuts": "PSIS"}
    assert both.loc["nuts", "khat"] == pytest.approx(float(hyper.loo().pareto_k.max()))
    assert math.isnan(both.loc["exact", "khat"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Your data appears to have a single value")
def test_every_variable_of_plackett_luce_is_drawn() -> None:
    """The diagonal of a correlation matrix is one, not one but for rounding."""
    results = bc.load_example("jansen-uci").sel(algorithms=["GBM", "RF", "EN"])
    c = bc.compare(results, method="plackett_luce", rng=1, sampler=QUICK)
    for draw in (az.plot_dist, az.plot_trace_dist, az.plot_prior_posterior):
        draw(c.tree)
        plt.close("all")
