"""The shape of tables on a page, and how figures are written in their cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescompare.methods.words import HEADS, cell_text
from bayescompare.plots._drawing import short_probability
from bayescompare.text import numbers

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_PAIRS", "MOST_ROWS", "Cell", "Shaded", "Table", "frame_table", "heads", "rows"]

#: What a page shows of the longest tables; it says how much more there is.
MOST_ROWS, MOST_PAIRS = 50, 100

#: Column of `summary()` or `decide()` → head of the column in the report.
_HEADS = {
    **HEADS,
    "probability": "P(most probable)",
    "pvalue": "p-value",
    "adjusted": "p-value (Holm)",
    "running_fdr": "expected share false",
}


class Cell(str):
    """The text of a cell, with the figure behind it: what is sorted by, and shown on hovering."""

    value: float | None = None
    hover: str = ""

    @classmethod
    def of(cls, text: str, value: float | None = None, hover: str = "") -> Cell:
        """Make a cell; by default its hovering text is the figure with more digits."""
        made = cls(text)
        made.value = None if value is None or math.isnan(value) else float(value)
        long = f"{made.value:.8g}" if made.value is not None else ""
        made.hover = hover or (long if long != text else "")
        return made


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
        Which rows stand out.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int = 1
    more: int = 0
    marked: Sequence[bool] = ()


@dataclass(frozen=True)
class Shaded:
    """The matrix of all pairs: names, and rows of (cell, shade); shade −1 is no value."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[Cell, int]]]]
    shades: Sequence[tuple[str, str]]


def frame_table(title: str, frame: pd.DataFrame, most: int = MOST_PAIRS) -> Table:
    """Bring a DataFrame that is headed to be printed into a table."""
    columns = [str(head) for head in frame.columns]
    shown = frame.head(most).astype(object)
    body = [
        [str(label), *(_written(head, value) for head, value in zip(columns, row, strict=True))]
        for label, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    text = 1
    while text <= len(columns) and all(not isinstance(row[text], Cell) for row in body):
        text += 1
    all_heads = [str(frame.index.name), *columns]
    return Table(title, all_heads, body, text=text, more=max(0, len(frame) - most))


def _written(head: str, value: object) -> str:
    text = cell_text(head, value)
    return Cell.of(text, float(value)) if isinstance(value, (int, float)) else text


def heads(table: pd.DataFrame) -> list[str]:
    """Heads of the columns of figures."""
    return [_HEADS.get(str(name), str(name)) for name in table.columns]


def rows(table: pd.DataFrame) -> list[list[Cell]]:
    """Cells of the columns of figures, row by row."""
    columns = [
        [Cell.of(_figure(str(name), float(value)), float(value)) for value in table[name]]
        for name in table.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _figure(column: str, value: float) -> str:
    if math.isnan(value):
        return ""
    if column == "count":
        return numbers.count(value)
    if column in ("pvalue", "adjusted"):
        return pvalue(value)
    if column == "opt":
        return f"{value:.4g}"
    if column == "mcse":
        return f"{value:.2g}"
    return short_probability(value) if 0.0 <= value <= 1.0 else f"{value:.4g}"


def pvalue(value: float) -> str:
    """Write a p-value."""
    return "<0.001" if value < 0.0005 else f"{value:.3f}"
