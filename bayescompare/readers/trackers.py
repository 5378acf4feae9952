"""Frames of experiment trackers, one row per run: MLflow's and OpenML's.

A run may be repeated, and the user says what that means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError, printable_error_text
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format
from bayescompare.table.cells import span_of, span_words
from bayescompare.table.checks import check_spec
from bayescompare.table.frames import check_frame, find_column, numbers_in, row_names, row_words
from bayescompare.table.input import algorithm_labels, check_distinct, loads_json
from bayescompare.table.measure import Direction, Measure, as_measures
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names, repeated_name
from bayescompare.text.numbers import plural

type Repeats = Literal["raise", "replicate", "mean"]
type Unfinished = Literal["raise", "drop"]

#: OpenML's evaluation measures whose direction does not depend on the question.
_OPENML = (
    records.directed(
        "predictive_accuracy area_under_roc_curve mean_weighted_area_under_roc_curve "
        "single_point_area_under_roc_curve f_measure mean_f_measure mean_weighted_f_measure kappa "
        "kb_relative_information_score mean_kononenko_bratko_information_score precision "
        "mean_precision mean_weighted_precision recall mean_recall mean_weighted_recall "
        "unweighted_recall weighted_recall correlation_coefficient",
        "mean_absolute_error root_mean_squared_error relative_absolute_error "
        "root_relative_squared_error average_cost total_cost unclassified_instance_count",
    )
    | records.costs("build_cpu_time run_cpu_time", "s")
    | records.costs(
        "usercpu_time_millis usercpu_time_millis_training usercpu_time_millis_testing "
        "wall_clock_time_millis wall_clock_time_millis_training wall_clock_time_millis_testing",
        "ms",
    )
)


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
    df, columns = _numbered_rows(df)
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
    bare = [name.removeprefix("metrics.") for name in named]
    if (twice := repeated_name(bare)) is not None:
        raise BayescompareError(f"measures names {twice!r} twice, with and without 'metrics.'.")
    spec = check_spec(dict(zip(bare, named.values(), strict=True)))
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
    return _results(frame, spec, repeats, source, notes)


def from_openml(
    df: pd.DataFrame,
    *,
    measures: Chosen | None = None,
    dataset: str = "data_name",
    algorithm: str = "flow_name",
    repeats: Repeats = "raise",
    source: str = "OpenML evaluations",
) -> Results:
    """Build results from evaluations of runs on OpenML.

    Parameters
    ----------
    df : pandas.DataFrame
        ``openml.evaluations.list_evaluations(..., output_format="dataframe")``, or
        ``list_evaluations_setups``; frames of several functions one below the other
        (`pandas.concat`). With ``per_fold=True`` the folds are replicates.
    measures : mapping or iterable of str, optional
        OpenML's names of functions; by default all there are. Which way is better is known for
        the usual ones.
    dataset, algorithm : str
        The columns with the names: ``"task_id"`` distinguishes several tasks on one dataset,
        ``"setup_id"`` several settings of one flow.
    repeats : {"raise", "replicate", "mean"}
        What to do about several runs of an algorithm on a dataset: refuse them, keep them apart as
        replicates, or average them.
    source : str
        Where the evaluations came from.

    Returns
    -------
    Results
        An ``=`` in the name of a flow, as in pipelines, becomes ``:``.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "run_id": [1, 2], "task_id": 59, "flow_name": ["SVC(1)", "Tree(1)"],
    ...     "data_name": "iris", "function": "predictive_accuracy", "value": [0.95, 0.94],
    ... })
    >>> from_openml(frame).sel(algorithms=["Tree(1)"]).values()
    array([[[0.94]]])
    """
    df, _ = _numbered_rows(df)
    columns = {"dataset": dataset, "algorithm": algorithm, "run": "run_id", "function": "function"}
    labels = {
        role: find_column(df, f"{role}={name!r}", name)
        for role, name in {**columns, "value": "value"}.items()
    }
    frame = pd.DataFrame({role: row_names(df[labels[role]], role) for role in columns})
    frame["algorithm"] = algorithm_labels(frame["algorithm"])
    if "task_id" in df and dataset != "task_id":
        _check_one_task(frame["dataset"], df["task_id"], dataset)
    names = frame["function"].unique().tolist()
    spec = records.select(measures, {name: _OPENML.get(name) for name in names}, names)
    kept = frame["function"].isin(list(spec))
    runs = _by_run(frame[kept].assign(value=_values(df[kept], labels["value"])))
    return _results(runs, spec, repeats, source)


def _numbered_rows(df: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Number the rows, which messages name: pandas.concat repeats the index."""
    check_frame(df)
    return df.reset_index(drop=True), check_distinct(df.columns)


# repeated runs ------------------------------------------------------------------------------------


def _results(
    runs: pd.DataFrame,
    spec: Mapping[str, Measure],
    repeats: Repeats,
    source: str,
    notes: tuple[str, ...] = (),
) -> Results:
    """Build results from one row per run, or per fold of a run.

    Several runs of a cell are refused, numbered as replicates, or averaged over those that have a
    value; a note then says how many have none.
    """
    check_word("repeats", repeats, ("raise", "replicate", "mean"))
    measured = list(spec)
    runs = runs.assign(**{name: numbers_in(runs[name], f"measure {name!r}") for name in spec})
    cell = [role for role in ("dataset", "algorithm", "replicate") if role in runs]
    groups = runs.groupby(cell, sort=False)
    sizes = groups.size()
    several, averaged = sizes[sizes > 1], None
    if len(several) and repeats == "raise":
        words = [f"{n} of {key[1]!r} on {key[0]!r}" for key, n in several.items()]  # type: ignore[index]
        raise BayescompareError(
            f"{plural(len(words), 'cell')} with more than one run: {first_words(words, 4)}. Use "
            "repeats='replicate' to keep them apart, or repeats='mean' to average them."
        )
    if len(several) and repeats == "mean":
        # A cell without any value has no mean; if no cell has a value, nothing was averaged.
        counts = [int(n) for n in groups[measured].count().to_numpy().ravel() if n] or [0]
        averaged = span_of(counts, "run")
        notes = (*notes, f"each cell is the mean of {span_words(counts, 'run')}")
        failed = int(runs[measured].isna().any(axis=1).sum())
        if failed:
            notes = (*notes, f"{plural(failed, 'run')} without a value left out")
        runs = groups[measured].agg(_mean).reset_index()
    elif len(several):
        folds = "." + runs["replicate"] if "replicate" in runs else ""
        runs = runs.assign(replicate=(groups.cumcount() + 1).astype(str) + folds)
    replicate = "replicate" if "replicate" in runs else None
    results = Results.from_frame(runs, replicate=replicate, measures=spec, source=source)
    return results._with(notes=notes, averaged=averaged)


def _mean(column: pd.Series[Any]) -> float:
    present = column.dropna()
    return sum(present.tolist()) / len(present) if len(present) else math.nan


# OpenML's functions and folds ---------------------------------------------------------------------


def _check_one_task(datasets: pd.Series[Any], tasks: pd.Series[Any], column: str) -> None:
    """Refuse several tasks under one name: their splits differ, and sometimes their targets."""
    texts = pd.Series([printable_error_text(str(task)) for task in tasks], dtype=object)
    several = [
        f"{name!r} ({first_words(own.tolist())})"
        for name, own in texts.groupby(datasets.to_numpy(), sort=False).unique().items()
        if len(own) > 1
    ]
    if several:
        raise BayescompareError(
            f"dataset={column!r} gives several tasks the same name: {first_words(several, 4)}. Use "
            "dataset='task_id', or keep one task of each dataset."
        )


def _are_lists(values: pd.Series[Any]) -> pd.Series[bool]:
    return values.map(lambda own: isinstance(own, list)).astype(bool)


def _values(df: pd.DataFrame, column: Any) -> pd.Series[Any]:
    """Return each row's value or, for evaluations per fold, its list of values."""
    values: pd.Series[Any] = df[column]
    if "values" not in df:
        return values
    # In a file a list is its text.
    lists: pd.Series[Any] = df["values"].map(
        lambda own: loads_json(own) if isinstance(own, str) and own.startswith("[") else own
    )
    if values.notna().any():
        folds = lists[values.isna() & _are_lists(lists)]
        if not folds.empty:
            raise BayescompareError(
                f"{first_words(row_words(folds), 4)} with a list of values per fold, beside rows "
                "with one value: read the two apart."
            )
        return values
    wrong = lists[[not (isinstance(own, list) and own) for own in lists]]
    if not wrong.empty:
        raise BayescompareError(
            f"no value and no list of values in {first_words(row_words(wrong), 4)}: leave out such "
            "rows, or list the evaluations again with per_fold=True."
        )
    return lists


def _by_run(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the functions side by side: one row per run, or per fold of a run."""
    keys = ["dataset", "algorithm", "run"]
    lists = _are_lists(frame["value"])
    if lists.any() and not lists.all():
        raise BayescompareError(
            f"{first_words(row_words(frame['value'][lists]), 4)} with a list as value, beside rows "
            "with a number: give a number in each."
        )
    if lists.any():
        _check_same_folds(frame)
        frame["replicate"] = [[str(k + 1) for k in range(len(own))] for own in frame["value"]]
        frame = frame.explode(["value", "replicate"])
        keys.append("replicate")
    twice = frame[frame.duplicated([*keys, "function"])]
    if not twice.empty:
        raise BayescompareError(
            f"run {twice['run'].iloc[0]} has {twice['function'].iloc[0]!r} more than once: remove "
            "the duplicate rows."
        )
    wide = frame.pivot(index=keys, columns="function", values="value")
    # pivot sorts its rows; the merge restores the order of the names.
    return frame[keys].drop_duplicates().merge(wide.reset_index(), on=keys)


def _check_same_folds(frame: pd.DataFrame) -> None:
    """Refuse runs on one dataset with different numbers of folds, which cannot be paired."""
    firsts: dict[str, tuple[str, int]] = {}
    for dataset, run, values in zip(frame["dataset"], frame["run"], frame["value"], strict=True):
        other, size = firsts.setdefault(dataset, (run, len(values)))
        if size != len(values):
            raise BayescompareError(
                f"on {dataset!r} run {other} has {plural(size, 'fold')} and run {run} "
                f"{len(values)}, so that the folds cannot be paired: leave out one."
            )


FORMATS = {
    "mlflow": Format(
        "runs of MLflow", from_mlflow, columns=frozenset({"run_id", "experiment_id", "status"})
    ),
    "openml": Format(
        "evaluations of OpenML",
        from_openml,
        columns=frozenset({"run_id", "task_id", "flow_name", "data_name", "function", "value"}),
    ),
}
