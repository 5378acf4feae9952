r"""Vectors of counts as integers, and how those of one more dataset follow from them.

A vector of counts is one integer with some bits for each statement. If dataset i shows statement s,
every code grows by ``1 << shift[s]``, which keeps sorted codes sorted: the codes after the dataset
are a merge of shifted copies. Where every dataset leaves every statement, the codes after i of them
are all vectors that sum to i, in lexicographic order, and their places follow from

.. math:: \#\{c : c_1 + \dots + c_q = r\} = \binom{r + q - 1}{q - 1} .

Where each code goes depends on which statements the datasets leave
possible, not on how probable they are, so one `Lattice` serves all versions of the evidence, and
the way forth and back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bayescompare._typing import BoolArray, IntArray
from bayescompare.kernels.numerics.jit import jit

#: Bits of the integer that stands for a vector of counts.
_BITS = 62
#: Numbers kept for the way back; beyond, they are computed again.
_KEPT = 8_000_000


class LatticeGrowth(NamedTuple):
    """One more dataset: the sorted codes after it, and where each code before goes, (M, S)."""

    codes: IntArray
    target: IntArray


class Lattice:
    """The codes of n datasets that leave some of t statements each.

    Parameters
    ----------
    support : array (n, t) of bool
        Which statements each dataset leaves possible.

    Examples
    --------
    Two datasets with two statements have counts (0, 2), (1, 1) and (2, 0), in two bits each:

    >>> lattice = Lattice.of(np.ones((2, 2), dtype=bool))
    >>> [lattice.after(i).codes.tolist() for i in range(2)]
    [[1, 4], [2, 5, 8]]
    """

    def __init__(self, support: BoolArray, shifts: IntArray, masks: IntArray) -> None:
        self.shifts, self.masks = shifts, masks
        #: The statements that each dataset leaves.
        self.options = [np.flatnonzero(row) for row in support]
        #: What each of them adds to a code.
        self.steps = [1 << shifts[options] for options in self.options]
        #: Datasets, from the first, that leave every statement.
        self._full = int(np.append(support.all(axis=1), False).argmin()) if len(shifts) > 1 else 0
        alike = np.unique(support, axis=0, return_counts=True)
        #: No fewer count vectors than this: those of the datasets that leave the same statements.
        self.at_least = max(
            (
                math.comb(int(n + s) - 1, int(s) - 1)
                for n, s in zip(alike[1], alike[0].sum(axis=1), strict=True)
            ),
            default=1,
        )
        self._kept: list[LatticeGrowth] = []
        self._room = _KEPT

    @classmethod
    def of(cls, support: BoolArray) -> Lattice | None:
        """Number the count vectors; None where 62 bits are too few.

        The first statement has the most significant bits.
        """
        widths = [int(most).bit_length() for most in support.sum(axis=0)]
        if sum(widths) > _BITS:
            return None
        ends = np.cumsum([0, *widths[:0:-1]], dtype=np.int64)[::-1]
        shifts = np.ascontiguousarray(ends[: len(widths)])
        return cls(support, shifts, (1 << np.array(widths, np.int64)) - 1)

    def digits(self, codes: IntArray, k: int) -> IntArray:
        """Return the count of the k-th statement in every code."""
        return np.asarray(codes >> self.shifts[k] & self.masks[k])

    def grow(self, codes: IntArray, i: int, drawn: int) -> LatticeGrowth:
        """Add dataset `i` to the sorted codes of `drawn` others."""
        if self._full == len(self.options):
            return self.after(drawn, codes)
        return LatticeGrowth(*_merge_codes(codes, self.steps[i]))

    def after(self, i: int, codes: IntArray | None = None) -> LatticeGrowth:
        """Add dataset `i` to the codes of all before it, which are `codes` if they are known."""
        if i < len(self._kept):
            return self._kept[i]
        if i < self._full:
            growth = LatticeGrowth(*_simplex(i, self.shifts))
        else:
            if codes is None:
                codes = self.after(i - 1).codes if i else np.zeros(1, dtype=np.int64)
            growth = LatticeGrowth(*_merge_codes(codes, self.steps[i]))
        if i == len(self._kept) and growth.target.size + growth.codes.size <= self._room:
            self._kept.append(growth)
            self._room -= growth.target.size + growth.codes.size
        return growth


@jit()
def number_of_vectors(total: int, parts: int) -> int:
    """How many vectors of so many counts have this total."""
    number = 1
    for k in range(1, parts):
        number = number * (total + k) // k
    return number


@jit()
def place_of(outer: IntArray, total: int, parts: int) -> int:
    """Place of the first vector that begins with `outer`, among those with this total."""
    place, rest = 0, total
    for k in range(len(outer)):
        place += number_of_vectors(rest, parts - k) - number_of_vectors(rest - outer[k], parts - k)
        rest -= outer[k]
    return place


@jit()
def _simplex(total: int, shifts: IntArray) -> tuple[IntArray, IntArray]:
    """All codes that sum to `total` + 1, and where those that sum to `total` go.

    Vectors that differ only in the last two counts follow each other, and so do their targets.
    """
    s = len(shifts)
    codes = np.empty(number_of_vectors(total + 1, s), dtype=np.int64)
    target = np.empty((number_of_vectors(total, s), s), dtype=np.int64)
    for level in range(total, total + 2):
        outer = np.zeros(s - 2, dtype=np.int64)
        first = np.empty(s, dtype=np.int64)
        rest, p = level, 0
        while True:
            if level > total:
                code = np.int64(rest) << shifts[s - 1]
                for k in range(s - 2):
                    code += outer[k] << shifts[k]
                step = (np.int64(1) << shifts[s - 2]) - (np.int64(1) << shifts[s - 1])
                for v in range(rest + 1):
                    codes[p + v] = code + v * step
            else:
                for j in range(s - 2):
                    outer[j] += 1
                    first[j] = place_of(outer, total + 1, s)
                    outer[j] -= 1
                first[s - 1] = place_of(outer, total + 1, s)
                first[s - 2] = first[s - 1] + 1
                for v in range(rest + 1):
                    for j in range(s):
                        target[p + v, j] = first[j] + v
            p += rest + 1
            k = s - 3
            while k >= 0 and rest == 0:
                rest += outer[k]
                outer[k] = 0
                k -= 1
            if k < 0:
                break
            outer[k] += 1
            rest -= 1
    return codes, target


@jit()
def _merge_codes(codes: IntArray, steps: IntArray) -> tuple[IntArray, IntArray]:
    """Merge copies of sorted codes, each shifted by one of the steps."""
    n, s = len(codes), len(steps)
    end = np.int64(0x7FFFFFFFFFFFFFFF)
    at = np.zeros(s, dtype=np.int64)
    head = codes[0] + steps
    merged = np.empty(n * s, dtype=np.int64)
    target = np.empty((n, s), dtype=np.int64)
    m = 0
    while True:
        least = end
        for j in range(s):
            least = min(least, head[j])
        if least == end:
            return merged[:m].copy(), target
        merged[m] = least
        for j in range(s):
            if head[j] == least:
                target[at[j], j] = m
                at[j] += 1
                head[j] = codes[at[j]] + steps[j] if at[j] < n else end
        m += 1
