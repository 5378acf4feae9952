r"""The violated rows of R2, found without writing R2 down.

The class of equal keys c violates R2 when some class :math:`e \le c`, :math:`e \ne c`, has

.. math:: \max_{q \in e} (u(q_1) - u(q_2)) + \delta > \min_{p \in c} (u(p_1) - u(p_2)) .

The largest gain among all classes below c is a dominance-maximum query, which `sweep` (up to
three coordinates) or `tree` answers for all classes at once.

Most violations occur between neighbours, so each class is first compared with the few classes
closest below it (`near_pairs_to_separate`), which needs no search. These are covers of the key
order, whose rows imply all others: they are better rows than the worst violated ones, which are far
apart.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, Int32Array
from bayescompare.kernels.gsd.sweep import build_sweep, sweep_maxima
from bayescompare.kernels.gsd.system import PreferenceSystem
from bayescompare.kernels.gsd.tree import build_tree, is_below_gsd_key, tree_maxima
from bayescompare.kernels.numerics.jit import jit

__all__ = ["GsdSeparator", "GsdViolations", "near_pairs_to_separate"]


#: Covers kept for every class, and classes examined to find them.
_NEAR, _LOOK = 4, 4096


class GsdViolations(NamedTuple):
    """Rows u(a) − u(b) − u(c) + u(d) ≥ δ, or = 0, that u violates, the worst of each class.

    Attributes
    ----------
    rows : array (r, 4)
        The points a, b, c, d.
    equal : array (r,)
        Rows between pairs of equal keys.
    amount : array (r,)
        The size of each violation.
    """

    rows: Int32Array
    equal: BoolArray
    amount: FloatArray


class GsdSeparator:
    """Finds the rows that a utility violates.

    Parameters
    ----------
    system : PreferenceSystem

    Examples
    --------
    The same gain must not be worth less:

    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.5]], [[0.5]], [0.0], [1.0], [True])
    >>> violations = GsdSeparator(system).every(np.array([0, 1.0, 0.7]), 0.0, 1e-9)
    >>> violations.rows.tolist(), violations.equal.tolist(), violations.amount.round(3).tolist()
    ([[1, 2, 2, 0]], [True], [0.4])
    """

    def __init__(self, system: PreferenceSystem) -> None:
        self.system = system
        few = system.keys.shape[1] <= 3
        self._maxima = (
            partial(sweep_maxima, build_sweep(system.keys))
            if few
            else partial(tree_maxima, build_tree(system.keys))
        )
        self._near = near_pairs_to_separate(system.keys)

    def near(self, u: FloatArray, delta: float, tolerance: float) -> GsdViolations:
        """Return violations of equality and of the rows between neighbours: some, not all."""
        gains = self._gains(u)
        violated, amount = _separation_worst_near(self._near, *gains[:2], delta, tolerance)
        return self._rows(gains, violated[:, 0], violated[:, 1], amount, tolerance)

    def every(self, u: FloatArray, delta: float, tolerance: float) -> GsdViolations:
        """Return for every class the row that u violates most; nothing if u is feasible."""
        gains = self._gains(u)
        rival, amount = self._maxima(gains[0], gains[1], delta, tolerance)
        own = np.flatnonzero(rival >= 0).astype(np.int32)
        return self._rows(gains, own, rival[own], amount[own], tolerance)

    def _gains(self, u: FloatArray) -> tuple[FloatArray, FloatArray, Int32Array, Int32Array]:
        return _separation_class_gains(u, self.system.upper, self.system.lower, self.system.starts)

    def _rows(
        self,
        gains: tuple[FloatArray, FloatArray, Int32Array, Int32Array],
        above: Int32Array,
        below: Int32Array,
        amount: FloatArray,
        tolerance: float,
    ) -> GsdViolations:
        """Rows between classes, after those within classes."""
        least, most, low_pair, high_pair = gains
        spread = most - least
        tied = np.flatnonzero(spread > tolerance).astype(np.int32)
        p = np.concatenate([low_pair[tied], low_pair[above]])
        q = np.concatenate([high_pair[tied], high_pair[below]])
        upper, lower = self.system.upper, self.system.lower
        rows = np.stack([upper[p], lower[p], upper[q], lower[q]], axis=1)
        equal = np.arange(len(p)) < len(tied)
        return GsdViolations(rows, equal, np.concatenate([spread[tied], amount]))


@jit()
def near_pairs_to_separate(keys: Int32Array) -> Int32Array:
    """Return pairs (class, a class that it covers), up to four for each class, nearest first.

    Nearness is by the sum of the ranks: any class between two others is nearer to both.

    Examples
    --------
    >>> near_pairs_to_separate(np.array([[0], [1], [2]], dtype=np.int32)).tolist()
    [[2, 1], [1, 0]]
    """
    count, m = keys.shape
    total = np.zeros(count, dtype=np.int64)
    for c in range(count):
        for i in range(m):
            total[c] -= keys[c, i]
    order = np.argsort(total)
    pairs = np.empty((_NEAR * count, 2), dtype=np.int32)
    count_pairs = 0
    for place in range(count):
        c, first = order[place], count_pairs
        for other in range(place + 1, min(count, place + _LOOK)):
            e = order[other]
            covered = is_below_gsd_key(keys, e, keys, c)
            for kept in range(first, count_pairs):
                if covered and is_below_gsd_key(keys, e, keys, pairs[kept, 1]):
                    covered = False
            if covered:
                pairs[count_pairs, 0], pairs[count_pairs, 1] = c, e
                count_pairs += 1
                if count_pairs == first + _NEAR:
                    break
    return pairs[:count_pairs].copy()


@jit()
def _separation_class_gains(
    u: FloatArray, upper: Int32Array, lower: Int32Array, starts: Int32Array
) -> tuple[FloatArray, FloatArray, Int32Array, Int32Array]:
    """Least and largest gain of every class, and the pairs that have them."""
    count = len(starts) - 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    low_pair, high_pair = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    for c in range(count):
        for p in range(starts[c], starts[c + 1]):
            gain = u[upper[p]] - u[lower[p]]
            if gain < least[c]:
                least[c], low_pair[c] = gain, p
            if gain > most[c]:
                most[c], high_pair[c] = gain, p
    return least, most, low_pair, high_pair


@jit()
def _separation_worst_near(
    pairs: Int32Array, least: FloatArray, most: FloatArray, delta: float, tolerance: float
) -> tuple[Int32Array, FloatArray]:
    """Return the neighbours whose rows are violated, and by how much."""
    count = 0
    for i in range(len(pairs)):
        if most[pairs[i, 1]] + delta - least[pairs[i, 0]] > tolerance:
            count += 1
    violated, amount = np.empty((count, 2), dtype=np.int32), np.empty(count)
    count = 0
    for i in range(len(pairs)):
        excess = most[pairs[i, 1]] + delta - least[pairs[i, 0]]
        if excess > tolerance:
            violated[count], amount[count] = pairs[i], excess
            count += 1
    return violated, amount
