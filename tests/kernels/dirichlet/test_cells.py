"""Several lumps of equal cells are what the same cells are when they are listed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.posterior import dirichlet_log_evidence
from bayescompare.outcome.planning import grow_cells_in_planning

lumps_of = st.lists(
    st.tuples(st.floats(0.01, 5.0), st.integers(1, 20)),
    min_size=1,
    max_size=4,
    unique_by=lambda x: x[0],
)


def both(
    alpha: list[float], counts: list[float], lumps: list[tuple[float, int]]
) -> tuple[DirichletCells, DirichletCells]:
    logs = [(math.log(a), math.log(n)) for a, n in lumps]
    lumped = DirichletCells(np.log(alpha), np.array(counts), *logs[0], more=tuple(logs[1:]))
    every = [*alpha, *(a for a, n in lumps for _ in range(n))]
    padded = np.append(counts, np.zeros(len(every) - len(alpha)))
    return lumped, DirichletCells(np.log(every), padded)


@given(lumps_of, st.lists(st.floats(0.05, 9.0), min_size=2, max_size=3))
def test_lumps_are_cells(lumps: list[tuple[float, int]], alpha: list[float]) -> None:
    counts = [2.0, 0.0, 5.0][: len(alpha)]
    lumped, listed = both(alpha, counts, lumps)
    (p, rest), (every, none) = map(probability_of_maximum, (lumped, listed))
    np.testing.assert_allclose(p, every[: len(alpha)], atol=1e-10)
    assert rest == pytest.approx(every[len(alpha) :].sum(), abs=1e-10)
    assert none == 0.0
    assert lumped.total == pytest.approx(listed.total)
    assert dirichlet_log_evidence(lumped) == pytest.approx(
        dirichlet_log_evidence(listed), abs=1e-10
    )


def test_scaled() -> None:
    lumped, listed = both([0.5, 2.0], [1.0, 0.0], [(0.1, 7), (3.0, 2)])
    for cells in (lumped, listed):
        assert cells.scaled(4.0).total - 1.0 == pytest.approx(4.0 * (cells.total - 1.0))
    (p, _), (every, _) = (probability_of_maximum(c.scaled(0.3)) for c in (lumped, listed))
    np.testing.assert_allclose(p, every[:2], atol=1e-10)


def test_the_urn_draws_from_each_lump_by_its_mass() -> None:
    cells, _ = both([1.0], [0.0], [(0.5, 4), (0.01, 100), (2.0, 1)])
    rng = np.random.default_rng(1)
    first = [grow_cells_in_planning(cells, 1, rng) for _ in range(3000)]
    new = [float(np.exp(c.log_alpha[-1])) if len(c.counts) > 1 else 1.0 for c in first]
    for alpha, mass in ((1.0, 1.0), (0.5, 2.0), (0.01, 1.0), (2.0, 2.0)):
        share = np.mean(np.isclose(new, alpha))
        assert share == pytest.approx(mass / 6.0, abs=4 * math.sqrt(0.25 / 3000))
    # One fewer is left, and of the single cell none.
    for c in first[:50]:
        assert c.total == pytest.approx(7.0)
        assert len(c.counts) + round(sum(math.exp(n) for _, n in c.lumps)) == 106
