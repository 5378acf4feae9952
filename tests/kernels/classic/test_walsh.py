"""Shares of weighted Walsh averages: loops in fractions, exact leaders, symmetry."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.classic import walsh
from bayescompare.kernels.leading import sole_leader
from tests.oracles import signed_rank as oracle

#: Multiples of 1/10, whose sums in floats are not exact: ties and boundaries must be found.
TENTHS = st.lists(st.integers(-6, 6), min_size=1, max_size=7)
ROPES = st.sampled_from([None, 0, 1, 2, 3])


def points(tenths: list[int]) -> tuple[list[Fraction], np.ndarray]:
    exact = [Fraction(0), *(Fraction(k, 10) for k in tenths)]
    # As differences of two values near 0.7, with their rounding.
    return exact, np.array([(0.7 + k / 10) - 0.7 for k in (0, *tenths)])


@settings(max_examples=60, deadline=None)
@given(TENTHS, ROPES, st.integers(0, 1000))
def test_shares_are_those_of_a_double_loop(tenths: list[int], rope: int | None, seed: int) -> None:
    exact, z = points(tenths)
    regions = walsh.find_regions(z, None if rope is None else rope / 10, 1.0)
    whole = np.random.default_rng(seed).integers(1, 50, size=len(z))
    w = [Fraction(int(k), int(whole.sum())) for k in whole]
    width = None if rope is None else Fraction(rope, 10)
    expected = [float(share) for share in oracle.shares(exact, w, width)]
    weights = np.array([float(share) for share in w])
    (found,) = walsh.shares(regions, weights[None])
    np.testing.assert_allclose(found, expected, atol=1e-14)
    table = walsh.pair_table(regions)
    np.testing.assert_allclose(
        np.einsum("i,kij,j->k", weights, table, weights), expected, atol=1e-14
    )
    alpha = [Fraction(1, 2), *[Fraction(1)] * len(tenths)]
    means = [float(mean) for mean in oracle.mean_of_shares(exact, alpha, width)]
    np.testing.assert_allclose(
        walsh.mean_shares(regions, np.array([float(a) for a in alpha])), means, atol=1e-14
    )


@settings(max_examples=40, deadline=None)
@given(TENTHS, ROPES, st.integers(0, 1000))
def test_swapping_mirrors_and_the_order_of_points_is_nothing(
    tenths: list[int], rope: int | None, seed: int
) -> None:
    _, z = points(tenths)
    width = None if rope is None else rope / 10
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(z)), size=5)
    there = walsh.shares(walsh.find_regions(z, width, 1.0), weights)
    np.testing.assert_allclose(there.sum(axis=1), 1.0, atol=1e-14)
    back = walsh.shares(walsh.find_regions(-z, width, 1.0), weights)
    np.testing.assert_allclose(back[:, ::-1], there, atol=1e-14)
    mixed = rng.permutation(len(z))
    again = walsh.shares(walsh.find_regions(z[mixed], width, 1.0), weights[:, mixed])
    np.testing.assert_allclose(again, there, atol=1e-14)


@pytest.mark.parametrize(
    ("tenths", "rope"),
    [
        ([3, 3, 3, -3], None),
        ([1, 2, 4], None),
        ([0, 0, 0], None),
        ([0, 0, 0], 0),
        ([2, 2, 2, 2], 1),
        ([1, 1, 1], 1),
        ([3, 3, 3, 3], 2),
        ([-4, -4, 0], 1),
    ],
)
def test_exact_leaders_by_gamma_draws(tenths: list[int], rope: int | None) -> None:
    exact, z = points(tenths)
    alpha = np.append(0.5, np.ones(len(tenths)))
    found = walsh.exact_leaders(
        walsh.find_regions(z, None if rope is None else rope / 10, 1.0), alpha
    )
    if tenths == [3, 3, 3, -3]:
        assert found is None  # three kinds of points
        return
    assert found is not None
    width = None if rope is None else Fraction(rope, 10)
    n = 40_000
    drawn = oracle.leaders_by_gammas(exact, list(alpha), width, n, np.random.default_rng(1))
    np.testing.assert_array_less(np.abs(found - drawn), 4 * np.sqrt(0.25 / n))
    # What is certain is certain to the last digit.
    assert set(found[(drawn == 0) | (drawn == 1)]) <= {0.0, 1.0}


def test_two_kinds_in_closed_form() -> None:
    # All differences are 0.3 and the rope 0.2: with a tie they are within it (0.3 < 0.4), with
    # each other right of it. So θ_right = t² is the largest iff t > √½, t ~ Beta(4, ½).
    from scipy.stats import beta

    found = walsh.exact_leaders(
        walsh.find_regions(np.array([0.0, 0.3, 0.3, 0.3, 0.3]), 0.2, 1.0),
        np.array([0.5, 1, 1, 1, 1]),
    )
    assert found is not None
    right = beta.sf(np.sqrt(0.5), 4.0, 0.5)
    np.testing.assert_allclose(found, [0.0, 1.0 - right, right], atol=1e-14)


def test_draws_by_gamma_draws() -> None:
    exact, z = points([3, -1, 2, 5, -2, 0])
    alpha, n = np.append(0.5, np.ones(6)), 40_000
    regions = walsh.find_regions(z, 0.1, 1.0)
    found = sole_leader(walsh.draw_shares(regions, alpha, n, np.random.default_rng(2))).mean(axis=0)
    drawn = oracle.leaders_by_gammas(
        exact, list(alpha), Fraction(1, 10), n, np.random.default_rng(3)
    )
    np.testing.assert_array_less(np.abs(found - drawn), 4 * np.sqrt(0.5 / n))
