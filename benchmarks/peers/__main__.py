"""``python -m benchmarks.peers [TASK…]``: time, memory and error against other packages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bayescompare import BayescompareError
from benchmarks.peers.figure import draw
from benchmarks.peers.runner import run_bench
from benchmarks.peers.table import OURS, BenchTable, cells

#: Where `make bench` puts the other packages.
USUAL_PEERS = Path(".venv-bench/bin/python")


def main(arguments: list[str] | None = None) -> int:
    asked = _options().parse_args(arguments)
    usual = USUAL_PEERS if asked.python is None and USUAL_PEERS.is_file() else asked.python
    try:
        for path in (asked.save, asked.figure):
            if path is not None and not path.parent.is_dir():
                raise BayescompareError(f"{path}: there is no such folder.")
        if asked.figure is not None and asked.figure.suffix not in (".png", ".svg", ".pdf"):
            raise BayescompareError(f"--figure {asked.figure}: must end in .png, .svg or .pdf.")
        table = run_bench(
            tasks=asked.tasks or None,
            sizes=asked.sizes,
            peers=usual,
            seed=asked.seed,
            tell=lambda line: print(line, file=sys.stderr),
        )
    except BayescompareError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if asked.json:
        print(table.to_json())
    else:
        print_table(table)
    if asked.save is not None:
        asked.save.write_text(table.to_json() + "\n", encoding="utf-8")
    if asked.figure is not None:
        draw(table).savefig(asked.figure)
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    options.add_argument("tasks", nargs="*", metavar="TASK", help="Default: all.")
    options.add_argument("--sizes", type=int, metavar="N", help="Only the N smallest sizes.")
    options.add_argument(
        "--python",
        type=Path,
        metavar="PATH",
        help=f"The Python that has the other packages. Default: {USUAL_PEERS}, else this one.",
    )
    options.add_argument("--seed", type=int, default=0, metavar="N", help="Of the data.")
    options.add_argument("--json", action="store_true", help="Print JSON instead of a table.")
    options.add_argument("--save", type=Path, metavar="PATH.json")
    options.add_argument("--figure", type=Path, metavar="PATH.png", help="Time against size.")
    return options


def print_table(table: BenchTable) -> None:
    """Print every task, with a row for each size and package."""
    out = Console(width=None if sys.stdout.isatty() else 100, highlight=False, markup=False)
    for task in dict.fromkeys(row.task for row in table.rows):
        rows = [row for row in table.rows if row.task == task]
        out.print(f"{rows[0].title} ({task})", style="bold")
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        shown.add_column(rows[0].size_name, justify="right")
        shown.add_column("package")
        for column in ("time", "of ours", "memory", "error", "growth"):
            shown.add_column(column, justify="right", no_wrap=True)
        for row in rows:
            shown.add_row(
                *cells(row, table.growth(task, row.package)),
                style="bold" if row.package == OURS else None,
            )
        out.print(shown)
    machine = ", ".join(str(value) for value in table.machine.values())
    versions = ", ".join(f"{name} {number}" for name, number in table.versions.items())
    out.print(f"Processor time on {machine}. {versions}.")
    out.print(
        "of ours: time divided by ours. memory: at the peak of a call, above what was in use. "
        "error: largest distance from the exact value. growth: b in time ~ size^b."
    )


if __name__ == "__main__":
    sys.exit(main())
