"""The shape of tables on a page, and how figures are written in their cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from bayescompare.text import numbers
from bayescompare.text.phrases import COLUMN_TITLES, cell_text, figure_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_PAIRS",
    "MOST_ROWS",
    "Cell",
    "Shaded",
    "Table",
    "frame_table",
    "heads",
    "probability_cell",
    "rows",
]

#: What a page shows of the longest tables; it says how much more there is.
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


class Cell(str):
    """The text of a cell, with the figure behind it: what is sorted by, and shown on hovering."""

    value: float | None = None
    hover: str = ""

    @classmethod
    def of(cls, text: str, value: float | None = None, hover: str = "") -> Cell:
        """Make a cell; by default its hovering text is the figure with more digits."""
        made = cls(text)
        made.value = None if value is None or math.isnan(value) else float(value)
        long = "" if made.value is None else _long(made.value)
        made.hover = hover or (long if long != text else "")
        return made


def _long(value: float) -> str:
    return numbers.statistic(value, significant=8, levels=numbers.LEVELS)


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


def frame_table(
    title: str,
    frame: pd.DataFrame,
    most: int = MOST_PAIRS,
    limits: Mapping[str, float] = MappingProxyType({}),
) -> Table:
    """Bring a DataFrame that is headed to be printed into a table; `limits` are by column."""
    columns = [str(head) for head in frame.columns]
    shown = frame.head(most).astype(object)
    body = [
        [str(label), *(_written(*pair, limits) for pair in zip(columns, row, strict=True))]
        for label, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    text = 1
    while text <= len(columns) and all(not isinstance(row[text], Cell) for row in body):
        text += 1
    all_heads = [str(frame.index.name), *columns]
    return Table(title, all_heads, body, text=text, more=max(0, len(frame) - most))


def _written(head: str, value: object, limits: Mapping[str, float]) -> str:
    text = cell_text(head, value, limits.get(head))
    return Cell.of(text, float(value)) if isinstance(value, (int, float)) else text


def heads(table: pd.DataFrame) -> list[str]:
    """Heads of the columns of figures."""
    return [_HEADS.get(str(name), str(name)) for name in table.columns]


def rows(
    table: pd.DataFrame, levels: Mapping[str, Sequence[float]] = MappingProxyType({})
) -> list[list[Cell]]:
    """Cells of the columns of figures, row by row; `levels` of a column are what it is held to."""
    columns = [
        [
            Cell.of(
                figure_text(str(name), float(value), levels=levels.get(str(name), ())), float(value)
            )
            for value in table[name]
        ]
        for name in table.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def probability_cell(p: float) -> Cell:
    """A probability, with more digits on hovering."""
    return Cell.of(numbers.format_probability(p), p, numbers.format_probability(p, digits=8))
