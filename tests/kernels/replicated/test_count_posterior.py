"""The error of a sampled P(max) is brought down where it is large."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.replicated import count_posterior
from bayescompare.kernels.replicated.count_posterior import (
    exact_counts,
    refined_count_posterior,
    sampled_counts,
)


@pytest.mark.slow
def test_a_longer_run_refines_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    logs, alpha = np.log(rng.dirichlet(np.ones(4), (1, 10))), np.full(4, 0.25)
    exact = exact_counts(logs, alpha, joint=True)
    assert exact is not None
    assert refined_count_posterior(exact, logs, rng) is exact
    first = sampled_counts(logs, alpha, rng)
    assert first.mcse is not None
    better = refined_count_posterior(first, logs, rng)
    assert better.mcse is not None
    assert better.mcse.max() < 0.6 * first.mcse.max()
    assert (np.abs(better.probability - exact.probability) < 4.0 * better.mcse + 1e-6).all()
    monkeypatch.setattr(count_posterior, "_MOST_WORK", 1.0)
    assert refined_count_posterior(first, logs, rng) is first
