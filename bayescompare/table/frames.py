"""Long pandas tables: one row per dataset and algorithm, put into cells."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare._typing import FloatArray, IntArray
from bayescompare.table.input import MOST_CELLS, most_cells
from bayescompare.text.names import first_words, quoted_names, repeated_name
from bayescompare.text.numbers import plural, whole_number_text

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def spread(
    df: pd.DataFrame, roles: Mapping[str, str], values: Collection[str], *, what: str = "measure"
) -> xr.Dataset:
    """Arrange the columns of values as cells, with a dimension for each role.

    Parameters
    ----------
    df : pandas.DataFrame
        One row per cell. Columns not named below are ignored.
    roles : mapping of str to str
        For each dimension the column with the names along it, which become strings in order of
        first appearance.
    values : collection of str
        The columns with the values. A cell without a row is NaN.
    what : str
        What a column of values is called in messages.

    Examples
    --------
    >>> frame = pd.DataFrame({"data": ["iris", "wine"], "auc": [0.9, 0.8]})
    >>> spread(frame, {"dataset": "data"}, ["auc"])["auc"].sel(dataset="wine").item()
    0.8
    """
    check_frame(df)
    columns = find_columns(df, roles, values, what)
    coded = {role: _name_codes(df[columns[role]], role) for role in roles}
    rows = tuple(codes for codes, _ in coded.values())
    coords = {role: names for role, (_, names) in coded.items()}
    check_table_size(coords, len(values), what)
    _check_distinct_rows(rows, coords)
    variables = {}
    for name in values:
        cells = np.full(tuple(map(len, coords.values())), np.nan)
        cells[rows] = numbers_in(df[columns[name]], f"{what} {name!r}")
        variables[name] = (tuple(roles), cells)
    return xr.Dataset(variables, coords=coords)


def frozen_data(data: xr.Dataset) -> xr.Dataset:
    """Make the cells read-only, so that they stay as they were checked."""
    for name in data.data_vars:
        data.variables[name].values.flags.writeable = False
    return data


def check_frame(df: object) -> None:
    """Refuse anything but a frame that has rows."""
    if not isinstance(df, pd.DataFrame):
        raise BayescompareError(
            f"df is a {type(df).__name__}: give a pandas DataFrame (polars and others have "
            "to_pandas())."
        )
    if df.empty:
        raise BayescompareError(f"df is empty: {len(df)} rows, {len(df.columns)} columns.")


def check_table_size(
    coords: Mapping[str, Collection[str]], variables: int, what: str = "measure"
) -> None:
    """Refuse a table that takes more memory than a file of its rows suggests, before it is made.

    Parameters
    ----------
    coords : mapping of str to collections of str
        The names along each dimension.
    variables : int
        How many numbers there are for each combination of names.
    what : str
        What they are called.
    """
    check_table_cells({**{role: len(names) for role, names in coords.items()}, what: variables})
    for role, names in coords.items():
        longest = max(map(len, names), default=0)
        # numpy gives every name the room of the longest.
        if longest * len(names) > max(MOST_CELLS, most_cells()):
            raise BayescompareError(
                f"{role} names take too much room: one of {whole_number_text(len(names))} has "
                f"{whole_number_text(longest)} characters; shorten it."
            )


def check_table_cells(sizes: Mapping[str, int]) -> None:
    """Refuse a table with so many names along each dimension, if it has too many cells.

    Examples
    --------
    >>> check_table_cells({"dataset": 30_000, "algorithm": 30_000, "measure": 1})
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: the table is too large: 30,000 datasets × 30,000 \
algorithms are 900,000,000 cells, more than 50,000,000; keep only what is compared, or allow it by \
max_cells=900000000.
    """
    cells, most = math.prod(sizes.values()), most_cells()
    if cells > most:
        words = " × ".join(plural(n, role) for role, n in sizes.items() if n > 1)
        raise BayescompareError(
            f"the table is too large: {words} are {whole_number_text(cells)} cells, more than "
            f"{whole_number_text(most)}; keep only what is compared, or allow it by "
            f"max_cells={cells}."
        )


# -------------------------------------------------------------------------------------- columns


def find_columns(
    df: pd.DataFrame, roles: Mapping[str, str], values: Collection[str], what: str
) -> dict[str, Any]:
    """Return the column label of each role and of each of the values."""
    naming = "measures[{!r}]" if what == "measure" else what + " {!r}"
    wanted = {role: (f"{role}={name!r}", name) for role, name in roles.items()}
    wanted |= {name: (naming.format(name), name) for name in values}
    by_name = _labels_by_name(df)
    columns = {role: _labelled(df, by_name, *names) for role, names in wanted.items()}
    taken: dict[Any, str] = {}
    for role, column in columns.items():
        if taken.setdefault(column, role) != role:
            raise BayescompareError(
                f"column {column!r} cannot be both {taken[column]} and {role}: name two columns."
            )
    return columns


def find_column(df: pd.DataFrame, argument: str, name: str) -> Any:
    """Return the label of the column that `argument` calls `name`."""
    return _labelled(df, _labels_by_name(df), argument, name)


def _labels_by_name(df: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the labels of columns by their text.

    Measure names are strings even when the columns are numbers, as after a pivot.
    """
    labels: dict[str, list[Any]] = {}
    for column in df.columns:
        labels.setdefault(str(column), []).append(column)
    return labels


def _labelled(df: pd.DataFrame, by_name: Mapping[str, list[Any]], argument: str, name: str) -> Any:
    labels = by_name.get(str(name), [])
    if len(labels) > 1:
        raise BayescompareError(
            f"{argument}: the table has {len(labels)} such columns; rename one."
        )
    if labels:
        return labels[0]
    if str(name) in map(str, df.index.names):
        raise BayescompareError(
            f"{argument}: that is in the index, not a column; call df.reset_index() first."
        )
    columns = [str(column) for column in df.columns]
    raise BayescompareError(
        f"{argument}: no such column; the columns are {quoted_names(columns)}."
        f"{did_you_mean(str(name), columns)}"
    )


# ---------------------------------------------------------------------------------------- names


def row_names(column: pd.Series[Any], role: str) -> list[str]:
    """Return each row's name as text."""
    raw = column.tolist()
    tables = [isinstance(v, (list, dict, set, np.ndarray, pd.Series, pd.DataFrame)) for v in raw]
    if any(tables):
        where = first_words(row_words(column[np.array(tables)]))
        raise BayescompareError(f"{role} name in {where} is not a name: give text or a number.")
    names = [_name_text(value, role) for value in raw]
    blank = np.array([not name.strip() for name in names], dtype=bool)
    absent = column.isna().to_numpy() | blank
    if absent.any():
        raise BayescompareError(
            f"{role} name missing in {first_words(row_words(column[absent]))}: every row needs one."
        )
    _check_whole_characters(set(names), role)
    seen: dict[str, Any] = {}
    for name, value in zip(names, raw, strict=True):
        if seen.setdefault(name, value) != value:
            raise BayescompareError(
                f"{role} names {seen[name]!r} and {value!r} are different values with the same "
                f"text {name!r}: rename one."
            )
    return names


def _check_whole_characters(names: Iterable[str], role: str) -> None:
    """Refuse half a character, which pandas cannot hold as text."""
    for name in names:
        if not name.isascii() and _HALF_CHARACTER.search(name):
            raise BayescompareError(f"{role} name {name!r} contains half a character: rename it.")


def _name_text(value: Any, role: str) -> str:
    try:
        return str(value)
    except Exception as error:  # an integer of 4,300 digits, or an object of the user's own
        raise BayescompareError(
            f"{role} name, a {type(value).__name__}, cannot be written as text "
            f"({error_in_one_line(error)}): give text or a number."
        ) from None


def _name_codes(column: pd.Series[Any], role: str) -> tuple[IntArray, list[str]]:
    """Return the number of each row's name, and the names in order of first appearance."""
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        try:
            codes, unique = pd.factorize(column)
            kinds = unique.tolist()
        except TypeError:  # what cannot be hashed is no name
            codes, kinds = np.array([-1]), []
        # A column of words alone need not be looked at row by row.
        if (codes >= 0).all() and all(isinstance(kind, str) and kind.strip() for kind in kinds):
            _check_whole_characters(kinds, role)
            return codes, kinds
    codes, names = pd.factorize(np.array(row_names(column, role), dtype=object))
    return codes, names.tolist()


def _check_distinct_rows(rows: tuple[IntArray, ...], coords: Mapping[str, list[str]]) -> None:
    sizes = tuple(map(len, coords.values()))
    cells = np.ravel_multi_index(rows, sizes)
    # Counting is fast, and sorting is safe where the table is mostly gaps.
    few = math.prod(sizes) <= 8 * cells.size
    if np.bincount(cells).max() == 1 if few else np.unique(cells).size == cells.size:
        return
    keys = pd.DataFrame(
        {
            role: np.array(names, dtype=object)[codes]
            for (role, names), codes in zip(coords.items(), rows, strict=True)
        }
    )
    twice = keys[keys.duplicated()].drop_duplicates()
    words = [repr(key) for key in twice.itertuples(index=False, name=None)]
    remedy = "If they are folds or seeds, name their column with replicate=."
    if "replicate" in keys:
        remedy = "Replicates must differ within a cell."
    elif "algorithm" not in keys or "example" in keys:
        remedy = "Keep one of them."
    raise BayescompareError(
        f"more than one row for the same {', '.join(map(str, keys))}: "
        f"{first_words(words)}. {remedy}"
    )


def row_words(cells: pd.Series[Any]) -> list[str]:
    """Name the rows of some cells."""
    # A table read from a file is indexed by line, a frame by whatever its user chose.
    kind = "row" if cells.index.name is None else str(cells.index.name)
    return [f"{kind} {label}" for label in cells.index.tolist()]


# --------------------------------------------------------------------------------------- values


def numbers_in(column: pd.Series[Any], what: str) -> FloatArray:
    """Return a column's cells, NaN where missing; raise if some are not numbers."""
    faults = non_numbers(column)
    if not faults.empty:
        texts = [value for value in faults if isinstance(value, str)]
        numeric = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
        convertible = bool(numeric.notna().any())
        hint = " Numbers written as text are not converted: use pandas.to_numeric first."
        if not convertible and len(texts) == int(column.notna().sum()):
            hint = (
                " Words have no order: number them by rank, as in "
                "df[column].map({'bad': 0, 'good': 1})."
            )
            convertible = True
        raise BayescompareError(
            f"{what} must be numbers: {fault_words(faults)}.{hint if convertible else ''}"
        )
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    # Through object: categories and decimals do not convert by themselves.
    return column.astype(object).where(column.notna(), np.nan).to_numpy(dtype=np.float64)


def non_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the cells that are neither real numbers nor missing; numeric text counts as text.

    Examples
    --------
    >>> non_numbers(pd.Series([0.5, "0.5", True, None], dtype=object)).tolist()
    ['0.5', True]
    """
    if column.dtype.kind in "iuf":
        return column.iloc[:0]
    try:
        cells = column[column.notna()].astype(object)
    except InvalidOperation:
        raise BayescompareError(
            "a column holds Decimal('sNaN'), which cannot be compared: use Decimal('NaN')."
        ) from None
    return cells[
        np.array(
            [not (is_number(value) or isinstance(value, Decimal)) for value in cells], dtype=bool
        )
    ]


def fault_words(faults: pd.Series[Any], shown: int = 4) -> str:
    """List the rows of the cells that `non_numbers` returned, and their values."""
    rows = row_words(faults)
    words = [
        f"{row} has {show_checked_value_briefly(value)}"
        for row, value in zip(rows[:shown], faults.tolist(), strict=False)
    ]
    words += rows[shown:]
    return first_words(words, shown)


def is_dataframe(value: object) -> bool:
    """Whether this is a frame of pandas, polars or another library that narwhals knows.

    Examples
    --------
    >>> is_dataframe(pd.DataFrame({"a": [1]})), is_dataframe([1])
    (True, False)
    """
    if isinstance(value, pd.DataFrame):
        return True
    if isinstance(value, (str, PathLike, Sequence, Mapping, np.ndarray)):
        return False  # known without narwhals, which takes a while to load
    import narwhals.stable.v2 as nw

    return isinstance(_narwhals(value), (nw.DataFrame, nw.LazyFrame))


def as_pandas(df: object, *, index: bool = False) -> pd.DataFrame:
    """Return a frame of any library as a pandas frame; raise for what is not a frame.

    Parameters
    ----------
    df : frame
        Of pandas, or of polars, pyarrow and others through narwhals. A lazy frame is collected.
    index : bool
        Whether the levels of a pandas index that have a name become columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"auc": [0.9]}, index=pd.Index(["iris"], name="dataset"))
    >>> as_pandas(frame, index=True).columns.tolist()
    ['dataset', 'auc']
    """
    if not isinstance(df, pd.DataFrame):
        return _collected(df)
    return _with_index(df) if index else df


def index_levels_moved(df: object) -> list[str]:
    """Return the names of the index levels that `as_pandas` makes columns of."""
    return list(map(str, _index_levels(df))) if isinstance(df, pd.DataFrame) else []


def _index_levels(df: pd.DataFrame) -> list[Any]:
    named = [name for name in df.index.names if name is not None and name not in df.columns]
    # A table read from a file is indexed by its lines, which messages name.
    return [] if named in (["line"], ["sheet row"]) else named


def _with_index(df: pd.DataFrame) -> pd.DataFrame:
    named = _index_levels(df)
    if not named:
        return df
    twice = repeated_name([str(name) for name in df.index.names])
    if twice is not None:
        raise BayescompareError(f"df has two index levels called {twice!r}: rename one.")
    moved = df.reset_index(named)
    # With two header levels the name of an index level is in the first.
    return moved.reset_index(drop=True) if isinstance(moved.index, pd.MultiIndex) else moved


def _collected(df: object) -> pd.DataFrame:
    import narwhals.stable.v2 as nw

    frame = _narwhals(df)
    if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        raise BayescompareError(
            f"df is a {type(df).__name__}: give a frame of pandas, polars or another library that "
            "narwhals knows."
        )
    try:
        eager: Any = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except Exception as error:  # whatever the query of a lazy frame fails with
        raise BayescompareError(f"df cannot be collected ({error_in_one_line(error)}).") from None
    # Column by column: polars' own to_pandas() would need pyarrow.
    columns = {name: _column_of(eager[name]) for name in eager.columns}
    return pd.DataFrame(columns)


def _narwhals(df: object) -> Any:
    """Return a frame of narwhals, or what is none as it is."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(df, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            _ = frame.columns
    except DuplicateError as error:
        raise BayescompareError(
            f"df has a column twice ({error_in_one_line(error)}): rename or remove one."
        ) from None
    return frame


def _column_of(series: Any) -> Any:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_float():
        return series.cast(nw.Float64).to_numpy()
    # For more than 64 bits neither pandas nor numpy has a type.
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):
        if not series.null_count():
            return series.to_numpy()
        # Whole numbers with gaps stay whole, as the names of folds must.
        kind = "Int64" if dtype.is_signed_integer() else "UInt64"
        return pd.array(series.to_list(), dtype=kind)
    return pd.Series(series.to_list(), dtype=object)
