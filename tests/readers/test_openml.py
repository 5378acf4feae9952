"""OpenML: frames built by OpenML's own function, and frames that are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io
from bayescompare.io import from_openml
from tests.readers.written import openml_frame

SVC = "sklearn.svm.classes.SVC(12)"
PIPELINE = (
    "sklearn.pipeline.Pipeline(imputer:sklearn.preprocessing.imputation.Imputer,"
    "estimator:sklearn.linear_model.logistic.LogisticRegression)(1)"
)


def test_two_functions_one_below_the_other() -> None:
    frame = openml_frame("evaluations")
    results = from_openml(frame)
    assert results.datasets == ("kr-vs-kp", "credit-g", "diabetes", "tic-tac-toe")
    assert (results.algorithms[0], results.algorithms[2]) == (SVC, PIPELINE)
    assert results.measures == ("predictive_accuracy", "usercpu_time_millis_testing")
    assert [results[name].direction for name in results.measures] == ["max", "min"]
    assert results["usercpu_time_millis_testing"].unit == "ms"
    assert results.n_replicates is None
    assert results.values()[0, 0].tolist() == [
        frame["value"][0],
        frame["value"][12],
    ]


def test_folds_are_replicates() -> None:
    frame = openml_frame("per_fold")
    results = from_openml(frame)
    assert results.n_replicates == 10
    cells = results.data["predictive_accuracy"].sel(dataset="kr-vs-kp", algorithm=SVC)
    assert cells.values.tolist() == frame["values"][0]
    assert bc.compare(results.sel(algorithms=results.algorithms[:2]), method="correlated-t").best


def test_several_runs_of_a_flow() -> None:
    frame = openml_frame("repeated")
    with pytest.raises(bc.BayescompareError, match=r"2 of 'sklearn.svm.*' on 'credit-g'"):
        from_openml(frame)
    apart = from_openml(frame, repeats="replicate")
    assert apart.n_replicates == 2
    mean = from_openml(frame, repeats="mean")
    cell = apart.data["predictive_accuracy"].sel(dataset="credit-g", algorithm=SVC)
    at = {"dataset": "credit-g", "algorithm": SVC}
    assert mean.data["predictive_accuracy"].sel(at).item() == pytest.approx(cell.mean().item())
    assert mean.notes == ("each cell is the mean of 1 to 2 runs",)


def test_several_runs_per_fold() -> None:
    frame = openml_frame("per_fold")
    again = frame[frame["flow_name"] == SVC].assign(run_id=lambda f: f["run_id"] + 1000)
    both = pd.concat([frame, again], ignore_index=True)
    with pytest.raises(bc.BayescompareError, match="more than one run"):
        from_openml(both)
    apart = from_openml(both, repeats="replicate")
    assert apart.data["replicate"].values.tolist()[:2] == ["1.1", "1.2"]
    assert apart.n_replicates == 20
    mean = from_openml(both, repeats="mean")
    np.testing.assert_allclose(mean._cells(), from_openml(frame)._cells())


def test_setups_as_algorithms() -> None:
    frame = openml_frame("evaluations").assign(parameters=[{"C": "1.0"}] * 24)
    assert from_openml(frame, algorithm="setup_id").algorithms == ("83530", "69690", "77070")


def test_several_tasks_of_a_dataset() -> None:
    frame = openml_frame("evaluations")
    frame["data_name"] = "one"
    with pytest.raises(bc.BayescompareError, match=r"'one' \(3, 31, 37, 49\).*dataset='task_id'"):
        from_openml(frame)
    assert from_openml(frame, dataset="task_id").datasets == ("3", "31", "37", "49")


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.iloc[:0], {}, "df is empty"),
        (lambda f: f.to_dict(), {}, "df is a dict"),
        (lambda f: f.drop(columns="value"), {}, "value='value': no such column"),
        (lambda f: f.drop(columns="function"), {}, "function='function': no such column"),
        (lambda f: f.drop(columns="run_id"), {}, "run='run_id': no such column"),
        (lambda f: f, {"dataset": "dataname"}, "Did you mean 'data_name'"),
        (lambda f: f, {"measures": ["accuracy"]}, "no measure called 'accuracy'"),
        (lambda f: f, {"repeats": "first"}, "repeats='first'"),
        (lambda f: pd.concat([f, f]), {}, "'predictive_accuracy' more than once"),
        (lambda f: f.assign(value=None), {}, "no value and no list of values in row 0"),
        (lambda f: f.assign(value="high"), {}, "must be numbers"),
        (lambda f: f.assign(flow_name=None), {}, "algorithm name missing"),
        (
            lambda f: f.assign(value=[[0.5], *f["value"][1:]]),
            {},
            "row 0 with a list as value, beside rows with a number",
        ),
        (lambda f: pd.concat([f, f[["task_id"]]], axis=1), {}, "column 'task_id' occurs twice"),
        (lambda f: f.assign(task_id=[[k] for k in range(len(f))]), {}, "several tasks the same"),
        (
            lambda f: pd.concat([f, openml_frame("per_fold").assign(run_id=0)]),
            {},
            "row 24, row 25, .* with a list of values per fold, beside rows with one value",
        ),
    ],
)
def test_frames_that_are_none_of_openml(change: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        from_openml(change(openml_frame("evaluations")), **options)


def test_folds_that_cannot_be_paired() -> None:
    frame = openml_frame("per_fold")
    frame.at[1, "values"] = frame.at[1, "values"][1:]
    with pytest.raises(
        bc.BayescompareError, match="on 'kr-vs-kp' run 9199801 has 10 folds and run 9199802 9"
    ):
        from_openml(frame)


def test_a_mean_beyond_all_numbers() -> None:
    frame = openml_frame("repeated").assign(value=1.5e308)
    with pytest.raises(bc.BayescompareError, match="infinite cells"):
        from_openml(frame, repeats="mean")


def test_a_value_that_is_missing_is_a_missing_cell() -> None:
    frame = openml_frame("evaluations")
    frame.loc[0, "value"] = None
    assert len(from_openml(frame).missing()) == 1


def test_flows_whose_labels_become_alike_are_not_averaged():
    frame = pd.DataFrame(
        {"run_id": [1, 2, 3], "task_id": 1, "flow_name": ["a=b", "a:b", "c"], "data_name": "iris"}
    ).assign(function="predictive_accuracy", value=[0.5, 0.6, 0.7])
    with pytest.raises(bc.BayescompareError, match="would both be called"):
        io.from_openml(frame, repeats="mean")
