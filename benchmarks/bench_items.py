"""Ten million item rows, from a parquet file to an answer: time, memory, and growth with the rows.

Two models, five benchmarks, three measures; every item has a text id, and the models' rows are in
different orders. Each run is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Row

MODELS, BENCHMARKS = ("small", "large"), 5

RUN = """
import sys, time
import bayescompare as bc
from benchmarks.timing import peak_megabytes
start, spent = time.perf_counter(), time.process_time()
results = bc.read_results(
    sys.argv[1], replicate="item", replicates="items", keep_items=False,
    measures={"correct": "max", "cost": "min", "latency": "min"},
)
bc.compare(results, method="replicated")
wall, cpu = time.perf_counter() - start, time.process_time() - spent
print(wall, cpu, peak_megabytes())
"""


def write_items(path: Path, rows: int) -> None:
    """Write a long table of items, one model and benchmark after the other."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    rng = np.random.default_rng(0)
    number = rows // (len(MODELS) * BENCHMARKS)
    writer = None
    for a, model in enumerate(MODELS):
        for d in range(BENCHMARKS):
            order = rng.permutation(number)
            hard = np.random.default_rng(d).normal(size=number)[order]
            table = pa.table(
                {
                    "dataset": pa.array([f"benchmark {d}"] * number).dictionary_encode(),
                    "algorithm": pa.array([model] * number).dictionary_encode(),
                    "item": pa.array([f"{d}-question-{k}" for k in order.tolist()]),
                    "correct": rng.normal(size=number) + 0.05 * a > hard,
                    "cost": rng.gamma(2.0, 1.0 + 0.1 * a, size=number),
                    "latency": rng.normal(10.0 - 0.01 * a + hard, 1.0),
                }
            )
            writer = writer or ParquetWriter(path, table.schema)
            writer.write_table(table, row_group_size=200_000)
    assert writer is not None
    writer.close()


def measure(rows: int, folder: Path) -> tuple[float, float, float]:
    """Seconds from the file to the answer, those of the processor, and the peak memory in MB."""
    path = folder / f"{rows}.parquet"
    write_items(path, rows)
    spent = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], check=True, capture_output=True, text=True
    )
    wall, cpu, megabytes = map(float, spent.stdout.split())
    return wall, cpu, megabytes


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        _, tenth, _ = measure(1_000_000, Path(folder))
        wall, seconds, megabytes = measure(10_000_000, Path(folder))
    what = "10 million item rows, parquet to answer"
    return [
        Row(f"{what} (CPU; {wall:.0f} s by the clock)", seconds, 60.0, "< 60 s", seconds < 60.0),
        Row(f"{what}: memory", megabytes, 2048.0, "< 2048 MB", megabytes < 2048.0, "MB"),
        Row(f"{what}, against ten times 1 million", seconds, 10 * tenth, "≥ 0.67×",
            seconds <= 15 * tenth),
    ]  # fmt: skip


if __name__ == "__main__":
    for row in run():
        print(row)
