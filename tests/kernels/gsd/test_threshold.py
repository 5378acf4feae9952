"""Thresholds in δ by bisection, and the shape of the optimum as a function of δ."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bayescompare.kernels.gsd.optimum import Solver, delta_threshold
from tests.cases import few_quick
from tests.kernels.gsd.test_optimum import Case, jansen, jansen_system


def bisected(solver: Solver, w: np.ndarray) -> float:
    low, high = 0.0, solver.delta_max
    for _ in range(50):
        middle = 0.5 * (low + high)
        if solver.optimum(w, middle).value >= 0.0:
            high = middle
        else:
            low = middle
    return high


def check(solver: Solver, w: np.ndarray) -> str:
    found = delta_threshold(solver, w)
    if found == 0.0:
        assert solver.optimum(w, 0.0).value >= -1e-9
        return "at zero"
    if math.isinf(found):
        assert solver.optimum(w, solver.delta_max).value < -1e-9
        return "never"
    assert solver.optimum(w, 0.0).value < -1e-9
    assert found == pytest.approx(bisected(solver, w), abs=1e-9)
    assert solver.optimum(w, found).value == pytest.approx(0.0, abs=1e-9)
    return "between"


def test_every_pair_of_the_real_data() -> None:
    _, values = jansen()
    seen = []
    for i, j in itertools.combinations(range(8), 2):
        solver = Solver(jansen_system(values, i, j))
        seen += [check(solver, sign * solver.system.objective()) for sign in (1.0, -1.0)]
    assert seen.count("at zero") == 21
    assert seen.count("between") >= 4
    assert seen.count("never") >= 21


@pytest.mark.parametrize("seed", few_quick(range(40), 10))
def test_small_systems(seed: int) -> None:
    solver = Solver(Case(seed + 700).system)
    for sign in (1.0, -1.0):
        check(solver, sign * solver.system.objective())


@pytest.mark.parametrize("seed", few_quick(range(10), 2))
def test_convex_and_non_decreasing(seed: int) -> None:
    solver = Solver(Case(seed + 800).system)
    if solver.delta_max == 0.0:
        pytest.skip("only δ = 0")
    w = np.random.default_rng(seed).normal(size=solver.system.size)
    deltas = np.linspace(0.0, solver.delta_max, 21)
    values = [solver.optimum(w, delta).value for delta in deltas]
    assert (np.diff(values) >= -1e-10).all()
    assert (np.diff(values, 2) >= -1e-10).all()
    assert solver.optimum(w, 2.0).value == values[-1]


def test_the_slope_is_a_derivative() -> None:
    _, values = jansen()
    solver = Solver(jansen_system(values, 0, 6))
    w = solver.system.objective()
    for share in (0.11, 0.52, 0.83):
        delta, step = share * solver.delta_max, 1e-6 * solver.delta_max
        here = solver.optimum(w, delta)
        before, after = (solver.optimum(w, d).value for d in (delta - step, delta + step))
        assert (here.value - before) / step - 1e-4 <= here.slope
        assert here.slope <= (after - here.value) / step + 1e-4
