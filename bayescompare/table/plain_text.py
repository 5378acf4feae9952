"""Large csv and tsv files by pyarrow, where that is sure to read what the slower reader reads.

The slower reader (`bayescompare.table.files`) is the judge of what a table is and says in
which line it is wrong. This one takes tables on whose cells all programs agree, and leaves
everything else, errors included, to the other.
"""

from __future__ import annotations

from collections.abc import Collection
from csv import reader as csv_reader
from typing import Any

import numpy as np
import pandas as pd

#: Bytes above which it is worth the while.
LARGE = 2**14
#: Spaces after a separator; with more the slower reader must read it.
_SPACES = 3

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
    plain = _plain(content, delimiter.encode())
    if plain is None:
        return None
    content = plain
    try:
        import pyarrow as pa
        from pyarrow import csv
    except ImportError:
        return None
    start = content.index(b"\n") + 1
    while content[start : start + 1] in (b"\n", b"\r"):
        start += 1
    line = content[start : content.find(b"\n", start)].decode(errors="replace").rstrip("\r")
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
    lines = _lines(content, table.num_rows)
    if lines is None:
        return None
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


def _plain(content: bytes, separator: bytes) -> bytes | None:
    """Return the text without spaces after separators, if every quote opens or closes a cell."""
    if b"\n" not in content or b"\0" in content or content[:1] in (b"\n", b"\r", b" "):
        return None
    # Single characters are found much faster than two in a row, and most files have none of them.
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return None
    spaced = b" " in content
    if spaced and b"\n " in content:
        return None
    if b'"' not in content:
        for _ in range(_SPACES):
            if not (spaced and separator + b" " in content):
                return content
            content = content.replace(separator + b" ", separator)
        return None if separator + b" " in content else content
    text = np.frombuffer(content, np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opening, closing = quotes[::2], quotes[1::2]
    if len(opening) != len(closing):
        return None
    # Two quotes in a row within a cell stand for one: as if it were closed and opened again.
    ends = np.frombuffer(separator + b'\n"', np.uint8)
    before = text[opening[1:] - 1] if opening[0] == 0 else text[opening - 1]
    after = text[closing[:-1] + 1] if closing[-1] == len(text) - 1 else text[closing + 1]
    if not (np.isin(before, ends).all() and np.isin(after, [*ends, ord("\r")]).all()):
        return None
    if spaced:
        spaces = np.flatnonzero(text[1:] == ord(" "))
        spaces = spaces[text[spaces] == separator[0]]
        if (np.searchsorted(quotes, spaces) % 2 == 0).any():
            return None
    return content


def _lines(content: bytes, rows: int) -> pd.Index[Any] | None:
    """Return the line of each row, or None if a quoted cell goes on in the next line."""
    if rows == content.count(b"\n") - content.endswith(b"\n"):
        return pd.RangeIndex(2, rows + 2, name="line")
    text = np.frombuffer(content + b"\n" * (not content.endswith(b"\n")), np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    length = np.diff(ends, prepend=-1) - 1
    length[ends > 0] -= text[ends[ends > 0] - 1] == ord("\r")
    lines = np.flatnonzero(length) + 1
    return pd.Index(lines[1:], name="line") if len(lines) == rows + 1 else None


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
