"""Generalised stochastic dominance: against cold linear programmes, growth, and Table 3.

``python -m benchmarks.bench_gsd`` prints how cost grows and Table 3 too; ``--full`` goes on to
s = 500. Times are of the processor, on one core. The baselines are HiGHS on every row of the
definition and on the cover rows, cold.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

import bayescompare as bc
from bayescompare.kernels.gsd.optimum import Solver, both_optima
from bayescompare.kernels.gsd.permutation import permutation_test, permuted_objectives
from bayescompare.kernels.gsd.system import PreferenceSystem, build_system
from benchmarks.timing import Row

ROOT = Path(__file__).resolve().parents[1]
DELTA = 1e-5
LEAST, GREATEST = [0.0, 0.0, -1.0], [1.0, 1.0, 0.0]
PUBLISHED = {
    ("BDS", "CART"): 1.0,
    ("BDS", "EN"): 0.976,
    ("BDS", "LASSO"): 0.967,
    ("BDS", "RIDGE"): 0.951,
    ("EN", "CART"): 0.998,
    ("GBM", "BDS"): 0.998,
    ("GBM", "CART"): 1.0,
    ("GBM", "EN"): 0.998,
    ("GBM", "LASSO"): 0.999,
    ("GBM", "RIDGE"): 0.997,
    ("GLM", "CART"): 1.0,
    ("LASSO", "CART"): 0.997,
    ("RF", "CART"): 1.0,
    ("RF", "EN"): 0.953,
    ("RIDGE", "CART"): 0.999,
}

# A fresh process: seconds for the whole test, and megabytes at the peak, imports included.
FRESH = """
from benchmarks.bench_gsd import simulated, timed_test
from benchmarks.timing import peak_megabytes
timed_test(simulated(5, {shift}), 20)
timed_test(simulated(12, {shift}), 200)
seconds, found = timed_test(simulated({s}, {shift}), {permutations})
print(seconds, peak_megabytes(), *found.share_below)
"""


def oracles() -> ModuleType:
    """tests/oracles/gsd.py; `tests` itself may be another package's."""
    spec = importlib.util.spec_from_file_location(
        "gsd_oracles", ROOT / "tests" / "oracles" / "gsd.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table() -> tuple[list[str], np.ndarray]:
    """Names and (dataset, algorithm, measure) of the bundled example, Brier negated."""
    frame = pd.read_csv(ROOT / "bayescompare" / "data" / "jansen_uci.csv")
    names = sorted(frame["algorithm"].unique())
    wide = frame.assign(brier=-frame["brier"]).pivot(index="dataset", columns="algorithm")
    return names, np.stack([wide[m][names].to_numpy() for m in ("auc", "accuracy", "brier")], 2)


def real(values: np.ndarray, i: int, j: int) -> PreferenceSystem:
    return build_system(values[:, i], values[:, j], LEAST, GREATEST, [True] * 3)


def simulated(s: int, shift: float, seed: int = 0) -> PreferenceSystem:
    """Measures of one dataset resemble each other, as those of classifiers do."""
    rng = np.random.default_rng(seed)
    level = rng.random((s, 1)) * (0.8 - shift)
    x, y = level + shift + 0.2 * rng.random((s, 3)), level + 0.2 * rng.random((s, 3))
    return build_system(x, y, [0.0] * 3, [1.0] * 3, [True] * 3)


def timed_test(system: PreferenceSystem, permutations: int, seed: int = 0):
    start = time.process_time()
    rng = np.random.default_rng(seed)
    found = permutation_test(Solver(system), DELTA, rng, permutations=permutations)
    return time.process_time() - start, found


def cold(system: PreferenceSystem, kind: str, count: int) -> tuple[float, float]:
    """Seconds of one cold programme, and the largest difference from ours, over `count` swaps.

    Its rows are made once and not counted.
    """
    module = oracles()
    keys = np.repeat(system.keys, np.diff(system.starts), axis=0)
    pairs = np.stack([system.upper, system.lower], axis=1)
    rows = getattr(module, f"{kind}_rows")(system.points, keys, pairs)
    objectives, _ = permuted_objectives(system, np.random.default_rng(0), permutations=200)
    objectives = objectives[:count]
    ours = both_optima(Solver(system), objectives, DELTA)[:, 0]
    start = time.process_time()
    values = [module.solve_rows(rows, w, DELTA)[0] for w in objectives]
    seconds = (time.process_time() - start) / count
    return seconds, float(np.abs(ours - values).max())


def against_cold() -> list[Row]:
    """Mean per resample over a whole test of 1000 (both directions) against one cold programme."""
    _, values = table()
    cases = (
        ("s = 16 (BDS, RF)", real(values, 0, 6), "full", 2, 1000.0),
        ("s = 16 (BDS, RF)", real(values, 0, 6), "reduced", 10, 25.0),
        ("s = 50", simulated(50, 0.02), "reduced", 2, 150.0),
    )
    rows = []
    for what, system, kind, count, goal in cases:
        ours = timed_test(system, 1000)[0] / 1000
        baseline, error = cold(system, kind, count)
        met = baseline / ours >= goal and error <= 1e-9
        label = f"GSD resample, {what}, against the {kind} LP, cold (differs by {error:.0e})"
        rows.append(Row(label, ours, baseline, f"≥ {goal:.0f}× and 1e-9", met))
    return rows


def ordinal() -> Row:
    x, y = np.random.default_rng(0).random((2, 1000, 3))
    system = build_system(x + 0.1, y, [0] * 3, [2] * 3, [False] * 3)
    start = time.process_time()
    Solver(system).optimum(system.objective(), 0.0)
    ours = time.process_time() - start
    return Row("GSD optimum, all ordinal, s = 1000, against 1 s", ours, 1.0, "< 1 s", ours < 1.0)


def table_3() -> tuple[float, dict[tuple[str, str], float]]:
    names, values = table()
    shares = {}
    start = time.process_time()
    for i, j in itertools.combinations(range(len(names)), 2):
        _, found = timed_test(real(values, i, j), 1000)
        shares[names[i], names[j]], shares[names[j], names[i]] = map(float, found.share_below)
    return time.process_time() - start, shares


def large() -> list[Row]:
    """Two hundred datasets, 1000 resamples, in a process of its own for its memory."""
    seconds, megabytes, _, _ = fresh_test(200, 0.02, 1000)
    what = "GSD, s = 200, three metric measures, 1000 resamples, one core"
    return [
        Row(f"{what}, against 90 s on two", seconds, 180.0, "< 180 s", seconds < 180.0),
        Row(f"{what}: memory", megabytes, 1000.0, "< 1000 MB", megabytes < 1000.0, "MB"),
    ]


def run() -> list[Row]:
    # The compiler's time is not the test's.
    timed_test(simulated(5, 0.0), 20)
    timed_test(simulated(12, 0.0), 200)
    seconds, _ = table_3()
    label = "GSD, the whole of Table 3 (56 × 1000 resamples), one core, against 10 s"
    start = time.process_time()
    method = bc.methods.GSD(system="all")
    bc.pairwise(bc.load_example("jansen-uci"), method=method, rng=1, n_jobs=1)
    shared = time.process_time() - start
    return [
        Row("GSD, Table 3 with one system for all, 60 s", shared, 60.0, "< 60 s", shared < 60.0),
        *against_cold(),
        Row(label, seconds, 10.0, "< 10 s", seconds < 10.0),
        ordinal(),
        *large(),
    ]


def fresh_test(s: int, shift: float, permutations: int) -> tuple[float, float, float, float]:
    """Seconds, megabytes at the peak and both shares below, from a process of its own."""
    code = FRESH.format(s=s, shift=shift, permutations=permutations)
    spent = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    seconds, megabytes, there, back = map(float, spent.stdout.split())
    return seconds, megabytes, there, back


def growth(sizes: tuple[int, ...], permutations: int) -> None:
    print(f"\ngrowth: a test of {permutations} resamples, three metric measures, one core")
    print("   s   shift   seconds   MB at the peak   share below")
    for s, shift in itertools.product(sizes, (0.02, 0.0)):
        seconds, megabytes, there, back = fresh_test(s, shift, permutations)
        line = (
            f"{s:4d}   {shift:5.2f}   {seconds:7.1f}   {megabytes:14.0f}   {there:.3f} {back:.3f}"
        )
        print(line, flush=True)


def main() -> None:
    for row in run():
        print(f"{row.what}: {row.ratio:.3g}× (goal {row.goal}) {'met' if row.met else 'NOT MET'}")
    seconds, shares = table_3()
    print(f"\nTable 3, δ = 1e-5, 1000 swaps, {seconds:.1f} s: obtained (published)")
    names = sorted({name for name, _ in shares})
    print("        " + "".join(f"{name:>16}" for name in names))
    for first in names:
        cells = []
        for second in names:
            value, known = shares.get((first, second)), PUBLISHED.get((first, second))
            shown = "" if value is None else f"{value:.3f}"
            cells.append(f"{shown + (f' ({known:.3f})' if known else ''):>16}")
        print(f"{first:8}" + "".join(cells))
    growth((10, 16, 25, 50), 1000)
    if "--full" in sys.argv:
        growth((80, 120, 200, 500), 1000)


if __name__ == "__main__":
    main()
