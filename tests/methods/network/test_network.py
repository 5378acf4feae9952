"""The network test as users see it: known cases, averages, subsets, searches, words, bad input."""

from __future__ import annotations

import itertools
import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.base import DAG
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Dirichlet, Network
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from tests.oracles import network as no
from tests.oracles.statements import every_label
from tests.tables import table

GRAPHS = {"chain": no.CHAIN, "fork": no.FORK, "collider": no.COLLIDER}


def ask(results: Results, *, rng: int = 0, **choices: Any) -> NetworkComparison:
    c = bc.compare(results, method=Network(**choices), rng=rng)
    assert isinstance(c, NetworkComparison)
    return c


def complete(results: Results) -> list[tuple[str, str]]:
    return list(itertools.combinations(results.measures, 2))


def agree(c: Any, share: np.ndarray, size: int) -> None:
    """An answer with its MCSE and an independent share of so many draws: four combined errors."""
    p = c.probability.values
    mine = 0.0 if c.exact else c.mcse.values
    safe = np.clip(p, 1 / size, 1 - 1 / size)
    error = np.hypot(mine, np.sqrt(safe * (1 - safe) / size))
    np.testing.assert_array_less(np.abs(p - share), 4 * error)


@pytest.fixture(scope="module")
def walk() -> tuple[np.ndarray, Results]:
    values = no.linked(40, 3, seed=1)
    return values, table(values)


@pytest.fixture(scope="module")
def chain4() -> NetworkComparison:
    results = table(no.linked(60, 4, seed=0))
    return ask(results, search=[("m0", "m1"), ("m1", "m2"), ("m2", "m3")])


@pytest.fixture(scope="module")
def averaged(walk: tuple[np.ndarray, Results]) -> NetworkComparison:
    return ask(walk[1], average=True, max_parents=2)


# -------------------------------------------------------------------------------- exact by theory


@pytest.mark.parametrize(
    ("n", "l", "m", "ess"), [(12, 2, 2, 1.0), (25, 2, 3, 2.5), (30, 2, 5, 1.0), (20, 3, 2, 1.0)]
)
def test_the_complete_graph_is_the_multinomial_test(n: int, l: int, m: int, ess: float) -> None:
    results = table(no.linked(n, m, seed=n, l=l))
    c, plain = (
        ask(results, search=complete(results), ess=ess),
        bc.compare(results, method=Dirichlet(strength=ess)),
    )
    assert c.exact
    np.testing.assert_allclose(c.probability.values, plain.probability.values, atol=1e-10)
    assert c.unobserved == pytest.approx(plain.unobserved, abs=1e-10)
    assert c.log_evidence == pytest.approx(plain.log_evidence, abs=1e-10)
    np.testing.assert_allclose(c.loo().elpd_i.values, plain.loo().elpd_i.values, atol=1e-10)
    assert c.loo().p == pytest.approx(plain.loo().p, abs=1e-9)
    for column in ("count", "theta_mean"):
        np.testing.assert_allclose(
            c.summary()[column].sort_index(), plain.summary()[column].sort_index(), atol=1e-12
        )


@pytest.mark.parametrize(("l", "m", "n"), [(2, 2, 12), (2, 4, 30), (3, 2, 20), (2, 7, 25)])
def test_the_empty_graph_is_the_product_of_the_measures_tests(l: int, m: int, n: int) -> None:
    results = table(no.linked(n, m, seed=m, l=l))
    for c in (ask(results, search=[]), ask(results, max_parents=0)):
        assert c.exact
        alone = [bc.compare(results, measures=[name]).probability for name in results.measures]
        for label, found in zip(c.answer.labels, c.probability.values, strict=True):
            parts = zip(alone, label.split("|"), strict=True)
            expected = math.prod(float(p.sel(statement=part)) for p, part in parts)
            assert found == pytest.approx(expected, abs=1e-10)
        assert c.probability.sum() == pytest.approx(1.0, abs=1e-10)
        evidences = [bc.compare(results, measures=[name]).log_evidence for name in results.measures]
        assert c.log_evidence == pytest.approx(sum(evidences), abs=1e-10)


def test_complete_components_multiply_exactly() -> None:
    results = table(no.linked(30, 5, seed=2))
    c = ask(results, search=[("m0", "m3"), ("m3", "m4"), ("m0", "m4")])
    assert c.exact
    parts = [["m0", "m3", "m4"], ["m1"], ["m2"]]
    alone = [bc.compare(results, measures=part).probability for part in parts]
    for k, label in enumerate(c.answer.labels):
        states = dict(zip(results.measures, label.split("|"), strict=True))
        expected = math.prod(
            float(p.sel(statement="|".join(states[name] for name in part)))
            for p, part in zip(alone, parts, strict=True)
        )
        assert c.answer.probability is not None
        assert c.answer.probability[k] == pytest.approx(expected, abs=1e-10)
    shown = c.components
    assert shown["measures"].tolist() == parts
    for row, p in zip(shown.itertuples(), alone, strict=True):
        assert row.best == str(p.idxmax().item())
        assert row.probability == pytest.approx(float(p.max()), abs=1e-10)
        assert row.exact


def test_beyond_256_statements_the_empty_graph_still_multiplies() -> None:
    """K = 1024: only observed statements are listed; the rest is `unobserved`."""
    results = table(no.linked(20, 10, seed=3))
    c = ask(results, max_parents=0)
    alone = [bc.compare(results, measures=[name]).probability for name in results.measures]
    for label, found in zip(c.answer.labels, c.probability.values, strict=True):
        parts = zip(alone, label.split("|"), strict=True)
        expected = math.prod(float(p.sel(statement=part)) for p, part in parts)
        assert found == pytest.approx(expected, abs=1e-12)
    assert c.unobserved == pytest.approx(1.0 - float(c.probability.sum()), abs=1e-12)


# ----------------------------------------------------------------------------------- Monte Carlo


@pytest.mark.parametrize(
    ("name", "ess"), [("chain", 1.0), ("fork", 1.0), ("collider", 1.0), ("collider", 5.0)]
)
def test_three_graphs_against_a_million_draws(
    name: str, ess: float, walk: tuple[np.ndarray, Results]
) -> None:
    values, results = walk
    c = ask(results, search=GRAPHS[name], ess=ess)
    assert not c.exact
    graph = no.masks(GRAPHS[name], results.measures)
    counts = no.counts_of(values, results)
    agree(c, no.leading_shares(counts, [2] * 3, graph, ess=ess), 1_000_000)
    assert float(c.mcse.max()) <= 1.05e-3
    assert c.probability.sum() == pytest.approx(1.0, abs=1e-12)
    mean = no.mean_theta(counts, [2] * 3, graph, ess)
    by_label = c.summary()["theta_mean"].reindex(every_label("AB", 3))
    np.testing.assert_allclose(by_label, mean, atol=1e-12)
    assert c.questions["expected"] == pytest.approx(by_label[c.best], abs=1e-12)


def test_equivalent_graphs_have_one_answer(walk: tuple[np.ndarray, Results]) -> None:
    one, two = ask(walk[1], search=no.CHAIN), ask(walk[1], search=no.FORK, rng=1)
    assert one.score == pytest.approx(two.score, abs=1e-10)
    error = np.hypot(one.mcse.values, two.mcse.values)
    np.testing.assert_array_less(np.abs(one.probability - two.probability).values, 4 * error)
    assert one.score != pytest.approx(ask(walk[1], search=no.COLLIDER).score, abs=1e-3)


def test_the_error_asked_for_is_reached() -> None:
    """Two components, each drawn: what counts is the error of the joint statement."""
    states = np.random.default_rng(4).random((14, 6)) < 0.35
    results = no.from_states(states)
    two = [("m0", "m1"), ("m1", "m2"), ("m3", "m4"), ("m4", "m5")]
    for asked in (2e-3, 5e-3):
        c = ask(results, search=two, mcse=asked)
        assert float(c.mcse.max()) <= 1.05 * asked


def test_the_error_asked_for_is_reached_over_sampled_graphs() -> None:
    c = ask(table(no.linked(40, 5, seed=0)), average=True, mcse=2e-3)
    assert float(c.mcse.max()) <= 1.05 * 2e-3


def test_the_mcse_is_the_spread_between_seeds(walk: tuple[np.ndarray, Results]) -> None:
    runs = [ask(walk[1], search=no.CHAIN, mcse=0.01, rng=seed) for seed in range(20)]
    spread = np.std([c.probability.values for c in runs], axis=0, ddof=1)
    told = np.mean([c.mcse.values for c in runs], axis=0)
    often = runs[0].probability.values > 0.02
    # A standard deviation of twenty has 16 % error.
    np.testing.assert_allclose(spread[often], told[often], rtol=4 * 0.16)


def test_rope_and_three_algorithms_go_through_the_same_code() -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(size=(30, 2, 3)).cumsum(axis=2)
    results = table(values, rope=0.8)
    c = ask(results, search=no.CHAIN)
    gap = values[:, 0] - values[:, 1]
    states = np.where(np.abs(gap) <= 0.8, 1, np.where(gap > 0, 0, 2))
    counts = np.zeros(27)
    np.add.at(counts, states @ np.array([9, 3, 1]), 1.0)
    np.testing.assert_array_equal(c.answer.counts, counts)
    assert c.answer.labels[13] == "A=B|A=B|A=B"
    share = no.leading_shares(counts, [3] * 3, [0, 0b001, 0b010], size=100_000)
    agree(c, share, 100_000)
    # Six orders of three algorithms, a chain with the second measure in the middle; 216 cells.
    three = no.linked(30, 3, seed=4, l=3)
    c = ask(table(three), search=no.FORK, mcse=5e-3)
    counts = no.counts_of(three, table(three))
    np.testing.assert_allclose(c.answer.counts, counts)
    agree(c, no.leading_shares(counts, [6] * 3, [0b010, 0, 0b010], size=30_000), 30_000)
    # Mixed: a rope on one measure only.
    mixed = {"m0": Measure("max", rope=0.8), "m1": Measure("max"), "m2": Measure("max")}
    c = ask(table(values, measures=mixed), search=no.COLLIDER)
    assert c.answer.size == 12
    states = np.stack([states[:, 0], gap[:, 1] <= 0, gap[:, 2] <= 0], axis=1).astype(int)
    counts = np.zeros(12)
    np.add.at(counts, states @ np.array([4, 2, 1]), 1.0)
    np.testing.assert_array_equal(c.answer.counts, counts)
    agree(c, no.leading_shares(counts, [3, 2, 2], [0, 0b101, 0], size=200_000), 200_000)


# ------------------------------------------------------------------------------------- the graph


def test_the_learned_graph_has_the_best_score_of_all() -> None:
    for seed, m in ((0, 3), (1, 4)):
        values = no.linked(50, m, seed=seed)
        results = table(values)
        c = ask(results, max_parents=m - 1)
        counts = no.counts_of(values, results)
        local = no.local_table(no.joint_states([2] * m), counts, [2] * m, 1.0, m - 1)
        every = no.dag_scores(local, no.every_dag(m))
        assert c.score == pytest.approx(every.max(), abs=1e-9)
        assert c.log_evidence == c.score
        own = no.masks(c.answer.details["edges"], results.measures)
        assert sum(local[j, mask] for j, mask in enumerate(own)) == pytest.approx(c.score)
        p = np.exp(every - logsumexp(every))
        dags = no.every_dag(m)
        for (i, a), (j, b) in itertools.product(enumerate(results.measures), repeat=2):
            expected = p[(dags[:, j] >> i & 1) == 1].sum()
            assert float(c.edges.sel(parent=a, child=b)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("n", "m", "l", "expected"),
    [
        (2, 3, 2, 1),
        (39, 5, 2, 1),
        (40, 5, 2, 2),
        (79, 5, 2, 2),
        (80, 5, 2, 3),
        (80, 3, 2, 2),
        (80, 2, 2, 1),
        (359, 4, 3, 1),
        (360, 4, 3, 2),
    ],
)
def test_the_default_limit_of_parents(n: int, m: int, l: int, expected: int) -> None:
    """max(1, min(m − 1, ⌊log_r(n/10)⌋)), recorded."""
    results = table(np.random.default_rng(0).random((n, l, m)))
    c = ask(results, mcse=0.05)
    assert c.answer.details["max_parents"] == expected
    assert c.edges.attrs["max_parents"] == expected
    children = [child for _, child in c.answer.details["edges"]]
    assert max(map(children.count, children), default=0) <= expected


def test_a_limit_of_ones_own_is_kept_and_recorded() -> None:
    results = table(no.linked(60, 4, seed=5, link=3.0))
    for most in range(4):
        c = ask(results, max_parents=most, mcse=0.02)
        assert c.answer.details["max_parents"] == most
        children = [child for _, child in c.answer.details["edges"]]
        assert max(map(children.count, children), default=0) <= most


@pytest.mark.parametrize("kind", ["pairs", "networkx", "pgmpy", "multi"])
def test_a_graph_of_the_users_own(kind: str, walk: tuple[np.ndarray, Results]) -> None:
    pairs = [("m0", "m2")]
    graph: Any = {
        "pairs": lambda: pairs,
        "networkx": lambda: nx.DiGraph(pairs),
        "multi": lambda: nx.MultiDiGraph(pairs),
        "pgmpy": lambda: DAG(pairs),
    }[kind]()
    if kind != "pairs":
        graph.add_node("m1")
    c = ask(walk[1], search=graph)
    assert c.answer.details["edges"] == [["m0", "m2"]]
    assert c.exact
    assert c.components["measures"].tolist() == [["m0", "m2"], ["m1"]]
    same = ask(walk[1], search=pairs)
    np.testing.assert_array_equal(c.probability.values, same.probability.values)
    assert "In the graph given, these hang together: m0–m2." in c.explain()


# -------------------------------------------------------------------------------------- averaging


def test_the_average_is_the_sum_over_all_graphs(
    walk: tuple[np.ndarray, Results], averaged: NetworkComparison
) -> None:
    """Twenty-five graphs, each drawn by hand and weighted by its textbook score."""
    values, results = walk
    counts = no.counts_of(values, results)
    dags, states = no.every_dag(3), no.joint_states([2] * 3)
    scores = no.dag_scores(no.local_table(states, counts, [2] * 3, 1.0, 2), dags)
    weights = np.exp(scores - logsumexp(scores))
    size = 60_000
    expected, variance, mean = np.zeros(8), np.zeros(8), np.zeros(8)
    for k, (graph, weight) in enumerate(zip(dags.tolist(), weights, strict=True)):
        share = no.leading_shares(counts, [2] * 3, graph, size=size, seed=k)
        expected += weight * share
        variance += weight**2 * share * (1 - share) / size
        mean += weight * no.mean_theta(counts, [2] * 3, graph)
    error = np.hypot(averaged.mcse.values, np.sqrt(variance))
    np.testing.assert_array_less(np.abs(averaged.probability.values - expected), 4 * error)
    assert float(averaged.mcse.max()) <= 1.05e-3
    evidence = logsumexp(scores) - math.log(25)
    assert averaged.log_evidence == pytest.approx(evidence, abs=1e-10)
    by_label = averaged.summary()["theta_mean"].reindex(every_label("AB", 3))
    np.testing.assert_allclose(by_label, mean, atol=1e-8)
    assert averaged.questions["most probable"] == float(averaged.probability.max())


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_averages_evidence_counts_the_graphs_allowed(
    most: int, walk: tuple[np.ndarray, Results]
) -> None:
    values, results = walk
    counts, dags = no.counts_of(values, results), no.dags_up_to(3, most)
    local = no.local_table(no.joint_states([2] * 3), counts, [2] * 3, 1.0, most)
    expected = logsumexp(no.dag_scores(local, dags)) - math.log(len(dags))
    c = ask(results, average=True, max_parents=most, mcse=0.02)
    assert c.log_evidence == pytest.approx(expected, abs=1e-10)


def test_sampled_graphs_average_to_what_enumeration_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    from bayescompare.methods.network import answer as network_answer

    results = table(no.linked(30, 4, seed=6))
    exact = ask(results, average=True, mcse=2e-3)
    monkeypatch.setattr(network_answer, "MOST_ENUMERATED", 1)
    drawn = ask(results, average=True, mcse=2e-3)
    error = np.hypot(exact.mcse.values, drawn.mcse.values)
    np.testing.assert_array_less(np.abs(exact.probability - drawn.probability).values, 4 * error)


def test_a_thousand_datasets_on_five_measures_average_too() -> None:
    """Local scores below −700: pairs that hang together must not come out as the empty graph."""
    rng = np.random.default_rng(0)
    z = rng.random((1500, 1)) < 0.45
    states = z ^ (rng.random((1500, 5)) < 0.1)
    results = no.from_states(states)
    best = ask(results, mcse=0.02)
    c = ask(results, average=True, mcse=0.02)
    assert len(best.answer.details["edges"]) >= 4
    # E θ of the leading statement is a tenth of what it is if all five were independent.
    counts = c.answer.counts
    top = int(counts.argmax())
    assert c.summary().loc[c.answer.labels[top], "theta_mean"] == pytest.approx(
        counts[top] / 1500, abs=0.03
    )


def test_one_class_of_graphs_in_all_samples_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond four measures graphs are drawn: even if all agree, the answer is not exact."""
    from bayescompare.methods.network import answer as network_answer

    monkeypatch.setattr(network_answer, "SAMPLED_GRAPHS", 1)
    states = np.random.default_rng(2).random((100, 3)) < 0.5
    results = no.from_states(states[:, [0, 0, 1, 1, 2]])
    for seed in range(4):
        c = ask(results, average=True, max_parents=1, mcse=0.01, rng=seed)
        edges = c.edges.values
        assert edges.max(initial=0, where=edges < 0.4) > 0.01, "other graphs are possible"
        assert not c.exact


def test_prior_draws_of_the_average_come_from_the_prior_over_graphs() -> None:
    """Of the three graphs on two measures one is empty: a third of prior draws is independent."""
    states = np.repeat([[0, 0], [1, 1]], 20, axis=0)
    tree = ask(no.from_states(states), average=True).draws(8000, chains=1, rng=0)
    logs = np.log(tree["prior"]["theta"].values[0])
    with np.errstate(invalid="ignore"):
        interaction = logs[:, 0] + logs[:, 3] - logs[:, 1] - logs[:, 2]
    usable = np.isfinite(interaction)
    independent = float((np.abs(interaction[usable]) < 1e-6).mean())
    # Underflow to log 0 is a little more frequent without independence.
    assert usable.mean() > 0.9
    assert independent == pytest.approx(1 / 3, abs=0.05)


def test_posterior_draws_of_the_average(averaged: NetworkComparison) -> None:
    tree = averaged.draws(10_000, chains=4, rng=1)
    theta = tree["posterior"]["theta"].values.reshape(-1, 8)
    mean = averaged.summary()["theta_mean"].reindex(every_label("AB", 3))
    error = theta.std(axis=0) / math.sqrt(len(theta))
    np.testing.assert_array_less(np.abs(theta.mean(axis=0) - mean), 4 * error)
    share = np.bincount(theta.argmax(axis=1), minlength=8) / len(theta)
    agree(averaged, share, len(theta))


# ----------------------------------------------------------------------------------- leave one out


@pytest.mark.parametrize("average", [False, True])
def test_loo_is_the_evidence_refitted(average: bool) -> None:
    values = no.linked(14, 3, seed=8)
    results = table(values)
    choices: dict[str, Any] = {"max_parents": 2, "mcse": 0.1}
    choices |= {"average": True} if average else {"search": no.CHAIN}
    c = ask(results, **choices)
    weights = no.weights_of(values, results)
    assert ((weights > 0) & (weights < 1)).any(), "some datasets are tied"
    dags = no.every_dag(3) if average else np.array([no.masks(no.CHAIN, results.measures)])
    states = no.joint_states([2] * 3)

    def evidence(counts: np.ndarray) -> float:
        local = no.local_table(states, counts, [2] * 3, 1.0, 2)
        return float(logsumexp(no.dag_scores(local, dags)) - math.log(len(dags)))

    whole = evidence(weights.sum(axis=0))
    assert c.log_evidence == pytest.approx(whole, abs=1e-10)
    found = c.loo()
    expected = [whole - evidence(np.delete(weights, i, axis=0).sum(axis=0)) for i in range(14)]
    np.testing.assert_allclose(found.elpd_i.values, expected, atol=1e-9)
    assert found.elpd == pytest.approx(sum(expected), abs=1e-8)
    again = [evidence(weights.sum(axis=0) + weights[i]) - whole for i in range(14)]
    assert found.p == pytest.approx(sum(again) - sum(expected), abs=1e-8)
    # The package's own refit, dataset by dataset.
    fewer = table(values[1:])
    assert c.log_evidence - ask(fewer, **choices).log_evidence == pytest.approx(
        found.elpd_i.values[0], abs=1e-9
    )


# ------------------------------------------------------------------------------------------- on()


def summed(theta: np.ndarray, measures: list[str]) -> np.ndarray:
    """θ of the measures m<j> asked for, in that order, summed over the rest: (size, 2^k)."""
    m = int(math.log2(theta.shape[1]))
    axes = [int(name[1:]) for name in measures]
    others = tuple(1 + j for j in range(m) if j not in axes)
    kept = sorted(axes)
    small = theta.reshape(-1, *[2] * m).sum(axis=others)
    order = [0, *(1 + kept.index(j) for j in axes)]
    return small.transpose(order).reshape(len(theta), -1)


def shares(theta: np.ndarray) -> np.ndarray:
    return np.bincount(theta.argmax(axis=1), minlength=theta.shape[1]) / len(theta)


@pytest.fixture(scope="module")
def chain4_draws() -> np.ndarray:
    values = no.linked(60, 4, seed=0)
    counts = no.counts_of(values, table(values))
    rng = np.random.default_rng(7)
    return np.exp(no.log_theta_draws(counts, [2] * 4, [0, 1, 2, 4], 1.0, 200_000, rng))


@pytest.mark.parametrize(
    ("measures", "exact"),
    [
        (["m0"], True),
        (["m3"], True),
        (["m0", "m1"], True),
        (["m3", "m2"], True),
        (["m1", "m2", "m3"], False),
        (["m0", "m2"], False),
        (["m3", "m0"], False),
        (["m0", "m2", "m3"], False),
        (["m0", "m1", "m2", "m3"], False),
    ],
)
def test_a_subset_sums_theta_over_the_rest(
    chain4: NetworkComparison, chain4_draws: np.ndarray, measures: list[str], exact: bool
) -> None:
    small = chain4.on(measures)
    assert small.exact == exact
    assert list(small.results.measures) == measures
    theta = summed(chain4_draws, measures)
    agree(small, shares(theta), len(theta))
    by_label = small.summary()["theta_mean"].reindex(every_label("AB", len(measures)))
    np.testing.assert_allclose(by_label, theta.mean(axis=0), atol=1e-3)
    assert small.questions["expected"] == pytest.approx(by_label[small.best])


def test_a_subset_agrees_with_the_draws_of_the_whole(chain4: NetworkComparison) -> None:
    tree = chain4.draws(5000, chains=2, rng=7)
    theta = tree["posterior"]["theta"].values.reshape(-1, 16)
    for measures in (["m1", "m0"], ["m0", "m3"]):
        agree(chain4.on(measures), shares(summed(theta, measures)), len(theta))


def test_a_subset_of_three_algorithms() -> None:
    results = table(no.linked(30, 3, seed=4, l=3))
    c = ask(results, search=no.CHAIN, mcse=0.01)
    small, plain = c.on(["m2", "m1"]), bc.compare(results, measures=["m2", "m1"])
    np.testing.assert_allclose(small.probability.values, plain.probability.values, atol=1e-10)
    values, size = no.linked(30, 3, seed=4, l=3), 20_000
    counts = no.counts_of(values, results)
    logs = no.log_theta_draws(counts, [6] * 3, [0, 1, 2], 1.0, size, np.random.default_rng(0))
    ends = np.exp(logs).reshape(size, 6, 6, 6).sum(axis=2).reshape(size, 36)
    agree(c.on(["m0", "m2"]), shares(ends), size)


def test_a_sub_network_has_the_same_figures_as_a_network_on_the_subset(
    chain4: NetworkComparison,
) -> None:
    small = chain4.on(["m1", "m2"])
    plain = bc.compare(chain4.results, measures=["m1", "m2"])
    np.testing.assert_allclose(small.probability.values, plain.probability.values, atol=1e-10)


def test_below_a_collider_the_sum_is_drawn(walk: tuple[np.ndarray, Results]) -> None:
    c = ask(walk[1], search=no.COLLIDER)
    parents = c.on(["m0", "m2"])
    assert parents.exact
    alone = [bc.compare(walk[1], measures=[name]).probability.values for name in ("m0", "m2")]
    np.testing.assert_allclose(parents.probability.values, np.outer(*alone).ravel(), atol=1e-10)
    child = c.on(["m1"])
    assert not child.exact
    graph, size = no.masks(no.COLLIDER, walk[1].measures), 100_000
    counts, rng = no.counts_of(*walk), np.random.default_rng(7)
    theta = np.exp(no.log_theta_draws(counts, [2] * 3, graph, 1.0, size, rng))
    agree(child, shares(summed(theta, ["m1"])), size)
    assert "summed over" in child.explain()


def test_a_sum_can_be_asked_again(chain4: NetworkComparison) -> None:
    direct, twice = chain4.on(["m0", "m2"]), chain4.on(["m0", "m2", "m3"]).on(["m0", "m2"])
    error = np.hypot(direct.mcse.values, twice.mcse.values)
    np.testing.assert_array_less(np.abs(direct.probability - twice.probability).values, 4 * error)


@pytest.mark.parametrize("quantity", ["network", "edges", "score", "log_evidence"])
def test_a_sum_has_no_network_and_says_so(chain4: NetworkComparison, quantity: str) -> None:
    """A network on the subset would be another model: better none than a wrong one."""
    small = chain4.on(["m0", "m2"])
    with pytest.raises(BayescompareError):
        getattr(small, quantity)


def test_a_sum_can_be_written_and_read(chain4: NetworkComparison, tmp_path: Path) -> None:
    small = chain4.on(["m0", "m2"])
    document = json.loads(small.to_json())
    assert document["best"] == small.best
    assert "Statements(" not in str(small.probability.attrs["options"])
    again = bc.load_comparison(small.to_netcdf(tmp_path / "small.nc"))
    np.testing.assert_allclose(again.probability.values, small.probability.values)


def test_a_subset_of_an_average_is_refused(averaged: NetworkComparison) -> None:
    """It would have to be summed graph by graph; better refused than of the best graph alone."""
    with pytest.raises(BayescompareError, match="average"):
        averaged.on(["m0", "m2"])


# -------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize("name", list(GRAPHS))
def test_the_four_questions_by_hand(name: str, walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    c = ask(results, search=GRAPHS[name])
    q = c.questions
    assert q.index.tolist() == ["most probable", "beats opposite", "majority", "expected"]
    graph, size = no.masks(GRAPHS[name], results.measures), 200_000
    counts = no.counts_of(values, results)
    logs = no.log_theta_draws(counts, [2] * 3, graph, 1.0, size, np.random.default_rng(3))
    k = c.answer.labels.index(c.best)
    beats, majority = (
        (logs[:, k] > logs[:, 7 - k]).mean(),
        (logs[:, k] > math.log(0.5)).mean(),
    )
    for found, expected in ((q["beats opposite"], beats), (q["majority"], majority)):
        error = math.sqrt(max(expected * (1 - expected), 1e-4) * (1 / 20_000 + 1 / size))
        assert abs(found - expected) < 4 * error
    assert q["most probable"] == float(c.probability.max())


def test_an_exact_answer_is_the_same_for_every_seed() -> None:
    """`c.exact`: the figures carry no Monte Carlo error, so no seed is recorded or needed."""
    example = bc.load_example("benavoli-example1")
    one, two = ask(example, rng=1), ask(example, rng=2)
    assert one.exact
    assert one.answer.seed is None
    assert one.questions.tolist() == two.questions.tolist()
    np.testing.assert_array_equal(one.summary().to_numpy(), two.summary().to_numpy())


def test_the_complete_graph_has_the_multinomial_tests_questions() -> None:
    example = bc.load_example("benavoli-example1")
    c, plain = ask(example, search=complete(example)), bc.compare(example)
    np.testing.assert_allclose(c.questions, plain.questions, atol=1e-10)


def test_the_questions_beyond_256_statements() -> None:
    """The opposite was never observed, but its θ is a product of tables like any other."""
    results = table(no.linked(30, 9, seed=1))
    c = ask(results, mcse=0.02)
    assert 0.0 <= c.questions["beats opposite"] <= 1.0


def test_four_hundred_observed_statements_of_sixteen_thousand() -> None:
    """The best statement need not be among the 255 that draws list."""
    for seed in range(2):
        results = table(np.random.default_rng(seed).random((400, 2, 14)))
        c = ask(results, max_parents=0)
        assert c.best in c.answer.labels
        assert c.questions["expected"] > 0


def test_an_exact_answer_takes_little_memory() -> None:
    """Four algorithms on two measures: 600 cells; the draws behind the intervals come in blocks."""
    results = table(np.random.default_rng(0).random((30, 4, 2)))
    tracemalloc.start()
    ask(results, search=complete(results))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6, f"{peak / 1e6:.0f} MB; five algorithms take 40 times as much"


# ------------------------------------------------------------------------------------- properties


tables2 = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 3, (8, 2, 2)).astype(float)
)


@settings(max_examples=15)
@given(tables2.filter(lambda v: bool(np.all(np.ptp(v, axis=(0, 1)) > 0))))
def test_swapping_the_algorithms_mirrors_every_figure(values: np.ndarray) -> None:
    c, mirrored = ask(table(values)), ask(table(values[:, ::-1]))
    listed = bc.compare(table(values), method=Network(), algorithms=["B", "A"], rng=0)
    swap = str.maketrans("AB", "BA")
    assert mirrored.score == pytest.approx(c.score, abs=1e-10)
    assert mirrored.answer.details["edges"] == c.answer.details["edges"]
    for label, p in zip(c.answer.labels, c.probability.values, strict=True):
        assert float(mirrored.probability.sel(statement=label.translate(swap))) == pytest.approx(
            p, abs=1e-10
        )
        assert float(listed.probability.sel(statement=label)) == pytest.approx(p, abs=1e-10)
    np.testing.assert_allclose(mirrored.edges, c.edges, atol=1e-10)
    np.testing.assert_allclose(mirrored.loo().elpd_i, c.loo().elpd_i, atol=1e-10)


def test_swapping_the_algorithms_under_a_drawn_graph(walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    c, mirrored = ask(results, search=no.CHAIN), ask(table(values[:, ::-1]), search=no.CHAIN)
    error = np.hypot(c.mcse.values, mirrored.mcse.values[::-1])
    np.testing.assert_array_less(
        np.abs(c.probability.values - mirrored.probability.values[::-1]), 4 * error
    )
    np.testing.assert_allclose(
        c.summary()["theta_mean"].reindex(every_label("AB", 3)),
        mirrored.summary()["theta_mean"].reindex(every_label("AB", 3)[::-1]),
        atol=1e-12,
    )


@pytest.mark.parametrize("choices", [{}, {"search": no.COLLIDER}, {"average": True}])
def test_permuting_datasets_changes_nothing(choices: dict[str, Any]) -> None:
    values = no.linked(25, 3, seed=12)
    order = np.random.default_rng(0).permutation(25)
    names = [f"d{i}" for i in range(25)]
    c = ask(table(values), **choices)
    moved = ask(table(values[order], datasets=[names[i] for i in order]), **choices)
    assert moved.answer.details["edges"] == c.answer.details["edges"]
    np.testing.assert_allclose(moved.probability, c.probability, atol=1e-12)
    assert moved.log_evidence == pytest.approx(c.log_evidence, abs=1e-10)
    np.testing.assert_allclose(
        moved.loo().elpd_i.sel(dataset=names), c.loo().elpd_i.sel(dataset=names), atol=1e-10
    )


def test_reordering_the_measures_keeps_the_answer() -> None:
    results = table(no.linked(45, 4, seed=13))
    c = ask(results)
    moved = bc.compare(results, method=Network(), measures=["m2", "m0", "m3", "m1"], rng=1)
    assert isinstance(moved, NetworkComparison)
    assert moved.score == pytest.approx(c.score, abs=1e-9)
    names = list(results.measures)
    np.testing.assert_allclose(moved.edges.sel(parent=names, child=names), c.edges, atol=1e-10)
    for label, p in zip(moved.answer.labels, moved.probability.values, strict=True):
        parts = dict(zip(moved.results.measures, label.split("|"), strict=True))
        k = c.answer.labels.index("|".join(parts[name] for name in names))
        error = 1e-10 if c.exact else math.hypot(c.mcse.values[k], moved.mcse.values[k]) * 4
        assert abs(p - c.probability.values[k]) < error


def test_the_same_seed_gives_the_same_answer(walk: tuple[np.ndarray, Results]) -> None:
    one, two = (ask(walk[1], search=no.CHAIN, rng=5) for _ in range(2))
    np.testing.assert_array_equal(one.probability.values, two.probability.values)
    assert one.questions.tolist() == two.questions.tolist()
    assert one.answer.seed == 5


# ------------------------------------------------------------------------------------------ draws


def test_draws_are_the_tables_posterior(walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    c = ask(results, search=no.COLLIDER)
    tree = c.draws(4000, chains=4, rng=2)
    counts, graph = no.counts_of(values, results), no.masks(no.COLLIDER, results.measures)
    theta = tree["posterior"]["theta"].values.reshape(-1, 8)
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, rtol=1e-10)
    error = theta.std(axis=0) / math.sqrt(len(theta))
    expected = no.mean_theta(counts, [2] * 3, graph)
    np.testing.assert_array_less(np.abs(theta.mean(axis=0) - expected), 4 * error)
    prior = tree["prior"]["theta"].values.reshape(-1, 8)
    error = prior.std(axis=0) / math.sqrt(len(prior))
    np.testing.assert_array_less(np.abs(prior.mean(axis=0) - 1 / 8), 4 * error)
    # θ is the product of its tables, and the marginal its sum.
    post = tree["posterior"]
    a, b, given_ = (post[f"cpt_m{j}"].values for j in (0, 2, 1))
    assert post["cpt_m1"].dims[2:] == ("given_m1", "state_m1")
    joint = np.einsum("cdi,cdk,cdikj->cdijk", a[:, :, 0], b[:, :, 0], _as_grid(given_))
    np.testing.assert_allclose(joint.reshape(4, 4000, 8), post["theta"].values, rtol=1e-9)
    cube = post["theta"].values.reshape(4, 4000, 2, 2, 2)
    sums = np.stack(
        [cube[:, :, 0].sum((2, 3)), cube[:, :, :, 0].sum((2, 3)), cube[..., 0].sum((2, 3))], axis=-1
    )
    np.testing.assert_allclose(post["marginal"].values, sums, rtol=1e-9)
    likelihood = np.log(post["theta"].values) @ no.weights_of(values, results).T
    np.testing.assert_allclose(tree["log_likelihood"]["outcome"].values, likelihood, rtol=1e-8)
    assert c.diagnose(tree).ok


def _as_grid(table_: np.ndarray) -> np.ndarray:
    return table_.reshape(*table_.shape[:2], 2, 2, 2)


def test_draws_beyond_256_statements_keep_the_rest_together() -> None:
    results = table(no.linked(40, 9, seed=2))
    c = ask(results, mcse=0.02)
    tree = c.draws(500, chains=2, rng=0)
    theta = tree["posterior"]["theta"]
    assert theta["statement"].values[-1] == "(other)"
    np.testing.assert_allclose(theta.sum("statement"), 1.0, rtol=1e-10)
    shown = c.summary()["theta_mean"].reindex(theta["statement"].values[:-1])
    error = theta.std(("chain", "draw")).values[:-1] / math.sqrt(1000)
    found = theta.mean(("chain", "draw")).values[:-1]
    np.testing.assert_array_less(np.abs(found - shown), 4.5 * error + 1e-12)


@pytest.mark.parametrize("suffix", ["_given", "_state", "_gamma"])
def test_a_measures_name_may_continue_anothers(suffix: str) -> None:
    names = ["loss", f"loss{suffix}"]
    results = table(
        np.random.default_rng(3).random((12, 2, 2)), measures=dict.fromkeys(names, "max")
    )
    tree = ask(results, search=[tuple(names)]).draws(5, rng=0)
    assert f"cpt_loss{suffix}" in tree["posterior"]


# ------------------------------------------------------------------------------- words and files


def test_the_words_name_edges_and_carriers() -> None:
    """Section 6.3 of the 2015 paper: connected measures settled, others apart and open."""
    rng = np.random.default_rng(1)
    z = rng.random((60, 1)) < 0.1
    carried = z ^ (rng.random((60, 3)) < 0.08)
    open_ = np.arange(60)[:, None] % 2 == 0
    c = ask(no.from_states(np.concatenate([carried, open_], axis=1)), search=no.CHAIN)
    said = c.explain()
    assert "m0–m1 and m1–m2" in said
    assert "carried by m0, m1 and m2" in said
    assert "left open by m3" in said
    parts = c.components
    assert parts["measures"].tolist() == [["m0", "m1", "m2"], ["m3"]]
    assert parts["best"].tolist()[0] == "A>B|A>B|A>B"
    assert parts["probability"][0] > 0.99
    assert parts["exact"].tolist() == [False, True]
    joint = float(c.probability.sel(statement=c.best))
    assert joint == pytest.approx(float(parts["probability"].prod()), abs=1e-10)
    assert f"{joint:.3f}"[:4] in said


def test_the_words_of_no_edges_and_of_averages(averaged: NetworkComparison) -> None:
    results = table(np.random.default_rng(0).random((20, 2, 3)))
    assert "no measure depends on another" in ask(results, max_parents=0).explain()
    assert "In the learned graph" in ask(results).explain()
    assert "Averaged over all graphs" in averaged.explain()
    assert "not about causes" in averaged.explain()


@pytest.mark.parametrize("suffix", ["nc", "json"])
@pytest.mark.parametrize("kind", ["learned", "given", "averaged"])
def test_files_keep_the_graph(kind: str, suffix: str, tmp_path: Path) -> None:
    results = table(no.linked(60, 4, seed=3, link=2.0))
    choices: dict[str, dict[str, Any]] = {
        "learned": {"mcse": 5e-3},
        "given": {"search": nx.DiGraph([("m3", "m1"), ("m1", "m0"), ("m1", "m2")]), "ess": 2.0},
        "averaged": {"average": True, "mcse": 5e-3},
    }
    c = ask(results, **choices[kind])
    assert c.answer.details["edges"]
    path = tmp_path / f"c.{suffix}"
    c.to_json(path) if suffix == "json" else c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert isinstance(again, NetworkComparison)
    assert again.answer.details == c.answer.details
    assert again.score == c.score
    assert again.log_evidence == c.log_evidence
    assert again.explain() == c.explain()
    np.testing.assert_array_equal(again.probability, c.probability)
    np.testing.assert_array_equal(again.edges, c.edges)
    assert sorted(again.network.edges()) == sorted(c.network.edges())
    assert again.components.equals(c.components)
    assert again.questions.equals(c.questions)
    np.testing.assert_allclose(again.loo().elpd_i, c.loo().elpd_i)
    if suffix == "json":
        assert json.loads(path.read_text())["details"]["edges"] == c.answer.details["edges"]


def test_pairwise_by_network() -> None:
    values = no.linked(30, 3, seed=1, l=3)
    results = table(values)
    p = bc.pairwise(results, method=Network(max_parents=0), n_jobs=1)
    for a, b in itertools.permutations("ABC", 2):
        c = bc.compare(results, method=Network(max_parents=0), algorithms=[a, b])
        expected = float(c.probability.sel(statement="|".join([f"{a}>{b}"] * 3)))
        assert float(p.matrix.sel(algorithm=a, opponent=b)) == pytest.approx(expected, abs=1e-10)
    named = bc.pairwise(results, method="network", n_jobs=1)
    assert np.isfinite(named.matrix.values[~np.eye(3, dtype=bool)]).all()
    assert len(named.decide()) == 3


# ------------------------------------------------------------------------------- what it is for


def two_blocks(seed: int, n: int, agree_: float) -> Results:
    """Two independent coins, A ahead with 0.6; three measures each copy one of them."""
    rng = np.random.default_rng(seed)
    coins = np.repeat(rng.random((n, 2)) < 0.4, 3, axis=1)
    return no.from_states(coins ^ (rng.random((n, 6)) > agree_))


def test_two_blocks_are_found_and_the_test_gains(capsys: pytest.CaptureFixture[str]) -> None:
    top = "|".join(["A>B"] * 6)
    found, across, gain, network, plain = 0, [], [], [], []
    for seed in range(40):
        results = two_blocks(seed, 80, 0.85)
        c = ask(results, mcse=0.01, rng=seed)
        found += c.components["measures"].tolist() == [["m0", "m1", "m2"], ["m3", "m4", "m5"]]
        blocks = [{int(a[1]) // 3, int(b[1]) // 3} for a, b in c.answer.details["edges"]]
        across.append(sum(len(block) == 2 for block in blocks))
        network.append(float(c.probability.sel(statement=top)))
        plain.append(float(bc.compare(results).probability.sel(statement=top)))
        gain.append(network[-1] - plain[-1])
    error = float(np.std(gain, ddof=1) / math.sqrt(len(gain)))
    with capsys.disabled():
        print(
            f"\n  two blocks: found exactly in {found} of 40, {np.mean(across):.2f} edges across; "
            f"P(true top) {np.mean(network):.3f} by the network, {np.mean(plain):.3f} plain, "
            f"gain {np.mean(gain):.3f} (standard error {error:.3f})"
        )
    assert found > 20
    assert np.mean(across) < 0.6
    assert np.mean(gain) > 3 * error
    assert np.mean(gain) > 0.05


# -------------------------------------------------------------------------------------- bad input


def digraph(*edges: tuple[str, str], nodes: str = "") -> nx.DiGraph:
    made = nx.DiGraph(edges)
    made.add_nodes_from(nodes.split())
    return made


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (
            [("m0", "m1"), ("m1", "m2"), ("m2", "m0")],
            ["search", "cycle", "m0 → m1", "m1 → m2", "m2 → m0"],
        ),
        ([("m0", "m1"), ("m1", "m0")], ["search", "cycle"]),
        ([("m1", "m1")], ["search", "cycle", "m1 → m1"]),
        ([("m0", "accuracy")], ["search", "'accuracy'", "m0, m1, m2"]),
        ([("m0", "m11")], ["search", "'m11'", "Did you mean 'm1'?"]),
        (digraph(("m0", "m1")), ["search", "lacks", "m2", "add them as nodes"]),
        (digraph(("m0", "m1"), ("m1", "m0"), nodes="m2"), ["search", "cycle"]),
        (nx.Graph([("m0", "m1"), ("m1", "m2")]), ["search", "undirected", "DiGraph"]),
        ([("m0", "m1", "m2")], ["search", "pairs"]),
        ([1, 2], ["search", "pairs"]),
        ([None], ["search", "pairs"]),
        (5, ["search", "pgmpy DAG", "networkx DiGraph"]),
        (None, ["search", "pgmpy DAG"]),
        (["m0", "m1"], ["search", "pairs"]),
    ],
)
def test_graphs_that_are_none(search: Any, words: list[str]) -> None:
    results = table(np.random.default_rng(0).random((10, 2, 3)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method=Network(search=search))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"ess": 0}, ["ess=0", "> 0"]),
        ({"ess": -1.0}, ["ess=-1.0", "> 0"]),
        ({"ess": math.inf}, ["ess=inf"]),
        ({"ess": math.nan}, ["ess=nan"]),
        ({"ess": "one"}, ["ess='one'"]),
        ({"priors": {"ess": -2.0}}, ["ess"]),
        ({"priors": {"ess": 0}}, ["ess"]),
        ({"priors": {"alpha": 1.0}}, ["alpha", "ess"]),
        ({"mcse": 0}, ["mcse=0", "> 0"]),
        ({"max_parents": -1}, ["max_parents=-1", ">= 0"]),
        ({"max_parents": 1.5}, ["max_parents=1.5"]),
        ({"max_parents": True}, ["max_parents=True"]),
        ({"search": "hillclimb"}, ["search='hillclimb'", "hill-climb", "Did you mean"]),
        ({"search": ""}, ["search=''", "exact"]),
        ({"average": True, "search": "ges"}, ["average=True", "search='exact'"]),
        ({"average": True, "search": [("m0", "m1")]}, ["average=True", "search='exact'"]),
        ({"average": True, "search": nx.DiGraph([("m0", "m1")])}, ["average=True"]),
    ],
)
def test_choices_that_are_none(choices: dict[str, Any], words: list[str]) -> None:
    results = table(np.random.default_rng(0).random((10, 2, 2)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method=Network(**choices))
    for word in words:
        assert word in str(caught.value)


def test_one_measure_needs_no_network() -> None:
    results = table(np.random.default_rng(0).random((10, 2, 1)))
    with pytest.raises(BayescompareError, match=r"at least two measures.*method='dirichlet'"):
        bc.compare(results, method="network")


def test_thirty_measures_are_too_many_for_the_exact_search() -> None:
    results = table(np.random.default_rng(0).random((10, 2, 30)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method="network")
    for word in ("30 measures", "22", "GB", "hill-climb"):
        assert word in str(caught.value)
    with pytest.raises(BayescompareError, match="16"):
        _ = ask(results, search=[]).edges


def test_on_names_what_it_does_not_know(chain4: NetworkComparison) -> None:
    with pytest.raises(BayescompareError, match="m9"):
        chain4.on(["m0", "m9"])
    with pytest.raises(BayescompareError):
        chain4.on([])


@pytest.mark.parametrize("edges", [[("m0", "m1"), ("m0", "m2")], [("m0", "m2"), ("m1", "m2")]])
def test_a_prior_too_firm_for_draws_is_told(edges):
    """At ESS = 1e30 the statement listed first had P = 0.997 by rounding alone."""
    results = table(np.random.default_rng(0).normal(size=(12, 2, 3)))
    with pytest.raises(bc.BayescompareError, match=r"ess=1e\+30: must be at most 1e\+12"):
        bc.compare(results, method=bc.methods.Network(ess=1e30, search=edges))
