r"""What each dataset says about every statement, and the counts behind θ by recursion over them.

On dataset i the statement :math:`z_i` is not seen; its replicates say how well each statement fits,
:math:`\ell_i(s)`. Statements that cannot matter are dropped, datasets that leave only one are
counted, and what remains is numbered so that a vector of counts is one integer (`EvidenceRows`).

With :math:`\theta \sim \mathrm{Dirichlet}(\alpha)` and every :math:`z_i` drawn from θ, the counts c
of the z grow as in Pólya's urn. Let :math:`V_i(c)` be the probability of the first i
datasets together with the counts c of their statements; then

.. math:: V_i(c) = \sum_s \ell_i(s)\, \frac{\alpha_s + c_s - 1}{A + i - 1}\, V_{i-1}(c - e_s) .

:math:`\sum_c V_n(c)` is the evidence, and :math:`V_n` normalised the posterior of the counts, given
which θ is a Dirichlet again. Without the urn's factor the same recursion gives the cut model, in
which no dataset learns from the others: a Poisson-multinomial.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, for two statements and the cut model.
Blackwell & MacQueen (1973), Annals of Statistics 1, 353–355, for the urn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.lattice import Lattice, LatticeGrowth
from bayescompare.kernels.replicated.simplex import SimplexCounts, simplex_counts, simplex_numbers

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


#: Count vectors up to which the recursion is used.
MOST_STATES = 2_000_000
#: Numbers up to which all vectors of all levels are kept (32 MB), and the share of statements that
#: datasets leave where nearly all vectors occur: where they leave few, codes are cheaper.
_MOST_SIMPLEX, _LEAST_SHARE = 4_000_000, 0.75
#: Statements up to which runs are long enough to beat codes with any number of datasets.
_LONG_RUNS = 3


class RecursionLevel(NamedTuple):
    """Count vectors after some datasets, as sorted codes, their weights (M, R) and sums (R,)."""

    codes: IntArray
    weight: FloatArray
    total: FloatArray


@dataclass(frozen=True)
class RecursionUrn:
    """The problem in the recursion's own numbering, uncertain datasets only.

    `value` is (n, R, t) for t tracked statements; `prior` their α plus what is fixed; `before` the
    mass in the urn before the first uncertain dataset.
    """

    value: FloatArray
    prior: FloatArray
    before: float
    lattice: Lattice
    joint: bool

    @classmethod
    def of(cls, rows: EvidenceRows, *, joint: bool) -> RecursionUrn | None:
        """Number the count vectors; None where the numbers would be too large."""
        if rows.lattice is None:
            return None
        tracked, uncertain = rows.tracked, rows.uncertain
        value = rows.value[:, uncertain][:, :, tracked].transpose(1, 0, 2)
        return cls(
            np.ascontiguousarray(value),
            (rows.alpha + rows.fixed)[tracked],
            float(rows.alpha.sum() + rows.fixed.sum()),
            rows.lattice,
            joint,
        )

    @property
    def start(self) -> RecursionLevel:
        """The urn before any uncertain dataset."""
        versions = self.value.shape[1]
        return RecursionLevel(
            np.zeros(1, dtype=np.int64), np.ones((1, versions)), np.ones(versions)
        )

    @property
    def is_dense(self) -> bool:
        """Whether nearly all vectors occur."""
        n, _, t = self.value.shape
        return bool(n > 0 and sum(map(len, self.lattice.options)) >= _LEAST_SHARE * n * t)

    @property
    def has_room(self) -> bool:
        """Whether nearly all vectors occur, and those of all levels can be kept: runs of them."""
        n, _, t = self.value.shape
        return self.is_dense and simplex_numbers(n, t) <= _MOST_SIMPLEX

    def simplex(self, *, each: bool) -> SimplexCounts:
        """Solve the recursion over all vectors; `each` asks for P of every dataset, too."""
        n, _, t = self.value.shape
        drawn = np.arange(float(n))
        balls = self.prior[:, None] + drawn if self.joint else np.ones((t, n))
        masses = self.before + drawn if self.joint else np.ones(n)
        return simplex_counts(self.value, balls, masses, each=each)

    def versions(self, some: IntArray) -> RecursionUrn:
        """Return the same urn with some of the versions only."""
        return replace(self, value=np.ascontiguousarray(self.value[:, some]))

    def factors(self, i: int, drawn: int) -> FloatArray:
        """ℓ_i(s) times the urn's factor, by statement, count before and version."""
        options = self.lattice.options[i]
        value = self.value[i][:, options].T[:, None, :]
        if not self.joint:
            return np.repeat(value, drawn + 1, axis=1)
        balls = self.prior[options, None] + np.arange(drawn + 1.0)
        return np.asarray(value * (balls / (self.before + drawn))[:, :, None])

    def add(self, level: RecursionLevel, i: int, drawn: int) -> tuple[RecursionLevel, FloatArray]:
        """Add dataset `i` as the `drawn`-th; return the level and the log of its sum."""
        return self._grown(level, self.lattice.grow(level.codes, i, drawn), i, drawn)

    def follow(self, level: RecursionLevel, i: int) -> tuple[RecursionLevel, FloatArray]:
        """Add dataset `i` after all those before it."""
        return self._grown(level, self.lattice.after(i, level.codes), i, i)

    def _grown(
        self, level: RecursionLevel, growth: LatticeGrowth, i: int, drawn: int
    ) -> tuple[RecursionLevel, FloatArray]:
        options = self.lattice.options[i]
        # The weights before are scaled to sum to one, by scaling what they are multiplied with.
        weight = _advance(
            level.codes, level.weight, growth.target, len(growth.codes),
            self.lattice.shifts[options], self.lattice.masks[options],
            self.factors(i, drawn) / level.total,
        )  # fmt: skip
        total = np.einsum("mr->r", weight)
        return RecursionLevel(growth.codes, weight, total), np.log(total)


class RecursionCounts(NamedTuple):
    """Posterior of the counts of every statement.

    Attributes
    ----------
    codes : array (M,)
        Count vectors as sorted integers; `digits` reads them.
    weight : array (M, R)
        Their probabilities in each version.
    log_evidence : array (R,)
        Of all datasets, in each version.
    each : array (n, t, R), optional
        P(z_i = s | all) of the uncertain datasets and tracked statements, where it was asked for
        and came cheap; see `smoothing.smoothed`.
    """

    codes: IntArray
    weight: FloatArray
    log_evidence: FloatArray
    lattice: Lattice
    each: FloatArray | None = None

    def digits(self, k: int) -> IntArray:
        """Return the count of the k-th tracked statement in every vector."""
        return self.lattice.digits(self.codes, k)


def recursion_for_counts(
    rows: EvidenceRows, *, joint: bool = True, limit: int | None = None, each: bool = False
) -> RecursionCounts | None:
    """Return the posterior of the counts, exactly; None where there are more than `limit` vectors.

    Parameters
    ----------
    rows : EvidenceRows
    joint : bool
        Whether datasets inform each other; otherwise the counts are Poisson-multinomial, and
        `log_evidence` is only that of the scales of the rows.
    limit : int, optional
        `MOST_STATES` by default.
    each : bool
        Whether `RecursionCounts.each` is wanted, if it comes cheap.

    Examples
    --------
    Two datasets that lean to the first of two statements, three to one, under a uniform θ: the
    evidence is E[(½θ + ¼)²].

    >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
    >>> counts = recursion_for_counts(rows)
    >>> counts.weight[:, 0].round(6).tolist(), counts.digits(0).tolist()
    ([0.076923, 0.230769, 0.692308], [0, 1, 2])
    >>> round(float(np.exp(counts.log_evidence[0])), 6)
    0.270833
    """
    limit = MOST_STATES if limit is None else limit
    urn = RecursionUrn.of(rows, joint=joint)
    if urn is None or urn.lattice.at_least > limit:
        return None
    level, log_evidence = urn.start, log_of_certain(rows, joint)
    if urn.has_room or (urn.is_dense and len(urn.prior) <= _LONG_RUNS):
        counts = _over_simplex(urn, log_evidence, each=each and urn.has_room)
        return counts if len(counts.codes) <= limit else None
    for i in range(len(urn.value)):
        level, log_scale = urn.follow(level, i)
        log_evidence = log_evidence + log_scale
        if len(level.codes) > limit:
            return None
    return RecursionCounts(level.codes, level.weight / level.total, log_evidence, urn.lattice)


def _over_simplex(urn: RecursionUrn, log_fixed: FloatArray, *, each: bool) -> RecursionCounts:
    counts = urn.simplex(each=each)
    # Vectors that some dataset excludes have no code.
    occurs = np.flatnonzero(counts.weight.any(axis=1))
    codes = counts.vectors[occurs] @ (1 << urn.lattice.shifts)
    log_evidence = log_fixed + counts.log_evidence
    return RecursionCounts(codes, counts.weight[occurs], log_evidence, urn.lattice, counts.each)


def log_of_certain(rows: EvidenceRows, joint: bool) -> FloatArray:
    """Log evidence of the datasets that are certain, and of the scales of all rows."""
    scale = rows.log_scale.sum(axis=1)
    if not joint:
        return scale
    parts = log_rising_gamma(np.log(rows.alpha), rows.fixed)
    total = log_rising_gamma(math.log(float(rows.alpha.sum())), rows.fixed.sum())
    return np.asarray(scale + parts.sum() - total)


@jit()
def _advance(
    codes: IntArray,
    weight: FloatArray,
    target: IntArray,
    size: int,
    shifts: IntArray,
    masks: IntArray,
    factors: FloatArray,
) -> FloatArray:
    """V_i from V_{i−1} at `codes`, by the S statements that dataset i leaves."""
    versions = weight.shape[1]
    out = np.zeros((size, versions))
    for p in range(len(codes)):
        for j in range(len(shifts)):
            m, count = target[p, j], codes[p] >> shifts[j] & masks[j]
            if versions == 1:
                out[m, 0] += factors[j, count, 0] * weight[p, 0]
            else:
                for r in range(versions):
                    out[m, r] += factors[j, count, r] * weight[p, r]
    return out
