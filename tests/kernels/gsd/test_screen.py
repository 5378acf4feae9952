"""What the screening says against the optimum of every objective, found one by one."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.gsd.optimum import (
    FEASIBLE,
    TOLERANCE,
    Solver,
    both_optima,
)
from bayescompare.kernels.gsd.permutation import permuted_objectives
from bayescompare.kernels.gsd.system import PreferenceSystem, build_system, linear_utilities
from bayescompare.kernels.gsd.verdicts import Questions, Screen, Verdicts
from tests.cases import few_quick


def system_of(seed: int, s: int = 10, levels: int = 1000) -> PreferenceSystem:
    """Measures of one dataset resemble each other; coarse levels make ties."""
    rng = np.random.default_rng(seed)
    level = rng.random((s, 1)) * 0.8
    x, y = np.rint((level + 0.2 * rng.random((2, s, 3))) * levels) / levels
    metric = [True, True, bool(seed % 2)]
    return build_system(x, y, [0] * 3, [1] * 3, metric)


class Recorded(Questions):
    def use(self, u: np.ndarray) -> None:
        self.__dict__.setdefault("used", []).append(u)
        super().use(u)


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_bounds_and_utilities_are_true(seed: int) -> None:
    levels = (1000, 10)[seed // 2]
    system = system_of(seed, levels=levels)
    solver = Solver(system)
    delta = min(1e-4, 0.1 * solver.delta_max)
    w, _ = permuted_objectives(system, np.random.default_rng(seed), permutations=60)
    optima = both_optima(Solver(system), w, delta)[:, 0]
    known = solver.feasible_utilities(delta)
    best = (w @ known.T).min(axis=1)
    limits = np.quantile(optima, [0.2, 0.6]) + 3e-4
    questions = Recorded(w, limits, np.full(len(w), -np.inf), best)
    began = int(questions.between().sum())
    Screen(solver, delta).settle(questions, known)
    assert (questions.floor <= optima + 1e-11).all()
    assert (questions.best >= optima - 1e-11).all()
    # Coarse levels make equalities, which moving towards the centre does not restore.
    assert questions.between().sum() <= began / 2 or levels == 10
    fresh = Solver(system)
    assert all(fresh.excess(u, delta) <= FEASIBLE for u in questions.used)


def test_the_box_holds_every_optimal_utility() -> None:
    system = system_of(5)
    solver = Solver(system)
    solver.optimum(system.objective(), 1e-5)
    pool = Screen(solver, 1e-5).pool
    units = np.eye(system.size)[2:]
    optima = both_optima(Solver(system), units, 1e-5)
    assert (pool.low[2:] <= optima[:, 0] + 1e-11).all()
    assert (pool.high[2:] >= -optima[:, 1] - 1e-11).all()
    assert np.median(pool.high[2:] - pool.low[2:]) < 0.6, "narrower than 0 to 1"


@pytest.mark.parametrize(("seed", "levels"), [(0, 1000), (1, 1000), (2, 8)])
def test_verdicts_with_and_without_screening_are_the_same(
    seed: int, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thresholds at optima themselves, and closely beside them, are the hardest there are."""
    system = system_of(seed, levels=levels)
    solver = Solver(system)
    delta = min(1e-5, solver.delta_max)
    w, _ = permuted_objectives(system, np.random.default_rng(9), permutations=60)
    optima = both_optima(Solver(system), w, delta)[:, 0]
    some = np.quantile(optima, [0.1, 0.5, 0.9], method="nearest")
    limits = np.concatenate([some, some + 1e-6, some - 1e-6])
    expected = optima[:, None] < limits - TOLERANCE
    near = np.abs(optima[:, None] - (limits - TOLERANCE)) < 1e-10
    plain = Verdicts(Solver(system), delta)
    assert plain._screen is None, "this small"
    monkeypatch.setattr("bayescompare.kernels.gsd.verdicts._LARGE", 0)
    screened = Verdicts(solver, delta)
    assert screened._screen is not None
    for verdicts in (plain, screened):
        assert (verdicts.below(w, limits) == expected)[~near].all()


def test_repair_makes_a_utility_feasible_or_gives_up() -> None:
    system = system_of(6)
    solver, w = Solver(system), system.objective()
    u = linear_utilities(system)[0]
    u = u + 1e-5 * np.random.default_rng(0).normal(size=len(u)) * (u > 0) * (u < 1)
    excess = solver.excess(u, 0.0)
    assert excess > FEASIBLE
    v = solver.repaired(u, 0.0, w, np.inf, excess)
    assert v is not None
    assert solver.excess(v, 0.0) <= FEASIBLE
    assert solver.repaired(u, 0.0, w, float(w @ u) - 1.0, excess) is None
    assert solver.repaired(u, solver.delta_max, w, np.inf, excess) is None
