"""Plackett-Luce: strengths of any number of algorithms on several, correlated, measures.

Story: on measure j algorithm a has strength s_aj. A dataset ranks the algorithms by strength plus
Gumbel noise, which is to say that the best is chosen with probability ∝ exp s_aj, then the best of
the rest, and so on:

    P(a₁ > a₂ > … > a_l) = ∏_k  exp s_{a_k} / (exp s_{a_k} + … + exp s_{a_l}).

There are l − 1 free strengths for each measure, where the multinomial has l! statements. An
algorithm that is strong on one measure tends to be so on those that are correlated with it:

    s_a ~ MvNormal(0, σ² Ω) over the measures, summing to zero over the algorithms,
    Ω ~ LKJ(η),   η = 2,   σ = 1.5.

Ties: algorithms that share a rank were in an order that was not seen, so a tie has the mean
probability of the orders it allows; it is had without listing them (see `tied`). Given the
strengths, the measures of one dataset are independent. Changed prior, so that the spread of the
algorithms is learned too, in three lines::

    import pymc as pm, bayescompare as bc
    learned = bc.methods.ModelFile("plackett_luce", priors={"sigma": pm.HalfNormal.dist(1.5)})
    c = bc.compare(results, method=learned)

References: Luce (1959); Plackett (1975); Lewandowski, Kurowicka & Joe (2009); DeLong, Guirguis & So
(1994) for ties by an integral.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from scipy.linalg import helmert
from scipy.stats import rankdata

from bayescompare.modelling import prior, ranks

#: Where the integral of `tied` is evaluated: good to seven digits for ties of seven.
STEP = 0.3
NODES = np.arange(-18.0, 4.6, STEP)
#: Log strength of nobody at all.
NOBODY = -1e6


def build(results, *, sigma=1.5, eta=2.0):
    if any(results[name].rope is not None for name in results.measures):
        raise ValueError("a rope makes no order of many algorithms; see the model bradley_terry.")
    coords = {
        "algorithm": results.algorithms,
        "measure": results.measures,
        "other_measure": results.measures,
        "contrast": range(1, len(results.algorithms)),
        "dataset": results.datasets,
    }
    with pm.Model(coords=coords) as model:
        sigma = prior("sigma", sigma, ["measure"])
        factor = correlation(len(results.measures), prior("eta", eta))
        pm.Deterministic("omega", factor @ factor.T, dims=("measure", "other_measure"))
        contrast = pm.MvNormal(
            "contrast",
            mu=np.zeros(len(results.measures)),
            chol=(sigma * factor.T).T,
            dims=("contrast", "measure"),
        )
        basis = helmert(len(results.algorithms)).T  # orthonormal, each column summing to zero
        strength = pm.Deterministic("strength", basis @ contrast, dims=("algorithm", "measure"))
        pm.CustomDist(
            "rank",
            strength,
            logp=logp,
            random=draw,
            signature="(l,m)->(l,m)",
            observed=ranks(results),
            dims=("dataset", "algorithm", "measure"),
        )
    return model


def correlation(m, eta):
    """Cholesky factor of Ω ~ LKJ(η), by partial correlations, which are independent Betas."""
    if m == 1:
        return pt.ones((1, 1))
    row, column = np.tril_indices(m, -1)
    shape = eta + (m - 2 - column) / 2
    partial = 2 * pm.Beta("partial", shape, shape) - 1
    z = pt.zeros((m, m))[row, column].set(partial)
    left = pt.cumprod(pt.sqrt(1 - z**2), axis=1)
    left = pt.concatenate([pt.ones((m, 1)), left[:, :-1]], axis=1)
    return (z + np.eye(m)) * left


def logp(rank, strength):
    """One number per dataset: the log probability of its ranks, summed over the measures."""
    rank, s = rank.mT, strength.mT  # algorithms last
    mine, theirs = rank[..., :, None], rank[..., None, :]
    behind = pt.logsumexp(pt.where(theirs > mine, s[..., None, :], NOBODY), axis=-1)
    same = pt.eq(mine, theirs)
    untied = pt.where(pt.eq(same.sum(axis=-1), 1), -pt.softplus(behind - s), 0.0)
    return (untied + tied(same, s[..., None, :] - behind[..., None])).sum(axis=(-2, -1))


def tied(same, lead):
    """Log mean probability of the orders that each tie allows, at the first algorithm in it.

    The best of those behind has Gumbel noise y, and all who tie must be ahead of it:

        P = ∫ exp(y − eʸ) ∏_{a in tie} (1 − exp(−exp(y + s_a − behind))) dy,

    which the trapezoidal rule has nearly exactly, at a cost linear in the size of the tie.
    """
    size = same.sum(axis=-1)
    first = pt.eq(pt.argmax(same, axis=-1), pt.arange(same.shape[-1]))
    tie = pt.nonzero(pt.and_(first, size > 1))
    which, member = pt.nonzero(same[tie])
    lead = pt.minimum(lead[tie][which, member], 40.0)
    ahead = pt.log1mexp(-pt.exp(lead[:, None] + NODES))
    integrand = pt.zeros((tie[0].shape[0], len(NODES)))[which].inc(ahead)
    found = pt.logsumexp(integrand + NODES - np.exp(NODES) + np.log(STEP), axis=-1)
    return pt.zeros(size.shape)[tie].set(found - pt.gammaln(size[tie] + 1.0))


def draw(strength, rng=None, size=None):
    """Ranks of new datasets, by strength plus Gumbel noise."""
    shape = strength.shape if size is None else (*size, *strength.shape[-2:])
    return rankdata(-(strength + rng.gumbel(size=shape)), axis=-2)
