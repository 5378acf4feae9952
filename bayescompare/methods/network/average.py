"""The average over graphs as draws: a graph for every draw, then the tables of its families.

The graphs of all draws are independent and exact, whether their tables are conjugate draws or come
from NUTS. NUTS runs once, over the tables of all families that some drawn graph has: the table of
a family has the same posterior in every graph, and the tables of a graph are independent given it.
Draw d of chain c takes from draw d of NUTS's chain c the tables that its own graph needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, BoolArray, FloatArray, IntArray
from bayescompare.comparison import nuts
from bayescompare.kernels.dirichlet.posterior import draw_dirichlet_latents
from bayescompare.kernels.network.dag_sampling import sample_dags
from bayescompare.methods._shared.simplex import (
    LATENTS,
    observe_shared_weights,
    place_shared_dirichlet,
)
from bayescompare.methods._shared.trees import (
    make_shared_tree,
    shared_marginal_dims,
    shared_statement_coords,
    shared_statement_each,
    sign_shared_tree,
)
from bayescompare.methods.network.answer import network_tables_of
from bayescompare.methods.network.family import Families, Family, Latents
from bayescompare.methods.network.graph import Graph
from bayescompare.methods.network.posterior import NetworkLayout
from bayescompare.methods.network.theta import MOST_DRAWN
from bayescompare.statements import OUTCOME
from bayescompare.text.numbers import count, memory_size_text

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["averaged_draws", "averaged_sample", "edge_coords", "edges_in"]


def averaged_draws(
    families: Families, *, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw graphs and tables from prior and posterior without MCMC."""
    graphs = _draw_network_average_graphs(families.scores.local_table, (chains, draws), rng)
    _check_network_average_memory(families, graphs)
    return _network_average_tree(
        families, _assemble_network_average(families, graphs, _network_average_latents(rng)), rng
    )


def averaged_sample(
    families: Families,
    *,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> xr.DataTree:
    """Draw graphs exactly, and the tables of their families by NUTS."""
    graphs = _draw_network_average_graphs(families.scores.local_table, (chains, draws), rng)
    _check_network_average_memory(families, graphs)
    rows = _AverageRows.of(
        [families.family(j, parents) for j, parents, _ in _network_average_families(graphs)]
    )
    seed = int(rng.integers(2**31 - 1))
    sampled = nuts.run_nuts(rows.model(), draws=draws, chains=chains, seed=seed, options=options)
    tree = _network_average_tree(
        families, _assemble_network_average(families, graphs, rows.latents(sampled)), rng
    )
    tree["sample_stats"] = sampled["sample_stats"]
    return tree


@dataclass(frozen=True)
class _AverageRows:
    """The rows of the tables of many families; those with as many states are one array."""

    families: Mapping[int, list[Family]]
    start: Mapping[str, int]

    @classmethod
    def of(cls, used: Iterable[Family]) -> _AverageRows:
        families: dict[int, list[Family]] = {}
        start: dict[str, int] = {}
        for family in used:
            same = families.setdefault(family.arity, [])
            start[family.name] = sum(len(other.alpha) for other in same)
            same.append(family)
        return cls(families, start)

    def model(self) -> pm.Model:
        """Every row with its Dirichlet, observed through its counts."""
        import pymc as pm

        with pm.Model() as model:
            for arity, same in self.families.items():
                alpha = np.concatenate([family.alpha for family in same])
                counts = np.concatenate([family.counts for family in same])
                name, dims = f"tables_{arity}", (f"row_{arity}", f"state_{arity}")
                model.add_coords({d: range(k) for d, k in zip(dims, alpha.shape, strict=True)})
                logs = place_shared_dirichlet("nuts", name, alpha, counts.sum(axis=-1), dims)
                observe_shared_weights(logs, counts, name=f"counts_{arity}", dims=dims)
        return model

    def latents(self, sampled: xr.DataTree) -> Latents:
        """Read the latents of a family off what NUTS sampled."""
        posterior = sampled["posterior"].to_dataset()

        def read(family: Family, here: BoolArray) -> tuple[FloatArray, FloatArray]:
            first = self.start[family.name]
            mine = slice(first, first + len(family.alpha))
            names = [f"{prefix}tables_{family.arity}" for prefix in LATENTS]
            one, two = (posterior[name].values[here][:, mine] for name in names)
            return one, two

        return read


# graphs -------------------------------------------------------------------------------------------


def _draw_network_average_graphs(
    local: FloatArray, size: tuple[int, int], rng: np.random.Generator
) -> IntArray:
    """Draw graphs as parents' bit masks: (chain, draw, measure)."""
    drawn = sample_dags(local, size[0] * size[1], rng)
    return np.array(drawn, dtype=np.int64).reshape(*size, len(local))


def _network_average_families(graphs: IntArray) -> list[tuple[int, int, BoolArray]]:
    """Every family of the graphs, as child and parents, and which draws have it."""
    return [
        (j, int(parents), graphs[..., j] == parents)
        for j in range(graphs.shape[-1])
        for parents in np.unique(graphs[..., j])
    ]


def edges_in(graphs: IntArray) -> NDArray[np.int8]:
    """Whether each edge (…, parent, child) is in the graphs (…, measure): 0 or 1.

    Numbers, since ArviZ has no quantile of truth values.
    """
    m = graphs.shape[-1]
    return (graphs[..., None, :] >> np.arange(m)[:, None] & 1).astype(np.int8)


def edge_coords(families: Families) -> dict[str, list[str]]:
    """Coords of an array of edges."""
    names = list(families.results.measures)
    return {"parent": names, "child": names}


def _check_network_average_memory(families: Families, graphs: IntArray) -> None:
    chains, draws, m = graphs.shape
    widest = [0] * m
    for j, parents, _ in _network_average_families(graphs):
        widest[j] = max(widest[j], families.family(j, parents).alpha.size)
    cells = sum(widest)
    if chains * draws * cells > MOST_DRAWN:
        raise BayescompareError(
            f"draws={draws}, chains={chains}: the tables have up to {count(cells)} cells, so these "
            f"draws would take {memory_size_text(chains * draws * cells * 8)} several times "
            "over; ask for at "
            f"most {max(1, MOST_DRAWN // (chains * cells))} draws, or compare fewer algorithms."
        )


# θ ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _AverageDrawn:
    """What graphs and tables say: arrays over (chain, draw)."""

    graphs: IntArray
    theta: FloatArray
    marginal: FloatArray | None
    log_likelihood: FloatArray
    log_prior: FloatArray


def _network_average_latents(rng: np.random.Generator, *, prior: bool = False) -> Latents:
    """Draw the latents of a family's table from its posterior, or from its prior."""

    def draw(family: Family, here: BoolArray) -> tuple[FloatArray, FloatArray]:
        counts = np.zeros_like(family.counts) if prior else family.counts
        size = (int(here.sum()),)
        flat = draw_dirichlet_latents(np.log(family.alpha.ravel()), counts.ravel(), size, rng)
        one, two = (x.reshape(*size, *family.alpha.shape) for x in flat)
        return one, two

    return draw


def _assemble_network_average(
    families: Families, graphs: IntArray, latents_of: Latents
) -> _AverageDrawn:
    """Multiply the tables of each draw's graph to θ, family by family."""
    size, listing = graphs.shape[:2], families.listing
    n, m = len(families.results.datasets), graphs.shape[-1]
    shown = len(listing.labels) - listing.has_other
    log_theta, log_likelihood = np.zeros((*size, shown)), np.zeros((*size, n))
    log_prior = np.zeros((*size, m))
    cells: list[dict[int, FloatArray]] = [{} for _ in range(m)]
    for j, parents, here in _network_average_families(graphs):
        family = families.family(j, parents)
        logs = family.logs(*latents_of(family, here))
        log_theta[here] += logs[:, family.shown]
        log_likelihood[here] += logs @ family.weights.T
        log_prior[here, j] = family.log_prior(logs)
        if listing.has_other:
            cells[j][parents] = logs
    theta = np.exp(log_theta)
    if not listing.has_other:
        marginal: FloatArray | None = np.tensordot(theta, listing.wins, axes=1)
    else:
        marginal = _network_average_marginal(families, graphs, cells)
        rest = np.maximum(1.0 - theta.sum(axis=-1, keepdims=True), 0.0)
        theta = np.concatenate([theta, rest], axis=-1)
    return _AverageDrawn(graphs, theta, marginal, log_likelihood, log_prior)


def _network_average_marginal(
    families: Families, graphs: IntArray, cells: list[dict[int, FloatArray]]
) -> FloatArray | None:
    """Who leads each measure, graph by graph; None if a measure has too many ancestors."""
    flat = graphs.reshape(-1, graphs.shape[-1])
    # Where each draw stands among those that have its family.
    place = np.zeros_like(flat)
    for j, _, here in _network_average_families(graphs):
        place[here.ravel(), j] = np.arange(int(here.sum()))
    distinct, which = np.unique(flat, axis=0, return_inverse=True)
    marginal: FloatArray | None = None
    for g, row in enumerate(distinct.tolist()):
        (mine,) = np.nonzero(which.ravel() == g)
        layout = _network_average_layout(families, tuple(row))
        parts = [cells[j][row[j]][place[mine, j]] for j in layout.tables.members]
        own = layout.marginal(np.concatenate(parts, axis=-1))
        if own is None:
            return None
        if marginal is None:
            marginal = np.zeros((len(flat), *own.shape[1:]))
        marginal[mine] = own
    assert marginal is not None
    return marginal.reshape(*graphs.shape[:2], *marginal.shape[1:])


def _network_average_layout(families: Families, graph: Graph) -> NetworkLayout:
    """The tables of a graph, without the datasets' weights in them."""
    statements = families.scores.statements
    tables = network_tables_of(statements, graph, range(len(graph)), families.scores.prior)
    nothing = np.zeros((0, len(tables.alpha)))
    shown = np.zeros((0, len(graph)), dtype=np.int64)
    return NetworkLayout(
        families.results, statements, tables, families.listing, shown, nothing, nothing
    )


# the tree -----------------------------------------------------------------------------------------


def _network_average_tree(
    families: Families, after: _AverageDrawn, rng: np.random.Generator
) -> xr.DataTree:
    """Put posterior draws into a tree, with as many of the prior in one chain."""
    local = families.scores.local_table
    flat = np.where(np.isfinite(local), 0.0, -np.inf)
    graphs = _draw_network_average_graphs(flat, (1, after.graphs.shape[1]), rng)
    before = _assemble_network_average(families, graphs, _network_average_latents(rng, prior=True))
    n = len(families.results.datasets)
    names = [families.family(j, 0).name for j in range(graphs.shape[-1])]
    log_prior = {name: after.log_prior[..., j] for j, name in enumerate(names)}
    log_prior["graph"] = np.full(after.graphs.shape[:2], families.log_graph_prior)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": _network_average_variables(after),
        "prior": _network_average_variables(before),
        "posterior_predictive": {OUTCOME: shared_statement_each(after.theta, n, rng)},
        "prior_predictive": {OUTCOME: shared_statement_each(before.theta, n, rng)},
        "log_likelihood": {OUTCOME: after.log_likelihood},
        "log_prior": log_prior,
        "observed_data": {OUTCOME: families.listing.weights},
    }
    dims: dict[str, tuple[str, ...]] = {
        "theta": ("statement",),
        "marginal": shared_marginal_dims(families.results),
        "edge": ("parent", "child"),
        OUTCOME: ("dataset", "statement"),
        **dict.fromkeys(log_prior, ()),
    }
    coords = {
        **shared_statement_coords(families.results, families.listing),
        **edge_coords(families),
    }
    return sign_shared_tree(make_shared_tree(groups, dims, coords), families.listing)


def _network_average_variables(drawn: _AverageDrawn) -> dict[str, AnyArray]:
    variables: dict[str, AnyArray] = {"theta": drawn.theta, "edge": edges_in(drawn.graphs)}
    if drawn.marginal is not None:
        variables["marginal"] = drawn.marginal
    return variables
