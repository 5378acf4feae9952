"""Large tables by pyarrow: the same as line by line, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.table import files
from bayescompare.table.plain_text import read_plain_text

pytest.importorskip("pyarrow")

PLAIN = "dataset,algorithm,fold,auc,note\n001,A,1,0.5,x\nNA,A,1,,y\n001,B,2,1e-3,3\nd,é,1,NaN,\n"


def both(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[pd.DataFrame, pd.DataFrame]:
    names = {"dataset", "algorithm", "fold"}
    slow = files.parse_table(path, None, names=names)
    monkeypatch.setattr(files, "LARGE", 0)
    monkeypatch.setattr(files, "_read_delimited", None)
    return slow, files.parse_table(path, None, names=names)


QUOTED = '"dataset",algorithm,fold,"auc",note\n"001",A,1,"0.5",x\n"d,1","",1,"NA","y"\n'
CELLS = ["", "a", " b", "c d", '"e"', '"f""g"', '"h, i"', '""', '"', "1", " 2.5", "NA", "1_0"]
#: Spaces after separators, also within quotes, blank lines, and quotes within a cell.
SPACED = "dataset, algorithm,fold,  auc,note\n\n001, A,1, 0.5,x\n\n\nb c,A,1,2,y z\n"
NESTED = 'dataset,algorithm,fold,auc,note\n"a ""b""",A,1,0.5,"""x"""\n\n"c, d",B,1,2,""\n'


@pytest.mark.parametrize(("suffix", "separator"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [PLAIN, QUOTED, QUOTED.rstrip("\n"), SPACED, NESTED], ids=range(5))
def test_plain_tables_are_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    separator: str,
    end: str,
    text: str,
) -> None:
    path = tmp_path / f"table.{suffix}"
    path.write_bytes(text.replace(",", separator).replace("\n", end).encode())
    slow, fast = both(path, monkeypatch)
    pd.testing.assert_frame_equal(slow, fast, check_dtype=False, check_index_type=False)


@given(
    rows=st.lists(
        st.lists(st.sampled_from(CELLS), min_size=1, max_size=4).map(",".join), max_size=6
    ),
    end=st.sampled_from(["\n", "\r\n"]),
    is_cut=st.booleans(),
)
def test_any_text_is_read_alike_or_left(rows: list[str], end: str, is_cut: bool) -> None:
    content = end.join(["dataset,x,y", "a,1,2", *rows] + [""] * (not is_cut)).encode()
    fast = files._read_large(content, ",", {"dataset"})
    if fast is not None:
        slow = files._read_delimited(content, ",", {"dataset"})
        pd.testing.assert_frame_equal(slow, fast, check_dtype=False, check_index_type=False)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN + '"a"b,B,1,0.5,x\n',
        PLAIN + '"a,B,1,0.5,x\n',
        PLAIN + '"a\nb",B,1,0.5,x\n',
        PLAIN + 'a",B,1,0.5,x\n',
        PLAIN + '"a", B,1,0.5,x\n',
        PLAIN + " a,B,1,0.5,x\n",
        PLAIN + "a,    B,1,0.5,x\n",
        PLAIN + "a,B,1,0.5\n",
        PLAIN + "a,B,1,high,x\n",
        PLAIN + "a,B,1,1_000,x\n",
        PLAIN + "a,B,1,nA,x\n",
        "dataset,algorithm\n",
        "dataset,algorithm,auc\nd,A\n",
    ],
)
def test_anything_else_is_left_to_the_other_reader(text: str) -> None:
    header = text.split("\n")[0].split(",")
    names = {"dataset", "algorithm", "fold"}
    assert read_plain_text(text.encode(), header, ",", names, files.number_or_text) is None


def test_errors_still_name_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE", 0)
    measures: Any = {"auc": "max"}
    path = tmp_path / "table.csv"
    for row, message in (
        ("d,A,1", "line 3 has 3 cells, but the header has 5"),
        ("d,A,1,high,x", "line 3 has 'high'"),
        (",A,1,0.5,x", "dataset name missing in line 3"),
        ("001,A,1,0.5,x", "more than one row for the same dataset, algorithm"),
    ):
        path.write_text("\n".join([*PLAIN.splitlines()[:2], row]))
        with pytest.raises(bc.BayescompareError, match=message):
            bc.read_results(path, measures=measures, replicate="fold")
