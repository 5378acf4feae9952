"""Evidence, leave-one-out, questions about θ, draws and imprecise bounds, each by other means."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.dirichlet import posterior as dirichlet
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.posterior import (
    dirichlet_leave_one_out,
    dirichlet_log_evidence,
    dirichlet_log_theta,
    dirichlet_majority,
    dirichlet_pair_order,
    draw_dirichlet_latents,
    imprecise_dirichlet_bounds,
)
from tests.oracles import dirichlet as oracles

ALPHAS = [1e-300, 1e-12, 1 / 4096, 0.25, 0.5, 1.0, 7.5]


def cells_of(alpha: object, counts: object, **rest: float) -> DirichletCells:
    counts = np.asarray(counts, dtype=float)
    return DirichletCells(
        np.log(np.broadcast_to(np.asarray(alpha, float), counts.shape)), counts, **rest
    )


# ---------------------------------------------------------------------------------------- evidence


@given(
    st.lists(st.fractions(Fraction(1, 64), 5, max_denominator=64), min_size=2, max_size=5),
    st.lists(st.integers(0, 4), max_size=15),
)
def test_evidence_is_polyas_urn(alpha: list[Fraction], draws: list[int]) -> None:
    sequence = [k % len(alpha) for k in draws]
    counts = np.bincount(np.array(sequence, dtype=int), minlength=len(alpha))
    exact = math.log(oracles.urn(alpha, sequence))
    found = dirichlet_log_evidence(cells_of([float(a) for a in alpha], counts))
    assert found == pytest.approx(exact, abs=1e-11)


def test_evidence_of_example_1() -> None:
    # n = [1, 2, 3, 6] under α = ¼, one dataset after the other.
    sequence = [0] + [1] * 2 + [2] * 3 + [3] * 6
    exact = math.log(oracles.urn([Fraction(1, 4)] * 4, sequence))
    assert dirichlet_log_evidence(cells_of(0.25, [1, 2, 3, 6])) == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("counts", [[1.5, 0.5, 0, 3], [7 / 3, 1 / 6, 0, 0.5], [1e6, 2.5e5, 0, 1]])
def test_evidence_agrees_with_mpmath(alpha: float, counts: list[float]) -> None:
    exact = oracles.log_dirichlet_moment([alpha] * 4, counts)
    assert dirichlet_log_evidence(cells_of(alpha, counts)) == pytest.approx(
        exact, rel=1e-12, abs=1e-11
    )


def test_evidence_with_a_lump_is_that_of_all_cells_listed() -> None:
    lumped = cells_of(
        1 / 4096, [2, 1, 0.5, 0.5], rest_log_alpha=-math.log(4096), rest_log_size=math.log(4092)
    )
    listed = cells_of(1 / 4096, [2, 1, 0.5, 0.5] + [0] * 4092)
    assert dirichlet_log_evidence(lumped) == pytest.approx(
        dirichlet_log_evidence(listed), abs=1e-11
    )


@pytest.mark.parametrize("strength", [0.3, 1.0, 20.0])
def test_evidence_beyond_float_range(strength: float) -> None:
    # As K → ∞ a first visit to a statement costs s/K, and the rest is Ewens's formula.
    log_size, counts = 2000.0, [3.0, 1.0, 1.0]
    cells = cells_of(1.0, counts)
    log_alpha = math.log(strength) - log_size
    cells = DirichletCells(np.full(3, log_alpha), cells.counts, log_alpha, log_size)
    ewens = math.log(strength) * 3 + math.log(2) - sum(math.log(strength + i) for i in range(5))
    assert dirichlet_log_evidence(cells) == pytest.approx(ewens - 3 * log_size, rel=1e-13)


# ----------------------------------------------------------------------------------- leave one out

WEIGHTS = {
    "whole": [{0: 1.0}, {0: 1.0}, {1: 1.0}, {3: 1.0}],
    "halves": [{0: 0.5, 1: 0.5}, {1: 1.0}, {2: 0.5, 3: 0.5}, {1: 0.5, 3: 0.5}],
    "thirds": [{0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, {0: 1 / 6, 1: 5 / 6}, {0: 1 / 3, 3: 2 / 3}],
    "two": [{0: 1.0}, {1: 1.0}],
}


@pytest.mark.parametrize("alpha", [*ALPHAS, math.exp(-800)])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_leave_one_out_is_refitting(weights: list[dict[int, float]], alpha: float) -> None:
    log_alpha = math.log(alpha) if alpha > 0 else -800.0
    matrix = np.zeros((len(weights), 4))
    for i, row in enumerate(weights):
        for k, w in row.items():
            matrix[i, k] = w
    dataset, statement = np.nonzero(matrix)
    cells = DirichletCells(np.full(4, log_alpha), matrix.sum(axis=0))
    without, within = dirichlet_leave_one_out(cells, dataset, statement, matrix[dataset, statement])

    def evidence(rows: np.ndarray) -> float:
        return oracles.log_mixed_evidence([log_alpha] * 4, rows.sum(axis=0))

    for i in range(len(matrix)):
        others = np.delete(matrix, i, axis=0)
        twice = np.concatenate([matrix, matrix[i : i + 1]])
        assert without[i] == pytest.approx(evidence(matrix) - evidence(others), rel=1e-9, abs=1e-9)
        assert within[i] == pytest.approx(evidence(twice) - evidence(matrix), rel=1e-9, abs=1e-9)


def test_leave_one_out_of_whole_datasets_is_the_posterior_mean_of_the_others() -> None:
    counts = np.array([1.0, 2, 3, 6])
    statement = np.repeat(np.arange(4), [1, 2, 3, 6])
    without, within = dirichlet_leave_one_out(
        cells_of(0.25, counts), np.arange(12), statement, np.ones(12)
    )
    np.testing.assert_allclose(np.exp(without), (counts[statement] - 1 + 0.25) / 12, rtol=1e-12)
    np.testing.assert_allclose(np.exp(within), (counts[statement] + 0.25) / 13, rtol=1e-12)


# --------------------------------------------------------------------------------- questions on θ


def test_questions_of_example_1() -> None:
    assert dirichlet_pair_order(6.25, 1.25) == pytest.approx(0.979630, abs=5e-7)
    assert dirichlet_majority(6.25, 13.0) == pytest.approx(0.443050, abs=5e-7)


@pytest.mark.parametrize(("a", "b"), [(6.25, 1.25), (0.25, 0.25), (1e-3, 2.0), (50.0, 49.5)])
def test_pair_order_by_mpmath_scipy_and_monte_carlo(a: float, b: float) -> None:
    found = dirichlet_pair_order(a, b)
    assert found == pytest.approx(oracles.first_of_two(a, b), abs=1e-12)
    assert found == pytest.approx(stats.beta(a, b).sf(0.5), abs=1e-10)
    draws = oracles.log_dirichlet_draws(np.array([a, b, 3.0]), 40_000, np.random.default_rng(0))
    won = (draws[:, 0] > draws[:, 1]).mean()
    assert won == pytest.approx(found, abs=4 * math.sqrt(found * (1 - found) / 40_000) + 1e-4)


@pytest.mark.parametrize(("a", "total"), [(6.25, 13.0), (0.5, 2.0), (1e-3, 1.0), (900.0, 1000.0)])
def test_majority_by_scipy_and_monte_carlo(a: float, total: float) -> None:
    found = dirichlet_majority(a, total)
    assert found == pytest.approx(stats.beta(a, total - a).sf(0.5), rel=1e-9, abs=1e-12)
    shapes = np.array([a, (total - a) / 2, (total - a) / 2])
    logs = oracles.log_dirichlet_draws(shapes, 40_000, np.random.default_rng(1))
    most = (logs[:, 0] > np.logaddexp(logs[:, 1], logs[:, 2])).mean()
    assert most == pytest.approx(found, abs=4 * math.sqrt(found * (1 - found) / 40_000) + 1e-4)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_pair_order_mirrors(a: float, b: float) -> None:
    assert dirichlet_pair_order(a, b) + dirichlet_pair_order(b, a) == pytest.approx(1.0, abs=1e-12)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_majority_of_two_cells_is_their_order(a: float, b: float) -> None:
    assert dirichlet_majority(a, a + b) == pytest.approx(dirichlet_pair_order(a, b), abs=1e-8)


def test_cells_of_no_weight() -> None:
    assert dirichlet_pair_order(0.0, 0.0) == 0.5
    assert dirichlet_pair_order(1.0, 0.0) == 1.0
    assert dirichlet_pair_order(0.0, 1.0) == 0.0
    assert dirichlet_majority(3.0, 3.0) == 1.0
    assert dirichlet_majority(0.0, 3.0) == 0.0
    assert dirichlet_majority(3.0, math.inf) == 0.0


def test_the_beta_function_is_never_asked_about_a_cell_of_no_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # scipy 1.15 answers NaN, 1.18 the limit: only one of them is installed here.
    def betainc(a: float, b: float, x: float) -> float:
        return stats.beta(a, b).cdf(x) if a > 0 and b > 0 else math.nan

    monkeypatch.setattr(dirichlet, "betainc", betainc)
    test_cells_of_no_weight()


# ------------------------------------------------------------------------------------------- draws


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
    exact, _ = probability_of_maximum(DirichletCells(log_alpha, counts))
    won = np.bincount(top, minlength=size) / draws
    assert np.all(np.abs(won - exact) < 4 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws)


def test_the_argmax_of_the_priors_draws_is_uniform_at_tiny_alpha() -> None:
    size, draws = 8, 20_000
    log_alpha = np.full(size, -700.0)
    rng = np.random.default_rng(7)
    top = dirichlet_log_theta(
        log_alpha, *draw_dirichlet_latents(log_alpha, np.zeros(size), (draws,), rng)
    ).argmax(axis=-1)
    won = np.bincount(top, minlength=size)
    assert stats.chisquare(won).pvalue > 1e-4


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


@pytest.mark.parametrize("power", [0.5, 0.8, 1.25])
def test_raising_the_latents_prior_to_a_power_scales_the_strength(power: float) -> None:
    # psense raises the prior density to γ: with these latents θ becomes Dirichlet(γα).
    n, rng = 200_000, np.random.default_rng(9)
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


# --------------------------------------------------------------------------------- imprecise bounds


def brute_bounds(
    counts: np.ndarray, strength: float, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every prior mean on a grid of the 3-cell simplex, edges and vertices included."""
    found = []
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            mean = np.array([i, j, steps - i - j]) / steps
            with np.errstate(divide="ignore"):
                p, _ = probability_of_maximum(DirichletCells(np.log(strength * mean), counts))
            found.append(p)
    grid = np.array(found)
    return grid, grid.min(axis=0), grid.max(axis=0)


@pytest.mark.parametrize(
    ("counts", "strength"),
    [
        ([3.0, 2.0, 1.0], 1.0),
        ([4.0, 4.0, 0.0], 1.0),
        ([2.0, 0.0, 0.0], 2.0),
        ([2.5, 2.5, 2.5], 1.0),
        ([9.0, 1.5, 7.0], 4.0),
        ([0.5, 0.5, 1.0], 0.3),
        ([6.0, 6.0, 1.0], 3.0),
    ],
)
def test_imprecise_bounds_hold_every_prior_mean(counts: list[float], strength: float) -> None:
    n = np.array(counts)
    lower, upper = imprecise_dirichlet_bounds(n, strength, unlisted=False)
    grid, least, greatest = brute_bounds(n, strength, 20)
    assert np.all(grid >= lower - 1e-10)
    assert np.all(grid <= upper + 1e-10)
    # Vertices are on the grid, so the bounds are attained there.
    np.testing.assert_allclose(lower, least, atol=1e-10)
    np.testing.assert_allclose(upper, greatest, atol=1e-10)


def test_imprecise_bounds_with_an_unseen_vertex() -> None:
    counts = np.array([3.0, 1.0])
    lower, upper = imprecise_dirichlet_bounds(counts, 1.0, unlisted=True)
    three = imprecise_dirichlet_bounds(np.array([3.0, 1.0, 0.0]), 1.0, unlisted=False)
    np.testing.assert_allclose(lower, three[0][:2], atol=1e-12)
    np.testing.assert_allclose(upper, three[1][:2], atol=1e-12)
    # By hand: Gamma(3) against Gamma(2) and Gamma(4) against Gamma(1) are Betas.
    assert upper[0] == pytest.approx(oracles.first_of_two(4, 1), abs=1e-12)
    assert lower[0] == pytest.approx(oracles.first_of_two(3, 2), abs=1e-12)


def test_imprecise_bounds_of_the_only_statement_seen() -> None:
    # Its one rival is a statement never seen that is given the whole strength.
    lower, upper = imprecise_dirichlet_bounds(np.array([3.0]), 2.0, unlisted=True)
    assert lower.tolist() == pytest.approx([oracles.first_of_two(3, 2)], abs=1e-12)
    assert upper.tolist() == pytest.approx([1.0], abs=1e-12)


@given(st.lists(st.integers(0, 6).map(float), min_size=2, max_size=6), st.floats(0.1, 3.0))
def test_imprecise_bounds_contain_the_symmetric_prior(counts: list[float], strength: float) -> None:
    if sum(counts) < 1:
        return
    lower, upper = imprecise_dirichlet_bounds(np.array(counts), strength, unlisted=False)
    p, _ = probability_of_maximum(cells_of(strength / len(counts), counts))
    assert np.all(lower <= p + 1e-10)
    assert np.all(p <= upper + 1e-10)


@given(st.permutations(list(range(5))))
def test_imprecise_bounds_permute(order: list[int]) -> None:
    counts = np.array([3.0, 1.0, 1.0, 0.0, 2.5])
    lower, upper = imprecise_dirichlet_bounds(counts, 1.0, unlisted=True)
    again = imprecise_dirichlet_bounds(counts[order], 1.0, unlisted=True)
    np.testing.assert_allclose(again[0], lower[order], atol=1e-12)
    np.testing.assert_allclose(again[1], upper[order], atol=1e-12)
