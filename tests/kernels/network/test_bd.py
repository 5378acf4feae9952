"""BD scores against the textbook's double product, K2's factorials and BDeu where they coincide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.network.bd import bd_local_score, bd_local_scores
from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets, local_score
from bayescompare.kernels.network.dag_search import _dag_mask_with_gap, best_dag, best_dag_of
from tests.oracles import network as no


def random_alpha(rng: np.random.Generator, arities: list[int]) -> list[list[float]]:
    return [(10.0 ** rng.uniform(-2, 1.5, r)).tolist() for r in arities]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_every_family_is_the_textbooks(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, 25, 0.5)
    alpha, most = random_alpha(rng, arities), int(rng.integers(0, m))
    found = bd_local_scores(states, counts, alpha, most)
    assert found.shape == (m, 1 << (m - 1))
    for child in range(m):
        for index in range(1 << (m - 1)):
            parents = int(_dag_mask_with_gap(index, child))
            if parents.bit_count() > most:
                assert found[child, index] == -math.inf
                continue
            expected = no.textbook_bd(states, counts, alpha[child], arities, child, parents)
            assert found[child, index] == pytest.approx(expected, abs=1e-9)
            alone = bd_local_score(states, counts, alpha[child], child, parents)
            assert alone == pytest.approx(expected, abs=1e-9)


def test_alpha_one_is_k2() -> None:
    """Cooper & Herskovits (1992), eq. 5: (r − 1)! / (N + r − 1)! times the cells' factorials."""
    states = np.array([[0, 0], [0, 1], [1, 2]])
    counts = np.array([3.0, 2.0, 4.0])
    found = bd_local_score(states, counts, (1.0, 1.0, 1.0), 1, 0b01)
    first = math.factorial(2) * math.factorial(3) * math.factorial(2) / math.factorial(7)
    second = math.factorial(2) * math.factorial(4) / math.factorial(6)
    assert found == pytest.approx(math.log(first * second), abs=1e-12)


def test_without_parents_it_is_bdeu_of_the_same_weight() -> None:
    states, counts = no.random_table(np.random.default_rng(1), [2, 3], 20, 0.5)
    g = bdeu_scores_of_subsets(states, counts, np.log([2.0, 3.0]), 1.5, 2)
    found = bd_local_scores(states, counts, [[0.75] * 2, [0.5] * 3], 1)
    for child in range(2):
        assert found[child, 0] == pytest.approx(local_score(g, child, 0), abs=1e-12)


def test_equivalent_graphs_differ() -> None:
    """What BDeu is for: with another α the arrow's direction has a score of its own."""
    states, counts = np.array([[0, 0], [0, 1], [1, 1]]), np.array([6.0, 1.0, 3.0])
    alpha = [[1.0, 1.0], [0.2, 0.2]]
    there, back = (
        bd_local_score(states, counts, alpha[a], a, 0)
        + bd_local_score(states, counts, alpha[b], b, 1 << a)
        for a, b in ((0, 1), (1, 0))
    )
    assert abs(there - back) > 0.1


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_best_graph_by_enumeration(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, 30, 0.6)
    most = int(rng.integers(0, m))
    local = bd_local_scores(states, counts, random_alpha(rng, arities), most)
    graph = best_dag_of(local, most)
    dags = no.dags_up_to(m, most)
    squeezed = {
        (j, int(_dag_mask_with_gap(k, j))): local[j, k]
        for j in range(m)
        for k in range(1 << (m - 1))
    }
    scores = [sum(squeezed[j, p] for j, p in enumerate(row)) for row in dags.tolist()]
    assert sum(squeezed[j, p] for j, p in enumerate(graph)) == pytest.approx(max(scores), abs=1e-9)


def test_the_two_searches_are_one() -> None:
    from bayescompare.kernels.network.dag_posterior import local_scores

    states, counts = no.random_table(np.random.default_rng(5), [2, 3, 2, 2], 40, 0.6)
    g = bdeu_scores_of_subsets(states, counts, np.log([2.0, 3.0, 2.0, 2.0]), 1.0, 4)
    assert best_dag_of(local_scores(g, 4, 3), 3) == best_dag(g, 4, 3)
