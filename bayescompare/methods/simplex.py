r"""PyMC pieces shared by all methods with a probability vector: a safe Dirichlet, and its data.

``pm.Dirichlet`` with α = 1/2^m puts hundreds of divergences into NUTS. Instead, with
:math:`G \sim \mathrm{Gamma}(\alpha+1)`, :math:`E \sim \mathrm{Exp}(1)`,

.. math:: x = \log G - E/\alpha, \qquad
          \theta = \mathrm{softmax}(x) \sim \mathrm{Dirichlet}(\alpha),

and the total :math:`\sum e^x \sim \mathrm{Gamma}(A)` is ancillary: independent of θ and of the
data. The Potential :math:`N \log\sum e^x` re-priors only that total and cancels the likelihood's
coupling, so that the posterior factorises over cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescompare.kernels.gammas import TINY

__all__ = ["LATENTS", "OUTCOME", "observe_weights", "safe_dirichlet"]

FloatArray = NDArray[np.float64]

#: Name of the observed variable: each dataset's weights over the statements.
OUTCOME = "outcome"

#: Prefixes of the latents; trees show none of them. In front, where no name that a user gives can
#: make one.
LATENTS = ("latent_gamma_", "latent_exponential_")


def safe_dirichlet(
    name: str, alpha: Any, total: float | FloatArray, dims: tuple[str, ...], *, random: bool
) -> Any:
    """Add θ ~ Dirichlet(α) along the last dim to the model in context; return log θ.

    Parameters
    ----------
    name : str
        Registered as a Deterministic; its latents have the prefixes `LATENTS`.
    alpha : array or tensor
        Of θ's shape.
    total : float or array
        Data weight N that will be observed on each probability vector.
    dims : tuple of str
        Dims of θ.
    random : bool
        Whether α is random. Then the Potential is normalised by E[total^N] =
        Γ(A + N)/Γ(A), or it would bias the hyperprior.
    """
    import pymc as pm
    import pytensor.tensor as pt

    alpha = pt.maximum(pt.as_tensor_variable(alpha), TINY)
    gamma = pm.Gamma(f"{LATENTS[0]}{name}", alpha + 1.0, 1.0, dims=dims)
    exponential = pm.Exponential(f"{LATENTS[1]}{name}", 1.0, dims=dims)
    x = pt.log(gamma) - exponential / alpha
    log_total = pm.math.logsumexp(x, axis=-1, keepdims=True)
    potential = total * log_total[..., 0]
    if random:
        prior_total = alpha.sum(axis=-1)
        potential = potential - (pt.gammaln(prior_total + total) - pt.gammaln(prior_total))
    pm.Potential(f"ancillary_{name}", potential)
    pm.Deterministic(name, pt.exp(x - log_total), dims=dims)
    return x - log_total


def observe_weights(log_theta: Any, weights: FloatArray) -> None:
    r"""Observe each dataset's weights: log p(w_i | θ) = Σ_k w_ik log θ_k.

    A tied dataset has fractional weights, so this is no multinomial; a new dataset is drawn as
    one statement. The log likelihood comes out per dataset.
    """
    import pymc as pm
    import pytensor.tensor as pt

    def logp(value: Any, log_p: Any) -> Any:
        return (value * log_p).sum(axis=-1)

    def dist(log_p: Any, size: Any) -> Any:
        # The dtype is the observed variable's: integers would silently truncate tied weights.
        return pm.Multinomial.dist(1, pt.exp(log_p), size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        log_theta,
        logp=logp,
        dist=dist,
        observed=weights,
        dims=("dataset", "statement"),
        signature="(s)->(s)",
    )
