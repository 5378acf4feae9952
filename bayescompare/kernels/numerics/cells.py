r"""Probabilities of the cells that some edges cut a normal or a Student-t distribution into.

Each variable is cut by its own edges, at 0 or at ±rope; the cells are all combinations, the first
variable most significant and each from its greatest values down. A Student-t is a normal whose
scale is random:

.. math:: X = \mu + Z\sqrt{\nu/g}, \qquad Z \sim N(0, \Sigma), \quad g \sim \chi^2_\nu ,

so its cells are averages of normal cells over nodes in log g. From four variables on, all but the
last are drawn on a randomly shifted lattice, the last is integrated given the others, and the
spread over the shifts is the error.

References
----------
Genz & Bretz (2009), Computation of Multivariate Normal and t Probabilities, for lattices.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtr, ndtri, stdtr

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.boxes import (
    bivariate_box,
    bivariate_cdf,
    trivariate_box,
    trivariate_cdf,
    univariate_box,
)
from bayescompare.kernels.numerics.legendre import composite_legendre

#: Below this a difference of distribution functions of two or three variables has too few digits.
_SMALL = {2: 3e-6, 3: 1e-4}
#: log of the density of g, against its top, at which nodes end.
_DROP = 42.0
_PANELS = 4
#: Nodes of the quick rule, by degrees of freedom.
_QUICK = ((4.0, 48), (6.0, 24), (9.0, 16), (25.0, 12), (math.inf, 8))
#: Lattice points and random shifts from four variables on.
_POINTS, _SHIFTS = 8191, 8

#: The edges of each variable, (N, E_j).
Edges = tuple[FloatArray, ...]


def normal_cells(
    mean: FloatArray, covariance: FloatArray, edges: Edges, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """P of every cell under N(mean, covariance), and its standard error.

    Parameters
    ----------
    mean, covariance : arrays (N, m), (N, m, m)
    edges : m arrays (N, E_j)
        The edges of each variable in increasing order, which may differ between the N.
    rng : Generator
        Used from four variables on; up to three the error is zero.

    Returns
    -------
    array (N, K), array (N, K)

    Examples
    --------
    >>> zero = np.zeros((1, 1))
    >>> square = np.array([[[1.0, 0.5], [0.5, 1.0]]])
    >>> rng = np.random.default_rng(0)
    >>> normal_cells(np.zeros((1, 2)), square, (zero, zero), rng)[0].round(6).tolist()
    [[0.333333, 0.166667, 0.166667, 0.333333]]
    """
    scale = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    standard = tuple((e - mean[:, j : j + 1]) / scale[:, j : j + 1] for j, e in enumerate(edges))
    if len(edges) > 3:
        factor = np.linalg.cholesky(correlation + 1e-14 * np.eye(len(edges)))
        return _quasi_random(factor, standard, None, rng)
    cells = _in_few_dimensions(standard, correlation, precise=True)
    return cells, np.zeros_like(cells)


def _in_few_dimensions(edges: Edges, correlation: FloatArray, *, precise: bool) -> FloatArray:
    """Cells of standard normals; `precise` where small ones must keep their digits."""
    if len(edges) > 1:
        return _by_corners(edges, correlation, precise=precise)
    cells = [univariate_box(low[:, 0], high[:, 0]) for low, high in _ends(edges)]
    return np.stack(cells, axis=1)


def _ends(edges: Edges) -> list[tuple[FloatArray, FloatArray]]:
    """Lower and upper ends (N, m) of every cell, from the greatest values down."""
    n = len(edges[0])
    inf = np.full((n, 1), math.inf)
    ends = [np.hstack([-inf, e, inf])[:, ::-1] for e in edges]
    choices = product(*(range(e.shape[1] - 1) for e in ends))
    return [
        (
            np.stack([e[:, k + 1] for e, k in zip(ends, cell, strict=True)], axis=1),
            np.stack([e[:, k] for e, k in zip(ends, cell, strict=True)], axis=1),
        )
        for cell in choices
    ]


def _by_corners(edges: Edges, correlation: FloatArray, *, precise: bool) -> FloatArray:
    """Cells of two or three variables: differences of Φ between edges, small ones by themselves."""
    n, m = len(edges[0]), len(edges)
    ends = [np.hstack([e, np.full((n, 1), math.inf)]) for e in edges]
    grid = np.zeros((n, *(e.shape[1] + 1 for e in ends)))
    for corner in product(*(range(e.shape[1]) for e in ends)):
        place: tuple[Any, ...] = (slice(None), *(k + 1 for k in corner))
        # A variable without an upper end drops out, and fewer are much quicker.
        inner = [j for j, k in enumerate(corner) if k < edges[j].shape[1]]
        h = [edges[j][:, corner[j]] for j in inner]
        grid[place] = _cdf(h, correlation[:, inner][:, :, inner])
    for axis in range(1, m + 1):
        grid = np.flip(np.diff(grid, axis=axis), axis=axis)
    cells = np.maximum(grid.reshape(n, -1), 0.0)
    if not precise:
        return cells
    for k, (low, high) in enumerate(_ends(edges)):
        small = np.flatnonzero(~(cells[:, k] > _SMALL[m]))
        if len(small):
            cells[small, k] = _box(low[small], high[small], correlation[small])
    return cells


def _cdf(h: list[FloatArray], correlation: FloatArray) -> FloatArray:
    """Φ at the upper ends h of up to three standard normals."""
    if len(h) < 2:
        return np.asarray(ndtr(h[0])) if h else np.ones(len(correlation))
    if len(h) == 2:
        return bivariate_cdf(h[0], h[1], correlation[:, 0, 1])
    return trivariate_cdf(np.stack(h, axis=1), correlation)


def _box(low: FloatArray, high: FloatArray, correlation: FloatArray) -> FloatArray:
    if low.shape[1] == 2:
        return bivariate_box(low, high, correlation[:, 0, 1])
    return trivariate_box(low, high, correlation)


def student_cells(
    dof: FloatArray,
    mean: FloatArray,
    scale: FloatArray,
    edges: Edges,
    rng: np.random.Generator,
    *,
    quick: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """P of every cell under a multivariate Student-t, and its standard error.

    Parameters
    ----------
    dof : array (N,)
    mean, scale : arrays (N, m), (N, m, m)
        Location, and scale matrix.
    edges, rng
        As for `normal_cells`.
    quick : bool
        Whether two or three variables are averaged over few nodes of the random scale, within 1e-7
        of the full rule.

    Examples
    --------
    Whatever its degrees of freedom, an orthant about the location is a normal one:

    >>> zero, rng = np.zeros((1, 1)), np.random.default_rng(0)
    >>> square = np.array([[[1.0, 0.5], [0.5, 1.0]]])
    >>> cells, _ = student_cells(np.array([4.0]), np.zeros((1, 2)), square, (zero, zero), rng)
    >>> cells.round(6).tolist()
    [[0.333333, 0.166667, 0.166667, 0.333333]]
    """
    if len(edges) == 1:
        cells = _intervals(dof, (edges[0] - mean) / np.sqrt(scale[:, 0]))
        return cells, np.zeros_like(cells)
    sd = np.sqrt(np.diagonal(scale, axis1=1, axis2=2))
    correlation = scale / (sd[:, :, None] * sd[:, None, :])
    standard = tuple((e - mean[:, j : j + 1]) / sd[:, j : j + 1] for j, e in enumerate(edges))
    if len(edges) > 3:
        factor = np.linalg.cholesky(correlation + 1e-14 * np.eye(len(edges)))
        return _quasi_random(factor, standard, dof, rng)
    cells = np.empty((len(dof), math.prod(e.shape[1] + 1 for e in edges)))
    for value in np.unique(dof):
        same = np.flatnonzero(dof == value)
        own = tuple(e[same] for e in standard)
        cells[same] = _of_same_dof(float(value), correlation[same], own, quick=quick)
    return cells, np.zeros_like(cells)


def independent_cells(dof: FloatArray, scale: FloatArray, edges: Edges) -> FloatArray:
    """P of every cell under a Student-t about zero with a diagonal scale matrix, (N, K).

    Given its random scale the variables are independent.

    Parameters
    ----------
    dof : array (N,)
        Infinite for a normal.
    scale : array (N, m)
        Deviations, the roots of the diagonals.
    edges
        As for `normal_cells`.

    Examples
    --------
    >>> zero = np.zeros((1, 1))
    >>> independent_cells(np.array([4.0]), np.ones((1, 2)), (zero, zero)).round(12).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    standard = tuple(e / scale[:, j : j + 1] for j, e in enumerate(edges))
    cells = np.empty((len(dof), math.prod(e.shape[1] + 1 for e in edges)))
    for value in np.unique(dof):
        same = np.flatnonzero(dof == value)
        factor, weight = (np.ones(1), np.ones(1)) if math.isinf(value) else _scale_nodes(value)
        each = np.ones((len(same), len(factor), 1))
        for e in standard:
            ends = e[same][:, None] * factor[:, None]
            inf = np.full((*ends.shape[:2], 1), math.inf)
            grid = np.concatenate([-inf, ends, inf], axis=2)
            own = univariate_box(grid[..., :-1], grid[..., 1:])[..., ::-1]
            each = (each[..., :, None] * own[..., None, :]).reshape(*ends.shape[:2], -1)
        cells[same] = np.einsum("g,igk->ik", weight, each)
    return cells


def _intervals(dof: FloatArray, ends: FloatArray) -> FloatArray:
    """Intervals of a univariate t, from the greatest values down, precise in both tails."""
    inf = np.full((len(ends), 1), math.inf)
    grid = np.hstack([-inf, ends, inf])
    low, high = grid[:, :-1], grid[:, 1:]
    flip = low > 0.0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    inside = stdtr(dof[:, None], b) - stdtr(dof[:, None], a)
    return np.asarray(np.maximum(inside, 0.0)[:, ::-1])


def _of_same_dof(dof: float, correlation: FloatArray, edges: Edges, *, quick: bool) -> FloatArray:
    """Average normal cells over nodes of the random scale."""
    factor, weight = _gauss_scales(dof) if quick else _scale_nodes(dof)
    n, size = len(correlation), len(factor)
    scaled = tuple((e[:, None] * factor[:, None]).reshape(n * size, -1) for e in edges)
    cells = _in_few_dimensions(scaled, np.repeat(correlation, size, axis=0), precise=False)
    return np.asarray(np.einsum("g,igk->ik", weight, cells.reshape(n, size, -1)))


def _scale_nodes(dof: float) -> tuple[FloatArray, FloatArray]:
    """Nodes of √(g/ν) and weights, by log g ~ log χ²_ν, whose density is e^{(ν/2)(v − e^v)}."""
    half = 0.5 * dof
    spread = _DROP / half
    # v − e^v + 1 = −spread: to the left almost linear, to the right exponential.
    low, high = -1.0 - spread, math.log1p(spread + math.sqrt(2.0 * spread))
    edge = min(1.0, 6.0 / math.sqrt(half))
    edges = [*np.linspace(low, -edge, _PANELS + 1)[:-1], *np.linspace(-edge, edge, _PANELS + 1)]
    edges += [high] if high > edge else []
    v, weight = composite_legendre(np.array(sorted(set(edges))))
    log_density = half * (v - np.exp(v)) + half * math.log(half) - gammaln(half)
    weight = weight * np.exp(log_density)
    kept = weight > 0.0
    return np.exp(0.5 * v[kept]), weight[kept] / weight[kept].sum()


@cache
def _gauss_scales(dof: float) -> tuple[FloatArray, FloatArray]:
    """The Gauss rule for √(g/ν), from the full one by the Lanczos process.

    A normal cell is an entire function of √g, so that few nodes are enough.
    """
    point, weight = _scale_nodes(dof)
    nodes = next(count for most, count in _QUICK if dof < most)
    basis = np.zeros((nodes, len(point)))
    vector = np.sqrt(weight)
    diagonal, off = np.zeros(nodes), np.zeros(nodes)
    for k in range(nodes):
        off[k] = np.linalg.norm(vector)
        basis[k] = vector / off[k]
        diagonal[k] = (point * basis[k] ** 2).sum()
        vector = point * basis[k]
        for _ in range(2):  # orthogonal to all before, to the last digit
            vector = vector - basis[: k + 1].T @ (basis[: k + 1] @ vector)
    value, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off[1:], 1) + np.diag(off[1:], -1))
    return value, vectors[0] ** 2


def _quasi_random(
    factor: FloatArray, edges: Edges, dof: FloatArray | None, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Cells of many standard variables with these Cholesky factors, and their standard errors."""
    n, m = factor.shape[:2]
    points = np.arange(1, _POINTS + 1)[:, None] * np.sqrt(_primes(m))
    sizes = [e.shape[1] + 1 for e in edges]
    estimates = np.empty((_SHIFTS, n, math.prod(sizes)))
    for k in range(_SHIFTS):
        # The baker's transformation makes what is summed periodic.
        u = np.abs(2.0 * ((points + rng.random(m)) % 1.0) - 1.0)
        u = np.clip(u, 1e-15, 1.0 - 1e-15)
        z = np.asarray(ndtri(u[:, 1:]), dtype=np.float64)
        shrink = _shrinks(u[:, 0], dof)
        for i in range(n):
            own = tuple(e[i] for e in edges)
            value = math.inf if dof is None else float(dof[i])
            estimates[k, i] = _sums(factor[i], own, z, shrink[value])
    return estimates.mean(axis=0), estimates.std(axis=0, ddof=1) / math.sqrt(_SHIFTS)


def _shrinks(u: FloatArray, dof: FloatArray | None) -> dict[float, FloatArray]:
    """Draws of √(g/ν) for every value of ν; ones for a normal."""
    if dof is None:
        return {math.inf: np.ones_like(u)}
    each = np.unique(dof).tolist()
    return {value: np.sqrt(2.0 * gammaincinv(0.5 * value, u) / value) for value in each}


def _sums(factor: FloatArray, edges: Edges, z: FloatArray, shrink: FloatArray) -> FloatArray:
    """Share of every cell: all variables but the last are drawn, the last is integrated."""
    drawn = z @ factor[:-1, :-1].T
    cell = np.zeros(len(z), dtype=np.int64)
    for j, ends in enumerate(edges[:-1]):
        below = (drawn[:, j, None] < ends * shrink[:, None]).sum(axis=1)
        cell = cell * (len(ends) + 1) + below
    last = (edges[-1] * shrink[:, None] - (z @ factor[-1, :-1])[:, None]) / factor[-1, -1]
    inf = np.full((len(z), 1), math.inf)
    grid = np.hstack([-inf, last, inf])
    each = univariate_box(grid[:, :-1], grid[:, 1:])[:, ::-1]
    size = math.prod(len(e) + 1 for e in edges[:-1])
    sums = [np.bincount(cell, each[:, k], minlength=size) for k in range(each.shape[1])]
    return np.stack(sums, axis=1).ravel() / len(z)


def _primes(count: int) -> FloatArray:
    """Return the first prime numbers."""
    primes: list[int] = []
    k = 2
    while len(primes) < count:
        if all(k % p for p in primes):
            primes.append(k)
        k += 1
    return np.array(primes, dtype=np.float64)
