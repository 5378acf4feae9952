"""AutoML benchmark: results.csv as its Scoreboard writes it (the columns of version 2.1)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_amlb

HEADER = (
    "id,task,framework,constraint,fold,type,result,metric,mode,version,params,app_version,utc,"
    "duration,training_duration,predict_duration,models_count,seed,info,acc,auc,logloss"
)
ROWS = """\
t/3917,kc1,RandomForest,1h8c,0,binary,0.836,auc,local,1.3.2,,dev,10:00:00,33.4,31.2,0.4,2000,1,,0.87,0.836,0.31
t/3917,kc1,RandomForest,1h8c,1,binary,0.841,auc,local,1.3.2,,dev,10:01:00,32.1,30.0,0.4,2000,2,,0.86,0.841,0.32
t/3917,kc1,AutoGluon,1h8c,0,binary,0.851,auc,local,1.1,,dev,10:00:00,3611.0,3590.0,8.1,40,1,,0.88,0.851,0.29
t/3917,kc1,AutoGluon,1h8c,1,binary,,auc,local,1.1,,dev,11:00:00,4000.1,,,,2,"Timeout, late",,,
t/7592,car,RandomForest,1h8c,0,multiclass,-0.21,neg_logloss,local,1.3.2,,dev,12:00:00,30.0,28.0,0.3,2000,1,,0.97,,0.21
t/7592,car,RandomForest,1h8c,1,multiclass,-0.22,neg_logloss,local,1.3.2,,dev,12:01:00,31.0,28.0,0.3,2000,2,,0.96,,0.22
t/7592,car,AutoGluon,1h8c,0,multiclass,-0.02,neg_logloss,local,1.1,,dev,12:00:00,3600.0,3590.0,6.0,40,1,,0.99,,0.02
t/7592,car,AutoGluon,1h8c,1,multiclass,-0.03,neg_logloss,local,1.1,,dev,13:00:00,3600.0,3590.0,6.0,40,2,,0.99,,0.03
"""


def written(folder: Path, rows: str = ROWS, header: str = HEADER) -> Path:
    path = folder / "results.csv"
    path.write_text(f"{header}\n{rows}")
    return path


def test_tasks_frameworks_and_folds(tmp_path: Path) -> None:
    results = read_amlb(written(tmp_path))
    assert results.datasets == ("kc1", "car")
    assert results.algorithms == ("RandomForest", "AutoGluon")
    assert (results.n_replicates, results.replicates) == (2, "folds")
    cells = results.data["result"].sel(dataset="kc1", algorithm="AutoGluon").values
    np.testing.assert_array_equal(cells, [0.851, np.nan])
    assert results["result"].direction == "max"
    assert results.notes == ("1 failed run without a result: 'AutoGluon' on 'kc1'",)


def test_a_failed_run_is_lost_if_asked_so(tmp_path: Path) -> None:
    rows = ROWS.replace(",0.851,", ",,")  # both folds of AutoGluon on kc1
    results = read_amlb(written(tmp_path, rows))
    with pytest.raises(bc.BayescompareError, match=r"missing cell.*'AutoGluon' on 'kc1'"):
        bc.compare(results)
    assert bc.compare(results, missing="worst").best == "AutoGluon>RandomForest"


def test_times_and_metrics_by_name(tmp_path: Path) -> None:
    results = read_amlb(tmp_path if written(tmp_path) else "", measures=["acc", "duration"])
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    assert results["duration"].unit == "s"


def test_constraints_are_told_apart(tmp_path: Path) -> None:
    more = ROWS.replace("1h8c", "4h8c")
    results = read_amlb(written(tmp_path, ROWS + more))
    assert results.algorithms[0] == "RandomForest 1h8c"
    assert len(results.algorithms) == 4


def test_two_files_under_two_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    forest = "".join(line + "\n" for line in ROWS.splitlines() if "Forest" in line)
    paths = {"old": written(tmp_path / "a", forest), "new": written(tmp_path / "b", forest)}
    assert read_amlb(paths).algorithms == ("old", "new")
    with pytest.raises(bc.BayescompareError, match="more than one row for the same dataset"):
        read_amlb(tmp_path)


def test_two_files_must_agree_on_the_metric(tmp_path: Path) -> None:
    lines = ROWS.splitlines(keepends=True)
    for name, text in (("a", lines[:2]), ("b", lines[2:3])):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "".join(text).replace("auc,local,1.1", "logloss,local,1.1"))
    with pytest.raises(bc.BayescompareError, match="'kc1' is of several metrics, 'auc', 'logloss'"):
        read_amlb(tmp_path)


def test_the_file_of_a_fault_among_several(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        rows = ROWS.replace("AutoGluon", f"AutoGluon {name}").replace("RandomForest", name)
        written(tmp_path / name, rows.replace("33.4", "-33.4" if name == "b" else "33.4"))
    with pytest.raises(bc.BayescompareError, match=r"b.results.csv: cells outside bounds"):
        read_amlb(tmp_path, measures=["duration"])


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        ("", HEADER, "results.csv: the file has a header but no rows"),
        (ROWS[:-30], HEADER, "line 9 has .* cells, but the header has 22"),
        (ROWS, HEADER.replace("framework", "learner"), "no column 'framework', so this is not"),
        (ROWS.replace("0.836,auc", "good,auc"), HEADER, "column 'result' .* line 2 has 'good'"),
        (
            ROWS.replace("0.841,auc", "0.841,acc"),
            HEADER,
            "column 'result' of 'kc1' is of several metrics, 'auc', 'acc'",
        ),
        (
            ROWS + ROWS.splitlines()[0] + "\n",
            HEADER,
            "results.csv: more than one row for the same dataset",
        ),
        (ROWS.replace("0.836,auc", "inf,auc"), HEADER, "results.csv: infinite cells: result of"),
        (ROWS.replace("kc1", "", 1), HEADER, "results.csv: dataset name missing in line 2"),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, rows: str, header: str, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        read_amlb(written(tmp_path, rows, header))
