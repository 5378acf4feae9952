"""The network test's answer where the tables' α have a distribution of the user's, by NUTS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.method import Sampling
from bayescompare.kernels.network.statements import network_states_of_largest
from bayescompare.methods._shared.drawn import (
    drawn_parts,
    drawn_theta_summary,
    shared_sampled_questions,
)
from bayescompare.methods._shared.priors import check_shared_prior_support
from bayescompare.methods.network.answer import NetworkMaximum
from bayescompare.methods.network.graph import Graph, GraphScores
from bayescompare.methods.network.posterior import NetworkLayout, build, finish_network_tree
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.network import Network

__all__ = ["lead_in_network_draws", "sampled_answer"]


def sampled_answer(
    method: Network, results: Results, scores: GraphScores, graph: Graph, sampling: Sampling
) -> Answer:
    """Sample the tables under the best graph and count which statement is the largest."""
    layout = method.layout(results, scores, graph)
    textbook = build(layout, method.nonconjugate_priors, "textbook")
    check_shared_prior_support(method.nonconjugate_priors, method.parameters, textbook)
    for_nuts = build(layout, method.nonconjugate_priors, "nuts")
    tree = finish_network_tree(
        layout, nuts.sample_nuts_as_asked(sampling, for_nuts, through=textbook)
    )
    posterior = tree["posterior"].to_dataset()
    each = lead_in_network_draws(layout, posterior)
    error = nuts.nuts_monte_carlo_error(each)
    maximum = NetworkMaximum(each.mean(axis=(0, 1)), error**2)
    answer = method.describe(scores, graph, maximum, [], sampling)
    answer = replace(
        answer,
        per_statement=drawn_theta_summary(posterior["theta"], scores.statements),
        parts=drawn_parts(posterior["theta"], scores.statements),
        tree=tree,
    )
    return replace(
        answer, scalars=shared_sampled_questions(posterior["theta"], scores.statements, answer)
    )


def lead_in_network_draws(layout: NetworkLayout, posterior: xr.Dataset) -> FloatArray:
    """Which listed statement has the largest θ in each draw: (chain, draw, statement)."""
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    parts = [
        posterior[layout.name(k)].values.reshape(draws * chains, -1)
        for k in range(len(layout.tables.members))
    ]
    logs = np.log(np.maximum(np.concatenate(parts, axis=-1), 1e-300))
    largest = network_states_of_largest(layout.tables, logs)
    own = layout.statements.table.states[:, list(layout.tables.members)]
    each = (largest[:, None, :] == own[None, :, :]).all(axis=-1).astype(np.float64)
    return np.asarray(each.reshape(chains, draws, -1))
