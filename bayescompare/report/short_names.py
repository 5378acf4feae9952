"""A page whose names are written without what all of them begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bayescompare.report.page import Page, PageSection, Picture
from bayescompare.report.tables import ReportTableCell, ShadedReportCell, Table
from bayescompare.text.names import common_prefix, rename_in, short_names

__all__ = ["with_short_names"]

#: Here the names stay whole, so that readers can look them up.
_WHOLE = ("Data", "How it was made")


def with_short_names(page: Page, names: Sequence[str]) -> Page:
    """Return the page with short names in its words and tables, and say what was left out."""
    prefix = common_prefix(names)
    if not prefix:
        return page
    short = short_names(names)
    facts = {title: rename_in(text, short) for title, text in page.facts.items()}
    facts["Names"] = f"All names begin with “{prefix}”, which is left out here."
    return replace(
        page,
        title=rename_in(page.title, short),
        verdict=rename_in(page.verdict, short),
        words=rename_in(page.words, short),
        facts=facts,
        picture=None if page.picture is None else _picture(page.picture, short),
        table=None if page.table is None else _table(page.table, short),
        names=[short[name] for name in page.names],
        sections=[
            section if section.title in _WHOLE else _section(section, short)
            for section in page.sections
        ],
    )


def _section(section: PageSection, short: dict[str, str]) -> PageSection:
    return replace(
        section,
        words=[rename_in(text, short) for text in section.words],
        pictures=[_picture(picture, short) for picture in section.pictures],
        tables=[_table(table, short) for table in section.tables],
        shaded=None if section.shaded is None else _shaded(section.shaded, short),
    )


def _picture(picture: Picture, short: dict[str, str]) -> Picture:
    return replace(picture, words=rename_in(picture.words, short))


def _table(table: Table, short: dict[str, str]) -> Table:
    return replace(
        table,
        title=rename_in(table.title, short),
        heads=[rename_in(head, short) for head in table.heads],
        rows=[[_cell(cell, short) for cell in row] for row in table.rows],
    )


def _shaded(shaded: ShadedReportCell, short: Mapping[str, str]) -> ShadedReportCell:
    own = dict(short)
    rows = [
        (own[name], [(_cell(cell, own), shade) for cell, shade in cells])
        for name, cells in shaded.rows
    ]
    return replace(shaded, names=[own[name] for name in shaded.names], rows=rows)


def _cell[T: str](cell: T, short: dict[str, str]) -> T:
    if not isinstance(cell, ReportTableCell):
        return rename_in(cell, short)  # type: ignore[return-value]
    return ReportTableCell.of(  # type: ignore[return-value]
        rename_in(str(cell), short), cell.value, rename_in(cell.tooltip, short)
    )
