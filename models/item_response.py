"""Item response: abilities of algorithms, as persons, from their values on datasets, as items.

Story: a dataset is an item of a test. On dataset i and measure j algorithm a reaches the value

    y_iaj = location_ij + scale_ij (s_aj + ε_iaj / δ_ij),   ε ~ Normal(0, 1)

(turned so that higher is better), with its ability s_aj. This is Samejima's continuous response
model. Every dataset has a location, which says how easy it is, a scale, and a discrimination δ,
which says how well it separates good algorithms from bad ones:

    log δ_ij ~ Normal(0, τ),   τ ~ HalfNormal(0.5).

Location and scale have flat priors and are integrated out: what remains is the `score`, the values
of a dataset less their mean and divided by their length. So datasets count alike whatever the units
of their values. The score is a point on a sphere with a projected normal density; with q = l − 1

    p(score | s, δ) = (2π)^(−q/2) exp(−δ²|s|²/2) ∫₀^∞ r^(q−1) exp(r δ s·score − r²/2) dr,

where δ is integrated out too, by a sum over its quantiles. With two algorithms this is the
probability Φ(± δ (s_a − s_b)/√2) of who is better. Algorithms that are all equal on a dataset have
no score, and tell nothing.

An algorithm of high ability on one measure tends to have it on correlated measures:

    s_a ~ σ MvNormal(0, Ω) over the measures, summing to zero over the algorithms,
    Ω ~ LKJ(2),   σ = 1.

`strength` is the ability. In contrast to models of ranks, it uses how far algorithms are apart.
Given the abilities, the measures of one dataset are independent. The function `discrimination`
computes δ_ij afterwards. Changed prior, so that all datasets separate alike, in three lines::

    import pymc as pm, bayescompare as bc
    alike = bc.methods.ModelFile("item_response", priors={"tau": 0.01})
    c = bc.compare(results, method=alike)

References: Samejima (1973), Homogeneous case of the continuous response model; Martínez-Plumed,
Prudêncio, Martínez-Usó & Hernández-Orallo (2019), Item response theory in AI; Presnell, Morrison &
Littell (1998) for the projected normal.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from pytensor.gradient import zero_grad
from scipy.linalg import helmert

from bayescompare.modelling import lkj_cholesky, prior

#: Standard normal quantiles of log δ, and their weights.
QUANTILES = np.arange(-4.8, 4.81, 0.4)
WEIGHTS = np.exp(-0.5 * QUANTILES**2) / np.exp(-0.5 * QUANTILES**2).sum()
#: Points and weights of Gauss for the integral over r.
NODES, GAUSS = np.polynomial.legendre.leggauss(32)
#: Measures that nearly agree leave little room between the abilities: small steps.
SAMPLER = {"target_accept": 0.95}


def build(results, *, sigma=1.0, tau=pm.HalfNormal.dist(0.5), eta=2.0):
    """Build the model.

    Parameters
    ----------
    sigma : prior over measure
        Spread of the algorithms' abilities, in units of the noise. A number or a distribution is
        shared by all measures; a function f(name, dims) that uses its dims makes one for each.
    tau : prior
        How much the datasets' discriminations differ: the standard deviation of log δ.
    eta : prior
        How close to zero the correlations of the measures are; 1 is uniform, larger is closer.
    """
    if any(results[name].rope is not None for name in results.measures):
        raise ValueError("abilities have no rope: leave it out, or see the model bradley_terry.")
    l, m = len(results.algorithms), len(results.measures)
    coords = {
        "algorithm": results.algorithms,
        "measure": results.measures,
        "other_measure": results.measures,
        "dataset": results.datasets,
        "axis": range(1, l),
    }
    seen = scores(results.oriented())
    with pm.Model(coords=coords) as model:
        sigma = prior("sigma", sigma, "measure", shared=True, positive=True)
        tau = prior("tau", tau, positive=True)
        factor = lkj_cholesky(prior("eta", eta, positive=True))
        # Centred: the scores say more about abilities than about their correlation.
        chol = (sigma * pt.ones(m))[:, None] * factor
        contrast = pm.MvNormal("contrast", np.zeros(m), chol=chol, dims=("axis", "measure"))
        basis = helmert(l).T  # orthonormal, each column summing to zero
        strength = pm.Deterministic("strength", basis @ contrast, dims=("algorithm", "measure"))
        pm.CustomDist(
            "score",
            strength,
            tau,
            logp=logp,
            random=draw,
            signature="(l,m),()->(l,m)",
            class_name="ItemResponse",
            observed=pm.Data("seen", seen, dims=("dataset", "algorithm", "measure")),
            dims=("dataset", "algorithm", "measure"),
        )
    return model


def scores(values):
    """Values less their mean over the algorithms, divided by their length (0 where all equal)."""
    centred = values - values.mean(axis=-2, keepdims=True)
    # What rounding leaves of equal values is no score.
    centred = np.where(np.ptp(values, axis=-2, keepdims=True) > 0, centred, 0.0)
    length = np.sqrt((centred**2).sum(axis=-2, keepdims=True))
    return centred / np.where(length > 0, length, 1.0)


def logp(score, strength, tau):
    """One number per dataset: the log density of its scores, summed over the measures."""
    terms = terms_of(score, strength, tau, pt)
    return pt.logsumexp(terms, axis=-1).sum(axis=-1)


def terms_of(score, strength, tau, lib):
    """Log of weight times density at every quantile of δ, by dataset and measure."""
    q = score.shape[-2] - 1.0
    delta = lib.exp(tau[..., None, None] * QUANTILES)
    along = (score * strength).sum(-2)[..., None]
    square = (strength**2).sum(-2)[..., None] * lib.sign((score**2).sum(-2))[..., None]
    radial = log_radial(delta * along, q, lib)
    return np.log(WEIGHTS) + radial - 0.5 * delta**2 * square - 0.5 * q * np.log(2 * np.pi)


def log_radial(t, q, lib):
    """Log ∫₀^∞ r^(q−1) exp(r t − r²/2) dr, by Gauss's rule wherever the integrand is not nil.

    It is at most a normal density of deviation 1 around `mode`, and for t ≪ 0 a Gamma density.
    """
    root = lib.sqrt(t**2 + 4 * q)
    low, high = 2 * q / (root - lib.minimum(t, 0.0)), 0.5 * (root + lib.maximum(t, 0.0))
    mode = fixed(lib.where(t > 0, high, low))
    below = lib.minimum(9.0, 9.0 / lib.sqrt(q) * mode)
    above = lib.minimum(9.0, (37.0 + 9.0 * lib.sqrt(q)) / q * mode)
    start, half = lib.maximum(mode - below, 0.0), 0.5 * (above + lib.minimum(mode, below))
    r = start[..., None] + half[..., None] * (1 + NODES)
    m = mode[..., None]
    power = (q - 1) * lib.log(r / m) + (r - m) * (t[..., None] - 0.5 * (r + m))
    top = (q - 1) * lib.log(mode) + mode * (t - 0.5 * mode)
    return top + lib.log(half * (lib.exp(power) * GAUSS).sum(-1))


def fixed(x):
    """The same, without a gradient: where an integral is evaluated does not change it."""
    return zero_grad(x) if isinstance(x, pt.TensorVariable) else x


def draw(strength, tau, rng=None, size=None):
    """Scores on new datasets."""
    shape = strength.shape if size is None else (*size, *strength.shape[-2:])
    delta = np.exp(np.asarray(tau)[..., None, None] * rng.normal(size=(*shape[:-2], 1, shape[-1])))
    return scores(delta * strength + rng.normal(size=shape))


def discrimination(posterior, results, *, tau=None, rng=None):
    """Draws of δ for every dataset and measure; give `tau` where it was a number."""
    rng = np.random.default_rng(rng)
    strength = posterior["strength"].transpose("chain", "draw", "algorithm", "measure").values
    tau = posterior["tau"].values if tau is None else np.full(strength.shape[:2], tau)
    seen = scores(results.oriented())
    terms = terms_of(seen, strength[:, :, None], tau[:, :, None], np)
    chosen = QUANTILES[np.argmax(terms + rng.gumbel(size=terms.shape), axis=-1)]
    coords = {"dataset": list(results.datasets), "measure": list(results.measures)}
    dims = ("chain", "draw", "dataset", "measure")
    return xr.DataArray(np.exp(tau[:, :, None, None] * chosen), coords, dims, name="discrimination")
