"""New datasets: statements drawn from a predictive distribution, and tables that show them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, StrArray
from bayescompare.kernels.dirichlet.draws import draw_urn_cells, polya_urn
from bayescompare.kernels.orders import MIDDLE
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.posterior import Posterior
from bayescompare.posterior.component import Component
from bayescompare.statements import BAR, OTHER, OUTCOME, Statement, Statements
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text


def urn_labels(
    statements: Statements,
    cells: Component,
    counts: FloatArray,
    size: int,
    number: int,
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator], str] | None = None,
) -> StrArray:
    """Draw the statements of `number` new datasets, `size` times over, θ integrated out.

    A dataset that falls among the statements not listed gets one of them, so every label is a
    statement however many there are. They are alike probable, unless `draw` draws one of them in
    proportion to their α.
    """
    cell, source = polya_urn(cells.log_alpha, counts, size, number, rng, cells.log_rest)
    labels = np.array([*statements.labels, OTHER], dtype=object)[cell]
    # What repeats another takes its label.
    new = (cell == statements.n_listed) & (source == np.arange(number))
    more = int(new.sum())
    labels[new] = [draw(rng) for _ in range(more)] if draw else _unlisted(statements, more, rng)
    return np.take_along_axis(labels, source, axis=1).astype(np.str_)


def _unlisted(statements: Statements, number: int, rng: np.random.Generator) -> list[str]:
    """Draw statements that are not listed, each alike probable."""
    names, labels = statements.algorithms, list[str]()
    while len(labels) < number:
        columns = []
        for arity in statements.arities:
            places = np.tile(np.arange(len(names)), (number - len(labels), 1))
            orders = rng.permuted(places, axis=1)
            if arity == 3:
                orders[rng.integers(3, size=len(orders)) == 0] = MIDDLE
            columns.append(map(statements.name_order, orders.tolist()))
        drawn = map(BAR.join, zip(*columns, strict=True))
        labels += [label for label in drawn if statements.find(label) is None]
    return labels


def categorical_labels(
    theta: FloatArray, labels: Sequence[str], number: int, rng: np.random.Generator
) -> StrArray:
    """Draw `number` statements for every draw of their probabilities (draws, statements)."""
    return np.array(labels, dtype=np.str_)[draw_urn_cells(theta, number, rng)]


def share_labels(asked: Posterior, number: int, draws: int, rng: np.random.Generator) -> StrArray:
    """Draw the share of datasets that have each statement, and the statements of new ones from it.

    The shares are `theta` over "statement", or `r` or `q`, that of the first of two statements. The
    draws are exact where the answer is, else those of the answer.
    """
    answer = asked.answer
    if answer.tree is None and not asked.method.needs_mcmc:
        exact: Any = asked
        posterior = exact.draws(draws, 1, rng)["posterior"].to_dataset()
    else:
        posterior = sampled_posterior(answer)
    if "theta" in posterior:
        theta = thinned_draws(posterior["theta"].sel(statement=list(answer.labels)), draws, rng)
    else:
        (name,) = (name for name in ("r", "q") if name in posterior)
        rate = thinned_draws(posterior[name], draws, rng)
        theta = np.stack([rate, 1.0 - rate], axis=1)
    return categorical_labels(theta, answer.labels, number, rng)


def sampled_posterior(answer: Answer) -> xr.Dataset:
    """Return the draws that an answer came from."""
    if answer.tree is None:
        raise BayescompareError(
            "predict: the chains of this answer were not saved (JSON does not hold them, netCDF "
            "does); ask compare() again."
        )
    return answer.tree["posterior"].to_dataset()


def thinned_draws(values: xr.DataArray, draws: int, rng: np.random.Generator) -> AnyArray:
    """Take so many of the draws at random, more than there are only with repetition: draws first.

    The same generator state takes the same draws of every variable.
    """
    stacked = values.stack(sample=("chain", "draw")).transpose("sample", ...)
    there = stacked.sizes["sample"]
    return stacked.values[rng.choice(there, size=draws, replace=draws > there)]


# tables that show what was drawn -----------------------------
def table_of_statements(results: Results, labels: Sequence[str], truth: xr.Dataset) -> Results:
    """Make a table whose datasets show these statements, one each.

    Parameters
    ----------
    results : Results
        Whose datasets, algorithms and measures it has.
    labels : sequence of str
        The statement of each dataset.
    truth : Dataset
        The parameters that the statements were drawn with.
    """
    places = {name: k for k, name in enumerate(results.algorithms)}
    rank = np.zeros((len(labels), len(places), len(results.measures)))
    for i, label in enumerate(labels):
        states = Statement.parse(label, results.algorithms).states
        for j, state in enumerate(states):
            if state.relation == ">":
                for k, name in enumerate(state.names):
                    rank[i, places[name], j] = k
    return table_of_ranks(rank, results, truth=truth)


def table_of_ranks(
    ranks: ArrayLike, results: Results, *, truth: xr.Dataset | None = None
) -> Results:
    """Make a table that shows these ranks: values in the measures' directions and bounds.

    Algorithms of equal rank have equal values; others differ by more than the measure's rope.

    Parameters
    ----------
    ranks : array (dataset, algorithm[, measure])
        Any numbers; the lowest is best.
    results : Results
        Whose datasets, algorithms and measures it has.
    truth : Dataset, optional
        The parameters that the ranks were drawn with.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("pnn").sel(measures=["complexity"])
    >>> table_of_ranks([[1, 2], [2, 1], [1, 2], [1, 1]], results).values()[..., 0].tolist()
    [[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0]]
    """
    wanted = len(results.datasets), len(results.algorithms), len(results.measures)
    given = np.asarray(ranks, dtype=np.float64)
    given = given[..., None] if given.ndim == 2 else given
    if given.shape != wanted or not np.isfinite(given).all():
        raise BayescompareError(
            f"ranks has the shape {given.shape}: give finite numbers by dataset, algorithm and "
            f"measure, {wanted}."
        )
    # How many others are strictly better.
    rank = (given[:, :, None] > given[:, None, :]).sum(axis=2)
    columns = {
        name: (
            ("dataset", "algorithm"),
            _levels_of(name, results[name], len(results.algorithms))[rank[:, :, j]],
        )
        for j, name in enumerate(results.measures)
    }
    coords = {"dataset": list(results.datasets), "algorithm": list(results.algorithms)}
    return Results(xr.Dataset(columns, coords), results.spec, source="simulated", truth=truth)


def _levels_of(name: str, measure: Measure, places: int) -> FloatArray:
    """Values of a measure from best to worst: within its bounds, and further apart than its rope.

    Evenly spaced inside finite bounds, from one to the other where that is too close for the rope;
    else whole numbers, or twice the rope apart.
    """
    rope = measure.rope or 0.0
    low, high = (
        None if end is None or math.isinf(end) else end for end in measure.bounds or (None, None)
    )
    if low is not None and high is not None:
        inside = np.linspace(low, high, places + 2)[1:-1]
        values = inside if inside[1] - inside[0] > 1.5 * rope else np.linspace(low, high, places)
    else:
        start = next((end for end in (low, high) if end is not None), 0.0)
        # Beside a bound of a billion a step of one is rounding.
        step = max(2.0 * rope or 1.0, 1e-6 * abs(start))
        steps = step * np.arange(1, places + 1)
        values = np.asarray(
            start - steps[::-1] if low is None and high is not None else start + steps
        )
    if not values[1] - values[0] > rope * (1.0 + 1e-9):
        raise BayescompareError(
            f"simulate: the rope of {name!r}, {setting_number_text(rope)}, is as wide as its "
            "bounds "
            f"{measure.bounds}, so no values could show that one algorithm is better: give a "
            "smaller rope."
        )
    return values[::-1] if measure.sign > 0 else values


def table_of_counts(results: Results, first_wrong: FloatArray, truth: xr.Dataset) -> ErrorCounts:
    """Make error counts of a pair with as many discordant examples on each dataset.

    Examples that both got wrong, and the sizes of the datasets, stay as they are.
    """
    assert isinstance(results, ErrorCounts)
    counts = results.counts
    only = counts["wrong_only"].values
    discordant = only[:, 0, 1] + only[:, 1, 0]
    new = np.zeros_like(only)
    new[:, 0, 1], new[:, 1, 0] = first_wrong, discordant - first_wrong
    both = counts["wrong"].values - only.sum(axis=2)
    dims = {str(name): counts[name].dims for name in ("wrong_only", "wrong")}
    changed = counts.assign(
        wrong_only=(dims["wrong_only"], new), wrong=(dims["wrong"], new.sum(axis=2) + both)
    )
    table = ErrorCounts.from_counts(changed, source="simulated")._with(truth=truth)
    assert isinstance(table, ErrorCounts)
    return table


def truth_in_tree(tree: xr.DataTree) -> xr.Dataset:
    """Return the one draw from the prior that a tree holds."""
    prior = tree["prior"].to_dataset().isel(chain=0, draw=0, drop=True)
    return prior.assign_attrs(sample_dims=[]) if "sample_dims" in prior.attrs else prior


def drawn_labels(tree: xr.DataTree) -> list[str]:
    """Return the statement that the one prior prediction of a tree has for each dataset."""
    outcome = tree["prior_predictive"].to_dataset()[OUTCOME].isel(chain=0, draw=0)
    labels = outcome["statement"].values.tolist()
    return [labels[k] for k in outcome.transpose("dataset", "statement").values.argmax(axis=1)]
