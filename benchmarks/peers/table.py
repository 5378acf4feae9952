"""The measured rows, and their form as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from bayescompare import BayescompareError
from bayescompare.text.numbers import (
    duration_text,
    memory_size_text,
)

__all__ = ["OURS", "BenchRow", "BenchTable", "cells"]

#: The name under which this package is listed.
OURS = "bayescompare"
#: The version of the JSON form.
SCHEMA = 1

Status = Literal["ok", "not installed", "failed"]


@dataclass(frozen=True)
class BenchRow:
    """One package on one task at one size.

    Attributes
    ----------
    task, title, size_name : str
    size : int
    package : str
    status : {"ok", "not installed", "failed"}
    seconds : float, optional
        Processor time of one call.
    megabytes : float, optional
        Memory at the peak of a call, above what the process had before it.
    error : float, optional
        Largest distance from the exact values; None where nothing exact is known.
    ratio : float, optional
        Processor time divided by ours.
    note : str
        What went wrong.
    """

    task: str
    title: str
    size_name: str
    size: int
    package: str
    status: Status
    seconds: float | None = None
    megabytes: float | None = None
    error: float | None = None
    ratio: float | None = None
    note: str = ""


@dataclass(frozen=True)
class BenchTable:
    """All rows of a run, and where they were measured.

    Attributes
    ----------
    rows : tuple of BenchRow
    machine : dict
        Processor, cores, system and Python.
    versions : dict
        The version of each package that was found.
    seed : int

    Examples
    --------
    >>> row = BenchRow("fold_t", "Correlated t-test", "folds", 10, OURS, "ok", 1e-5, 0.1, 1e-16, 1)
    >>> table = BenchTable((row,), {"cores": 2}, {OURS: "0.1.0"}, seed=0)
    >>> BenchTable.from_json(table.to_json()) == table
    True
    """

    rows: tuple[BenchRow, ...]
    machine: dict[str, Any]
    versions: dict[str, str]
    seed: int = 0
    notes: tuple[str, ...] = field(default=())

    def growth(self, task: str, package: str) -> float | None:
        """Return the exponent b of time ≈ c·sizeᵇ between the smallest and the largest size."""
        timed = [r for r in self.rows if (r.task, r.package) == (task, package) and r.seconds]
        if len(timed) < 2:
            return None
        first, last = timed[0], timed[-1]
        assert first.seconds is not None
        assert last.seconds is not None
        return math.log(last.seconds / first.seconds) / math.log(last.size / first.size)

    def to_json(self) -> str:
        """Return the table as JSON."""
        tree = {
            "schema": SCHEMA,
            "machine": self.machine,
            "versions": self.versions,
            "seed": self.seed,
            "notes": list(self.notes),
            "rows": [asdict(row) for row in self.rows],
        }
        return json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> BenchTable:
        """Read what `to_json` wrote."""
        try:
            tree = json.loads(text)
            known = {f.name for f in fields(BenchRow)}
            rows = tuple(BenchRow(**{k: r[k] for k in known & r.keys()}) for r in tree["rows"])
            if tree["schema"] != SCHEMA:
                raise BayescompareError(
                    f"schema {tree['schema']!r} of a bench table: this version reads {SCHEMA}."
                )
            return cls(
                rows, tree["machine"], tree["versions"], tree["seed"], tuple(tree.get("notes", ()))
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BayescompareError(
                f"the text is not a bench table ({type(error).__name__}: {error}); give what "
                "`python -m benchmarks.peers --json` prints."
            ) from None


def cells(row: BenchRow, growth: float | None) -> tuple[str, ...]:
    """Return a row as text: size, package, time, of ours, memory, error, growth."""
    if row.seconds is None:
        what = row.status if row.status == "not installed" else f"failed: {row.note}"
        return (str(row.size), row.package, what, "", "", "", "")
    return (
        str(row.size),
        row.package,
        duration_text(row.seconds),
        _ratio(row.ratio),
        "" if row.megabytes is None else memory_size_text(1e6 * row.megabytes),
        "—" if row.error is None else f"{row.error:.0e}",
        "" if growth is None else f"{growth:.1f}",
    )


def _ratio(value: float | None) -> str:
    """How many times as much, with two figures."""
    if value is None:
        return ""
    return f"{value:.2g}×" if value < 99.5 else f"{value:,.0f}×"
