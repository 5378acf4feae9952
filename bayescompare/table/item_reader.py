"""Tables of test items: kept whole, or read in pieces, paired on the item's id, and summarised.

An item is one question, document or example that every algorithm answers. It may be answered
several times (epochs), which is one replicate, not several: the epochs are averaged first. Items
may come in clusters, such as questions about one passage; a cluster lies within one dataset.

Of a table too large to keep every piece is split by dataset and algorithm. At the end each
dataset's items are matched on their ids, and only statistics are kept. That takes time in
proportion to the rows, and about 60 bytes of memory for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.table.cells import REPLICATE_KINDS, ReplicateKind, span_of, span_words
from bayescompare.table.frames import (
    check_frame,
    check_table_size,
    find_columns,
    numbers_in,
    row_names,
    row_words,
    spread,
)
from bayescompare.table.input import most_cells
from bayescompare.table.items import PairItems, exact_item_mean, pair_items, statistics_of
from bayescompare.table.measure import Measure
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, plural, setting_number_text, whole_number_text

#: Rows up to which every item is kept; above, their statistics are.
MOST_ROWS = 1_000_000
#: Numbers in the array of all items, of which 8 bytes each are kept.
_MOST_CELLS = 2**26
_CHUNK = 500_000
_KEY = ["dataset", "algorithm", "replicate"]
#: Some rows of one dataset and algorithm: what else is said of them, and their values.
type Piece = tuple[pd.DataFrame, FloatArray]


def replicate_kind_of_items(
    replicates: ReplicateKind, roles: Mapping[str, str | None], keep_items: bool | None = None
) -> ReplicateKind:
    """Return what the replicates are: as given, and items where only items can be meant.

    Examples
    --------
    >>> replicate_kind_of_items("folds", {"replicate": "question", "cluster": "passage"})
    'items'
    """
    check_word("replicates", replicates, REPLICATE_KINDS)
    if keep_items is not None:
        check_flag(keep_items=keep_items)
    for role in ("cluster", "epoch"):
        column = roles.get(role)
        if column is None:
            continue
        if replicates == "seeds":
            raise BayescompareError(
                f"{role}={column!r} is about items, and replicates={replicates!r}: set "
                "replicates='items'."
            )
        if roles.get("replicate") is None:
            raise BayescompareError(
                f"{role}={column!r} is about items: name the column of their ids by replicate=."
            )
        replicates = "items"
    return replicates


def item_fields(
    df: pd.DataFrame,
    roles: Mapping[str, str],
    spec: Mapping[str, Measure],
    keep_items: bool | None,
) -> dict[str, Any]:
    """Return the fields of the results of a frame, one row per item (and epoch)."""
    check_frame(df)
    large = len(df) > MOST_ROWS or _is_too_wide(df, roles, len(spec))
    if keep_items is False or (keep_items is None and large):
        reader = ItemReader(roles, spec)
        for start in range(0, len(df), _CHUNK):
            reader.add(df.iloc[start : start + _CHUNK])
        return reader.summary()
    table, notes = item_frame(df, roles, spec)
    data = spread(table, {role: role for role in _KEY}, spec)
    clusters = _cluster_numbers(table, data) if "cluster" in roles else None
    return {"data": data, "replicates": "items", "item_data": clusters, "notes": notes}


def _is_too_wide(df: pd.DataFrame, roles: Mapping[str, str], measures: int) -> bool:
    """Whether an array of all items is too large, as where each dataset has ids of its own."""
    cells = 1
    for role in _KEY:
        if roles[role] not in df:
            return False  # which is refused elsewhere
        cells *= int(df[roles[role]].nunique())
    return cells > _MOST_CELLS or cells * measures > most_cells()


# every item ---------------------------------------------------------------------------------------


def item_frame(
    df: pd.DataFrame, roles: Mapping[str, str], measures: Collection[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return one row per dataset, algorithm and item, with roles as columns, and notes.

    Right and wrong may be True and False. Epochs are averaged, each measure over the epochs that
    have a value.

    Parameters
    ----------
    df : pandas.DataFrame
    roles : mapping of str to str
        The columns of dataset, algorithm and replicate, perhaps of cluster and epoch.
    measures : collection of str
        The columns with the values.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "dataset": "d", "algorithm": "A", "item": ["q", "q"], "run": [1, 2], "right": [1, 0],
    ... })
    >>> roles = {"dataset": "dataset", "algorithm": "algorithm", "replicate": "item",
    ...          "epoch": "run"}
    >>> table, notes = item_frame(frame, roles, ["right"])
    >>> table["right"].tolist(), notes
    ([0.5], ('each item is the mean of 2 epochs',))
    """
    columns = find_columns(df, roles, measures, "measure")
    parts: dict[str, Any] = {role: row_names(df[columns[role]], role) for role in roles}
    parts |= {name: _numbers(df[columns[name]], name) for name in measures}
    table = pd.DataFrame(parts, index=df.index)
    _check_names(table)
    if "epoch" not in roles:
        return table, ()
    groups = table.groupby(_KEY, sort=False)
    whole = groups[list(measures)].mean()
    if "cluster" in table:
        whole = whole.join(groups[["cluster"]].first())
    return whole.reset_index(), (_epoch_note(groups.size().tolist()),)


def _numbers(column: pd.Series[Any], name: str) -> FloatArray:
    """Return the values of a measure, where True and False say right and wrong."""
    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.astype("Float64").astype("float64")
    elif column.dtype == object:
        kinds = (bool, np.bool_)
        column = column.map(lambda v: float(v) if isinstance(v, kinds) else v)
    return numbers_in(column, f"measure {name!r}")


def _check_names(table: pd.DataFrame) -> None:
    """Refuse an item that occurs twice, is in two clusters, or a cluster in two datasets."""
    whole = [*_KEY, "epoch"] if "epoch" in table else _KEY
    twice = table.loc[table.duplicated(whole), whole].drop_duplicates()
    if len(twice):
        cells = [
            f"item {item!r} of {algorithm!r} on {dataset!r}"
            + "".join(f" in epoch {each!r}" for each in epoch)
            for dataset, algorithm, item, *epoch in twice.itertuples(index=False, name=None)
        ]
        remedy = (
            "keep one row of each."
            if "epoch" in table
            else "if the rows are repeated runs of an item, name their column by epoch=; else keep "
            "one."
        )
        raise BayescompareError(
            f"{plural(len(cells), 'item')} {'occurs' if len(cells) == 1 else 'occur'} more than "
            f"once: {first_words(cells, 4)}; {remedy}"
        )
    if "cluster" not in table:
        return
    places = table.drop_duplicates(["dataset", "replicate", "cluster"])
    for name, own in places.groupby("cluster", sort=False)["dataset"].unique().items():
        if len(own) > 1:
            raise _across(name, *own[:2])
    torn = places[places.duplicated(["dataset", "replicate"], keep=False)]
    if len(torn):
        dataset, item = torn.iloc[0][["dataset", "replicate"]]
        own = torn[(torn["dataset"] == dataset) & (torn["replicate"] == item)]["cluster"].tolist()
        raise BayescompareError(
            f"item {item!r} of {dataset!r} is in the clusters {own[0]!r} and {own[1]!r}: an item "
            "belongs to one cluster, the same for every algorithm."
        )


def _across(cluster: object, one: str, other: str) -> BayescompareError:
    return BayescompareError(
        f"cluster {str(cluster)!r} is in the datasets {one!r} and {other!r}: a cluster lies within "
        "one dataset; if only the names are the same, put the dataset's in front."
    )


def _cluster_numbers(table: pd.DataFrame, data: xr.Dataset) -> xr.Dataset:
    """Return the number of each item's cluster, over dataset and replicate; −1 where no item is.

    Clusters are numbered over the whole table, so that no number is in two datasets.
    """
    dims = ("dataset", "replicate")
    whole = np.full([data.sizes[dim] for dim in dims], -1, dtype=np.int64)
    at = tuple(data.indexes[dim].get_indexer(pd.Index(table[dim])) for dim in dims)
    whole[at] = pd.factorize(table["cluster"])[0]
    return xr.Dataset({"cluster": (dims, whole)}, {dim: data[dim].values for dim in dims})


# their statistics ---------------------------------------------------------------------------------


class ItemReader:
    """Takes a long table of items in pieces, and gives its statistics.

    Parameters
    ----------
    roles : mapping of str to str
        The columns of dataset, algorithm and replicate, perhaps of cluster and epoch.
    spec : mapping of str to Measure

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "dataset": "d", "algorithm": ["A", "A", "B", "B"], "item": [1, 2, 2, 1],
    ...     "right": [1, 0, 0, 1],
    ... })
    >>> roles = {"dataset": "dataset", "algorithm": "algorithm", "replicate": "item"}
    >>> reader = ItemReader(roles, {"right": Measure("max")})
    >>> reader.add(frame[:3])
    >>> reader.add(frame[3:])
    >>> reader.summary()["item_data"]["items"].sel(algorithm="A", opponent="B").item()
    2
    """

    def __init__(self, roles: Mapping[str, str], spec: Mapping[str, Measure]) -> None:
        self._roles, self._spec = dict(roles), dict(spec)
        self._names: dict[str, dict[str, int]] = {"dataset": {}, "algorithm": {}}
        self._cells: dict[tuple[int, int], list[Piece]] = {}
        self._rows = 0

    def add(self, df: pd.DataFrame) -> None:
        """Take some rows."""
        columns = find_columns(df, self._roles, self._spec, "measure")
        values = np.stack([self._measured(df[columns[name]], name) for name in self._spec], axis=1)
        known = {role: _known_column(df[columns[role]], role) for role in self._roles}
        places = [self._coded(known.pop(role), role) for role in ("dataset", "algorithm")]
        rest = pd.DataFrame(known)
        self._rows += len(df)
        cell = places[0] * len(self._names["algorithm"]) + places[1]
        for code in np.flatnonzero(np.bincount(cell)).tolist():
            here = np.flatnonzero(cell == code)
            own = self._cells.setdefault(divmod(code, len(self._names["algorithm"])), [])
            own.append((rest.take(here), values[here]))

    def _measured(self, column: pd.Series[Any], name: str) -> FloatArray:
        """Return a column's numbers; refuse infinite ones and those out of bounds."""
        values = _numbers(column, name)
        low, high = self._spec[name].bounds or (None, None)
        outside = values < (-np.inf if low is None else low)
        outside |= values > (np.inf if high is None else high)
        for wrong, what in (
            (np.isinf(values), f"infinite cells of {name!r}"),
            (outside, f"cells outside bounds={self._spec[name].bounds} of {name!r}"),
        ):
            if wrong.any():
                rows = zip(row_words(column[wrong]), values[wrong].tolist(), strict=True)
                cells = [f"{row} is {setting_number_text(value)}" for row, value in rows]
                raise BayescompareError(
                    f"{what}: {first_words(cells, 4)}. Correct or empty the cells."
                )
        return values

    def _coded(self, column: pd.Series[Any], role: str) -> IntArray:
        """Number the names of datasets or algorithms, in order of first appearance."""
        codes, unique = pd.factorize(column)
        names = row_names(pd.Series(unique, name=column.name), role)
        seen = self._names[role]
        numbered = np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.intp)
        return numbered[codes]

    def summary(self) -> dict[str, Any]:
        """Match the items of every dataset; return the fields of results with their statistics."""
        if not self._rows:
            raise BayescompareError("the table has no rows.")
        datasets, algorithms = (list(self._names[role]) for role in ("dataset", "algorithm"))
        coords = {"dataset": datasets, "algorithm": algorithms, "opponent": algorithms}
        check_table_size(coords, len(self._spec))
        n, l, m = len(datasets), len(algorithms), len(self._spec)
        means, binary = np.full((n, l, m), np.nan), np.zeros((n, l, m), dtype=bool)
        own, own_means = np.zeros((n, l), dtype=np.int64), np.full((n, l, l, m), np.nan)
        pairs: dict[tuple[int, int, int], PairItems] = {}
        matched: list[_Matched] = []
        clusters: dict[Any, str] = {}
        for i, name in enumerate(datasets):
            cells = {a: self._cells.pop((i, a), []) for a in range(l)}
            items = _match(name, algorithms, cells)
            for cluster in items.clusters:
                if (other := clusters.setdefault(cluster, name)) != name:
                    raise _across(cluster, other, name)
            whole = ~np.isnan(items.values).any(axis=2)
            own[i] = whole.sum(axis=1)
            right_or_wrong = (items.values == 0.0) | (items.values == 1.0)
            binary[i] = (right_or_wrong | ~whole[:, :, None]).all(axis=1)
            mean_over = _means(items.values)
            some = whole.any(axis=1)
            shared = whole[some].all(axis=0)
            for a, b in itertools.product(range(l), repeat=2):
                own_means[i, a, b] = mean_over(a, whole[a] & whole[b])
            for a in np.flatnonzero(some).tolist():
                means[i, a] = mean_over(a, shared)
            for a, b in itertools.combinations(range(l), 2):
                here = whole[a] & whole[b]
                pairs[i, a, b] = pair_items(
                    items.values[a, here],
                    items.values[b, here],
                    None if items.cluster is None else items.cluster[here],
                    binary[i, a] & binary[i, b],
                )
            matched.append(_matched(name, items, whole))
        names = {"dataset": datasets, "algorithm": algorithms, "measure": list(self._spec)}
        data = xr.Dataset(
            {name: (("dataset", "algorithm"), means[:, :, j]) for j, name in enumerate(self._spec)},
            {dim: names[dim] for dim in ("dataset", "algorithm")},
        )
        clustered = "cluster" in self._roles
        statistics = statistics_of(pairs, own, own_means, binary, names, clustered=clustered)
        return {
            "data": data,
            "notes": _notes(matched, self._rows, l),
            "replicates": "items",
            "item_data": statistics,
            "averaged": span_of([one.shared for one in matched], "item"),
        }


def _known_column(column: pd.Series[Any], role: str) -> pd.Series[Any]:
    """Return a column of names without gaps, in a dtype whose values compare as they should."""
    if column.isna().any():
        row_names(column[column.isna()], role)  # which names the rows
    if role in ("dataset", "algorithm"):
        return column  # of which only the few different names matter
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype == object:
        if pd.api.types.infer_dtype(column, skipna=False) != "string":
            return pd.Series(row_names(column, role), column.index)
        column = column.astype("str")
    if column.dtype.kind not in "iuf" and (blank := (column == "").to_numpy(dtype=bool)).any():
        row_names(column[blank], role)
    return column


def _means(values: FloatArray) -> Callable[[int, BoolArray], FloatArray]:
    """Return a function for the means of an algorithm over some items, each worked out once."""
    known: dict[tuple[int, bytes], FloatArray] = {}

    def over(algorithm: int, here: BoolArray) -> FloatArray:
        if not here.any():
            return np.full(values.shape[2], np.nan)
        key = algorithm, np.packbits(here).tobytes()
        if key not in known:
            known[key] = exact_item_mean(values[algorithm, here])
        return known[key]

    return over


# matching -----------------------------------------------------------------------------------------


class _Items(NamedTuple):
    """The items of one dataset."""

    #: Of shape (l, k, m), NaN where an algorithm lacks one.
    values: FloatArray
    #: The number of each item's cluster, and their names.
    cluster: IntArray | None
    clusters: Sequence[Any]
    epochs: IntArray


def _match(dataset: str, algorithms: Sequence[str], cells: Mapping[int, list[Piece]]) -> _Items:
    """Match one dataset's items on their ids; refuse ids that occur twice."""
    pieces = [(a, *piece) for a, own in cells.items() for piece in own]
    rows = pd.concat([part for _, part, _ in pieces], ignore_index=True)
    values = np.concatenate([own for *_, own in pieces])
    algorithm = np.repeat([a for a, *_ in pieces], [len(part) for _, part, _ in pieces])
    code, ids = pd.factorize(rows["replicate"])
    l, k, m = len(algorithms), len(ids), values.shape[1]
    place, cluster, names = algorithm * k + code, None, pd.Index([])
    if "epoch" in rows:
        epoch = pd.factorize(rows["epoch"])[0]
        ordered = np.sort(place * (epoch.max() + 1) + epoch)
        wrong = bool((ordered[1:] == ordered[:-1]).any())
    else:
        wrong = int(np.bincount(place).max()) > 1
    if "cluster" in rows:
        number, names = pd.factorize(rows["cluster"])
        cluster = np.zeros(k, dtype=np.intp)
        cluster[code] = number
        wrong = wrong or bool((cluster[code] != number).any())
    if wrong:
        named = np.array(algorithms, dtype=object)[algorithm]
        _check_names(rows.astype(str).assign(dataset=dataset, algorithm=named))
    cube = np.full((l * k, m), np.nan)
    if "epoch" not in rows:
        cube[place] = values
        return _Items(cube.reshape(l, k, m), cluster, names.tolist(), np.array([], dtype=np.intp))
    # Every measure is averaged over the epochs that have a value.
    for j, column in enumerate(values.T):
        there = ~np.isnan(column)
        number = np.bincount(place[there], minlength=l * k)
        total = np.bincount(place[there], column[there], l * k)
        cube[:, j] = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    epochs = np.bincount(place)
    return _Items(cube.reshape(l, k, m), cluster, names.tolist(), epochs[epochs > 0])


# words --------------------------------------------------------------------------------------------


class _Matched(NamedTuple):
    """How well the items of one dataset match: numbers for the notes."""

    name: str
    epochs: list[int]
    #: Rows that lack a measure.
    broken: int
    #: Items that every algorithm has, and all.
    shared: int
    all: int


def _matched(name: str, items: _Items, whole: BoolArray) -> _Matched:
    present = ~np.isnan(items.values).all(axis=2)
    some = whole[whole.any(axis=1)]
    shared, together = int(some.all(axis=0).sum()), int(some.any(axis=0).sum())
    epochs = [int(items.epochs.min()), int(items.epochs.max())] if len(items.epochs) else []
    return _Matched(name, epochs, int((present & ~whole).sum()), shared, together)


def _notes(matched: Sequence[_Matched], rows: int, algorithms: int) -> tuple[str, ...]:
    """Tell of epochs, and of items that are not whole or unmatched."""
    items = span_words([one.shared for one in matched], "item")
    notes = [
        f"each cell is the mean of {items}; {whole_number_text(rows)} rows read, statistics kept"
    ]
    if epochs := [number for one in matched for number in one.epochs]:
        notes.append(_epoch_note(epochs))
    if broken := sum(one.broken for one in matched):
        notes.append(f"{plural(broken, 'row')} without a value for every measure left out")
    lost = {one.name: one.all - one.shared for one in matched}
    if number := sum(lost.values()):
        where = [
            f"{count(lost[one.name])} of {count(one.all)} on {one.name}"
            for one in matched
            if lost[one.name]
        ]
        each = "" if algorithms == 2 else "; each pair is compared on those that both have"
        notes.append(
            f"{plural(number, 'item')} that some algorithm lacks {'is' if number == 1 else 'are'} "
            f"left out for all: {first_words(where)}{each}"
        )
    return tuple(notes)


def _epoch_note(sizes: Sequence[int] | IntArray) -> str:
    return f"each item is the mean of {span_words(sizes, 'epoch')}"
