"""Large tables of items are read in pieces, and say what the whole table says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.table import files as pieces

MEASURES: dict[str, Any] = {"right": "max", "cost": "min"}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [["d0", "d1", "NA"], ["A", "B"], [f"{k:03}" for k in range(25)]]
    )
    table = pd.DataFrame(index=index.set_names(["dataset", "algorithm", "item"])).reset_index()
    return table.assign(
        right=rng.random(len(table)) < 0.6, cost=rng.gamma(2.0, size=len(table)), note="x, y"
    )


def write(frame: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=30)
    elif path.suffix == ".json":
        path.write_text(json.dumps(frame.to_dict("records")), encoding="utf-8")
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def read(path: Path, **options: Any) -> bc.Results:
    given = {"measures": MEASURES, "replicate": "item", "replicates": "items", **options}
    return bc.read_results(path, **given)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.json", "indexed.parquet"]
)
def test_a_file_in_pieces_is_the_frame(
    frame: pd.DataFrame, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "_ROWS", 40)
    table = frame.set_index(["dataset", "item"]) if name.startswith("indexed") else frame
    results = read(write(table, tmp_path / name), keep_items=False)
    options: dict[str, Any] = {"replicate": "item", "replicates": "items", "measures": MEASURES}
    expected = bc.Results.from_frame(frame, keep_items=False, **options)
    assert results.data.equals(expected.data)
    assert results.item_data is not None
    assert results.item_data.equals(expected.item_data)
    kept = read(tmp_path / name)
    assert kept.n_replicates == 25
    one, other = (bc.compare(r, method="replicated") for r in (results, kept))
    np.testing.assert_allclose(one.probability, other.probability, atol=1e-10)


def test_a_large_file_is_read_in_pieces(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, table = (write(frame, tmp_path / name) for name in ("t.csv", "t.parquet"))
    assert not read(text).has_statistics
    monkeypatch.setattr(pieces, "LARGE_TEXT", 1000)
    monkeypatch.setattr(pieces, "MOST_ROWS", len(frame) - 1)
    for path in (text, table):
        assert read(path).has_statistics
        assert not read(path, keep_items=True).has_statistics
        seeds = read(path, replicates="seeds", measures={"cost": "min"})
        assert not seeds.has_statistics


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,algorithm,item,right,cost\nd,A,1,true\n", "line 2 has 4 cells, but the header"),
        ("dataset,algorithm,item,right,cost\nd,A,1,maybe,2\n", "line 2 has 'maybe'"),
        ("dataset,algorithm,item,right,cost\nd,A,,1,1\n", "replicate name missing in line 2"),
        ("dataset,algorithm,items,right,cost\n", "Did you mean 'items'"),
        ("dataset,algorithm,item,right,cost\n", "the table has no rows"),
    ],
)
def test_bad_text_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BayescompareError, match=message) as caught:
        read(path, keep_items=False)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_table_are_refused(tmp_path: Path) -> None:
    cases = {
        "a.csv": b"dataset,algorithm,item,right,cost\nd,\xff,1,1,1\n",
        "b.csv.gz": gzip.compress(b"dataset,algorithm,item,right,cost\n" + b"d,A,1,1,1\n" * 9)[:-9],
        "c.parquet": b"PAR1 nothing",
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(
            BayescompareError, match=r"not UTF-8|cannot be decompressed|not a readable"
        ):
            read(tmp_path / name, keep_items=False)


def test_a_wide_or_melted_table_of_items_is_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = write(frame, tmp_path / "t.csv")
    with pytest.raises(BayescompareError, match="layout='wide': a large table of items is read in"):
        read(path, keep_items=False, layout="wide")
    melted = frame.assign(right=frame["right"] * 1.0).melt(
        ["dataset", "algorithm", "item"], ["right", "cost"], "measure", "value"
    )
    with pytest.raises(BayescompareError, match="needs a column for each measure"):
        read(write(melted, tmp_path / "melted.csv"))
