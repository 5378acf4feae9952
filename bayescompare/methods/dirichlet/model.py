r"""The multinomial-Dirichlet test in PyMC: its model, and its answer under a prior of the user's.

A dataset with a gap shows no single statement, but it agrees with some. Under ``missing="ignore"``
and ``"bounds"`` it contributes the sum of their probabilities,

.. math:: p(\text{dataset } i \mid \theta) = \sum_{s \text{ agrees}} \theta_s ,

which takes cells to be missing at random: its row of the evidence.

References
----------
Rubin (1976), Biometrika 63, 581–592, for data missing at random.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.learned import place_learned_dirichlet
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_support,
    place_prior,
)
from bayescompare.methods._shared.simplex import observe_weights, place_dirichlet, weighted_logs
from bayescompare.methods._shared.trees import (
    drawn_parts,
    drawn_questions,
    drawn_theta_summary,
    finish_tree,
    statement_coords,
)
from bayescompare.methods.dirichlet.posterior import GAPS, PartialDetails
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import Form, Sampling
from bayescompare.posterior.component import Component
from bayescompare.statements import DENSE, OUTCOME, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.dirichlet import Dirichlet

#: The data of the model: each dataset's weight in every statement.
WEIGHT = "weight"


def build(method: Dirichlet, results: Results, form: Form) -> pm.Model:
    """Build the model with the user's priors, with gaps, or with a learned prior."""
    import pymc as pm
    import pytensor.tensor as pt

    listing, priors = method.listing(results), method.nonconjugate_priors
    _check_size(priors, listing)
    with pm.Model(coords=statement_coords(results, listing)) as model:
        weight = pm.Data(WEIGHT, listing.weights, dims=("dataset", "statement"))
        if "theta" in priors:
            theta = place_prior("theta", priors["theta"], ("statement",))
            _check_theta(theta, listing)
            log_theta = pt.log(theta)
        elif method.learned is not None:
            log_theta = place_learned_dirichlet(form, listing, method.learned)
        else:
            alpha = place_alpha(priors, listing)
            log_theta = place_dirichlet(form, "theta", alpha, weight.sum(), ("statement",))
        if results.gaps in GAPS:
            _observe_partly_seen(Evidence.from_table(results), log_theta, weight)
        else:
            observe_weights(log_theta, weight)
    return model


def place_alpha(priors: Priors, listing: LumpedStatements) -> Any:
    """Each cell's α: fixed, or random by the user's prior on alpha or strength."""
    import pytensor.tensor as pt

    if "strength" in priors:
        log_share = listing.log_multiplicity - np.logaddexp.reduce(listing.log_multiplicity)
        return place_prior("strength", priors["strength"], ()) * np.exp(log_share)
    if "alpha" in priors:
        alpha = pt.as_tensor_variable(place_prior("alpha", priors["alpha"], ("statement",)))
        if alpha.ndim and listing.has_other:
            raise BayescompareError(
                f"priors['alpha'] is a vector, but beyond {DENSE} statements α must be one number "
                "for all: give a scalar prior."
            )
        return alpha * np.exp(listing.log_multiplicity)
    return np.exp(listing.log_alpha)


def _check_size(priors: Priors, listing: LumpedStatements) -> None:
    if "theta" in priors and listing.has_other:
        power = count(round(float(np.logaddexp.reduce(listing.log_multiplicity))))
        raise BayescompareError(
            f"priors['theta'] needs every statement listed, at most {DENSE}; here there are about "
            f"e^{power}. Put a prior on alpha or "
            "strength, or compare on fewer measures."
        )
    if "alpha" in priors and listing.log_multiplicity[-1] > 690.0:
        raise BayescompareError(
            "priors['alpha']: α times the number of statements exceeds the float range; put the "
            "prior on 'strength' (their sum) instead."
        )


def _check_theta(theta: Any, listing: LumpedStatements) -> None:
    length = theta.type.shape[-1] if theta.ndim == 1 else None
    if theta.ndim != 1 or (length is not None and length != len(listing.labels)):
        raise BayescompareError(
            f"priors['theta'] must be a vector over the {len(listing.labels)} statements "
            f"({', '.join(listing.labels[:4])}…); its shape is {theta.type.shape}."
        )


def sampled_answer(method: Dirichlet, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    model = method.model(results)
    check_prior_support(method.nonconjugate_priors, method.parameters, model)
    tree = nuts.sample_nuts_as_asked(sampling, method.model(results, "nuts"), through=model)
    statements, _ = method.cells(results)
    evidence = Evidence.from_table(results)
    tree = finish_tree(tree, results, method.listing(results), sampling.rng)
    posterior = tree["posterior"].to_dataset()
    each, lump = lead_given_draws(method, posterior, evidence)
    probability = each.mean(axis=(0, 1))
    unseen = ~evidence.possible
    # Given α the cells are continuous, and so never equal; a prior on θ may have them so.
    counted = "theta" not in method.nonconjugate_priors and not len(evidence.uncounted)
    none = 0.0 if counted else 1.0 - float(each.any(axis=-1).mean())
    answer = Answer.over(
        statements,
        probability=probability,
        unobserved=float(probability[unseen].sum() + lump.mean()),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=none,
        per_statement=drawn_theta_summary(posterior["theta"], statements),
        parts=drawn_parts(posterior["theta"], statements),
        tree=tree,
        seed=sampling.seed,
        facts=PartialDetails(partly_seen=len(evidence.uncounted) or None),
    )
    questions = drawn_questions(posterior["theta"], statements, answer)
    return replace(answer, facts=answer.facts.told(questions))


def lead_given_draws(
    method: Dirichlet, posterior: xr.Dataset, evidence: Evidence
) -> tuple[FloatArray, FloatArray]:
    """P(max) of each listed statement given each draw, and of those not listed together.

    Given α it is exact where every dataset was counted.
    """
    if "theta" in method.nonconjugate_priors or len(evidence.uncounted):
        each = _largest(posterior["theta"])
        return each, np.zeros(each.shape[:2])
    return _given_alpha(posterior, evidence.statements)


def _largest(theta: xr.DataArray) -> FloatArray:
    return sole_leader(theta.transpose("chain", "draw", "statement").values).astype(np.float64)


def _given_alpha(posterior: xr.Dataset, statements: Statements) -> tuple[FloatArray, FloatArray]:
    """P(max) given each draw of α, exactly: conditionally the model is conjugate.

    Averaging these (Rao–Blackwell) has far less Monte Carlo error than counting which θ is
    largest, and needs no aggregate however many statements there are.
    """
    name = hyperparameter(posterior)
    drawn = posterior[name].transpose("chain", "draw", ...).values
    each = np.empty((*drawn.shape[:2], statements.n_listed))
    lump = np.empty(drawn.shape[:2])
    for chain, draw in np.ndindex(drawn.shape[:2]):
        given = scaled(name, drawn[chain, draw], statements)
        largest = given.p_max(statements.table.counts[None])[0]
        each[chain, draw], lump[chain, draw] = largest[:-1], largest[-1]
    return each, lump


def hyperparameter(posterior: xr.Dataset) -> str:
    """Name of the parameter that a user's prior is on."""
    return "strength" if "strength" in posterior else "alpha"


def scaled(name: str, value: FloatArray, statements: Statements) -> Component:
    """Return the Dirichlet given one draw of the strength, or of α."""
    log_alpha = np.log(value) - (statements.log_size if name == "strength" else 0.0)
    listed = np.broadcast_to(log_alpha, statements.n_listed).astype(np.float64)
    return Component.listed(listed, (float(listed[0]), statements.log_unlisted))


def _observe_partly_seen(evidence: Evidence, log_theta: Any, weights: Any) -> None:
    """Observe every dataset: Σ w log θ where it is complete, else log Σ θ over what it leaves.

    A new dataset is one statement.
    """
    import pymc as pm
    import pytensor.tensor as pt

    partly = np.zeros(len(evidence.statements.datasets))
    partly[evidence.uncounted] = 1.0
    # What the ties among the values seen leave of each statement's weight.
    scale = np.zeros_like(partly)
    scale[evidence.uncounted] = evidence.rows[0].max(axis=1)

    def logp(value: Any, log_p: Any, part: Any, log_scale: Any) -> Any:
        left = pt.switch(pt.gt(value, 0.0), log_p, -np.inf)
        together = log_scale + pm.math.logsumexp(left, axis=-1, keepdims=False)
        return pt.switch(pt.gt(part, 0.0), together, weighted_logs(value, log_p))

    def dist(log_p: Any, part: Any, log_scale: Any, size: Any) -> Any:
        alike = 0.0 * (part + log_scale)[..., None]
        return pm.Multinomial.dist(1, pt.exp(log_p) + alike, size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        log_theta,
        partly,
        scale,
        logp=logp,
        dist=dist,
        observed=weights,
        dims=("dataset", "statement"),
        class_name="PartlySeen",
        signature="(s),(),()->(s)",
    )
