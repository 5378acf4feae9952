"""Quadrature nodes over logit μ and logit ρ, placed where the pooled model's posterior lies."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.context.beta_binomial_density import Density
from bayescompare.kernels.numerics.legendre import gauss_legendre

__all__ = [
    "PANELS",
    "BetaBinomialGrid",
    "BetaBinomialSupport",
    "beta_binomial_border_of",
    "beta_binomial_grid_of",
    "beta_binomial_support_of",
]


#: Logits within which 1 − μ and 1 − ρ are still accurate; ρ itself may be far smaller.
_TOP, _BOTTOM = 36.0, -90.0
_LOG_TAIL = 36.0
#: Panels of logit ρ, and of each segment of logit μ, in turn.
PANELS = ((4, 2), (6, 2), (8, 3), (12, 4), (16, 6), (24, 8), (32, 12), (48, 16))


class BetaBinomialGrid(NamedTuple):
    """Quadrature nodes with the posterior mass of each, and the cell around it.

    Attributes
    ----------
    u, v : arrays (M,)
        Logit μ and logit ρ.
    mass : array (M,)
        Sums to one.
    log_density : array (M,)
        Unnormalised, with respect to u and v.
    u_cell, v_cell : arrays (M, 2)
        Lower end and width. The cells are disjoint and their areas the nodes' weights.
    """

    u: FloatArray
    v: FloatArray
    mass: FloatArray
    log_density: FloatArray
    u_cell: FloatArray
    v_cell: FloatArray


class BetaBinomialSupport(NamedTuple):
    """Region of the posterior: limits of logit μ at several logit ρ, to be interpolated."""

    v: FloatArray
    low: FloatArray
    high: FloatArray


def beta_binomial_grid_of(
    density: Density, support: BetaBinomialSupport, level: tuple[int, int]
) -> tuple[BetaBinomialGrid, float]:
    """Return nodes with their masses, and the log of the whole integral."""
    rho_edges = np.linspace(support.v[0], support.v[-1], level[0] + 1)
    v, v_weight, v_low = (x[0] for x in _beta_binomial_panels(rho_edges[None, :]))
    low, high = np.interp(v, support.v, support.low), np.interp(v, support.v, support.high)
    edges = _beta_binomial_mu_edges(v, low, high, level[1])
    u, u_weight, u_low = _beta_binomial_panels(edges)
    slice_, node = np.nonzero(u_weight > 0.0)
    u, u_weight, u_low = u[slice_, node], u_weight[slice_, node], u_low[slice_, node]
    value = density(u, v[slice_])
    top = float(value.max())
    mass = u_weight * v_weight[slice_] * np.exp(value - top)
    total = float(mass.sum())
    grid = BetaBinomialGrid(
        u=u,
        v=v[slice_],
        mass=mass / total,
        log_density=value,
        u_cell=np.stack([u_low, u_weight], axis=-1),
        v_cell=np.stack([v_low[slice_], v_weight[slice_]], axis=-1),
    )
    return grid, top + math.log(total)


def _beta_binomial_mu_edges(
    v: FloatArray, low: FloatArray, high: FloatArray, panels: int
) -> FloatArray:
    """Return edges of four segments of logit μ per logit ρ: beside q's step at 0, and beyond."""
    width = 16.0 / np.sqrt(1.0 + np.exp(-v))  # eight standard deviations
    corners = np.stack([low, -width, np.zeros(len(v)), width, high], axis=-1)
    corners = np.clip(corners, low[:, None], high[:, None])
    part = np.linspace(0.0, 1.0, panels + 1)[:-1]
    inner = corners[:, :-1, None] + np.diff(corners)[:, :, None] * part
    return np.concatenate([inner.reshape(len(v), -1), corners[:, -1:]], axis=1)


def _beta_binomial_panels(edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Gauss–Legendre nodes and weights, and the lower ends of cells as wide as the weights.

    Every node lies inside its cell (Chebyshev, Markov, Stieltjes).
    """
    node, weight, start = _beta_binomial_unit_panel()
    half = 0.5 * np.diff(edges)[..., None]
    low = edges[..., :-1, None]
    shape = (len(edges), -1)
    return (
        (low + half * (1.0 + node)).reshape(shape),
        (half * weight).reshape(shape),
        (low + half * start).reshape(shape),
    )


@cache
def _beta_binomial_unit_panel() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights, and where the cell around each node begins."""
    node, weight = gauss_legendre()
    return node, weight, np.concatenate([[0.0], np.cumsum(weight)[:-1]])


def beta_binomial_border_of(support: BetaBinomialSupport) -> tuple[FloatArray, FloatArray]:
    """Return points all around the support."""
    part = np.linspace(0.0, 1.0, 33)
    sides = [support.low[i] + (support.high[i] - support.low[i]) * part for i in (0, -1)]
    u = np.concatenate([support.low, support.high, *sides])
    v = np.concatenate([support.v, support.v, np.repeat(support.v[[0, -1]], 33)])
    return u, v


def beta_binomial_support_of(density: Density) -> BetaBinomialSupport:
    """Close in on the logit ρ and, for each, the logit μ that are within e^{-36} of the peak."""
    bottom, top = _BOTTOM, _TOP
    for _ in range(20):
        v = np.linspace(bottom, top, 65)
        low, high, height = _beta_binomial_mu_limits(density, v)
        area = height + np.log(high - low)
        inside = np.flatnonzero(area > area.max() - _LOG_TAIL)
        start, stop = max(inside[0] - 1, 0), min(inside[-1] + 1, 64)
        if stop - start > 32:
            break
        bottom, top = float(v[start]), float(v[stop])
    kept = slice(start, stop + 1)
    return BetaBinomialSupport(v[kept], low[kept], high[kept])


def _beta_binomial_mu_limits(
    density: Density, v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Limits of logit μ and the highest log density, for each logit ρ."""
    low, high = np.full(len(v), -_TOP), np.full(len(v), _TOP)
    rows, points = np.arange(len(v)), np.linspace(0.0, 1.0, 33)
    for _ in range(20):
        u = low[:, None] + (high - low)[:, None] * points
        value = density(u.ravel(), np.repeat(v, 33)).reshape(u.shape)
        height = value.max(axis=1)
        inside = value > height[:, None] - _LOG_TAIL
        start, stop = inside.argmax(axis=1), 32 - inside[:, ::-1].argmax(axis=1)
        low, high = u[rows, np.maximum(start - 1, 0)], u[rows, np.minimum(stop + 1, 32)]
        if np.all(stop - start > 16):
            break
    return low, high, height
