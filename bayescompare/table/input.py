"""Reading files, and refusing in one line those that are not files or too large for a table."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from bayescompare._checks import is_whole, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.text.numbers import count

__all__ = [
    "MOST_BYTES",
    "MOST_CELLS",
    "check_is_regular",
    "input_limits",
    "most_bytes",
    "most_cells",
    "name_unpacked",
    "open_unpacked",
    "read_file",
    "read_to_limit",
    "reading_errors",
    "too_large",
]

#: The largest file that is read into a table, before and after decompression: 512 MiB.
MOST_BYTES = 512 * 2**20

#: The largest table that is made of a file or a frame, most of which may be gaps.
MOST_CELLS = 50_000_000

_LIMITS: ContextVar[dict[str, int]] = ContextVar("_LIMITS")

_CHUNK = 2**20
#: Bytes that are decompressed at a time, few enough that a bomb does not fill the memory.
_PACKED = 2**10

#: How compressed files begin.
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@contextmanager
def input_limits(**limits: object) -> Iterator[None]:
    """Use other limits for what is read within: ``max_cells=`` and ``max_bytes=``.

    They hold for every reader of files that is called, and None leaves a limit as it is.
    """
    given = {name: limit for name, limit in limits.items() if limit is not None}
    for name, limit in given.items():
        if not (is_whole(limit) and limit >= 1):
            raise BayescompareError(f"{name}={show_checked_value(limit)}: must be an integer >= 1.")
    token = _LIMITS.set({**_LIMITS.get({}), **cast(dict[str, int], given)})
    try:
        yield
    finally:
        _LIMITS.reset(token)


def most_bytes() -> int:
    """Return how many bytes of a file are read, after decompression."""
    return _LIMITS.get({}).get("max_bytes", MOST_BYTES)


def most_cells() -> int:
    """Return how many cells a table may have."""
    return _LIMITS.get({}).get("max_cells", MOST_CELLS)


def read_file(path: Path) -> bytes:
    """Return the decompressed content of a file or pipe; the caller adds its name to errors.

    A pipe is read to its end, so that ``/dev/stdin`` and a shell's ``<(...)`` work; one that
    nobody writes to is refused rather than waited for.
    """
    with reading_errors():
        return _unpacked_input(_read_input(path))


@contextmanager
def reading_errors() -> Iterator[None]:
    """Say in one line why a file cannot be read; the caller adds its name."""
    try:
        yield
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


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file on disk, decompressing it on the way if need be."""
    file = path.open("rb")
    start = file.read(len(_ZSTANDARD))
    if start.startswith(_GZIP):
        file.close()
        return cast(IO[bytes], gzip.open(path))
    file.seek(0)
    return cast(IO[bytes], _zstandard_input(file)) if start == _ZSTANDARD else file


def name_unpacked(path: Path) -> str:
    """Return the name of a file in small letters, without what says that it is compressed.

    Examples
    --------
    >>> name_unpacked(Path("runs/Results.CSV.gz"))
    'results.csv'
    """
    return path.name.lower().removesuffix(".gz").removesuffix(".zst")


def check_is_regular(path: Path) -> None:
    """Refuse anything but a file on disk, for formats that are not read from start to end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise BayescompareError("no such file.") from None
    except (OSError, ValueError) as error:
        raise BayescompareError(f"cannot be read ({error}).") from None
    if not stat.S_ISREG(mode):
        raise BayescompareError(f"is {_kind_of_input(mode)}: name a file.")


def too_large() -> BayescompareError:
    """Return the error for a file that exceeds the limit, and what to do."""
    return BayescompareError(
        f"holds more than {count(most_bytes() / 2**20)} MiB, unpacked: keep only what is "
        "compared, or allow more by max_bytes=."
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
        if facts.st_size > most_bytes():
            raise too_large()
        if pipe:
            os.set_blocking(number, True)
        with open(number, "rb", closefd=False) as file:
            content = read_to_limit(file)
    finally:
        os.close(number)
    if pipe and not content:
        raise BayescompareError("is a pipe that nobody writes to.")
    return content


def read_to_limit(file: IO[bytes]) -> bytes:
    """Read to the end, or to the limit."""
    chunks, total = [], 0
    while chunk := file.read(_CHUNK):
        total += len(chunk)
        if total > most_bytes():
            raise too_large()
        chunks.append(chunk)
    return b"".join(chunks)


# compressed files ---------------------------------------------------------------------------------


def _unpacked_input(content: bytes) -> bytes:
    """Decompress what begins as a compressed file does."""
    packed = BytesIO(content)
    stream: Any = packed
    if content.startswith(_GZIP):
        stream = gzip.GzipFile(fileobj=packed)
    elif content.startswith(_ZSTANDARD):
        stream = _zstandard_input(packed)
    return content if stream is packed else read_to_limit(stream)


def _zstandard_input(file: IO[bytes]) -> io.BufferedReader:
    try:
        import zstandard
    except ImportError:
        file.close()
        raise BayescompareError(
            'is compressed with Zstandard: pip install "bayescompare[zst]".'
        ) from None
    return io.BufferedReader(_ZstandardInput(file, zstandard), _CHUNK)


class _ZstandardInput(io.RawIOBase):
    """Zstandard's frames decompressed one after the other; one that is cut off is an error."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file, self._zstandard = file, zstandard
        self._frame: Any = None
        self._packed, self._ready = b"", b""

    def readable(self) -> bool:
        """Whether this can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, and return with how many bytes: 0 at the end."""
        while not self._ready and self._unpack_more():
            pass
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _unpack_more(self) -> bool:
        """Unpack the next piece; False at the end of the file."""
        self._packed = self._packed or self._file.read(_PACKED)
        if not self._packed:
            if self._frame is not None and not self._frame.eof:
                raise EOFError("the file is cut off")
            return False
        if self._frame is None or self._frame.eof:
            self._frame = self._zstandard.ZstdDecompressor().decompressobj()
        try:
            self._ready = self._frame.decompress(self._packed)
        except self._zstandard.ZstdError as error:
            raise EOFError(str(error)) from None
        self._packed = self._frame.unused_data if self._frame.eof else b""
        return True

    def close(self) -> None:
        """Close the file below, too."""
        self._file.close()
        super().close()


def _kind_of_input(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
