r"""A prior of θ: a mixture of Dirichlets over (classes of) statements and lumps of equal others.

One component is the papers' prior. Six are what ``pairwise`` learns from all pairs: two algorithms
differ or they do not, by one of three strengths A,

.. math:: \theta \sim \mathrm{Dirichlet}(A\varphi), \qquad\text{or the same with}\quad
          \theta_s = \theta_{\mathrm{rev}(s)} .

However a user writes a prior, this is what it becomes; `learned` has what pairs teach each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.neighbours import STRENGTHS
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Partition

#: What the density of a prior is raised to, where it has no weight of its own.
POWER = "power"
#: The weight of beliefs, in datasets.
WEIGHT = "weight"


@dataclass(frozen=True, eq=False)
class DirichletPrior:
    """A mixture of A Dirichlets: its components, and the logarithm of the weight of each, (A,).

    Attributes
    ----------
    components : tuple of Component
    log_weight : array (A,)
    weighed_by : str
        What users call that which makes it weaker or stronger.
    weight : float
        How much of that it has.
    own : DirichletPrior, optional
        The prior of one pair by itself, where this one was learned from others.
    """

    components: tuple[Component, ...]
    log_weight: FloatArray
    weighed_by: str = POWER
    weight: float = 1.0
    own: DirichletPrior | None = None

    @classmethod
    def symmetric(cls, alpha: float, statements: int) -> Self:
        """Give each of so many statements the same α."""
        return cls.of(Component.listed(np.full(statements, np.log(alpha))))

    @classmethod
    def of(cls, component: Component) -> Self:
        """Take one Dirichlet."""
        return cls((component,), np.zeros(1))

    @classmethod
    def scaled(
        cls, component: Component, values: Sequence[float], weights: Sequence[float]
    ) -> Self:
        """Multiply one Dirichlet by each of several strengths, of these weights."""
        components = tuple(component.raised(value) for value in values)
        with np.errstate(divide="ignore"):
            return cls(components, np.log(np.array(weights)))

    def raised(self, power: float) -> Self:
        """Multiply every α."""
        components = tuple(a.raised(power) for a in self.components)
        return replace(self, components=components, weight=power * self.weight)

    @classmethod
    def of_pairs(cls, base: FloatArray) -> Self:
        """Two algorithms differ, or do not, by one of three strengths: of equal weight as yet."""
        kinds = Partition.trivial(len(base)), Partition.mirrored(len(base))
        components = tuple(Component.over(a * base, kind) for kind in kinds for a in STRENGTHS)
        return cls(components, np.full(len(components), -np.log(len(components))))

    def log_urn(self, counts: FloatArray) -> FloatArray:
        """Log probability of datasets with these counts under each component, (A, M)."""
        return np.stack([component.log_urn(counts) for component in self.components])

    @property
    def weakest(self) -> FloatArray:
        """α (S,) of the component that weighs least."""
        return min(self.components, key=lambda component: component.log_total).alpha
