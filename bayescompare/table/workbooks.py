"""Workbooks of spreadsheet programs (``.xlsx``): one sheet as a table."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare.table.frames import check_table_cells
from bayescompare.table.input import check_distinct, most_bytes, too_large
from bayescompare.text.names import quoted_names

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
