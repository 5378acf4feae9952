"""Bradley-Terry with ties (Davidson): who beats whom, when small differences do not count.

Story: two algorithms meet on a dataset. One of them wins, or they tie because they differ by no
more than the measure's rope (without a rope, only exact ties count):

    P(a beats b) = π_a / (π_a + π_b + ν √(π_a π_b)),   P(tie) = ν √(π_a π_b) / (the same),

with π = exp(strength). ν is the tendency to tie: equal algorithms tie with probability ν / (2 + ν).

    strength ~ σ Normal(0, 1), summing to zero;   σ = 1.5;   ν ~ LogNormal(0, 1.5).

With many algorithms σ can be learned: ``priors={"sigma": pm.HalfNormal.dist(1.5)}``. With two
algorithms there is only one difference to learn it from.

The rope applies to each pair and dataset separately. So it need not be transitive, and the model
takes any number of algorithms with a rope. With more than two, the model treats the pairs of a
dataset as independent. They are not quite, so the verdict is somewhat too certain; without a rope,
`plackett_luce` avoids this. The model takes one measure. Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    rare = bc.methods.ModelFile("bradley_terry", priors={"nu": pm.LogNormal.dist(-2, 0.5)})
    c = bc.compare(results, method=rare, measures=["accuracy"])

References: Bradley & Terry (1952); Davidson (1970), On extending the Bradley-Terry model to
accommodate ties.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from bayescompare.modelling import prior, table_of_ranks

#: Of two algorithms with a rope, an outcome is a statement; elsewhere pairs are what it predicts.
DATA_SCALE = "statements"


def build(results, *, sigma=1.5, nu=pm.LogNormal.dist(0.0, 1.5)):
    """Build the model.

    Parameters
    ----------
    sigma : prior
        Spread of the algorithms' strengths.
    nu : prior
        Tendency to tie: equal algorithms tie with probability ν / (2 + ν).
    """
    if len(results.measures) != 1:
        raise ValueError(f"one measure is judged here, not {len(results.measures)}: choose one.")
    names = results.algorithms
    first, second = np.triu_indices(len(names), k=1)
    coords = {
        "algorithm": names,
        "opponent": names,
        "pair": [f"{names[a]} - {names[b]}" for a, b in zip(first, second, strict=True)],
        "dataset": results.datasets,
    }
    seen = meetings(results, first, second)
    with pm.Model(coords=coords) as model:
        sigma, nu = prior("sigma", sigma, positive=True), prior("nu", nu, positive=True)
        z = pm.ZeroSumNormal("z", dims="algorithm")
        strength = pm.Deterministic("strength", sigma * z, dims="algorithm")
        gap = strength[:, None] - strength[None, :]
        pm.Deterministic("better", davidson(gap, nu)[..., 0], dims=("algorithm", "opponent"))
        pm.CustomDist(
            "outcome",
            davidson(gap[first, second], nu),
            logp=logp,
            random=draw,
            signature="(p,s)->(p)",
            class_name="Davidson",
            observed=pm.Data("seen", seen, dims=("dataset", "pair")),
            dims=("dataset", "pair"),
            dtype="int64",
        )
    return model


def davidson(gap, nu):
    """Probabilities that the first wins, that they tie and that the second wins."""
    return pm.math.softmax(pt.stack([gap / 2, pt.log(nu) + 0 * gap, -gap / 2], axis=-1), axis=-1)


def meetings(results, first, second):
    """Outcome by dataset and pair: 0 the first is better, 1 they tie, 2 the second is."""
    values = results.oriented()[:, :, 0]
    a, b = values[:, first], values[:, second]
    rope = results[results.measures[0]].rope or 0.0
    rope = rope + 1e-12 * np.maximum(abs(a), abs(b))
    return np.where(a - b > rope, 0, np.where(b - a > rope, 2, 1))


def table(predicted, results):
    """Two algorithms' values that show predicted outcomes; more may beat each other in a circle."""
    if len(results.algorithms) != 2:
        raise ValueError("outcomes of three or more algorithms need not fit any table of values.")
    outcome = predicted["outcome"].transpose("dataset", "pair").values
    return table_of_ranks(np.stack([outcome == 2, outcome == 0], axis=1), results)


def logp(outcome, probability):
    """One number per dataset: the sum over its pairs."""
    chosen = sum(pt.eq(outcome, k) * pt.log(probability[..., k]) for k in range(3))
    return chosen.sum(axis=-1)


def draw(probability, rng=None, size=None):
    """Outcomes of every pair on new datasets."""
    shape = probability.shape[:-1] if size is None else (*size, probability.shape[-2])
    return (rng.random(shape)[..., None] > probability.cumsum(-1)[..., :2]).sum(-1)
