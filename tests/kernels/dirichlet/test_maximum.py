"""P(θ_i is the largest): the paper, mpmath, Monte Carlo, limits in closed form, symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescompare.kernels.dirichlet import maximum
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from tests.cases import few_quick
from tests.oracles import dirichlet as oracles

#: ∫ exp(−x − E₁(x)) dx, the Golomb–Dickman constant: one dataset among countless statements.
GOLOMB_DICKMAN = 0.62432998854355087


def p_max(alpha: object, counts: object, **rest: float) -> tuple[np.ndarray, float]:
    counts = np.asarray(counts, dtype=float)
    alpha = np.broadcast_to(np.asarray(alpha, dtype=float), counts.shape)
    return probability_of_maximum(DirichletCells(np.log(alpha), counts, **rest))


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
        (found,), rest = probability_of_maximum(
            DirichletCells(np.array([-log_size]), np.array([1.0]), -log_size, log_size)
        )
        assert round(found, 4) == 0.6243
        assert found == pytest.approx(GOLOMB_DICKMAN, abs=1e-11)
        assert rest == pytest.approx(1 - GOLOMB_DICKMAN, abs=1e-11)


# --------------------------------------------------------------------------------- the independent


def random_cells() -> list[tuple[str, list[float]]]:
    """A few Dirichlets with the α and the counts, fractional ones too, that the test meets."""
    rng = np.random.default_rng(20160101)
    cases = []
    for alpha in (1 / 64, 0.25, 0.5, 1.0):
        for parts in (1, 2, 3):
            cells = int(rng.integers(2, 5))
            counts = rng.integers(0, 30 * parts, size=cells) / parts
            counts[0] = max(counts[0], 1.0)
            shapes = (counts + alpha).tolist()
            cases.append((f"{alpha:g}+{counts.round(2).tolist()}", shapes))
    odd = [
        ("one of many", [1 + 1 / 64, 1 / 64, 1 / 64, 1 / 64]),
        ("unequal prior", [1e-3, 0.7, 2.5, 30.0]),
    ]
    return [*odd, *cases]


CASES = random_cells()


@pytest.mark.parametrize("shapes", few_quick([c[1] for c in CASES], 4), ids=[c[0] for c in CASES])
def test_agrees_with_mpmath(shapes: list[float]) -> None:
    found, _ = p_max(shapes, np.zeros(len(shapes)))
    np.testing.assert_allclose(found, oracles.largest(shapes), rtol=0, atol=1e-12)


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
}


@pytest.mark.parametrize("shapes", few_quick(AWKWARD.values(), 4), ids=AWKWARD.keys())
def test_awkward_cells_agree_with_mpmath(shapes: list[float]) -> None:
    found, _ = p_max(shapes, np.zeros(len(shapes)))
    np.testing.assert_allclose(found, oracles.largest(shapes), rtol=0, atol=1e-12)


def test_errors_that_cancel_in_the_sum() -> None:
    # The figure is mpmath's, at 30 digits.
    found, _ = p_max(1 / 6, [1, 1, 1, 0, 0, 0])
    assert found[:3] == pytest.approx(0.31079017969723, abs=1e-14)


@pytest.mark.parametrize(
    "a",
    [
        0.1,
        1.0,
        6.25,
        99.5,
        *(pytest.param(a, marks=pytest.mark.slow) for a in (1e4, 1e5, 1e6)),
        1e9,
    ],
)
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
    lumped, rest = p_max(
        alpha, counts, rest_log_alpha=math.log(alpha), rest_log_size=math.log(size - len(counts))
    )
    np.testing.assert_allclose(lumped, listed[: len(counts)], rtol=0, atol=1e-12)
    assert rest == pytest.approx(listed[len(counts) :].sum(), abs=1e-12)
    assert none == 0.0


@pytest.mark.parametrize("size", [5_000, 10**9])
def test_a_lump_of_very_many(size: int) -> None:
    counts = [3.0, 1.0, 0.5]
    log_alpha = -math.log(size)
    lumped, rest = probability_of_maximum(
        DirichletCells(np.full(3, log_alpha), np.array(counts), log_alpha, math.log(size - 3))
    )
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
    lumped, rest = p_max(
        [2.0, 0.1], [0.0, 4.0], rest_log_alpha=math.log(0.03), rest_log_size=math.log(50)
    )
    np.testing.assert_allclose(lumped, listed[:2], rtol=0, atol=1e-12)
    assert rest == pytest.approx(listed[2:].sum(), abs=1e-12)


@pytest.mark.parametrize("strength", few_quick([0.1, 3.0, 1.0], 2))
@pytest.mark.parametrize("counts", few_quick([[1.0], [2.0, 1.0], [6.0, 3.0, 2.5, 0.5]], 2), ids=str)
def test_beyond_float_range_is_the_limit(counts: list[float], strength: float) -> None:
    exact, unseen = oracles.largest_with_countless(counts, strength)
    for log_size in (660.0, 672.0, 2000.0):
        log_alpha = math.log(strength) - log_size
        found, rest = probability_of_maximum(
            DirichletCells(np.full(len(counts), log_alpha), np.array(counts), log_alpha, log_size)
        )
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-10)
        assert rest == pytest.approx(unseen, abs=1e-10)


@pytest.mark.parametrize("size", [1e12, 1e40, 1e286, 1e289])
def test_a_weak_lump_is_right_in_its_far_tail(size: float) -> None:
    # With strength 0.1 much of the lump is below x = e^-20: there log F = a (log x + γ), and γ
    # was lost.
    log_alpha = math.log(0.1 / size)
    found, rest = probability_of_maximum(
        DirichletCells(np.full(1, log_alpha), np.array([0.05]), log_alpha, math.log(size))
    )
    exact, unseen = oracles.largest_with_countless([0.05], 0.1)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-10)
    assert rest == pytest.approx(unseen, abs=1e-10)


@pytest.mark.parametrize("log_alpha", [math.log(0.5), 0.0])
@pytest.mark.parametrize("log_size", [30.0, 300.0, 831.0])
def test_a_flat_prior_over_countless_statements_swamps_the_data(
    log_alpha: float, log_size: float
) -> None:
    # The largest of M unseen Gamma(α) is about log M, which 12 datasets reach only at small M.
    found, rest = probability_of_maximum(
        DirichletCells(np.full(3, log_alpha), np.array([9.0, 2.0, 1.0]), log_alpha, log_size)
    )
    assert found.sum() + rest == pytest.approx(1.0, abs=1e-11)
    if log_size > 100:
        assert rest > 1 - 1e-12


@pytest.mark.parametrize("log_size", [3.0, 8.0, 12.0])
def test_a_flat_prior_over_many_statements_by_monte_carlo(log_size: float) -> None:
    # The largest of M cells is drawn by its quantile: F^M = U.
    alpha, counts, draws = 0.5, np.array([9.0, 2.0, 1.0]), 40_000
    size = round(math.exp(log_size))
    found, rest = p_max(alpha, counts, rest_log_alpha=math.log(alpha), rest_log_size=math.log(size))
    rng = np.random.default_rng(1)
    unseen = stats.gamma(alpha).isf(-np.expm1(np.log(rng.random(draws)) / size))
    seen = rng.standard_gamma(alpha + counts, size=(draws, 3))
    won = np.bincount(np.column_stack([seen, unseen]).argmax(axis=1), minlength=4) / draws
    exact = np.append(found, rest)
    assert np.all(np.abs(won - exact) < 4 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws)


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
    check_sum(counts, alpha, log_size)


@given(COUNTS, ALPHA, st.floats(690.0, 2000.0))
@settings(max_examples=20)
def test_probabilities_sum_to_one_when_k_is_beyond_float_range(
    counts: list[float], alpha: float, log_size: float
) -> None:
    check_sum(counts, alpha, log_size)


def check_sum(counts: list[float], alpha: float, log_size: float) -> None:
    found, rest = p_max(alpha, counts, rest_log_alpha=math.log(alpha), rest_log_size=log_size)
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


@pytest.mark.parametrize("change", [(1.0, -2.0, 0.0), (1.0, 0.0, -1.0), (0.0, 2.0, -2.0)])
def test_rules_whose_differences_cancel_do_not_agree(change: tuple[float, float, float]) -> None:
    # Groups of two and of one cell, and a lump.
    cells = DirichletCells(
        np.log([0.5, 0.5, 0.5]), np.array([1.0, 1.0, 4.0]), math.log(0.5), math.log(9.0)
    )
    groups, _ = maximum._group_dirichlet_cells(cells)
    rules = maximum._MaximumRules(groups, *maximum._dirichlet_maximum_limits(groups))
    assert rules.agree
    rules.coarse = rules.coarse + 2e-11 * np.array(change)
    assert not rules.agree


def test_rules_that_never_agree_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # A thousand unseen cells of α = 1 need more than the first rules.
    monkeypatch.setattr(maximum, "_FINEST", 64)
    with pytest.raises(ArithmeticError, match="known only within"):
        p_max(1.0, [9.0, 2.0], rest_log_alpha=0.0, rest_log_size=30.0)


@given(COUNTS, ALPHA, st.floats(0.1, 10.0))
def test_symmetric_priors_of_any_strength_sum_to_one(
    counts: list[float], alpha: float, strength: float
) -> None:
    log_alpha = math.log(strength) - 2000.0 * alpha / (1.0 + alpha)
    found, rest = probability_of_maximum(
        DirichletCells(np.full(len(counts), log_alpha), np.array(counts), log_alpha, -log_alpha)
    )
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


@given(st.integers(1, 60), st.integers(0, 30), st.sampled_from([1 / 64, 0.5, 1.0]))
def test_equal_cells_share_equally(size: int, count: int, alpha: float) -> None:
    found, _ = p_max(alpha, [float(count + 1)] * size)
    np.testing.assert_allclose(found, 1.0 / size, rtol=0, atol=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 1 / 64, 1e-2, 1e-3, 1e-6, 1e-16, 1e-30, 1e-250])
@pytest.mark.parametrize("size", [2, 4])
def test_before_any_data_all_cells_are_equal(alpha: float, size: int) -> None:
    # A prior much weaker than one dataset: the largest of all is still a tiny number.
    found, _ = p_max(alpha, np.zeros(size))
    np.testing.assert_allclose(found, 1.0 / size, rtol=0, atol=1e-10)


def test_an_impossible_cell_is_never_the_largest() -> None:
    with np.errstate(divide="ignore"):
        found, _ = probability_of_maximum(
            DirichletCells(np.log([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 2.0]))
        )
    assert found[0] == 0.0
    assert found[1:] == pytest.approx([0.5, 0.5], abs=1e-12)


def test_impossible_cells_where_x_underflows() -> None:
    with np.errstate(divide="ignore"):
        found, _ = p_max([0.0, 1e-3, 0.0, 1e-3], np.zeros(4))
    assert found == pytest.approx([0.0, 0.5, 0.0, 0.5], abs=1e-12)


def test_very_many_distinct_counts() -> None:
    counts = np.linspace(0.5, 40.0, 3000)
    found, _ = p_max(1e-3, counts)
    assert found.sum() == pytest.approx(1.0, abs=1e-11)
    assert np.all(np.diff(found) > 0)
