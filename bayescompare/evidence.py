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
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma, parted, sum_log_rising_gamma
from bayescompare.partly_seen import partial_table
from bayescompare.statements import Statements
from bayescompare.table.results import Results

__all__ = ["Evidence", "Paths", "TooManyVectors"]


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

    def paths(self, shape: FloatArray, *, joint: bool = True, each: bool = False) -> Paths:
        """Return the count vectors (M, S) behind the rows, and log W of each, (R, M).

        Pólya's urn is carried through the recursion and divided out again, because W alone leaves
        the float range long before the product does. Any `shape` (S,) of the urn gives the same W;
        it should be no stronger than the weakest prior. `each` asks for P of every dataset under
        this urn, which is given where it comes cheap. Where datasets do not inform each other W is
        all that is wanted, and no urn is carried.
        """
        versions, datasets, cells = self.rows.shape
        if not datasets:
            return Paths(np.zeros((1, cells)), np.zeros((1, 1)))
        if self.powers is not None:
            # Certain ones: θ_z ℓ to a power counts so many times. No sum has powers.
            if not self.is_certain(shape):
                raise TooManyVectors
            shown = np.eye(cells)[self.rows.sum(axis=0).argmax(axis=1)]
            log_w = (self.rows.max(axis=2) @ self.powers)[:, None]
            return Paths((self.powers @ shown)[None], log_w)
        if cells == 2 and versions == 1:
            found = _paths_of_two(self.rows[0], *shape.tolist(), joint=joint)
        else:
            found = _paths_of_many(self.rows, shape, joint=joint, each=each)
        if not joint:
            return found
        urn = sum_log_rising_gamma(np.log(shape), found.vectors)
        urn -= log_rising_gamma(np.log(shape.sum()), float(datasets))
        return found._replace(log_w=found.log_w - urn)

    def is_certain(self, shape: FloatArray) -> bool:
        """Whether every row leaves one statement only, but for what cannot matter."""
        from bayescompare.kernels.replicated.recursion import EvidenceRows

        return not EvidenceRows.from_logs(self.rows, shape).uncertain.any()


class Paths(NamedTuple):
    """What stands behind rows.

    Attributes
    ----------
    vectors : array (M, S)
        Count vectors, in lexicographic order.
    log_w : array (R, M)
        log W of each.
    each : array (u, S, R), optional
        P(z_i = s | all rows) under the urn that was carried.
    """

    vectors: FloatArray
    log_w: FloatArray
    each: FloatArray | None = None


def _paths_of_two(rows: FloatArray, b: float, other: float, *, joint: bool) -> Paths:
    """Two statements: the urn of a Poisson binomial, which is fast for very many datasets."""
    # Compiled kernels load when there are rows: numba takes longer than a small table.
    from bayescompare.kernels.context.poisson_binomial import (
        poisson_binomial_counts,
        poisson_binomial_masses,
    )

    shares, log_totals = parted(rows)
    first = shares[:, 0]
    found = poisson_binomial_masses(first), 0.0
    if joint:
        found = poisson_binomial_counts(first, b, other)
    wins = np.arange(len(rows) + 1.0)
    with np.errstate(divide="ignore"):
        log_w = np.log(found[0]) + found[1] + log_totals.sum()
    return Paths(np.stack([wins, len(rows) - wins], axis=1), log_w[None])


def _paths_of_many(rows: FloatArray, shape: FloatArray, *, joint: bool, each: bool) -> Paths:
    from bayescompare.kernels.replicated.each_dataset import smoothed
    from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts

    kept = EvidenceRows.from_logs(rows, shape)
    found = recursion_for_counts(kept, joint=joint, each=each)
    if found is None:
        raise TooManyVectors
    vectors = np.tile(kept.fixed, (len(found.codes), 1))
    for k, s in enumerate(kept.tracked):
        vectors[:, s] += found.digits(k)
    given_all = None if found.each is None else smoothed(kept, each=found.each)
    with np.errstate(divide="ignore"):
        log_w = (np.log(found.weight) + found.log_evidence).T
    return Paths(vectors, log_w, given_all)
