"""Who wins depends on the dataset: logistic regression on dataset covariates.

Story: the first algorithm beats the second on dataset i with a probability that depends on known
properties of the dataset (its size, its number of features, …), standardised to x_i:

    logit p_i = α + β·x_i,   y_i ~ Bernoulli(p_i),   α ~ Normal(0, 1.5),   β ~ τ Normal(0, 1).

τ ~ HalfNormal(1) learns how much covariates matter at all. `better` is the probability of winning
on the average dataset, and `p` on each observed one. A tie, or a difference within the measure's
rope, is half a win for each. The model takes two algorithms and one measure. Covariates are a
DataFrame indexed by dataset, or a dict {name: {dataset: value}}. Without covariates this is a sign
test with a normal prior::

    import numpy as np, bayescompare as bc
    size = {"log n": {"iris": np.log(150), "wine": np.log(178), ...}}
    c = bc.compare(results, method=bc.methods.ModelFile("covariates", priors={"covariates": size}))

The win on datasets not yet seen, from their covariates in the same units::

    with c.model() as model:
        pm.set_data({"covariates": new, "seen": np.zeros(len(new))}, coords={"dataset": names})
        wins = pm.sample_posterior_predictive(c.tree, predictions=True)

Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    cautious = bc.methods.ModelFile("covariates", priors={"covariates": size, "tau": 0.3})
    c = bc.compare(results, method=cautious)

Reference: Gelman, Jakulin, Pittau & Su (2008), A weakly informative default prior distribution for
logistic and other regression models.
"""

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt

from bayescompare.modelling import prior

#: The likelihood of a dataset is the probability of its joint statement.
DATA_SCALE = "statements"


def build(
    results, *, covariates=None, intercept=pm.Normal.dist(0.0, 1.5), tau=pm.HalfNormal.dist(1.0)
):
    """Build the model.

    Parameters
    ----------
    covariates : DataFrame or dict
        Properties of the datasets: a DataFrame indexed by dataset, or {name: {dataset: value}}.
    intercept : prior
        Log-odds that the first algorithm wins on the average dataset.
    tau : prior
        How much covariates matter: the spread of their slopes.
    """
    x = covariate_table(covariates, results.datasets)
    coords = {
        "algorithm": results.algorithms,
        "opponent": results.algorithms,
        "dataset": results.datasets,
        "covariate": [str(name) for name in x],
    }
    with pm.Model(coords=coords) as model:
        seen = pm.Data("seen", wins(results), dims="dataset")
        alpha = prior("intercept", intercept, positive=False)
        logit = alpha + pt.zeros_like(seen)
        if len(x.columns):
            # In their own units, so that new datasets are scaled as the old ones were.
            data = pm.Data("covariates", x.to_numpy(), dims=("dataset", "covariate"))
            scaled = (data - x.mean().to_numpy()) / x.std(ddof=0).to_numpy()
            z = pm.Normal("z", dims="covariate")
            tau = prior("tau", tau, positive=True)
            beta = pm.Deterministic("beta", tau * z, dims="covariate")
            logit = alpha + scaled @ beta
        average = pm.math.sigmoid(pt.stack([[0.0 * alpha, alpha], [-alpha, 0.0 * alpha]]))
        pm.Deterministic("better", average, dims=("algorithm", "opponent"))
        pm.Deterministic("p", pm.math.sigmoid(logit), dims="dataset")
        pm.CustomDist(
            "win",
            logit,
            logp=logp,
            random=draw,
            class_name="SplitBernoulli",
            observed=seen,
            dims="dataset",
        )
    return model


def covariate_table(covariates, datasets):
    """The covariates, a row for each dataset."""
    if covariates is None:
        return pd.DataFrame(index=list(datasets))
    table = pd.DataFrame(covariates)
    absent = [name for name in datasets if name not in table.index]
    if absent:
        raise ValueError(f"covariates: no row for {', '.join(absent)}; index them by dataset.")
    table = table.loc[list(datasets)].astype(float)
    for name, values in table.items():
        if not np.isfinite(values).all() or np.ptp(values) == 0.0:
            raise ValueError(f"covariate {name!r} is missing somewhere, infinite or constant.")
    return table


def wins(results):
    """1 where the first algorithm wins, 0 where the second does, ½ where neither."""
    if len(results.algorithms) != 2 or len(results.measures) != 1:
        raise ValueError(
            f"two algorithms and one measure are compared here, not {len(results.algorithms)} "
            f"and {len(results.measures)}: choose by algorithms=[...] and measures=[...]."
        )
    first, second = results.oriented()[:, :, 0].T
    rope = (results[results.measures[0]].rope or 0.0) + 1e-12 * np.maximum(abs(first), abs(second))
    return np.where(abs(first - second) <= rope, 0.5, first > second).astype(float)


def logp(win, logit):
    """Half a win counts half: ½ log p + ½ log(1 − p)."""
    return win * logit - pt.softplus(logit)


def draw(logit, rng=None, size=None):
    """Who wins on new datasets like these; nobody ties."""
    return (rng.random(size) < 1 / (1 + np.exp(-logit))).astype(float)
