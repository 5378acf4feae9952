"""Tests of error counts: tables from the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.comparison import nuts
from bayescompare.comparison.method import Method
from bayescompare.methods._shared.pair_answer import WRONG
from bayescompare.methods._shared.simulated import shared_table_of_counts, shared_truth_in_tree
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["simulated"]


def simulated(method: Method, results: Results, rng: np.random.Generator) -> Results:
    """Draw the parameters, and error counts with as many discordant examples per dataset."""
    tree = _one_context_prediction_draw(method, results, rng)
    wrong = tree["prior_predictive"].to_dataset()[WRONG].isel(chain=0, draw=0)
    return shared_table_of_counts(
        results, wrong.values.astype(np.float64), shared_truth_in_tree(tree)
    )


def _one_context_prediction_draw(
    method: Method, results: Results, rng: np.random.Generator
) -> xr.DataTree:
    if not method.needs_mcmc:
        unasked: Any = None  # a draw from the prior needs no answer
        return method.posterior_type(method, results, unasked).draws(1, 1, rng)
    return nuts.draw_prior_as_nuts(method.model(results), rng)
