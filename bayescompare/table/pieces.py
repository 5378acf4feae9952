"""Large tables of items in pieces: parquet by batches of rows, csv and tsv by lines."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.table.files import (
    check_header,
    check_row_widths,
    format_of,
    numbers_of_cells,
    parquet_errors,
    truth_of_words,
)
from bayescompare.table.frames import find_columns
from bayescompare.table.input import check_is_regular, open_unpacked
from bayescompare.table.item_reader import MOST_ROWS

__all__ = ["LARGE_TEXT", "header_of_pieces", "is_read_in_pieces", "pieces_of"]

#: The number of a line, and its cells.
type Row = tuple[int, list[str]]

#: The size of a csv or tsv file above which it is read in pieces: 64 MiB.
LARGE_TEXT = 64 * 2**20
#: Rows of a piece.
_ROWS = 250_000


def is_read_in_pieces(path: Path, format: str | None, keep_items: bool | None = None) -> bool:
    """Whether a table of items is read in pieces: if it is large, unless the user says otherwise.

    Files that must be read whole are not, whatever is kept of their items.
    """
    kind = format_of(path, format)
    if kind not in ("csv", "tsv", "parquet") or keep_items is not None:
        return keep_items is False and kind in ("csv", "tsv", "parquet")
    if not path.is_file():
        return False  # a pipe, or nothing: which is read, or refused, as a whole
    if kind == "parquet":
        with parquet_errors():
            from pyarrow.parquet import read_metadata

            return int(read_metadata(path).num_rows) > MOST_ROWS
    return path.stat().st_size > LARGE_TEXT


def header_of_pieces(path: Path, format: str | None) -> pd.DataFrame:
    """Return the columns of a table, without rows."""
    check_is_regular(path)
    kind = format_of(path, format)
    if kind == "parquet":
        return _opened_parquet(path)[1]
    with _open_file_for_pieces(path) as lines:
        return _read_header(lines, "," if kind == "csv" else "\t")[1]


def pieces_of(
    path: Path, format: str | None, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a long table, piece by piece, with the columns asked for."""
    check_is_regular(path)
    kind = format_of(path, format)
    if kind == "parquet":
        yield from _parquet_pieces(path, roles, measures)
    else:
        yield from _text_pieces(path, "," if kind == "csv" else "\t", roles, measures)


def _parquet_pieces(
    path: Path, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    with parquet_errors():
        from pyarrow import Table
    file, empty = _opened_parquet(path)
    columns = list(find_columns(empty, roles, measures, "measure").values())
    start = 0
    batches = file.iter_batches(batch_size=_ROWS, columns=columns)
    while True:
        with parquet_errors():
            batch = next(batches, None)
            if batch is None:
                return
            piece = Table.from_batches([batch]).replace_schema_metadata(None).to_pandas()
        piece.index = pd.RangeIndex(start, start + len(piece))
        start += len(piece)
        yield piece


def _opened_parquet(path: Path) -> tuple[Any, pd.DataFrame]:
    """Open a parquet file, and return its columns, too."""
    with parquet_errors():
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path)
        # Without pandas' metadata, an index is a column like any other.
        return file, file.schema_arrow.remove_metadata().empty_table().to_pandas()


def _text_pieces(
    path: Path, delimiter: str, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    with _open_file_for_pieces(path) as lines:
        rows, empty = _read_header(lines, delimiter)
        header = list(empty.columns)
        columns = find_columns(empty, roles, measures, "measure")
        used = {name: header.index(name) for name in columns.values()}
        while piece := list(itertools.islice(rows, _ROWS)):
            yield _frame_of_piece(piece, len(header), used, set(measures))


def _read_header(lines: IO[str], delimiter: str) -> tuple[Iterator[Row], pd.DataFrame]:
    """Return the rows below the header, and its columns."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    rows = _read_rows_for_pieces(reader)
    _, header = next(rows, (0, []))
    check_header(header, delimiter)
    return rows, pd.DataFrame({name: pd.Series(dtype=object) for name in header})


def _read_rows_for_pieces(reader: Any) -> Iterator[Row]:
    """Yield the number and the cells of each line that is not empty."""
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise BayescompareError(f"malformed at line {reader.line_num} ({error}).") from None
    except UnicodeDecodeError as error:
        raise BayescompareError(
            f"not UTF-8 text, after line {reader.line_num} (0x{error.object[error.start]:02x}): "
            "save it as UTF-8."
        ) from None
    except (OSError, EOFError) as error:  # of gzip, too
        raise BayescompareError(f"cannot be read ({error}).") from None


def _open_file_for_pieces(path: Path) -> IO[str]:
    """Open a text file, compressed or not, without a byte order mark."""
    return io.TextIOWrapper(open_unpacked(path), encoding="utf-8-sig", newline="")


def _frame_of_piece(
    rows: Sequence[Row],
    width: int,
    used: Mapping[str, int],
    measures: set[str],
) -> pd.DataFrame:
    """Make a table of some lines, labelled with their numbers."""
    check_row_widths(rows, width)
    labels = pd.Index([line for line, _ in rows], name="line")
    columns: dict[str, Any] = {}
    for name, at in used.items():
        cells = [row[at] for _, row in rows]
        columns[name] = (
            _read_numbers_of_piece(cells, labels) if name in measures else pd.Series(cells, labels)
        )
    return pd.DataFrame(columns, index=labels)


def _read_numbers_of_piece(cells: Sequence[str], labels: pd.Index[Any]) -> pd.Series[Any]:
    """Read cells that are most likely all numbers."""
    read = pd.Series(numbers_of_cells(cells, {}), labels)
    return read if read.dtype.kind == "f" else truth_of_words(read)
