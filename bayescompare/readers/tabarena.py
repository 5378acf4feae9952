"""TabArena: frames of results with one row per method, task and split."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    check_metric_of_runs,
    check_rows_once,
    select_measures,
)
from bayescompare.table.frames import as_pandas, distinct_columns, row_names
from bayescompare.table.measure import Measure
from bayescompare.table.paths import algorithm_labels
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

__all__ = ["TABARENA_COLUMNS", "from_tabarena", "one_tabarena_column"]

#: The columns by which a table is recognised.
TABARENA_COLUMNS: frozenset[str] = frozenset({"metric_error", "time_train_s", "time_infer_s"})

_SECONDS = Measure("min", bounds=(0, None), unit="s")
_ERROR = Measure("min", bounds=(0, None))
_COLUMNS = {
    "metric_error": _ERROR,
    "metric_error_val": _ERROR,
    "time_train_s": _SECONDS,
    "time_infer_s": _SECONDS,
    "disk_usage": Measure("min", bounds=(0, None), unit="bytes"),
}


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
    table = as_pandas(df, index=True)
    columns = distinct_columns(table)
    if "metric_error" not in columns:
        raise BayescompareError(
            "df has no column 'metric_error', so it is not a frame of TabArena; its columns are "
            f"{quoted_names(columns, 8)}."
        )
    algorithm = one_tabarena_column(columns, "algorithm", ("method", "framework"))
    dataset = one_tabarena_column(columns, "dataset", ("dataset", "task", "tid"))
    splits = [name for name in ("fold", "seed", "split", "repeat") if name in columns]
    check_metric_of_runs(table, dataset, "metric_error")
    known = {name: kind for name, kind in _COLUMNS.items() if name in columns}
    spec = select_measures(measures, known, ["metric_error"])
    names = pd.Series(row_names(table[algorithm], "algorithm"), index=table.index)
    if not splits:
        check_rows_once(row_names(table[dataset], "dataset"), names)
    results = Results.from_frame(
        table.assign(**{algorithm: algorithm_labels(names)}),
        dataset=dataset,
        algorithm=algorithm,
        replicate=splits[0] if splits else None,
        measures=spec,
        source=source,
    )
    return results._with(notes=(*results.notes, *_tabarena_imputed_notes(table)))


def one_tabarena_column(columns: Iterable[str], role: str, names: tuple[str, ...]) -> str:
    """Return the first of some names that is a column.

    Examples
    --------
    >>> one_tabarena_column(["task", "auc"], "dataset", ("dataset", "task"))
    'task'
    """
    for name in names:
        if name in columns:
            return name
    raise BayescompareError(
        f"df has no column for the {role}: it is called {' or '.join(map(repr, names))}."
    )


def _tabarena_imputed_notes(table: pd.DataFrame) -> list[str]:
    """Say how many rows TabArena filled in with another method's results."""
    if "imputed" not in table:
        return []
    # A file has the word, a frame the boolean.
    number = int(table["imputed"].map(lambda flag: str(flag).lower() in ("true", "1", "1.0")).sum())
    return [f"{plural(number, 'row')} imputed by TabArena"] if number else []
