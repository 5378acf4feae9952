"""BDeu by subsets: against the textbook's double product, the urn, and its own symmetries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.kernels.network import bdeu
from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets, local_score
from bayescompare.methods.network.graph import GraphScores
from bayescompare.statements import Statements
from tests.oracles import network as no
from tests.oracles.dirichlet import log_dirichlet_moment, urn
from tests.tables import table

seeds = st.integers(0, 2**32 - 1)
arity_lists = st.lists(st.sampled_from([2, 3, 6]), min_size=1, max_size=4)


def scores(
    states: np.ndarray, counts: np.ndarray, arities: list[int], ess: float = 1.0, most: int = 99
) -> np.ndarray:
    return bdeu_scores_of_subsets(states, counts, np.log(arities), ess, min(most, len(arities)))


# ------------------------------------------------------------------------------------ the formula


@given(arity_lists, seeds, st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from([0.0, 0.6, 1.0]))
def test_every_local_score_is_the_textbook_formula(
    arities: list[int], seed: int, ess: float, strength: float
) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, int(rng.integers(1, 25)), strength)
    g = scores(states, counts, arities, ess)
    for child in range(len(arities)):
        for parents in range(1 << len(arities)):
            if not parents >> child & 1:
                expected = no.textbook_bdeu(states, counts, arities, ess, child, parents)
                assert local_score(g, child, parents) == pytest.approx(expected, abs=1e-10)


def test_unobserved_states_and_halves_in_thirty_digits() -> None:
    """Mixed arities; a parent's state, a child's state and whole rows never seen."""
    arities = [2, 3, 6]
    states = np.array([[0, 0, 0], [0, 2, 0], [1, 0, 5], [1, 2, 5], [1, 2, 4]])
    counts = np.array([3.5, 0.5, 7.0, 0.25, 1.75])
    g = scores(states, counts, arities)
    for child in range(3):
        for parents in range(8):
            if not parents >> child & 1:
                exact = no.textbook_bdeu(states, counts, arities, 1.0, child, parents, digits=30)
                assert local_score(g, child, parents) == pytest.approx(exact, abs=1e-12)


def test_the_joint_of_all_is_polyas_urn() -> None:
    """Example 1 of Benavoli & de Campos: counts 1, 2, 3, 6 under α = 1/4, as exact fractions."""
    states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    counts = np.array([1.0, 2.0, 3.0, 6.0])
    drawn = [k for k, n in enumerate(counts) for _ in range(int(n))]
    g = scores(states, counts, [2, 2])
    assert g[3] == pytest.approx(math.log(urn([Fraction(1, 4)] * 4, drawn)), abs=1e-12)
    first = [k // 2 for k in drawn]
    assert g[1] == pytest.approx(math.log(urn([Fraction(1, 2)] * 2, first)), abs=1e-12)


def test_six_algorithms_on_six_measures_leave_float_range_alone() -> None:
    """720^6 cells of prior weight 7e-18 each: the singular part stays in log α."""
    arities = [720] * 6
    rng = np.random.default_rng(4)
    states, counts = rng.integers(0, 720, (9, 6)), rng.choice([0.5, 1.0, 2.0], 9)
    g = scores(states, counts, arities)
    cells = [1.0 / 720**6] * 9
    rest = 1.0 - sum(cells)
    expected = log_dirichlet_moment([*cells, rest], [*counts, 0.0])
    assert g[-1] == pytest.approx(expected, rel=1e-12)


def test_the_complete_graph_is_the_dirichlet_tests_evidence() -> None:
    for seed, l, m in ((0, 2, 2), (1, 2, 4), (2, 3, 2), (3, 2, 10), (4, 4, 3)):
        results = table(np.random.default_rng(seed).integers(0, 4, (15, l, m)).astype(float))
        complete = tuple((1 << j) - 1 for j in range(m))
        score = GraphScores(Statements.from_results(results), 1.0, m).graph(complete)
        assert score == pytest.approx(bc.compare(results).log_evidence, abs=1e-10)


# ----------------------------------------------------------------------------------- equivalence


@given(seeds, st.sampled_from([[2, 2, 2], [2, 3, 6], [3, 3, 2], [6, 2, 3]]))
def test_markov_equivalent_graphs_score_equally(seed: int, arities: list[int]) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, 20, 0.5)
    g = scores(states, counts, arities)
    by_class: dict[object, list[float]] = {}
    for graph in no.every_dag(3).tolist():
        score = sum(local_score(g, j, mask) for j, mask in enumerate(graph))
        by_class.setdefault(no.markov_class(graph), []).append(score)
    assert len(by_class) == 11
    for found in by_class.values():
        assert max(found) - min(found) < 1e-10


def test_a_collider_is_not_a_chain() -> None:
    states = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    g = scores(states, np.full(4, 10.0), [2, 2, 2])
    parity = local_score(g, 0, 0) + local_score(g, 1, 0) + local_score(g, 2, 0b011)
    chain = local_score(g, 0, 0) + local_score(g, 1, 0b001) + local_score(g, 2, 0b010)
    assert parity > chain + 10


# ------------------------------------------------------------------------------------ properties


@given(arity_lists, seeds)
def test_rows_states_and_measures_may_be_renamed(arities: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, 15, 0.5)
    g = scores(states, counts, arities)
    shuffled = rng.permutation(len(states))
    np.testing.assert_allclose(scores(states[shuffled], counts[shuffled], arities), g, atol=1e-11)
    renamed = np.stack(
        [rng.permutation(r)[column] for r, column in zip(arities, states.T, strict=True)], axis=1
    )
    np.testing.assert_allclose(scores(renamed, counts, arities), g, atol=1e-11)
    order = rng.permutation(len(arities))
    moved = scores(states[:, order], counts, [arities[j] for j in order])
    for mask in range(1 << len(arities)):
        new = sum(1 << k for k, j in enumerate(order) if mask >> j & 1)
        assert moved[new] == pytest.approx(g[mask], abs=1e-11)


@given(arity_lists, seeds)
def test_split_rows_and_empty_rows_add_up(arities: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, 12, 0.5)
    split = np.concatenate([counts * 0.25, counts * 0.75, np.zeros(len(counts))])
    again = scores(np.concatenate([states, states, states]), split, arities)
    np.testing.assert_allclose(again, scores(states, counts, arities), atol=1e-11)
    nothing = np.array([[r - 1 for r in arities]])
    longer = scores(np.concatenate([states, nothing]), np.append(counts, 0.0), arities)
    np.testing.assert_array_equal(longer, scores(states, counts, arities))


@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_compiled_as_interpreted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled code reads and writes beyond the end of an array unnoticed; Python does not.
    arities = [2, 3, 2, 6]
    states, counts = no.random_table(np.random.default_rng(0), arities, 20, 0.5)
    compiled = scores(states, counts, arities, 1, most)
    for name in ("_bdeu_log_rising", "_refine_bdeu_blocks", "_bdeu_subset_scores"):
        monkeypatch.setattr(bdeu, name, getattr(bdeu, name).py_func)
    np.testing.assert_allclose(compiled, scores(states, counts, arities, 1, most), rtol=1e-13)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_subsets_above_the_limit_are_not_a_number(most: int) -> None:
    states, counts = no.random_table(np.random.default_rng(0), [2, 3, 2, 6], 20, 0.5)
    whole, part = (
        scores(states, counts, [2, 3, 2, 6]),
        scores(states, counts, [2, 3, 2, 6], 1, most),
    )
    small = np.array([mask.bit_count() <= most for mask in range(16)])
    np.testing.assert_array_equal(part[small], whole[small])
    assert np.isnan(part[~small]).all()
    assert part[0] == 0.0
