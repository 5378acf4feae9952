r"""Datasets of several domains: the model, its sample and its answer, for every method about θ.

.. math:: \varphi \sim \mathrm{Dirichlet}(\alpha), \quad \kappa \sim \mathrm{Gamma}(2, 0.1), \quad
          \theta_g \sim \mathrm{Dirichlet}(\kappa\varphi)

φ is the average domain, θ_g domain g, and a new domain is drawn around φ as the old ones were. NUTS
samples φ and κ with every θ_g integrated out; θ_g given them is drawn exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import QuantityNotAvailableError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import place_dirichlet
from bayescompare.methods._shared.trees import (
    make_tree,
    marginal_dims,
    shrink_predictions,
    sign_tree,
    statement_coords,
    statement_each,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.details import Details
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

    from bayescompare.kernels.replicated.domains import DomainCounts


#: How alike domains are: κ ~ Gamma(2, 0.1), of mean 20.
KAPPA = (2.0, 0.1)
#: Rows of `c.domains` that are no domain of the table.
AVERAGE, NEW = "(average domain)", "(new domain)"

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class DomainDetails(Details):
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


class Domains:
    """The field `domains`, for comparisons of methods about θ."""

    answer: Answer

    @property
    def domains(self) -> pd.DataFrame:
        """P(each statement is the most probable one) in each domain, in a new one, on average."""
        import pandas as pd

        details: Any = self.answer.details
        if not hasattr(details, "domain_probability"):
            raise QuantityNotAvailableError(
                "domains: only a table with group= has them, by 'dirichlet' or 'replicated'."
            )
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
