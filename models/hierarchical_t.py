"""The hierarchical correlated t-test: replicates of two algorithms on many datasets.

Story: on dataset i the k_i replicates (folds) of "first minus second" have mean x̄_i and standard
deviation s_i. Any two of them have correlation ρ = 1/folds, because folds share training data. The
true mean differences δ_i come from a population of datasets. It has heavy tails, so one unusual
dataset does not widen it:

    x̄_i ~ Student-t(k_i − 1, δ_i, s_i √(1/k_i + ρ/(1 − ρ))),   δ_i ~ Student-t(ν, δ0, σ0).

Each Student-t is a normal with a Gamma-distributed precision. The precision of x̄_i (u_i) is
sampled. δ_i and its precision (w_i) are integrated out, and the function `delta` computes δ_i
afterwards. δ0 and σ0 are in units of the root mean square of the x̄_i, so the priors suit any
measure:

    δ0 ~ Normal(0, 2),   σ0 ~ HalfNormal(2),   ν − 1 ~ Gamma(2, 0.1),

and `difference` is δ0 in the measure's own units.

Answer: `theta` is the probability that *the next dataset's* δ lies above the rope, in it or below
it. P(statement) is the posterior probability that its region is the most probable of the three, as
in the paper (without a rope there are two regions). Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    tails = bc.methods.ModelFile("hierarchical_t", priors={"nu_minus_one": pm.Gamma.dist(2, 1)})
    c = bc.compare(results, method=tails)

Ten times ten folds need ``priors={"folds": 10}``, and independent seeds
``{"folds": float("inf")}``. Otherwise every replicate counts as a fold, and more than 20 are
refused.

Reference: Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of
classifiers through Bayesian hierarchical modelling. The paper's prior of the replicates'
standard deviation is uniform; here it is the prior of the correlated t-test, 1/σ_i.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from scipy.special import gammaln

from bayescompare.modelling import prior

REPLICATES = True
#: log w at which its integral is evaluated, by the trapezoidal rule.
STEP = 0.15
NODES = np.arange(-16.0, 4.0, STEP)


def build(
    results,
    *,
    folds=None,
    delta0=pm.Normal.dist(0.0, 2.0),
    sigma0=pm.HalfNormal.dist(2.0),
    nu_minus_one=pm.Gamma.dist(2.0, 0.1),
):
    mean, error, freedom, unit = seen(results, folds)
    rope = (results[results.measures[0]].rope or 0.0) / unit
    a, b = results.algorithms
    labels = [f"{a}>{b}", f"{a}={b}", f"{b}>{a}"] if rope else [f"{a}>{b}", f"{b}>{a}"]
    with pm.Model(coords={"statement": labels, "dataset": results.datasets}) as model:
        delta0 = prior("delta0", delta0, positive=False)
        sigma0 = prior("sigma0", sigma0, positive=True)
        nu = pm.Deterministic("nu", 1.0 + prior("nu_minus_one", nu_minus_one, positive=True))
        u = pm.Gamma("u", freedom / 2, freedom / 2, dims="dataset")
        pm.Deterministic("difference", unit * delta0)
        population = pm.StudentT.dist(nu, mu=delta0, sigma=sigma0)
        upper, lower = (pt.exp(pm.logcdf(population, edge)) for edge in (rope, -rope))
        shares = [1 - upper, upper - lower, lower] if rope else [1 - upper, lower]
        pm.Deterministic("theta", pt.stack(shares), dims="statement")
        pm.CustomDist(
            "mean",
            unit * delta0,
            unit * sigma0,
            nu,
            error / pt.sqrt(u),
            logp=lambda *args: pt.logsumexp(mixture(*args, log=pt.log, gammaln=pt.gammaln), -1),
            random=draw,
            observed=mean,
            dims="dataset",
        )
    return model


def mixture(x, centre, spread, nu, error, log=np.log, gammaln=gammaln):
    """Log density of x at every node of w, given which it is normal."""
    x, centre, spread, nu, error = (v[..., None] for v in (x, centre, spread, nu, error))
    half = nu / 2
    weight = half * log(half) - gammaln(half) + half * (NODES - np.exp(NODES)) + np.log(STEP)
    variance = spread**2 * np.exp(-NODES) + error**2
    return weight - 0.5 * log(2 * np.pi * variance) - 0.5 * (x - centre) ** 2 / variance


def draw(centre, spread, nu, error, rng=None, size=None):
    """Mean differences seen on new datasets."""
    return centre + spread * rng.standard_t(nu, size=size) + error * rng.normal(size=size)


def seen(results, folds=None):
    """Mean difference of each dataset, its standard error, degrees of freedom, and the unit."""
    if len(results.algorithms) != 2 or len(results.measures) != 1:
        raise ValueError(
            f"two algorithms and one measure are compared here, not {len(results.algorithms)} "
            f"and {len(results.measures)}: choose by algorithms=[...] and measures=[...]."
        )
    if folds is not None and not folds >= 2:
        raise ValueError(f"folds={folds!r}: there are at least two, for ρ = 1/folds.")
    measure = results.measures[0]
    cells = results.data[measure].transpose("dataset", "algorithm", "replicate").values
    x = results[measure].sign * (cells[:, 0] - cells[:, 1])
    k = np.isfinite(x).sum(axis=1)  # datasets may have different numbers of replicates
    if folds is None and k.max() > 20:
        raise ValueError(
            f"folds is missing: with {k.max()} replicates no correlation can be guessed; give "
            "priors={'folds': 10} for ten times ten folds, {'folds': float('inf')} for independent "
            "seeds (command line: --set folds=10)."
        )
    deviation = np.nanstd(x, axis=1, ddof=1)
    if not deviation.any():
        raise ValueError("no difference varies over the replicates: there is nothing to model.")
    # Replicates that are all equal were too few or too coarse to show how much they vary.
    deviation = np.maximum(deviation, 0.01 * deviation.mean())
    rho = 1.0 / (k if folds is None else folds)
    mean, error = np.nanmean(x, axis=1), deviation * np.sqrt(1 / k + rho / (1 - rho))
    return mean, error, k - 1.0, np.sqrt(np.mean(mean**2)) or np.mean(error)


def delta(posterior, results, folds=None, rng=None):
    """Draws of every dataset's δ_i, in the measure's units, from the posterior of this model."""
    rng = np.random.default_rng(rng)
    mean, error, _, unit = seen(results, folds)
    within = error**2 / posterior["u"].transpose("chain", "draw", "dataset")
    centre, spread, nu = (
        posterior[name].values[..., None] for name in ("difference", "sigma0", "nu")
    )
    terms = mixture(mean, centre, unit * spread, nu, np.sqrt(within.values))
    w = np.exp(NODES[np.argmax(terms + rng.gumbel(size=terms.shape), axis=-1)])
    between = (unit * spread) ** 2 / w
    share = between / (between + within)
    noise = rng.normal(size=w.shape)
    return (centre + share * (mean - centre) + np.sqrt(share * within) * noise).rename("delta")
