"""Bytes to a table: csv, tsv, json, jsonl, parquet and xlsx files, compressed or not."""

from __future__ import annotations

import csv
import itertools
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare.table.frames import check_table_cells, find_columns
from bayescompare.table.input import (
    TABLES,
    check_distinct,
    check_is_regular,
    content_of,
    json_lines,
    loads_json,
    most_bytes,
    name_unpacked,
    number_or_text,
    open_unpacked,
    text_of,
    too_large,
)
from bayescompare.table.item_reader import MOST_ROWS
from bayescompare.table.plain_text import LARGE, read_plain_text
from bayescompare.text.names import quoted_names, repeated_name

type Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx"]

#: The number of a line, and its cells.
type Row = tuple[int, list[str]]

#: Cells of a text file that are read at a time, and rows of a large one.
_CELLS, _ROWS = 2**16, 250_000
#: Bytes of a text file that are looked at.
_BEGINNING = 2**22
#: The size of a csv or tsv file above which a table of items is read in pieces: 64 MiB.
LARGE_TEXT = 64 * 2**20
_DELIMITERS = {"csv": ",", "tsv": "\t"}


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
    if kind in _DELIMITERS:
        delimiter = _DELIMITERS[kind]
        fast = _read_large(content, delimiter, names) if len(content) > LARGE else None
        return _read_delimited(content, delimiter, names) if fast is None else fast
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


def first_rows(path: Path, format: str | None, *, sheet: str | None = None) -> pd.DataFrame:
    """Read a file to look at it: of a large csv or tsv file only the beginning.

    Columns called like measures may say true and false.
    """
    kind = format_of(path, format)
    content = content_of(path) if kind in _DELIMITERS else b""
    if len(content) <= _BEGINNING:
        table = parse_table(path, format, names=(), sheet=sheet)
    else:
        start = content[: content.rindex(b"\n", 0, _BEGINNING) + 1]
        table = _read_delimited(start, _DELIMITERS[kind], ())
    return table.apply(truth_of_words)


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
    first column of long rows as an index and reads the names 001 and NA as 1 and NaN.
    """
    text_of(content)  # or say where it is no text
    with TextIOWrapper(BytesIO(content), encoding="utf-8", newline="") as lines:
        header, rows = _rows_of(lines, delimiter)
        tables = list(_frames(rows, header, 1 + _CELLS // len(header), names, header))
    if not tables:
        raise BayescompareError("the file has a header but no rows.")
    return pd.concat(tables) if len(tables) > 1 else tables[0]


def _rows_of(lines: IO[str], delimiter: str) -> tuple[list[str], Iterator[Row]]:
    """Return the header of a text, and the rows below it."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)

    def filled() -> Iterator[Row]:
        try:
            for row in reader:
                if row:
                    yield reader.line_num, row
        except csv.Error as error:
            raise BayescompareError(f"malformed at line {reader.line_num} ({error}).") from None
        except UnicodeDecodeError as error:
            raise BayescompareError(
                f"not UTF-8 text, after line {reader.line_num} (0x{error.object[error.start]:02x}"
                "): save it as UTF-8."
            ) from None
        except (OSError, EOFError) as error:  # of gzip, too
            raise BayescompareError(f"cannot be read ({error}).") from None

    rows = filled()
    _, header = next(rows, (0, []))
    check_distinct(header)
    for other in ",;\t".replace(delimiter, ""):
        if len(header) == 1 and other in header[0]:
            raise BayescompareError(
                f"the only column is {header[0]!r}: its cells are separated by {other!r}, not by "
                f"{delimiter!r}."
            )
    return header, rows


def _frames(
    rows: Iterator[Row],
    header: Sequence[str],
    number: int,
    names: Collection[str],
    wanted: Collection[str],
) -> Iterator[pd.DataFrame]:
    """Yield some rows at a time, with the columns `wanted`; those in `names` are as written."""
    places = {name: header.index(name) for name in wanted}
    while piece := list(itertools.islice(rows, number)):
        for line, row in piece:
            if len(row) != len(header):
                raise BayescompareError(
                    f"line {line} has {len(row)} cells, but the header has {len(header)}."
                )
        columns: dict[str, Any] = {}
        for name, k in places.items():
            cells = [row[k] for _, row in piece]
            columns[name] = _texts(cells) if name in names else _numbers(cells)
        yield pd.DataFrame(columns, pd.Index([line for line, _ in piece], name="line"))


def _texts(cells: Sequence[str]) -> Any:
    # Equal texts are one object: as text of its own each cell would take fifty bytes.
    known: dict[str, str] = {}
    return _objects([known.setdefault(cell, cell) for cell in cells])


def _numbers(cells: Sequence[str]) -> Any:
    """Return cells as numbers, and as they are written where they are none."""
    try:
        if "_" not in "".join(cells):  # Python would read 1_000, which is no number in a table
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    known = {cell: number_or_text(cell) for cell in set(cells)}
    read = [known[cell] for cell in cells]
    if all(isinstance(value, float) for value in known.values()):
        return np.array(read, dtype=np.float64)
    return _objects(read)


def _objects(cells: list[Any]) -> Any:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


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


# in pieces ----------------------------------------------------------------------------------------


def is_read_in_pieces(path: Path, format: str | None, keep_items: bool | None = None) -> bool:
    """Whether a table of items is read in pieces: if it is large, unless the user says otherwise.

    Files that must be read whole are not, whatever is kept of their items.
    """
    kind = format_of(path, format)
    if keep_items or kind not in (*_DELIMITERS, "parquet"):
        return False
    if keep_items is False:
        return True
    if not path.is_file():
        return False  # a pipe, or nothing: which is read, or refused, as a whole
    if kind == "parquet":
        return int(_opened_parquet(path).metadata.num_rows) > MOST_ROWS
    return path.stat().st_size > LARGE_TEXT


def header_of(path: Path, format: str | None) -> pd.DataFrame:
    """Return the columns of a table, without rows."""
    check_is_regular(path)
    kind = format_of(path, format)
    if kind == "parquet":
        # Without pandas' metadata, an index is a column like any other.
        with parquet_errors():
            empty: pd.DataFrame = (
                _opened_parquet(path).schema_arrow.remove_metadata().empty_table().to_pandas()
            )
            return empty
    with _opened_text(path) as lines:
        header, _ = _rows_of(lines, _DELIMITERS.get(kind, "\t"))
    return pd.DataFrame({name: pd.Series(dtype=object) for name in header})


def pieces_of(
    path: Path, format: str | None, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a long table, piece by piece, with the columns asked for."""
    columns = find_columns(header_of(path, format), roles, measures, "measure")
    wanted = list(columns.values())
    kind = format_of(path, format)
    if kind == "parquet":
        yield from _parquet_pieces(path, wanted)
        return
    with _opened_text(path) as lines:
        header, rows = _rows_of(lines, _DELIMITERS[kind])
        yield from _frames(rows, header, _ROWS, set(wanted) - set(measures), wanted)


def _opened_text(path: Path) -> IO[str]:
    """Open a text file, compressed or not, without a byte order mark."""
    return TextIOWrapper(open_unpacked(path), encoding="utf-8-sig", newline="")


def _opened_parquet(path: Path) -> Any:
    with parquet_errors():
        from pyarrow.parquet import ParquetFile

        return ParquetFile(path)


def _parquet_pieces(path: Path, columns: list[str]) -> Iterator[pd.DataFrame]:
    with parquet_errors():
        from pyarrow import Table
    batches = _opened_parquet(path).iter_batches(batch_size=_ROWS, columns=columns)
    start = 0
    while True:
        with parquet_errors():
            batch = next(batches, None)
            if batch is None:
                return
            piece = Table.from_batches([batch]).replace_schema_metadata(None).to_pandas()
        piece.index = pd.RangeIndex(start, start + len(piece))
        start += len(piece)
        yield piece


# workbooks ----------------------------------------------------------------------------------------


#: Rows of a sheet; openpyxl makes up those before the next number that a file has, however large.
_MOST_SHEET_ROWS = 1_048_576

#: What a cell shows in place of a number that cannot be computed.
_FAULTS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


def parse_workbook(content: bytes, sheet: str | None = None) -> pd.DataFrame:
    """Return a sheet, by default the only one that has cells; rows have the sheet's own numbers.

    Examples
    --------
    >>> import openpyxl
    >>> book, file = openpyxl.Workbook(), BytesIO()
    >>> for row in (["dataset", "svm"], ["iris", 0.9]):
    ...     book.active.append(row)
    >>> book.save(file)
    >>> parse_workbook(file.getvalue())
              dataset  svm
    sheet row
    2            iris  0.9
    """
    with _errors():
        sheets = _sheets(content)
    rows = sheets[_chosen_sheet(sheets, sheet)]
    if not rows:
        raise BayescompareError("the sheet is empty.")
    (_, header), *body = rows
    names = _header(header)
    if not body:
        raise BayescompareError("the sheet has a header but no rows.")
    for number, row in body:
        for cell in row[len(names) :]:
            if cell is not None:
                raise BayescompareError(
                    f"sheet row {number} has a cell without a column: {cell!r}."
                )
        for name, cell in zip(names, row, strict=False):
            if isinstance(cell, str) and cell.strip() in _FAULTS:
                raise BayescompareError(f"sheet row {number}: {name!r} is {cell.strip()}.")
    labels = pd.Index([number for number, _ in body], name="sheet row")
    # Column by column, so that each has the type of its own cells.
    columns = {
        name: pd.Series([row[k] if k < len(row) else None for _, row in body], labels)
        for k, name in enumerate(names)
    }
    return pd.DataFrame(columns)


def _chosen_sheet(sheets: dict[str, list[Any]], sheet: str | None) -> str:
    if sheet is not None:
        if sheet not in sheets:
            raise BayescompareError(
                f"sheet={sheet!r}: no such sheet; there are {quoted_names(sheets)}."
                f"{did_you_mean(sheet, sheets)}"
            )
        return sheet
    filled = [name for name, rows in sheets.items() if rows]
    if not filled:
        raise BayescompareError("the workbook is empty.")
    if len(filled) > 1:
        raise BayescompareError(
            f"the workbook has the sheets {quoted_names(filled)}: choose one by "
            f"sheet={filled[0]!r}."
        )
    return filled[0]


def _sheets(content: bytes) -> dict[str, list[tuple[int, list[Any]]]]:
    """Return the rows of each sheet that have a cell, with their numbers."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > most_bytes():
            raise too_large()
    import openpyxl

    book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
    try:
        return {sheet.title: list(_filled_rows(sheet.iter_rows())) for sheet in book.worksheets}
    finally:
        book.close()


def _filled_rows(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[Any]]]:
    filled = 0
    for number, cells in enumerate(rows, 1):
        if number > _MOST_SHEET_ROWS:
            raise BayescompareError(
                f"a row has a number above {_MOST_SHEET_ROWS}, the last row of any sheet."
            )
        row = [_cell(cell.value) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            filled += 1
            check_table_cells({"row": filled, "column": len(row)})
            yield number, row


def _cell(value: Any) -> Any:
    """Return a cell, None where it shows nothing or that a value is missing."""
    if isinstance(value, str) and value.strip().upper() in ("", "#N/A"):
        return None
    return value


def _header(header: Sequence[Any]) -> list[str]:
    names = ["" if cell is None else str(cell).strip() for cell in header]
    if "" in names:
        raise BayescompareError(
            f"column {names.index('') + 1} has no name: the first row with cells must name every "
            "column."
        )
    check_distinct(names)
    return names


@contextmanager
def _errors() -> Iterator[None]:
    """Say in one line what is wrong with a workbook, or that openpyxl is missing."""
    try:
        yield
    except ImportError:
        raise BayescompareError(
            'reading .xlsx needs openpyxl: pip install "bayescompare[xlsx]".'
        ) from None
    except BayescompareError:
        raise
    except Exception as error:  # malformed bytes can fail anywhere
        raise BayescompareError(
            f"not a readable .xlsx file ({error_in_one_line(error)})."
        ) from None
