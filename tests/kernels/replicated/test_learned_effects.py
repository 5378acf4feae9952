"""Evidence under a learned scale of effects, against integrals and draws."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import multivariate_normal, t

from bayescompare.kernels.replicated.effects import (
    Moments,
    moderate,
    replicate_moments,
)
from bayescompare.kernels.replicated.learned_effects import (
    SCALES,
    effects_at_scales,
    evidence_of_effects,
    learned_evidence,
    standardise_effects,
)

ANY = np.random.default_rng(0)


def moments_of(x: np.ndarray, rho: float = 0.0) -> Moments:
    return replicate_moments(x, np.zeros_like(x), np.full(len(x), rho))


def with_precision(
    lam: float, *, y: float, noise: float, effects: float, nu: float, low: float, high: float
) -> float:
    """The density of y, of μ between two ends, and of λ."""
    v, tau = noise / lam, effects / lam
    mean, deviation = y * tau / (v + tau), math.sqrt(v * tau / (v + tau))
    inside = float(ndtr((high - mean) / deviation) - ndtr((low - mean) / deviation))
    density = math.exp(-0.5 * y**2 / (v + tau)) / math.sqrt(2.0 * math.pi * (v + tau))
    half = 0.5 * nu
    log_gamma = half * math.log(half) - math.lgamma(half) + (half - 1.0) * math.log(lam)
    return density * inside * math.exp(log_gamma - half * lam)


@pytest.mark.parametrize("scale", [0, 6, 11])
@pytest.mark.parametrize("rope", [None, 0.3])
def test_one_measure_is_its_integral(scale: int, rope: float | None) -> None:
    """ℓ(s; t) by plain quadrature over what s² may be against the true variance."""
    x = np.random.default_rng(6).normal(0.4, 1.0, size=(6, 5, 1))
    x = x * np.geomspace(1, 5, 6)[:, None, None]
    moments = moments_of(x, rho=0.1)
    evidence = learned_evidence(moments, (rope,), ANY)
    assert evidence is not None
    kept = np.isclose(evidence.scales, SCALES[scale])
    # A rope leaves out scales at which no effect is beyond it.
    assert kept.any() or (rope is not None and scale == 0)
    sd, dof = moderate(moments.variance[:, 0], moments.dof)
    y = moments.mean[:, 0] / sd
    spread = SCALES[scale] * np.median(np.abs(y)) / 0.6745
    for i in (0, 2, 5):
        edge = [] if rope is None else [-rope / sd[i], rope / sd[i]]
        ends = [math.inf, *sorted(edge or [0.0], reverse=True), -math.inf]
        for s, (high, low) in enumerate(pairwise(ends)):
            given = partial(
                with_precision, y=y[i], noise=moments.factor[i], effects=spread**2, nu=dof[i],
                low=low, high=high,
            )  # fmt: skip
            joint = quad(given, 0.0, 60.0 / dof[i] + 6.0, epsabs=0.0, epsrel=1e-9, limit=400)[0]
            mass = t.cdf(high / spread, dof[i]) - t.cdf(low / spread, dof[i])
            np.testing.assert_allclose(np.exp(evidence.log[kept, i, s]), joint / mass, rtol=1e-6)


@pytest.mark.parametrize("dof", [None, 5.0])
def test_two_measures_by_drawing_effects(dof: float | None) -> None:
    """ℓ(s; t) is the mean density of y over effects drawn within s."""
    y, noise = np.array([[0.8, -0.3]]), np.array([[[0.5, 0.2], [0.2, 0.4]]])
    effects = np.array([[0.3, 1.1], [2.0, 0.7]])
    zero = np.zeros((1, 1))
    logs, kept, error = effects_at_scales(
        y, noise, effects, (zero, zero), ANY, dof=None if dof is None else np.array([dof])
    )
    assert kept.all()
    assert error == 0.0
    rng = np.random.default_rng(9)
    for r, variance in enumerate(effects):
        size = np.abs(rng.normal(size=(200_000, 2))) * np.sqrt(variance)
        root = np.ones(len(size)) if dof is None else np.sqrt(rng.chisquare(dof, len(size)) / dof)
        for s, sign in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
            off = root[:, None] * y[0] - size * np.array(sign)
            density = multivariate_normal.pdf(off, cov=noise[0]) * root**2
            mcse = density.std() / math.sqrt(len(density))
            assert math.exp(logs[r, 0, s]) == pytest.approx(density.mean(), abs=4 * mcse)


def test_scales_at_which_a_statement_has_no_mass_are_left_out() -> None:
    edges = (np.array([[-1.0, 1.0]]),)
    y, noise = np.array([[0.5]]), np.ones((1, 1, 1))
    logs, kept, _ = effects_at_scales(y, noise, np.array([[1e-4], [1.0]]), edges, ANY)
    assert kept.tolist() == [False, True]
    assert logs.shape == (1, 1, 3)
    logs, kept, _ = effects_at_scales(y, noise, np.array([[1e-4]]), edges, ANY)
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


def test_many_degrees_of_freedom_are_normal() -> None:
    rng = np.random.default_rng(3)
    y, noise = rng.normal(size=(4, 2)), np.tile(np.array([[0.5, 0.2], [0.2, 0.4]]), (4, 1, 1))
    effects, edges = np.array([[0.3, 1.1]]), (np.tile([[-0.2, 0.2]], (4, 1)), np.zeros((4, 1)))
    known, _, _ = effects_at_scales(y, noise, effects, edges, ANY)
    many, _, _ = effects_at_scales(y, noise, effects, edges, ANY, dof=np.full(4, 1e9))
    np.testing.assert_allclose(many, known, atol=1e-6)
    mixed = np.array([math.inf, 6.0, math.inf, 6.0])
    some, _, _ = effects_at_scales(y, noise, effects, edges, ANY, dof=mixed)
    np.testing.assert_allclose(some[:, ::2], known[:, ::2], atol=1e-12)
    assert np.abs(some[:, 1::2] - known[:, 1::2]).min() > 1e-4


def test_a_measure_that_was_not_seen_says_nothing() -> None:
    x = np.random.default_rng(5).normal(0.4, 1.0, size=(8, 5, 2))
    whole = moments_of(x)
    mean, covariance = whole.mean.copy(), whole.covariance.copy()
    mean[2, 1] = np.nan
    covariance[2, 1], covariance[2, :, 1] = 0.0, 0.0
    holed = whole._replace(mean=mean, covariance=covariance)
    evidence = learned_evidence(holed, (None, 0.2), ANY)
    assert evidence is not None
    rows = evidence.log.reshape(-1, 8, 2, 3)
    # All states of the measure fit alike, and the other measure has its own row.
    np.testing.assert_allclose(rows[:, 2], np.broadcast_to(rows[:, 2, :, :1], rows[:, 2].shape))
    data = standardise_effects(holed, (None, 0.2))
    assert data.seen.sum() == 15
    alone = evidence_of_effects(
        data._replace(
            y=data.y[:, :1], seen=data.seen[:, :1], typical=data.typical[:1], edges=data.edges[:1],
            correlation=np.eye(1), used=[0], sizes=[2], others=np.ones((8, 2)),
        ),
        ANY,
    )  # fmt: skip
    assert alone is not None
    np.testing.assert_allclose(alone.log[:, 2], rows[:, 2, :, 0], atol=1e-12)
