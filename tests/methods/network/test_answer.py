"""The network test's figures: exact by theory, Monte Carlo against a million draws, symmetries."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Dirichlet, Network
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from tests.cases import few_quick
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


@pytest.mark.slow
def test_the_mcse_is_the_spread_between_seeds(walk: tuple[np.ndarray, Results]) -> None:
    runs = [ask(walk[1], search=no.COLLIDER, mcse=0.01, rng=seed) for seed in range(20)]
    spread = np.std([c.probability.values for c in runs], axis=0, ddof=1)
    told = np.mean([c.mcse.values for c in runs], axis=0)
    often = runs[0].probability.values > 0.02
    # A standard deviation of twenty has 16 % error.
    np.testing.assert_allclose(spread[often], told[often], rtol=4 * 0.16)


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


def test_a_tree_beyond_256_statements_lists_the_observed(walk: tuple[np.ndarray, Results]) -> None:
    """K = 512; the statements listed have the probabilities that drawing gives them."""
    states = np.random.default_rng(3).random((25, 9)) < 0.3
    results = no.from_states(states)
    edges = [(f"m{j // 2}", f"m{j}") for j in range(1, 9)]
    c = ask(results, search=edges)
    assert c.exact
    assert c.answer.n_statements == 512
    counts = np.zeros(512)
    np.add.at(counts, states @ (1 << np.arange(9)[::-1]), 1.0)
    share = no.leading_shares(counts, [2] * 9, no.masks(edges, results.measures), size=4_000)
    seen = [
        int(label.replace("A>B", "0").replace("B>A", "1").replace("|", ""), 2)
        for label in c.answer.labels
    ]
    agree(c, share[seen], 4_000)
    assert c.unobserved == pytest.approx(1.0 - float(c.probability.sum()), abs=1e-12)


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


@pytest.mark.slow
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
    assert c.answer.n_statements == 12
    states = np.stack([states[:, 0], gap[:, 1] <= 0, gap[:, 2] <= 0], axis=1).astype(int)
    counts = np.zeros(12)
    np.add.at(counts, states @ np.array([4, 2, 1]), 1.0)
    np.testing.assert_array_equal(c.answer.counts, counts)
    agree(c, no.leading_shares(counts, [3, 2, 2], [0, 0b101, 0], size=200_000), 200_000)


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
    assert mirrored.answer.facts.edges == c.answer.facts.edges
    for label, p in zip(c.answer.labels, c.probability.values, strict=True):
        assert float(mirrored.probability.sel(statement=label.translate(swap))) == pytest.approx(
            p, abs=1e-10
        )
        assert float(listed.probability.sel(statement=label)) == pytest.approx(p, abs=1e-10)
    np.testing.assert_allclose(mirrored.edges, c.edges, atol=1e-10)
    np.testing.assert_allclose(mirrored.loo().elpd_i, c.loo().elpd_i, atol=1e-10)


@pytest.mark.parametrize("choices", few_quick([{}, {"average": True}, {"search": no.COLLIDER}], 2))
def test_permuting_datasets_changes_nothing(choices: dict[str, Any]) -> None:
    values = no.linked(25, 3, seed=12)
    order = np.random.default_rng(0).permutation(25)
    names = [f"d{i}" for i in range(25)]
    c = ask(table(values), **choices)
    moved = ask(table(values[order], datasets=[names[i] for i in order]), **choices)
    assert moved.answer.facts.edges == c.answer.facts.edges
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
