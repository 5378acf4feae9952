"""What further datasets would say: new ones resemble those seen, statement by statement.

The prior of a mean advantage is flat, so that it says nothing of how large one is on a new dataset.
A new dataset of a statement is therefore as sure as one of those seen; as which one, goes by how
probable the statement is on it. So a statement is as often true of new datasets that speak for it
as they say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.context.poisson_multinomial import context_regions
from bayescompare.kernels.context.poisson_multinomial_joint import (
    joint_context_regions,
    poisson_multinomial_joint_regions,
)
from bayescompare.methods.context.correlated_t_posterior import correlated_t_share_sampler
from bayescompare.methods.context.replicates import Replicates

if TYPE_CHECKING:
    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = ["plan_simulator"]


def plan_simulator(
    method: CorrelatedT, each: Replicates
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds so many predicted datasets and answers again."""
    kinds, shares = (
        _CorrelatedTPlanKinds(each, _correlated_t_plan_datasets(method, each)),
        correlated_t_share_sampler(method, each),
    )

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        (theta,) = shares(1, rng)
        statements = rng.choice(len(theta), p=theta / theta.sum(), size=number)
        return _correlated_t_plan_answer(
            method, each, np.vstack([each.regions, kinds.draw(statements, rng)])
        )

    return simulate


def _correlated_t_plan_datasets(method: CorrelatedT, each: Replicates) -> FloatArray:
    """P(every statement) on each dataset seen, (N, S)."""
    if not method.joint:
        return each.evidence
    if each.rope:
        return poisson_multinomial_joint_regions(each.regions, method.weight).each[:, ::-1]
    wins = method.full(each.regions[:, 2]).wins
    return np.stack([wins, 1.0 - wins], axis=-1)


def _correlated_t_plan_answer(
    method: CorrelatedT, each: Replicates, regions: FloatArray
) -> FloatArray:
    """P(each statement is the most frequent one), from every dataset's regions."""
    b = method.weight
    if each.rope and method.joint:
        return joint_context_regions(regions, b)[::-1]
    if each.rope:
        return context_regions(regions, (b, b, b))[::-1]
    return method.both(regions[:, 2])


@dataclass(frozen=True, eq=False)
class _CorrelatedTPlanKinds:
    """The datasets seen, as kinds of which new ones are."""

    each: Replicates
    #: P(every statement) on each of them, (N, S).
    after: FloatArray

    def draw(self, statements: IntArray, rng: np.random.Generator) -> FloatArray:
        """Draw datasets of these statements; return their regions by their own replicates."""
        ends = np.cumsum(self.after, axis=0)
        at = rng.random(len(statements)) * ends[-1, statements]
        kind = np.minimum((at >= ends[:, statements]).sum(axis=0), len(ends) - 1)
        # Where every dataset is certain, and none of this statement, so are new ones.
        unlike = ends[-1, statements] <= 0.0
        region = 2 - statements if self.each.rope else 2 * (1 - statements)
        return np.where(unlike[:, None], np.eye(3)[region], self.each.regions[kind])
