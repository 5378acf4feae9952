"""What a report is made of: sections of words, pictures, tables and facts, for every format."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from bayescompare.text import numbers
from bayescompare.text.names import common_prefix, rename_in, short_names
from bayescompare.text.phrases import COLUMN_TITLES, cell_text, figure_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayescompare.outcome.words import Block
    from bayescompare.plots.pen import Pen

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

#: In these sections names stay whole, so that readers can look them up.
_WHOLE = ("Data", "How it was made")


class Cell(str):
    """The text of a cell, the figure to sort it by, and its tooltip."""

    value: float | None = None
    tooltip: str = ""

    @classmethod
    def of(cls, text: str, value: float | None = None, tooltip: str = "") -> Cell:
        """Build a cell; by default its tooltip is the figure with more digits."""
        cell = cls(text)
        cell.value = None if value is None or math.isnan(value) else float(value)
        long = ""
        if cell.value is not None:
            long = numbers.statistic_number_text(cell.value, significant=8, levels=numbers.LEVELS)
        cell.tooltip = tooltip or (long if long != text else "")
        return cell

    @classmethod
    def counted(cls, value: float, tooltip: str = "") -> Cell:
        """Build the cell of a count."""
        return cls.of(numbers.count(value), value, tooltip)

    @classmethod
    def probability(cls, p: float, *, levels: Sequence[float] = ()) -> Cell:
        """Build the cell of a probability; rounding keeps to its own side of `levels`."""
        long = numbers.format_probability(p, levels=levels, digits=8)
        return cls.of(numbers.format_probability(p, levels=levels), p, long)

    def renamed(self, short: dict[str, str]) -> Cell:
        """Return the cell with other names in its text and its tooltip."""
        return Cell.of(rename_in(str(self), short), self.value, rename_in(self.tooltip, short))


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
    folded : bool, optional
        Whether it is folded away until asked for (None: it cannot be).
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int = 1
    more: int = 0
    marked: Sequence[bool] = ()
    folded: bool | None = None

    def renamed(self, short: dict[str, str]) -> Table:
        """Return the table with other names."""
        rows = [
            [
                cell.renamed(short) if isinstance(cell, Cell) else rename_in(cell, short)
                for cell in row
            ]
            for row in self.rows
        ]
        heads = [rename_in(head, short) for head in self.heads]
        return replace(self, title=rename_in(self.title, short), heads=heads, rows=rows)


@dataclass(frozen=True)
class Picture:
    """A figure, drawn only for formats that have figures.

    Attributes
    ----------
    title : str
    draw : callable
        Takes the Figure to draw on, which becomes as large as the content needs.
    name : str
        The prefix of the ids of its parts.
    words : str
        The text for screen readers.
    pen : callable, optional
        Draws it in a width in pixels, for the page and for a phone, in place of `draw`.
    small : bool
        Whether two of them stand beside each other on a page.
    for_paper : bool
        Whether it goes into a paper beside the first picture of its page.
    """

    title: str
    draw: Callable[[Figure], Any]
    name: str
    words: str
    pen: Callable[[float], Pen] | None = None
    small: bool = False
    for_paper: bool = False

    @classmethod
    def of(
        cls, title: str, name: str, pen: Callable[[float], Pen], *, small: bool = False
    ) -> Picture:
        """Return a picture that a pen draws; its words are the pen's own."""

        def draw(figure: Figure) -> None:
            from bayescompare.plots.pen import WIDE

            pen(WIDE).onto(cast("Axes", figure))

        return cls(title, draw, name, title, pen, small)


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading; empty parts are not shown."""

    title: str
    words: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    #: Text to copy, by its title.
    code: Mapping[str, str] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether there is anything in it."""
        return any((self.words, self.pictures, self.tables, self.facts, self.code))

    @property
    def only_pictures(self) -> bool:
        """Whether there is nothing else in it."""
        return not any((self.words, self.tables, self.facts, self.code))

    def renamed(self, short: dict[str, str]) -> Section:
        """Return the section with other names."""
        return replace(
            self,
            words=[rename_in(text, short) for text in self.words],
            pictures=[replace(p, words=rename_in(p.words, short)) for p in self.pictures],
            tables=[table.renamed(short) for table in self.tables],
        )


@dataclass(frozen=True)
class Page:
    """A whole report.

    The first screen is the verdict block and one picture; the rest follows.

    Attributes
    ----------
    title : str
    block : Block
    words : str
        The paragraph at length.
    sections : sequence of Section
    citations : sequence of str
        Keys of the papers, for the formats that cite by key.
    picture : Picture, optional
    reading : sequence of str
        How to read the page, a sentence for each term.
    table : Table, optional
        The one table that a paper would print.
    names : sequence of str
        The algorithms, as the page writes them.
    """

    title: str
    block: Block
    words: str
    sections: Sequence[Section]
    citations: Sequence[str] = ()
    picture: Picture | None = None
    reading: Sequence[str] = ()
    table: Table | None = None
    names: Sequence[str] = ()

    @property
    def pictures(self) -> list[Picture]:
        """Every picture of the page, in order."""
        first = [] if self.picture is None else [self.picture]
        return [*first, *(one for section in self.sections for one in section.pictures)]

    @property
    def paper_pictures(self) -> list[Picture]:
        """The first picture and the critical-difference diagrams, which reviewers know."""
        return [one for one in self.pictures if one is self.picture or one.for_paper]

    def with_short_names(self) -> Page:
        """Return the page without what all names begin with; its block says so."""
        short = short_names(self.names)
        if not common_prefix(self.names):
            return self
        return replace(
            self,
            title=rename_in(self.title, short),
            words=rename_in(self.words, short),
            table=None if self.table is None else self.table.renamed(short),
            names=[short[name] for name in self.names],
            sections=[s if s.title in _WHOLE else s.renamed(short) for s in self.sections],
        )


# from a DataFrame ---------------------------------------------------------------------------------


def heads_of(names: Iterable[object]) -> list[str]:
    """Return the heads of columns of `summary()` or `decide()`."""
    return [_HEADS.get(str(name), str(name)) for name in names]


def figures_of(
    table: pd.DataFrame, levels: Mapping[str, Sequence[float]] = MappingProxyType({})
) -> list[list[Cell]]:
    """Return the cells of columns of figures by row; rounding keeps to a column's `levels`."""
    columns = [
        [
            Cell.of(figure_text(str(k), float(v), levels=levels.get(str(k), ())), float(v))
            for v in table[k]
        ]
        for k in table.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def frame_table(
    title: str,
    frame: pd.DataFrame,
    most: int = MOST_PAIRS,
    limits: Mapping[str, float] = MappingProxyType({}),
) -> Table:
    """Turn a DataFrame whose columns have printable heads into a table; `limits` are by column."""
    heads = [str(head) for head in frame.columns]
    shown = frame.head(most).astype(object)
    rows = [
        [str(label), *(_written(*pair, limits) for pair in zip(heads, row, strict=True))]
        for label, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    text = 1
    while text <= len(heads) and all(not isinstance(row[text], Cell) for row in rows):
        text += 1
    more = max(0, len(frame) - most)
    return Table(title, [str(frame.index.name), *heads], rows, text=text, more=more)


def _written(head: str, value: object, limits: Mapping[str, float]) -> str:
    text = cell_text(head, value, limits.get(head))
    return Cell.of(text, float(value)) if isinstance(value, (int, float)) else text
