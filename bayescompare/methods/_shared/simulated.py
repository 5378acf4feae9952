"""Tables that show statements drawn by a model: values whose order is what was drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.statements import OUTCOME, Statement
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text

__all__ = [
    "shared_drawn_labels",
    "shared_table_of_counts",
    "shared_table_of_statements",
    "shared_truth_in_tree",
    "table_of_ranks",
]


def shared_table_of_statements(
    results: Results, labels: Sequence[str], truth: xr.Dataset
) -> Results:
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
            _shared_simulated_levels(name, results[name], len(results.algorithms))[rank[:, :, j]],
        )
        for j, name in enumerate(results.measures)
    }
    coords = {"dataset": list(results.datasets), "algorithm": list(results.algorithms)}
    return Results(xr.Dataset(columns, coords), results.spec, source="simulated", truth=truth)


def _shared_simulated_levels(name: str, measure: Measure, places: int) -> FloatArray:
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


def shared_table_of_counts(
    results: Results, first_wrong: FloatArray, truth: xr.Dataset
) -> ErrorCounts:
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


def shared_truth_in_tree(tree: xr.DataTree) -> xr.Dataset:
    """Return the one draw from the prior that a tree holds."""
    prior = tree["prior"].to_dataset().isel(chain=0, draw=0, drop=True)
    return prior.assign_attrs(sample_dims=[]) if "sample_dims" in prior.attrs else prior


def shared_drawn_labels(tree: xr.DataTree) -> list[str]:
    """Return the statement that the one prior prediction of a tree has for each dataset."""
    outcome = tree["prior_predictive"].to_dataset()[OUTCOME].isel(chain=0, draw=0)
    labels = outcome["statement"].values.tolist()
    return [labels[k] for k in outcome.transpose("dataset", "statement").values.argmax(axis=1)]
