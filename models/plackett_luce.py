"""Plackett-Luce: strengths of any number of algorithms on several, correlated, measures.

Story: on measure j algorithm a has strength s_aj. A dataset ranks the algorithms by strength plus
Gumbel noise. In other words, the best is chosen with probability ∝ exp s_aj, then the best of the
rest, and so on:

    P(a₁ > a₂ > … > a_l) = ∏_k  exp s_{a_k} / (exp s_{a_k} + … + exp s_{a_l}).

There are l − 1 free strengths for each measure, while the multinomial has l! statements. An
algorithm that is strong on one measure tends to be strong on correlated measures:

    s_a ~ MvNormal(0, Σ) over the measures, summing to zero over the algorithms,
    Σ ~ InverseWishart(m − 1 + κ, σ² I),   κ = 3,   σ = 1  (so that E Σ = σ² I).

Σ is integrated out. This leaves a matrix-t distribution of the strengths, which is easy to sample.
`omega` is the correlation of the conditional mean of Σ, E(Σ | s) ∝ σ² I + Σ_a s_a s_aᵀ.

Ties: algorithms that share a rank have an order that was not observed. So the probability of a tie
is the mean probability of the orders it allows; `tied` computes it without listing them. Given the
strengths, the measures of one dataset are independent. Changed prior, so that the spread of the
algorithms is learned too, in three lines::

    import pymc as pm, bayescompare as bc
    learned = bc.methods.ModelFile("plackett_luce", priors={"sigma": pm.HalfNormal.dist(1)})
    c = bc.compare(results, method=learned)

References: Luce (1959); Plackett (1975); Dickey (1967) for the matrix-t; DeLong, Guirguis & So
(1994) for ties by an integral.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from scipy.linalg import helmert
from scipy.stats import rankdata

from bayescompare.modelling import prior, ranks

#: The likelihood of a dataset is the probability of its joint statement.
DATA_SCALE = "statements"
#: Where the integral of `tied` is evaluated: good to seven digits for ties of seven.
STEP = 0.3
NODES = np.arange(-18.0, 4.6, STEP)
#: Log strength of nobody at all.
NOBODY = -1e6


def build(results, *, sigma=1.0, kappa=3.0):
    """Build the model.

    Parameters
    ----------
    sigma : prior over measure
        Scale of the strengths. A number or a distribution is shared by all measures; a function
        f(name, dims) that uses its dims makes one for each measure.
    kappa : prior
        Degrees of freedom of the measures' covariance Σ, above the number of measures less one.
    """
    if any(results[name].rope is not None for name in results.measures):
        raise ValueError("a rope makes no order of many algorithms; see the model bradley_terry.")
    l, m = len(results.algorithms), len(results.measures)
    coords = {
        "algorithm": results.algorithms,
        "measure": results.measures,
        "other_measure": results.measures,
        "dataset": results.datasets,
        "axis": range(1, l),
    }
    with pm.Model(coords=coords) as model:
        scale = prior("sigma", sigma, "measure", shared=True, positive=True) * pt.ones((l - 1, m))
        contrast = pm.CustomDist(
            "contrast",
            scale,
            m - 1 + prior("kappa", kappa, positive=True),
            logp=matrix_t,
            random=draw_matrix_t,
            signature="(q,m),()->(q,m)",
            class_name="MatrixT",
            dims=("axis", "measure"),
        )
        basis = helmert(l).T  # orthonormal, each column summing to zero
        strength = pm.Deterministic("strength", basis @ contrast, dims=("algorithm", "measure"))
        mean = pt.diag(scale[0] ** 2) + strength.T @ strength
        spread = pt.sqrt(pt.diag(mean))
        omega = pt.where(pt.eye(m) > 0, 1.0, mean / (spread[:, None] * spread[None, :]))
        pm.Deterministic("omega", omega, dims=("measure", "other_measure"))
        pm.CustomDist(
            "rank",
            strength,
            logp=logp,
            random=draw,
            signature="(l,m)->(l,m)",
            class_name="PlackettLuce",
            observed=pm.Data("seen", ranks(results), dims=("dataset", "algorithm", "measure")),
            dims=("dataset", "algorithm", "measure"),
        )
    return model


def matrix_t(contrast, scale, freedom):
    """Log density of q rows from MvNormal(0, Σ), Σ ~ InverseWishart(freedom, scale²)."""
    x = contrast / scale
    q, m = contrast.shape[-2], contrast.shape[-1]
    down = (freedom[..., None] - pt.arange(m)) / 2
    constant = (pt.gammaln(down + q / 2) - pt.gammaln(down)).sum(axis=-1) - q * m / 2 * np.log(
        np.pi
    )
    log_det = pt.linalg.slogdet(pt.eye(m) + x.mT @ x)[1]
    return constant - pt.log(scale).sum(axis=(-2, -1)) - (freedom + q) / 2 * log_det


def draw_matrix_t(scale, freedom, rng=None, size=None):
    """The same, drawn: Σ⁻¹ is a Wishart, a sum of squares by Bartlett's decomposition."""
    shape = scale.shape if size is None else (*size, *scale.shape[-2:])
    m = shape[-1]
    factor = np.tril(rng.normal(size=(*shape[:-2], m, m)), -1)
    down = np.expand_dims(freedom, -1) - np.arange(m)
    factor[..., range(m), range(m)] = np.sqrt(rng.chisquare(down, size=(*shape[:-2], m)))
    return scale * (rng.normal(size=shape) @ np.linalg.inv(factor))


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
