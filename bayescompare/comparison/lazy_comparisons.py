"""`LazyComparisons`: the comparisons of very many pairs, each made when it is asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, overload
from weakref import WeakValueDictionary

from bayescompare.comparison.pairwise_notes import Judged

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["LazyComparisons"]

#: Comparisons that are kept although nobody else holds them.
_KEPT = 1024


class LazyComparisons(Sequence["Comparison"]):
    """A sequence of comparisons; one that is held anywhere is the same object when asked for again.

    Parameters
    ----------
    make : callable
        Makes the comparison at a place.
    tables : callable
        Returns what the words need to know of the table behind each.
    size : int
        How many there are.
    """

    def __init__(
        self,
        make: Callable[[int], Comparison],
        tables: Callable[[], Sequence[Judged]],
        size: int,
    ) -> None:
        self._make, self._tables, self._size = make, tables, size
        self._alive: WeakValueDictionary[int, Comparison] = WeakValueDictionary()
        self._recent: deque[Comparison] = deque(maxlen=_KEPT)

    @property
    def tables(self) -> Sequence[Judged]:
        """Names, datasets and notes of every pair, without its comparison."""
        return self._tables()

    def __len__(self) -> int:
        """Return how many there are."""
        return self._size

    @overload
    def __getitem__(self, place: int) -> Comparison: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Comparison, ...]: ...

    def __getitem__(self, place: int | slice) -> Comparison | tuple[Comparison, ...]:
        """Make the comparison at a place, unless it is there already."""
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(self._size)))
        # An IndexError beyond the end, as every sequence has it.
        place = range(self._size)[place]
        found = self._alive.get(place)
        if found is None:
            found = self._alive[place] = self._make(place)
            self._recent.append(found)
        return found

    def __iter__(self) -> Iterator[Comparison]:
        """Make one comparison after the other."""
        return map(self.__getitem__, range(self._size))
