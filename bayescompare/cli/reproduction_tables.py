"""What ``bayescompare reproduce`` prints: the list, and published beside obtained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescompare.cli.tables import new_table
from bayescompare.text.numbers import (
    duration_text,
    share_number_text,
    standard_error_text,
    statistic_number_text,
    whole_number_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from bayescompare.studies.reproduction import Reproduced, Reproduction

__all__ = ["print_reproduced", "print_reproductions"]


def print_reproductions(out: Console, known: Sequence[Reproduction]) -> None:
    """List the tables and figures, what there is to compare with, and what each costs."""
    table = new_table("table", "what", "published", "cost", left=4)
    for r in known:
        cost = duration_text(r.seconds) if r.unit else "exact"
        simulated = f"{whole_number_text(r.replications)} {r.unit}" if r.unit else ""
        table.add_row(r.key, f"{r.what}", r.published, f"{cost}\n{simulated}".strip())
    out.print(table)
    names = "; ".join(f"{', '.join(r.also)}: see {r.key}" for r in known if r.also)
    out.print(f"Also known: {names}.")
    out.print("Costs are CPU time on one core; --quick takes about a twentieth.")


def print_reproduced(out: Console, done: Reproduced) -> None:
    """Print one reproduction: its table, its claims and its notes."""
    r = done.reproduction
    out.print(f"{r.key}: {r.paper}", style="bold")
    out.print(f"{r.what} ({done.simulated})")
    table = new_table("case", "quantity", "published", "obtained", "MCSE", "verdict", left=2)
    for row in done.outcome.figures:
        whole = row.mcse == 0.0 and row.obtained == round(row.obtained)
        table.add_row(
            row.case,
            row.quantity,
            _figure_text(row.published, whole),
            _figure_text(row.obtained, whole),
            "exact" if row.mcse == 0.0 else standard_error_text(row.mcse),
            row.verdict,
        )
    out.print(table)
    for line in done.explain().splitlines()[1:]:
        out.print(line)
    out.print()


def _figure_text(value: float | None, whole: bool) -> str:
    """A count as it is, a share to three digits, nothing where there is none."""
    if value is None:
        return ""
    share = not whole and 0.0 <= value <= 1.0
    return share_number_text(value) if share else statistic_number_text(value, significant=6)
