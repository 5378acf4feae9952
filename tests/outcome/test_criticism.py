"""Predictive checks: what the model predicts against enumeration, and misfits that show."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.modelling import statement_table
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def test_a_misfit_shows(results: bc.Results) -> None:
    """Under a prior that insists on one statement, data of four are surprising."""
    labels = statement_table(results).labels
    sure = bc.methods.Dirichlet(prior={labels[0]: 500.0, "*": 0.01})
    table = bc.compare(results, method=sure).check(rng=1)
    assert table.loc["distinct statements", "p"] < 0.01
    assert table.loc["A best on accuracy", "p"] > 0.99


def test_a_tree_without_predictions_is_refused(results: bc.Results) -> None:
    c = bc.compare(results)
    with pytest.raises(bc.BayescompareError, match="posterior_predictive"):
        c.check(xr.DataTree())


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
    tree = c.draws(5000, rng=1)
    found = c.check(tree)
    assert not found.equals(c.check(tree, prior=True))
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


def test_what_is_lumped_is_not_told_as_one_statement() -> None:
    """Beyond 256 statements nobody knows who wins in "(other)", nor how many are there."""
    c = bc.compare(bc.load_example("jansen-uci").sel(algorithms=["GBM", "RF", "EN", "CART"]))
    assert c.answer.n_statements > 256
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
