"""P(θ_i is the largest): the paper, mpmath, Monte Carlo, limits, symmetries, prior bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.dirichlet import integral, pmax
from bayescompare.kernels.dirichlet.integral import beta_exceeds
from bayescompare.kernels.dirichlet.pmax import imprecise_bounds
from tests.oracles import dirichlet as oracles

#: ∫ exp(−x − E₁(x)) dx, the Golomb–Dickman constant: one dataset among countless statements.
GOLOMB_DICKMAN = 0.62432998854355087


def p_max(alpha: object, counts: object, *lumps: tuple[float, float]) -> tuple[np.ndarray, float]:
    """Of one vector; lumps are logarithms of α and of a number of cells."""
    counts = np.asarray(counts, dtype=float)
    with np.errstate(divide="ignore"):
        log_alpha = np.log(np.broadcast_to(np.asarray(alpha, dtype=float), counts.shape))
    return log_p_max(log_alpha, counts, *lumps)


def log_p_max(
    log_alpha: object, counts: object, *lumps: tuple[float, float]
) -> tuple[np.ndarray, float]:
    counts = np.asarray(counts, dtype=float)
    log_alpha = np.broadcast_to(np.asarray(log_alpha, dtype=float), counts.shape)
    found = pmax.p_max(log_alpha, counts[None], lumps)[0]
    return found[:-1], float(found[-1])


# ----------------------------------------------------------------------------------- the published


def test_example_3_of_the_paper() -> None:
    found, rest = p_max(0.25, [1, 2, 3, 6])
    exact = [0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235]
    assert found.round(12).tolist() == exact
    assert rest == 0.0
    # The paper's own figures are Monte Carlo with 150,000 draws.
    assert found[3] == pytest.approx(0.796, abs=4 * math.sqrt(0.8 * 0.2 / 150_000))


def test_one_dataset_among_countless_statements() -> None:
    for log_size in (math.log(4.3e27), 500.0, 800.0, 2000.0):
        (found,), rest = log_p_max(-log_size, [1.0], (-log_size, log_size))
        assert round(found, 4) == 0.6243
        assert found == pytest.approx(GOLOMB_DICKMAN, abs=1e-11)
        assert rest == pytest.approx(1 - GOLOMB_DICKMAN, abs=1e-11)


# --------------------------------------------------------------------------------- the independent


#: Long left tails, narrow peaks, many cells, and rules whose errors cancel in the sum.
AWKWARD = {
    # The errors of a 60-node rule were 9.5e-9 for every cell and summed to nothing.
    "errors that cancel": [7 / 6] * 3 + [1 / 6] * 3,
    "two, one observed": [1.5, 0.5],
    "no data": [0.5, 0.5],
    "hardly any prior": [1 + 1e-3, 1e-3, 1e-3],
    "tiny": [1 + 1e-9, 0.5 + 1e-9, 1e-9],
    "large beside small": [5e3, 4.9e3, 2.0, 1e-4],
    "ten": [0.05 + k for k in range(10)],
    "equal and large": [400.25] * 5,
    "one of many": [1 + 1 / 64, 1 / 64, 1 / 64, 1 / 64],
    "unequal prior": [1e-3, 0.7, 2.5, 30.0],
    "fractions": [9.5 + 1 / 3, 4.25, 17.0 + 2 / 3],
}


@pytest.mark.parametrize("shapes", AWKWARD.values(), ids=AWKWARD.keys())
def test_agrees_with_mpmath(shapes: list[float]) -> None:
    found, _ = p_max(shapes, np.zeros(len(shapes)))
    np.testing.assert_allclose(found, oracles.largest(shapes), rtol=0, atol=1e-12)


@pytest.mark.parametrize("a", [0.1, 1.0, 6.25, 99.5, 1e5, 1e9])
def test_two_cells_are_a_regularised_incomplete_beta(a: float) -> None:
    for z in (0.0, 0.4, 1.5, 3.0):
        b = max(a - z * math.sqrt(2 * a), a / 3)
        found, _ = p_max([a, b], [0.0, 0.0])
        exact = oracles.first_of_two(a, b) if a < 5e3 else oracles.first_of_two_large(a, b)
        assert found[0] == pytest.approx(exact, abs=1e-10)
        assert found[1] == pytest.approx(1 - exact, abs=1e-10)


@pytest.mark.parametrize(
    "shapes",
    [[1e4, 9900.5, 9850.25], [1e6, 1e6 - 700, 1e6 - 2500], [1e9, 1e9 - 3e4, 1e9 - 9e4]],
    ids=["1e4", "1e6", "1e9"],
)
def test_three_cells_of_large_counts(shapes: list[float]) -> None:
    found, _ = p_max(0.5, np.array(shapes) - 0.5)
    np.testing.assert_allclose(found, oracles.largest_of_large(shapes), rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "counts"),
    [
        (1 / 64, [5, 3, 3, 1] + [0] * 60),
        (1 / 216, [2, 2, 1.5, 0.5, 1] + [0] * 211),
        (0.5, [4, 1, 0, 0, 0, 0, 0, 2.5]),
        (1.0, [10, 9, 8, 0]),
    ],
    ids=["K=64", "K=216", "jeffreys", "uniform"],
)
def test_agrees_with_monte_carlo(alpha: float, counts: list[float]) -> None:
    draws, rng = 40_000, np.random.default_rng(3)
    logs = oracles.log_dirichlet_draws(np.array(counts) + alpha, draws, rng)
    won = np.bincount(logs.argmax(axis=1), minlength=len(counts)) / draws
    found, _ = p_max(alpha, counts)
    error = np.sqrt(found * (1 - found) / draws) + 1 / draws
    assert np.all(np.abs(won - found) < 4 * error)


# ------------------------------------------------------------------------------------------ a lump


@pytest.mark.parametrize("alpha", [1 / 256, 0.5, 1.0])
@pytest.mark.parametrize("counts", [[3, 1, 1], [1.0], [40, 39.5, 0.25, 7]], ids=str)
def test_a_lump_is_the_same_cells_listed(alpha: float, counts: list[float]) -> None:
    size = 256
    listed, none = p_max(alpha, counts + [0.0] * (size - len(counts)))
    lumped, rest = p_max(alpha, counts, (math.log(alpha), math.log(size - len(counts))))
    np.testing.assert_allclose(lumped, listed[: len(counts)], rtol=0, atol=1e-12)
    assert rest == pytest.approx(listed[len(counts) :].sum(), abs=1e-12)
    assert none == 0.0


@pytest.mark.parametrize("size", [5_000, 10**9])
def test_a_lump_of_very_many(size: int) -> None:
    counts = [3.0, 1.0, 0.5]
    log_alpha = -math.log(size)
    lumped, rest = log_p_max(log_alpha, counts, (log_alpha, math.log(size - 3)))
    exact, unseen = oracles.largest_with_countless(counts, 1.0)
    # The limit K → ∞ is approached like 1/K.
    np.testing.assert_allclose(lumped, exact, rtol=0, atol=3 / size)
    assert rest == pytest.approx(unseen, abs=3 / size)
    if size < 10**6:
        listed, _ = p_max(1 / size, counts + [0.0] * (size - 3))
        np.testing.assert_allclose(lumped, listed[:3], rtol=0, atol=1e-12)
        assert rest == pytest.approx(listed[3:].sum(), abs=1e-12)


def test_a_lump_of_another_alpha_is_the_same_cells_listed() -> None:
    listed, _ = p_max([2.0, 0.1, *[0.03] * 50], [0.0, 4.0, *[0.0] * 50])
    lumped, rest = p_max([2.0, 0.1], [0.0, 4.0], (math.log(0.03), math.log(50)))
    np.testing.assert_allclose(lumped, listed[:2], rtol=0, atol=1e-12)
    assert rest == pytest.approx(listed[2:].sum(), abs=1e-12)


@pytest.mark.parametrize("strength", [0.1, 3.0])
@pytest.mark.parametrize("counts", [[1.0], [6.0, 3.0, 2.5, 0.5]], ids=str)
def test_beyond_float_range_is_the_limit(counts: list[float], strength: float) -> None:
    exact, unseen = oracles.largest_with_countless(counts, strength)
    for log_size in (660.0, 672.0, 2000.0):
        log_alpha = math.log(strength) - log_size
        found, rest = log_p_max(log_alpha, counts, (log_alpha, log_size))
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-10)
        assert rest == pytest.approx(unseen, abs=1e-10)


@pytest.mark.parametrize("size", [1e12, 1e40, 1e286, 1e289])
def test_a_weak_lump_is_right_in_its_far_tail(size: float) -> None:
    # With strength 0.1 much of the lump is below x = e^-20: there log F = a (log x + γ), and γ
    # was lost.
    log_alpha = math.log(0.1 / size)
    found, rest = log_p_max(log_alpha, [0.05], (log_alpha, math.log(size)))
    exact, unseen = oracles.largest_with_countless([0.05], 0.1)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-10)
    assert rest == pytest.approx(unseen, abs=1e-10)


@pytest.mark.parametrize("log_alpha", [math.log(0.5), 0.0])
@pytest.mark.parametrize("log_size", [30.0, 300.0, 831.0])
def test_a_flat_prior_over_countless_statements_swamps_the_data(
    log_alpha: float, log_size: float
) -> None:
    # The largest of M unseen Gamma(α) is about log M, which 12 datasets reach only at small M.
    found, rest = log_p_max(log_alpha, [9.0, 2.0, 1.0], (log_alpha, log_size))
    assert found.sum() + rest == pytest.approx(1.0, abs=1e-11)
    if log_size > 100:
        assert rest > 1 - 1e-12


# ---------------------------------------------------------------------------------- the properties

SHARES = st.one_of(
    st.integers(0, 40).map(float),
    st.integers(0, 120).map(lambda n: n / 2),
    st.integers(0, 120).map(lambda n: n / 3),
    st.sampled_from([0.0, 1e-6, 1e4, 1e6, 1e9]),
    st.floats(0.0, 1e5),
)
COUNTS = st.lists(SHARES, min_size=1, max_size=8).filter(lambda n: sum(n) >= 1.0)
ALPHA = st.one_of(st.sampled_from([1e-300, 1e-12, 1 / 64, 0.5, 1.0, 50.0]), st.floats(1e-9, 20.0))
LOG_SIZE = st.one_of(st.just(-math.inf), st.floats(0.0, 690.0))


@given(COUNTS, ALPHA, LOG_SIZE)
@settings(max_examples=100)
def test_probabilities_sum_to_one(counts: list[float], alpha: float, log_size: float) -> None:
    lumps = [(math.log(alpha), log_size)] if log_size > -math.inf else []
    found, rest = p_max(alpha, counts, *lumps)
    assert np.all((found >= 0.0) & (found <= 1.0 + 1e-11))
    assert 0.0 <= rest <= 1.0 + 1e-11
    assert found.sum() + rest == pytest.approx(1.0, abs=1e-11)


@given(
    st.lists(st.integers(0, 60).map(lambda n: n / 2), min_size=2, max_size=6),
    st.floats(0.1, 3.0),
)
def test_every_cell_agrees_with_a_dense_rule(counts: list[float], alpha: float) -> None:
    found, _ = p_max(alpha, counts)
    exact = oracles.largest_by_dense_rule(np.array(counts) + alpha)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-11)


def test_rules_that_never_agree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # A thousand unseen cells of α = 1 need more than the first rules.
    monkeypatch.setattr(integral, "AGREE", 1e-17)
    monkeypatch.setattr(integral, "FINEST", 128)
    for counts in (np.array([[9.0, 2.0]]), np.array([[9.0, 2.0], [3.0, 1.0]])):
        with pytest.raises(ArithmeticError, match="did not settle"):
            pmax.p_max(np.zeros(2), counts, [(0.0, 30.0)])


@given(
    st.lists(st.lists(SHARES, min_size=3, max_size=3), min_size=2, max_size=5), ALPHA, st.booleans()
)
def test_many_vectors_are_each_by_itself(
    counts: list[tuple[float, ...]], alpha: float, lump: bool
) -> None:
    log_alpha, lumps = np.full(3, math.log(alpha)), [(math.log(alpha), 3.0)] if lump else []
    together = pmax.p_max(log_alpha, np.array(counts), lumps)
    for row, own in zip(together, counts, strict=True):
        np.testing.assert_allclose(
            row, pmax.p_max(log_alpha, np.array([own]), lumps)[0], atol=2e-11
        )


@given(COUNTS, ALPHA, st.floats(0.1, 10.0))
def test_symmetric_priors_of_any_strength_sum_to_one(
    counts: list[float], alpha: float, strength: float
) -> None:
    log_alpha = math.log(strength) - 2000.0 * alpha / (1.0 + alpha)
    found, rest = log_p_max(log_alpha, counts, (log_alpha, -log_alpha))
    assert found.sum() + rest == pytest.approx(1.0, abs=1e-11)


@given(COUNTS, ALPHA, st.randoms(use_true_random=False))
def test_permuting_the_cells_permutes_the_answer(
    counts: list[float], alpha: float, random: object
) -> None:
    order = list(range(len(counts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight, _ = p_max(alpha, counts)
    permuted, _ = p_max(alpha, [counts[k] for k in order])
    np.testing.assert_allclose(permuted, straight[order], rtol=0, atol=1e-12)


@given(COUNTS, ALPHA)
def test_a_larger_count_has_a_larger_probability(counts: list[float], alpha: float) -> None:
    found, _ = p_max(alpha, counts)
    order = np.argsort(counts, kind="stable")
    assert np.all(np.diff(found[order]) >= -1e-11)


@pytest.mark.parametrize("alpha", [1.0, 1 / 64, 1e-2, 1e-3, 1e-6, 1e-16, 1e-30, 1e-250])
@pytest.mark.parametrize("size", [2, 4])
def test_before_any_data_all_cells_are_equal(alpha: float, size: int) -> None:
    # A prior much weaker than one dataset: the largest of all is still a tiny number.
    found, _ = p_max(alpha, np.zeros(size))
    np.testing.assert_allclose(found, 1.0 / size, rtol=0, atol=1e-10)


def test_an_impossible_cell_is_never_the_largest() -> None:
    found, _ = p_max([0.0, 1.0, 0.0], [0.0, 1.0, 2.0])
    assert found == pytest.approx([0.0, 0.5, 0.5], abs=1e-12)
    # Nor where x underflows.
    found, _ = p_max([0.0, 1e-3, 0.0, 1e-3], np.zeros(4))
    assert found == pytest.approx([0.0, 0.5, 0.0, 0.5], abs=1e-12)


def test_very_many_distinct_counts() -> None:
    counts = np.linspace(0.5, 40.0, 3000)
    found, _ = p_max(1e-3, counts)
    assert found.sum() == pytest.approx(1.0, abs=1e-11)
    assert np.all(np.diff(found) > 0)


# ------------------------------------------------------------------------------ one exceeds another


def exceeds(a: float, b: float, share: float = 0.5) -> float:
    return float(beta_exceeds(np.array([a]), np.array([b]), share)[0])


@pytest.mark.parametrize(("a", "b"), [(6.25, 1.25), (0.25, 0.25), (1e-3, 2.0), (50.0, 49.5)])
def test_that_one_cell_exceeds_another_by_mpmath_scipy_and_monte_carlo(a: float, b: float) -> None:
    found = exceeds(a, b)
    assert found == pytest.approx(oracles.first_of_two(a, b), abs=1e-12)
    assert found == pytest.approx(stats.beta(a, b).sf(0.5), abs=1e-10)
    assert exceeds(a, b, 0.8) == pytest.approx(stats.beta(a, b).sf(0.2), abs=1e-10)
    draws = oracles.log_dirichlet_draws(np.array([a, b, 3.0]), 40_000, np.random.default_rng(0))
    won = (draws[:, 0] > draws[:, 1]).mean()
    assert won == pytest.approx(found, abs=4 * math.sqrt(found * (1 - found) / 40_000) + 1e-4)


def test_the_beta_function_is_never_asked_about_a_cell_of_no_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # scipy 1.15 answers NaN, 1.18 the limit: only one of them is installed here.
    def betainc(a: np.ndarray, b: np.ndarray, x: float) -> np.ndarray:
        return np.where((a > 0) & (b > 0), stats.beta(a, b).cdf(x), math.nan)

    monkeypatch.setattr(integral, "betainc", betainc)
    assert (exceeds(0.0, 0.0), exceeds(1.0, 0.0), exceeds(0.0, 1.0)) == (0.5, 1.0, 0.0)


# --------------------------------------------------------------------------------- imprecise bounds


def brute_bounds(
    counts: np.ndarray, strength: float, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every prior mean on a grid of the 3-cell simplex, edges and vertices included."""
    found = []
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            mean = np.array([i, j, steps - i - j]) / steps
            found.append(p_max(strength * mean, counts)[0])
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
    lower, upper = imprecise_bounds(n, strength, unlisted=False)
    grid, least, greatest = brute_bounds(n, strength, 20)
    assert np.all(grid >= lower - 1e-10)
    assert np.all(grid <= upper + 1e-10)
    # Vertices are on the grid, so the bounds are attained there.
    np.testing.assert_allclose(lower, least, atol=1e-10)
    np.testing.assert_allclose(upper, greatest, atol=1e-10)


def test_imprecise_bounds_with_an_unseen_vertex() -> None:
    counts = np.array([3.0, 1.0])
    lower, upper = imprecise_bounds(counts, 1.0, unlisted=True)
    three = imprecise_bounds(np.array([3.0, 1.0, 0.0]), 1.0, unlisted=False)
    np.testing.assert_allclose(lower, three[0][:2], atol=1e-12)
    np.testing.assert_allclose(upper, three[1][:2], atol=1e-12)
    # By hand: Gamma(3) against Gamma(2) and Gamma(4) against Gamma(1) are Betas.
    assert upper[0] == pytest.approx(oracles.first_of_two(4, 1), abs=1e-12)
    assert lower[0] == pytest.approx(oracles.first_of_two(3, 2), abs=1e-12)
    # Of the only statement seen, one never seen that is given the whole strength is the rival.
    lower, upper = imprecise_bounds(np.array([3.0]), 2.0, unlisted=True)
    assert lower.tolist() == pytest.approx([oracles.first_of_two(3, 2)], abs=1e-12)
    assert upper.tolist() == pytest.approx([1.0], abs=1e-12)


def test_imprecise_bounds_of_the_only_statement_seen() -> None:
    # Its one rival is a statement never seen that is given the whole strength.
    lower, upper = imprecise_bounds(np.array([3.0]), 2.0, unlisted=True)
    assert lower.tolist() == pytest.approx([oracles.first_of_two(3, 2)], abs=1e-12)
    assert upper.tolist() == pytest.approx([1.0], abs=1e-12)
