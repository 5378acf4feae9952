r"""The learned prior of the multinomial-Dirichlet test in PyMC.

.. math:: \vartheta \sim \mathrm{Dirichlet}(A\,\varphi), \qquad
          \theta_s = \vartheta_s \quad\text{or}\quad
          \theta_s = (\vartheta_s + \vartheta_{\mathrm{rev}(s)})/2 ,

the second where the two algorithms do not differ. The textbook form has the component (A, and
whether they differ) as a variable. NUTS moves no discrete variable, and under the sum over
components it hardly goes from one strength to another. Its form therefore has latents whose
posterior is nearly the same for every component. With :math:`\alpha = A\varphi`, counts n (of a
pair without a difference, the means of n over a statement and its reverse) and
:math:`s = \alpha + n + 1`,

.. math:: \log G = \psi(s) + \sqrt{\psi'(s)}\, z, \qquad E = \frac{\alpha}{\alpha + n}\, e, \qquad
          \vartheta = \mathrm{softmax}(\log G - E/\alpha),

where G and E are those of `place_dirichlet`. Given a component and counts, e is a standard
exponential and z a logarithm of a gamma variable with mean 0 and variance 1. Their density is
summed over the components, and a uniform variable picks one given z and e. Where the likelihood of
the data is not that of these counts but near it, the ratio of the two is a factor within the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import digamma, gammaln, logsumexp, polygamma

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.gammas import TINY, log_rising_gamma
from bayescompare.learned import LearnedPrior
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import (
    LATENTS,
    pick,
    pick_by_weight,
    textbook_dirichlet,
    weighted_logs,
)
from bayescompare.outcome.method import Form

Likelihood = Callable[[Any], Any] | None

#: θ below this is this: its logarithm enters a density.
_LEAST = 1e-300
#: What picks A: its index in the textbook form, a uniform variable in the form for NUTS.
_INDEX, _UNIFORM = "strength_index", "latent_strength"


def place_learned_dirichlet(
    form: Form, listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood = None
) -> Any:
    """Add A and θ under the learned prior to the model in context; return log θ.

    The log likelihood of all data, as a function from log θ (A, statement) to (A,), is that of the
    counts, where no other is given.
    """
    import pymc as pm

    if form == "nuts":
        return _for_nuts(listing, learned, likelihood)
    theta = place_learned_shares(learned, np.exp(listing.log_alpha))
    if learned.folds:
        theta = pm.Deterministic("theta", theta, dims="statement")
    return pm.math.log(theta)


def place_learned_shares(learned: LearnedPrior, base: FloatArray) -> Any:
    """Add what was learned to the model in context, as a textbook has it; return θ."""
    import pymc as pm
    import pytensor.tensor as pt

    values = np.array(learned.values)
    if not learned.folds:
        index = pm.Categorical(_INDEX, p=learned.strength_weights)
        strength = pm.Deterministic("strength", pick(values, index))
        return textbook_dirichlet("theta", strength * base, ("statement",))
    component = pm.Categorical("component", p=np.array(learned.weights))
    strength = pm.Deterministic("strength", pick(np.tile(values, 2), component))
    free = pm.Dirichlet("free", strength * base, dims="statement")
    differs = pt.lt(component, len(values))
    return pt.switch(differs, free, (free + free[::-1]) / 2.0)


@dataclass(frozen=True)
class _Given:
    """What the latents are made of for each strength A: arrays (A, statement), `log_weight` (A,).

    Attributes
    ----------
    shape : α + n + 1
    mean, deviation : of log G given A and the data
    rate : α + n
    log_weight : all of the joint density that z and e do not enter
    counts : n
    """

    shape: FloatArray
    mean: FloatArray
    deviation: FloatArray
    rate: FloatArray
    log_weight: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, listing: LumpedStatements, learned: LearnedPrior) -> _Given:
        kinds = len(learned.weights) // len(learned.values)
        values, counts = np.tile(np.array(learned.values), kinds), listing.counts
        even = np.stack([counts, (counts + counts[::-1]) / 2.0][:kinds])
        counts = np.repeat(even, len(learned.values), axis=0)
        alpha = np.maximum(values[:, None] * np.exp(listing.log_alpha), TINY)
        shape = alpha + counts + 1.0
        deviation = np.sqrt(polygamma(1, shape))
        each = np.log(deviation) + np.log(alpha / (alpha + counts)) - gammaln(alpha + 1.0)
        total = log_rising_gamma(np.log(alpha.sum(axis=1)), counts.sum(axis=1))
        weights = np.log(learned.weights) + each.sum(axis=1) - total
        return cls(shape, digamma(shape), deviation, alpha + counts, weights, counts)


def _for_nuts(listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood) -> Any:
    """Latents shared by all strengths, of density Σ_A p(A, z, e, data); see the module."""
    import pymc as pm
    import pytensor.tensor as pt

    def by_counts(log_theta: Any) -> Any:
        return weighted_logs(listing.counts, log_theta)

    given = _Given.of(listing, learned)
    z = pm.Normal(f"{LATENTS[0]}theta", 0.0, 1.0, dims="statement")
    e = pm.Exponential(f"{LATENTS[1]}theta", 1.0, dims="statement")
    log_gamma = given.mean + given.deviation * z
    densities = given.log_weight + (given.shape * log_gamma - pt.exp(log_gamma)).sum(axis=1)
    x = log_gamma - e / given.rate
    free = x - pm.math.logsumexp(x, axis=1, keepdims=True)
    each = free
    if learned.folds:
        half = len(learned.values)
        mirror = free[half:, ::-1]
        same = pm.math.logaddexp(free[half:], mirror) - np.log(2.0)
        each = pm.math.concatenate([free[:half], same])
    if learned.folds or likelihood is not None:
        # Within the sum over A: θ differs between strengths, and the density has to be smooth.
        near = weighted_logs(given.counts, free)
        densities = densities + (likelihood or by_counts)(each) - near
    # P(component | z, e, data) is what the uniform variable picks from.
    index = pick_by_weight(_UNIFORM, densities)
    values = np.tile(np.array(learned.values), len(learned.weights) // len(learned.values))
    pm.Deterministic("strength", pick(values, index))
    log_theta = each[index]
    pm.Deterministic("theta", pt.exp(log_theta), dims="statement")
    if learned.folds:
        pm.Deterministic("component", index)
        pm.Deterministic("free", pt.exp(free[index]), dims="statement")
    # The joint density has the data in it, and z's own density is none of it.
    data = by_counts(log_theta) if likelihood is None else likelihood(log_theta[None])[0]
    twice = data + pm.logp(pm.Normal.dist(), z).sum()
    pm.Potential("learned_theta", pm.math.logsumexp(densities) - twice)
    return log_theta


def _log_density(
    theta: xr.DataArray, listing: LumpedStatements, learned: LearnedPrior
) -> FloatArray:
    """log g(A) Dirichlet(θ; A φ) for every draw and strength: (chain, draw, A)."""
    values = theta.transpose("chain", "draw", "statement").values
    alpha = np.array(learned.values)[:, None] * np.exp(listing.log_alpha)
    weights = np.log(learned.strength_weights)
    constant = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1) + weights
    return np.asarray(constant + np.log(np.maximum(values, _LEAST)) @ (alpha - 1.0).T)


def without_choice(tree: xr.DataTree) -> xr.DataTree:
    """Leave out what only picks A."""
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset().drop_vars([_INDEX, _UNIFORM], errors="ignore")
        tree[group] = xr.DataTree(data)
    return tree


def with_log_prior(
    tree: xr.DataTree, listing: LumpedStatements, learned: LearnedPrior
) -> xr.DataTree:
    """Let the log prior be that of θ itself, A summed out, however the draws were made.

    Where a pair may have no difference it is that of `free`, which has a density.
    """
    name = "free" if learned.folds else "theta"
    theta = tree["posterior"].to_dataset()[name]
    density = logsumexp(_log_density(theta, listing, learned), axis=-1)
    variables = {name: (("chain", "draw"), density)}
    coords = {name: theta[name].values for name in ("chain", "draw")}
    tree["log_prior"] = xr.DataTree(xr.Dataset(variables, coords))
    return tree
