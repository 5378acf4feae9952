"""The signed-rank test against enumeration of all signs, scipy, and the paper's recursion."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.classic import wilcoxon
from bayescompare.kernels.classic.wilcoxon import MOST_EXACT, SMALLEST
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

small = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def ask(values: list[float] | np.ndarray) -> wilcoxon.RankSums:
    array = np.asarray(values, dtype=float)
    return wilcoxon.signed_rank_test(wilcoxon.doubled_ranks(array, np.abs(array)))


def average_ranks(sizes: list[int]) -> list[Fraction]:
    """The paper's formula for ranks with ties."""
    return [Fraction(1 + sum(b < a for b in sizes) + sum(b <= a for b in sizes), 2) for a in sizes]


def by_enumeration(values: list[int]) -> tuple[Fraction, Fraction]:
    """W⁺ and the two-sided p-value over all 2ⁿ signs, in fractions."""
    kept = [v for v in values if v]
    ranks = average_ranks([abs(v) for v in kept])
    plus = sum((r for r, v in zip(ranks, kept, strict=True) if v > 0), Fraction(0))
    sums = [
        sum((r for r, s in zip(ranks, signs, strict=True) if s), Fraction(0))
        for signs in itertools.product((0, 1), repeat=len(kept))
    ]
    below = Fraction(sum(s <= plus for s in sums), len(sums))
    above = Fraction(sum(s >= plus for s in sums), len(sums))
    return plus, min(Fraction(1), 2 * min(below, above))


@given(small)
def test_by_enumeration_of_all_signs(values: list[int]) -> None:
    found = ask(values)
    plus, pvalue = by_enumeration(values)
    assert found.plus == plus
    # Counts of patterns below 2^53 over a power of two: floats hold them exactly.
    assert Fraction(found.pvalue) == pvalue
    assert found.exact


@given(small.filter(lambda values: sum(map(bool, values)) > 1))
@settings(max_examples=25)
def test_ties_as_scipy_permutes_them(values: list[int]) -> None:
    kept = np.array([v for v in values if v], dtype=float)
    expected = stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=np.inf))
    assert ask(kept).pvalue == pytest.approx(expected.pvalue, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50, 300])
@pytest.mark.parametrize("shift", [0.0, 0.3, 2.0])
def test_without_ties_as_scipy_exact(n: int, shift: float) -> None:
    values = np.random.default_rng(n).normal(shift, 1.0, n)
    expected = stats.wilcoxon(values, method="exact")
    found = ask(values)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert min(found.plus, found.minus) == expected.statistic


def test_the_papers_recursion() -> None:
    # w_n(c) = (w_{n-1}(c) + w_{n-1}(c - n)) / 2 from w_0(0) = 1: no ties.
    weights = {0: Fraction(1)}
    for n in range(1, 13):
        weights = {
            c: (weights.get(c, Fraction(0)) + weights.get(c - n, Fraction(0))) / 2
            for c in range(n * (n + 1) // 2 + 1)
        }
    signs = [-1, 1, 1, -1, 1, 1, 1, 1, 1, -1, 1, 1]
    found = ask([s * (k + 1) for k, s in enumerate(signs)])
    assert found.minus == 1 + 4 + 10
    expected = 2 * sum(weights[c] for c in range(int(found.minus) + 1))
    assert Fraction(found.pvalue) == expected


def test_noise_of_subtraction_is_no_order() -> None:
    pairs = np.array([[0.3, 0.2], [0.1, 0.2], [0.9, 0.2]])
    difference = wilcoxon.differences(pairs)
    assert abs(difference[0]) != abs(difference[1])
    assert wilcoxon.doubled_ranks(difference, np.abs(pairs).max(axis=1)).tolist() == [3, -3, 6]


# ---------------------------------------------------------------------------------- what is a tie


def test_noise_is_that_of_the_values_not_of_the_difference() -> None:
    # 1e6 + 0.1 carries noise of 1e-10: the difference is 0.1 all the same.
    pairs = np.array([[1e6 + 0.1, 1e6], [0.1, 0.0], [0.0, 0.2]])
    ranks = wilcoxon.doubled_ranks(wilcoxon.differences(pairs), np.abs(pairs).max(axis=1))
    assert ranks.tolist() == [3, 3, -6]


def test_touching_intervals_link_whatever_lies_between() -> None:
    # The first and last are noise of 1e6 apart, so what lies between them is tied too.
    difference = np.array([0.1, 0.1 + 1e-7, 0.1 + 2e-7])
    assert wilcoxon.doubled_ranks(difference, np.array([0.1, 0.1, 1e6])).tolist() == [4, 4, 4]
    assert wilcoxon.doubled_ranks(difference, np.array([0.1, 0.1, 0.1])).tolist() == [2, 4, 6]


@pytest.mark.parametrize(("rope", "kept"), [(None, 3), (0.0, 3), (0.1, 2), (0.3, 1), (1.0, 0)])
def test_rope_drops_its_border_too(rope: float | None, kept: int) -> None:
    pairs = np.array([[0.3, 0.2], [0.2, 0.5], [1.0, 0.5], [0.3, 0.1 + 0.2]])
    assert np.count_nonzero(wilcoxon.differences(pairs, rope)) == kept


def test_nothing_left() -> None:
    assert ask([0.0, 0.0]) == (0.0, 0.0, 1.0, True)


# --------------------------------------------------------------------------------------- symmetry


# ----------------------------------------------------------------------------------------- extremes


def test_all_on_one_side_up_to_the_limit() -> None:
    found = ask(np.arange(1.0, MOST_EXACT + 1))
    assert found.exact
    assert found.pvalue == math.ldexp(1.0, 1 - MOST_EXACT)


@pytest.mark.parametrize("digits", [16, 2])
def test_beyond_the_limit_it_is_nearly_exact_and_says_so(digits: int) -> None:
    values = np.random.default_rng(5).normal(0.06, 1.0, MOST_EXACT + 20).round(digits)
    ranks = wilcoxon.doubled_ranks(values, np.abs(values))
    found = wilcoxon.signed_rank_test(ranks)
    assert np.count_nonzero(ranks) > MOST_EXACT
    assert not found.exact
    used = np.abs(ranks[ranks != 0])
    exact = 2 * wilcoxon._lower_tail(used, int(2 * min(found.plus, found.minus)))
    assert found.pvalue == pytest.approx(exact, rel=2e-3)


def test_no_pvalue_is_zero() -> None:
    assert ask(np.arange(1.0, 5001.0)).pvalue == SMALLEST


def test_a_thousand_tied_differences() -> None:
    # All ranks equal: the sign test. P(at most 480 of 1000) in integers.
    values = [1.0] * 520 + [-1.0] * 480
    tail = Fraction(sum(math.comb(1000, k) for k in range(481)), 2**1000)
    assert ask(values).pvalue == pytest.approx(float(2 * tail), rel=1e-12)


def test_sizes_whose_intervals_touch_are_tied() -> None:
    # Intervals of ± 1 around 1 and 3, exactly.
    scale = np.full(2, 2.0 / RELATIVE_TOLERANCE)
    assert (0.5 * RELATIVE_TOLERANCE * scale == 1.0).all()
    assert wilcoxon.doubled_ranks(np.array([1.0, 3.0]), scale).tolist() == [3, 3]
    assert wilcoxon.doubled_ranks(np.array([1.0, 3.0 + 1e-9]), scale).tolist() == [2, 4]
