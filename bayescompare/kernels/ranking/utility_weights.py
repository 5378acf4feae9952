"""Weights of measures that are not known: uniform on the simplex, on a part of it, or in a box."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray

__all__ = ["box_weights", "simplex_weights"]

#: Attempts per weight wanted, before the bounds count as leaving no room.
_ATTEMPTS = 2000

_ROUNDING = 1e-12


def box_weights(
    low: FloatArray, high: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw weights (draws, m), each uniform between its bounds."""
    return rng.uniform(low, high, (draws, len(low)))


def simplex_weights(
    low: FloatArray, high: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    r"""Draw weights (draws, m) that sum to one, uniform within their bounds.

    The points of the simplex above `low` are a smaller simplex, :math:`l + (1 - \sum l)\,e`, and
    those below `high` lie in an inverted one, :math:`h - (\sum h - 1)\,e`, with e uniform on the
    simplex. Points are drawn from the smaller of the two and kept where the other bounds hold.

    Returns
    -------
    array, or None
        None where the bounds leave no weights, or next to none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> low, high = np.array([0.5, 0.0, 0.0]), np.array([1.0, 1.0, 0.1])
    >>> w = simplex_weights(low, high, 4, rng)
    >>> w.sum(axis=1).round(12), bool((w >= low).all() and (w <= high).all())
    (array([1., 1., 1., 1.]), True)
    """
    free = high > low
    total = 1.0 - float(low[~free].sum())
    weights = np.broadcast_to(low, (draws, len(low))).copy()
    if not free.any():
        return weights if abs(total) < _ROUNDING else None
    inside = _free_weights(low[free], high[free], total, draws, rng)
    if inside is None:
        return None
    weights[:, free] = inside
    return weights


def _free_weights(
    low: FloatArray, high: FloatArray, total: float, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    """Draw weights that sum to `total`, each with room between its bounds."""
    above, below = total - low.sum(), high.sum() - total
    if min(above, below) < -_ROUNDING:
        return None
    upright = above <= below
    size = max(0.0, above if upright else below)
    kept: list[FloatArray] = []
    have, tried = 0, 0
    while have < draws:
        if tried > _ATTEMPTS * (have + 1):
            return None
        e = rng.dirichlet(np.ones(len(low)), draws)
        points = low + size * e if upright else high - size * e
        inside = ((points >= low - _ROUNDING) & (points <= high + _ROUNDING)).all(axis=1)
        kept.append(points[inside])
        have, tried = have + int(inside.sum()), tried + draws
    return np.concatenate(kept)[:draws]
