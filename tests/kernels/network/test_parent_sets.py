"""Scores of sets of parents against the textbook, and sums over their subsets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.network import parent_sets
from bayescompare.kernels.network.bd import bd_local_score
from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.parent_sets import ParentSets, number_of_sets
from tests.oracles import network as no


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_scores_are_the_textbooks(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, 25, 0.5)
    most = int(rng.integers(0, m))
    alpha = tuple(tuple(rng.uniform(0.2, 3.0, r)) for r in arities)
    for prior in (1.5, CellPrior(alpha=alpha)):
        sets = ParentSets.score(states, counts, arities, prior, most)
        assert sets.masks.shape == (m, number_of_sets(m, most))
        assert (np.diff(sets.scores, axis=1) <= 0).all()
        for child in range(m):
            assert len(set(sets.masks[child].tolist())) == len(sets.masks[child])
            for mask, score in zip(sets.masks[child].tolist(), sets.scores[child], strict=True):
                assert not mask >> child & 1
                assert mask.bit_count() <= most
                expected = (
                    no.textbook_bdeu(states, counts, arities, 1.5, child, mask)
                    if isinstance(prior, float)
                    else bd_local_score(states, counts, alpha[child], child, mask)
                )
                assert score == pytest.approx(expected, abs=1e-9)


def test_sums_over_subsets() -> None:
    rng = np.random.default_rng(0)
    states, counts = no.random_table(rng, [2] * 5, 30, 0.5)
    sets = ParentSets.score(states, counts, [2] * 5, 1.0, 2)
    sums, weights = sets.subset_sums(), sets.weights()
    for child in range(5):
        others = [i for i in range(5) if i != child]
        for index in range(16):
            within = sum(1 << i for k, i in enumerate(others) if index >> k & 1)
            inside = (sets.masks[child] & ~within) == 0
            assert sums[child, index] == pytest.approx(weights[child, inside].sum(), rel=1e-12)


def test_no_table_where_it_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent_sets, "MOST_TABULATED", 3)
    sets = ParentSets.score(np.zeros((1, 4), int), np.ones(1), [2] * 4, 1.0, 1)
    assert sets.subset_sums().shape == (4, 0)
