"""Studies: what the engine costs, what a second worker brings, and the papers' simulated tables."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from bayescompare.studies import Study
from benchmarks.timing import Row, median_seconds
from reproduction import reproduce
from reproduction.auc_cases import (
    AucScenario,
    auc_dirichlet_scores,
    auc_glrt_scores,
)

#: The papers' tables of areas under the ROC curve: 18 scenarios, cases of two kinds.
AUC_TABLES = ("benavoli-2015-table2", "benavoli-2016-table2")

#: Which take about half a millisecond to draw and to sort.
NUMBERS = 20_000

MEMORY = """
from benchmarks.bench_studies import cheap
from benchmarks.timing import peak_megabytes
cheap({replications}).run(rng=1, summary=True)
print(peak_megabytes())
"""


def half_a_millisecond(rng: np.random.Generator, *, numbers: int) -> dict[str, float]:
    return {"top": float(np.sort(rng.normal(size=numbers))[-1])}


def tenth_of_a_second(rng: np.random.Generator, *, steps: int) -> dict[str, float]:
    """Python alone: no library that would take a second core by itself."""
    x = rng.random()
    for _ in range(steps):
        x = 3.9 * x * (1.0 - x)
    return {"x": x}


def cheap(replications: int) -> Study:
    grid = {"numbers": [NUMBERS]}
    return Study(name="cheap", grid=grid, replications=replications, case=half_a_millisecond)


def engine() -> Row:
    """Processor time of the engine against that of a loop over the same cases.

    In the loop, too, each case has a stream of its own, so that it can be run again alone: numpy
    takes about 25 µs to make one.
    """
    replications = 2000

    def bare() -> None:
        for child in np.random.SeedSequence(1).spawn(replications):
            half_a_millisecond(np.random.default_rng(child), numbers=NUMBERS)

    ours = median_seconds(lambda: cheap(replications).run(rng=1), repeat=5)
    baseline = median_seconds(bare, repeat=5)
    more = 100.0 * (ours / baseline - 1.0)
    what = f"a study of 2,000 cases against a bare loop ({more:+.1f} %)"
    return Row(what, ours, baseline, "≤ 5 % more", ours <= 1.05 * baseline)


def on_the_clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def two_workers() -> Row:
    """The only row by the clock, since two workers spend as much processor time as one.

    Nothing else may run beside it.
    """
    grid = {"steps": [2_000_000]}
    study = Study(name="steps", grid=grid, replications=200, case=tenth_of_a_second)
    short = Study(name="short", grid={"steps": [10]}, replications=20, case=tenth_of_a_second)
    start = on_the_clock(lambda: short.run(rng=1, n_jobs=2))
    one, two = (on_the_clock(lambda n=n: study.run(rng=1, n_jobs=n)) for n in (1, 2))
    what = f"a study on two workers against one, on the clock (after {start:.1f} s to start them)"
    return Row(what, two, one, "≥ 1.7×", one / two >= 1.7)


def auc_tables() -> Row:
    """Cases of either kind number 1,000 in each scenario, so that there are 2,000."""
    start = time.process_time()
    for key in AUC_TABLES:
        reproduce(key, replications=1000, rng=1)
    ours = time.process_time() - start
    what = "18 AUC scenarios × 2,000 cases × 3 tests, one core, against 10 min on two"
    return Row(what, ours, 1200.0, "< 1,200 s", ours < 1200.0)


def one_case() -> Row:
    scenario = AucScenario(2, 3, 30, "full")
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.ones(scenario.statements), 500)
    counts = rng.multinomial(scenario.datasets, theta)
    many = median_seconds(lambda: (auc_glrt_scores(counts), auc_dirichlet_scores(counts)))
    ours = many / len(counts)
    what = "GLRT and Dirichlet test of one case, m = 3, n = 30, of 500 at once, against 1 ms"
    return Row(what, ours, 1e-3, "< 1 ms", ours < 1e-3)


def memory() -> Row:
    few, many = (
        float(
            subprocess.run(
                [sys.executable, "-c", MEMORY.format(replications=number)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for number in (1000, 20_000)
    )
    what = "memory of a summary of 20,000 replications against one of 1,000"
    return Row(what, many, few, "≤ 5 % more", many <= 1.05 * few, "MB")


def run() -> list[Row]:
    return [engine(), two_workers(), auc_tables(), one_case(), memory()]
