"""Draws of a ranking as a tree for ArviZ."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from bayescompare._checks import check_count, check_draws
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.kernels.ranking.leaderboard import doubled_places
from bayescompare.ranking.answer import RankAnswer, draw_ranking_scores
from bayescompare.ranking.options import RankOptions
from bayescompare.table.results import Results

__all__ = ["ranking_tree"]


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
    data = _ranking_tree_posterior(scores.draws, scores.centre, scores.weights, chains, each)
    coords: dict[str, Any] = {
        "chain": np.arange(chains),
        "draw": np.arange(each),
        "measure": list(results.measures),
        "algorithm": list(results.algorithms),
    }
    used = {dim for dims, _ in data.values() for dim in dims}
    posterior = xr.Dataset(data, {dim: values for dim, values in coords.items() if dim in used})
    attrs = {
        "creation_library": "bayescompare",
        "creation_library_version": __version__,
        "by": options.by,
        "score": "larger is better",
        "seed": seed,
    }
    tree = xr.DataTree.from_dict(
        {"posterior": posterior, "observed_data": results.to_dataset()[["value"]]}
    )
    tree.attrs.update(attrs)
    return tree


def _ranking_tree_posterior(
    scores: FloatArray, centre: FloatArray, weights: FloatArray | None, chains: int, each: int
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    kept = scores[:, : chains * each]
    dims = ("chain", "draw", "measure", "algorithm")
    data: dict[str, tuple[tuple[str, ...], FloatArray]] = {
        "score": (dims, _deal_ranking_tree_draws(np.moveaxis(kept, 0, 1), chains)),
        "place": (
            dims,
            _deal_ranking_tree_draws(
                np.stack(
                    [_ranking_tree_places(s, c) for s, c in zip(kept, centre, strict=True)], axis=1
                ),
                chains,
            ),
        ),
    }
    if weights is not None:
        rows = np.broadcast_to(weights, (scores.shape[1], weights.shape[1]))[: chains * each]
        utility = np.einsum("rj,jrl->rl", rows, kept)
        data["utility"] = (
            ("chain", "draw", "algorithm"),
            _deal_ranking_tree_draws(utility, chains),
        )
        if len(weights) > 1:
            data["weight"] = (("chain", "draw", "measure"), _deal_ranking_tree_draws(rows, chains))
    return data


def _ranking_tree_places(scores: FloatArray, centre: FloatArray) -> FloatArray:
    tolerance = RELATIVE_TOLERANCE * float(np.abs(centre).max())
    return np.asarray(doubled_places(scores, tolerance=tolerance) / 2.0)


def _deal_ranking_tree_draws(values: FloatArray, chains: int) -> FloatArray:
    """Deal draws to chains."""
    return np.ascontiguousarray(values.reshape(chains, -1, *values.shape[1:]))
