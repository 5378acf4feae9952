"""What counts of errors and predictions must be to become `ErrorCounts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError
from bayescompare.frames import find_column, row_words
from bayescompare.results_checks import frozen
from bayescompare.results_text import first, quoted

__all__ = ["check_counts", "check_paired", "check_totals", "correctness", "whole_numbers"]

FloatArray = NDArray[np.float64]

_DIMS = {
    "wrong_only": ("dataset", "algorithm", "opponent"),
    "wrong": ("dataset", "algorithm"),
    "n": ("dataset",),
}


def check_counts(counts: object, datasets: Sequence[str], algorithms: Sequence[str]) -> xr.Dataset:
    """Return the counts in the one form that the rest of the package relies on."""
    if not isinstance(counts, xr.Dataset) or set(counts.data_vars) != set(_DIMS):
        raise BayescompareError(
            "counts must be an xarray.Dataset of wrong_only, wrong and n: use "
            "ErrorCounts.from_frame or ErrorCounts.from_predictions."
        )
    names = {"dataset": datasets, "algorithm": algorithms, "opponent": algorithms}
    coords = {dim: list(known) for dim, known in names.items()}
    for dim, known in coords.items():
        if counts[dim].values.tolist() != known:
            raise BayescompareError(f"counts: the names along {dim!r} are not those of the data.")
    variables = {
        name: (dims, counts[name].transpose(*dims).values.astype(np.float64))
        for name, dims in _DIMS.items()
    }
    only, wrong, n = (values for _, values in variables.values())
    cells = len(algorithms) ** 2
    whole_numbers(only.ravel(), "wrong_only", [name for name in datasets for _ in range(cells)])
    discordant = only + only.transpose(0, 2, 1)
    check_totals(discordant.max(axis=(1, 2)), n, coords["dataset"])
    check_totals(np.nan_to_num(wrong).max(axis=1), n, coords["dataset"])
    return frozen(xr.Dataset(variables, coords))


def whole_numbers(values: FloatArray, column: str, datasets: Sequence[str]) -> FloatArray:
    """Check counts: whole numbers, none missing, none negative.

    Examples
    --------
    >>> whole_numbers(np.array([2.0, 0.5]), "svm", ["iris", "wine"])
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: column 'svm' is 0.5 on 'wine': ...
    """
    wrong = ~(np.isfinite(values) & (values >= 0) & (values == np.round(values)))
    if wrong.any():
        faults = [f"{values[k]:g} on {str(datasets[k])!r}" for k in np.flatnonzero(wrong).tolist()]
        raise BayescompareError(
            f"column {column!r} is {first(faults, 4)}: counts are whole numbers >= 0."
        )
    return values


def check_totals(errors: FloatArray, n: FloatArray, datasets: Sequence[str]) -> None:
    """Check that no dataset has more examples in error than it has examples; NaN is not known."""
    over = np.flatnonzero(errors > n).tolist()
    if over:
        faults = [f"{errors[k]:g} of {n[k]:g} on {str(datasets[k])!r}" for k in over]
        raise BayescompareError(
            f"more examples that some algorithm got wrong than examples: {first(faults, 4)}. n is "
            "the number of all examples of the test set."
        )


def check_paired(task: str, cells: xr.DataArray, names: Sequence[str]) -> None:
    """Check that every algorithm judged every example of a dataset."""
    absent = [name for name in names if name not in cells["algorithm"].values]
    if absent:
        raise BayescompareError(
            f"dataset {task!r} has no predictions by {quoted(absent)}: a paired test needs every "
            "algorithm on every example; leave out the dataset or the algorithm."
        )
    gaps = np.isnan(cells.values)
    if gaps.any():
        whose = cells["algorithm"].values
        faults = [
            f"{str(cells['example'].values[row])!r} (not by {quoted(whose[gaps[row]].tolist(), 3)})"
            for row in np.flatnonzero(gaps.any(axis=1))
        ]
        raise BayescompareError(
            f"dataset {task!r} has examples that not every algorithm judged: {first(faults, 4)}. A "
            "paired test needs all algorithms on the same examples."
        )


def correctness(
    df: pd.DataFrame, correct: str | None, y_true: str | None, y_pred: str | None
) -> FloatArray:
    """1 where a prediction is right and 0 where it is wrong, row by row."""
    if (correct is None) == (y_true is None and y_pred is None) or (y_true is None) != (
        y_pred is None
    ):
        raise BayescompareError(
            f"correct={correct!r}, y_true={y_true!r}, y_pred={y_pred!r}: give correct=, or both "
            "y_true= and y_pred=."
        )
    if correct is not None:
        return _zero_one(df[find_column(df, f"correct={correct!r}", correct)], correct)
    truth, guess = (
        df[find_column(df, f"{argument}={name!r}", str(name))].astype(object)
        for argument, name in (("y_true", y_true), ("y_pred", y_pred))
    )
    for argument, column in (("y_true", truth), ("y_pred", guess)):
        if column.isna().any():
            raise BayescompareError(
                f"{argument} is missing in {first(row_words(column[column.isna()]), 4)}: every "
                "row needs one."
            )
    if {isinstance(v, str) for v in truth} != {isinstance(v, str) for v in guess}:
        # "1" is not 1, so that every prediction would be called wrong.
        raise BayescompareError(
            f"y_true={y_true!r} and y_pred={y_pred!r} are of different kinds, such as "
            f"{truth.iloc[0]!r} and {guess.iloc[0]!r}: text and numbers never agree; convert one."
        )
    return np.array([a == b for a, b in zip(truth, guess, strict=True)], dtype=np.float64)


def _zero_one(column: pd.Series[Any], name: str) -> FloatArray:
    wrong = [not (_is_number(v) and v in (0, 1)) for v in column]
    if any(wrong):
        faults = column[np.array(wrong)]
        raise BayescompareError(
            f"correct={name!r} holds {faults.iloc[0]!r} in {first(row_words(faults), 4)}: give 0 "
            "and 1 (or False and True), or y_true= and y_pred=."
        )
    return column.to_numpy(dtype=np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))
