r"""Datasets of several domains: the model, its sample and its answer, for every method about θ.

.. math:: \varphi \sim \mathrm{Dirichlet}(\alpha), \quad \kappa \sim \mathrm{Gamma}(2, 0.1), \quad
          \theta_g \sim \mathrm{Dirichlet}(\kappa\varphi)

φ is the average domain, θ_g domain g, and a new domain is drawn around φ as the old ones were. NUTS
samples φ and κ with every θ_g integrated out; θ_g given them is drawn exactly.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import Priors, describe_prior, place_prior
from bayescompare.methods._shared.simplex import ShownData, place_alpha, place_dirichlet
from bayescompare.methods._shared.trees import (
    answer_of_draws,
    make_tree,
    marginal_dims,
    one_each,
    ratio_prior,
    sign_tree,
    statement_coords,
    without_latents,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision, certainty_words, claim_words
from bayescompare.outcome.facts import Facts, FourQuestions
from bayescompare.outcome.method import STATEMENTS, Form, Method, Parameter, Sampling
from bayescompare.outcome.posterior import Posterior, Questions, ThetaPosterior
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural, probability_words, statistic_number_text
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

    from bayescompare.kernels.replicated.domains import DomainCounts
    from bayescompare.posterior.component import Component

#: How alike domains are: the prior of κ, of mean 20, and the parameter as users may replace it.
KAPPA = (2.0, 0.1)
KAPPA_PARAMETER = Parameter("kappa", (), "Gamma(2, 0.1)", "how alike domains are, with group=")
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
    """A tree, and as arrays (chain, draw, …): θ of old domains and of a new one, κ, the version."""

    tree: xr.DataTree
    theta: FloatArray
    new: FloatArray
    kappa: FloatArray
    version: IntArray


def domain_codes(results: Results) -> tuple[list[str], IntArray]:
    """Return the domains in order of appearance, and the number of each dataset's."""
    assert results.groups is not None
    names = list(dict.fromkeys(results.groups))
    return names, np.array([names.index(group) for group in results.groups], dtype=np.int64)


def domain_coords(results: Results, listing: LumpedStatements) -> dict[str, list[str]]:
    """Coords of a model or tree of domains."""
    return {**statement_coords(results, listing), "domain": domain_codes(results)[0]}


def place_average(
    form: Form, listing: LumpedStatements, priors: Priors, total: float = 0.0
) -> tuple[Any, Any]:
    """Add φ and κ to the model in context, by the user's priors; return log φ and κ."""
    import pymc as pm
    import pytensor.tensor as pt

    if "theta" in priors:
        # What a user believes of θ is believed of the average domain.
        log_phi = pt.log(place_prior("phi", priors["theta"], ("statement",)))
    else:
        alpha = place_alpha(priors, listing)
        log_phi = place_dirichlet(form, "phi", alpha, total, ("statement",))
    if "kappa" in priors:
        return log_phi, place_prior("kappa", priors["kappa"], ())
    return log_phi, pm.Gamma("kappa", *KAPPA)


def collapsed_model(
    results: Results, listing: LumpedStatements, counts: DomainCounts, priors: Priors
) -> pm.Model:
    """Build the model with every θ_g integrated out."""
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords=domain_coords(results, listing)) as model:
        log_phi, kappa = place_average("nuts", listing, priors, float(len(results.datasets)))
        around = pt.maximum(kappa * pt.exp(log_phi), 1e-300)
        rising = (pt.gammaln(around + counts.vectors) - pt.gammaln(around)).sum(axis=2)
        whole = pt.gammaln(kappa + counts.totals) - pt.gammaln(kappa)
        logs = np.maximum(counts.log_weight, -1e30)
        by_domain = pm.math.logsumexp(logs + rising, axis=2, keepdims=False) - whole
        # The version is summed out: NUTS and a discrete variable would hinder each other.
        together = pm.math.logsumexp(by_domain.sum(axis=1), keepdims=False) - np.log(len(logs))
        pm.CustomDist(
            OUTCOME,
            together,
            logp=lambda value, log: log + 0.0 * value,
            observed=np.zeros(()),
            class_name="Domains",
        )
    return model


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


def domain_words(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict on the average domain, on each old one, and on a new one."""
    details: Any = answer.facts
    k = answer.labels.index(decision.statement)
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    kappa, low, high = (statistic_number_text(v, significant=2) for v in details.kappa)
    return [
        f"On {plural(len(results.datasets), 'dataset')} of "
        f"{plural(len(details.domains), 'domain')} the most probable statement in the average "
        f"domain is that {claim}. The probability that it is the most probable one there is "
        f"{probability_words(decision.probability)} "
        f"({exactness_phrase(answer, decision.statement)}){certainty_words(decision)}.",
        _old_domains_words(details, answer.labels, k),
        "A new domain differs from the average one as much as the old ones differ from each "
        "other: there the same statement is the most probable one with probability "
        f"{probability_words(details.new_domain[k])}.",
        f"How alike domains are, κ, is {kappa} ({low} to {high}): a domain is known beforehand as "
        "well as that many of its datasets would tell.",
    ]


def _old_domains_words(details: Any, labels: tuple[str, ...], k: int) -> str:
    """Say where a new dataset of an old domain stands."""
    each = np.array(details.domain_probability)
    leads = list(zip(details.domains, each.argmax(axis=1).tolist(), each, strict=True))
    same = [name for name, lead, _ in leads if lead == k]
    other = [
        f"{name} ({labels[lead]}, {probability_words(float(row[lead]))})"
        for name, lead, row in leads
        if lead != k
    ]
    start = "A new dataset of an old domain follows that domain's own probabilities: the statement "
    if not other:
        low, high = float(each[:, k].min()), float(each[:, k].max())
        return (
            f"{start}leads in all {count(len(same))} of them, with probabilities from "
            f"{probability_words(low)} to {probability_words(high)} (see c.domains)."
        )
    where = f"leads in {join_names(same, most=6)}" if same else "leads in none of them"
    return f"{start}{where}; another one does in {join_names(other, most=6)} (see c.domains)."


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
            return "Domains are answered by NUTS, and their evidence has no closed form."
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
        asked = {**options, "draws": draws, "chains": chains}
        return self.method.domain_sample(self.results, rng, asked).tree


class GroupedMethod(Method):
    """The variant of a method about θ for several domains; stands before that method as a base.

    A variant says which counts its domains have, how a dataset is observed, its log likelihood
    given log θ, and what its answer tells.
    """

    posterior_type: ClassVar[type[Posterior]] = GroupedPosterior

    if TYPE_CHECKING:
        # Of the method that the variant is made from.
        priors: Priors | None

        def cells(self, results: Results) -> tuple[Statements, Component]: ...
        def listing(self, results: Results) -> LumpedStatements: ...

    @abstractmethod
    def counts(self, results: Results) -> DomainCounts:
        """Return the count vectors of every domain, and how well each fits."""

    @abstractmethod
    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """Log likelihoods (chain, draw, n), from log θ of each dataset's domain and the version."""

    def observe_domains(self, results: Results, logs: Any) -> None:
        """Add every dataset to the model in context, given log θ of its domain."""
        ShownData.place(self.sample_listing(results).shown).observe(logs)

    def sample_details(self, results: Results, sample: DomainSample) -> Facts:
        """Return what the answer tells beside P(max)."""
        return DomainDetails(**domain_details(results, sample))

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

    @property
    def domain_priors(self) -> Priors:
        """The user's priors of the average domain and of κ."""
        return self.priors or {}

    def domain_sample(
        self, results: Results, rng: np.random.Generator, options: Mapping[str, Any]
    ) -> DomainSample:
        """Sample φ, κ and what their priors have by NUTS, and everything else given them."""
        import pymc as pm

        listing, counts = self.sample_listing(results), self.counts(results)
        model = collapsed_model(results, listing, counts, self.domain_priors)
        asked = {"draws": 1000, "chains": 4, "target_accept": 0.95, **options}
        draws, chains = asked.pop("draws"), asked.pop("chains")
        seed = int(rng.integers(2**31 - 1))
        # φ lies near an edge of the simplex where κ is small: small steps do not slip there.
        raw = nuts.run_nuts(model, draws=draws, chains=chains, seed=seed, options=asked)
        textbook = self.model(results)
        before = nuts.draw_prior_as_nuts(textbook, rng, draws)
        groups: dict[str, dict[str, Any]] = {"posterior": {}, "prior": {}}
        nothing = np.zeros(len(listing.labels))
        for group, tree in (("posterior", raw), ("prior", before)):
            data = without_latents(tree[group].to_dataset())
            own = groups[group] = {
                str(name): v.transpose("chain", "draw", ...).values
                for name, v in data.drop_vars(["theta", "marginal"], errors="ignore").items()
            }
            own.setdefault("kappa", np.full(own["phi"].shape[:2], self.domain_priors.get("kappa")))
            around = np.maximum(own["kappa"][..., None] * own["phi"], 1e-300)
            own["theta_new"] = np.exp(
                draw_log_theta(np.log(around), nothing, around.shape[:2], rng)
            )
            own["marginal"] = np.tensordot(own["phi"], listing.wins, axes=1)
            if group == "posterior":
                flat = around.reshape(-1, around.shape[-1])
                drawn, theta = counts.draw(flat, rng)
                version = drawn.reshape(around.shape[:2])
                own["theta"] = theta.reshape(*around.shape[:2], *theta.shape[1:])
            else:
                own["theta"] = data["theta"].transpose(..., "domain", "statement").values
        _, codes = domain_codes(results)
        posterior, prior = (groups[group]["theta"][:, :, codes] for group in groups)
        with np.errstate(divide="ignore"):
            likelihood = self.log_likelihood(results, np.log(posterior), version)
        groups |= {
            "posterior_predictive": {OUTCOME: _one_of_each(posterior, rng)},
            "prior_predictive": {OUTCOME: _one_of_each(prior, rng)},
            "log_likelihood": {OUTCOME: likelihood},
            "observed_data": {OUTCOME: listing.shown.place},
        }
        dims: dict[str, tuple[str, ...]] = {
            **dict.fromkeys(("phi", "theta_new"), ("statement",)),
            "theta": ("domain", "statement"),
            "marginal": marginal_dims(results),
            OUTCOME: ("dataset",),
        }
        for name in groups["posterior"].keys() - dims.keys():
            # What else the user's priors have; a κ that is a number was not sampled.
            extra = raw["posterior"].to_dataset().get(name)
            dims[name] = () if extra is None else tuple(map(str, extra.dims[2:]))
        tree = make_tree(groups, dims, domain_coords(results, listing))
        tree["sample_stats"] = raw["sample_stats"]
        # θ_g is given φ and κ: what was believed before is believed of these.
        top = [rv.name for rv in textbook.free_RVs if rv.name != "theta"]
        with nuts.quiet_nuts_warnings(), textbook:
            pm.stats.compute_log_prior(
                tree, var_names=top, progressbar=False, compile_kwargs={"mode": "FAST_COMPILE"}
            )
        tree = ratio_prior(tree, ["phi"])
        after = groups["posterior"]
        return DomainSample(
            sign_tree(tree, listing), after["theta"], after["theta_new"], after["kappa"], version
        )

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for the average domain, for each old one, and for a new one."""
        sample = self.domain_sample(results, sampling.rng, sampling.options)
        phi = sample.tree["posterior"]["phi"].transpose("chain", "draw", "statement").values
        return answer_of_draws(
            self.cells(results)[0],
            sample.tree,
            "phi",
            sole_leader(phi).astype(np.float64),
            seed=sampling.seed,
            facts=self.sample_details(results, sample),
        )

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model with θ of every domain; for NUTS, with every θ_g integrated out."""
        import pymc as pm
        import pytensor.tensor as pt

        listing = self.listing(results)
        if form == "nuts":
            return collapsed_model(results, listing, self.counts(results), self.domain_priors)
        names, codes = domain_codes(results)
        with pm.Model(coords=domain_coords(results, listing)) as model:
            domain = pm.Data("domain_of", codes, dims="dataset")
            log_phi, kappa = place_average("textbook", listing, self.domain_priors)
            around = pt.ones((len(names), 1)) * kappa * pt.exp(log_phi)
            log_theta = place_dirichlet("textbook", "theta", around, 0.0, ("domain", "statement"))
            marginal = (model["phi"] * np.moveaxis(listing.wins, 0, -1)).sum(axis=-1)
            pm.Deterministic("marginal", marginal, dims=marginal_dims(results))
            self.observe_domains(results, log_theta[domain])
        return model

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test, and the domains."""
        text = super().methods_text(answer).partition(" Reported is ")[0]
        kappa = self.domain_priors.get("kappa")
        prior = KAPPA_PARAMETER.default if kappa is None else describe_prior(kappa)
        return (
            f"{text} The datasets come from several domains. The probabilities θ_g of the "
            "statements in a domain vary around those of the average domain, θ_g ~ Dirichlet(κφ), "
            f"with φ under the prior named above and κ ~ {prior}. Reported is the probability that "
            "a statement's φ is the largest; φ and κ were sampled by NUTS in PyMC, with every θ_g "
            "integrated out."
        )


def _one_of_each(theta: FloatArray, rng: np.random.Generator) -> IntArray:
    """One statement for each dataset from its domain's θ, (chain, draw, n)."""
    each = [one_each(theta[:, :, i], 1, rng)[..., 0] for i in range(theta.shape[2])]
    return np.stack(each, axis=-1)
