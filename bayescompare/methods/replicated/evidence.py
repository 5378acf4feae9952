"""From a table of replicates to what every dataset says about every statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.replicated.effects import Evidence, flat_evidence, learned_evidence
from bayescompare.kernels.replicated.moments import Moments, replicate_moments
from bayescompare.results.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated

__all__ = ["LEAST_DATASETS", "MOST_FOLDS", "TableEvidence", "table_evidence"]


#: Datasets from which the scale of effects can be learned.
LEAST_DATASETS = 3
#: Replicates up to which they are taken for the folds of one cross-validation. Ten times ten folds
#: taken for a hundred folds have ρ = .01 for .1, which flips verdicts.
MOST_FOLDS = 20
#: Seed of the lattice that four and more measures need: the same table gives the same rows.
_SEED = 20161


class TableEvidence(NamedTuple):
    """The evidence of a table, with what it was computed from."""

    evidence: Evidence
    moments: Moments
    rho: FloatArray
    effects: str


def table_evidence(method: Replicated, results: Results) -> TableEvidence:
    """Compute log ℓ of every dataset and statement from the replicates of two algorithms."""
    arrays = [
        results.data[name].transpose("dataset", "algorithm", "replicate").values
        * results[name].sign
        for name in results.measures
    ]
    cells = np.stack(arrays, axis=-1)
    there = ~np.isnan(cells).any(axis=(1, 3))
    rho = _correlation(method, results, there.sum(axis=1).astype(np.float64))
    moments = replicate_moments(cells[:, 0], cells[:, 1], rho)
    ropes = tuple(results[name].rope for name in results.measures)
    rng = np.random.default_rng(_SEED)
    if method.effects == "learned" and len(results.datasets) >= LEAST_DATASETS:
        learned = learned_evidence(moments, ropes, rng)
        if learned is not None:
            return TableEvidence(learned, moments, rho, "learned")
    return TableEvidence(flat_evidence(moments, ropes, rng), moments, rho, "flat")


def _correlation(method: Replicated, results: Results, count: FloatArray) -> FloatArray:
    """ρ of every dataset: as given, or one over its replicates where these can be folds."""
    if method.rho is not None:
        return np.full(len(count), float(method.rho))
    if method.folds is not None:
        return np.full(len(count), 1.0 / method.folds)
    if results.replicates != "folds":
        return np.zeros(len(count))
    most = int(count.argmax())
    if count[most] > MOST_FOLDS:
        raise BayescompareError(
            f"rho= or folds= is missing: {results.datasets[most]!r} has {int(count[most])} "
            "replicates, and their correlation cannot be guessed; give folds=10 for ten times ten "
            "folds, rho=0 for independent seeds or items (or replicates='seeds' in from_frame)."
        )
    return np.asarray(1.0 / count)
