"""The ways without a linear programme, against the linear programme."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.gsd.optimum import Solver, matching_optimum
from bayescompare.kernels.gsd.system import build_system
from tests.cases import few_quick
from tests.oracles import gsd as go


@pytest.mark.parametrize("seed", few_quick(range(30), 7))
def test_matching_is_the_programme(seed: int) -> None:
    """Few levels, so that many observations are at the least and the greatest element."""
    rng = np.random.default_rng(seed)
    s, k, levels = int(rng.integers(1, 9)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    x, y = rng.integers(0, levels + 1, (2, s, k))
    ends = np.zeros(k, dtype=np.int64), np.full(k, levels)
    metric = np.zeros(k, dtype=bool)
    rows = go.naive_rows(x, y, *ends, metric, "interval")
    system = build_system(x, y, *ends, metric)
    counts = np.rint(s * system.objective()).astype(np.int64)
    for sign in (1, -1):
        value, u = matching_optimum(system, sign * counts)
        expected, _ = go.solve_rows(rows, sign * go.objective(rows.points, x, y), 0.0)
        assert value / s == pytest.approx(expected, abs=1e-9)
        assert sign * counts @ u == pytest.approx(value, abs=1e-12)
        number = {tuple(p): n for n, p in enumerate(rows.points.tolist())}
        there = np.empty_like(u)
        there[[number[tuple(p)] for p in system.points.astype(int).tolist()]] = u
        assert go.violation(rows, there, 0.0) <= 0.0
        # The general way, which no objective of whole counts takes by itself.
        general = Solver(system)._generate(sign * counts / s, 0.0, False)
        assert general.value == pytest.approx(value / s, abs=1e-10)


def test_infinite_bounds_of_ordinal_measures() -> None:
    system = build_system([[2.0]], [[1.0]], [-np.inf], [np.inf], [False])
    assert Solver(system).optimum(system.objective(), 0.0).value == 0.0


def test_a_thousand_datasets() -> None:
    """Two thousand points and three measures; `make bench` has the time."""
    x, y = np.random.default_rng(0).random((2, 1000, 3))
    system = build_system(x + 0.1, y, [0] * 3, [2] * 3, [False] * 3)
    value = Solver(system).optimum(system.objective(), 0.0).value
    assert -1.0 < value <= 0.0
