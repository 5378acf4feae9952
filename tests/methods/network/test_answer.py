"""The network test's figures: exact by theory, Monte Carlo against a million draws, symmetries."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Dirichlet, Network
from bayescompare.table.results import Results
from tests.methods.network.cases import agree, ask, error_of
from tests.oracles import network as no
from tests.tables import table

GRAPHS = {"chain": no.CHAIN, "fork": no.FORK, "collider": no.COLLIDER}


def complete(results: Results) -> list[tuple[str, str]]:
    return list(itertools.combinations(results.measures, 2))


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
    np.testing.assert_allclose(c.questions, plain.questions, atol=1e-10)
    assert c.unobserved == pytest.approx(plain.unobserved, abs=1e-10)
    assert c.log_evidence == pytest.approx(plain.log_evidence, abs=1e-10)
    np.testing.assert_allclose(c.loo().elpd_i.values, plain.loo().elpd_i.values, atol=1e-10)
    assert c.loo().p == pytest.approx(plain.loo().p, abs=1e-9)
    for column in ("count", "theta_mean"):
        np.testing.assert_allclose(
            c.summary()[column].sort_index(), plain.summary()[column].sort_index(), atol=1e-12
        )


@pytest.mark.parametrize(("l", "m", "n"), [(2, 2, 12), (3, 2, 20), (2, 10, 20)])
def test_the_empty_graph_is_the_product_of_the_measures_tests(l: int, m: int, n: int) -> None:
    results = table(no.linked(n, m, seed=m, l=l))
    for c in (ask(results, search=[]), ask(results, max_parents=0)):
        assert c.exact
        alone = [bc.compare(results, measures=[name]).probability for name in results.measures]
        for label, found in zip(c.answer.labels, c.probability.values, strict=True):
            parts = zip(alone, label.split("|"), strict=True)
            expected = math.prod(float(p.sel(statement=part)) for p, part in parts)
            assert found == pytest.approx(expected, abs=1e-10)
        # Of 1024 statements those observed are listed.
        assert c.probability.sum() + (c.unobserved if m == 10 else 0.0) == pytest.approx(1.0)
        evidences = [bc.compare(results, measures=[name]).log_evidence for name in results.measures]
        assert c.log_evidence == pytest.approx(sum(evidences), abs=1e-10)


# ------------------------------------------------------------------------ trees, and Monte Carlo


@pytest.mark.parametrize(
    ("name", "ess", "rope"),
    [("chain", 1.0, None), ("collider", 1.0, None), ("collider", 5.0, None), ("chain", 1.0, 0.8)],
)
def test_graphs_against_many_draws(name: str, ess: float, rope: float | None) -> None:
    values = no.linked(40, 3, seed=1)
    results, r = table(values, rope=rope), 2 if rope is None else 3
    c = ask(results, search=GRAPHS[name], ess=ess)
    assert c.exact == (name == "chain" and rope is None)
    graph = no.masks(GRAPHS[name], results.measures)
    gap = values[:, 0] - values[:, 1]
    states = np.where(np.abs(gap) <= (rope or 0.0), 1, np.where(gap > 0, 0, 2))
    counts = np.bincount(states @ np.array([9, 3, 1]), minlength=27).astype(float)
    if rope is None:
        counts = no.counts_of(values, results)
    np.testing.assert_allclose(c.answer.counts, counts)
    agree(c, no.leading_shares(counts, [r] * 3, graph, ess=ess, size=200_000), 200_000)
    assert error_of(c).max() <= 1.05e-3
    assert c.probability.sum() == pytest.approx(1.0, abs=1e-12)
    mean = no.mean_theta(counts, [r] * 3, graph, ess)
    by_label = c.summary()["theta_mean"].reindex(list(c.answer.labels))
    np.testing.assert_allclose(by_label, mean, atol=1e-12)
    assert c.questions["expected"] == pytest.approx(by_label[c.best], abs=1e-12)


def test_equivalent_graphs_have_one_answer(walk: tuple[np.ndarray, Results]) -> None:
    one, two = ask(walk[1], search=no.CHAIN), ask(walk[1], search=no.FORK, rng=1)
    assert one.score == pytest.approx(two.score, abs=1e-10)
    np.testing.assert_allclose(one.probability, two.probability, atol=1e-10)
    assert one.score != pytest.approx(ask(walk[1], search=no.COLLIDER).score, abs=1e-3)


def test_the_error_asked_for_is_reached() -> None:
    """Two components, each drawn: what counts is the error of the joint statement."""
    states = np.random.default_rng(4).random((14, 6)) < 0.35
    results = no.from_states(states)
    two = [("m0", "m1"), ("m2", "m1"), ("m3", "m4"), ("m5", "m4")]
    for asked in (4e-3, 1e-2):
        c = ask(results, search=two, mcse=asked)
        assert float(c.mcse.max()) <= 1.05 * asked


def test_a_forest_multiplies_trees_and_single_measures() -> None:
    """A tree of three, a pair and one alone, listed in any order: all exact."""
    results = table(no.linked(30, 6, seed=5))
    edges = [("m4", "m0"), ("m0", "m2"), ("m5", "m1")]
    c = ask(results, search=edges)
    assert c.exact
    assert c.answer.seed is None
    assert c.components["exact"].all()
    assert c.probability.sum() == pytest.approx(1.0, abs=1e-10)
    parts = [["m0", "m2", "m4"], ["m1", "m5"], ["m3"]]
    assert c.components["measures"].tolist() == parts
    alone = [c.on(part).probability for part in parts]
    for label, p in zip(c.answer.labels, c.probability.values, strict=True):
        states = dict(zip(results.measures, label.split("|"), strict=True))
        expected = math.prod(
            float(q.sel(statement="|".join(states[name] for name in part)))
            for q, part in zip(alone, parts, strict=True)
        )
        assert p == pytest.approx(expected, abs=1e-9)


def test_where_no_rule_settles_the_tree_is_drawn(
    walk: tuple[np.ndarray, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayescompare.posterior import network

    exact = ask(walk[1], search=no.CHAIN)
    monkeypatch.setattr(network, "tree_maximum", lambda tables, states: None)
    drawn = ask(walk[1], search=no.CHAIN)
    assert not drawn.exact
    gap = np.abs(exact.probability - drawn.probability).values
    np.testing.assert_array_less(gap, 4 * drawn.mcse.values)


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


# -------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize("name", list(GRAPHS))
def test_the_four_questions_by_hand(name: str, walk: tuple[np.ndarray, Results]) -> None:
    values, results = walk
    c = ask(results, search=GRAPHS[name])
    q = c.questions
    assert q.index.tolist() == ["most probable", "beats opposite", "majority", "expected"]
    graph, size = no.masks(GRAPHS[name], results.measures), 60_000
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
    assert mirrored.answer.facts.edges == c.answer.facts.edges
    for label, p in zip(c.answer.labels, c.probability.values, strict=True):
        assert float(mirrored.probability.sel(statement=label.translate(swap))) == pytest.approx(
            p, abs=1e-10
        )
        assert float(listed.probability.sel(statement=label)) == pytest.approx(p, abs=1e-10)
    np.testing.assert_allclose(mirrored.edges, c.edges, atol=1e-10)
    np.testing.assert_allclose(mirrored.loo().elpd_i, c.loo().elpd_i, atol=1e-10)


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


# ------------------------------------------------------------------------------- what it is for


def two_blocks(seed: int, n: int, agree_: float) -> Results:
    """Two independent coins, A ahead with 0.6; three measures each copy one of them."""
    rng = np.random.default_rng(seed)
    coins = np.repeat(rng.random((n, 2)) < 0.4, 3, axis=1)
    return no.from_states(coins ^ (rng.random((n, 6)) > agree_))


@pytest.mark.slow
def test_two_blocks_are_found_and_the_test_gains(capsys: pytest.CaptureFixture[str]) -> None:
    top = "|".join(["A>B"] * 6)
    found, across, gain, network, plain = 0, [], [], [], []
    for seed in range(15):
        results = two_blocks(seed, 80, 0.85)
        c = ask(results, mcse=0.01, rng=seed)
        found += c.components["measures"].tolist() == [["m0", "m1", "m2"], ["m3", "m4", "m5"]]
        blocks = [{int(a[1]) // 3, int(b[1]) // 3} for a, b in c.answer.facts.edges]
        across.append(sum(len(block) == 2 for block in blocks))
        network.append(float(c.probability.sel(statement=top)))
        plain.append(float(bc.compare(results).probability.sel(statement=top)))
        gain.append(network[-1] - plain[-1])
    error = float(np.std(gain, ddof=1) / math.sqrt(len(gain)))
    with capsys.disabled():
        print(
            f"\n  two blocks: found exactly in {found} of 15, {np.mean(across):.2f} edges across; "
            f"P(true top) {np.mean(network):.3f} by the network, {np.mean(plain):.3f} plain, "
            f"gain {np.mean(gain):.3f} (standard error {error:.3f})"
        )
    assert found > 7
    assert np.mean(across) < 0.6
    assert np.mean(gain) > 3 * error
    assert np.mean(gain) > 0.05
