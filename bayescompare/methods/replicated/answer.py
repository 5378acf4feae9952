"""The answer from replicates: P(max), θ and every dataset, exactly or by Gibbs sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import PROBABILITY, theta_columns
from bayescompare.comparison.decision import decide
from bayescompare.comparison.method import Sampling
from bayescompare.comparison.questions import FourQuestions
from bayescompare.kernels.dirichlet.parts import parts_of_orders
from bayescompare.kernels.replicated.count_posterior import (
    CountPosterior,
    exact_counts,
    left_out_replicated_densities,
    refined_count_posterior,
    sampled_counts,
    sampled_replicated_cut,
)
from bayescompare.methods.replicated.details import (
    ReplicatedDetails,
    UncertaintySplit,
    replicated_matrix_rows,
)
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.methods.replicated.uncertainty import (
    uncertainty_split_of_counts,
    uncertainty_split_of_one,
)
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated

__all__ = [
    "answer_table",
    "answered_again",
    "both_replicated_densities",
    "least_of_counts",
    "left_out_of_replicated",
    "normalised_replicated_rows",
    "replicated_count_posterior",
    "replicated_details",
    "replicated_more_datasets",
]


def answer_table(method: Replicated, results: Results, sampling: Sampling) -> Answer:
    """Answer without NUTS."""
    statements, _ = method.cells(results)
    table = method.table_evidence(results)
    posterior = method.count_posterior(results, table, sampling.rng)
    if isinstance(posterior, CountPosterior) and method.joint:
        posterior = refined_count_posterior(posterior, table.evidence.log, sampling.rng)
    sampled = posterior.mcse is not None
    one = len(results.datasets) == 1
    evidence = normalised_replicated_rows(table.evidence.log, posterior.version)
    ends = np.array([posterior.theta_interval(k) for k in range(len(evidence[0]))])
    parts = {}
    if len(results.measures) > 1:
        states = statements.table.states
        parts[PROBABILITY] = (
            parts_of_orders(evidence[0], states)
            if one
            else posterior.part_maxima(states, statements.arities)
        )
    answer = Answer.over(
        statements,
        probability=evidence[0] if one else posterior.probability,
        mcse=None if one else posterior.mcse,
        log_evidence=None if one else posterior.log_evidence,
        per_statement=theta_columns(posterior.theta_mean, ends[:, 0], ends[:, 1]),
        parts=parts,
        details=replicated_details(
            results,
            table,
            evidence,
            evidence if one else posterior.per_dataset,
            posterior.version,
            how="gibbs" if sampled else "exact",
            uncertainty=uncertainty_split_of_one(evidence)
            if one
            else uncertainty_split_of_counts(posterior),
        ),
        seed=sampling.seed if sampled else None,
    )
    return replace(answer, scalars=_replicated_answer_questions(statements, posterior, answer))


def replicated_count_posterior(
    method: Replicated, table: TableEvidence, alpha: FloatArray, rng: np.random.Generator
) -> CountPosterior:
    """Return the posterior of the counts: by recursion where that is feasible, else by sampling."""
    exact = exact_counts(table.evidence.log, alpha, joint=method.joint)
    if exact is not None:
        return exact
    if method.joint:
        return sampled_counts(table.evidence.log, alpha, rng)
    return sampled_replicated_cut(table.evidence.log, alpha, rng)


def normalised_replicated_rows(logs: FloatArray, version: FloatArray) -> FloatArray:
    """Rows of ℓ that sum to one in each version, averaged over the versions, (n, K)."""
    rows = np.exp(logs - logsumexp(logs, axis=2, keepdims=True))
    return np.asarray(np.einsum("r,rik->ik", version, rows))


def replicated_details(
    results: Results,
    table: TableEvidence,
    evidence: FloatArray,
    per_dataset: FloatArray,
    version: FloatArray,
    *,
    how: str,
    uncertainty: UncertaintySplit | None = None,
) -> ReplicatedDetails:
    """Collect what the answer tells of each dataset and of how it was computed."""
    learned = table.effects == "learned" and len(version) > 1
    measures = len(results.measures)
    counted = np.zeros(len(table.rho), bool) if table.counted is None else table.counted
    few = [
        name
        for name, dof, by_counts in zip(results.datasets, table.moments.dof, counted, strict=True)
        if table.effects == "flat" and measures > 1 and dof < measures and not by_counts
    ]
    names = np.array(results.datasets)[counted].tolist()
    return ReplicatedDetails(
        evidence=replicated_matrix_rows(evidence),
        per_dataset=replicated_matrix_rows(per_dataset),
        replicates=tuple((table.moments.dof + 1.0).tolist()),
        rho=tuple(table.rho.tolist()),
        effects=table.effects,
        scales=tuple(table.evidence.scales.tolist()) if learned else (),
        scale_weights=tuple(version.tolist()) if learned else (),
        few=tuple(few),
        error=table.evidence.error,
        how=how,
        counted=tuple(names) or None,
        uncertainty=uncertainty,
    )


def _replicated_answer_questions(
    statements: Statements, posterior: CountPosterior | MixedCounts, answer: Answer
) -> FourQuestions:
    """Four different questions about the best statement."""
    best = decide(answer).statement
    k, opposite = answer.labels.index(best), statements.opposite(best)
    assert answer.probability is not None
    return FourQuestions(
        most_probable=float(answer.probability[k]),
        beats_opposite=(
            None if opposite == best else posterior.order(k, answer.labels.index(opposite))
        ),
        majority=posterior.majority(k),
        expected=float(posterior.theta_mean[k]),
    )


def left_out_of_replicated(method: Replicated, results: Results) -> tuple[FloatArray, FloatArray]:
    """Log predictive density of each dataset given the others, and given all."""
    if len(results.datasets) == 1:
        raise BayescompareError("loo: there is only one dataset, and nothing to predict it from.")
    _, cells = method.cells(results)
    densities = both_replicated_densities(method.table_evidence(results).evidence.log, cells.alpha)
    if densities is None:
        raise BayescompareError(
            "loo: there are too many statements and datasets to leave each out exactly; pass "
            "tree=, from sample(), for PSIS."
        )
    return densities


def both_replicated_densities(
    logs: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Log p(x_i | the others) and log p(a second x_i | all); None where that is not feasible."""
    exact = exact_counts(logs, alpha, joint=True)
    without = None if exact is None else left_out_replicated_densities(logs, alpha)
    if exact is None or without is None:
        return None
    mean = (exact.alpha + exact.weight.T @ exact.vectors) / exact.total
    within = logsumexp(
        logs + np.log(mean)[:, None, :] + np.log(exact.version)[:, None, None], axis=(0, 2)
    )
    return without, within


def replicated_more_datasets(
    method: Replicated, results: Results
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that adds predicted datasets and answers again.

    A new dataset's statement is drawn from θ; its evidence is that of one of the datasets seen,
    drawn with the probability that this one shows the same statement, so that new datasets are as
    informative as the old ones.
    """
    table = method.table_evidence(results)
    logs = table.evidence.log
    posterior = method.count_posterior(results, table, np.random.default_rng(0))
    share = posterior.per_dataset / np.maximum(posterior.per_dataset.sum(axis=0), 1e-300)
    seen = posterior.per_dataset.sum(axis=0) > 0.0
    again = method.answer_again(results)

    def simulate(more: int, rng: np.random.Generator) -> FloatArray:
        parts = posterior.parts
        part = parts[int(rng.choice(len(parts), p=[weight for weight, _ in parts]))][1]
        vector = part.vectors[rng.choice(len(part.vectors), p=part.average)]
        theta = np.where(seen, rng.dirichlet(part.alpha + vector), 0.0)
        z = rng.choice(len(theta), size=more, p=theta / theta.sum())
        like = [int(rng.choice(len(share), p=share[:, s] / share[:, s].sum())) for s in z.tolist()]
        return again(np.concatenate([logs, logs[:, like]], axis=1), rng)

    return simulate


def answered_again(
    statements: Statements,
    alpha: FloatArray,
    logs: FloatArray,
    rng: np.random.Generator,
    *,
    joint: bool,
) -> FloatArray:
    """The least of P(max) and of P of the parts, of other rows of evidence, under a prior."""
    exact = exact_counts(logs, alpha, joint=joint, each=False)
    return least_of_counts(statements, sampled_counts(logs, alpha, rng) if exact is None else exact)


def least_of_counts(statements: Statements, posterior: CountPosterior | MixedCounts) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts: what a verdict rests on."""
    if len(statements.measures) == 1:
        return posterior.probability
    parts = posterior.part_maxima(statements.table.states, statements.arities)
    return np.minimum(posterior.probability, parts.min(axis=1))
