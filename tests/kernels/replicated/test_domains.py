"""Domains with θ integrated out, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.replicated.domains import (
    known_domain_counts,
    uncertain_domain_counts,
)
from tests.oracles.replicated import enumerate_statements


def test_uncertain_counts_against_enumeration() -> None:
    rng = np.random.default_rng(0)
    ell = rng.dirichlet(np.full(3, 0.7), size=(2, 7))
    domain = np.array([0, 1, 0, 1, 1, 0, 1])
    counts = uncertain_domain_counts(np.log(ell), domain)
    assert counts is not None
    assert counts.totals.tolist() == [3.0, 4.0]
    alpha = np.array([0.3, 1.1, 2.0])
    found = counts.log_evidence(alpha)
    for version in range(2):
        for g in range(2):
            known = enumerate_statements(ell[version, domain == g], alpha)
            assert found[version, g] == pytest.approx(known.log_evidence, abs=1e-10)


def test_certain_datasets_have_one_vector() -> None:
    states, domain = np.array([0, 2, 2, 1]), np.array([0, 0, 1, 1])
    with np.errstate(divide="ignore"):
        sure = uncertain_domain_counts(np.log(np.eye(3)[states])[None], domain)
    known = known_domain_counts(np.eye(3)[states], domain)
    assert sure is not None
    assert sure.vectors.shape == (2, 1, 3)
    alpha = np.array([0.5, 1.5, 1.0])
    np.testing.assert_allclose(sure.log_evidence(alpha), known.log_evidence(alpha), atol=1e-12)


def test_draws_of_a_domain_have_its_mean() -> None:
    rng = np.random.default_rng(1)
    ell = rng.dirichlet(np.ones(2), size=(1, 4))
    counts = uncertain_domain_counts(np.log(ell), np.array([0, 0, 1, 1]))
    assert counts is not None
    alpha = np.array([1.0, 2.0])
    _, drawn = counts.draw(np.tile(alpha, (4_000, 1)), rng)
    for g in range(2):
        known = enumerate_statements(ell[0, 2 * g : 2 * g + 2], alpha)
        mean = sum(w * (alpha + np.array(c)) / 5.0 for c, w in known.counts.items())
        np.testing.assert_allclose(drawn[:, g].mean(axis=0), mean, atol=0.02)


def test_too_many_vectors() -> None:
    logs = np.zeros((1, 60, 8))
    assert uncertain_domain_counts(logs, np.zeros(60, dtype=int)) is None
