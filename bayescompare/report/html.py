"""The report as one HTML page that loads nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from bayescompare.report.page import Page
from bayescompare.report.pictures import svg_report_picture
from bayescompare.report.tables import ReportTableCell
from bayescompare.text.numbers import count

__all__ = ["html", "html_template"]


def html(page: Page) -> str:
    """Return the page, with its figures as SVG inside it."""
    drawn = {
        picture.name: svg_report_picture(
            picture.draw, picture.size, name=picture.name, words=picture.words
        )
        for picture in page.pictures
    }
    return str(html_template("report.html.j2", autoescape=True).render(page=page, drawn=drawn))


def html_template(name: str, **options: Any) -> Any:
    """Return one of the templates beside this file."""
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
