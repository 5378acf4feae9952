"""Spike and slab: "practically the same" is a hypothesis, with a probability and a Bayes factor.

Story: the differences d_i of two algorithms on dataset i, one for each measure, are normal around
the mean differences Δ over all datasets, and measures are correlated:

    d_i ~ MvNormal(Δ, Σ),   Σ = diag(sd) Ω diag(sd),   Ω ~ LKJ(2).

On each measure either the algorithms are practically the same, |Δ_j| ≤ rope_j (without a rope,
Δ_j = 0), or one of them is better by an effect of unknown size:

    P(same) = equal = ½:   Δ_j ~ Uniform(−rope_j, rope_j)                       (the spike),
    otherwise:             Δ_j = ±(rope_j + sd_j x),   x ~ HalfCauchy(scale)    (the slab),

with scale = √½: half of all effects are smaller than 0.7 standard deviations. The sd are `sigma`
times the root mean square of the differences, so that the prior σ_j ~ LogNormal(0, 1) suits any
measure. With one measure, no rope and a flat prior on log σ, this is the Bayesian t-test of Rouder
et al. (JZS).

NUTS needs no discrete variable for "same or not". Δ_j is a continuous function of one variable,
`position`: it stays in the rope (at 0) while |position| is at most the `edge` of a plateau, and
grows beyond. The density of `position` is that of a Cauchy variable with a plateau of mass `equal`
put in at its top. So Δ_j is exactly zero with the right probability, and given Δ the datasets are
independent, as leave-one-out needs. The density has a kink at the edge, so the steps are small.

Answer: `holds` is 1 for the statement that holds in a draw, and P(statement) is its mean. "A=B"
says that the algorithms are practically the same on a measure. The function `bayes_factor` weighs
"same" against "different" also where one of them has no draws. Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    small = bc.methods.ModelFile("spike_and_slab", priors={"scale": 0.2, "equal": 0.25})
    c = bc.compare(results, method=small)

References: Mitchell & Beauchamp (1988) for the spike and the slab; Rouder, Speckman, Sun, Morey &
Iverson (2009), Bayesian t tests for accepting and rejecting the null hypothesis; Morey & Rouder
(2011) for hypotheses that are intervals.
"""

import itertools

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from scipy.special import expit, log_ndtr, logsumexp

from bayescompare.modelling import lkj_cholesky, prior

QUANTITY = "holds"
#: The density has a kink at the edge of the plateau: small steps.
SAMPLER = {"target_accept": 0.95}


def build(results, *, equal=0.5, scale=0.5**0.5, sigma=pm.LogNormal.dist(0.0, 1.0), eta=2.0):
    """Build the model.

    Parameters
    ----------
    equal : prior
        Probability that the algorithms are practically the same on a measure.
    scale : prior over measure
        Median effect where they are not, in standard deviations of the differences. A number or a
        distribution is shared by all measures.
    sigma : prior over measure
        Standard deviation of the differences over datasets, divided by their root mean square.
    eta : prior
        How close to zero the correlations of the measures are; 1 is uniform, larger is closer.
    """
    seen, rope = differences(results)
    states = list(itertools.product(range(3), repeat=len(results.measures)))
    a, b = results.algorithms
    names = [f"{a}>{b}", f"{a}={b}", f"{b}>{a}"]
    coords = {
        "measure": results.measures,
        "other_measure": results.measures,
        "dataset": results.datasets,
        "statement": ["|".join(names[k] for k in state) for state in states],
    }
    with pm.Model(coords=coords) as model:
        equal = prior("equal", equal, within=(0, 1))
        scale = prior("scale", scale, "measure", shared=True, positive=True)
        unit = np.sqrt(np.mean(seen**2, axis=0))
        sigma = prior("sigma", sigma, "measure", positive=True) * pt.as_tensor(unit)
        sd = pm.Deterministic("sd", sigma, dims="measure")
        factor = lkj_cholesky(prior("eta", eta, positive=True))
        # A plateau as wide as two standard errors is entered and left most easily.
        narrow = pt.maximum(plateau(equal, 1.0)[0] * scale * np.sqrt(len(seen)), 1.0)
        position = pm.CustomDist(
            "position",
            equal,
            narrow,
            logp=position_logp,
            random=draw_position,
            class_name="SpikeAndSlab",
            dims="measure",
        )
        effect, _ = stretched(position, equal, narrow)
        inside = pt.minimum(pt.abs(position) / plateau(equal, narrow)[0], 1.0)
        size = rope * inside + sd * scale * effect
        mean = pm.Deterministic("difference", pt.sign(position) * size, dims="measure")
        state = pt.where(effect > 0.0, pt.where(position > 0.0, 0, 2), 1)
        holds = pt.all(pt.eq(state, np.array(states)), axis=-1)
        pm.Deterministic("holds", holds.astype("float64"), dims="statement")
        pm.MvNormal(
            "gap",
            mean,
            chol=sd[:, None] * factor,
            observed=pm.Data("seen", seen, dims=("dataset", "measure")),
            dims=("dataset", "measure"),
        )
    return model


def stretched(position, equal, narrow):
    """Effect (0 on the plateau), and its slope in `position`, from `narrow` at the edge to 1."""
    edge, bend = plateau(equal, narrow)
    far = pt.maximum(pt.abs(position) - edge, 0.0)
    pull = bend * (narrow - 1.0) / (bend + far)
    return far * (1.0 + pull), 1.0 + pull * bend / (bend + far)


def plateau(equal, narrow):
    """Half the width of the plateau, and how soon beyond it the slope is 1."""
    edge = np.pi / 2 * equal / (1.0 - equal) / narrow
    return edge, edge / 4.0


def position_logp(position, equal, narrow):
    """Log density: that of the effect, Cauchy, times the slope."""
    effect, slope = stretched(position, equal, narrow)
    return pt.log1p(-equal) - np.log(np.pi) - pt.log1p(effect**2) + pt.log(slope)


def draw_position(equal, narrow, rng=None, size=None):
    """On the plateau with probability `equal`, else where the effect is Cauchy."""
    edge, bend = plateau(equal, narrow)
    effect, side = np.abs(rng.standard_cauchy(size)), rng.choice([-1.0, 1.0], size)
    rest = effect - narrow * bend
    far = 0.5 * (rest + np.sqrt(rest**2 + 4.0 * bend * effect))
    same = rng.random(size) < equal
    return side * np.where(same, edge * rng.random(size), edge + far)


def probability(posterior):
    """Which statement holds in each draw."""
    return posterior["holds"]


def differences(results):
    """First less second by dataset and measure, and the rope of each measure (0 without one)."""
    if len(results.algorithms) != 2:
        raise ValueError(
            f"two algorithms are compared here, not {len(results.algorithms)}: choose them by "
            "algorithms=[...], or ask pairwise()."
        )
    values = results.oriented()
    seen = values[:, 0] - values[:, 1]
    for name, column in zip(results.measures, seen.T, strict=True):
        if np.ptp(column) == 0.0:
            raise ValueError(
                f"measure {name!r}: the difference is {column[0]:g} on every dataset, and nothing "
                "shows how it varies; leave this measure out."
            )
    return seen, np.array([results[name].rope or 0.0 for name in results.measures])


def bayes_factor(posterior, results, *, equal=0.5, scale=0.5**0.5):
    """Evidence for "practically the same" against "different", by measure.

    Given all else in a draw, the likelihood of Δ_j is normal, so that P(same) needs only the means
    of a normal density over the spike and over the slab. Their average over the draws is far more
    precise than a count of draws. `equal` and `scale` are those of the model; give the prior mean
    of `equal` where it is learned.
    """
    seen, rope = differences(results)
    delta, sd, omega = (posterior[name].values for name in ("difference", "sd", "omega"))
    share = posterior["equal"].values[..., None] if "equal" in posterior else equal
    if "scale" in posterior:
        scale = posterior["scale"].values.reshape(*delta.shape[:2], -1)
    precision = np.linalg.inv(omega) / (sd[..., :, None] * sd[..., None, :])
    own = np.diagonal(precision, axis1=-2, axis2=-1)
    centre = delta + np.einsum("...jk,...k->...j", precision, seen.mean(axis=0) - delta) / own
    width = 1 / np.sqrt(len(seen) * own)
    slab = [over_slab(side * centre, width, rope, scale * sd) for side in (1, -1)]
    odds = over_spike(abs(centre), width, rope) - np.logaddexp(*slab)
    same = expit(odds + np.log(share) - np.log1p(-share)).mean(axis=(0, 1))
    factor = same / (1 - same) * (1 - equal) / equal
    return xr.DataArray(factor, {"measure": list(results.measures)}, name="bayes_factor")


def over_spike(centre, width, rope):
    """Log mean of exp(−(Δ − centre)² / (2 width²)) over the rope; without one its value at 0."""
    edge = np.maximum(rope, 1e-9 * width)
    high, low = (log_ndtr((side * edge - centre) / width) for side in (1, -1))
    return high + np.log(-np.expm1(low - high)) + np.log(width * np.sqrt(np.pi / 2) / edge)


def over_slab(centre, width, rope, scale):
    """The same over one side of the slab, which has half its mass."""
    node, weight = np.polynomial.legendre.leggauss(100)
    low = np.maximum(rope, centre - 9 * width)
    x = low[..., None] + 9 * width[..., None] * (1 + node)
    past = (x - rope[:, None]) / scale[..., None]
    log_density = -np.log(np.pi * scale[..., None]) - np.log1p(past**2)
    square = ((x - centre[..., None]) / width[..., None]) ** 2
    return logsumexp(log_density - 0.5 * square, b=9 * width[..., None] * weight, axis=-1)
