r"""How well every statement fits the replicates of each dataset: ℓ_i(s).

With a flat prior on the mean differences, ``flat``, ℓ_i(s) is the probability of the orthant (or
box, with ropes) of s under a multivariate Student-t. That is overconfident where the noise is large
against the effects, so ``learned`` learns the scale t of the effects from all datasets:

.. math:: \mu_i \sim N(0, T), \quad T = t^2 \mathrm{diag}(\sigma_j^2), \qquad
          \ell_i(s; t) = N(y_i; 0, V_i + T)\,
          \frac{\Pr(N(m_i, C_i) \in s)}{\Pr(N(0, T) \in s)}

with :math:`C_i = (V_i^{-1} + T^{-1})^{-1}` and :math:`m_i = C_i V_i^{-1} y_i`, in units of the
moderated standard deviations.

References
----------
Corani & Benavoli (2015), Machine Learning 100, 285–304, for one measure and the flat prior.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.numerics.cells import Edges, normal_cells, student_cells
from bayescompare.kernels.replicated.moments import Moments, moderation

__all__ = [
    "SCALES",
    "Evidence",
    "Ropes",
    "Standardised",
    "evidence_at_scales",
    "flat_evidence",
    "learned_evidence",
    "region_masses",
    "standardised",
    "standardised_evidence",
]


#: Scales t of the effects, against the typical size of what is seen.
SCALES: FloatArray = np.geomspace(0.05, 3.0, 12)
#: A scale at which a statement is less probable than this is left out.
_LEAST_REGION = 1e-12
#: The median of |N(0, 1)|.
_MEDIAN = 0.6745
#: Pooled correlations are drawn this far towards zero, so that they can be inverted.
_RIDGE = 1e-6

Ropes = tuple[float | None, ...]


class Evidence(NamedTuple):
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


class Standardised(NamedTuple):
    """Mean differences in units of their deviations, with what is held when they change.

    Attributes
    ----------
    y : array (n, u)
        On the measures used: those that vary and differ.
    factor : array (n,)
        c, such that c·R is the covariance of y about the true differences.
    correlation : array (u, u)
        R, pooled over datasets.
    typical : array (u,)
        Size of a difference, which the scale t multiplies.
    edges : u arrays (n, 1) or (n, 2)
        Where the states of each measure end.
    used : list of int
    sizes : list of int
        Numbers of states of all measures.
    others : array (n, K)
        Probabilities of the states of the other measures, for every statement.
    """

    y: FloatArray
    factor: FloatArray
    correlation: FloatArray
    typical: FloatArray
    edges: Edges
    used: list[int]
    sizes: list[int]
    others: FloatArray


def flat_evidence(moments: Moments, ropes: Ropes, rng: np.random.Generator) -> Evidence:
    """ℓ under a flat prior on the mean differences.

    A dataset with no more replicates than measures has the product of its margins, and a measure
    without spread on a dataset is certain there.

    Parameters
    ----------
    moments : Moments
    ropes : m floats or None
    rng : Generator
        Used from four measures on.

    Examples
    --------
    >>> moments = Moments(np.array([[1.0]]), np.ones((1, 1, 1)), np.array([4.0]), np.array([0.2]))
    >>> evidence = flat_evidence(moments, (None,), np.random.default_rng(0))
    >>> np.exp(evidence.log[0]).round(6).tolist()
    [[0.955495, 0.044505]]
    """
    n, m = moments.mean.shape
    spread = moments.variance > 0.0
    few = moments.dof < m
    cells = np.empty((n, math.prod(_states(ropes))))
    error = 0.0
    for pattern in np.unique(np.column_stack([spread, few]), axis=0):
        rows = np.flatnonzero((spread == pattern[:m]).all(axis=1) & (few == pattern[m]))
        part = Moments(*(field[rows] for field in moments))
        cells[rows], worst = _flat_part(part, ropes, pattern[:m], bool(pattern[m]), rng)
        error = max(error, worst)
    with np.errstate(divide="ignore"):
        return Evidence(np.log(cells)[None], np.array([math.nan]), error)


def _flat_part(
    moments: Moments, ropes: Ropes, spread: BoolArray, few: bool, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Cells of datasets with the same measures uncertain."""
    n, m = moments.mean.shape
    scale = moments.covariance * moments.factor[:, None, None]
    groups = [[j] for j in range(m)]
    if not few:
        groups = [[j] for j in np.flatnonzero(~spread).tolist()]
        groups += [np.flatnonzero(spread).tolist()] if spread.any() else []
    parts: list[tuple[list[int], FloatArray]] = []
    error = 0.0
    for members in groups:
        own = tuple(ropes[j] for j in members)
        if not spread[members].all():
            cells = _certain(moments.mean[:, members[0]], own[0])
        else:
            edges = tuple(np.tile(_edges(rope), (n, 1)) for rope in own)
            square = scale[:, members][:, :, members]
            cells, errors = student_cells(moments.dof, moments.mean[:, members], square, edges, rng)
            error = max(error, float(errors.max()))
        parts.append((members, cells))
    return _product(parts, _states(ropes)), error


def learned_evidence(moments: Moments, ropes: Ropes, rng: np.random.Generator) -> Evidence | None:
    """ℓ under effects whose scale is learned from all datasets; None where no scale will do.

    Parameters as for `flat_evidence`; at least three datasets.

    Examples
    --------
    Noise as large as the differences says little, whatever its sign:

    >>> mean = np.array([[1.0], [-1.0], [2.0]])
    >>> moments = Moments(mean, np.full((3, 1, 1), 9.0), np.full(3, 4.0), np.full(3, 0.2))
    >>> evidence = learned_evidence(moments, (None,), np.random.default_rng(0))
    >>> evidence.log.shape
    (12, 3, 2)
    """
    return standardised_evidence(standardised(moments, ropes), rng)


def standardised(moments: Moments, ropes: Ropes) -> Standardised:
    """Bring the mean differences of every measure to units of their moderated deviations."""
    n, m = moments.mean.shape
    sd = np.stack([moderation(v, moments.dof) for v in moments.variance.T], axis=1)
    certain = ~(sd > 0.0).any(axis=0)
    y = moments.mean / np.where(sd > 0.0, sd, 1.0)
    typical = np.median(np.abs(y), axis=0) / _MEDIAN
    used: list[int] = np.flatnonzero(~certain & (typical > 0.0)).tolist()
    known = [
        ([j], _certain(moments.mean[:, j], ropes[j]) if certain[j] else _unknown(n, ropes[j]))
        for j in range(m)
        if j not in used
    ]
    return Standardised(
        y=y[:, used],
        factor=moments.factor,
        correlation=_pooled(moments, sd, used),
        typical=typical[used],
        edges=tuple(_edges(ropes[j]) / sd[:, j : j + 1] for j in used),
        used=used,
        sizes=_states(ropes),
        others=_product([([], np.ones((n, 1))), *known], _states(ropes)),
    )


def standardised_evidence(data: Standardised, rng: np.random.Generator) -> Evidence | None:
    """ℓ at each scale of effects; None where no scale will do."""
    with np.errstate(divide="ignore"):
        others = np.log(data.others)
    if not data.used:
        return Evidence(others[None], np.array([math.nan]), 0.0)
    square = data.factor[:, None, None] * data.correlation
    effects = np.outer(SCALES**2, data.typical**2)
    cells, kept, error = evidence_at_scales(data.y, square, effects, data.edges, rng)
    if not kept.any():
        return None
    logs = np.stack([others + _spread_over(at, data.used, data.sizes) for at in cells])
    return Evidence(logs, SCALES[kept], error)


def _pooled(moments: Moments, sd: FloatArray, used: list[int]) -> FloatArray:
    """The residual correlation of standardised replicates, pooled over datasets."""
    scale = sd[:, used]
    square = moments.covariance[:, used][:, :, used] / (scale[:, :, None] * scale[:, None, :])
    pooled = np.einsum("i,iab->ab", moments.dof, square)
    root = np.sqrt(np.diag(pooled))
    correlation = pooled / np.outer(root, root)
    return np.asarray((1.0 - _RIDGE) * correlation + _RIDGE * np.eye(len(used)))


def evidence_at_scales(
    y: FloatArray, noise: FloatArray, effects: FloatArray, edges: Edges, rng: np.random.Generator
) -> tuple[FloatArray, BoolArray, float]:
    """log ℓ_i(s; t) of means with known noise, at some scales of the effects.

    Parameters
    ----------
    y, noise : arrays (n, m), (n, m, m)
        Means and their covariances V.
    effects : array (R, m)
        Variances of the effects at each scale, the diagonals of T.
    edges : m arrays (n, E_j)
        Where the states of each measure end.
    rng : Generator
        Used from four measures on.

    Returns
    -------
    array (R', n, K), array (R,) of bool, float
        Without the scales at which a region has no mass; which scales are left; the largest
        standard error.

    Examples
    --------
    A mean of one standard error, effects as large as the noise: 0.76 for the first to be better.

    >>> one = np.ones((1, 1))
    >>> logs, _, _ = evidence_at_scales(
    ...     one, one[None], one, (np.zeros((1, 1)),), np.random.default_rng(0)
    ... )
    >>> row = np.exp(logs[0, 0])
    >>> (row / row.sum()).round(6).tolist()
    [0.76025, 0.23975]
    """
    (n, m), sizes = y.shape, [e.shape[1] + 1 for e in edges]
    region = region_masses(effects, edges, rng)
    kept = (region >= _LEAST_REGION).all(axis=(1, 2))
    if not kept.any():
        return np.empty((0, n, math.prod(sizes))), kept, 0.0
    versions = int(kept.sum())
    prior = np.repeat(effects[kept, :, None] * np.eye(m), n, axis=0)
    total = np.tile(noise, (versions, 1, 1)) + prior
    seen = np.tile(y, (versions, 1))
    gain = np.linalg.solve(total, prior).transpose(0, 2, 1)
    mean = np.einsum("iab,ib->ia", gain, seen)
    # T (V + T)⁻¹ V, which loses no digits where the noise is small.
    posterior = np.einsum("iab,ibc->iac", gain, np.tile(noise, (versions, 1, 1)))
    cells, errors = normal_cells(
        mean,
        0.5 * (posterior + posterior.transpose(0, 2, 1)),
        tuple(np.tile(e, (versions, 1)) for e in edges),
        rng,
    )
    _, log_determinant = np.linalg.slogdet(2.0 * math.pi * total)
    distance = np.einsum("ia,ia->i", seen, np.linalg.solve(total, seen[..., None])[..., 0])
    density = -0.5 * (log_determinant + distance)
    with np.errstate(divide="ignore"):
        logs = density[:, None] + np.log(cells)
    return logs.reshape(versions, n, -1) - np.log(region[kept]), kept, float(errors.max())


def region_masses(effects: FloatArray, edges: Edges, rng: np.random.Generator) -> FloatArray:
    """P(N(0, T) in the region of each statement), (R, n, K): T is diagonal, so a product."""
    versions, n = len(effects), len(edges[0])
    zero = np.zeros((versions * n, 1))
    masses = [
        (
            [j],
            normal_cells(
                zero,
                np.repeat(variance, n)[:, None, None],
                (np.tile(edge, (versions, 1)),),
                rng,
            )[0],
        )
        for j, (variance, edge) in enumerate(zip(effects.T, edges, strict=True))
    ]
    return _product(masses, [e.shape[1] + 1 for e in edges]).reshape(versions, n, -1)


def _states(ropes: Ropes) -> list[int]:
    return [2 if rope is None else 3 for rope in ropes]


def _edges(rope: float | None) -> FloatArray:
    return np.array([[0.0]]) if rope is None else np.array([[-rope, rope]])


def _certain(mean: FloatArray, rope: float | None) -> FloatArray:
    """States of a measure without spread: one is certain; an exact tie is half of each."""
    if rope is None:
        first = np.where(mean == 0.0, 0.5, (mean > 0.0).astype(np.float64))
        return np.stack([first, 1.0 - first], axis=1)
    state = np.where(np.abs(mean) <= rope, 1, np.where(mean > 0.0, 0, 2))
    return np.eye(3)[state]


def _unknown(n: int, rope: float | None) -> FloatArray:
    """States of a measure that never differs on the typical dataset: equal, or either."""
    return np.full((n, 2), 0.5) if rope is None else np.tile(np.eye(3)[1], (n, 1))


def _product(parts: list[tuple[list[int], FloatArray]], sizes: list[int]) -> FloatArray:
    """Multiply the cells of groups of measures into those of all, (n, K)."""
    n = len(parts[0][1])
    out = np.ones((n, *sizes))
    for members, cells in parts:
        shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
        out = out * cells.reshape(n, *shape)
    return out.reshape(n, -1)


def _spread_over(logs: FloatArray, members: list[int], sizes: list[int]) -> FloatArray:
    """Repeat the log cells of some measures over the states of the others."""
    n = len(logs)
    shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
    return np.broadcast_to(logs.reshape(n, *shape), (n, *sizes)).reshape(n, -1)
