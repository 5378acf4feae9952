"""P(max) by collapsed Gibbs against the exact recursion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bayescompare.kernels.replicated.gibbs_maximum import gibbs_maximum
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.prior import DirichletPrior
from tests.posterior.test_rows import evidence_of


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
