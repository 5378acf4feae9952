"""Moderated variances against Smyth's equations, and what replicates say of each statement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import digamma, polygamma
from scipy.stats import t

from bayescompare.kernels.context.correlated_t import (
    correlated_t_from_moments,
    correlated_t_regions,
)
from bayescompare.kernels.replicated.effects import (
    Moments,
    cluster_moments,
    flat_evidence,
    moderate,
    replicate_moments,
)
from bayescompare.kernels.replicated.items import (
    item_patterns,
    pattern_evidence,
)
from tests.oracles.replicated import item_probability


def test_moderation_solves_smyths_equations() -> None:
    rng = np.random.default_rng(5)
    dof = rng.integers(2, 9, 40).astype(float)
    true = 0.5 * rng.gamma(2.0, size=40)
    variance = true * rng.chisquare(dof) / dof
    moderated = moderate(variance, dof)
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
    sd, dof = moderate(variance, np.full(6, 4.0))
    expected = math.exp(0.5 * (math.log(2.0) - digamma(2.0) + math.log(2.0)))
    np.testing.assert_allclose(sd, expected)
    # Six estimates of log σ² are averaged.
    np.testing.assert_allclose(polygamma(1, dof / 2), polygamma(1, 2.0) / 6)


ANY = np.random.default_rng(0)


def moments_of(x: np.ndarray, rho: float = 0.0) -> Moments:
    return replicate_moments(x, np.zeros_like(x), np.full(len(x), rho))


def test_one_measure_is_the_correlated_t() -> None:
    x = np.random.default_rng(1).normal(0.3, 1.0, size=(5, 10, 1))
    moments = moments_of(x, rho=0.1)
    dof, location, scale = correlated_t_from_moments(
        x[..., 0].mean(axis=1), x[..., 0].var(axis=1, ddof=1), np.full(5, 10.0), np.full(5, 0.1)
    )
    regions = correlated_t_regions(dof, location, scale, 0.2)
    found = np.exp(flat_evidence(moments, (0.2,), ANY).log[0])
    np.testing.assert_allclose(found, regions[:, ::-1], atol=1e-13)


def test_few_replicates_have_the_product_of_their_margins() -> None:
    x = np.random.default_rng(2).normal(0.5, 1.0, size=(1, 3, 3))
    found = np.exp(flat_evidence(moments_of(x), (None,) * 3, ANY).log[0, 0])
    up = [
        t.sf(0.0, 2, loc=x[0, :, j].mean(), scale=x[0, :, j].std(ddof=1) / math.sqrt(3))
        for j in range(3)
    ]
    expected = np.ones(1)
    for p in up:
        expected = np.outer(expected, [p, 1.0 - p]).ravel()
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_a_measure_without_spread_is_certain_where_flat() -> None:
    x = np.random.default_rng(3).normal(0.5, 1.0, size=(2, 8, 2))
    x[0, :, 1], x[1, :, 1] = -2.0, 0.0
    found = np.exp(flat_evidence(moments_of(x), (None, None), ANY).log[0])
    assert (found[0, [0, 2]] == 0.0).all()
    # An exact tie is half of each.
    np.testing.assert_allclose(found[1, 0], found[1, 1])
    with_rope = np.exp(flat_evidence(moments_of(x), (None, 0.1), ANY).log[0])
    assert with_rope[1, [1, 4]].sum() == pytest.approx(1.0)


def test_missing_replicates_are_left_out_and_counted() -> None:
    x = np.random.default_rng(4).normal(size=(1, 6, 2))
    holed = np.concatenate([x, np.full((1, 2, 2), np.nan)], axis=1)
    for a, b in zip(moments_of(x), moments_of(holed), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-15)


def test_patterns_of_two_measures_have_the_margins_of_one() -> None:
    rng = np.random.default_rng(9)
    outcome = rng.integers(-1, 2, size=(60, 2))
    p, error = pattern_evidence(item_patterns(outcome), (None, None), rng)
    for j, columns in ((0, [0, 1]), (1, [0, 2])):
        wins, losses = (outcome[:, j] == 1).sum(), (outcome[:, j] == -1).sum()
        expected = item_probability(int(wins), int(losses))
        assert p[columns].sum() == pytest.approx(expected, abs=5 * error.max())


def test_clusters_of_one_are_items_and_repeats_add_nothing() -> None:
    x = np.random.default_rng(10).normal(size=(12, 2))
    alone = cluster_moments(x, np.arange(12))
    plain = moments_of(x[None])
    np.testing.assert_allclose(
        alone.covariance * alone.factor[0], plain.covariance * plain.factor[0], atol=1e-14
    )
    twice = cluster_moments(np.repeat(x, 2, axis=0), np.repeat(np.arange(12), 2))
    for a, b in zip(alone, twice, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)
