"""Multivariate normal: mean differences of two algorithms on several, correlated, measures.

Story: on dataset i the first algorithm is better than the second by δ_i, a vector with one entry
for each measure. Datasets vary around a mean difference, and measures vary together:

    δ_i ~ MvNormal(μ, Σ),   Σ = diag(σ) Ω diag(σ),   Ω ~ LKJ(2).

μ and σ are in units of the root mean square of the differences, so that the priors suit any
measure:

    μ_j ~ Normal(0, 2),   σ_j ~ HalfNormal(2),

and `difference` is the mean difference in the measures' own units.

Replicates (folds, seeds) are optional. Without them δ_i is seen as it is. With k_i of them only the
mean x̄_i is seen, with an error that their covariance S_i tells. Any two folds have correlation
ρ = 1/folds, because they share training data, so that as in the correlated t-test

    x̄_i ~ MvStudentT(k_i − 1, δ_i, (1/k_i + ρ/(1 − ρ)) S_i).

The Student-t is a normal whose precision has a Gamma distribution. δ_i and this precision are
integrated out, the latter by the trapezoidal rule, so that datasets can be left out one by one.

Answer: `theta` is the probability that *the next dataset's* δ shows each statement: the mass of
MvNormal(μ, Σ) where every measure is above its rope, in it or below it (without a rope, above or
below zero). P(statement) is the posterior probability that its θ is the largest. Changed prior,
in three lines::

    import pymc as pm, bayescompare as bc
    apart = bc.methods.ModelFile("multivariate_normal", priors={"eta": 20.0})
    c = bc.compare(results, method=apart)

Seeds and items are independent, ρ = 0. Ten times ten folds need ``priors={"folds": 10}``; otherwise
every replicate counts as a fold, and more than 20 are refused.

References: Lewandowski, Kurowicka & Joe (2009) for the prior of Ω; Corani & Benavoli (2015) for
correlated folds; Genz (1992), Numerical computation of multivariate normal probabilities, for θ.
"""

import itertools

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from scipy.stats import qmc

from bayescompare.modelling import lkj_cholesky, prior

REPLICATES = "optional"
#: Where the log precision of x̄_i is evaluated, in its standard deviations.
STEP = 0.5
NODES = np.arange(-20.0, 6.0, STEP)
#: Points of Gauss for θ, by the number of measures before the last; beyond, points of Sobol.
GAUSS = {0: 1, 1: 64, 2: 24, 3: 12, 4: 6}
SOBOL = 2048


def build(
    results,
    *,
    folds=None,
    mu=pm.Normal.dist(0.0, 2.0),
    sigma=pm.HalfNormal.dist(2.0),
    eta=2.0,
):
    """Build the model.

    Parameters
    ----------
    folds : number, optional
        Folds of the cross-validation, so that ρ = 1/folds. Default: the number of replicates, up
        to 20, or infinite for seeds and items.
    mu : prior over measure
        Mean difference over datasets, divided by the root mean square of the differences.
    sigma : prior over measure
        Standard deviation of the differences over datasets, divided likewise.
    eta : prior
        How close to zero the correlations of the measures are; 1 is uniform, larger is closer.
    """
    seen, root, freedom = differences(results, folds)
    unit = np.sqrt(np.mean(seen**2, axis=0))
    rope = [results[name].rope or 0.0 for name in results.measures]
    coords = {
        "measure": results.measures,
        "other_measure": results.measures,
        "dataset": results.datasets,
        "statement": statements(*results.algorithms, rope),
    }
    with pm.Model(coords=coords) as model:
        mu = prior("mu", mu, "measure", positive=False) * pt.as_tensor(unit)
        mu = pm.Deterministic("difference", mu, dims="measure")
        sigma = prior("sigma", sigma, "measure", positive=True) * pt.as_tensor(unit)
        factor = sigma[:, None] * lkj_cholesky(prior("eta", eta, positive=True))
        pm.Deterministic("theta", regions(mu, factor, rope), dims="statement")
        data = pm.Data("seen", seen, dims=("dataset", "measure"))
        if root is None:
            pm.MvNormal("gap", mu, chol=factor, observed=data, dims=("dataset", "measure"))
        else:
            pm.CustomDist(
                "gap",
                mu,
                factor,
                root,
                freedom,
                logp=logp,
                random=draw,
                signature="(m),(m,m),(m,m),()->(m)",
                class_name="NormalMvStudentT",
                observed=data,
                dims=("dataset", "measure"),
            )
    return model


def statements(a, b, rope):
    """Every statement: on each measure the first is better, [neither is,] the second is."""
    states = [[f"{a}>{b}", f"{a}={b}", f"{b}>{a}"][:: 1 if edge else 2] for edge in rope]
    labels = ["|".join(parts) for parts in itertools.product(*states)]
    if len(labels) > 256:
        raise ValueError(
            f"{len(rope)} measures make {len(labels)} statements, more than 256: choose fewer by "
            "measures=[...]."
        )
    return labels


def differences(results, folds=None):
    """Mean differences, roots of the covariances of their errors, and degrees of freedom."""
    if len(results.algorithms) != 2:
        raise ValueError(
            f"two algorithms are compared here, not {len(results.algorithms)}: choose them by "
            "algorithms=[...], or ask pairwise()."
        )
    if folds is not None and not folds >= 2:
        raise ValueError(f"folds={folds!r}: there are at least two, for ρ = 1/folds.")
    if results.n_replicates is None and folds is not None:
        raise ValueError(f"folds={folds!r}: there are no replicates; name their column.")
    sign = np.array([results[name].sign for name in results.measures])
    dims = ("dataset", "algorithm", *(() if results.n_replicates is None else ("replicate",)))
    cells = [results.data[name].transpose(*dims).values for name in results.measures]
    x = np.stack([cell[:, 0] - cell[:, 1] for cell in cells], axis=-1) * sign
    mean = x if results.n_replicates is None else np.nanmean(x, axis=1)
    for name, column in zip(results.measures, mean.T, strict=True):
        if np.ptp(column) == 0.0:
            raise ValueError(
                f"measure {name!r}: the difference is {column[0]:g} on every dataset, and nothing "
                "shows how it varies; leave this measure out."
            )
    return (mean, None, None) if x.ndim == 2 else (mean, *errors(x, folds, results.replicates))


def errors(x, folds, kind):
    """Roots of the covariance of each dataset's mean, and its degrees of freedom."""
    k = np.isfinite(x[..., 0]).sum(axis=1)  # datasets may have different numbers of replicates
    if folds is None and kind != "folds":
        folds = np.inf
    if folds is None and k.max() > 20:
        raise ValueError(
            f"folds is missing: with {k.max()} replicates no correlation can be guessed; give "
            "priors={'folds': 10} for ten times ten folds, or read them as replicates='seeds' "
            "(command line: --set folds=10)."
        )
    rho = 1.0 / (k if folds is None else np.full(len(k), float(folds)))
    apart = np.nan_to_num(x - np.nanmean(x, axis=1, keepdims=True))
    covariance = np.einsum("irj,irk->ijk", apart, apart) / (k - 1.0)[:, None, None]
    value, vector = np.linalg.eigh(covariance * (1 / k + rho / (1 - rho))[:, None, None])
    # With fewer replicates than measures it is singular; its root is not.
    return vector * np.sqrt(np.maximum(value, 0.0))[:, None, :], k - 1.0


def logp(x, mu, factor, root, freedom):
    """One number per dataset: the log density of its mean difference, over all precisions."""
    within, between = root @ root.mT, factor @ factor.mT
    half = freedom[..., None] / 2
    log_u = NODES / pt.sqrt(1.0 + half)
    m = root.type.shape[-1]
    cov = [
        [between[..., j, k, None] + within[..., j, k, None] * pt.exp(-log_u) for k in range(j + 1)]
        for j in range(m)
    ]
    density = log_normal([(x - mu)[..., j, None] for j in range(m)], cov)
    gamma = half * pt.log(half) - pt.gammaln(half) + half * (log_u - pt.exp(log_u))
    step = pt.log(STEP) - 0.5 * pt.log1p(half)
    return pt.logsumexp(density + gamma + step, axis=-1)


def log_normal(x, cov):
    """Log density of a normal vector, by Cholesky's method written out for whole arrays."""
    m = len(x)
    factor, z, found = [[None] * m for _ in range(m)], [], -0.5 * m * np.log(2 * np.pi)
    for j in range(m):
        for k in range(j):
            rest = cov[j][k] - sum(factor[j][i] * factor[k][i] for i in range(k))
            factor[j][k] = rest / factor[k][k]
        factor[j][j] = pt.sqrt(cov[j][j] - sum(factor[j][i] ** 2 for i in range(j)))
        z.append((x[j] - sum(factor[j][i] * z[i] for i in range(j))) / factor[j][j])
        found = found - pt.log(factor[j][j]) - 0.5 * z[j] ** 2
    return found


def draw(mu, factor, root, freedom, rng=None, size=None):
    """Mean differences on new datasets, with replicates like those of the table."""
    shape = np.broadcast_shapes(mu.shape, root.shape[:-1]) if size is None else (*size, len(mu.T))
    u = rng.gamma(np.broadcast_to(freedom, shape[:-1]) / 2, 2 / freedom)
    between, within = (
        np.einsum("...jk,...k->...j", matrix, rng.normal(size=shape)) for matrix in (factor, root)
    )
    return mu + between + within / np.sqrt(u)[..., None]


def regions(mu, factor, rope):
    """Mass of every statement under a normal distribution, measure by measure (Genz).

    Given earlier measures, the next is normal: its mass above the rope, in it and below it splits
    each statement so far. Where it lies within its region is averaged over fixed points.
    """
    point, weight = points(len(rope) - 1)
    mass, before = pt.as_tensor(weight)[None, :], []
    for j, edge in enumerate(rope):
        centre = mu[j] + sum(factor[j, i] * z for i, z in enumerate(before))
        cuts = [cdf((cut - centre) / factor[j, j]) for cut in sorted({edge, -edge})]
        cuts = [
            pt.zeros_like(mass),
            *(cut + pt.zeros_like(mass) for cut in cuts),
            pt.ones_like(mass),
        ]
        low, high = (pt.stack(part[::-1], axis=1) for part in (cuts[:-1], cuts[1:]))
        states = len(cuts) - 1
        mass = (mass[:, None] * (high - low)).reshape((-1, len(weight)))
        if j < len(rope) - 1:
            within = (low + point[:, j] * (high - low)).reshape((-1, len(weight)))
            before = [*(pt.repeat(z, states, axis=0) for z in before), quantile(within)]
    return mass.sum(axis=1)


def cdf(z):
    return 0.5 * pt.erfc(-z / np.sqrt(2))


def quantile(p):
    return -np.sqrt(2) * pt.erfcinv(2 * pt.clip(p, 1e-300, 1 - 1e-16))


def points(dimensions):
    """Points in the unit cube and their weights."""
    if dimensions not in GAUSS:
        cube = qmc.Sobol(dimensions, rng=np.random.default_rng(0)).random(SOBOL)
        return cube, np.full(SOBOL, 1 / SOBOL)
    node, weight = np.polynomial.legendre.leggauss(GAUSS[dimensions])
    # Denser towards both ends, where quantiles are steep.
    weight, node = 0.75 * weight * (1 - node**2), 0.5 + 0.25 * node * (3 - node**2)
    grid = list(itertools.product(node, repeat=dimensions))
    weights = np.array([np.prod(w) for w in itertools.product(weight, repeat=dimensions)])
    return np.array(grid).reshape(len(weights), dimensions), weights
