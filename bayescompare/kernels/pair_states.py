"""The statements that datasets support about very many pairs of algorithms, counted at once.

`orders` does the same for one table of any number of algorithms; of two, both count alike.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.orders import tied_or_equivalent_order

#: Comparisons of two values, or counts, held at once.
_BLOCK = 1 << 19


def every_state(arities: Sequence[int]) -> IntArray:
    """List all statements as states of each measure, (K, m), in lexicographic order.

    Examples
    --------
    >>> every_state([2, 2]).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.array(list(itertools.product(*map(range, arities))), dtype=np.int64)


def count_pairs(
    values: FloatArray, ropes: Sequence[float | None], first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Count the statements of every pair, over the datasets that have all values of both.

    Parameters
    ----------
    values : array (n, l, m)
        Higher is better; NaN is a missing cell.
    ropes : sequence of float or None
        One per measure. Without one a tie gives half a dataset to either state; with one there is
        a third state between them, "equivalent".
    first, second : arrays (P,)
        The algorithms of each pair.

    Returns
    -------
    pair, statement, count : arrays (R,)
        The counts above zero, sorted by pair and statement; a statement is its place among
        `every_state`, of which there should be few.

    Examples
    --------
    Two measures; on the second dataset the algorithms tie on the first of them:

    >>> values = np.array([[[1.0, 1.0], [0.0, 2.0]], [[3.0, 3.0], [3.0, 1.0]]])
    >>> pair, statement, count = count_pairs(values, [None, None], np.array([0]), np.array([1]))
    >>> statement.tolist(), count.tolist()
    ([0, 1, 2], [0.5, 1.0, 0.5])
    """
    arities = [2 if rope is None else 3 for rope in ropes]
    size = math.prod(arities)
    step = max(1, _BLOCK // max(len(values), size))
    parts: list[tuple[IntArray, IntArray, FloatArray]] = []
    for start in range(0, len(first), step):
        block = slice(start, start + step)
        counts = _dense_pair_states(
            values[:, first[block]], values[:, second[block]], ropes, arities
        )
        pair, statement = np.nonzero(counts)
        parts.append((pair + start, statement, counts[pair, statement]))
    pairs, statements, numbers = (np.concatenate(part) for part in zip(*parts, strict=True))
    return pairs, statements, numbers


def _dense_pair_states(
    first: FloatArray, second: FloatArray, ropes: Sequence[float | None], arities: Sequence[int]
) -> FloatArray:
    """Counts of all statements, (pairs, K), from values (n, pairs, m) of both algorithms."""
    n, pairs, m = first.shape
    size = math.prod(arities)
    place = [math.prod(arities[j + 1 :]) for j in range(m)]
    known = ~(np.isnan(first).any(axis=2) | np.isnan(second).any(axis=2))
    code = np.zeros((n, pairs), dtype=np.int64)
    tied = np.zeros((n, pairs), dtype=np.int64)
    for j, rope in enumerate(ropes):
        one, other = first[:, :, j], second[:, :, j]
        close = tied_or_equivalent_order(one, other, rope)
        state = np.where(close, 0 if rope is None else 1, np.where(one > other, 0, arities[j] - 1))
        code += state * place[j]
        if rope is None:
            tied |= close.astype(np.int64) << j
    code += size * np.arange(pairs)
    counts = np.zeros(pairs * size)
    for pattern in np.unique(tied[known]).tolist():
        own = code[known & (tied == pattern)]
        branches = list(_branches_of_pair_states(pattern, place))
        for branch in branches:
            counts += np.bincount(own + branch, minlength=len(counts)) / len(branches)
    return counts.reshape(pairs, size)


def _branches_of_pair_states(pattern: int, place: Sequence[int]) -> Iterator[int]:
    """What to add to the code of a tied dataset for each statement that its ties allow."""
    ways = [(0, step) if pattern >> j & 1 else (0,) for j, step in enumerate(place)]
    return map(sum, itertools.product(*ways))
