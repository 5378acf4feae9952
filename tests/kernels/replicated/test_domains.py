"""Domains with θ integrated out, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.domains import DomainCounts, domain_counts
from tests.oracles.replicated import enumerate_statements


def uncertain(logs: FloatArray, domain: IntArray) -> DomainCounts | None:
    """Counts of datasets of which none is counted."""
    _, n, k = logs.shape
    return domain_counts(np.zeros((n, k)), logs, np.arange(n), domain)


def test_uncertain_counts_against_enumeration() -> None:
    rng = np.random.default_rng(0)
    ell = rng.dirichlet(np.full(3, 0.7), size=(2, 7))
    domain = np.array([0, 1, 0, 1, 1, 0, 1])
    counts = uncertain(np.log(ell), domain)
    assert counts is not None
    assert counts.totals.tolist() == [3.0, 4.0]
    alpha = np.array([0.3, 1.1, 2.0])
    found = counts.log_evidence(alpha)
    for version in range(2):
        for g in range(2):
            known = enumerate_statements(ell[version, domain == g], alpha)
            assert found[version, g] == pytest.approx(known.log_evidence, abs=1e-10)


@pytest.mark.parametrize("counted", [[], [1], [0, 3], [0, 1, 2, 3]])
def test_counted_and_certain_datasets_have_one_vector(counted: list[int]) -> None:
    """However many of them are rows that leave one statement only."""
    states, domain = np.array([0, 2, 2, 1]), np.array([0, 0, 1, 1])
    rest = np.setdiff1d(np.arange(4), counted)
    with np.errstate(divide="ignore"):
        logs = np.log(np.eye(3)[states])[None, rest]
    counts = domain_counts(np.eye(3)[states], logs, rest, domain)
    assert counts is not None
    assert counts.vectors.tolist() == [[[1.0, 0.0, 1.0]], [[0.0, 1.0, 1.0]]]
    np.testing.assert_allclose(counts.log_weight, 0.0, atol=1e-12)


def test_draws_of_a_domain_have_its_mean() -> None:
    rng = np.random.default_rng(1)
    ell = rng.dirichlet(np.ones(2), size=(1, 4))
    counts = uncertain(np.log(ell), np.array([0, 0, 1, 1]))
    assert counts is not None
    alpha = np.array([1.0, 2.0])
    _, drawn = counts.draw(np.tile(alpha, (4_000, 1)), rng)
    for g in range(2):
        known = enumerate_statements(ell[0, 2 * g : 2 * g + 2], alpha)
        mean = sum(w * (alpha + np.array(c)) / 5.0 for c, w in known.counts.items())
        np.testing.assert_allclose(drawn[:, g].mean(axis=0), mean, atol=0.02)


def test_too_many_vectors() -> None:
    logs = np.zeros((1, 60, 8))
    assert uncertain(logs, np.zeros(60, dtype=int)) is None
