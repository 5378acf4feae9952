"""Frames of other libraries as pandas frames, through narwhals; index levels as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.results.text import repeated_name_in_results

__all__ = ["as_pandas", "index_levels_moved", "is_dataframe"]


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

    return isinstance(_narwhals_frame(value), (nw.DataFrame, nw.LazyFrame))


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
        return _collected_dataframe(df)
    return _dataframe_with_index(df) if index else df


def index_levels_moved(df: object) -> list[str]:
    """Return the names of the index levels that `as_pandas` makes columns of."""
    return list(map(str, _index_levels(df))) if isinstance(df, pd.DataFrame) else []


def _index_levels(df: pd.DataFrame) -> list[Any]:
    named = [name for name in df.index.names if name is not None and name not in df.columns]
    # A table read from a file is indexed by its lines, which messages name.
    return [] if named in (["line"], ["sheet row"]) else named


def _dataframe_with_index(df: pd.DataFrame) -> pd.DataFrame:
    named = _index_levels(df)
    if not named:
        return df
    twice = repeated_name_in_results([str(name) for name in df.index.names])
    if twice is not None:
        raise BayescompareError(f"df has two index levels called {twice!r}: rename one.")
    moved = df.reset_index(named)
    # With two header levels the name of an index level is in the first.
    return moved.reset_index(drop=True) if isinstance(moved.index, pd.MultiIndex) else moved


def _collected_dataframe(df: object) -> pd.DataFrame:
    import narwhals.stable.v2 as nw

    frame = _narwhals_frame(df)
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
    columns = {name: _dataframe_column_of(eager[name]) for name in eager.columns}
    return pd.DataFrame(columns)


def _narwhals_frame(df: object) -> Any:
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


def _dataframe_column_of(series: Any) -> Any:
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
