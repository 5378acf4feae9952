"""Bytes to a table: csv, tsv, json, jsonl, parquet and xlsx files, compressed or not."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare.table.frames import check_table_cells
from bayescompare.table.input import (
    TABLES,
    check_distinct,
    content_of,
    json_lines,
    loads_json,
    most_bytes,
    name_unpacked,
    number_or_text,
    text_of,
    too_large,
)
from bayescompare.table.plain_text import LARGE, read_plain_text
from bayescompare.table.workbooks import parse_workbook
from bayescompare.text.names import repeated_name

__all__ = [
    "Format",
    "check_header",
    "check_row_widths",
    "format_of",
    "numbers_of_cells",
    "parquet_errors",
    "parse_table",
    "texts_of_cells",
    "truth_of_words",
]


type Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx"]

#: Cells of a text file that are read at a time.
_CELLS = 2**16


def parse_table(
    path: Path, format: str | None, *, names: Collection[str], sheet: str | None = None
) -> pd.DataFrame:
    """Read a file in the given format, by default that of its suffix.

    The columns called `names` stay as written; elsewhere numeric text becomes numbers. `sheet` is
    one of a workbook.
    """
    content = content_of(path)
    kind = format_of(path, format)
    if sheet is not None and kind != "xlsx":
        raise BayescompareError(f"sheet={sheet!r}: only .xlsx files have sheets, and not {kind}.")
    if kind in ("csv", "tsv") and len(content) > LARGE:
        fast = _read_large(content, "," if kind == "csv" else "\t", names)
        if fast is not None:
            return fast
    if kind in ("csv", "tsv"):
        return _read_delimited(content, "," if kind == "csv" else "\t", names)
    table = parse_workbook(content, sheet) if kind == "xlsx" else _READERS[kind](content)
    if table.empty:
        raise BayescompareError("the table has no rows.")
    if kind == "xlsx":
        # Build one table of all columns: replacing them one by one takes quadratic time.
        columns = {
            name: cells if name in names else _numbers_read(cells) for name, cells in table.items()
        }
        table = pd.DataFrame(columns)
    return table


def _numbers_read(cells: pd.Series[Any]) -> pd.Series[Any]:
    if cells.dtype.kind in "iuf":
        return cells
    read = [number_or_text(cell) if isinstance(cell, str) else cell for cell in cells]
    return pd.Series(read, cells.index)


def _read_large(content: bytes, delimiter: str, names: Collection[str]) -> pd.DataFrame | None:
    """Read a large table quickly if it is plain and in order; else it is read line by line."""
    try:
        line = content[: content.find(b"\n")].decode().rstrip("\r")
        reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
        header = next(reader, [])
    except (UnicodeDecodeError, csv.Error):
        return None
    if len(header) < 2 or repeated_name(header) is not None:
        return None
    return read_plain_text(content, header, delimiter, names, number_or_text)


def format_of(path: Path, format: str | None) -> str:
    """Return the format of a file: as given, or by its suffix."""
    if format is None:
        suffix = Path(name_unpacked(path)).suffix
        if suffix[1:] not in TABLES:
            raise BayescompareError(
                f"unknown suffix {suffix!r}: set format= to one of {', '.join(TABLES)}."
            )
        return suffix[1:]
    check_word("format", format, TABLES)
    return format


# --------------------------------------------------------------------------------------- readers


def _read_delimited(content: bytes, delimiter: str, names: Collection[str]) -> pd.DataFrame:
    """Read a table line by line, each row labelled with its line.

    Pandas is not used, because it renames a column that occurs twice, pads short rows, takes the
    first column of long rows as an index and reads the names 001 and NA as 1 and NaN. The cells of
    some rows at a time become numbers, and equal texts one object: as text of its own each cell
    would take fifty bytes.
    """
    lines = TextIOWrapper(BytesIO(content), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    rows = ((reader.line_num, row) for row in reader if row)
    labels: list[Any] = []
    try:
        _, header = next(rows)
        check_header(header, delimiter)
        texts: list[dict[str, Any]] = [{} for _ in header]
        parts: list[list[Any]] = [[] for _ in header]
        while piece := list(itertools.islice(rows, 1 + _CELLS // len(header))):
            check_row_widths(piece, len(header))
            labels.append(np.array([line for line, _ in piece]))
            for name, known, part, cells in zip(
                header, texts, parts, zip(*(row for _, row in piece), strict=True), strict=True
            ):
                part.append(
                    texts_of_cells(cells, known)
                    if name in names
                    else numbers_of_cells(cells, known)
                )
    except csv.Error as error:
        raise BayescompareError(f"malformed at line {reader.line_num} ({error}).") from None
    except UnicodeDecodeError:
        text_of(content)  # which says where
        raise
    if not labels:
        raise BayescompareError("the file has a header but no rows.")
    columns = {name: np.concatenate(part) for name, part in zip(header, parts, strict=True)}
    return pd.DataFrame(columns, pd.Index(np.concatenate(labels), name="line"))


def check_row_widths(rows: Sequence[tuple[int, list[str]]], width: int) -> None:
    """Refuse a line that has more or fewer cells than the header."""
    for line, row in rows:
        if len(row) != width:
            raise BayescompareError(
                f"line {line} has {len(row)} cells, but the header has {width}."
            )


def texts_of_cells(cells: Sequence[str], known: dict[str, Any]) -> Any:
    """Return cells as they are written; `known` holds every text once."""
    return _array_of_cells([known.setdefault(cell, cell) for cell in cells])


def numbers_of_cells(cells: Sequence[str], known: dict[str, Any]) -> Any:
    """Return cells as numbers, and as they are written where they are none.

    `known` holds every text that was read so, once.
    """
    try:
        if "_" not in "".join(cells):  # Python would read 1_000, which is no number in a table
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    for cell in set(cells) - known.keys():
        known[cell] = number_or_text(cell)
    read = [known[cell] for cell in cells]
    if all(isinstance(value, float) for value in read):
        return np.array(read, dtype=np.float64)
    return _array_of_cells(read)


def _array_of_cells(cells: list[Any]) -> Any:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def check_header(header: Sequence[str], delimiter: str) -> None:
    """Refuse a header with a column twice, or whose cells are separated in another way."""
    check_distinct(header)
    for other in ",;\t".replace(delimiter, ""):
        if len(header) == 1 and other in header[0]:
            raise BayescompareError(
                f"the only column is {header[0]!r}: its cells are separated by {other!r}, not by "
                f"{delimiter!r}."
            )


def _read_json_table(content: bytes) -> pd.DataFrame:
    # Pandas would read the name "001" as 1 and some columns as dates.
    table = loads_json(text_of(content))
    records = isinstance(table, list) and all(isinstance(row, dict) for row in table)
    columns = isinstance(table, dict) and all(isinstance(c, (list, dict)) for c in table.values())
    if not (records or columns):
        raise BayescompareError(
            "not a table: give a list of records, or an object with a list for each column."
        )
    return _frame_of_json(table)


def _read_json_lines(content: bytes) -> pd.DataFrame:
    lines = dict(json_lines(text_of(content)))
    return _frame_of_json(list(lines.values()), index=pd.Index(list(lines), name="line"))


def _frame_of_json(table: Any, index: pd.Index[Any] | None = None) -> pd.DataFrame:
    # Records with keys of their own make a table of gaps, and so do columns with rows of their own.
    by_row = isinstance(table, list)
    parts = table if by_row else list(table.values())
    keys = len(set(itertools.chain.from_iterable(p for p in parts if isinstance(p, dict))))
    longest = max((len(part) for part in parts if isinstance(part, list)), default=0)
    check_table_cells(
        {"row": len(parts), "column": keys}
        if by_row
        else {"row": max(keys, longest), "column": len(parts)}
    )
    try:
        return pd.DataFrame(table, index=index)
    except (ValueError, OverflowError) as error:  # half a character in a text, too
        raise BayescompareError(f"not a table ({error}).") from None


def _read_parquet(content: bytes) -> pd.DataFrame:
    with parquet_errors():
        _check_parquet_size(content)
        table = pd.read_parquet(BytesIO(content), engine="pyarrow")
        # pandas stores a named index as such; to whoever reads the file it is a column.
        table = table.reset_index([name for name in table.index.names if name is not None])
    table = table.set_axis([str(column) for column in table.columns], axis=1)
    check_distinct(list(table.columns))
    return table


@contextmanager
def parquet_errors() -> Iterator[None]:
    """Say in one line what is wrong with a parquet file, or that pyarrow is missing."""
    try:
        yield
    except ImportError:
        raise BayescompareError(
            'reading parquet needs pyarrow: pip install "bayescompare[parquet]".'
        ) from None
    except BayescompareError:
        raise
    except Exception as error:  # malformed bytes can fail anywhere, even in pandas' metadata
        reason = str(error).partition("\n")[0]
        raise BayescompareError(
            f"not a readable parquet file ({type(error).__name__}: {reason})."
        ) from None


def _check_parquet_size(content: bytes) -> None:
    """Refuse a small file that unpacks to a huge table: a constant column takes no space."""
    from pyarrow.parquet import ParquetFile

    facts = ParquetFile(BytesIO(content)).metadata
    groups = [facts.row_group(k) for k in range(facts.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    # Of lists, too, which have more values than rows.
    values = sum(g.column(k).num_values for g in groups for k in range(g.num_columns))
    if max(unpacked, 8 * values) > most_bytes():
        raise too_large()


_READERS: dict[str, Callable[[bytes], pd.DataFrame]] = {
    "parquet": _read_parquet,
    "json": _read_json_table,
    "jsonl": _read_json_lines,
}


_TRUTH = {"true": 1.0, "false": 0.0}


def truth_of_words(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column with 1 for the word true and 0 for false; other cells as they are.

    Examples
    --------
    >>> truth_of_words(pd.Series(["True", "false", 0.5], dtype=object)).tolist()
    [1.0, 0.0, 0.5]
    """
    if column.dtype.kind in "iufb":
        return column
    cells = [_TRUTH.get(v.lower(), v) if isinstance(v, str) else v for v in column]
    read: pd.Series[Any] = pd.Series(cells, column.index)
    return read
