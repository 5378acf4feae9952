"""fev: summaries of forecasting evaluations, one row per model and task."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError, printable_error_text
from bayescompare.readers import records
from bayescompare.readers.records import SECONDS, Chosen, Format
from bayescompare.table.frames import as_pandas, distinct_columns, row_names
from bayescompare.table.input import algorithm_labels
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

_OWN = frozenset({"model_name", "test_error", "fev_version"})
_COLUMNS = {
    "test_error": Measure("min"),
    "training_time_s": SECONDS,
    "inference_time_s": SECONDS,
} | records.directed("", "MAE MAEB MAPE MASE MQL MSE RMSE RMSLE RMSSE SMAPE SQL WAPE WAPEB WQL")


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
    table = _frame(df) if isinstance(df, list) else as_pandas(df, index=True)
    columns = distinct_columns(table)
    for name in ("model_name", "test_error"):
        if name not in columns:
            raise BayescompareError(
                f"df has no column {name!r}, so it is not a summary of fev; its columns are "
                f"{quoted_names(columns, 8)}."
            )
    known = {name: kind for name, kind in _COLUMNS.items() if name in columns}
    spec = records.select(measures, known, ["test_error"])
    models = pd.Series(row_names(table["model_name"], "algorithm"), index=table.index)
    tasks = _task_names(table)
    records.one_row_each(tasks, models)
    results = Results.from_frame(
        table.assign(model_name=algorithm_labels(models), dataset=tasks),
        algorithm="model_name",
        measures=spec,
        source=source,
    )
    # A file has the word, a frame the boolean.
    leaked = table.get("trained_on_this_dataset", pd.Series(dtype=object)).astype(str).str.lower()
    number = int((leaked == "true").sum())
    verb = "comes from a model" if number == 1 else "come from models"
    note = f"{plural(number, 'result')} {verb} trained on that very dataset"
    return results._with(notes=(*results.notes, note)) if number else results


def _frame(summaries: list[Any]) -> pd.DataFrame:
    for place, row in enumerate(summaries):
        if not isinstance(row, dict):
            raise BayescompareError(
                f"df[{place}] is a {type(row).__name__}: give a list of summaries, each a dict."
            )
    # Cell by cell as given: pandas would refuse half a character.
    return pd.DataFrame(summaries, dtype=object)


def _task_names(table: pd.DataFrame) -> pd.Series[Any]:
    """Name the tasks, with their horizon and metric where that alone tells them apart."""
    bases = [name for name in ("task_name", "dataset_config", "dataset_path") if name in table]
    if not bases:
        raise BayescompareError("df has no column 'task_name' nor 'dataset_path'.")
    names = pd.Series(row_names(table[bases[0]], "dataset"), index=table.index)
    for column, word in (("horizon", "horizon"), ("eval_metric", "by")):
        if column in table:
            texts = [printable_error_text(str(cell)) for cell in table[column]]
            parts = pd.Series(texts, index=table.index, dtype=object)
            several = parts.groupby(names.to_numpy()).transform("nunique") > 1
            names = names.where(~several, names + f" {word} " + parts)
    return names


def _is_summaries(data: Any) -> bool:
    rows = data if isinstance(data, list) else []
    return bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= _OWN


FORMAT = Format("summaries of fev", from_fev, columns=_OWN, json=_is_summaries)
