r"""The average over graphs as one PyMC model, for few measures.

.. math:: G \sim \mathrm{Uniform}(\text{graphs}), \qquad
          \theta_{i \mid P} \sim \text{rows of Dirichlets for every family } (i, P), \qquad
          \theta(x) = \prod_i \theta_{i \mid pa_i(G)}(x)

with a table for every family that some graph has. It is the model to look at, to edit and to draw
from forwards. MCMC of it moves slowly from graph to graph, since a graph proposed anew has tables
that its own data never touched; `averaged_sample` draws the graphs exactly instead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.dag_posterior import all_dags
from bayescompare.methods._shared.choice import pick_shared_choice
from bayescompare.methods._shared.simplex import (
    observe_shared_weights,
    place_shared_dirichlet,
    shared_weighted_logs,
)
from bayescompare.methods._shared.trees import (
    shared_marginal_dims,
    shared_ratio_prior,
    shared_statement_coords,
    shrink_shared_predictions,
    sign_shared_tree,
)
from bayescompare.methods.network.average import edge_coords, edges_in
from bayescompare.methods.network.family import Families
from bayescompare.methods.network.graph import Graph, edges_of
from bayescompare.statements import OUTCOME

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["build_average", "build_summed_network", "finish_average"]


#: Measures up to which all graphs, 543 of them, are values of one variable.
MOST_MEASURES = 4


def build_average(families: Families) -> pm.Model:
    """Build the model: a graph, a table for every family, θ, and the data."""
    import pymc as pm
    import pytensor.tensor as pt

    graphs = _every_network_average_graph(families)
    coords: dict[str, Any] = {
        **_average_network_coords(families, graphs),
        **edge_coords(families),
    }
    listing = families.listing
    with pm.Model(coords=coords) as model:
        graph = pm.Categorical("graph", p=np.full(len(graphs), 1.0 / len(graphs)))
        pm.Deterministic(
            "edge", pick_shared_choice(edges_in(np.array(graphs)), graph), dims=("parent", "child")
        )
        log_theta, unlisted = _place_network_average_tables(model, families, graphs, graph)
        theta = pt.exp(log_theta)
        if listing.has_other:
            theta = pm.math.concatenate([theta, pt.maximum(1.0 - theta.sum(keepdims=True), 0.0)])
        theta = pm.Deterministic("theta", theta, dims="statement")
        # Through θ itself, so that pm.do(θ) reaches the data.
        observe_shared_weights(
            pt.log(theta), listing.weights, unlisted if listing.has_other else None
        )
    return model


def build_summed_network(families: Families) -> pm.Model:
    """Build the model with the graph summed out, so that all its variables are continuous.

    It is the one whose evidence is estimated. The likelihood is that of all datasets together,
    since the graph is the same for all of them.
    """
    import pymc as pm

    graphs = _every_network_average_graph(families)
    listing = families.listing
    with pm.Model(coords=_average_network_coords(families, graphs)) as model:
        log_theta, unlisted = _place_network_average_tables(
            model, families, graphs, np.arange(len(graphs))
        )
        weights = listing.weights[:, :-1] if listing.has_other else listing.weights
        each = shared_weighted_logs(weights, log_theta[:, None, :]) + unlisted
        log = pm.math.logsumexp(each.sum(axis=1)) - math.log(len(graphs))
        pm.CustomDist(OUTCOME, log, logp=lambda value, log: log + 0.0 * value, observed=0.0)
    return model


def _average_network_coords(families: Families, graphs: list[Graph]) -> dict[str, Any]:
    return {
        **shared_statement_coords(families.results, families.listing),
        "graphs": [
            _network_average_graph_name(graph, families.results.measures) for graph in graphs
        ],
    }


def _place_network_average_tables(
    model: pm.Model, families: Families, graphs: list[Graph], graph: Any
) -> tuple[Any, Any]:
    """Add the tables of all families; return what those of one graph, or of several, say.

    That is log θ of the listed statements, and the log likelihood of each dataset's other ones;
    with several graphs each is a row.
    """
    log_theta, unlisted = 0.0, 0.0
    for j in range(len(families.results.measures)):
        shown, rest = _place_network_measure(model, families, graphs, j, graph)
        log_theta, unlisted = log_theta + shown, unlisted + rest
    return log_theta, unlisted


def _place_network_measure(
    model: pm.Model, families: Families, graphs: list[Graph], j: int, graph: Any
) -> tuple[Any, Any]:
    """Add the tables of a measure for all its parents; return what those of `graph` say."""
    import pymc as pm

    parents = sorted({row[j] for row in graphs})
    shown, rest = [], []
    for mask in parents:
        family = families.family(j, mask)
        model.add_coords({d: c for d, c in family.coords().items() if d not in model.coords})
        total = family.counts.sum(axis=-1)
        logs = place_shared_dirichlet(
            "textbook", family.name, family.alpha, total, family.dims
        ).ravel()
        shown.append(logs[family.shown])
        rest.append(shared_weighted_logs(family.unlisted, logs))
    which = pick_shared_choice(np.array([parents.index(row[j]) for row in graphs]), graph)
    return pm.math.stack(shown)[which], pm.math.stack(rest)[which]


def _every_network_average_graph(families: Families) -> list[Graph]:
    m = len(families.results.measures)
    if m > MOST_MEASURES:
        raise BayescompareError(
            f"model: with average=True it has a table for every set of parents in every graph, "
            f"and is offered up to {MOST_MEASURES} measures, here there are {m}; draws() and "
            "sample() work, and search=[(parent, child), ...] gives the model of one graph."
        )
    return list(all_dags(m, min(families.scores.max_parents, m - 1)))


def _network_average_graph_name(graph: Graph, measures: tuple[str, ...]) -> str:
    arrows = [f"{parent}→{child}" for parent, child in edges_of(graph, measures)]
    return ", ".join(arrows) or "(no edge)"


def finish_average(families: Families, tree: xr.DataTree) -> xr.DataTree:
    """Bring NUTS's tree of this model, or of an edited one, into the shape of draws."""
    import xarray as xr

    listing, results = families.listing, families.results
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        if "marginal" not in data and not listing.has_other:
            theta = data["theta"].transpose("chain", "draw", "statement").values
            dims = ("chain", "draw", *shared_marginal_dims(results))
            data["marginal"] = (dims, np.tensordot(theta, listing.wins, axes=1))
            coords = shared_statement_coords(results, listing)
            data = data.assign_coords({d: coords[d] for d in dims[2:]})
        tree[group] = xr.DataTree(data)
    tables = [str(v) for v in tree["log_prior"].data_vars if str(v).startswith("cpt_")]
    return sign_shared_tree(shared_ratio_prior(shrink_shared_predictions(tree), tables), listing)
