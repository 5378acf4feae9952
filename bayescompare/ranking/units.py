"""What is resampled, and what each unit says of the algorithms.

Only the top level is resampled: domains, else datasets, else the items of one dataset (or, where
they come in clusters, these). Below it there are means; to resample every level would count the
noise of the items twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.leaderboard import doubled_places
from bayescompare.table.results import Results

__all__ = ["Units", "unit_weights", "units_of"]


@dataclass(frozen=True)
class Units:
    """The units that are resampled.

    Attributes
    ----------
    scores : array (n, l, m)
        Larger is better: l + 1 less the rank, or the value with the sign of its measure.
    importance : array (n,)
    noun : str
        What a unit is: "dataset", "domain", "item", "cluster" or "seed".
    names : tuple of str
    """

    scores: FloatArray
    importance: FloatArray
    noun: str
    names: tuple[str, ...]

    @property
    def centre(self) -> FloatArray:
        """The means over the units, (m, l)."""
        weights = self.importance / self.importance.sum()
        return np.asarray(np.einsum("i,ilm->ml", weights, self.scores))


def units_of(
    results: Results, by: Literal["rank", "value", "strength"], *, dataset: int = 0
) -> Units:
    """Score every unit of a table whose missing cells, if any, are failed runs.

    With replicates, these are the units of one `dataset`.
    """
    if results.n_replicates is not None:
        return _ranking_units_of_items(results, by, dataset)
    units = Units(
        _scored(results.oriented(), by), unit_weights(results), "dataset", results.datasets
    )
    if results.groups is None:
        return units
    # A domain counts as much as its datasets do on average, so that equal weights of datasets are
    # equal weights of domains, however many datasets each has.
    return _merged_units(units, results.groups, "domain", np.mean)


def unit_weights(results: Results) -> FloatArray:
    """Return how much each dataset counts: as the user says, else alike."""
    n = len(results.datasets)
    return np.ones(n) if results.weights is None else np.array(results.weights)


def _merged_units(
    units: Units, labels: Sequence[str], noun: str, importance: Callable[[FloatArray], float]
) -> Units:
    """Return a unit for each label: the weighted mean of the units that have it."""
    names = tuple(dict.fromkeys(labels))
    place = {name: k for k, name in enumerate(names)}
    of = np.array([place[label] for label in labels])
    scores, counts = [], []
    for k in range(len(names)):
        weights = units.importance[of == k]
        own = units.scores[of == k]
        scores.append(np.einsum("i,ilm->lm", weights / weights.sum(), own))
        counts.append(float(importance(weights)))
    return Units(np.stack(scores), np.array(counts), noun, names)


def _ranking_units_of_items(
    results: Results, by: Literal["rank", "value", "strength"], dataset: int
) -> Units:
    """Return the items (or seeds) of a dataset that every algorithm has, or their clusters."""
    signs = [results[name].sign for name in results.measures]
    cells = [results.data[name].values[dataset].T for name in results.measures]
    values = np.stack(cells, axis=-1) * signs
    there = ~np.isnan(values).any(axis=(1, 2))
    names = tuple(map(str, results.data["replicate"].values[there].tolist()))
    noun = results.replicates.removesuffix("s")
    units = Units(_scored(values[there], by), np.ones(len(names)), noun, names)
    if results.item_data is None:
        return units
    # Items of one cluster are alike, so the cluster is the unit; it counts as many as it has.
    clusters = results.item_data["cluster"].values[dataset][there]
    return _merged_units(units, list(map(str, clusters.tolist())), "cluster", np.sum)


def _scored(values: FloatArray, by: Literal["rank", "value", "strength"]) -> FloatArray:
    return values if by == "value" else _turned_ranks(values)


def _turned_ranks(values: FloatArray) -> FloatArray:
    """Return l + 1 less the rank of each algorithm on each unit and measure; ties share."""
    l = values.shape[1]
    ranks = [doubled_places(values[:, :, j]) / 2.0 for j in range(values.shape[2])]
    return np.asarray(l + 1.0 - np.stack(ranks, axis=-1))
