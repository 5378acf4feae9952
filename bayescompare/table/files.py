"""Bytes to a table: csv, tsv, json, jsonl, parquet and xlsx files, compressed or not."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare.table.frames import check_table_cells, find_columns
from bayescompare.table.input import (
    MISSING_WORDS,
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
    reading_errors,
    text_of,
    too_large,
)
from bayescompare.table.item_reader import MOST_ROWS
from bayescompare.text.names import quoted_names

#: The number of a line, and its cells.
type Row = tuple[int, list[str]]
type Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx"]

#: Bytes of a text that are read at a time, how often so to look at it, and rows of a parquet file.
_BLOCK, _LOOKS, _ROWS = 2**22, 4, 250_000
#: Lines over which the names of columns may go.
_MOST_HEADER_LINES = 100
#: The size of a csv or tsv file above which a table of items is read in pieces: 64 MiB.
LARGE_TEXT = 64 * 2**20
_DELIMITERS = {"csv": ",", "tsv": "\t"}
#: Words for a missing cell in their usual spellings, which pandas finds fastest.
_MISSING = [turn(word) for word in MISSING_WORDS for turn in (str, str.upper, str.title)] + ["NaN"]
#: Numbers as Python reads them, which pandas does by itself from 3.1 on.
_EXACT: dict[str, Any] = {"float_precision": "round_trip"} if pd.__version__ < "3.1" else {}


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
        # The line ends of old Macs.
        content = re.sub(rb"\r(?!\n)", b"\n", content) if b"\r" in content else content
        tables = list(_text_pieces(BytesIO(content), _DELIMITERS[kind], names))
        if not tables:
            raise BayescompareError("the file has a header but no rows.")
        return pd.concat(tables) if len(tables) > 1 else tables[0]
    table = parse_workbook(content, sheet) if kind == "xlsx" else _READERS[kind](content)
    if table.empty:
        raise BayescompareError("the table has no rows.")
    return _with_numbers(table, names) if kind == "xlsx" else table


def first_rows(path: Path, format: str | None, *, sheet: str | None = None) -> pd.DataFrame:
    """Read a file to look at it: of a csv or tsv file only the beginning.

    Columns called like measures may say true and false.
    """
    kind = format_of(path, format)
    content = content_of(path) if kind in _DELIMITERS else b""
    if len(content) > _LOOKS * _BLOCK:
        pieces = _text_pieces(BytesIO(content), _DELIMITERS[kind], ())
        table = pd.concat(itertools.islice(pieces, _LOOKS))
    else:
        table = parse_table(path, format, names=(), sheet=sheet)
    return table.apply(truth_of_words)


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


def _with_numbers(table: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Read numbers that are written as text, but for the columns called `names`."""
    kinds = {name: kind.kind for name, kind in table.dtypes.items() if name not in names}
    if set(kinds.values()) <= set("iuf"):
        return table
    columns = {}
    for name, cells in table.items():
        if kinds.get(name, "f") not in "iuf":
            texts = {cell for cell in cells if isinstance(cell, str)}
            read = {text: number_or_text(text) for text in texts}
            known = [read[cell] if isinstance(cell, str) else cell for cell in cells]
            cells = pd.Series(known, cells.index)
        columns[name] = cells
    # One table of all columns: replacing them one by one takes quadratic time.
    return pd.DataFrame(columns)


# -------------------------------------------------------------------------------------------- text


def _text_pieces(
    file: IO[bytes],
    delimiter: str,
    names: Collection[str],
    wanted: Sequence[str] | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a csv or tsv file, some at a time, each row labelled with its line.

    Where every line has the cells that the header has, pandas reads it. What it would make of
    other lines, or of a header with a name twice, no program agrees about: they are gone through
    one by one, and the first that is wrong is named.
    """
    header, line = _read_header(file, delimiter)
    for block in _blocks(file):
        regular = _regular_rows(block, delimiter.encode(), len(header))
        if regular is None:
            table = _other_rows(block, delimiter, header, line)
        else:
            table = _pandas_rows(block, delimiter, header, names, line, regular)
        line += block.count(b"\n")
        if len(table):
            yield _with_numbers(table if wanted is None else table[list(wanted)], names)


def _read_header(file: IO[bytes], delimiter: str) -> tuple[list[str], int]:
    """Read the first line that is not blank; return its cells and its number."""
    number, top, rows = 0, b"", list[Row]()
    with reading_errors():
        while not rows and (more := file.readline()):
            number, top = number + 1, top + more
            try:
                rows = _rows(top.removeprefix(codecs.BOM_UTF8), delimiter, 0)
            except BayescompareError as error:
                # A name in quotes may go on in the next line.
                if "unexpected end" not in str(error) or number > _MOST_HEADER_LINES:
                    raise
        rows = rows or _rows(top, delimiter, 0)  # which says what is wrong to the end
    header = rows[0][1] if rows else []
    check_distinct(header)
    for other in ",;\t".replace(delimiter, ""):
        if len(header) == 1 and other in header[0]:
            raise BayescompareError(
                f"the only column is {header[0]!r}: its cells are separated by {other!r}, not by "
                f"{delimiter!r}."
            )
    return header, number


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a text in blocks of whole rows, a quoted cell of which may go over several lines."""
    with reading_errors():
        rest = file.read(_BLOCK)
        while more := file.read(_BLOCK):
            end = rest.rfind(b"\n") + 1
            if end and (b'"' not in rest or rest.count(b'"', 0, end) % 2 == 0):
                yield rest[:end]
                rest = rest[end:]
            rest += more
    if rest:
        yield rest


def _regular_rows(block: bytes, separator: bytes, cells: int) -> Any:
    """Return in which line of the block each row is; None for rows that pandas could misread.

    It reads them as Python does where every line has so many cells or is blank, and quotes stand
    around whole cells of one line.
    """
    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    if cells == 1 or b"\0" in block or b"\r" in block:
        return None
    block = b"\n%b\n" % block.removesuffix(b"\n")
    is_quoted = b'"' in block
    if is_quoted and not _quotes_are_whole(block, separator):
        return None
    kept = separator + b'\n"' if is_quoted else separator + b"\n"
    marks = np.frombuffer(block.translate(None, bytes(set(range(256)) - set(kept))), np.uint8)
    if is_quoted:
        is_quote = marks == ord('"')
        inside = np.bitwise_xor.accumulate(is_quote.view(np.uint8)).view(np.bool_)
        if (marks[inside] == ord("\n")).any():
            return None
        marks = marks[~(inside | is_quote)]
    row = separator * (cells - 1) + b"\n"
    number = int(np.count_nonzero(marks == ord("\n"))) - 1
    if marks.tobytes() == b"\n" + row * number:
        return pd.RangeIndex(1, number + 1)
    # Perhaps there are blank lines.
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    rows = np.flatnonzero(np.diff(ends) > 1) + 1
    marks = marks[np.append(True, (marks[1:] != ord("\n")) | (marks[:-1] != ord("\n")))]
    return pd.Index(rows) if marks.tobytes() == b"\n" + row * len(rows) else None


def _quotes_are_whole(block: bytes, separator: bytes) -> bool:
    """Whether each quote opens a cell, closes one, or is one of two that stand for one."""
    text = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opening, closing = quotes[::2], quotes[1::2]
    if len(opening) != len(closing):
        return False
    # Two quotes in a row stand for one, as if the cell were closed and opened again.
    ends = np.zeros(256, dtype=bool)
    ends[list(separator + b'\n"')] = True
    before = text[opening - 1]
    for back in range(2, 10):  # over spaces, of which few are usual
        if not (is_space := before == ord(" ")).any():
            break
        before[is_space] = text[opening[is_space] - back]
    return bool(ends[before].all() and ends[text[closing + 1]].all())


def _pandas_rows(
    block: bytes, delimiter: str, header: list[str], names: Collection[str], line: int, rows: Any
) -> pd.DataFrame:
    if not block.isascii():
        text_of(block, line)  # or say where it is no text
    others = [name for name in header if name not in names]
    options: dict[str, Any] = {
        "sep": delimiter,
        "header": None,
        "names": header,
        "index_col": False,
        "na_values": dict.fromkeys(others, _MISSING),
        "keep_default_na": False,
        "skipinitialspace": True,
        "low_memory": False,
        **_EXACT,
    }
    table: pd.DataFrame = pd.read_csv(BytesIO(block), **options)
    # A name stays as written. Words do anyway, and sooner than if pandas were told so.
    if numbers := [name for name in header if name in names and table[name].dtype.kind in "iufb"]:
        written = pd.read_csv(BytesIO(block), usecols=numbers, dtype=object, **options)
        table[numbers] = written[numbers]
    for name in others:
        kind = table[name].dtype
        if kind.kind in "iu":
            table[name] = table[name].astype(np.float64)
        elif kind.kind == "b" or isinstance(
            kind, np.dtypes.ObjectDType
        ):  # true and false stay words
            table[name] = table[name].map(lambda v: str(v) if isinstance(v, bool) else v)
    return table.set_axis(rows.rename("line") + line, axis=0)


def _other_rows(block: bytes, delimiter: str, header: list[str], line: int) -> pd.DataFrame:
    rows = _rows(block, delimiter, line)
    for number, row in rows:
        if len(row) != len(header):
            raise BayescompareError(
                f"line {number} has {len(row)} cells, but the header has {len(header)}."
            )
    columns = zip(*(row for _, row in rows), strict=True) if rows else [()] * len(header)
    lines = pd.Index([number for number, _ in rows], name="line")
    cells = {
        name: pd.Series(own, lines, dtype=object) for name, own in zip(header, columns, strict=True)
    }
    return pd.DataFrame(cells)


def _rows(block: bytes, delimiter: str, line: int) -> list[Row]:
    """Return the number and the cells of every row, below so many lines."""
    text = io.StringIO(text_of(block, line), newline="")
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return [(line + reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        number = line + reader.line_num
        raise BayescompareError(f"malformed at line {number} ({error}).") from None


# ------------------------------------------------------------------------------ json and parquet


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
    parts = table if isinstance(table, list) else list(table.values())
    keys = len({key for part in parts if isinstance(part, dict) for key in part})
    longest = max((len(part) for part in parts if isinstance(part, list)), default=0)
    sizes = (len(parts), max(keys, longest))
    rows, columns = sizes if isinstance(table, list) else sizes[::-1]
    check_table_cells({"row": rows, "column": columns})
    try:
        return pd.DataFrame(table, index=index)
    except (ValueError, OverflowError) as error:  # half a character in a text, too
        raise BayescompareError(f"not a table ({error}).") from None


@contextmanager
def format_errors(kind: Literal["parquet", "xlsx"]) -> Iterator[None]:
    """Say in one line what is wrong with a file, or which package is missing."""
    try:
        yield
    except BayescompareError:
        raise
    except ImportError:
        package = {"parquet": "pyarrow", "xlsx": "openpyxl"}[kind]
        raise BayescompareError(
            f'reading {kind} needs {package}: pip install "bayescompare[{kind}]".'
        ) from None
    except Exception as error:  # malformed bytes can fail anywhere, even in pandas' metadata
        raise BayescompareError(
            f"not a readable {kind} file ({error_in_one_line(error)})."
        ) from None


def _read_parquet(content: bytes) -> pd.DataFrame:
    with format_errors("parquet"):
        _check_parquet_size(content)
        table = pd.read_parquet(BytesIO(content), engine="pyarrow")
        # pandas stores a named index as such; to whoever reads the file it is a column.
        table = table.reset_index([name for name in table.index.names if name is not None])
    return table.set_axis(check_distinct(table.columns), axis=1)


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


def truth_of_words(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column with 1 for the word true and 0 for false; other cells as they are.

    Examples
    --------
    >>> truth_of_words(pd.Series(["True", "false", 0.5], dtype=object)).tolist()
    [1.0, 0.0, 0.5]
    """
    if column.dtype.kind in "iufb":
        return column
    truth = {"true": 1.0, "false": 0.0}
    cells = [truth.get(v.lower(), v) if isinstance(v, str) else v for v in column]
    return pd.Series(cells, column.index)


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
        with format_errors("parquet"):
            schema = _opened_parquet(path).schema_arrow.remove_metadata()
            empty: pd.DataFrame = schema.empty_table().to_pandas()
            return empty
    with open_unpacked(path) as file:
        header, _ = _read_header(file, _DELIMITERS.get(kind, "\t"))
    return pd.DataFrame({name: pd.Series(dtype=object) for name in header})


def pieces_of(
    path: Path, format: str | None, roles: Mapping[str, str], measures: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Yield the rows of a long table, piece by piece, with the columns asked for."""
    wanted = list(find_columns(header_of(path, format), roles, measures, "measure").values())
    kind = format_of(path, format)
    if kind in _DELIMITERS:
        with open_unpacked(path) as file:
            names = set(wanted) - set(measures)
            yield from _text_pieces(file, _DELIMITERS[kind], names, wanted)
        return
    start = 0
    with format_errors("parquet"):
        from pyarrow import Table

        for batch in _opened_parquet(path).iter_batches(batch_size=_ROWS, columns=wanted):
            piece = Table.from_batches([batch]).replace_schema_metadata(None).to_pandas()
            yield piece.set_axis(pd.RangeIndex(start, start + len(piece)))
            start += len(piece)


def _opened_parquet(path: Path) -> Any:
    with format_errors("parquet"):
        from pyarrow.parquet import ParquetFile

        return ParquetFile(path)


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
    with format_errors("xlsx"):
        sheets = _sheets(content)
    rows = sheets[_chosen_sheet(sheets, sheet)]
    if not rows:
        raise BayescompareError("the sheet is empty.")
    (_, header), *body = rows
    names = ["" if cell is None else str(cell).strip() for cell in header]
    if "" in names:
        raise BayescompareError(
            f"column {names.index('') + 1} has no name: the first row with cells must name every "
            "column."
        )
    check_distinct(names)
    if not body:
        raise BayescompareError("the sheet has a header but no rows.")
    for number, row in body:
        for name, cell in itertools.zip_longest(names, row):
            if name is None and cell is not None:
                raise BayescompareError(
                    f"sheet row {number} has a cell without a column: {cell!r}."
                )
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
        # A cell is None where it shows nothing, or that a value is missing.
        shown = [cell.value for cell in cells]
        row = [None if str(v).strip().upper() in ("", "#N/A") else v for v in shown]
        while row and row[-1] is None:
            row.pop()
        if row:
            filled += 1
            check_table_cells({"row": filled, "column": len(row)})
            yield number, row
