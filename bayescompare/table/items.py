"""What `Results` know of their items besides values: clusters, or statistics in their place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.table.cells import span_words
from bayescompare.table.frames import frozen_data
from bayescompare.text.numbers import count, plural

_STATISTICS = ("items", "mean", "difference", "covariance")


def check_item_data(item_data: object, data: xr.Dataset) -> xr.Dataset | None:
    """Check the ``item_data=`` argument against the table that it is about."""
    if item_data is None:
        return None
    if not isinstance(item_data, xr.Dataset):
        raise BayescompareError(
            f"item_data is a {type(item_data).__name__}: give an xarray.Dataset, or None."
        )
    wanted: tuple[str, ...] = ("cluster",) if "replicate" in data.dims else _STATISTICS
    absent = [name for name in wanted if name not in item_data]
    if absent:
        raise BayescompareError(f"item_data has no variable {absent[0]!r}.")
    for dim in ("dataset", "algorithm", "replicate"):
        if dim in item_data.dims and (
            dim not in data.dims or not np.array_equal(item_data[dim].values, data[dim].values)
        ):
            raise BayescompareError(f"item_data and data must have the same names along {dim!r}.")
    return frozen_data(item_data.copy(deep=True))


def select_items(
    item_data: xr.Dataset | None, positions: Mapping[str, IntArray], measures: Sequence[str] | None
) -> xr.Dataset | None:
    """Select datasets, algorithms (as opponents, too) and measures."""
    if item_data is None:
        return None
    at: dict[str, Any] = {dim: where for dim, where in positions.items() if dim in item_data.dims}
    if "opponent" in item_data.dims and "algorithm" in at:
        at["opponent"] = at["algorithm"]
    chosen = item_data.isel(at)
    if measures is None or "measure" not in item_data.dims:
        return frozen_data(chosen)
    known = item_data["measure"].values.tolist()
    place = np.array([known.index(name) for name in measures], dtype=np.intp)
    chosen = chosen.isel(measure=place, with_measure=place)
    return frozen_data(_marginal_patterns(chosen, measures))


def _marginal_patterns(chosen: xr.Dataset, measures: Sequence[str]) -> xr.Dataset:
    """Sum the patterns over the measures left out, and put the others in order."""
    if "patterns" not in chosen:
        return chosen
    known: list[str] = json.loads(chosen.attrs["pattern_measures"])
    kept = [name for name in measures if name in known]
    cube = chosen["patterns"].values
    cube = cube.reshape(*cube.shape[:3], *[3] * len(known))
    gone = tuple(3 + k for k, name in enumerate(known) if name not in kept)
    left = [name for name in known if name in kept]
    cube = np.moveaxis(
        cube.sum(axis=gone), [3 + left.index(name) for name in kept], range(3, 3 + len(kept))
    )
    rest = chosen.drop_vars(["patterns", "pattern"])
    if not kept:
        del rest.attrs["pattern_measures"]
        return rest
    labels = ["".join("+0-"[k] for k in at) for at in np.ndindex(*[3] * len(kept))]
    rest = rest.assign_coords(pattern=labels)
    rest["patterns"] = (
        ("dataset", "algorithm", "opponent", "pattern"),
        cube.reshape(*cube.shape[:3], -1),
    )
    rest.attrs["pattern_measures"] = json.dumps(kept)
    return rest


def means_of_items(item_data: xr.Dataset, data: xr.Dataset) -> xr.Dataset:
    """Return the means of two algorithms over the items that both have; of more, `data`.

    Where one of them has no item at all, the mean of the other is over its own.
    """
    if item_data.sizes["algorithm"] != 2:
        return data
    mean, number = item_data["mean"].values, item_data["items"].values
    there = (np.diagonal(number, axis1=1, axis2=2) > 0).all(axis=1)[:, None]
    pair = np.stack([np.where(there, mean[:, a, 1 - a], mean[:, a, a]) for a in range(2)], axis=1)
    names = item_data["measure"].values.tolist()
    return data.assign(
        {name: (("dataset", "algorithm"), pair[:, :, j]) for j, name in enumerate(names)}
    )


def expected_item_replicates(absent: BoolArray, kind: str) -> BoolArray:
    """Return which replicates a cell may have, to broadcast against `absent`.

    Items belong to their dataset: one of another dataset is not missing in this.

    Parameters
    ----------
    absent : array (dataset, algorithm, measure[, replicate])
        Which cells have no value.
    kind : {"folds", "seeds", "items"}
    """
    if kind != "items" or absent.ndim == 3:
        return np.ones((1,) * absent.ndim, dtype=bool)
    there: BoolArray = ~absent.all(axis=(1, 2), keepdims=True)
    # A dataset without any item lacks them all.
    return there | ~there.any(axis=-1, keepdims=True)


def same_items(one: xr.Dataset | None, other: xr.Dataset | None) -> bool:
    """Whether two tables have the same clusters, or statistics."""
    if one is None or other is None:
        return one is other
    return one.equals(other) and one.attrs == other.attrs


def items_matched_alike(item_data: xr.Dataset) -> bool:
    """Whether every algorithm that has items of a dataset has the same ones."""
    number = item_data["items"].values
    own = np.diagonal(number, axis1=1, axis2=2)
    some = own > 0
    both = some[:, :, None] & some[:, None, :]
    return bool((~both | (number == own[:, :, None])).all())


def too_few_items(item_data: xr.Dataset) -> BoolArray:
    """Return the datasets on which some two algorithms share fewer than two items, (n,).

    An algorithm without any item there is a missing cell, and no matter of matching.
    """
    number = item_data["items"].values
    there = (np.diagonal(number, axis1=1, axis2=2) > 0).all(axis=1)
    return np.asarray((number < 2).any(axis=(1, 2)) & there)


def unmatched_words(dataset: str, own: Mapping[str, int], shared: int) -> str:
    """Say how many items of a dataset are unmatched, and what to do."""
    has = ", ".join(f"{name!r} has {count(number)}" for name, number in own.items())
    lost = sum(number - shared for number in own.values())
    return (
        f"{plural(lost, 'item')} of {dataset!r} {'is' if lost == 1 else 'are'} unmatched ({has}, "
        f"and {count(shared) if shared else 'none'} of them in common), and at least two must be "
        "matched: give an item the same id for every algorithm, or use missing='drop' to leave "
        "out the dataset."
    )


def items_words(item_data: xr.Dataset) -> str:
    """Say how many items, and clusters, there are per dataset.

    Examples
    --------
    >>> items_words(xr.Dataset({"items": (("dataset", "algorithm", "opponent"), [[[7]]])}))
    '7 items per dataset, of which statistics are kept'
    """
    own = np.diagonal(item_data["items"].values, axis1=1, axis2=2)
    return f"{span_words(own, 'item')} per dataset, of which statistics are kept"


# ------------------------------------------------------------------------------------------ files


def item_data_to_json(item_data: xr.Dataset) -> dict[str, Any]:
    """Return variables with their dims, and coordinates that are not the table's own."""
    own = {dim: item_data[dim].values.tolist() for dim in ("pattern",) if dim in item_data.coords}
    return {
        "variables": {
            str(name): {"dims": list(values.dims), "values": values.values}
            for name, values in item_data.data_vars.items()
        },
        "coords": own,
        "attrs": dict(item_data.attrs),
    }


def item_data_from_json(
    document: Mapping[str, Any], coords: Mapping[str, Sequence[str]], measures: Sequence[str]
) -> xr.Dataset:
    """Make the dataset again from what `item_data_to_json` returned."""
    named = {**coords, "opponent": coords["algorithm"], "measure": list(measures)}
    named |= {"with_measure": list(measures), **document["coords"]}
    integers = ("cluster", "items", "clusters", "binary")
    variables = {}
    for name, part in document["variables"].items():
        values = np.array(part["values"], dtype=np.float64)  # null is NaN
        variables[name] = (
            tuple(part["dims"]),
            values.astype(np.int64) if name in integers else values,
        )
    dims = {dim for used, _ in variables.values() for dim in used}
    return xr.Dataset(
        variables, {dim: named[dim] for dim in named if dim in dims}, attrs=document["attrs"]
    )


# statistics of items ------------------------------------------------------------------------------


#: Differences this close, relative to the values, are rounding and no difference.
ROUNDING = 1e-12
#: Measures that are right or wrong on every item, at most: they make 3^m patterns.
MOST_PATTERNS = 6

SIGNS = "+0-"


class PairItems(NamedTuple):
    """What the items of one dataset come to, for the first of two algorithms against the second."""

    items: int
    clusters: int
    difference: FloatArray
    covariance: FloatArray
    pattern: FloatArray


def pair_items(
    first: FloatArray,
    second: FloatArray,
    clusters: IntArray | None,
    binary: BoolArray,
) -> PairItems:
    """Statistics of the items that two algorithms share.

    Parameters
    ----------
    first, second : arrays (k, m)
    clusters : array (k,), optional
        Numbers of the items' clusters.
    binary : array (m,)
        Which measures are 0 or 1 for both.

    Examples
    --------
    >>> first, second = np.array([[1.0], [0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]])
    >>> pair = pair_items(first, second, None, np.array([True]))
    >>> pair.items, pair.pattern.tolist(), pair.covariance.round(6).tolist()
    (3, [1.0, 2.0, 0.0], [[0.333333]])
    """
    k, m = first.shape
    if not k:
        empty = np.zeros(3 ** int(binary.sum()))
        return PairItems(0, 0, np.full(m, np.nan), np.full((m, m), np.nan), empty)
    x = first - second
    # Column by column, where numpy adds in pairs and loses nothing over millions of items.
    mean = np.array([float(np.ascontiguousarray(column).mean()) for column in x.T])
    centred = x - mean
    grain = ROUNDING * np.maximum(np.abs(first), np.abs(second)).max(axis=0)
    constant = np.abs(centred).max(axis=0) <= grain
    number = 0
    if clusters is None:
        square = centred.T @ centred / max(k - 1.0, 1.0)
    else:
        square, number = _cluster_covariance(centred, clusters)
    square[constant, :] = square[:, constant] = 0.0
    return PairItems(
        items=k,
        clusters=number,
        difference=np.where(np.abs(mean) <= grain, 0.0, mean),
        covariance=square,
        pattern=_pattern_counts(x[:, binary]),
    )


def exact_item_mean(values: FloatArray) -> FloatArray:
    """Mean of each column, from a correctly rounded sum, as `Results.average` takes it."""
    means = np.array([math.fsum(column.tolist()) / len(values) for column in values.T])
    return means.clip(values.min(axis=0), values.max(axis=0))


def _cluster_covariance(centred: FloatArray, clusters: IntArray) -> tuple[FloatArray, int]:
    """C·V, the covariance matrix of the mean times the number of clusters; and that number."""
    _, code = np.unique(clusters, return_inverse=True)
    number = int(code.max()) + 1
    part = np.stack([np.bincount(code, column, number) for column in centred.T], axis=1)
    part /= len(clusters)
    return number * number / max(number - 1.0, 1.0) * part.T @ part, number


def _pattern_counts(outcome: FloatArray) -> FloatArray:
    m = outcome.shape[1]
    code = np.zeros(len(outcome), dtype=np.int64)
    for column in outcome.T:
        code = 3 * code + (1 - column.astype(np.int64))
    return np.bincount(code, minlength=3**m).astype(np.float64)


def statistics_of(
    pairs: Mapping[tuple[int, int, int], PairItems],
    own: IntArray,
    means: FloatArray,
    binary: BoolArray,
    names: Mapping[str, Sequence[str]],
    *,
    clustered: bool,
) -> xr.Dataset:
    """Arrange the statistics of every dataset and pair as one dataset.

    Parameters
    ----------
    pairs : mapping
        By the numbers of dataset, first and second algorithm, the first before the second.
    own : array (n, l)
        How many items each algorithm has.
    means : array (n, l, l, m)
        Of each algorithm over the items that another has, too.
    binary : array (n, l, m)
        Which measures are 0 or 1 on every item.
    names : mapping of str to sequence of str
        Of datasets, algorithms and measures.
    clustered : bool
        Whether items come in clusters.
    """
    n, l, m = binary.shape
    arrays = {
        "items": np.zeros((n, l, l), dtype=np.int64),
        "clusters": np.zeros((n, l, l), dtype=np.int64),
        "mean": means,
        "difference": np.full((n, l, l, m), np.nan),
        "covariance": np.full((n, l, l, m, m), np.nan),
    }
    for (i, a, b), pair in pairs.items():
        for p, q, sign in ((a, b, 1.0), (b, a, -1.0)):
            arrays["items"][i, p, q] = pair.items
            arrays["clusters"][i, p, q] = pair.clusters
            # Adding zero leaves no −0.
            arrays["difference"][i, p, q] = sign * pair.difference + 0.0
            arrays["covariance"][i, p, q] = pair.covariance
    arrays["items"][:, np.arange(l), np.arange(l)] = own
    dims = ("dataset", "algorithm", "opponent", "measure", "with_measure")
    variables = {name: (dims[: values.ndim], values) for name, values in arrays.items()}
    same = {"opponent": "algorithm", "with_measure": "measure"}
    coords = {dim: list(names[same.get(dim, dim)]) for dim in dims}
    if clustered:
        return xr.Dataset(variables, coords)
    del variables["clusters"]
    data = xr.Dataset(variables, coords)
    data["binary"] = (("dataset", "algorithm", "measure"), binary.astype(np.int8))
    return _with_patterns(data, pairs, binary, names["measure"])


def _with_patterns(
    data: xr.Dataset,
    pairs: Mapping[tuple[int, int, int], PairItems],
    binary: BoolArray,
    measures: Sequence[str],
) -> xr.Dataset:
    """Add the counts of the patterns, over the measures that are binary somewhere."""
    used = np.flatnonzero(binary.any(axis=(0, 1)))
    if not len(used):
        return data
    if len(used) > MOST_PATTERNS:
        raise BayescompareError(
            f"{plural(len(used), 'measure')} are 0 or 1 on every item, and statistics of their "
            f"patterns are kept for at most {MOST_PATTERNS}: choose fewer by measures=."
        )
    n, l, _ = binary.shape
    whole = np.zeros((n, l, l, *[3] * len(used)))
    for (i, a, b), pair in pairs.items():
        own = (binary[i, a] & binary[i, b])[used]
        cube = pair.pattern.reshape([3] * int(own.sum()))
        # A measure that is not binary here counts as "both or neither".
        place = tuple(slice(None) if there else 1 for there in own)
        whole[i, a, b][place] = cube
        whole[i, b, a][place] = np.flip(cube)
    labels = ["".join(SIGNS[k] for k in at) for at in np.ndindex(*[3] * len(used))]
    dims = ("dataset", "algorithm", "opponent", "pattern")
    data = data.assign_coords(pattern=labels)
    data["patterns"] = (dims, whole.reshape(n, l, l, -1))
    data.attrs["pattern_measures"] = json.dumps([measures[j] for j in used.tolist()])
    return data
