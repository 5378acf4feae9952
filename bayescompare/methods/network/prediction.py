"""The network test: statements of new datasets, and tables from its prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray, IntArray, StrArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.dirichlet.posterior import draw_dirichlet_latents
from bayescompare.kernels.network.ancestral import ancestral_states
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.prediction import shared_sampled_posterior
from bayescompare.methods._shared.simulated import shared_table_of_statements, shared_truth_in_tree
from bayescompare.methods.dirichlet.prior import dirichlet_prior_cells
from bayescompare.methods.network.answer import prior_graph_weights
from bayescompare.methods.network.graph import edges_of
from bayescompare.methods.network.posterior import NetworkLayout, drawn_network_tables
from bayescompare.statements import OTHER, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.network import Network

__all__ = ["predict_by_network", "simulated"]

#: Cells of tables, or states to choose from, that are drawn at once.
_BLOCK = 4_000_000


def predict_by_network(
    method: Network,
    results: Results,
    answer: Answer,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw tables, with average=True a graph before them, and new statements from them."""
    scores = method.scores(results)
    graph = method.graph(scores)
    if method.needs_mcmc:
        layout = method.layout(results, scores, graph)
        logs = _network_prediction_sampled_cells(
            layout, shared_sampled_posterior(answer), draws, rng
        )
        return _network_prediction_labels(
            layout, ancestral_states(layout.tables, logs, number, rng)
        )
    graphs = method.graphs(scores, graph, rng)
    layouts = [method.layout(results, scores, one) for one in graphs]
    chosen = rng.choice(len(layouts), size=draws, p=list(graphs.values()))
    states = np.empty((draws, number, len(results.measures)), dtype=np.int64)
    for g in np.unique(chosen):
        tables = layouts[g].tables
        widest = max(len(tables.alpha), number * int(tables.arities.max()))
        for here in _network_prediction_blocks(
            np.flatnonzero(chosen == g), max(1, _BLOCK // widest)
        ):
            logs = tables.log_draws(len(here), rng)
            states[here] = ancestral_states(tables, logs, number, rng)
    return _network_prediction_labels(layouts[0], states)


def _network_prediction_blocks(places: IntArray, step: int) -> Iterator[IntArray]:
    for start in range(0, len(places), step):
        yield places[start : start + step]


def _network_prediction_sampled_cells(
    layout: NetworkLayout, posterior: xr.Dataset, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Logarithms of all tables' cells in so many of the draws of a sampled answer."""
    names = [layout.name(k) for k in range(len(layout.tables.members))]
    parts = [posterior[name].stack(sample=("chain", "draw")) for name in names]
    there = parts[0].sizes["sample"]
    taken = rng.choice(there, size=draws, replace=draws > there)
    columns = [p.transpose("sample", ...).values[taken].reshape(draws, -1) for p in parts]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.concatenate(columns, axis=1)))


def _network_prediction_labels(layout: NetworkLayout, states: IntArray) -> StrArray:
    """Labels of statements given by the state of every measure along the last axis."""
    rows = states.reshape(-1, states.shape[-1])
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    labels = np.array(layout.statements.labels_of(distinct), dtype=np.str_)
    return labels[place.ravel()].reshape(states.shape[:-1])


def simulated(method: Network, results: Results, rng: np.random.Generator) -> Results:
    """Draw the tables from their prior, and the states of each dataset from them.

    The graph is the one of this answer, as `model()` has it; with average=True it is drawn too, all
    graphs being alike probable.
    """
    scores = method.scores(results)
    graph = method.graph(scores)
    if method.average:
        weights = prior_graph_weights(scores, rng)
        graph = list(weights)[int(rng.choice(len(weights), p=list(weights.values())))]
    layout = method.layout(results, scores, graph)
    logs, hyper = _network_prediction_prior_cells(method, layout, results, rng)
    (states,) = ancestral_states(layout.tables, logs, len(results.datasets), rng)
    labels = _network_prediction_labels(layout, states).tolist()
    table = shared_table_of_statements(results, labels, hyper)
    if layout.listing.has_other:
        layout = _network_prediction_listing(layout, table, dict(zip(labels, states, strict=True)))
    truth = shared_truth_in_tree(
        drawn_network_tables(layout, logs[None], tables=not method.average)
    )
    truth.attrs["edges"] = str(edges_of(graph, results.measures))
    return table._with(truth=truth.merge(hyper))


def _network_prediction_listing(
    layout: NetworkLayout, table: Results, states: Mapping[str, IntArray]
) -> NetworkLayout:
    """The same tables, with θ of the statements that a simulated table lists."""
    listing = LumpedStatements.from_cells(
        *dirichlet_prior_cells("symmetric", 1.0, Statements.of(table))
    )
    shown = np.array([states[label] for label in listing.labels if label != OTHER])
    return replace(layout, listing=listing, shown=shown)


def _network_prediction_prior_cells(
    method: Network, layout: NetworkLayout, results: Results, rng: np.random.Generator
) -> tuple[FloatArray, xr.Dataset]:
    """Draw all tables from the prior: logarithms (1, C); and ess or alpha, where it has one."""
    import xarray as xr

    tables = layout.tables
    if not method.needs_mcmc:
        gamma, exponential = draw_dirichlet_latents(
            np.log(tables.alpha), np.zeros_like(tables.counts), (1,), rng
        )
        return tables.normalised(np.log(gamma) - exponential / tables.alpha), xr.Dataset()
    prior = shared_truth_in_tree(nuts.draw_prior_as_nuts(method.model(results), rng))
    parts = [prior[layout.name(k)].values.ravel() for k in range(len(tables.members))]
    with np.errstate(divide="ignore"):
        logs = np.log(np.concatenate(parts))[None]
    return np.asarray(logs), prior[[name for name in ("ess", "alpha") if name in prior]]
