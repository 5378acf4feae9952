"""Wide and melted tables made long: one row per dataset and algorithm, a column per measure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.table.frames import (
    fault_words,
    find_column,
    non_numbers,
    spread,
)
from bayescompare.table.input import check_distinct
from bayescompare.text.names import quoted_names

type Layout = Literal["auto", "long", "wide"]
type Roles = Mapping[str, str]

LAYOUTS = ("auto", "long", "wide")

#: What to do about several levels of column names, which `agg` and `pivot` of pandas make.
_ONE_LEVEL = (
    "write them in one level, by df.columns = ['_'.join(map(str, name)).strip('_') for name in "
    "df.columns]."
)


def as_long(
    table: pd.DataFrame,
    roles: Roles,
    measures: Collection[str],
    layout: Layout,
    *,
    facts: Collection[str] = (),
    items: bool = False,
    levels: Collection[str] = (),
) -> tuple[pd.DataFrame, Roles]:
    """Return a long table, and the columns of its roles.

    Parameters
    ----------
    table : pandas.DataFrame
        Long, melted (with the columns ``measure`` and ``value``) or wide, perhaps with two levels
        of column names, of algorithms and of measures.
    roles : mapping of str to str
        The columns of names.
    measures : collection of str
    layout : {"auto", "long", "wide"}
        "auto" decides by the columns.
    facts : collection of str
        Columns about datasets, which are no algorithms.
    items : bool
        Whether the replicates are items.
    levels : collection of str
        Columns that were levels of the index, which are no algorithms either.

    Examples
    --------
    >>> wide = pd.DataFrame({"dataset": ["iris"], "svm": [0.9], "forest": [0.8]})
    >>> long, _ = as_long(
    ...     wide, {"dataset": "dataset", "algorithm": "algorithm"}, ["auc"], "auto"
    ... )
    >>> long[["algorithm", "auc"]].to_numpy().tolist()
    [['svm', 0.9], ['forest', 0.8]]
    """
    if table.empty:
        return table, roles  # which `spread` refuses
    if table.columns.nlevels > 1:
        return _two_level(table, roles, measures)
    names = [str(column) for column in table.columns]
    measured = set(measures) & set(names)
    # A column named like a measure is not an algorithm. So the table is long and its algorithm
    # column has another name; reading it as a long table will report that.
    is_long = roles["algorithm"] in names or bool(measured)
    if layout == "wide" or (layout == "auto" and not is_long):
        return _wide(table, roles, measures, facts, levels)
    if {"measure", "value"} <= set(names) and not measured:
        if items:
            raise BayescompareError(
                "the table has the columns 'measure' and 'value': a table of items needs a column "
                "for each measure; use pandas' pivot first."
            )
        return _melted(table, roles, measures)
    return table, roles


# ------------------------------------------------------------------------------------------ melted


def _melted(
    table: pd.DataFrame, roles: Roles, measures: Collection[str]
) -> tuple[pd.DataFrame, Roles]:
    """Give every measure of a tidy table a column of its own."""
    for name in ("measure", "value"):
        find_column(table, f"column {name!r}", name)
    table = table.assign(measure=table["measure"].astype(str))
    present = table["measure"].unique().tolist()
    for name in measures:
        if name not in present:
            raise BayescompareError(
                f"measures[{name!r}]: not in the column 'measure', which has "
                f"{quoted_names(present)}.{did_you_mean(name, present)}"
            )
    table = table[table["measure"].isin(list(measures))]
    _check_numeric(table, ["value"], roles["algorithm"])
    cells = spread(table, {**roles, "measure": "measure"}, ["value"])["value"]
    long = cells.to_dataset("measure").to_dataframe(tuple(roles)).reset_index()
    return long, {role: role for role in roles}


# -------------------------------------------------------------------------------------------- wide


def _wide(
    table: pd.DataFrame,
    roles: Roles,
    measures: Collection[str],
    facts: Collection[str],
    levels: Collection[str],
) -> tuple[pd.DataFrame, Roles]:
    for level in levels:
        if level not in roles.values() and level not in facts:
            raise BayescompareError(
                f"the index has a level {level!r}, which is no algorithm: name it by dataset= or "
                f"replicate=, or remove it by df.reset_index({level!r}, drop=True)."
            )
    table = _with_datasets(table, roles)
    names = {column for role, column in roles.items() if role != "algorithm"} | set(facts)
    nameless = set(map(str, table.columns[table.columns.isna()]))
    # After a pivot the names of columns may be numbers.
    table = table.set_axis(check_distinct(table.columns), axis=1)
    columns = [column for column in table.columns if column not in names]
    if not columns:
        raise BayescompareError("a wide table needs a column for each algorithm, and has none.")
    for column in columns:
        if not column.strip() or column.startswith("Unnamed:") or column in nameless:
            raise BayescompareError(
                f"column {column!r} has no name, so it cannot be an algorithm: remove it (with "
                "pandas, save the file by to_csv(index=False))."
            )
    pairs = pair_up(columns, list(measures), roles["algorithm"])
    return _stacked(table, roles, pairs, facts)


def _with_datasets(table: pd.DataFrame, roles: Roles) -> pd.DataFrame:
    """Take the row labels of a wide frame as the datasets, if no column names them."""
    has_column = roles["dataset"] in map(str, table.columns)
    if not has_column and roles["dataset"] == "dataset" and table.index.names == [None]:
        table = table.assign(dataset=[str(label) for label in table.index])
    for role, column in roles.items():
        if role != "algorithm":
            find_column(table, f"{role}={column!r}", column)
    return table


def _stacked(
    table: pd.DataFrame, roles: Roles, pairs: Pairs, facts: Collection[str]
) -> tuple[pd.DataFrame, Roles]:
    _check_numeric(table, list(pairs), roles["algorithm"])
    return stack(table, roles, pairs, facts), {role: role for role in roles}


def _two_level(
    table: pd.DataFrame, roles: Roles, measures: Collection[str]
) -> tuple[pd.DataFrame, Roles]:
    """Read a header of two levels: the algorithms and the measures, in either order."""
    if table.columns.nlevels > 2:
        raise BayescompareError(
            f"df has {table.columns.nlevels} levels of column names: a wide frame has two, of "
            f"algorithms and of measures, and a long one has one; {_ONE_LEVEL}"
        )
    labels: list[Any] = table.columns.tolist()
    keys = [(str(above), str(below)) for above, below in labels]
    # reset_index() leaves the second level of its columns empty.
    plain = [above for above, below in keys if not below.strip()]
    cells = [key for key in keys if key[1].strip()]
    if roles["algorithm"] in plain:
        names = quoted_names([" ".join(key) for key in cells], 4)
        raise BayescompareError(
            f"df has a column {roles['algorithm']!r}, so that it is long, and two levels of column "
            f"names, as in {names}: {_ONE_LEVEL}"
        )
    above, below = ({key[level] for key in cells} for level in (0, 1))
    is_above, is_below = (set(measures) <= names for names in (above, below))
    if is_above == is_below:
        seen = quoted_names(sorted(above | below), 8)
        raise BayescompareError(
            f"measures: {quoted_names(list(measures))} must all be in one of the two "
            f"levels of column names, which have {seen}; or {_ONE_LEVEL}"
        )
    flat = [one if not two.strip() else f"{one} {two}" for one, two in keys]
    table = _with_datasets(table.set_axis(check_distinct(flat), axis=1), roles)
    pairs = {
        f"{one} {two}": ((two, one) if is_above else (one, two))
        for one, two in cells
        if (one if is_above else two) in measures
    }
    return _stacked(table, roles, pairs, [name for name in plain if name not in roles.values()])


def stack(
    table: pd.DataFrame, roles: Roles, pairs: Pairs, facts: Collection[str] = ()
) -> pd.DataFrame:
    """Stack the columns of the algorithms, each below those of the one before."""
    algorithms = list(dict.fromkeys(algorithm for algorithm, _ in pairs.values()))
    block = {algorithm: k for k, algorithm in enumerate(algorithms)}
    by_measure: dict[str, dict[int, str]] = {}
    for column, (algorithm, measure) in pairs.items():
        by_measure.setdefault(measure, {})[block[algorithm]] = column
    rows = np.tile(np.arange(len(table)), len(algorithms))
    stacked = {"algorithm": pd.Series(np.repeat(np.array(algorithms, dtype=object), len(table)))}
    kept = {role: column for role, column in roles.items() if role != "algorithm"}
    kept |= {name: name for name in facts if name in table.columns}
    for role, column in kept.items():
        stacked[role] = table[column].iloc[rows].reset_index(drop=True)
    for measure, columns in by_measure.items():
        stacked[measure] = _stack_column(table, columns, len(rows))
    return pd.DataFrame(stacked).set_axis(table.index[rows], axis=0)


def _stack_column(table: pd.DataFrame, columns: Mapping[int, str], length: int) -> pd.Series[Any]:
    """Put each column into its block of rows; the cells of a block without one are missing."""
    chosen = table[list(columns.values())]
    if all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in chosen.dtypes):
        blocks = np.full((length // len(table), len(table)), np.nan)
        blocks[list(columns)] = chosen.to_numpy(dtype=np.float64).T
        return pd.Series(blocks.ravel())
    places = [np.arange(len(table)) + k * len(table) for k in columns]
    cells = pd.concat([table[column] for column in columns.values()])
    whole: pd.Series[Any] = cells.set_axis(np.concatenate(places), axis=0).reindex(range(length))
    return whole


def _check_numeric(table: pd.DataFrame, columns: Sequence[str], algorithm: str) -> None:
    kinds = {column: kind.kind for column, kind in table.dtypes.items()}
    unsure = [column for column in columns if kinds[column] not in "iuf"]
    faults = {column: non_numbers(table[column]) for column in unsure}
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


type Pairs = dict[str, tuple[str, str]]

SEPARATORS = (" ", "_", ".", ":", "/", "|", "-")


class _Convention(NamedTuple):
    """One way to join the names of an algorithm and a measure to the name of a column."""

    separator: str
    measure_first: bool

    def column(self, algorithm: str, measure: str) -> str:
        pair = (measure, algorithm) if self.measure_first else (algorithm, measure)
        return self.separator.join(pair)

    def parts(self, column: str, length: int) -> tuple[str, str] | None:
        """Split a column's name into an algorithm and a measure of that length, if possible."""
        if len(column) <= length + 1:
            return None
        if self.measure_first:
            measure, mark, algorithm = column[:length], column[length], column[length + 1 :]
        else:
            measure, mark, algorithm = column[-length:], column[-length - 1], column[: -length - 1]
        return (algorithm, measure) if mark == self.separator else None

    def read(self, columns: Sequence[str], measures: Sequence[str]) -> Pairs:
        """Return the algorithm and the measure of each column that follows the convention."""
        known = set(measures)
        # The longest first: in svm_macro_f1 the measure is macro_f1, if there is one, not f1.
        # Trying lengths is faster than trying measures: there may be as many as columns.
        lengths = sorted({len(measure) for measure in measures}, reverse=True)
        pairs: Pairs = {}
        for column in columns:
            ways = (self.parts(column, length) for length in lengths)
            pair = next((pair for pair in ways if pair is not None and pair[1] in known), None)
            if pair is not None:
                pairs[column] = pair
        return pairs


_CONVENTIONS = [_Convention(sep, first) for sep in SEPARATORS for first in (False, True)]


def pair_up(columns: Sequence[str], measures: Sequence[str], algorithm: str) -> Pairs:
    """Return the algorithm and the measure of each column.

    With one measure every column is an algorithm; with several it is a pair, by the one
    convention that fits. `algorithm` is the column that a long table would have.

    Examples
    --------
    >>> pair_up(["svm", "nb"], ["auc"], "algorithm")
    {'svm': ('svm', 'auc'), 'nb': ('nb', 'auc')}
    >>> pair_up(["time svm", "auc svm"], ["auc", "time"], "algorithm")
    {'time svm': ('svm', 'time'), 'auc svm': ('svm', 'auc')}
    """
    if len(measures) == 1:
        _check_one_measure(columns, measures[0])
        return {column: (column, measures[0]) for column in columns}
    readings = [convention.read(columns, measures) for convention in _CONVENTIONS]
    whole = [
        pairs
        for pairs in readings
        if len(pairs) == len(columns) and {m for _, m in pairs.values()} == set(measures)
    ]
    # Prefer readings in which every algorithm has every measure.
    balanced = [p for p in whole if len(p) == len({a for a, _ in p.values()}) * len(measures)]
    fitting = balanced or whole
    if not fitting:
        raise BayescompareError(_unexplained(max(readings, key=len), columns, measures, algorithm))
    for column in columns:
        ways = dict.fromkeys(f"{m!r} of {a!r}" for a, m in (pairs[column] for pairs in fitting))
        if len(ways) > 1:
            raise BayescompareError(
                f"the columns can be read in more than one way, {column!r} as "
                f"{' or '.join(ways)}: rename the columns, or give a long table."
            )
    return fitting[0]


def _unexplained(
    best: Pairs, columns: Sequence[str], measures: Sequence[str], algorithm: str
) -> str:
    left = [column for column in columns if column not in best]
    if left:
        return (
            "these columns do not name an algorithm and one of the measures "
            f"{quoted_names(measures)}, as in {'svm_' + measures[0]!r}: {quoted_names(left)}. If "
            f"the table is long, algorithm={algorithm!r} is not one of its "
            f"columns.{did_you_mean(algorithm, columns)}"
        )
    named = {measure for _, measure in best.values()}
    absent = [m for m in measures if m not in named]
    return f"no column for the measure {quoted_names(absent)}."


def _check_one_measure(columns: Sequence[str], measure: str) -> None:
    """Refuse svm_time beside svm_accuracy if only accuracy was declared.

    With one measure every column is an algorithm, so the times would be taken for accuracies.
    """
    near = [column for column in columns if measure in column]
    for convention in _CONVENTIONS:
        own = convention.read(near, [measure])
        algorithms = [algorithm for algorithm, _ in own.values()]
        if len(algorithms) < 2:
            continue
        rest = dict.fromkeys(column for column in columns if column not in own)
        swapped = _Convention(convention.separator, not convention.measure_first)
        for column in rest:
            # Read the other way round, to find what stands beside the first algorithm's name.
            pair = swapped.parts(column, len(algorithms[0]))
            other = pair[0] if pair is not None and pair[1] == algorithms[0] else None
            if other and all(convention.column(a, other) in rest for a in algorithms):
                raise BayescompareError(
                    f"the columns name the measures {measure!r} and {other!r}, but measures= has "
                    f"only {measure!r}: add the other one, or remove its columns."
                )
