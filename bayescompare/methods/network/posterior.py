"""The network test as draws and as a PyMC model: conditional tables, and θ as their product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, BoolArray, FloatArray, IntArray
from bayescompare.comparison.method import Form
from bayescompare.kernels.dirichlet.posterior import draw_dirichlet_latents
from bayescompare.kernels.network.statements import NetworkTables
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import Priors, place_shared_prior
from bayescompare.methods._shared.simplex import (
    LATENTS,
    observe_shared_weights,
    place_shared_dirichlet,
    shared_weighted_logs,
)
from bayescompare.methods._shared.trees import (
    make_shared_tree,
    shared_latent_log_prior,
    shared_marginal_dims,
    shared_ratio_prior,
    shared_statement_coords,
    shared_statement_each,
    shared_without_latents,
    shrink_shared_predictions,
    sign_shared_tree,
)
from bayescompare.methods.network.answer import MOST_ANCESTORS
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = [
    "NetworkLayout",
    "build",
    "drawn_network_tables",
    "finish_network_tree",
    "single_network_tree",
]


@dataclass(frozen=True)
class NetworkLayout:
    """Where everything of one network stands: tables, names, dims, statements shown.

    Attributes
    ----------
    results, statements, tables, listing
        The data, and the tables of *all* measures.
    shown : array (S, m)
        States of the statements listed by themselves.
    weights : array (n, C)
        Each dataset's weight in every cell of the tables.
    unlisted : array (n, C)
        The part of it that comes from statements not listed by themselves.
    """

    results: Results
    statements: Statements
    tables: NetworkTables
    listing: LumpedStatements
    shown: IntArray
    weights: FloatArray
    unlisted: FloatArray

    @classmethod
    def of(
        cls,
        results: Results,
        statements: Statements,
        tables: NetworkTables,
        listing: LumpedStatements,
    ) -> NetworkLayout:
        """Lay out a network's tables over the listed statements."""
        table = statements.table
        named = [label for label in listing.labels if statements.find(label) is not None]
        shown = table.states[[statements.find(label) or 0 for label in named]]
        every = np.ones(len(table.states), dtype=np.bool_)
        apart = np.zeros_like(every) if not listing.has_other else every.copy()
        apart[[statements.find(label) or 0 for label in named]] = False
        return cls(
            results,
            statements,
            tables,
            listing,
            shown,
            _network_test_cell_weights(statements, tables, every),
            _network_test_cell_weights(statements, tables, apart),
        )

    def name(self, k: int) -> str:
        """Variable of the k-th table; a slash cannot stand in a netCDF name."""
        return f"cpt_{self.statements.measures[self.tables.members[k]]}".replace("/", "∕")

    def dims(self, k: int) -> tuple[str, str]:
        """Dims of the k-th table: configuration of the parents, own state."""
        measure = self.name(k).removeprefix("cpt_")
        return f"given_{measure}", f"state_{measure}"

    def part(self, k: int) -> slice:
        """Cells of the k-th table."""
        return slice(int(self.tables.offsets[k]), int(self.tables.offsets[k + 1]))

    def rows(self, values: FloatArray, k: int) -> FloatArray:
        """The k-th table's cells as (…, configuration, state)."""
        part = values[..., self.part(k)]
        return part.reshape(*part.shape[:-1], -1, int(self.tables.arities[k]))

    def coords(self) -> dict[str, list[str]]:
        """Coords of the model and of trees."""
        coords = shared_statement_coords(self.results, self.listing)
        for k in range(len(self.tables.members)):
            configuration, state = self.dims(k)
            coords[configuration], coords[state] = self._configurations(k), self._states(k)
        return coords

    def _states(self, k: int) -> list[str]:
        return self.statements.state_names(self.tables.members[k])

    def _configurations(self, k: int) -> list[str]:
        above = self.tables.parents[k]
        names = [self.statements.measures[self.tables.members[p]] for p in above]
        configurations = [""]
        for parent, name in zip(above, names, strict=True):
            configurations = [
                f"{before}{'|' if before else ''}{name}:{state}"
                for before in configurations
                for state in self._states(parent)
            ]
        return [c or "(none)" for c in configurations]

    def theta(self, log_cells: FloatArray) -> FloatArray:
        """θ of the listed statements, and of all others together where they are not listed."""
        shown = np.exp(log_cells[..., self.tables.cells(self.shown)].sum(axis=-1))
        if not self.listing.has_other:
            return np.asarray(shown)
        rest = np.maximum(1.0 - shown.sum(axis=-1, keepdims=True), 0.0)
        return np.concatenate([shown, rest], axis=-1)

    def marginal(self, log_cells: FloatArray) -> FloatArray | None:
        """Who leads each measure, summed over its ancestors; None if they are too many."""
        l = len(self.statements.algorithms)
        columns = []
        for k in range(len(self.tables.members)):
            above = _network_test_ancestors(self.tables, k)
            sizes = [int(self.tables.arities[p]) for p in above]
            if math.prod(sizes) > MOST_ANCESTORS:
                return None
            grid = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), -1).reshape(
                -1, len(above)
            )
            states = np.zeros((len(grid), len(self.statements.measures)), dtype=np.int64)
            states[:, [self.tables.members[p] for p in above]] = grid
            cells = self.tables.cells(states)[:, above]
            probability = np.exp(log_cells[..., cells].sum(axis=-1))
            leaders = self.statements.levels[self.tables.members[k]][
                states[:, self.tables.members[k]], 0
            ]
            leads = (leaders[:, None] == np.arange(l)).astype(float)
            columns.append(probability @ leads)
        order = np.argsort(self.tables.members)
        stacked = np.stack(columns, axis=-2)[..., order, :]
        return stacked[..., 0] if l == 2 else stacked


def _network_test_cell_weights(
    statements: Statements, tables: NetworkTables, chosen: BoolArray
) -> FloatArray:
    """Each dataset's weight in every cell, from the statements chosen."""
    table = statements.table
    weights = np.zeros((len(statements.datasets), len(tables.alpha)))
    kept = chosen[table.statement]
    for column in tables.cells(table.states)[table.statement[kept]].T:
        np.add.at(weights, (table.dataset[kept], column), table.weight[kept])
    return weights


def single_network_tree(
    layout: NetworkLayout, *, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw from prior and posterior of one graph without MCMC."""
    tables, listing = layout.tables, layout.listing
    after = draw_dirichlet_latents(np.log(tables.alpha), tables.counts, (chains, draws), rng)
    before = draw_dirichlet_latents(
        np.log(tables.alpha), np.zeros_like(tables.counts), (1, draws), rng
    )
    logs, logs_before = (
        tables.normalised(np.log(g) - e / tables.alpha) for g, e in (after, before)
    )
    n = len(layout.results.datasets)
    posterior, prior = (
        _network_test_variables(layout, logs),
        _network_test_variables(layout, logs_before),
    )
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": posterior,
        "prior": prior,
        "posterior_predictive": {OUTCOME: shared_statement_each(posterior["theta"], n, rng)},
        "prior_predictive": {OUTCOME: shared_statement_each(prior["theta"], n, rng)},
        "log_likelihood": {OUTCOME: logs @ layout.weights.T},
        "log_prior": {
            name: values
            for k in range(len(tables.members))
            for name, values in shared_latent_log_prior(
                layout.name(k), *(layout.rows(v, k) for v in (tables.alpha, *after))
            ).items()
        },
        "observed_data": {OUTCOME: listing.weights},
    }
    return sign_shared_tree(
        make_shared_tree(groups, _network_test_dims(layout), layout.coords()), listing
    )


def drawn_network_tables(layout: NetworkLayout, logs: FloatArray, *, tables: bool) -> xr.DataTree:
    """Put cells drawn from the prior (chain, draw, C) into a tree; `tables` keeps the tables."""
    variables = _network_test_variables(layout, logs)
    kept = {k: v for k, v in variables.items() if tables or k in ("theta", "marginal")}
    return make_shared_tree({"prior": kept}, _network_test_dims(layout), layout.coords())


def _network_test_variables(layout: NetworkLayout, logs: FloatArray) -> dict[str, FloatArray]:
    variables = {"theta": layout.theta(logs)}
    marginal = layout.marginal(logs)
    if marginal is not None:
        variables["marginal"] = marginal
    for k in range(len(layout.tables.members)):
        variables[layout.name(k)] = np.exp(layout.rows(logs, k))
    return variables


def _network_test_dims(layout: NetworkLayout) -> dict[str, tuple[str, ...]]:
    dims: dict[str, tuple[str, ...]] = {
        "theta": ("statement",),
        "marginal": shared_marginal_dims(layout.results),
        OUTCOME: ("dataset", "statement"),
    }
    for k in range(len(layout.tables.members)):
        for prefix in ("", *LATENTS):
            dims[f"{prefix}{layout.name(k)}"] = layout.dims(k)
    return dims


def _network_test_ancestors(tables: NetworkTables, k: int) -> list[int]:
    """The k-th member and everything above it, parents before children."""
    above, new = {k}, [k]
    while new:
        for parent in tables.parents[new.pop()]:
            if parent not in above:
                above.add(parent)
                new.append(parent)
    return sorted(above)


def build(layout: NetworkLayout, nonconjugate_priors: Priors, form: Form) -> pm.Model:
    """Build the PyMC model of one graph: a table per measure, a Dirichlet per row.

    The ancillary re-prior of the form for NUTS is per row here; without it R-hat stays at 1.04.
    """
    import pymc as pm
    import pytensor.tensor as pt

    tables = layout.tables
    with pm.Model(coords=layout.coords()) as model:
        alphas = _place_network_test_alphas(layout, nonconjugate_priors)
        parts = []
        for k, alpha in enumerate(alphas):
            total = layout.rows(tables.counts, k).sum(axis=-1)
            logs = place_shared_dirichlet(form, layout.name(k), alpha, total, layout.dims(k))
            parts.append(logs.ravel())
        cells: Any = pm.math.concatenate(parts)
        log_theta = cells[tables.cells(layout.shown)].sum(axis=-1)
        theta = pt.exp(log_theta)
        if layout.listing.has_other:
            rest = pt.maximum(1.0 - theta.sum(keepdims=True), 0.0)
            theta = pm.math.concatenate([theta, rest])
            log_theta = pm.math.concatenate([log_theta, pt.log(rest)])
        theta = pm.Deterministic("theta", theta, dims="statement")
        if form == "textbook":
            # Through θ itself, so that pm.do(θ) reaches the data.
            log_theta = pt.log(theta)
        # What is lumped in θ is observed through its cells.
        unlisted = (
            shared_weighted_logs(layout.unlisted, cells) if layout.listing.has_other else None
        )
        observe_shared_weights(log_theta, layout.listing.weights, unlisted)
    return model


def _place_network_test_alphas(layout: NetworkLayout, priors: Priors) -> list[Any]:
    """α of every table's cells: fixed, or random by the user's prior on ess or alpha."""
    import pytensor.tensor as pt

    tables = layout.tables
    alphas: list[Any] = [layout.rows(tables.alpha, k) for k in range(len(tables.members))]
    if "ess" in priors:
        ess = place_shared_prior("ess", priors["ess"], ())
        return [ess * np.full(alpha.shape, 1.0 / alpha.size) for alpha in alphas]
    if "alpha" in priors:
        given = pt.as_tensor_variable(place_shared_prior("alpha", priors["alpha"], ("measure",)))
        _check_network_test_alpha(given, len(tables.members))
        each = [given if given.ndim == 0 else given[j] for j in tables.members]
        return [own * np.ones(alpha.shape) for own, alpha in zip(each, alphas, strict=True)]
    return alphas


def _check_network_test_alpha(alpha: Any, measures: int) -> None:
    length = alpha.type.shape[0] if alpha.ndim == 1 else None
    if alpha.ndim > 1 or (length is not None and length != measures):
        raise BayescompareError(
            f"priors['alpha'] must be one number for all, or a vector over the {measures} "
            f"measures; its shape is {alpha.type.shape}."
        )


def finish_network_tree(layout: NetworkLayout, tree: xr.DataTree) -> xr.DataTree:
    """Bring NUTS's tree into the shape of `single_network_tree`."""
    import xarray as xr

    names = [layout.name(k) for k in range(len(layout.tables.members))]
    for group in ("posterior", "prior"):
        data = shared_without_latents(tree[group].to_dataset())
        if "marginal" not in data and all(name in data for name in names):
            parts = [data[name].values.reshape(*data[name].shape[:2], -1) for name in names]
            with np.errstate(divide="ignore"):
                marginal = layout.marginal(np.log(np.concatenate(parts, axis=-1)))
            if marginal is not None:
                dims = shared_marginal_dims(layout.results)
                data["marginal"] = (("chain", "draw", *dims), marginal)
                data = data.assign_coords({d: layout.coords()[d] for d in dims})
        tree[group] = xr.DataTree(data)
    return sign_shared_tree(
        shared_ratio_prior(shrink_shared_predictions(tree), names), layout.listing
    )
