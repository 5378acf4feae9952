"""One self-contained HTML page about a comparison, to send or to keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError

if TYPE_CHECKING:
    from bayescompare.comparison import Comparison
    from bayescompare.pairs import Pairwise

__all__ = ["check_report_path", "write_report"]

_SUFFIXES = (".html", ".htm")


def write_report(
    thing: Comparison | Pairwise,
    path: str | Path,
    *,
    overwrite: bool = False,
    fdr: float = 0.05,
) -> Path:
    """Write an HTML report: verdict, words, tables, pictures and what made them, in one file.

    The page loads nothing from elsewhere and runs no scripts. The same comparison gives the same
    page, byte by byte.

    Parameters
    ----------
    thing : Comparison or Pairwise
    path : path
        Ends in ``.html`` or ``.htm``.
    overwrite : bool
        Whether a file that exists may be replaced.
    fdr : float
        What is asserted of all pairs, as for `Pairwise.decide`; one comparison asserts nothing
        by it.

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
    >>> "likely, not settled" in page
    True
    """
    from bayescompare.report.render import render

    target = check_report_path(path, overwrite=overwrite)
    # Rendered whole before the file is opened, so that a failure leaves nothing behind.
    page = render(thing, fdr=fdr)
    target.write_text(page, encoding="utf-8")
    return target


def check_report_path(path: str | Path, *, overwrite: bool = False) -> Path:
    """Check that a report can be written there, before anything is computed for it.

    Examples
    --------
    >>> check_report_path("report.pdf")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: path='report.pdf': a report is an HTML page; ...
    """
    from bayescompare.comparison_files import new_file

    if Path(path).suffix.lower() not in _SUFFIXES:
        raise BayescompareError(
            f"path={str(path)!r}: a report is an HTML page; end its name in .html (another format "
            "can be printed from the browser)."
        )
    return new_file(path, overwrite=overwrite)
