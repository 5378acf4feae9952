"""New datasets and simulated tables: closed forms, recovery of what was simulated, bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats
from scipy.special import betainc

import bayescompare as bc
from bayescompare.methods import (
    CorrelatedT,
    Dirichlet,
    GSDBootstrap,
    Hierarchical,
    Network,
    PoissonBinomial,
)
from bayescompare.statements import Statements
from tests.methods.context.folds import frame_of, scores
from tests.methods.model_file.own import QUICK
from tests.oracles.statements import every_label
from tests.tables import table

DRAWS = 20_000


def frequencies(new: xr.DataArray) -> dict[str, float]:
    """Share of each label among the first datasets of all samples, which are independent."""
    labels, counts = np.unique(new.values[:, 0], return_counts=True)
    return {str(label): n / len(new) for label, n in zip(labels, counts, strict=True)}


def near(found: dict[str, float], expected: dict[str, float], size: int = DRAWS) -> None:
    assert set(found) <= set(expected)
    for label, p in expected.items():
        error = math.sqrt(max(p * (1 - p), 1 / size) / size)
        assert abs(found.get(label, 0.0) - p) <= 4 * error, label


def few(counts: bc.Results) -> bc.Results:
    return counts.sel(datasets=list(counts.datasets[3:11]))


def folds(rope: float | None = None) -> bc.Results:
    return bc.Results.from_frame(
        frame_of(scores(n=4, k=5)),
        replicate="fold",
        measures={"score": bc.Measure("max", rope=rope)},
    )


# predictions against closed forms ----------------------------------------------------------------


def test_a_new_dataset_falls_by_alpha_plus_count(results: bc.Results) -> None:
    """Example 1, s = 1: (n + ¼)/13."""
    new = bc.compare(results).predict(4, draws=DRAWS, rng=1)
    expected = dict(zip(every_label("AB", 2), (np.array([1, 2, 3, 6]) + 0.25) / 13, strict=True))
    near(frequencies(new), expected)
    # Two datasets of one sample share its θ: both in k with a(a + 1)/(A(A + 1)).
    shape = np.array([1.25, 2.25, 3.25, 6.25])
    same = float((shape * (shape + 1)).sum() / (13 * 14))
    found = float((new[:, 1] == new[:, 3]).mean())
    assert abs(found - same) <= 4 * math.sqrt(same * (1 - same) / DRAWS)


@pytest.mark.parametrize("prior", ["jeffreys", "imprecise", 3.0, {"B>A|B>A": 9.0, "*": 0.5}])
def test_predictions_follow_the_prior(results: bc.Results, prior: Any) -> None:
    c = bc.compare(results, method=Dirichlet(prior=prior))
    mean = c.summary()["theta_mean"].to_dict()
    near(frequencies(c.predict(2, draws=DRAWS, rng=3)), mean)


def test_unlisted_statements_are_predicted_by_name() -> None:
    """K = 1296 > 256: what was never seen has (K − seen)/K of the prior, each alike."""
    results = table(np.random.default_rng(3).random((6, 3, 4)))
    c = bc.compare(results, method=Dirichlet(strength=6.0))
    new = c.predict(3, draws=DRAWS, rng=4)
    every = set(every_label("ABC", 4))
    assert set(np.unique(new.values)) <= every
    first = new.values[:, 0]
    seen = np.isin(first, c.answer.labels).mean()
    expected = (6 + 6 * 6 / 1296) / 12
    assert abs(seen - expected) <= 4 * math.sqrt(expected * (1 - expected) / DRAWS)
    # Among the others none is preferred: their first measure's order is uniform.
    rest = [label.split("|")[0] for label in first[~np.isin(first, c.answer.labels)]]
    assert stats.chisquare(np.unique(rest, return_counts=True)[1]).pvalue > 1e-3


def test_statements_beyond_the_float_range_are_predicted(wide_answer: bc.Comparison) -> None:
    new = wide_answer.predict(2, draws=5, rng=1)
    assert all(len(label.split("|")) == 1200 for label in new.values.ravel())


@pytest.mark.slow
@pytest.mark.parametrize("average", [False, True])
def test_a_network_predicts_its_mean(average: bool) -> None:
    results = table(np.random.default_rng(6).integers(0, 3, (9, 2, 3)).astype(float))
    search = "exact" if average else [("m2", "m0"), ("m0", "m1")]
    c = bc.compare(results, method=Network(search=search, average=average, mcse=0.02), rng=1)
    near(frequencies(c.predict(2, draws=DRAWS, rng=6)), c.summary()["theta_mean"].to_dict())


@pytest.mark.slow
def test_a_network_of_seven_algorithms_predicts_orders_never_seen() -> None:
    """5040 orders a measure, most of them in no dataset; draws() names them all, too."""
    results = table(np.random.default_rng(8).random((3, 7, 2)))
    method, rng = Network(search=[], ess=4.0), np.random.default_rng(7)
    answer: Any = None  # which a network with a fixed prior does not look at
    asked = method.posterior_type(method, results, answer)
    new = asked.predict(1, 400, rng)
    parts = [label.split("|") for label in new[:, 0]]
    assert all(sorted(part.split(">")) == list("ABCDEFG") for two in parts for part in two)
    seen = set(Statements.of(results).states[0])
    share = np.mean([first in seen for first, _ in parts])
    expected = (3 + 3 * 4 / 5040) / 7
    assert abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / 400)
    names = asked.draws(2, 1, rng)["posterior"]["state_m0"].values.tolist()
    assert len(set(names)) == 5040
    assert float(truth_of(asked.simulate(rng))["theta"].sum()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "method", [PoissonBinomial(), PoissonBinomial(joint=True, b=2.0), Hierarchical()]
)
def test_error_counts_predict_who_is_better(counts: bc.Results, method: Any) -> None:
    c = bc.compare(few(counts), method=method)
    first, second = c.answer.labels
    rate = float(c.rate["mean"])
    near(frequencies(c.predict(2, draws=DRAWS, rng=1)), {first: rate, second: 1 - rate})


@pytest.mark.parametrize("rope", [None, 0.01])
def test_folds_predict_the_region(rope: float | None) -> None:
    c = bc.compare(folds(rope), method=CorrelatedT())
    found = frequencies(c.predict(1, draws=DRAWS, rng=2))
    near(found, c.summary()["theta_mean"].to_dict())


def test_the_bootstrap_predicts_datasets_that_were_seen() -> None:
    values = [[[2, 2], [1, 1]], [[2, 2], [1, 2]], [[1, 2], [2, 1]], [[1, 1], [1, 1]]]
    c = bc.compare(table(values), method=GSDBootstrap(resamples=50), rng=1)
    found = c.predict(3, draws=DRAWS, rng=1)
    near(frequencies(found), {"A>B": 0.5, "A~B": 0.25, "A=B": 0.25})
    # Weights from Dirichlet(1, …, 1): two new datasets are the same one with 2/(4 + 1).
    same = 2 / 5 + 3 / 5 * (1 / 6)
    shares = float((found[:, 0] == found[:, 1]).mean())
    assert abs(shares - same) <= 4 * math.sqrt(same * (1 - same) / DRAWS)


def test_predictions_say_how_they_were_made(results: bc.Results) -> None:
    c = bc.compare(results)
    new = c.predict(3, draws=7, rng=11)
    assert new.dims == ("sample", "dataset")
    assert new.shape == (7, 3)
    assert new.name == "statement"
    assert {"method": "dirichlet", "sampler": "conjugate", "seed": 11}.items() <= new.attrs.items()
    xr.testing.assert_identical(new, c.predict(3, draws=7, rng=11))
    assert c.predict(1, draws=2, rng=np.random.default_rng(1)).attrs["seed"] == "a Generator"


# tables from the prior ----------------------------------------------------------------------------


def truth_of(simulated: bc.Results) -> xr.Dataset:
    assert simulated.truth is not None
    return simulated.truth


def best_of(truth: xr.Dataset, c: bc.Comparison) -> str:
    """The statement that leads in truth."""
    if "theta" in truth:
        return str(truth["theta"].idxmax().item())
    rate = truth["r"] if "r" in truth else truth["q"]
    return c.answer.labels[0 if float(rate) > 0.5 else 1]


def recovery(c: bc.Comparison, simulations: int) -> tuple[float, float, float]:
    """Mean P of the leading statement, how often it leads in truth, and the error of that."""
    claimed, right = [], []
    for seed in range(simulations):
        simulated = c.simulate(rng=seed)
        again = bc.compare(simulated, method=c.method, rng=seed)
        claimed.append(float(again.probability.max()))
        right.append(again.best == best_of(truth_of(simulated), again))
    each = np.array(claimed) * (1 - np.array(claimed))
    return float(np.mean(claimed)), float(np.mean(right)), math.sqrt(each.sum()) / simulations


RECOVERED = {
    "dirichlet": ("results", Dirichlet(), 150),
}
RECOVERED_SLOWLY = {
    "network": ("results", Network(search=[("accuracy", "time")], ess=2.0), 100),
    "poisson-binomial": ("counts", PoissonBinomial(joint=True), 50),
    "network, averaged": ("results", Network(average=True, mcse=0.01), 150),
    "hierarchical": ("counts", Hierarchical(), 150),
}


@pytest.mark.parametrize(
    "case", [*RECOVERED, *(pytest.param(k, marks=pytest.mark.slow) for k in RECOVERED_SLOWLY)]
)
def test_what_is_claimed_with_p_is_right_as_often(case: str, request: Any) -> None:
    """Truths from the prior: P of the leading statement, averaged, is how often it leads."""
    name, method, simulations = {**RECOVERED, **RECOVERED_SLOWLY}[case]
    data = request.getfixturevalue(name)
    c = bc.compare(few(data) if name == "counts" else data, method=method, rng=1)
    claimed, right, error = recovery(c, simulations)
    assert 0.5 < claimed < 0.99
    assert abs(claimed - right) <= 4 * error


@pytest.mark.slow
def test_the_truth_has_uniform_ranks(results: bc.Results) -> None:
    """Its place in the exact posterior, a Beta for each θ, is uniform: simulation-based
    calibration without draws.
    """
    c = bc.compare(results, method=Dirichlet(prior="uniform"))
    places = []
    for seed in range(200):
        simulated = c.simulate(rng=seed)
        counts = bc.compare(simulated, method=c.method).answer.counts
        theta = truth_of(simulated)["theta"].values
        places.append(betainc(counts + 1.0, 12 + 4 - counts - 1.0, theta))
    for column in np.array(places).T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3


def test_many_statements_are_simulated_with_their_theta() -> None:
    """K = 1296: the number of distinct statements is that of the urn, θ is one of a posterior."""
    results = table(np.random.default_rng(3).random((8, 3, 4)))
    c = bc.compare(results, method=Dirichlet(strength=3.0))
    distinct, places = [], []
    for seed in range(40):
        simulated = c.simulate(rng=seed)
        again = bc.compare(simulated, method=c.method)
        theta = truth_of(simulated)["theta"]
        assert theta["statement"].values[-1] == "(other)"
        assert set(theta["statement"].values[:-1]) == set(again.answer.labels)
        assert float(theta.sum()) == pytest.approx(1.0)
        distinct.append(len(again.answer.labels))
        shape = again.answer.counts[0] + 3 / 1296
        places.append(betainc(shape, 11 - shape, float(theta[0])))
    # E(distinct) = Σ_k 1 − P(k is never drawn).
    a = 3 / 1296
    never = np.prod([(3 - a + t) / (3 + t) for t in range(8)])
    expected = 1296 * (1 - never)
    assert np.mean(distinct) == pytest.approx(expected, abs=4 * np.std(distinct) / math.sqrt(40))
    assert stats.kstest(places, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("joint", [False, True])
def test_simulated_counts_are_those_of_the_model(counts: bc.Results, joint: bool) -> None:
    """As many discordant examples, and r from its prior."""
    c = bc.compare(few(counts), method=PoissonBinomial(joint=joint, b=3.0))
    rates = []
    for seed in range(25):
        simulated = c.simulate(rng=seed)
        assert isinstance(simulated, bc.ErrorCounts)
        assert isinstance(c.results, bc.ErrorCounts)
        now, then = simulated.pair("svm", "parzen"), c.results.pair("svm", "parzen")
        np.testing.assert_array_equal(now[0] + now[1], then[0] + then[1])
        rates.append(float(truth_of(simulated)["r"]))
    assert stats.kstest(rates, stats.beta(3, 3).cdf).pvalue > 1e-3


def test_a_simulated_table_is_like_the_one_asked_about(results: bc.Results) -> None:
    c = bc.compare(results)
    simulated = c.simulate(rng=5)
    assert (simulated.datasets, simulated.algorithms) == (results.datasets, results.algorithms)
    assert dict(simulated.spec) == dict(results.spec)
    assert simulated.source == "simulated from the prior of 'dirichlet', rng=5"
    assert simulated == c.simulate(rng=5)
    xr.testing.assert_identical(truth_of(simulated), truth_of(c.simulate(rng=5)))
    prior = c.draws(1, chains=1, rng=1)["prior"].to_dataset()
    assert set(truth_of(simulated)) == set(prior)
    other = bc.compare(results, algorithms=["B", "A"]).simulate(rng=5)
    assert truth_of(other)["theta"]["statement"].values[0] == "B>A|B>A"


def test_ropes_are_simulated_with_their_middle_state() -> None:
    measures = {"auc": bc.Measure("max", rope=0.1, bounds=(0, 1)), "time": bc.Measure("min")}
    rng = np.random.default_rng(0)
    c = bc.compare(table(rng.random((40, 2, 2)), measures=measures), method=Dirichlet(strength=60))
    again = bc.compare(c.simulate(rng=1), method=c.method)
    assert len(again.answer.labels) == 6
    assert (again.answer.counts > 0).sum() >= 4
    assert any("A=B" in label for label, n in again.probability["count"].to_series().items() if n)


# priors of the user's ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sampled(results: bc.Results) -> bc.Comparison:
    """The strength of the prior is learned, too, by NUTS."""
    method = Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 1.0)})
    return bc.compare(results, method=method, rng=1, sampler=QUICK)


@pytest.mark.slow
def test_a_sampled_strength_predicts_and_simulates(sampled: bc.Comparison) -> None:
    c = sampled
    new = c.predict(2, draws=4000, rng=1)
    assert new.attrs["sampler"] == "nuts"
    near(frequencies(new), c.summary()["theta_mean"].to_dict(), 400)
    truth = truth_of(c.simulate(rng=1))
    assert set(truth) == {"theta", "strength", "marginal"}
    # Beyond 256 statements every label is a statement, and the strength is that of the prior.
    many = table(np.random.default_rng(3).random((5, 3, 4)))
    asked = replace(c, results=many).posterior
    simulated = asked.simulate(np.random.default_rng(2))
    assert set(truth_of(simulated)) == {"theta", "strength", "marginal"}


# bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"n": 0}, "n=0: must be an integer >= 1"),
        ({"n": 2.5}, "n=2.5"),
        ({"n": "ten"}, "n='ten'"),
        ({"n": True}, "n=True"),
        ({"n": 3, "draws": 0}, "draws=0"),
        ({"n": 10**6, "draws": 10**6}, "at most"),
        ({"n": 3, "rng": "seed"}, "rng='seed'"),
        ({"n": 3, "rng": -1}, "rng=-1"),
    ],
)
def test_bad_arguments_are_refused(
    example1: bc.Comparison, arguments: dict[str, Any], why: str
) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        example1.predict(**arguments)


def test_an_answer_without_its_chains_cannot_predict(own: bc.Comparison, tmp_path: Any) -> None:
    path = tmp_path / "c.json"
    own.to_json(path)
    with pytest.raises(bc.BayescompareError, match=r"predict: the chains .* were not saved"):
        bc.load_comparison(path).predict(2)
