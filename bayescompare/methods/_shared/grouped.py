"""Methods about θ on a table of several domains: what they share; `domains` has the model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.replicated.domains import DomainCounts
from bayescompare.methods._shared.domain_words import DOMAIN_TEXT
from bayescompare.methods._shared.domains import (
    DomainSample,
    collapsed_model,
    domain_coords,
    place_domains,
    sample_domains,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.trees import (
    drawn_parts,
    drawn_questions,
    drawn_theta_summary,
    marginal_dims,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.details import Details
from bayescompare.outcome.method import STATEMENTS, Form, Method, Sampling
from bayescompare.outcome.posterior import Posterior
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.posterior.component import Component


NO_DOMAIN_EVIDENCE = "Domains are answered by NUTS, and their evidence has no closed form."


class GroupedPosterior(Posterior):
    """What is known of the domains, by draws alone."""

    method: GroupedMethod

    weighed_by: ClassVar[str | None] = "strength"

    @property
    def data_scale(self) -> str | None:
        """Where single values are judged, its datasets are probabilities of statements."""
        return STATEMENTS if self.method.accepts.judges == "cells" else None

    def why_not(self, quantity: str) -> str:
        """Say what domains do not leave."""
        if quantity in ("plan", "predict", "simulate", "on", "draws"):
            return (
                f"{quantity}: with group= the answer is sampled, and new datasets may be of an old "
                "domain or of a new one; see c.domains, c.tree and c.sample()."
            )
        return ""

    def own_sample(
        self, *, draws: int, chains: int, rng: np.random.Generator, options: Mapping[str, Any]
    ) -> xr.DataTree:
        """Sample φ and κ by NUTS, and every θ_g given them."""
        nuts.check_compiler_for_nuts()
        sample = self.method.domain_sample(
            self.results, draws=draws, chains=chains, rng=rng, options=options
        )
        return sample.tree


class GroupedMethod(Method):
    """The variant of a method about θ for several domains; stands before that method as a base.

    A variant says which counts its domains have, how a dataset is observed, its log likelihood
    given log θ, and what its answer tells.
    """

    posterior_type: ClassVar[type[Posterior]] = GroupedPosterior

    if TYPE_CHECKING:
        # Of the method that the variant is made from.
        def cells(self, results: Results) -> tuple[Statements, Component]: ...
        def listing(self, results: Results) -> LumpedStatements: ...

    @abstractmethod
    def counts(self, results: Results) -> DomainCounts:
        """Return the count vectors of every domain, and how well each fits."""

    @abstractmethod
    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """Log likelihoods (chain, draw, n), from log θ of each dataset's domain and the version."""

    @abstractmethod
    def observe_domains(self, results: Results, logs: Any) -> None:
        """Add every dataset to the model in context, given log θ of its domain."""

    @abstractmethod
    def sample_details(self, results: Results, sample: DomainSample) -> Details:
        """Return what the answer tells beside P(max)."""

    def sample_listing(self, results: Results) -> LumpedStatements:
        """Return the statements, with the weights that the tree shows of every dataset."""
        return self.listing(results)

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return itself: it is the test for domains."""
        return self

    @property
    def needs_mcmc(self) -> bool:
        """Whether NUTS is needed: always."""
        return True

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

        def likelihood(logs: FloatArray, version: IntArray) -> FloatArray:
            return self.log_likelihood(results, logs, version)

        return sample_domains(
            results, self.sample_listing(results), self.counts(results), likelihood,
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
            mcse=nuts.nuts_monte_carlo_error(each),
            per_statement=drawn_theta_summary(phi, statements),
            parts=drawn_parts(phi, statements),
            tree=sample.tree,
            seed=sampling.seed,
            details=self.sample_details(results, sample),
        )
        return replace(answer, scalars=drawn_questions(phi, statements, answer))

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model with θ of every domain; for NUTS, with every θ_g integrated out."""
        if form == "nuts":
            return collapsed_model(results, self.listing(results), self.counts(results))
        import pymc as pm

        listing = self.listing(results)
        with pm.Model(coords=domain_coords(results, listing)) as model:
            logs = place_domains(results, listing)
            marginal = (model["phi"] * np.moveaxis(listing.wins, 0, -1)).sum(axis=-1)
            pm.Deterministic("marginal", marginal, dims=marginal_dims(results))
            self.observe_domains(results, logs)
        return model

    def no_evidence(self) -> str:
        """Say why there is no log evidence."""
        return f"is not there. {NO_DOMAIN_EVIDENCE}"

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the domains."""
        text = super().methods_text(answer).partition(" Reported is ")[0]
        return f"{text} {DOMAIN_TEXT}"
