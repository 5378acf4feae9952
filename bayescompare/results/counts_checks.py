"""Checks that counts of errors and predictions must pass to become `ErrorCounts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.results.checks import frozen_results_data, names_in_results
from bayescompare.results.frames import find_frame_column, frame_row_words
from bayescompare.results.text import first_words_in_results, quoted_names_in_results
from bayescompare.text.numbers import count, setting_number_text

__all__ = [
    "check_columns",
    "check_counts",
    "check_frame",
    "check_paired",
    "check_totals",
    "check_truth",
    "correctness_for_counts",
    "whole_error_counts",
]


#: Beyond this, floats cannot represent every whole number.
_MOST = 2.0**53

_DIMS = {
    "wrong_only": ("dataset", "algorithm", "opponent"),
    "wrong": ("dataset", "algorithm"),
    "n": ("dataset",),
}


def check_counts(counts: object) -> xr.Dataset:
    """Check counts and return them in the form that the rest of the package relies on."""
    if not isinstance(counts, xr.Dataset) or not set(_DIMS) <= set(counts.data_vars):
        raise BayescompareError(
            "counts must be an xarray.Dataset of wrong_only, wrong and n: use "
            "ErrorCounts.from_frame or ErrorCounts.from_predictions."
        )
    for name, dims in _DIMS.items():
        if set(counts[name].dims) != set(dims) or not set(dims) <= set(counts.coords):
            raise BayescompareError(
                f"counts[{name!r}] must have the dimensions {dims}, each with its names."
            )
    coords = {dim: names_in_results(counts, dim) for dim in _DIMS["wrong_only"]}
    if coords["opponent"] != coords["algorithm"]:
        raise BayescompareError("counts: opponents and algorithms must have the same names.")
    variables = {
        name: (dims, counts[name].transpose(*dims).values.astype(np.float64))
        for name, dims in _DIMS.items()
    }
    only, wrong, n = (values for _, values in variables.values())
    _check_numbers(only, wrong, n, coords["dataset"])
    return frozen_results_data(
        xr.Dataset(variables, {dim: list(names) for dim, names in coords.items()})
    )


def _check_numbers(
    only: FloatArray, wrong: FloatArray, n: FloatArray, datasets: Sequence[str]
) -> None:
    """Check that all counts can come from one set of examples."""
    for name, values in (("wrong_only", only), ("wrong", wrong), ("n", n)):
        flat = values.reshape(len(datasets), -1)
        known = np.where(np.isnan(flat), 0.0, flat) if name != "wrong_only" else flat
        for column in known.T:
            whole_error_counts(column, name, datasets)
    if (n == 0).any():
        empty = [repr(datasets[k]) for k in np.flatnonzero(n == 0).tolist()]
        raise BayescompareError(
            f"n is 0 on {first_words_in_results(empty, 4)}: a test set needs examples."
        )
    alone = np.diagonal(only, axis1=1, axis2=2).max(axis=1)
    too_few = (only.max(axis=2) > np.where(np.isnan(wrong), np.inf, wrong)).any(axis=1)
    for wrong_there, fault in (
        (alone > 0, "wrong_only must be 0 for an algorithm against itself"),
        (too_few, "wrong is below wrong_only, though it counts those errors too"),
    ):
        if wrong_there.any():
            where = [repr(datasets[k]) for k in np.flatnonzero(wrong_there).tolist()]
            raise BayescompareError(f"counts on {first_words_in_results(where, 4)}: {fault}.")
    check_totals((only + only.transpose(0, 2, 1)).max(axis=(1, 2)), n, datasets)
    check_totals(np.nan_to_num(wrong).max(axis=1), n, datasets)


def check_frame(df: object) -> None:
    """Refuse anything but a frame that has rows."""
    if not isinstance(df, pd.DataFrame):
        raise BayescompareError(
            f"df is a {type(df).__name__}: give a pandas DataFrame (polars and others have "
            "to_pandas())."
        )
    if df.empty:
        raise BayescompareError(f"df is empty: {len(df)} rows, {len(df.columns)} columns.")


def check_columns(df: pd.DataFrame, columns: Mapping[str, object]) -> None:
    """Check that every argument names a column, and no two the same."""
    taken: dict[object, str] = {}
    for argument, name in columns.items():
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise BayescompareError(f"{argument}={name!r}: name a column.")
        column = find_frame_column(df, f"{argument}={name!r}", str(name))
        if taken.setdefault(column, argument) != argument:
            raise BayescompareError(
                f"column {column!r} cannot be both {taken[column]}= and {argument}=: "
                "name two columns."
            )


def whole_error_counts(values: FloatArray, column: str, datasets: Sequence[str]) -> FloatArray:
    """Check that counts are whole numbers, none missing, negative or too large for a float.

    Examples
    --------
    >>> whole_error_counts(np.array([2.0, 0.5]), "svm", ["iris", "wine"])
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: column 'svm' is 0.5 on 'wine': ...
    """
    good = np.isfinite(values) & (values >= 0) & (values == np.round(values)) & (values < _MOST)
    if not good.all():
        faults = [
            f"{setting_number_text(values[k])} on {str(datasets[k])!r}"
            for k in np.flatnonzero(~good).tolist()
        ]
        raise BayescompareError(
            f"column {column!r} is {first_words_in_results(faults, 4)}: counts are whole numbers "
            ">= 0 (and below "
            "2^53)."
        )
    return values


def check_totals(errors: FloatArray, n: FloatArray, datasets: Sequence[str]) -> None:
    """Check that no dataset has more errors than examples; NaN means not known."""
    over = np.flatnonzero(errors > n).tolist()
    if over:
        faults = [f"{count(errors[k])} of {count(n[k])} on {str(datasets[k])!r}" for k in over]
        raise BayescompareError(
            f"more errors than examples: {first_words_in_results(faults, 4)}. n is the number of "
            "all examples of "
            "the test set."
        )


def check_paired(task: str, cells: xr.DataArray, names: Sequence[str]) -> None:
    """Check that every algorithm has a prediction for every example of a dataset."""
    absent = [name for name in names if name not in cells["algorithm"].values]
    if absent:
        raise BayescompareError(
            f"dataset {task!r} has no predictions by {quoted_names_in_results(absent)}: a paired "
            "test needs every "
            "algorithm on every example; leave out the dataset or the algorithm."
        )
    gaps = np.isnan(cells.values)
    if gaps.any():
        whose = cells["algorithm"].values
        faults = [
            f"{str(cells['example'].values[row])!r} (none by "
            f"{quoted_names_in_results(whose[gaps[row]].tolist(), 3)})"
            for row in np.flatnonzero(gaps.any(axis=1))
        ]
        raise BayescompareError(
            f"dataset {task!r} lacks predictions for some examples: "
            f"{first_words_in_results(faults, 4)}. A paired "
            "test needs all algorithms on the same examples."
        )


def correctness_for_counts(
    df: pd.DataFrame, correct: str | None, y_true: str | None, y_pred: str | None
) -> FloatArray:
    """Return 1 where a prediction is right and 0 where it is wrong, row by row."""
    if (correct is None) == (y_true is None and y_pred is None) or (y_true is None) != (
        y_pred is None
    ):
        raise BayescompareError(
            f"correct={correct!r}, y_true={y_true!r}, y_pred={y_pred!r}: give correct=, or both "
            "y_true= and y_pred=."
        )
    if correct is not None:
        return _zero_one_error_counts(
            df[find_frame_column(df, f"correct={correct!r}", correct)], correct
        )
    truth, guess = (
        df[find_frame_column(df, f"{argument}={name!r}", str(name))].astype(object)
        for argument, name in (("y_true", y_true), ("y_pred", y_pred))
    )
    for argument, column in (("y_true", truth), ("y_pred", guess)):
        if column.isna().any():
            raise BayescompareError(
                f"{argument} is missing in "
                f"{first_words_in_results(frame_row_words(column[column.isna()]), 4)}: every "
                "row needs one."
            )
    for one, other in zip(truth.tolist(), guess.tolist(), strict=True):
        if isinstance(one, str) != isinstance(other, str):
            # "1" is not 1, so every such prediction would count as wrong.
            raise BayescompareError(
                f"y_true={y_true!r} and y_pred={y_pred!r} have different types, such as {one!r} "
                f"and {other!r}: text and numbers never agree; convert one."
            )
    return np.array([a == b for a, b in zip(truth, guess, strict=True)], dtype=np.float64)


def check_truth(keys: pd.DataFrame, truth: pd.Series[Any], y_true: str) -> None:
    """Check that an example has the same true label for every algorithm."""
    labels: dict[tuple[str, str], Any] = {}
    rows = zip(keys["dataset"], keys["example"], truth.tolist(), strict=True)
    for task, example, label in rows:
        # Not a set of labels: a label may be a list.
        if labels.setdefault((task, example), label) != label:
            raise BayescompareError(
                f"y_true={y_true!r} has more than one value for example {example!r} of dataset "
                f"{task!r}: these are not the same example."
            )


def _zero_one_error_counts(column: pd.Series[Any], name: str) -> FloatArray:
    kinds = (bool, np.bool_)
    wrong = [not ((isinstance(v, kinds) or is_number(v)) and v in (0, 1)) for v in column]
    if any(wrong):
        faults = column[np.array(wrong)]
        raise BayescompareError(
            f"correct={name!r} holds {faults.tolist()[0]!r} in "
            f"{first_words_in_results(frame_row_words(faults), 4)}: "
            "give 0 and 1 (or False and True), or y_true= and y_pred=."
        )
    return column.to_numpy(dtype=np.float64)
