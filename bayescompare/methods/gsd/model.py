r"""The Bayesian bootstrap in PyMC: every dataset seen is one draw from a population of their kinds.

.. math:: p \sim \mathrm{Dirichlet}(c - 1, \dots, c - 1), \qquad
          l_i \sim \mathrm{Categorical}(p), \quad l_i = i ,

so that the posterior is Dirichlet(c, …, c). With c = 1, Rubin's bootstrap, the prior is Haldane's,
:math:`\prod_l p_l^{-1}`: it is improper, and there are no draws from it. opt is a function of p.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.priors import constant_dirichlet, place
from bayescompare.methods.gsd.posterior import DRAWN, OPTIMUM, WEIGHT, directions
from bayescompare.results.results import Results

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.methods.gsd.bootstrap import GSDBootstrap

__all__ = ["build_bootstrap", "checked_alpha"]

_IMPROPER = (
    "the prior of weight, Haldane's, is improper at concentration <= 1, and there are no draws "
    "from it: predict from a posterior, set weight by pm.do, or give a larger concentration."
)


def build_bootstrap(method: GSDBootstrap, results: Results, *, optimum: bool) -> pm.Model:
    """Build the model; `optimum` says whether opt is in it, at two linear programmes a draw."""
    import pymc as pm

    n = len(results.datasets)
    coords = {"dataset": list(results.datasets), "direction": directions(results)}
    with pm.Model(coords=coords) as model:
        weight = _place_weights(method, results)
        if optimum:
            from bayescompare.methods.gsd.optimum_op import optimum_of

            pm.Deterministic(OPTIMUM, optimum_of(method.pair(results), weight), dims="direction")
        pm.Categorical(DRAWN, p=weight, observed=np.arange(n), dims="dataset")
    return model


def checked_alpha(prior: Any, results: Results) -> FloatArray:
    """Parameters of a Dirichlet prior of the weights, one for each dataset."""
    alpha = constant_dirichlet(prior)
    assert alpha is not None
    if alpha.shape != (len(results.datasets),):
        raise BayescompareError(
            f"priors['weight'] is a Dirichlet of shape {alpha.shape}, and there are "
            f"{len(results.datasets)} datasets: give one parameter for each."
        )
    return alpha


def _place_weights(method: GSDBootstrap, results: Results) -> Any:
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import simplex

    n, prior = len(results.datasets), (method.priors or {}).get(WEIGHT)
    if prior is not None:
        return _checked(place(WEIGHT, prior, ("dataset",)), n)
    alpha = np.full(n, method.concentration - 1.0)
    if method.concentration > 1.0:
        return pm.Dirichlet(WEIGHT, alpha, dims="dataset")
    return pm.CustomDist(
        WEIGHT,
        alpha,
        logp=lambda value, a: ((a - 1.0) * pt.log(value)).sum(axis=-1),
        random=_refuse,
        support_point=lambda rv, size, a: pt.full_like(a, 1.0 / n),
        transform=simplex,
        signature="(n)->(n)",
        class_name="Haldane" if method.concentration == 1.0 else "ImproperDirichlet",
        dims="dataset",
    )


def _checked(weight: Any, n: int) -> Any:
    length = weight.type.shape[-1] if weight.ndim == 1 else None
    if weight.ndim != 1 or (length is not None and length != n):
        raise BayescompareError(
            f"priors['weight'] must be a vector over the {n} datasets; its shape is "
            f"{weight.type.shape}."
        )
    return weight


def _refuse(*_: Any, rng: np.random.Generator | None = None, size: Any = None) -> FloatArray:
    raise BayescompareError(_IMPROPER)
