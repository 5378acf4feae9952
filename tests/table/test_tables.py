"""`read_results`: every format, either shape, and every way a file can be wrong."""

from __future__ import annotations

import builtins
import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.table import input as _input
from bayescompare.table.layouts import SEPARATORS
from bayescompare.table.reading import read_results
from bayescompare.table.results import Results
from tests.tables import FRAME

# A machine shared with others is slow at times; that is no failure.
UNHURRIED = settings(deadline=None, max_examples=60)
BOTH: dict[str, Any] = {"auc": "max", "time": "min"}
LONG = "dataset,algorithm,auc,time\niris,A,0.9,1\niris,B,0.8,2\nwine,A,0.7,3\nwine,B,0.6,4\n"
WIDE = "dataset,A_auc,A_time,B_auc,B_time\niris,0.9,1,0.8,2\nwine,0.7,3,0.6,4\n"
ONE = "dataset,A,B\niris,0.9,0.8\nwine,0.7,0.6\n"
MELTED = "dataset,algorithm,measure,value\n" + "".join(
    f"{dataset},{algorithm},{measure},{value}\n"
    for dataset, algorithm, measure, value in [
        ("iris", "A", "auc", 0.9),
        ("iris", "A", "time", 1),
        ("iris", "B", "auc", 0.8),
        ("iris", "B", "time", 2),
        ("wine", "A", "auc", 0.7),
        ("wine", "A", "time", 3),
        ("wine", "B", "auc", 0.6),
        ("wine", "B", "time", 4),
    ]
)
VALUES = [[[0.9, 1], [0.8, 2]], [[0.7, 3], [0.6, 4]]]

type Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write text or bytes to a file and return its path."""

    def to_file(content: str | bytes, name: str = "results.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def check(results: Results) -> None:
    assert results.datasets == ("iris", "wine")
    assert results.algorithms == ("A", "B")
    assert results.measures == ("auc", "time")
    np.testing.assert_array_equal(results.values(), VALUES)


# ----------------------------------------------------------------------------------------- formats


def frame_of(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


#: How a table is written, and under which name.
WRITTEN: dict[str, Callable[[str], str | bytes]] = {
    "r.csv": str,
    "r.tsv": lambda text: text.replace(",", "\t"),
    "R.TSV": lambda text: text.replace(",", "\t"),
    "r.v2.csv.gz": lambda text: gzip.compress(text.encode(), mtime=0),
    "records.json": lambda text: frame_of(text).to_json(orient="records"),
    "columns.json": lambda text: frame_of(text).to_json(orient="columns"),
    "lists.json": lambda text: json.dumps(frame_of(text).to_dict("list")),
    "r.parquet": lambda text: frame_of(text).to_parquet(),
    "indexed.parquet": lambda text: frame_of(text).set_index("dataset").to_parquet(),
    # Line ends of any kind, blank lines, a byte order mark, spaces after commas.
    "windows.csv": lambda text: text.replace("\n", "\r\n"),
    "mac.csv": lambda text: text.replace("\n", "\r"),
    "blank.csv": lambda text: text.replace("\n", "\n\n"),
    "marked.csv": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "spaced.csv": lambda text: text.replace(",", ", "),
}


@pytest.mark.parametrize("content", [LONG, WIDE, MELTED], ids=["long", "wide", "melted"])
@pytest.mark.parametrize("name", WRITTEN)
def test_every_format_and_layout(write: Write, content: str, name: str) -> None:
    path = write(WRITTEN[name](content), name)
    results = read_results(path, measures=BOTH)
    check(results)
    assert results.source == str(path)


def test_the_format_can_be_said(write: Write) -> None:
    check(read_results(write(LONG, "results.json"), measures=BOTH, format="csv"))


# ------------------------------------------------------------------------------ names and values


def test_names_stay_as_written(write: Write) -> None:
    path = write("dataset,algorithm,auc\n001,NA,0.9\nnull,NA,0.8\n1,nan,0.7\nNone,1.50,0.6\n")
    results = read_results(path, measures={"auc": "max"})
    assert results.datasets == ("001", "null", "1", "None")
    assert results.algorithms == ("NA", "nan", "1.50")


def test_names_stay_as_written_in_json(write: Write) -> None:
    records = [{"dataset": "001", "algorithm": "NA", "auc": 0.9}]
    results = read_results(write(json.dumps(records), "r.json"), measures={"auc": "max"})
    assert (results.datasets, results.algorithms) == (("001",), ("NA",))


@pytest.mark.parametrize("word", ["", "NA", "nan", "NaN", "null", "None", "N/A", " "])
def test_missing_words_are_missing_cells(write: Write, word: str) -> None:
    path = write(f"dataset,A,B\niris,0.9,{word}\nwine,0.8,0.7\n")
    missing = read_results(path, measures={"auc": "max"}).missing()
    assert missing.to_numpy().tolist() == [["iris", "B", "auc"]]


def test_null_in_json_is_a_missing_cell(write: Write) -> None:
    records = [{"dataset": "iris", "A": 1, "B": None}, {"dataset": "wine", "A": 2}]
    results = read_results(write(json.dumps(records), "r.json"), measures={"auc": "max"})
    assert len(results.missing()) == 2


def test_numbers_are_read_to_the_last_digit(write: Write) -> None:
    path = write("dataset,A\niris,0.30000000000000004\nwine,1e-300\n")
    values = read_results(path, measures={"auc": "max"}).values().ravel()
    assert values.tolist() == [0.30000000000000004, 1e-300]


def test_quoted_cells_may_hold_anything(write: Write) -> None:
    path = write('dataset,"a, ""b"""\n"iris, all",0.9\n')
    results = read_results(path, measures={"auc": "max"})
    assert results.datasets == ("iris, all",)
    assert results.algorithms == ('a, "b"',)


# ---------------------------------------------------------------------------------------- layouts


def test_columns_of_another_name(write: Write) -> None:
    content = LONG.replace("dataset", "task").replace("algorithm", "method")
    check(read_results(write(content), measures=BOTH, dataset="task", algorithm="method"))


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("measure_first", [True, False])
def test_wide_pairs_in_either_order(write: Write, separator: str, measure_first: bool) -> None:
    def rename(column: str) -> str:
        pair = column.split("_")
        return separator.join(reversed(pair) if measure_first else pair)

    header, rows = WIDE.split("\n", 1)
    columns = ["dataset", *(rename(column) for column in header.split(",")[1:])]
    check(read_results(write(",".join(columns) + "\n" + rows), measures=BOTH))


def read_header(write: Write, columns: list[str], measures: list[str]) -> Results:
    """Read a wide table of one row, whose values are 0, 1, 2, … in the order of its columns."""
    values = ",".join(str(i) for i in range(len(columns)))
    content = f"dataset,{','.join(columns)}\niris,{values}\n"
    return read_results(write(content), measures=dict.fromkeys(measures, "max"))


def test_the_longest_measure_is_meant(write: Write) -> None:
    columns = ["svm_f1", "svm_macro_f1", "nb_f1", "nb_macro_f1"]
    results = read_header(write, columns, ["f1", "macro_f1"])
    assert results.algorithms == ("svm", "nb")
    assert results.values().tolist() == [[[0, 1], [2, 3]]]


def test_separators_may_be_part_of_names(write: Write) -> None:
    columns = ["random_forest_run_time", "random_forest_auc", "k_nn_run_time", "k_nn_auc"]
    results = read_header(write, columns, ["auc", "run_time"])
    assert results.algorithms == ("random_forest", "k_nn")
    assert results.values().tolist() == [[[1, 0], [3, 2]]]


def test_the_reading_that_gives_every_measure_to_the_same_algorithms_wins(write: Write) -> None:
    # Measure last: both measures of auc_p and time_q. Measure first: one each of four algorithms.
    columns = ["auc_p_auc", "auc_p_time", "time_q_auc", "time_q_time"]
    assert read_header(write, columns, ["auc", "time"]).algorithms == ("auc_p", "time_q")


def test_a_measure_is_not_taken_for_an_algorithm(write: Write) -> None:
    path = write("dataset,algo,auc\niris,1,0.9\niris,2,0.8\n")
    with pytest.raises(BayescompareError, match=r"algorithm='algorithm'.*Did you mean 'algo'"):
        read_results(path, measures={"auc": "max"})


def test_an_algorithm_may_lack_a_measure(write: Write) -> None:
    results = read_header(write, ["svm_auc", "svm_time", "nb_auc"], ["auc", "time"])
    assert results.missing().to_numpy().tolist() == [["iris", "nb", "time"]]


@pytest.mark.parametrize(
    ("columns", "measures", "message"),
    [
        (["a_b", "b_a", "a_a", "b_b"], ["a", "b"], "in more than one way, 'a_b' as 'b' of 'a' or"),
        (
            ["svm_auc", "svm_time", "n"],
            ["auc", "time"],
            r"do not name an algorithm.*'svm_auc': 'n'\.",
        ),
        (["svm_auc", "nb_auc"], ["auc", "time"], "no column for the measure 'time'"),
        (["A", "B"], ["auc", "time"], "'A', 'B'.*algorithm='algorithm' is not one"),
        (["svm_auc", "svm-time"], ["auc", "time"], "do not name an algorithm"),
        (["", "svm"], ["auc"], "column '' has no name.*index=False"),
        (["Unnamed: 0", "svm"], ["auc"], "'Unnamed: 0' has no name"),
        (["a_auc", "b_auc", "a_time", "b_time"], ["auc"], "measures 'auc' and 'time', but"),
        (["auc a", "auc b", "time a", "time b"], ["auc"], "measures 'auc' and 'time', but"),
    ],
)
def test_headers_that_cannot_be_read(
    write: Write, columns: list[str], measures: list[str], message: str
) -> None:
    with pytest.raises(BayescompareError, match=message):
        read_header(write, columns, measures)


@pytest.mark.parametrize(
    "columns",
    [["time-forest", "svm"], ["time-forest", "random-forest"], ["a_auc", "b_auc"], ["a_auc", "a"]],
)
def test_a_measure_within_the_names_of_algorithms_is_fine(write: Write, columns: list[str]) -> None:
    for measure in ("time", "auc"):
        assert read_header(write, columns, [measure]).algorithms == tuple(columns)


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_replicates(write: Write, layout: str) -> None:
    long = "dataset,fold,algorithm,auc\niris,1,A,0.9\niris,1,B,0.8\niris,2,A,0.7\niris,2,B,0.6\n"
    wide = "dataset,fold,A,B\niris,1,0.9,0.8\niris,2,0.7,0.6\n"
    path = write(long if layout == "long" else wide)
    results = read_results(path, measures={"auc": "max"}, replicate="fold")
    assert results.n_replicates == 2
    np.testing.assert_array_equal(results.data["auc"].values, [[[0.9, 0.7], [0.8, 0.6]]])


def test_melted_with_replicates_gaps_and_other_measures(write: Write) -> None:
    path = write(
        "measure,dataset,algorithm,seed,value\n"
        "auc,wine,B,2,0.5\nauc,wine,B,1,0.6\nauc,iris,A,1,0.7\ntime,iris,A,1,NA\nf1,x,C,9,word\n"
    )
    results = read_results(path, measures={"auc": "max"}, replicate="seed")
    assert (results.datasets, results.algorithms) == (("wine", "iris"), ("B", "A"))
    assert results.data["auc"].sel(dataset="wine", algorithm="B").values.tolist() == [0.5, 0.6]
    assert len(results.missing()) == 8 - 3


def test_a_column_called_value_can_be_a_measure(write: Write) -> None:
    path = write("dataset,algorithm,measure,value\niris,A,auc,0.5\n")
    assert read_results(path, measures={"value": "max"}).measures == ("value",)


@pytest.mark.parametrize("content", [LONG, WIDE, MELTED], ids=["long", "wide", "melted"])
@pytest.mark.parametrize("name", ["self", "row", "line", "level_0"])
def test_no_word_of_pandas_is_taken(write: Write, content: str, name: str) -> None:
    measures: dict[str, Any] = {"auc": "max", name: "min"}
    results = read_results(write(content.replace("time", name)), measures=measures)
    np.testing.assert_array_equal(results.values(), VALUES)


@pytest.mark.parametrize("content", [LONG, WIDE, MELTED], ids=["long", "wide", "melted"])
def test_reserved_names_are_refused_in_every_layout(write: Write, content: str) -> None:
    measures: dict[str, Any] = {"auc": "max", "algorithm": "min"}
    with pytest.raises(BayescompareError, match="cannot be called 'algorithm'"):
        read_results(write(content), measures=measures)


def test_the_layout_can_be_said(write: Write) -> None:
    check(read_results(write(LONG), measures=BOTH, layout="long"))
    check(read_results(write(WIDE), measures=BOTH, layout="wide"))
    with pytest.raises(BayescompareError, match=r"algorithm='algorithm'.*no such column"):
        read_results(write(WIDE), measures=BOTH, layout="long")


# ------------------------------------------------------------------------------ files gone wrong

REFUSED: list[tuple[str | bytes, str, str]] = [
    ("", "r.csv", "the file is empty"),
    ("\n \n", "r.csv", "the file is empty"),
    ("", "r.json", "the file is empty"),
    ("", "r.parquet", "the file is empty"),
    (gzip.compress(b"", mtime=0), "r.csv.gz", "the file is empty"),
    (b"\xef\xbb\xbf", "r.csv", "the file is empty"),
    ("dataset,algorithm,auc,time\n", "r.csv", "the file has a header but no rows"),
    ("[]", "r.json", "no rows"),
    ("{}", "r.json", "no rows"),
    (LONG.replace("iris", "irís").encode("latin-1"), "r.csv", "not UTF-8 text .0xed in line 2"),
    (LONG.encode("utf-16"), "r.csv", "not UTF-8"),
    (LONG + "wine,C,0.5\n", "r.csv", "line 6 has 3 cells, but the header has 4"),
    (LONG + "wine,C,0.5,1,9\n", "r.csv", "line 6 has 5 cells, but the header has 4"),
    (LONG + '"wine,C,0.5,1\n', "r.csv", "malformed at line 6"),
    ('"' + LONG, "r.csv", "malformed at line 5"),
    (gzip.compress(LONG.encode(), mtime=0)[:-12], "r.csv.gz", "cannot be decompressed"),
    (LONG.replace(",", ";"), "r.csv", "separated by ';', not by ','"),
    (LONG, "r.tsv", "separated by ',', not by"),
    ("dataset,A_auc,A_auc\niris,1,2\n", "r.csv", "column 'A_auc' occurs twice"),
    ('[{"dataset": 1, "A": 2, "A": 3}]', "r.json", "the key 'A' twice"),
    ("[{", "r.json", "malformed JSON"),
    ("[" * 100_000, "r.json", "malformed JSON"),
    ("3", "r.json", "not a table: give a list of records"),
    ("[1, 2]", "r.json", "not a table"),
    ('{"dataset": "iris"}', "r.json", "not a table"),
    ('{"dataset": [1, 2], "A": [1]}', "r.json", "not a table"),
    (LONG, "r.parquet", "not a readable parquet file"),
    (LONG, "r.ods", "unknown suffix '.ods'.*format="),
    (LONG, "results", "unknown suffix ''"),
    (LONG.replace("dataset", "datset"), "r.csv", "dataset='dataset'.*Did you mean 'datset'"),
    (LONG.replace("algorithm", "Algorithm"), "r.csv", "algorithm='algorithm'.*mean 'Algorithm'"),
    (LONG.replace("time", "tme"), "r.csv", r"measures\['time'\].*Did you mean 'tme'"),
    (LONG.replace("0.8", "high"), "r.csv", r"measure 'auc' must be numbers: line 3 has 'high'\.$"),
    (LONG.replace("0.8", "1_000"), "r.csv", "line 3 has '1_000'"),
    (LONG.replace("0.8", '"0,8"'), "r.csv", "line 3 has '0,8'"),
    (LONG.replace("0.8", "True"), "r.csv", "line 3 has 'True'"),
    (LONG.replace("0.8", "inf"), "r.csv", "infinite cells: auc of 'B' on 'iris'"),
    (LONG.replace("wine,A", ",A"), "r.csv", "dataset name missing in line 4"),
    (LONG.replace("wine", "iris"), "r.csv", r"\('iris', 'A'\).*replicate="),
    (LONG.replace("A", "A>B"), "r.csv", "ambiguous: rename"),
    (WIDE.replace("wine", "iris"), "r.csv", r"\('iris', 'A'\).*replicate="),
    (WIDE.replace("0.8", "high"), "r.csv", r"not numeric: 'B_auc' \(line 2 has 'high'\)"),
    ("dataset\niris\n", "r.csv", "a column for each algorithm, and has none"),
    (MELTED.replace("time", "tme"), "r.csv", r"measures\['time'\].*'measure'.*mean 'tme'"),
    (MELTED.replace("0.8", "high"), "r.csv", r"not numeric: 'value' \(line 4 has 'high'\)"),
    (MELTED + "iris,B,auc,1\n", "r.csv", r"same .*measure: \('iris', 'B', 'auc'\).*replicate="),
    (MELTED + ",B,auc,1\n", "r.csv", "dataset name missing in line 10"),
    (MELTED.replace("algorithm", "algo"), "r.csv", "not name an algorithm.*Did you mean 'algo'"),
    ('[{"dataset": "iris", "algorithm": "A", "auc": "0.9", "time": 1}]', "r.json", "to_numeric"),
    ('[{"dataset": null, "algorithm": "A", "auc": 0.9, "time": 1}]', "r.json", "name missing"),
]


@pytest.mark.parametrize(("content", "name", "message"), REFUSED)
def test_bad_files_are_refused_in_one_line_that_names_the_file(
    write: Write, content: str | bytes, name: str, message: str
) -> None:
    path = write(content, name)
    with pytest.raises(BayescompareError, match=message) as caught:
        read_results(path, measures=BOTH)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_text_columns_of_a_wide_table_are_all_named(write: Write) -> None:
    path = write("dataset,kind,A,note\niris,flower,0.9,good\n")
    message = r"not numeric: 'kind' \(line 2 has 'flower'\), 'note' .*no column 'algorithm'"
    with pytest.raises(BayescompareError, match=message):
        read_results(path, measures={"auc": "max"})


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BayescompareError, match=r"nowhere\.csv: no such file"):
        read_results(tmp_path / "nowhere.csv", measures=BOTH)


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(BayescompareError, match=f"{tmp_path}: is a directory"):
        read_results(tmp_path, measures=BOTH)


def test_a_file_that_cannot_be_opened(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = write(LONG)
    monkeypatch.setattr(_input, "_content", refuse)
    with pytest.raises(BayescompareError, match=r"cannot be read .*Permission denied"):
        read_results(path, measures=BOTH)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.parquet"
    pd.read_csv(io.StringIO(LONG)).to_parquet(path)
    original = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BayescompareError, match=r'pip install "bayescompare\[parquet\]"'):
        read_results(path, measures=BOTH)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "tall"}, "layout='tall': must be 'auto', 'long' or 'wide'"),
        ({"format": "cvs"}, "format='cvs'.*Did you mean 'csv'"),
        ({"replicate": "fold"}, "replicate='fold': no such column"),
        ({"dataset": ["dataset"]}, "give a column's name, a string"),
        ({"replicate": "dataset"}, "column 'dataset' cannot be both dataset and replicate"),
        ({"measures": ["auc"]}, "each measure needs a direction"),
        ({"measures": {"count": "max"}}, "cannot be called 'count'"),
    ],
)
def test_bad_options_are_refused(write: Write, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        read_results(write(LONG), **{"measures": BOTH, **options})


def test_a_frame_is_not_a_path() -> None:
    with pytest.raises(BayescompareError, match=r"path is a DataFrame.*Results\.from_frame"):
        read_results(pd.DataFrame(), measures=BOTH)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------- round trips

words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=5)
algorithm_words = words.filter(lambda word: not set(word) & set(">|=") and word != "algorithm")


@st.composite
def tables(draw: st.DrawFn) -> Results:
    datasets = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    algorithms = draw(st.lists(algorithm_words, min_size=1, max_size=4, unique=True))
    values = st.floats(allow_nan=True, allow_infinity=False)
    rows = [(d, a, draw(values), draw(values)) for d in datasets for a in algorithms]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "auc", "run time"])
    return Results.from_frame(frame, measures={"auc": "max", "run time": "min"})


def to_csv(path: Path, rows: list[list[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@UNHURRIED
@given(tables())
def test_long_and_wide_files_give_the_same_results(
    tmp_path_factory: pytest.TempPathFactory, results: Results
) -> None:
    folder = tmp_path_factory.mktemp("round")
    frame = results.to_frame()
    long = to_csv(folder / "long.csv", [list(frame.columns), *frame.to_numpy().tolist()])
    header = [f"{measure} {name}" for name in results.algorithms for measure in results.measures]
    cells = results.values().reshape(len(results.datasets), -1).tolist()
    rows = [[name, *row] for name, row in zip(results.datasets, cells, strict=True)]
    wide = to_csv(folder / "wide.csv", [["dataset", *header], *rows])
    for path in (long, wide):
        back = read_results(path, measures=results.spec)
        assert back == replace(results, source=str(path))


@pytest.mark.parametrize(
    "metadata",
    [b"{bad", b'{"index_columns": 5}', b"[]", b'{"index_columns": ["no"], "columns": []}', b"\xff"],
)
def test_parquet_with_bad_metadata_is_refused(metadata: bytes, tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    cells = pa.table({name: FRAME[name].tolist() for name in FRAME})
    pq.write_table(cells.replace_schema_metadata({b"pandas": metadata}), stream)
    file = tmp_path / "r.parquet"
    file.write_bytes(stream.getvalue())
    with pytest.raises(BayescompareError, match="not a readable parquet file"):
        bc.read_results(file, measures={"auc": "max"})
