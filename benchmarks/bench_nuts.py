"""A second NUTS of the same shape reuses what was compiled for the first.

Each child process starts with an empty folder for compiled code, as on a new machine. PyTensor
keeps some of it on disk, so a later process starts faster: the second row is about that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.timing import Row

CHILD = """
import numpy as np, pandas as pd
import bayescompare as bc
from benchmarks.timing import cpu_seconds

def table(seed, n=100, m=6):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 2, m)) + np.array([[[0.0], [0.4]]])
    datasets = np.repeat([f"{seed}-{i}" for i in range(n)], 2)
    names = {"dataset": datasets, "algorithm": ["A", "B"] * n}
    columns = {f"m{j}": values[:, :, j].ravel() for j in range(m)}
    measures = {f"m{j}": "max" for j in range(m)}
    return bc.Results.from_frame(pd.DataFrame({**names, **columns}), measures=measures)

for seed in range(2):
    c = bc.compare(table(seed))
    start = cpu_seconds()
    c.sample(1000, chains=4, rng=1, progressbar=False)
    print(cpu_seconds() - start)
"""


def seconds(folder: str) -> tuple[float, float]:
    """The first and the second call of a process that keeps compiled code in `folder`."""
    flags = f"base_compiledir={folder}"
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        check=True,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTENSOR_FLAGS": flags,
            # Threads of BLAS that wait by turning would count as processor time.
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    first, second = map(float, done.stdout.split())
    return first, second


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        cold, again = seconds(folder), seconds(folder)
    what = (
        "NUTS of dirichlet, K = 64, n = 100, 4 × 1000: second call against the first, "
        "processor time"
    )
    return [
        Row(what, cold[1], cold[0], "≥ 2×", 2.0 * cold[1] <= cold[0]),
        Row(f"{what}, compiled code on disk", again[1], again[0], "≥ 1×", again[1] <= again[0]),
    ]
