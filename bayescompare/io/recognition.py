"""Which tool wrote a file, judged by its name and its content."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare._formats import TABLES, TOOLS
from bayescompare._input import input_name_unpacked, open_input_unpacked, reading_input_errors
from bayescompare.io.parsing.files import (
    format_of_parsed_file,
    parquet_errors,
    read_bytes_to_parse,
    text_of_parsed_file,
)
from bayescompare.io.parsing.json_files import read_json, read_json_lines
from bayescompare.io.tools.aeon import AEON_HEADERS
from bayescompare.io.tools.amlb import AMLB_COLUMNS
from bayescompare.io.tools.every_eval import is_every_eval_json, is_every_eval_sample
from bayescompare.io.tools.fev import FEV_COLUMNS
from bayescompare.io.tools.inspect_ai import is_inspect_json
from bayescompare.io.tools.ioh import is_ioh_json
from bayescompare.io.tools.lm_eval import is_lm_eval_json
from bayescompare.io.tools.mteb import is_mteb_json
from bayescompare.io.tools.promptfoo import is_promptfoo_json
from bayescompare.io.tools.tabarena import TABARENA_COLUMNS

__all__ = ["recognise"]

#: Files in a directory that are looked at, at most.
_MOST_FILES = 50

#: Bytes of a large table that are looked at.
_START = 2**18

#: The columns of a table that say who wrote it.
_COLUMNS = {
    "weka": frozenset({"Key_Dataset", "Key_Run", "Key_Scheme"}),
    "amlb": AMLB_COLUMNS,
    "tabarena": TABARENA_COLUMNS,
    "fev": FEV_COLUMNS,
}


def recognise(path: Path) -> str:
    """Return the format of a file, or of the files in a directory.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "IOHprofiler_f1_Sphere.json"
    >>> _ = path.write_text('{"function_id": 1, "algorithm": {}, "scenarios": []}')
    >>> recognise(path), recognise(path.parent)
    ('ioh', 'ioh')
    """
    if path.is_dir():
        return _recognise_directory(path)
    if not path.exists():
        raise BayescompareError("no such file or directory.")
    name = input_name_unpacked(path)
    for suffix, format in _SUFFIXES.items():
        if name.endswith(suffix):
            return format
    look = _LOOKS.get(Path(name).suffix)
    return format_of_parsed_file(path, None) if look is None else look(path)


def _recognise_directory(path: Path) -> str:
    files = [file for file in sorted(path.rglob("*")) if file.is_file()][: 20 * _MOST_FILES]
    for file in files:
        if file.name == "run_spec.json":
            return "helm"
    # Beside the results there are other files, which say nothing.
    telling = [file for file in files if _suffix(file) in (*_LOOKS, *_SUFFIXES)][:_MOST_FILES]
    for file in telling:
        try:
            format = recognise(file)
        except BayescompareError:
            continue
        if format not in TABLES:
            return format
    raise BayescompareError(
        "is a directory, and no file in it is of a known tool: name a file in it, several by a "
        f"pattern such as {path.name}/*.csv, or the tool by format=, one of {', '.join(TOOLS)}."
    )


def _suffix(file: Path) -> str:
    return Path(input_name_unpacked(file)).suffix


# ------------------------------------------------------------------------------------------ tables


def _recognise_columns(columns: list[str], otherwise: str) -> str:
    names = set(columns)
    return next((tool for tool, own in _COLUMNS.items() if own <= names), otherwise)


def _recognise_text(path: Path) -> str:
    kind = format_of_parsed_file(path, None)
    first = _start_to_recognise(path).lstrip().partition("\n")[0]
    if first.lower().startswith(AEON_HEADERS):
        return "aeon"
    cells = first.split("," if kind == "csv" else "\t")
    return _recognise_columns([cell.strip().strip("'\"") for cell in cells], kind)


def _start_to_recognise(path: Path) -> str:
    """Return the beginning of a text; a large table is not read for its header alone."""
    if path.stat().st_size <= _START:
        return text_of_parsed_file(read_bytes_to_parse(path))
    with reading_input_errors(), open_input_unpacked(path) as start:
        return start.read(_START).removeprefix(codecs.BOM_UTF8).decode(errors="replace")


def _recognise_parquet(path: Path) -> str:
    with parquet_errors():
        from pyarrow.parquet import read_schema

        return _recognise_columns([str(name) for name in read_schema(path).names], "parquet")


# -------------------------------------------------------------------------------------------- JSON


def _recognise_json(path: Path) -> str:
    data = read_json(path)
    return next((tool for tool, fits in _SHAPES.items() if fits(data)), "json")


def _recognise_json_lines(path: Path) -> str:
    for _, row in read_json_lines(path):
        if "doc_id" in row:
            return "lm-eval-items"
        if is_every_eval_sample(row):
            return "every-eval-ever"
        return "jsonl"
    raise BayescompareError("the file is empty.")


def _recognise_helm_json(data: Any) -> bool:
    return (
        isinstance(data, list)
        and bool(data)
        and all(isinstance(stat, dict) and isinstance(stat.get("name"), dict) for stat in data)
    )


def _recognise_fev_json(data: Any) -> bool:
    rows = data if isinstance(data, list) else []
    return bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= FEV_COLUMNS


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "ioh": is_ioh_json,
    "inspect": is_inspect_json,
    "every-eval-ever": is_every_eval_json,
    "promptfoo": is_promptfoo_json,
    "mteb": is_mteb_json,
    "lm-eval": is_lm_eval_json,
    "helm": _recognise_helm_json,
    "fev": _recognise_fev_json,
}
_SUFFIXES = {".arff": "weka", ".info": "ioh", ".eval": "inspect"}
_LOOKS: dict[str, Callable[[Path], str]] = {
    ".csv": _recognise_text,
    ".tsv": _recognise_text,
    ".parquet": _recognise_parquet,
    ".json": _recognise_json,
    ".jsonl": _recognise_json_lines,
}
