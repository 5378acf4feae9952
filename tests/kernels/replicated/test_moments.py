"""Moderated variances, against Smyth's equations."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma, polygamma

from bayescompare.kernels.replicated.moments import moderate_replicated_moments


def test_moderation_solves_smyths_equations() -> None:
    rng = np.random.default_rng(5)
    dof = rng.integers(2, 9, 40).astype(float)
    true = 0.5 * rng.gamma(2.0, size=40)
    variance = true * rng.chisquare(dof) / dof
    moderated = moderate_replicated_moments(variance, dof)
    e = np.log(variance) - digamma(dof / 2) + np.log(dof / 2)
    excess = e.var(ddof=1) - polygamma(1, dof / 2).mean()
    assert excess > 0.0
    grid = np.geomspace(0.05, 500.0, 400_001)
    d = 2.0 * grid[np.abs(polygamma(1, grid) - excess).argmin()]
    prior = math.exp(e.mean() + digamma(d / 2) - math.log(d / 2))
    np.testing.assert_allclose(moderated.sd**2, (d * prior + dof * variance) / (d + dof), rtol=1e-4)
    # What is left open of log s_i², drawn: of its own variance given d and s_0, and of s_0.
    each = (d / (d + dof)) ** 2 * e.var(ddof=1) / len(e) + polygamma(1, (d + dof) / 2)
    np.testing.assert_allclose(polygamma(1, moderated.dof / 2), each, rtol=1e-3)


def test_equal_variances_are_pooled_whole() -> None:
    variance = np.full(6, 2.0)
    sd, dof = moderate_replicated_moments(variance, np.full(6, 4.0))
    expected = math.exp(0.5 * (math.log(2.0) - digamma(2.0) + math.log(2.0)))
    np.testing.assert_allclose(sd, expected)
    # Six estimates of log σ² are averaged.
    np.testing.assert_allclose(polygamma(1, dof / 2), polygamma(1, 2.0) / 6)


def test_one_dataset_with_spread_lends_its_own() -> None:
    sd, dof = moderate_replicated_moments(np.array([0.0, 4.0, 0.0]), np.array([3.0, 5.0, 3.0]))
    np.testing.assert_array_equal(sd, 2.0)
    np.testing.assert_array_equal(dof, 5.0)
    sd, dof = moderate_replicated_moments(np.zeros(3), np.full(3, 4.0))
    assert not sd.any()
