r"""The test from replicates in PyMC, and its answer under priors that only NUTS can take.

.. math:: \theta \sim \mathrm{Dirichlet}(\alpha), \quad t \sim \mathrm{Uniform}, \quad
          p(\text{replicates}_i \mid \theta, t) = \sum_s \theta_s\, \ell_{ti}(s) .
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import check_prior_support, place_prior
from bayescompare.methods._shared.simplex import pick, pick_by_weight
from bayescompare.methods._shared.trees import (
    drawn_parts,
    drawn_questions,
    drawn_theta_summary,
    finish_tree,
    marginal_dims,
    statement_coords,
)
from bayescompare.methods.replicated.comparison import ReplicatedDetails
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import Form, Sampling
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.replicated import Replicated

__all__ = ["build", "finish_replicated_tree", "observe_rows", "sampled_answer"]

#: The scale of effects, its number among the values it may have, and what picks it for NUTS.
SCALE, INDEX, UNIFORM = "scale", "scale_index", "latent_scale"


def build(method: Replicated, results: Results, form: Form) -> pm.Model:
    """Build the model: θ, the scale of effects if it is learned, and each dataset's evidence."""
    import pymc as pm
    import pytensor.tensor as pt

    listing, priors = method.listing(results), method.nonconjugate_priors
    table = method.table_evidence(results)
    evidence, scales = method.evidence_of(table, results), table.evidence.scales
    with pm.Model(coords=statement_coords(results, listing)) as model:
        if "theta" in priors:
            logs = pt.log(place_prior("theta", priors["theta"], ("statement",)))
        else:
            # Latents centre on what each dataset says by itself.
            expected = replace(listing, counts=evidence.leanings(_even(evidence)))
            likelihood = _likelihood(evidence)
            logs = method.place_theta(form, expected, len(results.datasets), likelihood)
        marginal = pt.tensordot(model["theta"], listing.wins, axes=1)
        pm.Deterministic("marginal", marginal, dims=marginal_dims(results))
        observe_rows(logs, evidence, scales, form)
    return model


def observe_rows(logs: Any, evidence: Evidence, scales: FloatArray, form: Form) -> None:
    """Add the scale of effects if it is learned, and the likelihood of every dataset.

    `logs` is log θ, (K,) or one for each dataset (n, K). NUTS moves no discrete variable: in its
    form the scale is summed out, and then picked.
    """
    import pymc as pm

    rows = _finite(evidence.rows)
    if len(rows) == 1:
        _observe(logs, rows[0], evidence)
        return
    if form == "textbook":
        index = pm.Categorical(INDEX, _even(evidence))
    else:
        each = _at_scales(logs[None], rows, evidence.powers)[0]
        index = pick_by_weight(UNIFORM, each)
        whole = _likelihood(evidence)(logs[None])[0]
        pm.Potential("summed_scale", whole - each[index])
    pm.Deterministic(SCALE, pick(scales, index))
    _observe(logs, pick(rows, index), evidence)


def _observe(logs: Any, rows: Any, evidence: Evidence) -> None:
    """Observe each dataset's evidence: log Σ_s θ_s ℓ_i(s). A new dataset is one statement."""
    import pymc as pm
    import pytensor.tensor as pt

    powers = evidence.powers

    def logp(value: Any, log_p: Any, row: Any) -> Any:
        # The rows are the data; `value` only shows them, averaged over the scales.
        log = pm.math.logsumexp(log_p + row, axis=-1, keepdims=False) + 0.0 * value.sum(axis=-1)
        return log if powers is None else powers * log

    def dist(log_p: Any, row: Any, size: Any) -> Any:
        return pm.Multinomial.dist(1, pt.exp(log_p) + 0.0 * row, size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        logs,
        pt.as_tensor_variable(rows),
        logp=logp,
        dist=dist,
        observed=evidence.each_alone(_even(evidence)),
        dims=("dataset", "statement"),
        signature="(s),(s)->(s)",
    )


def _likelihood(evidence: Evidence) -> Callable[[Any], Any]:
    """Return the log likelihood of all datasets, the scale summed out: log θ (A, K) to (A,)."""
    import pymc as pm

    rows = _finite(evidence.rows)

    def likelihood(logs: Any) -> Any:
        each = _at_scales(logs, rows, evidence.powers)
        return pm.math.logsumexp(each, axis=1, keepdims=False) - math.log(len(rows))

    return likelihood


def _at_scales(logs: Any, rows: FloatArray, powers: FloatArray | None) -> Any:
    """Log likelihood of all datasets for each log θ and each scale: (A, K) to (A, scale)."""
    import pymc as pm

    each = pm.math.logsumexp(logs[:, None, None, :] + rows, axis=-1, keepdims=False)
    return (each if powers is None else powers * each).sum(axis=-1)


def _finite(rows: FloatArray) -> FloatArray:
    """log ℓ, never so low that it is lost."""
    return np.maximum(rows, -700.0 + rows.max())


def _even(evidence: Evidence) -> FloatArray:
    """The prior weights of the scales."""
    return np.full(len(evidence.rows), 1.0 / len(evidence.rows))


def finish_replicated_tree(
    tree: xr.DataTree, results: Results, listing: LumpedStatements, rng: np.random.Generator
) -> xr.DataTree:
    """Bring a tree into the shape that `draws` gives: no number of the scale, only its value."""
    import xarray as xr

    for group in ("posterior", "prior", "log_prior"):
        if group in tree:
            data = tree[group].to_dataset()
            tree[group] = xr.DataTree(data.drop_vars([INDEX, UNIFORM], errors="ignore"))
    return finish_tree(tree, results, listing, rng)


def sampled_answer(method: Replicated, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    model = method.model(results)
    check_prior_support(method.nonconjugate_priors, method.parameters, model)
    tree = nuts.sample_nuts_as_asked(sampling, method.model(results, "nuts"), through=model)
    statements, _ = method.cells(results)
    tree = finish_replicated_tree(tree, results, method.listing(results), sampling.rng)
    theta = tree["posterior"].to_dataset()["theta"].transpose("chain", "draw", "statement")
    each = sole_leader(theta.values).astype(np.float64)
    table = method.table_evidence(results)
    version = _share_of_scales(tree, table.evidence.scales)
    alone = method.evidence_of(table, results).each_alone(version)
    given = _given_theta(theta.values, alone)
    answer = Answer.over(
        statements,
        probability=each.mean(axis=(0, 1)),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=1.0 - float(each.any(axis=-1).mean()),
        per_statement=drawn_theta_summary(theta, statements),
        parts=drawn_parts(theta, statements),
        tree=tree,
        seed=sampling.seed,
        details=ReplicatedDetails.of_table(results, table, alone, given, version, how="nuts"),
    )
    return replace(answer, scalars=drawn_questions(theta, statements, answer))


def _share_of_scales(tree: xr.DataTree, scales: FloatArray) -> FloatArray:
    """Share of the draws at each scale."""
    if len(scales) == 1:
        return np.ones(1)
    drawn = tree["posterior"].to_dataset()[SCALE].values.ravel()
    share = np.array([(np.isclose(drawn, scale)).mean() for scale in scales])
    return np.asarray(share / share.sum())


def _given_theta(theta: FloatArray, evidence: FloatArray) -> FloatArray:
    """P(z_i = s | all), averaged over draws of θ."""
    flat = theta.reshape(-1, theta.shape[-1])
    out = np.zeros_like(evidence)
    for i, row in enumerate(evidence):
        weight = flat * row
        out[i] = (weight / weight.sum(axis=1, keepdims=True)).mean(axis=0)
    return out
