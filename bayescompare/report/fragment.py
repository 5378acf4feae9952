r"""The one table of a report that a paper prints, to be read by ``\input``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bayescompare._errors import BayescompareError
from bayescompare.report.html import html_template
from bayescompare.report.latex import LATEX_MARKS, escaped_for_latex
from bayescompare.report.page import Page
from bayescompare.report.tables import Table
from bayescompare.text.numbers import count

__all__ = ["latex_fragment"]

#: A float fits on one page.
_MOST_ROWS = 40
#: Letters from which on a column of words is broken into lines, and its width.
_LONG, _WIDTH = 48, r"p{0.55\linewidth}"


def latex_fragment(page: Page, name: str, figures: Mapping[str, str]) -> str:
    r"""Return the main table of a page as a float with caption and label ``tab:name``.

    `figures` are the paths of pictures that were written, by name; each becomes a float too.
    """
    table = page.table
    if table is None:
        raise BayescompareError("fragment=True: this report has no table of its own to print.")
    left_out = max(0, len(table.rows) - _MOST_ROWS) + table.more
    table = replace(table, rows=table.rows[:_MOST_ROWS])
    source = html_template("fragment.tex.j2", **LATEX_MARKS)
    document = source.render(
        table=table,
        caption=_caption(page, left_out),
        label=_label(name),
        columns=_alignment(table),
        broken=_broken(table),
        pictures=page.pictures,
        figures=figures,
        tex=escaped_for_latex,
    )
    return f"{str(document).rstrip()}\n"


def _caption(page: Page, left_out: int) -> str:
    facts = (page.facts.get(title, "") for title in ("Data", "Names"))
    sentences = [text.rstrip(".") for text in (page.verdict, *facts)]
    if left_out:
        sentences.append(f"{count(left_out)} more rows are left out")
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _label(name: str) -> str:
    """Return a label that LaTeX accepts, from the name of the file."""
    return re.sub(r"[^A-Za-z0-9:-]+", "-", name).strip("-") or "bayescompare"


def _alignment(table: Table) -> str:
    broken = _broken(table)
    words = (_WIDTH if k in broken else "l" for k in range(table.text))
    return "".join(words) + "r" * (len(table.heads) - table.text)


def _broken(table: Table) -> set[int]:
    """Return the columns of words that are too long for one line."""
    longest = [max(len(str(row[k])) for row in table.rows) for k in range(table.text)]
    # The last column ends the row, which ragged lines cannot.
    return {k for k, size in enumerate(longest) if size > _LONG and k < len(table.heads) - 1}
