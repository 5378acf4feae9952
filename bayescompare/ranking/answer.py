"""The figures of a ranking, from the table and the options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import (
    FEWEST,
    effective_number,
    resampled_means,
)
from bayescompare.kernels.ranking.leaderboard import (
    Leaderboard,
    LeaderboardOverall,
    Standings,
    doubled_places,
    leaderboard,
    leaderboard_overall,
)
from bayescompare.kernels.ranking.strengths import strength_posterior
from bayescompare.ranking.options import RankOptions
from bayescompare.ranking.units import Units, units_of
from bayescompare.table.results import Results

__all__ = ["DrawnScores", "RankAnswer", "answer_of", "draw_ranking_scores"]


@dataclass(frozen=True)
class RankAnswer:
    """All figures of a ranking.

    Attributes
    ----------
    board : Leaderboard
    overall : Overall or None
        Of the one measure, or of the utility.
    noun : str
        What was resampled: "dataset", "domain", "item", "cluster" or "seed".
    n : int
        How many of them there are.
    effective : float
        How many of equal importance they are worth.
    independent : float
        How many independent draws the draws are worth; fewer than there are where they were
        resampled by importance.
    """

    board: Leaderboard
    overall: LeaderboardOverall | None
    noun: str
    n: int
    effective: float
    independent: float

    @property
    def has_draws(self) -> bool:
        """Whether there are enough units for intervals and verdicts."""
        return self.effective > FEWEST - 1


@dataclass(frozen=True)
class DrawnScores:
    """Draws of the scores, (m, draws, l), and of the weights of the measures, (draws or 1, m).

    `independent` is the number of independent draws that they are worth.
    """

    centre: FloatArray
    draws: FloatArray
    independent: float
    weights: FloatArray | None


def answer_of(results: Results, options: RankOptions) -> RankAnswer:
    """Rank the algorithms of a table whose missing cells, if any, are failed runs."""
    options.check_size(len(results.algorithms), len(results.measures))
    units = units_of(results, options.by)
    effective = effective_number(units.importance)
    independent = float(options.draws)
    if effective <= FEWEST - 1:
        board, overall = _ranking_answer_without_draws(results, units, options)
    else:
        scores = draw_ranking_scores(results, options)
        independent = scores.independent
        board = leaderboard(scores.draws, scores.centre, options.level)
        overall = None
        if scores.weights is not None:
            overall = leaderboard_overall(
                scores.draws, scores.centre, scores.weights, options.level
            )
    return RankAnswer(board, overall, units.noun, len(units.names), effective, independent)


def draw_ranking_scores(
    results: Results,
    options: RankOptions,
    *,
    draws: int | None = None,
    rng: np.random.Generator | None = None,
) -> DrawnScores:
    """Draw the scores; without arguments the very draws behind the figures."""
    n = options.draws if draws is None else draws
    # A stream each, so that a utility changes nothing but itself.
    of_units, of_weights = (np.random.default_rng(options.seed) if rng is None else rng).spawn(2)
    units = units_of(results, options.by)
    weights = _ranking_answer_weights(results, options, n, of_weights)
    if options.by == "strength":
        return DrawnScores(*_ranking_answer_strengths(results, n, of_units), weights)
    drawn = resampled_means(units.scores, units.importance, n, of_units)
    return DrawnScores(units.centre, drawn, float(n), weights)


def _ranking_answer_strengths(
    results: Results, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, float]:
    """Draw Plackett-Luce strengths (m, draws, l) of each measure by itself.

    Before them their modes, behind them the number of independent draws they are worth.
    """
    values = results.oriented()
    modes, drawn = [], []
    for j, stream in enumerate(rng.spawn(values.shape[2])):
        posterior = strength_posterior(doubled_places(values[:, :, j]))
        modes.append(posterior.mode)
        drawn.append(posterior.draw(draws, stream))
    strengths = np.stack([each.strengths for each in drawn])
    return np.stack(modes), strengths, min(each.independent for each in drawn)


def _ranking_answer_weights(
    results: Results, options: RankOptions, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    if options.utility is not None:
        return options.utility.weights(results, draws, rng)
    return np.ones((1, 1)) if len(results.measures) == 1 else None


def _ranking_answer_without_draws(
    results: Results, units: Units, options: RankOptions
) -> tuple[Leaderboard, LeaderboardOverall | None]:
    """Return the figures of the table itself; whatever needs intervals is NaN."""
    centre = units.centre
    m, l = centre.shape
    nothing = np.full(l, np.nan)
    board = Leaderboard(
        centre,
        np.full((m, l), np.nan),
        np.full((m, l), np.nan),
        tuple(_ranking_answer_places_alone(row) for row in centre),
        nothing,
        np.full((l, l), np.nan),
    )
    weights = _ranking_answer_weights(
        results, options, options.draws, np.random.default_rng(options.seed)
    )
    if weights is None:
        return board, None
    middle = weights.mean(axis=0) @ centre
    return board, LeaderboardOverall(
        _ranking_answer_places_alone(middle),
        middle,
        nothing,
        None if len(weights) == 1 else nothing,
    )


def _ranking_answer_places_alone(scores: FloatArray) -> Standings:
    """Return the places alone."""
    tolerance = RELATIVE_TOLERANCE * float(np.abs(scores).max())
    nothing = np.full(len(scores), np.nan)
    place = doubled_places(scores[None, :], tolerance=tolerance)[0] / 2.0
    return Standings(place, nothing, nothing, nothing)
