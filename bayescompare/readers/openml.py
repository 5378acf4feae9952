"""OpenML: the frame that ``openml.evaluations.list_evaluations`` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError, printable_error_text
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Repeats
from bayescompare.table.frames import (
    check_frame,
    distinct_columns,
    find_column,
    row_names,
    row_words,
)
from bayescompare.table.input import algorithm_labels
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words
from bayescompare.text.numbers import plural

#: OpenML's evaluation measures whose direction does not depend on the question.
_FUNCTIONS = records.directed(
    "predictive_accuracy area_under_roc_curve mean_weighted_area_under_roc_curve "
    "single_point_area_under_roc_curve f_measure mean_f_measure mean_weighted_f_measure kappa "
    "kb_relative_information_score mean_kononenko_bratko_information_score precision "
    "mean_precision mean_weighted_precision recall mean_recall mean_weighted_recall "
    "unweighted_recall weighted_recall correlation_coefficient",
    "mean_absolute_error root_mean_squared_error relative_absolute_error "
    "root_relative_squared_error average_cost total_cost unclassified_instance_count",
) | {
    name: Measure("min", bounds=(0, None), unit=unit)
    for unit, names in (
        ("s", "build_cpu_time run_cpu_time"),
        ("ms", "usercpu_time_millis usercpu_time_millis_training usercpu_time_millis_testing"),
        ("ms", "wall_clock_time_millis wall_clock_time_millis_training"),
        ("ms", "wall_clock_time_millis_testing"),
    )
    for name in names.split()
}


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
    check_frame(df)
    distinct_columns(df)
    # pandas.concat repeats the index; messages name rows by it.
    df = df.reset_index(drop=True)
    columns = {"dataset": dataset, "algorithm": algorithm, "run": "run_id", "function": "function"}
    labels = {
        role: find_column(df, f"{role}={name!r}", name)
        for role, name in {**columns, "value": "value"}.items()
    }
    frame = pd.DataFrame({role: row_names(df[labels[role]], role) for role in columns})
    frame["algorithm"] = algorithm_labels(frame["algorithm"])
    _check_one_task(frame["dataset"], df, dataset)
    names = frame["function"].unique().tolist()
    spec = records.select(measures, {name: _FUNCTIONS.get(name) for name in names}, names)
    kept = frame["function"].isin(list(spec))
    runs = _by_run(frame[kept].assign(value=_values(df[kept], labels["value"])))
    return records.settle_repeats(runs, spec, repeats, source=source)


def _check_one_task(datasets: pd.Series[Any], df: pd.DataFrame, column: str) -> None:
    """Refuse several tasks under one name: their splits differ, and sometimes their targets."""
    if "task_id" not in df or column == "task_id":
        return
    texts = [printable_error_text(str(task)) for task in df["task_id"]]
    tasks = pd.Series(texts, dtype=object)
    several = [
        f"{name!r} ({first_words(own.tolist())})"
        for name, own in tasks.groupby(datasets.to_numpy(), sort=False).unique().items()
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
    lists: pd.Series[Any] = df["values"]
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
