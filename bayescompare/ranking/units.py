"""What is resampled, and what each unit says of the algorithms.

Only the top level is resampled: domains, else datasets, else the items of a single dataset. Below
it there are means; to resample every level would count the noise of the items twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.ranking.places import doubled_places
from bayescompare.results.results import Results

__all__ = ["Units", "units_of"]


@dataclass(frozen=True)
class Units:
    """The units that are resampled.

    Attributes
    ----------
    scores : array (n, l, m)
        Larger is better: l + 1 less the rank, or the value with the sign of its measure.
    importance : array (n,)
    noun : str
        What a unit is: "dataset", "domain", "item" or "seed".
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


def units_of(results: Results, by: Literal["rank", "value", "strength"]) -> Units:
    """Score every unit of a table whose missing cells, if any, are failed runs."""
    if results.n_replicates is None:
        values, noun, names = results.oriented(), "dataset", results.datasets
    else:
        values, noun, names = _ranking_units_of_items(results)
    scores = values if by == "value" else _turned_ranks(values)
    importance = np.ones(len(scores))
    if results.n_replicates is None and results.weights is not None:
        importance = np.array(results.weights)
    units = Units(scores, importance, noun, names)
    if results.n_replicates is None and results.groups is not None:
        return _ranking_units_of_domains(units, results.groups)
    return units


def _ranking_units_of_domains(units: Units, groups: tuple[str, ...]) -> Units:
    """Return a unit for each domain: the weighted mean of its datasets.

    A domain counts as much as its datasets do on average, so that equal weights of datasets are
    equal weights of domains, however many datasets each has.
    """
    names = tuple(dict.fromkeys(groups))
    of = np.array([names.index(group) for group in groups])
    scores, importance = [], []
    for k in range(len(names)):
        weights = units.importance[of == k]
        own = units.scores[of == k]
        scores.append(np.einsum("i,ilm->lm", weights / weights.sum(), own))
        importance.append(float(weights.mean()))
    return Units(np.stack(scores), np.array(importance), "domain", names)


def _ranking_units_of_items(results: Results) -> tuple[FloatArray, str, tuple[str, ...]]:
    """Return the items (or seeds) of the one dataset that every algorithm has."""
    signs = [results[name].sign for name in results.measures]
    cells = [results.data[name].values[0].T for name in results.measures]
    values = np.stack(cells, axis=-1) * signs
    there = ~np.isnan(values).any(axis=(1, 2))
    names = results.data["replicate"].values[there]
    noun = results.replicates.removesuffix("s")
    return values[there], noun, tuple(map(str, names.tolist()))


def _turned_ranks(values: FloatArray) -> FloatArray:
    """Return l + 1 less the rank of each algorithm on each unit and measure; ties share."""
    l = values.shape[1]
    ranks = [doubled_places(values[:, :, j]) / 2.0 for j in range(values.shape[2])]
    return np.asarray(l + 1.0 - np.stack(ranks, axis=-1))
