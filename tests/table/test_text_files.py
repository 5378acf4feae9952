"""Csv and tsv files: what pandas reads is what the line by line reader reads, which judges."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.table import files

NAMES = {"dataset", "algorithm", "fold"}
PLAIN = "dataset,algorithm,fold,auc,note\n001,A,1,0.5,x\nNA,A,1,,y\n001,B,2,1e-3,3\nd,é,1,NaN,\n"
QUOTED = '"dataset",algorithm,fold,"auc",note\n"001",A,1,"0.5",x\n"d,1","",1,"NA","y"\n'
CELLS = ["", "a", " b", "c d", '"e"', '"f""g"', '"h, i"', '""', '"', "1", " 2.5", "NA", "1_0", "\t"]
CELLS += [
    "True",
    "0.1234567890123456789",
    "99999999999999999999",
    "-inf",
    "1e-400",
    '"j\nk"',
    "\r",
    '5"',
]
#: Spaces after separators, also within quotes, blank lines, and quotes within a cell.
SPACED = "dataset, algorithm,fold,  auc,note\n\n001, A,1, 0.5,x\n\n\nb c,A,1,2,y z\n"
NESTED = 'dataset,algorithm,fold,auc,note\n"a ""b""",A,1,0.5,"""x"""\n\n"c, d",B,1,2,""\n'


def table_of(content: bytes, separator: str = ",") -> pd.DataFrame:
    return pd.concat(list(files._text_pieces(BytesIO(content), separator, NAMES)))


def read_or_refusal(content: bytes) -> pd.DataFrame | str:
    try:
        return table_of(content)
    except bc.BayescompareError as error:
        return str(error)


def both(content: bytes, separator: str, patch: pytest.MonkeyPatch) -> list[pd.DataFrame]:
    """Read a table as it is read, in small pieces, and line by line."""
    tables = [table_of(content, separator)]
    patch.setattr(files, "_BLOCK", 32)
    tables.append(table_of(content, separator))
    patch.setattr(files, "_regular_rows", lambda *_: None)
    return [*tables, table_of(content, separator)]


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [PLAIN, QUOTED, QUOTED.rstrip("\n"), SPACED, NESTED], ids=range(5))
def test_both_ways_and_pieces_are_the_same(
    monkeypatch: pytest.MonkeyPatch, separator: str, end: str, text: str
) -> None:
    content = text.replace(",", separator).replace("\n", end).encode()
    *quick, slow = both(content, separator, monkeypatch)
    for table in quick:
        pd.testing.assert_frame_equal(slow, table, check_dtype=False, check_index_type=False)


@given(
    rows=st.lists(
        st.lists(st.sampled_from(CELLS), min_size=1, max_size=4).map(",".join), max_size=6
    ),
    end=st.sampled_from(["\n", "\r\n"]),
    is_cut=st.booleans(),
)
def test_any_text_is_read_alike_or_refused_alike(rows: list[str], end: str, is_cut: bool) -> None:
    content = end.join(["dataset,x,y", "a,1,2", *rows] + [""] * (not is_cut)).encode()
    quick = read_or_refusal(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_regular_rows", lambda *_: None)
        slow = read_or_refusal(content)
    if isinstance(slow, str) or isinstance(quick, str):
        assert slow == quick
    else:
        pd.testing.assert_frame_equal(slow, quick, check_dtype=False, check_index_type=False)


@pytest.mark.parametrize("text", [PLAIN, QUOTED])
def test_pandas_reads_what_is_regular(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_other_rows", None)
    assert len(table_of(text.encode()))


@given(st.floats(allow_nan=False))
def test_numbers_are_the_ones_written(value: float) -> None:
    table = table_of(f"dataset,x\na,{value!r}\nb,{value:.25e}\n".encode())
    assert table["x"].tolist() == [value, value]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Quotes that open nothing, in names and in cells, before a cell over two lines.
        ('dataset,5" disk\na,6"\nb,"j\nk"', {"dataset": ["a", "b"], '5" disk': ['6"', "j\nk"]}),
        ('dataset,"two\nlines"\na,1\n', {"dataset": ["a"], "two\nlines": [1.0]}),
        ('dataset,x\ra,"j\nk"\rb,1\r', {"dataset": ["a", "b"], "x": ["j\nk", 1.0]}),
    ],
)
def test_quotes_and_lines_of_every_kind(
    text: str, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    assert files.parse_table(path, None, names=NAMES).to_dict("list") == expected
