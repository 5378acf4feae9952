"""The network test averaged over graphs, against the sum over all of them, and plans."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Network
from bayescompare.posterior import graphs, network
from bayescompare.posterior.network import MonteCarlo
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.oracles.statements import every_label
from tests.tables import table


def test_the_average_is_the_sum_over_all_graphs(
    walk: tuple[np.ndarray, Results], averaged: NetworkComparison
) -> None:
    """Twenty-five graphs, each drawn by hand and weighted by its textbook score."""
    values, results = walk
    counts = no.counts_of(values, results)
    dags, states = no.every_dag(3), no.joint_states([2] * 3)
    scores = no.dag_scores(no.local_table(states, counts, [2] * 3, 1.0, 2), dags)
    weights = np.exp(scores - logsumexp(scores))
    size = 30_000
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
    results = table(no.linked(30, 4, seed=6))
    exact = ask(results, average=True, mcse=2e-3)
    # Thirty datasets allow one parent: every graph is a forest.
    assert exact.exact
    for module in (graphs, network):
        monkeypatch.setattr(module, "MOST_ENUMERATED", 1)
    drawn = ask(results, average=True, mcse=2e-3)
    gap = np.abs(exact.probability - drawn.probability).values
    np.testing.assert_array_less(gap, 4 * drawn.mcse.values)


@pytest.mark.slow
def test_a_thousand_datasets_on_five_measures_average_too() -> None:
    """Local scores below −700: pairs that hang together must not come out as the empty graph."""
    rng = np.random.default_rng(0)
    z = rng.random((1500, 1)) < 0.45
    states = z ^ (rng.random((1500, 5)) < 0.1)
    results = no.from_states(states)
    best = ask(results, mcse=0.02)
    c = ask(results, average=True, mcse=0.02)
    assert len(best.answer.facts.edges) >= 4
    # E θ of the leading statement is a tenth of what it is if all five were independent.
    counts = c.answer.counts
    top = int(counts.argmax())
    assert c.summary().loc[c.answer.labels[top], "theta_mean"] == pytest.approx(
        counts[top] / 1500, abs=0.03
    )


def test_one_class_of_graphs_in_all_samples_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond four measures graphs are drawn: even if all agree, the answer is not exact."""
    monkeypatch.setattr(network, "SAMPLED_GRAPHS", 1)
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


@pytest.mark.parametrize(
    "choices",
    [
        {"search": no.COLLIDER, "priors": {"alpha": 0.5}},
        {"average": True, "max_parents": 2},
        pytest.param({"search": no.CHAIN}, marks=pytest.mark.slow),
        pytest.param(
            {"average": True, "max_parents": 1, "priors": {"alpha": {"m0": 2.0, "*": 0.3}}},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_probabilities_are_a_martingale(
    choices: dict[str, Any], walk: tuple[np.ndarray, Results]
) -> None:
    """E P(max | old and predicted data) = P(max | old data), where graph and limit are fixed."""
    _, results = walk
    c = ask(results, mcse=3e-3, **choices)
    posterior = c.posterior.learned  # type: ignore[attr-defined]
    rng, size = np.random.default_rng(5), 60
    rough = MonteCarlo(0.01, rng, is_rough=True)
    found = np.array(
        [
            posterior.with_more(posterior.predict(15, 1, rng)[0], rough).p_max()[:-1]
            for _ in range(size)
        ]
    )
    error = np.hypot(found.std(axis=0) / math.sqrt(size), 3e-3)
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - c.probability.values), 4 * error)


def test_statements_never_seen_are_listed_after_the_others() -> None:
    """Of 512 statements some fifteen are listed; predictions see more."""
    results = table(no.linked(15, 9, seed=3))
    c = ask(results, mcse=0.05, search=[])
    listed = len(c.answer.labels)
    found = c.posterior.grown()(40, np.random.default_rng(1))
    assert len(found) > listed
    assert found.sum() <= 1.0 + 1e-9


def test_the_table_of_an_average() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method=Network(average=True), rng=0)
    found = c.plan([5, 50], simulations=40, rng=1)
    assert found.index.tolist() == [5, 50]
    assert found.loc[50, "settled"] > found.loc[5, "settled"]
