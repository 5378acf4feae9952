"""A leaderboard: places, fronts and utilities from draws of the scores.

Places are first, second, and so on; algorithms that tie share the mean of their places. They are
kept doubled, as small integers: the place 1.5 of two algorithms that share the first two is 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.orders import RELATIVE_TOLERANCE

#: From this many algorithms on, doubled places need more than 16 bits.
_MANY = 16_000
#: Draws that are compared at a time, so that they stay in the fastest cache.
_BLOCK = 1024
#: Attempts per weight wanted, before the bounds count as leaving no room.
_ATTEMPTS = 2000

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Leaderboard:
    """What draws of the scores say of l algorithms on m measures.

    Attributes
    ----------
    centre, low, high : array (m, l)
        The scores of the table itself, and their interval over the draws. Larger is better.
    standings : tuple of Standings
        One for each measure.
    front : array (l,)
        P(on the front).
    ahead : array (l, l)
        P(row ahead of column on every measure).
    """

    centre: FloatArray
    low: FloatArray
    high: FloatArray
    standings: tuple[Standings, ...]
    front: FloatArray
    ahead: FloatArray


@dataclass(frozen=True)
class LeaderboardOverall:
    """What draws of a utility say.

    Attributes
    ----------
    standings : Standings
    centre : array (l,)
        The utility of the table itself, under the mean weights.
    regret : array (l,)
        E[the best utility less one's own].
    share : array (l,) or None
        The share of all weights under which each is best by the table itself, ties shared; None
        where the weights are given.
    """

    standings: Standings
    centre: FloatArray
    regret: FloatArray
    share: FloatArray | None


def leaderboard(scores: FloatArray, centre: FloatArray, level: float) -> Leaderboard:
    """Summarise draws of the scores.

    Parameters
    ----------
    scores : array (m, draws, l)
        Larger is better. Without draws, whatever needs them is NaN.
    centre : array (m, l)
        The scores of the table itself.
    level : float
        Of the intervals.
    """
    found = [standings(*each, level) for each in zip(scores, centre, strict=True)]
    rows = tuple(row for row, _ in found)
    m, draws, l = scores.shape
    if not draws:
        nothing = np.full((m + l, l), np.nan)
        return Leaderboard(centre, nothing[:m], nothing[:m], rows, nothing[0], nothing[m:])
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    low, high = np.stack([np.quantile(own, tails, axis=0) for own in scores], axis=1)
    ahead, front = duels(np.ascontiguousarray(np.stack([places.T for _, places in found])))
    return Leaderboard(centre, low, high, rows, front, ahead)


def leaderboard_overall(
    scores: FloatArray, centre: FloatArray, weights: FloatArray, level: float
) -> LeaderboardOverall:
    """Summarise a utility, Σ_j λ_j S_j.

    Parameters
    ----------
    scores : array (m, draws, l)
    centre : array (m, l)
    weights : array (draws, m) or (1, m)
        Draws of λ; a single row is a utility that is given.
    """
    given, draws = len(weights) == 1, scores.shape[1]
    each = np.broadcast_to(weights if given else weights[:draws], (draws, len(centre)))
    utility = np.einsum("rj,jrl->rl", each, scores)
    middle = weights.mean(axis=0) @ centre
    rows, _ = standings(utility, middle, level)
    nothing = np.full(len(middle), np.nan)
    if not len(utility):
        return LeaderboardOverall(rows, middle, nothing, None if given else nothing)
    regret = (utility.max(axis=1, keepdims=True) - utility).mean(axis=0)
    share = None
    if not given:
        tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
        share = best_place_shares(doubled_places(weights @ centre, tolerance=tolerance))
    return LeaderboardOverall(rows, middle, regret, share)


def share_error(share: AnyArray, draws: float) -> FloatArray:
    """Return the Monte Carlo standard error of a share of independent draws.

    By Laplace's rule shares of 0 and 1 have an error above 0 too.

    Examples
    --------
    >>> share_error(np.array([0.5, 1.0]), 10_000).round(5)
    array([0.005 , 0.0001])
    """
    smoothed = (np.asarray(share) * draws + 1.0) / (draws + 2.0)
    return np.sqrt(smoothed * (1.0 - smoothed) / draws)


# ------------------------------------------------------------------------------------------- places


class Standings(NamedTuple):
    """Where each algorithm stands on one scale; arrays (l,).

    Attributes
    ----------
    place : array
        The place of the mean, ties shared.
    lower, upper : array
        The interval of the place over the draws: of the first and of the last place of those that
        are shared.
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
    first, last = tied_places(values, tolerance=tolerance)
    return first + last


def tied_places(values: FloatArray, *, tolerance: float | None = None) -> tuple[AnyArray, AnyArray]:
    """Return the first and the last place of those that each algorithm shares, in every row.

    Examples
    --------
    >>> tied_places(np.array([[0.9, 0.7, 0.9]]))
    (array([[1, 3, 1]], dtype=int16), array([[2, 3, 2]], dtype=int16))
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
    at = np.arange(1, l + 1, dtype=kind)
    some, ends = np.flatnonzero(tied.any(axis=1)), []
    for shared in _shared_places(tied[some]):
        sorted_places = np.broadcast_to(at, (rows, l)).copy()
        sorted_places[some] = shared.astype(kind)
        places = np.empty((rows, l), dtype=kind)
        np.put_along_axis(places, order, sorted_places, axis=1)
        ends.append(places)
    return ends[0], ends[1]


def _shared_places(tied: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the first and the last place of the run that each place belongs to."""
    rows, l = tied.shape[0], tied.shape[1] + 1
    at = np.broadcast_to(np.arange(l), (rows, l))
    edge = np.ones((rows, 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, ~tied]), at, 0), axis=1)
    ends = np.where(np.hstack([~tied, edge]), at, l)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return first + 1, last + 1


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


def standings(scores: FloatArray, centre: FloatArray, level: float) -> tuple[Standings, AnyArray]:
    """Return where the algorithms stand, and the doubled places of all draws.

    Parameters
    ----------
    scores : array (draws, l)
        Larger is better.
    centre : array (l,)
        The scores of the table itself.
    """
    tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
    first, last = tied_places(scores, tolerance=tolerance)
    places = first + last
    place = doubled_places(centre[None, :], tolerance=tolerance)[0] / 2.0
    if not len(places):
        nothing = np.full(len(centre), np.nan)
        return Standings(place, nothing, nothing, nothing), places
    # Each tail outside has a share of the draws of at most (1 − level)/2.
    low, high = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    lower = np.quantile(first, low, axis=0, method="inverted_cdf").astype(np.float64)
    upper = np.quantile(last, high, axis=0, method="inverted_cdf").astype(np.float64)
    return Standings(place, lower, upper, best_place_shares(places)), places


# ----------------------------------------------------------------------------- who is ahead of whom


def duels(places: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return P(ahead on every measure), and P(on the front).

    An algorithm is on the front if none is at least as good on every measure and better on one.

    Parameters
    ----------
    places : array (m, l, draws)
        Smaller is better, contiguous.

    Returns
    -------
    ahead : array (l, l)
        Row ahead of column; the diagonal is 0.
    front : array (l,)

    Examples
    --------
    >>> ahead, front = duels(np.array([[[1], [2], [3]], [[2], [1], [3]]]))
    >>> ahead.sum(axis=1), front
    (array([1., 1., 0.]), array([1., 1., 0.]))
    """
    draws = places.shape[2]
    ahead, dominated = _count_duels(places)
    return ahead / draws, (draws - dominated) / draws


@jit()
def _count_duels(places: AnyArray) -> tuple[IntArray, IntArray]:
    """Count the draws in which each is ahead of each, and in which each is dominated."""
    _, l, draws = places.shape
    ahead = np.zeros((l, l), dtype=np.int64)
    beaten = np.zeros(l, dtype=np.int64)
    for start in range(0, draws, _BLOCK):
        stop = min(start + _BLOCK, draws)
        size = stop - start
        dominated = np.zeros((l, size), dtype=np.bool_)
        for a in range(l):
            for b in range(a + 1, l):
                one, two = _duel(places, a, b, start, stop, dominated)
                ahead[a, b] += one
                ahead[b, a] += two
        for a in range(l):
            beaten[a] += dominated[a].sum()
    return ahead, beaten


@jit(inline="always")
def _duel(
    places: AnyArray, a: int, b: int, start: int, stop: int, dominated: AnyArray
) -> tuple[int, int]:
    """Compare two algorithms over a block of draws; plain loops, so that they are vectorised."""
    size = stop - start
    not_behind, not_ahead = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    first, second = np.ones(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for j in range(places.shape[0]):
        mine, theirs = places[j, a, start:stop], places[j, b, start:stop]
        for r in range(size):
            not_behind[r] &= mine[r] <= theirs[r]
            not_ahead[r] &= mine[r] >= theirs[r]
            first[r] &= mine[r] < theirs[r]
            second[r] &= mine[r] > theirs[r]
    one = two = 0
    for r in range(size):
        one += first[r]
        two += second[r]
        dominated[b, r] |= not_behind[r] & ~not_ahead[r]
        dominated[a, r] |= not_ahead[r] & ~not_behind[r]
    return one, two


# ----------------------------------------------------------- weights of measures that are not known


def box_weights(
    low: FloatArray, high: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw weights (draws, m), each uniform between its bounds."""
    return rng.uniform(low, high, (draws, len(low)))


def simplex_weights(
    low: FloatArray, high: FloatArray, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    r"""Draw weights (draws, m) that sum to one, uniform within their bounds.

    The points of the simplex above `low` are a smaller simplex, :math:`l + (1 - \sum l)\,e`, and
    those below `high` lie in an inverted one, :math:`h - (\sum h - 1)\,e`, with e uniform on the
    simplex. Points are drawn from the smaller of the two and kept where the other bounds hold.

    Returns
    -------
    array, or None
        None where the bounds leave no weights, or next to none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> low, high = np.array([0.5, 0.0, 0.0]), np.array([1.0, 1.0, 0.1])
    >>> w = simplex_weights(low, high, 4, rng)
    >>> w.sum(axis=1).round(12), bool((w >= low).all() and (w <= high).all())
    (array([1., 1., 1., 1.]), True)
    """
    free = high > low
    total = 1.0 - float(low[~free].sum())
    weights = np.broadcast_to(low, (draws, len(low))).copy()
    if not free.any():
        return weights if abs(total) < _ROUNDING else None
    inside = _free_weights(low[free], high[free], total, draws, rng)
    if inside is None:
        return None
    weights[:, free] = inside
    return weights


def _free_weights(
    low: FloatArray, high: FloatArray, total: float, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    """Draw weights that sum to `total`, each with room between its bounds."""
    above, below = total - low.sum(), high.sum() - total
    if min(above, below) < -_ROUNDING:
        return None
    upright = above <= below
    size = max(0.0, above if upright else below)
    kept: list[FloatArray] = []
    have, tried = 0, 0
    while have < draws:
        if tried > _ATTEMPTS * (have + 1):
            return None
        e = rng.dirichlet(np.ones(len(low)), draws)
        points = low + size * e if upright else high - size * e
        inside = ((points >= low - _ROUNDING) & (points <= high + _ROUNDING)).all(axis=1)
        kept.append(points[inside])
        have, tried = have + int(inside.sum()), tried + draws
    return np.concatenate(kept)[:draws]
