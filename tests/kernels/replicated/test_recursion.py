"""Counts of uncertain statements against the enumeration of every assignment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, logsumexp

from bayescompare.kernels.context.poisson_binomial import RatePosterior, RatePrior
from bayescompare.kernels.replicated.count_maximum import averaged_maximum
from bayescompare.kernels.replicated.each_dataset import beta_nodes, left_out_of_rows, smoothed
from bayescompare.kernels.replicated.recursion import Counts, EvidenceRows, recursion_for_counts
from tests.oracles.replicated import cut_counts, enumerate_statements

CASES = {
    "two": (2, 8, [0.5, 0.5]),
    "three, uneven": (3, 6, [0.2, 1.0, 0.5]),
    "four": (4, 6, [0.25] * 4),
    "eight": (8, 4, [0.125] * 8),
    "eight, strong": (8, 4, [1.0] * 8),
}


def case(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of evidence with one certain dataset and, where there is room, a second one."""
    k, n, alpha = CASES[name]
    ell = np.random.default_rng(k * n).dirichlet(np.full(k, 0.5), n) * 0.3
    ell[0] = np.eye(k)[1]
    if n > 4:
        ell[2] = 0.7 * np.eye(k)[0]
    return ell, np.array(alpha)


def rows_of(ell: np.ndarray, alpha: np.ndarray) -> EvidenceRows:
    with np.errstate(divide="ignore"):
        return EvidenceRows.from_logs(np.log(ell), alpha)


def solved(ell: np.ndarray, alpha: np.ndarray) -> tuple[EvidenceRows, Counts]:
    rows = rows_of(ell, alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None
    return rows, counts


def maxima(rows: EvidenceRows, counts: Counts, version: int = 0) -> np.ndarray:
    digits = (counts.vectors - rows.fixed)[:, rows.tracked].astype(np.int64)
    weight = counts.weight[:, version]
    return averaged_maximum(rows.alpha, rows.fixed, rows.tracked, digits, weight)


def vectors(counts: Counts) -> dict[tuple[int, ...], float]:
    """Posterior of whole count vectors."""
    whole = counts.vectors.astype(int).tolist()
    return {tuple(c): w for c, w in zip(whole, counts.weight[:, 0], strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_counts_evidence_and_datasets_by_enumeration(name: str) -> None:
    ell, alpha = case(name)
    expected = enumerate_statements(ell, alpha)
    rows, counts = solved(ell, alpha)
    assert counts.log_evidence[0] == pytest.approx(expected.log_evidence, abs=1e-12)
    found = vectors(counts)
    assert found.keys() == expected.counts.keys()
    assert all(found[c] == pytest.approx(w, abs=1e-13) for c, w in expected.counts.items())
    np.testing.assert_allclose(smoothed(rows)[:, :, 0], expected.per_dataset, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_leave_one_out_by_enumeration(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ell, alpha = case(name)
    rows, _ = solved(ell, alpha)
    whole = enumerate_statements(ell, alpha).log_evidence
    without = [
        enumerate_statements(np.delete(ell, i, axis=0), alpha).log_evidence for i in range(len(ell))
    ]
    expected = whole - np.array(without)
    np.testing.assert_allclose(left_out_of_rows(rows), expected, atol=1e-11)
    monkeypatch.setattr("bayescompare.kernels.replicated.each_dataset._MOST_NODES", 0)
    np.testing.assert_allclose(left_out_of_rows(rows), expected, atol=1e-11)


def test_the_cut_is_a_poisson_multinomial() -> None:
    ell, alpha = case("three, uneven")
    rows = rows_of(ell, alpha)
    counts = recursion_for_counts(rows, joint=False)
    assert counts is not None
    found = vectors(counts)
    for c, weight in cut_counts(ell).items():
        assert found.get(c, 0.0) == pytest.approx(weight, abs=1e-13)


def test_two_statements_are_the_joint_poisson_binomial() -> None:
    p = np.random.default_rng(3).random(40)
    posterior = RatePosterior.of(p, RatePrior.beta(1.0, 1.0))
    rows, counts = solved(np.stack([p, 1.0 - p], axis=1), np.ones(2))
    np.testing.assert_allclose(
        maxima(rows, counts), [posterior.first, posterior.second], atol=1e-11
    )
    np.testing.assert_allclose(smoothed(rows)[:, 0, 0], posterior.wins, atol=1e-11)
    assert counts.log_evidence[0] == pytest.approx(posterior.log_evidence, abs=1e-11)
    loo = left_out_of_rows(rows)
    np.testing.assert_allclose(loo, posterior.log_predictive, atol=1e-11)


@pytest.mark.parametrize(("a", "b"), [(1 / 64, 63 / 64), (0.5, 0.5), (1.0, 1.0), (500.25, 300.75)])
@pytest.mark.parametrize("number", [1, 2, 40, 400])
def test_nodes_of_a_beta_have_its_moments(a: float, b: float, number: int) -> None:
    """Gauss–Jacobi: exact for every power below twice the number of nodes, ends included."""
    node, log_weight = beta_nodes(a, b, number)
    for power in {0, 1, number, 2 * number - 1}:
        for x, shape in ((node, a), (1.0 - node, b)):
            found = logsumexp(log_weight + power * np.log(x))
            assert found == pytest.approx(
                betaln(shape + power, a + b - shape) - betaln(a, b), abs=1e-10
            )


def test_all_ways_to_each_dataset_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back over the vectors, on nodes, and by the counts of all others."""
    ell = np.random.default_rng(5).dirichlet(np.ones(3), 20)
    rows, _ = solved(ell, np.full(3, 0.4))
    whole = smoothed(rows)[:, :, 0]
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion._MOST_SIMPLEX", 0)
    np.testing.assert_allclose(smoothed(rows)[:, :, 0], whole, atol=1e-13)
    monkeypatch.setattr("bayescompare.kernels.replicated.each_dataset._MOST_NODES", 0)
    np.testing.assert_allclose(smoothed(rows)[:, :, 0], whole, atol=1e-13)
    monkeypatch.setattr("bayescompare.kernels.replicated.each_dataset._KEPT", 0)
    np.testing.assert_allclose(smoothed(rows)[:, :, 0], whole, atol=1e-13)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize(
    ("k", "n", "excluded"), [(2, 30, 0.0), (3, 14, 0.1), (4, 16, 0.0), (4, 12, 0.2), (6, 6, 0.1)]
)
def test_runs_of_all_vectors_are_what_codes_give(
    monkeypatch: pytest.MonkeyPatch, k: int, n: int, excluded: float, joint: bool
) -> None:
    """Two ways over the same recursion: every vector in runs, or those that occur as codes."""
    rng = np.random.default_rng(k + n)
    ell = rng.dirichlet(np.ones(k), (3, n))
    ell[:, rng.random((n, k)) < excluded] = 0.0
    rows = rows_of(ell, rng.random(k) + 0.1)
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion._LEAST_SHARE", 0.0)
    runs, in_runs = recursion_for_counts(rows, joint=joint), smoothed(rows)
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion._MOST_SIMPLEX", 0)
    codes = recursion_for_counts(rows, joint=joint)
    assert runs is not None
    assert codes is not None
    np.testing.assert_array_equal(runs.vectors, codes.vectors)
    np.testing.assert_allclose(runs.weight, codes.weight, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(runs.log_evidence, codes.log_evidence, rtol=0, atol=1e-12)
    if joint:
        np.testing.assert_allclose(in_runs, smoothed(rows), rtol=0, atol=1e-13)


def test_many_datasets_underflow_on_neither_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the urn's factors 0.51 to the power of 2,000 would be zero; it must not be."""
    rows = rows_of(np.tile([0.51, 0.49], (2000, 1)), np.full(2, 0.5))
    runs, in_runs = recursion_for_counts(rows), smoothed(rows)
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion._MOST_SIMPLEX", 0)
    codes = recursion_for_counts(rows)
    assert runs is not None
    assert codes is not None
    np.testing.assert_allclose(runs.weight, codes.weight, rtol=0, atol=1e-12)
    assert runs.log_evidence[0] == pytest.approx(codes.log_evidence[0], rel=1e-12)
    # Equal datasets are told the same by the others.
    np.testing.assert_allclose(np.ptp(in_runs, axis=0), 0.0, atol=1e-11)


def test_versions_are_independent_columns() -> None:
    rng = np.random.default_rng(6)
    both = rng.dirichlet(np.ones(3), (2, 5))
    alpha = np.full(3, 1.0)
    rows = EvidenceRows.from_logs(np.log(both), alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None
    singles = [solved(one, alpha)[1] for one in both]
    for r, single in enumerate(singles):
        assert counts.log_evidence[r] == pytest.approx(single.log_evidence[0], abs=1e-12)
        np.testing.assert_allclose(counts.weight[:, r], single.weight[:, 0], atol=1e-14)
    apart = [smoothed(rows_of(one, alpha))[:, :, 0] for one in both]
    np.testing.assert_allclose(smoothed(rows), np.stack(apart, axis=2), atol=1e-13)


def test_too_many_vectors_are_refused_not_counted() -> None:
    rows = rows_of(np.random.default_rng(0).dirichlet(np.ones(8), 30), np.full(8, 0.125))
    assert recursion_for_counts(rows, limit=10_000) is None
    wide = rows_of(np.random.default_rng(0).dirichlet(np.ones(64), 30), np.full(64, 1 / 64))
    assert recursion_for_counts(wide) is None


def test_nearly_certain_rows_cost_nothing() -> None:
    """Statements that cannot matter drop out, so fifty datasets have few vectors."""
    ell = np.full((50, 8), 1e-30)
    ell[np.arange(50), np.arange(50) % 8] = 1.0
    ell[:10, :2] = 0.5
    rows, counts = solved(ell, np.full(8, 0.125))
    assert len(counts.vectors) < 2000
    assert rows.uncertain.sum() >= 10


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.floats(1e-3, 1.0), min_size=k, max_size=k), min_size=1, max_size=6
        )
    )
)
def test_properties(rows: list[list[float]]) -> None:
    """P sums to one; relabelling statements and permuting datasets change nothing."""
    ell = np.array(rows)
    k = ell.shape[1]
    alpha = np.full(k, 1.0 / k)
    table, counts = solved(ell, alpha)
    p = maxima(table, counts)
    assert p.sum() == pytest.approx(1.0, abs=1e-10)
    mirrored, mirrored_counts = solved(ell[::-1, ::-1], alpha)
    np.testing.assert_allclose(maxima(mirrored, mirrored_counts)[::-1], p, atol=1e-10)
    assert mirrored_counts.log_evidence[0] == pytest.approx(counts.log_evidence[0], abs=1e-11)
