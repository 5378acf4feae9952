"""TabArena: frames of results with one row per method, task and split."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import COUNT, SECONDS, Chosen, Format
from bayescompare.table.frames import as_pandas, distinct_columns, row_names
from bayescompare.table.input import algorithm_labels
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

_OWN = frozenset({"metric_error", "time_train_s", "time_infer_s"})
_COLUMNS = {
    "metric_error": COUNT,
    "metric_error_val": COUNT,
    "time_train_s": SECONDS,
    "time_infer_s": SECONDS,
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
    algorithm = _first_of(columns, "algorithm", ("method", "framework"))
    dataset = _first_of(columns, "dataset", ("dataset", "task", "tid"))
    splits = [name for name in ("fold", "seed", "split", "repeat") if name in columns]
    records.one_metric_each(table, dataset, "metric_error")
    known = {name: kind for name, kind in _COLUMNS.items() if name in columns}
    spec = records.select(measures, known, ["metric_error"])
    names = pd.Series(row_names(table[algorithm], "algorithm"), index=table.index)
    if not splits:
        records.one_row_each(row_names(table[dataset], "dataset"), names)
    results = Results.from_frame(
        table.assign(**{algorithm: algorithm_labels(names)}),
        dataset=dataset,
        algorithm=algorithm,
        replicate=splits[0] if splits else None,
        measures=spec,
        source=source,
    )
    # What TabArena filled in with another method's results; a file has the word for the boolean.
    imputed = table.get("imputed", pd.Series(dtype=object)).astype(str).str.lower()
    number = int(imputed.isin(("true", "1", "1.0")).sum())
    notes = [f"{plural(number, 'row')} imputed by TabArena"] if number else []
    return results._with(notes=(*results.notes, *notes))


def _first_of(columns: Iterable[str], role: str, names: tuple[str, ...]) -> str:
    for name in names:
        if name in columns:
            return name
    raise BayescompareError(
        f"df has no column for the {role}: it is called {' or '.join(map(repr, names))}."
    )


FORMAT = Format("a table of TabArena", from_tabarena, columns=_OWN)
