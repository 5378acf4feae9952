"""What ``bayescompare bench`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from bayescompare.cli.tables import console
from bayescompare.studies.bench.table import OURS
from bayescompare.text.numbers import (
    duration_text,
    growth_exponent_text,
    memory_size_text,
    numerical_error_text,
    ratio_text,
)

if TYPE_CHECKING:
    from bayescompare.studies.bench import BenchRow, BenchTable

__all__ = ["bench_cells", "print_bench"]


def print_bench(table: BenchTable) -> None:
    """Print every task, with a row for each size and package."""
    out = console()
    for task in dict.fromkeys(row.task for row in table.rows):
        rows = [row for row in table.rows if row.task == task]
        out.print(f"{rows[0].title} ({task})", style="bold")
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        shown.add_column(rows[0].size_name, justify="right")
        shown.add_column("package")
        for column in ("time", "of ours", "memory", "error", "growth"):
            shown.add_column(column, justify="right", no_wrap=True)
        for row in rows:
            cells = bench_cells(row, table.growth(task, row.package))
            shown.add_row(*cells, style="bold" if row.package == OURS else None)
        out.print(shown)
    machine = ", ".join(str(value) for value in table.machine.values())
    versions = ", ".join(f"{name} {number}" for name, number in table.versions.items())
    out.print(f"Processor time on {machine}. {versions}.")
    out.print(
        "of ours: time divided by ours. memory: at the peak of a call, above what was in use. "
        "error: largest distance from the exact value. growth: b in time ~ size^b."
    )


def bench_cells(row: BenchRow, growth: float | None) -> tuple[str, ...]:
    """Return the cells of a row as text.

    Examples
    --------
    >>> from bayescompare.studies.bench import BenchRow
    >>> row = BenchRow("t", "Task", "folds", 10, "scipy", "ok", 0.0012, 3.0, 2e-16, 24.0)
    >>> bench_cells(row, 0.98)
    ('10', 'scipy', '1.2 ms', '24×', '3 MB', '2e-16', '1.0')
    >>> bench_cells(BenchRow("t", "Task", "folds", 10, "baycomp", "not installed"), None)
    ('10', 'baycomp', 'not installed', '', '', '', '')
    """
    if row.seconds is None:
        what = row.status if row.status == "not installed" else f"failed: {row.note}"
        return (str(row.size), row.package, what, "", "", "", "")
    return (
        str(row.size),
        row.package,
        duration_text(row.seconds),
        "" if row.ratio is None else ratio_text(row.ratio),
        "" if row.megabytes is None else memory_size_text(1e6 * row.megabytes),
        "—" if row.error is None else numerical_error_text(row.error),
        "" if growth is None else growth_exponent_text(growth),
    )
