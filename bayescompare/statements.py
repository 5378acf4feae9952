"""`Statement`: one claim about who beats whom; `Statements`: those that a table supports.

A statement names one ordering of the algorithms for every measure, ``"B>A|A>B"``; such labels are
read and written here and nowhere else. All statements of a table are listed while there are at
most 256 of them, else only those that were observed.
"""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.orders import (
    MIDDLE,
    WeightTable,
    allowed_orders,
    sizes_of_allowed_orders,
    tabulate_orders,
)
from bayescompare.table.checks import effective_weights
from bayescompare.text.numbers import count
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.table.results import Results

Order = tuple[int, ...]
Relation = Literal[">", "=", "~"]

#: Up to this many statements all are listed; beyond it only the observed ones are.
DENSE = 256

#: The variable by which a model observes statements: each dataset's weights over them.
OUTCOME = "outcome"

#: The label of all statements that are not listed, together.
OTHER = "(other)"

#: Who comes after the first, where the whole order would be one of too many.
OTHERS = "others"

#: Up to this many orderings of the algorithms all are levels of a measure, observed or not.
MOST_LEVELS = 720

#: A tie expansion beyond this many states is refused.
MOST_STATES = 1_000_000

#: Stands between the measures of a label.
BAR = "|"


@dataclass(frozen=True, slots=True)
class State:
    """What a statement says on one measure: an order, best to worst, or that there is none.

    Attributes
    ----------
    names : tuple of str
        The algorithms.
    relation : {">", "=", "~"}
        Each better than the next, all equivalent, or incomparable.
    """

    names: tuple[str, ...]
    relation: Relation = ">"

    @classmethod
    def order(cls, *names: str) -> State:
        """Each better than the next."""
        return cls(names)

    @classmethod
    def equal(cls, *names: str) -> State:
        """All equivalent."""
        return cls(names, "=")

    @classmethod
    def apart(cls, *names: str) -> State:
        """Incomparable."""
        return cls(names, "~")

    @classmethod
    def parse(cls, text: str, algorithms: Sequence[str] = ()) -> State:
        """Read a state; a text without any sign, such as ``"(other)"``, is one name.

        No algorithm is called by a name with ``>``, ``=`` or ``|`` in it, but ``~`` is allowed:
        where names have one, give the algorithms in the order in which they are listed.
        """
        if ">" in text:
            return cls(tuple(text.split(">")))
        if "=" in text:
            return cls(tuple(text.split("=")), "=")
        if "~" not in text:
            return cls((text,))
        listed = text == "~".join(algorithms)
        return cls(tuple(algorithms if listed else text.split("~")), "~")

    def __str__(self) -> str:
        return self.relation.join(self.names)

    @property
    def leader(self) -> str | None:
        """The best algorithm; None where no order is named."""
        return self.names[0] if self.relation == ">" and len(self.names) > 1 else None

    def reversed(self) -> State:
        """Worst to best; what is symmetric is its own opposite."""
        return replace(self, names=self.names[::-1]) if self.relation == ">" else self

    def listed(self, names: Iterable[str]) -> State:
        """Name the algorithms in this order where the order says nothing."""
        return self if self.relation == ">" else replace(self, names=tuple(names))

    def abridged(self) -> State:
        """The first two and the last of a long order."""
        if self.relation != ">" or len(self.names) <= 4:
            return self
        return replace(self, names=(*self.names[:2], "…", self.names[-1]))

    def spaced(self) -> str:
        """Write an order with room around its signs, ``"A > B > C"``."""
        return " > ".join(self.names) if self.relation == ">" else str(self)

    def words(self) -> str:
        """Say the state: "B is better than A"."""
        if len(self.names) == 1:
            return self.names[0]
        if self.relation == ">" and len(self.names) != 2:
            return f"the order is {self.spaced()}"
        if self.relation == ">":
            return " is better than ".join(self.names)
        kind = "equivalent" if self.relation == "=" else "incomparable"
        return f"{' and '.join(self.names)} are {kind}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: a state for every measure, or a single one about all of them together.

    `str` gives its label, ``"B>A|A>B"``, and `parse` reads a label.

    Examples
    --------
    >>> statement = Statement.parse("B>A|A>B")
    >>> statement.words(["accuracy", "time"])
    'B is better than A on accuracy, and A is better than B on time'
    >>> statement.is_trade_off, statement.winner, str(statement.reversed())
    (True, None, 'A>B|B>A')
    """

    states: tuple[State, ...]

    @classmethod
    def of(cls, *states: State, measures: int = 1) -> Statement:
        """Make a statement of its states, the same ones again for so many measures."""
        return cls(states * measures)

    @classmethod
    def parse(cls, label: str, algorithms: Sequence[str] = ()) -> Statement:
        """Read a label; see `State.parse` for what the algorithms are needed for."""
        return _parsed_statement(label, tuple(algorithms))

    @staticmethod
    def names_only_orders(label: str) -> bool:
        """Whether a label has no symmetric state, told without reading it: of very many."""
        return "=" not in label and "~" not in label

    def __str__(self) -> str:
        return BAR.join(map(str, self.states))

    @property
    def relations(self) -> frozenset[Relation]:
        """The relations that occur; one name by itself stands in none."""
        return frozenset(state.relation for state in self.states if len(state.names) > 1)

    @property
    def leaders(self) -> tuple[str | None, ...]:
        """The best algorithm on each measure; None where it names no order."""
        return tuple(state.leader for state in self.states)

    @property
    def winner(self) -> str | None:
        """The one of two algorithms that is better on every measure; None where neither is."""
        (first, *others) = self.states
        return first.leader if len(first.names) == 2 and set(others) <= {first} else None

    @property
    def is_dominance(self) -> bool:
        """Whether one of two algorithms is better on every measure."""
        return self.winner is not None

    @property
    def is_trade_off(self) -> bool:
        """Whether measures order the algorithms in different ways."""
        return len({state for state in self.states if state.leader is not None}) > 1

    def reversed(self) -> Statement:
        """Every order turned round; equivalence is its own opposite."""
        return self._each(State.reversed)

    def on(self, measures: Iterable[int]) -> Statement:
        """What it says on some of the measures, by their places."""
        return Statement(tuple(self.states[j] for j in measures))

    def canonical(self) -> Statement:
        """The same statement however the algorithms are listed: symmetric states by name."""
        return self._each(lambda state: state.listed(sorted(state.names)))

    def seen_from(self, first: str) -> Statement:
        """The same statement with `first` named first wherever nobody is better."""
        return self._each(
            lambda state: state.listed(sorted(state.names, key=lambda name: name != first))
        )

    def renamed(self, rename: Callable[[str], str]) -> Statement:
        """The same statement with other names, perhaps shorter ones."""
        return self._each(lambda state: replace(state, names=tuple(map(rename, state.names))))

    def abridged(self) -> Statement:
        """The first two and the last of each long order.

        Examples
        --------
        >>> str(Statement.parse("A>B>C>D>E|B>A>C>D>E").abridged())
        'A>B>…>E|B>A>…>E'
        """
        return self._each(State.abridged)

    def _each(self, change: Callable[[State], State]) -> Statement:
        return Statement(tuple(map(change, self.states)))

    def by_state(self, measures: Iterable[str]) -> dict[State, list[str]]:
        """For each distinct state, the measures on which it holds."""
        held: dict[State, list[str]] = {}
        for measure, state in zip(measures, self.states, strict=True):
            held.setdefault(state, []).append(measure)
        return held

    def words(self, measures: Sequence[str]) -> str:
        """Say the statement: "B is better than A on accuracy and time".

        A single state about several measures is said without naming them.
        """
        if len(self.states) == 1 < len(measures):
            return self.states[0].words()
        held = self.by_state(measures).items()
        return ", and ".join(f"{state.words()} on {join_names(on)}" for state, on in held)


# A report reads the same few labels again for every picture and table.
@lru_cache(maxsize=1024)
def _parsed_statement(label: str, algorithms: tuple[str, ...]) -> Statement:
    return Statement(tuple(State.parse(part, algorithms) for part in label.split(BAR)))


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
    table : WeightTable
        States (indices into `levels`), counts and the sparse weights.
    """

    algorithms: tuple[str, ...]
    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    arities: tuple[int, ...]
    levels: tuple[IntArray, ...]
    table: WeightTable

    @classmethod
    def of(cls, results: Results) -> Statements:
        """Return the statements of these results, made once and kept as long as they live."""
        key = id(results)
        if key not in _MADE:
            statements = _MADE[key] = cls.from_results(results)
            statements.table.counts.setflags(write=False)  # answers hand them on to users
            weakref.finalize(results, _MADE.pop, key, None).atexit = False
        return _MADE[key]

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
        if np.isnan(values).any():
            raise BayescompareError(
                "a dataset with missing cells shows no single statement: use missing='drop' or "
                "missing='worst', or a method that counts what was seen ('dirichlet')."
            )
        ropes = [results[name].rope for name in results.measures]
        _check_rope(results, ropes)
        _check_expansion(values, ropes, results.datasets)
        factorial = math.factorial(len(results.algorithms))
        arities = tuple(factorial if rope is None else 3 for rope in ropes)
        dense = math.prod(arities) <= DENSE
        complete = factorial <= MOST_LEVELS
        by_measure = [
            allowed_orders(values[:, :, j], rope, complete=complete) for j, rope in enumerate(ropes)
        ]
        levels = tuple(c.levels for c in by_measure)
        table = tabulate_orders(by_measure)
        if results.weights is not None:
            table = _weighed(table, np.array(effective_weights(results.weights)))
        statements = cls(
            results.algorithms, results.measures, results.datasets, arities, levels, table
        )
        if dense:
            every = itertools.product(*(range(len(level)) for level in levels))
            return statements.listing(np.array(list(every), dtype=np.int64))
        return statements

    @classmethod
    def without_data(
        cls,
        algorithms: Sequence[str],
        ropes: Mapping[str, float | None],
        *,
        most: int = DENSE,
    ) -> Statements:
        """List every statement about these algorithms, before there are any datasets.

        `ropes` has the measures in their order; there must be at most `most` statements.

        Examples
        --------
        >>> Statements.without_data(["A", "B"], {"accuracy": None}).labels
        ('A>B', 'B>A')
        """
        l, nothing = len(algorithms), np.empty(0)
        orders = np.array(list(itertools.permutations(range(l))), dtype=np.int64)
        roped = np.insert(orders[:2], 1, MIDDLE, axis=0) if l == 2 else orders
        levels = tuple(orders if rope is None else roped for rope in ropes.values())
        arities = tuple(map(len, levels))
        if math.prod(arities) > most:
            raise BayescompareError(
                f"{l} algorithms on {len(levels)} measures have {count(math.prod(arities))} "
                f"statements, and at most {most} are listed: name fewer measures or algorithms."
            )
        every = np.array(list(itertools.product(*map(range, arities))), dtype=np.int64)
        none = nothing.astype(np.int64)
        table = WeightTable(every, np.zeros(len(every)), none, none, nothing)
        return cls(tuple(algorithms), tuple(ropes), (), arities, levels, table)

    def without_counts(self) -> Statements:
        """List the same statements, as if no dataset showed any."""
        none = np.empty(0, dtype=np.int64)
        table = WeightTable(self.table.states, np.zeros(self.n_listed), none, none, np.empty(0))
        return replace(self, table=table)

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
        return tuple(map(BAR.join, zip(*self.states, strict=True)))

    def labels_of(self, states: IntArray) -> list[str]:
        """Label statements given by their states (S, m), indices into each measure's levels."""
        names = [
            [self.name_order(level[k]) for k in column]
            for level, column in zip(self.levels, states.T, strict=True)
        ]
        return [BAR.join(parts) for parts in zip(*names, strict=True)]

    def label(self, orders: Iterable[Iterable[int]]) -> str:
        """Label one statement given by its order on each measure, or on some of them."""
        return BAR.join(map(self.name_order, orders))

    def name_order(self, order: Iterable[int]) -> str:
        """Name one measure's state, ``"B>A"`` or ``"A=B"``."""
        places = list(order)
        if places[0] == MIDDLE:
            return "=".join(self.algorithms)
        return ">".join(self.algorithms[i] for i in places)

    def state_names(self, j: int) -> list[str]:
        """Name every state of the j-th measure, in their order."""
        return [self.name_order(order) for order in self.levels[j]]

    def orders(self, label: str) -> tuple[Order, ...]:
        """Read a label back into one order per measure."""
        states = Statement.parse(label, self.algorithms).states
        if len(states) != len(self.measures):
            raise BayescompareError(
                f"statement {label!r} has {len(states)} part(s), but there are "
                f"{len(self.measures)} measures ({', '.join(self.measures)}): join one ordering "
                f"per measure by '{BAR}', as in {self.labels[0]!r}."
            )
        return tuple(self._order(j, state, label) for j, state in enumerate(states))

    def _order(self, j: int, state: State, label: str) -> Order:
        if self.arities[j] == 3 and state == State.equal(*self.algorithms):
            return (MIDDLE,) * len(self.algorithms)
        if state.relation != ">" or sorted(state.names) != sorted(self.algorithms):
            raise BayescompareError(
                f"statement {label!r}: {str(state)!r} is not an ordering of "
                f"{list(self.algorithms)} for measure {self.measures[j]!r}."
                f"{did_you_mean(label, self.labels[:DENSE])}"
            )
        return tuple(self.algorithms.index(name) for name in state.names)

    # single statements ---------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: k for k, label in enumerate(self.labels)}

    def find(self, label: str) -> int | None:
        """Position of a label among the listed statements, or None."""
        return self._index.get(label)

    def opposite(self, label: str) -> str:
        """Return the statement with every ordering reversed; equivalence is its own opposite."""
        self.orders(label)  # rejects what is not a statement about these algorithms
        return str(Statement.parse(label).reversed())

    def opposite_states(self, k: int) -> IntArray | None:
        """States of the statement with every ordering reversed.

        None where it is the statement itself, or where an ordering is not among the levels.
        """
        reverse = []
        for level, state in zip(self.levels, self.table.states[k], strict=True):
            places = np.flatnonzero((level == level[state][::-1]).all(axis=1))
            if len(places) == 0:
                return None
            reverse.append(int(places[0]))
        states = np.array(reverse, dtype=np.int64)
        return None if (states == self.table.states[k]).all() else states

    def dominance(self, winner: str) -> str:
        """Label of "`winner` is better than the other on every measure" (two algorithms)."""
        (loser,) = (name for name in self.algorithms if name != winner)
        return str(Statement.of(State.order(winner, loser), measures=len(self.measures)))

    def complete_levels(self) -> Statements:
        """Return the same statements with every possible state of each measure as a level.

        Those that were not observed come last, so that indices stay.
        """
        if all(len(level) == arity for level, arity in zip(self.levels, self.arities, strict=True)):
            return self
        l = len(self.algorithms)
        orders = np.array(list(itertools.permutations(range(l))), dtype=np.int64)
        digits = l ** np.arange(l)
        new = (orders[~np.isin(orders @ digits, level @ digits)] for level in self.levels)
        levels = (
            level if len(level) == arity else np.concatenate([level, more])
            for level, arity, more in zip(self.levels, self.arities, new, strict=True)
        )
        return replace(self, levels=tuple(levels))

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
        return replace(self, levels=tuple(levels), table=old).listing(np.unique(states, axis=0))

    def listing(self, states: IntArray) -> Statements:
        """Return the same weights over a longer, sorted list of statements."""
        table = self.table
        place = _positions(states, table.states)
        counts = np.zeros(len(states))
        counts[place] = table.counts
        longer = replace(table, states=states, counts=counts, statement=place[table.statement])
        return replace(self, table=longer)


#: What `Statements.of` made, by the identity of the results, which have no hash.
_MADE: dict[int, Statements] = {}


def _weighed(table: WeightTable, weights: FloatArray) -> WeightTable:
    """Let every dataset count by its weight."""
    own = table.weight * weights[table.dataset]
    counts = np.bincount(table.statement, weights=own, minlength=len(table.counts))
    return replace(table, weight=own, counts=counts)


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
    sizes = sizes_of_allowed_orders(values, ropes)
    if sum(sizes) <= MOST_STATES:
        return
    worst = sorted(range(len(sizes)), key=lambda i: -sizes[i])[:5]
    named = ", ".join(f"{datasets[i]!r} ({count(sizes[i])})" for i in worst if sizes[i] > 1)
    raise BayescompareError(
        f"ties allow {count(sum(sizes))} statements, above the limit of {count(MOST_STATES)}; "
        f"most by {named}. Compare fewer algorithms (algorithms=[...]), use pairwise(), or give "
        "the measures more digits."
    )
