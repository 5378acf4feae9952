"""xlsx files: one sheet as a table, and what is wrong with them in one line."""

from __future__ import annotations

import builtins
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import bayescompare as bc
from bayescompare.table import input as _input

MEASURES: Any = {"auc": "max", "time": "min"}
ROWS: list[list[Any]] = [
    ["dataset", "algorithm", "auc", "time"],
    ["001", "A", 0.9, 1],
    ["001", "B", "0.8", 2],
    [None, None, None, None],
    ["wine", "A", 0.7, "#N/A"],
    ["wine", "B", 0.6, 4],
]


def workbook(folder: Path, name: str = "t.xlsx", **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in (sheets or {"Results": ROWS}).items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


def test_a_sheet_is_a_table(tmp_path: Path) -> None:
    results = bc.read_results(workbook(tmp_path), measures=MEASURES)
    assert results.datasets == ("001", "wine")
    assert results.data["auc"].values.tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert results.missing().to_numpy().tolist() == [["wine", "A", "time"]]
    assert bc.read(workbook(tmp_path), measures=MEASURES) == results


def test_sheets_are_chosen(tmp_path: Path) -> None:
    path = workbook(tmp_path, Results=ROWS, Notes=[["made by me"]], Empty=[])
    assert bc.read_results(path, measures=MEASURES, sheet="Results").algorithms == ("A", "B")
    refused(path, "has the sheets 'Results', 'Notes': choose one by sheet='Results'")
    refused(path, "sheet='results': no such sheet; .* Did you mean 'Results'", sheet="results")
    refused(path, "sheet='Empty'|the sheet is empty", sheet="Empty")
    text = tmp_path / "t.csv"
    text.write_text("dataset,A,B\niris,1,2\n")
    refused(text, "sheet='x': only .xlsx files have sheets", sheet="x")


def refused(path: Path, message: str, **options: Any) -> None:
    with pytest.raises(bc.BayescompareError, match=message) as error:
        bc.read_results(path, measures=MEASURES, **options)
    assert path.name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the workbook is empty"),
        (ROWS[:1], "a header but no rows"),
        ([["dataset", None, "auc"], ["iris", "A", 1]], "column 2 has no name"),
        ([["dataset", "auc", "auc"], ["iris", 1, 1]], "column 'auc' occurs twice"),
        ([*ROWS, ["zoo", "A", "#DIV/0!", 1]], "row 7: 'auc' is #DIV/0!"),
        ([*ROWS, ["zoo", "A", "good", 1]], "row 7 has 'good'"),
        ([*ROWS, ["zoo", "A", 0.5, 1, 3]], "row 7 has a cell without a column: 3"),
    ],
)
def test_bad_sheets(rows: list[list[Any]], message: str, tmp_path: Path) -> None:
    refused(workbook(tmp_path, Results=rows), message)


def test_what_is_no_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"PK\x03\x04 and then nothing")
    refused(path, r"not a readable xlsx file \(BadZipFile")
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "b")
    path.write_bytes(packed.getvalue())
    refused(path, r"not a readable xlsx file \(KeyError")
    whole = workbook(tmp_path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, "not a readable xlsx file")
    workbook(tmp_path)
    monkeypatch.setattr(_input, "MOST_BYTES", 7000)  # a bomb: what it says it unpacks to
    refused(path, "holds more than")


def test_openpyxl_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path)
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    refused(path, r'needs openpyxl: pip install "bayescompare\[xlsx\]"')
