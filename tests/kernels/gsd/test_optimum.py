"""The optimum against the definition, with a solver that lies, and by matching; thresholds in δ."""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare._errors import BayescompareError
from bayescompare.kernels.gsd.optimum import Solver, both_optima, delta_threshold, matching_optimum
from bayescompare.kernels.gsd.programme import HotSimplex, Solution, SolverError
from bayescompare.kernels.gsd.system import PreferenceSystem, build_system
from tests.cases import few_quick
from tests.oracles import gsd as go

DATA = Path(__file__).resolve().parents[3] / "bayescompare" / "data" / "jansen_uci.csv"


def jansen() -> tuple[list[str], np.ndarray]:
    """Names, and (dataset, algorithm, measure) in thousandths, Brier negated."""
    with DATA.open(newline="") as file:
        rows = list(csv.DictReader(file))
    datasets = sorted({row["dataset"] for row in rows})
    names = sorted({row["algorithm"] for row in rows})
    values = np.empty((len(datasets), len(names), 3), dtype=np.int64)
    for row in rows:
        place = datasets.index(row["dataset"]), names.index(row["algorithm"])
        auc, accuracy, brier = (round(1000 * float(row[m])) for m in ("auc", "accuracy", "brier"))
        values[place] = auc, accuracy, -brier
    return names, values


LEAST, GREATEST = np.array([0, 0, -1000]), np.array([1000, 1000, 0])


def jansen_system(values: np.ndarray, i: int, j: int, metric: bool = True) -> PreferenceSystem:
    x, y = values[:, i] / 1000, values[:, j] / 1000
    return build_system(x, y, LEAST / 1000, GREATEST / 1000, [metric] * 3)


class Case:
    """A random small system in integers, its naive rows, and ours from the same numbers."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        k, s = int(rng.integers(1, 4)), int(rng.integers(1, 6))
        top = int(rng.choice([2, 4, 10, 1000]))
        self.x, self.y = rng.integers(0, top + 1, (2, s, k))
        self.least, self.greatest = np.zeros(k, dtype=np.int64), np.full(k, top)
        if rng.random() < 0.3:
            self.y[0] = self.x[0]
        if rng.random() < 0.3:
            self.x[-1] = self.greatest
        if rng.random() < 0.3:
            self.y[-1] = self.least
        self.metric = rng.random(k) < 0.7
        self.rule = "interval" if seed % 2 else "jansen2022"
        ends = self.least, self.greatest
        self.rows = go.naive_rows(self.x, self.y, *ends, self.metric, self.rule)
        # Thousandths are not binary fractions: equal differences differ by rounding.
        x, y, least, greatest = (v / 1000 for v in (self.x, self.y, *ends))
        self.system = build_system(x, y, least, greatest, self.metric, rule=self.rule)
        numbers = {tuple(p): n for n, p in enumerate(self.rows.points.tolist())}
        ours = np.rint(self.system.points * 1000).astype(int).tolist()
        self.place = np.array([numbers[tuple(p)] for p in ours])

    def to_oracle(self, u: np.ndarray) -> np.ndarray:
        out = np.empty_like(u)
        out[self.place] = u
        return out


@pytest.mark.parametrize("block", few_quick(range(10), 1))
def test_the_optimum_of_the_definition(block: int) -> None:
    """200 systems: metric, ordinal, mixed under both rules, ties, duplicates, points at bounds."""
    for seed in range(20 * block, 20 * block + 20):
        case = Case(seed)
        solver = Solver(case.system)
        w = go.objective(case.rows.points, case.x, case.y)
        assert w[case.place] == pytest.approx(case.system.objective(), abs=1e-15)
        largest = go.largest_delta(case.rows)
        assert solver.delta_max == pytest.approx(largest, abs=1e-9), seed
        for share, sign in itertools.product((0.0, 0.3, 0.9), (1.0, -1.0)):
            delta = share * largest
            expected, _ = go.solve_rows(case.rows, sign * w, delta)
            found = solver.optimum(sign * w[case.place], delta)
            assert found.value == pytest.approx(expected, abs=1e-9), (seed, share, sign)
            assert found.value - 1e-10 <= found.bound <= found.value + 1e-12
            u = case.to_oracle(found.u)
            assert go.violation(case.rows, u, min(delta, solver.delta_max)) <= 1e-11
        assert solver.cold_solves == 0


@pytest.mark.parametrize("seed", few_quick(range(20), 5))
def test_any_objective_and_delta_beyond_the_largest(seed: int) -> None:
    case = Case(seed + 500)
    solver, rng = Solver(case.system), np.random.default_rng(seed)
    for _ in range(4):
        w = rng.normal(size=case.system.size)
        expected, _ = go.solve_rows(case.rows, case.to_oracle(w), 0.0)
        assert solver.optimum(w, 0.0).value == pytest.approx(expected, abs=1e-9)
        # Just inside, since the oracle's solver has a tolerance of its own.
        expected, _ = go.solve_rows(case.rows, case.to_oracle(w), solver.delta_max * (1 - 1e-9))
        assert solver.optimum(w, 0.99).value == pytest.approx(expected, abs=1e-6)
        at_most = solver.optimum(w, solver.delta_max).value
        assert solver.optimum(w, 0.99).value == at_most


def rows_of(system: PreferenceSystem, reduced: bool) -> go.Rows:
    counts = np.diff(system.starts)
    keys = np.repeat(system.keys, counts, axis=0)
    pairs = np.stack([system.upper, system.lower], axis=1)
    return (go.reduced_rows if reduced else go.full_rows)(system.points, keys, pairs)


@pytest.mark.slow
def test_the_full_and_the_reduced_programme_on_real_data() -> None:
    """Sixteen datasets, three decimals: full, reduced and ours agree to 1e-9."""
    _, values = jansen()
    system = jansen_system(values, 0, 6)
    solver, w = Solver(system), system.objective()
    full, reduced = rows_of(system, reduced=False), rows_of(system, reduced=True)
    assert full.strict.shape[0] > 20 * reduced.strict.shape[0]
    for delta, sign in ((0.0, 1.0), (1e-3, -1.0)):
        ours = solver.optimum(sign * w, delta)
        assert ours.value == pytest.approx(go.solve_rows(full, sign * w, delta)[0], abs=1e-9)
        assert ours.value == pytest.approx(go.solve_rows(reduced, sign * w, delta)[0], abs=1e-9)
        assert go.violation(full, ours.u, delta) <= 1e-11


@pytest.mark.parametrize("seed", few_quick(range(6), 3))
def test_degenerate_data_against_cold_highs(seed: int) -> None:
    """Grids of few values: most keys are tied, most vertices degenerate; many objectives, hot."""
    rng = np.random.default_rng(seed)
    levels = (2, 3, 5, 8, 20, 1000)[seed]
    x, y = rng.integers(0, levels + 1, (2, 12, 3)) / levels
    system = build_system(x, y, [0] * 3, [1] * 3, [True] * 3)
    rows = rows_of(system, reduced=True)
    solver = Solver(system)
    for delta in (0.0, 0.5 * solver.delta_max):
        for w in system.objective(rng.choice([-1.0, 1.0], (25, 12)) / 12):
            expected, _ = go.solve_rows(rows, w, delta)
            assert solver.optimum(w, delta).value == pytest.approx(expected, abs=1e-9)
    assert solver.cold_solves == 0


# --------------------------------------------------------------------------- no wrong number leaves


class Liar(HotSimplex):
    """Says "optimal" of the first utility it was ever right about."""

    told: Solution | None = None

    def optimum(self, w: np.ndarray) -> Solution:
        if self.told is None:
            self.told = super().optimum(w)
        y = np.zeros(len(self.rows))
        y[: len(self.told.y)] = self.told.y
        return self.told._replace(y=y)


class Quitter(HotSimplex):
    def optimum(self, w: np.ndarray) -> Solution:
        raise SolverError("no")


@pytest.mark.parametrize("simplex", [Liar, Quitter])
def test_a_wrong_optimum_is_caught(monkeypatch: pytest.MonkeyPatch, simplex: type) -> None:
    _, values = jansen()
    system = jansen_system(values, 0, 6)
    objectives = system.objective(np.random.default_rng(0).choice([-1.0, 1.0], (5, 16)) / 16)
    expected = both_optima(Solver(system), objectives, 1e-5)
    monkeypatch.setattr("bayescompare.kernels.gsd.optimum.HotSimplex", simplex)
    # Feasible, or else rows would be generated for ever: a liar about optimality only.
    solver = Solver(system)
    if simplex is Liar:
        honest = Solver(system)
        solver._pool.told = Solution(honest.center, np.zeros(0), 0.0)
    assert both_optima(solver, objectives, 1e-5) == pytest.approx(expected, abs=1e-10)
    assert solver.cold_solves >= 10


class Breaker(HotSimplex):
    """Returns a utility that breaks rows of the pool, below the optimum."""

    def optimum(self, w: np.ndarray) -> Solution:
        found = super().optimum(w)
        return found._replace(
            u=np.where(np.arange(len(w)) < 2, found.u, found.u - 0.1 * np.sign(w))
        )


@pytest.mark.parametrize("metric", [True, False])
def test_a_utility_outside_is_caught(monkeypatch: pytest.MonkeyPatch, metric: bool) -> None:
    _, values = jansen()
    system = jansen_system(values, 0, 6, metric=metric)
    expected = both_optima(Solver(system), system.objective()[None], 1e-3)
    monkeypatch.setattr("bayescompare.kernels.gsd.optimum.HotSimplex", Breaker)
    monkeypatch.setattr("bayescompare.kernels.gsd.optimum.ROUNDS", 30)
    solver = Solver(system)
    assert both_optima(solver, system.objective()[None], 1e-3) == pytest.approx(expected, abs=1e-10)
    assert solver.cold_solves >= 2


def test_what_cannot_be_certified_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    _, values = jansen()
    system = jansen_system(values, 0, 6)
    solver = Solver(system)
    monkeypatch.setattr(
        "bayescompare.kernels.gsd.optimum.lower_bounds", lambda *_: np.array([-1.0])
    )
    with pytest.raises(ArithmeticError, match="certified"):
        solver.optimum(system.objective(), 0.0)


def test_only_the_bounds() -> None:
    system = build_system([[1.0]], [[0.0]], [0.0], [1.0], [True])
    solver = Solver(system)
    assert solver.optimum(system.objective(), 0.5).value == 1.0
    assert solver.optimum(-system.objective(), 0.5).value == -1.0
    assert solver.delta_max == 1.0


# ------------------------------------------------------------------------------------- known facts


def test_literal_rule_leaves_only_delta_zero() -> None:
    """Equation (2) calls a purely ordinal gain none: u is equal, and no δ > 0 is possible."""
    x, y, ends = [[0.5, 2.0]], [[0.5, 1.0]], ([0.0, 0.0], [1.0, 3.0])
    literal = Solver(build_system(x, y, *ends, [True, False], rule="jansen2022"))
    assert literal.delta_max == 0.0
    assert literal.optimum(-literal.system.objective(), 0.1).value == pytest.approx(0.0, abs=1e-12)
    interval = Solver(build_system(x, y, *ends, [True, False], rule="interval"))
    assert interval.delta_max > 0.1
    assert interval.optimum(-interval.system.objective(), 0.0).value < -0.1


# -------------------------------------------------------------------------------------- properties

SMALL = st.integers(0, 6)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    k, s = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    cells = st.lists(SMALL, min_size=2 * s * k, max_size=2 * s * k)
    x, y = np.array(draw(cells), dtype=float).reshape(2, s, k) / 6
    metric = np.array(draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    return x, y, metric, draw(st.sampled_from(["interval", "jansen2022"]))


def both_ways(
    x: np.ndarray, y: np.ndarray, metric: np.ndarray, rule: str, scale: np.ndarray | float = 1.0
) -> np.ndarray:
    """opt_xy and opt_yx at δ = 0 and at half of δ_max, and δ_max."""
    k = x.shape[1]
    system = build_system(x * scale, y * scale, np.zeros(k), np.ones(k) * scale, metric, rule=rule)
    solver, w = Solver(system), system.objective()[None]
    found = [both_optima(solver, w, delta)[0] for delta in (0.0, 0.5 * solver.delta_max)]
    return np.concatenate([*found, [solver.delta_max]])


@given(tables())
def test_what_must_hold_between_the_optima(table: tuple) -> None:
    x, y, metric, rule = table
    xy, yx, xy_later, yx_later, largest = both_ways(x, y, metric, rule)
    assert xy + yx <= 1e-9
    assert xy_later + yx_later <= 1e-9, "a utility of either direction bounds the other"
    assert xy_later >= xy - 1e-9
    assert yx_later >= yx - 1e-9, "a larger δ leaves fewer utilities"
    assert 0.0 <= largest <= 1.0
    if (x >= y).all():
        assert xy >= -1e-9, "better everywhere is better"


@given(tables())
@settings(max_examples=25)
def test_more_structure_orders_more(table: tuple) -> None:
    """Metric measures have fewer utilities than the same measures taken as ordinal."""
    x, y, metric, rule = table
    as_metric = both_ways(x, y, np.ones_like(metric), rule)
    as_ordinal = both_ways(x, y, np.zeros_like(metric), rule)
    assert (as_metric[:2] >= as_ordinal[:2] - 1e-9).all()


# --------------------------------------------------------------------------------------- bad sizes


def test_too_many_points_for_the_memory() -> None:
    x, y = np.random.default_rng(0).random((2, 500, 1))
    with pytest.raises(BayescompareError, match=r"1002 distinct.*fewer datasets"):
        build_system(x, y, [0.0], [1.0], [True], memory=1e7)


def test_too_many_points_for_the_programme_or_the_matching() -> None:
    with pytest.raises(BayescompareError, match=r"20000 distinct.*fewer datasets"):
        HotSimplex(20_000, np.empty((0, 4), dtype=np.int32), 0.0)
    levels = np.arange(30_000.0)
    x = np.stack([levels, levels[::-1]], axis=1)
    system = build_system(x + 0.5, x, [-1.0] * 2, [1e5] * 2, [False] * 2)
    with pytest.raises(BayescompareError, match=r"60002 distinct.*matching"):
        Solver(system).optimum(system.objective(), 0.0)


def test_bounds_that_are_equal() -> None:
    with pytest.raises(BayescompareError, match="wider bounds"):
        build_system([[1.0]], [[1.0]], [1.0], [1.0], [True])


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
