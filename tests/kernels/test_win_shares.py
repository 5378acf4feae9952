"""Shares of wins: the mean ranks without gaps, and pair by pair with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from bayescompare.kernels.orders import win_shares


def by_pairs(values, weights):
    """The definition, one pair and one dataset at a time."""
    l = values.shape[1]
    shares = []
    for a in range(l):
        own = []
        for b in range(l):
            both = [i for i in range(len(values)) if not np.isnan(values[i, [a, b]]).any()]
            if b == a or not both:
                continue
            won = sum(
                weights[i] * (values[i, a] > values[i, b])
                + weights[i] * (values[i, a] == values[i, b]) / 2
                for i in both
            )
            own.append(won / sum(weights[i] for i in both))
        shares.append(np.mean(own) if own else np.nan)
    return np.array(shares)


TABLES = st.integers(0, 10_000).map(np.random.default_rng)


@given(TABLES, st.booleans())
def test_against_the_definition(rng, gaps):
    n, l = rng.integers(1, 9), rng.integers(2, 6)
    values = rng.integers(0, 4, (n, l)).astype(float)
    if gaps:
        values[rng.random((n, l)) < 0.3] = np.nan
    weights = rng.integers(1, 4, n).astype(float)
    np.testing.assert_allclose(win_shares(values, weights), by_pairs(values, weights), atol=1e-12)


@given(TABLES)
def test_without_gaps_they_are_the_mean_ranks(rng):
    n, l = rng.integers(1, 9), rng.integers(2, 6)
    values = rng.integers(0, 4, (n, l)).astype(float)
    ranks = rankdata(-values, axis=1).mean(axis=0)
    np.testing.assert_allclose(win_shares(values, np.ones(n)), (l - ranks) / (l - 1), atol=1e-12)


def test_float_noise_is_a_tie():
    values = np.array([[0.1 + 0.2, 0.3]])
    assert win_shares(values, np.ones(1)) == pytest.approx([0.5, 0.5])
