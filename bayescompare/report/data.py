"""What a report says of the data: what there is, and how each algorithm did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.report.page import Section
from bayescompare.report.tables import MOST_PAIRS, Cell, Table
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from bayescompare.results import Results

__all__ = ["data_section", "title_of"]

_MOST_NAMES = 60


def data_section(results: Results) -> Section:
    """Algorithms, datasets, measures, where they come from, and means and wins."""
    facts = {
        "algorithms": _listed(results.algorithms),
        "datasets": _listed(results.datasets),
        "source": results.source or "not given",
    }
    if results.n_replicates is not None:
        facts["replicates"] = f"{plural(results.n_replicates, 'replicate')} of a cell at most"
    absent = _absent(results)
    if absent:
        facts["missing"] = plural(absent, "missing cell")
    if results.notes:
        facts["notes"] = "\n".join(results.notes)
    heads = ["measure", "better", "rope", "scale", "bounds", "unit"]
    measures = [_measure(results, name) for name in results.measures]
    tables = [Table("Measures", heads, measures, text=len(heads)), _performance(results)]
    return Section("Data", tables=tables, facts=facts)


def title_of(results: Results, *, against: str | None = None) -> str:
    """Who is compared on what."""
    names = [name for name in results.algorithms if name != against]
    joined = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    if len(names) == 2:
        joined = " and ".join(names)
    where = ", ".join(results.measures[:6]) + (", …" if len(results.measures) > 6 else "")
    return f"{joined}{f' against {against}' if against else ''} on {where}"


def _listed(names: Sequence[str]) -> str:
    """The names with their number in front."""
    rest = len(names) - _MOST_NAMES
    more = f" … and {rest} more" if rest > 0 else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"


def _absent(results: Results) -> int:
    values = results.average().values()
    return int(np.isnan(values).sum())


def _measure(results: Results, name: str) -> list[str]:
    measure = results[name]
    low, high = measure.bounds or (None, None)
    bounds = f"{'' if low is None else f'{low:g}'} … {'' if high is None else f'{high:g}'}"
    return [
        name,
        "higher" if measure.direction == "max" else "lower",
        "none" if measure.rope is None else f"{measure.rope:g}",
        measure.scale,
        "none" if measure.bounds is None else bounds.strip(),
        measure.unit or "none",
    ]


def _performance(results: Results) -> Table:
    """Mean of every measure over the datasets, and on how many an algorithm is best."""
    mean = results.average()
    values, oriented = mean.values(), mean.oriented()
    present = ~np.isnan(oriented)
    top = np.where(present, oriented, -np.inf).max(axis=1, keepdims=True)
    best = present & (oriented == top)
    shares = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
    heads = ["algorithm"]
    for name in results.measures:
        heads += [f"{name}: mean", "best on"]
    rows: list[list[str]] = []
    for k, algorithm in enumerate(results.algorithms[:MOST_PAIRS]):
        row: list[str] = [algorithm]
        for j in range(len(results.measures)):
            seen = values[present[:, k, j], k, j]
            row.append(_number(float(seen.mean())) if len(seen) else "")
            row.append(Cell.of(f"{shares[:, k, j].sum():.3g}", float(shares[:, k, j].sum())))
        rows.append(row)
    title = "Means over the datasets, and on how many of them each is best (ties shared)"
    more = max(0, len(results.algorithms) - MOST_PAIRS)
    return Table(title, heads, rows, more=more)


def _number(value: float) -> Cell:
    return Cell.of(f"{value:.4g}", value)
