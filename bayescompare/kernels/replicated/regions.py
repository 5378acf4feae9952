"""The states of every measure, and the statements that they make up, as cells of an array."""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray

__all__ = [
    "Ropes",
    "certain_region_cells",
    "product_of_region_cells",
    "region_state_edges",
    "spread_region_cells",
    "states_of_regions",
    "unknown_region_cells",
]

#: The rope of every measure; None where ties are split.
Ropes = tuple[float | None, ...]


def states_of_regions(ropes: Ropes) -> list[int]:
    """Return the number of states of every measure: first better, (equal,) second better."""
    return [2 if rope is None else 3 for rope in ropes]


def region_state_edges(rope: float | None) -> FloatArray:
    """Return where the states of a measure end, (1, 1) or (1, 2)."""
    return np.array([[0.0]]) if rope is None else np.array([[-rope, rope]])


def certain_region_cells(mean: FloatArray, rope: float | None) -> FloatArray:
    """States of a measure without spread, (n, states): one is certain; a tie is half of each."""
    if rope is None:
        first = np.where(mean == 0.0, 0.5, (mean > 0.0).astype(np.float64))
        return np.stack([first, 1.0 - first], axis=1)
    state = np.where(np.abs(mean) <= rope, 1, np.where(mean > 0.0, 0, 2))
    return np.eye(3)[state]


def unknown_region_cells(n: int, rope: float | None) -> FloatArray:
    """States of a measure that never differs on the typical dataset: equal, or either."""
    return np.full((n, 2), 0.5) if rope is None else np.tile(np.eye(3)[1], (n, 1))


def product_of_region_cells(
    parts: list[tuple[list[int], FloatArray]], sizes: list[int]
) -> FloatArray:
    """Multiply the cells of groups of measures into those of all, (n, K).

    Examples
    --------
    >>> cells = [([1], np.array([[0.9, 0.1]])), ([0], np.array([[1.0, 0.0]]))]
    >>> product_of_region_cells(cells, [2, 2]).tolist()
    [[0.9, 0.1, 0.0, 0.0]]
    """
    n = len(parts[0][1])
    out = np.ones((n, *sizes))
    for members, cells in parts:
        shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
        out = out * cells.reshape(n, *shape)
    return out.reshape(n, -1)


def spread_region_cells(logs: FloatArray, members: list[int], sizes: list[int]) -> FloatArray:
    """Repeat the log cells (…, cells of `members`) of some measures over the states of the others.

    Examples
    --------
    >>> spread_region_cells(np.array([[1.0, 2.0]]), [1], [2, 2]).tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """
    before = logs.shape[:-1]
    shape = [sizes[j] if j in members else 1 for j in range(len(sizes))]
    whole = np.broadcast_to(logs.reshape(*before, *shape), (*before, *sizes))
    return whole.reshape(*before, math.prod(sizes))
