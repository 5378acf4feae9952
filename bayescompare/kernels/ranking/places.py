"""Places: first, second, and so on; algorithms that tie share the mean of their places.

Places are kept doubled, as small integers: the place 1.5 of two algorithms that share the first
two is 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

__all__ = ["RankingStandings", "best_place_shares", "doubled_places", "place_interval", "standings"]

#: From this many algorithms on, doubled places need more than 16 bits.
_MANY = 16_000


class RankingStandings(NamedTuple):
    """Where each algorithm stands on one scale; arrays (l,).

    Attributes
    ----------
    place : array
        The place of the mean, ties shared.
    lower, upper : array
        The interval of the place over the draws.
    best : array
        P(best), ties shared; sums to one.
    """

    place: FloatArray
    lower: FloatArray
    upper: FloatArray
    best: FloatArray


def doubled_places(values: FloatArray, *, tolerance: float | None = None) -> AnyArray:
    """Return twice the place of every algorithm in every row, ties sharing the mean place.

    Parameters
    ----------
    values : array (rows, l)
        Larger is better.
    tolerance : float, optional
        Values that differ by no more are tied. By default 1e-12 of the larger of the two: decimal
        tables and means of replicates carry float noise, which must not decide a place.

    Examples
    --------
    >>> doubled_places(np.array([[0.9, 0.7, 0.9]]))
    array([[3, 6, 3]], dtype=int16)
    """
    rows, l = values.shape
    order = np.argsort(-values, axis=1)
    ranked = np.take_along_axis(values, order, axis=1)
    near: FloatArray | float = 0.0 if tolerance is None else tolerance
    if tolerance is None:
        near = RELATIVE_TOLERANCE * np.maximum(np.abs(ranked[:, :-1]), np.abs(ranked[:, 1:]))
    with np.errstate(over="ignore"):  # a difference beyond all floats is no tie
        tied = ranked[:, :-1] - ranked[:, 1:] <= near
    kind = np.int16 if l < _MANY else np.int32
    doubled = np.broadcast_to(2 * np.arange(1, l + 1, dtype=kind), (rows, l)).copy()
    some = np.flatnonzero(tied.any(axis=1))
    doubled[some] = _shared_ranking_places(tied[some]).astype(kind)
    places = np.empty((rows, l), dtype=kind)
    np.put_along_axis(places, order, doubled, axis=1)
    return places


def _shared_ranking_places(tied: AnyArray) -> AnyArray:
    """Return twice the mean place of the run that each place belongs to."""
    rows, l = tied.shape[0], tied.shape[1] + 1
    at = np.broadcast_to(np.arange(l), (rows, l))
    edge = np.ones((rows, 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, ~tied]), at, 0), axis=1)
    ends = np.where(np.hstack([~tied, edge]), at, l)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(first + last + 2)


def best_place_shares(places: AnyArray) -> FloatArray:
    """Return P(best) of each algorithm; those that tie for the first place share it.

    Parameters
    ----------
    places : array (draws, l)
        Doubled places.

    Examples
    --------
    >>> best_place_shares(np.array([[3, 3, 6], [2, 4, 6]]))
    array([0.75, 0.25, 0.  ])
    """
    first = places.min(axis=1)
    # Doubled, k that share the first place have k + 1.
    rows, who = np.nonzero(places == first[:, None])
    shares = 1.0 / (first[rows] - 1.0)
    return np.bincount(who, weights=shares, minlength=places.shape[1]) / len(places)


def place_interval(places: AnyArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the shortest equal-tailed interval of each algorithm's place.

    Each tail outside has a share of the draws of at most (1 − level)/2.
    """
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    lower, upper = np.quantile(places, tails, axis=0, method="inverted_cdf") / 2.0
    return lower, upper


def standings(
    scores: FloatArray, centre: FloatArray, level: float
) -> tuple[RankingStandings, AnyArray]:
    """Return where the algorithms stand, and the doubled places of all draws.

    Parameters
    ----------
    scores : array (draws, l)
        Larger is better.
    centre : array (l,)
        The scores of the table itself.
    """
    tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
    places = doubled_places(scores, tolerance=tolerance)
    place = doubled_places(centre[None, :], tolerance=tolerance)[0] / 2.0
    return RankingStandings(
        place, *place_interval(places, level), best_place_shares(places)
    ), places
