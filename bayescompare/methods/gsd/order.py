"""The order of all algorithms by generalised stochastic dominance, and how it grows with δ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.gsd.optimum import delta_threshold
from bayescompare.methods.gsd.details import OrderDetails, Square
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd.base import GsdMethod

__all__ = ["gsd_front_of", "gsd_thresholds_of", "order_answer", "strict_gsd_order"]


def order_answer(method: GsdMethod, results: Results) -> Answer:
    """Compute who dominates whom, for every pair; nothing is tested."""
    names = results.algorithms
    place = {name: k for k, name in enumerate(names)}
    opt, largest = np.full((len(names),) * 2, np.nan), np.full((len(names),) * 2, np.nan)
    relation = np.eye(len(names), dtype=bool)
    for (first, second), pair in method.pairs(results).items():
        i, j = place[first], place[second]
        opt[i, j], opt[j, i] = pair.optimum()
        relation[i, j], relation[j, i] = pair.dominates()
        largest[i, j] = largest[j, i] = pair.delta_max
    front = gsd_front_of(relation, names)
    return Answer(
        labels=(", ".join(front),),
        states=(),
        counts=np.array([float(strict_gsd_order(relation).sum())]),
        n_statements=1,
        n_observed=1,
        details=OrderDetails(
            relation=tuple(tuple(row) for row in relation.tolist()),
            opt=_gsd_order_square(opt),
            delta_max=_gsd_order_square(largest),
            front=front,
        ),
    )


def strict_gsd_order(relation: BoolArray) -> BoolArray:
    """Who dominates whom and is not dominated in turn."""
    return np.asarray(relation & ~relation.T)


def gsd_front_of(relation: BoolArray, names: Sequence[str]) -> tuple[str, ...]:
    """The algorithms that no other strictly dominates.

    Examples
    --------
    >>> gsd_front_of(np.array([[True, True], [False, True]]), ["A", "B"])
    ('A',)
    """
    beaten = strict_gsd_order(relation).any(axis=0)
    return tuple(name for name, lost in zip(names, beaten, strict=True) if not lost)


def gsd_thresholds_of(
    pairs: Mapping[tuple[str, str], DominanceProblem], names: Sequence[str]
) -> FloatArray:
    """Smallest δ at which each dominates each, exactly; infinite where none does."""
    place = {name: k for k, name in enumerate(names)}
    thresholds = np.full((len(names),) * 2, np.nan)
    for (first, second), pair in pairs.items():
        i, j = place[first], place[second]
        thresholds[i, j] = delta_threshold(pair.solver, pair.objective)
        thresholds[j, i] = delta_threshold(pair.solver, -pair.objective)
    return thresholds


def _gsd_order_square(values: FloatArray) -> Square:
    return tuple(tuple(None if math.isnan(v) else float(v) for v in row) for row in values)
