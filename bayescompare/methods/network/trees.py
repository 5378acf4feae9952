"""Tables of a network as models and trees show them: names, dims and draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import digamma

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.kernels.dirichlet.draws import draw_dirichlet_latents
from bayescompare.kernels.network.graphs import Graph
from bayescompare.kernels.network.sampling import sample_dags
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import LATENTS
from bayescompare.methods._shared.trees import (
    latent_log_prior,
    make_tree,
    marginal_dims,
    one_each,
    ratio_prior,
    sign_tree,
    statement_coords,
    without_latents,
)
from bayescompare.methods.dirichlet.prior import PatternPrior
from bayescompare.posterior.graphs import GraphScores
from bayescompare.posterior.network import MOST_ANCESTORS, MOST_DRAWN
from bayescompare.statements import OTHER, OUTCOME, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, memory_size_text

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Layout:
    """The statements that models and trees show one by one, and what each dataset says of them.

    Attributes
    ----------
    results : Results
    scores : GraphScores
        Of statements that have every possible state of each measure.
    listing : LumpedStatements
        All statements, or the leading ones and ``"(other)"``.
    states : array (S, m)
        All statements, by the state of each measure.
    at : array
        Places of those that are listed by themselves.
    """

    results: Results
    scores: GraphScores
    listing: LumpedStatements
    states: IntArray
    at: IntArray

    @classmethod
    def of(cls, results: Results, scores: GraphScores) -> Layout:
        """Lay out the statements of some results."""
        # The tables have a cell for every state, observed or not.
        statements = scores.statements.complete_levels()
        cells = PatternPrior.read("symmetric", 1.0, statements).component
        listing = LumpedStatements.from_cells(statements, cells)
        labels = [label for label in listing.labels if label != OTHER]
        at = np.array([statements.find(label) for label in labels], dtype=np.int64)
        complete = replace(scores, statements=statements)
        return cls(results, complete, listing, statements.table.states, at)

    def showing(self, table: Results, states: Mapping[str, IntArray]) -> Layout:
        """Return the same tables, with θ of the statements that a simulated table lists."""
        if not self.listing.has_other:
            return self
        statements = Statements.of(table)
        cells = PatternPrior.read("symmetric", 1.0, statements).component
        listing = LumpedStatements.from_cells(statements, cells)
        shown = np.array([states[label] for label in listing.labels if label != OTHER])
        return replace(self, listing=listing, states=shown, at=np.arange(len(shown)))

    @property
    def statements(self) -> Statements:
        """The statements, with every possible state of each measure."""
        return self.scores.statements

    @property
    def names(self) -> list[str]:
        """The variable of each measure's table, ``"cpt_time"``; netCDF names have no slash."""
        return [f"cpt_{name}".replace("/", "∕") for name in self.statements.measures]

    def dims_of_table(self, measure: int) -> tuple[str, str]:
        """Configuration of the parents, own state."""
        own = self.names[measure].removeprefix("cpt_")
        return f"given_{own}", f"state_{own}"

    def cells_of(self, tables: NetworkTables, values: Mapping[int, Any]) -> list[Any]:
        """Pick from the rows of every measure's table the cell that each statement falls into."""
        place = tables.cells(self.states) - tables.offsets[:-1]
        return [values[j].ravel()[place[:, tables.members.index(j)]] for j in sorted(values)]

    def patterns(self, measure: int) -> tuple[IntArray, FloatArray]:
        """Which row each dataset has of a table of states, then of splits between tied ones."""
        states = np.eye(len(self.statements.state_names(measure)))
        weights = self.weights @ states[self.statements.table.states[:, measure]]
        ties = np.unique(weights[weights.max(axis=1) < 1.0 - 1e-9], axis=0)
        split = np.concatenate([states, ties])
        return np.abs(weights[:, None] - split).sum(axis=2).argmin(axis=1), split

    def coords(self, tables: NetworkTables | None = None) -> dict[str, list[str]]:
        """Coords of a model and of trees, with those of tables."""
        coords, names = statement_coords(self.results, self.listing), self.statements.measures
        if tables is None:
            return coords
        for j, parents in zip(tables.members, tables.parents, strict=True):
            given, own = self.dims_of_table(j)
            above = [tables.members[k] for k in parents]
            states = [[f"{names[i]}:{s}" for s in self.statements.state_names(i)] for i in above]
            coords[given] = ["|".join(each) or "(none)" for each in itertools.product(*states)]
            coords[own] = list(self.statements.state_names(j))
        return coords

    @property
    def weights(self) -> FloatArray:
        """Each dataset's weight in every statement, (n, S)."""
        table = self.statements.table
        weights = np.zeros((len(self.statements.datasets), len(table.states)))
        np.add.at(weights, (table.dataset, table.statement), table.weight)
        return weights

    def theta(self, log_theta: FloatArray) -> FloatArray:
        """θ of the listed statements, and of all others together where they are not listed."""
        shown = np.exp(log_theta[..., self.at])
        if not self.listing.has_other:
            return np.asarray(shown)
        rest = np.maximum(1.0 - shown.sum(axis=-1, keepdims=True), 0.0)
        return np.concatenate([shown, rest], axis=-1)

    def marginal(
        self, tables: NetworkTables, log_cells: FloatArray, theta: FloatArray
    ) -> FloatArray | None:
        """Who leads each measure, summed over its ancestors; None if they are too many."""
        if not self.listing.has_other:
            return np.tensordot(theta, self.listing.wins, axes=1)
        l, columns = len(self.statements.algorithms), []
        for j, level in enumerate(self.statements.levels):
            if np.prod(tables.arities[tables.above([j])].astype(float)) > MOST_ANCESTORS:
                return None
            states, share = tables.summed([j], log_cells)
            columns.append(share @ (level[states[:, 0], :1] == np.arange(l)))
        stacked = np.stack(columns, axis=-2)
        return stacked[..., 0] if l == 2 else stacked

    def log_cells(self, tables: NetworkTables, data: xr.Dataset) -> FloatArray:
        """Read the tables off the variables of a tree, (…, C)."""
        parts = [data[self.names[j]].values for j in tables.members]
        with np.errstate(divide="ignore"):
            return np.concatenate([np.log(p.reshape(*p.shape[:-2], -1)) for p in parts], axis=-1)

    def drawn(
        self, tables: NetworkTables, log_cells: FloatArray, *, with_tables: bool
    ) -> dict[str, AnyArray]:
        """Return the variables of draws of a graph's tables, and log θ of every statement."""
        log_theta = log_cells[..., tables.cells(self.states)].sum(axis=-1)
        variables = {"log_theta": log_theta, "theta": self.theta(log_theta)}
        marginal = self.marginal(tables, log_cells, variables["theta"])
        if marginal is not None:
            variables["marginal"] = marginal
        if with_tables:
            for k, j in enumerate(tables.members):
                variables[self.names[j]] = np.exp(tables.rows(log_cells, k))
        return variables

    def leads(self, graph: Graph, posterior: xr.Dataset, statements: Statements) -> FloatArray:
        """Which statement has the largest θ in each draw of the tables: (chain, draw, S)."""
        tables = self.scores.tables(graph)
        logs = np.maximum(self.log_cells(tables, posterior), np.log(1e-300))
        largest = tables.largest(logs.reshape(-1, logs.shape[-1]))
        own = statements.table.states[:, list(tables.members)]
        each = (largest[:, None, :] == own[None, :, :]).all(axis=-1).astype(np.float64)
        return np.asarray(each.reshape(*logs.shape[:2], -1))

    def labels(self, states: IntArray) -> StrArray:
        """Label statements given by the state of every measure along the last axis."""
        flat = states.reshape(-1, states.shape[-1])
        distinct, place = np.unique(flat, axis=0, return_inverse=True)
        labels = np.array(self.statements.labels_of(distinct), dtype=np.str_)
        return labels[place.ravel()].reshape(states.shape[:-1])

    @property
    def dims(self) -> dict[str, tuple[str, ...]]:
        """Dims of every variable of a tree."""
        own = {
            f"{prefix}{name}": self.dims_of_table(j)
            for j, name in enumerate(self.names)
            for prefix in ("", *LATENTS)
        }
        return {
            "theta": ("statement",),
            "marginal": marginal_dims(self.results),
            "edge": ("parent", "child"),
            OUTCOME: ("dataset",),
            **own,
        }


def draws_tree(
    layout: Layout, graph: Graph | None, size: tuple[int, int], rng: np.random.Generator
) -> xr.DataTree:
    """Draw from prior and posterior without MCMC, (chains, draws); without a graph, from all.

    Then every draw has a graph of its own, drawn exactly from the posterior of all, and the tree
    has its edges in place of the tables.
    """
    after, likelihood, log_prior = _drawn(layout, graph, size, rng)
    before, _, _ = _drawn(layout, graph, (1, size[1]), rng, prior=True)
    n, names = len(layout.results.datasets), list(layout.results.measures)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": after,
        "prior": before,
        "posterior_predictive": {OUTCOME: one_each(after["theta"], n, rng)},
        "prior_predictive": {OUTCOME: one_each(before["theta"], n, rng)},
        "log_likelihood": likelihood,
        "log_prior": log_prior,
        "observed_data": {OUTCOME: layout.listing.shown.place},
    }
    free = () if graph is not None else log_prior
    tables = None if graph is None else layout.scores.tables(graph)
    coords = {**layout.coords(tables), "parent": names, "child": names}
    tree = make_tree(groups, {**layout.dims, **dict.fromkeys(free, ())}, coords)
    return sign_tree(tree, layout.listing)


type _Arrays = dict[str, AnyArray]


def _drawn(
    layout: Layout,
    graph: Graph | None,
    size: tuple[int, int],
    rng: np.random.Generator,
    *,
    prior: bool = False,
) -> tuple[_Arrays, _Arrays, _Arrays]:
    """Draw tables: variables, log likelihood, and log prior of what is free in them."""
    scores, names, weights = layout.scores, layout.names, layout.weights.T
    graphs, number = [graph] if graph is not None else [], math.prod(size)
    if graph is None:
        local = scores.flat_table if prior else scores.local_table
        graphs = sample_dags(local, number, rng)
    distinct, which = np.unique(np.array(graphs), axis=0, return_inverse=True)
    which = np.broadcast_to(which.ravel(), number).reshape(size)
    out: tuple[_Arrays, _Arrays, _Arrays] = ({}, {}, {})
    has_marginal, log_graph = True, -scores.log_graphs if graph is None else 0.0
    for g, own in enumerate(map(tuple, distinct.tolist())):
        tables, here = scores.tables(own), which == g
        drawn, counts = int(here.sum()), np.zeros_like(tables.counts) if prior else tables.counts
        _check_memory(drawn, size, len(tables.alpha))
        gamma, exponential = draw_dirichlet_latents(np.log(tables.alpha), counts, (drawn,), rng)
        logs = tables.normalised(np.log(gamma) - exponential / tables.alpha)
        variables = layout.drawn(tables, logs, with_tables=graph is not None)
        has_marginal &= "marginal" in variables
        log_prior: _Arrays = {}
        if graph is None:
            # Numbers, since ArviZ has no quantile of truth values.
            edges = (np.array(own) >> np.arange(len(own))[:, None] & 1).astype(np.int8)
            variables["edge"] = np.tile(edges, (drawn, 1, 1))
            each = _centred_log_prior(tables, logs)
            log_prior = {names[j]: each[:, k] for k, j in enumerate(tables.members)}
            log_prior["graph"] = np.full(drawn, log_graph)
        else:
            for k, j in enumerate(tables.members):
                latents = (tables.rows(v, k) for v in (tables.alpha, gamma, exponential))
                log_prior |= latent_log_prior(names[j], *latents)
        likelihood = {OUTCOME: variables.pop("log_theta") @ weights}
        for group, values in zip(out, (variables, likelihood, log_prior), strict=True):
            for name, array in values.items():
                if name not in group:
                    group[name] = np.empty((*size, *array.shape[1:]), dtype=array.dtype)
                group[name][here] = array
    if not has_marginal:
        out[0].pop("marginal", None)
    return out


def _check_memory(drawn: int, size: tuple[int, int], cells: int) -> None:
    chains, draws = size
    if drawn * cells > MOST_DRAWN:
        raise BayescompareError(
            f"draws={draws}, chains={chains}: the tables have up to {count(cells)} cells, so these "
            f"draws would take {memory_size_text(drawn * cells * 8)} several times over; "
            f"ask for at most {max(1, MOST_DRAWN // (chains * cells))} draws, or compare fewer "
            "algorithms."
        )


def _centred_log_prior(tables: NetworkTables, log_cells: FloatArray) -> FloatArray:
    r"""Log density of each table's log ratios less its prior mean, (draws, k).

    .. math:: \sum_{c,k} \alpha_{ck} (\log\theta_{ck} - \psi(\alpha_{ck}) + \psi(A_c))

    Raised to γ, the density of the log ratios is that of Dirichlet(γα): ESS → γ ESS. But graphs
    have different numbers of cells, so the densities of their tables have no common unit, and a
    power of them would also weigh graph G by :math:`Z_G(\gamma) = \int p^\gamma`. To first order
    :math:`\log Z_G = (\gamma - 1)\,\mathrm{E} \log p`. The density less its mean is the derivative
    of the log prior in γ. With it power scaling, which looks at γ near 1, leaves the prior of the
    graphs alone.
    """
    alpha = [tables.rows(tables.alpha, k) for k in range(len(tables.members))]
    mean = [digamma(rows) - digamma(rows.sum(axis=-1, keepdims=True)) for rows in alpha]
    terms = tables.alpha * (log_cells - np.concatenate([rows.ravel() for rows in mean]))
    return np.add.reduceat(terms, tables.offsets[:-1], axis=-1)


def _join_states(layout: Layout, tree: xr.DataTree) -> None:
    """Make statements, by their places, of the states that the model has of each measure."""
    import xarray as xr

    seen = [name.replace("cpt_", "x_", 1) for name in layout.names]
    listed = {tuple(row): k for k, row in enumerate(layout.states[layout.at].tolist())}
    for group in ("posterior_predictive", "prior_predictive", "log_likelihood", "observed_data"):
        if group not in tree:
            continue
        data = tree[group].to_dataset()
        joined: xr.DataArray = sum(data[name] for name in seen)  # type: ignore[assignment]
        if group == "observed_data":
            joined = joined.copy(data=layout.listing.shown.place)
        elif group != "log_likelihood":
            states = np.stack([data[name].values for name in seen], axis=-1)
            rows, of_row = np.unique(states.reshape(-1, len(seen)), axis=0, return_inverse=True)
            place = np.array([listed.get(tuple(row), len(listed)) for row in rows.tolist()])
            joined = joined.copy(data=place[of_row].reshape(joined.shape).astype(np.int16))
        tree[group] = xr.DataTree(data.drop_vars(seen).assign({OUTCOME: joined}))


def finished_tree(layout: Layout, graph: Graph, tree: xr.DataTree) -> xr.DataTree:
    """Bring NUTS's tree into the shape of `draws_tree`."""
    import xarray as xr

    _join_states(layout, tree)
    whole = layout.scores.tables(graph)
    for group in ("posterior", "prior"):
        data = without_latents(tree[group].to_dataset())
        if "marginal" not in data and all(name in data for name in layout.names):
            theta = data["theta"].transpose("chain", "draw", "statement").values
            marginal = layout.marginal(whole, layout.log_cells(whole, data), theta)
            if marginal is not None:
                dims = marginal_dims(layout.results)
                data["marginal"] = (("chain", "draw", *dims), marginal)
                data = data.assign_coords({d: layout.coords()[d] for d in dims})
        tree[group] = xr.DataTree(data)
    return sign_tree(ratio_prior(tree, layout.names), layout.listing)
