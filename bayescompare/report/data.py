"""The data section of a report: what there is, and how each algorithm did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.report.page import PageSection
from bayescompare.report.tables import MOST_PAIRS, ReportTableCell, Table
from bayescompare.table.cells import cell_means, mean_over_replicates
from bayescompare.table.items import items_words
from bayescompare.text import numbers
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from bayescompare.table.results import Results

__all__ = ["data_section", "page_title", "pairs_title"]

_MOST_NAMES = 60

#: Up to so many algorithms are named in a title.
_FEW_NAMES = 4


def data_section(results: Results) -> PageSection:
    """Return algorithms, datasets, measures, their source, and means and wins."""
    facts = {
        "algorithms": _report_data_names(results.algorithms),
        "datasets": _report_data_names(results.datasets),
        "source": results.source or "not given",
    }
    if results.item_data is not None and results.has_statistics:
        facts["replicates"] = items_words(results.item_data)
    if results.n_replicates is not None:
        facts["replicates"] = _report_data_replicates(results, results.n_replicates)
    absent = _report_data_absent(results)
    if absent:
        facts["missing"] = plural(absent, "missing cell")
    if results.notes:
        facts["notes"] = "\n".join(results.notes)
    heads = ["measure", "better", "rope", "scale", "bounds", "unit"]
    measures = [_report_data_measure(results, name) for name in results.measures]
    tables = [
        Table("Measures", heads, measures, text=len(heads)),
        _report_data_performance(results),
    ]
    return PageSection("Data", tables=tables, facts=facts)


def page_title(results: Results, *, against: str | None = None) -> str:
    """Return the title of a page: the algorithms and the measures."""
    names = [name for name in results.algorithms if name != against]
    joined = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    if len(names) == 2:
        joined = " and ".join(names)
    where = ", ".join(results.measures[:6]) + (", …" if len(results.measures) > 6 else "")
    return f"{joined}{f' against {against}' if against else ''} on {where}"


def pairs_title(results: Results, *, against: str | None = None) -> str:
    """Return the title of the page of all pairs, in which many algorithms are only counted.

    Examples
    --------
    >>> import bayescompare as bc
    >>> pairs_title(bc.load_example("jansen-uci")), pairs_title(bc.load_example("pnn"))
    ('8 algorithms on auc, accuracy, brier', 'New and State of art on accuracy, complexity')
    """
    if len(results.algorithms) <= _FEW_NAMES:
        return page_title(results, against=against)
    where = ", ".join(results.measures[:6]) + (", …" if len(results.measures) > 6 else "")
    number = len(results.algorithms) - (against is not None)
    return f"{plural(number, 'algorithm')}{f' against {against}' if against else ''} on {where}"


def _report_data_names(names: Sequence[str]) -> str:
    """Return the names, preceded by their number."""
    rest = len(names) - _MOST_NAMES
    more = f" … and {rest} more" if rest > 0 else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"


def _report_data_absent(results: Results) -> int:
    return int(np.isnan(cell_means(results)).sum())


def _report_data_replicates(results: Results, number: int) -> str:
    what = "replicate" if results.replicates == "folds" else results.replicates.removesuffix("s")
    at_most = f"at most {plural(number, what)} per cell"
    if results.item_data is not None:
        at_most += ", in clusters"
    if results.averages_alike():
        return at_most
    return (
        f"{at_most}, of which some algorithms lack some: each pair is compared on those that both "
        "have, and the means below are over those that each algorithm has"
    )


def _report_data_measure(results: Results, name: str) -> list[str]:
    measure = results[name]
    low, high = measure.bounds or (None, None)
    bounds = " … ".join(
        "" if end is None else numbers.setting_number_text(end) for end in (low, high)
    )
    return [
        name,
        "higher" if measure.direction == "max" else "lower",
        "none" if measure.rope is None else numbers.setting_number_text(measure.rope),
        measure.scale,
        "none" if measure.bounds is None else bounds.strip(),
        measure.unit or "none",
    ]


def _report_data_performance(results: Results) -> Table:
    """Return the means of the measures over the datasets, and on how many an algorithm is best.

    If cells are missing, the means are over the datasets that every algorithm has, if those are
    at least half of them, else over those that each has; a column shows their number.
    """
    values = cell_means(results)
    seen = ~np.isnan(values)
    common = np.broadcast_to(seen.all(axis=1, keepdims=True), seen.shape)
    fair = bool((2 * common.sum(axis=0) >= len(values)).all())
    counted = common if fair else seen
    best = _report_data_best(values * [results[name].sign for name in results.measures], counted)
    gaps = not seen.all()
    heads = ["algorithm"]
    for name in results.measures:
        heads += [f"{name}: mean", *(["n"] if gaps else []), "best on"]
    rows: list[list[str]] = []
    for k, algorithm in enumerate(results.algorithms[:MOST_PAIRS]):
        row: list[str] = [algorithm]
        for j in range(len(results.measures)):
            own = values[counted[:, k, j], k, j]
            mean = mean_over_replicates(own, np.ones(1, dtype=bool))
            row.append(_report_data_number(float(mean)) if len(own) else "")
            row += [_report_data_count(len(own))] if gaps else []
            row.append(_report_data_count(float(best[k, j])))
        rows.append(row)
    more = max(0, len(results.algorithms) - MOST_PAIRS)
    return Table(_report_data_performance_title(gaps=gaps, fair=fair), heads, rows, more=more)


def _report_data_performance_title(*, gaps: bool, fair: bool) -> str:
    if not gaps:
        return "Means over the datasets, and on how many of them each is best (ties shared)"
    if fair:
        return (
            "Means over the n datasets that every algorithm has, and on how many of them each is "
            "best (ties shared)"
        )
    return (
        "Means over the n datasets that each algorithm has, which differ between algorithms, and "
        "on how many of them each is the best of those present (ties shared)"
    )


def _report_data_best(oriented: FloatArray, counted: BoolArray) -> FloatArray:
    """Return on how many of the datasets that count an algorithm is best; ties are shared."""
    top = np.where(counted, oriented, -np.inf).max(axis=1, keepdims=True)
    best = counted & (oriented == top)
    shares: FloatArray = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
    return shares.sum(axis=0)


def _report_data_number(value: float) -> ReportTableCell:
    return ReportTableCell.of(numbers.statistic_number_text(value), value)


def _report_data_count(value: float) -> ReportTableCell:
    return ReportTableCell.of(numbers.count(value), value)
