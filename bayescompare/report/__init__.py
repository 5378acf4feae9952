"""A report about a result, to send or to keep, as HTML, Markdown, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from bayescompare._checks import check_path, check_word, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.table.writing import check_file_is_writable, write_text

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking
    from bayescompare.report.page import Page

__all__ = ["check_report_path", "render", "write_report"]

#: Suffix → format.
_FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".json": "json"}


def write_report(
    thing: Comparison | Pairwise | Ranking | Gate,
    path: str | Path,
    *,
    overwrite: bool = False,
    level: float | None = None,
    fdr: float | None = None,
    command: str | None = None,
    fragment: bool = False,
    figures: bool = False,
) -> Path:
    r"""Write a report into one file: verdict, explanation, tables, figures and provenance.

    An HTML page loads nothing from elsewhere. The same comparison always gives the same file, byte
    for byte.

    Parameters
    ----------
    thing : Comparison, Pairwise, Ranking or Gate
    path : path
        Its suffix sets the format: ``.html``, a page with figures; ``.tex``, what a paper needs
        (verdict, table, figures, a methods paragraph and BibTeX); ``.md``; or ``.json``.
    overwrite : bool
        Whether an existing file may be replaced.
    level, fdr : float, optional
        The rule of the verdicts on all pairs, as for `Pairwise.decide`; a single comparison needs
        no rule.
    command : str, optional
        The command to show as the origin of the report; by default the Python call.
    fragment : bool
        With ``.tex``, without preamble and references, to be read by ``\input``. The label of the
        table is ``tab:name``, after the file's name.
    figures : bool
        With ``.md``, also write the figures, as PNG, into a folder that is named after the file and
        beside it; with ``.tex`` they are always there, as PDF.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile, pathlib, bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(c, pathlib.Path(folder) / "report.html").read_text("utf-8")
    >>> "B is better than A on accuracy; time is open." in page
    True
    """
    target = check_report_path(path, overwrite=overwrite)
    format = _FORMATS[target.suffix.lower()]
    if fragment and format != "latex":
        raise BayescompareError(
            f"fragment=True is for .tex, and path={str(target)!r} is not: end it in .tex."
        )
    if format == "json" and not figures:
        return write_text(target, render(thing, format, level=level, fdr=fdr))
    from bayescompare.report import formats, pictures

    folder = None
    if figures or format == "latex":
        folder = pictures.check_figures(target, format)
    page = page_of(thing, level=level, fdr=fdr, command=command)
    written = {}
    if folder is not None:
        shown = page.paper_pictures if format == "latex" else page.pictures
        written = pictures.write_figures(shown, folder, format, overwrite=overwrite)
    if format == "latex":
        text = formats.latex(page, written, name=target.stem, fragment=fragment)
    else:
        text = _written(page, format, written)
    return write_text(target, text)


def render(
    thing: Comparison | Pairwise | Ranking | Gate,
    format: str = "html",
    *,
    level: float | None = None,
    fdr: float | None = None,
    command: str | None = None,
) -> str:
    """Return the report as a string; `format` is "html", "markdown", "latex" or "json".

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("pnn"))
    >>> render(c).splitlines()[0], render(c, "markdown").splitlines()[0]
    ('<!doctype html>', '# New and State of art on accuracy, complexity')
    """
    from bayescompare.outcome.pairwise import Pairwise

    check_word("format", format, sorted(set(_FORMATS.values())))
    if format == "json" and isinstance(thing, Pairwise):
        return f"{thing.to_json(level=level, fdr=fdr)}\n"
    if format == "json" and hasattr(thing, "to_json"):
        return f"{thing.to_json()}\n"
    return _written(page_of(thing, level=level, fdr=fdr, command=command), format)


def page_of(
    thing: object,
    *,
    level: float | None = None,
    fdr: float | None = None,
    command: str | None = None,
) -> Page:
    """Return the page of a result; `level` or `fdr` is the rule for all pairs.

    Examples
    --------
    >>> import bayescompare as bc
    >>> page = page_of(bc.compare(bc.load_example("pnn")))
    >>> [section.title for section in page.sections]
    ['Tables', 'Sensitivity', 'Diagnostics', 'Data', 'Method', 'How it was made']
    """
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import as_rule
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking
    from bayescompare.report import pages

    origin: object = command  # of any type at run time
    if not (origin is None or isinstance(origin, str)):
        raise BayescompareError(f"command={show_checked_value(origin)}: give a string, or None.")
    if isinstance(thing, Comparison):
        return pages.comparison_page(thing, command)
    if isinstance(thing, Pairwise):
        return pages.pairwise_page(thing, as_rule(level=level, fdr=fdr), command)
    if isinstance(thing, Ranking):
        return pages.ranking_page(thing, command)
    if isinstance(thing, Gate):
        return pages.gate_page(thing, command)
    raise BayescompareError(
        f"a {type(thing).__name__} has no report: give the result of compare(), pairwise(), "
        "rank() or gate()."
    )


def _written(page: Page, format: str, figures: Mapping[str, str] = MappingProxyType({})) -> str:
    from bayescompare.report import formats

    writers = {"html": formats.html, "markdown": formats.markdown, "latex": formats.latex}
    return writers[format](page, figures)


def check_report_path(path: str | Path, *, overwrite: bool = False) -> Path:
    """Check that a report can be written there, before anything is computed for it.

    Examples
    --------
    >>> check_report_path("report.pdf")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: path='report.pdf': a report ends in .html, ...
    """
    if check_path(path).suffix.lower() not in _FORMATS:
        raise BayescompareError(
            f"path={str(path)!r}: a report ends in {', '.join(_FORMATS)}; for a PDF, print the "
            "HTML page or compile the LaTeX file."
        )
    return check_file_is_writable(path, overwrite=overwrite)
