"""The files that commands write and what they print besides tables."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import Flag, naming_flags
from bayescompare.table.writing import check_file_is_writable, write_bytes

__all__ = [
    "announce_output_files",
    "check_outputs",
    "check_picture_output",
    "print_json",
    "sampler_options",
    "shows_progress",
    "typed_command",
    "write_picture_output",
]


def check_outputs(sources: Sequence[Path], *, overwrite: bool, **paths: Path | None) -> None:
    """Check every file to be written before anything is computed.

    Parameters
    ----------
    sources : sequence of Path
        The tables, which are no outputs.
    overwrite : bool
    **paths : Path, optional
        The file of each flag, by its name: ``report=`` is ``--report``.
    """
    outputs = {f"--{name}": path for name, path in paths.items() if path is not None}
    taken = {source.resolve(): "FILE" for source in sources}
    for flag, path in outputs.items():
        other = taken.setdefault(path.resolve(), flag)
        if other != flag:
            raise BayescompareError(f"{flag} {path}: that is {other} too; choose another name.")
    for flag, path in outputs.items():
        _check_output(flag, path, overwrite=overwrite)


def _check_output(flag: str, path: Path, *, overwrite: bool) -> None:
    from bayescompare.report import check_report_path

    check = check_report_path if flag == "--report" else check_file_is_writable
    with naming_flags(lambda: {"path": Flag(flag, "PATH")}):
        check(path, overwrite=overwrite)


def check_picture_output(path: Path, *, flag: str = "--plot") -> None:
    """Refuse a kind of picture that matplotlib cannot write, before the work is done."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise BayescompareError(
            f"{flag} {path}: cannot be written as a picture; end its name in .png, .svg or .pdf."
        )


def write_picture_output(figure: Any, path: Path) -> None:
    """Write a matplotlib figure, whole or not at all."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    write_bytes(path, picture.getvalue())


def typed_command() -> str:
    """Return the command line as it could be typed again."""
    return shlex.join(["bayescompare", *sys.argv[1:]])


def print_json(text: str) -> None:
    """Print JSON, with escapes where the output cannot show a character."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text), indent=1)
    sys.stdout.write(f"{text}\n")


def announce_output_files(*written: Path | None, err: bool = False) -> None:
    """Say which files were written."""
    for path in written:
        if path is not None:
            typer.echo(f"wrote {path}", err=err)


def shows_progress(no_progress: bool) -> bool:
    """Whether to show a progress bar: only to somebody who watches."""
    return not no_progress and sys.stderr.isatty()


def sampler_options(no_progress: bool) -> dict[str, Any] | None:
    """Return the options of NUTS where it answers: it says so even without a bar."""
    return {"progressbar": None} if no_progress else None
