"""What ``bayescompare bench`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from bayescompare.cli.tables import console
from bayescompare.studies.bench.table import OURS

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
    ratio = row.ratio
    return (
        str(row.size),
        row.package,
        bench_time(row.seconds),
        "" if ratio is None else f"{ratio:.2g}×" if ratio < 99.5 else f"{ratio:.0f}×",
        "" if row.megabytes is None else f"{row.megabytes:.3g} MB",
        "—" if row.error is None else "0" if row.error == 0 else f"{row.error:.0e}",
        "" if growth is None else f"{growth:.1f}",
    )


def bench_time(seconds: float) -> str:
    """Write seconds with two figures and a unit.

    Examples
    --------
    >>> [bench_time(s) for s in (3.21e-5, 0.0456, 7.89, 123.4)]
    ['32 µs', '46 ms', '7.9 s', '123 s']
    """
    for factor, unit in ((1e6, "µs"), (1e3, "ms"), (1.0, "s")):
        number = seconds * factor
        if number < 999.5 or unit == "s":
            break
    return f"{number:.2g} {unit}" if number < 99.5 else f"{number:.0f} {unit}"
