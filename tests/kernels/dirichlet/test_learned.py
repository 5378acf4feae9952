"""The learned prior's kernels against plain arithmetic, mpmath and brute force."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, gammaln
from scipy.stats import multivariate_normal

from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    DirichletPairCounts,
    dirichlet_strength_evidence,
    dirichlet_strength_weights,
    learn_weights,
    learned_base,
)
from bayescompare.kernels.dirichlet.learned_maximum import mixed_maximum
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.mixture import Mixture
from bayescompare.kernels.dirichlet.posterior import dirichlet_leave_one_out, dirichlet_log_evidence
from bayescompare.kernels.numerics.orthants import quadrants


def sparse(counts: np.ndarray) -> DirichletPairCounts:
    rows, cells = np.nonzero(counts)
    return DirichletPairCounts(rows, cells, counts[rows, cells], len(counts))


def random_counts(rng: np.random.Generator, pairs: int, size: int, n: int) -> np.ndarray:
    theta = rng.dirichlet(np.full(size, 0.4), size=pairs)
    return np.array([rng.multinomial(n, t) for t in theta], dtype=float)


def test_strengths_are_sixteen_and_log_spaced() -> None:
    assert len(STRENGTHS) == 16
    assert STRENGTHS[0] == pytest.approx(0.1)
    assert STRENGTHS[-1] == pytest.approx(1000.0)
    np.testing.assert_allclose(np.diff(np.log(STRENGTHS)), math.log(1e4) / 15)


def test_base_is_the_symmetric_pooled_frequency_with_one_dataset_more() -> None:
    pooled = np.array([7.0, 2.0, 0.0, 3.0])
    log_base, rest = learned_base(pooled, math.log(4))
    by_hand = [(5 + 0.25) / 13, (1 + 0.25) / 13, (1 + 0.25) / 13, (5 + 0.25) / 13]
    np.testing.assert_allclose(np.exp(log_base), by_hand)
    assert np.exp(log_base).sum() == pytest.approx(1.0)
    assert math.exp(rest) == pytest.approx(0.25 / 13)


def test_base_of_a_space_beyond_floats_keeps_its_mass() -> None:
    log_size = 5000.0
    log_base, rest = learned_base(np.array([3.0, 1.0]), log_size)
    np.testing.assert_allclose(np.exp(log_base), [2 / 5, 2 / 5])
    assert rest == pytest.approx(-5000 - math.log(5))


def test_evidence_is_the_textbook_formula() -> None:
    rng = np.random.default_rng(0)
    counts = random_counts(rng, 6, 4, 9) * 0.5
    counts[2] = 0.0
    phi = rng.dirichlet(np.ones(4))
    found = dirichlet_strength_evidence(sparse(counts), np.log(phi))
    for p, n in enumerate(counts):
        for k, a in enumerate(STRENGTHS):
            by_hand = gammaln(a) - gammaln(a + n.sum())
            by_hand += (gammaln(a * phi + n) - gammaln(a * phi)).sum()
            assert found[p, k] == pytest.approx(by_hand, abs=1e-10)


def test_em_is_em() -> None:
    """One step at a time, pair by pair, as SPEC 8 writes it."""
    rng = np.random.default_rng(1)
    evidence = rng.normal(size=(5, 16)) * 3
    g = [1 / 16] * 16
    for _ in range(300):
        total = [1 / 16] * 16
        for row in evidence:
            each = [w * math.exp(v) for w, v in zip(g, row, strict=True)]
            total = [t + e / sum(each) for t, e in zip(total, each, strict=True)]
        g = [t / 6 for t in total]
    np.testing.assert_allclose(learn_weights(evidence), g, rtol=1e-9)


def test_negligible_strengths_are_dropped_and_the_rest_sums_to_one() -> None:
    evidence = np.array([[0.0, -50.0, -1.0]])
    found = dirichlet_strength_weights(evidence, np.full(3, 1 / 3))
    assert found[0, 1] == 0.0
    assert found.sum() == pytest.approx(1.0)
    assert found[0, 0] / found[0, 2] == pytest.approx(math.e)


def maximum_by_mpmath(shapes: list[float]) -> list[float]:
    with mp.workdps(30):

        def cdf(a: float, x: object) -> object:
            return mp.gammainc(a, 0, x, regularized=True)

        def integrand(i: int, t: object) -> object:
            x = mp.e**t
            density = mp.e ** (shapes[i] * t - x) / mp.gamma(shapes[i])
            return density * mp.fprod(cdf(a, x) for j, a in enumerate(shapes) if j != i)

        top = max(shapes)
        ends = [-40 / top - 3, mp.log(top) - 3, mp.log(top), mp.log(top + 12 * math.sqrt(top) + 45)]
        return [float(mp.quad(lambda t, i=i: integrand(i, t), ends)) for i in range(len(shapes))]


@pytest.mark.slow
def test_mixture_is_the_average_of_mpmath_integrals() -> None:
    counts = np.array([[5.0, 2.0, 0.0, 1.0], [3.0, 3.0, 1.5, 0.5]])
    log_base, _ = learned_base(counts.sum(axis=0), math.log(4))
    weights = np.zeros(16)
    weights[[3, 7, 10]] = 0.2, 0.5, 0.3
    mixture = Mixture(DirichletCells(log_base, counts[0]), STRENGTHS, np.full(16, 1 / 16))
    evidence = mixture.log_evidences
    kept = dirichlet_strength_weights(evidence, np.where(weights > 0, weights, 1e-300))
    plain = sum(
        w
        * np.array(
            maximum_by_mpmath([a * f + n for f, n in zip(np.exp(log_base), counts[0], strict=True)])
        )
        for w, a in zip(kept, STRENGTHS, strict=True)
        if w > 0
    )
    only = [k for k in range(16) if weights[k] > 0]
    chosen = Mixture(DirichletCells(log_base, counts[0]), STRENGTHS[only], weights[only])
    np.testing.assert_allclose(chosen.maximum()[0], plain, atol=1e-10)
    both = np.stack([kept, kept])
    np.testing.assert_allclose(mixed_maximum(sparse(counts), log_base, both)[0], plain, atol=1e-10)


@pytest.mark.parametrize(("size", "pairs", "n"), [(2, 5, 7), (4, 6, 16), (8, 4, 60), (27, 4, 3)])
def test_pairs_together_and_one_by_one_agree(size: int, pairs: int, n: int) -> None:
    rng = np.random.default_rng(size)
    counts = random_counts(rng, pairs, size, n)
    counts[0] *= 0.5
    counts[-1] = 0.0
    log_base, _ = learned_base(counts.sum(axis=0), math.log(size))
    evidence = dirichlet_strength_evidence(sparse(counts), log_base)
    weights = learn_weights(evidence)
    found = mixed_maximum(sparse(counts), log_base, dirichlet_strength_weights(evidence, weights))
    for p in range(pairs):
        alone, lump = Mixture(DirichletCells(log_base, counts[p]), STRENGTHS, weights).maximum()
        assert lump == 0.0
        np.testing.assert_allclose(found[p], alone, atol=2e-11)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-11)


@given(
    st.lists(st.integers(0, 12), min_size=4, max_size=4),
    st.lists(st.integers(0, 12), min_size=4, max_size=4),
)
@settings(max_examples=10, deadline=None)
def test_swapping_the_algorithms_mirrors_everything(one: list[int], two: list[int]) -> None:
    counts = np.array([one, two], dtype=float)
    mirrored = counts[:, ::-1]
    found = []
    for table in (counts, mirrored):
        log_base, _ = learned_base(table.sum(axis=0), math.log(4))
        evidence = dirichlet_strength_evidence(sparse(table), log_base)
        weights = dirichlet_strength_weights(evidence, learn_weights(evidence))
        found.append(mixed_maximum(sparse(table), log_base, weights))
    np.testing.assert_allclose(found[0], found[1][:, ::-1], atol=1e-11)


def example() -> tuple[Mixture, np.ndarray]:
    phi = np.array([0.4, 0.1, 0.2, 0.3])
    prior = np.full(16, 1 / 16)
    return Mixture(
        DirichletCells(np.log(phi), np.array([4.0, 1.0, 0.0, 2.5])), STRENGTHS, prior
    ), phi


def test_mixture_figures_against_draws() -> None:
    mixture, phi = example()
    rng = np.random.default_rng(3)
    draws = 200_000
    strength = rng.choice(STRENGTHS, p=mixture.weights, size=draws)
    shape = strength[:, None] * phi + mixture.base.counts
    gammas = rng.standard_gamma(shape)
    theta = gammas / gammas.sum(axis=1, keepdims=True)
    error = 4 * 0.5 / math.sqrt(draws)
    largest = np.bincount(theta.argmax(axis=1), minlength=4) / draws
    np.testing.assert_allclose(mixture.maximum()[0], largest, atol=error)
    np.testing.assert_allclose(mixture.mean, theta.mean(axis=0), atol=error)
    assert mixture.majority(0) == pytest.approx((theta[:, 0] > 0.5).mean(), abs=error)
    assert mixture.pair_order(0, 3) == pytest.approx((theta[:, 0] > theta[:, 3]).mean(), abs=error)
    for q in (0.025, 0.975):
        below = (theta < mixture.quantile(q)).mean(axis=0)
        np.testing.assert_allclose(below, q, atol=4 * math.sqrt(q * (1 - q) / draws))


@pytest.mark.parametrize("q", [0.025, 0.5, 0.975])
def test_quantiles_invert_the_mixture_of_betas(q: float) -> None:
    mixture, _ = example()
    at = mixture.quantile(q)
    for k, x in enumerate(at):
        ends = []
        for shifted in (max(x - 1e-9, 0.0), min(x + 1e-9, 1.0)):
            total = 0.0
            for w, a in zip(mixture.weights, STRENGTHS, strict=True):
                cells = mixture.at_strength(float(a))
                total += w * betainc(cells.shape[k], cells.total - cells.shape[k], shifted)
            ends.append(total)
        assert ends[0] <= q <= ends[1]


def test_leave_one_out_is_a_difference_of_mixture_evidences() -> None:
    phi, prior = np.array([0.5, 0.2, 0.3]), np.random.default_rng(0).dirichlet(np.ones(16))
    dataset = np.array([0, 1, 2, 2, 3])
    statement = np.array([0, 0, 1, 2, 2])
    weight = np.array([1.0, 1.0, 0.5, 0.5, 1.0])
    counts = np.bincount(statement, weight)

    def evidence(n: np.ndarray) -> float:
        each = [dirichlet_log_evidence(DirichletCells(np.log(a * phi), n)) for a in STRENGTHS]
        return math.log(sum(g * math.exp(e) for g, e in zip(prior, each, strict=True)))

    mixture = Mixture(DirichletCells(np.log(phi), counts), STRENGTHS, prior)
    assert mixture.log_evidence == pytest.approx(evidence(counts), abs=1e-12)
    without, within = mixture.leave_one_out(dataset, statement, weight)
    for i in range(4):
        own = np.bincount(statement[dataset == i], weight[dataset == i], minlength=3)
        assert without[i] == pytest.approx(evidence(counts) - evidence(counts - own), abs=1e-10)
        assert within[i] == pytest.approx(evidence(counts + own) - evidence(counts), abs=1e-10)


def test_one_strength_is_the_plain_dirichlet() -> None:
    cells = DirichletCells(np.full(4, math.log(0.25)), np.array([1.0, 2.0, 3.0, 6.0]))
    one = Mixture(cells, np.array([1.0]), np.array([1.0]))
    np.testing.assert_array_equal(one.maximum()[0], probability_of_maximum(cells)[0])
    assert one.log_evidence == pytest.approx(dirichlet_log_evidence(cells), abs=1e-12)
    given = np.arange(12), np.repeat(np.arange(4), [1, 2, 3, 6]), np.ones(12)
    np.testing.assert_allclose(
        one.leave_one_out(*given), dirichlet_leave_one_out(cells, *given), atol=1e-12
    )


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.5, 0.8])
@pytest.mark.parametrize("mean", [(0.3, 0.7), (-0.4, 0.2), (1.5, -1.1), (-0.2, -2.0)])
def test_quadrants_against_scipy(mean: tuple[float, float], correlation: float) -> None:
    found = quadrants(*mean, correlation)
    covariance = [[1.0, correlation], [correlation, 1.0]]
    # P(X > 0, Y > 0) is P(−X < 0, −Y < 0).
    both = multivariate_normal.cdf([0, 0], [-mean[0], -mean[1]], covariance)
    neither = multivariate_normal.cdf([0, 0], mean, covariance)
    assert found[0] == pytest.approx(both, abs=1e-6)
    assert found[3] == pytest.approx(neither, abs=1e-6)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
