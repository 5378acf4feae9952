"""A statement space of 4.3e27 cells costs no more than one of 4096, and next to no memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd

import bayescompare as bc
from benchmarks.timing import Row, median_seconds

# Both what numpy and Python allocate, and what the process grows by: the larger counts.
MEMORY = """
import tracemalloc
import bayescompare as bc
from benchmarks.bench_large import table
from benchmarks.timing import peak_megabytes
results = table(8, 6)
bc.compare(table(2, 2))
before = peak_megabytes()
tracemalloc.start()
bc.compare(results)
grown = peak_megabytes() - before
print(max(grown, tracemalloc.get_traced_memory()[1] / 2**20))
"""


def table(l: int, m: int, n: int = 50) -> bc.Results:
    rng = np.random.default_rng(l * m)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(n)], l),
            "algorithm": np.tile([f"a{i}" for i in range(l)], n),
            **{f"m{j}": rng.normal(size=n * l) for j in range(m)},
        }
    )
    return bc.Results.from_frame(frame, measures={f"m{j}": "max" for j in range(m)})


def run() -> list[Row]:
    huge, small = table(8, 6), table(2, 12)
    ours = median_seconds(lambda: bc.compare(huge))
    baseline = median_seconds(lambda: bc.compare(small))
    spent = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    megabytes = float(spent.stdout)
    return [
        Row(
            "compare(), K = 4.3e27 against K = 4096",
            ours,
            baseline,
            "≥ 0.33×",
            ours <= 3 * baseline,
        ),
        Row(
            "memory above the import, K = 4.3e27", megabytes, 50.0, "< 50 MB", megabytes < 50, "MB"
        ),
    ]
