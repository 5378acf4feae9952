"""Several files as one table, labels of runs, patterns, renamed and dropped columns."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import bayescompare as bc
from bayescompare.table.reading import TableReading, read_tables
from bayescompare.text.names import meant_name

BOTH: dict[str, Any] = {"accuracy": "max", "time": "min"}
HEADER = "dataset,algorithm,accuracy,time\n"
ROWS = [
    f"{dataset},{algorithm},{0.5 + k / 100},{k}\n"
    for k, (dataset, algorithm) in enumerate((d, a) for d in ("iris", "wine", "zoo") for a in "AB")
]


@pytest.fixture
def whole(tmp_path: Path) -> bc.Results:
    (tmp_path / "whole.csv").write_text(HEADER + "".join(ROWS))
    return bc.read_results(tmp_path / "whole.csv", measures=BOTH)


def parts(folder: Path) -> list[Path]:
    for name, rows in (("part1.csv", ROWS[:3]), ("part2.csv", ROWS[3:])):
        (folder / name).write_text(HEADER + "".join(rows))
    return [folder / "part1.csv", folder / "part2.csv"]


def test_rows_of_several_files_are_one_table(tmp_path: Path, whole: bc.Results) -> None:
    files = parts(tmp_path)
    together = bc.read_results(files, measures=BOTH)
    assert together.data.equals(whole.data)
    assert together.source == f"{files[0]}, {files[1]}"
    assert bc.read_results(tmp_path / "part*.csv", measures=BOTH).data.equals(whole.data)
    assert bc.read(str(tmp_path / "part?.csv"), measures=BOTH).data.equals(whole.data)


def test_files_of_different_kinds_and_layouts(tmp_path: Path, whole: bc.Results) -> None:
    first = tmp_path / "first.csv.gz"
    first.write_bytes(gzip.compress((HEADER + "".join(ROWS[:4])).encode()))
    wide = tmp_path / "wide.tsv.zst"
    text = "dataset\tA accuracy\tA time\tB accuracy\tB time\nzoo\t0.54\t4\t0.55\t5\n"
    wide.write_bytes(zstandard.compress(text.encode()))
    assert bc.read_results([first, wide], measures=BOTH).data.equals(whole.data)


def test_labels_name_runs(tmp_path: Path, whole: bc.Results) -> None:
    for name in "AB":
        own = [row.replace(f",{name},", ",") for row in ROWS if f",{name}," in row]
        (tmp_path / f"run{name}.csv").write_text("dataset,accuracy,time\n" + "".join(own))
    runs = {name: tmp_path / f"run{name}.csv" for name in "AB"}
    assert bc.read_results(runs, measures=BOTH).data.equals(whole.data)
    both = {"5-shot": tmp_path / "whole.csv", "0-shot": tmp_path / "whole.csv"}
    names = ("5-shot A", "5-shot B", "0-shot A", "0-shot B")
    assert bc.read_results(both, measures=BOTH).algorithms == names


def test_items_of_several_files_are_read_in_pieces(tmp_path: Path) -> None:
    for name, right in (("A", "1,0,1"), ("B", "1,1,1")):
        rows = [f"d,{k},{one}\n" for k, one in enumerate(right.split(","))]
        (tmp_path / f"{name}.csv").write_text("dataset,id,right\n" + "".join(rows))
    runs = {name: tmp_path / f"{name}.csv" for name in "AB"}
    options: dict[str, Any] = {
        "measures": {"correct": "max"},
        "rename": {"right": "correct"},
        "replicate": "id",
        "replicates": "items",
    }
    kept = bc.read_results(runs, **options)
    pieces = bc.read_results(runs, **options, keep_items=False)
    assert pieces.algorithms == kept.algorithms == ("A", "B")
    assert pieces.item_data is not None
    assert pieces.item_data["items"].sel(algorithm="A", opponent="B").item() == 3
    assert pieces.data["correct"].values.tolist() == [[pytest.approx(2 / 3), 1.0]]


def test_columns_are_renamed_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("name,rows,svm,forest\n001,150,0.9,0.8\nwine,178,0.7,0.6\n")
    results = bc.read_results(
        path, measures={"auc": "max"}, rename={"name": "dataset"}, drop_columns=["rows"]
    )
    assert results.algorithms == ("svm", "forest")
    assert results.datasets == ("001", "wine")  # names stay as written


def refused(path: Any, message: str, **options: Any) -> None:
    with pytest.raises(bc.BayescompareError, match=message) as error:
        bc.read_results(path, **{"measures": BOTH, **options})
    assert "\n" not in str(error.value)


def test_bad_files_are_named(tmp_path: Path, whole: bc.Results) -> None:
    first, second = parts(tmp_path)
    refused([tmp_path / "whole.csv", second], "whole.csv and .*part2.csv both have the dataset, ")
    refused([first, first], "part1.csv and .*part1.csv both have")
    second.write_text(HEADER + "zoo,A,high,1\n")
    refused([first, second], "part2.csv: measure 'accuracy' must be numbers: line 2 has 'high'")
    second.write_text(HEADER[:-6] + "\nzoo,A,0.5\n")
    refused([first, second], r"part2.csv: measures\['time'\]: no such column")
    refused([first, tmp_path / "absent.csv"], "absent.csv: no such file")
    refused(tmp_path / "q*.csv", r"q\*.csv: no such file, and no file matches this as a pattern")
    refused(tmp_path, r"is a directory: name a file in it, or several by a pattern such as .*/\*")
    refused([], "paths is empty")
    refused(3, "path is a int: give the path of a file, a list of paths")


def test_bad_edits(tmp_path: Path, whole: bc.Results) -> None:
    path = tmp_path / "whole.csv"
    refused(
        path,
        "rename= names no column: there is no 'acuracy'; .* Did you mean 'accuracy'",
        rename={"acuracy": "x"},
    )
    refused(path, "drop_columns= names no column: there is no 'n'", drop_columns=["n"])
    refused(path, "two columns would be called 'time'", rename={"accuracy": "time"})
    refused(path, "rename=3: give a mapping", rename=3)
    refused(path, r"drop_columns=\[3\]: give a list", drop_columns=[3])
    wide = tmp_path / "wide.csv"
    wide.write_text("dataset,svm,forest\niris,0.9,0.8\n")
    refused({"run": wide}, "label 'run': .* it is not the table of a run", measures={"auc": "max"})


@pytest.mark.parametrize(
    ("pack", "cut"),
    [(gzip.compress, 9), (zstandard.compress, 5)],
    ids=["gzip", "Zstandard"],
)
def test_a_file_that_is_cut_off(pack: Callable[[bytes], bytes], cut: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(pack((HEADER + "".join(ROWS)).encode())[:-cut])
    refused(path, "t.csv: cannot be decompressed")
    refused(
        path,
        "t.csv: cannot be",
        replicate="time",
        replicates="items",
        keep_items=False,
        measures={"accuracy": "max"},
    )


def test_several_frames_of_zstandard(tmp_path: Path, whole: bc.Results) -> None:
    path = tmp_path / "t.csv.zst"
    text = (HEADER + "".join(ROWS)).encode()
    path.write_bytes(zstandard.compress(text[:50]) + zstandard.compress(text[50:]))
    assert bc.read_results(path, measures=BOTH).data.equals(whole.data)


# ----------------------------------------------------------------------- the beginning of a name


def test_a_name_that_is_meant() -> None:
    known = ["Accuracy", "auc", "auc_train", "time"]
    assert [meant_name(name, known) for name in ("acc", "ACCURACY", "auc", "AUC", "t", "x")] == [
        *("Accuracy", "Accuracy", "auc", "auc", "time", "x")
    ]
    with pytest.raises(bc.BayescompareError, match="'au' could be 'auc', 'auc_train'"):
        meant_name("au", known)


def test_measures_of_a_table_that_are_meant(tmp_path: Path, whole: bc.Results) -> None:
    spec: Any = {"ACC": "max", "t": "min"}
    reading = TableReading(measures=spec, loosely=True)
    assert read_tables(tmp_path / "whole.csv", reading).data.equals(whole.data)
    refused(tmp_path / "whole.csv", "Did you mean 'accuracy'", measures={"acc": "max"})
    twice: Any = {"acc": "max", "accuracy": "max"}
    with pytest.raises(bc.BayescompareError, match="'accuracy' is given twice"):
        read_tables(tmp_path / "whole.csv", TableReading(measures=twice, loosely=True))
    # In a wide table the name of the one measure is free.
    wide = tmp_path / "wide.csv"
    wide.write_text("dataset,accurate,fast\niris,0.9,0.8\nwine,0.7,0.6\n")
    results = read_tables(wide, TableReading(measures={"acc": "max"}, loosely=True))
    assert results.algorithms == ("accurate", "fast")
