"""Effect sizes of pairs: how large the differences are that a verdict is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from bayescompare._errors import QuantityNotAvailableError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.effect_sizes import EffectSizes, effect_sizes, finite_effect_sizes
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
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


def table_effects(results: Results) -> pd.DataFrame:
    """Return the effect sizes of two algorithms, a row for each measure."""
    if len(results.algorithms) != 2:
        raise QuantityNotAvailableError(
            f"effects: they are of two algorithms, and there are {len(results.algorithms)}: "
            "compare two by algorithms=[...], or ask pairwise()."
        )
    (rows,) = _effects(_comparison_effect_advantages(results)[None], results)
    return pd.DataFrame(rows, index=pd.Index(results.measures, name="measure"), columns=_COLUMNS)


def pair_effects(comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """Return the effect sizes of many pairs: first, second, measure, and those of each."""
    pairs = list(comparisons)
    # Pairs with as many datasets are summarised at once.
    by_size: dict[int, list[int]] = {}
    for place, c in enumerate(pairs):
        by_size.setdefault(len(c.results.datasets), []).append(place)
    rows: dict[int, list[tuple[Any, ...]]] = {}
    for places in by_size.values():
        stacked = np.stack(
            [_comparison_effect_advantages(pairs[place].results) for place in places]
        )
        rows |= dict(zip(places, _effects(stacked, pairs[places[0]].results), strict=True))
    return _comparison_effects_by_pair([c.results for c in pairs], pairs[0].results.measures, rows)


def effects_at_once(results: Results, tables: Sequence[Judged]) -> pd.DataFrame:
    """Return the effect sizes of many pairs of one table, each over its own datasets."""
    values = _comparison_effect_advantages(results)
    algorithm = {name: k for k, name in enumerate(results.algorithms)}
    dataset = {name: k for k, name in enumerate(results.datasets)}
    by_datasets: dict[tuple[str, ...], list[int]] = {}
    for place, table in enumerate(tables):
        by_datasets.setdefault(table.datasets, []).append(place)
    rows: dict[int, list[tuple[Any, ...]]] = {}
    for names, places in by_datasets.items():
        own = values[[dataset[name] for name in names]]
        step = max(1, _BLOCK // (2 * own[:, 0].size))
        for some in (places[k : k + step] for k in range(0, len(places), step)):
            chosen = np.array([[algorithm[a] for a in tables[place].algorithms] for place in some])
            stacked = np.moveaxis(own[:, chosen], 0, 1)
            rows |= dict(zip(some, _effects(stacked, results), strict=True))
    return _comparison_effects_by_pair(tables, results.measures, rows)


def _comparison_effects_by_pair(
    tables: Sequence[Judged], measures: Sequence[str], rows: Mapping[int, list[tuple[Any, ...]]]
) -> pd.DataFrame:
    """Put the rows of all pairs, numbered, under their names."""
    named = [(*table.algorithms, measure) for table in tables for measure in measures]
    found = [row for place in range(len(tables)) for row in rows[place]]
    body = [(*names, *row) for names, row in zip(named, found, strict=True)]
    return pd.DataFrame(body, columns=["first", "second", "measure", *_COLUMNS])


def _comparison_effect_advantages(results: Results) -> FloatArray:
    """Values of both, turned so that higher is better: (dataset, algorithm, measure).

    A failed run has none: it loses to any value by no size.
    """
    means = results.average()
    return means.values() * [float(means[name].sign) for name in means.measures]


def _effects(values: FloatArray, results: Results) -> list[list[tuple[Any, ...]]]:
    """Return, for each pair, a row for each measure; values are (pair, dataset, 2, measure)."""
    by_measure = []
    for j, name in enumerate(results.measures):
        first, second = values[:, :, 0, j], values[:, :, 1, j]
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
        spec = results[name]
        with np.errstate(over="ignore"):
            difference = finite_effect_sizes(first - second)
        found = _summarise_comparison_effects(difference, noise, spec.rope)
        number = (~np.isnan(difference)).sum(axis=1)
        if spec.scale == "ordinal":
            # Such a measure has no differences, only an order.
            missing = np.full(len(values), np.nan)
            sizes = [name for name in EffectSizes._fields if name not in ("won", "lost")]
            found = found._replace(**dict.fromkeys(sizes, missing))
        by_measure.append(_comparison_effect_rows(number, found, spec.rope))
    return [list(rows) for rows in zip(*by_measure, strict=True)]


def _summarise_comparison_effects(
    difference: FloatArray, noise: FloatArray, rope: float | None
) -> EffectSizes:
    """Summarise pairs (pair, dataset), each over the datasets on which both have a value."""
    there = ~np.isnan(difference)
    if there.all():
        return effect_sizes(difference, noise, rope)
    alone = []
    for one, near, seen in zip(difference, noise, there, strict=True):
        if seen.any():
            alone.append(effect_sizes(one[seen], near[seen], rope))
        else:
            alone.append(EffectSizes(*(np.array(np.nan) for _ in EffectSizes._fields)))
    return EffectSizes(*(np.array(column, dtype=np.float64) for column in zip(*alone, strict=True)))


def _comparison_effect_rows(
    number: IntArray, found: EffectSizes, rope: float | None
) -> list[tuple[Any, ...]]:
    """Return one row for each pair."""
    low, high = found.mean_lower, found.mean_upper
    words = np.full(len(low), "", dtype=object)
    if rope is not None:
        words[:] = "unclear"
        words[(low >= -rope) & (high <= rope)] = "within"
        words[(low > rope) | (high < -rope)] = "exceeds"
        words[np.isnan(low)] = ""
    columns: Sequence[Any] = [*(column.tolist() for column in (number, *found)), words.tolist()]
    return list(zip(*columns, strict=True))


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
    if effects.empty:
        return pd.DataFrame()
    units = {name: results[name].unit or "" for name in results.measures}
    table = pd.DataFrame(
        [_printed_comparison_effect(row, units) for row in effects.to_dict("records")]
    )
    table = table.drop(columns="pair") if len(pairs) < 2 else table
    return table.loc[:, (table != "").any()]


def _printed_comparison_effect(row: Mapping[Any, Any], units: Mapping[str, str]) -> dict[str, str]:
    unit = units[row["measure"]]
    return {
        "pair": f"{row['first']}, {row['second']}",
        "measure": row["measure"],
        "n": count(row["n"]),
        "mean (95 %)": _comparison_effect_with_interval(row, "mean", unit),
        "median (95 %)": _comparison_effect_with_interval(row, "median", unit),
        "won": percent(row["won"]),
        "lost": percent(row["lost"]),
        "mean and rope": row["rope"],
    }


def _comparison_effect_with_interval(row: Mapping[Any, Any], name: str, unit: str) -> str:
    value, low, high = (row[key] for key in (name, f"{name}_lower", f"{name}_upper"))
    if np.isnan(value):
        return ""
    text = difference_number_text(value, unit)
    if np.isnan(low):
        return text
    ends = " to ".join(difference_number_text(end, significant=2) for end in (low, high))
    return f"{text} ({ends})"
