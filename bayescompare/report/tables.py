"""The tables of a page, and how figures are written in their cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from bayescompare.text import numbers
from bayescompare.text.phrases import COLUMN_TITLES, cell_text, figure_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_PAIRS",
    "MOST_ROWS",
    "ReportTableCell",
    "ShadedReportCell",
    "Table",
    "frame_table",
    "report_probability_cell",
    "report_table_heads",
    "report_table_rows",
]

#: Most rows that a page shows of long tables; it says how many more there are.
MOST_ROWS, MOST_PAIRS = 50, 100

#: Column of `summary()` or `decide()` → head of the column in the report.
_HEADS = {
    **COLUMN_TITLES,
    "probability": "P(most probable)",
    "alone": "P(own prior)",
    "pvalue": "p-value",
    "adjusted": "p-value (Holm)",
    "running_fdr": "expected share false",
}


class ReportTableCell(str):
    """The text of a cell, the figure to sort it by, and its tooltip."""

    value: float | None = None
    tooltip: str = ""

    @classmethod
    def of(cls, text: str, value: float | None = None, tooltip: str = "") -> ReportTableCell:
        """Build a cell; by default its tooltip is the figure with more digits."""
        cell = cls(text)
        cell.value = None if value is None or math.isnan(value) else float(value)
        long = "" if cell.value is None else _long_report_table_number(cell.value)
        cell.tooltip = tooltip or (long if long != text else "")
        return cell


def _long_report_table_number(value: float) -> str:
    return numbers.statistic_number_text(value, significant=8, levels=numbers.LEVELS)


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes
    ----------
    title : str
    heads : sequence of str
    rows : sequence of sequence of str
    text : int
        How many of the first columns hold words rather than figures.
    more : int
        How many rows were left out.
    marked : sequence of bool
        Which rows are highlighted.
    trades : sequence of bool
        Which of these are trade-offs, which have a colour of their own.
    keys : mapping of str to sequence of str
        What the sliders find each row by: the name of an attribute, and its value in every row.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int = 1
    more: int = 0
    marked: Sequence[bool] = ()
    trades: Sequence[bool] = ()
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ShadedReportCell:
    """The matrix of all pairs: names, and rows of (cell, shade); shade −1 means no value."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[ReportTableCell, int]]]]
    shades: Sequence[tuple[str, str]]


def frame_table(
    title: str,
    frame: pd.DataFrame,
    most: int = MOST_PAIRS,
    limits: Mapping[str, float] = MappingProxyType({}),
) -> Table:
    """Turn a DataFrame whose columns have printable heads into a table; `limits` are by column."""
    columns = [str(head) for head in frame.columns]
    shown = frame.head(most).astype(object)
    body = [
        [
            str(label),
            *(_written_in_report_table(*pair, limits) for pair in zip(columns, row, strict=True)),
        ]
        for label, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    text = 1
    while text <= len(columns) and all(not isinstance(row[text], ReportTableCell) for row in body):
        text += 1
    all_heads = [str(frame.index.name), *columns]
    return Table(title, all_heads, body, text=text, more=max(0, len(frame) - most))


def _written_in_report_table(head: str, value: object, limits: Mapping[str, float]) -> str:
    text = cell_text(head, value, limits.get(head))
    return ReportTableCell.of(text, float(value)) if isinstance(value, (int, float)) else text


def report_table_heads(table: pd.DataFrame) -> list[str]:
    """Return the heads of the columns of figures."""
    return [_HEADS.get(str(name), str(name)) for name in table.columns]


def report_table_rows(
    table: pd.DataFrame, levels: Mapping[str, Sequence[float]] = MappingProxyType({})
) -> list[list[ReportTableCell]]:
    """Return the cells of the columns of figures by row; rounding keeps to a column's `levels`."""
    columns = [
        [
            ReportTableCell.of(
                figure_text(str(name), float(value), levels=levels.get(str(name), ())), float(value)
            )
            for value in table[name]
        ]
        for name in table.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def report_probability_cell(p: float) -> ReportTableCell:
    """Return the cell of a probability, with more digits in its tooltip."""
    return ReportTableCell.of(
        numbers.format_probability(p), p, numbers.format_probability(p, digits=8)
    )
