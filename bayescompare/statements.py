"""`Statements`: the orderings that a table of results supports, with names on them.

A statement names one ordering of the algorithms for every measure, ``"B>A|A>B"``. All statements
are listed while there are at most 256 of them, else only those that were observed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError, closest
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.orders import MIDDLE, Table, choices, expansion_sizes, tabulate
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    from bayescompare.results.results import Results

__all__ = ["DENSE", "MOST_STATES", "Statements"]

Order = tuple[int, ...]

#: Up to this many statements all are listed; beyond it only the observed ones are.
DENSE = 256

#: Up to this many orderings of the algorithms all are levels of a measure, observed or not.
MOST_LEVELS = 720

#: A tie expansion beyond this many states is refused.
MOST_STATES = 1_000_000


@dataclass(frozen=True)
class Statements:
    """The statements supported by a table, their counts, and who supports them.

    Attributes
    ----------
    algorithms, measures, datasets : tuple of str
        In the order the user listed them: state 0 of a measure is that listing.
    arities : tuple of int
        Number of possible states of each measure: l!, or 3 with a rope.
    levels : tuple of arrays (P, l)
        The known states of each measure, as orders best to worst: all of them for up to six
        algorithms, else those observed.
    table : Table
        States (indices into `levels`), counts and the sparse weights.
    """

    algorithms: tuple[str, ...]
    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    arities: tuple[int, ...]
    levels: tuple[IntArray, ...]
    table: Table

    @classmethod
    def from_results(cls, results: Results) -> Statements:
        """Read the statements off complete results without replicates.

        Examples
        --------
        >>> from bayescompare.io import load_example
        >>> s = Statements.from_results(load_example("benavoli-example1"))
        >>> dict(zip(s.labels, s.table.counts.tolist()))
        {'A>B|A>B': 1.0, 'A>B|B>A': 2.0, 'B>A|A>B': 3.0, 'B>A|B>A': 6.0}
        """
        values = results.oriented()
        ropes = [results[name].rope for name in results.measures]
        _check_rope(results, ropes)
        _check_expansion(values, ropes, results.datasets)
        factorial = math.factorial(len(results.algorithms))
        arities = tuple(factorial if rope is None else 3 for rope in ropes)
        dense = math.prod(arities) <= DENSE
        complete = factorial <= MOST_LEVELS
        by_measure = [
            choices(values[:, :, j], rope, complete=complete) for j, rope in enumerate(ropes)
        ]
        levels = tuple(c.levels for c in by_measure)
        table = tabulate(by_measure)
        made = cls(results.algorithms, results.measures, results.datasets, arities, levels, table)
        if dense:
            every = itertools.product(*(range(len(level)) for level in levels))
            return made._listing(np.array(list(every), dtype=np.int64))
        return made

    # sizes ---------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number K of possible statements, a Python integer of any size."""
        return math.prod(self.arities)

    @property
    def log_size(self) -> float:
        """Logarithm of K."""
        return math.log(self.size)

    @property
    def n_listed(self) -> int:
        """Number of statements listed here."""
        return len(self.table.states)

    @property
    def n_observed(self) -> int:
        """Number of distinct statements that some dataset supports."""
        return int(np.count_nonzero(self.table.counts))

    @property
    def log_unlisted(self) -> float:
        """Logarithm of the number of statements not listed; −inf when all are."""
        unlisted = self.size - self.n_listed
        return math.log(unlisted) if unlisted else -math.inf

    # names ---------------------------------------------------------------------------------------

    @cached_property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """For every measure, the state's name in each listed statement."""
        return tuple(
            tuple(np.array([self.name_order(order) for order in level], dtype=object)[column])
            for level, column in zip(self.levels, self.table.states.T, strict=True)
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Label of each listed statement."""
        return tuple("|".join(parts) for parts in zip(*self.states, strict=True))

    def name_order(self, order: Iterable[int]) -> str:
        """Name one measure's state, ``"B>A"`` or ``"A=B"``."""
        places = list(order)
        if places[0] == MIDDLE:
            return "=".join(self.algorithms)
        return ">".join(self.algorithms[i] for i in places)

    def orders(self, label: str) -> tuple[Order, ...]:
        """Read a label back into one order per measure."""
        parts = label.split("|")
        if len(parts) != len(self.measures):
            raise BayescompareError(
                f"statement {label!r} has {len(parts)} part(s), but there are "
                f"{len(self.measures)} measures ({', '.join(self.measures)}): join one ordering "
                f"per measure by '|', as in {self.labels[0]!r}."
            )
        return tuple(self._order(j, part, label) for j, part in enumerate(parts))

    def _order(self, j: int, part: str, label: str) -> Order:
        middle = (MIDDLE,) * len(self.algorithms)
        if self.arities[j] == 3 and part == self.name_order(middle):
            return middle
        names = part.split(">")
        if sorted(names) != sorted(self.algorithms):
            raise BayescompareError(
                f"statement {label!r}: {part!r} is not an ordering of {list(self.algorithms)} for "
                f"measure {self.measures[j]!r}.{closest(label, self.labels[:DENSE])}"
            )
        return tuple(self.algorithms.index(name) for name in names)

    # single statements ---------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: k for k, label in enumerate(self.labels)}

    def find(self, label: str) -> int | None:
        """Position of a label among the listed statements, or None."""
        return self._index.get(label)

    def opposite(self, label: str) -> str:
        """Return the statement with every ordering reversed; equivalence is its own opposite."""
        return "|".join(self.name_order(order[::-1]) for order in self.orders(label))

    def opposite_states(self, k: int) -> IntArray | None:
        """States of the statement with every ordering reversed.

        None where it is the statement itself, or where an ordering is not among the levels.
        """
        reverse = []
        for level, state in zip(self.levels, self.table.states[k], strict=True):
            found = np.flatnonzero((level == level[state][::-1]).all(axis=1))
            if len(found) == 0:
                return None
            reverse.append(int(found[0]))
        states = np.array(reverse, dtype=np.int64)
        return None if (states == self.table.states[k]).all() else states

    def dominance(self, winner: str) -> str:
        """Label of "`winner` is better than the other on every measure" (two algorithms)."""
        (loser,) = (name for name in self.algorithms if name != winner)
        return "|".join([f"{winner}>{loser}"] * len(self.measures))

    def leading(self, most: int) -> IntArray:
        """Positions of the `most` statements of largest count, in listing order."""
        by_count = np.argsort(-self.table.counts, kind="stable")[:most]
        return np.sort(by_count)

    # other listings ------------------------------------------------------------------------------

    def with_labels(self, labels: Sequence[str]) -> Statements:
        """List the named statements too, with count zero where they were not observed."""
        new = [self.orders(label) for label in labels if self.find(label) is None]
        if not new:
            return self
        levels, columns = [], []
        for j, level in enumerate(self.levels):
            added = np.array([orders[j] for orders in new], dtype=np.int64)
            grown, inverse = np.unique(np.concatenate([level, added]), axis=0, return_inverse=True)
            if self.arities[j] == 3:
                grown, inverse = level, _positions(level, added)
                inverse = np.concatenate([np.arange(len(level)), inverse])
            inverse = inverse.ravel()
            levels.append(grown)
            columns.append(
                np.concatenate([inverse[self.table.states[:, j]], inverse[len(level) :]])
            )
        states = np.stack(columns, axis=1)
        old = replace(self.table, states=states[: self.n_listed])
        return replace(self, levels=tuple(levels), table=old)._listing(np.unique(states, axis=0))

    def _listing(self, states: IntArray) -> Statements:
        """The same weights over a longer, sorted list of statements."""
        table = self.table
        place = _positions(states, table.states)
        counts = np.zeros(len(states))
        counts[place] = table.counts
        longer = replace(table, states=states, counts=counts, statement=place[table.statement])
        return replace(self, table=longer)


def _positions(rows: IntArray, wanted: IntArray) -> IntArray:
    """Where each wanted row stands among `rows`."""
    where = {tuple(row): k for k, row in enumerate(rows.tolist())}
    return np.array([where[tuple(row)] for row in wanted.tolist()], dtype=np.int64)


def _check_rope(results: Results, ropes: Sequence[float | None]) -> None:
    roped = [name for name, rope in zip(results.measures, ropes, strict=True) if rope is not None]
    if roped and len(results.algorithms) > 2:
        raise BayescompareError(
            f"rope on {', '.join(map(repr, roped))}: equivalence is not transitive, so a joint "
            f"test of {len(results.algorithms)} algorithms cannot have one; use pairwise(), or "
            "drop the rope."
        )


def _check_expansion(
    values: FloatArray, ropes: Sequence[float | None], datasets: Sequence[str]
) -> None:
    sizes = expansion_sizes(values, ropes)
    if sum(sizes) <= MOST_STATES:
        return
    worst = sorted(range(len(sizes)), key=lambda i: -sizes[i])[:5]
    named = ", ".join(f"{datasets[i]!r} ({count(sizes[i])})" for i in worst if sizes[i] > 1)
    raise BayescompareError(
        f"ties allow {count(sum(sizes))} statements, above the limit of {count(MOST_STATES)}; "
        f"most by {named}. Compare fewer algorithms (algorithms=[...]), use pairwise(), or give "
        "the measures more digits."
    )
