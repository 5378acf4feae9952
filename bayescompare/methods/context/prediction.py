"""Tests of error counts: tables from the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare.methods._shared.pair_answer import WRONG
from bayescompare.methods._shared.simulated import shared_table_of_counts, shared_truth_in_tree
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["simulated"]


def simulated(results: Results, tree: xr.DataTree) -> Results:
    """Make a table of a draw from the prior: as many discordant examples, and its parameters."""
    wrong = tree["prior_predictive"].to_dataset()[WRONG].isel(chain=0, draw=0)
    counts = wrong.values.astype(np.float64)
    return shared_table_of_counts(results, counts, shared_truth_in_tree(tree))
