"""P(one measure is a parent of another) over all graphs: summed exactly, or sampled.

Up to sixteen measures all graphs are summed over, and with at most one parent each for any number
of measures. Beyond that, chains walk over the graphs, until their standard error and R-hat are
small enough.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.network.dag_posterior import edge_probabilities_of_dags
from bayescompare.kernels.network.forest_posterior import forest_edge_probabilities
from bayescompare.kernels.network.parent_sets import MOST_MEASURES, ParentSets, number_of_sets
from bayescompare.kernels.network.partition_mcmc import PartitionChain
from bayescompare.methods.network.graph import MOST_SUMMED, GraphScores
from bayescompare.text.numbers import count, plural, statistic_number_text

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["EdgeProbabilities", "are_graphs_summed", "edge_posterior"]

CHAINS = 4
#: Samples of a chain that are thrown away, then kept at first and at most.
_WARMUP, _FIRST, _MOST = 500, 1000, 8000
#: Chains walk on until the largest standard error and R-hat are below these.
_ERROR, _RHAT = 0.01, 1.01
#: Chains that disagree more than this give no answer.
_MOST_RHAT = 1.05
#: Sets of parents, of all measures together, that are scored at most.
_MOST_SETS = 3_000_000
#: Edges whose probability varies less than this between samples are not asked for their R-hat.
_MOVING = 1e-3


@dataclass(frozen=True)
class EdgeProbabilities:
    """P(row → column) over all graphs.

    Attributes
    ----------
    probability : array (m, m)
    mcse : array (m, m), optional
        Monte Carlo standard error; None where all graphs were summed over.
    rhat : float, optional
        The greatest R-hat of the chains.
    """

    probability: FloatArray
    mcse: FloatArray | None = None
    rhat: float | None = None


def are_graphs_summed(m: int, max_parents: int) -> bool:
    """Whether all graphs of so many measures can be summed over."""
    return m <= MOST_SUMMED or max_parents <= 1


def edge_posterior(scores: GraphScores, rng: np.random.Generator) -> EdgeProbabilities:
    """Sum over all graphs where that is possible, otherwise sample them."""
    m = len(scores.statements.measures)
    if m <= MOST_SUMMED:
        return EdgeProbabilities(edge_probabilities_of_dags(scores.local_table))
    if scores.max_parents == 0:
        return EdgeProbabilities(np.zeros((m, m)))
    if scores.max_parents == 1:
        return EdgeProbabilities(forest_edge_probabilities(_network_test_edge_weights(scores)))
    return _sample_network_test_edges(scores, rng)


def _network_test_edge_weights(scores: GraphScores) -> FloatArray:
    """Score of each parent alone, relative to that of none."""
    m = len(scores.statements.measures)
    weights = np.zeros((m, m))
    for child in range(m):
        alone = scores.local(child, 0)
        for parent in range(m):
            if parent != child:
                weights[parent, child] = scores.local(child, 1 << parent) - alone
    return weights


def _sample_network_test_edges(scores: GraphScores, rng: np.random.Generator) -> EdgeProbabilities:
    sets = _network_test_parent_sets(scores)
    sums = sets.subset_sums()
    chains = [PartitionChain(sets, sums, rng) for _ in range(CHAINS)]
    for chain in chains:
        chain.sample(_WARMUP, rng)
    draws = [chain.sample(_FIRST, rng) for chain in chains]
    while True:
        posterior = _diagnose_network_test_edges(np.stack(draws))
        assert posterior.mcse is not None
        assert posterior.rhat is not None
        sound = posterior.rhat <= _RHAT and float(posterior.mcse.max()) <= _ERROR
        size = len(draws[0])
        if sound or size >= _MOST:
            break
        more = [chain.sample(size, rng) for chain in chains]
        draws = [np.concatenate(both) for both in zip(draws, more, strict=True)]
    if not posterior.rhat <= _MOST_RHAT:
        raise BayescompareError(
            f"edges: after {plural(size, 'sample')} each, {CHAINS} chains over the graphs of "
            f"{len(sets.masks)} measures still disagree (R-hat "
            f"{statistic_number_text(posterior.rhat, levels=[_MOST_RHAT])}); give a "
            "smaller max_parents, or compare on fewer measures."
        )
    return posterior


def _network_test_parent_sets(scores: GraphScores) -> ParentSets:
    statements = scores.statements
    m = len(statements.measures)
    wanted = m * number_of_sets(m, scores.max_parents)
    if m > MOST_MEASURES:
        raise BayescompareError(
            f"edges: {m} measures, and graphs are sampled up to {MOST_MEASURES}; give "
            "max_parents=1, or compare on fewer measures."
        )
    if wanted > _MOST_SETS:
        raise BayescompareError(
            f"edges: {m} measures with at most {plural(scores.max_parents, 'parent')} have "
            f"{count(wanted)} sets of parents, above {count(_MOST_SETS)}; give a smaller "
            "max_parents, or compare on fewer measures."
        )
    table = statements.table
    return ParentSets.score(
        table.states, table.counts, statements.arities, scores.prior, scores.max_parents
    )


def _diagnose_network_test_edges(draws: FloatArray) -> EdgeProbabilities:
    """Means with their errors, from draws (chain, draw, m, m)."""
    import arviz as az
    import xarray as xr

    mean, spread = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    moving = spread > _MOVING
    error = np.zeros_like(mean)
    rhat, ess = 1.0, float(draws.shape[0] * draws.shape[1])
    if moving.any():
        kept = xr.DataArray(draws[:, :, moving], dims=("chain", "draw", "edge"))
        with warnings.catch_warnings():
            # An edge that only one chain has met has no variance in the others.
            warnings.simplefilter("ignore", RuntimeWarning)
            error[moving] = _network_test_edge_figures(az.mcse(kept, method="mean"), worst=1.0)
            rhat = float(np.max(_network_test_edge_figures(az.rhat(kept), worst=np.inf)))
            ess = float(np.min(_network_test_edge_figures(az.ess(kept, method="mean"), worst=1.0)))
    # Graphs never met may have a probability of about one in so many.
    unseen = 1.0 / max(ess, 1.0)
    return EdgeProbabilities(mean, np.sqrt(error**2 + unseen**2), rhat)


def _network_test_edge_figures(figures: xr.DataArray, worst: float) -> FloatArray:
    """Figures by edge; one that cannot be computed is taken as the worst."""
    return np.where(np.isfinite(figures), figures, worst)
