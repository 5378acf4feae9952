"""Sums over all DAGs against the sums themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayescompare.kernels.network.bdeu import bdeu_scores_of_subsets
from bayescompare.kernels.network.dag_posterior import (
    all_dags,
    edge_probabilities_of_dags,
    is_acyclic,
    local_scores,
    log_number_of_dags,
    log_sum_over_dags,
)
from tests.kernels.network.cases import scored
from tests.oracles import network as no


def enumerated(local: np.ndarray) -> tuple[float, np.ndarray]:
    """Log of the sum over all DAGs and P(i → j), graph by graph."""
    m = len(local)
    dags = no.every_dag(m)
    scores = no.dag_scores(local, dags)
    total = float(logsumexp(scores))
    p = np.exp(scores - total)
    edges = np.array([[p[(dags[:, j] >> i & 1) == 1].sum() for j in range(m)] for i in range(m)])
    return total, edges


# ---------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("m", "number"), list(enumerate([1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343], 1))
)
def test_the_number_of_dags(m: int, number: int) -> None:
    """Robinson's numbers, OEIS A003024."""
    assert math.exp(log_number_of_dags(m, m - 1)) == pytest.approx(number, rel=1e-11)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_the_number_of_dags_with_few_parents(m: int) -> None:
    for most in range(m):
        number = len(no.dags_up_to(m, most))
        assert math.exp(log_number_of_dags(m, most)) == pytest.approx(number, rel=1e-12)
    # Forests of rooted trees, Cayley: (m + 1)^(m − 1).
    if m > 1:
        assert math.exp(log_number_of_dags(m, 1)) == pytest.approx((m + 1) ** (m - 1), rel=1e-12)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_all_dags_are_listed_once(m: int) -> None:
    for most in range(m):
        listed = list(all_dags(m, most))
        assert len(listed) == len(set(listed))
        assert set(listed) == set(map(tuple, no.dags_up_to(m, most).tolist()))


def test_cycles_are_seen() -> None:
    assert is_acyclic((0, 0b001, 0b010))
    assert not is_acyclic((0b100, 0b001, 0b010))
    assert not is_acyclic((0b010, 0b001, 0))


# ------------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("m", [2, 3, 4, 5])
@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_sums_and_edges_by_enumeration(m: int, strength: float) -> None:
    for most in range(m):
        mine, textbook = scored(17 * m + most, m, most, strength=strength)
        np.testing.assert_allclose(mine, no.squeezed(textbook), atol=1e-10)
        total, edges = enumerated(textbook)
        assert log_sum_over_dags(mine) == pytest.approx(total, abs=1e-10)
        np.testing.assert_allclose(edge_probabilities_of_dags(mine), edges, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_any_scores_at_all(seed: int, m: int) -> None:
    """Scores spread over hundreds of nats, some parents forbidden."""
    rng = np.random.default_rng(seed)
    local = rng.normal(0.0, 10.0 ** rng.uniform(-1, 2.5), (m, 1 << m))
    forbidden = rng.random(local.shape) < 0.2
    local[forbidden & (np.arange(1 << m) > 0)] = -np.inf
    total, edges = enumerated(local)
    assert log_sum_over_dags(no.squeezed(local)) == pytest.approx(total, abs=1e-10)
    found = edge_probabilities_of_dags(no.squeezed(local))
    np.testing.assert_allclose(found, edges, atol=1e-10)
    assert (np.diag(found) == 0).all()
    assert (found + found.T <= 1 + 1e-10).all()


@pytest.mark.parametrize("m", [8, 12])
def test_forests_by_kirchhoffs_determinant(m: int) -> None:
    """At most one parent each: rooted forests, whose weights a determinant sums."""
    log_w = np.random.default_rng(m).normal(-1.0, 3.0, (m, m))
    w = np.exp(log_w) * (1 - np.eye(m))
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    for j in range(m):
        for i in range(m):
            if i != j:
                local[j, 1 << i] = log_w[i, j]
    laplacian = np.diag(1.0 + w.sum(axis=0)) - w.T
    inverse = np.linalg.inv(laplacian)
    edges = w * (np.diag(inverse)[None, :] - inverse)
    squeezed = no.squeezed(local)
    total = float(np.linalg.slogdet(laplacian)[1])
    assert log_sum_over_dags(squeezed) == pytest.approx(total, abs=1e-10)
    np.testing.assert_allclose(edge_probabilities_of_dags(squeezed), edges, atol=1e-10)


@pytest.mark.parametrize("penalty", [0.0, -2.0, -4.6, -12.0])
def test_ten_measures_that_hardly_depend(penalty: float) -> None:
    """The alternating sum cancels most where the empty graph leads.

    Over forests the sum is (1 + m w)^(m − 1), and P(i → j) = w/(1 + m w).
    """
    m, w = 10, math.exp(penalty)
    local = np.full((m, 1 << m), -np.inf)
    local[:, 0] = 0.0
    local[:, [1 << i for i in range(m)]] = penalty
    squeezed = no.squeezed(local)
    exact = (m - 1) * math.log1p(m * w)
    assert log_sum_over_dags(squeezed) == pytest.approx(exact, abs=1e-10)
    found = edge_probabilities_of_dags(squeezed)[~np.eye(m, dtype=bool)]
    np.testing.assert_allclose(found, w / (1 + m * w), atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_renaming_measures_moves_the_edges(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    states, counts = no.random_table(rng, [2] * m, 40, 0.5)
    most, order = int(rng.integers(1, m)), rng.permutation(m)

    def edges(rows: np.ndarray) -> np.ndarray:
        g = bdeu_scores_of_subsets(rows, counts, np.log([2.0] * m), 1.0, most + 1)
        return edge_probabilities_of_dags(local_scores(g, m, most))

    np.testing.assert_allclose(
        edges(states[:, order]), edges(states)[np.ix_(order, order)], atol=1e-10
    )
