"""Plackett-Luce strengths: the likelihood by enumeration of orders, its slope, and the mode."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from bayescompare.kernels.ranking.places import doubled_places
from bayescompare.kernels.ranking.strengths import (
    FREEDOM,
    laplace_strengths,
    negative_log_ranking_strength,
)


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


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_is_that_of_all_orders_allowed(seed: int) -> None:
    places, s = table(seed), np.random.default_rng(seed).normal(size=4)
    order = np.argsort(places, axis=1, kind="stable")
    value, slope = negative_log_ranking_strength(s, places, order)
    assert value == pytest.approx(by_enumeration(s, places), abs=1e-6)
    by_hand = approx_fprime(s, lambda x: by_enumeration(x, places), 1e-6)
    np.testing.assert_allclose(slope, by_hand, atol=1e-4)


def test_the_mode_has_no_slope_and_follows_the_labels() -> None:
    places = table(7, l=5, n=10)
    found = laplace_strengths(places)
    order = np.argsort(places, axis=1, kind="stable")
    _, slope = negative_log_ranking_strength(found.mode, places, order)
    np.testing.assert_allclose(slope - slope.mean(), 0.0, atol=1e-8)
    assert found.mode.sum() == pytest.approx(0.0, abs=1e-10)
    other = laplace_strengths(places[:, [3, 1, 4, 0, 2]])
    np.testing.assert_allclose(other.mode, found.mode[[3, 1, 4, 0, 2]], atol=1e-7)


def test_draws_have_the_curvature_of_the_posterior() -> None:
    """Two algorithms: one contrast, whose second derivative is taken by hand."""
    places = doubled_places(np.array([[1.0, 0.0]] * 9 + [[0.0, 1.0]] * 3))
    found = laplace_strengths(places)
    order = np.argsort(places, axis=1, kind="stable")

    def along(x: float) -> float:
        s = np.array([x, -x]) / math.sqrt(2.0)
        return negative_log_ranking_strength(s, places, order)[0]

    at, h = found.mode[0] * math.sqrt(2.0), 1e-3
    curvature = (along(at + h) - 2 * along(at) + along(at - h)) / h**2
    drawn = found.draw(100_000, np.random.default_rng(0))
    spread = drawn[:, 0].std() * math.sqrt(2.0)
    assert spread == pytest.approx(1 / math.sqrt(curvature), rel=0.02)
    np.testing.assert_allclose(drawn.sum(axis=1), 0.0, atol=1e-9)
