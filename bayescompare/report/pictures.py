"""Pictures of a report: SVG elements inside a page, or files of their own."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from bayescompare._errors import BayescompareError
from bayescompare.plots.pen import NARROW, WIDE
from bayescompare.table.writing import check_file_is_writable, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bayescompare.report.page import Picture

#: Text stays text, so that it can be searched and the browser can show any script; ids are fixed.
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "bayescompare"}

#: Neither the date nor the machine, so that the same picture is the same file.
_NO_METADATA: dict[str, dict[str, Any]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
    "png": {"Software": None},
}

#: Format of a report → that of its figures, where these are files.
_SUFFIXES = {"latex": "pdf", "markdown": "png"}

_ID = re.compile(r'(\sid="|url\(#|href="#)')


def _drawn(draw: Callable[[Figure], Any], suffix: str) -> tuple[bytes, float]:
    """Return a picture as a file of a format, and its width in inches."""
    from matplotlib import style
    from matplotlib.figure import Figure

    written = io.BytesIO()
    # The page neither depends on the user's matplotlib settings nor changes them.
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A name may have letters that matplotlib's font lacks, and the browser has.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(layout="constrained")
        draw(figure)
        dpi = "figure" if suffix == "svg" else 150
        figure.savefig(written, format=suffix, dpi=dpi, metadata=_NO_METADATA[suffix])
    return written.getvalue(), figure.get_figwidth()


def svg(picture: Picture) -> Markup:
    """Draw a picture and return it as an ``<svg>`` element that scales, one for each width.

    It has no prolog and no comments, and its name is the prefix of every id, so that a page can
    have several figures.

    Examples
    --------
    >>> from bayescompare.report.page import Picture
    >>> line = Picture("A line", lambda figure: figure.subplots().plot([1, 2]), "line", "a < b")
    >>> svg(line).startswith('<svg class="plot" role="img" aria-label="a &lt; b"')
    True
    """
    if picture.pen is not None:
        if picture.small:
            return Markup(picture.pen(NARROW).svg())
        wide, narrow = picture.pen(WIDE).svg(), picture.pen(NARROW).svg()
        return Markup(f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>')
    document, width = _drawn(picture.draw, "svg")
    element = document.decode("utf-8")
    element = element[element.index("<svg") :]
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # "<" and ">" are escaped in text and in attributes, so this matches only tags.
    element = re.sub(r"<[^>]+>", lambda tag: _ID.sub(rf"\g<1>{picture.name}-", tag[0]), element)
    box = re.search(r'viewBox="[^"]*"', element)
    assert box is not None
    head = (
        f'<svg class="plot" role="img" aria-label="{escape(picture.words)}" {box[0]} '
        f'style="--wanted:{width:.3g}in" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return Markup(re.sub(r"^<svg[^>]*>", lambda _: head, element).rstrip())


# files --------------------------------------------------------------------------------------------


def check_figures(target: Path, format: str) -> Path:
    """Return the folder for the figures of a report, which is named after its file."""
    if format not in _SUFFIXES:
        raise BayescompareError(
            "figures=True is for .md and .tex, whose figures are separate files: an HTML page has "
            "its figures in it, and JSON has none."
        )
    folder = target.with_suffix("")
    if folder.exists() and not folder.is_dir():
        raise BayescompareError(
            f"figures=True writes into the folder {str(folder)!r}, and that is a file: choose "
            "another path."
        )
    return folder


def write_figures(
    shown: Sequence[Picture], folder: Path, format: str, *, overwrite: bool
) -> dict[str, str]:
    """Write pictures of a page, and return their paths beside the report, by name."""
    suffix = _SUFFIXES[format]
    paths = {picture.name: folder / f"{_file_name(picture)}.{suffix}" for picture in shown}
    made = not folder.exists()
    if made:
        folder.mkdir()
    try:
        for path in paths.values():
            check_file_is_writable(path, overwrite=overwrite)
        for picture in shown:
            write_bytes(paths[picture.name], _drawn(picture.draw, suffix)[0])
    except BaseException:
        if made:  # nothing is left behind
            for path in paths.values():
                path.unlink(missing_ok=True)
            folder.rmdir()
        raise
    return {name: f"{folder.name}/{path.name}" for name, path in paths.items()}


def _file_name(picture: Picture) -> str:
    r"""Return a name that every system and LaTeX's \includegraphics accept."""
    words = re.sub(r"[^a-z0-9]+", "-", picture.title.lower()).strip("-")[:40].strip("-")
    return f"{words}-{picture.name}" if words else picture.name
