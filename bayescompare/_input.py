"""Reading files, and refusing in one line those that are not files or too large for a table."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO

from bayescompare._errors import BayescompareError
from bayescompare.text.numbers import count

__all__ = ["MOST_BYTES", "check_input_is_regular", "input_too_large", "read_input_file"]

#: The largest file that is read into a table, before and after decompression: 512 MiB.
MOST_BYTES = 512 * 2**20

_CHUNK = 2**20


def read_input_file(path: Path) -> bytes:
    """Return the decompressed content of a file or pipe; the caller adds its name to errors.

    A pipe is read to its end, so that ``/dev/stdin`` and a shell's ``<(...)`` work; one that
    nobody writes to is refused rather than waited for.
    """
    try:
        content = _read_input(path)
        if content.startswith(b"\x1f\x8b"):
            content = _read_input_to_limit(gzip.GzipFile(fileobj=BytesIO(content)))
    except BayescompareError:
        raise
    except FileNotFoundError:
        raise BayescompareError("no such file.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BayescompareError(f"cannot be decompressed ({error}).") from None
    except OSError as error:
        raise BayescompareError(f"cannot be read ({error.strerror or error}).") from None
    except ValueError as error:  # a NUL, or a character that no file name has
        raise BayescompareError(f"no file can have this name ({error}).") from None
    return content


def check_input_is_regular(path: Path) -> None:
    """Refuse anything but a file on disk, for formats that are not read from start to end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise BayescompareError("no such file.") from None
    except (OSError, ValueError) as error:
        raise BayescompareError(f"cannot be read ({error}).") from None
    if not stat.S_ISREG(mode):
        raise BayescompareError(f"is {_kind_of_input(mode)}: name a file.")


def input_too_large() -> BayescompareError:
    """Return the error for a file that exceeds the limit, and what to do."""
    return BayescompareError(
        f"holds more than {count(MOST_BYTES / 2**20)} MiB: keep only what is compared, or read it "
        "into a frame yourself and pass that to Results.from_frame."
    )


def _read_input(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a pipe that nobody writes to would block forever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    try:
        facts = os.fstat(number)
        pipe = stat.S_ISFIFO(facts.st_mode)
        if not (pipe or stat.S_ISREG(facts.st_mode)):
            raise BayescompareError(f"is {_kind_of_input(facts.st_mode)}: name a file.")
        if facts.st_size > MOST_BYTES:
            raise input_too_large()
        if pipe:
            os.set_blocking(number, True)
        with open(number, "rb", closefd=False) as file:
            content = _read_input_to_limit(file)
    finally:
        os.close(number)
    if pipe and not content:
        raise BayescompareError("is a pipe that nobody writes to.")
    return content


def _read_input_to_limit(file: IO[bytes] | gzip.GzipFile) -> bytes:
    """Read to the end, or to the limit."""
    chunks, total = [], 0
    while chunk := file.read(_CHUNK):
        total += len(chunk)
        if total > MOST_BYTES:
            raise input_too_large()
        chunks.append(chunk)
    return b"".join(chunks)


def _kind_of_input(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
