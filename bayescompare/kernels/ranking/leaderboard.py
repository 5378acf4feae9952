"""A leaderboard: places, fronts and utilities from draws of the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescompare._typing import AnyArray, BoolArray, FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.duels import duels
from bayescompare.kernels.ranking.places import (
    RankingStandings,
    best_place_shares,
    doubled_places,
    standings,
)

__all__ = [
    "Leaderboard",
    "LeaderboardOverall",
    "leaderboard",
    "leaderboard_overall",
    "leaderboard_standard_error",
    "on_leaderboard_front",
]


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
    standings: tuple[RankingStandings, ...]
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

    standings: RankingStandings
    centre: FloatArray
    regret: FloatArray
    share: FloatArray | None


def leaderboard(scores: FloatArray, centre: FloatArray, level: float) -> Leaderboard:
    """Summarise draws of the scores.

    Parameters
    ----------
    scores : array (m, draws, l)
        Larger is better.
    centre : array (m, l)
        The scores of the table itself.
    level : float
        Of the intervals.
    """
    rows, places = [], []
    for own, middle in zip(scores, centre, strict=True):
        row, drawn = standings(own, middle, level)
        rows.append(row)
        places.append(drawn.T)
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    low, high = np.stack([np.quantile(own, tails, axis=0) for own in scores], axis=1)
    ahead, front = duels(np.ascontiguousarray(np.stack(places)))
    return Leaderboard(centre, low, high, tuple(rows), front, ahead)


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
    given = len(weights) == 1
    utility = np.einsum(
        "rj,jrl->rl", np.broadcast_to(weights, (scores.shape[1], len(centre))), scores
    )
    middle = weights.mean(axis=0) @ centre
    rows, _ = standings(utility, middle, level)
    regret = (utility.max(axis=1, keepdims=True) - utility).mean(axis=0)
    share = None
    if not given:
        tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
        share = best_place_shares(doubled_places(weights @ centre, tolerance=tolerance))
    return LeaderboardOverall(rows, middle, regret, share)


def on_leaderboard_front(places: AnyArray) -> BoolArray:
    """Whether nobody is at least as good on every measure and better on one.

    Parameters
    ----------
    places : array (m, l)
        Smaller is better.

    Examples
    --------
    >>> on_leaderboard_front(np.array([[1, 2, 3], [2, 1, 3]]))
    array([ True,  True, False])
    """
    _, front = duels(np.ascontiguousarray(places[:, :, None]))
    return np.asarray(front > 0.5)


def leaderboard_standard_error(share: AnyArray, draws: float) -> FloatArray:
    """Return the Monte Carlo standard error of a share of independent draws.

    By Laplace's rule shares of 0 and 1 have an error above 0 too.

    Examples
    --------
    >>> leaderboard_standard_error(np.array([0.5, 1.0]), 10_000).round(5)
    array([0.005 , 0.0001])
    """
    smoothed = (np.asarray(share) * draws + 1.0) / (draws + 2.0)
    return np.sqrt(smoothed * (1.0 - smoothed) / draws)
