r"""Datasets of several domains: the model, its sample and its answer, for every method about θ.

.. math:: \varphi \sim \mathrm{Dirichlet}(\alpha), \quad \kappa \sim \mathrm{Gamma}(2, 0.1), \quad
          \theta_g \sim \mathrm{Dirichlet}(\kappa\varphi)

φ is the average domain, θ_g domain g, and a new domain is drawn around φ as the old ones were. NUTS
samples φ and κ with every θ_g integrated out; θ_g given them is drawn exactly.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import place_dirichlet
from bayescompare.methods._shared.trees import (
    drawn_parts,
    drawn_questions,
    drawn_theta_summary,
    make_tree,
    marginal_dims,
    shrink_predictions,
    sign_tree,
    statement_coords,
    statement_each,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import certainty_words, claim_words
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.facts import Facts, FourQuestions
from bayescompare.outcome.method import STATEMENTS, Form, Method, Sampling
from bayescompare.outcome.of_posterior import Questions
from bayescompare.outcome.posterior import Posterior, ThetaPosterior
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    plural,
    probability_words,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

    from bayescompare.kernels.replicated.domains import DomainCounts
    from bayescompare.posterior.component import Component

#: How alike domains are: κ ~ Gamma(2, 0.1), of mean 20.
KAPPA = (2.0, 0.1)
#: Rows of `c.domains` that are no domain of the table.
AVERAGE, NEW = "(average domain)", "(new domain)"

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class DomainDetails(FourQuestions):
    """What an answer tells of each domain.

    Attributes
    ----------
    domains : tuple of str
    domain_sizes : tuple of int
        Datasets of each.
    domain_probability : rows
        P(max) of every statement in each domain.
    new_domain : tuple of float
        P(max) of every statement in a new domain.
    kappa : tuple of float
        Mean and central 95 % interval of κ.
    """

    domains: tuple[str, ...]
    domain_sizes: tuple[int, ...]
    domain_probability: Rows
    new_domain: tuple[float, ...]
    kappa: tuple[float, ...]


class Domains(Posterior):
    """The field `domains`, for methods about θ."""

    def why_not(self, quantity: str) -> str:
        """Say that only a table with groups has domains."""
        if quantity == "domains" and self.results.groups is None:
            return "domains: only a table with group= has them, by 'dirichlet' or 'replicated'."
        return super().why_not(quantity)

    @property
    def domains(self) -> pd.DataFrame:
        """P(each statement is the most probable one) in each domain, in a new one, on average."""
        import pandas as pd

        details: Any = self.answer.facts
        assert self.answer.probability is not None
        rows = [*details.domain_probability, details.new_domain, self.answer.probability]
        names: list[str] = [*details.domains, NEW, AVERAGE]
        index = pd.Index(names, name="domain")
        table = pd.DataFrame(np.array(rows), index=index, columns=list(self.answer.labels))
        sizes = [*details.domain_sizes, 0, sum(details.domain_sizes)]
        table["datasets"] = np.array(sizes, dtype=int)
        return table


@dataclass(frozen=True)
class DomainSample:
    """Draws of everything, (chain, draw, …), in the shape of a tree and as arrays."""

    tree: xr.DataTree
    phi: FloatArray
    theta: FloatArray
    new: FloatArray
    kappa: FloatArray
    version: IntArray


def domain_codes(results: Results) -> tuple[list[str], IntArray]:
    """Return the domains in order of appearance, and the number of each dataset's."""
    assert results.groups is not None
    names = list(dict.fromkeys(results.groups))
    return names, np.array([names.index(group) for group in results.groups], dtype=np.int64)


def place_domains(results: Results, listing: LumpedStatements) -> Any:
    """Add φ, κ and every θ_g to the model in context; return log θ of each dataset's domain."""
    import pymc as pm
    import pytensor.tensor as pt

    names, codes = domain_codes(results)
    alpha = np.exp(listing.log_alpha)
    log_phi = place_dirichlet("textbook", "phi", alpha, 0.0, ("statement",))
    kappa = pm.Gamma("kappa", *KAPPA)
    around = pt.ones((len(names), 1)) * kappa * pt.exp(log_phi)
    log_theta_g = place_dirichlet("textbook", "theta", around, 0.0, ("domain", "statement"))
    return log_theta_g[codes]


def domain_coords(results: Results, listing: LumpedStatements) -> dict[str, list[str]]:
    """Coords of a model or tree of domains."""
    return {**statement_coords(results, listing), "domain": domain_codes(results)[0]}


def collapsed_model(
    results: Results, listing: LumpedStatements, counts: DomainCounts, kappa: float | None = None
) -> pm.Model:
    """Build the model with every θ_g integrated out; κ may be fixed."""
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords=domain_coords(results, listing)) as model:
        alpha = np.exp(listing.log_alpha)
        n = float(len(results.datasets))
        log_phi = place_dirichlet("nuts", "phi", alpha, n, ("statement",))
        strength = pm.Gamma("kappa", *KAPPA) if kappa is None else kappa
        around = pt.maximum(strength * pt.exp(log_phi), 1e-300)
        rising = (pt.gammaln(around + counts.vectors) - pt.gammaln(around)).sum(axis=2)
        whole = pt.gammaln(strength + counts.totals) - pt.gammaln(strength)
        logs = np.maximum(counts.log_weight, -1e30)
        by_domain = pm.math.logsumexp(logs + rising, axis=2, keepdims=False) - whole
        # The version is summed out: NUTS and a discrete variable would hinder each other.
        together = pm.math.logsumexp(by_domain.sum(axis=1), keepdims=False) - np.log(len(logs))
        pm.CustomDist(
            OUTCOME, together, logp=lambda value, log: log + 0.0 * value, observed=np.zeros(())
        )
    return model


def sample_domains(
    results: Results,
    listing: LumpedStatements,
    counts: DomainCounts,
    likelihood: Any,
    *,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> DomainSample:
    """Sample φ and κ by NUTS, and everything else given them.

    `likelihood` takes log θ (chain, draw, n, K) of each dataset's domain and the number of the
    version, and returns log likelihoods (chain, draw, n).
    """
    model = collapsed_model(results, listing, counts)
    seed = int(rng.integers(2**31 - 1))
    # φ lies near an edge of the simplex where κ is small: small steps do not slip there.
    careful = {"target_accept": 0.95, **options}
    raw = nuts.run_nuts(model, draws=draws, chains=chains, seed=seed, options=careful)
    posterior = raw["posterior"].to_dataset()
    phi = posterior["phi"].transpose("chain", "draw", "statement").values
    kappa = posterior["kappa"].values
    around = np.maximum(kappa[..., None] * phi, 1e-300)
    version, theta, new = _draw_shared_domain_theta(around, counts, rng)
    before = _draw_shared_domain_prior(listing, len(counts.vectors), draws, rng)
    _, codes = domain_codes(results)
    with np.errstate(divide="ignore"):
        logs = np.log(theta[:, :, codes])
    groups: dict[str, dict[str, Any]] = {
        "posterior": {"phi": phi, "kappa": kappa, "theta": theta, "theta_new": new},
        "prior": before,
        "posterior_predictive": {
            OUTCOME: _predict_shared_domain_statements(theta[:, :, codes], rng)
        },
        "prior_predictive": {
            OUTCOME: _predict_shared_domain_statements(before["theta"][:, :, codes], rng)
        },
        "log_likelihood": {OUTCOME: likelihood(logs, version)},
        "observed_data": {OUTCOME: listing.weights},
    }
    for group in ("posterior", "prior"):
        won = np.tensordot(groups[group]["phi"], listing.wins, axes=1)
        groups[group]["marginal"] = won
    dims = {
        "phi": ("statement",),
        "kappa": (),
        "theta": ("domain", "statement"),
        "theta_new": ("statement",),
        "marginal": marginal_dims(results),
        OUTCOME: ("dataset", "statement"),
    }
    tree = make_tree(groups, dims, domain_coords(results, listing))
    tree["sample_stats"] = raw["sample_stats"]
    return DomainSample(
        sign_tree(shrink_predictions(tree), listing), phi, theta, new, kappa, version
    )


def _draw_shared_domain_theta(
    around: FloatArray, counts: DomainCounts, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Draw the version, θ of every domain, and of a new one, given draws of κφ."""
    size, k = around.shape[:2], around.shape[2]
    alpha = around.reshape(-1, k)
    version, theta = counts.draw(alpha, rng)
    logs = np.log(alpha)
    new = np.exp(
        dirichlet_log_theta(logs, *draw_dirichlet_latents(logs, np.zeros(k), alpha.shape[:1], rng))
    )
    return version.reshape(size), theta.reshape(*size, -1, k), new.reshape(*size, k)


def _draw_shared_domain_prior(
    listing: LumpedStatements, domains: int, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    nothing, size = np.zeros(len(listing.log_alpha)), (1, draws)
    log_alpha = listing.log_alpha
    phi = np.exp(
        dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, nothing, size, rng))
    )
    kappa = rng.gamma(KAPPA[0], 1.0 / KAPPA[1], size)
    around = np.log(np.maximum(kappa[..., None] * phi, 1e-300))
    several = around[:, :, None, :] + np.zeros((1, 1, domains, 1))
    theta = np.exp(
        dirichlet_log_theta(
            several, *draw_dirichlet_latents(several, nothing, (1, draws, domains), rng)
        )
    )
    new = np.exp(dirichlet_log_theta(around, *draw_dirichlet_latents(around, nothing, size, rng)))
    return {"phi": phi, "kappa": kappa, "theta": theta, "theta_new": new}


def _predict_shared_domain_statements(theta: FloatArray, rng: np.random.Generator) -> Any:
    """One statement for each dataset from its domain's θ, (chain, draw, n, K)."""
    each = [statement_each(theta[:, :, i], 1, rng)[:, :, 0] for i in range(theta.shape[2])]
    return np.stack(each, axis=2)


def domain_details(results: Results, sample: DomainSample) -> dict[str, Any]:
    """Return the fields of `DomainDetails`."""
    names, codes = domain_codes(results)
    each = [sole_leader(sample.theta[:, :, g]).mean(axis=(0, 1)) for g in range(len(names))]
    low, high = np.quantile(sample.kappa, (0.025, 0.975))
    return {
        "domains": tuple(names),
        "domain_sizes": tuple(np.bincount(codes).tolist()),
        "domain_probability": tuple(tuple(row.tolist()) for row in each),
        "new_domain": tuple(sole_leader(sample.new).mean(axis=(0, 1)).tolist()),
        "kappa": (float(sample.kappa.mean()), float(low), float(high)),
    }


#: What a methods section says.
DOMAIN_TEXT = (
    "The datasets come from several domains. The probabilities θ_g of the statements in a domain "
    "vary around those of the average domain, θ_g ~ Dirichlet(κφ), with φ under the prior named "
    f"above and κ ~ Gamma({setting_number_text(KAPPA[0])}, {setting_number_text(KAPPA[1])}). "
    "Reported is the probability "
    "that a statement's φ is the largest; φ and κ were sampled by NUTS in PyMC, with every θ_g "
    "integrated out."
)


def domain_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict on the average domain, on each old one, and on a new one."""
    details: Any = answer.facts
    k = answer.labels.index(decision.statement)
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    each = np.array(details.domain_probability)
    sentences = [
        f"On {plural(len(results.datasets), 'dataset')} of "
        f"{plural(len(details.domains), 'domain')} the most probable statement in the average "
        f"domain is that {claim}. The probability that it is the most probable one there is "
        f"{probability_words(decision.probability)} "
        f"({exactness_phrase(answer, decision.statement)}){certainty_words(decision)}.",
        _domain_words_on_old(details.domains, each, answer.labels, k),
        "A new domain differs from the average one as much as the old ones differ from each "
        "other: there the same statement is the most probable one with probability "
        f"{probability_words(details.new_domain[k])}.",
        _domain_words_on_likeness(details.kappa),
    ]
    return sentences


def _domain_words_on_old(
    names: tuple[str, ...], each: FloatArray, labels: tuple[str, ...], k: int
) -> str:
    """Say where a new dataset of an old domain stands."""
    leads = each.argmax(axis=1)
    same = [name for name, lead in zip(names, leads, strict=True) if lead == k]
    other = [
        f"{name} ({labels[lead]}, {probability_words(float(row[lead]))})"
        for name, lead, row in zip(names, leads, each, strict=True)
        if lead != k
    ]
    start = "A new dataset of an old domain follows that domain's own probabilities: the statement "
    if not other:
        low, high = float(each[:, k].min()), float(each[:, k].max())
        return (
            f"{start}leads in all {count(len(names))} of them, with probabilities from "
            f"{probability_words(low)} to {probability_words(high)} (see c.domains)."
        )
    where = f"leads in {join_names(same, most=6)}" if same else "leads in none of them"
    return f"{start}{where}; another one does in {join_names(other, most=6)} (see c.domains)."


def _domain_words_on_likeness(kappa: tuple[float, ...]) -> str:
    mean, low, high = (statistic_number_text(value, significant=2) for value in kappa)
    return (
        f"How alike domains are, κ, is {mean} ({low} to {high}): a domain is known beforehand as "
        "well as that many of its datasets would tell."
    )


NO_DOMAIN_EVIDENCE = "Domains are answered by NUTS, and their evidence has no closed form."


class GroupedPosterior(Domains, Questions, ThetaPosterior):
    """What is known of the domains, by draws alone."""

    facts_type: ClassVar[type[Facts]] = DomainDetails

    method: GroupedMethod

    weighed_by: ClassVar[str | None] = "strength"

    @property
    def data_scale(self) -> str | None:
        """Where single values are judged, its datasets are probabilities of statements."""
        return STATEMENTS if self.method.accepts.judges == "cells" else None

    def why_not(self, quantity: str) -> str:
        """Say what domains do not leave."""
        if quantity == "evidence":
            return NO_DOMAIN_EVIDENCE
        if quantity in ("plan", "predict", "simulate", "on", "draws"):
            return (
                f"{quantity}: with group= the answer is sampled, and new datasets may be of an old "
                "domain or of a new one; see c.domains, c.tree and c.sample()."
            )
        return ""

    @property
    def unobserved(self) -> float | None:
        """P(the most probable statement is one never observed)."""
        return self.answer.unobserved

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The domains, headed to be printed."""
        return {"Domains": self.domains}

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
    def sample_details(self, results: Results, sample: DomainSample) -> Facts:
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
            facts=self.sample_details(results, sample),
        )
        return replace(answer, facts=answer.facts.told(drawn_questions(phi, statements, answer)))

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

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the domains."""
        text = super().methods_text(answer).partition(" Reported is ")[0]
        return f"{text} {DOMAIN_TEXT}"
