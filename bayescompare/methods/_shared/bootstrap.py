r"""Weights of a table's datasets, as the Bayesian bootstrap has them: their prior in PyMC.

.. math:: w \sim \mathrm{Dirichlet}(\alpha), \qquad
          l_i \sim \mathrm{Categorical}(w), \quad l_i = i .

Where some α are zero the prior is improper: the posterior is not, but there are no draws from the
prior.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.priors import place_shared_prior, shared_constant_dirichlet

__all__ = ["DRAWN", "WEIGHT", "place_shared_weights", "shared_bootstrap_alpha"]

#: The names of the weights, and of which dataset was drawn.
WEIGHT, DRAWN = "weight", "drawn"


def place_shared_weights(prior: Any, alpha: FloatArray, dim: str, improper: str) -> Any:
    """Add the weights along `dim` to the model in context.

    Parameters
    ----------
    prior : distribution, object, callable or None
        The user's; without one it is Dirichlet(alpha).
    alpha : array (n,)
        Zero, or below, where nothing is known beforehand.
    dim : str
    improper : str
        What to say where draws from an improper prior are asked for.
    """
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import simplex

    n = len(alpha)
    if prior is not None:
        return _checked_shared_bootstrap_weight(place_shared_prior(WEIGHT, prior, (dim,)), n, dim)
    if (alpha > 0.0).all():
        return pm.Dirichlet(WEIGHT, alpha, dims=dim)

    def refuse(*_: Any, rng: np.random.Generator | None = None, size: Any = None) -> FloatArray:
        raise BayescompareError(improper)

    return pm.CustomDist(
        WEIGHT,
        alpha,
        logp=lambda value, a: ((a - 1.0) * pt.log(value)).sum(axis=-1),
        random=refuse,
        support_point=lambda rv, size, a: pt.full_like(a, 1.0 / n),
        transform=simplex,
        signature="(n)->(n)",
        class_name="Haldane" if not alpha.any() else "ImproperDirichlet",
        dims=dim,
    )


def shared_bootstrap_alpha(prior: Any, n: int, dim: str) -> FloatArray:
    """Parameters of a Dirichlet prior of the weights, one for each."""
    alpha = shared_constant_dirichlet(prior)
    assert alpha is not None
    if alpha.shape != (n,):
        raise BayescompareError(
            f"priors['weight'] is a Dirichlet of shape {alpha.shape}, and there are {n} {dim}s: "
            "give one parameter for each."
        )
    return alpha


def _checked_shared_bootstrap_weight(weight: Any, n: int, dim: str) -> Any:
    length = weight.type.shape[-1] if weight.ndim == 1 else None
    if weight.ndim != 1 or (length is not None and length != n):
        raise BayescompareError(
            f"priors['weight'] must be a vector over the {n} {dim}s; its shape is "
            f"{weight.type.shape}."
        )
    return weight
