"""Replicated evidence of several domains; `_shared.domains` has the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Method, Sampling
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.replicated.domains import DomainCounts, uncertain_counts
from bayescompare.methods._shared.domain_words import DOMAIN_TEXT, domain_words
from bayescompare.methods._shared.domains import (
    DomainDetails,
    DomainSample,
    collapsed_model,
    domain_codes,
    domain_coords,
    domain_details,
    place_domains,
    sample_domains,
)
from bayescompare.methods._shared.trees import marginal_dims
from bayescompare.methods.dirichlet.posterior import drawn_theta_summary, sampled_questions
from bayescompare.methods.replicated import Replicated
from bayescompare.methods.replicated.answer import normalised, replicated_details
from bayescompare.methods.replicated.details import ReplicatedDetails
from bayescompare.methods.replicated.posterior import observe_table_evidence
from bayescompare.methods.replicated.words import assumption_words
from bayescompare.results.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["GroupedReplicated", "grouped_replicated"]

_NO_EVIDENCE = "Domains are answered by NUTS, and their evidence has no closed form."
#: Draws over which each dataset's statements are averaged.
_AVERAGED = 500


@dataclass(frozen=True, kw_only=True)
class GroupedReplicatedDetails(DomainDetails, ReplicatedDetails):
    """What is known of each dataset, and of each domain."""


@dataclass(frozen=True, kw_only=True)
class GroupedReplicated(Replicated):
    """`Replicated` of a table whose datasets come from several domains."""

    details_type: ClassVar[type[Details]] = GroupedReplicatedDetails
    lacks: ClassVar[Mapping[str, str]] = {**Replicated.lacks, "evidence": _NO_EVIDENCE}

    def for_table(self, results: Results) -> Method:
        """Return itself: it is the test for domains."""
        return self

    @property
    def needs_mcmc(self) -> bool:
        """Whether NUTS is needed: always."""
        return True

    def counts(self, results: Results) -> DomainCounts:
        """Return the count vectors of every domain, and how well each fits."""
        logs = self.table_evidence(results).evidence.log
        counts = uncertain_counts(logs, domain_codes(results)[1])
        if counts is None:
            raise BayescompareError(
                "group=: a domain has too many datasets or statements to sum over what each may "
                "show; choose fewer measures by measures=[...], or make the table without group=."
            )
        return counts

    def domain_sample(
        self,
        results: Results,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
        options: Mapping[str, Any],
    ) -> DomainSample:
        """Sample φ, κ and every θ_g."""
        listing, rows = self.listing(results), self.table_evidence(results).evidence.log

        def likelihood(logs: FloatArray, version: IntArray) -> FloatArray:
            return np.asarray(logsumexp(logs + rows[version], axis=-1))

        shown = normalised(rows, np.full(len(rows), 1.0 / len(rows)))
        return sample_domains(
            results, replace(listing, weights=shown), self.counts(results), likelihood,
            draws=draws, chains=chains, rng=rng, options=dict(options),
        )  # fmt: skip

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for the average domain, for each old one, and for a new one."""
        options = dict(sampling.options)
        sample = self.domain_sample(
            results,
            draws=options.pop("draws", 1000),
            chains=options.pop("chains", 4),
            rng=sampling.rng,
            options=options,
        )
        statements, _ = self.cells(results)
        each = sole_leader(sample.phi).astype(np.float64)
        phi = sample.tree["posterior"].to_dataset()["phi"]
        answer = Answer.over(
            statements,
            probability=each.mean(axis=(0, 1)),
            mcse=nuts.monte_carlo_error(each),
            per_statement=drawn_theta_summary(phi, statements),
            tree=sample.tree,
            seed=sampling.seed,
            details=self._details(results, sample),
        )
        return replace(answer, scalars=sampled_questions(phi, statements, answer))

    def _details(self, results: Results, sample: DomainSample) -> GroupedReplicatedDetails:
        table = self.table_evidence(results)
        rows = table.evidence.log
        version = np.bincount(sample.version.ravel(), minlength=len(rows)) / sample.version.size
        evidence = normalised(rows, version)
        _, codes = domain_codes(results)
        theta = sample.theta.reshape(-1, *sample.theta.shape[2:])[:, codes]
        some = theta[:: max(1, len(theta) // _AVERAGED)] * evidence
        after = (some / some.sum(axis=-1, keepdims=True)).mean(axis=0)
        own = replicated_details(results, table, evidence, after, version, how="nuts")
        known = {f.name: getattr(own, f.name) for f in fields(own)}
        return GroupedReplicatedDetails(**known, **domain_details(results, sample))

    def own_sample(
        self,
        results: Results,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
        options: Mapping[str, Any],
    ) -> xr.DataTree | None:
        """Sample φ and κ by NUTS, and every θ_g given them."""
        nuts.check_compiler()
        sample = self.domain_sample(results, draws=draws, chains=chains, rng=rng, options=options)
        return sample.tree

    def model(self, results: Results) -> pm.Model:
        """Build the model as it is written, with θ of every domain."""
        import pymc as pm
        import pytensor.tensor as pt

        listing = self.listing(results)
        with pm.Model(coords=domain_coords(results, listing)) as model:
            logs = place_domains(results, listing)
            marginal = pt.tensordot(model["phi"], listing.wins, axes=1)
            pm.Deterministic("marginal", marginal, dims=marginal_dims(results))
            observe_table_evidence(logs, self.table_evidence(results))
        return model

    def nuts_model(self, results: Results) -> pm.Model:
        """Build it with every θ_g integrated out."""
        return collapsed_model(results, self.listing(results), self.counts(results))

    def refuses(self, quantity: str) -> str:
        """Say what domains do not leave."""
        if quantity in ("plan", "predict", "simulate", "draws"):
            return (
                f"{quantity}: with group= the answer is sampled, and new datasets may be of an old "
                "domain or of a new one; see c.domains, c.tree and c.sample()."
            )
        return super().refuses(quantity)

    def no_evidence(self) -> str:
        """Say why there is no log evidence."""
        return f"is not there. {_NO_EVIDENCE}"

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the domains."""
        text = super().methods_text(answer).partition(" Reported is ")[0]
        return f"{text} {DOMAIN_TEXT}"

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict on the average domain, on the old ones, and on a new one."""
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
