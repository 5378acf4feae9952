"""Pairs measure by measure: how large differences are, and what separate tests say of them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from bayescompare._checks import check_word
from bayescompare._errors import QuantityNotAvailableError
from bayescompare._typing import FloatArray
from bayescompare.kernels.effect_sizes import EffectSizes, effect_sizes, finite_effect_sizes
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.outcome import registry
from bayescompare.outcome.answer import TestResult
from bayescompare.statements import Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, difference_number_text, percent

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pair_figures import Judged
    from bayescompare.outcome.pairwise import Pairwise


EFFECTS_TITLE = "How large the differences are, positive where the first is better"

#: Columns of `Comparison.effects`.
_COLUMNS = ("n", *EffectSizes._fields, "rope")

#: Values of pairs held at once.
_BLOCK = 1 << 21

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
    # Pairs with as many datasets are summarised at once.
    alike = _grouped(len(table.datasets) for table in tables)
    rows: dict[int, _Rows] = {}
    for places in alike.values():
        stacked = np.stack([_advantages(tables[place]) for place in places])
        rows |= dict(zip(places, _effects(stacked, tables[places[0]]), strict=True))
    return _by_pair(tables, tables[0].measures, rows)


def effects_at_once(results: Results, tables: Sequence[Judged]) -> pd.DataFrame:
    """Return the effect sizes of many pairs of one table, each over its own datasets."""
    values = _advantages(results)
    algorithm = {name: k for k, name in enumerate(results.algorithms)}
    dataset = {name: k for k, name in enumerate(results.datasets)}
    rows: dict[int, _Rows] = {}
    for names, places in _grouped(table.datasets for table in tables).items():
        own = values[[dataset[name] for name in names]]
        step = max(1, _BLOCK // (2 * own[:, 0].size))
        for some in (places[k : k + step] for k in range(0, len(places), step)):
            chosen = np.array([[algorithm[a] for a in tables[place].algorithms] for place in some])
            stacked = np.moveaxis(own[:, chosen], 0, 1)
            rows |= dict(zip(some, _effects(stacked, results), strict=True))
    return _by_pair(tables, results.measures, rows)


def _grouped(kinds: Iterable[Any]) -> dict[Any, list[int]]:
    """Places by what stands there."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for place, kind in enumerate(kinds):
        groups[kind].append(place)
    return groups


def _by_pair(
    tables: Sequence[Judged | Results], measures: Sequence[str], rows: Mapping[int, _Rows]
) -> pd.DataFrame:
    """Put the rows of all pairs, numbered, under their names."""
    body = [
        (*table.algorithms, measure, *row)
        for place, table in enumerate(tables)
        for measure, row in zip(measures, rows[place], strict=True)
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
