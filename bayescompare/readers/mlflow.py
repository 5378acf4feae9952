"""MLflow: the frame that ``mlflow.search_runs`` returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import Repeats, settle_repeats
from bayescompare.table.checks import check_spec
from bayescompare.table.frames import (
    check_frame,
    distinct_columns,
    find_column,
    row_names,
    row_words,
)
from bayescompare.table.input import algorithm_labels
from bayescompare.table.measure import Direction, Measure, as_measures
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names, repeated_name
from bayescompare.text.numbers import plural

type Unfinished = Literal["raise", "drop"]


def from_mlflow(
    df: pd.DataFrame,
    *,
    measures: Mapping[str, Direction | Measure],
    dataset: str = "tags.dataset",
    algorithm: str = "params.model",
    replicate: str | None = None,
    repeats: Repeats = "raise",
    unfinished: Unfinished = "raise",
    source: str = "MLflow runs",
) -> Results:
    """Build results from the runs of MLflow experiments.

    Parameters
    ----------
    df : pandas.DataFrame
        ``mlflow.search_runs(...)``.
    measures : mapping of str to {"max", "min"} or Measure
        The metrics, with or without ``metrics.`` before their names; MLflow does not know which
        way is better.
    dataset, algorithm : str
        The columns with the names of datasets and algorithms, as in ``"tags.dataset"`` or
        ``"params.model"``.
    replicate : str, optional
        The column that distinguishes folds or seeds, as in ``"params.seed"``.
    repeats : {"raise", "replicate", "mean"}
        What to do about several runs that agree in the columns above: refuse them, keep them
        apart as replicates, or average them.
    unfinished : {"raise", "drop"}
        What to do about runs whose status is not FINISHED: refuse them, or leave them out.
    source : str
        Where the runs came from.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "status": "FINISHED", "metrics.auc": [0.9, 0.8], "params.model": ["svm", "tree"],
    ...     "tags.dataset": "iris",
    ... })
    >>> from_mlflow(runs, measures={"auc": "max"}).algorithms
    ('svm', 'tree')
    """
    check_frame(df)
    columns = distinct_columns(df)
    # pandas.concat repeats the index; messages name rows by it.
    df = df.reset_index(drop=True)
    check_word("unfinished", unfinished, ("raise", "drop"))
    if "status" not in columns or not any(name.startswith("metrics.") for name in columns):
        raise BayescompareError(
            "df lacks the column status or any called metrics.…: either it does not come from "
            "mlflow.search_runs(), or no run logged a metric; its columns are "
            f"{quoted_names(columns, 8)}."
        )
    runs, others = df[df["status"] == "FINISHED"], df["status"][df["status"] != "FINISHED"]
    if runs.empty:
        raise BayescompareError(f"none of the {plural(len(df), 'run')} is FINISHED.")
    if unfinished == "raise" and not others.empty:
        words = [f"{row} is {s}" for row, s in zip(row_words(others), others, strict=True)]
        raise BayescompareError(
            f"some runs are not FINISHED: {first_words(words, 4)}. Use unfinished='drop' to leave "
            "them out."
        )
    named = as_measures(measures)
    twice = repeated_name([name.removeprefix("metrics.") for name in named])
    if twice is not None:
        raise BayescompareError(f"measures names {twice!r} twice, with and without 'metrics.'.")
    spec = check_spec({name.removeprefix("metrics."): kind for name, kind in named.items()})
    metrics = {n: find_column(df, f"measures[{n!r}]", f"metrics.{n}") for n in spec}
    roles = {"dataset": dataset, "algorithm": algorithm, "replicate": replicate}
    given = {role: name for role, name in roles.items() if name is not None}
    labels = {role: find_column(df, f"{role}={name!r}", name) for role, name in given.items()}
    frame = pd.DataFrame(
        {role: row_names(runs[column], role) for role, column in labels.items()}, index=runs.index
    )
    frame["algorithm"] = algorithm_labels(frame["algorithm"])
    frame = frame.assign(**{name: runs[column] for name, column in metrics.items()})
    notes = (f"{plural(len(others), 'unfinished run')} left out",) if len(others) else ()
    return settle_repeats(frame, spec, repeats, source=source, notes=notes)
