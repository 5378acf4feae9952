"""One Dirichlet: evidence, leave-one-out, majority, and lumps against the same cells listed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.outcome.posterior import grown_by_urn
from bayescompare.posterior.component import Component
from bayescompare.posterior.rows import log_urn_change
from tests.oracles import dirichlet as oracles

ALPHAS = [1e-300, 1e-12, 1 / 4096, 0.25, 0.5, 1.0, 7.5]


def log_evidence(alpha: object, counts: object, *lumps: tuple[float, float]) -> float:
    counts = np.asarray(counts, dtype=float)
    alpha = np.broadcast_to(np.asarray(alpha, float), counts.shape)
    return float(Component.listed(np.log(alpha), *lumps).log_urn(counts[None])[0])


# evidence -----------------------------------------------------------------------------------------


@given(
    st.lists(st.fractions(Fraction(1, 64), 5, max_denominator=64), min_size=2, max_size=5),
    st.lists(st.integers(0, 4), max_size=15),
)
def test_evidence_is_polyas_urn(alpha: list[Fraction], draws: list[int]) -> None:
    sequence = [k % len(alpha) for k in draws]
    counts = np.bincount(np.array(sequence, dtype=int), minlength=len(alpha))
    exact = math.log(oracles.urn(alpha, sequence))
    assert log_evidence([float(a) for a in alpha], counts) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("counts", [[1.5, 0.5, 0, 3], [7 / 3, 1 / 6, 0, 0.5], [1e6, 2.5e5, 0, 1]])
def test_evidence_agrees_with_mpmath(alpha: float, counts: list[float]) -> None:
    exact = oracles.log_dirichlet_moment([alpha] * 4, counts)
    assert log_evidence(alpha, counts) == pytest.approx(exact, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("strength", [0.3, 1.0, 20.0])
def test_evidence_beyond_float_range(strength: float) -> None:
    # As K → ∞ a first visit to a statement costs s/K, and the rest is Ewens's formula.
    log_size, counts = 2000.0, np.array([[3.0, 1.0, 1.0]])
    log_alpha = math.log(strength) - log_size
    prior = Component.listed(np.full(3, log_alpha), (log_alpha, log_size))
    ewens = math.log(strength) * 3 + math.log(2) - sum(math.log(strength + i) for i in range(5))
    assert prior.log_urn(counts)[0] == pytest.approx(ewens - 3 * log_size, rel=1e-13)


# leave one out ------------------------------------------------------------------------------------

WEIGHTS = {
    "whole": [{0: 1.0}, {0: 1.0}, {1: 1.0}, {3: 1.0}],
    "halves": [{0: 0.5, 1: 0.5}, {1: 1.0}, {2: 0.5, 3: 0.5}, {1: 0.5, 3: 0.5}],
    "thirds": [{0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, {0: 1 / 6, 1: 5 / 6}, {0: 1 / 3, 3: 2 / 3}],
    "two": [{0: 1.0}, {1: 1.0}],
}


@pytest.mark.parametrize("log_alpha", [*map(math.log, ALPHAS), -800.0])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_leave_one_out_is_refitting(weights: list[dict[int, float]], log_alpha: float) -> None:
    matrix = np.zeros((len(weights), 4))
    for i, row in enumerate(weights):
        matrix[i, list(row)] = list(row.values())
    entries = *np.nonzero(matrix), matrix[matrix > 0]
    prior, counts = Component.listed(np.full(4, log_alpha)), matrix.sum(axis=0)[None]
    less, more = (log_urn_change(prior, counts, *entries, sign, len(matrix))[0] for sign in (-1, 1))

    def evidence(rows: np.ndarray) -> float:
        return oracles.log_mixed_evidence([log_alpha] * 4, rows.sum(axis=0))

    for i in range(len(matrix)):
        others = np.delete(matrix, i, axis=0)
        twice = np.concatenate([matrix, matrix[i : i + 1]])
        assert -less[i] == pytest.approx(evidence(matrix) - evidence(others), rel=1e-9, abs=1e-9)
        assert more[i] == pytest.approx(evidence(twice) - evidence(matrix), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("a", "total"), [(6.25, 13.0), (0.5, 2.0), (1e-3, 1.0), (900.0, 1000.0)])
def test_majority_by_scipy_and_monte_carlo(a: float, total: float) -> None:
    shapes = np.array([a, (total - a) / 2, (total - a) / 2])
    betas = Component.listed(np.log(shapes)).betas(0, np.zeros((1, 3)), np.ones(1))
    found = betas.above(0.5)
    assert found == pytest.approx(stats.beta(a, total - a).sf(0.5), rel=1e-9, abs=1e-12)
    logs = oracles.log_dirichlet_draws(shapes, 40_000, np.random.default_rng(1))
    most = (logs[:, 0] > np.logaddexp(logs[:, 1], logs[:, 2])).mean()
    assert most == pytest.approx(found, abs=4 * math.sqrt(found * (1 - found) / 40_000) + 1e-4)


# lumps --------------------------------------------------------------------------------------------

lumps_of = st.lists(
    st.tuples(st.floats(0.01, 5.0), st.integers(1, 20)),
    min_size=1,
    max_size=4,
    unique_by=lambda x: x[0],
)


def both(alpha: list[float], lumps: list[tuple[float, int]]) -> tuple[Component, Component]:
    every = [*alpha, *(a for a, n in lumps for _ in range(n))]
    lumped = Component.listed(np.log(alpha), *((math.log(a), math.log(n)) for a, n in lumps))
    return lumped, Component.listed(np.log(every))


@given(lumps_of, st.lists(st.floats(0.05, 9.0), min_size=2, max_size=3), st.floats(0.2, 4.0))
def test_lumps_are_cells(lumps: list[tuple[float, int]], alpha: list[float], power: float) -> None:
    lumped, listed = (prior.raised(power) for prior in both(alpha, lumps))
    counts = np.array([[2.0, 0.0, 5.0][: len(alpha)]])
    padded = np.pad(counts, ((0, 0), (0, len(listed.alpha) - len(alpha))))
    (few,), (every,) = lumped.p_max(counts), listed.p_max(padded)
    np.testing.assert_allclose(few[:-1], every[: len(alpha)], atol=1e-10)
    assert few[-1] == pytest.approx(every[len(alpha) :].sum(), abs=1e-10)
    assert every[-1] == 0.0
    assert lumped.total == pytest.approx(listed.total)
    assert lumped.total == pytest.approx(power * (sum(alpha) + sum(a * n for a, n in lumps)))
    assert lumped.log_urn(counts)[0] == pytest.approx(listed.log_urn(padded)[0], abs=1e-10)


def test_the_urn_draws_from_each_lump_by_its_mass() -> None:
    prior, _ = both([1.0], [(0.5, 4), (0.01, 100), (2.0, 1)])
    rng = np.random.default_rng(1)
    first = [grown_by_urn(prior, np.zeros(1), 1, rng) for _ in range(3000)]
    new = [float(after.alpha[-1]) for after, _ in first]
    for alpha, mass in ((1.0, 1.0), (0.5, 2.0), (0.01, 1.0), (2.0, 2.0)):
        share = np.mean(np.isclose(new, alpha))
        assert share == pytest.approx(mass / 6.0, abs=4 * math.sqrt(0.25 / 3000))
    # One fewer is left, and of the single cell none.
    for after, counts in first[:50]:
        assert after.total + counts.sum() == pytest.approx(7.0)
        assert len(counts) + round(sum(math.exp(n) for _, n in after.lumps)) == 106
