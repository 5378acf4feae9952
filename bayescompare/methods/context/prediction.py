"""Tests of error counts: tables from the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.comparison import nuts
from bayescompare.comparison.method import Method
from bayescompare.methods._shared.pair_answer import WRONG
from bayescompare.methods._shared.simulated import table_of_counts, truth_in
from bayescompare.results.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["simulated"]


def simulated(method: Method, results: Results, rng: np.random.Generator) -> Results:
    """Draw the parameters, and error counts with as many discordant examples per dataset."""
    tree = _one_draw(method, results, rng)
    wrong = tree["prior_predictive"].to_dataset()[WRONG].isel(chain=0, draw=0)
    return table_of_counts(results, wrong.values.astype(np.float64), truth_in(tree))


def _one_draw(method: Method, results: Results, rng: np.random.Generator) -> xr.DataTree:
    if not method.needs_mcmc:
        return method.draws(results, 1, 1, rng)
    return nuts.one_prior_draw(method.model(results), rng)
