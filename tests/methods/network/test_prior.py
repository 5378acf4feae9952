"""`alpha` of the network test: other parameters of the tables, fixed or sampled."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Network
from bayescompare.table.results import Results
from tests.methods.network.cases import agree, ask
from tests.oracles import network as no
from tests.tables import table

#: By name and state, by name, and for the rest: A>B and B>A of m0, both of m1, both of m2.
ALPHA = {"m0": {"A>B": 2.0, "*": 0.5}, "m2": 0.3, "*": 1.0}
ROWS = [[2.0, 0.5], [1.0, 1.0], [0.3, 0.3]]


def scores_of(counts: np.ndarray, dags: np.ndarray) -> np.ndarray:
    states = no.joint_states([2] * 3)
    return np.array(
        [
            sum(no.textbook_bd(states, counts, ROWS[j], [2] * 3, j, p) for j, p in enumerate(g))
            for g in dags.tolist()
        ]
    )


@pytest.mark.parametrize("edges", [no.CHAIN, no.COLLIDER])
def test_a_given_graph_is_answered_with_these_tables(
    edges: list[tuple[str, str]], walk: tuple[np.ndarray, Results]
) -> None:
    values, results = walk
    counts, graph = no.counts_of(values, results), no.masks(edges, results.measures)
    c = ask(results, search=edges, mcse=2e-3, priors={"alpha": ALPHA})
    assert c.score == pytest.approx(scores_of(counts, np.array([graph]))[0], abs=1e-9)
    assert c.log_evidence == c.score
    share = no.leading_shares(counts, [2] * 3, graph, size=50_000, alpha=ROWS)
    agree(c, share, 50_000)
    mean = c.summary()["theta_mean"].sort_index()
    np.testing.assert_allclose(mean, no.mean_theta(counts, [2] * 3, graph, alpha=ROWS), atol=1e-12)


def test_the_best_graph_and_the_edges_are_of_this_score(walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    counts, dags = no.counts_of(values, results), no.every_dag(3)
    scores = scores_of(counts, dags)
    c = ask(results, max_parents=2, mcse=0.02, priors={"alpha": ALPHA})
    assert c.score == pytest.approx(scores.max(), abs=1e-9)
    p = np.exp(scores - logsumexp(scores))
    edges = [[p[(dags[:, j] >> i & 1) == 1].sum() for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(c.edges.values, edges, atol=1e-10)
    assert "different scores" in c.explain()
    assert "different scores" not in ask(results, max_parents=2, mcse=0.02).explain()


def test_the_average_weighs_every_graph_by_itself(walk: tuple[np.ndarray, Results]) -> None:
    """Equivalent graphs are not one here: 25 answers, each drawn by hand."""
    values, results = walk
    counts, dags = no.counts_of(values, results), no.every_dag(3)
    scores = scores_of(counts, dags)
    weights = np.exp(scores - logsumexp(scores))
    c = ask(results, average=True, max_parents=2, mcse=3e-3, priors={"alpha": ALPHA})
    assert c.log_evidence == pytest.approx(logsumexp(scores) - math.log(25), abs=1e-9)
    size, expected, variance, mean = 15_000, np.zeros(8), np.zeros(8), np.zeros(8)
    for k, (graph, w) in enumerate(zip(dags.tolist(), weights, strict=True)):
        share = no.leading_shares(counts, [2] * 3, graph, size=size, seed=k, alpha=ROWS)
        expected += w * share
        variance += w**2 * share * (1 - share) / size
        mean += w * no.mean_theta(counts, [2] * 3, graph, alpha=ROWS)
    error = np.hypot(c.mcse.values, np.sqrt(variance))
    np.testing.assert_array_less(np.abs(c.probability.values - expected), 4 * error)
    np.testing.assert_allclose(c.summary()["theta_mean"].sort_index(), mean, atol=1e-8)


def test_seven_algorithms_have_states_that_nobody_saw() -> None:
    """5040 orders, of which the observed come first: every cell has its α all the same."""
    values = np.random.default_rng(0).normal(size=(6, 7, 2))
    results = table(values)
    scores = Network(priors={"alpha": {"m0": 2.0, "m1": 0.5}}).posterior_of(results).learned.scores
    assert scores.prior.alpha is not None
    assert list(map(len, scores.prior.alpha)) == [5040, 5040]
    alone = [
        bc.compare(results.sel(measures=[name]), method=bc.methods.Dirichlet(prior=a))
        for name, a in (("m0", 2.0), ("m1", 0.5))
    ]
    assert scores.graph((0, 0)) == pytest.approx(sum(a.log_evidence for a in alone), abs=1e-8)
    seen = dict.fromkeys(alone[0].answer.labels, 1.0)
    with pytest.raises(BayescompareError, match=r"'m0'.*'\*' for the states"):
        Network(priors={"alpha": {"m0": seen, "m1": 0.5}}).posterior_of(results)


def test_leave_one_out_is_a_difference_of_scores(walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    graph = np.array([no.masks(no.CHAIN, results.measures)])
    c = ask(results, search=no.CHAIN, mcse=0.02, priors={"alpha": ALPHA})
    weights = no.weights_of(values, results)
    whole = scores_of(weights.sum(axis=0), graph)[0]
    without = [whole - scores_of(weights.sum(axis=0) - w, graph)[0] for w in weights]
    assert c.loo().elpd == pytest.approx(sum(without), abs=1e-7)


def test_one_measure_by_itself_is_exact() -> None:
    """Independent measures: a product of Beta integrals, with the user's α in each."""
    results = bc.load_example("benavoli-example1")
    c = ask(results, search=[], priors={"alpha": {"accuracy": {"B>A": 2.0, "*": 1.0}, "time": 0.5}})
    assert c.exact
    alone = [
        bc.compare(results.sel(measures=[name]), method=bc.methods.Dirichlet(prior=prior))
        for name, prior in (("accuracy", {"B>A": 2.0, "A>B": 1.0}), ("time", 0.5))
    ]
    expected = np.multiply.outer(*(a.probability.values for a in alone)).ravel()
    np.testing.assert_allclose(c.probability, expected, atol=1e-10)
    first = c.on(["accuracy"])
    np.testing.assert_allclose(first.probability, alone[0].probability, atol=1e-10)


def test_consistent_parameters_of_a_complete_graph_are_exact() -> None:
    """Rows that sum to their parents' cells: the plain test with α = ½ for every statement."""
    results = bc.load_example("benavoli-example1")
    edges = [("accuracy", "time")]
    c = ask(results, search=edges, priors={"alpha": {"accuracy": 1.0, "time": 0.5}})
    plain = bc.compare(results, method=bc.methods.Dirichlet(prior="jeffreys"))
    assert c.exact
    np.testing.assert_allclose(c.probability, plain.probability, atol=1e-10)
    assert c.log_evidence == pytest.approx(plain.log_evidence, abs=1e-10)


def test_other_parameters_of_a_tree_are_exact_too() -> None:
    """Rows that do not sum to their parents' cells are no Dirichlet; as a tree they are Betas."""
    results = bc.load_example("benavoli-example1")
    c = ask(results, search=[("accuracy", "time")], priors={"alpha": 1.0})
    assert c.exact
    # Counts 1, 2, 3, 6.
    shapes = [[[4.0, 10.0]], [[2.0, 3.0], [4.0, 7.0]]]
    expected = [
        no.leading_by_quadrature([-1, 0], shapes, statement, 20)
        for statement in no.joint_states([2, 2])
    ]
    np.testing.assert_allclose(c.probability, expected, atol=1e-10)


def test_a_subset_keeps_its_parameters(walk: tuple[np.ndarray, Results]) -> None:
    """The first two of a chain are closed; the last two must be summed over the first."""
    values, results = walk
    c = ask(results, search=no.CHAIN, mcse=3e-3, priors={"alpha": ALPHA})
    counts = no.counts_of(values, results)
    draws = np.exp(
        no.log_theta_draws(
            counts,
            [2] * 3,
            no.masks(no.CHAIN, results.measures),
            1.0,
            50_000,
            np.random.default_rng(1),
            ROWS,
        )
    ).reshape(-1, 2, 2, 2)
    for measures, axis in ((["m0", "m1"], 3), (["m1", "m2"], 1)):
        theta = draws.sum(axis=axis).reshape(-1, 4)
        share = np.bincount(theta.argmax(axis=1), minlength=4) / len(theta)
        agree(c.on(measures), share, len(theta))


def test_priors_come_back_from_files(tmp_path: Path, walk: tuple[np.ndarray, Results]) -> None:
    c = ask(walk[1], search=no.CHAIN, mcse=0.02, priors={"alpha": ALPHA})
    for name in ("c.json", "c.nc"):
        (c.to_json if name.endswith("json") else c.to_netcdf)(tmp_path / name)
        again = bc.load_comparison(tmp_path / name)
        assert again.method.options()["priors"] == {"alpha": ALPHA}
        np.testing.assert_allclose(again.edges, c.edges)  # type: ignore[attr-defined]
    summed = c.on(["m1", "m2"])
    summed.to_json(tmp_path / "s.json")
    assert bc.load_comparison(tmp_path / "s.json").best == summed.best


@pytest.mark.slow
def test_nuts_under_fixed_parameters(walk: tuple[np.ndarray, Results]) -> None:
    import arviz as az

    values, results = walk
    c = ask(results, search=no.COLLIDER, priors={"alpha": ALPHA})
    tree = c.sample(1500, chains=4, rng=1, cores=1, progressbar=False, target_accept=0.9)
    figures = c.diagnose(tree).figures
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.01
    theta = tree["posterior"]["theta"]
    counts = no.counts_of(values, results)
    graph = no.masks(no.COLLIDER, results.measures)
    exact = no.mean_theta(counts, [2] * 3, graph, alpha=ROWS)
    error = az.mcse(theta, method="mean").values
    np.testing.assert_array_less(np.abs(theta.mean(("chain", "draw")).values - exact), 4 * error)
