r"""How well every statement fits the replicates of each dataset, ℓ_i(s), by itself.

With a flat prior on the mean differences ℓ_i(s) is the probability of the orthant (or box, with
ropes) of s under a multivariate Student-t. That is overconfident where the noise is large against
the effects; see `learned_effects`.

References
----------
Corani & Benavoli (2015), Machine Learning 100, 285–304, for one measure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.numerics.cells import student_cells
from bayescompare.kernels.replicated.moments import Moments
from bayescompare.kernels.replicated.regions import (
    Ropes,
    certain_region_cells,
    product_of_region_cells,
    region_state_edges,
    states_of_regions,
)

__all__ = ["ReplicatedEvidence", "flat_replicated_evidence"]


class ReplicatedEvidence(NamedTuple):
    """log ℓ_i(s) in each version, with its error.

    Attributes
    ----------
    log : array (R, n, K)
    scales : array (R,)
        The scale t of each version; NaN for the flat prior.
    error : float
        Largest standard error of a probability, zero up to three measures.
    """

    log: FloatArray
    scales: FloatArray
    error: float


def flat_replicated_evidence(
    moments: Moments, ropes: Ropes, rng: np.random.Generator
) -> ReplicatedEvidence:
    """ℓ under a flat prior on the mean differences.

    A dataset with no more replicates than measures has the product of its margins. A measure
    without spread on a dataset is certain there, and one that was not seen there says nothing.

    Parameters
    ----------
    moments : Moments
    ropes : m floats or None
    rng : Generator
        Used from four measures on.

    Examples
    --------
    >>> moments = Moments(np.array([[1.0]]), np.ones((1, 1, 1)), np.array([4.0]), np.array([0.2]))
    >>> evidence = flat_replicated_evidence(moments, (None,), np.random.default_rng(0))
    >>> np.exp(evidence.log[0]).round(6).tolist()
    [[0.955495, 0.044505]]
    """
    n, m = moments.mean.shape
    few = moments.dof < moments.seen.sum(axis=1)
    kinds = np.column_stack([moments.variance > 0.0, moments.seen, few])
    cells = np.empty((n, math.prod(states_of_regions(ropes))))
    error = 0.0
    for kind in np.unique(kinds, axis=0):
        rows = np.flatnonzero((kinds == kind).all(axis=1))
        part = Moments(*(field[rows] for field in moments))
        spread, seen = kind[:m], kind[m : 2 * m]
        cells[rows], worst = _flat_replicated_effects(
            part, ropes, spread, seen, bool(kind[2 * m]), rng
        )
        error = max(error, worst)
    with np.errstate(divide="ignore"):
        return ReplicatedEvidence(np.log(cells)[None], np.array([math.nan]), error)


def _flat_replicated_effects(
    moments: Moments,
    ropes: Ropes,
    spread: BoolArray,
    seen: BoolArray,
    few: bool,
    rng: np.random.Generator,
) -> tuple[FloatArray, float]:
    """Cells of datasets with the same measures seen and uncertain."""
    n = len(moments.mean)
    scale = moments.covariance * moments.factor[:, None, None]
    groups = [[j] for j in np.flatnonzero(seen).tolist()]
    if not few:
        groups = [[j] for j in np.flatnonzero(seen & ~spread).tolist()]
        groups += [np.flatnonzero(spread).tolist()] if spread.any() else []
    parts: list[tuple[list[int], FloatArray]] = [([], np.ones((n, 1)))]
    error = 0.0
    for members in groups:
        own = tuple(ropes[j] for j in members)
        if not spread[members].all():
            cells = certain_region_cells(moments.mean[:, members[0]], own[0])
        else:
            edges = tuple(np.tile(region_state_edges(rope), (n, 1)) for rope in own)
            square = scale[:, members][:, :, members]
            cells, errors = student_cells(moments.dof, moments.mean[:, members], square, edges, rng)
            error = max(error, float(errors.max()))
        parts.append((members, cells))
    return product_of_region_cells(parts, states_of_regions(ropes)), error
