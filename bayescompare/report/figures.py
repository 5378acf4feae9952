"""The figures of a report as files of their own, for formats that cannot hold them."""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError
from bayescompare.table.writing import check_file_is_writable, write_bytes

if TYPE_CHECKING:
    from bayescompare.report.page import Page, Picture

__all__ = ["check_figures", "write_figures"]

#: Format of a report → that of its figures.
_SUFFIXES = {"latex": ".pdf", "markdown": ".png"}

#: Neither the date nor the machine, so that the same picture is the same file.
_NO_METADATA = {
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    ".png": {"Software": None},
}


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


def write_figures(page: Page, folder: Path, format: str, *, overwrite: bool) -> dict[str, str]:
    """Write every picture of a page, and return their paths beside the report, by name."""
    suffix = _SUFFIXES[format]
    paths = {picture.name: folder / f"{_file_name(picture)}{suffix}" for picture in page.pictures}
    made = not folder.exists()
    if made:
        folder.mkdir()
    try:
        for path in paths.values():
            check_file_is_writable(path, overwrite=overwrite)
        for picture in page.pictures:
            write_bytes(paths[picture.name], _drawn(picture, suffix))
    except BaseException:
        if made:
            _remove(folder, list(paths.values()))
        raise
    return {name: f"{folder.name}/{path.name}" for name, path in paths.items()}


def _remove(folder: Path, paths: list[Path]) -> None:
    """Leave nothing behind of a folder that was made here."""
    for path in paths:
        path.unlink(missing_ok=True)
    folder.rmdir()


def _file_name(picture: Picture) -> str:
    r"""Return a name that every system and LaTeX's \includegraphics accept."""
    words = re.sub(r"[^a-z0-9]+", "-", picture.title.lower()).strip("-")[:40].strip("-")
    return f"{words}-{picture.name}" if words else picture.name


def _drawn(picture: Picture, suffix: str) -> bytes:
    from matplotlib import style
    from matplotlib.figure import Figure

    written = io.BytesIO()
    with style.context("default"), warnings.catch_warnings():
        # A name may have letters that the font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(layout="constrained")
        picture.draw(figure)
        metadata = _NO_METADATA[suffix]
        figure.savefig(written, format=suffix[1:], dpi=150, metadata=metadata)
    return written.getvalue()
