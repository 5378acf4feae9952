r"""The counts of statements behind θ, exactly, by recursion over datasets.

With :math:`\theta \sim \mathrm{Dirichlet}(\alpha)` and every :math:`z_i` drawn from θ, the counts c
of the z grow as in Pólya's urn. Let :math:`V_i(c)` be the probability of the first i
datasets together with the counts c of their statements; then

.. math:: V_i(c) = \sum_s \ell_i(s)\, \frac{\alpha_s + c_s - 1}{A + i - 1}\, V_{i-1}(c - e_s) .

:math:`\sum_c V_n(c)` is the evidence, and :math:`V_n` normalised the posterior of the counts, given
which θ is a Dirichlet again. Without the urn's factor the same recursion gives the cut model, in
which no dataset learns from the others: a Poisson-multinomial.

A vector of counts is one integer with some bits for each statement, so that adding a dataset shifts
a sorted list of integers and merges it with itself.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5, for two statements and the cut model.
Blackwell & MacQueen (1973), Annals of Statistics 1, 353–355, for the urn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["MOST_STATES", "Counts", "Level", "Urn", "log_of_fixed", "statement_counts"]


#: Count vectors up to which the recursion is used.
MOST_STATES = 2_000_000


class Level(NamedTuple):
    """Count vectors after some datasets, as sorted codes, and their weights (M, R)."""

    codes: IntArray
    weight: FloatArray


@dataclass(frozen=True)
class Urn:
    """The problem in the recursion's own numbering, uncertain datasets only.

    `value` is (n, R, t) for t tracked statements; `prior` their α plus what is fixed; `before` the
    mass in the urn before the first uncertain dataset.
    """

    value: FloatArray
    prior: FloatArray
    before: float
    shifts: IntArray
    masks: IntArray
    joint: bool

    @classmethod
    def of(cls, rows: EvidenceRows, *, joint: bool) -> Urn | None:
        """Number the count vectors; None where the numbers would be too large."""
        numbering = rows.shifts()
        if numbering is None:
            return None
        tracked, uncertain = rows.tracked, rows.uncertain
        value = rows.value[:, uncertain][:, :, tracked].transpose(1, 0, 2)
        return cls(
            np.ascontiguousarray(value),
            (rows.alpha + rows.fixed)[tracked],
            float(rows.alpha.sum() + rows.fixed.sum()),
            *numbering,
            joint,
        )

    @property
    def start(self) -> Level:
        """The urn before any uncertain dataset."""
        return Level(np.zeros(1, dtype=np.int64), np.ones((1, self.value.shape[1])))

    def version(self, r: int) -> Urn:
        """Return the same urn with one of the versions only."""
        return replace(self, value=np.ascontiguousarray(self.value[:, r : r + 1]))

    def options(self, i: int) -> IntArray:
        """Return the tracked statements that dataset `i` leaves possible."""
        return np.flatnonzero(self.value[i].max(axis=0) > 0.0)

    def grown(self, codes: IntArray, i: int) -> tuple[IntArray, IntArray]:
        """Codes after dataset `i`, and where each came from by each of its statements."""
        return _merge(codes, 1 << self.shifts[self.options(i)])

    def add(self, level: Level, i: int, drawn: int) -> tuple[Level, FloatArray]:
        """Add dataset `i` as the `drawn`-th; return the level, scaled, and the log of the scale."""
        options = self.options(i)
        codes, parents = self.grown(level.codes, i)
        weight = _advance(
            level.weight, codes, parents, np.ascontiguousarray(self.value[i][:, options]),
            self.prior[options], self.shifts[options], self.masks[options],
            self.before + drawn, self.joint,
        )  # fmt: skip
        scale = weight.sum(axis=0)
        return Level(codes, weight / scale), np.log(scale)


class Counts(NamedTuple):
    """Posterior of the counts of every statement.

    Attributes
    ----------
    codes : array (M,)
        Count vectors as sorted integers; `digits` reads them.
    weight : array (M, R)
        Their probabilities in each version.
    log_evidence : array (R,)
        Of all datasets, in each version.
    """

    codes: IntArray
    weight: FloatArray
    log_evidence: FloatArray
    shifts: IntArray
    masks: IntArray

    def digits(self, k: int) -> IntArray:
        """Return the count of the k-th tracked statement in every vector."""
        return np.asarray(self.codes >> self.shifts[k] & self.masks[k])


def statement_counts(
    rows: EvidenceRows, *, joint: bool = True, limit: int = MOST_STATES
) -> Counts | None:
    """Return the posterior of the counts, exactly; None where there are more than `limit` vectors.

    Parameters
    ----------
    rows : EvidenceRows
    joint : bool
        Whether datasets inform each other; otherwise the counts are Poisson-multinomial, and
        `log_evidence` is only that of the scales of the rows.
    limit : int

    Examples
    --------
    Two datasets that lean to the first of two statements, three to one, under a uniform θ: the
    evidence is E[(½θ + ¼)²].

    >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
    >>> counts = statement_counts(rows)
    >>> counts.weight[:, 0].round(6).tolist(), counts.digits(0).tolist()
    ([0.076923, 0.230769, 0.692308], [0, 1, 2])
    >>> round(float(np.exp(counts.log_evidence[0])), 6)
    0.270833
    """
    urn = Urn.of(rows, joint=joint)
    if urn is None:
        return None
    level, log_evidence = urn.start, log_of_fixed(rows, joint)
    for drawn in range(len(urn.value)):
        level, log_scale = urn.add(level, drawn, drawn)
        log_evidence = log_evidence + log_scale
        if len(level.codes) > limit:
            return None
    return Counts(level.codes, level.weight, log_evidence, urn.shifts, urn.masks)


def log_of_fixed(rows: EvidenceRows, joint: bool) -> FloatArray:
    """Log evidence of the datasets that are certain, and of the scales of all rows."""
    scale = rows.log_scale.sum(axis=1)
    if not joint:
        return scale
    parts = log_rising(np.log(rows.alpha), rows.fixed)
    total = log_rising(math.log(float(rows.alpha.sum())), rows.fixed.sum())
    return np.asarray(scale + parts.sum() - total)


@jit()
def _merge(codes: IntArray, steps: IntArray) -> tuple[IntArray, IntArray]:
    """Merge the shifted copies of sorted codes; the parents (S, M) are −1 where there is none."""
    n, s = len(codes), len(steps)
    at = np.zeros(s, dtype=np.int64)
    merged = np.empty(n * s, dtype=np.int64)
    parents = np.full((n * s, s), -1, dtype=np.int64)
    m = 0
    while True:
        least = np.int64(0x7FFFFFFFFFFFFFFF)
        for j in range(s):
            if at[j] < n and codes[at[j]] + steps[j] < least:
                least = codes[at[j]] + steps[j]
        if least == np.int64(0x7FFFFFFFFFFFFFFF):
            break
        merged[m] = least
        for j in range(s):
            if at[j] < n and codes[at[j]] + steps[j] == least:
                parents[m, j] = at[j]
                at[j] += 1
        m += 1
    return merged[:m].copy(), parents[:m].copy()


@jit()
def _advance(
    weight: FloatArray,
    codes: IntArray,
    parents: IntArray,
    value: FloatArray,
    prior: FloatArray,
    shifts: IntArray,
    masks: IntArray,
    total: float,
    joint: bool,
) -> FloatArray:
    """V_i from V_{i−1}; `value` is (R, S) for the S statements that the dataset leaves."""
    versions = weight.shape[1]
    out = np.zeros((len(codes), versions))
    for m in range(len(codes)):
        for j in range(len(prior)):
            p = parents[m, j]
            if p < 0:
                continue
            factor = 1.0
            if joint:
                count = (codes[m] >> shifts[j] & masks[j]) - 1
                factor = (prior[j] + count) / total
            for r in range(versions):
                out[m, r] += factor * value[r, j] * weight[p, r]
    return out
