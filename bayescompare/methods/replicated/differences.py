"""Differences of two algorithms on every dataset: from the replicates, or from statistics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.replicated.items import replicated_item_patterns
from bayescompare.kernels.replicated.moments import (
    Moments,
    cluster_moments,
    replicate_moments,
)
from bayescompare.methods._shared.correlation import replicate_correlation
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.replicated import Replicated

__all__ = ["Differences", "replicated_pair_moments"]


class Differences(NamedTuple):
    """What the replicates of a pair come to, on every dataset.

    Attributes
    ----------
    moments : Moments
    rho : array (n,)
    patterns : list of array (3^m,) or None
        Counts of patterns of right and wrong, where every measure is binary and items are
        independent; else None.
    """

    moments: Moments
    rho: FloatArray
    patterns: list[FloatArray | None]


def replicated_pair_moments(method: Replicated, results: Results) -> Differences:
    """Return the moments of the differences "first less second", larger being better."""
    if results.item_data is not None and (method.rho, method.folds) != (None, None):
        if results.has_statistics and "clusters" not in results.item_data:
            return _replicated_statistics_differences(method, results, results.item_data)
        given = f"rho={method.rho!r}" if method.folds is None else f"folds={method.folds!r}"
        raise BayescompareError(
            f"{given}: the items come in clusters, which say how they are correlated; leave it "
            "out, or read the table without cluster=."
        )
    if results.item_data is None:
        return _from_replicates(method, results)
    if results.has_statistics:
        return _replicated_statistics_differences(method, results, results.item_data)
    return _replicated_cluster_differences(results, results.item_data["cluster"].values)


def _replicated_difference_cells(results: Results) -> FloatArray:
    """Cells (dataset, algorithm, replicate, measure), larger being better."""
    signs = [results[name].sign for name in results.measures]
    return np.asarray(np.moveaxis(results._cells(), 2, 3) * signs)


def _from_replicates(method: Replicated, results: Results) -> Differences:
    cells, there, seen = _seen_cells(results)
    number = there.sum(axis=1).astype(np.float64)
    rho = replicate_correlation(results, number, method.rho, method.folds)
    moments = _unseen(replicate_moments(cells[:, 0], cells[:, 1], rho), seen)
    patterns: list[FloatArray | None] = [None] * len(cells)
    if results.replicates == "items" and not rho.any():
        patterns = [
            _replicated_difference_patterns(own[:, here]) if whole else None
            for own, here, whole in zip(cells, there, seen.all(axis=1), strict=True)
        ]
    return Differences(moments, rho, patterns)


def _seen_cells(results: Results) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return cells, which replicates count (n, k), and which measures were seen (n, m).

    A measure is unseen where either algorithm lacks it; zeros stand for it. A replicate counts
    where both have it on every measure seen.
    """
    cells = _replicated_difference_cells(results)
    known = ~np.isnan(cells)
    seen = known.any(axis=2).all(axis=1)
    there = (known | ~seen[:, None, None, :]).all(axis=(1, 3))
    cells = np.where(seen[:, None, None, :], cells, 0.0)
    return np.where(there[:, None, :, None], cells, np.nan), there, seen


def _unseen(moments: Moments, seen: BoolArray) -> Moments:
    """Mark the measures that were not seen; without any replicates count for nothing."""
    return moments._replace(mean=np.where(seen, moments.mean, np.nan))


def _replicated_difference_patterns(cells: FloatArray) -> FloatArray | None:
    """Count the patterns of one dataset's items, (2, k, m), if every measure is right or wrong."""
    size = np.abs(cells)
    if not ((size == 0.0) | (size == 1.0)).all():
        return None
    return replicated_item_patterns((cells[0] - cells[1]).astype(np.int64))


def _replicated_cluster_differences(results: Results, cluster: IntArray) -> Differences:
    cells, there, seen = _seen_cells(results)
    parts = []
    for name, own, here, codes in zip(results.datasets, cells, there, cluster, strict=True):
        _, code = np.unique(codes[here], return_inverse=True)
        _check_replicated_test_clusters(name, int(code.max()) + 1)
        size = np.maximum(np.abs(own[0, here]), np.abs(own[1, here])).max(axis=0)
        parts.append(cluster_moments(own[0, here] - own[1, here], code, size))
    moments = Moments(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    return Differences(_unseen(moments, seen), np.zeros(len(cells)), [None] * len(cells))


def _check_replicated_test_clusters(dataset: str, number: int) -> None:
    if number < 2:
        raise BayescompareError(
            f"the items of {dataset!r} are all in one cluster, so how clusters vary is not known: "
            "leave out the dataset, or read the table without cluster=."
        )


def _replicated_statistics_differences(
    method: Replicated, results: Results, items: xr.Dataset
) -> Differences:
    signs = np.array([results[name].sign for name in results.measures], dtype=np.float64)
    number = items["items"].values[:, 0, 1].astype(np.float64)
    mean = items["difference"].values[:, 0, 1] * signs
    covariance = items["covariance"].values[:, 0, 1] * np.outer(signs, signs)
    if "clusters" in items:
        clusters = items["clusters"].values[:, 0, 1].astype(np.float64)
        for name, few in zip(results.datasets, clusters.tolist(), strict=True):
            _check_replicated_test_clusters(name, few)
        moments = Moments(mean + 0.0, covariance, clusters - 1.0, 1.0 / clusters)
        return Differences(moments, np.zeros(len(mean)), [None] * len(mean))
    rho = replicate_correlation(results, number, method.rho, method.folds)
    moments = Moments(mean + 0.0, covariance, number - 1.0, 1.0 / number + rho / (1.0 - rho))
    binary = items["binary"].values.astype(bool).all(axis=(1, 2))
    if rho.any() or not binary.any():
        return Differences(moments, rho, [None] * len(mean))
    return Differences(moments, rho, _replicated_test_kept_patterns(results, items, binary))


def _replicated_test_kept_patterns(
    results: Results, items: xr.Dataset, binary: BoolArray
) -> list[FloatArray | None]:
    """Turn the patterns that were kept so that "+" is better, whichever way a measure goes."""
    m = len(results.measures)
    assert json.loads(items.attrs["pattern_measures"]) == list(results.measures)
    cubes = items["patterns"].values[:, 0, 1].reshape(-1, *[3] * m)
    lower = tuple(1 + j for j, name in enumerate(results.measures) if results[name].sign < 0)
    turned = np.flip(cubes, axis=lower).reshape(len(cubes), -1)
    return [counts if there else None for counts, there in zip(turned, binary, strict=True)]
