"""What each dataset's replicates say: their differences, the Student-t of the mean, its regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.context.correlated_t import (
    correlated_t_from_moments,
    correlated_t_regions,
)
from bayescompare.statements import State
from bayescompare.table.results import Results

__all__ = ["Replicates", "context_outcome_labels", "context_pair_differences"]


#: Differences this close, relative to the values, are rounding and no difference.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Replicates:
    """Differences "first less second" on every dataset, turned so that larger is better.

    Attributes
    ----------
    differences : array (N, k)
        NaN where a dataset has fewer replicates than another.
    grain : array (N,)
        Differences below it are rounding.
    rho : array (N,)
        Correlation of two replicates of a dataset.
    rope : float
        Half the width of the region of practical equivalence; 0 without one.
    labels : tuple of str
        The statements: the first better, with a rope equivalent, the second better.
    names : tuple of str
        Of the replicates, where they are the same on every dataset, else their numbers.
    """

    differences: FloatArray
    grain: FloatArray
    rho: FloatArray
    rope: float
    labels: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def present(self) -> BoolArray:
        """Which replicates there are."""
        return ~np.isnan(self.differences)

    @property
    def count(self) -> FloatArray:
        """How many replicates each dataset has."""
        return self.present.sum(axis=1).astype(np.float64)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of every dataset's differences; equal up to rounding is equal."""
        x = self.differences
        mean, variance = np.nanmean(x, axis=1), np.nanvar(x, axis=1, ddof=1)
        equal = np.nanmax(x, axis=1) - np.nanmin(x, axis=1) <= self.grain
        mean = np.where(np.abs(mean) <= self.grain, 0.0, mean)
        return mean, np.where(equal, 0.0, variance)

    @cached_property
    def _posterior(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return correlated_t_from_moments(*self.moments, self.count, self.rho)

    @property
    def dof(self) -> FloatArray:
        """Degrees of freedom of the mean advantage."""
        return self._posterior[0]

    @property
    def location(self) -> FloatArray:
        """Centre of the mean advantage's Student-t."""
        return self._posterior[1]

    @property
    def scale(self) -> FloatArray:
        """Its scale; 0 where all replicates are equal."""
        return self._posterior[2]

    @cached_property
    def regions(self) -> FloatArray:
        """P(the second better), P(equivalent), P(the first better) of every dataset, (N, 3)."""
        return correlated_t_regions(self.dof, self.location, self.scale, self.rope)

    @property
    def evidence(self) -> FloatArray:
        """What each dataset says for every statement, by its own replicates, (N, S)."""
        return np.ascontiguousarray(self.regions[:, ::-1] if self.rope else self.regions[:, [2, 0]])


def context_pair_differences(results: Results) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return differences (N, k), what is rounding in them (N,), and names of the replicates.

    Replicates that no dataset shares with another, as where each names its own, are put side by
    side: only which belong to one dataset matters.
    """
    (measure,) = results.measures
    data = results.data[measure].transpose("dataset", "algorithm", "replicate")
    first, second = (results[measure].sign * data.values).transpose(1, 0, 2)
    x = first - second
    grain = _ROUNDING * np.nanmax(np.maximum(np.abs(first), np.abs(second)), axis=1)
    if not np.isnan(x).any():
        return x, grain, tuple(map(str, data["replicate"].values.tolist()))
    # Those that are there come first, in their order.
    order = np.argsort(np.isnan(x), axis=1, kind="stable")
    most = int((~np.isnan(x)).sum(axis=1).max())
    packed = np.take_along_axis(x, order, axis=1)[:, :most]
    return packed, grain, tuple(str(k + 1) for k in range(most))


def context_outcome_labels(results: Results) -> tuple[str, ...]:
    """Return the statements about a pair: with a rope the middle one is equivalence."""
    order = State.order(*results.algorithms)
    states = [order, order.reversed()]
    if results[results.measures[0]].rope:
        states.insert(1, State.equal(*results.algorithms))
    return tuple(map(str, states))
