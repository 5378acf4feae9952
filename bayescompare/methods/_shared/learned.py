r"""The learned prior of the multinomial-Dirichlet test in PyMC.

.. math:: h \sim \mathrm{Categorical}(w), \quad \mathrm{same} \sim \mathrm{Bernoulli}(q_h), \quad
          f \sim \mathrm{Dirichlet}(A_h\,\varphi), \qquad
          \theta_s = f_s \quad\text{or, if same,}\quad
          \theta_s = (f_s + f_{\mathrm{rev}(s)})/2 .

That is the textbook form: A has three values, and where the two algorithms are the same, a
statement and its reverse have what they have together in equal halves. NUTS moves no discrete
variable, and under the sum over components, those values with and without a difference, it hardly
goes from one strength to another. Its form therefore has latents whose posterior is nearly the same
for every component. With :math:`\alpha = A\varphi`, counts n (where the two are the same, the means
of n over a statement and its reverse) and :math:`s = \alpha + n + 1`,

.. math:: \log G = \psi(s) + \sqrt{\psi'(s)}\, z, \qquad E = \frac{\alpha}{\alpha + n}\, e, \qquad
          f = \mathrm{softmax}(\log G - E/\alpha),

where G and E are those of `place_dirichlet`. Given a component and counts, e is a standard
exponential and z a logarithm of a gamma variable with mean 0 and variance 1. Their density is
summed over the components, and a uniform variable picks one given z and e. Where the likelihood of
the data is not that of these counts but near it, the ratio of the two is a factor within the sum.
"""

from __future__ import annotations

from collections.abc import Callable
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
#: The uniform variable that picks a component in the form for NUTS.
_UNIFORM = "latent_strength"


def place_learned_dirichlet(
    form: Form, listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood = None
) -> Any:
    """Add θ, under the learned prior, to the model in context; return log θ.

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
    """Add what was learned to the model in context, as a textbook has it; return θ.

    Nothing that depends on a discrete variable is kept under a name, so that
    ``pymc_extras.marginalize`` can sum that out.
    """
    import pymc as pm
    import pytensor.tensor as pt

    both = np.reshape(learned.weights, (-1, len(learned.values)))
    h = pm.Categorical("h", p=both.sum(axis=0))
    alpha = pick(np.array(learned.values), h) * base
    if not learned.folds:
        return textbook_dirichlet("theta", alpha, ("statement",))
    same = pm.Bernoulli("same", p=pick(both[1] / np.maximum(both.sum(axis=0), TINY), h))
    f = pm.Dirichlet("f", alpha, dims="statement")
    return pt.switch(pt.eq(same, 1), (f + f[::-1]) / 2.0, f)


def _for_nuts(listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood) -> Any:
    """Latents shared by all components, of density Σ p(component, z, e, data); see the module."""
    import pymc as pm
    import pytensor.tensor as pt

    number = len(learned.values)
    kinds = len(learned.weights) // number
    counts = np.stack([listing.counts, (listing.counts + listing.counts[::-1]) / 2.0][:kinds])
    counts = np.repeat(counts, number, axis=0)
    values = np.tile(learned.values, kinds)
    alpha = np.maximum(values[:, None] * np.exp(listing.log_alpha), TINY)
    # Of log G given a component and the data; and all of the joint density without z and e.
    shape = alpha + counts + 1.0
    mean, deviation, rate = digamma(shape), np.sqrt(polygamma(1, shape)), alpha + counts
    each_weight = np.log(deviation) + np.log(alpha / rate) - gammaln(alpha + 1.0)
    total = log_rising_gamma(np.log(alpha.sum(axis=1)), counts.sum(axis=1))
    log_weight = np.log(learned.weights) + each_weight.sum(axis=1) - total

    def by_counts(log_theta: Any) -> Any:
        return weighted_logs(listing.counts, log_theta)

    z = pm.Normal(f"{LATENTS[0]}theta", 0.0, 1.0, dims="statement")
    e = pm.Exponential(f"{LATENTS[1]}theta", 1.0, dims="statement")
    log_gamma = mean + deviation * z
    densities = log_weight + (shape * log_gamma - pt.exp(log_gamma)).sum(axis=1)
    x = log_gamma - e / rate
    free = x - pm.math.logsumexp(x, axis=1, keepdims=True)
    each = free
    if learned.folds:
        same = pm.math.logaddexp(free[number:], free[number:, ::-1]) - np.log(2.0)
        each = pm.math.concatenate([free[:number], same])
    if learned.folds or likelihood is not None:
        # Within the sum over A: θ differs between strengths, and the density has to be smooth.
        near = weighted_logs(counts, free)
        densities = densities + (likelihood or by_counts)(each) - near
    # P(component | z, e, data) is what the uniform variable picks from.
    index = pick_by_weight(_UNIFORM, densities)
    pm.Deterministic("h", index % number)
    log_theta = each[index]
    pm.Deterministic("theta", pt.exp(log_theta), dims="statement")
    if learned.folds:
        pm.Deterministic("same", index // number)
        pm.Deterministic("f", pt.exp(free[index]), dims="statement")
    # The joint density has the data in it, and z's own density is none of it.
    data = by_counts(log_theta) if likelihood is None else likelihood(log_theta[None])[0]
    twice = data + pm.logp(pm.Normal.dist(), z).sum()
    pm.Potential("learned_theta", pm.math.logsumexp(densities) - twice)
    return log_theta


def with_log_prior(
    tree: xr.DataTree, listing: LumpedStatements, learned: LearnedPrior
) -> xr.DataTree:
    """Let the log prior be that of θ itself, A summed out, however the draws were made.

    Where a pair may have no difference it is that of f, which has a density.
    """
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        strength = np.array(learned.values)[data["h"].values.astype(np.int64)]
        tree[group] = xr.DataTree(data.assign(strength=(("chain", "draw"), strength)))
    name = "f" if learned.folds else "theta"
    theta = tree["posterior"].to_dataset()[name].transpose("chain", "draw", "statement")
    alpha = np.array(learned.values)[:, None] * np.exp(listing.log_alpha)
    constant = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    logs = constant + np.log(np.maximum(theta.values, _LEAST)) @ (alpha - 1.0).T
    density = logsumexp(logs + np.log(learned.strength_weights), axis=-1)
    coords = {name: theta[name].values for name in ("chain", "draw")}
    tree["log_prior"] = xr.DataTree(xr.Dataset({name: (("chain", "draw"), density)}, coords))
    return tree
