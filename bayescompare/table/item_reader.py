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
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.table.cells import REPLICATE_KINDS, ReplicateKind
from bayescompare.table.checks import check_notes
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
from bayescompare.table.items import (
    PairItems,
    exact_item_mean,
    pair_items,
    statistics_of,
)
from bayescompare.table.measure import Measure
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, plural, setting_number_text, whole_number_text

#: Rows up to which every item is kept; above, their statistics are.
MOST_ROWS = 1_000_000
#: Numbers in the array of all items, of which 8 bytes each are kept.
_MOST_CELLS = 2**26
_CHUNK = 500_000
_SHOWN = 4
#: Some rows of one dataset and algorithm: what else is said of them, and their values.
type Piece = tuple[pd.DataFrame, FloatArray]


def check_keep_items(keep_items: object) -> None:
    """Check the argument ``keep_items=``."""
    if keep_items is not None:
        check_flag(keep_items=keep_items)


def replicate_kind_of_items(
    replicates: ReplicateKind, roles: Mapping[str, str | None]
) -> ReplicateKind:
    """Return what the replicates are: as given, and items where only items can be meant.

    Examples
    --------
    >>> replicate_kind_of_items("folds", {"replicate": "question", "cluster": "passage"})
    'items'
    """
    check_word("replicates", replicates, REPLICATE_KINDS)
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
    check_keep_items(keep_items)
    check_frame(df)
    if not keep_items and (
        keep_items is not None or len(df) > MOST_ROWS or _too_wide(df, roles, len(spec))
    ):
        reader = ItemReader(roles, spec)
        for start in range(0, len(df), _CHUNK):
            reader.add(df.iloc[start : start + _CHUNK])
        return reader.summary()
    table, notes = item_frame(df, roles, spec)
    own = {role: role for role in ("dataset", "algorithm", "replicate")}
    data = spread(table, own, spec)
    clusters = cluster_numbers(table, data).to_dataset() if "cluster" in roles else None
    fields = {"data": data, "replicates": "items", "item_data": clusters}
    return {**fields, "notes": check_notes(notes)}


def _too_wide(df: pd.DataFrame, roles: Mapping[str, str], measures: int) -> bool:
    """Whether an array of all items is too large, as where each dataset has ids of its own."""
    cells = 1
    for role in ("dataset", "algorithm", "replicate"):
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
    for name in measures:
        parts[name] = numbers_in(truth_as_numbers(df[columns[name]]), f"measure {name!r}")
    table = pd.DataFrame(parts, index=df.index)
    key = ["dataset", "algorithm", "replicate"]
    _check_names(table)
    if "epoch" not in roles:
        return table, ()
    groups = table.groupby(key, sort=False)
    sizes = groups.size()
    kept = groups[["cluster"]].first() if "cluster" in table else None
    means = groups[list(measures)].mean()
    whole = means if kept is None else means.join(kept)
    return whole.reset_index(), (epoch_note(sizes.to_numpy()),)


def truth_as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return True and False, which say right and wrong, as 1 and 0; other columns as they are."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype("Float64").astype("float64") if column.isna().any() else column * 1.0
    kinds = (bool, np.bool_)
    if column.dtype == object and column.map(lambda v: isinstance(v, kinds)).any():
        return column.map(lambda v: float(v) if isinstance(v, kinds) else v)
    return column


def _check_names(table: pd.DataFrame) -> None:
    """Refuse an item that occurs twice, is in two clusters, or a cluster in two datasets."""
    key = ["dataset", "algorithm", "replicate"]
    whole = [*key, "epoch"] if "epoch" in table else key
    twice = table.loc[table.duplicated(whole), whole].drop_duplicates()
    if len(twice):
        raise BayescompareError(twice_words(list(twice.itertuples(index=False, name=None))))
    if "cluster" not in table:
        return
    by_cluster = table.groupby("cluster", sort=False)["dataset"]
    across = by_cluster.nunique()
    if (across > 1).any():
        name = str(across.index[across > 1][0])
        raise BayescompareError(cluster_across_words(name, list(by_cluster.unique()[name])[:2]))
    places = table.drop_duplicates(["dataset", "replicate", "cluster"])
    torn = places[places.duplicated(["dataset", "replicate"], keep=False)]
    if len(torn):
        dataset, item = torn.iloc[0][["dataset", "replicate"]]
        own = torn[(torn["dataset"] == dataset) & (torn["replicate"] == item)]["cluster"].tolist()
        raise BayescompareError(torn_words(str(dataset), str(item), own[:2]))


def cluster_numbers(table: pd.DataFrame, data: xr.Dataset) -> xr.DataArray:
    """Return the number of each item's cluster, over dataset and replicate; −1 where no item is.

    Clusters are numbered over the whole table, so that no number is in two datasets.
    """
    codes, _ = pd.factorize(table["cluster"])
    places = {
        dim: data.indexes[dim].get_indexer(pd.Index(table[dim])) for dim in ("dataset", "replicate")
    }
    whole = np.full((data.sizes["dataset"], data.sizes["replicate"]), -1, dtype=np.int64)
    whole[places["dataset"], places["replicate"]] = codes
    coords = {dim: data[dim].values for dim in ("dataset", "replicate")}
    return xr.DataArray(whole, coords, ("dataset", "replicate"), name="cluster")


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
        places = [self._coded(known[role], role) for role in ("dataset", "algorithm")]
        rest = pd.DataFrame({role: known[role] for role in self._roles if role not in self._names})
        self._rows += len(df)
        cell = places[0] * len(self._names["algorithm"]) + places[1]
        for code in np.flatnonzero(np.bincount(cell)).tolist():
            d, a = divmod(code, len(self._names["algorithm"]))
            here = np.flatnonzero(cell == code)
            self._cells.setdefault((d, a), []).append((rest.take(here), values[here]))

    def _measured(self, column: pd.Series[Any], name: str) -> FloatArray:
        """Return a column's numbers; refuse infinite ones and those out of bounds."""
        values = numbers_in(truth_as_numbers(column), f"measure {name!r}")
        low, high = self._spec[name].bounds or (None, None)
        outside = values < (-np.inf if low is None else low)
        outside |= values > (np.inf if high is None else high)
        for wrong, what in (
            (np.isinf(values), f"infinite cells of {name!r}"),
            (outside, f"cells outside bounds={self._spec[name].bounds} of {name!r}"),
        ):
            if wrong.any():
                rows = zip(row_words(column[wrong][:4]), values[wrong].tolist(), strict=False)
                words = ", ".join(f"{row} is {setting_number_text(value)}" for row, value in rows)
                more = int(wrong.sum()) - 4
                rest = f" and {count(more)} more" if more > 0 else ""
                raise BayescompareError(f"{what}: {words}{rest}. Correct or empty the cells.")
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
        shape = (len(datasets), len(algorithms), len(self._spec))
        means, binary = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        own, shared_means = (
            np.zeros(shape[:2], dtype=np.int64),
            np.full((*shape[:2], *shape[1:]), np.nan),
        )
        pairs: dict[tuple[int, int, int], PairItems] = {}
        notes = ItemNotes()
        clusters: dict[Any, str] = {}
        for i, name in enumerate(datasets):
            cells = {a: self._cells.pop((i, a), []) for a in range(len(algorithms))}
            items = match_items(name, algorithms, cells)
            check_cluster_dataset(name, items.cluster_names, clusters)
            whole = ~np.isnan(items.values).any(axis=2)
            own[i], binary[i] = whole.sum(axis=1), _binary_measures(items.values, whole)
            averages = _Averages(items.values)
            means[i] = _shared_means(averages, whole)
            for a, here in enumerate(whole):
                shared_means[i, a, a] = averages.over(a, here)
            for a, b in itertools.combinations(range(len(algorithms)), 2):
                here = whole[a] & whole[b]
                shared_means[i, a, b] = averages.over(a, here)
                shared_means[i, b, a] = averages.over(b, here)
                pairs[i, a, b] = pair_items(
                    items.values[a, here],
                    items.values[b, here],
                    None if items.cluster is None else items.cluster[here],
                    binary[i, a] & binary[i, b],
                )
            notes.hear(name, items, whole)
        names = {"dataset": datasets, "algorithm": algorithms, "measure": list(self._spec)}
        data = xr.Dataset(
            {m: (("dataset", "algorithm"), means[:, :, j]) for j, m in enumerate(self._spec)},
            {dim: names[dim] for dim in ("dataset", "algorithm")},
        )
        clustered = "cluster" in self._roles
        statistics = statistics_of(pairs, own, shared_means, binary, names, clustered=clustered)
        return {
            "data": data,
            "notes": check_notes(notes.words(self._rows, len(algorithms))),
            "replicates": "items",
            "item_data": statistics,
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


class _Averages:
    """Means of an algorithm over some of the items, each worked out once."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values
        self._known: dict[int, list[tuple[BoolArray, FloatArray]]] = {}

    def over(self, algorithm: int, here: BoolArray) -> FloatArray:
        """Return the mean of every measure; NaN where there is no item."""
        if not here.any():
            return np.full(self._values.shape[2], np.nan)
        known = self._known.setdefault(algorithm, [])
        for mask, mean in known:
            if np.array_equal(mask, here):
                return mean
        known.append((here, exact_item_mean(self._values[algorithm, here])))
        return known[-1][1]


def _shared_means(averages: _Averages, whole: BoolArray) -> FloatArray:
    """Means over the items that every algorithm has, ignoring algorithms that have none at all."""
    there = whole.any(axis=1)
    shared = whole[there].all(axis=0)
    nowhere = np.zeros_like(shared)
    return np.stack([averages.over(a, shared if has else nowhere) for a, has in enumerate(there)])


def _binary_measures(values: FloatArray, whole: BoolArray) -> BoolArray:
    """Which measures are 0 or 1 on every item, for each algorithm, (l, m)."""
    return np.stack(
        [
            ((own[here] == 0.0) | (own[here] == 1.0)).all(axis=0)
            for own, here in zip(values, whole, strict=True)
        ]
    )


# matching -----------------------------------------------------------------------------------------


class MatchedItems(NamedTuple):
    """The items of one dataset: values (l, k, m), NaN where an algorithm lacks one; clusters."""

    values: FloatArray
    cluster: IntArray | None
    cluster_names: pd.Index[Any] | None
    epochs: IntArray | None


def match_items(
    dataset: str, algorithms: Sequence[str], cells: Mapping[int, list[Piece]]
) -> MatchedItems:
    """Match one dataset's items on their ids; refuse ids that occur twice."""
    pieces = [(a, *piece) for a, own in cells.items() for piece in own]
    rows = pd.concat([part for _, part, _ in pieces], ignore_index=True)
    values = np.concatenate([own for *_, own in pieces])
    algorithm = np.repeat([a for a, *_ in pieces], [len(part) for _, part, _ in pieces])
    code, ids = pd.factorize(rows["replicate"])
    l, k, m = len(algorithms), len(ids), values.shape[1]
    place, cluster, names = algorithm * k + code, None, None
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
    if "epoch" in rows:
        cube, epochs = _epoch_means(values, place, l * k)
    else:
        cube, epochs = np.full((l * k, m), np.nan), None
        cube[place] = values
    return MatchedItems(cube.reshape(l, k, m), cluster, names, epochs)


def _epoch_means(values: FloatArray, place: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """Average the epochs of each item, every measure over those that have a value."""
    means = np.empty((size, values.shape[1]))
    for j, column in enumerate(values.T):
        there = ~np.isnan(column)
        number = np.bincount(place[there], minlength=size)
        total = np.bincount(place[there], column[there], size)
        means[:, j] = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    epochs = np.bincount(place, minlength=size)
    return means, epochs[epochs > 0]


def check_cluster_dataset(dataset: str, names: pd.Index[Any] | None, seen: dict[Any, str]) -> None:
    """Refuse a cluster that another dataset has."""
    for name in [] if names is None else names.tolist():
        other = seen.setdefault(name, dataset)
        if other != dataset:
            raise BayescompareError(cluster_across_words(str(name), [other, dataset]))


# words --------------------------------------------------------------------------------------------


class ItemNotes:
    """Collects what a table's notes tell: epochs, items that are not whole or unmatched."""

    def __init__(self) -> None:
        self._epochs: list[IntArray] = []
        self._broken = 0
        self._unmatched: list[str] = []
        self._number = 0
        self._shared: list[int] = []

    def hear(self, name: str, items: MatchedItems, complete: BoolArray) -> None:
        """Take note of one dataset."""
        if items.epochs is not None:
            self._epochs.append(np.array([items.epochs.min(), items.epochs.max()]))
        present = ~np.isnan(items.values).all(axis=2)
        self._broken += int((present & ~complete).sum())
        some = complete[complete.any(axis=1)]
        shared, union = some.all(axis=0), some.any(axis=0)
        self._shared.append(int(shared.sum()))
        lost = int((union & ~shared).sum())
        if lost:
            self._number += lost
            self._unmatched.append(f"{count(lost)} of {count(int(union.sum()))} on {name}")

    def words(self, rows: int, algorithms: int) -> tuple[str, ...]:
        """Return the notes."""
        fewest, most = min(self._shared), max(self._shared)
        span = plural(most, "item") if fewest == most else f"{count(fewest)} to {count(most)} items"
        notes = [
            f"each cell is the mean of {span}; {whole_number_text(rows)} rows read, statistics kept"
        ]
        if self._epochs:
            notes.append(epoch_note(np.concatenate(self._epochs)))
        if self._broken:
            notes.append(
                f"{plural(self._broken, 'row')} without a value for every measure left out"
            )
        if self._unmatched:
            are = "is" if self._number == 1 else "are"
            each = "" if algorithms == 2 else "; each pair is compared on those that both have"
            notes.append(
                f"{plural(self._number, 'item')} that some algorithm lacks {are} left out for "
                f"all: {first_words(self._unmatched)}{each}"
            )
        return tuple(notes)


def epoch_note(sizes: Any) -> str:
    """Say over how many epochs the items were averaged."""
    fewest, most = int(np.min(sizes)), int(np.max(sizes))
    words = plural(most, "epoch") if fewest == most else f"{fewest} to {most} epochs"
    return f"each item is the mean of {words}"


def twice_words(cells: list[tuple[str, ...]]) -> str:
    """Say which items occur twice, and what to do."""
    named = [
        f"item {cell[2]!r} of {cell[1]!r} on {cell[0]!r}"
        + (f" in epoch {cell[3]!r}" if len(cell) > 3 else "")
        for cell in cells[:_SHOWN]
    ]
    more = len(cells)
    rest = f" and {more - _SHOWN} more" if more > _SHOWN else ""
    remedy = (
        "keep one row of each."
        if cells and len(cells[0]) > 3
        else "if the rows are repeated runs of an item, name their column by epoch=; else keep one."
    )
    return (
        f"{plural(more, 'item')} {'occurs' if more == 1 else 'occur'} more than once: "
        f"{', '.join(named)}{rest}; {remedy}"
    )


def cluster_across_words(cluster: str, datasets: list[str]) -> str:
    """Say that a cluster is in two datasets, and what to do."""
    return (
        f"cluster {cluster!r} is in the datasets {datasets[0]!r} and {datasets[1]!r}: a cluster "
        "lies within one dataset; if only the names are the same, put the dataset's in front."
    )


def torn_words(dataset: str, item: str, clusters: list[str]) -> str:
    """Say that an item is in two clusters."""
    return (
        f"item {item!r} of {dataset!r} is in the clusters {clusters[0]!r} and {clusters[1]!r}: an "
        "item belongs to one cluster, the same for every algorithm."
    )
