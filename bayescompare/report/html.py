"""The report as one HTML page that loads nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from markupsafe import escape

from bayescompare.report.page import Page
from bayescompare.report.pictures import svg_report_picture
from bayescompare.report.tables import ReportTableCell
from bayescompare.statements import BAR
from bayescompare.text.names import any_name_pattern
from bayescompare.text.numbers import count

__all__ = ["html", "html_template"]

#: Letters from which on a name is kept in one piece.
_LONG = 16


def html(page: Page) -> str:
    """Return the page, with its figures as SVG inside it."""
    drawn = {
        picture.name: svg_report_picture(picture.draw, name=picture.name, words=picture.words)
        for picture in page.pictures
    }
    template = html_template("report.html.j2", autoescape=True)
    return str(template.render(page=page, drawn=drawn, words=_marked_words(page.names)))


def _marked_words(names: Sequence[str]) -> Callable[[str], str]:
    """Return what escapes a text for the page and keeps each long name in one piece.

    Names such as "lab/multilingual-encoder-large" would break at a hyphen, and nobody would see
    where one ends and the next begins.
    """
    long = [name for name in names if len(name) >= _LONG]
    # Brackets and commas stay with the name that they stand at.
    pattern = re.compile(f"([(“]?{any_name_pattern(long)}[,;:.)”]*)") if long else None

    def words(text: str) -> str:
        parts = [text] if pattern is None else pattern.split(text)
        # Long statements break after a measure.
        pieces = [str(escape(part)).replace(BAR, f"{BAR}<wbr>") for part in parts]
        # Every second part is a name.
        pieces[1::2] = [f'<span class="name">{escape(part)}</span>' for part in parts[1::2]]
        return "".join(pieces)

    return words


@cache
def html_template(name: str, **options: Any) -> Any:
    """Return one of the templates beside this file, compiled once."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bayescompare", "report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
    environment.globals["count"] = count
    environment.tests["figure"] = lambda cell: (
        isinstance(cell, ReportTableCell) and cell.value is not None
    )
    environment.tests["explained"] = lambda cell: (
        isinstance(cell, ReportTableCell) and bool(cell.tooltip)
    )
    return environment.get_template(name)
