"""The figures of a ranking: what is resampled, what each unit says, and what the draws say.

Only the top level is resampled: domains, else datasets, else the items of one dataset (or, where
they come in clusters, these). Below it there are means; to resample every level would count the
noise of the items twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayescompare._checks import check_count, check_draws
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray, IntArray
from bayescompare._version import __version__
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.bootstrap import FEWEST, differing_number, resampled_means
from bayescompare.kernels.ranking.leaderboard import (
    Leaderboard,
    LeaderboardOverall,
    doubled_places,
    leaderboard,
    leaderboard_overall,
)
from bayescompare.kernels.ranking.strengths import strength_posterior
from bayescompare.kernels.ranking.tiers import separated, tier_places
from bayescompare.outcome.verdicts import dataset_importance
from bayescompare.ranking.options import RankOptions
from bayescompare.table.results import Results

# the units that are resampled --------------------------------------------------------------------


class Units(NamedTuple):
    """The units that are resampled.

    Attributes
    ----------
    scores : array (n, l, m)
        Larger is better: l + 1 less the rank, or the value with the sign of its measure.
    importance : array (n,)
    noun : str
        What a unit is: "dataset", "domain", "item", "cluster" or "seed".
    """

    scores: FloatArray
    importance: FloatArray
    noun: str

    @property
    def centre(self) -> FloatArray:
        """The means over the units, (m, l)."""
        weights = self.importance / self.importance.sum()
        return np.asarray(np.einsum("i,ilm->ml", weights, self.scores))


def units_of(results: Results, *, ranks: bool, dataset: int = 0) -> Units:
    """Score every unit of a table whose missing cells, if any, are failed runs.

    With replicates, these are the items (or seeds) of one `dataset` that every algorithm has, or
    their clusters.
    """
    if results.n_replicates is None:
        values, noun, labels = results.oriented(), "dataset", results.groups
        importance = dataset_importance(results)
    else:
        cells = [results.data[name].values[dataset].T for name in results.measures]
        values = np.stack(cells, axis=-1) * [results[name].sign for name in results.measures]
        there = ~np.isnan(values).any(axis=(1, 2))
        values, noun, labels = values[there], results.replicates.removesuffix("s"), None
        importance = np.ones(len(values))
        if results.item_data is not None:
            labels = results.item_data["cluster"].values[dataset][there].astype(str).tolist()
    units = Units(_turned_ranks(values) if ranks else values, importance, noun)
    if labels is None:
        return units
    names = {name: k for k, name in enumerate(dict.fromkeys(labels))}
    of = np.array([names[label] for label in labels])
    weight = np.bincount(of, importance)
    scores = np.zeros((len(names), *units.scores.shape[1:]))
    np.add.at(scores, of, units.scores * (importance / weight[of])[:, None, None])
    # A domain counts as much as its datasets do on average, so that equal weights of datasets are
    # equal weights of domains, however many datasets each has; a cluster counts as many as it has.
    return Units(scores, weight, "domain" if noun == "dataset" else "cluster")


def _turned_ranks(values: FloatArray) -> FloatArray:
    """Return l + 1 less the rank of each algorithm on each unit and measure; ties share."""
    ranks = [doubled_places(values[:, :, j]) / 2.0 for j in range(values.shape[2])]
    return np.asarray(values.shape[1] + 1.0 - np.stack(ranks, axis=-1))


# the figures -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankAnswer:
    """All figures of a ranking.

    Attributes
    ----------
    board : Leaderboard
    overall : LeaderboardOverall or None
        Of the one measure, or of the utility.
    noun : str
        What was resampled: "dataset", "domain", "item", "cluster" or "seed".
    n : int
        How many of them there are.
    effective : float
        How many of equal importance they are worth, without those on which all tie.
    independent : float
        How many independent draws the draws are worth; fewer than there are where they were
        resampled by importance.
    tiers : array (m, 3, l)
        Tier, place at best and place at worst on each measure, or in one row overall.
    """

    board: Leaderboard
    overall: LeaderboardOverall | None
    noun: str
    n: int
    effective: float
    independent: float
    tiers: IntArray

    @property
    def has_draws(self) -> bool:
        """Whether there are enough units for intervals and verdicts."""
        return self.effective > FEWEST - 1


class DrawnScores(NamedTuple):
    """Draws of the scores, (m, draws, l), and of the weights of the measures, (draws or 1, m).

    `centre` has the scores of the table itself, and `independent` is the number of independent
    draws that they are worth.
    """

    centre: FloatArray
    draws: FloatArray
    independent: float
    weights: FloatArray | None


def answer_of(results: Results, options: RankOptions) -> RankAnswer:
    """Rank the algorithms of a table whose missing cells, if any, are failed runs."""
    options.check_size(len(results.algorithms), len(results.measures))
    units = units_of(results, ranks=options.by != "value")
    effective = differing_number(units.scores, units.importance)
    drawn = draw_ranking_scores(results, options, few=effective <= FEWEST - 1)
    board = leaderboard(drawn.draws, drawn.centre, options.level)
    overall = None
    if drawn.weights is not None:
        overall = leaderboard_overall(drawn.draws, drawn.centre, drawn.weights, options.level)
    n, tiers = len(units.importance), tiers_of(results, options)
    return RankAnswer(board, overall, units.noun, n, effective, drawn.independent, tiers)


def tiers_of(results: Results, options: RankOptions) -> IntArray:
    """Return tier, place at best and at worst of every algorithm, (m, 3, l); see `kernels.tiers`.

    A utility is one scale, whose weights are the means of those that are asked about. Strengths
    have no score on a unit, so ranks stand for them.
    """
    units = units_of(results, ranks=options.by != "value")
    scores = units.scores * units.importance[:, None, None]
    if options.utility is not None:
        of_weights, of_flips = np.random.default_rng(options.seed).spawn(3)[1:]
        weights = options.utility.weights(results, options.draws, of_weights).mean(axis=0)
        scores = (scores @ weights)[:, :, None]
    else:
        of_flips = np.random.default_rng(options.seed).spawn(3)[2]
    above = separated(scores, options.level, of_flips)
    return np.stack([np.stack(tier_places(each)) for each in above])


def draw_ranking_scores(
    results: Results,
    options: RankOptions,
    *,
    few: bool = False,
    draws: int | None = None,
    rng: np.random.Generator | None = None,
) -> DrawnScores:
    """Draw the scores; without further arguments the very draws behind the figures.

    Of too few units there are none, only the scores of the table itself.
    """
    n = options.draws if draws is None else draws
    # A stream each, so that a utility changes nothing but itself.
    of_units, of_weights = (np.random.default_rng(options.seed) if rng is None else rng).spawn(2)
    units = units_of(results, ranks=options.by != "value")
    weights = np.ones((1, 1)) if len(results.measures) == 1 else None
    if options.utility is not None:
        weights = options.utility.weights(results, n, of_weights)
    if few:
        none = np.empty((len(results.measures), 0, len(results.algorithms)))
        return DrawnScores(units.centre, none, float(n), weights)
    if options.by == "strength":
        return DrawnScores(*_strengths(results, n, of_units), weights)
    number = differing_number(units.scores, units.importance)
    drawn = resampled_means(units.scores, units.importance, number, n, of_units)
    return DrawnScores(units.centre, drawn, float(n), weights)


def _strengths(
    results: Results, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, float]:
    """Draw Plackett-Luce strengths (m, draws, l) of each measure by itself.

    Before them their modes, behind them the number of independent draws they are worth.
    """
    values = results.oriented()
    found = [strength_posterior(doubled_places(values[:, :, j])) for j in range(values.shape[2])]
    streams = rng.spawn(len(found))
    drawn = [each.draw(draws, stream) for each, stream in zip(found, streams, strict=True)]
    strengths = np.stack([each.strengths for each in drawn])
    modes = np.stack([each.mode for each in found])
    return modes, strengths, min(each.independent for each in drawn)


def ranking_tree(
    results: Results,
    options: RankOptions,
    answer: RankAnswer,
    draws: int | None,
    chains: int,
    rng: Rng,
) -> xr.DataTree:
    """Return the groups posterior, observed_data and constant_data."""
    check_count(chains=chains)
    if not answer.has_draws:
        raise BayescompareError(
            f"{answer.n} {answer.noun}s: there are no draws, since fewer than five do not show how "
            "they vary."
        )
    seed: int | str
    if draws is None:
        if rng is not None:
            raise BayescompareError("rng= is for new draws: say how many by draws=.")
        scores, seed = draw_ranking_scores(results, options), options.seed
    else:
        check_draws(draws=draws, chains=chains)
        generator, given = as_rng(rng)
        seed = "a Generator" if given is None else given
        scores = draw_ranking_scores(results, options, draws=draws * chains, rng=generator)
    each = scores.draws.shape[1] // chains
    if not each:
        raise BayescompareError(f"chains={chains}: there are {scores.draws.shape[1]} draws.")
    kept = scores.draws[:, : chains * each]

    def dealt(values: FloatArray) -> FloatArray:
        """Deal draws to chains."""
        return np.ascontiguousarray(values.reshape(chains, -1, *values.shape[1:]))

    places = []
    for own, centre in zip(kept, scores.centre, strict=True):
        tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
        places.append(doubled_places(own, tolerance=tolerance) / 2.0)
    first = ("chain", "draw")
    data: dict[str, tuple[tuple[str, ...], FloatArray]] = {
        "score": ((*first, "measure", "algorithm"), dealt(np.moveaxis(kept, 0, 1))),
        "place": ((*first, "measure", "algorithm"), dealt(np.stack(places, axis=1))),
    }
    if scores.weights is not None:
        every = np.broadcast_to(scores.weights, (scores.draws.shape[1], len(results.measures)))
        weights = every[: chains * each]
        utility = np.einsum("rj,jrl->rl", weights, kept)
        data["utility"] = ((*first, "algorithm"), dealt(utility))
        if len(scores.weights) > 1:
            data["weight"] = ((*first, "measure"), dealt(weights))
    coords: dict[str, Any] = {
        "chain": np.arange(chains),
        "draw": np.arange(each),
        "measure": list(results.measures),
        "algorithm": list(results.algorithms),
    }
    used = {dim for dims, _ in data.values() for dim in dims}
    posterior = xr.Dataset(data, {dim: values for dim, values in coords.items() if dim in used})
    tree = xr.DataTree.from_dict(
        {"posterior": posterior, "observed_data": results.to_dataset()[["value"]]}
    )
    tree.attrs.update(
        creation_library="bayescompare",
        creation_library_version=__version__,
        by=options.by,
        score="larger is better",
        seed=seed,
    )
    return tree
