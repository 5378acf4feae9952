"""Frames of leaderboards, one row per method and task: fev's summaries and TabArena's results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError, printable_error_text
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format
from bayescompare.table.frames import as_pandas, row_names
from bayescompare.table.input import algorithm_labels, check_distinct
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.table.words import with_leaks_noted
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

_FEV = frozenset({"model_name", "test_error", "fev_version"})
_FEV_MEASURES = (
    {"test_error": Measure("min")}
    | records.costs("training_time_s inference_time_s", "s")
    | records.directed("", "MAE MAEB MAPE MASE MQL MSE RMSE RMSLE RMSSE SMAPE SQL WAPE WAPEB WQL")
)
_TABARENA = frozenset({"metric_error", "time_train_s", "time_infer_s"})
_TABARENA_MEASURES = (
    records.costs("metric_error metric_error_val")
    | records.costs("time_train_s time_infer_s", "s")
    | records.costs("disk_usage", "bytes")
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
    for place, row in enumerate(df if isinstance(df, list) else []):
        if not isinstance(row, dict):
            raise BayescompareError(
                f"df[{place}] is a {type(row).__name__}: give a list of summaries, each a dict."
            )
    # Cell by cell as given: pandas would refuse half a character.
    frame = pd.DataFrame(df, dtype=object) if isinstance(df, list) else df
    table = _table(frame, ("model_name", "test_error"), "a summary of fev")
    table = table.assign(dataset=_fev_tasks(table))
    results = _results(table, "dataset", "model_name", None, _FEV_MEASURES, measures, source)
    marked = table[_is_true(table, "trained_on_this_dataset")]
    names = algorithm_labels(marked["model_name"].astype(str))
    trained = names.groupby(marked["dataset"].to_numpy(), sort=False).unique()
    marks = {str(task): own.tolist() for task, own in trained.items()}
    return with_leaks_noted(results._with(trained_on=marks or None))


def _fev_tasks(table: pd.DataFrame) -> pd.Series[Any]:
    """Name the tasks, with their horizon and metric where that alone tells them apart."""
    base = _first_of(table, "task", ("task_name", "dataset_config", "dataset_path"))
    names = pd.Series(row_names(table[base], "dataset"), index=table.index)
    for column, word in (("horizon", "horizon"), ("eval_metric", "by")):
        if column in table:
            texts = [printable_error_text(str(cell)) for cell in table[column]]
            parts = pd.Series(texts, index=table.index, dtype=object)
            several = parts.groupby(names.to_numpy()).transform("nunique") > 1
            names = names.where(~several, names + f" {word} " + parts)
    return names


def _is_fev(data: Any) -> bool:
    rows = data if isinstance(data, list) else []
    return bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= _FEV


def from_tabarena(
    df: Any, *, measures: Chosen | None = None, source: str = "TabArena results"
) -> Results:
    r"""Build results from a frame of TabArena.

    Parameters
    ----------
    df : frame
        Of pandas or polars, with the columns ``method`` (or ``framework``), ``dataset`` (or
        ``task``), perhaps ``fold`` (or ``seed``), and ``metric_error``, ``time_train_s``,
        ``time_infer_s``: what ``compute_df_result()`` and the leaderboard's input have.
    measures : mapping or iterable of str, optional
        By default ``"metric_error"``, the error by each task's own metric; the times are in
        seconds, and lower is better in all.
    source : str
        Where the frame came from.

    Returns
    -------
    Results
        Methods are the algorithms, splits the replicates.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "method": ["forest", "boost"], "dataset": "anneal", "fold": 0,
    ...     "metric_error": [0.2, 0.1], "time_train_s": [1.0, 9.0], "time_infer_s": 0.1,
    ... })
    >>> results = from_tabarena(frame, measures=["metric_error", "time_train_s"])
    >>> results.algorithms, results["time_train_s"].unit
    (('forest', 'boost'), 's')
    """
    table = _table(df, ("metric_error",), "a frame of TabArena")
    algorithm = _first_of(table, "algorithm", ("method", "framework"))
    dataset = _first_of(table, "dataset", ("dataset", "task", "tid"))
    fold = next((name for name in ("fold", "seed", "split", "repeat") if name in table), None)
    records.one_metric_each(table, dataset, "metric_error")
    results = _results(table, dataset, algorithm, fold, _TABARENA_MEASURES, measures, source)
    # What TabArena filled in with another method's results.
    number = int(_is_true(table, "imputed").sum())
    note = f"{plural(number, 'row')} imputed by TabArena"
    return results._with(notes=(*results.notes, note)) if number else results


# what they share ----------------------------------------------------------------------------------


def _table(df: Any, own: Iterable[str], what: str) -> pd.DataFrame:
    """Return a frame of pandas that has its tool's own columns, the most important ones first."""
    table = as_pandas(df, index=True)
    columns = check_distinct(table.columns)
    for name in own:
        if name not in columns:
            raise BayescompareError(
                f"df has no column {name!r}, so it is not {what}; its columns are "
                f"{quoted_names(columns, 8)}."
            )
    return table


def _results(
    table: pd.DataFrame,
    dataset: str,
    algorithm: str,
    fold: str | None,
    known: dict[str, Measure],
    measures: Chosen | None,
    source: str,
) -> Results:
    """Build results; the first of the known measures is read by default."""
    there = {name: kind for name, kind in known.items() if name in table}
    spec = records.select(measures, there, [next(iter(known))])
    names = pd.Series(row_names(table[algorithm], "algorithm"), index=table.index)
    if fold is None:
        tasks = pd.Series(row_names(table[dataset], "dataset"), index=table.index)
        twice = pd.DataFrame({"task": tasks, "name": names}).duplicated()
        if twice.any():
            raise BayescompareError(
                f"more than one row of {names[twice].iloc[0]!r} on {tasks[twice].iloc[0]!r}: keep "
                "one of them."
            )
    return Results.from_frame(
        table.assign(**{algorithm: algorithm_labels(names)}),
        dataset=dataset,
        algorithm=algorithm,
        replicate=fold,
        measures=spec,
        source=source,
    )


def _first_of(table: pd.DataFrame, role: str, names: tuple[str, ...]) -> str:
    for name in names:
        if name in table:
            return name
    raise BayescompareError(
        f"df has no column for the {role}: it is called {' or '.join(map(repr, names))}."
    )


def _is_true(table: pd.DataFrame, column: str) -> pd.Series[bool]:
    """Return which rows are true; a file has the word or a number for the boolean."""
    words = table.get(column, pd.Series("", table.index)).astype(str).str.lower()
    return words.isin(("true", "1", "1.0"))


FORMATS = {
    "fev": Format("summaries of fev", from_fev, columns=_FEV, json=_is_fev),
    "tabarena": Format("a table of TabArena", from_tabarena, columns=_TABARENA),
}
