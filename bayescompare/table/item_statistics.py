"""Statistics of test items that stand for the items themselves: counts, means, covariances.

For every dataset and pair of algorithms they are over the items that both have, on every measure.
`Results` that keep them hold means in ``data`` and these beside it, in ``item_data``:

``items``, ``clusters`` (dataset, algorithm, opponent)
    How many items both have, and how many clusters these are in.
``mean`` (dataset, algorithm, opponent, measure)
    The algorithm's mean over the items that the opponent has, too.
``difference``, ``covariance`` (…, measure[, with_measure])
    Mean of the algorithm less the opponent, and S, the covariance of these differences with divisor
    k − 1. Of clusters, S is C·V, where V is the covariance matrix of the mean.
``binary`` (dataset, algorithm, measure), ``patterns`` (dataset, algorithm, opponent, pattern)
    Which measures are 0 or 1 on every item, and how many items show each pattern of "first only"
    (``+``), "both or neither" (``0``) and "second only" (``-``) over these measures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.text.numbers import plural

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
    coords = {
        "dataset": list(names["dataset"]),
        "algorithm": list(names["algorithm"]),
        "opponent": list(names["algorithm"]),
        "measure": list(names["measure"]),
        "with_measure": list(names["measure"]),
    }
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
