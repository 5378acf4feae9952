r"""The Bayesian signed-rank test as a model, as draws, and what further datasets would show.

.. math:: w \sim \mathrm{Dirichlet}(s, 0, \dots, 0), \qquad
          l_i \sim \mathrm{Categorical}(w), \quad l_i = i, \qquad
          \theta_k = \sum_{ij} w_i w_j\,[z_i + z_j \in \text{region } k] .
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.classic.walsh import exact_walsh_leaders, walsh_draws, walsh_shares
from bayescompare.kernels.dirichlet.urn import draw_urn_cells
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.bootstrap import DRAWN, WEIGHT, place_shared_weights
from bayescompare.methods._shared.prediction import shared_sampled_posterior, thinned_shared_draws
from bayescompare.methods._shared.trees import (
    add_shared_constants,
    make_shared_tree,
    shared_ratio_prior,
)
from bayescompare.methods.classic.signed_rank_points import POINT, SignedRankPoints

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.classic.signed_rank import SignedRank

__all__ = [
    "build_signed_rank_points",
    "check_signed_rank_points",
    "finish_signed_rank",
    "plan_signed_rank",
    "predict_signed_rank_labels",
    "signed_rank_tree",
]

_SAMPLE = ("chain", "draw")

#: Draws by which each simulated table is judged; the error of P is at most 0.016.
_DRAWS = 1000

_IMPROPER = (
    "the prior of weight knows a tie and nothing of the datasets; it is improper, and there are no "
    "draws from it: predict from a posterior, set weight by pm.do, or give priors={'weight': ...}."
)


def build_signed_rank_points(method: SignedRank, points: SignedRankPoints) -> pm.Model:
    """Build the model: weights, shares, and which point each dataset drew."""
    import pymc as pm
    import pytensor.tensor as pt

    n = len(points.results.datasets)
    coords = {
        POINT: points.names,
        "dataset": list(points.results.datasets),
        "statement": points.labels,
    }
    with pm.Model(coords=coords) as model:
        prior = (method.priors or {}).get(WEIGHT)
        alpha = np.zeros(n + 1) if prior is not None else method.prior_alpha(points.results)
        weight = place_shared_weights(prior, alpha, POINT, _IMPROPER)
        shares = [weight @ pt.as_tensor(pairs) @ weight for pairs in points.table]
        pm.Deterministic("theta", pt.stack(shares), dims="statement")
        pm.Categorical(DRAWN, p=weight, observed=np.arange(1, n + 1), dims="dataset")
    return model


def signed_rank_tree(
    method: SignedRank,
    points: SignedRankPoints,
    draws: int,
    chains: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw the weights, the shares under them, and datasets drawn again."""
    import xarray as xr

    before, alpha = method.prior_alpha(points.results), method.weight_alpha(points.results)
    weights = rng.dirichlet(alpha, size=(chains, draws))
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": {WEIGHT: weights, "theta": walsh_shares(points.regions, weights)},
        "posterior_predictive": {DRAWN: _draw_signed_rank_points(weights, rng)},
        "log_likelihood": {DRAWN: _log_signed_rank_weights(weights[..., 1:])},
        "observed_data": {DRAWN: np.arange(1, len(alpha))},
    }
    proper = bool((before > 0.0).all())
    if proper:
        prior = rng.dirichlet(before, size=(1, draws))
        groups["prior"] = {WEIGHT: prior, "theta": walsh_shares(points.regions, prior)}
        groups["prior_predictive"] = {DRAWN: _draw_signed_rank_points(prior, rng)}
    dims = {WEIGHT: (POINT,), "theta": ("statement",), DRAWN: ("dataset",)}
    coords = {
        POINT: points.names,
        "statement": points.labels,
        "dataset": list(points.results.datasets),
    }
    tree = make_shared_tree(groups, dims, coords)
    # Of a vector, but one number for each. The constant of an improper prior is arbitrary.
    norm = gammaln(before.sum()) - gammaln(before).sum() if proper else 0.0
    logs = norm + _log_signed_rank_weights(weights) @ (before - 1.0)
    sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
    tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
    return finish_signed_rank(points, tree)


def finish_signed_rank(points: SignedRankPoints, tree: xr.DataTree) -> xr.DataTree:
    """Add the differences, second less first, and what made the tree."""
    facts = {"difference": points.values[1:]}
    return add_shared_constants(shared_ratio_prior(tree, [WEIGHT]), facts, points.results.datasets)


def plan_signed_rank(
    method: SignedRank, points: SignedRankPoints
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds so many datasets, drawn by the weights, and answers again."""
    alpha = method.weight_alpha(points.results)

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        grown = alpha + rng.multinomial(number, rng.dirichlet(alpha))
        exact = exact_walsh_leaders(points.regions, grown)
        if exact is not None:
            return exact
        return np.asarray(sole_leader(walsh_draws(points.regions, grown, _DRAWS, rng)).mean(axis=0))

    return simulate


def check_signed_rank_points(
    points: SignedRankPoints, tree: xr.DataTree, *, prior: bool
) -> Mapping[str, tuple[FloatArray, Any]]:
    """Return wins, and mean and median of the differences: predicted, and seen."""
    drawn = tree["prior_predictive" if prior else "posterior_predictive"][DRAWN]
    picked = drawn.transpose(*_SAMPLE, "dataset").values.reshape(-1, len(points.values) - 1)
    values, seen = points.values[picked], points.values[1:]
    statistics: dict[str, tuple[FloatArray, Any]] = {
        f"datasets with {label}": (
            (points.states[picked] == k).sum(axis=1).astype(np.float64),
            float((points.states[1:] == k).sum()),
        )
        for k, label in enumerate(points.labels)
    }
    return statistics | {
        "mean difference": (values.mean(axis=1), float(seen.mean())),
        "median difference": (np.median(values, axis=1), float(np.median(seen))),
    }


def predict_signed_rank_labels(
    method: SignedRank,
    points: SignedRankPoints,
    answer: Answer,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw new datasets among the points; a tie without a rope goes to either by chance."""
    if method.needs_mcmc:
        weights = thinned_shared_draws(shared_sampled_posterior(answer)[WEIGHT], draws, rng)
    else:
        weights = rng.dirichlet(method.weight_alpha(points.results), size=draws)
    states = points.states[draw_urn_cells(weights, number, rng)]
    chance = rng.integers(2, size=states.shape)
    return np.array(points.labels, dtype=np.str_)[np.where(states < 0, chance, states)]


def _draw_signed_rank_points(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions among the points."""
    n = weights.shape[-1] - 1
    return draw_urn_cells(weights.reshape(-1, n + 1), n, rng).reshape(*weights.shape[:-1], n)


def _log_signed_rank_weights(weights: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(weights, np.finfo(np.float64).tiny)))
