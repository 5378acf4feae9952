"""MLflow: a frame that `mlflow.search_runs` returned, and frames that it did not."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io
from bayescompare.io import from_mlflow
from tests.readers.written import mlflow_frame

BOTH: dict[str, Any] = {"accuracy": "max", "fit_seconds": "min"}


@pytest.fixture
def runs() -> pd.DataFrame:
    return mlflow_frame()


@pytest.fixture
def finished(runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["status"] == "FINISHED"]


def test_seeds_are_replicates(finished: pd.DataFrame) -> None:
    results = from_mlflow(finished, measures=BOTH, replicate="params.seed")
    assert results.datasets == ("digits", "wine", "iris")
    assert results.algorithms == ("svm", "forest")
    assert results.measures == ("accuracy", "fit_seconds")
    assert (results.n_replicates, results.source) == (2, "MLflow runs")
    row = finished.iloc[0]
    cell = {"dataset": "digits", "algorithm": "svm", "replicate": row["params.seed"]}
    assert results.data["accuracy"].sel(cell).item() == row["metrics.accuracy"]


def test_names_with_their_prefix_and_other_columns(finished: pd.DataFrame) -> None:
    one_seed = finished[finished["params.seed"] == "1"]
    results = from_mlflow(
        one_seed,
        measures={"metrics.accuracy": "max"},
        dataset="params.model",
        algorithm="tags.dataset",
    )
    assert (results.measures, results.datasets) == (("accuracy",), ("svm", "forest"))
    assert results.n_replicates is None


def test_runs_that_nothing_tells_apart(finished: pd.DataFrame) -> None:
    with pytest.raises(bc.BayescompareError, match=r"6 cells with more than one run: 2 of 'svm'"):
        from_mlflow(finished, measures=BOTH)
    apart = from_mlflow(finished, measures=BOTH, repeats="replicate")
    mean = from_mlflow(finished, measures=BOTH, repeats="mean")
    assert apart.n_replicates == 2
    assert mean.notes == ("each cell is the mean of 2 runs",)
    pd.testing.assert_frame_equal(mean.to_frame(), apart.average().to_frame())


def test_unfinished_runs_are_refused_or_left_out(runs: pd.DataFrame) -> None:
    with pytest.raises(bc.BayescompareError, match="row 0 is RUNNING, row 1 is FAILED"):
        from_mlflow(runs, measures=BOTH, replicate="params.seed")
    results = from_mlflow(runs, measures=BOTH, replicate="params.seed", unfinished="drop")
    assert "sonar" not in results.datasets
    assert results.notes == ("2 unfinished runs left out",)


def test_frames_one_below_the_other(finished: pd.DataFrame) -> None:
    parts = [part.reset_index(drop=True) for _, part in finished.groupby("tags.dataset")]
    results = from_mlflow(pd.concat(parts), measures=BOTH, replicate="params.seed")
    assert len(results.datasets) == 3


def test_a_metric_that_some_runs_lack(finished: pd.DataFrame) -> None:
    frame = finished.copy()
    svm = frame[(frame["params.model"] == "svm") & (frame["tags.dataset"] == "digits")].index
    frame.loc[svm[0], "metrics.accuracy"] = None
    results = from_mlflow(frame, measures=BOTH, repeats="mean")
    assert results.missing().empty
    assert results.notes[-1] == "1 run without a value left out"
    cell = results.data["accuracy"].sel(dataset="digits", algorithm="svm").item()
    assert cell == frame.loc[svm[1], "metrics.accuracy"]
    frame.loc[svm, "metrics.accuracy"] = None
    results = from_mlflow(frame, measures=BOTH, repeats="mean")
    assert results.missing().to_dict("records") == [
        {"dataset": "digits", "algorithm": "svm", "measure": "accuracy"}
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": {"acuracy": "max"}}, r"metrics.accuracy"),
        ({"measures": ["accuracy"]}, "each measure needs a direction"),
        ({"measures": {"accuracy": "up"}}, "direction='up'"),
        ({"dataset": "tags.data"}, "dataset='tags.data': no such column"),
        ({"algorithm": "params.modell"}, "Did you mean 'params.model'"),
        ({"replicate": "params.sed"}, "replicate='params.sed'"),
        ({"repeats": "average"}, "repeats='average': must be 'raise', 'replicate' or 'mean'"),
        ({"unfinished": "keep"}, "unfinished='keep'"),
        ({"algorithm": "tags.mlflow.user", "unfinished": "drop"}, "more than one run"),
    ],
)
def test_wrong_options(runs: pd.DataFrame, options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"measures": BOTH, "unfinished": "drop", "replicate": "params.seed"}
    with pytest.raises(bc.BayescompareError, match=message):
        from_mlflow(runs, **{**given, **options})


def test_frames_that_are_none_of_mlflow(runs: pd.DataFrame) -> None:
    unnamed = runs[runs["status"] == "FINISHED"].assign(**{"params.model": None})
    for frame, message in (
        (pd.DataFrame(), "df is empty"),
        ([1], "df is a list"),
        (pd.DataFrame({"a": [1]}), r"it does not come from mlflow.search_runs\(\)"),
        (runs[["status", "tags.dataset"]], r"it does not come from mlflow.search_runs\(\)"),
        (runs[runs["status"] == "FAILED"], "none of the 1 run is FINISHED"),
        (unnamed, "algorithm name missing in row 0"),
    ):
        with pytest.raises(bc.BayescompareError, match=message):
            from_mlflow(frame, measures=BOTH)  # type: ignore[arg-type]


def test_the_tool_itself(tmp_path: Any) -> None:
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    for model, accuracy in (("a", 0.9), ("b", 0.8)):
        with mlflow.start_run():
            mlflow.set_tag("dataset", "iris")
            mlflow.log_param("model", model)
            mlflow.log_metric("accuracy", accuracy)
    results = from_mlflow(mlflow.search_runs(), measures={"accuracy": "max"})
    assert results.sel(algorithms=["a", "b"]).values().ravel().tolist() == [0.9, 0.8]


def test_mlflow_refuses_one_metric_in_two_directions():
    runs = pd.DataFrame(
        {"status": "FINISHED", "tags.dataset": "d", "params.model": ["a", "b"], "metrics.auc": 0.5}
    )
    with pytest.raises(bc.BayescompareError):
        io.from_mlflow(runs, measures={"auc": "max", "metrics.auc": "min"})
