"""Bounds by operator splitting against a linear programme over the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from bayescompare.kernels.gsd.system import build_system, cover_rows
from bayescompare.kernels.gsd.verdicts import Block, Pool
from tests.cases import few_quick

SIGNS = np.array([1.0, -1.0, -1.0, 1.0])


def pool_of(seed: int, *, ties: bool = False) -> Pool:
    """Cover rows, bounds of every point, and some rows of R2; with `ties`, equalities too."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 50, (2, 6, 2)) / 50
    system = build_system(x, y, [0, 0], [1, 1], [True, True])
    inner = np.arange(2, system.size)
    ends = [[j, 0, 0, 0] for j in inner] + [[1, j, j, j] for j in inner]
    # The sum of the measures satisfies a row whose first gain has the larger sum.
    total = (system.points[system.upper] - system.points[system.lower]).sum(axis=1)
    p, q = np.nonzero(total[:, None] > total[None, :] + 0.01)
    some = rng.choice(len(p), 20, replace=False)
    p, q = p[some], q[some]
    if ties:
        first, second = np.nonzero(np.triu(np.abs(total[:, None] - total) < 1e-9, 1))
        p, q = np.append(p, first[:2]), np.append(q, second[:2])
    drawn = np.stack([system.upper[p], system.lower[p], system.upper[q], system.lower[q]], axis=1)
    rows = np.concatenate([ends, cover_rows(system), drawn]).astype(np.int32)
    equal = np.zeros(len(rows), dtype=bool)
    equal[len(rows) - len(p) + 20 :] = True
    return Pool(system.size, rows, equal, 1e-3)


def exact(pool: Pool, w: np.ndarray) -> float:
    """min w·u over the rows by HiGHS."""
    matrix = np.zeros((len(pool.rows), pool.size))
    for place, sign in enumerate(SIGNS):
        np.add.at(matrix, (np.arange(len(matrix)), pool.rows[:, place]), sign)
    bounds = [(0, 0), (1, 1), *[(0, 1)] * (pool.size - 2)]
    strict, tied = matrix[~pool.equal], matrix[pool.equal]
    ties = {"A_eq": tied, "b_eq": np.zeros(len(tied))} if len(tied) else {}
    solved = linprog(w, A_ub=-strict, b_ub=np.full(len(strict), -pool.delta), bounds=bounds, **ties)
    assert solved.status == 0
    return float(solved.fun)


def objectives_of(pool: Pool, count: int) -> np.ndarray:
    w = np.random.default_rng(1).normal(size=(count, pool.size)) / pool.size
    w[:, 0] = 0.0
    return w


@pytest.mark.parametrize("seed", few_quick(range(6), 2))
def test_a_bound_holds_at_every_step_and_becomes_sharp(seed: int) -> None:
    pool = pool_of(seed, ties=bool(seed % 2))
    w = objectives_of(pool, 5)
    optima = np.array([exact(pool, row) for row in w])
    block = Block(pool, w, np.full_like(w, 0.5))
    for steps in (1, 1, 3, 20, 200):
        block.step(steps)
        assert (block.bounds() <= optima + 1e-12).all()
    block.step(6000)
    assert block.bounds() == pytest.approx(optima, abs=2e-3)
    values = (block.utilities * w).sum(axis=1)
    assert values == pytest.approx(optima, abs=2e-3)


def test_a_narrow_box_sharpens_the_bound_and_keeps_it_true() -> None:
    pool = pool_of(2)
    w = objectives_of(pool, 6)
    optima = np.array([exact(pool, row) for row in w])
    block = Block(pool, w, np.full_like(w, 0.5))
    block.step(15)
    wide = block.bounds()
    units = np.eye(pool.size)
    pool.low[2:] = [exact(pool, unit) for unit in units[2:]]
    pool.high[2:] = [-exact(pool, -unit) for unit in units[2:]]
    narrow = block.bounds()
    assert (narrow >= wide - 1e-15).all()
    assert (narrow > wide + 1e-6).any()
    assert (narrow <= optima + 1e-12).all()


def test_new_rows_are_taken_up_and_known_ones_are_not_added_twice() -> None:
    pool = pool_of(3)
    before = len(pool.rows)
    w = objectives_of(pool, 4)
    block = Block(pool, w, np.full_like(w, 0.5))
    block.step(500)
    loose = np.array([exact(pool, row) for row in w])
    fresh = np.array([[1, 2, 2, 0], [1, 2, 2, 0], [1, 3, 3, 0]], dtype=np.int32)
    rows = np.concatenate([pool.rows[:5], fresh])
    pool.add(rows, np.zeros(len(rows), dtype=bool), 10)
    assert len(pool.rows) == before + 2
    pool.add(rows, np.zeros(len(rows), dtype=bool), 10)
    assert len(pool.rows) == before + 2
    tight = np.array([exact(pool, row) for row in w])
    assert (tight >= loose - 1e-9).all()
    assert (block.bounds() <= loose + 1e-12).all(), "before a step, the bound is of the old rows"
    block.step(3000)
    assert (block.bounds() <= tight + 1e-12).all()
    assert block.bounds() == pytest.approx(tight, abs=5e-3)


def test_dropping_objectives_leaves_the_others_as_they_were() -> None:
    pool = pool_of(4)
    w = objectives_of(pool, 5)
    kept = np.array([True, False, True, True, False])
    whole, part = (Block(pool, w, np.full_like(w, 0.5)) for _ in range(2))
    for block in (whole, part):
        block.step(10)
    part.keep(kept)
    for block in (whole, part):
        block.step(10)
    assert part.bounds() == pytest.approx(whole.bounds()[kept], abs=1e-12)
    assert part.utilities == pytest.approx(whole.utilities[kept], abs=1e-12)
