"""Large csv and tsv files by pyarrow, where that is sure to read what the slower reader reads.

The slower reader (`bayescompare.io.parsing.files`) is the judge of what a table is and says in
which line it is wrong. This one takes plain tables only, without blank lines, spaces after
separators and quotes within cells, and leaves everything else, errors included, to the other.
"""

from __future__ import annotations

from collections.abc import Collection
from csv import reader as csv_reader
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["LARGE", "read_plain_text"]

#: Bytes above which pyarrow is worth loading.
LARGE = 2**20

#: Words for a missing cell, as they are usually written; other spellings go the slower way.
_MISSING = (
    "",
    "NA",
    "na",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "NAN",
    "null",
    "NULL",
    "None",
    "none",
    "<NA>",
)


def read_plain_text(
    content: bytes, header: list[str], delimiter: str, names: Collection[str], read_cell: Any
) -> pd.DataFrame | None:
    r"""Return the table, labelled by line, or None if the slower reader must read it.

    Parameters
    ----------
    content : bytes
        The whole file, without a byte order mark.
    header : list of str
        The names of the columns, all different.
    delimiter : str
    names : collection of str
        The columns that stay as written.
    read_cell : callable
        Reads a cell of a column of words that is not among `names`.

    Examples
    --------
    >>> table = read_plain_text(b"d,x\na,1\nb,\n", ["d", "x"], ",", {"d"}, str)
    >>> table.to_dict("list"), table.index.tolist()
    ({'d': ['a', 'b'], 'x': [1.0, nan]}, [2, 3])
    """
    if not _is_plain(content, delimiter):
        return None
    try:
        import pyarrow as pa
        from pyarrow import csv
    except ImportError:
        return None
    line = content.split(b"\n", 2)[1].decode(errors="replace").rstrip("\r")
    quoted = b'"' in content
    first = next(csv_reader([line], delimiter=delimiter), []) if quoted else line.split(delimiter)
    if len(first) != len(header):
        return None
    words = pa.dictionary(pa.int32(), pa.string())
    numeric = {
        name for name, cell in zip(header, first, strict=True) if name not in names and _fits(cell)
    }
    types = {name: pa.float64() if name in numeric else words for name in header}
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(column_names=header, skip_rows=1),
            csv.ParseOptions(delimiter=delimiter, quote_char='"' if quoted else False),
            csv.ConvertOptions(
                column_types=types, null_values=list(_MISSING), strings_can_be_null=False
            ),
        ).unify_dictionaries()
    except pa.ArrowInvalid:
        return None
    if table.num_rows != content.count(b"\n") - content.endswith(b"\n"):
        return None  # a quoted cell goes on in the next line
    lines = pd.RangeIndex(2, table.num_rows + 2, name="line")
    columns: dict[str, Any] = {}
    for name in header:
        column = table.column(name)
        cells = (
            column.to_numpy()
            if name in numeric
            else _cells(column, None if name in names else read_cell)
        )
        # With its type, which pandas would otherwise infer from every cell.
        columns[name] = pd.Series(cells, lines, dtype=cells.dtype)
    return pd.DataFrame(columns)


def _is_plain(content: bytes, delimiter: str) -> bool:
    """Whether every line is a row, and every separator separates."""
    separator = delimiter.encode()
    odd = (separator + b" ", b"\n\n", b"\n\r\n", b"\0")
    if any(mark in content for mark in odd) or content[:1] in (b"\n", b"\r", b" "):
        return False
    if quotes := content.count(b'"'):
        # Each must open a cell or close one, for else programs differ on what it says.
        before = content.startswith(b'"') + sum(content.count(m + b'"') for m in (separator, b"\n"))
        after = content.endswith(b'"') + sum(
            content.count(b'"' + m) for m in (separator, b"\n", b"\r")
        )
        if not 2 * before == 2 * after == quotes:
            return False
    return content.count(b"\r") == content.count(b"\r\n")


def _fits(cell: str) -> bool:
    """Whether a column that begins with this cell may be one of numbers."""
    if cell in _MISSING:
        return True
    try:
        return "_" not in cell and float(cell) is not None
    except ValueError:
        return False


def _cells(column: Any, read_cell: Any) -> Any:
    """Return the cells of a column of words; each word is kept, and read, once."""
    if not column.num_chunks:
        return np.array([], dtype=object)
    kinds = column.chunk(0).dictionary.to_pylist()
    values = [kind if read_cell is None else read_cell(kind) for kind in kinds]
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks])
    if all(isinstance(value, float) for value in values):
        return np.array(values, dtype=np.float64)[codes]
    by_code = np.empty(len(values), dtype=object)
    by_code[:] = values
    return by_code[codes]
