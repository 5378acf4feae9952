"""The mean of each cell of a table, over the replicates that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.results.replicates import results_mean_over_replicates
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    from bayescompare.results.results import Results

__all__ = ["cell_means", "refuse_values_without_means"]


def cell_means(results: Results) -> FloatArray:
    """Return the means (dataset, algorithm, measure), each over the replicates of its cell.

    Examples
    --------
    >>> import bayescompare as bc
    >>> cell_means(bc.load_example("pnn")).shape
    (4, 2, 2)
    """
    if results.averages_alike() or results.has_statistics:
        return results.average().values()
    cells = np.stack([results.data[name].values for name in results.measures], axis=2)
    return results_mean_over_replicates(cells, np.ones(1, dtype=bool))


def refuse_values_without_means(results: Results, *, largest: float = 1e290) -> None:
    """Refuse values so large that no float holds their sums, or their squares."""
    for name in results.measures:
        seen = float(np.nanmax(np.abs(results.data[name].values), initial=0.0))
        if seen > largest:
            raise BayescompareError(
                f"measure {name!r} has values up to ±{statistic_number_text(seen, significant=2)}, "
                "too large to take means of: leave a cell empty (NaN) if the algorithm failed, or "
                "give the measure in a larger unit."
            )
