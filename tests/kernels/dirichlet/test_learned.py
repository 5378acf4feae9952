"""The learned prior's kernels against plain arithmetic, mpmath and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import multivariate_normal

from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    DirichletPairCounts,
    dirichlet_strength_evidence,
    dirichlet_strength_weights,
    learn_weights,
    learned_base,
)
from bayescompare.kernels.numerics.boxes import quadrants


def sparse(counts: np.ndarray) -> DirichletPairCounts:
    rows, cells = np.nonzero(counts)
    return DirichletPairCounts(rows, cells, counts[rows, cells], len(counts))


def random_counts(rng: np.random.Generator, pairs: int, size: int, n: int) -> np.ndarray:
    theta = rng.dirichlet(np.full(size, 0.4), size=pairs)
    return np.array([rng.multinomial(n, t) for t in theta], dtype=float)


def test_strengths_are_sixteen_and_log_spaced() -> None:
    assert len(STRENGTHS) == 16
    assert STRENGTHS[0] == pytest.approx(0.1)
    assert STRENGTHS[-1] == pytest.approx(1000.0)
    np.testing.assert_allclose(np.diff(np.log(STRENGTHS)), math.log(1e4) / 15)


def test_base_is_the_symmetric_pooled_frequency_with_one_dataset_more() -> None:
    pooled = np.array([7.0, 2.0, 0.0, 3.0])
    log_base, rest = learned_base(pooled, math.log(4))
    by_hand = [(5 + 0.25) / 13, (1 + 0.25) / 13, (1 + 0.25) / 13, (5 + 0.25) / 13]
    np.testing.assert_allclose(np.exp(log_base), by_hand)
    assert np.exp(log_base).sum() == pytest.approx(1.0)
    assert math.exp(rest) == pytest.approx(0.25 / 13)


def test_base_of_a_space_beyond_floats_keeps_its_mass() -> None:
    log_size = 5000.0
    log_base, rest = learned_base(np.array([3.0, 1.0]), log_size)
    np.testing.assert_allclose(np.exp(log_base), [2 / 5, 2 / 5])
    assert rest == pytest.approx(-5000 - math.log(5))


def test_evidence_is_the_textbook_formula() -> None:
    rng = np.random.default_rng(0)
    counts = random_counts(rng, 6, 4, 9) * 0.5
    counts[2] = 0.0
    phi = rng.dirichlet(np.ones(4))
    found = dirichlet_strength_evidence(sparse(counts), np.log(phi))
    for p, n in enumerate(counts):
        for k, a in enumerate(STRENGTHS):
            by_hand = gammaln(a) - gammaln(a + n.sum())
            by_hand += (gammaln(a * phi + n) - gammaln(a * phi)).sum()
            assert found[p, k] == pytest.approx(by_hand, abs=1e-10)


def test_em_is_em() -> None:
    """One step at a time, pair by pair, as SPEC 8 writes it."""
    rng = np.random.default_rng(1)
    evidence = rng.normal(size=(5, 16)) * 3
    g = [1 / 16] * 16
    for _ in range(300):
        total = [1 / 16] * 16
        for row in evidence:
            each = [w * math.exp(v) for w, v in zip(g, row, strict=True)]
            total = [t + e / sum(each) for t, e in zip(total, each, strict=True)]
        g = [t / 6 for t in total]
    np.testing.assert_allclose(learn_weights(evidence), g, rtol=1e-9)


def test_negligible_strengths_are_dropped_and_the_rest_sums_to_one() -> None:
    evidence = np.array([[0.0, -50.0, -1.0]])
    found = dirichlet_strength_weights(evidence, np.full(3, 1 / 3))
    assert found[0, 1] == 0.0
    assert found.sum() == pytest.approx(1.0)
    assert found[0, 0] / found[0, 2] == pytest.approx(math.e)


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.5, 0.8])
@pytest.mark.parametrize("mean", [(0.3, 0.7), (-0.4, 0.2), (1.5, -1.1), (-0.2, -2.0)])
def test_quadrants_against_scipy(mean: tuple[float, float], correlation: float) -> None:
    found = quadrants(*mean, correlation)
    covariance = [[1.0, correlation], [correlation, 1.0]]
    # P(X > 0, Y > 0) is P(−X < 0, −Y < 0).
    both = multivariate_normal.cdf([0, 0], [-mean[0], -mean[1]], covariance)
    neither = multivariate_normal.cdf([0, 0], mean, covariance)
    assert found[0] == pytest.approx(both, abs=1e-6)
    assert found[3] == pytest.approx(neither, abs=1e-6)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
