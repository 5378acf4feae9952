"""`read`: results in any format that is known, recognised by their content."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bayescompare.io as io
from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare._formats import FORMATS, TABLES, TOOLS
from bayescompare.readers.aeon import AEON_HEADERS
from bayescompare.readers.amlb import AMLB_COLUMNS
from bayescompare.readers.every_eval import is_every_eval_json, is_every_eval_sample
from bayescompare.readers.fev import FEV_COLUMNS
from bayescompare.readers.inspect_ai import is_inspect_json
from bayescompare.readers.ioh import is_ioh_json
from bayescompare.readers.lm_eval import is_lm_eval_json
from bayescompare.readers.mteb import is_mteb_json
from bayescompare.readers.promptfoo import is_promptfoo_json
from bayescompare.readers.records import Chosen
from bayescompare.readers.tabarena import TABARENA_COLUMNS
from bayescompare.table.files import (
    content_of,
    format_of,
    parquet_errors,
    parse_table,
    read_json,
    read_json_lines,
    text_of,
)
from bayescompare.table.input import input_limits, name_unpacked, open_unpacked, reading_errors
from bayescompare.table.paths import (
    Paths,
    find_files,
    list_paths,
    naming,
    repeatable_paths,
)
from bayescompare.table.results import Results

__all__ = [
    "read",
    "read_recognised",
    "recognise",
    "recognised_for_reading",
]


def read(
    paths: Paths,
    *,
    measures: Chosen | None = None,
    format: str | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
    **options: Any,
) -> Results:
    r"""Read results of any known format: a table, or what another tool wrote.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        A file or a directory, several of them, or a pattern such as ``"logs/*.eval"``. A mapping
        names the algorithms itself.
    measures : mapping or iterable of str, optional
        As for the reader: a table needs names and directions, many tools neither.
    format : str, optional
        ``"csv"``, ``"lm-eval"``, ``"inspect"``, ...; by default what the content looks like.
    max_cells, max_bytes : int, optional
        The most cells that the table may have, gaps included, and the most bytes of a file,
        unpacked. Default: 50 million and 512 MiB.
    **options
        Of the reader: `read_results` for a table, else the function of `bayescompare.io` that is
        named after the tool.

    Returns
    -------
    Results
        A note says what the files were taken for, unless `format` did.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "TSF_accuracy.csv"
    >>> _ = path.write_text("Resamples:,0,1\nChinatown,0.9,0.95\n")
    >>> read(path).notes
    ('read as result files of aeon',)
    """
    with input_limits(max_cells=max_cells, max_bytes=max_bytes):
        return _read_any(repeatable_paths(paths), measures, format, options)


def _read_any(
    paths: Paths, measures: Chosen | None, format: str | None, options: Mapping[str, Any]
) -> Results:
    kind = recognised_for_reading(paths, format)
    if kind in TABLES:
        return _read_one_table(paths, measures, kind, options, given=format is not None)
    read_by = _read_by if format is not None else read_recognised
    try:
        return read_by(kind, paths, measures, **options)
    except TypeError as error:
        if options and "unexpected keyword" in str(error):
            reader = f"io.{TOOLS[kind].reader}()"
            raise BayescompareError(_no_such_reading_option(options, reader)) from None
        raise


def read_recognised(kind: str, paths: Paths, measures: Chosen | None, **options: Any) -> Results:
    """Read what was recognised, and say in a note and in errors what it was taken for."""
    title = TOOLS[kind].title
    try:
        results = _read_by(kind, paths, measures, **options)
    except BayescompareError as error:
        message = str(error).rstrip(".")
        raise BayescompareError(f"{message} (read as {title}; format= names another).") from None
    return results._with(notes=(f"read as {title}", *results.notes))


def recognised_for_reading(paths: Paths, format: str | None = None) -> str:
    """Return the format of the first file, if none is given."""
    if format is not None:
        check_word("format", format, FORMATS)
        return format
    (path, _), *_ = list_paths(paths)[0]
    with naming(path):
        return recognise(path)


def _read_by(kind: str, paths: Paths, measures: Chosen | None, **options: Any) -> Results:
    reader = getattr(io, TOOLS[kind].reader)
    results: Results
    if not TOOLS[kind].reader.startswith("from_"):
        results = reader(paths, measures=measures, **options)
        return results
    import pandas as pd

    files, source = find_files(paths, "*.csv")
    tables = {}
    for file, _ in files:
        with naming(file):
            tables[file] = parse_table(file, format_of(file, None), names=_WORDS)
    table = pd.concat(tables.values()) if len(tables) > 1 else next(iter(tables.values()))
    try:
        results = reader(table, measures=measures, source=source, **options)
    except BayescompareError as error:
        for file, own in tables.items():
            with naming(file):
                reader(own, measures=measures, source=source, **options)
        raise BayescompareError(f"{source}: {error}") from None
    return results


#: Columns of names, which stay as written.
_WORDS = frozenset(
    {"method", "framework", "dataset", "task", "tid", "fold", "seed", "split", "repeat", "metric"}
    | {"model_name", "task_name", "dataset_config", "dataset_path", "horizon", "eval_metric"}
)


def _read_one_table(
    paths: Paths, measures: Chosen | None, format: str, options: Mapping[str, Any], *, given: bool
) -> Results:
    if not isinstance(measures, Mapping):
        source = list_paths(paths)[1]
        raise BayescompareError(
            f"measures: {source} is taken for a {format} table, and a table does not say which way "
            "is better; name what was measured, as in measures={'accuracy': 'max', 'time': "
            "'min'}, or another format by format=."
        )
    path: Any = paths
    kind: Any = format if given else None
    try:
        return io.read_results(path, measures=measures, format=kind, **options)
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise BayescompareError(_no_such_reading_option(options, "read_results()")) from None
        raise


def _no_such_reading_option(options: Mapping[str, Any], reader: str) -> str:
    return (
        f"{next(iter(options))}=: one of these is not an option of {reader}: {', '.join(options)}."
    )


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
    name = name_unpacked(path)
    for suffix, format in _SUFFIXES.items():
        if name.endswith(suffix):
            return format
    look = _LOOKS.get(Path(name).suffix)
    return format_of(path, None) if look is None else look(path)


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
    return Path(name_unpacked(file)).suffix


# ------------------------------------------------------------------------------------------ tables


def _recognise_columns(columns: list[str], otherwise: str) -> str:
    names = set(columns)
    return next((tool for tool, own in _COLUMNS.items() if own <= names), otherwise)


def _recognise_text(path: Path) -> str:
    kind = format_of(path, None)
    first = _start_to_recognise(path).lstrip().partition("\n")[0]
    if first.lower().startswith(AEON_HEADERS):
        return "aeon"
    cells = first.split("," if kind == "csv" else "\t")
    return _recognise_columns([cell.strip().strip("'\"") for cell in cells], kind)


def _start_to_recognise(path: Path) -> str:
    """Return the beginning of a text; a large table is not read for its header alone."""
    if path.stat().st_size <= _START:
        return text_of(content_of(path))
    with reading_errors(), open_unpacked(path) as start:
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
