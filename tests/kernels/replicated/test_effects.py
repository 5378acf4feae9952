"""Evidence of replicates, flat and learned, and of items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma, polygamma
from scipy.stats import multivariate_normal, norm, t

from bayescompare.kernels.context.correlated_t import posterior_from_moments, region_probabilities
from bayescompare.kernels.replicated.effects import (
    SCALES,
    evidence_at_scales,
    flat_evidence,
    learned_evidence,
)
from bayescompare.kernels.replicated.items import (
    one_measure_items,
    pattern_counts,
    pattern_evidence,
)
from bayescompare.kernels.replicated.moments import (
    Moments,
    cluster_moments,
    moderation,
    replicate_moments,
)
from tests.oracles.replicated import item_probability

ANY = np.random.default_rng(0)


def moments_of(x: np.ndarray, rho: float = 0.0) -> Moments:
    return replicate_moments(x, np.zeros_like(x), np.full(len(x), rho))


def test_one_measure_is_the_correlated_t() -> None:
    x = np.random.default_rng(1).normal(0.3, 1.0, size=(5, 10, 1))
    moments = moments_of(x, rho=0.1)
    dof, location, scale = posterior_from_moments(
        x[..., 0].mean(axis=1), x[..., 0].var(axis=1, ddof=1), np.full(5, 10.0), np.full(5, 0.1)
    )
    regions = region_probabilities(dof, location, scale, 0.2)
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


def test_moderation_solves_smyths_equations() -> None:
    rng = np.random.default_rng(5)
    dof = rng.integers(2, 9, 40).astype(float)
    true = 0.5 * rng.gamma(2.0, size=40)
    variance = true * rng.chisquare(dof) / dof
    sd = moderation(variance, dof)
    e = np.log(variance) - digamma(dof / 2) + np.log(dof / 2)
    excess = e.var(ddof=1) - polygamma(1, dof / 2).mean()
    assert excess > 0.0
    grid = np.geomspace(0.05, 500.0, 400_001)
    d = 2.0 * grid[np.abs(polygamma(1, grid) - excess).argmin()]
    prior = math.exp(e.mean() + digamma(d / 2) - math.log(d / 2))
    np.testing.assert_allclose(sd**2, (d * prior + dof * variance) / (d + dof), rtol=1e-4)


def test_equal_variances_are_pooled_whole() -> None:
    variance = np.full(6, 2.0)
    sd = moderation(variance, np.full(6, 4.0))
    expected = math.exp(0.5 * (math.log(2.0) - digamma(2.0) + math.log(2.0)))
    np.testing.assert_allclose(sd, expected)


@pytest.mark.parametrize("scale", [0, 6, 11])
def test_learned_evidence_of_one_measure_is_its_integral(scale: int) -> None:
    """ℓ(s; t) is the density of y given that μ is in the region, by plain quadrature over μ."""
    x = (
        np.random.default_rng(6).normal(0.4, 1.0, size=(6, 5, 1))
        * np.geomspace(1, 50, 6)[:, None, None]
    )
    moments = moments_of(x, rho=0.1)
    evidence = learned_evidence(moments, (None,), ANY)
    assert evidence is not None
    sd = moderation(moments.variance[:, 0], moments.dof)
    y = moments.mean[:, 0] / sd
    spread = SCALES[scale] * np.median(np.abs(y)) / 0.6745
    noise = np.sqrt(moments.factor)
    for i in range(6):
        for s, ends in enumerate([(0.0, 12 * spread), (-12 * spread, 0.0)]):
            density = quad(
                lambda mu, i=i: norm.pdf(y[i], mu, noise[i]) * norm.pdf(mu, 0.0, spread), *ends,
                epsabs=0.0, epsrel=1e-10, limit=200,
            )[0] / 0.5  # fmt: skip
            assert math.exp(evidence.log[scale, i, s]) == pytest.approx(density, rel=1e-6)


def test_evidence_of_two_measures_by_drawing_effects() -> None:
    """ℓ(s; t) is the mean density of y over effects drawn from N(0, T) within s."""
    y, noise = np.array([[0.8, -0.3]]), np.array([[[0.5, 0.2], [0.2, 0.4]]])
    effects = np.array([[0.3, 1.1], [2.0, 0.7]])
    zero = np.zeros((1, 1))
    logs, kept, error = evidence_at_scales(y, noise, effects, (zero, zero), ANY)
    assert kept.all()
    assert error == 0.0
    rng = np.random.default_rng(9)
    for r, variance in enumerate(effects):
        size = np.abs(rng.normal(size=(200_000, 2))) * np.sqrt(variance)
        for s, sign in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
            density = multivariate_normal.pdf(y[0] - size * np.array(sign), cov=noise[0])
            mcse = density.std() / math.sqrt(len(density))
            assert math.exp(logs[r, 0, s]) == pytest.approx(density.mean(), abs=4 * mcse)


def test_scales_at_which_a_statement_has_no_mass_are_left_out() -> None:
    edges = (np.array([[-1.0, 1.0]]),)
    y, noise = np.array([[0.5]]), np.ones((1, 1, 1))
    logs, kept, _ = evidence_at_scales(y, noise, np.array([[1e-4], [1.0]]), edges, ANY)
    assert kept.tolist() == [False, True]
    assert logs.shape == (1, 1, 3)
    logs, kept, _ = evidence_at_scales(y, noise, np.array([[1e-4]]), edges, ANY)
    assert not kept.any()
    assert logs.shape == (0, 1, 3)


def test_learned_evidence_is_free_of_scale_and_mirrors() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(0.3, 1.0, size=(5, 6, 2))
    ropes = (0.1, None)
    found = learned_evidence(moments_of(x), ropes, ANY)
    scaled = learned_evidence(moments_of(x * np.array([10.0, 1.0])), (1.0, None), ANY)
    mirrored = learned_evidence(moments_of(-x), ropes, ANY)
    assert found is not None
    assert scaled is not None
    assert mirrored is not None
    np.testing.assert_allclose(found.log, scaled.log, atol=1e-8)
    np.testing.assert_allclose(found.log, mirrored.log[:, :, ::-1], atol=1e-8)


def test_rows_under_heavy_noise_are_nearly_flat() -> None:
    x = np.random.default_rng(8).normal(0.0, 1.0, size=(12, 5, 1))
    flat = flat_evidence(moments_of(x), (None,), ANY).log[0]
    learned = learned_evidence(moments_of(x), (None,), ANY)
    assert learned is not None
    weak = learned.log[0] - learned.log[0].max(axis=1, keepdims=True)
    assert np.exp(weak).min() > 0.7
    assert np.exp(flat).max() > 0.9


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (8, 2), (3, 9), (40, 22)])
def test_items_of_one_measure(wins: int, losses: int) -> None:
    found = one_measure_items(np.array([float(wins)]), np.array([float(losses)]))
    assert found[0, 0] == pytest.approx(item_probability(wins, losses), abs=1e-13)
    assert found.sum() == pytest.approx(1.0, abs=1e-13)


def test_patterns_of_two_measures_have_the_margins_of_one() -> None:
    rng = np.random.default_rng(9)
    outcome = rng.integers(-1, 2, size=(60, 2))
    p, error = pattern_evidence(pattern_counts(outcome), (None, None), rng)
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
