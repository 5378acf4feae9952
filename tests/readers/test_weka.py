"""Weka: experiments that Weka itself wrote, and files that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_weka
from tests.readers.written import DATA

CSV, ARFF = DATA / "weka" / "experiment.csv", DATA / "weka" / "experiment.arff"
ALGORITHMS = ("J48 -C 0.25 -M 2", "J48 -U -M 2", "NaiveBayes", "IBk")
HEAD = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct\n"
ROW = "iris,1,1,weka.classifiers.trees.J48,'-C 0.25',94.0\n"


@pytest.mark.parametrize("path", [CSV, ARFF], ids=["csv", "arff"])
def test_an_experiment(path: Path) -> None:
    results = read_weka(path)
    assert results.datasets == ("iris", "wine's, small")
    assert results.algorithms == ALGORITHMS
    assert results.measures == ("Percent_correct",)
    assert results["Percent_correct"].direction == "max"
    assert results.data["replicate"].values.tolist() == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    assert results.source == str(path)
    first = results.data["Percent_correct"].sel(dataset="iris", algorithm="J48 -C 0.25 -M 2")
    assert first.sel(replicate="1.1").item() == 90.0


def test_csv_and_arff_tell_the_same() -> None:
    names = ["Percent_correct", "Area_under_ROC", "Root_mean_squared_error", "Kappa_statistic"]
    one, other = (read_weka(path, measures=names) for path in (CSV, ARFF))
    # ARFF has six digits.
    np.testing.assert_allclose(one._cells(), other._cells(), atol=1e-6)


def test_directions_and_units_are_known() -> None:
    names = ["Root_mean_squared_error", "UserCPU_Time_millis_training", "Serialized_Model_Size"]
    results = read_weka(CSV, measures=names)
    assert [results[name].direction for name in names] == ["min"] * 3
    assert [results[name].unit for name in names] == [None, "ms", "bytes"]


def test_regression_has_a_default_of_its_own() -> None:
    results = read_weka(DATA / "weka" / "regression.csv")
    assert results.measures == ("Root_relative_squared_error",)
    assert results.algorithms == ("LinearRegression", "ZeroR", "IBk")
    assert not results.data["Root_relative_squared_error"].isnull().any()


def test_missing_values(tmp_path: Path) -> None:
    results = read_weka(CSV, measures={"measureTreeSize": "min"})
    assert results.missing()["algorithm"].unique().tolist() == ["NaiveBayes", "IBk"]


def written(tmp_path: Path, text: str | bytes, name: str = "experiment.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_one_run_per_row_without_folds(tmp_path: Path) -> None:
    text = "Key_Dataset,Key_Run,Key_Scheme,Percent_correct\niris,1,a.J48,94\niris,2,a.J48,95\n"
    results = read_weka(written(tmp_path, text))
    assert results.data["replicate"].values.tolist() == ["1", "2"]


def test_classes_of_the_same_short_name(tmp_path: Path) -> None:
    text = HEAD + "iris,1,1,a.X,'',1\niris,1,1,b.X,'',2\n"
    assert read_weka(written(tmp_path, text)).algorithms == ("a.X", "b.X")


def test_double_quotes_windows_lines_and_signs_of_labels(tmp_path: Path) -> None:
    text = HEAD + 'iris,1,1,a.X,"-W ""a b"" -P k=1",1\niris,1,1,a.X,"-Q",2\n'
    path = written(tmp_path, text.replace("\n", "\r\n"))
    assert read_weka(path).algorithms == ('X -W "a b" -P k:1', "X -Q")


ARFF_HEAD = "@relation x\n" + "".join(
    f"@attribute {name} string\n" for name in HEAD.strip().split(",")
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n", "no column 'Key_Dataset', so this is not a result of Weka's Experimenter"),
        (HEAD, "the file has a header but no rows"),
        (HEAD + "iris,1,1\n", "line 2 has 3 cells, but the header has 6"),
        (HEAD + "'iris,1,1,J48,,94\n", "malformed at line 2"),
        (HEAD + ROW + ROW, "more than one row"),
        (
            HEAD + ROW.replace("94.0", "high"),
            "'Percent_correct' must be numbers: line 2 has 'high'",
        ),
        (HEAD + ROW.replace("94.0", "inf"), "infinite cells"),
        (HEAD.replace("Percent_correct", "Mine") + ROW, "measures=None: name the measures to read"),
        (HEAD.replace("Key_Fold", "Key_Run") + ROW, "column 'Key_Run' occurs twice"),
        (HEAD.encode() + b"caf\xe9,1,1,J48,,94\n", "not UTF-8"),
        (ARFF_HEAD, "this ARFF file has no @data"),
        (ARFF_HEAD + "nonsense\n@data\n", "line 8 is not ARFF"),
        (ARFF_HEAD + "@data\n% nothing\n", "the file has a header but no rows"),
        (ARFF_HEAD + "@data\n{0 iris, 5 94}\n", "2 cells, but the header has 6"),
    ],
)
def test_what_is_no_experiment(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(bc.BayescompareError, match=message) as caught:
        read_weka(path)
    assert str(path) in str(caught.value)


def test_several_files_are_one_experiment(tmp_path: Path) -> None:
    whole = read_weka(CSV)
    head, *rows = CSV.read_text(encoding="utf-8").splitlines(keepends=True)
    for k, half in enumerate((rows[: len(rows) // 2], rows[len(rows) // 2 :])):
        (tmp_path / f"half{k}.csv").write_text(head + "".join(half), encoding="utf-8")
    parts = read_weka(tmp_path / "half*.csv")
    assert parts.algorithms == whole.algorithms
    assert parts.data.equals(whole.data)
    assert bc.read(tmp_path / "half*.csv").data.equals(whole.data)
    labelled = read_weka({"old": CSV, "new": ARFF})
    assert labelled.algorithms[:2] == ("old J48 -C 0.25 -M 2", "old J48 -U -M 2")
    assert len(labelled.algorithms) == 2 * len(ALGORITHMS)
    with pytest.raises(bc.BayescompareError, match="more than one row"):
        read_weka([CSV, ARFF])
