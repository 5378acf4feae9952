"""A leaderboard of 300 algorithms in seconds, against a plain loop over draws."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import bayescompare as bc
from bayescompare.kernels.ranking.tiers import separated
from benchmarks.bench_large import table
from benchmarks.timing import Row, median_seconds

MEMORY = """
import bayescompare as bc
from benchmarks.bench_large import table
from benchmarks.timing import peak_megabytes
bc.rank(table(300, 3, 60), rng=0)
print(peak_megabytes())
"""


def plain_loop(values: np.ndarray, draws: int) -> float:
    """Seconds that a loop over draws and algorithms takes for the front alone."""
    rng = np.random.default_rng(0)
    start = time.process_time()
    for weights in rng.dirichlet(np.ones(len(values)), draws):
        scores = np.einsum("i,ilm->lm", weights, values)
        for own in scores:
            worse = (scores >= own).all(axis=1) & (scores > own).any(axis=1)
            worse.any()
    return time.process_time() - start


def run() -> list[Row]:
    results = table(300, 3, 60)
    bc.rank(table(3, 2, 8), rng=0)
    start, began = time.process_time(), time.perf_counter()
    bc.rank(results, rng=0)
    ours, wall = time.process_time() - start, time.perf_counter() - began
    loop = 100.0 * plain_loop(results.oriented(), 100)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    megabytes = float(done.stdout)
    what = "rank(), 300 algorithms × 60 datasets × 3 measures"
    return [
        Row(
            f"{what}, 10,000 draws (wall {wall:.3g} s): against a plain loop",
            ours,
            loop,
            "< 5 s of CPU",
            ours < 5.0,
        ),
        Row(f"{what}: memory of the process", megabytes, 1000.0, "< 1 GB", megabytes < 1000, "MB"),
        tiers(),
    ]


def tiers() -> Row:
    """All pairs of 300 algorithms on 60 datasets under 10,000 flips."""
    scores = table(300, 1, 60).oriented()
    rng = np.random.default_rng(0)
    separated(scores[:, :3], 0.95, rng)
    seconds = median_seconds(lambda: separated(scores, 0.95, rng))
    what = "tiers of 300 algorithms × 60 datasets, 10,000 flips, against 2 s"
    return Row(what, seconds, 2.0, "< 2 s", seconds < 2.0)
