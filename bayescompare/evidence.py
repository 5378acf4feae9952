r"""What each dataset says about each statement: all that a method takes from a table.

Dataset i gives statement s the likelihood :math:`\ell_i(s)`. A dataset that shows its statement is
*counted*: a tie is split over the statements it allows, a weight scales the dataset. Any other is a
*row* of log ℓ: equal for all statements that a missing cell leaves possible, a probability where
replicates speak. Behind the rows stand count vectors c, and

.. math:: W(c) = \sum_{z\ \text{with counts}\ c}\ \prod_i \ell_i(z_i)

is all that any prior needs to know of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logsumexp, softmax

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.partly_seen import partial_table
from bayescompare.statements import Statements
from bayescompare.table.results import Results

__all__ = ["Evidence", "TooManyVectors"]


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
    """

    statements: Statements
    rows: FloatArray
    uncounted: IntArray
    is_power: bool = False

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
    def from_rows(cls, statements: Statements, log_rows: FloatArray) -> Evidence:
        """Take rows of log ℓ, (n, S) or (R, n, S)."""
        rows = log_rows.reshape(-1, *log_rows.shape[-2:])
        return cls(statements, rows, np.arange(rows.shape[1]))

    @cached_property
    def counts(self) -> FloatArray:
        """Weight of the counted datasets in each statement, (S,)."""
        return self.statements.table.counts

    @property
    def possible(self) -> BoolArray:
        """Which statements some dataset shows or leaves possible, (S,)."""
        return np.asarray((self.counts > 0.0) | np.isfinite(self.rows).any(axis=(0, 1)))

    def leanings(self, version: FloatArray) -> FloatArray:
        """How many datasets show each statement, each judged by itself, (S,)."""
        rows = softmax(self.rows, axis=2)
        return np.asarray(self.counts + np.einsum("r,ris->s", version, rows))

    def paths(self, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the count vectors (M, S) behind the rows, and log W of each, (R, M).

        Pólya's urn is carried through the recursion and divided out again, because W alone leaves
        the float range long before the product does. Any `shape` (S,) of the urn gives the same W;
        it should be no stronger than the weakest prior.
        """
        versions, datasets, cells = self.rows.shape
        if not datasets:
            return np.zeros((1, cells)), np.zeros((1, 1))
        if cells == 2 and versions == 1 and shape[0] == shape[1]:
            vectors, log_w = _paths_of_two(self.rows[0], float(shape[0]))
        else:
            vectors, log_w = _paths_of_many(self.rows, shape)
        urn = log_rising_gamma(np.log(shape), vectors).sum(axis=1)
        return vectors, log_w - (urn - log_rising_gamma(np.log(shape.sum()), float(datasets)))

    def each_row_left_out(self) -> Iterator[Evidence]:
        """Yield the evidence without each of the uncounted datasets in turn."""
        for i in range(len(self.uncounted)):
            rows, uncounted = np.delete(self.rows, i, axis=1), np.delete(self.uncounted, i)
            yield replace(self, rows=rows, uncounted=uncounted)


def _paths_of_two(rows: FloatArray, b: float) -> tuple[FloatArray, FloatArray]:
    """Two statements: the urn of a Poisson binomial, which is fast for very many datasets."""
    # Compiled kernels load when there are rows: numba takes longer than a small table.
    from bayescompare.kernels.context.poisson_binomial_joint import poisson_binomial_counts

    counts, log_evidence = poisson_binomial_counts(softmax(rows, axis=1)[:, 0], b)
    wins = np.arange(len(counts), dtype=np.float64)
    with np.errstate(divide="ignore"):
        log_v = np.log(counts) + log_evidence + logsumexp(rows, axis=1).sum()
    return np.stack([wins, len(rows) - wins], axis=1), log_v[None]


def _paths_of_many(rows: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    from bayescompare.kernels.replicated.recursion import recursion_for_counts
    from bayescompare.kernels.replicated.rows import EvidenceRows

    kept = EvidenceRows.from_logs(rows, shape)
    found = recursion_for_counts(kept)
    if found is None:
        raise TooManyVectors
    vectors = np.tile(kept.fixed, (len(found.codes), 1))
    for k, s in enumerate(kept.tracked):
        vectors[:, s] += found.digits(k)
    with np.errstate(divide="ignore"):
        return vectors, (np.log(found.weight) + found.log_evidence).T
