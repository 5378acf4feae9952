"""`Board`: very many pairs at once, all datasets counted, under what neighbours teach them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Groups
from bayescompare.prior import DirichletPrior


@dataclass(frozen=True, eq=False)
class Board:
    """Very many pairs at once, all datasets counted: P posteriors of one count vector each.

    They share components; counts are (P, S) and weights (A, P).
    """

    components: tuple[Component, ...]
    counts: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, prior: DirichletPrior, counts: FloatArray) -> Board:
        """All pairs under one prior."""
        log_weight = prior.log_urn(counts) + prior.log_weight[:, None]
        return cls(prior.components, counts, softmax(log_weight, axis=0))

    @classmethod
    def learned(cls, counts: FloatArray, who: IntArray) -> Board:
        """Let all pairs, (P, 2), teach each other."""
        neighbours = Neighbours(who, counts)
        prior = DirichletPrior.of_pairs(neighbours.base)
        log_urn = prior.log_urn(counts)
        taught = neighbours.teach(log_urn.T).log_weight.T
        return cls(prior.components, counts, softmax(log_urn + taught, axis=0))

    def events(self, groups: Groups) -> Board:
        """Return the distributions of sums of θ."""
        components = tuple(component.events(groups) for component in self.components)
        return replace(self, components=components, counts=groups.total(self.counts))

    def some(self, pairs: IntArray) -> Board:
        """Return some of the pairs."""
        return replace(self, counts=self.counts[pairs], weight=self.weight[:, pairs])

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each pair, (P, S + 1)."""
        each = zip(self.components, self.weight, strict=True)
        return np.sum([w[:, None] * a.p_max(self.counts) for a, w in each], axis=0)
