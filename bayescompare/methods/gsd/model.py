r"""The Bayesian bootstrap in PyMC: every dataset seen is one draw from a population of their kinds.

.. math:: p \sim \mathrm{Dirichlet}(c - 1, \dots, c - 1), \qquad
          l_i \sim \mathrm{Categorical}(p), \quad l_i = i ,

so that the posterior is Dirichlet(c, …, c). With c = 1, Rubin's bootstrap, the prior is Haldane's,
:math:`\prod_l p_l^{-1}`: it is improper, and there are no draws from it. opt is a function of p.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.methods._shared.bootstrap import DRAWN, WEIGHT, place_shared_weights
from bayescompare.methods.gsd.posterior import OPTIMUM, gsd_directions
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.methods.gsd.bootstrap import GSDBootstrap

__all__ = ["build_gsd_bootstrap"]

_IMPROPER = (
    "the prior of weight, Haldane's, is improper at concentration <= 1, and there are no draws "
    "from it: predict from a posterior, set weight by pm.do, or give a larger concentration."
)


def build_gsd_bootstrap(method: GSDBootstrap, results: Results, *, optimum: bool) -> pm.Model:
    """Build the model; `optimum` says whether opt is in it, at two linear programmes a draw."""
    import pymc as pm

    n = len(results.datasets)
    coords = {"dataset": list(results.datasets), "direction": gsd_directions(results)}
    with pm.Model(coords=coords) as model:
        prior = (method.priors or {}).get(WEIGHT)
        alpha = np.full(n, method.concentration - 1.0)
        weight = place_shared_weights(prior, alpha, "dataset", _IMPROPER)
        if optimum:
            from bayescompare.methods.gsd.optimum_op import optimum_of

            pm.Deterministic(OPTIMUM, optimum_of(method.pair(results), weight), dims="direction")
        pm.Categorical(DRAWN, p=weight, observed=np.arange(n), dims="dataset")
    return model
