r"""PyMC pieces shared by all methods with a probability vector: its prior, and its data.

There are two forms of the same prior. The textbook's is ``pm.Dirichlet``: θ is a variable of the
model, so that PyMC's own tools (``pm.do``, predictive draws, SMC) work on it; but with α = 1/2^m
it puts hundreds of divergences into NUTS. The form for NUTS has, with
:math:`G \sim \mathrm{Gamma}(\alpha+1)` and :math:`E \sim \mathrm{Exp}(1)`,

.. math:: x = \log G - E/\alpha, \qquad
          \theta = \mathrm{softmax}(x) \sim \mathrm{Dirichlet}(\alpha),

and the total :math:`T = \sum e^x \sim \mathrm{Gamma}(A)` is ancillary: independent of θ and of the
data. The Potential :math:`N \log T - \log \mathrm{E}[T^N]` re-priors only that total and cancels
the likelihood's coupling, so that the posterior factorises over cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescompare.kernels.numerics.gammas import TINY
from bayescompare.outcome.method import Form
from bayescompare.statements import OUTCOME

__all__ = ["LATENTS", "observe_shared_weights", "place_shared_dirichlet", "shared_weighted_logs"]


#: Prefixes of the latents; trees show none of them. In front, where no name that a user gives can
#: make one.
LATENTS = ("latent_gamma_", "latent_exponential_")

#: Below this Σα PyMC's draws of a Dirichlet, gamma draws divided by their sum, may all underflow
#: (with a probability of about e^(−709 Σα)) and give NaN.
_LEAST_TOTAL = 0.1

#: From here on Stirling's series, cut after 1/(12 a), has an error below 1e-14.
_LARGE = 1e4


def place_shared_dirichlet(
    form: Form, name: str, alpha: Any, total: Any, dims: tuple[str, ...]
) -> Any:
    """Add θ ~ Dirichlet(α) along the last dim to the model in context; return log θ.

    Parameters
    ----------
    form : {"textbook", "nuts"}
    name : str
        Of θ: a free variable in the textbook form, else a Deterministic.
    alpha : array or tensor
        Of θ's shape; a tensor is random.
    total : float, array or tensor
        Data weight N that will be observed on each probability vector.
    dims : tuple of str
        Dims of θ.
    """
    if form == "nuts":
        return _shared_simplex_for_nuts(name, alpha, total, dims)
    return _textbook_shared_simplex(name, alpha, dims)


def _textbook_shared_simplex(name: str, alpha: Any, dims: tuple[str, ...]) -> Any:
    import pymc as pm
    import pytensor.tensor as pt

    tensor = pt.maximum(pt.as_tensor_variable(alpha), TINY)
    # The shape by number too: by dims alone PyTensor cannot compile a single row of two cells.
    shape = None if None in tensor.type.shape else tensor.type.shape
    if isinstance(alpha, np.ndarray) and alpha.sum(axis=-1).min() >= _LEAST_TOTAL:
        return pt.log(pm.Dirichlet(name, tensor, shape=shape, dims=dims))
    # The same distribution, but drawn so that no vector underflows.
    simplex = pm.CustomDist(
        name,
        tensor,
        logp=lambda value, a: pm.logp(pm.Dirichlet.dist(a), value),
        dist=_draw_shared_simplex,
        support_point=lambda rv, size, a: a / a.sum(axis=-1, keepdims=True),
        transform=pm.distributions.transforms.simplex,
        class_name="Dirichlet",
        signature="(s)->(s)",
        shape=shape,
        dims=dims,
    )
    return pt.log(simplex)


def _draw_shared_simplex(alpha: Any, size: Any) -> Any:
    """Draw from a Dirichlet in logarithms."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.shape_utils import rv_size_is_none

    shape = None if rv_size_is_none(size) else pm.math.concatenate([size, alpha.shape[-1:]])
    gamma = pm.Gamma.dist(alpha + 1.0, 1.0, size=shape)
    exponential = pm.Exponential.dist(0.0 * alpha + 1.0, size=shape)
    return pm.math.softmax(pt.log(gamma) - exponential / alpha, axis=-1)


def _shared_simplex_for_nuts(name: str, alpha: Any, total: Any, dims: tuple[str, ...]) -> Any:
    import pymc as pm
    import pytensor.tensor as pt

    alpha = pt.maximum(pt.as_tensor_variable(alpha), TINY)
    gamma = pm.Gamma(f"{LATENTS[0]}{name}", alpha + 1.0, 1.0, dims=dims)
    exponential = pm.Exponential(f"{LATENTS[1]}{name}", 1.0, dims=dims)
    x = pt.log(gamma) - exponential / alpha
    log_total = pm.math.logsumexp(x, axis=-1, keepdims=True)
    # E[T^N] depends on α: left out, it would bias a prior of α, and the evidence.
    log_mean = _shared_simplex_log_rising(alpha.sum(axis=-1), total)
    pm.Potential(f"ancillary_{name}", total * log_total[..., 0] - log_mean)
    pm.Deterministic(name, pt.exp(x - log_total), dims=dims)
    return x - log_total


def _shared_simplex_log_rising(a: Any, n: Any) -> Any:
    """log Γ(a + n)/Γ(a); by Stirling where a is large and the difference would lose digits."""
    import pytensor.tensor as pt

    large = pt.maximum(a, _LARGE)
    stirling = (large + n - 0.5) * pt.log1p(n / large) + n * (pt.log(large) - 1.0)
    stirling = stirling - n / (12.0 * large * (large + n))
    small = pt.minimum(a, _LARGE)
    return pt.switch(a > _LARGE, stirling, pt.gammaln(small + n) - pt.gammaln(small))


def observe_shared_weights(
    log_theta: Any,
    weights: Any,
    unlisted: Any = None,
    *,
    name: str = OUTCOME,
    dims: tuple[str, str] = ("dataset", "statement"),
) -> None:
    r"""Observe each dataset's weights: log p(w_i | θ) = Σ_k w_ik log θ_k.

    A tied dataset has fractional weights, so this is no multinomial; a new dataset is drawn as
    one statement. The log likelihood comes out per dataset.

    Parameters
    ----------
    log_theta : tensor (S,)
    weights : array or data of the model (n, S)
    unlisted : tensor (n,), optional
        Log likelihood of each dataset's statements within the last cell, ``"(other)"``, where the
        model says more of them than what they have together.
    name : str
        Of the observed variable.
    dims : tuple of str
        Its dims.
    """
    import pymc as pm
    import pytensor.tensor as pt

    def logp(value: Any, log_p: Any, *rest: Any) -> Any:
        if rest:
            return shared_weighted_logs(value[..., :-1], log_p[..., :-1]) + rest[0]
        return shared_weighted_logs(value, log_p)

    def dist(log_p: Any, *rest_and_size: Any) -> Any:
        *_, size = rest_and_size
        # The dtype is the observed variable's: integers would silently truncate tied weights.
        return pm.Multinomial.dist(1, pt.exp(log_p), size=size).astype("float64")

    pm.CustomDist(
        name,
        *((log_theta,) if unlisted is None else (log_theta, unlisted)),
        logp=logp,
        dist=dist,
        observed=weights,
        dims=dims,
        signature="(s)->(s)" if unlisted is None else "(s),()->(s)",
    )


def shared_weighted_logs(weights: Any, logs: Any) -> Any:
    """Σ w log p, in which a cell without weight counts nothing even where its p is 0."""
    import pytensor.tensor as pt

    return pt.switch(pt.eq(weights, 0.0), 0.0, weights * logs).sum(axis=-1)
