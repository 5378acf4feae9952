"""Tables of items too large to keep: read in pieces, paired on the item's id, and summarised.

Every piece is split by dataset and algorithm. At the end each dataset's items are matched on their
ids, and only statistics are kept. That takes time in proportion to the rows, and about 60 bytes of
memory for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.results.frames import (
    check_table_size,
    find_frame_columns,
    frame_row_names,
    frame_row_words,
    numbers_in_frame,
)
from bayescompare.results.items.frame import item_truth_as_numbers
from bayescompare.results.items.matching import ItemPiece, check_item_cluster_dataset, match_items
from bayescompare.results.items.notes import ItemNotes
from bayescompare.results.items.statistics import (
    PairItems,
    exact_item_mean,
    pair_items,
    statistics_of,
)
from bayescompare.results.measure import Measure
from bayescompare.text.numbers import count, setting_number_text

__all__ = ["ItemReader", "ItemSummary"]


class ItemSummary(NamedTuple):
    """What is kept of a table of items: means, statistics, and notes."""

    data: xr.Dataset
    item_data: xr.Dataset
    notes: tuple[str, ...]


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
    >>> reader.summary().item_data["items"].sel(algorithm="A", opponent="B").item()
    2
    """

    def __init__(self, roles: Mapping[str, str], spec: Mapping[str, Measure]) -> None:
        self._roles, self._spec = dict(roles), dict(spec)
        self._names: dict[str, dict[str, int]] = {"dataset": {}, "algorithm": {}}
        self._cells: dict[tuple[int, int], list[ItemPiece]] = {}
        self._rows = 0

    def add(self, df: pd.DataFrame) -> None:
        """Take some rows."""
        columns = find_frame_columns(df, self._roles, self._spec, "measure")
        values = np.stack([self._measured(df[columns[name]], name) for name in self._spec], axis=1)
        known = {role: _known_item_column(df[columns[role]], role) for role in self._roles}
        places = [self._coded(known[role], role) for role in ("dataset", "algorithm")]
        self._rows += len(df)
        cell = places[0] * len(self._names["algorithm"]) + places[1]
        for code in np.flatnonzero(np.bincount(cell)).tolist():
            d, a = divmod(code, len(self._names["algorithm"]))
            here = np.flatnonzero(cell == code)
            part = {
                role: known[role].take(here).reset_index(drop=True)
                for role in known.keys() - {"dataset", "algorithm"}
            }
            piece = ItemPiece(
                part["replicate"], values[here], part.get("cluster"), part.get("epoch")
            )
            self._cells.setdefault((d, a), []).append(piece)

    def _measured(self, column: pd.Series[Any], name: str) -> FloatArray:
        """Return a column's numbers; refuse infinite ones and those out of bounds."""
        values = numbers_in_frame(item_truth_as_numbers(column), f"measure {name!r}")
        low, high = self._spec[name].bounds or (None, None)
        outside = values < (-np.inf if low is None else low)
        outside |= values > (np.inf if high is None else high)
        for wrong, what in (
            (np.isinf(values), f"infinite cells of {name!r}"),
            (outside, f"cells outside bounds={self._spec[name].bounds} of {name!r}"),
        ):
            if wrong.any():
                rows = zip(frame_row_words(column[wrong][:4]), values[wrong].tolist(), strict=False)
                words = ", ".join(f"{row} is {setting_number_text(value)}" for row, value in rows)
                more = int(wrong.sum()) - 4
                rest = f" and {count(more)} more" if more > 0 else ""
                raise BayescompareError(f"{what}: {words}{rest}. Correct or empty the cells.")
        return values

    def _coded(self, column: pd.Series[Any], role: str) -> IntArray:
        """Number the names of datasets or algorithms, in order of first appearance."""
        codes, unique = pd.factorize(column)
        names = frame_row_names(pd.Series(unique, name=column.name), role)
        seen = self._names[role]
        numbered = np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.intp)
        return numbered[codes]

    def summary(self) -> ItemSummary:
        """Match the items of every dataset and return their statistics."""
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
            check_item_cluster_dataset(name, items.cluster_names, clusters)
            whole = ~np.isnan(items.values).any(axis=2)
            own[i], binary[i] = whole.sum(axis=1), _binary_item_measures(items.values, whole)
            averages = _ItemAverages(items.values)
            means[i] = _shared_item_means(averages, whole)
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
        return ItemSummary(data, statistics, notes.words(self._rows, len(algorithms)))


def _known_item_column(column: pd.Series[Any], role: str) -> pd.Series[Any]:
    """Return a column of names without gaps, in a dtype whose values compare as they should."""
    if column.isna().any():
        frame_row_names(column[column.isna()], role)  # which names the rows
    if role in ("dataset", "algorithm"):
        return column  # of which only the few different names matter
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype == object:
        if pd.api.types.infer_dtype(column, skipna=False) != "string":
            return pd.Series(frame_row_names(column, role), column.index)
        column = column.astype("str")
    if column.dtype.kind not in "iuf" and (blank := (column == "").to_numpy(dtype=bool)).any():
        frame_row_names(column[blank], role)
    return column


class _ItemAverages:
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


def _shared_item_means(averages: _ItemAverages, whole: BoolArray) -> FloatArray:
    """Means over the items that every algorithm has, ignoring algorithms that have none at all."""
    there = whole.any(axis=1)
    shared = whole[there].all(axis=0)
    nowhere = np.zeros_like(shared)
    return np.stack([averages.over(a, shared if has else nowhere) for a, has in enumerate(there)])


def _binary_item_measures(values: FloatArray, whole: BoolArray) -> BoolArray:
    """Which measures are 0 or 1 on every item, for each algorithm, (l, m)."""
    return np.stack(
        [
            ((own[here] == 0.0) | (own[here] == 1.0)).all(axis=0)
            for own, here in zip(values, whole, strict=True)
        ]
    )
