"""The multinomial-Dirichlet test of several domains; `_shared.grouped` has what it shares."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.domains import DomainCounts, known_domain_counts
from bayescompare.methods._shared.domains import (
    DomainDetails,
    DomainSample,
    GroupedMethod,
    domain_codes,
    domain_details,
    domain_words,
)
from bayescompare.methods._shared.simplex import observe_weights
from bayescompare.methods._shared.words import power_words
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.words import size_words
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import Sampling
from bayescompare.table.results import Results


@dataclass(frozen=True, kw_only=True)
class GroupedDirichlet(GroupedMethod, Dirichlet):
    """`Dirichlet` of a table whose datasets come from several domains."""

    def counts(self, results: Results) -> DomainCounts:
        """Return the counts of every domain."""
        return known_domain_counts(self.listing(results).weights, domain_codes(results)[1])

    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """Weights times log θ."""
        weights = self.listing(results).weights
        # A statement without weight counts nothing, even where θ underflows to 0.
        return np.asarray((weights * np.where(weights > 0.0, logs, 0.0)).sum(axis=-1))

    def observe_domains(self, results: Results, logs: Any) -> None:
        """Add the weights of every dataset to the model."""
        observe_weights(logs, self.listing(results).weights)

    def sample_details(self, results: Results, sample: DomainSample) -> DomainDetails:
        """Return what is known of each domain."""
        return DomainDetails(**domain_details(results, sample))

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Answer, with one figure for all statements that no dataset showed."""
        answer = super().answer(results, sampling)
        assert answer.probability is not None
        unseen = self.cells(results)[0].table.counts == 0
        return replace(answer, unobserved=float(answer.probability[unseen].sum()))

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict on the average domain, on the old ones, and on a new one."""
        results, answer, decision = found
        weights = [] if results.weights is None else [power_words(results)]
        return [*domain_words(results, answer, decision), f"{size_words(results)}.", *weights]


def grouped_dirichlet(method: Dirichlet) -> GroupedDirichlet:
    """Return the test with the same prior for a table with domains."""
    if method.prior in ("imprecise", "learned") or method.priors:
        raise BayescompareError(
            "group=: the prior of the average domain is 'symmetric', 'jeffreys', 'uniform', a "
            "number or a mapping; prior='imprecise' or 'learned' and priors= are for tables "
            "without group=."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    grouped = GroupedDirichlet(**options)
    object.__setattr__(grouped, "learns", method.learns)
    return grouped
