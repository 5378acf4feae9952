"""Edge probabilities over forests: against sums over all graphs and Kirchhoff's determinant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.network.dag_posterior import edge_probabilities_of_dags
from bayescompare.kernels.network.forest_posterior import forest_edge_probabilities
from tests.oracles import network as no


def by_enumeration(log_weight: np.ndarray) -> np.ndarray:
    """The sum over all DAGs with at most one parent each."""
    m = len(log_weight)
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    for j in range(m):
        for i in range(m):
            if i != j:
                local[j, 1 << i] = log_weight[i, j]
    dags = no.dags_up_to(m, 1)
    scores = no.dag_scores(local, dags)
    p = np.exp(scores - scores.max())
    has = dags[:, None, :] >> np.arange(m)[:, None] & 1
    return np.tensordot(p / p.sum(), has, axes=1)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from([0.1, 3.0, 40.0, 600.0]))
def test_all_forests_one_by_one(seed: int, m: int, spread: float) -> None:
    log_weight = np.random.default_rng(seed).normal(0.0, spread, (m, m))
    found = forest_edge_probabilities(log_weight)
    np.testing.assert_allclose(found, by_enumeration(log_weight), atol=1e-12)


def test_forty_measures_by_kirchhoffs_determinant() -> None:
    m = 40
    log_weight = np.random.default_rng(0).normal(-1.0, 2.0, (m, m))
    w = np.exp(log_weight) * (1 - np.eye(m))
    inverse = np.linalg.inv(np.diag(1.0 + w.sum(axis=0)) - w.T)
    expected = w * (np.diag(inverse)[None, :] - inverse)
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-12)


@pytest.mark.parametrize("level", [30.0, 400.0, 2000.0])
def test_a_chain_of_certain_links_has_any_root(level: float) -> None:
    """Measures that copy each other: a path, whose root is each of them with equal probability.

    The determinant is singular here to double precision.
    """
    m = 6
    log_weight = np.full((m, m), -level)
    for i in range(m - 1):
        log_weight[i, i + 1] = log_weight[i + 1, i] = level
    expected = np.zeros((m, m))
    for i in range(m - 1):
        expected[i, i + 1], expected[i + 1, i] = (i + 1) / m, (m - 1 - i) / m
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-11)


def test_ten_measures_by_the_sink_recursion() -> None:
    m = 10
    log_weight = np.random.default_rng(3).normal(-1.0, 3.0, (m, m))
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    for j in range(m):
        local[j, [1 << i for i in range(m) if i != j]] = np.delete(log_weight[:, j], j)
    expected = edge_probabilities_of_dags(no.squeezed(local))
    np.testing.assert_allclose(forest_edge_probabilities(log_weight), expected, atol=1e-11)
