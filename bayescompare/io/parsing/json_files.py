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

__all__ = ["loads_json", "read_json", "read_json_lines"]


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return loads_json(text_of_parsed_file(read_bytes_to_parse(path)), "")


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line's number and its object."""
    yield from json_lines_of_text(text_of_parsed_file(read_bytes_to_parse(path)))


def loads_json(text: str, where: str = "") -> Any:
    """Parse JSON; the error says in which part of a file that failed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # also an integer of too many digits
        raise BayescompareError(f"malformed JSON{where} ({error}).") from None
