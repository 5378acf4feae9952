"""The multinomial-Dirichlet test: statements of new datasets, and tables from its prior."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.dirichlet.mixture import Mixture
from bayescompare.kernels.dirichlet.posterior import latents, log_theta
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.prediction import (
    categorical_labels,
    sampled_posterior,
    thinned,
    urn_labels,
)
from bayescompare.methods._shared.simulated import drawn_labels, table_of_statements, truth_in
from bayescompare.methods._shared.trees import marginal_dims, statement_coords
from bayescompare.methods.dirichlet.pattern_draws import draw_statement
from bayescompare.methods.dirichlet.posterior import hyperparameter, scaled_cells
from bayescompare.results.results import Results
from bayescompare.statements import DENSE, Statements

if TYPE_CHECKING:
    from bayescompare.methods.dirichlet import Dirichlet

__all__ = ["mixture_labels", "predicted", "simulated"]


def predicted(
    method: Dirichlet,
    results: Results,
    answer: Answer,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw statements by Pólya's urn; under a prior of the user's, given each draw of it."""
    statements, cells = method.cells(results)
    if not method.needs_mcmc:
        return urn_labels(statements, cells, draws, number, rng, _drawer(method, statements))
    posterior = sampled_posterior(answer)
    if "theta" in method.nonconjugate_priors:
        theta = posterior["theta"]
        labels = [str(label) for label in theta["statement"].values.tolist()]
        return categorical_labels(thinned(theta, draws, rng), labels, number, rng)
    name = hyperparameter(posterior)
    each = [
        urn_labels(statements, scaled_cells(name, value, statements, cells), 1, number, rng)
        for value in thinned(posterior[name], draws, rng)
    ]
    return np.concatenate(each)


def _drawer(
    method: Dirichlet, statements: Statements
) -> Callable[[np.random.Generator], str] | None:
    """What draws statements by their prior, where those not listed are not all alike."""
    patterns = method.patterns(statements)
    return None if patterns is None else draw_statement(patterns)


def mixture_labels(
    statements: Statements, mixture: Mixture, draws: int, number: int, rng: np.random.Generator
) -> StrArray:
    """Draw the strength of each draw by its posterior weights, and statements given it."""
    strengths = rng.choice(len(mixture.strengths), p=mixture.weights, size=draws)
    labels = {
        k: urn_labels(statements, mixture.components[k], int((strengths == k).sum()), number, rng)
        for k in np.unique(strengths)
    }
    out = np.empty((draws, number), dtype=max(part.dtype for part in labels.values()))
    for k, part in labels.items():
        out[strengths == k] = part
    return out


def simulated(method: Dirichlet, results: Results, rng: np.random.Generator) -> Results:
    """Draw θ from the prior and a statement for each dataset.

    Beyond 256 statements θ cannot be listed. There the statements are drawn first, by the urn, and
    then θ given them: the joint distribution is the same.
    """
    statements, cells = method.cells(results)
    if not method.needs_mcmc:
        strength = method.prior_strength(rng)
        hyper = xr.Dataset() if strength is None else xr.Dataset({"strength": strength})
        return _conjugate(method, results, 1.0 if strength is None else strength, hyper, rng)
    tree = nuts.one_prior_draw(method.model(results), rng)
    truth = truth_in(tree)
    if statements.size <= DENSE:
        return table_of_statements(results, drawn_labels(tree), truth)
    name = hyperparameter(truth)
    scaled = scaled_cells(name, truth[name].values, statements, cells)
    strength = math.exp(scaled.rest_log_alpha - cells.rest_log_alpha)
    return _conjugate(method, results, strength, truth[[name]], rng)


def _conjugate(
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
        theta = _draw_theta(listing, np.zeros_like(listing.counts), strength, rng)
        (labels,) = categorical_labels(theta, listing.labels, n, rng)
        table = table_of_statements(results, labels.tolist(), hyper)
    else:
        before = replace(cells.scaled(strength), counts=np.zeros_like(cells.counts))
        draw = _drawer(method, statements)
        (labels,) = urn_labels(statements, before, 1, n, rng, draw)
        table = table_of_statements(results, labels.tolist(), hyper)
        listing = method.listing(table)
        theta = _draw_theta(listing, listing.counts, strength, rng)
    # Those who win within "(other)" are drawn given what was seen there.
    (marginal,) = listing.marginal(
        theta, rng, prior=statements.size <= DENSE, strength=np.full(1, strength)
    )
    variables = {"theta": ("statement", theta[0]), "marginal": (marginal_dims(results), marginal)}
    coords = statement_coords(results, listing)
    truth = xr.Dataset(variables, {d: coords[d] for d in ("statement", *marginal_dims(results))})
    return table._with(truth=truth.merge(hyper))


def _draw_theta(
    listing: LumpedStatements, counts: FloatArray, strength: float, rng: np.random.Generator
) -> FloatArray:
    log_alpha = listing.log_alpha + math.log(strength)
    return np.asarray(np.exp(log_theta(log_alpha, *latents(log_alpha, counts, (1,), rng))))
