r"""What each dataset says about every statement, and the counts behind θ by recursion over them.

On dataset i the statement :math:`z_i` is not seen; its replicates say how well each statement fits,
:math:`\ell_i(s)`. Statements that cannot matter are dropped, datasets that leave only one are
counted (`EvidenceRows`), and what remains is an urn of uncertain datasets (`Urn`).

With :math:`\theta \sim \mathrm{Dirichlet}(\alpha)` and every :math:`z_i` drawn from θ, the counts c
of the z grow as in Pólya's urn. Let :math:`V_i(c)` be the probability of the first i
datasets together with the counts c of their statements; then

.. math:: V_i(c) = \sum_s \ell_i(s)\, \frac{\alpha_s + c_s - 1}{A + i - 1}\, V_{i-1}(c - e_s) .

:math:`\sum_c V_n(c)` is the evidence, and :math:`V_n` normalised the posterior of the counts, given
which θ is a Dirichlet again. Without the urn's factor the same recursion gives the cut model, in
which no dataset learns from the others: a Poisson-multinomial.

A vector of counts is one integer, its code, with some bits for each statement. If dataset i shows
statement s, every code grows by ``1 << shift[s]``, which keeps sorted codes sorted: the codes after
the dataset are a merge of shifted copies. Where nearly all vectors occur, `simplex` is faster.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, for two statements and the cut model.
Blackwell & MacQueen (1973), Annals of Statistics 1, 353–355, for the urn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.simplex import SimplexCounts, simplex_counts, simplex_numbers

#: What a dropped statement may weigh: this times min α/(n + Σα), against the row's largest.
_NEGLIGIBLE = 1e-12
#: Count vectors up to which the recursion is used.
MOST_STATES = 2_000_000
#: Bits of the integer that stands for a vector of counts.
_BITS = 62
#: Numbers up to which all vectors of all levels are kept (32 MB), and the share of statements that
#: datasets leave where nearly all vectors occur: where they leave few, codes are cheaper.
_MOST_SIMPLEX, _LEAST_SHARE = 4_000_000, 0.75
#: Statements up to which runs are long enough to beat codes with any number of datasets.
_LONG_RUNS = 3


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

    def log_of_certain(self, *, joint: bool) -> FloatArray:
        """Log evidence of the datasets that are certain, and of the scales of all rows, (R,)."""
        scale = self.log_scale.sum(axis=1)
        if not joint:
            return scale
        parts = log_rising_gamma(np.log(self.alpha), self.fixed)
        total = log_rising_gamma(math.log(float(self.alpha.sum())), self.fixed.sum())
        return np.asarray(scale + parts.sum() - total)


class Level(NamedTuple):
    """Count vectors after some datasets, as sorted codes, their weights (M, R) and sums (R,)."""

    codes: IntArray
    weight: FloatArray
    total: FloatArray


@dataclass(frozen=True)
class Urn:
    """The uncertain datasets by themselves, in the recursion's own numbering.

    Attributes
    ----------
    value : array (n, R, t)
        ℓ of the t statements that some of them leave.
    prior : array (t,)
        Their α, and the counts of the datasets that are certain.
    before : float
        The mass in the urn before the first uncertain dataset.
    joint : bool
    shifts, masks : arrays (t,)
        Where the bits of each statement are; the first has the most significant.
    options : list of arrays
        The statements that each dataset leaves.
    """

    value: FloatArray
    prior: FloatArray
    before: float
    joint: bool
    shifts: IntArray
    masks: IntArray
    options: list[IntArray]

    @classmethod
    def of(cls, rows: EvidenceRows, *, joint: bool = True) -> Urn | None:
        """Number the count vectors; None where 62 bits are too few."""
        tracked, uncertain = rows.tracked, rows.uncertain
        support = rows.support[uncertain][:, tracked]
        widths = [int(most).bit_length() for most in support.sum(axis=0)]
        if sum(widths) > _BITS:
            return None
        value = rows.value[:, uncertain][:, :, tracked].transpose(1, 0, 2)
        return cls(
            np.ascontiguousarray(value),
            (rows.alpha + rows.fixed)[tracked],
            float(rows.alpha.sum() + rows.fixed.sum()),
            joint,
            np.cumsum([0, *widths[:0:-1]], dtype=np.int64)[::-1][: len(widths)].copy(),
            (1 << np.array(widths, np.int64)) - 1,
            [np.flatnonzero(row) for row in support],
        )

    @property
    def start(self) -> Level:
        """The urn before any uncertain dataset."""
        versions = self.value.shape[1]
        return Level(np.zeros(1, dtype=np.int64), np.ones((1, versions)), np.ones(versions))

    @property
    def at_least(self) -> int:
        """No fewer count vectors than this: those of datasets that leave the same statements."""
        alike: dict[tuple[int, ...], int] = {}
        for options in map(tuple, self.options):
            alike[options] = alike.get(options, 0) + 1
        numbers = (math.comb(n + len(s) - 1, len(s) - 1) for s, n in alike.items())
        return max(numbers, default=1)

    @property
    def is_dense(self) -> bool:
        """Whether nearly all vectors occur."""
        n, _, t = self.value.shape
        return bool(n > 0 and sum(map(len, self.options)) >= _LEAST_SHARE * n * t)

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

    def add(
        self, level: Level, i: int, drawn: int, merged: tuple[IntArray, IntArray] | None = None
    ) -> tuple[Level, FloatArray]:
        """Add dataset `i` after `drawn` others; return the level and the log of its sum."""
        options = self.options[i]
        codes, target = merged or self.merged(level, i)
        # The weights before are scaled to sum to one, by scaling what they are multiplied with.
        weight = _advance(
            level.codes, level.weight, target, len(codes),
            self.shifts[options], self.masks[options], self.factors(i, drawn) / level.total,
        )  # fmt: skip
        total = np.einsum("mr->r", weight)
        return Level(codes, weight, total), np.log(total)

    def merged(self, level: Level, i: int) -> tuple[IntArray, IntArray]:
        """Return the codes after dataset `i`, and where each code before goes, (M, S)."""
        return _merge_codes(level.codes, 1 << self.shifts[self.options[i]])

    def factors(self, i: int, drawn: int) -> FloatArray:
        """ℓ_i(s) times the urn's factor, by statement, count before and version."""
        options = self.options[i]
        factors = np.repeat(self.value[i][:, options].T[:, None, :], drawn + 1, axis=1)
        if self.joint:
            balls = self.prior[options, None] + np.arange(drawn + 1.0)
            factors *= (balls / (self.before + drawn))[:, :, None]
        return factors

    def digits(self, codes: IntArray) -> IntArray:
        """Return the count of each statement in every code, (M, t)."""
        return np.asarray(codes[:, None] >> self.shifts & self.masks)


class Counts(NamedTuple):
    """Posterior of the counts of every statement.

    Attributes
    ----------
    vectors : array (M, K)
        In lexicographic order; the datasets that are certain are counted.
    weight : array (M, R)
        Their probabilities in each version.
    log_evidence : array (R,)
        Of all datasets, in each version.
    each : array (n, t, R), optional
        P(z_i = s | all) of the uncertain datasets and tracked statements, where it was asked for
        and came cheap; see `each_dataset.smoothed`.
    """

    vectors: FloatArray
    weight: FloatArray
    log_evidence: FloatArray
    each: FloatArray | None = None


def recursion_for_counts(
    rows: EvidenceRows, *, joint: bool = True, limit: int | None = None, each: bool = False
) -> Counts | None:
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
        Whether `Counts.each` is wanted, if it comes cheap.

    Examples
    --------
    Two datasets that lean to the first of two statements, three to one, under a uniform θ: the
    evidence is E[(½θ + ¼)²].

    >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
    >>> counts = recursion_for_counts(rows)
    >>> counts.weight[:, 0].round(6).tolist(), counts.vectors.tolist()
    ([0.076923, 0.230769, 0.692308], [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
    >>> round(float(np.exp(counts.log_evidence[0])), 6)
    0.270833
    """
    limit = MOST_STATES if limit is None else limit
    urn = Urn.of(rows, joint=joint)
    if urn is None or urn.at_least > limit:
        return None
    log_evidence, shown = rows.log_of_certain(joint=joint), None
    if urn.has_room or (urn.is_dense and len(urn.prior) <= _LONG_RUNS):
        found = urn.simplex(each=each and urn.has_room)
        # Vectors that some dataset excludes do not occur.
        occurs = np.flatnonzero(found.weight.any(axis=1))
        digits, weight, shown = found.vectors[occurs], found.weight[occurs], found.each
        log_evidence = log_evidence + found.log_evidence
    else:
        level = urn.start
        for i in range(len(urn.value)):
            level, log_scale = urn.add(level, i, i)
            log_evidence = log_evidence + log_scale
            if len(level.codes) > limit:
                return None
        digits, weight = urn.digits(level.codes), level.weight / level.total
    if len(digits) > limit:
        return None
    vectors = np.tile(rows.fixed, (len(digits), 1))
    vectors[:, rows.tracked] += digits
    return Counts(vectors, weight, log_evidence, shown)


@jit()
def _merge_codes(codes: IntArray, steps: IntArray) -> tuple[IntArray, IntArray]:
    """Merge copies of sorted codes, each shifted by one of the steps; and where each goes."""
    n, s = len(codes), len(steps)
    end = np.int64(0x7FFFFFFFFFFFFFFF)
    at = np.zeros(s, dtype=np.int64)
    head = codes[0] + steps
    merged = np.empty(n * s, dtype=np.int64)
    target = np.empty((n, s), dtype=np.int64)
    m = 0
    while True:
        least = end
        for j in range(s):
            least = min(least, head[j])
        if least == end:
            return merged[:m].copy(), target
        merged[m] = least
        for j in range(s):
            if head[j] == least:
                target[at[j], j] = m
                at[j] += 1
                head[j] = codes[at[j]] + steps[j] if at[j] < n else end
        m += 1


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
            for r in range(versions):
                out[m, r] += factors[j, count, r] * weight[p, r]
    return out
