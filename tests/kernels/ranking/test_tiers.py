"""Sign flips with step-down: against all flips written out, properties, and their promise."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.ranking.tiers import adjusted_pvalues, separated, tier_places
from tests.cases import few_quick


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks of each row's values, larger is better, (n, l, 1)."""
    return np.asarray(stats.rankdata(values, axis=1))[:, :, None]


def all_flips(differences: np.ndarray) -> np.ndarray:
    """Adjusted p-values by their definition: every flip, the largest of those not yet rejected."""
    lengths = np.sqrt((differences**2).sum(axis=0))
    u = np.abs(differences.sum(axis=0)) / lengths
    left, pvalues, largest = list(range(len(u))), np.empty(len(u)), 0.0
    for h in sorted(left, key=lambda h: -u[h]):
        maxima = [
            max(abs(np.dot(e, differences[:, r])) / lengths[r] for r in left)
            for e in product([-1.0, 1.0], repeat=len(differences))
        ]
        largest = max(largest, float(np.mean(np.array(maxima) >= u[h] - 1e-9)))
        pvalues[h] = largest
        left.remove(h)
    return pvalues


@pytest.mark.parametrize("seed", range(4))
def test_every_flip_written_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = ranks(rng.normal(size=(7, 4)) + np.arange(4) * (seed % 2))[:, :, 0]
    first, second = np.triu_indices(4, 1)
    found = adjusted_pvalues(scores, first, second, rng)
    np.testing.assert_allclose(found, all_flips(scores[:, first] - scores[:, second]), atol=1e-12)


def test_random_flips_agree_with_all_of_them() -> None:
    """Thirteen units: 4,096 flips by hand, 10,000 at random."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(13, 3)) + np.array([0.0, 0.5, 1.1])
    first, second = np.triu_indices(3, 1)
    found = adjusted_pvalues(scores, first, second, rng)
    exact = all_flips(scores[:, first] - scores[:, second])
    assert (np.abs(found - exact) < 4.0 * np.sqrt(exact * (1.0 - exact) / 10_000) + 2e-4).all()


@given(seed=st.integers(0, 10_000), n=st.integers(6, 10), l=st.integers(2, 5))
def test_names_order_of_units_and_scale_change_nothing(seed: int, n: int, l: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(n, l, 2)) + np.arange(l)[:, None], 1)
    above = separated(values, 0.9, rng)
    who, when = rng.permutation(l), rng.permutation(n)
    again = separated(7.0 * values[when][:, who], 0.9, rng)
    np.testing.assert_array_equal(again, above[:, who][:, :, who])
    np.testing.assert_array_equal(separated(-values, 0.9, rng), above.transpose(0, 2, 1))
    tier, best, worst = tier_places(above[0])
    assert (best <= worst).all()
    # Who is above has the smaller tier, and somebody is in each tier.
    assert (tier[above[0].nonzero()[0]] < tier[above[0].nonzero()[1]]).all()
    assert set(tier.tolist()) == set(range(1, int(tier.max()) + 1))


def test_five_units_separate_nobody_and_six_may() -> None:
    values = np.tile([[1.0], [2.0], [3.0]], (6, 1, 1))
    rng = np.random.default_rng(0)
    assert not separated(values[:5], 0.9, rng).any()
    above = separated(values, 0.95, rng)[0]
    assert tier_places(above)[0].tolist() == [3, 2, 1]
    # The least p of six units is 1/32.
    assert not separated(values, 1.0 - 1.0 / 33.0, rng).any()


def test_who_ties_everywhere_is_not_separated() -> None:
    values = np.stack([np.full(20, 0.1 + 0.2), np.full(20, 0.3), np.zeros(20)], axis=1)[:, :, None]
    above = separated(values, 0.95, np.random.default_rng(0))[0]
    assert above.tolist() == [[False, False, True], [False, False, True], [False, False, False]]


#: Boards of which some differences are none: places, and who is truly above whom.
BOARDS: dict[str, tuple[int, Any]] = {
    "noise, 8 × 30": (8, np.zeros(30)),
    "noise, 30 × 5": (30, np.zeros(5)),
    "a winner": (15, np.array([9.0, 0.0, 0.0, 0.0, 0.0])),
    "two groups": (15, np.array([0.0, 0.0, 0.0, 2.0, 2.0, 2.0])),
}


@pytest.mark.parametrize("name", few_quick(BOARDS, 2))
@pytest.mark.parametrize("by", ["rank", pytest.param("value", marks=pytest.mark.slow)])
def test_in_five_of_a_hundred_boards_is_a_separation_false(name: str, by: str) -> None:
    """Whoever else is in the table; heavy tails by value. Binomial error of 300 boards: .0126."""
    n, means = BOARDS[name]
    rng = np.random.default_rng(len(name))
    false = 0
    for _ in range(300):
        if by == "rank":
            scores = ranks(rng.normal(size=(n, len(means))) + means)
        else:
            scores = (rng.standard_t(2, size=(n, len(means))) + means)[:, :, None]
        above = separated(scores, 0.95, rng)[0]
        false += any(above[a, b] and means[a] <= means[b] for a, b in np.argwhere(above))
    assert false / 300 < 0.05 + 3 * 0.0126


@pytest.mark.parametrize("n", [8, 15, 60])
def test_it_finds_no_less_than_holms_wilcoxon(n: int) -> None:
    """SPEC 16: power .25/0, .68/.60, .85/.82 at n = 8, 15, 60."""
    rng = np.random.default_rng(n)
    means = np.array([0.0, 0.0, 1.0, 1.0, 2.0]) * (15.0 / max(n, 15)) ** 0.5
    ours = theirs = true = 0
    for _ in range(100):
        values = rng.normal(size=(n, 5)) + means
        above = separated(values[:, :, None], 0.95, rng)[0]
        pairs = list(combinations(range(5), 2))
        p = np.array([stats.wilcoxon(values[:, a], values[:, b]).pvalue for a, b in pairs])
        order = np.argsort(p)
        holm = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)) <= 0.05
        for k, (a, b) in enumerate(np.array(pairs)[order]):
            if means[a] != means[b]:
                true += 1
                ours += above[b, a]
                theirs += bool(holm[k])
    assert ours >= theirs
    assert ours > 0.1 * true
