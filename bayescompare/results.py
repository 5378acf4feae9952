"""`Results`: a table of measured performance that knows what it holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError, closest
from bayescompare.measures import Direction, Measure, as_measures

__all__ = ["Results", "check_spec", "fault_words", "non_numbers"]

type FloatArray = NDArray[np.float64]
type BoolArray = NDArray[np.bool_]

DIMS = ("dataset", "algorithm", "replicate")
# Coordinates and dimensions of comparisons and their trees: a measure's own coordinate would
# overwrite them.
RESERVED = (*DIMS, "opponent", "statement", "measure", "count", "chain", "draw", "bound")
LABEL_SIGNS = (">", "|", "=")
SCHEMA = "bayescompare.results/1"
SHOWN = 8

# Names go into netCDF strings, labels and one-line messages, none of which can hold these.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


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

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "dataset": ["iris", "iris", "wine", "wine"],
    ...     "algorithm": ["A", "B", "A", "B"],
    ...     "accuracy": [0.95, 0.97, 0.88, 0.91],
    ... })
    >>> results = Results.from_frame(frame, measures={"accuracy": "max"})
    >>> results.algorithms
    ('A', 'B')
    >>> results["accuracy"].direction
    'max'
    """

    data: xr.Dataset
    spec: Mapping[str, Measure]
    source: str | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        spec = check_spec(self.spec)
        object.__setattr__(self, "spec", spec)
        object.__setattr__(self, "data", _check_data(self.data, spec))
        object.__setattr__(self, "notes", _check_notes(self.notes))
        if not (self.source is None or isinstance(self.source, str)):
            raise BayescompareError(f"source={self.source!r}: give a string, or None.")

    # ------------------------------------------------------------------------------ construction

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
        ... ).values().shape
        (1, 2, 1)
        """
        spec = check_spec(measures)
        _check_frame(df)
        roles = {"dataset": dataset, "algorithm": algorithm}
        if replicate is not None:
            roles["replicate"] = replicate
        columns = _find_columns(df, roles, spec)

        coded = {role: _encode_names(df[columns[role]], role) for role in roles}
        names = {role: unique for role, (_, unique) in coded.items()}
        rows = tuple(codes for codes, _ in coded.values())
        _check_duplicates(rows, names)

        shape = tuple(len(unique) for unique in names.values())
        cells = {name: _to_numbers(df[columns[name]], name) for name in spec}
        variables = {name: (tuple(roles), _spread(v, rows, shape)) for name, v in cells.items()}
        return cls(xr.Dataset(variables, coords=names), spec, source=source)

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> Results:
        """Build from what `to_dataset` made, as read back from netCDF.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> Results.from_dataset(results.to_dataset()) == results
        True
        """
        schema = dataset.attrs.get("schema")
        if schema != SCHEMA:
            raise BayescompareError(
                f"dataset.attrs['schema'] is {schema!r}, not {SCHEMA!r}: "
                "only what Results.to_dataset() made can be read back."
            )
        try:
            spec, source, notes = (
                json.loads(dataset.attrs[key]) for key in ("measures", "source", "notes")
            )
            cells = dataset["value"]
            names = [str(name) for name in dataset["measure"].values.tolist()]
            variables = {n: cells.isel(measure=i, drop=True) for i, n in enumerate(names)}
            measures = {n: Measure.from_dict(fields) for n, fields in spec.items()}
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise BayescompareError(f"dataset: not a stored Results ({error!r}).") from None
        return cls(xr.Dataset(variables), measures, source=source, notes=tuple(notes))

    # ----------------------------------------------------------------------------- what is in it

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, in the order given."""
        return _names_of(self.data, "dataset")

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, in the order given."""
        return _names_of(self.data, "algorithm")

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in the order given."""
        return tuple(self.spec)

    @property
    def n_replicates(self) -> int | None:
        """How many replicates a cell has, or None when each cell is one number."""
        return self.data.sizes.get("replicate")

    def __getitem__(self, measure: str) -> Measure:
        if measure not in self.spec:
            raise BayescompareError(_unknown("measure", measure, self.measures))
        return self.spec[measure]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results):
            return NotImplemented
        return (
            list(self.spec.items()) == list(other.spec.items())
            and (self.source, self.notes) == (other.source, other.notes)
            and self.data.equals(other.data)
        )

    def __repr__(self) -> str:
        return _describe(self)

    def values(self) -> FloatArray:
        """Return the cells as they were measured, with shape (dataset, algorithm, measure).

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "error": [0.1]})
        >>> Results.from_frame(frame, measures={"error": "min"}).values()
        array([[[0.1]]])
        """
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
        signs = np.array([measure.sign for measure in self.spec.values()], dtype=np.float64)
        return self.values() * signs

    def _cells(self) -> FloatArray:
        """Return all cells, with shape (dataset, algorithm[, replicate], measure)."""
        return np.stack([self.data[name].values for name in self.measures], axis=-1)

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
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris", "iris"], "algorithm": ["A", "B"], "auc": [0.9, 0.8],
        ... })
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> results.sel(algorithms=["B", "A"]).algorithms
        ('B', 'A')
        """
        kept = _check_selection("measures", measures, self.measures)
        rows = {
            "dataset": _check_selection("datasets", datasets, self.datasets),
            "algorithm": _check_selection("algorithms", algorithms, self.algorithms),
        }
        positions = {dim: _positions(names, self.data, dim) for dim, names in rows.items()}
        data = self.data[list(kept)].isel(positions)
        return replace(self, data=data, spec={name: self.spec[name] for name in kept})

    def average(self) -> Results:
        """Return the mean over the replicates; without replicates, these same results.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris", "iris"], "algorithm": ["A", "A"], "fold": [1, 2],
        ...     "auc": [0.8, 0.9],
        ... })
        >>> folds = Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
        >>> folds.average().values()
        array([[[0.85]]])
        """
        if self.n_replicates is None:
            return self
        data = xr.Dataset({name: _mean(self.data[name]) for name in self.measures})
        note = f"each cell is the mean of {_plural(self.n_replicates, 'replicate')}"
        return replace(self, data=data, notes=(*self.notes, note))

    # ----------------------------------------------------------------------------- missing cells

    def missing(self) -> pd.DataFrame:
        """List the missing cells: dataset, algorithm, measure and, if there are any, replicate.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris", "iris"], "algorithm": ["A", "B"], "auc": [0.9, None],
        ... })
        >>> Results.from_frame(frame, measures={"auc": "max"}).missing()
          dataset algorithm measure
        0    iris         B     auc
        """
        order = ["dataset", "algorithm", "measure"]
        if self.n_replicates is not None:
            order.append("replicate")
        dims = (*_dims(self.data), "measure")
        names = {**{d: _names_of(self.data, d) for d in _dims(self.data)}, "measure": self.measures}
        where = np.nonzero(np.isnan(self._cells()).transpose([dims.index(dim) for dim in order]))
        return pd.DataFrame(
            {dim: [names[dim][i] for i in at] for dim, at in zip(order, where, strict=True)},
            columns=order,
        )

    def coverage(self) -> pd.DataFrame:
        """Return the share of cells present, with datasets as rows and algorithms as columns.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris", "iris"], "algorithm": ["A", "B"],
        ...     "auc": [0.9, None], "time": [1.0, 2.0],
        ... })
        >>> Results.from_frame(frame, measures={"auc": "max", "time": "min"}).coverage()
        algorithm    A    B
        dataset
        iris       1.0  0.5
        """
        present = ~np.isnan(self._cells())
        share = present.reshape(*present.shape[:2], -1).mean(axis=-1)
        return pd.DataFrame(
            share,
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
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris", "wine"], "algorithm": ["A", "A"], "auc": [0.9, None],
        ... })
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
            raise BayescompareError(_missing_words(cells))
        return self._without(set(cells["dataset"]))

    def _without(self, dropped: set[str]) -> Results:
        kept = [name for name in self.datasets if name not in dropped]
        if not kept:
            shares = self.coverage().mean(axis=0)
            words = [f"{name} {share:.0%}" for name, share in shares.items()]
            raise BayescompareError(
                "missing='drop' leaves no dataset: each has a missing cell. Share of cells "
                f"present by algorithm: {_first(words)}. Leave out the algorithms or measures "
                "with the gaps."
            )
        gone = [name for name in self.datasets if name in dropped]
        note = f"{_plural(len(gone), 'dataset')} with missing cells dropped: {', '.join(gone)}"
        rest = self.sel(datasets=kept)
        return replace(rest, notes=(*self.notes, note))

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
        dims = _dims(self.data)
        rows = pd.MultiIndex.from_product([_names_of(self.data, dim) for dim in dims], names=dims)
        values = {name: self.data[name].values.ravel() for name in self.measures}
        return pd.DataFrame(values, index=rows).reset_index()

    def to_dataset(self) -> xr.Dataset:
        """Return everything as one dataset that netCDF can hold; `from_dataset` reads it back.

        The measures are stacked into one variable ``value`` over ``measure``, because a measure
        may be called ``"F1/macro"`` and a netCDF variable may not. What the measures are, the
        source and the notes are attributes, each as JSON.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).to_dataset()["value"].dims
        ('dataset', 'algorithm', 'measure')
        """
        dims = _dims(self.data)
        coords = {dim: list(_names_of(self.data, dim)) for dim in dims}
        attrs = {
            "schema": SCHEMA,
            "measures": json.dumps({name: m.to_dict() for name, m in self.spec.items()}),
            "source": json.dumps(self.source),
            "notes": json.dumps(self.notes),
        }
        return xr.Dataset(
            {"value": ((*dims, "measure"), self._cells())},
            coords={**coords, "measure": list(self.measures)},
            attrs=attrs,
        )


def _dims(data: xr.Dataset) -> tuple[str, ...]:
    """Return the dimensions in the package's order, whatever order xarray keeps them in."""
    return tuple(dim for dim in DIMS if dim in data.dims)


def _names_of(data: xr.Dataset, dim: str) -> tuple[str, ...]:
    return tuple(str(name) for name in data[dim].values.tolist())


def _positions(names: Sequence[str], data: xr.Dataset, dim: str) -> list[int]:
    position = {name: i for i, name in enumerate(_names_of(data, dim))}
    return [position[name] for name in names]


def _mean(cells: xr.DataArray) -> xr.DataArray:
    """Average one measure over its replicates.

    A cell with a missing replicate is missing: skipping it would average unequal numbers of
    replicates without saying so. The sum is exactly rounded, so that the same replicates in
    another order are a tie and not a difference in the last digit.
    """
    values = cells.values
    means = np.array([math.fsum(row) for row in values.reshape(-1, values.shape[-1]).tolist()])
    means = means.reshape(values.shape[:-1]) / values.shape[-1]
    # A mean lies among its terms; the division's rounding could put it just out of bounds.
    means = np.clip(means, values.min(axis=-1), values.max(axis=-1))
    return cells.isel(replicate=0, drop=True).copy(data=means)


# -------------------------------------------------------------------------------------------- words


def _first(words: Sequence[str], shown: int = SHOWN) -> str:
    """Join the first few words and count the rest."""
    rest = len(words) - shown
    return ", ".join(words[:shown]) + (f" and {rest} more" if rest > 0 else "")


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _repeated(names: Sequence[str]) -> str:
    return next(name for i, name in enumerate(names) if name in names[:i])


def _unknown(kind: str, name: object, known: Sequence[str]) -> str:
    names = _first([repr(k) for k in known])
    return f"no {kind} called {name!r}: there is {names}.{closest(str(name), known)}"


def _cell_words(cell: Mapping[str, str]) -> str:
    replicate = f" in replicate {cell['replicate']!r}" if "replicate" in cell else ""
    return f"{cell['measure']} of {cell['algorithm']!r} on {cell['dataset']!r}{replicate}"


def _missing_words(cells: pd.DataFrame) -> str:
    shown = [_cell_words(row) for row in _records(cells.head(SHOWN))]
    rest = len(cells) - len(shown)
    more = f" and {rest} more" if rest else ""
    return (
        f"{_plural(len(cells), 'missing cell')}: {', '.join(shown)}{more}. Fill them in, or say "
        "missing='drop' to leave out every dataset with a missing cell."
    )


def _records(cells: pd.DataFrame) -> list[dict[str, str]]:
    return [{str(k): str(v) for k, v in row.items()} for row in cells.to_dict("records")]


# ----------------------------------------------------------------------- checks at construction


def check_spec(measures: Mapping[str, Direction | Measure]) -> dict[str, Measure]:
    """Check the ``measures=`` argument and that `Results` can hold measures of these names.

    Examples
    --------
    >>> check_spec({"auc": "max"})["auc"].sign
    1
    """
    spec = as_measures(measures)
    for name in spec:
        _check_name("measure", name)
        if name in RESERVED:
            raise BayescompareError(
                f"a measure cannot be called {name!r}, which names a dimension of the results "
                "or of a comparison: rename it."
            )
    return spec


def _check_notes(notes: object) -> tuple[str, ...]:
    if isinstance(notes, str) or not isinstance(notes, Sequence):
        raise BayescompareError(f"notes={notes!r}: give a tuple of strings.")
    return tuple(str(note) for note in notes)


def _check_data(data: object, spec: Mapping[str, Measure]) -> xr.Dataset:
    """Return `data` in the one form that the rest of the package relies on."""
    if not isinstance(data, xr.Dataset):
        raise BayescompareError(
            f"data is a {type(data).__name__}: give an xarray.Dataset, or use Results.from_frame."
        )
    _check_dims(data)
    if set(data.data_vars) != set(spec):
        raise BayescompareError(
            f"data holds {sorted(map(str, data.data_vars))} but spec describes {sorted(spec)}: "
            "they must be the same measures."
        )
    dims = _dims(data)
    coords = {dim: _check_names(dim, data) for dim in dims}
    variables = {name: (dims, _check_cells(name, data[name], dims)) for name in spec}
    checked = xr.Dataset(variables, coords=coords)
    for name, measure in spec.items():
        _check_range(name, measure, checked[name])
    return checked


def _check_dims(data: xr.Dataset) -> None:
    dims = set(data.dims)
    if not {"dataset", "algorithm"} <= dims <= set(DIMS):
        raise BayescompareError(
            f"data has the dimensions {sorted(map(str, dims))}: it needs 'dataset' and "
            "'algorithm', may have 'replicate', and no other."
        )
    for dim in _dims(data):
        if dim not in data.coords:
            raise BayescompareError(f"data has no names along {dim!r}: give it that coordinate.")
        if not data.sizes[dim]:
            raise BayescompareError(f"data has no {dim}: at least one is needed.")


def _check_names(dim: str, data: xr.Dataset) -> list[str]:
    names = list(_names_of(data, dim))
    for name in names:
        _check_name(dim, name)
    if len(set(names)) < len(names):
        raise BayescompareError(f"{dim} {_repeated(names)!r} is there twice: names must differ.")
    return names


def _check_name(kind: str, name: str) -> None:
    if not name.strip():
        raise BayescompareError(f"{kind} name {name!r} is blank: give it a name.")
    if _CONTROL.search(name):
        raise BayescompareError(
            f"{kind} name {name!r} has a line break or another control character: rename it."
        )
    if kind == "algorithm" and any(sign in name for sign in LABEL_SIGNS):
        raise BayescompareError(
            f"algorithm name {name!r} has '>', '|' or '=' in it, which would make labels such as "
            "'A>B|B>A' ambiguous: rename it."
        )


def _check_cells(name: str, cells: xr.DataArray, dims: tuple[str, ...]) -> FloatArray:
    if set(cells.dims) != set(dims):
        raise BayescompareError(f"measure {name!r} has dimensions {cells.dims}, not {dims}.")
    if cells.dtype.kind not in "iuf":
        raise BayescompareError(f"measure {name!r} holds {cells.dtype} cells, not numbers.")
    values = cells.transpose(*dims).values.astype(np.float64, copy=True)
    # What was checked must stay as it was checked.
    values.flags.writeable = False
    return values


def _check_range(name: str, measure: Measure, cells: xr.DataArray) -> None:
    infinite = np.isinf(cells.values)
    if infinite.any():
        raise BayescompareError(
            f"infinite cells: {_faults(name, cells, infinite)}. Leave a cell empty (NaN) when the "
            "algorithm gave no value."
        )
    low, high = measure.bounds or (None, None)
    least, greatest = -math.inf if low is None else low, math.inf if high is None else high
    outside = (cells.values < least) | (cells.values > greatest)
    if outside.any():
        raise BayescompareError(
            f"cells outside bounds={measure.bounds} of {name!r}: "
            f"{_faults(name, cells, outside)}. Correct the cells or the bounds."
        )


def _faults(name: str, cells: xr.DataArray, mask: BoolArray) -> str:
    words = []
    for at in np.argwhere(mask)[:SHOWN]:
        cell = {str(dim): str(cells[dim].values[i]) for dim, i in zip(cells.dims, at, strict=True)}
        value = cells.values[tuple(at)]
        words.append(f"{_cell_words({**cell, 'measure': name})} is {value:g}")
    rest = int(mask.sum()) - len(words)
    return ", ".join(words) + (f" and {rest} more" if rest else "")


def _check_selection(
    argument: str, names: Iterable[str] | None, known: tuple[str, ...]
) -> tuple[str, ...]:
    if names is None:
        return known
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise BayescompareError(f"{argument}={names!r}: give a list, as in [{str(names)!r}].")
    chosen = tuple(str(name) for name in names)
    if not chosen:
        raise BayescompareError(f"{argument}=[]: name at least one, or None for all.")
    there = set(known)
    unknown = [name for name in chosen if name not in there]
    if unknown:
        raise BayescompareError(f"{argument}: {_unknown(argument[:-1], unknown[0], known)}")
    if len(set(chosen)) < len(chosen):
        raise BayescompareError(f"{argument}: {_repeated(chosen)!r} is named twice.")
    return chosen


# -------------------------------------------------------------------------------- reading a frame


def _check_frame(df: object) -> None:
    if not isinstance(df, pd.DataFrame):
        raise BayescompareError(
            f"df is a {type(df).__name__}: give a pandas DataFrame (polars and others have "
            "to_pandas())."
        )
    if df.empty:
        raise BayescompareError(f"df is empty: {len(df)} rows, {len(df.columns)} columns.")


def _find_columns(
    df: pd.DataFrame, roles: Mapping[str, str], spec: Mapping[str, Measure]
) -> dict[str, Any]:
    """Return the column of each role and of each measure."""
    columns = {role: _find_column(df, f"{role}={name!r}", name) for role, name in roles.items()}
    columns |= {name: _find_column(df, f"measures[{name!r}]", name) for name in spec}
    taken: dict[Any, str] = {}
    for role, column in columns.items():
        if column in taken:
            raise BayescompareError(
                f"column {column!r} cannot be both {taken[column]} and {role}: name two columns."
            )
        taken[column] = role
    return columns


def _find_column(df: pd.DataFrame, argument: str, name: object) -> Any:
    # Measure names are strings even when the columns are numbers, as after a pivot.
    found = [column for column in df.columns if column == name or str(column) == str(name)]
    if len(found) > 1:
        raise BayescompareError(f"{argument}: the table has {len(found)} such columns; rename one.")
    if found:
        return found[0]
    if name in df.index.names:
        raise BayescompareError(
            f"{argument}: that is in the index, not a column; call df.reset_index() first."
        )
    columns = [str(column) for column in df.columns]
    raise BayescompareError(
        f"{argument}: no such column; the columns are {_first([repr(c) for c in columns], 12)}."
        f"{closest(str(name), columns)}"
    )


def _encode_names(column: pd.Series[Any], role: str) -> tuple[NDArray[np.intp], list[str]]:
    """Return the position of each row's name, and the names by first appearance."""
    raw = column.tolist()
    text = [str(value) for value in raw]
    absent = column.isna().to_numpy() | np.array([not name.strip() for name in text])
    if absent.any():
        raise BayescompareError(
            f"{role} name missing in {_first(_row_words(column[absent]))}: every row needs one."
        )
    first: dict[str, Any] = {}
    for name, value in zip(text, raw, strict=True):
        if first.setdefault(name, value) != value:
            raise BayescompareError(
                f"{role} names {first[name]!r} and {value!r} are different values with the same "
                f"text {name!r}: rename one."
            )
    position = {name: i for i, name in enumerate(first)}
    return np.array([position[name] for name in text], dtype=np.intp), list(first)


def _check_duplicates(
    rows: tuple[NDArray[np.intp], ...], names: Mapping[str, Sequence[str]]
) -> None:
    seen = pd.DataFrame(dict(zip(names, rows, strict=True)))
    twice = seen[seen.duplicated()].drop_duplicates()
    if twice.empty:
        return
    keys = [
        ", ".join(repr(names[role][code]) for role, code in zip(names, codes, strict=True))
        for codes in twice.to_numpy()
    ]
    remedy = (
        "Replicates must differ within a cell."
        if "replicate" in names
        else "If they are folds or seeds, name their column with replicate=."
    )
    raise BayescompareError(
        f"more than one row for the same {', '.join(names)}: "
        f"{_first([f'({key})' for key in keys])}. {remedy}"
    )


def _to_numbers(column: pd.Series[Any], measure: str) -> FloatArray:
    faults = non_numbers(column)
    if not faults.empty:
        raise BayescompareError(
            f"measure {measure!r} must be numbers: {fault_words(faults)}.{_hint(faults)}"
        )
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    # Through object: categories and decimals do not convert by themselves.
    values = column.astype(object).where(column.notna(), np.nan)
    return values.to_numpy(dtype=np.float64)


def non_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the cells that are neither a real number nor missing; numeric text is text.

    Examples
    --------
    >>> non_numbers(pd.Series([0.5, "0.5", True, None], dtype=object)).tolist()
    ['0.5', True]
    """
    if column.dtype.kind in "iuf":
        return column.iloc[:0]
    cells = column.astype(object)
    wrong = [not _is_number(value) for value in cells.tolist()]
    return cells[np.array(wrong, dtype=bool) & column.notna().to_numpy()]


def _is_number(value: object) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**1023) < value < 2**1023
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def fault_words(faults: pd.Series[Any], shown: int = 4) -> str:
    """Say which rows hold the cells that `non_numbers` returned.

    Examples
    --------
    >>> fault_words(pd.Series(["high", "low"], index=[3, 7]), shown=1)
    "row 3 has 'high' and 1 more"
    """
    rows = _row_words(faults)
    words = [f"{row} has {v!r}" for row, v in zip(rows, faults.tolist(), strict=True)]
    return _first(words, shown)


def _row_words(cells: pd.Series[Any]) -> list[str]:
    # A table read from a file is indexed by line, a frame by whatever its user chose.
    kind = "row" if cells.index.name is None else str(cells.index.name)
    return [f"{kind} {label}" for label in cells.index.tolist()]


def _hint(faults: pd.Series[Any]) -> str:
    if any(_is_numeric_text(value) for value in faults.tolist()):
        return " Numbers written as text are not converted: use pandas.to_numeric first."
    return ""


def _is_numeric_text(value: object) -> bool:
    try:
        return isinstance(value, str) and math.isfinite(float(value))
    except ValueError:
        return False


def _spread(
    values: FloatArray, rows: tuple[NDArray[np.intp], ...], shape: tuple[int, ...]
) -> FloatArray:
    """Put each row's value into its cell; cells without a row stay NaN."""
    cells = np.full(shape, np.nan)
    cells[rows] = values
    return cells


# ----------------------------------------------------------------------------------------- printing

_WIDTH = 96
_MEASURES_SHOWN = 5


def _describe(results: Results) -> str:
    sizes = (len(results.datasets), len(results.algorithms), len(results.measures))
    counts = zip(sizes, ("dataset", "algorithm", "measure"), strict=True)
    title = "Results: " + ", ".join(_plural(number, noun) for number, noun in counts)
    table = _measure_table(results)
    indent = max(len("algorithms"), *(len(row[0]) for row in table)) + 2
    lines = [
        ("datasets", _listing(results.datasets)),
        ("algorithms", _listing(results.algorithms)),
        ("replicates", str(results.n_replicates or "none")),
        *((row[0], rest) for row, rest in zip(table, _align(table), strict=True)),
        *_more_measures(results),
        ("missing", _missing_count(results)),
        ("source", results.source or "not given"),
        *_note_lines(results.notes),
    ]
    return "\n".join([title, *(_clip(f"  {head:<{indent}}{text}") for head, text in lines)])


def _measure_table(results: Results) -> list[tuple[str, ...]]:
    shown = results.measures[:_MEASURES_SHOWN]
    rows = [_measure_row(name, results[name], results.data[name].values) for name in shown]
    return [("measure", "direction", "rope", "scale", "bounds", "unit", "observed"), *rows]


def _measure_row(name: str, measure: Measure, cells: FloatArray) -> tuple[str, ...]:
    present = cells[~np.isnan(cells)]
    observed = f"{present.min():.6g} to {present.max():.6g}" if present.size else "nothing"
    return (
        _clip(name, 24),
        measure.direction,
        "none" if measure.rope is None else f"{measure.rope:.6g}",
        measure.scale,
        _bounds_words(measure.bounds),
        measure.unit or "none",
        observed,
    )


def _bounds_words(bounds: tuple[float | None, float | None] | None) -> str:
    if bounds is None:
        return "none"
    low, high = bounds
    return f"{'' if low is None else f'{low:g}'}..{'' if high is None else f'{high:g}'}"


def _align(table: Sequence[Sequence[str]]) -> list[str]:
    """Lay the columns after the first out at equal widths."""
    columns = list(zip(*table, strict=True))[1:]
    widths = [max(map(len, column)) for column in columns]
    padded = [
        [cell.ljust(width) for cell in column]
        for column, width in zip(columns, widths, strict=True)
    ]
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def _more_measures(results: Results) -> list[tuple[str, str]]:
    rest = results.measures[_MEASURES_SHOWN:]
    return [("...", f"and {len(rest)} more: {_listing(rest)}")] if rest else []


def _missing_count(results: Results) -> str:
    cells = results._cells()
    return f"{int(np.isnan(cells).sum())} of {_plural(cells.size, 'cell')}"


def _note_lines(notes: tuple[str, ...]) -> list[tuple[str, str]]:
    if len(notes) > 2:
        notes = (notes[0], f"... and {len(notes) - 1} more in results.notes")
    return [("note", note) for note in notes]


def _listing(names: Sequence[str], width: int = 60) -> str:
    """Join as many names as fit, and count the rest."""
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name])) > width:
            break
        shown.append(_clip(name, width))
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f", ... ({rest} more)" if rest else "")


def _clip(text: str, width: int = _WIDTH) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
