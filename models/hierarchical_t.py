"""The hierarchical correlated t-test: replicates of two algorithms on many datasets.

Story: on dataset i the k_i replicates (folds) of "first minus second" are normal with mean δ_i and
variance σ_i². Any two of them have correlation ρ = 1/folds, because folds share training data. The
true mean differences δ_i come from a population of datasets. It has heavy tails, so one unusual
dataset does not widen it:

    x_i ~ MvNormal(δ_i 1, σ_i² [(1 − ρ) I + ρ 1 1ᵀ]),   δ_i ~ Student-t(ν, δ0, σ0).

All that the folds say of δ_i is in their mean x̄_i and standard deviation s_i. With the prior 1/σ_i
integrated out,

    x̄_i ~ Student-t(k_i − 1, δ_i, s_i √(1/k_i + ρ/(1 − ρ))).

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

The published priors are another choice, ``priors={"priors_of": "corani2017", "folds": 10}``, or
``--set priors_of=corani2017`` on the command line:

    δ0 ~ Uniform(−max|x|, max|x|),   σ0 ~ Uniform(0, 1000 sd(x̄)),   σ_i ~ Uniform(0, 1000 s̄),
    ν − 1 ~ Gamma(α, β),   α ~ Uniform(0.5, 5),   β ~ Uniform(0.05, 0.15),

with "benavoli2017" for the earlier α ~ Uniform(1, 2), β ~ Uniform(0.01, 0.1) of the tutorial and of
baycomp. Under a flat prior of σ_i the Student-t of x̄_i has k_i − 2 degrees of freedom and a scale
larger by √((k_i − 1)/(k_i − 2)). Its bound of 1000 s̄ is left out: from five folds on, the posterior
of σ_i has practically nothing beyond it. The papers first divide all differences by s̄, which
changes nothing under uniform priors. Where folds do not vary at all, s_i is that of the noise which
the papers add, uniform in the rope.

References: Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of
classifiers through Bayesian hierarchical modelling; Benavoli, Corani, Demšar & Zaffalon (2017),
Time for a change.
"""

from dataclasses import replace

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from scipy.special import gammaln, logsumexp

from bayescompare import Results
from bayescompare.modelling import prior

REPLICATES = True
#: log w at which its integral is evaluated, densely at 0, and the logs of their weights.
_GRID = np.linspace(-np.arcsinh(24.0 / 0.7), np.arcsinh(4.3 / 0.7), 120)
NODES = 0.7 * np.sinh(_GRID)
WEIGHTS = np.log(0.7 * np.cosh(_GRID) * (_GRID[1] - _GRID[0]))
#: Published priors ν − 1 ~ Gamma(α, β): the ranges in which α and β are uniform.
PUBLISHED = {"corani2017": ((0.5, 5.0), (0.05, 0.15)), "benavoli2017": ((1.0, 2.0), (0.01, 0.1))}
#: The published bounds of standard deviations, in those of the data.
WIDE = 1000.0
DELTA0, SIGMA0 = pm.Normal.dist(0.0, 2.0), pm.HalfNormal.dist(2.0)
NU_MINUS_ONE = pm.Gamma.dist(2.0, 0.1)


def build(
    results,
    *,
    folds=None,
    priors_of=None,
    delta0=DELTA0,
    sigma0=SIGMA0,
    nu_minus_one=NU_MINUS_ONE,
):
    """Build the model.

    Parameters
    ----------
    folds : number
        Folds of the cross-validation, so that ρ = 1/folds; infinite for independent seeds. Default:
        the number of replicates, up to 20.
    priors_of : "corani2017" or "benavoli2017"
        The published priors, in place of the defaults below.
    delta0 : prior
        Location of the population of differences, in units of the root mean square of the datasets'
        mean differences.
    sigma0 : prior
        Scale of the population of differences, in the same units.
    nu_minus_one : prior
        Degrees of freedom of the population of differences, less one.
    """
    mean, error, freedom, unit = seen(results, folds, priors_of)
    if priors_of is not None:
        # What the user gave stays; a default is replaced.
        flat = published(results, priors_of, unit)
        delta0 = flat["delta0"] if delta0 is DELTA0 else delta0
        sigma0 = flat["sigma0"] if sigma0 is SIGMA0 else sigma0
        nu_minus_one = flat["nu_minus_one"] if nu_minus_one is NU_MINUS_ONE else nu_minus_one
    rope = (results[results.measures[0]].rope or 0.0) / unit
    a, b = results.algorithms
    labels = [f"{a}>{b}", f"{a}={b}", f"{b}>{a}"] if rope else [f"{a}>{b}", f"{b}>{a}"]
    with pm.Model(coords={"statement": labels, "dataset": results.datasets}) as model:
        mean = pm.Data("seen", mean, dims="dataset")
        error = pm.Data("error", error, dims="dataset")
        freedom = pm.Data("freedom", freedom, dims="dataset")
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
            class_name="NormalStudentT",
            observed=mean,
            dims="dataset",
        )
    return model


def mixture(x, centre, spread, nu, error, log=np.log, gammaln=gammaln):
    """Log density of x at every node of w, given which it is normal."""
    x, centre, spread, nu, error = (v[..., None] for v in (x, centre, spread, nu, error))
    half = nu / 2
    weight = half * log(half) - gammaln(half) + half * (NODES - np.exp(NODES)) + WEIGHTS
    variance = spread**2 * np.exp(-NODES) + error**2
    return weight - 0.5 * log(2 * np.pi * variance) - 0.5 * (x - centre) ** 2 / variance


def draw(centre, spread, nu, error, rng=None, size=None):
    """Mean differences seen on new datasets."""
    return centre + spread * rng.standard_t(nu, size=size) + error * rng.normal(size=size)


def differences(results):
    """First minus second by dataset and replicate, turned so that larger is better."""
    if len(results.algorithms) != 2 or len(results.measures) != 1:
        raise ValueError(
            f"two algorithms and one measure are compared here, not {len(results.algorithms)} "
            f"and {len(results.measures)}: choose by algorithms=[...] and measures=[...]."
        )
    measure = results.measures[0]
    cells = results.data[measure].transpose("dataset", "algorithm", "replicate").values
    return results[measure].sign * (cells[:, 0] - cells[:, 1])


def seen(results, folds=None, priors_of=None):
    """Mean difference of each dataset, its standard error, degrees of freedom, and the unit."""
    x = differences(results)
    k = np.isfinite(x).sum(axis=1)  # datasets may have different numbers of replicates
    check(results, k, folds, priors_of)
    deviation = np.nanstd(x, axis=1, ddof=1)
    same = deviation <= 1e-12 * np.nanmax(abs(x))
    if same.all():
        raise ValueError("no difference varies over the replicates: there is nothing to model.")
    rope = results[results.measures[0]].rope
    # Replicates that are all equal were too few or too coarse to show how much they vary.
    if priors_of is not None and rope:
        # As published: noise that is uniform in the rope.
        deviation[same] = rope * np.sqrt(k[same] / (3.0 * (k[same] - 1.0)))
    else:
        deviation = np.maximum(deviation, 0.01 * deviation.mean())
    rho = 1.0 / (k if folds is None else folds)
    mean, error = np.nanmean(x, axis=1), deviation * np.sqrt(1 / k + rho / (1 - rho))
    freedom = k - 1.0
    if priors_of is not None:
        freedom, error = k - 2.0, error * np.sqrt((k - 1.0) / (k - 2.0))
    return mean, error, freedom, np.sqrt(np.mean(mean**2)) or np.mean(error)


def check(results, k, folds, priors_of):
    """Refuse what cannot be a number of folds, or the name of a prior."""
    if folds is not None and not folds >= 2:
        raise ValueError(f"folds={folds!r}: there are at least two, for ρ = 1/folds.")
    if folds is None and k.max() > 20:
        raise ValueError(
            f"folds is missing: with {k.max()} replicates no correlation can be guessed; give "
            "priors={'folds': 10} for ten times ten folds, {'folds': float('inf')} for independent "
            "seeds (command line: --set folds=10)."
        )
    if priors_of is not None and priors_of not in PUBLISHED:
        raise ValueError(f"priors_of={priors_of!r}: there are {' and '.join(PUBLISHED)}.")
    if priors_of is not None and k.min() < 3:
        raise ValueError(
            f"priors_of={priors_of!r}: its flat prior needs three replicates on each dataset, and "
            f"{results.datasets[k.argmin()]} has {k.min()}; leave priors_of out."
        )


def published(results, priors_of, unit):
    """The priors of the paper, in the units of this model."""
    x = differences(results)
    largest = np.nanmax(abs(x)) / unit
    among = np.std(np.nanmean(x, axis=1), ddof=1) if len(x) > 1 else 0.0
    among = (among or np.nanstd(x, axis=1, ddof=1).mean()) / unit
    alpha, beta = PUBLISHED[priors_of]

    def nu_minus_one(name, dims):
        return pm.Gamma(name, pm.Uniform("alpha", *alpha), pm.Uniform("beta", *beta))

    return {
        "delta0": pm.Uniform.dist(-largest, largest),
        "sigma0": pm.Uniform.dist(0.0, WIDE * among),
        "nu_minus_one": nu_minus_one,
    }


def table(predicted, results):
    """Replicates as those seen, moved so that each dataset has its predicted mean difference.

    They vary as they did. Without bounds, for a prior in units of the differences knows of none.
    """
    name = results.measures[0]
    cells = results.data[name].transpose("dataset", "algorithm", "replicate")
    wanted = results[name].sign * predicted["mean"].values
    moved = cells.values.copy()
    moved[:, 0] += (wanted - np.nanmean(moved[:, 0] - moved[:, 1], axis=1))[:, None]
    data = results.data.assign({name: (cells.dims, moved)})
    spec = {name: replace(results[name], bounds=None)}
    return Results(data, spec, replicates=results.replicates)


def log_likelihood(posterior, results, folds=None, priors_of=None):
    """Log density of each mean difference, whose own precision u is unknown where it is left out.

    It is ∫ p q for p, the Student-t of the population, and q, that of the mean given δ_i:
    the expectation of p q / (p + q) under p plus that under q, each on a grid of its own.
    """
    means, errors, freedoms, unit = seen(results, folds, priors_of)
    step = np.linspace(-16.0, 16.0, 321)
    wide, log_width = np.sinh(step), np.log(np.cosh(step) * (step[1] - step[0]))
    centre, spread, nu = (
        posterior[name].transpose("chain", "draw").values[..., None]
        for name in ("difference", "sigma0", "nu")
    )
    columns = []
    for mean, error, freedom in zip(means, errors, freedoms, strict=True):
        both = (nu, centre, unit * spread), (freedom, mean, error)
        terms = []
        for own, other in (both, both[::-1]):
            at = own[1] + own[2] * wide
            p, q = (log_t(at, *each) for each in (own, other))
            terms.append(2.0 * p + q - np.logaddexp(p, q) + np.log(own[2]) + log_width)
        columns.append(logsumexp(np.concatenate(np.broadcast_arrays(*terms), axis=-1), axis=-1))
    like = posterior["u"].transpose("chain", "draw", "dataset")
    return like.copy(data=np.stack(columns, axis=-1)).rename("log_likelihood")


def log_t(x, nu, centre, scale):
    """Log density of a Student-t."""
    half = (nu + 1.0) / 2
    norm = gammaln(half) - gammaln(nu / 2) - 0.5 * np.log(np.pi * nu) - np.log(scale)
    return norm - half * np.log1p(((x - centre) / scale) ** 2 / nu)


def delta(posterior, results, folds=None, priors_of=None, rng=None):
    """Draws of every dataset's δ_i, in the measure's units, from the posterior of this model."""
    rng = np.random.default_rng(rng)
    mean, error, _, unit = seen(results, folds, priors_of)
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
