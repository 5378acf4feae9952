"""The multinomial-Dirichlet test of several domains; `_shared.domains` has what it shares."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.domains import DomainCounts, known_domain_counts
from bayescompare.methods._shared.domains import GroupedMethod, domain_codes, domain_words
from bayescompare.methods._shared.priors import Priors, check_prior_ranges
from bayescompare.methods._shared.words import power_words
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.words import size_words
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import Sampling
from bayescompare.table.results import Results


@dataclass(frozen=True, kw_only=True)
class GroupedDirichlet(GroupedMethod, Dirichlet):
    """`Dirichlet` of a table whose datasets come from several domains."""

    @property
    def domain_priors(self) -> Priors:
        """What is not a number already: α has the numbers; and κ."""
        kappa = {name: value for name, value in (self.priors or {}).items() if name == "kappa"}
        return {**self.nonconjugate_priors, **kappa}

    def counts(self, results: Results) -> DomainCounts:
        """Return the counts of every domain."""
        return known_domain_counts(self.listing(results).weights, domain_codes(results)[1])

    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """Weights times log θ."""
        weights = self.listing(results).weights
        # A statement without weight counts nothing, even where θ underflows to 0.
        return np.asarray((weights * np.where(weights > 0.0, logs, 0.0)).sum(axis=-1))

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Answer, with one figure for all statements that no dataset showed."""
        check_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
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
    if method.prior in ("imprecise", "learned"):
        raise BayescompareError(
            f"group=: prior={method.prior!r} is for tables without group=; the prior of the "
            "average domain is 'symmetric', 'jeffreys', 'uniform', a number, a mapping, or priors=."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    grouped = GroupedDirichlet(**options)
    object.__setattr__(grouped, "learns", method.learns)
    return grouped
