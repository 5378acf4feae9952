"""``python -m reproduction [TABLE…]``: tables and figures of the papers, computed again.

Without a table it lists what there is and what each costs; ``all`` are all of them. Published
stands beside obtained, with the Monte Carlo standard error of what was simulated.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bayescompare import BayescompareError
from bayescompare._rng import as_rng
from bayescompare.text.numbers import (
    duration_text,
    share_number_text,
    standard_error_text,
    statistic_number_text,
    whole_number_text,
)
from reproduction.catalogue import find_reproduction, reproduce, reproductions
from reproduction.outcome import Reproduction
from reproduction.reproduced import Reproduced


def main(arguments: list[str] | None = None) -> int:
    """Compute what was asked for; return 2 with one line where that cannot be done."""
    asked = _options().parse_args(arguments)
    out = Console(width=None if sys.stdout.isatty() else 100, highlight=False, markup=False)
    try:
        chosen = _chosen(asked.tables)
        if not chosen:
            _print_list(out)
            return 0
        _check_files(asked.save, asked.plot)
        if asked.table is not None and not any(one.takes_table for one in chosen):
            raise BayescompareError(f"--table {asked.table}: none of these tables takes it.")
        if asked.plot is not None and len(chosen) > 1:
            raise BayescompareError(f"--plot {asked.plot}: is for one table.")
        # One seed for all tables, drawn if none is given.
        _, seed = as_rng(asked.seed)
        done = []
        for one in chosen:
            done.append(_run(one, asked, seed))
            if not asked.json:
                _print_reproduced(out, done[-1])
    except BayescompareError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    documents: Any = [one.to_dict() for one in done]
    alone = len(done) == 1 and asked.tables != ["all"]
    text = json.dumps(
        documents[0] if alone else documents, ensure_ascii=False, allow_nan=False, indent=1
    )
    if asked.json:
        print(text)
    if asked.save is not None:
        asked.save.write_text(text, encoding="utf-8")
    if asked.plot is not None:
        done[0].plot().savefig(asked.plot)
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    options.add_argument("tables", nargs="*", metavar="TABLE", help="Names, or 'all'.")
    options.add_argument("--quick", action="store_true", help="Fewer replications, larger errors.")
    options.add_argument("--replications", type=int, metavar="N", help="So many instead.")
    options.add_argument("--seed", type=int, metavar="N")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="-1 for all cores.")
    options.add_argument(
        "--store",
        metavar="FOLDER",
        help="Keep finished blocks here; a stopped run resumes.",
    )
    options.add_argument(
        "--table",
        metavar="FILE",
        help="Results of Jansen et al. before rounding, fold by fold (CSV).",
    )
    options.add_argument("--json", action="store_true", help="Print JSON instead of tables.")
    options.add_argument("--save", type=Path, metavar="PATH.json", help="Save as JSON.")
    options.add_argument("--plot", type=Path, metavar="PATH.png", help="Draw one table.")
    return options


def _chosen(names: Sequence[str]) -> Sequence[Reproduction]:
    return reproductions() if list(names) == ["all"] else [find_reproduction(n) for n in names]


def _check_files(save: Path | None, plot: Path | None) -> None:
    """Say before the work, which may take hours, what cannot be written after it."""
    for path in (save, plot):
        if path is not None and not path.parent.is_dir():
            raise BayescompareError(f"{path}: there is no such folder.")
    if plot is not None and plot.suffix not in (".png", ".svg", ".pdf"):
        raise BayescompareError(f"--plot {plot}: must end in .png, .svg or .pdf.")


def _run(one: Reproduction, asked: argparse.Namespace, seed: int | None) -> Reproduced:
    return reproduce(
        one.key,
        quick=asked.quick,
        replications=asked.replications,
        rng=seed,
        n_jobs=asked.jobs,
        store=asked.store,
        progress=sys.stderr.isatty(),
        file=asked.table if one.takes_table else None,
    )


def _table(*headings: str, left: int) -> Table:
    """A table whose first `left` columns are words and whose others are figures."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for place, heading in enumerate(headings):
        words = place < left
        table.add_column(heading, justify="left" if words else "right", overflow="fold")
    return table


def _print_list(out: Console) -> None:
    """List the tables and figures, what there is to compare with, and what each costs."""
    table = _table("table", "what", "published", "cost", left=4)
    for r in reproductions():
        cost = duration_text(r.seconds) if r.unit else "exact"
        simulated = f"{whole_number_text(r.replications)} {r.unit}" if r.unit else ""
        table.add_row(r.key, r.what, r.published, f"{cost}\n{simulated}".strip())
    out.print(table)
    names = "; ".join(f"{', '.join(r.also)}: see {r.key}" for r in reproductions() if r.also)
    out.print(f"Also known: {names}.")
    out.print("Costs are CPU time on one core; --quick takes about a twentieth.")


def _print_reproduced(out: Console, done: Reproduced) -> None:
    """Print one reproduction: its table, its claims and its notes."""
    r = done.reproduction
    out.print(f"{r.key}: {r.paper}", style="bold")
    out.print(f"{r.what} ({done.simulated})")
    table = _table("case", "quantity", "published", "obtained", "MCSE", "verdict", left=2)
    for row in done.outcome.figures:
        whole = row.mcse == 0.0 and row.obtained == round(row.obtained)
        table.add_row(
            row.case,
            row.quantity,
            _figure(row.published, whole),
            _figure(row.obtained, whole),
            "exact" if row.mcse == 0.0 else standard_error_text(row.mcse),
            row.verdict,
        )
    out.print(table)
    for line in done.explain().splitlines()[1:]:
        out.print(line)
    out.print()


def _figure(value: float | None, whole: bool) -> str:
    """A count as it is, a share to three digits, nothing where there is none."""
    if value is None:
        return ""
    share = not whole and 0.0 <= value <= 1.0
    return share_number_text(value) if share else statistic_number_text(value, significant=6)


if __name__ == "__main__":
    # As an error would, so that workers and their scratch files go too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main())
