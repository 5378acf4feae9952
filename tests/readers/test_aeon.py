"""aeon, sktime, tsml-eval: files of the form that tsml-eval's evaluation writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.io import read_aeon
from tests.readers.written import DATA

HC2 = "Resamples:,0,1,2\nChinatown,0.98,0.97,0.98\nCoffee,1.0,1.0,0.96\n"
TSF = "folds:,0,1,2\nChinatown,0.96,0.95,0.97\nCoffee,0.99,,0.93\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "HC2_accuracy.csv").write_text(HC2)
    (tmp_path / "TSF_accuracy.csv").write_text(TSF)
    (tmp_path / "HC2_fittime.csv").write_text(HC2)
    (tmp_path / "TSF_fittime.csv").write_text(TSF)
    (tmp_path / "accuracy_mean.csv").write_text("Estimator,HC2,TSF\nmean,0.98,0.96\n")
    return tmp_path


def test_one_file_per_estimator_and_measure(folder: Path) -> None:
    results = read_aeon(folder)
    assert results.algorithms == ("HC2", "TSF")
    assert results.datasets == ("Chinatown", "Coffee")
    assert results.measures == ("accuracy", "fittime")
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    assert (results.n_replicates, results.replicates) == (3, "folds")
    cells = results.data["accuracy"].sel(dataset="Coffee", algorithm="TSF").values
    np.testing.assert_array_equal(cells, [0.99, np.nan, 0.93])


def test_files_that_aeon_ships() -> None:
    results = bc.read(DATA / "aeon")
    assert results.notes == ("read as result files of aeon",)
    assert (results.algorithms, results.measures) == (("HC2", "InceptionTime"), ("accuracy",))
    assert (len(results.datasets), results.n_replicates) == (8, 5)
    assert results.data["accuracy"].sel(dataset="Beef", algorithm="HC2").values[1] == 19 / 30


def test_a_name_with_underscores(tmp_path: Path) -> None:
    (tmp_path / "1NN_DTW_rmse.csv").write_text(HC2)
    results = read_aeon(tmp_path)
    assert (results.algorithms, results["rmse"].direction) == (("1NN_DTW",), "min")


def test_an_unknown_measure_needs_its_direction(tmp_path: Path) -> None:
    (tmp_path / "HC2_sharpness.csv").write_text(HC2)
    with pytest.raises(bc.BayescompareError, match="name the measures to read"):
        read_aeon(tmp_path)
    assert read_aeon(tmp_path, measures={"sharpness": "max"}).measures == ("sharpness",)


def test_two_runs_of_one_estimator(folder: Path) -> None:
    (folder / "again").mkdir()
    (folder / "again" / "HC2_accuracy.csv").write_text(HC2)
    with pytest.raises(bc.BayescompareError, match="both have the accuracy of 'HC2'"):
        read_aeon(folder)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("HC2_accuracy.csv", "", "HC2_accuracy.csv: the file is empty"),
        ("HC2_accuracy.csv", "Resamples:,0,1\n", "a header but no datasets"),
        ("HC2_accuracy.csv", "Estimator,0,1\nCoffee,1,1\n", "line 1 begins with 'Estimator'"),
        ("HC2_accuracy.csv", HC2 + "Coffee,1.0,1,\n", "line 4: dataset 'Coffee' occurs twice"),
        ("HC2_accuracy.csv", HC2 + "Beef,1,2,3,4\n", "line 4 has 4 values, .* 3 resamples"),
        ("HC2_accuracy.csv", HC2 + "Beef,1,2\n", "line 4 has 2 values, .* 3 resamples"),
        ("HC2_accuracy.csv", HC2 + "Beef,1,2,high\n", "line 4, resample 2: 'high' is not a n"),
        ("HC2_accuracy.csv", HC2 + "Beef,1,2,inf\n", "line 4, resample 2 is infinite"),
        ("HC2_accuracy.csv", HC2 + HC2, "line 4 is a second header"),
        ("HC2_accuracy.csv", HC2 + ",1,2,3\n", "line 4: the dataset is '', not a name"),
        ("HC2_accuracy.csv", "Resamples:\nBeef\n", "line 1 must name every resample"),
        ("HC2_accuracy.csv", "Resamples:,0,,2\nBeef,1,2,3\n", "must name every resample"),
        ("HC2_accuracy.csv", "Resamples:,0,0\nBeef,1,2\n", "resample '0' occurs twice"),
        ("accuracy.csv", HC2, "must be <estimator>_<measure>.csv"),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(bc.BayescompareError, match=message):
        read_aeon(path)


def test_what_else_is_in_the_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "HC2_accuracy.csv").write_text(HC2)
    (tmp_path / "summary.csv").write_text("estimator,mean\nHC2,0.9\n")
    note = "left out, not as aeon's result files are: summary.csv"
    assert read_aeon(tmp_path).notes == (note,)
    # A file that is named is meant.
    with pytest.raises(bc.BayescompareError, match=r"summary.csv: .*must be <estimator>_<measure>"):
        read_aeon(path for path in sorted(tmp_path.iterdir()))
