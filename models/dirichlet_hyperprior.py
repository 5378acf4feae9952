"""The multinomial-Dirichlet test with a prior on how concentrated the statements are.

Story: each dataset supports one statement, with probabilities θ. How even θ is, is learned too:

    α ~ Gamma(2, 1),   θ ~ Dirichlet(α, …, α),   statement of dataset i ~ Categorical(θ),

where α is the `concentration`.

Ties split a dataset's weight over the statements they allow. Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    prior = {"concentration": pm.HalfNormal.dist(3)}
    c = bc.compare(results, method=bc.methods.ModelFile("dirichlet_hyperprior", priors=prior))

Reference: de Campos & Benavoli (2016), Section 4; Minka (2000) for learning α.
"""

import pymc as pm
import pytensor.tensor as pt

from bayescompare.modelling import observe_statements, prior, statement_table

#: The likelihood of a dataset is the probability of its joint statement.
DATA_SCALE = "statements"


def build(results, *, concentration=pm.Gamma.dist(2.0, 1.0)):
    """Build the model.

    Parameters
    ----------
    concentration : prior
        α of every statement: near 0 a few statements are likely, at large values all are alike.
    """
    table = statement_table(results)
    coords = {"statement": table.labels, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        alpha = prior("concentration", concentration, positive=True)
        theta = pm.Dirichlet("theta", pt.ones(len(table.labels)) * alpha, dims="statement")
        observe_statements(theta, table)
    return model
