r"""`Mixture`: every question that a mixture of Dirichlets can be asked, once.

.. math:: p(\theta) = \sum_{a, c} w_{ac}\, \mathrm{Dir}_a(\theta; \alpha_a + c)

Whatever one component has in closed form is a short sum here, over components and count vectors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.intervals import Betas
from bayescompare.posterior.component import Component, distinct_rows
from bayescompare.posterior.partition import Groups

#: From so many count vectors on, their P(max) is contracted digit by digit.
_MANY = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class Mixture:
    """A distribution of θ over A components and M count vectors of S statements.

    Attributes
    ----------
    components : tuple of Component
    counts : array (M, S)
    weight : array (A, M)
    states : array (chains, draws), optional
        The vector of each kept draw, where there were too many vectors to sum over.
    """

    components: tuple[Component, ...]
    counts: FloatArray
    weight: FloatArray
    states: IntArray | None = None

    #: P(no statement leads, because several are equal): none, as those of a class share the lead.
    none_leads: ClassVar[float] = 0.0

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each listed statement, and last of all others together."""
        out = np.zeros(self.counts.shape[1] + 1)
        for component, weight in self._weighed:
            # Of two statements P(max) is closed.
            contracts = component.is_plain and len(component.log_alpha) > 2
            if contracts and len(self.counts) >= _MANY:
                out += component.contracted(self.counts, weight)
            else:
                out += weight @ component.p_max(self.counts)
        return out

    def mcse(self) -> FloatArray | None:
        """Standard error of `p_max`, from batches of each chain; None where it is exact."""
        if self.states is None:
            return None
        return batch_error(self.components[0].p_max(self.counts)[self.states])

    @property
    def _weighed(self) -> list[tuple[Component, FloatArray]]:
        """The components that have weight, each with its weights of the vectors."""
        pairs = zip(self.components, self.weight, strict=True)
        return [(component, weight) for component, weight in pairs if weight.any()]

    def mean(self) -> FloatArray:
        """E θ of each listed statement: P(it holds on a new dataset)."""
        each = ((a, w.sum(), w @ self.counts) for a, w in self._weighed)
        return np.sum([total * a.mean(counts / total) for a, total, counts in each], axis=0)

    def betas(self, s: int) -> Betas:
        """Return θ_s as a mixture of scaled Betas."""
        return Betas.mixed([a.betas(s, self.counts, w) for a, w in self._weighed])

    def interval(self, s: int, mass: float = 0.95) -> tuple[float, float]:
        """Central interval of θ_s."""
        low, high = self.betas(s).quantile(np.array([1.0 - mass, 1.0 + mass]) / 2.0)
        return float(low), float(high)

    def majority(self, s: int) -> float:
        """P(θ_s > ½); equality counts half."""
        return self.betas(s).above(0.5)

    def intervals(self, mass: float = 0.95) -> FloatArray:
        """Central intervals of all listed statements, (2, S)."""
        tails = np.array([1.0 - mass, 1.0 + mass]) / 2.0
        size = self.counts.shape[1]
        if any(math.isinf(component.total) for component, _ in self._weighed):
            return np.zeros((2, size))  # no statement has a share that a float could show
        if len(self._weighed) == len(self.counts) == 1 and self.components[0].classes.is_trivial:
            ((component, _),) = self._weighed
            first = component.alpha + self.counts[0]
            other = np.maximum(component.total + self.counts[0].sum() - first, 1e-300)
            return np.asarray(betaincinv(first, other, tails[:, None]))
        if len(self.counts) == 1:
            # Statements of the same α and count, their class's too, share an interval.
            n = self.counts[0]
            rows = [
                row for a, _ in self._weighed for row in (a.alpha, a.classes.total(n)[a.classes.of])
            ]
            _, kind, where = np.unique(
                np.stack([*rows, n]), axis=1, return_index=True, return_inverse=True
            )
            ends = [self.betas(s).quantile(tails) for s in kind.tolist()]
            return np.stack(ends, axis=1)[:, where.ravel()]
        return np.stack([self.betas(s).quantile(tails) for s in range(size)], axis=1)

    def order(self, s: int, other: int | None, alpha: float | None = None) -> float:
        """P(θ_s > θ_other); equality counts half.

        None is a statement that is not listed, of this α where the unlisted are not all alike.
        """
        if other is None:
            each = [w @ a.order_unlisted(s, self.counts, alpha) for a, w in self._weighed]
        else:
            each = [w @ a.order(s, other, self.counts) for a, w in self._weighed]
        return float(sum(each))

    def events(self, groups: Groups) -> Mixture:
        """Return the distribution of sums of θ: marginals, projections (SPEC 13)."""
        components = tuple(component.events(groups) for component in self.components)
        counts, where = distinct_rows(groups.total(self.counts))
        weight = np.stack([np.bincount(where, each) for each in self.weight])
        states = None if self.states is None else where[self.states]
        return Mixture(components=components, counts=counts, weight=weight, states=states)

    def draw_place(
        self, size: int | tuple[int, ...], rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw which component and which count vector, independently."""
        place = np.zeros(size, dtype=np.int64)
        if self.weight.size > 1:
            place = rng.choice(self.weight.size, size=size, p=self.weight.ravel())
        a, m = np.unravel_index(place, self.weight.shape)
        return a, m

    def draw(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw log θ, (size, S + 1), independently; last of all unlisted statements together."""
        a, m = self.draw_place(size, rng)
        out = np.empty((size, self.counts.shape[1] + 1))
        for k, component in enumerate(self.components):
            out[a == k] = component.draw(self.counts[m[a == k]], rng)
        return out

    def predict(self, number: int, size: int, rng: np.random.Generator) -> IntArray:
        """Draw the statements of so many new datasets, (size, number)."""
        ends = np.cumsum(np.exp(self.draw(size, rng)), axis=1)[:, None]
        return (rng.random((size, number, 1)) > ends).sum(axis=2)


def batch_error(each: FloatArray) -> FloatArray:
    """Standard error of the mean over chains and draws (…, S), from batches of each chain."""
    batches = np.concatenate([part.mean(axis=1) for part in np.array_split(each, 10, axis=1)])
    spread = batches.std(axis=0, ddof=1) / math.sqrt(len(batches))
    number = each.shape[0] * each.shape[1]
    p = (each.sum(axis=(0, 1)) + 1.0) / (number + 2.0)
    # Where no draw differs from another the error is unknown, not zero.
    return np.asarray(np.where(spread > 0.0, spread, np.sqrt(p * (1.0 - p) / number)))
