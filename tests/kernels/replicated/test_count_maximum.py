"""The largest P(max) given the counts, averaged over them, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare.kernels.replicated.count_maximum import averaged_maximum, expected_count_maximum
from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts
from tests.oracles.dirichlet import largest_by_dense_rule
from tests.oracles.replicated import enumerate_statements


def arguments(ell: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what both kernels take, from rows of evidence."""
    with np.errstate(divide="ignore"):
        rows = EvidenceRows.from_logs(np.log(ell), alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None
    digits = (counts.vectors - rows.fixed)[:, rows.tracked].astype(np.int64)
    return alpha, rows.fixed, rows.tracked, digits, counts.weight[:, 0]


@pytest.mark.parametrize(
    "alpha", [[0.5, 0.5], [0.2, 1.0, 0.5], [0.25] * 4, [2.5, 0.1, 0.1, 1.4]], ids=str
)
def test_the_expected_largest_by_enumeration(alpha: list[float]) -> None:
    """Every assignment of statements; the largest is looked for, not known from the shapes."""
    prior = np.array(alpha)
    ell = np.random.default_rng(len(alpha)).dirichlet(np.ones(len(alpha)), 6)
    ell[2] = np.eye(len(alpha))[0]
    known = enumerate_statements(ell, prior).counts
    expected = sum(
        w * float(largest_by_dense_rule(prior + np.array(c)).max()) for c, w in known.items()
    )
    assert expected_count_maximum(*arguments(ell, prior)) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 7), st.floats(0.1, 3.0))
def test_knowing_the_counts_helps_on_average(seed: int, k: int, n: int, each: float) -> None:
    ell = np.random.default_rng(seed).dirichlet(np.full(k, 0.7), n)
    ell[0] = 1.0 / k
    given_all = arguments(ell, np.full(k, each))
    p = averaged_maximum(*given_all)
    largest = expected_count_maximum(*given_all)
    assert p.max() - 1e-10 <= largest <= 1.0 + 1e-10
    # It does not matter how the statements are numbered.
    again = arguments(ell[::-1, ::-1], np.full(k, each))
    assert expected_count_maximum(*again) == pytest.approx(largest, abs=1e-10)


def test_certain_datasets_leave_nothing_to_know() -> None:
    alpha, fixed = np.full(3, 1 / 3), np.array([4.0, 1.0, 0.0])
    none = np.zeros(0, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), np.ones(1)
    p = averaged_maximum(alpha, fixed, *none)
    assert expected_count_maximum(alpha, fixed, *none) == pytest.approx(p.max(), abs=1e-12)
