"""Scores of families and subsets: the textbook's double product, urns, factorials, symmetries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.network import scores
from bayescompare.kernels.network.scores import (
    CellPrior,
    ParentSets,
    family_scores,
    local_scores,
    mask_with_gap,
    number_of_sets,
    subset_scores,
)
from tests.oracles import network as no
from tests.oracles.dirichlet import log_dirichlet_moment, urn

seeds = st.integers(0, 2**32 - 1)
arity_lists = st.lists(st.sampled_from([2, 3, 6]), min_size=1, max_size=4)


def subsets(
    states: np.ndarray, counts: np.ndarray, arities: list[int], ess: float = 1.0, most: int = 99
) -> np.ndarray:
    return subset_scores(states, counts, arities, ess, min(most, len(arities)))


def local(g: np.ndarray, child: int, parents: int) -> float:
    return float(g[parents | 1 << child] - g[parents])


def random_alpha(rng: np.random.Generator, arities: list[int]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple((10.0 ** rng.uniform(-2, 1.5, r)).tolist()) for r in arities)


def alone(states: np.ndarray, counts: np.ndarray, alpha: object, child: int, parents: int) -> float:
    """The BD score of one family."""
    arities = [len(own) for own in alpha]  # type: ignore[attr-defined]
    prior = CellPrior(alpha=tuple(map(tuple, alpha)))  # type: ignore[call-overload]
    return float(family_scores(states, counts, arities, prior, child, [parents])[0])


# ------------------------------------------------------------------------------------ the formula


@given(arity_lists, seeds, st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from([0.0, 0.6, 1.0]))
def test_every_local_score_is_the_textbook_formula(
    arities: list[int], seed: int, ess: float, strength: float
) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, int(rng.integers(1, 25)), strength)
    g = subsets(states, counts, arities, ess)
    for child in range(len(arities)):
        for parents in range(1 << len(arities)):
            if not parents >> child & 1:
                expected = no.textbook_bdeu(states, counts, arities, ess, child, parents)
                assert local(g, child, parents) == pytest.approx(expected, abs=1e-10)


@given(seeds, st.integers(1, 5), st.booleans())
def test_every_family_is_the_textbooks(seed: int, m: int, bdeu: bool) -> None:
    """By subsets, by families, and in the list of sets of parents; with BDeu's α and others."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, 25, 0.5)
    alpha, most = random_alpha(rng, arities), int(rng.integers(0, m))
    prior = CellPrior(1.5) if bdeu else CellPrior(alpha=alpha)
    found = local_scores(states, counts, arities, prior, most)
    sets = ParentSets.score(states, counts, arities, prior, most)
    assert found.shape == (m, 1 << (m - 1))
    assert sets.masks.shape == (m, number_of_sets(m, most))
    assert (np.diff(sets.scores, axis=1) <= 0).all()
    for child in range(m):
        listed = dict(zip(sets.masks[child].tolist(), sets.scores[child], strict=True))
        assert len(listed) == number_of_sets(m, most)
        for index in range(1 << (m - 1)):
            parents = int(mask_with_gap(index, child))
            if parents.bit_count() > most:
                assert found[child, index] == -math.inf
                assert parents not in listed
                continue
            expected = (
                no.textbook_bdeu(states, counts, arities, 1.5, child, parents)
                if bdeu
                else no.textbook_bd(states, counts, alpha[child], arities, child, parents)
            )
            assert found[child, index] == pytest.approx(expected, abs=1e-9)
            assert listed[parents] == pytest.approx(expected, abs=1e-9)


def test_unobserved_states_and_halves_in_thirty_digits() -> None:
    """Mixed arities; a parent's state, a child's state and whole rows never seen."""
    arities = [2, 3, 6]
    states = np.array([[0, 0, 0], [0, 2, 0], [1, 0, 5], [1, 2, 5], [1, 2, 4]])
    counts = np.array([3.5, 0.5, 7.0, 0.25, 1.75])
    g = subsets(states, counts, arities)
    for child in range(3):
        for parents in range(8):
            if not parents >> child & 1:
                exact = no.textbook_bdeu(states, counts, arities, 1.0, child, parents, digits=30)
                assert local(g, child, parents) == pytest.approx(exact, abs=1e-12)


def test_the_joint_of_all_is_polyas_urn() -> None:
    """Example 1 of Benavoli & de Campos: counts 1, 2, 3, 6 under α = 1/4, as exact fractions."""
    states = no.joint_states([2, 2])
    counts = np.array([1.0, 2.0, 3.0, 6.0])
    drawn = [k for k, n in enumerate(counts) for _ in range(int(n))]
    g = subsets(states, counts, [2, 2])
    assert g[3] == pytest.approx(math.log(urn([Fraction(1, 4)] * 4, drawn)), abs=1e-12)
    first = [k // 2 for k in drawn]
    assert g[1] == pytest.approx(math.log(urn([Fraction(1, 2)] * 2, first)), abs=1e-12)


def test_without_parents_it_is_bdeu_of_the_same_weight() -> None:
    states, counts = no.random_table(np.random.default_rng(1), [2, 3], 20, 0.5)
    g = subsets(states, counts, [2, 3], 1.5)
    for child in range(2):
        found = alone(states, counts, [[0.75] * 2, [0.5] * 3], child, 0)
        assert found == pytest.approx(local(g, child, 0), abs=1e-12)


def test_six_algorithms_on_six_measures_leave_float_range_alone() -> None:
    """720^6 cells of prior weight 7e-18 each: the singular part stays in log α."""
    arities = [720] * 6
    rng = np.random.default_rng(4)
    states, counts = rng.integers(0, 720, (9, 6)), rng.choice([0.5, 1.0, 2.0], 9)
    cells = [1.0 / 720**6] * 9
    expected = log_dirichlet_moment([*cells, 1.0 - sum(cells)], [*counts, 0.0])
    assert subsets(states, counts, arities)[-1] == pytest.approx(expected, rel=1e-12)


# ----------------------------------------------------------------------------------- equivalence


@given(seeds, st.sampled_from([[2, 2, 2], [2, 3, 6], [3, 3, 2], [6, 2, 3]]))
def test_markov_equivalent_graphs_score_equally(seed: int, arities: list[int]) -> None:
    rng = np.random.default_rng(seed)
    g = subsets(*no.random_table(rng, arities, 20, 0.5), arities)
    by_class: dict[object, list[float]] = {}
    for graph in no.every_dag(3).tolist():
        score = sum(local(g, j, mask) for j, mask in enumerate(graph))
        by_class.setdefault(no.markov_class(graph), []).append(score)
    assert len(by_class) == 11
    for found in by_class.values():
        assert max(found) - min(found) < 1e-10


def test_under_another_alpha_the_direction_of_an_arrow_has_a_score() -> None:
    states, counts = np.array([[0, 0], [0, 1], [1, 1]]), np.array([6.0, 1.0, 3.0])
    alpha = [[1.0, 1.0], [0.2, 0.2]]
    there, back = (
        alone(states, counts, alpha, a, 0) + alone(states, counts, alpha, b, 1 << a)
        for a, b in ((0, 1), (1, 0))
    )
    assert abs(there - back) > 0.1


# ------------------------------------------------------------------------------------ properties


@given(arity_lists, seeds)
def test_rows_states_and_measures_may_be_renamed(arities: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, 15, 0.5)
    g = subsets(states, counts, arities)
    shuffled = rng.permutation(len(states))
    np.testing.assert_allclose(subsets(states[shuffled], counts[shuffled], arities), g, atol=1e-11)
    renamed = np.stack(
        [rng.permutation(r)[column] for r, column in zip(arities, states.T, strict=True)], axis=1
    )
    np.testing.assert_allclose(subsets(renamed, counts, arities), g, atol=1e-11)
    order = rng.permutation(len(arities))
    moved = subsets(states[:, order], counts, [arities[j] for j in order])
    for mask in range(1 << len(arities)):
        new = sum(1 << k for k, j in enumerate(order) if mask >> j & 1)
        assert moved[new] == pytest.approx(g[mask], abs=1e-11)


@given(arity_lists, seeds)
def test_split_rows_and_empty_rows_add_up(arities: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, arities, 12, 0.5)
    split = np.concatenate([counts * 0.25, counts * 0.75, np.zeros(len(counts))])
    again = subsets(np.concatenate([states, states, states]), split, arities)
    np.testing.assert_allclose(again, subsets(states, counts, arities), atol=1e-11)
    nothing = np.array([[r - 1 for r in arities]])
    longer = subsets(np.concatenate([states, nothing]), np.append(counts, 0.0), arities)
    np.testing.assert_array_equal(longer, subsets(states, counts, arities))


@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_compiled_as_interpreted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled code reads and writes beyond the end of an array unnoticed; Python does not.
    arities = [2, 3, 2, 6]
    table = no.random_table(np.random.default_rng(0), arities, 20, 0.5)

    def both() -> tuple[np.ndarray, np.ndarray]:
        families = family_scores(*table, arities, CellPrior(), 3, [0, 0b001, 0b111])
        return subsets(*table, arities, 1, most), families

    compiled = both()
    for name in ("_log_rising", "_refine_blocks", "_subset_scores", "_family_scores"):
        monkeypatch.setattr(scores, name, getattr(scores, name).py_func)
    for one, two in zip(compiled, both(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-13)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_subsets_above_the_limit_are_not_a_number(most: int) -> None:
    states, counts = no.random_table(np.random.default_rng(0), [2, 3, 2, 6], 20, 0.5)
    whole, part = (subsets(states, counts, [2, 3, 2, 6], 1, most=n) for n in (99, most))
    small = np.array([mask.bit_count() <= most for mask in range(16)])
    np.testing.assert_array_equal(part[small], whole[small])
    assert np.isnan(part[~small]).all()
    assert part[0] == 0.0


# ------------------------------------------------------------------------------- sets of parents


def test_sums_over_subsets(monkeypatch: pytest.MonkeyPatch) -> None:
    table = no.random_table(np.random.default_rng(0), [2] * 5, 30, 0.5)
    sets = ParentSets.score(*table, [2] * 5, CellPrior(), 2)
    sums, weights = sets.subset_sums(), sets.weights()
    for child in range(5):
        others = [i for i in range(5) if i != child]
        for index in range(16):
            within = sum(1 << i for k, i in enumerate(others) if index >> k & 1)
            inside = (sets.masks[child] & ~within) == 0
            assert sums[child, index] == pytest.approx(weights[child, inside].sum(), rel=1e-12)
    monkeypatch.setattr(scores, "MOST_TABULATED", 4)
    assert sets.subset_sums().shape == (5, 0), "no table where it would not fit"


@settings(max_examples=5)
@given(st.integers(1, 20), st.integers(0, 4))
def test_the_number_of_sets(m: int, most: int) -> None:
    masks = [mask for mask in range(1 << (m - 1)) if mask.bit_count() <= most]
    assert number_of_sets(m, most) == len(masks)
