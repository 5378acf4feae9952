"""`DirichletCells`: a Dirichlet whose many equal, unobserved cells are one lump."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
    """

    log_alpha: FloatArray
    counts: FloatArray
    rest_log_alpha: float = -math.inf
    rest_log_size: float = -math.inf

    @cached_property
    def alpha(self) -> FloatArray:
        """Prior parameters of the listed cells (0 where they underflow)."""
        return np.exp(self.log_alpha)

    @cached_property
    def shape(self) -> FloatArray:
        """Posterior parameters of the listed cells."""
        return self.counts + self.alpha

    @property
    def rest_log_total(self) -> float:
        """Logarithm of the prior mass parameter of the lump."""
        return self.rest_log_size + self.rest_log_alpha

    @cached_property
    def log_total(self) -> float:
        """Logarithm of the prior's total parameter A = Σ α."""
        return float(np.logaddexp.reduce([*self.log_alpha, self.rest_log_total]))

    @cached_property
    def total(self) -> float:
        """Posterior total A + N (infinite when A is beyond float range)."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_total) + self.counts.sum())
