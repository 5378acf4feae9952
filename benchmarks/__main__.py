"""``python -m benchmarks``: every goal of speed and memory, as ratios measured in one run.

``python -m benchmarks gsd ranking`` runs only these. A benchmark that fails is a row that says so.
"""

from __future__ import annotations

import importlib
import os
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row, cpu_seconds

#: The modules ``benchmarks.bench_NAME``, the quick ones first.
NAMES = (
    "import",
    "maximum",
    "large",
    "csv",
    "learned",
    "context",
    "gsd",
    "network",
    "ranking",
    "pairs",
    "items",
    "studies",
    "nuts",
    "replicated",
)


def shown(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.3g} {unit}"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def cells(row: Row) -> tuple[str, ...]:
    values = shown(row.ours, row.unit), shown(row.baseline, row.unit)
    return (row.what, *values, f"{row.ratio:.3g}×", row.goal, "yes" if row.met else "NO")


def rows_of(name: str) -> list[tuple[str, ...]]:
    """The rows of one benchmark, as text; one that says what failed, if it fails."""
    before = cpu_seconds()
    try:
        rows = [cells(row) for row in importlib.import_module(f"benchmarks.bench_{name}").run()]
    except Exception as error:
        line = str(error).strip().splitlines()[-1:] or [""]
        rows = [(f"{name} FAILED: {type(error).__name__}: {line[0]}", "", "", "", "", "NO")]
    print(f"{name}: {cpu_seconds() - before:.0f} s of processor", file=sys.stderr, flush=True)
    return rows


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; choose from {', '.join(NAMES)}", file=sys.stderr)
        return 2
    # Threads of BLAS that wait by turning would count as processor time.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    rows = [row for name in names or NAMES for row in rows_of(name)]
    table = Table(title="bayescompare benchmarks: processor time; ratio = baseline / ours")
    for column in ("what", "ours", "baseline", "ratio", "goal", "met"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
