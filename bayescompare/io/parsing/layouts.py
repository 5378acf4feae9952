"""From a long, melted or wide table to `Results`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.io.parsing.headers import Pairs, pair_up
from bayescompare.results.frames import fault_words, find_column, non_numbers, spread
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.results.text import quoted

__all__ = ["Layout", "to_results"]

type Layout = Literal["auto", "long", "wide"]
type Roles = Mapping[str, str]
type Spec = Mapping[str, Measure]


def to_results(
    table: pd.DataFrame,
    roles: Roles,
    spec: Spec,
    layout: Layout,
    *,
    source: str,
    items: bool = False,
    keep_items: bool | None = None,
) -> Results:
    """Read a table, whose columns of names are `roles`, in the given layout.

    With `items` the replicates are items, every one of which is kept if `keep_items`.
    """
    for role, column in roles.items():
        if role != "algorithm":
            find_column(table, f"{role}={column!r}", column)
    measured = set(spec) & set(table.columns)
    # A column named like a measure is not an algorithm. So the table is long and its algorithm
    # column has another name; reading it as a long table will report that.
    is_long = roles["algorithm"] in table.columns or bool(measured)
    if layout == "wide" or (layout == "auto" and not is_long):
        table = _stack(table, roles, _pairs(table, roles, spec))
        roles = {role: role for role in roles}
    elif {"measure", "value"} <= set(table.columns) and not measured:
        if items:
            raise BayescompareError(
                "the table has the columns 'measure' and 'value': a table of items needs a column "
                "for each measure; use pandas' pivot first."
            )
        return Results(_melted(table, roles, spec), spec, source=source)
    return Results.from_frame(
        table,
        dataset=roles["dataset"],
        algorithm=roles["algorithm"],
        replicate=roles.get("replicate"),
        replicates="items" if items else "folds",
        cluster=roles.get("cluster"),
        epoch=roles.get("epoch"),
        keep_items=keep_items,
        measures=spec,
        source=source,
    )


def _melted(table: pd.DataFrame, roles: Roles, spec: Spec) -> xr.Dataset:
    """Read a tidy table: one row per cell, with the columns measure and value."""
    table = table.assign(measure=table["measure"].astype(str))
    present = table["measure"].unique().tolist()
    for name in spec:
        if name not in present:
            raise BayescompareError(
                f"measures[{name!r}]: not in the column 'measure', which has "
                f"{quoted(present)}.{did_you_mean(name, present)}"
            )
    table = table[table["measure"].isin(list(spec))]
    _check_numeric(table, ["value"], roles["algorithm"])
    return spread(table, {**roles, "measure": "measure"}, ["value"])["value"].to_dataset("measure")


def _pairs(table: pd.DataFrame, roles: Roles, spec: Spec) -> Pairs:
    """Return the algorithm and the measure of each column of values of a wide table."""
    names = {column for role, column in roles.items() if role != "algorithm"}
    columns = [column for column in table.columns if column not in names]
    if not columns:
        raise BayescompareError("a wide table needs a column for each algorithm, and has none.")
    for column in columns:
        if not column.strip() or column.startswith("Unnamed:"):
            raise BayescompareError(
                f"column {column!r} has no name, so it cannot be an algorithm: remove it (with "
                "pandas, save the file by to_csv(index=False))."
            )
    pairs = pair_up(columns, list(spec), roles["algorithm"])
    _check_numeric(table, columns, roles["algorithm"])
    return pairs


def _stack(table: pd.DataFrame, roles: Roles, pairs: Pairs) -> pd.DataFrame:
    """Stack the columns of the algorithms, each below those of the one before."""
    algorithms = list(dict.fromkeys(algorithm for algorithm, _ in pairs.values()))
    block = {algorithm: k for k, algorithm in enumerate(algorithms)}
    by_measure: dict[str, dict[int, str]] = {}
    for column, (algorithm, measure) in pairs.items():
        by_measure.setdefault(measure, {})[block[algorithm]] = column
    rows = np.tile(np.arange(len(table)), len(algorithms))
    stacked = {"algorithm": pd.Series(np.repeat(np.array(algorithms, dtype=object), len(table)))}
    for role, column in roles.items():
        if role != "algorithm":
            stacked[role] = table[column].iloc[rows].reset_index(drop=True)
    for measure, columns in by_measure.items():
        stacked[measure] = _under_each_other(table, columns, len(rows))
    return pd.DataFrame(stacked).set_axis(table.index[rows], axis=0)


def _under_each_other(
    table: pd.DataFrame, columns: Mapping[int, str], length: int
) -> pd.Series[Any]:
    """Put each column into its block of rows; the cells of a block without one are missing."""
    places = [np.arange(len(table)) + k * len(table) for k in columns]
    cells = pd.concat([table[column] for column in columns.values()])
    whole: pd.Series[Any] = cells.set_axis(np.concatenate(places), axis=0).reindex(range(length))
    return whole


def _check_numeric(table: pd.DataFrame, columns: Sequence[str], algorithm: str) -> None:
    faults = {column: non_numbers(table[column]) for column in columns}
    words = [f"{c!r} ({fault_words(cells, 1)})" for c, cells in faults.items() if not cells.empty]
    if words:
        # In case a long table was meant.
        hint = (
            f" The table was read as wide, because it has no column {algorithm!r}."
            + did_you_mean(algorithm, [str(column) for column in table.columns])
        )
        raise BayescompareError(
            f"these columns are not numeric: {', '.join(words)}."
            f"{'' if algorithm in table.columns else hint}"
        )
