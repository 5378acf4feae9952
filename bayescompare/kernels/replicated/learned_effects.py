r"""How well every statement fits the replicates of each dataset, if effects have a learned scale.

A flat prior on the mean differences takes noise for effects, so the scale t of the effects is
learned from all datasets. In units of the moderated standard deviations s the means y have

.. math:: y_i \mid \mu_i, \lambda_i \sim N(\mu_i, V_i/\lambda_i), \quad
          \mu_i \mid \lambda_i \sim N(0, T/\lambda_i), \quad
          T = t^2 \mathrm{diag}(\sigma_j^2), \quad
          \lambda_i \sim \mathrm{Gamma}(\nu_i/2, \nu_i/2) .

λ is the square of s over the true standard deviation, which few replicates leave uncertain: s
has ν degrees of freedom. Integrated out,

.. math:: \ell_i(s; t) = t_{\nu_i}(y_i; 0, V_i + T)\,
          \frac{\Pr(t_{\nu_i + m}(m_i, C_i (\nu_i + q_i)/(\nu_i + m)) \in s)}
               {\Pr(t_{\nu_i}(0, T) \in s)}

with :math:`C_i = (V_i^{-1} + T^{-1})^{-1}`, :math:`m_i = C_i V_i^{-1} y_i` and
:math:`q_i = y_i^\top (V_i + T)^{-1} y_i`. With ν = ∞ all are normal.

References
----------
Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3, 3, for moderated
variances and their degrees of freedom.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.numerics.cells import (
    Edges,
    independent_cells,
    normal_cells,
    student_cells,
)
from bayescompare.kernels.replicated.effects import (
    Moments,
    ReplicatedEvidence,
    Ropes,
    certain_cells,
    moderate,
    numbers_of_states,
    product_of_cells,
    spread_cells,
    state_edges,
    unknown_cells,
)

#: Scales t of the effects, against the typical size of what is seen.
SCALES: FloatArray = np.geomspace(0.05, 3.0, 12)
#: A scale at which a statement is less probable than this is left out.
_LEAST_REGION = 1e-12
#: The median of |N(0, 1)|.
_MEDIAN = 0.6745
#: Pooled correlations are drawn this far towards zero, so that they can be inverted.
_RIDGE = 1e-6


class StandardisedEffects(NamedTuple):
    """Mean differences in units of their deviations, with what is held when they change.

    Attributes
    ----------
    y : array (n, u)
        On the measures used: those that vary and differ. Zero where a measure was not seen.
    seen : array (n, u)
    dof : array (n,)
        ν, the degrees of freedom of the deviations.
    replicates : array (n,)
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
    seen: BoolArray
    dof: FloatArray
    replicates: FloatArray
    factor: FloatArray
    correlation: FloatArray
    typical: FloatArray
    edges: Edges
    used: list[int]
    sizes: list[int]
    others: FloatArray


def learned_evidence(
    moments: Moments, ropes: Ropes, rng: np.random.Generator
) -> ReplicatedEvidence | None:
    """ℓ under effects whose scale is learned from all datasets; None where no scale will do.

    Parameters
    ----------
    moments : Moments
        Of at least three datasets.
    ropes : m floats or None
    rng : Generator
        Used from four measures on.

    Examples
    --------
    Noise as large as the differences says little, whatever its sign:

    >>> mean = np.array([[1.0], [-1.0], [2.0]])
    >>> moments = Moments(mean, np.full((3, 1, 1), 9.0), np.full(3, 4.0), np.full(3, 0.2))
    >>> evidence = learned_evidence(moments, (None,), np.random.default_rng(0))
    >>> evidence.log.shape
    (12, 3, 2)
    """
    return evidence_of_effects(standardise_effects(moments, ropes), rng)


def standardise_effects(moments: Moments, ropes: Ropes) -> StandardisedEffects:
    """Bring the mean differences of every measure to units of their moderated deviations."""
    n, seen = len(moments.mean), moments.seen
    moderated = [moderate(v, moments.dof) for v in moments.variance.T]
    sd = np.stack([each.sd for each in moderated], axis=1)
    certain = ~(sd > 0.0).any(axis=0)
    y = np.where(seen, moments.mean, 0.0) / np.where(sd > 0.0, sd, 1.0)
    sizes = [np.abs(column[here]) for column, here in zip(y.T, seen.T, strict=True)]
    typical = np.array([np.median(size) if len(size) else 0.0 for size in sizes]) / _MEDIAN
    used: list[int] = np.flatnonzero(~certain & (typical > 0.0)).tolist()
    return StandardisedEffects(
        y=y[:, used],
        seen=seen[:, used],
        dof=np.array([np.full(n, math.inf), *(moderated[j].dof for j in used)]).min(axis=0),
        replicates=moments.dof + 1.0,
        factor=moments.factor,
        correlation=_pooled_correlation(moments, sd, used),
        typical=typical[used],
        edges=tuple(state_edges(ropes[j]) / sd[:, j : j + 1] for j in used),
        used=used,
        sizes=numbers_of_states(ropes),
        others=_other_measures(moments, ropes, certain, used),
    )


def _other_measures(
    moments: Moments, ropes: Ropes, certain: BoolArray, used: list[int]
) -> FloatArray:
    """Probabilities of the states of the measures not used, for every statement."""
    n, m = moments.mean.shape
    parts: list[tuple[list[int], FloatArray]] = [([], np.ones((n, 1)))]
    for j in set(range(m)) - set(used):
        mean = np.where(moments.seen[:, j], moments.mean[:, j], 0.0)
        cells = certain_cells(mean, ropes[j]) if certain[j] else unknown_cells(n, ropes[j])
        parts.append(([j], np.where(moments.seen[:, j : j + 1], cells, 1.0)))
    return product_of_cells(parts, numbers_of_states(ropes))


def _pooled_correlation(moments: Moments, sd: FloatArray, used: list[int]) -> FloatArray:
    """The residual correlation of standardised replicates, pooled over complete datasets."""
    whole = moments.seen[:, used].all(axis=1)
    if not whole.any():
        return np.eye(len(used))
    scale = sd[whole][:, used]
    square = moments.covariance[whole][:, used][:, :, used]
    square = square / (scale[:, :, None] * scale[:, None, :])
    pooled = np.einsum("i,iab->ab", moments.dof[whole], square)
    root = np.sqrt(np.diag(pooled))
    correlation = pooled / np.outer(root, root)
    return np.asarray((1.0 - _RIDGE) * correlation + _RIDGE * np.eye(len(used)))


def evidence_of_effects(
    data: StandardisedEffects, rng: np.random.Generator
) -> ReplicatedEvidence | None:
    """ℓ at each scale of effects; None where no scale will do."""
    with np.errstate(divide="ignore"):
        others = np.log(data.others)
    if not data.used:
        return ReplicatedEvidence(others[None], np.array([math.nan]), 0.0)
    effects = np.outer(SCALES**2, data.typical**2)
    sizes = [data.sizes[j] for j in data.used]
    logs = np.zeros((len(SCALES), len(data.y), math.prod(sizes)))
    kept, error = np.ones(len(SCALES), dtype=bool), 0.0
    for pattern in np.unique(data.seen, axis=0):
        members = np.flatnonzero(pattern).tolist()
        if not members:
            continue
        rows = np.flatnonzero((data.seen == pattern).all(axis=1))
        own, here, worst = effects_at_scales(
            data.y[rows][:, members],
            data.factor[rows, None, None] * data.correlation[members][:, members],
            effects[:, members],
            tuple(data.edges[j][rows] for j in members),
            rng,
            dof=data.dof[rows],
        )
        logs[np.ix_(here, rows)] = spread_cells(own, members, sizes)
        kept, error = kept & here, max(error, worst)
    if not kept.any():
        return None
    return ReplicatedEvidence(
        others + spread_cells(logs[kept], data.used, data.sizes), SCALES[kept], error
    )


def effects_at_scales(
    y: FloatArray,
    noise: FloatArray,
    effects: FloatArray,
    edges: Edges,
    rng: np.random.Generator,
    *,
    dof: FloatArray | None = None,
) -> tuple[FloatArray, BoolArray, float]:
    """log ℓ_i(s; t) of means, at some scales of the effects.

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
    dof : array (n,), optional
        ν of the deviations that the means were divided by; None where these are known.

    Returns
    -------
    array (R', n, K), array (R,) of bool, float
        Without the scales at which a region has no mass; which scales are left; the largest
        standard error.

    Examples
    --------
    A mean of one standard error, effects as large as the noise: 0.76 for the first to be better.
    If the noise is known from four degrees of freedom only, less.

    >>> one, zero, rng = np.ones((1, 1)), (np.zeros((1, 1)),), np.random.default_rng(0)
    >>> for dof in (None, np.array([4.0])):
    ...     logs, _, _ = effects_at_scales(one, one[None], one, zero, rng, dof=dof)
    ...     row = np.exp(logs[0, 0])
    ...     (row / row.sum()).round(6).tolist()
    [0.76025, 0.23975]
    [0.755205, 0.244795]
    """
    n, sizes = len(y), [e.shape[1] + 1 for e in edges]
    nu = np.full(n, math.inf) if dof is None else dof
    region = masses_of_regions(effects, edges, dof=nu)
    kept = (region >= _LEAST_REGION).all(axis=(1, 2))
    if not kept.any():
        return np.empty((0, n, math.prod(sizes))), kept, 0.0
    versions = int(kept.sum())
    each = np.tile(nu, versions)
    mean, posterior, density = posterior_of_effects(
        np.tile(y, (versions, 1)),
        np.tile(noise, (versions, 1, 1)),
        np.repeat(effects[kept], n, axis=0),
        each,
    )
    tiled = tuple(np.tile(e, (versions, 1)) for e in edges)
    cells, errors = _cells(each + len(edges), mean, posterior, tiled, rng)
    with np.errstate(divide="ignore"):
        logs = density[:, None] + np.log(cells)
    return logs.reshape(versions, n, -1) - np.log(region[kept]), kept, float(errors.max())


def posterior_of_effects(
    y: FloatArray, noise: FloatArray, effects: FloatArray, dof: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where effects are given their means, and the log density of the means.

    Parameters
    ----------
    y, noise : arrays (N, m), (N, m, m)
    effects : array (N, m)
        The diagonals of T.
    dof : array (N,)
        ν, which may be infinite.

    Returns
    -------
    array (N, m), array (N, m, m), array (N,)
        Location and scale matrix of a Student-t with ν + m degrees of freedom, and log t_ν(y).
    """
    m = y.shape[1]
    prior = effects[:, :, None] * np.eye(m)
    total = noise + prior
    gain = np.linalg.solve(total, prior).transpose(0, 2, 1)
    # T (V + T)⁻¹ V, which loses no digits where the noise is small.
    posterior = np.einsum("iab,ibc->iac", gain, noise)
    posterior = 0.5 * (posterior + posterior.transpose(0, 2, 1))
    distance = np.einsum("ia,ia->i", y, np.linalg.solve(total, y[..., None])[..., 0])
    density = -0.5 * np.linalg.slogdet(2.0 * math.pi * total)[1]
    mean = np.einsum("iab,ib->ia", gain, y)
    known = np.isinf(dof)
    nu = np.where(known, 1.0, dof)
    # log Γ(ν/2 + m/2) − log Γ(ν/2), precise for large ν.
    heavy = gammaln(0.5 * m) - betaln(0.5 * nu, 0.5 * m) - 0.5 * m * np.log(0.5 * nu)
    heavy -= 0.5 * (nu + m) * np.log1p(distance / nu)
    wider = np.where(known, 1.0, (nu + distance) / (nu + m))
    return (
        mean,
        wider[:, None, None] * posterior,
        density + np.where(known, -0.5 * distance, heavy),
    )


def masses_of_regions(
    effects: FloatArray, edges: Edges, *, dof: FloatArray | None = None
) -> FloatArray:
    """P(t_ν(0, T) in the region of each statement), (R, n, K); normal where ν is infinite."""
    versions, n, m = len(effects), len(edges[0]), len(edges)
    if all(e.shape[1] == 1 and not e.any() for e in edges):
        # T is diagonal: every orthant about zero has the same mass.
        return np.full((versions, n, 2**m), 0.5**m)
    nu = np.full(n, math.inf) if dof is None else dof
    scale = np.repeat(np.sqrt(effects), n, axis=0)
    tiled = tuple(np.tile(e, (versions, 1)) for e in edges)
    return independent_cells(np.tile(nu, versions), scale, tiled).reshape(versions, n, -1)


def _cells(
    dof: FloatArray, mean: FloatArray, square: FloatArray, edges: Edges, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """P of every cell under a Student-t, normal where its degrees of freedom are infinite."""
    known = np.isinf(dof)
    if known.all():
        return normal_cells(mean, square, edges, rng)
    if not known.any():
        return student_cells(dof, mean, square, edges, rng, quick=True)
    cells = np.empty((len(dof), math.prod(e.shape[1] + 1 for e in edges)))
    errors = np.empty_like(cells)
    for rows in (known, ~known):
        part = mean[rows], square[rows], tuple(e[rows] for e in edges), rng
        cells[rows], errors[rows] = (
            normal_cells(*part) if known[rows][0] else student_cells(dof[rows], *part, quick=True)
        )
    return cells, errors
