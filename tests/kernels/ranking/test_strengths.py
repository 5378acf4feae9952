"""Plackett-Luce strengths: the likelihood by enumeration of orders, its slope, and the mode."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import helmert
from scipy.optimize import approx_fprime

from bayescompare.kernels.ranking import strengths
from bayescompare.kernels.ranking.leaderboard import doubled_places
from bayescompare.kernels.ranking.strengths import (
    FREEDOM,
    RankedDatasets,
    log_strength_density,
    strength_density_slope,
    strength_posterior,
)
from tests.cases import few_quick


def order_probability(order: tuple[int, ...], s: np.ndarray) -> float:
    p = 1.0
    for k in range(len(order)):
        p *= math.exp(s[order[k]]) / sum(math.exp(s[a]) for a in order[k:])
    return p


def by_enumeration(s: np.ndarray, places: np.ndarray) -> float:
    """−log posterior: the mean probability of all orders that each dataset's ties allow."""
    total = (FREEDOM + len(s) - 1) / 2 * math.log1p(s @ s)
    for row in places:
        allowed = [
            order
            for order in itertools.permutations(range(len(s)))
            if all(row[a] <= row[b] for a, b in itertools.pairwise(order))
        ]
        total -= math.log(sum(order_probability(o, s) for o in allowed) / len(allowed))
    return total


def table(seed: int, l: int = 4, n: int = 6) -> np.ndarray:
    return doubled_places(np.random.default_rng(seed).integers(0, 4, (n, l)).astype(float))


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_the_likelihood_is_that_of_all_orders_allowed(seed: int) -> None:
    places, s = table(seed), np.random.default_rng(seed).normal(size=4)
    ranked = RankedDatasets(places)
    value = log_strength_density(s[None, :], ranked)
    assert -value[0] == pytest.approx(by_enumeration(s, places), abs=1e-12)
    by_hand = approx_fprime(s, lambda x: by_enumeration(x, places), 1e-6)
    np.testing.assert_allclose(-strength_density_slope(s, ranked), by_hand, atol=1e-4)


def test_large_ties_take_the_integral() -> None:
    """Six of seven level: too many for a sum over sets, few enough to enumerate here."""
    places = doubled_places(np.array([[1.0] * 6 + [0.0], [0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0]]))
    s = np.random.default_rng(3).normal(size=7)
    value = log_strength_density(s[None, :], RankedDatasets(places))
    assert -value[0] == pytest.approx(by_enumeration(s, places), abs=1e-6)


def test_rows_of_strengths_are_evaluated_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked, s = RankedDatasets(table(1)), np.random.default_rng(1).normal(size=(50, 4))
    together = log_strength_density(s, ranked)
    alone = [log_strength_density(row[None, :], ranked)[0] for row in s]
    np.testing.assert_allclose(together, alone, rtol=1e-13)
    monkeypatch.setattr(strengths, "_CHUNK", 100)
    np.testing.assert_allclose(log_strength_density(s, ranked), together, rtol=1e-13)


def test_the_mode_has_no_slope_and_follows_the_labels() -> None:
    places = table(7, l=5, n=10)
    found = strength_posterior(places)
    slope = strength_density_slope(found.mode, RankedDatasets(places))
    np.testing.assert_allclose(slope - slope.mean(), 0.0, atol=1e-8)
    assert found.mode.sum() == pytest.approx(0.0, abs=1e-10)
    other = strength_posterior(places[:, [3, 1, 4, 0, 2]])
    np.testing.assert_allclose(other.mode, found.mode[[3, 1, 4, 0, 2]], atol=1e-7)


@pytest.mark.parametrize("wins", [12, 9, 1])
def test_draws_of_two_strengths_against_integration(wins: int) -> None:
    """One contrast on a fine grid; twelve wins of twelve have the long tail of the prior."""
    places = doubled_places(np.array([[1.0, 0.0]] * wins + [[0.0, 1.0]] * (12 - wins)))
    x = np.linspace(-60.0, 60.0, 120_001)
    s = x / math.sqrt(2.0)
    log_p = -(FREEDOM + 1) / 2 * np.log1p(x**2)
    log_p -= wins * np.logaddexp(0.0, -2 * s) + (12 - wins) * np.logaddexp(0.0, 2 * s)
    p = np.exp(log_p - log_p.max())
    below = np.cumsum(p) / p.sum()
    drawn = strength_posterior(places).draw(40_000, np.random.default_rng(0))
    error = 1.0 / math.sqrt(drawn.independent)
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        at = s[np.searchsorted(below, q)]
        share = (drawn.strengths[:, 0] <= at).mean()
        assert share == pytest.approx(q, abs=4 * error * math.sqrt(q * (1 - q)))
    np.testing.assert_allclose(drawn.strengths.sum(axis=1), 0.0, atol=1e-9)
    assert 18_000 < drawn.independent < 40_000


def test_draws_of_three_strengths_against_integration() -> None:
    """Two contrasts on a grid, one algorithm always last: a normal law would miss its mean."""
    values = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [3.0, 2.0, 1.0]] * 2)
    places = doubled_places(values)
    basis = helmert(3).T
    axis = np.linspace(-40.0, 40.0, 600)  # no two strengths level
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2) @ basis.T
    log_p = log_strength_density(grid, RankedDatasets(places))
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    mean, sd = p @ grid, np.sqrt(p @ (grid - p @ grid) ** 2)
    found = strength_posterior(places)
    drawn = found.draw(40_000, np.random.default_rng(1))
    error = sd / math.sqrt(drawn.independent)
    assert np.all(np.abs(drawn.strengths.mean(axis=0) - mean) < 4 * error)
    assert np.abs((found.mode - mean) / sd).max() > 0.2
    best = drawn.strengths.argmax(axis=1)
    for k in range(3):
        exact = p[grid.argmax(axis=1) == k].sum()
        assert (best == k).mean() == pytest.approx(exact, abs=0.01)
