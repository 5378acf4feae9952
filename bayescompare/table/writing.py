"""Writing files: whole or not at all.

Every file is written under a temporary name beside its own, flushed to the disk and renamed, so
that whoever reads the name finds the old file or the new one, never a part, whatever happens in
between. The writer keeps its temporary file locked; one that nobody holds was left by a process
that was killed, and the next write into the folder removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bayescompare._errors import BayescompareError

if sys.platform != "win32":
    import fcntl

__all__ = ["check_file_is_writable", "write_bytes", "write_text"]

_STREAM = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")
_TEMPORARY = re.compile(r"\.bayescompare-[0-9a-f]{16}\.tmp")


def check_file_is_writable(path: str | Path, *, overwrite: bool) -> Path:
    """Check that a file can be written before any work is done; overwrite only on request."""
    argument: object = path
    if not isinstance(argument, (str, os.PathLike)):
        raise BayescompareError(f"path={argument!r}: give the name of a file.")
    target = Path(path)
    with _errors_naming_written_file(target):
        if target.is_dir():
            raise BayescompareError(f"{target} is a folder: name a file.")
        if target.exists() and not overwrite:
            raise BayescompareError(f"{target} exists: choose another name, or use overwrite=True.")
        place = _real_place_of_file(target)
        if not place.parent.is_dir():
            raise BayescompareError(f"{target}: the folder {place.parent} does not exist.")
        if target.exists() and not os.access(place, os.W_OK):
            raise BayescompareError(f"{target} cannot be written: it is read-only.")
        if not _is_stream_not_file(target):
            _try_writing_file_in(target, place.parent)
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
    with _errors_naming_written_file(path):
        if _is_stream_not_file(path):
            _write_file_to_stream(path, content)
        else:
            _replace_file(_real_place_of_file(path), content, flush)
    return path


def _real_place_of_file(path: Path) -> Path:
    """Return where a file lies, following symbolic links."""
    return Path(os.path.realpath(path))


def _is_stream_not_file(path: Path) -> bool:
    """Whether the path is a device, a pipe or an open stream, which no file may replace."""
    return path.exists() and (not path.is_file() or _stream_of_file_path(path) is not None)


def _stream_of_file_path(path: Path) -> int | None:
    """Return the number of the open stream that a path such as /dev/stdout stands for."""
    match = _STREAM.fullmatch(os.path.abspath(path))
    if match is None:
        return None
    return {"stdout": 1, "stderr": 2}.get(match[1]) or int(match[2])


def _write_file_to_stream(path: Path, content: bytes) -> None:
    own = _stream_of_file_path(path)
    if own is not None:
        # Opened by its name, a file that a shell redirects to would be overwritten from its start.
        number = os.dup(own)
    else:
        # Without O_NONBLOCK, opening a pipe that nobody reads would block forever.
        number = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(number, True)
    with open(number, "wb") as stream:
        stream.write(content)


def _replace_file(place: Path, content: bytes, flush: bool) -> None:
    before = _stat_of_file(place)
    _remove_leftover_files_in(place.parent)
    number, temporary = _create_temporary_file(place.parent, 0o666 if before is None else 0o600)
    try:
        with open(number, "wb") as file:
            _copy_file_permissions(number, before)
            file.write(content)
            file.flush()
            if flush:
                os.fsync(number)
            if sys.platform == "win32":  # which cannot rename an open file
                file.close()
            os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if flush:
        _flush_folder_of_file(place.parent)


def _stat_of_file(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except FileNotFoundError:
        return None


def _copy_file_permissions(number: int, before: os.stat_result | None) -> None:
    """Give the new file the mode of the old one and, where permitted, its owner."""
    if before is None or not hasattr(os, "fchmod"):
        return
    with suppress(OSError):
        os.fchown(number, before.st_uid, before.st_gid)
    os.fchmod(number, stat.S_IMODE(before.st_mode))


def _flush_folder_of_file(folder: Path) -> None:
    """Flush the renaming to disk too, where folders can be flushed."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


@contextmanager
def _errors_naming_written_file(path: Path) -> Iterator[None]:
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


# temporary files ---------------------------------------------------------------------------------


def _create_temporary_file(folder: Path, mode: int) -> tuple[int, Path]:
    """Create a temporary file and lock it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = folder / f".bayescompare-{secrets.token_hex(8)}.tmp"
        number = os.open(temporary, flags, mode)
        # Another process may have taken it for a leftover before it was locked.
        if _lock_written_file(number) is not False and os.fstat(number).st_nlink:
            return number, temporary
        os.close(number)


def _try_writing_file_in(target: Path, folder: Path) -> None:
    """Find out whether files can be created in the folder of a target."""
    try:
        number, temporary = _create_temporary_file(folder, 0o600)
    except OSError as error:
        raise BayescompareError(
            f"{target} cannot be written: {error.strerror} in {folder}."
        ) from None
    os.close(number)
    temporary.unlink()


def _remove_leftover_files_in(folder: Path) -> None:
    """Remove the temporary files of processes that were killed while writing."""
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _TEMPORARY.fullmatch(name)]
        for name in names:
            with suppress(OSError):
                _remove_leftover_file(folder / name)


def _remove_leftover_file(temporary: Path) -> None:
    if sys.platform == "win32":
        temporary.unlink()  # which Windows refuses while its writer is alive
        return
    number = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock_written_file(number):
            temporary.unlink()
    finally:
        os.close(number)


def _lock_written_file(number: int) -> bool | None:
    """Lock a file; False if somebody else holds it, None if the system cannot lock files."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
