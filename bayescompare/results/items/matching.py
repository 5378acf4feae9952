"""One dataset's items, matched on their ids: values of every algorithm, clusters, epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.results.items.frame import (
    item_cluster_across_words,
    items_twice_words,
    torn_item_words,
)

__all__ = ["ItemPiece", "MatchedItems", "check_item_cluster_dataset", "match_items"]


class ItemPiece(NamedTuple):
    """Some rows of one dataset and algorithm."""

    item: pd.Series[Any]
    values: FloatArray
    cluster: pd.Series[Any] | None
    epoch: pd.Series[Any] | None


class MatchedItems(NamedTuple):
    """The items of one dataset: values (l, k, m), NaN where an algorithm lacks one; clusters."""

    values: FloatArray
    cluster: IntArray | None
    cluster_names: pd.Index[Any] | None
    epochs: IntArray | None


def match_items(
    dataset: str, algorithms: Sequence[str], cells: Mapping[int, list[ItemPiece]]
) -> MatchedItems:
    """Match one dataset's items on their ids; refuse ids that occur twice."""
    pieces = [(a, piece) for a, own in cells.items() for piece in own]
    code, ids = pd.factorize(pd.concat([piece.item for _, piece in pieces], ignore_index=True))
    sizes = [len(piece.item) for _, piece in pieces]
    algorithm = np.repeat([a for a, _ in pieces], sizes)
    values = np.concatenate([piece.values for _, piece in pieces])
    cluster, names = None, None
    if pieces[0][1].cluster is not None:
        cluster, names = _item_clusters(dataset, pieces, code, ids)
    l, k, m = len(algorithms), len(ids), values.shape[1]
    place = algorithm * k + code
    if pieces[0][1].epoch is not None:
        epoch, labels = pd.factorize(
            pd.concat([p.epoch for _, p in pieces if p.epoch is not None], ignore_index=True)
        )
        _check_item_once(dataset, algorithms, ids, place, (epoch, labels))
        cube, epochs = _item_epoch_means(values, place, l * k)
    else:
        _check_item_once(dataset, algorithms, ids, place, None)
        cube, epochs = np.full((l * k, m), np.nan), None
        cube[place] = values
    return MatchedItems(cube.reshape(l, k, m), cluster, names, epochs)


def _item_epoch_means(
    values: FloatArray, place: IntArray, size: int
) -> tuple[FloatArray, IntArray]:
    """Average the epochs of each item, every measure over those that have a value."""
    means = np.empty((size, values.shape[1]))
    for j, column in enumerate(values.T):
        there = ~np.isnan(column)
        number = np.bincount(place[there], minlength=size)
        total = np.bincount(place[there], column[there], size)
        means[:, j] = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    epochs = np.bincount(place, minlength=size)
    return means, epochs[epochs > 0]


def _check_item_once(
    dataset: str,
    algorithms: Sequence[str],
    ids: pd.Index[Any],
    place: IntArray,
    epochs: tuple[IntArray, pd.Index[Any]] | None,
) -> None:
    """Refuse an item, or an epoch of it, that an algorithm has twice."""
    if epochs is None:
        twice = np.flatnonzero(np.bincount(place) > 1)
    else:
        ordered = np.sort(place * len(epochs[1]) + epochs[0])
        twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(twice):
        return
    cells: list[tuple[str, ...]] = []
    for at in twice[:5].tolist():
        spot, epoch = (at, None) if epochs is None else divmod(at, len(epochs[1]))
        a, item = divmod(spot, len(ids))
        cell = (dataset, algorithms[a], str(ids[item]))
        cells.append(cell if epochs is None or epoch is None else (*cell, str(epochs[1][epoch])))
    raise BayescompareError(items_twice_words(cells, len(twice)))


def _item_clusters(
    dataset: str, pieces: Sequence[tuple[int, ItemPiece]], code: IntArray, ids: pd.Index[Any]
) -> tuple[IntArray, pd.Index[Any]]:
    """Return the number of each item's cluster and the names of the clusters."""
    column = pd.concat([p.cluster for _, p in pieces if p.cluster is not None], ignore_index=True)
    number, names = pd.factorize(column)
    cluster = np.zeros(len(ids), dtype=np.intp)
    cluster[code] = number
    torn = np.flatnonzero(cluster[code] != number)
    if len(torn):
        item = code[torn[0]]
        two = [str(names[number[torn[0]]]), str(names[cluster[item]])]
        raise BayescompareError(torn_item_words(dataset, str(ids[item]), two))
    return cluster, pd.Index(names)


def check_item_cluster_dataset(
    dataset: str, names: pd.Index[Any] | None, seen: dict[Any, str]
) -> None:
    """Refuse a cluster that another dataset has."""
    if names is None:
        return
    for name in names.tolist():
        other = seen.setdefault(name, dataset)
        if other != dataset:
            raise BayescompareError(item_cluster_across_words(str(name), [other, dataset]))
