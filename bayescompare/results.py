"""`Results`: a table of measured performance that knows what it holds."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError, closest
from bayescompare.frames import spread
from bayescompare.measures import Direction, Measure
from bayescompare.results_checks import (
    RESERVED,
    check_data,
    check_notes,
    check_selection,
    check_spec,
    dims_of,
    frozen,
    names_of,
)
from bayescompare.results_stored import store, stored
from bayescompare.results_text import (
    describe,
    missing_words,
    nothing_left_words,
    plural,
    quoted,
    unknown,
)

__all__ = ["RESERVED", "Results"]

type FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """How well each algorithm did on each dataset, by one or more measures.

    Parameters
    ----------
    data : xarray.Dataset
        Dimensions ``dataset`` and ``algorithm``, optionally ``replicate``, each with its names as
        coordinate; one numeric variable per measure. A missing cell is NaN.
    spec : mapping of str to Measure
        What each variable of `data` is. Its order is the order of the measures.
    source : str, optional
        Where the table came from.
    notes : tuple of str
        What was done to the table since, in words.

    See Also
    --------
    Results.from_frame : from a long pandas table, the usual way.
    bayescompare.read_results : from a file.
    """

    data: xr.Dataset
    spec: Mapping[str, Measure]
    source: str | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        spec, notes = check_spec(self.spec), check_notes(self.notes)
        vars(self).update(data=check_data(self.data, spec), spec=spec, notes=notes)
        if not (self.source is None or isinstance(self.source, str)):
            raise BayescompareError(f"source={self.source!r}: give a string, or None.")

    def _with(self, **parts: Any) -> Results:
        """Return these results with parts that are valid because of where they come from.

        Nothing is checked again: `pairwise` selects from one table thousands of times.
        """
        new = copy.copy(self)
        vars(new).update(parts)
        return new

    @classmethod
    def from_frame(
        cls,
        df: pd.DataFrame,
        *,
        dataset: str = "dataset",
        algorithm: str = "algorithm",
        replicate: str | None = None,
        measures: Mapping[str, Direction | Measure],
        source: str | None = None,
    ) -> Results:
        """Build from a long table: one row per dataset and algorithm (and replicate).

        Parameters
        ----------
        df : pandas.DataFrame
            The table. Columns not named below are ignored.
        dataset, algorithm : str
            The columns with the names; names become strings, in order of first appearance.
        replicate : str, optional
            The column that tells folds, seeds or repetitions apart.
        measures : mapping of str to {"max", "min"} or Measure
            The columns with the values, and which way is better.
        source : str, optional
            Where the table came from.

        Raises
        ------
        BayescompareError
            When a column is absent or used twice, a name is missing or ambiguous, a row is there
            twice, or a value is infinite, out of bounds or not a number. NaN is a missing cell.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "data": ["iris", "iris"], "method": ["A", "B"], "seconds": [1.5, 0.5],
        ... })
        >>> Results.from_frame(
        ...     frame, dataset="data", algorithm="method", measures={"seconds": "min"}
        ... ).algorithms
        ('A', 'B')
        """
        spec = check_spec(measures)
        roles = {"dataset": dataset, "algorithm": algorithm}
        if replicate is not None:
            roles["replicate"] = replicate
        return cls(spread(df, roles, spec), spec, source=source)

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> Results:
        """Build from what `to_dataset` made, as read back from netCDF."""
        return cls(**stored(dataset))

    # ----------------------------------------------------------------------------- what is in it

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, in the order given."""
        return names_of(self.data, "dataset")

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, in the order given."""
        return names_of(self.data, "algorithm")

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in the order given."""
        return tuple(self.spec)

    @property
    def n_replicates(self) -> int | None:
        """How many replicates a cell has, or None when each cell is one number."""
        return self.data.sizes.get("replicate")

    def __getitem__(self, measure: str) -> Measure:
        if measure not in self:
            raise BayescompareError(unknown("measure", measure, self.measures))
        return self.spec[measure]

    def __contains__(self, measure: object) -> bool:
        """Whether there is a measure of this name."""
        return isinstance(measure, str) and measure in self.spec

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the measures, as `results[name]` takes them."""
        return iter(self.spec)

    def __eq__(self, other: object) -> bool:
        # Counts of errors are more than their error rates.
        if not isinstance(other, Results) or type(other) is not type(self):
            return NotImplemented
        return (
            list(self.spec.items()) == list(other.spec.items())
            and (self.source, self.notes) == (other.source, other.notes)
            and self.data.equals(other.data)
        )

    def __repr__(self) -> str:
        return describe(self)

    def values(self) -> FloatArray:
        """Return the cells as they were measured, with shape (dataset, algorithm, measure)."""
        if self.n_replicates is not None:
            raise BayescompareError(
                f"these results have {self.n_replicates} replicates per cell: "
                "call results.average() first, or use a method that takes replicates."
            )
        return self._cells()

    def oriented(self) -> FloatArray:
        """Return `values` with the sign of each measure, so that higher is always better.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "error": [0.1]})
        >>> Results.from_frame(frame, measures={"error": "min"}).oriented()
        array([[[-0.1]]])
        """
        return self.values() * [float(measure.sign) for measure in self.spec.values()]

    def _cells(self) -> FloatArray:
        """Return all cells, with shape (dataset, algorithm, measure[, replicate])."""
        return np.stack([self.data.variables[name].values for name in self.measures], axis=2)

    def _axes(self) -> dict[str, tuple[str, ...]]:
        """Return the names along each axis of `_cells`."""
        axes = {"dataset": self.datasets, "algorithm": self.algorithms, "measure": self.measures}
        if self.n_replicates is not None:
            axes["replicate"] = names_of(self.data, "replicate")
        return axes

    # -------------------------------------------------------------------------------- part of it

    def sel(
        self,
        *,
        algorithms: Iterable[str] | None = None,
        measures: Iterable[str] | None = None,
        datasets: Iterable[str] | None = None,
    ) -> Results:
        """Return the part named, in the order named; ``None`` keeps all.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, 0.8]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> results.sel(algorithms=["B", "A"]).algorithms
        ('B', 'A')
        """
        spec = self.spec
        if measures is not None:
            spec = {name: spec[name] for name in check_selection("measures", measures, spec)}
        positions = {}
        for dim, names in (("dataset", datasets), ("algorithm", algorithms)):
            if names is not None:
                known = {name: i for i, name in enumerate(names_of(self.data, dim))}
                positions[dim] = [known[name] for name in check_selection(f"{dim}s", names, known)]
        data = self.data[list(spec)].isel(positions)
        return self._with(data=frozen(data), spec=spec)

    def average(self) -> Results:
        """Return the mean over the replicates; without replicates, these same results.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": "iris", "algorithm": "A", "fold": [1, 2], "auc": [0.8, 0.9],
        ... })
        >>> folds = Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
        >>> folds.average().values()
        array([[[0.85]]])
        """
        if self.n_replicates is None:
            return self
        means = {name: (cells.dims[:-1], _mean(cells.values)) for name, cells in self.data.items()}
        data = self.data.drop_dims("replicate").assign(means)
        note = f"each cell is the mean of {plural(self.n_replicates, 'replicate')}"
        return self._with(data=frozen(data), notes=(*self.notes, note))

    # ----------------------------------------------------------------------------- missing cells

    def missing(self) -> pd.DataFrame:
        """List the missing cells: dataset, algorithm, measure and, if there are any, replicate.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, None]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).missing()
          dataset algorithm measure
        0    iris         B     auc
        """
        axes = self._axes()
        where = np.nonzero(np.isnan(self._cells()))
        cells = {dim: [axes[dim][i] for i in at] for dim, at in zip(axes, where, strict=True)}
        return pd.DataFrame(cells, columns=list(axes))

    def coverage(self) -> pd.DataFrame:
        """Return the share of cells present, with datasets as rows and algorithms as columns.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, None]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).coverage()
        algorithm    A    B
        dataset
        iris       1.0  0.0
        """
        present = ~np.isnan(self._cells())
        return pd.DataFrame(
            present.reshape(*present.shape[:2], -1).mean(axis=-1),
            index=pd.Index(self.datasets, name="dataset"),
            columns=pd.Index(self.algorithms, name="algorithm"),
        )

    def complete(self, missing: Literal["raise", "drop"] = "raise") -> Results:
        """Return results without missing cells.

        Parameters
        ----------
        missing : {"raise", "drop"}
            What to do about missing cells: refuse them, or drop every dataset that has one. Only
            the algorithms and measures of these results count: select first, complete after.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris", "wine"], "algorithm": "A", "auc": [1, None]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> results.complete(missing="drop").notes
        ('1 dataset with missing cells dropped: wine',)
        """
        if missing not in ("raise", "drop"):
            raise BayescompareError(
                f"missing={missing!r}: must be 'raise' or 'drop'."
                f"{closest(str(missing), ('raise', 'drop'))}"
            )
        if not np.isnan(self._cells()).any():
            return self
        cells = self.missing()
        if missing == "raise":
            raise BayescompareError(missing_words(cells))
        gone = dict.fromkeys(cells["dataset"])
        kept = [name for name in self.datasets if name not in gone]
        if not kept:
            raise BayescompareError(nothing_left_words(self.coverage()))
        note = f"{plural(len(gone), 'dataset')} with missing cells dropped: {', '.join(gone)}"
        return self.sel(datasets=kept)._with(notes=(*self.notes, note))

    def paired(self, missing: Literal["raise", "drop"] = "raise") -> Results:
        """Return results whose replicates are there for all algorithms or for none.

        Datasets may so have different numbers of replicates, each at least two.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris"] * 2 + ["wine"] * 3, "algorithm": "A", "fold": [1, 2, 1, 2, 3],
        ...     "auc": [0.8, 0.9, 0.7, 0.8, 0.9],
        ... })
        >>> folds = Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
        >>> folds.paired().n_replicates
        3
        """
        if self.n_replicates is None:
            return self.complete(missing)
        cells = np.isnan(self._cells())
        absent = cells.all(axis=(1, 2), keepdims=True)
        few = absent.shape[-1] - absent.sum(axis=-1, keepdims=True) < 2
        alone = [name for name, lone in zip(self.datasets, few.ravel(), strict=True) if lone]
        if alone and missing == "raise":
            raise BayescompareError(
                f"{plural(len(alone), 'dataset')} with fewer than two replicates: "
                f"{quoted(alone)}. Add replicates, or say missing='drop' to leave them out."
            )
        gaps = cells & (~absent | few)
        if not gaps.any():
            return self
        # What is absent for all is no gap: any number stands in for it while gaps are looked for.
        filled = np.where(cells & ~gaps, self._cells()[~cells].min(initial=0.0), self._cells())
        data = self.data.assign(
            {name: (self.data[name].dims, filled[:, :, j]) for j, name in enumerate(self.measures)}
        )
        kept = self._with(data=data).complete(missing)
        return self.sel(datasets=kept.datasets)._with(notes=kept.notes)

    # ------------------------------------------------------------------------------- to elsewhere

    def to_frame(self) -> pd.DataFrame:
        """Return a long table, with a row for missing cells too; `from_frame` reads it back.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).to_frame()
          dataset algorithm  auc
        0    iris         A  0.9
        """
        return self.data.to_dataframe(dims_of(self.data)).reset_index()

    def to_dataset(self) -> xr.Dataset:
        """Return everything as one dataset that netCDF can hold; `from_dataset` reads it back.

        The measures are stacked into one variable ``value`` over ``measure``, because a measure
        may be called ``"F1/macro"`` and a netCDF variable may not. What the measures are, the
        source and the notes are attributes, each as JSON.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> Results.from_dataset(results.to_dataset()) == results
        True
        """
        return store(self)


def _mean(values: FloatArray) -> FloatArray:
    """Average over the replicates, the last axis.

    A cell with a missing replicate is missing: skipping it would average unequal numbers of
    replicates without saying so. The sum is exactly rounded, so that the same replicates in
    another order are a tie and not a difference in the last digit.
    """
    sums = [math.fsum(row) for row in values.reshape(-1, values.shape[-1]).tolist()]
    means: FloatArray = np.reshape(sums, values.shape[:-1]) / values.shape[-1]
    # A mean lies among its terms; the division's rounding could put it just out of bounds.
    return means.clip(values.min(axis=-1), values.max(axis=-1))
