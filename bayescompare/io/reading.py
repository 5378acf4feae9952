"""`read`: results in any format that is known, recognised by their content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bayescompare.io as io
from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare._formats import FORMATS, TABLES, TOOLS
from bayescompare._input import input_limits
from bayescompare.io.parsing.files import format_of_parsed_file, parse_table_file
from bayescompare.io.parsing.paths import (
    Paths,
    find_files,
    list_paths,
    naming_path_in_errors,
    repeatable_paths,
)
from bayescompare.io.parsing.selection import Chosen
from bayescompare.io.recognition import recognise
from bayescompare.results.results import Results

__all__ = ["read", "read_recognised", "recognised_for_reading"]


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
    with naming_path_in_errors(path):
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
        with naming_path_in_errors(file):
            tables[file] = parse_table_file(file, format_of_parsed_file(file, None), names=_WORDS)
    table = pd.concat(tables.values()) if len(tables) > 1 else next(iter(tables.values()))
    try:
        results = reader(table, measures=measures, source=source, **options)
    except BayescompareError as error:
        for file, own in tables.items():
            with naming_path_in_errors(file):
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
