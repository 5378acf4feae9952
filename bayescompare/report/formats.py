r"""A page in its formats: HTML that loads nothing, Markdown, and LaTeX for every engine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from bayescompare._errors import BayescompareError
from bayescompare.plots.pen import DARK, LIGHT
from bayescompare.report import pictures
from bayescompare.report.card import card_html, card_markdown, template
from bayescompare.report.page import Page, Table
from bayescompare.statements import BAR
from bayescompare.text.names import any_name_pattern
from bayescompare.text.numbers import count

_NONE: Mapping[str, str] = MappingProxyType({})


def _rendered(name: str, **values: Any) -> str:
    return f"{str(template(name).render(**values)).rstrip()}\n"


# HTML ---------------------------------------------------------------------------------------------

#: Letters from which on a name is kept in one piece.
_LONG = 16


def html(page: Page, figures: Mapping[str, str] = _NONE) -> str:
    """Return the page, with its card and its figures as SVG inside it."""
    drawn = {picture.name: pictures.svg(picture) for picture in page.pictures}
    light, dark = (
        Markup(";".join(f"--{name}:{value}" for name, value in one.items()))
        for one in (LIGHT, DARK)
    )
    return str(
        template("report.html.j2").render(
            page=page,
            card=Markup(card_html(page.block)),
            drawn=drawn,
            words=_marked(page.names),
            light=light,
            dark=dark,
        )
    )


def _marked(names: Sequence[str]) -> Callable[[str], str]:
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


# Markdown -----------------------------------------------------------------------------------------

#: Characters that Markdown would read as marks or HTML.
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown(page: Page, figures: Mapping[str, str] = _NONE) -> str:
    """Return the page with GitHub's tables; `figures` are the paths of its pictures, by name."""
    tools = {"md": escaped_for_markdown, "url": quote, "card": card_markdown(page.block)}
    return _rendered("report.md.j2", page=page, figures=figures, **tools)


def escaped_for_markdown(text: str) -> str:
    r"""Write a text so that it is shown literally, in one line.

    Examples
    --------
    >>> print(escaped_for_markdown("B>A|A_1"))
    B\>A\|A\_1
    """
    line = _MARKS.sub(r"\\\1", " ".join(str(text).split()))
    # Characters that would start a list.
    return re.sub(r"^(\d+)([.)])(?= )", r"\1\\\2", re.sub(r"^([-+])(?= )", r"\\\1", line))


# LaTeX --------------------------------------------------------------------------------------------

#: What is written otherwise in LaTeX: its own signs, the symbols of reports, and Greek letters.
_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    # A long statement may break after these.
    ">": r"\textgreater{}\allowbreak{}",
    "|": r"\textbar{}\allowbreak{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": "--",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "½": r"$\frac{1}{2}$",
    "“": "``",
    "”": "''",
    "’": "'",
    "ε": r"$\varepsilon$",
    "φ": r"$\varphi$",
    "·": r"\textperiodcentered{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "\N{NO-BREAK SPACE}": "~",
}
_GREEK = "alpha beta gamma delta theta kappa lambda mu nu pi rho sigma tau"
_SIGNS |= {a: rf"$\{name}$" for a, name in zip("αβγδθκλμνπρστ", _GREEK.split(), strict=True)}

#: Letters that the T1 encoding of pdfLaTeX has; others it names by their code point.
_LATIN = range(0xA1, 0x180)

#: Rows of a float, which is on one page.
_MOST_ROWS = 40

#: Letters from which on a column of words is broken into lines, and its width.
_BROKEN, _WIDTH = 48, r"p{0.55\linewidth}"


def latex(
    page: Page,
    figures: Mapping[str, str] = _NONE,
    *,
    name: str = "report",
    fragment: bool = False,
) -> str:
    r"""Return what a paper needs: verdict, table, figures, a methods paragraph, BibTeX.

    Parameters
    ----------
    page : Page
    figures : mapping of str to str
        Paths of pictures that were written, by name; each becomes a float.
    name : str
        Of the file: labels are ``tab:name`` and ``fig:name-…``, and the references ``name.bib``.
    fragment : bool
        Without preamble and references, to be read by ``\input``.
    """
    if fragment and page.table is None:
        raise BayescompareError("fragment=True: this report has no table of its own to print.")
    table = page.table or Table("", [], [])
    left_out = max(0, len(table.rows) - _MOST_ROWS) + table.more
    table = replace(table, rows=table.rows[:_MOST_ROWS])
    # The last column ends the row, which ragged lines cannot.
    words = range(min(table.text, len(table.heads) - 1))
    broken = {k for k in words if max(len(str(row[k])) for row in table.rows) > _BROKEN}
    columns = "".join(_WIDTH if k in broken else "l" for k in range(table.text))
    caption = [page.title, page.block.about]
    if left_out:
        caption.append(f"{count(left_out)} more rows are left out")
    method = next(section for section in page.sections if section.title == "Method")
    return _rendered(
        "paper.tex.j2",
        fragment=fragment,
        table=table if page.table else None,
        said=[page.block.headline, *page.block.facts.values()],
        caption=" ".join(f"{text.rstrip('.')}." for text in caption),
        # What LaTeX accepts in a label.
        label=re.sub(r"[^A-Za-z0-9:-]+", "-", name).strip("-") or "bayescompare",
        columns=columns + "r" * (len(table.heads) - table.text),
        broken=broken,
        pictures=[picture for picture in page.pictures if picture.name in figures],
        figures=figures,
        method=method.words,
        bibtex=method.code["BibTeX"],
        tex=escaped_for_latex,
    )


def escaped_for_latex(text: str) -> str:
    r"""Write a text so that LaTeX shows it as it is.

    Examples
    --------
    >>> print(escaped_for_latex("50 % of A_1, θ"))
    50 \% of A\_1, $\theta$
    """
    # LaTeX would set two hyphens as a dash, and read [ after a line break as its option.
    return "".join(map(_letter, " ".join(str(text).split()))).replace("--", "-{}-{}")


def _letter(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    code, kind = ord(letter), unicodedata.category(letter)[0]
    if 0x20 <= code < 0x7F or (code in _LATIN and kind == "L"):
        return letter
    return "" if kind == "C" else rf"\other{{{code:X}}}{{{letter}}}"  # C: not printable
