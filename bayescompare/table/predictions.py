"""`read_errors` and `read_predictions`: counts of paired errors from files."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

import pandas as pd

from bayescompare._checks import check_path, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.files import Format, parse_table, truth_of_words
from bayescompare.table.input import input_limits

__all__ = ["read_errors", "read_predictions"]


def read_errors(
    path: str | os.PathLike[str],
    *,
    first_wrong: str,
    second_wrong: str,
    both_wrong: str | None = None,
    n: str | None = None,
    algorithms: Sequence[str] | None = None,
    dataset: str = "dataset",
    format: Format | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
) -> ErrorCounts:
    r"""Read counts of paired errors: one row per dataset, as for `ErrorCounts.from_frame`.

    Parameters
    ----------
    path : str or path-like
        A csv, tsv, json, jsonl, parquet or xlsx file, which may be compressed.
    first_wrong, second_wrong, both_wrong, n, dataset : str
        The columns.
    algorithms : pair of str, optional
        The algorithms' names; by default those of the first two columns.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "xlsx"}, optional
        By default what the file's suffix says.
    max_cells, max_bytes : int, optional
        As for `read_results`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "errors.csv"
    >>> _ = path.write_text("dataset,svm,nn\niris,3,5\nwine,0,2\n")
    >>> read_errors(path, first_wrong="svm", second_wrong="nn").algorithms
    ('svm', 'nn')
    """
    file = _predictions_file(path)
    _check_predictions_file_columns(
        dataset=dataset,
        first_wrong=first_wrong,
        second_wrong=second_wrong,
        both_wrong=both_wrong,
        n=n,
    )
    try:
        with input_limits(max_cells=max_cells, max_bytes=max_bytes):
            return ErrorCounts.from_frame(
                parse_table(file, format, names={dataset}),
                dataset=dataset,
                first_wrong=first_wrong,
                second_wrong=second_wrong,
                both_wrong=both_wrong,
                n=n,
                algorithms=(first_wrong, second_wrong) if algorithms is None else algorithms,
                source=str(path),
            )
    except BayescompareError as error:
        raise BayescompareError(f"{file}: {error}") from None


def read_predictions(
    path: str | os.PathLike[str],
    *,
    correct: str | None = None,
    y_true: str | None = None,
    y_pred: str | None = None,
    dataset: str = "dataset",
    example: str = "example",
    algorithm: str = "algorithm",
    format: Format | None = None,
    max_cells: int | None = None,
    max_bytes: int | None = None,
) -> ErrorCounts:
    r"""Read predictions: one row per dataset, example and algorithm, for every pair at once.

    Parameters
    ----------
    path : str or path-like
        A csv, tsv, json, jsonl, parquet or xlsx file, which may be compressed.
    correct, y_true, y_pred, dataset, example, algorithm : str
        The columns, as for `ErrorCounts.from_predictions`. Labels are compared as written.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "xlsx"}, optional
        By default what the file's suffix says.
    max_cells, max_bytes : int, optional
        As for `read_results`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "predictions.csv"
    >>> _ = path.write_text(
    ...     "dataset,example,algorithm,correct\niris,1,A,true\niris,1,B,false\n"
    ... )
    >>> [only.tolist() for only in read_predictions(path, correct="correct").pair("A", "B")]
    [[0.0], [1.0]]
    """
    file = _predictions_file(path)
    _check_predictions_file_columns(correct=correct, y_true=y_true, y_pred=y_pred)
    _check_predictions_file_columns(dataset=dataset, example=example, algorithm=algorithm)
    labels = [column for column in (y_true, y_pred) if column is not None]
    try:
        with input_limits(max_cells=max_cells, max_bytes=max_bytes):
            table = parse_table(file, format, names={dataset, example, algorithm, *labels})
            return ErrorCounts.from_predictions(
                _truth_of_predictions_file(table, [] if correct is None else [correct]),
                dataset=dataset,
                example=example,
                algorithm=algorithm,
                correct=correct,
                y_true=y_true,
                y_pred=y_pred,
                source=str(path),
            )
    except BayescompareError as error:
        raise BayescompareError(f"{file}: {error}") from None


def _truth_of_predictions_file(table: pd.DataFrame, columns: Collection[str]) -> pd.DataFrame:
    """Convert the words true and false, which stand for booleans in a text file."""
    there = [column for column in columns if column in table]
    return table.assign(**{column: truth_of_words(table[column]) for column in there})


def _predictions_file(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"path is a {type(path).__name__}: give the path of a file; for a DataFrame use "
            "ErrorCounts.from_frame or .from_predictions."
        )
    return check_path(path)


def _check_predictions_file_columns(**columns: object) -> None:
    for argument, column in columns.items():
        if not (column is None or isinstance(column, str)):
            raise BayescompareError(
                f"{argument}={show_checked_value(column)}: give a column's name, a string."
            )
