"""The exact search against every DAG there is, and the way it settles ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets
from bayescompare.kernels.network.dag_search import best_dag, dag_score, search_bytes
from tests.oracles import network as no

TABLES = [(3, seed) for seed in range(20)] + [(4, seed) for seed in range(20)]
TABLES += [(5, seed) for seed in range(10)]


def searched(
    states: np.ndarray, counts: np.ndarray, arities: list[int], most: int, ess: float = 1.0
) -> tuple[list[int], float]:
    g = bdeu_scores_of_subsets(states, counts, np.log(arities), ess, most + 1)
    graph = best_dag(g, len(arities), most)
    return graph, dag_score(g, graph)


def is_dag(graph: list[int], m: int) -> bool:
    return bool((no.every_dag(m) == np.array(graph)).all(axis=1).any())


@pytest.mark.parametrize(("m", "seed"), TABLES)
def test_no_dag_of_all_has_a_higher_score(m: int, seed: int) -> None:
    """25, 543 and 29,281 graphs, scored by the textbook."""
    rng = np.random.default_rng(1000 * m + seed)
    arities = rng.choice([2, 2, 2, 3], m).tolist()
    n, strength = int(rng.integers(5, 120)), float(rng.choice([0.0, 0.3, 0.6, 0.9]))
    states, counts = no.random_table(rng, arities, n, strength)
    most, ess = seed % m, float(rng.choice([0.5, 1.0, 4.0]))
    local = no.local_table(states, counts, arities, ess, most)
    every = no.dag_scores(local, no.every_dag(m))
    graph, score = searched(states, counts, arities, most, ess)
    assert is_dag(graph, m)
    assert max(mask.bit_count() for mask in graph) <= most
    assert score == pytest.approx(every.max(), abs=1e-9)
    found = sum(local[j, mask] for j, mask in enumerate(graph))
    assert found == pytest.approx(every.max(), abs=1e-9), "the graph has the score it claims"


# ------------------------------------------------------------------------------------------- ties


def by_the_rule(local: np.ndarray) -> list[int]:
    """Of all best graphs: the last measure is the sink, with the fewest, then first, parents."""
    m = len(local)
    dags = no.every_dag(m)
    scores = no.dag_scores(local, dags)
    best, left, made = dags[scores >= scores.max() - 1e-8], list(range(m)), [0] * m
    while left:
        for child in reversed(left):
            others = [j for j in left if j != child]
            sink = ~((best[:, others] >> child & 1).any(axis=1))
            if sink.any():
                break
        best = best[sink]
        parents = {int(p) for p in best[:, child]}
        made[child] = min(parents, key=lambda p: (p.bit_count(), no.bits(p)))
        best = best[best[:, child] == made[child]]
        left.remove(child)
    return made


def tied_tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    coin = np.arange(16)
    fair = np.stack([coin >> k & 1 for k in range(4)], axis=1)
    twin = fair[:, [0, 0, 1, 1]]
    copies = fair[:, [0, 0, 0, 0]]
    rng = np.random.default_rng(3)
    noisy = (rng.random((60, 1)) < 0.5) ^ (rng.random((60, 4)) < 0.15)
    mirrored = np.concatenate([noisy, 1 - noisy, noisy[:, ::-1], 1 - noisy[:, ::-1]])
    return {
        name: (np.asarray(rows, dtype=np.int64), np.full(len(rows), 0.5))
        for name, rows in {
            "fair coins": fair,
            "two twins": np.concatenate([twin] * 3),
            "four copies": copies,
            "exchangeable": mirrored,
            # One dataset says nothing: every graph has the same score, the empty one is taken.
            "one dataset": np.zeros((2, 4)),
        }.items()
    }


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("name", list(tied_tables()))
def test_equal_scores_are_settled_by_the_rule(name: str, most: int) -> None:
    states, counts = tied_tables()[name]
    graph, _ = searched(states, counts, [2] * 4, most)
    local = no.local_table(states, counts, [2] * 4, 1.0, most)
    assert graph == by_the_rule(local)
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(len(states))
        # Other orders of summation round differently; they never decide.
        assert searched(states[order], counts[order], [2] * 4, most)[0] == graph
        relabelled = states ^ rng.integers(0, 2, 4)
        assert searched(relabelled, counts, [2] * 4, most)[0] == graph


def test_fair_coins_and_copies() -> None:
    states, counts = tied_tables()["fair coins"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0, 0, 0]
    states, counts = tied_tables()["one dataset"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0, 0, 0]
    states, counts = tied_tables()["two twins"]
    assert searched(states, counts, [2] * 4, 3)[0] == [0, 0b0001, 0, 0b0100]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_renaming_measures_keeps_score_and_class(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, [2] * m, 40, 0.6)
    most = int(rng.integers(0, m))
    _, score = searched(states, counts, [2] * m, most)
    order = rng.permutation(m)
    graph, moved = searched(states[:, order], counts, [2] * m, most)
    assert moved == pytest.approx(score, abs=1e-9)
    assert max(mask.bit_count() for mask in graph) <= most


def test_more_parents_never_lower_the_score() -> None:
    states, counts = no.random_table(np.random.default_rng(7), [2, 3, 2, 2, 6, 2], 80, 0.5)
    scores = [searched(states, counts, [2, 3, 2, 2, 6, 2], most)[1] for most in range(6)]
    assert (np.diff(scores) >= -1e-9).all()


def test_the_memory_named_is_enough() -> None:
    """Scores, best parents of every half, totals and sinks."""
    for m in (5, 15, 22, 30):
        needed = 8 * 2**m + 8 * m * 2 ** (m - 1) + 9 * 2**m
        assert needed <= search_bytes(m) < 3 * needed
