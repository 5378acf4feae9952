"""Checks that a table must pass to become `Results`, made once and in one place."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import UNPRINTABLE, BayescompareError, printable_error_text
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.table.frames import find_column, frozen_data, numbers_in, row_names
from bayescompare.table.measure import Direction, Measure, as_measures
from bayescompare.table.words import cell_words
from bayescompare.text.names import first_words, repeated_name, unknown_name, whole_name
from bayescompare.text.numbers import setting_number_text

DIMS = ("dataset", "algorithm", "replicate")
# Coordinates and dimensions of comparisons and their trees, which the coordinate of a measure of
# the same name would overwrite.
RESERVED = (*DIMS, "opponent", "statement", "measure", "count", "chain", "draw", "bound")


def dims_of(data: xr.Dataset) -> tuple[str, ...]:
    """Return the dimensions in the package's order, whatever their order in xarray."""
    return tuple(dim for dim in DIMS if dim in data.dims)


def names_in(data: xr.Dataset, dim: str) -> tuple[str, ...]:
    """Return the names along a dimension."""
    return tuple(map(str, data.variables[dim].values.tolist()))


def check_spec(measures: Mapping[str, Direction | Measure]) -> dict[str, Measure]:
    """Check the ``measures=`` argument and that `Results` can hold measures of these names.

    Examples
    --------
    >>> check_spec({"auc": "max"})["auc"].sign
    1
    """
    spec = as_measures(measures)
    _warn_of_twins("measure", spec)
    for name in spec:
        _check_name("measure", name)
        if name in RESERVED:
            raise BayescompareError(
                f"a measure cannot be called {name!r}, which names a dimension of the results "
                "or of a comparison: rename it."
            )
    return spec


def check_notes(notes: object) -> tuple[str, ...]:
    """Check the ``notes=`` argument."""
    if isinstance(notes, str) or not isinstance(notes, Iterable):
        raise BayescompareError(f"notes={notes!r}: give a tuple of strings.")
    return tuple(printable_error_text(str(note)) for note in notes)


def check_data(data: object, spec: Mapping[str, Measure]) -> xr.Dataset:
    """Return a copy of `data` in the one form that the rest of the package relies on."""
    if not isinstance(data, xr.Dataset):
        raise BayescompareError(
            f"data is a {type(data).__name__}: give an xarray.Dataset, or use Results.from_frame."
        )
    if not {"dataset", "algorithm"} <= set(data.dims) <= set(DIMS):
        raise BayescompareError(
            f"data has the dimensions {sorted(map(str, data.dims))}: it needs 'dataset' and "
            "'algorithm', may have 'replicate', and must have no other."
        )
    if set(data.data_vars) != set(spec):
        raise BayescompareError(
            f"data holds {sorted(map(str, data.data_vars))} but spec describes {sorted(spec)}: "
            "they must be the same measures."
        )
    coords = {dim: _check_names(data, dim) for dim in dims_of(data)}
    variables = {name: (tuple(coords), _check_cells(name, data[name], coords)) for name in spec}
    for name, measure in spec.items():
        _check_within(name, measure, variables[name][1], coords)
    return frozen_data(xr.Dataset(variables, coords=coords))


def _check_names(data: xr.Dataset, dim: str) -> list[str]:
    if dim not in data.coords:
        raise BayescompareError(f"data has no names along {dim!r}: give it that coordinate.")
    names = list(names_in(data, dim))
    if not names:
        raise BayescompareError(f"data has no {dim}: at least one is needed.")
    for name in names:
        _check_name(dim, name)
    if repeated_name(names):
        raise BayescompareError(f"{dim} {repeated_name(names)!r} occurs twice: names must differ.")
    _warn_of_twins(dim, names)
    return names


def _warn_of_twins(kind: str, names: Iterable[str]) -> None:
    """Warn of names that differ but look alike: most likely they are meant to be the same."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(_as_seen(name), name)
        if other != name:
            warnings.warn(
                f"the {kind} names {other!a} and {name!a} look the same and are taken as "
                f"two {kind}s: if they are one, spell them the same way.",
                stacklevel=2,
            )
            return


def _as_seen(name: str) -> str:
    """Reduce a name to what the eye can see.

    Composed and decomposed letters look the same, and so do spaces of any kind and number;
    format characters such as zero-width spaces are invisible.
    """
    if name.isascii() and "  " not in name:
        return name.strip()
    kept = (c for c in unicodedata.normalize("NFC", name) if unicodedata.category(c) != "Cf")
    return " ".join("".join(kept).split())


def _check_name(kind: str, name: str) -> None:
    if not name.strip():
        raise BayescompareError(f"{kind} name {name!r} is blank: give it a name.")
    # Names go into netCDF strings, labels and one-line messages, none of which can hold these.
    if UNPRINTABLE.search(name):
        raise BayescompareError(
            f"{kind} name {name!r} contains a line break or another control character: rename it."
        )
    if kind == "algorithm" and set(name) & set(">|="):
        raise BayescompareError(
            f"algorithm name {name!r} contains '>', '|' or '=', which would make labels such as "
            "'A>B|B>A' ambiguous: rename it."
        )


def _check_cells(name: str, cells: xr.DataArray, dims: Iterable[str]) -> FloatArray:
    if set(cells.dims) != set(dims):
        raise BayescompareError(f"measure {name!r} has dimensions {cells.dims}, not {tuple(dims)}.")
    if cells.dtype.kind not in "iuf":
        raise BayescompareError(f"measure {name!r} holds {cells.dtype} cells, not numbers.")
    return cells.transpose(*dims).values.astype(np.float64, copy=True)


def _check_within(
    name: str, measure: Measure, values: FloatArray, coords: Mapping[str, Sequence[str]]
) -> None:
    def faults(wrong: BoolArray) -> str:
        words = []
        for at in np.argwhere(wrong):
            cell = {dim: coords[dim][i] for dim, i in zip(coords, at, strict=True)}
            words.append(
                f"{cell_words({**cell, 'measure': name})} is "
                f"{setting_number_text(values[tuple(at)])}"
            )
        return first_words(words)

    infinite = np.isinf(values)
    if infinite.any():
        raise BayescompareError(
            f"infinite cells: {faults(infinite)}. Leave a cell empty (NaN) if the algorithm "
            "produced no value."
        )
    low, high = measure.bounds or (None, None)
    below = values < (-np.inf if low is None else low)
    outside = below | (values > (np.inf if high is None else high))
    if outside.any():
        raise BayescompareError(
            f"cells outside bounds={measure.bounds} of {name!r}: {faults(outside)}. Correct the "
            "cells or the bounds."
        )


def check_selection(argument: str, names: object, known: Collection[str]) -> list[str]:
    """Check an argument that selects some of the known names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        parts = [part.strip() for part in str(names).split(",")]
        raise BayescompareError(f"{argument}={names!r}: give a list, as in {parts!r}.")
    there = set(known)
    chosen = [name if name in there else whole_name(name, known) for name in map(str, names)]
    if not chosen:
        raise BayescompareError(f"{argument}=[]: name at least one, or None for all.")
    for name in chosen:
        if name not in there:
            raise BayescompareError(f"{argument}: {unknown_name(argument[:-1], name, known)}")
    if repeated_name(chosen):
        raise BayescompareError(f"{argument}: {repeated_name(chosen)!r} is named twice.")
    return chosen


def domain_facts(
    df: pd.DataFrame, dataset: str, *, group: str | None, weight: str | None
) -> dict[str, Any]:
    """Return the domain and the weight of every dataset, from columns of a table.

    Examples
    --------
    >>> frame = pd.DataFrame({"dataset": ["a", "a", "b"], "field": ["x", "x", "y"], "w": [1, 1, 2]})
    >>> domain_facts(frame, "dataset", group="field", weight="w")
    {'group_of': {'a': 'x', 'b': 'y'}, 'weight_of': {'a': 1.0, 'b': 2.0}}
    """
    facts: dict[str, Any] = {}
    if group is None and weight is None:
        return facts
    names = row_names(df[find_column(df, f"dataset={dataset!r}", dataset)], "dataset")
    if group is not None:
        column = df[find_column(df, f"group={group!r}", group)]
        facts["group_of"] = _one_each("group", names, row_names(column, "group"))
    if weight is not None:
        column = df[find_column(df, f"weight={weight!r}", weight)]
        weights = _one_each("weight", names, numbers_in(column, "weight=").tolist())
        facts["weight_of"] = check_weights(weights)
    return facts


def _one_each(argument: str, names: Iterable[str], values: Iterable[Any]) -> dict[str, Any]:
    """Return one value for each dataset; the rows of a dataset must agree."""
    pairs = pd.DataFrame({"dataset": list(names), "value": list(values)})
    distinct = pairs.drop_duplicates()
    twice = distinct[distinct["dataset"].duplicated(keep=False)]
    if len(twice):
        name = twice["dataset"].iloc[0]
        two = twice.loc[twice["dataset"] == name, "value"].tolist()[:2]
        raise BayescompareError(
            f"{argument}=: dataset {name!r} has both {two[0]!r} and {two[1]!r}; every row of a "
            f"dataset must have the same {argument}."
        )
    return dict(zip(distinct["dataset"].tolist(), distinct["value"].tolist(), strict=True))


def check_weights(weights: object, datasets: Sequence[str] = ()) -> dict[str, float] | None:
    """Check the ``weight_of=`` argument: a number above zero for each dataset."""
    given = _for_every(datasets, "weight", weights, "numbers")
    if given is None:
        return None
    wrong = [
        f"{value!r} of {name!r}"
        for name, value in given.items()
        if not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0.0
    ]
    if wrong:
        raise BayescompareError(
            f"weight=: {first_words(wrong, 3)}; a weight is a finite number above 0. Leave out "
            "datasets that are not to count."
        )
    return {str(name): float(value) for name, value in given.items()}


def check_groups(
    groups: object, datasets: Sequence[str] = (), argument: str = "group"
) -> dict[str, str] | None:
    """Check the ``group_of=`` argument: a name for each dataset."""
    given = _for_every(datasets, argument, groups, "names")
    if given is None:
        return None
    blank = [name for name, group in given.items() if not str(group).strip()]
    if blank:
        raise BayescompareError(
            f"{argument}=: dataset {blank[0]!r} has none; name the {argument} of each."
        )
    return {str(name): str(group) for name, group in given.items()}


def _for_every(
    datasets: Sequence[str], argument: str, facts: object, what: str
) -> Mapping[Any, Any] | None:
    """Check that facts are a mapping that has every dataset."""
    if facts is None:
        return None
    if not isinstance(facts, Mapping):
        raise BayescompareError(
            f"{argument}_of is a {type(facts).__name__}: give a mapping of datasets to {what}."
        )
    absent = [name for name in datasets if name not in facts]
    if absent:
        raise BayescompareError(
            f"{argument}_of lacks dataset {absent[0]!r}: every one needs a value."
        )
    return facts


def effective_weights(weights: tuple[float, ...]) -> list[float]:
    """Scale weights so that they sum to the effective number of datasets, (Σv)²/Σv².

    Examples
    --------
    >>> [round(v, 6) for v in effective_weights((1.0, 1.0, 2.0))]
    [0.666667, 0.666667, 1.333333]
    """
    total, squares = math.fsum(weights), math.fsum(v * v for v in weights)
    return [v * total / squares for v in weights]
