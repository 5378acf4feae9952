r"""`Component`: a Dirichlet over classes of statements, with equal shares within a class.

.. math:: f \sim \mathrm{Dirichlet}(\alpha), \qquad \theta_s = f_{c(s)} / \mathrm{size}_{c(s)}

In most priors every statement is a class. Where two algorithms do not differ, a statement and its
reverse are one. Given counts, every question about θ is closed or one integral: here for many count
vectors at once, and here only do classes matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.kernels.dirichlet.integral import Lump, beta_exceeds
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.numerics.gammas import log_rising_gamma, sum_log_rising_gamma
from bayescompare.kernels.numerics.intervals import Betas
from bayescompare.posterior.partition import Groups, Partition

#: Logarithm of a prior weight beyond which counts change nothing that a float can show.
_HEAVIEST = 300.0


@dataclass(frozen=True, eq=False)
class Component:
    """Dirichlet(α) over C classes of S listed statements, and over lumps of others.

    Attributes
    ----------
    log_alpha : array (C,)
        In logarithms, because α = 1/K underflows where K is large.
    classes : Partition
        The class of each statement.
    lumps : tuple of Lump
        The statements that are not listed, alike within each lump; each is a class by itself.
    """

    log_alpha: FloatArray
    classes: Partition
    lumps: tuple[Lump, ...] = ()

    @classmethod
    def over(cls, alpha: FloatArray, classes: Partition) -> Component:
        """Fold Dirichlet(α) over statements, (S,): classes have what their statements had."""
        return cls(np.log(classes.total(alpha)), classes)

    @classmethod
    def listed(cls, log_alpha: FloatArray, *lumps: Lump) -> Component:
        """Take α of listed statements, (S,), each a class, and lumps of others, if they exist."""
        some = tuple(lump for lump in lumps if min(lump) > -math.inf)
        return cls(log_alpha, Partition.trivial(len(log_alpha)), some)

    @property
    def log_rest(self) -> float:
        """Logarithm of Σα of all lumps; −inf without any."""
        return float(np.logaddexp.reduce([a + size for a, size in self.lumps], initial=-math.inf))

    @cached_property
    def log_total(self) -> float:
        """Logarithm of Σα."""
        return float(np.logaddexp.reduce([*self.log_alpha, self.log_rest]))

    @property
    def total(self) -> float:
        """Σα; infinite beyond the range of floats."""
        return math.exp(self.log_total) if self.log_total < 709.0 else math.inf

    @property
    def alpha(self) -> FloatArray:
        """Prior weight of every statement, (S,)."""
        return self.classes.share(np.exp(self.log_alpha))

    @property
    def is_plain(self) -> bool:
        """Whether it is a Dirichlet over the statements themselves, all of them listed."""
        return self.classes.is_trivial and not self.lumps

    def raised(self, power: float) -> Component:
        """Return the Dirichlet of so many times α."""
        shift = math.log(power)
        lumps = tuple((log_alpha + shift, size) for log_alpha, size in self.lumps)
        return replace(self, log_alpha=self.log_alpha + shift, lumps=lumps)

    def log_urn(self, counts: FloatArray) -> FloatArray:
        """Log probability of datasets with these counts (M, S), in any order: (M,)."""
        counts = self.classes.total(counts)
        out = -counts @ np.log(self.classes.size)
        out -= log_rising_gamma(self.log_total, counts.sum(axis=1))
        return out + sum_log_rising_gamma(self.log_alpha, counts)

    def p_max(self, counts: FloatArray) -> FloatArray:
        """P(θ_s is the largest), and last of all lumps, for every vector: (M, S + 1).

        Those of a class are the largest together, and share the probability.
        """
        if self.log_alpha.max(initial=-np.inf) > _HEAVIEST:
            # So heavy a prior leaves no room for datasets: the heaviest are the largest.
            lead = np.append(self.log_alpha, [log_alpha for log_alpha, _ in self.lumps])
            number = np.append(np.zeros(len(self.log_alpha)), [size for _, size in self.lumps])
            share = softmax(np.where(lead >= lead.max() - 1e-9, number, -np.inf))
            row = np.append(self.classes.share(share[: len(self.log_alpha)]), 0.0)
            row[-1] = share[len(self.log_alpha) :].sum()
            return np.tile(row, (len(counts), 1))
        if self.is_plain and min(len(self.log_alpha), len(counts)) <= 2:
            return p_max(self.log_alpha, counts)
        distinct, where = distinct_rows(self.classes.total(counts))
        sizes = np.log(self.classes.size / self.classes.size.min())
        each = p_max(self.log_alpha, distinct, self.lumps, sizes)[where]
        return np.column_stack([self.classes.share(each[:, :-1]), each[:, -1]])

    def contracted(self, counts: FloatArray, weight: FloatArray) -> FloatArray:
        """Σ_c w(c) P(max | c) of very many vectors, summed digit by digit, (S + 1,)."""
        from bayescompare.kernels.replicated.count_maximum import averaged_maximum

        fixed, tracked, digits = tracked_counts(counts)
        mean = averaged_maximum(self.alpha, fixed, tracked, digits, weight)
        return np.append(weight.sum() * mean, 0.0)

    def mean(self, counts: FloatArray) -> FloatArray:
        """E θ of each listed statement, (S,), given counts (S,) or their average."""
        shape = np.exp(self.log_alpha) + self.classes.total(counts)
        return self.classes.share(shape) / (self.total + counts.sum())

    def betas(self, s: int, counts: FloatArray, weight: FloatArray) -> Betas:
        """Return θ_s as a mixture over the vectors, (M, S) with weights (M,)."""
        own = self.classes.of == self.classes.of[s]
        value, where = np.unique(counts[:, own].sum(axis=1), return_inverse=True)
        first = np.exp(self.log_alpha[self.classes.of[s]]) + value
        if len(self.log_alpha) == 1 and not self.lumps:
            second = np.zeros_like(first)
        else:
            second = np.maximum(self.total + counts[0].sum() - first, 1e-300)
        scale = np.full_like(first, 1.0 / own.sum())
        return Betas(np.bincount(where.ravel(), weight), scale, first, second)

    def order(self, s: int, other: int, counts: FloatArray) -> FloatArray:
        """P(θ_s > θ_other) for every vector, (M,); equality counts half."""
        pair = self.classes.of[[s, other]]
        if pair[0] == pair[1]:
            return np.full(len(counts), 0.5)
        shape = np.exp(self.log_alpha[pair]) + self.classes.total(counts)[:, pair]
        size = self.classes.size[pair]
        return beta_exceeds(shape[:, 0], shape[:, 1], size[1] / size.sum())

    def order_unlisted(self, s: int, counts: FloatArray, alpha: float | None) -> FloatArray:
        """P(θ_s exceeds that of a statement that is not listed), (M,).

        Its α is given where the unlisted are not all alike; there are no classes beside lumps.
        """
        other = math.exp(self.lumps[0][0]) if alpha is None else alpha
        shape = np.exp(self.log_alpha[s]) + counts[:, s]
        return beta_exceeds(shape, np.full_like(shape, other), 0.5)

    def draw(self, counts: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw log θ once for every vector, (M, S + 1); last of all lumps together."""
        log_alpha = np.append(self.log_alpha, self.log_rest)
        counts = np.column_stack([self.classes.total(counts), np.zeros(len(counts))])
        log_f = draw_log_theta(log_alpha, counts, (len(counts),), rng)
        of = self.classes.of
        return np.column_stack([log_f[:, of] - np.log(self.classes.size[of]), log_f[:, -1]])

    def events(self, groups: Groups) -> Component:
        """Return the Dirichlet of the sums of θ over groups of statements: again one over classes.

        Raises
        ------
        ValueError
            If it is none: a class is spread unevenly, or nobody knows where a lump lies.
        """
        spread = self.classes.through(groups)
        if spread is None or len(self.lumps) > 1:
            raise ValueError("the sums over these groups are no Dirichlet: draw them.")
        into, classes = spread
        log_alpha = np.full(len(classes.size), -np.inf)
        np.logaddexp.at(log_alpha, into, self.log_alpha)
        lumps: tuple[Lump, ...] = ()
        for each, _ in self.lumps:
            log_alpha = np.logaddexp(log_alpha, each + groups.log_unlisted)
            lumps = tuple((each + log_cells, log_size) for log_cells, log_size in groups.others)
        return Component(log_alpha, classes, lumps)


def tracked_counts(counts: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Part sorted vectors (M, S) into counts that all share, and digits of the cells that vary."""
    fixed, tracked = counts.min(axis=0), np.flatnonzero(np.ptp(counts, axis=0))
    return fixed, tracked, np.rint(counts - fixed)[:, tracked].astype(np.int64)


def distinct_rows(counts: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different rows, and which of them each row is."""
    if len(counts) == 1:
        return counts, np.zeros(1, dtype=np.int64)
    order = np.lexsort(counts.T[::-1])
    new = np.ones(len(counts), dtype=bool)
    new[1:] = (np.diff(counts[order], axis=0) != 0.0).any(axis=1)
    where = np.empty(len(counts), dtype=np.int64)
    where[order] = np.cumsum(new) - 1
    return counts[order][new], where
