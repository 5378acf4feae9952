"""The permutation test against every optimum found one by one, and its p-values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bayescompare.kernels.gsd.optimum import TOLERANCE, Solver, both_optima
from bayescompare.kernels.gsd.permutation import permutation_test, permuted_objectives
from bayescompare.kernels.gsd.system import PreferenceSystem, build_system
from bayescompare.kernels.gsd.verdicts import Verdicts
from tests.cases import few_quick
from tests.kernels.gsd.test_optimum import jansen, jansen_system


def system_of(seed: int, s: int, levels: int = 1000, lead: int = 0) -> PreferenceSystem:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, levels + 1, (2, s, 2))
    x = np.minimum(x + lead, levels)
    return build_system(x / levels, y / levels, [0, 0], [1, 1], [True, bool(seed % 3)])


def by_hand(system: PreferenceSystem, signs: np.ndarray, delta: float) -> np.ndarray:
    """opt_xy and opt_yx of every assignment of the 2s vectors, solved one by one."""
    solver, points = Solver(system), np.concatenate([system.x, system.y])
    out = []
    for row in signs:
        w = np.bincount(points, weights=row, minlength=system.size) / len(system.x)
        out.append(both_optima(solver, w[None], delta)[0])
    return np.array(out)


@pytest.mark.parametrize("seed", few_quick(range(8), 2))
def test_all_swaps_are_enumerated(seed: int) -> None:
    """p is the share of the 2^s swaps that do as well, each direction by its own optima."""
    system = system_of(seed, 5, levels=(1000, 4)[seed % 2], lead=seed)
    delta = (0.0, 1e-3)[seed % 2]
    swaps = np.array(list(itertools.product((1, -1), repeat=5)))
    every = by_hand(system, np.hstack([swaps, -swaps]), delta)
    solver = Solver(system)
    found = permutation_test(solver, delta, np.random.default_rng(0), permutations=1000)
    observed = both_optima(solver, system.objective()[None], delta)[0]
    assert found.exact
    assert found.statistic == pytest.approx(observed, abs=1e-10)
    expected = (every >= observed - TOLERANCE).mean(axis=0)
    assert found.pvalue == pytest.approx(expected, abs=1e-12)
    assert found.share_below == pytest.approx(1.0 - expected, abs=1e-12)
    assert found.pvalue.min() >= 2.0**-5, "the data themselves count"


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_all_pooled_index_sets_are_enumerated(seed: int) -> None:
    system = system_of(seed, 3, lead=100)
    signs = np.full((math.comb(6, 3), 6), -1)
    for row, chosen in zip(signs, itertools.combinations(range(6), 3), strict=True):
        row[list(chosen)] = 1
    every = by_hand(system, signs, 0.0)
    solver = Solver(system)
    found = permutation_test(solver, 0.0, np.random.default_rng(0), scheme="pooled")
    assert found.exact
    assert found.resamples.tolist() == [20, 20]
    expected = (every >= found.statistic - TOLERANCE).mean(axis=0)
    assert found.pvalue == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
@pytest.mark.parametrize("pair", few_quick([(0, 6), (2, 5), (3, 4), (1, 0)], 2), ids=str)
def test_verdicts_are_those_of_the_optima(pair: tuple[int, int], scheme: str) -> None:
    """Short cuts and row generation settle every resample as its full optimum does."""
    i, j = pair
    _, values = jansen()
    system = jansen_system(values, i, j)
    draws = {"permutations": 60, "scheme": scheme}
    found = permutation_test(Solver(system), 1e-5, np.random.default_rng(7), **draws)
    objectives, exact = permuted_objectives(system, np.random.default_rng(7), **draws)
    every = both_optima(Solver(system), objectives, 1e-5)[:, 0]
    assert not exact
    assert not found.exact
    below = (every[:, None] < found.statistic - TOLERANCE).sum(axis=0)
    assert found.below.tolist() == below.tolist()
    assert found.pvalue == pytest.approx((60 - below + 1) / 61)
    assert found.share_below == pytest.approx(below / 60)


def test_blocks_settle_as_the_optima_do() -> None:
    """Enough resamples for the superadditive bound; without it the verdicts are the same."""
    _, values = jansen()
    system = jansen_system(values, 3, 1)
    found = permutation_test(Solver(system), 1e-5, np.random.default_rng(1), permutations=1000)
    objectives, _ = permuted_objectives(system, np.random.default_rng(1), permutations=1000)
    plain = Verdicts(Solver(system), 1e-5).below(objectives, found.statistic)
    assert found.below.tolist() == plain.sum(axis=0).tolist()


def test_the_same_whatever_was_done_before() -> None:
    """A solver's history, the order of the resamples and the direction do not change a count."""
    _, values = jansen()
    fresh = Solver(jansen_system(values, 0, 6))
    used = Solver(jansen_system(values, 0, 6))
    both_optima(
        used, used.system.objective(np.random.default_rng(5).dirichlet(np.ones(16), 20)), 0.0
    )
    here, there = (
        permutation_test(solver, 1e-5, np.random.default_rng(2), permutations=200)
        for solver in (fresh, used)
    )
    assert here.below.tolist() == there.below.tolist()
    turned = Verdicts(fresh, 1e-5)
    objectives, _ = permuted_objectives(fresh.system, np.random.default_rng(2), permutations=200)
    backwards = turned.below(objectives[::-1], here.statistic)
    parts = [turned.below(part, here.statistic) for part in np.array_split(objectives, 7)]
    assert backwards[::-1].sum(axis=0).tolist() == here.below.tolist()
    assert np.concatenate(parts).sum(axis=0).tolist() == here.below.tolist()


def test_all_ordinal_by_matching() -> None:
    _, values = jansen()
    system = jansen_system(values, 3, 1, metric=False)
    found = permutation_test(Solver(system), 0.0, np.random.default_rng(0), permutations=200)
    objectives, _ = permuted_objectives(system, np.random.default_rng(0), permutations=200)
    every = both_optima(Solver(system), objectives, 0.0)[:, 0]
    assert found.statistic[0] == 0.0
    assert found.below.tolist() == (every[:, None] < found.statistic - 1e-9).sum(axis=0).tolist()


# -------------------------------------------------------------------------------------- sequential


def test_stopping_at_the_hth_exceedance() -> None:
    _, values = jansen()
    solver = Solver(jansen_system(values, 3, 4))
    full = permutation_test(solver, 1e-5, np.random.default_rng(4), permutations=300)
    found = permutation_test(
        solver, 1e-5, np.random.default_rng(4), permutations=300, stop_after=10
    )
    objectives, _ = permuted_objectives(solver.system, np.random.default_rng(4), permutations=300)
    reached = ~Verdicts(solver, 1e-5).below(objectives, full.statistic)
    for i in range(2):
        places = np.flatnonzero(reached[:, i])
        assert len(places) >= 10
        assert found.resamples[i] == places[9] + 1
        assert found.pvalue[i] == pytest.approx(10 / (places[9] + 1))
        assert found.below[i] == places[9] + 1 - 10


def test_sequential_p_values_are_valid() -> None:
    """P(p ≤ α) ≤ α for ideal exceedances: a uniform p of the data, h = 5, at most 60 resamples."""
    from bayescompare.kernels.gsd.permutation import _stopped

    rng = np.random.default_rng(0)
    true = rng.random(20_000)
    reached = np.cumsum(rng.random((20_000, 60)) < true[:, None], axis=1)
    pvalues = np.array([_stopped(row, 5, 60)[1] for row in reached])
    for alpha in (0.02, 0.05, 0.1, 0.25, 0.5):
        assert (pvalues <= alpha).mean() <= alpha + 4 * math.sqrt(alpha * (1 - alpha) / 20_000)
