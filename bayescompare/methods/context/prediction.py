"""Tests of error counts: tables from the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.methods._shared.new_datasets import table_of_counts, truth_in_tree
from bayescompare.methods._shared.pair_answer import WRONG
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["simulated"]


def simulated(results: Results, tree: xr.DataTree) -> Results:
    """Make a table of a draw from the prior: as many discordant examples, and its parameters."""
    wrong = tree["prior_predictive"].to_dataset()[WRONG].isel(chain=0, draw=0)
    counts = wrong.values.astype(np.float64)
    return table_of_counts(results, counts, truth_in_tree(tree))
