"""Tables of test items: epochs averaged within an item, and the clusters that items belong to.

An item is one question, document or example that every algorithm answers. It may be answered
several times (epochs), which is one replicate, not several: the epochs are averaged first. Items
may come in clusters, such as questions about one passage; a cluster lies within one dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_word
from bayescompare._errors import BayescompareError
from bayescompare.results.frames import find_frame_columns, frame_row_names, numbers_in_frame
from bayescompare.results.replicates import REPLICATE_KINDS, ReplicateKind
from bayescompare.results.text import first_words_in_results
from bayescompare.text.numbers import plural

__all__ = [
    "item_cluster_across_words",
    "item_cluster_dims",
    "item_epoch_note",
    "item_frame",
    "item_truth_as_numbers",
    "items_twice_words",
    "replicate_kind_of_items",
    "torn_item_words",
]

_SHOWN = 4


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
    columns = find_frame_columns(df, roles, measures, "measure")
    parts: dict[str, Any] = {role: frame_row_names(df[columns[role]], role) for role in roles}
    for name in measures:
        parts[name] = numbers_in_frame(
            item_truth_as_numbers(df[columns[name]]), f"measure {name!r}"
        )
    table = pd.DataFrame(parts, index=df.index)
    key = ["dataset", "algorithm", "replicate"]
    _check_item_names(table)
    if "epoch" not in roles:
        return table, ()
    groups = table.groupby(key, sort=False)
    sizes = groups.size()
    kept = groups[["cluster"]].first() if "cluster" in table else None
    means = groups[list(measures)].mean()
    whole = means if kept is None else means.join(kept)
    return whole.reset_index(), (item_epoch_note(sizes.to_numpy()),)


def item_epoch_note(sizes: Any) -> str:
    """Say over how many epochs the items were averaged."""
    fewest, most = int(np.min(sizes)), int(np.max(sizes))
    words = plural(most, "epoch") if fewest == most else f"{fewest} to {most} epochs"
    return f"each item is the mean of {words}"


def item_truth_as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return True and False, which say right and wrong, as 1 and 0; other columns as they are."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype("Float64").astype("float64") if column.isna().any() else column * 1.0
    kinds = (bool, np.bool_)
    if column.dtype == object and column.map(lambda v: isinstance(v, kinds)).any():
        return column.map(lambda v: float(v) if isinstance(v, kinds) else v)
    return column


def _check_item_names(table: pd.DataFrame) -> None:
    """Refuse an item that occurs twice, is in two clusters, or a cluster in two datasets."""
    key = ["dataset", "algorithm", "replicate"]
    whole = [*key, "epoch"] if "epoch" in table else key
    twice = table.loc[table.duplicated(whole), whole].drop_duplicates()
    if len(twice):
        raise BayescompareError(items_twice_words(list(twice.itertuples(index=False, name=None))))
    if "cluster" not in table:
        return
    by_cluster = table.groupby("cluster", sort=False)["dataset"]
    across = by_cluster.nunique()
    if (across > 1).any():
        name = str(across.index[across > 1][0])
        raise BayescompareError(
            item_cluster_across_words(name, list(by_cluster.unique()[name])[:2])
        )
    places = table.drop_duplicates(["dataset", "replicate", "cluster"])
    torn = places[places.duplicated(["dataset", "replicate"], keep=False)]
    if len(torn):
        dataset, item = torn.iloc[0][["dataset", "replicate"]]
        own = torn[(torn["dataset"] == dataset) & (torn["replicate"] == item)]["cluster"].tolist()
        raise BayescompareError(torn_item_words(str(dataset), str(item), own[:2]))


# ------------------------------------------------------------------------------------------ words


def items_twice_words(cells: list[tuple[str, ...]], number: int | None = None) -> str:
    """Say which items occur twice, and what to do."""
    named = [
        f"item {cell[2]!r} of {cell[1]!r} on {cell[0]!r}"
        + (f" in epoch {cell[3]!r}" if len(cell) > 3 else "")
        for cell in cells
    ]
    more = len(cells) if number is None else number
    rest = f" and {more - _SHOWN} more" if more > _SHOWN else ""
    remedy = (
        "keep one row of each."
        if cells and len(cells[0]) > 3
        else "if the rows are repeated runs of an item, name their column by epoch=; else keep one."
    )
    return (
        f"{plural(more, 'item')} {'occurs' if more == 1 else 'occur'} more than once: "
        f"{first_words_in_results(named[:_SHOWN])}{rest}; {remedy}"
    )


def item_cluster_across_words(cluster: str, datasets: list[str]) -> str:
    """Say that a cluster is in two datasets, and what to do."""
    return (
        f"cluster {cluster!r} is in the datasets {datasets[0]!r} and {datasets[1]!r}: a cluster "
        "lies within one dataset; if only the names are the same, put the dataset's in front."
    )


def torn_item_words(dataset: str, item: str, clusters: list[str]) -> str:
    """Say that an item is in two clusters."""
    return (
        f"item {item!r} of {dataset!r} is in the clusters {clusters[0]!r} and {clusters[1]!r}: an "
        "item belongs to one cluster, the same for every algorithm."
    )


# --------------------------------------------------------------------------------------- clusters


def item_cluster_dims(table: pd.DataFrame, data: xr.Dataset) -> xr.DataArray:
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
