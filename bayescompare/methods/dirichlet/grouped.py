"""The multinomial-Dirichlet test of several domains; `_shared.domains` has the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Method, Sampling
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.replicated.domains import DomainCounts, known_counts
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
from bayescompare.methods._shared.power import power_words
from bayescompare.methods._shared.simplex import observe_weights
from bayescompare.methods._shared.trees import marginal_dims
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.posterior import drawn_theta_summary, sampled_questions
from bayescompare.methods.dirichlet.words import size_words
from bayescompare.results.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["GroupedDirichlet", "grouped_dirichlet"]

_NO_EVIDENCE = "Domains are answered by NUTS, and their evidence has no closed form."


@dataclass(frozen=True, kw_only=True)
class GroupedDirichlet(Dirichlet):
    """`Dirichlet` of a table whose datasets come from several domains."""

    details_type: ClassVar[type[Details]] = DomainDetails
    lacks: ClassVar[Mapping[str, str]] = {"evidence": _NO_EVIDENCE}

    def for_table(self, results: Results) -> Method:
        """Return itself: it is the test for domains."""
        return self

    @property
    def needs_mcmc(self) -> bool:
        """Whether NUTS is needed: always."""
        return True

    def counts(self, results: Results) -> DomainCounts:
        """Return the counts of every domain."""
        return known_counts(self.listing(results).weights, domain_codes(results)[1])

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
        listing = self.listing(results)
        weights = listing.weights

        def likelihood(logs: FloatArray, version: IntArray) -> FloatArray:
            # A statement without weight counts nothing, even where θ underflows to 0.
            return np.asarray((weights * np.where(weights > 0.0, logs, 0.0)).sum(axis=-1))

        return sample_domains(
            results, listing, self.counts(results), likelihood,
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
        probability = each.mean(axis=(0, 1))
        phi = sample.tree["posterior"].to_dataset()["phi"]
        answer = Answer.over(
            statements,
            probability=probability,
            unobserved=float(probability[statements.table.counts == 0].sum()),
            mcse=nuts.monte_carlo_error(each),
            per_statement=drawn_theta_summary(phi, statements),
            tree=sample.tree,
            seed=sampling.seed,
            details=DomainDetails(**domain_details(results, sample)),
        )
        return replace(answer, scalars=sampled_questions(phi, statements, answer))

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
            observe_weights(logs, listing.weights)
        return model

    def nuts_model(self, results: Results) -> pm.Model:
        """Build it with every θ_g integrated out."""
        return collapsed_model(results, self.listing(results), self.counts(results))

    def refuses(self, quantity: str) -> str:
        """Say what domains do not leave."""
        if quantity in ("plan", "predict", "simulate", "on", "draws"):
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
