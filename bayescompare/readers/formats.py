"""`read`: results in any format that is known, recognised by their content.

What a tool writes, and how that is recognised, its reader declares as ``FORMAT``.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from bayescompare._checks import POINTERS, check_options, check_word
from bayescompare._errors import BayescompareError
from bayescompare.readers import FORMATS, TOOLS
from bayescompare.readers.records import Chosen, Format, named_by_file
from bayescompare.table.files import format_errors, format_of, parse_table
from bayescompare.table.frames import is_dataframe
from bayescompare.table.given import frame_as_it_looks
from bayescompare.table.input import (
    TABLES,
    Paths,
    find_files,
    input_limits,
    list_paths,
    name_unpacked,
    naming,
    open_unpacked,
    read_json,
    read_json_lines,
    read_text,
    reading_errors,
    repeatable_paths,
)
from bayescompare.table.reading import read_results
from bayescompare.table.results import Results

#: Files in a directory that are looked at, at most.
_MOST_FILES = 50

#: Bytes of a large table that are looked at.
_START = 2**18


@cache
def tools() -> dict[str, Format]:
    """Return the formats of tools by name, which loads every reader.

    Examples
    --------
    >>> tools()["weka"].title
    'an experiment of Weka'
    """
    files = {name: import_module(f"bayescompare.readers.{file}") for name, file in TOOLS.items()}
    return {name: file.FORMATS[name] for name, file in files.items()}


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
    paths : path, iterable of paths, mapping of str to those, or frame
        A file or a directory, several of them, or a pattern such as ``"logs/*.eval"``. A mapping
        names the algorithms itself. A frame is taken as `Results.from_frame` takes it.
    measures : mapping or iterable of str, optional
        As for the reader. What is not given of a table is guessed as `look` does; what the table
        leaves open is asked, and a note says what was guessed.
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
        if is_dataframe(paths):
            return frame_as_it_looks(paths, measures, **options)
        paths = repeatable_paths(paths)
        kind = recognised(paths, format)
        if kind not in TABLES:
            return read_as(kind, paths, measures, noted=format is None, **options)
        more: dict[str, Any] = {"format": format, **options}
        if not isinstance(measures, Mapping):
            from bayescompare.readers.look import read_guessed

            return read_guessed(paths, measures, **more)
        return _call(read_results, "read_results()", paths, measures=measures, **more)


def _call(reader: Callable[..., Results], called: str, given: Any, **options: Any) -> Results:
    try:
        return reader(given, **options)
    except TypeError as error:
        known = ("measures", "source", "format")
        unknown = [name for name in options if name not in known]
        if not (unknown and "unexpected keyword" in str(error)):
            raise
        check_options([name for name in unknown if name in POINTERS], (), called)
        raise BayescompareError(
            f"{unknown[0]}=: one of these is not an option of {called}: {', '.join(unknown)}."
        ) from None


def recognised(paths: Paths, format: str | None = None) -> str:
    """Return the format of the first file, if none is given."""
    if format is not None:
        check_word("format", format, FORMATS)
        return format
    (path, _), *_ = list_paths(paths)[0]
    with naming(path):
        return recognise(path)


def read_as(
    kind: str, paths: Paths, measures: Chosen | None, *, noted: bool = True, **options: Any
) -> Results:
    """Read what a tool wrote; if that was recognised, say so in a note and in errors."""
    tool = tools()[kind]
    try:
        results = _read_tool(tool, paths, measures, options)
    except BayescompareError as error:
        if not noted:
            raise
        message = str(error).rstrip(".")
        raise BayescompareError(
            f"{message} (read as {tool.title}; format= names another)."
        ) from None
    notes = (f"read as {tool.title}",) if noted else ()
    return results._with(notes=(*notes, *results.notes))


def _read_tool(
    tool: Format, paths: Paths, measures: Chosen | None, options: Mapping[str, Any]
) -> Results:
    called = f"io.{tool.read.__name__}()"
    if not tool.takes_frame:
        return _call(tool.read, called, paths, measures=measures, **options)
    files, source = find_files(paths, "*.csv")
    tables = {}
    for file, _ in files:
        with naming(file):
            tables[file] = parse_table(file, format_of(file, None), names=_WORDS)
    whole = pd.concat(tables.values()) if len(tables) > 1 else next(iter(tables.values()))

    def make(table: pd.DataFrame) -> Results:
        return _call(tool.read, called, table, measures=measures, source=source, **options)

    return named_by_file(whole, tables.items(), source, make)


#: Columns of names, which stay as written.
_WORDS = frozenset(
    {"method", "framework", "dataset", "task", "tid", "fold", "seed", "split", "repeat", "metric"}
    | {"model_name", "task_name", "dataset_config", "dataset_path", "horizon", "eval_metric"}
    | {"run_id", "task_id", "setup_id", "flow_name", "data_name", "data_id", "function"}
    | {"params.seed", "params.fold", "tags.seed", "tags.fold", "params.model", "tags.dataset"}
)


# ------------------------------------------------------------------------------------- recognition


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
        return _of_directory(path)
    if not path.exists():
        raise BayescompareError("no such file or directory.")
    name = name_unpacked(path)
    for tool, own in tools().items():
        if name.endswith(own.suffixes) and (not own.heads or _begins(path, own.heads)):
            return tool
    look = _LOOKS.get(Path(name).suffix)
    return format_of(path, None) if look is None else look(path)


def _of_directory(path: Path) -> str:
    files = [file for file in sorted(path.rglob("*")) if file.is_file()][: 20 * _MOST_FILES]
    names = {file.name for file in files}
    for tool, own in tools().items():
        if own.mark in names:
            return tool
    # Beside the results there are other files, which say nothing.
    suffixes = (*_LOOKS, *(suffix for own in tools().values() for suffix in own.suffixes))
    for file in [file for file in files if name_unpacked(file).endswith(suffixes)][:_MOST_FILES]:
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


def _tool(fits: Callable[[Format], bool], otherwise: str) -> str:
    return next((name for name, own in tools().items() if fits(own)), otherwise)


def _of_columns(columns: Iterable[str], otherwise: str) -> str:
    names = set(columns)
    return _tool(lambda own: bool(own.columns) and own.columns <= names, otherwise)


def _of_text(path: Path) -> str:
    kind = format_of(path, None)
    first = _start(path).lstrip().partition("\n")[0]
    cells = first.split("," if kind == "csv" else "\t")
    otherwise = _of_columns((cell.strip().strip("'\"") for cell in cells), kind)
    return _tool(lambda own: first.lower().startswith(own.heads), otherwise)


def _begins(path: Path, heads: tuple[str, ...]) -> bool:
    """Whether the first line that is no comment begins like this."""
    lines = (line.strip().lower() for line in _start(path).splitlines())
    return next((line for line in lines if line[:1] not in ("", "#")), "").startswith(heads)


def _start(path: Path) -> str:
    """Return the beginning of a text; a large table is not read for its header alone."""
    if path.stat().st_size <= _START:
        return read_text(path)
    with reading_errors(), open_unpacked(path) as start:
        return start.read(_START).removeprefix(codecs.BOM_UTF8).decode(errors="replace")


def _of_parquet(path: Path) -> str:
    with format_errors("parquet"):
        from pyarrow.parquet import read_schema

        return _of_columns(map(str, read_schema(path).names), "parquet")


def _of_json(path: Path) -> str:
    data = read_json(path)
    return _tool(lambda own: own.json(data), "json")


def _of_json_lines(path: Path) -> str:
    _, row = next(read_json_lines(path))  # a file that is empty was refused
    return _tool(lambda own: own.line(row), "jsonl")


_LOOKS: dict[str, Callable[[Path], str]] = {
    ".csv": _of_text,
    ".tsv": _of_text,
    ".parquet": _of_parquet,
    ".json": _of_json,
    ".jsonl": _of_json_lines,
}
