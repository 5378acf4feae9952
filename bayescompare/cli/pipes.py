"""Standard input and pipes as files, recognised by what comes out of them.

A pipe has no suffix and can be read only once, so it is first written to a scratch file whose
suffix says what it holds. Messages name it as it was typed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare.table.input import read_file, read_to_limit
from bayescompare.table.writing import write_bytes

__all__ = ["STANDARD_INPUT", "called_as_typed", "files_of_pipes", "is_pipe", "suffix_of_content"]

#: What is typed for standard input, and how messages call it.
STANDARD_INPUT = "-"
_CALLED = "standard input"


def is_pipe(path: Path) -> bool:
    """Whether a path is standard input or another stream that can be read only once."""
    text = str(path)
    streams = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
    return text == STANDARD_INPUT or text.startswith(streams) or path.is_fifo()


@contextmanager
def files_of_pipes(paths: Sequence[Path]) -> Iterator[dict[Path, Path]]:
    """Yield a file for each path: itself, or what was read from a pipe.

    Errors that are raised inside name the pipe, not the scratch file.
    """
    if not any(map(is_pipe, paths)):
        yield {path: path for path in paths}
        return
    with tempfile.TemporaryDirectory(prefix="bayescompare-") as folder:
        files = {path: path for path in paths}
        names: dict[str, str] = {}
        for number, path in enumerate(filter(is_pipe, files)):
            called = _CALLED if str(path) == STANDARD_INPUT else str(path)
            try:
                files[path] = _pipe_as_file(path, Path(folder) / str(number))
            except BayescompareError as error:
                raise BayescompareError(f"{called}: {error}") from None
            names[str(files[path])] = called
        try:
            yield files
        except BayescompareError as error:
            error.args = (called_as_typed(str(error), names),)
            raise


def called_as_typed(text: str, names: Mapping[str, str]) -> str:
    """Write a text with pipes in place of scratch files."""
    for file, called in names.items():
        text = text.replace(file, called)
    return text


def _pipe_as_file(path: Path, place: Path) -> Path:
    """Write what comes out of a pipe to a file, and give it the suffix of its content."""
    piped = _read_standard_input() if str(path) == STANDARD_INPUT else read_file(path)
    write_bytes(place, piped, flush=False)  # removed again when the command ends
    content = read_file(place)  # decompressed
    if not content.strip():
        raise BayescompareError("is empty: pipe a table in.")
    return place.rename(place.with_suffix(suffix_of_content(content)))


def _read_standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise BayescompareError("nothing is piped in; name a file instead of -.")
    stream: Any = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return sys.stdin.read().encode()
    return read_to_limit(stream)


def suffix_of_content(content: bytes) -> str:
    r"""Return the suffix that a file of this content should have.

    Examples
    --------
    >>> suffix_of_content(b"dataset\tsvm\niris\t0.9\n"), suffix_of_content(b'[{"a": 1}]')
    ('.tsv', '.json')
    """
    if content.startswith(b"PAR1"):
        return ".parquet"
    if content.startswith(b"PK\x03\x04"):
        return ".xlsx" if b"[Content_Types].xml" in content else ".eval"
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        return ".jsonl" if _is_json_by_lines(start) else ".json"
    first = start.partition(b"\n")[0]
    if start[:9].lower() == b"@relation":
        return ".arff"
    return ".tsv" if first.count(b"\t") > first.count(b",") else ".csv"


def _is_json_by_lines(content: bytes) -> bool:
    first, _, rest = content.partition(b"\n")
    if not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False
