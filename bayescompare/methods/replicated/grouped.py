"""Replicated evidence of several domains; `_shared.grouped` has what it shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.domains import DomainCounts, uncertain_replicated_counts
from bayescompare.methods._shared.domain_words import domain_words
from bayescompare.methods._shared.domains import (
    DomainDetails,
    DomainSample,
    domain_codes,
    domain_details,
)
from bayescompare.methods._shared.grouped import NO_DOMAIN_EVIDENCE, GroupedMethod
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods.replicated import Replicated
from bayescompare.methods.replicated.comparison import ReplicatedDetails
from bayescompare.methods.replicated.model import observe_rows
from bayescompare.methods.replicated.words import assumption_words
from bayescompare.outcome.answer import Found
from bayescompare.outcome.details import Details
from bayescompare.table.results import Results

__all__ = ["GroupedReplicated", "grouped_replicated"]

#: Draws over which each dataset's statements are averaged.
_AVERAGED = 500


@dataclass(frozen=True, kw_only=True)
class GroupedReplicatedDetails(DomainDetails, ReplicatedDetails):
    """What is known of each dataset, and of each domain."""


@dataclass(frozen=True, kw_only=True)
class GroupedReplicated(GroupedMethod, Replicated):
    """`Replicated` of a table whose datasets come from several domains."""

    details_type: ClassVar[type[Details]] = GroupedReplicatedDetails
    lacks: ClassVar[Mapping[str, str]] = {**Replicated.lacks, "evidence": NO_DOMAIN_EVIDENCE}

    def counts(self, results: Results) -> DomainCounts:
        """Return the count vectors of every domain, and how well each fits."""
        logs = self.table_evidence(results).evidence.log
        counts = uncertain_replicated_counts(logs, domain_codes(results)[1])
        if counts is None:
            raise BayescompareError(
                "group=: a domain has too many datasets or statements to sum over what each may "
                "show; choose fewer measures by measures=[...], or make the table without group=."
            )
        return counts

    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """log Σ_s θ_s ℓ_i(s), at the scale of effects of each draw."""
        rows = self.table_evidence(results).evidence.log
        return np.asarray(logsumexp(logs + rows[version], axis=-1))

    def observe_domains(self, results: Results, logs: Any) -> None:
        """Add the evidence of every dataset to the model."""
        scales = self.table_evidence(results).evidence.scales
        observe_rows(logs, self.evidence(results), scales, "textbook")

    def sample_listing(self, results: Results) -> LumpedStatements:
        """Return the statements; of every dataset the tree shows its evidence."""
        evidence = self.evidence(results)
        versions = len(evidence.rows)
        shown = evidence.each_alone(np.full(versions, 1.0 / versions))
        return replace(self.listing(results), weights=shown)

    def sample_details(self, results: Results, sample: DomainSample) -> GroupedReplicatedDetails:
        """Return what is known of each dataset and of each domain."""
        table = self.table_evidence(results)
        versions = len(table.evidence.log)
        version = np.bincount(sample.version.ravel(), minlength=versions) / sample.version.size
        evidence = self.evidence_of(table, results).each_alone(version)
        _, codes = domain_codes(results)
        theta = sample.theta.reshape(-1, *sample.theta.shape[2:])[:, codes]
        some = theta[:: max(1, len(theta) // _AVERAGED)] * evidence
        after = (some / some.sum(axis=-1, keepdims=True)).mean(axis=0)
        own = ReplicatedDetails.of_table(results, table, evidence, after, version, how="nuts")
        known = {f.name: getattr(own, f.name) for f in fields(own)}
        return GroupedReplicatedDetails(**known, **domain_details(results, sample))

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict on the average domain, on the old ones, and on a new one."""
        results, answer, decision = found
        return [
            *domain_words(results, answer, decision),
            *assumption_words(self, results, ReplicatedDetails.of(answer)),
        ]


def grouped_replicated(method: Replicated, results: Results) -> GroupedReplicated:
    """Return the test with the same prior for a table with domains."""
    if method.prior == "learned" or method.priors or not method.joint:
        raise BayescompareError(
            "group=: the prior of the average domain is 'symmetric', 'jeffreys', 'uniform', a "
            "number or a mapping; prior='learned', priors= and joint=False are for tables without "
            "group=."
        )
    if results.weights is not None:
        raise BayescompareError(
            "group= and weight= together are for method='dirichlet' only: make the table with one "
            "of them."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    return GroupedReplicated(**options)
