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

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.learned import place_learned_dirichlet
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import Priors, check_prior_support, place_prior
from bayescompare.methods._shared.simplex import ShownData, place_alpha, place_dirichlet
from bayescompare.methods._shared.trees import answer_of_draws, finish_tree, statement_coords
from bayescompare.methods.dirichlet.posterior import PartialDetails
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import Form, Sampling
from bayescompare.posterior.component import Component
from bayescompare.statements import DENSE, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.dirichlet import Dirichlet


def build(method: Dirichlet, results: Results, form: Form) -> pm.Model:
    """Build the model for NUTS, or under a prior of the user's."""
    import pymc as pm
    import pytensor.tensor as pt

    listing, priors = method.listing(results), method.nonconjugate_priors
    _check_size(priors, listing)
    with pm.Model(coords=statement_coords(results, listing)) as model:
        data = ShownData.place(listing.shown)
        if "theta" in priors:
            theta = place_prior("theta", priors["theta"], ("statement",))
            _check_theta(theta, listing)
            log_theta = pt.log(theta)
        elif method.learned is not None:
            log_theta = place_learned_dirichlet(form, listing, method.learned)
        else:
            alpha = place_alpha(priors, listing)
            log_theta = place_dirichlet(form, "theta", alpha, data.total, ("statement",))
        data.observe(log_theta)
    return model


def _check_size(priors: Priors, listing: LumpedStatements) -> None:
    if "theta" in priors and listing.has_other:
        power = count(round(float(np.logaddexp.reduce(listing.log_multiplicity))))
        raise BayescompareError(
            f"priors['theta'] needs every statement listed, at most {DENSE}; here there are about "
            f"e^{power}. Put a prior on alpha or strength, or compare on fewer measures."
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
    tree = nuts.sample(sampling, method.model(results, "nuts"), through=model)
    tree = finish_tree(tree, results, method.listing(results), sampling.rng)
    evidence = Evidence.from_table(results)
    each, lump = lead_given_draws(method, tree["posterior"].to_dataset(), evidence)
    unseen = ~evidence.possible
    # Given α the cells are continuous, and so never equal; a prior on θ may have them so.
    counted = "theta" not in method.nonconjugate_priors and not len(evidence.uncounted)
    return answer_of_draws(
        method.cells(results)[0],
        tree,
        "theta",
        each,
        unobserved=float(each.mean(axis=(0, 1))[unseen].sum() + lump.mean()),
        none_leads=0.0 if counted else 1.0 - float(each.any(axis=-1).mean()),
        seed=sampling.seed,
        facts=PartialDetails(partly_seen=len(evidence.uncounted) or None),
    )


def lead_given_draws(
    method: Dirichlet, posterior: xr.Dataset, evidence: Evidence
) -> tuple[FloatArray, FloatArray]:
    """P(max) of each listed statement given each draw, and of those not listed together.

    Given α it is exact where every dataset was counted: conditionally the model is conjugate.
    Averaging these (Rao–Blackwell) has far less Monte Carlo error than counting which θ is
    largest, and needs no aggregate however many statements there are.
    """
    if "theta" in method.nonconjugate_priors or len(evidence.uncounted):
        theta = posterior["theta"].transpose("chain", "draw", "statement").values
        return sole_leader(theta).astype(np.float64), np.zeros(theta.shape[:2])
    statements, name = evidence.statements, hyperparameter(posterior)
    drawn = posterior[name].transpose("chain", "draw", ...).values
    counts = statements.table.counts[None]
    largest = np.array(
        [[scaled(name, value, statements).p_max(counts)[0] for value in chain] for chain in drawn]
    )
    return largest[..., :-1], largest[..., -1]


def hyperparameter(posterior: xr.Dataset) -> str:
    """Name of the parameter that a user's prior is on."""
    return "strength" if "strength" in posterior else "alpha"


def scaled(name: str, value: FloatArray, statements: Statements) -> Component:
    """Return the Dirichlet given one draw of the strength, or of α."""
    log_alpha = np.log(value) - (statements.log_size if name == "strength" else 0.0)
    listed = np.broadcast_to(log_alpha, statements.n_listed).astype(np.float64)
    return Component.listed(listed, (float(listed[0]), statements.log_unlisted))
