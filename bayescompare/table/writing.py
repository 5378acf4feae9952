"""Writing files: whole or not at all.

Every file is written under a temporary name beside its own and renamed, so that whoever reads the
name finds the old file or the new one, never a part, whatever happens in between.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bayescompare._errors import BayescompareError

_STREAM = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")


def check_file_is_writable(path: str | Path, *, overwrite: bool) -> Path:
    """Check that a file can be written before any work is done; overwrite only on request."""
    argument: object = path
    if not isinstance(argument, (str, os.PathLike)):
        raise BayescompareError(f"path={argument!r}: give the name of a file.")
    target = Path(path)
    with _naming(target):
        if target.is_dir():
            raise BayescompareError(f"{target} is a folder: name a file.")
        if target.exists() and not overwrite:
            raise BayescompareError(f"{target} exists: choose another name, or use overwrite=True.")
        place = _place(target)
        if not place.parent.is_dir():
            raise BayescompareError(f"{target}: the folder {place.parent} does not exist.")
        if target.exists() and not os.access(place, os.W_OK):
            raise BayescompareError(f"{target} cannot be written: it is read-only.")
        if not _is_stream(target):
            try:
                tempfile.TemporaryFile(dir=place.parent).close()
            except OSError as error:
                raise BayescompareError(
                    f"{target} cannot be written: {error.strerror} in {place.parent}."
                ) from None
    return target


def write_text(path: Path, text: str) -> Path:
    """Write text as UTF-8, replacing a file that is there; see `write_bytes`."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BayescompareError(
            f"{path} cannot be written: {text[error.start]!r} is half a character, which UTF-8 "
            f"cannot hold (in {text[max(0, error.start - 20) : error.end + 20]!r}): "
            "rename whatever has it in its name."
        ) from None
    return write_bytes(path, content)


def write_bytes(path: Path, content: bytes, *, flush: bool = True) -> Path:
    """Write a file whole or not at all, replacing a file that is there.

    A symbolic link stays one, and the file it points to is replaced. A replaced file keeps its
    mode; a new one follows the umask. Devices and pipes are written to as they are. Without
    `flush` the file is whole whatever happens to this process, but not if the machine loses power
    in the next seconds: for files that can be checked and made again.
    """
    with _naming(path):
        if _is_stream(path):
            with open(_opened_stream(path), "wb") as stream:
                stream.write(content)
        else:
            _replace(_place(path), content, flush)
    return path


def _place(path: Path) -> Path:
    """Return where a file lies, following symbolic links."""
    return Path(os.path.realpath(path))


def _replace(place: Path, content: bytes, flush: bool) -> None:
    before = None
    with suppress(FileNotFoundError):
        before = place.stat()
    temporary = place.with_name(f".bayescompare-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            if before is not None:
                with suppress(OSError, AttributeError):
                    os.chown(temporary, before.st_uid, before.st_gid)
                temporary.chmod(stat.S_IMODE(before.st_mode))
            file.write(content)
            file.flush()
            if flush:
                os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe or an open stream, which no file may replace."""
    return path.exists() and (not path.is_file() or _stream(path) is not None)


def _stream(path: Path) -> int | None:
    """Return the number of the open stream that a path such as /dev/stdout stands for."""
    match = _STREAM.fullmatch(os.path.abspath(path))
    if match is None:
        return None
    return {"stdout": 1, "stderr": 2}.get(match[1]) or int(match[2])


def _opened_stream(path: Path) -> int:
    own = _stream(path)
    if own is not None:
        # Opened by its name, a file that a shell redirects to would be overwritten from its start.
        return os.dup(own)
    # Without O_NONBLOCK, opening a pipe that nobody reads would block forever.
    number = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(number, True)
    return number


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn errors of the system into ones that name the file."""
    try:
        yield
    except BayescompareError:
        raise
    except OSError as error:
        raise BayescompareError(f"{path} cannot be written: {error.strerror or error}.") from None
    except ValueError as error:  # a NUL, or a character that no file name has
        raise BayescompareError(
            f"path={str(path)!r}: no file can have this name ({error})."
        ) from None
