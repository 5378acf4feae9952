"""JSON files of any shape, and files with one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.files import (
    json_lines_of_text,
    read_bytes_to_parse,
    text_of_parsed_file,
)
from bayescompare.results.text import repeated_name_in_results

__all__ = ["json_fingerprint", "json_object_of_pairs", "loads_json", "read_json", "read_json_lines"]


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return loads_json(text_of_parsed_file(read_bytes_to_parse(path)), "")


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and its object."""
    text = text_of_parsed_file(read_bytes_to_parse(path))
    yield from json_lines_of_text(text, json_object_of_pairs)


def loads_json(text: str, where: str = "") -> Any:
    """Parse JSON; the error says in which part of a file that failed.

    Examples
    --------
    >>> loads_json('{"acc": 0.5, "acc": 0.9}')
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: malformed JSON (an object has the key 'acc' twice).
    """
    try:
        return json.loads(text, object_pairs_hook=json_object_of_pairs)
    except (ValueError, RecursionError) as error:  # also an integer of too many digits
        raise BayescompareError(f"malformed JSON{where} ({error}).") from None


def json_fingerprint(value: Any) -> str:
    """Write a value so that equal ones have equal text, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True)


def json_object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that occurs twice, of which Python would keep the last."""
    whole = dict(pairs)
    if len(whole) < len(pairs):
        twice = repeated_name_in_results(key for key, _ in pairs)
        raise ValueError(f"an object has the key {twice!r} twice")
    return whole
