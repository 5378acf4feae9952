"""Logistic-normal: statements that agree on more measures have more similar probabilities.

Story: under a Dirichlet any two statements are (almost) independent, although "A better on both"
and "A better on the first only" share half of their content. Here the log-odds η of the statements
form one Gaussian process. What we learn about a statement also informs the others, reduced by the
factor ρ for each measure on which they differ:

    η ~ MvNormal(0, Σ),   Σ_kl = σ² ρ^(number of measures on which k and l differ),
    θ = softmax(η),       statement of dataset i ~ Categorical(θ),
    ρ ~ Beta(2, 2),       σ = 1.5.

With ρ = 0 the statements are unrelated; as ρ grows, the measures' main effects dominate. Only
differences of η matter, and σ and ρ both scale them. One prior is enough to learn this scale. A
second one, such as ``"sigma": pm.HalfNormal.dist(2)``, may need
``sampler={"target_accept": 0.95}``. Ties split a dataset's weight over the statements they allow.
Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    alike = bc.methods.ModelFile("logistic_normal", priors={"rho": pm.Beta.dist(8, 2)})
    c = bc.compare(results, method=alike)

References: Aitchison & Shen (1980), Logistic-normal distributions; Rasmussen & Williams (2006),
Chapter 4, for kernels.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from bayescompare.modelling import observe_statements, prior, statement_table

#: The likelihood of a dataset is the probability of its joint statement.
DATA_SCALE = "statements"


def build(results, *, sigma=1.5, rho=pm.Beta.dist(2.0, 2.0)):
    """Build the model.

    Parameters
    ----------
    sigma : prior
        Spread of the statements' log-odds.
    rho : prior
        Correlation of the log-odds of two statements that differ on one measure.
    """
    table = statement_table(results)
    differ = (table.states[:, None, :] != table.states[None, :, :]).sum(axis=-1)
    coords = {"statement": table.labels, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        sigma, rho = prior("sigma", sigma, positive=True), prior("rho", rho, within=(0, 1))
        kernel = rho**differ + 1e-8 * np.eye(len(differ))
        z = pm.Normal("z", dims="statement")
        eta = pm.Deterministic("eta", sigma * (pt.linalg.cholesky(kernel) @ z), dims="statement")
        theta = pm.Deterministic("theta", pm.math.softmax(eta), dims="statement")
        observe_statements(theta, table)
    return model
