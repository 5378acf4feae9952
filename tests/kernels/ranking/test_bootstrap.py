"""The widened bootstrap: its weights, its variance, and exact probabilities of its signs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc

from bayescompare.kernels.ranking import bootstrap
from bayescompare.kernels.ranking.bootstrap import (
    bootstrap_weights,
    concentration_of,
    differing_number,
    effective_number,
    resampled_means,
)
from tests.cases import few_quick
from tests.oracles.ranking import positive


def weights(n: int, draws: int, seed: int = 0) -> np.ndarray:
    return np.concatenate(list(bootstrap_weights(np.ones(n), draws, np.random.default_rng(seed))))


@pytest.mark.parametrize("n", [5, 8, 20])
def test_the_spread_of_a_mean_is_that_of_students_t(n: int) -> None:
    """s²/n with divisor n − 1, times the variance (n − 1)/(n − 3) of Student's t."""
    f = np.random.default_rng(n).normal(size=n)
    w = weights(n, 200_000)
    np.testing.assert_allclose(w.sum(axis=1), 1.0)
    wanted = f.var(ddof=1) / n * (n - 1) / (n - 3)
    # The standard error of a variance, from the draws themselves.
    squares = (w @ f - f.mean()) ** 2
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - wanted) < 4 * error
    assert abs((w @ f).mean() - f.mean()) < 4 * np.sqrt(wanted / len(w))


def test_means_are_weighted_sums_with_a_unit_whose_algorithms_are_shuffled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    units = np.random.default_rng(1).normal(size=(6, 3, 2))
    v = np.array([1.0, 1, 1, 2, 2, 0.5])
    means = resampled_means(units, v, 5.5, 30, np.random.default_rng(5))
    of_weights, of_unit, of_order = np.random.default_rng(5).spawn(3)
    g = of_weights.standard_gamma(1.5 / 5.5, (30, 7))
    chosen = of_unit.integers(6, size=30)
    orders = of_order.permuted(np.tile(np.arange(3), (30, 1)), axis=1)
    for r in range(30):
        w = g[r] * np.append(v, v[chosen[r]])
        rows = [*units, units[chosen[r], orders[r]]]
        wanted = sum(one * row for one, row in zip(w, rows, strict=True)) / w.sum()
        np.testing.assert_allclose(means[:, r], wanted.T)
    monkeypatch.setattr(bootstrap, "_BLOCK", 40)
    again = resampled_means(units, v, 5.5, 30, np.random.default_rng(5))
    np.testing.assert_array_equal(again, means)


def test_units_on_which_all_tie_do_not_count() -> None:
    scores = np.random.default_rng(0).random((9, 3, 2))
    v = np.arange(1.0, 10.0)
    assert differing_number(scores, v) == pytest.approx(45**2 / 285)
    scores[:4, :, 0] = 0.1 + 0.2
    scores[:4, 0, 0] = 0.3
    assert differing_number(scores, np.ones(9)) == 5.0
    # A measure on which all tie everywhere has no say.
    scores[:, :, 0] = 1.0
    assert differing_number(scores, np.ones(9)) == 9.0
    scores[:, :, 1] = 1.0
    assert differing_number(scores, np.ones(9)) == 9.0


@pytest.mark.parametrize(("wins", "n"), [(3, 5), (7, 9), (12, 20)])
def test_wins_and_losses_are_a_beta_exactly(wins: int, n: int) -> None:
    """Exact enumeration of two algorithms by rank: the wins' weight is Beta(a·wins, a·losses)."""
    d = np.array([1.0] * wins + [-1.0] * (n - wins))
    a = concentration_of(n)
    exact = 1.0 - betainc(a * wins, a * (n - wins), 0.5)
    assert positive(d, a) == pytest.approx(exact, abs=1e-6)
    seen = (weights(n, 100_000) @ d > 0).mean()
    assert abs(seen - exact) < 4 * np.sqrt(exact * (1 - exact) / 100_000)


@pytest.mark.parametrize("seed", few_quick(range(3), 2))
def test_signs_of_weighted_means_have_their_exact_probability(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, v = rng.normal(0.3, 1.0, 8), rng.uniform(0.5, 2.0, 8)
    n = effective_number(v)
    assert n < 8
    # The unit that is added is any of them, with its two algorithms exchanged or not.
    each = [
        positive(np.append(d, sign * d[k]), concentration_of(n), np.append(v, v[k]))
        for k in range(8)
        for sign in (-1.0, 1.0)
    ]
    exact = np.mean(each)
    units = np.stack([d, np.zeros(8)], axis=1)[:, :, None]
    one, other = resampled_means(units, v, n, 100_000, rng)[0].T
    drawn = one - other
    assert abs((drawn > 0).mean() - exact) < 4 * np.sqrt(exact * (1 - exact) / 100_000)
