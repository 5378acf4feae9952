"""The points of the Bayesian signed-rank test: a tie beforehand, and each dataset's difference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.walsh import WalshRegions, walsh_pair_table, walsh_regions
from bayescompare.kernels.classic.wilcoxon import wilcoxon_differences
from bayescompare.statements import State
from bayescompare.table.results import Results

__all__ = ["POINT", "TIE", "SignedRankPoints"]

#: The dim of the points, and the name of the prior's one.
POINT, TIE = "point", "(tie)"


@dataclass(frozen=True)
class SignedRankPoints:
    """Second less first on every dataset, after a tie, and where the pairs of them fall."""

    results: Results

    @property
    def rope(self) -> float | None:
        """The measure's rope."""
        return self.results[self.results.measures[0]].rope

    @cached_property
    def values(self) -> FloatArray:
        """The points: a tie, and the differences, larger where the second is better."""
        (measure,) = self.results.measures
        if self.results[measure].scale == "ordinal":
            raise BayescompareError(
                f"measure {measure!r} is ordinal, and the signed-rank test adds differences, which "
                "such a measure does not have: use 'dirichlet'."
            )
        return np.append(0.0, -wilcoxon_differences(self._columns))

    @cached_property
    def regions(self) -> WalshRegions:
        """In which region the sum of each two points lies."""
        return walsh_regions(self.values, self.rope, float(np.abs(self._columns).max()))

    @cached_property
    def table(self) -> FloatArray:
        """The same as shares, (statement, point, point)."""
        return walsh_pair_table(self.regions)

    @property
    def names(self) -> list[str]:
        """The points by name."""
        return [TIE, *self.results.datasets]

    @property
    def labels(self) -> list[str]:
        """The statements: first better, equivalent if there is a rope, second better."""
        order = State.order(*self.results.algorithms)
        equal = [State.equal(*self.results.algorithms)] if self.rope is not None else []
        return [str(state) for state in (order, *equal, order.reversed())]

    @cached_property
    def states(self) -> IntArray:
        """The statement that each point supports; −1 for a tie without a rope."""
        z, width = self.values, self.rope or 0.0
        noise = 1e-12 * np.append(0.0, np.abs(self._columns).max(axis=1))
        side = np.where(z > width + noise, 1, np.where(z < -width - noise, -1, 0))
        if self.rope is not None:
            return np.asarray(side + 1)
        return np.asarray(np.where(side == 0, -1, (side + 1) // 2))

    @property
    def support(self) -> FloatArray:
        """Datasets for each statement; a tie without a rope counts half for each."""
        of_datasets = self.states[1:]
        counts = np.array([float((of_datasets == k).sum()) for k in range(len(self.labels))])
        return counts + 0.5 * float((of_datasets < 0).sum()) * (self.rope is None)

    @property
    def _columns(self) -> FloatArray:
        return np.asarray(self.results.oriented()[:, :, 0])
