"""The test from replicates in PyMC: its model, exact draws, and its answer under other priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.method import Form, Sampling
from bayescompare.kernels.dirichlet.posterior import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.replicated.count_posterior import CountPosterior
from bayescompare.methods._shared.choice import pick_shared_by_weight, pick_shared_choice
from bayescompare.methods._shared.drawn import (
    drawn_parts,
    drawn_theta_summary,
    shared_sampled_questions,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import check_shared_prior_support, place_shared_prior
from bayescompare.methods._shared.simplex import LATENTS
from bayescompare.methods._shared.trees import (
    finish_shared_tree,
    make_shared_tree,
    shared_latent_log_prior,
    shared_marginal_dims,
    shared_statement_coords,
    shared_statement_each,
)
from bayescompare.methods.replicated.answer import normalised_replicated_rows, replicated_details
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.replicated import Replicated

__all__ = [
    "build",
    "finish_replicated_tree",
    "observe_replicated_table",
    "replicated_exact_tree",
    "replicated_sampled_answer",
]

#: The scale of effects, its number among the values it may have, and what picks it for NUTS.
SCALE, INDEX, UNIFORM = "scale", "scale_index", "latent_scale"


def build(method: Replicated, results: Results, form: Form) -> pm.Model:
    """Build the model: θ, the scale of effects if it is learned, and each dataset's evidence."""
    import pymc as pm
    import pytensor.tensor as pt

    listing = method.listing(results)
    table = method.table_evidence(results)
    priors = method.nonconjugate_priors
    with pm.Model(coords=shared_statement_coords(results, listing)) as model:
        if "theta" in priors:
            logs = pt.log(place_shared_prior("theta", priors["theta"], ("statement",)))
        else:
            likelihood = replicated_table_likelihood(table, method.powers(results))
            seen = replace(listing, counts=expected_counts(table))
            logs = method.place_theta(form, seen, len(results.datasets), likelihood)
        marginal = pt.tensordot(model["theta"], listing.wins, axes=1)
        pm.Deterministic("marginal", marginal, dims=shared_marginal_dims(results))
        if form == "nuts":
            _observe_replicated_summed(logs, table, method.powers(results))
        else:
            observe_replicated_table(logs, table, method.powers(results))
    return model


def expected_counts(table: TableEvidence) -> FloatArray:
    """How many datasets show each statement, by each one's own evidence; latents centre on it."""
    scales = len(table.evidence.log)
    return normalised_replicated_rows(table.evidence.log, np.full(scales, 1.0 / scales)).sum(axis=0)


def _replicated_evidence_rows(table: TableEvidence) -> FloatArray:
    """log ℓ by scale, dataset and statement, and never so low that it is lost."""
    return np.maximum(table.evidence.log, -700.0 + table.evidence.log.max())


def observe_replicated_table(
    logs: Any, table: TableEvidence, powers: FloatArray | None = None
) -> None:
    """Add the scale of effects if it is learned, and the likelihood of every dataset.

    `logs` is log θ, (K,) or one for each dataset (n, K); `powers` raises likelihoods to weights.
    """
    import pymc as pm
    import pytensor.tensor as pt

    rows = _replicated_evidence_rows(table)
    if len(rows) > 1:
        index = pm.Categorical(INDEX, np.full(len(rows), 1.0 / len(rows)))
        pm.Deterministic(SCALE, pick_shared_choice(table.evidence.scales, index))
        _observe_replicated_test_evidence(logs, pick_shared_choice(rows, index), table, powers)
    else:
        _observe_replicated_test_evidence(logs, pt.as_tensor(rows[0]), table, powers)


def _observe_replicated_summed(logs: Any, table: TableEvidence, powers: FloatArray | None) -> None:
    """Do the same with the scale summed out, and then picked: NUTS moves no discrete variable."""
    import pymc as pm

    rows = _replicated_evidence_rows(table)
    if len(rows) == 1:
        observe_replicated_table(logs, table, powers)
        return
    each = _replicated_at_scales(logs[None], rows, powers)[0]
    index = pick_shared_by_weight(UNIFORM, each)
    pm.Deterministic(SCALE, pick_shared_choice(table.evidence.scales, index))
    _observe_replicated_test_evidence(logs, pick_shared_choice(rows, index), table, powers)
    whole = replicated_table_likelihood(table, powers)(logs[None])[0]
    pm.Potential("summed_scale", whole - each[index])


def replicated_table_likelihood(
    table: TableEvidence, powers: FloatArray | None
) -> Callable[[Any], Any]:
    """Return the log likelihood of all datasets, the scale summed out: log θ (A, K) to (A,)."""
    import pymc as pm

    rows = _replicated_evidence_rows(table)

    def likelihood(logs: Any) -> Any:
        each = _replicated_at_scales(logs, rows, powers)
        return pm.math.logsumexp(each, axis=1, keepdims=False) - math.log(len(rows))

    return likelihood


def _replicated_at_scales(logs: Any, rows: FloatArray, powers: FloatArray | None) -> Any:
    """Log likelihood of all datasets for each log θ and each scale: (A, K) to (A, scale)."""
    import pymc as pm

    each = pm.math.logsumexp(logs[:, None, None, :] + rows, axis=-1, keepdims=False)
    return (each if powers is None else powers * each).sum(axis=-1)


def _observe_replicated_test_evidence(
    logs: Any, rows: Any, table: TableEvidence, powers: FloatArray | None
) -> None:
    """Observe each dataset's evidence: log Σ_s θ_s ℓ_i(s). A new dataset is one statement."""
    import pymc as pm
    import pytensor.tensor as pt

    scales = len(table.evidence.log)
    shown = normalised_replicated_rows(table.evidence.log, np.full(scales, 1.0 / scales))

    def logp(value: Any, log_p: Any, row: Any) -> Any:
        # The rows are the data; `value` only shows them, averaged over the scales.
        log = pm.math.logsumexp(log_p + row, axis=-1, keepdims=False) + 0.0 * value.sum(axis=-1)
        return log if powers is None else powers * log

    def dist(log_p: Any, row: Any, size: Any) -> Any:
        return pm.Multinomial.dist(1, pt.exp(log_p) + 0.0 * row, size=size).astype("float64")

    pm.CustomDist(
        OUTCOME,
        logs,
        rows,
        logp=logp,
        dist=dist,
        observed=shown,
        dims=("dataset", "statement"),
        signature="(s),(s)->(s)",
    )


def replicated_exact_tree(
    method: Replicated, results: Results, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw the scale, the counts given it, and θ given the counts."""
    listing = method.listing(results)
    table = method.table_evidence(results)
    posterior = method.count_posterior(results, table, rng)
    size = (chains, draws)
    part, version, counts = _draw_replicated_test_counts(posterior, size, rng)
    strengths = getattr(posterior, "strengths", np.ones(1))[part]
    before_strengths = method.prior_strengths(draws, rng)[None]
    log_alpha, log_before = (
        listing.log_alpha + np.log(drawn)[..., None] for drawn in (strengths, before_strengths)
    )
    after = draw_dirichlet_latents(log_alpha, counts, size, rng)
    before = draw_dirichlet_latents(log_before, np.zeros_like(listing.counts), (1, draws), rng)
    logs = dirichlet_log_theta(log_alpha, *after)
    prior = np.exp(dirichlet_log_theta(log_before, *before))
    theta, n = np.exp(logs), len(results.datasets)
    powers = method.powers(results)
    likelihood = logsumexp(logs[:, :, None, :] + table.evidence.log[version], axis=-1)
    groups: dict[str, dict[str, Any]] = {
        "posterior": {"theta": theta},
        "prior": {"theta": prior},
        "posterior_predictive": {OUTCOME: shared_statement_each(theta, n, rng)},
        "prior_predictive": {OUTCOME: shared_statement_each(prior, n, rng)},
        "log_likelihood": {OUTCOME: likelihood if powers is None else powers * likelihood},
        "log_prior": shared_latent_log_prior("theta", np.exp(log_alpha), *after),
        "observed_data": {
            OUTCOME: normalised_replicated_rows(table.evidence.log, posterior.version)
        },
    }
    if isinstance(posterior, MixedCounts):
        groups["posterior"]["strength"] = strengths
        groups["prior"]["strength"] = before_strengths
    if len(posterior.version) > 1:
        scales = table.evidence.scales
        groups["posterior"][SCALE] = scales[version]
        groups["prior"][SCALE] = rng.choice(scales, size=(1, draws))
    dims = {
        SCALE: (),
        "strength": (),
        OUTCOME: ("dataset", "statement"),
        **dict.fromkeys(("theta", *(f"{prefix}theta" for prefix in LATENTS)), ("statement",)),
    }
    tree = make_shared_tree(groups, dims, shared_statement_coords(results, listing))
    return finish_replicated_tree(tree, results, listing, rng)


def _draw_replicated_test_counts(
    posterior: CountPosterior | MixedCounts, size: tuple[int, int], rng: np.random.Generator
) -> tuple[IntArray, IntArray, FloatArray]:
    """Draw which part, which version given it, and the counts given both."""
    parts = posterior.parts
    part = rng.choice(len(parts), size=size, p=[weight for weight, _ in parts])
    version = np.empty(size, dtype=np.int64)
    counts = np.empty((*size, len(parts[0][1].alpha)))
    for k in np.unique(part):
        here, given = part == k, parts[k][1]
        version[here] = rng.choice(len(given.version), size=int(here.sum()), p=given.version)
        for r in np.unique(version[here]):
            both = here & (version == r)
            weight = given.weight[:, r] / given.weight[:, r].sum()
            counts[both] = given.vectors[rng.choice(len(weight), size=int(both.sum()), p=weight)]
    return part, version, counts


def finish_replicated_tree(
    tree: xr.DataTree, results: Results, listing: LumpedStatements, rng: np.random.Generator
) -> xr.DataTree:
    """Bring a tree into the shape that `draws` gives: no number of the scale, only its value."""
    import xarray as xr

    for group in ("posterior", "prior", "log_prior"):
        if group in tree:
            data = tree[group].to_dataset()
            tree[group] = xr.DataTree(data.drop_vars([INDEX, UNIFORM], errors="ignore"))
    return finish_shared_tree(tree, results, listing, rng)


def replicated_sampled_answer(method: Replicated, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    model = method.model(results)
    check_shared_prior_support(method.nonconjugate_priors, method.parameters, model)
    tree = nuts.sample_nuts_as_asked(sampling, method.nuts_model(results), through=model)
    statements, cells = method.cells(results)
    listing = LumpedStatements.from_cells(statements, cells)
    tree = finish_replicated_tree(tree, results, listing, sampling.rng)
    theta = tree["posterior"].to_dataset()["theta"].transpose("chain", "draw", "statement")
    each = sole_leader(theta.values).astype(np.float64)
    table = method.table_evidence(results)
    version = _replicated_test_version_weights(tree, table.evidence.scales)
    evidence = normalised_replicated_rows(table.evidence.log, version)
    answer = Answer.over(
        statements,
        probability=each.mean(axis=(0, 1)),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=1.0 - float(each.any(axis=-1).mean()),
        per_statement=drawn_theta_summary(theta, statements),
        parts=drawn_parts(theta, statements),
        tree=tree,
        seed=sampling.seed,
        details=replicated_details(
            results,
            table,
            evidence,
            _replicated_test_given_theta(theta.values, evidence),
            version,
            how="nuts",
        ),
    )
    return replace(answer, scalars=shared_sampled_questions(theta, statements, answer))


def _replicated_test_version_weights(tree: xr.DataTree, scales: FloatArray) -> FloatArray:
    """Share of the draws at each scale."""
    if len(scales) == 1:
        return np.ones(1)
    drawn = tree["posterior"].to_dataset()[SCALE].values.ravel()
    share = np.array([(np.isclose(drawn, scale)).mean() for scale in scales])
    return np.asarray(share / share.sum())


def _replicated_test_given_theta(theta: FloatArray, evidence: FloatArray) -> FloatArray:
    """P(z_i = s | all), averaged over draws of θ."""
    flat = theta.reshape(-1, theta.shape[-1])
    out = np.zeros_like(evidence)
    for i, row in enumerate(evidence):
        weight = flat * row
        out[i] = (weight / weight.sum(axis=1, keepdims=True)).mean(axis=0)
    return out
