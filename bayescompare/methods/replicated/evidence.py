"""From a table of replicates to what every dataset says about every statement.

The differences of two algorithms on a dataset come from its replicates, from clusters of items, or
from statistics that stand for items. Their moments give log ℓ of every statement; where items are
right or wrong, counts of patterns do. The same with more replicates is simulated for plans.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.replicated.effects import (
    Moments,
    ReplicatedEvidence,
    Ropes,
    certain_cells,
    cluster_moments,
    flat_evidence,
    numbers_of_states,
    product_of_cells,
    replicate_moments,
)
from bayescompare.kernels.replicated.items import (
    discordant_items,
    item_patterns,
    item_rows,
    pattern_masses,
)
from bayescompare.kernels.replicated.learned_effects import (
    evidence_of_effects,
    learned_evidence,
    standardise_effects,
)
from bayescompare.kernels.replicated.refinement import (
    refined_counts,
    refined_effects,
    refined_moments,
)
from bayescompare.methods._shared.correlation import replicate_correlation
from bayescompare.outcome.posterior import least_of_rows
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.table.items import MOST_PATTERNS
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.replicated import Replicated


#: Datasets from which the scale of effects can be learned.
_LEAST_DATASETS = 3
#: Items on which two algorithms differ, on each measure, from which differences are near normal.
_LEAST_DISCORDANT = 30
#: Seed of the lattice that four and more measures need: the same table gives the same rows.
_SEED = 20161


@dataclass(frozen=True, eq=False)
class TableEvidence:
    """What the replicates of a pair come to, and the evidence that they are.

    Attributes
    ----------
    ropes : tuple
    moments : Moments
        Of the differences "first less second", larger being better.
    rho : array (n,)
    patterns : list of array (3^m,) or None
        Counts of patterns of right and wrong, where every measure is binary and items are
        independent; else None.
    learns : bool
        Whether the scale of effects is to be learned, where it can be.
    """

    ropes: Ropes
    moments: Moments
    rho: FloatArray
    patterns: list[FloatArray | None]
    learns: bool = True
    #: Which statements agree with the failed runs of each dataset, where there are any.
    failures: FloatArray | None = None

    @classmethod
    def of(cls, method: Replicated, results: Results) -> TableEvidence:
        """Read a table of two algorithms."""
        ropes = tuple(results[name].rope for name in results.measures)
        learns = method.effects == "learned"
        failures = _failures(results, ropes) if results.gaps == "worst" else None
        return cls(ropes, *_differences(method, results), learns, failures)

    @cached_property
    def counted(self) -> BoolArray:
        """Which datasets are judged by counts of right and wrong items, (n,).

        One measure always is. Of several the differences are near enough to normal where each
        measure has enough items on which the two differ.
        """
        m = len(self.ropes)

        def few(counts: FloatArray) -> bool:
            return m <= MOST_PATTERNS and discordant_items(counts, m) < _LEAST_DISCORDANT

        return np.array([c is not None and (m == 1 or few(c)) for c in self.patterns])

    @cached_property
    def effects(self) -> str:
        """How means are judged: "learned", "flat", or "counts" where none are."""
        if self.counted.all():
            return "counts"
        seen = int(self._uncounted.seen.any(axis=1).sum())
        if self.learns and seen >= _LEAST_DATASETS and self._learned is not None:
            return "learned"
        return "flat"

    @cached_property
    def _uncounted(self) -> Moments:
        return Moments(*(field[~self.counted] for field in self.moments))

    @cached_property
    def _learned(self) -> ReplicatedEvidence | None:
        return learned_evidence(self._uncounted, self.ropes, _lattice())

    @cached_property
    def evidence(self) -> ReplicatedEvidence:
        """Log ℓ of every statement, in as many versions as effects have scales."""
        found = self._whole(self._by_means, self._counts)
        if self.failures is None:
            return found
        with np.errstate(divide="ignore"):
            return found._replace(log=found.log + np.log(self.failures))

    @property
    def _counts(self) -> list[FloatArray]:
        every = zip(self.patterns, self.counted, strict=True)
        return [counts for counts, here in every if here and counts is not None]

    def _by_means(self) -> ReplicatedEvidence:
        if self.effects == "learned":
            assert self._learned is not None
            return self._learned
        return flat_evidence(self._uncounted, self.ropes, _lattice())

    def _whole(
        self, by_means: Callable[[], ReplicatedEvidence], counts: list[FloatArray]
    ) -> ReplicatedEvidence:
        """Put datasets judged by means and by counts together."""
        nothing = ReplicatedEvidence(np.empty((1, 0, 0)), np.array([math.nan]), 0.0)
        means = nothing if self.counted.all() else by_means()
        if not counts:
            return means
        rows, error = item_rows(counts, self.ropes, _lattice())
        logs = np.empty((len(means.log), len(self.counted), rows.shape[1]))
        logs[:, self.counted] = rows
        if not self.counted.all():
            logs[:, ~self.counted] = means.log
        return ReplicatedEvidence(logs, means.scales, max(error, means.error))

    # more replicates of the same datasets ---------------------------------------------------------

    def more_replicates(
        self, posterior: DirichletMixture
    ) -> Callable[[float, np.random.Generator], FloatArray]:
        """Return a function that multiplies every dataset's replicates and answers again.

        The scale of effects and θ are drawn from the exact posterior, the true differences of every
        dataset given them, and the means of more replicates given those. The units of the measures
        and their typical differences are held.
        """
        _, datasets, size = posterior.evidence.rows.shape

        def simulate(factor: float, rng: np.random.Generator) -> FloatArray:
            component, vector = posterior.draw_place(1, rng)
            version = int(posterior.draw_version(vector, rng)[0])
            theta = np.full(size, 1.0 / size)
            # Else every dataset is judged by itself.
            if datasets > 1 and posterior.joint:
                (k,) = component.tolist()
                drawn = posterior.components[k].draw(posterior.counts[vector], rng)
                theta = np.exp(drawn[0, :-1])
            rows = self.refined(factor, theta, version, rng).log
            one = datasets == 1
            return softmax(rows[0, 0]) if one else least_of_rows(posterior, rows, rng)

        return simulate

    def refined(
        self, factor: float, theta: FloatArray, version: int, rng: np.random.Generator
    ) -> ReplicatedEvidence:
        """Evidence of `factor` times as many replicates, given θ and the scale."""

        def further(number: float) -> int:
            return round(factor * number) - round(number)

        weight = theta / self._masses
        counts = [
            refined_counts(own, self.ropes, weight, further(own.sum()), rng) for own in self._counts
        ]

        def means() -> ReplicatedEvidence:
            moments = self._uncounted
            more = np.array([further(k) for k in (moments.dof + 1.0).tolist()])
            if self.effects == "flat":
                finer = refined_moments(moments, self.ropes, theta, more, rng)
                return flat_evidence(finer, self.ropes, _lattice())
            scale = float(self.evidence.scales[version])
            data = refined_effects(
                standardise_effects(moments, self.ropes), scale, theta, more, rng
            )
            found = evidence_of_effects(data, _lattice())
            assert found is not None  # the scales are those that the table has
            return found

        return self._whole(means, counts)

    @cached_property
    def _masses(self) -> FloatArray:
        """Prior masses of the statements about items."""
        return pattern_masses(self.ropes, _lattice()) if self._counts else np.ones(1)


def _lattice() -> np.random.Generator:
    return np.random.default_rng(_SEED)


def _failures(results: Results, ropes: Ropes) -> FloatArray:
    """Which statements agree with the failed runs of each dataset, (n, K): a failure loses."""
    first, second = np.moveaxis(results.absent(), 1, 0)
    parts: list[tuple[list[int], FloatArray]] = []
    for j, rope in enumerate(ropes):
        failed = first[:, j] | second[:, j]
        # Two failures tie, and one is further below than any rope.
        mean = np.where(first[:, j] & second[:, j], 0.0, np.where(first[:, j], -math.inf, math.inf))
        parts.append(([j], np.where(failed[:, None], certain_cells(mean, rope), 1.0)))
    return product_of_cells(parts, numbers_of_states(ropes))


# differences -------------------------------------------------------------------------------------

type _Differences = tuple[Moments, FloatArray, list[FloatArray | None]]


def _differences(method: Replicated, results: Results) -> _Differences:
    """Return the moments of the differences "first less second", larger being better."""
    items = results.item_data
    if items is None:
        return _from_replicates(method, results)
    clustered = not results.has_statistics or "clusters" in items
    if clustered and (method.rho, method.folds) != (None, None):
        given = f"rho={method.rho!r}" if method.folds is None else f"folds={method.folds!r}"
        raise BayescompareError(
            f"{given}: the items come in clusters, which say how they are correlated; leave it "
            "out, or read the table without cluster=."
        )
    if results.has_statistics:
        return _from_statistics(method, results, items)
    return _from_clusters(results, items["cluster"].values)


def _seen_cells(results: Results) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return cells, which replicates count (n, k), and which measures were seen (n, m).

    A measure is unseen where either algorithm lacks it; zeros stand for it. A replicate counts
    where both have it on every measure seen. Larger cells are better.
    """
    signs = [results[name].sign for name in results.measures]
    cells = np.moveaxis(results._cells(), 2, 3) * signs
    known = ~np.isnan(cells)
    seen = known.any(axis=2).all(axis=1)
    there = (known | ~seen[:, None, None, :]).all(axis=(1, 3))
    cells = np.where(seen[:, None, None, :], cells, 0.0)
    return np.where(there[:, None, :, None], cells, np.nan), there, seen


def _unseen(moments: Moments, seen: BoolArray) -> Moments:
    """Mark the measures that were not seen; without any replicates count for nothing."""
    return moments._replace(mean=np.where(seen, moments.mean, np.nan))


def _from_replicates(method: Replicated, results: Results) -> _Differences:
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
    return moments, rho, patterns


def _item_patterns(cells: FloatArray) -> FloatArray | None:
    """Count the patterns of one dataset's items, (2, k, m), if every measure is right or wrong."""
    if not np.isin(np.abs(cells), (0.0, 1.0)).all():
        return None
    return item_patterns((cells[0] - cells[1]).astype(np.int64))


def _from_clusters(results: Results, cluster: IntArray) -> _Differences:
    cells, there, seen = _seen_cells(results)
    parts = []
    for name, own, here, codes in zip(results.datasets, cells, there, cluster, strict=True):
        _, code = np.unique(codes[here], return_inverse=True)
        _check_clusters(name, int(code.max()) + 1)
        size = np.abs(own[:, here]).max(axis=(0, 1))
        parts.append(cluster_moments(own[0, here] - own[1, here], code, size))
    moments = Moments(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    return _unseen(moments, seen), np.zeros(len(cells)), [None] * len(cells)


def _check_clusters(dataset: str, number: int) -> None:
    if number < 2:
        raise BayescompareError(
            f"the items of {dataset!r} are all in one cluster, so how clusters vary is not known: "
            "leave out the dataset, or read the table without cluster=."
        )


def _from_statistics(method: Replicated, results: Results, items: xr.Dataset) -> _Differences:
    signs = np.array([results[name].sign for name in results.measures], dtype=np.float64)
    number, mean, covariance = (
        items[name].values[:, 0, 1].astype(np.float64)
        for name in ("items", "difference", "covariance")
    )
    mean, covariance = mean * signs + 0.0, covariance * np.outer(signs, signs)
    nothing: list[FloatArray | None] = [None] * len(mean)
    if "clusters" in items:
        clusters = items["clusters"].values[:, 0, 1].astype(np.float64)
        for name, few in zip(results.datasets, clusters.tolist(), strict=True):
            _check_clusters(name, few)
        moments = Moments(mean, covariance, clusters - 1.0, 1.0 / clusters)
        return moments, np.zeros(len(mean)), nothing
    rho = replicate_correlation(results, number, method.rho, method.folds)
    moments = Moments(mean, covariance, number - 1.0, 1.0 / number + rho / (1.0 - rho))
    binary = items["binary"].values.astype(bool).all(axis=(1, 2))
    if rho.any() or not binary.any():
        return moments, rho, nothing
    # The patterns that were kept, turned so that "+" is better whichever way a measure goes.
    assert json.loads(items.attrs["pattern_measures"]) == list(results.measures)
    cubes = items["patterns"].values[:, 0, 1].reshape(-1, *[3] * len(signs))
    turned = np.flip(cubes, axis=tuple(1 + np.flatnonzero(signs < 0))).reshape(len(cubes), -1)
    return moments, rho, [own if here else None for own, here in zip(turned, binary, strict=True)]
