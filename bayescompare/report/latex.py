r"""The report as LaTeX that compiles with pdfLaTeX, XeLaTeX and LuaLaTeX, whatever the names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from bayescompare.report.html import html_template
from bayescompare.report.page import Page
from bayescompare.report.tables import Table

__all__ = ["LATEX_MARKS", "escaped_for_latex", "latex"]

_ESCAPES = {
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
}
#: Symbols that reports use and Greek letters, for every engine.
_SIGNS = {
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
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\varepsilon$",
    "θ": r"$\theta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "ν": r"$\nu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "\N{NO-BREAK SPACE}": "~",
}
#: Letters that the T1 encoding of pdfLaTeX has; others it names by their code point.
_LATIN = range(0xA1, 0x180)


#: LaTeX is full of braces, so its templates use other marks.
LATEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def latex(page: Page, figures: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the page as a LaTeX document; `figures` are the paths of its pictures, by name."""
    source = html_template("report.tex.j2", **LATEX_MARKS)
    document = str(
        source.render(
            page=page,
            figures=figures,
            tex=escaped_for_latex,
            lines=_latex_code_lines,
            columns=_latex_columns,
        )
    )
    return document.rstrip() + "\n"


def escaped_for_latex(text: str) -> str:
    r"""Write a text so that LaTeX shows it as it is.

    Examples
    --------
    >>> print(escaped_for_latex("50 % of A_1"))
    50 \% of A\_1
    """
    # LaTeX would set two hyphens as a dash, and read [ after a line break as its option.
    return "".join(map(_latex_letter, " ".join(str(text).split()))).replace("--", "-{}-{}")


def _latex_letter(letter: str) -> str:
    if letter in _ESCAPES or letter in _SIGNS:
        return _ESCAPES.get(letter, _SIGNS.get(letter, letter))
    code = ord(letter)
    if 0x20 <= code < 0x7F or (code in _LATIN and unicodedata.category(letter)[0] == "L"):
        return letter
    if unicodedata.category(letter)[0] == "C":
        return ""  # not printable
    return rf"\other{{{code:X}}}{{{letter}}}"


def _latex_columns(table: Table) -> str:
    """Return the column widths: columns of words as wide as needed, within the page."""
    wanted = [
        0.25 + 0.2 * max(_latex_width(str(row[k])) for row in [table.heads, *table.rows])
        for k in range(table.text)
    ]
    # A4 has 17 cm between its margins; every column has some room at its sides.
    room = 16.9 - 0.43 * table.text
    room -= sum(0.5 + 0.16 * len(head) for head in table.heads[table.text :])
    share = min(1.0, max(room, 6.0) / sum(wanted))
    # Only wide columns shrink.
    narrow = [width for width in wanted if width <= 2.5]
    if share < 1.0 and len(narrow) < len(wanted):
        share = (max(room, 6.0) - sum(narrow)) / (sum(wanted) - sum(narrow))
        wanted = [width if width <= 2.5 else max(2.5, width * share) for width in wanted]
    words = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.2f}cm}}" for width in wanted)
    return words + "r" * (len(table.heads) - table.text)


def _latex_width(text: str) -> float:
    """Return the length in letters; the signs of an order are wider than letters."""
    return len(text) + 0.5 * text.count(">")


def _latex_code_lines(text: str) -> str:
    """Write code line by line, in a fixed-width font; long lines may break."""
    lines = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        lines.append(rf"\hspace*{{{indent * 0.5:g}em}}{escaped_for_latex(line)}")
    return "\\\\\n".join(lines)
