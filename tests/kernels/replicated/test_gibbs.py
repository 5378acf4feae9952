"""Collapsed Gibbs sampling against the exact recursion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bayescompare.kernels.replicated.each_dataset import smoothed
from bayescompare.kernels.replicated.gibbs import gibbs_counts, gibbs_maximum
from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.prior import DirichletPrior
from tests.posterior.test_rows import evidence_of


def test_counts_versions_and_datasets_agree_with_the_recursion() -> None:
    rng = np.random.default_rng(2)
    logs = np.log(rng.dirichlet(np.full(3, 0.6), (2, 10))) + np.array([0.0, -0.05])[:, None, None]
    alpha = np.full(3, 1 / 3)
    rows = EvidenceRows.from_logs(logs, alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None
    weights = np.exp(counts.log_evidence - counts.log_evidence.max())
    weights /= weights.sum()
    drawn = gibbs_counts(logs, alpha, np.random.default_rng(1), draws=6000, thin=2)
    chains = [
        (drawn.version == 1).mean(axis=1),
        *(drawn.counts[..., s].mean(axis=1) for s in (0, 1)),
    ]
    mean = [(counts.vectors[:, s, None] * counts.weight).sum(axis=0) @ weights for s in (0, 1)]
    for found, expected in zip(chains, [weights[1], *mean], strict=True):
        error = found.std(ddof=1) / 2.0
        assert abs(found.mean() - expected) < 4.0 * max(error, 2e-3)
    exact = smoothed(rows) @ weights
    error = drawn.per_dataset.std(axis=0, ddof=1) / 2.0
    assert (np.abs(drawn.per_dataset.mean(axis=0) - exact) < 4.0 * np.maximum(error, 3e-3)).all()


def test_exchanges_reach_the_other_mode() -> None:
    """Rows that know nothing, at small α: all datasets share a statement, and each is as likely."""
    drawn = gibbs_counts(
        np.zeros((1, 30, 4)), np.full(4, 0.02), np.random.default_rng(0), draws=4000
    )
    share = drawn.counts.mean(axis=(0, 1)) / 30
    np.testing.assert_allclose(share, 0.25, atol=0.03)
    assert (drawn.counts.max(axis=2) > 25).mean() > 0.8


def test_one_seed_gives_one_answer_and_excluded_statements_stay_out() -> None:
    ell = np.array([[[0.0, 0.5, 0.5], [0.2, 0.8, 0.0]]])
    with np.errstate(divide="ignore"):
        logs = np.log(ell)
    one, again = (gibbs_counts(logs, np.ones(3), np.random.default_rng(7), draws=50) for _ in "ab")
    np.testing.assert_array_equal(one.counts, again.counts)
    assert (one.per_dataset[:, 0, 0] == 0.0).all()
    assert (one.counts.sum(axis=2) == 2).all()


@pytest.mark.parametrize(("k", "n"), [(2, 8), (4, 9)])
def test_the_mean_is_the_exact_answer_within_its_error(k: int, n: int) -> None:
    rng = np.random.default_rng(k)
    # Two versions of the evidence, one of them less sure.
    logs = np.array([0.6, 1.0])[:, None, None] * np.log(rng.dirichlet(np.full(k, 0.6), n))
    alpha = np.full(k, 1.0 / k)
    prior = DirichletPrior.symmetric(1.0 / k, k)
    exact = DirichletMixture.of(evidence_of(logs), prior).p_max()[:-1]
    means = gibbs_maximum(logs, alpha, np.random.default_rng(1), sweeps=10_000)
    error = means.std(axis=0, ddof=1) / math.sqrt(len(means))
    assert float(error.max()) < 5e-3
    assert (np.abs(means.mean(axis=0) - exact) < 4.0 * error + 1e-6).all()
    np.testing.assert_allclose(means.sum(axis=1), 1.0, atol=1e-9)


def test_a_certain_table_has_no_error() -> None:
    with np.errstate(divide="ignore"):
        logs = np.log(np.tile(np.eye(3)[1], (1, 6, 1)))
    means = gibbs_maximum(logs, np.full(3, 1 / 3), np.random.default_rng(0), sweeps=400)
    prior = DirichletPrior.symmetric(1 / 3, 3)
    exact = DirichletMixture.of(evidence_of(logs), prior).p_max()[:-1]
    np.testing.assert_allclose(means, np.tile(exact, (len(means), 1)), atol=1e-10)
