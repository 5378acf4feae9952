"""The hierarchical correlated t-test: replicates of two algorithms on many datasets.

Story: on dataset i the k_i replicates (folds) of "first minus second" have mean x̄_i and standard
deviation s_i, and every two of them correlation ρ = 1/folds, because folds share training data.
The true mean differences δ_i come from a population of datasets, heavy-tailed so that one odd
dataset does not widen it:

    x̄_i ~ Student-t(k_i − 1, δ_i, s_i √(1/k_i + ρ/(1 − ρ))),   δ_i ~ Student-t(ν, δ0, σ0).

Each Student-t is a normal with a Gamma-distributed precision (u_i, w_i), given which δ_i has been
integrated out; `delta` puts it back. δ0 and σ0 are in units of the root mean square of the x̄_i,
so that the priors suit any measure; `difference` is δ0 in the measure's own.

What is answered: `theta` is the probability that *the next dataset's* δ lies above the rope, in it
or below it, and P(statement) is the posterior probability that this region is the most probable of
the three, as in the paper (without a rope there are two regions). Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    tails = bc.methods.ModelFile("hierarchical_t", priors={"nu_minus_one": pm.Gamma.dist(2, 1)})
    c = bc.compare(results, method=tails)

Ten times ten folds need ``priors={"folds": 10}``; otherwise every replicate is taken for a fold.

Reference: Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of
classifiers through Bayesian hierarchical modelling. There the prior of the replicates' standard
deviation is uniform, here it is that of the correlated t-test, 1/σ_i.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from bayescompare.modelling import prior

REPLICATES = True


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
        delta0, sigma0 = prior("delta0", delta0), prior("sigma0", sigma0)
        nu = pm.Deterministic("nu", 1.0 + prior("nu_minus_one", nu_minus_one))
        w = pm.Gamma("w", nu / 2, nu / 2, dims="dataset")
        u = pm.Gamma("u", freedom / 2, freedom / 2, dims="dataset")
        spread = pt.sqrt(sigma0**2 / w + (error / unit) ** 2 / u)
        pm.Deterministic("difference", unit * delta0)
        population = pm.StudentT.dist(nu, mu=delta0, sigma=sigma0)
        upper, lower = (pt.exp(pm.logcdf(population, edge)) for edge in (rope, -rope))
        shares = [1 - upper, upper - lower, lower] if rope else [1 - upper, lower]
        pm.Deterministic("theta", pt.stack(shares), dims="statement")
        pm.Normal("mean", unit * delta0, unit * spread, observed=mean, dims="dataset")
    return model


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
    mean, error, _, unit = seen(results, folds)
    between = (unit * posterior["sigma0"]) ** 2 / posterior["w"]
    within = error**2 / posterior["u"]
    share = between / (between + within)
    centre = posterior["difference"] + share * (mean - posterior["difference"])
    noise = np.random.default_rng(rng).normal(size=centre.shape)
    return (centre + np.sqrt(share * within) * noise).rename("delta")
