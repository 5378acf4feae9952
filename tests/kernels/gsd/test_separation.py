"""The search for violated rows against every pair of pairs; the system that it searches."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.gsd.optimum import Solver
from bayescompare.kernels.gsd.separation import (
    Separator,
    build_sweep,
    build_tree,
    dominance_maxima,
)
from bayescompare.kernels.gsd.system import (
    PreferenceSystem,
    build_system,
    cover_rows,
    linear_utilities,
)
from tests.cases import few_quick
from tests.kernels.gsd.test_optimum import Case
from tests.oracles import gsd as go


def drawn(seed: int) -> PreferenceSystem:
    rng = np.random.default_rng(seed)
    k, levels = int(rng.integers(1, 5)), int(rng.choice([3, 10, 10_000]))
    x, y = rng.integers(0, levels + 1, (2, 12, k)) / levels
    metric = rng.random(k) < 0.7
    metric[0] = True
    return build_system(
        x, y, np.zeros(k), np.ones(k), metric, rule=("interval", "jansen2022")[seed % 2]
    )


def worst_of_each_class(system: PreferenceSystem, u: np.ndarray, delta: float) -> np.ndarray:
    """Largest violation of each class by another class, from every pair of classes."""
    gains = u[system.upper] - u[system.lower]
    least = np.minimum.reduceat(gains, system.starts[:-1])
    most = np.maximum.reduceat(gains, system.starts[:-1])
    below = (system.keys[:, None] >= system.keys[None]).all(axis=2)
    np.fill_diagonal(below, False)
    return np.where(below, most[None], -np.inf).max(axis=1) + delta - least


@pytest.mark.parametrize("seed", few_quick(range(24), 3))
def test_the_worst_row_of_every_class_is_found(seed: int) -> None:
    system, rng = drawn(seed), np.random.default_rng(seed)
    separator = Separator(system)
    for noise, delta in ((0.0, 0.0), (1e-3, 0.0), (0.1, 0.01), (1.0, 0.0)):
        u = linear_utilities(system).mean(axis=0) + noise * rng.normal(size=system.size)
        worst = worst_of_each_class(system, u, delta)
        found = separator.every(u, delta, 1e-12)
        strict = np.sort(found.amount[~found.equal])
        assert strict == pytest.approx(np.sort(worst[worst > 1e-12]), abs=1e-12)
        values = u[found.rows] @ np.array([1.0, -1.0, -1.0, 1.0])
        assert delta * ~found.equal - values == pytest.approx(found.amount, abs=1e-12)
        near = separator.near(u, delta, 1e-12)
        values = u[near.rows] @ np.array([1.0, -1.0, -1.0, 1.0])
        assert delta * ~near.equal - values == pytest.approx(near.amount, abs=1e-12)
        assert near.amount.max(initial=0.0) <= found.amount.max(initial=0.0) + 1e-12


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 33, 200, 1500])
@pytest.mark.parametrize("levels", [2, 8, 10_000])
def test_sweep_and_tree_find_the_same_maxima(count: int, levels: int) -> None:
    rng = np.random.default_rng(count)
    for m in (1, 2, 3):
        keys = np.unique(rng.integers(0, levels, (count, m)), axis=0).astype(np.int32)
        keys = keys[rng.permutation(len(keys))]
        gains = keys.mean(axis=1) / levels + rng.normal(0, rng.choice([1e-3, 1.0]), len(keys))
        gains = gains.round(int(rng.choice([1, 9])))
        below = (keys[:, None] >= keys[None]).all(axis=2)
        np.fill_diagonal(below, False)
        expected = np.where(below, gains[None], -np.inf).max(axis=1) - gains
        expected = np.where(expected > 1e-9, expected, 0.0)
        for order in (build_sweep(keys), build_tree(keys)):
            rival, amount = dominance_maxima(order, gains, gains, 0.0, 1e-9)
            assert amount == pytest.approx(expected, abs=1e-12)
            assert ((rival >= 0) == (expected > 0.0)).all()
            own = np.flatnonzero(rival >= 0)
            assert below[own, rival[own]].all()
            assert gains[rival[own]] - gains[own] == pytest.approx(expected[own], abs=1e-12)


@pytest.mark.parametrize("seed", few_quick(range(20), 5))
def test_known_utilities_are_feasible(seed: int) -> None:
    case = Case(seed + 300)
    solver = Solver(case.system)
    for share in (0.0, 0.5, 1.0):
        delta = share * solver.delta_max
        for u in solver.feasible_utilities(delta):
            assert go.violation(case.rows, case.to_oracle(u), delta) <= 1e-11


@pytest.mark.parametrize("seed", few_quick(range(8), 2))
def test_covers_imply_all_of_r1(seed: int) -> None:
    system = drawn(seed)
    reach = np.eye(system.size, dtype=bool)
    rows = cover_rows(system)
    reach[rows[:, 0], rows[:, 1]] = True
    for _ in range(system.size):
        reach = reach | ((reach.astype(int) @ reach.astype(int)) > 0)
    assert (reach == (system.ranks[:, None] >= system.ranks[None]).all(axis=2)).all()


def test_rounding_is_not_an_order() -> None:
    """0.3 − 0.2, 0.2 − 0.1 and 0.1 − 0.0 are three different floats and one gain."""
    system = build_system([[0.1], [0.2]], [[0.1 + 0.2], [0.3]], [0.0], [1.0], [True])
    assert system.size == 5, "0.1 + 0.2 is 0.3"
    gains = system.points[system.upper, 0] - system.points[system.lower, 0]
    sizes = {
        round(float(g), 6): int(n)
        for g, n in zip(gains[system.starts[:-1]], np.diff(system.starts), strict=True)
    }
    assert sizes == {0.0: 1, 0.1: 3, 0.2: 2, 0.3: 1, 0.7: 1, 0.8: 1, 0.9: 1, 1.0: 1}


def test_objectives_of_weights() -> None:
    system = build_system([[0.1], [0.4]], [[0.4], [1.0]], [0.0], [1.0], [True])
    u = np.random.default_rng(0).normal(size=system.size)
    weights = np.array([[0.3, 0.7], [1.0, -1.0]])
    expected = weights @ (u[system.x] - u[system.y])
    assert system.objective(weights) @ u == pytest.approx(expected, abs=1e-12)
    assert system.objective(weights[0]) @ u == pytest.approx(expected[0], abs=1e-12)
    assert system.objective() @ u == pytest.approx((u[system.x] - u[system.y]).mean(), abs=1e-12)
