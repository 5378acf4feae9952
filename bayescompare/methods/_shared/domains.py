r"""Datasets of several domains: the model, its sample and its answer, for every method about θ.

.. math:: \varphi \sim \mathrm{Dirichlet}(\alpha), \quad \kappa \sim \mathrm{Gamma}(2, 0.1), \quad
          \theta_g \sim \mathrm{Dirichlet}(\kappa\varphi)

φ is the average domain, θ_g domain g, and a new domain is drawn around φ as the old ones were. NUTS
samples φ and κ with every θ_g integrated out; θ_g given them is drawn exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import Priors, describe_prior, place_prior
from bayescompare.methods._shared.simplex import (
    SCALE,
    SCALE_INDEX,
    ShownData,
    place_alpha,
    place_dirichlet,
)
from bayescompare.methods._shared.trees import (
    add_marginal,
    make_tree,
    marginal_dims,
    one_each,
    ratio_prior,
    sign_tree,
    statement_coords,
    without_latents,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, FourQuestions
from bayescompare.outcome.decision import Decision, certainty_words, claim_words
from bayescompare.outcome.method import Form, Parameter
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural, probability_words, statistic_number_text
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

    from bayescompare.kernels.replicated.domains import DomainCounts

#: How alike domains are: the prior of κ, of mean 20, and the parameter as users may replace it.
KAPPA = (2.0, 0.1)
KAPPA_PARAMETER = Parameter("kappa", (), "Gamma(2, 0.1)", "how alike domains are, with group=")
#: Rows of `c.domains` that are no domain of the table.
AVERAGE, NEW = "(average domain)", "(new domain)"

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class DomainDetails(FourQuestions):
    """What an answer tells of each domain; None where a table has none.

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

    domains: tuple[str, ...] | None = None
    domain_sizes: tuple[int, ...] | None = None
    domain_probability: Rows | None = None
    new_domain: tuple[float, ...] | None = None
    kappa: tuple[float, ...] | None = None


def domains_table(results: Results, answer: Answer) -> pd.DataFrame:
    """P(each statement is the most probable one) in each domain, in a new one, on average."""
    import pandas as pd

    details: Any = answer.facts
    rows = [*details.domain_probability, details.new_domain, answer.probability]
    index = pd.Index([*details.domains, NEW, AVERAGE], name="domain")
    table = pd.DataFrame(np.array(rows), index=index, columns=list(answer.labels))
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


def domain_counts_of(results: Results, listing: LumpedStatements) -> DomainCounts:
    """Return the count vectors of every domain, and how well each fits."""
    from bayescompare.kernels.replicated.domains import domain_counts

    evidence, rows, some = listing.evidence, np.empty((1, 0, len(listing.labels))), np.empty(0, int)
    if evidence is not None:
        rows, some = evidence.rows, evidence.uncounted
    counts = domain_counts(listing.weights, rows, some, domain_codes(results)[1])
    if counts is None:
        raise BayescompareError(
            "group=: a domain has too many datasets or statements to sum over what each may "
            "show; choose fewer measures by measures=[...], or make the table without group=."
        )
    return counts


def domain_model(
    results: Results, listing: LumpedStatements, priors: Priors, form: Form
) -> pm.Model:
    """Build the model with θ of every domain; for NUTS, with every θ_g integrated out."""
    import pymc as pm
    import pytensor.tensor as pt

    if form == "nuts":
        return collapsed_model(results, listing, domain_counts_of(results, listing), priors)
    names, codes = domain_codes(results)
    with pm.Model(coords=domain_coords(results, listing)) as model:
        domain = pm.Data("domain_of", codes, dims="dataset")
        log_phi, kappa = place_average("textbook", listing, priors)
        around = pt.ones((len(names), 1)) * kappa * pt.exp(log_phi)
        log_theta = place_dirichlet("textbook", "theta", around, 0.0, ("domain", "statement"))
        add_marginal("phi", results, listing)
        ShownData.place(listing).observe(log_theta[domain])
    return model


def sample_domains(
    results: Results,
    listing: LumpedStatements,
    priors: Priors,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> DomainSample:
    """Sample φ, κ and what their priors have by NUTS, and everything else given them."""
    import pymc as pm

    nuts.check_compiler_for_nuts()
    counts = domain_counts_of(results, listing)
    model = collapsed_model(results, listing, counts, priors)
    asked = {"draws": 1000, "chains": 4, "target_accept": 0.95, **options}
    draws, chains = asked.pop("draws"), asked.pop("chains")
    seed = int(rng.integers(2**31 - 1))
    # φ lies near an edge of the simplex where κ is small: small steps do not slip there.
    raw = nuts.run_nuts(model, draws=draws, chains=chains, seed=seed, options=asked)
    textbook = domain_model(results, listing, priors, "textbook")
    before = nuts.draw_prior_as_nuts(textbook, rng, draws)
    groups: dict[str, dict[str, Any]] = {"posterior": {}, "prior": {}}
    nothing = np.zeros(len(listing.labels))
    for group, tree in (("posterior", raw), ("prior", before)):
        data = without_latents(tree[group].to_dataset())
        own = groups[group] = {
            str(name): v.transpose("chain", "draw", ...).values
            for name, v in data.drop_vars(["theta", "marginal"], errors="ignore").items()
        }
        own.setdefault("kappa", np.full(own["phi"].shape[:2], priors.get("kappa")))
        around = np.maximum(own["kappa"][..., None] * own["phi"], 1e-300)
        own["theta_new"] = np.exp(draw_log_theta(np.log(around), nothing, around.shape[:2], rng))
        own["marginal"] = np.tensordot(own["phi"], listing.wins, axes=1)
        if group == "posterior":
            flat = around.reshape(-1, around.shape[-1])
            drawn, theta = counts.draw(flat, rng)
            version = drawn.reshape(around.shape[:2])
            own["theta"] = theta.reshape(*around.shape[:2], *theta.shape[1:])
            if listing.scales is not None and len(listing.scales) > 1:
                own |= {SCALE_INDEX: version, SCALE: listing.scales[version]}
        else:
            own["theta"] = data["theta"].transpose(..., "domain", "statement").values
    _, codes = domain_codes(results)
    posterior, prior = (groups[group]["theta"][:, :, codes] for group in groups)
    with np.errstate(divide="ignore"):
        likelihood = listing.log_likelihood(np.log(posterior), version)
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
        # What else the user's priors have. Not sampled are a κ that is a number, and the scale.
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


def domain_methods_text(text: str, priors: Priors) -> str:
    """Describe the test of a methods paragraph, and the domains."""
    kappa = priors.get("kappa")
    prior = KAPPA_PARAMETER.default if kappa is None else describe_prior(kappa)
    return (
        f"{text.partition(' Reported is ')[0]} The datasets come from several domains. The "
        "probabilities θ_g of the statements in a domain vary around those of the average domain, "
        f"θ_g ~ Dirichlet(κφ), with φ under the prior named above and κ ~ {prior}. Reported is the "
        "probability that a statement's φ is the largest; φ and κ were sampled by NUTS in PyMC, "
        "with every θ_g integrated out."
    )


def _one_of_each(theta: FloatArray, rng: np.random.Generator) -> IntArray:
    """One statement for each dataset from its domain's θ, (chain, draw, n)."""
    each = [one_each(theta[:, :, i], 1, rng)[..., 0] for i in range(theta.shape[2])]
    return np.stack(each, axis=-1)
