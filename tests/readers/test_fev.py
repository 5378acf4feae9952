"""fev: evaluation summaries with the columns of version 0.8."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.io import from_fev


def summaries() -> list[dict[str, Any]]:
    return [
        {
            "model_name": model,
            "dataset_path": "autogluon/fev_datasets",
            "dataset_config": task,
            "horizon": 28,
            "eval_metric": "SQL",
            "task_name": task,
            "test_error": error,
            "training_time_s": 0.0,
            "inference_time_s": 100 * error,
            "trained_on_this_dataset": model == "chronos" and task == "ETT_1H",
            "fev_version": "0.8.0",
            "SQL": error,
            "MASE": 1.1 * error,
        }
        for task in ("ETT_1D", "ETT_1H")
        for model, error in (("ets", 1.2), ("chronos", 1.0))
    ]


def test_models_and_tasks() -> None:
    results = from_fev(pd.DataFrame(summaries()), measures=["test_error", "inference_time_s"])
    assert results.algorithms == ("ets", "chronos")
    assert results.datasets == ("ETT_1D", "ETT_1H")
    assert results["inference_time_s"].unit == "s"
    assert results.notes == ("1 result comes from a model trained on that very dataset",)
    assert results.trained_on == {"ETT_1H": ["chronos"]}
    assert results.sel(algorithms=["ets"]).notes == ()
    assert bc.Results.from_dataset(results.to_dataset()).trained_on == results.trained_on
    assert from_fev(summaries(), measures=["MASE"])["MASE"].direction == "min"


def test_horizons_are_told_apart() -> None:
    longer = [row | {"horizon": 56} for row in summaries() if row["task_name"] == "ETT_1D"]
    results = from_fev([*summaries(), *longer])
    assert results.datasets == ("ETT_1D horizon 28", "ETT_1H", "ETT_1D horizon 56")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda df: df.drop(columns="model_name"), "no column 'model_name', so it is not"),
        (lambda df: df.assign(test_error="low"), "measure 'test_error' must be numbers"),
        (lambda df: pd.concat([df, df]), "more than one row of"),
        (lambda df: df.iloc[:0], "df is empty"),
        (lambda df: pd.concat([df, df[["horizon"]]], axis=1), "column 'horizon' occurs twice"),
        (lambda df: [*df.to_dict("records"), 3], r"df\[4\] is a int: give a list of summaries"),
        (
            lambda df: df.assign(horizon=[[1]] * len(df), test_error=float("inf")),
            "infinite cells",
        ),
        (
            lambda df: df.drop(columns=["task_name", "dataset_config", "dataset_path"]),
            "no column for the task: it is called 'task_name' or",
        ),
    ],
)
def test_one_line_for_what_is_wrong(change: object, message: str) -> None:
    assert callable(change)
    with pytest.raises(bc.BayescompareError, match=message):
        from_fev(change(pd.DataFrame(summaries())))
