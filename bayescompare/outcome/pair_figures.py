"""`PairFigures`: what was found about every pair, as columns; and how large differences are."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import QuantityNotAvailableError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.kernels.effect_sizes import EffectSizes, effect_sizes, finite_effect_sizes
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.outcome import registry
from bayescompare.outcome.answer import PVALUE, TestResult
from bayescompare.outcome.decision import part_word, parts_frame, wins_in_table
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results
from bayescompare.table.words import INCOMPLETE, dropped_words
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, difference_number_text, percent, plural

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise


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
    # Beyond 256 statements one that is neither observed nor named by the prior has its share of
    # those that are not listed; named ones are among the unobserved and listed all the same.
    others = c.answer.n_statements - len(c.answer.labels)
    left = 1.0 - float(c.answer.probability.sum()) - c.answer.none_leads
    rest = max(0.0, left) if c.unobserved - left > 1e-9 else c.unobserved
    return 0.0 if others.bit_length() > 1000 else rest / others


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
    ropes = [results[name].rope for name in results.measures]
    out = np.zeros((len(tables), len(results.measures), 3), dtype=np.int64)
    for some, stacked in _stacked(results.average().oriented(), results, tables):
        wins = wins_in_table(stacked[:, :, 0], stacked[:, :, 1], ropes)
        out[list(some)] = np.stack(wins, axis=-1)
    return out


def _stacked(
    values: FloatArray, results: Results, tables: Sequence[Judged]
) -> Iterator[tuple[tuple[int, ...], FloatArray]]:
    """Go through pairs that have the same datasets, some at a time: places, values (P, n, 2, m)."""
    algorithm = {name: k for k, name in enumerate(results.algorithms)}
    dataset = {name: k for k, name in enumerate(results.datasets)}
    who = np.array([[algorithm[name] for name in table.algorithms] for table in tables])
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, table in enumerate(tables):
        alike[table.datasets].append(place)
    for names, places in alike.items():
        own = values[[dataset[name] for name in names]]
        for some in itertools.batched(places, max(1, _BLOCK // max(1, 2 * own[:, 0].size))):
            yield some, np.moveaxis(own[:, who[list(some)]], 0, 1)


#: Comparisons that are kept.
_KEPT = 1024


class LazyComparisons(Sequence["Comparison"]):
    """A sequence of comparisons; of the last ones each is the same object when asked for again.

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
        self._made, self._tables, self._size = lru_cache(_KEPT)(make), tables, size

    @property
    def tables(self) -> Sequence[Judged]:
        """Names, datasets and notes of every pair, without its comparison."""
        return self._tables()

    def __len__(self) -> int:
        """Return how many there are."""
        return self._size

    def __getitem__(self, place: Any) -> Any:
        """Make the comparison at a place, unless it is there already."""
        # An IndexError beyond the end, as every sequence has it.
        chosen = range(self._size)[place]
        return tuple(map(self._made, chosen)) if isinstance(chosen, range) else self._made(chosen)


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


# how large differences are, and separate tests ----------------------------------------------------

EFFECTS_TITLE = "How large the differences are, positive where the first is better"

#: Columns of `Comparison.effects`.
_COLUMNS = ("n", *EffectSizes._fields, "rope")

#: A row for each measure.
_Rows = list[tuple[Any, ...]]


def table_effects(results: Results) -> pd.DataFrame:
    """Return the effect sizes of two algorithms, a row for each measure."""
    if len(results.algorithms) != 2:
        raise QuantityNotAvailableError(
            f"effects: they are of two algorithms, and there are {len(results.algorithms)}: "
            "compare two by algorithms=[...], or ask pairwise()."
        )
    (rows,) = _effects(_advantages(results)[None], results)
    return pd.DataFrame(rows, index=pd.Index(results.measures, name="measure"), columns=_COLUMNS)


def pair_effects(comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """Return the effect sizes of many pairs: first, second, measure, and those of each."""
    tables = [c.results for c in comparisons]
    rows = [_effects(_advantages(each)[None], each)[0] for each in tables]
    return _by_pair(tables, rows, tables[0].measures)


def effects_at_once(results: Results, tables: Sequence[Judged]) -> pd.DataFrame:
    """Return the effect sizes of many pairs of one table, each over its own datasets."""
    rows: dict[int, _Rows] = {}
    for some, stacked in _stacked(_advantages(results), results, tables):
        rows |= dict(zip(some, _effects(stacked, results), strict=True))
    return _by_pair(tables, [rows[place] for place in range(len(tables))], results.measures)


def _by_pair(
    tables: Sequence[Judged | Results], rows: Sequence[_Rows], measures: Sequence[str]
) -> pd.DataFrame:
    """Put the rows of all pairs under their names."""
    body = [
        (*table.algorithms, measure, *row)
        for table, own in zip(tables, rows, strict=True)
        for measure, row in zip(measures, own, strict=True)
    ]
    return pd.DataFrame(body, columns=["first", "second", "measure", *_COLUMNS])


def _advantages(results: Results) -> FloatArray:
    """Values of both, turned so that higher is better: (dataset, algorithm, measure).

    A failed run has none: it loses to any value by no size.
    """
    means = results.average()
    return means.values() * [float(means[name].sign) for name in means.measures]


def _effects(values: FloatArray, results: Results) -> list[_Rows]:
    """Return, for each pair, a row for each measure; values are (pair, dataset, 2, measure)."""
    by_measure = []
    for j, name in enumerate(results.measures):
        first, second = values[:, :, 0, j], values[:, :, 1, j]
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
        spec = results[name]
        with np.errstate(over="ignore"):
            difference = finite_effect_sizes(first - second)
        found = _sizes(difference, noise, spec.rope)
        if spec.scale == "ordinal":
            # Such a measure has no differences, only an order.
            unknown = np.full(len(values), np.nan)
            sizes = [field for field in EffectSizes._fields if field not in ("won", "lost")]
            found = found._replace(**dict.fromkeys(sizes, unknown))
        low, high = found.mean_lower, found.mean_upper
        words = np.full(len(low), "", dtype=object)
        if spec.rope is not None:
            words[~np.isnan(low)] = "unclear"
            words[(low >= -spec.rope) & (high <= spec.rope)] = "within"
            words[(low > spec.rope) | (high < -spec.rope)] = "exceeds"
        number = (~np.isnan(difference)).sum(axis=1)
        by_measure.append(list(zip(*(a.tolist() for a in (number, *found, words)), strict=True)))
    return [list(rows) for rows in zip(*by_measure, strict=True)]


def _sizes(difference: FloatArray, noise: FloatArray, rope: float | None) -> EffectSizes:
    """Summarise pairs (pair, dataset), each over the datasets on which both have a value."""
    there = ~np.isnan(difference)
    if there.all():
        return effect_sizes(difference, noise, rope)
    unknown = EffectSizes(*[np.array(np.nan)] * len(EffectSizes._fields))
    alone = [
        effect_sizes(one[seen], near[seen], rope) if seen.any() else unknown
        for one, near, seen in zip(difference, noise, there, strict=True)
    ]
    return EffectSizes(*(np.array(column, dtype=np.float64) for column in zip(*alone, strict=True)))


def printed_comparison_effects(
    thing: Comparison | Pairwise, pairs: Sequence[tuple[str, str]] = ()
) -> pd.DataFrame:
    """Write the effect sizes of a comparison, or of some pairs, as texts with heads for printing.

    Of one pair alone its names are left out, and so are columns that are empty. Nothing is left
    where a comparison is of more than two algorithms, or there is nothing to subtract.
    """
    results = thing.results
    if pairs:
        # Their sizes need no answer, which of many pairs is made when it is asked for.
        at = {pair: k for k, pair in enumerate(pairs)}
        every = thing.effects
        place = [at.get(pair, -1) for pair in zip(every["first"], every["second"], strict=True)]
        effects = every.assign(at=place).query("at >= 0").sort_values("at", kind="stable")
    elif len(results.algorithms) == 2:
        effects = pair_effects([cast("Comparison", thing)])
    else:
        return pd.DataFrame()
    effects = effects[effects["won"].notna()]
    table = pd.DataFrame(
        {
            "pair": f"{row['first']}, {row['second']}",
            "measure": row["measure"],
            "n": count(row["n"]),
            "mean (95 %)": _with_interval(row, "mean", results[row["measure"]].unit or ""),
            "median (95 %)": _with_interval(row, "median", results[row["measure"]].unit or ""),
            "won": percent(row["won"]),
            "lost": percent(row["lost"]),
            "mean and rope": row["rope"],
        }
        for row in effects.to_dict("records")
    )
    if table.empty:
        return table
    table = table.drop(columns="pair") if len(pairs) < 2 else table
    return table.loc[:, (table != "").any()]


def _with_interval(row: Mapping[Any, Any], name: str, unit: str) -> str:
    value, low, high = (row[key] for key in (name, f"{name}_lower", f"{name}_upper"))
    if np.isnan(value):
        return ""
    text = difference_number_text(value, unit)
    if np.isnan(low):
        return text
    ends = " to ".join(difference_number_text(end, significant=2) for end in (low, high))
    return f"{text} ({ends})"


def tested_separately(p: Pairwise, test: str) -> pd.DataFrame:
    """Tabulate a test of every pair and measure, and what the pair's joint statement says there.

    Separate tests and the joint one answer different questions, and may contradict each other:
    Benavoli & de Campos (2015), Section 6.2.
    """
    check_word("test", test, ("wilcoxon", "sign"))
    method = registry.get(test)()
    rows = {}
    for first, second in itertools.combinations(p.results.algorithms, 2):
        if (first, second) not in p:
            continue
        best = Statement.parse(str(p.best.sel(algorithm=first, opponent=second).item()))
        joint = dict(zip(p.results.measures, best.leaders, strict=False))
        probability = float(p.best_probability.sel(algorithm=first, opponent=second))
        for measure in p.results.measures:
            one = p.results.sel(algorithms=[first, second], measures=[measure]).average()
            found = method.posterior(one.complete(missing="drop") if one.absent().any() else one)
            assert isinstance(found, TestResult)
            assert found.support is not None
            won, lost = found.support.values()
            ahead = "" if test == "wilcoxon" or won == lost else (first, second)[int(lost > won)]
            if found.statement is not None:  # by the rank sums, which wins need not follow
                ahead = str(found.statement.winner)
            said = joint.get(measure) or ""
            rows[first, second, measure] = (
                ahead,
                found.pvalue,
                found.pvalue / 2 if ahead else float("nan"),
                said,
                probability,
                bool(ahead and said and ahead != said),
            )
    index = pd.MultiIndex.from_tuples(rows, names=["first", "second", "measure"])
    columns = ["ahead", "pvalue", "one_sided", "joint", "probability", "contradicts"]
    return pd.DataFrame(list(rows.values()), index, columns)
