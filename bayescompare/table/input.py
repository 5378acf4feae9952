"""Reading files: bytes, text, JSON and members of archives.

What is no file, is malformed or unpacks to more than a table may take is refused in one line.
"""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import json
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from bayescompare._checks import (
    check_path,
    is_whole,
    show_checked_value,
    show_checked_value_briefly,
)
from bayescompare._errors import UNPRINTABLE, BayescompareError, error_in_one_line
from bayescompare.text.names import first_words, repeated_name
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pandas as pd


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
        return _unpacked(_content(path))


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
    return _unzipped(file) if start == _ZSTANDARD else file


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
        raise BayescompareError(f"is {_kind(mode)}: name a file.")


def too_large() -> BayescompareError:
    """Return the error for a file that exceeds the limit, and what to do."""
    return BayescompareError(
        f"holds more than {count(most_bytes() / 2**20)} MiB, unpacked: keep only what is "
        "compared, or allow more by max_bytes=."
    )


def _content(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a pipe that nobody writes to would block forever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    try:
        facts = os.fstat(number)
        pipe = stat.S_ISFIFO(facts.st_mode)
        if not (pipe or stat.S_ISREG(facts.st_mode)):
            raise BayescompareError(f"is {_kind(facts.st_mode)}: name a file.")
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


def _unpacked(content: bytes) -> bytes:
    """Decompress what begins as a compressed file does."""
    packed = BytesIO(content)
    if content.startswith(_GZIP):
        return read_to_limit(cast(IO[bytes], gzip.open(packed)))
    return read_to_limit(_unzipped(packed)) if content.startswith(_ZSTANDARD) else content


def _unzipped(file: IO[bytes]) -> IO[bytes]:
    """Open Zstandard's frames, one after the other; one that is cut off is an error."""
    zstandard = _zstandard("is")

    def chunks() -> Iterator[bytes]:
        frame, packed = None, b""
        with file:
            while packed := packed or file.read(_PACKED):
                if frame is None or frame.eof:
                    frame = zstandard.ZstdDecompressor().decompressobj()
                try:
                    yield frame.decompress(packed)
                except zstandard.ZstdError as error:
                    raise EOFError(str(error)) from None
                packed = frame.unused_data if frame.eof else b""
        if frame is not None and not frame.eof:
            raise EOFError("the file is cut off")

    return io.BufferedReader(_Chunks(chunks()), _CHUNK)


def _zstandard(what: str) -> Any:
    try:
        return import_module("zstandard")
    except ImportError:
        raise BayescompareError(
            f'{what} compressed with Zstandard: pip install "bayescompare[zst]".'
        ) from None


class _Chunks(io.RawIOBase):
    """A file of the bytes that an iterator yields."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._ready = chunks, b""

    def readable(self) -> bool:
        """Whether this can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, and return with how many bytes: 0 at the end."""
        # A chunk may be empty before the end.
        self._ready = self._ready or next(filter(None, self._chunks), b"")
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


# text and JSON -----------------------------------------------------------------------------------

#: Kinds of table, by suffix.
TABLES = ("csv", "tsv", "json", "jsonl", "parquet", "xlsx")

MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


def content_of(path: Path) -> bytes:
    """Return a file's decompressed content without a byte order mark; refuse an empty file."""
    if path.is_dir():
        raise BayescompareError(
            "is a directory: name a file in it, or several by a pattern such as "
            f"{path.name or '.'}/*.csv."
        )
    content = read_file(path).removeprefix(codecs.BOM_UTF8)
    if not content or content.isspace():
        raise BayescompareError("the file is empty.")
    return content


def text_of(content: bytes, above: int = 0) -> str:
    """Decode UTF-8; the error says in which line that fails, below so many lines `above`."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = above + content.count(b"\n", 0, error.start) + 1
        raise BayescompareError(
            f"not UTF-8 text (0x{content[error.start]:02x} in line {line}): save it as UTF-8."
        ) from None


def read_text(path: Path) -> str:
    """Return a text file, decompressed, without a byte order mark."""
    return text_of(content_of(path))


def number_or_text(cell: str) -> float | str:
    """Read a cell that may be a number; words for a missing cell become NaN."""
    text = cell.strip()
    if text.lower() in MISSING_WORDS:
        return float("nan")
    try:
        # Python would accept 1_000, but nobody writes numbers like that in a table.
        return cell if "_" in text else float(text)
    except ValueError:
        return cell


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return loads_json(read_text(path))


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and its object."""
    yield from json_lines(read_text(path))


def loads_json(text: str, where: str = "") -> Any:
    """Parse JSON; the error says in which part of a file that failed.

    Examples
    --------
    >>> loads_json('{"acc": 0.5, "acc": 0.9}')
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: malformed JSON (an object has the key 'acc' twice).
    """
    try:
        return json.loads(text, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:  # also an integer of too many digits
        raise BayescompareError(f"malformed JSON{where} ({error}).") from None


def fingerprint(value: Any) -> str:
    """Write a value so that equal ones have equal text, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True)


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a key that occurs twice, of which Python keeps the last."""
    whole = dict(pairs)
    if len(whole) < len(pairs):
        twice = repeated_name(key for key, _ in pairs)
        raise ValueError(f"an object has the key {twice!r} twice")
    return whole


def json_lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank."""
    # Not splitlines(), which also splits at characters that JSON strings may contain.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            row = loads_json(line, f" in line {number}")
            if not isinstance(row, dict):
                raise BayescompareError(
                    f"line {number} is a {type(row).__name__}: every line must be a JSON object."
                )
            yield number, row


def check_distinct(columns: Iterable[object]) -> list[str]:
    """Return the names of columns as text; refuse one that occurs twice."""
    names = [str(column) for column in columns]
    if (twice := repeated_name(names)) is not None:
        raise BayescompareError(f"column {twice!r} occurs twice: rename or remove one.")
    return names


# archives ----------------------------------------------------------------------------------------

#: The method of Zstandard, which Python's zipfile knows from 3.14 on.
_ZIP_ZSTANDARD = 93


def archive_names(path: Path) -> list[str]:
    """Return the names of the files in an archive."""
    with _archive(path) as archive:
        return archive.namelist()


def read_archived(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the content of some files of an archive, decompressed.

    A small archive may unpack to a huge file: what the archive says of its sizes is added up
    first, and nothing is unpacked beyond what it says. Nothing is written to disk, so that a
    name such as ``../../etc/passwd`` is a name like any other. Of two files with one name, which
    programs disagree about, neither is read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log.zip"
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("header.json", "{}")
    >>> read_archived(path, ["header.json"])
    {'header.json': b'{}'}
    """
    wanted = set(names)
    with _archive(path) as archive:
        infos = [info for info in archive.infolist() if info.filename in wanted]
        twice = repeated_name(info.filename for info in infos)
        if twice is not None:
            raise BayescompareError(f"{twice!r} occurs twice in the archive.")
        if sum(info.file_size for info in infos) > most_bytes():
            raise too_large()
        return {info.filename: _archived(archive, info) for info in infos}


def _archive(path: Path) -> zipfile.ZipFile:
    check_is_regular(path)
    try:
        return zipfile.ZipFile(path)
    except Exception as error:  # malformed bytes can fail anywhere
        raise BayescompareError(f"not a whole zip archive ({error}).") from None


def _archived(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 0x1:
        raise BayescompareError(f"{info.filename!r} in the archive is encrypted.")
    try:
        if info.compress_type == _ZIP_ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            return _archived_zstandard(archive, info)
        with archive.open(info) as file:
            # One more than the archive says; a larger content is not read.
            return file.read(info.file_size + 1)
    except BayescompareError:
        raise
    except Exception as error:  # of the archive, and of each way to compress
        raise BayescompareError(
            f"{info.filename!r} in the archive cannot be decompressed ({error_in_one_line(error)})."
        ) from None


def _archived_zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack Zstandard, whose bytes are found behind the member's own header."""
    zstandard = _zstandard(f"{info.filename!r} in the archive is")
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30:
        raise BayescompareError("not a whole zip archive (a member is cut off).")
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(name + extra, 1)
    packed = file.read(info.compress_size)
    reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    content = bytes(reader.read(info.file_size + 1))
    if len(content) != info.file_size:
        raise BayescompareError(f"{info.filename!r} in the archive is not as long as it says.")
    if zlib.crc32(content) != info.CRC:
        raise BayescompareError(f"{info.filename!r} in the archive is damaged (bad checksum).")
    return content


# paths --------------------------------------------------------------------------------------------


type OnePath = str | os.PathLike[str]
type Paths = OnePath | Iterable[OnePath] | Mapping[str, OnePath | Iterable[OnePath]]
#: A file, and the name of its algorithm if the caller gave one.
type Named = tuple[Path, str | None]


def find_files(paths: Paths, *patterns: str) -> tuple[list[Named], str]:
    """Return the named files, and those that match a pattern anywhere below a named directory.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Keys are the names of algorithms.
    *patterns : str
        The names of the files to look for in a directory, as in ``"results_*.json"``; the second
        if no file has the first, and so on.

    Returns
    -------
    files : list of (Path, str or None)
        Each with the name of its algorithm, if the caller gave one.
    source : str
        The paths as the caller gave them, joined for a label.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "stats.json").write_text("[]")
    >>> files, source = find_files({"A": folder}, "stats.json")
    >>> [(file.name, name) for file, name in files]
    [('stats.json', 'A')]
    """
    named, source = list_paths(paths)
    matches = [(file, name) for path, name in named for file in _below(path, patterns)]
    # A file that two paths lead to is read once.
    files = list({(file.resolve(), name): (file, name) for file, name in matches}.values())
    return files, source


def repeatable_paths(paths: Paths) -> Paths:
    """Return paths that can be gone through twice, which those of a generator cannot.

    Examples
    --------
    >>> repeatable_paths(name for name in ("a.csv", "b.csv"))
    ['a.csv', 'b.csv']
    """
    if isinstance(paths, Mapping):
        return {name: repeatable_paths(group) for name, group in paths.items()}
    if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable):
        return paths
    return list(paths)


def list_paths(paths: Paths) -> tuple[list[Named], str]:
    """Return each path with the name of its algorithm, if one was given, and a label for all.

    A pattern such as ``"runs/*.csv"`` stands for the files that match it, in alphabetical order.

    Examples
    --------
    >>> list_paths({"A": "a.csv", "B": "b.csv"})[1]
    'a.csv, b.csv'
    """
    groups: Iterable[tuple[object, str | None]] = [(paths, None)]
    if isinstance(paths, Mapping):
        # The command line has paths without a name under the key None.
        groups = [(group, name if name is None else str(name)) for name, group in paths.items()]
    asked = [(path, name) for group, name in groups for path in _listed(group)]
    if not asked:
        raise BayescompareError("paths is empty: name at least one file or directory.")
    named = [(file, name) for path, name in asked for file in _matches(path)]
    return named, first_words([str(path) for path, _ in asked], 3)


def _listed(paths: object) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        return [as_path(paths)]
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, Mapping)):
        raise BayescompareError(
            f"paths contains a {type(paths).__name__}: give a path, a list of paths, or a mapping "
            "of algorithms to paths."
        )
    return [as_path(path) for path in paths]


def _matches(path: Path) -> list[Path]:
    """Return the files that match a pattern; what exists, or has no wildcard, is itself."""
    text = str(path)
    if not any(mark in text for mark in "*?[") or path.exists():
        return [path]
    matches = [Path(match) for match in sorted(glob.glob(text, recursive=True))]
    if not matches:
        raise BayescompareError(f"{path}: no such file, and no file matches this as a pattern.")
    return matches


def as_path(path: object) -> Path:
    """Check a single path."""
    return check_path(path, show_checked_value(path))


def _below(path: Path, patterns: Sequence[str]) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise BayescompareError(f"{path}: no such file or directory.")
        return [path]
    for pattern in patterns:
        files = sorted(file for file in path.rglob(pattern) if not file.is_dir())
        if files:
            return files
    raise BayescompareError(f"{path}: no {' or '.join(patterns)} in or below this directory.")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of an error, because it matters most if there are several."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{path}: {error}") from None
    except RecursionError:
        raise BayescompareError(f"{path}: a value is nested too deeply.") from None


def parsed_name(value: object, where: str) -> str:
    """Return a name, which is text or a whole number.

    Examples
    --------
    >>> parsed_name("gpt2", "model"), parsed_name(3, "samples[0].id")
    ('gpt2', '3')
    >>> parsed_name(None, "samples[0].id")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: samples[0].id is None, not a name.
    """
    if isinstance(value, str) and value.strip() and not UNPRINTABLE.search(value):
        return value
    if is_whole(value) and abs(value) < 2**63:
        return str(value)
    raise BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not a name.")


def labelled_run(name: str | None, own: str, *, alone: bool) -> str:
    """Return the name that the caller gave, with the file's own if it has several.

    Examples
    --------
    >>> (
    ...     labelled_run("today", "forest", alone=True),
    ...     labelled_run("today", "forest", alone=False),
    ... )
    ('today', 'today forest')
    """
    if name is None:
        return own
    return name if alone else f"{name} {own}"


_PLAIN = str.maketrans({"=": ":", "|": "/", ">": "/"})


def algorithm_labels(names: pd.Series[Any]) -> pd.Series[Any]:
    """Turn a column of names into labels, and refuse two names with the same label."""
    labels = names.map(lambda name: name.translate(_PLAIN))
    before: dict[str, str] = {}
    for name, label in zip(names, labels, strict=True):
        if before.setdefault(label, name) != name:
            raise BayescompareError(
                f"the algorithms {before[label]!r} and {name!r} would both be called {label!r}, "
                "because '=', '|' and '>' have a meaning in statements: rename one."
            )
    return labels


def algorithm_label(name: str) -> str:
    """Write a name without the characters that have a meaning in statements.

    Examples
    --------
    >>> algorithm_label("Pipeline(scaler=StandardScaler)")
    'Pipeline(scaler:StandardScaler)'
    """
    # Half a character, as in a label from the command line, is no text for pandas.
    return parsed_name(name, "the name of an algorithm").translate(_PLAIN)
