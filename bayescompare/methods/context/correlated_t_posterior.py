"""The correlated t-test as draws: every dataset's mean advantage, and the shares of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtr, stdtrit

from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.context.correlated_t import draw_means
from bayescompare.kernels.context.poisson_binomial import draw_rates, draw_wins
from bayescompare.kernels.context.poisson_binomial_joint import count_posterior
from bayescompare.methods._shared.trees import constants, make_tree
from bayescompare.results.results import Results
from bayescompare.statements import State

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.context.correlated_t import CorrelatedT, Posterior

__all__ = ["exact_tree"]


def exact_tree(
    method: CorrelatedT, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw from the posterior: `advantage` by dataset, and `r` or, with a rope, `theta`.

    The prior is improper, so that there are no draws of it, nor a log prior.
    """
    each = method.each(results)
    (measure,) = results.measures
    rope, total = results[measure].rope or 0.0, chains * draws
    coords = {"dataset": list(results.datasets)}
    if method.joint:
        p = each.regions[:, 2]
        mixture = method.mixture(p)
        b = method.weight
        r = (
            draw_rates(count_posterior(p, b)[0], total, rng, b)
            if mixture is None
            else mixture.draw(total, rng)[0]
        )
        advantage = _one_sided(each, draw_wins(p, r, rng), rng)
        variables = {"r": r}
    else:
        advantage = draw_means(each.dof, each.location, each.scale, total, rng)
        variables = _shares(advantage, rope, method.weight, rng)
    if rope:
        order = State.order(*results.algorithms)
        states = (order, State.equal(*results.algorithms), order.reversed())
        coords["statement"] = [str(state) for state in states]
    shaped = {k: v.reshape(chains, draws, *v.shape[1:]) for k, v in variables.items()}
    groups = {
        "posterior": {"advantage": advantage.reshape(chains, draws, -1), **shaped},
        "observed_data": {"mean_difference": each.location},
    }
    dims = {
        "advantage": ("dataset",),
        "mean_difference": ("dataset",),
        "r": (),
        "theta": ("statement",),
    }
    facts = {"replicates": each.dof + 1.0, "rho": each.rho, "scale": each.scale}
    return constants(make_tree(groups, dims, coords), facts, results.datasets)


def _shares(
    advantage: FloatArray, rope: float, b: float, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Shares of datasets in each region, given how many of those seen are."""
    n = advantage.shape[1]
    better, worse = (advantage > rope).sum(axis=1), (advantage < -rope).sum(axis=1)
    if not rope:
        # A mean difference of exactly 0 favours either alike.
        better = better + rng.binomial(n - better - worse, 0.5)
        return {"r": rng.beta(b + better, b + n - better)}
    counts = np.stack([better, n - better - worse, worse], axis=-1)
    gammas = rng.standard_gamma(b + counts)
    return {"theta": gammas / gammas.sum(axis=-1, keepdims=True)}


def _one_sided(each: Posterior, better: BoolArray, rng: np.random.Generator) -> FloatArray:
    """Draw mean advantages on the side that d says, by the inverse distribution function."""
    unit = np.where(each.scale == 0.0, 1.0, each.scale)
    below = stdtr(each.dof, -each.location / unit)
    above = stdtr(each.dof, each.location / unit)
    uniform = 1.0 - rng.random(better.shape)
    # Both sides from their own tail, which keeps its digits.
    low = each.location + unit * stdtrit(each.dof, uniform * below)
    high = each.location - unit * stdtrit(each.dof, uniform * above)
    drawn = np.where(better, np.maximum(high, 0.0), np.minimum(low, 0.0))
    return np.where(each.scale == 0.0, each.location, drawn)
