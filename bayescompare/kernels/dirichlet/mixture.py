r"""A Dirichlet posterior of unknown strength: a mixture over a few strengths.

.. math:: \theta \mid A \sim \mathrm{Dirichlet}(A\,\varphi), \qquad A \sim g

Given the counts every component is conjugate, and its weight is g times its closed-form evidence,
so whatever has a closed form for one Dirichlet is a short sum here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import dirichlet_strength_weights
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.posterior import (
    dirichlet_leave_one_out,
    dirichlet_log_evidence,
    dirichlet_majority,
    dirichlet_pair_order,
)
from bayescompare.kernels.numerics.intervals import as_probability, beta_mixture_quantile

__all__ = ["Mixture"]


@dataclass(frozen=True)
class Mixture:
    """A mixture of Dirichlets with one base, and the counts seen.

    Attributes
    ----------
    base : DirichletCells
        The base φ in place of α (they sum to one), and the counts.
    strengths, prior : arrays (C,)
        The values that A may take, and their prior weights g.
    """

    base: DirichletCells
    strengths: FloatArray
    prior: FloatArray

    @cached_property
    def components(self) -> tuple[DirichletCells, ...]:
        """The Dirichlet of each strength."""
        return tuple(map(self.at_strength, self.strengths.tolist()))

    def at_strength(self, strength: float) -> DirichletCells:
        """Return the Dirichlet of one strength."""
        return self.base.scaled(strength)

    def with_counts(self, counts: FloatArray) -> Mixture:
        """Return the same prior with other counts."""
        return replace(self, base=replace(self.base, counts=counts))

    @cached_property
    def log_evidences(self) -> FloatArray:
        """Log evidence of the counts under each strength."""
        return np.array([dirichlet_log_evidence(cells) for cells in self.components])

    @property
    def log_evidence(self) -> float:
        """Log evidence of the counts, φ and g being held fixed."""
        return float(logsumexp(self.log_evidences, b=self.prior))

    @cached_property
    def weights(self) -> FloatArray:
        """Posterior weights of the strengths; those below 1e-9 are dropped."""
        return dirichlet_strength_weights(self.log_evidences, self.prior)

    def average(self, figure: Callable[[DirichletCells], FloatArray | float]) -> FloatArray:
        """Average a probability under one Dirichlet over the posterior weights."""
        kept = np.flatnonzero(self.weights)
        figures = [np.asarray(figure(self.components[k])) for k in kept]
        return as_probability(np.tensordot(self.weights[kept], np.stack(figures), axes=1))

    def maximum(self) -> tuple[FloatArray, float]:
        """P(θ_i is the largest) of every listed cell, and of the lump together.

        Examples
        --------
        With one strength it is the plain test:

        >>> quarter = DirichletCells(np.full(4, np.log(0.25)), np.array([1.0, 2.0, 3.0, 6.0]))
        >>> p, lump = Mixture(quarter, np.array([1.0]), np.array([1.0])).maximum()
        >>> p.round(6).tolist(), lump
        ([0.012363, 0.051923, 0.1375, 0.798214], 0.0)
        """
        both = self.average(lambda cells: np.append(*probability_of_maximum(cells)))
        return both[:-1], float(both[-1])

    def pair_order(self, first: int, second: int | None) -> float:
        """P(θ_first > θ_second); None is a cell that is not listed."""

        def exceeds(cells: DirichletCells) -> float:
            other = math.exp(cells.rest_log_alpha) if second is None else cells.shape[second]
            return dirichlet_pair_order(float(cells.shape[first]), float(other))

        return float(self.average(exceeds))

    def majority(self, cell: int) -> float:
        """P(θ_cell > ½)."""
        return float(
            self.average(lambda cells: dirichlet_majority(float(cells.shape[cell]), cells.total))
        )

    @property
    def mean(self) -> FloatArray:
        """E θ of every listed cell."""
        return self.average(lambda cells: cells.shape / cells.total)

    def quantile(self, q: float) -> FloatArray:
        """Return the q-quantile of each θ, whose distribution is a mixture of Betas."""
        kept = np.flatnonzero(self.weights)
        cells = [self.components[k] for k in kept]
        # Cells with the same φ and the same count have the same distribution.
        shape, where = np.unique(np.stack([c.shape for c in cells]), axis=1, return_inverse=True)
        rest = np.array([[c.total] for c in cells]) - shape
        return beta_mixture_quantile(self.weights[kept], shape, rest, q)[where.ravel()]

    def leave_one_out(
        self, dataset: IntArray, statement: IntArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Log predictive density of each dataset given the others, and given all, exactly.

        The arguments are those of `dirichlet.leave_one_out`. φ and g are held fixed.
        """
        densities = [
            dirichlet_leave_one_out(cells, dataset, statement, weight) for cells in self.components
        ]
        without, within = (np.stack(part) for part in zip(*densities, strict=True))
        each = self.log_evidences + np.log(self.prior)
        # log p(n) − log p(n − w_i), where p(n − w_i) = Σ g_A p_A(n) / p_A(w_i | n − w_i).
        fewer = logsumexp(each[:, None] - without, axis=0)
        more = logsumexp(each[:, None] + within, axis=0)
        whole = self.log_evidence
        return whole - fewer, more - whole
