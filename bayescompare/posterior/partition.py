"""Partitions of the listed statements: into classes of equal shares, into groups to be summed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from bayescompare._typing import FloatArray, IntArray
from bayescompare.statements import Statements

#: Statements up to which a plain matrix sums faster than a sparse one.
_DENSE = 256


@dataclass(frozen=True, eq=False)
class Partition:
    """Which part each of S statements is in, (S,): the parts are numbered without gaps."""

    of: IntArray

    @classmethod
    def trivial(cls, statements: int) -> Partition:
        """Every statement by itself."""
        return cls(np.arange(statements))

    @classmethod
    def mirrored(cls, statements: int) -> Partition:
        """Every statement with its reverse, which is as far from the other end of the list."""
        place = np.arange(statements)
        return cls(np.minimum(place, place[::-1]))

    @cached_property
    def size(self) -> FloatArray:
        """Number of statements in each part, (C,)."""
        return np.bincount(self.of).astype(np.float64)

    @cached_property
    def is_trivial(self) -> bool:
        """Whether every statement is a part by itself, in their order."""
        return len(self.size) == len(self.of) and bool((np.diff(self.of) == 1).all())

    def total(self, values: FloatArray) -> FloatArray:
        """Sum over each part, (..., S) to (..., C)."""
        return values if self.is_trivial else values @ self._indicator

    @cached_property
    def _indicator(self) -> FloatArray | csr_array:
        if len(self.of) <= _DENSE:
            return np.asarray(self.of[:, None] == np.arange(len(self.size)), dtype=np.float64)
        ends = np.arange(len(self.of) + 1)
        return csr_array((np.ones(len(self.of)), self.of, ends))

    def share(self, values: FloatArray) -> FloatArray:
        """Give each statement its equal share of its part, (..., C) to (..., S)."""
        return values[..., self.of] / self.size[self.of]

    def through(self, groups: Partition) -> tuple[IntArray, Partition] | None:
        """Return what sums over groups make of the parts: the image of each, the groups in each.

        The image of a part is all groups that it meets. Sums have equal shares again if images do
        not overlap and every part is spread evenly over its own; None if that is not so.
        """
        if self.is_trivial:
            return groups.of, Partition.trivial(len(groups.size))
        meets = groups.total(np.equal.outer(np.arange(len(self.size)), self.of).astype(np.float64))
        images, into = np.unique(meets > 0.0, axis=0, return_inverse=True)
        own = images[into.ravel()]
        evenly = own * (self.size / own.sum(axis=1))[:, None]
        if (images.sum(axis=0) != 1).any() or (meets != evenly).any():
            return None
        return into.ravel(), Partition(images.argmax(axis=0))


@dataclass(frozen=True, eq=False)
class Groups(Partition):
    """Groups whose θ is to be summed: events (SPEC 13).

    Attributes
    ----------
    log_unlisted : array (E,) or float
        Logarithm of the number of statements in each group that are not listed.
    others : tuple of (float, float)
        Groups without a listed statement: the logarithms of their statements and of their number.
    """

    log_unlisted: FloatArray | float = -np.inf
    others: tuple[tuple[float, float], ...] = ()

    @classmethod
    def states(cls, statements: Statements, measure: int) -> Groups:
        """Group the statements by what they say on one measure."""
        if statements.n_listed == statements.size:
            return cls(statements.table.states[:, measure])
        _, of = np.unique(statements.table.states[:, measure], return_inverse=True)
        listed = np.bincount(of.ravel())
        states = statements.arities[measure]
        each = statements.size // states
        unlisted = [math.log(each - n) if each > n else -math.inf for n in listed.tolist()]
        rest = states - len(listed)
        others = ((math.log(each), math.log(rest)),) if rest else ()
        return cls(of.ravel(), np.array(unlisted), others)
