"""More replicates, simulated: what is known now is what they will show on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from bayescompare.kernels.replicated.effects import Moments, flat_evidence
from bayescompare.kernels.replicated.items import item_rows, pattern_masses
from bayescompare.kernels.replicated.learned_effects import (
    SCALES,
    StandardisedEffects,
    evidence_of_effects,
    standardise_effects,
)
from bayescompare.kernels.replicated.refinement import (
    refined_counts,
    refined_effects,
    refined_moments,
)

RNG = np.random.default_rng(0)


def copies(n: int, k: int, rho: float, mean: list[float], *, spread: bool = True) -> Moments:
    """One dataset n times, so that every row is a simulation of it."""
    m = len(mean)
    square = np.full((m, m), 0.4) + 0.6 * np.eye(m)
    if not spread:
        square[-1] = square[:, -1] = 0.0
    factor = 1.0 / k + rho / (1.0 - rho)
    return Moments(
        np.tile(mean, (n, 1)), np.tile(square, (n, 1, 1)), np.full(n, k - 1.0), np.full(n, factor)
    )


def of_scale(data: StandardisedEffects, t: float) -> StandardisedEffects:
    """The same data with T such that one of the scales is the only one that matters."""
    return data._replace(typical=data.typical * t / SCALES[0])


def check_average(before: np.ndarray, after: np.ndarray) -> None:
    """The mean of the later probabilities against the present ones, within four errors."""
    error = after.std(axis=0, ddof=1) / np.sqrt(len(after))
    assert (error > 1e-4).any()
    np.testing.assert_array_less(np.abs(after.mean(axis=0) - before), 4.0 * error + 1e-3)


@pytest.mark.parametrize(
    ("n", "k", "rho", "mean", "ropes", "spread"),
    [
        (1500, 5, 0.0, [0.4], (None,), True),
        (1500, 5, 0.2, [0.4], (0.2,), True),
        (120, 6, 0.2, [0.5, -0.2], (None, None), True),
        pytest.param(
            400, 6, 0.2, [0.5, 0.3, 1.0], (None, 0.2, None), False, marks=pytest.mark.slow
        ),
    ],
)
def test_flat_evidence_is_a_martingale(
    n: int, k: int, rho: float, mean: list[float], ropes: tuple[float | None, ...], spread: bool
) -> None:
    """E ℓ'(s) = ℓ(s) under the predictive distribution."""
    moments = copies(n, k, rho, mean, spread=spread)
    first = Moments(*(field[:1] for field in moments))
    before = np.exp(flat_evidence(first, ropes, RNG).log[0, 0])
    uniform = np.full(len(before), 1.0 / len(before))
    finer = refined_moments(moments, ropes, uniform, np.full(n, 10), np.random.default_rng(1))
    check_average(before, np.exp(flat_evidence(finer, ropes, RNG).log[0]))


def test_theta_reweights_the_statements() -> None:
    """With θ the later P(s) average to θ_s ℓ(s), normalised."""
    moments = copies(2000, 5, 0.0, [0.3])
    before = np.exp(flat_evidence(moments, (None,), RNG).log[0, 0])
    theta = np.array([0.15, 0.85])
    finer = refined_moments(moments, (None,), theta, np.full(2000, 20), np.random.default_rng(2))
    after = np.exp(flat_evidence(finer, (None,), RNG).log[0]) * theta
    check_average(theta * before / (theta @ before), after / after.sum(axis=1, keepdims=True))


@pytest.mark.slow
def test_evidence_under_learned_effects_is_a_martingale() -> None:
    data = of_scale(standardise_effects(copies(500, 5, 0.2, [0.4, -0.6]), (0.3, None)), 0.8)
    before_all = evidence_of_effects(data, RNG)
    assert before_all is not None
    before = softmax(before_all.log[0, 0])
    uniform = np.full(len(before), 1.0 / len(before))
    more = np.full(500, 20.0)
    finer = refined_effects(data, SCALES[0], uniform, more, np.random.default_rng(3))
    after_all = evidence_of_effects(finer, RNG)
    assert after_all is not None
    check_average(before, softmax(after_all.log[0], axis=1))


@pytest.mark.slow
def test_the_finer_mean_is_between_what_was_seen_and_the_truth() -> None:
    """Forward: μ, then the mean of many, then of few. Backward: from μ and few to many."""
    n, c, less = 4000, 0.45, 0.15
    rng = np.random.default_rng(4)
    typical = np.array([1.3])
    mu = typical * rng.standard_normal(n)
    many = mu + np.sqrt(c - less) * rng.standard_normal(n)
    few = many + np.sqrt(less) * rng.standard_normal(n)
    data = StandardisedEffects(
        y=few[:, None], seen=np.ones((n, 1), dtype=bool), dof=np.full(n, np.inf),
        replicates=np.full(n, 4.0), factor=np.full(n, c), correlation=np.eye(1), typical=typical,
        edges=(np.zeros((n, 1)),), used=[0], sizes=[2], others=np.ones((n, 2)),
    )  # fmt: skip
    # 1/4 − 1/10 = 0.15
    again = refined_effects(data, 1.0, np.full(2, 0.5), np.full(n, 6.0), rng).y[:, 0]
    # The joint second moments of (few, many) are those of the forward simulation.
    assert again.var() == pytest.approx(1.69 + c - less, rel=0.1)
    assert np.cov(few, again)[0, 1] == pytest.approx(1.69 + c - less, rel=0.1)


def test_correlated_replicates_never_show_the_truth() -> None:
    """Endless ones of ρ = .3 are worth as much as 2.33 independent ones."""
    rho = 0.3
    moments = copies(500, 4, rho, [0.2])
    finer = refined_moments(
        moments, (None,), np.full(2, 0.5), np.full(500, 10**6), np.random.default_rng(5)
    )
    np.testing.assert_allclose(finer.factor, rho / (1 - rho), atol=1e-5)
    p = np.exp(flat_evidence(finer, (None,), RNG).log[0, :, 0])
    assert ((p > 0.01) & (p < 0.99)).mean() > 0.5
    free = refined_moments(
        copies(500, 4, 0.0, [0.2]), (None,), np.full(2, 0.5), np.full(500, 10**6),
        np.random.default_rng(5),
    )  # fmt: skip
    p = np.exp(flat_evidence(free, (None,), RNG).log[0, :, 0])
    assert ((p > 0.01) & (p < 0.99)).mean() < 0.02


@pytest.mark.parametrize("rope", [None, 0.1])
def test_counts_of_items_are_a_martingale(rope: float | None) -> None:
    counts = np.array([9.0, 20.0, 5.0])
    before = np.exp(item_rows([counts], (rope,), RNG)[0][0])
    rng = np.random.default_rng(6)
    weight = 1.0 / len(before) / pattern_masses((rope,), rng)
    finer = [refined_counts(counts, (rope,), weight, 60, rng) for _ in range(300)]
    assert all(float(f.sum()) == 94.0 for f in finer)
    check_average(before, np.exp(item_rows(finer, (rope,), RNG)[0]))


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10_000), st.integers(1, 3), st.integers(2, 9), st.floats(0.0, 0.5),
    st.integers(0, 500),
)  # fmt: skip
def test_more_replicates_are_moments_again(
    seed: int, m: int, k: int, rho: float, more: int
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, k, m))
    square = np.stack([np.atleast_2d(np.cov(own.T)) for own in x])
    factor = np.full(4, 1.0 / k + rho / (1.0 - rho))
    moments = Moments(x.mean(axis=1), square, np.full(4, k - 1.0), factor)
    ropes = (None,) * m
    theta = np.full(2**m, 0.5**m)
    finer = refined_moments(moments, ropes, theta, np.full(4, more), rng)
    assert (np.linalg.eigvalsh(finer.covariance) > -1e-9).all()
    np.testing.assert_allclose(finer.factor, 1.0 / (k + more) + rho / (1.0 - rho))
    if more == 0:
        np.testing.assert_allclose(finer.mean, moments.mean)
        np.testing.assert_allclose(finer.covariance, moments.covariance)
