"""From a long table of items to what `Results` hold: every item, or their statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bayescompare._checks import check_flag
from bayescompare._input import most_input_cells
from bayescompare.results.checks import check_notes
from bayescompare.results.frames import spread_frame
from bayescompare.results.items.frame import item_cluster_dims, item_frame
from bayescompare.results.items.reader import ItemReader, ItemSummary
from bayescompare.results.measure import Measure

__all__ = ["MOST_ROWS", "check_keep_items", "item_fields", "item_summary_fields"]

#: Rows up to which every item is kept; above, their statistics are.
MOST_ROWS = 1_000_000
#: Numbers in the array of all items, of which 8 bytes each are kept.
_MOST_CELLS = 2**26
_CHUNK = 500_000


def check_keep_items(keep_items: object) -> None:
    """Check the argument ``keep_items=``."""
    if keep_items is not None:
        check_flag(keep_items=keep_items)


def item_fields(
    df: pd.DataFrame,
    roles: Mapping[str, str],
    spec: Mapping[str, Measure],
    keep_items: bool | None,
) -> dict[str, Any]:
    """Return the fields of the results of a frame, one row per item (and epoch)."""
    check_keep_items(keep_items)
    argument: object = df
    if not isinstance(argument, pd.DataFrame):
        return {"data": spread_frame(df, roles, spec)}  # which refuses it
    if not keep_items and (
        keep_items is not None or len(df) > MOST_ROWS or _items_too_wide(df, roles, len(spec))
    ):
        reader = ItemReader(roles, spec)
        for start in range(0, len(df), _CHUNK):
            reader.add(df.iloc[start : start + _CHUNK])
        return item_summary_fields(reader.summary())
    table, notes = item_frame(df, roles, spec)
    own = {role: role for role in ("dataset", "algorithm", "replicate")}
    data = spread_frame(table, own, spec)
    clusters = None
    if "cluster" in roles:
        clusters = item_cluster_dims(table, data).to_dataset()
    return {
        "data": data,
        "notes": check_notes(notes),
        "replicates": "items",
        "item_data": clusters,
    }


def item_summary_fields(summary: ItemSummary) -> dict[str, Any]:
    """Return the fields of results that keep statistics."""
    return {
        "data": summary.data,
        "notes": check_notes(summary.notes),
        "replicates": "items",
        "item_data": summary.item_data,
    }


def _items_too_wide(df: pd.DataFrame, roles: Mapping[str, str], measures: int) -> bool:
    """Whether an array of all items is too large, as where each dataset has ids of its own."""
    cells = 1
    for role in ("dataset", "algorithm", "replicate"):
        if roles[role] not in df:
            return False  # which is refused elsewhere
        cells *= int(df[roles[role]].nunique())
    return cells > _MOST_CELLS or cells * measures > most_input_cells()
