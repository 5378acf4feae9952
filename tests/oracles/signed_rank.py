"""Witnesses for the Bayesian signed-rank test: plain loops over pairs, plain draws of gammas.

Nothing here shares code with the package's kernels.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def region_of(total: Fraction, rope: Fraction | None) -> list[Fraction]:
    """How much of a pair with this sum counts left, in the middle and right."""
    half, width = Fraction(1, 2), 2 * (rope or Fraction(0))
    if rope == 0 and total == 0:
        return [Fraction(0), Fraction(1), Fraction(0)]
    left = Fraction(total < -width) + half * (total == -width)
    right = Fraction(total > width) + half * (total == width)
    return [left, 1 - left - right, right] if rope is not None else [left, right]


def shares(z: Sequence[Fraction], w: Sequence[Fraction], rope: Fraction | None) -> list[Fraction]:
    """Σ w_i w_j over the pairs in each region, by a double loop in fractions."""
    found = [Fraction(0)] * (2 if rope is None else 3)
    for i, j in itertools.product(range(len(z)), repeat=2):
        for k, part in enumerate(region_of(z[i] + z[j], rope)):
            found[k] += w[i] * w[j] * part
    return found


def mean_of_shares(
    z: Sequence[Fraction], alpha: Sequence[Fraction], rope: Fraction | None
) -> list[Fraction]:
    """E θ by the second moments of a Dirichlet."""
    total = sum(alpha, Fraction(0))
    found = [Fraction(0)] * (2 if rope is None else 3)
    for i, j in itertools.product(range(len(z)), repeat=2):
        moment = alpha[i] * (alpha[j] + (i == j)) / (total * (total + 1))
        for k, part in enumerate(region_of(z[i] + z[j], rope)):
            found[k] += moment * part
    return found


def leaders_by_gammas(
    z: Sequence[Fraction],
    alpha: Sequence[float],
    rope: Fraction | None,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """P(each share is the largest), by gamma draws and the whole matrix of pairs."""
    pairs = np.array(
        [[[float(part) for part in region_of(a + b, rope)] for b in z] for a in z], dtype=float
    )
    gammas = rng.gamma(np.asarray(alpha), size=(draws, len(z)))
    weights = gammas / gammas.sum(axis=1, keepdims=True)
    theta = np.einsum("di,ijk,dj->dk", weights, pairs, weights)
    top = theta.max(axis=1, keepdims=True)
    alone = (theta > top - 1e-12).sum(axis=1, keepdims=True) == 1
    return np.asarray(((theta == top) & alone).mean(axis=0))
