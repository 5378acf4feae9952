"""fev: summaries of forecasting evaluations, one row per model and task."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError, printable_error_text
from bayescompare.readers.records import Chosen, check_rows_once, select_measures
from bayescompare.table.frames import as_pandas, distinct_columns, row_names
from bayescompare.table.measure import Measure
from bayescompare.table.paths import algorithm_labels
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

__all__ = ["FEV_COLUMNS", "from_fev"]

#: The columns by which a table is recognised.
FEV_COLUMNS: frozenset[str] = frozenset({"model_name", "test_error", "fev_version"})

_SECONDS = Measure("min", bounds=(0, None), unit="s")
_COLUMNS = {
    "test_error": Measure("min"),
    "training_time_s": _SECONDS,
    "inference_time_s": _SECONDS,
} | dict.fromkeys(
    (
        *("MAE", "MAEB", "MAPE", "MASE", "MQL", "MSE", "RMSE", "RMSLE", "RMSSE", "SMAPE", "SQL"),
        *("WAPE", "WAPEB", "WQL"),
    ),
    Measure("min"),
)


def from_fev(df: Any, *, measures: Chosen | None = None, source: str = "fev summaries") -> Results:
    r"""Build results from the evaluation summaries of fev.

    Parameters
    ----------
    df : frame or list of dict
        What ``task.evaluation_summary()`` returns, for several models and tasks; a frame of pandas
        or polars, or a list of summaries.
    measures : mapping or iterable of str, optional
        By default ``"test_error"``, the error by each task's own metric. Also single metrics such
        as ``"MASE"``, ``"training_time_s"`` and ``"inference_time_s"``; lower is better in all.
    source : str
        Where the summaries came from.

    Returns
    -------
    Results
        Models are the algorithms, tasks the datasets, with their horizon if a task has several. A
        note counts the results of models that were trained on the dataset.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "model_name": ["ets", "theta"], "task_name": "ETT_1D", "horizon": 28,
    ...     "test_error": [1.2, 1.3], "inference_time_s": [9.0, 1.0], "fev_version": "0.8.0",
    ... })
    >>> from_fev(frame).algorithms
    ('ets', 'theta')
    """
    table = _fev_frame(df) if isinstance(df, list) else as_pandas(df, index=True)
    columns = distinct_columns(table)
    for name in ("model_name", "test_error"):
        if name not in columns:
            raise BayescompareError(
                f"df has no column {name!r}, so it is not a summary of fev; its columns are "
                f"{quoted_names(columns, 8)}."
            )
    known = {name: kind for name, kind in _COLUMNS.items() if name in columns}
    spec = select_measures(measures, known, ["test_error"])
    models = pd.Series(row_names(table["model_name"], "algorithm"), index=table.index)
    tasks = _fev_task_names(table)
    check_rows_once(tasks, models)
    results = Results.from_frame(
        table.assign(model_name=algorithm_labels(models), dataset=tasks),
        algorithm="model_name",
        measures=spec,
        source=source,
    )
    return results._with(notes=(*results.notes, *_fev_leak_notes(table)))


def _fev_frame(summaries: list[Any]) -> pd.DataFrame:
    for place, row in enumerate(summaries):
        if not isinstance(row, dict):
            raise BayescompareError(
                f"df[{place}] is a {type(row).__name__}: give a list of summaries, each a dict."
            )
    # Cell by cell as given: pandas would refuse half a character.
    return pd.DataFrame(summaries, dtype=object)


def _fev_task_names(table: pd.DataFrame) -> pd.Series[Any]:
    """Name the tasks, with their horizon and metric where that alone tells them apart."""
    base = next(
        (name for name in ("task_name", "dataset_config", "dataset_path") if name in table), None
    )
    if base is None:
        raise BayescompareError("df has no column 'task_name' nor 'dataset_path'.")
    names = pd.Series(row_names(table[base], "dataset"), index=table.index)
    for column, word in (("horizon", "horizon"), ("eval_metric", "by")):
        if column in table:
            texts = [printable_error_text(str(cell)) for cell in table[column]]
            parts = pd.Series(texts, index=table.index, dtype=object)
            several = parts.groupby(names.to_numpy()).transform("nunique") > 1
            names = names.where(~several, names + f" {word} " + parts)
    return names


def _fev_leak_notes(table: pd.DataFrame) -> list[str]:
    if "trained_on_this_dataset" not in table:
        return []
    flags = table["trained_on_this_dataset"]
    # A file has the word, a frame the boolean.
    number = int(flags.map(lambda flag: str(flag).lower() == "true").sum())
    verb = "comes from a model" if number == 1 else "come from models"
    return [f"{plural(number, 'result')} {verb} trained on that very dataset"] if number else []
