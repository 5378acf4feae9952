"""The process around a command: errors in one line, closed streams, signals, scratch folders."""

from __future__ import annotations

import atexit
import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from bayescompare._errors import BayescompareError

#: What a shell reports when the reader of a program's output has gone: 128 + SIGPIPE.
HUNG_UP = 141

#: What stands for a sign that a narrow encoding lacks.
ASCII = str.maketrans(
    {"↑": "^", "↓": "v", "●": "*", "◐": "o", "·": ".", "–": "-", "−": "-", "…": "...", "×": "x"}
    | {"“": '"', "”": '"', "≥": ">=", "≤": "<=", "─": "-", "○": "o", "→": "->", "’": "'"}
    | {"θ": "theta", "α": "alpha", "δ": "delta", "\N{NO-BREAK SPACE}": " "}
)


class HungUp(BaseException):
    """The reader of the output has gone. That is no error, so no handler of errors catches it."""


class _Stream(io.TextIOWrapper):
    """A standard stream that raises `HungUp` once its reader has gone; other pipes do not."""

    def write(self, text: str, /) -> int:
        """Write, in ASCII where the encoding has no more, or raise `HungUp` if nobody reads."""
        with _noticing_hang_up():
            wide = self.encoding.lower().startswith("utf")
            return super().write(text if wide else text.translate(ASCII))

    def flush(self) -> None:
        """Flush, or raise `HungUp` if nobody reads."""
        with _noticing_hang_up():
            super().flush()


@contextmanager
def _noticing_hang_up() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise HungUp from None
    except OSError as error:
        raise BayescompareError(f"the output cannot be written: {error.strerror}.") from None


def prepare_streams() -> None:
    """Make sure that every standard stream can be written, whatever the names printed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # It is closed. The next file opened would get its number, and with it what is printed.
            os.open(os.devnull, os.O_RDWR)
    # A name that the terminal cannot show is no reason to fail.
    sys.stdout = _output_stream(sys.stdout, 1, "replace")
    sys.stderr = _output_stream(sys.stderr, 2, "backslashreplace")


def _output_stream(stream: Any, number: int, errors: str) -> Any:
    if stream is None:  # how Python marks a stream that was closed
        return open(number, "w", encoding="utf-8", errors=errors, closefd=False)
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    encoding, line = stream.encoding, stream.line_buffering
    return _Stream(stream.detach(), encoding=encoding, errors=errors, line_buffering=line)


def settle_streams() -> None:
    """Print what is left, or drop it if nobody reads it, so that Python ends silently."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (HungUp, BayescompareError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)


def prepare_folders() -> None:
    """Give PyTensor and matplotlib a scratch folder where the home folder cannot be written.

    Both keep files there, and PyTensor does not work without.
    """
    home = Path("~").expanduser()
    wanted = {
        "PYTENSOR_FLAGS": (home / ".pytensor", "base_compiledir={}"),
        "MPLCONFIGDIR": (home / ".config" / "matplotlib", "{}"),
    }
    missing = {
        name: text
        for name, (folder, text) in wanted.items()
        if name not in os.environ and not _can_write(folder)
    }
    if missing:
        scratch = tempfile.mkdtemp(prefix="bayescompare-")
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
        os.environ.update({name: text.format(scratch) for name, text in missing.items()})


def _can_write(folder: Path) -> bool:
    """Whether a folder, or the nearest one above it that exists, lets us create files."""
    for candidate in (folder, *folder.parents):
        if candidate.exists():
            return os.access(candidate, os.W_OK | os.X_OK)
    return False


# signals ------------------------------------------------------------------------------------------


class Interrupted(BaseException):
    """A signal that ends the command, by its number.

    PyMC would take a KeyboardInterrupt for "keep what there is".
    """


@contextmanager
def stoppable_process(number: int) -> Iterator[None]:
    """Let a signal end the command as an error would, so that workers and scratch files go too.

    PyMC alone would go on after Ctrl-C with the draws that it has, and SIGTERM alone would leave
    everything as it is.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield
        return
    parent, stopped = os.getpid(), False

    def stop(*_: object) -> NoReturn:
        nonlocal stopped
        stopped = True
        if os.getpid() != parent:  # a worker that was forked
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        raise Interrupted(number)

    before = signal.signal(number, stop)
    try:
        yield
    except Exception:
        if stopped:  # compiled code turns what is raised inside it into a SystemError
            raise Interrupted(number) from None
        raise
    finally:
        signal.signal(number, before)


# Typer, with our errors and plain help -----------------------------------------------------------


class _Lightly:
    """Typer's reader of an option, made only if a value is more than a word or a path.

    Newer releases load pydantic for it, a tenth of a second, even for an option that was left out.
    """

    def __init__(self, make: Any) -> None:
        self._make = make

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as the command takes it."""
        kind = param.type_descriptor.annotation
        if value is None:
            return [] if param.multiple or param.nargs == -1 else None
        if type(value) is kind or kind == list[str]:
            return value
        if kind is Path:
            return Path(value)
        if kind == list[Path]:
            return [Path(each) for each in value]
        return self._make().coerce(value, param=param, ctx=ctx)


def _lightly(params: list[Any]) -> list[Any]:
    for each in params:
        make = getattr(each, "get_runtime_param", None)  # older releases of Typer need none
        if make is not None and "get_runtime_param" not in vars(each):
            each.get_runtime_param = partial(_Lightly, make)
    return params


class Command(TyperCommand):
    """A command whose help lists the options under their panels, as plain text."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, --help included."""
        return _lightly(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, a section for each topic."""
        # What is asked comes before the many ways to write a table.
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "The question": []}
        for each in self.get_params(ctx):
            if record := each.get_help_record(ctx):
                panel, name = getattr(each, "rich_help_panel", None), record[0]
                if each.param_type_name == "argument":
                    panel, name = "Arguments", each.metavar or name
                sections.setdefault(panel or "Options", []).append((name, record[1]))
        # What every command has comes last.
        sections["Options"] = sections.pop("Options", [])
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Commands(TyperGroup):
    """The commands; whatever is wrong becomes one line on standard error."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, --help included."""
        return _lightly(super().get_params(ctx))

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with 0, or with 2 for what the user can mend.

        Ctrl-C gives 130 and SIGTERM 143, and either ends parallel workers. If nobody reads the
        output any more (``| head``), exit silently with 141, as other programs do.
        """
        try:
            with stoppable_process(signal.SIGTERM):
                code = super().main(*args, **{**kwargs, "standalone_mode": False})
            sys.stdout.flush()
        except HungUp:
            _stop("", HUNG_UP)
        except (BayescompareError, OSError) as error:
            _fail(str(error), kwargs.get("args"))
        except Interrupted as stopped:
            (number,) = stopped.args
            _stop("terminated" if number == signal.SIGTERM else "interrupted", 128 + number)
        except typer.Abort as error:
            if isinstance(error.__cause__, EOFError):  # Typer takes it for Ctrl-D at a prompt
                raise error.__cause__ from None
            _stop("interrupted", 130)
        except Exception as error:
            # Typer's usage errors; their class has moved between its versions.
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":  # there was no command
                typer.echo(error.ctx.get_help(), err=True)  # type: ignore[attr-defined]
                _stop("", 2)
            message = error.format_message().strip().rstrip(".")
            context = getattr(error, "ctx", None)
            see = f"; see '{context.command_path} --help'." if context else ""
            _fail(f"{message[:1].lower()}{message[1:]}{see}", kwargs.get("args"))
        if code == 130:  # Typer's own handling of Ctrl-C
            _stop("interrupted", 130)
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, typed: list[str] | None) -> NoReturn:
    """Print an error; a program that asked for JSON reads it from standard output."""
    if "--json" in (sys.argv[1:] if typed is None else typed):
        with suppress(HungUp):
            sys.stdout.write(json.dumps({"error": message}) + "\n")
    _stop(f"error: {message}", 2)


def _stop(message: str, code: int) -> NoReturn:
    if message:
        with suppress(HungUp):
            typer.echo(re.sub(r"\s*[\r\n]+\s*", " ", message), err=True)
    settle_streams()
    sys.exit(code)
