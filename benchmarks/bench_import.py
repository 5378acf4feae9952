"""Importing the package costs what numpy and scipy.special cost; the help loads nothing heavy."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.timing import Row


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return time.perf_counter() - start


def run() -> list[Row]:
    ours, baseline = [], []
    for _ in range(7):
        ours.append(seconds("import bayescompare"))
        baseline.append(seconds("import numpy, scipy.special"))
    mine, theirs = statistics.median(ours), statistics.median(baseline)
    what = "import bayescompare against import numpy, scipy.special"
    return [Row(what, mine, theirs, "≥ 0.67×", mine <= 1.5 * theirs)]
