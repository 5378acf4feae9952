"""Three statements, joint and cut: every assignment, quadrature, symmetries, draws, underflow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from bayescompare.kernels.context.correlated_t import draw_statements
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.partition import Partition
from bayescompare.prior import DirichletPrior
from tests.cases import few_quick
from tests.oracles import dirichlet as oracles
from tests.oracles.context import EveryRegion, near, regions_by_quadrature, shares_near
from tests.posterior.test_rows import evidence_of


def solved(
    triples: np.ndarray, alpha: float | tuple[float, ...] = 1.0, *, joint: bool = True
) -> DirichletMixture:
    shape = np.broadcast_to(np.asarray(alpha, dtype=float), 3)
    prior = DirichletPrior((Component(np.log(shape), Partition.trivial(3)),), np.zeros(1))
    with np.errstate(divide="ignore"):
        return DirichletMixture.of(evidence_of(np.log(triples)), prior, joint=joint)


def log_evidence(posterior: DirichletMixture) -> float:
    assert posterior.log_evidence is not None
    return posterior.log_evidence


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
def test_by_every_assignment(n: int, b: float) -> None:
    triples = some_triples(n)
    found, oracle = solved(triples, b), EveryRegion(triples, b)
    np.testing.assert_allclose(found.p_max()[:-1], oracle.probability, atol=1e-9)
    np.testing.assert_allclose(found.mean(), oracle.mean, atol=1e-12)
    np.testing.assert_allclose(found.per_dataset(), oracle.each, atol=1e-12)
    assert log_evidence(found) == pytest.approx(oracle.log_total, abs=1e-12)
    weights = dict(zip(map(tuple, found.counts.tolist()), found.weight[0], strict=True))
    for counts, weight in oracle.counts.items():
        assert weights.get(counts, 0.0) == pytest.approx(weight, rel=1e-10, abs=1e-12)
    without, _ = found.leave_one_out()
    for i in range(n):
        rest = np.delete(triples, i, axis=0)
        fewer = EveryRegion(rest, b).log_total if n > 1 else 0.0
        assert without[i] == pytest.approx(oracle.log_total - fewer, abs=1e-11)


@pytest.mark.parametrize("b", [1.0, 2.0])
def test_by_an_integral_over_the_triangle(b: float) -> None:
    """No counts, no urn: the posterior density of the shares itself."""
    triples = some_triples(7, seed=3)
    probability, evidence = regions_by_quadrature(triples, b)
    found = solved(triples, b)
    np.testing.assert_allclose(found.p_max()[:-1], probability, atol=1e-10)
    assert log_evidence(found) == pytest.approx(evidence, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [(0.5, 1.0, 2.0), (1.0, 1.0, 1.0)])
def test_the_cut_against_enumeration(alpha: tuple[float, float, float]) -> None:
    triples, total = np.random.default_rng(11).dirichlet([1.0, 0.5, 1.0], 3), np.zeros(3)
    for region in itertools.product(range(3), repeat=3):
        shapes = [a + region.count(j) for j, a in enumerate(alpha)]
        weight = math.prod(triples[i, j] for i, j in enumerate(region))
        total += weight * np.array(oracles.largest(shapes))
    found = solved(triples, alpha, joint=False)
    np.testing.assert_allclose(found.p_max()[:-1], total, atol=1e-9)


@settings(max_examples=25)
@given(rows, prior, st.integers(0, 100), st.booleans())
def test_sums_mirrors_and_orders(triples: np.ndarray, b: float, seed: int, joint: bool) -> None:
    found = solved(triples, b, joint=joint)
    for whole in (found.p_max(), found.mean(), found.weight):
        assert whole.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(found.per_dataset().sum(axis=1), 1.0, atol=1e-12)
    mirrored = solved(triples[:, ::-1], b, joint=joint)
    np.testing.assert_allclose(mirrored.p_max()[2::-1], found.p_max()[:-1], atol=1e-10)
    np.testing.assert_allclose(mirrored.per_dataset()[:, ::-1], found.per_dataset(), atol=1e-11)
    order = np.random.default_rng(seed).permutation(len(triples))
    mixed = solved(triples[order], b, joint=joint)
    np.testing.assert_allclose(mixed.per_dataset(), found.per_dataset()[order], atol=1e-11)
    for one, other in zip(mixed.leave_one_out(), found.leave_one_out(), strict=True):
        np.testing.assert_allclose(one, other[order], atol=1e-10)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("alpha", [(1.0, 1.0, 1.0), (3.0, 0.4, 1.0), (1e-3, 1e-3, 1e-3)])
@pytest.mark.parametrize("counts", [(1, 0, 0), (3, 0, 9), (40, 41, 39), (130, 0, 1)])
def test_certain_datasets_are_counts(
    counts: tuple[int, int, int], alpha: tuple[float, float, float], joint: bool
) -> None:
    triples = np.repeat(np.eye(3), counts, axis=0)
    found = solved(triples, alpha, joint=joint)
    exact = p_max(np.log(alpha), np.array([counts], dtype=float))[0]
    np.testing.assert_allclose(found.p_max(), exact, atol=1e-11)
    np.testing.assert_array_equal(found.per_dataset(), triples)


def test_many_datasets_that_disagree_do_not_underflow() -> None:
    """Half for the first, half for the last, one after the other: a plain product is 1e-2400."""
    triples = np.repeat([[1 - 2e-12, 1e-12, 1e-12], [1e-12, 1e-12, 1 - 2e-12]], 200, axis=0)
    found = solved(triples)
    np.testing.assert_allclose(found.mean(), np.array([201, 1, 201]) / 403, atol=1e-10)
    both = found.weight[0][(found.counts == [200, 0, 200]).all(axis=1)]
    assert both.sum() == pytest.approx(1.0, abs=1e-8)
    uniform = gammaln(3) - gammaln(403) + 2 * gammaln(201)
    assert log_evidence(found) == pytest.approx(uniform, abs=1e-6)


def test_the_cut_of_very_many_agreeing_datasets() -> None:
    """The urn's weight of what W says is e^−1000 there: W needs a recursion without an urn."""
    p = np.full(5000, 0.9)
    with np.errstate(divide="ignore"):
        cut = DirichletMixture.of(
            evidence_of(np.log(np.stack([p, 1 - p], axis=1))),
            DirichletPrior.symmetric(1.0, 2),
            joint=False,
        )
    assert cut.mean()[0] == pytest.approx((1 + 4500) / 5002, abs=1e-10)
    assert cut.p_max()[0] == pytest.approx(1.0, abs=1e-12)


def test_draws() -> None:
    triples, b = some_triples(6), 1.5
    found, rng = solved(triples, b), np.random.default_rng(1)
    shares = np.exp(found.draw(40_000, rng))[:, :-1]
    statements = draw_statements(triples, shares, rng)
    p, mean, each = found.p_max(), found.mean(), found.per_dataset()
    for k in range(3):
        assert shares_near(shares.argmax(axis=1) == k, p[k])
        assert near(shares[:, k], mean[k])
        for i in range(6):
            assert shares_near(statements[:, i] == k, each[i, k])
    # Two datasets' statements go together as the model says.
    oracle = EveryRegion(triples[[3, 4, 0, 1, 2, 5]], b)
    both = sum(w * (c[2] * (c[2] - 1)) for c, w in oracle.counts.items())
    last = (statements == 2).sum(axis=1)
    assert near((last * (last - 1)).astype(float), both)
