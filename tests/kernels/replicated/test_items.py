"""Evidence of right and wrong items: integrals by brute force, margins, symmetries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import beta

from bayescompare.kernels.replicated.items import (
    discordant_items,
    item_margins,
    item_patterns,
    one_measure_items,
    pattern_evidence,
    roped_items,
)

COUNTS = st.integers(0, 400)


def roped_oracle(first: float, neither: float, second: float, rope: float) -> np.ndarray:
    """The three regions by adaptive quadrature over the share of items that differ."""
    a, b, c = first + 1.0, neither + 1.0, second + 1.0

    def above(own: float, other: float) -> float:
        def inner(q: float) -> float:
            return float(beta.pdf(q, a + c, b) * beta.sf(0.5 * (1 + rope / q), own, other))

        # Panels that follow the density of q, and the foot of the rope.
        spread = beta.ppf([1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-3, 1 - 1e-6], a + c, b)
        edges = np.unique(np.clip([rope, 1.1 * rope, 2.0 * rope, *spread, 1.0], rope, 1.0))
        panels = itertools.pairwise(edges.tolist())
        return sum(float(integrate.quad(inner, *panel, epsabs=1e-13)[0]) for panel in panels)

    share = np.array([above(a, c), 0.0, above(c, a)])
    share[1] = 1.0 - share.sum()
    mass = 0.5 * (1.0 - rope) ** 2
    share /= [mass, 1.0 - 2.0 * mass, mass]
    return np.asarray(share / share.sum())


@pytest.mark.parametrize("rope", [0.001, 0.02, 0.3])
@pytest.mark.parametrize(
    "counts", [(0, 0, 0), (8, 5, 2), (0, 50, 1), (400, 900, 350), (2, 5000, 9), (40, 0, 40)]
)
def test_a_roped_measure_is_the_integral(counts: tuple[float, float, float], rope: float) -> None:
    exact = roped_items(np.array([counts], dtype=float), rope)[0]
    np.testing.assert_allclose(exact, roped_oracle(*counts, rope), atol=1e-9)


def test_a_rope_wider_than_any_difference_leaves_equality() -> None:
    assert roped_items(np.array([[90.0, 1, 0]]), 1.0).tolist() == [[0.0, 1.0, 0.0]]


@settings(max_examples=15)
@given(st.lists(st.integers(0, 12), min_size=9, max_size=9), st.integers(0, 9))
def test_a_margin_of_two_measures_is_the_one_measure_formula(counts: list[int], seed: int) -> None:
    """Dirichlet(1/3, …) on nine patterns has the margin Dirichlet(1, 1, 1)."""
    patterns = np.array(counts, dtype=float)
    p, error = pattern_evidence(patterns, (None, None), np.random.default_rng(seed))
    (first, _, second), other = item_margins(patterns, 2)
    bound = 5.0 * np.sqrt((error**2).sum()) + 5e-4
    assert abs(p[:2].sum() - one_measure_items(first, second[None])[0, 0]) < bound
    assert abs(p[[0, 2]].sum() - one_measure_items(other[0], other[2][None])[0, 0]) < bound


def test_the_standard_error_is_what_repetitions_show() -> None:
    counts = np.array([3.0, 1, 0, 2, 5, 1, 0, 1, 2])
    runs = [
        pattern_evidence(counts, (None, 0.1), np.random.default_rng(seed)) for seed in range(12)
    ]
    spread = np.std([p for p, _ in runs], axis=0, ddof=1)
    np.testing.assert_allclose(spread, np.mean([e for _, e in runs], axis=0), rtol=0.8)


def test_no_statement_is_impossible() -> None:
    counts = np.zeros(9)
    counts[0] = 500.0  # the first alone is right on both, always
    p, _ = pattern_evidence(counts, (None, None), np.random.default_rng(0))
    assert (p > 0.0).all()
    assert p[0] > 0.9999


def test_counts_of_patterns_and_margins() -> None:
    outcome = np.random.default_rng(2).integers(-1, 2, size=(200, 3))
    counts = item_patterns(outcome)
    assert counts.sum() == 200
    margins = [[(column == state).sum() for state in (1, 0, -1)] for column in outcome.T]
    np.testing.assert_array_equal(item_margins(counts, 3), margins)
    assert discordant_items(counts, 3) == min(first + second for first, _, second in margins)
