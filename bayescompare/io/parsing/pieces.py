"""Large tables of items in pieces: parquet by batches of rows, csv and tsv by lines."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._input import check_input_is_regular
from bayescompare.io.parsing.files import (
    check_header,
    format_of_parsed_file,
    number_or_text,
    parquet_errors,
    parse_table_file,
)
from bayescompare.io.parsing.truth import truth_of_words
from bayescompare.results.frames import find_frame_columns
from bayescompare.results.items.table import MOST_ROWS

__all__ = ["LARGE_TEXT", "is_read_in_pieces", "pieces_of"]

#: The size of a csv or tsv file above which it is read in pieces: 64 MiB.
LARGE_TEXT = 64 * 2**20
#: Rows of a piece.
_ROWS = 250_000


def is_read_in_pieces(path: Path, format: str | None) -> bool:
    """Whether a table of items is read in pieces unless the user says otherwise."""
    kind = format_of_parsed_file(path, format)
    if not path.is_file():
        return False  # a pipe, or nothing: which is read, or refused, as a whole
    if kind == "parquet":
        with parquet_errors():
            from pyarrow.parquet import read_metadata

            return int(read_metadata(path).num_rows) > MOST_ROWS
    return kind in ("csv", "tsv") and path.stat().st_size > LARGE_TEXT


def pieces_of(
    path: Path, format: str | None, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a long table, piece by piece, with the columns asked for."""
    kind = format_of_parsed_file(path, format)
    if kind == "parquet":
        check_input_is_regular(path)
        yield from _parquet_pieces(path, roles, measures)
    elif kind in ("csv", "tsv"):
        check_input_is_regular(path)
        yield from _text_pieces(path, "," if kind == "csv" else "\t", roles, measures)
    else:
        yield parse_table_file(path, format, names=set(roles.values()))


def _parquet_pieces(
    path: Path, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    with parquet_errors():
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path)
        # Without pandas' metadata, an index is a column like any other.
        empty = file.schema_arrow.remove_metadata().empty_table().to_pandas()
    columns = list(find_frame_columns(empty, roles, measures, "measure").values())
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


def _text_pieces(
    path: Path, delimiter: str, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    with _open_file_for_pieces(path) as lines:
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        rows = _read_rows_for_pieces(reader)
        _, header = next(rows, (0, []))
        check_header(header, delimiter)
        empty = pd.DataFrame({name: pd.Series(dtype=object) for name in header})
        columns = find_frame_columns(empty, roles, measures, "measure")
        used = {name: header.index(name) for name in columns.values()}
        while piece := list(itertools.islice(rows, _ROWS)):
            yield _frame_of_piece(piece, len(header), used, set(measures))


def _read_rows_for_pieces(reader: Any) -> Iterator[tuple[int, list[str]]]:
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
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if packed:
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open("r", encoding="utf-8-sig", newline="")


def _frame_of_piece(
    rows: Sequence[tuple[int, list[str]]],
    width: int,
    used: Mapping[str, int],
    measures: set[str],
) -> pd.DataFrame:
    """Make a table of some lines, labelled with their numbers."""
    for line, row in rows:
        if len(row) != width:
            raise BayescompareError(
                f"line {line} has {len(row)} cells, but the header has {width}."
            )
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
    try:
        if "_" not in "".join(cells):  # numpy would read 1_000, which is no number in a table
            return pd.Series(np.array(cells).astype(np.float64), labels)
    except ValueError:
        pass
    read: pd.Series[Any] = pd.Series(map(number_or_text, cells), labels)
    return truth_of_words(read)
