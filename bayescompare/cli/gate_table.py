"""What ``bayescompare gate`` prints: the verdict, a row for each measure, and the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from bayescompare.cli.tables import console
from bayescompare.ranking.gate_words import gate_units
from bayescompare.text.numbers import (
    difference_number_text,
    format_probability,
    percent_setting,
)

if TYPE_CHECKING:
    from bayescompare.ranking.gate import Gate

__all__ = ["print_gate"]


def print_gate(g: Gate) -> None:
    """Print a gate to standard output."""
    out = console()
    out.print(f"gate: {g.candidate} against {g.baseline} over {gate_units(g)}", style="dim")
    out.print(g.headline(), style="bold")
    for caveat in g.caveats:
        out.print(f"Careful: {caveat}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("measure", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    # The last heading takes two lines, so that a row fits into 80 columns.
    for figures in ("difference", "at least", "at most", "P(better)", "P(not\nworse)"):
        table.add_column(figures, justify="right", no_wrap=True)
    for name, row in g.table.iterrows():
        unit = g.results[str(name)].unit or ""
        sizes = (row["difference"], row["lower"], row["upper"])
        table.add_row(
            str(name),
            str(row["verdict"]),
            *("" if size != size else difference_number_text(float(size), unit) for size in sizes),
            *(
                "" if p != p else format_probability(float(p), levels=[g.level])
                for p in (row["p_better"], row["p_not_worse"])
            ),
        )
    out.print(table)
    out.print("Differences are means over datasets, positive where the candidate is better.")
    held = percent_setting(g.level)
    out.print(f"“At least” and “at most” are one-sided bounds: each by itself holds with {held}.")
    out.print()
    out.print(g.explain().removeprefix(g.headline()).strip())
