"""The multinomial-Dirichlet test: statements of new datasets, tables and truths from its prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._typing import FloatArray, StrArray
from bayescompare._version import __version__
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.new_datasets import (
    categorical_labels,
    drawn_labels,
    sampled_posterior,
    table_of_statements,
    thinned_draws,
    truth_in_tree,
    urn_labels,
)
from bayescompare.methods._shared.trees import (
    draw_given_component,
    make_tree,
    marginal_dims,
    statement_coords,
    statement_each,
)
from bayescompare.methods.dirichlet.model import (
    hyperparameter,
    scaled,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.method import Replicate
from bayescompare.posterior.component import Component
from bayescompare.statements import DENSE, OUTCOME, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.learned import LearnedPrior
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.methods.dirichlet.posterior import DirichletPosterior
    from bayescompare.posterior.dirichlet import DirichletMixture


def predict_dirichlet(
    asked: DirichletPosterior, number: int, draws: int, rng: np.random.Generator
) -> StrArray:
    """Draw statements by Pólya's urn; under a prior of the user's, given each draw of it."""
    method, answer = asked.method, asked.answer
    if asked.theta is not None:
        return _urn_labels(method, asked.theta, number, draws, rng)
    statements, _ = method.cells(asked.results)
    posterior = sampled_posterior(answer)
    if "theta" in method.nonconjugate_priors:
        theta = posterior["theta"]
        labels = [str(label) for label in theta["statement"].values.tolist()]
        return categorical_labels(thinned_draws(theta, draws, rng), labels, number, rng)
    name = hyperparameter(posterior)
    given = (
        scaled(name, value, statements) for value in thinned_draws(posterior[name], draws, rng)
    )
    counts = statements.table.counts
    return np.concatenate([urn_labels(statements, a, counts, 1, number, rng) for a in given])


def _urn_labels(
    method: Dirichlet,
    posterior: DirichletMixture,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw a component of the prior for each draw, and statements by its urn."""
    statements, (counts,) = posterior.evidence.statements, posterior.counts
    if not any(component.lumps for component in posterior.components):
        labels = np.array(statements.labels)
        return labels[posterior.predict(number, draws, rng)]
    draw = None if method.learned else _drawer(method, statements)
    component = np.zeros(draws, dtype=np.int64)
    if len(posterior.components) > 1:
        component = rng.choice(len(posterior.components), p=posterior.weight[:, 0], size=draws)
    labels = np.empty((draws, number), dtype=object)
    for k in np.unique(component).tolist():
        here = component == k
        own, size = posterior.components[k], int(here.sum())
        labels[here] = urn_labels(statements, own, counts, size, number, rng, draw)
    return labels.astype(np.str_)


def _drawer(
    method: Dirichlet, statements: Statements
) -> Callable[[np.random.Generator], str] | None:
    """What draws statements by their prior, where those not listed are not all alike."""
    patterns = method.patterns(statements)
    return patterns.draw_statement if patterns.blocks else None


def simulated(method: Dirichlet, results: Results, rng: np.random.Generator) -> Results:
    """Draw θ from the prior and a statement for each dataset.

    Beyond 256 statements θ cannot be listed. There the statements are drawn first, by the urn, and
    then θ given them: the joint distribution is the same.
    """
    statements, cells = method.cells(results)
    if not method.needs_mcmc:
        if method.learned is not None:
            return _simulated_pair(method, method.learned, results, rng)
        return _simulated_table(method, results, 1.0, xr.Dataset(), rng)
    tree = nuts.draw_prior_as_nuts(method.model(results), rng)
    truth = truth_in_tree(tree)
    if statements.size <= DENSE:
        return table_of_statements(results, drawn_labels(tree), truth)
    name = hyperparameter(truth)
    given = scaled(name, truth[name].values, statements)
    strength = math.exp(given.lumps[0][0] - cells.lumps[0][0])
    return _simulated_table(method, results, strength, truth[[name]], rng)


def _simulated_pair(
    method: Dirichlet, learned: LearnedPrior, results: Results, rng: np.random.Generator
) -> Results:
    """Draw what others taught of the prior, θ and a statement for each dataset."""
    listing = method.listing(results)
    component = np.array([[rng.choice(len(learned.weights), p=np.array(learned.weights))]])
    drawn = draw_given_component(
        listing.log_alpha, learned, component, np.zeros_like(listing.counts), rng
    )[0]
    theta = drawn["theta"][0]
    (labels,) = categorical_labels(theta, listing.labels, len(results.datasets), rng)
    (marginal,) = listing.marginal(theta, rng, prior=True)
    coords = statement_coords(results, listing)
    dims = {"theta": ("statement",), "free": ("statement",)}
    variables: dict[str, Any] = {
        name: (dims.get(name, ()), drawn[name][0, 0])
        for name in ("theta", "strength", "free", "component")
        if name in drawn
    }
    variables["marginal"] = (marginal_dims(results), marginal)
    truth = xr.Dataset(variables, {d: coords[d] for d in ("statement", *marginal_dims(results))})
    return table_of_statements(results, labels.tolist(), truth)


def _simulated_table(
    method: Dirichlet,
    results: Results,
    strength: float,
    hyper: xr.Dataset,
    rng: np.random.Generator,
) -> Results:
    """The same given the strength that α is multiplied by; `hyper` is kept beside θ."""
    statements, cells = method.cells(results)
    n = len(results.datasets)
    if statements.size <= DENSE:
        listing = method.listing(results)
        theta = _theta(listing, np.zeros_like(listing.counts), strength, rng)
        (labels,) = categorical_labels(theta, listing.labels, n, rng)
        table = table_of_statements(results, labels.tolist(), hyper)
    else:
        draw, nothing = _drawer(method, statements), np.zeros_like(cells.alpha)
        (labels,) = urn_labels(statements, cells.raised(strength), nothing, 1, n, rng, draw)
        table = table_of_statements(results, labels.tolist(), hyper)
        listing = method.listing(table)
        theta = _theta(listing, listing.counts, strength, rng)
    # Those who win within "(other)" are drawn given what was seen there.
    (marginal,) = listing.marginal(
        theta, rng, prior=statements.size <= DENSE, strength=np.full(1, strength)
    )
    variables = {
        "theta": ("statement", theta[0]),
        "marginal": (marginal_dims(results), marginal),
    }
    coords = statement_coords(results, listing)
    truth = xr.Dataset(variables, {d: coords[d] for d in ("statement", *marginal_dims(results))})
    return table._with(truth=truth.merge(hyper))


def _theta(
    listing: LumpedStatements, counts: FloatArray, strength: float, rng: np.random.Generator
) -> FloatArray:
    log_alpha = listing.log_alpha + math.log(strength)
    return np.asarray(
        np.exp(
            dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, counts, (1,), rng))
        )
    )


def prior_tree(
    statements: Statements,
    cells: Component,
    draws: int,
    datasets: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw θ, who leads each measure, and which statement each of some datasets supports."""
    listing = LumpedStatements.from_cells(statements, cells)
    log_alpha = listing.log_alpha
    drawn = draw_dirichlet_latents(log_alpha, np.zeros_like(log_alpha), (1, draws), rng)
    theta = np.exp(dirichlet_log_theta(log_alpha, *drawn))
    two = len(statements.algorithms) == 2
    marginal_dims = ("measure",) if two else ("measure", "algorithm")
    dims = {
        "theta": ("statement",),
        "marginal": marginal_dims,
        OUTCOME: ("dataset", "statement"),
    }
    coords = {
        "statement": list(listing.labels),
        "measure": list(statements.measures),
        "algorithm": list(statements.algorithms),
        "dataset": [f"new {i + 1}" for i in range(datasets)],
    }
    groups = {
        "prior": {"theta": theta, "marginal": listing.marginal(theta, rng, prior=True)},
        "prior_predictive": {OUTCOME: statement_each(theta, datasets, rng)},
    }
    tree = make_tree(groups, dims, coords)
    tree.attrs.update(inference_package="bayescompare", version=__version__)
    return tree


def simulate(
    simulations: int,
    draws: int,
    rng: np.random.Generator,
    *,
    statements: int = 4,
    datasets: int = 12,
    alpha: float = 0.25,
) -> Iterator[Replicate]:
    """θ over a few statements, sparse prior: one θ, the largest, and the evenness."""
    log_alpha = np.full(statements, np.log(alpha))
    nothing = np.zeros(statements)
    for _ in range(simulations):
        truth = np.exp(
            dirichlet_log_theta(log_alpha, *draw_dirichlet_latents(log_alpha, nothing, (1,), rng))
        )[0]
        counts = rng.multinomial(datasets, truth / truth.sum()).astype(np.float64)
        drawn = np.exp(
            dirichlet_log_theta(
                log_alpha, *draw_dirichlet_latents(log_alpha, counts, (draws,), rng)
            )
        )
        yield {
            "theta": (float(truth[0]), drawn[:, 0]),
            "largest": (float(truth.max()), drawn.max(axis=1)),
            "sum of squares": (float((truth**2).sum()), (drawn**2).sum(axis=1)),
        }
