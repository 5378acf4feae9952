"""`ErrorCounts`: how often one algorithm was wrong where the other was right, by dataset."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._input import input_limits
from bayescompare._typing import FloatArray
from bayescompare.results.checks import (
    check_notes,
    check_selection,
    frozen_results_data,
    names_in_results,
)
from bayescompare.results.counts_checks import (
    check_columns,
    check_counts,
    check_frame,
    check_paired,
    check_totals,
    check_truth,
    correctness_for_counts,
    whole_error_counts,
)
from bayescompare.results.frames import (
    check_table_size,
    find_frame_column,
    frame_row_names,
    spread_frame,
)
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.results.text import describe_results_counts, unknown_name_in_results

__all__ = ["ErrorCounts"]


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
        names = names_in_results(counts, "dataset"), names_in_results(counts, "algorithm")
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
        data = xr.Dataset({ERROR: _error_from_error_counts(counts)}).drop_vars(
            "opponent", errors="ignore"
        )
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
        names = _two_error_counts_names(algorithms)
        roles = {"first_wrong": first_wrong, "second_wrong": second_wrong}
        roles |= {k: c for k, c in (("both_wrong", both_wrong), ("n", n)) if c is not None}
        check_columns(df, roles)
        columns = list(roles.values())
        cells = spread_frame(df, {"dataset": dataset}, columns, what="count")
        datasets = cells["dataset"].values.tolist()
        counts = {c: whole_error_counts(cells[c].values, c, datasets) for c in columns}
        only = np.zeros((len(datasets), 2, 2))
        only[:, 0, 1], only[:, 1, 0] = counts[first_wrong], counts[second_wrong]
        unknown_count = np.full(len(datasets), np.nan)
        both = unknown_count if both_wrong is None else counts[both_wrong]
        total = unknown_count if n is None else counts[n]
        check_totals(only.sum(axis=(1, 2)) + np.nan_to_num(both), total, datasets)
        wrong = only.sum(axis=2) + both[:, None]
        return cls.from_counts(
            _error_counts_dataset(only, wrong, total, datasets, names), source=source
        )

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
        columns = {
            role: find_frame_column(df, f"{role}={name!r}", name)
            for role, name in (("dataset", dataset), ("example", example), ("algorithm", algorithm))
        }
        frame = pd.DataFrame({role: frame_row_names(df[c], role) for role, c in columns.items()})
        frame["correct"] = correctness_for_counts(df, correct, y_true, y_pred)
        if y_true is not None:
            truth = df[find_frame_column(df, f"y_true={y_true!r}", y_true)]
            check_truth(frame[["dataset", "example"]], truth, y_true)
        names = list(dict.fromkeys(frame["algorithm"]))
        tasks = list(dict.fromkeys(frame["dataset"]))
        with input_limits(max_cells=max_cells):
            check_table_size({"dataset": tasks, "algorithm": names, "opponent": names}, 1, "count")
            missed = {
                str(task): _error_counts_examples(str(task), rows, names)
                for task, rows in frame.groupby("dataset", sort=False)
            }
        only = np.stack([errors.T @ (1.0 - errors) for errors in missed.values()])
        wrong = np.stack([errors.sum(axis=0) for errors in missed.values()])
        sizes = np.array([float(len(errors)) for errors in missed.values()])
        return cls.from_counts(
            _error_counts_dataset(only, wrong, sizes, list(missed), names), source=source
        )

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> ErrorCounts:
        """Build from the output of `to_dataset`, as read back from netCDF."""
        argument: object = dataset
        if not isinstance(argument, xr.Dataset):
            raise BayescompareError(
                f"dataset is a {type(argument).__name__}: give the output of "
                "ErrorCounts.to_dataset()."
            )
        schema = dataset.attrs.get("schema")
        if schema != SCHEMA:
            raise BayescompareError(
                f"dataset.attrs['schema'] is {schema!r}, not {SCHEMA!r}: "
                "only the output of ErrorCounts.to_dataset() can be read back."
            )
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
        return describe_results_counts(self)

    def pair(self, first: str, second: str) -> tuple[FloatArray, FloatArray]:
        """Return how many examples only the first, and only the second, got wrong, per dataset."""
        place = {name: k for k, name in enumerate(self.algorithms)}
        names: tuple[object, ...] = first, second
        for name in names:
            if not isinstance(name, str) or name not in place:
                raise BayescompareError(unknown_name_in_results("algorithm", name, self.algorithms))
        only = self.counts["wrong_only"].values
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
        rows, columns = {name: k for k, name in enumerate(self.datasets)}, self.algorithms
        kept = [columns.index(name) for name in chosen.algorithms]
        indexers = {"algorithm": kept, "opponent": kept}
        if datasets is not None:
            indexers["dataset"] = [rows[name] for name in chosen.datasets]
        vars(chosen).update(counts=frozen_results_data(self.counts.isel(indexers)))
        return chosen

    def to_dataset(self) -> xr.Dataset:
        """Return everything as one dataset that netCDF can hold; `from_dataset` reads it back."""
        facts = {"source": self.source, "notes": list(self.notes)}
        attrs = {key: json.dumps(fact) for key, fact in facts.items()}
        return self.counts.assign_attrs(schema=SCHEMA, **attrs)


def _two_error_counts_names(algorithms: Sequence[str]) -> list[str]:
    argument: object = algorithms
    known = [str(name) for name in argument] if isinstance(argument, Iterable) else []
    names = check_selection("algorithms", algorithms, known)
    if len(names) != 2:
        raise BayescompareError(
            f"algorithms={algorithms!r}: name two algorithms, the first and the second."
        )
    return names


def _error_counts_examples(task: str, rows: pd.DataFrame, names: Sequence[str]) -> FloatArray:
    """Return 1 where an algorithm got an example wrong, with shape (example, algorithm)."""
    roles = {"example": "example", "algorithm": "algorithm"}
    try:
        cells = spread_frame(rows, roles, ["correct"], what="column")["correct"]
    except BayescompareError as error:
        raise BayescompareError(f"dataset {task!r}: {error}") from None
    check_paired(task, cells, names)
    errors: FloatArray = 1.0 - cells.sel(algorithm=list(names)).values
    return errors


def _error_counts_dataset(
    only: FloatArray, wrong: FloatArray, n: FloatArray, datasets: list[str], names: list[str]
) -> xr.Dataset:
    return xr.Dataset(
        {
            "wrong_only": (("dataset", "algorithm", "opponent"), only),
            "wrong": (("dataset", "algorithm"), wrong),
            "n": (("dataset",), n),
        },
        {"dataset": datasets, "algorithm": names, "opponent": names},
    )


def _error_from_error_counts(counts: xr.Dataset) -> xr.DataArray:
    """Return each algorithm's error, up to a constant that cancels in differences."""
    known = not counts["wrong"].isnull().any()
    errors = counts["wrong"] if known else counts["wrong_only"].sum("opponent")
    return errors if counts["n"].isnull().any() else errors / counts["n"]
