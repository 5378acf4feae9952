"""``make bench``: every benchmark, as ratios in one run."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks import (
    bench_context,
    bench_gsd,
    bench_import,
    bench_items,
    bench_large,
    bench_learned,
    bench_maximum,
    bench_network,
    bench_nuts,
    bench_pairs,
    bench_ranking,
    bench_replicated,
)
from benchmarks.timing import Row


def shown(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.3g} {unit}"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def main() -> None:
    rows: list[Row] = []
    for module in (
        bench_import,
        bench_maximum,
        bench_large,
        bench_items,
        bench_learned,
        bench_network,
        bench_context,
        bench_gsd,
        bench_ranking,
        bench_pairs,
        bench_nuts,
        bench_replicated,
    ):
        rows += module.run()
    table = Table(title="bayescompare benchmarks (medians of 3; ratio = baseline / ours)")
    for column in ("what", "ours", "baseline", "ratio", "goal", "met"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in rows:
        cells = (shown(row.ours, row.unit), shown(row.baseline, row.unit), f"{row.ratio:.3g}×")
        table.add_row(row.what, *cells, row.goal, "yes" if row.met else "NO")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
