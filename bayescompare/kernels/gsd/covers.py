"""The rows that a pool starts with: cover pairs of R1, and utilities known to be feasible."""

from __future__ import annotations

import numpy as np

from bayescompare._typing import FloatArray, Int32Array, IntArray
from bayescompare.kernels.gsd.system import GREATEST, LEAST, PreferenceSystem
from bayescompare.kernels.numerics.jit import jit

__all__ = ["cover_rows", "linear_gsd_utilities"]


def cover_rows(system: PreferenceSystem) -> Int32Array:
    """Return u(a) − u(b) − u(b) + u(b) ≥ δ as (a, b, b, b) for every a that covers b in R1.

    A chain of covers leads from the greater to the lesser of any pair, so these rows imply all
    of R1. Every point is also bounded by the least and the greatest, cover or not.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.5]], [[0.2]], [0.0], [1.0], [True])
    >>> cover_rows(system)[:, :2].tolist()
    [[1, 3], [2, 0], [3, 2], [3, 0], [1, 2]]
    """
    pairs = _covers(system.ranks, np.argsort(-system.ranks.sum(axis=1, dtype=np.int64)))
    inner = np.arange(2, system.size, dtype=np.int32)
    least, greatest = np.full_like(inner, LEAST), np.full_like(inner, GREATEST)
    ends = np.concatenate([np.stack([inner, least], 1), np.stack([greatest, inner], 1)])
    pairs = np.concatenate([pairs, ends])
    _, first = np.unique(
        pairs[:, 0].astype(np.int64) * system.size + pairs[:, 1], return_index=True
    )
    pairs = pairs[np.sort(first)]
    return np.ascontiguousarray(pairs[:, [0, 1, 1, 1]])


@jit()
def _covers(ranks: Int32Array, downwards: IntArray) -> Int32Array:
    """Pairs (a, b) with a > b and nothing between them.

    `downwards` lists the points so that every point comes before all that are below it.
    """
    covers = [(0, 0) for _ in range(0)]  # numba needs to see what the list will hold
    below = np.empty(len(ranks), dtype=np.int32)
    for a in range(len(ranks)):
        count = 0
        for b in downwards:
            if b == a or not np.all(ranks[a] >= ranks[b]):
                continue
            covered = True
            for i in range(count):
                if np.all(ranks[below[i]] >= ranks[b]):
                    covered = False
                    break
            if covered:
                below[count] = b
                count += 1
                covers.append((a, int(b)))
    pairs = np.empty((len(covers), 2), dtype=np.int32)
    for i in range(len(covers)):
        pairs[i, 0], pairs[i, 1] = covers[i]
    return pairs


def linear_gsd_utilities(system: PreferenceSystem) -> FloatArray:
    """Return utilities of N⁰, one for each measure that can be one by itself.

    A metric measure from its least to its greatest value; the rank in an ordinal one, unless the
    rule is ``jansen2022`` and some measure is metric.

    Examples
    --------
    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.5, 3]], [[0.2, 9]], [0, 0], [1, 10], [True, False])
    >>> linear_gsd_utilities(system)[:, 2:].round(3).tolist()
    [[0.2, 0.5], [0.667, 0.333]]
    """
    scales = np.where(system.metric, system.points, system.ranks)
    allowed = scales[GREATEST] > scales[LEAST]
    if system.rule == "jansen2022" and not system.all_ordinal:
        allowed &= system.metric
    scales = scales[:, allowed]
    # By a power of two, which rounds nothing: two of the largest floats have no difference.
    scales = np.ldexp(scales, -np.frexp(np.abs(scales).max(axis=0))[1])
    low, high = scales[LEAST], scales[GREATEST]
    return np.ascontiguousarray(((scales - low) / (high - low)).T)
