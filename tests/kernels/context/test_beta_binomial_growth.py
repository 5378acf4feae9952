"""The pooled answer with further datasets: old nodes reweighted, against an integral anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_of

from bayescompare.kernels.context.beta_binomial import pool_beta_binomial
from bayescompare.kernels.context.beta_binomial_growth import grown_beta_binomial

SEEN = np.array([2.0, 1, 4, 0, 3]), np.array([5.0, 6, 4, 3, 9])
GRID = pool_beta_binomial(*SEEN).grid
COUNTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12)


@settings(max_examples=8)
@given(COUNTS)
def test_nodes_reweighted_are_an_integral_anew(new: list[tuple[int, int]]) -> None:
    first, second = np.array(new, dtype=float).T
    found = grown_beta_binomial(SEEN, (first, second), GRID)
    whole = pool_beta_binomial(
        *(np.concatenate(both) for both in zip(SEEN, (first, second), strict=True))
    )
    np.testing.assert_allclose(found, (whole.first, whole.second), atol=2e-4)


def test_far_from_the_nodes_it_integrates_anew() -> None:
    """Three hundred datasets leave too few of the old nodes."""
    new = np.full(300, 14.0), np.full(300, 15.0)
    found = grown_beta_binomial(SEEN, new, GRID)
    whole = pool_beta_binomial(*(np.concatenate(both) for both in zip(SEEN, new, strict=True)))
    np.testing.assert_allclose(found, (whole.first, whole.second), atol=1e-4)


def test_a_prior_of_ones_own_is_kept() -> None:
    own = {"log_prior_mu": beta_of(8, 8).logpdf}
    grid = pool_beta_binomial(*SEEN, **own).grid
    for new in ((np.array([4.0, 1]), np.array([9.0, 2])), (np.full(300, 14.0), np.full(300, 15.0))):
        found = grown_beta_binomial(SEEN, new, grid, **own)
        whole = pool_beta_binomial(*(np.concatenate(b) for b in zip(SEEN, new, strict=True)), **own)
        np.testing.assert_allclose(found, (whole.first, whole.second), atol=1e-4)
