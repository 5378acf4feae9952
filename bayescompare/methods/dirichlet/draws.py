"""The multinomial-Dirichlet test: statements of new datasets, tables and truths from its prior."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayescompare._typing import StrArray
from bayescompare._version import __version__
from bayescompare.evidence import Evidence
from bayescompare.kernels.dirichlet.draws import draw_log_theta
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
    make_tree,
    posterior_tree,
    statement_each,
)
from bayescompare.methods.dirichlet.model import (
    hyperparameter,
    scaled,
)
from bayescompare.outcome import nuts
from bayescompare.posterior.component import Component
from bayescompare.posterior.mixture import Mixture
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.methods.dirichlet.posterior import DirichletPosterior


def predict_dirichlet(
    asked: DirichletPosterior, number: int, draws: int, rng: np.random.Generator
) -> StrArray:
    """Draw statements by Pólya's urn; under a prior of the user's, given each draw of it."""
    method, answer = asked.method, asked.answer
    statements, _ = method.cells(asked.results)
    if asked.theta is not None:
        return _urn_labels(method, statements, asked.theta, number, draws, rng)
    posterior = sampled_posterior(answer)
    if "theta" in method.nonconjugate_priors:
        theta = posterior["theta"]
        labels = [str(label) for label in theta["statement"].values.tolist()]
        return categorical_labels(thinned_draws(theta, draws, rng), labels, number, rng)
    name, counts = hyperparameter(posterior), statements.table.counts
    given = (
        scaled(name, value, statements) for value in thinned_draws(posterior[name], draws, rng)
    )
    return np.concatenate([urn_labels(statements, a, counts, 1, number, rng) for a in given])


def _urn_labels(
    method: Dirichlet,
    statements: Statements,
    theta: Mixture,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw a component for each draw, and statements by its urn."""
    if not any(component.lumps for component in theta.components):
        return np.array(statements.labels)[theta.predict(number, draws, rng)]
    patterns = None if method.learned else method.patterns(statements)
    draw = patterns.draw_unlisted if patterns and patterns.blocks else None
    component, _ = theta.draw_place(draws, rng)
    labels = np.empty((draws, number), dtype=object)
    for k in np.unique(component).tolist():
        here = component == k
        own, size = theta.components[k], int(here.sum())
        labels[here] = urn_labels(statements, own, theta.counts[0], size, number, rng, draw)
    return labels.astype(np.str_)


def simulated(method: Dirichlet, results: Results, rng: np.random.Generator) -> Results:
    """Draw the statements of all datasets from the prior, and then θ given them.

    The joint distribution is that of θ and statements given it, and however many statements there
    are, those that were drawn can be listed.
    """
    hyper = xr.Dataset()
    if method.needs_mcmc:
        tree = nuts.draw_prior_as_nuts(method.model(results), rng)
        truth = truth_in_tree(tree)
        if "theta" in method.nonconjugate_priors:
            return table_of_statements(results, drawn_labels(tree), truth)
        hyper = truth[[hyperparameter(truth)]]
        given = {str(name): value.values.tolist() for name, value in hyper.items()}
        method = replace(method, priors=given)
    statements, _ = method.cells(results)
    prior = method.prior_on(Evidence.counted(statements))
    before = Mixture(
        components=prior.components,
        counts=np.zeros((1, statements.n_listed)),
        weight=np.exp(prior.log_weight)[:, None],
    )
    (labels,) = _urn_labels(method, statements, before, len(results.datasets), 1, rng)
    table = table_of_statements(results, labels.tolist(), hyper)
    theta, listing = method.posterior(table), method.listing(table)
    tree = posterior_tree(table, listing, theta, method.learned, (1, 1), rng)
    drawn = tree["posterior"].to_dataset().isel(chain=0, draw=0, drop=True)
    return table._with(truth=drawn.merge(hyper))


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
    theta = np.exp(draw_log_theta(log_alpha, np.zeros_like(log_alpha), (1, draws), rng))
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
