r"""The correlated t-test in PyMC, in two forms of one model.

The textbook's form has every dataset's mean advantage and spread:

.. math:: \theta \sim \mathrm{Dirichlet}(b, \dots, b), \quad
          p(\mu_i, \log \sigma_i \mid \theta) \propto \theta_{s(\mu_i)}, \quad
          x_i \sim \mathrm{N}\bigl(\mu_i \mathbf 1,\;
          \sigma_i^2 [(1 - \rho) I + \rho \mathbf 1 \mathbf 1^\top]\bigr),

with :math:`s(\mu)` the statement that a mean advantage makes true. The density of :math:`\mu_i` and
:math:`\log \sigma_i` is flat within each statement, and so improper: there are no draws from this
prior. The form for NUTS integrates both out, exactly. What is left of dataset i is its evidence
:math:`\ell_i(s) = \Pr(\mu_i \in s \mid x_i)` for each statement,

.. math:: p(x_i \mid \theta) \propto \sum_s \theta_s\,\ell_i(s) ,

which is smooth, has a proper prior, and predicts a new dataset as one statement.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.context.correlated_t import draw_correlated_t_differences
from bayescompare.methods._shared.priors import place_prior
from bayescompare.methods.context.mean_transform import mean_transform
from bayescompare.methods.context.replicates import Replicates
from bayescompare.methods.dirichlet.learned_model import place_learned_shares
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = [
    "ADVANTAGE",
    "DIFFERENCE",
    "SIGMA",
    "build_correlated_t_evidence",
    "build_correlated_t_folds",
]

#: The names of a dataset's mean advantage, of its spread, and of its replicates' differences.
ADVANTAGE, SIGMA, DIFFERENCE = "advantage", "sigma", "difference"

_IMPROPER = (
    "the prior of advantage and sigma is flat, and there are no draws from a flat prior: predict "
    "from a posterior that has both, set them by pm.do, or use model(form='nuts'), which has "
    "them integrated out."
)


def build_correlated_t_folds(method: CorrelatedT, results: Results) -> pm.Model:
    """Build the textbook's form: shares, every mean advantage and spread, and the replicates."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import log

    each = method.each(results)
    _check_correlated_t_model_spread(results, each)
    coords = {"dataset": list(results.datasets), "replicate": list(each.names)}
    mean, variance = each.moments
    spread = np.sqrt(variance / (1.0 - each.rho))
    with pm.Model(coords={"statement": list(each.labels), **coords}) as model:
        theta = _place_correlated_t_model_shares(method, each)
        advantage = pm.CustomDist(
            ADVANTAGE,
            theta,
            logp=_correlated_t_model_mean_density(each.rope),
            random=_refuse_correlated_t_model_draws,
            support_point=lambda rv, size, theta: pt.as_tensor_variable(mean),
            transform=mean_transform(each.rope, each.location, each.scale),
            signature="(s)->()",
            class_name="FlatWithinStatements",
            dims="dataset",
        )
        sigma = pm.CustomDist(
            SIGMA,
            logp=_correlated_t_model_log_flat,
            random=_refuse_correlated_t_model_draws,
            support_point=lambda rv, size: pt.as_tensor_variable(spread),
            transform=log,
            signature="->()",
            class_name="FlatInLog",
            dims="dataset",
        )
        pm.CustomDist(
            DIFFERENCE,
            advantage,
            sigma,
            each.rho,
            each.present.astype(np.float64),
            logp=correlated_t_exchangeable_logp,
            random=_correlated_t_model_replicates,
            # PyMC would take NaN for data to be imputed; what is absent has no weight.
            observed=np.where(each.present, each.differences, 0.0),
            signature="(),(),(),(k)->(k)",
            class_name="ExchangeableNormal",
            dims=("dataset", "replicate"),
        )
    return model


def build_correlated_t_evidence(method: CorrelatedT, results: Results) -> pm.Model:
    """Build the form for NUTS: shares, and what each dataset says for every statement."""
    import pymc as pm

    each = method.each(results)
    coords = {"statement": list(each.labels), "dataset": list(results.datasets)}
    with pm.Model(coords=coords) as model:
        observe_correlated_t(_place_correlated_t_model_shares(method, each), each.evidence)
    return model


def observe_correlated_t(theta: Any, evidence: FloatArray) -> None:
    r"""Observe uncertain statements: log p = log Σ_s θ_s ℓ_is, which a certain one makes log θ_s.

    A new dataset is drawn as one statement.
    """
    import pymc as pm
    import pytensor.tensor as pt

    pm.CustomDist(
        OUTCOME,
        theta,
        logp=lambda value, p: pt.log((value * p).sum(axis=-1)),
        dist=lambda p, size: pm.Multinomial.dist(1, p, size=size).astype("float64"),
        observed=evidence,
        signature="(s)->(s)",
        class_name="UncertainStatement",
        dims=("dataset", "statement"),
    )


# the shares --------------------------------------------------------------------------------------


def _place_correlated_t_model_shares(method: CorrelatedT, each: Replicates) -> Any:
    """Place r, or with a rope θ, in the model in context; return θ over the statements."""
    import pymc as pm
    import pytensor.tensor as pt

    priors = method.priors or {}
    if method.learned is not None:
        base = np.zeros(len(each.labels))
        if method.learned.folds:
            base = np.log(list(method.learned.shares.values()))
        theta = place_learned_shares(method.learned, np.exp(base))
        if not each.rope:
            pm.Deterministic("r", theta[0])
        return pm.Deterministic("theta", theta, dims="statement") if method.learned.folds else theta
    if each.rope:
        if "theta" in priors:
            return _checked_correlated_t_model_theta(
                place_prior("theta", priors["theta"], ("statement",)), each
            )
        b = _place_correlated_t_model_weight(method) * np.ones(len(each.labels))
        return pm.Dirichlet("theta", b, dims="statement")
    if "r" in priors:
        r = _checked_correlated_t_model_rate(place_prior("r", priors["r"], ()))
    else:
        b = _place_correlated_t_model_weight(method)
        r = pm.Beta("r", b, b)
    return pm.Deterministic("theta", pt.stack([r, 1.0 - r]), dims="statement")


def _place_correlated_t_model_weight(method: CorrelatedT) -> Any:
    """Place b: a number, or the user's prior of it."""
    b = (method.priors or {}).get("b")
    if not method.needs_mcmc or b is None:
        return np.float64(method.weight)
    placed = place_prior("b", b, ())
    if placed.ndim:
        raise BayescompareError(
            f"priors['b'] has shape {placed.type.shape}: b is one number for all datasets; give a "
            "distribution of a single value."
        )
    return placed


def _checked_correlated_t_model_rate(r: Any) -> Any:
    if r.ndim:
        raise BayescompareError(
            f"priors['r'] has shape {r.type.shape}: r is one share; give a distribution of a "
            "single value."
        )
    return r


def _checked_correlated_t_model_theta(theta: Any, each: Replicates) -> Any:
    length = theta.type.shape[-1] if theta.ndim == 1 else None
    if theta.ndim != 1 or (length is not None and length != len(each.labels)):
        raise BayescompareError(
            f"priors['theta'] must be a vector over the {len(each.labels)} statements "
            f"{', '.join(each.labels)}; its shape is {theta.type.shape}."
        )
    return theta


# means, spreads, replicates ----------------------------------------------------------------------


def _check_correlated_t_model_spread(results: Results, each: Replicates) -> None:
    """Refuse datasets whose replicates are all equal, of which the spread has no posterior."""
    equal = [name for name, s in zip(results.datasets, each.scale, strict=True) if s == 0.0]
    if equal:
        raise BayescompareError(
            f"model(): all replicates are equal on {join_names(equal, most=4)}, so their spread "
            "has no posterior density; model(form='nuts') and sample() take such datasets as "
            "certain."
        )


def _correlated_t_model_mean_density(rope: float) -> Any:
    """Log density of a mean advantage: log θ of the statement that it makes true."""
    import pytensor.tensor as pt

    def logp(value: Any, theta: Any) -> Any:
        logs = pt.log(theta)
        below = pt.switch(value < -rope, logs[..., -1], logs[..., 1]) if rope else logs[..., -1]
        return pt.switch(value > rope, logs[..., 0], below)

    return logp


def _correlated_t_model_log_flat(value: Any) -> Any:
    import pytensor.tensor as pt

    return -pt.log(value)


def correlated_t_exchangeable_logp(
    value: Any, mean: Any, sigma: Any, rho: Any, present: Any
) -> Any:
    """Log density of normal replicates of which every two have correlation ρ.

    By the determinant and the inverse of such a covariance matrix, which are closed; `present` is
    0 for a replicate that is not there.
    """
    import pytensor.tensor as pt

    k = present.sum(axis=-1)
    average = (present * value).sum(axis=-1) / k
    within = (present * (value - average[..., None]) ** 2).sum(axis=-1) / (1.0 - rho)
    between = (average - mean) ** 2 / (rho + (1.0 - rho) / k)
    log_det = (k - 1.0) * pt.log1p(-rho) + pt.log1p((k - 1.0) * rho) + 2.0 * k * pt.log(sigma)
    return -0.5 * (k * math.log(2.0 * math.pi) + log_det + (within + between) / sigma**2)


def _correlated_t_model_replicates(
    mean: Any,
    sigma: Any,
    rho: Any,
    present: Any,
    rng: np.random.Generator | None = None,
    size: Any = None,
) -> FloatArray:
    """Draw as many replicates again, on the same datasets."""
    assert rng is not None
    shape = np.broadcast_shapes(*map(np.shape, (mean, sigma, rho))) if size is None else size
    means = np.broadcast_to(mean, shape)
    return draw_correlated_t_differences(means, sigma, rho, np.shape(present)[-1], rng)


def _refuse_correlated_t_model_draws(
    *_: Any, rng: np.random.Generator | None = None, size: Any = None
) -> FloatArray:
    raise BayescompareError(_IMPROPER)
