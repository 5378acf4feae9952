"""Draws by moments and distributions; Pólya's urn by the probability of every sequence."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.dirichlet.draws import (
    dirichlet_log_theta,
    draw_dirichlet_latents,
    draw_urn_cells,
    polya_urn,
)
from bayescompare.kernels.dirichlet.pmax import p_max
from tests.oracles.dirichlet import urn


@pytest.mark.parametrize("alpha", [1 / 4096, 0.25, 1.0])
@pytest.mark.parametrize("counts", [[0.0, 0, 0, 0], [6.0, 3, 2.5, 0.5]], ids=["prior", "posterior"])
def test_draws_have_the_dirichlets_moments(alpha: float, counts: list[float]) -> None:
    n, rng = 60_000, np.random.default_rng(5)
    log_alpha = np.full(4, math.log(alpha))
    theta = np.exp(
        dirichlet_log_theta(
            log_alpha, *draw_dirichlet_latents(log_alpha, np.array(counts), (n,), rng)
        )
    )
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, atol=1e-12)
    shape = alpha + np.array(counts)
    total = shape.sum()
    mean = shape / total
    variance = mean * (1 - mean) / (total + 1)
    assert np.all(np.abs(theta.mean(axis=0) - mean) < 4 * np.sqrt(variance / n) + 1e-12)
    # E θ_i θ_j, i ≠ j.
    for i, j in ((0, 1), (1, 3), (2, 3)):
        product = theta[:, i] * theta[:, j]
        exact = shape[i] * shape[j] / (total * (total + 1))
        assert product.mean() == pytest.approx(exact, abs=4 * product.std() / math.sqrt(n) + 1e-9)
    squares = theta**2
    exact = shape * (shape + 1) / (total * (total + 1))
    assert np.all(np.abs(squares.mean(axis=0) - exact) < 4 * squares.std(axis=0) / math.sqrt(n))


@pytest.mark.slow
def test_the_argmax_of_draws_at_small_alpha_is_unbiased() -> None:
    # Plain gamma draws at α = 1/4096 are 0 more often than not, and argmax then names the first.
    size, draws = 64, 40_000
    log_alpha, counts = np.full(size, -math.log(4096)), np.zeros(size)
    counts[[10, 20]] = [1.0, 0.5]
    rng = np.random.default_rng(6)
    top = dirichlet_log_theta(
        log_alpha, *draw_dirichlet_latents(log_alpha, counts, (draws,), rng)
    ).argmax(axis=-1)
    exact = p_max(log_alpha, counts[None])[0, :-1]
    won = np.bincount(top, minlength=size) / draws
    assert np.all(np.abs(won - exact) < 4 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws)


def test_latents_have_their_stated_distributions() -> None:
    log_alpha, counts = np.log([0.2, 3.0]), np.array([0.0, 4.0])
    gamma, exponential = draw_dirichlet_latents(
        log_alpha, counts, (20_000,), np.random.default_rng(8)
    )
    alpha = np.exp(log_alpha)
    for k in range(2):
        assert stats.kstest(gamma[:, k], stats.gamma(alpha[k] + counts[k] + 1).cdf).pvalue > 1e-4
        rate = 1 + counts[k] / alpha[k]
        assert stats.kstest(exponential[:, k], stats.expon(scale=1 / rate).cdf).pvalue > 1e-4


def test_raising_the_latents_prior_to_a_power_scales_the_strength() -> None:
    # psense raises the prior density to γ: with these latents θ becomes Dirichlet(γα).
    power, n, rng = 0.8, 200_000, np.random.default_rng(9)
    alpha = np.array([0.6, 1.5, 0.9])
    gamma, exponential = draw_dirichlet_latents(np.log(alpha), np.zeros(3), (n,), rng)
    theta = np.exp(dirichlet_log_theta(np.log(alpha), gamma, exponential))
    logs = stats.gamma(alpha + 1).logpdf(gamma) - exponential
    log_weight = (power - 1) * logs.sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    effective = 1 / (weight**2).sum()
    assert effective > 1000
    scaled = power * alpha
    mean, total = scaled / scaled.sum(), scaled.sum()
    error = np.sqrt(mean * (1 - mean) / (total + 1) / effective)
    assert np.all(np.abs(weight @ theta - mean) < 4 * error)
    second = mean * (scaled + 1) / (total + 1)
    spread = np.sqrt(weight @ theta**4 - second**2)
    assert np.all(np.abs(weight @ theta**2 - second) < 5 * spread / math.sqrt(effective))
    # And not Dirichlet(α), so that the check can fail.
    plain = alpha / alpha.sum() * (alpha + 1) / (alpha.sum() + 1)
    assert np.any(np.abs(weight @ theta**2 - plain) > 5 * spread / math.sqrt(effective))


# Pólya's urn --------------------------------------------------------------------------------------

SIZE = 40_000


def shares(rows: np.ndarray) -> dict[tuple[int, ...], float]:
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return {tuple(map(int, row)): n / len(rows) for row, n in zip(distinct, counts, strict=True)}


def within_four_errors(found: float, expected: float) -> bool:
    return abs(found - expected) <= 4 * math.sqrt(expected * (1 - expected) / SIZE)


def test_every_sequence_is_as_frequent_as_polya_says() -> None:
    alpha, counts = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 3)], [2, 0, 1]
    cells = np.log([float(a) for a in alpha]), np.array(counts, dtype=float)
    cell, source = polya_urn(*cells, SIZE, 3, np.random.default_rng(1))
    found = shares(np.take_along_axis(cell, source, axis=1))
    shape = [a + n for a, n in zip(alpha, counts, strict=True)]
    for sequence in itertools.product(range(3), repeat=3):
        assert within_four_errors(found.get(sequence, 0.0), float(urn(shape, sequence)))


def test_unlisted_cells_repeat_as_often_as_polya_says() -> None:
    """One listed cell and a lump of three: which of them are the same is all that is known."""
    alpha = Fraction(1, 4)
    rng = np.random.default_rng(2)
    cell, source = polya_urn(np.log([0.25]), np.array([1.0]), SIZE, 2, rng, math.log(0.75))
    first = np.take_along_axis(cell, source, axis=1)
    both = (first == 1).all(axis=1)
    repeats = both & (source[:, 1] == 0)
    shape = [alpha + 1, alpha, alpha, alpha]
    # The second is a copy of the first, or another draw that falls among the lump.
    pairs = itertools.product((1, 2, 3), repeat=2)
    assert within_four_errors(both.mean(), float(sum(urn(shape, pair) for pair in pairs)))
    copied = float(3 * alpha / sum(shape) * 1 / (sum(shape) + 1))
    assert within_four_errors(repeats.mean(), copied)


@given(
    st.lists(st.floats(1e-300, 1e6), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_a_source_is_an_earlier_one_that_repeats_none(
    alpha: list[float], number: int, seed: int, lump: bool
) -> None:
    counts = np.arange(len(alpha), dtype=float)
    rest = math.log(0.05) if lump else -math.inf
    rng = np.random.default_rng(seed)
    cell, source = polya_urn(np.log(alpha), counts, 7, number, rng, rest)
    assert cell.shape == source.shape == (7, number)
    assert ((cell >= 0) & (cell < len(alpha) + lump)).all()
    assert (source <= np.arange(number)).all()
    assert (np.take_along_axis(source, source, axis=1) == source).all()


def test_a_prior_beyond_the_float_range_outweighs_the_data() -> None:
    rng = np.random.default_rng(0)
    cell, source = polya_urn(np.zeros(2), np.array([3.0, 1.0]), 50, 4, rng, 2000.0)
    assert (cell == 2).all()
    assert (source == np.arange(4)).all()


@pytest.mark.parametrize("number", [1, 4])
def test_cells_are_drawn_by_their_weights(number: int) -> None:
    weights = np.tile([2.0, 0.0, 6.0], (SIZE, 1))
    cell = draw_urn_cells(weights, number, np.random.default_rng(3))
    assert cell.shape == (SIZE, number)
    assert set(np.unique(cell)) == {0, 2}
    assert within_four_errors((cell[:, -1] == 0).mean(), 0.25)
