"""The first NUTS on a new machine, and on one that has compiled before.

Each child process is given a folder for compiled code: an empty one, as on a new machine, and then
the same again. PyTensor keeps there what it compiled, and numba beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.timing import Row

CHILD = """
import bayescompare as bc
from benchmarks.timing import cpu_seconds

c = bc.compare(bc.load_example("benavoli-example1"))
start = cpu_seconds()
c.sample(rng=1, progressbar=False)
print(cpu_seconds() - start)
"""


def seconds(folder: str) -> float:
    """Processor time of the first call in a process that keeps compiled code in `folder`."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        check=True,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTENSOR_FLAGS": f"base_compiledir={folder}",
            "NUMBA_CACHE_DIR": folder,
            # Threads of BLAS that wait by turning would count as processor time.
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
    )
    return float(done.stdout)


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = seconds(folder), seconds(folder)
    what = "c.sample() of the README's example, 4 × 1000, all groups, processor time"
    return [
        Row(f"{what}, on a new machine", cold, 20.0, "≤ 20 s", cold <= 20.0),
        Row(f"{what}, compiled before", warm, 8.0, "≤ 8 s", warm <= 8.0),
    ]
