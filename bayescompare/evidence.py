r"""What each dataset says about each statement: all that a method takes from a table.

Dataset i gives statement s the likelihood :math:`\ell_i(s)`. A dataset that shows its statement is
*counted*: a tie is split over the statements it allows, a weight scales the dataset. Any other is a
*row* of log ℓ: equal for all statements that a missing cell leaves possible, a probability where
replicates speak. Behind the rows stand count vectors c, and

.. math:: W(c) = \sum_{z\ \text{with counts}\ c}\ \prod_i \ell_i(z_i)

is all that any prior needs to know of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import parted
from bayescompare.partly_seen import partial_table
from bayescompare.statements import Statements
from bayescompare.table.results import Results


class TooManyVectors(ArithmeticError):
    """More count vectors stand behind the rows than can be summed over."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence of n datasets about S listed statements.

    Attributes
    ----------
    statements : Statements
        Those listed, and which of them each counted dataset shows.
    rows : array (R, u, S)
        log ℓ of the other datasets, in R versions that are equally probable before the data.
    uncounted : array (u,)
        Which datasets these are.
    is_power : bool
        Whether likelihoods were raised to weights: such evidence is no probability of data.
    powers : array (u,), optional
        The weights that rows are raised to.
    """

    statements: Statements
    rows: FloatArray
    uncounted: IntArray
    is_power: bool = False
    powers: FloatArray | None = None

    @classmethod
    def from_table(cls, results: Results) -> Evidence:
        """Read one value per cell: orders, split ties, and sets of statements where cells miss."""
        if results.gaps in ("ignore", "bounds"):
            partly = partial_table(results)
            return cls(partly.statements, partly.rows[None], np.flatnonzero(partly.gap))
        return cls.counted(Statements.of(results), is_power=results.weights is not None)

    @classmethod
    def counted(cls, statements: Statements, *, is_power: bool = False) -> Evidence:
        """Take statements that every dataset shows."""
        none = np.empty((1, 0, statements.n_listed))
        return cls(statements, none, np.empty(0, dtype=np.int64), is_power)

    @classmethod
    def from_rows(
        cls, statements: Statements, log_rows: FloatArray, powers: FloatArray | None = None
    ) -> Evidence:
        """Take rows of log ℓ, (n, S) or (R, n, S), of all datasets; none is counted."""
        rows = log_rows.reshape(-1, *log_rows.shape[-2:])
        uncounted = np.arange(rows.shape[1])
        return cls(statements.without_counts(), rows, uncounted, powers is not None, powers)

    @cached_property
    def counts(self) -> FloatArray:
        """Weight of the counted datasets in each statement, (S,)."""
        return self.statements.table.counts

    @property
    def possible(self) -> BoolArray:
        """Which statements some dataset shows or leaves possible, (S,)."""
        return np.asarray((self.counts > 0.0) | np.isfinite(self.rows).any(axis=(0, 1)))

    def each_alone(self, version: FloatArray) -> FloatArray:
        """P of each statement by each uncounted dataset itself, (u, S), versions weighed."""
        return np.asarray(np.einsum("r,ris->is", version, parted(self.rows)[0]))

    def leanings(self, version: FloatArray) -> FloatArray:
        """How many datasets show each statement, each judged by itself, (S,)."""
        return np.asarray(self.counts + self.each_alone(version).sum(axis=0))

    def is_certain(self, shape: FloatArray) -> bool:
        """Whether every row leaves one statement only, but for what cannot matter."""
        from bayescompare.kernels.replicated.recursion import EvidenceRows

        return not EvidenceRows.from_logs(self.rows, shape).uncertain.any()
