"""The files that commands write, and what they print."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import Flag, naming_flags
from bayescompare.cli.options import Drawn, Output, Picture, Report, Sampled
from bayescompare.table.writing import check_file_is_writable, write_bytes

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["announce", "check_outputs", "deliver", "print_json", "write_picture"]


def check_outputs(sources: Sequence[Path], output: Output | Sampled | Picture) -> None:
    """Check every file to be written before anything is computed; the tables are no outputs."""
    taken = {source.resolve(): "FILE" for source in sources}
    outputs = {f"--{name}": path for name, path in vars(output).items() if isinstance(path, Path)}
    for flag, path in outputs.items():
        other = taken.setdefault(path.resolve(), flag)
        if other != flag:
            raise BayescompareError(f"{flag} {path}: that is {other} too; choose another name.")
    for flag, path in outputs.items():
        check: Any = check_file_is_writable
        if flag == "--report":
            from bayescompare.report import check_report_path as check
        with naming_flags({"path": Flag(flag, "PATH")}.get):
            check(path, overwrite=output.overwrite)
        if flag == "--plot":
            _check_picture(path)


def _check_picture(path: Path) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    if path.suffix[1:].lower() not in FigureCanvasBase.get_supported_filetypes():
        raise BayescompareError(
            f"--plot {path}: cannot be written as a picture; end its name in .png, .svg or .pdf."
        )


def write_picture(figure: Any, path: Path) -> None:
    """Write a matplotlib figure, whole or not at all."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    write_bytes(path, picture.getvalue())


def deliver(
    answer: Any,
    output: Output,
    show: Callable[[Console], None],
    **rule: Any,
) -> None:
    """Write the files that were asked for, and print the answer or its JSON.

    Parameters
    ----------
    answer : Comparison, Pairwise, Ranking or Gate
    output : Output
    show : callable
        Prints the answer.
    **rule
        How the answer decides, for its files.
    """
    text = answer.to_json(**rule) if output.as_json else ""
    report = output.report if isinstance(output, Report) else None
    plot = output.plot if isinstance(output, Drawn) else None
    if output.save is not None:
        netcdf = isinstance(answer, bc.Comparison) and output.save.suffix != ".json"
        save = answer.to_netcdf if netcdf else answer.to_json
        save(output.save, overwrite=output.overwrite, **rule)
    if plot is not None:
        write_picture(answer.plot().figure, plot)
    if report is not None:
        command = shlex.join(["bayescompare", *sys.argv[1:]])
        answer.report(report, overwrite=output.overwrite, command=command, **rule)
    if output.as_json:
        print_json(text)
    else:
        from bayescompare.cli.printing import console

        show(console())
    announce(output.save, plot, report, err=output.as_json)


def print_json(text: str) -> None:
    """Print JSON, with escapes where the output cannot show a character."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text), indent=1)
    sys.stdout.write(f"{text}\n")


def announce(*written: Path | None, err: bool = False) -> None:
    """Say which files were written."""
    for path in written:
        if path is not None:
            typer.echo(f"wrote {path}", err=err)
