"""`PairFigures`: what was found about every pair, as columns."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.outcome.columns import PVALUE
from bayescompare.outcome.decision import part_word, parts_frame, wins_in_table
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results
from bayescompare.table.words import INCOMPLETE, dropped_words
from bayescompare.text.names import first_words
from bayescompare.text.numbers import plural

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison


#: Values of pairs held at once.
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class PairFigures:
    """Figures of all pairs, each a column with one place for every pair.

    Attributes
    ----------
    pairs : sequence of (str, str)
        The two algorithms, the one listed first in the table first.
    datasets : array (P,)
        How many datasets each pair was judged on.
    statements, states : sequences of str
        The decision on each: its statement and state, as in `Decision`.
    levels : array (P,)
        P of that statement, or the p-value.
    alone, lowest : arrays (P,)
        The same under the pair's own prior, and at the least favourable values of missing cells;
        NaN where there is no such figure.
    least : array (P,)
        The least P of what the statement says of each measure, under both priors and all bounds,
        or the largest p-value; NaN where measures are not judged.
    dominance : array (P, 2)
        P(the first better on every measure is the most probable statement), and of the second; or
        p-values.
    leaders : array (P, m)
        Who is ahead on each measure: 0 the first, 2 the second, 1 they are equal, −1 nobody.
    parts : array (P, m, 2)
        How probable that is, under the learned prior and under the pair's own; or p-values.
    ahead : array (P, m), optional
        P(the first is ahead) on each measure by itself, equivalence counting half; None where it
        has not been worked out.
    """

    pairs: Sequence[tuple[str, str]]
    datasets: IntArray
    statements: Sequence[str]
    states: Sequence[str]
    levels: FloatArray
    alone: FloatArray
    lowest: FloatArray
    least: FloatArray
    dominance: FloatArray
    leaders: IntArray
    parts: FloatArray
    ahead: FloatArray | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> PairFigures:
        """Collect the figures of comparisons, each of two algorithms."""
        decisions = [c.decision for c in comparisons]
        pairs = [(c.results.algorithms[0], c.results.algorithms[1]) for c in comparisons]

        def known(name: str) -> FloatArray:
            return np.array([getattr(d, name) for d in decisions], dtype=np.float64)  # None is NaN

        dominance = [
            [_dominates(c, a, b), _dominates(c, b, a)]
            for c, (a, b) in zip(comparisons, pairs, strict=True)
        ]
        parts = [[[part.figure, part.alone] for part in d.measured] for d in decisions]
        return cls(
            pairs=pairs,
            datasets=np.array([len(c.results.datasets) for c in comparisons], dtype=np.int64),
            statements=[d.statement for d in decisions],
            states=[d.state for d in decisions],
            levels=known("probability"),
            alone=known("alone"),
            lowest=known("lowest"),
            least=known("least"),
            dominance=np.array(dominance).reshape(-1, 2),
            leaders=np.array(list(map(_leaders, comparisons)), dtype=np.int64),
            parts=np.array(parts, dtype=np.float64),
        )


def _leaders(c: Comparison) -> list[int]:
    """Who is ahead on each measure; none where measures are not judged.

    Where nobody is, and there is a rope, they may be equal: how probable that is tells.
    """
    code = dict(zip(c.results.algorithms, (0, 2), strict=True))
    return [
        code.get(part.ahead, -1 if c.results[part.measure].rope is None else 1)
        for part in c.decision.measured
    ]


def _dominates(c: Comparison, first: str, second: str) -> float:
    """P(`first` better on every measure is the most probable statement), or the p-value."""
    dominance = Statement.of(State.order(first, second), measures=max(1, len(c.answer.states)))
    label = str(dominance)
    if c.answer.probability is None:
        # A test with a direction has a p-value for each.
        own = c.answer.per_statement.get(PVALUE)
        return c.decision.probability if own is None else float(own[c.answer.labels.index(label)])
    if label in c.answer.labels:
        return float(c.answer.probability[c.answer.labels.index(label)])
    # Beyond 256 statements an unobserved one is not listed; it has its share of the lump.
    others = c.answer.n_statements - c.answer.n_observed
    return 0.0 if others.bit_length() > 1000 else c.unobserved / others


def pair_parts(
    found: PairFigures, won: IntArray, measures: Sequence[str], *, level: float, bayesian: bool
) -> pd.DataFrame:
    """Return who is ahead in each pair on each measure, and how sure that is.

    The words rest on p-values after Holm's correction over all pairs and measures.

    Parameters
    ----------
    found : PairFigures
    won : array (P, m, 3)
        On how many datasets the first won, lost and tied.
    measures : sequence of str
    level : float
        What the words are held against.
    bayesian : bool
    """
    judged = found.leaders.shape[-1] if found.leaders.ndim == 2 else 0
    held = found.parts
    if judged and not bayesian:
        # A word is a claim about one of many measures of many pairs.
        tested = np.isfinite(held[..., 0])
        held = held.copy()
        held[tested] = holm(held[tested][:, 0])[:, None]
    names, rows = [], []
    for k, (first, second) in enumerate(found.pairs if judged else ()):
        who = {0: first, 2: second}
        for j, measure in enumerate(measures):
            code, figures = int(found.leaders[k, j]), found.parts[k, j].tolist()
            word = part_word(
                held[k, j].tolist() if code >= 0 else [math.nan],
                equal=code == 1,
                level=level,
                pvalue=not bayesian,
            )
            names.append((first, second, measure))
            shown = figures if bayesian else figures[:1]
            rows.append((who.get(code, ""), *won[k, j].tolist(), *shown, word))
    # Levels in the table's order, in which the pairs are sorted, too: looking one up is quick.
    everyone = list(dict.fromkeys(name for pair in found.pairs for name in pair))
    at = {name: k for k, name in enumerate(everyone)}
    order = {name: k for k, name in enumerate(measures)}
    index = pd.MultiIndex(
        levels=[everyone, everyone, list(measures)],
        codes=[[of[row[i]] for row in names] for i, of in enumerate((at, at, order))],
        names=["first", "second", "measure"],
    )
    return parts_frame(rows, index, pvalue=not bayesian)


def records_at_once(results: Results, tables: Sequence[Judged]) -> IntArray:
    """On how many of its datasets the first of each pair won, lost and tied, (P, m, 3)."""
    values = results.average().oriented()
    ropes = [results[name].rope for name in results.measures]
    algorithm = {name: k for k, name in enumerate(results.algorithms)}
    dataset = {name: k for k, name in enumerate(results.datasets)}
    out = np.zeros((len(tables), len(results.measures), 3), dtype=np.int64)
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, table in enumerate(tables):
        alike.setdefault(table.datasets, []).append(place)
    for names, places in alike.items():
        own = values[[dataset[name] for name in names]]
        step = max(1, _BLOCK // max(1, own[:, 0].size))
        for some in (places[k : k + step] for k in range(0, len(places), step)):
            first, second = (
                np.moveaxis(own[:, [algorithm[tables[k].algorithms[i]] for k in some]], 0, 1)
                for i in (0, 1)
            )
            out[some] = np.stack(wins_in_table(first, second, ropes), axis=-1)
    return out


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


# the tables behind the pairs ---------------------------------------------------------------------

#: Notes on some of the pairs that a paragraph holds, and pairs that such a note names.
_MOST_NOTES, _MOST_PAIRS = 8, 3


class PairTable(NamedTuple):
    """Names and notes of a table, without its numbers."""

    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    notes: tuple[str, ...]


#: A table that was judged: the whole of it, or what the words need to know.
type Judged = Results | PairTable


def tables_of_pairs(results: Results, pairs: Sequence[tuple[str, str]]) -> list[PairTable]:
    """Name the datasets that have all cells of each pair, with the notes of its table.

    Examples
    --------
    >>> import bayescompare as bc
    >>> (pair,) = tables_of_pairs(bc.load_example("jansen-uci"), [("CART", "GBM")])
    >>> len(pair.datasets)
    16
    """
    gaps = results.absent().any(axis=2)
    place = {name: k for k, name in enumerate(results.algorithms)}
    # Pairs that lack the same datasets share their names and their note.
    known: dict[bytes, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    tables = []
    for first, second in pairs:
        gone = gaps[:, place[first]] | gaps[:, place[second]]
        key = gone.tobytes()
        if key not in known:
            kept = tuple(name for name, out in zip(results.datasets, gone, strict=True) if not out)
            left = [name for name, out in zip(results.datasets, gone, strict=True) if out]
            note = (dropped_words(left, INCOMPLETE),) if left else ()
            known[key] = kept, (*results.notes, *note)
        tables.append(PairTable((first, second), *known[key]))
    return tables


def notes_said(tables: Sequence[Judged]) -> list[tuple[str, dict[str, Any]]]:
    """Return the sentences on which datasets the pairs were compared, and what was done to tables.

    Equal notes become one, which names its pairs unless it is about all of them.
    """
    datasets = datasets_spread(tables)
    said: list[tuple[str, dict[str, Any]]] = [("spread", {"n": datasets})] if datasets else []
    everyone = [table.algorithms for table in tables]
    about: dict[str, list[tuple[str, ...]]] = {}
    for pair, table in zip(everyone, tables, strict=True):
        for note in dict.fromkeys(table.notes):
            about.setdefault(note, []).append(pair)
    said += [("note", {"note": note}) for note, pairs in about.items() if pairs == everyone]
    # Those about most pairs come first; of very many notes, the rest is only counted.
    some = {note: pairs for note, pairs in about.items() if pairs != everyone}
    shown = sorted(some, key=lambda note: -len(some[note]))[:_MOST_NOTES]
    for note in shown:
        said.append(("noteon", {"who": _noted_pairs(some[note], everyone), "note": note}))
    if len(some) > len(shown):
        said.append(("notes", {"n": plural(len(some) - len(shown), "further note")}))
    return said


def datasets_spread(tables: Sequence[Judged]) -> str:
    """Say how many datasets the pairs have, where these are not the same ones for all.

    Examples
    --------
    >>> import bayescompare as bc
    >>> table = bc.load_example("jansen-uci")
    >>> datasets_spread([table, table])
    ''
    >>> datasets_spread([table, table.sel(datasets=table.datasets[:9])])
    '9 to 16'
    """
    different = {table.datasets for table in tables}
    if len(different) < 2:
        return ""
    least, most = min(map(len, different)), max(map(len, different))
    return str(least) if least == most else f"{least} to {most}"


def _noted_pairs(pairs: Sequence[tuple[str, ...]], everyone: Sequence[tuple[str, ...]]) -> str:
    """Name the pairs that a note is about: all with one algorithm, or the first few."""
    if len(pairs) > 1:
        (*shared,) = set(pairs[0]).intersection(*pairs[1:])
        if len(shared) == 1 and len(pairs) == sum(shared[0] in pair for pair in everyone):
            return f"the {len(pairs)} pairs with {shared[0]}"
    names = first_words([" against ".join(pair) for pair in pairs], _MOST_PAIRS)
    return names if len(pairs) == 1 else f"{len(pairs)} of {len(everyone)} pairs ({names})"
