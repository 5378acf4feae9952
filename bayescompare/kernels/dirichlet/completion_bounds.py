r"""The lowest and the highest P(max) over all completions of missing cells.

A completion adds weights to the counts: one choice for every dataset with a gap. Different
completions often add up to the same counts, so the distinct sums are built dataset by dataset and
P(max) is computed once for each. Where there are too many, a search moves one dataset at a time,
from several starts for every statement, until nothing improves. P(max) of a statement grows with
its own count and falls with every other one, so the starts give it all that they can, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.pmax import Vectors, p_max

__all__ = [
    "MOST_SEARCHED",
    "MOST_VECTORS",
    "CompletionBounds",
    "Maxima",
    "completion_bounds",
    "dirichlet_maxima_of_vectors",
]

#: Count vectors up to which all are tried.
MOST_VECTORS = 100_000
#: Statements up to which each is searched for.
MOST_SEARCHED = 64
#: Numbers that one step of building them may hold.
_MOST_NUMBERS = 50_000_000
#: Rivals of a statement from each of which a search starts.
_STARTS = 8
#: Digits to which sums of halves, thirds and so on are equal.
_DIGITS = 9

#: P(max) of every statement for each of many count vectors, (M, K) to (M, K).
Maxima = Callable[[FloatArray], FloatArray]


class CompletionBounds(NamedTuple):
    """Bounds of P(max) of every statement.

    Attributes
    ----------
    lower, upper : arrays (K,)
    exact : bool
        Whether all completions were tried; else these were found by a search, and a completion
        further out may exist.
    """

    lower: FloatArray
    upper: FloatArray
    exact: bool


def completion_bounds(
    counts: FloatArray,
    options: Sequence[FloatArray],
    maxima: Maxima,
    *,
    limit: int = MOST_VECTORS,
) -> CompletionBounds | None:
    """Bound P(max) of every statement over all completions.

    None where there are more count vectors than `limit` and too many statements to search for.

    Parameters
    ----------
    counts : array (K,)
        Of the complete datasets.
    options : sequence of arrays (completions, K)
        For every dataset with a gap, its weights in each of its completions.
    maxima : callable
        P(max) from count vectors.
    limit : int
        Count vectors up to which all are tried.

    Examples
    --------
    Three to one, and a dataset that may support either, or be tied:

    >>> either = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> maxima = dirichlet_maxima_of_vectors(np.log([0.5, 0.5]))
    >>> bounds = completion_bounds(np.array([3.0, 1.0]), [either], maxima)
    >>> bounds.lower.round(6).tolist(), bounds.upper.round(6).tolist(), bounds.exact
    ([0.669765, 0.087713], [0.912287, 0.330235], True)
    """
    vectors = _completion_bound_sums(counts, options, limit)
    if vectors is not None:
        each = maxima(vectors)
        return CompletionBounds(each.min(axis=0), each.max(axis=0), True)
    if len(counts) > MOST_SEARCHED:
        return None
    found = [_search_completion_bounds(counts, options, maxima, k) for k in range(len(counts))]
    lower, upper = np.array(found).T
    return CompletionBounds(lower, upper, False)


def dirichlet_maxima_of_vectors(log_alpha: FloatArray) -> Maxima:
    """P(max) of count vectors under one Dirichlet."""

    def maxima(vectors: FloatArray) -> FloatArray:
        return p_max(log_alpha, Vectors.of(vectors))[:, :-1]

    return maxima


def _completion_bound_sums(
    counts: FloatArray, options: Sequence[FloatArray], limit: int
) -> FloatArray | None:
    """All distinct count vectors, (M, K); None where there are more than `limit`."""
    touched = np.flatnonzero(np.sum([own.sum(axis=0) for own in options], axis=0))
    sums = np.zeros((1, len(touched)))
    # Equal options one after the other, and the few-valued first: more sums coincide.
    ordered = sorted((own[:, touched] for own in options), key=lambda own: (len(own), own.tolist()))
    for own in ordered:
        if len(sums) * len(own) * len(touched) > _MOST_NUMBERS:
            return None
        grown = (sums[:, None] + own[None]).reshape(-1, len(touched))
        sums = np.unique(np.round(grown, _DIGITS), axis=0)
        if len(sums) > limit:
            return None
    vectors = np.tile(counts, (len(sums), 1))
    vectors[:, touched] += sums
    return vectors


def _search_completion_bounds(
    counts: FloatArray, options: Sequence[FloatArray], maxima: Maxima, k: int
) -> tuple[float, float]:
    """Lowest and highest P of one statement that a search finds."""
    ends = []
    for sign in (-1.0, 1.0):
        best = -np.inf
        for start in _completion_bound_starts(options, counts, k, sign):
            best = max(best, _climb_completion_bound(counts, options, maxima, k, sign, start))
        ends.append(sign * best)
    return ends[0], ends[1]


def _completion_bound_starts(
    options: Sequence[FloatArray], counts: FloatArray, k: int, sign: float
) -> list[IntArray]:
    """For each of the strongest rivals a start in which it gets what statement `k` does not.

    And one in which the rest goes where least is.
    """
    strength = counts + np.sum([own.max(axis=0) for own in options], axis=0)
    rivals = [int(j) for j in np.argsort(-strength, kind="stable") if j != k]
    wishes = [np.eye(len(counts))[j] for j in rivals[:_STARTS]]
    return [
        np.array([int(np.lexsort((-own @ wish, -sign * own[:, k]))[0]) for own in options])
        for wish in (*wishes, -counts)
    ]


def _climb_completion_bound(
    counts: FloatArray,
    options: Sequence[FloatArray],
    maxima: Maxima,
    k: int,
    sign: float,
    chosen: IntArray,
) -> float:
    """Change one dataset's completion at a time while P of statement `k` improves."""
    vector = counts + sum(own[c] for own, c in zip(options, chosen.tolist(), strict=True))
    best = sign * float(maxima(vector[None])[0, k])
    while True:
        moves = [(i, j) for i, own in enumerate(options) for j in range(len(own)) if j != chosen[i]]
        tried = np.array([vector - options[i][chosen[i]] + options[i][j] for i, j in moves])
        tried, where = np.unique(
            np.maximum(np.round(tried, _DIGITS), 0.0), axis=0, return_index=True
        )
        values = sign * maxima(tried)[:, k]
        top = int(values.argmax())
        if values[top] <= best + 1e-12:
            return best
        i, j = moves[int(where[top])]
        best, vector = float(values[top]), tried[top]
        chosen = chosen.copy()
        chosen[i] = j
