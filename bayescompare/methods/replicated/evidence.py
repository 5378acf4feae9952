"""From a table of replicates to what every dataset says about every statement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.replicated.effects import ReplicatedEvidence, flat_replicated_evidence
from bayescompare.kernels.replicated.items import discordant_replicated_items, replicated_item_rows
from bayescompare.kernels.replicated.learned_effects import learned_evidence
from bayescompare.kernels.replicated.moments import Moments
from bayescompare.kernels.replicated.regions import (
    Ropes,
    certain_region_cells,
    product_of_region_cells,
    states_of_regions,
)
from bayescompare.methods.replicated.differences import replicated_pair_moments
from bayescompare.table.item_statistics import MOST_PATTERNS
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated

__all__ = ["LEAST_DATASETS", "LEAST_DISCORDANT", "TableEvidence", "table_evidence"]


#: Datasets from which the scale of effects can be learned.
LEAST_DATASETS = 3
#: Items on which two algorithms differ, on each measure, from which differences are near normal.
LEAST_DISCORDANT = 30
#: Seed of the lattice that four and more measures need: the same table gives the same rows.
_SEED = 20161


class TableEvidence(NamedTuple):
    """The evidence of a table, with what it was computed from.

    `counted` are the datasets that were judged by counts of right and wrong items, None where no
    dataset was.
    """

    evidence: ReplicatedEvidence
    moments: Moments
    rho: FloatArray
    effects: str
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
    found = replicated_pair_moments(method, results)
    ropes = tuple(results[name].rope for name in results.measures)
    rng = np.random.default_rng(_SEED)
    counted = np.array(
        [_replicated_evidence_by_counts(counts, len(ropes)) for counts in found.patterns]
    )
    if not counted.any():
        evidence, effects = _replicated_evidence_of_moments(method, found.moments, ropes, rng)
        return TableEvidence(evidence, found.moments, found.rho, effects)
    chosen = zip(found.patterns, counted, strict=True)
    by_counts, error = replicated_item_rows(
        [c for c, here in chosen if c is not None and here], ropes, rng
    )
    rest = Moments(*(field[~counted] for field in found.moments))
    if counted.all():
        evidence = ReplicatedEvidence(by_counts[None], np.array([math.nan]), error)
        return TableEvidence(evidence, found.moments, found.rho, "counts", counted)
    others, effects = _replicated_evidence_of_moments(method, rest, ropes, rng)
    logs = np.empty((len(others.log), len(counted), by_counts.shape[1]))
    logs[:, counted], logs[:, ~counted] = by_counts, others.log
    evidence = ReplicatedEvidence(logs, others.scales, max(error, others.error))
    return TableEvidence(evidence, found.moments, found.rho, effects, counted)


def _replicated_evidence_of_moments(
    method: Replicated, moments: Moments, ropes: Ropes, rng: np.random.Generator
) -> tuple[ReplicatedEvidence, str]:
    """Evidence of means and covariances, and which prior of the effects it has."""
    seen = int(moments.seen.any(axis=1).sum())
    if method.effects == "learned" and seen >= LEAST_DATASETS:
        learned = learned_evidence(moments, ropes, rng)
        if learned is not None:
            return learned, "learned"
    return flat_replicated_evidence(moments, ropes, rng), "flat"


def _replicated_evidence_by_counts(counts: FloatArray | None, measures: int) -> bool:
    """Whether a dataset is judged by counts of right and wrong items.

    One measure always is. Of several the differences are near enough to normal where each measure
    has enough items on which the two differ.
    """
    if counts is None:
        return False
    return measures == 1 or (
        measures <= MOST_PATTERNS
        and discordant_replicated_items(counts, measures) < LEAST_DISCORDANT
    )
