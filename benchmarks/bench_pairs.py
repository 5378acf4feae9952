"""All pairs of 300 algorithms at once, against one by one; and the page about them."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time

import bayescompare as bc
from benchmarks.bench_large import table
from benchmarks.timing import Row

# A process of its own: its memory, and the CPU and wall seconds of pairwise() and of the report.
ALL_PAIRS = """
import os, tempfile, time
import bayescompare as bc
from benchmarks.bench_large import table
from benchmarks.timing import peak_megabytes
results = table(300, 3, 60)
bc.pairwise(table(12, 3, 6), n_jobs=1)
def timed(work):
    cpu, wall = time.process_time(), time.perf_counter()
    found = work()
    print(time.process_time() - cpu, time.perf_counter() - wall)
    return found
p = timed(lambda: bc.pairwise(results, n_jobs=1))
timed(p.decide)
print(peak_megabytes())
with tempfile.TemporaryDirectory() as folder:
    path = timed(lambda: p.report(os.path.join(folder, "p.html")))
    print(os.path.getsize(path) / 1e6)
"""

#: Pairs that are compared one by one to know how long all would take.
_SOME = 50


def run() -> list[Row]:
    done = subprocess.run(
        [sys.executable, "-c", ALL_PAIRS], check=True, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    (cpu, wall), (decided, _) = (map(float, line.split()) for line in lines[:2])
    megabytes, size = float(lines[2]), float(lines[4])
    page, page_wall = map(float, lines[3].split())
    results = table(300, 3, 60)
    names = results.algorithms
    bc.compare(results, algorithms=names[:2])
    start = time.process_time()
    for pair in itertools.pairwise(names[: _SOME + 1]):
        bc.compare(results, algorithms=pair)
    apart = (time.process_time() - start) * 44_850 / _SOME
    what = "pairwise(), 300 algorithms × 60 datasets × 3 measures"
    spent = cpu + decided
    return [
        Row(
            f"{what}, and decide() (wall {wall:.3g} s): against compare() of each pair",
            spent,
            apart,
            "< 10 s of CPU",
            spent < 10.0,
        ),
        Row(f"{what}: memory of the process", megabytes, 400.0, "< 400 MB", megabytes < 400, "MB"),
        Row(f"its report (wall {page_wall:.3g} s)", page, 10.0, "< 10 s of CPU", page < 10.0),
        Row("size of its report", size, 2.0, "< 2 MB", size < 2.0, "MB"),
    ]
