"""From a table of replicates to what every dataset says about every statement.

The differences of two algorithms on a dataset come from its replicates, from clusters of items, or
from statistics that stand for items. Their moments give log ℓ of every statement; where items are
right or wrong, counts of patterns do.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.replicated.effects import ReplicatedEvidence, flat_replicated_evidence
from bayescompare.kernels.replicated.items import (
    discordant_replicated_items,
    replicated_item_patterns,
    replicated_item_rows,
)
from bayescompare.kernels.replicated.learned_effects import learned_evidence
from bayescompare.kernels.replicated.moments import (
    Moments,
    cluster_moments,
    replicate_moments,
)
from bayescompare.kernels.replicated.regions import (
    Ropes,
    certain_region_cells,
    product_of_region_cells,
    states_of_regions,
)
from bayescompare.methods._shared.correlation import replicate_correlation
from bayescompare.table.item_statistics import MOST_PATTERNS
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.replicated import Replicated

__all__ = ["SEED", "TableEvidence", "pair_moments", "table_evidence"]


#: Datasets from which the scale of effects can be learned.
_LEAST_DATASETS = 3
#: Items on which two algorithms differ, on each measure, from which differences are near normal.
_LEAST_DISCORDANT = 30
#: Seed of the lattice that four and more measures need: the same table gives the same rows.
SEED = 20161


class TableEvidence(NamedTuple):
    """The evidence of a table, with what it was computed from.

    Attributes
    ----------
    evidence : ReplicatedEvidence
    moments : Moments
    rho : array (n,)
    effects : str
        "learned" or "flat", as it was used; "counts" where every dataset was judged by counts.
    ropes : Ropes
    patterns : list of array or None
        Counts of patterns of right and wrong items.
    counted : array (n,), optional
        The datasets that were judged by these counts; None where no dataset was.
    """

    evidence: ReplicatedEvidence
    moments: Moments
    rho: FloatArray
    effects: str
    ropes: Ropes
    patterns: list[FloatArray | None]
    counted: BoolArray | None = None


def table_evidence(method: Replicated, results: Results) -> TableEvidence:
    """Compute log ℓ of every dataset and statement from the replicates of two algorithms."""
    table = _seen_evidence(method, results)
    if results.gaps != "worst":
        return table
    with np.errstate(divide="ignore"):
        failures = np.log(_failures(results))
    return table._replace(evidence=table.evidence._replace(log=table.evidence.log + failures))


def _failures(results: Results) -> FloatArray:
    """Which statements agree with the failed runs of each dataset, (n, K): a failure loses."""
    first, second = np.moveaxis(results.absent(), 1, 0)
    ropes = tuple(results[name].rope for name in results.measures)
    parts: list[tuple[list[int], FloatArray]] = []
    for j, rope in enumerate(ropes):
        failed = first[:, j] | second[:, j]
        # Two failures tie, and one is further below than any rope.
        mean = np.where(first[:, j] & second[:, j], 0.0, np.where(first[:, j], -math.inf, math.inf))
        parts.append(([j], np.where(failed[:, None], certain_region_cells(mean, rope), 1.0)))
    return product_of_region_cells(parts, states_of_regions(ropes))


def _seen_evidence(method: Replicated, results: Results) -> TableEvidence:
    """Compute it from the measures seen on each dataset."""
    found = pair_moments(method, results)
    ropes = tuple(results[name].rope for name in results.measures)
    rng = np.random.default_rng(SEED)
    counted = np.array([_is_by_counts(counts, len(ropes)) for counts in found.patterns])
    whole = found.moments, found.rho
    if not counted.any():
        evidence, effects = _of_moments(method, found.moments, ropes, rng)
        return TableEvidence(evidence, *whole, effects, ropes, found.patterns)
    chosen = zip(found.patterns, counted, strict=True)
    by_counts, error = replicated_item_rows(
        [c for c, here in chosen if c is not None and here], ropes, rng
    )
    if counted.all():
        evidence, effects = (
            ReplicatedEvidence(by_counts[None], np.array([math.nan]), error),
            "counts",
        )
    else:
        rest = Moments(*(field[~counted] for field in found.moments))
        others, effects = _of_moments(method, rest, ropes, rng)
        logs = np.empty((len(others.log), len(counted), by_counts.shape[1]))
        logs[:, counted], logs[:, ~counted] = by_counts, others.log
        evidence = ReplicatedEvidence(logs, others.scales, max(error, others.error))
    return TableEvidence(evidence, *whole, effects, ropes, found.patterns, counted)


def _of_moments(
    method: Replicated, moments: Moments, ropes: Ropes, rng: np.random.Generator
) -> tuple[ReplicatedEvidence, str]:
    """Evidence of means and covariances, and which prior of the effects it has."""
    seen = int(moments.seen.any(axis=1).sum())
    if method.effects == "learned" and seen >= _LEAST_DATASETS:
        learned = learned_evidence(moments, ropes, rng)
        if learned is not None:
            return learned, "learned"
    return flat_replicated_evidence(moments, ropes, rng), "flat"


def _is_by_counts(counts: FloatArray | None, measures: int) -> bool:
    """Whether a dataset is judged by counts of right and wrong items.

    One measure always is. Of several the differences are near enough to normal where each measure
    has enough items on which the two differ.
    """
    if counts is None:
        return False
    return measures == 1 or (
        measures <= MOST_PATTERNS
        and discordant_replicated_items(counts, measures) < _LEAST_DISCORDANT
    )


# differences -------------------------------------------------------------------------------------


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


def pair_moments(method: Replicated, results: Results) -> Differences:
    """Return the moments of the differences "first less second", larger being better."""
    if results.item_data is not None and (method.rho, method.folds) != (None, None):
        if results.has_statistics and "clusters" not in results.item_data:
            return _from_statistics(method, results, results.item_data)
        given = f"rho={method.rho!r}" if method.folds is None else f"folds={method.folds!r}"
        raise BayescompareError(
            f"{given}: the items come in clusters, which say how they are correlated; leave it "
            "out, or read the table without cluster=."
        )
    if results.item_data is None:
        return _from_replicates(method, results)
    if results.has_statistics:
        return _from_statistics(method, results, results.item_data)
    return _from_clusters(results, results.item_data["cluster"].values)


def _oriented_cells(results: Results) -> FloatArray:
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
            _item_patterns(own[:, here]) if whole else None
            for own, here, whole in zip(cells, there, seen.all(axis=1), strict=True)
        ]
    return Differences(moments, rho, patterns)


def _seen_cells(results: Results) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return cells, which replicates count (n, k), and which measures were seen (n, m).

    A measure is unseen where either algorithm lacks it; zeros stand for it. A replicate counts
    where both have it on every measure seen.
    """
    cells = _oriented_cells(results)
    known = ~np.isnan(cells)
    seen = known.any(axis=2).all(axis=1)
    there = (known | ~seen[:, None, None, :]).all(axis=(1, 3))
    cells = np.where(seen[:, None, None, :], cells, 0.0)
    return np.where(there[:, None, :, None], cells, np.nan), there, seen


def _unseen(moments: Moments, seen: BoolArray) -> Moments:
    """Mark the measures that were not seen; without any replicates count for nothing."""
    return moments._replace(mean=np.where(seen, moments.mean, np.nan))


def _item_patterns(cells: FloatArray) -> FloatArray | None:
    """Count the patterns of one dataset's items, (2, k, m), if every measure is right or wrong."""
    size = np.abs(cells)
    if not ((size == 0.0) | (size == 1.0)).all():
        return None
    return replicated_item_patterns((cells[0] - cells[1]).astype(np.int64))


def _from_clusters(results: Results, cluster: IntArray) -> Differences:
    cells, there, seen = _seen_cells(results)
    parts = []
    for name, own, here, codes in zip(results.datasets, cells, there, cluster, strict=True):
        _, code = np.unique(codes[here], return_inverse=True)
        _check_clusters(name, int(code.max()) + 1)
        size = np.maximum(np.abs(own[0, here]), np.abs(own[1, here])).max(axis=0)
        parts.append(cluster_moments(own[0, here] - own[1, here], code, size))
    moments = Moments(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    return Differences(_unseen(moments, seen), np.zeros(len(cells)), [None] * len(cells))


def _check_clusters(dataset: str, number: int) -> None:
    if number < 2:
        raise BayescompareError(
            f"the items of {dataset!r} are all in one cluster, so how clusters vary is not known: "
            "leave out the dataset, or read the table without cluster=."
        )


def _from_statistics(method: Replicated, results: Results, items: xr.Dataset) -> Differences:
    signs = np.array([results[name].sign for name in results.measures], dtype=np.float64)
    number = items["items"].values[:, 0, 1].astype(np.float64)
    mean = items["difference"].values[:, 0, 1] * signs
    covariance = items["covariance"].values[:, 0, 1] * np.outer(signs, signs)
    if "clusters" in items:
        clusters = items["clusters"].values[:, 0, 1].astype(np.float64)
        for name, few in zip(results.datasets, clusters.tolist(), strict=True):
            _check_clusters(name, few)
        moments = Moments(mean + 0.0, covariance, clusters - 1.0, 1.0 / clusters)
        return Differences(moments, np.zeros(len(mean)), [None] * len(mean))
    rho = replicate_correlation(results, number, method.rho, method.folds)
    moments = Moments(mean + 0.0, covariance, number - 1.0, 1.0 / number + rho / (1.0 - rho))
    binary = items["binary"].values.astype(bool).all(axis=(1, 2))
    if rho.any() or not binary.any():
        return Differences(moments, rho, [None] * len(mean))
    return Differences(moments, rho, _kept_patterns(results, items, binary))


def _kept_patterns(
    results: Results, items: xr.Dataset, binary: BoolArray
) -> list[FloatArray | None]:
    """Turn the patterns that were kept so that "+" is better, whichever way a measure goes."""
    m = len(results.measures)
    assert json.loads(items.attrs["pattern_measures"]) == list(results.measures)
    cubes = items["patterns"].values[:, 0, 1].reshape(-1, *[3] * m)
    lower = tuple(1 + j for j, name in enumerate(results.measures) if results[name].sign < 0)
    turned = np.flip(cubes, axis=lower).reshape(len(cubes), -1)
    return [counts if there else None for counts, there in zip(turned, binary, strict=True)]
