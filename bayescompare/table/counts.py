"""`ErrorCounts`: how often one algorithm was wrong where the other was right, by dataset."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.table.cells import check_stored
from bayescompare.table.checks import (
    check_notes,
    check_selection,
    names_in,
)
from bayescompare.table.frames import (
    check_frame,
    check_table_size,
    find_column,
    find_columns,
    frozen_data,
    row_names,
    row_words,
    spread,
)
from bayescompare.table.input import input_limits
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.table.words import describe_counts
from bayescompare.text.names import first_words, quoted_names, unknown_name
from bayescompare.text.numbers import count, setting_number_text

SCHEMA = "bayescompare.counts/1"

#: Name of the one measure that error counts have.
ERROR = "error"


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCounts(Results):
    """Test examples that one algorithm got wrong and another right.

    Build them by `from_frame` (counts of one pair) or `from_predictions` (every pair). They are
    also `Results` with the one measure ``"error"``: the error rate where the sizes of the test
    sets are known, else the number of examples that only this algorithm got wrong. So every
    method for one measure accepts them; ``"poisson-binomial"`` and ``"hierarchical"`` use the
    counts themselves.

    Parameters
    ----------
    counts : xarray.Dataset
        ``wrong_only`` over (dataset, algorithm, opponent): examples that the algorithm got wrong
        and the opponent right; ``wrong`` over (dataset, algorithm): all its errors; ``n`` over
        dataset: examples. The last two are NaN where they are not known.

    Examples
    --------
    >>> frame = pd.DataFrame({"task": ["a", "b"], "svm": [1, 2], "nn": [4, 3]})
    >>> counts = ErrorCounts.from_frame(
    ...     frame, dataset="task", first_wrong="svm", second_wrong="nn", algorithms=("svm", "nn")
    ... )
    >>> [only.tolist() for only in counts.pair("svm", "nn")]
    [[1.0, 2.0], [4.0, 3.0]]
    """

    counts: xr.Dataset = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        counts = check_counts(self.counts)
        names = names_in(counts, "dataset"), names_in(counts, "algorithm")
        if names != (self.datasets, self.algorithms):
            raise BayescompareError("counts and data must have the same datasets and algorithms.")
        vars(self).update(counts=counts)

    @classmethod
    def from_counts(
        cls, counts: xr.Dataset, *, source: str | None = None, notes: Sequence[str] = ()
    ) -> ErrorCounts:
        """Build from the dataset described above."""
        counts = check_counts(counts)
        spec = {ERROR: Measure("min", bounds=(0, None if counts["n"].isnull().any() else 1))}
        data = xr.Dataset({ERROR: _error_rates(counts)}).drop_vars("opponent", errors="ignore")
        return cls(data, spec, source=source, notes=check_notes(notes), counts=counts)

    # The public name is fixed, but the table differs from the one that Results.from_frame takes.
    @classmethod
    def from_frame(  # type: ignore[override]
        cls,
        df: pd.DataFrame,
        *,
        dataset: str = "dataset",
        first_wrong: str,
        second_wrong: str,
        both_wrong: str | None = None,
        n: str | None = None,
        algorithms: Sequence[str] = ("first", "second"),
        source: str | None = None,
    ) -> ErrorCounts:
        """Build from one row per dataset with the counts of one pair.

        Parameters
        ----------
        df : pandas.DataFrame
        dataset : str
            Column with the datasets' names.
        first_wrong, second_wrong : str
            Columns with the number of examples that only the first algorithm, and only the second,
            got wrong.
        both_wrong, n : str, optional
            Columns with the number that both got wrong, and with the number of examples. Testing
            which algorithm is better does not need them; bounds on the risks do.
        algorithms : pair of str
            Names of the first and the second.
        source : str, optional
            Where the counts came from.

        Raises
        ------
        BayescompareError
            If a column is absent, a dataset occurs twice, a count is negative, fractional or
            missing, or the counts of a dataset exceed its n.
        """
        check_frame(df)
        names = _two_names(algorithms)
        roles = {"first_wrong": first_wrong, "second_wrong": second_wrong}
        roles |= {k: c for k, c in (("both_wrong", both_wrong), ("n", n)) if c is not None}
        find_columns(df, roles, (), "count")
        columns = list(roles.values())
        cells = spread(df, {"dataset": dataset}, columns, what="count")
        datasets = cells["dataset"].values.tolist()
        counts = {c: whole_counts(cells[c].values, c, datasets) for c in columns}
        only = np.zeros((len(datasets), 2, 2))
        only[:, 0, 1], only[:, 1, 0] = counts[first_wrong], counts[second_wrong]
        unknown_count = np.full(len(datasets), np.nan)
        both = unknown_count if both_wrong is None else counts[both_wrong]
        total = unknown_count if n is None else counts[n]
        check_totals(only.sum(axis=(1, 2)) + np.nan_to_num(both), total, datasets)
        wrong = only.sum(axis=2) + both[:, None]
        return cls.from_counts(_dataset_of(only, wrong, total, datasets, names), source=source)

    @classmethod
    def from_predictions(
        cls,
        df: pd.DataFrame,
        *,
        dataset: str = "dataset",
        example: str = "example",
        algorithm: str = "algorithm",
        correct: str | None = None,
        y_true: str | None = None,
        y_pred: str | None = None,
        source: str | None = None,
        max_cells: int | None = None,
    ) -> ErrorCounts:
        """Build from one row per dataset, example and algorithm, for every pair at once.

        Parameters
        ----------
        df : pandas.DataFrame
        dataset, example, algorithm : str
            Columns with the names; names of examples must be unique within a dataset only.
        correct : str, optional
            Column with 0 and 1, or False and True.
        y_true, y_pred : str, optional
            Columns to compare instead of `correct`.
        source : str, optional
            Where the predictions came from.
        max_cells : int, optional
            The most counts that there may be, of datasets and pairs of algorithms. Default: 50
            million.

        Raises
        ------
        BayescompareError
            Also if some algorithm made no prediction for an example, which the message names.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": "iris", "example": [1, 2, 3] * 2, "algorithm": ["A"] * 3 + ["B"] * 3,
        ...     "y": ["u", "v", "v"] * 2, "guess": ["u", "u", "v", "v", "u", "u"],
        ... })
        >>> counts = ErrorCounts.from_predictions(frame, y_true="y", y_pred="guess")
        >>> [only.tolist() for only in counts.pair("A", "B")]
        [[0.0], [2.0]]
        """
        check_frame(df)
        roles = {"dataset": dataset, "example": example, "algorithm": algorithm}
        columns = find_columns(df, roles, (), "column")
        frame = pd.DataFrame({role: row_names(df[c], role) for role, c in columns.items()})
        frame["correct"] = correctness(df, correct, y_true, y_pred)
        if y_true is not None:
            truth = df[find_column(df, f"y_true={y_true!r}", y_true)]
            check_truth(frame[["dataset", "example"]], truth, y_true)
        names = list(dict.fromkeys(frame["algorithm"]))
        tasks = list(dict.fromkeys(frame["dataset"]))
        with input_limits(max_cells=max_cells):
            check_table_size({"dataset": tasks, "algorithm": names, "opponent": names}, 1, "count")
            missed = {
                str(task): _errors_of(str(task), rows, names)
                for task, rows in frame.groupby("dataset", sort=False)
            }
        only = np.stack([errors.T @ (1.0 - errors) for errors in missed.values()])
        wrong = np.stack([errors.sum(axis=0) for errors in missed.values()])
        sizes = np.array([float(len(errors)) for errors in missed.values()])
        return cls.from_counts(_dataset_of(only, wrong, sizes, list(missed), names), source=source)

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> ErrorCounts:
        """Build from the output of `to_dataset`, as read back from netCDF."""
        check_stored(dataset, SCHEMA, "ErrorCounts")
        try:
            facts = {key: json.loads(dataset.attrs[key]) for key in ("source", "notes")}
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise BayescompareError(f"dataset: not stored ErrorCounts ({error!r}).") from None
        return cls.from_counts(dataset.drop_attrs(), **facts)

    # what is in it -------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ErrorCounts):
            return NotImplemented
        return super().__eq__(other) is True and self.counts.equals(other.counts)

    def __repr__(self) -> str:
        return describe_counts(self)

    def pair(self, first: str, second: str) -> tuple[FloatArray, FloatArray]:
        """Return how many examples only the first, and only the second, got wrong, per dataset."""
        place = {name: k for k, name in enumerate(self.algorithms)}
        names: tuple[object, ...] = first, second
        for name in names:
            if not isinstance(name, str) or name not in place:
                raise BayescompareError(unknown_name("algorithm", name, self.algorithms))
        # Not as an array with coordinates, which takes longer than the test of a small pair.
        only = self.counts.variables["wrong_only"].values
        i, j = place[first], place[second]
        return only[:, i, j], only[:, j, i]

    def sel(
        self,
        *,
        algorithms: Iterable[str] | None = None,
        measures: Iterable[str] | None = None,
        datasets: Iterable[str] | None = None,
    ) -> ErrorCounts:
        """Return the selected part, in the order named; ``None`` keeps all."""
        chosen = super().sel(algorithms=algorithms, measures=measures, datasets=datasets)
        assert isinstance(chosen, ErrorCounts)
        if chosen is self:
            return self
        rows, columns = {name: k for k, name in enumerate(self.datasets)}, self.algorithms
        # An array, because indexing by a list takes xarray twice as long.
        kept = np.array([columns.index(name) for name in chosen.algorithms], dtype=np.intp)
        indexers: dict[str, object] = {"algorithm": kept, "opponent": kept}
        if datasets is not None:
            indexers["dataset"] = [rows[name] for name in chosen.datasets]
        vars(chosen).update(counts=frozen_data(self.counts.isel(indexers)))
        return chosen

    def to_dataset(self) -> xr.Dataset:
        """Return everything as one dataset that netCDF can hold; `from_dataset` reads it back."""
        facts = {"source": self.source, "notes": list(self.notes)}
        attrs = {key: json.dumps(fact) for key, fact in facts.items()}
        return self.counts.assign_attrs(schema=SCHEMA, **attrs)


def _two_names(algorithms: Sequence[str]) -> list[str]:
    argument: object = algorithms
    known = [str(name) for name in argument] if isinstance(argument, Iterable) else []
    names = check_selection("algorithms", algorithms, known)
    if len(names) != 2:
        raise BayescompareError(
            f"algorithms={algorithms!r}: name two algorithms, the first and the second."
        )
    return names


def _errors_of(task: str, rows: pd.DataFrame, names: Sequence[str]) -> FloatArray:
    """Return 1 where an algorithm got an example wrong, with shape (example, algorithm)."""
    roles = {"example": "example", "algorithm": "algorithm"}
    try:
        cells = spread(rows, roles, ["correct"], what="column")["correct"]
    except BayescompareError as error:
        raise BayescompareError(f"dataset {task!r}: {error}") from None
    check_paired(task, cells, names)
    errors: FloatArray = 1.0 - cells.sel(algorithm=list(names)).values
    return errors


def _dataset_of(
    only: FloatArray, wrong: FloatArray, n: FloatArray, datasets: list[str], names: list[str]
) -> xr.Dataset:
    parts = zip(_DIMS.items(), (only, wrong, n), strict=True)
    coords = {"dataset": datasets, "algorithm": names, "opponent": names}
    return xr.Dataset({name: (dims, values) for (name, dims), values in parts}, coords)


def _error_rates(counts: xr.Dataset) -> xr.DataArray:
    """Return each algorithm's error, up to a constant that cancels in differences."""
    known = not counts["wrong"].isnull().any()
    errors = counts["wrong"] if known else counts["wrong_only"].sum("opponent")
    return errors if counts["n"].isnull().any() else errors / counts["n"]


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
    coords = {dim: names_in(counts, dim) for dim in _DIMS["wrong_only"]}
    if coords["opponent"] != coords["algorithm"]:
        raise BayescompareError("counts: opponents and algorithms must have the same names.")
    variables = {
        name: (dims, counts[name].transpose(*dims).values.astype(np.float64))
        for name, dims in _DIMS.items()
    }
    only, wrong, n = (values for _, values in variables.values())
    _check_numbers(only, wrong, n, coords["dataset"])
    return frozen_data(xr.Dataset(variables, {dim: list(names) for dim, names in coords.items()}))


def _check_numbers(
    only: FloatArray, wrong: FloatArray, n: FloatArray, datasets: Sequence[str]
) -> None:
    """Check that all counts can come from one set of examples."""
    for name, values in (("wrong_only", only), ("wrong", wrong), ("n", n)):
        flat = values.reshape(len(datasets), -1)
        known = np.where(np.isnan(flat), 0.0, flat) if name != "wrong_only" else flat
        for column in known.T:
            whole_counts(column, name, datasets)
    if (n == 0).any():
        empty = [repr(datasets[k]) for k in np.flatnonzero(n == 0).tolist()]
        raise BayescompareError(f"n is 0 on {first_words(empty, 4)}: a test set needs examples.")
    alone = np.diagonal(only, axis1=1, axis2=2).max(axis=1)
    too_few = (only.max(axis=2) > np.where(np.isnan(wrong), np.inf, wrong)).any(axis=1)
    for wrong_there, fault in (
        (alone > 0, "wrong_only must be 0 for an algorithm against itself"),
        (too_few, "wrong is below wrong_only, though it counts those errors too"),
    ):
        if wrong_there.any():
            where = [repr(datasets[k]) for k in np.flatnonzero(wrong_there).tolist()]
            raise BayescompareError(f"counts on {first_words(where, 4)}: {fault}.")
    check_totals((only + only.transpose(0, 2, 1)).max(axis=(1, 2)), n, datasets)
    check_totals(np.nan_to_num(wrong).max(axis=1), n, datasets)


def whole_counts(values: FloatArray, column: str, datasets: Sequence[str]) -> FloatArray:
    """Check that counts are whole numbers, none missing, negative or too large for a float.

    Examples
    --------
    >>> whole_counts(np.array([2.0, 0.5]), "svm", ["iris", "wine"])
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
            f"column {column!r} is {first_words(faults, 4)}: counts are whole numbers >= 0 (and "
            "below 2^53)."
        )
    return values


def check_totals(errors: FloatArray, n: FloatArray, datasets: Sequence[str]) -> None:
    """Check that no dataset has more errors than examples; NaN means not known."""
    over = np.flatnonzero(errors > n).tolist()
    if over:
        faults = [f"{count(errors[k])} of {count(n[k])} on {str(datasets[k])!r}" for k in over]
        raise BayescompareError(
            f"more errors than examples: {first_words(faults, 4)}. n is the number of all examples "
            "of the test set."
        )


def check_paired(task: str, cells: xr.DataArray, names: Sequence[str]) -> None:
    """Check that every algorithm has a prediction for every example of a dataset."""
    absent = [name for name in names if name not in cells["algorithm"].values]
    if absent:
        raise BayescompareError(
            f"dataset {task!r} has no predictions by {quoted_names(absent)}: a paired test needs "
            "every algorithm on every example; leave out the dataset or the algorithm."
        )
    gaps = np.isnan(cells.values)
    if gaps.any():
        whose = cells["algorithm"].values
        faults = [
            f"{str(cells['example'].values[row])!r} (none by "
            f"{quoted_names(whose[gaps[row]].tolist(), 3)})"
            for row in np.flatnonzero(gaps.any(axis=1))
        ]
        raise BayescompareError(
            f"dataset {task!r} lacks predictions for some examples: {first_words(faults, 4)}. A "
            "paired test needs all algorithms on the same examples."
        )


def correctness(
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
        return _zero_one(df[find_column(df, f"correct={correct!r}", correct)], correct)
    truth, guess = (
        df[find_column(df, f"{argument}={name!r}", str(name))].astype(object)
        for argument, name in (("y_true", y_true), ("y_pred", y_pred))
    )
    for argument, column in (("y_true", truth), ("y_pred", guess)):
        if column.isna().any():
            raise BayescompareError(
                f"{argument} is missing in {first_words(row_words(column[column.isna()]), 4)}: "
                "every row needs one."
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


def _zero_one(column: pd.Series[Any], name: str) -> FloatArray:
    kinds = (bool, np.bool_)
    wrong = [not ((isinstance(v, kinds) or is_number(v)) and v in (0, 1)) for v in column]
    if any(wrong):
        faults = column[np.array(wrong)]
        raise BayescompareError(
            f"correct={name!r} holds {faults.tolist()[0]!r} in "
            f"{first_words(row_words(faults), 4)}: "
            "give 0 and 1 (or False and True), or y_true= and y_pred=."
        )
    return column.to_numpy(dtype=np.float64)
