"""Damaged versions of a good file: cut off, overwritten, with other types and other values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

type Keys = tuple[str | int, ...]
#: What was done to a file, and what it then holds.
type Mutant = tuple[str, bytes]

#: What no reader may take for a name, an object or a list, nor for a number without a word.
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**400, float("nan"), float("inf"), "word", "", "0.5", "\ud800", "a\nb"),
    *([], [1], {}, {"a": 1}, [{"a": 1}]),
)
CELLS = ("", "word", "nan", "inf", "-1", "9" * 400, '"', "\x1b[31m")


def of_bytes(raw: bytes) -> Iterator[Mutant]:
    """What happens to any file: nothing in it, another file, a part of it, a foreign byte."""
    yield "empty", b""
    yield "blank", b" \n \n"
    yield "zeros", bytes(64)
    yield "UTF-16", raw.decode("utf-8", "replace").encode("utf-16")
    yield "another page", b"<!DOCTYPE html><title>404</title>"
    yield "twice", raw + raw
    yield "deep list", b"[" * 100_000
    yield "deep object", b'{"a":' * 100_000
    yield "digits", b"1" * 5000
    for part in (1, 2, 3):
        at = len(raw) * part // 4
        yield f"cut after {part}/4", raw[:at]
        yield f"0xff after {part}/4", raw[:at] + b"\xff" + raw[at + 1 :]
        yield f"quote after {part}/4", raw[:at] + b'"' + raw[at + 1 :]


def of_json(data: Any, skip: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """Each kind of place in turn: removed, twice, or with one of the values above.

    Entries of a list are one kind of place. The values go round: the first place gets the first
    of them, the second the next.
    """
    turn = 0
    for keys in _places(data):
        words = ".".join(map(str, keys))
        if any(part in words for part in skip):
            continue
        value = VALUES[turn % len(VALUES)]
        turn += 1
        yield f"{words} is {str(value)[:20]!r}", _dumped(_with(data, keys, value))
        if keys:
            gone, twice = copy.deepcopy(data), copy.deepcopy(data)
            del _at(gone, keys[:-1])[keys[-1]]
            yield f"no {words}", _dumped(gone)
            if isinstance(keys[-1], int):
                _at(twice, keys[:-1]).append(_at(twice, keys))
                yield f"{words} twice", _dumped(twice)


def of_lines(raw: bytes, skip: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """Of a file with an object in each line: the second line damaged, removed, or twice."""
    first, second, *rest = raw.strip().split(b"\n")
    for words, line in of_json(json.loads(second), skip):
        yield f"line 2: {words}", b"\n".join([first, line, *rest])
    yield "line 2 twice", b"\n".join([first, second, second, *rest])


def of_cells(raw: bytes) -> Iterator[Mutant]:
    """Of a table: cells of the header and of a row damaged, lines and cells removed and twice."""
    lines = [line.split(b",") for line in raw.split(b"\n")]
    turn = 0
    for row in (0, 1, 2):
        yield f"no line {row + 1}", _joined([*lines[:row], *lines[row + 1 :]])
        yield f"line {row + 1} twice", _joined([*lines[:row], lines[row], *lines[row:]])
        for column in range(min(len(lines[row]), 10)):
            cell = CELLS[turn % len(CELLS)].encode()
            turn += 1
            line = [*lines[row][:column], cell, *lines[row][column + 1 :]]
            words = f"line {row + 1}, cell {column + 1}"
            yield f"{words} is {cell[:9]!r}", _joined([*lines[:row], line, *lines[row + 1 :]])
            short = [*lines[row][:column], *lines[row][column + 1 :]]
            yield f"no {words}", _joined([*lines[:row], short, *lines[row + 1 :]])


def _joined(lines: list[list[bytes]]) -> bytes:
    return b"\n".join(b",".join(line) for line in lines)


def _dumped(data: Any) -> bytes:
    return json.dumps(data).encode()


def _places(data: Any) -> list[Keys]:
    """The first place of each kind; the entries of a list are of one kind."""
    firsts: dict[Keys, Keys] = {}
    waiting: list[Keys] = [()]
    while waiting:
        keys = waiting.pop(0)
        firsts.setdefault(tuple(0 if isinstance(key, int) else key for key in keys), keys)
        value = _at(data, keys)
        if isinstance(value, dict):
            waiting += [(*keys, key) for key in value]
        elif isinstance(value, list):
            waiting += [(*keys, place) for place in range(len(value))]
    return list(firsts.values())


def _at(data: Any, keys: Keys) -> Any:
    for key in keys:
        data = data[key]
    return data


def _with(data: Any, keys: Keys, value: Any) -> Any:
    if not keys:
        return value
    whole = copy.deepcopy(data)
    _at(whole, keys[:-1])[keys[-1]] = value
    return whole
