"""The likelihood-ratio kernel against the paper, mpmath and its own symmetries."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.classic.pvalues import glrt

COUNTS = st.floats(0.0, 1e9, allow_subnormal=False)


def exact(a: float, b: float) -> tuple[float, float]:
    """−2 log λ from the multinomial likelihoods themselves, and its χ²₁ tail, in 60 digits."""
    with mp.workdps(60):
        a, b = mp.mpf(a), mp.mpf(b)
        free = sum(n * mp.log(n / (a + b)) for n in (a, b) if n > 0)
        bound = (a + b) * mp.log(mp.mpf(1) / 2)
        statistic = 2 * (free - bound)
        return float(statistic), float(mp.erfc(mp.sqrt(statistic / 2)))


# ----------------------------------------------------------------------------------- the published


def test_example_2_of_the_paper() -> None:
    statistic, pvalue = glrt(6, 3)
    assert round(math.exp(-statistic / 2), 6) == 0.600677
    assert round(pvalue, 6) == 0.312663
    # λ = 4.5⁹/(6⁶·3³) is a rational number.
    assert math.exp(-statistic / 2) == pytest.approx(0.600677490234375, rel=1e-13)
    assert pvalue == pytest.approx(0.31266274477969398898, rel=1e-12)


# --------------------------------------------------------------------------------- the independent

PAIRS = [
    (6, 3),
    (12, 1),
    (1, 0),
    (3, 2.5),
    (7 / 3, 1 / 6),
    (4.25, 4.0),
    (1000, 900),
    (1e6, 9.99e5),
    (1e9, 1e9 - 1e5),
    (1e9, 1.0),
    (1e9, 0.0),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_agrees_with_mpmath(a: float, b: float) -> None:
    statistic, pvalue = glrt(a, b)
    expected, tail = exact(a, b)
    assert statistic == pytest.approx(expected, rel=1e-10)
    assert pvalue == pytest.approx(tail, rel=1e-10, abs=1e-300)


@pytest.mark.parametrize(("a", "b"), [(1e3 + 1, 1e3), (1e6 + 1, 1e6), (1e9 + 1, 1e9)])
def test_nearly_equal_counts_keep_their_digits(a: float, b: float) -> None:
    # a ln a + b ln b − (a+b) ln((a+b)/2) loses everything to cancellation when written so.
    assert glrt(a, b)[1] == pytest.approx(exact(a, b)[1], rel=1e-9)


@given(COUNTS)
def test_equal_counts_have_p_one_exactly(a: float) -> None:
    assert glrt(a, a) == (0.0, 1.0)


# ---------------------------------------------------------------------------------- the properties


@given(COUNTS, COUNTS)
def test_is_finite_symmetric_and_a_probability(a: float, b: float) -> None:
    statistic, pvalue = glrt(a, b)
    assert math.isfinite(statistic)
    assert statistic >= 0.0
    assert 0.0 <= pvalue <= 1.0
    assert glrt(b, a)[0] == pytest.approx(statistic, rel=1e-12, abs=1e-12 * max(a, b, 1.0))
