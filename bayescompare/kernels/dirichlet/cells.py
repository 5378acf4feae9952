"""`DirichletCells`: a Dirichlet whose many equal, unobserved cells are one lump, or a few."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayescompare._typing import FloatArray

__all__ = ["DirichletCells"]


@dataclass(frozen=True)
class DirichletCells:
    """A Dirichlet prior and the counts seen, with the equal unobserved cells kept as a lump.

    Attributes
    ----------
    log_alpha : array (S,)
        Logarithm of each listed cell's prior parameter, because 1/K underflows if K exceeds the
        float range, although the answer does not.
    counts : array (S,)
        Weight seen in each listed cell.
    rest_log_alpha : float
        Logarithm of the prior parameter of each cell that is not listed.
    rest_log_size : float
        Logarithm of the number of cells that are not listed; −inf if all are.
    more : tuple of (float, float)
        Further lumps of cells that are not listed, where these are not all equal: the logarithms
        of each cell's prior parameter and of their number.
    """

    log_alpha: FloatArray
    counts: FloatArray
    rest_log_alpha: float = -math.inf
    rest_log_size: float = -math.inf
    more: tuple[tuple[float, float], ...] = ()

    @cached_property
    def alpha(self) -> FloatArray:
        """Prior parameters of the listed cells (0 where they underflow)."""
        return np.exp(self.log_alpha)

    @cached_property
    def shape(self) -> FloatArray:
        """Posterior parameters of the listed cells."""
        return self.counts + self.alpha

    @property
    def lumps(self) -> tuple[tuple[float, float], ...]:
        """All lumps that have cells: the logarithms of their parameter and of their number."""
        every = ((self.rest_log_alpha, self.rest_log_size), *self.more)
        return tuple(lump for lump in every if min(lump) > -math.inf)

    @property
    def rest_log_total(self) -> float:
        """Logarithm of the prior mass parameter of all lumps together."""
        return float(np.logaddexp.reduce([a + n for a, n in self.lumps], initial=-math.inf))

    def scaled(self, factor: float) -> DirichletCells:
        """Return the same cells with every prior parameter multiplied."""
        shift = math.log(factor)
        return replace(
            self,
            log_alpha=self.log_alpha + shift,
            rest_log_alpha=self.rest_log_alpha + shift,
            more=tuple((a + shift, n) for a, n in self.more),
        )

    @cached_property
    def log_total(self) -> float:
        """Logarithm of the prior's total parameter A = Σ α."""
        return float(np.logaddexp.reduce([*self.log_alpha, self.rest_log_total]))

    @cached_property
    def total(self) -> float:
        """Posterior total A + N (infinite when A is beyond float range)."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_total) + self.counts.sum())
