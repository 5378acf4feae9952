"""From values to orderings: the states that a dataset supports on each measure, and their weights.

A state is the ordering of the algorithms, best to worst; ties spread a dataset's unit weight
evenly over all orderings they allow, and a region of practical equivalence adds a middle state
for two algorithms. Only observed states exist here: nothing of size (l!)^m is ever allocated.

References
----------
de Campos & Benavoli (2016), Section 2 (statements, ties) and Section 6 (many algorithms).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import BoolArray, FloatArray, IntArray

#: An order that names no algorithm: the state "equivalent" of a measure with a rope.
MIDDLE = -1

#: Two values that differ by less than this share of their size are equal: decimal tables and means
#: of replicates carry float noise, which must not decide an order.
RELATIVE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class AllowedOrders:
    """The states that one measure allows each dataset.

    Attributes
    ----------
    levels : array (P, l)
        The distinct orderings, best to worst, sorted lexicographically; `MIDDLE` fills the row
        of the state "equivalent".
    flat, offsets : arrays
        Dataset i allows the levels ``flat[offsets[i]:offsets[i + 1]]``, each equally.
    """

    levels: IntArray
    flat: IntArray
    offsets: IntArray

    @property
    def sizes(self) -> IntArray:
        """Number of states allowed, per dataset."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class WeightTable:
    """Statements that have weight, and the datasets that it comes from.

    Attributes
    ----------
    states : array (S, m)
        One row per statement, an index into each measure's levels; sorted lexicographically.
    counts : array (S,)
        Total weight of each statement.
    dataset, statement, weight : arrays (R,)
        The sparse matrix of weights; each dataset's sum to one.
    """

    states: IntArray
    counts: FloatArray
    dataset: IntArray
    statement: IntArray
    weight: FloatArray


def sizes_of_allowed_orders(values: FloatArray, ropes: Sequence[float | None]) -> list[int]:
    """Count the statements that each dataset's ties allow, without listing them.

    Parameters
    ----------
    values : array (n, l, m)
        Higher is better.
    ropes : sequence of float or None
        One per measure.

    Returns
    -------
    list of int
        Python integers: a fully tied dataset can exceed any machine word.
    """
    sizes = [1] * len(values)
    for j, rope in enumerate(ropes):
        if rope is not None:
            continue
        _, tied = _orders_with_ties(values[:, :, j])
        for i in np.flatnonzero(tied.any(axis=1)):
            sizes[i] *= math.prod(math.factorial(len(g)) for g in _runs_of_tied_orders(tied[i]))
    return sizes


def allowed_orders(values: FloatArray, rope: float | None, *, complete: bool) -> AllowedOrders:
    """Return the states that one measure allows each dataset.

    Parameters
    ----------
    values : array (n, l)
        Higher is better.
    rope : float or None
        Half-width of the region of practical equivalence; only for l = 2.
    complete : bool
        List all l! orderings as levels instead of the observed ones.
    """
    if values.shape[1] == 2:
        return _pair_orders(values, rope)
    order, tied = _orders_with_ties(values)
    some = tied.any(axis=1)
    rows = [
        _consistent_orders(order[i], tied[i]) if some[i] else order[i : i + 1]
        for i in range(len(values))
    ]
    offsets = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    listed = np.concatenate(rows)
    if complete:
        every = np.array(list(itertools.permutations(range(values.shape[1]))), dtype=np.int64)
        listed = np.concatenate([every, listed])
    levels, inverse = np.unique(listed, axis=0, return_inverse=True)
    return AllowedOrders(levels, inverse.ravel()[len(listed) - offsets[-1] :], offsets)


def tabulate_orders(measures: Sequence[AllowedOrders]) -> WeightTable:
    """Cross the measures' allowed orders within each dataset and add up the weights.

    A dataset with c₁, …, c_m allowed orders gives each of its Π c_j statements weight 1 / Π c_j.
    """
    dataset, states = _cross_orders(measures)
    statement, unique = _unique_rows_of_orders(states)
    weight = 1.0 / np.bincount(dataset)[dataset]
    counts = np.bincount(statement, weights=weight, minlength=len(unique))
    return WeightTable(unique, counts, dataset, statement, weight)


def _pair_orders(values: FloatArray, rope: float | None) -> AllowedOrders:
    """Return the states of two algorithms: first better, [equivalent,] second better."""
    ahead = values[:, 0] > values[:, 1]
    close = tied_or_equivalent_order(values[:, 0], values[:, 1], rope)
    if rope is not None:
        levels = np.array([[0, 1], [MIDDLE, MIDDLE], [1, 0]], dtype=np.int64)
        flat = np.where(close, 1, np.where(ahead, 0, 2)).astype(np.int64)
        return AllowedOrders(levels, flat, np.arange(len(values) + 1, dtype=np.int64))
    levels = np.array([[0, 1], [1, 0]], dtype=np.int64)
    allowed = np.stack([close | ahead, close | ~ahead], axis=1)
    offsets = np.concatenate([[0], np.cumsum(allowed.sum(axis=1))]).astype(np.int64)
    return AllowedOrders(levels, np.nonzero(allowed)[1].astype(np.int64), offsets)


def tied_or_equivalent_order(
    first: FloatArray, second: FloatArray, rope: float | None
) -> BoolArray:
    """Whether values are equal but for float noise, or within the rope."""
    noise = RELATIVE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    with np.errstate(over="ignore"):  # a difference beyond all floats is no tie
        return np.asarray(np.abs(first - second) <= (rope or 0.0) + noise)


def _orders_with_ties(values: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the order best to worst, and where a place is tied with the place before it."""
    order = np.argsort(-values, axis=1, kind="stable").astype(np.int64)
    ranked = np.take_along_axis(values, order, axis=1)
    scale = np.maximum(np.abs(ranked[:, :-1]), np.abs(ranked[:, 1:]))
    with np.errstate(over="ignore"):  # a difference beyond all floats is no tie
        return order, ranked[:, :-1] - ranked[:, 1:] <= RELATIVE_TOLERANCE * scale


def _runs_of_tied_orders(tied: BoolArray) -> list[range]:
    """Split places 0 … l − 1 into runs of places tied with each other."""
    edges = [0, *(np.flatnonzero(~tied) + 1).tolist(), len(tied) + 1]
    return [range(low, high) for low, high in itertools.pairwise(edges)]


def _consistent_orders(order: IntArray, tied: BoolArray) -> IntArray:
    """Return all total orders that a weak order allows, in lexicographic order.

    Tied *groups* are permuted as a whole; breaking tied pairs one by one can create cycles.
    """
    groups = [sorted(int(order[p]) for p in run) for run in _runs_of_tied_orders(tied)]
    ways = itertools.product(*(itertools.permutations(g) for g in groups))
    return np.array([list(itertools.chain.from_iterable(w)) for w in ways], dtype=np.int64)


def _cross_orders(measures: Sequence[AllowedOrders]) -> tuple[IntArray, IntArray]:
    """Return (dataset, states) with a row for every statement that a dataset allows."""
    first = np.stack([c.flat[c.offsets[:-1]] for c in measures], axis=1)
    sizes = np.stack([c.sizes for c in measures], axis=1)
    blocks = []
    for i, (row, size) in enumerate(zip(first, sizes, strict=True)):
        # Only tied measures get a dimension: numpy allows 64, and m may be larger.
        tied = np.flatnonzero(size > 1).tolist()
        if len(tied) == 0:
            blocks.append(row[None, :])
            continue
        allowed = [
            measures[j].flat[measures[j].offsets[i] : measures[j].offsets[i + 1]] for j in tied
        ]
        block = np.tile(row, (math.prod(size[tied].tolist()), 1))
        block[:, tied] = np.stack(np.meshgrid(*allowed, indexing="ij"), axis=-1).reshape(
            -1, len(tied)
        )
        blocks.append(block)
    dataset = np.repeat(np.arange(len(first), dtype=np.int64), [len(b) for b in blocks])
    return dataset, np.concatenate(blocks)


def _unique_rows_of_orders(states: IntArray) -> tuple[IntArray, IntArray]:
    """Return (index of each row among the distinct rows, the distinct rows), sorted."""
    radix = [int(top) + 1 for top in states.max(axis=0)]
    if math.prod(radix) < 2**62:
        # One integer per row sorts far faster than rows do.
        place = np.array([math.prod(radix[j + 1 :]) for j in range(len(radix))], dtype=np.int64)
        _, index, inverse = np.unique(states @ place, return_index=True, return_inverse=True)
        return inverse.ravel(), states[index]
    unique, inverse = np.unique(states, axis=0, return_inverse=True)
    return inverse.ravel(), unique


def win_shares(values: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Return the mean share of datasets on which each algorithm wins against each other.

    .. math:: s_a = \frac{1}{l - 1} \sum_{b \ne a}
              \frac{\sum_i w_i\,[x_{ia} > x_{ib}]}{\sum_i w_i} ,

    ties counting half, each pair over the datasets that have both. Without missing cells this is
    (l − mean rank)/(l − 1), so the order is that of the mean ranks.

    Parameters
    ----------
    values : array (n, l)
        Higher is better; NaN is missing.
    weights : array (n,)
        How much each dataset counts.

    Returns
    -------
    array (l,)
        NaN for an algorithm that shares no dataset with any other.

    Examples
    --------
    >>> win_shares(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 1.0]]), np.ones(2)).round(3).tolist()
    [1.0, 0.375, 0.125]
    """
    l = values.shape[1]
    shares = np.full(l, np.nan)
    for a in range(l):
        own = values[:, a, None]
        difference = own - values
        near = RELATIVE_TOLERANCE * np.maximum(np.abs(own), np.abs(values))
        there = ~np.isnan(difference)
        won = np.where(np.abs(difference) <= near, 0.5, difference > 0.0)
        total = weights @ there
        total[a] = 0.0
        met = total > 0.0
        if met.any():
            shares[a] = float(((weights @ (won * there))[met] / total[met]).mean())
    return shares
