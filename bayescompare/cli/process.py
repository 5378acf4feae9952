"""The process around a command: closed streams, signals, and folders that cannot be written."""

from __future__ import annotations

import atexit
import io
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from bayescompare._errors import BayescompareError

__all__ = [
    "HUNG_UP",
    "HungUp",
    "Interrupted",
    "prepare_folders",
    "prepare_streams",
    "settle_streams",
    "stoppable_process",
]

#: What a shell reports when the reader of a program's output has gone: 128 + SIGPIPE.
HUNG_UP = 141


class HungUp(BaseException):
    """The reader of the output has gone. That is no error, so no handler of errors catches it."""


class _Stream(io.TextIOWrapper):
    """A standard stream that raises `HungUp` once its reader has gone; other pipes do not."""

    def write(self, text: str, /) -> int:
        """Write, or raise `HungUp` if nobody reads."""
        with _noticing_hang_up():
            return super().write(text)

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
