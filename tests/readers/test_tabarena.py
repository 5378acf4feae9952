"""TabArena: frames as compute_df_result() and the input of its leaderboard have them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.io import from_tabarena


def frame() -> pd.DataFrame:
    rows = [
        {
            "dataset": dataset,
            "fold": fold,
            "framework": framework,
            "metric_error": error + fold / 100,
            "metric": "roc_auc",
            "time_train_s": 10.0 * error,
            "time_infer_s": 0.1,
            "problem_type": "binary",
            "imputed": framework == "TabPFN" and dataset == "kdd",
        }
        for dataset in ("anneal", "kdd")
        for fold in range(3)
        for framework, error in (("LightGBM", 0.2), ("TabPFN", 0.1))
    ]
    return pd.DataFrame(rows)


def test_methods_tasks_and_splits() -> None:
    results = from_tabarena(frame(), measures=["metric_error", "time_train_s"])
    assert results.algorithms == ("LightGBM", "TabPFN")
    assert results.datasets == ("anneal", "kdd")
    assert results.n_replicates == 3
    assert [results[name].direction for name in results.measures] == ["min", "min"]
    assert results.notes == ("3 rows imputed by TabArena",)
    assert from_tabarena(frame()).measures == ("metric_error",)


def test_a_file_has_words_for_truths(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "t.csv", index=False)
    assert "3 rows imputed by TabArena" in bc.read(tmp_path / "t.csv").notes


def test_a_fault_names_its_file(tmp_path: Path) -> None:
    for name, error in (("a", "0.2"), ("b", "inf")):
        table = frame().assign(framework=name).drop_duplicates(["dataset", "fold"]).astype(object)
        table.iloc[2, 3] = error
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(bc.BayescompareError, match=r"b.csv: infinite cells: metric_error of 'b'"):
        bc.read(sorted(tmp_path.glob("*.csv")))


def test_the_names_of_the_leaderboard() -> None:
    renamed = frame().rename(columns={"framework": "method", "dataset": "task", "fold": "seed"})
    results = from_tabarena(renamed.drop(columns="imputed"))
    assert (results.algorithms, results.notes) == (("LightGBM", "TabPFN"), ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda df: df.drop(columns="metric_error"), "no column 'metric_error', so it is not"),
        (lambda df: df.drop(columns="framework"), "algorithm: it is called 'method' or 'frame"),
        (lambda df: df.drop(columns="dataset"), "no column for the dataset"),
        (lambda df: pd.concat([df, df]), "more than one row for the same"),
        (lambda df: df.assign(metric_error="low"), "measure 'metric_error' must be numbers"),
        (lambda df: df.assign(metric=[*["auc"] * 11, "rmse"]), "'kdd' is of several metrics"),
        (lambda df: df.iloc[:0], "df is empty"),
        (lambda df: pd.concat([df, df[["metric"]]], axis=1), "column 'metric' occurs twice"),
        (lambda _: 3, "df is a int: give a frame of pandas, polars"),
    ],
)
def test_one_line_for_what_is_wrong(change: object, message: str) -> None:
    assert callable(change)
    with pytest.raises(bc.BayescompareError, match=message):
        from_tabarena(change(frame()))
