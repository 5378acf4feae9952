"""Three regions in the joint model: every region by enumeration, quadrature, draws, symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from bayescompare.kernels.context import poisson_binomial_joint as two
from bayescompare.kernels.context import poisson_multinomial as cut
from bayescompare.kernels.context import poisson_multinomial_joint as three
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from tests.cases import few_quick
from tests.oracles.context import EveryRegion, near, regions_by_quadrature, shares_near


def some_triples(n: int, seed: int = 0, alpha: float = 0.6) -> np.ndarray:
    """What each dataset says, from doubt to certainty."""
    rng = np.random.default_rng(seed)
    triples = rng.dirichlet([alpha] * 3, size=n)
    if n > 2:
        triples[1], triples[2] = (0.0, 0.0, 1.0), (0.5, 0.0, 0.5)
    return np.asarray(triples)


rows = st.lists(st.integers(0, 10**6), min_size=1, max_size=5).map(
    lambda seeds: np.concatenate([some_triples(1, s) for s in seeds])
)
prior = st.sampled_from([0.1, 0.5, 1.0, 2.0, 7.3])


@pytest.mark.parametrize("b", few_quick([0.1, 2.5, 1.0], 2))
@pytest.mark.parametrize("n", few_quick([1, 3, 2, 4, 5], 2))
def test_by_every_region(n: int, b: float) -> None:
    triples = some_triples(n)
    found, oracle = three.poisson_multinomial_joint_regions(triples, b), EveryRegion(triples, b)
    np.testing.assert_allclose(found.probability, oracle.probability, atol=1e-9)
    np.testing.assert_allclose(found.mean, oracle.mean, atol=1e-13)
    np.testing.assert_allclose(found.each, oracle.each, atol=1e-13)
    assert found.log_evidence == pytest.approx(oracle.log_total, abs=1e-12)
    for (left, _, right), weight in oracle.counts.items():
        assert found.counts[left, right] == pytest.approx(weight, rel=1e-11, abs=1e-300)
    for i in range(n):
        rest = np.delete(triples, i, axis=0)
        without = EveryRegion(rest, b).log_total if n > 1 else 0.0
        assert found.log_predictive[i] == pytest.approx(oracle.log_total - without, abs=1e-12)


@pytest.mark.parametrize("b", [1.0, 2.0])
def test_by_an_integral_over_the_triangle(b: float) -> None:
    """No counts, no urn: the posterior density of the shares itself."""
    triples = some_triples(7, seed=3)
    probability, log_evidence = regions_by_quadrature(triples, b)
    found = three.poisson_multinomial_joint_regions(triples, b)
    np.testing.assert_allclose(found.probability, probability, atol=1e-10)
    assert found.log_evidence == pytest.approx(log_evidence, abs=1e-11)
    np.testing.assert_allclose(three.joint_context_regions(triples, b), found.probability)


@settings(max_examples=25)
@given(rows, prior, st.integers(0, 100))
def test_sums_mirrors_and_orders(triples: np.ndarray, b: float, seed: int) -> None:
    found = three.poisson_multinomial_joint_regions(triples, b)
    for whole in (found.probability, found.mean, found.counts):
        assert whole.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(found.each.sum(axis=1), 1.0, atol=1e-12)
    mirrored = three.poisson_multinomial_joint_regions(triples[:, ::-1], b)
    np.testing.assert_allclose(mirrored.probability[::-1], found.probability, atol=1e-10)
    np.testing.assert_allclose(mirrored.each[:, ::-1], found.each, atol=1e-11)
    np.testing.assert_allclose(mirrored.counts.T, found.counts, atol=1e-12)
    order = np.random.default_rng(seed).permutation(len(triples))
    mixed = three.poisson_multinomial_joint_regions(triples[order], b)
    np.testing.assert_allclose(mixed.each, found.each[order], atol=1e-11)
    np.testing.assert_allclose(mixed.log_predictive, found.log_predictive[order], atol=1e-11)
    assert mixed.log_evidence == pytest.approx(found.log_evidence, abs=1e-11)


@pytest.mark.parametrize("b", [0.3, 1.0, 4.0])
def test_where_no_dataset_is_in_the_rope_there_are_two_outcomes(b: float) -> None:
    p = np.random.default_rng(1).random(40)
    triples = np.stack([1 - p, np.zeros(40), p], axis=1)
    counts, log_evidence = three.poisson_multinomial_posterior(triples, b)
    expected, log_two = two.poisson_binomial_counts(p, b)
    np.testing.assert_allclose(counts.sum(axis=0), expected, rtol=1e-10)
    # The shares have a third cell more, the counts given their sum do not know of it.
    third = gammaln(3 * b) - gammaln(3 * b + 40) - gammaln(2 * b) + gammaln(2 * b + 40)
    assert log_evidence == pytest.approx(log_two + third, abs=1e-10)


def test_certain_datasets_are_counts() -> None:
    counts = np.array([3, 2, 6])
    triples = np.repeat(np.eye(3), counts, axis=0)
    found = three.poisson_multinomial_joint_regions(triples, 0.5)
    exact, _ = probability_of_maximum(DirichletCells(np.log(np.full(3, 0.5)), counts * 1.0))
    np.testing.assert_allclose(found.probability, exact, atol=1e-10)
    np.testing.assert_array_equal(found.each, triples)
    np.testing.assert_allclose(cut.context_regions(triples, (0.5,) * 3), exact, atol=1e-10)


def test_datasets_that_say_nothing_change_nothing() -> None:
    triples = np.vstack([some_triples(5), np.full((30, 3), 1 / 3)])
    whole, part = (
        three.poisson_multinomial_joint_regions(triples),
        three.poisson_multinomial_joint_regions(triples[:5]),
    )
    np.testing.assert_allclose(whole.probability, part.probability, atol=1e-10)
    np.testing.assert_allclose(whole.each[:5], part.each, atol=1e-12)
    np.testing.assert_allclose(whole.each[7], part.mean, atol=1e-12)
    assert whole.log_evidence == pytest.approx(part.log_evidence - 30 * math.log(3), abs=1e-11)


def test_many_datasets_that_disagree_do_not_underflow() -> None:
    """Half for the left, half for the right, one after the other: a plain product is 1e-2400."""
    triples = np.repeat([[1 - 2e-12, 1e-12, 1e-12], [1e-12, 1e-12, 1 - 2e-12]], 200, axis=0)
    found = three.poisson_multinomial_joint_regions(triples)
    np.testing.assert_allclose(found.mean, np.array([201, 1, 201]) / 403, atol=1e-10)
    assert found.counts[200, 200] == pytest.approx(1.0, abs=1e-8)
    uniform = gammaln(3) - gammaln(403) + 2 * gammaln(201)
    assert found.log_evidence == pytest.approx(uniform, abs=1e-6)


def test_margins_are_the_counts_of_each_region() -> None:
    counts, _ = three.poisson_multinomial_posterior(some_triples(6), 1.5)
    margins = three.poisson_multinomial_margins(counts)
    oracle = EveryRegion(some_triples(6), 1.5)
    for region in range(3):
        for k in range(7):
            expected = sum(w for c, w in oracle.counts.items() if c[region] == k)
            assert margins[region, k] == pytest.approx(expected, abs=1e-13)


def test_draws() -> None:
    triples, b = some_triples(6), 1.5
    found = three.poisson_multinomial_joint_regions(triples, b)
    rng = np.random.default_rng(1)
    shares = three.draw_poisson_multinomial_shares(found.counts, 40_000, rng, b)
    regions = three.draw_poisson_multinomial_regions(triples, shares, rng)
    largest = shares.argmax(axis=1)
    for k in range(3):
        assert shares_near(largest == k, found.probability[k])
        assert near(shares[:, k], found.mean[k])
        for i in range(6):
            assert shares_near(regions[:, i] == k, found.each[i, k])
    # Two datasets' regions go together as the model says.
    oracle = EveryRegion(triples[[3, 4, 0, 1, 2, 5]], b)
    both = sum(
        w * (c[2] * (c[2] - 1)) for c, w in oracle.counts.items()
    )  # pairs of datasets on the right
    right = (regions == 2).sum(axis=1)
    assert near((right * (right - 1)).astype(float), both)
