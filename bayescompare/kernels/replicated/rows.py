r"""`EvidenceRows`: what every dataset says about every statement, ready for the count recursion.

On dataset i the statement :math:`z_i` is not seen; its replicates say how well each statement fits,
:math:`\ell_i(s)`. Statements that cannot matter are dropped, datasets that leave only one are
counted, and what remains is numbered so that a vector of counts is one integer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.replicated.lattice import Lattice

__all__ = ["EvidenceRows"]


#: What a dropped statement may weigh: this times min α/(n + Σα), against the row's largest.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, eq=False)
class EvidenceRows:
    r"""Evidence of n datasets about K statements, in R versions (one for each scale of effects).

    Attributes
    ----------
    value : array (R, n, K)
        :math:`\ell_i(s)`, every row scaled to sum to one and zero where it is negligible.
    log_scale : array (R, n)
        Logarithms of the factors that were taken out.
    alpha : array (K,)
        Prior parameters of the statements.
    """

    value: FloatArray
    log_scale: FloatArray
    alpha: FloatArray

    @classmethod
    def from_logs(cls, log_evidence: FloatArray, alpha: FloatArray) -> EvidenceRows:
        """Scale rows of log ℓ, (R, n, K) or (n, K), and drop what cannot matter.

        Examples
        --------
        >>> rows = EvidenceRows.from_logs(np.log([[3.0, 1.0], [1.0, 1e-30]]), np.ones(2))
        >>> rows.value[0].round(9).tolist(), rows.uncertain.tolist(), rows.fixed.tolist()
        ([[0.75, 0.25], [1.0, 0.0]], [True, False], [1.0, 0.0])
        """
        logs = np.asarray(log_evidence, dtype=np.float64)
        logs = logs[None] if logs.ndim == 2 else logs
        least = math.log(_NEGLIGIBLE * alpha.min() / (logs.shape[1] + alpha.sum()))
        top = logs.max(axis=2, keepdims=True)
        # Kept in one version, kept in all: the versions share one set of count vectors.
        kept = (logs - top >= least).any(axis=0)
        logs = np.where(kept, logs, -math.inf)
        scale = logsumexp(logs, axis=2, keepdims=True)
        return cls(np.exp(logs - scale), scale[..., 0], np.asarray(alpha, np.float64))

    @cached_property
    def support(self) -> BoolArray:
        """Which statements each dataset leaves possible, (n, K)."""
        return np.asarray((self.value > 0.0).any(axis=0))

    @cached_property
    def uncertain(self) -> BoolArray:
        """Which datasets leave more than one, (n,)."""
        return np.asarray(self.support.sum(axis=1) > 1)

    @cached_property
    def fixed(self) -> FloatArray:
        """How many datasets show each statement for certain, (K,)."""
        return self.support[~self.uncertain].sum(axis=0).astype(np.float64)

    @cached_property
    def tracked(self) -> IntArray:
        """The statements whose counts are not known, in order."""
        return np.flatnonzero(self.support[self.uncertain].any(axis=0))

    @cached_property
    def lattice(self) -> Lattice | None:
        """The count vectors of the uncertain datasets; None where they are too long to number."""
        return Lattice.of(self.support[self.uncertain][:, self.tracked])
