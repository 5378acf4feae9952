r"""Plackett-Luce strengths of one measure: posterior mode, curvature, and draws by Laplace.

A dataset ranks the algorithms by strength plus Gumbel noise,

.. math:: P(a_1 > \dots > a_l) = \prod_k \frac{e^{s_{a_k}}}{e^{s_{a_k}} + \dots + e^{s_{a_l}}},

and algorithms that tie have the mean probability of the orders that the tie allows, by the
integral of DeLong, Guirguis & So (1994). The strengths sum to zero. Their prior is that of the
bundled model ``plackett_luce`` for one measure, in orthonormal contrasts x of the l strengths

.. math:: p(x) \propto (1 + x^\top x)^{-(3 + l - 1) / 2} .

The posterior is replaced by the normal distribution with its mode and its curvature there.

References
----------
Luce (1959); Plackett (1975); DeLong, Guirguis & So (1994).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, helmert, solve_triangular
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp

from bayescompare._typing import AnyArray, FloatArray

__all__ = ["RankingLaplace", "laplace_strengths", "negative_log_ranking_strength"]

#: Degrees of freedom of the prior of the contrasts.
FREEDOM = 3.0

#: Where the integral of a tie is evaluated, as in the bundled model.
_STEP = 0.3
_NODES = np.arange(-18.0, 4.6, _STEP)


#: A function and its slope.
Target = Callable[[FloatArray], tuple[float, FloatArray]]


class RankingLaplace:
    """A normal approximation of the strengths.

    Attributes
    ----------
    mode : array (l,)
        Sums to zero.
    """

    def __init__(self, mode: FloatArray, factor: FloatArray, basis: FloatArray) -> None:
        self.mode, self._factor, self._basis = mode, factor, basis

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw strengths (draws, l)."""
        z = rng.standard_normal((self._factor.shape[0], draws))
        steps = solve_triangular(self._factor, z, lower=True, trans="T")
        return np.asarray(self.mode + (self._basis @ steps).T)


def laplace_strengths(places: AnyArray) -> RankingLaplace:
    """Find the mode of the strengths and the curvature there.

    Parameters
    ----------
    places : array (n, l)
        Doubled places of each dataset, ties shared.

    Examples
    --------
    >>> found = laplace_strengths(np.array([[2, 4, 6], [2, 6, 4], [4, 2, 6]]))
    >>> found.mode.round(2)
    array([ 0.25, -0.02, -0.23])
    """
    l = places.shape[1]
    basis = np.asarray(helmert(l).T)
    order = np.argsort(places, axis=1, kind="stable")

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        value, slope = negative_log_ranking_strength(basis @ x, places, order)
        return value, basis.T @ slope

    found = minimize(target, np.zeros(l - 1), jac=True, method="BFGS", options={"gtol": 1e-7})
    x = _polish_ranking_strengths(target, found.x)
    factor, _ = cho_factor(_ranking_strength_curvature(target, x), lower=True)
    return RankingLaplace(basis @ x, np.tril(factor), basis)


def _polish_ranking_strengths(target: Target, x: FloatArray) -> FloatArray:
    """Take Newton's last steps, for which BFGS has no precision left."""
    for _ in range(3):
        _, slope = target(x)
        x = x - cho_solve(cho_factor(_ranking_strength_curvature(target, x), lower=True), slope)
    return x


def _ranking_strength_curvature(target: Target, x: FloatArray, step: float = 1e-4) -> FloatArray:
    """Return the second derivatives by central differences of the exact first ones."""
    rows = []
    for k in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[k] += step
        behind[k] -= step
        rows.append((target(ahead)[1] - target(behind)[1]) / (2.0 * step))
    matrix = np.array(rows)
    return (matrix + matrix.T) / 2.0


def negative_log_ranking_strength(
    s: FloatArray, places: AnyArray, order: AnyArray
) -> tuple[float, FloatArray]:
    """Return −log p(s | ranks) up to a constant, and its slope in s."""
    square = float(s @ s)
    power = (FREEDOM + len(s) - 1.0) / 2.0
    value, slope = power * np.log1p(square), 2.0 * power * s / (1.0 + square)
    for part in (_untied_ranking_strengths(s, places, order), _tied_ranking_strengths(s, places)):
        value, slope = value - part[0], slope - part[1]
    return float(value), slope


def _untied_ranking_strengths(
    s: FloatArray, places: AnyArray, order: AnyArray
) -> tuple[float, FloatArray]:
    """Log probability of all places that are held by one algorithm, and its slope."""
    ranked = np.take_along_axis(places, order, axis=1)
    same = ranked[:, 1:] == ranked[:, :-1]
    edge = np.zeros((len(places), 1), dtype=bool)
    alone = ~(np.hstack([edge, same]) | np.hstack([same, edge]))
    sorted_s = s[order]
    top = s.max()
    weight = np.exp(sorted_s - top)
    rest = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    value = float(((sorted_s - top - np.log(rest)) * alone).sum())
    down = alone - weight * np.cumsum(alone / rest, axis=1)
    return value, np.bincount(order.ravel(), weights=down.ravel(), minlength=len(s))


def _tied_ranking_strengths(s: FloatArray, places: AnyArray) -> tuple[float, FloatArray]:
    """Log mean probability of the orders that each tie allows, and its slope."""
    total, slope = 0.0, np.zeros(len(s))
    for row in places:
        levels, sizes = np.unique(row, return_counts=True)
        for level in levels[sizes > 1]:
            tie, behind = np.flatnonzero(row == level), np.flatnonzero(row > level)
            total -= float(gammaln(len(tie) + 1.0))
            if len(behind) == 0:
                continue
            base = logsumexp(s[behind])
            lead = np.exp(np.minimum(s[tie] - base, 40.0)[:, None] + _NODES)
            terms = np.log(-np.expm1(-lead)).sum(axis=0) + _NODES - np.exp(_NODES) + np.log(_STEP)
            total += float(logsumexp(terms))
            share = np.exp(terms - logsumexp(terms))
            # d log(1 − exp(−eᶻ))/dz, which tends to 0 as the tie runs away from the rest.
            rate = (lead / np.expm1(np.minimum(lead, 600.0))) @ share
            slope[tie] += rate
            slope[behind] -= rate.sum() * np.exp(s[behind] - base)
    return total, slope
